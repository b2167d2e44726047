/* test_image_coco.c -- annotations in COCO's form: what is drawn, what is refused, where photos are
 * found. */
#include "base/rng.h"
#include "data/image/coco.h"
#include "image_set.h"

static bundle b;

static int clear(void **state)
{
    (void)state;
    bundle_free(&b);
    return 0;
}

/* ---- drawing ---- */

enum { W = 9, H = 7 };

/* Annotations, in JSON, of one photo of W x H; classes are the numbers of categories, 1 to 9. */
static basin_status draw(const char *annotations, uint8_t mask[W * H], bs_coco_tally *tally,
                         basin_error *err)
{
    static char text[1 << 16];
    bs_coco     c;
    *tally = (bs_coco_tally){0};
    snprintf(text, sizeof text,
             "{\"images\": [{\"id\": 1, \"file_name\": \"a.png\"}], \"annotations\": [%s], "
             "\"categories\": [{\"id\": 1, \"name\": \"a\"}, {\"id\": 2, \"name\": \"b\"}, "
             "{\"id\": 3, \"name\": \"c\"}]}",
             annotations);
    basin_status s = bs_coco_read("f.json", text, strlen(text), &c, err);
    for (size_t i = 0; i < c.n_categories; i++)
        c.category[i].class = (int)c.category[i].id;
    if (!s)
        s = bs_coco_draw(&c, 0, W, H, mask, tally, err);
    bs_coco_free(&c);
    return s;
}

static bs_coco_tally drawn(const char *annotations, const char *want)
{
    uint8_t       mask[W * H];
    bs_coco_tally tally;
    basin_error   err = {0};
    if (draw(annotations, mask, &tally, &err))
        fail_msg("%s", err.msg);
    for (int i = 0; i < W * H; i++) {
        const char got = mask[i] == BS_COCO_CROWD ? '*' : mask[i] ? (char)('0' + mask[i]) : '.';
        if (got != want[i])
            fail_msg("row %d, column %d: %c instead of %c", i / W, i % W, got, want[i]);
    }
    return tally;
}

#define OBJECT(id, class, outline)                                                     \
    "{\"id\": " #id ", \"image_id\": 1, \"category_id\": " #class ", \"iscrowd\": 0, " \
                                                                  "\"segmentation\": " outline "}"

static void a_pixel_belongs_by_its_centre(void **state)
{
    (void)state;
    drawn(OBJECT(1, 1, "[[1, 1, 4, 1, 4, 3, 1, 3]]"), "........."
                                                      ".111....."
                                                      ".111....."
                                                      "........."
                                                      "........."
                                                      "........."
                                                      ".........");
    /* centres on a left or upper edge are inside, on a right or lower one are not */
    drawn(OBJECT(1, 1, "[[1.5, 1.5, 4.5, 1.5, 4.5, 3.5, 1.5, 3.5]]"), "........."
                                                                      ".111....."
                                                                      ".111....."
                                                                      "........."
                                                                      "........."
                                                                      "........."
                                                                      ".........");
    /* a star of one polygon: what it goes round twice is outside */
    drawn(OBJECT(1, 2, "[[0, 0, 9, 0, 9, 7, 0, 7, 0, 0, 2, 2, 2, 5, 7, 5, 7, 2, 2, 2]]"),
          "222222222"
          "222222222"
          "22.....22"
          "22.....22"
          "22.....22"
          "222222222"
          "222222222");
    /* two polygons of one object unite */
    bs_coco_tally t =
        drawn(OBJECT(1, 3, "[[-3, 0, 3, 0, 3, 3, -3, 3], [2, 0, 5, 0, 5, 2, 2, 2]]"), "33333...."
                                                                                      "33333...."
                                                                                      "333......"
                                                                                      "........."
                                                                                      "........."
                                                                                      "........."
                                                                                      ".........");
    assert_int_equal(t.beyond, 1);
    t = drawn(OBJECT(1, 1, "[[3.6, 3.6, 4.4, 3.6, 4.4, 4.4]]"), "........."
                                                                "........."
                                                                "........."
                                                                "........."
                                                                "........."
                                                                "........."
                                                                ".........");
    assert_int_equal(t.nothing, 1);
    assert_int_equal(t.beyond, 0);
}

