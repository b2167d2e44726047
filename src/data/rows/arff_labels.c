/* arff_labels.c -- which attributes are labels, and how the others become features.
 *
 * Sources, in this order: --labels; a MULAN label file; -C in the relation name (MEKA); a
 * hierarchical attribute; the labels of the training schema. A label file and -C that disagree are
 * an error that shows both readings: in one published file -C survived a filter that moved the
 * labels to the other end. */
#include <string.h>

#include "data/rows/arff.h"
#include "data/rows/cell.h"
#include "data/scan.h"

typedef struct {
    bs_reading  *r;
    arff_header *h;
    const char **names;             /* [n] of the attributes */
    uint8_t     *xml, *meka, *mark; /* [n] each */
    uint8_t     *spare;             /* [n] labels of the file that were not chosen */
    char         file[80];          /* the label file's name */
    long long    count;             /* n of -C n */
    bool         has_xml, has_meka;
    int32_t      hint; /* for bs_schema_attribute() */
} roles;

/* --- -C n ---------------------------------------------------------------- */

static basin_status find_meka(roles *x)
{
    const char   *name = x->h->relation ? x->h->relation : "";
    const int32_t n = x->h->n;
    for (const char *p = name; *p && !x->has_meka; p++) {
        if (p[0] != '-' || (p[1] != 'C' && p[1] != 'c') || !bs_is_blank(p[2]) ||
            (p > name && !bs_is_blank(p[-1]) && p[-1] != ':'))
            continue;
        const char *number = bs_skip_blanks(p + 2);
        const bool  negative = *number == '-';
        int64_t     value;
        x->has_meka = bs_scan_index(number + negative, &value) && value > 0;
        x->count = negative ? -value : value;
    }
    if (!x->has_meka)
        return BASIN_OK;
    const long long k = x->count < 0 ? -x->count : x->count;
    if (k >= n)
        return bs_error_at(x->r, 0, 0,
                           "the relation name says -C %lld, but there are only %d attributes",
                           x->count, n);
    memset(x->count < 0 ? x->meka + n - k : x->meka, 1, (size_t)k);
    return BASIN_OK;
}

/* --- saying which -------------------------------------------------------- */

/* "the last 45 attributes ('a' to 'b')" */
static void describe(const roles *x, const uint8_t *mark, char *out, size_t size)
{
    const int32_t n = x->h->n;
    int32_t       k = 0, first = -1, last = 0;
    for (int32_t i = 0; i < n; i++) {
        k += mark[i];
        first = first < 0 && mark[i] ? i : first;
        last = mark[i] ? i : last;
    }
    const bool  run = last - first + 1 == k;
    const char *where = run && first == 0 ? "the first " : run && last == n - 1 ? "the last " : "";
    if (k)
        bs_print(out, size, "%s%d attributes ('%.40s' to '%.40s')", where, k, x->names[first],
                 x->names[last]);
    else
        bs_print(out, size, "no attribute");
}

/* Suggests the runs of 0/1 attributes at either end. */
static basin_status ask_for_labels(const roles *x)
{
    const arff_header *h = x->h;
    int32_t            first = 0, last = 0;
    for (int32_t i = 0; i < h->n; i++) {
        const arff_attribute *a = &h->attribute[i];
        bool                  binary = a->type == ARFF_NOMINAL && a->values.n == 2 &&
                      bs_cell_truth(x->r->o, a->values.item[0].text, a->values.item[0].len) >= 0;
        first += binary && first == i;
        last = binary ? last + 1 : 0;
    }
    char text[120] = "";
    if (last == h->n)
        bs_print(text, sizeof text, "; all %d attributes are 0/1", h->n);
    else if (last && first)
        bs_print(text, sizeof text, "; 0/1 are the first %d (first:%d) and the last %d (last:%d)",
                 first, first, last, last);
    else if (last || first)
        bs_print(text, sizeof text, "; the %s %d are 0/1: --labels %s:%d?", last ? "last" : "first",
                 last + first, last ? "last" : "first", last + first);
    return bs_error_at(x->r, 0, 0,
                       "which attributes are labels? Neither a label file (--xml) nor -C n in the "
                       "relation name tells; --labels takes names, a pattern, a file, first:N or "
                       "last:N%s",
                       text);
}

