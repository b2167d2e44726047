/* test_text_roles.c -- semantic roles: formats, messages about broken files, how CoNLL-2005 counts,
 * and the generator. */
#include <math.h>

#include "text_helper.h"

#include "base/mem.h"
#include "data/text/role_metric.h"
#include "data/text/roles.h"
#include "data/text/roles_part.h"
#include "fuzz/fuzz_roles.h"
#include "replay.h"
#include "tasks/roles/make.h"

static basin_status read_roles(const char *text, const char *options, bs_corpus **c,
                               bs_notes *notes, basin_error *err)
{
    bs_corpus_options o = corpus_options(options ? options : "");
    bs_input         *in;
    o.roles = true;
    *c = NULL;
    assert_int_equal(bs_input_memory("data", text, strlen(text), &in, err), BASIN_OK);
    basin_status s = bs_corpus_read_input(in, &o, c, notes, err);
    bs_input_close(in);
    return s;
}

static bs_corpus *roles_of(const char *text, const char *options)
{
    bs_corpus  *c;
    basin_error err = {0};
    if (read_roles(text, options, &c, NULL, &err))
        fail_msg("%s", err.msg);
    return c;
}

/* "word:tag word:tag | ...", the predicate in angle brackets. */
static const char *shown(const bs_corpus *c)
{
    static char out[4096];
    size_t      at = 0;
    out[0] = '\0';
    for (int32_t r = 0; r < c->sentences; r++) {
        const int32_t verb = bs_role_predicate(c, r);
        at += (size_t)snprintf(out + at, sizeof out - at, "%s", r ? " | " : "");
        for (int32_t i = c->start[r]; i < c->start[r + 1]; i++)
            at += (size_t)snprintf(
                out + at, sizeof out - at, i - c->start[r] == verb ? "%s<%s>%s%s" : "%s%s%s%s",
                i > c->start[r] ? " " : "", c->words.item[c->word[i]].text,
                c->tag[i] < 0 ? "" : ":", c->tag[i] < 0 ? "" : c->tags.item[c->tag[i]].text);
    }
    return out;
}

static char *written(const bs_corpus *c, const char *format)
{
    bs_buf      out;
    basin_error err = {0};
    bs_buf_init(&out, 1 << 20);
    if (bs_corpus_convert(c, format, fuzz_sink, &out, &err))
        fail_msg("%s", err.msg);
    bs_buf_add(&out, "", 1);
    return out.data;
}

static const char simple[] = "Congress - (A0*) *\n"
                             "nominated nominate (V*) *\n"
                             "two - (A1* (A0*\n"
                             "people - * *)\n"
                             "to - * *\n"
                             "replace replace *) (V*)\n\n";
static const char rows[] =
    "Congress:B-A0 <nominated>:B-V two:B-A1 people:I-A1 to:I-A1 replace:I-A1 | "
    "Congress:O nominated:O two:B-A0 people:I-A0 to:O <replace>:B-V";

static void columns_are_read_and_written(void **state)
{
    bs_corpus *c = roles_of(simple, NULL);
    char      *text = written(c, NULL);
    (void)state;
    assert_string_equal(shown(c), rows);
    assert_true(c->records == 1 && c->scheme == BS_SCHEME_IOB2 && c->roles.predicate == 2);
    assert_string_equal(text, simple);
    bs_free(text);
    text = written(c, "predicates");
    assert_string_equal(text,
                        "{\"tokens\": [\"Congress\", \"nominated\", \"two\", \"people\", \"to\", "
                        "\"replace\"], \"predicates\": [{\"index\": 1, \"spans\": [{\"start\": 0, "
                        "\"end\": 1, \"label\": \"A0\"}, {\"start\": 2, \"end\": 6, \"label\": "
                        "\"A1\"}]}, {\"index\": 5, \"spans\": [{\"start\": 2, \"end\": 4, "
                        "\"label\": \"A0\"}]}]}\n");
    bs_corpus *again = roles_of(text, NULL);
    assert_string_equal(shown(again), rows);
    assert_int_equal(again->hash, c->hash); /* the same sentences, whatever the format */
    bs_free(text);
    text = written(again, "props");
    bs_corpus *third = roles_of(text, NULL);
    assert_string_equal(shown(third), rows);
    bs_free(text);
    bs_corpus_free(third);
    bs_corpus_free(again);
    bs_corpus_free(c);
}

