/* fuzz_sentences.h -- any bytes are read as sentences or refused; what was read can be written. */
#ifndef FUZZ_SENTENCES_H
#define FUZZ_SENTENCES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/text/corpus.h"
#include "data/text/brat.h"
#include "data/text/retag.h"
#include "data/text/tokenise.h"

static inline basin_status fuzz_sink(void *to, const void *bytes, size_t n, basin_error *err)
{
    (void)err;
    bs_buf_add(to, bytes, n);
    return BASIN_OK;
}

static inline void fuzz_sound(const bs_corpus *c)
{
    if (c->start[0] != 0 || c->start[c->sentences] != c->tokens || c->piece[0] != 0 ||
        c->piece[c->sentences] != c->text_len)
        abort();
    for (int32_t s = 0; s < c->sentences; s++)
        if (c->start[s + 1] <= c->start[s] || c->piece[s + 1] <= c->piece[s])
            abort();
    for (int32_t t = 0; t < c->tokens; t++) {
        if (c->word[t] < 0 || c->word[t] >= c->words.n || c->tag[t] < -1 || c->tag[t] >= c->tags.n)
            abort();
        for (int k = 0; k < c->columns; k++)
            if (c->feature[k][t] < 0 || c->feature[k][t] >= c->value[k].n)
                abort();
    }
}

/* Tags as the file has them, and in another scheme. */
static inline void fuzz_retag(const bs_corpus *c)
{
    basin_error err;
    bs_retagged r;
    int32_t    *tag = bs_alloc(((size_t)c->tokens + 1) * sizeof *tag);
    bs_scheme   to = c->scheme == BS_SCHEME_RAW ? BS_SCHEME_RAW : BS_SCHEME_IOB1;
    char        shown[48];
    if (bs_retag(&c->tags, c->scheme, to, c, c->tag, &r, &err) ||
        bs_corpus_file_tags(c, &r.names, tag, &err))
        abort();
    for (int32_t t = 0; t < c->tokens; t++)
        if (r.tag[t] < -1 || r.tag[t] >= r.names.n || tag[t] < -1 || tag[t] >= r.names.n ||
            (c->tag[t] >= 0 && tag[t] < 0))
            abort();
    if (strlen(bs_corpus_file_tag(c, c->tokens - 1, shown)) >= sizeof shown)
        abort();
    bs_retagged_free(&r);
    bs_free(tag);
}

/* Words stand in the texts where their characters are said to be, in order. */
static inline void fuzz_places(const bs_corpus *c)
{
    if (c->records &&
        (c->record[0].sentence != 0 || c->record[c->records].sentence != c->sentences))
        abort();
    for (int32_t k = 0; k < c->records; k++) {
        const bs_record *r = &c->record[k];
        if (r[1].sentence < r->sentence || !r->text != !c->first)
            abort();
        const int32_t end = c->start[r[1].sentence];
        const size_t  most = r->text ? bs_count_characters(r->text, r->len) : 0;
        int32_t       last = 0;
        for (int32_t t = c->start[r->sentence]; c->first && t < end; t++) {
            if (c->first[t] < last || c->last[t] <= c->first[t] || (size_t)c->last[t] > most)
                abort();
            last = c->last[t];
        }
    }
}

static inline void fuzz_write(const bs_corpus *c, bool keep)
{
    static const char *const formats[] = {NULL,  "conll",  "conllu", "text",
                                          "raw", "tokens", "spans",  "csv"};
    basin_error              err;
    bs_buf                   out, json;
    bs_corpus               *part;
    const char             **names = bs_alloc(((size_t)c->tags.n + 1) * sizeof *names);
    int32_t                  last = c->sentences - 1;
    bs_buf_init(&out, 1 << 26);
    bs_buf_init(&json, 1 << 26);
    for (int i = 0; i < 8; i++) {
        bs_buf_clear(&out);
        if (bs_corpus_convert(c, formats[i], fuzz_sink, &out, &err))
            continue;
        /* Tags as they were: so is everything else. */
        size_t bom = c->bom ? 3 : 0;
        if (i == 0 && keep && !c->records &&
            (out.len != c->text_len + bom || memcmp(out.data + bom, c->text, c->text_len) != 0))
            abort();
    }
    for (int32_t k = 0; k < c->tags.n; k++)
        names[k] = c->tags.item[k].text;
    bs_buf_clear(&out);
    if (bs_corpus_write(c, names, c->tag, fuzz_sink, &out, &err) ||
        (strcmp(c->format, "conll") == 0 && out.len < c->text_len + 2 * (size_t)c->tokens))
        abort();
    fuzz_retag(c);
    bs_buf_clear(&out);
    if (bs_corpus_describe(c, c, NULL, &out, &json, &err))
        abort();
    if (bs_corpus_select(c, &last, 1, &part, &err))
        abort();
    fuzz_sound(part);
    fuzz_places(part);
    bs_corpus_free(part);
    bs_free(names);
    bs_buf_free(&out);
    bs_buf_free(&json);
}

