/* bench_seq.c -- a BiLSTM tagger trained as torch_peer.py times it: fixed embeddings, one layer,
 * batches of similar length; ce, crf, or infnet (compound objective, stacked, cross-entropy, one
 * step of the energy and one of the nets). A difference: the peer's cost-augmented net, a layer
 * over 2 T numbers a token, has a cross-entropy of its own, which a stacked one here never has.
 *
 *   bench_seq FILE.conll --workload seq-pos --method infnet --hidden 100 --optim sgd --threads 2 */
#include "bench/bench.h"
#include "task/tag/data.h"
#include "method/loss.h"

typedef struct {
    bs_settings   settings;
    bs_dataset    part;
    bs_preprocess known;
    bs_learner    learner;
    bs_batches   *feed;
    int32_t      *order;
} state;

static void set(state *s, const char *words)
{
    basin_error err = {0};
    TRY(bs_settings_words(&s->settings, words, "bench", &err));
}

static void read_data(state *s, const char *path)
{
    basin_error     err = {0};
    bs_read_request wish = {.task = &bs_task_tag, .file = &path, .n = 1};
    bs_logger       log = {.level = BS_QUIET};
    TRY(bs_task_tag.read(&s->settings, &wish, NULL, &s->part, &err));
    bs_arena_init(&s->known.arena, 0);
    TRY(bs_task_tag.fit(&s->settings, &s->part, 1, &log, &s->known, &err));
    bs_preprocess_tag(&s->known)->has_vectors =
        true; /* as if read from a file: they are not trained */
}

static void make_learner(state *s, const char *method, int threads)
{
    basin_error err = {0};
    bs_learner *l = &s->learner;
    l->o = &s->settings.train;
    TRY(bs_method_find(method, "tag", &l->method, &err));
    TRY(bs_task_tag.spec(l->o, &s->known, &l->spec, &err));
    TRY(bs_workspace_open((bs_machine){.threads = threads}, &l->w, &err));
    l->params = bs_params_new();
    TRY(bs_learner_setup(l, &err));
    bench_skip_pretraining(l);
    TRY(bs_batches_tag(&s->part, &s->known, &l->spec, l->o, &s->feed, &err));
}

static double step(void *ctx, int epoch, int i)
{
    state *s = ctx;
    return bench_method_step(&s->learner, NULL, s->feed, s->order, epoch, i);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: bench_seq FILE.conll --method NAME --hidden H ...\n"), 2;
    const char  *method = bench_arg(argc, argv, "--method", "ce");
    basin_error  err = {0};
    char         words[160];
    bench_case   c = {.workload = bench_arg(argc, argv, "--workload", "seq"),
                      .method = method,
                      .unit = "sentences",
                      .batch = bench_int(argc, argv, "--batch", "32"),
                      .threads = bench_int(argc, argv, "--threads", "2"),
                      .repeats = bench_int(argc, argv, "--repeats", "5"),
                      .seconds = bench_int(argc, argv, "--seconds", "6")};
    static state s;
    TRY(bs_settings_default(&s.settings, &err));
    set(&s, "task=tag seed=1 net.layers=1 net.dropout=0 words.case=no words.lower=no "
            "words.unk_dropout=0 words.width=100 cost=l1 clip=0 clip.energy=0 optimiser=adam "
            "optimiser.energy=adam lr.net=0.0005 lr.energy=0.0005 decay.net=0 decay.energy=0 "
            "infnet.form=stacked infnet.hidden=0 inner=energy");
    snprintf(words, sizeof words, "batch=%d net.width=%s", c.batch,
             bench_arg(argc, argv, "--hidden", "100"));
    set(&s, words);
    if (strcmp(bench_arg(argc, argv, "--optim", "adam"), "sgd") == 0)
        set(&s, "optimiser=sgd lr.net=0.1");
    read_data(&s, argv[1]);
    make_learner(&s, strcmp(method, "infnet") == 0 ? "infnet+" : method, c.threads);
    s.order = bs_calloc((size_t)s.part.rows, sizeof *s.order);
    bench_train(&c, s.part.rows / c.batch, step, &s, c.batch);
    s.feed->free(s.feed);
    bs_learner_free(&s.learner);
    bs_params_free(s.learner.params);
    bs_workspace_close(s.learner.w);
    bs_dataset_free(&s.part);
    bs_preprocess_free(&s.known);
    bs_free(s.order);
    return 0;
}
