/* test_data_memory.c -- rows, sentences and photos in memory give the model that files of the same
 * give, without copies where they fit; impossible ones are refused. */
#include <math.h>
#include <string.h>

#include "data/image/picture.h"
#include "data/rows/read.h"
#include "memory_rows.h"
#include "small_training.h"

static void write_array(const char *path, const char *type, int columns, const void *bytes,
                        size_t size)
{
    char  header[129];
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    const int n =
        snprintf(header, sizeof header,
                 "\x93NUMPY\x01%cv%c{'descr': '%s', 'fortran_order': False, 'shape': (%d, "
                 "%d), }",
                 'x', 'x', type, N, columns);
    header[7] = 0; /* version 1.0, 118 bytes of header */
    header[8] = 118;
    header[9] = 0;
    memset(header + n, ' ', (size_t)(127 - n));
    header[127] = '\n';
    assert_int_equal(fwrite(header, 1, 128, f), 128);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void write_files(void)
{
    static uint8_t y[N * L];
    FILE          *svm = fopen("x.svm", "w"), *conll = fopen("x.conll", "w");
    assert_true(svm && conll);
    for (int i = 0; i < N; i++) {
        for (int64_t k = label_start[i]; k < label_start[i + 1]; k++) {
            y[i * L + label[k]] = 1;
            fprintf(svm, "%s%d", k > label_start[i] ? "," : "", label[k]);
        }
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            fprintf(svm, " %d:%d.%02d", feature[k], (int)value[k], (int)(100 * value[k]) % 100);
        fputs("\n", svm);
        for (int k = 0; k < TOKENS; k++)
            fprintf(conll, "%s\t%s\n", word[i * TOKENS + k], tag[i * TOKENS + k]);
        fputs("\n", conll);
    }
    assert_true(fclose(svm) == 0 && fclose(conll) == 0);
    write_array("x.npy", "<f4", D, dense, sizeof dense);
    write_array("y.npy", "|u1", L, y, sizeof y);
}

/* The model, and what an evaluation of the same rows says. */
static void same_as_files(const char *method, const basin_data *d, const char *const *file, int n)
{
    basin_config *c = small(method), *of_files = small(method);
    basin_text    in_memory, in_files;
    OK(basin_config_data(c, "train", d, err));
    for (int i = 0; i < n; i++)
        OK(basin_config_file(of_files, "train", file[i], err));
    basin_model *m = trained(c, NULL);
    basin_model_free(trained(of_files, "filed"));
    same_bytes(m, "filed/best.safetensors");
    OK(basin_eval_data(m, d, NULL, NULL, &in_memory, err));
    OK(basin_eval("filed", file, n, NULL, NULL, &in_files, err));
    assert_string_equal(strstr(in_memory.json, "\"metrics\""),
                        strstr(in_files.json, "\"metrics\""));
    basin_text_free(&in_memory);
    basin_text_free(&in_files);
    static const char *const reading[] = {"data.header=no", NULL};
    const basin_eval_options o = {sizeof o, .set = reading};
    basin_error              why = {0};
    assert_int_equal(basin_eval_data(m, d, &o, NULL, &in_memory, &why), BASIN_EARG);
    assert_string_equal(why.msg,
                        "set: data.header is an option of reading files; this data is in memory");
    basin_model_free(m);
}

static void memory_gives_the_model_of_files(void **state)
{
    static const char *const names[] = {"0", "1", "2", "3", "4"};
    static const char *const npy[] = {"x.npy", "y.npy"}, *const svm[] = {"x.svm"},
                             *const conll[] = {"x.conll"};
    basin_label_sets                all = dense_rows();
    basin_data                     *d;
    (void)state;
    write_files();
    OK(basin_data_label_sets(&all, &d, err));
    same_as_files("ce", d, npy, 2);
    same_as_files("seal-nce", d, npy, 2);
    basin_data_free(d);

    all = sparse_rows();
    all.label_names = names;
    OK(basin_data_label_sets(&all, &d, err));
    same_as_files("ce", d, svm, 1);
    basin_data_free(d);

    const basin_tagged t = {sizeof t, .x = {.sentences = N, .start = sentence, .tokens = word},
                            .tag = tag};
    OK(basin_data_tagged(&t, &d, err));
    same_as_files("crf", d, conll, 1);
    basin_data_free(d);
}

/* Photos of several sizes, grey and in colour, with two or three classes. */
enum { PHOTOS = 14, MOST_SIDE_HERE = 40 };

static uint8_t        pixels[PHOTOS][MOST_SIDE_HERE * MOST_SIDE_HERE * 3];
static uint8_t        masks[PHOTOS][MOST_SIDE_HERE * MOST_SIDE_HERE];
static int32_t        widths[PHOTOS], heights[PHOTOS], channels[PHOTOS];
static const uint8_t *photo[PHOTOS], *mask[PHOTOS];

static basin_images make_photos(int classes, bool even)
{
    for (int i = 0; i < PHOTOS; i++) {
        const int w = widths[i] = even ? 32 : 24 + i, h = heights[i] = even ? 24 : 40 - i;
        channels[i] = even || i % 3 ? 3 : 1;
        photo[i] = pixels[i];
        mask[i] = masks[i];
        for (int k = 0; k < w * h; k++) {
            const int dx = k % w - 8 - i, dy = k / w - 10, near = dx * dx + dy * dy;
            const int what = near < 40 ? 1 : near < 90 ? classes - 1 : 0;
            masks[i][k] = k == 5 ? 255 : (uint8_t)(classes == 2 ? 255 * what : what);
            for (int c = 0; c < channels[i]; c++)
                pixels[i][k * channels[i] + c] = (uint8_t)(60 * what + 30 * c + (k * 7 + i) % 31);
        }
    }
    return BASIN_OPTIONS(basin_images, .n = PHOTOS, .width = widths, .height = heights,
                         .channels = even ? NULL : channels, .pixels = photo, .masks = mask);
}

static void write_png(const char *to, int i, const uint8_t *bytes, int of)
{
    char   path[64];
    bs_buf png;
    bs_buf_init(&png, 1 << 20);
    OK(bs_png_write(bytes, widths[i], heights[i], of, NULL, 0, &png, err));
    snprintf(path, sizeof path, "%s/%02d.png", to, i);
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(png.data, 1, png.len, f) == png.len && fclose(f) == 0);
    bs_buf_free(&png);
}

