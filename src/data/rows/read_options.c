/* read_options.c -- the option table behind --labels, --xml and the other reading options. */
#include <stddef.h>
#include <string.h>

#include "data/rows/read.h"

#define AT(field) offsetof(bs_read_options, field)

const bs_option bs_read_rows[] = {
    {"data.format", BS_TEXT, AT(format), "auto", NULL, NULL, NULL,
     "format of the data; auto looks at the content", BS_OPTION_KEEP},
    {"data.labels", BS_TEXT, AT(labels), "", NULL, NULL, NULL,
     "which columns are labels: names, patterns, a file of names, first:N, last:N", BS_OPTION_FILE},
    {"data.text_column", BS_TEXT, AT(text_column), "", NULL, NULL, NULL,
     "columns that are the text of rows: NAME[,NAME...]; else the one that looks most like it",
     BS_OPTION_KEEP},
    {"data.label_names", BS_TEXT, AT(label_names), "", NULL, NULL, NULL,
     "file with the names of labels that are numbers, one per line, from 0", BS_OPTION_FILE},
    {"data.xml", BS_TEXT, AT(xml), "", NULL, NULL, NULL,
     "MULAN label file; else NAME.xml beside the data where NAME begins the file's name",
     BS_OPTION_FILE},
    {"data.label_sep", BS_TEXT, AT(label_sep), "", NULL, NULL, NULL,
     "what separates labels within one column", BS_OPTION_KEEP},
    {"data.nominal", BS_NAME, AT(nominal), "value", NULL, NULL, "value|position",
     "nominal features by value (yes = 1, categories one-hot) or by position", BS_OPTION_KEEP},
    {"data.index_base", BS_NAME, AT(index_base), "auto", NULL, NULL, "auto|0|1",
     "number of the first feature in LIBSVM files", BS_OPTION_KEEP},
    {"data.header", BS_NAME, AT(header), "auto", NULL, NULL, "auto|yes|no",
     "whether the first line of a CSV file holds names", BS_OPTION_KEEP},
    {"data.delimiter", BS_NAME, AT(delimiter), "auto", NULL, NULL, "auto|comma|semicolon|tab|pipe",
     "what separates the cells of a CSV file", BS_OPTION_KEEP},
    {"data.drop", BS_TEXT, AT(drop), "", NULL, NULL, NULL,
     "columns to leave out: names, patterns, a file of names", BS_OPTION_KEEP | BS_OPTION_FILE},
    {"data.true", BS_TEXT, AT(yes), "", NULL, NULL, NULL,
     "words that mean yes beside yes, true, 1, ...: ja,oui", BS_OPTION_KEEP},
    {"data.false", BS_TEXT, AT(no), "", NULL, NULL, NULL,
     "words that mean no beside no, false, 0, ...: nein,non", BS_OPTION_KEEP},
    {"data.decimal", BS_NAME, AT(decimal), "auto", NULL, NULL, "auto|point|comma",
     "decimal separator of numbers in CSV files", BS_OPTION_KEEP},
    {"data.absent", BS_NAME, AT(absent), "auto", NULL, NULL, "auto|missing|zero",
     "a member that a JSON row lacks; auto: 0 if rows list few of all", BS_OPTION_KEEP},
    {"data.keep_ids", BS_BOOL, AT(keep_ids), "no", NULL, NULL, NULL,
     "use identifier columns as features", BS_OPTION_KEEP},
    {"data.root", BS_BOOL, AT(root), "no", NULL, NULL, NULL,
     "the root of a hierarchy is a label, too (on in every row)", BS_OPTION_KEEP},
    {"data.drop_unlabelled", BS_BOOL, AT(drop_unlabelled), "no", NULL, NULL, NULL,
     "leave out rows without any label", 0},
    {"data.max_rows", BS_INT, AT(max_rows), "200000000", "1", "2000000000", NULL,
     "refuse files with more rows", 0},
    {"data.max_features", BS_INT, AT(max_features), "20000000", "1", "2000000000", NULL,
     "refuse files with more features", 0},
    {"data.max_labels", BS_INT, AT(max_labels), "5000000", "1", "2000000000", NULL,
     "refuse files with more labels", 0},
    {"data.max_line_mb", BS_INT, AT(max_line_mb), "256", "1", "2000", NULL,
     "refuse files with longer lines, in MiB; for every task", 0},
    {"data.max_mb", BS_INT, AT(max_mb), "0", "0", "100000000", NULL,
     "refuse what unpacks to more, in MiB; 0 = 1024, or 100 times its size; for every task", 0},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

bs_read_options bs_read_options_default(void)
{
    bs_read_options o = {.like = NULL};
    bs_options_default(bs_read_rows, &o, NULL);
    return o;
}

/* --- options that a format does not support: noted, not ignored silently -- */

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
