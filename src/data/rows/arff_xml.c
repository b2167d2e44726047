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

/* Attribute number of an XML name, or -1: as it is, or without its backslashes as a bare word or a
 * quoted one loses them. */
static int32_t find_attribute(const bs_names *attributes, const bs_name *name, char *scratch)
{
    int32_t k = bs_names_find(attributes, name->text, name->len);
    for (int quoted = 0; k < 0 && quoted < 2 && strchr(name->text, '\\'); quoted++) {
        const arff_word word = {name->text, name->len, quoted, true};
        k = bs_names_find(attributes, scratch, bs_arff_unescape(&word, scratch));
    }
    return k;
}

/* Marks the attributes that the file names, if it is about this data. */
static basin_status match_names(bs_reading *r, const arff_header *h, const bs_xml_labels *xml,
                                const char *path, const char *file, uint8_t *mark, bool *found)
{
    const bs_names *names = &xml->names;
    const char     *first_absent = NULL;
    int32_t         marked = 0, absent = 0, last = -1;
    bool            same_order = true;
    size_t          longest = 0;
    for (int32_t i = 0; i < names->n; i++)
        longest = names->item[i].len > longest ? names->item[i].len : longest;
    char *scratch = bs_alloc(longest + 1);
    if (!scratch)
        return bs_fail_nomem(r->err);
    for (int32_t i = 0; i < names->n; i++) {
        const int32_t k = find_attribute(&h->names, &names->item[i], scratch);
        if (k < 0) {
            first_absent = first_absent ? first_absent : names->item[i].text;
            absent++;
            continue;
        }
        same_order = same_order && k > last;
        last = k;
        marked += !mark[k];
        mark[k] = 1;
    }
    bs_free(scratch);
    if (absent && !r->o->xml[0] && marked == 0) {
        bs_notes_add(r->notes, "xml",
                     "%s is next to the data but names none of its attributes: not used", file);
        return BASIN_OK;
    }
    if (absent)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: label '%s' is not an attribute of %s (%d of its %d labels are not)",
                       path, first_absent, r->name, absent, names->n);
    if (marked == h->n)
        return bs_fail(r->err, BASIN_EDATA, "%s: names all %d attributes of %s; no feature is left",
                       path, h->n, r->name);
    if (!same_order)
        bs_notes_add(r->notes, "order",
                     "%s lists the labels in another order: that of the data file is used", file);
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
        s = match_names(r, h, &xml, path.data, file, mark, found);
    else if (xml.foreign && !r->o->xml[0])
        s = BASIN_OK; /* an unrelated XML file in the same folder */
    bs_names_free(&xml.names);
    bs_arena_free(&arena);
    bs_buf_free(&path);
    return s;
}
