/* mutate_arff.h -- changes to ARFF that leave most of a file sound: lines moved, repeated and
 * dropped, attributes of other types, values out of place, sparse rows that fit or do not. */
#ifndef FUZZ_MUTATE_ARFF_H
#define FUZZ_MUTATE_ARFF_H

#include <stdio.h>

#include "fuzz/mutate.h"

typedef struct {
    size_t at, end; /* of a line, with its line break */
} fuzz_line;

static inline fuzz_line fuzz_some_line(const uint8_t *text, size_t size, fuzz_dice *d)
{
    size_t at = size ? fuzz_roll(d, (uint32_t)size) : 0, end;
    while (at > 0 && text[at - 1] != '\n')
        at--;
    for (end = at; end < size && text[end] != '\n'; end++)
        ;
    return (fuzz_line){at, end < size ? end + 1 : end};
}

/* A line of the header, or a dense or a sparse row over some attributes. */
static inline size_t fuzz_new_line(char *out, size_t room, fuzz_dice *d)
{
    static const char *const types[] = {"numeric", "real",     "integer",           "{0,1}",
                                        "{1,0}",   "{YES,NO}", "{a,'b c',\"d,e\"}", "string",
                                        "{}",      "date",     "relational",        "{0,1"};
    static const char *const names[] = {"a",         "b",     "y",        "'a b'",
                                        "\"q\\\"\"", "TAG_x", "\xc3\xa9", "a%b"};
    const uint32_t n_types = sizeof types / sizeof *types, n_names = sizeof names / sizeof *names;
    const int      sparse = fuzz_roll(d, 2) != 0, values = (int)fuzz_roll(d, 6);
    int            used;
    switch (fuzz_roll(d, 5)) {
    case 0:
        used = snprintf(out, room, "@attribute %s%u %s\n", names[fuzz_roll(d, n_names)],
                        fuzz_roll(d, 4), types[fuzz_roll(d, n_types)]);
        break;
    case 1:
        used = snprintf(out, room, "@relation 'r: -C %s%s'\n", fuzz_roll(d, 2) ? "-" : "",
                        fuzz_number(d));
        break;
    case 2: used = snprintf(out, room, "%s", fuzz_roll(d, 2) ? "@data\n" : "% a comment\n"); break;
    default:
        used = snprintf(out, room, "%s", sparse ? "{" : "");
        for (int i = 0; i < values; i++)
            used += sparse ? snprintf(out + used, room - (size_t)used, "%s%u %s", i ? ", " : "",
                                      (unsigned)i + fuzz_roll(d, 3), fuzz_number(d))
                           : snprintf(out + used, room - (size_t)used, "%s%s", i ? "," : "",
                                      fuzz_number(d));
        used += snprintf(out + used, room - (size_t)used, "%s", sparse ? "}\n" : "\n");
    }
    return (size_t)used;
}

/* Another value for what stands between two separators of a line. */
static inline size_t fuzz_other_value(uint8_t *text, size_t size, size_t max, fuzz_dice *d)
{
    if (size == 0)
        return size;
    const size_t middle = fuzz_roll(d, (uint32_t)size);
    size_t       at = middle, end = middle;
    while (at > 0 && !strchr(",{} \n\t", text[at - 1]))
        at--;
    while (end < size && !strchr(",{} \n\t", text[end]))
        end++;
    const char *value = fuzz_number(d);
    return fuzz_splice(text, size, max, at, end, value, strlen(value));
}

static inline size_t fuzz_mutate_arff(uint8_t *text, size_t size, size_t max, unsigned seed)
{
    fuzz_dice d = {seed};
    char      line[256];
    fuzz_line a = fuzz_some_line(text, size, &d), b = fuzz_some_line(text, size, &d);
    size_t    n = a.end - a.at < sizeof line ? a.end - a.at : sizeof line;
    switch (fuzz_roll(&d, 6)) {
    case 0: return fuzz_splice(text, size, max, a.at, a.end, "", 0);
    case 1: /* a line once more, somewhere else */
        memcpy(line, text + a.at, n);
        return fuzz_splice(text, size, max, b.at, b.at, line, n);
    case 2: return fuzz_splice(text, size, max, b.at, b.at, line, fuzz_new_line(line, 256, &d));
    case 3: return fuzz_splice(text, size, max, b.at, b.end, line, fuzz_new_line(line, 256, &d));
    case 4: return fuzz_other_value(text, size, max, &d);
    default: return LLVMFuzzerMutate(text, size, max);
    }
}

#endif
