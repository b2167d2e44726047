/* format_props.c -- semantic roles in columns, as in CoNLL-2005 and CoNLL-2012.
 *
 *     Congress   NNP  -         (ARG0*)  *
 *     nominated  VBD  nominate  (V*)     *
 *     two        CD   -         (ARG1*   (ARG0*
 *     people     NNS  -         *        *)
 *     to         TO   -         *        *
 *     replace    VB   replace   *)       (V*)
 *
 * A column holds "-" or "_" for all words but predicates; for each predicate of the sentence there
 * is a column of brackets, in their order. They come last, but for columns without brackets such as
 * those of coreference. In files that number their words, words are next to the number. CoNLL-U
 * with columns behind its ten has a role at a single word ("A0" or "_"); CoNLL-U Plus names its
 * columns, and a predicate lists its spans: "A0:1-1|A1:3-8".
 *
 * Which columns these are: the number of columns minus the number of predicates must be the same
 * for all sentences. */
#include <string.h>

#include "data/text/roles_part.h"

enum { MOST_ROWS = INT32_MAX / 4, CONLLU = 10 };

typedef struct {
    const char *text, *end;
    long        line;
    size_t      cell; /* its first */
    int         n;    /* cells; 0: no word */
} props_row;

typedef struct {
    size_t  first, end; /* rows */
    int32_t words, predicates;
    int     n; /* columns */
} sentence;

typedef struct {
    bs_corpus_reading *r;
    bs_corpus_builder  m;
    props_row         *row;
    bs_cell           *cell;
    sentence          *list;
    size_t             rows, cells, row_cap, cell_cap, list_cap;
    int32_t            n;
    bool               tabs, conllu, plain; /* a role is a cell without brackets */
    bool               labelled;
    bs_role_layout     at;
    long               nested; /* brackets inside of others */
    bs_buf             scratch;
    bs_role_row        made;
} props;

static bs_cell *cells_of(const props *x, const props_row *w)
{
    return x->cell + w->cell;
}

/* ---- lines ---- */

static bool is_blank(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p == end;
}

static basin_status add_row(props *x, const char *p, const char *end, long line)
{
    const int n = bs_role_cells(p, end, x->tabs, NULL, 0);
    if (!BS_GROW(x->row, x->row_cap, x->rows + 1, MOST_ROWS) ||
        !BS_GROW(x->cell, x->cell_cap, x->cells + (size_t)n + 1, SIZE_MAX / 32))
        return bs_fail_nomem(x->r->err);
    x->row[x->rows++] = (props_row){p, end, line, x->cells, n};
    x->cells += (size_t)bs_role_cells(p, end, x->tabs, x->cell + x->cells, n);
    return BASIN_OK;
}

/* Digits, then "-" or "." and digits: no word of CoNLL-U. */
static bool is_aside(const bs_cell *c)
{
    size_t i = 0;
    while (i < c->len && c->at[i] >= '0' && c->at[i] <= '9')
        i++;
    return i > 0 && i + 1 < c->len && (c->at[i] == '-' || c->at[i] == '.') && c->at[i + 1] >= '0' &&
           c->at[i + 1] <= '9';
}

/* A line "#..." before the words of a sentence is a comment, unless it has as many cells as the
 * first line that is certainly a word. */
static void drop_comments(props *x, size_t first)
{
    size_t k = first;
    while (k < x->rows && x->row[k].text < x->row[k].end && *x->row[k].text == '#')
        k++;
    for (size_t i = first; i < k; i++)
        if (k == x->rows || x->row[i].n != x->row[k].n)
            x->row[i].n = 0;
}

