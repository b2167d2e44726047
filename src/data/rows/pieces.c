/* pieces.c -- collects lines until there are enough rows, puts the header before them, and runs the
 * format's reader on the result. */
#include "data/rows/pieces.h"

#include <string.h>

#include "data/rows/csv.h"
#include "data/scan.h"

enum { MOST_BYTES = 1 << 30, PIECE_BYTES = 32 << 20 };

struct bs_pieces {
    bs_input              *in;
    const char            *path; /* NULL: standard input */
    const bs_read_options *o;
    const bs_reader       *reader;
    int32_t                rows;  /* per piece, roughly */
    bs_buf                 text;  /* the header, then the lines of the piece */
    bs_buf                 head;  /* lines that every piece starts with */
    long                   heads; /* how many */
    int64_t                said;  /* rows announced in the header, or -1 */
    int64_t                done;  /* rows in earlier pieces */
    bool                   begun, ended;
    bool                   whole;     /* the file cannot be cut */
    char                   delimiter; /* of a table; else 0 */
    bool                   header;    /* ... whose columns have names */
    bool                   open;      /* ... in an open quote: the row continues */
    struct place {
        size_t at, end;
    } * place; /* of rows in the text, if kept */
    size_t places, cap;
    /* A run of blank lines is read to its end before it is known whether they are rows. A long run
     * is counted, not stored; after it comes the line that ended it. */
    int64_t blanks;
    bs_buf  held;
    long    held_number; /* 0: there is none */
};

/* What a piece holds besides the header. */
typedef struct {
    long    first; /* number of its first line; 0: none */
    int64_t lines;
    int64_t rows;   /* lines that are rows, or may be */
    bool    solid;  /* some are rows, whatever follows */
    bool    follow; /* and more rows follow */
} body;

void bs_pieces_close(bs_pieces *p)
{
    if (!p)
        return;
    bs_input_close(p->in);
    bs_buf_free(&p->text);
    bs_buf_free(&p->head);
    bs_buf_free(&p->held);
    bs_free(p->place);
    bs_free(p);
}

static basin_status next_line(bs_pieces *p, bs_line *line, bool *more, basin_error *err)
{
    return bs_input_line(p->in, (size_t)p->o->max_line_mb << 20, line, more, err);
}

static basin_status keep_line(bs_buf *to, const bs_line *line, basin_error *err)
{
    bs_buf_add(to, line->text, line->len);
    bs_buf_text(to, "\n");
    return to->failed ? bs_fail_nomem(err) : BASIN_OK;
}

/* The ARFF header, up to and including @data. */
static basin_status read_attributes(bs_pieces *p, basin_error *err)
{
    bs_line      line;
    bool         more = true, found = false;
    basin_status s = BASIN_OK;
    while (!s && more && !found) {
        s = next_line(p, &line, &more, err);
        if (s || !more)
            break;
        found = bs_same_word(bs_skip_blanks(line.text), 5, "@data");
        s = keep_line(&p->head, &line, err);
        p->heads++;
    }
    return s;
}

/* "rows features labels": each piece gets its own first number. With two numbers the labels are in
 * a second file, read in parallel: that is not cut. */
static basin_status read_numbers(bs_pieces *p, basin_error *err)
{
    bs_line      line;
    bool         more;
    int64_t      rows, other;
    basin_status s = next_line(p, &line, &more, err);
    if (s || !more)
        return s;
    const char *rest = bs_scan_index(bs_skip_blanks(line.text), &rows);
    const char *third = rest ? bs_scan_index(bs_skip_blanks(rest), &other) : NULL;
    if (!third || !bs_scan_index(bs_skip_blanks(third), &other)) {
        p->whole = true;
        bs_input_close(p->in);
        p->in = NULL;
        return bs_input_open_most(p->path ? p->path : "-", p->o->max_mb, &p->in, err);
    }
    p->said = rows;
    p->heads = 1;
    bs_buf_text(&p->head, rest);
    bs_buf_text(&p->head, "\n");
    return p->head.failed ? bs_fail_nomem(err) : BASIN_OK;
}

