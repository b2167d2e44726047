/* read.c -- determines the format, runs its reader block by block, joins several files. */
#include "data/rows/csv.h"

#include <string.h>

#define READER(name) extern const bs_reader bs_reader_##name;
#include "data/rows/readers.def"
#undef READER

extern const bs_reader bs_reader_memory; /* reads no file, so it is not in the list */

const bs_reader *const bs_readers[] = {
#define READER(name) &bs_reader_##name,
#include "data/rows/readers.def"
#undef READER
    NULL,
};

enum { BLOCK_BYTES = 32 << 20, MOST_HEAD = 1 << 30 };

const bs_reader *bs_reader_find(const char *name)
{
    for (int i = 0; bs_readers[i]; i++)
        if (strcmp(bs_readers[i]->name, name) == 0)
            return bs_readers[i];
    return NULL;
}

/* --- for readers --------------------------------------------------------- */

basin_status bs_error_at(const bs_reading *r, long line, size_t column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const basin_status s = bs_fail_at(r->err, r->name, line, column, fmt, args);
    va_end(args);
    return s;
}

basin_status bs_fail_no_labels(const bs_reading *r)
{
    const bs_schema *like = r->o->like;
    return bs_error_at(
        r, 0, 0,
        "has none of the %d label columns of the training data ('%.60s'%s), so "
        "nothing can be scored; --set data.labels=NAME names a column that lists them",
        (int)like->n_labels, like->n_labels > 0 ? like->label[0] : "",
        like->n_labels > 1 ? ", ..." : "");
}

basin_status bs_reading_line(bs_reading *r, bs_line *line, bool *more)
{
    basin_status s = bs_input_line(r->in, (size_t)r->o->max_line_mb << 20, line, more, r->err);
    if (s || !*more)
        return s;
    r->bytes += line->used;
    if (r->heading)
        bs_line_put(line, &r->head);
    if (!r->heading && r->o->keep_text) {
        bs_buf_clear(&r->line);
        bs_line_put(line, &r->line);
    }
    return r->head.failed || r->line.failed ? bs_fail_nomem(r->err) : BASIN_OK;
}

bool bs_reading_full(const bs_reading *r, int32_t rows)
{
    return r->most < BS_ALL_ROWS && rows > 0 &&
           (rows >= r->most || r->bytes >= BLOCK_BYTES || bs_input_waits(r->in));
}

bool bs_reading_over(const bs_reading *r)
{
    return r->ended && r->before > 0 && r->b->rows == 0;
}

basin_status bs_reading_lines(bs_reading *r, void *self, bs_line_reader one)
{
    basin_status s = BASIN_OK;
    while (!s && !bs_reading_full(r, r->b->rows)) {
        const int32_t rows = r->b->rows;
        bs_line       line;
        bool          more;
        s = bs_reading_line(r, &line, &more);
        r->ended = !s && !more;
        if (s || r->ended)
            break;
        s = one(self, &line);
        if (!s && r->o->keep_text && r->b->rows > rows &&
            !bs_build_text(r->b, r->line.data, r->line.len))
            s = bs_fail_nomem(r->err);
    }
    return s;
}

basin_status bs_reading_row(bs_reading *r, long line)
{
    int32_t      twice;
    basin_status s = bs_build_row(r->b, &twice, r->err);
    if (s == BASIN_EDATA)
        return bs_error_at(r, line, 0, "more than %d rows; data.max_rows allows more",
                           r->b->max_rows);
    if (!s && twice >= 0 && r->b->feature && twice < r->b->features.n)
        return bs_error_at(r, line, 0, "feature '%s' occurs twice in the row",
                           r->b->feature[twice].name);
    if (!s && twice >= 0)
        return bs_error_at(r, line, 0, "feature %d occurs twice in the row", twice);
    return s;
}

/* --- which reader -------------------------------------------------------- */

size_t bs_unpacked_length(const char *path)
{
    static const char *const packed[] = {".gz", ".xz", ".bz2", ".zst", NULL};
    const size_t             len = strlen(path);
    for (int i = 0; packed[i]; i++)
        if (bs_ends_in_one(path, len, packed[i]))
            return len - strlen(packed[i]);
    return len;
}

