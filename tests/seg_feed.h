/* seg_feed.h -- small generated photos, and batches of their windows. */
#ifndef TEST_SEG_FEED_H
#define TEST_SEG_FEED_H

#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/mem.h"
#include "tasks/seg/make.h"
#include "tests/api_folder.h"
#include "task/seg/windows.h"
#include "task/prepare.h"

enum { IMAGES = 20, SIZE = 16, WINDOW = 12 };

static inline bs_images *made(const char *words)
{
    bs_make_seg_options o;
    bs_images          *im = NULL;
    char                copy[200];
    OK(bs_options_default(bs_make_seg_rows, &o, err));
    o.images = IMAGES;
    o.size = SIZE;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *at = strtok(copy, " "); at; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        *value++ = '\0';
        OK(bs_options_set(bs_make_seg_rows, &o, at, value, "test", err));
    }
    OK(bs_make_seg(&o, &im, NULL, err));
    return im;
}

typedef struct {
    bs_settings   s;
    bs_dataset    part;
    bs_preprocess known;
    bs_net_spec   spec;
    bs_batches   *feed;
} fed;

static inline fed *feed_of(bs_images *im, const char *words, int batch)
{
    fed *f = calloc(1, sizeof *f);
    OK(bs_settings_default(&f->s, err));
    OK(bs_settings_words(&f->s, "net.width=2 energy.hidden=4 seg.crop=12x12 seg.crops=0", "test",
                         err));
    OK(bs_settings_words(&f->s, words, "test", err));
    f->s.train.batch = batch;
    f->part = (bs_dataset){.task = &bs_task_seg, .rows = im->n, .own = im};
    bs_logger quiet = {0};
    bs_arena_init(&f->known.arena, 0);
    OK(bs_task_seg.fit(&f->s, &f->part, 1, &quiet, &f->known, err));
    OK(bs_task_seg.spec(&f->s.train, &f->known, &f->spec, err));
    OK(bs_task_seg.feed(&f->part, &f->known, &f->spec, &f->s.train, &f->feed, err));
    return f;
}

static inline void fed_free(fed *f)
{
    f->feed->free(f->feed);
    bs_preprocess_free(&f->known);
    free(f);
}

#endif
