/* test_image_disk.c -- folders, archives, tables and pictures on the disk, read and written. */
#include <sys/inotify.h>

#include "image_set.h"
#include "task/prepare.h"

static bundle b;

static bool is_ours(const char *path)
{
    int sure;
    assert_int_equal(bs_images_sniff(path, &sure, NULL), BASIN_OK);
    return sure > 50;
}

static int clear(void **state)
{
    (void)state;
    bundle_free(&b);
    return 0;
}

static void wipe(const char *folder)
{
    char command[300];
    assert_true(strncmp(folder, "/tmp/", 5) == 0);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void all_containers_give_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *name, *format, *filter;
    } kinds[] = {{"set.tar", "ustar", ""},
                 {"set.tar.xz", "ustar", "xz"},
                 {"set.tgz", "pax", "gzip"},
                 {"set.zip", "zip", ""},
                 {"whatever", "gnutar", "zstd"}};
    char             folder[] = "/tmp/basin-images-XXXXXX", path[200];
    const char      *list[1] = {path};
    bs_images       *im;
    basin_error      err = {0};
    bs_image_options o = image_options("");
    int32_t          count[4];
    assert_non_null(mkdtemp(folder));
    bundle_parts(&b);
    snprintf(path, sizeof path, "%s/flat", folder);
    bundle_folder(&b, path);
    assert_true(is_ours(path));
    if (bs_images_read(list, 1, &o, NULL, &im, NULL, &err))
        fail_msg("%s", err.msg);
    uint64_t want = im->hash;
    bs_images_free(im);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        uint8_t *bytes;
        size_t   n;
        bundle_pack(&b, kinds[k].format, kinds[k].filter, &bytes, &n);
        snprintf(path, sizeof path, "%s/%s", folder, kinds[k].name);
        assert_int_equal(bs_write_file(path, bytes, n, &err), BASIN_OK);
        assert_true(is_ours(path));
        if (bs_images_read(list, 1, &o, NULL, &im, NULL, &err))
            fail_msg("%s: %s", kinds[k].name, err.msg);
        assert_true(im->hash == want);
        bs_images_free(im);
        assert_int_equal(bs_images_parts(list, 1, &o, count, &err), BASIN_OK);
        assert_int_equal(count[1], 3);
        /* Cut off: an error that names the file. */
        assert_int_equal(bs_write_file(path, bytes, n / 3, &err), BASIN_OK);
        if (bs_images_read(list, 1, &o, NULL, &im, NULL, &err) == BASIN_OK)
            fail_msg("%s was read although it is cut off", kinds[k].name);
        assert_non_null(strstr(err.msg, path));
        free(bytes);
    }
    wipe(folder);
}

/* How often a file was opened since the watch began. */
static int opened(int watch)
{
    char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    int  n = 0;
    for (ssize_t got; (got = read(watch, events, sizeof events)) > 0;)
        for (char *p = events; p < events + got;) {
            struct inotify_event e;
            memcpy(&e, p, sizeof e);
            n += (e.mask & IN_OPEN) != 0;
            p += sizeof e + e.len;
        }
    return n;
}

/* Training on an archive: once to see what it is, once to unpack it. A plain zip archive is looked
 * into before it is unpacked. */
static void an_archive_is_unpacked_once(void **state)
{
    (void)state;
    static const struct {
        const char *name, *format, *filter;
        int         most;
    } kinds[] = {{"set.tar.gz", "ustar", "gzip", 2}, {"set.zip", "zip", "", 3}};
    char      folder[] = "/tmp/basin-images-XXXXXX", path[200];
    bs_logger quiet = {0};
    assert_non_null(mkdtemp(folder));
    bundle_parts(&b);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        uint8_t    *bytes;
        size_t      n;
        basin_error err = {0};
        bs_data     data;
        bs_settings s;
        bs_sources  files = {.file = {{path}}, .n = {1}};
        bundle_pack(&b, kinds[k].format, kinds[k].filter, &bytes, &n);
        snprintf(path, sizeof path, "%s/%s", folder, kinds[k].name);
        assert_int_equal(bs_write_file(path, bytes, n, &err), BASIN_OK);
        assert_int_equal(bs_settings_default(&s, &err), BASIN_OK);
        snprintf(s.train.task, sizeof s.train.task, "seg");
        const int watch = inotify_init1(IN_NONBLOCK);
        assert_true(watch >= 0 && inotify_add_watch(watch, path, IN_OPEN | IN_CLOSE) >= 0);
        if (bs_prepare(&s, &files, &quiet, &data, &err))
            fail_msg("%s", err.msg);
        assert_true(data.part[0].rows > 0 && data.part[1].rows > 0 && data.part[2].rows > 0);
        const int times = opened(watch);
        if (times < 1 || times > kinds[k].most)
            fail_msg("%s was opened %d times", kinds[k].name, times);
        close(watch);
        bs_data_free(&data);
        free(bytes);
    }
    wipe(folder);
}

