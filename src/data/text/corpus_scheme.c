/* corpus_scheme.c -- converts the tags of the file to those that are learned. */
#include <string.h>

#include "data/text/corpus_part.h"
#include "data/text/scheme_part.h"

static bs_tagged_text text_of(const bs_corpus *c)
{
    return (bs_tagged_text){&c->tags, c->tag, c->start, c->sentences};
}

static basin_status find_scheme(bs_corpus_reading *r, char why[BS_SCHEME_WHY])
{
    bs_corpus *c = r->c;
    if (strcmp(r->o->scheme, "auto") == 0) {
        if (c->first) { /* made by the reader of the spans */
            memcpy(why, "spans of characters", 20);
            c->file_scheme = BS_SCHEME_IOB2;
            return BASIN_OK;
        }
        const bs_tagged_text text = text_of(c);
        return bs_scheme_detect(&text, &c->file_scheme, why, r->err);
    }
    memcpy(why, "as text.scheme says", 20);
    return bs_scheme_parse(r->o->scheme, &c->file_scheme, r->err);
}

/* --- tags that do not fit ------------------------------------------------ */

/* Tokens by the look of their tags. */
typedef struct {
    int64_t spans, odd; /* B-PER; of no scheme */
    int32_t first;      /* of the odd tags; -1: none */
} shapes;

static shapes shapes_of(const bs_corpus *c)
{
    shapes s = {.first = -1};
    for (int32_t t = 0; t < c->tokens; t++) {
        if (c->tag[t] < 0)
            continue;
        const bs_name *tag = &c->tags.item[c->tag[t]];
        const int      part = bs_tag_split(tag->text).part;
        s.spans += part != BS_NO_PART && part != BS_OUTSIDE;
        if (part == BS_NO_PART)
            s.first = s.odd++ ? s.first : t;
    }
    return s;
}

/* One tag in a hundred, or a single one in a small file: a mistake, not another kind of tags. */
static bool is_slip(const shapes *s)
{
    enum { ENOUGH = 20 };
    return s->odd > 0 && s->spans >= ENOUGH && (s->odd == 1 || s->odd * 100 <= s->spans + s->odd);
}

static basin_status fail_slip(const bs_corpus_reading *r, const shapes *s)
{
    const bs_corpus *c = r->c;
    char             name[48];
    return bs_corpus_fail(r, bs_corpus_line(c, s->first), 0,
                          "tag '%s' does not fit the others, %lld of which are of spans such as "
                          "B-X; correct it, or have all tags taken as they are: text.scheme=raw",
                          bs_tag_shown(c->tags.item[c->tag[s->first]].text, name),
                          (long long)s->spans);
}

/* The tags are not of the kind that the caller needs. */
static basin_status fail_raw(const bs_corpus_reading *r, const shapes *s, bs_scheme to)
{
    const bs_corpus *c = r->c;
    char             name[48];
    if (s->first < 0 || strcmp(r->o->scheme, "auto") != 0)
        return bs_corpus_fail(r, 0, 0,
                              "the tags are raw and cannot be converted to %s; text.scheme says "
                              "how they are read",
                              bs_scheme_name(to));
    return bs_corpus_fail(r, bs_corpus_line(c, s->first), 0,
                          "column %d holds tags such as '%s', %s%s%s; --tag-column says where the "
                          "tags are",
                          c->tag_column, bs_tag_shown(c->tags.item[c->tag[s->first]].text, name),
                          r->o->who ? "but those of " : "which are not of spans and cannot be ",
                          r->o->who ? r->o->who : bs_scheme_name(to),
                          r->o->who ? " are of spans" : "");
}

/* Reports the line of a tag that the scheme does not have. */
static basin_status locate(const bs_corpus_reading *r, const char *why)
{
    const bs_corpus *c = r->c;
    for (int32_t t = 0; t < c->tokens; t++)
        if (c->tag[t] >= 0 &&
            !bs_scheme_has(c->file_scheme, bs_tag_split(c->tags.item[c->tag[t]].text).part))
            return bs_corpus_fail(r, bs_corpus_line(c, t), 0, "%s", why);
    return bs_corpus_fail(r, 0, 0, "%s", why);
}

