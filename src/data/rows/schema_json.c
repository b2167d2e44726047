/* schema_json.c -- the schema as JSON, for the model file; any bytes either load or are refused. */
#include <math.h>
#include <string.h>

#include "base/tree.h"
#include "data/names.h"
#include "data/rows/write.h"

/* --- writing ------------------------------------------------------------- */

static basin_status to_buf(void *to, const void *bytes, size_t n, basin_error *err)
{
    (void)err;
    bs_buf_add(to, bytes, n);
    return BASIN_OK;
}

static void put_floats(bs_writing *w, const char *name, const float *v, int32_t n)
{
    if (!v)
        return;
    bs_put(w, ",\"");
    bs_put(w, name);
    bs_put(w, "\":[");
    for (int32_t i = 0; i < n; i++) {
        bs_put(w, i ? "," : "");
        bs_put_float(w, v[i]);
    }
    bs_put(w, "]");
}

/* ["area"] is a number, ["icon", "1"] yes or no, ["zone=3", "3", "zone"] a category. */
static void put_feature(bs_writing *w, const bs_feature *f)
{
    bs_put(w, "[");
    bs_put_json(w, f->name);
    if (f->kind != BS_FEATURE_NUMERIC) {
        bs_put(w, ",");
        bs_put_json(w, f->value ? f->value : "1");
    }
    if (f->kind == BS_FEATURE_ONEHOT) {
        bs_put(w, ",");
        bs_put_json(w, f->attribute);
    }
    bs_put(w, "]");
}

void bs_schema_json(const bs_schema *s, bs_buf *out)
{
    bs_writing w;
    if (bs_writing_open(&w, to_buf, out, NULL)) {
        out->failed = true;
        return;
    }
    bs_put(&w, "{\"features\":");
    bs_put_int(&w, s->n_features);
    bs_put(&w, ",\"index_base\":");
    bs_put_int(&w, s->index_base);
    bs_put(&w, s->dense ? ",\"dense\":true" : ",\"dense\":false");
    bs_put(&w, s->binary ? ",\"binary\":true" : ",\"binary\":false");
    bs_put(&w, s->open ? ",\"open\":true" : ",\"open\":false");
    if (s->feature) {
        bs_put(&w, ",\"names\":[");
        for (int32_t i = 0; i < s->n_features; i++) {
            bs_put(&w, i ? "," : "");
            put_feature(&w, &s->feature[i]);
        }
        bs_put(&w, "]");
    }
    bs_put(&w, ",\"labels\":[");
    for (int32_t i = 0; i < s->n_labels; i++) {
        bs_put(&w, i ? "," : "");
        bs_put_json(&w, s->label[i]);
    }
    bs_put(&w, "]");
    if (s->n_texts) {
        bs_put(&w, ",\"text\":[");
        for (int32_t i = 0; i < s->n_texts; i++) {
            bs_put(&w, i ? "," : "");
            bs_put_json(&w, s->text[i]);
        }
        bs_put(&w, "]");
    }
    put_floats(&w, "fill", s->fill, s->n_features);
    put_floats(&w, "mean", s->mean, s->n_features);
    put_floats(&w, "scale", s->scale, s->n_features);
    bs_put(&w, "}");
    bs_writing_close(&w);
}

/* --- reading ------------------------------------------------------------- */

typedef struct {
    const char  *where;
    bs_arena    *arena;
    basin_error *err;
} loading;

static basin_status refuse(const loading *l, const char *what)
{
    return bs_fail(l->err, BASIN_EDATA, "%s: the feature schema is damaged: %s", l->where, what);
}

/* A string without NUL, copied. */
static const char *take_text(const loading *l, const json_t *v, basin_status *s)
{
    if (*s)
        return NULL;
    const char *text = json_string_value(v);
    if (!text || strlen(text) != json_string_length(v)) {
        *s = refuse(l, "a name is not a string");
        return NULL;
    }
    const char *copy = bs_arena_copy(l->arena, text, strlen(text));
    if (!copy)
        *s = bs_fail_nomem(l->err);
    return copy;
}

