/* space.c -- ranges of options, and points of the unit cube as values.
 *
 * A point is always converted back from the text of its values, so that the model, the log and the
 * training use the same numbers, with few digits. */
#include <math.h>
#include <string.h>

#include "tune/search.h"

enum { DIGITS = 3 };

/* ---- reading ranges ---- */

static double number_of(const bs_option *row, const bs_settings *s)
{
    int    whole;
    double x;
    if (row->kind == BS_INT) {
        memcpy(&whole, (const char *)s + row->offset, sizeof whole);
        return whole;
    }
    memcpy(&x, (const char *)s + row->offset, sizeof x);
    return x;
}

static bool is_number(const bs_option *row)
{
    return row->kind == BS_INT || row->kind == BS_FLOAT;
}

static basin_status bad_range(const bs_option *row, const char *range, const char *what,
                              basin_error *err)
{
    return bs_fail(err, BASIN_EARG, "--space: %s=%.80s: %s", row->name, range, what);
}

/* Cuts ":log" or ":linear" off. */
static basin_status take_scale(bs_dimension *d, char *range, basin_error *err)
{
    char *colon = strrchr(range, ':');
    d->log = d->row.flags & BS_OPTION_TUNE_LOG;
    if (!colon)
        return BASIN_OK;
    *colon = '\0';
    if (strcmp(colon + 1, "log") == 0)
        d->log = true;
    else if (strcmp(colon + 1, "linear") == 0)
        d->log = false;
    else
        return bs_fail(err, BASIN_EARG, "--space: %s: '%.40s' is not a scale; use log or linear",
                       d->row.name, colon + 1);
    return BASIN_OK;
}

static void within_row(bs_dimension *d)
{
    double bound;
    if (d->row.min && bs_parse_double(d->row.min, &bound) && d->lo < bound)
        d->lo = bound;
    if (d->row.max && bs_parse_double(d->row.max, &bound) && d->hi > bound)
        d->hi = bound;
    if (d->row.kind == BS_INT) {
        d->lo = ceil(d->lo);
        d->hi = floor(d->hi);
    }
}

/* "x10" around the value. */
static basin_status factor_range(bs_dimension *d, double value, const char *range, basin_error *err)
{
    double factor;
    if (!bs_parse_double(range + 1, &factor) || factor <= 1)
        return bad_range(&d->row, range, "after x comes a number above 1, as in x10", err);
    if (value <= 0)
        return bad_range(&d->row, range, "the value to start from is 0; give a range LO..HI", err);
    d->lo = value / factor;
    d->hi = value * factor;
    if (d->row.kind == BS_INT && d->lo < 1)
        d->lo = 1;
    return BASIN_OK;
}

static basin_status number_range(bs_dimension *d, double value, char *range, basin_error *err)
{
    char        *dots = strstr(range, "..");
    basin_status s = BASIN_OK;
    if (range[0] == 'x') {
        s = factor_range(d, value, range, err);
    } else if (!dots) {
        s = bad_range(&d->row, range, "is not a range such as LO..HI, x10 or A|B|C", err);
    } else {
        char low[BS_TUNE_NAME];
        bs_print(low, sizeof low, "%.*s", (int)(dots - range), range);
        if (!bs_parse_double(low, &d->lo) || !bs_parse_double(dots + 2, &d->hi))
            s = bad_range(&d->row, range, "both ends of a range are numbers, as in 1e-4..1e-2",
                          err);
    }
    if (s)
        return s;
    const double lo = d->lo, hi = d->hi;
    within_row(d);
    if (range[0] != 'x' && (lo < d->lo || hi > d->hi)) {
        char what[200];
        bs_print(what, sizeof what, "the option itself takes %s from %s to %s",
                 d->row.kind == BS_INT ? "whole numbers" : "numbers",
                 d->row.min ? d->row.min : "any", d->row.max ? d->row.max : "any");
        return bad_range(&d->row, range, what, err);
    }
    if (!(d->lo < d->hi))
        return bad_range(&d->row, range, "the first end must be below the second", err);
    if (d->log && d->lo <= 0)
        return bad_range(&d->row, range,
                         "a logarithmic range starts above 0; with :linear it need not", err);
    return BASIN_OK;
}