/* Files that differ in their columns; what is written is what was read. */
static const struct {
    const char *name, *text, *want;
    const char *options;
} layouts[] = {
    {"CoNLL-2012: numbers, names, coreference at the end",
     "#begin document (a); part 000\n"
     "a\t0\t0\tAda\tNNP\t(S(NP*)\t-\t-\t-\tme\t(PERSON)\t(ARG0*)\t(0)\n"
     "a\t0\t1\tsleeps\tVBZ\t(VP*))\tsleep\t01\t1\tme\t*\t(V*)\t-\n\n"
     "a\t0\t0\tHm\tUH\t(S*)\t-\t-\t-\tme\t*\t-\n\n"
     "#end document\n\n",
     "Ada:B-ARG0 <sleeps>:B-V", NULL},
    {"CoNLL-2005: ends name their role", "A - (A0*A0) *\nb see (V*V) *\nc go * (V*V)\n\n",
     "A:B-A0 <b>:B-V c:O | A:O b:O <c>:B-V", NULL},
    {"discontinuous, and reference", "x - (A1*) \ny v (V*)\nz - (R-A0*\nw - *)\nu - (C-A1*)\n\n",
     "x:B-A1 <y>:B-V z:B-R-A0 w:I-R-A0 u:B-C-A1", NULL},
    {"a word '#' is no comment", "# text\n# - (A1*)\ngo go (V*)\n\n", "#:B-A1 <go>:B-V", NULL},
    {"UP 1.0: roles of single words behind CoNLL-U",
     "# sent_id = 1\n"
     "1\tAda\tada\tP\tP\t_\t2\tx\t_\t_\t_\tA0\n"
     "1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\n"
     "2\tsleeps\ts\tV\tV\t_\t0\tx\t_\t_\tsleep.01\t_\n\n"
     "1\tHm\th\tI\tI\t_\t0\tx\t_\t_\t_\n\n",
     "Ada:B-A0 <sleeps>:B-V", NULL},
    {"CoNLL-U Plus",
     "# global.columns = ID FORM UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
     "1\tIch\t_\t_\t_\n2\thatte\thave.03\tA0:1|A1:3\tA0:1-1|A1:3-4\n3\teine\t_\t_\t_\n"
     "4\tWahl\t_\t_\t_\n\n",
     "Ich:B-A0 <hatte>:B-V eine:B-A1 Wahl:I-A1", NULL},
    {"no roles", "Ada -\nsleeps sleep\n\nHm -\n\n", "Ada <sleeps>", "free"},
    {"columns by number", "- Ada (A0*)\nsleep sleeps (V*)\n\n", "Ada:B-A0 <sleeps>:B-V",
     "word_column=2 predicate_column=1"},
};

static void layouts_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        bs_corpus *c = roles_of(layouts[i].text, layouts[i].options);
        if (strcmp(shown(c), layouts[i].want) != 0)
            fail_msg("%s: %s", layouts[i].name, shown(c));
        char      *text = written(c, NULL);
        bs_corpus *again =
            roles_of(text, layouts[i].options && i + 1 == sizeof layouts / sizeof *layouts
                               ? layouts[i].options
                               : NULL);
        if (strcmp(shown(again), layouts[i].want) != 0 && c->labelled)
            fail_msg("%s, again: %s\n%s", layouts[i].name, shown(again), text);
        assert_int_equal(again->records, c->records);
        bs_free(text);
        bs_corpus_free(again);
        bs_corpus_free(c);
    }
}

