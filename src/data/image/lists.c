/* lists.c -- text files beside the pictures: lists of parts, tables of pairs, classes. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/rows/csv.h"
#include "data/scan.h"
#include "data/image/catalogue.h"

static const char *base_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

const char *bs_skip_mark(const char *text, size_t *len)
{
    if (*len < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0)
        return text;
    *len -= 3;
    return text + 3;
}

bool bs_is_utf16(const char *text, size_t len)
{
    if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return true;
    return len >= 4 && len % 2 == 0 && (!text[0] != !text[1]) && !text[0] == !text[2] &&
           !text[1] == !text[3];
}

/* The next non-blank line, without surrounding blanks; NULL at the end. */
static const char *next_line(const char **p, const char *end, size_t *len)
{
    while (*p < end) {
        const char *from = *p, *stop = memchr(from, '\n', (size_t)(end - from));
        stop = stop ? stop : end;
        *p = stop < end ? stop + 1 : end;
        while (from < stop && (unsigned char)*from <= ' ')
            from++;
        while (stop > from && (unsigned char)stop[-1] <= ' ')
            stop--;
        if (stop > from) {
            *len = (size_t)(stop - from);
            return from;
        }
    }
    return NULL;
}

/* --- lists of parts -------------------------------------------------------- */

typedef struct {
    bs_catalogue *c;
    bs_notes     *notes;
    basin_error  *err;
    bs_arena      arena;
    bs_names      names; /* stems, paths with and without extension */
    int32_t      *pair;  /* their owners; -2: several */
    size_t        cap;
    const char  **list; /* [pairs] the list that names it */
    size_t        unknown;
    const char   *example;
} listing;

static basin_status add_name(listing *l, const char *text, size_t len, int32_t at)
{
    bool    fresh;
    void   *list = l->pair;
    int32_t k = bs_names_add(&l->names, text, len, &fresh);
    if (k < 0 || !bs_grow(&list, &l->cap, (size_t)k + 1, sizeof *l->pair, INT32_MAX))
        return bs_fail_nomem(l->err);
    l->pair = list;
    l->pair[k] = fresh || l->pair[k] == at ? at : -2;
    return BASIN_OK;
}

static basin_status add_names(listing *l, int32_t at)
{
    const bs_pair *p = &l->c->pair[at];
    const bs_file *f = &l->c->file[p->image];
    size_t         n = strlen(f->name);
    const char    *dot = strrchr(base_name(f->name), '.');
    basin_status   s = add_name(l, f->stem, strlen(f->stem), at);
    if (!s)
        s = add_name(l, f->name, n, at);
    if (!s && dot)
        s = add_name(l, f->name, (size_t)(dot - f->name), at);
    if (!s)
        s = add_name(l, p->name, strlen(p->name), at);
    return s;
}

/* The whole name, or else its last part, each with and without its extension. */
static int32_t find_name(const listing *l, const char *text, size_t len)
{
    while (len > 1 && (text[0] == '/' || (text[0] == '.' && text[1] == '/'))) {
        text++;
        len--;
    }
    for (int turn = 0; turn < 2; turn++) {
        size_t from = 0, dot = len;
        for (size_t i = 0; i < len; i++)
            if (text[i] == '/')
                from = i + 1;
        for (size_t i = from; i < len; i++)
            if (text[i] == '.')
                dot = i;
        if (turn == 0)
            from = 0;
        int32_t k = bs_names_find(&l->names, text + from, len - from);
        if (k < 0 || l->pair[k] < 0)
            k = bs_names_find(&l->names, text + from, dot - from);
        if (k >= 0 && l->pair[k] >= 0)
            return l->pair[k];
    }
    return -1;
}

/* The whole line, or else its first word: in some lists a mask or a flag follows. */
static int32_t find_line(const listing *l, const char *text, size_t len)
{
    int32_t at = find_name(l, text, len);
    size_t  word = 0;
    while (word < len && !bs_is_blank(text[word]) && text[word] != ',')
        word++;
    return at < 0 && word < len ? find_name(l, text, word) : at;
}

