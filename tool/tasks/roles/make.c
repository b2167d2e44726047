/* make.c -- sentences of clauses, each of which has a predicate and its arguments.
 *
 * An argument is a head, perhaps behind a modifier: its words tell where it begins and ends.
 * Heads are of a core role, of a pair of roles (A0 and A1, A2 and A3, A4 and A5), or of
 * adjuncts. A clause has an argument of some pairs, and of these with probability `both` one for
 * each of the two roles. Its head tells the role with probability `clear`; else it is a head of
 * the pair. No core role occurs twice: so of two arguments of a pair, one that tells its role
 * also tells that of the other. Where neither does, the first has the lower role with
 * probability `first`.
 *
 * Arguments stand before and behind their predicate in any order, and clauses are divided by
 * commas: an argument of one predicate is none of another. */
#include "tasks/roles/make.h"

#include <stddef.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"

enum { PAIRS = 3, MOST_ARGUMENTS = 2 * PAIRS + 2, MOST_CLAUSES = 8, MOST_WORDS = 400 };

#define AT(field) offsetof(bs_make_roles_options, field)

const bs_option bs_make_roles_rows[] = {
    {"rows", BS_INT, AT(rows), "1500", "1", "10000000", NULL, "sentences to make", 0},
    {"words", BS_INT, AT(words), "12", "1", "100000", NULL, "words of each kind", 0},
    {"clauses", BS_INT, AT(clauses), "2", "1", "8", NULL,
     "most predicates of a sentence; it has from 1 on", 0},
    {"both", BS_FLOAT, AT(both), "0.7", "0", "1", NULL,
     "probability that a pair of roles has two arguments", 0},
    {"clear", BS_FLOAT, AT(clear), "0.6", "0", "1", NULL,
     "probability that an argument tells its role by itself", 0},
    {"first", BS_FLOAT, AT(first), "0.8", "0", "1", NULL,
     "probability that the first of two arguments has the lower role", 0},
    {"seed", BS_INT, AT(seed), "0", "0", "2000000000", NULL, "seed of the sentences", 0},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

typedef struct {
    int  role;  /* 0 .. 5, or 6: an adjunct */
    bool clear; /* of a pair: whether its word tells which role */
} argument;

typedef struct {
    char word[24], role[12];
    int  clause;
    bool predicate, begins, ends;
} token;

typedef struct {
    const bs_make_roles_options *o;
    bs_rng                       rng;
    token                        t[MOST_WORDS];
    int                          n, clauses;
} sentence;

/* ---- a clause ---- */

static void draw_pair(sentence *s, int pair, argument *list, int *n)
{
    const bs_make_roles_options *o = s->o;
    const bool                   both = bs_rng_bernoulli(&s->rng, o->both);
    const bool                   lower = bs_rng_bernoulli(&s->rng, both ? o->first : 0.5);
    for (int i = 0; i <= both; i++)
        list[(*n)++] =
            (argument){2 * pair + (lower ? i : 1 - i), bs_rng_bernoulli(&s->rng, o->clear)};
}

/* What can be known of the arguments of a pair: [from, to) of the list. */
static void judge_pair(const bs_make_roles_options *o, const argument *a, int n,
                       bs_make_roles_truth *sum, bool *twice)
{
    const double likely = o->first > 0.5 ? o->first : 1 - o->first;
    const int    clear = a[0].clear + (n > 1 && a[1].clear);
    sum->arguments += n;
    if (n == 1) {
        sum->best += clear ? 1 : 0.5;
        sum->single += clear ? 1 : 0.5;
        return;
    }
    sum->best += clear ? 2 : 2 * likely;
    if (clear == 2) {
        sum->single += 2;
        return;
    }
    /* a head of the pair alone: its place among both is known, not the role of the other */
    for (int i = 0; i < 2; i++)
        sum->single += a[i].clear ? 1 : 0.5;
    /* the lower role is taken for every such head */
    *twice = *twice || clear == 0 || (a[0].clear ? a[0].role : a[1].role) % 2 == 0;
}

static token *add_word(sentence *s, const char *kind, int number, int clause)
{
    token *t = &s->t[s->n++];
    *t = (token){.clause = clause};
    bs_print(t->word, sizeof t->word, "%s%d", kind, number);
    return t;
}

static int any_word(sentence *s)
{
    return (int)bs_rng_below(&s->rng, (uint32_t)s->o->words) + 1;
}

static void put_argument(sentence *s, const argument *a, int clause)
{
    static const char *const pair[] = {"agent-", "goal-", "place-"};
    static const char *const clear[] = {"doer-", "thing-", "giver-", "taker-", "from-", "to-"};
    char                     role[12] = "ARGM-TMP";
    if (a->role < 2 * PAIRS)
        bs_print(role, sizeof role, "ARG%d", a->role);
    const int first = s->n;
    if (bs_rng_bernoulli(&s->rng, 0.5))
        add_word(s, "some-", any_word(s), clause);
    add_word(s,
             a->role == 2 * PAIRS ? "when-"
             : a->clear           ? clear[a->role]
                                  : pair[a->role / 2],
             any_word(s), clause);
    for (int i = first; i < s->n; i++)
        bs_print(s->t[i].role, sizeof s->t[i].role, "%s", role);
    s->t[first].begins = true;
    s->t[s->n - 1].ends = true;
}

static void shuffle(bs_rng *rng, argument *list, int n)
{
    for (int i = n - 1; i > 0; i--) {
        const int      j = (int)bs_rng_below(rng, (uint32_t)i + 1);
        const argument a = list[i];
        list[i] = list[j];
        list[j] = a;
    }
}

/* Arguments in any order, but those of a pair in theirs. */
static void mix(bs_rng *rng, argument *list, int n)
{
    argument in[MOST_ARGUMENTS];
    for (int i = 0; i < n; i++)
        in[i] = list[i];
    shuffle(rng, list, n);
    for (int p = 0; p <= PAIRS; p++)
        for (int i = 0, next = 0; i < n; i++) {
            if (list[i].role / 2 != p)
                continue;
            while (in[next].role / 2 != p)
                next++;
            list[i] = in[next++];
        }
}

static void put_clause(sentence *s, int clause, bs_make_roles_truth *sum)
{
    argument list[MOST_ARGUMENTS];
    int      n = 0;
    bool     twice = false;
    for (int p = 0; p < PAIRS; p++)
        if (bs_rng_bernoulli(&s->rng, p == 0 ? 1 : 0.5)) {
            const int from = n;
            draw_pair(s, p, list, &n);
            judge_pair(s->o, list + from, n - from, sum, &twice);
        }
    if (bs_rng_bernoulli(&s->rng, 0.4)) {
        list[n++] = (argument){.role = 2 * PAIRS};
        sum->arguments++;
        sum->best++;
        sum->single++;
    }
    mix(&s->rng, list, n);
    const int at = (int)bs_rng_below(&s->rng, (uint32_t)n + 1);
    for (int i = 0; i <= n; i++) {
        if (i == at) {
            token *verb = add_word(s, "does-", any_word(s), clause);
            verb->predicate = verb->begins = verb->ends = true;
            bs_print(verb->role, sizeof verb->role, "V");
        }
        if (i < n)
            put_argument(s, &list[i], clause);
    }
    sum->predicates++;
    sum->twice += twice;
}

/* ---- sentences ---- */

static void put_sentence(const sentence *s, bs_buf *out)
{
    for (int i = 0; i < s->n; i++) {
        const token *t = &s->t[i];
        bs_buf_printf(out, "%s\t%s", t->word, t->predicate ? t->word : "-");
        for (int k = 0; k < s->clauses; k++) {
            const bool in = t->clause == k && *t->role;
            bs_buf_printf(out, "\t%s%s*%s", in && t->begins ? "(" : "",
                          in && t->begins ? t->role : "", in && t->ends ? ")" : "");
        }
        bs_buf_text(out, "\n");
    }
    bs_buf_text(out, "\n");
}

basin_status bs_make_roles(const bs_make_roles_options *o, bs_buf *out, bs_make_roles_truth *truth,
                           basin_error *err)
{
    sentence *s = bs_calloc(1, sizeof *s);
    *truth = (bs_make_roles_truth){0};
    if (!s)
        return bs_fail_nomem(err);
    for (int i = 0; i < o->rows && !out->failed; i++) {
        s->o = o;
        s->rng = bs_rng_make((uint64_t)o->seed, (uint64_t)i, 7);
        s->n = 0;
        s->clauses = 1 + (int)bs_rng_below(&s->rng, (uint32_t)o->clauses);
        for (int k = 0; k < s->clauses; k++) {
            if (k > 0)
                bs_print(add_word(s, "", 0, -1)->word, 2, ",");
            put_clause(s, k, truth);
        }
        put_sentence(s, out);
    }
    bs_free(s);
    truth->best /= (double)truth->arguments;
    truth->single /= (double)truth->arguments;
    truth->twice /= (double)truth->predicates;
    return out->failed ? bs_fail_nomem(err) : BASIN_OK;
}

void bs_make_roles_describe(const bs_make_roles_options *o, const bs_make_roles_truth *t,
                            const char *path, bs_buf *table, bs_buf *json)
{
    bs_buf_printf(
        table,
        "%s: %d sentences, %lld predicates, %lld arguments\n"
        "best possible argument F1 %.2f, each core role at most once; argument by argument "
        "%.2f, with a core role twice for %.2f %% of the predicates\n",
        path, o->rows, (long long)t->predicates, (long long)t->arguments, 100 * t->best,
        100 * t->single, 100 * t->twice);
    bs_json_open(json, NULL, '{');
    bs_json_members(json,
                    "file %s sentences %d predicates %lld arguments %lld best_argument_f1 %.6f "
                    "single_argument_f1 %.6f single_ucr %.6f",
                    path, o->rows, (long long)t->predicates, (long long)t->arguments, t->best,
                    t->single, t->twice);
    bs_json_close(json, '}');
}
