/* reader_jsonl.c -- one JSON object per line.
 *
 *     {"id": "a7", "features": {"age": 31, "colour": "red"}, "labels": ["x", "y"]}
 *     {"features": [0.5, 0, 1], "labels": [0, 3]}
 *     {"age": 31, "colour": "red", "labels": {"x": true, "y": false}}
 *
 * Features are numbered as they first occur; a text is a category, true is 1,
 * null is missing, and a feature that a row does not name is 0. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tree.h"
#include "data/read.h"
#include "data/scan.h"

typedef enum { UNDECIDED, NAMED, NUMBERED } feature_style;

typedef struct {
    bs_reading   *r;
    long          line;
    bs_buf        name; /* "colour=red" */
    feature_style style;
    size_t        width;   /* of lists of numbers */
    bool          labels;  /* some row has a "labels" member */
    int32_t       without; /* rows that have none */
} jsonl;

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    size_t i = 0;
    while (i < n && (bs_is_blank(head[i]) || head[i] == '\n' || head[i] == '\r'))
        i++;
    if (i == n || head[i] != '{')
        return 0;
    for (i++; i < n && (bs_is_blank(head[i]) || head[i] == '\n' || head[i] == '\r');)
        i++;
    return i < n && (head[i] == '"' || head[i] == '}') ? 85 : 0;
}

static const char *type_name(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE:
    case JSON_FALSE: return "true or false";
    default: return "null";
    }
}

/* --- features ------------------------------------------------------------ */

static basin_status add_named(jsonl *x, const char *key, const char *name, const char *value,
                              bs_feature_kind kind, double v)
{
    bs_build *b = x->r->b;
    bool      fresh;
    int32_t   i = bs_names_find(&b->features, name, strlen(name));
    if (i < 0) {
        bs_arena   *arena = &b->ds->arena;
        const char *attribute = bs_arena_copy(arena, key, strlen(key));
        const char *copy = value ? bs_arena_copy(arena, value, strlen(value)) : NULL;
        if (b->features.n >= x->r->o->max_features)
            return bs_fail_at(x->r, x->line, 0,
                              "more than %d features; data.max_features "
                              "allows more",
                              x->r->o->max_features);
        if (!attribute || (value && !copy))
            return bs_fail_nomem(x->r->err);
        i = bs_build_feature(b, name, attribute, copy, kind, &fresh);
    } else if (b->feature[i].kind != kind && !isnan(v)) {
        if (kind == BS_FEATURE_ONEHOT || b->feature[i].kind == BS_FEATURE_ONEHOT)
            return bs_fail_at(x->r, x->line, 0,
                              "feature '%s' is a text here, but was a number "
                              "before",
                              key);
        b->feature[i].kind = BS_FEATURE_NUMERIC;
    }
    return i >= 0 && bs_push_number(b, i, v) ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static basin_status number_of(jsonl *x, const char *what, const json_t *v, double *out)
{
    double d = json_number_value(v);
    if (!isfinite(d) || fabs(d) > (double)FLT_MAX)
        return bs_fail_at(x->r, x->line, 0, "the value of %s is too large (above 3.4e38)", what);
    *out = d;
    return BASIN_OK;
}

static basin_status named_feature(jsonl *x, const char *key, const json_t *v)
{
    double f = NAN;
    if (json_is_string(v)) {
        if (strlen(json_string_value(v)) != json_string_length(v))
            return bs_fail_at(x->r, x->line, 0, "a NUL character in feature '%s'", key);
        bs_buf_clear(&x->name);
        bs_buf_printf(&x->name, "%s=%s", key, json_string_value(v));
        if (x->name.failed)
            return bs_fail_nomem(x->r->err);
        if (bs_names_find(&x->r->b->features, key, strlen(key)) >= 0)
            return bs_fail_at(x->r, x->line, 0,
                              "feature '%s' is a text here, but was a number "
                              "before",
                              key);
        return add_named(x, key, x->name.data, json_string_value(v), BS_FEATURE_ONEHOT, 1);
    }
    if (json_is_boolean(v))
        return add_named(x, key, key, NULL, BS_FEATURE_BINARY, json_is_true(v) ? 1 : 0);
    if (json_is_null(v))
        return add_named(x, key, key, NULL, BS_FEATURE_NUMERIC, NAN);
    if (!json_is_number(v))
        return bs_fail_at(x->r, x->line, 0,
                          "feature '%s' is %s; it must be a number, a string, "
                          "true, false or null",
                          key, type_name(v));
    basin_status s = number_of(x, key, v, &f);
    return s ? s : add_named(x, key, key, NULL, BS_FEATURE_NUMERIC, f);
}

static basin_status named_features(jsonl *x, json_t *object)
{
    const char *key;
    json_t     *v;
    if (x->style == NUMBERED)
        return bs_fail_at(x->r, x->line, 0, "features have names here, but were a list before");
    x->style = NAMED;
    json_object_foreach(object, key, v)
    {
        basin_status s = named_feature(x, key, v);
        if (s)
            return s;
    }
    return BASIN_OK;
}

static basin_status listed_features(jsonl *x, json_t *list)
{
    size_t n = json_array_size(list);
    if (x->style == NAMED)
        return bs_fail_at(x->r, x->line, 0, "features are a list here, but had names before");
    if (x->style == NUMBERED && n != x->width)
        return bs_fail_at(x->r, x->line, 0, "%zu features, the rows before had %zu", n, x->width);
    if (n > (size_t)x->r->o->max_features)
        return bs_fail_at(x->r, x->line, 0, "%zu features; data.max_features allows %d", n,
                          x->r->o->max_features);
    x->style = NUMBERED;
    x->width = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        double        f = NAN;
        if (json_is_boolean(v))
            f = json_is_true(v) ? 1 : 0;
        else if (json_is_number(v)) {
            basin_status s = number_of(x, "a feature", v, &f);
            if (s)
                return s;
        } else if (!json_is_null(v))
            return bs_fail_at(x->r, x->line, 0,
                              "feature %zu of the list is %s; it must be a number, "
                              "true, false or null",
                              i, type_name(v));
        if (f != 0 && !bs_push_number(x->r->b, (int32_t)i, f))
            return bs_fail_nomem(x->r->err);
    }
    return BASIN_OK;
}

