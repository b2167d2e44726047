/* scheme.c -- names of schemes, splitting tags, well-formed sequences, spans; see scheme.h. */
#include "data/text/scheme_part.h"
#include "base/find.h"

#include <string.h>

#include "base/utf8.h"

/* To add a scheme: an enumerator in scheme.h, a row here, a case in bs_scheme_faults and in part_of
 * of scheme_text.c. The letters stand for B, I, E and S; a blank: the scheme lacks it. */
static const struct {
    const char *name;
    char        letter[BS_PARTS + 1];
} scheme_table[BS_SCHEME_COUNT] = {
    [BS_SCHEME_RAW] = {"raw", "    "},     [BS_SCHEME_IOB1] = {"iob1", "BI  "},
    [BS_SCHEME_IOB2] = {"iob2", "BI  "},   [BS_SCHEME_IOE1] = {"ioe1", " IE "},
    [BS_SCHEME_IOE2] = {"ioe2", " IE "},   [BS_SCHEME_BIOES] = {"bioes", "BIES"},
    [BS_SCHEME_BILOU] = {"bilou", "BILU"},
};

/* Other names for them; to add one: a row. */
static const struct {
    const char *name;
    bs_scheme   scheme;
} alias[] = {
    {"bio", BS_SCHEME_IOB2},    {"bio2", BS_SCHEME_IOB2},   {"iobes", BS_SCHEME_BIOES},
    {"bmewo", BS_SCHEME_BIOES}, {"bmeow", BS_SCHEME_BIOES}, {"bmes", BS_SCHEME_BIOES},
};
enum { ALIASES = sizeof alias / sizeof *alias };

const char *bs_scheme_name(bs_scheme s)
{
    return scheme_table[s].name;
}

char bs_scheme_letter(bs_scheme s, int part)
{
    return scheme_table[s].letter[part];
}

static bool same_word(const char *a, const char *lower)
{
    for (; *a && *lower; a++, lower++)
        if (*a != *lower && !(*a >= 'A' && *a <= 'Z' && *a - 'A' + 'a' == *lower))
            return false;
    return *a == *lower;
}

basin_status bs_scheme_parse(const char *name, bs_scheme *out, basin_error *err)
{
    const char *names[BS_SCHEME_COUNT];
    int         at;
    for (int i = 0; i < BS_SCHEME_COUNT; i++) {
        names[i] = scheme_table[i].name;
        if (same_word(name, names[i])) {
            *out = (bs_scheme)i;
            return BASIN_OK;
        }
    }
    for (int i = 0; i < ALIASES; i++) {
        if (same_word(name, alias[i].name)) {
            *out = alias[i].scheme;
            return BASIN_OK;
        }
    }
    return bs_find_named(
        &(bs_named){"no tagging scheme", NULL, BS_NAMED_ROWS(names), .n = BS_SCHEME_COUNT}, name,
        &at, err);
}

/* ---- one tag ---- */

bs_split_tag bs_tag_split(const char *text)
{
    static const char letters[] = "BIESMLUW", parts[] = {0, 1, 2, 3, 1, 2, 3, 3};
    if (!strcmp(text, "O"))
        return (bs_split_tag){BS_OUTSIDE, NULL};
    const char *at = *text ? strchr(letters, *text) : NULL;
    if (!at || (text[1] && text[1] != '-'))
        return (bs_split_tag){BS_NO_PART, NULL};
    return (bs_split_tag){parts[at - letters], text + (text[1] ? 2 : 1)};
}

bool bs_scheme_has(bs_scheme s, int part)
{
    return part == BS_OUTSIDE || (part >= 0 && scheme_table[s].letter[part] != ' ');
}

const char *bs_tag_shown(const char *text, char out[48])
{
    size_t n = 0, left = strlen(text);
    while (n < left) {
        size_t k = bs_utf8_len(text + n, left - n);
        k = k ? k : 1;
        if (n + k > 40)
            break;
        memcpy(out + n, text + n, k);
        n += k;
    }
    memcpy(out + n, n < left ? "..." : "", n < left ? 4 : 1);
    return out;
}

basin_status bs_scheme_refuse(bs_scheme s, const char *text, basin_error *err)
{
    char name[48], letters[16];
    int  n = 0;
    for (int i = 0; i < BS_PARTS; i++) {
        if (scheme_table[s].letter[i] != ' ') {
            letters[n++] = scheme_table[s].letter[i];
            letters[n++] = ' ';
        }
    }
    letters[n] = '\0';
    return bs_fail(err, BASIN_EDATA,
                   "tag '%s' does not belong to the scheme %s, whose letters are %sO",
                   bs_tag_shown(text, name), bs_scheme_name(s), letters);
}

/* ---- tag sets ---- */

