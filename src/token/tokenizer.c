/* tokenizer.c -- a tokeniser from its parts, and what it tells of itself. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "token/inside.h"

void bs_tokenizer_free(bs_tokenizer *t)
{
    if (!t)
        return;
    bs_vocabulary_free(&t->words);
    bs_merges_free(&t->merges);
    bs_free(t->added);
    bs_free(t);
}

int32_t bs_tokenizer_count(const bs_tokenizer *t)
{
    return t->words.n;
}

const char *bs_tokenizer_piece(const bs_tokenizer *t, int32_t id)
{
    return t->words.text.data + t->words.start[id];
}

int32_t bs_tokenizer_id(const bs_tokenizer *t, const char *piece)
{
    return *piece ? bs_vocabulary_find(&t->words, piece, strlen(piece), false) : -1;
}

int32_t bs_tokenizer_unknown(const bs_tokenizer *t)
{
    return t->rules.unknown;
}

const char *bs_tokenizer_kind(const bs_tokenizer *t)
{
    return t->rules.kind == BS_BYTE_PAIRS ? "byte-level BPE"
           : t->rules.lower               ? "WordPiece, lower case"
                                          : "WordPiece";
}

/* --- parts ----------------------------------------------------------------------- */

basin_status bs_token_piece(bs_token_parts *p, long long id, const char *text, size_t len,
                            basin_error *err)
{
    if (id < 0 || id >= BS_PIECES_MOST)
        return bs_fail(err, BASIN_EDATA,
                       "%s: piece '%.*s' has the number %lld; 0 to %d are possible", p->name,
                       (int)(len < 40 ? len : 40), text, id, BS_PIECES_MOST - 1);
    if (memchr(text, '\n', len) || memchr(text, '\0', len))
        return bs_fail(err, BASIN_EUNSUPPORTED, "%s: piece %lld has a line end or a NUL", p->name,
                       id);
    if (id >= p->n) {
        if (!BS_GROW(p->piece, p->cap, (size_t)id + 1, BS_PIECES_MOST))
            return bs_fail_nomem(err);
        memset(p->piece + p->n, 0, (size_t)(id + 1 - p->n) * sizeof *p->piece);
        p->n = (int32_t)id + 1;
    }
    p->piece[id] = (bs_piece_text){text, len};
    return BASIN_OK;
}

basin_status bs_token_added(bs_token_parts *p, bs_added a, basin_error *err)
{
    for (int i = 0; i < p->n_added; i++)
        if (p->added[i].id == a.id) {
            p->added[i] = a;
            return BASIN_OK;
        }
    if (p->n_added == BS_ADDED_MOST)
        return bs_fail(err, BASIN_EUNSUPPORTED, "%s: more than %d added pieces", p->name,
                       BS_ADDED_MOST);
    if (!BS_GROW(p->added, p->cap_added, (size_t)p->n_added + 1, BS_ADDED_MOST))
        return bs_fail_nomem(err);
    p->added[p->n_added++] = a;
    return BASIN_OK;
}

basin_status bs_token_merge(bs_token_parts *p, bs_piece_text left, bs_piece_text right,
                            basin_error *err)
{
    if (p->n_merges == BS_PIECES_MOST)
        return bs_fail(err, BASIN_EUNSUPPORTED, "%s: more than %d merges", p->name, BS_PIECES_MOST);
    if (!BS_GROW(p->merge, p->cap_merges, 2 * (size_t)p->n_merges + 2, 2 * BS_PIECES_MOST))
        return bs_fail_nomem(err);
    p->merge[2 * p->n_merges] = left;
    p->merge[2 * p->n_merges++ + 1] = right;
    return BASIN_OK;
}

int32_t bs_token_find(const bs_token_parts *p, const char *text)
{
    const size_t len = strlen(text);
    for (int32_t i = p->n - 1; i >= 0; i--)
        if (p->piece[i].len == len && p->piece[i].text && !memcmp(p->piece[i].text, text, len))
            return i;
    return -1;
}

void bs_token_parts_free(bs_token_parts *p)
{
    bs_free(p->piece);
    bs_free(p->added);
    bs_free(p->merge);
    *p = (bs_token_parts){0};
}

/* --- making ---------------------------------------------------------------------- */

static bool is_piece(const bs_token_parts *p, int32_t id)
{
    return id >= 0 && id < p->n && p->piece[id].text && p->piece[id].len;
}

static basin_status check_rules(const bs_token_parts *p, basin_error *err)
{
    const bs_token_rules *r = &p->rules;
    bool                  ok = r->n_before >= 0 && r->n_before <= BS_AROUND && r->n_after >= 0 &&
              r->n_after <= BS_AROUND && r->word_most >= 1 && r->word_most <= BS_TOKEN_WORD_MOST;
    for (int i = 0; ok && i < r->n_before; i++)
        ok = is_piece(p, r->before[i]);
    for (int i = 0; ok && i < r->n_after; i++)
        ok = is_piece(p, r->after[i]);
    for (int i = 0; ok && i < p->n_added; i++)
        ok = is_piece(p, p->added[i].id);
    if (!ok)
        return bs_fail(err, BASIN_EDATA,
                       "%s: a piece that is put around texts, or looked for in them, is not in the "
                       "vocabulary",
                       p->name);
    if (!is_piece(p, r->unknown) && (r->kind == BS_WORDPIECE || r->unknown != -1))
        return bs_fail(err, BASIN_EDATA, "%s: the vocabulary has no piece for unknown words",
                       p->name);
    return BASIN_OK;
}

