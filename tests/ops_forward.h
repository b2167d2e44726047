/* ops_forward.h -- every op's examples on the backend and on the naive evaluator, and operands that
 * must be refused. Used in both precisions. */
#ifndef TEST_OPS_FORWARD_H
#define TEST_OPS_FORWARD_H

#include "device/cpu/vec.h"
#include "tests/harness.h"

static void every_op_has_an_example(void **state)
{
    (void)state;
    for (int op = 1; op < BS_OP_COUNT; op++) {
        if (bs_ops[op]->flags & BS_OP_LEAF)
            continue;
        CHECK(bs_ops[op]->example && bs_ops[op]->examples > 0, "%s has no example",
              bs_ops[op]->name);
        CHECK(bs_ops[op]->scalar || bs_ops[op]->eval, "%s has no definition", bs_ops[op]->name);
        CHECK(bs_ops[op]->vjp || (bs_ops[op]->flags & BS_OP_CONSTANT) || op == BS_OP_lstm_cells ||
                  op == BS_OP_lstm_back || op == BS_OP_crf_forward || op == BS_OP_attention_back,
              "%s has neither a derivative nor is it constant", bs_ops[op]->name);
    }
}

static void compare_example(const bs_op *op, int variant, uint64_t seed, const char *isa)
{
    bs_graph  *g = bs_graph_new();
    bs_example ex;
    bs_example_init(&ex, seed);
    bs_id out = op->example(g, &ex, variant);
    check_graph(g);
    const bs_node *n = bs_graph_node(g, out);
    bs_result      r = {out, -1};
    machine        m = machine_new(g, &ex, &r, 1, 0, 2);
    void         **naive = naive_eval(g, &ex, out, 3);
    machine_run(&m, 3);
    const void *got = machine_value(&m, 0);
    if (n->type == BS_T_REAL) {
        double d = distance(got, naive[out], bs_shape_count(n->shape), 1e-6);
        CHECK(d <= (sizeof(real) == 8 ? 1e-12 : 2e-6),
              "%s (%s) variant %d: %.3g from the plain kernel", op->name, isa, variant, d);
    } else {
        CHECK(memcmp(got, naive[out], bs_value_bytes((bs_type)n->type, n->shape)) == 0,
              "%s (%s) variant %d differs from the plain kernel", op->name, isa, variant);
    }
    naive_free(g, naive, out);
    machine_free(&m);
    bs_example_free(&ex);
    bs_graph_free(g);
}

static void kernels_agree_with_definitions(void **state)
{
    static const char *const isa[] = {"plain", "avx2", "avx512"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        if (!bs_vec_named(isa[k]))
            continue; /* another machine tests it */
        setenv("BASIN_ISA", isa[k], 1);
        for (int op = 1; op < BS_OP_COUNT; op++)
            for (int v = 0; v < bs_ops[op]->examples; v++)
                for (uint64_t seed = 1; seed <= 3; seed++)
                    compare_example(bs_ops[op], v, seed, isa[k]);
    }
    unsetenv("BASIN_ISA");
}

/* Emits the node again with operand k replaced; true if that was refused. */
static bool refused_with(const bs_op *op, int k, bs_type type, int dim, int add)
{
    bs_graph  *g = bs_graph_new();
    bs_example ex;
    bs_example_init(&ex, 1);
    bs_node  n = *bs_graph_node(g, op->example(g, &ex, 0));
    bs_shape s = bs_shape_of(g, n.src[k]);
    s.d[dim] += add;
    n.src[k] = bs_leaf(g, "other", type, s);
    n.salt = 0;
    basin_error err;
    bs_id       id = bs_emit(g, n);
    bool refused = id == 0 && bs_graph_check(g, &err) == BASIN_EARG && strstr(err.msg, op->name);
    bs_example_free(&ex);
    bs_graph_free(g);
    return refused;
}

static void wrong_operands_are_refused(void **state)
{
    (void)state;
    for (int id = 1; id < BS_OP_COUNT; id++) {
        const bs_op *op = bs_ops[id];
        bool         picky = false;
        for (int k = 0; op->in[k]; k++) {
            bs_type wrong = op->in[k] == 'i' ? BS_T_REAL : BS_T_INT;
            CHECK(refused_with(op, k, wrong, 3, 0), "%s takes operand %d of a wrong type", op->name,
                  k);
            static const char letters[] = "ricb";
            bs_type           right = (bs_type)(strchr(letters, op->in[k]) - letters);
            for (int dim = 0; dim < 4; dim++)
                picky |= refused_with(op, k, right, dim, 7);
        }
        CHECK(picky || !op->in[0] || !op->in[1], "%s takes operands of any shape", op->name);
    }
}

#define OPS_FORWARD_TESTS                                                                        \
    cmocka_unit_test(every_op_has_an_example), cmocka_unit_test(kernels_agree_with_definitions), \
        cmocka_unit_test(wrong_operands_are_refused)

#endif
