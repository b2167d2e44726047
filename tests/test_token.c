/* Tokenisers: ids and places as the official library gives them, storing, cutting, words, special
 * pieces, and what is refused. */
#include "tests/encoder_helper.h"

#include "token/letters.h"
#include "token/token.h"

#include "tests/fuzz/fuzz_token.h"
#include "tests/replay.h"

static const bs_token_options whole = {.special = true};

static bs_tokenizer *opened(const char *name)
{
    char          path[ENCODER_PATH];
    bs_tokenizer *t;
    basin_error   err = {0};
    CHECK(bs_tokenizer_open(encoder_path(name, path), &t, &err) == BASIN_OK, "%s", err.msg);
    return t;
}

static void encode(const bs_tokenizer *t, const char *text, const bs_token_options *o, bs_pieces *p)
{
    basin_error err = {0};
    CHECK(bs_token_text(t, text, strlen(text), o, p, &err) == BASIN_OK, "%s", err.msg);
}

static void check_ids(const bs_pieces *p, int n, const int32_t *id)
{
    assert_int_equal(p->n, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(p->id[i], id[i]);
}
#define CHECK_IDS(p, ...) \
    check_ids(p, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t), (int32_t[]){__VA_ARGS__})

/* ---- against the official library ---- */

static long at(const json_t *list, size_t i)
{
    const json_t *v = json_array_get(list, i);
    return json_is_integer(v) ? (long)json_integer_value(v) : -1;
}

/* Bytes before character n of a text. */
static int32_t bytes_before(const char *text, int32_t n)
{
    int32_t i = 0;
    for (; n > 0; n--)
        do
            i++;
        while (((unsigned char)text[i] & 0xC0) == 0x80);
    return i;
}

static void check_row(const bs_tokenizer *t, const json_t *row, bs_pieces *p)
{
    const json_t *text = json_object_get(row, "text"), *ids = json_object_get(row, "ids");
    const json_t *offsets = json_object_get(row, "offsets"), *words = json_object_get(row, "words");
    const char   *s = json_string_value(text);
    assert_int_equal(bs_token_text(t, s, json_string_length(text), &whole, p, NULL), BASIN_OK);
    CHECK((size_t)p->n == json_array_size(ids), "'%s': %d pieces", s, (int)p->n);
    int unknown = 0;
    for (int i = 0; i < p->n; i++) {
        const bs_piece_place *place = &p->place[i];
        const json_t         *want = json_array_get(offsets, (size_t)i);
        CHECK(p->id[i] == at(ids, (size_t)i) && place->first == at(want, 0) &&
                  place->end == at(want, 1) && place->word == at(words, (size_t)i),
              "'%s': piece %d is %d at %d-%d, word %d", s, i, (int)p->id[i], (int)place->first,
              (int)place->end, (int)place->word);
        assert_int_equal(place->first_byte, bytes_before(s, place->first));
        assert_int_equal(place->end_byte, bytes_before(s, place->end));
        unknown += p->id[i] == bs_tokenizer_unknown(t);
    }
    assert_int_equal(p->unknown, unknown);
    assert_false(p->cut);
}

static void check_golden(const bs_tokenizer *t, const char *name)
{
    char      path[ENCODER_PATH], file[64];
    bs_pieces p = {0};
    size_t    from = 0;
    json_t   *row;
    int       rows = 0;
    snprintf(file, sizeof file, "%s.tokens.jsonl", name);
    bs_buf text = encoder_file(encoder_path(file, path));
    for (; (row = encoder_row(&text, &from)) != NULL; rows++) {
        check_row(t, row, &p);
        json_decref(row);
    }
    assert_true(rows >= 40);
    bs_pieces_free(&p);
    bs_buf_free(&text);
}

