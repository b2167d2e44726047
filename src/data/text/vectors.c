/* vectors.c -- reads word vectors, skipping what is not needed.
 *
 * Most rows of a large file are not wanted. Such a row costs the search for its end, a count of its
 * separators (which reveals damaged lines and words with blanks) and one lookup in the set of
 * wanted words: about 1 GB of text per second. */
#include "data/text/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/opt.h"
#include "data/scan.h"

enum {
    LONGEST_LINE = 4 << 20,
    MOST_DIM = 32768,
};
static const size_t most_values = (size_t)1 << 31; /* 8 GiB */

typedef struct {
    bs_input       *in;
    const bs_names *wanted;
    bs_vectors     *out;
    bs_notes       *notes;
    basin_error    *err;
    int64_t         promised; /* rows, according to the first line; -1: that is a row itself */
    int64_t         repeated, nameless;
    int64_t         longer;       /* words that end in a number after a blank */
    long            first_longer; /* line */
    size_t          cap;          /* of out->value */
} reading;

static basin_status fail_row(const reading *r, const bs_line *line, const char *what)
{
    return bs_fail(r->err, BASIN_EDATA, "%s:%ld: %s", bs_input_name(r->in), line->number, what);
}

/* --- fields -------------------------------------------------------------- */

/* 0x80 in every byte of w that equals the repeated byte `same`. */
static uint64_t equal_bytes(uint64_t w, uint64_t same)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t       x = w ^ same;
    return ~(((x & low) + low) | x | low);
}

static size_t count_blanks(const char *text, size_t len)
{
    const uint64_t ones = 0x0101010101010101u;
    size_t         n = 0, i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t w;
        memcpy(&w, text + i, 8);
        uint64_t found = equal_bytes(w, ones * ' ') | equal_bytes(w, ones * '\t');
        n += (size_t)((found >> 7) * ones >> 56);
    }
    for (; i < len; i++)
        n += bs_is_blank(text[i]);
    return n;
}

static size_t count_fields(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += !bs_is_blank(text[i]) && (i == 0 || bs_is_blank(text[i - 1]));
    return n;
}

/* Start of the last field of text[0..len); len > 0 and no blank at the end. */
static size_t last_field(const char *text, size_t len)
{
    while (len && !bs_is_blank(text[len - 1]))
        len--;
    return len;
}

static bool is_number(const char *text, const char *end)
{
    double v;
    return bs_scan_double(text, &v) == end;
}

/* How many fields at the end are numbers, excluding the first: it is the word. */
static size_t count_numbers(const char *text, size_t len)
{
    size_t n = 0;
    while (len) {
        size_t from = last_field(text, len);
        if (from == 0 || !is_number(text + from, text + len))
            break;
        n++;
        len = bs_trim(text, from);
    }
    return n;
}

/* "-0.38194" at p: one digit, a point and at most seven digits, read as one eight-byte integer;
 * returns its end, or NULL for any other shape. Reads nothing at or after end. The result is a
 * quotient of two exact doubles, so it equals that of bs_scan_double(). */
