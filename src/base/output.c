/* output.c -- files that are either the old one or the new one, never half of it.
 *
 * Bytes go to a temporary file in the same folder; commit flushes it, renames it over the path and
 * flushes the folder. Anything but a regular file (/dev/null, a named pipe) must not be replaced
 * and is written directly. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

enum { BUFFER = 256 << 10 };

struct bs_output {
    char       *path;   /* as the caller wrote it, for messages */
    char       *target; /* with links resolved */
    char       *temp;   /* NULL: the target is written directly */
    int         fd;
    char       *buf; /* [BUFFER] */
    size_t      len;
    basin_error failed; /* after a failed write only abort makes sense */
};

basin_status bs_fail_io(basin_error *err, const char *path, int errnum)
{
    const char *why = NULL;
    char        text[128];
    switch (errnum) {
    case ENOMEM: return bs_fail_nomem(err);
    case ENOENT: why = "no such file"; break;
    case EACCES:
    case EPERM: why = "permission denied"; break;
    case EISDIR: why = "is a folder, not a file"; break;
    case ENOTDIR: why = "a part of the path is not a folder"; break;
    case ENOSPC: why = "no space left on the disk"; break;
    case EROFS: why = "the file system is read-only"; break;
    case ENAMETOOLONG: why = "the name is too long"; break;
    default: {
        const locale_t was = bs_locale_plain(); /* all our messages are in English */
        if (strerror_r(errnum, text, sizeof text) == 0)
            why = text;
        bs_locale_back(was);
    }
    }
    if (why)
        return bs_fail(err, BASIN_EIO, "%s: %s", path, why);
    return bs_fail(err, BASIN_EIO, "%s: error %d", path, errnum);
}

static char *copy_text(const char *text, size_t len)
{
    char *p = bs_alloc(len + 1);
    if (p) {
        memcpy(p, text, len);
        p[len] = '\0';
    }
    return p;
}

/* Length of the folder part of a path with its slash; 0 if there is none. */
static size_t folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static void release(bs_output *o)
{
    bs_free(o->path);
    bs_free(o->target);
    bs_free(o->temp);
    bs_free(o->buf);
    bs_free(o);
}

/* --- opening ----------------------------------------------------------------- */

/* The name is unique among machines, processes and calls; a file left by a crashed process with our
 * id is skipped. */
static basin_status open_temp(bs_output *o, basin_error *err)
{
    static atomic_ulong counter;
    char                host[BS_TEMP_HOST];

    size_t folder = folder_len(o->target), size = folder + 128;
    o->temp = bs_alloc(size);
    if (!o->temp)
        return bs_fail_nomem(err);
    memcpy(o->temp, o->target, folder);
    bs_temp_host(host);
    for (int tries = 0; tries < 1000; tries++) {
        bs_print(o->temp + folder, size - folder, ".basin-%ld-%lu%s.tmp", (long)getpid(),
                 atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed), host);
        o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0 || (errno != EEXIST && errno != EINTR))
            break;
    }
    if (o->fd >= 0)
        return BASIN_OK;
    if (errno == ENOENT)
        return bs_fail(err, BASIN_EIO, "%s: the folder does not exist", o->path);
    return bs_fail_io(err, o->path, errno);
}

static basin_status open_target(bs_output *o, basin_error *err)
{
    struct stat st;
    bool        there = stat(o->path, &st) == 0;
    if (!there && errno != ENOENT)
        return bs_fail_io(err, o->path, errno);
    if (there && S_ISDIR(st.st_mode))
        return bs_fail_io(err, o->path, EISDIR);

    /* Writing through a symbolic link replaces its target, not the link. */
    char        real[PATH_MAX];
    const char *target = there && realpath(o->path, real) ? real : o->path;
    o->target = copy_text(target, strlen(target));
    if (!o->target)
        return bs_fail_nomem(err);

    if (there && !S_ISREG(st.st_mode)) {
        do
            o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
        while (o->fd < 0 && errno == EINTR);
        return o->fd < 0 ? bs_fail_io(err, o->path, errno) : BASIN_OK;
    }
    /* Renaming needs no right to the old file itself, but a write-protected
     * file was protected for a reason. */
    if (there && access(o->target, W_OK) != 0)
        return bs_fail_io(err, o->path, errno);
    basin_status s = open_temp(o, err);
    if (!s && there)
        (void)fchmod(o->fd, st.st_mode & 0777);
    return s;
}

