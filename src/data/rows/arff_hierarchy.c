/* arff_hierarchy.c -- the class attribute of CLUS and the HMC data sets.
 *
 *     @attribute class hierarchical 01,01/01,01/01/03,...     a tree: paths
 *     @attribute class hierarchical root/a,a/b,c/b,...        a DAG: edges parent/child
 *
 * They are edges if every entry has one slash and either the parent "root" or a child that is a
 * parent elsewhere. A class implies all its ancestors; the root is a class only if data.root says
 * so. */
#include <stdlib.h>
#include <string.h>

#include "data/rows/arff.h"
#include "data/scan.h"

enum { MOST_CLASSES = 1000000, DEEPEST = 100, MOST_IMPLIED = 64 << 20 };

typedef struct {
    int32_t child, parent;
} edge;

typedef struct {
    bs_reading   *r;
    arff_classes *c;
    long          line;
    edge         *edge;
    size_t        n_edges, cap;
} hierarchy;

static basin_status add_edge(hierarchy *h, int32_t child, int32_t parent)
{
    if (!BS_GROW(h->edge, h->cap, h->n_edges + 1, 64u << 20))
        return bs_fail_nomem(h->r->err);
    h->edge[h->n_edges++] = (edge){child, parent};
    return BASIN_OK;
}

static basin_status add_class(hierarchy *h, const char *text, size_t len, int32_t *out, bool *fresh)
{
    if (h->c->names.n >= MOST_CLASSES)
        return bs_error_at(h->r, h->line, 0, "more than %d classes", (int)MOST_CLASSES);
    *out = bs_names_add(&h->c->names, text, len, fresh);
    return *out < 0 ? bs_fail_nomem(h->r->err) : BASIN_OK;
}

/* Next entry of the list at *p. */
static size_t next_entry(const char **p, const char **text)
{
    *text = bs_skip_blanks(*p);
    size_t n = strcspn(*text, ",");
    *p = *text + n + ((*text)[n] == ',');
    return bs_trim(*text, n);
}

static bool is_root(const char *text, size_t len)
{
    return bs_same_word(text, len, "root");
}

/* --- tree or edges ------------------------------------------------------- */

static basin_status looks_like_edges(hierarchy *h, const char *list, bool *out)
{
    bs_names parents;
    bool     fresh, root = false, chained = false;
    bs_names_init(&parents, &h->r->b->ds->arena);
    basin_status s = BASIN_OK;
    *out = true;
    for (const char *p = list, *text; *out && !s && *p;) {
        size_t      n = next_entry(&p, &text);
        const char *slash = memchr(text, '/', n);
        *out = slash && !memchr(slash + 1, '/', n - (size_t)(slash + 1 - text));
        if (!*out)
            break;
        root = root || is_root(text, (size_t)(slash - text));
        if (bs_names_add(&parents, text, (size_t)(slash - text), &fresh) < 0)
            s = bs_fail_nomem(h->r->err);
    }
    for (const char *p = list, *text; *out && !s && !root && !chained && *p;) {
        size_t      n = next_entry(&p, &text);
        const char *child = (const char *)memchr(text, '/', n) + 1;
        chained = bs_names_find(&parents, child, n - (size_t)(child - text)) >= 0;
    }
    *out = *out && (root || chained);
    bs_names_free(&parents);
    return s;
}

static basin_status read_edges(hierarchy *h, const char *p)
{
    const char *text;
    while (*p) {
        size_t       n = next_entry(&p, &text), left = strcspn(text, "/");
        int32_t      child, parent;
        bool         fresh;
        basin_status s = BASIN_OK;
        if (left == 0 || left + 1 >= n)
            return bs_error_at(h->r, h->line, 0, "'%.*s' is not an edge parent/child",
                               bs_show(text, n), text);
        if (!is_root(text, left)) {
            s = add_class(h, text, left, &parent, &fresh);
            if (!s)
                s = add_class(h, text + left + 1, n - left - 1, &child, &fresh);
            if (!s)
                s = add_edge(h, child, parent);
        } else {
            s = add_class(h, text + left + 1, n - left - 1, &child, &fresh);
        }
        if (s)
            return s;
    }
    return BASIN_OK;
}

static basin_status read_paths(hierarchy *h, const char *p)
{
    const char *text;
    int32_t     declared = 0;
    while (*p) {
        size_t n = next_entry(&p, &text);
        bool   fresh;
        if (!n || text[0] == '/' || text[n - 1] == '/')
            return bs_error_at(h->r, h->line, 0, "'%.*s' is not a path of classes such as 01/02",
                               bs_show(text, n), text);
        if (is_root(text, n))
            continue;
        /* The path itself, then its parents up to the first known one, which implies the rest. */
        int32_t      child, parent;
        basin_status s = add_class(h, text, n, &child, &fresh);
        int          depth = 0;
        declared++;
        for (size_t i = n - 1; !s && i > 0; i--) {
            if (text[i] != '/')
                continue;
            if (++depth == DEEPEST)
                return bs_error_at(h->r, h->line, 0, "'%.*s...' is deeper than %d levels",
                                   bs_show(text, n), text, (int)DEEPEST);
            s = add_class(h, text, i, &parent, &fresh);
            if (!s)
                s = add_edge(h, child, parent);
            child = parent;
            if (!fresh)
                break;
        }
        if (s)
            return s;
    }
    if (h->c->names.n > declared)
        bs_notes_add(h->r->notes, "hierarchy", "%d classes are only named as ancestors of others",
                     h->c->names.n - declared);
    return BASIN_OK;
}

