/* ngrams.c -- counting n-grams of documents, keeping some, and rows of their tf-idf. */
#include "data/words/ngrams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/print.h"
#include "data/names.h"
#include "data/rows/build.h"
#include "data/text/tokenise.h"
#include "data/text/wordform.h"

enum {
    MOST_WORDS = 5, /* of an n-gram */
    MOST_CHARS = 8,
    LEAST_CHARS = 2,
    NAME_ROOM = MOST_WORDS * (BS_FORM_MAX + 1) + 3,
    MOST_COUNTED = 1 << 24, /* different ones at a time while counting */
};

/* --- the n-grams of a document ------------------------------------------- */

/* One occurrence, or several. */
typedef struct {
    uint64_t hash;
    uint32_t at, end;   /* words of the document; of characters: bytes of its forms */
    uint32_t chars : 1; /* of characters */
    uint32_t count : 31;
} gram;

typedef struct {
    size_t   at, len;
    uint64_t hash;
} word;

typedef struct {
    const bs_ngram_options *o;
    bs_buf                  forms; /* of its words, each between two blanks */
    word                   *word;
    size_t                  words, word_cap;
    gram                   *gram;
    size_t                  n, cap;
} document;

static void document_free(document *d)
{
    bs_buf_free(&d->forms);
    bs_free(d->word);
    bs_free(d->gram);
}

static document document_make(const bs_ngram_options *o)
{
    document d = {.o = o};
    bs_buf_init(&d.forms, (size_t)1 << 33);
    return d;
}

static bool add_gram(document *d, uint64_t hash, size_t at, size_t end, bool chars)
{
    if (!BS_GROW(d->gram, d->cap, d->n + 1, INT32_MAX))
        return false;
    d->gram[d->n++] = (gram){hash, (uint32_t)at, (uint32_t)end, chars, 1};
    return true;
}

static bool find_words(document *d, const char *text, size_t len)
{
    static const bs_fold lower = {.lower = true};
    bs_token             t = {0};
    int                  lines;
    bool                 ok = true;
    d->words = d->n = 0;
    bs_buf_clear(&d->forms);
    while (ok && bs_token_next(text, len, &t, &lines)) {
        char         form[BS_FORM_MAX + 1];
        const size_t n = bs_wordform(&lower, text + t.at, t.end - t.at, form);
        ok = BS_GROW(d->word, d->word_cap, d->words + 1, INT32_MAX);
        if (ok)
            d->word[d->words++] = (word){d->forms.len + 1, n, bs_hash_bytes(form, n, 1)};
        bs_buf_text(&d->forms, " ");
        bs_buf_add(&d->forms, form, n);
    }
    bs_buf_text(&d->forms, " ");
    return ok && !d->forms.failed;
}

static bool add_words(document *d)
{
    bool ok = true;
    for (size_t i = 0; ok && i < d->words; i++) {
        uint64_t hash = 2;
        for (size_t n = 0; ok && n < (size_t)d->o->words && i + n < d->words; n++) {
            hash = bs_hash_bytes(&d->word[i + n].hash, sizeof hash, hash);
            ok = add_gram(d, hash, i, i + n + 1, false);
        }
    }
    return ok;
}

/* Of the word and the blanks beside it. */
static bool add_characters(document *d, const word *w)
{
    const char  *text = d->forms.data;
    const size_t last = w->at + w->len + 1;
    bool         ok = true;
    for (size_t at = w->at - 1; ok && at < last;) {
        uint32_t     c;
        size_t       end = at;
        const size_t step = bs_char_next(text + at, last - at, &c);
        for (int n = 1; ok && n <= d->o->chars && end < last; n++) {
            end += bs_char_next(text + end, last - end, &c);
            if (n >= LEAST_CHARS)
                ok = add_gram(d, bs_hash_bytes(text + at, end - at, 3), at, end, true);
        }
        at += step;
    }
    return ok;
}