/* Byte-level vocabularies write a byte as a character that can be seen: itself, where it is one, or
 * the next one from U+0100 on. */
static basin_status find_bytes(bs_tokenizer *t, const char *name, basin_error *err)
{
    uint32_t next = 0x100;
    for (int i = 0; i < 256; i++) {
        const bool  seen = (i > 32 && i < 127) || (i > 160 && i != 173);
        char        text[4];
        const char *end = bs_utf8_put(text, seen ? (uint32_t)i : next++);
        t->byte[i] = bs_vocabulary_find(&t->words, text, (size_t)(end - text), false);
        if (t->byte[i] < 0)
            return bs_fail(
                err, BASIN_EUNSUPPORTED,
                "%s: the vocabulary has no piece for the byte %d; byte-level BPE has one "
                "for each",
                name, i);
    }
    return BASIN_OK;
}

static basin_status find_merges(bs_tokenizer *t, const bs_token_parts *p, basin_error *err)
{
    bs_merges *m = &t->merges;
    bs_buf     both;
    m->merge = bs_calloc((size_t)p->n_merges, sizeof *m->merge);
    if (!m->merge)
        return bs_fail_nomem(err);
    bs_buf_init(&both, INT32_MAX);
    basin_status s = BASIN_OK;
    for (int32_t i = 0; i < p->n_merges && !s; i++) {
        const bs_piece_text *left = &p->merge[2 * i], *right = left + 1;
        bs_merge            *to = &m->merge[m->n++];
        bs_buf_clear(&both);
        bs_buf_add(&both, left->text, left->len);
        bs_buf_add(&both, right->text, right->len);
        if (both.failed) {
            s = bs_fail_nomem(err);
            break;
        }
        to->left = bs_vocabulary_find(&t->words, left->text, left->len, false);
        to->right = bs_vocabulary_find(&t->words, right->text, right->len, false);
        to->joined = bs_vocabulary_find(&t->words, both.data, both.len, false);
        if (to->left < 0 || to->right < 0 || to->joined < 0)
            s = bs_fail(err, BASIN_EDATA,
                        "%s: merge %d joins '%.*s' and '%.*s', but the vocabulary lacks %s",
                        p->name, (int)i + 1, (int)(left->len < 40 ? left->len : 40), left->text,
                        (int)(right->len < 40 ? right->len : 40), right->text,
                        to->left < 0 || to->right < 0 ? "one of them" : "both together");
    }
    bs_buf_free(&both);
    return s ? s : bs_merges_hash(m, err);
}

/* The longest first, so that the first that matches is the right one. */
static void sort_added(bs_tokenizer *t)
{
    for (int i = 1; i < t->n_added; i++) {
        const bs_added a = t->added[i];
        const size_t   len = strlen(bs_tokenizer_piece(t, a.id));
        int            at = i;
        for (; at && strlen(bs_tokenizer_piece(t, t->added[at - 1].id)) < len; at--)
            t->added[at] = t->added[at - 1];
        t->added[at] = a;
    }
    for (int i = 0; i < t->n_added; i++)
        t->starts[(unsigned char)*bs_tokenizer_piece(t, t->added[i].id)] = true;
}

static basin_status make(bs_tokenizer *t, const bs_token_parts *p, basin_error *err)
{
    basin_status s = bs_vocabulary_make(&t->words, p->piece, p->n, p->rules.joint, err);
    if (s)
        return s;
    t->rules = p->rules;
    t->added = bs_calloc((size_t)p->n_added, sizeof *t->added);
    if (!t->added)
        return bs_fail_nomem(err);
    t->n_added = p->n_added;
    if (p->n_added)
        memcpy(t->added, p->added, (size_t)p->n_added * sizeof *t->added);
    sort_added(t);
    if (p->rules.kind == BS_WORDPIECE)
        return BASIN_OK;
    s = find_bytes(t, p->name, err);
    return s ? s : find_merges(t, p, err);
}

basin_status bs_token_make(const bs_token_parts *p, bs_tokenizer **out, basin_error *err)
{
    basin_status  s = check_rules(p, err);
    bs_tokenizer *t = s ? NULL : bs_calloc(1, sizeof *t);
    *out = NULL;
    if (s)
        return s;
    if (!t)
        return bs_fail_nomem(err);
    s = make(t, p, err);
    if (s)
        bs_tokenizer_free(t);
    else
        *out = t;
    return s;
}
