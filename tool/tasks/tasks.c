/* tasks.c -- the tool's tables of tasks, in the order of bs_tasks. */
#include "tasks/tasks.h"

#define TASK(name) extern const bs_tool_task bs_tool_##name;
#include BS_TASKS
#undef TASK

static const bs_tool_task *const tables[] = {
#define TASK(name) &bs_tool_##name,
#include BS_TASKS
#undef TASK
};

const bs_tool_task *bs_tool_of(const bs_task *task)
{
    int i = 0;
    while (bs_tasks[i] != task)
        i++;
    return tables[i];
}
