/* test_text_rules.c -- rules files: what is read and refused, marginals against enumeration. */
#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "text_helper.h"

#include "fuzz/fuzz_rules.h"
#include "replay.h"
#include "data/text/rules.h"
#include "data/text/rules_part.h"

static basin_status read_bytes(const char *bytes, size_t n, bs_rules **out, basin_error *err)
{
    bs_input    *in;
    basin_status s = bs_input_memory("f.rules", bytes, n, &in, err);
    *out = NULL;
    if (s)
        return s;
    s = bs_rules_read_input(in, out, err);
    bs_input_close(in);
    return s;
}

static bs_rules *rules_text(const char *text)
{
    bs_rules   *r;
    basin_error err = {0};
    if (read_bytes(text, strlen(text), &r, &err))
        fail_msg("%s", err.msg);
    return r;
}

/* --- reading ------------------------------------------------------------- */

static void files_are_read(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf# a comment\r\n"
                               "\n"
                               "tags A B # more\n"
                               "tags A C,D\r\n"
                               "word 1.5 A,B word=^[0-9]{1,4}$ !prev~^in$ shape=Title,UPPER first\n"
                               "  word\t-2 , word=[,#]   # a comma is a tag\n"
                               "stay 1\n"
                               "stay 1 A B\n"
                               "change-after 2 [.,;]$ A\n"
                               "follow 1 A,B C\n"
                               "order 3 A B,C D\n"
                               "start 1 A\n"
                               "end 1 B C\n"
                               "word 1 A last from=0.25 to=1 before=a after=\\{b";
    bs_rules         *r = rules_text(text), *other = rules_text("stay 1\n");
    assert_int_equal(bs_rules_count(r), 10);
    assert_int_equal(bs_rules_tags(r)->n, 3);
    assert_string_equal(bs_rules_tags(r)->item[2].text, "C,D");
    assert_true(bs_rules_hash(r) != bs_rules_hash(other));
    bs_rules_free(r);
    bs_rules_free(other);
    bs_rules_free(NULL);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
#define ROW(text, message)             \
    {                                  \
        text, sizeof text - 1, message \
    }
    static const struct {
        const char *text;
        size_t      len;
        const char *message;
    } rows[] = {
        ROW("", "f.rules: no rules in it"),
        ROW("tags A\n", "f.rules: no rules in it"),
        ROW("tags\n", "f.rules:1: no tags after 'tags'"),
        ROW("\nwrod 1 A first\n", "f.rules:2: no statement is called 'wrod'; did you mean 'word'?"),
        ROW("A 1 first\n",
            "f.rules:1: no statement is called 'A'; there are word, stay, change-after, follow, "
            "order, start, end, tags"),
        ROW("word\n", "f.rules:1: expected word WEIGHT TAG[,TAG...] TEST..."),
        ROW("word 1\n", "f.rules:1: expected word WEIGHT TAG[,TAG...] TEST..."),
        ROW("word A first\n", "f.rules:1: 'A' is not a weight from -1000 to 1000; expected word "
                              "WEIGHT TAG[,TAG...] TEST..."),
        ROW("stay 1001\n", "f.rules:1: '1001' is not a weight from -1000 to 1000; expected stay "
                           "WEIGHT [TAG...]"),
        ROW("stay nan\n", "f.rules:1: 'nan' is not a weight from -1000 to 1000; expected stay "
                          "WEIGHT [TAG...]"),
        ROW("word 1 A\n",
            "f.rules:1: a rule without a test; expected word WEIGHT TAG[,TAG...] TEST..."),
        ROW("word 1 A B\n",
            "f.rules:1: no test is called 'B'; there are word, prev, next, before, after, shape, "
            "first, last, from, to"),
        ROW("word 1 A wordd=x\n", "f.rules:1: no test is called 'wordd'; did you mean 'word'?"),
        ROW("word 1 A !word\n", "f.rules:1: 'word' needs a value: word=REGEX"),
        ROW("word 1 A shape\n", "f.rules:1: 'shape' needs a value: shape=CASE"),
        ROW("word 1 A to\n", "f.rules:1: 'to' needs a value: to=SHARE"),
        ROW("word 1 A first=2\n", "f.rules:1: 'first' is a complete test; it takes no value"),
        ROW("word 1 A from~1\n", "f.rules:1: 'from~': only regular expressions ignore case; use ="),
        ROW("word 1 A from=1.5\n", "f.rules:1: from=1.5: not a number from 0 to 1"),
        ROW("word 1 A shape=Title,uper\n",
            "f.rules:1: no shape is called 'uper'; did you mean 'UPPER'?"),
        ROW("word 1 A shape=foo\n",
            "f.rules:1: no shape is called 'foo'; there are lower, Title, UPPER, mixed, initial, "
            "alnum, digits, number, punctuation, mention, hashtag, link, other"),
        ROW("word 1 A word=\n",
            "f.rules:1: an empty regular expression; it would match every word"),
        ROW("word 1 A word=(a\n",
            "f.rules:1: '(a' is not a regular expression: missing closing parenthesis"),
        ROW("word 1 A word=a{9999999999999999999}\n",
            "f.rules:1: 'a{9999999999999999999}' is not a regular expression: number too big in {} "
            "quantifier"),
        ROW("change-after 1\n", "f.rules:1: expected change-after WEIGHT REGEX [TAG...]"),
        ROW("follow 1 A\n", "f.rules:1: expected follow WEIGHT TAG[,TAG...] TAG[,TAG...]"),
        ROW("follow 1 A B C\n",
            "f.rules:1: 'C' is too much; expected follow WEIGHT TAG[,TAG...] TAG[,TAG...]"),
        ROW("order 1 A\n", "f.rules:1: expected order WEIGHT TAG TAG..."),
        ROW("start 1\n", "f.rules:1: expected start WEIGHT TAG..."),
        ROW("end 1\n", "f.rules:1: expected end WEIGHT TAG..."),
        ROW("start 1 \xff\n", "f.rules:1: '\\xff' is not a tag: UTF-8 of 1 to 512 bytes"),
        ROW("stay 1 a\0b\n", "f.rules:1: a NUL byte in a text file"),
    };
#undef ROW
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bs_rules   *r;
        basin_error err = {0};
        assert_int_equal(read_bytes(rows[i].text, rows[i].len, &r, &err), BASIN_EDATA);
        assert_string_equal(err.msg, rows[i].message);
        assert_null(r);
    }
}

