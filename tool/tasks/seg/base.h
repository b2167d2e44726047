/* base.h -- baselines for masks. */
#ifndef BS_TOOL_SEG_BASE_H
#define BS_TOOL_SEG_BASE_H

#include "report/report.h"

basin_status bs_base_guess_seg(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                               basin_error *err);

#endif
