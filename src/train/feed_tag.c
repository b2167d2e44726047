/* feed_tag.c -- sentences as batches.
 *
 * Every distinct word, feature value and tag is looked up once; a batch only copies numbers.
 * Sentences of similar length go together, and their length is rounded up, so that few programs
 * serve all of them. */
#include <stdlib.h>
#include <string.h>

#include "train/kind_tag.h"

/* WINDOW batches are sorted together; a batch has at most POSITIONS words with its padding, unless
 * it is a single sentence. */
enum { WINDOW = 32, POSITIONS = 8192 };

typedef struct {
    bs_feed             base;
    const bs_corpus    *c;
    const bs_lexicon   *l;
    const bs_tag_shape *shape;
    int32_t             most;
    bool                pads_rows; /* to a power of two */
    double              unknown;   /* share of words seen once that are fed as unknown */
    uint64_t            salt;      /* which of them, in this epoch */

    /* of distinct texts */
    int32_t *row;                        /* of words */
    int32_t *value[BS_LEXICON_COLUMNS];  /* of values, or of words */
    int32_t  offset[BS_LEXICON_COLUMNS]; /* of a column in the common table */
    int32_t *letter, *letters;           /* [words, max_characters], [words] */
    int32_t *tag;

    bs_batch  batch;
    int32_t  *word_in, *len_in, *ended_in, *column_in, *letter_in, *letters_in;
    real     *mask_in, *present_in, *gold_in;
    uint64_t *key; /* [sentences], to sort by */
} feed;

static int32_t length_of(const bs_corpus *c, int32_t sentence)
{
    return c->start[sentence + 1] - c->start[sentence];
}

/* 1, 2, 4, ... 16, 20, ... 64, 72, ...: at most an eighth too long. */
static int32_t rounded(int32_t length)
{
    int32_t step = 1;
    while (step * 16 < length)
        step *= 2;
    return length < 1 ? 1 : (length + step - 1) / step * step;
}

/* ---- order ---- */

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts order[0 .. n) by length; equal lengths keep their order. */
static void sort_by_length(const bs_corpus *c, int32_t *order, int32_t n, uint64_t *key,
                           int32_t *copy)
{
    memcpy(copy, order, (size_t)n * sizeof *copy);
    for (int32_t i = 0; i < n; i++)
        key[i] = (uint64_t)length_of(c, copy[i]) << 32 | (uint32_t)i;
    qsort(key, (size_t)n, sizeof *key, by_key);
    for (int32_t i = 0; i < n; i++)
        order[i] = copy[key[i] & UINT32_MAX];
}

