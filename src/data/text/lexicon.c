/* lexicon.c -- what a tagging model keeps of its training data; see lexicon.h.
 *
 * The words of the table are forms (wordform.h) of spellings in the training data, most frequent
 * first: what a batch reads is close together, and words seen once are contiguous. After them come
 * words unknown to training that have a vector: rare ones, those of other files, and with
 * words.keep = all every word of the vectors.
 *
 * Training also reads unlabelled sentences, but only labelled ones decide which words count as
 * known, seen once or rare. A word found only in unlabelled sentences gets a row after the others
 * if it occurs twice (and min_count times), so that it can be learned; seen once, it is the unknown
 * word, as it would be later. */
#include "data/text/lexicon.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/scan.h"

void bs_lexicon_init(bs_lexicon *l)
{
    *l = (bs_lexicon){0};
    bs_arena_init(&l->arena, 0);
    bs_names_init(&l->words, &l->arena);
    bs_names_init(&l->characters, &l->arena);
    bs_names_init(&l->tags, &l->arena);
    for (int i = 0; i < BS_LEXICON_COLUMNS; i++)
        bs_names_init(&l->value[i], &l->arena);
    bs_clusters_init(&l->clusters);
}

void bs_lexicon_free(bs_lexicon *l)
{
    bs_names_free(&l->words);
    bs_names_free(&l->characters);
    bs_names_free(&l->tags);
    for (int i = 0; i < BS_LEXICON_COLUMNS; i++)
        bs_names_free(&l->value[i]);
    bs_clusters_free(&l->clusters);
    bs_arena_free(&l->arena);
    bs_lexicon_init(l);
}

bs_fold bs_lexicon_fold(const bs_lexicon *l)
{
    return (bs_fold){.lower = l->lower, .digits = l->fold_digits, .tweets = l->fold_tweets};
}

basin_status bs_lexicon_wanted(const bs_lexicon_options *o, const bs_names *words, bs_names *wanted,
                               basin_error *err)
{
    bs_fold fold = {.lower = o->lower, .digits = o->digits, .tweets = o->tweets};
    for (int32_t i = 0; i < words->n; i++) {
        bs_spelling s[BS_SPELLINGS];
        bool        fresh;
        int         n = bs_spellings(&fold, words->item[i].text, words->item[i].len, s);
        for (int k = 0; k < n; k++)
            if (bs_names_add(wanted, s[k].text, s[k].len, &fresh) < 0)
                return bs_fail_nomem(err);
    }
    return BASIN_OK;
}

/* --- fitting ------------------------------------------------------------- */

typedef struct {
    int64_t count, unlabelled; /* in labelled and in unlabelled sentences */
    int32_t form;
    bool    has_vector;
} tally;

typedef struct {
    const bs_lexicon_options *o;
    const bs_words_source    *train;
    const bs_names           *other;
    const bs_vectors         *vectors;
    const bs_clusters        *clusters;
    bs_lexicon               *out;
    bs_notes                 *notes;
    basin_error              *err;
    bs_fold                   fold;

    int64_t *count;    /* of each spelling in train */
    int64_t *labelled; /* of those, in labelled sentences */
    bs_arena scratch;
    bs_names forms; /* of the spellings that occur */
    tally   *tally; /* [forms.n] */
} fitting;

static basin_status add(fitting *f, bs_names *names, const char *text, size_t len)
{
    bool fresh;
    return bs_names_add(names, text, len, &fresh) < 0 ? bs_fail_nomem(f->err) : BASIN_OK;
}

static bool has_vector(const fitting *f, const char *text, size_t len)
{
    return f->vectors && bs_find_spelling(&f->vectors->words, &f->fold, text, len) >= 0;
}

static basin_status count_words(fitting *f)
{
    const bs_names *words = f->train->words;
    size_t          n = (size_t)words->n + 1;
    f->count = bs_calloc(n, sizeof *f->count);
    f->labelled = bs_calloc(n, sizeof *f->labelled);
    f->tally = bs_calloc(n, sizeof *f->tally);
    if (!f->count || !f->labelled || !f->tally)
        return bs_fail_nomem(f->err);
    for (int32_t t = 0; t < f->train->tokens; t++) {
        f->count[f->train->word[t]]++;
        f->labelled[f->train->word[t]] += t < f->train->tokens - f->train->unlabelled;
    }
    for (int32_t i = 0; i < words->n; i++) {
        char   form[BS_FORM_MAX + 1];
        bool   fresh;
        size_t len = bs_wordform(&f->fold, words->item[i].text, words->item[i].len, form);
        if (f->count[i] == 0)
            continue;
        int32_t k = bs_names_add(&f->forms, form, len, &fresh);
        if (k < 0)
            return bs_fail_nomem(f->err);
        f->tally[k].form = k;
        f->tally[k].count += f->labelled[i];
        f->tally[k].unlabelled += f->count[i] - f->labelled[i];
        if (fresh)
            f->tally[k].has_vector = has_vector(f, form, len);
    }
    return BASIN_OK;
}

