/* test_text_describe.c -- splitting and describing corpora, and replaying the fuzz corpus. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "text_helper.h"

#include "base/mem.h"
#include "fuzz/fuzz_sentences.h"
#include "tasks/tag/make.h"

#define TRAIN \
    "EU NNP I-ORG\nsays VBZ O\n\nPeter NNP I-PER\nB. NNP I-PER\n\nEU NNP I-ORG\nsays VBZ O\n"

static void describe(const bs_corpus *c, const bs_corpus *train, const bs_notes *notes,
                     bs_buf *table, bs_buf *json)
{
    basin_error err = {0};
    bs_buf_init(table, 1 << 20);
    bs_buf_init(json, 1 << 20);
    if (bs_corpus_describe(c, train, notes, table, json, &err))
        fail_msg("%s", err.msg);
}

static void test_describe(void **state)
{
    (void)state;
    bs_buf     table, json;
    bs_notes   notes;
    bs_corpus *train = corpus_text(TRAIN, "", NULL);
    bs_corpus *dev = corpus_text("EU N O\nsays V O\n\nParis N B-LOC\n, , I-LOC\n\nis V I-\"X\"\n",
                                 "scheme=iob2", NULL);
    describe(train, NULL, NULL, &table, &json);
    assert_string_equal(table.data,
                        "format   conll, 3 columns, 3 sentences, 6 tokens\n"
                        "lengths  mean 2.0 tokens, longest 2 (line 1)\n"
                        "words    4 distinct, 2 of them seen once\n"
                        "tags     4, iob1 -> bioes: S-ORG 2, O 2, B-PER 1, E-PER 1\n"
                        "spans    3: ORG 2, PER 1; 0 ill-formed tags\n"
                        "checks   1 duplicate sentences, 0 equal sentences with other tags\n");
    bs_buf_free(&table);
    bs_buf_free(&json);
    bs_notes_init(&notes);
    bs_notes_add(&notes, "format", "the second column is not used");
    describe(dev, train, &notes, &table, &json);
    bs_notes_free(&notes);
    assert_string_equal(
        table.data,
        "format   conll, 3 columns, 3 sentences, 5 tokens\n"
        "lengths  mean 1.7 tokens, longest 2 (line 1)\n"
        "words    5 distinct, 5 of them seen once\n"
        "tags     4, iob2 -> bioes: O 2, B-LOC 1, E-LOC 1, S-\"X\" 1\n"
        "spans    2: LOC 1, \"X\" 1; 1 ill-formed tags, the first in the sentence of line 7\n"
        "checks   0 duplicate sentences, 0 equal sentences with other tags\n"
        "against  data: 2 unknown types ('B-LOC'), 60.00 % of the tokens unknown, 1 sentences are "
        "there, too\n"
        "note     the second column is not used\n");
    json_error_t problem;
    json_t      *root = json_loads(json.data, 0, &problem);
    if (!root)
        fail_msg("%s: %s", problem.text, json.data);
    assert_int_equal(json_integer_value(json_object_get(root, "tokens")), 5);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "tags"), "S-\"X\"")),
                     1);
    assert_int_equal(json_integer_value(json_object_get(root, "ill_formed")), 1);
    json_decref(root);
    bs_buf_free(&table);
    bs_buf_free(&json);
    bs_corpus_free(train);
    bs_corpus_free(dev);
    assert_int_equal(bs_mem_live(), 0);
}

static void test_problems(void **state)
{
    (void)state;
    static const struct {
        const char *options, *text, *part;
    } rows[] = {
        {"", TRAIN, NULL},
        {"free", "a\nb\n", "there are no tags"},
        {"", "a N\nb N\n", "all tokens have the same tag"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_corpus_summary s;
        basin_error       err;
        bs_corpus        *c = corpus_text(rows[i].text, rows[i].options, NULL);
        assert_int_equal(bs_corpus_summarise(c, NULL, &s, &err), BASIN_OK);
        const char *problem = bs_corpus_problem(c, &s);
        assert_int_equal(problem != NULL, rows[i].part != NULL);
        if (problem)
            assert_non_null(strstr(problem, rows[i].part));
        bs_corpus_summary_free(&s);
        bs_corpus_free(c);
    }
}

/* With to=keep tags are as in the file, and their faults are still counted. */
static void test_kept_tags(void **state)
{
    (void)state;
    bs_corpus_summary s;
    basin_error       err;
    bs_corpus *c = corpus_text("a O\n\nb I-X\nc I-X\n\nd B-X\n", "scheme=iob2 to=keep", NULL);
    assert_int_equal(bs_corpus_summarise(c, NULL, &s, &err), BASIN_OK);
    assert_int_equal(c->repaired, 0);
    assert_int_equal(s.ill_formed, 1);
    assert_int_equal(s.ill_formed_at, 1);
    assert_int_equal(s.spans, 2);
    bs_corpus_summary_free(&s);
    bs_corpus_free(c);
}

