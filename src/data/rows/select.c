/* select.c -- the columns selected by `--labels` and `--drop`: names, patterns, a file of names,
 * first:N, last:N. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/rows/read.h"
#include "base/find.h"
#include "data/scan.h"
#include "data/rows/xml_labels.h"

/* --- first:N and last:N -------------------------------------------------- */

static basin_status select_run(const bs_reading *r, const char *option, const char *spec, bool last,
                               int32_t n, uint8_t *mark)
{
    long long   count;
    const char *number = strchr(spec, ':') + 1;
    if (!bs_parse_int(number, &count) || count < 1)
        return bs_fail(r->err, BASIN_EARG, "%s: '%s' needs a number above 0, as in %s:6", option,
                       spec, last ? "last" : "first");
    if (count >= n)
        return bs_fail(r->err, BASIN_EDATA, "%s: %s: %s of %d columns leaves no feature", r->name,
                       option, spec, n);
    for (int32_t i = 0; i < (int32_t)count; i++)
        mark[last ? n - 1 - i : i] = 1;
    return BASIN_OK;
}

/* --- names and patterns -------------------------------------------------- */

/* How many columns the entry selects; a column with exactly this name is the only one. */
static int32_t select_entry(const char *entry, const char *const *names, int32_t n, uint8_t *mark)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(names[i], entry) == 0) {
            mark[i] = 1;
            return 1;
        }
    int32_t found = 0;
    if (strpbrk(entry, "*?["))
        for (int32_t i = 0; i < n; i++)
            if (bs_glob_match(entry, names[i])) {
                mark[i] = 1;
                found++;
            }
    return found;
}

static basin_status unknown_entry(const bs_reading *r, const char *option, const char *entry,
                                  const char *const *names, int32_t n)
{
    const char *near = bs_option_nearest(entry, names, n);
    if (strpbrk(entry, "*?["))
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: %s: no column matches '%s' (the first is '%s', the last '%s')", r->name,
                       option, entry, n ? names[0] : "", n ? names[n - 1] : "");
    return bs_fail(r->err, BASIN_EDATA, "%s: %s: no column is named '%s'%s%s%s", r->name, option,
                   entry, near ? "; the nearest is '" : " (nor is there such a file)",
                   near ? near : "", near ? "'" : "");
}

/* Entries between commas. */
static basin_status select_names(const bs_reading *r, const char *option, const char *spec,
                                 const char *const *names, int32_t n, bool strict, uint8_t *mark)
{
    char text[BS_OPTION_TEXT];
    bs_print(text, sizeof text, "%s", spec);
    for (char *entry = text, *end; entry; entry = end) {
        end = strchr(entry, ',');
        if (end)
            *end++ = '\0';
        while (bs_is_blank(*entry))
            entry++;
        entry[bs_trim(entry, strlen(entry))] = '\0';
        if (!*entry)
            return bs_fail(r->err, BASIN_EARG, "%s: '%s' has an empty entry", option, spec);
        if (!select_entry(entry, names, n, mark) && strict)
            return unknown_entry(r, option, entry, names, n);
    }
    return BASIN_OK;
}

/* --- a file of names ----------------------------------------------------- */

static basin_status read_lines(bs_input *in, int32_t ceiling, bs_names *out, basin_error *err)
{
    bs_line line;
    bool    more, fresh;
    for (;;) {
        basin_status s = bs_input_line(in, (size_t)1 << 20, &line, &more, err);
        if (s || !more)
            return s;
        const char *text = bs_skip_blanks(line.text);
        size_t      len = bs_trim(text, line.len - (size_t)(text - line.text));
        if (!len)
            continue;
        if (memchr(text, '\0', len))
            return bs_fail(err, BASIN_EDATA, "%s:%ld: a NUL byte in a list of names",
                           bs_input_name(in), line.number);
        if (out->n == ceiling && bs_names_find(out, text, len) < 0)
            return bs_fail(err, BASIN_EDATA, "%s:%ld: more than %d names", bs_input_name(in),
                           line.number, (int)ceiling);
        if (bs_names_add(out, text, len, &fresh) < 0)
            return bs_fail_nomem(err);
        if (!fresh)
            return bs_fail(err, BASIN_EDATA, "%s:%ld: '%.*s' was named before", bs_input_name(in),
                           line.number, bs_show(text, len), text);
    }
}