/* "a|b|c", each accepted by the option itself. */
static basin_status word_range(bs_dimension *d, const bs_settings *base, const char *range,
                               basin_error *err)
{
    bs_settings try = *base;
    d->log = false;
    for (const char *at = range; at;) {
        const size_t n = strcspn(at, "|");
        if (d->n_words == BS_TUNE_WORDS || n >= BS_TUNE_NAME)
            return bad_range(&d->row, range, "more than 16 words, or a long one", err);
        char *word = d->word[d->n_words++];
        memcpy(word, at, n);
        word[n] = '\0';
        basin_status s = bs_settings_set(&try, d->row.name, word, "--space", err);
        if (s)
            return s;
        bs_buf text; /* as the option itself would write it: 0.10 is 0.1 */
        bs_buf_init(&text, BS_OPTION_TEXT + 1);
        bs_option_format(&d->row, &try, &text);
        if (text.data && text.len < BS_TUNE_NAME)
            memcpy(word, text.data, text.len + 1);
        bs_buf_free(&text);
        at = at[n] ? at + n + 1 : NULL;
    }
    if (d->n_words < 2)
        return bad_range(&d->row, range, "a single word is not a choice; --set fixes a value", err);
    return BASIN_OK;
}

/* ---- dimensions ---- */

/* The point of the settings: the nearest end if they are outside. */
static void find_start(bs_dimension *d, const bs_settings *s)
{
    bs_buf text;
    bs_buf_init(&text, BS_OPTION_TEXT + 1);
    bs_option_format(&d->row, s, &text);
    d->start = bs_space_point(d, text.data ? text.data : "");
    if (isnan(d->start) && d->n_words == 0) {
        const double x = number_of(&d->row, s);
        d->start = x < d->lo ? 0 : 1;
    }
    if (isnan(d->start)) /* a word that is not among those requested */
        d->start = 0.5 / d->n_words;
    bs_buf_free(&text);
}

static basin_status make_dimension(const bs_settings *s, const bs_option *row, const char *range,
                                   bs_dimension *d, basin_error *err)
{
    char text[BS_OPTION_TEXT];
    bs_print(text, sizeof text, "%s", range);
    *d = (bs_dimension){.row = *row};
    basin_status status = BASIN_OK;
    if (row->kind == BS_TEXT || strchr(text, '|') || !is_number(row)) {
        status = word_range(d, s, row->kind == BS_BOOL && !*text ? "no|yes" : text, err);
    } else {
        status = take_scale(d, text, err);
        if (!status)
            status = number_range(d, number_of(row, s), text, err);
    }
    if (!status)
        find_start(d, s);
    return status;
}

/* The range in the table, wide enough for the starting value. False: not searched, since the value
 * is the 0 of something switched off. */
static bool own_range(const bs_option *row, const bs_settings *s, char out[BS_OPTION_TEXT])
{
    const double value = number_of(row, s);
    double       lo, hi;
    bs_print(out, BS_OPTION_TEXT, "%s", row->choices);
    char *dots = strstr(out, "..");
    if (!dots)
        return value > 0;
    *dots = '\0';
    if (!bs_parse_double(out, &lo) || !bs_parse_double(dots + 2, &hi))
        return false;
    const bool log = row->flags & BS_OPTION_TUNE_LOG;
    if (value < lo && !(log && value <= 0))
        lo = value;
    if (value > hi)
        hi = value;
    char a[BS_NUMBER_TEXT], b[BS_NUMBER_TEXT];
    bs_format_double(lo, a);
    bs_format_double(hi, b);
    bs_print(out, BS_OPTION_TEXT, "%s..%s", a, b);
    return true;
}

static int find(const bs_space *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].row.name, name) == 0)
            return i;
    return -1;
}

static bool is_fixed(const bs_space_wishes *w, const char *name)
{
    for (int i = 0; i < w->n_fixed; i++)
        if (strcmp(w->fixed[i], name) == 0)
            return true;
    return false;
}

