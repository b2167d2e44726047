/* known.c -- what a model remembers of tagged sentences: its lexicon and the form of its files. It
 * is fitted to training data, extended when a model is trained further, and kept as JSON. */
#include <string.h>

#include "base/json.h"
#include "base/tree.h"
#include "task/tag/data.h"
#include "task/weights.h"

static bs_words_source source_of(const bs_dataset *p)
{
    const bs_corpus *c = bs_dataset_tag(p);
    return (bs_words_source){.tokens = c->tokens,
                             .unlabelled = c->tokens - c->start[c->sentences - p->unlabelled],
                             .words = &c->words,
                             .word = c->word,
                             .columns = c->columns,
                             .column = c->column,
                             .value = c->value,
                             .feature = (const int32_t *const *)c->feature,
                             .tags = &c->tags,
                             .scheme = (int)c->scheme};
}

/* Vectors and clusters of the words in the data, or all in the files. */
static basin_status read_tables(const bs_settings *given, const bs_names *all, bs_vectors *v,
                                bs_clusters *k, bs_notes *notes, basin_error *err)
{
    const bs_lexicon_options *o = &given->words;
    bs_arena                  arena;
    bs_names                  wanted;
    bool                      keep_all = strcmp(o->keep, "all") == 0;
    const int                 mb = given->read.max_mb;
    basin_status              s = BASIN_OK;
    bs_arena_init(&arena, 0);
    bs_names_init(&wanted, &arena);
    if (!keep_all && (*o->vectors || *o->clusters))
        s = bs_lexicon_wanted(o, all, &wanted, err);
    if (!s && *o->vectors)
        s = bs_vectors_read(o->vectors, mb, keep_all ? NULL : &wanted, v, notes, err);
    if (!s && *o->clusters)
        s = bs_clusters_read(o->clusters, mb, keep_all ? NULL : &wanted, k, notes, err);
    bs_names_free(&wanted);
    bs_arena_free(&arena);
    return s;
}

static basin_status fit_lexicon(const bs_settings *s, const bs_dataset *part, int n,
                                bs_notes *notes, bs_tag_known *out, basin_error *err)
{
    bs_arena        arena;
    bs_names        all;
    bs_clusters     clusters;
    bs_words_source train = source_of(&part[0]);
    basin_status    status = BASIN_OK;
    bs_arena_init(&arena, 0);
    bs_names_init(&all, &arena);
    bs_clusters_init(&clusters);
    for (int i = 0; i < n && !status; i++)
        if (bs_dataset_tag(&part[i]) && !bs_names_add_all(&all, &bs_dataset_tag(&part[i])->words))
            status = bs_fail_nomem(err);
    if (!status)
        status = read_tables(s, &all, &out->vectors, &clusters, notes, err);
    if (!status)
        status = bs_lexicon_fit(&s->words, &train, &all, *s->words.vectors ? &out->vectors : NULL,
                                *s->words.clusters ? &clusters : NULL, &out->lexicon, notes, err);
    /* so that any span of a known type can be written */
    if (!status && out->lexicon.scheme != BS_SCHEME_RAW)
        status = bs_scheme_complete((bs_scheme)out->lexicon.scheme, &out->lexicon.tags, err);
    bs_clusters_free(&clusters);
    bs_names_free(&all);
    bs_arena_free(&arena);
    return status;
}

/* ---- going on with a model ---- */

basin_status bs_tag_widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err)
{
    (void)log;
    if (bs_dataset_tag(train)->columns == bs_lexicon_columns(&bs_preprocess_tag(like)->lexicon))
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "--from: the model was trained with %d feature columns, and this data has %d; "
                   "--feature-columns says which are to be read",
                   bs_lexicon_columns(&bs_preprocess_tag(like)->lexicon),
                   bs_dataset_tag(train)->columns);
}

