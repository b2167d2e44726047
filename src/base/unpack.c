/* unpack.c -- decompression through libarchive.
 *
 * Only filters that libarchive has built in are used: for others it would start a program, and no
 * data file may make us do that. It would also undo several layers of compression, so that a
 * thousand bytes could fill the memory: we allow one filter and count what comes out. libarchive
 * does not verify the checksum of gzip files, so we do. */
#include "base/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/mem.h"

/* To add a compression: a row. A signature is `sure` when no text file can begin with it; then a
 * header that libarchive rejects is an error; otherwise the file is read as plain text. */
static const struct {
    const char *name, *magic;
    size_t      n;
    bool        sure;
    int (*support)(struct archive *);
} kinds[] = {
    {"gzip", "\x1f\x8b", 2, true, archive_read_support_filter_gzip},
    {"xz",
     "\xfd"
     "7zXZ\0",
     6, true, archive_read_support_filter_xz},
    {"zstd", "\x28\xb5\x2f\xfd", 4, true, archive_read_support_filter_zstd},
    {"bzip2", "BZh", 3, false, archive_read_support_filter_bzip2},
    {"lz4", "\x04\x22\x4d\x18", 4, true, archive_read_support_filter_lz4},
    {"lzip", "LZIP", 4, false, archive_read_support_filter_lzip},
    {"lzma", "\x5d\0\0", 3, false, archive_read_support_filter_lzma},
    {"compress", "\x1f\x9d", 2, true, archive_read_support_filter_compress},
};
enum { N_KINDS = (int)(sizeof kinds / sizeof kinds[0]) };

enum { GZIP_HEAD = 10, GZIP_TRAILER = 8 };

struct bs_unpack {
    struct archive *archive;
    const char     *name;
    int             kind, fd;
    int             read_errno; /* errno of a failed read of fd; 0 = none */
    char           *raw;        /* [room], the first n_raw bytes not yet passed on */
    size_t          n_raw, room;
    bool            done;
    uint64_t        n_in, n_out;
    int             mb; /* see bs_unpacked */
    /* gzip only, to verify checksum and length */
    bool          sum;                 /* there is something to verify */
    bool          members;             /* a second member seems to start somewhere */
    uLong         crc;                 /* of all unpacked bytes */
    unsigned char tail[GZIP_HEAD - 1]; /* the last packed bytes */
};

ssize_t bs_fd_read(int fd, void *dst, size_t n)
{
    for (;;) {
        ssize_t got = read(fd, dst, n);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
            return got;
        /* Standard input may be non-blocking, inherited from its parent: wait for it. */
        if (errno != EINTR) {
            struct pollfd p = {.fd = fd, .events = POLLIN};
            (void)poll(&p, 1, -1);
        }
    }
}

static int find_kind(const void *bytes, size_t n, bool *undecided)
{
    *undecided = false;
    for (int i = 0; i < N_KINDS; i++) {
        size_t m = n < kinds[i].n ? n : kinds[i].n;
        if (memcmp(bytes, kinds[i].magic, m) != 0)
            continue;
        if (m == kinds[i].n)
            return i;
        *undecided = true;
    }
    return -1;
}

const char *bs_unpack_kind(const void *bytes, size_t n, bool *undecided)
{
    int kind = find_kind(bytes, n, undecided);
    return kind < 0 ? NULL : kinds[kind].name;
}

/* --- the gzip trailer -------------------------------------------------------- */

static uint32_t load32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Ten bytes that look like the header of a gzip member. Random data does so once in 10^11 bytes. */
static bool is_member(const unsigned char *p)
{
    return p[0] == 0x1f && p[1] == 0x8b && p[2] == 8 && p[3] < 0x20 &&
           (p[8] == 0 || p[8] == 2 || p[8] == 4) && (p[9] <= 13 || p[9] == 255);
}

/* Follows the packed bytes: their last few, and whether a second member starts. A header may
 * straddle two pieces. */
static void watch_raw(bs_unpack *u, const unsigned char *bytes, size_t n)
{
    const size_t  keep = sizeof u->tail;
    unsigned char joined[2 * (GZIP_HEAD - 1)];
    size_t        m = n < keep ? n : keep;
    memcpy(joined, u->tail, keep);
    memcpy(joined + keep, bytes, m);
    for (size_t i = 0; i + GZIP_HEAD <= keep + m; i++)
        if (u->n_in + i != keep && is_member(joined + i))
            u->members = true;

    const unsigned char *p = bytes + (u->n_in == 0 && n > 0), *end = bytes + n;
    while (!u->members && end - p >= GZIP_HEAD) {
        p = memchr(p, 0x1f, (size_t)(end - p) - GZIP_HEAD + 1);
        if (!p)
            break;
        u->members = is_member(p);
        p++;
    }
    memcpy(u->tail, joined + m, keep);
    if (n > keep)
        memcpy(u->tail, end - keep, keep);
    u->n_in += n;
}

/* The file ends in checksum and length of its last member, so they can be verified only if there is
 * just one. Zeros at the end are tape padding. */
static bool sum_agrees(const bs_unpack *u)
{
    static const unsigned char zeros[GZIP_TRAILER];
    const unsigned char       *trailer = u->tail + sizeof u->tail - GZIP_TRAILER;
    if (u->members || memcmp(trailer, zeros, sizeof zeros) == 0)
        return true;
    return load32(trailer) == u->crc && load32(trailer + 4) == (uint32_t)(u->n_out & 0xffffffffu);
}

/* --- libarchive -------------------------------------------------------------- */

