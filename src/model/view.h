/* view.h -- a batch as methods see it: nets and outputs of a task, in one graph.
 *
 * Methods, losses and searches are written against the table of functions
 * below, once for all tasks. An output y has the shape [rows, K, ...]: K relaxed
 * outputs for each row of the batch; scores, costs and energies of them are
 * [rows, K, 1]. Sampled outputs are discrete and have a form of their own.
 *
 * Building an expression twice gives the same nodes, so a function may be asked
 * again for what it made before; dropout included, since the streams of a net
 * do not depend on the call. */
#ifndef BS_VIEW_H
#define BS_VIEW_H

#include <stddef.h>

#include "nn/layers.h"
#include "device/cache.h"

typedef struct bs_task_space bs_task_space;

/* What a program is built for: rows and, for tasks whose inputs vary in size, positions of a
 * sentence and characters of a word, or height and width of an image. */
typedef struct {
    int rows, length, width;
} bs_size;

/* Values for the leaves of a view, in their order. */
typedef struct {
    bs_size     size;
    const void *x[BS_MOST_INPUTS];
    const void *gold; /* NULL: not known */
} bs_batch;

enum { BS_SPEC_ROOM = 256 };

/* Everything that defines the nets. The rest is a struct that only its task looks into
 * (bs_net_spec_NAME() in task/NAME/nets.h). It is stored inside, so that a spec can be copied. */
typedef struct {
    const bs_task_space *graph;
    bs_size              least;   /* for a program that only declares parameters */
    const real          *weight;  /* NULL, or [weights]: how much labels (where true), tags or */
    int                  weights; /* classes count in the cross-entropy, while training */
    union {
        max_align_t   align;
        unsigned char bytes[BS_SPEC_ROOM];
    } own;
} bs_net_spec;

/* With a copy of the task's struct. */
bs_net_spec bs_net_spec_make(const bs_task_space *graph, bs_size least, const void *own,
                             size_t size);

typedef struct {
    bs_graph          *g;
    bs_params         *params;
    const bs_net_spec *spec;
    bs_size            size;
    bs_inputs          x;                           /* leaves of the nets */
    bs_id              gold, weight;                /* leaves; 0 if absent */
    bool               net_dropout, energy_dropout; /* training */
    bool               apart; /* prediction: random outputs are the same for every row */
} bs_output_space;

typedef enum { BS_COST_F1, BS_COST_HAMMING, BS_COST_L1, BS_COST_SQUARED } bs_cost;

struct bs_task_space {
    bool expensive; /* an energy is so expensive that none is computed just for diagnostics */
    bool sums_rows; /* mode=code: losses are sums over a batch, not means */

    size_t (*parts)(const bs_net_spec *s, bs_size size); /* how many numbers a y has */
    void (*leaves)(bs_output_space *v, bool gold);

    /* Logits of the net called NAME ("net", "net/cost"), one output per row; and of each of its
     * members, [rows, members, ...], if nets can have some, else NULL. */
    bs_id (*logits)(bs_output_space *v, const char *name);
    bs_id (*members)(bs_output_space *v, const char *name);
    bs_id (*relax)(bs_output_space *v, bs_id logits); /* logits to relaxed outputs */
    bs_id (*unrelax)(bs_output_space *v, bs_id y);    /* the inverse, finite everywhere */
    bs_id (*project)(bs_output_space *v, bs_id y); /* the relaxed output nearest to any numbers */
    bs_id (*start)(bs_output_space *v, double value,
                   int K); /* every part of y has this value, or ... */
    bs_id (*random)(bs_output_space *v, int K,
                    uint32_t stream);   /* ... is uniform over the outputs */
    bs_id (*truth)(bs_output_space *v); /* gold as y with K = 1 */

