/* test_seg_feed.c -- windows of photos as batches and back: where they lie, what of them counts,
 * what a model remembers of images, and predictions of one image from memory. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/mem.h"
#include "fuzz/fuzz_pictured.h"
#include "tasks/seg/make.h"
#include "replay.h"
#include "tests/far.h"
#include "tests/api_folder.h"
#include "task/seg/windows.h"
#include "task/prepare.h"

enum { IMAGES = 20, SIZE = 16, WINDOW = 12 };

static bs_images *made(const char *words)
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

static fed *feed_of(bs_images *im, const char *words, int batch)
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

static void fed_free(fed *f)
{
    f->feed->free(f->feed);
    bs_preprocess_free(&f->known);
    free(f);
}

/* The windows of an epoch by photo: pixels, what counts, gold. */
typedef struct {
    real photo[IMAGES][3 * WINDOW * WINDOW], there[IMAGES][WINDOW * WINDOW],
        gold[IMAGES][3 * WINDOW * WINDOW];
} epoch;

static epoch *epoch_of(fed *f, int number)
{
    epoch        *e = calloc(1, sizeof *e);
    int32_t       order[IMAGES];
    bs_rng        rng = bs_rng_make(7, (uint64_t)number, 3);
    const int32_t most = f->s.train.batch;
    const size_t  cells = WINDOW * WINDOW;
    const size_t  C = (size_t)bs_preprocess_seg(&f->known)->channels,
                 P = (size_t)bs_seg_planes(bs_net_spec_seg(&f->spec));
    f->feed->order(f->feed, &rng, order);
    for (int32_t at = 0, n; at < IMAGES; at += n) {
        n = f->feed->fits(f->feed, order + at, IMAGES - at < most ? IMAGES - at : most);
        assert_true(n >= 1 && n <= most);
        const bs_batch *b = f->feed->rows(f->feed, order + at, n);
        assert_int_equal(b->size.rows, n);
        assert_int_equal(b->size.length, WINDOW);
        assert_int_equal(b->size.width, WINDOW);
        for (int32_t i = 0; i < n; i++) {
            const size_t k = (size_t)i;
            memcpy(e->photo[order[at + i]], (const real *)b->x[0] + k * C * cells,
                   C * cells * sizeof(real));
            memcpy(e->there[order[at + i]], (const real *)b->x[1] + k * cells,
                   cells * sizeof(real));
            memcpy(e->gold[order[at + i]], (const real *)b->gold + k * P * cells,
                   P * cells * sizeof(real));
        }
    }
    return e;
}

static void windows_do_not_depend_on_batches(void **state)
{
    (void)state;
    bs_images *im = made("");
    epoch     *first = NULL;
    for (int batch = 1; batch <= 8; batch += 3)
        for (int number = 1; number <= 2; number++) {
            fed   *f = feed_of(im, "seg.flip=yes", batch);
            epoch *e = epoch_of(f, number);
            if (!first) {
                first = e;
            } else {
                int same = memcmp(e, first, sizeof *e) == 0;
                assert_int_equal(same, number == 1);
                free(e);
            }
            fed_free(f);
        }
    free(first);
    bs_images_free(im);
}

/* Whether the window of an epoch is that of the photo at this place. */
static bool lies_at(const bs_images *im, const epoch *e, int i, int x, int y, bool flip)
{
    for (int k = 0; k < WINDOW * WINDOW; k++) {
        int col = x + (flip ? WINDOW - 1 - k % WINDOW : k % WINDOW), row = y + k / WINDOW;
        int at = row * SIZE + col;
        for (int c = 0; c < im->channels; c++)
            if (fabs((double)e->photo[i][c * WINDOW * WINDOW + k] -
                     im->pixels[i][c * SIZE * SIZE + at] / 255.0) > 1e-6)
                return false;
        if (e->there[i][k] != (im->mask[i][at] != BS_IGNORE) ||
            e->gold[i][k] != (im->mask[i][at] == 1))
            return false;
    }
    return true;
}

