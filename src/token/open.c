/* open.c -- the tokeniser of a folder: tokenizer.json, or the files that were there before it. */
#include <string.h>

#include "base/io.h"
#include "base/opt.h"
#include "token/json.h"

enum { FILE_MOST = 64 }; /* MiB */

/* "FOLDER/FILE" */
#define PATH 4096
static const char *path_of(const char *folder, const char *file, char path[PATH])
{
    bs_print(path, PATH, "%s/%s", folder, file);
    return path;
}

static bool has(const char *folder, const char *file)
{
    char path[PATH];
    return bs_is_file(path_of(folder, file, path));
}

static basin_status read_whole(const char *path, bs_buf *text, basin_error *err)
{
    bs_buf_init(text, (size_t)FILE_MOST << 20);
    return bs_read_file_most(path, FILE_MOST, text, err);
}

/* An empty object if there is no such file. */
static basin_status read_tree(const char *folder, const char *file, json_t **out, basin_error *err)
{
    char         path[PATH];
    bs_buf       text;
    basin_status s = BASIN_OK;
    *out = NULL;
    if (has(folder, file)) {
        s = read_whole(path_of(folder, file, path), &text, err);
        if (!s)
            s = bs_tree_object(path, text.data ? text.data : "", text.len, BS_TOKEN_JSON_MOST, out,
                               err);
        bs_buf_free(&text);
    } else if (!(*out = json_object())) {
        s = bs_fail_nomem(err);
    }
    return s;
}

static basin_status open_json(const char *path, bs_tokenizer **out, basin_error *err)
{
    bs_buf       text;
    basin_status s = read_whole(path, &text, err);
    if (!s)
        s = bs_tokenizer_json(path, text.data ? text.data : "", text.len, out, err);
    bs_buf_free(&text);
    return s;
}

/* --- vocab.txt, or vocab.json and merges.txt -------------------------------------------- */

/* The text of a special piece, which tokenizer_config.json gives as a text or as an object. */
static const char *special_text(const json_t *config, const char *key, const char *otherwise)
{
    const json_t *v = json_object_get(config, key);
    return json_is_object(v) ? bs_tree_text(v, "content", otherwise)
                             : bs_tree_text(config, key, otherwise);
}

static basin_status add_special(bs_token_parts *p, const json_t *config, const char *key,
                                const char *otherwise, bool needed, int32_t *id, basin_error *err)
{
    const char *text = special_text(config, key, otherwise);
    *id = bs_token_find(p, text);
    if (*id < 0)
        return needed ? bs_fail(err, BASIN_EDATA, "%s: the vocabulary has no piece '%.40s' (%s)",
                                p->name, text, key)
                      : BASIN_OK;
    const bool left = p->rules.kind == BS_BYTE_PAIRS && strcmp(key, "mask_token") == 0;
    return bs_token_added(p, (bs_added){*id, true, left, false}, err);
}

/* Special pieces by their usual names, and what tokenizer_config.json adds. */
static basin_status add_specials(bs_token_parts *p, const json_t *config, const char *const name[5],
                                 basin_error *err)
{
    static const char *const keys[] = {"cls_token", "sep_token", "unk_token", "pad_token",
                                       "mask_token"};
    bs_token_rules          *r = &p->rules;
    int32_t                  id[5];
    const char              *number;
    json_t                  *o;
    for (int i = 0; i < 5; i++) {
        basin_status s = add_special(p, config, keys[i], name[i], i < 3, &id[i], err);
        if (s)
            return s;
    }
    r->before[r->n_before++] = id[0];
    r->after[r->n_after++] = id[1];
    r->unknown = id[2];
    json_object_foreach(json_object_get(config, "added_tokens_decoder"), number, o)
    {
        long long    at;
        basin_status s = bs_token_added_json(p, o, bs_parse_int(number, &at) ? at : -1, err);
        if (s)
            return s;
    }
    return BASIN_OK;
}

/* name: of the file that the tokeniser of a known class reads. */
static basin_status check_class(const char *name, const json_t *config, const char *const *known,
                                basin_error *err)
{
    const char *found = bs_tree_text(config, "tokenizer_class", known[0]);
    for (int i = 0; known[i]; i++)
        if (strncmp(found, known[i], strlen(known[i])) == 0)
            return BASIN_OK;
    return bs_fail(
        err, BASIN_EUNSUPPORTED,
        "%s: is of a %.60s, as tokenizer_config.json says; only that of a %s can be read", name,
        found, known[0]);
}

static basin_status add_line(bs_token_parts *p, const char *text, size_t len, bool merges, int *n,
                             basin_error *err)
{
    if (len && text[len - 1] == '\r')
        len--;
    if (!merges)
        return bs_token_piece(p, (*n)++, text, len, err);
    const char *gap = memchr(text, ' ', len);
    if (!len || (len >= 8 && memcmp(text, "#version", 8) == 0))
        return BASIN_OK;
    if (!gap)
        return bs_fail(err, BASIN_EDATA, "%s: merge %d is not two pieces", p->name,
                       (int)p->n_merges + 1);
    const size_t left = (size_t)(gap - text);
    return bs_token_merge(p, (bs_piece_text){text, left}, (bs_piece_text){gap + 1, len - left - 1},
                          err);
}

