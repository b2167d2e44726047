/* writer_arff.c -- MULAN's ARFF: features, then 0/1 labels; the labels' names also in XML.
 *
 * Sparse if most values are zero. Categories are written as the 0/1 features they became. */
#include <math.h>
#include <string.h>

#include "data/rows/write.h"

/* Quoted if a bare word would be misread. */
static void put_name(bs_writing *w, const char *name)
{
    if (*name && !strpbrk(name, " \t\n\r,{}%'\"\\") && *name != '@') {
        bs_put(w, name);
        return;
    }
    bs_put(w, "'");
    for (const char *p = name; *p; p++) {
        if (*p == '\'' || *p == '\\')
            bs_put(w, "\\");
        if (*p == '\n')
            bs_put(w, "\\n");
        else if (*p == '\r')
            bs_put(w, "\\r");
        else if (*p == '\t')
            bs_put(w, "\\t");
        else
            bs_put_bytes(w, p, 1);
    }
    bs_put(w, "'");
}

static void sparse_row(const bs_rows *ds, int32_t r, bs_writing *w)
{
    const int32_t D = ds->schema.n_features;
    const char   *comma = "";
    bs_put(w, "{");
    for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++, comma = ",") {
        bs_put(w, comma);
        bs_put_int(w, ds->x.index[e]);
        bs_put(w, " ");
        if (ds->x.value && isnan(ds->x.value[e]))
            bs_put(w, "?");
        else
            bs_put_float(w, ds->x.value ? ds->x.value[e] : 1);
    }
    int32_t y = ds->y.start[r], u = ds->unknown.start ? ds->unknown.start[r] : 0;
    int32_t u_end = ds->unknown.start ? ds->unknown.start[r + 1] : 0;
    while (y < ds->y.start[r + 1] || u < u_end) {
        bool open = u < u_end && (y == ds->y.start[r + 1] || ds->unknown.index[u] < ds->y.index[y]);
        bs_put(w, comma);
        bs_put_int(w, D + (open ? ds->unknown.index[u++] : ds->y.index[y++]));
        bs_put(w, open ? " ?" : " 1");
        comma = ",";
    }
    bs_put(w, "}\n");
}

static void write_arff(const bs_rows *ds, bs_writing *w)
{
    const bs_schema *s = &ds->schema;
    double           cells = (double)ds->rows * s->n_features;
    bool             dense = cells > 0 && ds->x.start[ds->rows] > 0.5 * cells;
    char             scratch[24];
    bs_put(w, "@relation basin\n\n");
    for (int32_t i = 0; i < s->n_features; i++) {
        bool binary = s->feature ? s->feature[i].kind != BS_FEATURE_NUMERIC : !ds->x.value;
        bs_put(w, "@attribute ");
        put_name(w, bs_feature_name(ds, i, scratch));
        bs_put(w, binary ? " {0,1}\n" : " numeric\n");
    }
    for (int32_t i = 0; i < s->n_labels; i++) {
        bs_put(w, "@attribute ");
        put_name(w, s->label[i]);
        bs_put(w, " {0,1}\n");
    }
    bs_put(w, "\n@data\n");
    for (int32_t r = 0; r < ds->rows && !w->status; r++)
        if (dense)
            bs_put_row(w, ds, r, "?");
        else
            sparse_row(ds, r, w);
}

static void write_xml(const bs_rows *ds, bs_buf *out)
{
    bs_buf_text(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                     "<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n");
    for (int32_t i = 0; i < ds->schema.n_labels; i++) {
        bs_buf_text(out, "<label name=\"");
        for (const char *p = ds->schema.label[i]; *p; p++) {
            const char *entity = *p == '<'    ? "&lt;"
                                 : *p == '>'  ? "&gt;"
                                 : *p == '&'  ? "&amp;"
                                 : *p == '"'  ? "&quot;"
                                 : *p == '\n' ? "&#10;"
                                 : *p == '\t' ? "&#9;"
                                 : *p == '\r' ? "&#13;"
                                              : NULL;
            if (entity)
                bs_buf_text(out, entity);
            else
                bs_buf_add(out, p, 1);
        }
        bs_buf_text(out, "\"></label>\n");
    }
    bs_buf_text(out, "</labels>\n");
}

static const char *refuse(const bs_rows *ds)
{
    return ds->schema.n_labels == 0 ? "there are no labels" : NULL;
}

const bs_writer bs_writer_arff = {
    .name = "arff",
    .help = "ARFF as MULAN has it, with the label names in an XML file beside it",
    .extensions = ".arff",
    .keeps = BS_KEEPS_LABELS | BS_KEEPS_FEATURES | BS_KEEPS_NAMES,
    .columns = true,
    .write = write_arff,
    .refuse = refuse,
    .side_extension = ".xml",
    .side = write_xml,
};