static const char *scan_short(const char *p, const char *end, double *out)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    const uint64_t      ones = 0x0101010101010101u;
    bool                negative = *p == '-';
    p += negative;
    if (end - p < 10 || (unsigned char)(*p - '0') > 9 || p[1] != '.')
        return NULL;
    uint64_t w;
    memcpy(&w, p + 2, sizeof w);
    w ^= ones * '0'; /* digits become 0 to 9, everything else is larger */
    uint64_t other = (((w & ones * 0x7f) + ones * 0x76) | w) & ones * 0x80;
    if (other == 0 || (other & 0x80))
        return NULL;
    unsigned n = (unsigned)__builtin_ctzll(other) / 8; /* digits */
    w <<= 64 - 8 * n;                                  /* leading zeros */
    w = w * 10 + (w >> 8);                             /* pairs, in every other byte */
    w = ((w & 0x000000ff000000ffu) * 0x000f424000000064u +
         (w >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
        32;
    double value = ((double)(*p - '0') * tens[n] + (double)w) / tens[n];
    *out = negative ? -value : value;
    return p + 2 + n;
#else
    (void)p;
    (void)end;
    (void)out;
    return NULL;
#endif
}

/* --- rows ---------------------------------------------------------------- */

static basin_status fail_short(const reading *r, const bs_line *line)
{
    size_t n = count_fields(line->text, line->len);
    if (memchr(line->text, 0, line->len))
        return fail_row(r, line,
                        "a NUL byte; the binary format of word2vec must be converted to "
                        "text first");
    return bs_fail(r->err, BASIN_EDATA, "%s:%ld: '%.*s' has %zu numbers, expected %d",
                   bs_input_name(r->in), line->number,
                   bs_show(line->text, strcspn(line->text, " \t")), line->text, n ? n - 1 : 0,
                   (int)r->out->dim);
}

/* Length of the word; the numbers follow. Nearly always there are as many separators as numbers. */
static basin_status find_word(reading *r, const bs_line *line, size_t len, size_t *word)
{
    const size_t D = (size_t)r->out->dim;
    size_t       n = count_blanks(line->text, len), k = 0;
    if (n == D) {
        *word = 0;
        while (!bs_is_blank(line->text[*word]))
            ++*word;
        return BASIN_OK;
    }
    for (; n > D && k < D && len; k++)
        len = bs_trim(line->text, last_field(line->text, len));
    if (k < D || (len == 0 && !bs_is_blank(line->text[0])))
        return fail_short(r, line);
    *word = len;
    const size_t last = last_field(line->text, len);
    if (last > 0 && last < len && is_number(line->text + last, line->text + len))
        r->first_longer = r->longer++ ? r->first_longer : line->number;
    return BASIN_OK;
}

static basin_status take_numbers(reading *r, const bs_line *line, size_t word, size_t len)
{
    const size_t D = (size_t)r->out->dim, at = (size_t)r->out->n * D;
    const char  *p = line->text + word, *end = line->text + len;
    if (at + D > most_values)
        return fail_row(r, line,
                        "more than 2147483648 numbers in all; keep only the words of "
                        "the data");
    if (!BS_GROW(r->out->value, r->cap, at + D, most_values))
        return bs_fail_nomem(r->err);
    for (size_t k = 0; k < D; k++) {
        double      v;
        const char *from = bs_skip_blanks(p);
        p = scan_short(from, end, &v);
        if (!p || !bs_is_blank(*p))
            p = bs_scan_double(from, &v);
        if (!p || !(bs_is_blank(*p) || p == end) || !(fabs(v) <= FLT_MAX))
            return bs_fail(r->err, BASIN_EDATA, "%s:%ld:%zu: '%.*s' is not a number",
                           bs_input_name(r->in), line->number, (size_t)(from - line->text) + 1,
                           bs_show(from, strcspn(from, " \t")), from);
        r->out->value[at + k] = (float)v;
    }
    return BASIN_OK;
}

static basin_status take_row(reading *r, const bs_line *line)
{
    size_t       word = 0, len = bs_trim(line->text, line->len);
    basin_status s = BASIN_OK;
    if (len == 0)
        return s;
    s = find_word(r, line, len, &word);
    if (s)
        return s;
    r->out->in_file++;
    if (word == 0) {
        r->nameless++;
        return s;
    }
    if (r->wanted && bs_names_find(r->wanted, line->text, word) < 0)
        return s;
    if (bs_names_find(&r->out->words, line->text, word) >= 0) {
        r->repeated++;
        return s;
    }
    if (memchr(line->text, 0, word))
        return fail_row(r, line, "a NUL byte in a text file");
    s = take_numbers(r, line, word, len);
    if (s)
        return s;
    bool fresh;
    if (bs_names_add(&r->out->words, line->text, word, &fresh) < 0)
        return bs_fail_nomem(r->err);
    r->out->n = r->out->words.n;
    return BASIN_OK;
}

/* --- files --------------------------------------------------------------- */

static bool take_count(const char **p, int64_t *out)
{
    const char *end = bs_scan_index(bs_skip_blanks(*p), out);
    if (!end)
        return false;
    *p = bs_skip_blanks(end);
    return true;
}

/* The first line: "count dim", or a row that tells how many numbers a row has. */
static basin_status begin(reading *r, const bs_line *line, bool *is_row)
{
    const char *p = line->text;
    size_t      len = bs_trim(line->text, line->len);
    int64_t     count = 0, dim = 0;
    *is_row = !(count_fields(p, len) == 2 && take_count(&p, &count) && take_count(&p, &dim) &&
                p >= line->text + len);
    if (*is_row)
        dim = (int64_t)count_numbers(line->text, len);
    else
        r->promised = count;
    if (*is_row && dim == 0)
        return fail_row(r, line, "expected a word and its numbers, or 'count dim'");
    if (dim < 1 || dim > MOST_DIM)
        return bs_fail(r->err, BASIN_EDATA, "%s:%ld: vectors of %lld numbers; 1 to %d are possible",
                       bs_input_name(r->in), line->number, (long long)dim, (int)MOST_DIM);
    r->out->dim = (int32_t)dim;
    return BASIN_OK;
}

/* A word may contain blanks and even numbers; if many do, rows are too long. */
static basin_status check_longer(const reading *r)
{
    if (r->longer * 100 <= r->out->in_file)
        return BASIN_OK;
    return bs_fail(r->err, BASIN_EDATA,
                   "%s:%ld: more than %d numbers, as in %lld of %lld rows; is the file damaged?",
                   bs_input_name(r->in), r->first_longer, (int)r->out->dim, (long long)r->longer,
                   (long long)r->out->in_file);
}

static void tell(const reading *r)
{
    const char *name = bs_input_name(r->in);
    if (r->longer)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%s:%ld: more than %d numbers: the first ones count as part of the word (%lld "
                     "such rows)",
                     name, r->first_longer, (int)r->out->dim, (long long)r->longer);
    if (r->repeated)
        bs_notes_add(r->notes, "vectors", "%s: %lld rows repeat a word; the first of each counts",
                     name, (long long)r->repeated);
    if (r->nameless)
        bs_notes_add(r->notes, "vectors", "%s: %lld rows have numbers but no word", name,
                     (long long)r->nameless);
    if (r->promised >= 0 && r->promised != r->out->in_file)
        bs_notes_add(r->notes, "vectors", "%s: the first line says %lld words, the file has %lld",
                     name, (long long)r->promised, (long long)r->out->in_file);
}

basin_status bs_vectors_read_input(bs_input *in, const bs_names *wanted, bs_vectors *out,
                                   bs_notes *notes, basin_error *err)
{
    reading      r = {.in = in, .wanted = wanted, .out = out, .notes = notes, .err = err};
    basin_status s = BASIN_OK;
    bs_line      line;
    bool         more = true;
    r.promised = -1;
    *out = (bs_vectors){0};
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->words, &out->arena);
    while (!s) {
        s = bs_input_line(in, LONGEST_LINE, &line, &more, err);
        if (s || !more)
            break;
        bool is_row = true;
        if (out->dim == 0 && bs_trim(line.text, line.len) > 0)
            s = begin(&r, &line, &is_row);
        if (!s && is_row)
            s = take_row(&r, &line);
    }
    if (!s && out->dim == 0)
        s = bs_fail(err, BASIN_EDATA, "%s: no word vectors in it", bs_input_name(in));
    if (!s)
        s = check_longer(&r);
    if (s)
        bs_vectors_free(out);
    else
        tell(&r);
    return s;
}

basin_status bs_vectors_read(const char *path, int max_mb, const bs_names *wanted, bs_vectors *out,
                             bs_notes *notes, basin_error *err)
{
    bs_input *in;
    *out = (bs_vectors){0};
    basin_status s = bs_input_open_most(path, max_mb, &in, err);
    if (s)
        return s;
    s = bs_vectors_read_input(in, wanted, out, notes, err);
    bs_input_close(in);
    return s;
}

void bs_vectors_free(bs_vectors *v)
{
    bs_names_free(&v->words);
    bs_free(v->value);
    bs_arena_free(&v->arena);
    *v = (bs_vectors){0};
}
