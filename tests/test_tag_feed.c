/* test_tag_feed.c -- sentences as batches: every token once and with its own numbers, whatever the
 * size of batches; the order of an epoch; rare words left out; word vectors in the tables of nets;
 * memory that runs out. */
#include "tests/text_helper.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "declaration.h"
#include "task/tag/data.h"

enum { POSITIONS = 8192 }; /* most words of a batch, padding included, of feed_tag.c */

/* ---- a corpus, what is known of it, and its feed ---- */

typedef struct {
    bs_settings   settings;
    bs_corpus    *c;
    bs_dataset    part;
    bs_preprocess known;
    bs_net_spec   spec;
    bs_batches   *feed;
    int32_t      *order;
    /* by the lexicon, of distinct texts */
    int32_t *row, *tag, *letter, *letters, *value[BS_LEXICON_COLUMNS];
} setting;

/* Sentences of 1 to 12 words, some of them of 20; half of the words occur once. */
static bs_corpus *make_corpus(int sentences, int longest)
{
    bs_buf text;
    bs_rng rng = bs_rng_make(5, 0, 0);
    bs_buf_init(&text, (size_t)1 << 28);
    for (int s = 0; s < sentences; s++) {
        int n = s % 9 == 8 ? 20 : 1 + (int)bs_rng_below(&rng, 12);
        n = s == sentences / 2 && longest > 0 ? longest : n;
        for (int t = 0; t < n; t++) {
            int kind = (int)bs_rng_below(&rng, 4);
            if (kind < 2)
                bs_buf_printf(&text, "only%dx%d", s, t);
            else
                bs_buf_printf(&text, "%s%d", kind == 2 ? "Often" : "w", (int)bs_rng_below(&rng, 5));
            bs_buf_printf(&text, " F%d T%d\n", (int)bs_rng_below(&rng, 3),
                          (int)bs_rng_below(&rng, 4));
        }
        bs_buf_text(&text, "\n");
    }
    bs_corpus  *c;
    basin_error err = {0};
    if (corpus_bytes(text.data, text.len, "feature_columns=2", &c, NULL, &err))
        fail_msg("%s", err.msg);
    bs_buf_free(&text);
    return c;
}

static void look_up(setting *s)
{
    const bs_lexicon *l = &bs_preprocess_tag(&s->known)->lexicon;
    const size_t      words = (size_t)s->c->words.n + 1;
    s->row = calloc(words, sizeof *s->row);
    s->tag = calloc((size_t)s->c->tags.n + 1, sizeof *s->tag);
    s->letter = calloc(words * (size_t)l->max_characters, sizeof *s->letter);
    s->letters = calloc(words, sizeof *s->letters);
    bs_lexicon_words(l, &s->c->words, s->row);
    bs_lexicon_tags(l, &s->c->tags, s->tag);
    bs_lexicon_characters(l, &s->c->words, s->letter, s->letters);
    for (int k = 0; k < l->columns; k++) {
        int             from = l->column_source[k];
        const bs_names *texts = from < 0 ? &s->c->words : &s->c->value[from];
        s->value[k] = calloc((size_t)texts->n + 1, sizeof *s->value[k]);
        bs_lexicon_column(l, k, texts, s->value[k]);
    }
}

static setting *setting_new(int sentences, int longest, const char *words)
{
    basin_error err = {0};
    setting    *s = calloc(1, sizeof *s);
    bs_logger   log = bs_log_make(stderr, BS_QUIET);
    assert_int_equal(bs_settings_default(&s->settings, &err), BASIN_OK);
    if (bs_settings_words(&s->settings, words, "test", &err))
        fail_msg("%s", err.msg);
    s->c = make_corpus(sentences, longest);
    s->part = (bs_dataset){.task = &bs_task_tag, .rows = s->c->sentences, .own = s->c};
    bs_arena_init(&s->known.arena, 0);
    if (bs_task_tag.fit(&s->settings, &s->part, 1, &log, &s->known, &err) ||
        bs_task_tag.spec(&s->settings.train, &s->known, &s->spec, &err))
        fail_msg("%s", err.msg);
    if (bs_batches_tag(&s->part, &s->known, &s->spec, &s->settings.train, &s->feed, &err))
        fail_msg("%s", err.msg);
    s->order = calloc((size_t)sentences + 1, sizeof *s->order);
    look_up(s);
    return s;
}

