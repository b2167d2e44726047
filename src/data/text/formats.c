/* formats.c -- the list of sentence formats. */
#include <string.h>

#include "data/text/corpus.h"

#define FORMAT(name) extern const bs_corpus_format bs_corpus_format_##name;
#include "data/text/formats.def"
#undef FORMAT

const bs_corpus_format *const bs_corpus_formats[] = {
#define FORMAT(name) &bs_corpus_format_##name,
#include "data/text/formats.def"
#undef FORMAT
    NULL,
};

const bs_corpus_format *bs_corpus_format_find(const char *name)
{
    int i = 0;
    while (bs_corpus_formats[i] && strcmp(bs_corpus_formats[i]->name, name) != 0)
        i++;
    return bs_corpus_formats[i];
}

void bs_corpus_format_names(bool roles, char out[256])
{
    const char *last = NULL;
    size_t      at = 0;
    out[0] = '\0';
    for (int i = 0; bs_corpus_formats[i] && at < 256; i++) {
        if (bs_corpus_formats[i]->roles != roles)
            continue;
        if (last)
            at += (size_t)bs_print(out + at, 256 - at, "%s%s", at ? ", " : "", last);
        last = bs_corpus_formats[i]->name;
    }
    if (at < 256)
        bs_print(out + at, 256 - at, "%s%s", at ? " or " : "", last);
}