static basin_status close_sentence(props *x, size_t first)
{
    sentence s = {.first = first, .end = x->rows};
    drop_comments(x, first);
    for (size_t i = first; i < x->rows; i++) {
        props_row *w = &x->row[i];
        if (w->n >= CONLLU && x->tabs && is_aside(cells_of(x, w)))
            w->n = 0;
        if (!w->n)
            continue;
        if (s.words && w->n != s.n)
            return bs_corpus_fail(x->r, w->line, 0,
                                  "%d columns, but the lines of this sentence before it have %d",
                                  w->n, s.n);
        s.n = w->n;
        s.words++;
    }
    if (s.words > x->r->o->max_length)
        return bs_corpus_fail(x->r, x->row[first].line, 0,
                              "the sentence has more than %d words; text.max_length allows more "
                              "(is the blank line between sentences missing?)",
                              x->r->o->max_length);
    if (!BS_GROW(x->list, x->list_cap, (size_t)x->n + 1, INT32_MAX))
        return bs_fail_nomem(x->r->err);
    x->list[x->n++] = s;
    return BASIN_OK;
}

/* The first line with a word tells; comments may have blanks where words have tabs. */
static bool has_tabs(const char *p, const char *stop)
{
    while (p < stop) {
        const char *nl = memchr(p, '\n', (size_t)(stop - p)), *end = nl ? nl : stop;
        if (*p != '#' && !is_blank(p, end))
            return memchr(p, '\t', (size_t)(end - p)) != NULL;
        p = nl ? nl + 1 : stop;
    }
    return false;
}

static basin_status take_lines(props *x)
{
    const bs_corpus *c = x->r->c;
    const char      *stop = c->text + c->text_len;
    basin_status     s = BASIN_OK;
    size_t           first = 0;
    long             line = 1;
    x->tabs = has_tabs(c->text, stop);
    for (const char *p = c->text; p < stop && !s; line++) {
        const char *nl = memchr(p, '\n', (size_t)(stop - p)), *end = nl ? nl : stop;
        if (end > p && end[-1] == '\r')
            end--;
        if (!is_blank(p, end)) {
            s = add_row(x, p, end, line);
        } else if (x->rows > first) {
            s = close_sentence(x, first);
            first = x->rows;
        }
        p = nl ? nl + 1 : stop;
    }
    return !s && x->rows > first ? close_sentence(x, first) : s;
}

/* ---- which columns ---- */

/* A cell of brackets: "(A0*", "*", "(V*)". */
static bool is_bracketed(const bs_cell *c)
{
    return memchr(c->at, '*', c->len) != NULL;
}

/* The words of a sentence, one after the other; *i = its first row at the beginning. */
static const bs_cell *next_word(const props *x, const sentence *s, size_t *i)
{
    while (*i < s->end && !x->row[*i].n)
        (*i)++;
    return *i < s->end ? cells_of(x, &x->row[(*i)++]) : NULL;
}

static bool all_bracketed(const props *x, const sentence *s, int column)
{
    const bs_cell *w;
    for (size_t i = s->first; (w = next_word(x, s, &i));)
        if (!is_bracketed(&w[column]))
            return false;
    return true;
}

/* Numbers 0, 1, 2 ... or 1, 2, 3 ... in every sentence. */
static bool is_numbering(const props *x, int column)
{
    for (int32_t k = 0; k < x->n; k++) {
        const sentence *s = &x->list[k];
        const bs_cell  *w;
        long long       number, next = -1;
        for (size_t i = s->first; (w = next_word(x, s, &i)); next++) {
            char text[24];
            bs_print(text, sizeof text, "%.*s", w[column].len < 20 ? (int)w[column].len : 20,
                     w[column].at);
            if (column >= s->n || !bs_parse_int(text, &number) || number < 0 ||
                (next < 0 ? number > 1 : number != next))
                return false;
            next = next < 0 ? number : next;
        }
    }
    return true;
}

static int32_t count_predicates(const props *x, const sentence *s, int column)
{
    const bs_cell *w;
    int32_t        n = 0;
    for (size_t i = s->first; (w = next_word(x, s, &i));)
        n += column < s->n && !bs_role_is_none(&w[column]);
    return n;
}

