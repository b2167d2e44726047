/* arff_header.c -- @relation, @attribute and @data.
 *
 * Keywords are case-insensitive, white space is free, names may be quoted either
 * way. A '%' opens a comment only at the start of a line: real files have names
 * such as 0point02%_MMS. */
#include <string.h>

#include "data/rows/arff.h"
#include "data/scan.h"

void bs_arff_free(arff_header *h)
{
    for (int32_t i = 0; i < h->n; i++)
        bs_names_free(&h->attribute[i].values);
    bs_free(h->attribute);
    bs_names_free(&h->names);
    bs_names_free(&h->classes.names);
    bs_free(h->classes.start);
    bs_free(h->classes.up);
}

/* --- words --------------------------------------------------------------- */

const char *bs_arff_word(const char *p, const char *stops, arff_word *word)
{
    *word = (arff_word){.text = p};
    if (*p == '\'' || *p == '"') {
        char quote = *p++;
        word->text = p;
        word->quoted = true;
        for (; *p && *p != quote; p++)
            if (*p == '\\' && p[1]) {
                word->escaped = true;
                p++;
            }
        word->len = (size_t)(p - word->text);
        return *p ? p + 1 : NULL;
    }
    for (; *p && !strchr(stops, *p); p++)
        word->escaped = word->escaped || *p == '\\';
    word->len = bs_trim(word->text, (size_t)(p - word->text));
    return p;
}

size_t bs_arff_unescape(const arff_word *word, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < word->len; i++) {
        char c = word->text[i], next = i + 1 < word->len ? word->text[i + 1] : '\0';
        if (c == '\\' && next && (word->quoted || strchr("'\"\\%, {}", next))) {
            i++;
            c = next;
            if (word->quoted)
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
        }
        out[n++] = c;
    }
    return n;
}

/* The word as a name: unescaped, in UTF-8, in the arena. */
static const char *clean_name(bs_reading *r, arff_header *h, const arff_word *word)
{
    bs_arena *arena = &r->b->ds->arena;
    bool      latin1;
    char     *text = bs_arena_copy(arena, word->text, word->len);
    if (!text)
        return NULL;
    size_t      n = word->escaped ? bs_arff_unescape(word, text) : word->len;
    const char *name = bs_to_utf8(arena, text, n, &latin1);
    h->n_latin1 += name && latin1;
    if (name && word->escaped && (n != word->len || memcmp(text, word->text, n) != 0)) {
        h->n_escaped++;
        h->escaped = name;
    }
    return name;
}

static size_t column_of(const bs_line *line, const char *p)
{
    return (size_t)(p - line->text) + 1;
}

/* --- @attribute ---------------------------------------------------------- */

static basin_status parse_values(bs_reading *r, const bs_line *line, const char *p,
                                 arff_attribute *a)
{
    const char *open = p++;
    bs_names_init(&a->values, &r->b->ds->arena);
    a->type = ARFF_NOMINAL;
    for (;;) {
        arff_word word;
        p = bs_skip_blanks(p);
        if (*p == '}' && a->values.n == 0)
            break;
        const char *start = p;
        p = bs_arff_word(p, ",}", &word);
        if (!p)
            return bs_error_at(r, line->number, column_of(line, start),
                               "the quote of a value of '%s' is not closed", a->name);
        if (!word.len && !word.quoted)
            return bs_error_at(r, line->number, column_of(line, start),
                               *p ? "attribute '%s' has an empty value; quote it as ''"
                                  : "the values of '%s' have no closing }",
                               a->name);
        char *text = bs_arena_copy(&r->b->ds->arena, word.text, word.len);
        bool  fresh;
        if (!text)
            return bs_fail_nomem(r->err);
        size_t n = word.escaped ? bs_arff_unescape(&word, text) : word.len;
        if (bs_names_add(&a->values, text, n, &fresh) < 0)
            return bs_fail_nomem(r->err);
        if (!fresh)
            return bs_error_at(r, line->number, column_of(line, start),
                               "attribute '%s' has the value '%.*s' twice", a->name,
                               bs_show(text, n), text);
        p = bs_skip_blanks(p);
        if (*p == '}')
            break;
        if (*p != ',')
            return bs_error_at(r, line->number, column_of(line, *p ? p : open),
                               *p ? "expected , or } after a value of '%s'"
                                  : "the values of '%s' have no closing }",
                               a->name);
        p++;
    }
    if (a->values.n == 0)
        return bs_error_at(r, line->number, column_of(line, open),
                           "attribute '%s' has no values; write {0,1} or numeric", a->name);
    p = bs_skip_blanks(p + 1);
    if (*p && *p != '%')
        return bs_error_at(r, line->number, column_of(line, p),
                           "unexpected text after the values of '%s'", a->name);
    return BASIN_OK;
}