/* --- splitting ----------------------------------------------------------- */

static void test_split(void **state)
{
    (void)state;
    const double        share[] = {80, 10, 10};
    const char *const   file[] = {"a", "b", "c"};
    bs_make_tag_options o;
    bs_buf              text, table, json;
    basin_error         err;
    bs_options_default(bs_make_tag_rows, &o, NULL);
    bs_buf_init(&text, 1 << 24);
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 20);
    assert_int_equal(bs_make_tag(&o, &text, NULL, &err), BASIN_OK);
    bs_corpus *c = corpus_text(text.data, "", NULL);
    int32_t   *part = calloc((size_t)c->sentences, sizeof *part), *again = part;
    assert_int_equal(bs_corpus_split(c, share, 3, false, 7, part, &err), BASIN_OK);
    double count[3][16] = {{0}}, tokens[3] = {0};
    for (int32_t s = 0; s < c->sentences; s++)
        for (int32_t t = c->start[s]; t < c->start[s + 1]; t++) {
            count[part[s]][c->tag[t]]++;
            tokens[part[s]]++;
        }
    for (int p = 0; p < 3; p++) {
        assert_true(fabs(tokens[p] / c->tokens / share[p] * 100 - 1) < 0.05);
        for (int32_t k = 0; k < c->tags.n; k++) {
            double all = count[0][k] + count[1][k] + count[2][k];
            assert_true(fabs(count[p][k] / all / share[p] * 100 - 1) < 0.15);
        }
    }
    assert_int_equal(bs_corpus_split_describe(c, share, 3, part, file, &table, &json, &err),
                     BASIN_OK);
    assert_non_null(strstr(table.data, "sentences     tokens"));
    json_t *root = json_loads(json.data, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(root, "parts")), 3);
    json_decref(root);
    again = calloc((size_t)c->sentences, sizeof *again);
    assert_int_equal(bs_corpus_split(c, share, 3, false, 7, again, &err), BASIN_OK);
    assert_memory_equal(part, again, (size_t)c->sentences * sizeof *part);
    free(part);
    free(again);
    bs_buf_free(&text);
    bs_buf_free(&table);
    bs_buf_free(&json);
    bs_corpus_free(c);
    assert_int_equal(bs_mem_live(), 0);
}

static void test_split_documents(void **state)
{
    (void)state;
    const double share[] = {1, 1};
    char         text[8192];
    size_t       at = 0;
    int32_t      part[80];
    basin_error  err;
    for (int d = 0; d < 20; d++) {
        at += (size_t)sprintf(text + at, "-DOCSTART- O\n\n");
        for (int s = 0; s < 4; s++)
            at += (size_t)sprintf(text + at, "w%d N\nx V\n\n", d);
    }
    bs_corpus *c = corpus_text(text, "", NULL);
    assert_int_equal(c->documents, 20);
    assert_int_equal(c->sentences, 80);
    assert_int_equal(bs_corpus_split(c, share, 2, true, 1, part, &err), BASIN_OK);
    int second = 0;
    for (int s = 0; s < 80; s++) {
        assert_int_equal(part[s], part[s / 4 * 4]);
        second += part[s];
    }
    assert_int_equal(second, 40);
    bs_corpus_free(c);
}

/* --- memory, replay ------------------------------------------------------ */

static basin_status everything(const bs_corpus *c, basin_error *err)
{
    const double      share[] = {1, 1};
    const char *const file[] = {"a", "b"};
    int32_t           part[3];
    bs_buf            table, json;
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 20);
    basin_status s = bs_corpus_describe(c, c, NULL, &table, &json, err);
    if (!s)
        s = bs_corpus_split(c, share, 2, true, 1, part, err);
    if (!s)
        s = bs_corpus_split_describe(c, share, 2, part, file, &table, &json, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return s;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    basin_error err = {0};
    bs_corpus  *c = corpus_text(TRAIN, "", NULL);
    long        live = bs_mem_live();
    for (int n = 1;; n++) {
        bs_mem_fail_at(n);
        basin_status s = everything(c, &err);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
        if (!s)
            break;
        if (s != BASIN_ENOMEM)
            fail_msg("allocation %d: %s", n, err.msg);
    }
    bs_corpus_free(c);
}

static void test_replay(void **state)
{
    (void)state;
    const char *folder = "tests/fuzz/corpus/corpus";
    DIR        *d = opendir(folder);
    if (!d)
        skip(); /* not run in the repository */
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char    path[400];
        uint8_t bytes[4096];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE  *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        if (!f)
            continue;
        fclose(f);
        /* Whole, cut off anywhere, and with every single bit turned. */
        for (size_t cut = 0; cut <= size; cut++)
            fuzz_corpus(bytes, cut);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            fuzz_corpus(bytes, size);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        n++;
    }
    closedir(d);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_kept_tags),       cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_documents), cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
