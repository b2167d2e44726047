/* batch.c -- sentences as batches.
 *
 * Every distinct word, feature value and tag is looked up once; making a batch only copies numbers.
 * Sentences of similar length are batched together, and lengths are rounded up, so that few
 * programs serve all of them. */
#include <stdlib.h>
#include <string.h>

#include "task/tag/data.h"

enum { WINDOW = 32 }; /* batches sorted together */

/* Words of all samples of a batch, unless it is a single sentence: samples of a step are all in
 * memory. */
enum { SAMPLED = 32 * BS_TAG_POSITIONS };

typedef struct {
    bs_batches          base;
    const bs_corpus    *c;
    const bs_lexicon   *l;
    const bs_tag_shape *shape;
    int32_t             most;
    int64_t             samples;    /* of each sentence */
    bool                pads_rows;  /* round rows up to a power of two */
    double              unknown;    /* share of singletons fed as the unknown word */
    uint64_t            salt;       /* decides which ones, in this epoch */
    int32_t             unlabelled; /* sentences, the last ones */
    const float        *soft;       /* [tokens of these, tags] */
    uint8_t            *often;      /* [trained rows], 1: also in unlabelled sentences */

    /* of distinct texts */
    int32_t *row;                        /* of words */
    int32_t *value[BS_LEXICON_COLUMNS];  /* of values, or of words */
    int32_t  offset[BS_LEXICON_COLUMNS]; /* offset of a column in the common table */
    int32_t *letter, *letters;           /* [words, max_characters], [words] */
    int32_t *tag;

    bs_tag_batch batch;
    uint64_t    *key;  /* [sentences], sort keys */
    int32_t     *pick; /* [unlabelled], which of them are in an epoch */
} feed;

static int32_t length_of(const bs_corpus *c, int32_t sentence)
{
    return c->start[sentence + 1] - c->start[sentence];
}

/* ---- order ---- */

/* All labelled sentences and a share of the others. A sentence's weight is how often it occurs, not
 * a factor on its truth: a y whose tokens do not sum to 1 is not an output, and what methods
 * compare with the truth (samples, a partition function) would keep its full weight. */
static void draw_rows(feed *f, bs_rng *rng, int32_t *order)
{
    const int32_t n = f->base.epoch, labelled = f->c->sentences - f->unlabelled;
    if (n < f->c->sentences)
        bs_rng_permutation(rng, f->pick, f->unlabelled);
    bs_rng_permutation(rng, order, n);
    for (int32_t i = 0; i < n && n < f->c->sentences; i++)
        if (order[i] >= labelled)
            order[i] = labelled + f->pick[order[i] - labelled];
}

static void order_rows(bs_batches *base, bs_rng *rng, int32_t *order)
{
    feed         *f = (feed *)base;
    const int32_t n = f->base.epoch;
    f->salt = bs_rng_bits(rng); /* first, while nothing depends on the size of batches */
    draw_rows(f, rng, order);
    bs_shuffle_by_length(f->c->start, n, rng, f->most, WINDOW, order, f->key);
}

static int32_t fitting(bs_batches *base, const int32_t *index, int32_t n)
{
    const feed   *f = (const feed *)base;
    const int32_t fit = bs_tag_fitting(f->c->start, index, n, f->most);
    int32_t       longest = 0, k = 0;
    for (; k < fit; k++) {
        const int32_t length = bs_tag_rounded(length_of(f->c, index[k]));
        longest = length > longest ? length : longest;
        if (k > 0 && longest * (k + 1) * f->samples > SAMPLED)
            break;
    }
    return k;
}

/* ---- copying ---- */

/* The same for a token however batches are formed. */
static bool left_out(const feed *f, int32_t token, int32_t row)
{
    if (f->unknown <= 0 || row < f->l->n_repeated || row >= f->l->n_trained)
        return false;
    if (f->often && f->often[row])
        return false;
    bs_rng rng = bs_rng_make(f->salt, (uint64_t)token, 0);
    return bs_rng_uniform(&rng) < f->unknown;
}

static void copy_token(feed *f, int32_t token, int b, int t)
{
    const int32_t text = f->c->word[token], row = f->row[text];
    bs_tag_batch_word(&f->batch, b, t, left_out(f, token, row) ? 0 : row);
    for (int k = 0; k < f->l->columns; k++) {
        int     source = f->l->column_source[k];
        int32_t id = f->value[k][source < 0 ? text : f->c->feature[source][token]];
        bs_tag_batch_value(&f->batch, b, t, k, f->offset[k] + id);
    }
    if (f->shape->chars != BS_CHARS_NONE)
        bs_tag_batch_letters(&f->batch, b, t,
                             f->letter + (size_t)text * (size_t)f->l->max_characters,
                             f->letters[text]);
}

/* The tag probabilities that rules give to an unlabelled sentence. */
static void copy_soft(feed *f, int32_t sentence, int b)
{
    const size_t  N = (size_t)f->shape->tags, T = (size_t)f->batch.batch.size.length;
    const int32_t labelled = f->c->start[f->c->sentences - f->unlabelled];
    const size_t  from = (size_t)(f->c->start[sentence] - labelled) * N;
    const size_t  to = (size_t)b * T * N, n = (size_t)length_of(f->c, sentence) * N;
    for (size_t i = 0; i < n; i++)
        f->batch.gold[to + i] = (real)f->soft[from + i];
}

