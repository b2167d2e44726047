/* test_base_sync.c -- what must be on the disk, and in which order.
 *
 * fsync and rename are defined here, in front of those of the C library, so that calls can be
 * seen and made to fail: the content of a new file is flushed before its name changes, and the
 * folder that holds the name after it. Without either, a machine that loses power may have an
 * empty file, or the old one, although the caller was told that all is well. */
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

enum { MOST_CALLS = 16 };

typedef struct {
    char  what; /* f: fsync of a file, d: of a folder, r: rename */
    ino_t ino;  /* of what is flushed, or renamed */
    off_t size;
} call;

static call calls[MOST_CALLS];
static int  n_calls;
static char failing;    /* calls of this kind fail ... */
static int  fail_errno; /* ... with this */
static int  fail_times; /* ... so many times; -1: always */

static bool note(char what, const struct stat *st)
{
    if (n_calls < MOST_CALLS)
        calls[n_calls++] = (call){what, st->st_ino, st->st_size};
    if (what != failing || fail_times == 0)
        return true;
    fail_times -= fail_times > 0;
    errno = fail_errno;
    return false;
}

int fsync(int fd)
{
    struct stat st = {0};
    if (fstat(fd, &st) != 0)
        return -1;
    return note(S_ISDIR(st.st_mode) ? 'd' : 'f', &st) ? 0 : -1;
}

int rename(const char *from, const char *to)
{
    struct stat st = {0};
    if (stat(from, &st) != 0)
        return -1;
    return note('r', &st) ? renameat(AT_FDCWD, from, AT_FDCWD, to) : -1;
}

static void forget(char fails, int number, int times)
{
    n_calls = 0;
    failing = fails;
    fail_errno = number;
    fail_times = times;
}

static char folder[512];

static const char *at(const char *name)
{
    static char paths[4][1024];
    static int  next;
    char       *p = paths[next++ % 4];
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

static ino_t inode(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

static void has(const char *path, const char *text)
{
    char  got[100] = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(text));
    assert_string_equal(got, text);
}

static void kinds_are(const char *want)
{
    char got[MOST_CALLS + 1] = {0};
    for (int i = 0; i < n_calls; i++)
        got[i] = calls[i].what;
    assert_string_equal(got, want);
}

/* The content, all of it, then the name, then the folder that the name is in. */
static void in_order(const char *path, const char *in, off_t size)
{
    kinds_are("frd");
    assert_int_equal(calls[0].ino, inode(path));
    assert_int_equal(calls[0].size, size);
    assert_int_equal(calls[1].ino, inode(path));
    assert_int_equal(calls[2].ino, inode(in));
}

static void content_name_folder(void **state)
{
    (void)state;
    basin_error err;
    forget(0, 0, 0);
    assert_int_equal(bs_write_file(at("new"), "content", 7, &err), BASIN_OK);
    in_order(at("new"), folder, 7);

    /* over an older file, and larger than any buffer */
    bs_output  *o;
    static char piece[100000];
    forget(0, 0, 0);
    assert_int_equal(bs_output_open(at("new"), &o, &err), BASIN_OK);
    for (int i = 0; i < 30; i++)
        assert_int_equal(bs_output_write(o, piece, sizeof piece, &err), BASIN_OK);
    kinds_are("");
    assert_int_equal(bs_output_commit(o, &err), BASIN_OK);
    in_order(at("new"), folder, (off_t)(30 * sizeof piece));
}

static void the_folder_of_the_file(void **state)
{
    (void)state;
    basin_error err;
    char        old[512];
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(bs_make_dir(at("sub"), &err), BASIN_OK);
    assert_int_equal(bs_write_file(at("sub/real"), "", 0, &err), BASIN_OK);
    assert_int_equal(symlink("sub/real", at("link")), 0);
    forget(0, 0, 0);
    assert_int_equal(bs_write_file(at("link"), "x", 1, &err), BASIN_OK);
    in_order(at("sub/real"), at("sub"), 1);

    assert_int_equal(chdir(at("sub")), 0);
    forget(0, 0, 0);
    assert_int_equal(bs_write_file("bare", "x", 1, &err), BASIN_OK);
    in_order("bare", ".", 1);
    assert_int_equal(chdir(old), 0);
}

static void a_failure_is_told(void **state)
{
    (void)state;
    basin_error err;
    forget(0, 0, 0);
    assert_int_equal(bs_write_file(at("file"), "old", 3, &err), BASIN_OK);

    /* content that may not be on the disk does not replace what is */
    forget('f', EIO, -1);
    assert_int_equal(bs_write_file(at("file"), "new", 3, &err), BASIN_EIO);
    assert_non_null(strstr(err.msg, "file: "));
    kinds_are("f");
    has(at("file"), "old");

    forget('d', EIO, -1);
    assert_int_equal(bs_write_file(at("file"), "new", 3, &err), BASIN_EIO);
    kinds_are("frd");
    has(at("file"), "new");

    /* a file system without such a thing for folders */
    forget('d', EINVAL, -1);
    assert_int_equal(bs_write_file(at("file"), "newer", 5, &err), BASIN_OK);
    kinds_are("frd");
}

static void interrupted_is_not_failed(void **state)
{
    (void)state;
    basin_error err;
    forget('f', EINTR, 2);
    assert_int_equal(bs_write_file(at("file"), "a", 1, &err), BASIN_OK);
    kinds_are("fffrd");
    forget('d', EINTR, 2);
    assert_int_equal(bs_write_file(at("file"), "b", 1, &err), BASIN_OK);
    kinds_are("frddd");
}

static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/basin-sync-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    static const char *const names[] = {"new", "file", "link", "sub/real", "sub/bare"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(at(names[i]));
    rmdir(at("sub"));
    return rmdir(folder); /* fails when something was left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_name_folder),
        cmocka_unit_test(the_folder_of_the_file),
        cmocka_unit_test(a_failure_is_told),
        cmocka_unit_test(interrupted_is_not_failed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