/* --- labels -------------------------------------------------------------- */

static basin_status add_label(jsonl *x, const char *text, bool open, bool on)
{
    bs_build *b = x->r->b;
    bool      fresh;
    int32_t   k = bs_names_add(&b->labels, text, strlen(text), &fresh);
    if (k >= x->r->o->max_labels)
        return bs_fail_at(x->r, x->line, 0, "more than %d labels; data.max_labels allows more",
                          x->r->o->max_labels);
    bool ok = k >= 0;
    if (ok && open)
        ok = bs_build_unknown(b, k);
    else if (ok && on)
        ok = bs_push_y(b, k);
    return ok ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static basin_status one_label(jsonl *x, const json_t *v)
{
    char number[24];
    if (json_is_string(v) && json_string_length(v) == strlen(json_string_value(v)) &&
        json_string_length(v))
        return add_label(x, json_string_value(v), false, true);
    if (json_is_integer(v)) {
        bs_print(number, sizeof number, "%lld", (long long)json_integer_value(v));
        return add_label(x, number, false, true);
    }
    return bs_fail_at(x->r, x->line, 0, "a label is %s; labels are strings or whole numbers",
                      json_is_string(v) ? "empty or has a NUL" : type_name(v));
}

static basin_status take_labels(jsonl *x, json_t *v)
{
    basin_status s = BASIN_OK;
    const char  *key;
    json_t      *on;
    x->labels = true;
    if (json_is_array(v)) {
        for (size_t i = 0; !s && i < json_array_size(v); i++)
            s = one_label(x, json_array_get(v, i));
        return s;
    }
    if (json_is_object(v)) {
        json_object_foreach(v, key, on)
        {
            bool number =
                json_is_number(on) && (json_number_value(on) == 0 || json_number_value(on) == 1);
            if (!number && !json_is_boolean(on) && !json_is_null(on))
                return bs_fail_at(x->r, x->line, 0, "label '%s' must be true, false, 0, 1 or null",
                                  key);
            s = add_label(x, key, json_is_null(on),
                          number ? json_number_value(on) == 1 : json_is_true(on));
            if (s)
                return s;
        }
        return BASIN_OK;
    }
    return json_is_null(v) ? BASIN_OK : one_label(x, v);
}

/* --- rows ---------------------------------------------------------------- */

static bool is_label_key(const char *key)
{
    return strcmp(key, "labels") == 0 || strcmp(key, "tags") == 0 || strcmp(key, "label") == 0;
}

static basin_status take_id(jsonl *x, const json_t *v)
{
    char number[24];
    bool ok = true;
    if (json_is_string(v)) {
        ok = bs_build_id(x->r->b, json_string_value(v), json_string_length(v));
    } else if (json_is_integer(v)) {
        int n = bs_print(number, sizeof number, "%lld", (long long)json_integer_value(v));
        ok = bs_build_id(x->r->b, number, (size_t)n);
    }
    return ok ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static basin_status take_members(jsonl *x, json_t *object)
{
    const char  *key;
    json_t      *v, *features = json_object_get(object, "features");
    basin_status s = BASIN_OK;
    bool         labelled = false;
    if (features && !json_is_object(features) && !json_is_array(features))
        return bs_fail_at(x->r, x->line, 0, "\"features\" is %s; it must be an object or a list",
                          type_name(features));
    if (json_is_object(features))
        s = named_features(x, features);
    else if (features)
        s = listed_features(x, features);
    if (!features && x->style == NUMBERED)
        return bs_fail_at(x->r, x->line, 0, "the row has no \"features\"");
    json_object_foreach(object, key, v)
    {
        if (s)
            return s;
        if (is_label_key(key)) {
            if (labelled)
                return bs_fail_at(x->r, x->line, 0, "more than one of labels, label and tags");
            labelled = true;
            s = take_labels(x, v);
        } else if (strcmp(key, "id") == 0) {
            s = take_id(x, v);
        } else if (!features) {
            x->style = NAMED;
            s = named_feature(x, key, v);
        } else if (strcmp(key, "features") != 0) {
            bs_notes_add(x->r->notes, "left out", "member \"%.60s\" is not used", key);
        }
    }
    x->without += !labelled;
    return s;
}

static basin_status one_line(jsonl *x, const bs_line *line)
{
    const char *p = bs_skip_blanks(line->text);
    x->line = line->number;
    if (p == line->text + line->len)
        return BASIN_OK;
    json_error_t problem;
    json_t      *object = bs_tree_read(line->text, line->len, JSON_REJECT_DUPLICATES, &problem);
    if (!object)
        return bs_fail_at(x->r, line->number, problem.column > 0 ? (size_t)problem.column : 1, "%s",
                          problem.text);
    basin_status s = BASIN_OK;
    if (!json_is_object(object))
        s = bs_fail_at(x->r, line->number, 0, "the line is %s; a row is an object {...}",
                       type_name(object));
    if (!s)
        s = take_members(x, object);
    json_decref(object);
    return s ? s : bs_reading_row(x->r, line->number);
}

/* --- the end ------------------------------------------------------------- */

/* Members of the rows by kind; the values of a category are one of them. */
static basin_status count_attributes(jsonl *x)
{
    bs_build  *b = x->r->b;
    bs_source *source = &b->ds->source;
    bs_names   nominal;
    bool       fresh, ok = true;
    bs_names_init(&nominal, &b->ds->arena);
    for (int32_t i = 0; ok && i < b->features.n; i++) {
        const bs_feature *f = &b->feature[i];
        source->numeric += f->kind == BS_FEATURE_NUMERIC;
        source->binary += f->kind == BS_FEATURE_BINARY;
        if (f->kind != BS_FEATURE_NUMERIC)
            ok = bs_names_add(&nominal, f->attribute, strlen(f->attribute), &fresh) >= 0;
    }
    if (x->style == NUMBERED)
        source->numeric = (int32_t)x->width;
    source->nominal = nominal.n;
    source->attributes = source->numeric + source->nominal;
    bs_names_free(&nominal);
    return ok ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static basin_status finish(jsonl *x)
{
    bs_reading  *r = x->r;
    bs_build    *b = r->b;
    bs_source   *source = &b->ds->source;
    basin_status s = count_attributes(x);
    if (s)
        return s;
    bool binary = source->numeric == 0;
    b->ds->open_labels = true;
    bs_print(source->labels_from, sizeof source->labels_from, "the member \"labels\"");
    b->ds->schema.open = x->style != NUMBERED;
    b->ds->schema.dense = x->style == NUMBERED;
    b->ds->schema.binary = b->ones || (x->style == NAMED && binary);
    b->ds->labelled = x->labels;
    if (!x->labels && !r->o->label_free)
        return bs_fail_at(r, 0, 0, "no row has labels; write \"labels\": [\"name\", ...]");
    if (x->labels && x->without)
        bs_notes_add(r->notes, "unlabelled", "%d rows have no member \"labels\"", x->without);
    return bs_build_finish(b, x->style == NUMBERED ? (int32_t)x->width : -1, -1, r->err);
}

static basin_status read_jsonl(bs_reading *r)
{
    jsonl        x = {.r = r};
    bs_line      line;
    basin_status s = BASIN_OK;
    bs_buf_init(&x.name, (size_t)1 << 28);
    for (bool more = true; !s && more;) {
        s = bs_reading_line(r, &line, &more);
        if (!s && more)
            s = one_line(&x, &line);
    }
    if (!s)
        s = finish(&x);
    bs_buf_free(&x.name);
    return s;
}

const bs_reader bs_reader_jsonl = {
    .name = "jsonl",
    .help = "one JSON object per line: {\"features\": {...} or [...], \"labels\": [...]}",
    .extensions = ".jsonl .ndjson .json",
    .head = BS_HEAD_NONE,
    .uses = "",
    .sniff = sniff,
    .read = read_jsonl,
};
