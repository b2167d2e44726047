/* memory.c -- sentences in a program's memory. They become the columns word, features, tag and are
 * then treated like a file with these, so that they give the same model. */
#include <string.h>

#include "data/text/corpus.h"

enum { MOST_TEXT = 1 << 30 };

static const char source[] = "sentences in memory";

/* A cell: replaces characters that would end it. */
static basin_status put_cell(const char *text, const char *what, int32_t sentence, int32_t token,
                             bs_buf *out, basin_error *err)
{
    const char *wrong = !text                           ? "missing"
                        : !*text                        ? "empty"
                        : text[strcspn(text, "\t\r\n")] ? "has a tab or a line end in it"
                                                        : NULL;
    if (wrong)
        return bs_fail(err, BASIN_EARG, "%s: sentence %d, token %d: its %s is %s", source,
                       (int)sentence, (int)token, what, wrong);
    bs_buf_text(out, text);
    return BASIN_OK;
}

static basin_status put_token(const basin_tagged *t, int32_t sentence, int32_t first, int32_t i,
                              bs_buf *out, basin_error *err)
{
    const basin_token_columns *columns = t->x.columns;
    basin_status               s = put_cell(t->x.tokens[i], "word", sentence, i - first, out, err);
    for (int32_t k = 0; columns && k < columns->n && !s; k++) {
        const char *value = columns->value[k][i];
        bs_buf_text(out, "\t");
        s = put_cell(value ? value : "_", "column", sentence, i - first, out, err);
    }
    if (t->tag && !s) {
        bs_buf_text(out, "\t");
        s = put_cell(t->tag[i], "tag", sentence, i - first, out, err);
    }
    bs_buf_text(out, "\n");
    return s;
}

static basin_status put_all(const basin_tagged *t, bs_buf *out, basin_error *err)
{
    const basin_token_columns *columns = t->x.columns;
    const int32_t             *start = t->x.start;
    basin_status               s = BASIN_OK;
    if (t->x.sentences < 0 || (t->x.sentences > 0 && (!t->x.start || !t->x.tokens)))
        return bs_fail(err, BASIN_EARG, "%s: their starts or tokens are missing", source);
    for (int32_t k = 0; columns && k < columns->n; k++)
        if (!columns->value || !columns->value[k])
            return bs_fail(err, BASIN_EARG, "%s: the values of column %d are missing", source,
                           (int)k);
    for (int32_t i = 0; i < t->x.sentences; i++)
        if (start[i] < 0 || start[i + 1] <= start[i])
            return bs_fail(err, BASIN_EARG, "%s: sentence %d has no tokens", source, (int)i);
    for (int32_t i = 0; i < t->x.sentences && !s; i++) {
        for (int32_t k = start[i]; k < start[i + 1] && !s; k++)
            s = put_token(t, i, start[i], k, out, err);
        bs_buf_text(out, "\n");
    }
    return !s && out->failed ? bs_fail_nomem(err) : s;
}

basin_status bs_corpus_from_memory(const basin_tagged *t, const bs_corpus_options *o,
                                   bs_corpus **out, bs_notes *notes, basin_error *err)
{
    bs_corpus_options columns = *o;
    bs_input         *in = NULL;
    bs_buf            text;
    *out = NULL;
    bs_buf_init(&text, MOST_TEXT);
    bs_print(columns.format, sizeof columns.format, "conll");
    if (!t->tag)
        bs_print(columns.tag_column, sizeof columns.tag_column, "none");
    basin_status s = put_all(t, &text, err);
    if (!s)
        s = bs_input_memory(source, text.data ? text.data : "", text.len, &in, err);
    if (!s)
        s = bs_corpus_read_input(in, &columns, out, notes, err);
    bs_input_close(in);
    bs_buf_free(&text);
    return s;
}
