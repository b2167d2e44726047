/* make.c -- generated label sets whose structure is known.
 *
 * Labels come in groups of four; groups are independent. Within a group:
 *     pick    exactly one of a, b, c, d; all have words
 *     imply   d => c => b => a; only a and d have words
 *     xor     a and b are free and have words; c = a xor b, d = a and b have none
 * A label with words turns each of them on with probability `on`, else `off`. So p(labels of a
 * group | words) follows by enumerating at most 16 states, and with it the best expected F1 of
 * every row, exactly. Labels without words can only be inferred from the others; in pick groups the
 * most probable label is often below one half, and a threshold on single labels misses it. */
#include "tasks/mlc/make.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "data/expected.h"
#include "data/rows/build.h"

enum { SIZE = 4, STATES = 1 << SIZE, MOST_GROUPS = 64, MOST_SCORED = 5000 };

#define AT(field) offsetof(bs_make_mlc_options, field)

const bs_option bs_make_mlc_rows[] = {
    {"rows", BS_INT, AT(rows), "2000", "1", "10000000", NULL, "rows to make", 0},
    {"groups", BS_INT, AT(groups), "6", "1", "64", NULL, "groups of four labels", 0},
    {"words", BS_INT, AT(words), "5", "1", "1000", NULL, "words of a label that has any", 0},
    {"noise", BS_INT, AT(noise), "40", "0", "100000", NULL, "words that mean nothing", 0},
    {"seed", BS_INT, AT(seed), "0", "0", "2000000000", NULL, "seed of structure and rows", 0},
    {"on", BS_FLOAT, AT(on), "0.45", "0.001", "0.999", NULL,
     "probability of a word when its label is on", 0},
    {"off", BS_FLOAT, AT(off), "0.1", "0.001", "0.999", NULL,
     "probability of a word when its label is off", 0},
    {"kinds", BS_NAME, AT(kinds), "all", NULL, NULL, "all|pick|imply|xor",
     "dependencies within groups: one kind, or all by turns", 0},
    {"text", BS_BOOL, AT(text), "no", NULL, NULL, NULL,
     "rows are texts of these words, which are invented, instead of features", 0},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

typedef enum { PICK, IMPLY, XOR, KINDS } group_kind;

typedef struct {
    group_kind kind;
    double     prior[STATES];
    int        first_word[SIZE]; /* -1: the label has no words */
} group;

typedef struct {
    const bs_make_mlc_options *o;
    group                      g[MOST_GROUPS];
    int                        n_words; /* words with a meaning */
    uint8_t                   *word;    /* [n_words] of the current row */
} world;

/* --- structure ----------------------------------------------------------- */

static void set_priors(group *g, bs_rng *rng)
{
    memset(g->prior, 0, sizeof g->prior);
    double u = bs_rng_uniform(rng), v = bs_rng_uniform(rng);
    if (g->kind == PICK) {
        double weight[SIZE], sum = 0;
        for (int j = 0; j < SIZE; j++)
            sum += weight[j] = 0.6 + bs_rng_uniform(rng);
        for (int j = 0; j < SIZE; j++)
            g->prior[1 << j] = weight[j] / sum;
    } else if (g->kind == IMPLY) {
        double step = 0.55 + 0.2 * u, reach = 1;
        for (int level = 0; level < SIZE; level++) {
            g->prior[(1 << level) - 1] = reach * (1 - step);
            reach *= step;
        }
        g->prior[STATES - 1] = reach;
    } else {
        double a = 0.3 + 0.3 * u, b = 0.3 + 0.3 * v;
        g->prior[0] = (1 - a) * (1 - b);
        g->prior[1 | 4] = a * (1 - b);
        g->prior[2 | 4] = (1 - a) * b;
        g->prior[1 | 2 | 8] = a * b;
    }
}

static bool has_words(group_kind kind, int label)
{
    return kind == PICK || (kind == IMPLY && (label == 0 || label == SIZE - 1)) ||
           (kind == XOR && label < 2);
}

static const char *const kind_name[] = {"pick", "imply", "xor"};

static group_kind kind_of(const bs_make_mlc_options *o, int at)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(o->kinds, kind_name[i]) == 0)
            return (group_kind)i;
    return (group_kind)(at % KINDS);
}

static void make_world(world *w, const bs_make_mlc_options *o)
{
    bs_rng rng = bs_rng_make((uint64_t)o->seed, 0, 1);
    w->o = o;
    for (int i = 0; i < o->groups; i++) {
        group *g = &w->g[i];
        g->kind = kind_of(o, i);
        set_priors(g, &rng);
        for (int j = 0; j < SIZE; j++) {
            g->first_word[j] = has_words(g->kind, j) ? w->n_words : -1;
            w->n_words += has_words(g->kind, j) ? o->words : 0;
        }
    }
}

