/* test_text_scheme.c -- schemes are recognised, read, converted and completed. */
#include "text_case.h"

static void detected(const char *text, bs_scheme want)
{
    text_case   c;
    int32_t     tag[CASE_TOKENS];
    bs_scheme   got;
    char        why[BS_SCHEME_WHY];
    basin_error err = {0};
    case_start(&c);
    case_text(&c, text, tag);
    assert_int_equal(
        bs_scheme_detect(&(bs_tagged_text){names_of(c.tags, c.n_tags), tag, c.start, c.sentences},
                         &got, why, &err),
        BASIN_OK);
    if (got != want)
        fail_msg("'%s' is taken as %s, not %s: %s", text, bs_scheme_name(got), bs_scheme_name(want),
                 why);
    assert_true(strlen(why) > 5);
}

/* Text `from` in one scheme is `to` in another, with so many repaired tags. */
static void converted(bs_scheme a, const char *from, bs_scheme b, const char *to, int repairs)
{
    text_case   c, d;
    int32_t     tag[CASE_TOKENS], want[CASE_TOKENS];
    bs_arena    arena;
    bs_names    names;
    int64_t     repaired = -1;
    basin_error err = {0};
    case_start(&c);
    case_start(&d);
    const int32_t n = case_text(&c, from, tag);
    assert_int_equal(case_text(&d, to, want), n);
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    if (bs_scheme_convert(&(bs_tagged_text){names_of(c.tags, c.n_tags), tag, c.start, c.sentences},
                          a, b, &names, tag, &repaired, &err))
        fail_msg("'%s': %s", from, err.msg);
    for (int32_t i = 0; i < n; i++) {
        const char *is = tag[i] < 0 ? "?" : names.item[tag[i]].text;
        const char *should = want[i] < 0 ? "?" : d.tags[want[i]];
        if (strcmp(is, should))
            fail_msg("'%s' in %s: token %d is %s, not %s", from, bs_scheme_name(b), i, is, should);
    }
    assert_int_equal(repaired, repairs);
    bs_names_free(&names);
    bs_arena_free(&arena);
}

static int32_t spans_of(text_case *c, const bs_tagset *set, const int32_t *tag, bs_span *out,
                        int64_t *repaired)
{
    int32_t n = 0;
    for (int32_t s = 0; s < c->sentences; s++) {
        const int32_t len = c->start[s + 1] - c->start[s], was = n;
        n += bs_spans(set, tag + c->start[s], len, out + n, repaired);
        for (int32_t i = was; i < n; i++) {
            out[i].first += c->start[s];
            out[i].end += c->start[s];
        }
    }
    return n;
}

static int32_t common(const bs_span *a, int32_t n, const bs_span *b, int32_t m)
{
    int32_t same = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < m; j++)
            same += a[i].first == b[j].first && a[i].end == b[j].end && a[i].type == b[j].type;
    return same;
}

/* ---- the cases other programs get wrong ---- */

static void texts_that_other_programs_get_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *gold, *guess;
        bs_scheme   scheme; /* of the gold text */
        int         spans, found, correct, repaired;
    } row[] = {
        {"B I O", "I I O", BS_SCHEME_IOB2, 1, 1, 1, 1},
        {"B-X I-X O", "I-X I-X O", BS_SCHEME_IOB2, 1, 1, 1, 1},
        {"I-PER I-PER O I-LOC B-LOC", "I-PER I-PER O I-LOC B-LOC", BS_SCHEME_IOB1, 3, 3, 3, 0},
        {"S-M S-M", "S-M S-M", BS_SCHEME_BIOES, 2, 2, 2, 0},
        {"B-X E-X B-X E-X", "B-X I-X I-X E-X", BS_SCHEME_BIOES, 2, 1, 0, 0},
        {"B-X E-X O", "B-X I-X O", BS_SCHEME_BIOES, 1, 1, 1, 1},
        {"B-X L-X U-X", "B-X L-X U-X", BS_SCHEME_BILOU, 2, 2, 2, 0},
        {"O O O", "O O O", BS_SCHEME_IOB2, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        text_case c;
        int32_t   gold[8], guess[8];
        bs_span   a[8], b[8];
        int64_t   none = 0, repaired = 0;
        case_start(&c);
        detected(row[i].gold, row[i].scheme);
        case_text(&c, row[i].gold, gold);
        case_text(&c, row[i].guess, guess);
        bs_tagset     set = case_set(&c, row[i].scheme);
        const int32_t n = spans_of(&c, &set, gold, a, &none);
        const int32_t m = spans_of(&c, &set, guess, b, &repaired);
        assert_int_equal(n, row[i].spans);
        assert_int_equal(m, row[i].found);
        assert_int_equal(none, 0);
        assert_int_equal(repaired, row[i].repaired);
        assert_int_equal(common(a, n, b, m), row[i].correct);
        bs_tagset_free(&set);
    }
}

