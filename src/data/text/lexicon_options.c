/* lexicon_options.c -- the option table of words.* and chars.*. */
#include <stddef.h>

#include "data/text/lexicon.h"

#define AT(field) offsetof(bs_lexicon_options, field)
#define KEEP      BS_OPTION_KEEP

const bs_option bs_lexicon_rows[] = {
    {"words.lower", BS_BOOL, AT(lower), "yes", NULL, NULL, NULL,
     "words that differ only in case are one word; no suits case-sensitive vectors", KEEP},
    {"words.digits", BS_BOOL, AT(digits), "no", NULL, NULL, NULL,
     "words that differ only in their digits are one word", KEEP},
    {"words.tweets", BS_BOOL, AT(tweets), "no", NULL, NULL, NULL,
     "all @names are one word, and all links", KEEP},
    {"words.case", BS_BOOL, AT(shape), "yes", NULL, NULL, NULL,
     "capitals, digits and signs of a word are a feature", KEEP},
    {"words.min_count", BS_INT, AT(min_count), "1", "1", "1000000000", NULL,
     "words seen less often in training are unknown", KEEP},
    {"words.unk_dropout", BS_FLOAT, AT(unk_dropout), "0.5", "0", "1", NULL,
     "how often training feeds a word seen once as unknown", KEEP},
    {"words.vectors", BS_TEXT, AT(vectors), "", NULL, NULL, NULL,
     "file of word vectors (GloVe or word2vec text) to start from", BS_OPTION_FILE},
    {"words.clusters", BS_TEXT, AT(clusters), "", NULL, NULL, NULL,
     "file of Brown clusters, used as features", BS_OPTION_FILE},
    {"words.cluster_prefixes", BS_TEXT, AT(cluster_prefixes), "4,8,12,all", NULL, NULL, NULL,
     "lengths of the prefixes of a cluster's path used as features", KEEP},
    {"words.keep", BS_NAME, AT(keep), "data", NULL, NULL, "data|all",
     "vectors and clusters kept in the model: of words in the data, or all", KEEP},
    {"chars.min_count", BS_INT, AT(char_min_count), "1", "1", "1000000000", NULL,
     "characters seen less often in training are unknown", KEEP},
    {"chars.max_length", BS_INT, AT(char_max_length), "32", "2", "1024", NULL,
     "characters of a word that are used; longer words lose their middle", KEEP},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

bs_lexicon_options bs_lexicon_options_default(void)
{
    bs_lexicon_options o = {.lower = false};
    bs_options_default(bs_lexicon_rows, &o, NULL);
    return o;
}
