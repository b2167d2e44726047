/* json.c -- tokenizer.json: the parts that make BERT's and RoBERTa's tokenisers, exactly; anything
 * else is refused by its name. */
#include "token/json.h"

#include <string.h>

static const char *type_of(const json_t *o)
{
    return bs_tree_text(o, "type", "nothing");
}

/* "NAME: its PART is 'FOUND'; only WANTED can be read". */
static basin_status refuse(const bs_token_parts *p, const char *part, const char *found,
                           const char *wanted, basin_error *err)
{
    return bs_fail(err, BASIN_EUNSUPPORTED, "%s: its %s is '%.60s'; only %s can be read", p->name,
                   part, found, wanted);
}

/* --- vocabulary -------------------------------------------------------------------- */

basin_status bs_token_vocabulary_json(bs_token_parts *p, const json_t *vocabulary, basin_error *err)
{
    const char *text;
    json_t     *id;
    if (!json_is_object(vocabulary) || !json_object_size(vocabulary))
        return bs_fail(err, BASIN_EDATA, "%s: has no vocabulary, {\"piece\": number, ...}",
                       p->name);
    json_object_foreach((json_t *)(uintptr_t)vocabulary, text, id)
    {
        basin_status s =
            json_is_integer(id)
                ? bs_token_piece(p, json_integer_value(id), text, strlen(text), err)
                : bs_fail(err, BASIN_EDATA, "%s: piece '%.40s' has no number", p->name, text);
        if (s)
            return s;
    }
    return BASIN_OK;
}

basin_status bs_token_added_json(bs_token_parts *p, const json_t *o, long long id, basin_error *err)
{
    const char *text = bs_tree_text(o, "content", "");
    const bool  special = bs_tree_bool(o, "special", false);
    if (!*text)
        return bs_fail(err, BASIN_EDATA, "%s: an added piece has no 'content'", p->name);
    if (bs_tree_bool(o, "single_word", false))
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: added piece '%.40s' is 'single_word', which is not supported", p->name,
                       text);
    if (bs_tree_bool(o, "normalized", !special) &&
        (p->rules.clean || p->rules.strip || p->rules.lower || p->rules.han))
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: added piece '%.40s' is 'normalized'; beside a normalizer only pieces "
                       "that are found as they are written are supported",
                       p->name, text);
    basin_status s = bs_token_piece(p, id, text, strlen(text), err);
    return s ? s
             : bs_token_added(p,
                              (bs_added){(int32_t)id, special, bs_tree_bool(o, "lstrip", false),
                                         bs_tree_bool(o, "rstrip", false)},
                              err);
}

static basin_status read_added(bs_token_parts *p, const json_t *list, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (size_t i = 0; i < json_array_size(list) && !s; i++) {
        const json_t *o = json_array_get(list, i), *id = json_object_get(o, "id");
        s = bs_token_added_json(p, o, json_is_integer(id) ? json_integer_value(id) : -1, err);
    }
    return s;
}

static bool read_merge(const json_t *o, bs_piece_text *left, bs_piece_text *right)
{
    if (json_is_string(o)) {
        const char *text = json_string_value(o), *gap = strchr(text, ' ');
        *left = (bs_piece_text){text, gap ? (size_t)(gap - text) : 0};
        *right = (bs_piece_text){gap ? gap + 1 : text, gap ? strlen(gap + 1) : 0};
        return gap != NULL;
    }
    const char *a = json_string_value(json_array_get(o, 0));
    const char *b = json_string_value(json_array_get(o, 1));
    *left = (bs_piece_text){a, a ? strlen(a) : 0};
    *right = (bs_piece_text){b, b ? strlen(b) : 0};
    return a && b && json_array_size(o) == 2;
}

static basin_status read_merges(bs_token_parts *p, const json_t *list, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (size_t i = 0; i < json_array_size(list) && !s; i++) {
        bs_piece_text left, right;
        s = read_merge(json_array_get(list, i), &left, &right)
                ? bs_token_merge(p, left, right, err)
                : bs_fail(err, BASIN_EDATA, "%s: merge %zu is not two pieces", p->name, i + 1);
    }
    return s;
}

