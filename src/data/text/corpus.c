/* corpus.c -- whole corpora: creating, copying, joining. */
#include "data/text/corpus.h"

#include <string.h>

#include "data/text/corpus_part.h"
#include "data/text/scheme_part.h"

bs_corpus *bs_corpus_new(void)
{
    bs_corpus *c = bs_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->repaired_at = -1;
    bs_arena_init(&c->arena, 0);
    bs_names_init(&c->words, &c->arena);
    bs_names_init(&c->tags, &c->arena);
    bs_names_init(&c->classes, &c->arena);
    for (int i = 0; i < BS_MOST_COLUMNS; i++)
        bs_names_init(&c->value[i], &c->arena);
    return c;
}

void bs_corpus_free(bs_corpus *c)
{
    if (!c)
        return;
    bs_names_free(&c->words);
    bs_names_free(&c->tags);
    bs_names_free(&c->classes);
    for (int i = 0; i < BS_MOST_COLUMNS; i++) {
        bs_names_free(&c->value[i]);
        bs_free(c->feature[i]);
    }
    bs_free(c->record);
    bs_free(c->first);
    bs_free(c->last);
    bs_free(c->start);
    bs_free(c->word);
    bs_free(c->tag);
    bs_free(c->text);
    bs_free(c->piece);
    bs_free(c->tabs);
    bs_free(c->document);
    bs_arena_free(&c->arena);
    bs_free(c);
}

void bs_corpus_hash(bs_corpus *c)
{
    int how[5] = {c->word_column, c->tag_column, c->columns, (int)c->file_scheme, (int)c->scheme};
    uint64_t h = 11;
    for (int i = 0; i < 5; i++)
        h = h * 31 + (uint64_t)how[i];
    for (int i = 0; i < c->columns; i++)
        h = h * 31 + (uint64_t)c->column[i];
    c->hash = bs_hash_bytes(c->text, c->text_len, h);
}

bs_cut bs_corpus_cut(const bs_corpus *c, int32_t sentence)
{
    return (bs_cut){.tabs = c->tabs[sentence],
                    .all = c->records > 0,
                    .conllu = strcmp(c->format, "conllu") == 0,
                    .columns = c->comments ? c->file_columns : 0};
}

/* The item of MISC that holds a tag; empty if there is none. */
static bs_cell misc_item(bs_cell misc)
{
    static const char key[] = BS_MISC_KEY;
    const char       *p = misc.at, *end = misc.at + misc.len;
    while (p < end) {
        const char *stop = memchr(p, '|', (size_t)(end - p));
        stop = stop ? stop : end;
        if ((size_t)(stop - p) > sizeof key - 1 && memcmp(p, key, sizeof key - 1) == 0)
            return (bs_cell){p + sizeof key - 1, (size_t)(stop - p) - (sizeof key - 1)};
        p = stop + (stop < end);
    }
    return (bs_cell){end, 0};
}

bs_cell bs_corpus_tag_cell(const bs_corpus *c, const bs_row *row)
{
    const bs_cell cell = row->cell[c->tag_column - 1];
    if (strcmp(c->format, "conllu") != 0)
        return cell;
    if (c->misc)
        return misc_item(cell);
    return cell.len == 1 && *cell.at == '_' ? (bs_cell){cell.at, 0} : cell;
}

int32_t bs_longest_sentence(const bs_corpus *c)
{
    int32_t most = 1;
    for (int32_t i = 0; i < c->sentences; i++)
        most = c->start[i + 1] - c->start[i] > most ? c->start[i + 1] - c->start[i] : most;
    return most;
}

/* The number of a token's line, unless it is plain text. */
static long find_row(const bs_corpus *c, int32_t sentence, int32_t token, bs_row *row)
{
    const char *p = c->text, *piece = c->text + c->piece[sentence], *end = c->text + c->text_len;
    int32_t     left = token - c->start[sentence];
    long        line = 1;
    for (; p < piece; p++)
        line += *p == '\n';
    for (; p < end; p = row->next, line++) {
        bs_row_scan(p, end, bs_corpus_cut(c, sentence), row);
        if (row->kind == BS_LINE_TOKEN && left-- == 0)
            break;
    }
    return line;
}

