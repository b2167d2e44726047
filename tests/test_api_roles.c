/* test_api_roles.c -- semantic roles through the public interface: those of sentences in memory are
 * those of files, with well-formed and unique core roles, and wrong calls are refused. */
#include <string.h>

#include "tests/api_folder.h"

#include "base/mem.h"

enum { WORDS = 400, SPANS = 200 };

static int make_model(void **state)
{
    static const char *const settings[][2] = {
        {"method", "ce"},   {"epochs", "4"},  {"net.width", "8"},   {"net.layers", "1"},
        {"lr.net", "0.05"}, {"report", "no"}, {"words.width", "8"}, {"net.dropout", "0"},
    };
    basin_text    text = {0};
    basin_config *c;
    if (in_temporary_folder(state))
        return -1;
    OK(basin_data_make("roles", "rows=60 words=2", 3, "r.conll", NULL, NULL, &text, err));
    basin_text_free(&text);
    OK(basin_config_new(&c, err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        OK(basin_config_set(c, settings[i][0], settings[i][1], err));
    OK(basin_config_file(c, "train", "r.conll", err));
    OK(basin_train(c, "run", 1, 0, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    return 0;
}

/* The first sentence of the file with two predicates; returns its words. */
static int32_t first_sentence(char text[WORDS][32], const char *word[WORDS], int32_t predicate[2])
{
    char    line[256], verb[32];
    FILE   *f = fopen("r.conll", "r");
    int32_t n = 0, found = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (*line == '\n') {
            if (found == 2)
                break;
            n = found = 0;
            continue;
        }
        assert_int_equal(sscanf(line, "%31s %31s", text[n], verb), 2);
        word[n] = text[n];
        if (strcmp(verb, "-") != 0 && found < 2)
            predicate[found++] = n;
        n++;
    }
    fclose(f);
    assert_int_equal(found, 2);
    return n;
}

/* Its line in the predictions of the file. */
static void predicted_line(const char *const *word, char *line, int size)
{
    const basin_predict_options o = {sizeof o, .format = "jsonl", .path = "out.jsonl"};
    const char                 *file = "r.conll";
    char                        start[256];
    OK(basin_predict_files("run", &file, 1, &o, NULL, NULL, err));
    FILE *f = fopen("out.jsonl", "r");
    assert_non_null(f);
    snprintf(start, sizeof start, "{\"tokens\": [\"%s\", \"%s\", \"%s\", \"%s\"", word[0], word[1],
             word[2], word[3]);
    do
        assert_non_null(fgets(line, size, f));
    while (strncmp(line, start, strlen(start)) != 0);
    fclose(f);
}

static void memory_gives_what_files_give(void **state)
{
    static char      text[WORDS][32], line[16384], want[16384];
    const char      *word[WORDS];
    int32_t          predicate[2], tag[2 * WORDS], n = 0;
    float            score[2 * WORDS];
    basin_model     *m;
    basin_predictor *p;
    basin_span       span[SPANS];
    (void)state;
    OK(basin_model_load("run", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    const int32_t words = first_sentence(text, word, predicate);
    OK(basin_predict_roles(p, word, words, predicate, 2, tag, score, err));
    size_t at = 0;
    for (int k = 0; k < 2; k++) {
        const char *gap = "";
        at += (size_t)snprintf(want + at, sizeof want - at, "%s{\"index\": %d, \"spans\": [",
                               k ? ", " : "", (int)predicate[k]);
        OK(basin_spans(m, tag + k * words, words, span, &n, err));
        for (int32_t i = 0; i < n; i++) {
            if (strcmp(span[i].label, "V") == 0 && span[i].first == predicate[k] &&
                span[i].end == predicate[k] + 1)
                continue;
            at += (size_t)snprintf(want + at, sizeof want - at,
                                   "%s{\"start\": %d, \"end\": %d, \"label\": \"%s\"}", gap,
                                   (int)span[i].first, (int)span[i].end, span[i].label);
            gap = ", ";
        }
        at += (size_t)snprintf(want + at, sizeof want - at, "]}");
    }
    predicted_line(word, line, sizeof line);
    if (!strstr(line, want))
        fail_msg("%s\n%s", want, line);
    for (int i = 0; i < 2 * words; i++)
        assert_true(score[i] > 0 && score[i] < 1);
    OK(basin_predict_roles(p, word, words, NULL, 0, NULL, NULL, err));
    basin_predictor_free(p);
    basin_model_free(m);
}

#define REFUSED(call, text)                      \
    do {                                         \
        basin_error        err_ = {0};           \
        basin_error *const err = &err_;          \
        assert_int_not_equal(call, BASIN_OK);    \
        assert_non_null(strstr(err->msg, text)); \
    } while (0)

static void wrong_requests_are_refused(void **state)
{
    const char *const word[] = {"a", NULL, "b"};
    const int32_t     good = 0, far = 3, before = -1;
    int32_t           tag[6];
    basin_model      *m;
    basin_predictor  *p;
    (void)state;
    OK(basin_model_load("run", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    REFUSED(basin_predict_roles(NULL, word, 1, &good, 1, tag, NULL, err), "predictor is NULL");
    REFUSED(basin_predict_roles(p, word, 3, &far, 1, tag, NULL, err),
            "predicate 0: 3 is not the number of a token, 0..2");
    REFUSED(basin_predict_roles(p, word, 3, &before, 1, tag, NULL, err), "predicate 0: -1 is not");
    REFUSED(basin_predict_roles(p, word, 3, &good, 1, tag, NULL, err), "token 1 is NULL");
    REFUSED(basin_predict_roles(p, word, 1, &good, 1, NULL, NULL, err), "tags is NULL");
    REFUSED(basin_predict_roles(p, word, -1, &good, 1, tag, NULL, err), "-1 tokens");
    REFUSED(basin_predict_tokens(p, word, 1, NULL, tag, NULL, err), "basin_predict_roles");
    for (long n = 1; n < 12; n++) {
        basin_error why = {0};
        bs_mem_fail_at(n);
        basin_status s = basin_predict_roles(p, word, 1, &good, 1, tag, NULL, &why);
        bs_mem_fail_at(0);
        assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
    }
    basin_predictor_free(p);
    basin_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_gives_what_files_give),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests_name("api_roles", tests, make_model, leave_folder);
}
