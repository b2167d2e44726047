/* test_words_ngrams.c -- n-grams of documents: what is kept, values by their definition, models. */
#include <math.h>

#include "data_helper.h"

#include "base/buf.h"
#include "base/mem.h"
#include "data/words/ngrams.h"

static int no_leak(void **state)
{
    (void)state;
    bs_mem_fail_at(0);
    return bs_mem_live() == 0 ? 0 : -1;
}

static const char rows[] = "__label__a The cat sat.\n"
                           "__label__a the CAT sat; the dog ran!\n"
                           "__label__b a dog, a dog\n"
                           "__label__b Ende\n";

/* All features of a row, "name:value name:value". */
static const char *row_text(const bs_rows *ds, int32_t r)
{
    static char text[4096];
    size_t      at = 0;
    text[0] = '\0';
    for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s:%.4f",
                               e > ds->x.start[r] ? " " : "",
                               ds->schema.feature[ds->x.index[e]].name, (double)ds->x.value[e]);
    return text;
}

static void fit(const bs_rows *ds, bs_ngram_options o, bs_arena *arena, bs_ngrams *g,
                bs_schema *all)
{
    basin_error err = {0};
    bs_arena_init(arena, 0);
    if (bs_ngrams_fit(ds, &o, arena, g, &err) || bs_ngrams_schema(g, &ds->schema, arena, all, &err))
        fail_msg("%s", err.msg);
}

static const char *names(const bs_ngrams *g)
{
    static char text[4096];
    size_t      at = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < g->n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s ", g->name[i]);
    return text;
}

