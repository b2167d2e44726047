/* corpus_summary.c -- the figures of `basin data inspect` for sentences. */
#include <stdlib.h>
#include <string.h>

#include "data/text/corpus_part.h"
#include "data/text/scheme_part.h"

void bs_corpus_summary_free(bs_corpus_summary *s)
{
    bs_free(s->tag_count);
    bs_free(s->type_count);
    bs_names_free(&s->types);
    bs_arena_free(&s->arena);
}

/* --- counts -------------------------------------------------------------- */

static basin_status count_words(const bs_corpus *c, bs_corpus_summary *out, basin_error *err)
{
    int32_t *count = bs_calloc((size_t)c->words.n + 1, sizeof *count);
    if (!count)
        return bs_fail_nomem(err);
    /* The rows of a sentence with several predicates have the same words. */
    const bool roles = c->roles.word > 0;
    for (int32_t i = 0; i < (roles ? c->records : c->sentences); i++) {
        const int32_t s = roles ? c->record[i].sentence : i;
        const int32_t end = roles && c->record[i + 1].sentence == s ? c->start[s] : c->start[s + 1];
        for (int32_t t = c->start[s]; t < end; t++)
            count[c->word[t]]++;
    }
    for (int32_t i = 0; i < c->words.n; i++) {
        out->words += count[i] > 0;
        out->words_once += count[i] == 1;
    }
    bs_free(count);
    for (int32_t s = 0; s < c->sentences; s++)
        if (c->start[s + 1] - c->start[s] > out->longest) {
            out->longest = c->start[s + 1] - c->start[s];
            out->longest_sentence = s;
        }
    return BASIN_OK;
}

static basin_status count_tags(const bs_corpus *c, bs_corpus_summary *out, basin_error *err)
{
    out->tag_count = bs_calloc((size_t)c->tags.n + 1, sizeof *out->tag_count);
    if (!out->tag_count)
        return bs_fail_nomem(err);
    for (int32_t t = 0; t < c->tokens; t++) {
        if (c->tag[t] < 0)
            out->tokens_unknown++;
        else
            out->tag_count[c->tag[t]]++;
    }
    for (int32_t i = 0; i < c->tags.n; i++)
        out->tags += out->tag_count[i] > 0;
    return BASIN_OK;
}

