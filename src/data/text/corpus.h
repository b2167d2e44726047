/* corpus.h -- sentences of tagged words: CoNLL columns, CoNLL-U, plain text, JSON lines, BRAT, CSV.
 *
 * The text of the file is kept as it is. A sentence owns a piece of it, from the
 * comments and -DOCSTART- lines before its first token to the blank lines behind
 * its last one, and so the output can be the input with one more column.
 *
 * Files that are not columns are turned into columns with tabs first (making.h), so
 * that all that follows is the same; what columns have no place for, above all texts
 * and where in them the words stand, is kept in records. */
#ifndef BS_TEXT_CORPUS_H
#define BS_TEXT_CORPUS_H

#include "base/io.h"
#include "base/opt.h"
#include "data/names.h"
#include "data/notes.h"
#include "data/rows/write.h"
#include "data/text/scheme.h"

enum {
    BS_MOST_COLUMNS = 16, /* feature columns */
    BS_MOST_CELLS = 64,   /* columns of a file */
};

typedef struct {
    char format[BS_OPTION_TEXT];          /* auto or a name of formats.def */
    int  word_column;                     /* from 1; 0: the first, in CoNLL-U the second */
    char tag_column[BS_OPTION_TEXT];      /* auto, last, none, a number or a name */
    char feature_columns[BS_OPTION_TEXT]; /* auto, all, none or numbers: "2,3"; names */
    char tag_names[BS_OPTION_TEXT];       /* of tags that are numbers: a list or a file; "" */
    char tokens[BS_OPTION_TEXT];          /* auto, blanks, rules: how plain text is cut */
    char scheme[BS_OPTION_TEXT];          /* auto or a scheme: how the file's tags are read */
    char to[BS_OPTION_TEXT];              /* auto, keep or a scheme: what they become */
    char tag_style[BS_OPTION_TEXT];       /* prefix (B-PER), suffix (PER-B) */
    int  max_tokens, max_sentences, max_length;

    /* not in the table */
    int             max_mb, max_line_mb; /* data.max_mb, data.max_line_mb */
    long            lines_before;        /* of the file, in pieces read before */
    bool            piece;               /* of a file: its rows may be without words, all of them */
    bool            label_free;          /* a file without tags is fine */
    const char     *who;     /* asks for the columns, in messages: "the model"; NULL: the options */
    int             columns; /* those of the file that a model was trained on; 0: not known */
    bool            spans;   /* its tags are of spans, ... */
    const bs_names *tags; /* ... and these; NULL: not known. Both only help to guess the format */
} bs_corpus_options;

/* One row per option above; how to add one: a field and a row in corpus_options.c. */
extern const bs_option bs_corpus_rows[];
bs_corpus_options      bs_corpus_options_default(void);

/* A row or document of a file that is not made of columns. */
typedef struct {
    const char *text; /* that its sentences were cut from; NULL: there were words only */
    size_t      len;
    const char *rest;     /* members that are not used, as JSON without braces: "\"id\": 7"; "" */
    const char *name;     /* of a document of its own; NULL: it is a row */
    long        line;     /* where it begins; 0: not known */
    int32_t     sentence; /* its first; the next record's is behind its last */
} bs_record;

typedef struct {
    bs_arena    arena;
    const char *name;   /* of the first file */
    const char *format; /* a name of formats.def; static */
    int32_t     sentences, tokens, documents;
    int32_t    *start; /* [sentences + 1], first token of each sentence */
    bs_names    words; /* distinct spellings */
    int32_t    *word;  /* [tokens] into words */

    int      columns;                  /* feature columns */
    int      column[BS_MOST_COLUMNS];  /* their numbers in the file, from 1 */
    bs_names value[BS_MOST_COLUMNS];   /* distinct values of each */
    int32_t *feature[BS_MOST_COLUMNS]; /* [tokens] */

    bool      labelled;
    bs_names  tags;                /* as in the file, or converted */
    int32_t  *tag;                 /* [tokens] into tags; -1 where unknown */
    bs_scheme file_scheme, scheme; /* found in the file; after conversion */
    int64_t   repaired;            /* ill-formed tags that the conversion met */
    int32_t   repaired_at;         /* first token of the first sentence with one; -1: none */
    bool      suffix;              /* the file writes PER-B; tags here are B-PER all the same */
    bool      mixed;               /* files of several schemes; file_scheme is that of the first */
    uint64_t  hash;                /* of content, independent of compression */

    /* What is needed to mirror the input. */
    int      file_columns, word_column, tag_column; /* 0: none; numbers from 1 */
    char    *text;                                  /* [text_len], then 8 NULs */
    size_t   text_len;
    size_t  *piece;    /* [sentences + 1], where the text of each sentence begins */
    uint8_t *tabs;     /* [sentences], 1: cells are cut at tabs only */
    int32_t *document; /* [sentences], increasing; 0 before the first mark */
    bool     bom;      /* the file began with a byte order mark */
    bool     misc;     /* CoNLL-U: tags are an item of the last column, "Tag=B-PER" */
    bool     comments; /* lines "# ..." with another number of columns */

    /* Of files that are not columns; text has then what columns would be. */
    int32_t      records; /* 0: they are */
    bs_record   *record;  /* [records + 1], the last has nothing but its sentence */
    int32_t     *first;   /* [tokens], character of the record's text; NULL: no texts */
    int32_t     *last;    /* [tokens], the character behind the last one */
    const char **heading; /* [file_columns] names of columns, or NULL */
    bs_names     classes; /* names of tags that were numbers, by number; mostly empty */
} bs_corpus;

