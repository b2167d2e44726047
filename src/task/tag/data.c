/* data.c -- the task of tagged sentences: columns of words, features and tags. */
#include "task/tag/data.h"

#include <math.h>
#include <string.h>
#include "base/json.h"

#include "base/tree.h"
#include "task/weights.h"

/* ---- files ---- */

static int sniff(const char *path, const char *head, size_t n)
{
    const int pair = bs_corpus_sniff_path(path);
    return pair || !head ? pair : bs_corpus_sniff(head, n, path);
}

static basin_status take(const bs_task *task, bs_corpus *c, bs_dataset *out)
{
    *out = (bs_dataset){.task = task, .rows = c->sentences, .hash = c->hash, .own = c};
    return BASIN_OK;
}

/* In the model's training file: at least the columns that it uses. */
static int columns_of(const bs_tag_known *k)
{
    long long most = k->text.word_column, number = 0;
    if (k->file_columns)
        return k->file_columns;
    if (bs_parse_int(k->text.tag_column, &number) && number > most)
        most = number;
    for (const char *at = k->text.feature_columns; *at; at += strcspn(at, ","), at += *at == ',') {
        char one[16];
        bs_print(one, sizeof one, "%.*s", (int)strcspn(at, ","), at);
        if (bs_parse_int(one, &number) && number > most)
            most = number;
    }
    return most > 0 && most <= BS_MOST_CELLS ? (int)most : 0;
}

static bs_corpus_options reading_of(const bs_task *task, const bs_settings *s,
                                    const bs_read_request *w)
{
    const bs_tag_known *k = w->known ? bs_preprocess_tag(w->known) : NULL;
    bs_corpus_options   o = k ? k->text : s->text;
    o.who = k ? "the model" : w->first ? "the training data" : NULL;
    o.roles = task != &bs_task_tag;
    if (w->first)
        bs_corpus_fix(bs_dataset_tag(w->first), &o);
    if (k) {
        o.columns = o.roles ? 0 : columns_of(k);
        o.spans = k->lexicon.scheme != BS_SCHEME_RAW;
        o.tags = &k->lexicon.tags;
    }
    o.label_free = w->label_free;
    o.max_mb = s->read.max_mb;
    o.max_line_mb = s->read.max_line_mb;
    if (w->unlabelled)
        bs_print(o.tag_column, sizeof o.tag_column, "none");
    return o;
}

static basin_status adopt(const bs_task *task, const bs_read_request *w, bs_corpus *c,
                          bs_dataset *out, basin_error *err)
{
    const int columns =
        w->known ? bs_lexicon_columns(&bs_preprocess_tag(w->known)->lexicon) : c->columns;
    if (c->sentences == 0 || c->columns == columns)
        return take(task, c, out);
    basin_status status =
        bs_fail(err, BASIN_EARG, "--feature-columns: %d columns, but the model was trained with %d",
                c->columns, columns);
    bs_corpus_free(c);
    return status;
}

basin_status bs_tag_read(const bs_task *task, const bs_settings *s, const bs_read_request *w,
                         bs_notes *notes, bs_dataset *out, basin_error *err)
{
    const bs_corpus_options o = reading_of(task, s, w);
    bs_corpus              *c = NULL;
    basin_status            status = w->given ? bs_corpus_from_memory(w->given, &o, &c, notes, err)
                                              : bs_corpus_read(w->file, w->n, &o, &c, notes, err);
    return status ? status : adopt(task, w, c, out, err);
}

static basin_status read_files(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                               bs_dataset *out, basin_error *err)
{
    return bs_tag_read(&bs_task_tag, s, w, notes, out, err);
}

/* ---- some sentences at a time ---- */

typedef struct {
    bs_stream       base;
    const bs_task  *task;
    bs_read_request wish;
    bs_corpus_file *file; /* the first of the request */
    int32_t         lines;
} tag_stream;

static basin_status stream_next(bs_stream *base, bs_notes *notes, bs_dataset *out, bool *more,
                                basin_error *err)
{
    tag_stream  *s = (tag_stream *)base;
    bs_corpus   *c = NULL;
    basin_status status = bs_corpus_next(s->file, s->lines, &c, notes, err);
    *out = (bs_dataset){0};
    *more = !status && c;
    return *more ? adopt(s->task, &s->wish, c, out, err) : status;
}

static void stream_free(bs_stream *base)
{
    tag_stream *s = (tag_stream *)base;
    bs_corpus_close(s->file);
    bs_free(s);
}

