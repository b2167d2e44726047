/* params.c -- the parameter store and its initialisers. */
#include "nn/params.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

enum { MAX_SEGMENTS = 1 << 16, LINE = BS_ALIGN / (int)sizeof(real) };

bs_init bs_init_zero(void)
{
    return (bs_init){BS_INIT_CONSTANT, 0};
}

bs_init bs_init_constant(double value)
{
    return (bs_init){BS_INIT_CONSTANT, value};
}

bs_init bs_init_uniform(double bound)
{
    return (bs_init){BS_INIT_UNIFORM, bound};
}

bs_init bs_init_normal(double deviation)
{
    return (bs_init){BS_INIT_NORMAL, deviation};
}

bs_init bs_init_kaiming(int fan_in)
{
    return bs_init_uniform(sqrt(6.0 / fan_in));
}

bs_init bs_init_xavier(int fan_in, int fan_out)
{
    return bs_init_uniform(sqrt(6.0 / ((double)fan_in + fan_out)));
}

bs_init bs_init_orthogonal(double gain)
{
    return (bs_init){BS_INIT_ORTHOGONAL, gain};
}

bs_init bs_init_sign(void)
{
    return (bs_init){BS_INIT_SIGN, 1};
}

bs_init bs_init_gate_bias(double forget)
{
    return (bs_init){BS_INIT_GATE_BIAS, forget};
}

/* ---- the store ---- */

bs_params *bs_params_new(void)
{
    bs_params *p = bs_calloc(1, sizeof *p);
    if (p)
        bs_arena_init(&p->arena, 0);
    return p;
}

static void free_blocks(bs_params *p)
{
    bs_buffer_free(p->block.value);
    bs_buffer_free(p->block.grad);
    bs_buffer_free(p->block.m);
    bs_buffer_free(p->block.v);
    bs_buffer_free(p->block.touched);
    p->block = (bs_blocks){0};
}

void bs_params_free(bs_params *p)
{
    if (!p)
        return;
    free_blocks(p);
    if (!p->twin) {
        bs_free(p->segment);
        bs_arena_free(&p->arena);
    }
    bs_free(p);
}

const bs_segment *bs_params_find(const bs_params *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->segment[i].name, name) == 0)
            return &p->segment[i];
    return NULL;
}

bool bs_params_has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static int declare(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init,
                   bool frozen)
{
    if (p->block.value)
        return bs_graph_refuse(g, "parameter '%s' is new, but the blocks are laid out", name), -1;
    if (!BS_GROW(p->segment, p->cap, (size_t)p->n + 1, MAX_SEGMENTS))
        return bs_graph_nomem(g), -1;
    char *copy = bs_arena_copy(&p->arena, name, strlen(name));
    if (!copy)
        return bs_graph_nomem(g), -1;
    p->segment[p->n] = (bs_segment){.name = copy,
                                    .shape = s,
                                    .init = init,
                                    .count = bs_shape_count(s),
                                    .frozen = frozen,
                                    .rate = 1,
                                    .decay = 1};
    return p->n++;
}

static bs_id param(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init,
                   bool frozen)
{
    char              have[48], want[48];
    const bs_segment *old = bs_params_find(p, name);
    int               at = old ? (int)(old - p->segment) : -1;
    if (bs_graph_check(g, NULL))
        return 0;
    if (old && !bs_shape_equal(old->shape, s))
        return bs_graph_refuse(g, "parameter '%s' is %s, not %s", name,
                               bs_shape_text(old->shape, have), bs_shape_text(s, want));
    if (!old)
        at = declare(g, p, name, s, init, frozen);
    if (at < 0)
        return 0;
    bs_push(g, name);
    bs_id id = bs_param_leaf(g, at, s);
    bs_pop(g);
    return id;
}

bs_id bs_param(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init)
{
    return param(g, p, name, s, init, false);
}

bs_id bs_param_frozen(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init)
{
    return param(g, p, name, s, init, true);
}

bs_id bs_param_following(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init,
                         double follow, bs_id value)
{
    bs_id id = bs_param(g, p, name, s, init);
    if (!id)
        return 0;
    p->segment[bs_graph_node(g, id)->attr[0]].follow = follow;
    if (value)
        bs_graph_follow(g, id, value);
    return id;
}

int bs_params_nodes(bs_graph *g, const bs_params *p, const char *prefix, bs_id *ids, int *segments,
                    int most)
{
    int n = 0;
    for (int i = 0; i < p->n && n < most; i++) {
        if (!bs_params_has_prefix(p->segment[i].name, prefix) || p->segment[i].frozen ||
            p->segment[i].follow > 0)
            continue;
        ids[n] = bs_param_leaf(g, i, p->segment[i].shape);
        segments[n++] = i;
    }
    return n;
}