static const struct {
    const char *text, *options, *want;
} broken[] = {
    {"a - (A0*\nb v (V*)\n\n", NULL, "data:1:5: '(A0*': its bracket is not closed"},
    {"a - (A0*\nb v *\n\n", NULL, "data:1:5: '(A0*': its bracket is not closed in this sentence"},
    {"a - *)\nb v (V*)\n\n", NULL, "data:1:5: '*)': a bracket is closed that was not opened"},
    {"a - (*)\nb v (V*)\n\n", NULL, "data:1:5: '(*)': a cell of roles is such as (ARG0*, *, *)"},
    {"a - *\nb v (V*)\n\nc w (V*)\nd x *\n\ne - *\nf v (V*)\n\n", NULL,
     "data:4: 1 column of roles for 2 predicates in column 2; every predicate needs one"},
    {"a - *\nb v (V*)\n\nc w\n\n", NULL, "data:4: 0 columns of roles for 1 predicate in column 2"},
    {"a - *\nb v (V*) *\n\n", NULL,
     "data:2: 4 columns, but the lines of this sentence before it have 3"},
    {"a b\nc d\n\n", NULL, "data: no column of predicates: it holds - for all other words"},
    {"a - *\nb - *\n\n", NULL, "data: no column of predicates"},
    {"a - *\nb v (V*)\n\n", "predicate_column=9", "asks for predicates in column 9"},
    {"a - *\nb v (V*)\n\n", "predicate_column=1",
     "text.predicate_column: column 1 holds the words"},
    {"a - *\nb v (V*)\n\n", "predicate_column=x", "text.predicate_column: 'x' is not auto"},
    {"a - *\nb v (V*)\n\n", "word_column=7", "3 columns; --word-column asks for column 7"},
    {"a - *\nb v (V*)\n\n", "format=tokens", "text.format: tokens is not for semantic roles"},
    {"", NULL, "data: there are no sentences"},
    {"# global.columns = ID FORM\n1\ta\n\n", NULL, "data:1: the named columns have no UP:PRED"},
    {"# global.columns = ID FORM UP:PRED UP:ARGSPANS\n1\ta\tv\tA0:1-9\n\n", NULL,
     "data:2:7: 'A0:1-9': spans are such as A0:1-1|A1:3-8"},
    {"{\"tokens\": [\"a\"]}", NULL, "data:1: no list of predicates; write {"},
    {"{\"tokens\": [\"a\"]}", "format=predicates", "data:1: no list of predicates; write {"},
    {"{\"tokens\": [\"a\", 3], \"predicates\": []}", NULL, "data:1: token 1 is not a text"},
    {"{\"tokens\": [\"a\"], \"predicates\": [{\"index\": 1, \"spans\": []}]}", NULL,
     "data:1: predicate 1: \"index\" must be the number of a token, 0 to 0"},
    {"{\"tokens\": [\"a\"], \"predicates\": [{\"index\": 0}]}", NULL,
     "data:1: predicate 1: no \"spans\": without roles there is nothing to learn"},
    {"{\"tokens\": [\"a\", \"b\"], \"predicates\": [{\"index\": 0, \"spans\": [{\"start\": 0, "
     "\"end\": 3, \"label\": \"A\"}]}]}",
     NULL, "data:1: predicate 1: the span from 0 to 3 is empty or outside of the 2 tokens"},
    {"{\"tokens\": [\"a\", \"b\"], \"predicates\": [{\"index\": 1, \"spans\": []}, {\"index\": 0, "
     "\"spans\": []}]}",
     NULL, "data:1: predicate 2: \"index\" must be greater than that of the one before"},
    {"{\"tokens\": [\"a\"], \"predicates\": []}", NULL, "data: no sentence has a predicate"},
};

static void broken_files_give_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        bs_corpus   *c;
        basin_error  err = {0};
        basin_status s = read_roles(broken[i].text, broken[i].options, &c, NULL, &err);
        if (s == BASIN_OK || !strstr(err.msg, broken[i].want) || strchr(err.msg, '\n'))
            fail_msg("case %zu: %s", i, s ? err.msg : "accepted");
        assert_null(c);
    }
    assert_int_equal(bs_mem_live(), 0);
}

