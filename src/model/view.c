/* view.c -- small functions for the views of all tasks: making specs, naming their inputs, what
 * several tasks compute alike. */
#include "model/view.h"

#include <string.h>

/* Inputs of a program: these, then those of the nets. */
enum { INPUT_GOLD, INPUT_WEIGHT, INPUT_X };

bs_net_spec bs_net_spec_make(const bs_task_space *graph, bs_size least, const void *own,
                             size_t size)
{
    bs_net_spec s = {.graph = graph, .least = least};
    memcpy(s.own.bytes, own, size);
    return s;
}

bs_output_space bs_output_space_make(bs_graph *g, bs_params *params, const bs_net_spec *spec,
                                     bs_size size, bool gold)
{
    bs_output_space v = {.g = g, .params = params, .spec = spec, .size = size};
    spec->graph->leaves(&v, gold);
    if (gold && spec->weight)
        v.weight = bs_leaf(g, "weight", BS_T_REAL, bs_shape1(spec->weights));
    return v;
}

bs_id bs_output_total(bs_output_space *v, bs_id a)
{
    return bs_sum_axis(v->g, a, -1);
}

bs_id bs_output_truth_energy(bs_output_space *v)
{
    return v->spec->graph->energy(v, v->spec->graph->truth(v));
}

bs_id bs_output_sample_energy(bs_output_space *v, bs_id drawn, int K)
{
    (void)K;
    return v->spec->graph->energy(v, drawn);
}

bs_id bs_output_sample_score(bs_output_space *v, bs_id drawn, int K)
{
    (void)K;
    return v->spec->graph->score(v, drawn);
}

void bs_output_space_inputs(const bs_output_space *v, bs_recipe *r)
{
    bs_inputs_add(v->g, &r->input, v->gold);
    bs_inputs_add(v->g, &r->input, v->weight);
    for (int i = 0; i < v->x.n; i++)
        bs_inputs_add(v->g, &r->input, v->x.id[i]);
}

void bs_batch_bind(const bs_batch *b, bs_entry *e)
{
    bs_entry_bind(e, &e->input, INPUT_GOLD, b->gold);
    for (int i = INPUT_X; i < e->input.n; i++)
        bs_entry_bind(e, &e->input, i, b->x[i - INPUT_X]);
}

void bs_truth_bind(const bs_net_spec *s, const bs_batch *b, bs_entry *e)
{
    bs_batch_bind(b, e);
    bs_entry_bind(e, &e->input, INPUT_WEIGHT, s->weight);
}
