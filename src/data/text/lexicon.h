/* lexicon.h -- what a tagging model keeps of its data: words, feature values, characters, tags.
 *
 * Fitted once on the training data and stored in the model: its vocabulary. Texts of a corpus
 * become numbers once per distinct text, not per token: making a batch is only indexing. */
#ifndef BS_LEXICON_H
#define BS_LEXICON_H

#include "base/opt.h"
#include "data/text/clusters.h"
#include "data/text/vectors.h"
#include "data/text/wordform.h"

typedef struct {
    bool   lower, digits, tweets;            /* how words are folded */
    bool   shape;                            /* adds a column of bs_case */
    int    min_count;                        /* rarer words are unknown */
    double unk_dropout;                      /* used when batches are made */
    char   vectors[BS_OPTION_TEXT];          /* file, or "" */
    char   clusters[BS_OPTION_TEXT];         /* file, or "" */
    char   cluster_prefixes[BS_OPTION_TEXT]; /* "4,8,12,all" */
    char   keep[BS_OPTION_TEXT];             /* data, all */
    int    char_min_count, char_max_length;
} bs_lexicon_options;

/* One row per option above; to add one: a field and a row in lexicon_options.c. */
extern const bs_option bs_lexicon_rows[];
bs_lexicon_options     bs_lexicon_options_default(void);

enum {
    BS_LEXICON_COLUMNS = 24,
    BS_LEXICON_PREFIXES = 8,
    BS_LEXICON_CHARACTERS = 1024, /* maximum of chars.max_length */
};
#define BS_UNKNOWN "<unk>"
#define BS_PADDING "<pad>"

/* column_source of a column derived from the word: -1 - kind. */
enum { BS_COLUMN_CASE, BS_COLUMN_CLUSTER, BS_COLUMN_KINDS };

/* Must not be moved: the names point to the arena. */
typedef struct {
    bool     lower, fold_digits, fold_tweets;
    bs_names words;      /* row i of the word table; row 0 is the unknown word */
    int32_t  n_trained;  /* rows of words in labelled training sentences, including the unknown
                            word, most frequent first; after them come words only in unlabelled
                            sentences, and words that only have a vector */
    int32_t  n_repeated; /* rows seen at least twice; the rest up to n_trained were seen once */

    int         columns;                         /* of the file, then case, then cluster prefixes */
    const char *column_name[BS_LEXICON_COLUMNS]; /* "column 2", "case", "cluster:4" */
    int         column_source[BS_LEXICON_COLUMNS]; /* a column of the corpus, or -1 - kind */
    int         column_prefix[BS_LEXICON_COLUMNS]; /* bits of a cluster's path; 0: all */
    bs_names    value[BS_LEXICON_COLUMNS];         /* value 0 is the unknown one */

    bs_names characters;     /* 0 is padding, 1 the unknown character */
    int      max_characters; /* longer words lose their middle */

    bs_names    tags;     /* numbered as in the training data */
    int         scheme;   /* a bs_scheme */
    bs_clusters clusters; /* of the words kept */
    bs_arena    arena;
} bs_lexicon;

/* The relevant parts of a corpus; all borrowed. */
typedef struct {
    int32_t               tokens;
    int32_t               unlabelled; /* how many tokens, at the end, have no tags */
    const bs_names       *words;      /* distinct spellings, possibly including unused ones */
    const int32_t        *word;       /* [tokens] */
    int                   columns;    /* feature columns */
    const int            *column;     /* [columns], their numbers in the file, from 1 */
    const bs_names       *value;      /* [columns] */
    const int32_t *const *feature;    /* [columns][tokens] */
    const bs_names       *tags;
    int                   scheme;
} bs_words_source;

/* Adds to `wanted` every spelling under which an external table may know these words: which vectors
 * and clusters to read if only words of the data are kept. */
basin_status bs_lexicon_wanted(const bs_lexicon_options *o, const bs_names *words, bs_names *wanted,
                               basin_error *err);

/* other_words: spellings of further files whose vectors are to be kept; it, the vectors, the
 * clusters, all of which are kept, and notes may be NULL. On failure *out is empty;
 * bs_lexicon_free() is always allowed. */
basin_status bs_lexicon_fit(const bs_lexicon_options *o, const bs_words_source *train,
                            const bs_names *other_words, const bs_vectors *vectors,
                            const bs_clusters *clusters, bs_lexicon *out, bs_notes *notes,
                            basin_error *err);
void         bs_lexicon_init(bs_lexicon *l);
void         bs_lexicon_free(bs_lexicon *l);
bs_fold      bs_lexicon_fold(const bs_lexicon *l);

/* Rows of the table [words.n, dim] whose word has a vector receive it, times scale, and known[row]
 * = 1; the rest is left alone. Returns the number of such rows. */
int32_t bs_lexicon_fill(const bs_lexicon *l, const bs_vectors *v, float scale, float *table,
                        uint8_t *known);

/* --- from texts to numbers: lexicon_encode.c ----------------------------- */

/* For texts that come one by one: a word's row, a value in a column, 0 if unknown; a word's
 * characters, at most max_characters (id NULL: only counts them). */
int32_t bs_lexicon_word(const bs_lexicon *l, const char *text, size_t len);
int32_t bs_lexicon_value(const bs_lexicon *l, int column, const char *text, size_t len);
int32_t bs_lexicon_letters(const bs_lexicon *l, const char *text, size_t len, int32_t *id);

/* Row of each spelling, 0 if unknown. */
void bs_lexicon_words(const bs_lexicon *l, const bs_names *words, int32_t *row /* [words->n] */);

/* Value of each text in a column, 0 if unknown: the texts are values of the corpus's column, or its
 * words if the column is derived from them (column_source < 0). */
void bs_lexicon_column(const bs_lexicon *l, int column, const bs_names *texts,
                       int32_t *id /* [texts->n] */);

/* Characters of each spelling, exactly as written (not folded), padded with 0. */
void bs_lexicon_characters(const bs_lexicon *l, const bs_names *words,
                           int32_t *id /* [words->n, max_characters] */,
                           int32_t *length /* [words->n] */);

/* Number of each tag, -1 if training had no such tag. */
void bs_lexicon_tags(const bs_lexicon *l, const bs_names *tags, int32_t *id /* [tags->n] */);

/* Feature columns that come from the file. */
int bs_lexicon_columns(const bs_lexicon *l);

/* --- in the model file: lexicon_json.c ----------------------------------- */

void bs_lexicon_json(const bs_lexicon *l, bs_buf *out);
/* Any tree either loads or is refused; `where` starts messages. Otherwise as bs_lexicon_fit(). */
struct json_t;
basin_status bs_lexicon_take(struct json_t *o, const char *where, bs_lexicon *out,
                             basin_error *err);

#endif