/* Everything that the model knows is kept, after what occurs here. */
static basin_status keep_known(const bs_preprocess *like, bs_preprocess *out, bs_logger *log,
                               basin_error *err)
{
    const bs_lexicon *was = &bs_preprocess_tag(like)->lexicon;
    bs_lexicon       *is = &bs_preprocess_tag(out)->lexicon;
    const int32_t     tags = is->tags.n;
    if (was->columns != is->columns)
        return bs_fail(err, BASIN_EARG,
                       "--from: the model has %d features of words, here are %d; words.case and "
                       "words.clusters decide on them",
                       was->columns, is->columns);
    if (was->scheme != is->scheme)
        return bs_fail(err, BASIN_EARG, "--from: the model's tags are %s, those of this data %s",
                       bs_scheme_name((bs_scheme)was->scheme),
                       bs_scheme_name((bs_scheme)is->scheme));
    bool ok = bs_names_add_all(&is->words, &was->words);
    for (int i = 0; i < is->columns && ok; i++)
        ok = bs_names_add_all(&is->value[i], &was->value[i]);
    ok = ok && bs_names_add_all(&is->characters, &was->characters) &&
         bs_names_add_all(&is->tags, &was->tags);
    if (ok && is->tags.n > tags)
        bs_log_say(log, BS_WARN,
                   "--from: %d of the model's tags do not occur in this data, such as '%s': they "
                   "stay",
                   (int)(is->tags.n - tags), is->tags.item[tags].text);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

const char *bs_tag_unit_name(const bs_preprocess *k, int growth, int32_t i, char room[BS_UNIT_NAME])
{
    const bs_lexicon *l = &bs_preprocess_tag(k)->lexicon;
    int               c = 0;
    if (growth < 3)
        return (growth == 0 ? &l->words : growth == 1 ? &l->tags : &l->characters)->item[i].text;
    for (; i >= l->value[c].n; c++)
        i -= l->value[c].n;
    bs_print(room, BS_UNIT_NAME, "%d %s", c, l->value[c].item[i].text);
    return room;
}

int32_t bs_tag_unknown(const bs_corpus *c, const bs_lexicon *l, int32_t *first)
{
    int32_t n = 0;
    *first = -1;
    for (int32_t i = 0; i < c->tokens; i++) {
        const bs_name *tag = c->tag[i] < 0 ? NULL : &c->tags.item[c->tag[i]];
        if (!tag || bs_names_find(&l->tags, tag->text, tag->len) >= 0)
            continue;
        *first = n++ ? *first : i;
    }
    return n;
}

void bs_tag_warn_unknown(const char *where, const bs_corpus *c, const bs_lexicon *l, bs_logger *log)
{
    char          tag[48];
    int32_t       first;
    const int32_t n = bs_tag_unknown(c, l, &first);
    if (n > 0)
        bs_log_say(log, BS_WARN,
                   "%s: %d of %d gold tags are unknown to the model, such as '%s': it cannot "
                   "predict them",
                   where, (int)n, (int)c->tokens, bs_corpus_file_tag(c, first, tag));
}

static int headline_of(int scheme)
{
    return scheme == BS_SCHEME_RAW ? BS_TAG_METRIC_token_accuracy : BS_TAG_METRIC_span_f1;
}

static const char *tag_name(const void *of, int i)
{
    return ((const bs_names *)of)->item[i].text;
}

/* Only from words whose tags are certain. */
static basin_status fit_weights(const bs_settings *s, const bs_dataset *part, bs_logger *log,
                                bs_preprocess *out, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(part);
    const bs_names  *tags = &bs_preprocess_tag(out)->lexicon.tags;
    double          *count = bs_calloc((size_t)tags->n + 1, sizeof *count);
    if (!count)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < c->start[c->sentences - part->unlabelled]; i++) {
        const bs_name *tag = c->tag[i] < 0 ? NULL : &c->tags.item[c->tag[i]];
        const int32_t  k = tag ? bs_names_find(tags, tag->text, tag->len) : -1;
        if (k >= 0)
            count[k]++;
    }
    const bs_weighed w = {tags->n, tag_name, tags, "tag", count, 0};
    basin_status     status = bs_weights_fit(&s->train, &w, log, out, err);
    bs_free(count);
    return status;
}