static int more_often(const void *a, const void *b)
{
    const tally *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->form < y->form ? -1 : x->form > y->form;
}

/* Adds words that training does not know but that have a vector. */
static basin_status add_others(fitting *f, const bs_names *words)
{
    basin_status s = BASIN_OK;
    for (int32_t i = 0; words && !s && i < words->n; i++) {
        char   form[BS_FORM_MAX + 1];
        size_t len = bs_wordform(&f->fold, words->item[i].text, words->item[i].len, form);
        if (has_vector(f, form, len))
            s = add(f, &f->out->words, form, len);
    }
    return s;
}

/* Adds words learned from unlabelled sentences only. */
static basin_status add_unlabelled(fitting *f)
{
    const int    least = f->o->min_count > 2 ? f->o->min_count : 2;
    basin_status s = BASIN_OK;
    for (int32_t i = 0; !s && i < f->forms.n; i++) {
        const tally *t = &f->tally[i];
        if (t->unlabelled > 0 && t->count + t->unlabelled >= least)
            s = add(f, &f->out->words, f->forms.item[t->form].text, f->forms.item[t->form].len);
    }
    return s;
}

static basin_status fit_words(fitting *f)
{
    bs_lexicon  *l = f->out;
    basin_status s = add(f, &l->words, BS_UNKNOWN, strlen(BS_UNKNOWN));
    int64_t      known = 0;
    l->n_repeated = 1;
    qsort(f->tally, (size_t)f->forms.n, sizeof *f->tally, more_often);
    for (int32_t i = 0; !s && i < f->forms.n; i++) {
        const tally *t = &f->tally[i];
        known += t->has_vector ? t->count : 0;
        if (t->count >= f->o->min_count)
            s = add(f, &l->words, f->forms.item[t->form].text, f->forms.item[t->form].len);
        if (t->count > 1)
            l->n_repeated = l->words.n;
    }
    if (s)
        return s;
    l->n_trained = l->words.n;
    s = add_unlabelled(f);
    const int32_t learned = l->words.n;
    if (!s)
        s = add_others(f, &f->forms);
    if (!s)
        s = add_others(f, f->other);
    if (!s && f->vectors && strcmp(f->o->keep, "all") == 0)
        s = add_others(f, &f->vectors->words);
    int32_t labelled = f->train->tokens - f->train->unlabelled;
    if (!s && f->vectors)
        bs_notes_add(f->notes, known ? "vectors" : BS_NOTE_WARNING,
                     "%.1f %% of the training tokens have a vector; %d words have only that",
                     100.0 * (double)known / (double)(labelled ? labelled : 1),
                     (int)(l->words.n - learned));
    return s;
}

/* --- columns ------------------------------------------------------------- */

/* A new column; its value 0 is the unknown one. */
static basin_status add_column(fitting *f, const char *name, int source, int prefix)
{
    bs_lexicon *l = f->out;
    if (l->columns == BS_LEXICON_COLUMNS)
        return bs_fail(f->err, BASIN_EARG, "more than %d feature columns", BS_LEXICON_COLUMNS);
    int c = l->columns++;
    l->column_source[c] = source;
    l->column_prefix[c] = prefix;
    l->column_name[c] = bs_arena_copy(&l->arena, name, strlen(name));
    if (!l->column_name[c])
        return bs_fail_nomem(f->err);
    return add(f, &l->value[c], BS_UNKNOWN, strlen(BS_UNKNOWN));
}

static basin_status fit_column(fitting *f, int source)
{
    const bs_words_source *t = f->train;
    const bs_names        *value = &t->value[source];
    char                   name[32];
    bs_print(name, sizeof name, "column %d", t->column[source]);
    basin_status s = add_column(f, name, source, 0);
    uint8_t     *seen = bs_calloc((size_t)value->n + 1, 1);
    if (!s && !seen)
        s = bs_fail_nomem(f->err);
    for (int32_t i = 0; !s && i < t->tokens; i++)
        seen[t->feature[source][i]] = 1;
    for (int32_t i = 0; !s && i < value->n; i++) {
        char   form[BS_FORM_MAX + 1];
        size_t len = bs_wordform(NULL, value->item[i].text, value->item[i].len, form);
        if (seen[i])
            s = add(f, &f->out->value[f->out->columns - 1], form, len);
    }
    bs_free(seen);
    return s;
}

