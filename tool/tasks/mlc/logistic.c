/* logistic.c -- logistic regression by AdaGrad, one row after the other.
 *
 * Labels are independent of each other, so LANES of them are learnt side by side, and each such
 * block by any thread. */
#include "tasks/mlc/logistic.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/threads.h"

enum {
    LANES = 16,
    RATES = 2,
    MOST_EPOCHS = 30,
    LEAST_EPOCHS = 3,
    MOST_CELLS = 1 << 25, /* features of all rows, if they are dense */
    STREAM = 0x6c696e65,
};

/* Features times labels processed in total: about a second of one core. */
static const double most_work = 5e8;
static const float  rates[RATES] = {0.02f, 0.2f};

struct bs_logistic {
    const bs_schema *schema; /* borrowed */
    int32_t          features, labels, blocks;
    float           *weight; /* [blocks, features + 1, LANES], biases last */
};

/* Rows in the form that the net sees. */
typedef struct {
    const bs_csr *csr;   /* NULL: dense */
    float        *dense; /* [rows, features]; owned */
    int32_t       rows, features;
} inputs;

static bool is_dense(const bs_rows *d, const bs_schema *s)
{
    return s->mean || d->n_missing > 0;
}

static basin_status inputs_make(const bs_rows *d, const bs_schema *schema, inputs *out,
                                basin_error *err)
{
    const size_t cells = (size_t)d->rows * (size_t)schema->n_features;
    *out = (inputs){.csr = &d->x, .rows = d->rows, .features = schema->n_features};
    if (!is_dense(d, schema))
        return BASIN_OK;
    out->csr = NULL;
    if (!(out->dense = bs_alloc((cells + 1) * sizeof *out->dense)))
        return bs_fail_nomem(err);
    bs_rows_dense(d, schema, NULL, 0, d->rows, out->dense);
    return BASIN_OK;
}

static int32_t entries_of(const inputs *x, int32_t row)
{
    return x->csr ? x->csr->start[row + 1] - x->csr->start[row] : x->features;
}

/* Entry e of a row: its feature number and value. */
static int32_t entry(const inputs *x, int32_t row, int32_t e, float *value)
{
    if (!x->csr) {
        *value = x->dense[(size_t)row * (size_t)x->features + (size_t)e];
        return e;
    }
    const int32_t at = x->csr->start[row] + e;
    *value = x->csr->value ? x->csr->value[at] : 1;
    return x->csr->index[at];
}

/* ---- one block ---- */

typedef struct {
    float *weight, *square; /* [features + 1, LANES] */
    float *best;            /* the same, for the model */
    float  gold[LANES];     /* of the current row */
    double least[LANES];    /* best log loss so far */
    int    when[LANES];     /* the epoch that had it, counted over all rates */
} block;

static void margins(const inputs *x, int32_t row, const float *weight, float z[LANES])
{
    const int32_t n = entries_of(x, row);
    memcpy(z, weight + (size_t)x->features * LANES, LANES * sizeof *z);
    for (int32_t e = 0; e < n; e++) {
        float        value;
        const float *w = weight + (size_t)entry(x, row, e, &value) * LANES;
#pragma omp simd
        for (int k = 0; k < LANES; k++)
            z[k] += value * w[k];
    }
}

static void look_up(const bs_csr *y, int32_t row, int32_t first, float gold[LANES])
{
    memset(gold, 0, LANES * sizeof *gold);
    for (int32_t e = y->start[row]; e < y->start[row + 1]; e++)
        if (y->index[e] >= first && y->index[e] < first + LANES)
            gold[y->index[e] - first] = 1;
}

static void follow(float *w, float *square, const float g[LANES], float value, float rate)
{
#pragma omp simd
    for (int k = 0; k < LANES; k++) {
        const float d = value * g[k];
        square[k] += d * d;
        w[k] -= rate * d / sqrtf(square[k]);
    }
}

static void step(const inputs *x, int32_t row, block *b, float rate)
{
    const int32_t n = entries_of(x, row);
    const size_t  bias = (size_t)x->features * LANES;
    float         g[LANES];
    margins(x, row, b->weight, g);
    for (int k = 0; k < LANES; k++)
        g[k] = 1 / (1 + expf(-g[k])) - b->gold[k];
    for (int32_t e = 0; e < n; e++) {
        float        value;
        const size_t at = (size_t)entry(x, row, e, &value) * LANES;
        if (value != 0)
            follow(b->weight + at, b->square + at, g, value, rate);
    }
    follow(b->weight + bias, b->square + bias, g, 1, rate);
}

static void keep(block *b, int32_t features, int k)
{
    for (int32_t f = 0; f <= features; f++)
        b->best[(size_t)f * LANES + (size_t)k] = b->weight[(size_t)f * LANES + (size_t)k];
}

