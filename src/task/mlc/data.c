/* data.c -- the task of multi-label data: rows of features and sets of labels. */
#include "task/mlc/data.h"

#include <string.h>

#include "data/split.h"

static void remark(const bs_dataset *p, const bs_preprocess *k, bool label_free, bs_logger *log)
{
    bs_mlc_strange(&bs_dataset_mlc(p)->met, bs_columns_mlc(k), label_free, log);
}

static void free_part(bs_dataset *p)
{
    bs_rows_free(bs_dataset_mlc(p));
}

static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    return bs_split(bs_dataset_mlc(p), share, parts, NULL, seed, part, err);
}

static void known_free(bs_preprocess *k)
{
    bs_mlc_text_free(bs_preprocess_mlc(k)->text);
}

static const char *unit_name(const bs_preprocess *k, int growth, int32_t i, char room[BS_UNIT_NAME])
{
    (void)room;
    if (growth == 1)
        return bs_schema_mlc(k)->label[i];
    return bs_schema_mlc(k)->feature ? bs_schema_mlc(k)->feature[i].name : NULL;
}

static int labels(const bs_preprocess *k)
{
    return bs_schema_mlc(k)->n_labels;
}

static const char *label(const bs_preprocess *k, int i)
{
    return bs_schema_mlc(k)->label[i];
}

/* ---- outputs ---- */

static basin_status make_outputs(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err)
{
    size_t cells = (size_t)p->rows * (size_t)bs_schema_mlc(k)->n_labels;
    *out = (bs_outputs){.task = &bs_task_mlc, .scores = bs_calloc(cells + 1, sizeof *out->scores)};
    return out->scores ? BASIN_OK : bs_fail_nomem(err);
}

/* The sum over labels, mean over rows. */
static double cross_entropy(const bs_rows *data, const float *scores, int32_t L)
{
    double sum = 0;
    for (int32_t r = 0; r < data->rows; r++) {
        const float *p = scores + (size_t)r * (size_t)L;
        int32_t      e = data->y.start[r];
        for (int32_t l = 0; l < L; l++) {
            const bool on = e < data->y.start[r + 1] && data->y.index[e] == l;
            e += on;
            sum += bs_log_loss(on ? (double)p[l] : 1 - (double)p[l]);
        }
    }
    return sum / data->rows;
}

basin_status bs_mlc_scores(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                           const bs_rows *data, int64_t number, float *scores, float *energy,
                           basin_error *err)
{
    const bs_schema *schema = bs_schema_mlc(k);
    bs_mlc_text     *text = bs_preprocess_mlc(k)->text;
    if (text)
        return bs_mlc_text_scores(s, spec, text, schema, data, number, scores, energy, err);
    if (bs_net_spec_mlc(spec)->sparse)
        return bs_scorer_csr(s, &data->x, number, scores, energy, err);
    const size_t D = (size_t)schema->n_features, L = (size_t)schema->n_labels;
    const size_t block = data->rows < BS_SCORE_BLOCK ? (size_t)data->rows : BS_SCORE_BLOCK;
    float       *rows = bs_calloc(block * D + 1, sizeof *rows);
    basin_status status = rows ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t first = 0; first < data->rows && !status; first += BS_SCORE_BLOCK) {
        int32_t left = data->rows - first, n = left < BS_SCORE_BLOCK ? left : BS_SCORE_BLOCK;
        bs_rows_dense(data, schema, NULL, first, n, rows);
        status = bs_scorer_dense(s, rows, n, (int32_t)D, number + first, scores + (size_t)first * L,
                                 energy ? energy + first : NULL, err);
    }
    bs_free(rows);
    return status;
}

static void place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all)
{
    const size_t L = (size_t)bs_schema_mlc(k)->n_labels;
    memcpy(all->scores + (size_t)row * L, some->scores, (size_t)rows * L * sizeof *all->scores);
    if (some->on && !all->on)
        all->on = bs_calloc((size_t)whole->rows * L, 1);
    all->by = some->on && all->on ? some->by : BS_DECIDE_THRESHOLD;
    if (some->on && all->on)
        memcpy(all->on + (size_t)row * L, some->on, (size_t)rows * L);
}

static basin_status predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    basin_status status =
        bs_mlc_scores(s, spec, k, bs_dataset_mlc(p), out->first + 1, out->scores, out->energy, err);
    if (!status)
        status = bs_mlc_decide(s, spec, k, p, out, err);
    if (!status && out->cross_entropy)
        *out->cross_entropy =
            cross_entropy(bs_dataset_mlc(p), out->scores, bs_net_spec_mlc(spec)->labels);
    return status;
}

/* ---- metrics ---- */

