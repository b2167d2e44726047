/* metric.c -- takes rows, lets each family fill its part of the record, and adds up.
 *
 * A row costs O(L) plus, for ranking metrics, one radix sort of its scores. Memory does not grow
 * with the number of rows, except for map_label (all scores) and keep_rows (one record per row). */
#include "data/metric.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/metric_part.h"
#include "data/metric_sort.h"

enum { DEFAULT_BINS = 15, MAX_BINS = 100, MAX_ROWS = 1 << 30 };
static const size_t default_ap_bytes = (size_t)1 << 30;

static const uint32_t rank_metrics = BS_METRIC_BIT(lrap) | BS_METRIC_BIT(ranking_loss) |
                                     BS_METRIC_BIT(coverage) | BS_METRIC_BIT(one_error) |
                                     BS_METRIC_BIT(p_at_1) | BS_METRIC_BIT(p_at_3) |
                                     BS_METRIC_BIT(p_at_5) | BS_METRIC_BIT(map_example);

static double (*const value_of[BS_METRIC_COUNT])(const bs_metric_sums *s) = {
#define METRIC(key, ...) bs_metric_##key,
#include "data/metrics.def"
#undef METRIC
};

/* ---- numbers from outside, checked before anything is computed from them ---- */

basin_status bs_check_gold(const bs_csr *gold, basin_error *err)
{
    for (int32_t row = 0; row < gold->rows; row++) {
        int32_t last = -1;
        for (int32_t i = gold->start[row]; i < gold->start[row + 1]; i++) {
            if (gold->index[i] <= last || gold->index[i] >= gold->cols)
                return bs_fail(err, BASIN_EDATA,
                               "row %d: gold label %d after %d; must increase and be below %d", row,
                               gold->index[i], last, gold->cols);
            last = gold->index[i];
        }
    }
    return BASIN_OK;
}

basin_status bs_check_scores(const float *scores, int32_t rows, int32_t L, basin_error *err)
{
    const size_t cells = (size_t)rows * (size_t)L;
    for (size_t i = 0; i < cells; i++)
        if (!(fabsf(scores[i]) <= FLT_MAX))
            return bs_fail(err, BASIN_ENUMERIC,
                           "row %zu, label %zu: the score is not a finite number", i / (size_t)L,
                           i % (size_t)L);
    return BASIN_OK;
}

static basin_status check_options(const bs_metric_options *o, int32_t L, basin_error *err)
{
    if (L < 1 || L > MAX_ROWS)
        return bs_fail(err, BASIN_EARG, "metrics of %d labels; there must be 1 to %d", L, MAX_ROWS);
    if ((unsigned)o->profile >= BS_PROFILE_COUNT)
        return bs_fail(err, BASIN_EARG, "metric profile %d does not exist", (int)o->profile);
    if (o->ece_bins < 0 || o->ece_bins > MAX_BINS)
        return bs_fail(err, BASIN_EARG, "%d calibration bins; there may be 1 to %d", o->ece_bins,
                       MAX_BINS);
    return BASIN_OK;
}

basin_status bs_metrics_new(const bs_metric_options *o, int32_t L, bs_metrics **out,
                            basin_error *err)
{
    *out = NULL;
    basin_status s = check_options(o, L, err);
    if (s)
        return s;
    bs_metrics *m = bs_calloc(1, sizeof *m);
    if (!m)
        return bs_fail_nomem(err);
    const size_t n = (size_t)L;
    m->o = *o;
    m->o.want = o->want ? o->want & BS_METRIC_ALL : BS_METRIC_ALL;
    m->o.ece_bins = o->ece_bins ? o->ece_bins : DEFAULT_BINS;
    m->o.ap_bytes = o->ap_bytes ? o->ap_bytes : default_ap_bytes;
    m->p = &bs_profile_table[o->profile];
    m->L = L;
    m->width = (size_t)BS_REC_BINS + (size_t)m->o.ece_bins;
    bs_ap_init(&m->ap, L);
    m->rec = bs_arena_alloc(&m->room, m->width * sizeof *m->rec);
    m->label = bs_arena_alloc(&m->room, n * BS_LABEL_FIELDS * sizeof *m->label);
    m->gold = bs_arena_alloc(&m->room, n * sizeof *m->gold);
    m->pred = bs_arena_alloc(&m->room, n * sizeof *m->pred);
    m->is_gold = bs_arena_alloc(&m->room, n * sizeof *m->is_gold);
    m->order = bs_arena_alloc(&m->room, n * sizeof *m->order);
    m->spare = bs_arena_alloc(&m->room, n * sizeof *m->spare);
    if (!m->rec || !m->label || !m->gold || !m->pred || !m->is_gold || !m->order || !m->spare) {
        bs_metrics_free(m);
        return bs_fail_nomem(err);
    }
    *out = m;
    return BASIN_OK;
}

