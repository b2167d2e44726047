/* coco_read.c -- the JSON file behind coco.h.
 *
 * A file may hold a million annotations. Its lists are read member by member: a member's tree is
 * freed before the next one is looked at, so the file and the numbers of outlines are all that is
 * in memory. What else the file says (licences, information) is stepped over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/tree.h"
#include "data/image/coco.h"

enum {
    MOST_VALUES = 1 << 21, /* in one annotation */
    MOST_CORNERS = 100000, /* per polygon: each costs time in all rows */
    MOST_SIDE = 65500,
    MOST_CATEGORIES = 4096,
    FARTHEST = 10000000, /* coordinates, beyond which floats cannot tell half pixels */
};

typedef struct {
    bs_coco     *c;
    const char  *text, *p, *end;
    basin_error *err;
    bool         seen[3];
} reading;

/* --- text ------------------------------------------------------------------ */

static basin_status broken(const reading *r, const char *what)
{
    long line = 1, column = 1;
    for (const char *q = r->text; q < r->p; q++) {
        column = *q == '\n' ? 1 : column + 1;
        line += *q == '\n';
    }
    return bs_fail(r->err, BASIN_EDATA, "%s:%ld:%ld: broken JSON: %s", r->c->label, line, column,
                   what);
}

static void skip_blanks(reading *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
}

