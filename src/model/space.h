/* space.h -- the two spaces in which relaxed outputs live, each operation written once.
 *
 * A box, [0,1]^n, relaxes n independent yes-or-no decisions: labels of a set, pixels of two
 * classes. A simplex relaxes one choice among several: numbers along one axis that are not negative
 * and sum to 1, such as the tags of a token or the classes of a pixel. Tasks define how outputs are
 * laid out and which parts are padding; everything here works on values of any shape. What a task
 * sums (entropy, costs, log-probabilities) is returned element by element, so that the task can
 * leave out padding. */
#ifndef BS_SPACE_H
#define BS_SPACE_H

#include "graph/graph.h"

/* Logits of relaxed outputs, finite even at the corners: |z| <= 16.6 for a box. */
bs_id bs_box_unrelax(bs_graph *g, bs_id y);
bs_id bs_simplex_unrelax(bs_graph *g, bs_id y);

/* The relaxed output nearest to any numbers. */
bs_id bs_box_project(bs_graph *g, bs_id y);
bs_id bs_simplex_project(bs_graph *g, bs_id y, int axis);

/* Uniform over the space. */
bs_id bs_simplex_random(bs_graph *g, bs_shape s, int axis, uint32_t stream);

/* The negative entropy of the distribution given by y. */
bs_id bs_box_neg_entropy(bs_graph *g, bs_id y);
bs_id bs_simplex_neg_entropy(bs_graph *g, bs_id y);

/* A corner, drawn from the softmax of the logits using uniform numbers in [0,1). */
bs_id bs_simplex_sample(bs_graph *g, bs_id logits, bs_id uniform, int axis);

/* |y - gold| for gold at a corner. It is linear in y there, so it is differentiable everywhere. */
bs_id bs_space_l1(bs_graph *g, bs_id y, bs_id gold);

#endif
