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
    double      d;
    bool        b;
    int         i;
    switch (row->kind) {
    case BS_INT:
        memcpy(&i, field, sizeof i);
        bs_json_int(out, row->name, i);
        break;
    case BS_FLOAT:
        memcpy(&d, field, sizeof d);
        bs_json_real(out, row->name, d);
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
    return (r->flags & BS_OPTION_LATE) && strcmp((const char *)opts + r->offset, r->def) == 0;
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

static bool kind_fits(const bs_option *row, const json_t *value)
{
    switch (row->kind) {
    case BS_INT: return json_is_integer(value);
    case BS_FLOAT: return json_is_number(value);
    case BS_BOOL: return json_is_boolean(value);
    case BS_NAME:
    case BS_TEXT: return json_is_string(value);
    }
    return false;
}

/* Shows the value as JSON. Numbers are passed on to set(), which knows the range: JSON text of
 * another type never parses as a number. */
static basin_status fail_kind(const bs_option *rows, const bs_option *row, void *opts,
                              const json_t *value, const char *where, basin_error *err)
{
    char shown[84];
    bs_tree_show(value, JSON_COMPACT, shown, sizeof shown);
    if (row->kind == BS_INT || row->kind == BS_FLOAT)
        return bs_options_set(rows, opts, row->name, shown, where, err);
    return bs_fail(err, BASIN_EARG, "%s: %s: expected %s, found %s", where, row->name,
                   row->kind == BS_BOOL ? "true or false" : "a string", shown);
}

static basin_status set_member(const bs_option *rows, void *opts, const char *name,
                               const json_t *value, const char *where, basin_error *err)
{
    const bs_option *row = bs_option_find(rows, name);
    if (row && !kind_fits(row, value))
        return fail_kind(rows, row, opts, value, where, err);

    char        number[BS_NUMBER_TEXT];
    const char *text = number;
    number[0] = '\0';
    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_boolean(value))
        text = json_is_true(value) ? "yes" : "no";
    else if (json_is_integer(value))
        bs_print(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        bs_format_double(json_real_value(value), number);
    return bs_options_set(rows, opts, name, text, where, err);
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

    basin_status s = BASIN_OK;
    const char  *name;
    json_t      *value;
    if (!json_is_object(root))
        s = bs_fail(err, BASIN_EDATA, "%s: expected a JSON object {\"option\": value, ...}", where);
    else
        json_object_foreach(root, name, value)
        {
            s = set_member(rows, opts, name, value, where, err);
            if (s)
                break;
        }
    json_decref(root);
    return s;
}
