/* lists.c -- what text files beside the pictures say: the photos of a part, and the classes. */
#include <stdlib.h>
#include <string.h>

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

/* The next non-blank line without surrounding blanks, ended by NUL in place; NULL at the end. */
static char *next_line(char **p)
{
    while (**p) {
        char *from = *p, *stop = from + strcspn(from, "\n");
        *p = stop + (*stop == '\n');
        while (from < stop && (unsigned char)*from <= ' ')
            from++;
        while (stop > from && (unsigned char)stop[-1] <= ' ')
            stop--;
        if (stop == from)
            continue;
        *stop = '\0';
        return from;
    }
    return NULL;
}

/* --- photos by the end of their paths -------------------------------------- */

basin_status bs_photos_index(const bs_catalogue *c, bs_photos *p, basin_error *err)
{
    *p = (bs_photos){.c = c};
    bs_arena_init(&p->arena, 0);
    bs_names_init(&p->stems, &p->arena);
    p->last = bs_arena_alloc(&p->arena, (c->n_files + 1) * sizeof *p->last);
    p->next = bs_arena_alloc(&p->arena, (c->n_files + 1) * sizeof *p->next);
    for (size_t i = 0; i < c->n_files && p->last && p->next; i++) {
        const char *stem = c->file[i].stem;
        bool        fresh;
        int32_t     k = bs_names_add(&p->stems, stem, strlen(stem), &fresh);
        if (k < 0)
            return bs_fail_nomem(err);
        p->next[i] = fresh ? -1 : p->last[k];
        p->last[k] = (int32_t)i;
    }
    return p->last && p->next ? BASIN_OK : bs_fail_nomem(err);
}

void bs_photos_free(bs_photos *p)
{
    bs_names_free(&p->stems);
    bs_arena_free(&p->arena);
}

/* "b/c" is the end of "a/b/c.jpg", but not of "ab/c.jpg". */
static bool ends_in(const char *path, size_t n, const char *text, size_t len)
{
    return n >= len && memcmp(path + n - len, text, len) == 0 &&
           (n == len || path[n - len - 1] == '/');
}

/* The best file whose path without its extension ends in the first `n` bytes. */
static int32_t best_photo(const bs_photos *p, const char *text, size_t n, const char *extension,
                          bs_photo_fit *fit, const void *self)
{
    size_t  from = n;
    int32_t best = -1;
    int     most = 0;
    while (from > 0 && text[from - 1] != '/')
        from--;
    const int32_t k = bs_names_find(&p->stems, text + from, n - from);
    for (int32_t i = k < 0 ? -1 : p->last[k]; i >= 0; i = p->next[i]) {
        const bs_file *f = &p->c->file[i];
        const size_t   len = (size_t)(base_name(f->name) - f->name) + strlen(f->stem);
        int            good = ends_in(f->name, len, text, n) ? fit(self, i) : 0;
        good += good && strcmp(f->name + len, extension) == 0 ? BS_PHOTO_FITS : 0;
        if (good && good == most)
            best = -2;
        if (good > most)
            best = i;
        most = good > most ? good : most;
    }
    return best;
}

int32_t bs_photos_find(const bs_photos *p, const char *text, bs_photo_fit *fit, const void *self)
{
    while (text[0] == '/' || (text[0] == '.' && text[1] == '/'))
        text++;
    int32_t found = -1;
    for (int turn = 0; turn < 2 && found == -1;
         turn++) { /* the whole path, or else its last part */
        const char *at = turn ? base_name(text) : text, *dot = strrchr(base_name(text), '.');
        found = best_photo(p, at, strlen(at), "", fit, self);
        if (found == -1 && dot)
            found = best_photo(p, at, (size_t)(dot - at), dot, fit, self);
    }
    return found;
}

/* --- lists of parts -------------------------------------------------------- */

typedef struct {
    bs_catalogue *c;
    bs_notes     *notes;
    basin_error  *err;
    bs_photos     photos;
    int32_t      *pair; /* [files] of a photo; -1: none */
    const char  **list; /* [pairs] the list that names it */
} listing;

static int in_pair(const void *self, int32_t file)
{
    return ((const listing *)self)->pair[file] >= 0;
}

/* The whole line, or else its first word: in some lists a mask or a flag follows. */
static int32_t find_line(const listing *l, char *line)
{
    int32_t file = bs_photos_find(&l->photos, line, in_pair, l);
    size_t  word = strcspn(line, " \t,");
    if (file < 0 && line[word]) {
        const char after = line[word];
        line[word] = '\0';
        file = bs_photos_find(&l->photos, line, in_pair, l);
        line[word] = after;
    }
    return file < 0 ? -1 : l->pair[file];
}

