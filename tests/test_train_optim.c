/* test_train_optim.c -- optimisers and the schedule: what they promise beside the right numbers,
 * which are test_golden.c's. Bits that depend on neither threads nor row-sparse updates, refusal
 * of bad gradients, memory that runs out. */
#include "tests/declaration.h"

#include "tests/optim_step.h"
#include "device/cpu/program.h"
#include "nn/layers.h"
#include "device/cache.h"
#include "run/schedule.h"

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

/* ---- a model to train: sparse rows, an embedding, dropout, labels ---- */

enum {
    ROWS = 480,
    FEATURES = 2000,
    PER_ROW = 10,
    WORDS = 2000,
    WORDS_PER_ROW = 3,
    HIDDEN = 160, /* with this batch a product of two layers has two blocks */
    LABELS = 24,
    BATCH = 192,
    SHORT = 112, /* every fifth batch is shorter: a program of its own */
    STEPS = 50
};

typedef struct {
    int32_t start[ROWS + 1], index[ROWS * PER_ROW], words[ROWS * WORDS_PER_ROW];
    float   value[ROWS * PER_ROW];
    real    label[ROWS * LABELS];
} dataset;

static dataset *dataset_new(void)
{
    dataset *d = calloc(1, sizeof *d);
    bs_rng   rng = bs_rng_make(11, 0, 0);
    for (int i = 0; i < ROWS; i++) {
        d->start[i + 1] = (i + 1) * PER_ROW;
        for (int k = 0; k < PER_ROW; k++) { /* increasing: one of each 200 columns */
            d->index[i * PER_ROW + k] = 200 * k + (int32_t)bs_rng_below(&rng, 200);
            d->value[i * PER_ROW + k] = (float)(2 * bs_rng_uniform(&rng) - 1);
        }
        for (int k = 0; k < WORDS_PER_ROW; k++)
            d->words[i * WORDS_PER_ROW + k] = (int32_t)bs_rng_below(&rng, WORDS) - 20; /* padding */
        for (int k = 0; k < LABELS; k++)
            d->label[i * LABELS + k] = (real)((d->index[i * PER_ROW + k % PER_ROW] + k) % 3 == 0);
    }
    return d;
}

typedef struct {
    const dataset *data;
    bs_params     *params;
    bs_workspace  *w;
    bs_cache      *cache;
    bs_optim      *optim;
    bs_buffer     *log; /* a double */
    bs_csr         x;
    bool           rows;  /* row-sparse updates */
    bool           spoil; /* fill the gradients with NaN before each run */
    int            clipped;
} trainer;

/* Mode 1 adds a penalty on the first weights, which makes their gradient dense. */
static void build_model(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    trainer           *t = ctx;
    const int          n = key.v[1];
    const bs_mlp_shape shape = {2, HIDDEN, BS_SOFTPLUS, 0.3, true, 1};
    bs_nn              nn = {g, t->params, true, 1};
    bs_id x = bs_inputs_add(g, &r->input, bs_leaf(g, "x", BS_T_CSR, bs_shape2(n, FEATURES)));
    bs_id words =
        bs_inputs_add(g, &r->input, bs_leaf(g, "words", BS_T_INT, bs_shape2(n, WORDS_PER_ROW)));
    bs_id y = bs_inputs_add(g, &r->input, bs_leaf(g, "y", BS_T_REAL, bs_shape2(n, LABELS)));
    bs_id h = bs_mlp(&nn, "net", x, &shape);
    bs_id e = bs_embedding(&nn, "words", words, WORDS, 16, bs_init_normal(0.1));
    e = bs_reshape(g, bs_mean_axis(g, e, -2), bs_shape2(n, 16));
    bs_id z =
        bs_linear(&nn, "out", bs_concat(g, h, e, -1), LABELS, bs_init_xavier(HIDDEN, LABELS), true);
    bs_id loss = bs_mean(g, bs_sub(g, bs_softplus(g, z), bs_mul(g, y, z)));
    if (key.v[0] == 1) {
        bs_id w = bs_param(g, t->params, "net/0/W", bs_shape2(FEATURES, HIDDEN), bs_init_zero());
        loss = bs_add(g, loss, bs_scale(g, bs_sum(g, bs_square(g, w)), 1e-3));
    }
    bs_id ids[16], d[16];
    int   segment[16], k = bs_params_nodes(g, t->params, "", ids, segment, 16);
    if (bs_graph_check(g, NULL))
        return;
    bs_grad(g, loss, ids, k, d, false);
    r->result[r->n_results++] = (bs_result){loss, -1};
    for (int i = 0; i < k; i++)
        r->result[r->n_results++] = (bs_result){d[i], segment[i]};
}

