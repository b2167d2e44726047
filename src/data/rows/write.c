/* write.c -- the stream behind all writers, and the files it ends up in. */
#include "data/rows/write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/opt.h"
#include "data/rows/read.h"
#include "data/scan.h"

#define WRITER(name) extern const bs_writer bs_writer_##name;
#include "data/rows/writers.def"
#undef WRITER

const bs_writer *const bs_writers[] = {
#define WRITER(name) &bs_writer_##name,
#include "data/rows/writers.def"
#undef WRITER
    NULL,
};

const bs_writer *bs_writer_find(const char *name)
{
    for (int i = 0; bs_writers[i]; i++)
        if (strcmp(bs_writers[i]->name, name) == 0)
            return bs_writers[i];
    return NULL;
}

const bs_writer *bs_writer_for(const char *path)
{
    for (int i = 0; bs_writers[i]; i++)
        if (bs_ends_in_one(path, strlen(path), bs_writers[i]->extensions))
            return bs_writers[i];
    return NULL;
}

/* --- the stream ---------------------------------------------------------- */

basin_status bs_writing_open(bs_writing *w, bs_sink sink, void *to, basin_error *err)
{
    *w = (bs_writing){.sink = sink, .to = to, .err = err};
    w->data = bs_alloc(BS_WRITE_BUFFER);
    if (!w->data)
        w->status = bs_fail_nomem(err);
    return w->status;
}

static void flush(bs_writing *w)
{
    if (!w->status && w->len)
        w->status = w->sink(w->to, w->data, w->len, w->err);
    w->len = 0;
}

basin_status bs_writing_close(bs_writing *w)
{
    flush(w);
    bs_free(w->data);
    w->data = NULL;
    return w->status;
}

void bs_put_bytes(bs_writing *w, const char *bytes, size_t n)
{
    if (n > BS_WRITE_BUFFER - w->len)
        flush(w);
    if (w->status)
        return;
    if (n > BS_WRITE_BUFFER) {
        w->status = w->sink(w->to, bytes, n, w->err);
        return;
    }
    memcpy(w->data + w->len, bytes, n);
    w->len += n;
}

void bs_put(bs_writing *w, const char *text)
{
    bs_put_bytes(w, text, strlen(text));
}

void bs_put_int(bs_writing *w, long long value)
{
    char               text[24];
    size_t             at = sizeof text;
    unsigned long long left = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0)
        text[--at] = '-';
    bs_put_bytes(w, text + at, sizeof text - at);
}

/* Six digits are enough for most floats, nine for all. The digits are taken out of
 * "d.ddde+xx" one by one. */
void bs_put_float(bs_writing *w, float value)
{
    if (value == floorf(value) && fabsf(value) < 1e7f) {
        bs_put_int(w, (long long)value);
        return;
    }
    char text[48];
    for (int precision = 5; precision <= 8; precision++) {
        char        printed[40];
        size_t      n = 0;
        double      back;
        const char *p = printed;
        bs_print(printed, sizeof printed, "%.*e", precision, (double)value);
        if (*p == '-')
            text[n++] = *p++;
        const char *e = strchr(printed, 'e');
        char        digits[16];
        size_t      k = 0;
        for (; p < e && k < sizeof digits; p++)
            if (*p >= '0' && *p <= '9')
                digits[k++] = *p;
        while (k > 1 && digits[k - 1] == '0')
            k--;
        long long exponent = 0;
        bs_parse_int(e + 1, &exponent);
        if (exponent >= -5 && exponent < 0) {
            n += (size_t)bs_print(text + n, sizeof text - n, "0.%.*s%.*s", (int)(-exponent - 1),
                                  "0000", (int)k, digits);
        } else if (exponent >= 0 && exponent < 7 && k > (size_t)exponent + 1) {
            n += (size_t)bs_print(text + n, sizeof text - n, "%.*s.%.*s", (int)exponent + 1, digits,
                                  (int)(k - (size_t)exponent - 1), digits + exponent + 1);
        } else {
            n += (size_t)bs_print(text + n, sizeof text - n, "%c%s%.*se%lld", digits[0],
                                  k > 1 ? "." : "", (int)(k - 1), digits + 1, exponent);
        }
        if (precision == 8 || (bs_scan_double(text, &back) && (float)back == value)) {
            bs_put_bytes(w, text, n);
            return;
        }
    }
}

