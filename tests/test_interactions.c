/* test_interactions.c -- basin_interactions_of: a chain has those of its transitions, masks those
 * of neighbouring pixels; what goes together in the data is counted; the wrong data are refused. */
#include <math.h>
#include <string.h>

#include "api_folder.h"
#include "file/safetensors.h"

enum {
    SENTENCES = 30,
    LENGTH = 4,
    TAGS = 3,
    PHOTOS = 6,
    WIDE = 20,
    CELLS = BASIN_SIDE * BASIN_SIDE
};

static int32_t     start[SENTENCES + 1];
static const char *token[SENTENCES * LENGTH], *tag[SENTENCES * LENGTH];
static uint8_t     pixel[PHOTOS][WIDE * WIDE], mask[PHOTOS][WIDE * WIDE];

/* Sentences of 1 to 4 tokens whose tags go round: a, b, c, a. */
static basin_data *sentences(bool tagged)
{
    static const char *const words[] = {"x", "y", "z"}, *const names[] = {"a", "b", "c"};
    basin_data *d;
    int32_t     n = 0;
    for (int i = 0; i < SENTENCES; i++) {
        for (int t = 0; t < 1 + i % LENGTH; t++, n++) {
            token[n] = words[(i + t) % TAGS];
            tag[n] = names[(i + t) % TAGS];
        }
        start[i + 1] = n;
    }
    OK(basin_data_tagged(
        &(basin_tagged){sizeof(basin_tagged), {SENTENCES, start, token, NULL}, tagged ? tag : NULL},
        &d, err));
    return d;
}

/* A bright square at another place of each photo. */
static basin_data *photos(void)
{
    static int32_t        side[PHOTOS], channels[PHOTOS];
    static const uint8_t *pixels[PHOTOS], *masks[PHOTOS];
    basin_data           *d;
    for (int i = 0; i < PHOTOS; i++) {
        side[i] = WIDE;
        channels[i] = 1;
        pixels[i] = pixel[i];
        masks[i] = mask[i];
        for (int p = 0; p < WIDE * WIDE; p++) {
            const int x = p % WIDE - 2 * i, y = p / WIDE - i;
            mask[i][p] = x >= 0 && x < 9 && y >= 0 && y < 9;
            pixel[i][p] = (uint8_t)(40 + 150 * mask[i][p] + p * 7 % 30);
        }
    }
    OK(basin_data_images(&(basin_images){.size = sizeof(basin_images),
                                         .n = PHOTOS,
                                         .width = side,
                                         .height = side,
                                         .channels = channels,
                                         .pixels = pixels,
                                         .masks = masks},
                         &d, err));
    return d;
}

