/* reader_arff.c -- Weka's format as MULAN, MEKA and CLUS use it; the parts are in arff_*.c. */
#include <string.h>

#include "data/rows/arff.h"
#include "data/scan.h"

/* The first line that is neither blank nor a comment starts with one of the keywords. */
static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    static const char *const words[] = {"@relation", "@attribute", "@data"};
    const char              *end = head + n;
    while (head < end) {
        const char *nl = memchr(head, '\n', (size_t)(end - head));
        const char *stop = nl ? nl : end;
        while (head < stop && (bs_is_blank(*head) || *head == '\r'))
            head++;
        if (head < stop && *head != '%') {
            for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
                size_t len = strlen(words[i]);
                if ((size_t)(stop - head) >= len && bs_same_word(head, len, words[i]))
                    return 100;
            }
            return 0;
        }
        head = nl ? nl + 1 : end;
    }
    return 0;
}

/* Every block has the columns of the header, which is in the file once. */
static basin_status read_header(bs_reading *r, arff_header *h)
{
    bs_input    *rows = r->in;
    basin_status s = BASIN_OK;
    *h = (arff_header){0};
    r->heading = r->before == 0 && (r->most < BS_ALL_ROWS || r->o->keep_text);
    if (r->before > 0)
        s = bs_input_memory(r->name, r->head.data, r->head.len, &r->in, r->err);
    if (!s)
        s = bs_arff_header(r, h);
    if (r->in != rows)
        bs_input_close(r->in);
    r->in = rows;
    r->heading = false;
    r->bytes = 0;
    return s;
}

static basin_status next(bs_reading *r)
{
    arff_header  h;
    basin_status s = read_header(r, &h);
    if (!s)
        s = bs_arff_roles(r, &h);
    if (!s)
        s = bs_arff_rows(r, &h);
    bs_arff_free(&h);
    return s;
}

const bs_reader bs_reader_arff = {
    .name = "arff",
    .help = "Weka ARFF, dense or sparse: MULAN with its XML, MEKA -C, CLUS hierarchies",
    .extensions = ".arff",
    .uses = "data.labels data.xml data.nominal data.root data.drop data.true "
            "data.false",
    .sniff = sniff,
    .next = next,
};