/* Parts are the same, whether they are unpacked for each reading or kept from the first. */
static void what_is_kept_is_what_was_read(void **state)
{
    (void)state;
    static const char *const part[] = {"train", "valid", "test"};
    char                     folder[] = "/tmp/basin-images-XXXXXX", path[200];
    const char              *list[1] = {path};
    bs_image_options         o = image_options("");
    basin_error              err = {0};
    uint64_t                 hash[3];
    int32_t                  count[4];
    uint8_t                 *bytes;
    size_t                   n;
    bs_images               *im;
    assert_non_null(mkdtemp(folder));
    bundle_parts(&b);
    bundle_pack(&b, "pax", "xz", &bytes, &n);
    snprintf(path, sizeof path, "%s/set.tar.xz", folder);
    assert_int_equal(bs_write_file(path, bytes, n, &err), BASIN_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bs_images_read(list, 1, &o, part[i], &im, NULL, &err), BASIN_OK);
        hash[i] = im->hash;
        bs_images_free(im);
    }
    assert_int_equal(bs_image_set_new(1, &o.set, &err), BASIN_OK);
    assert_int_equal(bs_images_parts(list, 1, &o, count, &err), BASIN_OK);
    remove(path); /* nobody needs it any more */
    for (int i = 0; i < 3; i++) {
        if (bs_images_read(list, 1, &o, part[i], &im, NULL, &err))
            fail_msg("%s", err.msg);
        assert_true(im->hash == hash[i]);
        bs_images_free(im);
    }
    assert_int_equal(bs_images_parts(list, 1, &o, count, &err), BASIN_OK);
    assert_int_equal(count[1], 3);
    bs_image_set_free(o.set);
    free(bytes);
    wipe(folder);
}

/* Nothing may lie behind the packed bytes: zstd and bzip2 take it for damage. */
static void no_zeros_at_the_end(const char *path)
{
    bs_buf bytes;
    bs_buf_init(&bytes, 1 << 24);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        bs_buf_add(&bytes, &(char){(char)c}, 1);
    fclose(f);
    size_t zeros = 0;
    while (zeros < bytes.len && bytes.data[bytes.len - 1 - zeros] == 0)
        zeros++;
    assert_true(zeros < 16);
    bs_buf_free(&bytes);
}

static void archives_that_are_written_can_be_read(void **state)
{
    (void)state;
    static const char *const ending[] = {".tar",     ".tar.gz", ".tgz",     ".tar.xz",
                                         ".tar.zst", ".zip",    ".tar.bz2", ".txz"};
    char                     folder[] = "/tmp/basin-images-XXXXXX", path[200];
    const char              *list[1] = {path};
    bs_images               *again;
    bs_image_options         o = image_options("");
    int                      written = 0;
    assert_non_null(mkdtemp(folder));
    bundle_parts(&b);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    for (size_t k = 0; k < sizeof ending / sizeof ending[0]; k++) {
        basin_error err = {0};
        snprintf(path, sizeof path, "%s/set%s", folder, ending[k]);
        basin_status s = bs_images_write(im, path, NULL, &err);
        if (s == BASIN_EUNSUPPORTED)
            continue;
        if (s || bs_images_read(list, 1, &o, NULL, &again, NULL, &err))
            fail_msg("%s: %s", ending[k], err.msg);
        assert_true(again->hash == im->hash);
        bs_images_free(again);
        if (strcmp(ending[k], ".tar") != 0)
            no_zeros_at_the_end(path);
        written++;
    }
    assert_true(written >= 4);
    bs_images_free(im);
    wipe(folder);
}

/* A folder holds one data set; the same one may be written again. */
static void folders_of_other_data_are_left_alone(void **state)
{
    (void)state;
    char        folder[] = "/tmp/basin-images-XXXXXX", path[200];
    basin_error err = {0};
    bs_images  *half;
    assert_non_null(mkdtemp(folder));
    bundle_parts(&b);
    bs_images *im = bundle_images(&b, "", NULL, NULL);
    assert_int_equal(bundle_part(im, 1, &half, &err), BASIN_OK);
    snprintf(path, sizeof path, "%s/set", folder);
    for (int turn = 0; turn < 2; turn++)
        if (bs_images_write(im, path, NULL, &err))
            fail_msg("%s", err.msg);
    assert_int_equal(bs_images_write(half, path, NULL, &err), BASIN_EIO);
    assert_non_null(strstr(err.msg, "set: holds other data already, such as images/i2.png"));
    snprintf(path, sizeof path, "%s/half", folder);
    assert_int_equal(bs_images_write(half, path, NULL, &err), BASIN_OK);
    assert_int_equal(bs_images_write(im, path, NULL, &err), BASIN_OK);   /* all of it is replaced */
    assert_int_equal(bs_images_write(im, folder, NULL, &err), BASIN_OK); /* nothing of ours there */
    for (int32_t i = 0; i < im->n; i++)
        im->part[i] = 0;
    assert_int_equal(bs_images_write(im, path, NULL, &err), BASIN_EIO);
    assert_non_null(strstr(err.msg, "such as splits/"));
    for (long at = 1, done = 0; !done; at++) {
        long live = bs_mem_live();
        bs_mem_fail_at(at);
        basin_status s = bs_images_write(half, path, NULL, &err);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
        done = s == BASIN_EIO;
        assert_true(done || s == BASIN_ENOMEM);
    }
    bs_images_free(half);
    bs_images_free(im);
    wipe(folder);
}

