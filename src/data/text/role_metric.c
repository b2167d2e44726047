/* role_metric.c -- counting arguments. */
#include "data/text/role_metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/text/roles.h"
#include "data/text/scheme_part.h"

const bs_metric bs_role_metric_table[BS_ROLE_METRIC_COUNT] = {
#define ROLE_METRIC(key, direction, text) {#key, text, BS_##direction, true, 0, 1},
#include "data/text/role_metrics.def"
#undef ROLE_METRIC
};

/* Fields of a row. */
enum { ROWS, GOLD, FOUND, RIGHT, PLACED, REPEATED, ILL, KNOWN, EXACT, FIELDS };

/* An argument: pieces first, next[first], ... of the spans; -1 ends it. */
typedef struct {
    int32_t role, first, last;
} argument;

typedef struct {
    bs_span  *span;
    int32_t  *next;
    argument *list;
    int32_t  *latest; /* [roles] the last argument with a role; -1: none */
    int32_t   n;
    bool      repeats; /* a core role starts more than once */
} analysis;

struct bs_role_metrics {
    const bs_tagset *tags;
    bool             keep_rows;
    const char     **name; /* [roles] in alphabetical order */
    int32_t          roles;
    int32_t         *role; /* [types] */
    bool            *more; /* [types] C-X */
    int8_t          *core; /* [types] */
    int32_t          verb; /* a role, or -1 */
    int64_t          total[FIELDS];
    int64_t         *of_role;  /* [roles, 3] gold, found, right */
    double          *confused; /* [roles + 1, roles + 1] */
    double          *row;      /* [rows, FIELDS] */
    int32_t          rows;
    size_t           row_cap, room;
    analysis         gold, found;
};

/* ---- making ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *role_of(const char *type)
{
    const char *more = bs_role_continued(type);
    return more ? more : type;
}

static int32_t find_role(const bs_role_metrics *m, const char *name)
{
    const char **at = bsearch(&name, m->name, (size_t)m->roles, sizeof *m->name, by_name);
    return at ? (int32_t)(at - m->name) : -1;
}

static void name_roles(bs_role_metrics *m)
{
    const bs_names *types = &m->tags->types;
    int32_t         n = 0;
    for (int32_t i = 0; i < types->n; i++)
        m->name[i] = role_of(types->item[i].text);
    qsort(m->name, (size_t)types->n, sizeof *m->name, by_name);
    for (int32_t i = 0; i < types->n; i++)
        if (n == 0 || strcmp(m->name[n - 1], m->name[i]) != 0)
            m->name[n++] = m->name[i];
    m->roles = n;
    for (int32_t i = 0; i < types->n; i++) {
        const char *type = types->item[i].text;
        m->role[i] = find_role(m, role_of(type));
        m->more[i] = bs_role_continued(type) != NULL;
        m->core[i] = (int8_t)bs_role_core(type);
    }
    m->verb = find_role(m, BS_ROLE_VERB);
}

static bool make_analysis(analysis *a, size_t words, size_t roles)
{
    a->span = bs_calloc(words, sizeof *a->span);
    a->next = bs_calloc(words, sizeof *a->next);
    a->list = bs_calloc(words, sizeof *a->list);
    a->latest = bs_calloc(roles + 1, sizeof *a->latest);
    return a->span && a->next && a->list && a->latest;
}

static void free_analysis(analysis *a)
{
    bs_free(a->span);
    bs_free(a->next);
    bs_free(a->list);
    bs_free(a->latest);
    *a = (analysis){0};
}

void bs_role_metrics_free(bs_role_metrics *m)
{
    if (!m)
        return;
    void *all[] = {m->name, m->role, m->more, m->core, m->of_role, m->confused, m->row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bs_free(all[i]);
    free_analysis(&m->gold);
    free_analysis(&m->found);
    bs_free(m);
}

basin_status bs_role_metrics_new(const bs_tagset *tags, bool keep_rows, bs_role_metrics **out,
                                 basin_error *err)
{
    const size_t     n = (size_t)tags->types.n + 1;
    bs_role_metrics *m = bs_calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return bs_fail_nomem(err);
    m->tags = tags;
    m->keep_rows = keep_rows;
    m->name = bs_calloc(n, sizeof *m->name);
    m->role = bs_calloc(n, sizeof *m->role);
    m->more = bs_calloc(n, sizeof *m->more);
    m->core = bs_calloc(n, sizeof *m->core);
    m->of_role = bs_calloc(n, 3 * sizeof *m->of_role);
    m->confused = bs_calloc(n * n, sizeof *m->confused);
    if (!m->name || !m->role || !m->more || !m->core || !m->of_role || !m->confused) {
        bs_role_metrics_free(m);
        return bs_fail_nomem(err);
    }
    name_roles(m);
    *out = m;
    return BASIN_OK;
}

/* ---- counting ---- */

