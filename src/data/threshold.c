/* threshold.c -- applying a threshold to a row, and writing and reading it. */
#include "data/threshold.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/opt.h"
#include "base/order.h"

/* Names of the kinds; to add a kind: a row here and an enumerator. */
static const char *const kind_names[BS_THRESHOLD_KINDS] = {
    [BS_THRESHOLD_FIXED] = "fixed",
    [BS_THRESHOLD_GLOBAL] = "global",
    [BS_THRESHOLD_LABEL] = "label",
    [BS_THRESHOLD_TOP_K] = "top_k",
    [BS_THRESHOLD_CARDINALITY] = "cardinality",
};

const char *bs_threshold_kind_name(bs_threshold_kind kind)
{
    return kind_names[kind];
}

bool bs_threshold_is_one(const bs_threshold *t)
{
    return t->kind != BS_THRESHOLD_LABEL && t->kind != BS_THRESHOLD_TOP_K;
}

const char *bs_threshold_text(const bs_threshold *t, char text[BS_THRESHOLD_TEXT])
{
    if (t->by != BS_DECIDE_THRESHOLD)
        bs_print(text, BS_THRESHOLD_TEXT, "%s", bs_decision_name(t->by));
    else if (bs_threshold_is_one(t))
        bs_print(text, BS_THRESHOLD_TEXT, "@%.2f", (double)t->global);
    else
        bs_print(text, BS_THRESHOLD_TEXT, "%s",
                 t->kind == BS_THRESHOLD_LABEL ? "per label" : "top-k");
    return text;
}

void bs_threshold_json(const bs_threshold *t, bs_buf *out)
{
    bs_json_members(out, "threshold %g threshold_kind %s",
                    bs_threshold_is_one(t) ? (double)t->global : (double)NAN, kind_names[t->kind]);
    if (t->by != BS_DECIDE_THRESHOLD)
        bs_json_text(out, "decide", bs_decision_name(t->by));
}

bs_threshold bs_threshold_fixed(float value)
{
    return (bs_threshold){.kind = BS_THRESHOLD_FIXED, .global = value};
}

bs_threshold bs_threshold_top_k(int32_t k)
{
    return (bs_threshold){.kind = BS_THRESHOLD_TOP_K, .global = 0.5f, .k = k};
}

void bs_threshold_free(bs_threshold *t)
{
    if (!t)
        return;
    bs_free(t->per_label);
    t->per_label = NULL;
    t->labels = 0;
}

/* ---- top k: a heap of labels with the worst of them on top ---- */

static bool worse(const float *scores, int32_t a, int32_t b)
{
    return scores[a] < scores[b] || (scores[a] == scores[b] && a > b);
}

/* Restores the heap below i. */
static void sift(const float *scores, int32_t *heap, int32_t n, int32_t i)
{
    for (int32_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && worse(scores, heap[child + 1], heap[child]);
        if (!worse(scores, heap[child], heap[i]))
            return;
        int32_t moved = heap[i];
        heap[i] = heap[child];
        heap[child] = moved;
    }
}

static int32_t top_k(const float *scores, int32_t L, int32_t k, int32_t *out)
{
    int32_t n = 0;
    for (int32_t l = 0; l < L && k > 0; l++) {
        if (isnan(scores[l]))
            continue;
        if (n < k) {
            out[n++] = l;
            if (n == k)
                for (int32_t i = n / 2; i-- > 0;)
                    sift(scores, out, n, i);
        } else if (worse(scores, out[0], l)) {
            out[0] = l;
            sift(scores, out, n, 0);
        }
    }
    qsort(out, (size_t)n, sizeof *out, bs_by_int32);
    return n;
}

int32_t bs_threshold_apply(const bs_threshold *t, const float *scores, int32_t L, int32_t *out)
{
    if (t->kind == BS_THRESHOLD_TOP_K)
        return top_k(scores, L, t->k, out);
    int32_t n = 0;
    for (int32_t l = 0; l < L; l++)
        if (scores[l] >= (l < t->labels ? t->per_label[l] : t->global))
            out[n++] = l;
    return n;
}

