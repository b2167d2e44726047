/* corpus_read.c -- from text to sentences.
 *
 * A small cache in front of the set of names numbers the texts: most cells are short and were seen
 * a moment ago, and two comparisons of eight bytes find them without hashing or following
 * pointers. */
#include <string.h>

#include "data/text/brat.h"

basin_status bs_corpus_fail(const bs_corpus_reading *r, long line, size_t column, const char *fmt,
                            ...)
{
    va_list args;
    if (line && r->o && r->o->block) /* without options we only peek */
        line += r->o->block->lines_before;
    va_start(args, fmt);
    const basin_status s = bs_fail_at(r->err, r->name, line, column, fmt, args);
    va_end(args);
    return s;
}

/* --- numbers for texts --------------------------------------------------- */

enum { CACHE_BITS = 10, WORD_BITS = 14, WORD = 0, TAG = 1, FEATURE = 2 };

typedef struct {
    uint64_t key[2];
    int32_t  id; /* -1: free */
} slot;

typedef struct {
    int       at; /* cell */
    bs_names *names;
    int32_t  *out;   /* [tokens] */
    slot     *cache; /* [1 << bits] */
    int       bits;
} column;

/* The first n <= 8 bytes of eight. */
static uint64_t first_bytes(uint64_t x, size_t n)
{
    return n >= 8 ? x : x & (((uint64_t)1 << 8 * n) - 1);
}

