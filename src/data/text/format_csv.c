/* format_csv.c -- a table with a word per row and its sentence in a column.
 *
 *     Sentence #,Word,POS,Tag
 *     Sentence: 1,Ada,NNP,B-per
 *     ,sleeps,VBZ,O
 *
 * The sentence may be named in every row or only in its first. Words come first, tags last; other
 * columns are features in the order of the file. */
#include <string.h>

#include "data/rows/cell.h"
#include "data/rows/csv.h"
#include "data/text/making.h"
#include "data/text/tags_out.h"

typedef struct {
    bs_corpus_builder m;
    csv_cursor        c;
    const char       *name[BS_MOST_CELLS];  /* of the file's columns */
    int               n;                    /* of these */
    int               sentence, word, tag;  /* from 0; tag -1: none */
    int               order[BS_MOST_CELLS]; /* file columns in the order of ours */
    int               columns;
    bs_cell           cell[BS_MOST_CELLS]; /* of a row; borrowed, or in the arena */
    bs_arena          arena;               /* for cells with doubled quotes */
    bs_buf            scratch, now;        /* now: name of the current sentence */
} table;

/* --- the first row ------------------------------------------------------- */

/* Keeps lower-cased letters and digits of a name: "Sentence #" is "sentence". */
static void plain(const char *text, size_t len, char out[32])
{
    size_t n = 0;
    for (size_t i = 0; i < len && n < 31; i++) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[n++] = c;
    }
    out[n] = '\0';
}

static int rank_of(const char *const *list, const char *name)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return -1;
}

static const char *const sentence_names[] = {
    "sentence", "sentenceid",    "sentenceidx", "sentencenumber", "sentenceno",
    "sentid",   "sentenceindex", "sent",        "sentnum",        NULL};
static const char *const word_names[] = {"word", "token", "words", "tokens", "form", "text", NULL};
static const char *const tag_names[] = {"tag",    "nertag", "ner", "tags",   "label",
                                        "labels", "bio",    "iob", "entity", "nertags",
                                        "chunk",  "pos",    NULL};

/* The column whose name comes first in the list; -1: none. */
static int find_column(const table *t, const char *const *list)
{
    int best = -1, rank = -1;
    for (int i = 0; i < t->n; i++) {
        char name[32];
        plain(t->name[i], strlen(t->name[i]), name);
        const int r = rank_of(list, name);
        if (r >= 0 && (rank < 0 || r < rank)) {
            best = i;
            rank = r;
        }
    }
    return best;
}

/* The cells of a row and their number. */
static basin_status next_row(table *t, const bs_corpus_reading *r, int *n, long *line)
{
    csv_cell cell;
    csv_step step;
    *n = 0;
    *line = t->c.line;
    do {
        step = bs_csv_next(&t->c, &cell);
        if (step == CSV_UNCLOSED || step == CSV_AFTER_QUOTE)
            return bs_corpus_fail(r, cell.line, 0, "%s",
                                  step == CSV_UNCLOSED ? "a quote that is not closed"
                                                       : "text follows a closing quote");
        if (step == CSV_END)
            break;
        size_t      len;
        const char *text = bs_csv_text(&cell, &t->scratch, &len);
        if (text && cell.doubled)
            text = bs_arena_copy(&t->arena, text, len);
        if (!text)
            return bs_fail_nomem(r->err);
        if (*n < BS_MOST_CELLS)
            t->cell[*n] = (bs_cell){text, len};
        ++*n;
    } while (step == CSV_CELL);
    return BASIN_OK;
}

static void open_table(table *t, const char *text, size_t len)
{
    enum { WINDOW = 64 << 10 };
    bool steady;
    *t = (table){.c = {.p = text, .end = text + len, .line = 1}};
    t->c.delimiter = bs_csv_delimiter(text, len < WINDOW ? len : WINDOW, &steady);
    bs_arena_init(&t->arena, 0);
    bs_buf_init(&t->scratch, (size_t)1 << 28);
    bs_buf_init(&t->now, (size_t)1 << 28);
}

static void close_table(table *t)
{
    bs_arena_free(&t->arena);
    bs_buf_free(&t->scratch);
    bs_buf_free(&t->now);
}

