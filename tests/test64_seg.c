/* test64_seg.c -- masks in the graph, in double precision: gradients of energies and losses of
 * first and second order, scores against counting, pixels that do not count, samples. */
#include "tests/scene.h"
#include "task/seg/data.h"

enum { B = 2, H = 5, W = 6, PIXELS = H * W };

/* ---- a scene of tiny photos ---- */

typedef struct {
    int rows, height, width, classes;
} layout;

static const layout two = {B, H, W, 2}, three = {B, H, W, 3};

static int parts_of(const scene *c)
{
    return bs_seg_planes(bs_net_spec_seg(&c->learner.spec)) * c->s.v.size.length *
           c->s.v.size.width;
}

static real *there_of(scene *c)
{
    return scene_data(c, c->s.v.x.id[1]);
}

/* One-hot masks of one class after the other; every seventh pixel does not count, though it has a
 * class. */
static void paint(scene *c, int classes)
{
    const int n = c->s.v.size.length * c->s.v.size.width, planes = parts_of(c) / n;
    for (int i = 0; i < c->s.v.size.rows * n; i++) {
        int k = (int)bs_rng_below(&c->ex.rng, (uint32_t)classes);
        there_of(c)[i] = i % 7 != 3;
        if (planes == 1)
            c->gold[i] = k;
        else
            c->gold[(i / n * planes + k) * n + i % n] = 1;
    }
}

/* Windows are as large as two.height x two.width, whatever the size of the photos. */
static scene *seg_scene(const char *words, layout l, uint64_t seed)
{
    basin_error   err = {0};
    scene        *c = calloc(1, sizeof *c);
    bs_seg_known  own = {.channels = 1, .classes = l.classes, .width = W, .height = H};
    bs_preprocess known = {.own = &own};
    assert_int_equal(bs_settings_default(&c->settings, &err), BASIN_OK);
    scene_set(c, "net.width=2 net.dropout=0.2 energy.hidden=8");
    scene_set(c, words);
    c->method.phase[0] = (bs_phase){.name = "test", .net = true, .energy = true};
    c->learner =
        (bs_learner){.o = &c->settings.train, .method = &c->method, .params = bs_params_new()};
    CHECK(bs_task_seg.spec(c->learner.o, &known, &c->learner.spec, &err) == BASIN_OK, "%s",
          err.msg);
    scene_weigh(c, l.classes);
    c->g = bs_graph_new();
    c->s = bs_loss_context_make(&c->learner, c->g, (bs_size){l.rows, l.height, l.width}, "net/");
    bs_example_init(&c->ex, seed);
    c->x = scene_bind(c, c->s.v.x.id[0]);
    scene_bind(c, c->s.v.x.id[1]);
    c->gold = scene_bind(c, c->s.v.gold);
    scene_bind_weights(c);
    for (int i = 0; i < l.rows * l.height * l.width; i++)
        c->x[i] = (real)bs_rng_uniform(&c->ex.rng);
    paint(c, l.classes);
    return c;
}

static bs_id masks(scene *c, int K, double lo, double hi)
{
    return bs_example_real(c->g, &c->ex, bs_shape3(c->s.v.size.rows, K, parts_of(c)), lo, hi);
}

/* ---- gradients ---- */

typedef struct {
    bs_loss     loss;
    const char *name, *trains, *words;
    layout      l;
} loss_case;

#define NET(f, words, l)                  \
    {                                     \
        bs_loss_##f, #f, "net/", words, l \
    }
#define ENERGY(f, words, l)                  \
    {                                        \
        bs_loss_##f, #f, "energy/", words, l \
    }

#define TWO        \
    {              \
        B, H, W, 2 \
    }
#define THREE      \
    {              \
        B, H, W, 3 \
    }