/* ---- the space ---- */

static basin_status add_own(const bs_settings *s, const bs_option *rows, const bs_method *m,
                            const bs_space_wishes *w, bs_space *out, basin_error *err)
{
    char range[BS_OPTION_TEXT], name[BS_TUNE_NAME];
    for (const char *at = m->tunes ? m->tunes : ""; *at;) {
        const size_t n = strcspn(at, " ");
        bs_print(name, sizeof name, "%.*s", (int)n, at);
        at += n + strspn(at + n, " ");
        const bs_option *row = bs_option_find(rows, name);
        if (!row || !row->choices || !is_number(row))
            return bs_fail(err, BASIN_EARG, "method %s is tuned in '%s', which has no range",
                           m->name, name);
        if (is_fixed(w, name) || !own_range(row, s, range))
            continue;
        basin_status status = make_dimension(s, row, range, &out->at[out->n++], err);
        if (status)
            return status;
    }
    return BASIN_OK;
}

/* Options excluded from a search: data is read once for all trials, and they are measured alike. */
static bool is_common(const char *name)
{
    static const char *const prefix[] = {
        "task",       "report",          "method",          "preset",   "seed",        "epochs",
        "file.",      "data.",           "text.",           "image.",   "mask.",       "split.",
        "threads",    "device",          "time_limit",      "rules.",   "early_stop.", "profile",
        "checkpoint", "threshold",       "standardise",     "seg.crop", "seg.mean",    "words.",
        "infer",      "chars.min_count", "chars.max_length"};
    for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++)
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
            return strcmp(name, "words.tuned") != 0;
    return false;
}

static basin_status one_wish(const bs_settings *s, const bs_option *rows, const char *wish,
                             const bs_space_wishes *w, bs_space *out, basin_error *err)
{
    char         name[BS_OPTION_TEXT], range[BS_OPTION_TEXT];
    bs_settings  try = *s;
    const char  *equals = strchr(wish, '=');
    const size_t n = equals ? (size_t)(equals - wish) : strlen(wish);
    if (n == 0 || n >= sizeof name || (equals && !equals[1]))
        return bs_fail(err, BASIN_EARG,
                       "--space: '%.80s' is not KEY=RANGE, as in lr.net=1e-4..1e-2", wish);
    memcpy(name, wish, n);
    name[n] = '\0';
    const bs_option *row = bs_option_find(rows, name);
    if (!row) /* the message with the nearest name */
        return bs_options_set(rows, &try, name, "", "--space", err);
    if (is_common(name))
        return bs_fail(err, BASIN_EARG,
                       "--space: %s is the same for all trials, since they share their data and "
                       "how they are measured; --set changes it",
                       name);
    if (is_fixed(w, name))
        return bs_fail(err, BASIN_EARG, "--space: %s is fixed by --set; give one of them", name);
    bs_print(range, sizeof range, "%s", equals ? equals + 1 : "");
    if (!equals && is_number(row) && (!row->choices || !own_range(row, s, range)))
        return bs_fail(err, BASIN_EARG, "--space: %s has no range of its own; give %s=LO..HI", name,
                       name);
    if (!equals && row->kind == BS_NAME)
        bs_print(range, sizeof range, "%s", row->choices);
    int at = find(out, name);
    if (at < 0 && out->n == BS_TUNE_MOST)
        return bs_fail(err, BASIN_EARG, "--space: more than %d options", BS_TUNE_MOST);
    if (at < 0)
        at = out->n++;
    return make_dimension(s, row, range, &out->at[at], err);
}

basin_status bs_space_make(const bs_settings *s, const bs_method *m, const bs_space_wishes *w,
                           bs_space *out, basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    bs_settings_rows(rows);
    out->n = 0;
    basin_status status = add_own(s, rows, m, w, out, err);
    for (int i = 0; i < w->n_wishes && !status; i++)
        status = one_wish(s, rows, w->wish[i], w, out, err);
    if (!status && out->n == 0)
        status = bs_fail(err, BASIN_EARG,
                         "nothing is left to search: --set fixes all that method %s is tuned in; "
                         "--space KEY=LO..HI adds an option",
                         m->name);
    return status;
}

