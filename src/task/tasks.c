/* tasks.c -- the list of tasks. */
#include "task/task.h"

#define TASK(name) extern const bs_task bs_task_##name;
#include BS_TASKS
#undef TASK

const bs_task *const bs_tasks[] = {
#define TASK(name) &bs_task_##name,
#include BS_TASKS
#undef TASK
    NULL,
};
