/* steps.c -- scores and energies of a search of the energy by its number of steps.
 *
 * The search runs once. Its outputs after each number of steps are then replayed through the task's
 * own prediction, so that they are decided and counted as in `basin eval`. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"

/* The deciding score of the model. */
static basin_status measure(const bs_explanation *e, const bs_dataset *p, const bs_outputs *y,
                            double *score, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_counting          how = {.want = 1u << m->known.deciding};
    double               value[BS_MOST_METRICS];
    basin_status         s = bs_profile_parse(m->settings.train.profile, &how.profile, err);
    if (!s)
        s = bs_task_measure(p, &m->known, y, &m->threshold, &how, value, err);
    if (!s)
        *score = value[m->known.deciding];
    return s;
}

/* Every step, or in a long search every second, third ...; always the last. */
static void choose_points(bs_inference *how)
{
    const int steps = how->gbi.steps;
    const int every = (steps + BS_SCORE_POINTS - 2) / (BS_SCORE_POINTS - 1);
    for (int t = 0; t < steps; t += every)
        how->step[how->points++] = t;
    how->step[how->points++] = steps;
}

static basin_status run_scorer(const bs_explanation *e, const bs_dataset *p, bs_scorer *scorer,
                               bs_outputs *y, basin_error *err)
{
    return e->m->task->predict(scorer, &e->m->spec, &e->known, p, y, err);
}

static basin_status replay(bs_explanation *e, const bs_dataset *p, bs_scorer *scorer,
                           const bs_inference *how, bs_outputs *y, bs_explained_search *out,
                           basin_error *err)
{
    basin_status s = run_scorer(e, p, scorer, y, err);
    for (int i = 0; i < how->points && !s; i++) {
        bs_scorer_replay(scorer, i);
        s = run_scorer(e, p, scorer, y, err);
        if (!s)
            s = measure(e, p, y, &out->score[i], err);
        out->step[i] = how->step[i];
        for (int32_t r = 0; r < p->rows && !s; r++)
            out->energy[i] += (double)y->energy[r] / p->rows;
        if (!s)
            s = bs_task_go_on(e->stop, err);
    }
    out->n = how->points;
    return s;
}

/* A scorer, outputs with room for energies, and how they are used. */
static basin_status search(bs_explanation *e, const bs_dataset *p, bs_inference *how,
                           bs_explained_search *out, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_scorer           *scorer = NULL;
    bs_outputs           y = {0};
    how->energies = true;
    choose_points(how);
    basin_status s = m->task->outputs(p, &m->known, &y, err);
    if (!s && !(y.energy = bs_calloc((size_t)p->rows + 1, sizeof *y.energy)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_scorer_new(e->w, m->params, &m->spec, how, &scorer, err);
    if (!s)
        s = replay(e, p, scorer, how, &y, out, err);
    bs_scorer_free(scorer);
    bs_outputs_free(&y);
    return s;
}

static basin_status predict(bs_explanation *e, const bs_dataset *p, const bs_inference *how,
                            bs_outputs *out, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_scorer           *scorer = NULL;
    basin_status         s = m->task->outputs(p, &m->known, out, err);
    if (!s)
        s = bs_scorer_new(e->w, m->params, &m->spec, how, &scorer, err);
    if (!s)
        s = run_scorer(e, p, scorer, out, err);
    bs_scorer_free(scorer);
    return s;
}

basin_status bs_explain_predict(bs_explanation *e, const bs_dataset *p, bs_outputs *out,
                                basin_error *err)
{
    bs_inference how;
    basin_status s = bs_model_file_inference(e->m, NULL, false, &how, err);
    return s ? s : predict(e, p, &how, out, err);
}

/* What the model gets without a search. */
static basin_status direct(bs_explanation *e, const bs_dataset *p, const bs_inference *how,
                           double *score, basin_error *err)
{
    bs_outputs   y = {0};
    basin_status s = predict(e, p, how, &y, err);
    if (!s)
        s = measure(e, p, &y, score, err);
    bs_outputs_free(&y);
    return s;
}

basin_status bs_explain_nets(bs_explanation *e, basin_error *err)
{
    bs_inference how;
    if (!e->m->has_cost_net)
        return BASIN_OK;
    basin_status s = bs_model_file_inference(e->m, "net", false, &how, err);
    if (!s)
        s = direct(e, &e->data, &how, &e->net, err);
    how = bs_options_inference(&e->m->settings.train, "cost"); /* sees the truth: not in `eval` */
    return s ? s : direct(e, &e->data, &how, &e->cost_net, err);
}

basin_status bs_explain_steps(bs_explanation *e, const bs_dataset *p, bs_explained_steps *out,
                              basin_error *err)
{
    static const char *const starts[] = {"zeros", "uniform", "random", "net"};
    static const char *const names[BS_EXPLAIN_SEARCHES] = {"gbi", "refine"};
    const bs_model_file     *m = e->m;
    basin_status             s = BASIN_OK;
    bs_inference             how;
    out->score = NAN;
    out->direct = m->has_net                                        ? "net"
                  : strcmp(m->settings.train.infer, "viterbi") == 0 ? "viterbi"
                                                                    : NULL;
    if (out->direct)
        s = bs_model_file_inference(m, out->direct, false, &how, err);
    if (out->direct && !s)
        s = direct(e, p, &how, &out->score, err);
    for (int i = 0; i < BS_EXPLAIN_SEARCHES && !s; i++) {
        const bool from_net = i == 1;
        how = bs_options_inference(&m->settings.train, names[i]);
        /* gbi from the net is the same as refine */
        if (from_net ? !m->has_net : how.gbi.start == BS_GBI_NET)
            continue;
        if ((s = bs_model_file_check(m, &how, err)))
            break;
        bs_explained_search *found = &out->search[out->n++];
        *found = (bs_explained_search){.name = names[i],
                                       .start = from_net ? "net" : starts[how.gbi.start]};
        s = search(e, p, &how, found, err);
    }
    return s;
}
