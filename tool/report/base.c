/* base.c -- baselines: what can be had without a net, on the rows of the report.
 *
 * A score means little without knowing what the most frequent labels get, or a linear model. Both
 * learn from the training rows and, where decisions have a threshold, choose it on the validation
 * rows like the model did. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tasks/mlc/logistic.h"
#include "task/tag/data.h"
#include "task/mlc/data.h"
#include "task/seg/data.h"

static const double level = 0.95;

enum { SIDE = 64, PHOTOS = 2000 /* of the mean mask */ };

/* What baselines learn from. */
typedef struct {
    const bs_known *known;
    const bs_part  *train, *valid;
    int             threads;
    int             which;
    bs_logistic    *linear; /* for label sets */
} teacher;

/* ---- label sets ---- */

static basin_status frequencies(const teacher *t, const bs_part *p, bs_outputs *y, basin_error *err)
{
    const bs_csr *gold = &bs_part_mlc(t->train)->y;
    const size_t  L = (size_t)bs_known_mlc(t->known)->schema.n_labels;
    float        *share = bs_calloc(L + 1, sizeof *share);
    if (!share)
        return bs_fail_nomem(err);
    for (int32_t e = 0; e < gold->start[gold->rows]; e++)
        share[gold->index[e]] += 1;
    for (size_t l = 0; l < L; l++)
        share[l] /= (float)gold->rows;
    for (int32_t r = 0; r < p->rows; r++)
        memcpy(y->scores + (size_t)r * L, share, L * sizeof *share);
    bs_free(share);
    return BASIN_OK;
}

/* ---- tags ---- */

/* The most frequent tag of each word in the training data; and the most frequent of all. */
static int32_t commonest(const uint64_t *pair, size_t n, int32_t *of_word)
{
    int64_t most = 0;
    int32_t best = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && pair[end] == pair[i])
            end++;
        const int32_t word = (int32_t)(pair[i] >> 32), tag = (int32_t)(pair[i] & UINT32_MAX);
        if ((int64_t)(end - i) > most) {
            most = (int64_t)(end - i);
            best = tag;
        }
        if (end == n || (int32_t)(pair[end] >> 32) != word) {
            if (of_word)
                of_word[word] = best;
            most = 0;
        }
        i = end;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Pairs of word and tag in labelled sentences, or of nothing and tag; sorted. */
static size_t sorted_pairs(const teacher *t, const int32_t *tag, bool words, uint64_t *pair)
{
    const bs_corpus *c = bs_part_tag(t->train);
    const int32_t    end = c->start[c->sentences - t->train->unlabelled];
    size_t           n = 0;
    for (int32_t i = 0; i < end; i++)
        if (c->tag[i] >= 0 && tag[c->tag[i]] >= 0)
            pair[n++] =
                (uint64_t)(words ? c->word[i] : 0) << 32 | (uint64_t)(uint32_t)tag[c->tag[i]];
    qsort(pair, n, sizeof *pair, ascending);
    return n;
}

