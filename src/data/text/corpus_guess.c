/* corpus_guess.c -- what the lines of a text reveal when no option says it: columns or plain text,
 * which lines are comments, and which line does not fit the others. */
#include <string.h>

#include "data/text/corpus_part.h"
#include "data/text/scheme_part.h"

/* --- a look at all lines ------------------------------------------------- */

typedef struct {
    const bs_corpus_options *o;
    int                      tag_column; /* where to look for tags; 0: nowhere */
    long                     cells[BS_MOST_CELLS + 1], hash[BS_MOST_CELLS + 1]; /* lines by cells */
    long                     block; /* lines of the current block */
    int                      first; /* cells in the first line */
    bs_corpus_look          *out;
} looking;

/* Looks like a tag known to the model. */
static bool is_tag(const bs_corpus_options *o, const bs_cell *cell)
{
    if (!o->tags)
        return false;
    return bs_names_find(o->tags, cell->at, cell->len) >= 0 ||
           (o->spans && cell->len > 2 && cell->at[1] == '-' && strchr("BIESMLUW", *cell->at));
}

static void close_block(looking *k)
{
    k->out->blocks += k->block > 0;
    k->out->single += k->block == 1;
    k->block = 0;
}

static void look_at(looking *k, const char *p, const char *end, const bs_row *row)
{
    const int n = row->n < BS_MOST_CELLS ? row->n : BS_MOST_CELLS;
    if (bs_is_hash_line(p, end)) {
        k->hash[n]++;
        return;
    }
    k->first = k->first ? k->first : n;
    k->cells[n]++;
    k->block++;
    k->out->tabs += memchr(p, '\t', (size_t)(row->end - p)) != NULL;
    k->out->tagged +=
        k->tag_column > 0 && n >= k->tag_column && is_tag(k->o, &row->cell[k->tag_column - 1]);
}

/* The most frequent number of cells; in a tie that of the first line. Lines starting with # with
 * another number are comments if all other lines are columns. */
static void settle(looking *k)
{
    bs_corpus_look *l = k->out;
    long            hashes = 0;
    l->usual = k->first;
    for (int i = 0; i <= BS_MOST_CELLS; i++) {
        l->lines += k->cells[i];
        hashes += k->hash[i];
        if (k->cells[i] > k->cells[l->usual])
            l->usual = i;
    }
    const bool comments = l->usual > 1 && k->cells[1] == 0;
    l->comments = comments ? hashes - k->hash[l->usual] : 0;
    l->lines += hashes - l->comments;
    l->most = k->cells[l->usual] + k->hash[l->usual];
}

bs_corpus_look bs_corpus_look_at(const bs_corpus_reading *r, bool tabs)
{
    const char    *p = r->c->text, *end = p + r->c->text_len;
    bs_corpus_look out = {0};
    looking        k = {.o = r->o, .out = &out};
    long long      column = 0;
    bs_row         row;
    if (bs_parse_int(r->o->tag_column, &column) && column > 0 && column <= BS_MOST_CELLS)
        k.tag_column = (int)column;
    for (; p < end; p = row.next) {
        bs_row_scan(p, end, (bs_cut){.tabs = tabs}, &row);
        if (row.kind == BS_LINE_TOKEN)
            look_at(&k, p, end, &row);
        else
            close_block(&k);
        out.mark = out.mark || row.kind == BS_LINE_DOCUMENT;
    }
    close_block(&k);
    settle(&k);
    return out;
}

/* --- columns or words ---------------------------------------------------- */

bool bs_corpus_looks_conllu(const char *p, const char *end)
{
    bs_row row;
    bs_cut cut = {.tabs = true, .conllu = true};
    for (; p < end; p = row.next) {
        bs_row_scan(p, end, cut, &row);
        if (row.kind != BS_LINE_COMMENT && row.kind != BS_LINE_BLANK)
            return row.kind != BS_LINE_STRANGE && row.n == 10;
    }
    return false;
}

/* How many columns a file with tags has, if known. */
static int expected(const bs_corpus_options *o)
{
    long long column = 0;
    bs_parse_int(o->tag_column, &column);
    return o->columns > column ? o->columns : (int)column;
}

bool bs_corpus_looks_plain(const bs_corpus_look *l, const bs_corpus_options *o, bool *sure)
{
    const int  want = expected(o), n = l->usual;
    const bool fits = want > 0 && (n == want || n == want - 1);
    const bool apart = l->single == l->blocks; /* a blank line after every line */
    const long odd = l->lines - l->most;
    *sure = l->mark || 2 * l->tabs > l->lines || 2 * l->tagged > l->lines || (n == 1 && !odd);
    if (*sure)
        return false;
    if (odd > 0) /* a few deviating lines are a mistake in columns */
        return (apart && l->blocks > 1) || odd * (fits ? 5 : 20) > l->lines;
    if (l->lines == 1)
        return true;
    *sure = fits || want == 0;
    if (want == 0)
        return false;
    return apart || (!fits && l->blocks == 1);
}

/* --- a line that does not fit -------------------------------------------- */

static basin_status fail_count(const bs_corpus_reading *r, long line, int n, int want)
{
    return bs_corpus_fail(r, line, 0, "%d column%s, expected %d", n, n == 1 ? "" : "s", want);
}

basin_status bs_corpus_ragged(const bs_corpus_reading *r, long line, int n)
{
    const bs_corpus     *c = r->c;
    const bs_corpus_look l = bs_corpus_look_at(r, r->cut.tabs);
    const char          *p = c->text, *end = p + c->text_len;
    bs_row               row;
    const bool           known = r->o->block && r->o->block->begun;
    if (known || r->cut.conllu || 2 * l.most <= l.lines || l.usual == c->file_columns)
        return fail_count(r, line, n, c->file_columns);
    for (line = 1; p < end; p = row.next, line++) {
        bs_row_scan(p, end, r->cut, &row);
        if (row.kind == BS_LINE_TOKEN && row.n != l.usual)
            return fail_count(r, line, row.n, l.usual);
    }
    return fail_count(r, line, n, c->file_columns);
}

bool bs_corpus_odd_line(const bs_corpus_reading *r, int n)
{
    const bs_corpus_look l = bs_corpus_look_at(r, r->cut.tabs);
    return !r->cut.conllu && 2 * l.most > l.lines && l.usual != n;
}
