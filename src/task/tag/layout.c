/* layout.c -- fills the arrays of a batch of sentences, in the layout of the task's leaves. */
#include <string.h>

#include "task/tag/data.h"

int32_t bs_tag_rounded(int32_t length)
{
    int32_t step = 1;
    while (step * 16 < length)
        step *= 2;
    return length < 1 ? 1 : (length + step - 1) / step * step;
}

int32_t bs_tag_fitting(const int32_t *start, const int32_t *index, int32_t n, int32_t most)
{
    int32_t longest = 0, k = 0;
    for (; k < n && k < most; k++) {
        int32_t length = bs_tag_rounded(start[index[k] + 1] - start[index[k]]);
        longest = length > longest ? length : longest;
        if (k > 0 && (int64_t)longest * (k + 1) > BS_TAG_POSITIONS)
            break;
    }
    return k;
}

void bs_tag_batch_free(bs_tag_batch *b)
{
    void *all[] = {b->word,    b->len,  b->ended,   b->column, b->letter,
                   b->letters, b->mask, b->present, b->gold};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bs_free(all[i]);
    *b = (bs_tag_batch){0};
}

static bool make_room(bs_tag_batch *b)
{
    const bs_tag_shape *s = b->shape;
    b->word = bs_calloc(b->cells, sizeof *b->word);
    b->mask = bs_calloc(b->cells, sizeof *b->mask);
    b->len = bs_calloc(b->rows, sizeof *b->len);
    b->ended = bs_calloc(b->rows, sizeof *b->ended);
    b->column = bs_calloc(b->cells * (size_t)s->columns + 1, sizeof *b->column);
    bool ok = b->word && b->mask && b->len && b->ended && b->column;
    if (ok && b->with_gold)
        ok = (b->gold = bs_calloc(b->cells * (size_t)s->tags, sizeof *b->gold)) != NULL;
    if (!ok || s->chars == BS_CHARS_NONE)
        return ok;
    b->letter = bs_calloc(b->cells * b->width, sizeof *b->letter);
    b->present = bs_calloc(b->cells * b->width, sizeof *b->present);
    b->letters = bs_calloc(b->cells, sizeof *b->letters);
    return b->letter && b->present && b->letters;
}

basin_status bs_tag_batch_reserve(bs_tag_batch *b, const bs_tag_shape *shape, size_t cells,
                                  size_t rows, size_t width, bool gold, basin_error *err)
{
    if (b->shape && cells <= b->cells && rows <= b->rows && width <= b->width)
        return BASIN_OK;
    bs_tag_batch bigger = {.shape = shape,
                           .with_gold = gold,
                           .cells = cells > b->cells ? cells : b->cells,
                           .rows = rows > b->rows ? rows : b->rows,
                           .width = width > b->width ? width : b->width};
    bs_tag_batch_free(b);
    *b = bigger;
    if (make_room(b))
        return BASIN_OK;
    bs_tag_batch_free(b);
    return bs_fail_nomem(err);
}

void bs_tag_batch_begin(bs_tag_batch *b, bs_size s)
{
    const size_t cells = (size_t)s.rows * (size_t)s.length, B = (size_t)s.rows;
    b->batch = (bs_batch){
        .size = s,
        .x = {b->word, b->len, b->mask, b->column, b->letter, b->letters, b->present, b->ended},
        .gold = b->gold};
    memset(b->word, 0, cells * sizeof *b->word);
    memset(b->mask, 0, cells * sizeof *b->mask);
    memset(b->len, 0, B * sizeof *b->len);
    for (size_t i = 0; i < B; i++)
        b->ended[i] = 1;
    memset(b->column, 0xff, cells * (size_t)b->shape->columns * sizeof *b->column);
    if (b->gold)
        memset(b->gold, 0, cells * (size_t)b->shape->tags * sizeof *b->gold);
    if (b->shape->chars == BS_CHARS_NONE)
        return;
    memset(b->letters, 0, cells * sizeof *b->letters);
    memset(b->letter, 0xff, cells * (size_t)s.width * sizeof *b->letter);
    memset(b->present, 0, cells * (size_t)s.width * sizeof *b->present);
}

void bs_tag_batch_sentence(bs_tag_batch *b, int row, int32_t n)
{
    b->len[row] = n;
    b->ended[row] = n + 1;
}

/* Where the LSTM expects it: all sentences of one time step together. */
static size_t place(const bs_tag_batch *b, int row, int t)
{
    return (size_t)t * (size_t)b->batch.size.rows + (size_t)row;
}

void bs_tag_batch_word(bs_tag_batch *b, int row, int t, int32_t word)
{
    b->word[place(b, row, t)] = word;
    b->mask[(size_t)row * (size_t)b->batch.size.length + (size_t)t] = 1;
}

void bs_tag_batch_value(bs_tag_batch *b, int row, int t, int column, int32_t value)
{
    const size_t plane = (size_t)b->batch.size.length * (size_t)b->batch.size.rows;
    b->column[(size_t)column * plane + place(b, row, t)] = value;
}

void bs_tag_batch_letters(bs_tag_batch *b, int row, int t, const int32_t *id, int32_t n)
{
    const size_t C = (size_t)b->batch.size.width, at = place(b, row, t);
    n = n < (int32_t)C ? n : (int32_t)C;
    b->letters[at] = n;
    for (size_t i = 0; i < (size_t)n; i++) {
        b->letter[at * C + i] = id[i];
        b->present[at * C + i] = 1;
    }
}

void bs_tag_batch_tag(bs_tag_batch *b, int row, int t, int32_t tag)
{
    const size_t at = (size_t)row * (size_t)b->batch.size.length + (size_t)t;
    if (tag >= 0)
        b->gold[at * (size_t)b->shape->tags + (size_t)tag] = 1;
}