/* train.txt, parts_val.txt, ...; *several if it names two parts (trainval.txt). */
bs_image_part bs_part_of_list(const char *name, bool *several)
{
    const char   *p = base_name(name), *dot = strrchr(p, '.');
    bs_image_part part = BS_PART_NONE;
    *several = false;
    if (bs_same_word(p, (size_t)(dot - p), "trainval")) {
        *several = true;
        return BS_PART_TRAIN;
    }
    while (p < dot) {
        size_t        len = strcspn(p, "_-. ");
        bs_image_part w = bs_part_word(p, len);
        if (w != BS_PART_NONE) {
            *several = *several || (part != BS_PART_NONE && part != w);
            part = part == BS_PART_NONE ? w : part;
        }
        p += len + 1;
    }
    return part;
}

static bool in_folder(const char *name, const char *word)
{
    for (const char *p = name, *slash; (slash = strchr(p, '/')); p = slash + 1)
        if (bs_same_word(p, (size_t)(slash - p), word))
            return true;
    return false;
}

static bool is_list(const char *name)
{
    const char *dot = strrchr(base_name(name), '.');
    return dot &&
           (bs_same_word(dot, strlen(dot), ".txt") || bs_same_word(dot, strlen(dot), ".lst") ||
            bs_same_word(dot, strlen(dot), ".list"));
}

/* Reads one list. If none of its lines is a name, it is not a list and nothing changes. */
static basin_status read_list(listing *l, const bs_text_file *t, bs_image_part part, bool *used)
{
    const char *p = t->text, *end = t->text + t->len, *line;
    size_t      len, known = 0, unknown = 0;
    int32_t     order = 0;
    const char *example = NULL;
    size_t      example_len = 0;
    while ((line = next_line(&p, end, &len))) {
        int32_t at = find_line(l, line, len);
        if (at >= 0) {
            known++;
            continue;
        }
        unknown++;
        if (!example) {
            example = line;
            example_len = len;
        }
    }
    if (!known)
        return BASIN_OK;
    *used = true;
    p = t->text;
    while ((line = next_line(&p, end, &len))) {
        int32_t at = find_line(l, line, len);
        if (at < 0)
            continue;
        bs_pair *pair = &l->c->pair[at];
        if (l->list[at] && pair->part != part)
            return bs_fail(l->err, BASIN_EDATA, "%s%s: '%s' is also in %s",
                           bs_catalogue_root(l->c, t->source), t->name, pair->name, l->list[at]);
        if (!l->list[at])
            pair->order = order++;
        l->list[at] = t->name;
        pair->part = part;
    }
    if (unknown)
        bs_notes_add(l->notes, "lists",
                     "%s names %zu photos that do not exist or have no mask, such as '%.*s'",
                     t->name, unknown, bs_show(example, example_len), example);
    return BASIN_OK;
}

/* Lists of single parts; without those, a list of two as the training part. In the layout of VOC
 * only the lists for segmentation count. */
static basin_status read_lists(listing *l, bool *used)
{
    bs_catalogue *c = l->c;
    basin_status  s = BASIN_OK;
    bool          voc = false, several;
    for (size_t i = 0; i < c->n_texts; i++)
        voc = voc || (in_folder(c->text[i].name, "imagesets") &&
                      in_folder(c->text[i].name, "segmentation"));
    for (int turn = 0; turn < 2 && !*used; turn++)
        for (size_t i = 0; i < c->n_texts && !s; i++) {
            const bs_text_file *t = &c->text[i];
            if (!is_list(t->name) || (voc && !in_folder(t->name, "segmentation")))
                continue;
            bs_image_part part = bs_part_of_list(t->name, &several);
            if (part != BS_PART_NONE && several == (turn == 1))
                s = read_list(l, t, part, used);
        }
    return s;
}

