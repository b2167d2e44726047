/* bytepair.c -- RoBERTa's tokeniser: a text is split into words with the blank before them, and the
 * bytes of a word are merged two by two, in the order in which the merges were learnt. */
#include <string.h>

#include "token/inside.h"
#include "token/letters.h"

/* --- words ------------------------------------------------------------------- */

typedef enum { LETTER, NUMBER, WHITE, SIGN, NOTHING } kind_of; /* NOTHING: the end */

/* The kind of the character at `at`, and where it ends. */
static kind_of look(const char *text, size_t at, size_t to, size_t *end)
{
    int bytes;
    *end = at;
    if (at >= to)
        return NOTHING;
    const uint32_t c = bs_letter_at(text + at, to - at, &bytes);
    *end = at + (size_t)bytes;
    if (c < 0x80) {
        if ((c | 32) >= 'a' && (c | 32) <= 'z')
            return LETTER;
        if (c >= '0' && c <= '9')
            return NUMBER;
        return bs_letter_white(c) ? WHITE : SIGN;
    }
    return bs_letter_alphabetic(c) ? LETTER
           : bs_letter_numeric(c)  ? NUMBER
           : bs_letter_white(c)    ? WHITE
                                   : SIGN;
}

/* The end of one of 's 't 're 've 'm 'll 'd at `at`, or 0. */
static size_t contraction(const char *text, size_t at, size_t to)
{
    static const char *const ends[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    for (size_t i = 0; text[at] == '\'' && i < sizeof ends / sizeof ends[0]; i++) {
        const size_t n = strlen(ends[i]);
        if (to - at > n && memcmp(text + at + 1, ends[i], n) == 0)
            return at + 1 + n;
    }
    return 0;
}

/* The end of the word that begins at `at`: a contraction; a run of letters, of numbers or of other
 * signs, with at most one blank before it; or blanks, of which the last belongs to what follows.
 * blank: there is one before, which is not in the text. */
static size_t word_end(const char *text, size_t at, size_t to, bool blank)
{
    size_t end = blank ? 0 : contraction(text, at, to), next, last = at;
    if (end)
        return end;
    kind_of kind = look(text, at, to, &end);
    if (!blank && text[at] == ' ') {
        const kind_of after = look(text, end, to, &next);
        if (after != WHITE && after != NOTHING) {
            kind = after;
            end = next;
        }
    }
    while (look(text, end, to, &next) == kind) {
        last = end;
        end = next;
    }
    return kind == WHITE && end < to && (blank || last > at) ? last : end;
}

/* --- merging ------------------------------------------------------------------ */

static void sift_down(bs_merge_due *heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && heap[child + 1].order < heap[child].order)
            child++;
        if (heap[i].order <= heap[child].order)
            return;
        const bs_merge_due was = heap[i];
        heap[i] = heap[child];
        heap[child] = was;
    }
}

