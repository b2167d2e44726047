/* corpus_open.c -- a file of sentences that is opened once and read block by block.
 *
 * A block ends after a line (plain text, rows of JSON) or after a blank one (columns). How files
 * look, which columns there are, which scheme their tags have: the first block tells, and later
 * ones are read likewise. A format that only the whole of a file shows is one block. */
#include <string.h>

#include "data/text/brat.h"

enum { MOST_BYTES = 1 << 30, BLOCK_BYTES = 32 << 20, WINDOW = 64 << 10 };

typedef enum { WHOLE, LINES, SENTENCES } unit;

struct bs_corpus_file {
    bs_input         *in; /* NULL: a folder */
    const char       *path, *name;
    bs_corpus_options o;
    bs_corpus_block   block;
    unit              unit;
    bool              live, ended;
    long              last; /* number of the last line read */
    bs_buf            text;
};

/* What a block has so far. */
typedef struct {
    int32_t lines;
    int32_t tokens, most; /* of the last sentence, and of the longest: lines that are no comment */
    bool    some, blank;  /* a line is not blank; the last one is */
} filling;

/* How files of this format are divided. */
static unit unit_of(const char *format)
{
    const char c = bs_corpus_format_find(format)->unit;
    return c == 'l' ? LINES : c == 's' ? SENTENCES : WHOLE;
}

/* --- opening ------------------------------------------------------------- */

/* What the first line of a file of unknown format says. With as many cells as the training data
 * has columns, it could be a token. */
static unit unit_of_line(const char *p, const char *end, int columns)
{
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    int         cells = 0;
    end = nl ? nl : end;
    while (end > p && strchr(" \t\r", end[-1]))
        end--;
    if (p < end && (*p == '{' || *p == '[')) /* a list of rows, or a row, may span many lines */
        return *p == '{' && (!nl || end[-1] == '}') ? LINES : WHOLE;
    for (bool in = false; p < end; p++) {
        if (*p == '\t')
            return SENTENCES;
        cells += *p != ' ' && !in;
        in = *p != ' ';
    }
    return cells > 0 && cells != columns && columns > 0 ? LINES : SENTENCES;
}

static basin_status choose_unit(bs_corpus_file *f, basin_error *err)
{
    const bool   guess = strcmp(f->o.format, "auto") == 0;
    const char  *head;
    size_t       n;
    basin_status s = bs_input_peek_lines(f->in, WINDOW, &head, &n, err);
    if (s)
        return s;
    if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        bs_buf_add(&f->text, head, 3); /* lines are read without it */
        head += 3;
        n -= 3;
    }
    const bs_corpus_format *format = bs_corpus_format_find(f->o.format);
    bs_buf                  copy;
    bs_buf_init(&copy, WINDOW + 8);
    bs_buf_add(&copy, head, n);
    bs_buf_add(&copy, "\0\0\0\0\0\0\0", 8);
    const bool ok =
        !copy.failed && !f->text.failed &&
        (!guess || bs_corpus_recognise(copy.data, n, f->name, f->o.roles, &format) >= 0);
    bs_buf_free(&copy);
    while (n > 0 && strchr(" \t\r\n", *head)) {
        head++;
        n--;
    }
    if (format && !format->unit)
        f->unit = WHOLE;
    else if (guess || (n > 0 && (*head == '[' || *head == '{')))
        f->unit = unit_of_line(head, head + n, f->o.columns);
    else
        f->unit = unit_of(f->o.format);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

void bs_corpus_close(bs_corpus_file *f)
{
    if (!f)
        return;
    bs_input_close(f->in);
    bs_buf_free(&f->text);
    bs_free(f);
}

basin_status bs_corpus_open(const char *path, const bs_corpus_options *o, bs_corpus_file **out,
                            basin_error *err)
{
    bs_corpus_file *f = bs_calloc(1, sizeof *f);
    basin_status    s = BASIN_OK;
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    bs_buf_init(&f->text, MOST_BYTES);
    f->path = f->name = path;
    f->o = *o;
    if (!bs_brat_path(path, o)) {
        s = bs_input_open_most(path, o->max_mb, &f->in, err);
        if (!s) {
            f->name = bs_input_name(f->in);
            f->live = bs_input_live(f->in);
            s = choose_unit(f, err);
        }
    }
    if (s)
        bs_corpus_close(f);
    else
        *out = f;
    return s;
}

/* --- blocks -------------------------------------------------------------- */