/* Directly, and after a detour through the bytes that a model keeps. */
static void texts_are_cut_as_officially(void **state)
{
    (void)state;
    for (int i = 0; i < ENCODERS; i++) {
        bs_tokenizer *t = opened(encoder_names[i]), *again;
        bs_buf        one, two;
        basin_error   err = {0};
        check_golden(t, encoder_names[i]);
        bs_buf_init(&one, 1 << 20);
        bs_buf_init(&two, 1 << 20);
        bs_tokenizer_write(t, &one);
        CHECK(bs_tokenizer_read("stored", one.data, one.len, &again, &err) == BASIN_OK, "%s",
              err.msg);
        check_golden(again, encoder_names[i]);
        bs_tokenizer_write(again, &two);
        assert_string_equal(one.data, two.data);
        assert_int_equal(bs_tokenizer_count(t), bs_tokenizer_count(again));
        assert_string_equal(bs_tokenizer_kind(t), bs_tokenizer_kind(again));
        bs_buf_free(&one);
        bs_buf_free(&two);
        bs_tokenizer_free(t);
        bs_tokenizer_free(again);
    }
}

/* ---- by hand ---- */

enum { UNK = 1, CLS, SEP };

static void texts_are_cut_at_the_end(void **state)
{
    bs_tokenizer *t = opened("bert");
    bs_pieces     p = {0};
    basin_error   err = {0};
    (void)state;
    const int32_t hello = bs_tokenizer_id(t, "hello"), world = bs_tokenizer_id(t, "world");
    assert_true(hello > 0 && world > 0 && bs_tokenizer_id(t, "##hello") == -1);
    assert_string_equal(bs_tokenizer_piece(t, hello), "hello");
    const bs_token_options four = {.most = 4}, three = {.most = 3}, two = {.most = 2};
    encode(t, "Hello world", &four, &p);
    CHECK_IDS(&p, CLS, hello, world, SEP);
    assert_false(p.cut);
    encode(t, "Hello world!", &four, &p);
    CHECK_IDS(&p, CLS, hello, world, SEP);
    assert_true(p.cut);
    encode(t, "Hello world", &three, &p);
    CHECK_IDS(&p, CLS, hello, SEP);
    assert_true(p.cut);
    assert_int_equal(bs_token_text(t, "x", 1, &two, &p, &err), BASIN_EARG);
    assert_string_equal(err.msg, "at most 2 pieces leave no room for a text: 2 are around it");
    bs_pieces_free(&p);
    bs_tokenizer_free(t);
}

/* Of a foreign text, "[SEP]" is three words. */
static void special_pieces_can_be_text(void **state)
{
    bs_tokenizer          *t = opened("bert");
    bs_pieces              p = {0};
    const bs_token_options plain = {0};
    (void)state;
    encode(t, "hello[SEP]", &whole, &p);
    CHECK_IDS(&p, CLS, bs_tokenizer_id(t, "hello"), SEP, SEP);
    encode(t, "a[SEP]", &plain, &p);
    CHECK_IDS(&p, CLS, bs_tokenizer_id(t, "a"), UNK, bs_tokenizer_id(t, "s"),
              bs_tokenizer_id(t, "##e"), bs_tokenizer_id(t, "##p"), UNK, SEP);
    assert_int_equal(p.unknown, 2);
    bs_pieces_free(&p);
    bs_tokenizer_free(t);
}

static void check_words(const bs_tokenizer *t, const char *const *word, int32_t n, int32_t most,
                        int pieces, const int32_t *word_of, bs_pieces *p)
{
    const bs_token_options o = {.most = most};
    assert_int_equal(bs_token_words(t, word, n, &o, p, NULL), BASIN_OK);
    assert_int_equal(p->n, pieces);
    for (int i = 0; i < pieces; i++)
        assert_int_equal(p->place[i].word, word_of[i]);
}

