/* test_run_state.c -- the state of a run and nets that were pre-trained, as somebody might have
 * changed them: every number of theirs is refused where no run could have left it, in one line,
 * before anything has happened. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "device/cpu/vec.h"
#include "tiny_run.h"

static tiny *run;

static void state_path(char path[TINY_PATH])
{
    snprintf(path, TINY_PATH, "%s/last/state.safetensors", run->run);
}

static void write_state(const tiny_file *f)
{
    char   path[TINY_PATH];
    bs_buf bytes;
    state_path(path);
    tiny_seal(f, &bytes);
    tiny_write(path, bytes.data, bytes.len);
    bs_buf_free(&bytes);
}

/* A run of a method that was stopped after some batches. */
static void stop_after(int method, int batches)
{
    basin_error err;
    tiny_remove(run->run);
    assert_int_equal(tiny_train(run, &run->settings[method], batches, false, NULL, &err),
                     BASIN_EINTERRUPTED);
}

/* What is in the run folder, with names, as one text. */
static void listing(bs_buf *out)
{
    char  command[2 * TINY_PATH], line[512];
    FILE *p;
    bs_buf_init(out, 1 << 20);
    snprintf(command, sizeof command, "cd %s && find . -type f | sort | xargs sha256sum", run->run);
    assert_non_null(p = popen(command, "r"));
    while (fgets(line, sizeof line, p))
        bs_buf_text(out, line);
    assert_int_equal(pclose(p), 0);
}

/* Whether the file as it is now is gone on with; if not, nothing has changed and one line says why.
 */
static bool accepted(int method, const tiny_file *f, basin_error *err)
{
    char path[TINY_PATH];
    state_path(path);
    write_state(f);
    *err = (basin_error){0};
    const basin_status s = tiny_train(run, &run->settings[method], 1, true, NULL, err);
    if (s == BASIN_OK || s == BASIN_EINTERRUPTED || s == BASIN_ENUMERIC)
        return true;
    assert_int_equal(s, BASIN_EDATA);
    assert_true(strstr(err->msg, path) == err->msg && !strchr(err->msg, '\n'));
    assert_non_null(strstr(err->msg, "remove the file to train again"));
    return false;
}

/* ---- numbers ---- */

/* Every number of every method is replaced by what no count, no rate and no time is. Scores and
 * sums may be anything, so that not all are refused, but nothing is done with them either. */
static void no_number_is_believed(void **state)
{
    static const double values[] = {NAN,   INFINITY, -INFINITY,    -1,  0.5,
                                    1e300, -1e300,   4294967296.0, 1e19};
    const long          live = bs_mem_live();
    (void)state;
    for (int method = 0; method < TINY_METHODS; method++) {
        char      path[TINY_PATH];
        tiny_file f;
        int       refused = 0, tried = 0;
        stop_after(method, 7);
        state_path(path);
        tiny_open(path, &f);
        const int at = tiny_find(&f, "numbers"), n = (int)(f.tensor[at].bytes / sizeof(double));
        double   *row = f.data[at];
        for (int i = 0; i < n; i++)
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
                const double before = row[i];
                basin_error  err;
                row[i] = values[k];
                refused += !accepted(method, &f, &err);
                tried++;
                row[i] = before;
            }
        basin_error err;
        assert_true(accepted(method, &f, &err));
        assert_true(refused > tried * 3 / 4);
        tiny_close(&f);
    }
    assert_int_equal(bs_mem_live(), live);
}

