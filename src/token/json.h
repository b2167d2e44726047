/* json.h -- reading the JSON files of tokenisers; for this folder only. */
#ifndef BS_TOKEN_JSON_H
#define BS_TOKEN_JSON_H

#include "base/tree.h"
#include "token/inside.h"

enum { BS_TOKEN_JSON_MOST = 1 << 23 }; /* values */

/* Appends the number of a piece to those around a text; false if it is none, or one too many. */
bool bs_token_put_id(int32_t *ids, int *n, const json_t *id);
/* One added piece as tokenizer.json and tokenizer_config.json describe it, with this number. */
basin_status bs_token_added_json(bs_token_parts *p, const json_t *o, long long id,
                                 basin_error *err);
/* {"piece": number, ...} */
basin_status bs_token_vocabulary_json(bs_token_parts *p, const json_t *vocabulary,
                                      basin_error *err);

/* Tokenisers without tokenizer.json: the lines of vocab.txt, or vocab.json and those of merges.txt.
 * config: tokenizer_config.json, or an empty object. */
basin_status bs_token_from_lines(const char *name, const bs_buf *words, const json_t *config,
                                 bs_tokenizer **out, basin_error *err);
basin_status bs_token_from_merges(const char *name, const json_t *words, const bs_buf *merges,
                                  const json_t *config, bs_tokenizer **out, basin_error *err);

#endif
