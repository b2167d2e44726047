/* bench_seq.c -- a BiLSTM tagger trained by cross-entropy, as torch_peer.py times
 * it, or by the likelihood of a linear chain: fixed embeddings, one layer, batches of
 * similar length from pools of 50.
 *
 *   bench_seq FILE.conll --workload seq-pos --hidden 100 --tags 25 --threads 2 [--method crf] */
#include "bench/bench.h"
#include "nn/chain.h"

enum { EMBEDDING = 100, POOL = 50, MAX_LEN = 256 };

typedef struct {
    int32_t    *word, *tag, *start, *length;
    size_t      n_tokens, cap_word, cap_tag, cap_start, cap_length;
    int         n, words, tags, hidden, batch;
    bool        sgd, crf;
    real       *table; /* [words + 1, EMBEDDING] */
    int32_t    *order, *batches;
    int32_t    *in_word, *in_gold, *in_pair, *in_len;
    real        scale;
    bench_model model;
} state;

static void put(int32_t **a, size_t *cap, size_t at, int32_t v)
{
    if (!bs_grow((void **)a, cap, at + 1, sizeof **a, (size_t)1 << 40))
        exit(1);
    (*a)[at] = v;
}

static void read_data(state *s, const char *path)
{
    basin_error err = {0};
    bs_input   *in;
    bs_line     line;
    bool        more;
    int         length = 0;
    TRY(bs_input_open(path, &in, &err));
    for (;;) {
        TRY(bs_input_line(in, 1 << 16, &line, &more, &err));
        if (!more)
            break;
        if (line.len == 0) {
            put(&s->start, &s->cap_start, (size_t)s->n, (int32_t)s->n_tokens - length);
            put(&s->length, &s->cap_length, (size_t)s->n++, length);
            length = 0;
            continue;
        }
        char   *rest;
        int32_t word = (int32_t)strtol(line.text + 1, &rest, 10);
        put(&s->word, &s->cap_word, s->n_tokens, word);
        put(&s->tag, &s->cap_tag, s->n_tokens++, (int32_t)strtol(rest + 2, NULL, 10));
        s->words = word >= s->words ? word + 1 : s->words;
        length++;
    }
    bs_input_close(in);
    s->table = bs_calloc((size_t)s->words * EMBEDDING, sizeof *s->table);
    bs_rng rng = bs_rng_make(1, 0, 99);
    for (size_t i = 0; i < (size_t)s->words * EMBEDDING; i++)
        s->table[i] = (real)bs_rng_normal(&rng);
}

/* Summed over tokens; padding has gold -1, which picks a zero. z is [T, B, tags]. */
static bs_id token_loss(bs_graph *g, bs_id z, bs_recipe *r)
{
    bs_shape s = bs_shape_of(g, z);
    bs_id    gold = r->input[4] = bs_leaf(g, "gold", BS_T_INT, bs_shape3(s.d[1], s.d[2], 1));
    return bs_neg(g, bs_sum(g, bs_take(g, bs_log_softmax(g, z, -1), gold, -1)));
}

/* Summed over sentences. */
static bs_id chain_loss(state *s, bs_graph *g, bs_id z, bs_id len, bs_recipe *r)
{
    bs_shape d = bs_shape_of(g, z);
    int      T = d.d[1], B = d.d[2], N = s->tags;
    bs_id    gold = r->input[4] = bs_leaf(g, "gold", BS_T_INT, bs_shape3(B, T, 1));
    bs_id    pair = r->input[5] = bs_leaf(g, "pair", BS_T_INT, bs_shape2(B, T + 1));
    bs_id    w = bs_param(g, s->model.params, "chain", bs_shape2(N + 1, N + 1), bs_init_zero());
    bs_id    u = bs_permute(g, z, 0, 2, 1, 3);
    return bs_sum(g,
                  bs_sub(g, bs_crf_log_z(g, u, w, len), bs_chain_path_score(g, u, w, gold, pair)));
}

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    state *s = ctx;
    int    B = key.v[1], T = key.v[2];
    bs_nn  nn = {g, s->model.params, true, 1};
    bs_id  table = r->input[0] = bs_leaf(g, "table", BS_T_REAL, bs_shape2(s->words, EMBEDDING));
    bs_id  word = r->input[1] = bs_leaf(g, "word", BS_T_INT, bs_shape2(T, B));
    bs_id  len = r->input[2] = bs_leaf(g, "len", BS_T_INT, bs_shape1(B));
    bs_id  scale = r->input[3] = bs_leaf(g, "scale", BS_T_REAL, bs_shape1(1));
    bs_id  h = bs_bilstm(&nn, "lstm", bs_gather(g, table, word), len, s->hidden, 1, 0);
    bs_id  z = bs_linear(&nn, "out", h, s->tags, bs_init_xavier(2 * s->hidden, s->tags), true);
    bs_push(g, "loss");
    bs_id loss = bs_mul(g, s->crf ? chain_loss(s, g, z, len, r) : token_loss(g, z, r), scale);
    bench_gradients(g, s->model.params, loss, r);
    bs_pop(g);
}

