/* tool.c -- what the tool has for label sets. */
#include "explain/explain.h"
#include "inspect/inspect.h"
#include "task/mlc/data.h"
#include "tasks/mlc/make.h"
#include "tasks/mlc/report.h"
#include "tasks/tasks.h"

static void readers(bs_listing put, void *to)
{
    for (int i = 0; bs_readers[i]; i++)
        put(to, bs_readers[i]->name, bs_readers[i]->help);
}

extern const bs_task_inspect bs_task_inspect_mlc;
extern const bs_task_report  bs_task_report_mlc;
extern const bs_task_explain bs_task_explain_mlc;

const bs_tool_task bs_tool_mlc = {.data = &bs_task_inspect_mlc,
                                  .report = &bs_task_report_mlc,
                                  .explain = &bs_task_explain_mlc,
                                  .generator = bs_make_mlc_rows,
                                  .readers = readers};