static basin_status trainer_open(trainer *t, int threads, basin_error *err)
{
    t->params = bs_params_new();
    if (!t->params)
        return bs_fail_nomem(err);
    basin_status s = bs_workspace_open((bs_machine){.threads = threads}, &t->w, err);
    if (s)
        return s;
    t->cache = bs_cache_new(t->w, build_model, t, 0);
    if (!t->cache)
        return bs_fail_nomem(err);
    return t->w->device->alloc(t->w->device, sizeof(double), true, &t->log, err);
}

static void trainer_close(trainer *t)
{
    bs_optim_free(t->optim);
    bs_buffer_free(t->log);
    bs_cache_free(t->cache);
    bs_params_free(t->params);
    bs_workspace_close(t->w);
}

/* The program for a batch, with parameters, optimiser and the rows from `first` on bound. */
static basin_status trainer_program(trainer *t, bs_key key, const bs_optim_options *o, int first,
                                    bs_entry **e, basin_error *err)
{
    bool         fresh;
    basin_status s = bs_cache_get(t->cache, key, e, &fresh, err);
    if (!s && !t->params->block.value)
        s = bs_params_allocate(t->params, device_here(), 1, err);
    if (!s && !t->optim)
        s = bs_optim_new(t->w, t->params, "", o, &t->optim, err);
    if (s)
        return s;
    if (fresh || !kernels_of((*e)->program)->params) /* not fresh after a failure above */
        bs_params_bind(t->params, (*e)->program);
    if (t->rows)
        bs_optim_use_rows(t->optim, (*e)->program);
    t->x = (bs_csr){key.v[1], FEATURES, t->data->start + first, t->data->index, t->data->value};
    bs_bind_input((*e)->program, (*e)->input.id[0], &t->x);
    bs_bind_input((*e)->program, (*e)->input.id[1], t->data->words + first * WORDS_PER_ROW);
    bs_bind_input((*e)->program, (*e)->input.id[2], t->data->label + first * LABELS);
    return BASIN_OK;
}

static basin_status trainer_step(trainer *t, bs_key key, const bs_optim_options *o, uint64_t step,
                                 real *loss, basin_error *err)
{
    bs_entry    *e;
    int          first = (int)(step * 71) % (ROWS - BATCH);
    basin_status s = trainer_program(t, key, o, first, &e, err);
    if (s)
        return s;
    for (int64_t i = 0; t->spoil && i < t->params->moving; i++)
        ((real *)host_of(t->params->block.grad))[i] = (real)NAN;
    s = bs_program_run(e->program, &(bs_run){5, step}, err);
    if (s)
        return s;
    *loss = *(const real *)result_of(e->program, 0);
    const double norm = step_now(t->optim, false, t->log);
    t->clipped += o->clip > 0 && norm > o->clip;
    return BASIN_OK;
}

static bs_optim_options options(const char *rule, double rate)
{
    bs_optim_options o;
    assert_int_equal(bs_options_default(bs_optim_rows, &o, NULL), BASIN_OK);
    assert_int_equal(bs_options_set(bs_optim_rows, &o, "optim.rule", rule, "test", NULL), BASIN_OK);
    o.rate = rate;
    return o;
}

/* STEPS steps; `mixed`: every other one with the penalty. */
static void train(trainer *t, const bs_optim_options *o, int threads, bool mixed)
{
    basin_error err = {0};
    real        first = 0, last = 0;
    CHECK(trainer_open(t, threads, &err) == BASIN_OK, "open: %s", err.msg);
    for (int i = 1; i <= STEPS; i++) {
        bs_key key = {{mixed && i % 2, i % 5 == 0 ? SHORT : BATCH, 0, 0}};
        CHECK(trainer_step(t, key, o, (uint64_t)i, &last, &err) == BASIN_OK, "step %d: %s", i,
              err.msg);
        first = i == 2 ? last : first; /* both without a penalty */
    }
    CHECK(last < BS_REAL(0.98) * first, "%s: the loss went from %g to %g", o->rule, (double)first,
          (double)last);
}

