/* update.c -- a step of an optimiser on the CPU: the norm of the gradient, then the rule.
 *
 * Both go in pieces of fixed lengths, whoever does them, so that bits do not depend on threads. */
#include <math.h>
#include <omp.h>

#include "base/log.h"
#include "base/threads.h"
#include "device/cpu/program.h"

enum { UPDATE_PIECE = 8192, SQUARE_SHARES = 32 };

/* Addresses of the blocks. */
typedef struct {
    real          *value;
    const real    *grad;
    real          *m, *v;
    const uint8_t *touched;
} memory;

static memory memory_of(const bs_blocks *b)
{
    return (memory){bs_cpu_data(b->value), bs_cpu_data(b->grad), bs_cpu_data(b->m),
                    bs_cpu_data(b->v), bs_cpu_data(b->touched)};
}

static const uint8_t *rows_of(const memory *mem, const bs_span_update *s)
{
    return s->touched < 0 ? NULL : mem->touched + s->touched;
}

static void update_piece(const bs_cpu *w, const bs_update *u, const bs_span_update *s,
                         int64_t first, int64_t n, const memory *mem)
{
    const real     rate = (real)(u->rate * s->rate), decay = (real)s->decay;
    const int64_t  at = s->offset + first;
    const uint8_t *rows = rows_of(mem, s);
    real          *x = mem->value + at, *m = mem->m + at, *v = mem->v + at;
    const real    *g = mem->grad + at;
    if (s->follow > 0) {
        const bs_update plain = {.rule = BS_UPDATE_SGD, .scale = 1};
        const double    share = fmax(s->follow, 1 / (double)u->step);
        w->vec->update->apply(&plain, x, g, m, NULL, 0, (real)share, n);
        return;
    }
    if (!rows) {
        w->vec->update->apply(u, x, g, m, v, decay, rate, n);
        return;
    }
    /* pieces of a row-sparse segment are whole rows; equal neighbours go together */
    for (int64_t i = 0; i < n;) {
        const uint8_t touched = rows[(first + i) / s->row];
        int64_t       len = s->row;
        while (i + len < n && rows[(first + i + len) / s->row] == touched)
            len += s->row;
        w->vec->update->apply(u, x + i, touched ? g + i : NULL, m + i, v + i, decay, rate, len);
        i += len;
    }
}

/* Pieces of a span: fixed lengths, whole rows where rows count. */
static int64_t piece_length(const bs_span_update *s)
{
    if (s->touched < 0)
        return UPDATE_PIECE;
    int64_t rows = UPDATE_PIECE / s->row;
    return (rows < 1 ? 1 : rows) * s->row;
}

/* Pieces first .. first + n, counted over all spans. */
static double square_sum_pieces(const bs_cpu *w, const bs_span_update *span, int64_t first,
                                int64_t n, const memory *mem)
{
    double total = 0;
    for (; n > 0; span++) {
        const int64_t len = piece_length(span), pieces = (span->count + len - 1) / len;
        for (; first < pieces && n > 0; first++, n--) {
            int64_t     at = first * len, left = span->count - at, size = left < len ? left : len;
            const real *g = mem->grad + span->offset + at;
            const uint8_t *rows = rows_of(mem, span);
            if (span->follow > 0)
                continue;
            for (int64_t i = 0; i < size && rows; i += span->row)
                if (rows[(at + i) / span->row])
                    total += w->vec->update->square_sum(g + i, span->row);
            if (!rows)
                total += w->vec->update->square_sum(g, size);
        }
        first -= pieces;
    }
    return total;
}

/* Summed in SQUARE_SHARES shares of whole pieces, whoever does them, and then in their order. */
static double square_sum(const bs_cpu *w, const bs_span_update *span, int n, const memory *mem)
{
    double    total = 0, part[SQUARE_SHARES];
    int64_t   pieces = 0;
    const int threads = w->update_choice.alone ? 1 : bs_team(w->threads);
    for (int k = 0; k < n; k++)
        pieces += (span[k].count + piece_length(&span[k]) - 1) / piece_length(&span[k]);
#pragma omp parallel for num_threads(threads) if (threads > 1 && pieces >= SQUARE_SHARES)
    for (int i = 0; i < SQUARE_SHARES; i++) {
        int64_t first = pieces * i / SQUARE_SHARES;
        part[i] = square_sum_pieces(w, span, first, pieces * (i + 1) / SQUARE_SHARES - first, mem);
    }
    for (int i = 0; i < SQUARE_SHARES; i++)
        total += part[i];
    return total;
}

static void apply_rule(bs_cpu *w, const bs_update *u, const bs_span_update *span, int n,
                       const memory *mem)
{
    const int    threads = bs_team(w->threads);
    const bool   alone = threads == 1 || bs_choice_alone(&w->update_choice, HUGE_VAL);
    const double start = bs_seconds();
#pragma omp parallel num_threads(threads) if (!alone)
    {
        const int64_t  me = omp_get_thread_num(), team = omp_get_num_threads();
        bs_thread_mode old = bs_enter_kernels();
        for (int k = 0; k < n; k++) {
            const int64_t len = piece_length(&span[k]);
            const int64_t pieces = (span[k].count + len - 1) / len;
            for (int64_t i = pieces * me / team; i < pieces * (me + 1) / team; i++) {
                int64_t left = span[k].count - i * len;
                update_piece(w, u, &span[k], i * len, left < len ? left : len, mem);
            }
        }
        bs_leave_kernels(old);
    }
    if (threads > 1)
        bs_choice_report(&w->update_choice, bs_seconds() - start);
}

void bs_cpu_update(bs_workspace *base, const bs_update *rule, const bs_span_update *span, int n,
                   const bs_blocks *b, bs_buffer *log, int64_t at)
{
    bs_cpu      *w = (bs_cpu *)base;
    const memory mem = memory_of(b);
    bs_update    u = *rule;
    u.scale = 1;
    if (u.clip > 0 || u.measure) {
        const double norm = sqrt(square_sum(w, span, n, &mem));
        ((double *)bs_cpu_data(log))[at] = norm;
        if (!isfinite(norm))
            return;
        if (u.clip > 0 && norm > u.clip)
            u.scale = u.clip / norm;
    }
    u.fix1 = 1 - pow(u.beta1, (double)u.step);
    u.fix2 = 1 - pow(u.beta2, (double)u.step);
    apply_rule(w, &u, span, n, &mem);
}