static const loss_case cases[] = {
    NET(cross_entropy, "", TWO),
    NET(cross_entropy, "net.kind=fcn2", THREE),
    NET(cross_entropy, "net.kind=unet", TWO),
    NET(cross_entropy, "weights=balanced", TWO),
    NET(cross_entropy, "weights=balanced", THREE),
    NET(net, "weights=balanced net.loss=ranking samples=3", THREE),
    NET(infnet, "weights=balanced infnet.form=separated cost=f1", TWO),
    NET(alen_net, "weights=balanced energy.kind=map net.kind=fcn2", THREE),
    NET(cross_entropy, "net.kind=unet3", TWO),
    NET(cross_entropy, "net.kind=unet3", THREE),
    NET(net, "net.loss=value energy.weight=2", TWO),
    NET(net, "energy.kind=map", THREE),
    NET(net, "net.loss=ranking samples=3", THREE),
    NET(infnet, "infnet.form=separated cost=f1 seg.score=class", TWO),
    NET(infnet, "infnet.form=separated cost=f1 seg.score=class", THREE),
    NET(infnet, "infnet.form=stacked cost=hamming infnet.entropy=0.1", TWO),
    NET(infnet, "infnet.form=stacked infnet.hidden=-1 cost=f1", THREE),
    NET(infnet, "infnet.form=shared cost=squared", TWO),
    NET(infnet, "infnet.form=separated cost=l1 net.kind=fcn2", THREE),
    NET(alen_net, "energy.kind=map net.kind=fcn2", TWO),
    NET(alen_net, "energy.kind=map net.kind=unet", THREE),
    ENERGY(regression, "", TWO),
    ENERGY(regression_s, "samples=3", THREE),
    ENERGY(margin, "cost=l1", TWO),
    ENERGY(margin, "cost=hamming energy.kind=map", THREE),
    ENERGY(value_search, "gbi.steps=3", TWO),
    ENERGY(value_search, "gbi.steps=2 gbi.start=random gbi.restarts=2", THREE),
    ENERGY(nce, "samples=4", TWO),
    ENERGY(nce, "samples=4 seg.smooth=3 energy.kind=map", THREE),
    ENERGY(ranking, "samples=3 seg.smooth=2", TWO),
    ENERGY(least_squares, "gbi.rule=normalised gbi.steps=2 gbi.best=no energy.kind=map", TWO),
    /* through the search: derivatives of the energy's derivative */
    ENERGY(unrolled, "gbi.rule=plain gbi.steps=3 gbi.lr=20 gbi.space=logits gbi.start=uniform",
           TWO),
    ENERGY(unrolled,
           "gbi.rule=momentum gbi.steps=2 gbi.lr=20 gbi.space=logits gbi.start=net energy.kind=map",
           THREE),
};

/* How near a unit that follows the leaves is to the kink of its ReLU: differences need a straight
 * line. */
static double nearest_kink(scene *c, bs_id target, const bs_id *varied, int n, uint64_t step)
{
    trial  t = trial_new(c, target, varied, n, step);
    double least = 1;
    for (bs_id id = 1; id <= target; id++) {
        const bs_node *node = bs_graph_node(c->g, id);
        const bool     scaled = node->op == BS_OP_scaled_relu;
        if ((node->op != BS_OP_relu && !scaled) || !t.live[id])
            continue;
        const int     channels = node->shape.d[1];
        const int64_t plane = (int64_t)node->shape.d[2] * node->shape.d[3];
        const real   *s = scaled ? t.value[node->src[1]] : NULL;
        for (int64_t i = 0; i < bs_shape_count(node->shape); i++) {
            double x = (double)((real *)t.value[node->src[0]])[i];
            if (scaled)
                x = x * (double)s[i / plane % channels] +
                    (double)s[channels + i / plane % channels];
            least = fmin(least, fabs(x));
        }
    }
    trial_free(c, &t);
    return least;
}

static double norm_of(const real *a, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)a[i];
    return sqrt(sum);
}

/* Nets this small may also be dead: then there is nothing to compare. */
#define FAR   2e-4
#define ALIVE 1e-3
enum { STEP = 3, TRIES = 60 };

static bool try_loss(const loss_case *k, const char *what, uint64_t seed)
{
    scene *c = seg_scene(k->words, k->l, seed);
    bs_id  loss = k->loss(&c->s), theta[SCENE_PARAMS];
    int    at = scene_result(c, loss, -1), segment[SCENE_PARAMS];
    int    n = bs_params_nodes(c->g, c->learner.params, k->trains, theta, segment, SCENE_PARAMS);
    scene_gradient(c, loss, k->trains);
    scene_start(c, seed);
    machine_run(&c->m, STEP);
    bool fit = norm_of(((real *)host_of(c->learner.params->block.grad)),
                       c->learner.params->moving) > ALIVE &&
               nearest_kink(c, loss, theta, n, STEP) > FAR;
    if (fit)
        check_parameter_gradient(c, loss, scene_number(c, at), k->trains, STEP, what);
    scene_free(c);
    return fit;
}