static inline int32_t number_of(column *k, const char *text, size_t len)
{
    bool fresh;
    if (len > 16)
        return bs_names_add(k->names, text, len, &fresh);
    /* 8 NULs follow the text, so both loads stay inside. */
    uint64_t a = first_bytes(bs_load8(text), len);
    uint64_t b = len > 8 ? first_bytes(bs_load8(text + 8), len - 8) : 0;
    uint64_t h = (a ^ a >> 32 ^ b * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
    slot    *s = &k->cache[h >> (64 - k->bits)];
    if (s->key[0] == a && s->key[1] == b && s->id >= 0)
        return s->id;
    s->key[0] = a;
    s->key[1] = b;
    s->id = bs_names_add(k->names, text, len, &fresh);
    return s->id;
}

/* --- sentences ----------------------------------------------------------- */

typedef struct {
    size_t  piece;
    int32_t start, document;
} sentence;

typedef struct {
    bs_corpus_reading *r;
    column             column[FEATURE + BS_MOST_COLUMNS];
    int                columns; /* all of them; the tag's even if it is not used */
    slot              *cache;   /* of all columns */
    sentence          *list;
    size_t             cap;
    const char        *boundary; /* start of the next sentence's piece */
    bool               before;   /* saw lines that belong to the next sentence */
    bool               open;     /* in a sentence */
    long               line;
} parser;

static basin_status open_sentence(parser *x)
{
    bs_corpus *c = x->r->c;
    if (c->sentences >= x->r->o->max_sentences)
        return bs_corpus_fail(x->r, x->line, 0,
                              "more than %d sentences; text.max_sentences allows more",
                              x->r->o->max_sentences);
    if (!BS_GROW(x->list, x->cap, (size_t)c->sentences + 1, INT32_MAX))
        return bs_fail_nomem(x->r->err);
    x->list[c->sentences++] = (sentence){(size_t)(x->boundary - c->text), c->tokens, x->r->marks};
    x->open = true;
    x->before = false;
    return BASIN_OK;
}

/* A token starts; opens a sentence if none is open. */
static basin_status begin_token(parser *x)
{
    bs_corpus   *c = x->r->c;
    basin_status s = x->open ? BASIN_OK : open_sentence(x);
    if (s)
        return s;
    if (c->tokens >= x->r->o->max_tokens)
        return bs_corpus_fail(x->r, x->line, 0, "more than %d tokens; text.max_tokens allows more",
                              x->r->o->max_tokens);
    if (c->tokens - x->list[c->sentences - 1].start >= x->r->o->max_length)
        return bs_corpus_fail(x->r, x->line, 0,
                              "the sentence has more than %d tokens; text.max_length allows more "
                              "(is the blank line between sentences missing?)",
                              x->r->o->max_length);
    return BASIN_OK;
}

static void blank_line(parser *x, const char *next)
{
    x->open = false;
    if (!x->before)
        x->boundary = next;
}

/* --- columns ------------------------------------------------------------- */

static basin_status start_columns(parser *x, const bs_row *row)
{
    bs_corpus   *c = x->r->c;
    size_t       n = x->r->lines + 1;
    basin_status s = bs_corpus_columns(x->r, row->n, x->line);
    if (s)
        return s;
    x->columns = FEATURE + c->columns;
    size_t slots = (size_t)1 << WORD_BITS;
    slots += (size_t)(x->columns - 1) << CACHE_BITS;
    x->cache = bs_alloc(slots * sizeof *x->cache);
    c->word = bs_alloc(n * sizeof *c->word);
    c->tag = bs_alloc(n * sizeof *c->tag);
    bool ok = x->cache && c->word && c->tag;
    x->column[WORD] = (column){c->word_column - 1, &c->words, c->word, NULL, WORD_BITS};
    x->column[TAG] = (column){c->tag_column - 1, &c->tags, c->tag, NULL, CACHE_BITS};
    for (int i = 0; ok && i < c->columns; i++) {
        c->feature[i] = bs_alloc(n * sizeof *c->feature[i]);
        ok = c->feature[i] != NULL;
        x->column[FEATURE + i] =
            (column){c->column[i] - 1, &c->value[i], c->feature[i], NULL, CACHE_BITS};
    }
    if (!ok)
        return bs_fail_nomem(x->r->err);
    slot *next = x->cache;
    for (int i = 0; i < x->columns; i++) {
        x->column[i].cache = next;
        next += (size_t)1 << x->column[i].bits;
    }
    for (size_t i = 0; i < slots; i++)
        x->cache[i] = (slot){{0, 0}, -1};
    return BASIN_OK;
}

static basin_status fail_empty(const parser *x, const bs_row *row, int i, const char *start)
{
    return bs_corpus_fail(x->r, x->line, (size_t)(row->cell[x->column[i].at].at - start) + 1,
                          "the %s is empty", i == WORD ? "word" : "tag");
}

static basin_status put_token(parser *x, const bs_row *row, const char *start)
{
    bs_corpus   *c = x->r->c;
    basin_status s = begin_token(x);
    if (s)
        return s;
    const int32_t t = c->tokens;
    for (int i = 0; i < x->columns; i++) {
        column *k = &x->column[i];
        if (k->at < 0) {
            k->out[t] = -1;
            continue;
        }
        bs_cell cell = row->cell[k->at];
        if (i == TAG && x->r->cut.conllu && cell.len > 0) {
            cell = bs_corpus_tag_cell(c, row);
            if (cell.len == 0) {
                k->out[t] = -1;
                continue;
            }
        }
        if (cell.len == 0 && i == TAG && x->r->cut.all) { /* the row has no tag */
            k->out[t] = -1;
            continue;
        }
        if (cell.len == 0 && i < FEATURE)
            return fail_empty(x, row, i, start);
        k->out[t] = number_of(k, cell.at, cell.len);
        if (k->out[t] < 0)
            return bs_fail_nomem(x->r->err);
    }
    c->tokens++;
    return BASIN_OK;
}

static basin_status read_row(parser *x, const bs_row *row, const char *start)
{
    bs_corpus *c = x->r->c;
    if (row->n > BS_MOST_CELLS)
        return bs_corpus_fail(x->r, x->line, 0, "%d columns; at most %d are possible", row->n,
                              (int)BS_MOST_CELLS);
    if (row->kind == BS_LINE_STRANGE && row->n == 10)
        return bs_corpus_fail(x->r, x->line, 1,
                              "'%.*s' is not a number of CoNLL-U such as 7, 7-8 or 7.1",
                              row->cell[0].len > 40 ? 40 : (int)row->cell[0].len, row->cell[0].at);
    if (c->file_columns == 0) {
        basin_status s = start_columns(x, row);
        if (s == BASIN_EDATA && bs_corpus_odd_line(x->r, row->n))
            return bs_corpus_ragged(x->r, x->line, row->n);
        if (s)
            return s;
    }
    if (row->n != c->file_columns)
        return bs_corpus_ragged(x->r, x->line, row->n);
    if (row->kind == BS_LINE_ASIDE) {
        x->r->asides++;
        if (!x->open)
            x->before = true;
        return BASIN_OK;
    }
    return put_token(x, row, start);
}

static bool is_new_document(const char *p, const bs_row *row)
{
    static const char mark[] = "# newdoc";
    return (size_t)(row->end - p) >= sizeof mark - 1 && memcmp(p, mark, sizeof mark - 1) == 0;
}

/* In a file that had no columns: the line of the next sentence's record. */
static long made_from(const parser *x)
{
    const bs_corpus *c = x->r->c;
    return c->record[bs_corpus_record(c, c->sentences)].line;
}

static basin_status read_columns(parser *x)
{
    bs_corpus   *c = x->r->c;
    bs_row       row;
    const char  *end = c->text + c->text_len;
    basin_status s = BASIN_OK;
    x->before = true;
    x->boundary = c->text;
    for (const char *p = c->text; !s && p < end; p = row.next) {
        x->line = c->records && !x->open ? made_from(x) : x->line + !c->records;
        bs_row_scan(p, end, x->r->cut, &row);
        switch (row.kind) {
        case BS_LINE_BLANK: blank_line(x, row.next); break;
        case BS_LINE_DOCUMENT:
            x->r->marks++;
            if (x->open)
                x->boundary = p;
            x->open = false;
            x->before = true;
            break;
        case BS_LINE_COMMENT:
            if (x->open && !x->r->cut.conllu) /* more likely a token that lost some columns */
                return bs_corpus_ragged(x->r, x->line, row.n);
            x->r->marks += is_new_document(p, &row);
            x->before = x->before || !x->open;
            break;
        default: s = read_row(x, &row, p);
        }
    }
    return s;
}

/* --- plain text ---------------------------------------------------------- */

/* At least as many as there are: a \r at a line's end may count as one. */
static size_t count_words(const char *p, const char *end)
{
    size_t n = 0;
    for (bool in = false; p < end; p++) {
        bool blank = *p == ' ' || *p == '\t' || *p == '\n';
        n += !blank && !in;
        in = !blank;
    }
    return n;
}

static basin_status read_line(parser *x, const char *p, const char *end, const char **next)
{
    basin_status s = BASIN_OK;
    for (;;) {
        while (*p == ' ' || *p == '\t')
            p++;
        if (bs_at_line_end(p, end))
            break;
        const char *stop = bs_cell_end(p, end, false);
        s = begin_token(x);
        if (s)
            return s;
        bs_corpus *c = x->r->c;
        int32_t    id = number_of(&x->column[WORD], p, (size_t)(stop - p));
        if (id < 0)
            return bs_fail_nomem(x->r->err);
        c->tag[c->tokens] = -1;
        c->word[c->tokens++] = id;
        p = stop;
    }
    p += p < end && *p == '\r';
    *next = p + (p < end);
    return s;
}

static basin_status read_text(parser *x)
{
    bs_corpus   *c = x->r->c;
    const char  *end = c->text + c->text_len, *next = end;
    bs_row       row = {.n = 1};
    basin_status s = BASIN_OK;
    x->r->lines = count_words(c->text, end);
    s = start_columns(x, &row);
    x->before = true;
    x->boundary = c->text;
    for (const char *p = c->text; !s && p < end; p = next) {
        x->line++;
        x->open = false;
        s = read_line(x, p, end, &next);
        x->boundary = x->before ? x->boundary : next;
    }
    return s;
}

/* --- one input ----------------------------------------------------------- */

static basin_status take_text(bs_corpus_reading *r, bs_input *in)
{
    bs_buf     text;
    bs_corpus *c = r->c;
    bs_buf_init(&text, (size_t)1 << 36);
    basin_status s = bs_input_text(in, (size_t)r->o->max_line_mb << 20, &text, r->err);
    if (!s) {
        c->bom = text.len >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0;
        c->text_len = text.len - (c->bom ? 3 : 0);
        bs_buf_add(&text, "\0\0\0\0\0\0\0", 8);
        if (text.failed)
            s = bs_fail_nomem(r->err);
    }
    if (!s && c->bom)
        memmove(text.data, text.data + 3, c->text_len + 8);
    if (s)
        bs_buf_free(&text);
    else
        c->text = text.data;
    return s;
}

/* If a text has several sentences, texts are documents. */
static void number_documents(bs_corpus *c)
{
    int32_t k = 0;
    while (k < c->records && c->record[k + 1].sentence < c->record[k].sentence + 2)
        k++;
    if (k == c->records)
        return;
    c->documents = 0;
    k = 0;
    for (int32_t s = 0; k < c->records; k++) {
        c->documents += c->record[k + 1].sentence > s;
        for (; s < c->record[k + 1].sentence; s++)
            c->document[s] = k + 1;
    }
}

static basin_status take_sentences(parser *x)
{
    bs_corpus *c = x->r->c;
    size_t     n = (size_t)c->sentences;
    if (n == 0 && !(x->r->o->block && (c->records || x->r->o->block->begun)))
        return bs_corpus_fail(x->r, 0, 0, "there are no sentences");
    c->start = bs_alloc((n + 1) * sizeof *c->start);
    c->piece = bs_alloc((n + 1) * sizeof *c->piece);
    c->document = bs_alloc(n * sizeof *c->document);
    c->tabs = bs_alloc(n);
    if (!c->start || !c->piece || !c->document || !c->tabs)
        return bs_fail_nomem(x->r->err);
    for (size_t i = 0; i < n; i++) {
        c->start[i] = x->list[i].start;
        c->piece[i] = x->list[i].piece;
        c->document[i] = x->list[i].document;
        c->documents += i == 0 || c->document[i] != c->document[i - 1];
    }
    memset(c->tabs, x->r->cut.tabs, n);
    number_documents(c);
    c->start[n] = c->tokens;
    c->piece[0] = 0;
    c->piece[n] = c->text_len;
    return BASIN_OK;
}

/* --- notes --------------------------------------------------------------- */

/* U+00A0, U+00AD, U+200B .. U+200D, U+2060, U+FEFF: characters that are invisible or look blank. */
static bool has_hidden(const bs_name *name)
{
    for (uint32_t i = 0; i + 1 < name->len; i++) {
        const unsigned char *p = (const unsigned char *)name->text + i;
        if ((p[0] == 0xc2 && (p[1] == 0xa0 || p[1] == 0xad)) ||
            (i + 2 < name->len && ((p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0x8b && p[2] <= 0x8d) ||
                                   (p[0] == 0xe2 && p[1] == 0x81 && p[2] == 0xa0) ||
                                   (p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf))))
            return true;
    }
    return false;
}

static void note_hidden(const bs_corpus_reading *r)
{
    const bs_corpus *c = r->c;
    int32_t          tokens = 0, first = -1;
    bool             any = false;
    for (int32_t i = 0; !any && i < c->words.n; i++)
        any = has_hidden(&c->words.item[i]);
    for (int32_t t = 0; any && t < c->tokens; t++)
        if (has_hidden(&c->words.item[c->word[t]])) {
            first = tokens++ ? first : t;
        }
    if (tokens)
        bs_notes_add(r->notes, "characters",
                     "no-break or zero-width characters are part of %d word%s (the first in line "
                     "%ld)",
                     (int)tokens, tokens == 1 ? "" : "s", bs_corpus_line(c, first));
}

static void note_records(const bs_corpus_reading *r, const char *tags, const char *features)
{
    const bs_corpus *c = r->c;
    char             names[256] = "";
    size_t           at = 0;
    for (int i = 0; i < c->file_columns && at < sizeof names; i++)
        at += (size_t)bs_print(names + at, sizeof names - at, "%s%.40s", i ? ", " : "",
                               c->heading[i]);
    if (c->first && !c->tag_column)
        bs_notes_add(r->notes, r->guessed ? BS_NOTE_GUESS : "format",
                     "%s: %d text%s cut into words by rule; spans come back as characters%s",
                     r->name, (int)c->records, c->records == 1 ? "" : "s",
                     r->guessed ? "; --set text.format=conll reads columns" : "");
    else if (c->first)
        bs_notes_add(r->notes, "format",
                     "%s: %d text%s cut into words by rule, and spans of characters",
                     r->format->name, (int)c->records, c->records == 1 ? "" : "s");
    else
        bs_notes_add(r->notes, "format",
                     "%s, read as columns %s: tags %s, features %s (--tag-column, "
                     "--feature-columns)",
                     r->format->name, names, tags, features);
}

static void note_columns(const bs_corpus_reading *r)
{
    const bs_corpus *c = r->c;
    char             features[128] = "none", tags[48] = "none";
    size_t           at = 0;
    for (int i = 0; i < c->columns && at < sizeof features; i++)
        at += (size_t)bs_print(features + at, sizeof features - at, "%s%d", i ? "," : "",
                               c->column[i]);
    if (c->tag_column)
        bs_print(tags, sizeof tags, "column %d", c->tag_column);
    if (c->records) {
        note_records(r, tags, features);
        return;
    }
    if (strcmp(c->format, "text") == 0)
        bs_notes_add(r->notes, r->guessed ? BS_NOTE_GUESS : "format",
                     "%s: plain text, one sentence per line; --set text.format=conll reads columns",
                     r->name);
    else if (r->guessed)
        bs_notes_add(
            r->notes, BS_NOTE_GUESS,
            "%s: columns, %d of them, where %d were expected; --set text.format=text reads "
            "plain text",
            r->name, c->file_columns, r->o->columns);
    if (strcmp(c->format, "text") != 0)
        bs_notes_add(r->notes, "format",
                     "%s, %d column%s cut at %s: word column %d, tags %s, features %s "
                     "(--word-column, --tag-column, --feature-columns)",
                     strcmp(c->format, "conll") == 0 ? "CoNLL" : "CoNLL-U", c->file_columns,
                     c->file_columns == 1 ? "" : "s", r->cut.tabs ? "tabs" : "blanks",
                     c->word_column, tags, features);
}

static void add_notes(const bs_corpus_reading *r)
{
    const bs_corpus *c = r->c;
    if (!r->o->roles)
        note_columns(r);
    if (c->records)
        return;
    if (r->marks && !r->cut.conllu)
        bs_notes_add(r->notes, "documents",
                     "%d -DOCSTART- lines are not sentences; the output keeps them", (int)r->marks);
    if (r->asides)
        bs_notes_add(r->notes, "asides",
                     "%ld lines of multiword tokens and empty nodes are not tokens; the output "
                     "keeps them",
                     r->asides);
    if (r->comments)
        bs_notes_add(r->notes, "comments",
                     "%ld lines that begin with '#' are comments; the output keeps them",
                     r->comments);
    else if (!r->cut.conllu && c->text[0] == '#' && c->text[1] == ' ')
        bs_notes_add(r->notes, "comment",
                     "the first line begins with '#' and has as many columns as others: a token");
    if (!r->ascii)
        note_hidden(r);
    const char *nl = memchr(c->text, '\n', c->text_len);
    if (nl && nl > c->text && nl[-1] == '\r')
        bs_notes_add(r->notes, "line ends", "lines end in \\r\\n; the output keeps that");
}

/* in NULL: path names files that the format opens itself. */
static basin_status read_corpus(bs_input *in, const char *path, const bs_brat_pair *pair,
                                const bs_corpus_options *o, bs_corpus **out, bs_notes *notes,
                                basin_error *err)
{
    *out = NULL;
    basin_error       unused;
    bs_corpus_reading r = {.o = o,
                           .c = bs_corpus_new(),
                           .name = in ? bs_input_name(in) : path,
                           .path = path,
                           .pair = pair,
                           .notes = notes,
                           .err = err ? err : &unused};
    parser            x = {.r = &r};
    if (!r.c)
        return bs_fail_nomem(err);
    r.c->name = bs_arena_copy(&r.c->arena, r.name, strlen(r.name));
    basin_status s = !r.c->name ? bs_fail_nomem(err) : in ? take_text(&r, in) : BASIN_OK;
    if (!s && in)
        s = bs_corpus_survey(&r);
    if (!s)
        s = in ? bs_corpus_choose(&r) : bs_corpus_take(&r, bs_corpus_format_find("brat"));
    if (!s)
        s = strcmp(r.c->format, "text") == 0 ? read_text(&x) : read_columns(&x);
    if (!s)
        s = take_sentences(&x);
    if (!s)
        s = bs_corpus_scheme(&r);
    if (!s) {
        bs_corpus_hash(r.c);
        add_notes(&r);
    }
    if (!s && notes && notes->failed)
        s = bs_fail_nomem(err);
    bs_free(x.cache);
    bs_free(x.list);
    if (s)
        bs_corpus_free(r.c);
    else
        *out = r.c;
    return s;
}

basin_status bs_corpus_read_input(bs_input *in, const bs_corpus_options *o, bs_corpus **out,
                                  bs_notes *notes, basin_error *err)
{
    return read_corpus(in, NULL, NULL, o, out, notes, err);
}

basin_status bs_brat_read(const bs_brat_pair *pair, const bs_corpus_options *o, bs_corpus **out,
                          bs_notes *notes, basin_error *err)
{
    return read_corpus(NULL, "memory", pair, o, out, notes, err);
}

/* --- several files ------------------------------------------------------- */

static basin_status read_path(const char *path, const bs_corpus_options *o, bs_corpus **out,
                              bs_notes *notes, basin_error *err)
{
    bs_input *in;
    *out = NULL;
    if (bs_brat_path(path, o))
        return read_corpus(NULL, path, NULL, o, out, notes, err);
    basin_status s = bs_input_open_most(path, o->max_mb, &in, err);
    if (s)
        return s;
    s = read_corpus(in, strcmp(path, "-") == 0 ? NULL : path, NULL, o, out, notes, err);
    bs_input_close(in);
    return s;
}

basin_status bs_corpus_read(const char *const *paths, int n, const bs_corpus_options *o,
                            bs_corpus **out, bs_notes *notes, basin_error *err)
{
    *out = NULL;
    if (n < 1)
        return bs_fail(err, BASIN_EARG, "no data file was given");
    bs_corpus   *all = NULL;
    basin_status s = read_path(paths[0], o, &all, notes, err);
    for (int i = 1; !s && i < n; i++) {
        bs_corpus *more = NULL;
        s = read_path(paths[i], o, &more, notes, err);
        if (!s)
            s = bs_corpus_append(all, more, err);
        bs_corpus_free(more);
    }
    if (s)
        bs_corpus_free(all);
    else
        *out = all;
    return s;
}