/* ---- names ---- */

static void schemes_have_names(void **state)
{
    (void)state;
    bs_scheme   s;
    basin_error err;
    for (int i = 0; i < BS_SCHEME_COUNT; i++) {
        assert_int_equal(bs_scheme_parse(bs_scheme_name((bs_scheme)i), &s, NULL), BASIN_OK);
        assert_int_equal(s, i);
    }
    static const struct {
        const char *name;
        bs_scheme   scheme;
    } other[] = {{"BIO", BS_SCHEME_IOB2},
                 {"IOB2", BS_SCHEME_IOB2},
                 {"IOBES", BS_SCHEME_BIOES},
                 {"bmewo", BS_SCHEME_BIOES},
                 {"Bilou", BS_SCHEME_BILOU}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        assert_int_equal(bs_scheme_parse(other[i].name, &s, NULL), BASIN_OK);
        assert_int_equal(s, other[i].scheme);
    }
    assert_int_equal(bs_scheme_parse("biose", &s, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "'bioes'"));
    assert_int_equal(bs_scheme_parse("brackets", &s, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "iob1, iob2"));
    assert_int_equal(bs_scheme_parse("", &s, NULL), BASIN_EARG);
}

/* ---- which scheme ---- */

static void schemes_are_recognised(void **state)
{
    (void)state;
    detected("B-X I-X O B-Y", BS_SCHEME_IOB2);
    detected("B-X O B-Y", BS_SCHEME_IOB2);
    detected("I-X I-X O I-Y | O I-X", BS_SCHEME_IOB1);
    detected("I-X B-X", BS_SCHEME_IOB1);
    detected("I-X I-Y I-X", BS_SCHEME_IOB1);
    detected("M-X M-X O", BS_SCHEME_IOB1);
    detected("I-X E-X O E-Y", BS_SCHEME_IOE2);
    detected("E-X O E-X", BS_SCHEME_IOE2);
    detected("I-X I-X O E-X I-X", BS_SCHEME_IOE1);
    detected("B-X E-X", BS_SCHEME_BIOES);
    detected("S-X O", BS_SCHEME_BIOES);
    detected("B-X M-X E-X O W-X", BS_SCHEME_BIOES);
    detected("B-X I-X L-X O U-X", BS_SCHEME_BILOU);
    detected("U-X", BS_SCHEME_BILOU);
    detected("B-X U-X", BS_SCHEME_BILOU);
    detected("O O | O", BS_SCHEME_IOB2);
    detected("NN VB DT", BS_SCHEME_RAW);
    detected("? ?", BS_SCHEME_RAW);
    detected("B-X I-X Q-X", BS_SCHEME_RAW);
    detected("B-X I-X b-X", BS_SCHEME_RAW);
    detected("B_X I_X O", BS_SCHEME_RAW);
    detected("BI-X O", BS_SCHEME_RAW);
    detected("- O", BS_SCHEME_RAW);
    detected("-X- O", BS_SCHEME_RAW);

    /* broken files: the scheme that is broken less often; unknown tags prove nothing */
    detected("B-X I-X O B-Y O I-X O B-X B-Y", BS_SCHEME_IOB2);
    detected("I-X O I-X O I-Y O B-X O I-X B-X", BS_SCHEME_IOB1);
    detected("I-X O B-X", BS_SCHEME_IOB2);
    detected("E-X O E-X O I-X O E-Y", BS_SCHEME_IOE2);
    detected("I-X O I-X O I-X O E-Y", BS_SCHEME_IOE1);
    detected("B-X ? I-X O B-X", BS_SCHEME_IOB2);
    detected("B-X I-X | ? I-X", BS_SCHEME_IOB2);
}

