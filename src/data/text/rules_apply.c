/* rules_apply.c -- from rules and words to marginals of tags; see rules.h.
 *
 * Rules are applied one after the other, and a regular expression is tried once per distinct word.
 * Then every sentence is a chain, computed with logarithms: rewards may be of any size, and
 * ill-formed sequences have a reward of minus infinity. */
#include <math.h>
#include <string.h>

#include "base/find.h"
#include "data/scan.h"
#include "data/text/rules_part.h"

typedef struct {
    const bs_rules     *r;
    const bs_corpus    *c;
    const bs_rules_how *how;
    basin_error        *err;
    int32_t             N;
    bs_tagset           set;
    bs_arena            room; /* of the arrays below */

    float   *unary;          /* [tokens, N]; finally the result */
    float   *leave;          /* [tokens, N], for fields ending here; NULL: no such rules */
    double  *pair;           /* [N, N], for neighbours */
    double  *begin, *finish; /* [N] */
    uint8_t *same;           /* [N, N], 1: two tags of one field */
    uint8_t *covered;        /* [tokens] or NULL */

    uint8_t *named;  /* [N], tags of the current rule */
    uint8_t *word;   /* [words], 1: matches the current test */
    uint8_t *holds;  /* [tokens] */
    double  *alpha;  /* [longest, N] */
    double  *beta;   /* [2, N] */
    double  *scores; /* [N] */
} applying;

/* --- tags ---------------------------------------------------------------- */

static bool one_field(const applying *a, int32_t x, int32_t y)
{
    const bs_tag before = a->set.tag[x], now = a->set.tag[y];
    if (a->how->scheme == BS_SCHEME_RAW)
        return x == y;
    if (before.type != now.type)
        return false;
    return now.type < 0 ||
           ((before.part == 'B' || before.part == 'I') && (now.part == 'I' || now.part == 'E'));
}

static basin_status unknown_tag(const applying *a, const bs_rule *rule, const char *name)
{
    const bs_names *sets[] = {a->how->tags, &a->set.types};
    bs_near         near = bs_near_to(name);
    char            hint[BS_NEAR_HINT];
    for (int k = 0; k < 2 && !near.best; k++)
        for (int32_t i = 0; i < sets[k]->n; i++)
            bs_near_try(&near, sets[k]->item[i].text);
    bs_near_hint(&near, hint);
    return bs_fail(a->err, BASIN_EDATA, "%s:%ld: no tag is called '%.40s'%s%s%s", a->r->name,
                   rule->line, name, *hint ? hint : "; a line 'tags ", *hint ? "" : name,
                   *hint ? "" : "' adds it");
}

/* Marks the tags at one place of a rule (-1: at any place). */
static basin_status name_tags(applying *a, const bs_rule *rule, int place)
{
    memset(a->named, 0, (size_t)a->N);
    for (size_t i = rule->tag; i < rule->tag + rule->tags; i++) {
        const char *name = a->r->tag[i].name;
        if (place >= 0 && a->r->tag[i].place != place)
            continue;
        int32_t tag = bs_names_find(a->how->tags, name, strlen(name));
        int32_t type = tag < 0 ? bs_names_find(&a->set.types, name, strlen(name)) : -1;
        if (tag < 0 && type < 0)
            return unknown_tag(a, rule, name);
        for (int32_t k = 0; k < a->N; k++)
            a->named[k] |= tag >= 0 ? k == tag : a->set.tag[k].type == type;
    }
    return BASIN_OK;
}

/* --- tests --------------------------------------------------------------- */

static basin_status match_words(applying *a, const bs_rule *rule, const bs_rule_test *t)
{
    basin_status s = BASIN_OK;
    for (int32_t i = 0; i < a->c->words.n && !s; i++) {
        const bs_name *w = &a->c->words.item[i];
        if (t->regex)
            s = bs_regex_find(t->regex, w->text, w->len, &a->word[i]);
        else
            a->word[i] = t->shapes >> bs_word_case(w->text, w->len) & 1;
        if (s == BASIN_EDATA)
            return bs_fail(a->err, s,
                           "%s:%ld: '%.*s' takes too long to match the word '%.*s'; write it "
                           "without repetitions of repetitions",
                           a->r->name, rule->line, bs_show(t->text, strlen(t->text)), t->text,
                           bs_show(w->text, w->len), w->text);
    }
    return s ? bs_fail_nomem(a->err) : BASIN_OK;
}

static bool matches(const applying *a, int32_t token, int32_t first, int32_t end)
{
    return token >= first && token < end && a->word[a->c->word[token]];
}