static void truths(const bs_dataset *p, bool *out)
{
    const bs_csr *gold = &bs_dataset_mlc(p)->y;
    memset(out, 0, (size_t)gold->rows * (size_t)gold->cols * sizeof *out);
    for (int32_t r = 0; r < gold->rows; r++)
        for (int32_t k = gold->start[r]; k < gold->start[r + 1]; k++)
            out[(size_t)r * (size_t)gold->cols + (size_t)gold->index[k]] = true;
}

static void counts_free(bs_measurement *c)
{
    bs_metrics_free(bs_measurement_mlc(c));
    c->own = NULL;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    bs_metric_options o = {.profile = how->profile,
                           .want = how->want,
                           .keep_rows = how->keep_rows,
                           .ap_bytes = how->ap_bytes};
    *out = (bs_measurement){.task = &bs_task_mlc};
    bs_metrics  *m = NULL;
    basin_status s = bs_metrics_new(&o, bs_schema_mlc(k)->n_labels, &m, err);
    out->own = m;
    if (!s)
        s = bs_metrics_add(m, &bs_dataset_mlc(p)->y, y->scores, threshold,
                           threshold && threshold->by ? y->on : NULL, err);
    if (s)
        counts_free(out);
    return s;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    return bs_metrics_finish(bs_measurement_mlc(c), out, err);
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    return bs_metrics_sampled(bs_measurement_mlc(c), out, err);
}

static void *reading(bs_settings *s, bs_preprocess *k, const bs_option **rows)
{
    (void)k;
    *rows = bs_read_rows;
    return &s->read;
}

/* Chosen on emotions, flags, genbase, cellcycle_fun, gasch1_fun, seq_fun, tmc2007-500 and bibtex;
 * docs/results.md tells how they do on other data. */
#define BETTER "net.bias=yes early_stop.at=shipped "
static const bs_candidate candidates[] = {
    {"linear", "ce", BETTER "net.layers=0", 1, false},
    {"net", "ce", BETTER, 3, false},
    {"members", "ce", BETTER "net.members=8 net.width=256", 10, false},
    {"energy", "seal-nce", BETTER, 8, true},
    {.name = NULL},
};

const bs_task bs_task_mlc = {
    .name = "mlc",
    .help = "multi-label classification: a set of labels for each row",
    .graph = &bs_task_space_mlc,
    .unit = "rows",
    .reads = BS_READS_ROWS,
    .method = "seal-nce",
    .energy_kinds = &bs_energy_kinds,
    .candidates = candidates,
    .time_factor = 12, /* the first is a linear model */
    .most_rows_for_folds = 5000,
    .taught = true,
    .options = " data. encoder. ",
    .reading = reading,
    .metric = bs_metric_table,
    .n_metrics = BS_METRIC_COUNT,
    .shown = {{BS_METRIC_example_f1, "ex-F1", 12, 2, true},
              {BS_METRIC_micro_f1, "mi-F1", 7, 2, true},
              {BS_METRIC_macro_f1, "ma-F1", 7, 2, true},
              {BS_METRIC_subset_accuracy, "subset", 7, 2, true},
              {BS_METRIC_hamming_loss, "hamming", 8, 4, false},
              {BS_METRIC_lrap, "LRAP", 6, 3, false},
              {BS_METRIC_ece, "ECE", 6, 3, false}},
    .independent = "energy.scale=0",
    .untuned = true,
    .tunes = true,
    .decides = ~(1u << BS_DECIDE_THRESHOLD),
    .sniff = bs_mlc_sniff,
    .stream = bs_mlc_stream,
    .read = bs_mlc_read,
    .remark = remark,
    .free = free_part,
    .split = split,
    .split_how = "by iterative stratification",
    .select = bs_mlc_select,
    .grows = {{"features", offsetof(bs_mlc_shape, features), BS_AXIS_SIDE_BY_SIDE},
              {"labels", offsetof(bs_mlc_shape, labels), BS_AXIS_COPIES}},
    .unit_name = unit_name,
    .widen = bs_mlc_widen,
    .fit = bs_mlc_fit,
    .labels = labels,
    .label = label,
    .known_text = bs_mlc_known_text,
    .known_json = bs_mlc_known_json,
    .known_read = bs_mlc_known_read,
    .known_free = known_free,
    .spec = bs_mlc_spec,
    .check = bs_mlc_check,
    .fill = bs_mlc_fill,
    .feed = bs_batches_mlc,
    .outputs = make_outputs,
    .predict = predict,
    .energies = bs_energies_mlc,
    .place = place,
    .choose = bs_mlc_choose,
    .truths = truths,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &bs_task_eval_mlc,
    .predict_files = &bs_task_write_mlc,
    .memory = &bs_task_memory_mlc,
};
