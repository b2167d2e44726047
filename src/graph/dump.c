/* dump.c -- a graph as text and as a Graphviz drawing. */
#include "graph/op.h"

static void attributes(const bs_node *n, bs_buf *out)
{
    int last = 3;
    while (last >= 0 && !n->attr[last])
        last--;
    for (int i = 0; i <= last; i++)
        bs_buf_printf(out, "%s%d", i ? "," : " {", n->attr[i]);
    if (last >= 0)
        bs_buf_text(out, "}");
    if (n->op == BS_OP_clamp)
        bs_buf_printf(out, " %g..%g", n->value[0], n->value[1]);
    else if (n->value[0] != 0 || n->op == BS_OP_fill)
        bs_buf_printf(out, " %g", n->value[0]);
}

void bs_graph_text(const bs_graph *g, bs_buf *out)
{
    char shape[48];
    for (bs_id id = 1; id < bs_graph_size(g); id++) {
        const bs_node *n = bs_graph_node(g, id);
        bs_buf_printf(out, "%%%d = %s", (int)id, bs_ops[n->op]->name);
        for (int i = 0; i < 4 && n->src[i]; i++)
            bs_buf_printf(out, "%s%%%d", i ? ", " : " ", (int)n->src[i]);
        attributes(n, out);
        bs_buf_printf(out, " : %s%s%s\n", bs_shape_text(n->shape, shape),
                      *bs_graph_label(g, id) ? "  # " : "", bs_graph_label(g, id));
    }
}

void bs_graph_dot(const bs_graph *g, bs_buf *out)
{
    char shape[48];
    bs_buf_text(out, "digraph basin {\n  node [shape=box, fontname=\"sans\"];\n");
    for (bs_id id = 1; id < bs_graph_size(g); id++) {
        const bs_node *n = bs_graph_node(g, id);
        bool           leaf = bs_ops[n->op]->flags & BS_OP_LEAF;
        bs_buf_printf(out, "  n%d [label=\"%s\\n%s\\n%s\"%s];\n", (int)id, bs_ops[n->op]->name,
                      bs_shape_text(n->shape, shape), bs_graph_label(g, id),
                      leaf ? ", style=filled" : "");
        for (int i = 0; i < 4 && n->src[i]; i++)
            bs_buf_printf(out, "  n%d -> n%d;\n", (int)n->src[i], (int)id);
    }
    bs_buf_text(out, "}\n");
}
