/* test_explain.c -- basin_explain as a program uses it: JSON of the promised shape, pages that
 * stand alone, memory that runs out, and requests to stop. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "tests/api_folder.h"
#include "tests/html_check.h"

enum { LABELS = 12 }; /* of the data of api_folder.h */

static void train_to(const char *data, const char *run, const char *const *set)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "epochs", "2", err));
    OK(basin_config_set(c, "net.width", "8", err));
    OK(basin_config_set(c, "energy.hidden", "6", err));
    OK(basin_config_set(c, "gbi.steps", "4", err));
    for (; *set; set += 2)
        OK(basin_config_set(c, set[0], set[1], err));
    OK(basin_config_file(c, "train", data, err));
    OK(basin_train(c, run, 1, 0, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
}

static json_t *explained(const char *run, const char *data, const basin_explain_options *o)
{
    basin_text   text;
    json_error_t where;
    OK(basin_explain(run, &data, 1, o, NULL, &text, err));
    assert_non_null(text.table);
    assert_null(strchr(text.json, '\n'));
    json_t *j = json_loads(text.json, 0, &where);
    if (!j)
        fprintf(stderr, "  not JSON: %s at %d\n", where.text, where.position);
    assert_non_null(j);
    basin_text_free(&text);
    return j;
}

static char *page_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char  *text = calloc(1, 1 << 24);
    size_t n = fread(text, 1, (1 << 24) - 1, f);
    assert_int_equal(strlen(text), n);
    fclose(f);
    return text;
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    assert_true(json_is_number(v));
    return json_number_value(v);
}

static const json_t *array(const json_t *o, const char *key, size_t n)
{
    const json_t *v = json_object_get(o, key);
    assert_true(json_is_array(v));
    if (n > 0)
        assert_int_equal(json_array_size(v), n);
    return v;
}

static double at(const json_t *matrix, size_t i, size_t j)
{
    return json_number_value(json_array_get(json_array_get(matrix, i), j));
}

static void check_steps(const json_t *o, const char *search, int steps)
{
    const json_t *x = json_object_get(json_object_get(o, "steps"), search);
    const size_t  n = (size_t)steps + 1;
    assert_int_equal(json_integer_value(json_array_get(array(x, "step", n), n - 1)), steps);
    const json_t *score = array(x, "score", n), *energy = array(x, "energy", n);
    for (size_t i = 0; i < n; i++) {
        const double v = json_number_value(json_array_get(score, i));
        assert_true(v >= 0 && v <= 1);
        /* the best of the search so far is kept */
        if (i > 0)
            assert_true(json_number_value(json_array_get(energy, i)) <=
                        json_number_value(json_array_get(energy, i - 1)) + 1e-4);
    }
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

/* The table of a row marks labels that are rightly on, and those that are wrong. */
static void check_chips(const json_t *terms, const char *page)
{
    int right = 0, wrong = 0;
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *t = json_array_get(terms, i);
        const char   *truth = json_string_value(json_object_get(t, "truth"));
        const char   *predicted = json_string_value(json_object_get(t, "predicted"));
        wrong += strcmp(truth, predicted) != 0;
        right += strcmp(truth, predicted) == 0 && strcmp(truth, "on") == 0;
    }
    assert_true(right > 0 && wrong > 0);
    assert_int_equal(count(page, "class=\"chip right\""), right);
    assert_int_equal(count(page, "class=\"chip wrong\""), wrong);
}

/* The numbers of a map have two digits behind the point. */
static void check_digits(const char *page, const char *map)
{
    const char *at = strstr(page, map);
    assert_non_null(at);
    const char *end = strstr(at, "</svg>");
    int         n = 0;
    for (; (at = strstr(at, "</title>")) && at < end; at++, n++)
        assert_true(at[-3] == '.' || at[-1] == '0');
    assert_true(n > LABELS);
}

static void check_strongest(const json_t *list, bool positive)
{
    assert_true(json_array_size(list) > 0);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const double v = number(json_array_get(list, i), "interaction");
        assert_true(positive ? v > 0 : v < 0);
        if (i > 0)
            assert_true(fabs(v) <= fabs(number(json_array_get(list, i - 1), "interaction")));
    }
}

/* Where the truth differs from the prediction in one label, what that one costs is the difference
 * of their energies: what having a label costs is the sum of its parts. */
static bool check_costs(const json_t *row)
{
    const json_t *terms = array(row, "terms", LABELS);
    double        change = 0;
    int           differ = 0;
    for (size_t i = 0; i < LABELS; i++) {
        const json_t *t = json_array_get(terms, i);
        const char   *truth = json_string_value(json_object_get(t, "truth"));
        const double  cost = number(t, "local") + number(t, "shared");
        if (strcmp(truth, json_string_value(json_object_get(t, "predicted"))) == 0)
            continue;
        change = strcmp(truth, "on") == 0 ? cost : -cost;
        differ++;
    }
    if (differ == 1)
        assert_true(fabs(number(row, "energy_truth") - number(row, "energy") - change) <
                    1e-4 * (1 + fabs(change)));
    return differ == 1;
}