static void what_is_recognised(void **state)
{
    static const char tags[] = "EU B-ORG\nrejects O\n\nPeter B-PER\n\n";
    static char       sentence[61000] = "go go (V*)\n"; /* its end may be too far away to be seen */
    (void)state;
    for (size_t at = strlen(sentence); at + 6 < sizeof sentence; at += 6)
        memcpy(sentence + at, "x - *\n", 6);
    assert_true(bs_roles_sniff(sentence, strlen(sentence), "") > 95);
    assert_true(bs_roles_sniff(simple, strlen(simple), "") >
                bs_corpus_sniff(simple, strlen(simple), ""));
    for (size_t i = 0; i < 6; i++)
        if (bs_roles_sniff(layouts[i].text, strlen(layouts[i].text), "") < 95)
            fail_msg("%s", layouts[i].name);
    assert_int_equal(bs_roles_sniff(tags, strlen(tags), "a.conll"), 0);
    assert_int_equal(bs_roles_sniff("{\"tokens\": [\"a\"]}", 17, ""), 0);
    assert_true(bs_roles_sniff("{\"tokens\": [\"a\"], \"predicates\": []}", 35, "") > 95);
}

/* ---- scores ---- */

/* Gold and predicted roles of one predicate: arguments right, gold, predicted; a core role twice;
 * ill-formed. */
static const struct {
    const char *gold, *found;
    int         right, all_gold, all_found, twice, ill;
} scored[] = {
    {"B-A0 B-V B-A1 I-A1", "B-A0 B-V B-A1 I-A1", 2, 2, 2, 0, 0},
    {"B-A0 B-V B-A1 I-A1", "B-A0 B-V B-A1 O", 1, 2, 2, 0, 0},    /* another end */
    {"B-A0 B-V B-A1 I-A1", "B-A1 B-V B-A1 I-A1", 1, 2, 2, 1, 0}, /* another role, twice */
    {"O B-V O O", "O B-V O O", 0, 0, 0, 0, 0},                   /* no arguments */
    {"O B-V O O", "B-A0 B-V O O", 0, 0, 1, 0, 0},                /* none, but one is found */
    {"B-A0 B-V O O", "O B-V O O", 0, 1, 0, 0, 0},                /* missed */
    {"B-A0 B-V O O", "B-A0 O B-V O", 1, 1, 1, 0, 0},             /* V does not count */
    {"B-A1 B-V B-C-A1 O", "B-A1 B-V B-C-A1 O", 1, 1, 1, 0, 0},   /* in two pieces */
    {"B-A1 B-V B-C-A1 O", "B-A1 B-V O O", 0, 1, 1, 0, 0},        /* a piece is missing */
    {"B-A1 B-V B-C-A1 O", "B-A1 B-V B-A1 O", 0, 1, 2, 1, 0},     /* two arguments instead */
    {"B-A1 B-V O O", "B-A1 B-V O B-C-A1", 0, 1, 1, 0, 0},        /* a piece too many */
    {"B-A1 B-V B-C-A1 B-C-A1", "B-A1 B-V B-C-A1 B-C-A1", 1, 1, 1, 0, 0}, /* three pieces */
    {"B-C-A1 B-V O O", "B-A1 B-V O O", 1, 1, 1, 0, 0},                   /* C- of nothing is A1 */
    {"B-A0 B-V B-R-A0 O", "B-A0 B-V B-R-A0 O", 2, 2, 2, 0, 0}, /* R- is a role of its own */
    {"B-A0 B-V B-R-A0 O", "B-A0 B-V B-A0 O", 1, 2, 2, 1, 0},
    {"B-R-A0 B-V B-C-R-A0 O", "B-R-A0 B-V B-C-R-A0 O", 1, 1, 1, 0, 0},
    {"B-V B-C-V B-A1 O", "B-V O B-A1 O", 1, 1, 1, 0, 0},                   /* C-V is V */
    {"B-AM-TMP B-V B-AM-TMP O", "B-AM-TMP B-V B-AM-TMP O", 2, 2, 2, 0, 0}, /* not a core role */
    {"B-A0 I-A0 B-V O", "O I-A0 B-V O", 0, 1, 1, 0, 1},                    /* I- opens a span */
    {"B-A0 I-A0 B-V O", "B-A0 I-A1 B-V O", 0, 1, 2, 0, 1},
    {"B-ARG0 B-V B-ARG0 O", "B-ARG0 B-V B-ARG0 B-ARG0", 2, 2, 3, 1, 0}, /* the other names */
    {"B-A1 B-A0 B-C-A1 B-V", "B-A1 B-A0 B-C-A1 B-V", 2, 2, 2, 0, 0},    /* around another one */
};

static int32_t tag_number(bs_names *tags, const char *text, size_t len)
{
    bool fresh;
    return bs_names_add(tags, text, len, &fresh);
}