/* --- rows ---------------------------------------------------------------- */

static int draw_state(const group *g, bs_rng *rng)
{
    double u = bs_rng_uniform(rng);
    int    last = 0;
    for (int s = 0; s < STATES; s++) {
        if (g->prior[s] <= 0)
            continue;
        last = s;
        if (u < g->prior[s])
            return s;
        u -= g->prior[s];
    }
    return last;
}

static bool draw_row(world *w, bs_build *b, bs_rng *rng)
{
    const bs_make_mlc_options *o = w->o;
    for (int i = 0; i < o->groups; i++) {
        int state = draw_state(&w->g[i], rng);
        for (int j = 0; j < SIZE; j++) {
            bool on = state >> j & 1;
            int  first = w->g[i].first_word[j];
            if (on && !bs_push_y(b, i * SIZE + j))
                return false;
            for (int k = 0; first >= 0 && k < o->words; k++) {
                w->word[first + k] = (uint8_t)bs_rng_bernoulli(rng, on ? o->on : o->off);
                if (w->word[first + k] && !bs_push_x(b, first + k, 1))
                    return false;
            }
        }
    }
    for (int k = 0; k < o->noise; k++)
        if (bs_rng_bernoulli(rng, o->off) && !bs_push_x(b, w->n_words + k, 1))
            return false;
    return true;
}

/* --- texts --------------------------------------------------------------- */

/* A word of three syllables; different for each number below 70^3. */
static void put_word(int number, bs_buf *out)
{
    static const char consonant[] = "bdfgklmnprstvz", vowel[] = "aeiou";
    int64_t rest = (int64_t)number * 104729 % 343000; /* a prime: neighbours look different */
    for (int i = 0; i < 3; i++, rest /= 70) {
        const int syllable = (int)(rest % 70);
        bs_buf_add(out, &consonant[syllable / 5], 1);
        bs_buf_add(out, &vowel[syllable % 5], 1);
    }
}

/* The features of the current row as a text, in random order, instead. */
static bool put_text(bs_build *b, bs_rng *rng, bs_buf *out)
{
    int32_t     *word = b->x.index + b->x.row;
    const size_t n = b->x.n - b->x.row;
    bs_buf_clear(out);
    for (size_t i = 0; i < n; i++) {
        const size_t  other = i + bs_rng_below(rng, (uint32_t)(n - i));
        const int32_t w = word[other];
        word[other] = word[i];
        word[i] = w;
        bs_buf_text(out, i ? " " : "");
        put_word(w, out);
    }
    b->x.n = b->x.row;
    return !out->failed && bs_build_document(b, out->data ? out->data : "", out->len);
}

/* --- what can be known about a row --------------------------------------- */

/* log P(words of label j | it is on) - log P(... | it is off) */
static double evidence(const world *w, const group *g, int j)
{
    const bs_make_mlc_options *o = w->o;
    if (g->first_word[j] < 0)
        return 0;
    double yes = log(o->on / o->off), no = log((1 - o->on) / (1 - o->off)), sum = 0;
    for (int k = 0; k < o->words; k++)
        sum += w->word[g->first_word[j] + k] ? yes : no;
    return sum;
}

static void posterior(const world *w, const group *g, double q[STATES])
{
    double odds[SIZE], top = -INFINITY, sum = 0;
    for (int j = 0; j < SIZE; j++)
        odds[j] = evidence(w, g, j);
    for (int s = 0; s < STATES; s++) {
        q[s] = g->prior[s] > 0 ? log(g->prior[s]) : -INFINITY;
        for (int j = 0; j < SIZE; j++)
            q[s] += s >> j & 1 ? odds[j] : 0;
        top = fmax(top, q[s]);
    }
    for (int s = 0; s < STATES; s++)
        sum += q[s] = exp(q[s] - top);
    for (int s = 0; s < STATES; s++)
        q[s] /= sum;
}

/* P(y_j | its own words), as in a model without dependencies. */
static double own_posterior(const world *w, const group *g, int j)
{
    double p = 0;
    for (int s = 0; s < STATES; s++)
        p += s >> j & 1 ? g->prior[s] : 0;
    return 1 / (1 + exp(-(log(p) - log(1 - p) + evidence(w, g, j))));
}