int bs_params_distances(bs_graph *g, const bs_params *p, const char *prefix, bs_id *ids,
                        int *segments, int most)
{
    int n = 0;
    for (int i = 0; i < p->n && n < most; i++) {
        const bs_segment *s = &p->segment[i];
        if (!bs_params_has_prefix(s->name, prefix) || s->follow <= 0)
            continue;
        bs_id leaf = bs_param_leaf(g, i, s->shape), to = bs_graph_followed(g, leaf);
        ids[n] = to ? bs_sub(g, leaf, to) : bs_fill(g, 0, s->shape);
        segments[n++] = i;
    }
    return n;
}

int64_t bs_params_count(const bs_params *p, const char *prefix)
{
    int64_t n = 0;
    for (int i = 0; i < p->n; i++)
        if (bs_params_has_prefix(p->segment[i].name, prefix) && !p->segment[i].frozen)
            n += p->segment[i].count;
    return n;
}

/* ---- values ---- */

static uint32_t hash_name(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* Gram-Schmidt, twice for accuracy, on the longer side's vectors: rows of [r, c] if r <= c, else
 * columns. */
static void orthogonalise(real *w, int64_t r, int64_t c)
{
    const int64_t n = r <= c ? r : c, len = r <= c ? c : r;
    const int64_t step = r <= c ? c : 1, inside = r <= c ? 1 : c;
    for (int64_t i = 0; i < n; i++) {
        real *x = w + i * step;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < i; j++) {
                const real *y = w + j * step;
                double      dot = 0;
                for (int64_t k = 0; k < len; k++)
                    dot += (double)x[k * inside] * (double)y[k * inside];
                for (int64_t k = 0; k < len; k++)
                    x[k * inside] -= (real)(dot * (double)y[k * inside]);
            }
        double norm = 0;
        for (int64_t k = 0; k < len; k++)
            norm += (double)x[k * inside] * (double)x[k * inside];
        for (int64_t k = 0; k < len; k++)
            x[k * inside] = (real)((double)x[k * inside] / sqrt(norm > 0 ? norm : 1));
    }
}

static void initialise(const bs_segment *s, real *w, uint64_t seed)
{
    bs_rng rng = bs_rng_make(seed, 0, hash_name(s->name));
    for (int64_t i = 0; i < s->count; i++)
        switch (s->init.kind) {
        case BS_INIT_CONSTANT: w[i] = (real)s->init.value; break;
        case BS_INIT_UNIFORM: w[i] = (real)(s->init.value * (2 * bs_rng_uniform(&rng) - 1)); break;
        case BS_INIT_NORMAL: w[i] = (real)(s->init.value * bs_rng_normal(&rng)); break;
        case BS_INIT_ORTHOGONAL: w[i] = (real)bs_rng_normal(&rng); break;
        case BS_INIT_SIGN: w[i] = bs_rng_uniform(&rng) < 0.5 ? -1 : 1; break;
        case BS_INIT_GATE_BIAS: /* gates are in the order i, f, g, o */
            w[i] = i >= s->count / 4 && i < s->count / 2 ? (real)s->init.value : 0;
            break;
        }
    if (s->init.kind == BS_INIT_ORTHOGONAL) {
        orthogonalise(w, s->count / s->shape.d[3], s->shape.d[3]);
        for (int64_t i = 0; i < s->count; i++)
            w[i] *= (real)s->init.value;
    }
}

basin_status bs_params_map(const bs_params *p, const bs_segment *s, bs_access access, real **out,
                           basin_error *err)
{
    return bs_map(p->block.value, s->offset, s->count, access, out, err);
}

void bs_params_unmap(const bs_params *p, const bs_segment *s, bs_access access, real *mapped)
{
    bs_unmap(p->block.value, s->offset, s->count, access, mapped);
}

basin_status bs_params_repeat(bs_params *p, const bs_segment *s, const float *from, int64_t n,
                              basin_error *err)
{
    real        *to;
    basin_status status = bs_params_map(p, s, BS_WRITE, &to, err);
    if (status)
        return status;
    for (int64_t i = 0; i < s->count; i++)
        to[i] = (real)from[i % n];
    bs_params_unmap(p, s, BS_WRITE, to);
    return BASIN_OK;
}

void bs_params_copy(bs_params *p, const bs_segment *to, const bs_segment *from)
{
    bs_buffer *b = p->block.value;
    b->device->copy(b, to->offset, b, from->offset, to->count);
}