static int by_hash(const void *a, const void *b)
{
    const gram *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* All n-grams of a text, each once, with their counts. */
static basin_status grams_of(document *d, const bs_row_text *text, basin_error *err)
{
    bool ok = find_words(d, text->bytes, text->n) && add_words(d);
    for (size_t i = 0; ok && d->o->chars >= LEAST_CHARS && i < d->words; i++)
        ok = add_characters(d, &d->word[i]);
    if (!ok)
        return bs_fail_nomem(err);
    size_t kept = 0;
    if (d->n > 1)
        qsort(d->gram, d->n, sizeof *d->gram, by_hash);
    for (size_t i = 0; i < d->n; i++)
        if (kept > 0 && d->gram[i].hash == d->gram[kept - 1].hash)
            d->gram[kept - 1].count++;
        else
            d->gram[kept++] = d->gram[i];
    d->n = kept;
    return BASIN_OK;
}

/* "\"good movie\"" or "'ood '" */
static size_t name_of(const document *d, const gram *g, char out[NAME_ROOM])
{
    const size_t from = g->chars ? g->at : d->word[g->at].at;
    const word  *last = g->chars ? NULL : &d->word[g->end - 1];
    const size_t to = g->chars ? g->end : last->at + last->len, n = to - from;
    out[0] = g->chars ? '\'' : '"';
    memcpy(out + 1, d->forms.data + from, n);
    out[n + 1] = out[0];
    out[n + 2] = '\0';
    return n + 2;
}

/* --- counting ------------------------------------------------------------ */

/* How many documents have an n-gram; 0: the slot is free. */
typedef struct {
    uint64_t hash;
    int32_t  rows;
    int32_t  number; /* among the candidates, later */
} counted;

typedef struct {
    counted *slot;
    size_t   slots, n;
} table;

static counted *slot_of(const table *t, uint64_t hash)
{
    size_t i = hash & (t->slots - 1);
    while (t->slot[i].rows && t->slot[i].hash != hash)
        i = (i + 1) & (t->slots - 1);
    return &t->slot[i];
}

/* A table of this size with those that more than `least` documents have. */
static bool rebuild(table *t, size_t slots, int32_t least)
{
    table to = {bs_calloc(slots, sizeof *to.slot), slots, 0};
    for (size_t i = 0; to.slot && i < t->slots; i++)
        if (t->slot[i].rows > least) {
            *slot_of(&to, t->slot[i].hash) = t->slot[i];
            to.n++;
        }
    if (!to.slot)
        return false;
    bs_free(t->slot);
    *t = to;
    return true;
}

/* Makes room for one more. If there are too many, those of a single document so far are forgotten:
 * nearly all of these would not be kept. */
static bool make_room(table *t)
{
    if (2 * (t->n + 1) <= t->slots)
        return true;
    if (t->n >= MOST_COUNTED && !rebuild(t, t->slots, 1))
        return false;
    return 2 * (t->n + 1) <= t->slots || rebuild(t, t->slots ? 2 * t->slots : 1 << 16, 0);
}

static bool count_document(const document *d, table *t)
{
    for (size_t i = 0; i < d->n; i++) {
        if (!make_room(t))
            return false;
        counted *c = slot_of(t, d->gram[i].hash);
        t->n += c->rows == 0;
        c->hash = d->gram[i].hash;
        c->rows++;
    }
    return true;
}

static basin_status count_rows(const bs_rows *train, document *d, table *t, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int32_t r = 0; !s && r < train->rows; r++) {
        s = grams_of(d, &train->document[r], err);
        if (!s && !count_document(d, t))
            s = bs_fail_nomem(err);
    }
    return s;
}