basin_status bs_read_names(const char *path, int max_mb, int32_t ceiling, bs_names *out,
                           basin_error *err)
{
    bs_input    *in;
    basin_status s = bs_input_open_most(path, max_mb, &in, err);
    if (s)
        return s;
    const char *head;
    size_t      n;
    s = bs_input_peek(in, 4096, &head, &n, err);
    size_t i = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n && (bs_is_blank(head[i]) || head[i] == '\n' || head[i] == '\r'))
        i++;
    if (!s && i < n && head[i] == '<') {
        bs_xml_labels xml = {.names = *out, .most = ceiling};
        s = bs_xml_labels_read(in, &xml, err);
        *out = xml.names;
    } else if (!s) {
        s = read_lines(in, ceiling, out, err);
    }
    if (!s && out->n == 0)
        s = bs_fail(err, BASIN_EDATA, "%s: has no names", path);
    bs_input_close(in);
    return s;
}

basin_status bs_labels_file(const bs_reading *r, bs_buf *out)
{
    bs_buf_init(out, (size_t)1 << 20);
    bs_buf_text(out, r->o->labels);
    if (r->o->labels[0] && access(r->o->labels, R_OK) != 0)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: --labels: '%s' is not a readable file; rows of this format list "
                       "their labels, and --labels is a file of names for them",
                       r->name, r->o->labels);
    if (out->len || !r->path)
        return out->failed ? bs_fail_nomem(r->err) : BASIN_OK;
    size_t n = bs_unpacked_length(r->path); /* a.libsvm.gz goes with a.labels, too */
    size_t stem = n;
    while (stem > 0 && r->path[stem - 1] != '.' && r->path[stem - 1] != '/')
        stem--;
    if (stem > 1 && r->path[stem - 1] == '.' && r->path[stem - 2] != '/')
        n = stem - 1;
    bs_buf_add(out, r->path, n);
    bs_buf_text(out, ".labels");
    if (out->failed)
        return bs_fail_nomem(r->err);
    if (!bs_is_file(out->data))
        bs_buf_clear(out);
    else
        bs_notes_add(r->notes, "labels", "names of the labels are from %s", out->data);
    return BASIN_OK;
}

static basin_status select_file(const bs_reading *r, const char *path, const char *const *names,
                                int32_t n, bool strict, uint8_t *mark)
{
    bs_arena     arena;
    bs_names     columns, wanted;
    basin_status s = bs_names_of(&columns, names, n) ? BASIN_OK : bs_fail_nomem(r->err);
    bs_arena_init(&arena, 0);
    bs_names_init(&wanted, &arena);
    if (!s)
        s = bs_read_names(path, r->o->max_mb, strict ? n : INT32_MAX - 1, &wanted, r->err);
    for (int32_t i = 0; !s && i < wanted.n; i++) {
        int32_t k = bs_names_find(&columns, wanted.item[i].text, wanted.item[i].len);
        if (k >= 0)
            mark[k] = 1;
        else if (strict)
            s = bs_fail(r->err, BASIN_EDATA, "%s: '%s' is not a column of %s", path,
                        wanted.item[i].text, r->name);
    }
    bs_names_free(&columns);
    bs_names_free(&wanted);
    bs_arena_free(&arena);
    return s;
}

static basin_status select_columns(const bs_reading *r, const char *option, const char *spec,
                                   const char *const *names, int32_t n, bool strict, uint8_t *mark)
{
    if (strncmp(spec, "first:", 6) == 0 || strncmp(spec, "last:", 5) == 0)
        return select_run(r, option, spec, spec[0] == 'l', n, mark);
    if (select_entry(spec, names, n, mark))
        return BASIN_OK;
    if (access(spec, R_OK) == 0)
        return select_file(r, spec, names, n, strict, mark);
    return select_names(r, option, spec, names, n, strict, mark);
}

basin_status bs_select_labels(const bs_reading *r, const char *const *names, int32_t n,
                              uint8_t *mark)
{
    return select_columns(r, "--labels", r->o->labels, names, n, true, mark);
}

basin_status bs_select_dropped(const bs_reading *r, const char *const *names, int32_t n,
                               uint8_t *mark)
{
    if (!r->o->drop[0])
        return BASIN_OK;
    return select_columns(r, "--drop", r->o->drop, names, n, !r->o->like && !r->o->only_labels,
                          mark);
}