static int32_t sentence_of(const bs_corpus *c, int32_t token)
{
    int32_t low = 0, high = c->sentences - 1;
    while (low < high) {
        int32_t mid = low + (high - low + 1) / 2;
        if (c->start[mid] <= token)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

int32_t bs_corpus_record(const bs_corpus *c, int32_t sentence)
{
    int32_t low = 0, high = c->records - 1;
    while (low < high) {
        const int32_t mid = low + (high - low + 1) / 2;
        if (c->record[mid].sentence <= sentence)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* In a table with one word per row, the line of that row. */
static long record_line(const bs_corpus *c, int32_t sentence, int32_t token)
{
    const long line = c->record[bs_corpus_record(c, sentence)].line;
    return strcmp(c->format, "csv") == 0 ? line + token - c->start[sentence] : line;
}

long bs_corpus_line(const bs_corpus *c, int32_t token)
{
    const int32_t sentence = sentence_of(c, token);
    const char   *p = c->text, *piece = c->text + c->piece[sentence], *end = p + c->text_len;
    bs_row        row;
    long          line = 1;
    if (c->records)
        return record_line(c, sentence, token);
    if (strcmp(c->format, "text") != 0)
        return find_row(c, sentence, token, &row);
    for (; p < piece; p++)
        line += *p == '\n';
    for (; p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'); p++)
        line += *p == '\n';
    return line;
}

const char *bs_corpus_place(const bs_corpus *c, int32_t token, char out[80])
{
    const bs_record *from =
        c->records ? &c->record[bs_corpus_record(c, sentence_of(c, token))] : NULL;
    if (from && from->name)
        bs_print(out, 80, "document %.60s", from->name);
    else
        bs_print(out, 80, "line %ld", bs_corpus_line(c, token));
    return out;
}

const char *bs_corpus_file_tag(const bs_corpus *c, int32_t token, char out[48])
{
    bs_row  row = {.n = 0};
    bs_cell cell = {"", 0};
    char    text[48];
    if (c->tag_column && strcmp(c->format, "text") != 0)
        find_row(c, sentence_of(c, token), token, &row);
    if (row.n >= c->tag_column && row.n > 0)
        cell = bs_corpus_tag_cell(c, &row);
    bs_print(text, sizeof text, "%.*s", cell.len < 47 ? (int)cell.len : 47, cell.at);
    return bs_tag_shown(text, out);
}

/* Writes the names of numbered tags as a list, if they fit: files need no list beside them then. */
static void fix_names(const bs_corpus *c, bs_corpus_options *o)
{
    size_t at = 0;
    char   list[BS_OPTION_TEXT];
    for (int32_t i = 0; i < c->classes.n; i++) {
        const bs_name *name = &c->classes.item[i];
        if (memchr(name->text, ',', name->len) || at + name->len + 2 > sizeof list)
            return;
        at += (size_t)bs_print(list + at, sizeof list - at, "%s%s", i ? "," : "", name->text);
    }
    if (c->classes.n > 1)
        memcpy(o->tag_names, list, at + 1);
}

void bs_corpus_fix(const bs_corpus *c, bs_corpus_options *o)
{
    size_t at = 0;
    if (c->roles.word) {
        o->word_column = c->roles.word;
        bs_print(o->predicate_column, sizeof o->predicate_column, "%d", c->roles.predicate);
        bs_print(o->format, sizeof o->format, "auto");
        return;
    }
    o->word_column = c->word_column;
    if (c->tag_column)
        bs_print(o->tag_column, sizeof o->tag_column, "%d", c->tag_column);
    bs_print(o->feature_columns, sizeof o->feature_columns, "none");
    for (int i = 0; i < c->columns; i++)
        at += (size_t)bs_print(o->feature_columns + at, sizeof o->feature_columns - at, "%s%d",
                               i ? "," : "", c->column[i]);
    if (c->labelled)
        bs_print(o->to, sizeof o->to, "%s", bs_scheme_name(c->scheme));
    if (c->first)
        bs_print(o->tokens, sizeof o->tokens, "rules");
    if (c->records) /* other files may have another format */
        bs_print(o->format, sizeof o->format, "auto");
    fix_names(c, o);
}

/* --- ends of pieces ------------------------------------------------------ */

/* What must be added before another sentence can follow: the end of the last line, a blank line. */
static const char *missing_end(const bs_corpus *c, int32_t s)
{
    const char *p = c->text + c->piece[s], *end = c->text + c->piece[s + 1];
    const char *nl = memchr(c->text, '\n', c->text_len);
    bool        windows = nl && nl > c->text && nl[-1] == '\r', plain = !strcmp(c->format, "text");
    bs_row      row = {.kind = BS_LINE_BLANK};
    bool        closed = end > p && end[-1] == '\n';
    if (end < c->text + c->text_len || (plain && closed))
        return "";
    if (plain)
        return windows ? "\r\n" : "\n";
    for (; p < end; p = row.next)
        bs_row_scan(p, end, bs_corpus_cut(c, s), &row);
    if (row.kind == BS_LINE_BLANK && closed)
        return "";
    if (closed || row.kind == BS_LINE_BLANK)
        return windows ? "\r\n" : "\n";
    return windows ? "\r\n\r\n" : "\n\n";
}

/* --- adding sentences ---------------------------------------------------- */

/* Sentences to add; list NULL: all of the corpus. */
typedef struct {
    const bs_corpus *c;
    const int32_t   *list; /* [n] */
    int32_t          n;
    size_t           tokens;
} chosen;

static int32_t sentence_at(const chosen *k, int32_t i)
{
    return k->list ? k->list[i] : i;
}

/* Room for more elements behind the first n; without memory the old array and *ok = false. */
static void *extended(void *old, size_t n, size_t more, size_t size, bool *ok)
{
    void *p = *ok ? bs_realloc(old, n * size, (n + more) * size) : NULL;
    *ok = p != NULL;
    return p ? p : old;
}

/* now[i] is the number in `to` of name i of `from`, added if it is new. */
static int32_t *map_names(bs_names *to, const bs_names *from)
{
    int32_t *now = bs_alloc(((size_t)from->n + 1) * sizeof *now);
    bool     fresh;
    for (int32_t i = 0; now && i < from->n; i++) {
        now[i] = bs_names_add(to, from->item[i].text, from->item[i].len, &fresh);
        if (now[i] < 0) {
            bs_free(now);
            return NULL;
        }
    }
    return now;
}

/* The numbers of tokens in `from` as those of the same names in `to`. from NULL: all unknown; to
 * NULL: they are no names. */
static bool add_column(int32_t **a, int32_t n, const chosen *k, const int32_t *from, bs_names *to,
                       const bs_names *names)
{
    int32_t *now = to ? map_names(to, names) : NULL;
    bool     ok = now || !to;
    *a = extended(*a, (size_t)n, k->tokens + 1, sizeof **a, &ok);
    for (int32_t i = 0, *p = *a + n; i < k->n && ok; i++) {
        const int32_t s = sentence_at(k, i);
        for (int32_t t = k->c->start[s]; t < k->c->start[s + 1]; t++)
            *p++ = !from ? -1 : now && from[t] >= 0 ? now[from[t]] : from[t];
    }
    bs_free(now);
    return ok;
}

static void put(bs_corpus *a, const char *bytes, size_t n)
{
    if (n)
        memcpy(a->text + a->text_len, bytes, n);
    a->text_len += n;
}

/* Chosen sentences are closed, as others may follow them. */
static bool add_text(bs_corpus *a, const chosen *k)
{
    const size_t *piece = k->c->piece;
    const char   *gap = a->sentences ? missing_end(a, a->sentences - 1) : "";
    size_t        room = 16;
    bool          ok = true;
    for (int32_t i = 0; i < k->n; i++) {
        const int32_t s = sentence_at(k, i);
        if (!bs_add_size(room, piece[s + 1] - piece[s] + 4, &room))
            return false;
    }
    a->text = extended(a->text, a->text_len, room, 1, &ok);
    a->piece = extended(a->piece, (size_t)a->sentences, (size_t)k->n + 1, sizeof *a->piece, &ok);
    if (!ok)
        return false;
    put(a, gap, strlen(gap));
    for (int32_t i = 0; i < k->n; i++) {
        const int32_t s = sentence_at(k, i);
        gap = k->list ? missing_end(k->c, s) : "";
        a->piece[a->sentences + i] = a->text_len;
        put(a, k->c->text + piece[s], piece[s + 1] - piece[s]);
        put(a, gap, strlen(gap));
    }
    a->piece[a->sentences + k->n] = a->text_len;
    memset(a->text + a->text_len, 0, 8);
    return true;
}

/* A copy that owns its texts. */
static bool copy_record(bs_corpus *to, bs_record *at, const bs_record *from, int32_t sentence)
{
    *at = *from;
    at->sentence = sentence;
    at->text = from->text ? bs_arena_copy(&to->arena, from->text, from->len) : NULL;
    at->rest = bs_arena_copy(&to->arena, from->rest, strlen(from->rest));
    at->name = from->name ? bs_arena_copy(&to->arena, from->name, strlen(from->name)) : NULL;
    return (at->text || !from->text) && at->rest && (at->name || !from->name);
}

static void drop_records(bs_corpus *c)
{
    bs_free(c->record);
    bs_free(c->first);
    bs_free(c->last);
    c->record = NULL;
    c->first = c->last = NULL;
    c->records = 0;
}

/* Unless both sides have records, the result has none and is plain columns. A record of which only
 * some sentences were chosen keeps its whole text. */
static bool add_records(bs_corpus *a, const chosen *k)
{
    const bs_corpus *c = k->c;
    const int32_t    most = k->list ? k->n : c->records;
    int32_t          last = -1;
    bool             ok = true;
    if (a->sentences && (!a->records || !c->records || !a->first != !c->first))
        drop_records(a);
    if (!c->records || (a->sentences && !a->records))
        return true;
    a->record = extended(a->record, (size_t)a->records, (size_t)most + 1, sizeof *a->record, &ok);
    for (int32_t i = 0; i < most && ok; i++) {
        const int32_t from = k->list ? bs_corpus_record(c, k->list[i]) : i;
        const int32_t sentence = k->list ? i : c->record[from].sentence;
        if (from != last)
            ok =
                copy_record(a, &a->record[a->records++], &c->record[from], a->sentences + sentence);
        last = from;
    }
    if (ok)
        a->record[a->records] = (bs_record){.sentence = a->sentences + k->n};
    return ok && (!c->first || (add_column(&a->first, a->tokens, k, c->first, NULL, NULL) &&
                                add_column(&a->last, a->tokens, k, c->last, NULL, NULL)));
}

static bool add_lines(bs_corpus *a, const chosen *k)
{
    const size_t  n = (size_t)a->sentences, m = (size_t)k->n;
    const int32_t document = n ? a->document[n - 1] + 1 : 0;
    bool          ok = true;
    a->start = extended(a->start, n, m + 1, sizeof *a->start, &ok);
    a->document = extended(a->document, n, m + 1, sizeof *a->document, &ok);
    a->tabs = extended(a->tabs, n, m + 1, 1, &ok);
    for (int32_t i = 0; i < k->n && ok; i++) {
        const int32_t s = sentence_at(k, i), at = a->sentences + i;
        a->start[at] = a->tokens;
        a->tokens += k->c->start[s + 1] - k->c->start[s];
        a->document[at] = document + k->c->document[s];
        a->tabs[at] = k->c->tabs[s];
        a->documents += i == 0 || a->document[at] != a->document[at - 1];
    }
    a->sentences += k->n;
    if (ok)
        a->start[a->sentences] = a->tokens;
    return ok;
}

/* Both have the same columns of features. After a failure a can only be freed. */
static bool add(bs_corpus *a, const chosen *k, bool tags)
{
    const bs_corpus *c = k->c;
    bool             ok = add_column(&a->word, a->tokens, k, c->word, &a->words, &c->words);
    ok = ok &&
         add_column(&a->tag, a->tokens, k, tags ? c->tag : NULL, tags ? &a->tags : NULL, &c->tags);
    for (int i = 0; ok && i < a->columns; i++)
        ok = add_column(&a->feature[i], a->tokens, k, c->feature[i], &a->value[i], &c->value[i]);
    return ok && add_text(a, k) && add_records(a, k) && add_lines(a, k);
}

/* --- joining ------------------------------------------------------------- */

static basin_status check_alike(const bs_corpus *a, const bs_corpus *b, basin_error *err)
{
    bool columns = a->file_columns == b->file_columns && a->columns == b->columns &&
                   a->word_column == b->word_column && a->tag_column == b->tag_column &&
                   strcmp(a->format, b->format) == 0;
    for (int i = 0; columns && i < a->columns; i++)
        columns = a->column[i] == b->column[i];
    if (!columns)
        return bs_fail(err, BASIN_EDATA, "%s: %s with %d columns, but %s is %s with %d", b->name,
                       b->format, b->file_columns, a->name, a->format, a->file_columns);
    if (a->labelled && b->labelled && a->scheme != b->scheme)
        return bs_fail(err, BASIN_EDATA,
                       "%s: its tags are %s, those of %s are %s (text.scheme, text.to)", b->name,
                       bs_scheme_name(b->scheme), a->name, bs_scheme_name(a->scheme));
    return BASIN_OK;
}

static basin_status check_size(const bs_corpus *a, const bs_corpus *b, basin_error *err)
{
    if ((int64_t)a->tokens + b->tokens >= INT32_MAX ||
        (int64_t)a->sentences + b->sentences >= INT32_MAX)
        return bs_fail(err, BASIN_EDATA, "%s: too many tokens together with %s", b->name, a->name);
    return BASIN_OK;
}

static basin_status append(bs_corpus *a, const bs_corpus *b, bool tags, basin_error *err)
{
    const chosen  all = {b, NULL, b->sentences, (size_t)b->tokens};
    const int32_t tokens = a->tokens;
    if (!add(a, &all, tags))
        return bs_fail_nomem(err);
    if (tags && a->repaired == 0 && b->repaired)
        a->repaired_at = tokens + b->repaired_at;
    a->comments = a->comments || b->comments;
    if (!a->labelled || b->labelled) /* how existing tags are written */
        a->misc = (a->labelled && a->misc) || b->misc;
    if (tags && a->labelled && b->labelled)
        a->mixed = a->mixed || b->mixed || a->file_scheme != b->file_scheme;
    else if (tags && b->labelled)
        a->file_scheme = b->file_scheme;
    a->labelled = a->labelled || (tags && b->labelled);
    a->repaired += tags ? b->repaired : 0;
    bs_corpus_hash(a);
    return BASIN_OK;
}

basin_status bs_corpus_append(bs_corpus *a, const bs_corpus *b, basin_error *err)
{
    basin_status s = check_alike(a, b, err);
    if (!s)
        s = check_size(a, b, err);
    return s ? s : append(a, b, true, err);
}

basin_status bs_corpus_add_unlabelled(bs_corpus *a, const bs_corpus *b, basin_error *err)
{
    bool         alike = a->columns == b->columns;
    basin_status s = check_size(a, b, err);
    for (int i = 0; alike && i < a->columns; i++)
        alike = a->column[i] == b->column[i];
    if (!alike)
        return bs_fail(err, BASIN_EDATA, "%s: %d feature columns, but %s has %d", b->name,
                       b->columns, a->name, a->columns);
    return s ? s : append(a, b, false, err);
}

/* --- selecting ----------------------------------------------------------- */

static bool copy_headings(bs_corpus *to, const bs_corpus *c)
{
    int32_t *now = map_names(&to->classes, &c->classes);
    bs_free(now);
    if (!now || !c->heading)
        return now;
    to->heading = bs_arena_alloc(&to->arena, ((size_t)c->file_columns + 1) * sizeof *to->heading);
    for (int i = 0; i < c->file_columns && to->heading; i++)
        if (!(to->heading[i] = bs_arena_copy(&to->arena, c->heading[i], strlen(c->heading[i]))))
            return false;
    return to->heading;
}

basin_status bs_corpus_select(const bs_corpus *c, const int32_t *sentences, int32_t n,
                              bs_corpus **out, basin_error *err)
{
    chosen k = {c, sentences, n, 0};
    *out = NULL;
    for (int32_t i = 0; i < n; i++) {
        if (sentences[i] < 0 || sentences[i] >= c->sentences)
            return bs_fail(err, BASIN_EARG, "there is no sentence %d", (int)sentences[i]);
        k.tokens += (size_t)(c->start[sentences[i] + 1] - c->start[sentences[i]]);
    }
    if (k.tokens >= INT32_MAX)
        return bs_fail(err, BASIN_EARG, "the selection has too many tokens");
    bs_corpus *to = bs_corpus_new();
    if (!to)
        return bs_fail_nomem(err);
    to->format = c->format;
    to->columns = c->columns;
    memcpy(to->column, c->column, sizeof to->column);
    to->labelled = c->labelled;
    to->file_scheme = c->file_scheme;
    to->misc = c->misc;
    to->comments = c->comments;
    to->mixed = c->mixed;
    to->scheme = c->scheme;
    to->file_columns = c->file_columns;
    to->word_column = c->word_column;
    to->tag_column = c->tag_column;
    to->roles = c->roles;
    to->name = bs_arena_copy(&to->arena, c->name, strlen(c->name));
    if (!to->name || !copy_headings(to, c) || !add(to, &k, true)) {
        bs_corpus_free(to);
        return bs_fail_nomem(err);
    }
    bs_corpus_hash(to);
    *out = to;
    return BASIN_OK;
}
