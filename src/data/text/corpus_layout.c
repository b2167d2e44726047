/* corpus_layout.c -- what a file consists of: encoding, format, cells, columns. */
#include <string.h>

#include "base/utf8.h"
#include "data/text/making.h"

/* --- the bytes ----------------------------------------------------------- */

static basin_status fail_byte(const bs_corpus_reading *r, const char *at)
{
    const char *text = r->c->text, *start = text;
    long        line = 1;
    for (const char *p = text; p < at; p++)
        if (*p == '\n') {
            line++;
            start = p + 1;
        }
    size_t column = (size_t)(at - start) + 1;
    if (*at == '\0')
        return bs_corpus_fail(r, line, column, "a NUL byte in a text file");
    return bs_corpus_fail(r, line, column, BS_NOT_UTF8, (unsigned char)*at);
}

/* The top bit of every byte that is zero; exact. */
static uint64_t zero_bytes(uint64_t x)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    return ~(((x & low) + low) | x | low);
}

basin_status bs_corpus_survey(bs_corpus_reading *r)
{
    const uint64_t ones = 0x0101010101010101u;
    const char    *p = r->c->text, *end = p + r->c->text_len;
    bool           fresh = true; /* at the start of a line */
    r->ascii = true;
    r->lines = 1;
    while (p < end) {
        uint64_t x = bs_load8(p);
        if (end - p >= 8 && !(x & ones * 0x80) && !zero_bytes(x)) {
            uint64_t ends = zero_bytes(x ^ ones * '\n');
            uint64_t found = (ends & ~(ends << 8 | (fresh ? 0x80u : 0u))) >> 7;
            r->lines += (size_t)(found * ones >> 56); /* the sum of the bytes */
            fresh = ends >> 63;
            p += 8;
            continue;
        }
        size_t n = *p ? bs_utf8_len(p, (size_t)(end - p)) : 0;
        if (n == 0)
            return fail_byte(r, p);
        r->ascii = r->ascii && n == 1;
        r->lines += *p == '\n' && !fresh;
        fresh = *p == '\n';
        p += n;
    }
    return BASIN_OK;
}

/* --- format -------------------------------------------------------------- */

static bool has_hash_lines(const char *text, const char *end)
{
    const char *p = memchr(text, '#', (size_t)(end - text));
    for (; p; p = memchr(p + 1, '#', (size_t)(end - p - 1)))
        if ((p == text || p[-1] == '\n') && bs_is_hash_line(p, end))
            return true;
    return false;
}

basin_status bs_corpus_take(bs_corpus_reading *r, const bs_corpus_format *format)
{
    r->format = format;
    r->c->format = format->name;
    return format->read ? format->read(r) : BASIN_OK;
}

/* Columns or plain text: decides which, and how lines are split. */
static void choose_lines(bs_corpus_reading *r)
{
    bs_corpus             *c = r->c;
    const char            *p = c->text, *end = p + c->text_len, *format = r->o->format;
    bool                   guess = strcmp(format, "auto") == 0;
    const bs_corpus_block *block = r->o->block;
    if (block && block->begun && strcmp(format, "text") != 0) {
        c->format = bs_corpus_format_find(format)->name;
        r->cut = (bs_cut){.tabs = block->tabs, .conllu = strcmp(format, "conllu") == 0};
        c->comments = !r->cut.conllu && block->columns > 1;
        r->cut.columns = c->comments ? block->columns : 0;
        return;
    }
    if (strcmp(format, "conllu") == 0 || (guess && bs_corpus_looks_conllu(p, end))) {
        c->format = "conllu";
        r->cut = (bs_cut){.tabs = true, .conllu = true};
        return;
    }
    c->format = strcmp(format, "text") == 0 ? "text" : "conll";
    if (strcmp(format, "text") == 0)
        return;
    /* scanning all lines takes time; most files do not need it */
    guess = guess && r->o->label_free && !bs_corpus_named(r->name);
    bs_corpus_look look = {0}, tabs = {0};
    if (guess || has_hash_lines(p, end))
        look = bs_corpus_look_at(r, false);
    if (memchr(p, '\t', c->text_len))
        tabs = bs_corpus_look_at(r, true);
    r->cut.tabs = tabs.usual > 1 && tabs.most == tabs.lines &&
                  (!tabs.comments || look.comments || look.most < look.lines);
    if (guess && !r->cut.tabs) {
        bool sure;
        c->format = bs_corpus_looks_plain(&look, r->o, &sure) ? "text" : "conll";
        r->guessed = !sure;
    }
    if (r->cut.tabs)
        look = tabs;
    if (look.comments && strcmp(c->format, "conll") == 0) {
        r->comments = look.comments;
        r->cut.columns = look.usual;
        c->comments = true;
    }
}

