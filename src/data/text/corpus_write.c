/* corpus_write.c -- the input again: with an added column, other tags, or other columns. */
#include <string.h>

#include "data/text/brat.h"
#include "data/text/tags_out.h"

static bool is_plain(const bs_corpus *c)
{
    return strcmp(c->format, "text") == 0;
}

static void put_range(bs_writing *w, const char *from, const char *to)
{
    bs_put_bytes(w, from, (size_t)(to - from));
}

void bs_put_name(bs_writing *w, const bs_names *names, int32_t i)
{
    if (i < 0)
        bs_put(w, "_");
    else
        bs_put_bytes(w, names->item[i].text, names->item[i].len);
}

/* --- one more column ----------------------------------------------------- */

static void put_separator(bs_writing *w, bs_cut cut, const bs_row *row)
{
    bool tab = cut.tabs || (row->n > 1 && row->cell[row->n - 1].at[-1] == '\t');
    bs_put_bytes(w, tab ? "\t" : " ", 1);
}

/* A document mark gets the tag in its own last column. */
static void put_mark(bs_writing *w, const bs_corpus *c, const bs_row *row)
{
    const bs_cell *own = &row->cell[row->n - 1];
    if (c->tag_column && row->n > 1)
        bs_put_bytes(w, own->at, own->len);
    else
        bs_put(w, "O");
}

/* Words of a line become lines; empty lines stay. */
static void put_plain(const bs_corpus *c, int32_t s, const char *const *names, const int32_t *tag,
                      bs_writing *w)
{
    const char *p = c->text + c->piece[s], *end = c->text + c->piece[s + 1];
    for (bool words = false; p < end;) {
        if (*p == '\n') {
            bs_put(w, words ? "" : "\n");
            words = false;
        }
        if (*p == ' ' || *p == '\t' || bs_at_line_end(p, end)) {
            p++;
            continue;
        }
        words = true;
        const char *stop = bs_cell_end(p, c->text + c->text_len, false);
        put_range(w, p, stop);
        bs_put(w, " ");
        bs_put(w, *tag < 0 ? "_" : names[*tag]);
        bs_put(w, "\n");
        tag++;
        p = stop;
    }
    bs_put(w, "\n");
}

/* All items of MISC but its tag, then the new one. */
static void put_misc(const bs_cell *cell, const char *tag, bs_writing *w)
{
    static const char key[] = BS_MISC_KEY;
    const char       *p = cell->at, *end = p + cell->len;
    bool              some = false;
    while (p < end && !(cell->len == 1 && *p == '_')) {
        const char *stop = memchr(p, '|', (size_t)(end - p));
        stop = stop ? stop : end;
        if ((size_t)(stop - p) < sizeof key - 1 || memcmp(p, key, sizeof key - 1) != 0) {
            bs_put(w, some ? "|" : "");
            put_range(w, p, stop);
            some = true;
        }
        p = stop + (stop < end);
    }
    bs_put(w, some ? "|" : "");
    bs_put(w, key);
    bs_put(w, tag);
}

/* CoNLL-U has ten columns: the tag goes where tags are read from, or to the last column. */
static void put_conllu_line(const bs_corpus *c, const bs_row *row, const char *p,
                            const char *const *names, const int32_t **tag, bs_writing *w)
{
    const int      column = c->tag_column ? c->tag_column : BS_CONLLU_MISC;
    const bs_cell *cell = &row->cell[column - 1];
    if (row->kind != BS_LINE_TOKEN || row->n < column || **tag < 0) {
        *tag += row->kind == BS_LINE_TOKEN;
        put_range(w, p, row->next);
        return;
    }
    put_range(w, p, cell->at);
    /* Cells that were not tags are items, and are kept. */
    if (column == BS_CONLLU_MISC && (c->misc || !c->labelled))
        put_misc(cell, names[**tag], w);
    else
        bs_put(w, names[**tag]);
    put_range(w, cell->at + cell->len, row->next);
    ++*tag;
}

