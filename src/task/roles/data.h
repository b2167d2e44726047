/* data.h -- shared by the files of the task of semantic roles. Rows, what a model knows and outputs
 * are those of tagged sentences (task/tag): a row is a sentence with one predicate marked. */
#ifndef BS_TASK_ROLES_H
#define BS_TASK_ROLES_H

#include "data/text/role_metric.h"
#include "data/text/roles.h"
#include "task/tag/data.h"

extern const bs_task               bs_task_roles;
extern const struct bs_task_eval   bs_task_eval_roles;   /* eval.c */
extern const struct bs_task_write  bs_task_write_roles;  /* write.c */
extern const struct bs_task_memory bs_task_memory_roles; /* memory.c */

typedef struct {
    bs_role_metrics *metrics;
    bs_tagset        tags; /* of the metrics */
} bs_role_counted;

static inline bs_role_counted *bs_measurement_roles(const bs_measurement *c)
{
    return c->own;
}

#endif
