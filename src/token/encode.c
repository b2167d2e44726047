/* encode.c -- from texts to pieces: those named in the text, those between, those around it. */
#include <string.h>

#include "token/inside.h"
#include "token/letters.h"

enum { TEXT_MOST = 1 << 30 };

void bs_pieces_free(bs_pieces *p)
{
    if (p->scratch) {
        bs_free(p->scratch->symbol);
        bs_free(p->scratch->heap);
    }
    bs_free(p->scratch);
    bs_free(p->id);
    bs_free(p->place);
    *p = (bs_pieces){0};
}

static bool grow(bs_pieces *p)
{
    size_t cap = p->cap;
    return BS_GROW(p->id, cap, p->cap + 1, INT32_MAX) &&
           BS_GROW(p->place, p->cap, p->cap + 1, INT32_MAX);
}

bool bs_token_put(bs_token_run *r, int32_t id, bs_piece_place place)
{
    bs_pieces *p = r->out;
    if (p->n >= r->room) {
        p->cut = true;
        return false;
    }
    if ((size_t)p->n == p->cap && !grow(p)) {
        r->nomem = true;
        return false;
    }
    p->unknown += id == r->t->rules.unknown;
    p->id[p->n] = id;
    p->place[p->n++] = place;
    return true;
}

/* Pieces that are not in the text: those before it or after it. */
static bool put_around(bs_token_run *r, const int32_t *id, int n)
{
    for (int i = 0; i < n; i++)
        if (!bs_token_put(r, id[i], (bs_piece_place){.word = -1}))
            return false;
    return true;
}

/* --- pieces named in the text -------------------------------------------------- */

static const bs_added *added_at(const bs_token_run *r, const char *text, size_t at, size_t to,
                                size_t *end)
{
    for (int i = 0; i < r->t->n_added; i++) {
        const bs_added *a = &r->t->added[i];
        const char     *name = bs_tokenizer_piece(r->t, a->id);
        const size_t    len = strlen(name);
        if ((r->special || !a->special) && to - at >= len && memcmp(text + at, name, len) == 0) {
            *end = at + len;
            return a;
        }
    }
    return NULL;
}

/* Where the blanks before `at` begin, from `from` on. */
static size_t blanks_before(const char *text, size_t from, size_t at)
{
    while (at > from) {
        size_t back = at - 1;
        int    bytes;
        while (back > from && ((unsigned char)text[back] & 0xC0) == 0x80)
            back--;
        if (!bs_letter_white(bs_letter_at(text + back, at - back, &bytes)))
            return at;
        at = back;
    }
    return at;
}

static size_t blanks_after(const char *text, size_t at, size_t to)
{
    int bytes;
    while (at < to && bs_letter_white(bs_letter_at(text + at, to - at, &bytes)))
        at += (size_t)bytes;
    return at;
}

static int32_t count_chars(const char *text, size_t from, size_t to)
{
    int32_t n = 0;
    int     bytes;
    for (; from < to; from += (size_t)bytes, n++)
        bs_letter_at(text + from, to - from, &bytes);
    return n;
}

static bool run_between(bs_token_run *r, const char *text, size_t from, size_t to)
{
    return from >= to || (r->t->rules.kind == BS_WORDPIECE ? bs_wordpiece_run(r, text, from, to)
                                                           : bs_bytepair_run(r, text, from, to));
}

static bool put_added(bs_token_run *r, const bs_added *a, const char *text, size_t from, size_t to)
{
    bs_piece_place place = {.first = r->at, .word = r->word};
    size_t         begin = from, end = to;
    if (r->t->rules.trim) {
        begin = blanks_after(text, from, to);
        end = blanks_before(text, begin, to);
        if (r->blank && !r->at && count_chars(text, from, begin) == 1) /* as in bytepair.c */
            begin = from;
    }
    place.first += count_chars(text, from, begin);
    place.end = place.first + count_chars(text, begin, end);
    place.first_byte = (int32_t)begin;
    place.end_byte = (int32_t)end;
    r->at += count_chars(text, from, to);
    r->word += r->step;
    return bs_token_put(r, a->id, place);
}

static bool run_text(bs_token_run *r, const char *text, size_t len)
{
    size_t done = 0;
    for (size_t i = 0; i < len;) {
        size_t          end;
        const bs_added *a =
            r->t->starts[(unsigned char)text[i]] ? added_at(r, text, i, len, &end) : NULL;
        if (!a) {
            i++;
            continue;
        }
        const size_t begin = a->left ? blanks_before(text, done, i) : i;
        if (a->right)
            end = blanks_after(text, end, len);
        if (!run_between(r, text, done, begin) || !put_added(r, a, text, begin, end))
            return false;
        done = i = end;
    }
    return run_between(r, text, done, len);
}

/* --- texts and sentences --------------------------------------------------------- */

static basin_status start(bs_token_run *r, const bs_tokenizer *t, const bs_token_options *o,
                          bs_pieces *out, basin_error *err)
{
    const bs_token_rules *rules = &t->rules;
    const int32_t         around = rules->n_before + rules->n_after;
    if (!out->scratch)
        out->scratch = bs_calloc(1, sizeof *out->scratch);
    if (!out->scratch)
        return bs_fail_nomem(err);
    if (o->most && o->most <= around)
        return bs_fail(err, BASIN_EARG,
                       "at most %d pieces leave no room for a text: %d are around it", (int)o->most,
                       (int)around);
    out->n = out->unknown = 0;
    out->cut = false;
    *r = (bs_token_run){.t = t,
                        .out = out,
                        .room = (o->most ? o->most : INT32_MAX) - rules->n_after,
                        .word = -1,
                        .special = o->special,
                        .blank = rules->blank};
    put_around(r, rules->before, rules->n_before);
    return r->nomem ? bs_fail_nomem(err) : BASIN_OK;
}

static basin_status end(bs_token_run *r, basin_error *err)
{
    const bool cut = r->out->cut;
    r->room = INT32_MAX;
    if (!r->nomem)
        put_around(r, r->t->rules.after, r->t->rules.n_after);
    r->out->cut = cut;
    return r->nomem ? bs_fail_nomem(err) : BASIN_OK;
}

static basin_status fail_long(basin_error *err)
{
    return bs_fail(err, BASIN_EDATA, "a text of 1 GiB or more is too long to be cut into pieces");
}

basin_status bs_token_text(const bs_tokenizer *t, const char *text, size_t len,
                           const bs_token_options *o, bs_pieces *out, basin_error *err)
{
    bs_token_run r;
    basin_status s = len < TEXT_MOST ? start(&r, t, o, out, err) : fail_long(err);
    if (s)
        return s;
    r.word = 0;
    r.step = 1;
    if (!r.nomem)
        run_text(&r, text, len);
    return end(&r, err);
}

basin_status bs_token_words(const bs_tokenizer *t, const char *const *word, int32_t n,
                            const bs_token_options *o, bs_pieces *out, basin_error *err)
{
    bs_token_run r;
    basin_status s = start(&r, t, o, out, err);
    bool         goes_on = !s;
    for (int32_t i = 0; i < n && goes_on; i++) {
        const size_t  len = strlen(word[i]);
        const int32_t had = out->n;
        if (len >= TEXT_MOST)
            return fail_long(err);
        r.word = i;
        r.at = 0;
        r.blank = true;
        goes_on = run_text(&r, word[i], len);
        if (goes_on && out->n == had)
            goes_on =
                bs_token_put(&r, t->rules.unknown, (bs_piece_place){0, r.at, 0, (int32_t)len, i});
    }
    return s ? s : end(&r, err);
}
