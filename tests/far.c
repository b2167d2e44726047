/* far.c -- the far device: kernels of the CPU on memory that is closed to everybody else. */
#include "far.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernels find their memory as in a buffer of the CPU. */
typedef struct {
    bs_cpu_buffer cpu;
    int           open;    /* functions that work on it */
    int           written; /* ranges that are mapped to be written */
} far_buffer;

typedef struct {
    bs_id            id;
    bs_type          type;
    size_t           bytes;  /* that the program reads, where it is no sparse matrix */
    const void      *host;   /* what was bound */
    bs_buffer       *copy;   /* of it */
    const bs_buffer *buffer; /* bound instead */
    bs_csr           csr;    /* in the copy */
} far_input;

typedef struct far_program {
    bs_program          head;
    bs_program         *cpu;
    bs_workspace       *w;
    struct far_program *next;
    bs_arena            arena;
    far_input          *input;   /* [n_inputs] */
    bs_operand         *result;  /* [n_results] */
    void              **fetched; /* [n_results], or NULL */
    int64_t            *offset;  /* [n_segments] */
    int                 n_inputs, n_results, n_segments;
    const bs_buffer    *value, *grad, *touched;
    bool                failed; /* where no status could be returned */
    bool                last;   /* its run is the last of the workspace: results are there */
} far_program;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of pages and buffers */
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
static far_program    *programs; /* of all workspaces */

static void die(const char *what)
{
    fprintf(stderr, "far device: %s\n", what);
    abort();
}

/* ---- pages ---- */

static size_t round_up(size_t n, size_t to)
{
    return n < to ? to : (n + to - 1) / to * to;
}

/* Memory that ends where a closed page begins. NULL: there is none. */
static void *take_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = round_up(bytes, BS_ALIGN), all = round_up(room, page);
    char *at = mmap(NULL, all + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (mprotect(at + all, page, PROT_NONE) != 0)
        die("no page can be closed");
    return at + (all - room);
}

/* The pages of such memory, without the last. */
static char *pages_of(void *at, size_t bytes, size_t *all)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *all = round_up(round_up(bytes, BS_ALIGN), page);
    return (char *)at - (*all - round_up(bytes, BS_ALIGN));
}

static void protect(void *at, size_t bytes, int access)
{
    size_t all;
    char  *first = pages_of(at, bytes, &all);
    if (mprotect(first, all, access) != 0)
        die("pages cannot be opened or closed");
}

/* Closes pages; addresses are used again only much later, so that an old pointer is noticed. */
static void leave_pages(void *at, size_t bytes)
{
    enum { REMEMBERED = 256 };
    static struct {
        char  *first;
        size_t bytes;
    } left[REMEMBERED];
    static int   oldest;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t       all;
    char        *first = pages_of(at, bytes, &all);
    protect(at, bytes, PROT_NONE);
    madvise(first, all, MADV_DONTNEED);
    pthread_mutex_lock(&lock);
    if (left[oldest].first)
        munmap(left[oldest].first, left[oldest].bytes);
    left[oldest].first = first;
    left[oldest].bytes = all + page;
    oldest = (oldest + 1) % REMEMBERED;
    pthread_mutex_unlock(&lock);
}

/* ---- buffers ---- */

static void open_pages(const bs_buffer *b, int mapped)
{
    far_buffer *f = (far_buffer *)(uintptr_t)b;
    if (!b)
        return;
    if (b->device != &bs_device_far)
        die("memory of another device");
    pthread_mutex_lock(&lock);
    if (f->written > mapped)
        die("a buffer is used while a part of it is mapped to be written");
    if (f->open++ == 0)
        protect(f->cpu.data, b->bytes, PROT_READ | PROT_WRITE);
    pthread_mutex_unlock(&lock);
}

static void close_pages(const bs_buffer *b)
{
    far_buffer *f = (far_buffer *)(uintptr_t)b;
    if (!b)
        return;
    pthread_mutex_lock(&lock);
    if (--f->open == 0)
        protect(f->cpu.data, b->bytes, PROT_NONE);
    pthread_mutex_unlock(&lock);
}

