/* test_text_corpus.c -- reading sentences and writing them again. */
#include <dirent.h>
#include <stdlib.h>

#include "text_helper.h"

#include "base/mem.h"
#include "data/rows/read.h"

#define CONLL2003                                                   \
    "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n" \
    "German JJ I-NP I-MISC\n. . O O\n\nPeter NNP I-NP I-PER\n"      \
    "Blackburn NNP I-NP I-PER\n\n-DOCSTART- -X- O O\n\nBRUSSELS NNP I-NP I-LOC\n"

#define CONLLU                                                                              \
    "# newdoc id = a\n# text = vamonos al mar\n1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_\n"      \
    "1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_\n2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_\n" \
    "2.1\tx\tx\tX\t_\t_\t_\t_\t_\t_\n3\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\t_\n\n"             \
    "# sent_id = 2\n1\t#\t#\tSYM\t_\t_\t0\troot\t_\t_\n\n"

/* --- formats ------------------------------------------------------------- */

typedef struct {
    const char *options, *text, *want, *note;
} good;

/* How to add one: a row. `note` is part of a note, NULL = not looked at. */
static const good reading[] = {
    {"to=keep", CONLL2003,
     "EU[NNP,I-NP]/I-ORG rejects[VBZ,I-VP]/O German[JJ,I-NP]/I-MISC .[.,O]/O | "
     "Peter[NNP,I-NP]/I-PER Blackburn[NNP,I-NP]/I-PER | BRUSSELS[NNP,I-NP]/I-LOC",
     "2 -DOCSTART- lines are not sentences"},
    {"feature_columns=none", CONLL2003,
     "EU/S-ORG rejects/O German/S-MISC ./O | Peter/B-PER Blackburn/E-PER | BRUSSELS/S-LOC",
     "converted to bioes"},
    {"feature_columns=3 to=iob2", CONLL2003,
     "EU[I-NP]/B-ORG rejects[I-VP]/O German[I-NP]/B-MISC .[O]/O | "
     "Peter[I-NP]/B-PER Blackburn[I-NP]/I-PER | BRUSSELS[I-NP]/B-LOC",
     "tags read as iob1"},
    {"tag_column=2", CONLL2003,
     "EU[I-NP,I-ORG]/NNP rejects[I-VP,O]/VBZ German[I-NP,I-MISC]/JJ .[O,O]/. | "
     "Peter[I-NP,I-PER]/NNP Blackburn[I-NP,I-PER]/NNP | BRUSSELS[I-NP,I-LOC]/NNP",
     "tags read as raw"},
    {"word_column=2 tag_column=1 feature_columns=none", "N dog\nV runs\n", "dog/N runs/V", NULL},
    {"", "He PRP B-NP\nruns VBZ B-VP\n", "He[PRP]/S-NP runs[VBZ]/S-VP", "3 columns cut at blanks"},
    {"", "dog\tN\nruns\tV\n\nhi\tI\n", "dog/N runs/V | hi/I", "2 columns cut at tabs"},
    {"", "New York\tN\nruns\tV\n", "New York/N runs/V", NULL},
    {"", "a\t b c \tN\n\t\t\nx\t\tV\n", "a[b c]/N | x[]/V", NULL},
    {"", "a \tN\nb N\n", "a/N b/N", "cut at blanks"},
    {"", "  a   N \t\nb\tN\n   \nc N", "a/N b/N | c/N", NULL},
    {"", "a N\r\nb V\r\n\r\nc N\r", "a/N b/V | c/N", "lines end in \\r\\n"},
    {"",
     "\xef\xbb\xbf"
     "a N\n",
     "a/N", NULL},
    {"", "# N\n#x V\n", "#/N #x/V", "as many columns as others: a token"},
    {"", "# text = a b c\na N\nb V\n\n#\n# id 7\n# N\nc V\n", "a/N b/V | #/N c/V",
     "3 lines that begin with '#' are comments"},
    {"", "# a b\nNew York\tN\nx\tV\n", "New York/N x/V", "2 columns cut at tabs"},
    {"",
     "10\xc2\xa0"
     "000 N\nx\xe2\x80\x8by V\n",
     "10\xc2\xa0"
     "000/N x\xe2\x80\x8by/V",
     "part of 2 words (the first in line 1)"},
    {"", "\n\n\na N\n\n\n\nb V\n\n\n", "a/N | b/V", NULL},
    {"", "-DOCSTART- O\na N\nb V\n-DOCSTART- O\nc V\n", "a/N b/V | c/V", NULL},
    {"", "a PER-B\nb O\n", "a/PER-B b/O", "'PER-B' is a tag of no scheme"},
    {"to=keep", "a B-X\nb b-X\n", "a/B-X b/b-X", "'b-X' is a tag of no scheme"},
    {"scheme=raw", "a B-X\nb I-X\n", "a/B-X b/I-X", "as text.scheme says"},
    {"", "a U-x/y\nb I-z\nc I-x\nd I-w\ne I-v\n", "a/U-x/y b/I-z c/I-x d/I-w e/I-v",
     "ill-formed: read as raw"},
    {"to=raw", "a I-X\nb I-X\n", "a/I-X b/I-X", "converted to raw"},
    /* CoNLL-U */
    {"", CONLLU, "vamos/VERB nos/PRON mar/NOUN | #/SYM", "2 lines of multiword tokens"},
    {"tag_column=8 feature_columns=3,4", CONLLU,
     "vamos[ir,VERB]/root nos[nosotros,PRON]/obj mar[mar,NOUN]/obl | #[#,SYM]/root", NULL},
    {"", "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n", "a/X b/?", NULL},
    {"", "1\ta\t_\t_\t_\t_\t_\t_\t_\tTag=B-X\n2\tb\t_\t_\t_\t_\t_\t_\t_\tA=b\n", "a/S-X b/?",
     "tags column 10"},
    {"", "1\ta\t_\tN\t_\t_\t_\t_\t_\tTag=B-X\n2\tb\t_\t_\t_\t_\t_\t_\t_\tTag=O\n", "a/N b/?",
     "tags column 4"},
    {"free word_column=1 tag_column=2 feature_columns=none model=2",
     "1\ta\t_\tN\t_\t_\t_\t_\t_\t_\n", "a/N", "word column 2, tags column 4"},
    {"free", "1\ta b\t_\t_\t_\t_\t_\t_\t_\t_\n", "a b", NULL},
    /* no tags */
    {"free", "a\nb\n\nc\n", "a b | c", "1 column cut at blanks"},
    {"free", "a N\nb V\n", "a/N b/V", NULL},
    {"free tag_column=3 feature_columns=2", "a N\nb V\n", "a[N] b[V]", NULL},
    {"free tag_column=4 feature_columns=2,3", "a N x\nb V y\n\n", "a[N,x] b[V,y]", NULL},
    {"free to=bioes", "a x\nb -\n", "a b", "column 2 holds no tags of spans"},
    {"free tag_column=none", "a N\nb V\n", "a[N] b[V]", NULL},
    {"free", "U.N. official heads for Baghdad .\n", "U.N. official heads for Baghdad .",
     "plain text, one sentence per line"},
    {"free", "one two three\n\n\n four five \nsix", "one two three | four five | six",
     "plain text"},
    {"free format=text", "a b\r\nc d\r\n", "a b | c d", "plain text"},
    {"free tag_column=4", "a b c d", "a b c d", "plain text"},
    {"free tag_column=2 model=2", "a b c d\n\ne f g h\n", "a b c d | e f g h", "plain text"},
    {"free tag_column=2 model=2", "a N\nb V\n\nc N\n", "a/N b/V | c/N", NULL},
    {"free tag_column=3 feature_columns=2 model=3", "a N\nb V\n", "a[N] b[V]", NULL},
    {"free tag_column=2 feature_columns=none model=2", "a N x\nb V y\n\nc N z\nd V z\n",
     "a/N b/V | c/N d/V", "3 of them, where 2 were expected"},
};