static basin_status choose_target(const bs_corpus_reading *r, bs_scheme *to)
{
    const bs_corpus *c = r->c;
    *to = c->file_scheme;
    if (strcmp(r->o->to, "keep") == 0)
        return BASIN_OK;
    if (strcmp(r->o->to, "auto") != 0) {
        basin_status s = bs_scheme_parse(r->o->to, to, r->err);
        if (!s && c->file_scheme == BS_SCHEME_RAW && *to != BS_SCHEME_RAW) {
            const shapes seen = shapes_of(c);
            return fail_raw(r, &seen, *to);
        }
        return s;
    }
    if (c->file_scheme != BS_SCHEME_RAW)
        *to = BS_SCHEME_BIOES;
    return BASIN_OK;
}

/* The first sentence with an ill-formed tag; there must be one. */
static basin_status find_repaired(bs_corpus_reading *r)
{
    bs_corpus   *c = r->c;
    bs_tagset    set = {.n = 0};
    int64_t      found = 0;
    bs_span     *span = bs_alloc(((size_t)c->tokens + 1) * sizeof *span);
    basin_status s = span ? BASIN_OK : bs_fail_nomem(r->err);
    if (!s) {
        s = bs_tagset_make(&c->tags, c->file_scheme, &set, r->err);
        for (int32_t i = 0; !s && i < c->sentences && !found; i++) {
            c->repaired_at = c->start[i];
            bs_spans(&set, c->tag + c->start[i], c->start[i + 1] - c->start[i], span, &found);
        }
        bs_tagset_free(&set);
    }
    bs_free(span);
    return s;
}

/* *ok = false: many tags make no sense as spans, so they must be raw. */
static basin_status convert(bs_corpus_reading *r, bs_scheme to, bool *ok)
{
    bs_corpus           *c = r->c;
    const bs_tagged_text text = text_of(c);
    bs_names             names;
    int32_t             *tag = bs_alloc(((size_t)c->tokens + 1) * sizeof *tag);
    if (!tag)
        return bs_fail_nomem(r->err);
    bs_names_init(&names, &c->arena);
    basin_status s =
        bs_scheme_convert(&text, c->file_scheme, to, &names, tag, &c->repaired, r->err);
    if (!s && c->repaired)
        s = find_repaired(r);
    if (s && s != BASIN_ENOMEM) {
        const basin_error told = *r->err; /* it does not know the file's name */
        s = locate(r, told.msg);
    }
    bool guessed = strcmp(r->o->scheme, "auto") == 0 && strcmp(r->o->to, "auto") == 0;
    *ok = !s && (!guessed || c->repaired <= c->tokens / 4);
    bs_free(*ok ? c->tag : tag);
    bs_names_free(*ok ? &c->tags : &names);
    if (*ok) {
        c->tag = tag;
        c->tags = names;
    }
    return s;
}

static void note_scheme(const bs_corpus_reading *r, const char *why)
{
    const bs_corpus *c = r->c;
    bool             turned = c->scheme != c->file_scheme;
    bs_notes_add(r->notes, "scheme", "tags read as %s: %s%s%s (text.scheme, text.to)",
                 bs_scheme_name(c->file_scheme), why, turned ? "; converted to " : "",
                 turned ? bs_scheme_name(c->scheme) : "");
    if (c->repaired)
        bs_notes_add(r->notes, "repaired",
                     "%lld ill-formed tags were repaired, the first in the sentence of line %ld",
                     (long long)c->repaired, bs_corpus_line(c, c->repaired_at));
}

/* A column with something else (-, _, all x) when tags are not needed. */
static void forget_tags(bs_corpus_reading *r)
{
    bs_corpus *c = r->c;
    bs_notes_add(r->notes, "tags", "column %d holds no tags of spans such as B-PER; it is ignored",
                 c->tag_column);
    for (int32_t t = 0; t < c->tokens; t++)
        c->tag[t] = -1;
    bs_names_free(&c->tags);
    c->labelled = false;
    c->file_scheme = c->scheme = BS_SCHEME_RAW;
}