/* The arguments of a row: spans, and which of them belong together. */
static void analyse(const bs_role_metrics *m, const int32_t *tag, int32_t n, analysis *a)
{
    int64_t       repaired = 0;
    int           seen[BS_CORE_ROLES] = {0};
    const int32_t spans = bs_spans(m->tags, tag, n, a->span, &repaired);
    a->n = 0;
    a->repeats = false;
    for (int32_t i = 0; i < m->roles; i++)
        a->latest[i] = -1;
    for (int32_t i = 0; i < spans; i++) {
        const int32_t type = a->span[i].type, role = m->role[type];
        const int32_t before = m->more[type] ? a->latest[role] : -1;
        if (m->core[type] >= 0)
            a->repeats = a->repeats || seen[m->core[type]]++ > 0;
        a->next[i] = -1;
        if (before >= 0) {
            a->next[a->list[before].last] = i;
            a->list[before].last = i;
        } else {
            a->latest[role] = a->n;
            a->list[a->n++] = (argument){role, i, i};
        }
    }
}

static bool same_words(const analysis *a, int32_t i, const analysis *b, int32_t j)
{
    while (i >= 0 && j >= 0) {
        if (a->span[i].first != b->span[j].first || a->span[i].end != b->span[j].end)
            return false;
        i = a->next[i];
        j = b->next[j];
    }
    return i < 0 && j < 0;
}

/* Both lists are in the order of first words. */
static void compare(bs_role_metrics *m, int64_t *rec)
{
    const analysis *a = &m->gold, *b = &m->found;
    const int32_t   none = m->roles;
    const size_t    N = (size_t)m->roles + 1;
    for (int32_t i = 0; i < a->n; i++) {
        m->of_role[a->list[i].role * 3]++;
        rec[GOLD] += a->list[i].role != m->verb;
    }
    for (int32_t j = 0, i = 0; j < b->n; j++) {
        const int32_t role = b->list[j].role, at = b->span[b->list[j].first].first;
        while (i < a->n && a->span[a->list[i].first].first < at)
            i++;
        const bool placed = i < a->n && same_words(a, a->list[i].first, b, b->list[j].first);
        const bool right = placed && a->list[i].role == role;
        m->of_role[role * 3 + 1]++;
        m->of_role[role * 3 + 2] += right;
        if (role != m->verb) {
            rec[FOUND]++;
            rec[RIGHT] += right;
            rec[PLACED] += placed;
        }
        m->confused[(size_t)(placed ? a->list[i].role : none) * N + (size_t)role]++;
    }
    for (int32_t i = 0, j = 0; i < a->n; i++) {
        const int32_t at = a->span[a->list[i].first].first;
        while (j < b->n && b->span[b->list[j].first].first < at)
            j++;
        if (j == b->n || !same_words(a, a->list[i].first, b, b->list[j].first))
            m->confused[(size_t)a->list[i].role * N + (size_t)none]++;
    }
    rec[EXACT] = rec[GOLD] == rec[RIGHT] && rec[FOUND] == rec[RIGHT];
}

static bool make_room(bs_role_metrics *m, int32_t words)
{
    const size_t need = ((size_t)m->rows + 1) * FIELDS;
    bool         ok = !m->keep_rows || BS_GROW(m->row, m->row_cap, need, SIZE_MAX / 32);
    if (!ok || (size_t)words < m->room)
        return ok;
    m->room = (size_t)words * 2 + 64;
    free_analysis(&m->gold);
    free_analysis(&m->found);
    return make_analysis(&m->gold, m->room, (size_t)m->roles) &&
           make_analysis(&m->found, m->room, (size_t)m->roles);
}

