/* memory.c -- tags of sentences from memory.
 *
 * Every token is looked up in the model's lexicon. Lengths of sentences and words are rounded up,
 * and each rounded size has a program, made when it is first needed. */
#include <string.h>

#include "api/model.h"
#include "data/scan.h"
#include "data/text/retag.h"
#include "task/tag/data.h"

enum { LONGEST = 1000000 }; /* most tokens in a sentence, as in files */

typedef struct {
    bs_tag_batch   batch;
    bs_tag_decoder decoder;
    int            columns;                    /* columns for which callers supply values */
    int32_t        offset[BS_LEXICON_COLUMNS]; /* offset of a column in the common table */
    int32_t       *letter;                     /* [max_characters] of a word */
} bs_tagger;

/* Of a model, for callers that want spans and texts. */
typedef struct {
    bs_tagset   set;
    bs_retagger written; /* as in the training file */
} tag_names;

/* NULL: the model belongs to another task. */
static const tag_names *names_of(const basin_model *m)
{
    const bool ours = m && m->saved->task->memory && m->saved->task->memory->open == bs_tag_open;
    return ours ? m->own : NULL;
}

/* ---- model ---- */

basin_status bs_tag_open(basin_model *m, basin_error *err)
{
    const bs_tag_known *k = bs_preprocess_tag(&m->saved->known);
    const bs_lexicon   *l = &k->lexicon;
    tag_names          *own = m->own = bs_calloc(1, sizeof *own);
    basin_status        s =
        own ? bs_tagset_make(&l->tags, (bs_scheme)l->scheme, &own->set, err) : bs_fail_nomem(err);
    return s ? s
             : bs_retagger_make(&own->set, &l->tags, (bs_scheme)k->file_scheme, &own->written, err);
}

void bs_tag_close(basin_model *m)
{
    tag_names *own = m->own;
    if (!own)
        return;
    bs_tagset_free(&own->set);
    bs_retagger_free(&own->written);
    bs_free(own);
}

/* Columns of the file come first. */
int basin_model_columns(const basin_model *m)
{
    if (!m || m->saved->task != &bs_task_tag)
        return 0;
    return bs_lexicon_columns(&bs_preprocess_tag(&m->saved->known)->lexicon);
}

const char *basin_model_column(const basin_model *m, int i)
{
    return i >= 0 && i < basin_model_columns(m)
               ? bs_preprocess_tag(&m->saved->known)->lexicon.column_name[i]
               : NULL;
}

/* ---- predictor ---- */

basin_status bs_tag_start(basin_predictor *p, basin_error *err)
{
    const bs_lexicon *l = &bs_preprocess_tag(&p->model->saved->known)->lexicon;
    bs_tagger        *t = p->own = bs_calloc(1, sizeof *t);
    if (!t)
        return bs_fail_nomem(err);
    t->columns = bs_lexicon_columns(l);
    for (int i = 1; i < l->columns; i++)
        t->offset[i] = t->offset[i - 1] + l->value[i - 1].n;
    t->letter = bs_calloc((size_t)l->max_characters + 1, sizeof *t->letter);
    return t->letter ? bs_tag_decoder_make(p->scorer, l, &t->decoder, err) : bs_fail_nomem(err);
}

void bs_tag_stop(basin_predictor *p)
{
    bs_tagger *t = p->own;
    if (!t)
        return;
    bs_tag_batch_free(&t->batch);
    bs_tag_decoder_free(&t->decoder);
    bs_free(t->letter);
    bs_free(t);
}

/* ---- requests ---- */

static basin_status check_columns(const basin_predictor *p, const basin_sentences *x,
                                  basin_error *err)
{
    const bs_tagger *t = p->own;
    const int        needed = t->columns, given = x->columns ? x->columns->n : 0;
    if (given != needed)
        return bs_fail(err, BASIN_EARG,
                       "%d columns of features, but the model was trained with %d; "
                       "basin_model_column names them",
                       given, needed);
    for (int i = 0; i < given; i++)
        if (!x->columns->value || !x->columns->value[i])
            return bs_fail(err, BASIN_EARG, "the values of %s are missing",
                           basin_model_column(p->model, i));
    return BASIN_OK;
}

static bool is_utf8(const char *text)
{
    return bs_is_utf8(text, strlen(text));
}