static void setting_free(setting *s)
{
    s->feed->free(s->feed);
    bs_preprocess_free(&s->known);
    bs_corpus_free(s->c);
    for (int k = 0; k < BS_LEXICON_COLUMNS; k++)
        free(s->value[k]);
    free(s->row);
    free(s->tag);
    free(s->letter);
    free(s->letters);
    free(s->order);
    free(s);
}

static void begin_epoch(setting *s, int epoch)
{
    bs_rng rng = bs_rng_make(3, (uint64_t)epoch, 0x5eed);
    s->feed->order(s->feed, &rng, s->order);
}

/* ---- one batch ---- */

static void check_letters(const setting *s, const bs_batch *b, int32_t text, size_t at)
{
    const int32_t *letter = b->x[4], *letters = b->x[5];
    const float   *present = b->x[6];
    const size_t   C = (size_t)b->size.width;
    const int32_t  n = text < 0 ? 0 : s->letters[text];
    assert_int_equal(letters[at], n);
    for (size_t i = 0; i < C; i++) {
        bool there = (int32_t)i < n;
        assert_true(present[at * C + i] == (there ? 1.0f : 0.0f));
        size_t from =
            there ? (size_t)text * (size_t)bs_preprocess_tag(&s->known)->lexicon.max_characters + i
                  : 0;
        assert_int_equal(letter[at * C + i], there ? s->letter[from] : -1);
    }
}

static void check_columns(const setting *s, const bs_batch *b, int32_t token, size_t at)
{
    const bs_lexicon *l = &bs_preprocess_tag(&s->known)->lexicon;
    const size_t      cells = (size_t)b->size.rows * (size_t)b->size.length;
    const int32_t    *column = b->x[3];
    int32_t           offset = 0;
    for (int k = 0; k < l->columns; k++) {
        int     from = l->column_source[k];
        int32_t want = -1;
        if (token >= 0)
            want = offset + s->value[k][from < 0 ? s->c->word[token] : s->c->feature[from][token]];
        assert_int_equal(column[(size_t)k * cells + at], want);
        offset += l->value[k].n;
    }
}

/* Row b, position t; token -1 is padding. Words may have been left out where `lossy`. */
static void check_cell(const setting *s, const bs_batch *batch, int b, int t, int32_t token,
                       bool lossy)
{
    const int32_t *word = batch->x[0];
    const float   *mask = batch->x[2], *gold = batch->gold;
    const int    T = batch->size.length, B = batch->size.rows, N = bs_net_spec_tag(&s->spec)->tags;
    const size_t at = (size_t)t * (size_t)B + (size_t)b, by_row = (size_t)(b * T + t);
    int32_t      text = token < 0 ? -1 : s->c->word[token];
    assert_true(mask[by_row] == (token < 0 ? 0.0f : 1.0f));
    if (token >= 0)
        assert_true(word[at] == s->row[text] || (lossy && word[at] == 0));
    for (int j = 0; j < N; j++) {
        bool right = token >= 0 && s->tag[s->c->tag[token]] == j;
        assert_true(gold[by_row * (size_t)N + (size_t)j] == (right ? 1.0f : 0.0f));
    }
    check_columns(s, batch, token, at);
    if (bs_net_spec_tag(&s->spec)->chars != BS_CHARS_NONE)
        check_letters(s, batch, text, at);
}

static void check_batch(const setting *s, const bs_batch *b, const int32_t *index, int32_t n,
                        bool lossy)
{
    const int32_t *len = b->x[1], *ended = b->x[7];
    assert_true(b->size.rows >= n);
    for (int r = 0; r < b->size.rows; r++) {
        int32_t first = r < n ? s->c->start[index[r]] : 0;
        int32_t length = r < n ? s->c->start[index[r] + 1] - first : 0;
        assert_int_equal(len[r], length);
        assert_int_equal(ended[r], length + 1);
        assert_true(length <= b->size.length);
        for (int t = 0; t < b->size.length; t++)
            check_cell(s, b, r, t, t < length ? first + t : -1, lossy);
    }
}

