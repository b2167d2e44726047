/* test64_energy.c -- what the methods need of the core, in double precision:
 * the gradient through unrolled inference, and Hessian-vector products. */
#include "tests/energy.h"

#include "device/cpu/program.h"

enum { B = 5, D = 6, L = 8, H = 4, STEPS = 10 };

typedef struct {
    bs_graph  *g;
    bs_example ex;
    bs_params *params;
    energy     e;
    bs_id      y, z0;
} setting;

static setting setting_new(void)
{
    setting s = {.g = bs_graph_new(), .params = bs_params_new()};
    bs_example_init(&s.ex, 4);
    s.e = (energy){.nn = {s.g, s.params, true, 1}, .labels = L, .hidden = H};
    s.e.x = bs_example_real(s.g, &s.ex, bs_shape2(B, D), -1, 1);
    s.y = bs_example_real(s.g, &s.ex, bs_shape2(B, L), 0.1, 0.9);
    s.z0 = bs_example_real(s.g, &s.ex, bs_shape2(B, L), -1, 1);
    return s;
}

static void setting_free(setting *s)
{
    bs_params_free(s->params);
    bs_example_free(&s->ex);
    bs_graph_free(s->g);
}

static machine start(setting *s, const bs_result *r, int n)
{
    check_graph(s->g);
    if (!s->params->block.value)
        assert_int_equal(bs_params_allocate(s->params, device_here(), 3, NULL), BASIN_OK);
    machine m = machine_new(s->g, &s->ex, r, n, 0, 1);
    bs_params_bind(s->params, m.p);
    return m;
}

/* d loss(y_K) / d theta, where y_K is the end of ten steps, by all parameters. */
static void gradient_through_unrolled_inference(void **state)
{
    (void)state;
    setting s = setting_new();
    bs_id   y = bs_sigmoid(s.g, unroll(s.g, &s.e, s.z0, STEPS, 0.7));
    bs_id   loss = bs_sum(s.g, bs_square(s.g, bs_sub(s.g, y, s.y)));
    bs_id   theta[16], d[16];
    int     segment[16], n = bs_params_nodes(s.g, s.params, "", theta, segment, 16);
    bs_grad(s.g, loss, theta, n, d, false);
    bs_result r[17] = {{loss, -1}};
    for (int i = 0; i < n; i++)
        r[1 + i] = (bs_result){d[i], segment[i]};
    machine m = start(&s, r, 1 + n);
    machine_run(&m, 0);
    real *analytic = calloc((size_t)s.params->moving, sizeof(real));
    real *numeric = calloc((size_t)s.params->moving, sizeof(real));
    memcpy(analytic, ((real *)host_of(s.params->block.grad)),
           (size_t)s.params->moving * sizeof(real));
    for (int i = 0; i < s.params->n; i++)
        for (int64_t k = 0; k < s.params->segment[i].count; k++) {
            real *w = (real *)host_of(s.params->block.value) + s.params->segment[i].offset + k;
            const double at = (double)*w, h = 1e-5;
            double       f[2];
            for (int side = 0; side < 2; side++) {
                *w = (real)(side ? at + h : at - h);
                machine_run(&m, 0);
                f[side] = (double)machine_value(&m, 0)[0];
            }
            *w = (real)at;
            numeric[s.params->segment[i].offset + k] = (real)((f[1] - f[0]) / (2 * h));
        }
    double e = distance(analytic, numeric, s.params->moving, 1e-6);
    CHECK(e < 1e-7, "the gradient is off by %.3g", e);
    free(analytic);
    free(numeric);
    machine_free(&m);
    setting_free(&s);
}

