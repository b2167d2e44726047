/* Parameters that take their values from tensors of a file: names, types, shapes, and what is
 * refused. */
#include "tests/declaration.h"

#include <float.h>

#include "run/tensors.h"

typedef struct {
    bs_params      *p;
    bs_safetensors *f;
    bs_buf          bytes;
} setting;

/* Parameters net/T/W [2, 3], net/T/b [3] (of which W is frozen) and net/out [2], all 9. */
static bs_params *declared(void)
{
    bs_graph     *g = bs_graph_new();
    bs_params    *p = bs_params_new();
    const bs_init nine = bs_init_constant(9);
    bs_param_frozen(g, p, "net/T/W", bs_shape2(2, 3), nine);
    bs_param(g, p, "net/T/b", bs_shape1(3), nine);
    bs_param(g, p, "net/out", bs_shape1(2), nine);
    check_graph(g);
    bs_graph_free(g);
    assert_int_equal(bs_params_allocate(p, device_here(), 1, NULL), BASIN_OK);
    return p;
}

static setting setting_new(const bs_tensor *t, int n)
{
    setting s = {.p = declared()};
    bs_buf_init(&s.bytes, 1 << 20);
    assert_int_equal(bs_safetensors_format(t, n, NULL, 0, &s.bytes, NULL), BASIN_OK);
    assert_int_equal(bs_safetensors_memory("f", s.bytes.data, s.bytes.len, &s.f, NULL), BASIN_OK);
    return s;
}

static void setting_free(setting *s)
{
    bs_safetensors_close(s->f);
    bs_buf_free(&s->bytes);
    bs_params_free(s->p);
}

static void check_values(const setting *s, const char *name, const double *want, int n)
{
    const bs_segment *segment = bs_params_find(s->p, name);
    const real       *w = (const real *)host_of(s->p->block.value) + segment->offset;
    assert_int_equal(segment->count, n);
    for (int i = 0; i < n; i++)
        assert_true((double)w[i] == (want ? want[i] : 9));
}

static const float    whole[] = {1, -2, 0.5f, 3, 4, 5};
static const uint16_t half[] = {0x3c00, 0xc000, 0x0001}, brain[] = {0x3f80, 0xc000, 0x0001};
static const int64_t  numbers[] = {1, 2, 3};
static const float    bad[] = {1, 2, (float)NAN};

#define W                                                        \
    {                                                            \
        "enc.W", BS_DTYPE_F32, 3, {1, 2, 3}, whole, sizeof whole \
    }
#define B(t)                                                      \
    {                                                             \
        "enc.b", t, 1, {3}, (t) == BS_DTYPE_F16 ? half : brain, 6 \
    }

static void short_numbers_are_read(void **state)
{
    (void)state;
    const struct {
        bs_dtype type;
        double   want[3];
    } kinds[] = {{BS_DTYPE_F16, {1, -2, 0x1p-24}}, {BS_DTYPE_BF16, {1, -2, 0x1p-133}}};
    for (int k = 0; k < 2; k++) {
        const double    matrix[] = {1, -2, 0.5, 3, 4, 5};
        const bs_tensor t[] = {W, B(kinds[k].type), {"other", BS_DTYPE_F16, 1, {3}, half, 6}};
        setting         s = setting_new(t, 3);
        basin_error     err = {0};
        CHECK(bs_tensors_load(s.p, "net/T/", s.f, "f", "enc.", &err) == BASIN_OK, "%s", err.msg);
        check_values(&s, "net/T/W", matrix, 6);
        check_values(&s, "net/T/b", kinds[k].want, 3);
        check_values(&s, "net/out", NULL, 2);
        setting_free(&s);
    }
}

/* Every finite half is its definition; the others are infinite or NaN. */
static void halves_are_exact(void **state)
{
    (void)state;
    static uint16_t all[1 << 16];
    static float    x[1 << 16];
    for (int i = 0; i < 1 << 16; i++)
        all[i] = (uint16_t)i;
    const bs_tensor t = {"x", BS_DTYPE_F16, 1, {1 << 16}, all, sizeof all};
    assert_true(bs_tensor_floats(&t, 0, 1 << 16, x));
    for (int i = 0; i < 1 << 16; i++) {
        const int    e = i >> 10 & 31, m = i & 1023;
        const double want =
            (i >> 15 ? -1.0 : 1.0) * pow(2, (e ? e : 1) - 15) * ((e ? 1 : 0) + m / 1024.0);
        if (e == 31)
            assert_true(m ? isnan(x[i]) : isinf(x[i]) && (signbit(x[i]) != 0) == i >> 15);
        else
            assert_true((double)x[i] == want && (signbit(x[i]) != 0) == i >> 15);
    }
}

