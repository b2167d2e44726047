/* fuzz_token.h -- tokenisers from any bytes, and any text in their hands. */
#ifndef FUZZ_TOKEN_H
#define FUZZ_TOKEN_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "token/json.h"

#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

/* Pieces are in the text, in its order, and at most as many as were asked for. */
static inline void fuzz_pieces(const bs_tokenizer *t, const bs_pieces *p, size_t len, int most)
{
    MUST(!most || p->n <= most);
    MUST(most || !p->cut);
    int32_t end = 0;
    for (int32_t i = 0; i < p->n; i++) {
        const bs_piece_place *at = &p->place[i];
        MUST(p->id[i] >= 0 && p->id[i] < bs_tokenizer_count(t));
        MUST(at->first_byte >= 0 && at->first_byte <= at->end_byte && at->end_byte <= (int)len);
        MUST(at->first >= 0 && at->first <= at->end);
        if (at->word < 0)
            continue;
        MUST(at->end_byte >= end);
        end = at->end_byte;
    }
}

static inline void fuzz_encode(const bs_tokenizer *t, const uint8_t *data, size_t size)
{
    bs_pieces all = {0}, some = {0};
    for (int special = 0; special < 2; special++) {
        const bs_token_options whole = {.special = special}, cut = {.most = 12, .special = special};
        MUST(bs_token_text(t, (const char *)data, size, &whole, &all, NULL) == BASIN_OK);
        fuzz_pieces(t, &all, size, 0);
        if (bs_token_text(t, (const char *)data, size, &cut, &some, NULL))
            continue;
        fuzz_pieces(t, &some, size, 12);
        MUST(some.cut == (all.n > 12));
        for (int32_t i = 0; i < some.n && all.n <= 12; i++)
            MUST(some.id[i] == all.id[i]);
    }
    bs_pieces_free(&all);
    bs_pieces_free(&some);
}

/* What was made is written, reads as the same, and cuts texts. */
static inline void fuzz_made(bs_tokenizer *t, basin_status s, const basin_error *err,
                             const uint8_t *data, size_t size)
{
    bs_tokenizer *again;
    bs_buf        one, two;
    MUST(!s == !!t);
    if (!t) {
        MUST(err->status && err->msg[0] && !strchr(err->msg, '\n'));
        return;
    }
    bs_buf_init(&one, (size_t)1 << 30);
    bs_buf_init(&two, (size_t)1 << 30);
    bs_tokenizer_write(t, &one);
    MUST(bs_tokenizer_read("again", one.data, one.len, &again, NULL) == BASIN_OK);
    bs_tokenizer_write(again, &two);
    MUST(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
    fuzz_encode(again, data, size);
    bs_tokenizer_free(again);
    bs_tokenizer_free(t);
    bs_buf_free(&one);
    bs_buf_free(&two);
}

/* As tokenizer.json, as what a model keeps, as vocab.txt. */
static inline void fuzz_tokenizer(const uint8_t *data, size_t size)
{
    const long    live = bs_mem_live();
    const char   *text = (const char *)data;
    basin_error   err = {0};
    bs_tokenizer *t;
    basin_status  s = bs_tokenizer_json("json", text, size, &t, &err);
    fuzz_made(t, s, &err, data, size);
    s = bs_tokenizer_read("stored", text, size, &t, &err);
    fuzz_made(t, s, &err, data, size);

    bs_buf  lines;
    json_t *config = json_object();
    bs_buf_init(&lines, size + 1);
    bs_buf_add(&lines, text, size);
    s = bs_token_from_lines("lines", &lines, config, &t, &err);
    fuzz_made(t, s, &err, data, size);
    json_decref(config);
    bs_buf_free(&lines);
    MUST(bs_mem_live() == live);
}

#endif
