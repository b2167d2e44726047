/* tool.c -- what the tool has for toys: nothing of its own. */
#include "tasks/tasks.h"

const bs_tool_task bs_tool_toy = {.data = NULL};
