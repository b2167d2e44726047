/* read.h -- from files to data sets: options, the list of readers, the entry point. */
#ifndef BS_READ_H
#define BS_READ_H

#include "base/io.h"
#include "base/opt.h"
#include "data/rows/build.h"

typedef struct {
    char text_column[BS_OPTION_TEXT]; /* NAME[,NAME...]: the text of rows; "": found */
    char label_names[BS_OPTION_TEXT]; /* file: names of labels that are numbers */
    char format[BS_OPTION_TEXT];      /* a reader's name, or "auto": by content */
    char labels[BS_OPTION_TEXT];      /* NAMES|GLOB|FILE|first:N|last:N|xml|relation; "" */
    char xml[BS_OPTION_TEXT];         /* MULAN label file; "": searched beside the data */
    char label_sep[BS_OPTION_TEXT];   /* separator within a label column; "": guessed */
    char nominal[BS_OPTION_TEXT];     /* value, position */
    char index_base[BS_OPTION_TEXT];  /* auto, 0, 1 */
    char header[BS_OPTION_TEXT];      /* auto, yes, no: first line of a CSV file */
    char delimiter[BS_OPTION_TEXT];   /* auto, comma, semicolon, tab, pipe */
    char drop[BS_OPTION_TEXT];        /* columns to leave out: syntax as labels */
    char yes[BS_OPTION_TEXT];         /* words for yes and no besides the known ones */
    char no[BS_OPTION_TEXT];
    char decimal[BS_OPTION_TEXT]; /* auto, point, comma */
    char absent[BS_OPTION_TEXT];  /* auto, missing, zero: members that a JSON row lacks */
    bool keep_ids, drop_unlabelled, root;
    int  max_rows, max_features, max_labels, max_line_mb, max_mb;

    /* Not options: set by code that reads further files. */
    const bs_schema *like;        /* the training schema: index base, label names; borrowed */
    bool             label_free;  /* the file may have no labels */
    bool             only_labels; /* all columns are labels of another file's rows */
    bool             keep_text;   /* also keep the rows as text */
} bs_read_options;

/* One row per option above; to add one: a field and a row in read_options.c. */
extern const bs_option bs_read_rows[];
bs_read_options        bs_read_options_default(void);

typedef struct bs_reader bs_reader;

/* An open file, and what its reader works with. */
typedef struct {
    bs_input               *in;
    const char             *name; /* of the input, for messages */
    const char             *path; /* NULL: memory or standard input */
    const bs_read_options  *o;
    bs_build               *b; /* of the block being read */
    bs_notes               *notes;
    basin_error            *err;
    const basin_label_sets *given; /* rows in memory instead of an input; or NULL */

    const bs_reader *reader;
    void            *own;         /* the reader's, from open to close */
    int32_t          most;        /* rows in a block; BS_ALL_ROWS: all of them are one block */
    int64_t          before;      /* rows in earlier blocks */
    int64_t          blank;       /* blank lines that are rows if another row follows */
    size_t           bytes;       /* of the block's lines */
    bool             ended;       /* the last row has been read */
    bool             heading;     /* lines belong to the head: */
    bs_buf           head;        /* what precedes the rows, for every block */
    bs_buf           line;        /* the last line as it was, to be kept */
    bool             marked;      /* the file begins with a byte order mark */
    bs_buf           recoded;     /* UTF-16 as UTF-8, read instead */
    bs_names         label_names; /* of data.label_names, in an arena of their own */
    bs_arena         names_arena;
    bs_input        *ours; /* inputs to be closed */
    bs_input        *also;
} bs_reading;

enum { BS_ALL_ROWS = INT32_MAX };

/* A format. To add one: a file with such a struct and a line in readers.def. */
struct bs_reader {
    const char *name, *help;
    const char *extensions; /* ".arff .foo": only decides between equal scores */
    const char *uses;       /* options of some formats only that it supports */
    /* How sure the beginning of the content makes us, 0 (no) to 100. */
    int (*sniff)(const char *head, size_t n, const char *path);
    /* Once per file; either may be NULL. close is called, too, if open fails. */
    basin_status (*open)(bs_reading *r);
    void (*close)(bs_reading *r);
    /* Reads rows until bs_reading_full() or the end, and ends with bs_build_finish(), unless
     * bs_reading_over(). A reader that must see all rows to understand one ignores the limit. */
    basin_status (*next)(bs_reading *r);
};

extern const bs_reader *const bs_readers[]; /* ends with NULL */
const bs_reader              *bs_reader_find(const char *name);

/* --- an open file, block by block ---------------------------------------- */

/* Borrows path and options. */
basin_status bs_rows_open(const char *path, const bs_read_options *o, bs_reading **out,
                          basin_error *err);
/* At least one and at most about `most` rows; from a pipe, those that have arrived. *out = NULL at
 * the end. Formats whose columns are understood from all rows give one block: CSV, unless a model's
 * schema defines the columns, and arrays. */
basin_status bs_rows_next(bs_reading *r, int32_t most, bs_rows **out, bs_notes *notes,
                          basin_error *err);
void         bs_rows_close(bs_reading *r); /* accepts NULL */

/* --- whole files --------------------------------------------------------- */

/* Reads files one after the other; later ones are matched to the first. notes (may be NULL) is
 * initialised by the caller. On failure *out is NULL. */
basin_status bs_rows_read(const char *const *paths, int n, const bs_read_options *o, bs_rows **out,
                          bs_notes *notes, basin_error *err);

