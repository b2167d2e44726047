/* write.c -- writes predicted tags: the input plus a column, JSON lines of words or of texts with
 * spans, tables, BRAT folders. */
#include <string.h>

#include "api/predict.h"
#include "data/text/brat.h"
#include "data/text/retag.h"
#include "data/text/tags_out.h"
#include "task/tag/data.h"

typedef struct {
    const bs_corpus      *c;
    const bs_outputs     *y;
    const bs_tag_outputs *own; /* of y */
    bool                  scores, safe;
    bs_tagset             tags;  /* of the model */
    bs_retagged           shown; /* the same tags as they are written */
    bs_retagged          *best;  /* [y->nbest], and the other sequences */
    bs_span              *span;  /* [longest sentence] */
} writer;

enum { DIGITS = 6 }; /* of numbers */

/* ---- the format that is written ---- */

static bool is_format(const basin_predict_options *o, const char *name)
{
    return o->format && strcmp(o->format, name) == 0;
}

/* As the input, or as requested; JSON rows have texts if the input has. */
static const char *format_of(const basin_predict_options *o, const bs_corpus *c)
{
    const bool json = is_format(o, "jsonl");
    if (!json && o->format && strcmp(o->format, "auto") != 0)
        return o->format;
    if (c->first || (c->sentences == 0 && bs_corpus_format_find(c->format)->text))
        return "spans";
    if (json || (c->records && strcmp(c->format, "tokens") == 0))
        return "tokens";
    return c->records && strcmp(c->format, "csv") == 0 ? "csv" : "conll";
}

/* ---- the scheme that is written ---- */

static bool has_spans(const bs_corpus *c)
{
    bool found = false;
    for (int32_t i = 0; i < c->tags.n && !found; i++)
        found = bs_tag_is_span(c->tags.item[i].text);
    return found && c->labelled && !c->mixed && c->file_scheme != BS_SCHEME_RAW;
}

/* The requested scheme, or that of the file's own tags, of the training file, of the model. */
static bs_scheme scheme_of(const bs_model_file *m, const basin_predict_options *o,
                           const bs_corpus *c)
{
    const bs_scheme own = (bs_scheme)bs_preprocess_tag(&m->known)->lexicon.scheme;
    bs_scheme       asked;
    if (own == BS_SCHEME_RAW)
        return own;
    if (o->scheme && bs_scheme_parse(o->scheme, &asked, NULL) == BASIN_OK)
        return asked;
    if (has_spans(c))
        return c->file_scheme;
    return bs_preprocess_tag(&m->known)->file_scheme
               ? (bs_scheme)bs_preprocess_tag(&m->known)->file_scheme
               : own;
}

static void remark(const bs_model_file *m, const basin_predict_options *o, const bs_dataset *data,
                   bs_logger *log)
{
    const bs_corpus *c = bs_dataset_tag(data);
    const bs_scheme  own = (bs_scheme)bs_preprocess_tag(&m->known)->lexicon.scheme,
                    to = scheme_of(m, o, c);
    if (o->constrain && own == BS_SCHEME_RAW)
        bs_log_say(log, BS_INFO,
                   "--constrain: the tags of this model do not describe spans, so nothing can be "
                   "ill-formed");
    if (to != own && !o->scheme && strcmp(format_of(o, c), "spans") != 0)
        bs_log_say(log, BS_INFO,
                   "predicted tags are written as %s, as those of %s; --scheme chooses another, "
                   "such as %s, the model's own",
                   bs_scheme_name(to), has_spans(c) ? c->name : "the training data",
                   bs_scheme_name(own));
}

static basin_status check_scheme(const bs_model_file *m, const char *name, basin_error *err)
{
    bs_scheme asked = BS_SCHEME_RAW;
    if (name && bs_scheme_parse(name, &asked, NULL))
        return bs_fail(err, BASIN_EARG,
                       "--scheme: '%.40s' is not iob1, iob2, ioe1, ioe2, bioes or bilou", name);
    if (name && bs_preprocess_tag(&m->known)->lexicon.scheme == BS_SCHEME_RAW)
        return bs_fail(err, BASIN_EARG,
                       "--scheme: the tags of this model do not describe spans; they are written "
                       "unchanged");
    if (name && asked == BS_SCHEME_RAW)
        return bs_fail(err, BASIN_EARG, "--scheme: raw cannot express spans");
    return BASIN_OK;
}

/* ---- JSON lines ---- */