static basin_status copy_types(const bs_tagset *set, bs_corpus_summary *out, basin_error *err)
{
    if (!bs_names_add_all(&out->types, &set->types))
        return bs_fail_nomem(err);
    out->type_count = bs_calloc((size_t)set->types.n + 1, sizeof *out->type_count);
    return out->type_count ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status count_spans(const bs_corpus *c, bs_corpus_summary *out, basin_error *err)
{
    bs_tagset    set = {.n = 0};
    bs_span     *span = bs_alloc(((size_t)out->longest + 1) * sizeof *span);
    basin_status s = span ? BASIN_OK : bs_fail_nomem(err);
    out->ill_formed = c->repaired;
    out->ill_formed_at = c->repaired_at;
    if (!s) {
        s = bs_tagset_make(&c->tags, c->scheme, &set, err);
        if (!s)
            s = copy_types(&set, out, err);
        for (int32_t i = 0; !s && i < c->sentences; i++) {
            int64_t before = out->ill_formed;
            int32_t n = bs_spans(&set, c->tag + c->start[i], c->start[i + 1] - c->start[i], span,
                                 &out->ill_formed);
            if (before == 0 && out->ill_formed)
                out->ill_formed_at = c->start[i];
            out->spans += n;
            for (int32_t k = 0; k < n; k++)
                out->type_count[span[k].type]++;
        }
        bs_tagset_free(&set);
    }
    bs_free(span);
    return s;
}

/* --- repetitions --------------------------------------------------------- */

typedef struct {
    uint64_t words, tags;
    int32_t  sentence;
} print;

static int by_words(const void *a, const void *b)
{
    const print *p = a, *q = b;
    if (p->words != q->words)
        return p->words < q->words ? -1 : 1;
    return (p->sentence > q->sentence) - (p->sentence < q->sentence);
}

/* By spelling, so that corpora with different numbering can be compared. */
static uint64_t hash_names(const bs_names *names, const int32_t *id, int32_t n)
{
    uint64_t h = (uint64_t)n + 1;
    for (int32_t i = 0; i < n; i++) {
        h = (h ^ (id[i] < 0 ? 7u : names->item[id[i]].hash)) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    return h;
}

static print *make_prints(const bs_corpus *c)
{
    print *p = bs_alloc(((size_t)c->sentences + 1) * sizeof *p);
    for (int32_t s = 0; p && s < c->sentences; s++) {
        int32_t first = c->start[s], n = c->start[s + 1] - first;
        p[s] = (print){hash_names(&c->words, c->word + first, n),
                       hash_names(&c->tags, c->tag + first, n), s};
        if (c->roles.word) /* another predicate of the same words is another row */
            p[s].words += 3 * hash_names(&c->value[0], c->feature[0] + first, n);
    }
    if (p)
        qsort(p, (size_t)c->sentences, sizeof *p, by_words);
    return p;
}

static void count_repeats(const print *p, int32_t n, bs_corpus_summary *out)
{
    for (int32_t first = 0, i; first < n; first = i)
        for (i = first + 1; i < n && p[i].words == p[first].words; i++) {
            bool seen = false;
            /* In a long run of equal sentences nearly all have equal tags, too. */
            for (int32_t j = first; j < i && !seen && j < first + 1000; j++)
                seen = p[j].tags == p[i].tags;
            out->duplicates += seen;
            out->contradictions += !seen;
        }
}

static void count_shared(const print *p, int32_t n, const print *q, int32_t m,
                         bs_corpus_summary *out)
{
    for (int32_t i = 0, k = 0; i < n; i++) {
        while (k < m && q[k].words < p[i].words)
            k++;
        out->shared += k < m && q[k].words == p[i].words;
    }
}

static basin_status repetitions(const bs_corpus *c, const bs_corpus *train, bs_corpus_summary *out,
                                basin_error *err)
{
    print *p = make_prints(c), *q = p && train ? make_prints(train) : NULL;
    bool   ok = p && (q || !train);
    if (ok)
        count_repeats(p, c->sentences, out);
    if (ok && train)
        count_shared(p, c->sentences, q, train->sentences, out);
    bs_free(p);
    bs_free(q);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

static bool same_type(const char *a, const char *b)
{
    const char *p = bs_tag_split(a).type, *q = bs_tag_split(b).type;
    return p && q && strcmp(p, q) == 0;
}

/* For spans, types are compared: a model can write every span of a known type, whichever of its
 * tags the training file contains. */
static bool has_tag(const bs_corpus *train, const char *tag, bool spans)
{
    if (bs_names_find(&train->tags, tag, strlen(tag)) >= 0)
        return true;
    for (int32_t i = 0; spans && i < train->tags.n; i++)
        if (same_type(tag, train->tags.item[i].text))
            return true;
    return spans && bs_tag_split(tag).part == BS_OUTSIDE;
}

static basin_status count_new(const bs_corpus *c, const bs_corpus *train, bs_corpus_summary *out,
                              basin_error *err)
{
    const bool spans = c->scheme != BS_SCHEME_RAW && train->scheme != BS_SCHEME_RAW;
    uint8_t   *fresh = bs_calloc((size_t)c->tags.n + 1, 1);
    if (!fresh)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < c->tags.n; i++) {
        const char *tag = c->tags.item[i].text;
        bool        counted = false;
        fresh[i] = out->tag_count[i] && !has_tag(train, tag, spans);
        for (int32_t k = 0; k < i && fresh[i] && spans && !counted; k++)
            counted = fresh[k] && same_type(tag, c->tags.item[k].text);
        out->tags_new += fresh[i] && !counted;
    }
    for (int32_t t = 0; t < c->tokens && out->tags_new > 0 && out->first_new < 0; t++)
        if (c->tag[t] >= 0 && fresh[c->tag[t]])
            out->first_new = t;
    bs_free(fresh);
    return BASIN_OK;
}

static basin_status compare(const bs_corpus *c, const bs_corpus *train, bs_corpus_summary *out,
                            basin_error *err)
{
    uint8_t *fresh = bs_calloc((size_t)c->words.n + 1, 1);
    if (!fresh)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < c->words.n; i++)
        fresh[i] = bs_names_find(&train->words, c->words.item[i].text, c->words.item[i].len) < 0;
    for (int32_t t = 0; t < c->tokens; t++)
        out->tokens_new += fresh[c->word[t]];
    bs_free(fresh);
    return count_new(c, train, out, err);
}

basin_status bs_corpus_summarise(const bs_corpus *c, const bs_corpus *train, bs_corpus_summary *out,
                                 basin_error *err)
{
    *out = (bs_corpus_summary){.ill_formed_at = -1, .first_new = -1};
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->types, &out->arena);
    basin_status s = count_words(c, out, err);
    if (!s)
        s = count_tags(c, out, err);
    if (!s && c->labelled && c->scheme != BS_SCHEME_RAW)
        s = count_spans(c, out, err);
    if (!s)
        s = repetitions(c, train, out, err);
    if (!s && train)
        s = compare(c, train, out, err);
    return s;
}

const char *bs_corpus_problem(const bs_corpus *c, const bs_corpus_summary *s)
{
    if (!c->labelled)
        return "there are no tags; --tag-column says where they are";
    if (s->tags < 2)
        return "all tokens have the same tag; --tag-column says where the tags are";
    if (s->tags > 1000 && s->tags > c->tokens / 4)
        return "nearly every token has a tag of its own; --tag-column says where the tags are";
    return NULL;
}