/* Notes that symbol `left` and the one after it can be merged, if they can. */
static bool note(bs_token_run *r, int32_t left)
{
    bs_token_scratch *w = r->out->scratch;
    const int32_t     right = left < 0 ? -1 : w->symbol[left].next;
    if (right < 0)
        return true;
    const bs_merge_due pair = {0, w->symbol[left].id, w->symbol[right].id};
    const int32_t      rank = bs_merges_find(&r->t->merges, pair.left, pair.right);
    if (rank < 0)
        return true;
    if (!BS_GROW(w->heap, w->cap_heap, w->n_heap + 1, SIZE_MAX)) {
        r->nomem = true;
        return false;
    }
    size_t             i = w->n_heap++;
    const bs_merge_due due = {(uint64_t)rank << 32 | (uint32_t)left, pair.left, pair.right};
    for (; i && w->heap[(i - 1) / 2].order > due.order; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = due;
    return true;
}

/* Merges the n symbols of the word until nothing is due. */
static bool merge_all(bs_token_run *r, int32_t n)
{
    bs_token_scratch *w = r->out->scratch;
    w->n_heap = 0;
    for (int32_t i = 0; i < n; i++) {
        w->symbol[i].prev = i - 1;
        w->symbol[i].next = i + 1 < n ? i + 1 : -1;
    }
    for (int32_t i = 0; i < n; i++)
        if (!note(r, i))
            return false;
    while (w->n_heap) {
        const bs_merge_due due = w->heap[0];
        bs_symbol         *left = &w->symbol[(uint32_t)due.order];
        w->heap[0] = w->heap[--w->n_heap];
        sift_down(w->heap, w->n_heap, 0);
        /* One of the two may have been merged meanwhile. */
        const int32_t right = left->id == due.left ? left->next : -1;
        if (right < 0 || w->symbol[right].id != due.right)
            continue;
        left->id = r->t->merges.merge[due.order >> 32].joined;
        left->next = w->symbol[right].next;
        w->symbol[right].id = -1;
        if (left->next >= 0)
            w->symbol[left->next].prev = (int32_t)(uint32_t)due.order;
        if (!note(r, left->prev) || !note(r, (int32_t)(uint32_t)due.order))
            return false;
    }
    return true;
}

/* --- pieces ------------------------------------------------------------------- */

/* How many blanks a piece begins or ends with, which are written as U+0120. */
static int blanks_of(const char *piece, bool at_end)
{
    const size_t len = strlen(piece);
    size_t       n = 0;
    while (2 * n + 2 <= len &&
           memcmp(at_end ? piece + len - 2 * n - 2 : piece + 2 * n, "\xC4\xA0", 2) == 0)
        n++;
    return (int)n;
}

/* Places without blanks at the ends, counted as the reference tokeniser does: a blank that was put
 * before the text is not in it, one that was put before a later part counts as its first letter. */
static void trim(const bs_token_run *r, const char *text, int32_t id, bs_piece_place *place)
{
    const char *piece = bs_tokenizer_piece(r->t, id);
    int         before = blanks_of(piece, false), after = blanks_of(piece, true), bytes;
    if (before == 1 && r->blank && !place->first)
        before = 0;
    for (; before && place->first < place->end; before--) {
        bs_letter_at(text + place->first_byte, (size_t)(place->end_byte - place->first_byte),
                     &bytes);
        place->first++;
        place->first_byte += bytes;
    }
    for (; after && place->first < place->end; after--) {
        place->end--;
        place->end_byte = place->first == place->end ? place->first_byte : place->end_byte - 1;
    }
}

/* Bytes first..end of the word are one piece. */
static bool put_piece(bs_token_run *r, const char *text, int32_t first, int32_t end)
{
    const bs_symbol       *symbol = r->out->scratch->symbol;
    const bs_letter_place *a = &symbol[first].place, *b = &symbol[end - 1].place;
    bs_piece_place         place = {a->at, b->at + 1, a->byte, b->byte + b->bytes, r->word};
    if (r->t->rules.trim)
        trim(r, text, symbol[first].id, &place);
    return bs_token_put(r, symbol[first].id, place);
}

/* The symbols of one character: of each of its bytes. */
static int32_t add_bytes(bs_token_run *r, int32_t n, const char *bytes, int count,
                         bs_letter_place place)
{
    bs_token_scratch *w = r->out->scratch;
    if (!BS_GROW(w->symbol, w->cap_symbols, (size_t)n + 4, SIZE_MAX)) {
        r->nomem = true;
        return -1;
    }
    for (int i = 0; i < count; i++)
        w->symbol[n++] = (bs_symbol){.id = r->t->byte[(unsigned char)bytes[i]], .place = place};
    return n;
}

/* blank: where the blank before the word is, which the text does not have; or NULL. */
static bool put_word(bs_token_run *r, const char *text, size_t from, size_t to,
                     const bs_letter_place *blank)
{
    int32_t n = 0;
    int     bytes;
    if (blank)
        n = add_bytes(r, n, " ", 1, *blank);
    for (size_t i = from; i < to && n >= 0; i += (size_t)bytes, r->at++) {
        const uint32_t c = bs_letter_at(text + i, to - i, &bytes);
        const bool     bad = c == 0xFFFD && bytes == 1;
        n = add_bytes(r, n, bad ? "\xEF\xBF\xBD" : text + i, bad ? 3 : bytes,
                      (bs_letter_place){r->at, (int32_t)i, bytes});
    }
    if (n < 0 || !merge_all(r, n))
        return false;
    for (int32_t i = 0, next; i >= 0 && n; i = next) {
        next = r->out->scratch->symbol[i].next;
        if (!put_piece(r, text, i, next < 0 ? n : next))
            return false;
    }
    r->word += r->step;
    return true;
}

bool bs_bytepair_run(bs_token_run *r, const char *text, size_t from, size_t to)
{
    bool            blank = r->blank && from < to && text[from] != ' ';
    bs_letter_place first = {.at = r->at, .byte = (int32_t)from};
    if (blank)
        bs_letter_at(text + from, to - from, &first.bytes);
    while (from < to) {
        const size_t end = word_end(text, from, to, blank);
        if (!put_word(r, text, from, end, blank ? &first : NULL))
            return false;
        blank = false;
        from = end;
    }
    return true;
}
