/* data.c -- the toy task outside the graph: its files, batches, outputs and metrics. */
#include <stdlib.h>
#include <string.h>

#include "api/eval.h"
#include "api/model.h"
#include "api/predict.h"
#include "file/checksum.h"
#include "toy/toy.h"

/* ---- files ---- */

static int sniff(const char *path, const char *head, size_t n)
{
    (void)path;
    return head && n > 4 && memcmp(head, "toy\n", 4) == 0 ? 100 : 0;
}

static void free_rows(bs_dataset *p)
{
    toy_rows *t = bs_dataset_toy(p);
    if (!t)
        return;
    bs_free(t->x);
    bs_free(t->class);
    bs_free(t);
}

static basin_status make_rows(int32_t rows, int32_t features, bs_dataset *out, basin_error *err)
{
    toy_rows *t = bs_calloc(1, sizeof *t);
    *out = (bs_dataset){.task = &bs_task_toy, .rows = rows, .own = t};
    if (t)
        *t = (toy_rows){.rows = rows,
                        .features = features,
                        .x = bs_calloc((size_t)rows * (size_t)features + 1, sizeof *t->x),
                        .class = bs_calloc((size_t)rows + 1, sizeof *t->class)};
    if (t && t->x && t->class)
        return BASIN_OK;
    bs_dataset_free(out);
    return bs_fail_nomem(err);
}

/* The numbers of a line after the letter, counted or taken. */
static basin_status read_line(char *line, const char *file, int number, float *x, int *n,
                              basin_error *err)
{
    char *save = NULL;
    *n = 0;
    for (char *word = strtok_r(line + 1, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        double value;
        if (!bs_parse_double(word, &value))
            return bs_fail(err, BASIN_EDATA, "%s:%d: '%.20s' is not a number", file, number, word);
        if (x)
            x[*n] = (float)value;
        ++*n;
    }
    return BASIN_OK;
}

static basin_status add_line(char *line, const char *file, int number, toy_rows *t,
                             basin_error *err)
{
    int n;
    if (*line < 'a' || *line > 'z')
        return bs_fail(err, BASIN_EDATA, "%s:%d: a row begins with a letter, a to z", file, number);
    char *copy = bs_alloc(strlen(line) + 1);
    if (!copy)
        return bs_fail_nomem(err);
    basin_status s = read_line(strcpy(copy, line), file, number, NULL, &n, err);
    bs_free(copy);
    if (!s && n != t->features)
        s = bs_fail(err, BASIN_EDATA, "%s:%d: %d numbers, not %d", file, number, n,
                    (int)t->features);
    if (s)
        return s;
    t->class[t->rows] = *line - 'a';
    return read_line(line, file, number, t->x + (size_t)t->rows++ * (size_t)n, &n, err);
}

static basin_status read_text(char *text, const char *file, const bs_read_request *w,
                              bs_dataset *out, basin_error *err)
{
    char        *save = NULL, *line = strtok_r(text, "\n", &save);
    int          features = 0, lines = 1;
    basin_status s = BASIN_OK;
    if (!line || strcmp(line, "toy") != 0)
        return bs_fail(err, BASIN_EDATA, "%s:1: not a toy file; its first line is 'toy'", file);
    for (const char *p = save; p && *p; p++) {
        lines += *p == '\n';
        features += lines == 1 && *p == ' ';
    }
    if (w->known)
        features = bs_preprocess_toy(w->known)->features;
    s = make_rows(lines, features, out, err);
    if (s)
        return s;
    toy_rows *t = bs_dataset_toy(out);
    t->rows = 0;
    for (int i = 2; !s && (line = strtok_r(NULL, "\n", &save)); i++)
        s = add_line(line, file, i, t, err);
    out->rows = t->rows;
    out->hash = bs_hash64(t->x, (size_t)t->rows * (size_t)t->features * sizeof *t->x);
    if (s)
        bs_dataset_free(out);
    return s;
}

static basin_status read_files(const bs_settings *o, const bs_read_request *w, bs_notes *notes,
                               bs_dataset *out, basin_error *err)
{
    bs_buf text;
    (void)o;
    (void)notes;
    if (w->n != 1 || w->given)
        return bs_fail(err, BASIN_EARG, "toys are read from one file");
    bs_buf_init(&text, 1 << 24);
    basin_status s = bs_read_file(w->file[0], &text, err);
    if (!s)
        s = read_text(text.len ? text.data : strcpy((char[1]){0}, ""), w->file[0], w, out, err);
    bs_buf_free(&text);
    return s;
}

/* Rows are dealt in turns, in a random order. */
static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    bs_rng   rng = bs_rng_make(seed, 0, 1);
    int32_t *order = bs_calloc((size_t)p->rows + 1, sizeof *order);
    if (!order)
        return bs_fail_nomem(err);
    bs_rng_permutation(&rng, order, p->rows);
    double end = 0;
    for (int32_t k = 0, i = 0; k < parts; k++) {
        end += share[k] * p->rows;
        for (; i < p->rows && (i < (int32_t)(end + 0.5) || k == parts - 1); i++)
            part[order[i]] = k;
    }
    bs_free(order);
    return BASIN_OK;
}

