/* toy.h -- a task as docs/adding.md says: one class, a letter, for each row of numbers. Files begin
 * with a line "toy"; then each line has a letter and numbers. */
#ifndef TOY_H
#define TOY_H

#include "model/view.h"
#include "nn/encoder.h"
#include "task/task.h"

enum { TOY_CLASSES = 26 };

typedef struct {
    int               features, classes, width, layers, hidden;
    double            dropout;
    bool              shared;
    const bs_encoder *net;
    const void       *own;
} toy_shape;

_Static_assert(sizeof(toy_shape) <= BS_SPEC_ROOM, "a spec has no room for it");
static inline const toy_shape *bs_net_spec_toy(const bs_net_spec *s)
{
    return (const void *)s->own.bytes;
}

/* Rows of a file. */
typedef struct {
    int32_t rows, features;
    float  *x;      /* [rows, features] */
    int32_t *class; /* [rows] */
} toy_rows;

static inline toy_rows *bs_dataset_toy(const bs_dataset *p)
{
    return p->own;
}

/* What a model keeps. */
typedef struct {
    int features, classes;
} toy_known;

static inline toy_known *bs_preprocess_toy(const bs_preprocess *k)
{
    return k->own;
}

extern const bs_task_space bs_task_space_toy; /* graph.c */
extern const bs_task       bs_task_toy;       /* data.c */

#endif
