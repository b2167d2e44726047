/* test_base_opt.c -- option tables: numbers, messages, config files, JSON, spelling hints. */
#include "tests/check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/find.h"
#include "base/opt.h"
#include "base/rng.h"

typedef struct {
    int    epochs, any;
    double lr, weight, decay;
    bool   momentum;
    char   method[BS_OPTION_TEXT];
    char   note[BS_OPTION_TEXT];
    int    steps;
} options;

#define AT(field) offsetof(options, field)

static const bs_option rows[] = {
    {"epochs", BS_INT, AT(epochs), "20", "1", "100000", NULL, "passes over the data", 0},
    {"any", BS_INT, AT(any), "-3", NULL, NULL, NULL, "any whole number", 0},
    {"lr.net", BS_FLOAT, AT(lr), "1e-3", "0", "10", NULL, "learning rate", BS_OPTION_TUNE_LOG},
    {"energy.weight", BS_FLOAT, AT(weight), "0.5", "0", NULL, NULL, "weight", 0},
    {"decay", BS_FLOAT, AT(decay), "-1.5", NULL, "0", NULL, "decay", 0},
    {"momentum", BS_BOOL, AT(momentum), "no", NULL, NULL, NULL, "heavy ball", 0},
    {"method", BS_NAME, AT(method), "seal-nce", NULL, NULL, "ce|spen|dvn|seal-nce|infnet+",
     "training method", BS_OPTION_KEEP},
    {"note", BS_TEXT, AT(note), "", NULL, NULL, NULL, "free text", 0},
    {"gbi.steps", BS_INT, AT(steps), "10", "1", "1000", NULL, "inference steps", 0},
    {.name = NULL},
};

static options defaults(void)
{
    options     o;
    basin_error err;
    memset(&o, 0xee, sizeof o);
    assert_int_equal(bs_options_default(rows, &o, &err), BASIN_OK);
    return o;
}

static void refused(const char *name, const char *value, const char *message)
{
    options     o = defaults(), before = o;
    basin_error err;
    assert_int_equal(bs_options_set(rows, &o, name, value, "--set", &err), BASIN_EARG);
    assert_string_equal(err.msg, message);
    assert_memory_equal(&o, &before, sizeof o);
    assert_int_equal(bs_options_set(rows, &o, name, value, "--set", NULL), BASIN_EARG);
}

/* --- numbers ----------------------------------------------------------------- */

