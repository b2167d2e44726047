/* params.h -- parameters as slices of one flat block.
 *
 * Values, gradients and the two state blocks of the optimisers have the same
 * layout, so an update, a norm, a checkpoint or a moving average is one loop.
 * Frozen parameters come last in the values, and are not in the other blocks.
 * Names are paths ("energy/global/M"); a net is all names with a prefix.
 *
 * Building the first graph declares the parameters; allocate() then makes and
 * initialises the blocks; graphs built later find them by name. */
#ifndef BS_PARAMS_H
#define BS_PARAMS_H

#include "device/device.h"
#include "graph/graph.h"

typedef enum {
    BS_INIT_CONSTANT,
    BS_INIT_UNIFORM,
    BS_INIT_NORMAL,
    BS_INIT_ORTHOGONAL,
    BS_INIT_GATE_BIAS,
    BS_INIT_SIGN,
} bs_init_kind;

typedef struct {
    bs_init_kind kind;
    double       value; /* the constant, the bound, the standard deviation, the gain */
} bs_init;

bs_init bs_init_zero(void);
bs_init bs_init_constant(double value);
bs_init bs_init_uniform(double bound); /* [-bound, bound) */
bs_init bs_init_normal(double deviation);
bs_init bs_init_kaiming(int fan_in);             /* uniform, He et al. 2015, gain of ReLU */
bs_init bs_init_xavier(int fan_in, int fan_out); /* uniform, Glorot and Bengio 2010 */
bs_init bs_init_orthogonal(double gain);         /* rows or columns orthonormal */
bs_init bs_init_sign(void);                      /* 1 or -1 */
bs_init bs_init_gate_bias(double forget); /* of an LSTM: zeros, except the forget gate's quarter */

typedef struct {
    const char *name;
    bs_shape    shape;
    bs_init     init;
    int64_t     offset, count; /* elements in the flat blocks; known once these exist */
    bool        frozen;        /* no gradient, no state */
    double      rate, decay;   /* factors on the optimiser's rate and weight decay; default 1 */
    double      follow;        /* > 0: a running mean, see bs_param_following */
} bs_segment;

typedef struct {
    bs_arena    arena;
    bs_segment *segment; /* [n] */
    int         n;
    size_t      cap;
    int64_t     size;   /* elements of the values, padding included */
    int64_t     moving; /* of the other blocks: those that are not frozen */
    int64_t    *offset; /* [n], as devices want it */
    int64_t    *row;    /* [n] where the rows of a segment begin in block.touched */
    bs_blocks   block;  /* on one device */
    bool        twin;   /* a copy of the blocks of others: segments are theirs */
} bs_params;

bs_params *bs_params_new(void);
void       bs_params_free(bs_params *p);

/* The parameter as a node. Declares it on first use; refuses a different shape, or a new name once
 * the blocks exist. `name` is the full name: the label stack is not prepended. */
bs_id bs_param(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init);

/* The same, of a parameter that is never trained: declared so by whoever declares it first. */
bs_id bs_param_frozen(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init);

/* A running mean of `value` (0: unknown in this graph): each step moves it by the share `follow` of
 * the difference; the first steps by more, so that all count equally. */
bs_id bs_param_following(bs_graph *g, bs_params *p, const char *name, bs_shape s, bs_init init,
                         double follow, bs_id value);

/* Makes value, whose padding is zero: enough for a loaded model. */
basin_status bs_params_reserve(bs_params *p, const bs_device *d, basin_error *err);
/* Makes value and grad, and fills value; each segment has a random stream of
 * its own, made from its name, so that adding one does not change the others. */
basin_status bs_params_allocate(bs_params *p, const bs_device *d, uint64_t seed, basin_error *err);
/* Makes m and v, zeroed, if they do not exist yet. */
basin_status bs_params_allocate_state(bs_params *p, basin_error *err);
/* Values with a prefix anew; state is left as it is, and so is what is frozen. */
basin_status bs_params_renew(bs_params *p, const char *prefix, uint64_t seed, basin_error *err);

/* Values of a segment for the host (bs_map), and back. */
basin_status bs_params_map(const bs_params *p, const bs_segment *s, bs_access access, real **out,
                           basin_error *err);
void bs_params_unmap(const bs_params *p, const bs_segment *s, bs_access access, real *mapped);
/* Sets all values of a segment, whose count is a multiple of n, to n numbers again and again. */
basin_status bs_params_repeat(bs_params *p, const bs_segment *s, const float *from, int64_t n,
                              basin_error *err);
/* Values of `to` <- values of `from`, as many as `to` has. */
void bs_params_copy(bs_params *p, const bs_segment *to, const bs_segment *from);
/* The elements of a segment in a block, with the padding that follows. */
bs_range bs_segment_range(const bs_segment *s);

void bs_params_bind(const bs_params *p, bs_program *program);
/* *out: p itself where its values are on this device, else a copy there, to be freed before p. */
basin_status bs_params_on(bs_params *p, const bs_device *d, bs_params **out, basin_error *err);

/* Numbers that are not frozen, padding excluded. */
int64_t           bs_params_count(const bs_params *p, const char *prefix);
const bs_segment *bs_params_find(const bs_params *p, const char *name); /* or NULL */
bool              bs_params_has_prefix(const char *name, const char *prefix);

/* Nodes of all parameters under a prefix that have gradients, for bs_grad: ids and segments, up to
 * `most`; returns how many. */
int bs_params_nodes(bs_graph *g, const bs_params *p, const char *prefix, bs_id *ids, int *segments,
                    int most);
/* The same for running means: the difference of each from what it follows. */
int bs_params_distances(bs_graph *g, const bs_params *p, const char *prefix, bs_id *ids,
                        int *segments, int most);

#endif