void bs_put_json(bs_writing *w, const char *text)
{
    bs_put(w, "\"");
    for (size_t left = strlen(text), step, n; left > 0; left -= step, text += step) {
        char spelled[BS_JSON_CHARACTER];
        step = bs_json_character(text, left, spelled, &n);
        bs_put_bytes(w, n ? spelled : text, n ? n : step);
    }
    bs_put(w, "\"");
}

void bs_put_line(bs_writing *w, bs_buf *line)
{
    if (line->failed && !w->status)
        w->status = bs_fail_nomem(w->err);
    bs_buf_text(line, "\n");
    if (!line->failed)
        bs_put_bytes(w, line->data, line->len);
    bs_buf_clear(line);
}

void bs_put_row(bs_writing *w, const bs_rows *ds, int32_t r, const char *missing)
{
    const int32_t e_end = ds->x.start[r + 1], y_end = ds->y.start[r + 1];
    const int32_t u_end = ds->unknown.start ? ds->unknown.start[r + 1] : 0;
    int32_t       e = ds->x.start[r], y = ds->y.start[r];
    int32_t       u = ds->unknown.start ? ds->unknown.start[r] : 0;
    for (int32_t f = 0; f < ds->schema.n_features; f++) {
        const bool  here = e < e_end && ds->x.index[e] == f;
        const float v = !here ? 0 : ds->x.value ? ds->x.value[e] : 1;
        e += here;
        bs_put(w, f ? "," : "");
        if (isnan(v))
            bs_put(w, missing);
        else
            bs_put_float(w, v);
    }
    for (int32_t l = 0; l < ds->schema.n_labels; l++) {
        const bool on = y < y_end && ds->y.index[y] == l;
        const bool open = u < u_end && ds->unknown.index[u] == l;
        y += on;
        u += open;
        bs_put(w, ",");
        bs_put(w, open ? missing : on ? "1" : "0");
    }
    bs_put(w, "\n");
}

const char *bs_feature_name(const bs_rows *ds, int32_t i, char scratch[24])
{
    if (ds->schema.feature)
        return ds->schema.feature[i].name;
    bs_print(scratch, 24, "f%d", i + ds->schema.index_base);
    return scratch;
}

bool bs_labels_are_positions(const bs_rows *ds)
{
    for (int32_t i = 0; i < ds->schema.n_labels; i++) {
        char text[16];
        bs_print(text, sizeof text, "%d", i);
        if (strcmp(text, ds->schema.label[i]) != 0)
            return false;
    }
    return true;
}

void bs_list_labels(const bs_rows *ds, bs_buf *out)
{
    for (int32_t i = 0; i < ds->schema.n_labels; i++) {
        bs_buf_text(out, ds->schema.label[i]);
        bs_buf_text(out, "\n");
    }
}

bool bs_labels_break_lines(const bs_rows *ds)
{
    for (int32_t i = 0; i < ds->schema.n_labels; i++)
        if (strpbrk(ds->schema.label[i], "\n\r"))
            return true;
    return false;
}

/* --- files --------------------------------------------------------------- */

static basin_status write_rows(const bs_rows *ds, const bs_writer *writer, bs_sink sink, void *to,
                               bs_notes *notes, basin_error *err)
{
    const char *problem = writer->refuse ? writer->refuse(ds) : NULL;
    if (problem)
        return bs_fail(err, BASIN_EUNSUPPORTED, "%s cannot hold this data: %s", writer->name,
                       problem);
    bs_arena     arena;
    bs_rows      named = *ds;
    basin_status s = BASIN_OK;
    bs_arena_init(&arena, 0);
    if (writer->columns)
        s = bs_distinct_names(ds, writer->keeps & BS_KEEPS_IDS, &arena, &named, notes, err);
    bs_writing w;
    if (!s && !bs_writing_open(&w, sink, to, err))
        writer->write(&named, &w);
    if (!s)
        s = bs_writing_close(&w);
    bs_arena_free(&arena);
    return s;
}

basin_status bs_rows_write_to(const bs_rows *ds, const bs_writer *writer, bs_sink sink, void *to,
                              basin_error *err)
{
    return write_rows(ds, writer, sink, to, NULL, err);
}

static basin_status to_output(void *to, const void *bytes, size_t n, basin_error *err)
{
    return bs_output_write(to, bytes, n, err);
}

/* The path with its extension replaced. */
static void name_side(const char *path, const char *extension, bs_buf *out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t      stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
    bs_buf_add(out, path, stem);
    bs_buf_text(out, extension);
}