static void windows_are_pieces_of_the_photos(void **state)
{
    (void)state;
    bs_images *im = made("channels=3");
    int        flipped = 0, places = 0;
    for (int i = 0; i < IMAGES; i++)
        im->mask[i][5 * SIZE + 5] = BS_IGNORE; /* in every window */
    fed   *f = feed_of(im, "seg.flip=yes", 6);
    epoch *e = epoch_of(f, 1);
    assert_int_equal(bs_preprocess_seg(&f->known)->width, WINDOW);
    for (int i = 0; i < IMAGES; i++) {
        bool found = false;
        for (int k = 0; k < 2 * 25 && !found; k++) {
            found = lies_at(im, e, i, k / 2 % 5, k / 10, k % 2);
            flipped += found && k % 2;
            places |= found ? 1 << k / 2 : 0;
        }
        assert_true(found);
    }
    assert_true(flipped > 3 && flipped < 17);
    assert_true(__builtin_popcount((unsigned)places) > 5);
    free(e);
    fed_free(f);
    bs_images_free(im);
}

static void what_is_outside_or_unknown_does_not_count(void **state)
{
    (void)state;
    bs_images *im = made("");
    im->mask[3] = NULL;
    im->width[4] = im->height[4] = 8; /* the window is around the photo */
    im->equal = false;
    fed   *f = feed_of(im, "seg.crop=12x12", 5);
    epoch *e = epoch_of(f, 1);
    for (int k = 0; k < WINDOW * WINDOW; k++) {
        assert_true(e->there[3][k] == 0);
        bool inside = k % WINDOW >= 2 && k % WINDOW < 10 && k / WINDOW >= 2 && k / WINDOW < 10;
        assert_true(e->there[4][k] == inside);
        assert_true(e->there[4][k] > 0 || (e->photo[4][k] == 0 && e->gold[4][k] == 0));
        assert_true(e->there[0][k] == 1);
    }
    free(e);
    fed_free(f);
    bs_images_free(im);
}

static void the_mean_colour_is_subtracted(void **state)
{
    (void)state;
    bs_images *im = made("channels=3");
    fed       *f = feed_of(im, "seg.mean=yes seg.crop=12", 5);
    epoch     *e = epoch_of(f, 1);
    double     sum = 0;
    for (int i = 0; i < IMAGES; i++)
        for (int k = 0; k < 3 * WINDOW * WINDOW; k++)
            sum += (double)e->photo[i][k];
    assert_true(bs_preprocess_seg(&f->known)->mean[0] > 100 &&
                bs_preprocess_seg(&f->known)->mean[0] < 156);
    assert_true(fabs(sum / (IMAGES * 3 * WINDOW * WINDOW)) < 0.02);
    free(e);
    fed_free(f);
    bs_images_free(im);
}

/* ---- windows for prediction ---- */

typedef struct {
    int  n, width, height;
    int  hits[200][200];
    bool paper[9][9];
} cover;

static basin_status visit(void *ctx, const bs_crop *c)
{
    cover *v = ctx;
    v->n++;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            int X = c->x + x, Y = c->y + y;
            if (X >= 0 && Y >= 0 && X < v->width && Y < v->height)
                v->hits[Y][X]++;
        }
    if (c->x >= 0 && c->y >= 0 && c->x < 9 && c->y < 9)
        v->paper[c->y][c->x] = true;
    return BASIN_OK;
}

/* Every channel of a window is a line through its values: one slope a window, within the range
 * that was asked for; the line meets grey near grey. */