/* The same tokens are refused in files. */
static basin_status check_token(const basin_sentences *x, int32_t sentence, int32_t token,
                                basin_error *err)
{
    const int at = (int)(token - x->start[sentence]);
    if (!x->tokens[token])
        return bs_fail(err, BASIN_EARG, "sentence %d: token %d is NULL", (int)sentence, at);
    if (!is_utf8(x->tokens[token]))
        return bs_fail(err, BASIN_EDATA, "sentence %d: token %d is not UTF-8 text", (int)sentence,
                       at);
    for (int k = 0; x->columns && k < x->columns->n; k++)
        if (x->columns->value[k][token] && !is_utf8(x->columns->value[k][token]))
            return bs_fail(err, BASIN_EDATA, "sentence %d: a value of token %d is not UTF-8 text",
                           (int)sentence, at);
    return BASIN_OK;
}

static basin_status check_sentences(const basin_predictor *p, const basin_sentences *x,
                                    const int32_t *tags, basin_error *err)
{
    basin_status s = check_columns(p, x, err);
    if (!s && x->sentences < 0)
        s = bs_fail(err, BASIN_EARG, "%d sentences", (int)x->sentences);
    if (!s && x->sentences > 0)
        s = BS_NEED(err, {"start", x->start});
    if (s || x->sentences == 0)
        return s;
    const int32_t falls = x->start[0] < 0 ? 0 : bs_csr_falls(x->start, x->sentences);
    if (falls < x->sentences)
        return bs_fail(err, BASIN_EARG, "sentence %d ends before it starts", (int)falls);
    for (int32_t i = 0; i < x->sentences && !s; i++) {
        const int64_t n = (int64_t)x->start[i + 1] - x->start[i];
        if (n > LONGEST)
            return bs_fail(err, BASIN_EARG, "sentence %d has %lld tokens, more than %d", (int)i,
                           (long long)n, LONGEST);
        if (n > 0)
            s = BS_NEED(err, {"tokens", x->tokens}, {"tags", tags});
        for (int32_t k = x->start[i]; k < x->start[i + 1] && !s; k++)
            s = check_token(x, i, k, err);
    }
    return s;
}

static int32_t length_of(const basin_sentences *x, int32_t sentence)
{
    return x->start[sentence + 1] - x->start[sentence];
}

static bs_size size_of(const basin_predictor *p, const basin_sentences *x, const int32_t *index,
                       int32_t n)
{
    const bs_lexicon *l = &bs_preprocess_tag(&p->model->saved->known)->lexicon;
    const bool        spelled = bs_net_spec_tag(&p->model->saved->spec)->chars != BS_CHARS_NONE;
    bs_size           s = {1, 1, 1};
    for (int32_t i = 0; i < n; i++) {
        const int32_t length = length_of(x, index[i]), first = x->start[index[i]];
        s.length = length > s.length ? length : s.length;
        for (int32_t k = first; k < first + length && spelled; k++) {
            int32_t letters = bs_lexicon_letters(l, x->tokens[k], strlen(x->tokens[k]), NULL);
            s.width = letters > s.width ? letters : s.width;
        }
    }
    s.rows = bs_scorer_padded(n);
    s.length = bs_tag_rounded(s.length);
    s.width = spelled ? (s.width + 7) / 8 * 8 : 1; /* fewer programs than with multiples of 4 */
    return s;
}

static void put_token(const basin_predictor *p, const basin_sentences *x, int32_t token, int row,
                      int t)
{
    const bs_lexicon *l = &bs_preprocess_tag(&p->model->saved->known)->lexicon;
    bs_tagger        *g = p->own;
    const char       *word = x->tokens[token];
    const size_t      len = strlen(word);
    bs_tag_batch_word(&g->batch, row, t, bs_lexicon_word(l, word, len));
    for (int k = 0; k < l->columns; k++) {
        const char *text = k < g->columns ? x->columns->value[k][token] : word;
        int32_t     value = text ? bs_lexicon_value(l, k, text, strlen(text)) : 0;
        bs_tag_batch_value(&g->batch, row, t, k, g->offset[k] + value);
    }
    if (g->batch.shape->chars != BS_CHARS_NONE)
        bs_tag_batch_letters(&g->batch, row, t, g->letter,
                             bs_lexicon_letters(l, word, len, g->letter));
}