static void check_loss(const loss_case *k)
{
    char     what[256];
    uint64_t seed = 1;
    snprintf(what, sizeof what, "%s, %s, %d classes", k->name, k->words, k->l.classes);
    while (seed < TRIES && !try_loss(k, what, seed))
        seed++;
    CHECK(seed < TRIES, "%s: no seed that fits", what);
}

static void losses_have_true_gradients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_loss(&cases[i]);
}

/* dE/dy against differences, and d <dE/dy, r> / d theta, the mixed second derivative. */
static bool try_energy(const char *words, layout l, uint64_t seed)
{
    enum { K = 2 };
    scene *c = seg_scene(words, l, seed);
    bs_id  y = masks(c, K, 0.1, 0.9), r = masks(c, K, -1, 1), dy, wrt[SCENE_PARAMS];
    bs_id  e = bs_sum(c->g, c->s.t->energy(&c->s.v, y));
    int    segment[SCENE_PARAMS];
    int    m = bs_params_nodes(c->g, c->learner.params, "energy/", wrt, segment, SCENE_PARAMS - 1);
    wrt[m] = y;
    bs_grad(c->g, e, &y, 1, &dy, false);
    bs_id along = bs_dot(c->g, dy, r);
    scene_result(c, along, -1);
    scene_result(c, dy, -1);
    scene_gradient(c, along, "energy/");
    scene_start(c, seed);
    machine_run(&c->m, STEP);
    const int64_t n = (int64_t)B * K * parts_of(c);
    bool          fit = norm_of(machine_value(&c->m, 1), n) > ALIVE &&
               norm_of(((real *)host_of(c->learner.params->block.grad)),
                       c->learner.params->moving) > ALIVE &&
               nearest_kink(c, e, wrt, m + 1, STEP) > FAR;
    if (fit) {
        real *numeric = calloc((size_t)n, sizeof *numeric);
        trial t = trial_new(c, e, &y, 1, STEP);
        trial_differences(c, &t, scene_data(c, y), n, numeric);
        double off = distance(machine_value(&c->m, 1), numeric, n, 1e-9);
        CHECK(off < 1e-6, "%s: dE/dy is off by %.3g", words, off);
        for (int64_t i = 0; i < n; i++)
            if (there_of(c)[i / (K * parts_of(c)) * PIXELS + i % PIXELS] == 0)
                assert_true(machine_value(&c->m, 1)[i] == 0);
        trial_free(c, &t);
        free(numeric);
        check_parameter_gradient(c, along, scene_number(c, 0), "energy/", STEP, words);
    }
    scene_free(c);
    return fit;
}

static void check_energy(const char *words, layout l)
{
    uint64_t seed = 1;
    while (seed < TRIES && !try_energy(words, l, seed))
        seed++;
    CHECK(seed < TRIES, "%s: no seed that fits", words);
}

static void energies_have_true_derivatives(void **state)
{
    (void)state;
    check_energy("energy.kind=value", two);
    check_energy("energy.kind=value", three);
    check_energy("energy.kind=map", two);
    check_energy("energy.kind=map net.kind=fcn2", three);
    check_energy("energy.kind=map net.kind=unet", two);
    check_energy("energy.kind=map net.kind=unet3", two);
    check_energy("energy.kind=value energy.encoder=shared", two);
    check_energy("energy.kind=map energy.encoder=shared", three);
    check_energy("energy.kind=map net.kind=unet3 energy.encoder=shared", two);
}

/* ---- sizes ---- */

static void any_size_goes_through_the_nets(void **state)
{
    (void)state;
    for (int h = 1; h <= 9; h++)
        for (int w = 1; w <= 9; w += 2)
            for (int kind = 0; bs_encoders[kind]; kind++) {
                const char *net = bs_encoders[kind]->name;
                char        words[64];
                if (bs_encoders[kind]->reads != BS_READS_PHOTOS)
                    continue;
                snprintf(words, sizeof words, "net.kind=%s energy.kind=%s", net,
                         strcmp(net, "fcn2") == 0 ? "value" : "map");
                scene *c = seg_scene(words, (layout){1, h, w, 3}, 1);
                bs_id  y = c->s.t->relax(&c->s.v, c->s.t->logits(&c->s.v, "net"));
                scene_result(c, c->s.t->energy(&c->s.v, y), -1);
                scene_start(c, 1);
                machine_run(&c->m, 1);
                assert_true(isfinite(scene_number(c, 0)));
                scene_free(c);
            }
}

