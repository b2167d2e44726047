/* energy_tree.c -- sum_i y_i (a_i y_parent(i) + b_i siblings of i that are on), for labels with a
 * hierarchy, two weights each: what a label is worth with the one above it and beside others below
 * the same. It starts at zero; the hierarchy is a table that is not trained. */
#include <string.h>

#include "task/mlc/nets.h"

static bs_id weighed(bs_nn *nn, const char *table, const char *weight, int L, bs_id y)
{
    bs_graph  *g = nn->g;
    const bool bits = bs_graph_node(g, y)->type == BS_T_BITS;
    bs_id      t = bs_param_frozen(g, nn->params, table, bs_shape2(L, L), bs_init_zero());
    bs_id      w = bs_param(g, nn->params, weight, bs_shape2(1, L), bs_init_zero());
    bs_id      on = bits ? bs_bits_matmul(g, y, t) : bs_matmul(g, y, t, false, false);
    return bs_mul(g, on, w);
}

static bs_id whole(bs_nn *nn, const bs_mlc_shape *s, bs_id y)
{
    bs_graph *g = nn->g;
    bs_id     each = bs_add(g, weighed(nn, "energy/tree/above", "energy/tree/a", s->labels, y),
                            weighed(nn, "energy/tree/beside", "energy/tree/b", s->labels, y));
    return bs_graph_node(g, y)->type == BS_T_BITS ? bs_bits_dot(g, y, each)
                                                  : bs_sum_axis(g, bs_mul(g, y, each), -1);
}

/* The label one level above in a hierarchy, where names are paths such as 01/02; -1: none. */
static int32_t parent_of(const bs_schema *s, int32_t label)
{
    const char *slash = strrchr(s->label[label], '/');
    for (int32_t i = 0; i < s->n_labels && slash; i++) {
        const size_t n = (size_t)(slash - s->label[label]);
        if (strncmp(s->label[i], s->label[label], n) == 0 && s->label[i][n] == '\0')
            return i;
    }
    return -1;
}

bool bs_energy_tree_has_parents(const bs_schema *s)
{
    if (!s->label)
        return true; /* names are not known */
    for (int32_t i = 0; i < s->n_labels; i++)
        if (parent_of(s, i) >= 0)
            return true;
    return false;
}

basin_status bs_energy_tree_fill(const bs_segment *at, bs_params *p, const bs_schema *s, bool above,
                                 basin_error *err)
{
    const size_t L = (size_t)s->n_labels;
    float       *table = bs_calloc(L * L, sizeof *table);
    int32_t     *parent = bs_calloc(L, sizeof *parent);
    basin_status status = table && parent ? BASIN_OK : bs_fail_nomem(err);
    for (size_t l = 0; l < L && !status; l++)
        parent[l] = parent_of(s, (int32_t)l);
    for (size_t l = 0; l < L && !status; l++)
        for (size_t i = 0; i < L && parent[l] >= 0; i++)
            table[i * L + l] = above ? parent[l] == (int32_t)i : i != l && parent[i] == parent[l];
    if (!status)
        status = bs_params_repeat(p, at, table, (int64_t)(L * L), err);
    bs_free(table);
    bs_free(parent);
    return status;
}

const bs_energy bs_energy_tree = {
    .name = "tree",
    .help = "b(x).y + a weight for each label with its parent and with its siblings (names a/b/c)",
    .whole = whole,
};