/* "": fine; or the beginning of why it is refused. */
static void expressions_are_bounded(void **state)
{
    (void)state;
    const struct {
        const char *text, *why;
    } rows[] = {
        {"^[0-9]+(-[0-9]+)*$", ""},
        {"(^|[^a-z])univ(ersity)?($|[^a-z])", ""},
        {"[[:alpha:]]{3}", ""},
        {"(((((((((a+)+)+)+)+)+)+)+)+)+", ""},
        {"((a{1000}){1000}){1000}", "regular expression is too large"},
        {"((((a{1,99}){1,99}){1,99}){1,99}){1,99}", "regular expression is too large"},
        {"a{99999}", "number too big in {} quantifier"},
        {"a)", "unmatched closing parenthesis"},
        {"[a", "missing terminating ] for character class"},
        {"\\C", "using \\C is disabled by the application"},
        {"\xff", "UTF-8 error"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bs_regex          *r;
        char               why[BS_REGEX_WHY] = "";
        const basin_status s = bs_regex_new(rows[i].text, false, &r, why);
        CHECK(strncmp(why, rows[i].why, strlen(rows[i].why)) == 0, "%s: %s", rows[i].text, why);
        assert_int_equal(s, *rows[i].why ? BASIN_EDATA : BASIN_OK);
        bs_regex_free(r);
    }
}

static void searches_are_bounded(void **state)
{
    (void)state;
    static const char *const bad[] = {"(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)*(.*)*(.*)*x"};
    char                     word[256], why[BS_REGEX_WHY];
    memset(word, 'a', sizeof word);
    word[sizeof word - 1] = '-';
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bs_regex *r;
        uint8_t   found;
        assert_int_equal(bs_regex_new(bad[i], false, &r, why), BASIN_OK);
        const basin_status s = bs_regex_find(r, word, sizeof word, &found);
        CHECK(s == BASIN_EDATA || (s == BASIN_OK && !found), "%s: %d", bad[i], (int)s);
        assert_int_equal(bs_regex_find(r, "x-", 2, &found), BASIN_OK);
        bs_regex_free(r);
    }
}