/* Two windows side by side are worth their mean; a smaller image what it is worth in a window of
 * zeros. */
static void a_value_is_the_mean_of_windows(void **state)
{
    (void)state;
    double value[2], parts[2];
    real   photo[2 * PIXELS], mask[2 * PIXELS];
    bs_rng rng = bs_rng_make(1, 2, 3);
    for (int i = 0; i < 2 * PIXELS; i++) {
        photo[i] = (real)bs_rng_uniform(&rng);
        mask[i] = (real)bs_rng_uniform(&rng);
    }
    for (int wide = 0; wide < 2; wide++) {
        layout l = wide ? (layout){1, H, 2 * W, 2} : (layout){2, H, W, 2};
        scene *c = seg_scene("energy.dropout=0", l, 1);
        bs_id  y = masks(c, 1, 0, 1);
        scene_result(c, c->s.t->energy(&c->s.v, y), -1);
        scene_start(c, 9);
        for (int i = 0; i < 2 * PIXELS; i++) {
            int window = i / W % 2, row = i / (2 * W), col = i % W;
            int at = wide ? i : window * PIXELS + row * W + col;
            c->x[at] = photo[i];
            scene_data(c, y)[at] = mask[i];
            there_of(c)[at] = 1;
        }
        machine_run(&c->m, 1);
        for (int i = 0; i < 2 - wide; i++)
            parts[i] = (double)machine_value(&c->m, 0)[i];
        value[wide] = wide ? scene_number(c, 0) : (parts[0] + parts[1]) / 2;
        scene_free(c);
    }
    CHECK(fabs(value[0] - value[1]) < 1e-12, "%.15g, not %.15g", value[1], value[0]);
}

/* What K masks of a photo share is computed once; the result is that of each alone. */
static void masks_are_scored_as_if_alone(void **state)
{
    enum { K = 3 };
    (void)state;
    scene *c = seg_scene("energy.dropout=0", three, 6);
    bs_id  y = masks(c, K, 0, 1);
    int    all = scene_result(c, c->s.t->energy(&c->s.v, y), -1);
    for (int k = 0; k < K; k++)
        scene_result(c, c->s.t->energy(&c->s.v, bs_slice(c->g, y, -2, k, 1)), -1);
    scene_start(c, 2);
    machine_run(&c->m, 1);
    for (int i = 0; i < B * K; i++)
        CHECK(fabs((double)machine_value(&c->m, all)[i] -
                   (double)machine_value(&c->m, 1 + i % K)[i / K]) < 1e-12,
              "mask %d of photo %d", i % K, i / K);
    scene_free(c);
}

/* ---- scores and costs ---- */

/* Computes what was asked of masks y, of which the first has no class but the first, as its gold
 * has then, too. */
static const real *run_masks(scene *c, bs_id y, bool hard)
{
    const int n = parts_of(c), masks_of_all = B * bs_shape_of(c->g, y).d[2];
    scene_result(c, bs_sum(c->g, c->s.t->energy(&c->s.v, y)), -1); /* some parameter must exist */
    scene_start(c, 3);
    real *data = scene_data(c, y);
    for (int i = 0; i < masks_of_all * n && hard; i++)
        data[i] = data[i] > (real)0.7;
    memset(data, 0, (size_t)n * sizeof *data);
    memset(c->gold, 0, (size_t)n * sizeof *data);
    for (int i = 0; i < PIXELS && n > PIXELS; i++)
        data[i] = c->gold[i] = 1;
    machine_run(&c->m, 1);
    return data;
}