bool bs_texts_summary(const bs_rows *ds, bs_text_summary *out)
{
    const bs_ngram_options o = {.words = 1};
    document               d = document_make(&o);
    table                  t = {0};
    bool                   ok = true;
    *out = (bs_text_summary){0};
    for (int32_t r = 0; ok && r < ds->rows; r++) {
        ok = !grams_of(&d, &ds->document[r], NULL);
        out->words += (int64_t)d.words;
        out->longest = (int32_t)d.words > out->longest ? (int32_t)d.words : out->longest;
        out->empty += d.words == 0;
        ok = ok && count_document(&d, &t);
    }
    for (size_t i = 0; i < t.slots; i++) {
        out->different += t.slot[i].rows > 0;
        out->once += t.slot[i].rows == 1;
    }
    bs_free(t.slot);
    document_free(&d);
    return ok;
}

/* --- choosing ------------------------------------------------------------ */

typedef struct {
    const char *name;
    uint64_t    hash;
    int32_t     rows;
} candidate;

static int by_rows(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->rows != y->rows ? (x->rows < y->rows) - (x->rows > y->rows)
                              : strcmp(x->name, y->name);
}

static int descending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x < y) - (x > y);
}

/* How many documents an n-gram needs to be a candidate: some with as many may be left out. */
static basin_status find_least(const table *t, const bs_ngram_options *o, int32_t *least,
                               size_t *candidates, basin_error *err)
{
    int32_t *rows = bs_alloc((t->n + 1) * sizeof *rows);
    size_t   n = 0;
    if (!rows)
        return bs_fail_nomem(err);
    for (size_t i = 0; i < t->slots; i++)
        if (t->slot[i].rows >= o->rows)
            rows[n++] = t->slot[i].rows;
    if (n > 1)
        qsort(rows, n, sizeof *rows, descending);
    *least = n > (size_t)o->limit ? rows[o->limit - 1] : o->rows;
    *candidates = 0;
    while (*candidates < n && rows[*candidates] >= *least)
        ++*candidates;
    bs_free(rows);
    return BASIN_OK;
}

/* The names of candidates, found by going through the documents again. */
static basin_status name_candidates(const bs_rows *train, document *d, table *t, int32_t least,
                                    bs_arena *names, candidate *out, size_t *n, basin_error *err)
{
    basin_status s = BASIN_OK;
    char         name[NAME_ROOM];
    for (int32_t r = 0; !s && r < train->rows; r++) {
        s = grams_of(d, &train->document[r], err);
        for (size_t i = 0; !s && i < d->n; i++) {
            counted *c = slot_of(t, d->gram[i].hash);
            if (c->rows < least || c->number)
                continue;
            const size_t len = name_of(d, &d->gram[i], name);
            c->number = 1;
            out[*n] = (candidate){bs_arena_copy(names, name, len), c->hash, c->rows};
            if (!out[(*n)++].name)
                return bs_fail_nomem(err);
        }
    }
    return s;
}

/* Room for n of them; so far there are none. */
static basin_status begin(bs_ngrams *g, size_t n, bs_arena *arena, basin_error *err)
{
    g->n = 0;
    for (g->slots = 16; g->slots < 2 * n;)
        g->slots *= 2;
    g->name = bs_arena_alloc(arena, (n + 1) * sizeof *g->name);
    g->idf = bs_arena_alloc(arena, (n + 1) * sizeof *g->idf);
    g->hash = bs_arena_alloc(arena, (n + 1) * sizeof *g->hash);
    g->slot = bs_arena_alloc(arena, g->slots * sizeof *g->slot);
    if (!g->name || !g->idf || !g->hash || !g->slot)
        return bs_fail_nomem(err);
    memset(g->slot, -1, g->slots * sizeof *g->slot);
    return BASIN_OK;
}

/* The slot with the number of an n-gram, or the free one where it belongs. */
static int32_t *number_of(const bs_ngrams *g, uint64_t hash)
{
    size_t k = hash & (g->slots - 1);
    while (g->slot[k] >= 0 && g->hash[g->slot[k]] != hash)
        k = (k + 1) & (g->slots - 1);
    return &g->slot[k];
}

