/* base.h -- baselines for tags, and what other tasks of tagged sentences use of this folder. */
#ifndef BS_TOOL_TAG_BASE_H
#define BS_TOOL_TAG_BASE_H

#include "data/text/tag_metric.h"
#include "report/report.h"

basin_status bs_base_guess_tag(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                               basin_error *err);

/* The sentences with the most wrong words, with true and predicted spans: report.c */
basin_status bs_report_worst_sentences(const bs_report_group *g, const bs_tagset *tags, bs_doc *d,
                                       basin_error *err);

/* A table that begins with what loses most, and advice about that; both sort the rows. */
void bs_report_score_table(bs_type_score *row, int32_t n, const char *what, const char *unit,
                           bs_doc *d);
void bs_report_advise_lost(bs_type_score *row, int32_t n, const char *key, const char *unit,
                           bs_notes *advice);

#endif
