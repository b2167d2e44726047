/* format_predicates.c -- semantic roles in rows of JSON, one for each sentence.
 *
 *     {"tokens": ["Congress", "nominated", "two", "people"],
 *      "predicates": [{"index": 1, "spans": [{"start": 0, "end": 1, "label": "ARG0"},
 *                                            {"start": 2, "end": 4, "label": "ARG1"}]}]}
 *
 * Words are counted from 0, and the word at "end" is no longer part of a span. A predicate without
 * "spans" is one whose roles are to be found. */
#include <string.h>

#include "base/json.h"
#include "data/text/json_rows.h"
#include "data/text/roles_part.h"

typedef struct {
    bs_corpus_builder m;
    bs_buf            rest, scratch;
    bs_role_row       row;
    bool              seen, labelled; /* by the first predicate */
    long              overlapping, first;
} role_rows;

static basin_status fail(const role_rows *x, long line, int32_t predicate, const char *what)
{
    return bs_corpus_fail(x->m.r, line, 0, "predicate %d: %s", (int)predicate + 1, what);
}

static bool take_words(role_rows *x, const json_t *tokens)
{
    const size_t n = json_array_size(tokens);
    const bool   ok = bs_role_row_room(&x->row, n);
    for (size_t i = 0; i < n && ok; i++)
        x->row.word[i] = (bs_cell){json_string_value(json_array_get(tokens, i)),
                                   json_string_length(json_array_get(tokens, i))};
    return ok;
}

static basin_status take_span(role_rows *x, const json_t *span, int32_t k, long line)
{
    const json_t *start = json_object_get(span, "start"), *end = json_object_get(span, "end"),
                 *label = json_object_get(span, "label");
    if (!json_is_integer(start) || !json_is_integer(end) || !json_is_string(label) ||
        json_string_length(label) == 0)
        return fail(x, line, k,
                    "a span is {\"start\": 0, \"end\": 2, \"label\": \"ARG0\"}, in numbers of "
                    "tokens");
    const json_int_t from = json_integer_value(start), to = json_integer_value(end);
    if (from < 0 || to <= from || to > x->row.n)
        return bs_corpus_fail(x->m.r, line, 0,
                              "predicate %d: the span from %lld to %lld is empty or outside of the "
                              "%d tokens",
                              (int)k + 1, (long long)from, (long long)to, (int)x->row.n);
    bool crossed = false;
    for (json_int_t i = from; i < to; i++)
        crossed = crossed || x->row.role[i].len;
    if (crossed) {
        x->first = x->overlapping++ ? x->first : line;
        return BASIN_OK;
    }
    for (json_int_t i = from; i < to; i++) {
        x->row.role[i] = (bs_cell){json_string_value(label), json_string_length(label)};
        x->row.begin[i] = i == from;
    }
    return BASIN_OK;
}

static basin_status take_predicate(role_rows *x, const json_t *p, int32_t k, json_int_t before,
                                   long line)
{
    const json_t    *index = json_object_get(p, "index"), *spans = json_object_get(p, "spans");
    const json_int_t at = json_is_integer(index) ? json_integer_value(index) : -1;
    basin_status     s = BASIN_OK;
    if (at < 0 || at >= x->row.n)
        return bs_corpus_fail(x->m.r, line, 0,
                              "predicate %d: \"index\" must be the number of a token, 0 to %d",
                              (int)k + 1, (int)x->row.n - 1);
    if (at <= before)
        return fail(x, line, k, "\"index\" must be greater than that of the one before");
    if (spans && !json_is_array(spans))
        return fail(x, line, k, "\"spans\" must be a list");
    if (!x->seen)
        x->labelled = spans != NULL;
    x->seen = true;
    if (x->labelled && !spans && !x->m.r->o->label_free)
        return fail(x, line, k, "no \"spans\", which the first predicate has");
    if (!x->labelled && !x->m.r->o->label_free)
        return fail(x, line, k, "no \"spans\": without roles there is nothing to learn");
    memset(x->row.role, 0, (size_t)x->row.n * sizeof *x->row.role);
    for (size_t i = 0; i < json_array_size(spans) && !s; i++)
        s = take_span(x, json_array_get(spans, i), k, line);
    if (!s)
        bs_role_put_row(&x->m, &x->row, (int32_t)at, x->labelled, &x->scratch);
    return s;
}

static basin_status check_row(const role_rows *x, const json_t *tokens, const json_t *predicates,
                              long line)
{
    if (!json_is_array(tokens) || !json_is_array(predicates))
        return bs_corpus_fail(x->m.r, line, 0,
                              "no list of %s; write {\"tokens\": [\"Ada\", ...], \"predicates\": "
                              "[{\"index\": 1, \"spans\": [...]}]}",
                              json_is_array(tokens) ? "predicates" : "tokens");
    for (size_t i = 0; i < json_array_size(tokens); i++)
        if (json_string_length(json_array_get(tokens, i)) == 0)
            return bs_corpus_fail(x->m.r, line, 0, "token %zu is not a text, or is empty", i);
    if (json_array_size(tokens) > (size_t)x->m.r->o->max_length)
        return bs_corpus_fail(x->m.r, line, 0,
                              "the sentence has more than %d words; text.max_length allows more",
                              x->m.r->o->max_length);
    return BASIN_OK;
}

