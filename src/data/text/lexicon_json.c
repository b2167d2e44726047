/* lexicon_json.c -- the lexicon as JSON, for the model file; any bytes load or are refused. */
#include <string.h>

#include "base/tree.h"
#include "data/rows/write.h"
#include "data/text/lexicon.h"

static const char *const kind_names[BS_COLUMN_KINDS] = {
    [BS_COLUMN_CASE] = "case",
    [BS_COLUMN_CLUSTER] = "cluster",
};

enum { MOST_SOURCES = 1 << 16, MOST_SCHEMES = 64 };

/* --- writing ------------------------------------------------------------- */

static basin_status to_buf(void *to, const void *bytes, size_t n, basin_error *err)
{
    (void)err;
    bs_buf_add(to, bytes, n);
    return BASIN_OK;
}

static void put_bool(bs_writing *w, const char *key, bool value)
{
    bs_put(w, key);
    bs_put(w, value ? "true" : "false");
}

static void put_int(bs_writing *w, const char *key, int value)
{
    bs_put(w, key);
    bs_put_int(w, value);
}

static void put_names(bs_writing *w, const char *key, const bs_names *names)
{
    bs_put(w, key);
    bs_put(w, "[");
    for (int32_t i = 0; i < names->n; i++) {
        bs_put(w, i ? "," : "");
        bs_put_json(w, names->item[i].text);
    }
    bs_put(w, "]");
}

/* One text with a name per line (names come from lines of files, so they contain no line end):
 * parsing a list of 18,000 words took 3 of the 17 ms in which a tagger starts. */
static void put_lines(bs_writing *w, const char *key, const bs_names *names, bs_buf *out)
{
    bs_buf text;
    bs_buf_init(&text, out->ceiling);
    for (int32_t i = 0; i < names->n; i++) {
        bs_buf_text(&text, i ? "\n" : "");
        bs_buf_add(&text, names->item[i].text, names->item[i].len);
    }
    bs_put(w, key);
    if (text.failed)
        out->failed = true;
    else
        bs_put_json(w, text.data);
    bs_buf_free(&text);
}

static void put_column(bs_writing *w, const bs_lexicon *l, int c)
{
    int source = l->column_source[c];
    bs_put(w, "{\"name\":");
    bs_put_json(w, l->column_name[c]);
    if (source >= 0) {
        put_int(w, ",\"source\":", source);
    } else {
        bs_put(w, ",\"kind\":");
        bs_put_json(w, kind_names[-1 - source]);
        put_int(w, ",\"prefix\":", l->column_prefix[c]);
    }
    put_names(w, ",\"values\":", &l->value[c]);
    bs_put(w, "}");
}

static void put_clusters(bs_writing *w, const bs_clusters *c)
{
    put_names(w, ",\"clusters\":{\"paths\":", &c->paths);
    put_names(w, ",\"words\":", &c->words);
    bs_put(w, ",\"path\":[");
    for (int32_t i = 0; i < c->n; i++) {
        bs_put(w, i ? "," : "");
        bs_put_int(w, c->path[i]);
    }
    bs_put(w, "]}");
}

void bs_lexicon_json(const bs_lexicon *l, bs_buf *out)
{
    bs_writing w;
    if (bs_writing_open(&w, to_buf, out, NULL)) {
        out->failed = true;
        return;
    }
    put_bool(&w, "{\"lower\":", l->lower);
    put_bool(&w, ",\"digits\":", l->fold_digits);
    put_bool(&w, ",\"tweets\":", l->fold_tweets);
    put_int(&w, ",\"scheme\":", l->scheme);
    put_names(&w, ",\"tags\":", &l->tags);
    put_int(&w, ",\"max_characters\":", l->max_characters);
    put_names(&w, ",\"characters\":", &l->characters);
    bs_put(&w, ",\"columns\":[");
    for (int c = 0; c < l->columns; c++) {
        bs_put(&w, c ? "," : "");
        put_column(&w, l, c);
    }
    bs_put(&w, "]");
    put_int(&w, ",\"trained\":", l->n_trained);
    put_int(&w, ",\"repeated\":", l->n_repeated);
    put_lines(&w, ",\"words\":", &l->words, out);
    if (l->clusters.n)
        put_clusters(&w, &l->clusters);
    bs_put(&w, "}");
    bs_writing_close(&w);
}

/* --- reading ------------------------------------------------------------- */

typedef struct {
    const char  *where;
    bs_lexicon  *out;
    basin_error *err;
} loading;

static basin_status refuse(const loading *l, const char *what)
{
    return bs_fail(l->err, BASIN_EDATA, "%s: the lexicon is damaged: %s", l->where, what);
}