/* ---- points and values ---- */

static double clip(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Whole numbers have cells of equal width on their scale. */
static double value_at(const bs_dimension *d, double u)
{
    const bool whole = d->row.kind == BS_INT;
    double     lo = d->lo, hi = whole ? d->hi + 1 : d->hi, x;
    u = clip(u, 0, 1);
    x = d->log ? lo * pow(hi / lo, u) : lo + u * (hi - lo);
    return clip(whole ? floor(x + 1e-9) : x, d->lo, d->hi);
}

void bs_space_text(const bs_dimension *d, double u, char text[BS_TUNE_NAME])
{
    if (d->n_words > 0) {
        int i = (int)(clip(u, 0, 1) * d->n_words);
        bs_print(text, BS_TUNE_NAME, "%s", d->word[i < d->n_words ? i : d->n_words - 1]);
        return;
    }
    char   number[BS_NUMBER_TEXT];
    double x = value_at(d, u);
    if (d->row.kind == BS_FLOAT && x != d->lo && x != d->hi && x != 0) {
        /* this many digits relative to the value, or to the range if that is linear */
        const double size = d->log ? fabs(x) : d->hi - d->lo;
        const double unit = pow(10, floor(log10(size)) + 1 - DIGITS);
        char         rounded[BS_NUMBER_TEXT];
        bs_print(rounded, sizeof rounded, "%.12g", rint(x / unit) * unit);
        for (char *c = rounded; *c; c++) /* of the locale */
            if (*c == ',')
                *c = '.';
        if (!bs_parse_double(rounded, &x))
            x = value_at(d, u);
        x = clip(x, d->lo, d->hi);
    }
    bs_format_double(x, number);
    bs_print(text, BS_TUNE_NAME, "%s", number);
}

double bs_space_point(const bs_dimension *d, const char *text)
{
    double x;
    for (int i = 0; i < d->n_words; i++)
        if (strcmp(d->word[i], text) == 0)
            return (i + 0.5) / d->n_words;
    if (d->n_words > 0 || !bs_parse_double(text, &x) || x < d->lo || x > d->hi)
        return NAN;
    const bool   whole = d->row.kind == BS_INT;
    const double hi = whole ? d->hi + 1 : d->hi;
    if (whole) /* the middle of its cell */
        x = d->log ? sqrt(x * (x + 1)) : x + 0.5;
    return d->log ? log(x / d->lo) / log(hi / d->lo) : (x - d->lo) / (hi - d->lo);
}

void bs_space_snap(const bs_space *s, double *u)
{
    char text[BS_TUNE_NAME];
    for (int i = 0; i < s->n; i++) {
        bs_space_text(&s->at[i], u[i], text);
        const double x = bs_space_point(&s->at[i], text);
        u[i] = isnan(x) ? clip(u[i], 0, 1) : x;
    }
}

double bs_space_value(const bs_dimension *d, double u)
{
    if (d->n_words > 0) {
        int i = (int)(clip(u, 0, 1) * d->n_words);
        return i < d->n_words ? i : d->n_words - 1;
    }
    return value_at(d, u);
}

basin_status bs_space_apply(const bs_space *s, const double *u, bs_settings *out, basin_error *err)
{
    char         text[BS_TUNE_NAME];
    basin_status status = BASIN_OK;
    for (int i = 0; i < s->n && !status; i++) {
        bs_space_text(&s->at[i], u[i], text);
        status = bs_settings_set(out, s->at[i].row.name, text, "tune", err);
    }
    return status;
}

void bs_space_range(const bs_dimension *d, bs_buf *out)
{
    char a[BS_NUMBER_TEXT], b[BS_NUMBER_TEXT];
    for (int i = 0; i < d->n_words; i++)
        bs_buf_printf(out, "%s%s", i ? "|" : "", d->word[i]);
    if (d->n_words > 0)
        return;
    bs_format_double(d->lo, a);
    bs_format_double(d->hi, b);
    bs_buf_printf(out, "%s..%s%s", a, b, d->log ? " log" : "");
}