/* What nobody has written is NaN. */
static basin_status alloc(const bs_device *d, size_t bytes, bool zero, bs_buffer **out,
                          basin_error *err)
{
    far_buffer *f = bs_calloc(1, sizeof *f);
    *out = NULL;
    if (f)
        f->cpu = (bs_cpu_buffer){{d, bytes}, take_pages(bytes)};
    if (!f || !f->cpu.data) {
        bs_free(f);
        return bs_fail_nomem(err);
    }
    if (!zero)
        memset(f->cpu.data, 0xff, bytes);
    protect(f->cpu.data, bytes, PROT_NONE);
    *out = &f->cpu.head;
    return BASIN_OK;
}

static void free_buffer(bs_buffer *b)
{
    far_buffer *f = (far_buffer *)b;
    if (f->written)
        die("a buffer is freed while a part of it is mapped to be written");
    leave_pages(f->cpu.data, b->bytes);
    bs_free(f);
}

/* A range that is mapped only to be written is NaN at first. */
static basin_status map(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void **out,
                        basin_error *err)
{
    *out = take_pages(bytes);
    if (!*out)
        return bs_fail_nomem(err);
    open_pages(b, INT_MAX);
    if (access & BS_READ)
        memcpy(*out, (char *)bs_cpu_data(b) + at, bytes);
    else
        memset(*out, 0xff, bytes);
    if (access & BS_WRITE)
        ((far_buffer *)(uintptr_t)b)->written++;
    else
        protect(*out, bytes, PROT_READ);
    close_pages(b);
    return BASIN_OK;
}

static void unmap(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void *mapped)
{
    if (access & BS_WRITE) {
        open_pages(b, INT_MAX);
        memcpy((char *)bs_cpu_data(b) + at, mapped, bytes);
        ((far_buffer *)(uintptr_t)b)->written--;
        close_pages(b);
    }
    leave_pages(mapped, bytes);
}

static void copy(bs_buffer *to, int64_t to_at, const bs_buffer *from, int64_t from_at, int64_t n)
{
    open_pages(to, 0);
    open_pages(from, 0);
    bs_cpu_copy(to, to_at, from, from_at, n);
    close_pages(from);
    close_pages(to);
}

static void fill(bs_buffer *b, int64_t at, int64_t n, double value)
{
    open_pages(b, 0);
    bs_cpu_fill(b, at, n, value);
    close_pages(b);
}

static void axpby(const bs_range *range, int n, double b, bs_buffer *y, double a,
                  const bs_buffer *x)
{
    open_pages(y, 0);
    open_pages(x, 0);
    bs_cpu_axpby(range, n, b, y, a, x);
    close_pages(x);
    close_pages(y);
}

static double dot(const bs_range *range, int n, const bs_buffer *x, const bs_buffer *y)
{
    open_pages(x, 0);
    open_pages(y, 0);
    const double sum = bs_cpu_dot(range, n, x, y);
    close_pages(y);
    close_pages(x);
    return sum;
}

/* ---- workspaces ---- */

static basin_status open_far(const bs_device *d, int threads, bs_workspace **out, basin_error *err)
{
    return bs_devices[0]->open(d, threads, out, err);
}

static void close_far(bs_workspace *w)
{
    bs_devices[0]->close(w);
}

static const char *arithmetic(const bs_workspace *w)
{
    return bs_devices[0]->arithmetic(w);
}

static void update(bs_workspace *w, const bs_update *u, const bs_span_update *span, int n,
                   const bs_blocks *b, bs_buffer *log, int64_t at)
{
    const bs_buffer *block[] = {b->value, b->grad, b->m, b->v, b->touched, log};
    for (int i = 0; i < 6; i++)
        open_pages(block[i], 0);
    bs_cpu_update(w, u, span, n, b, log, at);
    for (int i = 0; i < 6; i++)
        close_pages(block[i]);
}

/* ---- programs ---- */

static void note_operand(far_program *p, bs_loc loc, const bs_operand *o)
{
    if ((loc.place == BS_AT_PARAM || loc.place == BS_AT_GRAD) && loc.index >= p->n_segments)
        p->n_segments = loc.index + 1;
    if (loc.place != BS_AT_INPUT || !o)
        return;
    far_input   *in = &p->input[loc.index];
    const size_t end = (size_t)loc.offset + bs_value_bytes(o->type, o->shape);
    in->type = o->type;
    if (o->type != BS_T_CSR && end > in->bytes)
        in->bytes = end;
}