static void light_varies_from_window_to_window(void **state)
{
    (void)state;
    const double jitter = 0.4;
    const int    cells = WINDOW * WINDOW;
    bs_images   *im = made("channels=3");
    fed         *still = feed_of(im, "", 6), *varied = feed_of(im, "seg.jitter=0.4", 6);
    epoch       *a = epoch_of(still, 1), *b = epoch_of(varied, 1);
    double       least = 9, most = -9;
    for (int i = 0; i < IMAGES; i++) {
        double slope = 0;
        for (int c = 0; c < 3; c++) {
            const real *x = a->photo[i] + c * cells, *y = b->photo[i] + c * cells;
            int         low = 0, high = 0;
            for (int k = 1; k < cells; k++) {
                low = x[k] < x[low] ? k : low;
                high = x[k] > x[high] ? k : high;
            }
            double s = (double)(y[high] - y[low]) / (double)(x[high] - x[low]);
            for (int k = 0; k < cells; k++)
                assert_true(fabs((double)y[low] + s * (double)(x[k] - x[low]) - (double)y[k]) <
                            1e-4);
            assert_true(c == 0 || fabs(s - slope) < 1e-3);
            double grey = (double)y[low] + s * (0.5 - (double)x[low]) - 0.5;
            assert_true(fabs(grey) <= 0.75 * jitter + 1e-3);
            slope = s;
        }
        assert_true(fabs(slope - 1) <= jitter + 1e-3);
        least = slope < least ? slope : least;
        most = slope > most ? slope : most;
    }
    assert_true(most - least > jitter);
    free(a);
    free(b);
    fed_free(still);
    fed_free(varied);
    bs_images_free(im);
}

static void windows_cover_every_photo(void **state)
{
    static const int size[] = {1, 5, 12, 13, 24, 32, 33, 50, 100, 199};
    (void)state;
    for (int i = 0; i < 10 * 10 * 3; i++) {
        static const int crops[] = {1, 5, 36};
        bs_seg_known     k = {.width = 12, .height = 24, .crops = crops[i % 3]};
        basin_status     s = BASIN_OK;
        cover           *v = calloc(1, sizeof *v);
        v->width = size[i / 3 % 10];
        v->height = size[i / 30];
        int n = bs_seg_windows(&k, v->width, v->height, visit, v, &s);
        assert_int_equal(n, v->n);
        int least = ((v->width + 11) / 12) * ((v->height + 23) / 24);
        assert_true(n >= least);
        if (crops[i % 3] == 1)
            assert_int_equal(n, least);
        for (int y = 0; y < v->height; y++)
            for (int x = 0; x < v->width; x++)
                assert_true(v->hits[y][x] > 0);
        free(v);
    }
}

static void thirty_six_windows_are_those_of_the_papers(void **state)
{
    static const bool in[] = {1, 0, 1, 1, 1, 0, 1, 0, 1};
    bs_seg_known      k = {.width = 24, .height = 24, .crops = 36};
    basin_status      s = BASIN_OK;
    cover            *v = calloc(1, sizeof *v);
    (void)state;
    v->width = v->height = 32;
    assert_int_equal(bs_seg_windows(&k, 32, 32, visit, v, &s), 36);
    for (int i = 0; i < 81; i++)
        assert_int_equal(v->paper[i / 9][i % 9], in[i / 9] && in[i % 9]);
    free(v);
}

/* ---- whole photos and tiles ---- */

static bool margin_kept(int tile, int tile_end, int part, int part_end, int size)
{
    return (tile == 0 || part - tile >= BS_TILE_MARGIN) &&
           (tile_end == size || tile_end - part_end >= BS_TILE_MARGIN);
}

/* As many smaller ones (their sides are multiples of 8) would not do. */
static bool none_too_large(int size, int tile, int n)
{
    const int shared = 2 * BS_TILE_MARGIN + 7;
    return n == 1 || n * (tile - 8 - shared) < size - shared;
}