    bs_id (*truth_energy)(bs_output_space *v);    /* E(x, gold) */
    bs_id (*energy)(bs_output_space *v, bs_id y); /* E(x, y) */
    /* Whether a parameter of an energy belongs to a term over y alone; NULL: none does. */
    bool (*over_outputs)(const char *name);
    /* Energies of K discrete outputs per row, given as y of zeros and ones; NULL: outputs are not
     * made of yes-or-no parts. */
    bs_id (*corner_energy)(bs_output_space *v, bs_id y, int K);
    /* Turns an energy into the argument of a sigmoid (DVN); NULL: its negative. If an energy is a
     * sum over parts whose number varies between rows, it is divided by that number. */
    bs_id (*value)(bs_output_space *v, bs_id energy);
    /* Scores that the energy gives to parts of y one by one, like logits; NULL: not possible. */
    bs_id (*potentials)(bs_output_space *v);
    /* NULL: never; or whether an energy is a chain (nn/chain.h). For chains: exact probabilities of
     * parts of y; log of the sum of exp(-E) over all outputs [rows, 1, 1]. */
    bool (*chain)(const bs_net_spec *s);
    bs_id (*marginals)(bs_output_space *v);
    bs_id (*log_partition)(bs_output_space *v);
    bs_id (*score)(bs_output_space *v, bs_id y); /* against gold, in [0,1]; 1 = equal */
    bs_id (*cost)(bs_output_space *v, bs_cost kind, bs_id y); /* against gold; 0 = equal */
    bs_id (*cross_entropy)(bs_output_space *v, bs_id logits); /* [rows, 1, 1]; a net minimises it */
    /* log P(gold), on the scale of sample_log_prob; cross_entropy may be a mean over parts. */
    bs_id (*truth_log_prob)(bs_output_space *v, bs_id logits);
    bs_id (*entropy)(bs_output_space *v, bs_id y); /* of the distribution given by y */

    /* K discrete outputs per row, drawn from the distribution of the logits. */
    bs_id (*sample)(bs_output_space *v, bs_id logits, int K, uint32_t stream);
    bs_id (*sample_energy)(bs_output_space *v, bs_id samples, int K);
    bs_id (*sample_log_prob)(bs_output_space *v, bs_id samples, int K, bs_id logits);
    bs_id (*sample_score)(bs_output_space *v, bs_id samples, int K);
    bs_cost sample_cost; /* the cost that equals 1 - score of a sample */

    /* Logits of a cost-augmented net (InfNet+): a second head on the features of "net", or a layer
     * over the net's y and the truth; hidden -1: as many units as y has parts. */
    bs_id (*second_head)(bs_output_space *v, const char *name);
    bs_id (*stacked)(bs_output_space *v, const char *name, bs_id y, int hidden);
};

/* Streams of random numbers, which must not collide. */
enum {
    BS_STREAM_NET = 1000,
    BS_STREAM_ENERGY = 2000,
    BS_STREAM_COST_NET = 3000,
    BS_STREAM_SAMPLE = 4000,
    BS_STREAM_START = 5000
};

bs_output_space bs_output_space_make(bs_graph *g, bs_params *params, const bs_net_spec *spec,
                                     bs_size size, bool gold);
/* Sums a y-shaped value per output: [rows, K, 1]. */
bs_id bs_output_total(bs_output_space *v, bs_id a);
/* For a bs_task_space whose samples are y of zeros and ones. */
bs_id bs_output_truth_energy(bs_output_space *v);
bs_id bs_output_sample_energy(bs_output_space *v, bs_id drawn, int K);
bs_id bs_output_sample_score(bs_output_space *v, bs_id drawn, int K);

/* Its leaves as inputs of a program (a caller's own are in bs_recipe.more), and values for them. */
void bs_output_space_inputs(const bs_output_space *v, bs_recipe *r);
void bs_batch_bind(const bs_batch *b, bs_entry *e);
/* The same, and the weights of the spec. */
void bs_truth_bind(const bs_net_spec *s, const bs_batch *b, bs_entry *e);

#endif