basin_status bs_corpus_choose(bs_corpus_reading *r)
{
    const char             *format = r->o->format;
    const bs_corpus_format *f = bs_corpus_format_find(format);
    if (f && f->roles != r->o->roles)
        return bs_fail(r->err, BASIN_EARG, "text.format: %s is %s semantic roles", format,
                       f->roles ? "for" : "not for");
    if (strcmp(format, "auto") == 0 &&
        bs_corpus_recognise(r->c->text, r->c->text_len, r->name, r->o->roles, &f) < 0)
        return bs_fail_nomem(r->err);
    if (!f && r->o->roles) { /* which says what is missing */
        const char *p = r->c->text + strspn(r->c->text, " \t\r\n");
        f = bs_corpus_format_find(*p == '{' || *p == '[' ? "predicates" : "props");
    }
    if (f && f->read)
        return bs_corpus_take(r, f);
    choose_lines(r);
    f = bs_corpus_format_find(r->c->format);
    if (strcmp(f->name, "text") == 0 && strcmp(r->o->tokens, "rules") == 0)
        f = bs_corpus_format_find("raw");
    return bs_corpus_take(r, f);
}

/* --- columns ------------------------------------------------------------- */

static basin_status fail_column(const bs_corpus_reading *r, long line, const char *option,
                                long long number, int n)
{
    return bs_corpus_fail(r, line, 0, "%d column%s; %s asks for column %lld", n, n == 1 ? "" : "s",
                          r->o->who ? r->o->who : option, number);
}

enum { FORM = 2, UPOS = 4, MISC = BS_CONLLU_MISC };

static bool is_empty(const bs_cell *cell)
{
    return cell->len == 1 && *cell->at == '_';
}

/* CoNLL-U has no column for spans: they are looked for in the last one, "Tag=B-PER", if the fourth
 * is empty. column 0: chooses; MISC: it was requested. *misc: tags are among items such as
 * "SpaceAfter=No|Tag=B-PER". */
static int conllu_tags(const bs_corpus_reading *r, int column, bool *misc)
{
    const char *p = r->c->text, *end = p + r->c->text_len;
    bs_corpus   last = {.format = "conllu", .tag_column = MISC, .misc = true};
    bool        fourth = false, tagged = false, bare = false;
    bs_row      row;
    for (; p < end; p = row.next) {
        bs_row_scan(p, end, r->cut, &row);
        if (row.kind != BS_LINE_TOKEN || row.n != MISC)
            continue;
        const bs_cell *cell = &row.cell[MISC - 1];
        fourth = fourth || !is_empty(&row.cell[UPOS - 1]);
        tagged = tagged || bs_corpus_tag_cell(&last, &row).len > 0;
        bare = bare || !(is_empty(cell) || memchr(cell->at, '=', cell->len));
    }
    *misc = tagged ? column || !fourth : column && !bare;
    return column ? column : *misc ? MISC : UPOS;
}

/* A model trained on other columns does not know those of CoNLL-U. */
static bool is_foreign(const bs_corpus_reading *r)
{
    return r->cut.conllu && r->o->columns && r->o->columns != MISC && r->o->word_column != FORM;
}

