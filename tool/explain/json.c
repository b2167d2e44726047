/* json.c -- all numbers of an explanation as JSON. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"

enum { SHOWN_PAIRS = 8, SHORT = 1000, DIGITS = 6 /* of numbers in JSON */ };

static void array(const char *name, const double *v, int n, bs_buf *out)
{
    bs_json_open(out, name, '[');
    for (int i = 0; i < n; i++)
        bs_json_short(out, NULL, DIGITS, v[i]);
    bs_json_close(out, ']');
}

/* Four digits are enough; counts stay exact. */
static void matrix(const char *name, const double *v, int rows, int cols, bs_buf *out)
{
    bs_json_open(out, name, '[');
    for (int i = 0; i < rows; i++) {
        bs_json_open(out, NULL, '[');
        for (int j = 0; j < cols; j++) {
            const double x = v[(size_t)i * (size_t)cols + (size_t)j];
            bs_json_short(out, NULL, fabs(x) < SHORT ? 4 : DIGITS, x);
        }
        bs_json_close(out, ']');
    }
    bs_json_close(out, ']');
}

static void agreement(const char *name, const bs_agreement *a, bs_buf *out)
{
    bs_json_open(out, name, '{');
    bs_json_members(out,
                    "pairs %lld spearman %.6g shuffled_mean %.6g shuffled_sd %.6g p %.6g "
                    "shuffles %d",
                    (long long)a->pairs, a->rho, a->mean, a->sd, a->p, a->shuffles);
    bs_json_close(out, '}');
}

static void strongest(const bs_explanation *e, const char *name, bool positive, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    bs_explained_pair         pair[SHOWN_PAIRS];
    const int                 n = bs_explain_strongest(e, positive, SHOWN_PAIRS, pair);
    bs_json_open(out, name, '[');
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)pair[i].i * (size_t)p->n + (size_t)pair[i].j;
        const char  *both[] = {e->name[pair[i].i], e->name[pair[i].j]};
        bs_json_open(out, NULL, '{');
        bs_json_texts(out, "pair", both, 2);
        bs_json_members(out, "interaction %.6g count %.6g expected %.6g", p->interaction[at],
                        p->count[at], p->expected[at]);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
}