static bool passes(const applying *a, const bs_rule_test *t, int32_t token, int32_t first,
                   int32_t end)
{
    const double share = (token - first + 0.5) / (end - first);
    switch (t->kind) {
    case BS_TEST_PREV: return matches(a, token - 1, first, end);
    case BS_TEST_NEXT: return matches(a, token + 1, first, end);
    case BS_TEST_FIRST: return token == first;
    case BS_TEST_LAST: return token == end - 1;
    case BS_TEST_FROM: return share >= t->share;
    case BS_TEST_TO: return share <= t->share;
    default: return matches(a, token, first, end);
    }
}

static void check_sentence(applying *a, const bs_rule_test *t, int32_t first, int32_t end)
{
    bool seen = false;
    if (t->kind == BS_TEST_BEFORE) {
        for (int32_t i = first; i < end; seen |= matches(a, i, first, end), i++)
            a->holds[i] &= seen != t->negated;
    } else if (t->kind == BS_TEST_AFTER) {
        for (int32_t i = end - 1; i >= first; seen |= matches(a, i, first, end), i--)
            a->holds[i] &= seen != t->negated;
    } else {
        for (int32_t i = first; i < end; i++)
            a->holds[i] &= passes(a, t, i, first, end) != t->negated;
    }
}

static basin_status check_tests(applying *a, const bs_rule *rule)
{
    basin_status status = BASIN_OK;
    memset(a->holds, 1, (size_t)a->c->tokens);
    for (size_t k = rule->test; k < rule->test + rule->tests && !status; k++) {
        const bs_rule_test *t = &a->r->test[k];
        if (t->kind <= BS_TEST_SHAPE)
            status = match_words(a, rule, t);
        for (int32_t s = 0; s < a->c->sentences; s++)
            check_sentence(a, t, a->c->start[s], a->c->start[s + 1]);
    }
    return status;
}

/* --- rules --------------------------------------------------------------- */

/* Adds to every token where the rule holds, for every named tag; tags = false: for all tags. */
static void add_where_held(applying *a, const bs_rule *rule, bool tags, float *to)
{
    for (int32_t i = 0; i < a->c->tokens; i++)
        for (int32_t k = 0; k < a->N && a->holds[i]; k++)
            if (!tags || a->named[k])
                to[(size_t)i * (size_t)a->N + (size_t)k] += (float)rule->weight;
}

static void cover(applying *a, const bs_rule *rule)
{
    for (int32_t i = 0; i < a->c->tokens && a->covered && rule->weight != 0; i++)
        a->covered[i] |= a->holds[i];
}

/* Neighbours in one field, or a change from a tag of one place to one of another. */
static void add_stay(applying *a, const bs_rule *rule)
{
    for (int32_t x = 0; x < a->N; x++)
        for (int32_t y = 0; y < a->N; y++)
            if (a->same[x * a->N + y] && (rule->tags == 0 || a->named[y]))
                a->pair[x * a->N + y] += rule->weight;
}

static basin_status add_change(applying *a, const bs_rule *rule, int from, int to, double weight)
{
    basin_status s = name_tags(a, rule, to);
    memcpy(a->word, a->named, (size_t)a->N); /* `word` is unused outside of tests */
    if (!s)
        s = name_tags(a, rule, from);
    for (int32_t x = 0; x < a->N && !s; x++)
        for (int32_t y = 0; y < a->N; y++)
            if (a->named[x] && a->word[y] && !a->same[x * a->N + y])
                a->pair[x * a->N + y] += weight;
    return s;
}

static basin_status add_order(applying *a, const bs_rule *rule)
{
    const int    places = a->r->tag[rule->tag + rule->tags - 1].place + 1;
    basin_status s = BASIN_OK;
    for (int later = 1; later < places && !s; later++)
        for (int earlier = 0; earlier < later && !s; earlier++)
            s = add_change(a, rule, later, earlier, -rule->weight);
    return s;
}

static basin_status add_rule(applying *a, const bs_rule *rule)
{
    basin_status s = name_tags(a, rule, -1);
    if (s)
        return s;
    switch (rule->kind) {
    case BS_RULE_WORD:
        s = check_tests(a, rule);
        add_where_held(a, rule, true, a->unary);
        cover(a, rule);
        return s;
    case BS_RULE_CHANGE_AFTER:
        s = check_tests(a, rule);
        add_where_held(a, rule, rule->tags > 0, a->leave);
        return s;
    case BS_RULE_STAY: add_stay(a, rule); return BASIN_OK;
    case BS_RULE_FOLLOW: return add_change(a, rule, 0, 1, rule->weight);
    case BS_RULE_ORDER: return add_order(a, rule);
    case BS_RULE_START:
    case BS_RULE_END:
        for (int32_t k = 0; k < a->N; k++)
            (rule->kind == BS_RULE_START ? a->begin : a->finish)[k] +=
                a->named[k] ? rule->weight : 0;
        return BASIN_OK;
    }
    return BASIN_OK;
}

