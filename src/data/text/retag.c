/* retag.c -- converts predicted tags between schemes. */
#include "data/text/retag.h"

#include <string.h>

#include "data/text/corpus_part.h"
#include "data/text/scheme_part.h"

bool bs_tag_is_span(const char *tag)
{
    const int part = bs_tag_split(tag).part;
    return part != BS_NO_PART && part != BS_OUTSIDE;
}

basin_status bs_retag(const bs_names *tags, bs_scheme from, bs_scheme to, const bs_corpus *c,
                      const int32_t *tag, bs_retagged *out, basin_error *err)
{
    const bs_tagged_text text = {tags, tag, c->start, c->sentences};
    *out = (bs_retagged){.tag = bs_alloc(((size_t)c->tokens + 1) * sizeof *out->tag)};
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->names, &out->arena);
    const bool   ok = out->tag && (from != to || bs_names_add_all(&out->names, tags));
    basin_status s = ok ? BASIN_OK : bs_fail_nomem(err);
    if (!s && from == to)
        memcpy(out->tag, tag, (size_t)c->tokens * sizeof *tag);
    else if (!s)
        s = bs_scheme_convert(&text, from, to, &out->names, out->tag, NULL, err);
    if (!s && !(out->text = bs_names_texts(&out->names)))
        s = bs_fail_nomem(err);
    return s;
}

void bs_retagged_free(bs_retagged *r)
{
    bs_free(r->text);
    bs_free(r->tag);
    bs_names_free(&r->names);
    bs_arena_free(&r->arena);
}

/* I is a letter of every scheme. */
static bool add_types(const bs_tagset *set, bs_names *names)
{
    bs_buf text;
    bool   ok = true, fresh;
    bs_buf_init(&text, UINT32_MAX);
    for (int32_t i = 0; i < set->types.n && ok; i++) {
        bs_buf_clear(&text);
        bs_buf_text(&text, set->types.item[i].len ? "I-" : "I");
        bs_buf_add(&text, set->types.item[i].text, set->types.item[i].len);
        ok = !text.failed && bs_names_add(names, text.data, text.len, &fresh) >= 0;
    }
    bs_buf_free(&text);
    return ok;
}

basin_status bs_retagger_make(const bs_tagset *set, const bs_names *tags, bs_scheme to,
                              bs_retagger *out, basin_error *err)
{
    const bool same = set->scheme == BS_SCHEME_RAW || to == BS_SCHEME_RAW || to == set->scheme;
    *out = (bs_retagger){.from = set->scheme, .to = same ? set->scheme : to, .own = tags};
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->names, &out->arena);
    if (same)
        return BASIN_OK;
    return add_types(set, &out->names) ? bs_scheme_complete(to, &out->names, err)
                                       : bs_fail_nomem(err);
}

void bs_retagger_free(bs_retagger *r)
{
    bs_names_free(&r->names);
    bs_arena_free(&r->arena);
}

basin_status bs_retagger_texts(const bs_retagger *r, const int32_t *tag, int32_t n,
                               const char **out, basin_error *err)
{
    const int32_t        start[2] = {0, n};
    const bs_tagged_text text = {r->own, tag, start, 1};
    const bs_names      *names = r->from == r->to ? r->own : &r->names;
    int32_t             *number = bs_alloc(((size_t)n + 1) * sizeof *number);
    basin_status         s = number ? BASIN_OK : bs_fail_nomem(err);
    if (!s && r->from != r->to) /* all names are there: none is added */
        s = bs_scheme_convert(&text, r->from, r->to, (bs_names *)(uintptr_t)names, number, NULL,
                              err);
    for (int32_t i = 0; i < n && !s; i++)
        out[i] = names->item[r->from == r->to ? tag[i] : number[i]].text;
    bs_free(number);
    return s;
}
