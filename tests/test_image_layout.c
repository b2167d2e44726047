/* test_image_layout.c -- which file is a photo, a mask, a list; in which part. */
#include "tests/check.h"

#include <string.h>

#include "base/buf.h"
#include "data/image/catalogue.h"

/* Names separated by blanks; texts as pairs of name and content. The result is
 * "name=image+mask@part" for every pair. */
static const char *pairs_of(const char *names, const char *const *texts, bool need, bs_notes *notes)
{
    static char     out[4096];
    bs_catalogue    c;
    basin_error     err = {0};
    bs_pair_options o = {.image_suffix = "", .mask_suffix = "", .need_mask = need};
    char            name[128];
    bs_catalogue_init(&c);
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        assert_int_equal(bs_catalogue_file(&c, name, 0, &err), BASIN_OK);
        p += n + (p[n] == ' ');
    }
    for (; texts && *texts; texts += 2)
        assert_int_equal(bs_catalogue_text(&c, texts[0], 0, texts[1], strlen(texts[1]), &err),
                         BASIN_OK);
    size_t at = 0;
    out[0] = '\0';
    if (bs_catalogue_pair(&c, &o, notes, &err))
        snprintf(out, sizeof out, "%s", err.msg);
    else
        for (size_t i = 0; i < c.n_pairs; i++) {
            const bs_pair *p = &c.pair[i];
            at += (size_t)snprintf(out + at, sizeof out - at, "%s%s=%s+%s@%s", i ? " " : "",
                                   p->name, c.file[p->image].name,
                                   p->mask < 0 ? "" : c.file[p->mask].name, bs_part_name(p->part));
        }
    bs_catalogue_free(&c);
    return out;
}

static void check(const char *names, const char *want)
{
    assert_string_equal(pairs_of(names, NULL, true, NULL), want);
}

static void folders_of_photos_and_masks(void **state)
{
    (void)state;
    check("images/a.png images/b.jpg masks/a.png masks/b.png",
          "a=images/a.png+masks/a.png@ b=images/b.jpg+masks/b.png@");
    check("top/images/train/a.png top/masks/train/a.png top/images/val/a.png top/masks/val/a.png",
          "train/top/a=top/images/train/a.png+top/masks/train/a.png@train "
          "valid/top/a=top/images/val/a.png+top/masks/val/a.png@valid");
    check("img_dir/train/a.jpg ann_dir/train/a.png img_dir/test/b.jpg ann_dir/test/b.png",
          "a=img_dir/train/a.jpg+ann_dir/train/a.png@train "
          "b=img_dir/test/b.jpg+ann_dir/test/b.png@test");
    check("train_images/a.png train_masks/a.png val-images/b.png val-masks/b.png",
          "a=train_images/a.png+train_masks/a.png@train b=val-images/b.png+val-masks/b.png@valid");
    check("training/images/a.png training/labels/a.png", /* parts outside of roles */
          "a=training/images/a.png+training/labels/a.png@train");
    check("imgs/Original/a.jpg masks/GT/a.png rgb/b.jpg figure_ground/b.png gray/b.jpg",
          "a=imgs/Original/a.jpg+masks/GT/a.png@ b=rgb/b.jpg+figure_ground/b.png@");
    check("train/a.png trainannot/a.png test/b.png testannot/b.png",
          "a=train/a.png+trainannot/a.png@train b=test/b.png+testannot/b.png@test");
    check("leftImg8bit/train/x/c_1_leftImg8bit.png gtFine/train/x/c_1_gtFine_labelTrainIds.png",
          "c_1_leftImg8bit=leftImg8bit/train/x/c_1_leftImg8bit.png+"
          "gtFine/train/x/c_1_gtFine_labelTrainIds.png@train");
    check("images/a.png masks/a_mask.png", "a=images/a.png+masks/a_mask.png@");
}

static void flat_folders(void **state)
{
    (void)state;
    check("a.jpg a_mask.png b.png b_mask.png", "a=a.jpg+a_mask.png@ b=b.png+b_mask.png@");
    check("a.jpg b.jpg the_mask.jpg", "a=a.jpg+@ b=b.jpg+@ the_mask=the_mask.jpg+@");
    check("a_sat.jpg a_mask.png", "a_sat=a_sat.jpg+a_mask.png@");
    check("0001TP.png 0001TP_L.png", "0001TP=0001TP.png+0001TP_L.png@");
    check("part.png part_l.png", "part=part.png+@ part_l=part_l.png+@");
}

static void what_is_left_over_is_noted(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    assert_string_equal(pairs_of("images/a.png images/b.png masks/a.png masks/c.png preview.png",
                                 NULL, true, &notes),
                        "a=images/a.png+masks/a.png@");
    assert_int_equal(notes.n, 3);
    assert_non_null(strstr(notes.note[0].text, "1 photos have no mask, such as images/b.png"));
    assert_non_null(strstr(notes.note[1].text, "1 masks have no photo, such as masks/c.png"));
    bs_notes_free(&notes);
    assert_string_equal(pairs_of("images/a.png images/b.png masks/a.png", NULL, false, NULL),
                        "a=images/a.png+masks/a.png@ b=images/b.png+@");
    check("images/a.png images/a.jpg masks/a.png",
          "images/a.jpg and images/a.png: two photos with one name");
    check("images/a.png masks/a.png masks/a_mask.png",
          "masks/a.png and masks/a_mask.png: two masks of the photo images/a.png");
}

