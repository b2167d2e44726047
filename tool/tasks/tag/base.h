/* base.h -- baselines for tags. */
#ifndef BS_TOOL_TAG_BASE_H
#define BS_TOOL_TAG_BASE_H

#include "report/report.h"

basin_status bs_base_guess_tag(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                               basin_error *err);

#endif