/* The definitions, one pixel after the other. */
static void check_scores(layout l, bool hard)
{
    enum { K = 40 };
    scene    *c = seg_scene("", l, 7);
    bs_id     y = masks(c, K, 0, 1);
    const int parts = parts_of(c), planes = parts / PIXELS;
    for (int kind = BS_COST_F1; kind <= BS_COST_SQUARED; kind++)
        scene_result(c, c->s.t->cost(&c->s.v, (bs_cost)kind, y), -1);
    scene_result(c, c->s.t->score(&c->s.v, y), -1);
    const real *data = run_masks(c, y, hard);
    for (int r = 0; r < B * K; r++) {
        double least = 0, most = 0, l1 = 0, squared = 0, n = 0;
        for (int i = 0; i < parts; i++) {
            double a = (double)data[r * parts + i], b = (double)c->gold[r / K * parts + i];
            if (there_of(c)[r / K * PIXELS + i % PIXELS] == 0)
                continue;
            n += i < PIXELS;
            least += planes == 1 || i >= PIXELS ? fmin(a, b) : 0;
            most += planes == 1 || i >= PIXELS ? fmax(a, b) : 0;
            l1 += fabs(a - b);
            squared += (a - b) * (a - b);
        }
        double iou = most > 0 ? least / most : 1;
        double want[] = {1 - iou, l1 / n / (planes > 1 ? 2 : 1), l1, squared, iou};
        for (int i = 0; i < 5; i++)
            CHECK(fabs((double)machine_value(&c->m, i)[r] - want[i]) < 2e-6,
                  "%d classes, value %d of mask %d: %g, not %g", l.classes, i, r,
                  (double)machine_value(&c->m, i)[r], want[i]);
    }
    scene_free(c);
}

/* seg.score=class: the mean of soft IoU over all classes, one after the other. */
static void check_class_scores(layout l, bool hard)
{
    enum { K = 40 };
    scene    *c = seg_scene("seg.score=class", l, 7);
    bs_id     y = masks(c, K, 0, 1);
    const int parts = parts_of(c), planes = parts / PIXELS;
    scene_result(c, c->s.t->score(&c->s.v, y), -1);
    const real *data = run_masks(c, y, hard);
    for (int r = 0; r < B * K; r++) {
        double want = 0;
        for (int k = 0; k < l.classes; k++) {
            double least = 0, most = 0;
            for (int i = 0; i < PIXELS; i++) {
                const int at = planes == 1 ? i : k * PIXELS + i;
                double    a = (double)data[r * parts + at], b = (double)c->gold[r / K * parts + at];
                if (planes == 1 && k == 0) {
                    a = 1 - a;
                    b = 1 - b;
                }
                if (there_of(c)[r / K * PIXELS + i] != 0) {
                    least += fmin(a, b);
                    most += fmax(a, b);
                }
            }
            want += (most > 0 ? least / most : 1) / l.classes;
        }
        CHECK(fabs((double)machine_value(&c->m, 0)[r] - want) < 2e-6,
              "%d classes, score of mask %d: %g, not %g", l.classes, r,
              (double)machine_value(&c->m, 0)[r], want);
    }
    scene_free(c);
}

static void scores_and_costs_follow_their_definitions(void **state)
{
    (void)state;
    for (int hard = 0; hard < 2; hard++) {
        check_scores(two, hard);
        check_scores(three, hard);
        check_class_scores(two, hard);
        check_class_scores(three, hard);
    }
}

