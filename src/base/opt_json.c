/* opt_json.c -- option tables as JSON objects, the form stored in models. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/opt.h"
#include "base/tree.h"

/* --- writing ----------------------------------------------------------------- */

static void add_value(const bs_option *row, const void *opts, bs_buf *out)
{
    const char *field = (const char *)opts + row->offset;
    bool        b;
    switch (row->kind) {
    case BS_INT:
    case BS_FLOAT:
        bs_json_key(out, row->name);
        bs_option_format(row, opts, out);
        break;
    case BS_BOOL:
        memcpy(&b, field, sizeof b);
        bs_json_bool(out, row->name, b);
        break;
    case BS_NAME:
    case BS_TEXT: bs_json_text(out, row->name, field); break;
    }
}

static bool is_left_out(const bs_option *r, const void *opts)
{
    const void *field = (const char *)opts + r->offset;
    double      def, d;
    int         i;
    if (!(r->flags & BS_OPTION_LATE))
        return false;
    if (r->kind == BS_NAME || r->kind == BS_TEXT)
        return strcmp(field, r->def) == 0;
    memcpy(r->kind == BS_INT ? (void *)&i : (void *)&d, field,
           r->kind == BS_INT ? sizeof i : sizeof d);
    return bs_parse_double(r->def, &def) && def == (r->kind == BS_INT ? (double)i : d);
}

void bs_options_json(const bs_option *rows, const void *opts, bs_buf *out)
{
    bs_json_open(out, NULL, '{');
    for (const bs_option *r = rows; r->name; r++)
        if (!is_left_out(r, opts))
            add_value(r, opts, out);
    bs_json_close(out, '}');
}

/* --- reading ----------------------------------------------------------------- */

/* A value that is not of the right type never reads as a number: set() then knows what would. */
static basin_status set_member(const bs_option *rows, void *opts, const char *name,
                               const json_t *value, const char *where, basin_error *err)
{
    const bs_option *row = bs_option_find(rows, name);
    const bool       text = row && (row->kind == BS_NAME || row->kind == BS_TEXT);
    char             shown[84];
    bs_tree_show(value, JSON_COMPACT, shown, sizeof shown);
    if (text && json_is_string(value))
        return bs_options_set(rows, opts, name, json_string_value(value), where, err);
    if (text || (row && row->kind == BS_BOOL && !json_is_boolean(value)))
        return bs_fail(err, BASIN_EARG, "%s: %s: expected %s, found %s", where, name,
                       text ? "a string" : "true or false", shown);
    return bs_options_set(rows, opts, name, shown, where, err);
}

basin_status bs_options_take(const bs_option *rows, void *opts, json_t *object, const char *where,
                             basin_error *err)
{
    basin_status s = BASIN_OK;
    const char  *name;
    json_t      *value;
    if (!json_is_object(object))
        return bs_fail(err, BASIN_EDATA, "%s: expected a JSON object {\"option\": value, ...}",
                       where);
    json_object_foreach(object, name, value)
    {
        s = set_member(rows, opts, name, value, where, err);
        if (s)
            break;
    }
    return s;
}

basin_status bs_options_from_json(const bs_option *rows, void *opts, const char *json, size_t len,
                                  const char *where, basin_error *err)
{
    json_error_t why;
    json_t      *root = bs_tree_read(json, len, JSON_REJECT_DUPLICATES, &why);
    if (!root && json_error_code(&why) == json_error_out_of_memory)
        return bs_fail_nomem(err);
    if (!root)
        return bs_fail(err, BASIN_EDATA, "%s: invalid JSON at line %d, column %d: %s", where,
                       why.line, why.column, why.text);

    basin_status s = bs_options_take(rows, opts, root, where, err);
    json_decref(root);
    return s;
}
