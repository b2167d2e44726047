/* arff_xml.c -- the MULAN label file of an ARFF file: finding it, matching its names.
 *
 * Labels are in the order of the ARFF; two of MULAN's own sets have another order in their label
 * files. Names are compared as written first, then without their backslashes: one published file
 * repeats \' in both places. */
#include <dirent.h>
#include <string.h>

#include "data/rows/arff.h"
#include "data/rows/xml_labels.h"

/* --- finding ------------------------------------------------------------- */

/* NAME.xml in the folder, where NAME is a prefix of the file's name; the longest wins. */
static basin_status look_beside(const char *path, bs_buf *out, basin_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t      folder = (size_t)(name - path), best = 0;
    bs_buf_clear(out);
    bs_buf_add(out, path, folder);
    bs_buf_text(out, folder ? "" : ".");
    if (out->failed)
        return bs_fail_nomem(err);
    bs_buf found;
    bs_buf_init(&found, out->ceiling);
    DIR *d = opendir(out->data);
    if (!d) {
        bs_buf_clear(out);
        return BASIN_OK; /* the data itself is readable: no reason to complain */
    }
    for (struct dirent *e; (e = readdir(d));) {
        size_t len = strlen(e->d_name), stem = len < 4 ? 0 : len - 4;
        if (stem == 0 || stem <= best || strcmp(e->d_name + stem, ".xml") != 0 ||
            strncmp(name, e->d_name, stem) != 0)
            continue;
        bs_buf_clear(&found);
        bs_buf_add(&found, path, folder);
        bs_buf_text(&found, e->d_name);
        if (found.failed || !bs_is_file(found.data))
            continue;
        best = stem;
        bs_buf_clear(out);
        bs_buf_text(out, found.data);
    }
    closedir(d);
    if (!best)
        bs_buf_clear(out);
    out->failed |= found.failed;
    bs_buf_free(&found);
    return out->failed ? bs_fail_nomem(err) : BASIN_OK;
}

/* --- matching ------------------------------------------------------------ */

static basin_status index_names(bs_reading *r, const arff_header *h, bs_names *raw, bs_names *clean)
{
    bool fresh;
    for (int32_t i = 0; i < h->n; i++) {
        const arff_attribute *a = &h->attribute[i];
        if (bs_names_add(raw, a->raw, strlen(a->raw), &fresh) < 0 ||
            bs_names_add(clean, a->name, strlen(a->name), &fresh) < 0)
            return bs_fail_nomem(r->err);
    }
    return BASIN_OK;
}

/* Attribute number of an XML name, or -1. Raw names may repeat, so a raw name's number is looked up
 * through the header. */
static int32_t find_attribute(const arff_header *h, const bs_names *raw, const bs_names *clean,
                              const bs_name *name, char *scratch)
{
    int32_t k = bs_names_find(clean, name->text, name->len);
    if (k < 0 && bs_names_find(raw, name->text, name->len) >= 0)
        for (int32_t i = 0; i < h->n && k < 0; i++)
            if (strcmp(h->attribute[i].raw, name->text) == 0)
                k = i;
    if (k < 0 && strchr(name->text, '\\')) {
        arff_word word = {.text = name->text, .len = name->len, .escaped = true};
        size_t    n = bs_arff_unescape(&word, scratch);
        k = bs_names_find(clean, scratch, n);
    }
    return k;
}

typedef struct {
    int32_t     found, absent, last;
    bool        same_order;
    const char *first_absent;
} matching;

static basin_status match_names(bs_reading *r, const arff_header *h, const bs_names *xml,
                                uint8_t *mark, matching *m)
{
    bs_arena arena;
    bs_names raw, clean;
    size_t   longest = 0;
    bs_arena_init(&arena, 0);
    bs_names_init(&raw, &arena);
    bs_names_init(&clean, &arena);
    for (int32_t i = 0; i < xml->n; i++)
        longest = xml->item[i].len > longest ? xml->item[i].len : longest;
    char        *scratch = bs_alloc(longest + 1);
    basin_status s = scratch ? index_names(r, h, &raw, &clean) : bs_fail_nomem(r->err);
    *m = (matching){.last = -1, .same_order = true};
    for (int32_t i = 0; !s && i < xml->n; i++) {
        int32_t k = find_attribute(h, &raw, &clean, &xml->item[i], scratch);
        if (k < 0) {
            m->first_absent = m->first_absent ? m->first_absent : xml->item[i].text;
            m->absent++;
            continue;
        }
        m->same_order = m->same_order && k > m->last;
        m->last = k;
        m->found += !mark[k];
        mark[k] = 1;
    }
    bs_free(scratch);
    bs_names_free(&raw);
    bs_names_free(&clean);
    bs_arena_free(&arena);
    return s;
}

/* --- both ---------------------------------------------------------------- */

static basin_status judge(bs_reading *r, const arff_header *h, const bs_xml_labels *xml,
                          const char *path, const char *file, uint8_t *mark, bool *found)
{
    matching     m;
    basin_status s = match_names(r, h, &xml->names, mark, &m);
    if (s)
        return s;
    bool beside = r->o->xml[0] == '\0';
    if (m.absent && beside && m.found == 0) {
        bs_notes_add(r->notes, "xml",
                     "%s is next to the data but names none of its attributes: not used", file);
        return BASIN_OK;
    }
    if (m.absent)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: label '%s' is not an attribute of %s (%d of its %d "
                       "labels are not)",
                       path, m.first_absent, r->name, m.absent, xml->names.n);
    if (m.found == h->n)
        return bs_fail(r->err, BASIN_EDATA, "%s: names all %d attributes of %s; no feature is left",
                       path, h->n, r->name);
    if (!m.same_order)
        bs_notes_add(r->notes, "order",
                     "%s lists the labels in another order: that of the data "
                     "file is used",
                     file);
    if (xml->nested)
        bs_notes_add(r->notes, "hierarchy", "%s nests labels: they are used as one flat list",
                     file);
    *found = true;
    return BASIN_OK;
}

basin_status bs_arff_xml(bs_reading *r, const arff_header *h, uint8_t *mark, bool *found,
                         char *file, size_t size)
{
    bs_buf       path;
    basin_status s = BASIN_OK;
    *found = false;
    bs_buf_init(&path, (size_t)1 << 20);
    if (r->o->xml[0])
        bs_buf_text(&path, r->o->xml);
    else if (r->path)
        s = look_beside(r->path, &path, r->err);
    if (!s && path.failed)
        s = bs_fail_nomem(r->err);
    if (s || path.len == 0) {
        bs_buf_free(&path);
        return s;
    }
    const char *slash = strrchr(path.data, '/');
    bs_print(file, size, "%s", slash ? slash + 1 : path.data);

    bs_arena      arena;
    bs_xml_labels xml = {.most = r->o->max_labels};
    bs_input     *in;
    bs_arena_init(&arena, 0);
    bs_names_init(&xml.names, &arena);
    s = bs_input_open_most(path.data, r->o->max_mb, &in, r->err);
    if (!s) {
        s = bs_xml_labels_read(in, &xml, r->err);
        bs_input_close(in);
    }
    if (!s)
        s = judge(r, h, &xml, path.data, file, mark, found);
    else if (xml.foreign && !r->o->xml[0])
        s = BASIN_OK; /* an unrelated XML file in the same folder */
    bs_names_free(&xml.names);
    bs_arena_free(&arena);
    bs_buf_free(&path);
    return s;
}
