/* words.c -- which words of documents move a model of label sets: a word is left out of a document,
 * and the labels whose logits change are those that it speaks for.
 *
 * Some documents of the validation rows are examined, and of each those n-grams that weigh most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/mlc/report.h"
#include "base/order.h"
#include "base/utf8.h"
#include "task/mlc/data.h"

enum {
    DOCUMENTS = 120,
    MOST = 40,      /* n-grams of a document */
    SHOWN = 6,      /* words of a label */
    LABELS = 60,    /* of the table */
    EXAMPLES = 12,  /* documents shown */
    EXCERPT = 240,  /* bytes of them */
    CELLS = 1 << 24 /* of sums: words times labels */
};

static const double least_change = 0.1; /* of a logit, to be shown */

typedef struct {
    const bs_report_group *g;
    bs_model_file          own;
    bs_rows                data;
    int32_t                first, L; /* first n-gram among the features */
    int32_t                n, row[DOCUMENTS];
    int32_t               *slot; /* [n-grams] number among those seen, or -1 */
    int32_t               *gram; /* of a slot */
    int32_t                slots;
    double                *sum; /* [slots, L] changes of logits */

    /* a document, and copies that lack one n-gram each */
    int32_t  lacks[MOST], copies;
    int32_t  start[MOST + 2];
    int32_t *index;
    float   *value, *scores;
    bs_buf   example[EXAMPLES];
} study;

static const char *name_of(const study *t, int32_t gram)
{
    return bs_preprocess_mlc(&t->own.known)->ngrams.name[gram];
}

/* ---- one document ---- */

/* The entries of its heaviest n-grams. */
static basin_status choose(study *t, int32_t row, basin_error *err)
{
    const bs_csr *x = &t->data.x;
    const int32_t from = x->start[row], to = x->start[row + 1];
    bs_ranked    *r = bs_alloc(((size_t)(to - from) + 1) * sizeof *r);
    size_t        n = 0;
    if (!r)
        return bs_fail_nomem(err);
    for (int32_t e = from; e < to; e++)
        if (x->index[e] >= t->first)
            r[n++] = (bs_ranked){e, (double)x->value[e]};
    if (n > 1)
        qsort(r, n, sizeof *r, bs_heaviest_first);
    t->copies = n < MOST ? (int32_t)n : MOST;
    for (int32_t i = 0; i < t->copies; i++)
        t->lacks[i] = (int32_t)r[i].which;
    bs_free(r);
    return BASIN_OK;
}

static basin_status copy_rows(study *t, int32_t row, basin_error *err)
{
    const bs_csr *x = &t->data.x;
    const int32_t from = x->start[row], to = x->start[row + 1];
    const size_t  room = (size_t)(to - from + 1) * (size_t)(t->copies + 1);
    int32_t       at = 0;
    bs_free(t->index);
    bs_free(t->value);
    t->index = bs_alloc(room * sizeof *t->index);
    t->value = bs_alloc(room * sizeof *t->value);
    if (!t->index || !t->value)
        return bs_fail_nomem(err);
    t->start[0] = 0;
    for (int32_t i = 0; i <= t->copies; i++) { /* the last one is whole */
        for (int32_t e = from; e < to; e++) {
            if (i < t->copies && e == t->lacks[i])
                continue;
            t->index[at] = x->index[e];
            t->value[at++] = x->value[e];
        }
        t->start[i + 1] = at;
    }
    return BASIN_OK;
}

static basin_status predict(study *t, basin_error *err)
{
    const int32_t n = t->copies + 1;
    double        seconds;
    bs_rows       d = t->data;
    bs_outputs    y = {.scores = t->scores};
    d.rows = n;
    d.x = (bs_csr){n, t->data.x.cols, t->start, t->index, t->value};
    const bs_dataset part = {.task = t->g->task, .rows = n, .own = &d};
    return bs_model_predict(&t->own, &part,
                            &(bs_asked){.decide = "threshold", .where = t->g->where}, &y, &seconds,
                            err);
}

static double logit(float p)
{
    return log((double)p) - log1p(-(double)p);
}