/* Columns of brackets behind `column`. */
static int brackets_after(const props *x, const sentence *s, int column, int *last)
{
    int n = 0;
    for (int k = column + 1; k < s->n; k++)
        if (all_bracketed(x, s, k)) {
            n++;
            *last = k;
        }
    return n;
}

/* Does the file have as many columns of roles as predicates everywhere, if these are in `column`
 * (from 0)? *base: the other columns. */
static bool is_labelled(const props *x, int column, int *base, int *after)
{
    bool some = false;
    *base = *after = 0;
    for (int32_t k = 0; k < x->n; k++) {
        const sentence *s = &x->list[k];
        const int32_t   p = count_predicates(x, s, column);
        int             last = 0;
        if (!s->words)
            continue;
        if (*base && s->n - p != *base)
            return false;
        *base = s->n - p;
        if (*base <= column)
            return false;
        if (p == 0)
            continue;
        if (!x->plain && (brackets_after(x, s, column, &last) < p || last - p < column))
            return false;
        last = x->plain ? s->n - 1 : last;
        *after = last + 1 - p;
        some = true;
    }
    return some;
}

static bool is_unlabelled(const props *x, int column)
{
    int  n = 0;
    bool none = false, some = false;
    for (int32_t k = 0; k < x->n; k++) {
        const int32_t p = count_predicates(x, &x->list[k], column);
        if (!x->list[k].words)
            continue;
        if ((n && x->list[k].n != n) || x->list[k].n <= column)
            return false;
        n = x->list[k].n;
        none = none || p < x->list[k].words;
        some = some || p > 0;
    }
    return none && some;
}

static int fewest_columns(const props *x)
{
    int n = 0;
    for (int32_t k = 0; k < x->n; k++)
        if (x->list[k].words && (!n || x->list[k].n < n))
            n = x->list[k].n;
    return n;
}

/* Columns without those of roles, as far as a sentence can tell. */
static int base_of(const props *x, const sentence *s, int column)
{
    return s->words ? s->n - count_predicates(x, s, column) : 0;
}

/* What most of the sentences have in common with one of the first; the first sentence that has not
 * is in error. */
static basin_status fail_ragged(const props *x, int column)
{
    enum { TRIED = 32 };
    int     base = 0;
    int32_t most = 0;
    for (int32_t k = 0; k < x->n && k < TRIED; k++) {
        const int mine = base_of(x, &x->list[k], column);
        int32_t   same = 0;
        for (int32_t i = 0; i < x->n && mine; i++)
            same += base_of(x, &x->list[i], column) == mine;
        base = same > most ? mine : base;
        most = same > most ? same : most;
    }
    for (int32_t k = 0; k < x->n; k++) {
        const sentence *s = &x->list[k];
        const int32_t   p = count_predicates(x, s, column);
        size_t          i = s->first;
        if (!s->words || s->n - p == base)
            continue;
        next_word(x, s, &i);
        return bs_corpus_fail(x->r, x->row[i - 1].line, 0,
                              "%d column%s of roles for %d predicate%s in column %d; every "
                              "predicate needs one",
                              s->n - base, s->n - base == 1 ? "" : "s", (int)p, p == 1 ? "" : "s",
                              column + 1);
    }
    return bs_corpus_fail(x->r, 0, 0,
                          "the columns behind column %d, of predicates, are not of roles such as "
                          "(ARG0*, * and *)",
                          column + 1);
}