basin_status bs_tag_stream(const bs_task *task, const bs_settings *given, const bs_read_request *w,
                           int32_t lines, bs_stream **out, basin_error *err)
{
    const bs_corpus_options o = reading_of(task, given, w);
    tag_stream             *s = bs_calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return bs_fail_nomem(err);
    *s = (tag_stream){.base = {.next = stream_next, .free = stream_free},
                      .task = task,
                      .wish = *w,
                      .lines = lines};
    basin_status status = bs_corpus_open(w->file[0], &o, &s->file, err);
    if (status)
        stream_free(&s->base);
    else
        *out = &s->base;
    return status;
}

static basin_status stream(const bs_settings *given, const bs_read_request *w, int32_t lines,
                           bs_stream **out, basin_error *err)
{
    return bs_tag_stream(&bs_task_tag, given, w, lines, out, err);
}

void bs_tag_free(bs_dataset *p)
{
    bs_corpus_free(bs_dataset_tag(p));
}

static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    return bs_corpus_split(bs_dataset_tag(p), share, parts, false, seed, part, err);
}

basin_status bs_tag_select(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err)
{
    bs_corpus   *c = NULL;
    basin_status s = bs_corpus_select(bs_dataset_tag(p), rows, n, &c, err);
    return s ? s : take(p->task, c, out);
}

/* ---- what a model remembers ---- */

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

static void warn_unknown(const bs_dataset *part, int n, const bs_lexicon *l, bs_logger *log)
{
    for (int role = BS_ROLE_VALID; role < n && role <= BS_ROLE_TEST; role++) {
        const bs_corpus *c = bs_dataset_tag(&part[role]);
        int32_t          first;
        char             tag[48];
        const int32_t    unknown = c ? bs_tag_unknown(c, l, &first) : 0;
        if (unknown > 0)
            bs_log_say(log, BS_WARN,
                       "%s: %d of %d gold tags are unknown to the model, such as '%s': it cannot "
                       "predict them",
                       bs_role_names[role], (int)unknown, (int)c->tokens,
                       bs_corpus_file_tag(c, first, tag));
    }
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
    for (size_t i = 0; !status && i < notes.n; i++)
        bs_log_say(log, bs_note_level(&notes.note[i], BS_INFO), "words: %s", notes.note[i].text);
    bs_notes_free(&notes);
    if (status)
        return status;
    warn_unknown(part, n, &k->lexicon, log);
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

static basin_status read_members(json_t *o, const char *where, bs_preprocess *out, basin_error *err)
{
    bs_tag_known *k = bs_preprocess_tag(out);
    json_t       *options, *lexicon;
    json_int_t    width, columns;
    int           vectors;
    const char   *name;
    bs_scheme     scheme;
    bs_buf        text;
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
    bs_buf_init(&text, (size_t)1 << 30);
    basin_status s = bs_tree_write(options, &text) && !text.failed ? BASIN_OK : bs_fail_nomem(err);
    if (!s)
        s = bs_options_from_json(bs_corpus_rows, &k->text, text.data, text.len, where, err);
    bs_buf_free(&text);
    bs_options_own_limits(bs_corpus_rows, &k->text);
    if (!s)
        s = bs_lexicon_take(lexicon, where, &k->lexicon, err);
    if (!s)
        out->deciding = headline_of(k->lexicon.scheme);
    return s;
}

basin_status bs_tag_known_read(const bs_task *task, const char *json, const char *where,
                               bs_preprocess *out, basin_error *err)
{
    if (!bs_preprocess_begin(out, task, sizeof(bs_tag_known)))
        return bs_fail_nomem(err);
    json_t      *o = bs_tree_read(json, strlen(json), JSON_REJECT_DUPLICATES, NULL);
    basin_status s = o ? read_members(o, where, out, err)
                       : bs_fail(err, BASIN_EDATA, "%s: the schema is not JSON", where);
    json_decref(o);
    return s;
}

static basin_status known_read(const char *json, const char *where, bs_preprocess *out,
                               basin_error *err)
{
    return bs_tag_known_read(&bs_task_tag, json, where, out, err);
}

basin_status bs_tag_check(const bs_train_options *o, basin_error *err)
{
    if (strcmp(o->gbi_rule, "adam") == 0 && strcmp(o->gbi_space, "projected") == 0)
        return bs_fail(err, BASIN_EARG,
                       "gbi.rule: adam moves all tags that gain equally far, so that none wins; "
                       "use gbi.space=logits, or plain, momentum or normalised");
    return BASIN_OK;
}

/* With more tags than this, the caller decides: their square is memory, and time per token. */
enum { MOST_TAGS = 4096 };

basin_status bs_tag_constrain(const bs_preprocess *k, bool caller, basin_error *err)
{
    if (caller || bs_preprocess_tag(k)->lexicon.tags.n <= MOST_TAGS)
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA,
                   "the model's constrain=yes is for %d tags, and at most %d are its to ask "
                   "for; --constrain asks for it all the same",
                   (int)bs_preprocess_tag(k)->lexicon.tags.n, (int)MOST_TAGS);
}