/* How much the logit of a label falls when an n-gram is left out. */
static double change_of(const study *t, int32_t copy, int32_t label)
{
    const float *whole = t->scores + (size_t)t->copies * (size_t)t->L;
    return logit(whole[label]) - logit(t->scores[(size_t)copy * (size_t)t->L + (size_t)label]);
}

static void add_up(study *t)
{
    for (int32_t i = 0; i < t->copies; i++) {
        const int32_t gram = t->data.x.index[t->lacks[i]] - t->first;
        if (t->slot[gram] < 0 && (int64_t)(t->slots + 1) * t->L > CELLS)
            continue;
        if (t->slot[gram] < 0) {
            t->gram[t->slots] = gram;
            t->slot[gram] = t->slots++;
        }
        double *sum = t->sum + (size_t)t->slot[gram] * (size_t)t->L;
        for (int32_t l = 0; l < t->L; l++)
            sum[l] += change_of(t, i, l);
    }
}

/* "earn: profit +1.2, loss +0.8" for each label that is predicted. */
static void describe(const study *t, bs_buf *out)
{
    const bs_schema *schema = bs_schema_mlc(&t->own.known);
    const float     *whole = t->scores + (size_t)t->copies * (size_t)t->L;
    int32_t         *on = bs_alloc(((size_t)t->L + 1) * sizeof *on);
    const int32_t    n = on ? bs_threshold_apply(&t->own.threshold, whole, t->L, on) : 0;
    out->failed = out->failed || !on;
    for (int32_t k = 0; k < n; k++) {
        bs_ranked r[MOST];
        for (int32_t i = 0; i < t->copies; i++)
            r[i] = (bs_ranked){i, change_of(t, i, on[k])};
        qsort(r, (size_t)t->copies, sizeof *r, bs_heaviest_first);
        bs_buf_printf(out, "%s%s:", k ? "; " : "", schema->label[on[k]]);
        for (int32_t i = 0, m = 0; i < t->copies && m < SHOWN && r[i].weight >= least_change;
             i++, m++) {
            char          number[BS_FIXED_TEXT];
            const int32_t gram = t->data.x.index[t->lacks[r[i].which]] - t->first;
            bs_buf_printf(out, "%s %s +%s", m ? "," : "", name_of(t, gram),
                          bs_fixed(r[i].weight, 1, number));
        }
    }
    bs_free(on);
}

static basin_status examine(study *t, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int32_t i = 0; i < t->n && !s; i++) {
        s = choose(t, t->row[i], err);
        if (s || t->copies == 0)
            continue;
        s = copy_rows(t, t->row[i], err);
        if (!s)
            s = predict(t, err);
        if (s)
            break;
        add_up(t);
        if (i * EXAMPLES / t->n != (i - 1) * EXAMPLES / t->n || i == 0)
            describe(t, &t->example[i * EXAMPLES / t->n]);
    }
    return s;
}

/* ---- tables ---- */

void bs_excerpt(const bs_row_text *text, size_t most, bs_buf *out)
{
    size_t n = text->n < most ? text->n : most;
    while (n < text->n && n > 0 && ((unsigned char)text->bytes[n] & 0xc0) == 0x80)
        n--;
    bs_buf_add(out, text->bytes, n);
    bs_buf_text(out, n < text->n ? " ..." : "");
}