/* --- what is done to a text ---------------------------------------------------------- */

static const char wanted_models[] = "'WordPiece' (BERT) and byte-level 'BPE' (RoBERTa)";

static basin_status read_wordpiece(bs_token_parts *p, const json_t *root, const json_t *model,
                                   basin_error *err)
{
    const json_t *n = json_object_get(root, "normalizer");
    const json_t *strip = json_object_get(n, "strip_accents");
    const char   *split = type_of(json_object_get(root, "pre_tokenizer"));
    const char   *joint = bs_tree_text(model, "continuing_subword_prefix", "##");
    const json_t *most = json_object_get(model, "max_input_chars_per_word");
    const bool    bert = strcmp(type_of(n), "BertNormalizer") == 0;
    if (!bert && json_is_object(n))
        return refuse(p, "normalizer", type_of(n), "'BertNormalizer'", err);
    if (strcmp(split, "BertPreTokenizer") != 0)
        return refuse(p, "pre_tokenizer", split, "'BertPreTokenizer'", err);
    if (strlen(joint) >= sizeof p->rules.joint)
        return refuse(p, "continuing_subword_prefix", joint, "short ones such as '##'", err);
    p->rules = (bs_token_rules){.kind = BS_WORDPIECE,
                                .clean = bert && bs_tree_bool(n, "clean_text", true),
                                .han = bert && bs_tree_bool(n, "handle_chinese_chars", true),
                                .lower = bert && bs_tree_bool(n, "lowercase", true)};
    p->rules.strip = bert && (json_is_boolean(strip) ? json_is_true(strip) : p->rules.lower);
    p->rules.word_most = json_is_integer(most) && json_integer_value(most) <= BS_TOKEN_WORD_MOST
                             ? (int32_t)json_integer_value(most)
                         : most ? 0
                                : 100;
    if (p->rules.word_most < 1)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: 'max_input_chars_per_word' is not a number from 1 to %d", p->name,
                       BS_TOKEN_WORD_MOST);
    memcpy(p->rules.joint, joint, strlen(joint));
    basin_status s = bs_token_vocabulary_json(p, json_object_get(model, "vocab"), err);
    p->rules.unknown = bs_token_find(p, bs_tree_text(model, "unk_token", "[UNK]"));
    return s;
}

static basin_status read_bytepairs(bs_token_parts *p, const json_t *root, const json_t *model,
                                   basin_error *err)
{
    const json_t *split = json_object_get(root, "pre_tokenizer");
    const json_t *n = json_object_get(root, "normalizer");
    const json_t *dropout = json_object_get(model, "dropout");
    if (json_is_object(n))
        return refuse(p, "normalizer", type_of(n), "none before BPE", err);
    if (strcmp(type_of(split), "ByteLevel") != 0 || !bs_tree_bool(split, "use_regex", true))
        return refuse(p, "pre_tokenizer", type_of(split), "'ByteLevel' with 'use_regex'", err);
    if (json_number_value(dropout) > 0 || bs_tree_bool(model, "byte_fallback", false) ||
        bs_tree_bool(model, "ignore_merges", false) ||
        *bs_tree_text(model, "continuing_subword_prefix", "") ||
        *bs_tree_text(model, "end_of_word_suffix", ""))
        return bs_fail(
            err, BASIN_EUNSUPPORTED,
            "%s: BPE with dropout, byte_fallback, ignore_merges, a prefix or a suffix is "
            "not supported",
            p->name);
    p->rules = (bs_token_rules){.kind = BS_BYTE_PAIRS,
                                .blank = bs_tree_bool(split, "add_prefix_space", true),
                                .word_most = 1};
    basin_status s = bs_token_vocabulary_json(p, json_object_get(model, "vocab"), err);
    if (s)
        return s;
    const char *unknown = bs_tree_text(model, "unk_token", "<unk>");
    p->rules.unknown = bs_token_find(p, unknown);
    return read_merges(p, json_object_get(model, "merges"), err);
}