static void write_photos(const char *classes)
{
    assert_int_equal(system("rm -rf photos && mkdir -p photos/images photos/masks"), 0);
    for (int i = 0; i < PHOTOS; i++) {
        write_png("photos/images", i, photo[i], channels[i]);
        if (mask[i])
            write_png("photos/masks", i, mask[i], 1);
    }
    FILE *f = fopen("photos/classes.txt", "w");
    assert_true(f && fputs(classes, f) >= 0 && fclose(f) == 0);
}

/* Features of categories are those of a nominal attribute: they are not standardised. */
static void categories_give_the_model_of_files(void **state)
{
    static const char *const        names[] = {"a", "colour=red", "colour=blue"},
                             *const column[] = {NULL, "colour", "colour"},
                             *const of[] = {NULL, "red", "blue"}, *const arff[] = {"x.arff"};
    static float x[N * 3];
    const char  *labels[] = {"y0", "y1", "y2", "y3", "y4"};
    basin_data  *d;
    FILE        *f = fopen("x.arff", "w");
    (void)state;
    make_arrays();
    assert_non_null(f);
    fputs("@relation 'x: -C 5'\n", f);
    for (int i = 0; i < L; i++)
        fprintf(f, "@attribute y%d {0,1}\n", i);
    fputs("@attribute a numeric\n@attribute colour {red,blue}\n@data\n", f);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < L; k++)
            fprintf(f, "%d,", (i + k) % 3 == 0);
        x[i * 3] = (float)(i % 7) / 4;
        if (i % 3)
            x[i * 3 + i % 3] = 1;
        fprintf(f, "%d.%02d,%s\n", i % 7 / 4, i % 7 % 4 * 25, i % 3 ? of[i % 3] : "?");
    }
    assert_int_equal(fclose(f), 0);
    const basin_label_sets rows = {sizeof rows,
                                   .rows = N,
                                   .features = 3,
                                   .labels = L,
                                   .dense = x,
                                   .label_start = label_start,
                                   .label = label,
                                   .feature_names = names,
                                   .label_names = labels,
                                   .feature_column = column,
                                   .feature_value = of};
    OK(basin_data_label_sets(&rows, &d, err));
    same_as_files("ce", d, arff, 1);
    basin_data_free(d);
}