static basin_status fit_case(fitting *f)
{
    basin_status s = add_column(f, "case", -1 - BS_COLUMN_CASE, 0);
    for (int i = 0; !s && i < BS_CASE_COUNT; i++)
        s = add(f, &f->out->value[f->out->columns - 1], bs_case_names[i], strlen(bs_case_names[i]));
    return s;
}

/* --- clusters ------------------------------------------------------------ */

/* "4,8,all" as 4, 8, 0. */
static basin_status parse_prefixes(const char *text, int out[BS_LEXICON_PREFIXES], int *n,
                                   basin_error *err)
{
    *n = 0;
    for (const char *p = text; *p;) {
        int64_t     bits = 0;
        const char *end = bs_skip_blanks(p);
        bool        ok = true;
        if (strncmp(end, "all", 3) == 0) {
            end += 3;
        } else {
            end = bs_scan_index(end, &bits);
            ok = end && bits >= 1 && bits <= BS_PATH_MAX;
        }
        if (end)
            end = bs_skip_blanks(end);
        if (!ok || *n == BS_LEXICON_PREFIXES || (*end && *end != ',') || (*end && !end[1]))
            return bs_fail(err, BASIN_EARG,
                           "words.cluster_prefixes: '%.40s' is not a list of at most %d numbers "
                           "from 1 to %d or 'all', as in 4,8,12,all",
                           text, (int)BS_LEXICON_PREFIXES, (int)BS_PATH_MAX);
        for (int i = 0; i < *n; i++)
            if (out[i] == (int)bits)
                return bs_fail(err, BASIN_EARG, "words.cluster_prefixes: '%.40s' repeats itself",
                               text);
        out[(*n)++] = (int)bits;
        p = end + (*end == ',');
    }
    return BASIN_OK;
}

/* Under their forms: what the model file holds is valid UTF-8. */
static basin_status keep_clusters(fitting *f)
{
    const bs_clusters *c = f->clusters;
    for (int32_t i = 0; i < c->n; i++) {
        const bs_name *word = &c->words.item[i], *path = &c->paths.item[c->path[i]];
        char           form[BS_FORM_MAX + 1];
        bool           fresh;
        size_t         len = bs_wordform(NULL, word->text, word->len, form);
        if (!bs_clusters_add(&f->out->clusters, form, len, path->text, path->len, &fresh))
            return bs_fail_nomem(f->err);
    }
    return BASIN_OK;
}

/* Only prefixes seen in training have a value: nothing is learned about others. */
static basin_status fit_prefix(fitting *f, int bits)
{
    char name[32] = "cluster:all";
    if (bits)
        bs_print(name, sizeof name, "cluster:%d", bits);
    const bs_clusters *c = &f->out->clusters;
    const bs_names    *words = f->train->words;
    basin_status       s = add_column(f, name, -1 - BS_COLUMN_CLUSTER, bits);
    for (int32_t i = 0; !s && i < words->n; i++) {
        const bs_name *word = &words->item[i];
        int32_t        k = -1;
        if (f->count[i])
            k = bs_find_spelling(&c->words, &f->fold, word->text, word->len);
        if (k < 0)
            continue;
        const bs_name *path = &c->paths.item[c->path[k]];
        size_t         len = bits && (size_t)bits < path->len ? (size_t)bits : path->len;
        s = add(f, &f->out->value[f->out->columns - 1], path->text, len);
    }
    return s;
}

static basin_status fit_clusters(fitting *f)
{
    int          prefix[BS_LEXICON_PREFIXES], n;
    basin_status s = parse_prefixes(f->o->cluster_prefixes, prefix, &n, f->err);
    if (s || !f->clusters)
        return s;
    s = keep_clusters(f);
    for (int i = 0; !s && i < n; i++)
        s = fit_prefix(f, prefix[i]);
    if (s)
        return s;
    int64_t known = 0;
    for (int32_t i = 0; i < f->train->words->n; i++) {
        const bs_name *word = &f->train->words->item[i];
        if (f->count[i] &&
            bs_find_spelling(&f->out->clusters.words, &f->fold, word->text, word->len) >= 0)
            known += f->count[i];
    }
    bs_notes_add(f->notes, "clusters", "%.1f %% of the training tokens have a cluster",
                 100.0 * (double)known / (double)(f->train->tokens ? f->train->tokens : 1));
    return s;
}

/* --- characters, tags ---------------------------------------------------- */