/* --- what is put around it ------------------------------------------------------------- */

bool bs_token_put_id(int32_t *ids, int *n, const json_t *id)
{
    const json_int_t v = json_integer_value(id);
    if (!json_is_integer(id) || v < 0 || v >= BS_PIECES_MOST || *n == BS_AROUND)
        return false;
    ids[(*n)++] = (int32_t)v;
    return true;
}

/* "single" of a template: special pieces, the text, special pieces. */
static bool read_template(bs_token_rules *r, const json_t *o)
{
    const json_t *parts = json_object_get(o, "single");
    const json_t *known = json_object_get(o, "special_tokens");
    int           texts = 0;
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        const json_t *special = json_object_get(part, "SpecialToken");
        if (json_object_get(part, "Sequence")) {
            texts++;
            continue;
        }
        const json_t *ids =
            json_object_get(json_object_get(known, bs_tree_text(special, "id", "")), "ids");
        bool fits = json_array_size(ids) > 0;
        for (size_t k = 0; fits && k < json_array_size(ids); k++)
            fits = bs_token_put_id(texts ? r->after : r->before, texts ? &r->n_after : &r->n_before,
                                   json_array_get(ids, k));
        if (!fits)
            return false;
    }
    return texts == 1;
}

static basin_status read_around(bs_token_parts *p, const json_t *o, basin_error *err)
{
    bs_token_rules *r = &p->rules;
    const char     *type = type_of(o);
    const bool      pair = !strcmp(type, "BertProcessing") || !strcmp(type, "RobertaProcessing");
    bool            fits = true;
    if (pair)
        fits = bs_token_put_id(r->before, &r->n_before,
                               json_array_get(json_object_get(o, "cls"), 1)) &&
               bs_token_put_id(r->after, &r->n_after, json_array_get(json_object_get(o, "sep"), 1));
    else if (strcmp(type, "TemplateProcessing") == 0)
        fits = read_template(r, o);
    else if (strcmp(type, "ByteLevel") != 0 && !json_is_null(o) && o)
        return refuse(p, "post_processor", type,
                      "'TemplateProcessing', 'BertProcessing', 'RobertaProcessing' and 'ByteLevel'",
                      err);
    if (!fits)
        return bs_fail(err, BASIN_EDATA,
                       "%s: the '%s' of single texts is not special pieces, a text, special pieces",
                       p->name, type);
    if (!strcmp(type, "RobertaProcessing") || !strcmp(type, "ByteLevel"))
        r->trim = bs_tree_bool(o, "trim_offsets", true);
    return BASIN_OK;
}

static basin_status read_all(bs_token_parts *p, const json_t *root, basin_error *err)
{
    const json_t *model = json_object_get(root, "model");
    const char   *type =
        bs_tree_text(model, "type",
                     json_object_get(model, "merges")                     ? "BPE"
                     : json_object_get(model, "max_input_chars_per_word") ? "WordPiece"
                                                                          : "nothing");
    basin_status s = !strcmp(type, "WordPiece") ? read_wordpiece(p, root, model, err)
                     : !strcmp(type, "BPE")     ? read_bytepairs(p, root, model, err)
                                                : refuse(p, "model", type, wanted_models, err);
    if (!s)
        s = read_around(p, json_object_get(root, "post_processor"), err);
    return s ? s : read_added(p, json_object_get(root, "added_tokens"), err);
}

basin_status bs_tokenizer_json(const char *name, const char *text, size_t n, bs_tokenizer **out,
                               basin_error *err)
{
    bs_token_parts p = {.name = name};
    json_t        *root;
    *out = NULL;
    basin_status s = bs_tree_object(name, text, n, BS_TOKEN_JSON_MOST, &root, err);
    if (!s)
        s = read_all(&p, root, err);
    if (!s)
        s = bs_token_make(&p, out, err);
    bs_token_parts_free(&p);
    json_decref(root);
    return s;
}