static bool note_plan(far_program *p, const bs_plan *plan)
{
    const size_t n = (size_t)plan->n_results + 1;
    p->input = bs_arena_alloc(&p->arena, ((size_t)plan->n_inputs + 1) * sizeof *p->input);
    p->result = bs_arena_alloc(&p->arena, n * sizeof *p->result);
    p->fetched = bs_arena_alloc(&p->arena, n * sizeof *p->fetched);
    if (!p->input || !p->result || !p->fetched)
        return false;
    memset(p->input, 0, ((size_t)plan->n_inputs + 1) * sizeof *p->input);
    memset(p->fetched, 0, n * sizeof *p->fetched);
    memcpy(p->result, plan->result, (size_t)plan->n_results * sizeof *p->result);
    p->n_inputs = plan->n_inputs;
    p->n_results = plan->n_results;
    for (int i = 0; i < plan->n_inputs; i++)
        p->input[i].id = plan->input[i];
    for (int i = 0; i < plan->n_steps; i++) {
        note_operand(p, plan->step[i].out, NULL);
        for (int k = 0; k < plan->step[i].n_in; k++)
            note_operand(p, plan->step[i].in[k].loc, &plan->step[i].in[k]);
    }
    for (int i = 0; i < plan->n_results; i++)
        note_operand(p, plan->result[i].loc, &plan->result[i]);
    p->offset = bs_arena_alloc(&p->arena, ((size_t)p->n_segments + 1) * sizeof *p->offset);
    return p->offset;
}

static basin_status compile(bs_workspace *w, const bs_plan *plan, bs_program **out,
                            basin_error *err)
{
    far_program *p = bs_calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return bs_fail_nomem(err);
    bs_arena_init(&p->arena, 0);
    p->head.device = &bs_device_far;
    p->w = w;
    basin_status s = note_plan(p, plan) ? BASIN_OK : bs_fail_nomem(err);
    if (!s)
        s = bs_cpu_compile(w, plan, &p->cpu, err);
    if (s) {
        bs_arena_free(&p->arena);
        bs_free(p);
        return s;
    }
    pthread_mutex_lock(&listing);
    p->next = programs;
    programs = p;
    pthread_mutex_unlock(&listing);
    *out = &p->head;
    return BASIN_OK;
}

static size_t result_bytes(const far_program *p, int i)
{
    return bs_value_bytes(p->result[i].type, p->result[i].shape);
}

static void drop_fetched(far_program *p)
{
    p->last = false;
    for (int i = 0; i < p->n_results; i++) {
        if (p->fetched[i])
            leave_pages(p->fetched[i], result_bytes(p, i));
        p->fetched[i] = NULL;
    }
}

static void program_free(bs_program *base)
{
    far_program *p = (far_program *)base, **at = &programs;
    drop_fetched(p);
    for (int i = 0; i < p->n_inputs; i++)
        bs_buffer_free(p->input[i].copy);
    pthread_mutex_lock(&listing);
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    pthread_mutex_unlock(&listing);
    bs_cpu_program_free(p->cpu);
    bs_arena_free(&p->arena);
    bs_free(p);
}

/* ---- binding ---- */

typedef struct {
    size_t start, index, value, all; /* where the arrays of a sparse matrix begin */
} sparse_layout;

static sparse_layout lay_out(const bs_csr *x)
{
    const size_t  n = (size_t)(x->start[x->rows] - x->start[0]);
    sparse_layout at = {0, ((size_t)x->rows + 1) * sizeof *x->start, 0, 0};
    at.value = at.index + n * sizeof *x->index;
    at.all = at.value + (x->value ? n * sizeof *x->value : 0);
    return at;
}

static size_t bytes_of(const far_input *in)
{
    return in->type == BS_T_CSR ? lay_out(in->host).all : in->bytes;
}

/* Rows of a sparse matrix may be some of a larger one's: they are numbered anew. */
static void pack(const far_input *in, char *to)
{
    if (in->type != BS_T_CSR) {
        memcpy(to, in->host, in->bytes);
        return;
    }
    const bs_csr       *x = in->host;
    const int32_t       first = x->start[0];
    const sparse_layout at = lay_out(x);
    for (int32_t i = 0; i <= x->rows; i++)
        ((int32_t *)(void *)to)[i] = x->start[i] - first;
    if (at.value > at.index)
        memcpy(to + at.index, x->index + first, at.value - at.index);
    if (at.all > at.value)
        memcpy(to + at.value, x->value + first, at.all - at.value);
}

