/* writer_fasttext.c -- lines of __label__NAME and text. */
#include <string.h>

#include "data/rows/write.h"

static const char *refuse(const bs_rows *ds)
{
    if (!ds->document)
        return "rows without a text cannot be written as fasttext";
    for (int32_t l = 0; l < ds->schema.n_labels; l++)
        if (strpbrk(ds->schema.label[l], " \t\r\n"))
            return "a label has a blank in its name, which ends it in fasttext";
    return NULL;
}

/* A line has one row: line ends become blanks. */
static void put_text(bs_writing *w, const bs_row_text *text)
{
    const char *end = text->bytes + text->n;
    for (const char *p = text->bytes; p < end;) {
        const size_t n = strcspn(p, "\r\n");
        bs_put_bytes(w, p, n);
        p += n;
        if (p < end)
            bs_put(w, " ");
        p += p < end;
    }
}

static void write_fasttext(const bs_rows *ds, bs_writing *w)
{
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++) {
            bs_put(w, "__label__");
            bs_put(w, ds->schema.label[ds->y.index[e]]);
            bs_put(w, " ");
        }
        put_text(w, &ds->document[r]);
        bs_put(w, "\n");
    }
}

const bs_writer bs_writer_fasttext = {
    .name = "fasttext",
    .help = "lines of __label__NAME and text",
    .extensions = ".ft",
    .keeps = BS_KEEPS_TEXTS,
    .refuse = refuse,
    .write = write_fasttext,
};
