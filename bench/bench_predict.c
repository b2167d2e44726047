/* bench_predict.c -- prediction through the public interface: latency of one row,
 * rate of large batches.
 *
 *   bench_predict MODEL FILE.svm --workload NAME --method NAME --threads 2 */
#include <basin.h>

#include "bench/bench.h"

typedef struct {
    int32_t *start, *index;
    size_t   n_index, cap_start, cap_index;
    int32_t  rows;
} data;

static void push(int32_t **a, size_t *cap, size_t at, int32_t v)
{
    if (!bs_grow((void **)a, cap, at + 1, sizeof **a, (size_t)1 << 40))
        exit(1);
    (*a)[at] = v;
}

static void read_data(data *d, const char *path)
{
    basin_error err = {0};
    bs_input   *in;
    bs_line     line;
    bool        more;
    TRY(bs_input_open(path, &in, &err));
    for (;;) {
        TRY(bs_input_line(in, 1 << 24, &line, &more, &err));
        if (!more)
            break;
        push(&d->start, &d->cap_start, (size_t)d->rows++, (int32_t)d->n_index);
        for (char *p = strchr(line.text, ' '); p && *p == ' ';) {
            push(&d->index, &d->cap_index, d->n_index++, (int32_t)strtol(p + 1, &p, 10));
            strtol(p + 1, &p, 10); /* ":1" */
        }
    }
    push(&d->start, &d->cap_start, (size_t)d->rows, (int32_t)d->n_index);
    bs_input_close(in);
}

static void measure(basin_predictor *p, const data *d, int features, int labels, int32_t batch,
                    const bench_case *c)
{
    enum { MOST = 20000 };
    static double seconds[MOST];
    basin_error   err = {0};
    float        *scores = bs_calloc((size_t)batch * (size_t)labels, sizeof *scores);
    int           n = 0;
    double        end = bs_seconds() + c->seconds;
    for (int32_t at = 0; n < MOST && (bs_seconds() < end || n < 20); n++) {
        at = at + 2 * batch <= d->rows ? at + batch : 0;
        basin_rows x = {batch, features, d->start + at, d->index, NULL};
        double     start = bs_seconds();
        TRY(basin_predict_csr(p, &x, scores, &err));
        seconds[n] = bs_seconds() - start;
    }
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    printf("{\"peer\":\"basin\",\"workload\":\"%s\",\"method\":\"%s\",\"measure\":\"infer\","
           "\"batch\":%d,\"threads\":%d,\"unit\":\"examples/s\",\"median\":%.6g,"
           "\"latency_us\":%.3f,\"latency_p99_us\":%.3f}\n",
           c->workload, c->method, (int)batch, c->threads, batch / seconds[n / 2],
           1e6 * seconds[n / 2], 1e6 * seconds[n * 99 / 100]);
    bs_free(scores);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: bench_predict MODEL FILE.svm ...\n"), 2;
    basin_error      err = {0};
    basin_model     *m;
    basin_predictor *p;
    data             d = {0};
    bench_case       c = {.workload = bench_arg(argc, argv, "--workload", "mlc"),
                          .method = bench_arg(argc, argv, "--method", "ce"),
                          .threads = bench_int(argc, argv, "--threads", "2"),
                          .seconds = bench_int(argc, argv, "--seconds", "3")};
    read_data(&d, argv[2]);
    TRY(basin_model_load(argv[1], &m, &err));
    TRY(basin_predictor_new(m, c.threads, &p, &err));
    static const int32_t batch[] = {1, 128, 1024};
    for (int i = 0; i < 3; i++)
        measure(p, &d, basin_model_features(m), basin_model_labels(m), batch[i], &c);
    basin_predictor_free(p);
    basin_model_free(m);
    bs_free(d.start);
    bs_free(d.index);
    return 0;
}