static void check_same_bits(const bs_params *a, const bs_params *b, const char *what)
{
    const size_t bytes = (size_t)a->size * sizeof(real);
    CHECK(a->size == b->size && memcmp(((real *)host_of(a->block.value)),
                                       ((real *)host_of(b->block.value)), bytes) == 0,
          "%s: parameters differ", what);
    CHECK(memcmp(((real *)host_of(a->block.m)), ((real *)host_of(b->block.m)), bytes) == 0 &&
              memcmp(((real *)host_of(a->block.v)), ((real *)host_of(b->block.v)), bytes) == 0,
          "%s: moments differ", what);
}

/* ---- bits ---- */

/* 1 to 4 threads, dense and row-sparse, all against one thread and dense. */
static void check_all_ways(const char *what, const bs_optim_options *o, bool mixed)
{
    static const struct {
        int  threads;
        bool rows, spoil;
    } way[] = {{2, false, false}, {3, false, false}, {4, false, false},
               {1, true, true},   {2, true, false},  {4, true, false}};
    char     text[80];
    dataset *data = dataset_new();
    trainer  base = {.data = data};
    train(&base, o, 1, mixed);
    CHECK(o->clip == 0 || (base.clipped > 5 && base.clipped <= STEPS), "%s: clipped %d times", what,
          base.clipped);
    for (int k = 0; k < COUNT_OF(way); k++) {
        trainer t = {.data = data, .rows = way[k].rows, .spoil = way[k].spoil};
        train(&t, o, way[k].threads, mixed);
        snprintf(text, sizeof text, "%s, %d threads%s", what, way[k].threads,
                 way[k].rows ? ", by rows" : "");
        check_same_bits(base.params, t.params, text);
        trainer_close(&t);
    }
    trainer_close(&base);
    free(data);
}

static void adam_gives_the_same_bits(void **state)
{
    (void)state;
    bs_optim_options o = options("adam", 3e-3);
    check_all_ways("adam", &o, false);
    o.clip = 0.1;
    check_all_ways("adam, clipped", &o, false);
    o.clip = 0;
    o.decay = 0.01;
    check_all_ways("adam, coupled decay", &o, false);
}

static void adamw_gives_the_same_bits(void **state)
{
    (void)state;
    bs_optim_options o = options("adamw", 3e-3);
    o.decay = 0.1;
    check_all_ways("adamw", &o, false);
}

static void sgd_gives_the_same_bits(void **state)
{
    (void)state;
    bs_optim_options o = options("sgd", 0.5);
    o.momentum = 0.9;
    check_all_ways("sgd", &o, false);
    o.clip = 0.1;
    o.decay = 1e-4;
    check_all_ways("sgd, decay, clipped", &o, false);
}

/* A program that writes a segment by rows and one that writes all of it, by turns. */
static void dense_and_sparse_programs_share_an_optimiser(void **state)
{
    (void)state;
    bs_optim_options o = options("adam", 3e-3);
    o.clip = 0.1;
    check_all_ways("mixed, clipped", &o, true);
}