/* Back and forth; between two halves the nearer one, in the middle the even one. */
static void floats_become_the_nearest_half(void **state)
{
    (void)state;
    for (int i = 0; i < 0x7C00; i++) {
        const uint16_t  bits[2] = {(uint16_t)i, (uint16_t)(i + 1)};
        const bs_tensor t = {"x", BS_DTYPE_F16, 1, {2}, bits, sizeof bits};
        float           x[2];
        uint16_t        back[6];
        assert_true(bs_tensor_floats(&t, 0, 2, x));
        if (i == 0x7BFF)
            x[1] = 65536;
        const float middle = (x[0] + x[1]) / 2;
        const float values[] = {
            x[0], nextafterf(middle, 0), middle, nextafterf(middle, x[1]), -x[0], -middle};
        const bool fits = bs_halves_of(values, 6, back);
        assert_int_equal(fits, i < 0x7BFF);
        const int even = i + (i & 1);
        const int want[] = {i, i, even, i + 1, i | 0x8000, even | 0x8000};
        for (int k = 0; k < 6; k++)
            CHECK(back[k] == want[k], "%a: %x, not %x", (double)values[k], back[k], want[k]);
    }
    const float odd[] = {INFINITY, -INFINITY, NAN, 1e-30f, -FLT_MIN / 2, FLT_MAX};
    uint16_t    back[6];
    assert_true(bs_halves_of(odd, 5, back));
    assert_int_equal(back[0], 0x7C00);
    assert_int_equal(back[1], 0xFC00);
    assert_true((back[2] & 0x7C00) == 0x7C00 && (back[2] & 0x3FF));
    assert_int_equal(back[3], 0);
    assert_int_equal(back[4], 0x8000);
    assert_false(bs_halves_of(odd + 5, 1, back));
}

/* A file may hold numbers of any type; they are refused where floats are wanted. */
static void other_types_are_passed_over(void **state)
{
    static const int8_t signs[3] = {1, 0, 1};
    const bs_tensor     t[] = {W, B(BS_DTYPE_BF16), {"mask", BS_DTYPE_BOOL, 1, {3}, signs, 3}};
    setting             s = setting_new(t, 3);
    basin_error         err = {0};
    (void)state;
    assert_string_equal(bs_dtype_name(bs_safetensors_find(s.f, "mask")->dtype), "BOOL");
    CHECK(bs_tensors_load(s.p, "net/T/", s.f, "f", "enc.", &err) == BASIN_OK, "%s", err.msg);
    setting_free(&s);
}

static void wrong_tensors_are_refused(void **state)
{
    static const struct {
        bs_tensor   b;
        const char *to, *message;
    } cases[] = {
        {{"x.b", BS_DTYPE_F16, 1, {3}, half, 6},
         "net/T/",
         "f: there is no tensor 'enc.b', which 'net/T/b' needs"},
        {{"enc.b", BS_DTYPE_F32, 2, {2, 3}, whole, sizeof whole},
         "net/T/",
         "f: tensor 'enc.b' is [2, 3]; for 'net/T/b' it must be [3]"},
        {{"enc.b", BS_DTYPE_F32, 0, {0}, whole, 4},
         "net/T/",
         "f: tensor 'enc.b' is []; for 'net/T/b' it must be [3]"},
        {{"enc.b", BS_DTYPE_I64, 1, {3}, numbers, sizeof numbers},
         "net/T/",
         "f: tensor 'enc.b' has numbers of type I64; F32, F16 or BF16 is needed"},
        {{"enc.b", BS_DTYPE_F32, 1, {3}, bad, sizeof bad},
         "net/T/",
         "f: tensor 'enc.b' holds nan at 2"},
        {B(BS_DTYPE_F16), "energy/", "f: no parameter is called 'energy/...'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bs_tensor t[] = {W, cases[i].b};
        setting         s = setting_new(t, 2);
        basin_error     err = {0};
        assert_true(bs_tensors_load(s.p, cases[i].to, s.f, "f", "enc.", &err) != BASIN_OK);
        assert_string_equal(err.msg, cases[i].message);
        check_values(&s, "net/T/W", NULL, 6);
        check_values(&s, "net/T/b", NULL, 3);
        setting_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_numbers_are_read),
        cmocka_unit_test(halves_are_exact),
        cmocka_unit_test(floats_become_the_nearest_half),
        cmocka_unit_test(other_types_are_passed_over),
        cmocka_unit_test(wrong_tensors_are_refused),
    };
    return cmocka_run_group_tests_name("tensors", tests, NULL, NULL);
}
