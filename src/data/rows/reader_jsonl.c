/* reader_jsonl.c -- one JSON object per line.
 *
 *     {"id": "a7", "features": {"age": 31, "colour": "red"}, "labels": ["x", "y"]}
 *     {"features": [0.5, 0, 1], "labels": [0, 3]}
 *     {"age": 31, "colour": "red", "labels": {"x": true, "y": false}}
 *     {"age": 31, "home": {"city": "Bonn", "rooms": 3}, "x": true, "y": false}   --labels x,y
 *
 * A text is a category, true is 1, null is missing, nested objects give "home.city". What absent
 * members mean is decided at the end: jsonl_columns.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tree.h"
#include "data/rows/cell.h"
#include "data/rows/jsonl.h"
#include "data/scan.h"

static size_t after_blanks(const char *head, size_t i, size_t n)
{
    while (i < n && (bs_is_blank(head[i]) || head[i] == '\n' || head[i] == '\r'))
        i++;
    return i;
}

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    size_t i = after_blanks(head, 0, n);
    if (i < n && head[i] == '[') /* a list of rows is refused with what would be right */
        i = after_blanks(head, i + 1, n);
    if (i == n || head[i] != '{')
        return 0;
    i = after_blanks(head, i + 1, n);
    return i < n && (head[i] == '"' || head[i] == '}') ? 85 : 0;
}

/* --- features ------------------------------------------------------------ */

/* The number of a member by its name. */
static int32_t member_of(jsonl *x, const char *key)
{
    bool    fresh;
    int32_t m = bs_names_add(&x->members, key, strlen(key), &fresh);
    if (m < 0 || !fresh)
        return m;
    if (!BS_GROW(x->member, x->cap, (size_t)m + 1, INT32_MAX - 1))
        return -1;
    x->member[m] = (jsonl_member){.name = x->members.item[m].text, .number = -1, .first = -1};
    return m;
}

/* A feature of the member: for its numbers, or for one of its texts (value). */
static basin_status feature_of(jsonl *x, int32_t m, const char *name, const char *value,
                               int32_t *out)
{
    bs_build   *b = x->r->b;
    const char *copy = value ? bs_arena_copy(&b->ds->arena, value, strlen(value)) : NULL;
    if (b->features.n >= x->r->o->max_features)
        return bs_error_at(x->r, x->line, 0, "more than %d features; data.max_features allows more",
                           x->r->o->max_features);
    bool ok = (copy || !value) &&
              BS_GROW(x->feature, x->feature_cap, (size_t)b->features.n + 1, INT32_MAX - 1);
    if (!ok)
        return bs_fail_nomem(x->r->err);
    basin_status s = bs_add_feature(x->r, x->line, name, x->member[m].name, copy,
                                    value ? BS_FEATURE_ONEHOT : BS_FEATURE_NUMERIC, out);
    if (s)
        return s;
    jsonl_member *k = &x->member[m];
    x->feature[*out] = (jsonl_feature){m, -1};
    *(k->first < 0 ? &k->first : &x->feature[k->last].next) = *out;
    k->last = *out;
    return BASIN_OK;
}

