/* test_golden_tag.c -- a tagger and a conditional random field agree with PyTorch: embedding,
 * bidirectional LSTM, losses and all gradients. In double precision: test64_golden_tag.c. */
#include "tests/golden.h"

#include "method/loss.h"
#include "task/tag/nets.h"

enum { B = 3, T = 5 };

typedef struct {
    golden          *c;
    bs_train_options o;
    bs_net_spec      spec;
    bs_loss_context  s;
} tagger;

static tagger *tagger_new(const char *file)
{
    tagger *t = calloc(1, sizeof *t);
    golden *c = t->c = golden_new(file);
    assert_int_equal(bs_options_default(bs_train_rows, &t->o, NULL), BASIN_OK);
    bs_tag_shape shape = {.tags = 3,
                          .words = 6,
                          .word_width = 3,
                          .tuned = true,
                          .width = 2,
                          .layers = 1,
                          .net = &bs_encoder_bilstm,
                          .scale = 1};
    assert_int_equal(bs_find_pointer(&bs_tag_energy_kinds, "chain", &shape.energy, NULL), BASIN_OK);
    t->spec = bs_net_spec_make(&bs_task_space_tag, (bs_size){1, 1, 4}, &shape, sizeof shape);
    t->s = (bs_loss_context){.t = &bs_task_space_tag,
                             .o = &t->o,
                             .v = {.g = c->g,
                                   .params = c->params,
                                   .spec = &t->spec,
                                   .size = {B, T, 1},
                                   .gold = golden_input(c, "gold")}};
    t->s.v.x.id[0] = golden_int(c, "word");
    t->s.v.x.id[1] = golden_int(c, "len");
    t->s.v.x.id[2] = golden_input(c, "mask");
    t->s.v.x.id[7] = golden_int(c, "ended");
    return t;
}

static void tagger_check(tagger *t, bs_id loss)
{
    golden_expect_gradients(t->c, loss, 0, NULL);
    golden_check(t->c);
    free(t);
}

static void cross_entropy(void **state)
{
    (void)state;
    tagger *t = tagger_new("tagger");
    golden_expect(t->c, bs_net_output(&t->s), "y");
    tagger_check(t, bs_loss_cross_entropy(&t->s));
}

static void random_field(void **state)
{
    const bs_method *m;
    (void)state;
    tagger          *t = tagger_new("tagger_crf");
    bs_output_space *v = &t->s.v;
    assert_int_equal(bs_method_find("crf", "tag", &m, NULL), BASIN_OK);
    golden_expect(t->c, bs_task_space_tag.log_partition(v), "log_z");
    golden_expect(t->c, bs_task_space_tag.truth_energy(v), "E");
    golden_expect(t->c, bs_task_space_tag.marginals(v), "marginals");
    tagger_check(t, m->stage[0].loss(&t->s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cross_entropy),
        cmocka_unit_test(random_field),
    };
    const char *name = sizeof(real) == 8 ? "golden taggers, double" : "golden taggers";
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
