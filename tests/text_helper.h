/* text_helper.h -- reading snippets of sentences, for tests of src/data/text. */
#ifndef TEXT_HELPER_H
#define TEXT_HELPER_H

#include "tests/check.h"

#include <stdint.h>
#include <string.h>

#include "data/text/corpus.h"

/* "tag_column=none to=iob2 free": reading options separated by blanks. */
static inline bs_corpus_options corpus_options(const char *text)
{
    bs_corpus_options o = bs_corpus_options_default();
    basin_error       err;
    char              copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = copy, *next; p && *p; p = next) {
        next = strchr(p, ' ');
        if (next)
            *next++ = '\0';
        char key[600], *value = strchr(p, '=');
        if (!value) {
            assert_string_equal(p, "free");
            o.label_free = true;
            continue;
        }
        *value++ = '\0';
        if (strcmp(p, "model") == 0) { /* columns of its training file */
            o.columns = *value - '0';
            continue;
        }
        snprintf(key, sizeof key, "text.%s", p);
        if (bs_options_set(bs_corpus_rows, &o, key, value, "test", &err))
            fail_msg("%s", err.msg);
    }
    return o;
}

static inline basin_status corpus_bytes(const char *bytes, size_t n, const char *options,
                                        bs_corpus **c, bs_notes *notes, basin_error *err)
{
    bs_corpus_options o = corpus_options(options);
    bs_input         *in;
    basin_status      s = bs_input_memory("data", bytes, n, &in, err);
    *c = NULL;
    if (s)
        return s;
    s = bs_corpus_read_input(in, &o, c, notes, err);
    bs_input_close(in);
    return s;
}

/* Must succeed. */
static inline bs_corpus *corpus_text(const char *text, const char *options, bs_notes *notes)
{
    bs_corpus  *c;
    basin_error err = {0};
    if (corpus_bytes(text, strlen(text), options, &c, notes, &err))
        fail_msg("%s", err.msg);
    return c;
}

/* Sentences as text: "word[feature,feature]/tag word/tag | ..." */
static inline const char *corpus_show(const bs_corpus *c)
{
    static char text[16384];
    size_t      at = 0;
    text[0] = '\0';
#define SHOW(...) \
    at += (size_t)snprintf(text + at, at < sizeof text ? sizeof text - at : 0, __VA_ARGS__)
    for (int32_t s = 0; s < c->sentences; s++)
        for (int32_t t = c->start[s]; t < c->start[s + 1]; t++) {
            SHOW("%s%s",
                 t == 0             ? ""
                 : t == c->start[s] ? " | "
                                    : " ",
                 c->words.item[c->word[t]].text);
            for (int k = 0; k < c->columns; k++)
                SHOW("%s%s%s", k ? "," : "[", c->value[k].item[c->feature[k][t]].text,
                     k + 1 == c->columns ? "]" : "");
            if (c->labelled)
                SHOW("/%s", c->tag[t] < 0 ? "?" : c->tags.item[c->tag[t]].text);
        }
#undef SHOW
    return text;
}

static inline bool corpus_noted(const bs_notes *notes, const char *part)
{
    for (size_t i = 0; i < notes->n; i++)
        if (strstr(notes->note[i].text, part))
            return true;
    return false;
}

/* A sink that fills a bs_buf. */
static inline basin_status corpus_sink(void *to, const void *bytes, size_t n, basin_error *err)
{
    (void)err;
    bs_buf_add(to, bytes, n);
    return ((bs_buf *)to)->failed ? BASIN_ENOMEM : BASIN_OK;
}

#endif
