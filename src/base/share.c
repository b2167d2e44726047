/* share.c -- leases: claimed by link(), kept by a thread, void when they no longer change. */
#include "base/share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/tree.h"

/* A lease is a JSON object of always as many bytes, so that it can be written in place. */
enum { PATH = 4096, LEASE = 1024, MACHINE = 64 };
enum { READING = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK }; /* a pipe is not waited for */
static const char prefix[] = ".lease-";

static const bs_share_pace usual = {NULL, 5, 90, 0.25};

typedef enum { OPEN, MINE, DONE } item_state;

typedef struct {
    item_state   state;
    char         seen[LEASE]; /* the lease of somebody else, as it was last read ... */
    double       since;       /* ... and since when it is like that */
    int          spared;      /* up to this one, leases that failed are tried again */
    int          number, fd;  /* of the own lease */
    bool         locked;
    unsigned     beats;
    volatile int lost;
} claimed;

struct bs_share {
    bs_items        work;
    bool            shared, waited, running, ending;
    bs_share_pace   pace;
    char            machine[MACHINE], host[MACHINE + 2];
    pthread_mutex_t lock;
    pthread_cond_t  end;
    pthread_t       thread;
    claimed         item[]; /* [work.n] */
};

/* ---- files ---- */

static void path_of(const bs_share *s, int i, const char *name, char path[PATH])
{
    s->work.folder(s->work.ctx, i, path, PATH);
    const size_t n = strlen(path);
    bs_print(path + n, PATH - n, "/%s", name);
}

static void lease_path(const bs_share *s, int i, int number, char path[PATH])
{
    char name[32];
    bs_print(name, sizeof name, "%s%d", prefix, number);
    path_of(s, i, name, path);
}

/* The number of a lease by its name, 0 for other files. */
static int number_of(const char *name)
{
    char *end;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return 0;
    const long n = strtol(name + sizeof prefix - 1, &end, 10);
    return *end == '\0' && n > 0 && n < 1000000 ? (int)n : 0;
}

static int highest(const char *folder)
{
    DIR *d = opendir(folder);
    int  most = 0;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        const int n = number_of(e->d_name);
        most = n > most ? n : most;
    }
    if (d)
        closedir(d);
    return most;
}

static void remove_leases(const char *folder)
{
    const int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR      *d = at >= 0 ? fdopendir(at) : NULL;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (strncmp(e->d_name, prefix, sizeof prefix - 1) == 0)
            (void)unlinkat(at, e->d_name, 0);
    if (d)
        closedir(d);
    else if (at >= 0)
        close(at);
}

static bool write_all(int fd, const char *text, size_t n)
{
    ssize_t done;
    do
        done = pwrite(fd, text, n, 0);
    while (done < 0 && errno == EINTR);
    return done == (ssize_t)n && fdatasync(fd) == 0;
}

