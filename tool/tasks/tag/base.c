/* base.c -- baselines for tags: the most frequent tag, overall or per word. */
#include <stdlib.h>

#include "tasks/tag/base.h"
#include "base/order.h"
#include "task/tag/data.h"

/* The most frequent tag of each word in the training data; and the most frequent of all. */
static int32_t commonest(const uint64_t *pair, size_t n, int32_t *of_word)
{
    int64_t most = 0;
    int32_t best = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && pair[end] == pair[i])
            end++;
        const int32_t word = (int32_t)(pair[i] >> 32), tag = (int32_t)(pair[i] & UINT32_MAX);
        if ((int64_t)(end - i) > most) {
            most = (int64_t)(end - i);
            best = tag;
        }
        if (end == n || (int32_t)(pair[end] >> 32) != word) {
            if (of_word)
                of_word[word] = best;
            most = 0;
        }
        i = end;
    }
    return best;
}

/* Pairs of word and tag in labelled sentences, or of nothing and tag; sorted. */
static size_t sorted_pairs(const bs_lesson *t, const int32_t *tag, bool words, uint64_t *pair)
{
    const bs_corpus *c = bs_dataset_tag(t->train);
    const int32_t    end = c->start[c->sentences - t->train->unlabelled];
    size_t           n = 0;
    for (int32_t i = 0; i < end; i++)
        if (c->tag[i] >= 0 && tag[c->tag[i]] >= 0)
            pair[n++] =
                (uint64_t)(words ? c->word[i] : 0) << 32 | (uint64_t)(uint32_t)tag[c->tag[i]];
    qsort(pair, n, sizeof *pair, bs_by_uint64);
    return n;
}

basin_status bs_base_guess_tag(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                               basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(t->train), *to = bs_dataset_tag(p);
    int32_t         *tag = bs_calloc((size_t)c->tags.n + 1, sizeof *tag);
    int32_t         *word = bs_calloc((size_t)c->words.n + 1, sizeof *word);
    int32_t         *mine = bs_calloc((size_t)to->words.n + 1, sizeof *mine);
    uint64_t        *pair = bs_calloc((size_t)c->tokens + 1, sizeof *pair);
    const bool       ok = tag && word && mine && pair;
    if (ok) {
        bs_lexicon_tags(&bs_preprocess_tag(t->known)->lexicon, &c->tags, tag);
        const int32_t best = commonest(pair, sorted_pairs(t, tag, false, pair), NULL);
        for (int32_t i = 0; i < c->words.n; i++)
            word[i] = best;
        if (t->which == BS_BASE_SIMPLE)
            commonest(pair, sorted_pairs(t, tag, true, pair), word);
        for (int32_t i = 0; i < to->words.n; i++) {
            const int32_t at =
                bs_names_find(&c->words, to->words.item[i].text, to->words.item[i].len);
            mine[i] = at < 0 ? best : word[at];
        }
        for (int32_t i = 0; i < to->tokens; i++)
            bs_outputs_tag(y)->tag[i] = mine[to->word[i]];
    }
    bs_free(tag);
    bs_free(word);
    bs_free(mine);
    bs_free(pair);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}