static basin_status take_row(void *to, json_t *row, long line)
{
    static const char *const used[] = {"predicates"};
    role_rows               *x = to;
    const json_t            *tokens = json_object_get(row, "tokens");
    const json_t            *predicates = json_object_get(row, "predicates");
    json_int_t               before = -1;
    basin_status             s = check_row(x, tokens, predicates, line);
    if (s)
        return s;
    bs_json_rest(row, used, 1, &x->rest);
    if (x->rest.failed || !take_words(x, tokens))
        return bs_fail_nomem(x->m.r->err);
    bs_corpus_builder_record(&x->m, NULL, 0, x->rest.data, NULL, line);
    for (size_t k = 0; k < json_array_size(predicates) && !s; k++) {
        const json_t *p = json_array_get(predicates, k);
        s = take_predicate(x, p, (int32_t)k, before, line);
        before = json_integer_value(json_object_get(p, "index"));
    }
    return s;
}

static basin_status read_predicates(bs_corpus_reading *r)
{
    role_rows              x = {.overlapping = 0};
    const bs_corpus_block *block = r->o->block;
    bs_corpus_builder_begin(&x.m, r);
    bs_buf_init(&x.rest, (size_t)1 << 30);
    bs_buf_init(&x.scratch, (size_t)1 << 20);
    x.seen = block && block->begun && block->roles.after;
    x.labelled = x.seen && block->roles.after > 1;
    basin_status s = bs_json_rows_read(r, take_row, &x);
    if (!s)
        s = bs_role_check_rows(&x.m);
    if (x.overlapping)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%ld spans (the first in line %ld) share a word with an earlier one of the "
                     "same predicate and are left out: a word has one role for each predicate",
                     x.overlapping, x.first);
    /* if other rows are columns: as these are written */
    r->c->roles = (bs_role_layout){
        .word = 1, .predicate = 2, .base = 2, .after = x.seen ? 1 + x.labelled : 0};
    s = bs_corpus_builder_end(&x.m, s, NULL, 0);
    bs_role_row_free(&x.row);
    bs_buf_free(&x.rest);
    bs_buf_free(&x.scratch);
    return s;
}

static int sniff(const char *head, size_t n, const char *path)
{
    bs_json_rows rows;
    long         line;
    bool         ok;
    (void)path;
    while (n > 0 && strchr(" \t\r\n", *head)) {
        head++;
        n--;
    }
    if (n == 0 || (*head != '{' && *head != '['))
        return 0;
    bs_json_rows_begin(&rows, head, n);
    json_t   *row = bs_json_rows_next(&rows, &line, &ok);
    const int sure = json_is_array(json_object_get(row, "tokens")) &&
                             json_is_array(json_object_get(row, "predicates"))
                         ? 98
                         : 0;
    json_decref(row);
    return sure;
}

/* ---- writing ---- */

/* V at the predicate alone is implied by its index. */
static bool is_implied(const bs_span *a, const char *role, int32_t predicate)
{
    return a->first == predicate && a->end == predicate + 1 && strcmp(role, BS_ROLE_VERB) == 0;
}

static void put_predicate(const bs_tags_out *t, int32_t row, bs_role_more more, void *to,
                          bs_buf *out)
{
    const int32_t n = bs_role_spans(t, row), predicate = bs_role_predicate(t->c, row);
    int32_t       kept = 0;
    bs_json_open(out, NULL, '{');
    bs_json_int(out, "index", predicate);
    if (t->set)
        bs_json_open(out, "spans", '[');
    for (int32_t i = 0; i < n; i++) {
        const bs_span a = t->span[i];
        const char   *role = t->set->types.item[a.type].text;
        if (is_implied(&a, role, predicate))
            continue;
        t->span[kept++] = a;
        bs_json_open(out, NULL, '{');
        bs_json_members(out, "start %d end %d label %s", (int)a.first, (int)a.end, role);
        bs_json_close(out, '}');
    }
    if (t->set)
        bs_json_close(out, ']');
    if (more)
        more(to, row, kept, out);
    bs_json_close(out, '}');
}

void bs_put_predicates(const bs_tags_out *t, bs_writing *w, bs_role_more more, void *to)
{
    const bs_corpus *c = t->c;
    const bool       own = strcmp(c->format, "predicates") == 0;
    bs_role_words    words = {.n = 0};
    bs_buf           line;
    bool             ok = true;
    bs_buf_init(&line, (size_t)1 << 30);
    for (int32_t k = 0; k < c->records && ok && !w->status; k++) {
        ok = own || bs_role_words_of(c, k, &words);
        if (!own && words.n == 0) /* comments at the end of a file */
            continue;
        bs_json_open(&line, NULL, '{');
        if (own)
            bs_buf_text(&line, c->record[k].rest);
        else
            bs_json_open(&line, "tokens", '[');
        for (int32_t i = 0; i < words.n && !own; i++)
            bs_json_text_n(&line, NULL, words.word[i].at, words.word[i].len);
        if (!own)
            bs_json_close(&line, ']');
        bs_json_open(&line, "predicates", '[');
        for (int32_t r = c->record[k].sentence; r < c->record[k + 1].sentence; r++)
            put_predicate(t, r, more, to, &line);
        bs_json_close(&line, ']');
        bs_json_close(&line, '}');
        bs_put_line(w, &line);
    }
    if (!ok && !w->status)
        w->status = bs_fail_nomem(w->err);
    bs_buf_free(&line);
    bs_role_words_free(&words);
}

static void write_predicates(const bs_tags_out *t, bs_writing *w)
{
    bs_put_predicates(t, w, NULL, NULL);
}

const bs_corpus_format bs_corpus_format_predicates = {
    .name = "predicates",
    .help = "semantic roles in JSON: {\"tokens\": [...], \"predicates\": [{\"index\", \"spans\"}]}",
    .ending = ".jsonl",
    .roles = true,
    .unit = 'l',
    .sniff = sniff,
    .read = read_predicates,
    .write = write_predicates,
};
