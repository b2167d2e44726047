/* encoders.c -- the list of encoders. */
#include "nn/encoder.h"

#include <stddef.h>
#include <string.h>

#include "base/find.h"

const bs_encoder *const bs_encoders[] = {
#define ENCODER(name) &bs_encoder_##name,
#include BS_ENCODERS
#undef ENCODER
    NULL,
};

enum { ENCODERS = sizeof bs_encoders / sizeof bs_encoders[0] };

basin_status bs_encoder_find(const char *kind, bs_reads reads, const bs_encoder **out,
                             basin_error *err)
{
    static const char *const what[] = {"net.kind: no net over rows", "net.kind: no net over words",
                                       "net.kind: no net over images"};
    const bs_encoder        *fit[ENCODERS] = {NULL};
    const bs_named           table = {what[reads], "encoders", BS_NAMED_POINTERS(fit)};
    basin_status             s = BASIN_OK;
    int                      n = 0, i = 0;
    for (int k = 0; bs_encoders[k]; k++)
        if (bs_encoders[k]->reads == reads)
            fit[n++] = bs_encoders[k];
    if (strcmp(kind, "auto") != 0)
        s = bs_find_named(&table, kind, &i, err);
    *out = s ? NULL : fit[i];
    return s;
}

size_t bs_encoder_place(const bs_encoder *e)
{
    const size_t step = _Alignof(max_align_t);
    size_t       at = 0;
    for (int i = 0; bs_encoders[i] && bs_encoders[i] != e; i++)
        at += (bs_encoders[i]->size + step - 1) / step * step;
    return at;
}
