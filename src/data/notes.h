/* notes.h -- short remarks about what a reader guessed and which traps it saw. */
#ifndef BS_NOTES_H
#define BS_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

typedef struct {
    const char *tag;  /* "identifier", "escaped", "labels", "hierarchy", ...; static */
    const char *text; /* one sentence without a full stop */
} bs_note;

/* Tags that `data check` counts as problems: what was read is probably not what was meant. */
#define BS_NOTE_ODD_CELL "odd cell"
/* Texts that were left out. */
#define BS_NOTE_PROSE "text"
/* What people must know because scores depend on it; and guesses that are not certain. */
#define BS_NOTE_WARNING "warning"
#define BS_NOTE_GUESS   "guess"
/* Labels in the file that were not chosen. */
#define BS_NOTE_SPARE "spare labels"

/* A list that only grows. A note that does not fit into memory sets `failed`. */
typedef struct {
    bs_arena arena;
    bs_note *note;
    size_t   n, cap;
    bool     failed;
} bs_notes;

void bs_notes_init(bs_notes *notes);
void bs_notes_free(bs_notes *notes); /* accepts NULL */

/* Does nothing if notes is NULL; does not repeat a text. */
void bs_notes_add(bs_notes *notes, const char *tag, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *bs_notes_find(const bs_notes *notes, const char *tag); /* the first text with the tag,
                                                                      or NULL */
bool        bs_notes_has(const bs_notes *notes, const char *tag);
/* "notes": [...], their tags; without notes (NULL) an empty list. */
void bs_notes_json(const bs_notes *notes, bs_buf *out);
/* Logs all, each after "ABOUT: " unless that is NULL; level: of those that are neither warnings nor
 * guesses. */
void bs_notes_log(const bs_notes *notes, const char *about, bs_log_level level, bs_logger *log);

#endif