void bs_metrics_free(bs_metrics *m)
{
    if (!m)
        return;
    bs_free(m->row);
    bs_free(m->event);
    bs_free(m->event_start);
    bs_ap_free(&m->ap);
    bs_arena_free(&m->room);
    bs_free(m);
}

void bs_metrics_clear(bs_metrics *m)
{
    memset(m->rec, 0, m->width * sizeof *m->rec);
    memset(m->label, 0, (size_t)m->L * BS_LABEL_FIELDS * sizeof *m->label);
    m->counts = (bs_metric_counts){0};
    m->unscored = m->undecided = false;
    bs_ap_clear(&m->ap);
}

uint32_t bs_metrics_possible(const bs_metrics *m)
{
    uint32_t possible = 0;
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        if (!(bs_metric_table[i].decided ? m->undecided : m->unscored))
            possible |= UINT32_C(1) << i;
    if (m->counts.ap_gave_up)
        possible &= ~BS_METRIC_BIT(map_label);
    return possible & m->o.want;
}

/* Foreign numbers: all are checked before any is added. */
static basin_status check_batch(const bs_metrics *m, const bs_csr *gold, const float *scores,
                                const bs_threshold *t, basin_error *err)
{
    if (gold->cols != m->L)
        return bs_fail(err, BASIN_EARG, "gold has %d labels, the metrics have %d", gold->cols,
                       m->L);
    if (gold->rows < 0 || m->counts.rows + gold->rows > MAX_ROWS)
        return bs_fail(err, BASIN_EARG, "more than %d rows to evaluate", MAX_ROWS);
    if (t && t->kind == BS_THRESHOLD_LABEL && t->labels != m->L)
        return bs_fail(err, BASIN_EARG, "thresholds for %d labels, the metrics have %d", t->labels,
                       m->L);
    basin_status s = bs_check_gold(gold, err);
    return s || !scores ? s : bs_check_scores(scores, gold->rows, m->L, err);
}

/* Counts per label, and with keep_rows the list of them. Merges gold and prediction, both
 * increasing. */
static basin_status count_labels(bs_metrics *m, const bs_metric_row *r, basin_error *err)
{
    const size_t rows = (size_t)m->counts.rows;
    int64_t      at = 0;
    if (m->o.keep_rows) {
        at = rows ? m->event_start[rows] : 0;
        if (!BS_GROW(m->event_start, m->event_start_cap, rows + 2, SIZE_MAX) ||
            !BS_GROW(m->event, m->event_cap, (size_t)(at + r->n_gold + r->n_pred), SIZE_MAX))
            return bs_fail_nomem(err);
        m->event_start[rows] = at;
    }
    int32_t g = 0, p = 0;
    while (g < r->n_gold || p < r->n_pred) {
        const int32_t gold = g < r->n_gold ? r->gold[g] : INT32_MAX;
        const int32_t pred = p < r->n_pred ? r->pred[p] : INT32_MAX;
        const int32_t l = gold < pred ? gold : pred;
        const int     kind = gold == pred ? BS_TP : gold < pred ? BS_FN : BS_FP;
        g += gold == l;
        p += pred == l;
        m->label[(size_t)l * BS_LABEL_FIELDS + (size_t)kind]++;
        if (m->o.keep_rows)
            m->event[at++] = (uint32_t)l * 4 + (uint32_t)kind;
    }
    if (m->o.keep_rows)
        m->event_start[rows + 1] = at;
    return BASIN_OK;
}

static void rank_labels(bs_metrics *m, bs_metric_row *r)
{
    for (int32_t l = 0; l < m->L; l++)
        m->order[l] = bs_score_key(r->scores[l], (uint32_t)l);
    bs_score_sort(m->order, (size_t)m->L, m->spare);
    r->order = m->order;
}

/* The scores of a column are only useful while all rows have them. */
static basin_status keep_scores(bs_metrics *m, const bs_metric_row *r, basin_error *err)
{
    if (!(bs_metrics_possible(m) & BS_METRIC_BIT(map_label)))
        return BASIN_OK;
    const double bytes = ((double)m->counts.rows + 1) * m->L * (double)sizeof *r->scores;
    if (bytes <= (double)m->o.ap_bytes)
        return bs_ap_add(&m->ap, r, err);
    m->counts.ap_gave_up = true;
    bs_ap_free(&m->ap);
    return BASIN_OK;
}