/* Goes through an epoch as the trainer does; returns the number of cells. */
static int64_t check_epoch(setting *s, int32_t most, bool lossy)
{
    const int32_t rows = s->c->sentences;
    uint8_t      *seen = calloc((size_t)rows, 1);
    int64_t       cells = 0;
    for (int32_t at = 0, n; at < rows; at += n) {
        n = rows - at < most ? rows - at : most;
        n = s->feed->fits(s->feed, s->order + at, n);
        assert_true(n >= 1 && n <= most);
        const bs_batch *b = s->feed->rows(s->feed, s->order + at, n);
        int64_t         positions = (int64_t)b->size.length * n;
        CHECK(n == 1 || positions <= POSITIONS, "%d sentences have %d positions", (int)n,
              (int)positions);
        check_batch(s, b, s->order + at, n, lossy);
        for (int32_t i = at; i < at + n; i++)
            seen[s->order[i]]++;
        cells += (int64_t)b->size.rows * b->size.length;
    }
    for (int32_t i = 0; i < rows; i++)
        CHECK(seen[i] == 1, "sentence %d is seen %d times", (int)i, seen[i]);
    free(seen);
    return cells;
}

/* ---- tests ---- */

static void every_token_once(void **state)
{
    static const int         size[] = {1, 2, 7, 32, 1000};
    static const char *const chars[] = {"none", "cnn", "lstm"};
    (void)state;
    for (int i = 0; i < 15; i++) {
        char words[128];
        snprintf(words, sizeof words, "batch=%d chars.net=%s words.unk_dropout=0.5", size[i / 3],
                 chars[i % 3]);
        setting *s = setting_new(211, 0, words);
        for (int epoch = 1; epoch <= 2; epoch++) {
            begin_epoch(s, epoch);
            int64_t cells = check_epoch(s, size[i / 3], true);
            /* sentences of similar length are together */
            CHECK(cells <= s->c->tokens * (size[i / 3] <= 32 ? 5 : 12) / 4,
                  "batches of %d: %d cells for %d words", size[i / 3], (int)cells,
                  (int)s->c->tokens);
        }
        setting_free(s);
    }
}

/* For prediction: by length, rows padded to a power of two, nothing left out. */
static void prediction_pads_rows(void **state)
{
    basin_error err = {0};
    (void)state;
    setting *s = setting_new(211, 0, "chars.net=cnn words.unk_dropout=1");
    s->feed->free(s->feed);
    assert_int_equal(bs_batches_tag_all(&s->part, &s->known, &s->spec, 50, &s->feed, &err),
                     BASIN_OK);
    assert_int_equal(bs_by_length(s->c->start, s->c->sentences, s->order, &err), BASIN_OK);
    for (int32_t i = 1; i < s->c->sentences; i++) {
        const int32_t *start = s->c->start, a = s->order[i - 1], b = s->order[i];
        int32_t        before = start[a + 1] - start[a], here = start[b + 1] - start[b];
        assert_true(before < here || (before == here && a < b));
    }
    check_epoch(s, 50, false);
    for (int n = 1; n <= 50; n++) {
        int rows = s->feed->rows(s->feed, s->order, n)->size.rows;
        assert_true(rows >= n && rows < 2 * n && (rows & (rows - 1)) == 0);
    }
    setting_free(s);
}

static void epochs_have_their_order(void **state)
{
    enum { ROWS = 500 };
    int32_t before[ROWS];
    int     same = 0;
    (void)state;
    setting *s = setting_new(ROWS, 0, "batch=8");
    begin_epoch(s, 1);
    memcpy(before, s->order, sizeof before);
    begin_epoch(s, 1);
    assert_memory_equal(before, s->order, sizeof before);
    begin_epoch(s, 2);
    for (int i = 0; i < ROWS; i++)
        same += before[i] == s->order[i];
    CHECK(same < 20, "%d of %d sentences are where they were", same, ROWS);
    setting_free(s);
}