static size_t read_all(int fd, char *text, size_t size)
{
    ssize_t n;
    do
        n = pread(fd, text, size - 1, 0);
    while (n < 0 && errno == EINTR);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Creates `path` with this content, for one process alone: 1; 0 if it is there; -1 with errno. *fd
 * is open for writing, and locked if the file system can. An answer lost by a network may deny a
 * link that was made: the number of links tells. */
static int create(const char *path, const char *text, size_t n, int *fd)
{
    static atomic_ulong counter;
    char                temp[PATH + 128], host[BS_TEMP_HOST];
    struct stat         st;
    bs_temp_host(host);
    bs_print(temp, sizeof temp, "%s-%ld-%lu%s.tmp", path, (long)getpid(),
             atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed), host);
    *fd = open(temp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (*fd < 0)
        return -1;
    (void)flock(*fd, LOCK_EX | LOCK_NB);
    int why = write_all(*fd, text, n) ? 0 : errno;
    if (!why && link(temp, path) != 0 && !(fstat(*fd, &st) == 0 && st.st_nlink == 2))
        why = errno;
    unlink(temp);
    if (!why)
        return 1;
    close(*fd);
    *fd = -1;
    errno = why;
    return why == EEXIST ? 0 : -1;
}

/* ---- leases ---- */

static void lease_text(const bs_share *s, const claimed *it, const char *state, int status,
                       const char *message, char text[LEASE])
{
    bs_buf b;
    bs_buf_init(&b, LEASE - 1);
    bs_json_open(&b, NULL, '{');
    bs_json_members(&b,
                    "lease %d machine %s host %s pid %ld locked %d beats %lld state %s status %d",
                    it->number, s->machine, s->host, (long)getpid(), (int)it->locked,
                    (long long)it->beats, state, status);
    bs_json_text(&b, "message", message);
    bs_json_close(&b, '}');
    const size_t n = b.failed ? 0 : b.len;
    if (n > 0)
        memcpy(text, b.data, n);
    memset(text + n, ' ', LEASE - 1 - n);
    text[LEASE - 2] = '\n';
    text[LEASE - 1] = '\0';
    bs_buf_free(&b);
}

static void write_lease(const bs_share *s, claimed *it, const char *state, const basin_error *why)
{
    char text[LEASE], message[400] = "";
    if (why)
        bs_print(message, sizeof message, "%.399s", why->msg);
    it->beats++;
    lease_text(s, it, state, why ? (int)why->status : 0, message, text);
    (void)write_all(it->fd, text, LEASE - 1);
}

/* Whether the owner, on this machine, holds its file no longer. */
static bool owner_gone(const bs_share *s, const json_t *lease, int fd, bool *alive)
{
    const char *machine = json_string_value(json_object_get(lease, "machine"));
    *alive = false;
    if (!machine || strcmp(machine, s->machine) != 0 ||
        json_integer_value(json_object_get(lease, "locked")) != 1)
        return false;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
        (void)flock(fd, LOCK_UN);
        return true;
    }
    *alive = errno == EWOULDBLOCK;
    return false;
}

typedef enum { BUSY, VOID, FAILED } finding;

static finding judge(const bs_share *s, claimed *it, int number, const char *text, size_t n, int fd,
                     basin_error *why)
{
    json_t     *lease = bs_tree_read(text, n, 0, NULL);
    const char *state = json_string_value(json_object_get(lease, "state"));
    const char *message = json_string_value(json_object_get(lease, "message"));
    bool        alive = false;
    finding     found = BUSY;
    if (state && strcmp(state, "released") == 0)
        found = VOID;
    else if (state && strcmp(state, "failed") == 0)
        found = number <= it->spared ? VOID : FAILED;
    else if (lease && owner_gone(s, lease, fd, &alive))
        found = VOID;
    else if (alive || strcmp(it->seen, text) != 0)
        it->since = bs_seconds();
    else if (bs_seconds() - it->since >= s->pace.stale)
        found = VOID;
    if (found == FAILED) {
        const json_int_t status = json_integer_value(json_object_get(lease, "status"));
        const bool       known = status > BASIN_OK && status <= BASIN_ENUMERIC;
        bs_fail(why, known ? (basin_status)status : BASIN_EIO, "%s", message ? message : "failed");
    }
    bs_print(it->seen, sizeof it->seen, "%s", text);
    json_decref(lease);
    return found;
}

static finding examine(bs_share *s, int i, int number, basin_error *why)
{
    char path[PATH], text[LEASE];
    lease_path(s, i, number, path);
    const int fd = open(path, READING);
    if (fd < 0)
        return BUSY; /* removed meanwhile, or not readable: its folder is looked at again */
    const size_t  n = read_all(fd, text, sizeof text);
    const finding found = judge(s, &s->item[i], number, text, n, fd, why);
    close(fd);
    return found;
}

