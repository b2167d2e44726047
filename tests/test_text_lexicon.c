/* test_text_lexicon.c -- what a tagger remembers: fitted, used, written, read and refused. */
#include "tests/check.h"

#include <stdlib.h>

#include "replay.h"
#include "fuzz/fuzz_text.h"

/* --- a small corpus ------------------------------------------------------ */

typedef struct {
    bs_arena        arena;
    bs_names        words, value[1], tags, other;
    int32_t         word[64], feature[64];
    const int32_t  *features[1];
    int             column[1];
    bs_vectors      vectors;
    bs_clusters     clusters;
    bs_words_source view;
} corpus;

static int32_t number_of(bs_names *names, const char *text, size_t len)
{
    bool    fresh;
    int32_t k = bs_names_add(names, text, len, &fresh);
    assert_true(k >= 0);
    return k;
}

/* Words separated by blanks. */
static void add_all(bs_names *names, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        number_of(names, text, n);
        text += n + (text[n] == ' ');
    }
}

static bs_input *open_text(const char *name, const char *text)
{
    bs_input *in;
    assert_int_equal(bs_input_memory(name, text, strlen(text), &in, NULL), BASIN_OK);
    return in;
}

static const char clusters[] = "0010 the 9\n0011 of 9\n110 berlin 9\n1111 Paris 1\n"
                               "10 <@MENTION> 7\n01 zoo 1\n00 \xff 1\n";

/* "word/value word/value ..." */
static void corpus_open(corpus *c, const char *text)
{
    static const char vectors[] = "the 1 2\nberlin 3 4\nParis 5 6\nrare 7 8\n<user> 9 9\nzoo 0 1\n"
                                  "\xff 1 1\n";
    basin_error       err;
    memset(c, 0, sizeof *c);
    bs_arena_init(&c->arena, 0);
    bs_names_init(&c->words, &c->arena);
    bs_names_init(&c->value[0], &c->arena);
    bs_names_init(&c->tags, &c->arena);
    bs_names_init(&c->other, &c->arena);
    number_of(&c->words, "unused", 6);
    number_of(&c->value[0], "XX", 2);
    int32_t n = 0;
    for (const char *p = text; *p; n++) {
        size_t len = strcspn(p, " "), slash = strcspn(p, "/");
        c->word[n] = number_of(&c->words, p, slash);
        c->feature[n] = number_of(&c->value[0], p + slash + 1, len - slash - 1);
        p += len + (p[len] == ' ');
    }
    add_all(&c->tags, "O B-LOC I-LOC");
    add_all(&c->other, "rare Paris nowhere");
    c->features[0] = c->feature;
    c->column[0] = 2;
    c->view = (bs_words_source){.tokens = n,
                                .words = &c->words,
                                .word = c->word,
                                .columns = 1,
                                .column = c->column,
                                .value = c->value,
                                .feature = c->features,
                                .tags = &c->tags,
                                .scheme = 3};
    bs_input *in = open_text("vectors", vectors);
    assert_int_equal(bs_vectors_read_input(in, NULL, &c->vectors, NULL, &err), BASIN_OK);
    bs_input_close(in);
    in = open_text("clusters", clusters);
    assert_int_equal(bs_clusters_read_input(in, NULL, &c->clusters, NULL, &err), BASIN_OK);
    bs_input_close(in);
}

static void corpus_close(corpus *c)
{
    bs_names_free(&c->words);
    bs_names_free(&c->value[0]);
    bs_names_free(&c->tags);
    bs_names_free(&c->other);
    bs_vectors_free(&c->vectors);
    bs_clusters_free(&c->clusters);
    bs_arena_free(&c->arena);
}

/* "digits=yes min_count=2": rows of words.*, except for chars.* */
static bs_lexicon_options options_from(const char *text)
{
    bs_lexicon_options o = bs_lexicon_options_default();
    basin_error        err;
    char               copy[400], key[400];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = copy, *next; p && *p; p = next) {
        next = strchr(p, ' ');
        if (next)
            *next++ = '\0';
        char *value = strchr(p, '=');
        *value++ = '\0';
        snprintf(key, sizeof key, strchr(p, '.') ? "%s" : "words.%s", p);
        if (bs_options_set(bs_lexicon_rows, &o, key, value, "test", &err))
            fail_msg("%s", err.msg);
    }
    return o;
}

