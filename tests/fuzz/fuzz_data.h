/* fuzz_data.h -- the body of the readers' fuzz targets: any bytes are read or refused. */
#ifndef FUZZ_DATA_H
#define FUZZ_DATA_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "data/rows/read.h"

/* The first byte chooses among options, the rest is the file. What was read must be sound. */
static inline void fuzz_read(const char *format, const uint8_t *data, size_t size)
{
    static const char *const labels[] = {"", "last:1", "first:1", "y", "*"};
    if (size == 0)
        return;
    bs_read_options o = bs_read_options_default();
    bs_rows        *ds = NULL;
    bs_notes        notes;
    bs_input       *in;
    basin_error     err;
    bs_summary      summary;
    strcpy(o.format, format);
    strcpy(o.labels, labels[data[0] % 5]);
    strcpy(o.nominal, data[0] & 64 ? "position" : "value");
    o.label_free = data[0] & 128;
    o.only_labels = data[0] & 8;
    strcpy(o.text_column, data[0] & 16 ? "text,a" : "");
    o.max_features = 100000;
    o.max_labels = 10000;
    bs_notes_init(&notes);
    if (!bs_input_memory("fuzz", data + 1, size - 1, &in, &err)) {
        if (!bs_rows_read_input(in, NULL, &o, &ds, &notes, &err)) {
            for (int32_t e = 0; e < ds->x.start[ds->rows]; e++)
                if (ds->x.index[e] < 0 || ds->x.index[e] >= ds->schema.n_features)
                    abort();
            for (int32_t e = 0; e < ds->y.start[ds->rows]; e++)
                if (ds->y.index[e] < 0 || ds->y.index[e] >= ds->schema.n_labels)
                    abort();
            for (int32_t r = 0; ds->document && r < ds->rows; r++)
                if (strlen(ds->document[r].bytes) != ds->document[r].n ||
                    !bs_is_utf8(ds->document[r].bytes, ds->document[r].n))
                    abort();
            if (bs_rows_summary(ds, &summary, &err))
                abort();
        }
        bs_input_close(in);
    }
    bs_rows_free(ds);
    bs_notes_free(&notes);
    if (bs_mem_live() != 0)
        abort();
}

#endif