/* A search is by characters, and case is that of all letters. */
static void searches_know_letters(void **state)
{
    (void)state;
    const struct {
        const char *text, *word;
        bool        any_case, found;
    } rows[] = {
        {"^...$", "\xc3\xa4\xc3\xb6\xc3\xbc", false, true},
        {"\xc3\x84", "\xc3\xa4", false, false},
        {"\xc3\x84", "\xc3\xa4", true, true},
        {"b",
         "a\xff"
         "b",
         false, true},
        {"^(.)\\1$", "aa", false, true},
        {"^a(?!b)", "ab", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bs_regex *r;
        uint8_t   found;
        char      why[BS_REGEX_WHY];
        assert_int_equal(bs_regex_new(rows[i].text, rows[i].any_case, &r, why), BASIN_OK);
        assert_int_equal(bs_regex_find(r, rows[i].word, strlen(rows[i].word), &found), BASIN_OK);
        CHECK(found == rows[i].found, "%s in %s", rows[i].text, rows[i].word);
        bs_regex_free(r);
    }
}

/* ---- expressions made at random ---- */

typedef struct {
    uint64_t state;
    char     text[2 * BS_RULES_REGEX];
    size_t   n;
} maker;

static uint32_t below(maker *m, uint32_t limit)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->state >> 33) % limit;
}

static void put(maker *m, const char *text)
{
    size_t n = strlen(text);
    if (m->n + n < sizeof m->text) {
        memcpy(m->text + m->n, text, n + 1);
        m->n += n;
    }
}

/* Alternatives of a few atoms, some of them repeated, with groups up to this depth. */
static void make_expression(maker *m, int depth)
{
    static const char *const atoms[] = {"a", "b", "c", "d", ".", "[ab]", "^", "$"};
    static const char *const repeated[] = {"*", "+", "?"};
    for (uint32_t branch = 0, branches = 1 + below(m, 4); branch < branches; branch++) {
        put(m, branch ? "|" : "");
        for (uint32_t i = 0, n = 1 + below(m, depth > 1 ? 8 : 3); i < n; i++) {
            char bounds[24];
            if (depth > 0 && below(m, 5) < 2) {
                put(m, "(");
                make_expression(m, depth - 1);
                put(m, ")");
            } else
                put(m, atoms[below(m, 8)]);
            const uint32_t how = below(m, 10);
            snprintf(bounds, sizeof bounds, "{%u,%u}", below(m, 3), 3 + below(m, 60));
            put(m, how < 3 ? repeated[how] : how == 3 ? bounds : "");
        }
    }
}

/* No expression may hang or take all memory, when it is compiled or searched for. SOAK=1 tries two
 * hundred times as many. */
static void accepted_expressions_are_compiled(void **state)
{
    (void)state;
    static const char word[] = "aaaabbbbccccddddabcdabcdabcdabcdx";
    const int         tries = getenv("SOAK") ? 4000000 : 20000;
    maker             m = {.state = 1};
    int               accepted = 0;
    for (int i = 0; i < tries; i++) {
        m.n = 0;
        make_expression(&m, (int)below(&m, 5));
        char         once[BS_RULES_REGEX + 1];
        const size_t n = m.n;
        for (uint32_t again = below(&m, 12); again && m.n + n <= BS_RULES_REGEX; again--) {
            memcpy(once, m.text, n);
            once[n] = '\0';
            put(&m, once);
        }
        bs_regex *regex;
        char      why[BS_REGEX_WHY];
        uint8_t   found;
        if (m.n > BS_RULES_REGEX || bs_regex_new(m.text, false, &regex, why))
            continue;
        (void)bs_regex_find(regex, word, strlen(word), &found);
        bs_regex_free(regex);
        accepted++;
    }
    assert_true(accepted > tries / 20);
}