static void integers_are_strict(void **state)
{
    (void)state;
    long long v;
    assert_true(bs_parse_int("0", &v) && v == 0);
    assert_true(bs_parse_int("-0017", &v) && v == -17);
    assert_true(bs_parse_int("+5", &v) && v == 5);
    assert_true(bs_parse_int("9223372036854775807", &v) && v == LLONG_MAX);
    assert_true(bs_parse_int("-9223372036854775808", &v) && v == LLONG_MIN);
    v = 42;
    const char *const bad[] = {"",
                               "-",
                               "+",
                               " 1",
                               "1 ",
                               "1.0",
                               "1e3",
                               "0x10",
                               "--1",
                               "one",
                               "1,0",
                               "9223372036854775808",
                               "-9223372036854775809",
                               "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(bs_parse_int(bad[i], &v));
    assert_int_equal(v, 42);
}

static void doubles_are_strict(void **state)
{
    (void)state;
    const char *const bad[] = {"",    "-",   ".",     "+.",      "e5",     ".e5",
                               "1e",  "1e+", " 1",    "1 ",      "1,5",    "0x1p3",
                               "inf", "nan", "-inf",  "1e999",   "-1e309", "1.2.3",
                               "1_0", "1f",  "1e5.0", "infinity"};
    double            v = 42;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(bs_parse_double(bad[i], &v));
    assert_true(v == 42);

    const struct {
        const char *text;
        double      want;
    } good[] = {
        {"0", 0},
        {"1.", 1},
        {".5", 0.5},
        {"+2.50", 2.5},
        {"-1e-3", -1e-3},
        {"000123.4500E+02", 12345},
        {"1e-400", 0},
        {"0e999999999999", 0},
        {"4.9e-324", 4.9e-324},
        {"1.7976931348623157e308", DBL_MAX},
        {"9007199254740993", 9007199254740992.0}, /* a tie, to even */
        {"9007199254740993.0000000000000000000001", 9007199254740994.0},
        {"0.00000000000000000000000000000000000001e40", 100},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(bs_parse_double(good[i].text, &v));
        assert_true(v == good[i].want);
    }
    assert_true(bs_parse_double("-0", &v) && v == 0 && signbit(v));

    /* A tie decided by the last of a thousand digits. */
    char   text[1100] = "9007199254740993.";
    size_t n = strlen(text);
    memset(text + n, '0', 1000);
    text[n + 1000] = '\0';
    assert_true(bs_parse_double(text, &v) && v == 9007199254740992.0);
    text[n + 999] = '1';
    assert_true(bs_parse_double(text, &v) && v == 9007199254740994.0);

    /* A thousand digits before the point are too large, with a small exponent not. */
    memset(text, '1', 1000);
    text[1000] = '\0';
    assert_false(bs_parse_double(text, &v));
    memcpy(text + 1000, "e-900", 6);
    assert_true(bs_parse_double(text, &v) && fabs(v / 1.1111111111111111e99 - 1) < 1e-15);
}

/* Whatever strtod says in the C locale, for numbers of every size; and the
 * text of every number reads back as the same bits. */
static void doubles_agree_with_strtod(void **state)
{
    (void)state;
    bs_rng r = bs_rng_make(99, 0, 0);
    for (int i = 0; i < 200000; i++) {
        char   text[64], back[BS_NUMBER_TEXT];
        double v, w, got;
        if (i % 2) {
            snprintf(text, sizeof text, "%u.%ue%d", bs_rng_bits(&r) >> bs_rng_below(&r, 32),
                     bs_rng_bits(&r), (int)bs_rng_below(&r, 60) - 30);
            v = strtod(text, NULL);
        } else {
            uint64_t bits = (uint64_t)bs_rng_bits(&r) << 32 | bs_rng_bits(&r);
            memcpy(&v, &bits, sizeof v);
            if (!isfinite(v))
                continue;
            snprintf(text, sizeof text, "%.17g", v);
        }
        assert_true(bs_parse_double(text, &got));
        assert_memory_equal(&got, &v, sizeof v);
        bs_format_double(v, back);
        assert_true(bs_parse_double(back, &w));
        assert_memory_equal(&w, &v, sizeof v);
    }
}

static void formatted_numbers_are_short(void **state)
{
    (void)state;
    const struct {
        double      v;
        const char *want;
    } cases[] = {
        {0, "0"},
        {20, "20"},
        {1000000, "1000000"},
        {0.1, "0.1"},
        {1e-3, "0.001"},
        {1e-5, "1e-05"},
        {1.0 / 3, "0.3333333333333333"},
        {-2.5, "-2.5"},
        {1e300, "1e+300"},
        {5e-324, "5e-324"},
        {(double)INFINITY, "inf"},
        {-(double)INFINITY, "-inf"},
        {(double)NAN, "nan"},
        {12345.5, "12345.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[BS_NUMBER_TEXT];
        bs_format_double(cases[i].v, text);
        assert_string_equal(text, cases[i].want);
    }
}

/* --- setting ----------------------------------------------------------------- */

static void defaults_are_set(void **state)
{
    (void)state;
    options o = defaults();
    assert_int_equal(o.epochs, 20);
    assert_int_equal(o.any, -3);
    assert_true(o.lr == 1e-3 && o.weight == 0.5 && o.decay == -1.5);
    assert_false(o.momentum);
    assert_string_equal(o.method, "seal-nce");
    assert_string_equal(o.note, "");
    assert_int_equal(o.steps, 10);

    static const bs_option wrong[] = {
        {"n", BS_INT, 0, "0", "1", NULL, NULL, "", 0},
        {.name = NULL},
    };
    basin_error err;
    assert_int_equal(bs_options_default(wrong, &o, &err), BASIN_EARG);
    assert_string_equal(err.msg, "default: n: '0' is not a whole number of 1 or more");
}

static void values_are_set(void **state)
{
    (void)state;
    options           o = defaults();
    basin_error       err;
    const char *const pairs[][2] = {
        {"epochs", "100000"},       {"any", "-2147483648"}, {"lr.net", "0"},
        {"energy.weight", "1e100"}, {"method", "infnet+"},  {"note", " a # \"b\" "},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        assert_int_equal(bs_options_set(rows, &o, pairs[i][0], pairs[i][1], "x", &err), BASIN_OK);
    assert_int_equal(o.epochs, 100000);
    assert_int_equal(o.any, INT_MIN);
    assert_true(o.lr == 0 && o.weight == 1e100);
    assert_string_equal(o.method, "infnet+");
    assert_string_equal(o.note, " a # \"b\" ");

    const char *const yes[] = {"yes", "true", "on", "1", "True", "YES"};
    const char *const no[] = {"no", "false", "off", "0", "False", "OFF"};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(bs_options_set(rows, &o, "momentum", yes[i], "x", &err), BASIN_OK);
        assert_true(o.momentum);
        assert_int_equal(bs_options_set(rows, &o, "momentum", no[i], "x", &err), BASIN_OK);
        assert_false(o.momentum);
    }
}

static void bad_values_are_explained(void **state)
{
    (void)state;
    refused("epochs", "0", "--set: epochs: '0' is not a whole number from 1 to 100000");
    refused("epochs", "1e3", "--set: epochs: '1e3' is not a whole number from 1 to 100000");
    refused("epochs", "", "--set: epochs: '' is not a whole number from 1 to 100000");
    refused("any", "x", "--set: any: 'x' is not a whole number");
    refused("any", "2147483648",
            "--set: any: '2147483648' is not a whole number from -2147483648 to 2147483647");
    refused("lr.net", "10.1", "--set: lr.net: '10.1' is not a number from 0 to 10");
    refused("lr.net", "nan", "--set: lr.net: 'nan' is not a number from 0 to 10");
    refused("energy.weight", "-1", "--set: energy.weight: '-1' is not a number of 0 or more");
    refused("decay", "0.1", "--set: decay: '0.1' is not a number of 0 or less");
    refused("momentum", "maybe",
            "--set: momentum: 'maybe' is not one of yes, no, true, false, on, off, 1, 0");
    refused("method", "seal-nec",
            "--set: method: 'seal-nec' is not one of ce, spen, dvn, "
            "seal-nce, infnet+; did you mean 'seal-nce'?");
    refused("method", "zzzzzz",
            "--set: method: 'zzzzzz' is not one of ce, spen, dvn, seal-nce, infnet+");
    refused("method", "c", "--set: method: 'c' is not one of ce, spen, dvn, seal-nce, infnet+");
    refused("method", "ce|spen",
            "--set: method: 'ce|spen' is not one of ce, spen, dvn, seal-nce, infnet+");

    char text[BS_OPTION_TEXT + 1];
    memset(text, 'x', sizeof text);
    text[BS_OPTION_TEXT] = '\0';
    refused("note", text,
            "--set: note: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' has 1024 bytes; "
            "at most 1023 are accepted");
    text[BS_OPTION_TEXT - 1] = '\0';
    options     o = defaults();
    basin_error err;
    assert_int_equal(bs_options_set(rows, &o, "note", text, "x", &err), BASIN_OK);
    assert_string_equal(o.note, text);
}

static void unknown_names_get_a_hint(void **state)
{
    (void)state;
    refused("gbi.step", "1", "--set: unknown option 'gbi.step'; did you mean 'gbi.steps'?");
    refused("ecophs", "1", "--set: unknown option 'ecophs'; did you mean 'epochs'?");
    refused("steps", "1", "--set: unknown option 'steps'; did you mean 'gbi.steps'?");
    refused("LR.NET", "1", "--set: unknown option 'LR.NET'; did you mean 'lr.net'?");
    refused("qqqqqq", "1",
            "--set: unknown option 'qqqqqq'; known are: epochs, any, lr.net, "
            "energy.weight, decay, momentum, method, note, gbi.steps");
}

static void nearest_names(void **state)
{
    (void)state;
    const char *const names[] = {"train", "eval", "predict", "compare"};
    assert_string_equal(bs_option_nearest("trian", names, 4), "train");
    assert_string_equal(bs_option_nearest("evla", names, 4), "eval");
    assert_string_equal(bs_option_nearest("Predcit", names, 4), "predict");
    assert_string_equal(bs_option_nearest("comprae", names, 4), "compare");
    const char *const short_names[] = {"ce", "dvn"};
    assert_string_equal(bs_option_nearest("dnv", short_names, 2), "dvn"); /* one slip, not two */
    assert_null(bs_option_nearest("serve", names, 4));
    assert_null(bs_option_nearest("", names, 4));
    assert_null(bs_option_nearest("x", names, 4));
    assert_null(bs_option_nearest("train", names, 0));
    char text[200];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(bs_option_nearest(text, names, 4));
    assert_ptr_equal(bs_option_find(rows, "lr.net"), &rows[2]);
    assert_null(bs_option_find(rows, "lr"));
}

/* --- config, help, JSON ------------------------------------------------------ */

static options strange(void)
{
    options     o = defaults();
    basin_error err;
    o.lr = 0.1 + 0.2;
    o.weight = 1e22;
    o.decay = -5e-324;
    o.any = INT_MIN;
    o.momentum = true;
    assert_int_equal(bs_options_set(rows, &o, "note", " \"\\#=\n\r\t\x01\x7f \xc3\xa4 ", "x", &err),
                     BASIN_OK);
    return o;
}

static void same_options(const options *a, const options *b)
{
    assert_int_equal(a->epochs, b->epochs);
    assert_int_equal(a->any, b->any);
    assert_true(a->lr == b->lr && a->weight == b->weight && a->decay == b->decay);
    assert_int_equal(a->momentum, b->momentum);
    assert_string_equal(a->method, b->method);
    assert_string_equal(a->note, b->note);
    assert_int_equal(a->steps, b->steps);
}

static void every_value_reads_back(void **state)
{
    (void)state;
    options     o = strange(), back;
    basin_error err;
    bs_buf      out;
    bs_buf_init(&out, 10000);

    back = defaults();
    for (const bs_option *r = rows; r->name; r++) {
        bs_buf_clear(&out);
        bs_option_format(r, &o, &out);
        assert_int_equal(bs_options_set(rows, &back, r->name, out.data, "x", &err), BASIN_OK);
    }
    same_options(&o, &back);

    back = defaults();
    bs_buf_clear(&out);
    bs_options_config(rows, &o, &out);
    assert_int_equal(bs_options_from_config(rows, &back, out.data, out.len, "f", &err), BASIN_OK);
    same_options(&o, &back);

    back = defaults();
    bs_buf_clear(&out);
    bs_options_json(rows, &o, &out);
    assert_int_equal(bs_options_from_json(rows, &back, out.data, out.len, "f", &err), BASIN_OK);
    same_options(&o, &back);
    bs_buf_free(&out);
}

static void texts_are_as_promised(void **state)
{
    (void)state;
    options o = defaults();
    bs_buf  out;
    bs_buf_init(&out, 10000);
    bs_options_config(rows, &o, &out);
    assert_string_equal(out.data, "epochs = 20\nany = -3\nlr.net = 0.001\nenergy.weight = 0.5\n"
                                  "decay = -1.5\nmomentum = no\nmethod = seal-nce\nnote = \"\"\n"
                                  "gbi.steps = 10\n");
    const char *const notes[][2] = {
        {"a#b", "note = \"a#b\"\n"},   {"a\tb", "note = \"a\\tb\"\n"},
        {" a", "note = \" a\"\n"},     {"a ", "note = \"a \"\n"},
        {"\"a", "note = \"\\\"a\"\n"}, {"a=\"b c\"", "note = a=\"b c\"\n"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        bs_buf_clear(&out);
        snprintf(o.note, sizeof o.note, "%s", notes[i][0]);
        bs_options_config(rows, &o, &out);
        assert_non_null(strstr(out.data, notes[i][1]));
    }
    bs_buf_clear(&out);
    memcpy(o.note, "a\"\x01\xff", 5);
    bs_options_json(rows, &o, &out);
    assert_string_equal(out.data,
                        "{\"epochs\": 20, \"any\": -3, \"lr.net\": 0.001, \"energy.weight\": 0.5, "
                        "\"decay\": -1.5, \"momentum\": false, \"method\": \"seal-nce\", "
                        "\"note\": \"a\\\"\\u0001\xef\xbf\xbd\", \"gbi.steps\": 10}");
    bs_buf_clear(&out);
    bs_options_help(rows, &out);
    assert_string_equal(out.data,
                        "  epochs         1..100000     20        passes over the data\n"
                        "  any            whole number  -3        any whole number\n"
                        "  lr.net         0..10         1e-3      learning rate\n"
                        "  energy.weight  >= 0          0.5       weight\n"
                        "  decay          <= 0          -1.5      decay\n"
                        "  momentum       yes|no        no        heavy ball\n"
                        "  method         ce|spen|dvn|seal-nce|infnet+  seal-nce  training method\n"
                        "  note           text          \"\"        free text\n"
                        "  gbi.steps      1..1000       10        inference steps\n");
    bs_buf_free(&out);
}

static basin_status config(const char *text, options *o, basin_error *err)
{
    *o = defaults();
    return bs_options_from_config(rows, o, text, strlen(text), "run/config", err);
}

#define ESCAPES "unknown escape after '\\'; known are \\\" \\\\ \\n \\r \\t \\xHH"

static void config_files_are_read(void **state)
{
    (void)state;
    options     o;
    basin_error err;
    assert_int_equal(config("\xef\xbb\xbf# head\r\n\r\n  epochs=5 # five\r\n\tlr.net =\t0.25\n"
                            "note = \"a # b\\x41\" # end\nmethod = ce",
                            &o, &err),
                     BASIN_OK);
    assert_int_equal(o.epochs, 5);
    assert_true(o.lr == 0.25);
    assert_string_equal(o.note, "a # bA");
    assert_string_equal(o.method, "ce");
    assert_int_equal(config("note =\n", &o, &err), BASIN_OK);
    assert_string_equal(o.note, "");
    assert_int_equal(config("note = a = \"b\"\n", &o, &err), BASIN_OK);
    assert_string_equal(o.note, "a = \"b\"");
    assert_int_equal(config("", &o, &err), BASIN_OK);

    const char *const bad[][2] = {
        {"\nepochs\n", "run/config:2: expected 'key = value', found 'epochs'"},
        {"= 3", "run/config:1: expected 'key = value', found '= 3'"},
        {"epochs # = 3", "run/config:1: expected 'key = value', found 'epochs # = 3'"},
        {"epochs = 0", "run/config:1: epochs: '0' is not a whole number from 1 to 100000"},
        {"epoch = 1", "run/config:1: unknown option 'epoch'; did you mean 'epochs'?"},
        {"note = \"abc", "run/config:1: note: the closing quote is missing"},
        {"note = \"abc\" d", "run/config:1: note: unexpected text after the closing quote"},
        {"note = \"\\q\"", "run/config:1: note: " ESCAPES},
        {"note = \"\\x00\"", "run/config:1: note: " ESCAPES},
        {"note = \"\\", "run/config:1: note: " ESCAPES},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(config(bad[i][0], &o, &err), BASIN_EARG);
        assert_string_equal(err.msg, bad[i][1]);
    }
    o = defaults();
    assert_int_equal(bs_options_from_config(rows, &o, "any = 1\0", 8, "c", &err), BASIN_EARG);
    assert_string_equal(err.msg, "c:1: the line contains a NUL byte");

    char text[6000] = "note = ";
    memset(text + 7, 'x', 5000);
    assert_int_equal(config(text, &o, &err), BASIN_EARG);
    assert_string_equal(err.msg, "run/config:1: note: the value is too long");
    memset(text, 'k', 500);
    assert_int_equal(config(text, &o, &err), BASIN_EARG);
}

static basin_status json(const char *text, options *o, basin_error *err)
{
    *o = defaults();
    return bs_options_from_json(rows, o, text, strlen(text), "m.safetensors", err);
}

static void json_objects_are_read(void **state)
{
    (void)state;
    options     o;
    basin_error err;
    assert_int_equal(json("{\"epochs\": 7, \"lr.net\": 2, \"momentum\": true, "
                          "\"note\": \"\\u00e4\"}",
                          &o, &err),
                     BASIN_OK);
    assert_int_equal(o.epochs, 7);
    assert_true(o.lr == 2 && o.momentum);
    assert_string_equal(o.note, "\xc3\xa4");
    assert_int_equal(json("{}", &o, &err), BASIN_OK);

    const char *const bad[][2] = {
        {"{\"epochs\": \"7\"}",
         "m.safetensors: epochs: '\"7\"' is not a whole number from 1 to 100000"},
        {"{\"epochs\": 7.0}",
         "m.safetensors: epochs: '7.0' is not a whole number from 1 to 100000"},
        {"{\"epochs\": 0}", "m.safetensors: epochs: '0' is not a whole number from 1 to 100000"},
        {"{\"lr.net\": null}", "m.safetensors: lr.net: 'null' is not a number from 0 to 10"},
        {"{\"lr.net\": 11.5}", "m.safetensors: lr.net: '11.5' is not a number from 0 to 10"},
        {"{\"momentum\": 1}", "m.safetensors: momentum: expected true or false, found 1"},
        {"{\"note\": [1]}", "m.safetensors: note: expected a string, found [1]"},
        {"{\"epoch\": 7}", "m.safetensors: unknown option 'epoch'; did you mean 'epochs'?"},
        {"{\"epoch\": {}}", "m.safetensors: unknown option 'epoch'; did you mean 'epochs'?"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(json(bad[i][0], &o, &err), BASIN_EARG);
        assert_string_equal(err.msg, bad[i][1]);
    }
    assert_int_equal(json("[1]", &o, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "m.safetensors: expected a JSON object {\"option\": value, ...}");
    const char *const broken[] = {"",
                                  "{",
                                  "{\"epochs\": 1,}",
                                  "{\"epochs\": 1, \"epochs\": 2}",
                                  "{\"note\": \"\\u0000\"}",
                                  "{\"lr.net\": 1e999}",
                                  "{} x"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        assert_int_equal(json(broken[i], &o, &err), BASIN_EDATA);
        assert_memory_equal(err.msg, "m.safetensors: invalid JSON at line 1, column ", 46);
    }
}

static void options_survive_failure(void **state)
{
    (void)state;
    long live = bs_mem_live();
    for (long n = 1;; n++) {
        options o = strange();
        bs_buf  out;
        bs_buf_init(&out, 10000);
        bs_mem_fail_at(n);
        bs_options_config(rows, &o, &out);
        bs_options_help(rows, &out);
        bs_options_json(rows, &o, &out);
        bool failed = out.failed;
        /* Messages still come out, if without the list of names. */
        basin_error err;
        assert_int_equal(bs_options_set(rows, &o, "qqqqqq", "1", "x", &err), BASIN_EARG);
        assert_memory_equal(err.msg, "x: unknown option 'qqqqqq'", 26);
        assert_int_equal(bs_options_set(rows, &o, "method", "qqqqq", "x", &err), BASIN_EARG);
        assert_memory_equal(err.msg, "x: method: 'qqqqq' is not one of ", 33);
        bs_mem_fail_at(0);
        bs_buf_free(&out);
        assert_int_equal(bs_mem_live(), live);
        if (!failed && n > 30)
            break;
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_strict),
        cmocka_unit_test(doubles_are_strict),
        cmocka_unit_test(doubles_agree_with_strtod),
        cmocka_unit_test(formatted_numbers_are_short),
        cmocka_unit_test(defaults_are_set),
        cmocka_unit_test(values_are_set),
        cmocka_unit_test(bad_values_are_explained),
        cmocka_unit_test(unknown_names_get_a_hint),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(every_value_reads_back),
        cmocka_unit_test(texts_are_as_promised),
        cmocka_unit_test(config_files_are_read),
        cmocka_unit_test(json_objects_are_read),
        cmocka_unit_test(options_survive_failure),
    };
    return cmocka_run_group_tests_name("base opt", tests, NULL, NULL);
}