/* One file, or an X and its Y: *used is the number of paths consumed. pair.c */
basin_status bs_rows_read_next(const char *const *paths, int n, const bs_read_options *o, int *used,
                               bs_rows **out, bs_notes *notes, basin_error *err);
/* "X.csv+Y.csv", unless a file has this name: its two halves. */
bool         bs_pair_path(const char *path, char x[BS_OPTION_TEXT], char y[BS_OPTION_TEXT]);
basin_status bs_rows_read_file(const char *path, const bs_read_options *o, bs_rows **out,
                               bs_notes *notes, basin_error *err);

/* The same from an open input; path may be NULL. For tests and fuzzing. */
basin_status bs_rows_read_input(bs_input *in, const char *path, const bs_read_options *o,
                                bs_rows **out, bs_notes *notes, basin_error *err);

/* Rows in a program's memory, to which the data set may point. memory.c */
basin_status bs_rows_from_memory(const basin_label_sets *rows, const bs_read_options *o,
                                 bs_rows **out, bs_notes *notes, basin_error *err);

/* --- files of other kinds: foreign.c -------------------------------------- */

typedef enum { BS_UTF16_NONE, BS_UTF16_LITTLE, BS_UTF16_BIG } bs_utf16;

bool         bs_is_sheet(const char *head, size_t n); /* Excel and the like */
bs_utf16     bs_utf16_of(const char *head, size_t n);
basin_status bs_utf16_recode(const bs_buf *text, bs_utf16 kind, bs_buf *out, basin_error *err);

/* Whether the first len bytes of the path end in one of the words of a list, ".arff .foo". */
bool bs_ends_in_one(const char *path, size_t len, const char *list);
/* The length of the path without .gz and the like. */
size_t bs_unpacked_length(const char *path);

/* --- for readers --------------------------------------------------------- */

/* "name:line:column: ..."; line or column 0 is omitted. Always BASIN_EDATA. */
basin_status bs_error_at(const bs_reading *r, long line, size_t column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Parquet and the like: fails with a hint how to convert it. */
basin_status bs_refuse_foreign(const bs_reading *r, const char *head, size_t n);

/* A file to be matched to the training data does not say which columns are labels. */
basin_status bs_fail_no_labels(const bs_reading *r);

/* The next line; *more = false at the end of the file. */
basin_status bs_reading_line(bs_reading *r, bs_line *line, bool *more);
/* Lines up to the end of the block; `one` ends their rows. */
typedef basin_status (*bs_line_reader)(void *self, bs_line *line);
basin_status bs_reading_lines(bs_reading *r, void *self, bs_line_reader one);
/* Whether so many rows make a block: there are enough, or the writer of the next ones is slow. */
bool bs_reading_full(const bs_reading *r, int32_t rows);
/* There was no further row: the block before was the last one. */
bool bs_reading_over(const bs_reading *r);

/* Ends the row read from this line. */
basin_status bs_reading_row(bs_reading *r, long line);

/* Sets mark[i] to 1 for the columns selected by --labels or --drop: NAMES|GLOB|FILE|first:N|last:N.
 * An entry that selects nothing is an error, except for --drop in a file to be matched. */
basin_status bs_select_labels(const bs_reading *r, const char *const *names, int32_t n,
                              uint8_t *mark);
basin_status bs_select_dropped(const bs_reading *r, const char *const *names, int32_t n,
                               uint8_t *mark);

/* The same for the labels of the training schema, of which *found occur. columns.c */
basin_status bs_mark_trained(const bs_reading *r, const char *const *names, int32_t n,
                             uint8_t *mark, int32_t *found);

/* Those of --labels, or else of the training schema, that are not dropped. */
basin_status bs_choose_labels(const bs_reading *r, const char *const *names, int32_t n,
                              const uint8_t *dropped, uint8_t *mark, int32_t *found);

/* The number of a label, new or not. `line` is for messages. */
basin_status bs_add_label(const bs_reading *r, long line, const char *name, size_t len,
                          int32_t *label);
/* The same for a label that a row lists, which may be the number of one of data.label_names. */
basin_status bs_add_listed_label(const bs_reading *r, long line, const char *name, size_t len,
                                 int32_t *label);
/* The number of a new feature, or of the first value of a category. */
basin_status bs_add_feature(const bs_reading *r, long line, const char *name, const char *attribute,
                            const char *value, bs_feature_kind kind, int32_t *column);
basin_status bs_add_category(const bs_reading *r, long line, const char *attribute,
                             const bs_names *values, int32_t *first);

/* The file of label names for a format with numbers only: --labels, or STEM.labels beside the data;
 * empty if there is none. */
basin_status bs_labels_file(const bs_reading *r, bs_buf *out);

/* A file with one name per line, or a MULAN XML file; at most `ceiling` of them. */
basin_status bs_read_names(const char *path, int max_mb, int32_t ceiling, bs_names *out,
                           basin_error *err);

/* Notes which of the given options the file's format does not support. */
basin_status bs_note_unused(const bs_reading *r, const bs_reader *reader);

/* "id", "rowid", "user_id": typical names of a column of row names. identifier.c */
bool bs_named_like_id(const char *name);

/* Leaves out columns that only name the rows (all different), with a note. */
basin_status bs_drop_identifiers(bs_rows *ds, const bs_read_options *o, bs_notes *notes,
                                 basin_error *err);

#endif
