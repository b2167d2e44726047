/* explain.h -- explanations that other tasks of tagged sentences share. */
#ifndef BS_TOOL_TAG_EXPLAIN_H
#define BS_TOOL_TAG_EXPLAIN_H

#include "explain/explain.h"

bool         bs_explain_tag_labelled(const bs_dataset *p);
basin_status bs_explain_tag_names(bs_explanation *e, basin_error *err);
basin_status bs_explain_tag_row(bs_explanation *e, basin_error *err);

#endif
