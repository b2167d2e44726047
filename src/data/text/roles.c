/* roles.c -- what readers, writers and metrics of semantic roles share. */
#include "data/text/roles_part.h"

#include <string.h>

#include "base/tree.h"

int32_t bs_role_predicate(const bs_corpus *c, int32_t row)
{
    const int32_t mark =
        bs_names_find(&c->value[0], BS_ROLE_PREDICATE, sizeof BS_ROLE_PREDICATE - 1);
    for (int32_t i = c->start[row]; i < c->start[row + 1] && mark >= 0 && c->columns > 0; i++)
        if (c->feature[0][i] == mark)
            return i - c->start[row];
    return -1;
}

int bs_role_core(const char *role)
{
    const size_t n = strncmp(role, "ARG", 3) == 0 ? 3 : 1;
    return *role == 'A' && role[n] >= '0' && role[n] < '0' + BS_CORE_ROLES && !role[n + 1]
               ? role[n] - '0'
               : -1;
}

const char *bs_role_continued(const char *role)
{
    return strncmp(role, "C-", 2) == 0 && role[2] ? role + 2 : NULL;
}

bool bs_role_row_room(bs_role_row *x, size_t n)
{
    x->n = (int32_t)n;
    return BS_GROW(x->word, x->cap[0], n + 1, INT32_MAX) &&
           BS_GROW(x->role, x->cap[1], n + 1, INT32_MAX) &&
           BS_GROW(x->begin, x->cap[2], n + 1, INT32_MAX);
}

void bs_role_row_free(bs_role_row *x)
{
    bs_free(x->word);
    bs_free(x->role);
    bs_free(x->begin);
}

void bs_role_put_row(bs_corpus_builder *m, const bs_role_row *x, int32_t predicate, bool labelled,
                     bs_buf *tag)
{
    bs_corpus_builder_sentence(m);
    for (int32_t i = 0; i < x->n; i++) {
        const bool verb = i == predicate;
        bs_corpus_builder_word(m, x->word[i].at, x->word[i].len, 0, 0);
        bs_corpus_builder_cell(m, verb ? BS_ROLE_PREDICATE : BS_ROLE_OTHER, 1);
        if (!labelled)
            continue;
        bs_buf_clear(tag);
        if (x->role[i].len) {
            bs_buf_text(tag, x->begin[i] ? "B-" : "I-");
            bs_buf_add(tag, x->role[i].at, x->role[i].len);
        } else {
            bs_buf_text(tag, verb ? "B-" BS_ROLE_VERB : "O");
        }
        m->failed = m->failed || tag->failed;
        bs_corpus_builder_cell(m, tag->failed ? "" : tag->data, tag->failed ? 0 : tag->len);
    }
    bs_corpus_builder_sentence(m);
}

basin_status bs_role_check_rows(const bs_corpus_builder *m)
{
    const bs_corpus_options *o = m->r->o;
    if (m->sentences > o->max_sentences)
        return bs_corpus_fail(m->r, 0, 0, "more than %d predicates; text.max_sentences allows more",
                              o->max_sentences);
    if (m->sentences == 0 && !o->block && !m->failed)
        return bs_corpus_fail(m->r, 0, 0, "no sentence has a predicate");
    return BASIN_OK;
}

int bs_role_cells(const char *p, const char *end, bool tabs, bs_cell *cell, int most)
{
    int n = 0;
    while (p < end) {
        const char *stop = p;
        while (stop < end && *stop != '\t' && (*stop != ' ' || tabs))
            stop++;
        if (stop > p || tabs) {
            if (n < most)
                cell[n] = (bs_cell){p, (size_t)(stop - p)};
            n++;
        }
        p = stop + 1;
    }
    return n;
}

bool bs_role_cell_is(const bs_cell *c, const char *text)
{
    return c->len == strlen(text) && memcmp(c->at, text, c->len) == 0;
}

bool bs_role_is_none(const bs_cell *c)
{
    return c->len == 0 || bs_role_cell_is(c, "-") || bs_role_cell_is(c, "_");
}

/* ---- words of a record ---- */

void bs_role_words_free(bs_role_words *w)
{
    bs_buf_free(&w->text);
    bs_free(w->word);
}

