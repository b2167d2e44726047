/* test_text_blocks.c -- a file of sentences in blocks is the file: same words, tags and text. */
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/text/corpus.h"

static char path[64];

static void put_file(const char *text)
{
    snprintf(path, sizeof path, "/tmp/basin-blocks-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static bs_corpus_options options(const char *format)
{
    bs_corpus_options o = bs_corpus_options_default();
    snprintf(o.format, sizeof o.format, "%s", format);
    o.label_free = true;
    o.columns = 2;
    snprintf(o.to, sizeof o.to, "keep"); /* nobody needs tags in another scheme here */
    return o;
}

/* Words and tags, one sentence a line. */
static void list(const bs_corpus *c, bs_buf *out)
{
    for (int32_t s = 0; s < c->sentences; s++) {
        for (int32_t t = c->start[s]; t < c->start[s + 1]; t++)
            bs_buf_printf(out, "%s/%s ", c->words.item[c->word[t]].text,
                          c->tag[t] < 0 ? "" : c->tags.item[c->tag[t]].text);
        bs_buf_text(out, "\n");
    }
}

/* Blocks of every size give the sentences of the whole; at least `fewest` of the smallest ones. */
static void check(const char *format, const char *text, int fewest)
{
    const bs_corpus_options o = options(format);
    const char             *file = path;
    basin_error             err = {0};
    bs_corpus              *all = NULL;
    bs_buf                  want, got, bytes;
    const long              live = bs_mem_live();
    put_file(text);
    bs_buf_init(&want, 1 << 20);
    bs_buf_init(&got, 1 << 20);
    bs_buf_init(&bytes, 1 << 20);
    if (bs_corpus_read(&file, 1, &o, &all, NULL, &err))
        fail_msg("%s", err.msg);
    list(all, &want);
    for (int32_t lines = 1; lines < 12; lines++) {
        bs_corpus_file *f = NULL;
        bs_corpus      *c = NULL;
        int             blocks = 0;
        bs_buf_clear(&got);
        bs_buf_clear(&bytes);
        assert_int_equal(bs_corpus_open(path, &o, &f, &err), BASIN_OK);
        for (; bs_corpus_next(f, lines, &c, NULL, &err) == BASIN_OK && c; blocks++) {
            assert_string_equal(c->format, all->format);
            assert_int_equal(c->bom, all->bom && blocks == 0);
            list(c, &got);
            bs_buf_add(&bytes, c->text, c->text_len);
            bs_corpus_free(c);
        }
        if (err.status)
            fail_msg("%d lines: %s", (int)lines, err.msg);
        assert_string_equal(got.data, want.data);
        if (!all->records) /* else it is columns that were made */
            assert_memory_equal(bytes.data, all->text, all->text_len + 1);
        assert_true(lines > 1 || blocks >= fewest);
        bs_corpus_close(f);
    }
    bs_corpus_free(all);
    bs_buf_free(&want);
    bs_buf_free(&got);
    bs_buf_free(&bytes);
    assert_int_equal(bs_mem_live(), live);
    remove(path);
}

static void columns(void **state)
{
    (void)state;
    check("auto", "a B-x\nb O\n\nc O\nd I-x\n\n\n\ne O\n", 3);
    check("auto",
          "\xef\xbb\xbf"
          "-DOCSTART- O\r\n\r\na B-x\r\nb O\r\n\r\n# c d e\r\nc O\r\nd O\r\n",
          2);
    check("conll", "# only one here\na O\n\nb O\n\n# after all\n\n", 3);
    check("conllu",
          "# text = a b\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t_\t_\t_\tTag=O\n"
          "2\tb\t_\t_\t_\t_\t_\t_\t_\tTag=B-x\n\n1\tc\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
          2);
}

static void lines(void **state)
{
    (void)state;
    check("text", "a b c\n\nd e\nf\n\n\n", 3);
    check("auto", "a b c d e f\ng h i\nj\n", 3);
    check("auto", "Two words\nand then a whole line.\n\nAnother one follows it\nhere\n", 3);
    check("auto",
          "{\"tokens\": [\"a\", \"b\"], \"tags\": [\"X\", \"O\"]}\n\n{\"tokens\": [\"c\"]}\n\n\n",
          2);
    check("auto", "{\"text\": \"a b. C d.\"}\n{\"text\": \"\"}\n{\"text\": \"e\"}\n", 3);
}

/* Formats that only the whole file shows. */
static void whole_files(void **state)
{
    (void)state;
    check("auto", "[{\"tokens\": [\"a\"]},\n {\"tokens\": [\"b\"]}]\n", 1);
    check("auto", "{\n\"tokens\": [\"a\"]\n}\n{\n\"tokens\": [\"b\"]\n}\n", 1);
    check("csv", "sentence,word,tag\n1,a,O\n1,b,X\n2,c,O\n", 1);
}

static void messages_name_lines_of_the_file(void **state)
{
    const bs_corpus_options o = options("conll");
    bs_corpus_file         *f = NULL;
    bs_corpus              *c = NULL;
    basin_error             err = {0};
    int                     good = 0;
    (void)state;
    put_file("a O\nb O\n\nc O\n\n\n# a comment for it\nd O O\n\n");
    assert_int_equal(bs_corpus_open(path, &o, &f, &err), BASIN_OK);
    for (; bs_corpus_next(f, 1, &c, NULL, &err) == BASIN_OK && c; good++)
        bs_corpus_free(c);
    assert_true(good >= 2);
    if (!strstr(err.msg, ":8: 3 columns, expected 2"))
        fail_msg("%s", err.msg);
    bs_corpus_close(f);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(lines),
        cmocka_unit_test(whole_files),
        cmocka_unit_test(messages_name_lines_of_the_file),
    };
    return cmocka_run_group_tests_name("blocks of sentences", tests, NULL, NULL);
}
