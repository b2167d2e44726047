/* format_brat.c -- BRAT's standoff format: NAME.txt, and NAME.ann with spans of its characters.
 *
 *     T1<tab>PER 0 3<tab>Ada
 *     T2<tab>LOC 10 14;15 19<tab>York City      a span in pieces
 *
 * A folder means all documents in it; relations, events, attributes and notes are ignored. A
 * document without NAME.ann has not been annotated yet. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "data/text/brat.h"
#include "data/text/making.h"
#include "data/text/tags_out.h"
#include "data/text/tokenise.h"

/* --- paths --------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

/* NAME.txt or NAME.ann with the other extension; false: too long, or neither. */
static bool with_ending(const char *path, const char *ending, char out[BS_OPTION_TEXT])
{
    const bool known = ends_in(path, ".txt") || ends_in(path, ".ann");
    const int  n =
        known ? bs_print(out, BS_OPTION_TEXT, "%.*s%s", (int)strlen(path) - 4, path, ending) : -1;
    return n > 0 && n < BS_OPTION_TEXT;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_both(const char *path)
{
    char text[BS_OPTION_TEXT], marks[BS_OPTION_TEXT];
    return with_ending(path, ".txt", text) && with_ending(path, ".ann", marks) &&
           bs_is_file(text) && bs_is_file(marks);
}

/* How many names in a folder have this ending. */
static int count_in(const char *folder, const char *ending)
{
    DIR *dir = opendir(folder);
    int  n = 0;
    for (const struct dirent *e; dir && (e = readdir(dir));)
        n += e->d_name[0] != '.' && ends_in(e->d_name, ending);
    if (dir)
        closedir(dir);
    return n;
}

int bs_corpus_sniff_path(const char *path)
{
    if (is_folder(path))
        return count_in(path, ".ann") > 0 ? 95 : count_in(path, ".txt") > 0 ? 30 : 0;
    return ends_in(path, ".ann") || has_both(path) ? 95 : 0;
}

bool bs_brat_path(const char *path, const bs_corpus_options *o)
{
    if (strcmp(o->format, "auto") == 0)
        return is_folder(path) || ends_in(path, ".ann") || has_both(path);
    return strcmp(o->format, "brat") == 0;
}

/* --- marks --------------------------------------------------------------- */

typedef struct {
    bs_corpus_reading *r;
    bs_corpus_builder  m;
    bs_marked         *span;
    size_t             n, cap;
    bs_arena           labels; /* of the current document */
    long               pieces, others, unmarked, documents;
    const char        *path; /* of the annotations */
} brat;

static basin_status fail_line(const brat *b, long line, const char *what)
{
    return bs_fail(b->r->err, BASIN_EDATA,
                   "%s:%ld: %s; a span is T1<tab>LABEL START END<tab>its text", b->path, line,
                   what);
}

/* A number of at most nine digits; false: there is none. */
static bool take_number(const char **p, const char *end, size_t *out)
{
    const char *start = *p;
    *out = 0;
    for (; *p < end && **p >= '0' && **p <= '9' && *p - start < 9; ++*p)
        *out = *out * 10 + (size_t)(**p - '0');
    return *p > start && (*p == end || **p < '0' || **p > '9');
}

/* Finds the start of a character, searching on from a given place. */
static const char *go_on(const char *p, const char *end, size_t characters)
{
    for (; characters > 0 && p < end; characters--) {
        const size_t n = bs_utf8_len(p, (size_t)(end - p));
        p += n ? n : 1;
    }
    return p;
}

static bool only_blanks(const char *p, const char *end)
{
    while (p < end && strchr(" \t\r\n", *p))
        p++;
    return p >= end;
}

/* Equal except for blanks, which replace line ends in annotations. */
static bool same_text(const char *a, const char *a_end, const char *b, const char *b_end)
{
    for (;;) {
        while (a < a_end && strchr(" \t\r\n", *a))
            a++;
        while (b < b_end && strchr(" \t\r\n", *b))
            b++;
        if (a == a_end || b == b_end)
            return a == a_end && b == b_end;
        if (*a++ != *b++)
            return false;
    }
}

static bool add_span(brat *b, size_t first, size_t last, const char *label)
{
    if (!BS_GROW(b->span, b->cap, b->n + 1, INT32_MAX))
        return false;
    b->span[b->n] = (bs_marked){first, last, label, b->n};
    b->n++;
    return true;
}

/* Pieces "10 14;15 19"; those separated by blanks only are one span. */
static basin_status take_pieces(brat *b, const char *p, const char *end, const char *label,
                                const char *text, size_t len, long line, const char **behind)
{
    const size_t characters = bs_count_characters(text, len), before = b->n;
    for (;;) {
        size_t first, last;
        while (p < end && *p == ' ')
            p++;
        bool ok = take_number(&p, end, &first) && p < end && *p++ == ' ';
        if (!ok || !take_number(&p, end, &last))
            return fail_line(b, line, "the start and the end of the span are not understood");
        if (last <= first)
            return fail_line(b, line, "the end is not after the start");
        if (last > characters)
            return bs_fail(b->r->err, BASIN_EDATA,
                           "%s:%ld: the span ends at %zu, but the text has %zu characters (code "
                           "points, not bytes)",
                           b->path, line, last, characters);
        bs_marked  *old = b->n > before ? &b->span[b->n - 1] : NULL;
        const char *stop = text + len;
        if (old && first >= old->last &&
            only_blanks(go_on(text, stop, old->last), go_on(text, stop, first)))
            old->last = last;
        else if (!add_span(b, first, last, label))
            return bs_fail_nomem(b->r->err);
        if (p == end || *p != ';')
            break;
        p++;
    }
    b->pieces += b->n > before + 1;
    *behind = p;
    return BASIN_OK;
}

static basin_status check_text(const brat *b, const bs_marked *span, const char *p, const char *end,
                               const char *text, size_t len, long line)
{
    const char *stop = text + len, *first = go_on(text, stop, span->first);
    const char *last = go_on(first, stop, span->last - span->first);
    const int   there = last - first > 40 ? 40 : (int)(last - first);
    if (same_text(p, end, first, last))
        return BASIN_OK;
    return bs_fail(b->r->err, BASIN_EDATA,
                   "%s:%ld: the text of the span is '%.*s', but characters %zu to %zu are '%.*s' "
                   "(code points count, not bytes)",
                   b->path, line, end - p > 40 ? 40 : (int)(end - p), p, span->first, span->last,
                   there, first);
}

/* T1<tab>PER 0 3<tab>Ada */
static basin_status take_mark(brat *b, const char *p, const char *end, const char *text, size_t len,
                              long line)
{
    const char *tab = memchr(p, '\t', (size_t)(end - p));
    if (!tab)
        return fail_line(b, line, "there is no tab after the number of the span");
    const char *label = tab + 1, *blank = memchr(label, ' ', (size_t)(end - label));
    if (!blank || blank == label)
        return fail_line(b, line, "there is no label");
    const size_t before = b->n;
    const char  *behind = blank;
    const char  *name = bs_arena_copy(&b->labels, label, (size_t)(blank - label));
    if (!name)
        return bs_fail_nomem(b->r->err);
    basin_status s = take_pieces(b, blank, end, name, text, len, line, &behind);
    if (!s && behind < end && *behind != '\t')
        return fail_line(b, line, "something follows the end of the span");
    if (!s && behind < end && b->n == before + 1)
        s = check_text(b, &b->span[before], behind + 1, end, text, len, line);
    return s;
}

static basin_status take_marks(brat *b, const char *p, size_t n, const char *text, size_t len)
{
    const char  *end = p + n;
    basin_status s = BASIN_OK;
    for (long line = 1; p < end && !s; line++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        const char *last = stop > p && stop[-1] == '\r' ? stop - 1 : stop;
        if (*p == 'T')
            s = take_mark(b, p, last, text, len, line);
        else if (strchr("REAMN#*", *p))
            b->others++;
        else if (!only_blanks(p, last))
            s = fail_line(b, line, "the line begins with none of T R E A M N # *");
        p = nl ? nl + 1 : end;
    }
    return s;
}

/* --- documents ----------------------------------------------------------- */

static basin_status check_bytes(const brat *b, const char *path, const bs_buf *text)
{
    long line = 1;
    for (size_t i = 0; i < text->len;) {
        const size_t n = text->data[i] ? bs_utf8_len(text->data + i, text->len - i) : 0;
        if (n == 0)
            return bs_fail(b->r->err, BASIN_EDATA, "%s:%ld: " BS_NOT_UTF8, path, line,
                           (unsigned char)text->data[i]);
        line += text->data[i] == '\n';
        i += n;
    }
    return BASIN_OK;
}

static basin_status read_checked(const brat *b, const char *path, bs_buf *out)
{
    bs_input    *in = NULL;
    basin_status s = bs_input_open_found(path, b->r->o->max_mb, &in, b->r->err);
    if (!s)
        s = bs_input_rest(in, out, b->r->err);
    bs_input_close(in);
    return s ? s : check_bytes(b, path, out);
}

/* marks NULL: not annotated. */
static basin_status take_document(brat *b, const char *name, const char *text, size_t len,
                                  const char *marks, size_t n)
{
    basin_status s = BASIN_OK;
    b->n = 0;
    bs_arena_free(&b->labels);
    if (marks)
        s = take_marks(b, marks, n, text, len);
    b->documents++;
    b->unmarked += !marks;
    if (s || (!marks && !b->r->o->label_free))
        return s;
    bs_corpus_builder_record(&b->m, text, len, NULL, name, 0);
    bs_corpus_builder_text(&b->m, text, len, true, b->span, marks ? (long)b->n : -1);
    return BASIN_OK;
}

static void name_of(const char *path, char out[BS_OPTION_TEXT])
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    bs_print(out, BS_OPTION_TEXT, "%.*s", (int)strlen(base) - 4, base);
}