basin_status bs_tag_fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err)
{
    bs_rules     *rules = NULL;
    bs_notes      notes;
    bs_tag_known *k = bs_preprocess_begin(out, part->task, sizeof *k);
    if (!k)
        return bs_fail_nomem(err);
    if (!bs_dataset_tag(&part[0])->labelled)
        return bs_fail(err, BASIN_EDATA,
                       "the training data has no tags; --tag-column selects their column");
    bs_notes_init(&notes);
    basin_status status = BASIN_OK;
    if (bs_dataset_tag(&part[BS_ROLE_UNLABELLED]))
        status = bs_tag_join(s, &part[BS_ROLE_TRAIN], &part[BS_ROLE_UNLABELLED], &rules, err);
    if (!status)
        status = fit_lexicon(s, part, n, &notes, k, err);
    if (!status && out->like)
        status = keep_known(out->like, out, log, err);
    if (!status && rules)
        status = bs_tag_soften(s, rules, &k->lexicon, part, log, err);
    bs_rules_free(rules);
    if (!status)
        bs_notes_log(&notes, "words", BS_INFO, log);
    bs_notes_free(&notes);
    if (status)
        return status;
    for (int role = BS_ROLE_VALID; role < n && role <= BS_ROLE_TEST; role++)
        if (bs_dataset_tag(&part[role]))
            bs_tag_warn_unknown(bs_role_names[role], bs_dataset_tag(&part[role]), &k->lexicon, log);
    k->text = s->text;
    bs_corpus_fix(bs_dataset_tag(&part[0]), &k->text);
    k->file_scheme = (int)bs_dataset_tag(&part[0])->file_scheme;
    k->file_columns = bs_dataset_tag(&part[0])->file_columns;
    k->has_vectors = *s->words.vectors != '\0';
    k->word_width = k->has_vectors ? k->vectors.dim : s->train.word_width;
    if (out->like && !k->has_vectors) { /* the table is the model's */
        k->has_vectors = bs_preprocess_tag(out->like)->has_vectors;
        k->word_width = bs_preprocess_tag(out->like)->word_width;
    }
    k->unknown = s->words.unk_dropout;
    out->deciding = headline_of(k->lexicon.scheme);
    return fit_weights(s, &part[0], log, out, err);
}

void bs_tag_known_free(bs_preprocess *k)
{
    bs_lexicon_free(&bs_preprocess_tag(k)->lexicon);
    bs_vectors_free(&bs_preprocess_tag(k)->vectors);
}

int bs_tag_labels(const bs_preprocess *k)
{
    return bs_preprocess_tag(k)->lexicon.tags.n;
}

const char *bs_tag_label(const bs_preprocess *k, int i)
{
    return bs_preprocess_tag(k)->lexicon.tags.item[i].text;
}

void bs_tag_known_text(const bs_preprocess *k, bs_buf *out)
{
    const bs_lexicon *l = &bs_preprocess_tag(k)->lexicon;
    bs_buf_printf(out, "%d words, %d tags (%s)", (int)l->words.n, (int)l->tags.n,
                  bs_scheme_name((bs_scheme)l->scheme));
    if (l->columns > 0)
        bs_buf_printf(out, ", %d feature columns", l->columns);
}

void bs_tag_known_json(const bs_preprocess *k, bs_buf *out)
{
    const bs_tag_known *own = bs_preprocess_tag(k);
    bs_json_open(out, NULL, '{');
    bs_json_int(out, "word_width", own->word_width);
    bs_json_bool(out, "vectors", own->has_vectors);
    bs_json_key(out, "text");
    bs_options_json(bs_corpus_rows, &own->text, out);
    bs_json_members(out, "file_scheme %s file_columns %d",
                    bs_scheme_name((bs_scheme)own->file_scheme), own->file_columns);
    bs_json_key(out, "lexicon");
    bs_lexicon_json(&own->lexicon, out);
    bs_json_close(out, '}');
}

basin_status bs_tag_known_read(json_t *o, const char *where, bs_preprocess *out, basin_error *err)
{
    bs_tag_known *k = bs_preprocess_begin(out, out->task, sizeof *k);
    json_t       *options, *lexicon;
    json_int_t    width, columns;
    int           vectors;
    const char   *name;
    bs_scheme     scheme;
    if (!k)
        return bs_fail_nomem(err);
    if (json_unpack(o, "{s:I s:b s:o s:s s:I s:o}", "word_width", &width, "vectors", &vectors,
                    "text", &options, "file_scheme", &name, "file_columns", &columns, "lexicon",
                    &lexicon) ||
        width < 1 || width > 1 << 16 || columns < 0 || columns > BS_MOST_CELLS ||
        bs_scheme_parse(name, &scheme, NULL))
        return bs_fail(err, BASIN_EDATA, "%s: what the model knows of words is incomplete", where);
    k->text = bs_corpus_options_default();
    k->word_width = (int)width;
    k->has_vectors = vectors;
    k->file_scheme = (int)scheme;
    k->file_columns = (int)columns;
    basin_status s = bs_options_take(bs_corpus_rows, &k->text, options, where, err);
    bs_options_own_limits(bs_corpus_rows, &k->text);
    if (!s)
        s = bs_lexicon_take(lexicon, where, &k->lexicon, err);
    if (!s)
        out->deciding = headline_of(k->lexicon.scheme);
    return s;
}
