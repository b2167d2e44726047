/* tool.c -- what the tool has for masks. */
#include "explain/explain.h"
#include "inspect/inspect.h"
#include "report/report.h"
#include "task/seg/data.h"
#include "tasks/seg/make.h"
#include "tasks/tasks.h"

static void readers(bs_listing put, void *to)
{
    put(to, "images",
        "photos and masks in folders, tar and zip archives, outlines of COCO; PNG and JPEG");
}

extern const bs_task_inspect bs_task_inspect_seg;
extern const bs_task_report  bs_task_report_seg;
extern const bs_task_explain bs_task_explain_seg;

const bs_tool_task bs_tool_seg = {.data = &bs_task_inspect_seg,
                                  .report = &bs_task_report_seg,
                                  .explain = &bs_task_explain_seg,
                                  .generator = bs_make_seg_rows,
                                  .readers = readers};
