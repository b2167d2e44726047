/* sweep.c -- temporary files of processes that were killed before they could remove them. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

/* The process that made a temporary file, 0 when it is something else (see output.c). */
static long maker(const char *name)
{
    static const char prefix[] = ".basin-";
    char             *end;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return 0;
    long pid = strtol(name + sizeof prefix - 1, &end, 10);
    if (*end != '-' || pid <= 0)
        return 0;
    (void)strtoul(end + 1, &end, 10);
    return strcmp(end, ".tmp") == 0 ? pid : 0;
}

void bs_sweep(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        long pid = maker(e->d_name);
        if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            (void)unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}
