/* test_image_set.c -- data sets of images: masks of all kinds, sizes, parts, copies. */
#include "image_set.h"

#include "data/image/source.h"

static bundle b;

static int clear(void **state)
{
    (void)state;
    bundle_free(&b);
    return 0;
}

static void binary_masks(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    bundle_photo(&b, "images/a.png", 4, 2, 3, 1);
    bundle_photo(&b, "images/b.png", 4, 2, 3, 2);
    bundle_part_mask(&b, "masks/a.png", 4, 2, 3, 255);
    bundle_part_mask(&b, "masks/b.png", 4, 2, 0, 255);
    bs_images *im = bundle_images(&b, "", NULL, &notes);
    assert_int_equal(im->n, 2);
    assert_int_equal(im->channels, 3);
    assert_int_equal(im->classes, 2);
    assert_true(im->equal && im->binary && !im->resized);
    assert_string_equal(im->name[0], "a");
    assert_memory_equal(im->mask[0], ((uint8_t[]){1, 1, 1, 0, 0, 0, 0, 0}), 8);
    assert_memory_equal(im->mask[1], ((uint8_t[8]){0}), 8);
    assert_true(noted(&notes, "255 is class 1 (mask.binary=no"));
    assert_int_equal(im->mask_width[0], 4);
    assert_null(im->full_mask[0]);
    assert_null(im->class_name);
    bs_image_options o = image_options("");
    bs_images_settle(im, &o);
    assert_string_equal(o.size, "4x2");
    assert_string_equal(o.channels, "3");
    bs_image_options kept = image_options("image.size=keep");
    bs_images_settle(im, &kept);
    assert_string_equal(kept.size, "keep");
    assert_string_equal(o.binary, "auto"); /* other data may have other masks */
    assert_int_equal(o.classes, 0);
    bs_images_free(im);
    bs_notes_free(&notes);

    bs_notes_init(&notes);
    im = bundle_images(&b, "mask.binary=no", NULL, &notes);
    assert_memory_equal(im->mask[0], ((uint8_t[]){255, 255, 255, 0, 0, 0, 0, 0}), 8);
    assert_true(noted(&notes, "3 mask pixels have the value 255: ignored"));
    bs_images_free(im);
    bs_notes_free(&notes);
}