static basin_status take_bool(const loading *l, const json_t *o, const char *key, bool *out)
{
    const json_t *v = json_object_get(o, key);
    *out = json_is_true(v);
    return json_is_boolean(v) ? BASIN_OK : refuse(l, "it does not say how words are folded");
}

/* A number from lo to hi. */
static basin_status take_int(const loading *l, const json_t *v, json_int_t lo, json_int_t hi,
                             const char *what, int *out)
{
    json_int_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < lo || n > hi)
        return refuse(l, what);
    *out = (int)n;
    return BASIN_OK;
}

static bool is_text(const json_t *v)
{
    const char *text = json_string_value(v);
    return text && json_string_length(v) <= BS_FORM_MAX && strlen(text) == json_string_length(v);
}

static basin_status take_name(const loading *l, const char *text, size_t len, const char *what,
                              bs_names *out)
{
    bool fresh;
    if (bs_names_add(out, text, len, &fresh) < 0)
        return bs_fail_nomem(l->err);
    return fresh ? BASIN_OK : refuse(l, what);
}

/* A list of different strings, the first of which may be prescribed. */
static basin_status take_names(const loading *l, const json_t *list, const char *first,
                               const char *second, const char *what, bs_names *out)
{
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > INT32_MAX / 2)
        return refuse(l, what);
    basin_status s = BASIN_OK;
    for (size_t i = 0; !s && i < n; i++) {
        const json_t *v = json_array_get(list, i);
        s = is_text(v) ? take_name(l, json_string_value(v), json_string_length(v), what, out)
                       : refuse(l, what);
    }
    if (s)
        return s;
    if ((first && (out->n < 1 || strcmp(out->item[0].text, first) != 0)) ||
        (second && (out->n < 2 || strcmp(out->item[1].text, second) != 0)))
        return refuse(l, what);
    return BASIN_OK;
}

/* Different lines, the first of which is the unknown word. */
static basin_status take_lines(const loading *l, const json_t *v, const char *what, bs_names *out)
{
    const char  *p = json_string_value(v);
    size_t       left = json_string_length(v);
    basin_status s = p && strlen(p) == left ? BASIN_OK : refuse(l, what);
    for (bool more = !s; more && !s;) {
        const char  *end = memchr(p, '\n', left);
        const size_t len = end ? (size_t)(end - p) : left;
        s = len > BS_FORM_MAX || out->n > INT32_MAX / 2 ? refuse(l, what)
                                                        : take_name(l, p, len, what, out);
        more = end != NULL;
        p += len + 1;
        left -= more ? len + 1 : len;
    }
    if (!s && strcmp(out->item[0].text, BS_UNKNOWN) != 0)
        s = refuse(l, what);
    return s;
}

/* Early models stored a list. */
static basin_status take_all_words(const loading *l, const json_t *v, bs_names *out)
{
    if (json_is_array(v))
        return take_names(l, v, BS_UNKNOWN, NULL,
                          "words is not a list of different texts after " BS_UNKNOWN, out);
    return take_lines(l, v, "words is not a text of different lines after " BS_UNKNOWN, out);
}

static basin_status take_words(const loading *l, const json_t *o)
{
    bs_lexicon  *out = l->out;
    basin_status s = take_all_words(l, json_object_get(o, "words"), &out->words);
    if (!s)
        s = take_int(l, json_object_get(o, "trained"), 1, out->words.n,
                     "trained is not a number of words", &out->n_trained);
    if (!s)
        s = take_int(l, json_object_get(o, "repeated"), 1, out->n_trained,
                     "repeated is not a number of words", &out->n_repeated);
    if (s)
        return s;
    out->singleton = bs_arena_alloc(&out->arena, (size_t)out->n_trained);
    if (!out->singleton)
        return bs_fail_nomem(l->err);
    for (int32_t i = out->n_repeated; i < out->n_trained; i++)
        out->singleton[i] = 1;
    return BASIN_OK;
}

static basin_status take_kind(const loading *l, const json_t *o, int c)
{
    const char   *kind = json_string_value(json_object_get(o, "kind"));
    const json_t *source = json_object_get(o, "source");
    if (!kind)
        return take_int(l, source, 0, MOST_SOURCES, "a column does not say where it comes from",
                        &l->out->column_source[c]);
    for (int k = 0; k < BS_COLUMN_KINDS; k++)
        if (!source && strcmp(kind, kind_names[k]) == 0) {
            l->out->column_source[c] = -1 - k;
            return take_int(l, json_object_get(o, "prefix"), 0, BS_PATH_MAX,
                            "the prefix of a column is out of range", &l->out->column_prefix[c]);
        }
    return refuse(l, "a column is of a kind that this version does not know");
}