typedef struct {
    double  *count; /* [groups + 1][L + 1] labels on in the first i groups */
    double  *tail;  /* the same for the last ones */
    double  *joint; /* [L][L + 1] P(y_j = 1, t labels on) */
    double  *mean;  /* [L] P(y_j = 1) */
    double  *scratch;
    int     *order;
    uint8_t *choice;
} scores;

/* out = in (*) the distribution of the number of labels on in a group */
static void add_group(const double *in, const double q[STATES], int L, double *out)
{
    double size[SIZE + 1] = {0};
    for (int s = 0; s < STATES; s++)
        size[__builtin_popcount((unsigned)s)] += q[s];
    for (int t = 0; t <= L; t++) {
        out[t] = 0;
        for (int k = 0; k <= SIZE && k <= t; k++)
            out[t] += in[t - k] * size[k];
    }
}

/* Labels on outside group i are those before it plus those after it. */
static void joint_of_row(const world *w, double q[MOST_GROUPS][STATES], scores *z)
{
    const int G = w->o->groups, L = G * SIZE, W = L + 1;
    memset(z->count, 0, (size_t)W * sizeof *z->count);
    memset(z->tail + (size_t)G * (size_t)W, 0, (size_t)W * sizeof *z->tail);
    z->count[0] = z->tail[(size_t)G * (size_t)W] = 1;
    for (int i = 0; i < G; i++)
        add_group(z->count + (size_t)i * (size_t)W, q[i], L,
                  z->count + (size_t)(i + 1) * (size_t)W);
    for (int i = G; i-- > 0;)
        add_group(z->tail + (size_t)(i + 1) * (size_t)W, q[i], L, z->tail + (size_t)i * (size_t)W);
    memset(z->joint, 0, (size_t)L * (size_t)W * sizeof *z->joint);
    for (int i = 0; i < G; i++) {
        const double *before = z->count + (size_t)i * (size_t)W;
        const double *behind = z->tail + (size_t)(i + 1) * (size_t)W;
        double       *others = z->scratch;
        for (int t = 0; t <= L; t++) {
            others[t] = 0;
            for (int a = 0; a <= t && a <= i * SIZE; a++)
                others[t] += before[a] * behind[t - a];
        }
        for (int s = 0; s < STATES; s++) {
            int k = __builtin_popcount((unsigned)s);
            for (int j = 0; q[i][s] > 0 && j < SIZE; j++)
                for (int t = k; (s >> j & 1) && t <= L; t++)
                    z->joint[(size_t)(i * SIZE + j) * (size_t)W + (size_t)t] +=
                        q[i][s] * others[t - k];
        }
    }
    for (int j = 0; j < L; j++) {
        z->mean[j] = 0;
        for (int t = 0; t <= L; t++)
            z->mean[j] += z->joint[(size_t)j * (size_t)W + (size_t)t];
    }
}

static void score_row(const world *w, scores *z, bs_make_mlc_truth *sum)
{
    const int G = w->o->groups, L = G * SIZE;
    double    q[MOST_GROUPS][STATES];
    for (int i = 0; i < G; i++)
        posterior(w, &w->g[i], q[i]);
    joint_of_row(w, q, z);
    sum->best += bs_best_expected_f1(z->joint, L, L + 1, 0, z->choice, z->scratch, z->order);
    for (int j = 0; j < L; j++)
        z->choice[j] = z->mean[j] >= 0.5;
    sum->marginal += bs_expected_f1(z->joint, L, L + 1, z->choice);
    for (int j = 0; j < L; j++)
        z->choice[j] = own_posterior(w, &w->g[j / SIZE], j % SIZE) >= 0.5;
    sum->local += bs_expected_f1(z->joint, L, L + 1, z->choice);
    double set = 1, marginal = 1;
    for (int i = 0; i < G; i++) {
        double best = 0;
        int    state = 0;
        for (int s = 0; s < STATES; s++)
            best = fmax(best, q[i][s]);
        for (int j = 0; j < SIZE; j++)
            state |= (z->mean[i * SIZE + j] >= 0.5) << j;
        set *= best;
        marginal *= q[i][state];
    }
    sum->subset += set;
    sum->subset_marginal += marginal;
    sum->rows++;
}