static basin_status begin(bs_params *p, const char *prefix, uint64_t seed, bool frozen,
                          basin_error *err)
{
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        real             *w;
        if (!bs_params_has_prefix(s->name, prefix) || (s->frozen && !frozen))
            continue;
        basin_status status = bs_params_map(p, s, BS_WRITE, &w, err);
        if (status)
            return status;
        initialise(s, w, seed);
        bs_params_unmap(p, s, BS_WRITE, w);
    }
    return BASIN_OK;
}

basin_status bs_params_renew(bs_params *p, const char *prefix, uint64_t seed, basin_error *err)
{
    return begin(p, prefix, seed, false, err);
}

bs_range bs_segment_range(const bs_segment *s)
{
    return (bs_range){s->offset, (s->count + LINE - 1) / LINE * LINE};
}

/* In the order of declaration, with what is frozen behind the rest. */
static void lay_out(bs_params *p)
{
    p->size = 0;
    for (int frozen = 0; frozen < 2; frozen++) {
        for (int i = 0; i < p->n; i++)
            if (p->segment[i].frozen == (frozen != 0)) {
                p->segment[i].offset = p->size;
                p->size += bs_segment_range(&p->segment[i]).count;
            }
        p->moving = frozen ? p->moving : p->size;
    }
}

/* Callers of reserve write every value; only the gaps between segments are zeroed. Zeroing
 * everything took 12 % of the start of a tagger. */
static void clear_gaps(const bs_params *p)
{
    bs_buffer *b = p->block.value;
    for (int i = 0; i < p->n; i++) {
        const int64_t  n = p->segment[i].count;
        const bs_range r = bs_segment_range(&p->segment[i]);
        if (r.count > n)
            b->device->fill(b, r.offset + n, r.count - n, 0);
    }
}

basin_status bs_params_reserve(bs_params *p, const bs_device *d, basin_error *err)
{
    const size_t n = (size_t)p->n + 1;
    p->offset = bs_arena_alloc(&p->arena, n * sizeof *p->offset);
    p->row = bs_arena_alloc(&p->arena, n * sizeof *p->row);
    if (!p->offset || !p->row)
        return bs_fail_nomem(err);
    p->row[0] = 0;
    lay_out(p);
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        p->offset[i] = s->offset;
        p->row[i + 1] = p->row[i] + (s->frozen ? 0 : s->count / s->shape.d[3]);
    }
    basin_status status = bs_buffer_new(d, p->size, false, &p->block.value, err);
    if (!status)
        clear_gaps(p);
    return status;
}

basin_status bs_params_allocate(bs_params *p, const bs_device *d, uint64_t seed, basin_error *err)
{
    basin_status s = bs_params_reserve(p, d, err);
    if (!s)
        s = bs_buffer_new(d, p->moving, true, &p->block.grad, err);
    if (!s)
        s = d->alloc(d, (size_t)p->row[p->n], true, &p->block.touched, err);
    if (!s)
        s = begin(p, "", seed, true, err);
    if (s)
        free_blocks(p); /* it may be tried again */
    return s;
}

basin_status bs_params_allocate_state(bs_params *p, basin_error *err)
{
    const bs_device *d = p->block.value->device;
    basin_status     s = BASIN_OK;
    if (!p->block.m)
        s = bs_buffer_new(d, p->moving, true, &p->block.m, err);
    if (!s && !p->block.v)
        s = bs_buffer_new(d, p->moving, true, &p->block.v, err);
    return s;
}

/* ---- on devices ---- */

void bs_params_bind(const bs_params *p, bs_program *program)
{
    program->device->bind_params(program, p->block.value, p->block.grad, p->offset);
}

static basin_status copy_values(const bs_params *p, bs_buffer *to, basin_error *err)
{
    real        *a, *b;
    basin_status s = bs_map(p->block.value, 0, p->size, BS_READ, &a, err);
    if (s)
        return s;
    s = bs_map(to, 0, p->size, BS_WRITE, &b, err);
    if (!s) {
        memcpy(b, a, (size_t)p->size * sizeof *b);
        bs_unmap(to, 0, p->size, BS_WRITE, b);
    }
    bs_unmap(p->block.value, 0, p->size, BS_READ, a);
    return s;
}

basin_status bs_params_on(bs_params *p, const bs_device *d, bs_params **out, basin_error *err)
{
    *out = p;
    if (p->block.value->device == d)
        return BASIN_OK;
    bs_params *twin = *out = bs_calloc(1, sizeof *twin);
    if (!twin)
        return bs_fail_nomem(err);
    *twin = *p;
    twin->twin = true;
    twin->block = (bs_blocks){0};
    basin_status s = bs_buffer_new(d, p->size, false, &twin->block.value, err);
    if (!s)
        s = copy_values(p, twin->block.value, err);
    if (s) {
        bs_params_free(twin);
        *out = NULL;
    }
    return s;
}
