/* rules_part.h -- a parsed rules file; shared by the files behind rules.h. */
#ifndef BS_TEXT_RULES_PART_H
#define BS_TEXT_RULES_PART_H

#include "data/text/rules.h"
#include "data/text/wordform.h"

typedef enum {
    BS_RULE_WORD,
    BS_RULE_STAY,
    BS_RULE_CHANGE_AFTER,
    BS_RULE_FOLLOW,
    BS_RULE_ORDER,
    BS_RULE_START,
    BS_RULE_END,
} bs_rule_kind;

typedef enum {
    BS_TEST_WORD,
    BS_TEST_PREV,
    BS_TEST_NEXT,
    BS_TEST_BEFORE,
    BS_TEST_AFTER, /* tests up to here have a regular expression */
    BS_TEST_SHAPE,
    BS_TEST_FIRST,
    BS_TEST_LAST,
    BS_TEST_FROM,
    BS_TEST_TO,
} bs_test_kind;

typedef struct bs_regex bs_regex;

typedef struct {
    bs_test_kind kind;
    bool         negated;
    bs_regex    *regex;  /* NULL: none */
    const char  *text;   /* as written */
    uint32_t     shapes; /* bits of bs_case */
    double       share;
} bs_rule_test;

/* One tag of a statement; tags at one place are alternatives. */
typedef struct {
    const char *name;
    int         place; /* TAG,TAG is one place, TAG TAG are two */
} bs_rule_tag;

typedef struct {
    bs_rule_kind kind;
    long         line;
    double       weight;
    size_t       tag, tags;   /* first in bs_rules.tag, and how many */
    size_t       test, tests; /* the same in bs_rules.test */
} bs_rule;

struct bs_rules {
    bs_arena      arena;
    const char   *name; /* of the file */
    uint64_t      hash;
    bs_names      declared;
    bs_rule      *rule;
    bs_rule_tag  *tag;
    bs_rule_test *test;
    size_t        rules, tags, tests, rule_cap, tag_cap, test_cap;
};

enum { BS_REGEX_WHY = 128 };

/* BASIN_EDATA: not a regular expression, and why. */
basin_status bs_regex_new(const char *text, bool any_case, bs_regex **out, char why[BS_REGEX_WHY]);
void         bs_regex_free(bs_regex *r); /* accepts NULL */

/* Whether it matches anywhere in the word. BASIN_EDATA: that takes too long to say. */
basin_status bs_regex_find(const bs_regex *r, const char *word, size_t len, uint8_t *out);

#endif