static basin_status settle_parts(listing *l)
{
    bs_catalogue *c = l->c;
    const char   *example = NULL;
    c->lists = true;
    for (size_t i = 0; i < c->n_pairs; i++) {
        if (l->list[i])
            continue;
        c->unlisted++;
        c->pair[i].part = BS_PART_NONE;
        example = example ? example : c->pair[i].name;
    }
    if (example)
        bs_notes_add(l->notes, "lists", "%d photos are in no list of a part, such as %.120s",
                     (int)c->unlisted, example);
    return BASIN_OK;
}

basin_status bs_catalogue_lists(bs_catalogue *c, bs_notes *notes, basin_error *err)
{
    listing      l = {.c = c, .notes = notes, .err = err};
    bool         any = false, used = false;
    basin_status s = BASIN_OK;
    for (size_t i = 0; i < c->n_texts; i++)
        any = any || is_list(c->text[i].name);
    if (!any || !c->n_pairs)
        return BASIN_OK;
    bs_arena_init(&l.arena, 0);
    bs_names_init(&l.names, &l.arena);
    l.list = bs_calloc(c->n_pairs, sizeof *l.list);
    if (!l.list)
        s = bs_fail_nomem(err);
    for (size_t i = 0; i < c->n_pairs && !s; i++)
        s = add_names(&l, (int32_t)i);
    if (!s)
        s = read_lists(&l, &used);
    if (!s && used)
        s = settle_parts(&l);
    bs_names_free(&l.names);
    bs_arena_free(&l.arena);
    bs_free(l.pair);
    bs_free(l.list);
    return s;
}

/* --- tables of pairs ------------------------------------------------------- */

enum { COLUMN_IMAGE, COLUMN_MASK, COLUMN_PART, COLUMNS, MOST_CELLS = 64, TAKEN = -2 };

static int column_of(const char *text, size_t len)
{
    static const char *const names[COLUMNS][9] = {
        {"image", "img", "photo", "image_path", "image_file", "filename", "file", "input", NULL},
        {"mask", "label", "annotation", "mask_path", "mask_file", "target", "segmentation", NULL},
        {"part", "split", "set", "subset", NULL},
    };
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; names[c][i]; i++)
            if (bs_same_word(text, len, names[c][i]))
                return c;
    return -1;
}

static bool is_picture_cell(const csv_cell *cell)
{
    char copy[256];
    if (cell->len == 0 || cell->len >= sizeof copy)
        return false;
    memcpy(copy, cell->text, cell->len);
    copy[cell->len] = '\0';
    return bs_is_picture_name(copy);
}

typedef struct {
    csv_cursor cursor;      /* at the first data row */
    int        at[COLUMNS]; /* -1: the column is missing */
} table_head;

/* A header with a column for photos, or a first row with two cells that are pictures. */
static bool read_head(const char *text, size_t len, table_head *h)
{
    text = bs_skip_mark(text, &len);
    bool       steady;
    int64_t    blank = 0;
    char       delimiter = bs_csv_delimiter(text, len, &steady);
    csv_cursor start = {text, text + len, delimiter ? delimiter : ',', 1};
    csv_cell   cell;
    int        pictures = 0, n = 0;
    csv_step   step;
    *h = (table_head){.at = {-1, -1, -1}};
    if (!bs_csv_record(&start, &blank))
        return false;
    csv_cursor c = start;
    do {
        step = bs_csv_next(&c, &cell);
        if (step != CSV_CELL && step != CSV_LAST)
            return false;
        int column = column_of(cell.text, bs_trim(cell.text, cell.len));
        if (column >= 0 && h->at[column] < 0)
            h->at[column] = n;
        pictures += is_picture_cell(&cell) && n == pictures;
        n++;
    } while (step == CSV_CELL && n < MOST_CELLS);
    if (pictures == 2) {
        *h = (table_head){start, {0, 1, -1}};
        return true;
    }
    h->cursor = c;
    if (h->at[COLUMN_IMAGE] < 0)
        return false;
    /* A table of labels may also have a column "file": check that it holds pictures. */
    if (!bs_csv_record(&c, &blank))
        return false;
    for (n = 0; n <= h->at[COLUMN_IMAGE]; n++) {
        step = bs_csv_next(&c, &cell);
        if (step != CSV_CELL && (step != CSV_LAST || n < h->at[COLUMN_IMAGE]))
            return false;
    }
    return is_picture_cell(&cell);
}