/* What would be believed if each number were looked at by itself. */
static void numbers_fit_each_other(void **state)
{
    enum {
        PHASE,
        START,
        NET,
        NEXT_ROW,
        EPOCH,
        BEST_EPOCH,
        BAD,
        SCORE,
        SECONDS,
        TRAINED,
        ROWS,
        STEP
    };
    static const struct {
        int         method, batches, at;
        double      value;
        const char *message;
    } rows[] = {
        /* 10 rows in batches of 4: three an epoch; "ce" has one phase, 4 epochs */
        {0, 4, PHASE, 1, "phase is 1, not 0"},
        {0, 4, PHASE, 3, "phase is 3, not 0"},
        {0, 4, START, 1, "phase_start is 1, not 0"},
        {0, 4, NET, 1, "net_epoch is 1, not 0"},
        {0, 4, NEXT_ROW, 11, "next_row is 11, not a whole number from 0 to 10"},
        {0, 4, NEXT_ROW, 8, "rows_seen is 14, not 18"},
        {0, 4, EPOCH, 0, "epoch is 0, not a whole number from 1 to 5"},
        {0, 4, EPOCH, 6, "epoch is 6, not a whole number from 1 to 5"},
        {0, 4, EPOCH, 5, "rows_seen is 14, not 44"},
        {0, 4, BEST_EPOCH, 2, "best_epoch is 2, not 1"},
        {0, 4, BEST_EPOCH, 0, "best_epoch is 0, not 1"},
        {0, 2, BEST_EPOCH, 1, "best_epoch is 1, not 0"},
        {0, 4, BAD, 1, "bad is 1, not 0"},
        {0, 4, SCORE, 1.5, "best_score is 1.5, not a number from -1e-06 to 1.000001"},
        {0, 2, SCORE, 0.5, "best_score is 0.5, not 0"},
        {0, 4, ROWS, 13, "rows_seen is 13, not 14"},
        {0, 4, STEP, 3, "is 4, not a whole number from 0 to 3"},
        /* "seal-static-nce" has three phases, of which the first two have 2 epochs here */
        {2, 4, PHASE, 3, "phase is 3, not a whole number from 0 to 2"},
        {2, 7, PHASE, 2, "clip is 10, not 0"},
        {2, 7, START, 3, "phase_start is 3, not a whole number from 0 to 2"},
        {2, 7, EPOCH, 2, "epoch is 2, not a whole number from 3 to 5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char        path[TINY_PATH];
        tiny_file   f;
        bs_buf      before, after;
        basin_error err;
        stop_after(rows[i].method, rows[i].batches);
        state_path(path);
        tiny_open(path, &f);
        ((double *)f.data[tiny_find(&f, "numbers")])[rows[i].at] = rows[i].value;
        write_state(&f);
        listing(&before);
        if (accepted(rows[i].method, &f, &err) || !strstr(err.msg, rows[i].message)) {
            fprintf(stderr, "  row %d: '%s', not '%s'\n", (int)i, err.msg, rows[i].message);
            fail();
        }
        listing(&after);
        assert_string_equal(before.data, after.data);
        bs_buf_free(&before);
        bs_buf_free(&after);
        tiny_close(&f);
    }
}

/* ---- blocks ---- */

static void blocks_are_sound(void **state)
{
    static const struct {
        const char *block;
        float       value;
        bool        good;
    } rows[] = {
        {"value", NAN, false},     {"value", INFINITY, false}, {"value", -1e30F, true},
        {"m", NAN, false},         {"m", -INFINITY, false},    {"v", NAN, false},
        {"v", -1, false},          {"v", INFINITY, true},      {"best", NAN, false},
        {"best", INFINITY, false},
    };
    char        path[TINY_PATH];
    tiny_file   f;
    basin_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stop_after(0, 4);
        state_path(path);
        tiny_open(path, &f);
        ((float *)f.data[tiny_find(&f, rows[i].block)])[0] = rows[i].value;
        if (accepted(0, &f, &err) != rows[i].good) {
            fprintf(stderr, "  %s: %s\n", rows[i].block, err.msg);
            fail();
        }
        tiny_close(&f);
    }
    /* as many bytes, of another type */
    stop_after(0, 4);
    tiny_open(path, &f);
    f.tensor[tiny_find(&f, "m")].dtype = BS_DTYPE_I32;
    assert_false(accepted(0, &f, &err));
    assert_non_null(strstr(err.msg, "'m' is missing or has another size"));
    tiny_close(&f);
}

/* ---- arithmetic ---- */

static int meta_of(const tiny_file *f, const char *key)
{
    int i = 0;
    while (i < f->n_meta && strcmp(f->meta[i].key, key) != 0)
        i++;
    assert_true(i < f->n_meta);
    return i;
}

static void another_arithmetic_is_refused_or_said(void **state)
{
    static const char *const theirs[] = {"sve2, BLAS of another machine", NULL};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char        path[TINY_PATH], *said = NULL;
        size_t      n = 0;
        tiny_file   f;
        bs_buf      before, after;
        basin_error err;
        bs_settings any = run->settings[0];
        tiny_set(&any, "resume.arithmetic=any");
        stop_after(0, 4);
        state_path(path);
        tiny_open(path, &f);
        const int at = meta_of(&f, "basin.arithmetic"), last = f.n_meta - 1;
        char     *mine = f.text[at];
        f.meta[at].value = theirs[i];
        if (!theirs[i]) { /* nobody knows */
            const bs_meta m = f.meta[last];
            f.meta[last] = f.meta[at];
            f.meta[at] = m;
            f.n_meta--;
        }
        write_state(&f);
        listing(&before);
        assert_int_equal(tiny_train(run, &run->settings[0], 1, true, NULL, &err), BASIN_EARG);
        listing(&after);
        assert_string_equal(before.data, after.data);
        bs_buf_free(&before);
        bs_buf_free(&after);
        const char *was = theirs[i] ? theirs[i] : "unknown";
        assert_true(strstr(err.msg, path) == err.msg && strstr(err.msg, was) &&
                    strstr(err.msg, mine) && strstr(err.msg, "resume.arithmetic=any"));

        FILE     *to = open_memstream(&said, &n);
        bs_logger log = {.file = to, .level = BS_WARN};
        assert_int_equal(tiny_train(run, &any, 1, true, &log, &err), BASIN_EINTERRUPTED);
        fclose(to);
        assert_true(strstr(said, was) && strstr(said, mine));
        free(said);
        /* and from there on it is of this one */
        assert_int_equal(tiny_train(run, &run->settings[0], 1, true, NULL, &err),
                         BASIN_EINTERRUPTED);
        f.n_meta = last + 1;
        tiny_close(&f);
    }
}