static la_ssize_t next_raw(struct archive *a, void *data, const void **bytes)
{
    bs_unpack *u = data;
    size_t     n = u->n_raw;
    u->n_raw = 0;
    if (n == 0) {
        ssize_t got = bs_fd_read(u->fd, u->raw, u->room);
        if (got < 0) {
            u->read_errno = errno;
            archive_set_error(a, errno, "read error");
            return -1;
        }
        n = (size_t)got;
    }
    watch_raw(u, (const unsigned char *)u->raw, n);
    *bytes = u->raw;
    return (la_ssize_t)n;
}

static basin_status fail_unpack(bs_unpack *u, basin_error *err)
{
    if (u->read_errno)
        return bs_fail_io(err, u->name, u->read_errno);
    if (archive_errno(u->archive) == ENOMEM)
        return bs_fail_nomem(err);
    const char *why = archive_error_string(u->archive);
    return bs_fail(err, BASIN_EDATA, "%s: damaged %s data: %s", u->name, kinds[u->kind].name,
                   why ? why : "cannot be unpacked");
}

static basin_status fail_nested(const bs_unpack *u, const char *inner, basin_error *err)
{
    return bs_fail(err, BASIN_EDATA,
                   "%s: %s data within %s data; only one compression is undone: unpack it once",
                   u->name, inner, kinds[u->kind].name);
}

static basin_status start(bs_unpack *u, basin_error *err)
{
    struct archive *a = u->archive = archive_read_new();
    if (!a)
        return bs_fail_nomem(err);
    if (kinds[u->kind].support(a) != ARCHIVE_OK)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: compressed with %s, which the installed libarchive cannot unpack",
                       u->name, kinds[u->kind].name);
    /* The raw format refuses empty content; the second one accepts it. */
    struct archive_entry *entry;
    if (archive_read_support_format_raw(a) != ARCHIVE_OK ||
        archive_read_support_format_empty(a) != ARCHIVE_OK ||
        archive_read_open(a, u, NULL, next_raw, NULL) != ARCHIVE_OK)
        return fail_unpack(u, err);
    int r = archive_read_next_header(a, &entry);
    if (r != ARCHIVE_OK && r != ARCHIVE_EOF)
        return fail_unpack(u, err);
    u->done = r == ARCHIVE_EOF;

    if (archive_filter_count(a) > 2) /* the last one stands for the file itself */
        return fail_nested(u, kinds[u->kind].name, err);
    bool packed = archive_filter_code(a, 0) != ARCHIVE_FILTER_NONE;
    if (!packed && kinds[u->kind].sure)
        return bs_fail(err, BASIN_EDATA, "%s: damaged %s data: the header is not valid", u->name,
                       kinds[u->kind].name);
    u->sum = archive_filter_code(a, 0) == ARCHIVE_FILTER_GZIP;
    return BASIN_OK;
}

basin_status bs_unpack_open(const char *name, int fd, char *first, size_t n, size_t room,
                            bs_unpack **out, basin_error *err)
{
    *out = NULL;
    bs_unpack *u = bs_calloc(1, sizeof *u);
    if (!u) {
        bs_free(first);
        return bs_fail_nomem(err);
    }
    bool undecided;
    u->name = name;
    u->fd = fd;
    u->raw = first;
    u->n_raw = n;
    u->room = room;
    u->kind = find_kind(first, n, &undecided);

    basin_status s =
        u->kind < 0 ? bs_fail(err, BASIN_EARG, "%s: is not compressed", name) : start(u, err);
    if (s)
        bs_unpack_close(u);
    else
        *out = u;
    return s;
}

void bs_unpack_limit(bs_unpack *u, int mb)
{
    u->mb = mb;
}

basin_status bs_unpacked(const char *name, uint64_t packed, uint64_t unpacked, int mb,
                         basin_error *err)
{
    enum { USUAL_MB = 1024, TIMES = 100 };
    if (mb && unpacked > (uint64_t)mb << 20)
        return bs_fail(err, BASIN_EDATA, "%s: unpacks to more than %d MiB (data.max_mb)", name, mb);
    if (!mb && unpacked > (uint64_t)USUAL_MB << 20 && unpacked / TIMES > packed)
        return bs_fail(
            err, BASIN_EDATA,
            "%s: unpacks to more than %d MiB and %d times its size; data.max_mb allows more", name,
            USUAL_MB, TIMES);
    return BASIN_OK;
}

/* Before anything is passed on. A file packed twice, by two programs, shows it in its first
 * bytes. */
static basin_status check_output(const bs_unpack *u, const void *bytes, size_t n, basin_error *err)
{
    bool      undecided;
    const int inner = u->n_out == 0 ? find_kind(bytes, n, &undecided) : -1;
    if (inner >= 0 && kinds[inner].sure)
        return fail_nested(u, kinds[inner].name, err);
    return bs_unpacked(u->name, u->n_in, u->n_out + n, u->mb, err);
}

basin_status bs_unpack_read(bs_unpack *u, void *dst, size_t n, size_t *got, basin_error *err)
{
    *got = 0;
    if (u->done)
        return BASIN_OK;
    la_ssize_t r = archive_read_data(u->archive, dst, n);
    if (r < 0)
        return fail_unpack(u, err);
    u->done = r == 0;
    basin_status s = check_output(u, dst, (size_t)r, err);
    if (s)
        return s;
    *got = (size_t)r;
    u->n_out += *got;
    if (!u->sum)
        return BASIN_OK;

    u->crc = crc32_z(u->crc, dst, *got);
    if (u->done && !sum_agrees(u))
        return bs_fail(err, BASIN_EDATA, "%s: damaged gzip data: the checksum does not agree",
                       u->name);
    return BASIN_OK;
}

void bs_unpack_close(bs_unpack *u)
{
    if (!u)
        return;
    if (u->archive)
        archive_read_free(u->archive);
    bs_free(u->raw);
    bs_free(u);
}
