/* unused.c -- notes options that a format does not support, instead of ignoring them silently. */
#include <string.h>

#include "data/rows/read.h"

static bool in_list(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; list && *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == n && strncmp(list, word, n) == 0)
            return true;
    return false;
}

/* Options that only some formats support. */
static bool belongs_to_format(const char *name)
{
    for (int i = 0; bs_readers[i]; i++)
        if (in_list(bs_readers[i]->uses, name))
            return true;
    return false;
}

basin_status bs_note_unused(const bs_reading *r, const bs_reader *reader)
{
    const bs_read_options usual = bs_read_options_default();
    bs_buf                value;
    bs_buf_init(&value, 1 << 16);
    for (const bs_option *row = bs_read_rows; row->name; row++) {
        const char *name = row->name;
        /* Options stored in a model were meant for its training files. */
        if ((r->o->like && row->flags & BS_OPTION_KEEP) || !belongs_to_format(name) ||
            !bs_option_differs(row, r->o, &usual, &value))
            continue;
        if (!in_list(reader->uses, name))
            bs_notes_add(r->notes, "unused", "%s is not used: it means nothing to %s files", name,
                         reader->name);
        else if (strcmp(name, "data.label_sep") == 0 && r->b->ds->labelled &&
                 !r->b->ds->open_labels)
            bs_notes_add(r->notes, "unused", "%s is not used: labels are columns of 0 and 1", name);
    }
    bool ok = !value.failed;
    bs_buf_free(&value);
    return ok ? BASIN_OK : bs_fail_nomem(r->err);
}
