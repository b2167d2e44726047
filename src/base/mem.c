/* mem.c -- the only file that calls the C allocator.
 *
 * Every block starts at a BS_ALIGN boundary and is counted, so that tests can make any single
 * allocation fail and check for leaks. An arena is a list of such blocks whose sizes double. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#define ARENA_GAP      ((size_t)16)
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#define ARENA_GAP      ((size_t)0)
#endif

static atomic_long n_calls, n_live, fail_in;

bool bs_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool bs_add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* Rounds up to a multiple of unit, a power of two; at least one unit. */
static bool round_up(size_t n, size_t unit, size_t *out)
{
    if (!bs_add_size(n ? n : 1, unit - 1, out))
        return false;
    *out &= ~(unit - 1);
    return true;
}

static bool told_to_fail(void)
{
    return atomic_load_explicit(&fail_in, memory_order_relaxed) > 0 &&
           atomic_fetch_sub_explicit(&fail_in, 1, memory_order_relaxed) == 1;
}

/* Blocks of this size ask for huge pages: rows of weights are read from all over them, and with 4
 * KiB pages nearly every row would cost a walk of the page tables. Refused, everything still
 * works. */
static const size_t HUGE_PAGE = (size_t)2 << 20, HUGE_FROM = (size_t)4 << 20;

void *bs_alloc(size_t bytes)
{
    atomic_fetch_add_explicit(&n_calls, 1, memory_order_relaxed);

    /* Beyond PTRDIFF_MAX the difference of two pointers is undefined. */
    size_t rounded;
    if (told_to_fail() || !round_up(bytes, BS_ALIGN, &rounded) || rounded > PTRDIFF_MAX)
        return NULL;
    const bool large = rounded >= HUGE_FROM;
    if (large && !round_up(rounded, HUGE_PAGE, &rounded))
        return NULL;
    char *p = aligned_alloc(large ? HUGE_PAGE : BS_ALIGN, rounded);
    if (!p)
        return NULL;
    if (large)
        (void)madvise(p, rounded, MADV_HUGEPAGE);
    /* Rounding up must not hide a write past the end from the sanitizer. */
    POISON(p + bytes, rounded - bytes);
    atomic_fetch_add_explicit(&n_live, 1, memory_order_relaxed);
    return p;
}

void *bs_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (!bs_mul_size(n, size, &bytes))
        return NULL;
    void *p = bs_alloc(bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

/* A new block and a copy: realloc() would not keep the alignment. */
void *bs_realloc(void *p, size_t old_bytes, size_t new_bytes)
{
    void *q = bs_alloc(new_bytes);
    if (!q || !p)
        return q;
    memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    bs_free(p);
    return q;
}

void bs_free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub_explicit(&n_live, 1, memory_order_relaxed);
    free(p);
}

/* --- arena ----------------------------------------------------------------- */

enum {
    ARENA_ALIGN = 16,
    BLOCK_HEAD = BS_ALIGN, /* keeps the first allocation of a block aligned */
};

static const size_t first_block = (size_t)64 << 10, largest_block = (size_t)8 << 20;

struct bs_arena_block {
    bs_arena_block *next;
    size_t          size, used; /* bytes after the head */
};

static char *block_bytes(bs_arena_block *b)
{
    return (char *)b + BLOCK_HEAD;
}

static bs_arena_block *block_new(size_t size)
{
    size_t total;
    if (!bs_add_size(size, BLOCK_HEAD, &total))
        return NULL;
    bs_arena_block *b = bs_alloc(total);
    if (!b)
        return NULL;
    b->next = NULL;
    b->size = size;
    b->used = 0;
    POISON(block_bytes(b), size);
    return b;
}

void bs_arena_init(bs_arena *a, size_t ceiling)
{
    a->head = NULL;
    a->used = 0;
    a->ceiling = ceiling;
}

/* Adds a block with room for `need` bytes and returns it. A request too large for a normal block
 * gets its own behind the head, so that the room left in the head is not lost. */
static bs_arena_block *add_block(bs_arena *a, size_t need)
{
    size_t usual = first_block;
    if (a->head)
        usual = a->head->size < largest_block / 2 ? a->head->size * 2 : largest_block;

    bs_arena_block *b = block_new(need > usual ? need : usual);
    if (!b)
        return NULL;
    if (need > usual && a->head) {
        b->next = a->head->next;
        a->head->next = b;
    } else {
        b->next = a->head;
        a->head = b;
    }
    return b;
}

void *bs_arena_alloc(bs_arena *a, size_t bytes)
{
    size_t need, total, with_gap;
    if (!round_up(bytes, ARENA_ALIGN, &need) || !bs_add_size(a->used, need, &total) ||
        !bs_add_size(need, ARENA_GAP, &with_gap) || (a->ceiling && total > a->ceiling))
        return NULL;

    bs_arena_block *b = a->head;
    if (!b || b->size - b->used < with_gap) {
        b = add_block(a, with_gap);
        if (!b)
            return NULL;
    }
    char *p = block_bytes(b) + b->used;
    b->used += with_gap;
    a->used = total;
    UNPOISON(p, bytes);
    memset(p, 0, bytes);
    return p;
}

char *bs_arena_copy(bs_arena *a, const char *text, size_t len)
{
    if (len == SIZE_MAX)
        return NULL;
    char *p = bs_arena_alloc(a, len + 1);
    if (p && len)
        memcpy(p, text, len);
    return p;
}

void bs_arena_free(bs_arena *a)
{
    bs_arena_block *b = a->head;
    while (b) {
        bs_arena_block *next = b->next;
        UNPOISON(block_bytes(b), b->size);
        bs_free(b);
        b = next;
    }
    bs_arena_init(a, a->ceiling);
}

/* --- test hooks ------------------------------------------------------------ */

void bs_mem_fail_at(long n)
{
    atomic_store_explicit(&fail_in, n, memory_order_relaxed);
}

long bs_mem_calls(void)
{
    return atomic_load_explicit(&n_calls, memory_order_relaxed);
}

long bs_mem_live(void)
{
    return atomic_load_explicit(&n_live, memory_order_relaxed);
}