static basin_status read_pair(brat *b, const char *path)
{
    char   text_path[BS_OPTION_TEXT], marks_path[BS_OPTION_TEXT], name[BS_OPTION_TEXT];
    bs_buf text, marks;
    if (!with_ending(path, ".txt", text_path) || !with_ending(path, ".ann", marks_path))
        return bs_fail(b->r->err, BASIN_EARG, "%s: BRAT's files are a folder, NAME.txt or NAME.ann",
                       path);
    const bool marked = bs_is_file(marks_path);
    name_of(text_path, name);
    bs_buf_init(&text, (size_t)1 << 32);
    bs_buf_init(&marks, (size_t)1 << 32);
    b->path = marks_path;
    basin_status s = read_checked(b, text_path, &text);
    if (!s && marked)
        s = read_checked(b, marks_path, &marks);
    if (!s)
        s = take_document(b, name, text.data ? text.data : "", text.len,
                          marked ? marks.data ? marks.data : "" : NULL, marks.len);
    bs_buf_free(&text);
    bs_buf_free(&marks);
    return s;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All NAME.txt of a folder, sorted by name. */
static basin_status list_folder(brat *b, const char *folder, bs_names *out, const char ***sorted)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return bs_fail_io(b->r->err, folder, errno);
    bool ok = true;
    for (const struct dirent *e; ok && (e = readdir(dir));) {
        char path[BS_OPTION_TEXT];
        bool fresh;
        if (e->d_name[0] == '.' || !ends_in(e->d_name, ".txt"))
            continue;
        const int n = bs_print(path, sizeof path, "%s/%s", folder, e->d_name);
        if (n > 0 && (size_t)n < sizeof path)
            ok = bs_names_add(out, path, (size_t)n, &fresh) >= 0;
    }
    closedir(dir);
    *sorted = ok ? bs_names_texts(out) : NULL;
    if (*sorted && out->n)
        qsort(*sorted, (size_t)out->n, sizeof **sorted, by_name);
    return *sorted ? BASIN_OK : bs_fail_nomem(b->r->err);
}

