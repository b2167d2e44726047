/* test_memory.c -- how much memory the tool takes for small files that unpack to large ones.
 *
 * The tool itself is run ($BASIN, as tools/run-tests sets it), and the system says how much it
 * had. Under sanitizers that means nothing: there only what it says is looked at. */
#include "tests/check.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/rows/read.h"
#include "data/image/images.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { MB = 1 << 20, LARGE = 600 /* MB, of what is packed */, SMALL = 300 /* of the process */ };
/* The same of sentences, which take their time. */
enum { MANY = 160, FEW = 130, LONG_WORD = 2500 };

static char        old[512], folder[64], said[400];
static const char *tool;

/* ---- files ---- */

/* head, then a piece again and again until there are so many MB, then tail; packed by zstd. */
static void make_mb(int mb, const char *name, const char *head, const char *piece, size_t n,
                    const char *tail)
{
    struct archive       *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    assert_true(a && e);
    assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
    assert_int_equal(archive_write_add_filter_zstd(a), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, name), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, head, strlen(head)), strlen(head));
    for (size_t done = 0; done < (size_t)mb * MB; done += n)
        assert_int_equal(archive_write_data(a, piece, n), n);
    assert_int_equal(archive_write_data(a, tail, strlen(tail)), strlen(tail));
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    archive_entry_free(e);
}

static void make(const char *name, const char *head, const char *piece, size_t n, const char *tail)
{
    make_mb(LARGE, name, head, piece, n, tail);
}

/* A zip archive of n files of zeros, so many MiB each. */
static void make_zip(const char *name, const char *pattern, int n, int mb)
{
    static char     zeros[MB];
    struct archive *a = archive_write_new();
    assert_int_equal(archive_write_set_format_zip(a), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, name), ARCHIVE_OK);
    for (int i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        char                  entry[40];
        snprintf(entry, sizeof entry, pattern, i);
        archive_entry_set_pathname(e, entry);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_size(e, (la_int64_t)mb * MB);
        assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
        for (int k = 0; k < mb; k++)
            assert_int_equal(archive_write_data(a, zeros, MB), MB);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* ---- the tool ---- */

static void load(const char *path)
{
    FILE *f = fopen(path, "r");
    said[0] = '\0';
    if (f) {
        size_t n = fread(said, 1, sizeof said - 1, f);
        said[n] = '\0';
        fclose(f);
    }
}

/* Runs it; its status, and what it said in `said`. So many MB must have been enough. */
static int run(int mb, const char *const *args)
{
    const char   *argv[16] = {"basin"};
    struct rusage u;
    int           status;
    for (int i = 0; args[i]; i++)
        argv[i + 1] = args[i];
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int fd = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(fd, 1);
        dup2(fd, 2);
        execv(tool, (char *const *)(uintptr_t)argv);
        _exit(99);
    }
    assert_int_equal(wait4(pid, &status, 0, &u), pid);
    load("said");
    if (!WIFEXITED(status) || (!SANITIZED && u.ru_maxrss > mb * 1024))
        fprintf(stderr, "  %s %s: %ld kB, status %d, said: %s\n", args[0], args[1], u.ru_maxrss,
                status, said);
    assert_true(WIFEXITED(status));
    assert_true(SANITIZED || u.ru_maxrss <= mb * 1024);
    return WEXITSTATUS(status);
}

#define RUN_WITHIN(mb, ...) run(mb, (const char *const[]){__VA_ARGS__, NULL})
#define RUN(...)            RUN_WITHIN(SMALL, __VA_ARGS__)

static void says(const char *text)
{
    if (!strstr(said, text))
        fprintf(stderr, "  said: %s\n", said);
    assert_non_null(strstr(said, text));
}

/* ---- tests ---- */

static const char arff_head[] = "@relation x\n@attribute a numeric\n@attribute l {0,1}\n@data\n";

/* A comment or a blank line of 1000 characters. */
static const char *line_of(char first, char rest)
{
    static char line[1002];
    memset(line, rest, 1000);
    line[0] = first;
    line[1000] = '\n';
    return line;
}

/* A row of 10,000 characters that begins so and ends in a quoted text. */
static char row[10000];

static const char *row_of(const char *first)
{
    memset(row, 'c', sizeof row);
    memcpy(row, first, strlen(first));
    memcpy(row + sizeof row - 3, *first == '{' ? "\"}\n" : "cc\"\n" + 1, 3);
    return row;
}

static void make_models(void)
{
    bs_buf b;
    bs_buf_init(&b, MB);
    bs_buf_text(&b, arff_head);
    for (int i = 0; i < 40; i++)
        bs_buf_text(&b, "-1,0\n1,1\n");
    put("d.arff", b.data);
    bs_buf_clear(&b);
    for (int i = 0; i < 40; i++)
        bs_buf_text(&b, "0 1:1\n1 2:1\n");
    put("d.libsvm", b.data);
    bs_buf_free(&b);
    assert_int_equal(RUN("train", "d.arff", "--labels", "l", "--method", "ce", "--epochs", "1",
                         "-q", "-o", "arff"),
                     0);
    assert_int_equal(RUN("train", "d.libsvm", "--method", "ce", "--epochs", "1", "-q", "-o", "svm"),
                     0);
}