/* "# global.columns = ID FORM ...": those with words, predicates and spans. */
static basin_status named_columns(props *x)
{
    static const char key[] = "# global.columns";
    const char       *p = x->rows ? x->row[0].text : "", *end = x->rows ? x->row[0].end : p;
    bs_cell           cell[BS_MOST_CELLS];
    if ((size_t)(end - p) < sizeof key || memcmp(p, key, sizeof key - 1) != 0)
        return BASIN_OK;
    const int n = bs_role_cells(p, end, false, cell, BS_MOST_CELLS);
    int       heads = 0;
    for (int i = 3; i < n && i < BS_MOST_CELLS; i++) {
        if (bs_role_cell_is(&cell[i], "FORM"))
            x->at.word = i - 2;
        if (bs_role_cell_is(&cell[i], "UP:PRED") || bs_role_cell_is(&cell[i], "UP:PREDS"))
            x->at.predicate = i - 2;
        if (bs_role_cell_is(&cell[i], "UP:ARGSPANS"))
            x->at.spans = i - 2;
        if (bs_role_cell_is(&cell[i], "UP:ARGHEADS"))
            heads = i - 2;
    }
    if (!x->at.spans)
        x->at.spans = heads;
    if (!x->at.word || !x->at.predicate)
        return bs_corpus_fail(x->r, x->row[0].line, 0,
                              "the named columns have no %s; roles need FORM, UP:PRED and "
                              "UP:ARGSPANS",
                              x->at.word ? "UP:PRED" : "FORM");
    return BASIN_OK;
}

static basin_status find_word(props *x)
{
    const int few = fewest_columns(x);
    x->at.word = x->r->o->word_column;
    for (int k = 0; k < 4 && k + 1 < few && !x->at.word; k++)
        if (is_numbering(x, k))
            x->at.word = k + 2;
    x->at.word = x->at.word ? x->at.word : 1;
    if (x->at.word <= few)
        return BASIN_OK;
    return bs_corpus_fail(x->r, 0, 0, "%d column%s; %s asks for column %d", few,
                          few == 1 ? "" : "s", x->r->o->who ? x->r->o->who : "--word-column",
                          x->at.word);
}

/* The last column that fits, given how later ones look. */
static void guess_predicate(props *x, int few)
{
    int base, after;
    for (int k = few - 1; k >= x->at.word && !x->at.predicate; k--)
        if (is_labelled(x, k, &base, &after))
            x->at.predicate = k + 1;
    for (int k = few - 1; k >= x->at.word && !x->at.predicate && x->r->o->label_free; k--)
        if (is_unlabelled(x, k))
            x->at.predicate = k + 1;
}

static basin_status fail_missing(const props *x, int few)
{
    for (int k = few - 1; k >= x->at.word; k--) {
        int32_t predicates = 0, words = 0;
        for (int32_t i = 0; i < x->n; i++) {
            predicates += count_predicates(x, &x->list[i], k);
            words += x->list[i].words;
        }
        int last;
        if (predicates > 0 && predicates < words && x->n &&
            brackets_after(x, &x->list[0], k, &last) > 0)
            return fail_ragged(x, k);
    }
    return bs_corpus_fail(x->r, 0, 0,
                          "no column of predicates: it holds - for all other words, and columns "
                          "of roles such as (ARG0*, * and *) follow, one for each predicate of the "
                          "sentence; text.predicate_column names it");
}

static basin_status find_predicate(props *x)
{
    const char *want = x->r->o->predicate_column;
    const int   few = fewest_columns(x);
    long long   number = 0;
    if (strcmp(want, "auto") != 0 &&
        (!bs_parse_int(want, &number) || number < 1 || number > BS_MOST_CELLS))
        return bs_fail(x->r->err, BASIN_EARG,
                       "text.predicate_column: '%s' is not auto or a number from 1 to %d", want,
                       (int)BS_MOST_CELLS);
    if (number == x->at.word)
        return bs_fail(x->r->err, BASIN_EARG, "text.predicate_column: column %d holds the words",
                       x->at.word);
    if (number > few)
        return bs_corpus_fail(x->r, 0, 0, "%d column%s; %s asks for predicates in column %lld", few,
                              few == 1 ? "" : "s",
                              x->r->o->who ? x->r->o->who : "text.predicate_column", number);
    x->at.predicate = (int)number;
    if (!number)
        guess_predicate(x, few);
    x->plain = x->conllu && !x->at.predicate;
    if (x->plain)
        guess_predicate(x, few);
    return x->at.predicate ? BASIN_OK : fail_missing(x, few);
}