static int32_t take_tags(bs_names *tags, const char *text, int32_t *out)
{
    int32_t n = 0;
    for (; *text; text += strcspn(text, " "), text += *text == ' ')
        out[n++] = tag_number(tags, text, strcspn(text, " "));
    return n;
}

static void scores_are_those_of_conll_2005(void **state)
{
    enum { CASES = sizeof scored / sizeof *scored };
    bs_arena         arena;
    bs_names         tags;
    bs_tagset        set;
    bs_role_metrics *one, *all;
    basin_error      err = {0};
    int32_t          gold[CASES][4], found[CASES][4], start[] = {0, 4};
    double           v[BS_ROLE_METRIC_COUNT];
    int              right = 0, golds = 0, founds = 0, twice = 0, ill = 0;
    (void)state;
    bs_arena_init(&arena, 0);
    bs_names_init(&tags, &arena);
    for (int i = 0; i < CASES; i++) {
        assert_int_equal(take_tags(&tags, scored[i].gold, gold[i]), 4);
        assert_int_equal(take_tags(&tags, scored[i].found, found[i]), 4);
    }
    assert_int_equal(bs_tagset_make(&tags, BS_SCHEME_IOB2, &set, &err), BASIN_OK);
    assert_int_equal(bs_role_metrics_new(&set, true, &all, &err), BASIN_OK);
    for (int i = 0; i < CASES; i++) {
        assert_int_equal(bs_role_metrics_new(&set, false, &one, &err), BASIN_OK);
        assert_int_equal(bs_role_metrics_add(one, gold[i], found[i], found[i], start, 1, &err),
                         BASIN_OK);
        assert_int_equal(bs_role_metrics_add(all, gold[i], found[i], found[i], start, 1, &err),
                         BASIN_OK);
        bs_role_metrics_finish(one, v);
        const double r = scored[i].right, g = scored[i].all_gold, f = scored[i].all_found;
        if (fabs(v[BS_ROLE_METRIC_argument_precision] - (f ? r / f : 0)) > 1e-12 ||
            fabs(v[BS_ROLE_METRIC_argument_recall] - (g ? r / g : 0)) > 1e-12 ||
            fabs(v[BS_ROLE_METRIC_argument_f1] - (g + f ? 2 * r / (g + f) : 0)) > 1e-12 ||
            v[BS_ROLE_METRIC_ucr] != scored[i].twice ||
            v[BS_ROLE_METRIC_ill_formed] != scored[i].ill ||
            v[BS_ROLE_METRIC_predicate_accuracy] != (r == g && r == f))
            fail_msg("case %d: %s: P %g R %g F %g, twice %g, ill %g", i + 1, scored[i].found, v[1],
                     v[2], v[0], v[BS_ROLE_METRIC_ucr], v[BS_ROLE_METRIC_ill_formed]);
        bs_role_metrics_free(one);
        right += scored[i].right;
        golds += scored[i].all_gold;
        founds += scored[i].all_found;
        twice += scored[i].twice;
        ill += scored[i].ill;
    }
    bs_role_metrics_finish(all, v);
    assert_float_equal(v[BS_ROLE_METRIC_argument_f1], 2.0 * right / (golds + founds), 1e-12);
    assert_float_equal(v[BS_ROLE_METRIC_ucr], (double)twice / CASES, 1e-12);
    assert_float_equal(v[BS_ROLE_METRIC_ill_formed], (double)ill / CASES, 1e-12);
    bs_type_score *row;
    int32_t        n, sum = 0;
    assert_int_equal(bs_role_metrics_roles(all, &row, &n, &err), BASIN_OK);
    for (int32_t i = 0; i < n; i++) {
        assert_string_not_equal(row[i].type, "V");
        assert_null(strstr(row[i].type, "C-"));
        sum += (int32_t)row[i].right;
    }
    assert_int_equal(sum, right);
    bs_free(row);
    bs_role_metrics_free(all);
    bs_tagset_free(&set);
    bs_names_free(&tags);
    bs_arena_free(&arena);
}