static basin_model *trained(const basin_data *d, const char *const *set)
{
    basin_model  *m;
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "epochs", "2", err));
    OK(basin_config_set(c, "net.width", "8", err));
    OK(basin_config_set(c, "threads", "1", err));
    OK(basin_config_set(c, "split.test", "0", err));
    for (; *set; set += 2)
        OK(basin_config_set(c, set[0], set[1], err));
    OK(basin_config_data(c, "train", d, err));
    OK(basin_train_with(c, &BASIN_OPTIONS(basin_train_options, .model = &m), NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    return m;
}

/* W[a][b] of tag b after tag a, without start and end. */
static void transitions(const basin_model *m, const char *name, double *W)
{
    bs_safetensors *f;
    basin_bytes     file;
    float           w[(TAGS + 1) * (TAGS + 1)];
    OK(basin_model_write(m, &file, err));
    OK(bs_safetensors_memory("model", file.data, file.n, &f, err));
    assert_non_null(bs_safetensors_find(f, name));
    assert_true(bs_tensor_floats(bs_safetensors_find(f, name), 0, (TAGS + 1) * (TAGS + 1), w));
    for (int i = 0; i < TAGS * TAGS; i++)
        W[i] = (double)w[i / TAGS * (TAGS + 1) + i % TAGS];
    bs_safetensors_close(f);
    basin_bytes_free(&file);
}

static void refused(basin_status s, const basin_error *why, const char *text)
{
    assert_int_not_equal(s, BASIN_OK);
    if (!strstr(why->msg, text))
        fprintf(stderr, "  %s, not %s\n", why->msg, text);
    assert_non_null(strstr(why->msg, text));
}

/* E has the term -W[a][b] wherever tag b follows tag a. */
static void tags_interact_by_transitions(void **state)
{
    const char *const set[] = {"method", "crf", "epochs", "4", NULL};
    double            got[TAGS * TAGS], again[TAGS * TAGS], follows[TAGS * TAGS];
    double            W[TAGS * TAGS], norm = 0;
    basin_data       *d = sentences(true), *bare;
    basin_error       why;
    basin_model      *m = trained(d, set);
    (void)state;
    assert_int_equal(basin_model_labels(m), TAGS);
    transitions(m, "energy/W", W);
    OK(basin_interactions_of(m, d, 1, got, follows, err));
    for (int i = 0; i < TAGS * TAGS; i++) {
        norm += W[i] * W[i];
        assert_true(fabs(got[i] - W[i]) < 1e-5);
    }
    assert_true(norm > 1e-4);
    double pairs = 0;
    for (int i = 0; i < SENTENCES; i++)
        pairs += i % LENGTH;
    for (int a = 0; a < TAGS; a++)
        for (int b = 0; b < TAGS; b++) {
            const char *first = basin_model_label(m, a), *next = basin_model_label(m, b);
            assert_true((follows[a * TAGS + b] > 0) == (*next == 'a' + (*first - 'a' + 1) % TAGS));
            pairs -= follows[a * TAGS + b];
        }
    assert_true(pairs == 0);
    basin_data_free(d);
    bare = sentences(false);
    OK(basin_interactions_of(m, bare, 2, again, NULL, err));
    assert_memory_equal(got, again, sizeof got);
    refused(basin_interactions_of(m, bare, 1, got, follows, &why), &why, "no tags");
    basin_data_free(bare);
    basin_model_free(m);
}

/* Of an ensemble they are the mean of those of its members. */
static void an_ensemble_has_the_mean(void **state)
{
    const char *const set[] = {"method", "crf", "ensemble", "2", NULL};
    double            got[TAGS * TAGS], W[2][TAGS * TAGS], apart = 0;
    basin_data       *d = sentences(true);
    basin_model      *m = trained(d, set);
    (void)state;
    OK(basin_interactions_of(m, d, 1, got, NULL, err));
    transitions(m, "energy/W", W[0]);
    transitions(m, "1/energy/W", W[1]);
    for (int k = 0; k < TAGS * TAGS; k++) {
        apart = fmax(apart, fabs(W[0][k] - W[1][k]));
        assert_true(fabs(got[k] - (W[0][k] + W[1][k]) / 2) < 1e-5);
    }
    assert_true(apart > 1e-4);
    basin_model_free(m);
    basin_data_free(d);
}

/* The correlation of the classes of pixels that are (dx, dy) from each other, in all masks. */
static double correlation(int dx, int dy)
{
    double n = 0, a = 0, b = 0, both = 0;
    for (int i = 0; i < PHOTOS; i++)
        for (int y = 0; y < WIDE; y++)
            for (int x = 0; x < WIDE; x++) {
                if (x + dx < 0 || x + dx >= WIDE || y + dy < 0 || y + dy >= WIDE)
                    continue;
                const int p = mask[i][y * WIDE + x], q = mask[i][(y + dy) * WIDE + x + dx];
                n++;
                a += p;
                b += q;
                both += p * q;
            }
    return (n * both - a * b) / sqrt(a * (n - a) * b * (n - b));
}

static void pixels_interact_with_neighbours(void **state)
{
    const char *const set[] = {"method", "seal-regression", "energy.kind", "map", "energy.hidden",
                               "16",     "seg.crop",        "20x20",       NULL};
    double            got[CELLS], again[CELLS], masks[CELLS], most = 0;
    basin_data       *d = photos();
    basin_model      *m = trained(d, set);
    (void)state;
    OK(basin_interactions_of(m, d, 1, got, masks, err));
    OK(basin_interactions_of(m, d, 2, again, NULL, err));
    assert_memory_equal(got, again, sizeof got);
    for (int i = 0; i < CELLS; i++) {
        const int dx = i % BASIN_SIDE - BASIN_SIDE / 2, dy = i / BASIN_SIDE - BASIN_SIDE / 2;
        assert_true(fabs(masks[i] - correlation(dx, dy)) < 1e-9);
        assert_true(isfinite(got[i]));
        most = fmax(most, fabs(got[i]));
    }
    assert_true(most > 1e-5);
    basin_model_free(m);
    basin_data_free(d);
}

static void what_does_not_fit_is_refused(void **state)
{
    const char *const crf[] = {"method", "crf", NULL}, *const ce[] = {"method", "ce", NULL};
    static float   x[20 * 3];
    static int64_t label_start[21];
    static int32_t label[20];
    double         out[CELLS];
    basin_error    why;
    basin_data    *d = sentences(true), *sets, *images = photos();
    basin_model   *m = trained(d, crf), *net = trained(d, ce);
    (void)state;
    refused(basin_interactions_of(NULL, d, 1, out, NULL, &why), &why, "model is NULL");
    refused(basin_interactions_of(m, NULL, 1, out, NULL, &why), &why, "data is NULL");
    refused(basin_interactions_of(m, d, 1, NULL, out, &why), &why, "out is NULL");
    refused(basin_interactions_of(m, d, -1, out, NULL, &why), &why, "threads: -1");
    refused(basin_interactions_of(m, images, 1, out, NULL, &why), &why, "task seg, not tag");
    refused(basin_interactions_of(net, d, 1, out, NULL, &why), &why, "without an energy");
    basin_model_free(m);
    for (int i = 0; i < 20; i++) {
        x[3 * i + i % 3] = 1;
        label_start[i + 1] = i + 1;
        label[i] = i % 2;
    }
    const basin_label_sets rows = {sizeof rows,   .rows = 20, .features = 3,
                                   .labels = 2,   .dense = x, .label_start = label_start,
                                   .label = label};
    const char *const      spen[] = {"method", "seal-nce", NULL};
    OK(basin_data_label_sets(&rows, &sets, err));
    m = trained(sets, spen);
    refused(basin_interactions_of(m, sets, 1, out, NULL, &why), &why,
            "interactions: not for task mlc");
    basin_model_free(m);
    basin_model_free(net);
    basin_data_free(d);
    basin_data_free(sets);
    basin_data_free(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_interact_by_transitions),
        cmocka_unit_test(an_ensemble_has_the_mean),
        cmocka_unit_test(pixels_interact_with_neighbours),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("interactions", tests, in_temporary_folder, leave_folder);
}
