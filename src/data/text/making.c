/* making.c -- builds columns and records; spans are sorted and walked along with the words. */
#include "data/text/making.h"

#include <stdlib.h>
#include <string.h>

#include "data/text/tokenise.h"

void bs_corpus_builder_begin(bs_corpus_builder *m, bs_corpus_reading *r)
{
    *m = (bs_corpus_builder){.r = r};
    bs_buf_init(&m->columns, (size_t)1 << 36);
}

static const char *keep(bs_corpus_builder *m, const char *text, size_t len)
{
    const char *copy = text ? bs_arena_copy(&m->r->c->arena, text, len) : NULL;
    m->failed = m->failed || (text && !copy);
    return copy;
}

void bs_corpus_builder_record(bs_corpus_builder *m, const char *text, size_t len, const char *rest,
                              const char *name, long line)
{
    bs_corpus_builder_sentence(m);
    /* one extra, for the sentence after the last */
    if (m->failed || !BS_GROW(m->record, m->cap, (size_t)m->records + 2, INT32_MAX)) {
        m->failed = true;
        return;
    }
    rest = rest ? rest : "";
    m->record[m->records++] = (bs_record){.text = keep(m, text, len),
                                          .len = len,
                                          .rest = keep(m, rest, strlen(rest)),
                                          .name = name ? keep(m, name, strlen(name)) : NULL,
                                          .line = line,
                                          .sentence = m->sentences};
}

/* Replaces whatever would end the cell. */
static bool put_cell(bs_corpus_builder *m, const char *text, size_t len)
{
    bool odd = false;
    for (size_t at = 0; at < len;) {
        size_t n = at;
        while (n < len && text[n] != '\t' && text[n] != '\n' && text[n] != '\r')
            n++;
        bs_buf_add(&m->columns, text + at, n - at);
        if (n < len) {
            bs_buf_add(&m->columns, " ", 1);
            odd = true;
            n++;
        }
        at = n;
    }
    return odd;
}

static bool is_nothing(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && strchr(" \t\n\r", text[i]))
        i++;
    return i == len;
}

static void put_place(bs_corpus_builder *m, size_t first, size_t last)
{
    const size_t n = (size_t)m->tokens + 1;
    const bool   ok = BS_GROW(m->first, m->first_cap, n, INT32_MAX) &&
                    BS_GROW(m->last, m->last_cap, n, INT32_MAX);
    m->failed = m->failed || !ok;
    if (ok) {
        m->first[m->tokens] = (int32_t)first;
        m->last[m->tokens] = (int32_t)last;
    }
}

void bs_corpus_builder_word(bs_corpus_builder *m, const char *word, size_t len, size_t first,
                            size_t last)
{
    if (m->failed)
        return;
    if (m->columns.len && m->columns.data[m->columns.len - 1] != '\n')
        bs_buf_text(&m->columns, "\n");
    if (is_nothing(word, len)) {
        bs_buf_text(&m->columns, "_");
        m->blanked++;
    } else {
        m->blanked += put_cell(m, word, len);
    }
    if (m->record[m->records - 1].text)
        put_place(m, first, last);
    m->sentences += !m->open;
    m->tokens++;
    m->open = true;
}

void bs_corpus_builder_cell(bs_corpus_builder *m, const char *text, size_t len)
{
    bs_buf_text(&m->columns, "\t");
    put_cell(m, text, len);
}

void bs_corpus_builder_sentence(bs_corpus_builder *m)
{
    if (m->open)
        bs_buf_text(&m->columns, "\n\n");
    m->open = false;
}

/* --- texts --------------------------------------------------------------- */