/* --- choosing ------------------------------------------------------------ */

static void use(roles *x, const uint8_t *mark, const char *from)
{
    char text[160];
    if (mark != x->mark)
        memcpy(x->mark, mark, (size_t)x->h->n);
    describe(x, x->mark, text, sizeof text);
    bs_print(x->r->b->ds->source.labels_from, sizeof x->r->b->ds->source.labels_from, "%s", from);
    bs_notes_add(x->r->notes, "labels", "labels are %s, from %s", text, from);
}

/* Labels of the file that were not chosen. They express the same truth, so a model that used them
 * as features would be worthless. Does nothing if other attributes were chosen as well: then what
 * the file says is uncertain. */
static void spare_labels(roles *x, const uint8_t *known, const char *from)
{
    int32_t n = 0;
    for (int32_t i = 0; i < x->h->n; i++) {
        if (x->mark[i] && !known[i])
            return;
        n += known[i] && !x->mark[i];
    }
    for (int32_t i = 0; i < x->h->n; i++)
        x->spare[i] = x->spare[i] || (known[i] && !x->mark[i]);
    if (n)
        bs_notes_add(x->r->notes, BS_NOTE_SPARE,
                     "%d other labels, from %s, are left out: they are not features", n, from);
}

/* Files found beside the data need not be right when the user says what the labels are. */
static basin_status spare_others(roles *x)
{
    bs_reading  quiet = *x->r;
    basin_error unused;
    roles       other = *x;
    quiet.notes = NULL;
    quiet.err = x->r->o->xml[0] ? x->r->err : &unused;
    other.r = &quiet;
    basin_status s = bs_arff_xml(&quiet, x->h, x->xml, &x->has_xml, x->file, sizeof x->file);
    if (s == BASIN_ENOMEM)
        return bs_fail_nomem(x->r->err);
    if (s && x->r->o->xml[0])
        return s;
    if (!s && x->has_xml)
        spare_labels(x, x->xml, x->file);
    quiet.err = &unused;
    if (!find_meka(&other) && other.has_meka)
        spare_labels(x, x->meka, "the relation name");
    return BASIN_OK;
}

static basin_status use_option(roles *x)
{
    basin_status s = bs_select_labels(x->r, x->names, x->h->n, x->mark);
    if (s)
        return s;
    use(x, x->mark, "--labels");
    return spare_others(x);
}

/* The file's own labels. A model trained on some of them ignores the others: they were not features
 * either. */
static basin_status use_known(roles *x, const uint8_t *known, const char *from)
{
    int32_t      found = 0;
    basin_status s = bs_mark_trained(x->r, x->names, x->h->n, x->mark, &found);
    bool         fewer = found > 0 && found == x->r->o->like->n_labels;
    for (int32_t i = 0; !s && i < x->h->n; i++)
        fewer = fewer && (!x->mark[i] || known[i]);
    if (!s)
        use(x, fewer ? x->mark : known, from);
    if (!s && fewer)
        spare_labels(x, known, from);
    return s;
}