/* In later blocks of a file the other columns are known. */
static basin_status find_roles(props *x, const bs_role_layout *before)
{
    int base, after;
    x->plain = false;
    x->labelled = is_labelled(x, x->at.predicate - 1, &base, &after);
    if (!x->labelled && x->conllu) {
        x->plain = true;
        x->labelled = is_labelled(x, x->at.predicate - 1, &base, &after);
    }
    if (before && before->base && x->labelled && base != before->base)
        return fail_ragged(x, x->at.predicate - 1);
    if (!x->labelled) {
        bool predicates = false, same = true;
        base = fewest_columns(x);
        for (int32_t k = 0; k < x->n; k++) {
            predicates = predicates || count_predicates(x, &x->list[k], x->at.predicate - 1);
            same = same && (!x->list[k].words || x->list[k].n == base);
        }
        if (!same || (predicates && !x->r->o->label_free))
            return fail_ragged(x, x->at.predicate - 1);
        after = base;
    }
    x->at.base = base;
    x->at.after = after;
    return BASIN_OK;
}

static basin_status choose_columns(props *x)
{
    const bs_corpus_block *block = x->r->o->block;
    const bs_role_layout  *before =
        block && block->begun && block->roles.after ? &block->roles : NULL;
    basin_status s = BASIN_OK;
    if (before)
        x->at = *before;
    else
        s = named_columns(x);
    if (s || x->n == 0)
        return s;
    if (x->at.spans || (!before && x->at.predicate)) {
        const int few = fewest_columns(x);
        x->at.base = x->at.after = few;
        x->labelled = x->at.spans > 0;
        return few && (few < x->at.word || few < x->at.predicate || few < x->at.spans)
                   ? bs_corpus_fail(x->r, 0, 0, "%d columns, fewer than were named", few)
                   : s;
    }
    if (fewest_columns(x) == 0)
        return BASIN_OK;
    if (!before)
        s = find_word(x);
    x->conllu = x->at.word == 2 && x->tabs && fewest_columns(x) > CONLLU;
    if (!s && !before)
        s = find_predicate(x);
    return s ? s : find_roles(x, before);
}

/* ---- roles ---- */

static basin_status fail_role(const props *x, const props_row *w, const bs_cell *c, const char *why)
{
    return bs_corpus_fail(x->r, w->line, (size_t)(c->at - w->text) + 1, "'%.*s': %s",
                          c->len < 40 ? (int)c->len : 40, c->at, why);
}

/* What is open while a column is read. */
typedef struct {
    bs_cell          role; /* the outermost */
    int              depth;
    const props_row *where;
    const bs_cell   *cell;
} opened;

static basin_status take_brackets(props *x, const props_row *w, const bs_cell *c, int32_t t,
                                  opened *o)
{
    static const char how[] = "a cell of roles is such as (ARG0*, *, *) or (V*)";
    const char       *p = c->at, *end = p + c->len;
    x->made.begin[t] = false;
    while (p < end && *p == '(') {
        const char *from = ++p;
        while (p < end && !strchr("(*)", *p))
            p++;
        if (p == from)
            return fail_role(x, w, c, how);
        if (o->depth++ == 0) {
            *o = (opened){{from, (size_t)(p - from)}, 1, w, c};
            x->made.begin[t] = true;
        } else {
            x->nested++;
        }
    }
    if (p == end || *p++ != '*')
        return fail_role(x, w, c, how);
    x->made.role[t] = o->depth ? o->role : (bs_cell){p, 0};
    while (p < end) { /* "*)", or with its role "*ARG0)" */
        while (p < end && !strchr("(*)", *p))
            p++;
        if (p == end || *p != ')')
            return fail_role(x, w, c, how);
        if (o->depth-- == 0)
            return fail_role(x, w, c, "a bracket is closed that was not opened");
        p++;
    }
    return BASIN_OK;
}

