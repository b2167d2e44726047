/* proof.c -- whether an energy has been worth it (energy.proof).
 *
 * There are many epochs with an energy and perhaps few validation rows, so the best of those epochs
 * can beat the earlier net by luck alone. So the two are compared like two systems, on the same
 * rows, resampled many times. */
#include <math.h>

#include "run/trainer.h"

enum { REPLICATES = 1000 };

static basin_status count_rows(const bs_trainer *t, bs_rival r, bs_measurement *out,
                               basin_error *err)
{
    const bs_dataset *p = t->job->valid;
    bs_counting       how = {
              .profile = t->profile, .want = UINT32_C(1) << t->stop_metric, .keep_rows = true};
    return p->task->count(p, t->job->known, r.y, r.threshold, &how, out, err);
}

static basin_status resample(const bs_trainer *t, bs_measurement c[2], double *sure,
                             basin_error *err)
{
    const bs_task *k = t->job->valid->task;
    bs_paired      all[BS_VALUES_MAX];
    bs_sampled     rows[2];
    basin_status   s = k->sampled(&c[0], &rows[0], err);
    if (!s)
        s = k->sampled(&c[1], &rows[1], err);
    if (!s)
        s = bs_paired_bootstrap(&rows[0], &rows[1], (uint64_t)t->o->seed, REPLICATES, 0.95, all,
                                err);
    if (s)
        return s;
    const bs_paired *d = &all[t->stop_metric];
    const double     gain = k->metric[t->stop_metric].higher ? d->difference : -d->difference;
    /* p is two-sided; NaN proves nothing */
    *sure = gain > 0 ? 1 - d->p / 2 : 0;
    return BASIN_OK;
}

basin_status bs_energy_confidence(const bs_trainer *t, bs_rival before, bs_rival after,
                                  double *sure, basin_error *err)
{
    const bs_task *k = t->job->valid->task;
    bs_measurement c[2];
    basin_status   s = count_rows(t, before, &c[0], err);
    if (s)
        return s;
    s = count_rows(t, after, &c[1], err);
    if (!s) {
        s = resample(t, c, sure, err);
        k->counts_free(&c[1]);
    }
    k->counts_free(&c[0]);
    return s;
}