static bs_chars chars_named(const char *name)
{
    return strcmp(name, "cnn") == 0    ? BS_CHARS_CNN
           : strcmp(name, "lstm") == 0 ? BS_CHARS_LSTM
                                       : BS_CHARS_NONE;
}

basin_status bs_tag_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                         basin_error *err)
{
    const char         *energy = strcmp(o->energy_kind, "auto") == 0 ? "chain" : o->energy_kind;
    const bs_tag_known *own = bs_preprocess_tag(k);
    const bs_lexicon   *l = &own->lexicon;
    bs_tag_shape        shape = {.tags = l->tags.n,
                                 .words = l->words.n,
                                 .word_width = own->word_width,
                                 .tuned = o->word_tuned || !own->has_vectors,
                                 .columns = l->columns,
                                 .column_width = o->column_width,
                                 .chars = chars_named(o->char_net),
                                 .characters = l->characters.n,
                                 .char_width = o->char_width,
                                 .char_features = o->char_features,
                                 .width = o->net_width,
                                 .layers = o->net_layers,
                                 .dropout = o->net_dropout,
                                 .shared = strcmp(o->energy_encoder, "shared") == 0,
                                 .hidden = o->energy_hidden,
                                 .energy_dropout = o->energy_dropout,
                                 .scale = o->energy_scale,
                                 .augmented = o->energy_words};
    for (int i = 0; i < l->columns; i++)
        shape.values += l->value[i].n;
    basin_status s = bs_tag_energy_find(energy, &shape.energy, err);
    if (!s)
        s = bs_encoder_find(o->net_kind, BS_READS_SENTENCES, &shape.net, err);
    if (!s)
        shape.own = bs_encoder_options(o, shape.net);
    *out = bs_net_spec_make(&bs_task_space_tag, (bs_size){1, 1, 4}, &shape, sizeof shape);
    return s;
}

static bool is_table(const bs_segment *s, size_t cells)
{
    const size_t n = strlen(s->name), end = strlen("words/W");
    return n >= end && strcmp(s->name + n - end, "words/W") == 0 && (size_t)s->count == cells;
}

/* Rows of words with a vector. In a table that is not trained the others are zeros: nothing is
 * known of such a word, and random numbers would only pretend otherwise. */
basin_status bs_tag_fill(const bs_preprocess *k, bs_params *p, const char *prefix, basin_error *err)
{
    const bs_tag_known *own = bs_preprocess_tag(k);
    const size_t width = (size_t)own->word_width, cells = (size_t)own->lexicon.words.n * width;
    if (!own->has_vectors)
        return BASIN_OK;
    float       *table = bs_calloc(cells, sizeof *table);
    uint8_t     *known = bs_calloc((size_t)own->lexicon.words.n, 1);
    basin_status status = table && known ? BASIN_OK : bs_fail_nomem(err);
    if (!status && own->vectors.n > 0)
        bs_lexicon_fill(&own->lexicon, &own->vectors, 1, table, known);
    for (int i = 0; i < p->n && !status; i++) {
        const bs_segment *s = &p->segment[i];
        real             *to;
        if (!bs_params_has_prefix(s->name, prefix) || !is_table(s, cells))
            continue;
        const bool fixed = strcmp(s->name, "words/W") == 0;
        status = bs_params_map(p, s, BS_READ_WRITE, &to, err);
        for (size_t c = 0; c < cells && !status; c++)
            if (fixed || known[c / width])
                to[c] = (real)table[c];
        if (!status)
            bs_params_unmap(p, s, BS_READ_WRITE, to);
    }
    bs_free(table);
    bs_free(known);
    return status;
}

/* ---- outputs ---- */

