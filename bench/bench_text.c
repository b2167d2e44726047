/* bench_text.c -- a transformer encoder with random weights, forward or a whole training step
 * (cross-entropy of 28 labels from the mean of all pieces, AdamW, dropout), as torch_text.py times
 * them. All documents have the same length.
 *
 *   bench_text --what forward --batch 32 --length 64 --threads 2 */
#include "bench/bench.h"
#include "nn/transformer.h"

enum { LABELS = 28 };

typedef struct {
    bs_transformer_shape shape;
    int                  batch, length, rows;
    bool                 train;
    bs_workspace        *w;
    bs_params           *params;
    bs_program          *program;
    bs_optim            *optim;
    bs_buffer           *log;
    int32_t             *piece, *position, *start, *at;
    float               *weight;
    bs_csr               pool;
    real                *gold;
    uint64_t             step;
} state;

static void *need(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        exit(1);
    return p;
}

static void make_batch(state *s)
{
    const size_t N = (size_t)s->rows;
    bs_rng       rng = bs_rng_make(3, 0, 0);
    s->piece = need(N, sizeof *s->piece);
    s->position = need(N, sizeof *s->position);
    s->at = need(N, sizeof *s->at);
    s->weight = need(N, sizeof *s->weight);
    s->start = need((size_t)s->batch + 1, sizeof *s->start);
    s->gold = need((size_t)s->batch * LABELS, sizeof *s->gold);
    for (int i = 0; i < s->rows; i++) {
        s->piece[i] = (int32_t)bs_rng_below(&rng, (uint32_t)s->shape.vocabulary);
        s->position[i] = i % s->length;
        s->at[i] = i;
        s->weight[i] = 1 / (float)s->length;
    }
    for (int b = 0; b <= s->batch; b++)
        s->start[b] = b * s->length;
    for (int i = 0; i < s->batch * LABELS; i++)
        s->gold[i] = bs_rng_bernoulli(&rng, 0.05);
    s->pool = (bs_csr){s->batch, s->rows, s->start, s->at, s->weight};
}

static void fill(bs_params *p)
{
    basin_error err = {0};
    bs_rng      rng = bs_rng_make(4, 0, 0);
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        real             *x;
        if (s->shape.d[2] == 1)
            continue;
        TRY(bs_params_map(p, s, BS_WRITE, &x, &err));
        for (int64_t k = 0; k < s->count; k++)
            x[k] = (real)(0.07 * (bs_rng_uniform(&rng) - 0.5));
        bs_params_unmap(p, s, BS_WRITE, x);
    }
}

static void make_program(state *s)
{
    basin_error              err = {0};
    static bs_result         r[512];
    bs_id                    node[512], d[512];
    int                      segment[512], n = 0;
    bs_graph                *g = bs_graph_new();
    bs_nn                    nn = {g, s->params, s->train, 1};
    const bs_transformer_use use = {
        .trained = s->shape.layers, .dropout = s->train ? 0.1 : 0, .rate = 1, .decay = 1};
    const bs_transformer_input in = {
        .piece = bs_leaf(g, "piece", BS_T_INT, bs_shape1(s->rows)),
        .position = bs_leaf(g, "position", BS_T_INT, bs_shape1(s->rows)),
        .start = bs_leaf(g, "start", BS_T_INT, bs_shape1(s->batch + 1))};
    bs_id pool = bs_leaf(g, "pool", BS_T_CSR, bs_shape2(s->batch, s->rows));
    bs_id gold = bs_leaf(g, "gold", BS_T_REAL, bs_shape2(s->batch, LABELS));
    bs_id hidden = bs_transformer(&nn, "net", &s->shape, &use, &in);
    bs_id x = bs_transformer_pool(&nn, "net", &s->shape, &use, hidden, pool);
    bs_id z = bs_linear(&nn, "net/labels", x, LABELS, bs_init_xavier(s->shape.width, LABELS), true);
    bs_id loss = bs_mean(g, bs_sub(g, bs_softplus(g, z), bs_mul(g, z, gold)));
    r[n++] = (bs_result){s->train ? loss : z, -1};
    if (s->train) {
        int k = bs_params_nodes(g, s->params, "net/", node, segment, 500);
        bs_grad(g, loss, node, k, d, false);
        for (int i = 0; i < k; i++)
            r[n++] = (bs_result){d[i], segment[i]};
    }
    TRY(bs_graph_check(g, &err));
    TRY(bs_params_allocate(s->params, s->w->device, 1, &err));
    fill(s->params);
    TRY(bs_program_make(s->w, g, r, n, s->train ? 0 : BS_PLAN_APART, &s->program, &err));
    bs_params_bind(s->params, s->program);
    bs_bind_input(s->program, in.piece, s->piece);
    bs_bind_input(s->program, in.position, s->position);
    bs_bind_input(s->program, in.start, s->start);
    bs_bind_input(s->program, pool, &s->pool);
    if (s->train)
        bs_bind_input(s->program, gold, s->gold);
    bs_graph_free(g);
}

static void make_optimiser(state *s)
{
    basin_error      err = {0};
    bs_optim_options o;
    TRY(bs_options_default(bs_optim_rows, &o, &err));
    bs_print(o.rule, sizeof o.rule, "adamw");
    o.rate = 5e-5;
    o.decay = 0.01;
    TRY(bs_optim_new(s->w, s->params, "net/", &o, &s->optim, &err));
    bs_optim_use_rows(s->optim, s->program);
    TRY(s->w->device->alloc(s->w->device, sizeof(double), true, &s->log, &err));
}

static double step(void *ctx, int epoch, int i)
{
    basin_error err = {0};
    state      *s = ctx;
    const void *loss;
    (void)epoch, (void)i;
    TRY(bs_program_run(s->program, &(bs_run){1, ++s->step}, &err));
    TRY(s->program->device->fetch(s->program, 0, &loss, &err));
    const double value = (double)*(const real *)loss;
    if (s->train)
        bs_optim_step(s->optim, false, s->log, 0);
    return value;
}

int main(int argc, char **argv)
{
    basin_error  err = {0};
    static state s;
    static char  workload[48];
    bench_case   c = {.workload = workload,
                      .method = bench_arg(argc, argv, "--what", "forward"),
                      .unit = "documents",
                      .batch = bench_int(argc, argv, "--batch", "32"),
                      .threads = bench_int(argc, argv, "--threads", "2"),
                      .repeats = bench_int(argc, argv, "--repeats", "5"),
                      .seconds = bench_int(argc, argv, "--seconds", "6")};
    s.shape = (bs_transformer_shape){.layers = bench_int(argc, argv, "--layers", "6"),
                                     .width = 384,
                                     .heads = 12,
                                     .inner = 1536,
                                     .vocabulary = 30522,
                                     .positions = 512,
                                     .types = 2,
                                     .eps = 1e-12};
    s.batch = c.batch;
    s.length = bench_int(argc, argv, "--length", "64");
    s.rows = s.batch * s.length;
    s.train = strcmp(c.method, "train") == 0;
    snprintf(workload, sizeof workload, "minilm-%d", s.length);
    TRY(bs_workspace_open((bs_machine){.threads = c.threads}, &s.w, &err));
    s.params = bs_params_new();
    make_batch(&s);
    make_program(&s);
    if (s.train)
        make_optimiser(&s);
    bench_train(&c, 1000, step, &s, s.batch);
    bs_program_free(s.program);
    return 0;
}
