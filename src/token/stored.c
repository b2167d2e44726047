/* stored.c -- a tokeniser as text: a line that says what it is, its rules as one line of JSON, its
 * pieces and its merges, one per line. */
#include <string.h>

#include "base/json.h"
#include "token/json.h"

#define FIRST_LINE "basin tokenizer 1\n"

static void write_ids(bs_buf *out, const char *key, const int32_t *id, int n)
{
    bs_json_open(out, key, '[');
    for (int i = 0; i < n; i++)
        bs_json_int(out, NULL, id[i]);
    bs_json_close(out, ']');
}

void bs_tokenizer_write(const bs_tokenizer *t, bs_buf *out)
{
    const bs_token_rules *r = &t->rules;
    bs_buf_text(out, FIRST_LINE);
    bs_json_open(out, NULL, '{');
    bs_json_text(out, "kind", r->kind == BS_WORDPIECE ? "wordpiece" : "byte pairs");
    bs_json_bool(out, "clean", r->clean);
    bs_json_bool(out, "han", r->han);
    bs_json_bool(out, "strip", r->strip);
    bs_json_bool(out, "lower", r->lower);
    bs_json_bool(out, "blank", r->blank);
    bs_json_bool(out, "trim", r->trim);
    bs_json_text(out, "joint", r->joint);
    bs_json_int(out, "word_most", r->word_most);
    bs_json_int(out, "unknown", r->unknown);
    write_ids(out, "before", r->before, r->n_before);
    write_ids(out, "after", r->after, r->n_after);
    bs_json_open(out, "added", '[');
    for (int i = 0; i < t->n_added; i++) {
        bs_json_open(out, NULL, '{');
        bs_json_int(out, "id", t->added[i].id);
        bs_json_bool(out, "special", t->added[i].special);
        bs_json_bool(out, "left", t->added[i].left);
        bs_json_bool(out, "right", t->added[i].right);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
    bs_json_int(out, "pieces", t->words.n);
    bs_json_int(out, "merges", t->merges.n);
    bs_json_close(out, '}');
    bs_buf_text(out, "\n");
    for (int32_t i = 0; i < t->words.n; i++)
        bs_buf_printf(out, "%s\n", bs_tokenizer_piece(t, i));
    for (int32_t i = 0; i < t->merges.n; i++)
        bs_buf_printf(out, "%s %s\n", bs_tokenizer_piece(t, t->merges.merge[i].left),
                      bs_tokenizer_piece(t, t->merges.merge[i].right));
}

/* --- reading --------------------------------------------------------------------- */

typedef struct {
    const char *at, *end;
} lines;

static bool next_line(lines *l, bs_piece_text *line)
{
    const char *end = l->at < l->end ? memchr(l->at, '\n', (size_t)(l->end - l->at)) : NULL;
    if (!end)
        return false;
    *line = (bs_piece_text){l->at, (size_t)(end - l->at)};
    l->at = end + 1;
    return true;
}

static bool read_ids(const json_t *list, int32_t *id, int *n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list); i++)
        ok = bs_token_put_id(id, n, json_array_get(list, i));
    return ok;
}

static bool read_added(bs_token_parts *p, json_t *list, basin_error *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        int id, special, left, right;
        if (json_unpack(json_array_get(list, i), "{s:i s:b s:b s:b}", "id", &id, "special",
                        &special, "left", &left, "right", &right) ||
            bs_token_added(p, (bs_added){id, special != 0, left != 0, right != 0}, err))
            return false;
    }
    return true;
}

/* Fills the rules and the added pieces; *pieces and *merges are numbers of lines that follow. */
static bool read_rules(bs_token_parts *p, json_t *o, int *pieces, int *merges, basin_error *err)
{
    bs_token_rules *r = &p->rules;
    const char     *kind, *joint;
    int             clean, han, strip, lower, blank, trim, most, unknown;
    json_t         *before, *after, *added;
    if (json_unpack(o, "{s:s s:b s:b s:b s:b s:b s:b s:s s:i s:i s:o s:o s:o s:i s:i}", "kind",
                    &kind, "clean", &clean, "han", &han, "strip", &strip, "lower", &lower, "blank",
                    &blank, "trim", &trim, "joint", &joint, "word_most", &most, "unknown", &unknown,
                    "before", &before, "after", &after, "added", &added, "pieces", pieces, "merges",
                    merges) ||
        strlen(joint) >= sizeof r->joint ||
        (strcmp(kind, "wordpiece") != 0 && strcmp(kind, "byte pairs") != 0))
        return false;
    *r = (bs_token_rules){.kind = strcmp(kind, "wordpiece") ? BS_BYTE_PAIRS : BS_WORDPIECE,
                          .clean = clean != 0,
                          .han = han != 0,
                          .strip = strip != 0,
                          .lower = lower != 0,
                          .blank = blank != 0,
                          .trim = trim != 0,
                          .word_most = most,
                          .unknown = unknown};
    memcpy(r->joint, joint, strlen(joint));
    return read_ids(before, r->before, &r->n_before) && read_ids(after, r->after, &r->n_after) &&
           read_added(p, added, err);
}

static basin_status read_lines(bs_token_parts *p, lines *l, int pieces, int merges,
                               basin_error *err)
{
    basin_status  s = BASIN_OK;
    bs_piece_text line;
    for (int i = 0; i < pieces && !s; i++)
        s = next_line(l, &line)
                ? bs_token_piece(p, i, line.text, line.len, err)
                : bs_fail(err, BASIN_EDATA, "%s: ends after %d of %d pieces", p->name, i, pieces);
    for (int i = 0; i < merges && !s; i++) {
        const bool  more = next_line(l, &line);
        const char *gap = more ? memchr(line.text, ' ', line.len) : NULL;
        if (!gap)
            return bs_fail(err, BASIN_EDATA, "%s: ends after %d of %d merges", p->name, i, merges);
        const size_t left = (size_t)(gap - line.text);
        s = bs_token_merge(p, (bs_piece_text){line.text, left},
                           (bs_piece_text){gap + 1, line.len - left - 1}, err);
    }
    if (!s && l->at != l->end)
        s = bs_fail(err, BASIN_EDATA, "%s: goes on after the last piece", p->name);
    return s;
}

basin_status bs_tokenizer_read(const char *name, const char *text, size_t n, bs_tokenizer **out,
                               basin_error *err)
{
    bs_token_parts p = {.name = name};
    lines          l = {text, text + n};
    bs_piece_text  line;
    json_t        *o = NULL;
    int            pieces = 0, merges = 0;
    basin_error    why = {0};
    *out = NULL;
    if (next_line(&l, &line) && line.len == strlen(FIRST_LINE) - 1 &&
        !memcmp(line.text, FIRST_LINE, line.len) && next_line(&l, &line))
        o = bs_tree_read(line.text, line.len, 0, NULL);
    basin_status s = read_rules(&p, o, &pieces, &merges, &why)
                         ? read_lines(&p, &l, pieces, merges, err)
                     : why.status ? bs_fail(err, why.status, "%s", why.msg)
                                  : bs_fail(err, BASIN_EDATA, "%s: is no tokeniser of Basin", name);
    if (!s)
        s = bs_token_make(&p, out, err);
    bs_token_parts_free(&p);
    json_decref(o);
    return s;
}