basin_status bs_tag_outputs_make(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err)
{
    const size_t n = (size_t)bs_dataset_tag(p)->tokens + 1;
    (void)k;
    bs_tag_outputs *own = bs_calloc(1, sizeof *own);
    const bool      raw = p->task != &bs_task_tag;
    *out = (bs_outputs){.task = p->task, .scores = bs_calloc(n, sizeof *out->scores), .own = own};
    if (own) {
        own->tag = bs_calloc(n, sizeof *own->tag);
        own->raw = raw ? bs_calloc(n, sizeof *own->raw) : NULL;
    }
    if (out->scores && own && own->tag && !raw == !own->raw)
        return BASIN_OK;
    bs_outputs_free(out);
    return bs_fail_nomem(err);
}

void bs_tag_outputs_free(bs_outputs *y)
{
    bs_tag_outputs *own = bs_outputs_tag(y);
    bs_free(own->tag);
    bs_free(own->raw);
    bs_free(own->best);
    bs_free(own->best_score);
    bs_free(own->best_found);
}

void bs_tag_place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all)
{
    const int32_t *start = bs_dataset_tag(whole)->start;
    const size_t   first = (size_t)start[row], n = (size_t)(start[row + rows] - start[row]);
    (void)k;
    memcpy(all->scores + first, some->scores, n * sizeof *all->scores);
    all->by = some->by;
    memcpy(bs_outputs_tag(all)->tag + first, bs_outputs_tag(some)->tag,
           n * sizeof *bs_outputs_tag(all)->tag);
    if (bs_outputs_tag(all)->raw)
        memcpy(bs_outputs_tag(all)->raw + first, bs_outputs_tag(some)->raw,
               n * sizeof *bs_outputs_tag(all)->raw);
}

/* The best sequences of a sentence. */
static basin_status several(bs_tag_decoder *d, const bs_scored *found, size_t at,
                            const bs_corpus *c, int32_t sentence, bs_tag_outputs *out,
                            basin_error *err)
{
    const int32_t first = c->start[sentence], n = c->start[sentence + 1] - first;
    const size_t  most = (size_t)out->nbest;
    int           many = 0;
    int32_t      *tag = bs_calloc(most * ((size_t)n + 1), sizeof *tag);
    if (!tag)
        return bs_fail_nomem(err);
    basin_status s = bs_tag_best(d, found, at, n, out->nbest, tag,
                                 out->best_score + (size_t)sentence * most, &many, err);
    for (int k = 0; k < many && !s; k++)
        memcpy(out->best + (size_t)k * (size_t)c->tokens + (size_t)first,
               tag + (size_t)k * (size_t)n, (size_t)n * sizeof *tag);
    out->best_found[sentence] = many;
    bs_free(tag);
    return s;
}

/* Of one sentence; tokens without a tag do not count. */
static double surprise(const real *y, const real *gold, size_t cells)
{
    double sum = 0;
    for (size_t i = 0; i < cells; i++)
        if (gold[i] > 0)
            sum += (double)gold[i] * bs_log_loss((double)y[i]);
    return sum;
}

static basin_status repeated(void *ctx, int32_t sentence, int rows, const bs_batch **out,
                             basin_error *err)
{
    bs_batches *f = ctx;
    int32_t     index[BS_TAG_SENTENCES];
    (void)err;
    for (int i = 0; i < rows; i++)
        index[i] = sentence;
    *out = f->rows(f, index, rows);
    return BASIN_OK;
}

static basin_status predict_batch(bs_scorer *s, bs_tag_decoder *d, const bs_dataset *p,
                                  bs_batches *f, const int32_t *index, int32_t n, bs_outputs *out,
                                  basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(p);
    bs_tag_outputs  *own = bs_outputs_tag(out);
    const bs_batch  *b = f->rows(f, index, n);
    const size_t     N = (size_t)d->tags, parts = (size_t)b->size.length * N;
    bs_scored        found;
    basin_status     status = bs_scorer_batch(s, b, &found, err);
    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t first = c->start[index[i]], end = c->start[index[i] + 1];
        const size_t  cells = (size_t)(end - first) * N, at = (size_t)i * parts;
        status = bs_scored_check(&found, (size_t)i, at, cells, "sentence",
                                 out->first + index[i] + 1, err);
        if (status)
            break;
        status =
            bs_tag_decide(d, &found, at, end - first, own->tag + first, out->scores + first, err);
        if (own->raw)
            bs_tag_token_by_token(found.y + at, end - first, d->tags, own->raw + first);
        if (out->energy && found.energy)
            out->energy[index[i]] = (float)found.energy[i];
        if (out->cross_entropy)
            *out->cross_entropy +=
                surprise(found.y + at, (const real *)b->gold + at, cells) / p->rows;
        if (own->best && !status)
            status = several(d, &found, at, c, index[i], own, err);
    }
    if (!status && d->sampler)
        status = bs_tag_decide_all(d->sampler, &(bs_tag_repeat){f, repeated}, found.y, parts,
                                   c->start, index, n, out->first + 1, own->tag, out->scores, err);
    return status;
}

