/* tag_scene.h -- a scene (scene.h) of tagged sentences: the same few sentences in batches of any
 * size, with any amount of padding. */
#ifndef TEST_TAG_SCENE_H
#define TEST_TAG_SCENE_H

#include "tests/scene.h"

#include "task/tag/data.h"

enum { TAG_WORDS = 7, TAG_LETTERS = 5, TAG_VALUES = 4, TAG_COLUMNS = 2, TAG_MOST = 6 };

/* Layout of sentences in a batch: longer in every direction than necessary. */
typedef struct {
    int rows, length, width; /* of the batch */
    int first;               /* number of the sentence in row 0 */
} tag_batch;

/* Sentence s depends on its number alone. */
static inline int tag_length(int sentence)
{
    static const int length[] = {4, 1, 3, 2};
    return length[sentence % 4];
}

static inline int tag_hash(int sentence, int t, int what)
{
    bs_rng rng = bs_rng_make(77, (uint64_t)(sentence * 100 + t), (uint32_t)what);
    return (int)(bs_rng_bits(&rng) >> 8);
}

static inline int tag_letters(int sentence, int t)
{
    return 1 + tag_hash(sentence, t, 3) % 4;
}

static inline int tag_gold(int sentence, int t, int tags)
{
    return tag_hash(sentence, t, 4) % tags;
}

/* Data of a leaf of int32_t. */
static inline int32_t *tag_bind_int(scene *c, bs_id id)
{
    int64_t  n = bs_shape_count(bs_shape_of(c->g, id));
    int32_t *data = bs_arena_alloc(&c->ex.arena, (size_t)n * sizeof *data);
    c->ex.leaf[c->ex.n].id = id;
    c->ex.leaf[c->ex.n++].data = data;
    return data;
}

static inline void tag_bind_letters(scene *c, tag_batch z)
{
    const bs_id *x = c->s.v.x.id;
    const int    T = z.length, B = z.rows, C = z.width;
    int32_t     *letter = tag_bind_int(c, x[4]), *letters = tag_bind_int(c, x[5]);
    real        *present = scene_bind(c, x[6]);
    for (int i = 0; i < T * B * C; i++)
        letter[i] = -1;
    for (int b = 0; b < B; b++)
        for (int t = 0; t < tag_length(z.first + b); t++) {
            const int at = t * B + b;
            letters[at] = tag_letters(z.first + b, t);
            for (int k = 0; k < letters[at]; k++) {
                letter[at * C + k] = tag_hash(z.first + b, t, 10 + k) % TAG_LETTERS;
                present[at * C + k] = 1;
            }
        }
}

/* Leaves of the view; words and values at padding are arbitrary, as nothing may read them. */
static inline void tag_bind(scene *c, tag_batch z)
{
    const bs_id *x = c->s.v.x.id;
    const int    T = z.length, B = z.rows, N = bs_net_spec_tag(&c->learner.spec)->tags;
    int32_t     *word = tag_bind_int(c, x[0]), *len = tag_bind_int(c, x[1]);
    int32_t     *column = x[3] ? tag_bind_int(c, x[3]) : NULL, *ended = tag_bind_int(c, x[7]);
    real        *mask = scene_bind(c, x[2]);
    c->gold = scene_bind(c, c->s.v.gold);
    for (int b = 0; b < B; b++) {
        const int s = z.first + b, n = tag_length(s);
        len[b] = n;
        ended[b] = n + 1;
        for (int t = 0; t < T; t++) {
            word[t * B + b] = tag_hash(t < n ? s : 1000 + B, t, 1) % TAG_WORDS;
            for (int k = 0; k < TAG_COLUMNS && column; k++)
                column[(k * T + t) * B + b] = tag_hash(t < n ? s : 1000, t, 20 + k) % TAG_VALUES;
            mask[b * T + t] = t < n;
            if (t < n)
                c->gold[(b * T + t) * N + tag_gold(s, t, N)] = 1;
        }
    }
    if (x[4])
        tag_bind_letters(c, z);
}

static inline bs_tag_shape tag_shape_of(const bs_train_options *o, int tags)
{
    basin_error  err = {0};
    bs_tag_known own = {
        .word_width = 3,
        .lexicon = {.tags.n = tags, .words.n = TAG_WORDS, .characters.n = TAG_LETTERS}};
    bs_preprocess known = {.own = &own};
    bs_net_spec   spec;
    CHECK(bs_task_tag.spec(o, &known, &spec, &err) == BASIN_OK, "%s", err.msg);
    return *bs_net_spec_tag(&spec);
}

