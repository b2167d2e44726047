/* wordpiece.c -- BERT's tokenisers: the text is cleaned and split into words character by
 * character, and each word is cut into the longest pieces that there are, from the left. */
#include <string.h>

#include "base/utf8.h"
#include "token/inside.h"
#include "token/letters.h"

/* Bytes from..to of the word at hand, characters first..end, are one piece. */
static bool put_piece(bs_token_run *r, int32_t id, int32_t first, int32_t end)
{
    const bs_token_scratch *w = r->out->scratch;
    const bs_letter_place  *a = &w->place[first];
    const bs_letter_place  *b = end == w->chars ? &w->last : &w->place[end - 1];
    return bs_token_put(r, id,
                        (bs_piece_place){a->at, b->at + 1, a->byte, b->byte + b->bytes, r->word});
}

/* The character behind the longest piece that begins at `first`; 0: there is none. */
static int32_t longest_piece(const bs_vocabulary *v, const bs_token_scratch *w, int32_t first,
                             int32_t *id)
{
    const bool    inside = first > 0;
    const int32_t from = w->start[first], most = v->longest[inside];
    int32_t       end = w->chars;
    while (end > first && w->start[end] - from > most)
        end--;
    for (; end > first; end--) {
        *id = bs_vocabulary_find(v, w->byte + from, (size_t)(w->start[end] - from), inside);
        if (*id >= 0)
            return end;
    }
    return 0;
}

/* Ends a word, if there is one. All its pieces are found before the first is put: where one is
 * missing, the word is one unknown piece. */
static bool end_word(bs_token_run *r)
{
    bs_token_scratch    *w = r->out->scratch;
    const bs_vocabulary *v = &r->t->words;
    int32_t              id[BS_TOKEN_WORD_MOST], end[BS_TOKEN_WORD_MOST];
    int                  n = 0;
    bool                 known = w->chars <= r->t->rules.word_most;
    if (!w->chars)
        return true;
    for (int32_t at = 0; known && at < w->chars; at = end[n++]) {
        end[n] = longest_piece(v, w, at, &id[n]);
        known = end[n] > 0;
    }
    bool goes_on = known || put_piece(r, r->t->rules.unknown, 0, w->chars);
    for (int i = 0; i < n && known && goes_on; i++)
        goes_on = put_piece(r, id[i], i ? end[i - 1] : 0, end[i]);
    w->chars = w->bytes = 0;
    r->word += r->step;
    return goes_on;
}

/* One more character of a word. */
static void add_letter(const bs_token_run *r, uint32_t c, bs_letter_place place)
{
    bs_token_scratch *w = r->out->scratch;
    w->last = place;
    if (w->chars++ >= r->t->rules.word_most)
        return;
    w->place[w->chars - 1] = place;
    w->bytes = (int32_t)(bs_utf8_put(w->byte + w->bytes, c) - w->byte);
    w->start[w->chars] = w->bytes;
}

/* A character after cleaning and decomposition. */
static bool add_part(bs_token_run *r, uint32_t c, bs_letter_place place)
{
    uint32_t lower[2] = {c};
    int      n = r->t->rules.lower ? bs_letter_lower(c, lower) : 1;
    for (int i = 0; i < n; i++) {
        const bool white = bs_letter_white(lower[i]);
        const bool alone = !white && bs_letter_kind(lower[i]) == BS_LETTER_PUNCT;
        if ((white || alone) && !end_word(r))
            return false;
        if (!white)
            add_letter(r, lower[i], place);
        if (alone && !end_word(r))
            return false;
    }
    return true;
}

/* --- accents are taken off ------------------------------------------------------- */

/* A character after decomposition. */
static bool add_unmarked(bs_token_run *r, uint32_t c, bs_letter_place place)
{
    return bs_letter_kind(c) == BS_LETTER_MARK || add_part(r, c, place);
}

