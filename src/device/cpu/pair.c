/* pair.c -- steps that may run at the same time.
 *
 * Threads share the work of one step, and some steps have little to share: an LSTM over one
 * sentence is a chain. The two directions of a layer are independent, though. Where a kernel says
 * that a step is hard to share (bs_kernel.hard_to_share), the next step of its kind that does not
 * depend on it is moved next to it, and slots are assigned so that neither writes what the other
 * reads. */
#include <string.h>

#include "device/cpu/program.h"
#include "plan/analysis.h"

/* Steps between two that are brought together: values live longer for it. */
enum { REACH = 16 };

typedef struct {
    const bs_analysis *a;
    bs_plan           *p;
    bs_id             *store;    /* [n_steps] that a step writes */
    bs_id            **operands; /* [n_steps][n_in] */
} schedule;

static bool reads(const schedule *s, int i, bs_id store)
{
    for (int k = 0; k < s->p->step[i].n_in; k++)
        if (s->a->fact[s->operands[i][k]].store == store)
            return true;
    return false;
}

static bool independent(const schedule *s, int i, int k)
{
    return s->store[i] != s->store[k] && !reads(s, i, s->store[k]) && !reads(s, k, s->store[i]);
}

static bool is_free(const schedule *s, int i)
{
    const bs_step *step = s->p->step;
    return !step[i].may_overlap && !(i + 1 < s->p->n_steps && step[i + 1].may_overlap);
}

static bool is_few(const schedule *s, int i)
{
    const bs_step   *step = &s->p->step[i];
    const bs_kernel *kernel = bs_kernel_of((bs_op_id)step->node.op);
    bs_shape         in[4] = {{{0}}};
    if (!kernel || !kernel->hard_to_share || step->n_micro > 0 || !is_free(s, i))
        return false;
    for (int k = 0; k < step->n_in && k < 4; k++)
        in[k] = step->in[k].shape;
    return kernel->hard_to_share(&step->node, in);
}

/* Takes the step out and puts it where the number is then `to`. */
static void move(schedule *s, int from, int to)
{
    const bs_step step = s->p->step[from];
    const bs_id   store = s->store[from];
    bs_id *const  operands = s->operands[from];
    const int     way = from < to ? 1 : -1;
    for (int i = from; i != to; i += way) {
        s->p->step[i] = s->p->step[i + way];
        s->store[i] = s->store[i + way];
        s->operands[i] = s->operands[i + way];
    }
    s->p->step[to] = step;
    s->store[to] = store;
    s->operands[to] = operands;
}

/* The later one up to the earlier, or that one down. */
static bool bring_together(schedule *s, int i, int j)
{
    int k = i;
    while (k < j && independent(s, k, j))
        k++;
    if (k == j) {
        move(s, j, i + 1);
        s->p->step[i + 1].may_overlap = true;
        return true;
    }
    for (k = i + 1; k <= j; k++)
        if (!independent(s, i, k))
            return false;
    move(s, i, j - 1);
    s->p->step[j].may_overlap = true;
    return true;
}

static int turn_of(const bs_plan *p, int step)
{
    int k = 0;
    while (step >= p->turn[k + 1])
        k++;
    return k;
}

void bs_cpu_pair_steps(const bs_analysis *a, bs_plan *p, bs_id *step_store, bs_id **operand_ids)
{
    schedule s = {a, p, step_store, operand_ids};
    for (int i = 0; i < p->n_steps; i++)
        for (int j = i + 1; j < p->n_steps && j <= i + REACH && is_few(&s, i); j++)
            if (turn_of(p, i) == turn_of(p, j) && p->step[j].node.op == p->step[i].node.op &&
                is_few(&s, j) && bring_together(&s, i, j)) {
                i -= !p->step[i + 1].may_overlap; /* another step came to this place */
                break;
            }
}
