/* importance.c -- which features matter to a model of label sets: if one is shuffled among some
 * validation rows, how much worse does the model get?
 *
 * The columns of a nominal attribute are shuffled together. In sparse data only rows that change
 * are predicted again. The work is bounded by the number of rows and the size of the net, not by a
 * clock, so that two reports of a run agree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/mlc/report.h"
#include "base/order.h"
#include "base/rng.h"
#include "task/mlc/data.h"

enum {
    MOST_ROWS = 300, /* of the validation rows */
    LEAST_ROWS = 50,
    BATCH = 2048,    /* rows predicted at a time, at most */
    CELLS = 1 << 22, /* labels of these, at most */
    SHOWN = 20,
    STREAM = 0x706572,
};

static const double most_work = 2e10;   /* multiplications */
static const double search_passes = 60; /* cost of a search of the energy, in passes of the net */

/* Adjacent features from one column of the file. */
typedef struct {
    bs_ranked by; /* what they are sorted by */
    int32_t   first, end;
    int64_t   entries;  /* in the sample */
    double    loss, f1; /* how much the loss rises and F1 falls, per row */
    int32_t   rows;     /* rows of the sample that have it */
} feature;

typedef struct {
    const bs_report_group *g;
    const bs_model_file   *model;
    const bs_rows         *data;
    int32_t                L;
    int32_t                n, row[MOST_ROWS];              /* the sample */
    double                 loss[MOST_ROWS], f1[MOST_ROWS]; /* of these rows without shuffling */
    feature               *feature;
    int32_t                features;
    int32_t               *list; /* [L] */
    int32_t                perm[MOST_ROWS];

    /* the batch: row i has feature[of[i]] shuffled and is row at[i] of the sample */
    int32_t  most, filled;
    int32_t *of, *at, *start, *index;
    size_t   room[2]; /* of index and value */
    float   *value;
    float   *scores;
} study;

/* ---- rows ---- */

static bool same_column(const bs_schema *s, int32_t a, int32_t b)
{
    return s->feature && s->feature[a].kind == BS_FEATURE_ONEHOT &&
           s->feature[b].kind == BS_FEATURE_ONEHOT &&
           strcmp(s->feature[a].attribute, s->feature[b].attribute) == 0;
}

static void find_features(study *t)
{
    const bs_schema *s = &bs_preprocess_mlc(&t->model->known)->schema;
    for (int32_t f = 0; f < s->n_features;) {
        int32_t end = f + 1;
        while (end < s->n_features && same_column(s, f, end))
            end++;
        t->feature[t->features++] = (feature){.first = f, .end = end};
        f = end;
    }
}

/* The entries of a row in features first to end - 1: *from and how many. */
static int32_t entries_in(const bs_csr *x, int32_t row, int32_t first, int32_t end, int32_t *from)
{
    int32_t lo = x->start[row], hi = x->start[row + 1];
    while (lo < hi) {
        const int32_t middle = lo + (hi - lo) / 2;
        if (x->index[middle] < first)
            lo = middle + 1;
        else
            hi = middle;
    }
    *from = lo;
    while (lo < x->start[row + 1] && x->index[lo] < end)
        lo++;
    return lo - *from;
}

static void take_sample(study *t, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        t->row[i] = (int32_t)((int64_t)i * t->data->rows / n);
    t->n = n;
    for (int32_t f = 0; f < t->features; f++)
        t->feature[f].entries = t->feature[f].rows = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t f = 0, e = t->data->x.start[t->row[i]]; e < t->data->x.start[t->row[i] + 1];
             e++) {
            while (t->feature[f].end <= t->data->x.index[e])
                f++;
            t->feature[f].entries++;
        }
}

/* Rows to predict: one with and one without for each entry, at most all. */
static double rows_of(const study *t)
{
    double sum = 0;
    for (int32_t f = 0; f < t->features; f++)
        sum += fmin(2.0 * (double)t->feature[f].entries, t->n);
    return sum;
}

/* Drops rows, then features, until the work is small enough; false: it never is. */
static bool choose(study *t, double most)
{
    int32_t n = t->data->rows < MOST_ROWS ? t->data->rows : MOST_ROWS;
    take_sample(t, n);
    while (rows_of(t) > most && n > LEAST_ROWS) {
        n = n * 3 / 4 > LEAST_ROWS ? n * 3 / 4 : LEAST_ROWS;
        take_sample(t, n);
    }
    for (int32_t f = 0; f < t->features; f++)
        t->feature[f].by = (bs_ranked){t->feature[f].first, (double)t->feature[f].entries};
    qsort(t->feature, (size_t)t->features, sizeof *t->feature, bs_heaviest_first);
    while (t->features > 0 && (t->feature[t->features - 1].entries == 0 || rows_of(t) > most))
        t->features--;
    return t->features > 1;
}

/* ---- predictions ---- */

