/* write.h -- from data sets to files, for `basin data convert`, `split` and `make`. */
#ifndef BS_WRITE_H
#define BS_WRITE_H

#include "base/io.h"
#include "data/dataset.h"

/* Takes bytes; anything but BASIN_OK stops the writing. */
typedef basin_status (*bs_sink)(void *to, const void *bytes, size_t n, basin_error *err);

enum { BS_WRITE_BUFFER = 256 << 10 };

/* A buffered stream. The first failure sticks; writers need not check. */
typedef struct {
    bs_sink      sink;
    void        *to;
    char        *data; /* [BS_WRITE_BUFFER], len bytes of it used */
    size_t       len;
    bool         safe; /* cells that a spreadsheet would run get an apostrophe (cell.h) */
    basin_status status;
    basin_error *err;
} bs_writing;

/* What a format can express besides values; the rest is lost, with a note. */
enum {
    BS_KEEPS_LABELS = 1,   /* labels that no row has */
    BS_KEEPS_FEATURES = 2, /* features that are 0 in all rows */
    BS_KEEPS_NAMES = 4,    /* names of features */
    BS_KEEPS_IDS = 8,      /* names of rows */
    BS_KEEPS_TEXTS = 16,   /* documents */
};

/* A format. To add one: a file with such a struct and a line in writers.def. */
typedef struct {
    const char *name, *help, *extensions;
    unsigned    keeps;   /* BS_KEEPS_... */
    bool        columns; /* features and labels are columns of one table: names must differ */
    void (*write)(const bs_rows *ds, bs_writing *w);
    /* What the format cannot express, as a sentence, or NULL. */
    const char *(*refuse)(const bs_rows *ds);
    /* A second file beside the first (label names) if side_extension is not NULL; not written if
     * the function leaves `out` empty. */
    const char *side_extension;
    void (*side)(const bs_rows *ds, bs_buf *out);
} bs_writer;

extern const bs_writer *const bs_writers[]; /* ends with NULL */
const bs_writer              *bs_writer_find(const char *name);
/* The writer for the extension of the path, compression aside; NULL if there is none. */
const bs_writer *bs_writer_for(const char *path);

/* format NULL: by the extension of path. Also writes the second file and notes it. */
basin_status bs_rows_write(const bs_rows *ds, const char *path, const char *format, bs_notes *notes,
                           basin_error *err);
/* These rows byte for byte as in their file, under its head; label names go into a file beside it.
 * For data read with keep_text, unless it cannot be: NULL, or why. write_kept.c */
const char  *bs_rows_not_kept(const bs_rows *ds);
basin_status bs_rows_write_kept(const bs_rows *ds, const int32_t *rows, int32_t n, const char *path,
                                bs_notes *notes, basin_error *err);
/* Only the main file, to anywhere. */
basin_status bs_rows_write_to(const bs_rows *ds, const bs_writer *writer, bs_sink sink, void *to,
                              basin_error *err);

/* Writes a file and the list of labels that belongs to it: PATH with another extension, or NULL if
 * the format has none. An empty list is not written. */
typedef basin_status (*bs_filler)(const void *what, bs_output *out, basin_error *err);
basin_status bs_write_pair(const char *path, bs_filler fill, const void *what,
                           const char *extension, const bs_buf *beside, bs_notes *notes,
                           basin_error *err);

/* --- for writers --------------------------------------------------------- */

basin_status bs_writing_open(bs_writing *w, bs_sink sink, void *to, basin_error *err);
basin_status bs_writing_close(bs_writing *w); /* writes out the rest */

void bs_put(bs_writing *w, const char *text);
void bs_put_bytes(bs_writing *w, const char *bytes, size_t n);
void bs_put_int(bs_writing *w, long long value);
void bs_put_float(bs_writing *w, float value); /* fewest digits that read back the same */
/* Text in quotes with JSON's escapes. */
void bs_put_json(bs_writing *w, const char *text);
/* A line prepared in a buffer, which is then cleared for the next one. */
void bs_put_line(bs_writing *w, bs_buf *line);

/* The cells of a row, features first, and the line's end; `missing` stands for values that are not
 * there and for labels left open. */
void bs_put_row(bs_writing *w, const bs_rows *ds, int32_t r, const char *missing);

/* The name of the column of texts, one that readers know. */
const char *bs_text_column(const bs_rows *ds);

/* The name of the column of row names: no label is called this. */
const char *bs_id_column(const bs_rows *ds);

/* --- write_names.c ------------------------------------------------------- */

/* *out is ds with new names for features called like a label or like the column of row names; it
 * borrows everything else, and the names from the arena. */
basin_status bs_distinct_names(const bs_rows *ds, bool ids, bs_arena *arena, bs_rows *out,
                               bs_notes *notes, basin_error *err);

/* Notes what of the data a file of this format loses. */
basin_status bs_note_losses(const bs_rows *ds, const bs_writer *writer, bs_notes *notes,
                            basin_error *err);

/* Name of feature i; numbered ones are called f plus their number in the file. */
const char *bs_feature_name(const bs_rows *ds, int32_t i, char scratch[24]);
bool        bs_labels_are_positions(const bs_rows *ds); /* "0", "1", "2", ... */

/* One name per line, for a .labels file; a name with a line break would become two. */
void bs_list_labels(const bs_rows *ds, bs_buf *out);
bool bs_labels_break_lines(const bs_rows *ds);

#endif