/* A table is cut if its columns are known in advance and it pays. */
static basin_status open_table(bs_pieces *p, basin_error *err)
{
    const bs_read_options *o = p->o;
    const char            *head;
    size_t                 n;
    const bool             known = o->like && o->like->feature && o->label_free;
    p->whole = !known || !(o->keep_text || bs_input_live(p->in));
    if (p->whole)
        return BASIN_OK;
    basin_status s = bs_input_peek_lines(p->in, (size_t)64 << 10, &head, &n, err);
    if (s)
        return s;
    p->delimiter = bs_csv_choose(head, n, o->delimiter);
    p->whole = !p->delimiter;
    p->header =
        strcmp(o->header, "auto") == 0 ? !bs_csv_headless(o->like) : strcmp(o->header, "yes") == 0;
    return BASIN_OK;
}

/* Blanks only, as the reader sees it. */
static bool is_blank_row(const bs_line *line)
{
    return line->len == strspn(line->text, " ");
}

static basin_status read_names(bs_pieces *p, basin_error *err)
{
    bs_line      line;
    bool         more = true, open = false;
    basin_status s = BASIN_OK;
    do {
        s = next_line(p, &line, &more, err);
        if (s || !more)
            break;
        p->heads++;
        if (!open && is_blank_row(&line))
            bs_buf_text(&p->head, "\n");
        else
            s = keep_line(&p->head, &line, err);
        open = bs_csv_open(line.text, line.len, p->delimiter, open);
    } while (!s && (open || is_blank_row(&line)));
    return !s && p->head.failed ? bs_fail_nomem(err) : s;
}

basin_status bs_pieces_open(const char *path, const bs_read_options *o, int32_t rows,
                            bs_pieces **out, basin_error *err)
{
    bs_pieces  *p = bs_calloc(1, sizeof *p);
    const char *head = NULL;
    size_t      n = 0;
    *out = NULL;
    if (!p)
        return bs_fail_nomem(err);
    bs_buf_init(&p->text, MOST_BYTES);
    bs_buf_init(&p->head, MOST_BYTES);
    bs_buf_init(&p->held, MOST_BYTES);
    p->path = strcmp(path, "-") == 0 ? NULL : path;
    p->o = o;
    p->rows = rows;
    p->said = -1;
    basin_status s = bs_input_open_most(path, o->max_mb, &p->in, err);
    if (!s)
        s = bs_input_peek_lines(p->in, 64, &head, &n, err);
    p->whole = !s && bs_utf16_of(head, n);
    if (!s && !p->whole)
        s = bs_reader_choose(p->in, p->path, o, &p->reader, err);
    p->whole = !s && (p->whole || p->reader->head == BS_HEAD_WHOLE);
    if (!s && !p->whole && p->reader->head == BS_HEAD_ATTRIBUTES)
        s = read_attributes(p, err);
    if (!s && !p->whole && p->reader->head == BS_HEAD_NUMBERS)
        s = read_numbers(p, err);
    if (!s && !p->whole && p->reader->head == BS_HEAD_NAMES)
        s = open_table(p, err);
    if (!s && !p->whole && p->header)
        s = read_names(p, err);
    if (s) {
        bs_pieces_close(p);
        return s;
    }
    *out = p;
    return BASIN_OK;
}

typedef enum { BLANK, COMMENT, ROW, MORE } line_kind;

/* A row of a table ends where no quote is open. */
static line_kind kind_in_table(bs_pieces *p, const bs_line *line)
{
    const bool open = p->open;
    p->open = bs_csv_open(line->text, line->len, p->delimiter, open);
    return open ? MORE : is_blank_row(line) ? BLANK : ROW;
}

/* As the readers see it; in LIBSVM, text after '#' does not count. */
static line_kind kind_of(bs_pieces *p, const bs_line *line)
{
    if (p->delimiter)
        return kind_in_table(p, line);
    const char *text = bs_skip_blanks(line->text);
    const char  comment = p->reader->comment;
    if (!*text && text == line->text + line->len)
        return BLANK;
    if (!comment || *text != comment)
        return ROW;
    return p->reader->blank_rows && text > line->text ? BLANK : COMMENT;
}

static basin_status take_line(bs_pieces *p, bs_line *line, bool *more, basin_error *err)
{
    if (!p->held_number)
        return next_line(p, line, more, err);
    *line = (bs_line){p->held.data, p->held.len, p->held_number};
    *more = true;
    p->held_number = 0;
    return BASIN_OK;
}

