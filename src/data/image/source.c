/* source.c -- walks folders, archives and lists of files, and passes the bytes that are wanted to a
 * visitor. */
#include "data/image/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "data/scan.h"
#include "data/image/picture.h"

enum { DEEPEST = 16, LONGEST_PATH = 4096, TAR_BLOCK = 512 };

typedef struct {
    const bs_source *s;
    bs_visitor      *v;
    basin_error     *err;
    size_t           n;    /* files seen */
    bs_buf           data; /* of the current file */
    /* of an archive */
    bs_input   *in;               /* compressed as a whole, else NULL */
    basin_error broken;           /* why it cannot be read any further */
    uint64_t    packed, unpacked; /* bytes packed and unpacked, of the files examined */
} walk;

static size_t most_bytes(const walk *w)
{
    return w->v->max_bytes ? w->v->max_bytes : (size_t)1 << 30;
}

static bool hidden(const char *name, size_t len)
{
    return len == 0 || name[0] == '.' || (len == 8 && memcmp(name, "__MACOSX", 8) == 0);
}

static basin_status count(walk *w)
{
    if (w->v->max_files && ++w->n > w->v->max_files)
        return bs_fail(w->err, BASIN_EDATA, "%s: more than %zu files (image.max_images)",
                       w->s->path, w->v->max_files);
    return BASIN_OK;
}

/* --- what a path is -------------------------------------------------------- */

/* The checksum in the header of every tar file, in octal. */
static bool is_tar(const unsigned char *head, size_t n)
{
    if (n < TAR_BLOCK || head[0] == 0)
        return false;
    unsigned long want = 0, sum = 0;
    for (int i = 148; i < 156; i++) {
        if (head[i] >= '0' && head[i] <= '7')
            want = want * 8 + (unsigned long)(head[i] - '0');
        else if (head[i] != ' ' && head[i] != 0)
            return false;
    }
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += i >= 148 && i < 156 ? ' ' : head[i];
    return sum == want;
}

bs_source_kind bs_source_of_bytes(const void *head, size_t n)
{
    if (bs_picture_sniff(head, n) != BS_PICTURE_NONE)
        return BS_SOURCE_PICTURE;
    if (is_tar(head, n) || (n >= 4 && memcmp(head, "PK\3\4", 4) == 0) ||
        (n >= 4 && memcmp(head, "PK\5\6", 4) == 0)) /* an empty one */
        return BS_SOURCE_ARCHIVE;
    return n > 0 && !memchr(head, 0, n) ? BS_SOURCE_TEXT : BS_SOURCE_NONE;
}

/* Empty or truncated archives cannot be recognised by content. */
static bool is_archive_name(const char *path)
{
    static const char *const list[] = {".tar",    ".zip",     ".tgz",     ".txz",     ".tbz2",
                                       ".tzst",   ".tar.gz",  ".tar.xz",  ".tar.bz2", ".tar.zst",
                                       ".tar.lz", ".tar.lz4", ".tar.lzma"};
    const size_t             n = strlen(path);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const size_t len = strlen(list[i]);
        if (n > len && bs_same_word(path + n - len, len, list[i]))
            return true;
    }
    return false;
}

basin_status bs_source_sniff(const char *path, bs_source_kind *out, basin_error *err)
{
    struct stat  st;
    bs_input    *in = NULL;
    const char  *head;
    size_t       n = 0;
    basin_status s = BASIN_OK;
    *out = BS_SOURCE_NONE;
    if (stat(path, &st))
        return s;
    if (S_ISDIR(st.st_mode))
        *out = BS_SOURCE_FOLDER;
    if (!S_ISREG(st.st_mode))
        return s;
    s = bs_input_open(path, &in, NULL);
    if (!s)
        s = bs_input_peek(in, TAR_BLOCK, &head, &n, NULL);
    if (!s)
        *out = bs_source_of_bytes(head, n);
    if (*out != BS_SOURCE_PICTURE && is_archive_name(path))
        *out = BS_SOURCE_ARCHIVE;
    bs_input_close(in);
    return s == BASIN_ENOMEM ? bs_fail_nomem(err) : BASIN_OK;
}

/* --- files ----------------------------------------------------------------- */