/* Parts of tiles are all of a photo, each pixel once, and lie inside of their tiles. */
static void tiles_divide_every_photo(void **state)
{
    static const int     size[] = {1, 31, 128, 129, 200, 513, 1024};
    static const int64_t pixels[] = {1, 1 << 14, 40000, 1 << 20};
    const int            least = 3 * BS_TILE_MARGIN;
    (void)state;
    for (int i = 0; i < 7 * 7 * 4; i++) {
        const int W = size[i / 4 % 7], H = size[i / 28];
        bs_tiles  t = bs_tiles_make(W, H, pixels[i % 4]);
        uint8_t  *hits = calloc((size_t)W * (size_t)H, 1);
        assert_true((int64_t)t.width * t.height <= pixels[i % 4] ||
                    (t.width <= least && t.height <= least));
        assert_true((int64_t)W * H > pixels[i % 4] || (t.across == 1 && t.down == 1));
        assert_true(none_too_large(W, t.width, t.across) && none_too_large(H, t.height, t.down));
        for (int k = 0; k < t.across * t.down; k++) {
            bs_crop a, b;
            bs_tiles_at(&t, W, H, k, &a, &b);
            assert_true(a.x >= 0 && a.y >= 0 && a.x + a.width <= W && a.y + a.height <= H);
            assert_true(margin_kept(a.x, a.x + a.width, b.x, b.x + b.width, W));
            assert_true(margin_kept(a.y, a.y + a.height, b.y, b.y + b.height, H));
            for (int y = b.y; y < b.y + b.height; y++)
                for (int x = b.x; x < b.x + b.width; x++)
                    hits[y * W + x]++;
        }
        for (int k = 0; k < W * H; k++)
            assert_int_equal(hits[k], 1);
        free(hits);
    }
}

/* A net with its first values over photos. */
typedef struct {
    fed          *f;
    bs_workspace *w;
    bs_params    *params;
    bs_scorer    *scorer;
} untrained;

/* Running means and variances as if there had been training; without it nothing passes. */
static void put_moments(bs_params *p)
{
    for (int i = 0; i < p->n; i++) {
        real *m;
        if (p->segment[i].follow <= 0)
            continue;
        OK(bs_params_map(p, &p->segment[i], BS_WRITE, &m, err));
        for (int64_t k = 0; k < p->segment[i].count; k++)
            m[k] = k < p->segment[i].count / 2 ? 0 : (real)0.1;
        bs_params_unmap(p, &p->segment[i], BS_WRITE, m);
    }
}

static untrained *net_of(bs_images *im, const char *words)
{
    untrained   *u = calloc(1, sizeof *u);
    bs_graph    *g = bs_graph_new();
    bs_inference how = {.how = BS_INFER_NET};
    u->f = feed_of(im, words, 1);
    u->params = bs_params_new();
    bs_output_space v =
        bs_output_space_make(g, u->params, &u->f->spec, (bs_size){1, 16, 16}, false);
    bs_task_space_seg.logits(&v, "net");
    OK(bs_params_allocate(u->params, device_here(), 1, err));
    put_moments(u->params);
    bs_graph_free(g);
    OK(bs_workspace_open((bs_machine){.threads = 1}, &u->w, err));
    OK(bs_scorer_new(u->w, u->params, &u->f->spec, &how, &u->scorer, err));
    return u;
}

static void untrained_free(untrained *u)
{
    bs_scorer_free(u->scorer);
    bs_workspace_close(u->w);
    bs_params_free(u->params);
    fed_free(u->f);
    free(u);
}

static bs_outputs outputs_of(untrained *u)
{
    bs_outputs y;
    OK(bs_task_seg.outputs(&u->f->part, &u->f->known, &y, err));
    OK(bs_task_seg.predict(u->scorer, &u->f->spec, &u->f->known, &u->f->part, &y, err));
    return y;
}

static double farthest(const bs_outputs *a, const bs_outputs *b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)a->scores[i] - (double)b->scores[i]));
    return most;
}