/* A format, for reading and writing. How to add one: a file format_NAME.c with such a struct and a
 * line in formats.def. */
typedef struct bs_corpus_reading bs_corpus_reading;
typedef struct bs_tags_out       bs_tags_out;

typedef struct {
    const char *name, *help;
    const char *ending; /* of files that are written: ".conll" */
    bool        text;   /* holds texts with characters rather than words */
    /* How sure the beginning makes us, 0 (no) to 100; -1: memory ran out; NULL: corpus_sniff.c and
     * corpus_layout.c know it. From 80 on it has tags, too; below, only who expects sentences
     * should believe it. */
    int (*sniff)(const char *head, size_t n, const char *path);
    /* Turns r->c->text into columns and records; NULL: it is columns, or words between blanks. */
    basin_status (*read)(bs_corpus_reading *r);
    /* All sentences; NULL: cannot be written into one stream. */
    void (*write)(const bs_tags_out *t, bs_writing *w);
} bs_corpus_format;

extern const bs_corpus_format *const bs_corpus_formats[]; /* ends with NULL */
const bs_corpus_format              *bs_corpus_format_find(const char *name);
void bs_corpus_format_names(char out[256]); /* "conll, conllu or text", for messages */

/* Reads the files one after the other and joins them; each is converted from its own
 * scheme. notes (may be NULL) was initialised by the caller. On failure *out is NULL. */
basin_status bs_corpus_read(const char *const *paths, int n, const bs_corpus_options *o,
                            bs_corpus **out, bs_notes *notes, basin_error *err);
/* The same from one open input. For tests, fuzzing and pipes. */
basin_status bs_corpus_read_input(bs_input *in, const bs_corpus_options *o, bs_corpus **out,
                                  bs_notes *notes, basin_error *err);
void         bs_corpus_free(bs_corpus *c); /* accepts NULL */

/* Is this a folder or a file of BRAT, whose texts and spans are in two files? 0 to 100. */
int bs_corpus_sniff_path(const char *path);
/* Is this the beginning of a column file of sentences, or of another format of them, and not of
 * a table? 0 (no) to 100; comparable with the scores of the readers in data/; -1: memory ran out.
 * path may be "". */
int bs_corpus_sniff(const char *head, size_t n, const char *path);

/* Writes what was found out about the columns into the options, so that another file is
 * read in the same way whatever it looks like: for the copy in a model. */
void bs_corpus_fix(const bs_corpus *c, bs_corpus_options *o);

/* A copy of the given sentences, in this order; names keep their numbers. */
basin_status bs_corpus_select(const bs_corpus *c, const int32_t *sentences, int32_t n,
                              bs_corpus **out, basin_error *err);

/* Adds the sentences of b to a, without their tags; both must have the same feature columns. The
 * text of a is only good for its hash afterwards. After a failure a can only be freed. */
basin_status bs_corpus_add_unlabelled(bs_corpus *a, const bs_corpus *b, basin_error *err);

/* The tags as they stand in the file, before any conversion: tag [tokens] are numbers of names,
 * which grows; -1 where there is none. */
basin_status bs_corpus_file_tags(const bs_corpus *c, bs_names *names, int32_t *tag,
                                 basin_error *err);

