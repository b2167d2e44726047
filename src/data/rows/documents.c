/* documents.c -- which columns hold the text of rows, and joining them. */
#include "data/rows/documents.h"

#include <string.h>

#include "data/scan.h"

bool bs_named_like_text(const char *name)
{
    static const char *const words[] = {"text",    "sentence",  "body",    "abstract",
                                        "content", "document",  "review",  "comment",
                                        "message", "tweet",     "summary", "description",
                                        "texts",   "sentences", NULL};
    for (int i = 0; words[i]; i++)
        if (bs_same_word(name, strlen(name), words[i]))
            return true;
    return false;
}

/* --- which columns ------------------------------------------------------- */

basin_status bs_text_add(bs_text_columns *t, const bs_reading *r, const char *column)
{
    if (t->n == BS_MOST_TEXTS)
        return bs_fail(r->err, BASIN_EARG, "--text-column: more than %d columns",
                       (int)BS_MOST_TEXTS);
    if (bs_text_place(t, column) >= 0)
        return bs_fail(r->err, BASIN_EARG, "--text-column: '%.60s' is named twice", column);
    const char *name = bs_arena_copy(&t->arena, column, strlen(column));
    if (!name)
        return bs_fail_nomem(r->err);
    bs_buf_init(&t->piece[t->n], (size_t)1 << 31);
    t->name[t->n++] = name;
    return BASIN_OK;
}

basin_status bs_text_columns_begin(bs_text_columns *t, const bs_reading *r)
{
    const bs_schema *like = r->o->like;
    basin_status     s = BASIN_OK;
    *t = (bs_text_columns){.given = r->o->text_column[0] || like};
    bs_arena_init(&t->arena, 0);
    for (const char *p = r->o->text_column; *p && !s;) {
        char         name[BS_OPTION_TEXT];
        const size_t n = strcspn(p, ",");
        bs_print(name, sizeof name, "%.*s", (int)n, p);
        s = n ? bs_text_add(t, r, name) : BASIN_OK;
        p += n + (p[n] == ',');
    }
    for (int i = 0; !s && like && !r->o->text_column[0] && i < like->n_texts; i++)
        s = bs_text_add(t, r, like->text[i]);
    return s;
}

void bs_text_columns_free(bs_text_columns *t)
{
    for (int i = 0; i < t->n; i++)
        bs_buf_free(&t->piece[i]);
    bs_arena_free(&t->arena);
}

int bs_text_place(const bs_text_columns *t, const char *column)
{
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->name[i], column) == 0)
            return i;
    return -1;
}

basin_status bs_text_exist(const bs_text_columns *t, const bs_reading *r, const char *const *names,
                           int32_t n)
{
    for (int i = 0; r->o->text_column[0] && i < t->n; i++) {
        int32_t k = 0;
        while (k < n && strcmp(names[k], t->name[i]) != 0)
            k++;
        if (k == n)
            return bs_error_at(r, 0, 0, "--text-column: there is no column '%.60s'; one is '%.60s'",
                               t->name[i], n ? names[n - 1] : "");
    }
    return BASIN_OK;
}

/* --- the text of a row --------------------------------------------------- */

basin_status bs_text_put(bs_text_columns *t, const bs_reading *r, int place, const char *text,
                         size_t len)
{
    t->seen |= 1u << place;
    bs_buf_clear(&t->piece[place]);
    if (!bs_is_missing(text, len))
        bs_buf_add(&t->piece[place], text, len);
    return t->piece[place].failed ? bs_fail_nomem(r->err) : BASIN_OK;
}

basin_status bs_text_end_row(bs_text_columns *t, const bs_reading *r)
{
    if (t->n == 0)
        return BASIN_OK;
    for (int i = 1; i < t->n; i++) {
        if (t->piece[0].len > 0 && t->piece[i].len > 0)
            bs_buf_text(&t->piece[0], " ");
        bs_buf_add(&t->piece[0], t->piece[i].data ? t->piece[i].data : "", t->piece[i].len);
        bs_buf_clear(&t->piece[i]);
    }
    const bs_buf *all = &t->piece[0];
    const bool ok = !all->failed && bs_build_document(r->b, all->data ? all->data : "", all->len);
    bs_buf_clear(&t->piece[0]);
    return ok ? BASIN_OK : bs_fail_nomem(r->err);
}

basin_status bs_text_finish(const bs_text_columns *t, const bs_reading *r)
{
    bs_arena    *arena = &r->b->ds->arena;
    const char **name = bs_arena_alloc(arena, ((size_t)t->n + 1) * sizeof *name);
    bool         ok = name != NULL;
    for (int i = 0; ok && i < t->n; i++)
        ok = (name[i] = bs_arena_copy(arena, t->name[i], strlen(t->name[i]))) != NULL;
    r->b->ds->schema.text = name;
    r->b->ds->schema.n_texts = t->seen ? t->n : 0;
    r->b->n_documents = t->seen ? r->b->n_documents : 0;
    return ok ? BASIN_OK : bs_fail_nomem(r->err);
}

/* --- guessing ------------------------------------------------------------ */

enum { FEW = 20, WORDS = 4, FEW_WORDS = 2, NAMED = 1 << 20 };

/* Words of a text, rounded. */
static int words_of(const bs_texts *t)
{
    return t->values ? (int)((t->words + t->values / 2) / t->values) : 0;
}

int bs_text_likeness(const char *name, const bs_texts *t, int32_t filled)
{
    const bool named = bs_named_like_text(name);
    const int  words = words_of(t);
    if (!t->others || 2 * (int64_t)t->values <= filled || words < (named ? FEW_WORDS : WORDS) ||
        (!named && t->values < FEW))
        return 0;
    return (named ? NAMED : 0) + (words < NAMED ? words : NAMED - 1);
}

void bs_text_note(const bs_reading *r, const char *column, const bs_texts *t, int32_t filled)
{
    bs_notes_add(r->notes, "documents",
                 "column '%s' is taken for the text of rows (%d different ones in %d rows, of %d "
                 "words; --text-column)",
                 column, (int)t->values, (int)filled, words_of(t));
}

void bs_text_note_spare(const bs_reading *r, const char *column, const char *chosen)
{
    bs_notes_add(r->notes, BS_NOTE_PROSE,
                 "column '%s' holds text and is left out: '%s' is the text of rows (--text-column "
                 "%s,%s joins them)",
                 column, chosen, chosen, column);
}
