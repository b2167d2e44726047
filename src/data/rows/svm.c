/* svm.c -- parses number:value lists, and tells rows that have them from other text. */
#include "data/rows/svm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "data/scan.h"

static basin_status fail_token(bs_reading *r, const bs_line *line, const char *p, const char *what)
{
    size_t n = strcspn(p, " \t");
    return bs_error_at(r, line->number, (size_t)(p - line->text) + 1, "'%.*s' %s", bs_show(p, n), p,
                       what);
}

static basin_status fail_number(bs_reading *r, const bs_svm *s, const bs_line *line, const char *p)
{
    size_t n = strcspn(p, ": \t");
    return bs_error_at(r, line->number, (size_t)(p - line->text) + 1,
                       s->header ? "feature %.*s, but the header says features are 0..%lld"
                                 : "feature %.*s is too large; data.max_features allows %lld",
                       (int)(n < 20 ? n : 20), p, (long long)s->limit - 1);
}

basin_status bs_svm_features(bs_reading *r, bs_svm *s, const bs_line *line, const char *p)
{
    for (;;) {
        int64_t i;
        double  v;
        p = bs_skip_blanks(p);
        if (!*p)
            return BASIN_OK;
        const char *colon = bs_scan_index(p, &i);
        if (!colon || *colon != ':') {
            if (strncmp(p, "qid:", 4) == 0) {
                s->queries = true;
                p += strcspn(p, " \t");
                continue;
            }
            return fail_token(r, line, p, "is not feature:value, as in 12:0.5");
        }
        const char *end = bs_scan_double(colon + 1, &v);
        if (!end || (*end && !bs_is_blank(*end)))
            return fail_token(r, line, p, "has no finite number after the colon");
        if (i >= s->limit)
            return fail_number(r, s, line, p);
        if (fabs(v) > (double)FLT_MAX)
            return fail_token(r, line, p, "has a value too large (above 3.4e38)");
        if (!bs_push_number(r->b, (int32_t)i, v))
            return bs_fail_nomem(r->err);
        s->lowest = i < s->lowest ? i : s->lowest;
        s->highest = i > s->highest ? i : s->highest;
        p = end;
    }
}

const char *bs_svm_labels_end(const char *p)
{
    for (;;) {
        p = bs_skip_blanks(p);
        size_t n = strcspn(p, " \t");
        if (!n || memchr(p, ':', n))
            return p;
        p += n;
    }
}

basin_status bs_svm_clean(bs_reading *r, bs_line *line)
{
    size_t n = strlen(line->text);
    if (n != line->len)
        return bs_error_at(r, line->number, n + 1, "a NUL byte in a text file");
    char *hash = strchr(line->text, '#');
    if (hash) {
        *hash = '\0';
        line->len = (size_t)(hash - line->text);
    }
    return BASIN_OK;
}

/* Includes pairs that will be refused, such as 2:nan and -1:4: they are meant as pairs. */
static bool is_pair(const char *p, const char *end)
{
    p += p < end && *p == '-';
    const char *start = p;
    while (p < end && (unsigned char)(*p - '0') < 10)
        p++;
    if (p == start || p == end || *p != ':')
        return end - start > 4 && memcmp(start, "qid:", 4) == 0;
    return ++p < end && strchr("0123456789+-.nNiI", *p) != NULL;
}

bool bs_svm_looks_like(const char *p, const char *end, bool *features)
{
    bool pairs = false;
    for (;;) {
        while (p < end && (bs_is_blank(*p) || *p == '\r'))
            p++;
        if (p == end || *p == '#')
            return true;
        const char *start = p;
        while (p < end && !bs_is_blank(*p) && *p != '\r')
            p++;
        if (is_pair(start, p))
            *features = pairs = true;
        else if (pairs || memchr(start, ':', (size_t)(p - start)) ||
                 memchr(start, '"', (size_t)(p - start)))
            return false;
    }
}