static void limits_hold(void **state)
{
    (void)state;
    const size_t room = 1 << 20;
    char        *text = malloc(room);
    basin_error  err = {0};
    bs_rules    *r;
    size_t       at = 0;
    for (int i = 0; i <= BS_RULES_MOST; i++)
        at += (size_t)snprintf(text + at, room - at, "stay 1\n");
    assert_int_equal(read_bytes(text, at, &r, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "f.rules:4097: more than 4096 rules");
    at = (size_t)snprintf(text, room, "word 1 A word=");
    memset(text + at, 'a', BS_RULES_REGEX + 1);
    assert_int_equal(read_bytes(text, at + BS_RULES_REGEX + 1, &r, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "f.rules:1: a regular expression of more than 1024 bytes");
    assert_int_equal(read_bytes(text, at + BS_RULES_REGEX, &r, &err), BASIN_OK);
    bs_rules_free(r);
    memset(text, 'a', BS_RULES_LINE + 1);
    assert_int_equal(read_bytes(text, BS_RULES_LINE + 1, &r, &err), BASIN_EDATA);
    free(text);
}

/* --- marginals ----------------------------------------------------------- */

enum { MOST_TAGS = 16, MOST_TOKENS = 64 };

typedef struct {
    bs_arena arena;
    bs_names names;
} tag_names;

static void tags_make(tag_names *t, const char *const *text, int n)
{
    bs_arena_init(&t->arena, 0);
    bs_names_init(&t->names, &t->arena);
    for (int i = 0; i < n; i++) {
        bool fresh;
        assert_int_equal(bs_names_add(&t->names, text[i], strlen(text[i]), &fresh), i);
    }
}

static void tags_free(tag_names *t)
{
    bs_names_free(&t->names);
    bs_arena_free(&t->arena);
}

/* Marginals by the sum over all sequences of a reward that is written out by hand. */
typedef double (*reward)(const char *const *word, const int *y, int T);

static void enumerate(const char *const *word, int T, int N, reward r, double temperature,
                      double *q)
{
    int    y[8] = {0};
    double z = 0;
    memset(q, 0, (size_t)(T * N) * sizeof *q);
    for (;;) {
        double p = exp(r(word, y, T) / temperature);
        int    t = 0;
        z += p;
        for (int i = 0; i < T; i++)
            q[i * N + y[i]] += p;
        while (t < T && ++y[t] == N)
            y[t++] = 0;
        if (t == T)
            break;
    }
    for (int i = 0; i < T * N; i++)
        q[i] /= z;
}

static void compare_marginals(const char *rules, const char *const *tags, int N, bs_scheme scheme,
                              reward by_hand)
{
    static const char *const sentences[] = {"Smith , J.", "In", "a Cat , 1999 .", "x y Z"};
    char                     text[256] = "";
    tag_names                names;
    bs_rules                *r = rules_text(rules);
    for (int s = 0; s < 4; s++)
        for (const char *p = sentences[s]; *p; p += strcspn(p, " "), p += *p == ' ')
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s\n%s",
                     (int)strcspn(p, " "), p, p[strcspn(p, " ")] ? "" : "\n");
    bs_corpus *c = corpus_text(text, "format=conll tag_column=none free", NULL);
    assert_int_equal(c->sentences, 4);
    tags_make(&names, tags, N);
    for (int k = 0; k < 3; k++) {
        const double temperature = k == 0 ? 1 : k == 1 ? 0.3 : 4;
        bs_rules_how how = {&names.names, scheme, temperature};
        basin_error  err = {0};
        float        q[MOST_TOKENS * MOST_TAGS];
        if (bs_rules_apply(r, c, &how, q, NULL, &err))
            fail_msg("%s", err.msg);
        for (int32_t s = 0; s < c->sentences; s++) {
            const int32_t first = c->start[s], T = c->start[s + 1] - first;
            const char   *word[8];
            double        want[8 * MOST_TAGS];
            for (int32_t t = 0; t < T; t++)
                word[t] = c->words.item[c->word[first + t]].text;
            enumerate(word, T, N, by_hand, temperature, want);
            for (int i = 0; i < T * N; i++)
                assert_true(fabs((double)q[first * N + i] - want[i]) < 2e-6);
        }
    }
    tags_free(&names);
    bs_corpus_free(c);
    bs_rules_free(r);
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool upper(const char *w)
{
    return *w >= 'A' && *w <= 'Z';
}

static double raw_reward(const char *const *w, const int *y, int T)
{
    enum { A, B, C };
    double r = 0;
    bool   comma = false;
    for (int t = 0; t < T; t++) {
        r += upper(w[t]) && (y[t] == A || y[t] == B) ? 1.5 : 0;
        r += y[t] == C && strchr("0123456789", w[t][0]) && t > 0 && is(w[t - 1], ",") ? 2 : 0;
        r += y[t] == B && !(t + 1 < T && is(w[t + 1], ",")) ? -0.5 : 0;
        r += y[t] == C && comma ? 0.7 : 0;
        r += y[t] == A && t == 0 ? 0.3 : 0;
        r += y[t] == C && (t + 0.5) / T >= 0.6 ? 0.4 : 0;
        comma |= is(w[t], ",");
        if (t == 0)
            continue;
        r += y[t] == y[t - 1] ? 0.8 : 0;
        r += y[t] == y[t - 1] && y[t] == B ? 0.2 : 0;
        r += y[t] != y[t - 1] && is(w[t - 1], ",") && y[t - 1] == A ? 1.1 : 0;
        r += y[t] != y[t - 1] && is(w[t - 1], ",") ? 0.1 : 0;
        r += y[t] == C && (y[t - 1] == A || y[t - 1] == B) ? 0.6 : 0;
        r -= y[t] < y[t - 1] ? 0.9 : 0; /* A before B before C */
    }
    return r + (y[0] == A ? 0.25 : 0) + (y[T - 1] != A ? 0.35 : 0);
}

static void marginals_are_those_of_all_sequences(void **state)
{
    (void)state;
    static const char *const tags[] = {"A", "B", "C"};
    compare_marginals("word 1.5 A,B word=^[A-Z]\n"
                      "word 2 C word=^[0-9] prev=^,$\n"
                      "word -0.5 B !next=^,$\n"
                      "word 0.7 C before=,\n"
                      "word 0.3 A first\n"
                      "word 0.4 C from=0.6\n"
                      "stay 0.8\n"
                      "stay 0.2 B\n"
                      "change-after 1.1 ^,$ A\n"
                      "change-after 0.1 ^,$\n"
                      "follow 0.6 A,B C\n"
                      "order 0.9 A B C\n"
                      "start 0.25 A\n"
                      "end 0.35 B C\n",
                      tags, 3, BS_SCHEME_RAW, raw_reward);
}

/* A chain without rules about neighbours; every test once more. */
static double tests_reward(const char *const *w, const int *y, int T)
{
    double r = 0;
    for (int t = 0; t < T; t++) {
        bool number_later = false;
        for (int k = t + 1; k < T; k++)
            number_later |= is(w[k], "1999");
        r += y[t] == 0 && number_later ? 1 : 0;
        r += y[t] == 1 && t == T - 1 ? 0.5 : 0;
        r += y[t] == 1 && (is(w[t], "Cat") || is(w[t], "In") || is(w[t], "Smith")) ? 0.25 : 0;
        r += y[t] == 0 && (is(w[t], "Z") || is(w[t], "x")) ? 2 : 0;
        r += y[t] == 0 && (t + 0.5) / T <= 0.25 ? 0.125 : 0;
        r += y[t] == 1 && t > 0 ? 0.75 : 0;
    }
    return r;
}

static void tests_mean_what_they_say(void **state)
{
    (void)state;
    static const char *const tags[] = {"N", "Y"};
    compare_marginals("word 1 N after=^1999$\nword 0.5 Y last\nword 0.25 Y shape=Title\n"
                      "word 2 N word~^[XZ]$\nword 0.125 N to=0.25\nword 0.75 Y !first\n",
                      tags, 2, BS_SCHEME_RAW, tests_reward);
}

/* O B-X I-X B-Y I-Y; I only behind B or I of its own type. */
static double span_reward(const char *const *w, const int *y, int T)
{
    double r = 0;
    for (int t = 0; t < T; t++) {
        const bool inside = y[t] == 2 || y[t] == 4;
        if (inside && (t == 0 || (y[t - 1] != y[t] && y[t - 1] != y[t] - 1)))
            return -INFINITY;
        r += (y[t] == 1 || y[t] == 2) && upper(w[t]) ? 1 : 0;
        r += y[t] == 3 && is(w[t], ",") ? 0.5 : 0;
        if (t == 0)
            continue;
        bool same = inside || (y[t] == 0 && y[t - 1] == 0);
        r += same ? 0.7 : 0;
        r += !same && is(w[t - 1], ",") ? 0.9 : 0;
        r += !same && (y[t - 1] == 1 || y[t - 1] == 2) && (y[t] == 3 || y[t] == 4) ? 0.4 : 0;
    }
    return r;
}

static void spans_are_well_formed(void **state)
{
    (void)state;
    static const char *const tags[] = {"O", "B-X", "I-X", "B-Y", "I-Y"};
    compare_marginals("word 1 X word=^[A-Z]\nword 0.5 B-Y word=^,$\nstay 0.7\n"
                      "change-after 0.9 ^,$\nfollow 0.4 X Y\n",
                      tags, 5, BS_SCHEME_IOB2, span_reward);
}

static void large_rewards_are_exact(void **state)
{
    (void)state;
    static const char *const tags[] = {"A", "B"};
    char                     text[4000] = "";
    tag_names                names;
    bs_rules    *r = rules_text("word 1000 A word=^a$\nword 1000 B word=^b$\nstay 1000\n");
    bs_rules_how how = {&names.names, BS_SCHEME_RAW, 0.01};
    basin_error  err = {0};
    float        q[2000];
    for (int i = 0; i < 900; i++)
        strcat(text, i < 450 ? "a\n" : "b\n");
    bs_corpus *c = corpus_text(text, "format=conll tag_column=none free", NULL);
    tags_make(&names, tags, 2);
    assert_int_equal(bs_rules_apply(r, c, &how, q, NULL, &err), BASIN_OK);
    for (int i = 0; i < 900; i++)
        assert_true(q[2 * i] == (i < 450 ? 1 : 0) && q[2 * i + 1] == (i < 450 ? 0 : 1));
    tags_free(&names);
    bs_corpus_free(c);
    bs_rules_free(r);
}

/* --- tags and reports ---------------------------------------------------- */

static void long_searches_are_an_error(void **state)
{
    (void)state;
    static const char *const tags[] = {"A", "B"};
    static const char *const rules[] = {"start 1 A\nword 1 A word=^(a+)+$\n",
                                        "start 1 A\nchange-after 1 ^(a+)+$\n"};
    bs_corpus               *c =
        corpus_text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-\n",
                    "format=conll tag_column=none free", NULL);
    tag_names   names;
    float       q[2];
    basin_error err = {0};
    tags_make(&names, tags, 2);
    bs_rules_how how = {&names.names, BS_SCHEME_RAW, 1};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        bs_rules *r = rules_text(rules[i]);
        assert_int_equal(bs_rules_apply(r, c, &how, q, NULL, &err), BASIN_EDATA);
        assert_non_null(
            strstr(err.msg, "f.rules:2: '^(a+)+$' takes too long to match the word 'aaaa"));
        bs_rules_free(r);
    }
    tags_free(&names);
    bs_corpus_free(c);
}