/* Signs on a letter are put into canonical order. Places keep the order of the text: each sign that
 * stood there takes the next one, one that a decomposition gave stays at that before it. */
static bool add_signs(bs_token_run *r)
{
    bs_token_scratch *w = r->out->scratch;
    int               order[BS_SIGNS_MOST], next = 0;
    bs_letter_place   place = w->base;
    for (int i = 0; i < w->n_signs; i++) {
        int at = i;
        for (; at && w->sign[order[at - 1]].order > w->sign[i].order; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < w->n_signs; i++) {
        if (!w->sign[order[i]].given) {
            while (w->sign[next].given)
                next++;
            place = w->sign[next++].place;
        }
        if (!add_unmarked(r, w->sign[order[i]].c, place))
            return false;
    }
    w->n_signs = 0;
    return true;
}

static bool add_decomposed(bs_token_run *r, uint32_t c, bs_letter_place place)
{
    bs_token_scratch *w = r->out->scratch;
    uint32_t          part[BS_LETTER_PARTS];
    const int         n = bs_letter_parts(c, part);
    for (int i = 0; i < n; i++) {
        const int order = bs_letter_order(part[i]);
        if ((!order || w->n_signs == BS_SIGNS_MOST) && !add_signs(r))
            return false;
        if (order) {
            w->sign[w->n_signs++] = (bs_sign){part[i], order, i > 0, place};
            continue;
        }
        w->base = place;
        if (!add_unmarked(r, part[i], place))
            return false;
    }
    return true;
}

/* --- texts ------------------------------------------------------------------------- */

/* Any character of the text. */
static bool add_char(bs_token_run *r, uint32_t c, bs_letter_place place)
{
    const bs_token_rules *rules = &r->t->rules;
    const bs_letter       kind = bs_letter_kind(c);
    if (rules->clean && (kind == BS_LETTER_DROP || c == 0xFFFD))
        return true;
    const bool alone = rules->han && kind == BS_LETTER_HAN;
    if (alone && !(add_signs(r) && end_word(r)))
        return false;
    if (!(rules->strip ? add_decomposed(r, c, place) : add_part(r, c, place)))
        return false;
    return !alone || end_word(r);
}

/* Letters and digits of ASCII go straight into the word. Returns where they end. */
static size_t add_plain(const bs_token_run *r, const char *text, size_t at, size_t to)
{
    bs_token_scratch *w = r->out->scratch;
    const bool        lower = r->t->rules.lower;
    const int32_t     most = r->t->rules.word_most;
    const int32_t     back = r->at - (int32_t)at;
    const size_t      first = at;
    for (; at < to && w->chars < most; at++) {
        const unsigned char c = (unsigned char)text[at], small = c | 32;
        if (small >= 'a' && small <= 'z')
            w->byte[w->bytes++] = (char)(lower ? small : c);
        else if (c >= '0' && c <= '9')
            w->byte[w->bytes++] = (char)c;
        else
            break;
        w->place[w->chars] = (bs_letter_place){(int32_t)at + back, (int32_t)at, 1};
        w->start[++w->chars] = w->bytes;
    }
    if (at > first)
        w->last = w->place[w->chars - 1];
    return at;
}

bool bs_wordpiece_run(bs_token_run *r, const char *text, size_t from, size_t to)
{
    bs_token_scratch *w = r->out->scratch;
    w->chars = w->bytes = w->n_signs = 0;
    for (size_t i = from; i < to;) {
        int          bytes;
        const size_t plain = w->n_signs ? i : add_plain(r, text, i, to);
        r->at += (int32_t)(plain - i);
        i = plain;
        if (i == to)
            break;
        const uint32_t c = bs_letter_at(text + i, to - i, &bytes);
        if (!add_char(r, c, (bs_letter_place){r->at, (int32_t)i, bytes}))
            return false;
        r->at++;
        i += (size_t)bytes;
    }
    return add_signs(r) && end_word(r);
}