void bs_corpus_put(const bs_corpus *c, int32_t s, const char *const *names, const int32_t *tag,
                   bs_writing *w)
{
    const char *p = c->text + c->piece[s], *end = c->text + c->piece[s + 1];
    bs_cut      cut = bs_corpus_cut(c, s);
    bs_row      row;
    if (is_plain(c)) {
        put_plain(c, s, names, tag, w);
        return;
    }
    for (; p < end; p = row.next) {
        bs_row_scan(p, end, cut, &row);
        if (row.kind == BS_LINE_BLANK || row.kind == BS_LINE_COMMENT || row.n > BS_MOST_CELLS) {
            put_range(w, p, row.next);
            continue;
        }
        if (cut.conllu) {
            put_conllu_line(c, &row, p, names, &tag, w);
            continue;
        }
        const char *last = row.cell[row.n - 1].at + row.cell[row.n - 1].len;
        put_range(w, p, last);
        put_separator(w, cut, &row);
        if (row.kind == BS_LINE_TOKEN) {
            bs_put(w, *tag < 0 ? "_" : names[*tag]);
            tag++;
        } else {
            put_mark(w, c, &row);
        }
        put_range(w, last, row.next);
    }
}

/* --- other tags, all else as it was -------------------------------------- */

static void put_replaced(const bs_corpus *c, int32_t s, bs_writing *w)
{
    const char *p = c->text + c->piece[s], *end = c->text + c->piece[s + 1];
    int32_t     token = c->start[s];
    bs_row      row;
    for (; p < end; p = row.next) {
        bs_row_scan(p, end, bs_corpus_cut(c, s), &row);
        if (row.kind != BS_LINE_TOKEN) {
            put_range(w, p, row.next);
            continue;
        }
        const int32_t tag = c->tag[token++];
        const bs_cell cell = bs_corpus_tag_cell(c, &row);
        if (tag < 0) {
            put_range(w, p, row.next);
            continue;
        }
        put_range(w, p, cell.at);
        bs_put_name(w, &c->tags, tag);
        put_range(w, cell.at + cell.len, row.next);
    }
}

basin_status bs_corpus_write(const bs_corpus *c, const char *const *names, const int32_t *tag,
                             bs_sink sink, void *to, basin_error *err)
{
    const bool replace = c->labelled && c->tag_column > 0;
    bs_writing w;
    if (!bs_writing_open(&w, sink, to, err)) {
        if (c->bom)
            bs_put(&w, "\xef\xbb\xbf");
        if (c->sentences == 0) /* what follows the last sentence of a file */
            bs_put_bytes(&w, c->text, c->text_len);
        for (int32_t s = 0; s < c->sentences && !w.status; s++) {
            if (names)
                bs_corpus_put(c, s, names, tag + c->start[s], &w);
            else if (replace)
                put_replaced(c, s, &w);
            else
                put_range(&w, c->text + c->piece[s], c->text + c->piece[s + 1]);
        }
    }
    return bs_writing_close(&w);
}

/* --- another format ------------------------------------------------------- */

basin_status bs_own_tags_open(const bs_corpus *c, bool spans, bs_own_tags *out, basin_error *err)
{
    *out = (bs_own_tags){.t = {.c = c, .tag = c->tag}};
    if (!c->labelled)
        return BASIN_OK;
    out->t.names = out->names = bs_names_texts(&c->tags);
    basin_status s = out->names ? BASIN_OK : bs_fail_nomem(err);
    if (!s && spans) {
        s = bs_tagset_make(&c->tags, c->scheme, &out->set, err);
        out->t.span = bs_calloc((size_t)bs_longest_sentence(c), sizeof *out->t.span);
        out->t.set = &out->set;
        out->t.in_set = c->tag;
        if (!s && !out->t.span)
            s = bs_fail_nomem(err);
    }
    return s;
}

