/* tasks.h -- the tool's side of a task: one table per task, in tool/tasks/NAME/tool.c, for the
 * lines of src/task/tasks.def. */
#ifndef BS_TOOL_TASKS_H
#define BS_TOOL_TASKS_H

#include "basin_tool.h"

/* Receives one item that a task offers. */
typedef void (*bs_listing)(void *to, const char *name, const char *help);

/* Members may be NULL. */
typedef struct {
    const struct bs_task_inspect *data;      /* inspect/inspect.h: inspecting, converting, making */
    const struct bs_task_report  *report;    /* report/report.h: errors of a model, baselines */
    const struct bs_task_explain *explain;   /* explain/explain.h: what an energy learned */
    const bs_option              *generator; /* options of data->make */
    void (*readers)(bs_listing put, void *to);
} bs_tool_task;

const bs_tool_task *bs_tool_of(const bs_task *task);

#endif