basin_status bs_tag_predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    bs_batches    *f = NULL;
    bs_tag_decoder d;
    int32_t       *order = bs_calloc((size_t)p->rows + 1, sizeof *order);
    basin_status   status = bs_tag_decoder_make(s, &bs_preprocess_tag(k)->lexicon, &d, err);
    out->by = (bs_decision)bs_scorer_inference(s)->decide;
    if (out->cross_entropy)
        *out->cross_entropy = 0;
    if (!status)
        status =
            order ? bs_batches_tag_all(p, k, spec, BS_TAG_SENTENCES, &f, err) : bs_fail_nomem(err);
    if (!status)
        status = bs_by_length(bs_dataset_tag(p)->start, p->rows, order, err);
    for (int32_t at = 0, n = 0; at < p->rows && !status; at += n) {
        n = f->fits(f, order + at, p->rows - at);
        status = predict_batch(s, &d, p, f, order + at, n, out, err);
    }
    if (f)
        f->free(f);
    bs_tag_decoder_free(&d);
    bs_free(order);
    return status;
}

static basin_status energies(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err)
{
    bs_batches  *f = NULL;
    const real  *found;
    int32_t     *order = bs_calloc((size_t)p->rows + 1, sizeof *order);
    basin_status s =
        order ? bs_batches_tag_all(p, k, spec, BS_TAG_SENTENCES, &f, err) : bs_fail_nomem(err);
    if (!s && !bs_dataset_tag(p)->labelled)
        s = bs_fail(err, BASIN_EARG, "sentences without tags have no energy");
    if (!s)
        s = bs_by_length(bs_dataset_tag(p)->start, p->rows, order, err);
    for (int32_t at = 0, n = 0; at < p->rows && !s; at += n) {
        n = f->fits(f, order + at, p->rows - at);
        s = bs_energy_probe_truth(probe, f->rows(f, order + at, n), &found, err);
        for (int32_t i = 0; i < n && !s; i++)
            energy[order[at + i]] = (double)found[i];
    }
    if (f)
        f->free(f);
    bs_free(order);
    return s;
}

/* ---- metrics ---- */

#define HIGHER true
#define LOWER  false
static const bs_metric metrics[BS_TAG_METRIC_COUNT] = {
#define TAG_METRIC(key, direction, most, text) {#key, text, direction, true, 0, most},
#include "data/text/tag_metrics.def"
#undef TAG_METRIC
};
#undef HIGHER
#undef LOWER

void bs_tag_truth_free(bs_tag_truth *t)
{
    bs_free(t->gold);
    bs_free(t->unknown);
    bs_names_free(&t->names);
    bs_arena_free(&t->arena);
}

static basin_status number_truth(const bs_corpus *c, const bs_lexicon *l, int32_t *tag,
                                 int32_t *row, bs_tag_truth *out, basin_error *err)
{
    bool         fresh;
    basin_status s = bs_names_add_all(&out->names, &l->tags) ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t i = 0; i < c->tags.n && !s; i++) {
        tag[i] = bs_names_add(&out->names, c->tags.item[i].text, c->tags.item[i].len, &fresh);
        s = tag[i] < 0 ? bs_fail_nomem(err) : BASIN_OK;
    }
    if (s)
        return s;
    bs_lexicon_words(l, &c->words, row);
    for (int32_t i = 0; i < c->tokens; i++) {
        out->gold[i] = c->tag[i] < 0 ? -1 : tag[c->tag[i]];
        out->unknown[i] = row[c->word[i]] == 0 || row[c->word[i]] >= l->n_trained;
    }
    return BASIN_OK;
}

basin_status bs_tag_truth_make(const bs_corpus *c, const bs_lexicon *l, bs_tag_truth *out,
                               basin_error *err)
{
    int32_t *tag = bs_calloc((size_t)c->tags.n + 1, sizeof *tag);
    int32_t *row = bs_calloc((size_t)c->words.n + 1, sizeof *row);
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->names, &out->arena);
    out->gold = bs_calloc((size_t)c->tokens + 1, sizeof *out->gold);
    out->unknown = bs_calloc((size_t)c->tokens + 1, 1);
    bool         ok = tag && row && out->gold && out->unknown;
    basin_status s = ok ? number_truth(c, l, tag, row, out, err) : bs_fail_nomem(err);
    bs_free(tag);
    bs_free(row);
    return s;
}