/* Line of a token in the text, from 1: that of the file when one was read; 0: in a document of
 * several. Slow. */
long bs_corpus_line(const bs_corpus *c, int32_t token);
/* "line 7", "document a17". Slow. */
const char *bs_corpus_place(const bs_corpus *c, int32_t token, char out[80]);
/* Its tag as the file has it, for messages. Slow. */
const char *bs_corpus_file_tag(const bs_corpus *c, int32_t token, char out[48]);

/* --- writing: corpus_write.c --------------------------------------------- */

/* One sentence as it was read, with one more column: names[tag[i]] for its tokens
 * i = 0, 1, ... (-1: "_"). -DOCSTART- repeats its own tag; plain text becomes columns; CoNLL-U,
 * which has ten columns, gets it in place of its own tag. */
void bs_corpus_put(const bs_corpus *c, int32_t sentence, const char *const *names,
                   const int32_t *tag, bs_writing *w);
/* All sentences; tag is [tokens]. */
basin_status bs_corpus_write(const bs_corpus *c, const char *const *names, const int32_t *tag,
                             bs_sink sink, void *to, basin_error *err);

/* The corpus with the tags it has now. format NULL keeps all other bytes and replaces the
 * tags where they stand; else a name of formats.def: "conll" writes word, features and tag;
 * "conllu" ten columns with the tag in the fourth (in the tenth when it is of a span). */
basin_status bs_corpus_convert(const bs_corpus *c, const char *format, bs_sink sink, void *to,
                               basin_error *err);
/* The format that is asked for, or that the ending of the path names, or NULL: as it was read.
 * "jsonl" is tokens, or spans where there are texts. */
const char *bs_corpus_format_of(const bs_corpus *c, const char *path, const char *format);
/* Converts into a file; format NULL: by the ending of path, else as it was read. */
basin_status bs_corpus_save(const bs_corpus *c, const char *path, const char *format,
                            basin_error *err);

/* --- splitting: corpus_split.c ------------------------------------------- */

/* part[sentence] gets the number of a part of relative size share[]; every part has its
 * share of each tag and of short and long sentences. by_document keeps documents whole. */
basin_status bs_corpus_split(const bs_corpus *c, const double *share, int parts, bool by_document,
                             uint64_t seed, int32_t *part, basin_error *err);
/* Sentences, tokens and balance of each part; file[i] is its name. */
basin_status bs_corpus_split_describe(const bs_corpus *c, const double *share, int parts,
                                      const int32_t *part, const char *const *file, bs_buf *table,
                                      bs_buf *json, basin_error *err);

/* --- looking at it: corpus_summary.c, corpus_describe.c ------------------ */

typedef struct {
    int32_t  longest, longest_sentence; /* tokens; which */
    int32_t  words;                     /* distinct, as used here */
    int32_t  words_once;                /* of these, seen once */
    int32_t  tags;                      /* distinct, as used here */
    int64_t *tag_count;                 /* [c->tags.n] */
    int64_t  tokens_unknown;            /* without a tag */
    bs_names types;                     /* of spans; none for raw tags */
    int64_t *type_count;                /* [types.n] spans */
    int64_t  spans, ill_formed;
    int32_t  ill_formed_at;  /* a token; -1: none */
    int32_t  duplicates;     /* sentences equal to an earlier one, tags included */
    int32_t  contradictions; /* words as in an earlier one, but never with these tags */
    bs_arena arena;

    /* Against a training corpus. */
    int32_t shared;     /* sentences whose words are a sentence of it, too */
    int32_t tags_new;   /* tags it does not have; where they are of spans, types */
    int64_t tokens_new; /* tokens whose spelling it does not have */
    int32_t first_new;  /* a token with one of them; -1: none */
} bs_corpus_summary;

/* train may be NULL. out is freed by the caller, after a failure as well. */
basin_status bs_corpus_summarise(const bs_corpus *c, const bs_corpus *train, bs_corpus_summary *out,
                                 basin_error *err);
void         bs_corpus_summary_free(bs_corpus_summary *s);

/* What would spoil a training, as one sentence; NULL = nothing. */
const char *bs_corpus_problem(const bs_corpus *c, const bs_corpus_summary *s);

/* Text for people and a JSON object. train and notes may be NULL. */
basin_status bs_corpus_describe(const bs_corpus *c, const bs_corpus *train, const bs_notes *notes,
                                bs_buf *table, bs_buf *json, basin_error *err);

#endif
