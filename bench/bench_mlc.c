/* bench_mlc.c -- training steps of the methods on a multi-label shape, by the learner that
 * `basin train` uses, with the settings that torch_peer.py has.
 *
 *   bench_mlc FILE.svm --method seal-nce --samples 20 --batch 32 --threads 2
 *   bench_mlc FILE.svm --active 20 --samples 80     steps of the energy alone, see below
 *
 * Nets d-400-400-L, energies of 200 units, softplus, Adam at 1e-3, one step of each net a
 * batch, a shuffled epoch; searches of 20 plain steps on logits. As the peer does, dvn searches
 * once a batch, plainly and adversarially by turns, and seal-margin takes the net's own output;
 * the library's methods of these names do more, so that the two are put together here, of the
 * library's losses. seal-regression is the library's seal-regression-s with K outputs: the
 * net's and K - 1 around it, where the peer has K around it. Methods that the peer does not
 * have run with their own settings where nothing above says otherwise.
 *
 * What differs from the peer, apart from constants in losses and from initial weights: the
 * output layer of the net has no bias; every step measures the norm of its gradient and checks
 * that it is finite; regression and the net's loss also measure the energy of the truth. */
#include <math.h>

#include "bench/bench.h"
#include "data/rows/read.h"
#include "method/loss.h"
#include "task/mlc/data.h"

static const char settings_of_peer[] =
    "net.layers=2 net.width=400 net.dropout=0 energy.kind=label energy.hidden=200 optimiser=adam "
    "lr.net=0.001 lr.energy=0.001 decay.net=0 decay.energy=0 clip=0 clip.energy=0 steps.net=1 "
    "steps.energy=1 net.loss=energy energy.weight=0.1 ce.weight=1 cost=l1 gbi.steps=20 "
    "gbi.space=logits gbi.rule=plain gbi.start=uniform gbi.lr=0.5 gbi.best=no";

/* ---- methods of the peer that are put together here ---- */

static bs_id search_for(bs_loss_context *s, const char *kind)
{
    const bs_train_options *given = s->o;
    bs_train_options        o = *given;
    snprintf(o.dvn_samples, sizeof o.dvn_samples, "%s", kind);
    s->o = &o;
    bs_id loss = bs_loss_value_search(s);
    s->o = given;
    return loss;
}

static bs_id plain_search(bs_loss_context *s)
{
    return search_for(s, "inference");
}

static bs_id adversarial_search(bs_loss_context *s)
{
    return search_for(s, "adversarial");
}

static basin_status step_by_turns(bs_learner *l, const bs_batch *b, basin_error *err)
{
    return bs_learner_run(l, (int)(l->step % 2), b, err);
}

static const bs_method peer_dvn = {
    .name = "dvn",
    .stage = {{"energy/", adversarial_search}, {"energy/", plain_search}},
    .phase = {{.name = "energy", .energy = true, .step = step_by_turns}},
};

static const bs_method peer_seal_margin = {
    .name = "seal-margin",
    .stage = {{"energy/", bs_loss_margin}, {"net/", bs_loss_net}},
    .phase = {{.name = "net and energy", .net = true, .energy = true, .step = bs_step_alternating}},
};

static const bs_method *find_method(const char *name)
{
    const bs_method *m;
    basin_error      err = {0};
    if (strcmp(name, "dvn") == 0)
        return &peer_dvn;
    if (strcmp(name, "seal-margin") == 0)
        return &peer_seal_margin;
    TRY(bs_method_find(strcmp(name, "seal-regression") == 0 ? "seal-regression-s" : name, "mlc", &m,
                       &err));
    return m;
}

/* ---- */

typedef struct {
    bs_settings   settings;
    bs_dataset    part;
    bs_preprocess known;
    bs_mlc_known  mlc;
    bs_rows      *data;
    bs_batches   *feed;
    bs_learner    learner;
    bool          energy_alone;
    int           batch;
    int32_t      *order;
} state;