/* --- ancestors ----------------------------------------------------------- */

static int by_child(const void *a, const void *b)
{
    const edge *p = a, *q = b;
    return (p->child > q->child) - (p->child < q->child);
}

static basin_status add_ancestor(hierarchy *h, int32_t class, size_t *n, size_t *cap)
{
    if (*n >= MOST_IMPLIED)
        return bs_error_at(h->r, h->line, 0, "classes have too many ancestors");
    if (!BS_GROW(h->c->up, *cap, *n + 1, MOST_IMPLIED))
        return bs_fail_nomem(h->r->err);
    h->c->up[(*n)++] = class;
    return BASIN_OK;
}

/* Everything reachable upwards from each class: what was found is also what is left to look at.
 * first[c]: where the edges of a class start; stamp[c]: the last class it was found for, from 1. */
static basin_status close_upwards(hierarchy *h, const size_t *first, int32_t *stamp)
{
    arff_classes *c = h->c;
    size_t        n = 0, cap = 0;
    basin_status  s = BASIN_OK;
    for (int32_t k = 0; !s && k < c->names.n; k++) {
        c->start[k] = (int32_t)n;
        stamp[k] = k + 1;
        s = add_ancestor(h, k, &n, &cap);
        for (size_t at = n - 1; !s && at < n; at++) {
            const int32_t x = c->up[at];
            for (size_t e = first[x]; !s && e < first[x + 1]; e++) {
                const int32_t parent = h->edge[e].parent;
                if (parent == k && parent != x)
                    return bs_error_at(h->r, h->line, 0, "class '%s' is its own ancestor",
                                       c->names.item[k].text);
                if (stamp[parent] == k + 1)
                    continue;
                stamp[parent] = k + 1;
                s = add_ancestor(h, parent, &n, &cap);
            }
        }
    }
    c->start[c->names.n] = (int32_t)n;
    return s;
}

static basin_status find_ancestors(hierarchy *h)
{
    const size_t n = (size_t)h->c->names.n;
    size_t      *first = bs_calloc(n + 1, sizeof *first);
    int32_t     *stamp = bs_calloc(n, sizeof *stamp);
    basin_status s = BASIN_OK;
    h->c->start = bs_alloc((n + 1) * sizeof *h->c->start);
    if (!first || !stamp || !h->c->start)
        s = bs_fail_nomem(h->r->err);
    if (!s && h->n_edges)
        qsort(h->edge, h->n_edges, sizeof *h->edge, by_child);
    for (size_t e = 0; !s && e < h->n_edges; e++)
        first[h->edge[e].child + 1] = e + 1;
    for (size_t c = 1; !s && c <= n; c++)
        first[c] = first[c] ? first[c] : first[c - 1];
    if (!s)
        s = close_upwards(h, first, stamp);
    bs_free(first);
    bs_free(stamp);
    return s;
}

/* The root as a class above all classes without parents: published runs count it as a label. */
static basin_status add_root(hierarchy *h)
{
    int32_t  n = h->c->names.n, root;
    bool     fresh;
    uint8_t *has_parent = bs_calloc((size_t)n + 1, 1);
    if (!has_parent)
        return bs_fail_nomem(h->r->err);
    for (size_t e = 0; e < h->n_edges; e++)
        has_parent[h->edge[e].child] = 1;
    basin_status s = add_class(h, "root", 4, &root, &fresh);
    for (int32_t c = 0; c < n && !s; c++)
        if (!has_parent[c])
            s = add_edge(h, c, root);
    bs_free(has_parent);
    return s;
}

basin_status bs_arff_hierarchy(bs_reading *r, arff_header *header, const char *text, long line)
{
    hierarchy h = {.r = r, .c = &header->classes, .line = line};
    if (!*text)
        return bs_error_at(r, line, 0, "the hierarchical attribute lists no classes");
    basin_status s = looks_like_edges(&h, text, &h.c->dag);
    if (!s)
        s = h.c->dag ? read_edges(&h, text) : read_paths(&h, text);
    if (!s && h.c->names.n == 0)
        s = bs_error_at(r, line, 0, "the hierarchical attribute lists no classes");
    if (!s && r->o->root)
        s = add_root(&h);
    if (!s)
        s = find_ancestors(&h);
    bs_free(h.edge);
    return s;
}