static void put_sentence(const basin_predictor *p, const basin_sentences *x, int32_t sentence,
                         int row)
{
    bs_tagger *g = p->own;
    bs_tag_batch_sentence(&g->batch, row, length_of(x, sentence));
    for (int32_t t = 0; t < length_of(x, sentence); t++)
        put_token(p, x, x->start[sentence] + t, row, t);
}

/* A batch with room for so many rows of the lengths of these sentences. */
static basin_status begin_batch(const basin_predictor *p, const basin_sentences *x,
                                const int32_t *index, int32_t n, int rows, basin_error *err)
{
    bs_tagger *g = p->own;
    bs_size    size = size_of(p, x, index, n);
    size.rows = rows > 0 ? rows : size.rows;
    basin_status s = bs_tag_batch_reserve(&g->batch, bs_net_spec_tag(&p->model->saved->spec),
                                          (size_t)size.rows * (size_t)size.length,
                                          (size_t)size.rows, (size_t)size.width, false, err);
    if (!s)
        bs_tag_batch_begin(&g->batch, size);
    return s;
}

typedef struct {
    const basin_predictor *p;
    const basin_sentences *x;
} repeating;

static basin_status repeated(void *ctx, int32_t sentence, int rows, const bs_batch **out,
                             basin_error *err)
{
    const repeating *w = ctx;
    bs_tagger       *g = w->p->own;
    basin_status     s = begin_batch(w->p, w->x, &sentence, 1, rows, err);
    for (int i = 0; i < rows && !s; i++)
        put_sentence(w->p, w->x, sentence, i);
    *out = &g->batch.batch;
    return s;
}

/* What was asked for: scores of the tags, of all tags, or neither. */
typedef struct {
    int32_t *tags;
    float   *scores, *all;
} wanted;

/* Sentences index[0 .. n), which fit into a batch. */
static basin_status tag_batch(basin_predictor *p, const basin_sentences *x, const int32_t *index,
                              int32_t n, const wanted *to, basin_error *err)
{
    bs_tagger          *g = p->own;
    const bs_tag_shape *shape = bs_net_spec_tag(&p->model->saved->spec);
    bs_scored           found;
    basin_status        s = begin_batch(p, x, index, n, 0, err);
    if (s)
        return s;
    const bs_size size = g->batch.batch.size;
    for (int32_t i = 0; i < n; i++)
        put_sentence(p, x, index[i], i);
    s = bs_scorer_batch(p->scorer, &g->batch.batch, &found, err);
    for (int32_t i = 0; i < n && !s; i++) {
        const int32_t first = x->start[index[i]];
        const size_t  at = (size_t)i * (size_t)size.length * (size_t)shape->tags;
        const size_t  parts = (size_t)length_of(x, index[i]) * (size_t)shape->tags;
        s = bs_scored_check(&found, (size_t)i, at, parts, "sentence", index[i], err);
        if (!s)
            s = bs_tag_decide(&g->decoder, &found, at, length_of(x, index[i]), to->tags + first,
                              to->scores ? to->scores + first : NULL, err);
        float *all = to->all ? to->all + (size_t)first * (size_t)shape->tags : NULL;
        for (size_t k = 0; k < parts && !s && all; k++)
            all[k] = (float)found.y[at + k];
        if (!s && all)
            bs_scores_inside(all, parts);
    }
    repeating again = {p, x};
    if (!s && g->decoder.sampler)
        s = bs_tag_decide_all(g->decoder.sampler, &(bs_tag_repeat){&again, repeated}, found.y,
                              (size_t)size.length * (size_t)shape->tags, x->start, index, n, 0,
                              to->tags, to->scores, err);
    for (int32_t i = 0; i < n && !s && to->scores; i++)
        bs_scores_inside(to->scores + x->start[index[i]], (size_t)length_of(x, index[i]));
    return s;
}

static basin_status predict_all(basin_predictor *p, const bs_task_memory *needed,
                                const basin_sentences *x, const wanted *to, basin_error *err)
{
    basin_status s = BS_NEED(err, {"predictor", p}, {"sentences", x});
    if (!s)
        s = bs_task_memory_check(p->model, needed, err);
    if (!s)
        s = check_sentences(p, x, to->tags, err);
    if (s || x->sentences == 0)
        return s;
    if (x->sentences == 1)
        return tag_batch(p, x, &(int32_t){0}, 1, to, err);
    int32_t *order = bs_calloc((size_t)x->sentences, sizeof *order);
    s = order ? bs_by_length(x->start, x->sentences, order, err) : bs_fail_nomem(err);
    for (int32_t at = 0, n = 0; at < x->sentences && !s; at += n) {
        n = bs_tag_fitting(x->start, order + at, x->sentences - at, BS_TAG_SENTENCES);
        s = tag_batch(p, x, order + at, n, to, err);
    }
    bs_free(order);
    return s;
}

