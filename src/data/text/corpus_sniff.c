/* corpus_sniff.c -- does a file start like sentences in columns?
 *
 * Unlike tables they have a blank line every few lines and the same number of cells in all others.
 * CSV, ARFF, LIBSVM and JSON lines have neither; in a table with tabs and a stray blank line the
 * groups are too long. */
#include <string.h>

#include "data/rows/read.h"
#include "data/text/corpus_part.h"

enum { WINDOW = 64 << 10, USUAL_GROUP = 200 };

typedef struct {
    int  columns;    /* in the first line */
    long lines, odd; /* with this number of columns; with others */
    long groups;
    long gaps;         /* blank lines between other lines */
    long numbers;      /* lines whose first and last cells are numbers */
    long spans;        /* last cells like O or B-PER */
    long delimited[3]; /* lines with , ; | */
    bool mark;
} look;

bool bs_corpus_named(const char *path)
{
    static const char *const known[] = {".conll", ".conllu", ".iob", ".iob2", ".bio", ".bioes"};
    static const char *const packed[] = {"", ".gz", ".xz", ".bz2", ".zst"};
    size_t                   len = strlen(path);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t k = 0; k < sizeof packed / sizeof *packed; k++) {
            size_t n = strlen(known[i]), m = strlen(packed[k]);
            if (len > n + m && memcmp(path + len - n - m, known[i], n) == 0 &&
                strcmp(path + len - m, packed[k]) == 0)
                return true;
        }
    return false;
}

static bool is_number(const bs_cell *cell)
{
    bool digit = false;
    for (size_t i = 0; i < cell->len; i++) {
        char c = cell->at[i];
        digit = digit || (c >= '0' && c <= '9');
        if (!strchr("0123456789+-.eE", c))
            return false;
    }
    return digit;
}

static bool is_span_tag(const bs_cell *cell)
{
    return (cell->len == 1 && *cell->at == 'O') ||
           (cell->len > 2 && cell->at[1] == '-' && strchr("BIESLU", *cell->at));
}

static void look_at(look *k, const char *p, const bs_row *row)
{
    static const char delimiter[] = ",;|";
    if (row->kind == BS_LINE_DOCUMENT) {
        k->mark = true;
        return;
    }
    if (k->lines == 0)
        k->columns = row->n;
    if (row->n != k->columns || row->n > BS_MOST_CELLS) {
        k->odd += !bs_is_hash_line(p, row->end);
        return;
    }
    k->lines++;
    k->numbers += is_number(&row->cell[0]) && is_number(&row->cell[row->n - 1]);
    k->spans += is_span_tag(&row->cell[row->n - 1]);
    for (int i = 0; i < 3; i++)
        k->delimited[i] += memchr(p, delimiter[i], (size_t)(row->end - p)) != NULL;
}

/* A NUL follows `end`, as bs_row_scan requires. */
static void look_around(look *k, const char *p, const char *end, bool cut_off)
{
    bs_row row;
    bool   gap = true, first = true;
    for (; p < end; p = row.next) {
        if (cut_off && !memchr(p, '\n', (size_t)(end - p)) && k->lines > 0)
            break;
        bs_row_scan(p, end, (bs_cut){.tabs = false}, &row);
        if (first && *p == '#')
            continue;
        first = first && row.kind == BS_LINE_BLANK;
        if (row.kind == BS_LINE_BLANK) {
            gap = true;
            continue;
        }
        k->gaps += gap && k->lines > 0;
        k->groups += gap;
        gap = false;
        look_at(k, p, &row);
    }
}

/* A few lines with other columns are a mistake that the reader reports. */
static int judge(const look *k, bool named)
{
    if (k->lines == 0 || k->odd * 20 > k->lines)
        return named && k->lines > 0 ? 60 : 0;
    if (k->mark)
        return 95;
    bool delimited = false;
    for (int i = 0; i < 3; i++)
        delimited = delimited || k->delimited[i] == k->lines;
    if (delimited && k->spans < k->lines)
        return 0;
    if (k->columns == 1)
        return named ? 60 : 0;
    if (named)
        return 90;
    if (2 * k->numbers > k->lines)
        return 10;
    if (k->spans == k->lines)
        return 90;
    if (k->gaps == 0)
        return 12;
    return k->lines / k->groups > USUAL_GROUP || k->lines <= k->groups ? 14 : 80;
}

/* A reader of another kind of data is certain. CSV never is. */
static bool is_other(const char *head, size_t n, const char *path)
{
    for (int i = 0; bs_readers[i]; i++)
        if (bs_readers[i]->sniff(head, n, path) >= 80)
            return true;
    return false;
}

int bs_corpus_recognise(const char *text, size_t n, const char *path, bool roles,
                        const bs_corpus_format **best)
{
    enum { ENOUGH = 50 };
    int most = ENOUGH - 1;
    *best = NULL;
    for (int i = 0; bs_corpus_formats[i]; i++) {
        const bs_corpus_format *f = bs_corpus_formats[i];
        const int               sure = f->sniff && f->roles == roles ? f->sniff(text, n, path) : 0;
        if (sure < 0)
            return sure;
        if (sure > most) {
            most = sure;
            *best = f;
        }
    }
    return *best ? most : 0;
}

static int sniff(const char *head, size_t n, const char *path, bool roles)
{
    if (n == 0 || memchr(head, '\0', n))
        return 0;
    size_t window = n < WINDOW ? n : WINDOW;
    char  *copy = bs_alloc(window + 8);
    if (!copy)
        return -1;
    memcpy(copy, head, window);
    memset(copy + window, 0, 8);
    const bs_corpus_format *format;
    look                    k = {0};
    int                     score = bs_corpus_recognise(copy, window, path, roles, &format);
    if (!score && !roles && !is_other(copy, window, path)) {
        look_around(&k, copy, copy + window, n >= WINDOW);
        score = bs_corpus_looks_conllu(copy, copy + window) ? 95 : judge(&k, bs_corpus_named(path));
    }
    bs_free(copy);
    return score;
}

int bs_corpus_sniff(const char *head, size_t n, const char *path)
{
    return sniff(head, n, path, false);
}

int bs_roles_sniff(const char *head, size_t n, const char *path)
{
    return sniff(head, n, path, true);
}