static basin_status take_columns(const loading *l, const json_t *list)
{
    size_t       n = json_array_size(list);
    basin_status s = BASIN_OK;
    if (!json_is_array(list) || n > BS_LEXICON_COLUMNS)
        return refuse(l, "columns is not a list, or too long");
    for (size_t i = 0; !s && i < n; i++) {
        const json_t *o = json_array_get(list, i), *name = json_object_get(o, "name");
        int           c = l->out->columns++;
        if (!is_text(name))
            return refuse(l, "a column has no name");
        l->out->column_name[c] =
            bs_arena_copy(&l->out->arena, json_string_value(name), json_string_length(name));
        if (!l->out->column_name[c])
            return bs_fail_nomem(l->err);
        s = take_kind(l, o, c);
        if (!s)
            s = take_names(l, json_object_get(o, "values"), BS_UNKNOWN, NULL,
                           "values of a column are not a list of different texts after " BS_UNKNOWN,
                           &l->out->value[c]);
    }
    return s;
}

static basin_status take_clusters(const loading *l, const json_t *o)
{
    static const char *const what = "clusters is not a list of words and paths";
    const json_t *words = json_object_get(o, "words"), *path = json_object_get(o, "path");
    const json_t *paths = json_object_get(o, "paths");
    bs_clusters  *c = &l->out->clusters;
    size_t        n = json_array_size(words);
    if (!o)
        return BASIN_OK;
    basin_status s = take_names(l, paths, NULL, NULL, what, &c->paths);
    for (int32_t i = 0; !s && i < c->paths.n; i++)
        if (!bs_is_path(c->paths.item[i].text, c->paths.item[i].len))
            s = refuse(l, what);
    if (!s && (!json_is_array(words) || n == 0 || n > INT32_MAX / 2 || json_array_size(path) != n))
        s = refuse(l, what);
    for (size_t i = 0; !s && i < n; i++) {
        const json_t *word = json_array_get(words, i);
        int           k = 0;
        bool          fresh;
        s = take_int(l, json_array_get(path, i), 0, c->paths.n - 1, what, &k);
        if (!s && !is_text(word))
            s = refuse(l, what);
        if (s)
            break;
        const bs_name *p = &c->paths.item[k];
        if (!bs_clusters_add(c, json_string_value(word), json_string_length(word), p->text, p->len,
                             &fresh))
            s = bs_fail_nomem(l->err);
        else if (!fresh)
            s = refuse(l, what);
    }
    return s;
}

static basin_status take_lexicon(const loading *l, const json_t *o)
{
    bs_lexicon  *out = l->out;
    basin_status s = json_is_object(o) ? BASIN_OK : refuse(l, "it is not an object");
    if (!s)
        s = take_bool(l, o, "lower", &out->lower);
    if (!s)
        s = take_bool(l, o, "digits", &out->fold_digits);
    if (!s)
        s = take_bool(l, o, "tweets", &out->fold_tweets);
    if (!s)
        s = take_int(l, json_object_get(o, "scheme"), 0, MOST_SCHEMES, "scheme is out of range",
                     &out->scheme);
    if (!s)
        s = take_names(l, json_object_get(o, "tags"), NULL, NULL,
                       "tags is not a list of different texts", &out->tags);
    if (!s && out->tags.n == 0)
        s = refuse(l, "there are no tags");
    if (!s && bs_names_find(&out->tags, "", 0) >= 0)
        s = refuse(l, "a tag is empty");
    if (!s)
        s = take_int(l, json_object_get(o, "max_characters"), 2, BS_LEXICON_CHARACTERS,
                     "max_characters is out of range", &out->max_characters);
    if (!s)
        s = take_names(l, json_object_get(o, "characters"), BS_PADDING, BS_UNKNOWN,
                       "characters is not a list of different texts after " BS_PADDING
                       " and " BS_UNKNOWN,
                       &out->characters);
    if (!s)
        s = take_columns(l, json_object_get(o, "columns"));
    if (!s)
        s = take_words(l, o);
    if (!s)
        s = take_clusters(l, json_object_get(o, "clusters"));
    return s;
}

basin_status bs_lexicon_take(const json_t *o, const char *where, bs_lexicon *out, basin_error *err)
{
    loading l = {.where = where, .out = out, .err = err};
    bs_lexicon_init(out);
    basin_status s = take_lexicon(&l, o);
    if (s)
        bs_lexicon_free(out);
    return s;
}

basin_status bs_lexicon_from_json(const char *json, size_t len, const char *where, bs_lexicon *out,
                                  basin_error *err)
{
    loading      l = {.where = where, .out = out, .err = err};
    json_error_t problem;
    bs_lexicon_init(out);
    json_t *o = bs_tree_read(json, len, JSON_REJECT_DUPLICATES, &problem);
    if (!o)
        return refuse(&l, problem.text);
    basin_status s = bs_lexicon_take(o, where, out, err);
    json_decref(o);
    return s;
}
