/* weights.c -- parses weights, or balances them by how often labels occur.
 *
 * balanced: a label of n out of N rows counts (N - n) / n times where it is true, so that both of
 * its values weigh the same; a tag or a class counts N / n times a common factor that makes the
 * mean over the training rows 1, so that learning rates keep their meaning. Both are bounded: a
 * handful of rows must not dominate a net. */
#include "task/weights.h"

#include <math.h>
#include <string.h>

#include "data/scan.h"

static const double most_balanced = 10, least_given = 1e-3, most_given = 1e3;

bool bs_weights_wanted(const bs_train_options *o)
{
    return strcmp(o->weights, "none") != 0;
}

static double bounded(double w)
{
    return fmin(fmax(w, 1 / most_balanced), most_balanced);
}

static void balance_labels(const bs_weighed *w, real *out)
{
    for (int i = 0; i < w->n; i++)
        out[i] = (real)(w->count[i] > 0 ? bounded((w->rows - w->count[i]) / w->count[i]) : 1);
}

static void balance_classes(const bs_weighed *w, real *out)
{
    double all = 0, weighed = 0;
    int    there = 0;
    for (int i = 0; i < w->n; i++) {
        all += w->count[i];
        there += w->count[i] > 0;
    }
    for (int i = 0; i < w->n; i++) {
        const double each = w->count[i] > 0 ? bounded(all / (there * w->count[i])) : 1;
        out[i] = (real)each;
        weighed += each * w->count[i];
    }
    for (int i = 0; i < w->n && weighed > 0; i++)
        out[i] = (real)((double)out[i] * all / weighed);
}

static const char *name_of(const bs_weighed *w, int i, char room[16])
{
    if (w->name && w->name(w->of, i))
        return w->name(w->of, i);
    bs_print(room, 16, "%d", i);
    return room;
}

/* The longest name that the text starts with, since names may contain anything. */
static int find(const bs_weighed *w, const char *text, size_t *len)
{
    int found = -1;
    *len = 0;
    for (int i = 0; i < w->n; i++) {
        char         room[16];
        const char  *name = name_of(w, i, room);
        const size_t n = strlen(name);
        if (strncmp(text, name, n) == 0 && text[n] == '=' && (found < 0 || n > *len)) {
            found = i;
            *len = n;
        }
    }
    return found;
}

/* NAME=W,NAME=W */
static basin_status read_given(const bs_weighed *w, const char *text, real *out, basin_error *err)
{
    for (int i = 0; i < w->n; i++)
        out[i] = 1;
    for (const char *p = text; *p;) {
        size_t       n;
        double       v = 0;
        const int    i = find(w, p, &n);
        const char  *end = i < 0 ? NULL : bs_scan_double(p + n + 1, &v);
        const size_t item = strcspn(p, ",");
        if (i < 0)
            return bs_fail(err, BASIN_EARG,
                           "weights: '%.*s' begins with no %s of the training data and '='; none, "
                           "balanced and %s=2.5,%s=... are understood",
                           bs_show(p, item), p, w->one, "NAME", "NAME");
        if (!end || (*end && *end != ',') || !(v >= least_given && v <= most_given))
            return bs_fail(err, BASIN_EARG, "weights: '%.*s' gives no number from %g to %g",
                           bs_show(p, item), p, least_given, most_given);
        out[i] = (real)v;
        p = *end ? end + 1 : end;
    }
    return BASIN_OK;
}

static void say(const bs_weighed *w, const real *weight, bs_logger *log)
{
    char a[16], b[16];
    int  least = 0, most = 0;
    for (int i = 0; i < w->n; i++) {
        least = weight[i] < weight[least] ? i : least;
        most = weight[i] > weight[most] ? i : most;
    }
    bs_log_say(log, BS_INFO, "weights: from %.3g (%.60s) to %.3g (%.60s)%s", (double)weight[least],
               name_of(w, least, a), (double)weight[most], name_of(w, most, b),
               w->rows > 0 ? " where they are true" : "");
}

basin_status bs_weights_fit(const bs_train_options *o, const bs_weighed *w, bs_logger *log,
                            bs_preprocess *out, basin_error *err)
{
    if (!bs_weights_wanted(o))
        return BASIN_OK;
    real *weight = bs_arena_alloc(&out->arena, (size_t)w->n * sizeof *weight);
    if (!weight)
        return bs_fail_nomem(err);
    basin_status s = BASIN_OK;
    if (strcmp(o->weights, "balanced") != 0)
        s = read_given(w, o->weights, weight, err);
    else if (w->rows > 0)
        balance_labels(w, weight);
    else
        balance_classes(w, weight);
    if (s)
        return s;
    out->weight = weight;
    out->weights = w->n;
    say(w, weight, log);
    return BASIN_OK;
}
