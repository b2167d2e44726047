/* report.h -- parts of the page about runs with label sets. */
#ifndef BS_TOOL_MLC_REPORT_H
#define BS_TOOL_MLC_REPORT_H

#include "report/report.h"

/* importance.c: which features matter */
basin_status bs_report_importance(const bs_report_group *g, bs_doc *d, basin_error *err);

/* words.c: which words of texts matter, by label and in some texts; the start of a text */
basin_status bs_report_words(const bs_report_group *g, bs_doc *d, basin_error *err);
void         bs_excerpt(const bs_row_text *text, size_t most, bs_buf *out);

/* base.c */
basin_status bs_base_learn_mlc(bs_lesson *t, bool *out, basin_error *err);
basin_status bs_base_guess_mlc(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                               basin_error *err);
void         bs_base_forget_mlc(bs_lesson *t);

#endif