/* Inside by the definition: crossings to the left of the centre, edge by edge. */
static bool inside(const float *xy, int n, double x, double y)
{
    bool in = false;
    for (int i = 0; i < n; i++) {
        const float *p = xy + 2 * i, *q = xy + 2 * ((i + 1) % n);
        if (((double)p[1] <= y) == ((double)q[1] <= y))
            continue;
        if (p[1] > q[1]) {
            const float *swap = p;
            p = q;
            q = swap;
        }
        const double at = (double)p[0] + (y - (double)p[1]) * ((double)q[0] - (double)p[0]) /
                                             ((double)q[1] - (double)p[1]);
        in ^= at <= x;
    }
    return in;
}

static void random_polygons_are_as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        bs_rng        rng = bs_rng_make(seed, 0, 1);
        float         xy[2 * 12];
        char          text[2048];
        uint8_t       mask[W * H];
        bs_coco_tally tally;
        basin_error   err = {0};
        const int     n = 3 + (int)bs_rng_below(&rng, 10);
        int           at = snprintf(text, sizeof text, "%s",
                                    "{\"id\": 1, \"image_id\": 1, "
                                              "\"category_id\": 1, \"segmentation\": [[");
        for (int i = 0; i < 2 * n; i++) { /* halves and quarters: many centres are on edges */
            xy[i] = i < 2 ? 3 : (float)bs_rng_below(&rng, 4 * (W + 2)) / 4 - 1;
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%.2f", i ? ", " : "",
                           (double)xy[i]);
        }
        snprintf(text + at, sizeof text - (size_t)at, "]]}");
        if (draw(text, mask, &tally, &err))
            fail_msg("seed %d: %s", (int)seed, err.msg);
        for (int i = 0; i < W * H; i++)
            if (mask[i] != inside(xy, n, i % W + 0.5, i / W + 0.5))
                fail_msg("seed %d: row %d, column %d", (int)seed, i / W, i % W);
    }
}

static void smaller_objects_lie_over_larger_ones(void **state)
{
    (void)state;
    static const char want[] = "11111...."
                               "1222111**"
                               "1222111**"
                               "1111111**"
                               "........."
                               "........."
                               ".........";
    /* the small one first: it is on top all the same; a crowd is below all */
    bs_coco_tally t =
        drawn(OBJECT(1, 2, "[[1, 1, 4, 1, 4, 3, 1, 3]]") ", " OBJECT(
                  2, 1, "[[0, 0, 5, 0, 5, 1, 7, 1, 7, 4, 0, 4]]") ", {\"id\": 3, \"image_id\": 1, "
                                                                  "\"category_id\": 3, "
                                                                  "\"iscrowd\": 1, "
                                                                  "\"segmentation\": [[6, 1, 9, 1, "
                                                                  "9, 4, 6, 4]]}",
              want);
    assert_int_equal(t.crowds, 1);
    /* of equal ones the last one */
    drawn(
        OBJECT(1, 1, "[[1, 1, 4, 1, 4, 3, 1, 3]]") ", " OBJECT(2, 2, "[[3, 1, 6, 1, 6, 3, 3, 3]]"),
        "........."
        ".11222..."
        ".11222..."
        "........."
        "........."
        "........."
        ".........");
}