static basin_status draw_labels(const study *t, bs_doc *d, basin_error *err)
{
    static const bs_column column[] = {
        {.name = "label", .text = true, .key = "label"},
        {.name = "words that speak for it, most telling first", .text = true, .key = "words"}};
    bs_ranked *r = bs_alloc(((size_t)t->slots + 1) * sizeof *r);
    bs_buf     text;
    if (!r)
        return bs_fail_nomem(err);
    bs_buf_init(&text, 1 << 16);
    BS_TABLE(d, "telling_words", column, BS_TABLE_SORTED);
    for (int32_t l = 0, rows = 0; l < t->L && rows < LABELS; l++) {
        for (int32_t k = 0; k < t->slots; k++)
            r[k] = (bs_ranked){k, t->sum[(size_t)k * (size_t)t->L + (size_t)l]};
        qsort(r, (size_t)t->slots, sizeof *r, bs_heaviest_first);
        bs_buf_clear(&text);
        for (int32_t k = 0; k < t->slots && k < SHOWN && r[k].weight >= least_change; k++)
            bs_buf_printf(&text, "%s%s", k ? ", " : "", name_of(t, t->gram[r[k].which]));
        if (text.len == 0)
            continue;
        rows++;
        BS_ROW(d, bs_cell_name(bs_schema_mlc(&t->own.known)->label[l]), bs_cell_text(text.data));
    }
    bs_doc_table_end(d);
    const bool ok = !text.failed;
    bs_free(r);
    bs_buf_free(&text);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status draw_examples(const study *t, bs_doc *d, basin_error *err)
{
    static const bs_column column[] = {
        {.name = "document", .text = true, .key = "document"},
        {.name = "words that moved its labels", .text = true, .key = "words"}};
    bs_buf text;
    bs_buf_init(&text, 1 << 16);
    BS_TABLE(d, "documents", column, 0);
    for (int32_t i = 0, last = -1; i < t->n; i++) {
        const int32_t k = i * EXAMPLES / t->n;
        if (k == last || t->example[k].len == 0)
            continue;
        last = k;
        bs_buf_clear(&text);
        bs_excerpt(&t->data.document[t->row[i]], EXCERPT, &text);
        if (!text.failed && !t->example[k].failed)
            BS_ROW(d, bs_cell_text(text.len ? text.data : ""), bs_cell_text(t->example[k].data));
    }
    bs_doc_table_end(d);
    const bool ok = !text.failed;
    bs_buf_free(&text);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

static bool make_room(study *t)
{
    const bs_ngrams *g = &bs_preprocess_mlc(&t->own.known)->ngrams;
    const size_t     most = DOCUMENTS * MOST;
    bs_arena        *room = t->g->room;
    t->slot = bs_arena_alloc(room, ((size_t)g->n + 1) * sizeof *t->slot);
    t->gram = bs_arena_alloc(room, (most + 1) * sizeof *t->gram);
    t->sum = bs_calloc(most * (size_t)t->L < CELLS ? most * (size_t)t->L : CELLS, sizeof *t->sum);
    t->scores = bs_calloc((MOST + 1) * (size_t)t->L, sizeof *t->scores);
    for (int32_t i = 0; t->slot && i < g->n; i++)
        t->slot[i] = -1;
    for (int k = 0; k < EXAMPLES; k++)
        bs_buf_init(&t->example[k], 1 << 16);
    return t->slot && t->gram && t->sum && t->scores;
}

basin_status bs_report_words(const bs_report_group *g, bs_doc *d, basin_error *err)
{
    const bs_model_file *m = g->run[g->shown].model;
    const bs_mlc_known  *k = bs_preprocess_mlc(&m->known);
    study t = {.g = g, .own = *m, .first = k->columns.n_features, .L = k->schema.n_labels};
    if (!g->valid_scores || k->ngrams.n == 0 || strcmp(m->settings.train.infer, "net") != 0)
        return BASIN_OK;
    t.data = *bs_dataset_mlc(&g->data->part[BS_ROLE_VALID]);
    if (g->data->folds > 1) { /* the first fold, and the models that have not seen it */
        t.own.n_more = (1 + m->n_more) / g->data->folds - 1;
        t.data.rows = g->data->fold_start[1];
    }
    t.n = t.data.rows < DOCUMENTS ? t.data.rows : DOCUMENTS;
    for (int32_t i = 0; i < t.n; i++)
        t.row[i] = (int32_t)((int64_t)i * t.data.rows / t.n);
    basin_status s = make_room(&t) ? examine(&t, err) : bs_fail_nomem(err);
    if (!s && t.slots > 0) {
        bs_doc_heading(d, g->level, "Telling words");
        bs_page_say(d->page, "quiet",
                    "One n-gram at a time is left out of %d of the %d validation texts: it speaks "
                    "for the labels whose logits fall. Numbers are these changes.",
                    (int)t.n, (int)t.data.rows);
        s = draw_labels(&t, d, err);
        if (!s)
            s = draw_examples(&t, d, err);
    }
    for (int i = 0; i < EXAMPLES; i++)
        bs_buf_free(&t.example[i]);
    bs_free(t.sum);
    bs_free(t.scores);
    bs_free(t.index);
    bs_free(t.value);
    return s;
}