/* *mine = false: somebody else has it, or has failed at it (then with a status). */
static basin_status claim(bs_share *s, int i, bool *mine, basin_error *err)
{
    char        folder[PATH], path[PATH], text[LEASE];
    basin_error why = {0};
    claimed    *it = &s->item[i];
    s->work.folder(s->work.ctx, i, folder, PATH);
    *mine = false;
    basin_status st = bs_make_dir(folder, err);
    if (st)
        return st;
    const int     last = highest(folder);
    const finding found = last > 0 ? examine(s, i, last, &why) : VOID;
    if (found == FAILED)
        return bs_fail(err, why.status, "%s", why.msg);
    if (found == BUSY)
        return BASIN_OK;
    it->number = last + 1;
    it->beats = 0;
    it->lost = 0;
    it->locked = true;
    lease_text(s, it, "working", 0, "", text);
    lease_path(s, i, it->number, path);
    const int made = create(path, text, LEASE - 1, &it->fd);
    if (made < 0)
        return bs_fail_io(err, path, errno);
    *mine = made > 0;
    if (*mine && flock(it->fd, LOCK_EX | LOCK_NB) != 0) { /* no locks here: only time will tell */
        it->locked = false;
        write_lease(s, it, "working", NULL);
    }
    return BASIN_OK;
}

static bool overtaken(const bs_share *s, int i)
{
    char path[PATH];
    lease_path(s, i, s->item[i].number + 1, path);
    return access(path, F_OK) == 0;
}

/* ---- the thread that keeps leases ---- */

static struct timespec later(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double at = (double)t.tv_nsec / 1e9 + seconds;
    t.tv_sec += (time_t)at;
    t.tv_nsec = (long)(1e9 * (at - (double)(time_t)at));
    return t;
}

