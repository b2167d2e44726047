/* tool.c -- what the tool has for semantic roles. */
#include "explain/explain.h"
#include "inspect/inspect.h"
#include "report/report.h"
#include "task/roles/data.h"
#include "tasks/roles/make.h"
#include "tasks/tasks.h"

static void readers(bs_listing put, void *to)
{
    for (int i = 0; bs_corpus_formats[i]; i++)
        if (bs_corpus_formats[i]->roles)
            put(to, bs_corpus_formats[i]->name, bs_corpus_formats[i]->help);
}

extern const bs_task_inspect bs_task_inspect_roles;
extern const bs_task_report  bs_task_report_roles;
extern const bs_task_explain bs_task_explain_roles;

const bs_tool_task bs_tool_roles = {.data = &bs_task_inspect_roles,
                                    .report = &bs_task_report_roles,
                                    .explain = &bs_task_explain_roles,
                                    .generator = bs_make_roles_rows,
                                    .readers = readers};