static basin_status hold(bs_pieces *p, const bs_line *line, basin_error *err)
{
    bs_buf_clear(&p->held);
    bs_buf_add(&p->held, line->text, line->len);
    p->held_number = line->number;
    return p->held.failed ? bs_fail_nomem(err) : BASIN_OK;
}

/* The piece is full except for the end of a run of blank lines. */
static basin_status end_run(bs_pieces *p, const bs_line *line, body *b, basin_error *err)
{
    const line_kind kind = kind_of(p, line);
    if (kind == BLANK && p->reader->blank_rows)
        p->blanks++;
    if (kind != ROW)
        return BASIN_OK;
    b->follow = true;
    return hold(p, line, err);
}

static basin_status more_blanks(bs_pieces *p, body *b, basin_error *err)
{
    for (; p->blanks > 0 && b->rows < p->rows; p->blanks--, b->rows++)
        bs_buf_text(&p->text, "\n");
    b->lines = b->rows;
    b->follow = true;
    return p->text.failed ? bs_fail_nomem(err) : BASIN_OK;
}

static basin_status keep_row(bs_pieces *p, const bs_line *line, line_kind kind, basin_error *err)
{
    const size_t at = p->text.len;
    basin_status s = keep_line(&p->text, line, err);
    void        *place = p->place;
    if (s || !p->o->keep_text || (kind != ROW && kind != MORE))
        return s;
    if (kind == ROW) {
        bool ok = bs_grow(&place, &p->cap, p->places + 1, sizeof *p->place, INT32_MAX);
        p->place = place;
        if (!ok)
            return bs_fail_nomem(err);
        p->place[p->places++].at = at;
    }
    p->place[p->places - 1].end = p->text.len - 1;
    return BASIN_OK;
}

/* There are enough rows, or some, and the writer of the next ones is slow. */
static bool is_full(const bs_pieces *p, const body *b, int64_t left)
{
    return b->rows >= p->rows || b->lines >= left || p->text.len >= PIECE_BYTES ||
           (b->solid && !p->held_number && bs_input_waits(p->in));
}

static basin_status fail_open(const bs_pieces *p, const bs_line *line, basin_error *err)
{
    return bs_fail(err, BASIN_EDATA,
                   "%s:%ld: a quote that opened before is not closed within %d MiB",
                   bs_input_name(p->in), line->number, (int)(PIECE_BYTES >> 20));
}

/* Adds lines until there are enough rows. Never ends on a blank line without knowing whether rows
 * follow: in some formats blank lines are rows if and only if others follow. */
static basin_status gather(bs_pieces *p, body *b, basin_error *err)
{
    const bool    counted = p->said >= 0;
    const int64_t left = counted ? p->said - p->done : INT64_MAX;
    bs_line       line;
    bool          more = true, blank = false;
    basin_status  s = BASIN_OK;
    *b = (body){0};
    if (p->blanks > 0)
        return more_blanks(p, b, err);
    while (!s && !b->follow) {
        const bool full = !p->open && is_full(p, b, left);
        if (full && !blank)
            break;
        s = take_line(p, &line, &more, err);
        if (s || !more)
            break;
        if (full) {
            s = end_run(p, &line, b, err);
            continue;
        }
        const line_kind kind = counted ? ROW : kind_of(p, &line);
        b->first = b->first ? b->first : line.number;
        b->lines++;
        b->rows += kind == ROW || (kind == BLANK && p->reader->blank_rows);
        b->solid |= kind == ROW;
        blank = kind == BLANK && p->reader->blank_rows;
        s = keep_row(p, &line, kind, err);
        if (!s && p->open && p->text.len > 2 * (size_t)PIECE_BYTES)
            s = fail_open(p, &line, err);
    }
    p->ended = !more;
    p->blanks = more ? p->blanks : 0; /* nothing follows them */
    return s;
}

/* After the last announced row. */
static basin_status check_end(bs_pieces *p, basin_error *err)
{
    bs_line      line;
    bool         more = true;
    basin_status s = BASIN_OK;
    while (!s && more) {
        s = next_line(p, &line, &more, err);
        const char c = !s && more ? *bs_skip_blanks(line.text) : '\0';
        if (c && c != '#')
            s = bs_fail(err, BASIN_EDATA, "%s:%ld: the header says %lld rows, here is one more",
                        bs_input_name(p->in), line.number, (long long)p->said);
    }
    p->ended = true;
    return s;
}