/* The settings are the defaults of the task, small nets, then `words`; "columns" among them adds
 * feature columns. */
static inline scene *tag_scene_sized(const char *words, int tags, tag_batch z)
{
    basin_error err = {0};
    scene      *c = calloc(1, sizeof *c);
    const bool  columns = bs_params_has_prefix(words, "columns ");
    assert_int_equal(bs_settings_default(&c->settings, &err), BASIN_OK);
    scene_set(c, bs_task_tag.defaults);
    scene_set(c, "net.width=2 energy.hidden=2 net.dropout=0 columns.width=2 chars.width=2 "
                 "chars.features=4");
    scene_set(c, words + (columns ? strlen("columns ") : 0));
    c->method.phase[0] = (bs_phase){.name = "test", .net = true, .energy = true};
    c->learner =
        (bs_learner){.o = &c->settings.train, .method = &c->method, .params = bs_params_new()};
    bs_tag_shape shape = tag_shape_of(c->learner.o, tags);
    if (columns) {
        shape.columns = TAG_COLUMNS;
        shape.values = TAG_VALUES;
    }
    c->learner.spec =
        bs_net_spec_make(&bs_task_space_tag, (bs_size){1, 1, 4}, &shape, sizeof shape);
    scene_weigh(c, tags);
    c->g = bs_graph_new();
    c->s = bs_loss_context_make(&c->learner, c->g, (bs_size){z.rows, z.length, z.width}, "net/");
    bs_example_init(&c->ex, 4);
    tag_bind(c, z);
    scene_bind_weights(c);
    return c;
}

/* Three sentences of 4, 1 and 3 words, with room for one more word. */
static inline scene *tag_scene(const char *words, int tags)
{
    return tag_scene_sized(words, tags, (tag_batch){.rows = 3, .length = 5, .width = 5});
}

/* How many numbers a y with K outputs per row has. */
static inline int64_t tag_parts(const scene *c, int K)
{
    return (int64_t)c->s.v.size.rows * K * c->s.v.size.length *
           bs_net_spec_tag(&c->learner.spec)->tags;
}

/* Divides every token's numbers by their sum and clears padding. */
static inline void tag_normalise(scene *c, real *y, int K)
{
    const int T = c->s.v.size.length, N = bs_net_spec_tag(&c->learner.spec)->tags;
    for (int r = 0; r < c->s.v.size.rows * K; r++)
        for (int t = 0; t < T; t++) {
            real *p = y + (r * T + t) * N, sum = 0;
            for (int j = 0; j < N; j++)
                sum += p[j];
            for (int j = 0; j < N; j++)
                p[j] = t < tag_length(r / K) ? p[j] / sum : 0;
        }
}

/* An output with K parts per row as a leaf: arbitrary distributions, zeros at padding. For batches
 * that start with sentence 0. */
static inline bs_id tag_output(scene *c, int K)
{
    const int parts = c->s.v.size.length * bs_net_spec_tag(&c->learner.spec)->tags;
    bs_id     y = bs_example_real(c->g, &c->ex, bs_shape3(c->s.v.size.rows, K, parts), 0.1, 1);
    tag_normalise(c, scene_data(c, y), K);
    return y;
}

/* ---- all sequences: output k has tag k / N^t % N at position t ---- */

static inline int tag_sequences(int sentence, int N)
{
    int n = 1;
    for (int t = 0; t < tag_length(sentence); t++)
        n *= N;
    return n;
}

static inline int tag_of(int k, int t, int N)
{
    for (; t > 0; t--)
        k /= N;
    return k % N;
}

/* A leaf with as many outputs per row as the longest sentence, 0, has sequences; shorter ones have
 * theirs repeatedly. */
static inline bs_id tag_all(scene *c)
{
    const int N = bs_net_spec_tag(&c->learner.spec)->tags, K = tag_sequences(0, N);
    const int rows = c->s.v.size.rows, T = c->s.v.size.length;
    bs_id     y = bs_example_real(c->g, &c->ex, bs_shape3(rows, K, T * N), 0, 1);
    real     *out = scene_data(c, y);
    for (int i = 0; i < rows * K * T * N; i++) {
        const int t = i / N % T, k = i / (N * T) % K, s = i / (N * T * K);
        out[i] = t < tag_length(s) && tag_of(k, t, N) == i % N;
    }
    return y;
}

static inline int tag_truth(int sentence, int N)
{
    int k = 0;
    for (int t = tag_length(sentence) - 1; t >= 0; t--)
        k = k * N + tag_gold(sentence, t, N);
    return k;
}

#endif