typedef struct {
    const bs_csr  *gold, *valid_gold;
    inputs         x, valid;
    const int32_t *order; /* [epochs, rows] */
    const int32_t *judge; /* NULL: all of valid; else rows of x, which is valid, too */
    bool          *aside; /* [rows of x] they are these, or NULL */
    int32_t        rows, judges;
    int            epochs;
} lesson;

static void keep_better(const lesson *t, int32_t first, int when, block *b)
{
    double loss[LANES] = {0};
    float  z[LANES], gold[LANES];
    for (int32_t i = 0; i < t->judges; i++) {
        const int32_t row = t->judge ? t->judge[i] : i;
        margins(&t->valid, row, b->weight, z);
        look_up(t->valid_gold, row, first, gold);
        for (int k = 0; k < LANES; k++) { /* log(1 + e^z) - z gold */
            const double v = (double)z[k];
            loss[k] += fmax(v, 0) + log1p(exp(-fabs(v))) - v * (double)gold[k];
        }
    }
    for (int k = 0; k < LANES; k++) {
        if (!(loss[k] < b->least[k]))
            continue;
        b->least[k] = loss[k];
        b->when[k] = when;
        keep(b, t->x.features, k);
    }
}

/* Biases start at the log odds: a rare label would need many steps to get there. */
static void begin(const lesson *t, int32_t first, bool all, block *b)
{
    const size_t n = ((size_t)t->x.features + 1) * LANES;
    double       count[LANES] = {0};
    int32_t      rows = 0;
    memset(b->weight, 0, n * sizeof *b->weight);
    for (size_t i = 0; i < n; i++)
        b->square[i] = 1; /* otherwise the first rows would decide */
    for (int32_t i = 0; i < t->rows; i++) {
        if (!all && t->aside[t->order[i]])
            continue;
        look_up(t->gold, t->order[i], first, b->gold);
        for (int k = 0; k < LANES; k++)
            count[k] += (double)b->gold[k];
        rows++;
    }
    for (int k = 0; k < LANES; k++)
        b->weight[n - LANES + (size_t)k] = (float)log((count[k] + 0.5) / (rows - count[k] + 0.5));
}

/* From all rows or those that are not set aside. chosen: when each label is done is known. */
static void learn(const lesson *t, int32_t first, bool all, bool chosen, block *b)
{
    for (int r = 0, when = 0; r < RATES; r++) {
        begin(t, first, all, b);
        for (int epoch = 0; epoch <= t->epochs; epoch++, when++) {
            const int32_t *row = t->order + (size_t)epoch * (size_t)t->rows;
            for (int32_t i = -t->rows; i < 0 && epoch > 0; i++) {
                if (!all && t->aside[row[i]])
                    continue;
                look_up(t->gold, row[i], first, b->gold);
                step(&t->x, row[i], b, rates[r]);
            }
            if (!chosen)
                keep_better(t, first, when, b);
            for (int k = 0; k < LANES && chosen; k++)
                if (b->when[k] == when)
                    keep(b, t->x.features, k);
        }
    }
}

/* ---- all of them ---- */

/* The same number for some of the rows as for all, since the two are compared. valid may be x. */
static int epochs_of(const inputs *x, const inputs *valid, int32_t labels)
{
    double entries = 0;
    for (int32_t i = 0; i < x->rows; i++)
        entries += entries_of(x, i) + 1;
    for (int32_t i = 0; i < valid->rows; i++)
        entries += 0.3 * (entries_of(valid, i) + 1);
    const double epochs = most_work / (entries * labels * RATES + 1);
    return epochs < LEAST_EPOCHS ? 0 : epochs > MOST_EPOCHS ? MOST_EPOCHS : (int)epochs;
}

/* The rows learnt from are the first of one permutation; every epoch has its own order. */
static int32_t *orders(int32_t all, int32_t rows, int epochs)
{
    int32_t *out = bs_alloc(((size_t)epochs * (size_t)rows + (size_t)all) * sizeof *out);
    int32_t *chosen = out ? out + (size_t)epochs * (size_t)rows : NULL;
    if (!out)
        return NULL;
    bs_rng rng = bs_rng_make(0, 0, STREAM);
    bs_rng_permutation(&rng, chosen, all);
    for (int e = 0; e < epochs; e++) {
        int32_t *own = out + (size_t)e * (size_t)rows;
        rng = bs_rng_make(0, (uint64_t)e + 1, STREAM);
        bs_rng_permutation(&rng, own, rows);
        for (int32_t i = 0; i < rows; i++)
            own[i] = chosen[own[i]];
    }
    return out;
}

