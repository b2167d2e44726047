/* fuzz_coco.h -- the body of the fuzz target for annotations in COCO's form. */
#ifndef FUZZ_COCO_H
#define FUZZ_COCO_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/image/coco.h"

#define COCO_MUST(condition)  \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

/* What is read is sound: indices are within their lists, runs come to the pixels, and drawing gives
 * classes that there are. */
static inline void fuzz_coco_drawn(const bs_coco *c)
{
    enum { W = 24, H = 17 };
    static uint8_t mask[W * H], again[W * H];
    for (size_t i = 0; i < c->n_categories; i++)
        c->category[i].class = (int)(i % 5) - 1;
    for (size_t i = 0; i < c->n_images && i < 50; i++) {
        bs_coco_tally tally = {0};
        basin_error   err = {0};
        COCO_MUST(c->image[i].first + c->image[i].n <= c->n_objects && c->image[i].file[0]);
        if (bs_coco_draw(c, (int32_t)i, W, H, mask, &tally, &err)) {
            COCO_MUST(err.msg[0] && !strchr(err.msg, '\n'));
            continue;
        }
        COCO_MUST(!bs_coco_draw(c, (int32_t)i, W, H, again, &tally, &err));
        COCO_MUST(memcmp(mask, again, sizeof mask) == 0);
        for (int k = 0; k < W * H; k++)
            COCO_MUST(mask[k] < 4 || mask[k] == BS_COCO_CROWD);
    }
}

static inline void fuzz_coco(const uint8_t *data, size_t size)
{
    bs_coco     c;
    basin_error err = {0};
    char       *text = malloc(size + 1); /* its own block: a read beyond the end is seen */
    if (!text)
        abort();
    memcpy(text, data, size);
    bs_coco_sniff(text, size);
    if (bs_coco_read("fuzz", text, size, &c, &err)) {
        COCO_MUST(err.msg[0] && !strchr(err.msg, '\n'));
    } else {
        for (size_t k = 0; k < c.n_objects; k++) {
            const bs_coco_object *o = &c.object[k];
            COCO_MUST(o->category >= 0 && (size_t)o->category < c.n_categories);
            COCO_MUST(o->at + o->n <= c.n_words && (!o->runs || (o->width > 0 && o->height > 0)));
        }
        fuzz_coco_drawn(&c);
    }
    bs_coco_free(&c);
    free(text);
    COCO_MUST(bs_mem_live() == 0);
}

#endif