static void lists_make_parts(void **state)
{
    (void)state;
    const char *const plain[] = {
        "splits/train.txt", "b\na\n", "splits/val.txt", "c.png\r\n\r\n", "splits/test.txt",
        "images/d.png\n",   NULL};
    const char *names = "images/a.png images/b.png images/c.png images/d.png images/e.png "
                        "masks/a.png masks/b.png masks/c.png masks/d.png masks/e.png";
    bs_notes    notes;
    bs_notes_init(&notes);
    assert_string_equal(pairs_of(names, plain, true, &notes),
                        "e=images/e.png+masks/e.png@ b=images/b.png+masks/b.png@train "
                        "a=images/a.png+masks/a.png@train c=images/c.png+masks/c.png@valid "
                        "d=images/d.png+masks/d.png@test");
    assert_int_equal(notes.n, 1);
    assert_non_null(strstr(notes.note[0].text, "1 photos are in no list"));
    bs_notes_free(&notes);

    const char *const twice[] = {"train.txt", "a\n", "test.txt", "b\na\n", NULL};
    assert_string_equal(pairs_of(names, twice, true, NULL), "test.txt: 'a' is also in train.txt");
    const char *const prose[] = {"train.txt", "how to train\n", "readme.txt", "a\n", NULL};
    assert_null(strstr(pairs_of(names, prose, true, NULL), "@train"));
    const char *const both[] = {"trainval.txt", "a\nb\n", "train.txt", "a\n",
                                "val.txt",      "b\n",    NULL};
    assert_non_null(strstr(pairs_of(names, both, true, NULL), "b=images/b.png+masks/b.png@valid"));
    const char *const union_only[] = {"trainval.txt", "a\nb\n", NULL};
    assert_non_null(
        strstr(pairs_of(names, union_only, true, NULL), "b=images/b.png+masks/b.png@train"));
}

static void pascal_voc(void **state)
{
    (void)state;
    const char *const lists[] = {"VOC/ImageSets/Main/train.txt",
                                 "x -1\na 1\n",
                                 "VOC/ImageSets/Segmentation/train.txt",
                                 "a\n",
                                 "VOC/ImageSets/Segmentation/val.txt",
                                 "b\n",
                                 "VOC/ImageSets/Segmentation/trainval.txt",
                                 "a\nb\n",
                                 NULL};
    bs_notes          notes;
    bs_notes_init(&notes);
    assert_string_equal(pairs_of("VOC/JPEGImages/a.jpg VOC/JPEGImages/b.jpg VOC/JPEGImages/x.jpg "
                                 "VOC/SegmentationClass/a.png VOC/SegmentationClass/b.png "
                                 "VOC/SegmentationObject/a.png VOC/SegmentationObject/b.png",
                                 lists, true, &notes),
                        "a=VOC/JPEGImages/a.jpg+VOC/SegmentationClass/a.png@train "
                        "b=VOC/JPEGImages/b.jpg+VOC/SegmentationClass/b.png@valid");
    bs_notes_free(&notes);
}

static void class_lists(void **state)
{
    (void)state;
    static const struct {
        char        text[64];
        const char *want; /* "": refused */
    } cases[] = {
        {"background\nhorse\n", "background|horse"},
        {"0 background\n1 white horse\n", "background|white horse"},
        {"0: background\n1: horse\n", "background|horse"},
        {"0 0 0 sky\n128 64 0 road\n", "sky 0 0 0|road 128 64 0"},
        {"sky 0 0 0\nroad 128 64 0\n", "sky 0 0 0|road 128 64 0"},
        {"name,r,g,b\nsky,0,0,0\nroad,128,64,0\n", "sky 0 0 0|road 128 64 0"},
        {"0 0 0 0 sky\n1 128 64 0 road\n", "sky 0 0 0|road 128 64 0"},
        {"# label:color_rgb:parts:actions\nsky:0,0,0::\nroad:128,64,0::\n",
         "sky 0 0 0|road 128 64 0"},
        {"1 background\n2 horse\n", ""},
        {"sky 0 0 999\nroad 1 2 3\n", ""},
        {"one\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bs_catalogue    c;
        basin_error     err = {0};
        char            got[200] = "";
        char            text[64];
        bs_pair_options o = {.class_file = text, .class_file_name = "file"};
        strcpy(text, cases[i].text);
        bs_catalogue_init(&c);
        if (!bs_catalogue_classes(&c, &o, NULL, &err))
            for (int k = 0; k < c.n_classes; k++) {
                size_t at = strlen(got);
                snprintf(got + at, sizeof got - at, "%s%s", k ? "|" : "", c.class[k].name);
                at = strlen(got);
                if (c.class[k].coloured)
                    snprintf(got + at, sizeof got - at, " %d %d %d", c.class[k].rgb[0],
                             c.class[k].rgb[1], c.class[k].rgb[2]);
            }
        assert_string_equal(got, cases[i].want);
        bs_catalogue_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_of_photos_and_masks),
        cmocka_unit_test(flat_folders),
        cmocka_unit_test(what_is_left_over_is_noted),
        cmocka_unit_test(lists_make_parts),
        cmocka_unit_test(pascal_voc),
        cmocka_unit_test(class_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