static void the_reason_is_told(void **state)
{
    (void)state;
    text_case c;
    int32_t   tag[8];
    bs_scheme s;
    char      why[BS_SCHEME_WHY];
    case_start(&c);
    case_text(&c, "I-X O B-X O B-X", tag);
    assert_int_equal(
        bs_scheme_detect(&(bs_tagged_text){names_of(c.tags, c.n_tags), tag, c.start, 1}, &s, why,
                         NULL),
        BASIN_OK);
    assert_string_equal(why, "broken rules: 1 of iob2, 2 of iob1");

    /* cut between characters */
    const char *long_tag = "Ha\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                           "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                           "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
    const char *x = long_tag + 1;
    tag[0] = 0;
    assert_int_equal(bs_scheme_detect(&(bs_tagged_text){names_of(&x, 1), tag, (int32_t[]){0, 1}, 1},
                                      &s, why, NULL),
                     BASIN_OK);
    assert_int_equal(s, BS_SCHEME_RAW);
    assert_memory_equal(why, "'a\xc3\xa4", 4);
    assert_memory_equal(why + 38, "\xc3\xa4...'", 6);
}

/* ---- conversion ---- */

static void spans_are_written_in_every_scheme(void **state)
{
    (void)state;
    static const char *const text[] = {
        [BS_SCHEME_IOB1] = "I-X I-X B-X O I-Y I-X | I-X I-X I-X B-X",
        [BS_SCHEME_IOB2] = "B-X I-X B-X O B-Y B-X | B-X I-X I-X B-X",
        [BS_SCHEME_IOE1] = "I-X E-X I-X O I-Y I-X | I-X I-X E-X I-X",
        [BS_SCHEME_IOE2] = "I-X E-X E-X O E-Y E-X | I-X I-X E-X E-X",
        [BS_SCHEME_BIOES] = "B-X E-X S-X O S-Y S-X | B-X I-X E-X S-X",
        [BS_SCHEME_BILOU] = "B-X L-X U-X O U-Y U-X | B-X I-X L-X U-X",
    };
    for (int a = BS_SCHEME_IOB1; a < BS_SCHEME_COUNT; a++) {
        detected(text[a], (bs_scheme)a);
        for (int b = BS_SCHEME_IOB1; b < BS_SCHEME_COUNT; b++)
            converted((bs_scheme)a, text[a], (bs_scheme)b, text[b], 0);
        converted((bs_scheme)a, text[a], BS_SCHEME_RAW, text[a], 0);
    }
    converted(BS_SCHEME_RAW, "NN ? VB", BS_SCHEME_RAW, "NN ? VB", 0);
}

