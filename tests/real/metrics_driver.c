/* metrics_driver.c -- evaluates one matrix for tools/check_metrics.py.
 *
 *     metrics_driver FILE PROFILE BATCH
 *
 * FILE: int32 rows, int32 labels, float threshold, then gold bytes [rows, labels],
 * float scores [rows, labels] and decision bytes [rows, labels]. Prints one
 * "name value" per line, with 17 digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/metric.h"

typedef struct {
    int32_t  rows, L;
    float    threshold;
    uint8_t *gold, *on;
    float   *scores;
    int32_t *start, *index;
} matrix;

static void die(const char *what)
{
    fprintf(stderr, "metrics_driver: %s\n", what);
    exit(1);
}

static void take(FILE *f, void *to, size_t bytes)
{
    if (!to || fread(to, 1, bytes, f) != bytes)
        die("short file");
}

static matrix read_matrix(const char *path)
{
    matrix m = {0};
    FILE  *f = fopen(path, "rb");
    if (!f)
        die("cannot open the file");
    take(f, &m.rows, sizeof m.rows);
    take(f, &m.L, sizeof m.L);
    take(f, &m.threshold, sizeof m.threshold);
    size_t cells = (size_t)m.rows * (size_t)m.L;
    m.gold = bs_alloc(cells);
    m.scores = bs_alloc(cells * sizeof *m.scores);
    m.on = bs_alloc(cells);
    take(f, m.gold, cells);
    take(f, m.scores, cells * sizeof *m.scores);
    take(f, m.on, cells);
    fclose(f);
    m.start = bs_alloc(((size_t)m.rows + 1) * sizeof *m.start);
    m.index = bs_alloc(cells * sizeof *m.index);
    if (!m.start || !m.index)
        die("out of memory");
    int32_t n = 0;
    for (int32_t row = 0; row < m.rows; row++) {
        m.start[row] = n;
        for (int32_t l = 0; l < m.L; l++)
            if (m.gold[(size_t)row * (size_t)m.L + (size_t)l])
                m.index[n++] = l;
    }
    m.start[m.rows] = n;
    return m;
}

static void free_matrix(matrix *m)
{
    bs_free(m->gold);
    bs_free(m->on);
    bs_free(m->scores);
    bs_free(m->start);
    bs_free(m->index);
}

static void print_labels(bs_metrics *m, int32_t L)
{
    basin_error     err;
    bs_label_score *table = bs_calloc((size_t)L, sizeof *table);
    if (!table || bs_metrics_labels(m, table, &err))
        die("no table of labels");
    for (int32_t l = 0; l < L; l++) {
        const bs_label_score *s = &table[l];
        printf("label.%d.counts %lld %lld %lld %lld\n", l, (long long)s->tp, (long long)s->fp,
               (long long)s->fn, (long long)s->tn);
        printf("label.%d.precision %.17g\nlabel.%d.recall %.17g\n", l, s->precision, l, s->recall);
        printf("label.%d.f1 %.17g\nlabel.%d.ap %.17g\n", l, s->f1, l, s->ap);
    }
    bs_free(table);
}

static void print_thresholds(const matrix *x, const bs_csr *gold, bs_profile_id profile)
{
    basin_error err;
    for (int i = 0; i < BS_METRIC_COUNT; i++) {
        bs_threshold t;
        double       value;
        if (!bs_metric_table[i].decided)
            continue;
        if (bs_threshold_tune(gold, x->scores, i, (int)profile, &t, &value, &err))
            die(err.msg);
        printf("tuned.%s %.17g\ncut.%s %.17g\n", bs_metric_table[i].name, value,
               bs_metric_table[i].name, (double)t.global);
    }
}

int main(int argc, char **argv)
{
    basin_error   err;
    bs_profile_id profile;
    bs_metrics   *m;
    double        value[BS_METRIC_COUNT];
    if (argc != 4)
        die("needs FILE PROFILE BATCH");
    if (bs_profile_parse(argv[2], &profile, &err))
        die(err.msg);
    matrix            x = read_matrix(argv[1]);
    const int32_t     step = (int32_t)strtol(argv[3], NULL, 10);
    bs_metric_options o = {.profile = profile};
    const bool        explicit_sets = isnan(x.threshold);
    bs_threshold      t = bs_threshold_fixed(explicit_sets ? 0.5f : x.threshold);
    if (bs_metrics_new(&o, x.L, &m, &err))
        die(err.msg);
    for (int32_t row = 0; row < x.rows; row += step) {
        int32_t n = x.rows - row < step ? x.rows - row : step;
        size_t  at = (size_t)row * (size_t)x.L;
        bs_csr  part = {.rows = n, .cols = x.L, .start = x.start + row, .index = x.index};
        if (bs_metrics_add(m, &part, x.scores + at, &t, explicit_sets ? x.on + at : NULL, &err))
            die(err.msg);
    }
    if (bs_metrics_finish(m, value, &err))
        die(err.msg);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        printf("%s %.17g\n", bs_metric_table[i].name, value[i]);
    print_labels(m, x.L);
    bs_csr gold = {.rows = x.rows, .cols = x.L, .start = x.start, .index = x.index};
    print_thresholds(&x, &gold, profile);
    bs_metrics_free(m);
    free_matrix(&x);
    return 0;
}