void bs_own_tags_close(bs_own_tags *t)
{
    bs_free(t->names);
    bs_tagset_free(&t->set);
    bs_free(t->t.span);
}

static basin_status check_target(const bs_tags_out *t, const bs_corpus_format *to, basin_error *err)
{
    if (!to->write)
        return bs_fail(err, BASIN_EARG, "format %s is a folder of files, not one", to->name);
    const bs_tags_out words = {.c = t->c};
    if (strcmp(to->name, "text") == 0 && bs_needs_tabs(&words))
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "text cannot hold this corpus: some words have blanks inside");
    return BASIN_OK;
}

basin_status bs_tags_write(const bs_tags_out *t, const bs_corpus_format *to, bs_sink sink,
                           void *where, basin_error *err)
{
    bs_writing   w;
    basin_status s = check_target(t, to, err);
    if (s)
        return s;
    if (!bs_writing_open(&w, sink, where, err)) {
        w.safe = t->safe;
        to->write(t, &w);
    }
    return bs_writing_close(&w);
}

static basin_status find_format(const char *format, const bs_corpus_format **out, basin_error *err)
{
    char names[256];
    *out = bs_corpus_format_find(format);
    if (*out)
        return BASIN_OK;
    bs_corpus_format_names(false, names);
    return bs_fail(err, BASIN_EARG, "format '%.40s' cannot be written; use %s", format, names);
}

basin_status bs_corpus_convert(const bs_corpus *c, const char *format, bs_sink sink, void *to,
                               basin_error *err)
{
    const bs_corpus_format *other;
    bs_own_tags             t;
    if (!format && !c->records)
        return bs_corpus_write(c, NULL, NULL, sink, to, err);
    basin_status s = find_format(format ? format : c->format, &other, err);
    if (s)
        return s;
    s = bs_own_tags_open(c, other->text || other->roles, &t, err);
    if (!s)
        s = bs_tags_write(&t.t, other, sink, to, err);
    bs_own_tags_close(&t);
    return s;
}

static basin_status to_output(void *to, const void *bytes, size_t n, basin_error *err)
{
    return bs_output_write(to, bytes, n, err);
}

const char *bs_corpus_format_of(const bs_corpus *c, const char *path, const char *format)
{
    const char *dot = strrchr(path, '.');
    const bool  json = format ? strcmp(format, "jsonl") == 0
                              : dot && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".json") == 0);
    if (json) /* texts stay texts */
        return c->roles.word ? "predicates" : c->first ? "spans" : "tokens";
    if (c->roles.word && !format)
        return dot && strcmp(dot, ".conll") == 0 ? "props" : NULL;
    if (format || !dot)
        return format;
    for (int i = 0; bs_corpus_formats[i]; i++)
        if (strcmp(dot, bs_corpus_formats[i]->ending) == 0 && strcmp(dot, ".txt") != 0)
            return bs_corpus_formats[i]->name;
    return NULL;
}

/* BRAT consists of several files in a folder. */
static basin_status save_folder(const bs_corpus *c, const char *path, basin_error *err)
{
    bs_own_tags  t;
    basin_status s = bs_own_tags_open(c, true, &t, err);
    if (!s)
        s = bs_brat_write(&t.t, path, err);
    bs_own_tags_close(&t);
    return s;
}

basin_status bs_corpus_save(const bs_corpus *c, const char *path, const char *format,
                            basin_error *err)
{
    bs_output   *out;
    basin_status s;
    format = bs_corpus_format_of(c, path, format);
    if (strcmp(format ? format : c->format, "brat") == 0)
        return save_folder(c, path, err);
    /* The same format is mirrored, not regenerated. */
    if (format && strcmp(format, c->format) == 0)
        format = NULL;
    s = bs_output_open(path, &out, err);
    if (s)
        return s;
    s = bs_corpus_convert(c, format, to_output, out, err);
    if (s) {
        bs_output_abort(out);
        return s;
    }
    return bs_output_commit(out, err);
}