static void take_line(const bs_line *line, filling *k)
{
    static const char mark[] = "-DOCSTART-";
    const bool        blank = line->text[strspn(line->text, " \t")] == '\0';
    const bool        aside = bs_is_hash_line(line->text, line->text + line->len) ||
                       strncmp(line->text, mark, sizeof mark - 1) == 0;
    k->lines++;
    k->blank = blank;
    k->some |= !blank;
    k->tokens = blank ? 0 : k->tokens + !aside;
    k->most = k->tokens > k->most ? k->tokens : k->most;
}

/* Whether the block may end here. A single line is not enough to guess a format from. */
static bool is_complete(const bs_corpus_file *f, const filling *k)
{
    const bool guess = f->live && strcmp(f->o.format, "auto") == 0;
    if (f->unit == LINES)
        return k->some;
    return k->tokens > 2 * (int64_t)f->o.max_length || /* which the reader refuses */
           (k->blank && (f->block.begun || k->most > guess));
}

static bool is_full(const bs_corpus_file *f, const filling *k, int32_t lines)
{
    return k->lines >= lines || f->text.len >= BLOCK_BYTES || bs_input_waits(f->in);
}

/* Adds lines to the block. */
static basin_status gather(bs_corpus_file *f, int32_t lines, basin_error *err)
{
    const size_t ceiling = (size_t)f->o.max_line_mb << 20;
    basin_status s = BASIN_OK;
    filling      k = {0};
    while (!s && !(is_complete(f, &k) && is_full(f, &k, lines))) {
        bs_line line;
        bool    more;
        s = bs_input_line(f->in, ceiling, &line, &more, err);
        f->ended = !s && !more;
        if (s || !more)
            break;
        f->last = line.number;
        take_line(&line, &k);
        bs_line_put(&line, &f->text);
    }
    if (!k.some && f->unit == LINES && f->block.begun && strcmp(f->o.format, "text") != 0)
        bs_buf_clear(&f->text); /* nothing but blank lines after the last row */
    return !s && f->text.failed ? bs_fail_nomem(err) : s;
}

static basin_status read_text(bs_corpus_file *f, bs_corpus **out, bs_notes *notes, basin_error *err)
{
    bs_input    *in;
    basin_status s =
        bs_input_memory(f->name, f->text.data ? f->text.data : "", f->text.len, &in, err);
    if (s)
        return s;
    f->o.block = f->unit == WHOLE ? NULL : &f->block;
    s = bs_corpus_read_input(in, &f->o, out, notes, err);
    bs_input_close(in);
    return s;
}

/* Later blocks are read as this one was. */
static void settle(bs_corpus_file *f, const bs_corpus *c)
{
    if (!f->block.begun)
        f->block = (bs_corpus_block){.begun = true,
                                     .columns = c->file_columns,
                                     .tag_column = c->tag_column,
                                     .tabs = c->sentences > 0 && c->tabs[0],
                                     .misc = c->misc,
                                     .labelled = c->labelled,
                                     .scheme = c->file_scheme};
    if (!f->block.roles.after)
        f->block.roles = c->roles;
    bs_print(f->o.format, sizeof f->o.format, "%s", c->format);
}

/* It was divided as another format is: the block must be longer. */
static basin_status read_on(bs_corpus_file *f, unit is, int32_t lines, basin_error *err)
{
    const bool longer = is == WHOLE || (is == SENTENCES && f->unit == LINES);
    f->unit = is;
    if (!longer || f->ended)
        return BASIN_OK;
    if (is == SENTENCES)
        return gather(f, lines, err);
    f->ended = true;
    return bs_input_rest(f->in, &f->text, err);
}

basin_status bs_corpus_next(bs_corpus_file *f, int32_t lines, bs_corpus **out, bs_notes *notes,
                            basin_error *err)
{
    basin_status s = BASIN_OK;
    *out = NULL;
    if (f->ended)
        return BASIN_OK;
    if (f->unit == WHOLE) {
        f->ended = true;
        return f->in ? bs_corpus_read_input(f->in, &f->o, out, notes, err)
                     : bs_corpus_read(&f->path, 1, &f->o, out, notes, err);
    }
    if (f->block.begun)
        bs_buf_clear(&f->text);
    f->block.lines_before = f->last;
    s = gather(f, lines, err);
    if (s || (f->block.begun && f->text.len == 0))
        return s;
    s = read_text(f, out, notes, err);
    if (!s && !f->block.begun && unit_of((*out)->format) != f->unit) {
        const size_t had = f->text.len;
        s = read_on(f, unit_of((*out)->format), lines, err);
        if (s || f->text.len > had) {
            bs_corpus_free(*out);
            *out = NULL;
        }
        if (!s && !*out) {
            if (notes) { /* those of the first look */
                bs_notes_free(notes);
                bs_notes_init(notes);
            }
            s = read_text(f, out, notes, err);
        }
    }
    if (!s)
        settle(f, *out);
    return s;
}