static basin_status upload(far_program *p, far_input *in)
{
    const size_t bytes = bytes_of(in);
    if (in->copy && in->copy->bytes != bytes) {
        bs_buffer_free(in->copy);
        in->copy = NULL;
    }
    if (!in->copy) {
        basin_status s = alloc(&bs_device_far, bytes, false, &in->copy, NULL);
        if (s)
            return s;
    }
    char *to = bs_cpu_data(in->copy);
    open_pages(in->copy, 0);
    pack(in, to);
    close_pages(in->copy);
    if (in->type == BS_T_CSR) {
        const bs_csr       *x = in->host;
        const sparse_layout at = lay_out(x);
        in->csr =
            (bs_csr){x->rows, x->cols, (int32_t *)(void *)to, (int32_t *)(void *)(to + at.index),
                     x->value ? (float *)(void *)(to + at.value) : NULL};
    }
    bs_devices[0]->bind_input(p->cpu, in->id, in->type == BS_T_CSR ? (void *)&in->csr : to);
    return BASIN_OK;
}

static far_input *input_of(far_program *p, bs_id id)
{
    for (int i = 0; i < p->n_inputs; i++)
        if (p->input[i].id == id)
            return &p->input[i];
    return NULL;
}

static void bind_input(bs_program *base, bs_id id, const void *data)
{
    far_program *p = (far_program *)base;
    far_input   *in = input_of(p, id);
    if (!in)
        return;
    in->host = data;
    in->buffer = NULL;
    if (!data)
        bs_devices[0]->bind_input(p->cpu, id, NULL);
    else if (upload(p, in))
        p->failed = true;
}

static void bind_buffer(bs_program *base, bs_id id, const bs_buffer *b, int64_t at)
{
    far_program *p = (far_program *)base;
    far_input   *in = input_of(p, id);
    if (!in)
        return;
    in->host = NULL;
    in->buffer = b;
    bs_devices[0]->bind_buffer(p->cpu, id, b, at);
}

static void bind_params(bs_program *base, const bs_buffer *value, bs_buffer *grad,
                        const int64_t *offset)
{
    far_program *p = (far_program *)base;
    p->value = value;
    p->grad = grad;
    memcpy(p->offset, offset, (size_t)p->n_segments * sizeof *offset);
    bs_devices[0]->bind_params(p->cpu, value, grad, p->offset);
}

static void bind_touched(bs_program *base, bs_buffer *touched, const int64_t *row)
{
    far_program *p = (far_program *)base;
    p->touched = touched;
    bs_devices[0]->bind_touched(p->cpu, touched, row);
}

static bool is_row_sparse(const bs_program *base, int segment)
{
    return bs_devices[0]->is_row_sparse(((const far_program *)base)->cpu, segment);
}

/* ---- running ---- */

static void for_all(const far_program *p, void (*f)(const bs_buffer *b))
{
    const bs_cpu *w = (const bs_cpu *)p->w;
    f(w->arena);
    f(w->scratch);
    f(p->value);
    f(p->grad);
    f(p->touched);
    for (int i = 0; i < p->n_inputs; i++)
        f(p->input[i].buffer ? p->input[i].buffer : p->input[i].copy);
}

static void open_one(const bs_buffer *b)
{
    open_pages(b, 0);
}

static void open_all(const far_program *p)
{
    for_all(p, open_one);
}

static void open_results(const far_program *p)
{
    if (!p->last)
        die("a result is asked for after another program has run");
    open_all(p);
}

static void close_all(const far_program *p)
{
    for_all(p, close_pages);
}

/* Another device would go on with what it has copied. */
static basin_status check_unchanged(const far_input *in, basin_error *err)
{
    char *now = in->host ? malloc(bytes_of(in) + 1) : NULL;
    if (in->host && !now)
        return bs_fail_nomem(err);
    if (in->host) {
        pack(in, now);
        open_pages(in->copy, 0);
        if (in->copy->bytes != bytes_of(in) ||
            memcmp(now, bs_cpu_data(in->copy), in->copy->bytes) != 0)
            die("an input has changed since it was bound");
        close_pages(in->copy);
    }
    free(now);
    return BASIN_OK;
}