static void runs_go_down_the_columns(void **state)
{
    (void)state;
    static const char want[] = "........."
                               "........."
                               "..1......"
                               "..1......"
                               "..1......"
                               "..11....."
                               "..11.....";
    drawn(OBJECT(1, 1, "{\"size\": [7, 9], \"counts\": [16, 5, 5, 2, 35]}"), want);
    drawn(OBJECT(1, 1, "{\"size\": [7, 9], \"counts\": \"`055Mn0\"}"), want);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"3", "annotation number 1 of the list: is no object"},
        {"{\"id\": 4}", "annotation 4: 'image_id' is not a whole number"},
        {OBJECT(4, 9, "[[1, 1, 2, 1, 2, 2]]"), "annotation 4: there is no category 9"},
        {OBJECT(4, 1, "[[1, 1, 2, 1, 2]]"), "annotation 4: a polygon has an odd number"},
        {OBJECT(4, 1, "[[1, 1, 2, 1, 2, \"x\"]]"), "annotation 4: a polygon has a coordinate that"},
        {OBJECT(4, 1, "[[1, 1, 2, 1, 2, 1e30]]"), "annotation 4: a polygon has a coordinate that"},
        {OBJECT(4, 1, "[[20, 1, 22, 1, 22, 2]]"),
         "annotation 4: a polygon lies outside of its photo of 9 x 7 pixels"},
        {OBJECT(4, 1, "[\"a\"]"), "annotation 4: 'segmentation' holds something else than lists"},
        {OBJECT(4, 1, "7"), "annotation 4: 'segmentation' is neither a list of polygons nor"},
        {OBJECT(4, 1, "{\"size\": [9, 7], \"counts\": [63]}"),
         "annotation 4: its runs are for 7 x 9 pixels, its photo has 9 x 7"},
        {OBJECT(4, 1, "{\"size\": [7], \"counts\": [63]}"), "annotation 4: the 'size' of its runs"},
        {OBJECT(4, 1, "{\"size\": [7, 70000], \"counts\": [63]}"),
         "annotation 4: the 'size' of its runs"},
        {OBJECT(4, 1, "{\"size\": [7, 9], \"counts\": [60, 2]}"), "come to less than its 'size'"},
        {OBJECT(4, 1, "{\"size\": [7, 9], \"counts\": [60, 4]}"), "or come to more than its"},
        {OBJECT(4, 1, "{\"size\": [7, 9], \"counts\": [70, -7]}"), "or come to more than its"},
        {OBJECT(4, 1, "{\"size\": [7, 9], \"counts\": [9223372036854775807, 1]}"), "are damaged"},
        {OBJECT(4, 1, "{\"size\": [7, 9], \"counts\": \"PPPPPPPPPPPPPPP1\"}"), "are damaged"},
        {OBJECT(4, 1, "{\"size\": [7, 9], \"counts\": \"o\"}"), "are damaged"},
        {OBJECT(4, 1, "{\"size\": [7, 9], \"counts\": 5}"), "neither a list of numbers nor a text"},
        {"{\"id\": 4, \"image_id\": 2, \"category_id\": 1, \"segmentation\": [[1,1,2,1,2,2]]}",
         "annotation 4: there is no image 2"},
        {"{\"id\": 4, \"image_id\": 1, \"category_id\": 1, \"iscrowd\": 2, \"segmentation\": "
         "[[1,1,2,1,2,2]]}",
         "annotation 4: 'iscrowd' is neither 0 nor 1"},
        {"{\"id\": 4, ]", "f.json:1:"},
        {"{\"id\": 4, \"image_id\": 1} 5", "broken JSON: a list is not finished"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t       mask[W * H];
        bs_coco_tally tally;
        basin_error   err = {0};
        const long    live = bs_mem_live();
        assert_int_not_equal(draw(cases[i][0], mask, &tally, &err), BASIN_OK);
        if (!strstr(err.msg, cases[i][1]) || !strstr(err.msg, "f.json:"))
            fail_msg("'%s' is not in: %s", cases[i][1], err.msg);
        assert_int_equal(bs_mem_live(), live);
    }
}

static void refused_file(const char *text, const char *part)
{
    bs_coco     c;
    basin_error err = {0};
    assert_int_not_equal(bs_coco_read("f.json", text, strlen(text), &c, &err), BASIN_OK);
    bs_coco_free(&c);
    if (!strstr(err.msg, part))
        fail_msg("'%s' is not in: %s", part, err.msg);
}

