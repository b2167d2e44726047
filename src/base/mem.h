/* mem.h -- the only place that calls malloc; arenas; checked size arithmetic.
 *
 * Every function returns NULL (or false) when memory runs out; nothing aborts. */
#ifndef BS_MEM_H
#define BS_MEM_H

#include <stdbool.h>
#include <stddef.h>

#define BS_ALIGN 64 /* cache line and AVX-512 register */

/* Uninitialised memory at a BS_ALIGN boundary; 0 bytes give a valid pointer. */
void *bs_alloc(size_t bytes);
/* The same, zeroed; NULL also when n * size overflows. */
void *bs_calloc(size_t n, size_t size);
/* Grows or shrinks, keeps old_bytes of the content; the old block stays valid on failure. */
void *bs_realloc(void *p, size_t old_bytes, size_t new_bytes);
void  bs_free(void *p);

/* false when the result does not fit a size_t */
bool bs_mul_size(size_t a, size_t b, size_t *out);
bool bs_add_size(size_t a, size_t b, size_t *out);

/* A linear arena: many allocations, one release. Pointers stay valid until the
 * arena is freed or reset. Under AddressSanitizer the unused part of each
 * block is poisoned, with a gap between allocations. */
typedef struct bs_arena_block bs_arena_block;
typedef struct {
    bs_arena_block *head;    /* the block being filled, then the full ones */
    size_t          used;    /* bytes handed out */
    size_t          ceiling; /* total limit in bytes; 0 = none */
} bs_arena;

void  bs_arena_init(bs_arena *a, size_t ceiling);
void *bs_arena_alloc(bs_arena *a, size_t bytes);                /* zeroed, 16-byte aligned */
char *bs_arena_copy(bs_arena *a, const char *text, size_t len); /* adds a NUL */
void  bs_arena_free(bs_arena *a);                               /* also makes it ready for reuse */

/* Test hooks: fail the n-th allocation from now (n >= 1; 0 = never), all later ones succeed; count
 * allocations; count live blocks. They cost one relaxed atomic each. */
void bs_mem_fail_at(long n);
long bs_mem_calls(void);
long bs_mem_live(void);

#endif