/* The comparisons above mean something: work is shared, rows are left out. */
static void batches_are_shared_and_rows_are_skipped(void **state)
{
    (void)state;
    basin_error      err = {0};
    bs_optim_options o = options("adam", 1e-3);
    dataset         *data = dataset_new();
    trainer          t = {.data = data, .rows = true};
    bs_entry        *e;
    real             loss;
    int              shared[BS_OP_COUNT] = {0}, groups = 0;
    assert_int_equal(trainer_open(&t, 2, &err), BASIN_OK);
    bs_key key = {{0, BATCH, 0, 0}}, dense = {{1, BATCH, 0, 0}};
    assert_int_equal(trainer_step(&t, key, &o, 1, &loss, &err), BASIN_OK);
    assert_int_equal(trainer_program(&t, key, &o, 0, &e, &err), BASIN_OK);
    const bs_cpu_program *program = kernels_of(e->program);
    assert_true(program->turn[0].parallel);
    for (int k = 0; k < program->n_sections; k++) {
        const bs_section *part = &program->section[k];
        for (int i = part->first; part->shared && i <= part->last; i++)
            if (program->call[i].n_micro)
                groups++;
            else
                shared[program->step[i].node.op]++;
    }
    CHECK(shared[BS_OP_spmm] == 1 && shared[BS_OP_spmm_t] == 1 && shared[BS_OP_matmul] >= 3,
          "shared: %d spmm, %d spmm_t, %d matmul", shared[BS_OP_spmm], shared[BS_OP_spmm_t],
          shared[BS_OP_matmul]);
    CHECK(groups >= 1 && shared[BS_OP_scatter] == 1, "shared: %d groups, %d scatter", groups,
          shared[BS_OP_scatter]);
    for (int i = 0; i < t.params->n; i++) {
        const bs_segment *s = &t.params->segment[i];
        const int64_t     rows = s->count / s->shape.d[3];
        bool              sparse = strcmp(s->name, "net/0/W") == 0 || strcmp(s->name, "words") == 0;
        int               touched = 0;
        assert_int_equal(e->program->device->is_row_sparse(e->program, i), sparse);
        assert_int_equal(t.optim->span[i].touched, sparse ? t.params->row[i] : -1);
        for (int64_t k = 0; k < rows; k++)
            touched += ((const uint8_t *)host_of(t.params->block.touched))[t.params->row[i] + k];
        CHECK(sparse ? touched > rows / 10 && touched < rows * 9 / 10 : touched == rows,
              "%s: %d of %d rows touched", s->name, touched, (int)rows);
    }
    assert_int_equal(trainer_program(&t, dense, &o, 0, &e, &err), BASIN_OK);
    assert_false(e->program->device->is_row_sparse(e->program, 0));
    trainer_close(&t);
    free(data);
}

static void padding_stays_zero(void **state)
{
    (void)state;
    const real      *block[4];
    bs_optim_options o = options("adamw", 3e-3);
    o.decay = 0.1;
    dataset *data = dataset_new();
    trainer  t = {.data = data, .rows = true};
    train(&t, &o, 2, false);
    bs_params *p = t.params;
    block[0] = ((real *)host_of(p->block.value)), block[1] = ((real *)host_of(p->block.grad)),
    block[2] = ((real *)host_of(p->block.m)), block[3] = ((real *)host_of(p->block.v));
    int64_t gaps = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t end = p->segment[i].offset + p->segment[i].count;
        int64_t next = i + 1 < p->n ? p->segment[i + 1].offset : p->size;
        assert_int_equal(
            (uintptr_t)((real *)host_of(p->block.value) + p->segment[i].offset) % BS_ALIGN, 0);
        gaps += next - end;
        for (int64_t k = end; k < next; k++)
            for (int b = 0; b < 4; b++)
                CHECK(block[b][k] == 0, "block %d: %g after '%s'", b, (double)block[b][k],
                      p->segment[i].name);
    }
    CHECK(gaps > 0, "no padding to look at");
    trainer_close(&t);
    free(data);
}

/* ---- steps that must not happen ---- */

static void check_refused(trainer *t, bool with_norm)
{
    const size_t bytes = (size_t)t->params->moving * sizeof(real);
    real        *before = malloc(3 * bytes);
    const real  *block[] = {((real *)host_of(t->params->block.value)),
                            ((real *)host_of(t->params->block.m)),
                            ((real *)host_of(t->params->block.v))};
    int64_t      step = t->optim->update.step;
    for (int i = 0; i < 3; i++)
        memcpy(before + i * t->params->moving, block[i], bytes);
    assert_false(isfinite(step_now(t->optim, with_norm, t->log)));
    t->optim->update.step = step;
    for (int i = 0; i < 3; i++)
        assert_memory_equal(before + i * t->params->moving, block[i], bytes);
    free(before);
}