static basin_status add(bs_ngrams *g, bs_arena *arena, const char *name, float idf, uint64_t hash,
                        basin_error *err)
{
    const char *copy = bs_arena_copy(arena, name, strlen(name));
    if (!copy)
        return bs_fail_nomem(err);
    g->name[g->n] = copy;
    g->idf[g->n] = idf;
    g->hash[g->n] = hash;
    *number_of(g, hash) = g->n++;
    return BASIN_OK;
}

static basin_status keep(const candidate *list, size_t n, int32_t rows, bs_arena *arena,
                         bs_ngrams *g, basin_error *err)
{
    basin_status s = begin(g, n, arena, err);
    double       mean[2] = {0, 0};
    for (size_t i = 0; !s && i < n; i++) {
        mean[list[i].name[0] == '\''] += (double)list[i].rows / rows;
        s = add(g, arena, list[i].name, (float)(1 + log((1.0 + rows) / (1.0 + list[i].rows))),
                list[i].hash, err);
    }
    for (int i = 0; i < 2; i++)
        g->length[i] = (float)sqrt(mean[i]);
    return s;
}

basin_status bs_ngrams_fit(const bs_rows *train, const bs_ngram_options *o, bs_arena *arena,
                           bs_ngrams *out, basin_error *err)
{
    document     d = document_make(o);
    table        t = {0};
    bs_arena     names;
    candidate   *list = NULL;
    size_t       n = 0, found = 0;
    int32_t      least = 0;
    basin_status s = count_rows(train, &d, &t, err);
    bs_arena_init(&names, 0);
    *out = (bs_ngrams){.o = *o};
    if (!s)
        s = find_least(&t, o, &least, &n, err);
    if (!s && n == 0)
        s = bs_fail(err, BASIN_EDATA,
                    "no word of the texts occurs in %d of them (ngrams.rows): there is nothing to "
                    "learn from",
                    o->rows);
    if (!s && !(list = bs_alloc((n + 1) * sizeof *list)))
        s = bs_fail_nomem(err);
    if (!s)
        s = name_candidates(train, &d, &t, least, &names, list, &found, err);
    if (!s) {
        qsort(list, found, sizeof *list, by_rows);
        found = found < (size_t)o->limit ? found : (size_t)o->limit;
        s = keep(list, found, train->rows, arena, out, err);
    }
    bs_free(list);
    bs_free(t.slot);
    bs_arena_free(&names);
    document_free(&d);
    return s;
}

basin_status bs_ngrams_copy(const bs_ngrams *g, bs_arena *arena, bs_ngrams *out, basin_error *err)
{
    *out = *g;
    basin_status s = begin(out, (size_t)g->n, arena, err);
    for (int32_t i = 0; !s && i < g->n; i++)
        s = add(out, arena, g->name[i], g->idf[i], g->hash[i], err);
    return s;
}

/* --- rows ---------------------------------------------------------------- */

basin_status bs_ngrams_schema(const bs_ngrams *g, const bs_schema *columns, bs_arena *arena,
                              bs_schema *out, basin_error *err)
{
    const int32_t D = columns->n_features;
    bs_feature   *list = bs_arena_alloc(arena, ((size_t)D + (size_t)g->n + 1) * sizeof *list);
    if (!list)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < D; i++) {
        char        number[24];
        const int   n = bs_print(number, sizeof number, "f%d", (int)i);
        const char *name = columns->feature ? "" : bs_arena_copy(arena, number, (size_t)n);
        if (!name)
            return bs_fail_nomem(err);
        list[i] =
            columns->feature ? columns->feature[i] : (bs_feature){.name = name, .attribute = name};
    }
    for (int32_t i = 0; i < g->n; i++)
        list[D + i] = (bs_feature){.name = g->name[i], .attribute = g->name[i]};
    *out = *columns;
    out->n_features = D + g->n;
    out->feature = list;
    out->dense = out->binary = false;
    out->fill = out->mean = out->scale = NULL;
    return BASIN_OK;
}