static void make_learner(state *s, const char *method, int samples, int threads)
{
    basin_error err = {0};
    bs_learner *l = &s->learner;
    char        words[64];
    l->o = &s->settings.train;
    l->method = find_method(method);
    snprintf(words, sizeof words, "seed=1 batch=%d samples=%d", s->batch, samples);
    if (l->method->defaults)
        TRY(bs_settings_words(&s->settings, l->method->defaults, method, &err));
    TRY(bs_settings_words(&s->settings, settings_of_peer, "bench", &err));
    TRY(bs_settings_words(&s->settings, words, "bench", &err));
    s->mlc.schema = s->data->schema;
    s->known = (bs_preprocess){.task = &bs_task_mlc, .own = &s->mlc};
    TRY(bs_task_mlc.spec(l->o, &s->known, &l->spec, &err));
    TRY(bs_workspace_open((bs_machine){.threads = threads}, &l->w, &err));
    l->params = bs_params_new();
    TRY(bs_learner_setup(l, &err));
    bench_skip_pretraining(l);
    s->part = (bs_dataset){.task = &bs_task_mlc, .rows = s->data->rows, .own = s->data};
    TRY(bs_batches_mlc(&s->part, &s->known, &l->spec, l->o, &s->feed, &err));
}

static real *weights(state *s, const char *name, int64_t *count)
{
    const bs_segment *g = bs_params_find(s->learner.params, name);
    basin_error       err = {0};
    if (!g) {
        fprintf(stderr, "bench: no parameter is called %s\n", name);
        exit(1);
    }
    real *at; /* memory of the CPU is that of the host */
    TRY(bs_params_map(s->learner.params, g, BS_READ_WRITE, &at, &err));
    *count = g->count;
    return at;
}

/* Gives every label the probability active / labels, whatever x is: the features are constant,
 * ln 2 each, and so are the weights on them. */
static void set_active(state *s, double active)
{
    int64_t n, width = bs_net_spec_mlc(&s->learner.spec)->width;
    double  p = active / bs_net_spec_mlc(&s->learner.spec)->labels, logit = log(p) - log1p(-p);
    real   *w = weights(s, "net/T/1/W", &n);
    memset(w, 0, (size_t)n * sizeof *w);
    w = weights(s, "net/T/1/b", &n);
    memset(w, 0, (size_t)n * sizeof *w);
    w = weights(s, "net/labels/W", &n);
    for (int64_t i = 0; i < n; i++)
        w[i] = (real)(logit / (log(2) * (double)width));
    s->energy_alone = true;
}

static double step(void *ctx, int epoch, int i)
{
    state *s = ctx;
    return bench_method_step(&s->learner, s->energy_alone ? bs_step_energy : NULL, s->feed,
                             s->order, epoch, i);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: bench_mlc FILE.svm --method NAME ...\n"), 2;
    basin_error err = {0};
    int         active = bench_int(argc, argv, "--active", "0");
    bench_case  c = {.workload = bench_arg(argc, argv, "--workload", "mlc"),
                     .method = bench_arg(argc, argv, "--method", active ? "seal-nce" : "ce"),
                     .unit = "examples",
                     .k = bench_int(argc, argv, "--samples", "20"),
                     .batch = bench_int(argc, argv, "--batch", "32"),
                     .threads = bench_int(argc, argv, "--threads", "2"),
                     .repeats = bench_int(argc, argv, "--repeats", "5"),
                     .seconds = bench_int(argc, argv, "--seconds", "6")};
    state       s = {.batch = c.batch};
    TRY(bs_settings_default(&s.settings, &err));
    snprintf(s.settings.read.index_base, sizeof s.settings.read.index_base, "0");
    TRY(bs_rows_read((const char *const *)&argv[1], 1, &s.settings.read, &s.data, NULL, &err));
    make_learner(&s, c.method, c.k, c.threads);
    if (active)
        set_active(&s, active);
    s.order = bs_calloc((size_t)s.data->rows, sizeof *s.order);
    bench_train(&c, s.data->rows / s.batch, step, &s, s.batch);
    s.feed->free(s.feed);
    bs_learner_free(&s.learner);
    bs_params_free(s.learner.params);
    bs_workspace_close(s.learner.w);
    bs_rows_free(s.data);
    bs_free(s.order);
    return 0;
}