static basin_status tag_column(const bs_corpus_reading *r, int n, long line)
{
    bs_corpus  *c = r->c;
    const char *want = r->o->tag_column;
    long long   number = 0;
    bool        given = bs_parse_int(want, &number);
    if (r->o->block && r->o->block->begun) {
        c->tag_column = r->o->block->tag_column;
        c->misc = r->o->block->misc;
        return BASIN_OK;
    }
    if (is_foreign(r))
        number = r->o->spans ? MISC : UPOS;
    if (strcmp(want, "auto") == 0)
        c->tag_column = r->cut.conllu                  ? conllu_tags(r, 0, &c->misc)
                        : n > 1 && c->word_column != n ? n
                                                       : 0;
    else if (strcmp(want, "last") == 0)
        c->tag_column = n;
    else if (strcmp(want, "none") != 0 && (!given || number < 1 || number > BS_MOST_CELLS))
        return bs_fail(r->err, BASIN_EARG,
                       "--tag-column: '%s' is not auto, last, none or a number from 1 to %d", want,
                       (int)BS_MOST_CELLS);
    if (given && number > n && !r->o->label_free)
        return fail_column(r, line, "--tag-column", number, n);
    if (given && number <= n)
        c->tag_column = (int)number;
    if (r->cut.conllu && c->tag_column == MISC && !c->misc)
        conllu_tags(r, MISC, &c->misc);
    if (c->tag_column == c->word_column) {
        if (!r->o->label_free || given)
            return bs_corpus_fail(r, line, 0,
                                  "column %d cannot hold both words and tags (--word-column, "
                                  "--tag-column)",
                                  c->word_column);
        c->tag_column = 0;
    }
    if (!c->tag_column && !r->o->label_free)
        return bs_corpus_fail(r, line, 0, "%d column%s and no tags (--tag-column is %s)", n,
                              n == 1 ? "" : "s", want);
    return BASIN_OK;
}

static basin_status add_feature(const bs_corpus_reading *r, int number, long line)
{
    bs_corpus *c = r->c;
    if (c->columns == BS_MOST_COLUMNS)
        return bs_corpus_fail(r, line, 0,
                              "more than %d columns of features; --feature-columns chooses",
                              (int)BS_MOST_COLUMNS);
    for (int i = 0; i < c->columns; i++)
        if (c->column[i] == number)
            return bs_fail(r->err, BASIN_EARG, "--feature-columns: column %d is named twice",
                           number);
    c->column[c->columns++] = number;
    return BASIN_OK;
}

/* The model was trained with more than words. */
static basin_status fail_bare(const bs_corpus_reading *r, long line, const char *what, int n)
{
    const char *features = r->o->feature_columns;
    char        has[48] = "words only";
    if (n > 1)
        bs_print(has, sizeof has, "%d columns", n);
    if (!r->o->who)
        return bs_corpus_fail(r, line, 0, "%s has %s; --feature-columns asks for columns %s", what,
                              has, features);
    return bs_corpus_fail(r, line, 0,
                          "%s has %s, but %s uses the columns %s as well; train one with "
                          "--feature-columns none to tag words alone",
                          what, has, r->o->who, features);
}

static basin_status listed_features(const bs_corpus_reading *r, int n, long line)
{
    for (const char *at = r->o->feature_columns; *at;) {
        char      one[16];
        size_t    len = strcspn(at, ",");
        long long number = 0;
        bs_print(one, sizeof one, "%.*s", (int)(len < 15 ? len : 15), at);
        if (r->c->heading)
            number = bs_heading_find(r->c->heading, n, at, len);
        if (!number && (!bs_parse_int(one, &number) || number < 1 || number > BS_MOST_CELLS))
            return bs_fail(r->err, BASIN_EARG,
                           "--feature-columns: '%s' is not auto, all, none or a list such as "
                           "2,3",
                           r->o->feature_columns);
        if (number > n && r->o->who)
            return fail_bare(r, line, r->c->heading ? "the file" : "each line", n);
        if (number > n)
            return fail_column(r, line, "--feature-columns", number, n);
        if (number == r->c->word_column || number == r->c->tag_column)
            return bs_fail(r->err, BASIN_EARG, "--feature-columns: column %lld holds the %s",
                           number, number == r->c->word_column ? "words" : "tags");
        basin_status s = add_feature(r, (int)number, line);
        if (s)
            return s;
        at += len + (at[len] == ',');
    }
    return BASIN_OK;
}

/* --- columns with names -------------------------------------------------- */

static basin_status fail_no_tags(const bs_corpus_reading *r, int n)
{
    char   names[200] = "";
    size_t at = 0;
    if (r->format->text)
        return bs_corpus_fail(r, 0, 0, "the texts have no spans%s",
                              strcmp(r->format->name, "spans") == 0
                                  ? ": write \"spans\": [{\"start\": 0, \"end\": 3, \"label\": "
                                    "\"PER\"}]"
                                  : "");
    for (int i = 1; i < n && at < sizeof names; i++)
        at += (size_t)bs_print(names + at, sizeof names - at, "%s%.40s", i > 1 ? ", " : "",
                               r->c->heading[i]);
    return bs_corpus_fail(r, 0, 0, "there are no tags; --tag-column NAME says which of %s are",
                          *names ? names : "the lists (there is none beside the words)");
}