static basin_status visit_file(walk *w, const char *path, const char *name)
{
    if (!w->v->wants(w->v->self, name))
        return BASIN_OK;
    bs_buf_clear(&w->data);
    basin_status s = bs_read_file_most(path, w->v->max_mb, &w->data, w->err);
    return s ? s
             : w->v->take(w->v->self, name, w->data.data ? (const uint8_t *)w->data.data : NULL,
                          w->data.len, w->err);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Follows links, but not to a folder on the way down, which would lead in circles. */
static basin_status walk_folder(walk *w)
{
    char         root[LONGEST_PATH];
    const size_t n = strlen(w->s->path);
    if (n >= sizeof root)
        return bs_fail_io(w->err, w->s->path, ENAMETOOLONG);
    memcpy(root, w->s->path, n + 1);
    FTS         *t = fts_open((char *const[]){root, NULL}, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    basin_status s = t ? BASIN_OK : bs_fail_io(w->err, root, errno);
    while (!s && !w->v->enough) {
        errno = 0;
        FTSENT *e = fts_read(t);
        if (!e && errno)
            s = bs_fail_io(w->err, root, errno);
        if (!e)
            break;
        const char *name = e->fts_path + n + (e->fts_path[n] == '/');
        if (e->fts_level > 0 && e->fts_info != FTS_DP)
            s = count(w);
        if (e->fts_level > DEEPEST || (e->fts_level > 0 && hidden(e->fts_name, e->fts_namelen)))
            fts_set(t, e, FTS_SKIP);
        else if (!s && e->fts_info == FTS_F)
            s = visit_file(w, e->fts_path, name);
        else if (!s && (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR))
            s = bs_fail_io(w->err, e->fts_path, e->fts_errno);
    }
    if (t)
        fts_close(t);
    return s;
}

/* --- archives -------------------------------------------------------------- */

/* No filters: compression of the whole file is undone by bs_input, which knows when to stop. */
static bool prepare(struct archive *a)
{
    return archive_read_support_format_tar(a) == ARCHIVE_OK &&
           archive_read_support_format_zip(a) == ARCHIVE_OK;
}

static la_ssize_t next_bytes(struct archive *a, void *data, const void **bytes)
{
    walk       *w = data;
    const char *next = NULL;
    size_t      n = 0;
    if (bs_input_some(w->in, &next, &n, &w->broken)) {
        archive_set_error(a, EIO, "cannot be unpacked");
        return -1;
    }
    *bytes = next;
    return (la_ssize_t)n;
}

static basin_status fail_archive(walk *w, struct archive *a)
{
    const char *why = archive_error_string(a);
    if (w->broken.status)
        return bs_fail(w->err, w->broken.status, "%s", w->broken.msg);
    if (archive_errno(a) == ENOMEM)
        return bs_fail_nomem(w->err);
    return bs_fail(w->err, BASIN_EDATA, "%s: damaged archive: %s", w->s->path,
                   why ? why : "cannot be read");
}

/* "./a//b" and "../a/b" are "a/b": nothing is ever written there. NULL for hidden, empty or
 * overlong names. */
static const char *clean_name(const char *from, char to[LONGEST_PATH])
{
    size_t n = 0;
    while (*from) {
        size_t len = strcspn(from, "/");
        bool   dot = (len == 1 && from[0] == '.') || (len == 2 && memcmp(from, "..", 2) == 0);
        if (len > 0 && !dot) {
            if (hidden(from, len) || n + len + 2 > LONGEST_PATH)
                return NULL;
            if (n)
                to[n++] = '/';
            memcpy(to + n, from, len);
            n += len;
        }
        from += len + (from[len] == '/');
    }
    to[n] = '\0';
    return n ? to : NULL;
}

static basin_status read_entry(walk *w, struct archive *a, const char *name)
{
    char block[1 << 14];
    bs_buf_clear(&w->data);
    for (;;) {
        const la_ssize_t n = archive_read_data(a, block, sizeof block); /* fills gaps with zeros */
        if (n == ARCHIVE_WARN || n == ARCHIVE_RETRY)
            continue;
        if (n <= 0)
            return n ? fail_archive(w, a) : BASIN_OK;
        if ((size_t)n > most_bytes(w) - w->data.len)
            return bs_fail(w->err, BASIN_EDATA, "%s: %s is larger than %zu bytes", w->s->path, name,
                           most_bytes(w));
        w->unpacked += (size_t)n;
        basin_status s = bs_unpacked(w->s->path, w->packed, w->unpacked, w->v->max_mb, w->err);
        if (s)
            return s;
        bs_buf_add(&w->data, block, (size_t)n);
        if (w->data.failed)
            return bs_fail_nomem(w->err);
    }
}

static basin_status visit_entries(walk *w, struct archive *a)
{
    struct archive_entry *e;
    char                  name[LONGEST_PATH];
    while (!w->v->enough) {
        int r = archive_read_next_header(a, &e);
        if (r == ARCHIVE_EOF)
            return BASIN_OK;
        if (r < ARCHIVE_WARN)
            return fail_archive(w, a);
        const char  *path = archive_entry_pathname(e);
        basin_status s = count(w);
        if (!path)
            path = archive_entry_pathname_utf8(e);
        if (s)
            return s;
        if (!path || !clean_name(path, name))
            continue;
        if (archive_entry_filetype(e) == AE_IFLNK || archive_entry_hardlink(e)) {
            if (w->v->links++ == 0)
                bs_print(w->v->link, sizeof w->v->link, "%.255s", name);
            continue;
        }
        if (archive_entry_filetype(e) != AE_IFREG)
            continue;
        if (!w->v->wants(w->v->self, name))
            continue;
        s = read_entry(w, a, name);
        if (!s)
            s = w->v->take(w->v->self, name, w->data.data ? (const uint8_t *)w->data.data : NULL,
                           w->data.len, w->err);
        if (s)
            return s;
    }
    return BASIN_OK;
}

/* Leaves an uncompressed file to libarchive, which can skip what is not needed. */
static basin_status open_packed(walk *w)
{
    struct stat st;
    w->packed = w->s->n_bytes;
    if (w->s->bytes)
        return BASIN_OK;
    if (stat(w->s->path, &st) == 0)
        w->packed = (uint64_t)st.st_size;
    basin_status s = bs_input_open_most(w->s->path, w->v->max_mb, &w->in, w->err);
    if (!s && !bs_input_packed(w->in)) {
        bs_input_close(w->in);
        w->in = NULL;
    }
    return s;
}

static basin_status walk_archive(walk *w)
{
    /* libarchive would convert names to the charset of the locale; in the C locale they stay as
     * stored, or UTF-8. */
    const locale_t  was = bs_locale_plain();
    struct archive *a = archive_read_new();
    basin_status    s = a ? open_packed(w) : bs_fail_nomem(w->err);
    int             r = ARCHIVE_FATAL;
    if (!s && prepare(a))
        r = w->s->bytes ? archive_read_open_memory(a, w->s->bytes, w->s->n_bytes)
            : w->in     ? archive_read_open(a, w, NULL, next_bytes, NULL)
                        : archive_read_open_filename(a, w->s->path, (size_t)64 << 10);
    if (!s)
        s = r == ARCHIVE_OK ? visit_entries(w, a) : fail_archive(w, a);
    archive_read_free(a);
    bs_input_close(w->in);
    bs_locale_back(was);
    return s;
}

/* --- any source ------------------------------------------------------------ */

static basin_status walk_files(walk *w)
{
    basin_status s = BASIN_OK;
    bs_buf       path;
    bs_buf_init(&path, 1 << 16);
    for (size_t i = 0; i < w->s->n_files && !s && !w->v->enough; i++) {
        const char *name = w->s->file[i];
        bs_buf_clear(&path);
        bs_buf_printf(&path, "%s%s", name[0] == '/' ? "" : w->s->path, name);
        s = path.failed ? bs_fail_nomem(w->err) : visit_file(w, path.data, name);
    }
    bs_buf_free(&path);
    return s;
}

/* A single file is like a folder that holds nothing else. */
static basin_status walk_picture(walk *w)
{
    const char *name = strrchr(w->s->path, '/');
    name = name ? name + 1 : w->s->path;
    if (!w->s->bytes)
        return visit_file(w, w->s->path, name);
    return w->v->wants(w->v->self, name)
               ? w->v->take(w->v->self, name, w->s->bytes, w->s->n_bytes, w->err)
               : BASIN_OK;
}

basin_status bs_source_walk(const bs_source *src, bs_visitor *v, basin_error *err)
{
    walk         w = {.s = src, .v = v, .err = err};
    basin_status s;
    v->enough = false;
    bs_buf_init(&w.data, most_bytes(&w));
    switch (src->kind) {
    case BS_SOURCE_FOLDER: s = walk_folder(&w); break;
    case BS_SOURCE_ARCHIVE: s = walk_archive(&w); break;
    case BS_SOURCE_FILES: s = walk_files(&w); break;
    case BS_SOURCE_PICTURE: s = walk_picture(&w); break;
    default:
        s = bs_fail(err, BASIN_EDATA, "%s: not a folder, tar or zip archive or picture", src->path);
    }
    bs_buf_free(&w.data);
    return s;
}