static void words_keep_their_pieces_together(void **state)
{
    static const char *const words[] = {"Tokenization", "\xe2\x80\x8b", "isn't", ""};
    bs_tokenizer            *t = opened("bert"), *r = opened("roberta");
    bs_pieces                p = {0};
    (void)state;
    check_words(t, words, 4, 0, 12, (const int32_t[]){-1, 0, 0, 0, 1, 2, 2, 2, 2, 2, 3, -1}, &p);
    assert_int_equal(p.id[4], UNK);
    assert_int_equal(p.id[10], UNK);
    assert_int_equal(p.place[2].first, 5);
    assert_int_equal(p.place[2].end, 7);
    check_words(t, words, 4, 6, 6, (const int32_t[]){-1, 0, 0, 0, 1, -1}, &p);
    assert_true(p.cut);
    static const char *const two[] = {"world", "the"};
    check_words(r, two, 2, 0, 4, (const int32_t[]){-1, 0, 1, -1}, &p);
    assert_int_equal(p.id[1], bs_tokenizer_id(r, "\xc4\xa0world"));
    assert_int_equal(p.id[2], bs_tokenizer_id(r, "\xc4\xa0the"));
    assert_int_equal(p.place[1].first, 0);
    assert_int_equal(p.place[1].end, 5);
    bs_pieces_free(&p);
    bs_tokenizer_free(t);
    bs_tokenizer_free(r);
}

static void bad_bytes_are_characters(void **state)
{
    (void)state;
    for (int i = 0; i < ENCODERS; i++) {
        bs_tokenizer *t = opened(encoder_names[i]);
        bs_pieces     p = {0};
        encode(t, "a\xff\xc3 b\xe4\xbd", &whole, &p);
        const bs_piece_place *last = &p.place[p.n - 2];
        assert_int_equal(last->end_byte, i == 2 ? 7 : 5);
        assert_int_equal(last->end, i == 2 ? 7 : 5);
        bs_pieces_free(&p);
        bs_tokenizer_free(t);
    }
}

static void memory_is_used_again(void **state)
{
    (void)state;
    for (int i = 0; i < ENCODERS; i++) {
        bs_tokenizer *t = opened(encoder_names[i]);
        bs_pieces     p = {0};
        encode(t, "a long first text of the world, tokenized", &whole, &p);
        const long calls = bs_mem_calls();
        encode(t, "then short ones", &whole, &p);
        encode(t, "", &whole, &p);
        assert_int_equal(bs_mem_calls(), calls);
        bs_pieces_free(&p);
        bs_tokenizer_free(t);
    }
}

/* A word of a million letters takes as long as a million words; so do signs on one letter. */
static void long_words_take_no_longer(void **state)
{
    enum { LONG = 1 << 20 };
    static char   text[LONG];
    bs_pieces     p = {0};
    bs_tokenizer *r = opened("roberta"), *t = opened("bert");
    (void)state;
    memset(text, 'a', LONG);
    assert_int_equal(bs_token_text(r, text, LONG, &whole, &p, NULL), BASIN_OK);
    assert_int_equal(p.n, LONG / 4 + 2);
    for (int i = 0; i + 1 < LONG; i += 2)
        memcpy(text + i, i % 4 ? "\xcc\x81" : "\xcc\x96", 2);
    assert_int_equal(bs_token_text(t, text, LONG, &whole, &p, NULL), BASIN_OK);
    assert_int_equal(p.n, 2);
    bs_pieces_free(&p);
    bs_tokenizer_free(r);
    bs_tokenizer_free(t);
}

/* ---- what is refused ---- */

static bool opens(const char *folder, basin_error *err)
{
    bs_tokenizer *t;
    if (bs_tokenizer_open(folder, &t, err) != BASIN_OK)
        assert_null(t);
    bs_tokenizer_free(t);
    return t != NULL;
}