basin_status bs_tagset_split(const bs_names *tags, bs_scheme scheme, bs_tagset *out,
                             basin_error *err)
{
    static const char letters[] = "BIESO";
    *out = (bs_tagset){.scheme = scheme, .n = tags->n};
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->types, &out->arena);
    if ((unsigned)scheme >= BS_SCHEME_COUNT)
        return bs_fail(err, BASIN_EARG, "a tag set in scheme %d", (int)scheme);
    out->tag = bs_arena_alloc(&out->arena, ((size_t)tags->n + 1) * sizeof *out->tag);
    if (!out->tag)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < tags->n; i++) {
        const char        *text = tags->item[i].text;
        const bs_split_tag t =
            scheme == BS_SCHEME_RAW ? (bs_split_tag){3, text} : bs_tag_split(text);
        bool    fresh;
        int32_t type = t.type ? bs_names_add(&out->types, t.type, strlen(t.type), &fresh) : -1;
        if (t.type && type < 0)
            return bs_fail_nomem(err);
        out->tag[i] = (bs_tag){t.part == BS_NO_PART ? '?' : letters[t.part], type};
    }
    return BASIN_OK;
}

basin_status bs_tagset_make(const bs_names *tags, bs_scheme scheme, bs_tagset *out,
                            basin_error *err)
{
    basin_status s = bs_tagset_split(tags, scheme, out, err);
    for (int32_t i = 0; i < tags->n && !s && scheme != BS_SCHEME_RAW; i++)
        if (!bs_scheme_has(scheme, bs_tag_split(tags->item[i].text).part))
            s = bs_scheme_refuse(scheme, tags->item[i].text, err);
    return s;
}

void bs_tagset_free(bs_tagset *s)
{
    if (!s)
        return;
    bs_names_free(&s->types);
    bs_arena_free(&s->arena);
    *s = (bs_tagset){.scheme = s->scheme};
}

static const bs_tag edge = {'O', -1}, unknown = {'?', -1};

bs_tag bs_tagset_at(const bs_tagset *s, const int32_t *tag, int32_t n, int32_t i)
{
    if (i < 0 || i >= n)
        return edge;
    return tag[i] >= 0 && tag[i] < s->n ? s->tag[tag[i]] : unknown;
}

static bool opens(bs_tag t)
{
    return t.part == 'B' || t.part == 'I';
}

static bool goes_on(bs_tag t)
{
    return t.part == 'I' || t.part == 'E';
}

/* The one rule of reading: are these neighbours in the same span? */
static bool joined(bs_tag before, bs_tag after)
{
    return before.type == after.type && opens(before) && goes_on(after);
}

void bs_scheme_faults(bs_scheme scheme, bs_tag a, bs_tag b, bool *first, bool *second)
{
    const bool same = a.type == b.type && a.type >= 0;
    *first = *second = false;
    switch (scheme) {
    case BS_SCHEME_RAW: break;
    case BS_SCHEME_IOB1: *second = b.part == 'B' && !same; break;
    case BS_SCHEME_IOB2: *second = b.part == 'I' && !same; break;
    case BS_SCHEME_IOE1: *first = a.part == 'E' && !same; break;
    case BS_SCHEME_IOE2: *first = a.part == 'I' && !same; break;
    case BS_SCHEME_BIOES:
    case BS_SCHEME_BILOU:
        *first = opens(a) && !joined(a, b);
        *second = goes_on(b) && !joined(a, b);
        break;
    }
    if (a.part == '?' || b.part == '?')
        *first = *second = false;
}

int32_t bs_tagset_faults(const bs_tagset *s, const int32_t *tag, int32_t n)
{
    int32_t faults = 0;
    bool    first, second;
    for (int32_t i = 0; i <= n; i++) {
        bs_scheme_faults(s->scheme, bs_tagset_at(s, tag, n, i - 1), bs_tagset_at(s, tag, n, i),
                         &first, &second);
        faults += first || second;
    }
    return faults;
}

bool bs_tagset_follows(const bs_tagset *s, int32_t before, int32_t after)
{
    bool first, second;
    bs_scheme_faults(s->scheme, before < 0 ? edge : s->tag[before],
                     after < 0 ? edge : s->tag[after], &first, &second);
    return !first && !second;
}

void bs_tagset_allowed(const bs_tagset *s, uint8_t *allowed)
{
    for (int32_t i = 0; i <= s->n; i++)
        for (int32_t j = 0; j <= s->n; j++)
            *allowed++ = bs_tagset_follows(s, i < s->n ? i : -1, j < s->n ? j : -1);
}

/* ---- spans ---- */

int32_t bs_spans(const bs_tagset *s, const int32_t *tag, int32_t n, bs_span *out, int64_t *repaired)
{
    int32_t spans = 0;
    bs_tag  here = bs_tagset_at(s, tag, n, 0);
    bool    bad, bad_next; /* this tag, the next one */
    bs_scheme_faults(s->scheme, edge, here, &bad, &bad_next);
    for (int32_t i = 0, first = 0; i < n; i++) {
        const bs_tag next = bs_tagset_at(s, tag, n, i + 1);
        const bool   bad_here = bad_next;
        bs_scheme_faults(s->scheme, here, next, &bad, &bad_next);
        *repaired += bad_here || bad;
        if (here.type < 0) {
            first = i + 1;
        } else if (!joined(here, next)) {
            out[spans++] = (bs_span){first, i + 1, here.type};
            first = i + 1;
        }
        here = next;
    }
    return spans;
}
