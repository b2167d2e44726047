/* sweep.c -- removes temporary files of processes that were killed before they could do it
 * themselves. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/print.h"

void bs_temp_host(char host[BS_TEMP_HOST])
{
    struct utsname u = {0};
    uname(&u);
    bs_print(host, BS_TEMP_HOST, "-%s", u.nodename);
    for (char *at = host; *at; at++)
        if (*at == '/')
            *at = '-';
}

/* The id of the process on this machine that made a temporary file, 0 for any other file (see
 * output.c); earlier versions did not name the machine. */
static long maker(const char *name)
{
    static const char prefix[] = ".basin-";
    char             *end, host[BS_TEMP_HOST];
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return 0;
    long pid = strtol(name + sizeof prefix - 1, &end, 10);
    if (*end != '-' || pid <= 0)
        return 0;
    (void)strtoul(end + 1, &end, 10);
    bs_temp_host(host);
    if (strncmp(end, host, strlen(host)) == 0)
        end += strlen(host);
    return strcmp(end, ".tmp") == 0 ? pid : 0;
}

/* A link to a folder is not a folder here: following it could leave the tree. */
static bool is_folder(int at, const char *name)
{
    struct stat st;
    return name[0] != '.' && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(st.st_mode);
}

static void sweep(int fd, int depth)
{
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));) {
        long pid = maker(e->d_name);
        if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            (void)unlinkat(fd, e->d_name, 0);
        else if (depth > 0 && is_folder(fd, e->d_name))
            sweep(openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), depth - 1);
    }
    closedir(d);
}

void bs_sweep(const char *folder, int depth)
{
    sweep(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), depth);
}