static void make_tagger(void)
{
    bs_buf b;
    bs_buf_init(&b, MB);
    for (int i = 0; i < 40; i++)
        bs_buf_text(&b, "one X\ntwo O\n\ntwo O\none X\ntwo O\n\n");
    put("d.conll", b.data);
    bs_buf_free(&b);
    assert_int_equal(RUN("train", "d.conll", "--method", "ce", "--epochs", "1", "-q", "-o", "tags",
                         "--set", "net.width=8"),
                     0);
}

static int lines_in(const char *path)
{
    FILE *f = fopen(path, "r");
    int   n = 0;
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        n += c == '\n';
    fclose(f);
    return n;
}

/* Files of any length: what is no row takes no memory, and is not taken for the end. */
static void predict_takes_constant_memory(void **state)
{
    (void)state;
    make_models();
    make("a.zst", "@relation x\n@attribute a numeric\n@data\n-1\n", line_of('%', 'c'), 1001, "1\n");
    assert_int_equal(RUN("predict", "arff", "a.zst", "-o", "p"), 0);
    assert_int_equal(lines_in("p"), 2);
    make("a.zst", "@relation x\n@attribute a numeric\n@data\n-1\n", line_of(' ', ' '), 1001, "1\n");
    assert_int_equal(RUN("predict", "arff", "a.zst", "-o", "p"), 0);
    assert_int_equal(lines_in("p"), 2);
    make("a.zst", "1:1\n", line_of('#', 'c'), 1001, "2:1\n");
    assert_int_equal(RUN("predict", "svm", "a.zst", "-o", "p"), 0);
    assert_int_equal(lines_in("p"), 2);
    /* of LIBSVM, blank lines are rows */
    make("a.zst", "1:1\n", line_of(' ', ' '), 1001, "2:1\n");
    assert_int_equal(RUN("predict", "svm", "a.zst", "-o", "p"), 0);
    assert_int_equal(lines_in("p"), 2 + (LARGE * MB + 1000) / 1001);
    /* rows of known columns */
    make("a.zst", "a,b\n1,x\n", row_of("-1,\""), sizeof row, "1,\"\"\n");
    assert_int_equal(RUN("predict", "arff", "a.zst", "-o", "p"), 0);
    assert_int_equal(lines_in("p"), 2 + (LARGE * MB + sizeof row - 1) / sizeof row);
    make("a.zst", "{\"a\": 1}\n", row_of("{\"a\": -1, \"b\": \""), sizeof row, "{\"a\": 1}\n");
    assert_int_equal(RUN("predict", "arff", "a.zst", "-o", "p"), 0);
    assert_int_equal(lines_in("p"), 2 + (LARGE * MB + sizeof row - 1) / sizeof row);
    /* rows, then nothing */
    make("a.zst", "1:1\n2:1\n", line_of(' ', ' '), 1001, "");
    assert_int_equal(RUN("predict", "svm", "a.zst", "-o", "p"), 0);
    assert_int_equal(lines_in("p"), 2);
}

/* Sentences with a word of nearly LONG_WORD characters. */
static void sentences_take_constant_memory(void **state)
{
    static const struct {
        const char *format, *first, *last;
        int         lines; /* of output per sentence */
    } cases[] = {
        {"text.format=conll", "one X\n", " O\n\n", 3},
        {"text.format=conllu", "1\t", "\t_\t_\t_\t_\t_\t_\t_\t_\n\n", 2},
        {"text.format=text", "one two ", "\n", 4},
        {"text.format=tokens", "{\"tokens\": [\"two\", \"", "\"]}\n", 1},
        {"text.format=spans", "{\"text\": \"one two ", "\"}\n", 1},
    };
    (void)state;
    make_tagger();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = strlen(cases[i].last);
        memset(row, 'c', LONG_WORD);
        memcpy(row, cases[i].first, strlen(cases[i].first));
        memcpy(row + LONG_WORD - n, cases[i].last, n);
        make_mb(MANY, "s.zst", "", row, LONG_WORD, "");
        assert_int_equal(RUN_WITHIN(FEW, "predict", "tags", "s.zst", "-o", "p", "--set",
                                    cases[i].format, "--format", i < 3 ? "conll" : "jsonl"),
                         0);
        assert_int_equal(lines_in("p") / cases[i].lines, (MANY * MB + LONG_WORD - 1) / LONG_WORD);
    }
}