basin_status bs_tag_by_length(const bs_corpus *c, int32_t *order, basin_error *err)
{
    const size_t n = (size_t)c->sentences + 1;
    uint64_t    *key = bs_calloc(n, sizeof *key);
    int32_t     *copy = bs_calloc(n, sizeof *copy);
    bool         ok = key && copy;
    for (int32_t i = 0; i < c->sentences; i++)
        order[i] = i;
    if (ok)
        sort_by_length(c, order, c->sentences, key, copy);
    bs_free(key);
    bs_free(copy);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

/* Random, then sorted within windows, then whole batches in random order; what does not fill a
 * batch comes last. The second half of key is room for two copies. */
static void order_rows(bs_feed *base, bs_rng *rng, int32_t *order)
{
    feed         *f = (feed *)base;
    const int32_t n = f->c->sentences, window = WINDOW * f->most, batches = n / f->most;
    int32_t      *copy = (int32_t *)(f->key + n), *turn = copy + n;
    bs_rng_permutation(rng, order, n);
    for (int32_t first = 0; first < n; first += window)
        sort_by_length(f->c, order + first, n - first < window ? n - first : window, f->key, copy);
    memcpy(copy, order, (size_t)n * sizeof *copy);
    bs_rng_permutation(rng, turn, batches);
    for (int32_t i = 0; i < batches; i++)
        memcpy(order + (size_t)i * (size_t)f->most, copy + (size_t)turn[i] * (size_t)f->most,
               (size_t)f->most * sizeof *order);
    f->salt = bs_rng_bits(rng);
}

static int32_t fitting(bs_feed *base, const int32_t *index, int32_t n)
{
    feed   *f = (feed *)base;
    int32_t longest = 0, k = 0;
    for (; k < n && k < f->most; k++) {
        int32_t length = rounded(length_of(f->c, index[k]));
        longest = length > longest ? length : longest;
        if (k > 0 && (int64_t)longest * (k + 1) > POSITIONS)
            break;
    }
    return k;
}

/* ---- copying ---- */

/* The same for a token however batches are made. */
static bool left_out(const feed *f, int32_t token, int32_t row)
{
    if (f->unknown <= 0 || row >= f->l->n_trained || !f->l->singleton[row])
        return false;
    bs_rng rng = bs_rng_make(f->salt, (uint64_t)token, 0);
    return bs_rng_uniform(&rng) < f->unknown;
}

static void copy_letters(feed *f, int32_t text, size_t at, int C)
{
    const int32_t  n = f->letters[text] < C ? f->letters[text] : C;
    const int32_t *from = f->letter + (size_t)text * (size_t)f->l->max_characters;
    f->letters_in[at] = n;
    for (int32_t i = 0; i < n; i++) {
        f->letter_in[at * (size_t)C + (size_t)i] = from[i];
        f->present_in[at * (size_t)C + (size_t)i] = 1;
    }
}

static void copy_token(feed *f, int32_t token, int t, int b, int T, int B, int C)
{
    const int32_t text = f->c->word[token], row = f->row[text];
    const size_t  at = (size_t)t * (size_t)B + (size_t)b;
    f->word_in[at] = left_out(f, token, row) ? 0 : row;
    f->mask_in[(size_t)b * (size_t)T + (size_t)t] = 1;
    for (int k = 0; k < f->l->columns; k++) {
        int     source = f->l->column_source[k];
        int32_t id = f->value[k][source < 0 ? text : f->c->feature[source][token]];
        f->column_in[(size_t)k * (size_t)T * (size_t)B + at] = f->offset[k] + id;
    }
    if (f->shape->chars != BS_CHARS_NONE)
        copy_letters(f, text, at, C);
}

static void copy_sentence(feed *f, int32_t sentence, int b, int T, int B, int C)
{
    const int32_t first = f->c->start[sentence], n = length_of(f->c, sentence);
    const size_t  N = (size_t)f->shape->tags;
    f->len_in[b] = n;
    f->ended_in[b] = n + 1;
    for (int32_t t = 0; t < n; t++) {
        int32_t tag = f->c->labelled ? f->c->tag[first + t] : -1;
        copy_token(f, first + t, t, b, T, B, C);
        tag = tag >= 0 ? f->tag[tag] : -1;
        if (tag >= 0)
            f->gold_in[((size_t)b * (size_t)T + (size_t)t) * N + (size_t)tag] = 1;
    }
}

/* Of the longest sentence, and of the longest word where characters are read. */
static bs_size size_of(const feed *f, const int32_t *index, int32_t n)
{
    bs_size s = {1, 1, 1};
    for (int32_t i = 0; i < n; i++) {
        int32_t length = length_of(f->c, index[i]);
        s.length = length > s.length ? length : s.length;
        for (int32_t t = 0; t < length && f->shape->chars != BS_CHARS_NONE; t++) {
            int32_t letters = f->letters[f->c->word[f->c->start[index[i]] + t]];
            s.width = letters > s.width ? letters : s.width;
        }
    }
    s.length = rounded(s.length);
    s.width = f->shape->chars != BS_CHARS_NONE ? (s.width + 3) / 4 * 4 : 1;
    if (f->pads_rows)
        while (s.rows < n)
            s.rows *= 2;
    else
        s.rows = n;
    return s;
}

static void clear(feed *f, bs_size s)
{
    const size_t cells = (size_t)s.rows * (size_t)s.length, B = (size_t)s.rows;
    memset(f->word_in, 0, cells * sizeof *f->word_in);
    memset(f->mask_in, 0, cells * sizeof *f->mask_in);
    memset(f->gold_in, 0, cells * (size_t)f->shape->tags * sizeof *f->gold_in);
    memset(f->len_in, 0, B * sizeof *f->len_in);
    for (size_t i = 0; i < B; i++)
        f->ended_in[i] = 1;
    memset(f->column_in, 0xff, cells * (size_t)f->l->columns * sizeof *f->column_in);
    if (f->shape->chars == BS_CHARS_NONE)
        return;
    memset(f->letters_in, 0, cells * sizeof *f->letters_in);
    memset(f->letter_in, 0xff, cells * (size_t)s.width * sizeof *f->letter_in);
    memset(f->present_in, 0, cells * (size_t)s.width * sizeof *f->present_in);
}

static const bs_batch *take_rows(bs_feed *base, const int32_t *index, int32_t n)
{
    feed   *f = (feed *)base;
    bs_size s = size_of(f, index, n);
    clear(f, s);
    for (int32_t i = 0; i < n; i++)
        copy_sentence(f, index[i], i, s.length, s.rows, s.width);
    f->batch = (bs_batch){.size = s,
                          .x = {f->word_in, f->len_in, f->mask_in, f->column_in, f->letter_in,
                                f->letters_in, f->present_in, f->ended_in},
                          .gold = f->gold_in};
    return &f->batch;
}

/* ---- making ---- */

static void free_feed(bs_feed *base)
{
    feed *f = (feed *)base;
    void *all[] = {f->row,     f->letter,     f->letters,   f->tag,       f->word_in,
                   f->len_in,  f->ended_in,   f->column_in, f->letter_in, f->letters_in,
                   f->mask_in, f->present_in, f->gold_in,   f->key};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bs_free(all[i]);
    for (int i = 0; i < BS_LEXICON_COLUMNS; i++)
        bs_free(f->value[i]);
    bs_free(f);
}

static bool look_up(feed *f)
{
    const bs_corpus  *c = f->c;
    const bs_lexicon *l = f->l;
    const size_t      words = (size_t)c->words.n + 1;
    int32_t           offset = 0;
    f->row = bs_calloc(words, sizeof *f->row);
    f->tag = bs_calloc((size_t)c->tags.n + 1, sizeof *f->tag);
    if (!f->row || !f->tag)
        return false;
    bs_lexicon_words(l, &c->words, f->row);
    bs_lexicon_tags(l, &c->tags, f->tag);
    for (int i = 0; i < l->columns; i++) {
        const bs_names *texts =
            l->column_source[i] < 0 ? &c->words : &c->value[l->column_source[i]];
        f->value[i] = bs_calloc((size_t)texts->n + 1, sizeof *f->value[i]);
        if (!f->value[i])
            return false;
        bs_lexicon_column(l, i, texts, f->value[i]);
        f->offset[i] = offset;
        offset += l->value[i].n;
    }
    if (f->shape->chars == BS_CHARS_NONE)
        return true;
    f->letter = bs_calloc(words * (size_t)l->max_characters, sizeof *f->letter);
    f->letters = bs_calloc(words, sizeof *f->letters);
    if (f->letter && f->letters)
        bs_lexicon_characters(l, &c->words, f->letter, f->letters);
    return f->letter && f->letters;
}

static bool make_room(feed *f)
{
    size_t cells = POSITIONS, rows = 1, C = 1;
    for (int32_t i = 0; i < f->c->sentences; i++) {
        size_t length = (size_t)rounded(length_of(f->c, i));
        cells = length > cells ? length : cells;
    }
    while (rows < (size_t)f->most)
        rows *= 2;
    cells = 2 * cells + rows; /* rows may be padded */
    for (int32_t i = 0; i < f->c->words.n && f->letters; i++)
        C = (size_t)f->letters[i] > C ? (size_t)f->letters[i] : C;
    C = (C + 3) / 4 * 4;
    f->word_in = bs_calloc(cells, sizeof *f->word_in);
    f->mask_in = bs_calloc(cells, sizeof *f->mask_in);
    f->gold_in = bs_calloc(cells * (size_t)f->shape->tags, sizeof *f->gold_in);
    f->len_in = bs_calloc(rows, sizeof *f->len_in);
    f->ended_in = bs_calloc(rows, sizeof *f->ended_in);
    f->column_in = bs_calloc(cells * (size_t)f->l->columns + 1, sizeof *f->column_in);
    f->key = bs_calloc(2 * (size_t)f->c->sentences + 2, sizeof *f->key);
    bool ok = f->word_in && f->mask_in && f->gold_in && f->len_in && f->ended_in && f->column_in &&
              f->key;
    if (!ok || !f->letters)
        return ok;
    f->letter_in = bs_calloc(cells * C, sizeof *f->letter_in);
    f->present_in = bs_calloc(cells * C, sizeof *f->present_in);
    f->letters_in = bs_calloc(cells, sizeof *f->letters_in);
    return f->letter_in && f->present_in && f->letters_in;
}

static basin_status make(const bs_part *p, const bs_known *k, const bs_spec *spec, int32_t most,
                         feed **out, basin_error *err)
{
    feed *f = bs_calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    f->base = (bs_feed){order_rows, fitting, take_rows, free_feed};
    f->c = p->tag;
    f->l = &k->tag;
    f->shape = &spec->tag;
    f->most = most;
    if (!look_up(f) || !make_room(f)) {
        free_feed(&f->base);
        return bs_fail_nomem(err);
    }
    *out = f;
    return BASIN_OK;
}

basin_status bs_feed_tag(const bs_part *p, const bs_known *k, const bs_spec *spec,
                         const bs_train_options *o, bs_feed **out, basin_error *err)
{
    feed        *f;
    basin_status s = make(p, k, spec, o->batch, &f, err);
    *out = f ? &f->base : NULL;
    if (f)
        f->unknown = k->unknown;
    return s;
}

basin_status bs_feed_tag_all(const bs_part *p, const bs_known *k, const bs_spec *spec, int32_t most,
                             bs_feed **out, basin_error *err)
{
    feed        *f;
    basin_status s = make(p, k, spec, most, &f, err);
    *out = f ? &f->base : NULL;
    if (f)
        f->pads_rows = true;
    return s;
}
