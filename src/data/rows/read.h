/* read.h -- from files to data sets: options, the list of readers, the one entry. */
#ifndef BS_READ_H
#define BS_READ_H

#include "base/io.h"
#include "base/opt.h"
#include "data/rows/build.h"

typedef struct {
    char format[BS_OPTION_TEXT];     /* a reader's name; "auto": from the content */
    char labels[BS_OPTION_TEXT];     /* NAMES|GLOB|FILE|first:N|last:N|xml|relation; "" */
    char xml[BS_OPTION_TEXT];        /* MULAN label file; "": looked for beside the data */
    char label_sep[BS_OPTION_TEXT];  /* separator within one label column; "": found */
    char nominal[BS_OPTION_TEXT];    /* value, position */
    char index_base[BS_OPTION_TEXT]; /* auto, 0, 1 */
    char header[BS_OPTION_TEXT];     /* auto, yes, no: first line of a CSV file */
    char delimiter[BS_OPTION_TEXT];  /* auto, comma, semicolon, tab, pipe */
    char drop[BS_OPTION_TEXT];       /* columns that are left out: as labels */
    char yes[BS_OPTION_TEXT];        /* words for yes and no, beside those that are known */
    char no[BS_OPTION_TEXT];
    char decimal[BS_OPTION_TEXT]; /* auto, point, comma */
    char absent[BS_OPTION_TEXT];  /* auto, missing, zero: members that a JSON row does not have */
    bool keep_ids, drop_unlabelled, root;
    int  max_rows, max_features, max_labels, max_line_mb, max_mb;

    /* Not in the table: for whoever reads a second file. */
    const bs_schema *like;        /* the training schema: index base, label names; borrowed */
    bool             label_free;  /* a file without labels is fine */
    bool             only_labels; /* all columns are labels, of the rows of another file */
    int64_t          rows_before; /* of the file, in pieces read before */
    bool             rows_follow; /* in pieces to come: blank lines at the end may be rows */
    bool             piece;       /* of a table: what its columns are does not depend on its rows */
    bool             keep_text;   /* rows as they stand in the file, too (pieces.h) */
} bs_read_options;

/* One row per option above; how to add one: a field and a row in read_options.c. */
extern const bs_option bs_read_rows[];
bs_read_options        bs_read_options_default(void);

/* What a reader works with. */
typedef struct {
    bs_input              *in;
    const char            *name; /* of the input, for messages */
    const char            *path; /* NULL: memory or standard input */
    const bs_read_options *o;
    bs_build              *b;
    bs_notes              *notes;
    basin_error           *err;
} bs_reading;

/* What the rows of a file need to have before them to be read some at a time (pieces.h). */
typedef enum {
    BS_HEAD_WHOLE, /* all of them: the file cannot be read in pieces */
    BS_HEAD_NONE,
    BS_HEAD_ATTRIBUTES, /* the lines up to @data */
    BS_HEAD_NUMBERS,    /* one line that begins with the number of rows */
    BS_HEAD_NAMES,      /* names of columns, where the training data tells what they are */
} bs_head;

/* A format. How to add one: a file with such a struct and a line in readers.def. */
typedef struct {
    const char *name, *help;
    const char *extensions; /* ".arff .foo": decides between equal scores only */
    bs_head     head;
    char        comment;    /* what lines that are no rows begin with, or 0 */
    bool        blank_rows; /* a blank line before a row is a row */
    const char *uses;       /* options of unused.c that mean something to it */
    /* How sure the content's beginning makes us, 0 (no) to 100. */
    int (*sniff)(const char *head, size_t n, const char *path);
    /* Reads all rows and ends in bs_build_finish(). */
    basin_status (*read)(bs_reading *r);
} bs_reader;

extern const bs_reader *const bs_readers[]; /* ends with NULL */
const bs_reader              *bs_reader_find(const char *name);
/* The one that the options name, or that fits the beginning of the content. */
basin_status bs_reader_choose(bs_input *in, const char *path, const bs_read_options *o,
                              const bs_reader **out, basin_error *err);

/* Reads the files one after the other; later ones are matched to the first.
 * notes (may be NULL) was initialised by the caller. On failure *out is NULL. */
basin_status bs_dataset_read(const char *const *paths, int n, const bs_read_options *o,
                             bs_dataset **out, bs_notes *notes, basin_error *err);

/* One file, or an X and its Y: *used says how many of the paths that was. pair.c */
basin_status bs_dataset_read_next(const char *const *paths, int n, const bs_read_options *o,
                                  int *used, bs_dataset **out, bs_notes *notes, basin_error *err);
/* "X.csv+Y.csv", where there is no file of this name: its two halves. */
bool         bs_pair_path(const char *path, char x[BS_OPTION_TEXT], char y[BS_OPTION_TEXT]);
basin_status bs_dataset_read_file(const char *path, const bs_read_options *o, bs_dataset **out,
                                  bs_notes *notes, basin_error *err);

/* The same from an open input; path may be NULL. For tests, fuzzing and pipes. */
basin_status bs_dataset_read_input(bs_input *in, const char *path, const bs_read_options *o,
                                   bs_dataset **out, bs_notes *notes, basin_error *err);

/* --- files of other kinds: foreign.c -------------------------------------- */

typedef enum { BS_UTF16_NONE, BS_UTF16_LITTLE, BS_UTF16_BIG } bs_utf16;

bool         bs_is_sheet(const char *head, size_t n); /* of Excel and the like */
bs_utf16     bs_utf16_of(const char *head, size_t n);
basin_status bs_utf16_recode(const bs_buf *text, bs_utf16 kind, bs_buf *out, basin_error *err);

/* --- for readers --------------------------------------------------------- */

/* "name:line:column: ..."; line or column 0 is left out. Always BASIN_EDATA. */
basin_status bs_fail_at(const bs_reading *r, long line, size_t column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A Parquet file and the like: fails with how to convert it. */
basin_status bs_refuse_foreign(const bs_reading *r, const char *head, size_t n);

/* A file that is to be like the training data says nothing about labels. */
basin_status bs_fail_no_labels(const bs_reading *r);

basin_status bs_reading_line(bs_reading *r, bs_line *line, bool *more);

/* Ends the row that stood in this line. */
basin_status bs_reading_row(bs_reading *r, long line);

/* The columns that --labels selects, or --drop: sets mark[i] to 1. They are
 * NAMES|GLOB|FILE|first:N|last:N; an entry that selects nothing is an error, except
 * of --drop in a file that is to be like another. */
basin_status bs_select_labels(const bs_reading *r, const char *const *names, int32_t n,
                              uint8_t *mark);
basin_status bs_select_dropped(const bs_reading *r, const char *const *names, int32_t n,
                               uint8_t *mark);

/* The file of label names of a format that has only numbers: --labels, or STEM.labels beside
 * the data; empty when there is none. */
basin_status bs_labels_file(const bs_reading *r, bs_buf *out);

/* A file with one name per line, or a MULAN XML file; at most `ceiling` of them. */
basin_status bs_read_names(const char *path, int max_mb, int32_t ceiling, bs_names *out,
                           basin_error *err);

/* Says which options were given that the format of the file has no use for. */
basin_status bs_note_unused(const bs_reading *r, const bs_reader *reader);

/* "id", "rowid", "user_id": a name for a column that only names rows. identifier.c */
bool bs_named_like_id(const char *name);

/* Leaves out columns that only name the rows (all different), with a note. */
basin_status bs_drop_identifiers(bs_dataset *ds, const bs_read_options *o, bs_notes *notes,
                                 basin_error *err);

#endif
