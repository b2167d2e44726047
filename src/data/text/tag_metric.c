/* tag_metric.c -- counting tokens and spans, and the metrics computed from the counts.
 *
 * A sentence becomes a record of whole numbers and a list of events (a tag was right, predicted in
 * error or missed); a metric is a function of their sums. So evaluation can stream and the
 * bootstrap only needs weights, as in data/metric.c. */
#include "data/text/tag_metric.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/text/scheme_part.h"

const bs_metric bs_tag_metric_table[BS_TAG_METRIC_COUNT] = {
#define TAG_METRIC(key, direction, hi, text) {#key, text, BS_##direction, true, 0, hi},
#include "data/text/tag_metrics.def"
#undef TAG_METRIC
};

enum { MAX_ROWS = 1 << 30, MAX_TAGS = 1 << 28 };

/* Fields of a record. */
enum {
    SENTENCES,
    TOKENS,
    RIGHT,
    EXACT, /* sentences */
    UNKNOWN,
    UNKNOWN_RIGHT,
    NON_O,
    NON_O_RIGHT,
    ILL_FORMED,
    GOLD_SPANS,
    FOUND_SPANS,
    RIGHT_SPANS,
    FIELDS
};

/* Of a tag, in tokens: right, predicted in error, missed. Of a type, in spans. */
enum { TP, FP, FN, TAG_FIELDS };
enum { GOLD, FOUND, BOTH, TYPE_FIELDS };

struct bs_tag_metrics {
    const bs_tagset *tags;
    bool             keep_rows;
    bool             unflagged; /* some batch did not tell which words are unknown */
    int32_t          rows;
    int64_t          total[FIELDS];
    double          *tag;  /* [tags, TAG_FIELDS], whole numbers */
    int64_t         *type; /* [types, TYPE_FIELDS] */
    int64_t          gold_repaired, predicted_repaired, gold_missing;

    /* with keep_rows */
    double   *row; /* [rows, FIELDS] */
    uint32_t *event;
    int64_t  *event_start; /* [rows + 1] */
    size_t    row_cap, event_cap, event_start_cap;

    bs_span *gold_span, *found_span; /* scratch of one sentence */
    size_t   gold_cap, found_cap;
};

/* ---- values ---- */

/* Precision and the like: 0 of 0 is 0. Not for accuracies, where it is NaN. */
static double share(double part, double all)
{
    return all > 0 ? part / all : 0;
}

/* F1 from twice the hits and the sum of gold and found. */
static double f1(double right, double gold, double found)
{
    return share(2 * right, gold + found);
}

/* Tags that neither occur nor are predicted do not count, as in scikit-learn. */
static double macro_f1(const double *tag, int32_t tags)
{
    double sum = 0, n = 0;
    for (const double *c = tag; c < tag + (size_t)tags * TAG_FIELDS; c += TAG_FIELDS)
        if (c[TP] + c[FP] + c[FN] > 0) {
            sum += f1(c[TP], c[TP] + c[FN], c[TP] + c[FP]);
            n++;
        }
    return sum / n;
}

/* From the sums of records [FIELDS] and of tags [tags, TAG_FIELDS]. */
static void values(const bs_tag_metrics *m, const double *rec, const double *tag, double *out)
{
    const bool   spans = m->tags->scheme != BS_SCHEME_RAW;
    const double right = rec[RIGHT_SPANS], gold = rec[GOLD_SPANS], found = rec[FOUND_SPANS];
    out[BS_TAG_METRIC_token_accuracy] = rec[RIGHT] / rec[TOKENS];
    out[BS_TAG_METRIC_span_f1] = spans ? f1(right, gold, found) : (double)NAN;
    out[BS_TAG_METRIC_span_precision] = spans ? share(right, found) : (double)NAN;
    out[BS_TAG_METRIC_span_recall] = spans ? share(right, gold) : (double)NAN;
    out[BS_TAG_METRIC_sentence_accuracy] = rec[EXACT] / rec[SENTENCES];
    out[BS_TAG_METRIC_unknown_accuracy] =
        m->unflagged ? (double)NAN : rec[UNKNOWN_RIGHT] / rec[UNKNOWN];
    out[BS_TAG_METRIC_macro_tag_f1] = macro_f1(tag, m->tags->n);
    out[BS_TAG_METRIC_ill_formed] = rec[ILL_FORMED];
    out[BS_TAG_METRIC_accuracy_non_o] = rec[NON_O_RIGHT] / rec[NON_O];
    for (int i = 0; i < BS_TAG_METRIC_COUNT && !(rec[TOKENS] > 0); i++)
        out[i] = (double)NAN;
}

/* ---- making and freeing ---- */