static basin_status read_folder(brat *b, const char *folder)
{
    bs_arena     arena;
    bs_names     names;
    const char **sorted = NULL;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    basin_status s = list_folder(b, folder, &names, &sorted);
    if (!s && names.n == 0)
        s = bs_fail(b->r->err, BASIN_EDATA, "%s: the folder holds no NAME.txt", folder);
    for (int32_t i = 0; i < names.n && !s; i++)
        s = read_pair(b, sorted[i]);
    bs_free(sorted);
    bs_names_free(&names);
    bs_arena_free(&arena);
    return s;
}

static void add_notes(const brat *b)
{
    const bs_corpus_reading *r = b->r;
    if (b->pieces)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%s: %ld span%s in pieces with words between: every piece is a span", r->name,
                     b->pieces, b->pieces == 1 ? " is" : "s are");
    if (b->others)
        bs_notes_add(r->notes, "left out",
                     "%ld lines of relations, events, attributes and notes are not used",
                     b->others);
    if (b->unmarked && b->unmarked < b->documents && !r->o->label_free)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%s: %ld of %ld documents have no .ann and are left out", r->name, b->unmarked,
                     b->documents);
}

static basin_status finish(brat *b, basin_status s)
{
    static const char *const heading[] = {"word", "tag"};
    bs_corpus_reading       *r = b->r;
    if (!s && b->unmarked == b->documents && !r->o->label_free)
        s = bs_corpus_fail(r, 0, 0, "no document has its spans in a file NAME.ann beside NAME.txt");
    if (!s)
        add_notes(b);
    r->tag_column = 2;
    s = bs_corpus_builder_end(&b->m, s, heading, 2);
    bs_free(b->span);
    bs_arena_free(&b->labels);
    return s;
}