/* What a tile sees beyond its part is all that a pixel of it depends on; windows see less. */
static void tiles_are_as_good_as_the_whole(void **state)
{
    static const char *const kind[] = {"fcn", "fcn2", "unet", "unet3"};
    (void)state;
    bs_images *im = made("size=256 images=2");
    for (int i = 0; i < 4; i++) {
        char words[64];
        snprintf(words, sizeof words, "net.kind=%s seg.crop=48x48", kind[i]);
        untrained   *u = net_of(im, words);
        const size_t n = 2 * 256 * 256;
        bs_outputs   whole = outputs_of(u);
        bs_preprocess_seg(&u->f->known)->image.max_tile_mb = 1; /* the least tiles */
        bs_outputs tiled = outputs_of(u);
        bs_preprocess_seg(&u->f->known)->crops = 36;
        bs_outputs windows = outputs_of(u);
        assert_true(farthest(&whole, &tiled, n) < 1e-5);
        assert_true(farthest(&whole, &windows, n) > 1e-4);
        bs_outputs_free(&whole);
        bs_outputs_free(&tiled);
        bs_outputs_free(&windows);
        untrained_free(u);
    }
    bs_images_free(im);
}

/* ---- what a model remembers ---- */

static void refused(const char *json)
{
    bs_preprocess k = {0};
    basin_error   err = {0};
    bs_arena_init(&k.arena, 0);
    if (bs_preprocess_read(&bs_task_seg, json, "m.safetensors", &k, &err) != BASIN_EDATA)
        fail_msg("accepted: %s", json);
    assert_non_null(strstr(err.msg, "m.safetensors"));
    bs_preprocess_free(&k);
}

#define REST ", \"mean\": [0, 0, 0], \"names\": [], \"image\": {}}"

static void what_cannot_be_remembered_is_refused(void **state)
{
    (void)state;
    refused("");
    refused("[]");
    refused("{}");
    refused("{\"channels\": 2, \"classes\": 2, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 1, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 256, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [0, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 99999999999], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": -1" REST);
    refused("{\"channels\": 3.5, \"classes\": 2, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 256], \"names\": [], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": [\"a\"], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": [\"a\", 3], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": []}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": [], \"colours\": [[0, 0, 0]], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, \"mean\": "
            "[0, 0, 0], \"names\": [], \"colours\": [null, [0, 0, 256]], \"image\": {}}");
}

static void nets_beyond_all_measure_are_refused(void **state)
{
    bs_seg_known  own = {.channels = 3, .classes = 200, .width = 8192, .height = 8192};
    bs_preprocess k = {.own = &own};
    bs_settings   s;
    bs_net_spec   spec;
    basin_error   wrong = {0};
    (void)state;
    OK(bs_settings_default(&s, err));
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_EARG);
    assert_non_null(strstr(wrong.msg, "seg.crop"));
    own.width = own.height = 64;
    s.train.net_width = 100000;
    own.classes = 2;
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_OK);
    own.width = own.height = 2048;
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_EARG);
    snprintf(s.train.net_kind, sizeof s.train.net_kind, "fcn3");
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_EARG);
    assert_non_null(strstr(wrong.msg, "did you mean 'fcn'"));
}

static void remembered_images(void **state)
{
    (void)state;
    replay_corpus("pictured", fuzz_pictured);
}

/* ---- files ---- */

static int in_folder_of_images(void **state)
{
    bs_images *im = made("images=40 size=16 channels=3 noise=5 contrast=90");
    bs_images *grey = made("images=30 size=20 channels=1 valid=0 test=0");
    int        status = in_temporary_folder(state);
    OK(bs_images_write(im, "set.tar", NULL, err));
    OK(bs_images_write(grey, "grey", NULL, err));
    bs_images_free(im);
    bs_images_free(grey);
    return status;
}

