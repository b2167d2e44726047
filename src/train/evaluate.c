/* evaluate.c -- see evaluate.h. */
#include "train/evaluate.h"

#include <math.h>

#include "base/opt.h"

basin_status bs_score_dataset(bs_scorer *s, const bs_spec *spec, const bs_dataset *data,
                              const bs_schema *schema, float *scores, float *energies,
                              basin_error *err)
{
    const bs_mlc_shape *shape = &spec->mlc;
    if (shape->sparse)
        return bs_scorer_csr(s, &data->x, scores, energies, err);
    const size_t D = (size_t)shape->features, L = (size_t)shape->labels;
    float       *rows = bs_calloc(BS_SCORE_BLOCK * D, sizeof *rows);
    basin_status status = rows ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t first = 0; first < data->rows && !status; first += BS_SCORE_BLOCK) {
        int32_t left = data->rows - first, n = left < BS_SCORE_BLOCK ? left : BS_SCORE_BLOCK;
        bs_dataset_dense(data, schema, NULL, first, n, rows);
        status = bs_scorer_dense(s, rows, n, scores + (size_t)first * L,
                                 energies ? energies + first : NULL, err);
    }
    bs_free(rows);
    return status;
}

basin_status bs_measure(const bs_dataset *data, const float *scores, const bs_threshold *t,
                        bs_profile_id profile, uint32_t want, double out[BS_METRIC_COUNT],
                        basin_error *err)
{
    bs_metrics       *m;
    bs_metric_options o = {.profile = profile, .want = want};
    basin_status      status = bs_metrics_new(&o, data->schema.n_labels, &m, err);
    if (status)
        return status;
    status = bs_metrics_add(m, &data->y, scores, t, NULL, err);
    if (!status)
        status = bs_metrics_finish(m, out, err);
    bs_metrics_free(m);
    return status;
}

void bs_metrics_json(const double values[BS_METRIC_COUNT], bs_buf *out)
{
    char number[BS_NUMBER_TEXT];
    bool first = true;
    bs_buf_text(out, "{");
    for (int i = 0; i < BS_METRIC_COUNT; i++) {
        if (!isfinite(values[i]))
            continue;
        bs_format_double(values[i], number);
        bs_buf_printf(out, "%s\"%s\": %s", first ? "" : ", ", bs_metric_table[i].name, number);
        first = false;
    }
    bs_buf_text(out, "}");
}