static basin_status add_number(jsonl *x, int32_t m, double v)
{
    jsonl_member *k = &x->member[m];
    basin_status  s = BASIN_OK;
    if (k->texts && !isnan(v))
        return bs_error_at(x->r, x->line, 0, "feature '%s' is a number here, but was a text before",
                           k->name);
    if (k->number < 0)
        s = feature_of(x, m, k->name, NULL, &x->member[m].number);
    k->zeros += v == 0;
    k->others += v != 0 && v != 1 && !isnan(v);
    if (s)
        return s;
    return bs_push_number(x->r->b, k->number, v) ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static basin_status add_null(jsonl *x, int32_t m)
{
    jsonl_member *k = &x->member[m];
    if (k->nulls++ == 0) {
        const bs_feature *was = bs_schema_attribute(x->r->o->like, k->name, &x->hint);
        k->category = was && was->kind == BS_FEATURE_ONEHOT;
    }
    return add_number(x, m, NAN);
}

static basin_status add_text(jsonl *x, int32_t m, const char *value)
{
    jsonl_member *k = &x->member[m];
    if (k->numbers || k->truths)
        return bs_error_at(x->r, x->line, 0, "feature '%s' is a text here, but was a number before",
                           k->name);
    bs_buf_clear(&x->name);
    bs_buf_printf(&x->name, "%s=%s", k->name, value);
    if (x->name.failed)
        return bs_fail_nomem(x->r->err);
    k->texts++;
    int32_t      i = bs_names_find(&x->r->b->features, x->name.data, x->name.len);
    basin_status s = BASIN_OK;
    if (i < 0)
        s = feature_of(x, m, x->name.data, value, &i);
    else if (x->feature[i].member != m || i == k->number)
        s = bs_error_at(x->r, x->line, 0, "a second feature would be named '%s'", x->name.data);
    if (s)
        return s;
    return bs_push_x(x->r->b, i, 1) ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static basin_status add_truth(jsonl *x, int32_t m, bool on)
{
    x->member[m].truths++;
    return add_number(x, m, on ? 1 : 0);
}

static basin_status number_of(jsonl *x, const char *what, const json_t *v, double *out)
{
    double d = json_number_value(v);
    if (!isfinite(d) || fabs(d) > (double)FLT_MAX)
        return bs_error_at(x->r, x->line, 0, "the value of %s is too large (above 3.4e38)", what);
    *out = d;
    return BASIN_OK;
}

static basin_status text_member(jsonl *x, int32_t m, const json_t *v)
{
    const bs_read_options *o = x->r->o;
    const char            *text = json_string_value(v);
    const size_t           len = json_string_length(v);
    if (strlen(text) != len)
        return bs_error_at(x->r, x->line, 0, "a NUL character in feature '%s'", x->member[m].name);
    if (bs_is_missing(text, len))
        return add_null(x, m);
    int truth = *o->yes || *o->no ? bs_cell_truth(o, text, len) : -1;
    return truth >= 0 ? add_truth(x, m, truth > 0) : add_text(x, m, text);
}

static basin_status number_member(jsonl *x, int32_t m, const json_t *v)
{
    const bs_feature *was = bs_schema_attribute(x->r->o->like, x->member[m].name, &x->hint);
    char              text[BS_NUMBER_TEXT];
    double            f = NAN;
    basin_status      s = number_of(x, x->member[m].name, v, &f);
    if (s)
        return s;
    if (was && was->kind == BS_FEATURE_ONEHOT) { /* a code that was a category in training */
        bs_format_double(f, text);
        return add_text(x, m, text);
    }
    s = add_number(x, m, f);
    x->member[m].numbers++;
    return s;
}

enum { DEEPEST = 16 };

static basin_status named_feature(jsonl *x, const char *key, json_t *v, int depth);

/* {"home": {"city": "Bonn"}} is home.city, {"at": [1, 2]} at.0 and at.1. */
static basin_status inner_features(jsonl *x, const char *key, json_t *v, int depth)
{
    basin_status s = BASIN_OK;
    const char  *inner;
    json_t      *item;
    size_t       i;
    bs_buf       name;
    if (depth == DEEPEST)
        return bs_error_at(x->r, x->line, 0, "objects are nested more than %d deep", (int)DEEPEST);
    bs_buf_init(&name, (size_t)1 << 20);
    json_object_foreach(v, inner, item)
    {
        bs_buf_clear(&name);
        bs_buf_printf(&name, "%s.%s", key, inner);
        if (!s)
            s = name.failed ? bs_fail_nomem(x->r->err) : named_feature(x, name.data, item, depth);
    }
    json_array_foreach(v, i, item)
    {
        bs_buf_clear(&name);
        bs_buf_printf(&name, "%s.%zu", key, i);
        if (!s && (json_is_string(item) || json_is_object(item) || json_is_array(item)))
            s = bs_error_at(x->r, x->line, 0,
                            "feature '%s' is a list with %s in it; a list is of numbers, or of "
                            "labels (--labels %s)",
                            key, bs_tree_kind(item), key);
        if (!s)
            s = name.failed ? bs_fail_nomem(x->r->err) : named_feature(x, name.data, item, depth);
    }
    bs_buf_free(&name);
    return s;
}

/* A member that is known to be the text of rows. */
static basin_status text_of_row(jsonl *x, int place, const json_t *v)
{
    if (json_is_null(v))
        return bs_text_put(&x->texts, x->r, place, "", 0);
    if (!json_is_string(v))
        return bs_error_at(x->r, x->line, 0, "the text '%s' is %s; it must be a string",
                           x->texts.name[place], bs_tree_kind(v));
    return bs_text_put(&x->texts, x->r, place, json_string_value(v), json_string_length(v));
}

static basin_status named_feature(jsonl *x, const char *key, json_t *v, int depth)
{
    const int place = bs_text_place(&x->texts, key);
    if (place >= 0)
        return text_of_row(x, place, v);
    if (json_is_object(v) || json_is_array(v))
        return inner_features(x, key, v, depth + 1);
    int32_t m = member_of(x, key);
    if (m < 0)
        return bs_fail_nomem(x->r->err);
    if (json_is_string(v))
        return text_member(x, m, v);
    if (json_is_boolean(v))
        return add_truth(x, m, json_is_true(v));
    return json_is_number(v) ? number_member(x, m, v) : add_null(x, m);
}

static basin_status named_features(jsonl *x, json_t *object)
{
    const char *key;
    json_t     *v;
    if (x->style == JSONL_NUMBERED)
        return bs_error_at(x->r, x->line, 0, "features have names here, but were a list before");
    x->style = JSONL_NAMED;
    json_object_foreach(object, key, v)
    {
        basin_status s = named_feature(x, key, v, 0);
        if (s)
            return s;
    }
    return BASIN_OK;
}

static basin_status listed_features(jsonl *x, json_t *list)
{
    size_t n = json_array_size(list);
    if (x->style == JSONL_NAMED)
        return bs_error_at(x->r, x->line, 0, "features are a list here, but had names before");
    if (x->style == JSONL_NUMBERED && n != x->width)
        return bs_error_at(x->r, x->line, 0, "%zu features, the rows before had %zu", n, x->width);
    if (n > (size_t)x->r->o->max_features)
        return bs_error_at(x->r, x->line, 0, "%zu features; data.max_features allows %d", n,
                           x->r->o->max_features);
    x->style = JSONL_NUMBERED;
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
            return bs_error_at(x->r, x->line, 0,
                               "feature %zu of the list is %s; it must be a number, "
                               "true, false or null",
                               i, bs_tree_kind(v));
        if (f != 0 && !bs_push_number(x->r->b, (int32_t)i, f))
            return bs_fail_nomem(x->r->err);
    }
    return BASIN_OK;
}

/* --- labels -------------------------------------------------------------- */

static basin_status add_label(jsonl *x, const char *text, bool open, bool on)
{
    int32_t      k;
    bool         ok = true;
    basin_status s = bs_add_listed_label(x->r, x->line, text, strlen(text), &k);
    if (s)
        return s;
    if (open)
        ok = bs_build_unknown(x->r->b, k);
    else if (on)
        ok = bs_push_y(x->r->b, k);
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
    return bs_error_at(x->r, x->line, 0, "a label is %s; labels are strings or whole numbers",
                       json_is_string(v) ? "empty or has a NUL" : bs_tree_kind(v));
}

/* "a,b" with data.label_sep = "," */
static basin_status separated_labels(jsonl *x, const char *text)
{
    basin_status s = BASIN_OK;
    int32_t      k;
    for (const char *at = text, *cut; !s && at;
         at = cut ? cut + strlen(x->r->o->label_sep) : NULL) {
        cut = strstr(at, x->r->o->label_sep);
        at = bs_skip_blanks(at);
        const size_t n = bs_trim(at, !cut ? strlen(at) : cut > at ? (size_t)(cut - at) : 0);
        s = n ? bs_add_listed_label(x->r, x->line, at, n, &k) : BASIN_OK;
        if (!s && n && !bs_push_y(x->r->b, k))
            s = bs_fail_nomem(x->r->err);
    }
    x->lists = true; /* nothing is left to be guessed */
    return s;
}

static basin_status take_labels(jsonl *x, json_t *v)
{
    basin_status s = BASIN_OK;
    const char  *key;
    json_t      *on;
    size_t       i;
    x->labels = true;
    if (json_is_string(v) && x->r->o->label_sep[0])
        return separated_labels(x, json_string_value(v));
    if (!json_is_array(v) && !json_is_object(v))
        return json_is_null(v) ? BASIN_OK : one_label(x, v);
    x->lists = true;
    json_array_foreach(v, i, on)
    {
        if (!s)
            s = one_label(x, on);
    }
    json_object_foreach(v, key, on)
    {
        const double number = json_is_number(on) ? json_number_value(on) : json_is_true(on);
        if (s)
            break;
        if ((!json_is_number(on) && !json_is_boolean(on) && !json_is_null(on)) ||
            (number != 0 && number != 1))
            s = bs_error_at(x->r, x->line, 0, "label '%s' must be true, false, 0, 1 or null", key);
        else
            s = add_label(x, key, json_is_null(on), number == 1);
    }
    return s;
}

/* --- rows ---------------------------------------------------------------- */

static bool is_usual_key(const char *key)
{
    return strcmp(key, "labels") == 0 || strcmp(key, "tags") == 0 || strcmp(key, "label") == 0;
}

static bool is_second_key(const char *key, const json_t *v)
{
    return (strcmp(key, "topics") == 0 || strcmp(key, "categories") == 0) &&
           (json_is_array(v) || json_is_string(v));
}

static bool is_label_key(const jsonl *x, const json_t *row, const char *key, const json_t *v)
{
    const char *chosen = x->r->o->labels;
    if (x->named || (chosen[0] && json_is_null(v) && strcmp(key, chosen) == 0))
        return strcmp(key, chosen) == 0;
    return is_usual_key(key) ||
           (is_second_key(key, v) && !chosen[0] && !json_object_get(row, "labels") &&
            !json_object_get(row, "tags") && !json_object_get(row, "label"));
}

/* A list, an object or a name under the single name given by --labels plays the role of "labels",
 * from the first row on that has one. */
static basin_status find_named(jsonl *x, const json_t *row)
{
    const bs_read_options *o = x->r->o;
    const json_t          *v = o->labels[0] ? json_object_get(row, o->labels) : NULL;
    const char            *text = json_string_value(v);
    const size_t           n = json_string_length(v);
    x->named = json_is_array(v) || json_is_object(v) ||
               (text && !bs_is_missing(text, n) && bs_cell_truth(o, text, n) < 0);
    if (!x->named || o->label_free)
        return BASIN_OK;
    if ((x->labels && strcmp(x->label_key, o->labels) != 0) ||
        bs_names_find(&x->members, o->labels, strlen(o->labels)) >= 0)
        return bs_error_at(x->r, x->line, 0,
                           "member '%.60s' has names of labels here, but not in the rows before; "
                           "write \"%.60s\": [\"name\", ...] in all of them",
                           o->labels, o->labels);
    return BASIN_OK;
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

/* A JSON tree is much larger than its text: a line with more values than the limits on features and
 * labels allow is not parsed. */
static basin_status check_values(const jsonl *x, const bs_line *line)
{
    const size_t most = (size_t)x->r->o->max_features + (size_t)x->r->o->max_labels;
    if (bs_tree_larger(line->text, line->len, most))
        return bs_error_at(x->r, line->number, 0,
                           "more values than data.max_features and data.max_labels allow");
    return BASIN_OK;
}

static basin_status take_members(jsonl *x, json_t *object)
{
    const char  *key;
    json_t      *v, *features = json_object_get(object, "features");
    basin_status s = BASIN_OK;
    bool         labelled = false;
    if (features && !json_is_object(features) && !json_is_array(features))
        return bs_error_at(x->r, x->line, 0, "\"features\" is %s; it must be an object or a list",
                           bs_tree_kind(features));
    x->bag = x->bag || json_is_object(features);
    if (json_is_object(features))
        s = named_features(x, features);
    else if (features)
        s = listed_features(x, features);
    if (!features && x->style == JSONL_NUMBERED)
        return bs_error_at(x->r, x->line, 0, "the row has no \"features\"");
    if (!s && !x->named)
        s = find_named(x, object);
    json_object_foreach(object, key, v)
    {
        if (s)
            return s;
        if (is_label_key(x, object, key, v)) {
            if (labelled)
                return bs_error_at(x->r, x->line, 0, "more than one of labels, label and tags");
            labelled = true;
            bs_print(x->label_key, sizeof x->label_key, "%.60s", key);
            s = take_labels(x, v);
        } else if (strcmp(key, "id") == 0) {
            s = take_id(x, v);
        } else if (x->named && (is_usual_key(key) || is_second_key(key, v))) {
            bs_notes_add(x->r->notes, "left out",
                         "member \"%.60s\" is not used: --labels names another", key);
        } else if (!features) {
            x->style = JSONL_NAMED;
            s = named_feature(x, key, v, 0);
        } else if (bs_text_place(&x->texts, key) >= 0) {
            s = text_of_row(x, bs_text_place(&x->texts, key), v);
        } else if (strcmp(key, "features") == 0) {
            continue;
        } else if (!x->texts.given && x->texts.n == 0 && bs_named_like_text(key) &&
                   json_is_string(v)) {
            s = bs_text_add(&x->texts, x->r, key);
            if (!s)
                s = text_of_row(x, 0, v);
        } else {
            bs_notes_add(x->r->notes, "left out", "member \"%.60s\" is not used", key);
        }
    }
    x->without += !labelled;
    return s;
}

static basin_status one_line(void *self, bs_line *line)
{
    jsonl      *x = self;
    const char *p = bs_skip_blanks(line->text);
    x->line = line->number;
    if (p == line->text + line->len)
        return BASIN_OK;
    json_error_t problem;
    basin_status s = check_values(x, line);
    if (s)
        return s;
    json_t *object = bs_tree_read(line->text, line->len, JSON_REJECT_DUPLICATES, &problem);
    if (!object)
        return bs_error_at(x->r, line->number, problem.column > 0 ? (size_t)problem.column : 1,
                           "%s", problem.text);
    if (!json_is_object(object))
        s = bs_error_at(x->r, line->number, 0, "the line is %s; a row is an object {...}",
                        bs_tree_kind(object));
    if (!s)
        s = take_members(x, object);
    json_decref(object);
    if (!s)
        s = bs_text_end_row(&x->texts, x->r);
    return s ? s : bs_reading_row(x->r, line->number);
}

/* --- the end ------------------------------------------------------------- */

/* Members of the rows by kind; a category counts once. */
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
    if (x->style == JSONL_NUMBERED)
        source->numeric = (int32_t)x->width;
    source->nominal = nominal.n;
    source->attributes = source->numeric + source->nominal;
    bs_names_free(&nominal);
    return ok ? BASIN_OK : bs_fail_nomem(x->r->err);
}

/* The option must not name members that no row has. */
static basin_status check_texts(const jsonl *x)
{
    const bs_text_columns *t = &x->texts;
    for (int i = 0; x->r->o->text_column[0] && !x->r->o->like && i < t->n; i++)
        if (!(t->seen >> i & 1))
            return bs_error_at(x->r, 0, 0, "--text-column: no row has a member '%.60s'",
                               t->name[i]);
    return BASIN_OK;
}

static basin_status finish(jsonl *x)
{
    bs_reading  *r = x->r;
    bs_build    *b = r->b;
    bs_source   *source = &b->ds->source;
    basin_status s = check_texts(x);
    if (!s && x->style != JSONL_NUMBERED)
        s = bs_jsonl_columns(x);
    if (!s)
        s = count_attributes(x);
    if (s)
        return s;
    source = &b->ds->source;
    bool binary = source->numeric == 0;
    if (x->style == JSONL_NUMBERED)
        b->ds->schema.dense = true;
    if (x->labels) {
        b->ds->open_labels = true;
        bs_print(source->labels_from, sizeof source->labels_from, "the member \"%.60s\"",
                 x->label_key);
    }
    b->ds->schema.binary = b->ones || (x->style == JSONL_NAMED && binary);
    b->ds->labelled = x->labels || b->labels.n > 0;
    if (!b->ds->labelled && !r->o->label_free)
        return bs_error_at(r, 0, 0,
                           "no row has labels; write \"labels\": [\"name\", ...], or say with %s "
                           "which members they are",
                           r->o->like ? "--set data.labels=NAMES" : "--labels");
    if (x->labels && x->without)
        bs_notes_add(r->notes, "unlabelled", "%d rows have no member \"%.60s\"", x->without,
                     x->label_key);
    s = bs_text_finish(&x->texts, r);
    if (s)
        return s;
    return bs_build_finish(b, x->style == JSONL_NUMBERED ? (int32_t)x->width : -1, -1, r->err);
}

static basin_status next(bs_reading *r)
{
    jsonl x = {.r = r};
    bs_buf_init(&x.name, (size_t)1 << 28);
    bs_names_init(&x.members, &r->b->ds->arena);
    r->b->keep_zeros = true;
    basin_status s = bs_text_columns_begin(&x.texts, r);
    if (!s)
        s = bs_reading_lines(r, &x, one_line);
    if (!s && !bs_reading_over(r))
        s = finish(&x);
    bs_text_columns_free(&x.texts);
    bs_buf_free(&x.name);
    bs_names_free(&x.members);
    bs_free(x.member);
    bs_free(x.feature);
    return s;
}

const bs_reader bs_reader_jsonl = {
    .name = "jsonl",
    .help = "one object per line: members, or {\"features\": {...} or [...], \"labels\": [...]}",
    .extensions = ".jsonl .ndjson .json",
    .uses = "data.labels data.label_sep data.text_column data.label_names data.drop data.true "
            "data.false data.absent",
    .sniff = sniff,
    .next = next,
};