static bool start_scores(scores *z, int G, bs_arena *room)
{
    size_t L = (size_t)G * SIZE, W = L + 1;
    z->count = bs_arena_alloc(room, (size_t)(G + 1) * W * sizeof *z->count);
    z->tail = bs_arena_alloc(room, (size_t)(G + 1) * W * sizeof *z->tail);
    z->joint = bs_arena_alloc(room, L * W * sizeof *z->joint);
    z->mean = bs_arena_alloc(room, L * sizeof *z->mean);
    z->scratch = bs_arena_alloc(room, W * sizeof *z->scratch);
    z->order = bs_arena_alloc(room, L * sizeof *z->order);
    z->choice = bs_arena_alloc(room, L);
    return z->count && z->tail && z->joint && z->mean && z->scratch && z->order && z->choice;
}

/* --- the data set -------------------------------------------------------- */

static bool add_names(const world *w, bs_build *b)
{
    bool fresh, ok = true;
    char name[48];
    for (int i = 0; ok && i < w->o->groups; i++)
        for (int j = 0; ok && j < SIZE; j++) {
            int n = bs_print(name, sizeof name, "%s%d_%c", kind_name[w->g[i].kind], i + 1, 'a' + j);
            ok = bs_names_add(&b->labels, name, (size_t)n, &fresh) >= 0;
            const int words = w->g[i].first_word[j] >= 0 && !w->o->text ? w->o->words : 0;
            for (int k = 0; ok && k < words; k++) {
                char        word[64];
                int         m = bs_print(word, sizeof word, "%s_word%d", name, k + 1);
                const char *copy = bs_arena_copy(&b->ds->arena, word, (size_t)m);
                ok = copy && bs_build_feature(b, copy, copy, "1", BS_FEATURE_BINARY, &fresh) >= 0;
            }
        }
    for (int k = 0; ok && k < w->o->noise && !w->o->text; k++) {
        int         m = bs_print(name, sizeof name, "noise%d", k + 1);
        const char *copy = bs_arena_copy(&b->ds->arena, name, (size_t)m);
        ok = copy && bs_build_feature(b, copy, copy, "1", BS_FEATURE_BINARY, &fresh) >= 0;
    }
    return ok;
}

/* The truth is a mean over the first rows. */
static basin_status make_rows(world *w, bs_build *b, scores *z, bs_make_mlc_truth *truth,
                              basin_error *err)
{
    bs_rng            rng = bs_rng_make((uint64_t)w->o->seed, 1, 2);
    bs_rng            order = bs_rng_make((uint64_t)w->o->seed, 2, 3);
    bs_make_mlc_truth sum = {.words = w->n_words + w->o->noise};
    basin_status      s = BASIN_OK;
    bs_buf            text;
    bs_buf_init(&text, 1 << 24);
    for (int r = 0; r < w->o->rows && !s; r++) {
        int32_t twice;
        bool    ok = draw_row(w, b, &rng);
        if (ok && truth && r < MOST_SCORED)
            score_row(w, z, &sum);
        if (ok && w->o->text)
            ok = put_text(b, &order, &text);
        s = ok ? bs_build_row(b, &twice, err) : bs_fail_nomem(err);
    }
    bs_buf_free(&text);
    if (s || !truth)
        return s;
    sum.best /= sum.rows;
    sum.marginal /= sum.rows;
    sum.local /= sum.rows;
    sum.subset /= sum.rows;
    sum.subset_marginal /= sum.rows;
    *truth = sum;
    return BASIN_OK;
}

static const char *const text_column[] = {"text"};

basin_status bs_make_mlc(const bs_make_mlc_options *o, bs_rows **out, bs_make_mlc_truth *truth,
                         basin_error *err)
{
    bs_arena     room = {0};
    world       *w = bs_arena_alloc(&room, sizeof *w);
    scores       z = {0};
    bs_build     b;
    basin_status s = bs_build_init(&b, INT32_MAX - 1, err);
    *out = NULL;
    if (!s && w) {
        make_world(w, o);
        w->word = bs_arena_alloc(&room, (size_t)w->n_words);
    }
    if (!s && !(w && w->word && start_scores(&z, o->groups, &room) && add_names(w, &b)))
        s = bs_fail_nomem(err);
    if (!s)
        s = make_rows(w, &b, &z, truth, err);
    if (!s) {
        b.ds->format = "generated";
        b.ds->schema.binary = true;
        b.ds->schema.text = text_column;
        b.ds->schema.n_texts = o->text;
        b.ds->source.attributes = b.ds->source.nominal = b.ds->source.binary = b.features.n;
        bs_print(b.ds->source.labels_from, sizeof b.ds->source.labels_from, "the generator");
        s = bs_build_finish(&b, -1, -1, err);
    }
    if (!s) {
        *out = b.ds;
        b.ds = NULL;
    }
    bs_build_free(&b);
    bs_arena_free(&room);
    return s;
}
