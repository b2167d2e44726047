/* rules.h -- knowledge about tags in a plain file, to learn from sentences that nobody has tagged.
 *
 * The reward of a tag sequence y of a sentence x is a chain,
 *
 *     R(x, y) = sum over t of r_t(y_t) + p_t(y_{t-1}, y_t),
 *
 * r from rules about words, p from rules about neighbours. exp(R / temperature), divided by its sum
 * over all sequences, is a distribution over sequences; its marginals q_t(tag) are found exactly by
 * the forward-backward algorithm and stand in for the truth of the sentence.
 *
 * One statement per line; # at its start or after a blank opens a comment. The weight is added to R
 * each time a statement holds; it may be negative. A field is a run of words with the same tag, or
 * with tags of one span.
 *
 *     tags TAG...                          tags that exist even if no labelled sentence has them
 *     word WEIGHT TAG[,TAG...] TEST...     a word with one of these tags that passes all tests
 *     stay WEIGHT [TAG...]                 two neighbours in one field (of these tags)
 *     change-after WEIGHT REGEX [TAG...]   a field (of these tags) that ends with such a word,
 *                                          unless it is the last of the sentence
 *     follow WEIGHT TAG[,...] TAG[,...]    a field of the first, then one of the second
 *     order WEIGHT TAG[,...] TAG[,...]...  a field followed by one that is named before it
 *                                          in this list; subtracts WEIGHT
 *     start WEIGHT TAG...                  the first word of the sentence
 *     end WEIGHT TAG...                    the last one
 *
 * Tests; ! negates a test:
 *
 *     word=REGEX prev=REGEX next=REGEX     the word itself, the one before, the one after it
 *     before=REGEX after=REGEX             any word before it, any word after it
 *     shape=CASE[,CASE...]                 what it looks like: the names of bs_case (wordform.h)
 *     first last                           of the sentence
 *     from=SHARE to=SHARE                  its place in the sentence, 0 (start) to 1 (end)
 *
 * REGEX is a regular expression of PCRE2 (Perl's syntax, UTF-8) without blanks that matches
 * anywhere in the word; ~ in place of = ignores case. Where tags are spans, a type (PER) stands for
 * all of its tags (B-PER, I-PER), and only well-formed sequences have a reward. */
#ifndef BS_TEXT_RULES_H
#define BS_TEXT_RULES_H

#include "data/text/corpus.h"

enum {
    BS_RULES_MOST = 4096,     /* statements */
    BS_RULES_REGEX = 1024,    /* bytes of a regular expression */
    BS_RULES_WEIGHT = 1000,   /* largest weight */
    BS_RULES_LINE = 1 << 16,  /* length of a line in bytes */
    BS_RULES_NAMES = 1 << 16, /* tags named in all statements together; tests likewise */
};

typedef struct bs_rules bs_rules;

/* Any bytes are either read or refused with "file:line: ..." in the message. On failure *out is
 * NULL. */
basin_status bs_rules_read(const char *path, int max_mb, bs_rules **out, basin_error *err);
basin_status bs_rules_read_input(bs_input *in, bs_rules **out, basin_error *err);
void         bs_rules_free(bs_rules *r); /* accepts NULL */

/* Tags named by `tags` statements; borrowed. */
const bs_names *bs_rules_tags(const bs_rules *r);
int             bs_rules_count(const bs_rules *r); /* statements with a weight */
uint64_t        bs_rules_hash(const bs_rules *r);  /* of the text */

/* A corpus for rules, which ignore its own tags. */
typedef struct {
    const bs_names *tags; /* those of the model; a rule with another one is an error */
    bs_scheme       scheme;
    double          temperature;
} bs_rules_how;

/* q [tokens, tags->n] are the marginals; covered (may be NULL) [tokens] is 1 if a word rule
 * holds. */
basin_status bs_rules_apply(const bs_rules *r, const bs_corpus *c, const bs_rules_how *how,
                            float *q, uint8_t *covered, basin_error *err);

/* How good the rules are by themselves. */
typedef struct {
    int64_t tokens, covered; /* covered: some word rule holds */
    int64_t labelled, right; /* tokens with a tag; of those, the likeliest tag is right */
    double  entropy;         /* mean over the tokens, in nats */
} bs_rules_report;

/* Of the tokens from `first` on. *soft (soft may be NULL) are their marginals [tokens, tags->n]. */
basin_status bs_rules_judge(const bs_rules *r, const bs_corpus *c, const bs_rules_how *how,
                            int32_t first, float **soft, bs_rules_report *out, basin_error *err);

#endif
