/* decide.c -- how the rows of a call are decided: the model's way, or the caller's. */
#include "api/api.h"

#include <string.h>

basin_status bs_model_cut(const bs_model_file *m, const char *decide, const char *threshold,
                          bs_threshold *out, basin_error *err)
{
    const bool   given = threshold && strcmp(threshold, "auto") != 0;
    double       number;
    basin_status s = BASIN_OK;
    *out = m->threshold;
    if (given && (!bs_parse_double(threshold, &number) || !(number >= 0 && number <= 1)))
        return bs_fail(err, BASIN_EARG, "--threshold: '%s' is not a number from 0 to 1, or auto",
                       threshold);
    if (given)
        *out = bs_threshold_fixed((float)number);
    if (decide)
        s = bs_decision_parse(decide, &out->by, err);
    if (!s && given && out->by != BS_DECIDE_THRESHOLD)
        s = bs_fail(err, BASIN_EARG, "--decide %s has no threshold; leave out --threshold", decide);
    return s;
}