/* "nbest": [{"tags": [...], "score": 12.5}, ...] */
static void put_best(const writer *w, int32_t sentence, bs_buf *out)
{
    const int32_t first = w->c->start[sentence], end = w->c->start[sentence + 1];
    const double *score = w->own->best_score + (size_t)sentence * (size_t)w->own->nbest;
    bs_json_open(out, "nbest", '[');
    for (int k = 0; k < w->own->best_found[sentence]; k++) {
        bs_json_open(out, NULL, '{');
        bs_json_open(out, "tags", '[');
        for (int32_t i = first; i < end; i++)
            bs_json_text(out, NULL, w->best[k].text[w->best[k].tag[i]]);
        bs_json_close(out, ']');
        bs_json_short(out, "score", DIGITS, score[k]);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
}

/* "spans": [{"type": ..., "start": 0, "end": 2}], in words */
static void put_spans(const writer *w, int32_t first, int32_t n, bs_buf *out)
{
    int64_t       repaired = 0;
    const int32_t spans = bs_spans(&w->tags, w->own->tag + first, n, w->span, &repaired);
    bs_json_open(out, "spans", '[');
    for (int32_t i = 0; i < spans; i++) {
        bs_json_open(out, NULL, '{');
        bs_json_members(out, "type %s start %d end %d", w->tags.types.item[w->span[i].type].text,
                        w->span[i].first, w->span[i].end);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
}

/* "tokens": [...], "tags": [...], "spans": [...], "scores": [...] */
static void put_row(void *to, int32_t sentence, bs_buf *out)
{
    const writer    *w = to;
    const bs_corpus *c = w->c;
    const int32_t    first = c->start[sentence], end = c->start[sentence + 1];
    bs_json_open(out, "tokens", '[');
    for (int32_t i = first; i < end; i++)
        bs_json_text(out, NULL, c->words.item[c->word[i]].text);
    bs_json_close(out, ']');
    bs_json_open(out, "tags", '[');
    for (int32_t i = first; i < end; i++)
        bs_json_text(out, NULL, w->shown.text[w->shown.tag[i]]);
    bs_json_close(out, ']');
    if (w->tags.scheme != BS_SCHEME_RAW)
        put_spans(w, first, end - first, out);
    if (w->own->nbest)
        put_best(w, sentence, out);
    if (w->scores) {
        bs_json_open(out, "scores", '[');
        for (int32_t i = first; i < end; i++)
            bs_json_short(out, NULL, DIGITS, (double)w->y->scores[i]);
        bs_json_close(out, ']');
    }
    if (w->y->energy)
        bs_json_short(out, "energy", DIGITS, (double)w->y->energy[sentence]);
}

double bs_tag_span_score(const bs_outputs *y, int32_t first, const bs_span *s)
{
    float least = 1;
    for (int32_t i = first + s->first; i < first + s->end; i++)
        least = y->scores[i] < least ? y->scores[i] : least;
    return (double)least;
}

/* "scores": [...] of spans, and the energy. */
static void put_more(void *to, const bs_passage *p, bs_buf *out)
{
    const writer    *w = to;
    const bs_corpus *c = w->c;
    int64_t          repaired = 0;
    double           energy = 0;
    if (w->scores)
        bs_json_open(out, "scores", '[');
    for (int32_t s = p->first; s < p->end && w->scores; s++) {
        const int32_t start = c->start[s];
        const int32_t spans =
            bs_spans(&w->tags, w->own->tag + start, c->start[s + 1] - start, w->span, &repaired);
        for (int32_t i = 0; i < spans; i++)
            bs_json_short(out, NULL, DIGITS, bs_tag_span_score(w->y, start, &w->span[i]));
    }
    if (w->scores)
        bs_json_close(out, ']');
    for (int32_t s = p->first; s < p->end && w->y->energy; s++)
        energy += (double)w->y->energy[s];
    if (w->y->energy)
        bs_json_short(out, "energy", DIGITS, energy);
}

static basin_status write_jsonl(writer *w, bool passages, bs_target *out, basin_error *err)
{
    const bool        spans = passages || w->tags.scheme != BS_SCHEME_RAW;
    const bs_tags_out t = {.c = w->c,
                           .names = w->shown.text,
                           .tag = w->shown.tag,
                           .set = spans ? &w->tags : NULL,
                           .in_set = w->own->tag,
                           .span = w->span};
    bs_writing        to;
    basin_status      s = bs_writing_open(&to, bs_target_put, out, err);
    if (s)
        return s;
    if (passages)
        bs_put_passages(&t, &to, put_more, w);
    else
        bs_put_sentences(&t, &to, put_row, w);
    return bs_writing_close(&to);
}

static bool is_jsonl(const basin_predict_options *o)
{
    return is_format(o, "jsonl") || is_format(o, "tokens") || is_format(o, "spans");
}

static basin_status check_nbest(const bs_model_file *m, const basin_predict_options *o,
                                basin_error *err)
{
    bs_inference how;
    if (o->nbest <= 0)
        return BASIN_OK;
    if (!is_jsonl(o))
        return bs_fail(err, BASIN_EARG,
                       "--nbest: columns have room for one sequence; use --format jsonl");
    basin_status s = bs_model_file_inference(m, o->infer, o->constrain, &how, err);
    if (!s && how.how != BS_INFER_VITERBI)
        s = bs_fail(
            err, BASIN_EARG,
            "--nbest: needs Viterbi's algorithm: a model of method crf, or one whose energy "
            "is a chain, with --infer viterbi");
    return s;
}

static basin_status room(const basin_predict_options *o, const bs_dataset *data, bs_outputs *y,
                         basin_error *err)
{
    const size_t most = o->nbest > 0 ? (size_t)o->nbest : 0;
    const char  *format = format_of(o, bs_dataset_tag(data));
    const bool   spans = strcmp(format, "spans") == 0;
    if ((o->scores || o->energy) && !spans && strcmp(format, "tokens") != 0)
        return bs_fail(err, BASIN_EARG, "--%s: columns have no place for %s; use --format jsonl",
                       o->scores ? "scores" : "energy", o->scores ? "them" : "it");
    if (o->csv_safe && strcmp(format, "csv") != 0)
        return bs_fail(err, BASIN_EARG, "--csv-safe: is for tables, not for %s; use --format csv",
                       format);
    if (!most)
        return BASIN_OK;
    if (spans)
        return bs_fail(err, BASIN_EARG,
                       "--nbest: is for sentences, not for texts; use --format tokens");
    bs_tag_outputs *own = bs_outputs_tag(y);
    own->nbest = o->nbest;
    own->best = bs_calloc(most * ((size_t)bs_dataset_tag(data)->tokens + 1), sizeof *own->best);
    own->best_score = bs_calloc(most * ((size_t)data->rows + 1), sizeof *own->best_score);
    own->best_found = bs_calloc((size_t)data->rows + 1, sizeof *own->best_found);
    return own->best && own->best_score && own->best_found ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status check(bs_model_file *m, const basin_predict_options *o, basin_error *err)
{
    if (o->format && !is_format(o, "auto") && !is_format(o, "conll") && !is_format(o, "csv") &&
        !is_format(o, "brat") && !is_jsonl(o))
        return bs_fail(err, BASIN_EARG,
                       "--format: '%s' is not conll, jsonl, tokens, spans, csv or brat", o->format);
    if (is_format(o, "brat") && !o->path)
        return bs_fail(err, BASIN_EARG, "--format: brat is a folder of files; -o names it");
    if (o->keep_columns || o->probabilities)
        return bs_fail(err, BASIN_EARG, "--%s: is for label sets; %s",
                       o->keep_columns ? "keep-columns" : "probabilities",
                       o->keep_columns ? "columns and members of the input are kept anyway"
                                       : "a word has one tag");
    if (o->top_k > 0)
        return bs_fail(err, BASIN_EARG, "--top-k: is for label sets; a word has one tag");
    if (o->threshold && strcmp(o->threshold, "auto") != 0)
        return bs_fail(err, BASIN_EARG, "--threshold: is for label sets; a word has one tag");
    basin_status s = check_nbest(m, o, err);
    return s ? s : check_scheme(m, o->scheme, err);
}

/* The table again plus a column; the file's own tags unchanged. */
static basin_status write_csv(writer *w, bs_target *out, basin_error *err)
{
    const bs_corpus *c = w->c;
    bs_tags_out      t = {.c = c, .names = w->shown.text, .tag = w->shown.tag, .safe = w->safe};
    bs_arena         arena;
    bs_names         names;
    const char     **gold = NULL;
    int32_t         *tag = bs_alloc(((size_t)c->tokens + 1) * sizeof *tag);
    basin_status     s = tag ? BASIN_OK : bs_fail_nomem(err);
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    if (!s && c->labelled) {
        s = bs_corpus_file_tags(c, &names, tag, err);
        gold = s ? NULL : bs_names_texts(&names);
        if (!s && !gold)
            s = bs_fail_nomem(err);
        t.gold_names = gold;
        t.gold = tag;
    }
    if (!s)
        s = bs_tags_write(&t, bs_corpus_format_find("csv"), bs_target_put, out, err);
    bs_free(gold);
    bs_free(tag);
    bs_names_free(&names);
    bs_arena_free(&arena);
    return s;
}

static basin_status write_as(writer *w, const char *format, const char *path, bs_target *out,
                             basin_error *err)
{
    const bs_tags_out spans = {.c = w->c, .set = &w->tags, .in_set = w->own->tag, .span = w->span};
    if (strcmp(format, "spans") == 0 || strcmp(format, "tokens") == 0)
        return write_jsonl(w, strcmp(format, "spans") == 0, out, err);
    if (strcmp(format, "csv") == 0)
        return write_csv(w, out, err);
    if (strcmp(format, "brat") == 0)
        return bs_brat_write(&spans, path, err);
    return bs_corpus_write(w->c, w->shown.text, w->shown.tag, bs_target_put, out, err);
}

static basin_status retag_best(const bs_lexicon *l, bs_scheme to, writer *w, basin_error *err)
{
    basin_status s = BASIN_OK;
    if (!(w->best = bs_calloc((size_t)w->own->nbest, sizeof *w->best)))
        return bs_fail_nomem(err);
    for (int k = 0; k < w->own->nbest && !s; k++)
        s = bs_retag(&l->tags, (bs_scheme)l->scheme, to, w->c,
                     w->own->best + (size_t)k * (size_t)w->c->tokens, &w->best[k], err);
    return s;
}

static basin_status write_in(const bs_model_file *m, const basin_predict_options *o, bs_scheme to,
                             const bs_dataset *data, const bs_outputs *y, bs_target *out,
                             basin_error *err)
{
    const bs_lexicon *l = &bs_preprocess_tag(&m->known)->lexicon;
    writer            w = {.c = bs_dataset_tag(data),
                           .y = y,
                           .own = bs_outputs_tag(y),
                           .scores = o->scores,
                           .safe = o->csv_safe};
    basin_status      s = bs_tagset_make(&l->tags, (bs_scheme)l->scheme, &w.tags, err);
    if (!s)
        s = bs_retag(&l->tags, (bs_scheme)l->scheme, to, w.c, bs_outputs_tag(y)->tag, &w.shown,
                     err);
    if (!s && w.own->nbest)
        s = retag_best(l, to, &w, err);
    if (!s && !(w.span = bs_calloc((size_t)bs_longest_sentence(w.c), sizeof *w.span)))
        s = bs_fail_nomem(err);
    if (!s)
        s = write_as(&w, format_of(o, w.c), o->path, out, err);
    bs_free(w.span);
    for (int k = 0; k < w.own->nbest && w.best; k++)
        bs_retagged_free(&w.best[k]);
    bs_free(w.best);
    bs_retagged_free(&w.shown);
    bs_tagset_free(&w.tags);
    return s;
}

static basin_status write_outputs(const bs_model_file *m, const basin_predict_options *o,
                                  const bs_dataset *data, const bs_outputs *y, bs_target *out,
                                  basin_error *err)
{
    return write_in(m, o, scheme_of(m, o, bs_dataset_tag(data)), data, y, out, err);
}

/* ---- sentence by sentence ---- */

typedef struct {
    const bs_model_file         *m;
    const basin_predict_options *o;
    bs_target                   *out;
    bs_scheme                    to; /* of the first block */
    bool                         begun;
} stream;

/* A table starts with column names, once, and a folder is not a stream. */
static basin_status begin(const bs_model_file *m, const basin_predict_options *o, bs_target *out,
                          void **made, basin_error *err)
{
    stream *s = NULL;
    *made = NULL;
    if (is_format(o, "csv") || is_format(o, "brat"))
        return BASIN_OK;
    if (!(s = bs_alloc(sizeof *s)))
        return bs_fail_nomem(err);
    *s = (stream){.m = m, .o = o, .out = out};
    *made = s;
    return BASIN_OK;
}

static basin_status stream_rows(void *given, const bs_dataset *data, const bs_outputs *y,
                                basin_error *err)
{
    stream *s = given;
    if (!s->begun)
        s->to = scheme_of(s->m, s->o, bs_dataset_tag(data));
    s->begun = true;
    return write_in(s->m, s->o, s->to, data, y, s->out, err);
}

static bool opens(const basin_predict_options *o)
{
    return is_format(o, "brat");
}

const bs_task_write bs_task_write_tag = {
    .opens = opens,
    .check = check,
    .remark = remark,
    .room = room,
    .write = write_outputs,
    .begin = begin,
    .rows = stream_rows,
    .end = bs_free,
    .one = true,
    .tags = true,
};