static void bad_gradients_are_refused(void **state)
{
    (void)state;
    for (int clip = 0; clip < 2; clip++) {
        basin_error      err = {0};
        bs_optim_options o = options("adam", 1e-3);
        dataset         *data = dataset_new();
        trainer          t = {.data = data};
        bs_entry        *e;
        bs_key           key = {{0, BATCH, 0, 0}};
        real             loss;
        o.clip = clip;
        assert_int_equal(trainer_open(&t, 2, &err), BASIN_OK);
        for (int i = 1; i <= 3; i++)
            assert_int_equal(trainer_step(&t, key, &o, (uint64_t)i, &loss, &err), BASIN_OK);
        const bs_segment *s = &t.params->segment[t.params->n - 1];
        real *d = &((real *)host_of(t.params->block.grad))[s->offset + s->count - 1], good = *d;
        *d = (real)NAN;
        check_refused(&t, !clip);
        *d = (real)-INFINITY;
        check_refused(&t, true);
        /* the same through a run */
        real *w = &((real *)host_of(t.params->block.value))[s->offset], old = *w;
        *w = (real)NAN;
        assert_int_equal(trainer_program(&t, key, &o, 0, &e, &err), BASIN_OK);
        assert_int_equal(bs_program_run(e->program, &(bs_run){5, 4}, &err), BASIN_OK);
        check_refused(&t, true);
        *w = old;
        *d = good;
        assert_int_equal(trainer_step(&t, key, &o, 4, &loss, &err), BASIN_OK);
        assert_true(isfinite((double)loss) && t.optim->update.step == 4);
        trainer_close(&t);
        free(data);
    }
}

/* Elements of a block that changed, outside or inside the segments with a prefix. */
static int changes(const bs_params *p, const real *a, const real *b, const char *prefix,
                   bool inside)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        for (int64_t k = s->offset; k < s->offset + s->count; k++)
            n += bs_params_has_prefix(s->name, prefix) == inside && a[k] != b[k];
    }
    return n;
}

