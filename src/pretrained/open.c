/* open.c -- the folder of an encoder as a whole. */
#include <dirent.h>
#include <string.h>

#include "base/io.h"
#include "pretrained/inside.h"

enum { PATH = 4096, NAME = 256 };

void bs_pretrained_free(bs_pretrained *e)
{
    if (!e)
        return;
    bs_tokenizer_free(e->tokens);
    bs_safetensors_close(e->file);
    bs_free(e->path);
    bs_free(e->prefix);
    bs_free(e);
}

/* --- the file of tensors --------------------------------------------------------------- */

static bool ends_in(const char *name, const char *end)
{
    const size_t n = strlen(name), len = strlen(end);
    return n > len && strcmp(name + n - len, end) == 0;
}

typedef struct {
    char weights[NAME]; /* a name that ends in .safetensors, the first by strcmp */
    int  n;             /* how many do */
    bool shards, pickled;
} listing;

static basin_status list_folder(const char *folder, listing *out, basin_error *err)
{
    DIR           *d = opendir(folder);
    struct dirent *entry;
    *out = (listing){.n = 0};
    if (!d)
        return bs_fail(err, BASIN_EDATA, "%s: there is no such folder of an encoder", folder);
    while ((entry = readdir(d)) != NULL) {
        const char *name = entry->d_name;
        out->shards = out->shards || ends_in(name, ".safetensors.index.json");
        out->pickled = out->pickled || strcmp(name, "pytorch_model.bin") == 0;
        if (!ends_in(name, ".safetensors") || strlen(name) >= NAME)
            continue;
        if (!out->n++ || strcmp(name, out->weights) < 0)
            bs_print(out->weights, NAME, "%s", name);
    }
    closedir(d);
    return BASIN_OK;
}

/* model.safetensors, or the only file with that ending. */
static basin_status find_weights(const char *folder, const listing *l, char path[PATH],
                                 basin_error *err)
{
    bs_print(path, PATH, "%s/model.safetensors", folder);
    if (bs_is_file(path))
        return BASIN_OK;
    if (l->shards)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: its tensors are in several files; save them as one, in Python by "
                       "AutoModel.from_pretrained(DIR).save_pretrained(DIR, "
                       "max_shard_size=\"100GB\")",
                       folder);
    if (l->n == 1) {
        bs_print(path, PATH, "%s/%s", folder, l->weights);
        return BASIN_OK;
    }
    if (!l->n && l->pickled)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: pytorch_model.bin is a program, not read here; save model.safetensors, "
                       "in Python by AutoModel.from_pretrained(DIR).save_pretrained(DIR, "
                       "safe_serialization=True)",
                       folder);
    return bs_fail(err, BASIN_EDATA, "%s: has no model.safetensors%s", folder,
                   l->n ? ", but several other files of that kind" : "");
}

static char *copy_text(const char *text)
{
    char *copy = bs_alloc(strlen(text) + 1);
    return copy ? memcpy(copy, text, strlen(text) + 1) : NULL;
}

static basin_status open_weights(bs_pretrained *e, const char *folder, const listing *l,
                                 basin_error *err)
{
    char         path[PATH];
    basin_status s = find_weights(folder, l, path, err);
    if (s)
        return s;
    e->path = copy_text(path);
    s = e->path ? bs_safetensors_open(path, &e->file, err) : bs_fail_nomem(err);
    return s ? s : bs_encoder_tensors(e, err);
}

/* --- all of it --------------------------------------------------------------------------- */

/* How many rows more than the vocabulary has pieces are room to spare, not another vocabulary. */
enum { SPARE = 1024 };

static basin_status check_pieces(const bs_pretrained *e, const char *folder, basin_error *err)
{
    const int32_t pieces = bs_tokenizer_count(e->tokens), rows = e->form.shape.vocabulary;
    if (pieces > rows)
        return bs_fail(err, BASIN_EDATA,
                       "%s: its tokeniser has %d pieces, but its table of words only %d rows",
                       folder, (int)pieces, (int)rows);
    if (rows - pieces > SPARE)
        return bs_fail(err, BASIN_EDATA,
                       "%s: its tokeniser has only %d pieces, its table of words %d rows: they do "
                       "not belong together",
                       folder, (int)pieces, (int)rows);
    return BASIN_OK;
}

/* How many pieces documents had in training, where sentence-transformers recorded it. */
static basin_status read_most(bs_encoder_form *f, const char *folder, basin_error *err)
{
    json_t          *o;
    basin_status     s = bs_pretrained_json(folder, "sentence_bert_config.json", &o, err);
    const json_int_t most = json_integer_value(json_object_get(o, "max_seq_length"));
    if (!s && most > 2 && most < f->most)
        f->most = (int)most;
    json_decref(o);
    return s;
}

static basin_status read_form(bs_pretrained *e, const char *folder, basin_error *err)
{
    char         path[PATH];
    json_t      *config;
    basin_status s = bs_pretrained_json(folder, "config.json", &config, err);
    bs_print(path, PATH, "%s/config.json", folder);
    if (!s && !config)
        s = bs_fail(err, BASIN_EDATA,
                    "%s: has no config.json; an encoder is a folder with config.json, "
                    "model.safetensors and tokenizer.json or vocab.txt",
                    folder);
    if (!s)
        s = bs_encoder_config(path, config, &e->form, err);
    if (!s)
        s = read_most(&e->form, folder, err);
    json_decref(config);
    return s;
}

basin_status bs_pretrained_pool(bs_pretrained *e, bs_pooling pooling, basin_error *err)
{
    if (pooling == BS_POOL_POOLER && !e->has_pooler)
        return bs_fail(err, BASIN_EARG, "%s: it has no pooler; 'first' and 'mean' need none",
                       e->path);
    e->form.pooling = pooling;
    e->form.shape.pooler = pooling == BS_POOL_POOLER;
    return BASIN_OK;
}

static basin_status open_all(bs_pretrained *e, const char *folder, basin_error *err)
{
    bs_pooling   pooling;
    bool         found;
    listing      l;
    basin_status s = list_folder(folder, &l, err);
    if (!s)
        s = read_form(e, folder, err);
    if (!s)
        s = bs_encoder_pooling(folder, &pooling, &found, err);
    if (!s)
        s = bs_tokenizer_open(folder, &e->tokens, err);
    if (!s)
        s = check_pieces(e, folder, err);
    if (!s)
        s = open_weights(e, folder, &l, err);
    if (s)
        return s;
    return bs_pretrained_pool(e,
                              found           ? pooling
                              : e->has_pooler ? BS_POOL_POOLER
                                              : BS_POOL_MEAN,
                              err);
}

basin_status bs_pretrained_open(const char *folder, bs_pretrained **out, basin_error *err)
{
    bs_pretrained *e = bs_calloc(1, sizeof *e);
    *out = NULL;
    if (!e)
        return bs_fail_nomem(err);
    basin_status s = open_all(e, folder, err);
    if (s)
        bs_pretrained_free(e);
    else
        *out = e;
    return s;
}
