/* scheme_text.c -- detects the scheme of a text and converts it to another; see scheme.h. */
#include "data/text/scheme_part.h"

#include <string.h>

#include "base/buf.h"

/* ---- whole texts ---- */

basin_status bs_text_check(int32_t n_tags, const int32_t *tag, const int32_t *start,
                           int32_t sentences, basin_error *err)
{
    if (sentences < 0)
        return bs_fail(err, BASIN_EARG, "%d sentences", sentences);
    for (int32_t i = 0; i < sentences; i++)
        if (start[i] < 0 || start[i + 1] < start[i])
            return bs_fail(err, BASIN_EARG, "sentence %d goes from token %d to %d", i, start[i],
                           start[i + 1]);
    for (int32_t i = sentences ? start[0] : 0, end = sentences ? start[sentences] : 0; i < end; i++)
        if (tag[i] < -1 || tag[i] >= n_tags)
            return bs_fail(err, BASIN_EARG, "token %d has tag %d; there are %d", i, tag[i], n_tags);
    return BASIN_OK;
}

/* What a text reveals about its scheme. */
typedef struct {
    bool        letter[128];             /* letters that occur */
    const char *odd;                     /* a tag that occurs and is of no scheme */
    int64_t     broken[BS_SCHEME_COUNT]; /* broken rules if the text were in this scheme */
    int64_t     known;                   /* tokens with a tag */
} traits;

static void look_at(const bs_names *tags, const bs_tagset *s, const int32_t *tag, int32_t n,
                    traits *t)
{
    for (int32_t i = 0; i < n; i++) {
        if (tag[i] < 0)
            continue;
        t->known++;
        if (s->tag[tag[i]].part == '?')
            t->odd = t->odd ? t->odd : tags->item[tag[i]].text;
        else
            t->letter[(unsigned char)tags->item[tag[i]].text[0]] = true;
    }
    for (int32_t i = 0; i <= n; i++) {
        const bs_tag a = bs_tagset_at(s, tag, n, i - 1), b = bs_tagset_at(s, tag, n, i);
        if (a.type < 0 && b.type < 0)
            continue; /* most tokens: there are no rules outside spans */
        for (int k = BS_SCHEME_IOB1; k <= BS_SCHEME_IOE2; k++) {
            bool first, second;
            bs_scheme_faults((bs_scheme)k, a, b, &first, &second);
            t->broken[k] += first || second;
        }
    }
}

/* The scheme whose rules are broken less often; in a tie, `usual`. */
static bs_scheme choose(const traits *t, bs_scheme usual, bs_scheme other, const char *usual_why,
                        const char *other_why, char why[BS_SCHEME_WHY])
{
    const bs_scheme s = t->broken[other] < t->broken[usual] ? other : usual;
    const bs_scheme not = s == usual ? other : usual;
    if (t->broken[s])
        bs_print(why, BS_SCHEME_WHY, "broken rules: %lld of %s, %lld of %s",
                 (long long)t->broken[s], bs_scheme_name(s), (long long)t->broken[not ],
                 bs_scheme_name(not ));
    else
        bs_print(why, BS_SCHEME_WHY, "%s", s == usual ? usual_why : other_why);
    return s;
}

static bs_scheme decide(const traits *t, char why[BS_SCHEME_WHY])
{
    static const char all[] = "BIMELSUWO";
    const bool       *has = t->letter;
    char              name[48], seen[2 * sizeof all];
    int               n = 0;
    for (const char *p = all; *p; p++) {
        if (has[(unsigned char)*p]) {
            seen[n++] = *p;
            seen[n++] = ' ';
        }
    }
    seen[n ? n - 1 : 0] = '\0';

    const bool end = has['E'] || has['L'], single = has['S'] || has['U'] || has['W'];
    const bool begin = has['B'], inside = has['I'] || has['M'];
    if (t->odd) {
        bs_print(why, BS_SCHEME_WHY, "'%s' is a tag of no scheme", bs_tag_shown(t->odd, name));
        return BS_SCHEME_RAW;
    }
    if (!t->known) {
        bs_print(why, BS_SCHEME_WHY, "there are no tags");
        return BS_SCHEME_RAW;
    }
    if (!begin && !inside && !end && !single) {
        bs_print(why, BS_SCHEME_WHY, "no tag but O, which is the same in every scheme");
        return BS_SCHEME_IOB2;
    }
    if (single || (begin && end) || has['L']) {
        bs_print(why, BS_SCHEME_WHY, "the letters are %s", seen);
        return (has['L'] || has['U']) && !has['E'] && !has['S'] && !has['W'] ? BS_SCHEME_BILOU
                                                                             : BS_SCHEME_BIOES;
    }
    if (end)
        return choose(t, BS_SCHEME_IOE2, BS_SCHEME_IOE1, "every span ends with E",
                      "E stands only between spans of one type", why);
    if (!begin) {
        bs_print(why, BS_SCHEME_WHY, "the only letter is %s, so no two spans of one type touch",
                 has['I'] ? "I" : "M");
        return BS_SCHEME_IOB1;
    }
    return choose(t, BS_SCHEME_IOB2, BS_SCHEME_IOB1, "every span starts with B",
                  "B stands only between spans of one type", why);
}

