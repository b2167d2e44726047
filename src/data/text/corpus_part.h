/* corpus_part.h -- shared by the files behind corpus.h. */
#ifndef BS_TEXT_CORPUS_PART_H
#define BS_TEXT_CORPUS_PART_H

#include "data/text/corpus.h"
#include "data/text/lines.h"

#include "data/text/retag.h"

/* In the last column of CoNLL-U, with items separated by '|', the item that holds a span's tag. */
#define BS_MISC_KEY "Tag="
enum { BS_CONLLU_MISC = 10 };

/* What to do about a byte that is not UTF-8; the argument is the byte. */
#define BS_NOT_UTF8                                                                       \
    "byte 0x%02x is not UTF-8 text; a file in Latin-1 or Windows-1252 is converted with " \
    "'iconv -f WINDOWS-1252 -t UTF-8'"

typedef struct bs_brat_pair bs_brat_pair; /* brat.h */

/* A reading in progress. */
struct bs_corpus_reading {
    const bs_corpus_options *o;
    bs_corpus               *c;
    const char              *name; /* of the input, for messages */
    const char              *path; /* NULL: memory or a pipe */
    const bs_brat_pair      *pair; /* a document in memory; NULL: none */
    bs_notes                *notes;
    basin_error             *err;
    bs_cut                   cut;
    size_t                   lines;  /* non-empty lines; an upper bound */
    bool                     ascii;  /* the text is pure ASCII */
    long                     asides; /* multiword and empty-node lines */
    int32_t                  marks;  /* document marks */
    long                     comments;
    bool                     guessed; /* the format is a guess */
    const bs_corpus_format  *format;
    int                      tag_column; /* in files with headings, found by name; 0: none */
};

/* "name:line:column: ..."; line or column 0 is omitted. Always BASIN_EDATA. */
basin_status bs_corpus_fail(const bs_corpus_reading *r, long line, size_t column, const char *fmt,
                            ...) __attribute__((format(printf, 4, 5)));

/* --- corpus_layout.c: what kind of file it is ---------------------------- */

/* Refuses NULs and bytes that are not UTF-8; counts lines. */
basin_status bs_corpus_survey(bs_corpus_reading *r);
/* Format and line structure, from the options or the text. */
basin_status bs_corpus_choose(bs_corpus_reading *r);
/* Reads the text in this format, turning it into columns if it is not. */
basin_status bs_corpus_take(bs_corpus_reading *r, const bs_corpus_format *format);
/* The roles of the columns of a file with n of them. */
basin_status bs_corpus_columns(bs_corpus_reading *r, int n, long line);

/* --- corpus_guess.c: what lines show ------------------------------------- */

typedef struct {
    long lines, most;    /* lines with words; of those, with the usual number of cells */
    int  usual;          /* cells per line */
    long blocks, single; /* runs of non-blank lines; those of a single line */
    long tabs, tagged;   /* lines with a tab; with a tag known to the model */
    long comments;       /* "# text = ..." with another number of cells */
    bool mark;           /* -DOCSTART- */
} bs_corpus_look;

bs_corpus_look bs_corpus_look_at(const bs_corpus_reading *r, bool tabs);
/* Is the first line that is no comment one of CoNLL-U? */
bool bs_corpus_looks_conllu(const char *p, const char *end);
/* Is each line a sentence, rather than a word? *sure: columns, beyond doubt. */
bool bs_corpus_looks_plain(const bs_corpus_look *l, const bs_corpus_options *o, bool *sure);
/* Reports the line whose number of columns differs from most others; n: that of the given line. */
basin_status bs_corpus_ragged(const bs_corpus_reading *r, long line, int n);
/* Whether most lines do not have n columns. */
bool bs_corpus_odd_line(const bs_corpus_reading *r, int n);

/* --- corpus_sniff.c ------------------------------------------------------- */

/* Is the file called like one of columns? */
bool bs_corpus_named(const char *path);
/* The format that recognises itself, and how sure it is; NULL: columns or plain text. -1: memory
 * ran out. 8 NULs follow the text. roles: among formats of semantic roles, or all others. */
int bs_corpus_recognise(const char *text, size_t n, const char *path, bool roles,
                        const bs_corpus_format **best);

/* --- corpus_scheme.c: tags after reading --------------------------------- */

basin_status bs_corpus_scheme(bs_corpus_reading *r);

/* --- corpus.c ------------------------------------------------------------ */

bs_corpus *bs_corpus_new(void); /* NULL when memory ran out */
void       bs_corpus_hash(bs_corpus *c);
bs_cut     bs_corpus_cut(const bs_corpus *c, int32_t sentence);
/* The tag in a token's line, which has that column; empty if CoNLL-U has none. */
bs_cell bs_corpus_tag_cell(const bs_corpus *c, const bs_row *row);
int32_t bs_corpus_record(const bs_corpus *c, int32_t sentence); /* the record it belongs to */
/* Adds the sentences of b, read in the same way, to a. */
basin_status bs_corpus_append(bs_corpus *a, const bs_corpus *b, basin_error *err);

#endif