static basin_status read_head(table *t, const bs_corpus_reading *r)
{
    int64_t      blank = 0;
    long         line;
    int          n = 0;
    basin_status s = BASIN_OK;
    if (t->c.delimiter && bs_csv_record(&t->c, &blank))
        s = next_row(t, r, &n, &line);
    t->n = n < BS_MOST_CELLS ? n : BS_MOST_CELLS;
    for (int i = 0; i < t->n && !s; i++) {
        t->name[i] = bs_arena_copy(&t->arena, t->cell[i].at, t->cell[i].len);
        s = t->name[i] ? BASIN_OK : bs_fail_nomem(r->err);
    }
    t->sentence = s ? -1 : find_column(t, sentence_names);
    t->word = s ? -1 : find_column(t, word_names);
    t->tag = s ? -1 : find_column(t, tag_names);
    if (!s && n > BS_MOST_CELLS)
        s = bs_corpus_fail(r, 1, 0, "%d columns; at most %d are possible", n, (int)BS_MOST_CELLS);
    return s;
}

/* --- rows ---------------------------------------------------------------- */

/* Decides the roles of the columns. */
static void arrange(table *t, const bs_corpus_reading *r)
{
    const char *want = r->o->tag_column;
    const int   named = bs_heading_find(t->name, t->n, want, strlen(want)) - 1;
    if (named >= 0 && named != t->word && named != t->sentence)
        t->tag = named;
    const int tag = t->tag; /* never a feature, even if it is not used */
    if (strcmp(want, "none") == 0)
        t->tag = -1;
    t->order[t->columns++] = t->word;
    for (int i = 0; i < t->n && strcmp(r->o->feature_columns, "none") != 0; i++)
        if (i != t->word && i != tag && i != t->sentence && t->name[i][0] != '\0' &&
            strncmp(t->name[i], "Unnamed:", 8) != 0) /* pandas' row number */
            t->order[t->columns++] = i;
    if (t->tag >= 0)
        t->order[t->columns++] = t->tag;
}

static basin_status take_row(table *t, const bs_corpus_reading *r, int n, long line)
{
    if (n != t->n)
        return bs_corpus_fail(r, line, 0, "%d column%s, expected %d", n, n == 1 ? "" : "s", t->n);
    const bs_cell *name = &t->cell[t->sentence], *word = &t->cell[t->word];
    if (name->len == 0 && t->m.records == 0)
        return bs_corpus_fail(r, line, 0, "the first word is of no sentence: \"%.40s\" is empty",
                              t->name[t->sentence]);
    const bool same = name->len == 0 || (t->m.records && name->len == t->now.len &&
                                         memcmp(name->at, t->now.data, name->len) == 0);
    if (!same) {
        bs_buf_clear(&t->now);
        bs_buf_add(&t->now, name->at, name->len);
        bs_corpus_builder_record(&t->m, NULL, 0, NULL, NULL, line);
    }
    bs_corpus_builder_word(&t->m, word->at, word->len, 0, 0);
    for (int i = 1; i < t->columns; i++) {
        const bs_cell *cell = &t->cell[t->order[i]];
        if (cell->len == 0 && t->order[i] == t->tag && !r->o->label_free)
            return bs_corpus_fail(r, line, 0, "the tag is empty");
        const bool gap = cell->len == 0 && t->order[i] != t->tag;
        bs_corpus_builder_cell(&t->m, gap ? "_" : cell->at, gap ? 1 : cell->len);
    }
    return t->now.failed ? bs_fail_nomem(r->err) : BASIN_OK;
}

static basin_status read_rows(table *t, const bs_corpus_reading *r)
{
    int64_t      blank = 0;
    basin_status s = BASIN_OK;
    while (!s && bs_csv_record(&t->c, &blank)) {
        int  n;
        long line;
        s = next_row(t, r, &n, &line);
        if (!s)
            s = take_row(t, r, n, line);
    }
    return s;
}

