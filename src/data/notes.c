/* notes.c -- a list of remarks without duplicates. Running out of memory is remembered, not
 * reported, so that callers need not check each note. */
#include "data/notes.h"

#include <stdarg.h>
#include <string.h>
#include "base/json.h"

#include "base/buf.h"
#include "base/visible.h"

enum { MOST_NOTES = 200, LONGEST_NOTE = 400 };

void bs_notes_init(bs_notes *notes)
{
    *notes = (bs_notes){0};
    bs_arena_init(&notes->arena, 0);
}

void bs_notes_free(bs_notes *notes)
{
    if (!notes)
        return;
    bs_arena_free(&notes->arena);
    bs_free(notes->note);
    bs_notes_init(notes);
}

void bs_notes_add(bs_notes *notes, const char *tag, const char *fmt, ...)
{
    if (!notes || notes->failed || notes->n == MOST_NOTES)
        return;
    char    text[LONGEST_NOTE];
    va_list args;
    va_start(args, fmt);
    int n = bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        return;

    bs_line_visible(text, sizeof text, n); /* names come from foreign files */
    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->note[i].text, text) == 0)
            return;

    const char *copy = bs_arena_copy(&notes->arena, text, strlen(text));
    notes->failed = !copy || !BS_GROW(notes->note, notes->cap, notes->n + 1, MOST_NOTES);
    if (!notes->failed)
        notes->note[notes->n++] = (bs_note){.tag = tag, .text = copy};
}

const char *bs_notes_find(const bs_notes *notes, const char *tag)
{
    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->note[i].tag, tag) == 0)
            return notes->note[i].text;
    return NULL;
}

bool bs_notes_has(const bs_notes *notes, const char *tag)
{
    return bs_notes_find(notes, tag) != NULL;
}

void bs_notes_json(const bs_notes *notes, bs_buf *out)
{
    bs_json_open(out, "notes", '[');
    for (size_t i = 0; notes && i < notes->n; i++)
        bs_json_text(out, NULL, notes->note[i].tag);
    bs_json_close(out, ']');
}

void bs_notes_log(const bs_notes *notes, const char *about, bs_log_level level, bs_logger *log)
{
    for (size_t i = 0; i < notes->n; i++) {
        const bs_note *note = &notes->note[i];
        bs_log_say(log,
                   strcmp(note->tag, BS_NOTE_WARNING) == 0 ? BS_WARN
                   : strcmp(note->tag, BS_NOTE_GUESS) == 0 ? BS_INFO
                                                           : level,
                   "%s%s%s", about ? about : "", about ? ": " : "", note->text);
    }
}