/* Where the processor has another one. */
static void an_instruction_set_is_an_arithmetic(void **state)
{
    basin_error err;
    (void)state;
    stop_after(0, 4);
    setenv("BASIN_ISA", "plain", 1);
    basin_status s = tiny_train(run, &run->settings[0], 1, true, NULL, &err);
    unsetenv("BASIN_ISA");
    if (bs_vec_named("avx2"))
        assert_true(s == BASIN_EARG && strstr(err.msg, "now it is plain"));
    else
        assert_int_equal(s, BASIN_EINTERRUPTED);
}

/* That they would be misread is not left to chance. */
static void states_of_other_versions_are_refused(void **state)
{
    char        path[TINY_PATH];
    tiny_file   f;
    basin_error err;
    (void)state;
    stop_after(0, 4);
    state_path(path);
    tiny_open(path, &f);
    f.meta[meta_of(&f, "basin.state")].value = "1";
    write_state(&f);
    assert_int_equal(tiny_train(run, &run->settings[0], 1, true, NULL, &err), BASIN_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "another version of Basin"));
    tiny_close(&f);
}

/* ---- nets that were pre-trained ---- */

static void cached_path(char path[TINY_PATH])
{
    char  command[2 * TINY_PATH];
    FILE *p;
    snprintf(command, sizeof command, "ls -d %s/nets/*", run->folder);
    assert_non_null(p = popen(command, "r"));
    assert_non_null(fgets(path, TINY_PATH, p));
    path[strcspn(path, "\n")] = '\0';
    assert_int_equal(pclose(p), 0);
}

static void read_model(bs_buf *out)
{
    char path[TINY_PATH + 32];
    snprintf(path, sizeof path, "%s/best.safetensors", run->run);
    bs_buf_init(out, 1 << 20);
    assert_int_equal(bs_read_file(path, out, NULL), BASIN_OK);
}

typedef struct {
    tiny_file   f;
    bs_settings settings;
    bs_buf      model; /* of a run without shared nets */
    char        path[TINY_PATH];
} shared;

static void shared_begin(shared *x)
{
    char set[TINY_PATH + 32];
    x->settings = run->settings[1];
    tiny_remove(run->run);
    assert_int_equal(tiny_train(run, &x->settings, 1000, false, NULL, NULL), BASIN_OK);
    read_model(&x->model);
    snprintf(set, sizeof set, "pretrain.cache=%s/nets", run->folder);
    tiny_set(&x->settings, set);
    tiny_remove(run->run);
    assert_int_equal(tiny_train(run, &x->settings, 1000, false, NULL, NULL), BASIN_OK);
    cached_path(x->path);
    tiny_open(x->path, &x->f);
}

/* The net is taken or, with a warning, made again; then the model is that of a run by itself. */
static bool taken(shared *x)
{
    bs_buf bytes, model;
    char  *said = NULL;
    size_t n = 0;
    FILE  *to = open_memstream(&said, &n);
    tiny_seal(&x->f, &bytes);
    tiny_write(x->path, bytes.data, bytes.len);
    bs_buf_free(&bytes);
    tiny_remove(run->run);
    bs_logger    log = {.file = to, .level = BS_INFO};
    basin_error  err;
    basin_status s = tiny_train(run, &x->settings, 1000, false, &log, &err);
    fclose(to);
    const bool took = strstr(said, "taken from"),
               again = strstr(said, "the net is pre-trained again");
    if (took == again)
        fprintf(stderr, "  %s\n", said);
    assert_true(took != again);
    assert_true(s == BASIN_OK || (took && s == BASIN_ENUMERIC));
    if (again) {
        assert_non_null(strstr(said, x->path));
        read_model(&model);
        assert_true(model.len == x->model.len && !memcmp(model.data, x->model.data, model.len));
        bs_buf_free(&model);
    }
    assert_int_equal(access(x->path, F_OK), 0); /* the same, or a better one */
    free(said);
    return took;
}