static basin_status read_csv(bs_corpus_reading *r)
{
    table       t;
    const char *heading[BS_MOST_CELLS];
    open_table(&t, r->c->text, r->c->text_len);
    bs_corpus_builder_begin(&t.m, r);
    basin_status s = read_head(&t, r);
    if (!s && (t.sentence < 0 || t.word < 0))
        s = bs_corpus_fail(r, 1, 0,
                           "no column is called %s; the first row has names such as Sentence "
                           "#,Word,POS,Tag",
                           t.word < 0 ? "Word or Token" : "Sentence");
    if (!s) {
        arrange(&t, r);
        s = read_rows(&t, r);
    }
    for (int i = 0; i < t.columns; i++)
        heading[i] = t.name[t.order[i]];
    r->tag_column = t.tag >= 0 ? t.columns : 0;
    s = bs_corpus_builder_end(&t.m, s, heading, t.columns);
    close_table(&t);
    return s;
}

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    basin_error       unused;
    bs_corpus_reading r = {.err = &unused, .name = ""};
    table             t;
    const char       *nl = memchr(head, '\n', n);
    if (n == 0 || !nl || strchr("{[<@", *head))
        return 0;
    open_table(&t, head, n);
    const basin_status s = read_head(&t, &r);
    const bool         fits = !s && t.sentence >= 0 && t.word >= 0;
    const int          sure = s == BASIN_ENOMEM ? -1 : !fits ? 0 : t.tag >= 0 ? 90 : 60;
    close_table(&t);
    return sure;
}

/* --- writing ------------------------------------------------------------- */

static void put_cell(const char *text, size_t len, bs_writing *w)
{
    bool odd = len && (*text == ' ' || text[len - 1] == ' ');
    for (size_t i = 0; i < len && !odd; i++)
        odd = strchr(",\"\r\n", text[i]) != NULL;
    if (!odd) {
        bs_put(w, bs_cell_guard(w->safe, text, len));
        bs_put_bytes(w, text, len);
        return;
    }
    bs_put(w, "\"");
    bs_put(w, bs_cell_guard(w->safe, text, len));
    for (size_t i = 0; i < len; i++) {
        bs_put(w, text[i] == '"' ? "\"" : "");
        bs_put_bytes(w, text + i, 1);
    }
    bs_put(w, "\"");
}

static void put_head(const bs_tags_out *t, bs_writing *w)
{
    const bs_corpus *c = t->c;
    bs_put(w, "Sentence #,Word");
    for (int k = 0; k < c->columns; k++) {
        char        name[32];
        const char *heading = c->heading ? c->heading[c->column[k] - 1] : name;
        bs_print(name, sizeof name, "Column %d", c->column[k]);
        bs_put(w, ",");
        put_cell(heading, strlen(heading), w);
    }
    bs_put(w, t->gold_names ? ",Tag,Predicted\n" : t->names ? ",Tag\n" : "\n");
}

static void put_tag(const char *const *names, const int32_t *tag, int32_t i, bs_writing *w)
{
    if (!names)
        return;
    const char *text = tag[i] < 0 ? "" : names[tag[i]];
    bs_put(w, ",");
    put_cell(text, strlen(text), w);
}

static void write_csv(const bs_tags_out *t, bs_writing *w)
{
    const bs_corpus *c = t->c;
    put_head(t, w);
    for (int32_t s = 0; s < c->sentences && !w->status; s++)
        for (int32_t i = c->start[s]; i < c->start[s + 1]; i++) {
            const bs_name *word = &c->words.item[c->word[i]];
            if (i == c->start[s]) {
                bs_put(w, "Sentence: ");
                bs_put_int(w, (long long)s + 1);
            }
            bs_put(w, ",");
            put_cell(word->text, word->len, w);
            for (int k = 0; k < c->columns; k++) {
                const bs_name *value = &c->value[k].item[c->feature[k][i]];
                bs_put(w, ",");
                put_cell(value->text, value->len, w);
            }
            put_tag(t->gold_names, t->gold, i, w);
            put_tag(t->names, t->tag, i, w);
            bs_put(w, "\n");
        }
}

const bs_corpus_format bs_corpus_format_csv = {
    .name = "csv",
    .help = "a table with one word per row: Sentence #,Word,POS,Tag",
    .ending = ".csv",
    .sniff = sniff,
    .read = read_csv,
    .write = write_csv,
};