static void parts_of_the_data_are_used(void **state)
{
    bs_settings s;
    bs_logger   quiet = {0};
    bs_data     p;
    bs_sources  files = {.file = {{"set.tar"}}, .n = {1}};
    (void)state;
    OK(bs_settings_default(&s, err));
    snprintf(s.train.task, sizeof s.train.task, "seg");
    OK(bs_prepare(&s, &files, &quiet, &p, err));
    assert_int_equal(p.part[0].rows, 24);
    assert_int_equal(p.part[1].rows, 6);
    assert_int_equal(p.part[2].rows, 10);
    bs_data_free(&p);
    files.file[0][0] = "grey"; /* no parts: split off */
    OK(bs_prepare(&s, &files, &quiet, &p, err));
    assert_int_equal(p.part[0].rows + p.part[1].rows + p.part[2].rows, 30);
    assert_int_equal(p.part[1].rows, 6);
    assert_int_equal(bs_preprocess_seg(&p.known)->channels, 1);
    assert_int_equal(bs_preprocess_seg(&p.known)->width, 20);
    bs_data_free(&p);
    files = (bs_sources){.file = {{"set.tar"}, {"grey"}}, .n = {1, 1}}; /* a file goes first */
    OK(bs_prepare(&s, &files, &quiet, &p, err));
    assert_int_equal(p.part[1].rows, 30);
    assert_int_equal(bs_dataset_seg(&p.part[1])->channels, 3);
    assert_int_equal(bs_dataset_seg(&p.part[1])->width[0], 16);
    assert_int_equal(p.part[2].rows, 10);
    bs_data_free(&p);
}

static void train_by(const char *method, const char *data, const char *run, const char *size)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "epochs", "2", err));
    OK(basin_config_set(c, "net.width", "4", err));
    OK(basin_config_set(c, "method", method, err));
    OK(basin_config_set(c, "image.size", size, err));
    OK(basin_config_file(c, "train", data, err));
    OK(basin_train(c, run, 1, 0, NULL, &text, err));
    assert_non_null(strstr(text.json, "\"task\": \"seg\""));
    assert_non_null(strstr(text.json, "\"test\": {\"pixel_accuracy\""));
    basin_text_free(&text);
    basin_config_free(c);
}

static void train_to(const char *data, const char *run, const char *size)
{
    train_by("ce", data, run, size);
}

static bs_outputs searched(const basin_model *m, bs_images *im)
{
    const bs_model_file *saved = m->saved;
    const bs_dataset     part = {.task = &bs_task_seg, .rows = im->n, .own = im};
    bs_inference         how;
    bs_workspace        *w;
    bs_scorer           *scorer;
    bs_outputs           y;
    OK(bs_model_file_inference(saved, "gbi", false, &how, err));
    OK(bs_workspace_open((bs_machine){.threads = 1}, &w, err));
    OK(bs_scorer_new(w, saved->params, &saved->spec, &how, &scorer, err));
    OK(bs_task_seg.outputs(&part, &saved->known, &y, err));
    OK(bs_task_seg.predict(scorer, &saved->spec, &saved->known, &part, &y, err));
    bs_scorer_free(scorer);
    bs_workspace_close(w);
    return y;
}

/* Prediction is blind to the truth, also to which pixels of it do not count. */
static void masks_do_not_change_predictions(void **state)
{
    basin_model *m;
    (void)state;
    train_by("dvn", "set.tar", "run-dvn", "auto");
    OK(basin_model_load("run-dvn", &m, err));
    bs_images *im = made("");
    bs_outputs with = searched(m, im);
    for (int32_t i = 0; i < im->n; i++)
        memset(im->mask[i], BS_IGNORE, SIZE * SIZE / 2);
    bs_outputs ignored = searched(m, im);
    im->mask[0] = NULL;
    bs_outputs   without = searched(m, im);
    const size_t bytes = bs_starts_seg(&with)[im->n] * sizeof *with.scores;
    assert_memory_equal(with.scores, ignored.scores, bytes);
    assert_memory_equal(with.scores, without.scores, bytes);
    bs_outputs_free(&with);
    bs_outputs_free(&ignored);
    bs_outputs_free(&without);
    bs_images_free(im);
    basin_model_free(m);
}