/* A scheme was requested by name, and raw tags cannot be written in it. */
static bool wants_spans(const bs_corpus_reading *r)
{
    const char *to = r->o->to;
    return strcmp(to, "auto") != 0 && strcmp(to, "keep") != 0 && strcmp(to, "raw") != 0;
}

static basin_status settle(bs_corpus_reading *r)
{
    bs_corpus   *c = r->c;
    char         why[BS_SCHEME_WHY] = "";
    bs_scheme    to;
    bool         ok = true;
    basin_status s = find_scheme(r, why);
    if (!s && r->o->label_free && wants_spans(r) && c->file_scheme == BS_SCHEME_RAW) {
        forget_tags(r);
        return BASIN_OK;
    }
    if (!s && c->file_scheme == BS_SCHEME_RAW && strcmp(r->o->scheme, "auto") == 0) {
        const shapes seen = shapes_of(c);
        if (is_slip(&seen) && strcmp(r->o->to, "keep") != 0 && strcmp(r->o->to, "raw") != 0)
            return fail_slip(r, &seen);
    }
    if (!s)
        s = choose_target(r, &to);
    /* Also from a scheme to itself, which repairs ill-formed tags. */
    if (!s && strcmp(r->o->to, "keep") != 0 && to != BS_SCHEME_RAW)
        s = convert(r, to, &ok);
    if (!s && !ok) {
        bs_notes_add(r->notes, "scheme",
                     "tags look like %s, but %lld of %d are ill-formed: read as raw (text.scheme)",
                     bs_scheme_name(c->file_scheme), (long long)c->repaired, (int)c->tokens);
        c->file_scheme = c->scheme = BS_SCHEME_RAW;
        c->repaired = 0;
        c->repaired_at = -1;
    } else if (!s) {
        c->scheme = to;
        note_scheme(r, why);
    }
    return s;
}

basin_status bs_corpus_scheme(bs_corpus_reading *r)
{
    bs_corpus             *c = r->c;
    const bs_corpus_block *block = r->o->block;
    c->labelled = c->tags.n > 0;
    if (r->o->roles) {
        c->file_scheme = c->scheme = BS_SCHEME_IOB2;
        return BASIN_OK;
    }
    if (block && block->begun) {
        c->labelled = block->labelled;
        c->file_scheme = c->scheme = block->scheme;
        return BASIN_OK;
    }
    if (!c->labelled) {
        if (!r->o->label_free)
            return bs_corpus_fail(r, 0, 0, "no token has a tag: column %d %s", c->tag_column,
                                  c->misc      ? "has no " BS_MISC_KEY
                                  : c->records ? "is empty everywhere"
                                               : "is _ everywhere");
        return BASIN_OK;
    }
    return settle(r);
}

/* --- as they stand in the file ------------------------------------------- */

static bool take_cells(const bs_corpus *c, int32_t s, bs_names *names, int32_t *tag)
{
    const char *p = c->text + c->piece[s], *end = c->text + c->piece[s + 1];
    bs_cut      cut = bs_corpus_cut(c, s);
    bs_row      row;
    bool        fresh, ok = true;
    for (; p < end && ok; p = row.next) {
        bs_row_scan(p, end, cut, &row);
        if (row.kind != BS_LINE_TOKEN)
            continue;
        const bs_cell cell = bs_corpus_tag_cell(c, &row);
        const bool    none = cell.len == 0;
        *tag = none ? -1 : bs_names_add(names, cell.at, cell.len, &fresh);
        ok = none || *tag >= 0;
        tag++;
    }
    return ok;
}

basin_status bs_corpus_file_tags(const bs_corpus *c, bs_names *names, int32_t *tag,
                                 basin_error *err)
{
    bool ok = true;
    if (!c->tag_column)
        memset(tag, 0xff, (size_t)c->tokens * sizeof *tag);
    for (int32_t s = 0; s < c->sentences && ok && c->tag_column; s++)
        ok = take_cells(c, s, names, tag + c->start[s]);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}