static bool push(bs_entries *e, int32_t feature, float value)
{
    if (e->n == e->cap && !bs_entries_room(e, true))
        return false;
    e->index[e->n] = feature;
    e->value[e->n++] = value;
    return true;
}

/* A value of a column as the net is to see it. */
static bool put_column(const bs_schema *columns, int32_t f, float v, bs_entries *to)
{
    if (isnan(v))
        v = columns->fill ? columns->fill[f] : 0;
    if (columns->mean)
        v = (v - columns->mean[f]) * columns->scale[f];
    return v == 0 || push(to, f, v);
}

static bool put_columns(const bs_rows *ds, const bs_schema *columns, int32_t row, bs_entries *to)
{
    int32_t       f = 0;
    bool          ok = true;
    const int32_t end = columns->mean ? columns->n_features : 0;
    for (int32_t e = ds->x.start[row]; ok && e < ds->x.start[row + 1]; e++, f++) {
        for (; ok && f < ds->x.index[e] && columns->mean; f++)
            ok = put_column(columns, f, 0, to);
        f = ds->x.index[e];
        ok = ok && put_column(columns, f, ds->x.value ? ds->x.value[e] : 1, to);
    }
    for (; ok && f < end; f++)
        ok = put_column(columns, f, 0, to);
    return ok;
}

/* tf-idf of a document. */
static bool put_grams(const bs_ngrams *g, const document *d, int32_t first, bs_entries *to)
{
    const size_t from = to->n;
    double       square[2] = {0, 0};
    for (size_t i = 0; i < d->n; i++) {
        const int32_t k = *number_of(g, d->gram[i].hash);
        if (k < 0)
            continue;
        const float v = (float)(1 + log((double)d->gram[i].count)) * g->idf[k];
        square[d->gram[i].chars] += (double)v * (double)v;
        if (!push(to, first + k, v))
            return false;
    }
    for (size_t e = from; e < to->n; e++) {
        const int chars = g->name[to->index[e] - first][0] == '\'';
        to->value[e] *= (float)((double)g->length[chars] / sqrt(square[chars]));
    }
    if (from < to->n) /* else there may be no arrays yet */
        bs_sort_entries(to->index + from, to->value + from, to->n - from);
    return true;
}

basin_status bs_ngrams_apply(const bs_ngrams *g, const bs_schema *columns, const bs_schema *all,
                             bs_rows *ds, int32_t *unknown, basin_error *err)
{
    document     d = document_make(&g->o);
    bs_entries   x = {0};
    int32_t     *start = bs_alloc(((size_t)ds->rows + 1) * sizeof *start);
    basin_status s = start ? BASIN_OK : bs_fail_nomem(err);
    *unknown = 0;
    if (!s)
        start[0] = 0;
    for (int32_t r = 0; !s && r < ds->rows; r++) {
        s = grams_of(&d, &ds->document[r], err);
        if (!s && !put_columns(ds, columns, r, &x))
            s = bs_fail_nomem(err);
        const size_t before = x.n;
        if (!s && !put_grams(g, &d, columns->n_features, &x))
            s = bs_fail_nomem(err);
        *unknown += x.n == before;
        if (!s)
            start[r + 1] = (int32_t)x.n;
    }
    document_free(&d);
    if (s) {
        bs_free(start);
        bs_free(x.index);
        bs_free(x.value);
        return s;
    }
    bs_free(ds->x_start);
    bs_free(ds->x_index);
    bs_free(ds->x_value);
    ds->x_start = start;
    ds->x_index = x.index;
    ds->x_value = x.value;
    ds->schema = *all;
    ds->x = (bs_csr){ds->rows, all->n_features, start, x.index, x.value};
    ds->n_missing = 0;
    return BASIN_OK;
}

/* --- the model file ------------------------------------------------------ */

