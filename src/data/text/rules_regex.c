/* rules_regex.c -- regular expressions of rules, by PCRE2.
 *
 * A rules file may be a stranger's: PCRE2 refuses what would be large once compiled, and a search
 * that takes too many steps or too much memory is an error. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "data/text/rules_part.h"

enum {
    MOST_STEPS = 100000, /* of a search in one word */
    MOST_KIB = 1024,     /* of memory for what the search may have to come back to */
};

struct bs_regex {
    pcre2_code          *code;
    pcre2_match_data    *found;
    pcre2_match_context *limits;
};

static void *take(size_t n, void *unused)
{
    (void)unused;
    return bs_alloc(n);
}

static void give(void *p, void *unused)
{
    (void)unused;
    bs_free(p);
}

void bs_regex_free(bs_regex *r)
{
    if (!r)
        return;
    pcre2_match_context_free(r->limits);
    pcre2_match_data_free(r->found);
    pcre2_code_free(r->code);
    bs_free(r);
}

basin_status bs_regex_new(const char *text, bool any_case, bs_regex **out, char why[BS_REGEX_WHY])
{
    const uint32_t how = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
                         (any_case ? PCRE2_CASELESS : 0);
    int                    code = PCRE2_ERROR_HEAP_FAILED;
    size_t                 at;
    pcre2_general_context *memory = pcre2_general_context_create(take, give, NULL);
    pcre2_compile_context *compiling = memory ? pcre2_compile_context_create(memory) : NULL;
    bs_regex              *r = compiling ? bs_calloc(1, sizeof *r) : NULL;
    if (r) {
        r->code =
            pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, how, &code, &at, compiling);
        r->found = pcre2_match_data_create(1, memory);
        r->limits = pcre2_match_context_create(memory);
    }
    pcre2_compile_context_free(compiling);
    pcre2_general_context_free(memory);
    *out = r;
    if (r && r->code && r->found && r->limits) {
        pcre2_set_match_limit(r->limits, MOST_STEPS);
        pcre2_set_heap_limit(r->limits, MOST_KIB);
        return BASIN_OK;
    }
    const bool refused = r && !r->code && code != PCRE2_ERROR_HEAP_FAILED;
    bs_regex_free(r);
    *out = NULL;
    if (!refused)
        return BASIN_ENOMEM;
    pcre2_get_error_message(code, (PCRE2_UCHAR *)why, BS_REGEX_WHY);
    return BASIN_EDATA;
}

basin_status bs_regex_find(const bs_regex *r, const char *word, size_t len, uint8_t *out)
{
    const int rc = pcre2_match(r->code, (PCRE2_SPTR)word, len, 0, 0, r->found, r->limits);
    *out = rc >= 0;
    return rc >= 0 || rc == PCRE2_ERROR_NOMATCH ? BASIN_OK
           : rc == PCRE2_ERROR_NOMEMORY         ? BASIN_ENOMEM
                                                : BASIN_EDATA;
}
