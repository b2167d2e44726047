/* bench_mlc.c -- cross-entropy training on a multi-label shape, as torch_peer.py
 * times it: d-400-400-L with softplus, Adam, a shuffled epoch.
 *
 *   bench_mlc FILE.svm --workload NAME --features D --labels L --batch 32 --threads 2 */
#include "base/buf.h"
#include "bench/bench.h"

typedef struct {
    int32_t *start, *index; /* rows of feature or label numbers */
    size_t   n, cap, n_start, cap_start;
} rows;

static void push(int32_t **a, size_t *n, size_t *cap, int32_t v)
{
    if (!bs_grow((void **)a, cap, *n + 1, sizeof **a, (size_t)1 << 40))
        exit(1);
    (*a)[(*n)++] = v;
}

typedef struct {
    rows        x, y;
    int         n, features, labels, batch;
    bench_model model;
    int32_t    *order, *batch_start, *batch_index;
    real       *gold; /* [batch, labels] */
    bs_csr      csr;
} state;

static void read_data(state *s, const char *path)
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
        push(&s->x.start, &s->x.n_start, &s->x.cap_start, (int32_t)s->x.n);
        push(&s->y.start, &s->y.n_start, &s->y.cap_start, (int32_t)s->y.n);
        char *p = line.text;
        while (*p && *p != ' ') {
            push(&s->y.index, &s->y.n, &s->y.cap, (int32_t)strtol(p, &p, 10));
            p += *p == ',';
        }
        while (*p == ' ') {
            push(&s->x.index, &s->x.n, &s->x.cap, (int32_t)strtol(p + 1, &p, 10));
            strtol(p + 1, &p, 10); /* ":1" */
        }
        s->n++;
    }
    push(&s->x.start, &s->x.n_start, &s->x.cap_start, (int32_t)s->x.n);
    push(&s->y.start, &s->y.n_start, &s->y.cap_start, (int32_t)s->y.n);
    bs_input_close(in);
}

/* Binary cross-entropy of logits, mean over all: softplus(z) - z y. */
static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    state       *s = ctx;
    int          B = key.v[1];
    bs_nn        nn = {g, s->model.params, true, 1};
    bs_mlp_shape shape = {2, 400, BS_SOFTPLUS, 0, false};
    r->input[0] = bs_leaf(g, "x", BS_T_CSR, bs_shape2(B, s->features));
    r->input[1] = bs_leaf(g, "y", BS_T_REAL, bs_shape2(B, s->labels));
    bs_id z = bs_linear(&nn, "out", bs_mlp(&nn, "T", r->input[0], &shape), s->labels,
                        bs_init_xavier(400, s->labels), true);
    bs_push(g, "loss");
    bs_id loss = bs_mean(g, bs_sub(g, bs_softplus(g, z), bs_mul(g, z, r->input[1])));
    bench_gradients(g, s->model.params, loss, r);
    bs_pop(g);
}

static double step(void *ctx, int epoch, int i)
{
    state *s = ctx;
    if (i == 0) {
        bs_rng rng = bs_rng_make(1, (uint64_t)epoch, 0);
        bs_rng_permutation(&rng, s->order, s->n);
    }
    int n = 0;
    memset(s->gold, 0, (size_t)s->batch * (size_t)s->labels * sizeof *s->gold);
    for (int b = 0; b < s->batch; b++) {
        int     row = s->order[i * s->batch + b];
        int32_t from = s->x.start[row], to = s->x.start[row + 1];
        memcpy(s->batch_index + n, s->x.index + from, (size_t)(to - from) * sizeof(int32_t));
        s->batch_start[b] = n;
        n += to - from;
        for (int32_t k = s->y.start[row]; k < s->y.start[row + 1]; k++)
            s->gold[(size_t)b * (size_t)s->labels + (size_t)s->y.index[k]] = 1;
    }
    s->batch_start[s->batch] = n;
    bs_optim_options adam = bench_adam(1e-3);
    bs_entry        *e = bench_program(&s->model, (bs_key){{0, s->batch, 0, 0}}, &adam);
    s->csr = (bs_csr){s->batch, s->features, s->batch_start, s->batch_index, NULL};
    bs_backend_cpu.bind_input(e->program, e->input[0], &s->csr);
    bs_backend_cpu.bind_input(e->program, e->input[1], s->gold);
    return bench_run(&s->model, e);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: bench_mlc FILE.svm --features D --labels L ...\n"), 2;
    state      s = {.features = bench_int(argc, argv, "--features", "0"),
                    .labels = bench_int(argc, argv, "--labels", "0"),
                    .batch = bench_int(argc, argv, "--batch", "32")};
    bench_case c = {.workload = bench_arg(argc, argv, "--workload", "mlc"),
                    .method = "ce",
                    .unit = "examples",
                    .batch = s.batch,
                    .threads = bench_int(argc, argv, "--threads", "2"),
                    .repeats = bench_int(argc, argv, "--repeats", "5"),
                    .seconds = bench_int(argc, argv, "--seconds", "6")};
    read_data(&s, argv[1]);
    s.order = bs_calloc((size_t)s.n, sizeof *s.order);
    s.batch_start = bs_calloc((size_t)s.batch + 1, sizeof *s.batch_start);
    s.batch_index = bs_calloc((size_t)s.batch * (size_t)s.features, sizeof *s.batch_index);
    s.gold = bs_calloc((size_t)s.batch * (size_t)s.labels, sizeof *s.gold);
    s.model = bench_model_new(c.threads, build, &s);
    bench_train(&c, s.n / s.batch, step, &s, s.batch);
    bench_model_free(&s.model);
    bs_free(s.order);
    bs_free(s.batch_start);
    bs_free(s.batch_index);
    bs_free(s.gold);
    bs_free(s.x.start);
    bs_free(s.x.index);
    bs_free(s.y.start);
    bs_free(s.y.index);
    return 0;
}