static basin_status take_features(const loading *l, const json_t *list, bs_schema *out)
{
    if (!list)
        return BASIN_OK;
    size_t n = (size_t)out->n_features;
    if (json_array_size(list) != n)
        return refuse(l, "names and number of features differ");
    bs_feature  *feature = bs_arena_alloc(l->arena, (n + 1) * sizeof *feature);
    basin_status s = feature ? BASIN_OK : bs_fail_nomem(l->err);
    for (size_t i = 0; !s && i < n; i++) {
        const json_t *row = json_array_get(list, i);
        size_t        parts = json_array_size(row);
        bs_feature   *f = &feature[i];
        if (parts < 1 || parts > 3)
            return refuse(l, "a feature is not a list of one to three strings");
        f->name = f->attribute = take_text(l, json_array_get(row, 0), &s);
        f->kind = parts == 1   ? BS_FEATURE_NUMERIC
                  : parts == 2 ? BS_FEATURE_BINARY
                               : BS_FEATURE_ONEHOT;
        if (parts > 1)
            f->value = take_text(l, json_array_get(row, 1), &s);
        if (parts > 2)
            f->attribute = take_text(l, json_array_get(row, 2), &s);
    }
    out->feature = feature;
    return s;
}

static basin_status take_labels(const loading *l, const json_t *list, bs_schema *out)
{
    size_t   n = json_array_size(list);
    bs_names seen;
    bool     fresh;
    if (!json_is_array(list) || n > INT32_MAX / 2)
        return refuse(l, "there is no list of labels");
    const char **label = bs_arena_alloc(l->arena, (n + 1) * sizeof *label);
    basin_status s = label ? BASIN_OK : bs_fail_nomem(l->err);
    bs_names_init(&seen, NULL);
    for (size_t i = 0; !s && i < n; i++) {
        label[i] = take_text(l, json_array_get(list, i), &s);
        if (!s && !*label[i])
            s = refuse(l, "a label has no name");
        else if (!s && bs_names_add(&seen, label[i], strlen(label[i]), &fresh) < 0)
            s = bs_fail_nomem(l->err);
        else if (!s && !fresh)
            s = refuse(l, "two labels have the same name");
    }
    bs_names_free(&seen);
    out->label = label;
    out->n_labels = (int32_t)n;
    return s;
}

static basin_status take_text_columns(const loading *l, const json_t *list, bs_schema *out)
{
    const size_t n = json_array_size(list);
    if (list && (n < 1 || n > 16))
        return refuse(l, "there is no list of one to 16 text columns");
    const char **text = bs_arena_alloc(l->arena, (n + 1) * sizeof *text);
    basin_status s = text ? BASIN_OK : bs_fail_nomem(l->err);
    for (size_t i = 0; !s && i < n; i++)
        text[i] = take_text(l, json_array_get(list, i), &s);
    out->text = text;
    out->n_texts = (int32_t)n;
    return s;
}

static const float *take_floats(const loading *l, const json_t *list, int32_t n, basin_status *s)
{
    if (*s || !list)
        return NULL;
    if (json_array_size(list) != (size_t)n) {
        *s = refuse(l, "a list of numbers has the wrong length");
        return NULL;
    }
    float *out = bs_arena_alloc(l->arena, ((size_t)n + 1) * sizeof *out);
    if (!out)
        *s = bs_fail_nomem(l->err);
    for (int32_t i = 0; !*s && i < n; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        double        d = json_number_value(v);
        if (!json_is_number(v) || !(fabs(d) <= 3.4e38))
            *s = refuse(l, "a number is missing or too large");
        else
            out[i] = (float)d;
    }
    return out;
}

static basin_status take_schema(const loading *l, const json_t *o, bs_schema *out)
{
    json_int_t n = json_integer_value(json_object_get(o, "features"));
    json_int_t base = json_integer_value(json_object_get(o, "index_base"));
    if (!json_is_object(o) || n < 0 || n > INT32_MAX / 2 || base < 0 || base > 1)
        return refuse(l, "features or index_base is out of range");
    out->n_features = (int32_t)n;
    out->index_base = (int)base;
    out->dense = json_is_true(json_object_get(o, "dense"));
    out->binary = json_is_true(json_object_get(o, "binary"));
    out->open = json_is_true(json_object_get(o, "open"));
    basin_status s = take_features(l, json_object_get(o, "names"), out);
    if (!s)
        s = take_labels(l, json_object_get(o, "labels"), out);
    if (!s)
        s = take_text_columns(l, json_object_get(o, "text"), out);
    out->fill = take_floats(l, json_object_get(o, "fill"), out->n_features, &s);
    out->mean = take_floats(l, json_object_get(o, "mean"), out->n_features, &s);
    out->scale = take_floats(l, json_object_get(o, "scale"), out->n_features, &s);
    if (!s && (out->mean == NULL) != (out->scale == NULL))
        s = refuse(l, "mean without scale");
    return s;
}

basin_status bs_schema_take(json_t *o, const char *where, bs_arena *arena, bs_schema *out,
                            basin_error *err)
{
    loading l = {.where = where, .arena = arena, .err = err};
    *out = (bs_schema){0};
    basin_status s = take_schema(&l, o, out);
    if (s)
        *out = (bs_schema){0};
    return s;
}
