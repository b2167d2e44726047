/* cpu.c -- the CPU as a device: workspace, binding, watched runs. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/threads.h"
#include "device/cpu/blas.h"
#include "device/cpu/dense.h"
#include "device/cpu/program.h"

/* ---- workspace ---- */

static basin_status open_cpu(const bs_device *d, int threads, bs_workspace **out, basin_error *err)
{
    bs_cpu *w = bs_calloc(1, sizeof *w);
    if (!w)
        return bs_fail_nomem(err);
    const char *profile = getenv("BASIN_PROFILE"), *debug = getenv("BASIN_DEBUG");
    w->head.device = d;
    w->threads = bs_threads(threads);
    w->vec = bs_vec_choose(err);
    const basin_status s = w->vec ? bs_blas_load(err) : BASIN_EARG;
    if (s) {
        bs_free(w);
        return s;
    }
    bs_print(w->arithmetic, sizeof w->arithmetic, "%s, %s", w->vec->isa, bs_dense_libraries());
    w->generation = 1;
    w->profile = profile && strcmp(profile, "0") != 0;
    w->check_nan = debug && strcmp(debug, "nan") == 0;
    *out = &w->head;
    return BASIN_OK;
}

static void close_cpu(bs_workspace *base)
{
    bs_cpu *w = (bs_cpu *)base;
    bs_buffer_free(w->arena);
    bs_buffer_free(w->scratch);
    bs_free(w);
}

/* From the workspace's own device: another may run these kernels in memory of another kind. */
static bool grow(const bs_cpu *w, bs_buffer **block, size_t bytes)
{
    bs_buffer *bigger;
    if (*block && bytes <= (*block)->bytes)
        return true;
    if (w->head.device->alloc(w->head.device, bytes, false, &bigger, NULL))
        return false;
    bs_buffer_free(*block);
    *block = bigger;
    return true;
}

