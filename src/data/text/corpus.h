/* corpus.h -- sentences of tagged words: CoNLL columns, CoNLL-U, plain text, JSON lines, BRAT, CSV.
 *
 * The text of the file is kept unchanged. A sentence owns a piece of it, from the comments and
 * -DOCSTART- lines before its first token to the blank lines after its last one, so the output can
 * be the input plus a column.
 *
 * Other files are first turned into tab-separated columns (making.h), so that everything afterwards
 * is the same; what columns cannot hold, above all texts and the positions of words in them, is
 * kept in records. */
#ifndef BS_TEXT_CORPUS_H
#define BS_TEXT_CORPUS_H

#include "base/io.h"
#include "base/opt.h"
#include "data/names.h"
#include "data/notes.h"
#include "data/rows/write.h"
#include "data/text/scheme.h"

enum {
    BS_MOST_COLUMNS = 16, /* maximum number of feature columns */
    BS_MOST_CELLS = 64,   /* maximum number of columns in a file */
};

/* Where a file of semantic roles has what; columns from 1, 0: none. Its rows in the corpus are
 * pairs of a sentence and one of its predicates (roles.h). */
typedef struct {
    int word, predicate;
    int base;  /* columns without those of roles; these come after this column: */
    int after; /* 0: unknown so far */
    int spans; /* CoNLL-U Plus: the column where a predicate lists its spans */
} bs_role_layout;

/* A part of a file: all its rows may lack words, and once begun, it is read as the first one. */
typedef struct {
    long           lines_before; /* in earlier blocks */
    bool           begun;        /* those below are of the first block */
    int            columns, tag_column;
    bool           tabs, misc, labelled;
    bs_scheme      scheme;
    bs_role_layout roles;
} bs_corpus_block;

typedef struct {
    char format[BS_OPTION_TEXT];           /* auto or a name of formats.def */
    int  word_column;                      /* from 1; 0: the first, or the second in CoNLL-U */
    char tag_column[BS_OPTION_TEXT];       /* auto, last, none, a number or a name */
    char feature_columns[BS_OPTION_TEXT];  /* auto, all, none or numbers: "2,3"; names */
    char tag_names[BS_OPTION_TEXT];        /* of numbered tags: a list or a file; "" */
    char tokens[BS_OPTION_TEXT];           /* auto, blanks, rules: how to split plain text */
    char scheme[BS_OPTION_TEXT];           /* auto or a scheme: how to read the file's tags */
    char to[BS_OPTION_TEXT];               /* auto, keep or a scheme: what to convert them to */
    char predicate_column[BS_OPTION_TEXT]; /* of semantic roles: auto or a number */
    int  max_tokens, max_sentences, max_length;

    /* not options */
    int                    max_mb, max_line_mb; /* data.max_mb, data.max_line_mb */
    const bs_corpus_block *block;               /* the text is a block of a file; NULL: all of it */
    bool                   label_free;          /* the file may have no tags */
    bool                   roles;               /* it has semantic roles, not tags of words */
    const char            *who; /* for messages: "the model" needs the columns; NULL: the options */
    int                    columns; /* columns of the model's training file; 0: unknown */
    bool                   spans;   /* its tags describe spans, ... */
    const bs_names        *tags; /* ... and these are its tags; NULL: unknown. Both only hint at the
                             format */
} bs_corpus_options;

/* One row per option above; to add one: a field and a row in corpus_options.c. */
extern const bs_option bs_corpus_rows[];
bs_corpus_options      bs_corpus_options_default(void);

/* A row or document of a file that does not consist of columns. */
typedef struct {
    const char *text; /* text its sentences come from; NULL: there were only words */
    size_t      len;
    const char *rest;     /* unused members, as JSON without braces: "\"id\": 7"; "". Of roles in
                             columns: its lines without them */
    const char *name;     /* if it is a document of its own; NULL: it is a row */
    long        line;     /* where it starts; 0: unknown */
    int32_t     sentence; /* its first; its last is before the next record's first */
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
    int32_t  *tag;                 /* [tokens] into tags; -1 if unknown */
    bs_scheme file_scheme, scheme; /* found in the file; after conversion */
    int64_t   repaired;            /* ill-formed tags repaired by the conversion */
    int32_t   repaired_at;         /* first token of the first sentence with one; -1: none */
    bool      mixed;               /* files with different schemes; file_scheme is the first one */
    uint64_t  hash;                /* of content, independent of compression */

    /* For reproducing the input. */
    int      file_columns, word_column, tag_column; /* 0: none; numbers from 1 */
    char    *text;                                  /* [text_len], then 8 NULs */
    size_t   text_len;
    size_t  *piece;    /* [sentences + 1], start of each sentence's text */
    uint8_t *tabs;     /* [sentences], 1: cells are separated by tabs only */
    int32_t *document; /* [sentences], increasing; 0 before the first mark */
    bool     bom;      /* the file starts with a byte order mark */
    bool     misc;     /* CoNLL-U: tags are an item of the last column, "Tag=B-PER" */
    bool     comments; /* lines "# ..." with another number of columns */

    /* For files that are not columns; text holds the columns made from them. */
    int32_t      records; /* 0: it was columns */
    bs_record   *record;  /* [records + 1], of the last only `sentence` is set */
    int32_t     *first;   /* [tokens], first character in the record's text; NULL: no texts */
    int32_t     *last;    /* [tokens], the character after the last one */
    const char **heading; /* [file_columns] names of columns, or NULL */
    bs_names     classes; /* names of tags that were numbers, by number; usually empty */

    bs_role_layout roles; /* of the file, if it is one of semantic roles */
} bs_corpus;