static void no_number_of_a_cached_net_is_believed(void **state)
{
    enum { EPOCH, BEST_EPOCH, BAD, SCORE, SECONDS, TRAINED, ROWS, STEP, NUMBERS };
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 0.5, 1e300, -1e300, 1e19};
    shared              x;
    (void)state;
    shared_begin(&x);
    const int at = tiny_find(&x.f, "numbers");
    double   *row = x.f.data[at];
    assert_int_equal(x.f.tensor[at].bytes, NUMBERS * sizeof *row);
    assert_true(taken(&x));
    for (int i = 0; i < NUMBERS; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            const double before = row[i];
            const bool   time = i == SECONDS || i == TRAINED, half = values[k] == 0.5;
            row[i] = values[k];
            assert_true(taken(&x) ==
                        ((i == SCORE && (half || isnan(values[k]))) || (time && half)));
            row[i] = before;
        }
    row[EPOCH] = 2; /* one epoch of two, and not stopped early */
    row[ROWS] = 10;
    row[BEST_EPOCH] = 1;
    assert_false(taken(&x));
    tiny_close(&x.f);
    bs_buf_free(&x.model);
}

static void other_parts_of_a_cached_net_are_checked(void **state)
{
    static const char *const lines[] = {
        "",
        "{\"epoch\": 1}",
        "{\"epoch\": 1}\n{\"epoch\": 1}\n",
        "{\"epoch\": 7}\n",
        "{\"epoch\": 0}\n",
        "{\"epoch\": 1.5}\n",
        "[1]\n",
        "{\"epoch\": 1}\nx\n",
        "\n",
        "{\"epoch\": 4294967297}\n",
    };
    shared x;
    (void)state;
    shared_begin(&x);
    int metrics = 0, net = tiny_find(&x.f, "numbers") ? 0 : 1;
    while (strcmp(x.f.meta[metrics].key, "basin.metrics") != 0)
        metrics++;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        x.f.meta[metrics].value = lines[i];
        assert_false(taken(&x));
    }
    x.f.meta[metrics].value = x.f.text[metrics];
    assert_true(taken(&x));
    float *value = x.f.data[net], before = *value;
    *value = NAN;
    assert_false(taken(&x));
    *value = -INFINITY;
    assert_false(taken(&x));
    *value = before;
    x.f.tensor[net].dtype = BS_DTYPE_I32;
    assert_false(taken(&x));
    x.f.tensor[net].dtype = BS_DTYPE_F32;
    const int begins = 1 - metrics;
    x.f.meta[begins].value = "another";
    assert_false(taken(&x));
    x.f.meta[begins].value = x.f.text[begins];
    assert_true(taken(&x));
    tiny_close(&x.f);
    bs_buf_free(&x.model);
}

/* Files of killed processes; folders that somebody keeps there are not looked into. */
static void what_is_left_beside_cached_nets_is_removed(void **state)
{
    shared      x;
    char        left[TINY_PATH], below[TINY_PATH];
    const pid_t gone = fork();
    (void)state;
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    shared_begin(&x);
    snprintf(below, sizeof below, "%s/nets/kept", run->folder);
    assert_int_equal(mkdir(below, 0755), 0);
    snprintf(left, sizeof left, "%s/nets/.basin-%ld-1.tmp", run->folder, (long)gone);
    snprintf(below, sizeof below, "%s/nets/kept/.basin-%ld-1.tmp", run->folder, (long)gone);
    tiny_write(left, "x", 1);
    tiny_write(below, "x", 1);
    assert_true(taken(&x));
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(below, F_OK), 0);
    tiny_close(&x.f);
    bs_buf_free(&x.model);
}

static int begin(void **state)
{
    (void)state;
    run = tiny_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    tiny_free(run);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_number_is_believed),
        cmocka_unit_test(numbers_fit_each_other),
        cmocka_unit_test(blocks_are_sound),
        cmocka_unit_test(another_arithmetic_is_refused_or_said),
        cmocka_unit_test(an_instruction_set_is_an_arithmetic),
        cmocka_unit_test(states_of_other_versions_are_refused),
        cmocka_unit_test(no_number_of_a_cached_net_is_believed),
        cmocka_unit_test(other_parts_of_a_cached_net_are_checked),
        cmocka_unit_test(what_is_left_beside_cached_nets_is_removed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