static basin_status count_characters(fitting *f, bs_names *found, int64_t **count, size_t *cap)
{
    const bs_names *words = f->train->words;
    for (int32_t i = 0; i < words->n; i++) {
        const bs_name *word = &words->item[i];
        for (size_t at = 0; f->count[i] && at < word->len;) {
            uint32_t c;
            char     bytes[4];
            bool     fresh;
            at += bs_char_next(word->text + at, word->len - at, &c);
            int32_t k = bs_names_add(found, bytes, bs_char_put(c, bytes), &fresh);
            if (k < 0 || !BS_GROW(*count, *cap, (size_t)found->n, INT32_MAX))
                return bs_fail_nomem(f->err);
            (*count)[k] = (fresh ? 0 : (*count)[k]) + f->count[i];
        }
    }
    return BASIN_OK;
}

static basin_status fit_characters(fitting *f)
{
    bs_names    *out = &f->out->characters;
    bs_names     found;
    int64_t     *count = NULL;
    size_t       cap = 0;
    basin_status s = add(f, out, BS_PADDING, strlen(BS_PADDING));
    bs_names_init(&found, &f->scratch);
    if (!s)
        s = add(f, out, BS_UNKNOWN, strlen(BS_UNKNOWN));
    if (!s)
        s = count_characters(f, &found, &count, &cap);
    for (int32_t i = 0; !s && i < found.n; i++)
        if (count[i] >= f->o->char_min_count)
            s = add(f, out, found.item[i].text, found.item[i].len);
    f->out->max_characters = f->o->char_max_length;
    bs_names_free(&found);
    bs_free(count);
    return s;
}

/* Tags are output: unlike other texts they are kept exactly or not at all. */
static basin_status fit_tags(fitting *f)
{
    const bs_names *tags = f->train->tags;
    basin_status    s = BASIN_OK;
    if (!tags || tags->n == 0)
        return bs_fail(f->err, BASIN_EDATA, "the training data has no tags");
    for (int32_t i = 0; !s && i < tags->n; i++) {
        const bs_name *tag = &tags->item[i];
        if (tag->len == 0 || tag->len > BS_FORM_MAX || !bs_is_utf8(tag->text, tag->len) ||
            memchr(tag->text, 0, tag->len))
            s = bs_fail(f->err, BASIN_EDATA, "the tag '%.*s' is not UTF-8 of 1 to %d bytes",
                        bs_show(tag->text, tag->len), tag->text, (int)BS_FORM_MAX);
        else
            s = add(f, &f->out->tags, tag->text, tag->len);
    }
    f->out->scheme = f->train->scheme;
    return s;
}

basin_status bs_lexicon_fit(const bs_lexicon_options *o, const bs_words_source *train,
                            const bs_names *other_words, const bs_vectors *vectors,
                            const bs_clusters *clusters, bs_lexicon *out, bs_notes *notes,
                            basin_error *err)
{
    fitting f = {.o = o,
                 .train = train,
                 .other = other_words,
                 .vectors = vectors,
                 .clusters = clusters,
                 .out = out,
                 .notes = notes,
                 .err = err};
    bs_lexicon_init(out);
    bs_arena_init(&f.scratch, 0);
    bs_names_init(&f.forms, &f.scratch);
    out->lower = o->lower;
    out->fold_digits = o->digits;
    out->fold_tweets = o->tweets;
    f.fold = bs_lexicon_fold(out);

    basin_status s = fit_tags(&f);
    if (!s)
        s = count_words(&f);
    if (!s)
        s = fit_words(&f);
    for (int i = 0; !s && i < train->columns; i++)
        s = fit_column(&f, i);
    if (!s && o->shape)
        s = fit_case(&f);
    if (!s)
        s = fit_clusters(&f);
    if (!s)
        s = fit_characters(&f);
    bs_names_free(&f.forms);
    bs_free(f.count);
    bs_free(f.labelled);
    bs_free(f.tally);
    bs_arena_free(&f.scratch);
    if (s)
        bs_lexicon_free(out);
    return s;
}

int32_t bs_lexicon_fill(const bs_lexicon *l, const bs_vectors *v, float scale, float *table,
                        uint8_t *known)
{
    const size_t D = (size_t)v->dim;
    bs_fold      fold = bs_lexicon_fold(l);
    int32_t      n = 0;
    for (int32_t i = 1; i < l->words.n; i++) {
        const bs_name *word = &l->words.item[i];
        int32_t        k = bs_find_spelling(&v->words, &fold, word->text, word->len);
        if (k < 0)
            continue;
        for (size_t d = 0; d < D; d++)
            table[(size_t)i * D + d] = scale * v->value[(size_t)k * D + d];
        known[i] = 1;
        n++;
    }
    return n;
}

int bs_lexicon_columns(const bs_lexicon *l)
{
    int n = 0;
    while (n < l->columns && l->column_source[n] >= 0)
        n++;
    return n;
}
