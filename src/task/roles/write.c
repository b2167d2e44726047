/* write.c -- writes predicted roles: the columns of the input with theirs, or JSON lines. */
#include <string.h>

#include "api/predict.h"
#include "data/text/roles_part.h"
#include "task/roles/data.h"

static bool is_format(const basin_predict_options *o, const char *name)
{
    return o->format && strcmp(o->format, name) == 0;
}

/* As the input, or as requested. */
static const char *format_of(const basin_predict_options *o, const bs_corpus *c)
{
    if (is_format(o, "conll") || is_format(o, "props"))
        return "props";
    if (is_format(o, "jsonl") || is_format(o, "predicates"))
        return "predicates";
    return c->format;
}

static basin_status check(bs_model_file *m, const basin_predict_options *o, basin_error *err)
{
    (void)m;
    if (o->format && !is_format(o, "auto") && !is_format(o, "conll") && !is_format(o, "props") &&
        !is_format(o, "jsonl") && !is_format(o, "predicates"))
        return bs_fail(err, BASIN_EARG, "--format: '%s' is not conll (props) or jsonl (predicates)",
                       o->format);
    if (o->keep_columns || o->probabilities || o->top_k > 0)
        return bs_fail(err, BASIN_EARG, "--%s: is for label sets",
                       o->keep_columns    ? "keep-columns"
                       : o->probabilities ? "probabilities"
                                          : "top-k");
    if (o->threshold && strcmp(o->threshold, "auto") != 0)
        return bs_fail(err, BASIN_EARG, "--threshold: is for label sets; a word has one role");
    return BASIN_OK;
}

static basin_status room(const basin_predict_options *o, const bs_dataset *data, bs_outputs *y,
                         basin_error *err)
{
    (void)y;
    if ((o->scores || o->energy) && strcmp(format_of(o, bs_dataset_tag(data)), "props") == 0)
        return bs_fail(err, BASIN_EARG, "--%s: columns have no place for %s; use --format jsonl",
                       o->scores ? "scores" : "energy", o->scores ? "them" : "it");
    return BASIN_OK;
}

typedef struct {
    const bs_tags_out *t;
    const bs_outputs  *y;
    bool               scores;
} extras;

/* "scores" of spans; "energy". */
static void put_more(void *to, int32_t row, int32_t n, bs_buf *out)
{
    enum { DIGITS = 6 };
    const extras *x = to;
    const int32_t first = x->t->c->start[row];
    if (x->scores)
        bs_json_open(out, "scores", '[');
    for (int32_t i = 0; i < n && x->scores; i++)
        bs_json_short(out, NULL, DIGITS, bs_tag_span_score(x->y, first, &x->t->span[i]));
    if (x->scores)
        bs_json_close(out, ']');
    if (x->y->energy)
        bs_json_short(out, "energy", DIGITS, (double)x->y->energy[row]);
}

static basin_status put_rows(const extras *x, bs_target *out, basin_error *err)
{
    bs_writing   to;
    extras       copy = *x;
    basin_status s = bs_writing_open(&to, bs_target_put, out, err);
    if (s)
        return s;
    bs_put_predicates(x->t, &to, put_more, &copy);
    return bs_writing_close(&to);
}

static basin_status write_outputs(const bs_model_file *m, const basin_predict_options *o,
                                  const bs_dataset *data, const bs_outputs *y, bs_target *out,
                                  basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(data);
    const char      *format = format_of(o, c);
    bs_tagset        tags;
    basin_status     s =
        bs_tagset_make(&bs_preprocess_tag(&m->known)->lexicon.tags, BS_SCHEME_IOB2, &tags, err);
    bs_tags_out t = {.c = c, .set = &tags, .in_set = bs_outputs_tag(y)->tag};
    if (!s && !(t.span = bs_calloc((size_t)bs_longest_sentence(c), sizeof *t.span)))
        s = bs_fail_nomem(err);
    if (!s && strcmp(format, "predicates") == 0)
        s = put_rows(&(extras){&t, y, o->scores}, out, err);
    else if (!s)
        s = bs_tags_write(&t, bs_corpus_format_find(format), bs_target_put, out, err);
    bs_free(t.span);
    bs_tagset_free(&tags);
    return s;
}

const bs_task_write bs_task_write_roles = {
    .check = check,
    .room = room,
    .write = write_outputs,
    .one = true,
};