static basin_status select_rows(const bs_dataset *p, const int32_t *rows, int32_t n,
                                bs_dataset *out, basin_error *err)
{
    const toy_rows *t = bs_dataset_toy(p);
    const size_t    D = (size_t)t->features;
    basin_status    s = make_rows(n, t->features, out, err);
    for (int32_t i = 0; i < n && !s; i++) {
        toy_rows *to = bs_dataset_toy(out);
        memcpy(to->x + (size_t)i * D, t->x + (size_t)rows[i] * D, D * sizeof *t->x);
        to->class[i] = t->class[rows[i]];
    }
    out->hash = p->hash;
    return s;
}

/* ---- what a model keeps ---- */

static basin_status fit(const bs_settings *o, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err)
{
    toy_known *k = bs_preprocess_begin(out, &bs_task_toy, sizeof *k);
    (void)o;
    (void)log;
    if (!k)
        return bs_fail_nomem(err);
    k->features = bs_dataset_toy(&part[0])->features;
    for (int i = 0; i < n; i++)
        for (int32_t r = 0; part[i].task && r < part[i].rows; r++)
            if (bs_dataset_toy(&part[i])->class[r] >= k->classes)
                k->classes = bs_dataset_toy(&part[i])->class[r] + 1;
    return BASIN_OK;
}

static int labels(const bs_preprocess *k)
{
    return bs_preprocess_toy(k)->classes;
}

static const char *label(const bs_preprocess *k, int i)
{
    static const char names[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0q\0r\0s\0t\0u\0v\0"
                                "w\0x\0y\0z";
    (void)k;
    return names + 2 * i;
}

static void known_text(const bs_preprocess *k, bs_buf *out)
{
    bs_buf_printf(out, "%d numbers, %d classes", bs_preprocess_toy(k)->features,
                  bs_preprocess_toy(k)->classes);
}

static void known_json(const bs_preprocess *k, bs_buf *out)
{
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "features %d classes %d", bs_preprocess_toy(k)->features,
                    bs_preprocess_toy(k)->classes);
    bs_json_close(out, '}');
}

static basin_status known_read(json_t *o, const char *where, bs_preprocess *out, basin_error *err)
{
    toy_known *k = bs_preprocess_begin(out, &bs_task_toy, sizeof *k);
    if (!k)
        return bs_fail_nomem(err);
    k->features = (int)json_integer_value(json_object_get(o, "features"));
    k->classes = (int)json_integer_value(json_object_get(o, "classes"));
    if (k->features < 1 || k->features > 1 << 16 || k->classes < 1 || k->classes > TOY_CLASSES)
        return bs_fail(err, BASIN_EDATA, "%s: not what a toy model keeps", where);
    return BASIN_OK;
}