static const char text_one[] =
    "The/DT Berlin/NN the/DT zoo/NN of/IN BERLIN/NN ,/, 1996/CD 1997/CD @jo/USR @mo/USR rare/JJ";

static void fit(corpus *c, const char *options, bs_lexicon *l, bs_notes *notes)
{
    bs_lexicon_options o = options_from(options);
    basin_error        err;
    bs_names           wanted;
    bs_names_init(&wanted, &c->arena);
    assert_int_equal(bs_lexicon_wanted(&o, &c->words, &wanted, &err), BASIN_OK);
    assert_int_equal(bs_lexicon_wanted(&o, &c->other, &wanted, &err), BASIN_OK);
    bs_clusters_free(&c->clusters);
    bs_input *in = open_text("clusters", clusters);
    assert_int_equal(bs_clusters_read_input(in, strcmp(o.keep, "all") == 0 ? NULL : &wanted,
                                            &c->clusters, NULL, &err),
                     BASIN_OK);
    bs_input_close(in);
    bs_names_free(&wanted);
    if (bs_lexicon_fit(&o, &c->view, &c->other, &c->vectors, &c->clusters, l, notes, &err))
        fail_msg("%s", err.msg);
}

/* Names separated by blanks. */
static const char *join(const bs_names *names)
{
    static char text[4][1000];
    static int  next;
    char       *p = text[next++ % 4];
    p[0] = '\0';
    for (int32_t i = 0; i < names->n; i++)
        snprintf(p + strlen(p), sizeof text[0] - strlen(p), "%s%s", i ? " " : "",
                 names->item[i].text);
    return p;
}

/* --- fitting ------------------------------------------------------------- */

