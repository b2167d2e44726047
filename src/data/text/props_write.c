/* props_write.c -- semantic roles into columns: the lines as they were read with other roles, or
 * word, predicate and roles. */
#include <string.h>

#include "data/text/roles_part.h"

/* The cells of the columns of one sentence. */
typedef struct {
    const bs_tags_out *t;
    int32_t            first, end; /* rows of the corpus */
    bs_cell           *role;       /* [words, rows] the role that starts there */
    uint8_t           *ends;       /* [words, rows] */
    uint8_t           *verb;       /* [words] */
    size_t             role_cap, ends_cap, verb_cap;
} table;

static bool fill(table *b, int32_t words)
{
    const bs_corpus *c = b->t->c;
    const size_t     P = (size_t)(b->end - b->first), n = (size_t)words * P + 1;
    if (!BS_GROW(b->role, b->role_cap, n, SIZE_MAX / 32) ||
        !BS_GROW(b->ends, b->ends_cap, n, SIZE_MAX / 32) ||
        !BS_GROW(b->verb, b->verb_cap, (size_t)words + 1, SIZE_MAX / 32))
        return false;
    memset(b->role, 0, n * sizeof *b->role);
    memset(b->ends, 0, n);
    memset(b->verb, 0, (size_t)words + 1);
    for (int32_t r = b->first; r < b->end; r++) {
        const int32_t spans = bs_role_spans(b->t, r), verb_at = bs_role_predicate(c, r);
        const size_t  k = (size_t)(r - b->first);
        for (int32_t i = 0; i < spans; i++) {
            const bs_span *a = &b->t->span[i];
            const bs_name *name = &b->t->set->types.item[a->type];
            b->role[(size_t)a->first * P + k] = (bs_cell){name->text, name->len};
            b->ends[(size_t)(a->end - 1) * P + k] = 1;
        }
        if (verb_at >= 0)
            b->verb[verb_at] = 1;
    }
    return true;
}

static void put_cells(const table *b, int32_t t, const char *gap, bs_writing *w)
{
    const size_t P = (size_t)(b->end - b->first);
    for (size_t k = 0; k < P; k++) {
        const bs_cell *role = &b->role[(size_t)t * P + k];
        bs_put(w, gap);
        if (role->len) {
            bs_put(w, "(");
            bs_put_bytes(w, role->at, role->len);
        }
        bs_put(w, b->ends[(size_t)t * P + k] ? "*)" : "*");
    }
}

/* The spans of row r as a list of numbers of words. */
static void put_list(const table *b, int32_t r, bs_writing *w)
{
    const int32_t spans = bs_role_spans(b->t, r);
    bool          some = false;
    for (int32_t i = 0; i < spans; i++) {
        const bs_span *a = &b->t->span[i];
        const char    *role = b->t->set->types.item[a->type].text;
        if (strcmp(role, BS_ROLE_VERB) == 0)
            continue;
        bs_put(w, some ? "|" : "");
        bs_put(w, role);
        bs_put(w, ":");
        bs_put_int(w, a->first + 1);
        bs_put(w, "-");
        bs_put_int(w, a->end);
        some = true;
    }
    bs_put(w, some ? "" : "_");
}

/* Line `p` of word t with its roles. */
static void put_line(const table *b, const char *p, const char *end, int32_t t, int32_t *next,
                     bs_writing *w)
{
    const bs_role_layout *at = &b->t->c->roles;
    const bool            tabs = memchr(p, '\t', (size_t)(end - p)) != NULL;
    const char           *gap = tabs ? "\t" : " ";
    for (int k = 1; p < end || k == 1; k++) {
        bs_cell cell = {p, 0};
        while (!tabs && p < end && *p == ' ')
            cell.at = ++p;
        while (p < end && *p != '\t' && (*p != ' ' || tabs))
            p++;
        cell.len = (size_t)(p - cell.at);
        p += p < end;
        bs_put(w, k > 1 ? gap : "");
        if (k == at->spans && b->verb[t])
            put_list(b, b->first + (*next)++, w);
        else
            bs_put_bytes(w, cell.at, cell.len);
        if (k == at->after && !at->spans)
            put_cells(b, t, gap, w);
    }
    bs_put(w, "\n");
}

static void put_lines(const table *b, const char *text, bs_writing *w)
{
    int32_t t = 0, next = 0;
    for (const char *p = text; *p && !w->status;) {
        const char *end = p + strcspn(p, "\n");
        if (*p == '=') {
            put_line(b, p + 1, end, t++, &next, w);
        } else {
            bs_put_bytes(w, p + 1, (size_t)(end - p - 1));
            bs_put(w, "\n");
        }
        p = end + (*end == '\n');
    }
    bs_put(w, "\n");
}

/* From another format: word, predicate, roles. */
static void put_words(const table *b, const bs_role_words *words, bs_writing *w)
{
    for (int32_t t = 0; t < words->n; t++) {
        bs_put_bytes(w, words->word[t].at, words->word[t].len);
        bs_put(w, "\t");
        if (!b->verb[t])
            bs_put(w, "-");
        else if (bs_role_is_none(&words->word[t]))
            bs_put(w, BS_ROLE_VERB);
        else
            bs_put_bytes(w, words->word[t].at, words->word[t].len);
        put_cells(b, t, "\t", w);
        bs_put(w, "\n");
    }
    bs_put(w, "\n");
}

void bs_props_write(const bs_tags_out *t, bs_writing *w)
{
    const bs_corpus *c = t->c;
    const bool       own = strcmp(c->format, "props") == 0;
    bs_role_words    words = {.n = 0};
    table            b = {.t = t};
    bool             ok = true;
    for (int32_t k = 0; k < c->records && ok && !w->status; k++) {
        b.first = c->record[k].sentence;
        b.end = c->record[k + 1].sentence;
        ok = bs_role_words_of(c, k, &words) && fill(&b, words.n);
        if (ok && own)
            put_lines(&b, c->record[k].rest, w);
        else if (ok)
            put_words(&b, &words, w);
    }
    if (!ok && !w->status)
        w->status = bs_fail_nomem(w->err);
    bs_free(b.role);
    bs_free(b.ends);
    bs_free(b.verb);
    bs_role_words_free(&words);
}
