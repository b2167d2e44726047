/* tag_names.c -- finds names for tags that are numbers: in an option, in a file beside the data, or
 * in the description of a Hugging Face dataset. */
#include "data/text/tag_names.h"

#include <string.h>
#include <unistd.h>

#include "base/tree.h"
#include "data/rows/read.h"

enum { MOST_NAMES = 100000 };

static basin_status add(bs_corpus_reading *r, const char *where, const char *name, size_t len)
{
    bool          fresh;
    const int32_t i = bs_names_add(&r->c->classes, name, len, &fresh);
    if (i < 0)
        return bs_fail_nomem(r->err);
    if (!fresh)
        return bs_fail(r->err, BASIN_EDATA, "%s: tag '%.*s' is named twice", where,
                       len < 40 ? (int)len : 40, name);
    return BASIN_OK;
}

/* --- JSON ---------------------------------------------------------------- */

/* ["O", "B-PER"] or {"0": "O", "1": "B-PER"} */
static basin_status from_names(bs_corpus_reading *r, const char *where, const json_t *names)
{
    const size_t n = json_is_array(names) ? json_array_size(names) : json_object_size(names);
    basin_status s = BASIN_OK;
    for (size_t i = 0; !s && i < n && i < MOST_NAMES; i++) {
        char key[24];
        bs_print(key, sizeof key, "%zu", i);
        const json_t *v =
            json_is_array(names) ? json_array_get(names, i) : json_object_get(names, key);
        s = json_is_string(v) && json_string_length(v)
                ? add(r, where, json_string_value(v), json_string_length(v))
                : bs_fail(r->err, BASIN_EDATA, "%s: tag %zu has no name", where, i);
    }
    return s;
}

/* Finds the names somewhere below a feature: {"feature": {"class_label": {"names": [...]}}}. */
static const json_t *names_below(const json_t *o, int depth)
{
    static const char *const ways[] = {"feature", "class_label", "sequence"};
    const json_t            *names = json_object_get(o, "names");
    for (int i = 0; i < 3 && !names && depth > 0; i++)
        names = names_below(json_object_get(o, ways[i]), depth - 1);
    return names;
}

/* dataset_infos.json has an additional level of configurations. */
static const json_t *features_of(json_t *o)
{
    const json_t *features = json_object_get(o, "features");
    const char   *key;
    json_t       *v;
    json_object_foreach(o, key, v)
    {
        if (!features)
            features = json_object_get(v, "features");
    }
    return features;
}

static basin_status from_json(bs_corpus_reading *r, const char *path, const char *member, bool must)
{
    bs_buf       text;
    json_error_t problem;
    bs_buf_init(&text, (size_t)1 << 26);
    basin_status s = bs_read_file_most(path, r->o->max_mb, &text, r->err);
    json_t      *o = s ? NULL : bs_tree_read(text.data ? text.data : "", text.len, 0, &problem);
    if (!s && !o)
        s = bs_fail(r->err, BASIN_EDATA, "%s:%d: %s", path, problem.line, problem.text);
    const json_t *names = json_is_array(o) ? o : json_object_get(o, "id2label");
    names = names ? names : names_below(json_object_get(features_of(o), member), 3);
    if (!s && (json_is_array(names) || json_is_object(names)))
        s = from_names(r, path, names);
    else if (!s && must)
        s = bs_fail(r->err, BASIN_EDATA,
                    "%s: no names of tags: neither a list, nor \"id2label\", nor \"features\" with "
                    "\"%.40s\"",
                    path, member);
    json_decref(o);
    bs_buf_free(&text);
    return s;
}

/* --- where they are ------------------------------------------------------ */

static basin_status from_file(bs_corpus_reading *r, const char *path)
{
    bs_arena arena;
    bs_names names;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    basin_status s = bs_read_names(path, r->o->max_mb, MOST_NAMES, &names, r->err);
    for (int32_t i = 0; !s && i < names.n; i++)
        s = add(r, path, names.item[i].text, names.item[i].len);
    bs_names_free(&names);
    bs_arena_free(&arena);
    return s;
}

static basin_status from_option(bs_corpus_reading *r, const char *member)
{
    const char  *option = r->o->tag_names, *dot = strrchr(option, '.');
    basin_status s = BASIN_OK;
    if (access(option, R_OK) == 0)
        return dot && strcmp(dot, ".json") == 0 ? from_json(r, option, member, true)
                                                : from_file(r, option);
    if (!strchr(option, ','))
        return bs_fail(r->err, BASIN_EARG,
                       "--tag-names: '%.200s' is neither a file that can be read nor a list such "
                       "as O,B-PER,I-PER",
                       option);
    for (const char *at = option; !s && *at;) {
        const size_t len = strcspn(at, ",");
        s = len ? add(r, "--tag-names", at, len)
                : bs_fail(r->err, BASIN_EARG, "--tag-names: a name is missing between two commas");
        at += len + (at[len] == ',');
    }
    return s;
}

/* The folder of PATH with another file name. False: there is no such file. */
static bool beside(const char *path, const char *name, char out[BS_OPTION_TEXT])
{
    const char *slash = strrchr(path, '/');
    const int   folder = slash ? (int)(slash - path) + 1 : 0;
    const int   n = bs_print(out, BS_OPTION_TEXT, "%.*s%s", folder, path, name);
    return n > 0 && n < BS_OPTION_TEXT && bs_is_file(out);
}

/* a.jsonl and a.jsonl.gz both go with a.labels. */
static bool labels_beside(const char *path, char out[BS_OPTION_TEXT])
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (size_t len = strlen(base); len > 0; len--) {
        char name[256];
        if (base[len] == '.' && len < 240) {
            bs_print(name, sizeof name, "%.*s.labels", (int)len, base);
            if (beside(path, name, out))
                return true;
        }
    }
    return false;
}

basin_status bs_tag_names(bs_corpus_reading *r, const char *member)
{
    static const char *const infos[] = {"dataset_info.json", "dataset_infos.json"};
    char                     path[BS_OPTION_TEXT];
    basin_status             s = BASIN_OK;
    if (*r->o->tag_names)
        return from_option(r, member);
    if (!r->path)
        return BASIN_OK;
    if (labels_beside(r->path, path))
        s = from_file(r, path);
    for (int i = 0; i < 2 && !s && r->c->classes.n == 0; i++)
        if (beside(r->path, infos[i], path))
            s = from_json(r, path, member, false);
    if (!s && r->c->classes.n)
        bs_notes_add(r->notes, "tag names", "names of the tags are from %s", path);
    return s;
}
