/* bench_tag.c -- tagging through the public interface: latency of one sentence, rate of batches.
 *
 *   bench_tag MODEL FILE.conll --workload NAME --threads 2
 *
 * As the peer does, batches are neighbours by length and come in a random order, and rates are of
 * whole passes over them. Programs are made for all lengths before that (the peer needs none).
 * Words are given as text and looked up, where the peer is given their numbers. */
#include <basin.h>

#include "bench/bench.h"

typedef struct {
    bs_arena     arena;
    const char **token; /* [start[n]] */
    int32_t     *start; /* [n + 1] */
    size_t       tokens, cap_token, cap_start;
    int32_t      n;
} sentences;

static void *checked(void *block)
{
    if (!block)
        exit(1);
    return block;
}

static void add_token(sentences *s, const char *text, size_t length)
{
    if (!bs_grow((void **)&s->token, &s->cap_token, s->tokens + 1, sizeof *s->token, SIZE_MAX / 8))
        exit(1);
    s->token[s->tokens++] = checked(bs_arena_copy(&s->arena, text, length));
}

/* Ends the sentence, unless it is empty. */
static void end_sentence(sentences *s)
{
    if (!bs_grow((void **)&s->start, &s->cap_start, (size_t)s->n + 2, sizeof *s->start,
                 SIZE_MAX / 8))
        exit(1);
    s->start[0] = 0;
    if (s->n == 0 ? s->tokens > 0 : (int32_t)s->tokens > s->start[s->n])
        s->start[++s->n] = (int32_t)s->tokens;
}

/* Words are the first column. */
static void read_sentences(sentences *s, const char *path)
{
    basin_error err = {0};
    bs_input   *in;
    bs_line     line;
    bool        more;
    bs_arena_init(&s->arena, 0);
    TRY(bs_input_open(path, &in, &err));
    for (;;) {
        TRY(bs_input_line(in, 1 << 20, &line, &more, &err));
        const size_t length = more ? strcspn(line.text, "\t ") : 0;
        if (length > 0)
            add_token(s, line.text, length);
        else
            end_sentence(s);
        if (!more)
            break;
    }
    bs_input_close(in);
}

typedef struct {
    int32_t length, number;
} place;

static int by_length(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->length != y->length ? (x->length > y->length) - (x->length < y->length)
                                  : (x->number > y->number) - (x->number < y->number);
}

/* A copy from short to long, which shares the texts. */
static void sort_sentences(const sentences *s, sentences *out)
{
    place *order = checked(bs_calloc((size_t)s->n, sizeof *order));
    *out = (sentences){.token = checked(bs_calloc(s->tokens, sizeof *out->token)),
                       .start = checked(bs_calloc((size_t)s->n + 1, sizeof *out->start)),
                       .tokens = s->tokens,
                       .n = s->n};
    for (int32_t i = 0; i < s->n; i++)
        order[i] = (place){s->start[i + 1] - s->start[i], i};
    qsort(order, (size_t)s->n, sizeof *order, by_length);
    for (int32_t i = 0; i < s->n; i++) {
        memcpy(out->token + out->start[i], s->token + s->start[order[i].number],
               (size_t)order[i].length * sizeof *out->token);
        out->start[i + 1] = out->start[i] + order[i].length;
    }
    bs_free(order);
}

typedef struct {
    basin_predictor *predictor;
    const sentences *s;
    int32_t          batch;
    int32_t         *tags;
} tagging;

/* Seconds of one batch. */
static double tag_batch(const tagging *g, int32_t number)
{
    const int32_t  *start = g->s->start + (int64_t)number * g->batch;
    basin_sentences x = {g->batch, start, g->s->token, NULL};
    basin_error     err = {0};
    double          begin = bs_seconds();
    if (g->batch == 1)
        TRY(basin_predict_tokens(g->predictor, g->s->token + start[0], start[1] - start[0], NULL,
                                 g->tags, NULL, &err));
    else
        TRY(basin_predict_sentences(g->predictor, &x, g->tags, NULL, &err));
    return bs_seconds() - begin;
}

static void measure(const tagging *g, const bench_case *c)
{
    enum { MOST = 200000 };
    static double seconds[MOST];
    const int32_t batches = g->s->n / g->batch;
    int32_t      *order = checked(bs_calloc((size_t)batches, sizeof *order));
    bs_rng        rng = bs_rng_make(1, 0, 0);
    double        sum = 0;
    int           n = 0;
    bs_rng_permutation(&rng, order, batches);
    for (int32_t i = 0; i < batches; i++)
        tag_batch(g, i);
    for (double end = bs_seconds() + c->seconds; n + batches <= MOST && bs_seconds() < end;)
        for (int32_t i = 0; i < batches; i++)
            sum += seconds[n++] = tag_batch(g, order[i]);
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    const double rate = g->batch == 1 ? 1 / seconds[n / 2] : (double)g->batch * n / sum;
    printf("{\"peer\":\"basin\",\"workload\":\"%s\",\"method\":\"%s\",\"measure\":\"infer\","
           "\"batch\":%d,\"threads\":%d,\"unit\":\"sentences/s\",\"median\":%.6g,"
           "\"latency_us\":%.3f,\"latency_p10_us\":%.3f,\"latency_p99_us\":%.3f}\n",
           c->workload, c->method, (int)g->batch, c->threads, rate, 1e6 * seconds[n / 2],
           1e6 * seconds[n / 10], 1e6 * seconds[(int64_t)n * 99 / 100]);
    bs_free(order);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: bench_tag MODEL FILE.conll ...\n"), 2;
    static const int32_t batch[] = {1, 128, 1024};
    basin_error          err = {0};
    basin_model         *m;
    sentences            read = {0}, sorted;
    tagging              g = {.s = &sorted};
    bench_case           c = {.workload = bench_arg(argc, argv, "--workload", "seq"),
                              .method = bench_arg(argc, argv, "--method", "ce"),
                              .threads = bench_int(argc, argv, "--threads", "2"),
                              .seconds = bench_int(argc, argv, "--seconds", "3")};
    read_sentences(&read, argv[2]);
    sort_sentences(&read, &sorted);
    TRY(basin_model_load(argv[1], &m, &err));
    TRY(basin_predictor_new(m, c.threads, &g.predictor, &err));
    g.tags = checked(bs_calloc(sorted.tokens, sizeof *g.tags));
    for (int i = 0; i < 3; i++) {
        g.batch = batch[i];
        if (g.batch <= sorted.n)
            measure(&g, &c);
    }
    basin_predictor_free(g.predictor);
    basin_model_free(m);
    bs_arena_free(&read.arena);
    bs_free(read.token);
    bs_free(read.start);
    bs_free(sorted.token);
    bs_free(sorted.start);
    bs_free(g.tags);
    return 0;
}
