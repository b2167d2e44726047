/* test_file_refuse.c -- files that are not proper, and the reason that each is given:
 * these lines are what a user sees. */
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/safetensors.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* A tensor as it stands in a header. */
#define T(name, dtype, shape, offsets) \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define EURO10                                                     \
    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac" \
    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
#define X10 "xxxxxxxxxx"

typedef struct {
    const char  *header;
    size_t       data; /* bytes after the header */
    basin_status status;
    const char  *message;
} row;

/* To add a file: its header, the number of data bytes, what must be said. */
static const row rows[] = {
    {"", 0, BASIN_EDATA, "f: not a safetensors file: the header does not start with '{'"},
    {"x", 0, BASIN_EDATA, "f: not a safetensors file: the header does not start with '{'"},
    {"[]", 0, BASIN_EDATA, "f: not a safetensors file: the header does not start with '{'"},
    {"null", 0, BASIN_EDATA, "f: not a safetensors file: the header does not start with '{'"},
    {" {}", 0, BASIN_EDATA, "f: not a safetensors file: the header does not start with '{'"},
    {"{", 0, BASIN_EDATA, "f: header, byte 9: string or '}' expected near end of file"},
    {"{}}", 0, BASIN_EDATA, "f: header, byte 11: end of file expected near '}'"},
    {"{} x", 0, BASIN_EDATA, "f: header, byte 12: end of file expected near 'x'"},
    {"{}{}", 0, BASIN_EDATA, "f: header, byte 11: end of file expected near '{'"},
    {"{1:2}", 0, BASIN_EDATA, "f: header, byte 10: string or '}' expected near '1'"},
    {"{\"a\"}", 0, BASIN_EDATA, "f: header, byte 13: ':' expected near '}'"},
    {"{\"a\":", 0, BASIN_EDATA, "f: header, byte 13: unexpected token near end of file"},
    {"{\"a\":1}", 0, BASIN_EDATA, "f: tensor 'a': is not an object"},
    {"{\"a\":[]}", 0, BASIN_EDATA, "f: tensor 'a': is not an object"},
    {"{\"a\":null}", 0, BASIN_EDATA, "f: tensor 'a': is not an object"},
    {"{\"a\":\"b\"}", 0, BASIN_EDATA, "f: tensor 'a': is not an object"},
    {"{\"a\":{}}", 0, BASIN_EDATA, "f: tensor 'a': has no dtype"},
    {"{\"a\":{},}", 0, BASIN_EDATA, "f: header, byte 17: string or '}' expected near '}'"},
    {"{" T("a", "F32", "[1]", "[0,4]") ",}", 4, BASIN_EDATA,
     "f: header, byte 63: string or '}' expected near '}'"},
    {"{" T("a", "F32", "[1]", "[0,4]") " \"b\"}", 4, BASIN_EDATA,
     "f: header, byte 65: '}' expected near '\"b\"'"},
    {"{," T("a", "F32", "[1]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: header, byte 10: string or '}' expected near ','"},
    {"{\"a", 0, BASIN_EDATA, "f: header, byte 11: premature end of input near '\"a'"},
    {"{\"a\\", 0, BASIN_EDATA, "f: header, byte 12: invalid escape near '\"a\\'"},
    {"{\"a\\x\":{}}", 0, BASIN_EDATA, "f: header, byte 13: invalid escape near '\"a\\x'"},
    {"{\"\\u12g4\":{}}", 0, BASIN_EDATA, "f: header, byte 15: invalid escape near '\"\\u12g'"},
    {"{\"\\u0000\":{}}", 0, BASIN_EDATA,
     "f: header, byte 17: NUL byte in object key not supported near '\"\\u0000\"'"},
    {"{\"\\ud800\":{}}", 0, BASIN_EDATA,
     "f: header, byte 17: invalid Unicode '\\uD800' near '\"\\ud800\"'"},
    {"{\"\\ud800\\u0041\":{}}", 0, BASIN_EDATA,
     "f: header, byte 23: invalid Unicode '\\uD800\\u0041' near '\"\\ud800\\u0041\"'"},
    {"{\"\\udc00\":{}}", 0, BASIN_EDATA,
     "f: header, byte 17: invalid Unicode '\\uDC00' near '\"\\udc00\"'"},
    {"{\"a\nb\":{}}", 0, BASIN_EDATA, "f: header, byte 11: unexpected newline near '\"a'"},
    {"{\"\xff\":{}}", 0, BASIN_EDATA, "f: header, byte 10: unable to decode byte 0xff near '\"'"},
    {"{\"\xc0\x80\":{}}", 0, BASIN_EDATA,
     "f: header, byte 10: unable to decode byte 0xc0 near '\"'"},
    {"{\"\xed\xa0\x80\":{}}", 0, BASIN_EDATA,
     "f: header, byte 10: unable to decode byte 0xed near '\"'"},
    {"{\"\xf4\x90\x80\x80\":{}}", 0, BASIN_EDATA,
     "f: header, byte 10: unable to decode byte 0xf4 near '\"'"},
    {"{\"\xe2\x82", 0, BASIN_EDATA, "f: header, byte 10: unable to decode byte 0xe2 near '\"'"},
    {"{\"a\":{\"dtype\":{\"b\":{\"c\":[[[[[", 0, BASIN_EDATA,
     "f: header, byte 37: ']' expected near end of file"},
    {"{" T("a", "F32", "[1]", "[0,4]") "," T("a", "F32", "[1]", "[4,8]") "}", 8, BASIN_EDATA,
     "f: header, byte 65: duplicate object key near '\"a\"'"},
    {"{" T("a", "F32", "[1]", "[0,4]") "," T("\\u0061", "F32", "[1]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: header, byte 70: duplicate object key near '\"\\u0061\"'"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, BASIN_EDATA,
     "f: header, byte 41: duplicate object key near '\"__metadata__\"'"},
    {"{\"__metadata__\":1}", 0, BASIN_EDATA, "f: '__metadata__' is not an object"},
    {"{\"__metadata__\":null}", 0, BASIN_EDATA, "f: '__metadata__' is not an object"},
    {"{\"__metadata__\":[]}", 0, BASIN_EDATA, "f: '__metadata__' is not an object"},
    {"{\"__metadata__\":{\"a\":1}}", 0, BASIN_EDATA, "f: metadata 'a' is not a text"},
    {"{\"__metadata__\":{\"a\":null}}", 0, BASIN_EDATA, "f: metadata 'a' is not a text"},
    {"{\"__metadata__\":{\"a\":{\"b\":\"c\"}}}", 0, BASIN_EDATA, "f: metadata 'a' is not a text"},
    {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"1\"}}", 0, BASIN_EDATA,
     "f: header, byte 36: duplicate object key near '\"a\"'"},
    {"{\"__metadata__\":{\"a\" \"1\"}}", 0, BASIN_EDATA,
     "f: header, byte 32: ':' expected near '\"1\"'"},
    {"{\"__metadata__\":{\"a\":\"1\";}}", 0, BASIN_EDATA,
     "f: header, byte 33: '}' expected near ';'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, BASIN_EDATA,
     "f: tensor 'a': has no data_offsets"},
    {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, BASIN_EDATA,
     "f: tensor 'a': has no shape"},
    {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, BASIN_EDATA,
     "f: tensor 'a': has no dtype"},
    {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
     BASIN_EDATA, "f: header, byte 35: duplicate object key near '\"dtype\"'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
     BASIN_EDATA, "f: header, byte 47: duplicate object key near '\"shape\"'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"data_offsets\":[0,4]}}", 4,
     BASIN_EDATA, "f: header, byte 75: duplicate object key near '\"data_offsets\"'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"extra\":0}}", 4, BASIN_EDATA,
     "f: tensor 'a': unknown member 'extra'"},
    {"{\"a\":{\"dtype\":3,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, BASIN_EDATA,
     "f: tensor 'a': dtype is not a text"},
    {"{" T("a", "F4", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type 'F4' is not one of safetensors, such as F32"},
    {"{" T("a", "C64", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type 'C64' is not one of safetensors, such as F32"},
    {"{" T("a", "F6_E2M3", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type 'F6_E2M3' is not one of safetensors, such as F32"},
    {"{" T("a", "I128", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type 'I128' is not one of safetensors, such as F32"},
    {"{" T("a", "F8_E8M0", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type 'F8_E8M0' is not one of safetensors, such as F32"},
    {"{" T("a", "f32", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type 'f32' is not one of safetensors, such as F32"},
    {"{" T("a", "", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type '' is not one of safetensors, such as F32"},
    {"{" T("a", "no\\nsuch type", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': data type 'no\\nsuch type' is not one of safetensors, such as F32"},
    {"{" T("a", "F32", "1", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': its shape is not a list of whole numbers from 0 on"},
    {"{" T("a", "F32", "[-1]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': its shape is not a list of whole numbers from 0 on"},
    {"{" T("a", "F32", "[1.0]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': its shape is not a list of whole numbers from 0 on"},
    {"{" T("a", "F32", "[1e0]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': its shape is not a list of whole numbers from 0 on"},
    {"{" T("a", "F32", "[01]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: header, byte 38: invalid token near '0'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[\"1\"],\"data_offsets\":[0,4]}}", 4, BASIN_EDATA,
     "f: tensor 'a': its shape is not a list of whole numbers from 0 on"},
    {"{" T("a", "F32", "[[1]]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': its shape is not a list of whole numbers from 0 on"},
    {"{" T("a", "F32", "[1,]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: header, byte 40: unexpected token near ']'"},
    {"{" T("a", "F32", "[1", "[0,4]") "}", 4, BASIN_EDATA,
     "f: header, byte 54: ']' expected near ':'"},
    {"{" T("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a': its shape has more than 8 values"},
    {"{" T("a", "F32", "[9223372036854775807]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': the size of its shape overflows"},
    {"{" T("a", "F32", "[9223372036854775808]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: header, byte 56: too big integer near '9223372036854775808'"},
    {"{" T("a", "F32", "[99999999999999999999999999]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: header, byte 63: too big integer"},
    {"{" T("a", "F32", "[4294967296,4294967296]", "[0,0]") "}", 0, BASIN_EDATA,
     "f: tensor 'a': the size of its shape overflows"},
    {"{" T("a", "F32", "[0,4611686018427387904,4]", "[0,0]") "}", 0, BASIN_EDATA,
     "f: tensor 'a': the size of its shape overflows"},
    {"{" T("a", "F32", "[2]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': has 4 bytes, its shape asks for 8"},
    {"{" T("a", "F32", "[]", "[0,0]") "}", 0, BASIN_EDATA,
     "f: tensor 'a': has 0 bytes, its shape asks for 4"},
    {"{" T("a", "F32", "[0]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': has 4 bytes, its shape asks for 0"},
    {"{" T("a", "F32", "[1]", "[0]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': data_offsets has 1 values, not 2"},
    {"{" T("a", "F32", "[1]", "[]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': data_offsets has 0 values, not 2"},
    {"{" T("a", "F32", "[1]", "[0,4,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': data_offsets has more than 2 values"},
    {"{" T("a", "F32", "[1]", "[4,0]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': begins at 4, after its end at 0"},
    {"{" T("a", "F32", "[1]", "[-4,0]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': data_offsets is not a list of whole numbers from 0 on"},
    {"{" T("a", "F32", "[2]", "[0,8]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': ends at 8, but there are 4 bytes of data"},
    {"{" T("a", "F32", "[1]", "[0,9223372036854775807]") "}", 4, BASIN_EDATA,
     "f: tensor 'a': ends at 9223372036854775807, but there are 4 bytes of data"},
    {"{" T("a", "F32", "[1]", "[0,4]") "}", 5, BASIN_EDATA,
     "f: bytes of data that belong to no tensor: 1"},
    {"{" T("a", "F32", "[1]", "[0,4]") "}", 3, BASIN_EDATA,
     "f: tensor 'a': ends at 4, but there are 3 bytes of data"},
    {"{}", 1, BASIN_EDATA, "f: bytes of data that belong to no tensor: 1"},
    {"{" T("a", "F32", "[1]", "[1,5]") "}", 5, BASIN_EDATA,
     "f: tensor 'a': leaves a hole: begins at 1, the one before ends at 0"},
    {"{" T("a", "F32", "[1]", "[0,4]") "," T("b", "F32", "[1]", "[2,6]") "}", 6, BASIN_EDATA,
     "f: tensor 'b': overlaps another: begins at 2, the one before ends at 4"},
    {"{" T("a", "F32", "[1]", "[0,4]") "," T("b", "F32", "[1]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'b': overlaps another: begins at 0, the one before ends at 4"},
    {"{" T("a", "F32", "[1]", "[8,12]") "," T("b", "F32", "[1]", "[0,4]") "}", 12, BASIN_EDATA,
     "f: tensor 'a': leaves a hole: begins at 8, the one before ends at 4"},
    {"{" T("e", "F32", "[0]", "[2,2]") "," T("b", "F32", "[1]", "[0,4]") "}", 4, BASIN_EDATA,
     "f: tensor 'e': overlaps another: begins at 2, the one before ends at 4"},
    {"{\"__metadata__\":{\"basin.checksum\":\"xxh64:0000000000000000\"}," T("a", "F32", "[1]",
                                                                            "[0,4]") "}",
     4, BASIN_EDATA,
     "f: the file is damaged: its checksum is 'xxh64:0000000000000000', its content gives "
     "'xxh64:ebd4f105d2c4d04a'"},
    {"{\"__metadata__\":{\"basin.checksum\":\"\"}}", 0, BASIN_EDATA,
     "f: the file is damaged: its checksum is '', its content gives 'xxh64:af09f71516247c32'"},
    {"{\"__metadata__\":{\"basin.checksum\":\"sha256:00\"}}", 0, BASIN_EDATA,
     "f: the file is damaged: its checksum is 'sha256:00', its content gives "
     "'xxh64:af09f71516247c32'"},
    {"{" T("a\\u001b[31m\\n", "F8_E8M0", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor 'a\\x1b[31m\\n': data type 'F8_E8M0' is not one of safetensors, such as F32"},
    {"{" T(X10 X10 X10 X10 X10 X10 X10 X10, "F8_E8M0", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor '" X10 X10 X10 X10 X10 X10
     "xxxxxxxx...': data type 'F8_E8M0' is not one of safetensors, such as F32"},
    {"{" T(EURO10 EURO10 EURO10, "F8_E8M0", "[1]", "[0,4]") "}", 4, BASIN_EUNSUPPORTED,
     "f: tensor '" EURO10 EURO10
     "\xe2\x82\xac\xe2\x82\xac...': data type 'F8_E8M0' is not one of safetensors, such as F32"},
};

static bs_buf make_file(uint64_t length, const char *header, size_t data)
{
    bs_buf b;
    bs_buf_init(&b, 1 << 28);
    bs_buf_add(&b, &length, 8);
    bs_buf_text(&b, header);
    for (size_t i = 0; i < data; i++)
        bs_buf_add(&b, (char[]){(char)i}, 1);
    assert_false(b.failed);
    return b;
}

static void expect_refused(const void *bytes, size_t n, basin_status status, const char *message)
{
    long            live = bs_mem_live();
    bs_safetensors *f = (bs_safetensors *)&live;
    basin_error     err = {0};
    /* A block of exactly this size: the sanitizer sees a byte read too far. */
    char *copy = bs_alloc(n);
    assert_non_null(copy);
    if (n)
        memcpy(copy, bytes, n);
    basin_status s = bs_safetensors_memory("f", copy, n, &f, &err);
    if (s != status || strcmp(err.msg, message) != 0)
        fprintf(stderr, "  %.*s\n  want: %s\n  got:  %s\n", (int)(n > 8 ? n - 8 : 0),
                n > 8 ? copy + 8 : "", message, err.msg);
    assert_string_equal(err.msg, message);
    assert_int_equal(s, status);
    assert_int_equal(err.status, status);
    assert_null(f);
    assert_int_equal(bs_safetensors_memory("f", copy, n, &f, NULL), status);
    bs_free(copy);
    assert_int_equal(bs_mem_live(), live);
}

static void headers_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        bs_buf b = make_file(strlen(rows[i].header), rows[i].header, rows[i].data);
        expect_refused(b.data, b.len, rows[i].status, rows[i].message);
        bs_buf_free(&b);
    }
}

static void lengths_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t    length;
        const char *message;
    } length[] = {
        {3, "f: cut off: a header of 3 bytes in a file of 10 bytes"},
        {100000000, "f: cut off: a header of 100000000 bytes in a file of 10 bytes"},
        {100000001, "f: not a safetensors file: a header of 100000001 bytes, at most 100000000 are "
                    "allowed"},
        {UINT64_MAX, "f: not a safetensors file: a header of 18446744073709551615 bytes, at most "
                     "100000000 are allowed"},
        {0, "f: not a safetensors file: the header does not start with '{'"},
        {1, "f: header, byte 9: string or '}' expected near end of file"},
    };
    for (int i = 0; i < COUNT(length); i++) {
        bs_buf b = make_file(length[i].length, "{}", 0);
        expect_refused(b.data, b.len, BASIN_EDATA, length[i].message);
        bs_buf_free(&b);
    }
    expect_refused("", 0, BASIN_EDATA, "f: not a safetensors file: only 0 bytes long");
    expect_refused("1234567", 7, BASIN_EDATA, "f: not a safetensors file: only 7 bytes long");
    /* bytes that text functions would stop at */
    expect_refused("\x03\0\0\0\0\0\0\0{\0}", 11, BASIN_EDATA,
                   "f: header, byte 10: string or '}' expected near end of file");
    expect_refused("\x03\0\0\0\0\0\0\0{}\0", 11, BASIN_EDATA,
                   "f: header, byte 11: end of file expected near end of file");
    expect_refused("\x05\0\0\0\0\0\0\0{\"\0\"}", 13, BASIN_EDATA,
                   "f: header, byte 10: control character 0x0 near '\"'");
}

/* Small files may not ask for much: too many of anything is refused on the way. */
static void crowds_are_refused(void **state)
{
    (void)state;
    bs_buf b;
    for (int metas = 0; metas < 2; metas++) {
        bs_buf_init(&b, 1 << 28);
        bs_buf_add(&b, (const char[8]){0}, 8);
        bs_buf_text(&b, metas ? "{\"__metadata__\":{\"0\":\"\"" : "{\"__metadata__\":{}");
        for (int i = 1; i < 65538; i++)
            if (metas)
                bs_buf_printf(&b, ",\"%d\":\"\"", i);
            else
                bs_buf_printf(&b, "," T("%d", "U8", "[0]", "[0,0]"), i);
        bs_buf_text(&b, metas ? "}}" : "}");
        assert_false(b.failed);
        uint64_t n = b.len - 8;
        memcpy(b.data, &n, 8);
        expect_refused(b.data, b.len, BASIN_EDATA,
                       metas ? "f: more than 65536 metadata keys" : "f: more than 65536 tensors");
        bs_buf_free(&b);
    }
    /* brackets by the million are stopped before they are followed */
    bs_buf_init(&b, 1 << 28);
    uint64_t n = 1000001;
    bs_buf_add(&b, &n, 8);
    bs_buf_text(&b, "{");
    for (int i = 0; i < 1000000; i++)
        bs_buf_text(&b, "[");
    expect_refused(b.data, b.len, BASIN_EDATA,
                   "f: header, byte 10: string or '}' expected near '['");
    bs_buf_free(&b);
}

/* --- paths ------------------------------------------------------------------- */

static void paths_are_refused(void **state)
{
    (void)state;
    char            folder[] = "/tmp/basin-refuse-XXXXXX", path[64], want[128];
    basin_error     err;
    bs_safetensors *f;
    assert_non_null(mkdtemp(folder));
    const struct {
        const char *name, *message;
    } bad[] = {
        {"none", "no such file"},
        {"pipe", "not a regular file"},
        {"empty", "not a safetensors file: only 0 bytes long"},
        {"text", "not a safetensors file: a header of 8245940423762997107 bytes, at most 100000000 "
                 "are allowed"},
        {".", "is a folder, not a file"},
        {"text/x", "a part of the path is not a folder"},
    };
    snprintf(path, sizeof path, "%s/empty", folder);
    assert_int_equal(bs_write_file(path, "", 0, &err), BASIN_OK);
    snprintf(path, sizeof path, "%s/text", folder);
    assert_int_equal(bs_write_file(path, "some words\n", 11, &err), BASIN_OK);
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int i = 0; i < COUNT(bad); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, bad[i].name);
        snprintf(want, sizeof want, "%s: %s", path, bad[i].message);
        assert_true(bs_safetensors_open(path, &f, &err) != BASIN_OK);
        assert_string_equal(err.msg, want);
        assert_null(f);
    }
    assert_int_equal(bs_safetensors_open("", &f, &err), BASIN_EIO);
    assert_string_equal(err.msg, "the name of the input file is empty");
    for (int i = 0; i < COUNT(bad); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, bad[i].name);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* --- what cannot be written -------------------------------------------------- */

static void requests_are_refused(void **state)
{
    (void)state;
    static const float     data[2] = {1, 2};
    static const bs_tensor good = {"a", BS_DTYPE_F32, 1, {2}, data, 8};
    static const struct {
        bs_tensor   t;
        const char *message;
    } bad[] = {
        {{NULL, BS_DTYPE_F32, 1, {2}, data, 8}, "the name of a tensor is not UTF-8"},
        {{"\xff", BS_DTYPE_F32, 1, {2}, data, 8}, "the name of a tensor is not UTF-8"},
        {{"\xe2\x82", BS_DTYPE_F32, 1, {2}, data, 8}, "the name of a tensor is not UTF-8"},
        {{"__metadata__", BS_DTYPE_F32, 1, {2}, data, 8},
         "a tensor must not be called '__metadata__'"},
        {{"a", BS_DTYPE_F32, 1, {2}, data, 8}, "tensor 'a' occurs twice"},
        {{"b", (bs_dtype)99, 1, {2}, data, 8}, "tensor 'b': no such data type: 99"},
        {{"b", BS_DTYPE_F32, -1, {2}, data, 8}, "tensor 'b': -1 dims, from 0 to 8 are possible"},
        {{"b", BS_DTYPE_F32, 9, {2}, data, 8}, "tensor 'b': 9 dims, from 0 to 8 are possible"},
        {{"b", BS_DTYPE_F32, 1, {-2}, data, 8}, "tensor 'b': a dim is negative: -2"},
        {{"b", BS_DTYPE_F32, 2, {INT64_MAX, 4}, data, 8},
         "tensor 'b': the size of its shape overflows"},
        {{"b", BS_DTYPE_F64, 1, {2}, data, 8}, "tensor 'b': has 8 bytes, its shape asks for 16"},
        {{"b", BS_DTYPE_F32, 1, {2}, NULL, 8}, "tensor 'b': no data"},
    };
    static const struct {
        bs_meta     m;
        const char *message;
    } bad_meta[] = {
        {{NULL, "v"}, "a metadata key is not UTF-8"},
        {{"\xc0\x80", "v"}, "a metadata key is not UTF-8"},
        {{"k", NULL}, "metadata 'k': the value is not UTF-8"},
        {{"k", "\xed\xa0\x80"}, "metadata 'k': the value is not UTF-8"},
        {{"a", "v"}, "metadata 'a' occurs twice"},
    };
    basin_error err;
    bs_buf      out;
    bs_buf_init(&out, 1 << 20);
    for (int i = 0; i < COUNT(bad); i++) {
        const bs_tensor t[] = {good, bad[i].t};
        assert_int_equal(bs_safetensors_format(t, 2, NULL, 0, &out, &err), BASIN_EARG);
        assert_string_equal(err.msg, bad[i].message);
    }
    for (int i = 0; i < COUNT(bad_meta); i++) {
        const bs_meta m[] = {{"a", ""}, bad_meta[i].m};
        assert_int_equal(bs_safetensors_format(&good, 1, m, 2, &out, &err), BASIN_EARG);
        assert_string_equal(err.msg, bad_meta[i].message);
    }
    assert_int_equal(bs_safetensors_format(&good, -1, NULL, 0, &out, &err), BASIN_EARG);
    assert_string_equal(err.msg, "-1 tensors, at most 65536 fit");
    assert_int_equal(bs_safetensors_format(&good, 1, NULL, 65536, &out, &err), BASIN_EARG);
    assert_string_equal(err.msg, "65536 metadata keys, at most 65535 fit");
    assert_int_equal(out.len, 0);
    bs_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_refused),  cmocka_unit_test(lengths_are_refused),
        cmocka_unit_test(crowds_are_refused),   cmocka_unit_test(paths_are_refused),
        cmocka_unit_test(requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