static basin_status same_text(const char *path, const bs_buf *text, bool *same, basin_error *err)
{
    bs_buf old;
    bs_buf_init(&old, (size_t)1 << 31);
    basin_status s = bs_read_file(path, &old, err);
    *same =
        !s && old.len == text->len && (old.len == 0 || memcmp(old.data, text->data, old.len) == 0);
    bs_buf_free(&old);
    return s;
}

/* An existing file of that name that does not belong to `path` would be read as if it did. It may
 * be somebody's own list of labels, so it is neither overwritten nor left to be misread. */
static basin_status check_side(const char *path, const char *name, const bs_buf *text,
                               basin_error *err)
{
    bool same;
    if (access(name, F_OK) != 0 || access(path, F_OK) == 0)
        return BASIN_OK;
    basin_status s = same_text(name, text, &same, err);
    if (!s && !same)
        s = bs_fail(err, BASIN_EIO,
                    "%s: exists already and would be read with %s; remove it, or write "
                    "to another name",
                    name, path);
    return s;
}

/* ours: there was a main file before, to which an existing second one belonged. */
static basin_status write_side(const char *name, const bs_buf *text, bool ours, bs_notes *notes,
                               basin_error *err)
{
    const bool there = access(name, F_OK) == 0;
    if (text->len) {
        basin_status s = bs_write_file(name, text->data, text->len, err);
        if (!s)
            bs_notes_add(notes, "wrote", "%s has the names of the labels%s", name,
                         there ? " (it was there before and was replaced)" : "");
        return s;
    }
    if (!there || !ours)
        return BASIN_OK;
    if (remove(name) != 0)
        return bs_fail_io(err, name, errno);
    bs_notes_add(notes, "wrote", "%s had names for the previous file and was removed", name);
    return BASIN_OK;
}

basin_status bs_write_pair(const char *path, bs_filler fill, const void *what,
                           const char *extension, const bs_buf *beside, bs_notes *notes,
                           basin_error *err)
{
    const bool   ours = access(path, F_OK) == 0;
    bs_output   *out = NULL;
    basin_status s = BASIN_OK;
    bs_buf       name;
    bs_buf_init(&name, (size_t)1 << 20);
    if (extension) {
        name_side(path, extension, &name);
        s = name.failed ? bs_fail_nomem(err) : check_side(path, name.data, beside, err);
    }
    if (!s)
        s = bs_output_open(path, &out, err);
    if (!s) {
        s = fill(what, out, err);
        if (s)
            bs_output_abort(out);
        else
            s = bs_output_commit(out, err);
    }
    if (!s && extension)
        s = write_side(name.data, beside, ours, notes, err);
    bs_buf_free(&name);
    return s;
}

typedef struct {
    const bs_rows   *ds;
    const bs_writer *writer;
    bs_notes        *notes;
} job;

static basin_status fill_rows(const void *what, bs_output *out, basin_error *err)
{
    const job *j = what;
    return write_rows(j->ds, j->writer, to_output, out, j->notes, err);
}

static basin_status write_files(const bs_rows *ds, const bs_writer *writer, const char *path,
                                bs_notes *notes, basin_error *err)
{
    job    j = {ds, writer, notes};
    bs_buf names;
    bs_buf_init(&names, (size_t)1 << 31);
    if (writer->side)
        writer->side(ds, &names);
    basin_status s = names.failed ? bs_fail_nomem(err) : BASIN_OK;
    if (!s)
        s = bs_write_pair(path, fill_rows, &j, writer->side_extension, &names, notes, err);
    if (!s) {
        bs_writer as = *writer;
        /* Label names beside the rows list all labels. */
        as.keeps |= names.len ? BS_KEEPS_LABELS : 0;
        s = bs_note_losses(ds, &as, notes, err);
    }
    bs_buf_free(&names);
    return s;
}

basin_status bs_rows_write(const bs_rows *ds, const char *path, const char *format, bs_notes *notes,
                           basin_error *err)
{
    const bs_writer *writer = format ? bs_writer_find(format) : bs_writer_for(path);
    if (!writer)
        return bs_fail(err, BASIN_EARG,
                       format ? "format '%s' cannot be written; use arff, libsvm, "
                                "xmc, csv or jsonl"
                              : "%s: the extension does not say which format; use "
                                ".arff, .libsvm, .xmc, .csv or .jsonl",
                       format ? format : path);
    return write_files(ds, writer, path, notes, err);
}