/* The parts in the words of a list's name, train.txt or parts_val.txt: the first one, and whether
 * there is another, as in trainval.txt. */
bs_image_part bs_part_of_list(const char *name, bool *several)
{
    const char   *p = base_name(name), *dot = strrchr(p, '.');
    bs_image_part part = BS_PART_NONE;
    *several = bs_same_word(p, (size_t)(dot - p), "trainval");
    if (*several)
        return BS_PART_TRAIN;
    while (p < dot) {
        const size_t        len = strcspn(p, "_-. ");
        const bs_image_part w = bs_part_word(p, len);
        *several = *several || (part && w && part != w);
        part = part ? part : w;
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

static bool is_part_list(const char *name)
{
    const char *dot = strrchr(base_name(name), '.');
    bool        several;
    return dot &&
           (bs_same_word(dot, strlen(dot), ".txt") || bs_same_word(dot, strlen(dot), ".lst")) &&
           bs_part_of_list(name, &several);
}

/* A file none of whose lines is a photo is not a list, and changes nothing. */
static basin_status read_list(listing *l, const bs_text_file *t, bs_image_part part, bool *used)
{
    char       *p = t->text, *line;
    size_t      unknown = 0;
    int32_t     order = 0;
    const char *example = NULL;
    bool        known = false;
    while ((line = next_line(&p))) {
        const int32_t at = find_line(l, line);
        if (at < 0) {
            example = example ? example : line;
            unknown++;
            continue;
        }
        bs_pair *pair = &l->c->pair[at];
        if (l->list[at] && pair->part != part)
            return bs_fail(l->err, BASIN_EDATA, "%s%s: '%s' is also in %s",
                           bs_catalogue_root(l->c, t->source), t->name, pair->name, l->list[at]);
        if (!l->list[at])
            pair->order = order++;
        l->list[at] = t->name;
        pair->part = part;
        known = true;
    }
    if (known && unknown)
        bs_notes_add(l->notes, "lists",
                     "%s names %zu photos that do not exist or have no mask, such as '%.*s'",
                     t->name, unknown, bs_show(example, strlen(example)), example);
    *used = *used || known;
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
            if (!is_part_list(t->name) || (voc && !in_folder(t->name, "segmentation")))
                continue;
            const bs_image_part part = bs_part_of_list(t->name, &several);
            if (several == (turn == 1))
                s = read_list(l, t, part, used);
        }
    return s;
}

static void settle_parts(listing *l)
{
    bs_catalogue *c = l->c;
    const char   *example = NULL;
    int           unlisted = 0;
    c->lists = true;
    for (size_t i = 0; i < c->n_pairs; i++) {
        if (l->list[i])
            continue;
        c->pair[i].part = BS_PART_NONE;
        example = example ? example : c->pair[i].name;
        unlisted++;
    }
    if (example)
        bs_notes_add(l->notes, "lists", "%d photos are in no list of a part, such as %.120s",
                     unlisted, example);
}

basin_status bs_catalogue_lists(bs_catalogue *c, bs_notes *notes, basin_error *err)
{
    listing      l = {.c = c, .notes = notes, .err = err};
    bool         used = false;
    basin_status s = bs_photos_index(c, &l.photos, err);
    l.pair = bs_arena_alloc(&l.photos.arena, (c->n_files + 1) * sizeof *l.pair);
    l.list = bs_arena_alloc(&l.photos.arena, (c->n_pairs + 1) * sizeof *l.list);
    if (!s && (!l.pair || !l.list))
        s = bs_fail_nomem(err);
    if (!s) {
        memset(l.pair, -1, c->n_files * sizeof *l.pair);
        for (size_t i = 0; i < c->n_pairs; i++)
            l.pair[c->pair[i].image] = (int32_t)i;
        s = read_lists(&l, &used);
    }
    if (!s && used)
        settle_parts(&l);
    bs_photos_free(&l.photos);
    return s;
}

/* --- classes --------------------------------------------------------------- */

typedef enum { CLASS_NO, CLASS_YES, CLASS_TWICE, CLASS_NOMEM } class_result;

typedef struct {
    const char *text;
    size_t      len;
    int64_t     number; /* -1: a word */
} word;

/* Three numbers from 0 to 255. */
static bool is_colour(const word *w, bs_class *k)
{
    for (int i = 0; i < 3; i++) {
        if (w[i].number < 0 || w[i].number > 255)
            return false;
        k->rgb[i] = (uint8_t)w[i].number;
    }
    return k->coloured = true;
}

/* A name, before or behind R G B if it has a colour; in front may stand the class's own number.
 * Between them are blanks, commas, semicolons or colons. */
static class_result read_class(bs_catalogue *c, const char *line, int at)
{
    enum { MOST_WORDS = 32 };
    static const char between[] = " \t,;:";
    word              w[MOST_WORDS];
    int               n = 0, first = 0, last, lead = 0;
    bs_class         *k = &c->class[at];
    for (const char *p = line + strspn(line, between); *p && n < MOST_WORDS; n++) {
        w[n] = (word){p, strcspn(p, between), -1};
        if (bs_scan_index(p, &w[n].number) != p + w[n].len)
            w[n].number = -1;
        lead += lead == n && w[n].number >= 0;
        p += w[n].len;
        p += strspn(p, between);
    }
    *k = (bs_class){0};
    if (lead < n && (lead == 1 || lead == 4) && w[first++].number != at)
        return CLASS_NO;
    last = n - 1;
    if (n - first > 3 && is_colour(w + first, k))
        first += 3;
    else if (n - first > 3 && is_colour(w + last - 2, k))
        last -= 3;
    else if (n - first > 3 && (lead > 2 || (w[last].number >= 0 && w[last - 1].number >= 0)))
        return CLASS_NO; /* a colour that is none */
    const size_t len = n ? (size_t)(w[last].text + w[last].len - w[first].text) : 0;
    if (len == 0 || len > 200)
        return CLASS_NO;
    k->name = bs_arena_copy(&c->arena, w[first].text, len);
    return k->name ? CLASS_YES : CLASS_NOMEM;
}

/* On CLASS_TWICE the last class has the name of another. */
static class_result read_classes(bs_catalogue *c, char *text)
{
    char        *p = text, *line;
    int          at = 0;
    class_result r = CLASS_YES;
    while (r == CLASS_YES && (line = next_line(&p))) {
        if (line[0] == '#' || (at == 0 && bs_same_word(line, strlen(line), "name,r,g,b")))
            continue;
        r = at < 255 ? read_class(c, line, at) : CLASS_NO;
        for (int k = 0; k < at && r == CLASS_YES; k++)
            if (strcmp(c->class[k].name, c->class[at].name) == 0)
                r = CLASS_TWICE;
        at++;
    }
    if (r == CLASS_YES && at < 2)
        r = CLASS_NO;
    c->n_classes = r == CLASS_YES || r == CLASS_TWICE ? at : 0;
    return r;
}

static bool is_class_list(const char *name)
{
    static const char *const names[] = {"classes.txt", "label_colors.txt", "labelmap.txt",
                                        "class_dict.csv"};
    const char              *base = base_name(name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (bs_same_word(base, strlen(base), names[i]))
            return true;
    return false;
}

bool bs_is_list_name(const char *name)
{
    return is_class_list(name) || is_part_list(name);
}

basin_status bs_catalogue_classes(bs_catalogue *c, const bs_pair_options *o, bs_notes *notes,
                                  basin_error *err)
{
    class_result r = CLASS_NO;
    if (o->classes_known)
        return BASIN_OK;
    if (o->class_file) {
        c->classes_from = o->class_file_name;
        r = read_classes(c, o->class_file);
    }
    for (size_t i = 0; i < c->n_texts && !o->class_file && r == CLASS_NO; i++) {
        const bs_text_file *t = &c->text[i];
        if (!is_class_list(t->name))
            continue;
        r = read_classes(c, t->text);
        c->classes_from = r ? t->name : NULL;
        if (r == CLASS_YES)
            bs_notes_add(notes, "classes", "names of %d classes from %s", c->n_classes, t->name);
    }
    if (r == CLASS_NOMEM)
        return bs_fail_nomem(err);
    if (r == CLASS_TWICE)
        return bs_fail(err, BASIN_EDATA, "%s: two classes are named '%.60s'", c->classes_from,
                       c->class[c->n_classes - 1].name);
    if (r == CLASS_NO && o->class_file)
        return bs_fail(err, BASIN_EDATA,
                       "%s: not a list of 2 to 255 classes, one name per line, with or without "
                       "number or R G B",
                       o->class_file_name);
    return BASIN_OK;
}
