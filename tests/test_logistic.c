/* test_logistic.c -- the linear baseline: what can be separated is, threads change no bit, large
 * data is left alone. */
#include <math.h>
#include <string.h>

#include "tasks/mlc/logistic.h"
#include "tests/data_helper.h"

enum { ROWS = 200, LABELS = 20 };

/* Label l is on where feature l is, of 20 features, or was so many rows before; dense rows also
 * lack some numbers. */
static bs_rows *rows_before(bool dense, unsigned shift, unsigned before)
{
    static char text[1 << 17];
    size_t      at = 0;
    for (int l = 0; l < 2 * LABELS; l++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%d", l ? "," : "",
                               l < LABELS ? "x" : "y", l % LABELS);
    for (unsigned r = 0; r < ROWS; r++) {
        text[at++] = '\n';
        for (unsigned l = 0; l < 2 * LABELS; l++) {
            const unsigned row = r + shift - (l < LABELS ? 0 : before);
            const bool     on = (row * 2654435761u >> (l % LABELS)) % 3 == 0;
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", l ? "," : "",
                                   dense && l == 3 && r % 50 == 7 ? ""
                                   : dense && l < LABELS          ? (on ? "7.5" : "2.25")
                                   : on                           ? "1"
                                                                  : "0");
        }
    }
    text[at] = '\0';
    return read_text(text, "labels=last:20", NULL);
}

static bs_rows *rows_of(bool dense, unsigned shift)
{
    return rows_before(dense, shift, 0);
}

static bs_logistic *fit(const bs_rows *train, const bs_rows *valid, const bs_schema *schema,
                        int32_t rows, int threads)
{
    bs_logistic *m;
    basin_error  err = {0};
    if (bs_logistic_fit(train, valid, schema, rows, threads, &m, &err))
        fail_msg("%s", err.msg);
    return m;
}

static int right(const bs_rows *d, const float *p)
{
    int n = 0;
    for (int32_t r = 0; r < d->rows; r++)
        for (int32_t l = 0, e = d->y.start[r]; l < LABELS; l++) {
            const bool on = e < d->y.start[r + 1] && d->y.index[e] == l;
            e += on;
            n += (p[r * LABELS + l] >= 0.5f) == on;
        }
    return n;
}

static void what_can_be_separated_is(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        static float p[2][ROWS * LABELS];
        bs_rows     *train = rows_of(dense, 0), *valid = rows_of(dense, 1000);
        bs_schema    schema = train->schema;
        assert_int_equal(bs_schema_fit(train, dense, &train->arena, &schema, NULL), BASIN_OK);
        for (int threads = 1; threads < 3; threads++) {
            bs_logistic *m = fit(train, valid, &schema, 0, threads);
            assert_non_null(m);
            assert_int_equal(bs_logistic_scores(m, valid, p[threads - 1], NULL), BASIN_OK);
            bs_logistic_free(m);
        }
        assert_memory_equal(p[0], p[1], sizeof p[0]);
        assert_true(right(valid, p[0]) >= ROWS * LABELS * (dense ? 99 : 100) / 100);
        /* some of the rows: another model, and not a better one */
        bs_logistic *m = fit(train, valid, &schema, 5, 1);
        assert_int_equal(bs_logistic_scores(m, valid, p[1], NULL), BASIN_OK);
        assert_true(right(valid, p[1]) < right(valid, p[0]));
        bs_logistic_free(m);
        bs_rows_free(train);
        bs_rows_free(valid);
    }
}

static double log_loss(const bs_logistic *m, const bs_rows *d)
{
    static float p[ROWS * LABELS];
    double       sum = 0;
    assert_int_equal(bs_logistic_scores(m, d, p, NULL), BASIN_OK);
    for (int32_t r = 0; r < d->rows; r++)
        for (int32_t l = 0, e = d->y.start[r]; l < LABELS; l++) {
            const bool on = e < d->y.start[r + 1] && d->y.index[e] == l;
            e += on;
            sum -= log((double)(on ? p[r * LABELS + l] : 1 - p[r * LABELS + l]));
        }
    return sum / (d->rows * LABELS);
}

/* Where nothing can be learnt, epochs that are chosen on rows which were set aside do less harm on
 * other rows than those that suit the training rows best. */
static void epochs_are_chosen_on_rows_set_aside(void **state)
{
    (void)state;
    static float p[2][ROWS * LABELS];
    bs_rows     *train = rows_before(false, 0, 77777), *other = rows_before(false, 5000, 33333);
    bs_logistic *greedy = fit(train, train, &train->schema, 0, 1);
    bs_logistic *m[2] = {fit(train, NULL, &train->schema, 0, 1),
                         fit(train, NULL, &train->schema, 0, 2)};
    assert_true(log_loss(greedy, train) < log_loss(m[0], train));
    assert_true(log_loss(greedy, other) > log_loss(m[0], other) + 0.01);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bs_logistic_scores(m[i], other, p[i], NULL), BASIN_OK);
        bs_logistic_free(m[i]);
    }
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    bs_logistic_free(greedy);
    bs_rows_free(train);

    /* What can be learnt is, from all rows. */
    train = rows_of(false, 0);
    bs_logistic *all = fit(train, NULL, &train->schema, 0, 1);
    assert_int_equal(bs_logistic_scores(all, train, p[0], NULL), BASIN_OK);
    assert_int_equal(right(train, p[0]), ROWS * LABELS);
    bs_logistic_free(all);
    bs_rows_free(train);
    bs_rows_free(other);
}

/* What would take long is not begun. */
static void large_data_is_left_alone(void **state)
{
    (void)state;
    bs_rows  *train = rows_of(false, 0);
    bs_schema schema = train->schema;
    assert_int_equal(bs_schema_fit(train, false, &train->arena, &schema, NULL), BASIN_OK);
    schema.n_labels = 100000;
    assert_null(fit(train, train, &schema, 0, 1));
    bs_rows_free(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_be_separated_is),
        cmocka_unit_test(epochs_are_chosen_on_rows_set_aside),
        cmocka_unit_test(large_data_is_left_alone),
    };
    return cmocka_run_group_tests_name("logistic", tests, NULL, NULL);
}