/* u'(Hv) = v'(Hu), and both routes to Hv agree. */
static void hessian_is_symmetric(void **state)
{
    (void)state;
    setting   s = setting_new();
    bs_id     u = bs_example_real(s.g, &s.ex, bs_shape2(B, L), -1, 1);
    bs_id     v = bs_example_real(s.g, &s.ex, bs_shape2(B, L), -1, 1);
    bs_id     hv = bs_hvp(s.g, energy_of, &s.e, s.y, v, BS_HVP_EXACT, 0);
    bs_id     hu = bs_hvp(s.g, energy_of, &s.e, s.y, u, BS_HVP_EXACT, 0);
    bs_id     central = bs_hvp(s.g, energy_of, &s.e, s.y, v, BS_HVP_CENTRAL, 1e-4);
    bs_result r[] = {{bs_dot(s.g, u, hv), -1}, {bs_dot(s.g, v, hu), -1}, {hv, -1}, {central, -1}};
    machine   m = start(&s, r, 4);
    machine_run(&m, 0);
    double a = (double)machine_value(&m, 0)[0], b = (double)machine_value(&m, 1)[0];
    CHECK(fabs(a) > 1e-3, "u'Hv is %g: nothing to compare", a);
    CHECK(fabs(a - b) / fabs(a) < 1e-9, "u'Hv = %.15g, v'Hu = %.15g", a, b);
    double e = distance(machine_value(&m, 2), machine_value(&m, 3), B * L, 1e-6);
    CHECK(e < 1e-6, "exact and difference products differ by %.3g", e);
    machine_free(&m);
    setting_free(&s);
}

/* Work of a program: multiply-adds of products, micro-operations times elements. */
static double work_of(setting *s, const bs_result *r, int n)
{
    machine m = start(s, r, n);
    double  total = 0;
    for (int i = 0; i < kernels_of(m.p)->n; i++) {
        const bs_call *c = &kernels_of(m.p)->call[i];
        double         elements = (double)bs_shape_count(c->args.node->shape);
        if (c->args.node->op == BS_OP_matmul && !c->n_micro)
            total += elements * c->args.in_shape[0].d[c->args.node->attr[0] ? 2 : 3];
        else
            total += elements * (c->n_micro ? c->n_micro : 1);
    }
    machine_free(&m);
    return total;
}

static void an_exact_product_costs_at_most_four_gradients(void **state)
{
    (void)state;
    setting s = setting_new();
    bs_id   v = bs_example_real(s.g, &s.ex, bs_shape2(B, L), -1, 1), dy;
    bs_grad(s.g, energy_of(s.g, &s.e, s.y), &s.y, 1, &dy, false);
    bs_result gradient = {dy, -1};
    bs_result product = {bs_hvp(s.g, energy_of, &s.e, s.y, v, BS_HVP_EXACT, 0), -1};
    double    ratio = work_of(&s, &product, 1) / work_of(&s, &gradient, 1);
    CHECK(ratio <= 4, "a product costs %.2f gradients", ratio);
    setting_free(&s);
}

/* F(x) does not depend on y: ten steps share one copy of it. */
static void features_are_computed_once(void **state)
{
    (void)state;
    setting s = setting_new();
    energy_of(s.g, &s.e, bs_sigmoid(s.g, s.z0));
    int products[2] = {0};
    for (int pass = 0; pass < 2; pass++) {
        bs_result r = {unroll(s.g, &s.e, s.z0, pass ? STEPS : 1, 0.7), -1};
        machine   m = start(&s, &r, 1);
        for (int i = 0; i < kernels_of(m.p)->n; i++)
            products[pass] += kernels_of(m.p)->call[i].args.node->op == BS_OP_matmul;
        machine_free(&m);
    }
    /* T has two products, B one; a step has two of its own (M and its adjoint) */
    CHECK(products[1] - products[0] == 2 * (STEPS - 1), "%d and %d products", products[0],
          products[1]);
    setting_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_through_unrolled_inference),
        cmocka_unit_test(hessian_is_symmetric),
        cmocka_unit_test(an_exact_product_costs_at_most_four_gradients),
        cmocka_unit_test(features_are_computed_once),
    };
    return cmocka_run_group_tests_name("energy, double", tests, NULL, NULL);
}