static basin_status make_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                              basin_error *err)
{
    toy_shape    shape = {.features = bs_preprocess_toy(k)->features,
                          .classes = bs_preprocess_toy(k)->classes,
                          .width = o->net_width,
                          .layers = o->net_layers,
                          .hidden = o->energy_hidden,
                          .dropout = o->net_dropout,
                          .shared = strcmp(o->energy_encoder, "shared") == 0};
    basin_status s = bs_encoder_find(o->net_kind, BS_READS_ROWS, &shape.net, err);
    if (!s)
        shape.own = bs_encoder_options(o, shape.net);
    *out = bs_net_spec_make(&bs_task_space_toy, (bs_size){1, 1, 1}, &shape, sizeof shape);
    return s;
}

static void *reading(bs_settings *s, bs_preprocess *k, const bs_option **rows)
{
    static const bs_option none[] = {{.name = NULL}};
    (void)k;
    *rows = none;
    return s;
}

/* ---- batches ---- */

typedef struct {
    bs_batches      base;
    const toy_rows *t;
    int             classes;
    bs_batch        batch;
    real           *x, *gold;
} feed;

static void free_feed(bs_batches *base)
{
    feed *f = (feed *)base;
    bs_free(f->x);
    bs_free(f->gold);
    bs_free(f);
}

static void order_rows(bs_batches *base, bs_rng *rng, int32_t *order)
{
    bs_rng_permutation(rng, order, ((feed *)base)->t->rows);
}

static const bs_batch *take_rows(bs_batches *base, const int32_t *index, int32_t n)
{
    feed        *f = (feed *)base;
    const size_t D = (size_t)f->t->features, C = (size_t)f->classes;
    memset(f->gold, 0, (size_t)n * C * sizeof *f->gold);
    for (size_t i = 0; i < (size_t)n; i++) {
        for (size_t d = 0; d < D; d++)
            f->x[i * D + d] = (real)f->t->x[(size_t)index[i] * D + d];
        f->gold[i * C + (size_t)f->t->class[index[i]]] = 1;
    }
    f->batch = (bs_batch){.size = {n, 1, 1}, .x = {f->x}, .gold = f->gold};
    return &f->batch;
}

static basin_status make_feed(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                              const bs_train_options *o, bs_batches **out, basin_error *err)
{
    feed           *f = bs_calloc(1, sizeof *f);
    const toy_rows *t = bs_dataset_toy(p);
    const size_t    B = (size_t)o->batch;
    (void)spec;
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    *f = (feed){.base = {order_rows, bs_batches_fit_all, take_rows, free_feed, p->rows},
                .t = t,
                .classes = labels(k),
                .x = bs_calloc(B * (size_t)t->features, sizeof *f->x),
                .gold = bs_calloc(B * (size_t)labels(k), sizeof *f->gold)};
    if (!f->x || !f->gold) {
        free_feed(&f->base);
        return bs_fail_nomem(err);
    }
    *out = &f->base;
    return BASIN_OK;
}

/* ---- outputs ---- */

static basin_status make_outputs(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err)
{
    const size_t cells = (size_t)p->rows * (size_t)labels(k);
    *out = (bs_outputs){.task = &bs_task_toy, .scores = bs_calloc(cells + 1, sizeof *out->scores)};
    return out->scores ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    const toy_rows *t = bs_dataset_toy(p);
    double          sum = 0;
    (void)spec;
    basin_status status = bs_scorer_dense(s, t->x, t->rows, t->features, out->first + 1,
                                          out->scores, out->energy, err);
    for (int32_t r = 0; r < t->rows; r++)
        if (t->class[r] < labels(k))
            sum += bs_log_loss((double)out->scores[r * labels(k) + t->class[r]]);
    if (out->cross_entropy)
        *out->cross_entropy = sum / (t->rows ? t->rows : 1);
    return status;
}

static void place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all)
{
    const size_t C = (size_t)labels(k);
    (void)whole;
    memcpy(all->scores + (size_t)row * C, some->scores, (size_t)rows * C * sizeof *all->scores);
}

static int32_t best_of(const float *p, int C)
{
    int32_t best = 0;
    for (int c = 1; c < C; c++)
        if (p[c] > p[best])
            best = c;
    return best;
}

/* ---- metrics ---- */

static const bs_metric metrics[] = {
    {"accuracy", "share of rows with the right class", true, true, 0, 1}};

typedef struct {
    int32_t rows;
    double *hit; /* [rows, 2]: whether a row is right, and 1 */
} counts;