/* log P of the truth and of samples by their definition, and the mean that nets minimise. */
static void log_probabilities_add_up_over_pixels(void **state)
{
    (void)state;
    for (int classes = 2; classes <= 3; classes++) {
        scene    *c = seg_scene("", (layout){B, H, W, classes}, 8);
        bs_id     z = masks(c, 1, -3, 3);
        const int planes = parts_of(c) / PIXELS;
        scene_result(c, c->s.t->truth_log_prob(&c->s.v, z), -1);
        scene_result(c, c->s.t->sample_log_prob(&c->s.v, c->s.t->truth(&c->s.v), 1, z), -1);
        scene_result(c, c->s.t->cross_entropy(&c->s.v, z), -1);
        scene_result(c, bs_sum(c->g, c->s.t->logits(&c->s.v, "net")), -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        for (int b = 0; b < B; b++) {
            double sum = 0, n = 0;
            for (int i = 0; i < PIXELS; i++) {
                const real *at = scene_data(c, z) + b * parts_of(c) + i;
                const real *gold = c->gold + b * parts_of(c) + i;
                double      total = planes == 1 ? 1 : 0, mine = 0;
                if (there_of(c)[b * PIXELS + i] == 0)
                    continue;
                for (int k = 0; k < planes; k++) {
                    total += exp((double)at[k * PIXELS]);
                    mine += (double)gold[k * PIXELS] * (double)at[k * PIXELS];
                }
                sum += mine - log(total);
                n++;
            }
            assert_true(fabs((double)machine_value(&c->m, 0)[b] - sum) < 1e-10);
            assert_true(fabs((double)machine_value(&c->m, 1)[b] - sum) < 1e-10);
            assert_true(fabs((double)machine_value(&c->m, 2)[b] + sum / n) < 1e-10);
        }
        scene_free(c);
    }
}

/* Each pixel counts as much as its class says, in the mean over pixels; log P stays as it is. */
static void weights_are_those_of_classes(void **state)
{
    (void)state;
    for (int classes = 2; classes <= 3; classes++) {
        scene    *c = seg_scene("weights=balanced", (layout){B, H, W, classes}, 8);
        bs_id     z = masks(c, 1, -3, 3);
        const int planes = parts_of(c) / PIXELS;
        scene_result(c, c->s.t->cross_entropy(&c->s.v, z), -1);
        scene_result(c, c->s.t->truth_log_prob(&c->s.v, z), -1);
        scene_result(c, bs_sum(c->g, c->s.t->logits(&c->s.v, "net")), -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        for (int b = 0; b < B; b++) {
            double sum = 0, plain = 0, n = 0;
            for (int i = 0; i < PIXELS; i++) {
                const real *at = scene_data(c, z) + b * parts_of(c) + i;
                const real *gold = c->gold + b * parts_of(c) + i;
                double      total = planes == 1 ? 1 : 0, mine = 0;
                int class = planes == 1 ? gold[0] > 0 : 0;
                if (there_of(c)[b * PIXELS + i] == 0)
                    continue;
                for (int k = 0; k < planes; k++) {
                    total += exp((double)at[k * PIXELS]);
                    mine += (double)gold[k * PIXELS] * (double)at[k * PIXELS];
                    class = planes > 1 && gold[k * PIXELS] > 0 ? k : class;
                }
                sum -= scene_weight(class) * (mine - log(total));
                plain += mine - log(total);
                n++;
            }
            assert_true(fabs((double)machine_value(&c->m, 0)[b] - sum / n) < 1e-10);
            assert_true(fabs((double)machine_value(&c->m, 1)[b] - plain) < 1e-10);
        }
        scene_free(c);
    }
}

/* ---- pixels that do not count ---- */

static void check_ignored(const char *words, layout l)
{
    enum { VALUES = 10 };
    double before[VALUES];
    real   grad[2048];
    scene *c = seg_scene(words, l, 9);
    bs_id  y = masks(c, 1, 0, 1), z = masks(c, 1, -2, 2);
    bs_id  value[VALUES] = {c->s.t->score(&c->s.v, y),
                            c->s.t->cost(&c->s.v, BS_COST_HAMMING, y),
                            c->s.t->cost(&c->s.v, BS_COST_L1, y),
                            c->s.t->cost(&c->s.v, BS_COST_SQUARED, y),
                            c->s.t->cross_entropy(&c->s.v, z),
                            c->s.t->truth_log_prob(&c->s.v, z),
                            c->s.t->entropy(&c->s.v, y),
                            c->s.t->energy(&c->s.v, y),
                            c->s.t->truth_energy(&c->s.v),
                            c->s.t->sample_log_prob(&c->s.v, y, 1, z)};
    bs_id  loss = bs_add(c->g, bs_loss_net(&c->s), bs_loss_regression(&c->s));
    for (int i = 0; i < VALUES; i++)
        scene_result(c, bs_sum(c->g, value[i]), -1);
    scene_gradient(c, loss, "");
    scene_start(c, 3);
    machine_run(&c->m, 1);
    const size_t n = (size_t)c->learner.params->moving;
    assert_true(n <= sizeof grad / sizeof grad[0]);
    for (int i = 0; i < VALUES; i++)
        before[i] = scene_number(c, i);
    memcpy(grad, ((real *)host_of(c->learner.params->block.grad)), n * sizeof *grad);
    for (int i = 0; i < B * parts_of(c); i++)
        if (there_of(c)[i / parts_of(c) * PIXELS + i % PIXELS] == 0) {
            scene_data(c, y)[i] = (real)0.77;
            scene_data(c, z)[i] = (real)5;
            c->gold[i] = 1 - c->gold[i];
        }
    machine_run(&c->m, 1);
    for (int i = 0; i < VALUES; i++)
        CHECK(scene_number(c, i) == before[i], "%s: value %d changed", words, i);
    assert_memory_equal(grad, ((real *)host_of(c->learner.params->block.grad)), n * sizeof *grad);
    scene_free(c);
}

static void ignored_pixels_never_count(void **state)
{
    (void)state;
    check_ignored("energy.kind=value", two);
    check_ignored("energy.kind=value", three);
    check_ignored("energy.kind=map", two);
    check_ignored("energy.kind=map net.kind=fcn2", three);
}

/* ---- samples ---- */

typedef struct {
    double marginal;    /* largest error of the probability of a part */
    double near, apart; /* mean correlation of neighbours, and of pixels five apart */
} drawn;

static double correlation(const real *y, int K, int parts, int a, int b)
{
    double ma = 0, mb = 0, ab = 0;
    for (int k = 0; k < K; k++) {
        ma += (double)y[k * parts + a] / K;
        mb += (double)y[k * parts + b] / K;
        ab += (double)y[k * parts + a] * (double)y[k * parts + b] / K;
    }
    return (ab - ma * mb) / sqrt(ma * (1 - ma) * mb * (1 - mb));
}

static drawn draw(const char *words, int classes)
{
    enum { K = 6000 };
    scene    *c = seg_scene(words, (layout){1, H, W, classes}, 3);
    bs_id     z = masks(c, 1, -1, 1);
    const int parts = parts_of(c);
    scene_result(c, c->s.t->sample(&c->s.v, z, K, 11), -1);
    scene_result(c, c->s.t->relax(&c->s.v, z), -1);
    scene_result(c, bs_sum(c->g, c->s.t->logits(&c->s.v, "net")), -1);
    scene_start(c, 3);
    machine_run(&c->m, 2);
    const real *y = machine_value(&c->m, 0), *p = machine_value(&c->m, 1);
    drawn       d = {0};
    for (int i = 0; i < parts; i++) {
        double mean = 0;
        for (int k = 0; k < K; k++) {
            assert_true(y[k * parts + i] == 0 || y[k * parts + i] == 1);
            mean += (double)y[k * parts + i] / K;
        }
        d.marginal = fmax(d.marginal, fabs(mean - (double)p[i]));
    }
    for (int k = 0; k < K && classes > 2; k++) /* one class at every pixel */
        for (int i = 0; i < PIXELS; i++)
            assert_true(
                y[k * parts + i] + y[k * parts + PIXELS + i] + y[k * parts + 2 * PIXELS + i] == 1);
    for (int row = 0; row < H; row++) {
        d.near += correlation(y, K, parts, row * W, row * W + 1) / H;
        d.apart += correlation(y, K, parts, row * W, row * W + 5) / H;
    }
    scene_free(c);
    return d;
}

static void samples_have_the_right_marginals(void **state)
{
    (void)state;
    for (int classes = 2; classes <= 3; classes++) {
        drawn alone = draw("", classes), smooth = draw("seg.smooth=3", classes);
        /* 4.5 standard errors of a share of 6000 */
        CHECK(alone.marginal < 0.029, "independent: off by %g", alone.marginal);
        CHECK(smooth.marginal < 0.029, "smooth: off by %g", smooth.marginal);
        CHECK(fabs(alone.near) < 0.03, "independent pixels correlate by %g", alone.near);
        CHECK(smooth.near > 0.4, "neighbours correlate by %g only", smooth.near);
        CHECK(fabs(smooth.apart) < 0.03, "pixels out of reach correlate by %g", smooth.apart);
    }
}

/* ---- outputs ---- */

static void projections_are_masks(void **state)
{
    (void)state;
    for (int classes = 2; classes <= 4; classes++) {
        scene *c = seg_scene("", (layout){B, H, W, classes}, 12);
        bs_id  y = masks(c, 2, -2, 3), p = c->s.t->project(&c->s.v, y);
        scene_result(c, p, -1);
        scene_result(c, c->s.t->project(&c->s.v, p), -1);
        scene_result(c, c->s.t->relax(&c->s.v, c->s.t->unrelax(&c->s.v, p)), -1);
        scene_result(c, c->s.t->random(&c->s.v, 2, 5), -1);
        scene_result(c, bs_sum(c->g, c->s.t->logits(&c->s.v, "net")), -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        const int n = B * 2 * parts_of(c), planes = parts_of(c) / PIXELS;
        for (int r = 0; r < 4; r += 3)
            for (int i = 0; i < n; i++) {
                const real *v = machine_value(&c->m, r);
                double      sum = 0;
                assert_true(v[i] >= 0 && v[i] <= 1);
                for (int k = 0; k < planes; k++)
                    sum += (double)v[i / parts_of(c) * parts_of(c) + k * PIXELS + i % PIXELS];
                assert_true(planes == 1 || fabs(sum - 1) < 1e-9);
            }
        assert_true(distance(machine_value(&c->m, 0), machine_value(&c->m, 1), n, 1) < 1e-9);
        assert_true(distance(machine_value(&c->m, 0), machine_value(&c->m, 2), n, 1) < 1e-6);
        scene_free(c);
    }
}

/* Equal logits so large that no noise can tell them apart: still one class a pixel. */
static void ties_are_broken(void **state)
{
    enum { K = 4, CLASSES = 3 };
    (void)state;
    scene *c = seg_scene("", (layout){B, H, W, CLASSES}, 3);
    bs_id  z = bs_fill(c->g, 1e18, bs_shape3(B, 1, CLASSES * PIXELS));
    scene_result(c, c->s.t->sample(&c->s.v, z, K, 11), -1);
    scene_result(c, bs_sum(c->g, c->s.t->logits(&c->s.v, "net")), -1);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    const real *y = machine_value(&c->m, 0);
    for (int i = 0; i < B * K * PIXELS; i++) {
        const real *at = y + i / PIXELS * CLASSES * PIXELS + i % PIXELS;
        CHECK(at[0] + at[PIXELS] + at[2 * PIXELS] == 1, "pixel %d: not one class", i);
    }
    scene_free(c);
}

/* Numbers that are far apart: only those near the largest have a part of the sum. */
static void far_numbers_are_projected_exactly(void **state)
{
    enum { CLASSES = 12 };
    (void)state;
    scene *c = seg_scene("", (layout){B, H, W, CLASSES}, 12);
    bs_id  y = bs_example_real(c->g, &c->ex, bs_shape3(B, 1, CLASSES * PIXELS), 0, 1);
    real  *at = scene_data(c, y);
    scene_result(c, c->s.t->project(&c->s.v, y), -1);
    scene_result(c, bs_sum(c->g, c->s.t->logits(&c->s.v, "net")), -1);
    scene_start(c, 3);
    for (int i = 0; i < B * CLASSES * PIXELS; i++) { /* 0, 0.5, then ever further down */
        const int k = i / PIXELS % CLASSES;
        at[i] = (real)(k < 2 ? 0.5 * k : -pow(40, k));
    }
    machine_run(&c->m, 1);
    const real *got = machine_value(&c->m, 0);
    for (int i = 0; i < B * CLASSES * PIXELS; i++) {
        const int    k = i / PIXELS % CLASSES;
        const double want = k == 0 ? 0.25 : k == 1 ? 0.75 : 0;
        CHECK(fabs((double)got[i] - want) < 1e-12, "class %d: %g, not %g", k, (double)got[i], want);
    }
    scene_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_have_true_gradients),
        cmocka_unit_test(energies_have_true_derivatives),
        cmocka_unit_test(any_size_goes_through_the_nets),
        cmocka_unit_test(a_value_is_the_mean_of_windows),
        cmocka_unit_test(masks_are_scored_as_if_alone),
        cmocka_unit_test(scores_and_costs_follow_their_definitions),
        cmocka_unit_test(log_probabilities_add_up_over_pixels),
        cmocka_unit_test(weights_are_those_of_classes),
        cmocka_unit_test(ignored_pixels_never_count),
        cmocka_unit_test(samples_have_the_right_marginals),
        cmocka_unit_test(projections_are_masks),
        cmocka_unit_test(ties_are_broken),
        cmocka_unit_test(far_numbers_are_projected_exactly),
    };
    return cmocka_run_group_tests_name("masks, double", tests, NULL, NULL);
}