/* Words come first and tags where the reader found them, whatever columns a model was trained on;
 * other numbers count only if given for this very file. */
static basin_status named_tags(const bs_corpus_reading *r, int n, long line)
{
    bs_corpus  *c = r->c;
    const char *want = r->o->tag_column;
    long long   number = 0;
    c->word_column = 1;
    c->tag_column = r->tag_column;
    if (!r->o->who && r->o->word_column > 1)
        return bs_fail(r->err, BASIN_EARG, "--word-column: words of %s are found by their name",
                       r->format->name);
    if (!r->o->who && bs_parse_int(want, &number)) {
        if (number < 2 || number > n)
            return fail_column(r, line, "--tag-column", number, n);
        c->tag_column = (int)number;
    }
    if (strcmp(want, "none") == 0)
        c->tag_column = 0;
    const bool known = number || strcmp(want, "auto") == 0 || strcmp(want, "last") == 0 ||
                       strcmp(want, "none") == 0 || r->o->who;
    if (!known && bs_heading_find(c->heading, n, want, strlen(want)) != c->tag_column)
        return bs_corpus_fail(r, line, 0,
                              "--tag-column: nothing with a tag for every word is "
                              "called '%.60s'",
                              want);
    return c->tag_column || r->o->label_free ? BASIN_OK : fail_no_tags(r, n);
}

static basin_status named_columns(bs_corpus_reading *r, int n, long line)
{
    bs_corpus   *c = r->c;
    const char  *features = r->o->feature_columns;
    const bool   all = strcmp(features, "auto") == 0 || strcmp(features, "all") == 0;
    basin_status s = named_tags(r, n, line);
    c->file_columns = n;
    if (s || strcmp(features, "none") == 0 || (all && r->format->text))
        return s;
    if (r->format->text)
        return fail_bare(r, 0, "a text", 1);
    if (!all)
        return listed_features(r, n, line);
    for (int i = 2; !s && i <= n; i++)
        if (i != c->tag_column)
            s = add_feature(r, i, line);
    return s;
}

basin_status bs_corpus_columns(bs_corpus_reading *r, int n, long line)
{
    bs_corpus   *c = r->c;
    const char  *features = r->o->feature_columns;
    bool         plain = strcmp(c->format, "text") == 0;
    basin_status s = BASIN_OK;
    if (c->heading)
        return named_columns(r, n, line);
    if (r->o->roles) { /* word, whether it is the predicate, tag: roles.h */
        *c->column = 2;
        c->word_column = c->columns = 1;
        c->file_columns = n;
        c->tag_column = n > 2 ? n : 0;
        return BASIN_OK;
    }
    if (r->cut.conllu && n != 10)
        return bs_corpus_fail(r, line, 0, "%d column%s, expected the 10 of CoNLL-U (with tabs)", n,
                              n == 1 ? "" : "s");
    c->file_columns = n;
    if (!plain && r->o->block && r->o->block->begun && n != r->o->block->columns) {
        c->file_columns = r->o->block->columns;
        return bs_corpus_ragged(r, line, n);
    }
    c->word_column = r->o->word_column ? r->o->word_column : 1;
    if (plain)
        c->word_column = 1;
    else if (r->cut.conllu && (!r->o->word_column || is_foreign(r)))
        c->word_column = FORM;
    if (c->word_column > n)
        return fail_column(r, line, "--word-column", c->word_column, n);
    if (plain && !r->o->label_free)
        return bs_corpus_fail(r, 0, 0, "plain text has no tags; text.format=conll reads columns");
    if (!plain)
        s = tag_column(r, n, line);
    if (s)
        return s;
    bool none = strcmp(features, "none") == 0, automatic = strcmp(features, "auto") == 0;
    if (none || (automatic && (r->cut.conllu || plain)))
        return BASIN_OK;
    if (!automatic && strcmp(features, "all") != 0) {
        if (plain)
            return fail_bare(r, 0, "plain text", 1);
        if (is_foreign(r))
            return bs_corpus_fail(r, 0, 0,
                                  "CoNLL-U does not have the columns %s that the model was trained "
                                  "with; --word-column 2 and --feature-columns name others",
                                  features);
        return listed_features(r, n, line);
    }
    for (int i = 1; !s && i <= n; i++)
        if (i != c->word_column && i != c->tag_column)
            s = add_feature(r, i, line);
    return s;
}