basin_status bs_output_open(const char *path, bs_output **out, basin_error *err)
{
    *out = NULL;
    size_t len = strlen(path);
    if (len == 0)
        return bs_fail(err, BASIN_EIO, "the name of the output file is empty");
    if (path[len - 1] == '/')
        return bs_fail_io(err, path, EISDIR);
    bs_output *o = bs_calloc(1, sizeof *o);
    if (!o)
        return bs_fail_nomem(err);
    o->fd = -1;
    o->path = copy_text(path, len);
    o->buf = bs_alloc(BUFFER);
    basin_status s = o->path && o->buf ? open_target(o, err) : bs_fail_nomem(err);
    if (s)
        release(o);
    else
        *out = o;
    return s;
}

/* --- writing ----------------------------------------------------------------- */

static basin_status write_all(bs_output *o, const char *bytes, size_t n)
{
    while (n) {
        ssize_t r = write(o->fd, bytes, n);
        if (r >= 0) {
            bytes += r;
            n -= (size_t)r;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd p = {.fd = o->fd, .events = POLLOUT};
            (void)poll(&p, 1, -1);
        } else if (errno != EINTR) {
            return bs_fail_io(&o->failed, o->path, errno);
        }
    }
    return BASIN_OK;
}

static basin_status flush(bs_output *o)
{
    size_t n = o->len;
    o->len = 0;
    return o->failed.status ? o->failed.status : write_all(o, o->buf, n);
}

static basin_status report(const bs_output *o, basin_error *err)
{
    if (o->failed.status && err)
        *err = o->failed;
    return o->failed.status;
}

basin_status bs_output_write(bs_output *o, const void *bytes, size_t n, basin_error *err)
{
    if (n > BUFFER - o->len)
        flush(o);
    if (o->failed.status)
        return report(o, err);
    if (n >= BUFFER) {
        write_all(o, bytes, n);
    } else if (n) {
        memcpy(o->buf + o->len, bytes, n);
        o->len += n;
    }
    return report(o, err);
}

static int sync_fd(int fd)
{
    int r;
    do
        r = fsync(fd);
    while (r != 0 && errno == EINTR);
    return r;
}

/* The rename is on disk only once the folder is. Folders that cannot be opened for reading, and
 * file systems without this call, do not count as failures. */
static void sync_folder(bs_output *o)
{
    size_t len = folder_len(o->target);
    o->target[len] = '\0';
    int fd = open(len ? o->target : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (sync_fd(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        bs_fail_io(&o->failed, o->path, errno);
    close(fd);
}

basin_status bs_output_commit(bs_output *o, basin_error *err)
{
    flush(o);
    if (!o->failed.status && o->temp && sync_fd(o->fd) != 0)
        bs_fail_io(&o->failed, o->path, errno);
    /* After EINTR the descriptor is closed all the same. */
    if (close(o->fd) != 0 && errno != EINTR && !o->failed.status)
        bs_fail_io(&o->failed, o->path, errno);
    if (o->temp && !o->failed.status) {
        if (rename(o->temp, o->target) == 0)
            o->temp[0] = '\0';
        else
            bs_fail_io(&o->failed, o->path, errno);
    }
    if (o->temp && o->temp[0])
        unlink(o->temp);
    else if (o->temp)
        sync_folder(o);

    basin_status s = report(o, err);
    release(o);
    return s;
}

void bs_output_abort(bs_output *o)
{
    if (!o)
        return;
    close(o->fd);
    if (o->temp)
        unlink(o->temp);
    release(o);
}

basin_status bs_write_file(const char *path, const void *bytes, size_t n, basin_error *err)
{
    bs_output   *o;
    basin_status s = bs_output_open(path, &o, err);
    if (s)
        return s;
    s = bs_output_write(o, bytes, n, err);
    if (s) {
        bs_output_abort(o);
        return s;
    }
    return bs_output_commit(o, err);
}

/* --- folders ----------------------------------------------------------------- */

basin_status bs_make_dir(const char *path, basin_error *err)
{
    size_t len = strlen(path);
    if (len == 0)
        return bs_fail(err, BASIN_EIO, "the name of the folder is empty");
    char *part = copy_text(path, len);
    if (!part)
        return bs_fail_nomem(err);

    basin_status s = BASIN_OK;
    for (size_t i = 1; i <= len && !s; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        char c = part[i];
        part[i] = '\0';
        struct stat st;
        if (mkdir(part, 0777) != 0) {
            /* Read-only file systems refuse before checking whether it exists. */
            int why = errno;
            if (stat(part, &st) != 0)
                s = bs_fail_io(err, part, why);
            else if (!S_ISDIR(st.st_mode))
                s = bs_fail(err, BASIN_EIO, "%s: is a file, not a folder", part);
        }
        part[i] = c;
    }
    bs_free(part);
    return s;
}