static void judge_row(const study *t, int32_t row, const float *p, double *loss, double *f1)
{
    const bs_csr *y = &t->data->y;
    const int32_t gold = y->start[row + 1] - y->start[row];
    const int32_t on = bs_threshold_apply(&t->model->threshold, p, t->L, t->list);
    int32_t       both = 0, e = y->start[row], k = 0;
    *loss = 0;
    for (int32_t l = 0; l < t->L; l++) {
        const bool is = e < y->start[row + 1] && y->index[e] == l, said = k < on && t->list[k] == l;
        e += is;
        k += said;
        both += is && said;
        *loss += bs_log_loss(is ? (double)p[l] : 1 - (double)p[l]);
    }
    *f1 = gold + on > 0 ? 2.0 * both / (gold + on) : 1;
}

static basin_status flush(study *t, basin_error *err)
{
    bs_rows      d = *t->data;
    double       seconds, loss, f1;
    bs_outputs   y = {.scores = t->scores};
    const size_t L = (size_t)t->L;
    if (t->filled == 0)
        return BASIN_OK;
    d.rows = t->filled;
    d.x = (bs_csr){t->filled, t->data->x.cols, t->start, t->index, t->value};
    bs_dataset   part = {.task = t->g->task, .rows = t->filled, .own = &d};
    basin_status s =
        bs_model_predict(t->model, &part, &(bs_asked){.decide = "threshold", .where = t->g->where},
                         &y, &seconds, err);
    for (int32_t i = 0; i < t->filled && !s; i++) {
        feature *f = &t->feature[t->of[i]];
        judge_row(t, t->row[t->at[i]], t->scores + (size_t)i * L, &loss, &f1);
        f->loss += (loss - t->loss[t->at[i]]) / t->n;
        f->f1 += (t->f1[t->at[i]] - f1) / t->n;
    }
    t->filled = 0;
    return s;
}

static bool reserve(study *t, size_t more)
{
    const size_t need = (size_t)t->start[t->filled] + more;
    const bool   ok = BS_GROW(t->index, t->room[0], need, INT32_MAX) &&
                    BS_GROW(t->value, t->room[1], need, INT32_MAX);
    return ok;
}

static void copy(study *t, int32_t from, int32_t n)
{
    const bs_csr *x = &t->data->x;
    const int32_t to = t->start[t->filled + 1];
    memcpy(t->index + to, x->index + from, (size_t)n * sizeof *t->index);
    for (int32_t i = 0; i < n; i++)
        t->value[to + i] = x->value ? x->value[from + i] : 1;
    t->start[t->filled + 1] += n;
}

static bool same_entries(const bs_csr *x, int32_t a, int32_t b, int32_t n)
{
    /* missing values are equal, too */
    return memcmp(x->index + a, x->index + b, (size_t)n * sizeof *x->index) == 0 &&
           (!x->value || memcmp(x->value + a, x->value + b, (size_t)n * sizeof *x->value) == 0);
}

/* Row i of the sample with feature f of row `from`, unless that changes nothing. */
static basin_status add_row(study *t, int32_t f, int32_t i, int32_t from, basin_error *err)
{
    const bs_csr  *x = &t->data->x;
    const feature *k = &t->feature[f];
    const int32_t  row = t->row[i];
    int32_t        mine, theirs;
    const int32_t  n = entries_in(x, row, k->first, k->end, &mine);
    const int32_t  m = entries_in(x, t->row[from], k->first, k->end, &theirs);
    if (n == m && same_entries(x, mine, theirs, n))
        return BASIN_OK;
    const int32_t first = x->start[row], end = x->start[row + 1];
    if (!reserve(t, (size_t)(end - first + m) + 1))
        return bs_fail_nomem(err);
    t->start[t->filled + 1] = t->start[t->filled];
    copy(t, first, mine - first);
    copy(t, theirs, m);
    copy(t, mine + n, end - mine - n);
    t->of[t->filled] = f;
    t->at[t->filled++] = i;
    return t->filled == t->most ? flush(t, err) : BASIN_OK;
}

static basin_status shuffle(study *t, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int32_t f = 0; f < t->features && !s; f++) {
        bs_rng rng = bs_rng_make(0, (uint64_t)t->feature[f].first, STREAM);
        bs_rng_permutation(&rng, t->perm, t->n);
        for (int32_t i = 0; i < t->n && !s; i++) {
            int32_t from;
            t->feature[f].rows += entries_in(&t->data->x, t->row[i], t->feature[f].first,
                                             t->feature[f].end, &from) > 0;
            s = add_row(t, f, i, t->perm[i], err);
        }
    }
    return s ? s : flush(t, err);
}

/* ---- the section ---- */

static const char *name_of(const study *t, const feature *f, char text[32])
{
    const bs_schema *s = &bs_preprocess_mlc(&t->model->known)->schema;
    if (s->feature)
        return f->end > f->first + 1 ? s->feature[f->first].attribute : s->feature[f->first].name;
    bs_print(text, 32, "%d", (int)f->first + s->index_base);
    return text;
}