static void copy_sentence(feed *f, int32_t sentence, int b)
{
    const int32_t first = f->c->start[sentence], n = length_of(f->c, sentence);
    bs_tag_batch_sentence(&f->batch, b, n);
    for (int32_t t = 0; t < n; t++) {
        int32_t tag = f->c->labelled ? f->c->tag[first + t] : -1;
        copy_token(f, first + t, b, t);
        bs_tag_batch_tag(&f->batch, b, t, tag >= 0 ? f->tag[tag] : -1);
    }
    if (f->soft && sentence >= f->c->sentences - f->unlabelled)
        copy_soft(f, sentence, b);
}

/* Lengths of the longest sentence and, if characters are used, of the longest word. */
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
    s.length = bs_tag_rounded(s.length);
    s.width = f->shape->chars != BS_CHARS_NONE ? (s.width + 3) / 4 * 4 : 1;
    s.rows = f->pads_rows ? bs_scorer_padded(n) : n;
    return s;
}

static const bs_batch *take_rows(bs_batches *base, const int32_t *index, int32_t n)
{
    feed *f = (feed *)base;
    bs_tag_batch_begin(&f->batch, size_of(f, index, n));
    for (int32_t i = 0; i < n; i++)
        copy_sentence(f, index[i], i);
    return &f->batch.batch;
}

/* ---- making ---- */

static void free_feed(bs_batches *base)
{
    feed *f = (feed *)base;
    void *all[] = {f->row, f->letter, f->letters, f->tag, f->key, f->often, f->pick};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bs_free(all[i]);
    for (int i = 0; i < BS_LEXICON_COLUMNS; i++)
        bs_free(f->value[i]);
    bs_tag_batch_free(&f->batch);
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
    const size_t rows = (size_t)bs_scorer_padded(f->most);
    size_t       cells = BS_TAG_POSITIONS, C = 1;
    for (int32_t i = 0; i < f->c->sentences; i++) {
        size_t length = (size_t)bs_tag_rounded(length_of(f->c, i));
        cells = length > cells ? length : cells;
    }
    cells = 2 * cells + rows; /* rows may be padded */
    for (int32_t i = 0; i < f->c->words.n && f->letters; i++)
        C = (size_t)f->letters[i] > C ? (size_t)f->letters[i] : C;
    C = (C + 3) / 4 * 4;
    f->key = bs_calloc(2 * (size_t)f->c->sentences + 2, sizeof *f->key);
    return f->key && !bs_tag_batch_reserve(&f->batch, f->shape, cells, rows, C, true, NULL);
}

/* A word that labelled sentences contain once is not rare if others contain it again. */
static bool take_unlabelled(feed *f, const bs_dataset *p, double weight)
{
    const bs_corpus *c = f->c;
    f->unlabelled = p->unlabelled;
    f->soft = p->soft;
    f->pick = bs_calloc((size_t)p->unlabelled, sizeof *f->pick);
    f->often = bs_calloc((size_t)f->l->n_trained, 1);
    if (!f->pick || !f->often)
        return false;
    for (int32_t i = c->start[c->sentences - p->unlabelled]; i < c->tokens; i++)
        if (f->row[c->word[i]] < f->l->n_trained)
            f->often[f->row[c->word[i]]] = 1;
    f->base.epoch = c->sentences - p->unlabelled + (int32_t)(weight * p->unlabelled + 0.5);
    return true;
}

static basin_status make(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                         int32_t most, feed **out, basin_error *err)
{
    feed *f = bs_calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    f->base = (bs_batches){order_rows, fitting, take_rows, free_feed, p->rows};
    f->c = bs_dataset_tag(p);
    f->l = &bs_preprocess_tag(k)->lexicon;
    f->shape = bs_net_spec_tag(spec);
    f->most = most;
    if (!look_up(f) || !make_room(f)) {
        free_feed(&f->base);
        return bs_fail_nomem(err);
    }
    *out = f;
    return BASIN_OK;
}

basin_status bs_batches_tag(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err)
{
    feed        *f;
    basin_status s = make(p, k, spec, o->batch, &f, err);
    if (f) {
        f->unknown = bs_preprocess_tag(k)->unknown;
        f->samples = o->samples;
    }
    if (f && p->unlabelled > 0 && !take_unlabelled(f, p, o->unlabelled_weight)) {
        free_feed(&f->base);
        f = NULL;
        s = bs_fail_nomem(err);
    }
    *out = f ? &f->base : NULL;
    return s;
}

basin_status bs_batches_tag_all(const bs_dataset *p, const bs_preprocess *k,
                                const bs_net_spec *spec, int32_t most, bs_batches **out,
                                basin_error *err)
{
    feed        *f;
    basin_status s = make(p, k, spec, most, &f, err);
    *out = f ? &f->base : NULL;
    if (f)
        f->pads_rows = true;
    return s;
}
