/* data_helper.h -- reading snippets of text, for tests of src/data. */
#ifndef DATA_HELPER_H
#define DATA_HELPER_H

#include "tests/check.h"

#include <stdint.h>
#include <string.h>

#include "data/rows/read.h"

/* "labels=last:2 nominal=position": reading options separated by blanks. */
static inline bs_read_options options_from(const char *text)
{
    bs_read_options o = bs_read_options_default();
    basin_error     err;
    char            copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = copy, *next; p && *p; p = next) {
        next = strchr(p, ' ');
        if (next)
            *next++ = '\0';
        char key[600], *value = strchr(p, '=');
        assert_non_null(value);
        *value++ = '\0';
        snprintf(key, sizeof key, "data.%s", p);
        if (bs_options_set(bs_read_rows, &o, key, value, "test", &err))
            fail_msg("%s", err.msg);
    }
    return o;
}

static inline basin_status read_bytes(const char *bytes, size_t n, const bs_read_options *o,
                                      bs_rows **ds, bs_notes *notes, basin_error *err)
{
    bs_input    *in;
    basin_status s = bs_input_memory("data", bytes, n, &in, err);
    *ds = NULL;
    if (s)
        return s;
    s = bs_rows_read_input(in, NULL, o, ds, notes, err);
    bs_input_close(in);
    return s;
}

/* Must succeed. */
static inline bs_rows *read_with(const char *text, const bs_read_options *o, bs_notes *notes)
{
    bs_rows    *ds;
    basin_error err = {0};
    if (read_bytes(text, strlen(text), o, &ds, notes, &err))
        fail_msg("%s", err.msg);
    return ds;
}

static inline bs_rows *read_text(const char *text, const char *options, bs_notes *notes)
{
    bs_read_options o = options_from(options);
    return read_with(text, &o, notes);
}

/* Rows as text: "name:value ... | label label / ..." */
static inline const char *show(const bs_rows *ds)
{
    static char text[16384];
    size_t      at = 0;
    text[0] = '\0';
#define SHOW(...) \
    at += (size_t)snprintf(text + at, at < sizeof text ? sizeof text - at : 0, __VA_ARGS__)
    for (int32_t r = 0; r < ds->rows; r++) {
        SHOW("%s", r ? " / " : "");
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++) {
            int32_t f = ds->x.index[e];
            double  v = ds->x.value ? (double)ds->x.value[e] : 1;
            if (ds->schema.feature)
                SHOW("%s:%g ", ds->schema.feature[f].name, v);
            else
                SHOW("%d:%g ", f, v);
        }
        SHOW("|");
        for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++)
            SHOW(" %s", ds->schema.label[ds->y.index[e]]);
        if (ds->unknown.start)
            for (int32_t e = ds->unknown.start[r]; e < ds->unknown.start[r + 1]; e++)
                SHOW(" ?%s", ds->schema.label[ds->unknown.index[e]]);
    }
#undef SHOW
    return text;
}

static inline bool noted(const bs_notes *notes, const char *part)
{
    for (size_t i = 0; i < notes->n; i++)
        if (strstr(notes->note[i].text, part))
            return true;
    return false;
}

#endif