/* A piece, or a merge, on each line. */
static basin_status add_lines(bs_token_parts *p, const bs_buf *text, bool merges, basin_error *err)
{
    basin_status s = BASIN_OK;
    int          n = 0;
    for (size_t at = 0; at < text->len && !s;) {
        const char  *end = memchr(text->data + at, '\n', text->len - at);
        const size_t len = end ? (size_t)(end - text->data) - at : text->len - at;
        s = add_line(p, text->data + at, len, merges, &n, err);
        at += len + 1;
    }
    return s;
}

/* Of byte pairs, `words` is the vocabulary and the lines are merges; otherwise lines are pieces. */
static basin_status from_files(bs_token_parts *p, const json_t *words, const bs_buf *text,
                               const json_t *config, const char *const *classes,
                               const char *const names[5], bs_tokenizer **out, basin_error *err)
{
    const bool   merges = p->rules.kind == BS_BYTE_PAIRS;
    basin_status s = check_class(p->name, config, classes, err);
    *out = NULL;
    if (!s && merges)
        s = bs_token_vocabulary_json(p, words, err);
    if (!s)
        s = add_lines(p, text, merges, err);
    if (!s)
        s = add_specials(p, config, names, err);
    if (!s)
        s = bs_token_make(p, out, err);
    bs_token_parts_free(p);
    return s;
}

basin_status bs_token_from_lines(const char *name, const bs_buf *words, const json_t *config,
                                 bs_tokenizer **out, basin_error *err)
{
    static const char *const classes[] = {"BertTokenizer", "DistilBertTokenizer",
                                          "ElectraTokenizer", NULL};
    static const char *const names[] = {"[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"};
    const bool               lower = bs_tree_bool(config, "do_lower_case", true);
    bs_token_parts           p = {.name = name};
    p.rules = (bs_token_rules){.kind = BS_WORDPIECE,
                               .clean = true,
                               .han = bs_tree_bool(config, "tokenize_chinese_chars", true),
                               .strip = bs_tree_bool(config, "strip_accents", lower),
                               .lower = lower,
                               .word_most = 100,
                               .joint = "##"};
    return from_files(&p, NULL, words, config, classes, names, out, err);
}

basin_status bs_token_from_merges(const char *name, const json_t *words, const bs_buf *merges,
                                  const json_t *config, bs_tokenizer **out, basin_error *err)
{
    static const char *const classes[] = {"RobertaTokenizer", NULL};
    static const char *const names[] = {"<s>", "</s>", "<unk>", "<pad>", "<mask>"};
    bs_token_parts           p = {.name = name};
    p.rules = (bs_token_rules){.kind = BS_BYTE_PAIRS,
                               .blank = bs_tree_bool(config, "add_prefix_space", false),
                               .trim = bs_tree_bool(config, "trim_offsets", true),
                               .word_most = 1};
    return from_files(&p, words, merges, config, classes, names, out, err);
}

/* vocab.txt or merges.txt, and what is beside it. */
static basin_status open_lines(const char *folder, const char *file, bs_tokenizer **out,
                               basin_error *err)
{
    char         path[PATH];
    json_t      *config = NULL, *words = NULL;
    bs_buf       text;
    basin_status s = read_whole(path_of(folder, file, path), &text, err);
    const bool   merges = strcmp(file, "merges.txt") == 0;
    if (!s)
        s = read_tree(folder, "tokenizer_config.json", &config, err);
    if (!s && merges)
        s = read_tree(folder, "vocab.json", &words, err);
    if (!s)
        s = merges ? bs_token_from_merges(path, words, &text, config, out, err)
                   : bs_token_from_lines(path, &text, config, out, err);
    json_decref(words);
    json_decref(config);
    bs_buf_free(&text);
    return s;
}

static basin_status refuse_folder(const char *folder, basin_error *err)
{
    static const char *const others[] = {"spiece.model", "sentencepiece.bpe.model",
                                         "tokenizer.model", NULL};
    for (int i = 0; others[i]; i++)
        if (has(folder, others[i]))
            return bs_fail(err, BASIN_EUNSUPPORTED,
                           "%s: %s is a SentencePiece model; only WordPiece (BERT) and byte-level "
                           "BPE (RoBERTa) can be read",
                           folder, others[i]);
    return bs_fail(err, BASIN_EDATA,
                   "%s: has no tokeniser: neither tokenizer.json nor vocab.txt, nor vocab.json "
                   "with merges.txt",
                   folder);
}

basin_status bs_tokenizer_open(const char *folder, bs_tokenizer **out, basin_error *err)
{
    char path[PATH];
    *out = NULL;
    if (has(folder, "tokenizer.json"))
        return open_json(path_of(folder, "tokenizer.json", path), out, err);
    if (has(folder, "vocab.txt"))
        return open_lines(folder, "vocab.txt", out, err);
    if (has(folder, "vocab.json") && has(folder, "merges.txt"))
        return open_lines(folder, "merges.txt", out, err);
    return refuse_folder(folder, err);
}
