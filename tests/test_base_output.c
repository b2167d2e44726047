/* test_base_output.c -- atomic writing: old file or new file, whatever happens.
 * Everything happens in a temporary folder that is removed. */
#include "tests/check.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/rng.h"

static char folder[512];

/* Path of a name in the temporary folder; four may be in use at a time. */
static const char *at(const char *name)
{
    static char paths[4][1024];
    static int  next;
    char       *p = paths[next++ % 4];
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static size_t get(const char *path, char *bytes, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, size, f);
    fclose(f);
    return n;
}

static int entries(const char *path)
{
    DIR *d = opendir(path);
    int  n = 0;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static void expect_file(const char *path, const char *text)
{
    char   bytes[256];
    size_t n = get(path, bytes, sizeof bytes);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(bytes, text, n);
}

static void files_are_replaced_at_once(void **state)
{
    (void)state;
    bs_output  *o, *other;
    basin_error err;
    assert_int_equal(bs_make_dir(at("out"), &err), BASIN_OK);
    assert_int_equal(bs_write_file(at("out/f"), "old", 3, &err), BASIN_OK);
    expect_file(at("out/f"), "old");
    assert_int_equal(chmod(at("out/f"), 0640), 0);

    assert_int_equal(bs_output_open(at("out/f"), &o, &err), BASIN_OK);
    assert_int_equal(bs_output_write(o, "new", 3, &err), BASIN_OK);
    assert_int_equal(entries(at("out")), 2);
    expect_file(at("out/f"), "old");
    bs_output_abort(o);
    expect_file(at("out/f"), "old");
    assert_int_equal(entries(at("out")), 1);

    /* Two writers at once do not meet. */
    assert_int_equal(bs_output_open(at("out/f"), &o, &err), BASIN_OK);
    assert_int_equal(bs_output_open(at("out/f"), &other, &err), BASIN_OK);
    assert_int_equal(bs_output_write(o, "first", 5, &err), BASIN_OK);
    assert_int_equal(bs_output_write(other, "second", 6, &err), BASIN_OK);
    assert_int_equal(bs_output_commit(o, &err), BASIN_OK);
    expect_file(at("out/f"), "first");
    assert_int_equal(bs_output_commit(other, &err), BASIN_OK);
    expect_file(at("out/f"), "second");
    assert_int_equal(entries(at("out")), 1);
    struct stat st;
    assert_int_equal(stat(at("out/f"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    bs_output_abort(NULL);
}

enum { BIG = 3 << 20 };

static void large_files_arrive_whole(void **state)
{
    (void)state;
    char *text = malloc(BIG), *back = malloc(BIG);
    assert_true(text && back);
    const size_t n = BIG - 12345;
    for (size_t i = 0; i < n; i++)
        text[i] = (char)bs_rng_at(8, 0, 0, i);
    bs_output  *o;
    basin_error err;
    bs_rng      r = bs_rng_make(9, 0, 0);
    assert_int_equal(bs_output_open(at("large"), &o, &err), BASIN_OK);
    for (size_t pos = 0; pos < n;) {
        size_t piece = bs_rng_below(&r, bs_rng_below(&r, 20) ? 3000 : 700000);
        piece = piece < n - pos ? piece : n - pos;
        assert_int_equal(bs_output_write(o, text + pos, piece, &err), BASIN_OK);
        pos += piece;
    }
    assert_int_equal(bs_output_commit(o, &err), BASIN_OK);
    assert_int_equal(get(at("large"), back, BIG), n);
    assert_memory_equal(text, back, n);
    free(text);
    free(back);
}

static void write_fails(const char *path, const char *why)
{
    bs_output  *o = (void *)1;
    basin_error err;
    char        want[1200];
    assert_int_equal(bs_output_open(path, &o, &err), BASIN_EIO);
    assert_null(o);
    snprintf(want, sizeof want, "%s: %s", path, why);
    assert_string_equal(err.msg, want);
}

static void unwritable_paths_are_explained(void **state)
{
    (void)state;
    bs_output  *o;
    basin_error err;
    put(at("plain"), "x\n", 2);
    write_fails(at("nowhere/f"), "the folder does not exist");
    write_fails(folder, "is a folder, not a file");
    write_fails(at("new/"), "is a folder, not a file");
    write_fails(at("plain/f"), "a part of the path is not a folder");
    assert_int_equal(bs_output_open("", &o, &err), BASIN_EIO);
    assert_string_equal(err.msg, "the name of the output file is empty");
    if (geteuid() != 0) {
        chmod(at("plain"), 0400);
        write_fails(at("plain"), "permission denied");
        chmod(at("plain"), 0600);
    }
}

static void full_disks_keep_the_old_file(void **state)
{
    (void)state;
    static char   bytes[600000];
    basin_error   err;
    bs_output    *o;
    struct rlimit old, small = {.rlim_cur = 100000};
    assert_int_equal(bs_make_dir(at("full"), &err), BASIN_OK);
    assert_int_equal(bs_write_file(at("full/f"), "old", 3, &err), BASIN_OK);

    /* A limit on file sizes stands for the full disk: write() fails half way. */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    basin_status at_once = bs_write_file(at("full/f"), bytes, sizeof bytes, &err);
    basin_status opened = bs_output_open(at("full/f"), &o, NULL);
    basin_status wrote = bs_output_write(o, bytes, 200000, NULL); /* fits the buffer */
    basin_status done = bs_output_commit(o, NULL);                /* but not the disk */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);

    assert_int_equal(at_once, BASIN_EIO);
    assert_memory_equal(err.msg, at("full/f"), strlen(at("full/f")));
    assert_int_equal(opened, BASIN_OK);
    assert_int_equal(wrote, BASIN_OK);
    assert_int_equal(done, BASIN_EIO);
    expect_file(at("full/f"), "old");
    assert_int_equal(entries(at("full")), 1);

    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(bs_write_file("/dev/full", "x", 1, &err), BASIN_EIO);
        assert_string_equal(err.msg, "/dev/full: no space left on the disk");
    }
}

static void special_files_and_links_survive(void **state)
{
    (void)state;
    basin_error err;
    struct stat st;
    assert_int_equal(bs_write_file("/dev/null", "x", 1, &err), BASIN_OK);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));

    assert_int_equal(bs_make_dir(at("links/deep"), &err), BASIN_OK);
    put(at("links/deep/real"), "old", 3);
    assert_int_equal(symlink("deep/real", at("links/one")), 0);
    assert_int_equal(symlink(at("links/one"), at("links/two")), 0);
    assert_int_equal(bs_write_file(at("links/two"), "new", 3, &err), BASIN_OK);
    assert_int_equal(lstat(at("links/two"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(at("links/deep/real"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
    expect_file(at("links/deep/real"), "new");
    assert_int_equal(entries(at("links/deep")), 1);
}

static void folders_are_made_with_parents(void **state)
{
    (void)state;
    basin_error err;
    char        want[1200];
    struct stat st;
    assert_int_equal(bs_make_dir(at("a//b/c/"), &err), BASIN_OK);
    assert_int_equal(bs_make_dir(at("a/b/c"), &err), BASIN_OK);
    assert_int_equal(stat(at("a/b/c"), &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(bs_make_dir("/", &err), BASIN_OK);
    assert_int_equal(bs_make_dir(".", &err), BASIN_OK);
    put(at("a/file"), "x", 1);
    assert_int_equal(bs_make_dir(at("a/file/d"), &err), BASIN_EIO);
    snprintf(want, sizeof want, "%s: is a file, not a folder", at("a/file"));
    assert_string_equal(err.msg, want);
    assert_int_equal(bs_make_dir("", &err), BASIN_EIO);
    assert_string_equal(err.msg, "the name of the folder is empty");
}

/* --- memory ------------------------------------------------------------------ */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(mkdir(at("use"), 0777), 0);
    assert_int_equal(bs_write_file(at("use/f"), "old", 3, NULL), BASIN_OK);
    long live = bs_mem_live();
    for (long n = 1;; n++) {
        basin_error err;
        bs_err_clear(&err);
        bs_mem_fail_at(n);
        basin_status s = bs_make_dir(at("use/d"), &err);
        if (!s)
            s = bs_write_file(at("use/f"), "new", 3, &err);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
        expect_file(at("use/f"), s ? "old" : "new");
        assert_true(entries(at("use")) <= 2); /* no temporary file stays */
        if (!s) {
            assert_in_range(n, 5, 20);
            break;
        }
        assert_int_equal(s, BASIN_ENOMEM);
        assert_string_equal(err.msg, "out of memory");
    }
}

/* Of a process that is gone, of this one, and names that only look like it. */
static void leave(const char *name)
{
    basin_error err = {0};
    assert_int_equal(bs_make_dir(at("swept"), &err), BASIN_OK);
    assert_int_equal(bs_write_file(at(name), "x", 1, &err), BASIN_OK);
    bs_sweep(at("swept"), 0);
}

static void what_killed_processes_left_is_removed(void **state)
{
    static const char *const kept[] = {"swept/.basin-0-1.tmp", "swept/.basin-x-1.tmp",
                                       "swept/.basin-1.tmp", "swept/.basin-99999999-1.tmp.old",
                                       "swept/a.tmp"};
    char                     name[64];
    (void)state;
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    snprintf(name, sizeof name, "swept/.basin-%ld-7.tmp", (long)gone);
    leave(name);
    assert_int_equal(access(at(name), F_OK), -1);
    snprintf(name, sizeof name, "swept/.basin-%ld-7.tmp", (long)getpid());
    leave(name);
    assert_int_equal(access(at(name), F_OK), 0);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        leave(kept[i]);
        assert_int_equal(access(at(kept[i]), F_OK), 0);
    }
    bs_sweep(at("no such folder"), 2);
    snprintf(name, sizeof name, "swept/a/b/.basin-%ld-7.tmp", (long)gone);
    assert_int_equal(bs_make_dir(at("swept/a/b"), &(basin_error){0}), BASIN_OK);
    leave(name);
    bs_sweep(at("swept"), 1);
    assert_int_equal(access(at(name), F_OK), 0);
    bs_sweep(at("swept"), 2);
    assert_int_equal(access(at(name), F_OK), -1);
}

static int make_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/basin-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

/* Removes what the tests made; their folders are at most four deep. */
static void empty_folder(const char *path, int depth)
{
    DIR           *d = opendir(path);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        char name[1024];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%.255s", path, e->d_name);
        if (unlink(name) != 0 && depth < 4) {
            empty_folder(name, depth + 1);
            rmdir(name);
        }
    }
    if (d)
        closedir(d);
}

static int remove_folder(void **state)
{
    (void)state;
    empty_folder(folder, 0);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_replaced_at_once),
        cmocka_unit_test(large_files_arrive_whole),
        cmocka_unit_test(unwritable_paths_are_explained),
        cmocka_unit_test(full_disks_keep_the_old_file),
        cmocka_unit_test(special_files_and_links_survive),
        cmocka_unit_test(folders_are_made_with_parents),
        cmocka_unit_test(what_killed_processes_left_is_removed),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("base output", tests, make_folder, remove_folder);
}