static void tags_that_are_not_there(void **state)
{
    (void)state;
    static const char *const raw[] = {"author", "title"}, *const spans[] = {"O", "B-PER", "I-PER"};
    static const struct {
        const char *text;
        bool        spans;
        const char *message;
    } rows[] = {
        {"stay 1\nword 1 autor first\n", false,
         "f.rules:2: no tag is called 'autor'; did you mean 'author'?"},
        {"start 1 pages\n", false,
         "f.rules:1: no tag is called 'pages'; a line 'tags pages' adds it"},
        {"word 1 PERS first\n", true, "f.rules:1: no tag is called 'PERS'; did you mean 'PER'?"},
        {"word 1 PER first\n", true, NULL},
    };
    bs_corpus *c = corpus_text("a\nb\n", "format=conll tag_column=none free", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tag_names   names;
        float       q[8];
        basin_error err = {0};
        bs_rules   *r = rules_text(rows[i].text);
        tags_make(&names, rows[i].spans ? spans : raw, rows[i].spans ? 3 : 2);
        bs_rules_how how = {&names.names, rows[i].spans ? BS_SCHEME_IOB2 : BS_SCHEME_RAW, 1};
        assert_int_equal(bs_rules_apply(r, c, &how, q, NULL, &err),
                         rows[i].message ? BASIN_EDATA : BASIN_OK);
        if (rows[i].message)
            assert_string_equal(err.msg, rows[i].message);
        bs_rules_free(r);
        tags_free(&names);
    }
    bs_corpus_free(c);
}

