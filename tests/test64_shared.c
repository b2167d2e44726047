/* Energies that share the encoder of the net: what they are a function of, and that they leave it
 * alone. Those over masks are in test64_seg.c. */
#include "tests/tag_scene.h"

enum { B = 3, FEATURES = 4, LABELS = 3, TAGS = 3, K = 2 };

static bool is_there(const scene *c, const char *prefix)
{
    const bs_params *p = c->learner.params;
    for (int i = 0; i < p->n; i++)
        if (bs_params_has_prefix(p->segment[i].name, prefix))
            return true;
    return false;
}

/* A weighted sum of the energies of y: its gradient by the energy is right, that by the net is
 * zero although the net's encoder matters. */
static void check_shared(scene *c, bs_id y, const char *words)
{
    bs_id     weights = bs_example_real(c->g, &c->ex, bs_shape3(B, K, 1), -1, 1);
    bs_id     e = bs_dot(c->g, c->s.t->energy(&c->s.v, y), weights);
    const int value = scene_result(c, e, -1);
    scene_gradient(c, e, "energy/");
    scene_gradient(c, e, "net/");
    scene_start(c, 3);
    machine_run(&c->m, 1);
    const double was = scene_number(c, value);
    assert_false(is_there(c, "energy/T/") || is_there(c, "energy/words/"));
    check_parameter_gradient(c, e, was, "energy/", 1, words);
    const bs_params *p = c->learner.params;
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        real             *w = (real *)host_of(p->block.value) + s->offset;
        for (int64_t k = 0; k < s->count && bs_params_has_prefix(s->name, "net/"); k++)
            assert_true(((real *)host_of(p->block.grad))[s->offset + k] == 0);
        if (!bs_params_has_prefix(s->name, "net/T/"))
            continue;
        for (int64_t k = 0; k < s->count; k++)
            w[k] += BS_REAL(0.1);
        machine_run(&c->m, 1);
        CHECK(scene_number(c, value) != was, "%s: %s does not matter", words, s->name);
        for (int64_t k = 0; k < s->count; k++)
            w[k] -= BS_REAL(0.1);
    }
    scene_free(c);
}

static void label_sets(void **state)
{
    static const char *const words[] = {"energy.encoder=shared",
                                        "energy.encoder=shared energy.kind=quadratic net.layers=1",
                                        "energy.encoder=shared net.dropout=0.3"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        scene *c = scene_new(words[i], B, FEATURES, LABELS, 2);
        check_shared(c, scene_output(c, K, 0.1, 0.9), words[i]);
    }
}

static void tags(void **state)
{
    static const char *const words[] = {
        "energy.encoder=shared energy.kind=chain",
        "energy.encoder=shared energy.kind=lm-words energy.words=0.6",
        "columns energy.encoder=shared energy.kind=lm-words chars.net=cnn"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        scene *c = tag_scene(words[i], TAGS);
        check_shared(c, tag_output(c, K), words[i]);
    }
}

/* Net and energy together compute the features once, dropout included. */
static void features_are_shared_nodes(void **state)
{
    (void)state;
    int products[2];
    for (int shared = 0; shared < 2; shared++) {
        scene *c = scene_new(shared ? "energy.encoder=shared" : "energy.encoder=own", B, FEATURES,
                             LABELS, 2);
        bs_id  y = c->s.t->relax(&c->s.v, c->s.t->logits(&c->s.v, "net"));
        scene_result(c, c->s.t->energy(&c->s.v, y), -1);
        products[shared] = 0;
        for (bs_id id = 1; id < bs_graph_size(c->g); id++)
            products[shared] += bs_graph_node(c->g, id)->op == BS_OP_matmul;
        scene_start(c, 1);
        scene_free(c);
    }
    assert_int_equal(products[0] - products[1], 2); /* two layers */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_sets),
        cmocka_unit_test(tags),
        cmocka_unit_test(features_are_shared_nodes),
    };
    return cmocka_run_group_tests_name("shared encoders, double", tests, NULL, NULL);
}