static basin_status read_text(bs_pieces *p, const body *b, bs_rows **out, bs_notes *notes,
                              basin_error *err)
{
    bs_read_options o = *p->o;
    bs_input       *in;
    basin_status    s = bs_input_memory(bs_input_name(p->in), p->text.data ? p->text.data : "",
                                        p->text.len, &in, err);
    if (s)
        return s;
    bs_print(o.format, sizeof o.format, "%s", p->reader->name);
    if (p->delimiter) {
        o.piece = true;
        bs_print(o.header, sizeof o.header, p->header ? "yes" : "no");
        bs_print(o.delimiter, sizeof o.delimiter, "%s", bs_csv_delimiter_name(p->delimiter));
    }
    o.rows_before = p->done;
    o.rows_follow = b->follow;
    if (b->first)
        bs_input_renumber(in, p->heads, b->first);
    s = bs_rows_read_input(in, p->path, &o, out, notes, err);
    bs_input_close(in);
    return s;
}

/* Text of table and JSON rows, if requested. */
static basin_status hand_over(const bs_pieces *p, bs_rows *d, basin_error *err)
{
    const bool rows = p->delimiter || strcmp(p->reader->name, "jsonl") == 0;
    if (!p->o->keep_text || !rows || p->places != (size_t)d->rows)
        return BASIN_OK;
    const char **text = bs_arena_alloc(&d->arena, (p->places + 1) * sizeof *text);
    bool         ok = text != NULL;
    for (size_t i = 0; ok && i < p->places; i++) {
        const struct place *at = &p->place[i];
        text[i] = bs_arena_copy(&d->arena, p->text.data + at->at, at->end - at->at);
        ok = text[i] != NULL;
    }
    d->row_text = text;
    d->delimiter = p->delimiter;
    if (ok && p->header && p->head.len > 0)
        ok = (d->head_text = bs_arena_copy(&d->arena, p->head.data, p->head.len)) != NULL;
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

/* The header of a piece, with the number of its rows. */
static basin_status announce(bs_pieces *p, bs_buf *lines, const body *b, basin_error *err)
{
    int64_t left = p->said - p->done, rows = b->lines < left ? b->lines : left;
    if (p->ended && b->lines < left)
        return bs_fail(err, BASIN_EDATA, "%s: its first line says %lld rows, there are %lld",
                       bs_input_name(p->in), (long long)p->said, (long long)(p->done + b->lines));
    bs_buf_printf(lines, "%lld%s", (long long)rows, p->head.data ? p->head.data : "");
    return lines->failed ? bs_fail_nomem(err) : BASIN_OK;
}

basin_status bs_pieces_next(bs_pieces *p, bs_rows **out, bs_notes *notes, basin_error *err)
{
    body b;
    *out = NULL;
    if (p->ended)
        return BASIN_OK;
    if (p->whole) {
        p->ended = true;
        return bs_rows_read_input(p->in, p->path, p->o, out, notes, err);
    }
    if (p->begun && p->said >= 0 && p->done == p->said)
        return check_end(p, err);
    basin_status s;
    do { /* at least one row, whatever lies between */
        bs_buf_clear(&p->text);
        p->places = 0;
        if (p->said < 0)
            bs_buf_add(&p->text, p->head.data ? p->head.data : "", p->head.len);
        s = gather(p, &b, err);
    } while (!s && p->said < 0 && !p->ended && !b.solid && !b.follow);
    if (!s && p->said >= 0) {
        bs_buf lines = p->text;
        bs_buf_init(&p->text, MOST_BYTES);
        s = announce(p, &p->text, &b, err);
        bs_buf_add(&p->text, lines.data ? lines.data : "", lines.len);
        bs_buf_free(&lines);
        if (!s && p->text.failed)
            s = bs_fail_nomem(err);
    }
    if (s || (p->begun && !b.solid && !b.follow))
        return s;
    p->begun = true;
    s = read_text(p, &b, out, notes, err);
    if (s)
        return s;
    p->done += (*out)->rows;
    s = hand_over(p, *out, err);
    if (s) {
        bs_rows_free(*out);
        *out = NULL;
    }
    return s;
}