static void details_of_conversion(void **state)
{
    (void)state;
    const bs_scheme iob1 = BS_SCHEME_IOB1, iob2 = BS_SCHEME_IOB2, bioes = BS_SCHEME_BIOES,
                    bilou = BS_SCHEME_BILOU, ioe2 = BS_SCHEME_IOE2;
    /* types with hyphens, without a text, and letters that look like types */
    converted(iob2, "B-A-B I-A-B B-A O", bioes, "B-A-B E-A-B S-A O", 0);
    converted(iob2, "B-- I-- B-B-", bilou, "B-- L-- U-B-", 0);
    converted(iob2, "B I O B", bioes, "B E O S", 0);
    converted(iob2, "B- I O", bioes, "B E O", 0);
    converted(bioes, "S-O O S-B", iob2, "B-O O B-B", 0);
    /* other letters for the same */
    converted(bioes, "B-X M-X E-X O W-X U-X", bilou, "B-X I-X L-X O U-X U-X", 0);
    /* ill-formed tags become well-formed ones */
    converted(iob2, "I-X I-X O I-Y I-X", iob2, "B-X I-X O B-Y B-X", 3);
    converted(iob1, "B-X I-X O B-Y B-Y", iob1, "I-X I-X O I-Y B-Y", 2);
    converted(ioe2, "I-X I-X O I-Y E-X", ioe2, "I-X E-X O E-Y E-X", 2);
    converted(bioes, "B-X I-X O", bioes, "B-X E-X O", 1);
    converted(bioes, "I-X E-X O", bioes, "B-X E-X O", 1);
    converted(bioes, "I-X O E-X O B-X", bioes, "S-X O S-X O S-X", 3);
    converted(bioes, "B-X S-X E-X", bioes, "S-X S-X S-X", 2);
    converted(bioes, "B-X E-Y", bioes, "S-X S-Y", 2);
    converted(bioes, "E-X I-X I-X | I-X", bioes, "S-X B-X E-X | S-X", 4);
    /* the rules of a sentence end with it */
    converted(iob2, "B-X | I-X", bioes, "S-X | S-X", 1);
    converted(iob1, "I-X | I-X B-X", iob2, "B-X | B-X B-X", 0);
    /* what is unknown stays so and is nobody's fault */
    converted(iob2, "? B-X ? I-X I-X ?", bioes, "? S-X ? B-X E-X ?", 0);
    converted(bioes, "B-X ? E-X", iob1, "I-X ? I-X", 0);
    /* empty sentences */
    converted(iob2, "| | B-X |", bioes, "| | S-X |", 0);
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    const char *tags[] = {"B-X", "S-X", "O"};
    int32_t     tag[] = {0, 1, 2}, to[3], start[] = {0, 3};
    bs_arena    arena;
    bs_names    names;
    bs_tagset   set;
    bs_scheme   s;
    char        why[BS_SCHEME_WHY];
    basin_error err;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    assert_int_equal(bs_scheme_convert(&(bs_tagged_text){names_of(tags, 3), tag, start, 1},
                                       BS_SCHEME_IOB2, BS_SCHEME_BIOES, &names, to, NULL, &err),
                     BASIN_EDATA);
    assert_string_equal(err.msg,
                        "tag 'S-X' does not belong to the scheme iob2, whose letters are B I O");
    start[1] = 1; /* a tag that does not occur does no harm */
    assert_int_equal(bs_scheme_convert(&(bs_tagged_text){names_of(tags, 3), tag, start, 1},
                                       BS_SCHEME_IOB2, BS_SCHEME_BIOES, &names, to, NULL, &err),
                     BASIN_OK);
    assert_int_equal(bs_scheme_convert(&(bs_tagged_text){names_of(tags, 3), tag, start, 1},
                                       BS_SCHEME_RAW, BS_SCHEME_BIOES, &names, to, NULL, &err),
                     BASIN_EARG);
    assert_int_equal(bs_scheme_convert(&(bs_tagged_text){names_of(tags, 3), tag, start, 1},
                                       (bs_scheme)BS_SCHEME_COUNT, BS_SCHEME_BIOES, &names, to,
                                       NULL, &err),
                     BASIN_EARG);
    assert_int_equal(bs_tagset_make(names_of(tags, 3), BS_SCHEME_IOE1, &set, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "'B-X'"));
    bs_tagset_free(&set);
    assert_int_equal(bs_tagset_make(names_of(tags, 3), (bs_scheme)BS_SCHEME_COUNT, &set, &err),
                     BASIN_EARG);
    bs_tagset_free(&set);
    bs_tagset_free(NULL);

    tag[0] = 3;
    assert_int_equal(
        bs_scheme_detect(&(bs_tagged_text){names_of(tags, 3), tag, start, 1}, &s, why, &err),
        BASIN_EARG);
    tag[0] = -2;
    assert_int_equal(
        bs_scheme_detect(&(bs_tagged_text){names_of(tags, 3), tag, start, 1}, &s, why, &err),
        BASIN_EARG);
    tag[0] = 0;
    start[0] = 2;
    assert_int_equal(
        bs_scheme_detect(&(bs_tagged_text){names_of(tags, 3), tag, start, 1}, &s, why, &err),
        BASIN_EARG);
    assert_int_equal(bs_scheme_complete(BS_SCHEME_RAW, &names, &err), BASIN_EARG);
    bs_names_free(&names);
    bs_arena_free(&arena);
}

