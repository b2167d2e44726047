/* test_alone.c -- scores do not depend on what else is predicted: a row, sentence or photo alone,
 * among six others or among all has the same bits. */
#include "api/model.h"
#include "data/image/images.h"
#include "three_tasks.h"

/* ---- models ---- */

/* Settings beyond those of a task's usual small training: "key=value", NULL at the end. */
typedef struct {
    const char *data, *method, *infer, *settings[8];
} kind;

/* Dense layers of 300 and 17 columns, for which libraries cut products and treat the rest of a
 * vector apart, over inputs of 40 columns (d) or a few of them (s). */
static const kind kinds[] = {
    {"d.csv", "ce", NULL, {"net.width=300", "net.layers=2"}},
    {"d.csv", "seal-nce", NULL, {"net.width=17", "energy.hidden=300"}},
    {"d.csv", "spen", "gbi", {"net.width=20", "gbi.test_steps=5", "gbi.start=random"}},
    {"s.svm", "ce", NULL, {"net.width=300", "net.layers=3"}},
    {"s.svm", "ce", NULL, {"net.width=64", "ensemble=2"}},
    {"s.svm", "seal-nce", "refine", {"net.width=64", "energy.hidden=20", "gbi.test_steps=3"}},
    {"s.svm", "dvn", "gbi", {"gbi.test_steps=4", "energy.hidden=64"}},
    {"s.svm", "spen", "gbi", {"gbi.test_steps=40", "gbi.start=random", "gbi.restarts=3"}},
    {"t.conll", "ce", NULL, {"net.width=32", "chars.net=lstm"}},
    {"t.conll", "ce", NULL, {"net.width=20", "chars.net=cnn", "ensemble=2"}},
    {"t.conll", "crf", NULL, {"net.width=40"}},
    {"t.conll", "infnet+", "gbi", {"net.width=20", "gbi.test_steps=5", "gbi.start=random"}},
    {"t.conll", "seal-nce", "refine", {"net.width=20", "gbi.test_steps=5", "energy.kind=lm"}},
    {"t.conll", "spen", "gbi", {"gbi.test_steps=3", "gbi.start=random", "gbi.restarts=9"}},
};
static const kind photo_kinds[] = {
    {"s.tar", "ce", NULL, {"net.width=8"}},
    {"s.tar", "ce", NULL, {"net.width=8", "net.kind=fcn", "ensemble=2"}},
    {"s.tar", "seal-regression", "refine", {"net.width=8", "energy.hidden=8", "gbi.test_steps=4"}},
    {"s.tar",
     "dvn",
     "gbi",
     {"energy.hidden=8", "gbi.start=random", "seg.crop=24x24", "gbi.steps=4", "gbi.test_steps=4"}},
};
enum {
    KINDS = sizeof kinds / sizeof *kinds,
    PHOTO_KINDS = sizeof photo_kinds / sizeof *photo_kinds,
    EXAMPLES = 61,
    COLUMNS = 40,
    LABELS_MOST = 64
};