basin_status bs_tag_metrics_new(const bs_tagset *tags, bool keep_rows, bs_tag_metrics **out,
                                basin_error *err)
{
    *out = NULL;
    if (tags->n > MAX_TAGS)
        return bs_fail(err, BASIN_EARG, "metrics of %d tags, at most %d", tags->n, MAX_TAGS);
    bs_tag_metrics *m = bs_calloc(1, sizeof *m);
    if (!m)
        return bs_fail_nomem(err);
    m->tags = tags;
    m->keep_rows = keep_rows;
    m->tag = bs_calloc((size_t)tags->n + 1, TAG_FIELDS * sizeof *m->tag);
    m->type = bs_calloc((size_t)tags->types.n + 1, TYPE_FIELDS * sizeof *m->type);
    if (!m->tag || !m->type) {
        bs_tag_metrics_free(m);
        return bs_fail_nomem(err);
    }
    *out = m;
    return BASIN_OK;
}

void bs_tag_metrics_free(bs_tag_metrics *m)
{
    if (!m)
        return;
    bs_free(m->tag);
    bs_free(m->type);
    bs_free(m->row);
    bs_free(m->event);
    bs_free(m->event_start);
    bs_free(m->gold_span);
    bs_free(m->found_span);
    bs_free(m);
}

const bs_tagset *bs_tag_metrics_tagset(const bs_tag_metrics *m)
{
    return m->tags;
}

/* ---- counting ---- */

static bool make_room(bs_tag_metrics *m, int32_t n)
{
    const size_t rows = (size_t)m->rows;
    if (!BS_GROW(m->gold_span, m->gold_cap, (size_t)n + 1, SIZE_MAX) ||
        !BS_GROW(m->found_span, m->found_cap, (size_t)n + 1, SIZE_MAX))
        return false;
    const int64_t at = rows && m->event_start ? m->event_start[rows] : 0;
    return !m->keep_rows ||
           (BS_GROW(m->row, m->row_cap, (rows + 1) * FIELDS, SIZE_MAX) &&
            BS_GROW(m->event, m->event_cap, (size_t)at + 2 * (size_t)n + 1, SIZE_MAX) &&
            BS_GROW(m->event_start, m->event_start_cap, rows + 2, SIZE_MAX));
}

/* Records an event of a tag, for the totals and for resampling. */
static void note(bs_tag_metrics *m, int32_t tag, int kind, int64_t *at)
{
    if (tag < 0)
        return;
    m->tag[(size_t)tag * TAG_FIELDS + (size_t)kind]++;
    if (m->keep_rows)
        m->event[(*at)++] = (uint32_t)tag * 4 + (uint32_t)kind;
}

static void count_tokens(bs_tag_metrics *m, const int32_t *gold, const int32_t *found, int32_t n,
                         const uint8_t *unknown, int64_t *rec)
{
    const bs_tagset *t = m->tags;
    int64_t          at = 0;
    if (m->keep_rows) {
        at = m->rows ? m->event_start[m->rows] : 0;
        m->event_start[m->rows] = at;
    }
    for (int32_t i = 0; i < n; i++) {
        const bool right = gold[i] == found[i] && gold[i] >= 0;
        const bool outside = gold[i] >= 0 && t->tag[gold[i]].part == 'O';
        rec[RIGHT] += right;
        rec[NON_O] += !outside;
        rec[NON_O_RIGHT] += !outside && right;
        m->gold_missing += gold[i] < 0;
        if (unknown && unknown[i]) {
            rec[UNKNOWN]++;
            rec[UNKNOWN_RIGHT] += right;
        }
        if (right) {
            note(m, gold[i], TP, &at);
        } else {
            note(m, found[i], FP, &at);
            note(m, gold[i], FN, &at);
        }
    }
    if (m->keep_rows)
        m->event_start[m->rows + 1] = at;
    rec[TOKENS] = n;
    rec[SENTENCES] = n > 0;
    rec[EXACT] = n > 0 && rec[RIGHT] == n;
}

/* Both lists are in order, and the spans of each do not overlap. */
static void count_spans(bs_tag_metrics *m, const int32_t *gold, const int32_t *found, int32_t n,
                        int64_t *rec)
{
    const bs_tagset *t = m->tags;
    bs_span         *a = m->gold_span, *b = m->found_span;
    const int32_t    golds = bs_spans(t, gold, n, a, &m->gold_repaired);
    const int32_t    founds = bs_spans(t, found, n, b, &m->predicted_repaired);
    for (int32_t i = 0; i < golds; i++)
        m->type[(size_t)a[i].type * TYPE_FIELDS + GOLD]++;
    for (int32_t i = 0, j = 0; i < founds; i++) {
        m->type[(size_t)b[i].type * TYPE_FIELDS + FOUND]++;
        while (j < golds && a[j].first < b[i].first)
            j++;
        if (j < golds && a[j].first == b[i].first && a[j].end == b[i].end &&
            a[j].type == b[i].type) {
            m->type[(size_t)b[i].type * TYPE_FIELDS + BOTH]++;
            rec[RIGHT_SPANS]++;
        }
    }
    rec[GOLD_SPANS] = golds;
    rec[FOUND_SPANS] = founds;
    rec[ILL_FORMED] = bs_tagset_faults(t, found, n);
}

