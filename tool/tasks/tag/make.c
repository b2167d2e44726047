/* make.c -- generated sentences whose tags follow rules that no single word decides.
 *
 * A sentence starts with a word tagged SAME or TURN, and such a word may come again (with
 * probability `change`): it sets the mode of what follows, more often SAME than TURN (probability
 * `same`). All other words have a kind k = 1, 2, ... and one of two sides, A or B; the tag is side
 * and kind. After SAME, a word has the side of the one before with probability `rule`, after TURN
 * the other one; the first after a mode word has either side. Most words of a kind say nothing
 * about the side; with probability `clear` it is one that does. With probability `noise` a word is
 * any word at all.
 *
 * So a tag depends on its neighbour, in a way that depends on a word that may be far away: a chain
 * over tags cannot carry the mode. The state (mode, tag) is a Markov chain, and forward-backward
 * over it gives the probability of every tag exactly. */
#include "tasks/tag/make.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/json.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/visible.h"
#include "data/text/corpus_part.h"

enum { MODES = 2, SIDES = 2, MOST_SCORED = 3000 };

#define AT(field) offsetof(bs_make_tag_options, field)

const bs_option bs_make_tag_rows[] = {
    {"rows", BS_INT, AT(rows), "2000", "1", "10000000", NULL, "sentences to make", 0},
    {"tags", BS_INT, AT(tags), "8", "4", "66", NULL,
     "tags: two of modes, the others in pairs (an even number)", 0},
    {"words", BS_INT, AT(words), "10", "1", "100000", NULL,
     "words of each mode, kind, and side of a kind", 0},
    {"length", BS_INT, AT(length), "15", "2", "10000", NULL,
     "mean length of a sentence; lengths are from half of it to one and a half", 0},
    {"seed", BS_INT, AT(seed), "0", "0", "2000000000", NULL, "seed of the sentences", 0},
    {"noise", BS_FLOAT, AT(noise), "0.03", "0", "1", NULL,
     "probability that a word is any word at all", 0},
    {"clear", BS_FLOAT, AT(clear), "0.25", "0", "1", NULL, "probability that a word tells its side",
     0},
    {"change", BS_FLOAT, AT(change), "0.05", "0", "1", NULL,
     "probability that a later word sets the mode anew", 0},
    {"same", BS_FLOAT, AT(same), "0.6", "0", "1", NULL, "probability that a mode is SAME", 0},
    {"rule", BS_FLOAT, AT(rule), "0.97", "0.5", "1", NULL,
     "probability that a side follows the mode's rule", 0},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

/* Tags: 0 SAME, 1 TURN, then A1 B1 A2 B2 ... States: mode * tags + tag; a mode's word is
 * in its own mode only. Words: groups of `words`: SAME, TURN, A1 B1 either1, A2 ... */
typedef struct {
    const bs_make_tag_options *o;
    int                        kinds, tags, states, groups;
    double                    *step;  /* [states, states] */
    double                    *chain; /* [tags + 1, tags] without modes; the last row: start */
    double                     first[MODES];
} world;

/* P(next state | state) */
static double step_of(const world *w, int mode, int tag, int next_mode, int next)
{
    const bs_make_tag_options *o = w->o;
    if (next < MODES)
        return next_mode == next ? o->change * w->first[next] : 0;
    if (next_mode != mode)
        return 0;
    double each = (1 - o->change) / w->kinds;
    if (tag < MODES)
        return each / SIDES;
    bool same = (tag - MODES) % SIDES == (next - MODES) % SIDES;
    return each * (same == (mode == 0) ? o->rule : 1 - o->rule);
}

/* Probability of a word of the group within the group, given the tag. */
static double word_given(const world *w, int tag, int group)
{
    const bs_make_tag_options *o = w->o;
    double                     any = o->noise / w->groups, p = 0;
    if (tag < MODES)
        p = group == tag ? 1 : 0;
    else if ((group - MODES) / 3 == (tag - MODES) / SIDES && group >= MODES) {
        int which = (group - MODES) % 3;
        p = which == 2 ? 1 - o->clear : which == (tag - MODES) % SIDES ? o->clear : 0;
    }
    return (any + (1 - o->noise) * p) / o->words;
}

static bool is_state(const world *w, int state)
{
    int mode = state / w->tags, tag = state % w->tags;
    return tag >= MODES || tag == mode;
}

static void make_steps(world *w)
{
    w->first[0] = w->o->same;
    w->first[1] = 1 - w->o->same;
    for (int a = 0; a < w->states; a++)
        for (int b = 0; b < w->states; b++)
            w->step[a * w->states + b] =
                is_state(w, a) && is_state(w, b)
                    ? step_of(w, a / w->tags, a % w->tags, b / w->tags, b % w->tags)
                    : 0;
}

/* --- sentences ----------------------------------------------------------- */

typedef struct {
    int *tag, *group, n;
} sentence;

static int draw_group(const world *w, int tag, bs_rng *rng)
{
    if (bs_rng_bernoulli(rng, w->o->noise))
        return (int)bs_rng_below(rng, (uint32_t)w->groups);
    if (tag < MODES)
        return tag;
    bool clear = bs_rng_bernoulli(rng, w->o->clear);
    return MODES + 3 * ((tag - MODES) / SIDES) + (clear ? (tag - MODES) % SIDES : 2);
}

static void draw_sentence(const world *w, bs_rng *rng, sentence *s)
{
    const bs_make_tag_options *o = w->o;
    int                        half = o->length / 2, mode = 0, tag = 0;
    s->n = o->length - half + (int)bs_rng_below(rng, (uint32_t)(2 * half + 1));
    for (int i = 0; i < s->n; i++) {
        if (i == 0 || bs_rng_bernoulli(rng, o->change)) {
            mode = tag = !bs_rng_bernoulli(rng, o->same);
        } else {
            bool follow = bs_rng_bernoulli(rng, o->rule);
            int  side = tag < MODES ? (int)bs_rng_below(rng, SIDES)
                                    : ((tag - MODES) % SIDES) ^ (mode == (follow ? 1 : 0));
            tag = MODES + (int)bs_rng_below(rng, (uint32_t)w->kinds) * SIDES + side;
        }
        s->tag[i] = tag;
        s->group[i] = draw_group(w, tag, rng);
    }
}

static void tag_name(int tag, char out[16])
{
    if (tag < MODES)
        bs_print(out, 16, "%s", tag ? "TURN" : "SAME");
    else
        bs_print(out, 16, "%c%d", "AB"[(tag - MODES) % SIDES], (tag - MODES) / SIDES + 1);
}

static void word_name(int group, uint32_t number, char out[32])
{
    static const char *const side[] = {"a", "b", "x"};
    if (group < MODES)
        bs_print(out, 32, "%s_%u", group ? "turn" : "same", number + 1);
    else
        bs_print(out, 32, "%s%d_%u", side[(group - MODES) % 3], (group - MODES) / 3 + 1,
                 number + 1);
}

static void put_sentence(const world *w, const sentence *s, bs_rng *rng, bs_buf *out)
{
    char tag[16], word[32];
    for (int i = 0; i < s->n; i++) {
        tag_name(s->tag[i], tag);
        word_name(s->group[i], bs_rng_below(rng, (uint32_t)w->o->words), word);
        bs_buf_printf(out, "%s %s\n", word, tag);
    }
    bs_buf_text(out, "\n");
}

/* --- what can be known --------------------------------------------------- */

typedef struct {
    double *ahead, *back; /* [n, states] */
    double *belief;       /* [n, tags] P(tag | sentence) */
    double *joint;        /* [groups, tags] expected number of tokens */
    double *emit;         /* [groups, tags] */
    double *now, *next;   /* [states] before any word of a sentence is seen */
} scores;

static void normalise(double *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    for (int i = 0; sum > 0 && i < n; i++)
        p[i] /= sum;
}

/* One step of a chain of S states whose tags are state % tags. */
static void move(const double *step, int S, const double *from, double *to)
{
    memset(to, 0, (size_t)S * sizeof *to);
    for (int a = 0; a < S; a++)
        for (int b = 0; from[a] > 0 && b < S; b++)
            to[b] += from[a] * step[a * S + b];
}

/* Forward and backward; marginal [n, tags] of the tags. start [S]. */
static void infer(const world *w, const sentence *s, const double *step, int S, const double *start,
                  scores *z, double *marginal)
{
    const int T = w->tags;
    for (int i = 0; i < s->n; i++) {
        double       *p = z->ahead + (size_t)i * (size_t)S;
        const double *emit = z->emit + s->group[i] * T;
        if (i == 0)
            memcpy(p, start, (size_t)S * sizeof *p);
        else
            move(step, S, p - S, p);
        for (int a = 0; a < S; a++)
            p[a] *= emit[a % T];
        normalise(p, S);
    }
    for (int i = s->n - 1; i >= 0; i--) {
        double *p = z->back + (size_t)i * (size_t)S;
        for (int a = 0; a < S; a++) {
            p[a] = i == s->n - 1;
            for (int b = 0; i < s->n - 1 && b < S; b++)
                p[a] += step[a * S + b] * z->emit[s->group[i + 1] * T + b % T] * p[S + b];
        }
        normalise(p, S);
        double *m = marginal + (size_t)i * (size_t)T;
        memset(m, 0, (size_t)T * sizeof *m);
        for (int a = 0; a < S; a++)
            m[a % T] += z->ahead[(size_t)i * (size_t)S + (size_t)a] * p[a];
        normalise(m, T);
    }
}

static int best_of(const double *p, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = p[i] > p[best] ? i : best;
    return best;
}

/* Probabilities before any word is seen, for a sentence of this length, for the decision by the
 * word alone; and how often one tag follows another, for the chain. */
static void add_prior(const world *w, int n, scores *z, double *follow)
{
    const int S = w->states, T = w->tags;
    memset(z->now, 0, (size_t)S * sizeof *z->now);
    for (int m = 0; m < MODES; m++)
        z->now[m * T + m] = w->first[m];
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < S; a++)
            for (int g = 0; z->now[a] > 0 && g < w->groups; g++)
                z->joint[g * T + a % T] += z->now[a] * z->emit[g * T + a % T];
        if (i + 1 == n)
            break;
        for (int a = 0; a < S; a++)
            for (int b = 0; z->now[a] > 0 && b < S; b++)
                follow[a % T * T + b % T] += z->now[a] * w->step[a * S + b];
        move(w->step, S, z->now, z->next);
        memcpy(z->now, z->next, (size_t)S * sizeof *z->now);
    }
}

