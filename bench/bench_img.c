/* bench_img.c -- nets over images trained as torch_peer.py times them, by the learner that
 * `basin train` uses: ce, seal-regression, dvn; and prediction by the search of dvn.
 *
 *   bench_img FILE.f32 --method dvn --images 200 --size 32 --batch 8 --threads 2
 *   bench_img FILE.f32 --method dvn --predict 128     what `basin predict` does with so many photos
 *
 * FCN and value network with convolutions of 64, 128 and 128 channels, full layers of 384 and 192,
 * Adam at 1e-3, whole photos, one step of each net a batch; searches of 30 plain projected steps
 * from 0.5. seal-regression takes the net's own output, dvn what one search finds.
 *
 * What differs from the peer, apart from constants in losses and from initial weights: photos are
 * bytes, brought to 0 .. 1 for each batch; the FCN scores two planes, whose difference counts;
 * the share of the photo in the first layer of the value network is computed once a search; every
 * pixel has a weight, 1 or 0; searches run 32 photos at a time. */
#include "bench/bench.h"
#include "task/seg/data.h"
#include "method/loss.h"

static const char settings_of_peer[] =
    "task=seg seed=1 seg.crop=none net.kind=fcn net.width=64 net.dropout=0 energy.kind=value "
    "energy.hidden=384 energy.dropout=0 optimiser=adam lr.net=0.001 lr.energy=0.001 decay.net=0 "
    "decay.energy=0 clip=0 clip.energy=0 steps.net=1 steps.energy=1 net.loss=energy "
    "energy.weight=0.1 ce.weight=1 dvn.samples=inference gbi.steps=30 gbi.test_steps=30 "
    "gbi.space=projected gbi.rule=plain gbi.start=uniform gbi.lr=20 gbi.best=no";

typedef struct {
    bs_settings   settings;
    bs_dataset    part;
    bs_preprocess known;
    bs_learner    learner;
    bs_batches   *feed;
    int32_t      *order;
} state;

static void *room(bs_images *im, size_t n, size_t size)
{
    void *block = bs_arena_alloc(&im->arena, n * size);
    if (!block)
        exit(1);
    return block;
}

/* n photos [3, size, size] of -1 .. 1, then n masks of 0 and 1. */
static bs_images *read_images(const char *path, int n, int size)
{
    const size_t plane = (size_t)size * (size_t)size, N = (size_t)n;
    basin_error  err = {0};
    bs_images   *im = bs_calloc(1, sizeof *im);
    bs_buf       file;
    bs_buf_init(&file, (size_t)1 << 32);
    TRY(bs_read_file(path, &file, &err));
    if (!im || file.len != N * 4 * plane * sizeof(float)) {
        fprintf(stderr, "bench: %s has another size than %d images of %d x %d\n", path, n, size,
                size);
        exit(1);
    }
    bs_arena_init(&im->arena, 0);
    im->n = n;
    im->channels = 3;
    im->classes = 2;
    im->equal = im->binary = true;
    im->width = im->height = room(im, N, sizeof *im->width);
    im->mask_width = im->mask_height = im->width;
    im->pixels = room(im, N, sizeof *im->pixels);
    im->mask = room(im, N, sizeof *im->mask);
    im->full_mask = room(im, N, sizeof *im->full_mask);
    const float *photo = (const float *)(const void *)file.data, *mask = photo + N * 3 * plane;
    for (size_t i = 0; i < N; i++) {
        im->width[i] = size;
        im->pixels[i] = room(im, 3 * plane, 1);
        im->mask[i] = room(im, plane, 1);
        im->full_mask[i] = NULL;
        for (size_t k = 0; k < 3 * plane; k++)
            im->pixels[i][k] = (uint8_t)(127.5F * (1 + photo[i * 3 * plane + k]) + 0.5F);
        for (size_t k = 0; k < plane; k++)
            im->mask[i][k] = mask[i * plane + k] > 0.5F;
    }
    bs_buf_free(&file);
    return im;
}