static const int32_t *sort_lengths;

static int by_length(const void *a, const void *b)
{
    return sort_lengths[*(const int32_t *)a] - sort_lengths[*(const int32_t *)b];
}

static void shuffle(state *s, int epoch)
{
    bs_rng rng = bs_rng_make(1, (uint64_t)epoch, 0);
    bs_rng_permutation(&rng, s->order, s->n);
    sort_lengths = s->length;
    for (int i = 0; i < s->n; i += POOL * s->batch) {
        int n = s->n - i < POOL * s->batch ? s->n - i : POOL * s->batch;
        qsort(s->order + i, (size_t)n, sizeof *s->order, by_length);
    }
    bs_rng_permutation(&rng, s->batches, s->n / s->batch);
}

static double step(void *ctx, int epoch, int i)
{
    state *s = ctx;
    if (i == 0)
        shuffle(s, epoch);
    const int32_t *rows = s->order + s->batches[i] * s->batch;
    int            longest = 1, tokens = 0, B = s->batch;
    for (int b = 0; b < B; b++) {
        int len = s->length[rows[b]];
        longest = len > longest ? len : longest;
        tokens += len;
        s->in_len[b] = len;
    }
    int T = (longest + 3) / 4 * 4; /* few shapes */
    for (int t = 0; t < T; t++)
        for (int b = 0; b < B; b++) {
            bool inside = t < s->in_len[b];
            int  at = s->start[rows[b]] + t;
            s->in_word[t * B + b] = inside ? s->word[at] : -1;
            s->in_gold[s->crf ? b * T + t : t * B + b] = inside ? s->tag[at] : -1;
        }
    for (int b = 0; b < B && s->crf; b++)
        bs_chain_pairs(s->in_gold + b * T, s->in_len[b], T, s->tags, s->in_pair + b * (T + 1));
    s->scale = (real)(1.0 / tokens);
    bs_optim_options o = bench_adam(5e-4);
    if (s->sgd) {
        strcpy(o.rule, "sgd");
        o.rate = 0.1;
        o.momentum = 0.9;
    }
    bs_entry   *e = bench_program(&s->model, (bs_key){{0, B, T, 0}}, &o);
    const void *data[] = {s->table, s->in_word, s->in_len, &s->scale, s->in_gold, s->in_pair};
    for (int k = 0; k < (s->crf ? 6 : 5); k++)
        bs_backend_cpu.bind_input(e->program, e->input[k], data[k]);
    return bench_run(&s->model, e);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: bench_seq FILE.conll --hidden H --tags N ...\n"), 2;
    state      s = {.hidden = bench_int(argc, argv, "--hidden", "100"),
                    .tags = bench_int(argc, argv, "--tags", "25"),
                    .batch = bench_int(argc, argv, "--batch", "32"),
                    .crf = strcmp(bench_arg(argc, argv, "--method", "ce"), "crf") == 0,
                    .sgd = strcmp(bench_arg(argc, argv, "--optim", "adam"), "sgd") == 0};
    bench_case c = {.workload = bench_arg(argc, argv, "--workload", "seq"),
                    .method = s.crf ? "crf" : "ce",
                    .unit = "sentences",
                    .batch = s.batch,
                    .threads = bench_int(argc, argv, "--threads", "2"),
                    .repeats = bench_int(argc, argv, "--repeats", "5"),
                    .seconds = bench_int(argc, argv, "--seconds", "6")};
    read_data(&s, argv[1]);
    size_t most = (size_t)s.batch * MAX_LEN;
    s.order = bs_calloc((size_t)s.n, sizeof *s.order);
    s.batches = bs_calloc((size_t)s.n, sizeof *s.batches);
    s.in_word = bs_calloc(most, sizeof *s.in_word);
    s.in_gold = bs_calloc(most, sizeof *s.in_gold);
    s.in_pair = bs_calloc(most + (size_t)s.batch, sizeof *s.in_pair);
    s.in_len = bs_calloc((size_t)s.batch, sizeof *s.in_len);
    s.model = bench_model_new(c.threads, build, &s);
    bench_train(&c, s.n / s.batch, step, &s, s.batch);
    bench_model_free(&s.model);
    void *owned[] = {s.word,    s.tag,     s.start,   s.length,  s.table, s.order,
                     s.batches, s.in_word, s.in_gold, s.in_pair, s.in_len};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        bs_free(owned[i]);
    return 0;
}