/* --- the chain ----------------------------------------------------------- */

static double log_sum_exp(const double *x, int32_t n)
{
    double most = -INFINITY, sum = 0;
    for (int32_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    if (most == -INFINITY)
        return most;
    for (int32_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    return most + log(sum);
}

/* p_t / temperature for the words t and t + 1. */
static double edge(const applying *a, int32_t token, int32_t x, int32_t y)
{
    double p = a->pair[x * a->N + y];
    if (a->leave && !a->same[x * a->N + y])
        p += (double)a->leave[(size_t)token * (size_t)a->N + (size_t)x];
    return p / a->how->temperature;
}

static double node(const applying *a, int32_t token, int32_t k)
{
    return (double)a->unary[(size_t)token * (size_t)a->N + (size_t)k] / a->how->temperature;
}

static void forward(applying *a, int32_t first, int32_t end)
{
    const int32_t N = a->N;
    for (int32_t k = 0; k < N; k++)
        a->alpha[k] = node(a, first, k) + a->begin[k] / a->how->temperature;
    for (int32_t i = first + 1; i < end; i++) {
        const double *before = a->alpha + (size_t)(i - 1 - first) * (size_t)N;
        double       *now = a->alpha + (size_t)(i - first) * (size_t)N;
        for (int32_t y = 0; y < N; y++) {
            for (int32_t x = 0; x < N; x++)
                a->scores[x] = before[x] + edge(a, i - 1, x, y);
            now[y] = node(a, i, y) + log_sum_exp(a->scores, N);
        }
    }
}

/* beta of the word after i, then of i; the rewards of i are needed until then. */
static void backward(applying *a, int32_t first, int32_t end, double log_z)
{
    const int32_t N = a->N;
    double       *behind = a->beta, *now = a->beta + N;
    for (int32_t k = 0; k < N; k++)
        now[k] = a->finish[k] / a->how->temperature;
    for (int32_t i = end - 1; i >= first; i--) {
        for (int32_t k = 0; k < N; k++)
            behind[k] = node(a, i, k) + now[k];
        for (int32_t k = 0; k < N; k++) {
            double log_q = a->alpha[(size_t)(i - first) * (size_t)N + (size_t)k] + now[k] - log_z;
            a->unary[(size_t)i * (size_t)N + (size_t)k] = (float)exp(log_q);
        }
        for (int32_t x = 0; x < N && i > first; x++) {
            for (int32_t y = 0; y < N; y++)
                a->scores[y] = edge(a, i - 1, x, y) + behind[y];
            now[x] = log_sum_exp(a->scores, N);
        }
    }
}

static basin_status solve(applying *a, int32_t sentence)
{
    const int32_t first = a->c->start[sentence], end = a->c->start[sentence + 1], N = a->N;
    if (first == end)
        return BASIN_OK;
    forward(a, first, end);
    for (int32_t k = 0; k < N; k++)
        a->scores[k] = a->alpha[(size_t)(end - 1 - first) * (size_t)N + (size_t)k] +
                       a->finish[k] / a->how->temperature;
    double log_z = log_sum_exp(a->scores, N);
    if (!isfinite(log_z))
        return bs_fail(a->err, BASIN_EDATA,
                       "%s: no sequence of %s tags is well-formed for sentence %d", a->r->name,
                       bs_scheme_name(a->how->scheme), (int)sentence + 1);
    backward(a, first, end, log_z);
    return BASIN_OK;
}

/* --- the whole ----------------------------------------------------------- */

/* Zeros; *ok = false when memory runs out. */
static void *array(applying *a, size_t n, size_t size, bool *ok)
{
    size_t bytes;
    void  *p = bs_mul_size(n + 1, size, &bytes) ? bs_arena_alloc(&a->room, bytes) : NULL;
    *ok = *ok && p;
    return p;
}

static basin_status make_room(applying *a)
{
    const size_t N = (size_t)a->N, tokens = (size_t)a->c->tokens, words = (size_t)a->c->words.n;
    bool         leaves = false, ok = true;
    for (size_t i = 0; i < a->r->rules; i++)
        leaves |= a->r->rule[i].kind == BS_RULE_CHANGE_AFTER;
    a->leave = leaves ? array(a, tokens * N, sizeof *a->leave, &ok) : NULL;
    a->pair = array(a, N * N, sizeof *a->pair, &ok);
    a->begin = array(a, N, sizeof *a->begin, &ok);
    a->finish = array(a, N, sizeof *a->finish, &ok);
    a->same = array(a, N * N, 1, &ok);
    a->named = array(a, N, 1, &ok);
    a->word = array(a, words > N ? words : N, 1, &ok);
    a->holds = array(a, tokens, 1, &ok);
    a->alpha = array(a, (size_t)bs_longest_sentence(a->c) * N, sizeof *a->alpha, &ok);
    a->beta = array(a, 2 * N, sizeof *a->beta, &ok);
    a->scores = array(a, N, sizeof *a->scores, &ok);
    return ok ? BASIN_OK : bs_fail_nomem(a->err);
}

/* No rule can outweigh an ill-formed sequence. */
static void shape_chain(applying *a)
{
    const int32_t N = a->N;
    for (int32_t x = 0; x < N; x++) {
        a->begin[x] = bs_tagset_follows(&a->set, -1, x) ? 0 : -INFINITY;
        a->finish[x] = bs_tagset_follows(&a->set, x, -1) ? 0 : -INFINITY;
        for (int32_t y = 0; y < N; y++) {
            a->same[x * N + y] = one_field(a, x, y);
            a->pair[x * N + y] = bs_tagset_follows(&a->set, x, y) ? 0 : -INFINITY;
        }
    }
}

basin_status bs_rules_apply(const bs_rules *r, const bs_corpus *c, const bs_rules_how *how,
                            float *q, uint8_t *covered, basin_error *err)
{
    applying a = {
        .r = r, .c = c, .how = how, .err = err, .N = how->tags->n, .unary = q, .covered = covered};
    memset(q, 0, (size_t)c->tokens * (size_t)a.N * sizeof *q);
    if (covered)
        memset(covered, 0, (size_t)c->tokens);
    if (a.N == 0)
        return bs_fail(err, BASIN_EARG, "%s: there are no tags", r->name);
    bs_arena_init(&a.room, 0);
    basin_status s = bs_tagset_make(how->tags, how->scheme, &a.set, err);
    if (!s)
        s = make_room(&a);
    if (!s)
        shape_chain(&a);
    for (size_t i = 0; i < r->rules && !s; i++)
        s = add_rule(&a, &r->rule[i]);
    for (int32_t i = 0; i < c->sentences && !s; i++)
        s = solve(&a, i);
    bs_arena_free(&a.room);
    bs_tagset_free(&a.set);
    return s;
}

/* --- the rules alone ----------------------------------------------------- */

static void judge_token(const bs_corpus *c, int32_t i, const bs_names *tags, const float *q,
                        bs_rules_report *out)
{
    const bs_name *gold = c->tag[i] >= 0 ? &c->tags.item[c->tag[i]] : NULL;
    int32_t        best = 0;
    for (int32_t k = 0; k < tags->n; k++) {
        best = q[k] > q[best] ? k : best;
        out->entropy -= q[k] > 0 ? (double)q[k] * log((double)q[k]) : 0;
    }
    out->labelled += gold != NULL;
    out->right += gold && strcmp(gold->text, tags->item[best].text) == 0;
}

basin_status bs_rules_judge(const bs_rules *r, const bs_corpus *c, const bs_rules_how *how,
                            int32_t first, float **soft, bs_rules_report *out, basin_error *err)
{
    const size_t N = (size_t)how->tags->n;
    float       *q = bs_calloc((size_t)c->tokens * N + 1, sizeof *q);
    uint8_t     *covered = bs_calloc((size_t)c->tokens + 1, 1);
    basin_status s = q && covered ? BASIN_OK : bs_fail_nomem(err);
    *out = (bs_rules_report){.tokens = c->tokens - first};
    if (!s)
        s = bs_rules_apply(r, c, how, q, covered, err);
    for (int32_t i = first; i < c->tokens && !s; i++) {
        out->covered += covered[i];
        judge_token(c, i, how->tags, q + (size_t)i * N, out);
    }
    out->entropy /= out->tokens > 0 ? (double)out->tokens : 1;
    if (soft && !s) {
        memmove(q, q + (size_t)first * N, (size_t)out->tokens * N * sizeof *q);
        *soft = q;
        q = NULL;
    }
    bs_free(q);
    bs_free(covered);
    return s;
}
