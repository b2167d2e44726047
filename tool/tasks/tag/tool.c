/* tool.c -- what the tool has for tag sequences. */
#include "explain/explain.h"
#include "inspect/inspect.h"
#include "report/report.h"
#include "task/tag/data.h"
#include "tasks/tag/make.h"
#include "tasks/tasks.h"

static void readers(bs_listing put, void *to)
{
    for (int i = 0; bs_corpus_formats[i]; i++)
        if (!bs_corpus_formats[i]->roles)
            put(to, bs_corpus_formats[i]->name, bs_corpus_formats[i]->help);
}

extern const bs_task_inspect bs_task_inspect_tag;
extern const bs_task_report  bs_task_report_tag;
extern const bs_task_explain bs_task_explain_tag;

const bs_tool_task bs_tool_tag = {.data = &bs_task_inspect_tag,
                                  .report = &bs_task_report_tag,
                                  .explain = &bs_task_explain_tag,
                                  .generator = bs_make_tag_rows,
                                  .readers = readers};