/* The first byte chooses among options, the rest is the file. */
static inline void fuzz_corpus(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"auto", "conll", "conllu", "text"};
    static const char *const to[] = {"auto", "keep", "iob2", "raw"};
    if (size == 0)
        return;
    bs_corpus_options o = bs_corpus_options_default();
    bs_corpus        *c = NULL;
    bs_notes          notes;
    bs_input         *in;
    basin_error       err;
    strcpy(o.format, formats[data[0] & 3]);
    strcpy(o.to, to[data[0] >> 2 & 3]);
    strcpy(o.feature_columns, data[0] & 32 ? "all" : "auto");
    o.label_free = data[0] & 64;
    o.columns = data[0] & 64 ? data[0] >> 4 & 3 : 0; /* as a model knows them */
    o.spans = data[0] & 64;
    strcpy(o.tag_column, data[0] & 128 ? "2" : "auto");
    bs_notes_init(&notes);
    if (!bs_input_memory("fuzz", data + 1, size - 1, &in, &err)) {
        bs_corpus_sniff((const char *)data + 1, size - 1, "");
        if (!bs_corpus_read_input(in, &o, &c, &notes, &err)) {
            fuzz_sound(c);
            fuzz_write(c, strcmp(o.to, "keep") == 0 && !(data[0] & 16));
        } else if (!err.msg[0]) {
            abort();
        }
        bs_input_close(in);
    }
    bs_corpus_free(c);
    bs_notes_free(&notes);
    if (bs_mem_live() != 0)
        abort();
}

static inline bs_corpus_options fuzz_row_options(uint8_t byte)
{
    static const char *const formats[] = {"auto", "tokens", "spans", "csv"};
    bs_corpus_options        o = bs_corpus_options_default();
    strcpy(o.format, formats[byte & 3]);
    strcpy(o.to, byte & 4 ? "keep" : "auto");
    strcpy(o.feature_columns, byte & 8 ? "none" : "auto");
    strcpy(o.tag_column, byte & 16 ? "pos_tags" : byte & 32 ? "none" : "auto");
    strcpy(o.tag_names, byte & 64 ? "O,B-X,I-X,B-Y" : "");
    strcpy(o.tokens, byte & 16 ? "rules" : "auto");
    o.label_free = byte & (32 | 128);
    return o;
}

static inline void fuzz_check(basin_status s, bs_corpus *c, const basin_error *err)
{
    if (!s) {
        fuzz_sound(c);
        fuzz_places(c);
        fuzz_write(c, false);
    } else if (!err->msg[0] || c) {
        abort();
    }
    bs_corpus_free(c);
}

/* JSON rows and tables; the first byte chooses among options. */
static inline void fuzz_rows(const uint8_t *data, size_t size)
{
    bs_corpus  *c = NULL;
    bs_notes    notes;
    bs_input   *in;
    basin_error err = {0};
    if (size == 0)
        return;
    const bs_corpus_options o = fuzz_row_options(data[0]);
    bs_notes_init(&notes);
    if (!bs_input_memory("fuzz", data + 1, size - 1, &in, &err)) {
        bs_corpus_sniff((const char *)data + 1, size - 1, "");
        const basin_status s = bs_corpus_read_input(in, &o, &c, &notes, &err);
        fuzz_check(s, c, &err);
        bs_input_close(in);
    }
    bs_notes_free(&notes);
    if (bs_mem_live() != 0)
        abort();
}

/* A text and its marks, between which a NUL stands. */
static inline void fuzz_brat(const uint8_t *data, size_t size)
{
    const uint8_t *cut = size ? memchr(data + 1, 0, size - 1) : NULL;
    bs_corpus     *c = NULL;
    bs_notes       notes;
    basin_error    err = {0};
    if (size == 0)
        return;
    const bs_corpus_options o = fuzz_row_options(data[0] & 0xe4);
    const uint8_t          *end = data + size, *text = data + 1;
    const bs_brat_pair      pair = {.text = (const char *)text,
                                    .len = (size_t)((cut ? cut : end) - text),
                                    .marks = cut ? (const char *)cut + 1 : NULL,
                                    .n = cut ? (size_t)(end - cut - 1) : 0};
    bs_notes_init(&notes);
    const basin_status s = bs_brat_read(&pair, &o, &c, &notes, &err);
    fuzz_check(s, c, &err);
    bs_notes_free(&notes);
    if (bs_mem_live() != 0)
        abort();
}

#endif