static basin_status read_memory(brat *b, const bs_brat_pair *pair)
{
    const bs_buf text = {.data = bs_arena_copy(&b->r->c->arena, pair->text, pair->len),
                         .len = pair->len};
    if (!text.data)
        return bs_fail_nomem(b->r->err);
    basin_status s = check_bytes(b, b->r->name, &text);
    const bs_buf marks = {.data = pair->marks ? bs_arena_copy(&b->r->c->arena, pair->marks, pair->n)
                                              : NULL,
                          .len = pair->n};
    if (!s && pair->marks)
        s = marks.data ? check_bytes(b, b->r->name, &marks) : bs_fail_nomem(b->r->err);
    return s ? s : take_document(b, "memory", text.data, text.len, marks.data, marks.len);
}

static basin_status read_brat(bs_corpus_reading *r)
{
    brat b = {.r = r, .path = r->name};
    bs_corpus_builder_begin(&b.m, r);
    bs_arena_init(&b.labels, 0);
    basin_status s;
    if (r->pair)
        s = read_memory(&b, r->pair);
    else if (!r->path)
        s = bs_corpus_fail(r, 0, 0, "BRAT's files are a folder, NAME.txt or NAME.ann");
    else
        s = is_folder(r->path) ? read_folder(&b, r->path) : read_pair(&b, r->path);
    return finish(&b, s);
}

/* --- writing ------------------------------------------------------------- */

typedef struct {
    bs_buf           *out;
    const bs_passage *p;
    const char       *at; /* a byte of the text, and its character number */
    size_t            character;
    long             *number;
} marking;

static void put_mark(void *to, int n, size_t first, size_t last, const char *label)
{
    marking    *k = to;
    const char *end = k->p->text + k->p->len;
    (void)n;
    k->at = go_on(k->at, end, first - k->character);
    k->character = first;
    const char *stop = go_on(k->at, end, last - first);
    bs_buf_printf(k->out, "T%ld\t", ++*k->number);
    for (; *label; label++) /* a blank would end it */
        bs_buf_add(k->out, *label == ' ' ? "_" : label, 1);
    bs_buf_printf(k->out, " %zu %zu\t", first, last);
    for (const char *q = k->at; q < stop; q++)
        bs_buf_add(k->out, strchr("\t\r\n", *q) ? " " : q, 1);
    bs_buf_text(k->out, "\n");
}

/* Writes FOLDER/NAME.ann; documents without a name are numbered. */
static basin_status write_one(const bs_passage *p, const char *folder, int32_t number,
                              const char *ending, const char *bytes, size_t n, basin_error *err)
{
    char       path[BS_OPTION_TEXT], own[16];
    const bool named = p->record && p->record->name;
    bs_print(own, sizeof own, "%06d", (int)number);
    const int len =
        bs_print(path, sizeof path, "%s/%s%s", folder, named ? p->record->name : own, ending);
    if (len < 0 || (size_t)len >= sizeof path)
        return bs_fail(err, BASIN_EARG, "%.200s: the path is too long", folder);
    return bs_write_file(path, bytes, n, err);
}

static basin_status write_document(const bs_tags_out *t, const bs_passage *p, const char *folder,
                                   int32_t number, basin_error *err)
{
    bs_buf  marks;
    long    count = 0;
    marking k = {.out = &marks, .p = p, .at = p->text, .number = &count};
    bs_buf_init(&marks, (size_t)1 << 32);
    bs_buf_add(&marks, "", 0);
    bs_passage_spans(t, p, put_mark, &k);
    basin_status s = marks.failed ? bs_fail_nomem(err) : BASIN_OK;
    if (!s)
        s = write_one(p, folder, number, ".txt", p->text, p->len, err);
    if (!s && t->set)
        s = write_one(p, folder, number, ".ann", marks.data, marks.len, err);
    bs_buf_free(&marks);
    return s;
}

basin_status bs_brat_write(const bs_tags_out *t, const char *folder, basin_error *err)
{
    bs_passage   p = {0};
    int32_t      n = 0;
    basin_status s = bs_make_dir(folder, err);
    while (!s && bs_passage_next(t->c, true, &p))
        s = write_document(t, &p, folder, ++n, err);
    if (!s && p.made.failed)
        s = bs_fail_nomem(err);
    bs_passage_free(&p);
    return s;
}

const bs_corpus_format bs_corpus_format_brat = {
    .name = "brat",
    .help = "BRAT: a folder of NAME.txt and NAME.ann, or one such pair",
    .ending = "",
    .text = true,
    .read = read_brat,
};