static basin_status commonest_tags(const teacher *t, const bs_part *p, bs_outputs *y,
                                   basin_error *err)
{
    const bs_corpus *c = bs_part_tag(t->train), *to = bs_part_tag(p);
    int32_t         *tag = bs_calloc((size_t)c->tags.n + 1, sizeof *tag);
    int32_t         *word = bs_calloc((size_t)c->words.n + 1, sizeof *word);
    int32_t         *mine = bs_calloc((size_t)to->words.n + 1, sizeof *mine);
    uint64_t        *pair = bs_calloc((size_t)c->tokens + 1, sizeof *pair);
    const bool       ok = tag && word && mine && pair;
    if (ok) {
        bs_lexicon_tags(&bs_known_tag(t->known)->lexicon, &c->tags, tag);
        const int32_t best = commonest(pair, sorted_pairs(t, tag, false, pair), NULL);
        for (int32_t i = 0; i < c->words.n; i++)
            word[i] = best;
        if (t->which == BS_BASE_SIMPLE)
            commonest(pair, sorted_pairs(t, tag, true, pair), word);
        for (int32_t i = 0; i < to->words.n; i++) {
            const int32_t at =
                bs_names_find(&c->words, to->words.item[i].text, to->words.item[i].len);
            mine[i] = at < 0 ? best : word[at];
        }
        for (int32_t i = 0; i < to->tokens; i++)
            bs_outputs_tag(y)->tag[i] = mine[to->word[i]];
    }
    bs_free(tag);
    bs_free(word);
    bs_free(mine);
    bs_free(pair);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

/* ---- masks ---- */

/* Masks of any size are sampled at SIDE x SIDE points. */
static size_t point_of(int cell, int width, int height)
{
    const int64_t x = (2 * (cell % SIDE) + 1) * (int64_t)width / (2 * SIDE);
    const int64_t y = (2 * (cell / SIDE) + 1) * (int64_t)height / (2 * SIDE);
    return (size_t)(y * width + x);
}

static const uint8_t *mask_of(const bs_images *im, int32_t i)
{
    return im->full_mask[i] ? im->full_mask[i] : im->mask[i];
}

/* share [classes, SIDE * SIDE] of the training photos. */
static void mean_mask(const bs_images *im, int classes, float *share)
{
    const int32_t n = im->n < PHOTOS ? im->n : PHOTOS;
    for (int cell = 0; cell < SIDE * SIDE; cell++) {
        float all = 0;
        for (int32_t i = 0; i < n; i++) {
            const uint8_t *m = mask_of(im, i);
            const int v = m ? m[point_of(cell, im->mask_width[i], im->mask_height[i])] : BS_IGNORE;
            if (v >= classes)
                continue;
            share[v * SIDE * SIDE + cell] += 1;
            all += 1;
        }
        for (int k = 0; k < classes && all > 0; k++)
            share[k * SIDE * SIDE + cell] /= all;
    }
}

/* Mean IoU of the training photos, if the foreground is where it occurs in more than this share. */
static double iou_at(const bs_images *im, const float *share, float cut)
{
    const int32_t n = im->n < PHOTOS ? im->n : PHOTOS;
    double        sum = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint8_t *m = mask_of(im, i);
        int            both = 0, either = 0;
        for (int cell = 0; m && cell < SIDE * SIDE; cell++) {
            const int v = m[point_of(cell, im->mask_width[i], im->mask_height[i])];
            if (v == BS_IGNORE)
                continue;
            both += v == 1 && share[cell] >= cut;
            either += v == 1 || share[cell] >= cut;
        }
        sum += either > 0 ? (double)both / either : 1;
    }
    return sum;
}

/* Two classes: the threshold that does best on the training photos. */
static float best_cut(const bs_images *im, const float *share)
{
    double most = -1;
    float  best = 0.5f;
    for (int i = 1; i < 20; i++) {
        const double iou = iou_at(im, share, (float)i / 20);
        if (iou > most) {
            most = iou;
            best = (float)i / 20;
        }
    }
    return best;
}

static basin_status mean_masks(const teacher *t, const bs_part *p, bs_outputs *y, basin_error *err)
{
    const int    classes = bs_known_seg(t->known)->classes, planes = classes == 2 ? 1 : classes;
    float       *share = bs_calloc((size_t)classes * SIDE * SIDE, sizeof *share);
    const float *shown = share ? share + (classes == 2 ? SIDE * SIDE : 0) : NULL;
    if (!share)
        return bs_fail_nomem(err);
    mean_mask(bs_part_seg(t->train), classes, share);
    /* decisions are made at 0.5 */
    const float shift = classes == 2 ? 0.5f - best_cut(bs_part_seg(t->train), shown) : 0;
    for (int32_t i = 0; i < bs_part_seg(p)->n; i++) {
        const int W = bs_part_seg(p)->mask_width[i], H = bs_part_seg(p)->mask_height[i];
        float    *to = y->scores + bs_starts_seg(y)[i];
        for (int k = 0; k < planes; k++)
            for (int at = 0; at < W * H; at++) {
                const int cell = (int)((int64_t)(at / W) * SIDE / H) * SIDE +
                                 (int)((int64_t)(at % W) * SIDE / W);
                *to++ = fminf(fmaxf(shown[k * SIDE * SIDE + cell] + shift, 0), 1);
            }
    }
    bs_free(share);
    return BASIN_OK;
}

/* ---- all tasks ---- */