static void two_optimisers_keep_to_their_nets(void **state)
{
    static const char *const prefix[] = {"energy/", "task/"};
    const declaration        d[] = {{"energy/W", bs_shape2(9, 7), bs_init_normal(1)},
                                    {"task/W", bs_shape2(5, 3), bs_init_normal(1)},
                                    {"energy/b", bs_shape1(7), bs_init_normal(1)},
                                    {"task/b", bs_shape1(3), bs_init_normal(1)}};
    (void)state;
    bs_params       *p = store_of(d, COUNT_OF(d), 1);
    const size_t     bytes = (size_t)p->size * sizeof(real);
    basin_error      err = {0};
    bs_workspace    *w;
    bs_buffer       *log = buffer_of(2);
    bs_optim        *optim[2], *none;
    bs_optim_options o = options("adamw", 0.1);
    o.decay = 0.1;
    bs_workspace_open((bs_machine){0}, &w, NULL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(bs_optim_new(w, p, prefix[i], &o, &optim[i], &err), BASIN_OK);
    assert_int_equal(bs_optim_new(w, p, "nothing", &o, &none, &err), BASIN_EARG);
    CHECK(!none && strstr(err.msg, "nothing"), "message: %s", err.msg);
    real *old[3] = {malloc(bytes), malloc(bytes), malloc(bytes)},
         *block[] = {((real *)host_of(p->block.value)), ((real *)host_of(p->block.m)),
                     ((real *)host_of(p->block.v))};
    for (int step = 0; step < 6; step++) {
        int    who = step % 3 == 0; /* task, energy, energy */
        double want = 0;
        for (int64_t k = 0; k < p->size; k++)
            ((real *)host_of(p->block.grad))[k] = (real)(0.25 + (double)((k + step) % 5));
        for (int i = 0; i < p->n; i++) {
            const bs_segment *s = &p->segment[i];
            for (int64_t k = 0; k < s->count && bs_params_has_prefix(s->name, prefix[who]); k++)
                want += pow((double)((real *)host_of(p->block.grad))[s->offset + k], 2);
        }
        for (int i = 0; i < 3; i++)
            memcpy(old[i], block[i], bytes);
        const double norm = step_now(optim[who], true, log);
        CHECK(fabs(norm - sqrt(want)) < 1e-9 * norm, "norm %g, not %g", norm, sqrt(want));
        for (int i = 0; i < 3; i++) {
            int inside = changes(p, old[i], block[i], prefix[who], true);
            assert_int_equal(changes(p, old[i], block[i], prefix[who], false), 0);
            assert_int_equal(inside, bs_params_count(p, prefix[who]));
        }
    }
    assert_true(optim[0]->update.step == 4 && optim[1]->update.step == 2);
    for (int i = 0; i < 3; i++)
        free(old[i]);
    bs_optim_free(optim[0]);
    bs_optim_free(optim[1]);
    bs_buffer_free(log);
    bs_workspace_close(w);
    bs_params_free(p);
}

/* ---- the schedule ---- */

static void the_rate_falls_on_a_plateau(void **state)
{
    const double nan = NAN;
    const struct {
        double score, rate;
    } row[] = {{0.1, 1},    {0.2, 1},     {0.2, 1},    {0.1, 1},    {0.15, 0.5},  {0.2, 0.5},
               {nan, 0.5},  {0, 0.25},    {0.3, 0.25}, {0.1, 0.25}, {0.31, 0.25}, {0.3, 0.25},
               {0.3, 0.25}, {0.3, 0.125}, {0, 0.125},  {0, 0.125},  {0, 0.1},     {0, 0.1},
               {0, 0.1},    {0, 0.1},     {0.32, 0.1}};
    (void)state;
    bs_plateau p = bs_plateau_make(0.5, 2, 0.1);
    double     rate = 1;
    for (int i = 0; i < COUNT_OF(row); i++) {
        rate = bs_plateau_rate(&p, row[i].score, rate);
        CHECK(rate == row[i].rate, "evaluation %d: rate %g, not %g", i, rate, row[i].rate);
    }
}

static void the_schedule_at_its_edges(void **state)
{
    (void)state;
    bs_plateau p = bs_plateau_make(0.1, 0, 1e-3);
    assert_true(bs_plateau_rate(&p, -5, 1) == 1); /* any first score is the best so far */
    assert_true(bs_plateau_rate(&p, -4, 1) == 1);
    assert_true(bs_plateau_rate(&p, -4, 1) == 0.1);     /* without patience at once */
    assert_true(bs_plateau_rate(&p, -4, 1e-4) == 1e-4); /* below the floor already: not raised */
    p = bs_plateau_make(0.1, 0, 0);
    assert_true(bs_plateau_rate(&p, NAN, 1) == 0.1);
    assert_true(bs_plateau_rate(&p, -1, 0.1) == 0.1);
    assert_true(bs_plateau_rate(&p, -INFINITY, 1) == 0.1);
}

static void the_cosine_falls_from_one_to_nothing(void **state)
{
    (void)state;
    assert_true(bs_cosine_share(0, 100) == 1);
    assert_true(fabs(bs_cosine_share(50, 100) - 0.5) < 1e-12);
    assert_true(bs_cosine_share(99, 100) > 0 && bs_cosine_share(99, 100) < 1e-3);
    for (int i = 2; i <= 100; i++)
        assert_true(bs_cosine_share(i, 100) < bs_cosine_share(i - 1, 100));
    assert_true(bs_cosine_share(0, 1) == 1);
}

/* ---- memory ---- */

enum { SMALL = 4 };

static basin_status whole_life(const dataset *data, basin_error *err)
{
    trainer          t = {.data = data, .rows = true};
    bs_optim_options o = {
        .rule = "adam", .rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .clip = 1};
    real         loss;
    basin_status s = trainer_open(&t, 2, err);
    for (int i = 0; i < 2 && !s; i++) /* the second program finds the blocks laid out */
        s = trainer_step(&t, (bs_key){{0, SMALL + i, 0, 0}}, &o, 1 + (uint64_t)i, &loss, err);
    trainer_close(&t);
    return s;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    dataset *data = dataset_new();
    long     live = bs_mem_live();
    for (long n = 1;; n++) {
        basin_error err = {0};
        bs_mem_fail_at(n);
        basin_status s = whole_life(data, &err);
        bs_mem_fail_at(0);
        CHECK(bs_mem_live() == live, "allocation %ld fails: %ld blocks leak", n,
              bs_mem_live() - live);
        if (s == BASIN_OK) {
            CHECK(n > 40, "only %ld allocations", n);
            break;
        }
        CHECK(s == BASIN_ENOMEM && err.status == BASIN_ENOMEM && strstr(err.msg, "memory"),
              "allocation %ld fails: status %d, '%s'", n, (int)s, err.msg);
    }
    free(data);
}

/* What failed for want of memory may be tried again on the same store. */
static void a_failed_step_can_be_repeated(void **state)
{
    (void)state;
    basin_error      err = {0};
    bs_optim_options o = options("adam", 1e-3);
    dataset         *data = dataset_new();
    trainer          want = {.data = data, .rows = true};
    bs_key           key = {{0, SMALL, 0, 0}};
    real             loss;
    assert_int_equal(trainer_open(&want, 2, &err), BASIN_OK);
    assert_int_equal(trainer_step(&want, key, &o, 1, &loss, &err), BASIN_OK);
    for (long n = 1;; n++) {
        trainer t = {.data = data, .rows = true};
        assert_int_equal(trainer_open(&t, 2, &err), BASIN_OK);
        bs_mem_fail_at(n);
        basin_status s = trainer_step(&t, key, &o, 1, &loss, &err);
        bs_mem_fail_at(0);
        if (s)
            CHECK(trainer_step(&t, key, &o, 1, &loss, &err) == BASIN_OK,
                  "after allocation %ld had failed: %s", n, err.msg);
        check_same_bits(want.params, t.params, "after a failure");
        trainer_close(&t);
        if (!s)
            break;
    }
    trainer_close(&want);
    free(data);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    basin_error      err = {0};
    bs_optim_options o = options("adam", 1e-3);
    dataset         *data = dataset_new();
    trainer          t = {.data = data, .rows = true};
    bs_key           key = {{0, BATCH, 0, 0}};
    real             loss;
    o.clip = 0.1;
    assert_int_equal(trainer_open(&t, 2, &err), BASIN_OK);
    assert_int_equal(trainer_step(&t, key, &o, 1, &loss, &err), BASIN_OK);
    long before = bs_mem_calls();
    assert_int_equal(trainer_step(&t, key, &o, 2, &loss, &err), BASIN_OK);
    assert_int_equal(bs_mem_calls(), before);
    trainer_close(&t);
    free(data);
}

/* ---- parameters that follow statistics ---- */

#define WELL(call) CHECK((call) == BASIN_OK, "%s", err.msg)

enum { PHOTOS = 3, CHANNELS = 2, SIDE = 2, IN_CHANNEL = PHOTOS * SIDE * SIDE };

/* Loss: squares of a factor times a batch, whose moments are followed. */
static void build_following(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    bs_params *p = ctx;
    bs_shape   shape = bs_shape4(PHOTOS, CHANNELS, SIDE, SIDE);
    bs_id      x = bs_inputs_add(g, &r->input, bs_leaf(g, "x", BS_T_REAL, shape));
    bs_id      factor = bs_param(g, p, "factor", bs_shape1(1), bs_init_constant(1)), d[2], ids[2];
    int        segment[2];
    (void)key;
    bs_param_following(g, p, "moments", bs_shape4(2, CHANNELS, 1, 1), bs_init_constant(7), 0.25,
                       bs_moments(g, x));
    assert_int_equal(bs_params_nodes(g, p, "", ids, segment, 2), 1);
    assert_int_equal(ids[0], factor);
    bs_grad(g, bs_sum(g, bs_square(g, bs_mul(g, x, factor))), ids, 1, d, false);
    assert_int_equal(bs_params_distances(g, p, "", d + 1, segment + 1, 1), 1);
    for (int i = 0; i < 2; i++)
        r->result[r->n_results++] = (bs_result){d[i], segment[i]};
}

static void moments_of_batch(const real *x, double out[2 * CHANNELS])
{
    for (int c = 0; c < CHANNELS; c++) {
        double mean = 0, square = 0;
        for (int i = 0; i < IN_CHANNEL; i++) {
            double v = (double)x[(i / 4 * CHANNELS + c) * 4 + i % 4];
            mean += v / IN_CHANNEL;
            square += v * v / IN_CHANNEL;
        }
        out[c] = mean;
        out[CHANNELS + c] = square - mean * mean;
    }
}

/* The mean of the first batches, then a moving one; whatever rule, rate, decay and clipping are
 * for the rest, whose gradient's norm knows nothing of it. */
static void statistics_are_followed(void **state)
{
    bs_optim_options o;
    basin_error      err = {0};
    bs_workspace    *w;
    bs_buffer       *log = buffer_of(2);
    bs_params       *p = bs_params_new();
    bs_rng           rng = bs_rng_make(5, 0, 0);
    bs_entry        *e;
    double           mean[2 * CHANNELS] = {0}, now[2 * CHANNELS];
    real             x[PHOTOS * CHANNELS * SIDE * SIDE];
    (void)state;
    WELL(bs_workspace_open((bs_machine){.threads = 2}, &w, &err));
    bs_cache *cache = bs_cache_new(w, build_following, p, 0);
    WELL(bs_cache_get(cache, (bs_key){{0}}, &e, NULL, &err));
    WELL(bs_params_allocate(p, device_here(), 1, &err));
    WELL(bs_options_default(bs_optim_rows, &o, &err));
    o.rate = 0.01, o.decay = 0.5, o.clip = 1e-3;
    bs_optim *optim;
    WELL(bs_optim_new(w, p, "", &o, &optim, &err));
    bs_params_bind(p, e->program);
    const bs_segment *s = bs_params_find(p, "moments"), *factor = bs_params_find(p, "factor");
    for (int step = 1; step <= 9; step++) {
        for (size_t i = 0; i < sizeof x / sizeof *x; i++)
            x[i] = (real)(2 + step + bs_rng_normal(&rng));
        bs_bind_input(e->program, e->input.id[0], x);
        WELL(bs_program_run(e->program, &(bs_run){1, (uint64_t)step}, &err));
        const double slope = fabs((double)((real *)host_of(p->block.grad))[factor->offset]);
        const double norm = step_now(optim, false, log);
        assert_true(fabs(norm - slope) < 1e-4 * slope);
        moments_of_batch(x, now);
        for (int i = 0; i < 2 * CHANNELS; i++) {
            mean[i] += (step < 4 ? 1.0 / step : 0.25) * (now[i] - mean[i]);
            assert_true(fabs((double)((real *)host_of(p->block.value))[s->offset + i] - mean[i]) <
                        1e-4 * (1 + mean[i]));
        }
    }
    bs_optim_free(optim);
    bs_buffer_free(log);
    bs_cache_free(cache);
    bs_workspace_close(w);
    bs_params_free(p);
}

static void a_line_rises_and_falls(void **state)
{
    (void)state;
    assert_true(bs_linear_share(0, 0) == 1 && bs_linear_share(0, 0.1) == 0);
    assert_true(fabs(bs_linear_share(0.05, 0.1) - 0.5) < 1e-12);
    assert_true(fabs(bs_linear_share(0.1, 0.1) - 1) < 1e-12);
    assert_true(fabs(bs_linear_share(0.55, 0.1) - 0.5) < 1e-12);
    assert_true(bs_linear_share(1, 0.1) == 0 && bs_linear_share(1.2, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam_gives_the_same_bits),
        cmocka_unit_test(adamw_gives_the_same_bits),
        cmocka_unit_test(sgd_gives_the_same_bits),
        cmocka_unit_test(dense_and_sparse_programs_share_an_optimiser),
        cmocka_unit_test(batches_are_shared_and_rows_are_skipped),
        cmocka_unit_test(padding_stays_zero),
        cmocka_unit_test(bad_gradients_are_refused),
        cmocka_unit_test(two_optimisers_keep_to_their_nets),
        cmocka_unit_test(statistics_are_followed),
        cmocka_unit_test(the_rate_falls_on_a_plateau),
        cmocka_unit_test(the_schedule_at_its_edges),
        cmocka_unit_test(the_cosine_falls_from_one_to_nothing),
        cmocka_unit_test(a_line_rises_and_falls),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_failed_step_can_be_repeated),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests_name("optim", tests, NULL, NULL);
}