basin_status bs_tag_metrics_add(bs_tag_metrics *m, const int32_t *gold, const int32_t *predicted,
                                const int32_t *start, int32_t sentences,
                                const uint8_t *unknown_word, basin_error *err)
{
    basin_status s = bs_text_check(m->tags->n, gold, start, sentences, err);
    if (!s)
        s = bs_text_check(m->tags->n, predicted, start, sentences, err);
    if (s)
        return s;
    if (sentences > MAX_ROWS - m->rows)
        return bs_fail(err, BASIN_EARG, "more than %d sentences to evaluate", MAX_ROWS);
    m->unflagged = m->unflagged || (!unknown_word && sentences > 0);
    for (int32_t i = 0; i < sentences; i++) {
        const int32_t at = start[i], n = start[i + 1] - at;
        int64_t       rec[FIELDS] = {0};
        if (!make_room(m, n))
            return bs_fail_nomem(err);
        count_tokens(m, gold + at, predicted + at, n, unknown_word ? unknown_word + at : NULL, rec);
        count_spans(m, gold + at, predicted + at, n, rec);
        for (int k = 0; k < FIELDS; k++) {
            m->total[k] += rec[k];
            if (m->keep_rows)
                m->row[(size_t)m->rows * FIELDS + (size_t)k] = (double)rec[k];
        }
        m->rows++;
    }
    return BASIN_OK;
}

/* ---- results ---- */

void bs_tag_metrics_finish(const bs_tag_metrics *m, double out[BS_TAG_METRIC_COUNT])
{
    double from[FIELDS];
    for (int k = 0; k < FIELDS; k++)
        from[k] = (double)m->total[k];
    values(m, from, m->tag, out);
}

bs_tag_counts bs_tag_metrics_counts(const bs_tag_metrics *m)
{
    return (bs_tag_counts){.sentences = m->total[SENTENCES],
                           .tokens = m->total[TOKENS],
                           .right = m->total[RIGHT],
                           .gold_spans = m->total[GOLD_SPANS],
                           .predicted_spans = m->total[FOUND_SPANS],
                           .right_spans = m->total[RIGHT_SPANS],
                           .gold_repaired = m->gold_repaired,
                           .predicted_repaired = m->predicted_repaired,
                           .gold_missing = m->gold_missing,
                           .unknown_words = m->total[UNKNOWN]};
}

bs_type_score bs_type_score_of(const char *name, int64_t gold, int64_t found, int64_t right)
{
    const double g = (double)gold, p = (double)found, r = (double)right;
    return (bs_type_score){.type = name,
                           .gold = gold,
                           .predicted = found,
                           .right = right,
                           .precision = share(r, p),
                           .recall = share(r, g),
                           .f1 = f1(r, g, p)};
}

void bs_tag_metrics_types(const bs_tag_metrics *m, bs_type_score *out)
{
    for (int32_t i = 0; i < m->tags->types.n; i++) {
        const int64_t *c = m->type + (size_t)i * TYPE_FIELDS;
        out[i] = bs_type_score_of(m->tags->types.item[i].text, c[GOLD], c[FOUND], c[BOTH]);
    }
}

void bs_tag_metrics_tags(const bs_tag_metrics *m, bs_type_score *out, const char *const *names)
{
    for (int32_t i = 0; i < m->tags->n; i++) {
        const double *c = m->tag + (size_t)i * TAG_FIELDS;
        out[i] = bs_type_score_of(names[i], (int64_t)(c[TP] + c[FN]), (int64_t)(c[TP] + c[FP]),
                                  (int64_t)c[TP]);
    }
}

/* ---- resampling: the record, then the counts per tag ---- */

static void add(const void *self, const float *weight, double *to)
{
    const bs_tag_metrics *m = self;
    bs_sampled_dense(m->row, m->rows, FIELDS, weight, to);
    to += FIELDS * BS_LANES;
    for (int32_t row = 0; row < m->rows; row++) {
        const float *w = weight + (size_t)row * BS_LANES;
        for (int64_t i = m->event_start[row]; i < m->event_start[row + 1]; i++) {
            const uint32_t e = m->event[i];
            double        *count = to + ((size_t)(e >> 2) * TAG_FIELDS + (e & 3)) * BS_LANES;
            for (int j = 0; j < BS_LANES; j++)
                count[j] += (double)w[j];
        }
    }
}

static void value(const void *self, const double *from, double *out)
{
    values(self, from, from + FIELDS, out);
}

basin_status bs_tag_metrics_sampled(const bs_tag_metrics *m, bs_sampled *out, basin_error *err)
{
    if (!m->keep_rows)
        return bs_fail(err, BASIN_EARG, "resampling needs metrics made with keep_rows");
    *out = (bs_sampled){.self = m,
                        .rows = m->rows,
                        .width = FIELDS + (size_t)m->tags->n * TAG_FIELDS,
                        .values = BS_TAG_METRIC_COUNT,
                        .add = add,
                        .value = value};
    return BASIN_OK;
}