static void counts_free(bs_measurement *c)
{
    bs_tag_counted *own = bs_measurement_tag(c);
    if (!own)
        return;
    bs_tag_metrics_free(own->metrics);
    bs_tagset_free(&own->tags);
    bs_free(own);
    c->own = NULL;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    bs_tag_truth    c;
    bs_tag_counted *own = bs_calloc(1, sizeof *own);
    (void)threshold;
    *out = (bs_measurement){.task = &bs_task_tag, .own = own};
    if (!own)
        return bs_fail_nomem(err);
    if (!bs_dataset_tag(p)->labelled) {
        counts_free(out);
        return bs_fail(err, BASIN_EDATA, "the data has no tags to compare with");
    }
    basin_status s = bs_tag_truth_make(bs_dataset_tag(p), &bs_preprocess_tag(k)->lexicon, &c, err);
    if (!s)
        s = bs_tagset_make(&c.names, (bs_scheme)bs_preprocess_tag(k)->lexicon.scheme, &own->tags,
                           err);
    if (!s)
        s = bs_tag_metrics_new(&own->tags, how->keep_rows, &own->metrics, err);
    if (!s)
        s = bs_tag_metrics_add(own->metrics, c.gold, bs_outputs_tag(y)->tag,
                               bs_dataset_tag(p)->start, bs_dataset_tag(p)->sentences, c.unknown,
                               err);
    bs_tag_truth_free(&c);
    if (s)
        counts_free(out);
    return s;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    (void)err;
    bs_tag_metrics_finish(bs_measurement_tag(c)->metrics, out);
    return BASIN_OK;
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    return bs_tag_metrics_sampled(bs_measurement_tag(c)->metrics, out, err);
}

void *bs_tag_reading(bs_settings *s, bs_preprocess *k, const bs_option **rows)
{
    (void)s;
    *rows = bs_corpus_rows;
    return &bs_preprocess_tag(k)->text;
}

/* On tweets, named entities and chunks the chain was as good as any method with an energy, or
 * better, and faster; characters help if there are no word vectors. */
static const bs_candidate candidates[] = {
    {"chain", "crf", "chars.net=cnn", 1, false},
    {"net", "ce", "chars.net=cnn", 0.8, false},
    {"energy", "infnet+", "chars.net=cnn", 3, true},
    {.name = NULL},
};

const bs_task bs_task_tag = {
    .name = "tag",
    .help = "sequence labelling: a tag for each word of a sentence",
    .graph = &bs_task_space_tag,
    .unit = "sentences",
    .reads = BS_READS_SENTENCES,
    .method = "infnet+",
    .candidates = candidates,
    .options = " text. words. chars. columns. rules. ",
    .defaults = "net.layers=1 net.width=128 net.dropout=0.3 lr.net=0.001 lr.energy=0.001 "
                "energy.hidden=128 gbi.space=logits gbi.start=uniform gbi.lr=1 cost=l1 clip=5 "
                "clip.energy=5 epochs=100 early_stop.patience=10",
    .decides = 1u << BS_DECIDE_F1 | 1u << BS_DECIDE_SUBSET | 1u << BS_DECIDE_HAMMING,
    .metric = metrics,
    .n_metrics = BS_TAG_METRIC_COUNT,
    .shown = {{BS_TAG_METRIC_token_accuracy, "tok-acc", 12, 2, true},
              {BS_TAG_METRIC_span_f1, "span-F1", 12, 2, true},
              {BS_TAG_METRIC_sentence_accuracy, "sent-acc", 8, 2, true},
              {BS_TAG_METRIC_span_precision, "prec", 7, 2, true},
              {BS_TAG_METRIC_span_recall, "recall", 7, 2, true},
              {BS_TAG_METRIC_unknown_accuracy, "unknown", 8, 2, true},
              {BS_TAG_METRIC_ill_formed, "ill", 6, 0, false}},
    .unlabelled = true,
    .sniff = sniff,
    .read = read_files,
    .stream = stream,
    .split = split,
    .split_how = "by tags and length",
    .fit = bs_tag_fit,
    .known_read = known_read,
    .energies = energies,
    .interactions = bs_interactions_tag,
    BS_TAG_FUNCTIONS,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &bs_task_eval_tag,
    .predict_files = &bs_task_write_tag,
    .memory = &bs_task_memory_tag,
};