static void test_kept(void **state)
{
    (void)state;
    static const struct {
        bs_ngram_options o;
        const char      *want;
    } cases[] = {
        {{1, 0, 100, 2}, "\"cat\" \"dog\" \"sat\" \"the\" "},
        {{2, 0, 100, 2}, "\"cat sat\" \"cat\" \"dog\" \"sat\" \"the cat\" \"the\" "},
        {{2, 0, 3, 2}, "\"cat sat\" \"cat\" \"dog\" "},
        {{1, 0, 4, 1}, "\"cat\" \"dog\" \"sat\" \"the\" "},
        {{0, 2, 4, 2}, "'e ' ' c' ' d' ' s' "},
    };
    bs_rows *ds = read_text(rows, "", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bs_arena  arena;
        bs_ngrams g;
        bs_schema all;
        fit(ds, cases[i].o, &arena, &g, &all);
        assert_string_equal(names(&g), cases[i].want);
        bs_arena_free(&arena);
    }
    basin_error      err = {0};
    bs_arena         arena;
    bs_ngrams        g;
    bs_ngram_options o = {1, 0, 100, 5};
    bs_arena_init(&arena, 0);
    assert_int_equal(bs_ngrams_fit(ds, &o, &arena, &g, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "no word of the texts occurs in 5 of them (ngrams.rows): there is "
                                 "nothing to learn from");
    bs_arena_free(&arena);
    bs_rows_free(ds);
}

/* By hand: 1 + ln(count) times 1 + ln((1 + 4) / (1 + 2)), and the length is the root of (2 + 2 + 2
 * + 2) / 4. */
static void test_values(void **state)
{
    (void)state;
    bs_rows  *ds = read_text(rows, "", NULL);
    bs_arena  arena;
    bs_ngrams g;
    bs_schema all;
    int32_t   unknown;
    char      want[200];
    fit(ds, (bs_ngram_options){1, 0, 100, 2}, &arena, &g, &all);
    const bs_schema columns = ds->schema;
    assert_int_equal(bs_ngrams_apply(&g, &columns, &all, ds, &unknown, NULL), BASIN_OK);
    assert_int_equal(unknown, 1);
    const double one = sqrt(2.0 / 3), twice = 1 + log(2), root = sqrt(3 + twice * twice);
    snprintf(want, sizeof want, "\"cat\":%.4f \"sat\":%.4f \"the\":%.4f", one, one, one);
    assert_string_equal(row_text(ds, 0), want);
    snprintf(want, sizeof want, "\"cat\":%.4f \"dog\":%.4f \"sat\":%.4f \"the\":%.4f",
             sqrt(2) / root, sqrt(2) / root, sqrt(2) / root, sqrt(2) * twice / root);
    assert_string_equal(row_text(ds, 1), want);
    snprintf(want, sizeof want, "\"dog\":%.4f", sqrt(2));
    assert_string_equal(row_text(ds, 2), want);
    assert_string_equal(row_text(ds, 3), "");
    bs_rows_free(ds);
    bs_arena_free(&arena);
}

/* Numbers beside texts: standardised or filled, and in front. */
static void test_mixed(void **state)
{
    (void)state;
    bs_rows *ds =
        read_text("text,age,y\nred wine,1,1\nred beer,3,0\nwhite wine,,1\n", "labels=y", NULL);
    bs_arena  arena, more;
    bs_ngrams g;
    bs_schema all, columns;
    int32_t   unknown;
    bs_arena_init(&more, 0);
    assert_int_equal(bs_schema_copy(&ds->schema, &more, &columns, NULL), BASIN_OK);
    assert_int_equal(bs_schema_fit(ds, true, &more, &columns, NULL), BASIN_OK);
    fit(ds, (bs_ngram_options){1, 0, 100, 2}, &arena, &g, &all);
    assert_int_equal(bs_ngrams_apply(&g, &columns, &all, ds, &unknown, NULL), BASIN_OK);
    assert_int_equal(all.n_features, 3);
    const double length = sqrt(4.0 / 3);
    char         want[200];
    snprintf(want, sizeof want, "age:-1.0000 \"red\":%.4f \"wine\":%.4f", length / sqrt(2),
             length / sqrt(2));
    assert_string_equal(row_text(ds, 0), want);
    snprintf(want, sizeof want, "age:1.0000 \"red\":%.4f", length);
    assert_string_equal(row_text(ds, 1), want);
    snprintf(want, sizeof want, "\"wine\":%.4f", length); /* the mean is 0 */
    assert_string_equal(row_text(ds, 2), want);
    bs_rows_free(ds);
    bs_arena_free(&arena);
    bs_arena_free(&more);
}

/* What a model file keeps gives the same bits; damaged ones are refused. */
static void test_model(void **state)
{
    (void)state;
    bs_rows        *ds = read_text(rows, "", NULL), *again = read_text(rows, "", NULL);
    const bs_schema columns = ds->schema, same = again->schema;
    bs_arena        arena, other, scratch;
    bs_ngrams       g, h;
    bs_schema       all, back;
    bs_buf          json;
    int32_t         unknown;
    basin_error     err = {0};
    fit(ds, (bs_ngram_options){3, 4, 1000, 1}, &arena, &g, &all);
    bs_buf_init(&json, 1 << 20);
    bs_buf_text(&json, "{");
    bs_ngrams_json(&g, &json);
    bs_buf_text(&json, "}");
    json_t *o = bs_tree_read(json.data, json.len, 0, NULL);
    assert_non_null(o);
    bs_arena_init(&other, 0);
    json_t *member = json_object_get(o, "ngrams");
    assert_int_equal(bs_ngrams_from_json(member, "m", &other, &h, &err), BASIN_OK);
    assert_int_equal(bs_ngrams_schema(&h, &same, &other, &back, &err), BASIN_OK);
    assert_int_equal(bs_ngrams_apply(&g, &columns, &all, ds, &unknown, &err), BASIN_OK);
    assert_int_equal(bs_ngrams_apply(&h, &same, &back, again, &unknown, &err), BASIN_OK);
    const size_t n = (size_t)ds->x.start[ds->rows];
    assert_true(n > 100);
    assert_memory_equal(ds->x.start, again->x.start, 5 * sizeof *ds->x.start);
    assert_memory_equal(ds->x.index, again->x.index, n * sizeof *ds->x.index);
    assert_memory_equal(ds->x.value, again->x.value, n * sizeof *ds->x.value);

    static const struct {
        const char *key, *value, *what;
    } bad[] = {{"words", "6", "a setting is out of range"},
               {"idf", "[1.5]", "there are not as many weights as names"},
               {"names", "[]", "there are not as many weights as names"},
               {"length", "-1", "a setting is out of range"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *damaged = json_copy(member);
        json_object_set_new(
            damaged, bad[i].key,
            bs_tree_read(bad[i].value, strlen(bad[i].value), JSON_DECODE_ANY, NULL));
        bs_arena_init(&scratch, 0);
        assert_int_equal(bs_ngrams_from_json(damaged, "m", &scratch, &h, &err), BASIN_EDATA);
        assert_non_null(strstr(err.msg, bad[i].what));
        bs_arena_free(&scratch);
        json_decref(damaged);
    }
    json_array_set_new(json_object_get(member, "names"), 0, json_string("bare"));
    bs_arena_init(&scratch, 0);
    assert_int_equal(bs_ngrams_from_json(member, "m", &scratch, &h, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "m: its n-grams are damaged: a name is not in quotes");
    bs_arena_free(&scratch);
    json_decref(o);
    bs_buf_free(&json);
    bs_rows_free(ds);
    bs_rows_free(again);
    bs_arena_free(&arena);
    bs_arena_free(&other);
}

static void test_summary(void **state)
{
    (void)state;
    bs_rows        *ds = read_text(rows, "", NULL);
    bs_text_summary s;
    assert_true(bs_texts_summary(ds, &s));
    assert_int_equal(s.words, 18); /* marks are words */
    assert_int_equal(s.longest, 8);
    assert_int_equal(s.different, 11);
    assert_int_equal(s.once, 7);
    assert_int_equal(s.empty, 0);
    bs_rows_free(ds);
}

static void test_no_memory(void **state)
{
    (void)state;
    const bs_ngram_options o = {2, 3, 1000, 1};
    for (long n = 1, over = 0; !over; n++) {
        bs_rows        *ds = read_text(rows, "", NULL);
        const bs_schema columns = ds->schema;
        bs_arena        arena;
        bs_ngrams       g;
        bs_schema       all;
        int32_t         unknown;
        bs_arena_init(&arena, 0);
        bs_mem_fail_at(n);
        basin_status s = bs_ngrams_fit(ds, &o, &arena, &g, NULL);
        if (!s)
            s = bs_ngrams_schema(&g, &columns, &arena, &all, NULL);
        if (!s)
            s = bs_ngrams_apply(&g, &columns, &all, ds, &unknown, NULL);
        bs_mem_fail_at(0);
        over = s == BASIN_OK;
        assert_true(over || s == BASIN_ENOMEM);
        bs_arena_free(&arena);
        bs_rows_free(ds);
        assert_true(n < 1000);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, NULL, no_leak)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(kept),  TEST(values),  TEST(mixed),
                                       TEST(model), TEST(summary), TEST(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
