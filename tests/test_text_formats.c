/* test_text_formats.c -- sentences that are not columns: JSON rows of words and of texts, BRAT,
 * tables; words cut from texts, and spans that come back as characters. */
#include <dirent.h>
#include <stdlib.h>

#include "text_helper.h"

#include "base/mem.h"
#include "fuzz/fuzz_sentences.h"
#include "data/text/brat.h"
#include "data/text/tokenise.h"

/* --- words of a text ----------------------------------------------------- */

static const char *cut(const char *text)
{
    static char out[1024];
    bs_token    token = {0};
    int         lines;
    size_t      at = 0, last = 0;
    out[0] = '\0';
    while (bs_token_next(text, strlen(text), &token, &lines)) {
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%s%.*s", at ? "|" : "",
                               lines ? "/" : "", (int)(token.end - token.at), text + token.at);
        /* characters are those before it, and its own */
        assert_int_equal(token.first, bs_count_characters(text, token.at));
        assert_int_equal(token.last, bs_count_characters(text, token.end));
        assert_true(token.first >= last);
        last = token.last;
    }
    return out;
}

static void test_words(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", ""},
        {"  \n ", ""},
        {"Ada sleeps.", "Ada|sleeps|."},
        {"3.14 1,000.5 12:30 4th 5. 1.", "3.14|1,000.5|12:30|4th|5|.|1|."},
        {"Ada's don't we'll l'homme 'a' rock'n", "Ada|'s|don|'t|we|'ll|l|'|homme|'|a|'|rock|'n"},
        {"it\xe2\x80\x99s", "it|\xe2\x80\x99s"},
        {"wait... no -- yes!! (x)", "wait|...|no|--|yes|!!|(|x|)"},
        {"New-York a/b a_b", "New|-|York|a|/|b|a_b"},
        {"\xc5\x81\xc3\xb3"
         "d\xc5\xba\xc2\xa0\xe2\x82\xac",
         "\xc5\x81\xc3\xb3"
         "d\xc5\xba|\xe2\x82\xac"},
        {"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5|\xe6\x9c\xac"},
        {"\xf0\x9f\x91\x8d\xf0\x9f\x91\x8d", "\xf0\x9f\x91\x8d|\xf0\x9f\x91\x8d"},
        {"a\nb\r\nc", "a|/b|/c"},
        {"e\xcc\x81t\xc3\xa9", "e\xcc\x81t\xc3\xa9"}, /* a mark belongs to its letter */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(cut(rows[i][0]), rows[i][1]);
}

/* --- reading ------------------------------------------------------------- */

typedef struct {
    const char *options, *text, *shown, *noted;
} good;

#define KAGGLE "Sentence #,Word,POS,Tag\n"