static basin_status parse_type(bs_reading *r, arff_header *h, const bs_line *line, const char *p,
                               arff_attribute *a)
{
    if (*p == '{')
        return parse_values(r, line, p, a);
    arff_word   word;
    const char *end = bs_arff_word(p, " \t", &word);
    const char *rest = end ? bs_skip_blanks(end) : p;
    if (!end || !word.len)
        return bs_error_at(r, line->number, column_of(line, p),
                           "attribute '%s' has no type; write numeric, string, date or {values}",
                           a->name);
    static const struct {
        const char *word;
        arff_type   type;
    } types[] = {{"numeric", ARFF_NUMBER},        {"real", ARFF_NUMBER}, {"integer", ARFF_NUMBER},
                 {"string", ARFF_STRING},         {"key", ARFF_STRING},  {"date", ARFF_DATE},
                 {"hierarchical", ARFF_HIERARCHY}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!bs_same_word(word.text, word.len, types[i].word))
            continue;
        a->type = types[i].type;
        if (a->type == ARFF_HIERARCHY) {
            if (h->hierarchy >= 0)
                return bs_error_at(r, line->number, 0,
                                   "a second hierarchical attribute, '%s' after '%s'", a->name,
                                   h->attribute[h->hierarchy].name);
            h->hierarchy = h->n;
            return bs_arff_hierarchy(r, h, rest, line->number);
        }
        if (*rest && *rest != '%' && *rest != '[' && a->type != ARFF_DATE)
            return bs_error_at(r, line->number, column_of(line, rest),
                               "unexpected text after the type of '%s'", a->name);
        return BASIN_OK;
    }
    if (bs_same_word(word.text, word.len, "relational"))
        return bs_error_at(r, line->number, column_of(line, p),
                           "attribute '%s' is relational: multi-instance data is not supported",
                           a->name);
    return bs_error_at(
        r, line->number, column_of(line, p),
        "'%.*s' is not a type; attribute '%s' needs numeric, string, date or {values}",
        bs_show(word.text, word.len), word.text, a->name);
}

enum { MOST_TWINS = 1000 };

/* Repeated names get a number, as they would otherwise be one feature. */
static basin_status unique_name(bs_reading *r, arff_header *h, arff_attribute *a)
{
    bs_buf       text;
    basin_status s = BASIN_OK;
    bool         fresh = false;
    bs_buf_init(&text, (size_t)1 << 28);
    bs_buf_text(&text, a->name);
    for (int k = 2; !s && !fresh; k++) {
        const int32_t i = text.failed ? -1 : bs_names_add(&h->names, text.data, text.len, &fresh);
        if (i < 0)
            s = bs_fail_nomem(r->err);
        else if (!fresh && k > MOST_TWINS)
            s = bs_error_at(r, a->line, 0, "more than %d attributes are named '%.60s'",
                            (int)MOST_TWINS, a->name);
        else if (!fresh) {
            h->n_renamed += k == 2;
            a->renamed = true;
            bs_buf_clear(&text);
            bs_buf_printf(&text, "%s#%d", a->name, k);
        } else {
            a->name = h->names.item[i].text;
        }
    }
    bs_buf_free(&text);
    return s;
}