/* A format, for reading and writing. To add one: a file format_NAME.c with such a struct and a line
 * in formats.def. */
typedef struct bs_corpus_reading bs_corpus_reading;
typedef struct bs_tags_out       bs_tags_out;

typedef struct {
    const char *name, *help;
    const char *ending; /* of files to write: ".conll" */
    bool        text;   /* has texts with character positions rather than words */
    bool        roles;  /* is for semantic roles */
    char        unit; /* how a file is divided: 'l' after any line, 's' after a sentence; 0: not */
    /* How sure the beginning makes us, 0 (no) to 100; -1: memory ran out; NULL: corpus_sniff.c and
     * corpus_layout.c decide. From 80 on it has tags, too; lower scores should only convince
     * callers that expect sentences. */
    int (*sniff)(const char *head, size_t n, const char *path);
    /* Turns r->c->text into columns and records; NULL: it is columns, or words and blanks. */
    basin_status (*read)(bs_corpus_reading *r);
    /* All sentences; NULL: cannot be written to one stream. */
    void (*write)(const bs_tags_out *t, bs_writing *w);
} bs_corpus_format;

extern const bs_corpus_format *const bs_corpus_formats[]; /* ends with NULL */
const bs_corpus_format              *bs_corpus_format_find(const char *name);
/* "conll, conllu or text", for messages; of semantic roles, or all others. */
void bs_corpus_format_names(bool roles, char out[256]);

/* Reads files one after the other and joins them; each is converted from its own scheme. notes (may
 * be NULL) is initialised by the caller. On failure *out is NULL. */
basin_status bs_corpus_read(const char *const *paths, int n, const bs_corpus_options *o,
                            bs_corpus **out, bs_notes *notes, basin_error *err);
/* A file that is opened once and read block by block, in the format and the columns of its first
 * block: corpus_open.c. From a pipe, a block is what has arrived. */
typedef struct bs_corpus_file bs_corpus_file;
basin_status bs_corpus_open(const char *path, const bs_corpus_options *o, bs_corpus_file **out,
                            basin_error *err);
/* About so many lines; *out = NULL at the end. */
basin_status bs_corpus_next(bs_corpus_file *f, int32_t lines, bs_corpus **out, bs_notes *notes,
                            basin_error *err);
void         bs_corpus_close(bs_corpus_file *f); /* accepts NULL */

/* The same from one open input. For tests and fuzzing. */
basin_status bs_corpus_read_input(bs_input *in, const bs_corpus_options *o, bs_corpus **out,
                                  bs_notes *notes, basin_error *err);
/* Sentences in a program's memory. memory.c */
basin_status bs_corpus_from_memory(const basin_tagged *t, const bs_corpus_options *o,
                                   bs_corpus **out, bs_notes *notes, basin_error *err);
void         bs_corpus_free(bs_corpus *c); /* accepts NULL */

/* Is this a folder or file of BRAT, whose texts and spans are in separate files? 0 to 100. */
int bs_corpus_sniff_path(const char *path);
/* Does a column file of sentences, or another format of them, start like this, and not a table? 0
 * (no) to 100; comparable with the scores of the readers in data/; -1: memory ran out. path may be
 * "". */
int bs_corpus_sniff(const char *head, size_t n, const char *path);
/* The same for formats of semantic roles. */
int bs_roles_sniff(const char *head, size_t n, const char *path);

/* Writes what was found out about the columns into the options, for the copy in a model: other
 * files are then read the same way whatever they look like. */
void bs_corpus_fix(const bs_corpus *c, bs_corpus_options *o);

/* A copy of the given sentences, in this order; names keep their numbers. */
basin_status bs_corpus_select(const bs_corpus *c, const int32_t *sentences, int32_t n,
                              bs_corpus **out, basin_error *err);

/* Adds the sentences of b to a, without their tags; both must have the same feature columns.
 * Afterwards the text of a is only good for its hash. After a failure a can only be freed. */
basin_status bs_corpus_add_unlabelled(bs_corpus *a, const bs_corpus *b, basin_error *err);