basin_status bs_scheme_detect(const bs_tagged_text *text, bs_scheme *out, char why[BS_SCHEME_WHY],
                              basin_error *err)
{
    const int32_t *start = text->start;
    traits         t = {0};
    bs_tagset      set;
    *out = BS_SCHEME_RAW;
    why[0] = '\0';
    basin_status s = bs_text_check(text->tags->n, text->tag, start, text->sentences, err);
    if (s)
        return s;
    s = bs_tagset_split(text->tags, BS_SCHEME_BIOES, &set, err);
    for (int32_t i = 0; i < text->sentences && !s; i++)
        look_at(text->tags, &set, text->tag + start[i], start[i + 1] - start[i], &t);
    if (!s)
        *out = decide(&t, why);
    bs_tagset_free(&set);
    return s;
}

/* ---- writing ---- */

/* The numbers of the target scheme's tags, each looked up once. */
typedef struct {
    bs_scheme       scheme;
    const bs_names *types;
    bs_names       *names;
    int32_t        *id; /* [types, BS_PARTS], then that of O; -1 = not yet */
    bs_buf          text;
} writer;

/* id is NULL when memory runs out. */
static writer writer_make(bs_scheme to, const bs_tagset *from, bs_names *names)
{
    const size_t ids = (size_t)from->types.n * BS_PARTS + 1;
    writer       w = {.scheme = to, .types = &from->types, .names = names};
    bs_buf_init(&w.text, UINT32_MAX);
    w.id = bs_alloc(ids * sizeof *w.id);
    if (w.id)
        memset(w.id, 0xff, ids * sizeof *w.id);
    return w;
}

static void writer_free(writer *w)
{
    bs_free(w->id);
    bs_buf_free(&w->text);
}

/* Number of the tag, or -1 when memory runs out. */
static int32_t tag_id(writer *w, int part, int32_t type)
{
    int32_t *id = &w->id[part == BS_OUTSIDE ? w->types->n * BS_PARTS : type * BS_PARTS + part];
    bool     fresh;
    if (*id >= 0)
        return *id;
    bs_buf_clear(&w->text);
    if (part == BS_OUTSIDE) {
        bs_buf_text(&w->text, "O");
    } else {
        const bs_name *t = &w->types->item[type];
        const char     letter = bs_scheme_letter(w->scheme, part);
        bs_buf_add(&w->text, &letter, 1);
        if (t->len)
            bs_buf_text(&w->text, "-");
        bs_buf_add(&w->text, t->text, t->len);
    }
    if (!w->text.failed)
        *id = bs_names_add(w->names, w->text.data, w->text.len, &fresh);
    return *id;
}

static bool touch(const bs_span *a, const bs_span *b)
{
    return a->end == b->first && a->type == b->type;
}

/* The part of one token of span `s`; before and after are its neighbours, or NULL. */
static int part_of(bs_scheme scheme, const bs_span *s, const bs_span *before, const bs_span *after,
                   int32_t token)
{
    enum { B, I, E, S };
    const bool first = token == s->first, last = token == s->end - 1;
    switch (scheme) {
    case BS_SCHEME_RAW: break;
    case BS_SCHEME_IOB1: return first && before && touch(before, s) ? B : I;
    case BS_SCHEME_IOB2: return first ? B : I;
    case BS_SCHEME_IOE1: return last && after && touch(s, after) ? E : I;
    case BS_SCHEME_IOE2: return last ? E : I;
    case BS_SCHEME_BIOES:
    case BS_SCHEME_BILOU: return first && last ? S : first ? B : last ? E : I;
    }
    return I;
}

