/* roles.h -- semantic roles: which words are the arguments of a predicate, and in which role.
 *
 * A row of the corpus is a pair of a sentence and one of its predicates: words, a feature that
 * marks the predicate, and tags in IOB2 whose types are the roles ("ARG0", "R-ARG0", "C-ARG1",
 * "V"). A record is a sentence of the file; its rows are its predicates in their order, and it may
 * have none. So sentences are kept together, and written back as they were read.
 *
 * The role V belongs to the predicate; a predicate that its file does not mark gets it. */
#ifndef BS_TEXT_ROLES_H
#define BS_TEXT_ROLES_H

#include "data/text/corpus.h"

#define BS_ROLE_VERB      "V"
#define BS_ROLE_PREDICATE "V" /* the values of the feature */
#define BS_ROLE_OTHER     "-"

/* Position of the predicate in its sentence; -1: unknown. */
int32_t bs_role_predicate(const bs_corpus *c, int32_t row);

/* 0 to 5 for the core roles A0 .. A5, also called ARG0 .. ARG5; -1 for all others. */
enum { BS_CORE_ROLES = 6 };
int bs_role_core(const char *role);
/* The role that "C-ARG1" continues; NULL: it is no continuation. */
const char *bs_role_continued(const char *role);

/* How often a core role, except R- and C-, occurs more than once; other facts of a corpus. */
typedef struct {
    int32_t rows, sentences, without; /* of these, sentences without predicates */
    int32_t repeated;                 /* rows with such a role */
    int64_t arguments, continued, referring;
} bs_role_facts;
basin_status bs_role_count(const bs_corpus *c, bs_role_facts *out, basin_error *err);

#endif