static void label_sets(void **state)
{
    const char           *set[] = {"method", "seal-nce", NULL};
    basin_explain_options o = {.html = "a.html", .row = 3, .threads = 1};
    (void)state;
    train_to("d.arff", "labels", set);
    json_t       *j = explained("labels", "d.arff", &o);
    const json_t *pairs = json_object_get(j, "interaction");
    const json_t *matrix = array(pairs, "matrix", LABELS), *count = array(pairs, "count", LABELS);
    array(j, "labels", LABELS);
    for (size_t a = 0; a < LABELS; a++)
        for (size_t b = 0; b < LABELS; b++) {
            assert_true(fabs(at(matrix, a, b) - at(matrix, b, a)) < 1e-9);
            assert_true(at(count, a, b) <= at(count, a, a));
        }
    assert_int_equal((int)number(pairs, "pairs"), LABELS * (LABELS - 1) / 2);
    check_steps(j, "gbi", 4);
    check_steps(j, "refine", 4);
    /* in the order of tables: counts, given frequencies, information, pairs alone */
    array(pairs, "agreement", 4);
    check_strongest(array(pairs, "rewarded", 0), true);
    check_strongest(array(pairs, "punished", 0), false);
    const json_t *row = json_object_get(j, "row");
    check_steps(row, "refine", 4);
    char *page = page_of("a.html");
    check_chips(array(row, "terms", LABELS), page);
    check_digits(page, "log of count over expected");
    json_decref(j);
    html_check_nesting(page);
    html_check_alone(page);
    free(page);
}

static void costs_of_labels_are_differences_of_energies(void **state)
{
    const char           *set[] = {"method", "seal-nce", "epochs", "15", "net.width", "32", NULL};
    basin_explain_options o = {.rows = 10, .threads = 1};
    int                   checked = 0;
    (void)state;
    train_to("d.arff", "learnt", set);
    for (o.row = 1; o.row <= 40; o.row++) {
        json_t *j = explained("learnt", "d.arff", &o);
        checked += check_costs(json_object_get(j, "row"));
        json_decref(j);
    }
    assert_true(checked > 0);
}

static void make(const char *kind, const char *options, const char *file)
{
    basin_text text;
    OK(basin_data_make(kind, options, 3, file, NULL, NULL, &text, err));
    basin_text_free(&text);
}

static void sentences(void **state)
{
    const char           *set[] = {"method", "infnet+", NULL};
    basin_explain_options o = {.html = "b.html", .row = 2, .threads = 1};
    (void)state;
    make("tag", "rows=60 length=5", "d.conll");
    train_to("d.conll", "tags", set);
    json_t       *j = explained("tags", "d.conll", &o);
    const size_t  n = json_array_size(json_object_get(j, "labels"));
    const json_t *pairs = json_object_get(j, "interaction");
    assert_true(n > 2);
    array(pairs, "matrix", n);
    assert_int_equal((size_t)number(pairs, "pairs"), n * (n - 1));
    check_steps(j, "refine", 4);
    /* energies of a chain are the sum of those of its tokens */
    const json_t *row = json_object_get(j, "row"), *terms = array(row, "terms", 0);
    double        sum = 0;
    for (size_t i = 0; i < json_array_size(terms); i++)
        sum +=
            number(json_array_get(terms, i), "local") + number(json_array_get(terms, i), "shared");
    assert_true(fabs(sum - number(row, "energy")) < 1e-4 * (1 + fabs(sum)));
    json_decref(j);
    char *page = page_of("b.html");
    html_check_nesting(page);
    html_check_alone(page);
    free(page);
}

/* Words of sentences of one word cannot interact, nor does a word with itself. */
static void roles(void **state)
{
    const char *set[] = {"method", "seal-nce", "energy.kind", "lm-both", "words.width", "6", NULL};
    basin_explain_options o = {.threads = 1};
    (void)state;
    make("roles", "rows=20 clauses=1 words=3", "d.props");
    FILE *f = fopen("one.props", "w");
    assert_non_null(f);
    fprintf(f, "does-1\tdoes-1\t(V*)\n\ndoes-2\tdoes-2\t(V*)\n\n");
    fclose(f);
    train_to("d.props", "props", set);
    for (int i = 0; i < 2; i++) {
        json_t       *j = explained("props", i ? "one.props" : "d.props", &o);
        const size_t  n = json_array_size(json_object_get(j, "labels"));
        const json_t *matrix = array(json_object_get(j, "interaction"), "matrix", n);
        double        most = 0;
        assert_in_range(n, 2, 7);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                most = fmax(most, fabs(at(matrix, a, b)));
        assert_true(i ? most < 1e-6 : most > 1e-3);
        json_decref(j);
    }
}

