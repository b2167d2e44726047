/* retag.c -- converts predicted tags between schemes, and between B-PER and PER-B. */
#include "data/text/retag.h"

#include <string.h>

#include "data/text/corpus_part.h"
#include "data/text/scheme_part.h"

bool bs_tag_is_span(const char *tag)
{
    const int part = bs_tag_split(tag).part;
    return part != BS_NO_PART && part != BS_OUTSIDE;
}

/* PER-B from B-PER, in the arena; what is not a span stays unchanged. */
static const char *turned(bs_arena *arena, const bs_name *tag)
{
    if (!bs_tag_is_span(tag->text) || tag->len < 3)
        return tag->text;
    char *copy = bs_arena_copy(arena, tag->text, tag->len);
    if (copy) {
        memmove(copy, tag->text + 2, tag->len - 2);
        copy[tag->len - 2] = '-';
        copy[tag->len - 1] = tag->text[0];
    }
    return copy;
}

static basin_status rename_all(const bs_names *tags, const bs_corpus *c, const int32_t *tag,
                               bs_retagged *out, basin_error *err)
{
    bool fresh;
    for (int32_t i = 0; i < tags->n; i++)
        if (bs_names_add(&out->names, tags->item[i].text, tags->item[i].len, &fresh) < 0)
            return bs_fail_nomem(err);
    memcpy(out->tag, tag, (size_t)c->tokens * sizeof *tag);
    return BASIN_OK;
}

static basin_status take_texts(bool suffix, bs_retagged *out, basin_error *err)
{
    out->text = bs_names_texts(&out->names);
    bool ok = out->text != NULL;
    for (int32_t i = 0; i < out->names.n && ok && suffix; i++)
        ok = (out->text[i] = turned(&out->arena, &out->names.item[i])) != NULL;
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

basin_status bs_retag(const bs_names *tags, bs_scheme from, bs_scheme to, bool suffix,
                      const bs_corpus *c, const int32_t *tag, bs_retagged *out, basin_error *err)
{
    const char **text = bs_names_texts(tags);
    *out = (bs_retagged){.tag = bs_alloc(((size_t)c->tokens + 1) * sizeof *out->tag)};
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->names, &out->arena);
    basin_status s = text && out->tag ? BASIN_OK : bs_fail_nomem(err);
    if (!s && from == to)
        s = rename_all(tags, c, tag, out, err);
    else if (!s)
        s = bs_scheme_convert(from, to, text, tags->n, tag, c->start, c->sentences, &out->names,
                              out->tag, NULL, err);
    bs_free(text);
    return s ? s : take_texts(suffix && from != BS_SCHEME_RAW, out, err);
}

void bs_retagged_free(bs_retagged *r)
{
    bs_free(r->text);
    bs_free(r->tag);
    bs_names_free(&r->names);
    bs_arena_free(&r->arena);
}
