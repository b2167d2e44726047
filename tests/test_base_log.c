/* test_base_log.c -- what reaches a log file, and what a bar writes to a terminal. */
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static char written[8192];

/* Everything written to the file so far, and empties it. */
static const char *take(FILE *f)
{
    fflush(f);
    rewind(f);
    size_t n = fread(written, 1, sizeof written - 1, f);
    written[n] = '\0';
    rewind(f);
    assert_int_equal(ftruncate(fileno(f), 0), 0);
    return written;
}

static FILE *scratch(void)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    return f;
}

static void files_are_no_terminals(void **state)
{
    (void)state;
    FILE     *f = scratch();
    bs_logger log = bs_log_make(f, BS_INFO);
    assert_false(log.terminal);
    assert_false(log.color);
    assert_int_equal(log.columns, 80);
    assert_int_equal(log.bar_len, 0);

    bs_progress p = bs_progress_start(&log, "epoch 1", "rows", 100);
    p.drawn -= 1;
    bs_progress_set(&p, 50);
    bs_progress_end(&p);
    assert_string_equal(take(f), "");
    fclose(f);
}

static void levels_decide(void **state)
{
    (void)state;
    FILE     *f = scratch();
    bs_logger log = bs_log_make(f, BS_INFO);
    bs_log_say(&log, BS_WARN, "few rows: %d", 3);
    bs_log_say(&log, BS_INFO, "reading");
    bs_log_say(&log, BS_DEBUG, "hidden");
    bs_log_say(&log, BS_QUIET, "hidden");
    assert_string_equal(take(f), "warning: few rows: 3\nreading\n");
    log.level = BS_QUIET;
    bs_log_say(&log, BS_WARN, "hidden");
    assert_string_equal(take(f), "");
    log.level = BS_DEBUG;
    bs_log_say(&log, BS_DEBUG, "shown");
    assert_string_equal(take(f), "shown\n");
    fclose(f);
}

static void nobody_listens(void **state)
{
    (void)state;
    bs_logger log = bs_log_make(NULL, BS_DEBUG);
    log.terminal = true;
    bs_log_say(&log, BS_WARN, "x");
    bs_log_say(NULL, BS_WARN, "x");
    bs_progress p = bs_progress_start(&log, "x", "y", 1);
    p.drawn -= 1;
    bs_progress_set(&p, 1);
    bs_progress_end(&p);
    p = bs_progress_start(NULL, "x", "y", 1);
    bs_progress_set(&p, 1);
    bs_progress_end(&p);
}

static void lines_are_single_and_clean(void **state)
{
    (void)state;
    FILE     *f = scratch();
    bs_logger log = bs_log_make(f, BS_INFO);
    bs_log_say(&log, BS_INFO, "a\nb\x1b[2Jc\n");
    assert_string_equal(take(f), "a\\nb\\x1b[2Jc\n");
    bs_log_say(&log, BS_INFO, "%*s", 5000, "x");
    const char *text = take(f);
    assert_int_equal(strlen(text), 2048);
    assert_string_equal(text + 2044, "...\n");
    fclose(f);
}

static void warnings_are_coloured_on_request(void **state)
{
    (void)state;
    FILE     *f = scratch();
    bs_logger log = bs_log_make(f, BS_INFO);
    log.terminal = log.color = true;
    bs_log_say(&log, BS_WARN, "hot");
    bs_log_say(&log, BS_INFO, "plain");
    assert_string_equal(take(f), "\033[33mwarning: \033[0mhot\nplain\n");
    fclose(f);
}

static void bars_come_and_go(void **state)
{
    (void)state;
    FILE     *f = scratch();
    bs_logger log = bs_log_make(f, BS_INFO);
    log.terminal = true;
    log.columns = 100;

    bs_progress p = bs_progress_start(&log, "epoch 3", "rows", 1000);
    p.drawn += 100;           /* times far apart: a busy machine must not change the answer */
    bs_progress_set(&p, 100); /* too early */
    assert_string_equal(take(f), "");

    p.started -= 1000;
    p.drawn -= 1000;
    bs_progress_set(&p, 250);
    const char *text = take(f);
    assert_non_null(strstr(text, "\repoch 3 [######..................]  25%  0.25 rows/s  50:"));
    assert_non_null(strstr(text, " left"));
    assert_int_equal(log.bar_len, strlen(text) - 1);
    int len = log.bar_len;
    p.drawn += 100;
    bs_progress_set(&p, 260); /* within a tenth of a second */
    assert_string_equal(take(f), "");

    char want[256];
    bs_log_say(&log, BS_INFO, "row");
    snprintf(want, sizeof want, "\r%*s\rrow\n", len, "");
    assert_string_equal(take(f), want);
    assert_int_equal(log.bar_len, 0);

    p.drawn -= 1000;
    bs_progress_set(&p, 2000); /* more than all */
    assert_non_null(strstr(take(f), "[########################] 100%"));
    len = log.bar_len;
    bs_progress_end(&p);
    snprintf(want, sizeof want, "\r%*s\r", len, "");
    assert_string_equal(take(f), want);
    bs_progress_end(&p);
    assert_string_equal(take(f), "");
    fclose(f);
}