basin_status bs_role_metrics_add(bs_role_metrics *m, const int32_t *gold, const int32_t *predicted,
                                 const int32_t *raw, const int32_t *start, int32_t rows,
                                 basin_error *err)
{
    basin_status s = bs_text_check(m->tags->n, gold, start, rows, err);
    if (!s)
        s = bs_text_check(m->tags->n, predicted, start, rows, err);
    for (int32_t r = 0; r < rows && !s; r++) {
        const int32_t at = start[r], n = start[r + 1] - at;
        int64_t       rec[FIELDS] = {[ROWS] = 1, [KNOWN] = raw != NULL};
        if (!make_room(m, n))
            return bs_fail_nomem(err);
        analyse(m, gold + at, n, &m->gold);
        analyse(m, predicted + at, n, &m->found);
        compare(m, rec);
        rec[REPEATED] = m->found.repeats;
        rec[ILL] = raw && bs_tagset_faults(m->tags, raw + at, n) > 0;
        for (int k = 0; k < FIELDS; k++) {
            m->total[k] += rec[k];
            if (m->keep_rows)
                m->row[(size_t)m->rows * FIELDS + (size_t)k] = (double)rec[k];
        }
        m->rows++;
    }
    return s;
}

/* ---- results ---- */

static double share(double part, double all)
{
    return all > 0 ? part / all : 0;
}

static void values(const double *rec, double *out)
{
    out[BS_ROLE_METRIC_argument_f1] = share(2 * rec[RIGHT], rec[GOLD] + rec[FOUND]);
    out[BS_ROLE_METRIC_argument_precision] = share(rec[RIGHT], rec[FOUND]);
    out[BS_ROLE_METRIC_argument_recall] = share(rec[RIGHT], rec[GOLD]);
    out[BS_ROLE_METRIC_ucr] = rec[REPEATED] / rec[ROWS];
    out[BS_ROLE_METRIC_ill_formed] = rec[ILL] / rec[KNOWN];
    out[BS_ROLE_METRIC_predicate_accuracy] = rec[EXACT] / rec[ROWS];
    out[BS_ROLE_METRIC_role_accuracy] = rec[RIGHT] / rec[PLACED];
    for (int i = 0; i < BS_ROLE_METRIC_COUNT && !(rec[ROWS] > 0); i++)
        out[i] = (double)NAN;
}

void bs_role_metrics_finish(const bs_role_metrics *m, double out[BS_ROLE_METRIC_COUNT])
{
    double from[FIELDS];
    for (int k = 0; k < FIELDS; k++)
        from[k] = (double)m->total[k];
    values(from, out);
}

basin_status bs_role_metrics_roles(const bs_role_metrics *m, bs_type_score **out, int32_t *n,
                                   basin_error *err)
{
    *n = 0;
    *out = bs_calloc((size_t)m->roles + 1, sizeof **out);
    if (!*out)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < m->roles; i++) {
        const int64_t *c = m->of_role + (size_t)i * 3;
        if (i != m->verb)
            (*out)[(*n)++] = bs_type_score_of(m->name[i], c[0], c[1], c[2]);
    }
    return BASIN_OK;
}

/* Without the row and the column of V. */
basin_status bs_role_metrics_confused(const bs_role_metrics *m, double **out, basin_error *err)
{
    const size_t N = (size_t)m->roles + 1;
    double      *to = *out = bs_calloc(N * N + 1, sizeof **out);
    if (!to)
        return bs_fail_nomem(err);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if ((int32_t)i != m->verb && (int32_t)j != m->verb)
                *to++ = m->confused[i * N + j];
    return BASIN_OK;
}

static void add(const void *self, const float *weight, double *to)
{
    const bs_role_metrics *m = self;
    bs_sampled_dense(m->row, m->rows, FIELDS, weight, to);
}

static void value(const void *self, const double *from, double *out)
{
    (void)self;
    values(from, out);
}

basin_status bs_role_metrics_sampled(const bs_role_metrics *m, bs_sampled *out, basin_error *err)
{
    if (!m->keep_rows)
        return bs_fail(err, BASIN_EARG, "resampling needs metrics made with keep_rows");
    *out = (bs_sampled){.self = m,
                        .rows = m->rows,
                        .width = FIELDS,
                        .values = BS_ROLE_METRIC_COUNT,
                        .add = add,
                        .value = value};
    return BASIN_OK;
}
