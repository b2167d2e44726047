/* foreign.c -- how to convert files of unsupported formats; converts UTF-16 to UTF-8. */
#include <string.h>

#include "base/utf8.h"
#include "data/rows/read.h"

/* --- other programs' files ----------------------------------------------- */

static bool holds(const char *head, size_t n, const char *word)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= n; i++)
        if (memcmp(head + i, word, len) == 0)
            return true;
    return false;
}

bool bs_is_sheet(const char *head, size_t n)
{
    return n >= 4 && memcmp(head, "PK\3\4", 4) == 0 &&
           (holds(head, n, "xl/") || holds(head, n, "[Content_Types].xml") ||
            holds(head, n, "opendocument.spreadsheet"));
}

basin_status bs_refuse_foreign(const bs_reading *r, const char *head, size_t n)
{
    static const struct {
        const char *magic, *what, *command; /* %s: the file */
        size_t      n;
    } row[] = {
        {"PAR1", "a Parquet file", "pd.read_parquet", 4},
        {"ARROW1", "an Arrow (Feather) file", "pd.read_feather", 6},
        {"FEA1", "a Feather file", "pd.read_feather", 4},
        {"\x89HDF\r\n", "an HDF5 file", "pd.read_hdf", 6},
        {"\xd0\xcf\x11\xe0", "an old Excel workbook", "pd.read_excel", 4},
        {"\x80\x02", "a Python pickle", "pd.read_pickle", 2},
        {"\x80\x03", "a Python pickle", "pd.read_pickle", 2},
        {"\x80\x04", "a Python pickle", "pd.read_pickle", 2},
        {"\x80\x05", "a Python pickle", "pd.read_pickle", 2},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (n >= row[i].n && memcmp(head, row[i].magic, row[i].n) == 0)
            return bs_error_at(
                r, 0, 0,
                "is %s, which is not read; convert it: python3 -c \"import pandas as "
                "pd; %s('%.200s').to_csv('data.csv', index=False)\"",
                row[i].what, row[i].command, r->path ? r->path : "FILE");
    if (n >= 15 && memcmp(head, "SQLite format 3", 15) == 0)
        return bs_error_at(r, 0, 0,
                           "is an SQLite database; sqlite3 -header -csv %.200s 'select * from "
                           "TABLE' > data.csv",
                           r->path ? r->path : "FILE");
    if (n >= 4 && memcmp(head, "PK\3\4", 4) == 0)
        return bs_error_at(r, 0, 0,
                           bs_is_sheet(head, n)
                               ? "is a workbook (Excel or the like); save the sheet as CSV"
                               : "is a zip archive; unpack it (of archives only .npz is read)");
    return BASIN_OK;
}

/* --- UTF-16 -------------------------------------------------------------- */

/* UTF-16 without a mark: every second byte of the beginning is 0, and no other. */
static bool alternates(const char *head, size_t n, size_t zero)
{
    const size_t most = n < 64 ? n & ~(size_t)1 : 64;
    for (size_t i = 0; i < most; i++)
        if ((head[i] == '\0') != (i % 2 == zero))
            return false;
    return most >= 8;
}

bs_utf16 bs_utf16_of(const char *head, size_t n)
{
    if (n >= 2 && memcmp(head, "\xff\xfe", 2) == 0)
        return BS_UTF16_LITTLE;
    if (n >= 2 && memcmp(head, "\xfe\xff", 2) == 0)
        return BS_UTF16_BIG;
    return alternates(head, n, 1)   ? BS_UTF16_LITTLE
           : alternates(head, n, 0) ? BS_UTF16_BIG
                                    : BS_UTF16_NONE;
}

static uint32_t unit(const bs_buf *text, size_t i, bool big)
{
    const uint8_t *b = (const uint8_t *)text->data + i;
    return big ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

basin_status bs_utf16_recode(const bs_buf *text, bs_utf16 kind, bs_buf *out, basin_error *err)
{
    const bool big = kind == BS_UTF16_BIG;
    for (size_t i = 0; i + 1 < text->len && !out->failed; i += 2) {
        char     bytes[4];
        uint32_t c = unit(text, i, big), low = i + 3 < text->len ? unit(text, i + 2, big) : 0;
        if (c >= 0xD800 && c < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            i += 2;
        }
        if (c != 0xFEFF || i > 0)
            bs_buf_add(out, bytes, (size_t)(bs_utf8_put(bytes, c) - bytes));
    }
    return out->failed ? bs_fail_nomem(err) : BASIN_OK;
}
