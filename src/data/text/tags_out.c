/* tags_out.c -- what writers of formats share: tokens, spans of words, texts with spans. */
#include "data/text/tags_out.h"

#include <string.h>
#include "base/json.h"

#include "data/text/tokenise.h"

bool bs_is_words_heading(const char *name)
{
    return strcmp(name, "tokens") == 0 || strcmp(name, "words") == 0;
}

/* --- passages ------------------------------------------------------------ */

static bool make_text(const bs_corpus *c, bs_passage *p)
{
    const int32_t from = c->start[p->first], to = c->start[p->end];
    size_t        at = 0;
    bs_buf_clear(&p->made);
    if (!BS_GROW(p->place, p->cap, 2 * (size_t)(to - from) + 1, SIZE_MAX / 8))
        return false;
    for (int32_t s = p->first; s < p->end; s++) {
        bs_buf_text(&p->made, s > p->first ? "\n" : "");
        at += s > p->first;
        for (int32_t i = c->start[s]; i < c->start[s + 1]; i++) {
            const bs_name *word = &c->words.item[c->word[i]];
            bs_buf_text(&p->made, i > c->start[s] ? " " : "");
            at += i > c->start[s];
            p->place[2 * (i - from)] = (int32_t)at;
            bs_buf_add(&p->made, word->text, word->len);
            at += bs_count_characters(word->text, word->len);
            p->place[2 * (i - from) + 1] = (int32_t)at;
        }
    }
    p->text = p->made.data ? p->made.data : "";
    p->len = p->made.len;
    return !p->made.failed && at < INT32_MAX;
}

bool bs_passage_next(const bs_corpus *c, bool document, bs_passage *p)
{
    if (!p->made.ceiling)
        bs_buf_init(&p->made, (size_t)1 << 36);
    p->first = p->end;
    if (c->records && (c->first || !document)) {
        p->record = p->record ? p->record + 1 : c->record;
        if (p->record == c->record + c->records)
            return false;
        p->end = p->record[1].sentence;
        p->text = p->record->text;
        p->len = p->record->len;
        p->made.failed = !p->text && !make_text(c, p);
        return !p->made.failed;
    }
    if (p->first == c->sentences)
        return false;
    do
        p->end++;
    while (document && p->end < c->sentences && c->document[p->end] == c->document[p->first]);
    p->made.failed = !make_text(c, p);
    return !p->made.failed;
}

void bs_passage_free(bs_passage *p)
{
    bs_buf_free(&p->made);
    bs_free(p->place);
}

void bs_passage_spans(const bs_tags_out *t, const bs_passage *p, bs_put_span put, void *to)
{
    const bs_corpus *c = t->c;
    int64_t          repaired = 0;
    int              n = 0;
    for (int32_t s = p->first; s < p->end && t->set; s++) {
        const int32_t start = c->start[s];
        const int32_t spans =
            bs_spans(t->set, t->in_set + start, c->start[s + 1] - start, t->span, &repaired);
        for (int32_t i = 0; i < spans; i++) {
            const int32_t a = start + t->span[i].first, b = start + t->span[i].end - 1;
            const int32_t base = c->start[p->first];
            put(to, n++, (size_t)(c->first ? c->first[a] : p->place[2 * (a - base)]),
                (size_t)(c->first ? c->last[b] : p->place[2 * (b - base) + 1]),
                t->set->types.item[t->span[i].type].text);
        }
    }
}

/* --- as JSON ------------------------------------------------------------- */

static void put_span(void *to, int n, size_t first, size_t last, const char *label)
{
    bs_buf *out = to;
    (void)n;
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "start %lld end %lld label %s", (long long)first, (long long)last, label);
    bs_json_close(out, '}');
}

static void put_passage(const bs_tags_out *t, const bs_passage *p, bs_buf *out)
{
    if (p->record)
        bs_buf_text(out, p->record->rest);
    if (p->record && p->record->name)
        bs_json_text(out, "id", p->record->name);
    bs_json_text(out, "text", p->text);
    if (!t->set)
        return;
    bs_json_open(out, "spans", '[');
    bs_passage_spans(t, p, put_span, out);
    bs_json_close(out, ']');
}

void bs_put_passages(const bs_tags_out *t, bs_writing *w, bs_put_more more, void *to)
{
    bs_passage p = {0};
    bs_buf     line;
    bs_buf_init(&line, (size_t)1 << 30);
    while (!w->status && bs_passage_next(t->c, false, &p)) {
        bs_json_open(&line, NULL, '{');
        put_passage(t, &p, &line);
        if (more)
            more(to, &p, &line);
        bs_json_close(&line, '}');
        bs_put_line(w, &line);
    }
    if (p.made.failed && !w->status)
        w->status = bs_fail_nomem(w->err);
    bs_passage_free(&p);
    bs_buf_free(&line);
}

/* A row without words remains a row. */
static void put_empty(const bs_tags_out *t, const bs_record *record, bs_writing *w, bs_buf *line)
{
    bs_json_open(line, NULL, '{');
    bs_buf_text(line, record->rest);
    bs_json_texts(line, "tokens", NULL, 0);
    if (t->names)
        bs_json_texts(line, "tags", NULL, 0);
    if (t->set)
        bs_json_texts(line, "spans", NULL, 0);
    bs_json_close(line, '}');
    bs_put_line(w, line);
}

void bs_put_sentences(const bs_tags_out *t, bs_writing *w, bs_put_members put, void *to)
{
    const bs_corpus *c = t->c;
    bs_buf           line;
    bs_buf_init(&line, (size_t)1 << 30);
    for (int32_t s = 0, k = 0; s <= c->sentences && !w->status; s++) {
        for (; k < c->records && c->record[k + 1].sentence <= s; k++)
            if (c->record[k].sentence == c->record[k + 1].sentence)
                put_empty(t, &c->record[k], w, &line);
        if (s == c->sentences)
            break;
        bs_json_open(&line, NULL, '{');
        bs_buf_text(&line, c->records ? c->record[k].rest : "");
        put(to, s, &line);
        bs_json_close(&line, '}');
        bs_put_line(w, &line);
    }
    bs_buf_free(&line);
}