/* Adds a row whose sets are known; `decided` if there is a prediction. */
static basin_status add_row(bs_metrics *m, bs_metric_row *r, bool decided, basin_error *err)
{
    double         rec[BS_REC_BINS + MAX_BINS] = {0};
    const uint32_t want = m->o.want;
    basin_status   s = count_labels(m, r, err);
    rec[BS_REC_ROWS] = 1;
    if (decided)
        bs_metric_set_row(m->p, r, rec);
    if (r->scores && want & rank_metrics) {
        rank_labels(m, r);
        bs_metric_rank_row(m->p, r, rec);
    }
    if (r->scores && want & BS_METRIC_BIT(log_loss))
        bs_metric_log_row(m->p, r, rec);
    if (r->scores && want & BS_METRIC_BIT(ece))
        bs_metric_ece_row(r, m->o.ece_bins, m->o.ece_left, rec);
    if (!s && r->scores)
        s = keep_scores(m, r, err);
    if (s)
        return s;
    for (size_t i = 0; i < m->width; i++)
        m->rec[i] += rec[i];
    if (m->o.keep_rows) {
        const size_t at = (size_t)m->counts.rows * m->width;
        if (!BS_GROW(m->row, m->row_cap, at + m->width, SIZE_MAX))
            return bs_fail_nomem(err);
        memcpy(m->row + at, rec, m->width * sizeof *rec);
    }
    m->counts.rows++;
    m->counts.empty_pred += decided && r->n_pred == 0;
    m->counts.gold += r->n_gold;
    m->counts.pred += r->n_pred;
    return BASIN_OK;
}

static void read_gold(const bs_metrics *m, const bs_csr *gold, int32_t row, bs_metric_row *r)
{
    r->n_gold = 0;
    for (int32_t i = gold->start[row]; i < gold->start[row + 1]; i++)
        if (!gold->value || gold->value[i] != 0)
            m->gold[r->n_gold++] = gold->index[i];
    r->gold = m->gold;
}

basin_status bs_metrics_add(bs_metrics *m, const bs_csr *gold, const float *scores,
                            const bs_threshold *t, const uint8_t *on, basin_error *err)
{
    basin_status s = check_batch(m, gold, scores, t, err);
    if (s)
        return s;
    const bool decided = on || (t && scores);
    m->unscored = m->unscored || (!scores && gold->rows > 0);
    m->undecided = m->undecided || (!decided && gold->rows > 0);
    for (int32_t row = 0; row < gold->rows && !s; row++) {
        const size_t  at = (size_t)row * (size_t)m->L;
        bs_metric_row r = {.L = m->L, .pred = m->pred, .is_gold = m->is_gold};
        read_gold(m, gold, row, &r);
        m->counts.empty_gold += r.n_gold == 0;
        if (m->p->drop_empty && r.n_gold == 0) {
            m->counts.dropped++;
            continue;
        }
        r.scores = scores ? scores + at : NULL;
        if (on) {
            for (int32_t l = 0; l < m->L; l++)
                if (on[at + (size_t)l])
                    m->pred[r.n_pred++] = l;
        } else if (decided) {
            r.n_pred = bs_threshold_apply(t, r.scores, m->L, m->pred);
        }
        for (int32_t i = 0; i < r.n_gold; i++)
            m->is_gold[r.gold[i]] = 1;
        s = add_row(m, &r, decided, err);
        for (int32_t i = 0; i < r.n_gold; i++)
            m->is_gold[r.gold[i]] = 0;
    }
    return s;
}

bs_metric_counts bs_metrics_counts(const bs_metrics *m)
{
    return m->counts;
}

void bs_metric_values(const bs_metric_sums *s, uint32_t which, double *out)
{
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        out[i] = which >> i & 1 ? value_of[i](s) : (double)NAN;
}

basin_status bs_metrics_finish(bs_metrics *m, double out[BS_METRIC_COUNT], basin_error *err)
{
    bs_metric_sums s = {
        .profile = m->p, .L = m->L, .bins = m->o.ece_bins, .rec = m->rec, .label = m->label};
    const uint32_t possible = bs_metrics_possible(m);
    if (possible & BS_METRIC_BIT(map_label) && m->counts.rows) {
        basin_status status = bs_ap_build(&m->ap, m->p, err);
        if (status)
            return status;
        for (int32_t l = 0; l < m->L; l++) {
            const bool present = m->ap.support[l] > 0;
            s.ap_sum += present ? m->ap.ap[l] : 0;
            s.ap_labels += present || !m->p->ap_skip_absent;
        }
    }
    bs_metric_values(&s, possible, out);
    return BASIN_OK;
}
