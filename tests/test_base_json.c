/* test_base_json.c -- JSON that is written is JSON: commas, keys, any bytes, any number. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/tree.h"
#include "base/utf8.h"
#include "harness.h"

static void commas_and_brackets(void **state)
{
    (void)state;
    bs_buf b;
    bs_buf_init(&b, 1 << 16);
    bs_json_open(&b, NULL, '{');
    bs_json_text(&b, "a", "{[: ,");
    bs_json_text(&b, "b", NULL);
    bs_json_open(&b, "c", '[');
    for (int i = 0; i < 3; i++) {
        bs_json_open(&b, NULL, '{');
        bs_json_int(&b, "i", i);
        bs_json_bool(&b, "odd", i % 2);
        bs_json_close(&b, '}');
    }
    bs_json_close(&b, ']');
    bs_json_open(&b, "d", '{');
    bs_json_close(&b, '}');
    bs_json_key(&b, "e");
    bs_buf_text(&b, "[1]");
    bs_json_texts(&b, "f", (const char *[]){"", "\""}, 2);
    bs_json_texts(&b, "g", NULL, 0);
    bs_json_hash(&b, "h", 255);
    bs_json_close(&b, '}');
    assert_string_equal(b.data,
                        "{\"a\": \"{[: ,\", \"b\": null, \"c\": [{\"i\": 0, \"odd\": false}, "
                        "{\"i\": 1, \"odd\": true}, {\"i\": 2, \"odd\": false}], \"d\": {}, "
                        "\"e\": [1], \"f\": [\"\", \"\\\"\"], \"g\": [], "
                        "\"h\": \"00000000000000ff\"}");
    bs_buf_free(&b);
}

static void lines_begin_anew(void **state)
{
    (void)state;
    bs_buf b;
    bs_buf_init(&b, 1 << 16);
    for (int i = 0; i < 2; i++) {
        bs_json_open(&b, NULL, '{');
        bs_json_int(&b, "i", i);
        bs_buf_text(&b, "}\n");
    }
    assert_string_equal(b.data, "{\"i\": 0}\n{\"i\": 1}\n");
    bs_buf_free(&b);
}

static void numbers(void **state)
{
    (void)state;
    bs_buf b;
    bs_buf_init(&b, 1 << 16);
    bs_json_open(&b, NULL, '{');
    bs_json_real(&b, "a", 0.1);
    bs_json_real(&b, "b", INFINITY);
    bs_json_known(&b, "c", NAN);
    bs_json_known(&b, "d", 1e300);
    bs_json_short(&b, "e", 4, 1 / 3.0);
    bs_json_short(&b, "f", 4, -INFINITY);
    bs_json_fixed(&b, "g", 2, 1);
    bs_json_fixed(&b, "h", 2, NAN);
    bs_json_close(&b, '}');
    assert_string_equal(b.data, "{\"a\": 0.1, \"b\": null, \"d\": 1e+300, \"e\": 0.3333, "
                                "\"f\": null, \"g\": 1.00, \"h\": null}");
    bs_buf_free(&b);
}

static void several_members(void **state)
{
    (void)state;
    bs_buf b;
    const char *volatile none = NULL;
    bs_buf_init(&b, 1 << 16);
    bs_json_open(&b, NULL, '{');
    bs_json_members(&b, "a %d b %lld c %zu d %ld", -1, 1LL << 40, (size_t)7, 8L);
    bs_json_members(&b, "e %s f %s g %.3f h %.3g i %g j %g", "\xff", none, 0.5, 1e-9, 0.1,
                    (double)NAN);
    bs_json_close(&b, '}');
    assert_string_equal(b.data, "{\"a\": -1, \"b\": 1099511627776, \"c\": 7, \"d\": 8, "
                                "\"e\": \"\xef\xbf\xbd\", \"f\": null, \"g\": 0.500, "
                                "\"h\": 1e-09, \"i\": 0.1, \"j\": null}");
    bs_buf_free(&b);
}

/* Every pair of bytes, as a key and as a value: jansson, which is strict, reads it, and what is
 * UTF-8 reads back as it was. */
static void any_bytes(void **state)
{
    (void)state;
    bs_buf b;
    bs_buf_init(&b, 1 << 16);
    for (unsigned i = 1; i < 256; i++)
        for (unsigned k = 0; k < 256; k++) {
            const char text[] = {(char)i, (char)k, '\0'};
            bool       valid = true;
            for (size_t at = 0, n; text[at] && valid; at += n) {
                n = bs_utf8_len(text + at, strlen(text + at));
                valid = n > 0;
            }
            bs_buf_clear(&b);
            bs_json_open(&b, NULL, '{');
            bs_json_text(&b, text, text);
            bs_json_close(&b, '}');
            json_t     *o = bs_tree_read(b.data, b.len, 0, NULL);
            const char *key = json_object_iter_key(json_object_iter(o));
            assert_non_null(key);
            assert_string_equal(json_string_value(json_object_get(o, key)), key);
            if (valid)
                assert_string_equal(key, text);
            json_decref(o);
        }
    bs_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_and_brackets),
        cmocka_unit_test(lines_begin_anew),
        cmocka_unit_test(numbers),
        cmocka_unit_test(several_members),
        cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