bool bs_is_table(const char *text, size_t len)
{
    table_head h;
    return len > 0 && read_head(text, len, &h);
}

static basin_status read_row(const char *name, csv_cursor *c, const table_head *h, bs_arena *arena,
                             bs_buf *scratch, bs_table_row *row, basin_error *err)
{
    csv_step step;
    csv_cell cell;
    *row = (bs_table_row){"", "", "", c->line};
    const char **to[COLUMNS] = {&row->image, &row->mask, &row->part};
    int          n = 0;
    do {
        size_t len;
        step = bs_csv_next(c, &cell);
        if (step != CSV_CELL && step != CSV_LAST)
            return bs_fail(err, BASIN_EDATA, "%s:%ld: a quote that is not closed or not at the end",
                           name, cell.line);
        for (int k = 0; k < COLUMNS; k++)
            if (h->at[k] == n) {
                const char *text = bs_csv_text(&cell, scratch, &len);
                const char *copy = text ? bs_arena_copy(arena, text, len) : NULL;
                if (!copy)
                    return bs_fail_nomem(err);
                *to[k] = copy;
            }
        n++;
    } while (step == CSV_CELL);
    if (!*row->image)
        return bs_fail(err, BASIN_EDATA, "%s:%ld: no photo is named", name, row->line);
    return BASIN_OK;
}

basin_status bs_table_read(const char *name, const char *text, size_t len, bs_arena *arena,
                           bs_table_row **rows, size_t *n, basin_error *err)
{
    table_head   h;
    size_t       cap = 0;
    int64_t      blank = 0;
    bs_buf       scratch;
    basin_status s = BASIN_OK;
    *rows = NULL;
    *n = 0;
    if (len == 0 || !read_head(text, len, &h))
        return bs_fail(err, BASIN_EDATA, "%s: not a table of pairs: it needs a column 'image'",
                       name);
    bs_buf_init(&scratch, 1 << 16);
    while (!s && bs_csv_record(&h.cursor, &blank)) {
        void *list = *rows;
        bool  room = bs_grow(&list, &cap, *n + 1, sizeof **rows, INT32_MAX);
        *rows = list;
        s = room ? read_row(name, &h.cursor, &h, arena, &scratch, &(*rows)[*n], err)
                 : bs_fail_nomem(err);
        *n += !s;
    }
    bs_buf_free(&scratch);
    if (s) {
        bs_free(*rows);
        *rows = NULL;
        *n = 0;
    }
    return s;
}

/* The file of the same source named in a table, relative to its folder or to the root. */
static int32_t find_file(const bs_catalogue *c, const bs_text_file *t, const char *name)
{
    size_t folder = (size_t)(base_name(t->name) - t->name);
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    int32_t low = 0, high = (int32_t)c->n_files;
    for (int turn = 0; turn < 2; turn++) {
        const char *prefix = turn == 0 ? t->name : "";
        size_t      len = turn == 0 ? folder : 0;
        low = 0;
        high = (int32_t)c->n_files;
        while (low < high) { /* sorted by source, then name */
            int32_t        mid = low + (high - low) / 2;
            const bs_file *f = &c->file[mid];
            int            d = f->source - t->source;
            if (d == 0 && len)
                d = strncmp(f->name, prefix, len);
            if (d == 0)
                d = strcmp(f->name + len, name);
            if (d == 0)
                return mid;
            if (d < 0)
                low = mid + 1;
            else
                high = mid;
        }
    }
    return -1;
}