static void long_sentences_are_alone(void **state)
{
    enum { LONG = 20000 };
    (void)state;
    for (int batch = 1; batch <= 64; batch *= 8) {
        char words[64];
        snprintf(words, sizeof words, "batch=%d chars.net=cnn", batch);
        setting *s = setting_new(300, LONG, words);
        begin_epoch(s, 1);
        check_epoch(s, batch, true);
        for (int32_t at = 0, n; at < 300; at += n) {
            n = s->feed->fits(s->feed, s->order + at, 300 - at < batch ? 300 - at : batch);
            for (int32_t i = at; i < at + n; i++)
                assert_true(s->order[i] != 150 || n == 1);
        }
        setting_free(s);
    }
}

/* Many samples make batches smaller, but never empty. */
static void samples_fit_into_memory(void **state)
{
    static const struct {
        const char *words;
        int32_t     most; /* words of a batch */
    } expected[] = {{"batch=64 samples=20", 8192},
                    {"batch=64 samples=400", 32 * 8192 / 400},
                    {"batch=64 samples=10000", 26}};
    int32_t few = 0;
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        setting *s = setting_new(300, 40, expected[i].words);
        begin_epoch(s, 1);
        for (int32_t at = 0, n; at < 300; at += n) {
            int32_t longest = 0;
            n = s->feed->fits(s->feed, s->order + at, 300 - at < 64 ? 300 - at : 64);
            for (int32_t k = at; k < at + n; k++) {
                const int32_t length = s->c->start[s->order[k] + 1] - s->c->start[s->order[k]];
                longest = length > longest ? length : longest;
            }
            assert_true(n >= 1 && (n == 1 || longest * n <= expected[i].most));
            few += n > 1 && n < 64 && i == 1;
        }
        setting_free(s);
    }
    assert_true(few > 3);
}

/* [tokens]: 1 where the word was fed as unknown although the lexicon has it */
static uint8_t *left_out(setting *s, int32_t most)
{
    uint8_t *out = calloc((size_t)s->c->tokens + 1, 1);
    for (int32_t at = 0, n; at < s->c->sentences; at += n) {
        n = s->c->sentences - at < most ? s->c->sentences - at : most;
        n = s->feed->fits(s->feed, s->order + at, n);
        const bs_batch *b = s->feed->rows(s->feed, s->order + at, n);
        const int32_t  *word = b->x[0];
        for (int32_t i = 0; i < n; i++)
            for (int32_t k = s->c->start[s->order[at + i]], t = 0;
                 k < s->c->start[s->order[at + i] + 1]; k++, t++)
                out[k] = word[t * b->size.rows + i] == 0 && s->row[s->c->word[k]] != 0;
    }
    return out;
}

static void rare_words_are_left_out(void **state)
{
    static const int size[] = {4, 33, 1000};
    uint8_t         *out[4] = {NULL};
    double           rare = 0, dropped = 0;
    int32_t          tokens = 0;
    (void)state;
    for (int i = 0; i < 4; i++) { /* three sizes, then another epoch */
        char words[64];
        snprintf(words, sizeof words, "batch=%d words.unk_dropout=0.3", size[i % 3]);
        setting *s = setting_new(1500, 0, words);
        begin_epoch(s, i < 3 ? 1 : 2);
        out[i] = left_out(s, size[i % 3]);
        tokens = s->c->tokens;
        for (int32_t k = 0; k < tokens && i == 0; k++) {
            bool once = bs_params_has_prefix(s->c->words.item[s->c->word[k]].text, "only");
            assert_true(once || !out[0][k]);
            rare += once;
            dropped += out[0][k];
        }
        setting_free(s);
    }
    assert_true(rare > 3000);
    CHECK(dropped > 0.3 * rare - 5 * 0.46 * sqrt(rare) &&
              dropped < 0.3 * rare + 5 * 0.46 * sqrt(rare),
          "%.0f of %.0f rare words are left out", dropped, rare);
    assert_memory_equal(out[0], out[1], (size_t)tokens);
    assert_memory_equal(out[0], out[2], (size_t)tokens);
    double both = 0;
    for (int32_t k = 0; k < tokens; k++)
        both += out[0][k] && out[3][k];
    CHECK(both > 0.2 * dropped && both < 0.4 * dropped, "epochs leave out %.0f words of %.0f alike",
          both, dropped);
    for (int i = 0; i < 4; i++)
        free(out[i]);
}