static basin_status convert_case(text_case *from, const int32_t *tag, bs_scheme a, bs_scheme b,
                                 text_case *to, int32_t *to_tag, int64_t *repaired)
{
    bs_arena arena;
    bs_names names;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    basin_status s = bs_scheme_convert(
        &(bs_tagged_text){names_of(from->tags, from->n_tags), tag, from->start, from->sentences}, a,
        b, &names, to_tag, repaired, NULL);
    case_start(to);
    to->sentences = from->sentences;
    memcpy(to->start, from->start, sizeof to->start);
    for (int32_t i = 0; i < names.n && !s; i++)
        case_tag(to, names.item[i].text, names.item[i].len);
    bs_names_free(&names);
    bs_arena_free(&arena);
    return s;
}

static void conversions_round_trip(void **state)
{
    (void)state;
    static text_case c, d, e, f;
    int32_t          tag[CASE_TOKENS], one[CASE_TOKENS], two[CASE_TOKENS], back[CASE_TOKENS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        case_start(&c);
        const int32_t n = case_random(&c, seed, 40, tag);
        for (int a = BS_SCHEME_IOB1; a < BS_SCHEME_COUNT; a++) {
            for (int b = BS_SCHEME_IOB1; b < BS_SCHEME_COUNT; b++) {
                int64_t     repaired;
                bs_scheme   seen;
                char        why[BS_SCHEME_WHY];
                basin_error err;
                assert_false(
                    convert_case(&c, tag, BS_SCHEME_BIOES, (bs_scheme)a, &d, one, &repaired));
                assert_int_equal(repaired, 0);
                assert_false(bs_scheme_detect(
                    &(bs_tagged_text){names_of(d.tags, d.n_tags), one, d.start, d.sentences}, &seen,
                    why, &err));
                assert_int_equal(seen, a);
                assert_false(convert_case(&d, one, seen, (bs_scheme)b, &e, two, &repaired));
                assert_int_equal(repaired, 0);
                assert_false(
                    convert_case(&e, two, (bs_scheme)b, BS_SCHEME_BIOES, &f, back, &repaired));
                assert_int_equal(repaired, 0);
                for (int32_t i = 0; i < n; i++)
                    assert_string_equal(f.tags[back[i]], c.tags[tag[i]]);
            }
        }
    }
}

/* ---- tag sets ---- */

static void tags_are_taken_apart(void **state)
{
    (void)state;
    const char *tags[] = {"O", "B-PER", "M-PER", "L-PER", "W-A-B", "U", "E-"};
    bs_tagset   set;
    assert_int_equal(bs_tagset_make(names_of(tags, 7), BS_SCHEME_BIOES, &set, NULL), BASIN_OK);
    static const bs_tag want[] = {{'O', -1}, {'B', 0}, {'I', 0}, {'E', 0},
                                  {'S', 1},  {'S', 2}, {'E', 2}};
    for (int i = 0; i < 7; i++) {
        assert_int_equal(set.tag[i].part, want[i].part);
        assert_int_equal(set.tag[i].type, want[i].type);
    }
    assert_int_equal(set.types.n, 3);
    assert_string_equal(set.types.item[1].text, "A-B");
    assert_string_equal(set.types.item[2].text, "");
    bs_tagset_free(&set);

    assert_int_equal(bs_tagset_make(names_of(tags, 7), BS_SCHEME_RAW, &set, NULL), BASIN_OK);
    assert_int_equal(set.types.n, 7);
    int64_t repaired = 0;
    bs_span span[4];
    assert_int_equal(bs_spans(&set, (int32_t[]){0, 1, -1, 1}, 4, span, &repaired), 3);
    assert_int_equal(repaired, 0);
    assert_true(span[0].type == 0 && span[0].first == 0 && span[0].end == 1);
    assert_true(span[2].type == 1 && span[2].first == 3 && span[2].end == 4);
    for (int32_t i = -1; i < 7; i++)
        for (int32_t j = -1; j < 7; j++)
            assert_true(bs_tagset_follows(&set, i, j));
    bs_tagset_free(&set);

    assert_int_equal(bs_tagset_make(names_of(NULL, 0), BS_SCHEME_BIOES, &set, NULL), BASIN_OK);
    uint8_t allowed[1] = {7};
    bs_tagset_allowed(&set, allowed);
    assert_int_equal(allowed[0], 1);
    bs_tagset_free(&set);
}