static bool add_word(bs_role_words *w, const char *text, size_t len)
{
    const bool ok = BS_GROW(w->word, w->cap, (size_t)w->n + 1, INT32_MAX);
    if (ok)
        w->word[w->n++] = (bs_cell){text, len};
    return ok;
}

/* Lines as they were read, without their roles: "=" and the line of a word, "#" and any other. */
static bool from_lines(const bs_corpus *c, const char *text, bs_role_words *w)
{
    bs_cell cell[BS_MOST_CELLS];
    bool    ok = true;
    for (const char *p = text; *p && ok; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *end = p + strcspn(p, "\n");
        const bool  tabs = memchr(p, '\t', (size_t)(end - p)) != NULL;
        const int   n = bs_role_cells(p + 1, end, tabs, cell, BS_MOST_CELLS);
        if (*p == '=' && n >= c->roles.word)
            ok = add_word(w, cell[c->roles.word - 1].at, cell[c->roles.word - 1].len);
    }
    return ok;
}

/* {"tokens": [...]} of a row of JSON. */
static bool from_members(const char *rest, bs_role_words *w)
{
    bs_buf text;
    bool   ok = true;
    bs_buf_init(&text, (size_t)1 << 30);
    bs_buf_text(&text, "{");
    bs_buf_text(&text, rest);
    bs_buf_text(&text, "}");
    json_t *o = text.failed ? NULL : bs_tree_read(text.data, text.len, 0, NULL);
    json_t *list = json_object_get(o, "tokens");
    bs_buf_clear(&w->text);
    for (size_t i = 0; i < json_array_size(list); i++)
        bs_buf_add(&w->text, json_string_value(json_array_get(list, i)),
                   json_string_length(json_array_get(list, i)));
    const char *at = w->text.failed || !o ? NULL : w->text.data ? w->text.data : "";
    for (size_t i = 0; i < json_array_size(list) && at && ok; i++) {
        const size_t len = json_string_length(json_array_get(list, i));
        ok = add_word(w, at, len);
        at += len;
    }
    json_decref(o);
    bs_buf_free(&text);
    return ok && at;
}

bool bs_role_words_of(const bs_corpus *c, int32_t k, bs_role_words *out)
{
    const int32_t row = c->record[k].sentence;
    bool          ok = true;
    out->n = 0;
    if (!out->text.ceiling)
        bs_buf_init(&out->text, (size_t)1 << 30);
    if (row == c->record[k + 1].sentence)
        return strcmp(c->format, "predicates") == 0 ? from_members(c->record[k].rest, out)
                                                    : from_lines(c, c->record[k].rest, out);
    for (int32_t i = c->start[row]; i < c->start[row + 1] && ok; i++) {
        const bs_name *word = &c->words.item[c->word[i]];
        ok = add_word(out, word->text, word->len);
    }
    return ok;
}

/* ---- spans ---- */

int32_t bs_role_spans(const bs_tags_out *t, int32_t r)
{
    int64_t       repaired = 0;
    const int32_t first = t->c->start[r], n = t->c->start[r + 1] - first;
    return t->set ? bs_spans(t->set, t->in_set + first, n, t->span, &repaired) : 0;
}

basin_status bs_role_count(const bs_corpus *c, bs_role_facts *out, basin_error *err)
{
    bs_own_tags  own;
    basin_status s = bs_own_tags_open(c, true, &own, err);
    *out = (bs_role_facts){.rows = c->sentences, .sentences = c->records};
    for (int32_t k = 0; k < c->records; k++)
        out->without += c->record[k].sentence == c->record[k + 1].sentence;
    for (int32_t r = 0; r < c->sentences && !s; r++) {
        const int32_t n = bs_role_spans(&own.t, r);
        int           seen[BS_CORE_ROLES] = {0};
        bool          twice = false;
        for (int32_t i = 0; i < n; i++) {
            const char *role = own.t.set->types.item[own.t.span[i].type].text;
            const char *more = bs_role_continued(role);
            const int   core = bs_role_core(role);
            twice = twice || (core >= 0 && seen[core]++ > 0);
            out->continued += more != NULL;
            out->referring += strncmp(role, "R-", 2) == 0;
            out->arguments += !more && strcmp(role, BS_ROLE_VERB) != 0;
        }
        out->repeated += twice;
    }
    bs_own_tags_close(&own);
    return s;
}