static void images(void **state)
{
    const char *set[] = {"method", "seal-nce", "seg.crops", "1", "energy.hidden", "64", NULL};
    basin_explain_options o = {.html = "c.html", .row = 1, .part = "all", .threads = 1};
    (void)state;
    make("seg", "images=12 size=16", "d.tar");
    train_to("d.tar", "masks", set);
    json_t       *j = explained("masks", "d.tar", &o);
    const json_t *pixels = json_object_get(j, "pixels");
    const json_t *own = array(pixels, "interaction", 17), *masks = array(pixels, "masks", 17);
    assert_int_equal(json_array_size(json_array_get(own, 3)), 17);
    assert_true(at(masks, 8, 9) > at(masks, 8, 13)); /* masks agree more with near pixels */
    assert_true(fabs(at(masks, 8, 8) - 1) < 1e-9);
    array(j, "images", 4);
    check_steps(j, "gbi", 4);
    const json_t *row = json_object_get(j, "row");
    assert_true(isfinite(number(row, "energy")) && isfinite(number(row, "energy_truth")));
    assert_int_equal(json_array_size(array(json_object_get(row, "image"), "pull", 0)), 16);
    json_decref(j);
    char *page = page_of("c.html");
    html_check_nesting(page);
    html_check_alone(page);
    free(page);
}

/* Of three classes, the last of which never occurs. */
static void images_of_more_classes(void **state)
{
    const char           *set[] = {"method", "seal-regression", "seg.crops", "1", "mask.classes",
                                   "3",      "epochs",          "1",         NULL};
    basin_explain_options o = {.row = 1, .part = "all", .rows = 4, .threads = 1};
    (void)state;
    train_to("d.tar", "three", set);
    json_t *j = explained("three", "d.tar", &o);
    array(j, "labels", 3);
    const json_t *map = array(json_array_get(array(j, "images", 4), 0), "pull", 0);
    for (size_t i = 0; i < json_array_size(map); i++)
        assert_true(at(map, i, i) >= 0);
    assert_true(isfinite(number(json_object_get(j, "row"), "energy")));
    json_decref(j);
}

static void plain_nets_are_refused(void **state)
{
    const char *set[] = {"method", "ce", NULL}, *file = "d.arff";
    basin_text  text;
    basin_error err = {0};
    (void)state;
    train_to("d.arff", "ce", set);
    assert_int_equal(basin_explain("ce", &file, 1, NULL, NULL, &text, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "no energy to explain"));
    assert_null(text.json);
}

static void a_request_to_stop_is_followed(void **state)
{
    const char           *file = "d.arff";
    volatile int          stop = 1;
    basin_session         session = {sizeof session, .stop = &stop};
    basin_explain_options o = {.html = "never.html"};
    basin_text            text;
    (void)state;
    assert_int_equal(basin_explain("labels", &file, 1, &o, &session, &text, NULL),
                     BASIN_EINTERRUPTED);
    assert_int_not_equal(access("never.html", F_OK), 0);
}

/* A file that cannot even be looked at for want of memory may be taken for one of another kind. */
static void check_memory(const char *run, const char *data, basin_status also)
{
    long tried = 0;
    for (long n = 1;; n += 1 + n / 12, tried++) {
        basin_error           err = {0};
        basin_text            text;
        basin_explain_options o = {
            .html = "m.html", .row = 1, .rows = 8, .threads = 1, .part = NULL};
        long live = bs_mem_live(), calls = bs_mem_calls();
        bs_mem_fail_at(n);
        basin_status s = basin_explain(run, &data, 1, &o, NULL, &text, &err);
        bs_mem_fail_at(0);
        basin_text_free(&text);
        if (bs_mem_live() != live || (s != BASIN_OK && s != BASIN_ENOMEM && s != also)) {
            fprintf(stderr, "  %s, allocation %ld: status %d '%s', %ld blocks leak\n", run, n,
                    (int)s, err.msg, bs_mem_live() - live);
            fail();
        }
        if (bs_mem_calls() - calls < n) {
            assert_int_equal(s, BASIN_OK);
            break;
        }
    }
    assert_true(tried > 30);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    check_memory("labels", "d.arff", BASIN_ENOMEM);
    check_memory("tags", "d.conll", BASIN_ENOMEM);
    check_memory("masks", "d.tar", BASIN_EDATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_sets),
        cmocka_unit_test(costs_of_labels_are_differences_of_energies),
        cmocka_unit_test(sentences),
        cmocka_unit_test(roles),
        cmocka_unit_test(images),
        cmocka_unit_test(images_of_more_classes),
        cmocka_unit_test(plain_nets_are_refused),
        cmocka_unit_test(a_request_to_stop_is_followed),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("explain", tests, in_temporary_folder, leave_folder);
}