static basin_status parse_attribute(bs_reading *r, arff_header *h, const bs_line *line,
                                    const char *p)
{
    arff_attribute a = {.line = line->number, .one = -1};
    arff_word      word;
    const char    *start = p, *end = bs_arff_word(p, " \t{", &word);
    if (!end)
        return bs_error_at(r, line->number, column_of(line, start),
                           "the quote of the attribute's name is not closed");
    if (!word.len)
        return bs_error_at(r, line->number, column_of(line, start), "the attribute has no name");
    if (h->n >= r->o->max_features)
        return bs_error_at(r, line->number, 0,
                           "more than %d attributes; data.max_features "
                           "allows more",
                           r->o->max_features);
    a.name = clean_name(r, h, &word);
    a.raw = bs_arena_copy(&r->b->ds->arena, word.text, word.len);
    if (!a.name || !a.raw)
        return bs_fail_nomem(r->err);
    basin_status s = unique_name(r, h, &a);
    if (!s && !BS_GROW(h->attribute, h->cap, (size_t)h->n + 1, INT32_MAX))
        s = bs_fail_nomem(r->err);
    if (!s)
        s = parse_type(r, h, line, bs_skip_blanks(end), &a);
    if (s)
        bs_names_free(&a.values);
    else
        h->attribute[h->n++] = a;
    return s;
}

/* --- the lines ----------------------------------------------------------- */

static basin_status parse_relation(bs_reading *r, arff_header *h, const char *p)
{
    arff_word word;
    if (h->relation)
        return BASIN_OK;
    if (!bs_arff_word(p, "", &word)) /* an unclosed quote, or a name such as 5' UTR */
        word = (arff_word){.text = p, .len = strlen(p)};
    h->relation = bs_arena_copy(&r->b->ds->arena, word.text, word.len);
    return h->relation ? BASIN_OK : bs_fail_nomem(r->err);
}

static basin_status parse_line(bs_reading *r, arff_header *h, const bs_line *line, bool *done)
{
    const char *p = bs_skip_blanks(line->text);
    if (strlen(line->text) != line->len)
        return bs_error_at(r, line->number, strlen(line->text) + 1, "a NUL byte in a text file");
    if (!*p || *p == '%')
        return BASIN_OK;
    size_t      n = strcspn(p, " \t");
    const char *rest = bs_skip_blanks(p + n);
    if (bs_same_word(p, n, "@relation"))
        return parse_relation(r, h, rest);
    if (bs_same_word(p, n, "@attribute"))
        return parse_attribute(r, h, line, rest);
    if (bs_same_word(p, n, "@data")) {
        h->data_line = line->number;
        *done = true;
        return BASIN_OK;
    }
    return bs_error_at(r, line->number, column_of(line, p),
                       "expected @relation, @attribute or @data, found '%.*s'", bs_show(p, n), p);
}

basin_status bs_arff_header(bs_reading *r, arff_header *h)
{
    *h = (arff_header){.hierarchy = -1};
    bs_names_init(&h->names, &r->b->ds->arena);
    bs_names_init(&h->classes.names, &r->b->ds->arena);
    bs_line      line;
    long         last = 0;
    bool         more = true, done = false;
    basin_status s = BASIN_OK;
    while (!s && !done) {
        s = bs_reading_line(r, &line, &more);
        if (!s && !more)
            s = bs_error_at(r, last, 0, "the file ends before @data");
        if (!s) {
            last = line.number;
            s = parse_line(r, h, &line, &done);
        }
    }
    if (!s && h->n == 0)
        s = bs_error_at(r, h->data_line, 0, "@data without any @attribute before it");
    if (s)
        return s;
    if (h->n_escaped)
        bs_notes_add(r->notes, "escaped",
                     "%d names have escaped characters, '%s' for one: matched "
                     "as written and unescaped",
                     h->n_escaped, h->escaped);
    if (h->n_latin1)
        bs_notes_add(r->notes, "encoding", "%d names are not UTF-8 and were read as Latin-1",
                     h->n_latin1);
    if (h->n_renamed)
        bs_notes_add(r->notes, "repeated names",
                     "%d attributes share the name of another: #2 was added", h->n_renamed);
    return BASIN_OK;
}
