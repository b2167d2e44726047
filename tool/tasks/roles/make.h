/* make.h -- semantic roles with a planted rule and a known best score. */
#ifndef BS_TOOL_ROLES_MAKE_H
#define BS_TOOL_ROLES_MAKE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"

typedef struct {
    int    rows, words, clauses, seed;
    double both, clear, first;
} bs_make_roles_options;

extern const bs_option bs_make_roles_rows[];

/* Expected F1 of arguments of predictors that know the generator exactly. */
typedef struct {
    double  best;   /* with the rule that no core role occurs twice */
    double  single; /* each argument by its own words */
    double  twice;  /* of these, share of predicates with a core role twice */
    int64_t predicates, arguments;
} bs_make_roles_truth;

/* Writes columns word, predicate and roles to out, whose ceiling bounds them. */
basin_status bs_make_roles(const bs_make_roles_options *o, bs_buf *out, bs_make_roles_truth *truth,
                           basin_error *err);
void         bs_make_roles_describe(const bs_make_roles_options *o, const bs_make_roles_truth *t,
                                    const char *path, bs_buf *table, bs_buf *json);

#endif
