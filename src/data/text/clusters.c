/* clusters.c -- reads Brown clusters. Which field is the path is decided by the first line where
 * only one of them can be. */
#include "data/text/clusters.h"

#include <string.h>

#include "base/mem.h"
#include "data/scan.h"

enum { LONGEST_LINE = 1 << 20, HEAD = 64 << 10 };

typedef struct {
    const char *text;
    size_t      len;
} field;

typedef struct {
    bs_input    *in;
    bool         word_first;
    basin_error *err;
} reading;

void bs_clusters_init(bs_clusters *c)
{
    *c = (bs_clusters){0};
    bs_arena_init(&c->arena, 0);
    bs_names_init(&c->words, &c->arena);
    bs_names_init(&c->paths, &c->arena);
}

void bs_clusters_free(bs_clusters *c)
{
    bs_names_free(&c->words);
    bs_names_free(&c->paths);
    bs_free(c->path);
    bs_arena_free(&c->arena);
    *c = (bs_clusters){0};
}

bool bs_clusters_add(bs_clusters *c, const char *word, size_t len, const char *path,
                     size_t path_len, bool *fresh)
{
    bool    fresh_path;
    int32_t p = bs_names_add(&c->paths, path, path_len, &fresh_path);
    if (p < 0 || !BS_GROW(c->path, c->cap, (size_t)c->n + 1, INT32_MAX) ||
        bs_names_add(&c->words, word, len, fresh) < 0)
        return false;
    if (*fresh)
        c->path[c->n++] = p;
    return true;
}

bool bs_is_path(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != '0' && text[i] != '1')
            return false;
    return len > 0 && len <= BS_PATH_MAX;
}

/* --- lines --------------------------------------------------------------- */

/* Up to three fields; returns their number, 4 for more. In lines with tabs a word may contain
 * blanks. */
static int split(const char *text, size_t len, field out[3])
{
    bool   tabs = memchr(text, '\t', len) != NULL;
    int    n = 0;
    size_t i = 0;
    len = bs_trim(text, len);
    while (i < len) {
        size_t from = i;
        while (i < len && !(tabs ? text[i] == '\t' : bs_is_blank(text[i])))
            i++;
        if (n == 3)
            return 4;
        out[n++] = (field){.text = text + from, .len = i - from};
        while (i < len && (tabs ? text[i] == '\t' : bs_is_blank(text[i])))
            i++;
    }
    return n;
}

/* In "1 0" either field may be the path; the first unambiguous line decides. */
static basin_status find_order(reading *r)
{
    const char  *head, *nl;
    size_t       got;
    basin_status s = bs_input_peek(r->in, HEAD, &head, &got, r->err);
    for (; !s && got && (nl = memchr(head, '\n', got));
         got -= (size_t)(nl + 1 - head), head = nl + 1) {
        field f[3];
        int   n = split(head, (size_t)(nl - head), f);
        bool  first = n >= 2 && bs_is_path(f[0].text, f[0].len);
        bool  second = n >= 2 && bs_is_path(f[1].text, f[1].len);
        if (first != second) {
            r->word_first = second;
            break;
        }
    }
    return s;
}

static basin_status take_line(const reading *r, const bs_line *line, field *word, field *path)
{
    field f[3];
    int   n = split(line->text, line->len, f);
    word->len = 0;
    if (n == 0)
        return BASIN_OK;
    *path = f[r->word_first];
    *word = f[!r->word_first];
    if (n < 2 || n > 3)
        return bs_fail(r->err, BASIN_EDATA, "%s:%ld: expected 'path word count' or 'word path'",
                       bs_input_name(r->in), line->number);
    if (!bs_is_path(path->text, path->len))
        return bs_fail(r->err, BASIN_EDATA, "%s:%ld: '%.*s' is not a path of at most %d bits",
                       bs_input_name(r->in), line->number, bs_show(path->text, path->len),
                       path->text, (int)BS_PATH_MAX);
    if (memchr(word->text, 0, word->len))
        return bs_fail(r->err, BASIN_EDATA, "%s:%ld: a NUL byte in a text file",
                       bs_input_name(r->in), line->number);
    return BASIN_OK;
}

basin_status bs_clusters_read_input(bs_input *in, const bs_names *wanted, bs_clusters *out,
                                    bs_notes *notes, basin_error *err)
{
    reading r = {.in = in, .err = err};
    bs_line line;
    bool    more = true, fresh = true;
    long    repeated = 0, words = 0;
    bs_clusters_init(out);
    basin_status s = find_order(&r);
    while (!s) {
        field word, path;
        s = bs_input_line(in, LONGEST_LINE, &line, &more, err);
        if (s || !more)
            break;
        s = take_line(&r, &line, &word, &path);
        words += !s && word.len;
        if (s || word.len == 0 || (wanted && bs_names_find(wanted, word.text, word.len) < 0))
            continue;
        if (!bs_clusters_add(out, word.text, word.len, path.text, path.len, &fresh))
            s = bs_fail_nomem(err);
        repeated += !s && !fresh;
    }
    if (!s && words == 0)
        s = bs_fail(err, BASIN_EDATA, "%s: no clusters in it", bs_input_name(in));
    if (s)
        bs_clusters_free(out);
    else if (repeated)
        bs_notes_add(notes, "clusters", "%s: %ld lines repeat a word; the first of each counts",
                     bs_input_name(in), repeated);
    return s;
}

basin_status bs_clusters_read(const char *path, int max_mb, const bs_names *wanted,
                              bs_clusters *out, bs_notes *notes, basin_error *err)
{
    bs_input *in;
    bs_clusters_init(out);
    basin_status s = bs_input_open_most(path, max_mb, &in, err);
    if (s)
        return s;
    s = bs_clusters_read_input(in, wanted, out, notes, err);
    bs_input_close(in);
    return s;
}