static void photos_give_the_model_of_files(void **state)
{
    static const char *const names[] = {"ground", "disc", "ring"}, *const file[] = {"photos"};
    basin_data *d;
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        basin_images x = make_photos(3 - turn, turn);
        x.classes = 3 * !turn;
        x.class_names = turn ? NULL : names;
        mask[4] = turn ? NULL : mask[4];
        write_photos(turn ? "" : "ground\ndisc\nring\n");
        OK(basin_data_images(&x, &d, err));
        same_as_files(turn ? "seal-regression" : "ce", d, file, 1);
        basin_data_free(d);
    }
}

static void impossible_photos_are_refused(void **state)
{
    static const char *const names[] = {"a", "b", "a"};
    const basin_images       good = make_photos(3, false);
    const int32_t            odd[PHOTOS] = {3, 3, 2}, none[PHOTOS] = {8, 0};
    const uint8_t           *gap[PHOTOS] = {photo[0], photo[1], NULL};
    struct {
        basin_images x;
        const char  *message;
    } bad[8];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        bad[i].x = good;
    bad[0].x.n = 0, bad[0].message = "images in memory: no photos";
    bad[1].x.masks = NULL, bad[1].message = "images in memory: no photos with masks";
    bad[2].x.channels = odd, bad[2].message = "photo 2: 2 channels";
    bad[3].x.width = none, bad[3].message = "photo 1: 0 x 39";
    bad[4].x.pixels = gap, bad[4].message = "photo 2: its pixels are NULL";
    bad[5].x.classes = 2, bad[5].message = "mask 0: the value 2; 2 classes";
    bad[6].x.classes = 3, bad[6].x.class_names = names;
    bad[6].message = "classes 0 and 2 are both named 'a'";
    bad[7].x.height = NULL, bad[7].message = "width, height or pixels is NULL";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        basin_config *c = small("ce");
        basin_data   *d;
        basin_text    text;
        basin_error   why;
        OK(basin_data_images(&bad[i].x, &d, err));
        OK(basin_config_data(c, "train", d, err));
        assert_int_not_equal(basin_train(c, NULL, 1, 0, NULL, &text, &why), BASIN_OK);
        if (!strstr(why.msg, bad[i].message))
            fail_msg("%s", why.msg);
        basin_config_free(c);
        basin_data_free(d);
    }
}

/* Rows that are sorted and without zeros are used where they are; others give the same. */
static void rows_are_borrowed(void **state)
{
    static int32_t   index[N * D];
    static float     turned[N * D];
    basin_label_sets all = sparse_rows();
    bs_read_options  o = bs_read_options_default();
    bs_rows         *tidy, *other;
    (void)state;
    OK(bs_rows_from_memory(&all, &o, &tidy, NULL, err));
    assert_ptr_equal(tidy->x.index, feature);
    assert_ptr_equal(tidy->x.value, value);
    for (int i = 0; i < N; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            index[k] = feature[start[i] + start[i + 1] - 1 - k];
            turned[k] = value[start[i] + start[i + 1] - 1 - k];
        }
    all.index = index;
    all.value = turned;
    OK(bs_rows_from_memory(&all, &o, &other, NULL, err));
    assert_ptr_not_equal(other->x.index, index);
    assert_true(tidy->hash == other->hash);
    bs_rows_free(tidy);
    bs_rows_free(other);
}