void bs_ngrams_json(const bs_ngrams *g, bs_buf *out)
{
    bs_json_open(out, "ngrams", '{');
    bs_json_members(out, "words %d chars %d limit %d rows %d", g->o.words, g->o.chars, g->o.limit,
                    g->o.rows);
    bs_json_real(out, "length", (double)g->length[0]);
    bs_json_real(out, "length_chars", (double)g->length[1]);
    bs_json_texts(out, "names", g->name, g->n);
    bs_json_open(out, "idf", '[');
    for (int32_t i = 0; i < g->n; i++)
        bs_json_real(out, NULL, (double)g->idf[i]);
    bs_json_close(out, ']');
    bs_json_close(out, '}');
}

static basin_status refuse(const char *where, const char *what, basin_error *err)
{
    return bs_fail(err, BASIN_EDATA, "%s: its n-grams are damaged: %s", where, what);
}

/* The hash that an n-gram has in a document. */
static uint64_t hash_of(const char *name, size_t len)
{
    const char *p = name + 1, *end = name + len - 1;
    uint64_t    hash = 2;
    if (name[0] == '\'')
        return bs_hash_bytes(p, (size_t)(end - p), 3);
    while (p < end) {
        const char    *cut = memchr(p, ' ', (size_t)(end - p));
        const size_t   n = (size_t)((cut ? cut : end) - p);
        const uint64_t one = bs_hash_bytes(p, n, 1);
        hash = bs_hash_bytes(&one, sizeof one, hash);
        p += n + (cut != NULL);
    }
    return hash;
}

static basin_status take_names(const json_t *names, const json_t *values, const char *where,
                               bs_arena *arena, bs_ngrams *g, basin_error *err)
{
    const size_t n = json_array_size(names);
    if (n < 1 || n > INT32_MAX / 4 || json_array_size(values) != n)
        return refuse(where, "there are not as many weights as names", err);
    basin_status s = begin(g, n, arena, err);
    for (size_t i = 0; !s && i < n; i++) {
        const json_t *text = json_array_get(names, i);
        const char   *name = json_string_value(text);
        const size_t  len = json_string_length(text);
        const double  weight = json_number_value(json_array_get(values, i));
        if (!name || strlen(name) != len || len < 3 || !strchr("\"'", *name) ||
            name[len - 1] != *name)
            return refuse(where, "a name is not in quotes", err);
        if (!(weight >= 1 && weight < 100))
            return refuse(where, "a weight is not from 1 to 100", err);
        const uint64_t hash = hash_of(name, len);
        s = *number_of(g, hash) < 0 ? add(g, arena, name, (float)weight, hash, err)
                                    : refuse(where, "a name occurs twice", err);
    }
    return s;
}

static int int_in(const json_t *object, const char *key, int least, int most, bool *ok)
{
    const json_t    *v = json_object_get(object, key);
    const json_int_t i = json_integer_value(v);
    *ok = *ok && json_is_integer(v) && i >= least && i <= most;
    return *ok ? (int)i : 0;
}

basin_status bs_ngrams_from_json(const json_t *json, const char *where, bs_arena *arena,
                                 bs_ngrams *out, basin_error *err)
{
    bool ok = true;
    *out = (bs_ngrams){.o.words = int_in(json, "words", 0, MOST_WORDS, &ok)};
    out->o.chars = int_in(json, "chars", 0, MOST_CHARS, &ok);
    out->o.limit = int_in(json, "limit", 1, INT32_MAX, &ok);
    out->o.rows = int_in(json, "rows", 1, INT32_MAX, &ok);
    static const char *const length[] = {"length", "length_chars"};
    for (int i = 0; i < 2; i++) {
        const double v = json_number_value(json_object_get(json, length[i]));
        ok = ok && v >= 0 && v < 1e6;
        out->length[i] = (float)v;
    }
    if (!ok)
        return refuse(where, "a setting is out of range", err);
    return take_names(json_object_get(json, "names"), json_object_get(json, "idf"), where, arena,
                      out, err);
}