static void groups_json(const bs_explained_pairs *p, bs_buf *out)
{
    bs_json_open(out, "by_count", '[');
    for (int i = 0; i < p->groups; i++) {
        const bs_explained_group *g = &p->group[i];
        bs_json_open(out, NULL, '{');
        bs_json_members(out, "least %.0f pairs %lld rank %.6g mean %.6g", g->least,
                        (long long)g->pairs, g->pairs > 0 ? g->rank : (double)NAN,
                        g->pairs > 0 ? g->mean : (double)NAN);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
}

static void pairs_json(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    if (p->n == 0)
        return;
    bs_json_open(out, "interaction", '{');
    bs_json_members(out, "of %s sign %s places %lld",
                    p->ordered ? "tag j after tag i" : "labels i and j",
                    "-d2E: positive where the energy rewards both", (long long)p->places);
    bs_json_bool(out, "differences", p->differences);
    agreement("with_count", &p->with_count, out);
    agreement("with_count_given_expected", &p->given_expected, out);
    agreement("with_information", &p->with_information, out);
    agreement("own_with_information", &p->own_with_information, out);
    groups_json(p, out);
    bs_json_members(out, "moves_local %.6g moves_labels %.6g", p->moves_local, p->moves_shared);
    strongest(e, "rewarded", true, out);
    strongest(e, "punished", false, out);
    matrix("matrix", p->interaction, p->n, p->n, out);
    matrix("own", p->own, p->n, p->n, out);
    matrix("count", p->count, p->n, p->n, out);
    matrix("information", p->information, p->n, p->n, out);
    bs_json_close(out, '}');
}

static void bends_json(const bs_explanation *e, bs_buf *out)
{
    double at[BS_EXPLAIN_POINTS];
    for (int i = 0; i < BS_EXPLAIN_POINTS; i++)
        at[i] = (double)i / (BS_EXPLAIN_POINTS - 1);
    if (e->bends == 0)
        return;
    bs_json_open(out, "gradients", '[');
    for (int i = 0; i < e->bends; i++) {
        const bs_explained_bend *b = &e->bend[i];
        bs_json_open(out, NULL, '{');
        bs_json_members(out, "why %s moves %s label %s", b->what, e->name[b->from], e->name[b->to]);
        array("at", at, BS_EXPLAIN_POINTS, out);
        array("gradient", b->gradient, BS_EXPLAIN_POINTS, out);
        bs_json_short(out, "cross_entropy", DIGITS, b->cross_entropy);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
}

static void steps_json(const bs_explanation *e, const bs_explained_steps *st, bs_buf *out)
{
    bs_json_open(out, "steps", '{');
    bs_json_text(out, "metric", e->m->task->metric[e->m->known.deciding].name);
    if (st->direct)
        bs_json_short(out, st->direct, DIGITS, st->score);
    for (int i = 0; i < st->n; i++) {
        const bs_explained_search *x = &st->search[i];
        bs_json_open(out, x->name, '{');
        bs_json_text(out, "start", x->start);
        bs_json_open(out, "step", '[');
        for (int t = 0; t < x->n; t++)
            bs_json_int(out, NULL, x->step[t]);
        bs_json_close(out, ']');
        array("score", x->score, x->n, out);
        array("energy", x->energy, x->n, out);
        bs_json_close(out, '}');
    }
    bs_json_close(out, '}');
}

static void nets_json(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_nets *x = &e->nets;
    if (isnan(x->net))
        return;
    bs_json_open(out, "nets", '{');
    bs_json_members(out, "metric %s net %.6g cost_augmented %.6g net_right %lld differ %lld",
                    e->m->task->metric[e->m->known.deciding].name, x->net, x->cost,
                    (long long)x->right, (long long)x->differ);
    bs_explain_nets(e, &(bs_doc){.json = out});
    bs_json_close(out, '}');
}

static void image_json(const char *key, const bs_explained_image *im, bs_buf *out)
{
    bs_json_open(out, key, '{');
    bs_json_text(out, "name", im->name);
    matrix("pull", im->pull, im->height, im->width, out);
    bs_json_close(out, '}');
}

static void rings(const char *name, const double *map, bs_buf *out)
{
    double mean[BS_EXPLAIN_REACH];
    bs_explain_rings(map, mean);
    array(name, mean, BS_EXPLAIN_REACH, out);
}

static void images_json(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_pixels *p = &e->pixels;
    if (p->n > 0) {
        bs_json_open(out, "pixels", '{');
        bs_json_members(out, "reach %d pairs %lld", BS_EXPLAIN_REACH, (long long)p->n);
        matrix("interaction", p->interaction, BS_EXPLAIN_SIDE, BS_EXPLAIN_SIDE, out);
        matrix("masks", p->truth, BS_EXPLAIN_SIDE, BS_EXPLAIN_SIDE, out);
        rings("interaction_by_distance", p->interaction, out);
        rings("masks_by_distance", p->truth, out);
        bs_json_close(out, '}');
    }
    if (e->images > 0)
        bs_json_open(out, "images", '[');
    for (int i = 0; i < e->images; i++)
        image_json(NULL, &e->image[i], out);
    if (e->images > 0)
        bs_json_close(out, ']');
}

static void row_json(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_row *r = &e->row;
    if (r->number == 0)
        return;
    bs_json_open(out, "row", '{');
    bs_json_members(out, "number %d text %s energy %.6g energy_truth %.6g", r->number, r->text,
                    r->energy, r->energy_truth);
    bs_explain_terms(e, "terms", r->term, r->n_terms, &(bs_doc){.json = out});
    bs_explain_terms(e, "flips", r->flip, r->n_flips, &(bs_doc){.json = out});
    steps_json(e, &r->steps, out);
    if (e->image[BS_EXPLAIN_IMAGES].width > 0)
        image_json("image", &e->image[BS_EXPLAIN_IMAGES], out);
    bs_json_close(out, '}');
}

void bs_explain_json(const bs_explanation *e, bs_buf *out)
{
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "task %s method %s model %s data %s n %d looked_at %d seconds %.3f",
                    e->m->task->name, e->m->settings.train.method, e->model_name, e->data_name,
                    e->all.rows, e->data.rows, e->seconds);
    bs_json_texts(out, "labels", e->name, e->names);
    pairs_json(e, out);
    bends_json(e, out);
    images_json(e, out);
    steps_json(e, &e->steps, out);
    nets_json(e, out);
    row_json(e, out);
    bs_json_close(out, '}');
}