static bool is_coco(const char *text)
{
    return bs_coco_sniff(text, strlen(text));
}

static void files_that_are_none(void **state)
{
    (void)state;
    refused_file("", "broken JSON: no object");
    refused_file("{\"images\": 3}", "'images' is not a list");
    refused_file("{\"images\": [], \"images\": []}", "'images' occurs twice");
    refused_file("{\"images\": [{\"id\": 1, \"file_name\": \"\"}]}", "image 1: 'file_name' is no");
    refused_file("{\"images\": [{\"id\": 1, \"file_name\": \"a\", \"width\": -1}]}",
                 "image 1: 'width' and 'height' are");
    refused_file("{\"images\": [{\"id\": 1, \"file_name\": \"a\"}, {\"id\": 1, \"file_name\": "
                 "\"b\"}]}",
                 "image 1: another image has the same 'id'");
    refused_file("{\"categories\": [{\"id\": 1, \"name\": \"a\"}, {\"id\": 1, \"name\": \"b\"}]}",
                 "category 1: another category has the same 'id'");
    refused_file("{\"categories\": [{\"id\": 1.5, \"name\": \"a\"}]}",
                 "'id' is not a whole number");
    refused_file("{\"a\": \"b\\\"} ", "broken JSON: a value is not finished");
    refused_file("{\"a\": 1} x", "something follows the end");
    assert_true(is_coco("{\"info\": {\"a\": []}, \"images\": [{\"id\""));
    assert_true(is_coco(" {\"annotations\": [], \"x\": 1, \"images\": []}"));
    assert_false(is_coco("{\"tokens\": [1]}"));
    assert_false(is_coco("{\"images\": [\"a\"], \"labels\": [\"b\"]}"));
    assert_false(is_coco("{\"images\": [{\"id\": 1}], \"labels\": [\"b\"]}"));
    assert_false(is_coco("[{\"images\": []}]"));
    assert_false(is_coco("{\"info\": 1}"));
}

/* ---- data sets ---- */

static const char *one(const char *photo, const char *categories)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "{\"images\": [{\"id\": 1, \"file_name\": \"%s\", \"width\": 4, \"height\": 3}], "
             "\"categories\": [%s], \"annotations\": [{\"id\": 9, \"image_id\": 1, "
             "\"category_id\": 5, \"segmentation\": [[0, 0, 2, 0, 2, 3, 0, 3]]}]}",
             photo, categories);
    return text;
}

#define CAT "{\"id\": 5, \"name\": \"cat\"}"

static void photos_are_found_beside_the_file(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    bundle_photo(&b, "set/train2017/a.png", 4, 3, 3, 1);
    bundle_photo(&b, "set/val2017/a.png", 4, 3, 3, 2);
    bundle_photo(&b, "set/val2017/lone.png", 4, 3, 3, 3);
    bundle_text(&b, "set/annotations/instances_train2017.json",
                one("a.png", CAT ", {\"id\": 3, \"name\": \"ape\"}"));
    bundle_text(&b, "set/annotations/instances_val2017.json", one("C:\\\\x\\\\a.png", CAT));
    bundle_text(&b, "set/annotations/captions_val2017.json",
                "{\"images\": [{\"id\": 1, \"file_name\": \"a.png\"}], \"annotations\": "
                "[{\"id\": 1, \"image_id\": 1, \"caption\": \"x\"}]}");
    bundle_text(&b, "set/other.json", "{\"rows\": 7}");
    bs_images *im = bundle_images(&b, "", NULL, &notes);
    assert_int_equal(im->n, 2);
    assert_int_equal(im->classes, 3);
    assert_string_equal(im->class_name[0], "background");
    assert_string_equal(im->class_name[1], "ape"); /* by number */
    assert_string_equal(im->class_name[2], "cat");
    assert_int_equal(im->part[0], 1);
    assert_int_equal(im->part[1], 2);
    for (int i = 0; i < 2; i++)
        assert_memory_equal(im->mask[i], ((uint8_t[]){2, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0}), 12);
    assert_true(
        noted(&notes, "1 pictures are in no list of annotated photos, such as set/val2017/"));
    assert_true(noted(&notes, "captions_val2017.json has no outlines of objects: not used"));
    bs_images_free(im);
    bs_notes_free(&notes);
    im = bundle_images(&b, "", "valid", NULL);
    assert_int_equal(im->n, 1);
    assert_int_equal(im->classes, 3);
    bs_images_free(im);
}