static basin_status read_column(props *x, const sentence *s, int column)
{
    opened         o = {.depth = 0};
    basin_status   status = BASIN_OK;
    const bs_cell *w;
    int32_t        t = 0;
    for (size_t i = s->first; !status && (w = next_word(x, s, &i)); t++) {
        const bs_cell *c = &w[column];
        x->made.role[t] = x->plain && !bs_role_is_none(c) ? *c : (bs_cell){c->at, 0};
        x->made.begin[t] = true;
        if (!x->plain)
            status = take_brackets(x, &x->row[i - 1], c, t, &o);
    }
    if (!status && o.depth > 0)
        status = fail_role(x, o.where, o.cell, "its bracket is not closed in this sentence");
    return status;
}

/* "A0:1-1|A1:3-8" */
static basin_status read_spans(props *x, const sentence *s, const props_row *w)
{
    const bs_cell *c = &cells_of(x, w)[x->at.spans - 1];
    memset(x->made.role, 0, (size_t)s->words * sizeof *x->made.role);
    for (const char *p = c->at, *end = p + c->len; p < end && !bs_role_is_none(c);) {
        const char *stop = memchr(p, '|', (size_t)(end - p)), *colon;
        char        number[24];
        long long   first, last;
        stop = stop ? stop : end;
        for (colon = stop; colon > p && *colon != ':';)
            colon--;
        const size_t len = (size_t)(stop - colon);
        bs_print(number, sizeof number, "%.*s", len > 1 && len < 22 ? (int)len - 1 : 0, colon + 1);
        char *dash = strchr(number, '-');
        if (dash)
            *dash = '\0';
        if (colon == p || !bs_parse_int(number, &first) ||
            !bs_parse_int(dash ? dash + 1 : number, &last) || first < 1 || last < first ||
            last > s->words)
            return fail_role(x, w, c, "spans are such as A0:1-1|A1:3-8, in numbers of words");
        long long i = first - 1;
        while (i < last && !x->made.role[i].len)
            i++;
        x->nested += i < last;
        for (i = i < last ? last : first - 1; i < last; i++) {
            x->made.role[i] = (bs_cell){p, (size_t)(colon - p)};
            x->made.begin[i] = i == first - 1;
        }
        p = stop + (stop < end);
    }
    return BASIN_OK;
}

/* The lines without their roles: roles.c reads them. */
static void keep_lines(props *x, const sentence *s, int32_t roles)
{
    bs_buf *out = &x->scratch;
    bs_buf_clear(out);
    bs_buf_add(out, "", 0);
    for (size_t i = s->first; i < s->end; i++) {
        const props_row *w = &x->row[i];
        bs_buf_text(out, w->n ? "=" : "#");
        if (!w->n || !roles)
            bs_buf_add(out, w->text, (size_t)(w->end - w->text));
        for (int k = 0, first = true; k < w->n && roles; k++) {
            if (k >= x->at.after && k < x->at.after + roles)
                continue;
            bs_buf_text(out, first ? "" : x->tabs ? "\t" : " ");
            bs_buf_add(out, cells_of(x, w)[k].at, cells_of(x, w)[k].len);
            first = false;
        }
        bs_buf_text(out, "\n");
    }
}

