/* unused.c -- options that a format has no use for are not passed over in silence. */
#include <string.h>

#include "data/read.h"

/* Options that only some formats know. */
static const char *const format_options[] = {
    "data.labels",     "data.xml",    "data.label_sep", "data.nominal",
    "data.index_base", "data.header", "data.delimiter", "data.root",
};

static bool in_list(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; list && *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == n && strncmp(list, word, n) == 0)
            return true;
    return false;
}

/* Whether an option was set to something; false when memory ran out. */
static bool compare(const bs_option *row, const bs_read_options *o, bool *set)
{
    bs_read_options usual = bs_read_options_default();
    bs_buf          a, b;
    bs_buf_init(&a, 1 << 16);
    bs_buf_init(&b, 1 << 16);
    bs_option_format(row, o, &a);
    bs_option_format(row, &usual, &b);
    bool ok = !a.failed && !b.failed;
    *set = ok && strcmp(a.data ? a.data : "", b.data ? b.data : "") != 0;
    bs_buf_free(&a);
    bs_buf_free(&b);
    return ok;
}

basin_status bs_note_unused(const bs_reading *r, const bs_reader *reader)
{
    for (size_t i = 0; i < sizeof format_options / sizeof *format_options; i++) {
        const char      *name = format_options[i];
        const bs_option *row = bs_option_find(bs_read_rows, name);
        bool             set = false;
        /* What a model keeps was meant for the files of its training. */
        if (!row || (r->o->like && row->flags & BS_OPTION_KEEP))
            continue;
        if (!compare(row, r->o, &set))
            return bs_fail_nomem(r->err);
        if (!set)
            continue;
        if (!in_list(reader->uses, name))
            bs_notes_add(r->notes, "unused", "%s is not used: it means nothing to %s files", name,
                         reader->name);
        else if (strcmp(name, "data.label_sep") == 0 && r->b->ds->labelled &&
                 !r->b->ds->open_labels)
            bs_notes_add(r->notes, "unused", "%s is not used: labels are columns of 0 and 1", name);
    }
    return BASIN_OK;
}