/* The rows: which tags may follow, and whether the sentence may end. */
static void transitions_by_hand(void **state)
{
    (void)state;
    static const struct {
        bs_scheme   scheme;
        const char *tags[6]; /* then the edge */
        const char *allowed;
    } row[] = {
        {BS_SCHEME_IOB1, {"O", "B-X", "I-X", "I-Y"}, "10111 11111 11111 10111 10111"},
        {BS_SCHEME_IOB2, {"O", "B-X", "I-X", "B-Y"}, "11011 11111 11111 11011 11011"},
        {BS_SCHEME_IOE1, {"O", "E-X", "I-X", "I-Y"}, "11111 01100 11111 11111 11111"},
        {BS_SCHEME_IOE2, {"O", "E-X", "I-X", "E-Y"}, "11111 11111 01100 11111 11111"},
        {BS_SCHEME_BIOES,
         {"O", "B-X", "I-X", "E-X", "S-X", "E-Y"},
         "1100101 0011000 0011000 1100101 1100101 1100101 1100101"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int32_t n = 0;
        while (n < 6 && row[k].tags[n])
            n++;
        bs_tagset set;
        uint8_t   allowed[49];
        assert_int_equal(bs_tagset_make(names_of(row[k].tags, n), row[k].scheme, &set, NULL),
                         BASIN_OK);
        bs_tagset_allowed(&set, allowed);
        const char *want = row[k].allowed;
        for (int32_t i = 0; i < (n + 1) * (n + 1); i++, want++) {
            want += *want == ' ';
            if (allowed[i] != *want - '0')
                fail_msg("%s: %d after %d", bs_scheme_name(row[k].scheme), i % (n + 1),
                         i / (n + 1));
        }
        bs_tagset_free(&set);
    }
}

/* On arbitrary sequences: repairs are needed exactly where a transition is not allowed, what
 * is written back is well-formed and has the same spans. */
static void arbitrary_sequences_are_read_consistently(void **state)
{
    (void)state;
    static text_case c, d;
    for (int scheme = BS_SCHEME_IOB1; scheme < BS_SCHEME_COUNT; scheme++) {
        bs_rng   r = bs_rng_make(5, (uint64_t)scheme, 1);
        bs_arena arena;
        bs_names names;
        bool     fresh;
        bs_arena_init(&arena, 0);
        bs_names_init(&names, &arena);
        const char *seed_tags[] = {"I-X", "I-Y-Z"};
        for (int i = 0; i < 2; i++)
            bs_names_add(&names, seed_tags[i], strlen(seed_tags[i]), &fresh);
        assert_int_equal(bs_scheme_complete((bs_scheme)scheme, &names, NULL), BASIN_OK);
        assert_int_equal(names.n, scheme >= BS_SCHEME_BIOES ? 9 : 5);
        case_start(&c);
        for (int32_t i = 0; i < names.n; i++)
            case_tag(&c, names.item[i].text, names.item[i].len);
        c.sentences = 1;
        bs_tagset set = case_set(&c, (bs_scheme)scheme);
        for (int trial = 0; trial < 400; trial++) {
            int32_t       tag[12], to[12];
            bs_span       span[12], again[12];
            int64_t       repaired = 0, repaired2 = 0, zero = 0;
            const int32_t n = (int32_t)bs_rng_below(&r, 12);
            bool          well = n > 0 ? bs_tagset_follows(&set, -1, -1) : true;
            for (int32_t i = 0; i < n; i++)
                tag[i] = (int32_t)bs_rng_below(&r, (uint32_t)set.n);
            for (int32_t i = 0; i <= n && n; i++)
                well &= bs_tagset_follows(&set, i ? tag[i - 1] : -1, i < n ? tag[i] : -1);
            c.start[1] = n;
            const int32_t spans = bs_spans(&set, tag, n, span, &repaired);
            assert_int_equal(well, repaired == 0);
            assert_true(repaired <= n);

            assert_false(
                convert_case(&c, tag, (bs_scheme)scheme, (bs_scheme)scheme, &d, to, &repaired2));
            assert_int_equal(repaired, repaired2);
            bs_tagset other = case_set(&d, (bs_scheme)scheme);
            assert_int_equal(bs_spans(&other, to, n, again, &zero), spans);
            assert_int_equal(zero, 0);
            for (int32_t i = 0; i < spans; i++) {
                assert_int_equal(span[i].first, again[i].first);
                assert_int_equal(span[i].end, again[i].end);
                assert_string_equal(set.types.item[span[i].type].text,
                                    other.types.item[again[i].type].text);
            }
            bs_tagset_free(&other);
        }
        bs_tagset_free(&set);
        bs_names_free(&names);
        bs_arena_free(&arena);
    }
}

static void four_types_make_seventeen_tags(void **state)
{
    (void)state;
    const char *tags[] = {"S-PER", "O", "B-LOC", "E-ORG", "I-MISC"};
    bs_arena    arena;
    bs_names    names;
    bool        fresh;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    for (int i = 0; i < 5; i++)
        bs_names_add(&names, tags[i], strlen(tags[i]), &fresh);
    assert_int_equal(bs_scheme_complete(BS_SCHEME_BIOES, &names, NULL), BASIN_OK);
    assert_int_equal(names.n, 17);
    for (int i = 0; i < 5; i++) /* what was there keeps its number */
        assert_string_equal(names.item[i].text, tags[i]);
    assert_true(bs_names_find(&names, "E-MISC", 6) > 0);
    assert_int_equal(bs_scheme_complete(BS_SCHEME_BIOES, &names, NULL), BASIN_OK);
    assert_int_equal(names.n, 17);
    assert_int_equal(bs_scheme_complete(BS_SCHEME_IOB2, &names, NULL), BASIN_EDATA);
    bs_names_free(&names);
    bs_arena_free(&arena);
}

static basin_status everything_once(text_case *c, const int32_t *tag, int32_t *to)
{
    bs_arena  arena;
    bs_names  names;
    bs_tagset set;
    bs_scheme scheme;
    char      why[BS_SCHEME_WHY];
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    basin_status s = bs_scheme_detect(
        &(bs_tagged_text){names_of(c->tags, c->n_tags), tag, c->start, c->sentences}, &scheme, why,
        NULL);
    if (!s)
        s = bs_scheme_convert(
            &(bs_tagged_text){names_of(c->tags, c->n_tags), tag, c->start, c->sentences}, scheme,
            BS_SCHEME_IOB2, &names, to, NULL, NULL);
    if (!s)
        s = bs_scheme_complete(BS_SCHEME_IOB2, &names, NULL);
    if (!s)
        s = bs_scheme_convert(
            &(bs_tagged_text){names_of(c->tags, c->n_tags), tag, c->start, c->sentences}, scheme,
            BS_SCHEME_RAW, &names, to, NULL, NULL);
    if (!s) {
        s = bs_tagset_make(names_of(c->tags, c->n_tags), scheme, &set, NULL);
        bs_tagset_free(&set);
    }
    bs_names_free(&names);
    bs_arena_free(&arena);
    return s;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static text_case c;
    int32_t          tag[CASE_TOKENS], to[CASE_TOKENS];
    const long       live = bs_mem_live();
    long             n = 1;
    case_start(&c);
    case_random(&c, 3, 10, tag);
    for (;; n++) {
        bs_mem_fail_at(n);
        basin_status s = everything_once(&c, tag, to);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
        if (s == BASIN_OK)
            break;
        assert_int_equal(s, BASIN_ENOMEM);
        assert_true(n < 200);
    }
    assert_true(n > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_other_programs_get_wrong),
        cmocka_unit_test(schemes_have_names),
        cmocka_unit_test(schemes_are_recognised),
        cmocka_unit_test(the_reason_is_told),
        cmocka_unit_test(spans_are_written_in_every_scheme),
        cmocka_unit_test(details_of_conversion),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(conversions_round_trip),
        cmocka_unit_test(tags_are_taken_apart),
        cmocka_unit_test(transitions_by_hand),
        cmocka_unit_test(arbitrary_sequences_are_read_consistently),
        cmocka_unit_test(four_types_make_seventeen_tags),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
