/* format_spans.c -- JSON rows with a text and spans of its characters.
 *
 *     {"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}   Prodigy, spaCy
 *     {"id": 7, "text": "Ada sleeps", "label": [[0, 3, "PER"]]}                   doccano
 *     ["Ada sleeps", {"entities": [[0, 3, "PER"]]}]                               spaCy 2
 *
 * Characters are code points, and `end` is after the last one. */
#include <string.h>
#include "base/json.h"

#include "data/text/json_rows.h"
#include "data/text/making.h"
#include "data/text/tags_out.h"
#include "data/text/tokenise.h"

typedef struct {
    bs_corpus_builder m;
    bs_marked        *span;
    size_t            cap;
    bool              tags;    /* some row has spans */
    long              without; /* rows without information on spans, if others have it */
    long              refused; /* rows that an annotator rejected */
    bs_buf            rest;
} spans;

/* --- one span ------------------------------------------------------------ */

static const json_t *first_of(const json_t *o, const char *const *keys, int n)
{
    for (int i = 0; i < n; i++)
        if (json_object_get(o, keys[i]))
            return json_object_get(o, keys[i]);
    return NULL;
}

/* {"start", "end", "label"} or [start, end, label]. */
static void take_apart(const json_t *v, const json_t *part[3])
{
    static const char *const start[] = {"start", "start_offset", "begin", "from"};
    static const char *const end[] = {"end", "end_offset", "to"};
    static const char *const label[] = {"label", "type", "entity", "tag", "ner", "class"};
    part[0] = json_is_array(v) ? json_array_get(v, 0) : first_of(v, start, 4);
    part[1] = json_is_array(v) ? json_array_get(v, 1) : first_of(v, end, 3);
    part[2] = json_is_array(v) ? json_array_get(v, 2) : first_of(v, label, 6);
}

static basin_status take_span(spans *x, const json_t *v, size_t i, size_t characters, long line)
{
    const json_t *part[3];
    take_apart(v, part);
    const bs_corpus_reading *r = x->m.r;
    if (!json_is_integer(part[0]) || !json_is_integer(part[1]) || !json_is_string(part[2]) ||
        json_string_length(part[2]) == 0)
        return bs_corpus_fail(r, line, 0,
                              "span %zu is not like {\"start\": 0, \"end\": 3, \"label\": \"PER\"} "
                              "or [0, 3, \"PER\"]",
                              i + 1);
    const json_int_t a = json_integer_value(part[0]), b = json_integer_value(part[1]);
    if (a < 0 || b <= a)
        return bs_corpus_fail(r, line, 0,
                              "span %zu is from %lld to %lld; the end must be after the start",
                              i + 1, (long long)a, (long long)b);
    if ((size_t)b > characters)
        return bs_corpus_fail(
            r, line, 0,
            "span %zu ends at %lld, but the text has %zu characters (code points, "
            "not bytes)",
            i + 1, (long long)b, characters);
    x->span[i] = (bs_marked){(size_t)a, (size_t)b, json_string_value(part[2]), i};
    return BASIN_OK;
}

static basin_status take_spans(spans *x, const json_t *list, size_t characters, long line)
{
    basin_status s = BASIN_OK;
    if (!BS_GROW(x->span, x->cap, json_array_size(list) + 1, INT32_MAX))
        return bs_fail_nomem(x->m.r->err);
    for (size_t i = 0; i < json_array_size(list) && !s; i++)
        s = take_span(x, json_array_get(list, i), i, characters, line);
    return s;
}

/* --- rows ---------------------------------------------------------------- */

/* Prodigy: what was rejected or ignored is not truth. */
static bool is_refused(const json_t *row)
{
    const char *answer = json_string_value(json_object_get(row, "answer"));
    return answer && strcmp(answer, "accept") != 0;
}

static basin_status take_row(void *to, json_t *row, long line)
{
    static const char *const used[] = {"text",  "data",   "spans",  "entities",
                                       "label", "labels", "tokens", "annotations"};
    spans                   *x = to;
    const json_t            *text = bs_json_row_text(row), *list = bs_json_spans(row);
    const bool               refused = is_refused(row);
    if (!text)
        return bs_corpus_fail(
            x->m.r, line, 0,
            "no text; write {\"text\": \"Ada sleeps\", \"spans\": [{\"start\": 0, "
            "\"end\": 3, \"label\": \"PER\"}]}");
    x->refused += refused;
    if (refused && !x->m.r->o->label_free)
        return BASIN_OK;
    const char  *p = json_string_value(text);
    const size_t n = json_string_length(text), characters = bs_count_characters(p, n);
    if (characters >= INT32_MAX)
        return bs_corpus_fail(x->m.r, line, 0, "a text of %zu characters is too long", characters);
    basin_status s = take_spans(x, refused ? NULL : list, characters, line);
    bs_json_rest(row, used, sizeof used / sizeof *used, &x->rest);
    if (!s && x->rest.failed)
        s = bs_fail_nomem(x->m.r->err);
    if (s)
        return s;
    x->without += !list;
    bs_corpus_builder_record(&x->m, p, n, x->rest.data, NULL, line);
    /* Prodigy omits empty lists: if some rows have spans, the others have none */
    const bool unknown = refused || (!list && x->m.r->o->label_free);
    bs_corpus_builder_text(&x->m, p, n, x->tags, x->span,
                           unknown ? -1 : (long)json_array_size(list));
    return BASIN_OK;
}

/* Whether any row has a list of spans. */
static bool has_spans(const bs_corpus_reading *r)
{
    bs_json_rows rows;
    long         line;
    bool         ok, found = false;
    bs_json_rows_begin(&rows, r->c->text, r->c->text_len);
    for (json_t *row; !found && (row = bs_json_rows_next(&rows, &line, &ok));) {
        found = bs_json_spans(row) != NULL;
        json_decref(row);
    }
    return found && strcmp(r->o->tag_column, "none") != 0;
}

static basin_status read_spans(bs_corpus_reading *r)
{
    static const char *const heading[] = {"word", "tag"};
    spans                    x = {.tags = has_spans(r)};
    bs_corpus_builder_begin(&x.m, r);
    bs_buf_init(&x.rest, (size_t)1 << 30);
    basin_status s = bs_json_rows_read(r, take_row, &x);
    if (x.tags && x.without && !r->o->label_free)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%s: %ld row%s no list of spans: read as %s without any", r->name, x.without,
                     x.without == 1 ? " has" : "s have", x.without == 1 ? "a text" : "texts");
    if (x.refused && !r->o->label_free)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%s: %ld row%s whose \"answer\" is not \"accept\" %s left out", r->name,
                     x.refused, x.refused == 1 ? "" : "s", x.refused == 1 ? "is" : "are");
    r->tag_column = x.tags ? 2 : 0;
    s = bs_corpus_builder_end(&x.m, s, heading, x.tags ? 2 : 1);
    bs_buf_free(&x.rest);
    bs_free(x.span);
    return s;
}

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    return bs_json_sniff(head, n, BS_ROW_TEXT);
}

/* --- writing ------------------------------------------------------------- */

static void write_spans(const bs_tags_out *t, bs_writing *w)
{
    bs_put_passages(t, w, NULL, NULL);
}

const bs_corpus_format bs_corpus_format_spans = {
    .name = "spans",
    .help = "rows of JSON: {\"text\": \"...\", \"spans\": [{\"start\": 0, \"end\": 3, \"label\": "
            "\"PER\"}]}; also entities, label",
    .ending = ".jsonl",
    .unit = 'l',
    .text = true,
    .sniff = sniff,
    .read = read_spans,
    .write = write_spans,
};
