/* implicit.h -- training the energy through the net that follows it (Shankar and Piratla 2022).
 *
 * The net theta minimises L_aux(theta, phi) = CE + energy.weight E_phi(x, net(x)), so it is a
 * function of the energy's parameters phi, and the loss L_prim of the energy has the gradient
 *
 *   d_phi L_prim - (d_phi d_theta L_aux) [d2_theta L_aux + damping I]^-1 d_theta L_prim
 *
 * (their eq. 13; eq. 4 has lost the minus). Other methods use only the first part
 * (implicit.solver=none).
 *
 * A method has two stages, L_aux that trains "net/" and L_prim that trains "energy/"; the net's
 * output is not a constant in the latter. */
#ifndef BS_IMPLICIT_H
#define BS_IMPLICIT_H

#include "method/loss.h"

/* bs_method.setup and .free. */
basin_status bs_implicit_setup(bs_learner *l, basin_error *err);
void         bs_implicit_free(bs_learner *l);

/* bs_phase.step: steps.net steps of the net, then one of the energy; steps.energy times. */
basin_status bs_step_implicit(bs_learner *l, const bs_batch *b, basin_error *err);

/* The gradient of one batch in block.grad of "energy/", without a step; L_prim is noted. Every
 * program that it needs sees the same dropout and samples, those of the next step number. */
basin_status bs_implicit_gradient(bs_learner *l, const bs_batch *b, basin_error *err);

/* How l->memory is used. */
enum {
    BS_IMPLICIT_CURVATURE, /* curvature estimate that gives the rate of the series; 0 = none yet */
    BS_IMPLICIT_AGE,       /* gradients since the estimate */
    BS_IMPLICIT_LOWERED,   /* times a rate was too large */
    BS_IMPLICIT_SKIPPED,   /* steps in a row whose implicit term was not finite and left out */
    BS_IMPLICIT_DAMPING    /* what conjugate gradients added to the Hessian last */
};

#endif