static const good read_rows[] = {
    {"", "{\"tokens\": [\"Ada\", \"Lund\"], \"tags\": [\"B-PER\", \"I-PER\"]}\n",
     "Ada/B-PER Lund/E-PER", "tokens"},
    {"", "{\"words\": [\"a\"], \"labels\": [\"X\"]}\n\n{\"words\": [\"b\"], \"labels\": [\"Y\"]}",
     "a/X | b/Y", ""},
    {"tag_names=O,B-PER,I-PER",
     "{\"tokens\": [\"Ada\", \"Lund\", \"x\"], \"pos_tags\": [4, 4, 7], \"ner_tags\": [1, 2, 0]}",
     "Ada[4]/B-PER Lund[4]/E-PER x[7]/O", ""},
    {"", "{\"tokens\": [\"a\"], \"ner_tags\": [1]}", "a/1", "numbers without names"},
    {"tag_names=O,B-X", "{\"tokens\": [\"a\", \"b\"], \"tags\": [1, -100]}", "a/S-X b/?", ""},
    {"tag_column=pos", "{\"tokens\": [\"a\"], \"pos\": [\"N\"], \"tags\": [\"B-X\"]}", "a[B-X]/N",
     ""},
    {"feature_columns=none", "{\"tokens\": [\"a\"], \"pos\": [\"N\"], \"tags\": [\"B-X\"]}",
     "a/S-X", ""},
    {"feature_columns=pos",
     "{\"tokens\": [\"a\"], \"lemma\": [\"l\"], \"pos\": [\"N\"], \"tags\": [\"B-X\"]}", "a[N]/S-X",
     ""},
    {"", "{\"tokens\": [\"-DOCSTART-\", \"\", \"a\\nb\"], \"tags\": [\"O\", \"O\", \"B-X\"]}",
     "-DOCSTART-/O _/O a b/S-X", "2 words hold line ends"},
    {"", "[{\"tokens\": [\"a\"], \"tags\": [\"X\"]},\n {\"tokens\": [\"b\"], \"tags\": [\"Y\"]}]\n",
     "a/X | b/Y", ""},
    {"free", "{\"tokens\": [\"a\", \"b\"]}", "a b", ""},
    {"",
     "{\"text\": \"Ada Lund's cat\", \"spans\": [{\"start\": 0, \"end\": 8, \"label\": \"PER\"}]}",
     "Ada/B-PER Lund/E-PER 's/O cat/O", "1 text cut into words by rule"},
    {"", "{\"text\": \"Ada sleeps\", \"label\": [[0, 3, \"PER\"]]}", "Ada/S-PER sleeps/O", ""},
    {"", "{\"data\": \"Ada sleeps\", \"labels\": [[0, 3, \"PER\"]]}", "Ada/S-PER sleeps/O", ""},
    {"",
     "{\"text\": \"Ada\", \"entities\": [{\"id\": 3, \"start_offset\": 0, \"end_offset\": 3, "
     "\"label\": \"PER\"}]}",
     "Ada/S-PER", ""},
    {"", "[\"Ada sleeps\", {\"entities\": [[0, 3, \"PER\"]]}]", "Ada/S-PER sleeps/O", ""},
    {"", "[[\"Ada\", {\"entities\": [[0, 3, \"PER\"]]}], [\"b\", {\"entities\": []}]]",
     "Ada/S-PER | b/O", ""},
    /* characters, not bytes: four letters of eight bytes, an escape of two halves */
    {"",
     "{\"text\": \"\xc5\x81\xc3\xb3"
     "d\xc5\xba \\ud83d\\udc4d Rom\", \"spans\": [[7, 10, \"LOC\"]]}",
     "\xc5\x81\xc3\xb3"
     "d\xc5\xba/O \xf0\x9f\x91\x8d/O Rom/S-LOC",
     ""},
    {"", "{\"text\": \"Oslo is\", \"spans\": [{\"start\": 1, \"end\": 3, \"label\": \"L\"}]}",
     "Oslo/S-L is/O", "1 span did not begin and end where words do (the first in line 1)"},
    {"", "{\"text\": \"a b \", \"spans\": [{\"start\": 0, \"end\": 2, \"label\": \"L\"}]}",
     "a/S-L b/O", ""},
    {"", "{\"text\": \"a b c\", \"spans\": [[2, 3, \"In\"], [0, 5, \"Out\"]]}",
     "a/B-Out b/I-Out c/E-Out", "1 span lay across or inside of another"},
    {"", "{\"text\": \"a  b\", \"spans\": [[1, 3, \"X\"], [3, 4, \"Y\"]]}", "a/O b/S-Y",
     "1 span held blanks only"},
    {"", "{\"text\": \"a\\nb\\nc\", \"spans\": [[0, 1, \"X\"], [2, 5, \"Y\"]]}",
     "a/S-X | b/B-Y c/E-Y", ""},
    {"",
     "{\"text\": \"a\", \"spans\": [[0, 1, \"X\"]]}\n{\"text\": \"b\"}\n{\"text\": \"c\", "
     "\"spans\": [[0, 1, \"X\"]], \"answer\": \"reject\"}",
     "a/S-X | b/O", "1 row whose \"answer\" is not \"accept\" is left out"},
    {"free", "{\"text\": \"Ada, hi\"}", "Ada , hi", ""},
    {"free format=raw", "Ada, hi\n\nyou\n", "Ada , hi | you", ""},
    {"free tokens=rules model=2", "Ada, hi there\nyou\n", "Ada , hi there | you", ""},
    {"free format=text", "Ada, hi\n", "Ada, hi", ""},
    {"", KAGGLE "Sentence: 1,Ada,NNP,B-per\n,\"said, \"\"x\"\"\",V,O\nSentence: 2,Ben,NNP,B-per\n",
     "Ada[NNP]/S-per said, \"x\"[V]/O | Ben[NNP]/S-per", "csv"},
    {"", "sentence_id;token;ner\r\n1;Ada;B-per\r\n1;x;O\r\n2;Ben;O\r\n", "Ada/S-per x/O | Ben/O",
     ""},
    {"tag_column=POS", KAGGLE "1,Ada,NNP,B-per\n", "Ada[B-per]/NNP", ""},
    {"feature_columns=none tag_column=POS", KAGGLE "1,Ada,NNP,B-per\n", "Ada/NNP", ""},
    {"", ",Unnamed: 0,sentence_idx,word,tag\n0,5,1,Ada,B-per\n", "Ada/S-per", ""},
    {"free", "Sentence #,Word\n1,Ada\n,x\n", "Ada x", ""},
};

