/* test_seg_tiles.c -- photos that are predicted in windows or in tiles: every pixel is covered, and
 * a tile gives what the whole photo gives. */
#include "seg_feed.h"
#include "tests/far.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_cover_every_photo),
        cmocka_unit_test(thirty_six_windows_are_those_of_the_papers),
        cmocka_unit_test(tiles_divide_every_photo),
        cmocka_unit_test(tiles_are_as_good_as_the_whole),
    };
    return cmocka_run_group_tests_name("windows and tiles", tests, NULL, NULL);
}