static void memory_runs_out(void **state)
{
    (void)state;
    setting     *s = setting_new(40, 0, "chars.net=cnn");
    basin_status status = BASIN_ENOMEM;
    long         n = 1;
    for (; status; n++) {
        basin_error err = {0};
        bs_batches *f = NULL;
        long        live = bs_mem_live();
        bs_mem_fail_at(n);
        status = bs_batches_tag(&s->part, &s->known, &s->spec, &s->settings.train, &f, &err);
        bs_mem_fail_at(0);
        assert_true(status == BASIN_OK || status == BASIN_ENOMEM);
        assert_true((f != NULL) == (status == BASIN_OK) && err.status == status);
        if (f)
            f->free(f);
        assert_int_equal(bs_mem_live(), live);
    }
    assert_true(n > 15); /* every array was refused once */
    for (n = 1, status = BASIN_ENOMEM; status; n++) {
        long live = bs_mem_live();
        bs_mem_fail_at(n);
        status = bs_by_length(s->c->start, s->c->sentences, s->order, NULL);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
    }
    assert_true(n == 3);
    setting_free(s);
}

/* Under a prefix the vectors of known words are in all tables of words, and nowhere else. */
static void vectors_fill_tables_of_words(void **state)
{
    static const char text[] = "w1 7 8\nw2 7 8\n";
    setting          *s = setting_new(50, 0, "batch=8");
    bs_tag_known     *own = bs_preprocess_tag(&s->known);
    const int         words = own->lexicon.words.n;
    const declaration tables[] = {{"net/words/W", bs_shape2(words, 2), bs_init_normal(1)},
                                  {"net/columns/W", bs_shape2(words, 2), bs_init_normal(1)},
                                  {"net/more/words/W", bs_shape2(words, 3), bs_init_normal(1)},
                                  {"energy/words/W", bs_shape2(words, 2), bs_init_normal(1)}};
    bs_params        *fresh = store_of(tables, 4, 1), *p = store_of(tables, 4, 1);
    bs_input         *in;
    (void)state;
    assert_int_equal(bs_input_memory("vectors", text, strlen(text), &in, NULL), BASIN_OK);
    assert_int_equal(bs_vectors_read_input(in, NULL, &own->vectors, NULL, NULL), BASIN_OK);
    bs_input_close(in);
    own->has_vectors = true;
    own->word_width = 2;
    assert_int_equal(bs_tag_fill(&s->known, p, "net/", NULL), BASIN_OK);
    for (int i = 0; i < p->n; i++) {
        const bs_segment *of = &p->segment[i];
        const real       *is = values_of(p, of->name), *was = values_of(fresh, of->name);
        int               filled = 0;
        for (int64_t k = 0; k < of->count; k++) {
            const bool same = is[k] == was[k];
            assert_true(same || is[k] == (k % 2 ? 8 : 7));
            filled += !same;
        }
        assert_int_equal(filled, strcmp(of->name, "net/words/W") == 0 ? 4 : 0);
    }
    bs_params_free(fresh);
    bs_params_free(p);
    setting_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_once),
        cmocka_unit_test(prediction_pads_rows),
        cmocka_unit_test(epochs_have_their_order),
        cmocka_unit_test(long_sentences_are_alone),
        cmocka_unit_test(samples_fit_into_memory),
        cmocka_unit_test(rare_words_are_left_out),
        cmocka_unit_test(vectors_fill_tables_of_words),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests_name("batches of sentences", tests, NULL, NULL);
}
