/* lexicon_json.c -- the lexicon as JSON, for the model file; any bytes load or are refused.
 *
 * A set of names is one text with a name per line (they come from lines of files, so they contain
 * no line end): parsing a list of 18,000 words took 3 of the 17 ms in which a tagger starts. */
#include <string.h>

#include "base/json.h"
#include "base/tree.h"
#include "data/text/lexicon.h"

enum { MOST_SOURCES = 1 << 16, MOST_SCHEMES = 64 };

/* --- writing ------------------------------------------------------------- */

static void put_names(bs_buf *out, const char *key, const bs_names *names, bs_buf *scratch)
{
    bs_buf_clear(scratch);
    for (int32_t i = 0; i < names->n; i++) {
        bs_buf_text(scratch, i ? "\n" : "");
        bs_buf_add(scratch, names->item[i].text, names->item[i].len);
    }
    bs_json_text_n(out, key, scratch->len ? scratch->data : "", scratch->len);
    out->failed = out->failed || scratch->failed;
}

static void put_clusters(bs_buf *out, const bs_clusters *c, bs_buf *scratch)
{
    bs_buf_clear(scratch);
    for (int32_t i = 0; i < c->n; i++) {
        bs_buf_text(scratch, i ? "\n" : "");
        bs_buf_text(scratch, c->paths.item[c->path[i]].text);
        bs_buf_text(scratch, " ");
        bs_buf_text(scratch, c->words.item[i].text);
    }
    if (c->n)
        bs_json_text_n(out, "clusters", scratch->data, scratch->len);
    out->failed = out->failed || scratch->failed;
}