static void test_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_rows / sizeof *read_rows; i++) {
        const good *g = &read_rows[i];
        bs_notes    notes;
        bs_notes_init(&notes);
        bs_corpus *c = corpus_text(g->text, g->options, &notes);
        assert_string_equal(corpus_show(c), g->shown);
        if (!corpus_noted(&notes, g->noted))
            fail_msg("row %zu: no note \"%s\"", i, g->noted);
        fuzz_sound(c);
        fuzz_places(c);
        bs_corpus_free(c);
        bs_notes_free(&notes);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* --- refusing ------------------------------------------------------------ */

typedef struct {
    const char *options, *text, *message;
} bad;

static const bad refusals[] = {
    {"",
     "{\"tokens\": [\"a\"], \"tags\": [\"X\"]}\n{\"tokens\": [\"a\", \"b\"], \"tags\": [\"X\"]}",
     "data:2: 1 \"tags\" for 2 \"tokens\"; every word needs one"},
    {"", "{\"tokens\": [\"a\"], \"tags\": [\"X\"]}\n{\"tokens\": [\"a\"]}",
     "data:2: no \"tags\", which line 1 has"},
    {"", "{\"tokens\": [\"a\"], \"tags\": [\"X\"]}\n{\"tokens\": [\"a\"], \"tags\": \"X\"}",
     "data:2: \"tags\" is a string; it must be a list"},
    {"",
     "{\"tokens\": [\"a\"], \"tags\": [\"X\"]}\n{\"tokens\": [\"a\", 1], \"tags\": [\"X\", \"Y\"]}",
     "data:2: word 2 of \"tokens\" is a number; it must be a text"},
    {"format=tokens", "{{\"tokens\": [\"a\"], \"tags\": [\"X\"]}",
     "data:1:2: string or '}' expected near '{'"},
    {"", "{\"tokens\": [\"a\"], \"tags\": [\"\"]}",
     "data:1: one of \"tags\" is empty; it must be a text or a whole number"},
    {"format=tokens", "{\"sentence\": \"a b\"}",
     "data:1: no list of words; write {\"tokens\": [\"Ada\", ...], \"tags\": [\"B-PER\", ...]}"},
    {"", "{\"tokens\": [\"a\"], \"lemma\": [\"a\"]}",
     "data: there are no tags; --tag-column NAME says which of lemma are"},
    {"tag_column=nerr", "{\"tokens\": [\"a\"], \"tags\": [\"X\"]}",
     "data:1: --tag-column: nothing with a tag for every word is called 'nerr'"},
    {"tag_names=O,X", "{\"tokens\": [\"a\"], \"tags\": [2]}",
     "data:1: tag 2, but there are names for 0 to 1"},
    {"tag_names=O,X,O", "{\"tokens\": [\"a\"], \"tags\": [2]}",
     "--tag-names: tag 'O' is named twice"},
    {"tag_names=/no/such", "{\"tokens\": [\"a\"], \"tags\": [2]}",
     "--tag-names: '/no/such' is neither a file that can be read nor a list such as O,B-PER,I-PER"},
    {"", "{\"tokens\": [\"a\"], \"tags\": [\"X\"]}\n\n{\"tokens\": [\"a\", \"tags\": [\"X\"]}",
     "data:3:24: ']' expected near ':'"},
    {"format=tokens", "7\n", "data:1:1: '[' or '{' expected near '7'"},
    {"", "{\"text\": \"Ada\", \"spans\": [{\"start\": 0, \"end\": 4, \"label\": \"X\"}]}",
     "data:1: span 1 ends at 4, but the text has 3 characters (code points, not bytes)"},
    {"", "{\"text\": \"Ada\", \"spans\": [[0, 1, \"X\"], [2, 2, \"X\"]]}",
     "data:1: span 2 is from 2 to 2; the end must be after the start"},
    {"", "{\"text\": \"Ada\", \"spans\": [[0, 1, \"X\"], {\"start\": 1, \"label\": \"X\"}]}",
     "data:1: span 2 is not like {\"start\": 0, \"end\": 3, \"label\": \"PER\"} or [0, 3, "
     "\"PER\"]"},
    {"format=spans", "{\"texts\": 1}",
     "data:1: no text; write {\"text\": \"Ada sleeps\", \"spans\": [{\"start\": 0, \"end\": 3, "
     "\"label\": \"PER\"}]}"},
    {"format=spans", "{\"text\": \"a\"}",
     "data: the texts have no spans: write \"spans\": [{\"start\": 0, \"end\": 3, \"label\": "
     "\"PER\"}]"},
    {"free feature_columns=2", "{\"text\": \"a\"}",
     "data: a text has words only; --feature-columns asks for columns 2"},
    {"format=csv", "Word,Tag\na,X\n",
     "data:1: no column is called Sentence; the first row has names such as Sentence "
     "#,Word,POS,Tag"},
    {"", KAGGLE "1,a,N,O\n,b,N\n", "data:3: 3 columns, expected 4"},
    {"", KAGGLE ",a,N,O\n", "data:2: the first word is of no sentence: \"Sentence #\" is empty"},
    {"", KAGGLE "1,a,N,O\n,b,N,\n", "data:3: the tag is empty"},
    {"", KAGGLE "1,\"a,N,O\n", "data:2: a quote that is not closed"},
    {"", KAGGLE "1,caf\xe9,N,O\n",
     "data:2:6: byte 0xe9 is not UTF-8 text; a file in Latin-1 or Windows-1252 is converted with "
     "'iconv -f WINDOWS-1252 -t UTF-8'"},
    {"max_length=1",
     "{\"tokens\": [\"a\"], \"tags\": [\"X\"]}\n\n{\"tokens\": [\"a\", \"b\"], "
     "\"tags\": [\"X\", \"X\"]}",
     "data:3: the sentence has more than 1 tokens; text.max_length allows more (is the blank line "
     "between sentences missing?)"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const bad  *b = &refusals[i];
        bs_corpus  *c;
        basin_error err = {0};
        if (!corpus_bytes(b->text, strlen(b->text), b->options, &c, NULL, &err))
            fail_msg("row %zu was read: %s", i, b->message);
        assert_string_equal(err.msg, b->message);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* --- BRAT ---------------------------------------------------------------- */

static bs_corpus *marked(const char *text, const char *marks, bs_notes *notes, basin_error *err)
{
    const bs_brat_pair pair = {text, marks, strlen(text), marks ? strlen(marks) : 0};
    bs_corpus_options  o = corpus_options(marks ? "" : "free");
    bs_corpus         *c = NULL;
    bs_brat_read(&pair, &o, &c, notes, err);
    return c;
}

static void test_brat(void **state)
{
    (void)state;
    static const char *const rows[][4] = {
        {"Ada\nBen", "T1\tPER 0 3\tAda\nT2\tPER 4 7\tBen\n", "Ada/S-PER | Ben/S-PER", ""},
        {"in New\nYork", "T1\tLOC 3 6;7 11\tNew York\n", "in/O New/B-LOC York/E-LOC", ""},
        {"left and right side", "T1\tX 0 4;15 19\tleft side\n", "left/S-X and/O right/O side/S-X",
         "1 span is in pieces with words between"},
        {"a b", "T1\tX 0 1\ta\nR1\tr Arg1:T1 Arg2:T1\nA1\tm T1\n#1\tn T1\tx\n", "a/S-X b/O",
         "3 lines of relations"},
        {"a b", "", "a/O b/O", ""},
        {"a b", NULL, "a b", ""},
    };
    static const char *const wrong[][3] = {
        {"Ada", "T1\tPER 0 2\tAda\n",
         "memory:1: the text of the span is 'Ada', but characters 0 to 2 are 'Ad' (code points "
         "count, not bytes)"},
        {"Ada", "T1 PER 0 3\n",
         "memory:1: there is no tab after the number of the span; a span is T1<tab>LABEL START "
         "END<tab>its text"},
        {"Ada", "T1\tPER 0 x\tAda\n",
         "memory:1: the start and the end of the span are not understood; a span is T1<tab>LABEL "
         "START END<tab>its text"},
        {"Ada", "\nT1\tPER 3 3\t\n",
         "memory:2: the end is not after the start; a span is T1<tab>LABEL START END<tab>its "
         "text"},
        {"Ada", "T1\tPER 0 9\tAda\n",
         "memory:1: the span ends at 9, but the text has 3 characters (code points, not bytes)"},
        {"Ada", "PER 0 3\n",
         "memory:1: the line begins with none of T R E A M N # *; a span is T1<tab>LABEL START "
         "END<tab>its text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_notes    notes;
        basin_error err = {0};
        bs_notes_init(&notes);
        bs_corpus *c = marked(rows[i][0], rows[i][1], &notes, &err);
        if (!c)
            fail_msg("%s", err.msg);
        assert_string_equal(corpus_show(c), rows[i][2]);
        assert_true(corpus_noted(&notes, rows[i][3]));
        bs_corpus_free(c);
        bs_notes_free(&notes);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        basin_error err = {0};
        assert_null(marked(wrong[i][0], wrong[i][1], NULL, &err));
        assert_string_equal(err.msg, wrong[i][2]);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* --- writing ------------------------------------------------------------- */

static const char *converted(const bs_corpus *c, const char *format, bs_buf *out)
{
    basin_error err = {0};
    bs_buf_clear(out);
    if (bs_corpus_convert(c, format, corpus_sink, out, &err))
        fail_msg("%s: %s", format, err.msg);
    return out->data;
}

#define TEXTS                                                                                     \
    "{\"id\": 7, \"text\": \"Ada Lund's \xc5\x81\xc3\xb3"                                         \
    "d\xc5\xba.\\nIt rains\", \"spans\": [{\"start\": 0, \"end\": 8, \"label\": \"PER\"}, {\"s"   \
    "tart\": 11, \"end\": 15, \"label\": \"LOC\"}]}\n"                                            \
    "{\"id\": 8, \"text\": \"\", \"spans\": []}\n"                                                \
    "{\"id\": 9, \"text\": \"Ben  Ray\", \"spans\": [{\"start\": 0, \"end\": 8, \"label\": \"PER" \
    "\"}]}\n"

/* Texts stay texts, byte by byte; as words they can be read again with the same tags. */
static void test_there_and_back(void **state)
{
    (void)state;
    static const char *const formats[] = {"conll", "conllu", "tokens", "csv"};
    bs_corpus               *c = corpus_text(TEXTS, "to=keep", NULL);
    bs_buf                   out;
    char                     shown[1024];
    bs_buf_init(&out, 1 << 20);
    assert_string_equal(converted(c, NULL, &out), TEXTS);
    snprintf(shown, sizeof shown, "%s", corpus_show(c));
    assert_string_equal(shown, "Ada/B-PER Lund/I-PER 's/O \xc5\x81\xc3\xb3"
                               "d\xc5\xba/B-LOC ./O | It/O rains/O | Ben/B-PER Ray/I-PER");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        bs_corpus *again = corpus_text(converted(c, formats[i], &out), "to=keep", NULL);
        assert_string_equal(corpus_show(again), shown);
        bs_corpus_free(again);
    }
    assert_string_equal(converted(c, "raw", &out), "Ada Lund's \xc5\x81\xc3\xb3"
                                                   "d\xc5\xba.\nIt rains\n\nBen  Ray\n");
    bs_corpus_free(c);
    bs_buf_free(&out);
}

/* Words without a text get one: blanks between them. */
static void test_words_to_texts(void **state)
{
    (void)state;
    bs_corpus *c = corpus_text("{\"id\": \"a\", \"tokens\": [\"\xc3\x84"
                               "da\", \".\"], \"tags\": [\"B-X\", \"O\"]}\n"
                               "{\"id\": \"b\", \"tokens\": []}\n",
                               "to=keep", NULL);
    bs_buf     out;
    bs_buf_init(&out, 1 << 20);
    assert_string_equal(converted(c, "spans", &out),
                        "{\"id\": \"a\", \"text\": \"\xc3\x84"
                        "da .\", \"spans\": [{\"start\": 0, \"end\": 3, \"label\": \"X\"}]}\n"
                        "{\"id\": \"b\", \"text\": \"\", \"spans\": []}\n");
    assert_string_equal(converted(c, NULL, &out),
                        "{\"id\": \"a\", \"tokens\": [\"\xc3\x84"
                        "da\", \".\"], \"tags\": [\"B-X\", \"O\"]}\n"
                        "{\"id\": \"b\", \"tokens\": [], \"tags\": []}\n");
    bs_corpus_free(c);
    c = corpus_text("a B-X\nb I-X\n\nc O\n\n", "to=keep", NULL);
    assert_string_equal(converted(c, "spans", &out),
                        "{\"text\": \"a b\", \"spans\": [{\"start\": 0, \"end\": 3, \"label\": "
                        "\"X\"}]}\n{\"text\": \"c\", \"spans\": []}\n");
    bs_corpus_free(c);
    bs_buf_free(&out);
}

/* The same rows in four formats are the same data: not a bit of a model can differ. */
static void test_same_data(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "Ada\tN\tB-PER\nLund\tN\tI-PER\n\nis\tV\tO\n\n",
        "{\"tokens\": [\"Ada\", \"Lund\"], \"pos\": [\"N\", \"N\"], \"tags\": [\"B-PER\", "
        "\"I-PER\"]}\n{\"tokens\": [\"is\"], \"tags\": [\"O\"], \"pos\": [\"V\"]}",
        "Sentence #,Word,POS,Tag\n1,Ada,N,B-PER\n,Lund,N,I-PER\n2,is,V,O\n",
    };
    bs_corpus *first = corpus_text(rows[0], "", NULL);
    for (size_t i = 1; i < sizeof rows / sizeof *rows; i++) {
        bs_corpus *c = corpus_text(rows[i], "", NULL);
        assert_int_equal(c->hash, first->hash);
        assert_string_equal(corpus_show(c), corpus_show(first));
        assert_int_equal(c->tag_column, first->tag_column);
        assert_int_equal(c->file_columns, first->file_columns);
        bs_corpus_free(c);
    }
    bs_corpus_free(first);
}

/* --- parts and sums ------------------------------------------------------ */

static void test_select_and_join(void **state)
{
    (void)state;
    const int32_t last[] = {2}, torn[] = {1};
    bs_corpus    *c = corpus_text(TEXTS, "to=keep", NULL), *part = NULL;
    basin_error   err;
    bs_buf        out;
    bs_buf_init(&out, 1 << 20);
    assert_int_equal(c->documents, 2); /* one of them is of two sentences */
    assert_int_equal(bs_corpus_select(c, last, 1, &part, &err), BASIN_OK);
    assert_string_equal(converted(part, NULL, &out), strstr(TEXTS, "{\"id\": 9"));
    bs_corpus_free(part);
    assert_int_equal(bs_corpus_select(c, torn, 1, &part, &err), BASIN_OK);
    fuzz_sound(part);
    fuzz_places(part);
    assert_int_equal(bs_corpus_line(part, 0), 1);
    assert_int_equal(bs_corpus_append(c, part, &err), BASIN_OK);
    fuzz_sound(c);
    fuzz_places(c);
    assert_int_equal(c->records, 4);
    assert_int_equal(c->sentences, 4);
    assert_int_equal(bs_corpus_line(c, c->start[2]), 3);
    bs_corpus_free(part);
    bs_corpus_free(c);
    bs_buf_free(&out);
    assert_int_equal(bs_mem_live(), 0);
}

/* What a model keeps of numbers with names, and of texts. */
static void test_fix(void **state)
{
    (void)state;
    bs_corpus_options o = bs_corpus_options_default();
    bs_corpus *c = corpus_text("{\"tokens\": [\"a\"], \"tags\": [1]}", "tag_names=O,B-X", NULL);
    bs_corpus_fix(c, &o);
    assert_string_equal(o.tag_names, "O,B-X");
    assert_string_equal(o.tokens, "auto");
    bs_corpus_free(c);
    c = corpus_text(TEXTS, "", NULL);
    bs_corpus_fix(c, &o);
    assert_string_equal(o.tokens, "rules");
    bs_corpus_free(c);
}

static void test_sniff(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool        ours;
    } rows[] = {
        {"{\"tokens\": [\"a\"], \"tags\": [\"X\"]}\n", true},
        {"{\"tokens\": [\"a\", \"b\"], \"labels\": [\"sport\"]}\n", false},
        {"{\"text\": \"a\", \"spans\": [{\"start\": 0, \"end\": 1, \"label\": \"X\"}]}\n", true},
        {"{\"text\": \"a\", \"label\": []}\n{\"text\": \"a\", \"label\": [[0, 1, \"X\"]]}\n", true},
        {"{\"text\": \"a\", \"labels\": [\"sport\"]}\n", false},
        {"{\"text\": \"a\", \"labels\": []}\n", false},
        {"{\"features\": [1, 2], \"labels\": [\"a\"]}\n", false},
        {KAGGLE "1,Ada,N,O\n", true},
        {"sentence,length,tag\n1,2,3\n", false},
        {"word,count,label\na,2,1\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((bs_corpus_sniff(rows[i].text, strlen(rows[i].text), "") > 85) != rows[i].ours)
            fail_msg("row %zu: %d", i, bs_corpus_sniff(rows[i].text, strlen(rows[i].text), ""));
}

/* --- memory, replay ------------------------------------------------------ */

static basin_status use(const char *text, basin_error *err)
{
    static const char *const formats[] = {NULL, "conll", "tokens", "spans", "csv", "raw"};
    const int32_t            one[] = {0};
    bs_corpus               *c = NULL, *part = NULL;
    bs_buf                   out;
    bs_buf_init(&out, 1 << 20);
    basin_status s = corpus_bytes(text, strlen(text), "", &c, NULL, err);
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !s; i++)
        s = bs_corpus_convert(c, formats[i], corpus_sink, &out, err);
    if (!s)
        s = bs_corpus_select(c, one, 1, &part, err);
    if (!s)
        s = bs_corpus_append(c, part, err);
    bs_corpus_free(part);
    bs_corpus_free(c);
    bs_buf_free(&out);
    return s;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static const char *const rows[] = {
        TEXTS, "{\"id\": 1, \"tokens\": [\"a\"], \"pos\": [\"N\"], \"tags\": [\"B-X\"]}\n",
        KAGGLE "1,a,\"N\"\"\",B-X\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int n = 1;; n++) {
            basin_error err = {0};
            bs_mem_fail_at(n);
            const basin_status s = use(rows[i], &err);
            bs_mem_fail_at(0);
            assert_int_equal(bs_mem_live(), 0);
            if (!s)
                break;
            if (s != BASIN_ENOMEM)
                fail_msg("row %zu, allocation %d: %s", i, n, err.msg);
        }
}

static int replay(const char *folder, void (*target)(const uint8_t *, size_t))
{
    DIR *d = opendir(folder);
    int  n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        char    path[400];
        uint8_t bytes[4096];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE  *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        if (!f)
            continue;
        fclose(f);
        /* Whole, cut off anywhere, and with every single bit turned. */
        for (size_t k = 0; k <= size; k++)
            target(bytes, k);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            target(bytes, size);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

static void test_replay(void **state)
{
    (void)state;
    assert_true(replay("tests/fuzz/corpus/sentence_rows", fuzz_rows) > 0);
    assert_true(replay("tests/fuzz/corpus/brat", fuzz_brat) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_brat),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_words_to_texts),
        cmocka_unit_test(test_same_data),
        cmocka_unit_test(test_select_and_join),
        cmocka_unit_test(test_fix),
        cmocka_unit_test(test_sniff),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