static basin_status put_sentence(props *x, const sentence *s)
{
    const int32_t  p = count_predicates(x, s, x->at.predicate - 1);
    const bool     columns = x->labelled && !x->at.spans;
    const bs_cell *w;
    int32_t        n = 0, k = 0;
    size_t         first = s->first;
    basin_status   status = BASIN_OK;
    while (first + 1 < s->end && !x->row[first].n)
        first++;
    keep_lines(x, s, columns ? p : 0);
    if (x->scratch.failed || !bs_role_row_room(&x->made, (size_t)s->words))
        return bs_fail_nomem(x->r->err);
    bs_corpus_builder_record(&x->m, NULL, 0, x->scratch.data, NULL, x->row[first].line);
    for (size_t i = s->first; (w = next_word(x, s, &i));) {
        x->made.word[n++] = w[x->at.word - 1];
        if (w[x->at.word - 1].len == 0)
            return bs_corpus_fail(x->r, x->row[first].line, 0, "word %d of the sentence is empty",
                                  (int)n);
    }
    n = 0;
    for (size_t i = s->first; p && !status && (w = next_word(x, s, &i)); n++) {
        if (bs_role_is_none(&w[x->at.predicate - 1]))
            continue;
        if (x->labelled)
            status = x->at.spans ? read_spans(x, s, &x->row[i - 1])
                                 : read_column(x, s, x->at.after + k++);
        if (!status)
            bs_role_put_row(&x->m, &x->made, n, x->labelled, &x->scratch);
    }
    return status;
}

static void free_props(props *x)
{
    bs_free(x->row);
    bs_free(x->cell);
    bs_free(x->list);
    bs_role_row_free(&x->made);
    bs_buf_free(&x->scratch);
}

static basin_status read_props(bs_corpus_reading *r)
{
    props x = {.r = r};
    bs_corpus_builder_begin(&x.m, r);
    bs_buf_init(&x.scratch, (size_t)1 << 30);
    basin_status s = take_lines(&x);
    if (!s)
        s = choose_columns(&x);
    for (int32_t k = 0; k < x.n && !s; k++)
        s = put_sentence(&x, &x.list[k]);
    if (!s && x.n == 0 && !r->o->block && !x.m.failed)
        s = bs_corpus_fail(r, 0, 0, "there are no sentences");
    if (!s)
        s = bs_role_check_rows(&x.m);
    r->c->roles = x.at;
    if (!s && x.at.predicate)
        bs_notes_add(r->notes, "format",
                     "semantic roles: words in column %d, predicates in column %d "
                     "(--word-column, text.predicate_column), %s",
                     x.at.word, x.at.predicate,
                     !x.labelled  ? "no roles"
                     : x.at.spans ? "spans listed by their numbers"
                     : x.plain    ? "roles of single words"
                                  : "roles in brackets");
    if (x.nested)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%ld roles overlap another of the same predicate and are left out: a "
                     "word has one role for each predicate",
                     x.nested);
    s = bs_corpus_builder_end(&x.m, s, NULL, 0);
    free_props(&x);
    return s;
}

/* ---- recognising ---- */

/* Columns of brackets for every predicate, in whole sentences; the last may be cut off. */
static int sniff(const char *head, size_t n, const char *path)
{
    bs_corpus_options o = {.max_length = 100000, .predicate_column = "auto"};
    bs_corpus         text = {.text_len = n};
    basin_error       unused;
    bs_corpus_reading r = {.o = &o, .c = &text, .name = path, .err = &unused};
    props             x = {.r = &r};
    int               sure = 0;
    const char       *cut = head + n;
    while (n >= 60000 && cut > head + 2 && !(cut[-1] == '\n' && cut[-2] == '\n'))
        cut--;
    if (memchr(head, '*', n) == NULL && memchr(head, '#', n) == NULL && !strstr(path, ".conllu"))
        return 0;
    text.text = (char *)(uintptr_t)head;
    text.text_len = n >= 60000 && cut > head + 2 ? (size_t)(cut - head) : n;
    basin_status s = take_lines(&x);
    if (!s)
        s = choose_columns(&x);
    if (!s && x.labelled && (!x.plain || fewest_columns(&x) > CONLLU))
        sure = 98;
    free_props(&x);
    return s == BASIN_ENOMEM ? -1 : sure;
}

const bs_corpus_format bs_corpus_format_props = {
    .name = "props",
    .help = "semantic roles in columns of CoNLL-2005, 2012 and CoNLL-U Plus: (ARG0* *)",
    .ending = ".conll",
    .roles = true,
    .unit = 's',
    .sniff = sniff,
    .read = read_props,
    .write = bs_props_write,
};