static void draw(const study *t, int32_t all, bs_doc *d)
{
    static const bs_column column[] = {
        {.name = "feature", .text = true, .key = "feature"},
        {.name = "log loss +", .help = "of a row, summed over labels", .key = "log_loss"},
        {.name = "example F1 \xE2\x88\x92",
         .help = "in points, at the model's threshold",
         .key = "example_f1"},
        {.name = "rows", .help = "of the rows examined, where it is not zero", .key = "rows"}};
    bs_bar bar[SHOWN];
    char   number[SHOWN][32];
    int    n = 0;
    while (n < SHOWN && n < t->features && t->feature[n].loss > 0) {
        bar[n] =
            (bs_bar){.name = name_of(t, &t->feature[n], number[n]), .value = t->feature[n].loss};
        n++;
    }
    bs_doc_heading(d, t->g->level, "Features that matter");
    bs_page_say(
        d->page, "quiet",
        "One feature at a time is shuffled among %d of the %d validation rows: the worse the "
        "model gets, the more it relies on the feature. Features that duplicate others look less "
        "important than they are. %d of %d were looked at%s.",
        (int)t->n, (int)t->data->rows, (int)t->features, (int)all,
        t->features < all ? ", the others are almost never present" : "");
    if (n == 0)
        return;
    bs_page_grid_begin(d->page);
    bs_bars_draw(
        &(bs_bars){
            .title = "how much the log loss of a row rises", .bar = bar, .n = n, .digits = 3},
        d->page);
    BS_TABLE(d, "features", column, BS_TABLE_SORTED);
    for (int i = 0; i < n; i++)
        BS_ROW(d, bs_cell_name(bar[i].name), bs_cell_number(t->feature[i].loss, 4),
               bs_cell_percent(t->feature[i].f1), bs_cell_count(t->feature[i].rows));
    bs_doc_table_end(d);
    bs_page_grid_end(d->page);
}

static bool make_room(study *t)
{
    const size_t D = (size_t)bs_preprocess_mlc(&t->model->known)->schema.n_features + 1;
    const int    fit = CELLS / t->L;
    t->most = fit > BATCH ? BATCH : fit > 1 ? fit : 1;
    const size_t batch = (size_t)t->most + 2;
    t->feature = bs_arena_alloc(t->g->room, D * sizeof *t->feature);
    t->list = bs_arena_alloc(t->g->room, ((size_t)t->L + 1) * sizeof *t->list);
    t->of = bs_arena_alloc(t->g->room, batch * sizeof *t->of);
    t->at = bs_arena_alloc(t->g->room, batch * sizeof *t->at);
    t->start = bs_arena_alloc(t->g->room, batch * sizeof *t->start);
    t->scores = bs_arena_alloc(t->g->room, batch * (size_t)t->L * sizeof *t->scores);
    return t->feature && t->list && t->of && t->at && t->start && t->scores;
}

/* Rows that can be predicted, given the cost of one. */
static double affordable(const bs_model_file *m)
{
    const double passes = strcmp(m->settings.train.infer, "net") == 0 ? 1 : search_passes;
    return most_work / ((double)m->params->size * passes + 1);
}

basin_status bs_report_importance(const bs_report_group *g, bs_doc *d, basin_error *err)
{
    const bs_model_file *m = g->run[g->shown].model;
    bs_model_file        own = *m;
    study        t = {.g = g, .model = &own, .L = bs_preprocess_mlc(&m->known)->schema.n_labels};
    basin_status s = BASIN_OK;
    if (!g->valid_scores)
        return BASIN_OK;
    bs_rows data = *bs_dataset_mlc(&g->data->part[BS_ROLE_VALID]);
    if (g->data->folds > 1) { /* the first fold, and the models that have not seen it */
        own.n_more = (1 + m->n_more) / g->data->folds - 1;
        data.rows = data.x.rows = data.y.rows = g->data->fold_start[1];
    }
    t.data = &data;
    if (!make_room(&t))
        s = bs_fail_nomem(err);
    if (!s)
        find_features(&t);
    const int32_t all = t.features;
    if (!s && choose(&t, affordable(m))) {
        for (int32_t i = 0; i < t.n; i++)
            judge_row(&t, t.row[i], g->valid_scores + (size_t)t.row[i] * (size_t)t.L, &t.loss[i],
                      &t.f1[i]);
        s = shuffle(&t, err);
        for (int32_t f = 0; f < t.features; f++)
            t.feature[f].by = (bs_ranked){t.feature[f].first, t.feature[f].loss};
        qsort(t.feature, (size_t)t.features, sizeof *t.feature, bs_heaviest_first);
        if (!s)
            draw(&t, all, d);
    }
    bs_free(t.index); /* these grow */
    bs_free(t.value);
    return s;
}