static void wrong_files_are_refused(void **state)
{
    static const char           json[] = "tokenizer.json";
    static const encoder_change cases[] = {
        {"bert", json, "\"WordPiece\",\n  \"unk", "\"Unigram\",\n  \"unk",
         "/tokenizer.json: its model is 'Unigram'; only 'WordPiece' (BERT) and byte-level 'BPE' "
         "(RoBERTa) can be read"},
        {"bert", json, "BertNormalizer", "NFKC",
         "/tokenizer.json: its normalizer is 'NFKC'; only 'BertNormalizer' can be read"},
        {"bert", json, "BertPreTokenizer", "Metaspace",
         "/tokenizer.json: its pre_tokenizer is 'Metaspace'; only 'BertPreTokenizer' can be read"},
        {"bert", json, "TemplateProcessing", "Other",
         "/tokenizer.json: its post_processor is 'Other'; only 'TemplateProcessing', "
         "'BertProcessing', 'RobertaProcessing' and 'ByteLevel' can be read"},
        {"bert", json, "\"normalized\": false", "\"normalized\": true",
         "/tokenizer.json: added piece '[PAD]' is 'normalized'; beside a normalizer only pieces "
         "that are found as they are written are supported"},
        {"bert", json, "\"single_word\": false", "\"single_word\": true",
         "/tokenizer.json: added piece '[PAD]' is 'single_word', which is not supported"},
        {"bert", json, "\"unk_token\": \"[UNK]\"", "\"unk_token\": \"[NO]\"",
         "/tokenizer.json: the vocabulary has no piece for unknown words"},
        {"bert", json, "\"ids\": [\n     2", "\"ids\": [\n     777",
         "/tokenizer.json: a piece that is put around texts, or looked for in them, is not in the "
         "vocabulary"},
        {"bert", json, "\"single\": [", "\"single\": [{}, ",
         "/tokenizer.json: the 'TemplateProcessing' of single texts is not special pieces, a text, "
         "special pieces"},
        {"bert", json, "\"b\": 6", "\"b\": -6",
         "/tokenizer.json: piece 'b' has the number -6; 0 to 1048575 are possible"},
        {"bert", json, "\"b\": 6", "\"b\": \"6\"", "/tokenizer.json: piece 'b' has no number"},
        {"bert", json, "\"b\": 6", "\"b\\n\": 6",
         "/tokenizer.json: piece 6 has a line end or a NUL"},
        {"bert", json, "\"max_input_chars_per_word\": 100", "\"max_input_chars_per_word\": 0",
         "/tokenizer.json: 'max_input_chars_per_word' is not a number from 1 to 1000"},
        {"bert", json, "\"version\": \"1.0\",", "\"version\": \"1.0\"",
         "/tokenizer.json:3: is not JSON: '}' expected near '\"truncation\"'"},
        {"bert", json, NULL, "[]", "/tokenizer.json: is not a JSON object"},
        {"bert", json, NULL, "",
         "/tokenizer.json:1: is not JSON: '[' or '{' expected near end of file"},
        {"bert", json, "", NULL,
         ": has no tokeniser: neither tokenizer.json nor vocab.txt, nor vocab.json with "
         "merges.txt"},
        {"distilbert", "vocab.txt", "[SEP]\n", "[SIP]\n",
         "/vocab.txt: the vocabulary has no piece '[SEP]' (sep_token)"},
        {"distilbert", "vocab.txt", NULL, "",
         "/vocab.txt: the vocabulary has no piece '[CLS]' (cls_token)"},
        {"distilbert", "tokenizer_config.json", "DistilBertTokenizer", "PhobertTokenizer",
         "/vocab.txt: is of a PhobertTokenizer, as tokenizer_config.json says; only that of a "
         "BertTokenizer can be read"},
        {"roberta", "merges.txt", "h e\n", "he\n", "/merges.txt: merge 2 is not two pieces"},
        {"roberta", "merges.txt", "h e\n", "h qq\n",
         "/merges.txt: merge 2 joins 'h' and 'qq', but the vocabulary lacks one of them"},
        {"roberta", "merges.txt", "h e\n", "h 3\n",
         "/merges.txt: merge 2 joins 'h' and '3', but the vocabulary lacks both together"},
        {"roberta", "vocab.json", "\"z\": ", "\"zz\": ",
         "/merges.txt: the vocabulary has no piece for the byte 122; byte-level BPE has one for "
         "each"},
        {"roberta", "vocab.json", "", NULL,
         ": has no tokeniser: neither tokenizer.json nor vocab.txt, nor vocab.json with "
         "merges.txt"},
    };
    (void)state;
    encoder_changes_refused(opens, cases, sizeof cases / sizeof cases[0]);
}

