/* ngrams.h -- documents as features: n-grams of words and of characters, weighed by tf-idf.
 *
 * A document is cut into words as running text is (data/text/tokenise.h), in lower case;
 * punctuation is words, too. An n-gram of words is 1 to `words` neighbours, one of characters 2 to
 * `chars` within a word that has a blank on either side. Those of at least `rows` documents are
 * kept, the most frequent `limit` of them. A value is (1 + ln count) times 1 + ln((1 + documents) /
 * (1 + documents with it)). Those of words in a row are scaled to a length, the root of how many a
 * document has on average, so that values are about 1; so are those of characters. */
#ifndef BS_NGRAMS_H
#define BS_NGRAMS_H

#include "base/tree.h"
#include "data/dataset.h"

typedef struct {
    int words, chars; /* longest; 0: none */
    int limit, rows;
} bs_ngram_options;

typedef struct {
    bs_ngram_options o;
    int32_t          n;    /* kept */
    const char     **name; /* [n] "\"good movie\"", "'ood '" */
    float           *idf;  /* [n] */
    int32_t         *slot; /* [slots] numbers by hash, -1: free; slots is a power of two */
    uint64_t        *hash; /* [n] no two are the same */
    size_t           slots;
    float            length[2]; /* of rows: of n-grams of words, of characters */
} bs_ngrams;

/* Learns them from the documents; memory from arena. BASIN_EDATA if there are none. */
basin_status bs_ngrams_fit(const bs_rows *train, const bs_ngram_options *o, bs_arena *arena,
                           bs_ngrams *out, basin_error *err);

/* With names in another arena. */
basin_status bs_ngrams_copy(const bs_ngrams *g, bs_arena *arena, bs_ngrams *out, basin_error *err);

/* The schema of rows with them: columns, then n-grams. Borrows from both; memory from arena. */
basin_status bs_ngrams_schema(const bs_ngrams *g, const bs_schema *columns, bs_arena *arena,
                              bs_schema *out, basin_error *err);

/* Appends the values of its document to every row, which so far has those of `columns`: these are
 * filled and standardised. `all` is that schema with n-grams; the data set borrows it. *unknown:
 * how many documents have no n-gram that was kept. */
basin_status bs_ngrams_apply(const bs_ngrams *g, const bs_schema *columns, const bs_schema *all,
                             bs_rows *ds, int32_t *unknown, basin_error *err);

/* A member of an object, and back. */
void         bs_ngrams_json(const bs_ngrams *g, bs_buf *out);
basin_status bs_ngrams_from_json(const json_t *json, const char *where, bs_arena *arena,
                                 bs_ngrams *out, basin_error *err);

typedef struct {
    int64_t words;   /* of all documents */
    int32_t longest; /* words of one */
    int32_t different, once, empty;
} bs_text_summary;

/* False when memory runs out. */
bool bs_texts_summary(const bs_rows *ds, bs_text_summary *out);

#endif