static bool start_scores(const world *w, scores *z, bs_arena *room)
{
    size_t S = (size_t)w->states, T = (size_t)w->tags, G = (size_t)w->groups;
    size_t n = (size_t)w->o->length * 2 + 1;
    z->ahead = bs_arena_alloc(room, n * S * sizeof *z->ahead);
    z->back = bs_arena_alloc(room, (n + 1) * S * sizeof *z->back);
    z->belief = bs_arena_alloc(room, 2 * n * T * sizeof *z->belief);
    z->joint = bs_arena_alloc(room, G * T * sizeof *z->joint);
    z->emit = bs_arena_alloc(room, G * T * sizeof *z->emit);
    z->now = bs_arena_alloc(room, S * sizeof *z->now);
    z->next = bs_arena_alloc(room, S * sizeof *z->next);
    if (!z->ahead || !z->back || !z->belief || !z->joint || !z->emit || !z->now || !z->next)
        return false;
    for (int g = 0; g < w->groups; g++)
        for (int t = 0; t < w->tags; t++)
            z->emit[(size_t)g * T + (size_t)t] = word_given(w, t, g);
    return true;
}

/* Expected accuracies given the words of a sentence, summed over its tokens. */
static void score_sentence(const world *w, const sentence *s, scores *z, bs_make_tag_truth *sum)
{
    const int T = w->tags;
    double   *truth = z->belief, *chain = truth + (size_t)(w->o->length * 2 + 1) * (size_t)T;
    for (int m = 0; m < MODES; m++)
        z->now[m * T + m] = w->first[m];
    infer(w, s, w->step, w->states, z->now, z, truth);
    infer(w, s, w->chain, T, w->chain + T * T, z, chain);
    for (int i = 0; i < s->n; i++) {
        const double *p = truth + i * T;
        sum->best += p[best_of(p, T)];
        sum->chain += p[best_of(chain + i * T, T)];
        sum->single += p[best_of(z->joint + s->group[i] * T, T)];
    }
}