static void counts_free(bs_measurement *c)
{
    counts *n = c->own;
    bs_free(n ? n->hit : NULL);
    bs_free(n);
    c->own = NULL;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    const int C = labels(k);
    counts   *n = bs_calloc(1, sizeof *n);
    (void)threshold;
    (void)how;
    *out = (bs_measurement){.task = &bs_task_toy, .own = n};
    if (!n || !(n->hit = bs_calloc(2 * (size_t)p->rows + 1, sizeof *n->hit))) {
        counts_free(out);
        return bs_fail_nomem(err);
    }
    n->rows = p->rows;
    for (int32_t r = 0; r < p->rows; r++) {
        n->hit[2 * r] =
            best_of(y->scores + (size_t)r * (size_t)C, C) == bs_dataset_toy(p)->class[r];
        n->hit[2 * r + 1] = 1;
    }
    return BASIN_OK;
}

static void add(const void *self, const float *weight, double *sums)
{
    const counts *n = self;
    bs_sampled_dense(n->hit, n->rows, 2, weight, sums);
}

static void value(const void *self, const double *sums, double *out)
{
    (void)self;
    *out = sums[0] / sums[1];
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    const counts *n = c->own;
    (void)err;
    *out = (bs_sampled){
        .self = n, .rows = n->rows, .width = 2, .values = 1, .add = add, .value = value};
    return BASIN_OK;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    const counts *n = c->own;
    double        sums[2] = {0};
    (void)err;
    for (int32_t r = 0; r < 2 * n->rows; r++)
        sums[r % 2] += n->hit[r];
    value(n, sums, out);
    return BASIN_OK;
}

/* ---- behind basin.h ---- */

static basin_status check_eval(const basin_eval_options *o, basin_error *err)
{
    if (o->conlleval || o->per_label)
        return bs_fail(err, BASIN_EARG, "toys have only accuracy");
    return BASIN_OK;
}

static basin_status check_predict(bs_model_file *m, const basin_predict_options *o,
                                  basin_error *err)
{
    (void)m;
    if (o->format)
        return bs_fail(err, BASIN_EARG, "--format: toys are written as lines");
    return BASIN_OK;
}

static basin_status write_rows(const bs_model_file *m, const basin_predict_options *o,
                               const bs_dataset *data, const bs_outputs *y, bs_target *out,
                               basin_error *err)
{
    const int    C = labels(&m->known);
    char         line[64];
    basin_status s = BASIN_OK;
    (void)o;
    for (int32_t r = 0; r < data->rows && !s; r++) {
        const float *p = y->scores + (size_t)r * (size_t)C;
        const int    best = best_of(p, C);
        const int    n =
            bs_print(line, sizeof line, "%s %.4f\n", label(&m->known, best), (double)p[best]);
        s = bs_target_put(out, line, (size_t)n, err);
    }
    return s;
}

static const bs_task_eval   evaluation = {.check = check_eval};
static const bs_task_write  writing = {.check = check_predict, .write = write_rows};
static const bs_task_memory memory = {.what = "toys", .function = "basin_predict_files"};

static const bs_candidate candidates[] = {{"net", "ce", "", 1, false}, {.name = NULL}};

const bs_task bs_task_toy = {
    .name = "toy",
    .help = "a class for each row",
    .graph = &bs_task_space_toy,
    .unit = "toys",
    .reads = BS_READS_ROWS,
    .method = "ce",
    .candidates = candidates,
    .time_factor = 1,
    .reading = reading,
    .metric = metrics,
    .n_metrics = 1,
    .shown = {{0, "accuracy", 8, 2, true}},
    .sniff = sniff,
    .read = read_files,
    .free = free_rows,
    .split = split,
    .split_how = "at random",
    .select = select_rows,
    .fit = fit,
    .labels = labels,
    .label = label,
    .known_text = known_text,
    .known_json = known_json,
    .known_read = known_read,
    .spec = make_spec,
    .feed = make_feed,
    .outputs = make_outputs,
    .predict = predict,
    .place = place,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &evaluation,
    .predict_files = &writing,
    .memory = &memory,
};