static void a_line_of_600_megabytes(void **state)
{
    (void)state;
    static char piece[MB];
    memset(piece, 'a', sizeof piece);
    static const char *const formats[] = {"data.format=csv", "data.format=arff",
                                          "data.format=libsvm", "data.format=jsonl",
                                          "data.format=xmc"};
    make("long.zst", arff_head, piece, sizeof piece, "\n");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        int status = RUN("data", "inspect", "long.zst", "--labels", "l", "--set", formats[i],
                         "--set", "data.max_line_mb=64");
        assert_int_equal(status, 1);
        if (i < 2)
            says("long.zst:5: the line is longer than 67108864 bytes");
    }
    assert_int_equal(
        RUN("data", "inspect", "long.zst", "--task", "tag", "--set", "data.max_line_mb=64"), 1);
    says("long.zst:5: the line is longer than 67108864 bytes");
    assert_int_equal(RUN("predict", "arff", "long.zst", "--set", "data.max_line_mb=64"), 1);
    says("long.zst:5: the line is longer than 67108864 bytes");
    make("long.zst", "1:1\n", piece, sizeof piece, "\n");
    assert_int_equal(RUN("predict", "svm", "long.zst", "--set", "data.max_line_mb=64"), 1);
    says("long.zst:2: the line is longer than 67108864 bytes");
    make("d.xml", "<labels><label name=\"", piece, sizeof piece, "\"/></labels>");
    assert_int_equal(RUN("data", "inspect", "d.arff"), 1);
    says("d.xml:1: a tag or text of more than 16777216 bytes");
    unlink("d.xml");
}

static void what_is_kept_is_bounded(void **state)
{
    (void)state;
    static char piece[MB];
    memset(piece, '\n', sizeof piece);
    make("blank.zst", "a,b,l\n", piece, sizeof piece, "1,2,0\n");
    assert_int_equal(RUN("data", "inspect", "blank.zst", "--labels", "l"), 1);
    says("more than 1048576 blank lines in a row");
    assert_int_equal(RUN("data", "inspect", "blank.zst", "--task", "tag"), 1);
    says("more than 1048576 blank lines in a row");

    /* a JSON tree has many times the size of its text */
    for (size_t i = 0; i < sizeof piece; i++)
        piece[i] = "0,"[i % 2];
    make("list.zst", "{\"features\": [", piece, sizeof piece, "0]}\n");
    assert_int_equal(RUN("data", "inspect", "list.zst", "--set", "data.max_line_mb=100"), 1);
    says("the line is longer");
    assert_int_equal(RUN("data", "inspect", "list.zst", "--set", "data.max_line_mb=2000", "--set",
                         "data.max_mb=50"),
                     1);
    says("unpacks to more than 50 MiB");
    put("list.jsonl", "{\"features\": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], \"labels\": [\"a\"]}\n");
    assert_int_equal(RUN("data", "inspect", "list.jsonl", "--set", "data.max_features=10", "--set",
                         "data.max_labels=4"),
                     1);
    says("list.jsonl:1: more values than data.max_features and data.max_labels allow");
}

/* Archives that pack each file by itself. */
static void zip_archives(void **state)
{
    (void)state;
    const char      *file = "z.zip";
    bs_image_options o = bs_image_options_default();
    bs_read_options  r = bs_read_options_default();
    bs_images       *im = NULL;
    bs_rows         *d = NULL;
    basin_error      err = {0};
    make_zip(file, "images/%d.png", 3, 1);
    o.unpack_mb = 2;
    assert_int_equal(bs_images_read(&file, 1, &o, NULL, &im, NULL, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "z.zip: unpacks to more than 2 MiB (data.max_mb)");
    o.unpack_mb = 3;
    assert_int_equal(bs_images_read(&file, 1, &o, NULL, &im, NULL, &err), BASIN_EDATA);
    assert_null(strstr(err.msg, "unpacks"));

    file = "z.npz";
    make_zip(file, "X%d.npy", 1, 3);
    r.max_mb = 2;
    assert_int_equal(bs_rows_read(&file, 1, &r, &d, NULL, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "z.npz: unpacks to more than 2 MiB (data.max_mb)");
    r.max_mb = 3;
    assert_int_equal(bs_rows_read(&file, 1, &r, &d, NULL, &err), BASIN_EDATA);
    assert_null(strstr(err.msg, "unpacks"));
}

static int enter(void **state)
{
    (void)state;
    tool = getenv("BASIN");
    if (!tool || !*tool) {
        fprintf(stderr, "  BASIN is not set to the tool; tools/run-tests does that\n");
        return -1;
    }
    snprintf(folder, sizeof folder, "/tmp/basin-memory-XXXXXX");
    return getcwd(old, sizeof old) && mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir(old) || system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predict_takes_constant_memory),
        cmocka_unit_test(sentences_take_constant_memory),
        cmocka_unit_test(a_line_of_600_megabytes),
        cmocka_unit_test(what_is_kept_is_bounded),
        cmocka_unit_test(zip_archives),
    };
    return cmocka_run_group_tests_name("memory", tests, enter, leave);
}
