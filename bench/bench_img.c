/* bench_img.c -- the FCN of DVN and SEAL trained by cross-entropy, as
 * torch_peer.py times it: three 5x5 convolutions, skips, two deconvolutions.
 *
 *   bench_img FILE.f32 --images 200 --size 32 --batch 8 --threads 2 */
#include "bench/bench.h"

typedef struct {
    real       *x, *y; /* [n, 3, size, size], [n, 1, size, size] */
    real       *in_x, *in_y;
    int32_t    *order;
    int         n, size, batch;
    bench_model model;
} state;

static bs_id upsample(bs_nn *nn, const char *name, bs_id x)
{
    bs_id w = bs_param(nn->g, nn->params, name, bs_shape4(1, 1, 4, 4), bs_init_uniform(0.25));
    bs_push(nn->g, name);
    bs_id y = bs_conv_transposed(nn->g, x, w, 2, 1);
    bs_pop(nn->g);
    return y;
}

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    static const bs_conv_shape layer[] = {
        {64, 5, 1, 2, BS_RELU}, {128, 5, 2, 2, BS_RELU}, {128, 5, 2, 2, BS_RELU}};
    state *s = ctx;
    int    B = key.v[1], S = s->size;
    bs_nn  nn = {g, s->model.params, true, 1};
    bs_id  h[3], score[3];
    bs_id  x = r->input[0] = bs_leaf(g, "x", BS_T_REAL, bs_shape4(B, 3, S, S));
    bs_id  y = r->input[1] = bs_leaf(g, "y", BS_T_REAL, bs_shape4(B, 1, S, S));
    bs_conv_stack(&nn, "conv", x, layer, 3, h);
    score[0] = bs_conv_layer(&nn, "score/0", h[0], 1, 1, 1, 0, BS_LINEAR);
    score[1] = bs_conv_layer(&nn, "score/1", h[1], 1, 1, 1, 0, BS_LINEAR);
    score[2] = bs_conv_layer(&nn, "score/2", h[2], 1, 1, 1, 0, BS_LINEAR);
    bs_id coarse = bs_add(g, upsample(&nn, "up/2", score[2]), score[1]);
    bs_id z = bs_add(g, upsample(&nn, "up/1", coarse), score[0]);
    bs_push(g, "loss");
    bs_id loss = bs_mean(g, bs_sub(g, bs_softplus(g, z), bs_mul(g, z, y)));
    bench_gradients(g, s->model.params, loss, r);
    bs_pop(g);
}

static double step(void *ctx, int epoch, int i)
{
    state       *s = ctx;
    const size_t plane = (size_t)s->size * (size_t)s->size;
    if (i == 0) {
        bs_rng rng = bs_rng_make(1, (uint64_t)epoch, 0);
        bs_rng_permutation(&rng, s->order, s->n);
    }
    for (int b = 0; b < s->batch; b++) {
        size_t row = (size_t)s->order[i * s->batch + b], at = (size_t)b;
        memcpy(s->in_x + at * 3 * plane, s->x + row * 3 * plane, 3 * plane * sizeof(real));
        memcpy(s->in_y + at * plane, s->y + row * plane, plane * sizeof(real));
    }
    bs_optim_options adam = bench_adam(1e-3);
    bs_entry        *e = bench_program(&s->model, (bs_key){{0, s->batch, 0, 0}}, &adam);
    bs_backend_cpu.bind_input(e->program, e->input[0], s->in_x);
    bs_backend_cpu.bind_input(e->program, e->input[1], s->in_y);
    return bench_run(&s->model, e);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: bench_img FILE.f32 --images N --size S ...\n"), 2;
    state        s = {.n = bench_int(argc, argv, "--images", "200"),
                      .size = bench_int(argc, argv, "--size", "32"),
                      .batch = bench_int(argc, argv, "--batch", "8")};
    bench_case   c = {.workload = bench_arg(argc, argv, "--workload", "img-horses"),
                      .method = "ce",
                      .unit = "images",
                      .batch = s.batch,
                      .threads = bench_int(argc, argv, "--threads", "2"),
                      .repeats = bench_int(argc, argv, "--repeats", "5"),
                      .seconds = bench_int(argc, argv, "--seconds", "6")};
    const size_t plane = (size_t)s.size * (size_t)s.size, n = (size_t)s.n, B = (size_t)s.batch;
    basin_error  err = {0};
    bs_buf       file;
    bs_buf_init(&file, (size_t)1 << 32);
    TRY(bs_read_file(argv[1], &file, &err));
    if (file.len != n * 4 * plane * sizeof(float))
        return fprintf(stderr, "bench: %s has another size than %d images of %d x %d\n", argv[1],
                       s.n, s.size, s.size),
               1;
    s.x = (real *)(void *)file.data;
    s.y = s.x + n * 3 * plane;
    s.in_x = bs_calloc(B * 3 * plane, sizeof(real));
    s.in_y = bs_calloc(B * plane, sizeof(real));
    s.order = bs_calloc(n, sizeof *s.order);
    s.model = bench_model_new(c.threads, build, &s);
    bench_train(&c, s.n / s.batch, step, &s, s.batch);
    bench_model_free(&s.model);
    bs_buf_free(&file);
    bs_free(s.in_x);
    bs_free(s.in_y);
    bs_free(s.order);
    return 0;
}