static void *keep(void *arg)
{
    bs_share *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        const struct timespec until = later(s->pace.beat);
        if (pthread_cond_timedwait(&s->end, &s->lock, &until) == 0)
            continue;
        for (int i = 0; i < s->work.n; i++) {
            claimed *it = &s->item[i];
            if (it->state != MINE || it->fd < 0)
                continue;
            if (overtaken(s, i))
                __atomic_store_n(&it->lost, 1, __ATOMIC_RELAXED);
            else
                write_lease(s, it, "working", NULL);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static basin_status start_keeping(bs_share *s, basin_error *err)
{
    sigset_t all, was;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &was);
    const int why = pthread_create(&s->thread, NULL, keep, s);
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    s->running = why == 0;
    return why ? bs_fail(err, BASIN_ENOMEM, "--shared: no thread can be started") : BASIN_OK;
}

/* ---- handing out ---- */

/* The boot of this machine: processes that share it see each other's locks. */
static void find_machine(bs_share *s)
{
    struct utsname name = {0};
    const int      fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    uname(&name);
    bs_print(s->host, sizeof s->host, "%.*s", MACHINE, name.nodename);
    if (s->pace.machine)
        bs_print(s->machine, sizeof s->machine, "%s", s->pace.machine);
    else if (fd < 0 || read_all(fd, s->machine, sizeof s->machine) == 0)
        bs_print(s->machine, sizeof s->machine, "%s", s->host);
    s->machine[strcspn(s->machine, "\n")] = '\0';
    if (fd >= 0)
        close(fd);
}

basin_status bs_share_new(const bs_items *work, bool shared, const bs_share_pace *pace,
                          bs_share **out, basin_error *err)
{
    pthread_condattr_t monotonic;
    bs_share          *s = bs_calloc(1, sizeof *s + (size_t)work->n * sizeof *s->item);
    *out = s;
    if (!s)
        return bs_fail_nomem(err);
    s->work = *work;
    s->shared = shared;
    s->pace = pace ? *pace : usual;
    for (int i = 0; i < work->n; i++)
        s->item[i].fd = -1;
    find_machine(s);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (int i = 0; i < work->n && shared; i++) { /* what has failed before is tried once more */
        char folder[PATH];
        work->folder(work->ctx, i, folder, PATH);
        s->item[i].spared = highest(folder);
    }
    return shared ? start_keeping(s, err) : BASIN_OK;
}

void bs_share_known(bs_share *s, int item)
{
    pthread_mutex_lock(&s->lock); /* leases are kept from the start */
    s->item[item].state = DONE;
    pthread_mutex_unlock(&s->lock);
}

static void fail_item(bs_share *s, int i, const basin_error *why)
{
    s->item[i].state = DONE;
    s->work.failed(s->work.ctx, i, why);
}

static void leave(bs_share *s, int i, bool finished, const basin_error *why)
{
    char       folder[PATH];
    claimed   *it = &s->item[i];
    const bool stopped = !why || why->status == BASIN_EINTERRUPTED;
    it->state = finished || !stopped ? DONE : OPEN;
    if (it->fd < 0)
        return;
    if (overtaken(s, i)) {
        it->state = finished ? DONE : OPEN;
    } else if (finished) {
        s->work.folder(s->work.ctx, i, folder, PATH);
        remove_leases(folder);
    } else {
        write_lease(s, it, stopped ? "released" : "failed", stopped ? NULL : why);
    }
    close(it->fd);
    it->fd = -1;
}

/* Whether the item is now this process's to work on; *pending: somebody else works on it. */
static bool try_item(bs_share *s, int i, bool *pending)
{
    claimed     *it = &s->item[i];
    basin_error  err = {0};
    bool         yes = false, mine = false;
    basin_status st = s->work.finished(s->work.ctx, i, &yes, &err);
    if (!st && !yes)
        st = claim(s, i, &mine, &err);
    if (!st && mine) { /* it may have been finished since */
        it->state = MINE;
        st = s->work.finished(s->work.ctx, i, &yes, &err);
        if (st || yes)
            leave(s, i, yes, NULL);
    }
    if (st)
        fail_item(s, i, &err);
    else if (yes)
        it->state = DONE;
    *pending |= !st && !yes && !mine;
    return it->state == MINE;
}

static int look(bs_share *s, bool *pending)
{
    for (int i = 0; i < s->work.n; i++) {
        if (s->item[i].state != OPEN)
            continue;
        if (!s->shared)
            s->item[i].state = MINE;
        if (!s->shared || try_item(s, i, pending))
            return i;
    }
    return -1;
}

static void wait_for_others(bs_share *s)
{
    const double          t = s->pace.poll;
    const struct timespec moment = {(time_t)t, (long)(1e9 * (t - (double)(time_t)t))};
    pthread_mutex_lock(&s->lock);
    const bool first = !s->waited;
    s->waited = true;
    pthread_mutex_unlock(&s->lock);
    if (first)
        s->work.waits(s->work.ctx);
    nanosleep(&moment, NULL);
}

int bs_share_take(bs_share *s)
{
    while (!bs_stop_asked(s->work.stop)) {
        bool pending = false;
        pthread_mutex_lock(&s->lock);
        const int at = look(s, &pending);
        pthread_mutex_unlock(&s->lock);
        if (at >= 0 || !pending)
            return at;
        wait_for_others(s);
    }
    return -1;
}

const volatile int *bs_share_lost(const bs_share *s, int item)
{
    return &s->item[item].lost;
}

void bs_share_leave(bs_share *s, int item, bool finished, const basin_error *why)
{
    pthread_mutex_lock(&s->lock);
    leave(s, item, finished, why);
    if (!s->shared)
        s->item[item].state = DONE;
    pthread_mutex_unlock(&s->lock);
}

void bs_share_free(bs_share *s)
{
    if (!s)
        return;
    if (s->running) {
        pthread_mutex_lock(&s->lock);
        s->ending = true;
        pthread_cond_signal(&s->end);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    for (int i = 0; i < s->work.n; i++)
        if (s->item[i].fd >= 0)
            leave(s, i, false, NULL);
    pthread_cond_destroy(&s->end);
    pthread_mutex_destroy(&s->lock);
    bs_free(s);
}

basin_status bs_share_first(const char *folder, const char *name, const char *text, char *theirs,
                            size_t size, basin_error *err)
{
    char path[PATH];
    int  fd;
    bs_print(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, READING);
    if (fd < 0 && create(path, text, strlen(text), &fd) == 0)
        fd = open(path, READING);
    if (fd < 0)
        return bs_fail_io(err, path, errno);
    read_all(fd, theirs, size);
    close(fd);
    return BASIN_OK;
}