/* ---- as text ---- */

/* The fewest digits that read back as the same float, at most nine. */
static void write_float(float value, bs_buf *out)
{
    char   text[BS_NUMBER_TEXT];
    double back;
    bs_format_double((double)value, text);
    for (int digits = 1; digits <= 9 && value != floorf(value); digits++) {
        bs_print(text, sizeof text, "%.*g", digits, (double)value);
        if (bs_parse_double(text, &back) && (float)back == value)
            break;
    }
    bs_buf_text(out, text);
}

void bs_threshold_write(const bs_threshold *t, bs_buf *out)
{
    bs_buf_text(out, kind_names[t->kind]);
    if (t->kind == BS_THRESHOLD_TOP_K) {
        bs_buf_printf(out, " %d", t->k);
        return;
    }
    bs_buf_text(out, " ");
    write_float(t->global, out);
    if (t->kind != BS_THRESHOLD_LABEL)
        return;
    bs_buf_text(out, " :");
    for (int32_t l = 0; l < t->labels; l++) {
        bs_buf_text(out, " ");
        write_float(t->per_label[l], out);
    }
}

/* The next word of *text, cut to `size`; false at the end. */
static bool next_word(const char **text, char *word, size_t size)
{
    const char *p = *text;
    while (*p == ' ')
        p++;
    size_t n = 0;
    for (; *p && *p != ' '; p++)
        if (n + 1 < size)
            word[n++] = *p;
    word[n] = 0;
    *text = p;
    return n > 0;
}

/* A word that is not a finite number is not consumed. */
static bool next_float(const char **text, float *out)
{
    const char *word = *text + strspn(*text, " ");
    double      value;
    const char *end = bs_scan_double(word, &value);
    if (!end || (*end && *end != ' ') || !isfinite((float)value))
        return false;
    *out = (float)value;
    *text = end;
    return true;
}

static bool read_labels(const char *text, bs_threshold *t, bool *nomem)
{
    char   word[64];
    size_t cap = 0;
    if (!next_word(&text, word, sizeof word) || strcmp(word, ":") != 0)
        return false;
    for (float value; next_float(&text, &value);) {
        if (!BS_GROW(t->per_label, cap, (size_t)t->labels + 1, INT32_MAX)) {
            *nomem = true;
            return false;
        }
        t->per_label[t->labels++] = value;
    }
    return t->labels > 0 && !next_word(&text, word, sizeof word);
}

static bool read_rest(const char *text, bs_threshold *t, bool *nomem)
{
    char      word[64];
    long long k;
    if (t->kind == BS_THRESHOLD_TOP_K) {
        if (!next_word(&text, word, sizeof word) || !bs_parse_int(word, &k) || k < 1 ||
            k > INT32_MAX)
            return false;
        *t = bs_threshold_top_k((int32_t)k);
        return !next_word(&text, word, sizeof word);
    }
    if (!next_float(&text, &t->global))
        return false;
    if (t->kind == BS_THRESHOLD_LABEL)
        return read_labels(text, t, nomem);
    return !next_word(&text, word, sizeof word);
}

basin_status bs_threshold_read(const char *text, bs_threshold *out, basin_error *err)
{
    const char *rest = text;
    char        word[64];
    bool        nomem = false;
    *out = bs_threshold_fixed(0.5f);
    if (next_word(&rest, word, sizeof word)) {
        for (int kind = 0; kind < BS_THRESHOLD_KINDS; kind++) {
            bs_threshold t = {.kind = (bs_threshold_kind)kind};
            if (strcmp(word, kind_names[kind]) != 0)
                continue;
            if (read_rest(rest, &t, &nomem)) {
                *out = t;
                return BASIN_OK;
            }
            bs_threshold_free(&t);
            break;
        }
    }
    if (nomem)
        return bs_fail_nomem(err);
    return bs_fail(err, BASIN_EDATA,
                   "threshold '%.60s' is not 'fixed|global|cardinality VALUE', 'top_k K' or "
                   "'label VALUE : VALUE...'",
                   text);
}