basin_status bs_cpu_reserve(bs_cpu *w, size_t arena, size_t scratch, basin_error *err)
{
    const bs_buffer *before = w->arena;
    scratch = (scratch + BS_ALIGN - 1) / BS_ALIGN * BS_ALIGN;
    const bool ok = bs_mul_size(scratch, (size_t)w->threads, &scratch) &&
                    grow(w, &w->arena, arena) && grow(w, &w->scratch, scratch);
    if (ok)
        w->scratch_bytes = w->scratch->bytes / (size_t)w->threads;
    if (w->arena != before)
        w->generation++;
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

static const char *arithmetic(const bs_workspace *w)
{
    return ((const bs_cpu *)w)->arithmetic;
}

/* ---- binding ---- */

static void bind_input(bs_program *base, bs_id input, const void *data)
{
    bs_cpu_program *p = (bs_cpu_program *)base;
    for (int i = 0; i < p->n_inputs; i++)
        if (p->input[i] == input)
            p->input_data[i] = data;
}

static void bind_buffer(bs_program *base, bs_id input, const bs_buffer *b, int64_t at)
{
    bind_input(base, input, (const real *)bs_cpu_data(b) + at);
}

static void bind_params(bs_program *base, const bs_buffer *value, bs_buffer *grad,
                        const int64_t *offset)
{
    bs_cpu_program *p = (bs_cpu_program *)base;
    p->params = bs_cpu_data(value);
    p->grads = bs_cpu_data(grad);
    p->offset = offset;
    p->generation = 0;
}

static void bind_touched(bs_program *base, bs_buffer *touched, const int64_t *row)
{
    bs_cpu_program *p = (bs_cpu_program *)base;
    uint8_t        *all = bs_cpu_data(touched);
    p->n_dense = 0;
    for (int i = 0; i < p->n; i++) {
        const bs_step *s = &p->step[i];
        if (s->out.place != BS_AT_GRAD)
            continue;
        if (p->row_sparse[i]) {
            p->call[i].args.touched = all + row[s->out.index];
        } else {
            p->dense[p->n_dense].row = all + row[s->out.index];
            p->dense[p->n_dense++].n = (size_t)(bs_shape_count(s->node.shape) / s->node.shape.d[3]);
        }
    }
}

static bool is_row_sparse(const bs_program *base, int segment)
{
    const bs_cpu_program *p = (const bs_cpu_program *)base;
    for (int i = 0; i < p->n; i++)
        if (p->row_sparse[i] && p->step[i].out.index == segment)
            return true;
    return false;
}

static const void *address(const bs_cpu_program *p, bs_loc loc)
{
    switch (loc.place) {
    case BS_AT_ARENA: return (char *)bs_cpu_data(p->w->arena) + loc.offset;
    case BS_AT_INPUT: return (const char *)p->input_data[loc.index] + loc.offset;
    case BS_AT_PARAM: return (const char *)(p->params + p->offset[loc.index]) + loc.offset;
    case BS_AT_GRAD: return (const char *)(p->grads + p->offset[loc.index]) + loc.offset;
    }
    return NULL;
}

static void set_pointer(const bs_cpu_program *p, const bs_patch *patch)
{
    const void *at = address(p, patch->loc);
    memcpy(patch->slot, &at, sizeof at);
}

static basin_status resolve(bs_cpu_program *p, basin_error *err)
{
    for (int i = 0; i < p->n_inputs; i++)
        if (!p->input_data[i])
            return bs_fail(err, BASIN_EARG, "run: input %d (node %d) is not bound", i,
                           (int)p->input[i]);
    if (p->generation != p->w->generation) {
        for (int i = 0; i < p->n_fixed; i++) {
            bs_place place = p->fixed[i].loc.place;
            if ((place == BS_AT_PARAM && !p->params) || (place == BS_AT_GRAD && !p->grads))
                return bs_fail(err, BASIN_EARG, "run: %s are not bound",
                               place == BS_AT_PARAM ? "parameters" : "gradients");
            set_pointer(p, &p->fixed[i]);
        }
        p->generation = p->w->generation;
    }
    for (int i = 0; i < p->n_bound; i++)
        set_pointer(p, &p->bound[i]);
    return BASIN_OK;
}

/* ---- running ---- */

static basin_status check_finite(const bs_cpu_program *p, int i, basin_error *err)
{
    const bs_node *n = &p->step[i].node;
    const real    *x = p->call[i].args.out;
    if (n->type != BS_T_REAL || n->op == BS_OP_fill) /* a constant may say that there is no value */
        return BASIN_OK;
    for (int64_t k = 0; k < bs_shape_count(n->shape); k++)
        if (!isfinite((double)x[k]))
            return bs_fail(err, BASIN_ENUMERIC, "%s/%s (step %d): element %lld is %g",
                           p->step[i].label, bs_ops[n->op]->name, i, (long long)k, (double)x[k]);
    return BASIN_OK;
}

/* With NaN, as reals. */
static void spoil(const bs_cpu_program *p, int i)
{
    for (int k = 0; k < p->step[i].n_dead; k++) {
        bs_stretch span = p->step[i].dead[k];
        memset((char *)bs_cpu_data(p->w->arena) + span.offset, 0xff, (size_t)span.bytes);
    }
}

/* One call at a time: to measure each, or to look for the first bad value and
 * for reads of slots whose value has died. */
static basin_status run_watched(const bs_cpu_program *p, const bs_turn *t, basin_error *err)
{
    basin_status   s = BASIN_OK;
    bs_thread_mode old = bs_enter_kernels();
    for (int i = t->first; i < t->end && !s; i++) {
        double start = bs_thread_seconds();
        bs_run_pieces(p, i, 0, p->call[i].work.pieces, 0);
        if (p->timing) {
            p->timing[i].seconds += bs_thread_seconds() - start;
            p->timing[i].calls++;
        }
        if (p->w->check_nan) {
            s = check_finite(p, i, err);
            spoil(p, i);
        }
    }
    if (!bs_leave_kernels(old) && !s)
        s = bs_fail_nomem(err);
    return s;
}

static basin_status run_turn(bs_cpu_program *p, const bs_run *r, int turn, basin_error *err)
{
    const bs_turn *t = &p->turn[turn];
    p->run = *r;
    basin_status s = resolve(p, err);
    if (s)
        return s;
    for (int i = 0; i < p->n_dense; i++)
        memset(p->dense[i].row, 1, p->dense[i].n);
    if (p->w->check_nan || p->timing)
        return run_watched(p, t, err);
    return bs_run_calls(p, t) ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status run(bs_program *base, const bs_run *r, int turn, basin_error *err)
{
    bs_cpu_program *p = (bs_cpu_program *)base;
    if (turn != BS_ALL_TURNS)
        return run_turn(p, r, turn, err);
    basin_status s = run_turn(p, r, 0, err);
    for (int k = 1; k < BS_TURNS && !s && p->turn[k].first < p->turn[k].end; k++)
        s = run_turn(p, r, k, err);
    return s;
}

static basin_status fetch(bs_program *base, int i, const void **out, basin_error *err)
{
    const bs_cpu_program *p = (const bs_cpu_program *)base;
    *out = NULL;
    if (i < 0 || i >= p->n_results)
        return bs_fail(err, BASIN_EARG, "result %d of %d", i, p->n_results);
    *out = address(p, p->result[i].loc);
    return BASIN_OK;
}

static void copy_result(bs_program *base, int i, bs_buffer *to, int64_t at)
{
    const bs_cpu_program *p = (const bs_cpu_program *)base;
    const bs_operand     *r = &p->result[i];
    memcpy((real *)bs_cpu_data(to) + at, address(p, r->loc),
           (size_t)bs_shape_count(r->shape) * sizeof(real));
}

static void note(bs_program *base, int first, int n, bs_buffer *log, int64_t at)
{
    const bs_cpu_program *p = (const bs_cpu_program *)base;
    double               *to = (double *)bs_cpu_data(log) + at;
    for (int i = 0; i < n; i++)
        to[i] = (double)*(const real *)address(p, p->result[first + i].loc);
}

const bs_device bs_device_cpu = {
    .name = "cpu",
    .help = "this processor: threads, its vector instructions, OpenBLAS and oneDNN",
    .open = open_cpu,
    .close = close_cpu,
    .arithmetic = arithmetic,
    .alloc = bs_cpu_alloc,
    .free = bs_cpu_free,
    .map = bs_cpu_map,
    .unmap = bs_cpu_unmap,
    .copy = bs_cpu_copy,
    .fill = bs_cpu_fill,
    .axpby = bs_cpu_axpby,
    .dot = bs_cpu_dot,
    .order = bs_cpu_pair_steps,
    .compile = bs_cpu_compile,
    .program_free = bs_cpu_program_free,
    .bind_input = bind_input,
    .bind_buffer = bind_buffer,
    .bind_params = bind_params,
    .bind_touched = bind_touched,
    .is_row_sparse = is_row_sparse,
    .run = run,
    .fetch = fetch,
    .copy_result = copy_result,
    .note = note,
    .update = bs_cpu_update,
};