/* Photos of 4 x 3 seen at 2 x 3: the drawing is of the photo as it was. */
static void drawings_shrink_like_masks(void **state)
{
    (void)state;
    bundle_photo(&b, "a.png", 4, 3, 3, 1);
    bundle_text(&b, "annotations.json", one("a.png", CAT));
    bs_images *im = bundle_images(&b, "image.size=2x3", NULL, NULL);
    assert_memory_equal(im->mask[0], ((uint8_t[]){1, 0, 1, 0, 1, 0}), 6);
    assert_memory_equal(im->full_mask[0], ((uint8_t[]){1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0}), 12);
    bs_images_free(im);
}

/* A crowd does not count, whatever masks of two values look like. */
static void crowds_do_not_count(void **state)
{
    (void)state;
    static const char crowd[] =
        "{\"images\": [{\"id\": 1, \"file_name\": \"a.png\"}], \"categories\": [" CAT "], "
        "\"annotations\": [{\"id\": 9, \"image_id\": 1, \"iscrowd\": true, "
        "\"category_id\": 5, \"segmentation\": [[0, 0, 2, 0, 2, 3, 0, 3]]}]}";
    bundle_photo(&b, "a.png", 4, 3, 3, 1);
    bundle_text(&b, "annotations.json", crowd);
    static const uint8_t want[] = {255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0};
    static const char   *options[] = {"", "mask.binary=yes"};
    for (int i = 0; i < 2; i++) {
        bs_images *im = bundle_images(&b, options[i], NULL, NULL);
        assert_int_equal(im->classes, 2);
        assert_memory_equal(im->mask[0], want, 12);
        bs_images_free(im);
    }
}

static void categories_are_classes_by_name_where_these_are_known(void **state)
{
    (void)state;
    static const char *const names[] = {"background", "dog", "cat"};
    bs_images_prior prior = {.who = "the model", .model = true, .classes = 3, .name = names};
    bs_images      *im;
    basin_error     err = {0};
    bundle_photo(&b, "a.png", 4, 3, 3, 1);
    bundle_text(&b, "annotations.json", one("a.png", CAT));
    assert_int_equal(bundle_read_as(&b, "", &prior, NULL, &im, NULL, &err), BASIN_OK);
    assert_int_equal(im->classes, 3);
    assert_int_equal(im->mask[0][0], 2);
    bs_images_free(im);
    prior.classes = 2;
    assert_int_not_equal(bundle_read_as(&b, "", &prior, NULL, &im, NULL, &err), BASIN_OK);
    assert_non_null(strstr(err.msg, "category 5, 'cat', is not a class of"));
    /* masks are not even looked at for prediction: all photos count */
    prior.label_free = true;
    bundle_photo(&b, "b.png", 4, 3, 3, 1);
    assert_int_equal(bundle_read_as(&b, "", &prior, NULL, &im, NULL, &err), BASIN_OK);
    assert_int_equal(im->n, 2);
    assert_null(im->mask[0]);
    bs_images_free(im);
}