static bool write_sentence(writer *w, const bs_span *span, int32_t spans, const int32_t *tag,
                           int32_t n, int32_t *to)
{
    int32_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        while (at < spans && span[at].end <= i)
            at++;
        const bs_span *s = at < spans && span[at].first <= i ? &span[at] : NULL;
        if (tag[i] < 0) {
            to[i] = -1;
            continue;
        }
        to[i] = s ? tag_id(w,
                           part_of(w->scheme, s, at > 0 ? s - 1 : NULL,
                                   at + 1 < spans ? s + 1 : NULL, i),
                           s->type)
                  : tag_id(w, BS_OUTSIDE, -1);
        if (to[i] < 0)
            return false;
    }
    return true;
}

static bool rewrite(writer *w, const bs_tagset *set, const bs_tagged_text *t, int32_t *to_tag,
                    int64_t *repaired)
{
    int32_t longest = 0;
    for (int32_t i = 0; i < t->sentences; i++)
        longest = t->start[i + 1] - t->start[i] > longest ? t->start[i + 1] - t->start[i] : longest;
    bs_span *span = bs_calloc((size_t)longest + 1, sizeof *span);
    bool     ok = span && w->id;
    for (int32_t i = 0; i < t->sentences && ok; i++) {
        const int32_t  n = t->start[i + 1] - t->start[i];
        const int32_t *from = t->tag + t->start[i];
        const int32_t  spans = bs_spans(set, from, n, span, repaired);
        ok = write_sentence(w, span, spans, from, n, to_tag + t->start[i]);
    }
    bs_free(span);
    return ok;
}

basin_status bs_scheme_convert(const bs_tagged_text *t, bs_scheme from, bs_scheme to,
                               bs_names *to_names, int32_t *to_tag, int64_t *repaired,
                               basin_error *err)
{
    const int32_t first = t->sentences > 0 ? t->start[0] : 0;
    const int32_t end = t->sentences > 0 ? t->start[t->sentences] : 0;
    int64_t       unasked;
    repaired = repaired ? repaired : &unasked;
    *repaired = 0;
    if ((unsigned)from >= BS_SCHEME_COUNT || (unsigned)to >= BS_SCHEME_COUNT)
        return bs_fail(err, BASIN_EARG, "there is no scheme %d or %d", (int)from, (int)to);
    basin_status s = bs_text_check(t->tags->n, t->tag, t->start, t->sentences, err);
    if (s)
        return s;
    for (int32_t i = first; i < end && to == BS_SCHEME_RAW; i++) { /* tags keep their text */
        const bs_name *tag = t->tag[i] < 0 ? NULL : &t->tags->item[t->tag[i]];
        bool           fresh;
        to_tag[i] = tag ? bs_names_add(to_names, tag->text, tag->len, &fresh) : -1;
        if (tag && to_tag[i] < 0)
            return bs_fail_nomem(err);
    }
    if (to == BS_SCHEME_RAW)
        return BASIN_OK;
    if (from == BS_SCHEME_RAW)
        return bs_fail(err, BASIN_EARG, "raw tags have no spans to write as %s",
                       bs_scheme_name(to));

    bs_tagset set;
    s = bs_tagset_split(t->tags, from, &set, err);
    for (int32_t i = first; i < end && !s; i++) {
        const char *tag = t->tag[i] < 0 ? "O" : t->tags->item[t->tag[i]].text;
        if (!bs_scheme_has(from, bs_tag_split(tag).part))
            s = bs_scheme_refuse(from, tag, err);
    }
    if (!s) {
        writer w = writer_make(to, &set, to_names);
        s = rewrite(&w, &set, t, to_tag, repaired) ? BASIN_OK : bs_fail_nomem(err);
        writer_free(&w);
    }
    bs_tagset_free(&set);
    return s;
}

basin_status bs_scheme_complete(bs_scheme scheme, bs_names *names, basin_error *err)
{
    bs_tagset set;
    if ((unsigned)scheme >= BS_SCHEME_COUNT || scheme == BS_SCHEME_RAW)
        return bs_fail(err, BASIN_EARG, "raw tags cannot be completed");
    basin_status s = bs_tagset_make(names, scheme, &set, err);
    if (!s) {
        writer w = writer_make(scheme, &set, names);
        bool   ok = w.id && tag_id(&w, BS_OUTSIDE, -1) >= 0;
        for (int32_t i = 0; i < set.types.n && ok; i++)
            for (int part = 0; part < BS_PARTS && ok; part++)
                ok = !bs_scheme_has(scheme, part) || tag_id(&w, part, i) >= 0;
        writer_free(&w);
        s = ok ? BASIN_OK : bs_fail_nomem(err);
    }
    bs_tagset_free(&set);
    return s;
}