static basin_status take_row(bs_catalogue *c, const bs_pair_options *o, const bs_text_file *t,
                             const bs_table_row *r, int32_t order, basin_error *err)
{
    int32_t       image = find_file(c, t, r->image), mask = -1;
    bs_image_part part = BS_PART_NONE;
    const bool    masked = *r->mask && !o->label_free;
    const char   *root = bs_catalogue_root(c, t->source);
    if (masked)
        mask = find_file(c, t, r->mask);
    if (image < 0 || (masked && mask < 0))
        return bs_fail(err, BASIN_EDATA, "%s%s:%ld: there is no picture '%.80s'", root, t->name,
                       r->line, image < 0 ? r->image : r->mask);
    if (*r->part && (part = bs_part_word(r->part, strlen(r->part))) == BS_PART_NONE)
        return bs_fail(err, BASIN_EDATA, "%s%s:%ld: part '%.40s'; train, valid and test are known",
                       root, t->name, r->line, r->part);
    if (c->file[image].partner == TAKEN)
        return bs_fail(err, BASIN_EDATA, "%s%s:%ld: '%.80s' is named twice", root, t->name, r->line,
                       r->image);
    c->file[image].role = BS_ROLE_IMAGE;
    c->file[image].partner = TAKEN;
    return bs_catalogue_push(
        c, (bs_pair){.image = image, .mask = mask, .part = part, .order = order}, err);
}

basin_status bs_catalogue_tables(bs_catalogue *c, const bs_pair_options *o, bool *found,
                                 bs_notes *notes, basin_error *err)
{
    basin_status s = BASIN_OK;
    *found = false;
    for (size_t i = 0; i < c->n_texts && !s; i++) {
        const bs_text_file *t = &c->text[i];
        const char         *dot = strrchr(base_name(t->name), '.');
        bs_table_row       *rows;
        size_t              n;
        if (!dot ||
            (!bs_same_word(dot, strlen(dot), ".csv") && !bs_same_word(dot, strlen(dot), ".tsv")))
            continue;
        if (!bs_is_table(t->text, t->len))
            continue;
        char label[512];
        bs_print(label, sizeof label, "%s%s", bs_catalogue_root(c, t->source), t->name);
        s = bs_table_read(label, t->text, t->len, &c->arena, &rows, &n, err);
        for (size_t k = 0; k < n && !s; k++)
            s = take_row(c, o, t, &rows[k], (int32_t)k, err);
        bs_free(rows);
        *found = true;
        bs_notes_add(notes, "table", "the pairs are those that %s names", t->name);
    }
    return s;
}

/* --- classes --------------------------------------------------------------- */

typedef enum { CLASS_NO, CLASS_YES, CLASS_TWICE, CLASS_NOMEM } class_result;

/* Up to four numbers and a name, in either order: "name", "3 name", "3: name",
 * "R G B name", "name R G B", "name,R,G,B". *index is the number, -1 for none. */
static class_result read_class(bs_catalogue *c, const char *line, size_t len, int at, int *index)
{
    int64_t     number[4];
    int         n = 0;
    const char *p = line, *end = line + len, *name = line;
    size_t      name_len = 0;
    while (p < end) {
        while (p < end && (bs_is_blank(*p) || strchr(",;:", *p)))
            p++;
        const char *from = p;
        while (p < end && !bs_is_blank(*p) && !strchr(",;:", *p))
            p++;
        if (p > from && n < 4 && bs_scan_index(from, &number[n]) == p) {
            n++;
        } else if (p > from) {
            name = name_len ? name : from;
            name_len = (size_t)(p - name);
        }
    }
    bs_class *k = &c->class[at];
    *index = (n == 1 && name_len) || n == 4 ? (int)(number[0] > 255 ? 256 : number[0]) : -1;
    for (int i = 0; n >= 3 && i < 3; i++) {
        if (number[n - 3 + i] > 255)
            return CLASS_NO;
        k->rgb[i] = (uint8_t)number[n - 3 + i];
        k->coloured = true;
    }
    if (n == 2 || (n == 1 && !name_len)) { /* numbers are part of the name */
        name = line;
        name_len = len;
    }
    if (name_len == 0 || name_len > 200)
        return CLASS_NO;
    k->name = bs_arena_copy(&c->arena, name, name_len);
    return k->name ? CLASS_YES : CLASS_NOMEM;
}

