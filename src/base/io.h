/* io.h -- reading files (compressed or not) and writing them so that a crash loses nothing. */
#ifndef BS_IO_H
#define BS_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* An open input: a file, or stdin for "-"; gz, xz, bz2, zstd are unpacked on the way (libarchive),
 * whatever the file's name, one layer of them and up to a limit. */
typedef struct bs_input bs_input;

basin_status bs_input_open(const char *path, bs_input **out, basin_error *err);
/* What a compressed input may unpack to, in MiB (data.max_mb); 0, the default: 1024, or 100 times
 * its size if that is more. Plain input has no limit. */
void bs_input_limit(bs_input *in, int mb);
bool bs_input_packed(const bs_input *in);
/* Both in one call. */
basin_status bs_input_open_most(const char *path, int mb, bs_input **out, basin_error *err);
/* The same for a file the user did not name (beside another, in a run folder, named in a list): a
 * pipe or device, which may never end, is not opened. */
basin_status bs_input_open_found(const char *path, int mb, bs_input **out, basin_error *err);
bool         bs_is_file(const char *path); /* exists and is a regular file */
/* Exists but is neither file nor folder. Never true of standard input, "-". */
bool bs_is_special(const char *path);
/* The same limit for code that unpacks by other means: so many bytes from so many packed ones. */
basin_status bs_unpacked(const char *name, uint64_t packed, uint64_t unpacked, int mb,
                         basin_error *err);
/* Reads from memory, for tests and fuzzing; borrows the bytes, unpacks nothing. */
basin_status bs_input_memory(const char *name, const void *bytes, size_t n, bs_input **out,
                             basin_error *err);
void         bs_input_close(bs_input *in); /* accepts NULL */
/* Instead of closing, after bs_input_peek only: standard input or a pipe gives the same bytes when
 * this thread opens it next. A file is closed. */
void        bs_input_put_back(bs_input *in);   /* accepts NULL */
void        bs_input_forget(void);             /* it will not be opened again */
const char *bs_input_name(const bs_input *in); /* for messages; "<stdin>" for "-" */

/* One line without its end (\n, \r\n or a lone \r before \n). The text is
 * NUL-terminated, may contain NULs, and stays valid until the next call. */
typedef struct {
    char  *text;
    size_t len;
    long   number; /* from 1 */
    size_t used;   /* bytes with its end */
} bs_line;

/* *more = false at the end. A line longer than `ceiling` bytes is an error. A
 * UTF-8 byte order mark at the start of the input is skipped. */
basin_status bs_input_line(bs_input *in, size_t ceiling, bs_line *line, bool *more,
                           basin_error *err);
/* The next line will be this one again, which the caller has not changed. */
void bs_input_unread(bs_input *in, const bs_line *line);
/* The line as it was in the file. */
void bs_line_put(const bs_line *line, bs_buf *out);

/* Everything that is left, into a buffer whose ceiling bounds it. The second is for lines: it
 * refuses one longer than `ceiling` bytes, or a million empty ones in a row, while reading. */
basin_status bs_input_rest(bs_input *in, bs_buf *out, basin_error *err);
basin_status bs_input_text(bs_input *in, size_t ceiling, bs_buf *out, basin_error *err);

/* The next bytes, valid until the next call; *n = 0 only at the end. */
basin_status bs_input_some(bs_input *in, const char **bytes, size_t *n, basin_error *err);

/* Adds the next n bytes to `out`, or all that are left. */
basin_status bs_input_take(bs_input *in, size_t n, bs_buf *out, basin_error *err);

/* Looks at up to n bytes at the start of the unpacked content without consuming them. */
basin_status bs_input_peek(bs_input *in, size_t n, const char **bytes, size_t *got,
                           basin_error *err);

/* The same, but a pipe or terminal that pauses after a whole line gives what has arrived, which may
 * be less. Blank lines and comments (# or %) do not count. */
basin_status bs_input_peek_lines(bs_input *in, size_t n, const char **bytes, size_t *got,
                                 basin_error *err);
/* Whether it is a pipe, a terminal or the like, with bytes that are not compressed. */
bool bs_input_live(const bs_input *in);
/* Whether reading the next line would block; for live inputs only. */
bool bs_input_waits(const bs_input *in);

/* Atomic replacement: bytes go to a temporary file in the same folder; commit flushes it to disk,
 * renames it to `path` and flushes the folder. Until then an older file stays intact. */
typedef struct bs_output bs_output;

basin_status bs_output_open(const char *path, bs_output **out, basin_error *err);
basin_status bs_output_write(bs_output *o, const void *bytes, size_t n, basin_error *err);
basin_status bs_output_commit(bs_output *o, basin_error *err); /* closes in any case */
void         bs_output_abort(bs_output *o);                    /* removes the temporary file */

/* "PATH: no such file" and the like for an errno value: BASIN_EIO (or BASIN_ENOMEM). */
basin_status bs_fail_io(basin_error *err, const char *path, int errnum);

/* One call for small files. */
basin_status bs_write_file(const char *path, const void *bytes, size_t n, basin_error *err);
basin_status bs_read_file(const char *path, bs_buf *out, basin_error *err); /* as ..._found */
basin_status bs_read_file_most(const char *path, int mb, bs_buf *out, basin_error *err);
basin_status bs_make_dir(const char *path, basin_error *err); /* with parents; fine if it exists */

/* The writer of a folder holds its lock: BASIN_EARG at once if somebody else does, in this process
 * or another. Creates the folder, and removes it again if it ends up empty. */
#define BS_LOCK_NAME ".lock"
typedef struct bs_lock bs_lock;
basin_status           bs_lock_take(const char *folder, bs_lock **out, basin_error *err);
/* The same together with others who share the folder (share.h), and with nobody else. */
basin_status bs_lock_share(const char *folder, bs_lock **out, basin_error *err);
void         bs_lock_free(bs_lock *l); /* accepts NULL */

/* "-HOST", the end of names of temporary files: on another machine nobody knows whether the process
 * that made one exists. */
enum { BS_TEMP_HOST = 34 };
void bs_temp_host(char host[BS_TEMP_HOST]);

/* Removes temporary files left by processes of this machine that no longer exist, in a folder and
 * up to `depth` folders below it. */
void bs_sweep(const char *folder, int depth);

#endif