static void bars_fit_the_terminal(void **state)
{
    (void)state;
    FILE     *f = scratch();
    bs_logger log = bs_log_make(f, BS_INFO);
    log.terminal = true;
    for (int columns = 2; columns < 60; columns++) {
        log.columns = columns;
        log.bar_len = 0;
        bs_progress p = bs_progress_start(&log, "\xc3\xa4\xc3\xb6\xc3\xbc", "rows", 10);
        p.drawn -= 1;
        bs_progress_set(&p, 5);
        const char *text = take(f);
        int         shown = 0;
        for (const char *c = text + 1; *c; c++)
            shown += ((unsigned char)*c & 0xC0) != 0x80;
        assert_true(shown <= columns - 1);
        assert_int_equal(shown, log.bar_len);
    }
    /* A shorter bar covers the longer one before it. */
    log.columns = 50;
    log.bar_len = 40;
    bs_progress p = bs_progress_start(&log, "a", "b", 0);
    p.started -= 1000;
    p.drawn -= 1;
    bs_progress_set(&p, 12345);
    const char *text = take(f);
    assert_non_null(strstr(text, "\ra  12.3k b  12.3 b/s "));
    assert_int_equal(strlen(text), 41);
    fclose(f);
}

static void bars_say_when_all_is_over(void **state)
{
    (void)state;
    FILE       *f = scratch();
    bs_logger   log = bs_log_make(f, BS_INFO);
    bs_progress p = bs_progress_start(&log, "epoch 3", "rows", 1000);
    log.terminal = true;
    log.columns = 100;
    p.started -= 1000;
    p.drawn -= 1000;
    p.later = 10000;
    bs_progress_set(&p, 500);
    const char *text = take(f);
    assert_non_null(strstr(text, "\repoch 3 [######......]  50%  0.50 rows/s  16:"));
    assert_non_null(strstr(text, " left, over in 2:"));
    p.drawn -= 1000;
    assert_true(bs_progress_due(&p));
    bs_progress_show(&p, 0.25, "3 trials");
    assert_non_null(strstr(take(f), "\r[###.........] 3 trials"));
    assert_false(bs_progress_due(&p));
    fclose(f);
}

static void long_lines_are_broken_on_terminals(void **state)
{
    (void)state;
    FILE       *f = scratch();
    bs_logger   log = bs_log_make(f, BS_INFO);
    const char *text = "  one two three four five six seven eight nine ten";
    bs_log_say(&log, BS_INFO, "%s", text);
    assert_string_equal(take(f), "  one two three four five six seven eight nine ten\n");
    log.terminal = true;
    log.columns = 30;
    bs_log_say(&log, BS_INFO, "%s", text);
    assert_string_equal(take(f), "  one two three four five six\n    seven eight nine ten\n");
    bs_log_say(&log, BS_WARN, "twenty columns are to be had");
    assert_string_equal(take(f), "warning: twenty columns are\n  to be had\n");
    bs_log_say(&log, BS_INFO, "%040d", 7); /* no blank to break it at */
    assert_string_equal(take(f), "00000000000000000000000000000\n  00000000007\n");
    bs_log_row(&log, BS_PLAIN, "%s", text); /* a table is cut */
    assert_string_equal(take(f), "  one two three four five six \n");
    log.color = true;
    bs_log_row(&log, BS_DIM, "a");
    bs_log_row(&log, BS_GOOD, "b");
    assert_string_equal(take(f), "\033[2ma\033[0m\n\033[32mb\033[0m\n");
    fclose(f);
}

static void clock_goes_forward(void **state)
{
    (void)state;
    double a = bs_seconds(), b = bs_seconds();
    assert_true(a > 0 && b >= a && b - a < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_no_terminals),
        cmocka_unit_test(levels_decide),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(lines_are_single_and_clean),
        cmocka_unit_test(warnings_are_coloured_on_request),
        cmocka_unit_test(bars_come_and_go),
        cmocka_unit_test(bars_fit_the_terminal),
        cmocka_unit_test(bars_say_when_all_is_over),
        cmocka_unit_test(long_lines_are_broken_on_terminals),
        cmocka_unit_test(clock_goes_forward),
    };
    return cmocka_run_group_tests_name("base log", tests, NULL, NULL);
}