/* One mask of the values given, read where `prior` is known; its classes go to got. */
static void read_values(const uint8_t v[8], const char *options, const bs_images_prior *prior,
                        const char *note, uint8_t got[8])
{
    bs_notes    notes;
    bs_images  *im;
    basin_error err = {0};
    bs_notes_init(&notes);
    bundle_photo(&b, "images/a.png", 4, 2, 3, 1);
    bundle_mask(&b, "masks/a.png", 4, 2, v);
    if (bundle_read_as(&b, options, prior, NULL, &im, &notes, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(im->classes, prior->classes);
    assert_int_equal(bs_notes_has(&notes, BS_NOTE_WARNING), note != NULL);
    assert_true(!note || noted(&notes, note));
    memcpy(got, im->mask[0], 8);
    bs_images_free(im);
    bs_notes_free(&notes);
    bundle_free(&b);
}

static void masks_of_other_data_are_read_by_their_own_values(void **state)
{
    (void)state;
    static const uint8_t wide[] = {0, 255, 255, 0, 0, 0, 0, 0}, none[8] = {0};
    static const uint8_t small[] = {0, 1, 1, 255, 0, 0, 0, 0};
    static const uint8_t soft[] = {0, 1, 127, 128, 200, 255, 0, 0};
    static const uint8_t figure[] = {0, 1, 1, 0, 0, 0, 0, 0};
    bs_images_prior      index = {.who = "the model", .model = true, .classes = 2};
    bs_images_prior      binary = {.who = "the model", .model = true, .classes = 2, .binary = true};
    uint8_t              got[8];
    read_values(wide, "", &index, "the masks of the model hold numbers of classes, these", got);
    assert_memory_equal(got, figure, 8);
    read_values(small, "", &binary, "the masks of the model hold 0 and 255, these", got);
    assert_memory_equal(got, small, 8);
    read_values(soft, "", &binary, "128 to 255 is class 1", got);
    assert_memory_equal(got, ((uint8_t[]){0, 0, 0, 1, 1, 1, 0, 0}), 8);
    read_values(none, "", &binary, NULL, got);
    assert_memory_equal(got, none, 8);
    read_values(wide, "", &binary, NULL, got);
    assert_memory_equal(got, figure, 8);
    /* What the user says is not questioned. */
    read_values(wide, "mask.binary=no", &index, NULL, got);
    assert_memory_equal(got, wide, 8);
    read_values(small, "mask.binary=yes", &binary, NULL, got);
    assert_memory_equal(got, ((uint8_t[]){0, 0, 0, 1, 0, 0, 0, 0}), 8);
    /* A part without foreground of data whose training part has some. */
    index.own = binary.own = true;
    read_values(wide, "", &index, NULL, got);
    assert_memory_equal(got, wide, 8);
    read_values(wide, "", &binary, NULL, got);
    assert_memory_equal(got, figure, 8);
    /* 255 alone tells nothing where there are more classes. */
    index = (bs_images_prior){.who = "the model", .model = true, .classes = 3};
    read_values(wide, "", &index, NULL, got);
    assert_memory_equal(got, wide, 8);
}

static void index_masks(void **state)
{
    (void)state;
    static const uint8_t v[] = {0, 1, 2, 255, 4, 4, 0, 0};
    bundle_photo(&b, "images/a.png", 4, 2, 1, 1);
    bundle_mask(&b, "masks/a.png", 4, 2, v);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(im->channels, 1);
    assert_int_equal(im->classes, 5);
    assert_memory_equal(im->mask[0], v, 8);
    bs_images_free(im);
    im = bundle_images(&b, "mask.zero_ignored=yes image.channels=3", NULL, NULL);
    assert_int_equal(im->channels, 3);
    assert_int_equal(im->classes, 4);
    assert_memory_equal(im->mask[0], ((uint8_t[]){255, 0, 1, 255, 3, 3, 255, 255}), 8);
    bs_images_free(im);
    bundle_refused(&b, "mask.classes=9 mask.ignore=2", NULL, "the value 255; 9 classes");
}

static void index_masks_with_limits(void **state)
{
    (void)state;
    static const uint8_t v[] = {0, 1, 2, 3, 4, 4, 0, 0};
    bundle_photo(&b, "images/a.png", 4, 2, 1, 1);
    bundle_mask(&b, "masks/a.png", 4, 2, v);
    bs_images *im = bundle_images(&b, "mask.classes=9 mask.ignore=2", NULL, NULL);
    assert_int_equal(im->classes, 9);
    assert_memory_equal(im->mask[0], ((uint8_t[]){0, 1, 255, 3, 4, 4, 0, 0}), 8);
    bs_images_free(im);
    bundle_refused(&b, "mask.classes=4", NULL,
                   "set.tar: masks/a.png: the value 4; 4 classes are given by mask.classes");
    bundle_text(&b, "classes.txt", "none\nsky\nroad\n");
    bundle_refused(&b, "", NULL, "the value 4; 3 classes are given by classes.txt");
}

/* A mask as Pascal VOC has them; `odd`: with another palette. */
static void add_voc(const char *name, const uint8_t *values, bool odd)
{
    static file f;
    png_color   palette[256];
    char        path[120];
    for (int c = 0; c < 256; c++) {
        uint8_t rgb[3];
        bs_voc_colour(c, rgb);
        palette[c] = (png_color){rgb[0], rgb[1], (uint8_t)(rgb[2] ^ (odd && c == 3))};
    }
    const png_kind kind = {.width = 4,
                           .height = 2,
                           .depth = 8,
                           .colour = PNG_COLOR_TYPE_PALETTE,
                           .palette = palette,
                           .colours = 256};
    write_png(&f, &kind, values, 4);
    snprintf(path, sizeof path, "VOC2012/SegmentationClass/%s.png", name);
    bundle_bytes(&b, path, f.bytes, f.n);
    snprintf(path, sizeof path, "VOC2012/SegmentationObject/%s.png", name);
    bundle_bytes(&b, path, f.bytes, f.n);
    snprintf(path, sizeof path, "VOC2012/JPEGImages/%s.png", name);
    bundle_photo(&b, path, 4, 2, 3, name[0]);
}

/* Names of Pascal VOC, where all masks have its palette and numbers that fit. */
static void pascal_voc(void **state)
{
    (void)state;
    static const uint8_t horse[] = {0, 255, 13, 13, 0, 15, 255, 0},
                         dense[] = {0, 1, 2, 3, 0, 0, 0, 0};
    static const uint8_t plain[8] = {0}, beyond[] = {0, 21, 13, 0, 0, 0, 0, 0};
    bs_notes             notes;
    bs_notes_init(&notes);
    add_voc("a", horse, false);
    add_voc("b", plain, false);
    add_voc("c", dense, false);
    bundle_photo(&b, "VOC2012/JPEGImages/z.png", 4, 2, 3, 9); /* one for detection alone */
    bundle_text(&b, "VOC2012/ImageSets/Segmentation/train.txt", "b\na\n");
    bundle_text(&b, "VOC2012/ImageSets/Segmentation/val.txt", "c\n");
    bundle_text(&b, "VOC2012/ImageSets/Segmentation/trainval.txt", "a\nb\nc\n");
    bundle_text(&b, "VOC2012/ImageSets/Main/train.txt", "c\nz\n");
    bs_images *im = bundle_images(&b, "", "train", &notes);
    assert_int_equal(im->n, 2);
    assert_string_equal(im->name[0], "b");
    assert_int_equal(im->parts[1], 2);
    assert_int_equal(im->parts[2], 1);
    assert_int_equal(im->classes, 21);
    assert_string_equal(im->class_name[0], "background");
    assert_string_equal(im->class_name[13], "horse");
    assert_string_equal(im->class_name[20], "tvmonitor");
    assert_int_equal(im->class_colour[15], 192 << 16 | 128 << 8 | 128);
    assert_memory_equal(im->mask[1], horse, 8);
    assert_true(noted(&notes, "masks have the palette of Pascal VOC and numbers that fit"));
    bs_notes_free(&notes);
    bs_images_free(im);
    im = bundle_images(&b, "mask.classes=30", NULL, NULL);
    assert_int_equal(im->classes, 30);
    assert_null(im->class_name);
    bs_images_free(im);
    bundle_text(&b, "VOC2012/classes.txt", "a\nb\nc\n");
    bundle_refused(&b, "", NULL, "the value 15; 3 classes are given by VOC2012/classes.txt");
    bundle_free(&b);

    /* others paint their own classes with that palette: numbered without gaps, or beyond 20 */
    static const struct {
        const uint8_t *values;
        bool           odd;
        int            classes;
    } own[] = {{dense, false, 4}, {beyond, false, 22}, {horse, true, 16}};
    for (int i = 0; i < 3; i++) {
        add_voc("a", own[i].values, own[i].odd);
        im = bundle_images(&b, "", NULL, NULL);
        assert_int_equal(im->classes, own[i].classes);
        assert_null(im->class_name);
        bs_images_free(im);
        bundle_free(&b);
    }
}

/* A class that only the test part has. */
static void classes_that_training_lacks(void **state)
{
    (void)state;
    static const uint8_t v[] = {0, 1, 2, 255};
    basin_error          err = {0};
    bs_images           *im;
    const char          *problem;
    bundle_photo(&b, "train/images/a.png", 2, 2, 3, 1);
    bundle_part_mask(&b, "train/masks/a.png", 2, 2, 1, 1);
    bundle_photo(&b, "test/images/b.png", 2, 2, 3, 2);
    bundle_mask(&b, "test/masks/b.png", 2, 2, v);
    bs_images      *train = bundle_images(&b, "", "train", NULL);
    bs_images_prior prior = bs_images_prior_of(train);
    prior.own = true;
    assert_int_equal(bundle_read_as(&b, "", &prior, "test", &im, NULL, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "set.tar: test/masks/b.png: the value 2; the training data has "
                                 "classes 0 to 1; --set mask.classes=3 makes room for it");
    prior.model = true;
    assert_int_equal(bundle_read_as(&b, "", &prior, "test", &im, NULL, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "the value 2; the model knows classes 0 to 1"));
    bs_images_free(train);

    im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(bs_images_describe(im, NULL, NULL, NULL, &problem, &err), BASIN_OK);
    assert_string_equal(problem, "a class occurs in valid or test, but not in train: 2; "
                                 "--set mask.classes=3 if that is meant");
    bs_images_free(im);
    im = bundle_images(&b, "mask.classes=3", NULL, NULL);
    assert_int_equal(bs_images_describe(im, NULL, NULL, NULL, &problem, &err), BASIN_OK);
    assert_null(problem);
    bs_images_free(im);
}

static void gaps_between_classes_are_noted(void **state)
{
    (void)state;
    static const uint8_t v[] = {0, 3, 7, 7, 255, 0, 0, 0};
    bs_notes             notes;
    bundle_photo(&b, "images/a.png", 4, 2, 1, 1);
    bundle_mask(&b, "masks/a.png", 4, 2, v);
    bs_notes_init(&notes);
    bs_images *im = bundle_images(&b, "", NULL, &notes);
    assert_int_equal(im->classes, 8);
    assert_true(noted(&notes, "mask values are 0, 3, 7, so there are 8 classes, of which 1, 2, 4, "
                              "5, 6 never occur (mask.classes)"));
    bs_images_free(im);
    bs_notes_free(&notes);
    bs_notes_init(&notes);
    bs_images_free(bundle_images(&b, "mask.classes=8", NULL, &notes)); /* so that is meant */
    assert_false(bs_notes_has(&notes, "gaps"));
    bs_notes_free(&notes);
}

static void soft_masks(void **state)
{
    (void)state;
    static const uint8_t v[] = {0, 10, 100, 127, 128, 200, 255, 255};
    bundle_photo(&b, "images/a.png", 4, 2, 1, 1);
    bundle_mask(&b, "masks/a.png", 4, 2, v);
    bundle_refused(&b, "", NULL, "mask.binary=yes for masks of two classes, mask.classes=201");
    bs_images *im = bundle_images(&b, "mask.binary=yes", NULL, NULL);
    assert_memory_equal(im->mask[0], ((uint8_t[]){0, 0, 0, 0, 1, 1, 1, 1}), 8);
    bs_images_free(im);
}

static void palette_and_short_masks(void **state)
{
    (void)state;
    static file            f;
    static const png_color palette[] = {{9, 9, 9}, {200, 10, 20}, {1, 2, 3}};
    static const uint8_t   index[] = {0x18, 0x90}, bit[] = {0x50, 0xa0};
    png_kind               k = {.width = 4,
                                .height = 2,
                                .depth = 2,
                                .colour = PNG_COLOR_TYPE_PALETTE,
                                .palette = palette,
                                .colours = 3};
    bundle_photo(&b, "images/a.png", 4, 2, 3, 1);
    bundle_photo(&b, "images/b.png", 4, 2, 3, 2);
    write_png(&f, &k, index, 1);
    bundle_bytes(&b, "masks/a.png", f.bytes, f.n);
    png_kind g = {.width = 4, .height = 2, .depth = 1};
    write_png(&f, &g, bit, 1);
    bundle_bytes(&b, "masks/b.png", f.bytes, f.n);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(im->classes, 3);
    assert_memory_equal(im->mask[0], ((uint8_t[]){0, 1, 2, 0, 2, 1, 0, 0}), 8);
    assert_memory_equal(im->mask[1], ((uint8_t[]){0, 1, 0, 1, 1, 0, 1, 0}), 8);
    bs_images_free(im);
}

static void masks_in_colours(void **state)
{
    (void)state;
    static const uint8_t rgb[] = {0, 0, 0, 128, 0, 0, 0, 128, 0, 0, 0, 0};
    basin_error          err;
    bundle_photo(&b, "images/a.png", 2, 2, 3, 1);
    assert_int_equal(bs_png_write(rgb, 2, 2, 3, NULL, 0, bundle_add(&b, "labels/a.png"), &err),
                     BASIN_OK);
    bundle_refused(&b, "", NULL, "set.tar: labels/a.png: a mask in colours; mask.names=FILE");
    bundle_text(&b, "label_colors.txt", "0 0 0 none\n128 0 0 horse\n0 128 0 cow\n");
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(im->classes, 3);
    assert_string_equal(im->class_name[1], "horse");
    assert_memory_equal(im->mask[0], ((uint8_t[]){0, 1, 2, 0}), 4);
    bs_images_free(im);
    bs_buf_free(&b.entry[2].data);
    b.n = 2;
    bundle_text(&b, "label_colors.txt", "0 0 0 none\n128 0 0 horse\n");
    bundle_refused(&b, "", NULL,
                   "the colour 0 128 0 at column 1, row 2 is not a class of label_colors");
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static file f;
    uint8_t     grey[64] = {0};
    bundle_photo(&b, "images/a.png", 8, 8, 3, 1);
    bundle_part_mask(&b, "masks/a.png", 8, 4, 3, 1);
    bundle_refused(
        &b, "", NULL,
        "set.tar: images/a.png: the photo is 8 x 8 pixels, its mask masks/a.png is 8 x 4");
    bundle_refused(&b, "image.size=4x4", NULL, "the photo is 8 x 8");
    bundle_free(&b);

    jpeg_kind k = {.width = 8, .height = 8, .channels = 1, .space = JCS_GRAYSCALE};
    write_jpeg(&f, &k, grey);
    bundle_photo(&b, "images/a.png", 8, 8, 3, 1);
    bundle_bytes(&b, "masks/a.jpg", f.bytes, f.n);
    bundle_refused(&b, "", NULL, "set.tar: masks/a.jpg: a mask as JPEG");
    bundle_free(&b);

    bundle_text(&b, "readme.txt", "nothing");
    bundle_refused(&b, "", NULL, "no photos found");
    bundle_part_mask(&b, "masks/a.png", 8, 4, 3, 1);
    bundle_refused(&b, "", NULL, "there are masks without photos");
    bundle_free(&b);

    bundle_photo(&b, "images/a.png", 8, 8, 3, 1);
    b.entry[0].data.len -= 20;
    bundle_refused(&b, "", NULL, "set.tar: images/a.png: broken PNG file: it ends too soon");
    b.entry[0].data.len = 5;
    bundle_refused(&b, "", NULL, "neither a PNG nor a JPEG");
    bundle_free(&b);

    bundle_photo(&b, "a.png", 8, 8, 3, 1);
    bundle_photo(&b, "b.png", 8, 8, 3, 1);
    bundle_refused(&b, "image.max_side=7", NULL, "image.max_side");
    bundle_refused(&b, "image.max_pixels=60", NULL, "image.max_pixels");
    bundle_refused(&b, "image.max_images=1", NULL, "image.max_images");
    bundle_refused(&b, "image.size=8x0", NULL, "image.size: '8x0' is not WxH");
    bundle_refused(&b, "image.size=20000x3", NULL,
                   "image.size: a side of '20000x3' is longer than 16384 (image.max_side)");
    bundle_refused(&b, "image.size=2000x2000 image.max_mb=16", NULL,
                   "more than 16 MiB (image.max_mb)");
    bundle_refused(&b, "", "train", "there are train 0, valid 0, test 0, in no part 2");
    bundle_refused(&b, "", "later", "--part: 'later' is not train, valid, test or all");
}

static bool nothing(void *self, const char *name)
{
    (void)self, (void)name;
    return false;
}

static void files_of_archives_are_counted(void **state)
{
    (void)state;
    uint8_t    *bytes;
    size_t      n;
    basin_error err = {0};
    bs_visitor  v = {.wants = nothing, .max_files = 15};
    bundle_parts(&b);
    bundle_pack(&b, "ustar", "", &bytes, &n);
    const bs_source all = {
        .kind = BS_SOURCE_ARCHIVE, .path = "a.tar", .bytes = bytes, .n_bytes = n};
    assert_int_equal(bs_source_walk(&all, &v, &err), BASIN_OK);
    v.max_files = 14;
    assert_int_equal(bs_source_walk(&all, &v, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "a.tar: more than 14 files (image.max_images)");
    free(bytes);
}

/* 64 x 64 pixels of 9 classes are 144 KiB; an eighth of a MiB is 128. */
static void evaluation_at_full_size_is_bounded(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    bundle_photo(&b, "images/a.png", 64, 64, 3, 1);
    bundle_part_mask(&b, "masks/a.png", 64, 64, 2000, 1);
    bs_images *im = bundle_images(&b, "image.size=8x8 mask.classes=9 image.max_mb=1", NULL, &notes);
    assert_null(im->full_mask[0]);
    assert_int_equal(im->mask_width[0], 8);
    assert_int_equal(im->mask_height[0], 8);
    assert_true(noted(&notes, "masks are evaluated at the size of the resized photos"));
    bs_images_free(im);
    im = bundle_images(&b, "image.size=8x8 mask.classes=8 image.max_mb=1", NULL, NULL);
    assert_non_null(im->full_mask[0]);
    assert_int_equal(im->mask_width[0], 64);
    bs_images_free(im);
    bs_notes_free(&notes);
    /* without them: what is evaluated has the size of the masks that there are */
    im = bundle_images(&b, "image.size=8x8 mask.full=no", NULL, NULL);
    assert_null(im->full_mask[0]);
    assert_int_equal(im->mask_width[0], 8);
    bs_images_free(im);
}

static void sizes(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    bundle_photo(&b, "images/a.png", 8, 8, 3, 1);
    bundle_photo(&b, "images/b.png", 16, 12, 1, 2);
    bundle_photo(&b, "images/c.png", 18, 12, 1, 2);
    bundle_part_mask(&b, "masks/a.png", 8, 8, 32, 1);
    bundle_part_mask(&b, "masks/b.png", 16, 12, 96, 1);
    bundle_part_mask(&b, "masks/c.png", 18, 12, 0, 1);
    bs_images *im = bundle_images(&b, "", NULL, &notes);
    assert_true(im->equal && im->resized);
    assert_int_equal(im->width[0], 16);
    assert_int_equal(im->height[2], 12);
    assert_int_equal(im->mask_width[2], 18);
    assert_non_null(im->full_mask[0]);
    assert_null(im->full_mask[1]);
    assert_int_equal(im->full_mask[0][31], 1);
    assert_int_equal(im->mask[0][5 * 16], 1);
    assert_int_equal(im->mask[0][6 * 16], 0);
    assert_int_equal(im->channels, 3); /* the grey one is expanded */
    assert_memory_equal(im->pixels[1], im->pixels[1] + 16 * 12, 16 * 12);
    assert_true(
        noted(&notes, "photos are 8 to 18 wide and 8 to 12 high: all are resized to 16 x 12"));
    bs_images_free(im);
    bs_notes_free(&notes);

    im = bundle_images(&b, "image.size=keep", NULL, NULL);
    assert_false(im->equal);
    assert_int_equal(im->width[0], 8);
    assert_int_equal(im->width[1], 16);
    bs_image_options o = image_options("");
    bs_images_settle(im, &o);
    assert_string_equal(o.size, "keep");
    bs_images_free(im);
    im = bundle_images(&b, "image.size=4x6 image.channels=1 mask.full=no", NULL, NULL);
    assert_int_equal(im->channels, 1);
    assert_int_equal(im->width[1], 4);
    assert_int_equal(im->height[1], 6);
    assert_null(im->full_mask[0]);
    assert_memory_equal(im->mask[0], "\1\1\1\1\1\1\1\1\1\1\1\1\0\0\0\0\0\0\0\0\0\0\0\0", 24);
    bs_images_free(im);
}

static void large_photos_are_shrunk(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    for (int i = 0; i < 2; i++) {
        bundle_photo(&b, i ? "images/b.png" : "images/a.png", 160, 20, 3, i);
        bundle_part_mask(&b, i ? "masks/b.png" : "masks/a.png", 160, 20, 960, 1);
    }
    bs_images *im = bundle_images(&b, "", NULL, &notes);
    assert_true(im->equal && im->resized && im->full_mask[1] && im->mask_width[1] == 160);
    assert_true(im->width[0] == 128 && im->height[0] == 16);
    assert_true(noted(&notes, "photos are 160 to 160 wide and 20 to 20 high: all are resized to "
                              "128 x 16"));
    bs_images_free(im);
    bs_notes_free(&notes);
    im = bundle_images(&b, "image.size=keep", NULL, NULL);
    assert_true(im->equal && im->width[0] == 160);
    bs_images_free(im);
}

static void small_photos_keep_their_size(void **state)
{
    (void)state;
    bundle_photo(&b, "images/a.png", 127, 31, 3, 1);
    bundle_part_mask(&b, "masks/a.png", 127, 31, 960, 1);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_true(!im->resized && im->width[0] == 127);
    bs_images_free(im);
}

static void photos_without_masks(void **state)
{
    (void)state;
    bundle_photo(&b, "x/a.png", 4, 4, 3, 1);
    bundle_photo(&b, "x/b.png", 4, 4, 3, 2);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(im->n, 2);
    assert_int_equal(im->classes, 2);
    assert_null(im->mask[0]);
    assert_int_equal(im->mask_width[0], 4);
    bs_buf      table;
    const char *problem;
    basin_error err;
    bs_buf_init(&table, 1 << 16);
    assert_int_equal(bs_images_describe(im, NULL, &table, NULL, &problem, &err), BASIN_OK);
    assert_string_equal(problem, "there are no masks");
    assert_non_null(strstr(table.data, "masks    0 of 2 images"));
    bs_buf_free(&table);
    bs_images_free(im);
}

static void parts_and_selections(void **state)
{
    (void)state;
    basin_error err = {0};
    bs_images  *train, *one;
    bundle_parts(&b);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(im->n, 6);
    assert_string_equal(im->name[0], "i3"); /* in the order of the list */
    assert_int_equal(im->part[0], 1);
    assert_int_equal(im->parts[1] + 10 * im->parts[2] + 100 * im->parts[3], 213);
    assert_int_equal(bundle_part(im, 1, &train, &err), BASIN_OK);
    bs_images *alone = bundle_images(&b, "", "train", NULL);
    assert_int_equal(alone->n, 3);
    assert_true(alone->hash == train->hash);
    assert_int_equal(alone->parts[3], 2);
    bs_images_free(alone);
    bs_images_free(train);
    bundle_text(&b, "set/splits/val.txt", "i0\n");
    bundle_refused(&b, "", NULL,
                   "set.tar: set/splits/val.txt: 'i0' is also in set/splits/train.txt");

    const int32_t rows[] = {5, 0, 0};
    assert_int_equal(bs_images_select(im, rows, 3, &one, &err), BASIN_OK);
    assert_string_equal(one->name[0], im->name[5]);
    assert_memory_equal(one->pixels[1], im->pixels[0], 48);
    assert_memory_equal(one->mask[0], im->mask[5], 16);
    bs_images_free(one);
    assert_int_equal(bs_images_select(im, (int32_t[]){6}, 1, &one, &err), BASIN_EARG);
    assert_null(one);
    bs_images_free(im);
}

/* What editors put before texts, and texts of two bytes a character. */
static void marks_before_lists(void **state)
{
    (void)state;
    static const char wide[] = "\xff\xfei\0001\0\n\0", bare[] = "\0i\0003\0\n";
    for (int i = 0; i < 4; i++) {
        char name[40];
        snprintf(name, sizeof name, "images/i%d.png", i);
        bundle_photo(&b, name, 4, 4, 3, i);
        snprintf(name, sizeof name, "masks/i%d.png", i);
        bundle_part_mask(&b, name, 4, 4, 4, 1);
    }
    bundle_text(&b, "train.txt", "\xef\xbb\xbfi3\r\ni0\r\n");
    bundle_text(&b, "classes.txt", "\xef\xbb\xbfnone\nhorse\n");
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(im->parts[1], 2);
    assert_string_equal(im->class_name[0], "none");
    bs_images_free(im);
    bundle_bytes(&b, "readme.txt", wide, sizeof wide - 1);
    bs_images_free(bundle_images(&b, "", NULL, NULL)); /* is no list */
    bundle_bytes(&b, "lists/val.txt", wide, sizeof wide - 1);
    bundle_refused(&b, "", NULL, "set.tar: lists/val.txt: is UTF-16; save it as UTF-8");
    bs_buf_clear(&b.entry[b.n - 1].data);
    bs_buf_add(&b.entry[b.n - 1].data, bare, sizeof bare - 1);
    bundle_refused(&b, "", NULL, "set.tar: lists/val.txt: is UTF-16; save it as UTF-8");
}

static void twins_are_found(void **state)
{
    (void)state;
    basin_error err = {0};
    bs_twin    *twin;
    size_t      n;
    bs_buf      table, json;
    const char *problem;
    bundle_parts(&b);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(bs_images_twins(im, &twin, &n, &err), BASIN_OK);
    assert_int_equal(n, 1);
    assert_true(twin[0].across);
    bs_free(twin);
    bs_buf_init(&table, 1 << 16);
    bs_buf_init(&json, 1 << 16);
    assert_int_equal(bs_images_describe(im, NULL, &table, &json, &problem, &err), BASIN_OK);
    assert_null(problem);
    assert_non_null(strstr(table.data, "parts    train 3, valid 1, test 2, none 0\n"));
    assert_non_null(strstr(table.data, "1 across parts: i0 (train) and i5 (test)\n"));
    assert_non_null(strstr(table.data, "classes  2, shares of the pixels: 0 75.00 %, 1 25.00 %\n"));
    assert_non_null(strstr(json.data, "\"twins_across\": [[\"i0\", \"i5\"]]"));
    bs_buf_free(&table);
    bs_buf_free(&json);
    bs_images_free(im);
}

static void splits_are_balanced(void **state)
{
    (void)state;
    enum { N = 30 };
    double      share[] = {60, 20, 20}, sum[3] = {0};
    int32_t     part[N], again[N], count[3] = {0};
    basin_error err = {0};
    for (int i = 0; i < N; i++) {
        char name[40];
        snprintf(name, sizeof name, "images/i%02d.png", i);
        bundle_photo(&b, name, 8, 8, 1, i == 29 ? 7 : i);
        snprintf(name, sizeof name, "masks/i%02d.png", i);
        bundle_part_mask(&b, name, 8, 8, i == 29 ? 14 : 2 * i, 1);
    }
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(bs_images_split(im, share, 3, 5, part, &err), BASIN_OK);
    assert_int_equal(bs_images_split(im, share, 3, 5, again, &err), BASIN_OK);
    assert_memory_equal(part, again, sizeof part);
    for (int i = 0; i < N; i++) {
        count[part[i]]++;
        sum[part[i]] += i == 29 ? 14 : 2 * i;
    }
    assert_int_equal(part[7], part[29]); /* equal photos stay together */
    assert_true(count[0] >= 17 && count[0] <= 19 && count[1] >= 5 && count[1] <= 7);
    for (int p = 0; p < 3; p++)
        assert_true(sum[p] / count[p] > 20 && sum[p] / count[p] < 36);
    assert_int_equal(bs_images_split(im, share, 3, 6, again, &err), BASIN_OK);
    assert_memory_not_equal(part, again, sizeof part);
    assert_int_equal(bs_images_split(im, share, 1, 5, part, &err), BASIN_EARG);
    share[1] = 0;
    assert_int_equal(bs_images_split(im, share, 3, 5, part, &err), BASIN_EARG);
    bs_images_free(im);
}

static void allocation_failures(void **state)
{
    (void)state;
    uint8_t         *bytes;
    size_t           n;
    bs_image_options o = image_options("image.size=auto");
    bundle_parts(&b);
    bundle_photo(&b, "set/images/x.png", 6, 8, 1, 3); /* another size, without mask */
    bundle_part_mask(&b, "set/masks/x.png", 6, 8, 9, 255);
    bundle_text(&b, "set/classes.txt", "no\nyes\n");
    bundle_pack(&b, "ustar", "", &bytes, &n);
    for (long at = 1, done = 0; !done; at++) {
        basin_error  err = {0};
        bs_images   *im = NULL, *part = NULL;
        int32_t      to[8];
        bs_notes     notes;
        bs_buf       table, json;
        long         live = bs_mem_live();
        basin_status s;
        bs_notes_init(&notes);
        bs_buf_init(&table, 1 << 16);
        bs_buf_init(&json, 1 << 16);
        bs_mem_fail_at(at);
        s = bs_images_read_memory("set.tar", bytes, n, &o, NULL, NULL, &im, &notes, &err);
        if (!s)
            s = bundle_part(im, 1, &part, &err);
        if (!s)
            s = bs_images_split(im, (double[]){2, 1}, 2, 3, to, &err);
        if (!s)
            s = bs_images_describe(im, &notes, &table, &json, NULL, &err);
        done = s == BASIN_OK && !notes.failed;
        if (!done && s != BASIN_ENOMEM && !notes.failed)
            fail_msg("allocation %ld: %s", at, err.msg);
        bs_mem_fail_at(0);
        bs_images_free(part);
        bs_images_free(im);
        bs_notes_free(&notes);
        bs_buf_free(&table);
        bs_buf_free(&json);
        assert_int_equal(bs_mem_live(), live);
    }
    free(bytes);
}

#define TEST(f) cmocka_unit_test_teardown(f, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(binary_masks),
        TEST(masks_of_other_data_are_read_by_their_own_values),
        TEST(index_masks),
        TEST(index_masks_with_limits),
        TEST(pascal_voc),
        TEST(classes_that_training_lacks),
        TEST(gaps_between_classes_are_noted),
        TEST(soft_masks),
        TEST(palette_and_short_masks),
        TEST(masks_in_colours),
        TEST(what_does_not_fit_is_refused),
        TEST(files_of_archives_are_counted),
        TEST(evaluation_at_full_size_is_bounded),
        TEST(sizes),
        TEST(large_photos_are_shrunk),
        TEST(small_photos_keep_their_size),
        TEST(photos_without_masks),
        TEST(parts_and_selections),
        TEST(marks_before_lists),
        TEST(twins_are_found),
        TEST(splits_are_balanced),
        TEST(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