/* By position, longer first; in file order where that is the same. */
static int by_place(const void *a, const void *b)
{
    const bs_marked *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last > y->last ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void count(long *n, long *line, const bs_corpus_builder *m)
{
    if ((*n)++ == 0)
        *line = m->record[m->records - 1].line;
}

/* State while walking through the words of a text. */
typedef struct {
    bs_marked *span;
    size_t     n, next;   /* the first span that no word has reached */
    size_t     until;     /* where the words of the open span end; 0: none is open */
    bs_marked  open;      /* with its own limits */
    bool       inside, B; /* the current word is in it; is its first */
    bool       told;      /* noted that the open span's limits differ from its words' */
} walk;

/* Spans before this place contain no word: only blanks. */
static void pass_blanks(bs_corpus_builder *m, walk *k, size_t place)
{
    for (; k->next < k->n && k->span[k->next].last <= place; k->next++)
        count(&m->blank, &m->blank_line, m);
}

static void widen(bs_corpus_builder *m, walk *k, bool so)
{
    if (so && !k->told)
        count(&m->widened, &m->widened_line, m);
    k->told = k->told || so;
}

/* The word from first to last: which span shares a character with it? */
static void enter(bs_corpus_builder *m, walk *k, size_t first, size_t last)
{
    k->inside = k->until > first;
    k->B = false;
    if (!k->inside)
        pass_blanks(m, k, first);
    for (; k->next < k->n && k->span[k->next].first < last; k->next++) {
        const bs_marked *s = &k->span[k->next];
        if (k->inside) {
            count(&m->overlapping, &m->overlapping_line, m);
            continue;
        }
        k->open = *s;
        k->until = s->last;
        k->inside = k->B = true;
        k->told = false;
        widen(m, k, s->first > first);
    }
    widen(m, k, k->inside && k->until < last); /* ends inside the word */
    k->until = k->inside && k->until < last ? last : k->until;
}

/* "B-PER", or nothing if tags are unknown. */
static void put_tag(bs_corpus_builder *m, const walk *k, bool known)
{
    if (!known) {
        bs_corpus_builder_cell(m, "", 0);
        return;
    }
    bs_corpus_builder_cell(m, k->inside ? k->B ? "B-" : "I-" : "O", k->inside ? 2 : 1);
    if (k->inside)
        put_cell(m, k->open.label, strlen(k->open.label));
}

void bs_corpus_builder_text(bs_corpus_builder *m, const char *text, size_t len, bool tags,
                            bs_marked *span, long n)
{
    bs_token token = {0};
    walk     k = {.span = span, .n = n > 0 ? (size_t)n : 0};
    int      lines;
    if (m->failed)
        return;
    if (k.n > 1)
        qsort(span, k.n, sizeof *span, by_place);
    while (!m->failed && bs_token_next(text, len, &token, &lines)) {
        enter(m, &k, token.first, token.last);
        if (lines && !(k.inside && !k.B))
            bs_corpus_builder_sentence(m);
        bs_corpus_builder_word(m, text + token.at, token.end - token.at, token.first, token.last);
        if (tags)
            put_tag(m, &k, n >= 0);
    }
    pass_blanks(m, &k, SIZE_MAX);
    bs_corpus_builder_sentence(m);
}

/* --- the end ------------------------------------------------------------- */

static void say(const bs_corpus_builder *m, long n, long line, const char *what, const char *done)
{
    char where[48] = "";
    if (line)
        bs_print(where, sizeof where, " (the first in line %ld)", line);
    if (n)
        bs_notes_add(m->r->notes, BS_NOTE_WARNING, "%s: %ld span%s %s%s: %s", m->r->name, n,
                     n == 1 ? "" : "s", what, where, done);
}

static void say_all(const bs_corpus_builder *m)
{
    say(m, m->widened, m->widened_line, "did not begin and end where words do",
        "made as long as the words");
    say(m, m->overlapping, m->overlapping_line, "lay across or inside of another",
        "left out, as a word has one tag");
    say(m, m->blank, m->blank_line, "held blanks only", "left out");
    if (m->blanked)
        bs_notes_add(m->r->notes, "blanks",
                     "%ld words hold line ends or tabs, or nothing but blanks; they are read as "
                     "blanks, or as _",
                     m->blanked);
}

static bool keep_headings(bs_corpus_builder *m, const char *const *heading, int n)
{
    bs_corpus *c = m->r->c;
    c->heading = bs_arena_alloc(&c->arena, ((size_t)n + 1) * sizeof *c->heading);
    for (int i = 0; c->heading && i < n; i++)
        c->heading[i] = keep(m, heading[i], strlen(heading[i]));
    return c->heading != NULL && !m->failed;
}

static basin_status hand_over(bs_corpus_builder *m, const char *const *heading, int n)
{
    bs_corpus *c = m->r->c;
    bs_corpus_builder_sentence(m);
    bs_buf_add(&m->columns, "\0\0\0\0\0\0\0", 8);
    if (m->failed || m->columns.failed || (heading && !keep_headings(m, heading, n)))
        return bs_fail_nomem(m->r->err);
    if (m->sentences == 0 && !(m->r->o->block && m->records > 0))
        return bs_corpus_fail(m->r, 0, 0, "there are no sentences");
    m->record[m->records].sentence = m->sentences;
    bs_free(c->text);
    c->text = m->columns.data;
    c->text_len = m->columns.len - 8;
    c->record = m->record;
    c->records = m->records;
    c->first = m->first;
    c->last = m->last;
    c->bom = false;
    m->columns.data = NULL;
    m->record = NULL;
    m->first = m->last = NULL;
    m->r->lines = (size_t)m->tokens;
    m->r->cut = (bs_cut){.tabs = true, .all = true};
    say_all(m);
    return BASIN_OK;
}

basin_status bs_corpus_builder_end(bs_corpus_builder *m, basin_status s, const char *const *heading,
                                   int n)
{
    if (!s)
        s = hand_over(m, heading, n);
    if (m->columns.data)
        bs_buf_free(&m->columns);
    bs_free(m->record);
    bs_free(m->first);
    bs_free(m->last);
    return s;
}

int bs_heading_find(const char *const *heading, int n, const char *name, size_t len)
{
    for (int i = 0; i < n; i++)
        if (strlen(heading[i]) == len && memcmp(heading[i], name, len) == 0)
            return i + 1;
    return 0;
}
