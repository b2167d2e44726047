/* metric_boot.c -- the metrics as a source of bootstrap replicates for stats.h. */
#include "data/metric.h"

#include "data/metric_part.h"

/* Sums of a replicate: the record, the counts per label, average precision. */
static size_t label_at(const bs_metrics *m)
{
    return m->width;
}

static size_t ap_at(const bs_metrics *m)
{
    return m->width + (size_t)m->L * BS_LABEL_FIELDS;
}

static void add(const void *self, const float *weight, double *sums)
{
    const bs_metrics *m = self;
    const uint32_t    possible = bs_metrics_possible(m);
    const int32_t     rows = (int32_t)m->counts.rows;
    bs_sampled_dense(m->row, rows, m->width, weight, sums);
    if (possible & BS_METRIC_BIT(macro_f1)) {
        double *label = sums + label_at(m) * BS_LANES;
        for (int32_t row = 0; row < rows; row++) {
            const float *w = weight + (size_t)row * BS_LANES;
            for (int64_t i = m->event_start[row]; i < m->event_start[row + 1]; i++) {
                const uint32_t e = m->event[i];
                double *to = label + ((size_t)(e >> 2) * BS_LABEL_FIELDS + (e & 3)) * BS_LANES;
                for (int j = 0; j < BS_LANES; j++)
                    to[j] += (double)w[j];
            }
        }
    }
    if (possible & BS_METRIC_BIT(map_label))
        bs_ap_lanes(&m->ap, m->p, weight, sums + ap_at(m) * BS_LANES);
}

static void value(const void *self, const double *sums, double *out)
{
    const bs_metrics *m = self;
    bs_metric_sums    s = {.profile = m->p,
                           .L = m->L,
                           .bins = m->o.ece_bins,
                           .rec = sums,
                           .label = sums + label_at(m),
                           .ap_sum = sums[ap_at(m)],
                           .ap_labels = sums[ap_at(m) + 1]};
    bs_metric_values(&s, bs_metrics_possible(m), out);
}

basin_status bs_metrics_sampled(bs_metrics *m, bs_sampled *out, basin_error *err)
{
    if (!m->o.keep_rows)
        return bs_fail(err, BASIN_EARG, "resampling needs metrics made with keep_rows");
    if (m->counts.rows == 0 && m->counts.dropped > 0)
        return bs_fail(err, BASIN_EDATA,
                       "none of the %lld rows has a label, and by the conventions of %s such rows "
                       "do not count",
                       (long long)m->counts.dropped, m->p->name);
    if (bs_metrics_possible(m) & BS_METRIC_BIT(map_label) && m->counts.rows) {
        basin_status s = bs_ap_build(&m->ap, m->p, err);
        if (s)
            return s;
    }
    *out = (bs_sampled){.self = m,
                        .rows = (int32_t)m->counts.rows,
                        .width = ap_at(m) + 2,
                        .values = BS_METRIC_COUNT,
                        .fixed = BS_METRIC_BIT(map_label),
                        .add = add,
                        .value = value};
    return BASIN_OK;
}
