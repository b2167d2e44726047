/* group.c -- runs a fused elementwise group over tiles.
 *
 * An interpreter: for each tile of the output, each micro-operation is one call
 * of a tight loop over registers that are short arrays in the first-level
 * cache. Operands of the output's shape are read where they are; broadcast
 * ones are laid out for the tile first. The last operation writes the output. */
#include <string.h>

#include "device/cpu/kernel.h"

enum { TILE = 512, PIECE = 8 * TILE };

/* registers, and one tile per broadcast operand */
static size_t scratch_bytes(void)
{
    return (BS_GROUP_REGISTERS + BS_GROUP_OPERANDS) * TILE * sizeof(real);
}

static void group_measure(const bs_call *c, bs_work *w)
{
    int64_t n = bs_shape_count(c->args.node->shape);
    double  per_element = 0;
    for (int i = 0; i < c->n_micro; i++) {
        unsigned op = c->micro[i].op;
        bool     expensive = op >= BS_OP_exp || op == BS_OP_uniform || op == BS_OP_normal;
        per_element += expensive ? 0.4 : 0.06;
    }
    w->pieces = (n + PIECE - 1) / PIECE;
    w->cost = (double)n * per_element;
    w->scratch = scratch_bytes();
}

/* Elements start .. start + n of a broadcast operand: runs along the innermost
 * merged dimension, each a copy or a repetition. */
static void load(const bs_loader *l, const real *x, real *out, int64_t start, int n)
{
    int64_t at[4] = {0}, rest = start, from = 0;
    for (int k = l->rank - 1; k >= 0; k--) {
        at[k] = rest % l->size[k];
        rest /= l->size[k];
        from += at[k] * l->stride[k];
    }
    const int     inner = l->rank - 1;
    const int64_t step = l->stride[inner];
    while (n > 0) {
        int64_t left = l->size[inner] - at[inner];
        int     run = (int)(left < n ? left : n);
        if (step)
            memcpy(out, x + from, (size_t)run * sizeof *out);
        else
            for (int i = 0; i < run; i++)
                out[i] = x[from];
        out += run;
        n -= run;
        from += run * step;
        at[inner] += run;
        for (int k = inner; k > 0 && at[k] == l->size[k]; k--) {
            from += l->stride[k - 1] - l->size[k] * l->stride[k];
            at[k] = 0;
            at[k - 1]++;
        }
    }
}

static void slow_tile(const bs_micro *m, real *out, const real *const x[3], int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (real)bs_ops[m->op]->scalar(x[0] ? (double)x[0][i] : 0, x[1] ? (double)x[1][i] : 0,
                                             x[2] ? (double)x[2][i] : 0, m->value);
}

typedef struct {
    real       *registers;
    const real *operand[BS_GROUP_OPERANDS]; /* at this tile */
} tile_state;

static void run_micro(const bs_call *c, const tile_state *t, int i, int64_t start, real *out, int n)
{
    const bs_micro *m = &c->micro[i];
    if (m->op == BS_OP_uniform || m->op == BS_OP_normal) {
        const bs_vec_random *random = c->vec->random;
        (m->op == BS_OP_uniform ? random->uniform : random->normal)(
            out, c->args.run, (uint32_t)m->attr, (uint64_t)start, n);
        return;
    }
    const real *x[3] = {NULL, NULL, NULL};
    const char *in = bs_ops[m->op]->in;
    for (int k = 0; in[k]; k++)
        x[k] = m->src[k] >= 0 ? t->registers + m->src[k] * TILE : t->operand[-1 - m->src[k]];
    bs_tile_fn fn = c->vec->tile->op[m->op];
    if (fn)
        fn(out, x[0], x[1], x[2], m->value, n);
    else
        slow_tile(m, out, x, n);
}

static void group_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t count = bs_shape_count(c->args.node->shape);
    tile_state    t = {.registers = scratch};
    real         *loaded = t.registers + BS_GROUP_REGISTERS * TILE, *out = c->args.out;
    int64_t       stop = end * PIECE < count ? end * PIECE : count;
    /* a single element is the same at every tile */
    for (int k = 0; k < c->n_operands; k++)
        if (c->loader[k].rank == 0)
            for (int i = 0; i < TILE; i++)
                loaded[k * TILE + i] = ((const real *)c->operand[k])[0];
    for (int64_t start = begin * PIECE; start < stop; start += TILE) {
        int n = (int)(stop - start < TILE ? stop - start : TILE);
        for (int k = 0; k < c->n_operands; k++) {
            const real *x = c->operand[k];
            t.operand[k] = c->loader[k].rank == 1 ? x + start : loaded + k * TILE;
            if (c->loader[k].rank > 1)
                load(&c->loader[k], x, loaded + k * TILE, start, n);
        }
        for (int i = 0; i < c->n_micro; i++) {
            bool last = i == c->n_micro - 1;
            run_micro(c, &t, i, start, last ? out + start : t.registers + c->micro[i].dst * TILE,
                      n);
        }
    }
}

const bs_kernel bs_kernel_group = {.measure = group_measure, .run = group_run};