static basin_status choose(roles *x)
{
    const char *option = x->r->o->labels;
    /* A label file named by the user takes precedence. */
    bool want_xml = strcmp(option, "xml") == 0 || (!*option && x->r->o->xml[0]);
    bool want_meka = strcmp(option, "relation") == 0;
    if (*option && !want_xml && !want_meka)
        return use_option(x);
    basin_status s = bs_arff_xml(x->r, x->h, x->xml, &x->has_xml, x->file, sizeof x->file);
    if (!s && !want_xml)
        s = find_meka(x);
    if (s)
        return s;
    if ((want_xml && *option && !x->has_xml) || (want_meka && !x->has_meka))
        return bs_error_at(x->r, 0, 0, "--labels %s: %s", option,
                           want_xml ? "there is no label file; --xml names one"
                                    : "the relation name has no -C n");
    size_t n = (size_t)x->h->n;
    char   source[64];
    bs_print(source, sizeof source, "-C %lld in the relation name", x->count);
    if (x->has_xml && x->has_meka && !want_meka && memcmp(x->xml, x->meka, n) != 0) {
        char one[160], two[160];
        describe(x, x->meka, one, sizeof one);
        describe(x, x->xml, two, sizeof two);
        return bs_error_at(x->r, 0, 0,
                           "%s says the labels are %s, %s says %s; choose with --labels "
                           "relation, --labels xml or --xml FILE",
                           source, one, x->file, two);
    }
    if (x->has_xml && !want_meka)
        return use_known(x, x->xml, x->file);
    if (x->has_meka)
        return use_known(x, x->meka, source);
    if (x->h->hierarchy >= 0) {
        bs_print(x->r->b->ds->source.labels_from, sizeof x->r->b->ds->source.labels_from,
                 "hierarchical attribute '%.40s'", x->h->attribute[x->h->hierarchy].name);
        x->mark[x->h->hierarchy] = 1;
        return BASIN_OK;
    }
    int32_t found = 0;
    s = bs_mark_trained(x->r, x->names, x->h->n, x->mark, &found);
    if (!s && found)
        use(x, x->mark, "the training data");
    if (s || found)
        return s;
    if (!x->r->o->label_free)
        return x->r->o->like ? bs_fail_no_labels(x->r) : ask_for_labels(x);
    x->r->b->ds->labelled = false;
    return BASIN_OK;
}

/* --- coding -------------------------------------------------------------- */

/* Sets *one to the number of the value that reads as 1, -1 if there is only 0; false if the values
 * are not yes and no. */
static bool truth_values(const bs_read_options *o, const arff_attribute *a, int32_t *one)
{
    int32_t at[2] = {-1, -1}; /* of no and yes */
    *one = -1;
    for (int32_t i = 0; i < a->values.n; i++) {
        int t = bs_cell_truth(o, a->values.item[i].text, a->values.item[i].len);
        if (t < 0 || at[t] >= 0)
            return false;
        at[t] = i;
    }
    *one = at[1];
    return a->type == ARFF_NOMINAL;
}

static basin_status refuse_label(const roles *x, const arff_attribute *a)
{
    if (a->type != ARFF_NOMINAL)
        return bs_error_at(x->r, a->line, 0,
                           "label '%s' is a text; a label is 0/1, yes/no, "
                           "true/false or numeric 0 and 1",
                           a->name);
    return bs_error_at(x->r, a->line, 0,
                       "label '%s' has the values {%.40s,%.40s%s}; a label is 0/1, "
                       "yes/no or true/false (--true and --false add words)",
                       a->name, a->values.item[0].text,
                       a->values.n > 1 ? a->values.item[1].text : "",
                       a->values.n > 2 ? ",..." : "");
}

static basin_status set_label(roles *x, arff_attribute *a)
{
    a->role = ARFF_LABEL;
    a->coding = a->type == ARFF_NUMBER ? ARFF_AS_NUMBER : ARFF_AS_BINARY;
    if (a->type != ARFF_NUMBER && !truth_values(x->r->o, a, &a->one))
        return refuse_label(x, a);
    return bs_add_label(x->r, a->line, a->name, strlen(a->name), &a->column);
}