/* Each predicate of a sentence counts by itself, arguments of others being its own or not. */
static void nested_predicates_are_counted_apart(void **state)
{
    bs_corpus       *c = roles_of(simple, NULL);
    bs_tagset        set;
    bs_role_metrics *m;
    basin_error      err = {0};
    double           v[BS_ROLE_METRIC_COUNT];
    int32_t          found[12];
    (void)state;
    assert_int_equal(bs_tagset_make(&c->tags, BS_SCHEME_IOB2, &set, &err), BASIN_OK);
    assert_int_equal(bs_role_metrics_new(&set, false, &m, &err), BASIN_OK);
    memcpy(found, c->tag, sizeof found);
    found[8] = c->tag[6]; /* "two" is no longer an argument of "replace"; "people" now begins one */
    assert_int_equal(bs_role_metrics_add(m, c->tag, found, NULL, c->start, 2, &err), BASIN_OK);
    bs_role_metrics_finish(m, v);
    assert_float_equal(v[BS_ROLE_METRIC_argument_f1], 2.0 / 3, 1e-12);
    assert_float_equal(v[BS_ROLE_METRIC_predicate_accuracy], 0.5, 1e-12);
    assert_true(isnan(v[BS_ROLE_METRIC_ill_formed]));
    bs_role_metrics_free(m);
    bs_tagset_free(&set);
    bs_corpus_free(c);
}

/* ---- generated ---- */

static void generated_roles_obey_their_rule(void **state)
{
    bs_make_roles_options o;
    bs_make_roles_truth   truth, certain;
    bs_buf                text;
    basin_error           err = {0};
    bs_role_facts         facts;
    (void)state;
    bs_options_default(bs_make_roles_rows, &o, NULL);
    o.rows = 400;
    bs_buf_init(&text, 1 << 24);
    assert_int_equal(bs_make_roles(&o, &text, &truth, &err), BASIN_OK);
    bs_corpus *c = roles_of(text.data, NULL);
    assert_int_equal(bs_role_count(c, &facts, &err), BASIN_OK);
    assert_true(facts.repeated == 0 && facts.rows == truth.predicates &&
                facts.arguments == truth.arguments && facts.sentences == 400);
    assert_true(truth.single + 0.05 < truth.best && truth.best < 1 && truth.twice > 0.2);
    bs_corpus_free(c);
    o.clear = 1;
    bs_buf_clear(&text);
    assert_int_equal(bs_make_roles(&o, &text, &certain, &err), BASIN_OK);
    assert_true(certain.best == 1 && certain.single == 1 && certain.twice == 0);
    bs_buf_free(&text);
}

static void corpus_of_the_fuzzer(void **state)
{
    (void)state;
    replay_corpus("roles", fuzz_roles);
}

/* Words of a sentence with several predicates count once, and its rows are no contradictions. */
static void summaries_know_what_rows_are(void **state)
{
    (void)state;
    bs_corpus *c = roles_of("Ada - (A0*) (A0*)\nsees sees (V*) *\nand - * *\ngoes goes * (V*)\n"
                            "\nBo -\n\nBo - (A0*)\nsees sees (V*)\n\nBo - (A1*)\nsees sees (V*)\n",
                            NULL);
    bs_corpus_summary s;
    basin_error       err;
    assert_int_equal(bs_corpus_summarise(c, c, &s, &err), BASIN_OK);
    assert_int_equal(c->sentences, 4);
    assert_int_equal(s.words, 5);
    assert_int_equal(s.words_once, 3); /* Ada, and, goes */
    assert_int_equal(s.duplicates, 0);
    assert_int_equal(s.contradictions, 1);
    assert_int_equal(s.shared, 4);
    bs_corpus_summary_free(&s);
    bs_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_know_what_rows_are),
        cmocka_unit_test(columns_are_read_and_written),
        cmocka_unit_test(layouts_are_understood),
        cmocka_unit_test(broken_files_give_one_line),
        cmocka_unit_test(what_is_recognised),
        cmocka_unit_test(scores_are_those_of_conll_2005),
        cmocka_unit_test(nested_predicates_are_counted_apart),
        cmocka_unit_test(generated_roles_obey_their_rule),
        cmocka_unit_test(corpus_of_the_fuzzer),
    };
    return cmocka_run_group_tests_name("roles", tests, NULL, NULL);
}