static void make_learner(state *s, const char *method, int threads)
{
    basin_error err = {0};
    bs_logger   log = {.level = BS_QUIET};
    bs_learner *l = &s->learner;
    l->o = &s->settings.train;
    bs_arena_init(&s->known.arena, 0);
    TRY(bs_task_seg.fit(&s->settings, &s->part, 1, &log, &s->known, &err));
    TRY(bs_method_find(method, "seg", &l->method, &err));
    TRY(bs_task_seg.spec(l->o, &s->known, &l->spec, &err));
    TRY(bs_workspace_open((bs_machine){.threads = threads}, &l->w, &err));
    l->params = bs_params_new();
    TRY(bs_learner_setup(l, &err));
    bench_skip_pretraining(l);
    TRY(bs_batches_seg(&s->part, &s->known, &l->spec, l->o, &s->feed, &err));
}

static double step(void *ctx, int epoch, int i)
{
    state *s = ctx;
    return bench_method_step(&s->learner, NULL, s->feed, s->order, epoch, i);
}

/* The first n photos, again and again. */
static void predict(state *s, const bench_case *c, int n)
{
    enum { MOST = 10000 };
    static double seconds[MOST];
    bs_learner   *l = &s->learner;
    basin_error   err = {0};
    bs_inference  how = bs_options_inference(l->o, strcmp(c->method, "dvn") == 0 ? "gbi" : "net");
    bs_scorer    *scorer;
    bs_outputs    y;
    bs_dataset    part = s->part;
    bs_images     first = *bs_dataset_seg(&s->part);
    int           calls = -1; /* one that makes programs */
    part.own = &first;
    part.rows = first.n = n;
    TRY(bs_scorer_new(l->w, l->params, &l->spec, &how, &scorer, &err));
    TRY(bs_task_seg.outputs(&part, &s->known, &y, &err));
    for (double end = bs_seconds() + c->seconds;
         calls < MOST && (calls < c->repeats || bs_seconds() < end); calls++) {
        double start = bs_seconds();
        TRY(bs_task_seg.predict(scorer, &l->spec, &s->known, &part, &y, &err));
        if (calls >= 0)
            seconds[calls] = bs_seconds() - start;
    }
    qsort(seconds, (size_t)calls, sizeof *seconds, by_value);
    printf("{\"peer\":\"basin\",\"workload\":\"%s\",\"method\":\"%s\",\"measure\":\"infer\","
           "\"batch\":%d,\"threads\":%d,\"unit\":\"images/s\",\"median\":%.6g,"
           "\"latency_us\":%.3f}\n",
           c->workload, c->method, n, c->threads, n / seconds[calls / 2], 1e6 * seconds[calls / 2]);
    bs_outputs_free(&y);
    bs_scorer_free(scorer);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: bench_img FILE.f32 --method NAME ...\n"), 2;
    basin_error  err = {0};
    const int    n = bench_int(argc, argv, "--images", "200");
    const int    predicted = bench_int(argc, argv, "--predict", "0");
    char         words[32];
    bench_case   c = {.workload = bench_arg(argc, argv, "--workload", "img-horses"),
                      .method = bench_arg(argc, argv, "--method", "ce"),
                      .unit = "images",
                      .batch = bench_int(argc, argv, "--batch", "8"),
                      .threads = bench_int(argc, argv, "--threads", "2"),
                      .repeats = bench_int(argc, argv, "--repeats", "5"),
                      .seconds = bench_int(argc, argv, "--seconds", "6")};
    static state s;
    snprintf(words, sizeof words, "batch=%d", c.batch);
    TRY(bs_settings_default(&s.settings, &err));
    TRY(bs_settings_words(&s.settings, settings_of_peer, "bench", &err));
    TRY(bs_settings_words(&s.settings, words, "bench", &err));
    s.part = (bs_dataset){.task = &bs_task_seg,
                          .rows = n,
                          .own = read_images(argv[1], n, bench_int(argc, argv, "--size", "32"))};
    make_learner(&s, c.method, c.threads);
    s.order = bs_calloc((size_t)n, sizeof *s.order);
    if (predicted > 0 && predicted <= n)
        predict(&s, &c, predicted);
    else
        bench_train(&c, n / c.batch, step, &s, c.batch);
    s.feed->free(s.feed);
    bs_learner_free(&s.learner);
    bs_params_free(s.learner.params);
    bs_workspace_close(s.learner.w);
    bs_dataset_free(&s.part);
    bs_preprocess_free(&s.known);
    bs_free(s.order);
    return 0;
}
