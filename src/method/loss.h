/* loss.h -- what nets and energies minimise, as graph nodes; one file per kind.
 *
 * Losses of the energy treat the outputs of nets and searches as constants; losses of the net do
 * the same with the energy's parameters. Each is a mean over the rows of the batch, except for some
 * sums in mode=code. */
#ifndef BS_LOSS_H
#define BS_LOSS_H

#include "method/method.h"

/* --- of the net --- */
bs_id bs_loss_cross_entropy(bs_loss_context *s);
/* ce.weight CE + energy.weight (the energy of its output, by net.loss). */
bs_id bs_loss_net(bs_loss_context *s);
/* InfNet and InfNet+: the margin and perceptron terms of the net's side of the game. */
bs_id bs_loss_infnet(bs_loss_context *s);
bs_id bs_loss_alen_net(bs_loss_context *s);
/* The energy of its output alone. */
bs_id bs_loss_energy(bs_loss_context *s);

/* --- of the energy --- */
bs_id bs_loss_margin_search(bs_loss_context *s); /* SPEN: cost-augmented output by search */
bs_id bs_loss_margin(bs_loss_context *s);        /* the output of the net */
bs_id bs_loss_compound(bs_loss_context *s);      /* InfNet, InfNet+ */
bs_id bs_loss_value_search(bs_loss_context *s);  /* DVN: outputs by search */
bs_id bs_loss_regression(bs_loss_context *s);    /* the output of the net */
bs_id bs_loss_regression_s(bs_loss_context *s);  /* and samples around it */
bs_id bs_loss_nce(bs_loss_context *s);
bs_id bs_loss_ranking(bs_loss_context *s);
bs_id bs_loss_unrolled(bs_loss_context *s);      /* SPEN end to end */
bs_id bs_loss_least_squares(bs_loss_context *s); /* ALEN */
bs_id bs_loss_adversarial(bs_loss_context *s);   /* AEN */

/* --- pieces of them --- */

bs_cost bs_cost_named(const char *name);
bs_id   bs_net_logits(bs_loss_context *s);
bs_id   bs_net_members(
      bs_loss_context *s); /* logits of each member of the net, for losses per member */
bs_id bs_net_output(bs_loss_context *s); /* relaxed */
/* -E, a mean over tokens for tags: the logit of a value [rows, K, 1]; of an output, or its
 * energy. */
bs_id bs_score_of(bs_loss_context *s, bs_id y);
bs_id bs_value_of(bs_loss_context *s, bs_id energy);
/* Cross-entropy of sigmoid(score) against a target in [0,1], by element. */
bs_id bs_value_loss(bs_loss_context *s, bs_id score, bs_id target);
/* Mean over a value per output; for label sets the sum in mode=code. */
bs_id bs_over_batch(bs_loss_context *s, bs_id rows);
/* Mean of the hinge of a margin [rows, 1, 1]; records the share of zeros. */
bs_id bs_hinge(bs_loss_context *s, bs_id margin);
/* -log of the truth's share among itself and K others: scores [rows, 1, 1] and [rows, K, 1]. */
bs_id bs_contrast(bs_loss_context *s, bs_id truth, bs_id others);
/* Adds energy.l2 on the given energies. */
bs_id bs_with_l2(bs_loss_context *s, bs_id loss, bs_id energies);
void  bs_see_energies(bs_loss_context *s, bs_id truth, bs_id output);
void  bs_see_search(bs_loss_context *s, const bs_found *found);

/* The cost-augmented output of InfNet+ (infnet.form). */
bs_id bs_cost_augmented(bs_loss_context *s);
/* Whether that net reads the other one's logits (mode=code of seal-margin-compound). */
bool bs_cost_net_reads_logits(const bs_train_options *o);

/* bs_phase.enter of seal-static-*: a new net for the frozen energy. */
basin_status bs_enter_static(bs_learner *l, basin_error *err);

/* Losses of the energy as functions of y alone, for implicit-*: y may depend on the net. */
bs_id bs_primary_margin(bs_loss_context *s, bs_id y);
bs_id bs_primary_value(bs_loss_context *s, bs_id y);
bs_id bs_primary_divergence(bs_loss_context *s, bs_id logits);

#endif