static void test_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
        const good *g = &reading[i];
        bs_notes    notes;
        bs_notes_init(&notes);
        bs_corpus *c = corpus_text(g->text, g->options, &notes);
        assert_string_equal(corpus_show(c), g->want);
        assert_int_equal(c->start[c->sentences], c->tokens);
        if (g->note && !corpus_noted(&notes, g->note))
            fail_msg("row %zu: no note has '%s'", i, g->note);
        bs_corpus_free(c);
        bs_notes_free(&notes);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* --- refusals ------------------------------------------------------------ */

typedef struct {
    const char *options, *text, *message;
    size_t      len;
} bad;

#define ROW(options, text, message)              \
    {                                            \
        options, text, message, sizeof(text) - 1 \
    }
#define TEN   "a B-X\nb B-X\nc B-X\nd B-X\ne B-X\nf B-X\ng B-X\nh B-X\ni B-X\nj I-X\n"
#define U(id) id "\ta\t_\tX\t_\t_\t_\t_\t_\t_\n"

/* How to add one: a row. The input is called "data". */
static const bad refusals[] = {
    ROW("", "", "data: there are no sentences"),
    ROW("", "\n\n  \n", "data: there are no sentences"),
    ROW("", "-DOCSTART- O\n\n", "data: there are no sentences"),
    ROW("", "a b c\nd e\n", "data:2: 2 columns, expected 3"),
    ROW("", "a b\n\nc\n", "data:3: 1 column, expected 2"),
    ROW("", "a\nb V\nc V\n", "data:1: 1 column, expected 2"),
    ROW("", "a b c\nb V\nc V\n", "data:1: 3 columns, expected 2"),
    ROW("", "a b N\n# V\nc d V\n", "data:2: 2 columns, expected 3"),
    ROW("free model=2", "-DOCSTART- O\n\na\nb V\nc V\n", "data:3: 1 column, expected 2"),
    ROW("free tag_column=2 model=2", "a N\nb V\nc\n\nd N\ne V\n", "data:3: 1 column, expected 2"),
    ROW("", "a\tb\nc\td\te\n", "data:2: 3 columns, expected 2"),
    ROW("", "a\nb\n", "data:1: 1 column and no tags (--tag-column is auto)"),
    ROW("tag_column=none", "a N\n", "data:1: 2 columns and no tags (--tag-column is none)"),
    ROW("tag_column=3", "\na N\n", "data:2: 2 columns; --tag-column asks for column 3"),
    ROW("tag_column=1", "a N\n",
        "data:1: column 1 cannot hold both words and tags (--word-column, --tag-column)"),
    ROW("word_column=3", "a N\n", "data:1: 2 columns; --word-column asks for column 3"),
    ROW("word_column=2", "a N\n", "data:1: 2 columns and no tags (--tag-column is auto)"),
    ROW("tag_column=x", "a N\n",
        "--tag-column: 'x' is not auto, last, none or a number from 1 to 64"),
    ROW("feature_columns=x", "a b N\n",
        "--feature-columns: 'x' is not auto, all, none or a list such as 2,3"),
    ROW("feature_columns=2,2", "a b N\n", "--feature-columns: column 2 is named twice"),
    ROW("feature_columns=1", "a b N\n", "--feature-columns: column 1 holds the words"),
    ROW("feature_columns=3", "a b N\n", "--feature-columns: column 3 holds the tags"),
    ROW("feature_columns=4", "a b N\n", "data:1: 3 columns; --feature-columns asks for column 4"),
    ROW("", "a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 N\n",
        "data:1: more than 16 columns of features; --feature-columns chooses"),
    ROW("",
        "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 "
        "6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5\n",
        "data:1: 65 columns; at most 64 are possible"),
    ROW("", "a\tN\n\tV\n", "data:2:1: the word is empty"),
    ROW("", "a\tN\nbb\t\n", "data:2:4: the tag is empty"),
    ROW("", "a N\nb \xff\n",
        "data:2:3: byte 0xff is not UTF-8 text; a file in Latin-1 or Windows-1252 is converted "
        "with 'iconv -f WINDOWS-1252 -t UTF-8'"),
    ROW("", "a N\nab\xc3(V\n",
        "data:2:3: byte 0xc3 is not UTF-8 text; a file in Latin-1 or Windows-1252 is converted "
        "with 'iconv -f WINDOWS-1252 -t UTF-8'"),
    ROW("", "a N\nlong line 1234567890 \xe2\x80",
        "data:2:22: byte 0xe2 is not UTF-8 text; a file in Latin-1 or Windows-1252 is converted "
        "with 'iconv -f WINDOWS-1252 -t UTF-8'"),
    ROW("", "a N\nb\0 V\n", "data:2:2: a NUL byte in a text file"),
    ROW("max_tokens=2", "a N\nb N\n\nc N\n",
        "data:4: more than 2 tokens; text.max_tokens allows more"),
    ROW("max_sentences=1", "a N\nb N\n\nc N\n",
        "data:4: more than 1 sentences; text.max_sentences allows more"),
    ROW("max_length=2", "a N\nb N\nc N\n",
        "data:3: the sentence has more than 2 tokens; text.max_length allows more (is the blank "
        "line between sentences missing?)"),
    ROW("to=bioes", "a N\nb V\n",
        "data:1: column 2 holds tags such as 'N', which are not of spans and cannot be bioes; "
        "--tag-column says where the tags are"),
    ROW("scheme=raw to=bioes", "a N\nb V\n",
        "data: the tags are raw and cannot be converted to bioes; text.scheme says how they are "
        "read"),
    ROW("to=bioes", "a PER-B\n",
        "data:1: column 2 holds tags such as 'PER-B', which are not of spans and cannot be bioes; "
        "--tag-column says where the tags are"),
    ROW("", TEN "\n" TEN "a b-X\n" TEN,
        "data:22: tag 'b-X' does not fit the others, 30 of which are of spans such as B-X; correct "
        "it, or have all tags taken as they are: text.scheme=raw"),
    ROW("scheme=iob2", "a N\n",
        "data:1: tag 'N' does not belong to the scheme iob2, whose letters are B I O"),
    ROW("format=conllu", "a N\n", "data:1: 1 column, expected the 10 of CoNLL-U (with tabs)"),
    ROW("format=conllu", U("x"), "data:1:1: 'x' is not a number of CoNLL-U such as 7, 7-8 or 7.1"),
    ROW("", U("1") U("2-"), "data:2:1: '2-' is not a number of CoNLL-U such as 7, 7-8 or 7.1"),
    ROW("", U("1") "2\tb\n", "data:2: 2 columns, expected 10"),
    ROW("", "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", "data: no token has a tag: column 4 is _ everywhere"),
    ROW("free word_column=1 tag_column=3 feature_columns=2 model=3",
        "1\ta\t_\tN\t_\t_\t_\t_\t_\t_\n",
        "data: CoNLL-U does not have the columns 2 that the model was trained with; "
        "--word-column 2 and --feature-columns name others"),
    ROW("format=text", "a b c\n", "data: plain text has no tags; text.format=conll reads columns"),
    ROW("free feature_columns=2", "a b c\nd\n",
        "data: plain text has words only; --feature-columns asks for columns 2"),
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const bad  *b = &refusals[i];
        bs_corpus  *c;
        basin_error err = {0};
        if (!corpus_bytes(b->text, b->len, b->options, &c, NULL, &err))
            fail_msg("row %zu was read: %s", i, b->message);
        assert_null(c);
        assert_string_equal(err.msg, b->message);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* --- the mirror ---------------------------------------------------------- */

typedef struct {
    const char *options, *text, *want;
} reflection;

/* The added column is the corpus' own tag. */
static const reflection mirrors[] = {
    {"", CONLL2003,
     "-DOCSTART- -X- O O O\n\nEU NNP I-NP I-ORG S-ORG\nrejects VBZ I-VP O O\n"
     "German JJ I-NP I-MISC S-MISC\n. . O O O\n\nPeter NNP I-NP I-PER B-PER\n"
     "Blackburn NNP I-NP I-PER E-PER\n\n-DOCSTART- -X- O O O\n\nBRUSSELS NNP I-NP I-LOC S-LOC\n"},
    /* ten columns: the tag is where tags are */
    {"", CONLLU, CONLLU},
    {"tag_column=10", "1\ta\t_\t_\t_\t_\t_\t_\t_\tA=1|Tag=B-X|C=2\n",
     "1\ta\t_\t_\t_\t_\t_\t_\t_\tA=1|C=2|Tag=S-X\n"},
    {"",
     "1\ta\t_\t_\t_\t_\t_\t_\t_\tTag=B-X\n2-3\tb\t_\t_\t_\t_\t_\t_\t_\t_\n"
     "2\tb\t_\t_\t_\t_\t_\t_\t_\tTag=I-X\n",
     "1\ta\t_\t_\t_\t_\t_\t_\t_\tTag=B-X\n2-3\tb\t_\t_\t_\t_\t_\t_\t_\t_\n"
     "2\tb\t_\t_\t_\t_\t_\t_\t_\tTag=E-X\n"},
    {"", "\xef\xbb\xbf\r\n \r\na  N \r\n\r\n\t\r\n\r\nb V",
     "\xef\xbb\xbf\r\n \r\na  N N \r\n\r\n\t\r\n\r\nb V V"},
    {"", "# x = y z\na N\n\n# id = 2\n#\nb V\n", "# x = y z\na N N\n\n# id = 2\n#\nb V V\n"},
    {"", "New York\tN\n\n\n\nb\tV\n", "New York\tN\tN\n\n\n\nb\tV\tV\n"},
    {"free", "a\n\nb\n", "a _\n\nb _\n"},
    {"free", "-DOCSTART-\n\na\n", "-DOCSTART- O\n\na _\n"},
    {"free", "\none two three\n\nfour five\nsix",
     "\none _\ntwo _\nthree _\n\n\nfour _\nfive _\n\nsix _\n\n"},
    {"", "a N\n\n-DOCSTART- X\n\n", "a N N\n\n-DOCSTART- X X\n\n"},
};

static void test_mirror(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mirrors / sizeof *mirrors; i++) {
        basin_error err;
        bs_buf      out;
        const char *names[16];
        bs_corpus  *c = corpus_text(mirrors[i].text, mirrors[i].options, NULL);
        for (int32_t k = 0; k < c->tags.n; k++)
            names[k] = c->tags.item[k].text;
        bs_buf_init(&out, 1 << 20);
        assert_int_equal(bs_corpus_write(c, names, c->tag, corpus_sink, &out, &err), BASIN_OK);
        assert_string_equal(out.data, mirrors[i].want);
        bs_buf_free(&out);
        bs_corpus_free(c);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* A corpus converted to another format, or with its tags replaced where format is NULL. */
typedef struct {
    const char *options, *format, *text, *want;
} conversion;

static const conversion conversions[] = {
    {"", NULL, CONLL2003,
     "-DOCSTART- -X- O O\n\nEU NNP I-NP S-ORG\nrejects VBZ I-VP O\nGerman JJ I-NP S-MISC\n"
     ". . O O\n\nPeter NNP I-NP B-PER\nBlackburn NNP I-NP E-PER\n\n-DOCSTART- -X- O O\n\n"
     "BRUSSELS NNP I-NP S-LOC\n"},
    {"to=keep", NULL, CONLLU, CONLLU},
    {"free", NULL, "a\n\n\nb", "a\n\n\nb"},
    {"to=iob2", "conll", CONLL2003,
     "-DOCSTART- -X- -X- O\n\nEU NNP I-NP B-ORG\nrejects VBZ I-VP O\nGerman JJ I-NP B-MISC\n"
     ". . O O\n\nPeter NNP I-NP B-PER\nBlackburn NNP I-NP I-PER\n\n-DOCSTART- -X- -X- O\n\n"
     "BRUSSELS NNP I-NP B-LOC\n\n"},
    {"", "conll", CONLLU, "-DOCSTART- O\n\nvamos VERB\nnos PRON\nmar NOUN\n\n# SYM\n\n"},
    {"", "conll", "New York\tN\n", "New York\tN\n\n"},
    {"", "conllu", "a N\nb V\n\nc N\n",
     "# sent_id = 1\n1\ta\t_\tN\t_\t_\t_\t_\t_\t_\n2\tb\t_\tV\t_\t_\t_\t_\t_\t_\n\n"
     "# sent_id = 2\n1\tc\t_\tN\t_\t_\t_\t_\t_\t_\n\n"},
    {"", "conllu", "a B-X\nb O\n",
     "# sent_id = 1\n1\ta\t_\t_\t_\t_\t_\t_\t_\tTag=S-X\n2\tb\t_\t_\t_\t_\t_\t_\t_\tTag=O\n\n"},
    {"", "text", CONLL2003, "EU rejects German .\nPeter Blackburn\nBRUSSELS\n"},
};

static void test_convert(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        const conversion *v = &conversions[i];
        basin_error       err;
        bs_buf            out;
        bs_corpus        *c = corpus_text(v->text, v->options, NULL);
        bs_buf_init(&out, 1 << 20);
        assert_int_equal(bs_corpus_convert(c, v->format, corpus_sink, &out, &err), BASIN_OK);
        assert_string_equal(out.data, v->want);
        bs_buf_free(&out);
        bs_corpus_free(c);
    }
    basin_error err;
    bs_buf      out;
    bs_corpus  *c = corpus_text("New York\tN\n", "", NULL);
    bs_buf_init(&out, 1 << 20);
    assert_int_equal(bs_corpus_convert(c, "text", corpus_sink, &out, &err), BASIN_EUNSUPPORTED);
    assert_string_equal(err.msg, "text cannot hold this corpus: some words have blanks inside");
    assert_int_equal(bs_corpus_convert(c, "xml", corpus_sink, &out, &err), BASIN_EARG);
    assert_string_equal(err.msg, "format 'xml' cannot be written; use conll, conllu, text, raw, "
                                 "tokens, spans, brat or csv");
    bs_buf_free(&out);
    bs_corpus_free(c);
    assert_int_equal(bs_mem_live(), 0);
}

/* --- parts --------------------------------------------------------------- */

static void test_select(void **state)
{
    (void)state;
    const int32_t which[] = {2, 0};
    basin_error   err;
    bs_corpus    *c = corpus_text(CONLL2003, "", NULL), *part;
    assert_int_equal(bs_corpus_select(c, which, 2, &part, &err), BASIN_OK);
    assert_string_equal(corpus_show(part),
                        "BRUSSELS[NNP,I-NP]/S-LOC | EU[NNP,I-NP]/S-ORG rejects[VBZ,I-VP]/O "
                        "German[JJ,I-NP]/S-MISC .[.,O]/O");
    assert_string_equal(part->text, "-DOCSTART- -X- O O\n\nBRUSSELS NNP I-NP I-LOC\n\n"
                                    "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n"
                                    "German JJ I-NP I-MISC\n. . O O\n\n");
    assert_int_equal(part->tags.n, c->tags.n);
    bs_corpus_free(part);
    const int32_t wrong = 3;
    assert_int_equal(bs_corpus_select(c, &wrong, 1, &part, &err), BASIN_EARG);
    assert_int_equal(bs_corpus_select(c, NULL, 0, &part, &err), BASIN_OK);
    assert_int_equal(part->tokens, 0);
    bs_corpus_free(part);
    bs_corpus_free(c);
    assert_int_equal(bs_mem_live(), 0);
}

static const char *write_temp(const char *name, const char *text)
{
    static char path[4][64];
    static int  at;
    basin_error err;
    char       *p = path[at++ % 4];
    snprintf(p, 64, "/tmp/basin-text-%s-%d", name, (int)(uintptr_t)&err % 100000);
    assert_int_equal(bs_write_file(p, text, strlen(text), &err), BASIN_OK);
    return p;
}

static void test_join(void **state)
{
    (void)state;
    const char       *paths[2] = {write_temp("a", "a I-X\nb O\n\nc I-X"),
                                  write_temp("b", "d\tB-X\nb\tI-X\n")};
    basin_error       err = {0};
    bs_corpus        *c;
    bs_corpus_options o = bs_corpus_options_default();
    if (bs_corpus_read(paths, 2, &o, &c, NULL, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(corpus_show(c), "a/S-X b/O | c/S-X | d/B-X b/E-X");
    assert_string_equal(c->text, "a I-X\nb O\n\nc I-X\n\nd\tB-X\nb\tI-X\n");
    assert_int_equal(c->tabs[1], 0);
    assert_int_equal(c->tabs[2], 1);
    assert_int_equal(bs_corpus_line(c, 4), 7);
    bs_corpus_free(c);

    remove(paths[1]);
    paths[1] = write_temp("c", "d x B-X\n");
    char want[300];
    snprintf(want, sizeof want, "%s: conll with 3 columns, but %s is conll with 2", paths[1],
             paths[0]);
    assert_int_equal(bs_corpus_read(paths, 2, &o, &c, NULL, &err), BASIN_EDATA);
    assert_string_equal(err.msg, want);
    remove(paths[1]);
    paths[1] = write_temp("d", "d N\n");
    snprintf(want, sizeof want,
             "%s: its tags are raw, those of %s are bioes (text.scheme, text.to)", paths[1],
             paths[0]);
    assert_int_equal(bs_corpus_read(paths, 2, &o, &c, NULL, &err), BASIN_EDATA);
    assert_string_equal(err.msg, want);
    remove(paths[0]);
    remove(paths[1]);
    assert_int_equal(bs_corpus_read(paths, 0, &o, &c, NULL, &err), BASIN_EARG);
    assert_int_equal(bs_mem_live(), 0);
}

static void test_unlabelled(void **state)
{
    (void)state;
    basin_error err = {0};
    bs_corpus  *a = corpus_text("a A\nb B\n", "format=conll", NULL);
    bs_corpus  *b = corpus_text("b\nc\n\nd\n\n", "format=conll tag_column=none free", NULL);
    bs_corpus  *c = corpus_text("x C\n", "format=conll", NULL);
    bs_corpus  *d = corpus_text("x N C\n", "format=conll", NULL);
    uint64_t    hash = a->hash;
    assert_int_equal(bs_corpus_add_unlabelled(a, b, &err), BASIN_OK);
    assert_string_equal(corpus_show(a), "a/A b/B | b/? c/? | d/?");
    assert_true(a->hash != hash);
    /* tags that the other has are forgotten */
    assert_int_equal(bs_corpus_add_unlabelled(a, c, &err), BASIN_OK);
    assert_string_equal(corpus_show(a), "a/A b/B | b/? c/? | d/? | x/?");
    assert_int_equal(a->tags.n, 2);
    assert_int_equal(bs_corpus_add_unlabelled(a, d, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "data: 1 feature columns, but data has 0");
    bs_corpus_free(a);
    bs_corpus_free(b);
    bs_corpus_free(c);
    bs_corpus_free(d);
}

static void test_long_sentence(void **state)
{
    (void)state;
    enum { N = 100000 };
    char *text = malloc((size_t)N * 16), *p = text;
    for (int i = 0; i < N; i++)
        p += sprintf(p, "w%d N%d\n", i, i % 7);
    bs_corpus *c = corpus_text(text, "", NULL);
    assert_int_equal(c->tokens, N);
    assert_int_equal(c->sentences, 1);
    assert_int_equal(c->words.n, N);
    assert_int_equal(bs_corpus_line(c, N - 1), N);
    bs_corpus_free(c);
    free(text);
}

/* What a model keeps reads another file in the same way. */
static void test_fix(void **state)
{
    (void)state;
    bs_corpus_options o = bs_corpus_options_default();
    bs_corpus        *c = corpus_text(CONLL2003, "", NULL);
    bs_corpus_fix(c, &o);
    assert_int_equal(o.word_column, 1);
    assert_string_equal(o.tag_column, "4");
    assert_string_equal(o.feature_columns, "2,3");
    assert_string_equal(o.to, "bioes");
    bs_corpus_free(c);
}

static void test_hash(void **state)
{
    (void)state;
    bs_corpus *a = corpus_text("a N\nb V\n", "", NULL), *b = corpus_text("a N\nb V\n", "", NULL);
    bs_corpus *d = corpus_text("a N\nb N\n", "", NULL);
    assert_true(a->hash == b->hash);
    assert_true(a->hash != d->hash);
    bs_corpus_free(a);
    bs_corpus_free(b);
    bs_corpus_free(d);
}

/* --- which format -------------------------------------------------------- */

typedef struct {
    int         low, high;
    const char *path, *text;
} smell;

static const smell smells[] = {
    {90, 100, "", CONLL2003},
    {90, 100, "", CONLLU},
    {80, 100, "", "@you\t@\nhi\t!\n\nwhat\tO\nnow\tR\n"},
    {80, 100, "", "He PRP B-NP\nruns VBZ B-VP\n. . O\n\nHi UH O\n"},
    {90, 100, "x.conll", "a N\nb V\n"},
    {90, 100, "x.iob.gz", "a N\nb V\n"},
    {0, 14, "", "a\tN\nb\tV\n"},
    {0, 0, "", "a,b,c\n1,2,3\n\n4,5,6\n"},
    {0, 0, "", "name one,b two\nx y,1 2\n\nz w,3 4\n"},
    {0, 14, "", "f1\tf2\ttags\n1\t2\ta\n3\t4\tb\n"},
    {0, 14, "", "f1\tf2\n\n1\t2\n\n3\t4\n"},
    {0, 0, "", "1 2:1\n\n2 3:1\n"},
    {0, 0, "", "1,2 2:1 3:0.5\n4 3:1 7:2\n"},
    {0, 0, "", "2 5 5\n1 2:1\n2 3:1\n"},
    {0, 0, "", "@relation r\n@attribute a numeric\n@data\n1\n"},
    {0, 60, "", "{\"text\": \"a b\", \"labels\": [\"x\"]}\n"}, /* or label sets */
    {0, 0, "", "just some words\nand more of them here\n"},
    {0, 0, "", ""},
};

static int best_reader(const char *head, size_t n, const char *path)
{
    int best = 0;
    for (int i = 0; bs_readers[i]; i++) {
        int score = bs_readers[i]->sniff(head, n, path);
        best = score > best ? score : best;
    }
    return best;
}

static void test_sniff(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof smells / sizeof *smells; i++) {
        const smell *m = &smells[i];
        int          score = bs_corpus_sniff(m->text, strlen(m->text), m->path);
        if (score < m->low || score > m->high)
            fail_msg("row %zu: score %d, expected %d to %d", i, score, m->low, m->high);
        int other = *m->text ? best_reader(m->text, strlen(m->text), m->path) : 0;
        if (m->low >= 80 && other >= score)
            fail_msg("row %zu: another reader says %d", i, other);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* No file of the other formats' corpora is taken for sentences. */
static void test_sniff_others(void **state)
{
    (void)state;
    static const char *const folders[] = {"arff", "csv", "jsonl", "libsvm", "xmc"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", folders[i]);
        DIR *d = opendir(folder);
        if (!d)
            skip(); /* not run in the repository */
        for (struct dirent *e; (e = readdir(d));) {
            char path[400], bytes[4096];
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            FILE  *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
            size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
            if (!f)
                continue;
            fclose(f);
            /* The first byte is not the file's. */
            assert_true(n > 1);
            int ours = bs_corpus_sniff(bytes + 1, n - 1, path);
            if (ours >= best_reader(bytes + 1, n - 1, path))
                fail_msg("%s: %d", path, ours);
        }
        closedir(d);
    }
}

/* --- memory -------------------------------------------------------------- */

static basin_status everything(basin_error *err)
{
    const int32_t first = 0;
    const char   *names[16];
    bs_corpus    *c, *part = NULL;
    bs_notes      notes;
    bs_buf        out;
    bs_notes_init(&notes);
    bs_buf_init(&out, 1 << 20);
    basin_status s = corpus_bytes(CONLL2003, strlen(CONLL2003), "", &c, &notes, err);
    for (int32_t k = 0; !s && k < c->tags.n; k++)
        names[k] = c->tags.item[k].text;
    if (!s)
        s = bs_corpus_select(c, &first, 1, &part, err);
    if (!s)
        s = bs_corpus_write(c, names, c->tag, corpus_sink, &out, err);
    if (!s)
        s = bs_corpus_add_unlabelled(part, c, err);
    bs_buf_free(&out);
    bs_notes_free(&notes);
    bs_corpus_free(part);
    bs_corpus_free(c);
    return s;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    basin_error err = {0};
    int         n = 0;
    for (;; n++) {
        bs_mem_fail_at(n + 1);
        basin_status s = everything(&err);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), 0);
        if (!s)
            break;
        if (s != BASIN_ENOMEM)
            fail_msg("allocation %d: %s", n + 1, err.msg);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_mirror),        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_select),        cmocka_unit_test(test_join),
        cmocka_unit_test(test_unlabelled),    cmocka_unit_test(test_long_sentence),
        cmocka_unit_test(test_fix),           cmocka_unit_test(test_hash),
        cmocka_unit_test(test_sniff),         cmocka_unit_test(test_sniff_others),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