/* The tags in the file, before conversion: tag [tokens] are numbers in names, which grows; -1 if
 * there is none. */
basin_status bs_corpus_file_tags(const bs_corpus *c, bs_names *names, int32_t *tag,
                                 basin_error *err);

int32_t bs_longest_sentence(const bs_corpus *c); /* in tokens, at least 1 */

/* Line of a token in the text, from 1, or in the file if there was one; 0: in a document of
 * several. Slow. */
long bs_corpus_line(const bs_corpus *c, int32_t token);
/* "line 7", "document a17". Slow. */
const char *bs_corpus_place(const bs_corpus *c, int32_t token, char out[80]);
/* Its tag in the file, for messages. Slow. */
const char *bs_corpus_file_tag(const bs_corpus *c, int32_t token, char out[48]);

/* --- writing: corpus_write.c --------------------------------------------- */

/* A sentence as it was read plus a column: names[tag[i]] for its tokens i = 0, 1, ... (-1: "_").
 * -DOCSTART- repeats its own tag; plain text becomes columns; in CoNLL-U, whose ten columns are
 * fixed, it replaces the file's tag. */
void bs_corpus_put(const bs_corpus *c, int32_t sentence, const char *const *names,
                   const int32_t *tag, bs_writing *w);
/* All sentences; tag is [tokens]. names NULL: as they were read, with their current tags in
 * place of those of the file. */
basin_status bs_corpus_write(const bs_corpus *c, const char *const *names, const int32_t *tag,
                             bs_sink sink, void *to, basin_error *err);

/* The corpus with its current tags. format NULL keeps all other bytes and replaces the tags in
 * place; otherwise a name from formats.def: "conll" writes word, features and tag; "conllu" ten
 * columns with the tag in the fourth (in the tenth for spans). */
basin_status bs_corpus_convert(const bs_corpus *c, const char *format, bs_sink sink, void *to,
                               basin_error *err);
/* The format requested, or implied by the path's extension, or NULL: as it was read. "jsonl" means
 * tokens, or spans if there are texts. */
const char *bs_corpus_format_of(const bs_corpus *c, const char *path, const char *format);
/* Converts into a file; format NULL: by the extension of path, else as it was read. */
basin_status bs_corpus_save(const bs_corpus *c, const char *path, const char *format,
                            basin_error *err);

/* --- splitting: corpus_split.c ------------------------------------------- */

/* part[sentence] becomes the number of a part of relative size share[]; every part gets its share
 * of each tag and of short and long sentences. by_document keeps documents together. */
basin_status bs_corpus_split(const bs_corpus *c, const double *share, int parts, bool by_document,
                             uint64_t seed, int32_t *part, basin_error *err);
/* Sentences, tokens and balance of each part; file[i] is its file. */
basin_status bs_corpus_split_describe(const bs_corpus *c, const double *share, int parts,
                                      const int32_t *part, const char *const *file, bs_buf *table,
                                      bs_buf *json, basin_error *err);

/* --- looking at it: corpus_summary.c, corpus_describe.c ------------------ */

typedef struct {
    int32_t  longest, longest_sentence; /* in tokens; its number */
    int32_t  words;                     /* distinct, in the corpus */
    int32_t  words_once;                /* of those, seen once */
    int32_t  tags;                      /* distinct, in the corpus */
    int64_t *tag_count;                 /* [c->tags.n] */
    int64_t  tokens_unknown;            /* without a tag */
    bs_names types;                     /* of spans; empty for raw tags */
    int64_t *type_count;                /* [types.n] spans */
    int64_t  spans, ill_formed;
    int32_t  ill_formed_at;  /* a token; -1: none */
    int32_t  duplicates;     /* equal to an earlier sentence, tags included */
    int32_t  contradictions; /* words of an earlier sentence, but never with its tags */
    bs_arena arena;

    /* Compared with a training corpus. */
    int32_t shared;     /* sentences whose words also form one of its sentences */
    int32_t tags_new;   /* tags it lacks; for spans, types */
    int64_t tokens_new; /* tokens whose spelling it lacks */
    int32_t first_new;  /* a token with one of them; -1: none */
} bs_corpus_summary;

/* train may be NULL. The caller frees out, also after a failure. */
basin_status bs_corpus_summarise(const bs_corpus *c, const bs_corpus *train, bs_corpus_summary *out,
                                 basin_error *err);
void         bs_corpus_summary_free(bs_corpus_summary *s);

/* What would spoil training, as one sentence; NULL = nothing. */
const char *bs_corpus_problem(const bs_corpus *c, const bs_corpus_summary *s);

/* Text for people and a JSON object. train and notes may be NULL. */
basin_status bs_corpus_describe(const bs_corpus *c, const bs_corpus *train, const bs_notes *notes,
                                bs_buf *table, bs_buf *json, basin_error *err);

#endif