basin_status bs_tag_predict_sentences(basin_predictor *p, const bs_task_memory *needed,
                                      const basin_sentences *x, int32_t *tags, float *scores,
                                      basin_error *err)
{
    return predict_all(p, needed, x, &(wanted){tags, scores, NULL}, err);
}

basin_status basin_predict_sentences(basin_predictor *p, const basin_sentences *x, int32_t *tags,
                                     float *scores, basin_error *err)
{
    BS_KEEP_ERRNO;
    return bs_tag_predict_sentences(p, &bs_task_memory_tag, x, tags, scores, err);
}

basin_status basin_predict_marginals(basin_predictor *p, const basin_sentences *x, int32_t *tags,
                                     float *marginals, basin_error *err)
{
    BS_KEEP_ERRNO;
    return predict_all(p, &bs_task_memory_tag, x, &(wanted){tags, NULL, marginals}, err);
}

basin_status basin_predict_tokens(basin_predictor *p, const char *const *tokens, int32_t n,
                                  const basin_token_columns *columns, int32_t *tags, float *scores,
                                  basin_error *err)
{
    BS_KEEP_ERRNO;
    const int32_t   start_of[2] = {0, n};
    basin_sentences x = {1, start_of, tokens, columns};
    return basin_predict_sentences(p, &x, tags, scores, err);
}

basin_status basin_data_tagged(const basin_tagged *sentences, basin_data **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    return bs_data_new(&bs_task_tag, "basin_tagged", sentences, sizeof *sentences, out, err);
}

/* Tags of a sentence that a caller hands back, and where to write. */
static basin_status check_tags(const basin_model *m, const int32_t *tags, int32_t n,
                               const void *out, basin_error *err)
{
    basin_status s = n > 0 ? BS_NEED(err, {"tags", tags}, {"out", out}) : BASIN_OK;
    if (!s && !names_of(m))
        s = bs_task_memory_check(m, &bs_task_memory_tag, err);
    for (int32_t i = 0; i < n && !s; i++)
        if (tags[i] < 0 || tags[i] >= names_of(m)->set.n)
            s = bs_fail(err, BASIN_EARG, "token %d: %d is not the number of a tag, 0..%d", (int)i,
                        (int)tags[i], (int)names_of(m)->set.n - 1);
    return s;
}

basin_status basin_tag_texts(const basin_model *m, const int32_t *tags, int32_t n, const char **out,
                             basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = BS_NEED(err, {"model", m});
    if (!s)
        s = check_tags(m, tags, n, out, err);
    return s || n <= 0 ? s : bs_retagger_texts(&names_of(m)->written, tags, n, out, err);
}

basin_status basin_spans(const basin_model *m, const int32_t *tags, int32_t n, basin_span *out,
                         int32_t *n_out, basin_error *err)
{
    BS_KEEP_ERRNO;
    int64_t      repaired = 0;
    basin_status s = BS_NEED(err, {"model", m}, {"n_out", n_out});
    if (n_out)
        *n_out = 0;
    if (!s)
        s = check_tags(m, tags, n, out, err);
    if (s || n <= 0)
        return s;
    const bs_tagset *set = &names_of(m)->set;
    bs_span         *span = bs_calloc((size_t)n, sizeof *span);
    if (!span)
        return bs_fail_nomem(err);
    *n_out = bs_spans(set, tags, n, span, &repaired);
    for (int32_t i = 0; i < *n_out; i++)
        out[i] = (basin_span){span[i].first, span[i].end, set->types.item[span[i].type].text};
    bs_free(span);
    return BASIN_OK;
}

static int32_t rows(const void *given)
{
    return ((const basin_tagged *)given)->x.sentences;
}

const bs_task_memory bs_task_memory_tag = {.what = "sentences",
                                           .function = "basin_predict_tokens",
                                           .rows = rows,
                                           .open = bs_tag_open,
                                           .close = bs_tag_close,
                                           .start = bs_tag_start,
                                           .stop = bs_tag_stop};
