/* lock.c -- one writer per folder at a time.
 *
 * flock() on a file in the folder: the system releases it however the process ends, two users in
 * one process exclude each other like two processes do, and it reaches across machines where the
 * file system supports that (NFS). The holder removes the file before releasing it, so that the
 * folder looks untouched; whoever locked a file that has meanwhile been removed tries again. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

struct bs_lock {
    int    fd;     /* -1: nobody can write there, so nobody needs to be kept out */
    bool   shared; /* with others who say so, too */
    size_t there;  /* length of the part of the folder's name that existed before */
    size_t folder; /* length of the folder's name */
    char   path[]; /* of the lock file */
};

/* How much of a name is an existing folder. */
static size_t existing(char *path, size_t len)
{
    struct stat st;
    for (size_t n = len; n > 0; n--) {
        const char c = path[n];
        if (c != '/' && n != len)
            continue;
        path[n] = '\0';
        const bool found = stat(path, &st) == 0;
        path[n] = c;
        if (found)
            return n;
    }
    return 0;
}

/* Does not follow a link planted there. Another user's file may only be open for reading, which is
 * enough on most file systems. */
static int open_file(const char *path)
{
    const int flags = O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int       fd = open(path, O_RDWR | flags, 0666);
    if (fd < 0 && errno == EACCES)
        fd = open(path, (O_RDONLY | flags) & ~O_CREAT);
    return fd;
}

static bool is_there(int fd, const char *path)
{
    struct stat mine, now;
    return fstat(fd, &mine) == 0 && lstat(path, &now) == 0 && mine.st_dev == now.st_dev &&
           mine.st_ino == now.st_ino;
}

/* 0 or errno. */
static int lock_file(int fd, bool shared)
{
    int r;
    do
        r = flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
    while (r != 0 && errno == EINTR);
    if (r == 0 || errno == EWOULDBLOCK)
        return r == 0 ? 0 : EWOULDBLOCK;
    return 0; /* the file system has no locks: go on without one */
}

static basin_status take(bs_lock *l, const char *folder, basin_error *err)
{
    for (int tries = 0; tries < 1000; tries++) {
        basin_status s = bs_make_dir(folder, err);
        if (s)
            return s;
        l->fd = open_file(l->path);
        if (l->fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
            return BASIN_OK;
        if (l->fd < 0 && errno != ENOENT && errno != EINTR)
            return bs_fail_io(err, folder, errno);
        if (l->fd < 0)
            continue;
        const int why = lock_file(l->fd, l->shared);
        if (why == 0 && is_there(l->fd, l->path))
            return BASIN_OK;
        close(l->fd);
        l->fd = -1;
        if (why)
            break;
    }
    return bs_fail(err, BASIN_EARG,
                   "%s: another training writes to this folder; wait for its end, or use another "
                   "-o",
                   folder);
}

static basin_status lock_folder(const char *folder, bool shared, bs_lock **out, basin_error *err)
{
    static const char name[] = "/" BS_LOCK_NAME;
    const size_t      len = strlen(folder);
    bs_lock          *l = bs_alloc(sizeof *l + len + sizeof name);
    *out = NULL;
    if (!l)
        return bs_fail_nomem(err);
    l->fd = -1;
    l->shared = shared;
    l->folder = len;
    memcpy(l->path, folder, len);
    memcpy(l->path + len, name, sizeof name);
    l->there = existing(l->path, len);
    const basin_status s = take(l, folder, err);
    if (s)
        bs_lock_free(l);
    else
        *out = l;
    return s;
}

basin_status bs_lock_take(const char *folder, bs_lock **out, basin_error *err)
{
    return lock_folder(folder, false, out, err);
}

basin_status bs_lock_share(const char *folder, bs_lock **out, basin_error *err)
{
    return lock_folder(folder, true, out, err);
}

void bs_lock_free(bs_lock *l)
{
    if (!l)
        return;
    if (l->fd >= 0) {
        if (!l->shared || flock(l->fd, LOCK_EX | LOCK_NB) == 0) /* the last one */
            unlink(l->path);
        (void)flock(l->fd, LOCK_UN); /* a child of this process may also have the file open */
        close(l->fd);
    }
    for (size_t n = l->folder; n > l->there; n--) {
        if (l->path[n] != '/')
            continue;
        l->path[n] = '\0';
        if (rmdir(l->path) != 0)
            break;
    }
    bs_free(l);
}