static class_result read_classes(bs_catalogue *c, const char *text, size_t len)
{
    const char  *p = text, *end = text + len, *line;
    size_t       n;
    int          at = 0, index = -1;
    class_result r = CLASS_YES;
    while (r == CLASS_YES && (line = next_line(&p, end, &n))) {
        if (line[0] == '#' || (at == 0 && (bs_same_word(line, n, "name,r,g,b") ||
                                           bs_same_word(line, n, "name r g b"))))
            continue;
        memset(&c->class[at], 0, sizeof c->class[at]);
        r = read_class(c, line, n, at, &index);
        for (int k = 0; k < at && r == CLASS_YES; k++)
            if (strcmp(c->class[k].name, c->class[at].name) == 0)
                r = CLASS_TWICE;
        if (r == CLASS_TWICE)
            c->n_classes = at; /* the duplicate */
        if (r == CLASS_YES && ((index >= 0 && index != at) || ++at == 256))
            r = CLASS_NO;
    }
    if (r != CLASS_TWICE)
        c->n_classes = r == CLASS_YES && at >= 2 ? at : 0;
    return r == CLASS_YES && at < 2 ? CLASS_NO : r;
}

static basin_status fail_twice(const bs_catalogue *c, const char *file, basin_error *err)
{
    return bs_fail(err, BASIN_EDATA, "%s: two classes are named '%.60s'", file,
                   c->class[c->n_classes].name);
}

static bool is_class_list(const char *name)
{
    static const char *const names[] = {
        "classes.txt",
        "class_names.txt",
        "classnames.txt",
        "label_names.txt",
        "label_colors.txt",
        "labelmap.txt",
        "labels.txt",
        "names.txt",
        "class_dict.csv",
        "classes.csv",
        "classes.names",
        "codes.txt",
        NULL,
    };
    const char *base = base_name(name);
    for (int i = 0; names[i]; i++)
        if (bs_same_word(base, strlen(base), names[i]))
            return true;
    return false;
}

bool bs_is_list_name(const char *name)
{
    bool several;
    return is_class_list(name) ||
           (is_list(name) && bs_part_of_list(name, &several) != BS_PART_NONE);
}

basin_status bs_catalogue_class_file(bs_catalogue *c, const bs_pair_options *o, basin_error *err)
{
    class_result r = read_classes(c, o->class_file, strlen(o->class_file));
    c->classes_from = o->class_file_name;
    if (r == CLASS_TWICE)
        return fail_twice(c, o->class_file_name, err);
    if (r == CLASS_NO)
        return bs_fail(err, BASIN_EDATA,
                       "%s: not a list of 2 to 255 classes, one name per line, with or without "
                       "number or R G B",
                       o->class_file_name);
    return r == CLASS_NOMEM ? bs_fail_nomem(err) : BASIN_OK;
}

basin_status bs_catalogue_classes(bs_catalogue *c, const bs_pair_options *o, bs_notes *notes,
                                  basin_error *err)
{
    if (o->classes_known)
        return BASIN_OK;
    if (o->class_file)
        return bs_catalogue_class_file(c, o, err);
    for (size_t i = 0; i < c->n_texts && !c->classes_from; i++) {
        const bs_text_file *t = &c->text[i];
        class_result r = is_class_list(t->name) ? read_classes(c, t->text, t->len) : CLASS_NO;
        if (r == CLASS_NOMEM)
            return bs_fail_nomem(err);
        if (r == CLASS_TWICE)
            return fail_twice(c, t->name, err);
        if (r == CLASS_YES) {
            c->classes_from = t->name;
            bs_notes_add(notes, "classes", "names of %d classes from %s", c->n_classes, t->name);
        }
    }
    return BASIN_OK;
}