/* Uses the same lengths and sentences as those written. */
static void measure(world *w, sentence *s, scores *z, bs_make_tag_truth *truth)
{
    const int         n = w->o->rows < MOST_SCORED ? w->o->rows : MOST_SCORED, T = w->tags;
    bs_make_tag_truth sum = {.sentences = n};
    int64_t           tokens = 0;
    for (int length = w->o->length - w->o->length / 2; length <= w->o->length + w->o->length / 2;
         length++)
        add_prior(w, length, z, w->chain);
    for (int t = 0; t < T; t++) {
        normalise(w->chain + t * T, T);
        w->chain[T * T + t] = t < MODES ? w->first[t] : 0;
    }
    memset(z->now, 0, (size_t)w->states * sizeof *z->now);
    for (int i = 0; i < n; i++) {
        bs_rng rng = bs_rng_make((uint64_t)w->o->seed, (uint64_t)i, 5);
        draw_sentence(w, &rng, s);
        score_sentence(w, s, z, &sum);
        tokens += s->n;
    }
    sum.best /= (double)tokens;
    sum.chain /= (double)tokens;
    sum.single /= (double)tokens;
    *truth = sum;
}

/* --- all of it ----------------------------------------------------------- */

basin_status bs_make_tag(const bs_make_tag_options *o, bs_buf *out, bs_make_tag_truth *truth,
                         basin_error *err)
{
    if (o->tags % 2)
        return bs_fail(err, BASIN_EARG, "make: tags: '%d' is not an even number", o->tags);
    world w = {.o = o, .kinds = (o->tags - MODES) / SIDES, .tags = o->tags};
    w.states = MODES * w.tags;
    w.groups = MODES + 3 * w.kinds;
    size_t   n = (size_t)o->length * 2 + 1, S = (size_t)w.states, T = (size_t)w.tags;
    bs_arena room = {0};
    int64_t  tokens = 0;
    scores   z = {0};
    sentence s = {.tag = bs_arena_alloc(&room, n * sizeof *s.tag),
                  .group = bs_arena_alloc(&room, n * sizeof *s.group)};
    w.step = bs_arena_alloc(&room, S * S * sizeof *w.step);
    w.chain = bs_arena_alloc(&room, (T + 1) * T * sizeof *w.chain);
    const bool ok =
        s.tag && s.group && w.step && w.chain && (!truth || start_scores(&w, &z, &room));
    if (ok) {
        make_steps(&w);
        if (truth)
            measure(&w, &s, &z, truth);
        for (int i = 0; i < o->rows && !out->failed; i++) {
            bs_rng rng = bs_rng_make((uint64_t)o->seed, (uint64_t)i, 5);
            draw_sentence(&w, &rng, &s);
            put_sentence(&w, &s, &rng, out);
            tokens += s.n;
        }
    }
    if (truth)
        truth->tokens = tokens;
    bs_arena_free(&room);
    return ok && !out->failed ? BASIN_OK : bs_fail_nomem(err);
}

void bs_make_tag_describe(const bs_make_tag_options *o, const bs_make_tag_truth *t,
                          const char *path, bs_buf *table, bs_buf *json)
{
    bs_buf_printf(table,
                  "%s: %d sentences, %lld tokens, %d tags\n"
                  "best possible token accuracy %.2f; by a chain of tags %.2f; word by word %.2f\n",
                  path, o->rows, (long long)t->tokens, o->tags, 100 * t->best, 100 * t->chain,
                  100 * t->single);
    bs_json_open(json, NULL, '{');
    bs_json_members(json,
                    "file %s sentences %d tokens %lld tags %d best_token_accuracy %.6f "
                    "chain_token_accuracy %.6f word_token_accuracy %.6f",
                    path, o->rows, (long long)t->tokens, o->tags, t->best, t->chain, t->single);
    bs_json_close(json, '}');
}
