/* scheme.h -- how tags encode spans: IOB1, IOB2, IOE1, IOE2, BIOES, BILOU.
 *
 * A tag is O, or a letter, a hyphen and a type; the type may contain hyphens and may be missing
 * ("B" alone has the type ""). Letters have variants: M for I, L for E, U and W for S, so that
 * BMEWO and IOBES can be read as well. Other tags are raw: every token stands for itself.
 *
 * All schemes are read by one rule: two neighbours of the same type are in one span if the first is
 * B or I and the second I or E. What a scheme adds is which sequences are well-formed:
 *
 *     IOB1   B only between spans of the same type     I-X I-X O I-Y B-Y
 *     IOB2   B at every start                          B-X I-X O B-Y B-Y
 *     IOE1   E only between spans of the same type     I-X I-X O E-Y I-Y
 *     IOE2   E at every end                            I-X E-X O E-Y E-Y
 *     BIOES  B, E, and S for a span of one token       B-X E-X O S-Y S-Y
 *     BILOU  the same with L for E and U for S         B-X L-X O U-Y U-Y
 *
 * Sentence s of a text consists of the tokens start[s] .. start[s + 1] - 1; tag[i] is a position in
 * `tags`, or -1 if unknown. An unknown tag is in no span and makes no neighbour ill-formed. */
#ifndef BS_TEXT_SCHEME_H
#define BS_TEXT_SCHEME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "data/names.h"

typedef enum {
    BS_SCHEME_RAW,
    BS_SCHEME_IOB1,
    BS_SCHEME_IOB2,
    BS_SCHEME_IOE1,
    BS_SCHEME_IOE2,
    BS_SCHEME_BIOES,
    BS_SCHEME_BILOU
} bs_scheme;

enum { BS_SCHEME_COUNT = BS_SCHEME_BILOU + 1, BS_SCHEME_WHY = 160 };

const char *bs_scheme_name(bs_scheme s); /* "raw", "iob1", ... */

/* By name, in any case; also accepts bio, iobes and bmewo. */
basin_status bs_scheme_parse(const char *name, bs_scheme *out, basin_error *err);

/* All borrowed. */
typedef struct {
    const bs_names *tags;
    const int32_t  *tag; /* [tokens] */
    const int32_t  *start;
    int32_t         sentences;
} bs_tagged_text;

/* Which scheme a whole file uses. `why` is a half-sentence for people. If a file breaks the rules
 * of both candidates, the one it breaks less often. */
basin_status bs_scheme_detect(const bs_tagged_text *t, bs_scheme *out, char why[BS_SCHEME_WHY],
                              basin_error *err);

/* Writes the same spans in another scheme. Tags not yet in `to_names` are added; to_tag may be
 * t->tag. *repaired is the number of ill-formed tags, which are read like in bs_spans. To raw, tags
 * keep their text; raw tags cannot be converted to anything else. */
basin_status bs_scheme_convert(const bs_tagged_text *t, bs_scheme from, bs_scheme to,
                               bs_names *to_names, int32_t *to_tag, int64_t *repaired,
                               basin_error *err);

/* Adds O and every letter of the scheme for every type in the set, so that any
 * span of a known type can be written: 17 tags for 4 types in BIOES. */
basin_status bs_scheme_complete(bs_scheme s, bs_names *names, basin_error *err);

typedef struct {
    char    part; /* O, or B I E S as in BIOES whatever letters the scheme uses */
    int32_t type; /* -1 for O */
} bs_tag;

/* Parsed tags. Raw tags, O included, have part S and are their own type. The struct may be moved;
 * `types` does not grow after it is made. */
typedef struct {
    bs_scheme scheme;
    int32_t   n;
    bs_tag   *tag; /* [n] */
    bs_names  types;
    bs_arena  arena;
} bs_tagset;

/* Copies what it needs. Refuses a tag that is not part of the scheme. */
basin_status bs_tagset_make(const bs_names *tags, bs_scheme scheme, bs_tagset *out,
                            basin_error *err);
void         bs_tagset_free(bs_tagset *s); /* also after a failed make */

typedef struct {
    int32_t first, end, type; /* tokens first .. end - 1 */
} bs_span;

/* Spans of one sentence of n tokens in order; out has room for n. *repaired grows by the number of
 * ill-formed tags, which are read in the nearest sensible way: I starts a span if none is open, and
 * an unclosed span ends where it cannot continue. For raw tags every token is a span. */
int32_t bs_spans(const bs_tagset *s, const int32_t *tag, int32_t n, bs_span *out,
                 int64_t *repaired);
/* May `after` follow `before` in a well-formed sequence? -1 = start or end of the sentence. Raw:
 * always. */
bool bs_tagset_follows(const bs_tagset *s, int32_t before, int32_t after);

/* The same as a table for decoders: allowed [(n + 1) * (n + 1)] is 1 if the tag of the column may
 * follow that of the row; the last row is the start of the sentence, the last column its end. */
void bs_tagset_allowed(const bs_tagset *s, uint8_t *allowed);

#endif