static const char *name_of(const bs_task *k, int which)
{
    static const char *const name[][BS_BASES] = {
        {"always the commonest labels", "a linear model", "a linear model of half the rows"},
        {"always the commonest tag", "each word's commonest tag", NULL},
        {"the mean mask of the training photos", NULL, NULL}};
    static const char *const task[] = {"mlc", "tag", "seg"};
    for (int i = 0; i < 3; i++)
        if (strcmp(k->name, task[i]) == 0)
            return name[i][which];
    return NULL;
}

/* Whether there is something to predict with; label sets need a linear model. */
static basin_status learn(teacher *t, bool *out, basin_error *err)
{
    const bool linear = bs_part_mlc(t->train) && t->which != BS_BASE_TRIVIAL;
    *out = true;
    if (!linear)
        return BASIN_OK;
    basin_status s = bs_logistic_fit(
        bs_part_mlc(t->train), bs_part_mlc(t->valid), &bs_known_mlc(t->known)->schema,
        t->which == BS_BASE_HALF ? (t->train->rows + 1) / 2 : 0, t->threads, &t->linear, err);
    *out = t->linear != NULL;
    return s;
}

static basin_status predict(const teacher *t, const bs_part *p, bs_outputs *y, basin_error *err)
{
    basin_status s = p->task->outputs(p, t->known, y, err);
    if (s)
        return s;
    if (bs_part_mlc(p))
        return t->which == BS_BASE_TRIVIAL
                   ? frequencies(t, p, y, err)
                   : bs_logistic_scores(t->linear, bs_part_mlc(p), y->scores, err);
    return bs_part_tag(p) ? commonest_tags(t, p, y, err) : mean_masks(t, p, y, err);
}

static basin_status choose_cut(const teacher *t, const bs_report_group *g, bs_baseline *b,
                               basin_error *err)
{
    const bs_train_options *o = &g->run[g->shown].settings.train;
    bs_outputs              y = {0};
    b->cut = bs_threshold_fixed(0.5f);
    if (!g->task->tunes)
        return BASIN_OK;
    basin_status s = predict(t, t->valid, &y, err);
    if (!s)
        s = g->task->choose(o, t->train, t->valid, &y, &b->cut, err);
    bs_outputs_free(&y);
    return s;
}

static basin_status judge(const bs_report_group *g, bs_baseline *b, basin_error *err)
{
    const bs_report_run *run = &g->run[g->shown];
    bs_counting          how = {.keep_rows = true};
    bs_paired            all[BS_VALUES_MAX];
    int                  cut;
    const int            headline = bs_report_headline(g, &cut);
    bs_sampled_set       one = {&b->source, 1};
    basin_status         s = bs_profile_parse(run->settings.train.profile, &how.profile, err);
    how.want = UINT32_C(1) << headline;
    for (int i = 0; i < BS_SHOWN && g->task->shown[i].heading; i++)
        how.want |= UINT32_C(1) << g->task->shown[i].metric;
    if (!s)
        s = g->task->count(g->part, &run->model->known, &b->y, &b->cut, &how, &b->counts, err);
    if (!s)
        s = g->task->values(&b->counts, b->value, err);
    if (!s)
        s = g->task->sampled(&b->counts, &b->source, err);
    if (!s)
        s = bs_paired_seeds(&one, &g->set[cut], (uint64_t)run->settings.train.seed, g->replicates,
                            level, all, err);
    if (!s)
        b->better = all[headline];
    b->measured = !s;
    return s;
}

static basin_status learn_and_predict(teacher *t, const bs_report_group *g, bs_baseline *b,
                                      bool *there, basin_error *err)
{
    basin_status s = learn(t, there, err);
    if (!s && *there)
        s = choose_cut(t, g, b, err);
    if (!s && *there)
        s = predict(t, g->part, &b->y, err);
    bs_logistic_free(t->linear);
    return s;
}