static basin_status run(bs_program *base, const bs_run *r, int turn, basin_error *err)
{
    far_program *p = (far_program *)base;
    basin_status s = p->failed ? bs_fail_nomem(err) : BASIN_OK;
    p->failed = false;
    for (int i = 0; i < p->n_inputs && !s; i++)
        s = check_unchanged(&p->input[i], err);
    if (s)
        return s;
    pthread_mutex_lock(&listing);
    for (far_program *q = programs; q; q = q->next)
        if (q->w == p->w)
            drop_fetched(q);
    pthread_mutex_unlock(&listing);
    open_all(p);
    s = bs_devices[0]->run(p->cpu, r, turn, err);
    close_all(p);
    p->last = true;
    return s;
}

static basin_status fetch(bs_program *base, int i, const void **out, basin_error *err)
{
    far_program *p = (far_program *)base;
    const void  *at;
    basin_status s = bs_devices[0]->fetch(p->cpu, i, &at, err);
    *out = NULL;
    if (!s && !p->fetched[i]) {
        p->fetched[i] = take_pages(result_bytes(p, i));
        if (!p->fetched[i])
            return bs_fail_nomem(err);
        open_results(p);
        memcpy(p->fetched[i], at, result_bytes(p, i));
        close_all(p);
        protect(p->fetched[i], result_bytes(p, i), PROT_READ);
    }
    if (!s)
        *out = p->fetched[i];
    return s;
}

static void copy_result(bs_program *base, int i, bs_buffer *to, int64_t at)
{
    far_program *p = (far_program *)base;
    open_results(p);
    open_pages(to, 0);
    bs_devices[0]->copy_result(p->cpu, i, to, at);
    close_pages(to);
    close_all(p);
}

static void note(bs_program *base, int first, int n, bs_buffer *log, int64_t at)
{
    far_program *p = (far_program *)base;
    open_results(p);
    open_pages(log, 0);
    bs_devices[0]->note(p->cpu, first, n, log, at);
    close_pages(log);
    close_all(p);
}

const bs_device bs_device_far = {
    .name = "far",
    .help = "for tests: the CPU on memory that the host may not touch",
    .open = open_far,
    .close = close_far,
    .arithmetic = arithmetic,
    .alloc = alloc,
    .free = free_buffer,
    .map = map,
    .unmap = unmap,
    .copy = copy,
    .fill = fill,
    .axpby = axpby,
    .dot = dot,
    .order = bs_cpu_pair_steps,
    .compile = compile,
    .program_free = program_free,
    .bind_input = bind_input,
    .bind_buffer = bind_buffer,
    .bind_params = bind_params,
    .bind_touched = bind_touched,
    .is_row_sparse = is_row_sparse,
    .run = run,
    .fetch = fetch,
    .copy_result = copy_result,
    .note = note,
    .update = update,
};

/* ---- in the place of every device ---- */

const bs_cpu_program *kernels_of(const bs_program *p)
{
    const bool far = p->device == &bs_device_far;
    return (const bs_cpu_program *)(far ? ((const far_program *)p)->cpu : p);
}

const bs_device *device_here(void)
{
    const char *name = getenv("BASIN_DEVICE");
    if (!name || strcmp(name, "cpu") == 0)
        return bs_devices[0];
    if (strcmp(name, "far") != 0)
        die("BASIN_DEVICE is neither cpu nor far");
    return &bs_device_far;
}

/* Programs that run on the CPU find their parameters there, and those of the far device here. */
basin_status __wrap_bs_workspace_open(bs_machine where, bs_workspace **out, basin_error *err)
{
    const bs_device *d;
    basin_status     s = bs_device_find(where.device, &d, err);
    if (s || device_here() != &bs_device_far)
        return __real_bs_workspace_open(where, out, err);
    return bs_device_far.open(&bs_device_far, where.threads, out, err);
}

void *host_of(const bs_buffer *b)
{
    void *at;
    if (b->device == &bs_device_far)
        open_pages(b, 0);
    return bs_devices[0]->map(b, 0, b->bytes, BS_READ_WRITE, &at, NULL) ? NULL : at;
}
