/* analysis.h -- what the passes of the planner know about each node. */
#ifndef BS_ANALYSIS_H
#define BS_ANALYSIS_H

#include "plan/plan.h"

typedef struct {
    bool    live;    /* some result needs it */
    bool    result;  /* it is a result */
    bool    kept;    /* the turns of a loop read it repeatedly: it never dies */
    bool    made;    /* a step writes it: not folded into a group, a view or an accumulation */
    int32_t uses;    /* uses by live nodes, counted per operand */
    bs_id   group;   /* root of the fused group it belongs to; 0 = none */
    bs_id   first;   /* of a root: its first member */
    bs_id   next;    /* of a member: the next one, in id order */
    bs_id   product; /* an add that accumulates: the product whose kernel does it */
    bs_id   store;   /* the node whose storage holds the value */
    int64_t offset;  /* bytes into that storage */
} bs_fact;

struct bs_analysis {
    const bs_graph  *g;
    const bs_result *results;
    int              n_results, n;
    unsigned         flags;
    bs_fact         *fact; /* [n], by id */
    bs_arena        *arena;
};

void bs_find_live(bs_analysis *a);
void bs_find_accumulations(bs_analysis *a);
bool bs_find_groups(bs_analysis *a); /* false when memory runs out */
void bs_find_stores(bs_analysis *a);

/* Fused elementwise work, or a generated value that is needed in memory. */
bool bs_is_group_root(const bs_analysis *a, bs_id id);

/* Operands and micro-operations of the group with this root; false when memory runs out. */
bool bs_build_group(bs_analysis *a, bs_id root, bs_step *step, bs_id operand_ids[]);

/* Gives every store a place in the arena; of the steps only the locations may be missing. False
 * when memory runs out. */
bool bs_assign_slots(bs_analysis *a, bs_plan *p, bs_id *step_store, bs_id **operand_ids,
                     bs_loc *place);

#endif