bool bs_ends_in_one(const char *path, size_t len, const char *list)
{
    while (*list) {
        const size_t n = strcspn(list, " ");
        if (len > n && strncmp(path + len - n, list, n) == 0)
            return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

/* Texts that some reader would accept and then complain about the wrong thing. */
static basin_status refuse_text(const bs_reading *r, const char *head, size_t n)
{
    const char *cr = memchr(head, '\r', n);
    if (cr && cr + 1 < head + n && !memchr(head, '\n', n) && !memchr(head, '\0', n))
        return bs_error_at(r, 0, 0,
                           "its lines end in a carriage return alone; tr '\\r' '\\n' makes lines "
                           "of them");
    size_t i = *head == '[';
    while (i && i < n && strchr(" \t\r\n", head[i]))
        i++;
    if (i && i < n && (head[i] == '{' || head[i] == '['))
        return bs_error_at(r, 0, 0,
                           "is one JSON list; rows are JSON objects, one per line (jq -c '.[]' "
                           "writes them so)");
    return BASIN_OK;
}

/* Whether the first line has a cell with this name. */
static bool has_column(const char *head, size_t n, const char *name)
{
    const size_t len = strlen(name);
    const char  *line = memchr(head, '\n', n), *end = line ? line : head + n;
    for (const char *p = head; (size_t)(end - p) >= len; p++)
        if (memcmp(p, name, len) == 0 && (p == head || strchr(",;\t|\"", p[-1])) &&
            (p + len == end || strchr(",;\t|\"\r", p[len])))
            return true;
    return false;
}

/* What is given to a model of texts is lines of text unless it looks like rows. */
static const bs_reader *reader_of_texts(const bs_reading *r, const char *head, size_t n)
{
    static const char *const others[] = {"jsonl", "fasttext", "arff", "npy", NULL};
    const bs_reader         *csv = bs_reader_find("csv");
    const char              *path = r->path ? r->path : "";
    const char              *text = r->o->text_column[0] ? r->o->text_column : r->o->like->text[0];
    bool                     steady;
    for (int i = 0; others[i]; i++)
        if (bs_reader_find(others[i])->sniff(head, n, path) > 0)
            return bs_reader_find(others[i]);
    if (bs_ends_in_one(path, bs_unpacked_length(path), csv->extensions) ||
        (bs_csv_column_number(text) ? bs_csv_delimiter(head, n, &steady) && steady
                                    : has_column(head, n, text)))
        return csv;
    return bs_reader_find("plain");
}

static basin_status choose(bs_reading *r)
{
    const bs_reader **out = &r->reader;
    if (strcmp(r->o->format, "auto") != 0) {
        *out = bs_reader_find(r->o->format);
        if (*out)
            return BASIN_OK;
        char   names[240] = "";
        size_t at = 0;
        for (int i = 0; bs_readers[i]; i++)
            at += (size_t)bs_print(names + at, sizeof names - at, "%s%s", i ? ", " : "",
                                   bs_readers[i]->name);
        return bs_fail(r->err, BASIN_EARG, "format '%s' is not known; use auto, %s", r->o->format,
                       names);
    }
    const char  *head;
    size_t       n;
    basin_status s = bs_input_peek_lines(r->in, (size_t)64 << 10, &head, &n, r->err);
    if (s)
        return s;
    if (r->marked) {
        head += 3;
        n -= 3;
    }
    if (n == 0)
        return bs_error_at(r, 0, 0, "the file is empty");
    s = refuse_text(r, head, n);
    if (!s && !bs_reader_npy.sniff(head, n, ""))
        s = bs_refuse_foreign(r, head, n);
    if (s)
        return s;
    if (r->o->like && r->o->like->n_texts && r->o->label_free) {
        *out = reader_of_texts(r, head, n);
        return BASIN_OK;
    }
    int best = 0;
    for (int i = 0; bs_readers[i]; i++) {
        int score = bs_readers[i]->sniff(head, n, r->path ? r->path : "");
        if (score > 0)
            score = 2 * score + (r->path && bs_ends_in_one(r->path, bs_unpacked_length(r->path),
                                                           bs_readers[i]->extensions));
        if (score > best) {
            best = score;
            *out = bs_readers[i];
        }
    }
    if (!*out && r->o->only_labels) /* a single column of labels does not look like one */
        *out = bs_reader_find("csv");
    if (!*out)
        return bs_error_at(
            r, 0, 0,
            "is not ARFF, LIBSVM, extreme-classification, CSV, JSONL or fastText text; "
            "data.format says which it is, --task tag that it is sentences");
    return BASIN_OK;
}

/* --- one input ----------------------------------------------------------- */

static basin_status check_limits(const bs_reading *r)
{
    const bs_schema *s = &r->b->ds->schema;
    if (s->n_features > r->o->max_features)
        return bs_error_at(r, 0, 0, "%d features; data.max_features allows %d", s->n_features,
                           r->o->max_features);
    if (s->n_labels > r->o->max_labels)
        return bs_error_at(r, 0, 0, "%d labels; data.max_labels allows %d", s->n_labels,
                           r->o->max_labels);
    if (r->b->ds->rows == 0)
        return bs_error_at(r, 0, 0, "there are no rows");
    const char *odd = r->notes ? bs_notes_find(r->notes, BS_NOTE_ODD_CELL) : NULL;
    if (r->o->only_labels)
        return BASIN_OK;
    const char *text = r->notes ? bs_notes_find(r->notes, BS_NOTE_PROSE) : NULL;
    if (r->b->ds->document)
        return BASIN_OK;
    if (s->n_features == 0 && text)
        return bs_error_at(r, 0, 0, "there are no features: %s", text);
    if (s->n_features == 0 && odd)
        return bs_fail(r->err, BASIN_EDATA, "%s; there are no features left", odd);
    /* If a model knows the features, rows may all be zero. */
    if (s->n_features == 0 && !(r->o->like && r->o->like->n_features))
        return bs_error_at(r, 0, 0, "there are no features");
    return BASIN_OK;
}

/* Predictions refer to labels by name, so names must be unique. Files read for a model are matched
 * to its labels instead. */
static basin_status check_labels(const bs_reading *r)
{
    const bs_schema *schema = &r->b->ds->schema;
    basin_status     s = BASIN_OK;
    bs_names         seen;
    bool             fresh;
    bs_names_init(&seen, NULL);
    for (int32_t i = 0; i < schema->n_labels && !s && !r->o->like; i++) {
        const char *label = schema->label[i];
        if (!*label)
            s = bs_error_at(r, 0, 0, "label %d has no name", (int)i + 1);
        else if (bs_names_add(&seen, label, strlen(label), &fresh) < 0)
            s = bs_fail_nomem(r->err);
        else if (!fresh)
            s = bs_error_at(r, 0, 0, "two labels are named '%.60s'", label);
    }
    bs_names_free(&seen);
    return s;
}

/* Notes on the whole file that any reader may need. */
static basin_status common_notes(const bs_reading *r)
{
    const bs_rows *ds = r->b->ds;
    int32_t        bare = 0, empty = 0, wordless = 0;
    int64_t        blank;
    basin_status   s = bs_blank_categories(ds, &blank, r->err);
    if (s)
        return s;
    for (int32_t i = 0; i < ds->rows; i++) {
        bare += ds->y.start[i] == ds->y.start[i + 1];
        empty += ds->x.start[i] == ds->x.start[i + 1];
        wordless += ds->document && ds->document[i].n == 0;
    }
    if (bare && ds->labelled)
        bs_notes_add(r->notes, "unlabelled", "%d of %d rows have no label", bare, ds->rows);
    if (empty && !r->o->only_labels && ds->schema.n_features > 0)
        bs_notes_add(r->notes, "empty", "%d of %d rows have no feature other than 0", empty,
                     ds->rows);
    if (ds->n_missing)
        bs_notes_add(r->notes, "missing", "%lld missing values: they become the training mean",
                     (long long)ds->n_missing);
    if (blank)
        bs_notes_add(r->notes, "missing", "%lld missing categories: all of their features are 0",
                     (long long)blank);
    if (ds->unknown.start)
        bs_notes_add(r->notes, "unknown", "%d labels are left open (?): they count as off",
                     ds->unknown.start[ds->rows]);
    if (wordless)
        bs_notes_add(r->notes, "empty texts", "%d of %d texts are empty", (int)wordless, ds->rows);
    if (r->b->recoded)
        bs_notes_add(r->notes, "encoding", "%d texts are not UTF-8 and were read as Latin-1",
                     (int)r->b->recoded);
    if (r->b->rounded)
        bs_notes_add(r->notes, "rounded",
                     "%lld whole numbers above 16777216 were rounded, such as %.0f to %.0f",
                     (long long)r->b->rounded, r->b->first_rounded,
                     (double)(float)r->b->first_rounded);
    if (r->b->repeated)
        bs_notes_add(r->notes, "repeated", "some rows name a label more than once");
    return BASIN_OK;
}

static basin_status drop_unlabelled(bs_rows **ds, bs_notes *notes, basin_error *err)
{
    bs_rows *from = *ds, *to;
    int32_t *rows = bs_alloc(((size_t)from->rows + 1) * sizeof *rows), n = 0;
    if (!rows)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < from->rows; i++)
        if (from->y.start[i] < from->y.start[i + 1])
            rows[n++] = i;
    basin_status s = BASIN_OK;
    if (n < from->rows) {
        bs_notes_add(notes, "unlabelled", "%d rows without label were left out", from->rows - n);
        s = bs_rows_select(from, rows, n, &to, err);
        if (!s) {
            bs_rows_free(from);
            *ds = to;
        }
    }
    bs_free(rows);
    return s;
}

/* Common to all readers. */
static basin_status tidy_block(bs_reading *r, bs_build *b)
{
    const bs_read_options *o = r->o;
    const bool             recoded = r->recoded.len > 0;
    basin_status           s = check_limits(r);
    if (!s)
        s = check_labels(r);
    if (!s && !o->keep_ids)
        s = bs_drop_identifiers(b->ds, o, r->notes, r->err);
    if (s)
        return s;
    b->ds->format = r->reader->name;
    b->ds->source.recoded = recoded;
    b->ds->source.marked = r->marked;
    if (o->keep_text && r->head.len > 0 &&
        !(b->ds->head_text = bs_arena_copy(&b->ds->arena, r->head.data, r->head.len)))
        return bs_fail_nomem(r->err);
    s = common_notes(r);
    if (!s)
        s = bs_note_unused(r, r->reader);
    if (!s && o->drop_unlabelled && b->ds->labelled)
        s = drop_unlabelled(&b->ds, r->notes, r->err);
    if (!s && recoded)
        bs_notes_add(r->notes, "encoding", "the file is UTF-16 and was read as such");
    return !s && r->notes && r->notes->failed ? bs_fail_nomem(r->err) : s;
}

/* Labels that rows list by number are those of data.label_names, in its order. */
static basin_status add_label_names(bs_reading *r)
{
    const char  *path = r->o->label_names;
    basin_status s = BASIN_OK;
    int32_t      label;
    if (*path && r->label_names.n == 0) {
        bs_names_init(&r->label_names, &r->names_arena);
        s = bs_read_names(path, r->o->max_mb, r->o->max_labels, &r->label_names, r->err);
    }
    for (int32_t i = 0; !s && i < r->label_names.n; i++)
        s = bs_add_label(r, 0, r->label_names.item[i].text, r->label_names.item[i].len, &label);
    return s;
}

basin_status bs_rows_next(bs_reading *r, int32_t most, bs_rows **out, bs_notes *notes,
                          basin_error *err)
{
    basin_error unused;
    bs_build    b;
    *out = NULL;
    if (r->ended)
        return BASIN_OK;
    r->b = &b;
    r->most = most;
    r->bytes = 0;
    r->notes = notes;
    r->err = err ? err : &unused;
    basin_status s = bs_build_init(&b, r->o->max_rows, r->err);
    b.rows_before = r->before;
    if (!s)
        s = add_label_names(r);
    if (!s)
        s = r->reader->next(r);
    if (!s && bs_reading_over(r)) {
        bs_build_free(&b);
        return BASIN_OK;
    }
    const int32_t rows = b.rows;
    if (!s)
        s = tidy_block(r, &b);
    if (!s) {
        r->before += rows;
        *out = b.ds;
        b.ds = NULL;
    }
    bs_build_free(&b);
    return s;
}

/* The same text in UTF-8, read from memory. */
static basin_status recode(bs_reading *r, bs_utf16 kind)
{
    bs_buf raw;
    bs_buf_init(&raw, (size_t)1 << 36);
    basin_status s = bs_input_text(r->in, (size_t)r->o->max_line_mb << 21, &raw, r->err);
    if (!s)
        s = bs_utf16_recode(&raw, kind, &r->recoded, r->err);
    bs_buf_free(&raw);
    if (!s)
        s = bs_input_memory(r->name, r->recoded.data ? r->recoded.data : "", r->recoded.len,
                            &r->also, r->err);
    r->in = r->also;
    return s;
}

static basin_status open_input(bs_reading *r)
{
    const char  *head;
    size_t       n;
    basin_status s = bs_input_peek_lines(r->in, 64, &head, &n, r->err);
    if (s)
        return s;
    const bs_utf16 kind = bs_utf16_of(head, n);
    r->marked = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0;
    if (kind)
        s = recode(r, kind);
    if (!s)
        s = choose(r);
    return !s && r->reader->open ? r->reader->open(r) : s;
}

static bs_reading new_reading(const char *name, const bs_read_options *o, basin_error *err)
{
    bs_reading r = {.name = name, .o = o, .err = err};
    bs_arena_init(&r.names_arena, 0);
    bs_buf_init(&r.head, MOST_HEAD);
    bs_buf_init(&r.line, MOST_HEAD);
    bs_buf_init(&r.recoded, (size_t)1 << 37);
    return r;
}

/* Everything but the inputs of others. */
static void close_reading(bs_reading *r)
{
    if (r->reader && r->reader->close)
        r->reader->close(r);
    bs_names_free(&r->label_names);
    bs_arena_free(&r->names_arena);
    bs_buf_free(&r->head);
    bs_buf_free(&r->line);
    bs_input_close(r->also);
    bs_buf_free(&r->recoded);
    bs_input_close(r->ours);
}

void bs_rows_close(bs_reading *r)
{
    if (r)
        close_reading(r);
    bs_free(r);
}

basin_status bs_rows_open(const char *path, const bs_read_options *o, bs_reading **out,
                          basin_error *err)
{
    basin_error unused;
    bs_reading *r = bs_alloc(sizeof *r);
    *out = NULL;
    if (!r)
        return bs_fail_nomem(err);
    *r = new_reading(path, o, err ? err : &unused);
    basin_status s = bs_input_open_most(path, o->max_mb, &r->ours, err);
    if (!s) {
        r->in = r->ours;
        r->name = bs_input_name(r->in);
        r->path = strcmp(path, "-") == 0 ? NULL : path;
        s = open_input(r);
    }
    if (s)
        bs_rows_close(r);
    else
        *out = r;
    return s;
}

basin_status bs_rows_from_memory(const basin_label_sets *rows, const bs_read_options *o,
                                 bs_rows **out, bs_notes *notes, basin_error *err)
{
    bs_reading r = new_reading("rows in memory", o, err);
    r.given = rows;
    r.reader = &bs_reader_memory;
    basin_status s = bs_rows_next(&r, BS_ALL_ROWS, out, notes, err);
    close_reading(&r);
    return s;
}

basin_status bs_rows_read_input(bs_input *in, const char *path, const bs_read_options *o,
                                bs_rows **out, bs_notes *notes, basin_error *err)
{
    basin_error unused;
    bs_reading  r = new_reading(bs_input_name(in), o, err ? err : &unused);
    r.in = in;
    r.path = path;
    *out = NULL;
    basin_status s = open_input(&r);
    if (!s)
        s = bs_rows_next(&r, BS_ALL_ROWS, out, notes, err);
    close_reading(&r);
    return s;
}

/* --- several files ------------------------------------------------------- */

basin_status bs_rows_read_file(const char *path, const bs_read_options *o, bs_rows **out,
                               bs_notes *notes, basin_error *err)
{
    bs_reading *r;
    *out = NULL;
    basin_status s = bs_rows_open(path, o, &r, err);
    if (!s)
        s = bs_rows_next(r, BS_ALL_ROWS, out, notes, err);
    bs_rows_close(r);
    return s;
}

basin_status bs_rows_read(const char *const *paths, int n, const bs_read_options *o, bs_rows **out,
                          bs_notes *notes, basin_error *err)
{
    *out = NULL;
    if (n < 1)
        return bs_fail(err, BASIN_EARG, "no data file was given");
    bs_rows     *all = NULL;
    int          used = 1;
    basin_status s = bs_rows_read_next(paths, n, o, &used, &all, notes, err);
    for (int i = used; !s && i < n; i += used) {
        bs_read_options next = *o;
        bs_rows        *more = NULL;
        if (!o->like)
            next.like = &all->schema;
        s = bs_rows_read_next(paths + i, n - i, &next, &used, &more, notes, err);
        if (!s && !o->like)
            s = bs_rows_widen(all, more, err);
        if (!s)
            s = bs_rows_match(&all->schema, more, paths[i], notes, err);
        if (!s)
            s = bs_rows_append(all, more, err);
        bs_rows_free(more);
    }
    if (!s && notes && notes->failed)
        s = bs_fail_nomem(err);
    if (s)
        bs_rows_free(all);
    else
        *out = all;
    return s;
}