static basin_model *train_kind(const kind *k)
{
    static const char *const small[][2] = {
        {"epochs", "1"}, {"threads", "1"}, {"report", "no"}, {"folds", "1"}, {"split.test", "0.2"}};
    basin_config *c;
    basin_model  *m = NULL;
    basin_text    text;
    OK(basin_config_new(&c, err));
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        OK(basin_config_set(c, small[i][0], small[i][1], err));
    OK(basin_config_set(c, "method", k->method, err));
    for (int i = 0; k->settings[i]; i++) {
        char        key[32];
        const char *equals = strchr(k->settings[i], '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - k->settings[i]), k->settings[i]);
        OK(basin_config_set(c, key, equals + 1, err));
    }
    if (*k->data == 'd')
        OK(basin_config_set(c, "data.labels", "last:3", err));
    OK(basin_config_file(c, "train", k->data, err));
    OK(basin_train_with(c, &BASIN_OPTIONS(basin_train_options, .model = &m), NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    return m;
}

/* ---- examples ---- */

static float       number[EXAMPLES * COLUMNS], value[EXAMPLES * COLUMNS];
static int32_t     row_start[EXAMPLES + 1], column[EXAMPLES * COLUMNS];
static int32_t     sentence[EXAMPLES + 1];
static const char *word[EXAMPLES * 40];

static void make_examples(void)
{
    static const char *const words[] = {"Ada", "lives", "in", "Rome", "and", "Bo", "sings", "a"};
    int32_t                  n = 0, t = 0;
    for (int i = 0; i < EXAMPLES; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            number[i * COLUMNS + k] = (float)((i * 37 + k * 11) % 23) / 7 - 1;
            if ((i + 3 * k) % 7 < 2) {
                value[n] = number[i * COLUMNS + k] + 2;
                column[n++] = k;
            }
        }
        row_start[i + 1] = n;
        for (int k = 0; k < 1 + i * 7 % 37; k++)
            word[t++] = words[(i * 5 + k * k) % 8];
        sentence[i + 1] = t;
    }
}

static void write_examples(void)
{
    basin_text text;
    FILE      *svm = fopen("s.svm", "w"), *csv = fopen("d.csv", "w");
    assert_true(svm && csv);
    for (int k = 0; k < COLUMNS; k++)
        fprintf(csv, "x%d,", k);
    fputs("a,b,c\n", csv);
    for (int i = 0; i < EXAMPLES; i++) {
        fprintf(svm, "%d,%d", i % 5, 5 + i % 4);
        for (int32_t k = row_start[i]; k < row_start[i + 1]; k++)
            fprintf(svm, " %d:%.4f", column[k], (double)value[k]);
        fputs("\n", svm);
        for (int k = 0; k < COLUMNS; k++)
            fprintf(csv, "%.4f,", (double)number[i * COLUMNS + k]);
        fprintf(csv, "%d,%d,%d\n", i % 2, i % 3 == 0, i % 5 > 2);
    }
    assert_true(fclose(svm) == 0 && fclose(csv) == 0);
    OK(basin_data_make("tag", "rows=40 length=12", 1, "t.conll", NULL, NULL, &text, err));
    basin_text_free(&text);
    OK(basin_data_make("seg", "images=12 size=40", 1, "s.tar", NULL, NULL, &text, err));
    basin_text_free(&text);
}

/* Examples first .. first + n - 1; what is found for the i-th goes to its place in out. */
static void ask(const kind *k, basin_predictor *p, int L, int first, int n, float *out,
                int32_t *tags)
{
    if (*k->data == 'd') {
        OK(basin_predict_dense(p, number + first * COLUMNS, n, out + first * L, err));
    } else if (*k->data == 's') {
        const basin_rows x = {n, COLUMNS, row_start + first, column, value};
        OK(basin_predict_csr(p, &x, out + first * L, err));
    } else {
        const basin_sentences x = {n, sentence + first, word, NULL};
        OK(basin_predict_sentences(p, &x, tags, out, err));
    }
}

static int differ(const kind *k, basin_predictor *p, int L, int by)
{
    static float   all[EXAMPLES * 64], some[EXAMPLES * 64];
    static int32_t tags[EXAMPLES * 40], own[EXAMPLES * 40];
    int            n = 0;
    memset(all, 0, sizeof all);
    memset(some, 0, sizeof some);
    memset(tags, 0, sizeof tags);
    memset(own, 0, sizeof own);
    ask(k, p, L, 0, EXAMPLES, all, tags);
    for (int i = 0; i < EXAMPLES; i += by)
        ask(k, p, L, i, i + by < EXAMPLES ? by : EXAMPLES - i, some, own);
    assert_true(all[0] > 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n += memcmp(&all[i], &some[i], sizeof all[i]) != 0;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        n += tags[i] != own[i];
    return n;
}

static void examples_do_not_see_each_other(void **state)
{
    int bad = 0;
    (void)state;
    make_examples();
    write_examples();
    for (int i = 0; i < KINDS; i++) {
        basin_model *m = train_kind(&kinds[i]);
        for (int threads = 1; threads <= 2; threads++) {
            basin_predictor *p;
            OK(basin_predictor_open(m,
                                    &BASIN_OPTIONS(basin_predictor_options, .threads = threads,
                                                   .infer = kinds[i].infer),
                                    &p, err));
            const int alone = differ(&kinds[i], p, basin_model_labels(m), 1);
            const int seven = differ(&kinds[i], p, basin_model_labels(m), 7);
            if (alone + seven)
                fprintf(stderr,
                        "  %s %s %s %s, %d threads: %d numbers differ alone, %d in sevens\n",
                        kinds[i].data, kinds[i].method, kinds[i].settings[0],
                        kinds[i].infer ? kinds[i].infer : "", threads, alone, seven);
            bad += alone + seven;
            basin_predictor_free(p);
        }
        basin_model_free(m);
    }
    assert_int_equal(bad, 0);
}

/* ---- files ---- */

/* Lines first .. first + n - 1 of s.svm, or sentences of t.conll. */
static void write_some(const char *from, const char *to, int first, int n)
{
    char  line[4096];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    assert_true(in && out);
    for (int at = 0; at < first + n && fgets(line, sizeof line, in);) {
        if (at >= first)
            fputs(line, out);
        at += *from == 's' || *line == '\n';
    }
    assert_true(fclose(in) == 0 && fclose(out) == 0);
}

/* What is predicted for a file, without the head of an array. */
static size_t predict_file(const char *file, bool tags, int threads, char *out, size_t room)
{
    const basin_predict_options o = {sizeof o,          .format = tags ? "jsonl" : "npy",
                                     .scores = 1,       .energy = tags,
                                     .path = "out.bin", .threads = threads};
    FILE                       *f;
    OK(basin_predict_files("model", &file, 1, &o, NULL, NULL, err));
    assert_non_null(f = fopen("out.bin", "rb"));
    assert_int_equal(fseek(f, tags ? 0 : 128, SEEK_SET), 0);
    const size_t n = fread(out, 1, room, f);
    assert_true(n > 0 && n < room);
    fclose(f);
    return n;
}

static void store(const basin_model *m)
{
    basin_bytes bytes;
    FILE       *f = fopen("model", "wb");
    OK(basin_model_write(m, &bytes, err));
    assert_true(f && fwrite(bytes.data, 1, bytes.n, f) == bytes.n && fclose(f) == 0);
    basin_bytes_free(&bytes);
}

static void lines_do_not_see_each_other(void **state)
{
    static const kind some[] = {
        {"s.svm", "seal-nce", "refine", {"net.width=64", "energy.hidden=20", "infer=refine"}},
        {"t.conll", "seal-nce", "refine", {"net.width=20", "energy.kind=lm", "infer=refine"}},
    };
    static char all[1 << 20], own[1 << 20];
    (void)state;
    for (int i = 0; i < 2; i++) {
        basin_model *m = train_kind(&some[i]);
        store(m);
        basin_model_free(m);
        const size_t n = predict_file(some[i].data, i, 1, all, sizeof all);
        for (int by = 1; by <= 7; by += 6) {
            size_t at = 0;
            for (int first = 0; first < 40 - 40 % by; first += by) {
                write_some(some[i].data, *some[i].data == 's' ? "some.svm" : "some.conll", first,
                           by);
                at += predict_file(*some[i].data == 's' ? "some.svm" : "some.conll", i, 2, own + at,
                                   sizeof own - at);
            }
            assert_in_range(at, 1, n);
            assert_memory_equal(all, own, at);
        }
    }
}

/* ---- photos ---- */

static void photo_from_file(const char *name, int pixels, float *out)
{
    char  path[100];
    FILE *f;
    snprintf(path, sizeof path, "photos/%s.npy", name);
    assert_non_null(f = fopen(path, "rb"));
    assert_int_equal(fseek(f, -(long)(pixels * (int)sizeof *out), SEEK_END), 0);
    assert_int_equal(fread(out, sizeof *out, (size_t)pixels, f), pixels);
    fclose(f);
}

/* All photos of a file are predicted in batches, in memory each by itself. */
static void photos_do_not_see_each_other(void **state)
{
    static const char *const file = "s.tar";
    static uint8_t           pixels[40 * 40 * 3], mask[40 * 40];
    static float             own[40 * 40], all[40 * 40];
    bs_image_options         o = bs_image_options_default();
    bs_images               *im;
    (void)state;
    OK(bs_images_read(&file, 1, &o, NULL, &im, NULL, err));
    for (int k = 0; k < PHOTO_KINDS; k++) {
        basin_predict_options how = {sizeof how, .path = "photos", .format = "npy"};
        basin_predictor      *p;
        basin_model          *m = train_kind(&photo_kinds[k]);
        store(m);
        how.infer = photo_kinds[k].infer;
        OK(basin_predict_files("model", &file, 1, &how, NULL, NULL, err));
        OK(basin_predictor_open(
            m, &BASIN_OPTIONS(basin_predictor_options, .threads = 1, .infer = photo_kinds[k].infer),
            &p, err));
        for (int i = 0; i < im->n; i++) {
            const int n = im->width[i] * im->height[i], C = im->channels;
            assert_true(n <= 40 * 40);
            for (int j = 0; j < n * C; j++)
                pixels[j] = im->pixels[i][j % C * n + j / C];
            OK(basin_predict_image(p, pixels, im->width[i], im->height[i], C, mask, own, err));
            photo_from_file(im->name[i], n, all);
            bs_scores_inside(all, (size_t)n);
            if (memcmp(all, own, (size_t)n * sizeof *all) != 0)
                fail_msg("%s, photo %d", photo_kinds[k].method, i);
        }
        basin_predictor_free(p);
        basin_model_free(m);
    }
    bs_images_free(im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_do_not_see_each_other),
        cmocka_unit_test(lines_do_not_see_each_other),
        cmocka_unit_test(photos_do_not_see_each_other),
    };
    return cmocka_run_group_tests_name("alone", tests, in_temporary_folder, leave_folder);
}