static basin_status set_feature(roles *x, arff_attribute *a)
{
    bs_source *source = &x->r->b->ds->source;
    source->attributes++;
    a->role = ARFF_FEATURE;
    if (a->type == ARFF_NUMBER) {
        source->numeric++;
        a->coding = ARFF_AS_NUMBER;
        return bs_add_feature(x->r, a->line, a->name, a->name, NULL, BS_FEATURE_NUMERIC,
                              &a->column);
    }
    if (a->type != ARFF_NOMINAL) {
        a->role = a->type == ARFF_STRING ? ARFF_ID : ARFF_SKIP;
        source->skipped++;
        bs_notes_add(x->r->notes, "left out", "attribute '%s' is a %s and was left out", a->name,
                     a->type == ARFF_STRING ? "text"
                     : a->type == ARFF_DATE ? "date"
                                            : "hierarchy");
        return BASIN_OK;
    }
    source->nominal++;
    if (strcmp(x->r->o->nominal, "position") == 0) {
        a->coding = ARFF_AS_POSITION;
        return bs_add_feature(x->r, a->line, a->name, a->name, NULL, BS_FEATURE_NUMERIC,
                              &a->column);
    }
    /* A file that declares fewer values must not turn a category into a 0/1 feature. */
    const bs_feature *was = bs_schema_attribute(x->r->o->like, a->name, &x->hint);
    if (!truth_values(x->r->o, a, &a->one) || (was && was->kind == BS_FEATURE_ONEHOT)) {
        a->coding = ARFF_AS_ONEHOT;
        return bs_add_category(x->r, a->line, a->name, &a->values, &a->column);
    }
    source->binary++;
    a->coding = ARFF_AS_BINARY;
    return bs_add_feature(x->r, a->line, a->name, a->name,
                          a->one >= 0 ? a->values.item[a->one].text : NULL, BS_FEATURE_BINARY,
                          &a->column);
}

static basin_status set_classes(roles *x, arff_attribute *a)
{
    const arff_classes *c = &x->h->classes;
    basin_status        s = BASIN_OK;
    a->role = ARFF_CLASSES;
    for (int32_t i = 0, label; !s && i < c->names.n; i++)
        s = bs_add_label(x->r, a->line, c->names.item[i].text, c->names.item[i].len, &label);
    bs_notes_add(x->r->notes, "hierarchy",
                 "'%s' is a hierarchy of %d classes (%s): a class implies its ancestors", a->name,
                 c->names.n, c->dag ? "a graph of parent/child edges" : "paths with /");
    return s;
}

/* Features with the same name are numbered, but predictions refer to labels by name. */
static basin_status check_twins(const roles *x)
{
    const arff_attribute *a = x->h->attribute;
    for (int32_t i = 0; i < x->h->n; i++)
        for (int32_t k = 0; k < i && x->mark[i] && a[i].renamed; k++)
            if (x->mark[k] && strcmp(a[i].raw, a[k].raw) == 0)
                return bs_error_at(x->r, a[i].line, 0, "a second label is named '%.60s'", a[i].raw);
    return BASIN_OK;
}

basin_status bs_arff_roles(bs_reading *r, arff_header *h)
{
    size_t n = (size_t)h->n;
    roles  x = {.r = r, .h = h};
    x.xml = bs_calloc(4, n);
    x.names = bs_alloc(n * sizeof *x.names);
    if (!x.xml || !x.names) {
        bs_free(x.xml);
        bs_free(x.names);
        return bs_fail_nomem(r->err);
    }
    for (int32_t i = 0; i < h->n; i++)
        x.names[i] = h->attribute[i].name;
    x.meka = x.xml + n;
    x.mark = x.xml + 2 * n;
    x.spare = x.xml + 3 * n;
    basin_status s = choose(&x);
    if (!s)
        s = bs_select_dropped(r, x.names, h->n, x.spare);
    if (!s && h->n_renamed && !r->o->like)
        s = check_twins(&x);
    for (int32_t i = 0; !s && i < h->n; i++) {
        arff_attribute *a = &h->attribute[i];
        if (x.spare[i])
            a->role = ARFF_SKIP;
        else if (x.mark[i] && a->type == ARFF_HIERARCHY)
            s = set_classes(&x, a);
        else
            s = x.mark[i] ? set_label(&x, a) : set_feature(&x, a);
    }
    bs_free(x.xml);
    bs_free(x.names);
    return s;
}