static void sets_that_are_refused(void **state)
{
    (void)state;
    bundle_photo(&b, "x/a.png", 4, 3, 3, 1);
    bundle_text(&b, "annotations.json", one("b.png", CAT));
    bundle_refused(&b, "", NULL,
                   "annotations.json: none of its 1 photos exists, such as 'b.png'; they are");
    bundle_free(&b);
    bundle_photo(&b, "x/a.png", 4, 3, 3, 1);
    bundle_photo(&b, "y/a.png", 4, 3, 3, 1);
    bundle_text(&b, "annotations.json", one("a.png", CAT));
    bundle_refused(&b, "", NULL, "annotations.json: image 1: several photos are named 'a.png'");
    bundle_text(&b, "y/annotations.json", one("a.png", "{\"id\": 5, \"name\": \"dog\"}"));
    bundle_refused(&b, "", NULL, "y/annotations.json: category 5 is 'dog', but 'cat' in");
    bundle_free(&b);
    bundle_photo(&b, "a.png", 5, 3, 3, 1);
    bundle_text(&b, "annotations.json", one("a.png", CAT));
    bundle_refused(&b, "", NULL,
                   "annotations.json: image 1 is 4 x 3 pixels there, the photo 'a.png' is 5 x 3");
    bundle_text(&b, "more.json", one("a.png", CAT));
    bundle_refused(&b, "", NULL, "more.json: image 1: 'a.png' is annotated twice");
    bundle_free(&b);
    bundle_photo(&b, "a.png", 4, 3, 3, 1);
    bundle_text(&b, "annotations.json", one("a.png", CAT ", {\"id\": 6, \"name\": \"cat\"}"));
    bundle_refused(&b, "", NULL, "annotations.json: two categories are named 'cat'");
}

/* Masks that are pictures are what is meant, unless the file itself is given. */
static void masks_come_first(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    bundle_photo(&b, "images/a.png", 4, 3, 3, 1);
    bundle_part_mask(&b, "masks/a.png", 4, 3, 5, 1);
    bundle_text(&b, "annotations.json", one("a.png", CAT));
    bs_images *im = bundle_images(&b, "", NULL, &notes);
    assert_int_equal(im->mask[0][4], 1);
    assert_null(im->class_name);
    assert_true(noted(&notes, "annotations.json is not used, since there are pictures of masks"));
    bs_images_free(im);
    bs_notes_free(&notes);
}

static void allocation_failures(void **state)
{
    (void)state;
    uint8_t         *bytes;
    size_t           n;
    bs_image_options o = image_options("image.size=2x3");
    bundle_photo(&b, "images/a.png", 4, 3, 3, 1);
    bundle_photo(&b, "images/b.png", 4, 3, 3, 2);
    bundle_text(&b, "train.json", one("a.png", CAT));
    bundle_text(&b, "valid.json", one("b.png", CAT));
    bundle_pack(&b, "ustar", "", &bytes, &n);
    for (long at = 1, done = 0; !done; at++) {
        basin_error err = {0};
        bs_images  *im = NULL;
        bs_notes    notes;
        long        live = bs_mem_live();
        bs_notes_init(&notes);
        bs_mem_fail_at(at);
        basin_status s =
            bs_images_read_memory("set.tar", bytes, n, &o, NULL, NULL, &im, &notes, &err);
        bs_mem_fail_at(0);
        done = s == BASIN_OK && !notes.failed;
        if (!done && s != BASIN_ENOMEM && !notes.failed)
            fail_msg("allocation %ld: %s", at, err.msg);
        bs_images_free(im);
        bs_notes_free(&notes);
        assert_int_equal(bs_mem_live(), live);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pixel_belongs_by_its_centre),
        cmocka_unit_test(random_polygons_are_as_defined),
        cmocka_unit_test(smaller_objects_lie_over_larger_ones),
        cmocka_unit_test(runs_go_down_the_columns),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test_teardown(photos_are_found_beside_the_file, clear),
        cmocka_unit_test_teardown(drawings_shrink_like_masks, clear),
        cmocka_unit_test_teardown(crowds_do_not_count, clear),
        cmocka_unit_test_teardown(categories_are_classes_by_name_where_these_are_known, clear),
        cmocka_unit_test_teardown(sets_that_are_refused, clear),
        cmocka_unit_test_teardown(masks_come_first, clear),
        cmocka_unit_test_teardown(allocation_failures, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