static void stored_ones_are_checked(void **state)
{
    bs_tokenizer *t = opened("bert"), *again;
    bs_buf        text;
    basin_error   err = {0};
    (void)state;
    bs_buf_init(&text, 1 << 20);
    bs_tokenizer_write(t, &text);
    /* Every cut is noticed. */
    for (size_t n = 0; n < text.len; n += n < 400 ? 1 : 37) {
        assert_true(bs_tokenizer_read("cut", text.data, n, &again, &err) != BASIN_OK);
        assert_null(again);
    }
    assert_int_equal(bs_tokenizer_read("cut", text.data, text.len - 1, &again, &err), BASIN_EDATA);
    CHECK(strstr(err.msg, "cut: ends after "), "%s", err.msg);
    bs_buf_text(&text, "more\n");
    bs_tokenizer_read("long", text.data, text.len, &again, &err);
    assert_string_equal(err.msg, "long: goes on after the last piece");
    bs_tokenizer_read("other", "vocab\n", 6, &again, &err);
    assert_string_equal(err.msg, "other: is no tokeniser of Basin");
    bs_buf_free(&text);
    bs_tokenizer_free(t);
}

/* Every allocation may fail; nothing leaks. */
static void memory_may_run_out(void **state)
{
    (void)state;
    for (int i = 0; i < ENCODERS; i++) {
        char       path[ENCODER_PATH];
        const long live = bs_mem_live();
        encoder_path(encoder_names[i], path);
        for (long n = 1;; n++) {
            bs_tokenizer *t = NULL;
            bs_pieces     p = {0};
            bs_mem_fail_at(n);
            basin_status s = bs_tokenizer_open(path, &t, NULL);
            if (!s)
                s = bs_token_text(t, "hello tokenized world", 21, &whole, &p, NULL);
            const bool reached = s != BASIN_OK;
            bs_mem_fail_at(0);
            bs_pieces_free(&p);
            bs_tokenizer_free(t);
            assert_int_equal(bs_mem_live(), live);
            if (!reached)
                break;
            assert_int_equal(s, BASIN_ENOMEM);
        }
    }
}

/* Those that utf8proc may be too old for, at the ends of their ranges. */
static void young_characters_are_known(void **state)
{
    (void)state;
    assert_true(bs_letter_alphabetic(0x31350) && bs_letter_alphabetic(0x323AF));
    assert_true(bs_letter_numeric(0x11F50) && bs_letter_numeric(0x11F59));
    assert_true(bs_letter_alphabetic(0x1E5F0) && bs_letter_numeric(0x1E5F1));
    assert_false(bs_letter_alphabetic(0x11F5A) || bs_letter_numeric(0x11F5A));
}

static void corpus_never_breaks_a_tokenizer(void **state)
{
    (void)state;
    replay_corpus("tokenizer", fuzz_tokenizer);
}

static void three_of_a_text(const uint8_t *data, size_t size)
{
    static bs_tokenizer *t[ENCODERS];
    for (int i = 0; i < ENCODERS; i++) {
        if (!t[i])
            t[i] = opened(encoder_names[i]);
        fuzz_encode(t[i], data, size);
    }
}

static void corpus_never_breaks_pieces(void **state)
{
    (void)state;
    replay_corpus("pieces", three_of_a_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_as_officially),
        cmocka_unit_test(texts_are_cut_at_the_end),
        cmocka_unit_test(special_pieces_can_be_text),
        cmocka_unit_test(words_keep_their_pieces_together),
        cmocka_unit_test(bad_bytes_are_characters),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(long_words_take_no_longer),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(stored_ones_are_checked),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(young_characters_are_known),
        cmocka_unit_test(corpus_never_breaks_a_tokenizer),
        cmocka_unit_test(corpus_never_breaks_pieces),
    };
    return cmocka_run_group_tests_name("token", tests, NULL, NULL);
}
