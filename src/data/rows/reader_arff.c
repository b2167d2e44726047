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

static basin_status read_arff(bs_reading *r)
{
    arff_header  h;
    basin_status s = bs_arff_header(r, &h);
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
    .head = BS_HEAD_ATTRIBUTES,
    .comment = '%',
    .uses = "data.labels data.xml data.nominal data.root data.drop data.true "
            "data.false",
    .sniff = sniff,
    .read = read_arff,
};