static void impossible_rows_are_refused(void **state)
{
    const basin_label_sets   good = sparse_rows();
    static const char *const words[] = {"a", "b\tc"};
    static const int32_t     starts[] = {0, 2, 4}, far_starts[] = {0, 1 << 30, 2};
    static const int64_t     far[] = {0, INT64_C(1) << 40, 0};
    float                    infinite[N * D];
    int64_t                  back[N + 1];
    (void)state;
    memcpy(infinite, value, sizeof infinite);
    memcpy(back, start, sizeof back);
    infinite[17] = INFINITY;
    back[3] = back[2] - 1;
    const struct {
        basin_label_sets rows;
        const char      *message;
    } bad[] = {
        {{sizeof good, .rows = N, .features = 3, .labels = L, .start = start, .index = feature},
         "no feature 3"},
        {{sizeof good, .rows = N, .features = D, .labels = 2, .dense = dense,
          .label_start = label_start, .label = label},
         "no label"},
        {{sizeof good, .rows = N, .features = D, .labels = L, .start = back, .index = feature},
         "row 2"},
        {{sizeof good, .rows = N, .features = D, .labels = L, .start = start, .index = feature,
          .value = infinite},
         "infinite"},
        /* nothing is followed of starts that fall later on */
        {{sizeof good, .rows = 2, .features = D, .labels = L, .start = far}, "row 1: its features"},
        {{sizeof good, .rows = 2, .features = D, .labels = L, .dense = dense, .label_start = far},
         "row 1: its labels"},
        {{sizeof good, .rows = N, .features = D, .labels = L}, "neither"},
        {{sizeof good, .rows = -1, .features = D, .labels = L, .dense = dense}, "negative"},
        {{sizeof good, .rows = 0, .features = D, .labels = L, .dense = dense}, "no rows"},
    };
    static const char *const *const none[] = {NULL};
    const basin_token_columns       no_values = {1, NULL}, no_value = {1, none};
    const struct {
        basin_tagged rows;
        const char  *message;
    } bad_tags[] = {
        {{sizeof(basin_tagged), {1, starts, words, NULL}, words}, "has a tab"},
        {{sizeof(basin_tagged), {2, far_starts, words, NULL}, words}, "sentence 1 has no tokens"},
        {{sizeof(basin_tagged), {1, starts, words, &no_values}, words}, "column 0 are missing"},
        {{sizeof(basin_tagged), {1, starts, words, &no_value}, words}, "column 0 are missing"},
    };
    const size_t n = sizeof bad / sizeof *bad, n_tags = sizeof bad_tags / sizeof *bad_tags;
    for (size_t i = 0; i < n + n_tags; i++) {
        const bool    tags = i >= n;
        basin_config *c = small(tags ? "crf" : "ce");
        basin_data   *d;
        basin_text    text;
        basin_error   why;
        if (tags)
            OK(basin_data_tagged(&bad_tags[i - n].rows, &d, err));
        else
            OK(basin_data_label_sets(&bad[i].rows, &d, err));
        OK(basin_config_data(c, "train", d, err));
        assert_int_not_equal(basin_train(c, NULL, 1, 0, NULL, &text, &why), BASIN_OK);
        if (!strstr(why.msg, tags ? bad_tags[i - n].message : bad[i].message))
            fail_msg("%s", why.msg);
        basin_config_free(c);
        basin_data_free(d);
    }
    basin_config *c = small("ce");
    basin_data   *d;
    basin_error   why;
    OK(basin_data_label_sets(&good, &d, err));
    assert_int_equal(basin_config_data(c, "exam", d, &why), BASIN_EARG);
    OK(basin_config_data(c, "train", d, err));
    assert_int_equal(basin_config_data(c, "train", d, &why), BASIN_EARG);
    basin_config_free(c);
    basin_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_gives_the_model_of_files),
        cmocka_unit_test(categories_give_the_model_of_files),
        cmocka_unit_test(photos_give_the_model_of_files),
        cmocka_unit_test(impossible_photos_are_refused),
        cmocka_unit_test(rows_are_borrowed),
        cmocka_unit_test(impossible_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