/* One fold, from the rows of the others. */
static basin_status predict_fold(teacher *t, const bs_report_group *g, int fold, bs_baseline *b,
                                 bool *there, basin_error *err)
{
    bs_part      train, valid;
    bs_outputs   some = {0};
    basin_status s = bs_prepared_fold(g->data, fold, &train, &valid, err);
    if (s)
        return s;
    t->train = &train;
    t->valid = &valid;
    t->linear = NULL;
    s = learn(t, there, err);
    if (!s && *there)
        s = predict(t, &valid, &some, err);
    if (!s && *there)
        g->task->place(g->part, t->known, g->data->fold_start[fold], valid.rows, &some, &b->y);
    bs_logistic_free(t->linear);
    bs_outputs_free(&some);
    bs_part_free(&train);
    bs_part_free(&valid);
    return s;
}

/* For runs with folds that have no other rows: baselines are out of fold, like the model. */
static basin_status predict_folds(teacher *t, const bs_report_group *g, bs_baseline *b, bool *there,
                                  basin_error *err)
{
    const bs_train_options *o = &g->run[g->shown].settings.train;
    basin_status            s = g->task->outputs(g->part, t->known, &b->y, err);
    *there = true;
    for (int k = 0; k < g->data->folds && !s && *there; k++)
        s = predict_fold(t, g, k, b, there, err);
    b->cut = bs_threshold_fixed(0.5f);
    if (!s && *there && g->task->tunes)
        s = g->task->choose(o, &g->data->part[BS_ROLE_TRAIN], g->part, &b->y, &b->cut, err);
    return s;
}

static basin_status one_base(const bs_report *r, bs_report_group *g, int which, basin_error *err)
{
    const bs_prepared *data = g->data;
    bs_baseline       *b = &g->base[which];
    bs_part            fold[2] = {{0}};
    teacher            t = {.known = &g->run[g->shown].model->known,
                            .train = &data->part[BS_ROLE_TRAIN],
                            .valid = &data->part[BS_ROLE_VALID],
                            .threads = r->where.threads,
                            .which = which};
    bool               there = false;
    basin_status       s = BASIN_OK;
    b->name = name_of(g->task, which);
    if (!b->name)
        return BASIN_OK;
    if (data->folds > 1 && g->part != &data->part[BS_ROLE_VALID]) {
        s = bs_prepared_fold(data, 0, &fold[0], &fold[1], err); /* a threshold needs other rows */
        t.train = &fold[0];
        t.valid = &fold[1];
    }
    if (!s && g->part == &data->part[BS_ROLE_VALID] && data->folds > 1)
        s = predict_folds(&t, g, b, &there, err);
    else if (!s)
        s = learn_and_predict(&t, g, b, &there, err);
    if (!s && there)
        s = judge(g, b, err);
    bs_outputs_free(&b->y);
    for (int i = 0; i < 2; i++)
        bs_part_free(&fold[i]);
    return s;
}

/* Changed training rows might include test rows. Sentences without tags, which are not part of the
 * data here, count in the hash of a run. */
static bool same_training_rows(const bs_report_group *g)
{
    const bs_report_run *run = &g->run[0];
    return run->hash[0] == 0 || *run->settings.train.file_unlabelled ||
           run->hash[0] == g->data->part[BS_ROLE_TRAIN].hash;
}

basin_status bs_report_bases(bs_report *r, bs_report_group *g, basin_error *err)
{
    basin_error  why = {0};
    basin_status s = BASIN_OK;
    if (!g->judged || !g->data)
        return BASIN_OK;
    for (int i = 0; i < r->n; i++)
        if (r->group[i].base[BS_BASE_TRIVIAL].name)
            return BASIN_OK;
    if (!same_training_rows(g))
        return BASIN_OK;
    for (int i = 0; i < BS_BASES && !s; i++)
        s = one_base(r, g, i, &why);
    if (s == BASIN_ENOMEM || s == BASIN_EINTERRUPTED)
        return bs_fail(err, s, "%s", why.msg);
    if (s)
        bs_notes_add(&r->left_out, "baselines", "%s: no baselines: %s", g->name, why.msg);
    return BASIN_OK;
}

void bs_report_bases_free(bs_report_group *g)
{
    for (int i = 0; i < BS_BASES; i++) {
        bs_baseline *b = &g->base[i];
        if (b->counts.task)
            b->counts.task->counts_free(&b->counts);
        bs_threshold_free(&b->cut);
        bs_outputs_free(&b->y);
    }
    bs_outputs_free(&g->valid_y);
}
