/* tree.c -- jansson's reader and writer, called in the C locale. Text that would make a tree many
 * times its own size is measured before it is parsed. */
#include "base/tree.h"

#include <math.h>

json_t *bs_tree_read(const char *text, size_t len, size_t flags, json_error_t *why)
{
    const locale_t was = bs_locale_plain();
    json_t        *value = json_loadb(text, len, flags, why);
    bs_locale_back(was);
    return value;
}

bool bs_tree_larger(const char *text, size_t len, size_t most)
{
    size_t commas = 0, depth = 0;
    bool   quoted = false;
    if (len <= most)
        return false;
    for (size_t i = 0; i < len && commas <= most; i++) {
        const char c = text[i];
        if (c == '"')
            quoted = !quoted;
        else if (c == '\\' && quoted)
            i++;
        else if (!quoted && (c == '[' || c == '{'))
            depth++;
        else if (!quoted && (c == ']' || c == '}') && (depth == 0 || --depth == 0))
            break;
        commas += c == ',' && !quoted;
    }
    return commas > most;
}

basin_status bs_tree_object(const char *name, const char *text, size_t len, size_t most,
                            json_t **out, basin_error *err)
{
    json_error_t why;
    *out = NULL;
    if (bs_tree_larger(text, len, most))
        return bs_fail(err, BASIN_EUNSUPPORTED, "%s: more than %zu values", name, most);
    *out = bs_tree_read(text, len, 0, &why);
    if (!*out)
        return bs_fail(err, BASIN_EDATA, "%s:%d: is not JSON: %s", name, why.line, why.text);
    if (json_is_object(*out))
        return BASIN_OK;
    json_decref(*out);
    *out = NULL;
    return bs_fail(err, BASIN_EDATA, "%s: is not a JSON object", name);
}

bool bs_tree_bool(const json_t *o, const char *key, bool otherwise)
{
    const json_t *v = json_object_get(o, key);
    return json_is_boolean(v) ? json_is_true(v) : otherwise;
}

const char *bs_tree_text(const json_t *o, const char *key, const char *otherwise)
{
    const char *v = json_string_value(json_object_get(o, key));
    return v ? v : otherwise;
}

double bs_tree_number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

const char *bs_tree_kind(const json_t *v)
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

static int add_text(const char *bytes, size_t n, void *to)
{
    bs_buf_add(to, bytes, n);
    return 0;
}

bool bs_tree_write(const json_t *value, bs_buf *out)
{
    const locale_t was = bs_locale_plain();
    const bool     ok = value && json_dump_callback(value, add_text, out, JSON_ENCODE_ANY) == 0;
    bs_locale_back(was);
    return ok && !out->failed;
}

bool bs_tree_show(const json_t *value, size_t flags, char *text, size_t size)
{
    const locale_t was = bs_locale_plain();
    const size_t   n = value ? json_dumpb(value, text, size - 1, flags | JSON_ENCODE_ANY) : 0;
    bs_locale_back(was);
    text[n < size ? n : size - 1] = '\0';
    return n > 0;
}