void bs_lexicon_json(const bs_lexicon *l, bs_buf *out)
{
    bs_buf scratch;
    bs_buf_init(&scratch, out->ceiling);
    bs_json_open(out, NULL, '{');
    bs_json_bool(out, "lower", l->lower);
    bs_json_bool(out, "digits", l->fold_digits);
    bs_json_bool(out, "tweets", l->fold_tweets);
    bs_json_members(out, "scheme %d max_characters %d trained %d repeated %d", l->scheme,
                    l->max_characters, (int)l->n_trained, (int)l->n_repeated);
    put_names(out, "tags", &l->tags, &scratch);
    put_names(out, "characters", &l->characters, &scratch);
    bs_json_open(out, "columns", '[');
    for (int c = 0; c < l->columns; c++) {
        bs_json_open(out, NULL, '{');
        bs_json_members(out, "name %s source %d prefix %d", l->column_name[c], l->column_source[c],
                        l->column_prefix[c]);
        put_names(out, "values", &l->value[c], &scratch);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
    put_names(out, "words", &l->words, &scratch);
    put_clusters(out, &l->clusters, &scratch);
    bs_json_close(out, '}');
    bs_buf_free(&scratch);
}

/* --- reading ------------------------------------------------------------- */

typedef struct {
    const char  *where;
    bs_lexicon  *out;
    basin_error *err;
} loading;

typedef struct {
    const char *at; /* NULL: behind the last line */
    size_t      len;
} lines;

static basin_status refuse(const loading *l, const char *what)
{
    return bs_fail(l->err, BASIN_EDATA, "%s: the lexicon is damaged: %s", l->where, what);
}

/* The next line of *rest; even an empty text has one. */
static lines next_line(lines *rest)
{
    const char *end = memchr(rest->at, '\n', rest->len);
    const lines line = {rest->at, end ? (size_t)(end - rest->at) : rest->len};
    *rest = (lines){end ? end + 1 : NULL, end ? rest->len - line.len - 1 : 0};
    return line;
}

/* Different lines, the first of which are prescribed. */
static basin_status take_names(const loading *l, lines rest, const char *first, const char *what,
                               bs_names *out)
{
    const size_t n = strlen(first);
    if (n &&
        (rest.len < n || memcmp(rest.at, first, n) != 0 || (rest.len > n && rest.at[n] != '\n')))
        return refuse(l, what);
    while (rest.at) {
        const lines line = next_line(&rest);
        bool        fresh = false;
        if (line.len <= BS_FORM_MAX && bs_names_add(out, line.at, line.len, &fresh) < 0)
            return bs_fail_nomem(l->err);
        if (!fresh)
            return refuse(l, what);
    }
    return BASIN_OK;
}

static basin_status take_column(const loading *l, json_t *o)
{
    bs_lexicon  *out = l->out;
    const int    c = out->columns++;
    const char  *name;
    json_int_t   source, prefix;
    lines        values;
    json_error_t problem;
    if (json_unpack_ex(o, &problem, 0, "{s:s s:I s:I s:s%}", "name", &name, "source", &source,
                       "prefix", &prefix, "values", &values.at, &values.len))
        return refuse(l, problem.text);
    if (source < -BS_COLUMN_KINDS || source > MOST_SOURCES)
        return refuse(l, "the source of a column is out of range");
    if (prefix < 0 || prefix > BS_PATH_MAX)
        return refuse(l, "the prefix of a column is out of range");
    out->column_source[c] = (int)source;
    out->column_prefix[c] = (int)prefix;
    out->column_name[c] = bs_arena_copy(&out->arena, name, strlen(name));
    if (!out->column_name[c])
        return bs_fail_nomem(l->err);
    return take_names(l, values, BS_UNKNOWN,
                      "values of a column are not different lines after " BS_UNKNOWN,
                      &out->value[c]);
}

/* Lines "path word". */
static basin_status take_clusters(const loading *l, lines rest)
{
    static const char what[] = "clusters are not lines of paths and different words";
    while (rest.at) {
        const lines  line = next_line(&rest);
        const char  *blank = memchr(line.at, ' ', line.len);
        const size_t path = blank ? (size_t)(blank - line.at) : 0;
        bool         fresh;
        if (!bs_is_path(line.at, path) || path + 1 == line.len || line.len - path - 1 > BS_FORM_MAX)
            return refuse(l, what);
        if (!bs_clusters_add(&l->out->clusters, blank + 1, line.len - path - 1, line.at, path,
                             &fresh))
            return bs_fail_nomem(l->err);
        if (!fresh)
            return refuse(l, what);
    }
    return BASIN_OK;
}

static basin_status take_lexicon(const loading *l, json_t *o)
{
    bs_lexicon  *out = l->out;
    int          lower, digits, tweets;
    json_int_t   scheme, letters, trained, repeated;
    lines        tags, characters, words, clusters = {NULL, 0};
    json_t      *columns, *column;
    size_t       i;
    json_error_t problem;
    if (json_unpack_ex(o, &problem, 0, "{s:b s:b s:b s:I s:I s:I s:I s:s% s:s% s:o s:s% s?s%}",
                       "lower", &lower, "digits", &digits, "tweets", &tweets, "scheme", &scheme,
                       "max_characters", &letters, "trained", &trained, "repeated", &repeated,
                       "tags", &tags.at, &tags.len, "characters", &characters.at, &characters.len,
                       "columns", &columns, "words", &words.at, &words.len, "clusters",
                       &clusters.at, &clusters.len))
        return refuse(l, problem.text);
    if (scheme < 0 || scheme > MOST_SCHEMES)
        return refuse(l, "scheme is out of range");
    if (letters < 2 || letters > BS_LEXICON_CHARACTERS)
        return refuse(l, "max_characters is out of range");
    if (!json_is_array(columns) || json_array_size(columns) > BS_LEXICON_COLUMNS)
        return refuse(l, "columns is not a list, or too long");
    out->lower = lower;
    out->fold_digits = digits;
    out->fold_tweets = tweets;
    out->scheme = (int)scheme;
    out->max_characters = (int)letters;
    basin_status s = take_names(l, tags, "", "tags are not different lines", &out->tags);
    if (!s && bs_names_find(&out->tags, "", 0) >= 0)
        s = refuse(l, "a tag is empty");
    if (!s)
        s = take_names(l, characters, BS_PADDING "\n" BS_UNKNOWN,
                       "characters are not different lines after " BS_PADDING " and " BS_UNKNOWN,
                       &out->characters);
    json_array_foreach(columns, i, column)
    {
        if (!s)
            s = take_column(l, column);
    }
    if (!s)
        s = take_names(l, words, BS_UNKNOWN, "words are not different lines after " BS_UNKNOWN,
                       &out->words);
    if (!s && (trained < 1 || trained > out->words.n || repeated < 1 || repeated > trained))
        s = refuse(l, "trained or repeated is not a number of words");
    if (!s)
        s = take_clusters(l, clusters);
    if (s)
        return s;
    out->n_trained = (int32_t)trained;
    out->n_repeated = (int32_t)repeated;
    return BASIN_OK;
}

basin_status bs_lexicon_take(json_t *o, const char *where, bs_lexicon *out, basin_error *err)
{
    const loading l = {.where = where, .out = out, .err = err};
    bs_lexicon_init(out);
    basin_status s = take_lexicon(&l, o);
    if (s)
        bs_lexicon_free(out);
    return s;
}