static void words_of_the_table(void **state)
{
    (void)state;
    static const struct {
        const char *options, *words;
        int         trained, repeated;
    } rows[] = {
        {"", "<unk> the berlin zoo of , 1996 1997 @jo @mo rare", 11, 3},
        {"lower=no", "<unk> The Berlin the zoo of BERLIN , 1996 1997 @jo @mo rare Paris", 13, 1},
        {"digits=yes tweets=yes", "<unk> the berlin 0000 <@MENTION> zoo of , rare", 9, 5},
        {"min_count=2", "<unk> the berlin zoo rare", 3, 3},
        {"min_count=9", "<unk> the berlin zoo rare", 1, 1},
        {"min_count=2 keep=all", "<unk> the berlin zoo rare <user>", 3, 3},
        {"min_count=2 keep=all lower=no",
         "<unk> The Berlin the zoo BERLIN rare Paris berlin <user>", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        corpus     c;
        bs_lexicon l;
        corpus_open(&c, text_one);
        fit(&c, rows[i].options, &l, NULL);
        assert_string_equal(join(&l.words), rows[i].words);
        assert_int_equal(l.n_trained, rows[i].trained);
        assert_int_equal(l.n_repeated, rows[i].repeated);
        for (int32_t k = 0; k < l.n_trained; k++)
            assert_int_equal(l.scheme, 3);
        bs_lexicon_free(&l);
        corpus_close(&c);
    }
}

/* Labelled: The Berlin the zoo; the rest is not. What is known and what is seen once is said by the
 * labelled words; others are behind them when they come twice, or have a vector. */
static void words_of_unlabelled_sentences(void **state)
{
    (void)state;
    static const struct {
        const char *options, *words;
        int         trained, repeated;
    } rows[] = {
        {"", "<unk> the berlin zoo 1996 rare", 4, 2},
        {"min_count=2", "<unk> the berlin 1996 zoo rare", 2, 2},
        {"min_count=3", "<unk> the berlin zoo rare", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        corpus     c;
        bs_lexicon l;
        corpus_open(&c,
                    "The/DT Berlin/NN the/DT zoo/NN of/IN BERLIN/NN ,/, 1996/CD 1996/CD rare/JJ");
        c.view.unlabelled = 6;
        fit(&c, rows[i].options, &l, NULL);
        assert_string_equal(join(&l.words), rows[i].words);
        assert_int_equal(l.n_trained, rows[i].trained);
        assert_int_equal(l.n_repeated, rows[i].repeated);
        /* features and characters are those of all words that are fed */
        assert_string_equal(join(&l.value[0]), "<unk> DT NN IN , CD JJ");
        assert_true(bs_names_find(&l.characters, "9", 1) > 0);
        bs_lexicon_free(&l);
        corpus_close(&c);
    }
}

static void columns_and_characters(void **state)
{
    (void)state;
    corpus     c;
    bs_lexicon l;
    bs_notes   notes;
    bs_notes_init(&notes);
    corpus_open(&c, text_one);
    fit(&c, "tweets=yes cluster_prefixes=2,all", &l, &notes);
    assert_int_equal(l.columns, 4);
    assert_string_equal(l.column_name[0], "column 2");
    assert_int_equal(l.column_source[0], 0);
    assert_string_equal(join(&l.value[0]), "<unk> DT NN IN , CD USR JJ"); /* not XX */
    assert_string_equal(l.column_name[1], "case");
    assert_int_equal(l.column_source[1], -1 - BS_COLUMN_CASE);
    assert_int_equal(l.value[1].n, 1 + BS_CASE_COUNT);
    assert_string_equal(l.column_name[2], "cluster:2");
    assert_int_equal(l.column_source[2], -1 - BS_COLUMN_CLUSTER);
    assert_string_equal(join(&l.value[2]), "<unk> 00 11 01 10");
    assert_string_equal(l.column_name[3], "cluster:all");
    assert_string_equal(join(&l.value[3]), "<unk> 0010 110 01 0011 10");
    assert_string_equal(join(&l.clusters.words), "the of berlin Paris <@MENTION> zoo");
    assert_string_equal(join(&l.tags), "O B-LOC I-LOC");
    assert_string_equal(join(&l.characters),
                        "<pad> <unk> T h e B r l i n t z o f E R L I N , 1 9 6 7 @ j m a");
    assert_int_equal(notes.n, 2);
    assert_string_equal(notes.note[0].text,
                        "66.7 % of the training tokens have a vector; 0 words have only that");
    assert_string_equal(notes.note[1].text, "66.7 % of the training tokens have a cluster");
    bs_lexicon_free(&l);

    fit(&c, "case=no keep=all cluster_prefixes=4 chars.min_count=3 chars.max_length=5", &l, NULL);
    assert_int_equal(l.columns, 2);
    assert_int_equal(l.clusters.n, 7);
    assert_string_equal(join(&l.characters), "<pad> <unk> e r o 9");
    assert_int_equal(l.max_characters, 5);
    bs_lexicon_free(&l);
    bs_notes_free(&notes);
    corpus_close(&c);
}

static void wanted_spellings(void **state)
{
    (void)state;
    corpus             c;
    bs_names           wanted;
    bs_lexicon_options o = options_from("digits=yes");
    corpus_open(&c, "The/x A1/x");
    bs_names_init(&wanted, &c.arena);
    assert_int_equal(bs_lexicon_wanted(&o, &c.words, &wanted, NULL), BASIN_OK);
    assert_string_equal(join(&wanted), "unused The the A1 a0 a1");
    bs_names_free(&wanted);
    corpus_close(&c);
}

static void vectors_fill_the_table(void **state)
{
    (void)state;
    corpus     c;
    bs_lexicon l;
    float      table[20][2];
    uint8_t    known[20] = {0};
    corpus_open(&c, text_one);
    fit(&c, "lower=no tweets=yes", &l, NULL);
    assert_string_equal(join(&l.words), "<unk> <@MENTION> The Berlin the zoo of BERLIN , 1996 1997 "
                                        "rare Paris");
    for (int i = 0; i < 20; i++)
        table[i][0] = table[i][1] = -1;
    assert_int_equal(bs_lexicon_fill(&l, &c.vectors, 0.5f, table[0], known), 8);
    static const float want[][2] = {{-1, -1},  {4.5f, 4.5f}, {0.5f, 1}, {1.5f, 2}, {0.5f, 1},
                                    {0, 0.5f}, {-1, -1},     {1.5f, 2}, {-1, -1},  {-1, -1},
                                    {-1, -1},  {3.5f, 4},    {2.5f, 3}, {-1, -1}};
    for (int i = 0; i < 14; i++) {
        assert_true(table[i][0] == want[i][0] && table[i][1] == want[i][1]);
        assert_int_equal(known[i], want[i][0] >= 0);
    }
    bs_lexicon_free(&l);
    corpus_close(&c);
}

static void refused_options(void **state)
{
    (void)state;
    static const char *const bad[] = {"0",
                                      "x",
                                      "4,",
                                      "4,,8",
                                      "4 8",
                                      "129",
                                      "allx",
                                      ",4",
                                      "1,2,1",
                                      "all,all",
                                      "1,2,3,4,5,6,7,8,9"};
    corpus                   c;
    bs_lexicon               l;
    basin_error              err;
    corpus_open(&c, text_one);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bs_lexicon_options o = bs_lexicon_options_default();
        snprintf(o.cluster_prefixes, sizeof o.cluster_prefixes, "%s", bad[i]);
        assert_int_equal(bs_lexicon_fit(&o, &c.view, NULL, NULL, &c.clusters, &l, NULL, &err),
                         BASIN_EARG);
        assert_non_null(strstr(err.msg, "words.cluster_prefixes: '"));
        assert_int_equal(l.words.n, 0);
        bs_lexicon_free(&l);
    }
    bs_lexicon_options o = bs_lexicon_options_default();
    bs_names           none = {0};
    c.view.tags = &none;
    assert_int_equal(bs_lexicon_fit(&o, &c.view, NULL, NULL, NULL, &l, NULL, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "the training data has no tags");
    c.view.tags = &c.tags;
    number_of(&c.tags, "\xff", 1);
    assert_int_equal(bs_lexicon_fit(&o, &c.view, NULL, NULL, NULL, &l, NULL, &err), BASIN_EDATA);
    corpus_close(&c);
}

/* --- from texts to numbers ----------------------------------------------- */

static void check_numbers(const bs_lexicon *l)
{
    enum { N = 8, C = 5 };
    corpus  c;
    int32_t id[N], letters[N][C], length[N];
    corpus_open(&c, "Berlin/NN THE/?? paris/DT Zanzibar/CD @zz/USR "
                    "z\xc3\xbc/NN Parisian/NN");
    assert_int_equal(c.words.n, N); /* the first is "unused" */

    bs_lexicon_words(l, &c.words, id);
    static const char *const words[N] = {"<unk>", "berlin",     "the",   "<unk>",
                                         "<unk>", "<@MENTION>", "<unk>", "<unk>"};
    for (int i = 0; i < N; i++)
        assert_string_equal(l->words.item[id[i]].text, words[i]);

    bs_lexicon_column(l, 0, &c.value[0], id);
    static const char *const values[] = {"<unk>", "NN", "<unk>", "DT", "CD", "USR"};
    for (int i = 0; i < c.value[0].n; i++)
        assert_string_equal(l->value[0].item[id[i]].text, values[i]);

    bs_lexicon_column(l, 1, &c.words, id);
    static const char *const shapes[N] = {"lower", "Title",   "UPPER", "lower",
                                          "Title", "mention", "lower", "Title"};
    for (int i = 0; i < N; i++)
        assert_string_equal(l->value[1].item[id[i]].text, shapes[i]);

    bs_lexicon_column(l, 2, &c.words, id);
    static const char *const prefixes[N] = {"<unk>", "11", "00",    "<unk>",
                                            "<unk>", "10", "<unk>", "<unk>"};
    for (int i = 0; i < N; i++)
        assert_string_equal(l->value[2].item[id[i]].text, prefixes[i]);

    assert_int_equal(l->max_characters, C);
    bs_lexicon_characters(l, &c.words, letters[0], length);
    static const char *const spelled[N] = {"<unk>n<unk>e<unk>", "Berin", "T<unk>E", "<unk>ari<unk>",
                                           "<unk>anar",         "@zz",   "z<unk>",  "<unk>aran"};
    for (int i = 0; i < N; i++) {
        char text[100] = "";
        for (int k = 0; k < C; k++)
            if (letters[i][k])
                strcat(text, l->characters.item[letters[i][k]].text);
            else
                assert_true(k >= length[i]);
        assert_string_equal(text, spelled[i]);
    }
    static const int32_t lengths[N] = {5, 5, 3, 5, 5, 3, 2, 5};
    assert_memory_equal(length, lengths, sizeof lengths);

    add_all(&c.tags, "B-PER");
    bs_lexicon_tags(l, &c.tags, id);
    static const int32_t tags[] = {0, 1, 2, -1};
    assert_memory_equal(id, tags, sizeof tags);
    corpus_close(&c);
}

static const char options_one[] = "tweets=yes cluster_prefixes=2,all chars.max_length=5";

static void numbers_survive_the_model_file(void **state)
{
    (void)state;
    corpus      c;
    bs_lexicon  l, back;
    bs_buf      one, two;
    basin_error err;
    bs_buf_init(&one, 1 << 20);
    bs_buf_init(&two, 1 << 20);
    corpus_open(&c, text_one);
    fit(&c, options_one, &l, NULL);
    check_numbers(&l);
    bs_lexicon_json(&l, &one);
    assert_false(one.failed);
    if (take_json(one.data, one.len, "model", &back, &err))
        fail_msg("%s", err.msg);
    check_numbers(&back);
    assert_int_equal(back.n_repeated, l.n_repeated);
    bs_lexicon_json(&back, &two);
    assert_string_equal(one.data, two.data);
    bs_lexicon_free(&l);
    bs_lexicon_free(&back);
    bs_buf_free(&one);
    bs_buf_free(&two);
    corpus_close(&c);
}

/* --- damaged models ------------------------------------------------------ */

#define FOLDS          "\"lower\":true,\"digits\":false,\"tweets\":false"
#define SIZES          ",\"scheme\":1,\"max_characters\":8,\"trained\":2,\"repeated\":1"
#define TAGS           ",\"tags\":\"O\""
#define LETTERS        ",\"characters\":\"<pad>\\n<unk>\\na\""
#define NAMED          ",\"columns\":[{\"name\":\"c\","
#define COLUMNS        NAMED "\"source\":0,\"prefix\":0,\"values\":\"<unk>\"}]"
#define WORDS          ",\"words\":\"<unk>\\na\""
#define REST           TAGS LETTERS COLUMNS WORDS "}"
#define COLUMN(rest)   "{" FOLDS SIZES TAGS LETTERS WORDS NAMED rest "}]}"
#define CLUSTERS(text) "{" FOLDS SIZES TAGS LETTERS COLUMNS WORDS ",\"clusters\":" text "}"
#define NOT_VALUES     "values of a column are not different lines after <unk>"
#define NOT_LETTERS    "characters are not different lines after <pad> and <unk>"
#define NOT_WORDS      "words are not different lines after <unk>"
#define NOT_CLUSTERS   "clusters are not lines of paths and different words"

static void damaged_models_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *json, *what;
    } rows[] = {
        {"{" FOLDS SIZES REST, NULL},
        {CLUSTERS("\"01 a\\n01 b c\""), NULL},
        {COLUMN("\"source\":-2,\"prefix\":4,\"values\":\"<unk>\""), NULL},
        {"", "'[' or '{' expected near end of file"},
        {"[]", "Expected object, got array"},
        {"{\"lower\":1}", "Expected true or false, got integer"},
        {"{" FOLDS TAGS "}", "Object item not found: scheme"},
        {"{" FOLDS ",\"scheme\":-1,\"max_characters\":8,\"trained\":2,\"repeated\":1" REST,
         "scheme is out of range"},
        {"{" FOLDS ",\"scheme\":1e3,\"max_characters\":8,\"trained\":2,\"repeated\":1" REST,
         "Expected integer, got real"},
        {"{" FOLDS ",\"scheme\":1,\"max_characters\":99999999999,\"trained\":2,\"repeated\":1" REST,
         "max_characters is out of range"},
        {"{" FOLDS ",\"scheme\":1,\"max_characters\":8,\"trained\":3,\"repeated\":1" REST,
         "trained or repeated is not a number of words"},
        {"{" FOLDS ",\"scheme\":1,\"max_characters\":8,\"trained\":0,\"repeated\":0" REST,
         "trained or repeated is not a number of words"},
        {"{" FOLDS ",\"scheme\":1,\"max_characters\":8,\"trained\":1,\"repeated\":2" REST,
         "trained or repeated is not a number of words"},
        {"{" FOLDS SIZES ",\"tags\":\"\"" LETTERS COLUMNS WORDS "}", "a tag is empty"},
        {"{" FOLDS SIZES ",\"tags\":[\"O\"]" LETTERS COLUMNS WORDS "}",
         "Expected string, got array"},
        {"{" FOLDS SIZES ",\"tags\":\"O\\nO\"" LETTERS COLUMNS WORDS "}",
         "tags are not different lines"},
        {"{" FOLDS SIZES ",\"tags\":\"a\\u0000b\"}",
         "\\u0000 is not allowed without JSON_ALLOW_NUL near '\"a\\u0000b\"'"},
        {"{" FOLDS SIZES TAGS ",\"characters\":\"<unk>\\n<pad>\"" COLUMNS WORDS "}", NOT_LETTERS},
        {"{" FOLDS SIZES TAGS ",\"characters\":\"\"" COLUMNS WORDS "}", NOT_LETTERS},
        {"{" FOLDS SIZES TAGS LETTERS ",\"columns\":3" WORDS "}",
         "columns is not a list, or too long"},
        {"{" FOLDS SIZES TAGS LETTERS
         ",\"columns\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]" WORDS "}",
         "columns is not a list, or too long"},
        {"{" FOLDS SIZES TAGS LETTERS ",\"columns\":[0]" WORDS "}", "Expected object, got integer"},
        {COLUMN("\"prefix\":0,\"values\":\"<unk>\""), "Object item not found: source"},
        {COLUMN("\"source\":-3,\"prefix\":0,\"values\":\"<unk>\""),
         "the source of a column is out of range"},
        {COLUMN("\"source\":65537,\"prefix\":0,\"values\":\"<unk>\""),
         "the source of a column is out of range"},
        {COLUMN("\"source\":-2,\"prefix\":129,\"values\":\"<unk>\""),
         "the prefix of a column is out of range"},
        {COLUMN("\"source\":0,\"prefix\":0,\"values\":\"\""), NOT_VALUES},
        {COLUMN("\"source\":0,\"prefix\":0,\"values\":\"<unk>\\na\\na\""), NOT_VALUES},
        {"{" FOLDS SIZES TAGS LETTERS COLUMNS ",\"words\":\"\"}", NOT_WORDS},
        {"{" FOLDS SIZES TAGS LETTERS COLUMNS ",\"words\":\"a\\n<unk>\"}", NOT_WORDS},
        {"{" FOLDS SIZES TAGS LETTERS COLUMNS ",\"words\":\"<unk>a\"}", NOT_WORDS},
        {"{" FOLDS SIZES TAGS LETTERS COLUMNS ",\"words\":\"<unk>\\na\\nb\\na\"}", NOT_WORDS},
        {CLUSTERS("[]"), "Expected string, got array"},
        {CLUSTERS("\"\""), NOT_CLUSTERS},
        {CLUSTERS("\"2 a\""), NOT_CLUSTERS},
        {CLUSTERS("\"1\""), NOT_CLUSTERS},
        {CLUSTERS("\"1 \""), NOT_CLUSTERS},
        {CLUSTERS("\"1 a\\n0 a\""), NOT_CLUSTERS},
        {CLUSTERS("\"1 a\\n\""), NOT_CLUSTERS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_lexicon   l;
        basin_error  err = {0};
        char         want[300];
        basin_status s = take_json(rows[i].json, strlen(rows[i].json), "m", &l, &err);
        if (rows[i].what) {
            snprintf(want, sizeof want, "m: the lexicon is damaged: %s", rows[i].what);
            assert_string_equal(err.msg, want);
        }
        assert_int_equal(s, rows[i].what ? BASIN_EDATA : BASIN_OK);
        bs_lexicon_free(&l);
        assert_int_equal(bs_mem_live(), 0);
    }

    static const char *const before[] = {"{" FOLDS SIZES LETTERS COLUMNS WORDS ",\"tags\":\"",
                                         "{" FOLDS SIZES TAGS LETTERS    COLUMNS
                                         ",\"words\":\"<unk>\\n"};
    static const char *const after[] = {"\"}", "\"}"};
    for (int i = 0; i < 2; i++) {
        char         long_word[BS_FORM_MAX + 500];
        const size_t end = strlen(after[i]);
        bs_lexicon   l;
        basin_error  err;
        memset(long_word, 'x', sizeof long_word);
        memcpy(long_word, before[i], strlen(before[i]));
        memcpy(long_word + sizeof long_word - end, after[i], end);
        assert_int_equal(take_json(long_word, sizeof long_word, "m", &l, &err), BASIN_EDATA);
        assert_non_null(strstr(err.msg, " are not "));
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    corpus             c;
    bs_lexicon_options o = options_from("keep=all");
    bs_buf             json;
    basin_status       s = BASIN_ENOMEM;
    corpus_open(&c, text_one);
    bs_buf_init(&json, 1 << 20);
    for (long n = 1; s; n++) {
        bs_lexicon  l;
        basin_error err = {0};
        long        live = bs_mem_live();
        bs_mem_fail_at(n);
        s = bs_lexicon_fit(&o, &c.view, &c.other, &c.vectors, &c.clusters, &l, NULL, &err);
        bs_mem_fail_at(0);
        assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
        assert_true(n < 200);
        if (!s)
            bs_lexicon_json(&l, &json);
        bs_lexicon_free(&l);
        assert_int_equal(bs_mem_live(), live + (s == BASIN_OK));
    }
    s = BASIN_ENOMEM;
    for (long n = 1; s; n++) {
        bs_lexicon  l;
        basin_error err = {0};
        long        live = bs_mem_live();
        bs_mem_fail_at(n);
        s = take_json(json.data, json.len, "m", &l, &err);
        bs_mem_fail_at(0);
        assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
        assert_true(n < 200);
        bs_lexicon_free(&l);
        assert_int_equal(bs_mem_live(), live);
    }
    bs_names wanted;
    bs_names_init(&wanted, &c.arena);
    bs_mem_fail_at(1);
    assert_int_equal(bs_lexicon_wanted(&o, &c.words, &wanted, NULL), BASIN_ENOMEM);
    bs_mem_fail_at(0);
    bs_names_free(&wanted);
    bs_buf_free(&json);
    corpus_close(&c);
}

static void corpora(void **state)
{
    (void)state;
    replay_corpus("lexicon", fuzz_lexicon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_table),
        cmocka_unit_test(words_of_unlabelled_sentences),
        cmocka_unit_test(columns_and_characters),
        cmocka_unit_test(wanted_spellings),
        cmocka_unit_test(vectors_fill_the_table),
        cmocka_unit_test(refused_options),
        cmocka_unit_test(numbers_survive_the_model_file),
        cmocka_unit_test(damaged_models_are_refused),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(corpora),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