static void links_that_lead_back_are_not_followed(void **state)
{
    (void)state;
    char             folder[] = "/tmp/basin-images-XXXXXX", path[200];
    const char      *list[1] = {folder};
    basin_error      err = {0};
    bs_images       *im;
    bs_image_options o = image_options("");
    assert_non_null(mkdtemp(folder));
    bundle_photo(&b, "images/a.png", 4, 4, 3, 1);
    bundle_photo(&b, "images/b.png", 4, 4, 3, 2);
    bundle_photo(&b, "elsewhere/c.png", 4, 4, 3, 3);
    bundle_folder(&b, folder);
    snprintf(path, sizeof path, "%s/images/up", folder);
    assert_int_equal(symlink("..", path), 0);
    snprintf(path, sizeof path, "%s/images/self", folder);
    assert_int_equal(symlink("../images", path), 0);
    snprintf(path, sizeof path, "%s/images/more", folder); /* this one leads on */
    assert_int_equal(symlink("../elsewhere", path), 0);
    if (bs_images_read(list, 1, &o, NULL, &im, NULL, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(im->n, 3);
    bs_images_free(im);
    wipe(folder);
}

static void single_pictures_lists_and_several_paths(void **state)
{
    (void)state;
    char             folder[] = "/tmp/basin-images-XXXXXX", path[200], other[200];
    const char      *list[2] = {path, other};
    bs_images       *im;
    basin_error      err = {0};
    bs_image_options o = image_options("");
    assert_non_null(mkdtemp(folder));
    bundle_photo(&b, "p/images/a.png", 4, 4, 3, 1);
    bundle_photo(&b, "p/images/b.png", 4, 4, 3, 2);
    bundle_part_mask(&b, "q/masks/a.png", 4, 4, 3, 1);
    bundle_part_mask(&b, "q/masks/b.png", 4, 4, 5, 1);
    bundle_text(&b, "plain.csv", "a,b\n1,2\n");
    bundle_bytes(&b, "wide.csv", "\xff\xfei\0m\0g\0", 8);
    bundle_text(&b, "names.lst", "\xef\xbb\xbfnone\nhorse\n");
    bundle_folder(&b, folder);

    snprintf(path, sizeof path, "%s/p/images/b.png", folder);
    assert_true(is_ours(path));
    assert_int_equal(bs_images_read(list, 1, &o, NULL, &im, NULL, &err), BASIN_OK);
    assert_int_equal(im->n, 1);
    assert_string_equal(im->name[0], "b");
    bs_images_free(im);

    snprintf(path, sizeof path, "%s/p/images", folder);
    snprintf(other, sizeof other, "%s/q/masks/", folder);
    if (bs_images_read(list, 2, &o, NULL, &im, NULL, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(im->n, 2);
    assert_non_null(im->mask[1]);
    bs_images_free(im);

    snprintf(o.names, sizeof o.names, "%s/names.lst", folder);
    if (bs_images_read(list, 2, &o, NULL, &im, NULL, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(im->class_name[0], "none");
    bs_images_free(im);
    snprintf(o.names, sizeof o.names, "%s/wide.csv", folder);
    assert_int_equal(bs_images_read(list, 1, &o, NULL, &im, NULL, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "wide.csv: is UTF-16; save it as UTF-8"));
    o.names[0] = '\0';
    snprintf(path, sizeof path, "%s/wide.csv", folder);
    assert_int_equal(bs_images_read(list, 1, &o, NULL, &im, NULL, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "wide.csv: is UTF-16; save it as UTF-8"));
    snprintf(path, sizeof path, "%s/plain.csv", folder);
    assert_false(is_ours(path));
    assert_int_equal(bs_images_read(list, 1, &o, NULL, &im, NULL, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "not a folder, tar or zip archive, picture or file of"));
    snprintf(path, sizeof path, "%s/absent", folder);
    assert_false(is_ours(path));
    assert_int_equal(bs_images_read(list, 1, &o, NULL, &im, NULL, &err), BASIN_EIO);
    snprintf(path, sizeof path, "%s/q", folder);
    assert_int_equal(bs_images_read(list, 1, &o, NULL, &im, NULL, &err), BASIN_EDATA);
    assert_int_equal(bs_images_read(list, 0, &o, NULL, &im, NULL, &err), BASIN_EARG);
    wipe(folder);
}

#define TEST(f) cmocka_unit_test_teardown(f, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_containers_give_the_same),
        TEST(an_archive_is_unpacked_once),
        TEST(what_is_kept_is_what_was_read),
        TEST(archives_that_are_written_can_be_read),
        TEST(folders_of_other_data_are_left_alone),
        TEST(links_that_lead_back_are_not_followed),
        TEST(single_pictures_lists_and_several_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
