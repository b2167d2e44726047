/* make.c -- generated images of one shape each.
 *
 * A shape (disc, square, diamond, ring, cross) of one of three sizes is placed at random. Figure
 * and ground differ by a small contrast under strong noise, and with `polarity` a coin toss decides
 * which of them is brighter: then the value of a single pixel says nothing at all, and the figure
 * is what forms a closed shape. Holes are squares of plain grey in which nothing can be seen: the
 * part of the shape inside them must be completed.
 *
 * There are only a few thousand shapes, so P(shape, polarity | image) follows by enumeration, with
 * the exact probabilities of rounded and clipped noise, and from it P(pixel | image) and the
 * expected IoU of any mask. */
#include "tasks/seg/make.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "data/image/images_part.h"

enum {
    KINDS = 5,
    SIZES = 3,
    MOST_HOLES = 16,
    MOST_SCORED = 200,
    THRESHOLDS = 19,
    MIDDLE = 128,
    REACH = 3
};

#define AT(field) offsetof(bs_make_seg_options, field)

const bs_option bs_make_seg_rows[] = {
    {"images", BS_INT, AT(images), "600", "1", "1000000", NULL, "images to make", 0},
    {"size", BS_INT, AT(size), "32", "16", "256", NULL, "width and height", 0},
    {"channels", BS_INT, AT(channels), "3", "1", "3", NULL, "1 grey, 3 RGB; 2 is not possible", 0},
    {"contrast", BS_FLOAT, AT(contrast), "12", "0", "127", NULL,
     "grey levels of figure and ground above and below the middle", 0},
    {"noise", BS_FLOAT, AT(noise), "50", "0.1", "1000", NULL,
     "standard deviation of the noise of every channel, in grey levels", 0},
    {"polarity", BS_BOOL, AT(polarity), "yes", NULL, NULL, NULL,
     "figure brighter or darker by a coin toss; no = always brighter", 0},
    {"holes", BS_INT, AT(holes), "2", "0", "16", NULL, "squares in which nothing is seen", 0},
    {"hole", BS_INT, AT(hole), "8", "1", "256", NULL, "side of a hole", 0},
    {"kinds", BS_NAME, AT(kinds), "all", NULL, NULL, "all|disc|square|diamond|ring|cross",
     "shapes: one kind, or all", 0},
    {"valid", BS_FLOAT, AT(valid), "0.15", "0", "0.9", NULL, "share of validation images", 0},
    {"test", BS_FLOAT, AT(test), "0.25", "0", "0.9", NULL, "share of test images", 0},
    {"seed", BS_INT, AT(seed), "0", "0", "2000000000", NULL, "seed", 0},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const char *const kind_name[KINDS] = {"disc", "square", "diamond", "ring", "cross"};

/* A kind at one radius: its pixels relative to the centre, and where the centre may be. */
typedef struct {
    int      kind, radius, places; /* places per side */
    int32_t *at;                   /* [area] dy * size + dx */
    int      area;
    double   prior; /* log, for each place */
} form;

/* A form at one place. */
typedef struct {
    const form *f;
    int32_t     c; /* centre */
} shape;

typedef struct {
    bs_arena                   room;
    const bs_make_seg_options *o;
    int                        S, step;
    form                       form[KINDS * SIZES];
    int                        forms;
    shape                     *shape; /* [shapes], all that are possible */
    size_t                     shapes;
    double                     llr[256]; /* log P(value | bright) - log P(value | dark) */
    double                    *prior;    /* [S * S] P(pixel is figure) */
} world;

static bool inside(int kind, int dx, int dy, int r)
{
    const int d2 = dx * dx + dy * dy, ax = dx < 0 ? -dx : dx, ay = dy < 0 ? -dy : dy;
    switch (kind) {
    case 0: return d2 <= r * r + r / 2;
    case 1: return ax <= r * 5 / 6 && ay <= r * 5 / 6;
    case 2: return ax + ay <= r;
    case 3: return d2 <= r * r + r / 2 && 9 * d2 > 4 * r * r;
    default: return ax <= r / 3 || ay <= r / 3;
    }
}

static bool make_form(world *w, int kind, int radius)
{
    form     *f = &w->form[w->forms++];
    const int side = 2 * radius + 1;
    *f = (form){.kind = kind, .radius = radius};
    f->places = (w->S - side) / w->step + 1;
    f->at = bs_arena_alloc(&w->room, (size_t)side * (size_t)side * sizeof *f->at);
    for (int dy = -radius; f->at && dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            if (inside(kind, dx, dy, radius))
                f->at[f->area++] = dy * w->S + dx;
    return f->at != NULL;
}

static int32_t centre(const world *w, const form *f, int px, int py)
{
    return (f->radius + py * w->step) * w->S + f->radius + px * w->step;
}

/* --- values ---------------------------------------------------------------- */

static double below(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

/* P(value) of a rounded and clipped normal variable. */
static double p_value(int v, double mean, double sd)
{
    double lo = v == 0 ? 0 : below((v - 0.5 - mean) / sd);
    double hi = v == 255 ? 1 : below((v + 0.5 - mean) / sd);
    return hi - lo > 1e-280 ? hi - lo : 1e-280;
}

static bool make_world(world *w, const bs_make_seg_options *o)
{
    static const int sixteenths[SIZES] = {3, 4, 5};
    w->o = o;
    w->S = o->size;
    w->step = o->size < 64 ? 1 : o->size / 32;
    w->prior = bs_arena_alloc(&w->room, (size_t)w->S * (size_t)w->S * sizeof *w->prior);
    if (!w->prior)
        return false;
    for (int k = 0; k < KINDS; k++)
        for (int s = 0; s < SIZES; s++)
            if ((strcmp(o->kinds, "all") == 0 || strcmp(o->kinds, kind_name[k]) == 0) &&
                !make_form(w, k, w->S * sixteenths[s] / 16))
                return false;
    for (int i = 0; i < w->forms; i++)
        w->shapes += (size_t)w->form[i].places * (size_t)w->form[i].places;
    w->shape = bs_arena_alloc(&w->room, w->shapes * sizeof *w->shape);
    if (!w->shape)
        return false;
    shape *next = w->shape;
    for (int i = 0; i < w->forms; i++) {
        form        *f = &w->form[i];
        const double p = 1.0 / (w->forms * (double)f->places * f->places);
        f->prior = log(p);
        for (int place = 0; place < f->places * f->places; place++) {
            int32_t c = centre(w, f, place % f->places, place / f->places);
            *next++ = (shape){f, c};
            for (int k = 0; k < f->area; k++)
                w->prior[c + f->at[k]] += p;
        }
    }
    for (int v = 0; v < 256; v++)
        w->llr[v] = log(p_value(v, MIDDLE + o->contrast, o->noise)) -
                    log(p_value(v, MIDDLE - o->contrast, o->noise));
    return true;
}

/* --- one image ------------------------------------------------------------- */

typedef struct {
    uint8_t *pixels, *mask; /* of the current image */
    uint8_t *hidden;        /* [S * S] */
    bool     bright;
} drawing;

static void draw(const world *w, int number, drawing *d)
{
    const bs_make_seg_options *o = w->o;
    const int                  S = w->S, n = S * S;
    bs_rng                     rng = bs_rng_make((uint64_t)o->seed, (uint64_t)number, 31);
    const form                *f = &w->form[bs_rng_below(&rng, (uint32_t)w->forms)];
    int                        px = (int)bs_rng_below(&rng, (uint32_t)f->places);
    int                        py = (int)bs_rng_below(&rng, (uint32_t)f->places);
    int32_t                    c = centre(w, f, px, py);
    d->bright = bs_rng_bernoulli(&rng, 0.5) || !o->polarity;
    memset(d->mask, 0, (size_t)n);
    memset(d->hidden, 0, (size_t)n);
    for (int k = 0; k < f->area; k++)
        d->mask[c + f->at[k]] = 1;
    const int side = o->hole < S ? o->hole : S;
    for (int i = 0; i < o->holes; i++) {
        int x0 = (int)bs_rng_below(&rng, (uint32_t)(S - side + 1));
        int y0 = (int)bs_rng_below(&rng, (uint32_t)(S - side + 1));
        for (int y = y0; y < y0 + side; y++)
            memset(d->hidden + y * S + x0, 1, (size_t)side);
    }
    for (int k = 0; k < o->channels; k++)
        for (int i = 0; i < n; i++) {
            double level = (d->mask[i] != 0) == d->bright ? o->contrast : -o->contrast;
            double v = floor(MIDDLE + level + o->noise * bs_rng_normal(&rng) + 0.5);
            d->pixels[k * n + i] = d->hidden[i] ? MIDDLE : (uint8_t)fmin(fmax(v, 0), 255);
        }
}

/* --- what can be known about it -------------------------------------------- */

typedef struct {
    double  *a;     /* [S * S] evidence of a pixel for bright */
    double  *q;     /* [shapes] P(shape | image) */
    double  *p;     /* [S * S] P(pixel is figure | image) */
    uint8_t *guess; /* [S * S] */
    uint8_t *best;  /* [S * S] the guess with the greatest expected IoU */
} scores;

static double iou(const uint8_t *a, const uint8_t *b, int n)
{
    int both = 0, any = 0;
    for (int i = 0; i < n; i++) {
        both += a[i] & b[i];
        any += a[i] | b[i];
    }
    return any ? (double)both / any : 1;
}

/* log P(image | shape, bright) - log P(image | nothing, dark ground) = sum of the evidence inside;
 * with colours swapped, the sum of that outside. */
static void posterior(const world *w, const drawing *d, scores *z)
{
    const int n = w->S * w->S;
    double    all = 0, top = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) {
        z->a[i] = 0;
        for (int k = 0; k < w->o->channels && !d->hidden[i]; k++)
            z->a[i] += w->llr[d->pixels[k * n + i]];
        all += z->a[i];
    }
    for (size_t s = 0; s < w->shapes; s++) {
        const form *f = w->shape[s].f;
        double      in = 0;
        for (int k = 0; k < f->area; k++)
            in += z->a[w->shape[s].c + f->at[k]];
        double bright = in, dark = w->o->polarity ? all - in : -INFINITY;
        double most = fmax(bright, dark);
        z->q[s] = f->prior + most + log1p(exp(fmin(bright, dark) - most));
        top = fmax(top, z->q[s]);
    }
    for (size_t s = 0; s < w->shapes; s++)
        sum += z->q[s] = exp(z->q[s] - top);
    memset(z->p, 0, (size_t)n * sizeof *z->p);
    for (size_t s = 0; s < w->shapes; s++) {
        const form *f = w->shape[s].f;
        z->q[s] /= sum;
        for (int k = 0; z->q[s] > 1e-12 && k < f->area; k++)
            z->p[w->shape[s].c + f->at[k]] += z->q[s];
    }
}

/* Expected IoU of z->guess; shapes below 1e-7 are left out (they count as 0). */
static double expected_iou(const world *w, const scores *z)
{
    const int n = w->S * w->S;
    int       chosen = 0;
    double    sum = 0;
    for (int i = 0; i < n; i++)
        chosen += z->guess[i];
    for (size_t s = 0; s < w->shapes; s++) {
        const form *f = w->shape[s].f;
        int         both = 0;
        if (z->q[s] <= 1e-7)
            continue;
        for (int k = 0; k < f->area; k++)
            both += z->guess[w->shape[s].c + f->at[k]];
        sum += z->q[s] * both / (chosen + f->area - both);
    }
    return sum;
}

static double likely_iou(const world *w, scores *z)
{
    size_t best = 0;
    for (size_t s = 1; s < w->shapes; s++)
        best = z->q[s] > z->q[best] ? s : best;
    const form *f = w->shape[best].f;
    memset(z->guess, 0, (size_t)w->S * (size_t)w->S);
    for (int k = 0; k < f->area; k++)
        z->guess[w->shape[best].c + f->at[k]] = 1;
    return expected_iou(w, z);
}

/* Evidence for figure from the surrounding pixels, with the true colours. */
static void window_guess(const world *w, const drawing *d, scores *z)
{
    const int S = w->S;
    for (int y = 0; y < S; y++)
        for (int x = 0; x < S; x++) {
            double sum = log(w->prior[y * S + x] + 1e-9) - log(1 - w->prior[y * S + x] + 1e-9);
            for (int v = y - REACH; v <= y + REACH; v++)
                for (int u = x - REACH; u <= x + REACH; u++)
                    if (v >= 0 && v < S && u >= 0 && u < S)
                        sum += d->bright ? z->a[v * S + u] : -z->a[v * S + u];
            z->guess[y * S + x] = sum >= 0;
        }
}

/* P(figure | own value and place): without knowing the colours, from the place alone. */
static double local_p(const world *w, const scores *z, int i)
{
    double pi = w->prior[i], odds = w->o->polarity ? 0 : z->a[i];
    return pi / (pi + (1 - pi) * exp(-odds));
}

typedef struct {
    bs_make_seg_truth sum;
    double            square;
    double            local[THRESHOLDS];
} tally;

static void score(const world *w, const drawing *d, scores *z, tally *t)
{
    const int n = w->S * w->S;
    double    likely, best, accuracy = 0;
    posterior(w, d, z);
    best = likely = likely_iou(w, z);
    memcpy(z->best, z->guess, (size_t)n);
    for (int k = 0; k < THRESHOLDS; k++) {
        for (int i = 0; i < n; i++)
            z->guess[i] = z->p[i] >= 0.05 * (k + 1);
        double v = expected_iou(w, z);
        if (v > best) {
            best = v;
            memcpy(z->best, z->guess, (size_t)n);
        }
        t->sum.pixels += k == 9 ? v : 0;
        for (int i = 0; i < n; i++)
            z->guess[i] = local_p(w, z, i) >= 0.05 * (k + 1);
        t->local[k] += iou(z->guess, d->mask, n);
    }
    for (int i = 0; i < n; i++)
        accuracy += fmax(z->p[i], 1 - z->p[i]);
    window_guess(w, d, z);
    t->sum.window += iou(z->guess, d->mask, n);
    t->sum.likely += likely;
    t->sum.best += best;
    t->sum.reached += iou(z->best, d->mask, n);
    t->square += best * best;
    t->sum.accuracy += accuracy / n;
    t->sum.images++;
}

static void finish_truth(const tally *t, bs_make_seg_truth *out)
{
    const double n = t->sum.images;
    *out = t->sum;
    out->best /= n;
    out->reached /= n;
    out->likely /= n;
    out->pixels /= n;
    out->accuracy /= n;
    out->window /= n;
    for (int k = 0; k < THRESHOLDS; k++)
        out->local = fmax(out->local, t->local[k] / n);
    out->error = sqrt(fmax(t->square / n - out->best * out->best, 0) / fmax(n - 1, 1));
}

/* --- the data set ---------------------------------------------------------- */

static basin_status prepare(bs_images *im, const bs_make_seg_options *o, basin_error *err)
{
    static const char *const classes[2] = {"ground", "figure"};
    const size_t             area = (size_t)o->size * (size_t)o->size;
    im->n = o->images;
    im->channels = o->channels;
    im->classes = 2;
    im->equal = true;
    im->class_name = classes;
    if (bs_images_rows(im, false, err))
        return bs_fail_nomem(err);
    const int test = (int)(o->test * o->images + 0.5), valid = (int)(o->valid * o->images + 0.5);
    for (int i = 0; i < o->images; i++) {
        char text[32];
        int  len = bs_print(text, sizeof text, "shape%0*d", o->images > 9999 ? 7 : 4, i + 1);
        im->name[i] = bs_arena_copy(&im->arena, text, (size_t)len);
        im->pixels[i] = bs_arena_alloc(&im->arena, area * (size_t)o->channels);
        im->mask[i] = bs_arena_alloc(&im->arena, area);
        if (!im->name[i] || !im->pixels[i] || !im->mask[i])
            return bs_fail_nomem(err);
        im->width[i] = im->height[i] = im->mask_width[i] = im->mask_height[i] = o->size;
        im->part[i] = i < o->images - test - valid ? BS_PART_TRAIN
                      : i < o->images - test       ? BS_PART_VALID
                                                   : BS_PART_TEST;
        im->parts[im->part[i]]++;
    }
    return BASIN_OK;
}

static bool start_scores(scores *z, world *w)
{
    const size_t n = (size_t)w->S * (size_t)w->S;
    z->a = bs_arena_alloc(&w->room, n * sizeof *z->a);
    z->p = bs_arena_alloc(&w->room, n * sizeof *z->p);
    z->q = bs_arena_alloc(&w->room, w->shapes * sizeof *z->q);
    z->guess = bs_arena_alloc(&w->room, 2 * n);
    z->best = z->guess + n;
    return z->a && z->p && z->q && z->guess;
}

static basin_status make_images(const bs_make_seg_options *o, bs_images *im,
                                bs_make_seg_truth *truth, basin_error *err)
{
    world   w = {0};
    scores  z = {0};
    tally   t = {.square = 0};
    drawing d = {.bright = false};
    bs_arena_init(&w.room, 0);
    d.hidden = bs_arena_alloc(&w.room, (size_t)o->size * (size_t)o->size);
    basin_status s = d.hidden && make_world(&w, o) && start_scores(&z, &w) ? prepare(im, o, err)
                                                                           : bs_fail_nomem(err);
    for (int i = 0; i < o->images && !s; i++) {
        d.pixels = im->pixels[i];
        d.mask = im->mask[i];
        draw(&w, i, &d);
        if (truth && i < MOST_SCORED)
            score(&w, &d, &z, &t);
    }
    if (!s && truth)
        finish_truth(&t, truth);
    bs_arena_free(&w.room);
    return s;
}

basin_status bs_make_seg(const bs_make_seg_options *o, bs_images **out, bs_make_seg_truth *truth,
                         basin_error *err)
{
    *out = NULL;
    if (o->images < 1 || o->size < 16 || o->size > 256 || (o->channels != 1 && o->channels != 3) ||
        o->holes < 0 || o->holes > MOST_HOLES || o->hole < 1 || !(o->noise > 0) ||
        !(o->contrast >= 0) || !(o->valid >= 0 && o->test >= 0 && o->valid + o->test < 1))
        return bs_fail(err, BASIN_EARG,
                       "make seg: needs images, size 16..256, channels 1 or 3, holes 0..%d, noise "
                       "above 0, and valid and test together below 1",
                       (int)MOST_HOLES);
    bs_images *im = bs_calloc(1, sizeof *im);
    if (!im)
        return bs_fail_nomem(err);
    bs_arena_init(&im->arena, 0);
    basin_status s = make_images(o, im, truth, err);
    if (s) {
        bs_images_free(im);
        return s;
    }
    im->hash = bs_images_hash(im);
    *out = im;
    return BASIN_OK;
}
