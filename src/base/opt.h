/* opt.h -- option tables: one row per option, and the row is the only place it exists.
 *
 * Defaults, range checks, --help, config files and the copy of the options
 * stored in a model are loops over such a table. To add an option: a field in
 * the struct and a row in the table beside it. */
#ifndef BS_OPT_H
#define BS_OPT_H

#include "base/buf.h"
#include "base/err.h"

struct json_t;

typedef enum {
    BS_INT,   /* int */
    BS_FLOAT, /* double */
    BS_BOOL,  /* bool; yes/no, true/false, on/off, 1/0 */
    BS_NAME,  /* char[BS_OPTION_TEXT], one of the words in `choices` */
    BS_TEXT,  /* char[BS_OPTION_TEXT], anything that fits */
} bs_option_kind;

#define BS_OPTION_TEXT 1024 /* a path fits */

enum {
    BS_OPTION_KEEP = 1,     /* stored in the model and restored at prediction */
    BS_OPTION_TUNE = 2,     /* worth being searched by `basin tune`, on a linear scale */
    BS_OPTION_TUNE_LOG = 4, /* the same, on a logarithmic scale */
    BS_OPTION_ONCE = 8,     /* concerns one call only: not written to any config */
    BS_OPTION_FILE = 16,    /* names a file to read, or may do so; several separated by | */
    BS_OPTION_WRITTEN = 32, /* names a folder to write to */
    BS_OPTION_LATE = 64,    /* a text, name or number that models only store if it is not the
                               default: models keep the bytes that they had before it existed */
};

typedef struct {
    const char    *name; /* dotted, as in "gbi.steps" */
    bs_option_kind kind;
    size_t         offset;
    const char    *def;       /* as a user would write it */
    const char    *min, *max; /* inclusive; NULL = no bound */
    /* BS_NAME: words separated by |. Numbers: the range that `basin tune` searches, "0..0.7", or
     * "x10": from a tenth to ten times the starting value; NULL: not searched by default. */
    const char *choices;
    const char *help;
    unsigned    flags;
} bs_option;

/* A table ends with a row whose name is NULL. All strings are borrowed.
 * `where` opens every message: a file and line, or an option such as "--set". */

basin_status bs_options_default(const bs_option *rows, void *opts, basin_error *err);

/* Checks type and range; an unknown name is refused with the nearest known one as a hint. */
basin_status bs_options_set(const bs_option *rows, void *opts, const char *name, const char *value,
                            const char *where, basin_error *err);
/* "key=value key=value" */
basin_status bs_options_words(const bs_option *rows, void *opts, const char *words,
                              const char *where, basin_error *err);

/* Writes the value of one row as a user would write it: set(get(x)) == x, exactly. */
void bs_option_format(const bs_option *row, const void *opts, bs_buf *out);
/* Whether two sets of options differ in a row; `text` receives the value of the first. If memory
 * runs out, `text` stays failed and nothing differs. */
bool bs_option_differs(const bs_option *row, const void *opts, const void *other, bs_buf *text);

/* "key = value" lines for a config file; rows for --help (name, range, default, help). */
void bs_options_config(const bs_option *rows, const void *opts, bs_buf *out);
void bs_options_help(const bs_option *rows, bs_buf *out);
/* What a row accepts, as --help shows it: "1..1000", ">= 1", "a|b|c". Replaces what is in `out`. */
void bs_option_range(const bs_option *row, bs_buf *out);

/* One JSON object {"name": value, ...}; numbers and booleans unquoted. */
void bs_options_json(const bs_option *rows, const void *opts, bs_buf *out);
/* Sets every member of a JSON object; unknown members are errors. */
basin_status bs_options_from_json(const bs_option *rows, void *opts, const char *json, size_t len,
                                  const char *where, basin_error *err);
basin_status bs_options_take(const bs_option *rows, void *opts, struct json_t *object,
                             const char *where, basin_error *err);
/* Reads "key = value" lines; # starts a comment. */
basin_status bs_options_from_config(const bs_option *rows, void *opts, const char *text, size_t len,
                                    const char *where, basin_error *err);

/* Limits ("data.max_rows") are the caller's business: drops those stored in a model, and names of
 * anything but a regular file. */
void bs_options_own_limits(const bs_option *rows, void *opts);

const bs_option *bs_option_find(const bs_option *rows, const char *name);

/* Strict number parsing: the whole text must be one finite number. No locale. */
int bs_parse_int(const char *text, long long *out); /* 1 on success */
int bs_parse_double(const char *text, double *out); /* 1 on success */
/* The number at the start of a text: returns its end, or NULL if there is none or it is too large.
 * Anything may follow it. */
const char *bs_scan_double(const char *text, double *out);

#define BS_NUMBER_TEXT 32
/* The fewest digits that read back as exactly this number; "nan", "inf". No locale. */
void bs_format_double(double value, char out[BS_NUMBER_TEXT]);

#endif