static void reports_count(void **state)
{
    (void)state;
    bs_rules       *r = rules_text("word 2 B word=^b\nword 1 A word=^a\n");
    bs_corpus      *c = corpus_text("a1 A\nb1 B\nb2 A\nc B\n\n", "format=conll", NULL);
    bs_rules_how    how = {&c->tags, BS_SCHEME_RAW, 1};
    bs_rules_report report;
    basin_error     err = {0};
    const double    p = 1 / (1 + exp(-1)), s = 1 / (1 + exp(-2));
    const double    one = -p * log(p) - (1 - p) * log(1 - p);
    const double    two = -s * log(s) - (1 - s) * log(1 - s);
    assert_int_equal(bs_rules_judge(r, c, &how, 0, NULL, &report, &err), BASIN_OK);
    assert_int_equal(report.tokens, 4);
    assert_int_equal(report.covered, 3);
    assert_int_equal(report.labelled, 4);
    assert_int_equal(report.right, 2); /* c has no rule: the first tag, A */
    assert_true(fabs(report.entropy - (one + 2 * two + log(2)) / 4) < 1e-6);
    bs_corpus_free(c);
    bs_rules_free(r);
}

/* --- memory -------------------------------------------------------------- */

static void memory_runs_out(void **state)
{
    (void)state;
    static const char text[] = "tags A B C D E\nword 1 A,B word=^a shape=lower before=b\n"
                               "stay 1 A\nchange-after 1 , B\norder 1 A B\nfollow 1 A B\nend 1 C\n";
    bs_corpus        *c = corpus_text("a A\nb B\n\n, A\na B\n", "format=conll", NULL);
    basin_status      s = BASIN_ENOMEM;
    bs_rules         *whole = rules_text(text);
    bs_rules_how      how = {bs_rules_tags(whole), BS_SCHEME_RAW, 1};
    for (long n = 1; s; n++) {
        bs_rules       *r;
        bs_rules_report report;
        basin_error     err = {0};
        long            live = bs_mem_live();
        bs_mem_fail_at(n);
        s = read_bytes(text, sizeof text - 1, &r, &err);
        if (!s)
            s = bs_rules_judge(r, c, &how, 0, NULL, &report, &err);
        bs_mem_fail_at(0);
        assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
        assert_true(n < 200);
        bs_rules_free(r);
        assert_int_equal(bs_mem_live(), live);
    }
    bs_rules_free(whole);
    bs_corpus_free(c);
}

static void corpus(void **state)
{
    (void)state;
    replay_corpus("rules", fuzz_rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(expressions_are_bounded),
        cmocka_unit_test(searches_are_bounded),
        cmocka_unit_test(searches_know_letters),
        cmocka_unit_test(long_searches_are_an_error),
        cmocka_unit_test(accepted_expressions_are_compiled),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(marginals_are_those_of_all_sequences),
        cmocka_unit_test(tests_mean_what_they_say),
        cmocka_unit_test(spans_are_well_formed),
        cmocka_unit_test(large_rewards_are_exact),
        cmocka_unit_test(tags_that_are_not_there),
        cmocka_unit_test(reports_count),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