static bool learn_block(const lesson *t, bs_logistic *m, int32_t i)
{
    const size_t n = ((size_t)m->features + 1) * LANES;
    block        b = {.weight = bs_alloc(n * sizeof *b.weight),
                      .square = bs_alloc(n * sizeof *b.square),
                      .best = m->weight + (size_t)i * n};
    const bool   ok = b.weight && b.square;
    for (int k = 0; k < LANES; k++)
        b.least[k] = INFINITY;
    if (ok)
        learn(t, i * LANES, !t->aside, false, &b);
    if (ok && t->aside)
        learn(t, i * LANES, true, true, &b);
    bs_free(b.weight);
    bs_free(b.square);
    return ok;
}

static basin_status learn_all(const lesson *t, bs_logistic *m, int threads, basin_error *err)
{
    const int team = bs_team(bs_threads(threads));
    bool      ok = true;
#pragma omp parallel for schedule(dynamic) reduction(&& : ok) num_threads(team)
    for (int32_t i = 0; i < m->blocks; i++)
        ok = learn_block(t, m, i) && ok;
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status model_new(const bs_schema *schema, bs_logistic **out, basin_error *err)
{
    bs_logistic *m = bs_calloc(1, sizeof *m);
    *out = m;
    if (!m)
        return bs_fail_nomem(err);
    m->schema = schema;
    m->features = schema->n_features;
    m->labels = schema->n_labels;
    m->blocks = (m->labels + LANES - 1) / LANES;
    m->weight = bs_calloc((size_t)m->blocks * ((size_t)m->features + 1), LANES * sizeof *m->weight);
    return m->weight ? BASIN_OK : bs_fail_nomem(err);
}

static bool fits(const bs_rows *d, const bs_schema *schema)
{
    return d->rows > 0 &&
           (!is_dense(d, schema) || (double)d->rows * schema->n_features <= (double)MOST_CELLS);
}

/* Sets a fifth of the rows aside: the last of those that are learnt from. */
static basin_status set_aside(lesson *t, int32_t all, basin_error *err)
{
    t->judges = t->rows / 5;
    t->judge = t->order + (size_t)t->epochs * (size_t)t->rows + (t->rows - t->judges);
    if (!(t->aside = bs_calloc((size_t)all + 1, sizeof *t->aside)))
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < t->judges; i++)
        t->aside[t->judge[i]] = true;
    return BASIN_OK;
}

basin_status bs_logistic_fit(const bs_rows *train, const bs_rows *valid, const bs_schema *schema,
                             int32_t rows, int threads, bs_logistic **out, basin_error *err)
{
    const bs_rows *judges = valid ? valid : train;
    lesson         t = {.gold = &train->y, .valid_gold = &judges->y, .judges = judges->rows};
    int32_t       *order = NULL;
    *out = NULL;
    if (!fits(train, schema) || !fits(judges, schema))
        return BASIN_OK;
    basin_status s = inputs_make(train, schema, &t.x, err);
    t.valid = t.x;
    if (!s && valid)
        s = inputs_make(valid, schema, &t.valid, err);
    t.rows = rows > 0 && rows < train->rows ? rows : train->rows;
    if (!s)
        t.epochs = epochs_of(&t.x, &t.valid, schema->n_labels);
    if (!s && t.epochs > 0 && !(t.order = order = orders(train->rows, t.rows, t.epochs)))
        s = bs_fail_nomem(err);
    if (!s && order && !valid)
        s = set_aside(&t, train->rows, err);
    if (!s && order)
        s = model_new(schema, out, err);
    if (!s && order)
        s = learn_all(&t, *out, threads, err);
    if (s) {
        bs_logistic_free(*out);
        *out = NULL;
    }
    bs_free(order);
    bs_free(t.aside);
    bs_free(t.x.dense);
    if (valid)
        bs_free(t.valid.dense);
    return s;
}

void bs_logistic_free(bs_logistic *m)
{
    if (!m)
        return;
    bs_free(m->weight);
    bs_free(m);
}

basin_status bs_logistic_scores(const bs_logistic *m, const bs_rows *data, float *scores,
                                basin_error *err)
{
    const size_t n = ((size_t)m->features + 1) * LANES, L = (size_t)m->labels;
    inputs       x;
    float        z[LANES];
    basin_status s = inputs_make(data, m->schema, &x, err);
    for (int32_t row = 0; row < data->rows && !s; row++)
        for (int32_t i = 0; i < m->blocks; i++) {
            margins(&x, row, m->weight + (size_t)i * n, z);
            for (int32_t k = 0; k < LANES && i * LANES + k < m->labels; k++)
                scores[(size_t)row * L + (size_t)(i * LANES + k)] =
                    isfinite(z[k]) ? 1 / (1 + expf(-z[k])) : 0.5f;
        }
    bs_free(x.dense);
    return s;
}