/* Memory and files give the same probabilities; pixels are interleaved there. */
static void check_memory(const char *data, const char *run)
{
    bs_image_options      o = bs_image_options_default();
    basin_predict_options how = {sizeof how, .path = "out", .format = "npy", .threads = 1};
    basin_model          *m;
    basin_predictor      *p;
    bs_images            *im;
    OK(basin_predict_files(run, &data, 1, &how, NULL, NULL, err));
    OK(basin_model_load(run, &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(bs_images_read(&data, 1, &o, NULL, &im, NULL, err));
    assert_int_equal(basin_model_labels(m), 2);
    assert_string_equal(basin_model_label(m, 1), "figure");
    assert_null(basin_model_label(m, 2));
    for (int i = 0; i < im->n; i++) {
        const int W = im->width[i], H = im->height[i], C = im->channels;
        uint8_t   pixels[32 * 32 * 3], mask[32 * 32];
        float     mine[32 * 32], file[32 * 32];
        char      path[100];
        for (int k = 0; k < W * H * C; k++)
            pixels[k] = im->pixels[i][k % C * W * H + k / C];
        OK(basin_predict_image(p, pixels, W, H, C, mask, mine, err));
        snprintf(path, sizeof path, "out/%s.npy", im->name[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        assert_int_equal(fseek(f, -(long)(W * H * (int)sizeof *file), SEEK_END), 0);
        assert_int_equal(fread(file, sizeof *file, (size_t)(W * H), f), W * H);
        fclose(f);
        for (int k = 0; k < W * H; k++) {
            assert_float_equal(mine[k], file[k], 1e-5);
            assert_int_equal(mask[k], mine[k] >= 0.5f);
        }
    }
    bs_images_free(im);
    basin_predictor_free(p);
    basin_model_free(m);
}

static void memory_and_files_agree(void **state)
{
    (void)state;
    train_to("set.tar", "run", "auto");
    check_memory("set.tar", "run");
    check_memory("grey", "run"); /* another size, and grey */
    train_to("grey", "run-grey", "16x12");
    check_memory("grey", "run-grey");
    check_memory("set.tar", "run-grey"); /* and colours for a model of grey photos */
}

/* Drawings are made on photos at their own size, whatever size the net sees. */
static void photos_are_kept_to_be_drawn_on(void **state)
{
    static const char *const data = "set.tar";
    bs_image_options         o = bs_image_options_default();
    bs_images               *small, *whole, *some;
    const int32_t            last[] = {29};
    (void)state;
    OK(bs_images_read(&data, 1, &o, NULL, &whole, NULL, err));
    snprintf(o.size, sizeof o.size, "8x4");
    o.originals = true;
    OK(bs_images_read(&data, 1, &o, NULL, &small, NULL, err));
    OK(bs_images_select(small, last, 1, &some, err));
    assert_int_equal(whole->channels, 3);
    assert_null(whole->original);
    for (int32_t i = 0; i < small->n; i++) {
        const size_t n = (size_t)whole->width[i] * (size_t)whole->height[i];
        assert_int_equal(small->width[i], 8);
        assert_memory_equal(small->original[i], whole->pixels[i], 3 * n);
        if (i == last[0])
            assert_memory_equal(some->original[0], whole->pixels[i], 3 * n);
    }
    bs_images_free(some);
    bs_images_free(small);
    bs_images_free(whole);
}

static void odd_images_are_refused(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    basin_error      wrong = {0};
    uint8_t          pixels[64] = {0}, mask[16];
    (void)state;
    OK(basin_model_load("run", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    assert_int_equal(basin_predict_image(p, pixels, 4, 4, 4, mask, NULL, &wrong), BASIN_EARG);
    assert_int_equal(basin_predict_image(p, pixels, 0, 4, 3, mask, NULL, &wrong), BASIN_EARG);
    assert_int_equal(basin_predict_image(p, pixels, 4, 1 << 20, 3, mask, NULL, &wrong), BASIN_EARG);
    OK(basin_predict_image(p, pixels, 4, 4, 3, mask, NULL, err));
    bs_preprocess_seg(&m->saved->known)->name =
        NULL; /* classes without names are called by their numbers */
    bs_preprocess_seg(&m->saved->known)->classes = 255;
    assert_string_equal(basin_model_label(m, 0), "0");
    assert_string_equal(basin_model_label(m, 254), "254");
    bs_preprocess_seg(&m->saved->known)->classes = 2;
    basin_predictor_free(p);
    basin_model_free(m);
}

static basin_status from_load_to_mask(const uint8_t *pixels, uint8_t *mask, basin_error *err)
{
    basin_model     *m = NULL;
    basin_predictor *p = NULL;
    basin_status     s = basin_model_load("run", &m, err);
    if (!s)
        s = basin_predictor_new(m, 1, &p, err);
    if (!s)
        s = basin_predict_image(p, pixels, 20, 20, 3, mask, NULL, err);
    basin_predictor_free(p);
    basin_model_free(m);
    return s;
}

/* The n-th allocation fails, for every n until all goes well: nothing leaks, nothing crashes. */
static void memory_may_run_out(void **state)
{
    static uint8_t pixels[20 * 20 * 3], mask[20 * 20];
    basin_status   s = BASIN_ENOMEM;
    (void)state;
    for (long n = 1; s != BASIN_OK; n++) {
        basin_error wrong = {0};
        const long  live = bs_mem_live();
        bs_mem_fail_at(n);
        s = from_load_to_mask(pixels, mask, &wrong);
        bs_mem_fail_at(0);
        if (s != BASIN_OK && s != BASIN_ENOMEM)
            fail_msg("allocation %ld: %s", n, wrong.msg);
        assert_int_equal(bs_mem_live(), live);
    }
}

static void every_allocation_of_a_feed_may_fail(void **state)
{
    bs_images   *im = made("");
    fed         *f = feed_of(im, "", 4);
    basin_status s = BASIN_ENOMEM;
    (void)state;
    for (long n = 1; s; n++) {
        const long  live = bs_mem_live();
        bs_batches *feed = NULL;
        bs_mem_fail_at(n);
        s = bs_task_seg.feed(&f->part, &f->known, &f->spec, &f->s.train, &feed, NULL);
        bs_mem_fail_at(0);
        assert_int_equal(s, feed ? BASIN_OK : BASIN_ENOMEM);
        if (feed)
            feed->free(feed);
        assert_int_equal(bs_mem_live(), live);
    }
    fed_free(f);
    bs_images_free(im);
}

int main(void)
{
    const struct CMUnitTest alone[] = {
        cmocka_unit_test(windows_do_not_depend_on_batches),
        cmocka_unit_test(windows_are_pieces_of_the_photos),
        cmocka_unit_test(what_is_outside_or_unknown_does_not_count),
        cmocka_unit_test(the_mean_colour_is_subtracted),
        cmocka_unit_test(light_varies_from_window_to_window),
        cmocka_unit_test(windows_cover_every_photo),
        cmocka_unit_test(thirty_six_windows_are_those_of_the_papers),
        cmocka_unit_test(tiles_divide_every_photo),
        cmocka_unit_test(tiles_are_as_good_as_the_whole),
        cmocka_unit_test(what_cannot_be_remembered_is_refused),
        cmocka_unit_test(nets_beyond_all_measure_are_refused),
        cmocka_unit_test(remembered_images),
        cmocka_unit_test(every_allocation_of_a_feed_may_fail),
    };
    const struct CMUnitTest files[] = {
        cmocka_unit_test(parts_of_the_data_are_used),
        cmocka_unit_test(masks_do_not_change_predictions),
        cmocka_unit_test(memory_and_files_agree),
        cmocka_unit_test(photos_are_kept_to_be_drawn_on),
        cmocka_unit_test(odd_images_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    int failed = cmocka_run_group_tests_name("windows of photos", alone, NULL, NULL);
    return failed +
           cmocka_run_group_tests_name("images in files", files, in_folder_of_images, leave_folder);
}