static bool take(reading *r, char c)
{
    skip_blanks(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

/* From after the opening quote to after the closing one. */
static bool skip_string(reading *r)
{
    for (; r->p < r->end && *r->p != '"'; r->p++)
        r->p += *r->p == '\\' && r->p + 1 < r->end;
    return r->p < r->end && *r->p++ == '"';
}

/* A value of any kind, which is ignored. */
static basin_status skip_value(reading *r)
{
    size_t depth = 0;
    skip_blanks(r);
    const char *from = r->p;
    while (r->p < r->end) {
        const char c = *r->p;
        if (depth == 0 && r->p > from && strchr(",]}", c))
            return BASIN_OK;
        r->p++;
        if (c == '"' && !skip_string(r))
            break;
        depth += c == '[' || c == '{';
        if (c != ']' && c != '}')
            continue;
        if (depth == 0)
            break;
        if (--depth == 0)
            return BASIN_OK;
    }
    return broken(r, "a value is not finished");
}

/* --- members --------------------------------------------------------------- */

/* "annotation 12" if it has an identifier. */
typedef struct {
    const char *kind;
    size_t      number; /* from 1 */
    json_t     *value;
} member;

static basin_status refuse(const reading *r, const member *m, const char *what)
{
    const json_t *id = json_object_get(m->value, "id");
    if (json_is_integer(id))
        return bs_fail(r->err, BASIN_EDATA, "%s: %s %lld: %s", r->c->label, m->kind,
                       (long long)json_integer_value(id), what);
    return bs_fail(r->err, BASIN_EDATA, "%s: %s number %zu of the list: %s", r->c->label, m->kind,
                   m->number, what);
}

/* A whole number, which some programs write as 3.0. */
static bool whole(const json_t *o, const char *key, int64_t *out)
{
    const json_t *v = json_object_get(o, key);
    const double  x = json_number_value(v);
    if (json_is_integer(v))
        *out = json_integer_value(v);
    else if (json_is_real(v) && x == floor(x) && fabs(x) < 1e15)
        *out = (int64_t)x;
    else
        return false;
    return true;
}

static basin_status take_category(reading *r, const member *m)
{
    bs_coco      *c = r->c;
    const json_t *name = json_object_get(m->value, "name");
    int64_t       id;
    if (!whole(m->value, "id", &id))
        return refuse(r, m, "'id' is not a whole number");
    if (!json_is_string(name) || json_string_length(name) == 0 || json_string_length(name) > 200)
        return refuse(r, m, "'name' is not a text of 1 to 200 bytes");
    if (c->n_categories == MOST_CATEGORIES)
        return refuse(r, m, "there are more than 4096 of them");
    for (size_t i = 0; i < c->n_categories; i++)
        if (c->category[i].id == id)
            return refuse(r, m, "another category has the same 'id'");
    const char *copy = bs_arena_copy(&c->arena, json_string_value(name), json_string_length(name));
    if (!copy || !BS_GROW(c->category, c->cap_categories, c->n_categories + 1, INT32_MAX))
        return bs_fail_nomem(r->err);
    c->category[c->n_categories++] = (bs_coco_category){.id = id, .name = copy};
    return BASIN_OK;
}

/* A side of a photo, or 0 if not given; false if invalid. */
static bool read_side(const json_t *o, const char *key, int32_t *out)
{
    int64_t       v = 0;
    const json_t *value = json_object_get(o, key);
    *out = 0;
    if (!value || json_is_null(value))
        return true;
    if (!whole(o, key, &v) || v < 1 || v > MOST_SIDE)
        return false;
    *out = (int32_t)v;
    return true;
}

static basin_status take_image(reading *r, const member *m)
{
    bs_coco      *c = r->c;
    const json_t *name = json_object_get(m->value, "file_name");
    bs_coco_image image = {0};
    if (!whole(m->value, "id", &image.id))
        return refuse(r, m, "'id' is not a whole number");
    if (!json_is_string(name) || json_string_length(name) == 0 || json_string_length(name) > 2000)
        return refuse(r, m, "'file_name' is not a text of 1 to 2000 bytes");
    if (!read_side(m->value, "width", &image.width) ||
        !read_side(m->value, "height", &image.height))
        return refuse(r, m, "'width' and 'height' are whole numbers from 1 to 65500");
    char *copy = bs_arena_copy(&c->arena, json_string_value(name), json_string_length(name));
    if (!copy || !BS_GROW(c->image, c->cap_images, c->n_images + 1, INT32_MAX))
        return bs_fail_nomem(r->err);
    for (char *q = copy; (q = strchr(q, '\\'));) /* written on Windows */
        *q = '/';
    image.file = copy;
    c->image[c->n_images++] = image;
    return BASIN_OK;
}

/* --- outlines -------------------------------------------------------------- */

static uint32_t *add_words(reading *r, size_t n)
{
    bs_coco *c = r->c;
    if (!BS_GROW(c->word, c->cap_words, c->n_words + n, (size_t)1 << 32))
        return NULL;
    c->n_words += n;
    return c->word + c->n_words - n;
}

/* x, y, x, y, ...; fewer than three corners contain no pixel and are skipped. */
static basin_status take_polygon(reading *r, const member *m, const json_t *list)
{
    const size_t n = json_array_size(list);
    if (n % 2)
        return refuse(r, m, "a polygon has an odd number of coordinates; they are x, y, x, y, ...");
    if (n / 2 > MOST_CORNERS)
        return refuse(r, m, "a polygon has more than 100000 corners");
    if (n < 6)
        return BASIN_OK;
    uint32_t *word = add_words(r, 1 + n);
    if (!word)
        return bs_fail_nomem(r->err);
    *word++ = (uint32_t)(n / 2);
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        const float   x = (float)json_number_value(v);
        if (!json_is_number(v) || !(fabsf(x) <= FARTHEST))
            return refuse(r, m, "a polygon has a coordinate that is not a number within 10000000");
        memcpy(word + i, &x, sizeof x);
    }
    return BASIN_OK;
}

static basin_status take_polygons(reading *r, const member *m, const json_t *list)
{
    basin_status s = BASIN_OK;
    if (json_is_number(json_array_get(list, 0))) /* a single one, without the list around it */
        return take_polygon(r, m, list);
    for (size_t i = 0; i < json_array_size(list) && !s; i++) {
        const json_t *polygon = json_array_get(list, i);
        s = json_is_array(polygon) ? take_polygon(r, m, polygon)
                                   : refuse(r, m,
                                            "'segmentation' holds something else than lists "
                                            "of x, y, x, y, ...");
    }
    return s;
}

/* The sum of the runs must not exceed the number of pixels. */
static bool push_run(reading *r, int64_t run, int64_t *left, basin_status *s)
{
    if (run < 0 || run > *left)
        return false;
    *left -= run;
    uint32_t *word = add_words(r, 1);
    if (word)
        *word = (uint32_t)run;
    else
        *s = bs_fail_nomem(r->err);
    return word != NULL;
}

/* Numbers in characters from '0' on, five bits each, lowest first: 32 means that more follow, 16 in
 * the last one that the number is negative. From the fourth on they are differences from the run
 * before the last. */
static bool unpack_runs(reading *r, const char *p, const char *end, int64_t *left, basin_status *s)
{
    int64_t before[2] = {0, 0};
    for (size_t k = 0; p < end; k++) {
        int64_t v = 0;
        int     shift = 0, c;
        do {
            c = p < end ? *p++ - '0' : -1;
            if (c < 0 || c > 63 || shift > 35)
                return false;
            v |= (int64_t)(c & 31) << shift;
            shift += 5;
        } while (c & 32);
        if (c & 16)
            v -= (int64_t)1 << shift;
        v += k > 2 ? before[k % 2] : 0;
        if (!push_run(r, v, left, s))
            return false;
        before[k % 2] = v;
    }
    return true;
}

static bool list_runs(reading *r, const json_t *counts, int64_t *left, basin_status *s)
{
    for (size_t i = 0; i < json_array_size(counts); i++) {
        const json_t *v = json_array_get(counts, i);
        if (!json_is_integer(v) || !push_run(r, json_integer_value(v), left, s))
            return false;
    }
    return true;
}

static basin_status take_runs(reading *r, const member *m, const json_t *rle, bs_coco_object *o)
{
    const json_t *size = json_object_get(rle, "size"), *counts = json_object_get(rle, "counts");
    basin_status  s = BASIN_OK;
    bool          ok = false;
    json_int_t    side[2];
    for (size_t i = 0; i < 2; i++) {
        side[i] = json_integer_value(json_array_get(size, i));
        if (json_array_size(size) != 2 || side[i] < 1 || side[i] > MOST_SIDE)
            return refuse(r, m, "the 'size' of its runs is not [height, width], 1 to 65500 each");
    }
    o->runs = true;
    o->height = (int32_t)side[0];
    o->width = (int32_t)side[1];
    int64_t left = (int64_t)side[0] * side[1];
    if (json_is_array(counts))
        ok = list_runs(r, counts, &left, &s);
    else if (json_is_string(counts))
        ok = unpack_runs(r, json_string_value(counts),
                         json_string_value(counts) + json_string_length(counts), &left, &s);
    else
        return refuse(r, m, "the 'counts' of its runs are neither a list of numbers nor a text");
    if (s)
        return s;
    if (!ok)
        return refuse(r, m,
                      "the 'counts' of its runs are damaged, or come to more than its 'size'");
    return left ? refuse(r, m, "the 'counts' of its runs come to less than its 'size'") : BASIN_OK;
}

static bool empty(const json_t *outline)
{
    return !outline || json_is_null(outline) ||
           (json_is_array(outline) && json_array_size(outline) == 0);
}

static bool find_category(const bs_coco *c, int64_t id, int32_t *out)
{
    for (size_t i = 0; i < c->n_categories; i++)
        if (c->category[i].id == id) {
            *out = (int32_t)i;
            return true;
        }
    return false;
}

static basin_status take_object(reading *r, const member *m)
{
    bs_coco       *c = r->c;
    const json_t  *outline = json_object_get(m->value, "segmentation");
    bs_coco_object o = {.at = c->n_words};
    int64_t        category, crowd = 0;
    if (!whole(m->value, "id", &o.id))
        o.id = (int64_t)m->number;
    if (!whole(m->value, "image_id", &o.image_id))
        return refuse(r, m, "'image_id' is not a whole number");
    if (empty(outline)) {
        c->boxes++;
        return BASIN_OK;
    }
    if (!whole(m->value, "category_id", &category))
        return refuse(r, m, "'category_id' is not a whole number");
    if (category < INT32_MIN || category > INT32_MAX)
        return refuse(r, m, "'category_id' is not a category of the file");
    o.category = (int32_t)category; /* becomes an index once all categories are known */
    const json_t *flag = json_object_get(m->value, "iscrowd");
    if (flag && !json_is_boolean(flag) && (!whole(m->value, "iscrowd", &crowd) || crowd / 2))
        return refuse(r, m, "'iscrowd' is neither 0 nor 1");
    o.crowd = crowd == 1 || json_is_true(flag);
    basin_status s = json_is_array(outline)    ? take_polygons(r, m, outline)
                     : json_is_object(outline) ? take_runs(r, m, outline, &o)
                                               : refuse(r, m,
                                                        "'segmentation' is neither a list of "
                                                        "polygons nor an object of runs");
    o.n = c->n_words - o.at;
    if (!s && !BS_GROW(c->object, c->cap_objects, c->n_objects + 1, INT32_MAX))
        s = bs_fail_nomem(r->err);
    if (!s)
        c->object[c->n_objects++] = o;
    return s;
}

/* --- lists ----------------------------------------------------------------- */

static const struct {
    const char *key, *one;
    basin_status (*take)(reading *r, const member *m);
} lists[] = {
    {"images", "image", take_image},
    {"categories", "category", take_category},
    {"annotations", "annotation", take_object},
};
enum { N_LISTS = (int)(sizeof lists / sizeof lists[0]) };

static basin_status read_member(reading *r, member *m)
{
    json_error_t why;
    skip_blanks(r);
    const size_t left = (size_t)(r->end - r->p);
    if (bs_tree_larger(r->p, left, MOST_VALUES))
        return bs_fail(r->err, BASIN_EDATA, "%s: %s number %zu of the list: more than %d values",
                       r->c->label, m->kind, m->number, (int)MOST_VALUES);
    m->value = bs_tree_read(r->p, left, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &why);
    if (!m->value && json_error_code(&why) == json_error_out_of_memory)
        return bs_fail_nomem(r->err);
    if (!m->value)
        return broken(r, why.text);
    r->p += why.position;
    return json_is_object(m->value) ? BASIN_OK : refuse(r, m, "is no object");
}

static basin_status read_list(reading *r, int k)
{
    member       m = {.kind = lists[k].one};
    basin_status s = BASIN_OK;
    if (!take(r, '['))
        return bs_fail(r->err, BASIN_EDATA, "%s: '%s' is not a list", r->c->label, lists[k].key);
    if (take(r, ']'))
        return BASIN_OK;
    do {
        m.number++;
        s = read_member(r, &m);
        if (!s)
            s = lists[k].take(r, &m);
        json_decref(m.value);
        m.value = NULL;
    } while (!s && take(r, ','));
    if (!s && !take(r, ']'))
        s = broken(r, "a list is not finished");
    return s;
}

/* The name of the next member of the outermost object, kept in the text. */
static basin_status read_key(reading *r, const char **key, size_t *len)
{
    if (!take(r, '"'))
        return broken(r, "the name of a member is missing");
    *key = r->p;
    if (!skip_string(r))
        return broken(r, "a text is not finished");
    *len = (size_t)(r->p - *key) - 1;
    return take(r, ':') ? BASIN_OK : broken(r, "a colon is missing");
}

static int list_of(const char *key, size_t len)
{
    for (int k = 0; k < N_LISTS; k++)
        if (strlen(lists[k].key) == len && memcmp(lists[k].key, key, len) == 0)
            return k;
    return -1;
}

static basin_status read_all(reading *r)
{
    const char  *key;
    size_t       len;
    basin_status s = take(r, '{') ? BASIN_OK : broken(r, "no object");
    if (!s && take(r, '}'))
        return BASIN_OK;
    while (!s) {
        if ((s = read_key(r, &key, &len)))
            return s;
        const int k = list_of(key, len);
        if (k >= 0 && r->seen[k])
            return bs_fail(r->err, BASIN_EDATA, "%s: '%s' occurs twice", r->c->label, lists[k].key);
        if (k >= 0)
            r->seen[k] = true;
        s = k < 0 ? skip_value(r) : read_list(r, k);
        if (!s && !take(r, ','))
            break;
    }
    if (!s && !take(r, '}'))
        s = broken(r, "the end is missing");
    skip_blanks(r);
    return s || r->p == r->end ? s : broken(r, "something follows the end");
}

/* --- together -------------------------------------------------------------- */

typedef struct {
    int64_t id;
    size_t  at;
} mark;

static int by_id(const void *a, const void *b)
{
    const mark *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

static basin_status find_owner(reading *r, const mark *list, bs_coco_object *o)
{
    const mark  want = {o->image_id, 0};
    const mark *found =
        r->c->n_images ? bsearch(&want, list, r->c->n_images, sizeof *list, by_id) : NULL;
    if (!found)
        return bs_fail(r->err, BASIN_EDATA, "%s: annotation %lld: there is no image %lld",
                       r->c->label, (long long)o->id, (long long)o->image_id);
    if (!find_category(r->c, o->category, &o->category))
        return bs_fail(r->err, BASIN_EDATA, "%s: annotation %lld: there is no category %ld",
                       r->c->label, (long long)o->id, (long)o->category);
    o->image_id = (int64_t)found->at;
    r->c->image[found->at].n++;
    return BASIN_OK;
}

/* By image, then in file order, which is that of their words. */
static int by_image(const void *a, const void *b)
{
    const bs_coco_object *p = a, *q = b;
    if (p->image_id != q->image_id)
        return p->image_id < q->image_id ? -1 : 1;
    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    return (p->n > q->n) - (p->n < q->n); /* one without words before its successor */
}

static basin_status connect(reading *r)
{
    bs_coco     *c = r->c;
    mark        *list = bs_alloc((c->n_images + 1) * sizeof *list);
    basin_status s = list ? BASIN_OK : bs_fail_nomem(r->err);
    for (size_t i = 0; i < c->n_images && !s; i++)
        list[i] = (mark){c->image[i].id, i};
    if (!s && c->n_images)
        qsort(list, c->n_images, sizeof *list, by_id);
    for (size_t i = 1; i < c->n_images && !s; i++)
        if (list[i].id == list[i - 1].id)
            s = bs_fail(r->err, BASIN_EDATA, "%s: image %lld: another image has the same 'id'",
                        c->label, (long long)list[i].id);
    for (size_t k = 0; k < c->n_objects && !s; k++)
        s = find_owner(r, list, &c->object[k]);
    bs_free(list);
    if (!s && c->n_objects)
        qsort(c->object, c->n_objects, sizeof *c->object, by_image);
    for (size_t i = 0, at = 0; i < c->n_images && !s; at += c->image[i++].n)
        c->image[i].first = at;
    return s;
}

basin_status bs_coco_read(const char *label, const char *text, size_t n, bs_coco *out,
                          basin_error *err)
{
    reading r = {.c = out, .text = text, .p = text, .end = text + n, .err = err};
    memset(out, 0, sizeof *out);
    bs_arena_init(&out->arena, (size_t)1 << 30);
    if (!(out->label = bs_arena_copy(&out->arena, label, strlen(label))))
        return bs_fail_nomem(err);
    basin_status s = read_all(&r);
    return s ? s : connect(&r);
}

void bs_coco_free(bs_coco *c)
{
    bs_free(c->category);
    bs_free(c->image);
    bs_free(c->object);
    bs_free(c->word);
    bs_arena_free(&c->arena);
    memset(c, 0, sizeof *c);
}

/* By the members of the outermost object that can be seen: a JSON line with features or a text has
 * others. */
bool bs_coco_sniff(const char *text, size_t n)
{
    static const char *const others[] = {"info", "licenses", "license", "type", "version"};
    bs_coco                  c = {.label = ""};
    reading                  r = {.c = &c, .text = text, .p = text, .end = text + n};
    const char              *key;
    size_t                   len;
    bool                     ours = take(&r, '{'), more = ours;
    while (more && !read_key(&r, &key, &len)) {
        const int k = list_of(key, len);
        bool      other = false;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            other |= strlen(others[i]) == len && memcmp(others[i], key, len) == 0;
        const reading here = r;
        if (k >= 0)
            r.seen[k] = take(&r, '[') && (take(&r, '{') || take(&r, ']') || r.p == r.end);
        ours = ours && (other || (k >= 0 && r.seen[k]));
        r.p = here.p;
        more = !skip_value(&r) && take(&r, ',');
    }
    return (ours && (r.seen[0] || r.seen[1] || r.seen[2])) || (r.seen[0] && r.seen[2]);
}
