/* make.h -- tagged sentences with planted structure and a known best accuracy. */
#ifndef BS_TEXT_MAKE_TAG_H
#define BS_TEXT_MAKE_TAG_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"

typedef struct {
    int    rows, tags, words, length, seed;
    double noise, clear, change, same, rule;
} bs_make_tag_options;

extern const bs_option bs_make_tag_rows[];

/* Expected token accuracy of predictors that know the generator exactly; means over the
 * words of the first sentences. */
typedef struct {
    double  best;      /* the best possible: the most probable tag given the whole sentence */
    double  chain;     /* the same with a chain of tags, which does not know the mode */
    double  single;    /* the most probable tag given the word alone */
    int32_t sentences; /* that the figures are averaged over */
    int64_t tokens;    /* of all sentences */
} bs_make_tag_truth;

/* Writes columns "word tag" to out, whose ceiling bounds them. truth may be NULL. */
basin_status bs_make_tag(const bs_make_tag_options *o, bs_buf *out, bs_make_tag_truth *truth,
                         basin_error *err);

/* Text for people and a JSON object. */
void bs_make_tag_describe(const bs_make_tag_options *o, const bs_make_tag_truth *t,
                          const char *path, bs_buf *table, bs_buf *json);

#endif
