/* encoder_helper.h -- the tiny encoders of tests/golden/encoders, and changed copies of them. */
#ifndef TEST_ENCODER_HELPER_H
#define TEST_ENCODER_HELPER_H

#include "tests/check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/tree.h"

static const char *const encoder_names[] = {"bert", "distilbert", "roberta"};
enum { ENCODERS = 3, ENCODER_PATH = 512 };

/* Of a file or folder there; tests run in the repository, or are told where that is. */
static inline const char *encoder_path(const char *name, char path[ENCODER_PATH])
{
    const char *top = getenv("TOP");
    snprintf(path, ENCODER_PATH, "tests/golden/encoders/%s", name);
    if (access(path, R_OK) != 0 && top)
        snprintf(path, ENCODER_PATH, "%s/tests/golden/encoders/%s", top, name);
    return path;
}

/* The content of a file, with a NUL; the caller frees it. */
static inline bs_buf encoder_file(const char *path)
{
    bs_buf      text;
    basin_error err = {0};
    bs_buf_init(&text, (size_t)1 << 26);
    CHECK(bs_read_file(path, &text, &err) == BASIN_OK, "%s", err.msg);
    return text;
}

/* The next object of a file of JSON lines, from *at on; NULL at the end. */
static inline json_t *encoder_row(const bs_buf *text, size_t *at)
{
    const char *line = text->data + *at;
    const char *end = *at < text->len ? memchr(line, '\n', text->len - *at) : NULL;
    if (!end)
        return NULL;
    *at += (size_t)(end - line) + 1;
    json_t *row = bs_tree_read(line, (size_t)(end - line), JSON_ALLOW_NUL, NULL);
    assert_non_null(row);
    return row;
}

/* ---- folders of their own ---- */

static inline void encoder_copy_files(const char *from, const char *to)
{
    char           path[4 * ENCODER_PATH];
    struct dirent *e;
    DIR           *d = opendir(from);
    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", from, e->d_name);
        if (e->d_name[0] == '.' || !bs_is_file(path))
            continue;
        bs_buf text = encoder_file(path);
        snprintf(path, sizeof path, "%s/%s", to, e->d_name);
        assert_int_equal(bs_write_file(path, text.data, text.len, NULL), BASIN_OK);
        bs_buf_free(&text);
    }
    closedir(d);
}

/* A copy of a folder in `to`, a name made by mkdtemp from a template. */
static inline void encoder_copy(const char *name, char to[ENCODER_PATH])
{
    char from[ENCODER_PATH], inner[2 * ENCODER_PATH], pooling[2 * ENCODER_PATH];
    snprintf(to, ENCODER_PATH, "/tmp/basin-encoder-XXXXXX");
    assert_non_null(mkdtemp(to));
    encoder_copy_files(encoder_path(name, from), to);
    snprintf(inner, sizeof inner, "%s/1_Pooling", from);
    snprintf(pooling, sizeof pooling, "%s/1_Pooling", to);
    if (access(inner, R_OK) == 0) {
        assert_int_equal(bs_make_dir(pooling, NULL), BASIN_OK);
        encoder_copy_files(inner, pooling);
    }
}

static inline void encoder_remove(const char *folder)
{
    char command[2 * ENCODER_PATH];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* Puts `now` in place of the first `was` in a file; NULL for `now` removes the file. */
static inline void encoder_edit(const char *folder, const char *file, const char *was,
                                const char *now)
{
    char path[2 * ENCODER_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!now) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    bs_buf      text, edited;
    const char *at = NULL;
    bs_buf_init(&text, (size_t)1 << 26);
    bs_buf_init(&edited, (size_t)1 << 26);
    if (was) {
        bs_buf_free(&text);
        text = encoder_file(path);
        at = strstr(text.data, was);
        CHECK(at, "%s has no %s", path, was);
        bs_buf_add(&edited, text.data, (size_t)(at - text.data));
    }
    bs_buf_text(&edited, now);
    if (was)
        bs_buf_text(&edited, at + strlen(was));
    assert_int_equal(bs_write_file(path, edited.data ? edited.data : "", edited.len, NULL),
                     BASIN_OK);
    bs_buf_free(&text);
    bs_buf_free(&edited);
}

/* ---- what is refused ---- */

/* Opens what a folder has, closes it again, and returns whether it was accepted. */
typedef bool (*encoder_opener)(const char *folder, basin_error *err);

/* The message is the name of the folder and this. */
static inline void encoder_refused(encoder_opener open, const char *folder, const char *message)
{
    basin_error err = {0};
    CHECK(!open(folder, &err), "accepted; expected: %s", message);
    CHECK(strncmp(err.msg, folder, strlen(folder)) == 0, "%s", err.msg);
    assert_string_equal(err.msg + strlen(folder), message);
}

/* A change of a file of an encoder, as encoder_edit takes it, and what is said of it. */
typedef struct {
    const char *name, *file, *was, *now, *message;
} encoder_change;

static inline void encoder_changes_refused(encoder_opener open, const encoder_change *c, size_t n)
{
    for (; n; c++, n--) {
        char folder[ENCODER_PATH];
        encoder_copy(c->name, folder);
        encoder_edit(folder, c->file, c->was, c->now);
        encoder_refused(open, folder, c->message);
        encoder_remove(folder);
    }
}

#endif
