/* slots.c -- where values live: liveness, and best fit in one arena.
 *
 * Walking the steps in order, a value gets a slot when it is made and releases it after the last
 * step that reads it; for two steps that may run at the same time, once both have slots. A fused
 * group may write over an operand that dies there, since it reads each element before it writes
 * it. */
#include <string.h>

#include "plan/analysis.h"

typedef struct {
    bs_stretch *free; /* sorted by offset, never adjacent */
    int         n;
    size_t      cap;
    int64_t     end;
} heap;

static int64_t rounded(size_t bytes)
{
    return ((int64_t)bytes + BS_ALIGN - 1) / BS_ALIGN * BS_ALIGN;
}

static int64_t take_slot(heap *h, int64_t bytes)
{
    int best = -1;
    for (int i = 0; i < h->n; i++)
        if (h->free[i].bytes >= bytes && (best < 0 || h->free[i].bytes < h->free[best].bytes))
            best = i;
    if (best < 0) {
        int64_t at = h->end;
        h->end += bytes;
        return at;
    }
    int64_t at = h->free[best].offset;
    h->free[best].offset += bytes;
    h->free[best].bytes -= bytes;
    if (h->free[best].bytes == 0) {
        memmove(&h->free[best], &h->free[best + 1], (size_t)(h->n - best - 1) * sizeof *h->free);
        h->n--;
    }
    return at;
}

static bool give_slot(heap *h, int64_t offset, int64_t bytes)
{
    if (!BS_GROW(h->free, h->cap, (size_t)h->n + 1, 1 << 24))
        return false;
    int i = 0;
    while (i < h->n && h->free[i].offset < offset)
        i++;
    memmove(&h->free[i + 1], &h->free[i], (size_t)(h->n - i) * sizeof *h->free);
    h->free[i] = (bs_stretch){offset, bytes};
    h->n++;
    if (i + 1 < h->n && h->free[i].offset + h->free[i].bytes == h->free[i + 1].offset) {
        h->free[i].bytes += h->free[i + 1].bytes;
        memmove(&h->free[i + 1], &h->free[i + 2], (size_t)(h->n - i - 2) * sizeof *h->free);
        h->n--;
    }
    if (i > 0 && h->free[i - 1].offset + h->free[i - 1].bytes == h->free[i].offset) {
        h->free[i - 1].bytes += h->free[i].bytes;
        memmove(&h->free[i], &h->free[i + 1], (size_t)(h->n - i - 1) * sizeof *h->free);
        h->n--;
    }
    return true;
}

typedef struct {
    bs_analysis *a;
    bs_plan     *p;
    bs_id      **operand_ids; /* [n_steps][n_in] */
    bs_id       *step_store;  /* [n_steps] */
    bs_loc      *place;       /* by store */
    int32_t     *last;        /* by store: the last step that reads it; n_steps = never dies */
    heap         heap;
} assignment;

static int64_t store_bytes(const bs_analysis *a, bs_id store)
{
    const bs_node *n = bs_graph_node(a->g, store);
    return rounded(bs_value_bytes((bs_type)n->type, n->shape));
}

static bool in_arena(const assignment *s, bs_id store)
{
    return s->place[store].place == BS_AT_ARENA;
}

static void find_last_uses(assignment *s)
{
    for (int i = 0; i < s->p->n_steps; i++) {
        s->last[s->step_store[i]] = i; /* a value nobody reads dies at once */
        for (int k = 0; k < s->p->step[i].n_in; k++)
            s->last[s->a->fact[s->operand_ids[i][k]].store] = i;
    }
    for (int i = 0; i < s->a->n_results; i++)
        s->last[s->a->fact[s->a->results[i].id].store] = s->p->n_steps;
    for (bs_id id = 1; id < s->a->n; id++)
        if (s->a->fact[id].kept)
            s->last[s->a->fact[id].store] = s->p->n_steps;
}

/* The operand whose slot the group at step i may write over, or -1. */
static int inplace_operand(const assignment *s, int i)
{
    const bs_step *step = &s->p->step[i];
    if ((s->a->flags & (BS_PLAN_NO_INPLACE | BS_PLAN_NO_REUSE)) || step->n_micro == 0)
        return -1;
    for (int k = 0; k < step->n_in; k++) {
        const bs_fact *f = &s->a->fact[s->operand_ids[i][k]];
        bool           alone = true;
        for (int j = 0; j < step->n_in; j++)
            alone &= j == k || s->a->fact[s->operand_ids[i][j]].store != f->store;
        if (alone && in_arena(s, f->store) && s->last[f->store] == i && f->offset == 0 &&
            bs_shape_equal(step->in[k].shape, step->node.shape) &&
            store_bytes(s->a, f->store) == store_bytes(s->a, s->step_store[i]))
            return k;
    }
    return -1;
}

/* Releases what dies at step i, except the store that was overwritten. */
static bool release_dead(assignment *s, int i, bs_id kept)
{
    bs_step    *step = &s->p->step[i];
    bs_stretch *dead = bs_arena_alloc(&s->p->arena, ((size_t)step->n_in + 1) * sizeof *dead);
    if (!dead)
        return false;
    step->dead = dead;
    for (int k = -1; k < step->n_in; k++) {
        bs_id store = k < 0 ? s->step_store[i] : s->a->fact[s->operand_ids[i][k]].store;
        if (store == kept || !in_arena(s, store) || s->last[store] != i)
            continue;
        s->last[store] = -1; /* once only: an operand may occur twice */
        dead[step->n_dead++] = (bs_stretch){s->place[store].offset, store_bytes(s->a, store)};
        if (!(s->a->flags & BS_PLAN_NO_REUSE) &&
            !give_slot(&s->heap, s->place[store].offset, store_bytes(s->a, store)))
            return false;
    }
    return true;
}

bool bs_assign_slots(bs_analysis *a, bs_plan *p, bs_id *step_store, bs_id **operand_ids,
                     bs_loc *place)
{
    assignment s = {
        .a = a, .p = p, .operand_ids = operand_ids, .step_store = step_store, .place = place};
    s.last = bs_arena_alloc(a->arena, (size_t)a->n * sizeof *s.last);
    bool ok = s.last != NULL;
    if (ok)
        find_last_uses(&s);
    for (int i = 0; i < p->n_steps && ok; i++) {
        bs_id store = step_store[i], kept = 0;
        if (in_arena(&s, store) && !p->step[i].accumulate) {
            int k = inplace_operand(&s, i);
            if (k >= 0) {
                kept = a->fact[operand_ids[i][k]].store;
                place[store].offset = place[kept].offset;
            } else {
                place[store].offset = take_slot(&s.heap, store_bytes(a, store));
            }
            p->total_bytes += (size_t)store_bytes(a, store);
        }
        if (i + 1 < p->n_steps && p->step[i + 1].may_overlap)
            continue;
        ok = (!p->step[i].may_overlap || release_dead(&s, i - 1, 0)) && release_dead(&s, i, kept);
    }
    p->bytes = (size_t)s.heap.end;
    bs_free(s.heap.free);
    return ok;
}
