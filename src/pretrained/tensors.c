/* tensors.c -- the tensors of an encoder's file, and the parameters that they are for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/checksum.h"
#include "pretrained/inside.h"

enum { NAME = 256, ROWS = 16, SOURCES = 3 };

/* The tensors that a part of a layer is made of, side by side: of BERT, RoBERTa and ELECTRA; of
 * DistilBERT. */
typedef struct {
    const char *part, *bert[SOURCES], *distil[SOURCES];
} part_names;

static const part_names in_layer[] = {
    {"qkv",
     {"attention.self.query", "attention.self.key", "attention.self.value"},
     {"attention.q_lin", "attention.k_lin", "attention.v_lin"}},
    {"mix", {"attention.output.dense"}, {"attention.out_lin"}},
    {"up", {"intermediate.dense"}, {"ffn.lin1"}},
    {"down", {"output.dense"}, {"ffn.lin2"}},
};
static const part_names norms[] = {
    {"mix", {"attention.output.LayerNorm"}, {"sa_layer_norm"}},
    {"down", {"output.LayerNorm"}, {"output_layer_norm"}},
};

typedef enum {
    VECTOR,
    TABLE,
    MATRIX, /* [out, in] in the file, [in, out] with us */
} layout;

/* Where a parameter comes from. */
typedef struct {
    char   name[SOURCES][NAME]; /* of tensors, without the prefix */
    char   old[NAME];           /* another name of the only one */
    int    n;
    layout layout;
} source;

static const char *const *names_of(const part_names *list, size_t n, const char *part, size_t len,
                                   bool distil)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i].part) == len && memcmp(list[i].part, part, len) == 0)
            return distil ? list[i].distil : list[i].bert;
    return NULL;
}

/* "W" and "b" of a product, "gain" and "bias" of a normalisation. */
static void add_source(source *out, const char *before, const char *stem, const char *leaf)
{
    const bool norm = strlen(leaf) > 1, bias = *leaf == 'b';
    bs_print(out->name[out->n++], NAME, "%s%s.%s", before, stem, bias ? "bias" : "weight");
    if (norm)
        bs_print(out->old, NAME, "%s%s.%s", before, stem, bias ? "beta" : "gamma");
    out->layout = *leaf == 'W' ? MATRIX : VECTOR;
}

static source source_of(const bs_encoder_form *f, const char *param)
{
    static const char *const tables[][2] = {{"word", "embeddings.word_embeddings.weight"},
                                            {"position", "embeddings.position_embeddings.weight"},
                                            {"type", "embeddings.token_type_embeddings.weight"}};
    const bool               distil = strcmp(f->kind, "distilbert") == 0;
    const char              *leaf = strrchr(param, '/');
    source                   s = {.layout = TABLE};
    for (int i = 0; i < 3; i++)
        if (strcmp(param, tables[i][0]) == 0)
            bs_print(s.name[s.n++], NAME, "%s", tables[i][1]);
    if (!leaf)
        return s;
    leaf++;
    if (strncmp(param, "norm/", 5) == 0 || strncmp(param, "pooler/", 7) == 0) {
        add_source(&s, "", *param == 'n' ? "embeddings.LayerNorm" : "pooler.dense", leaf);
        return s;
    }
    char               before[64];
    const size_t       digits = strspn(param, "0123456789");
    const char        *part = param + digits + 1;
    const size_t       len = (size_t)(leaf - 1 - part);
    const bool         norm = strlen(leaf) > 1;
    const char *const *stems =
        norm ? names_of(norms, sizeof norms / sizeof *norms, part, len, distil)
             : names_of(in_layer, sizeof in_layer / sizeof *in_layer, part, len, distil);
    bs_print(before, sizeof before, "%s.layer.%.*s.", distil ? "transformer" : "encoder",
             (int)digits, param);
    for (int i = 0; stems && i < SOURCES && stems[i]; i++)
        add_source(&s, before, stems[i], leaf);
    return s;
}

static const bs_tensor *find(const bs_pretrained *e, const source *from, int i)
{
    char path[2 * NAME];
    bs_print(path, sizeof path, "%s%s", e->prefix, from->name[i]);
    const bs_tensor *t = bs_safetensors_find(e->file, path);
    if (!t && *from->old) {
        bs_print(path, sizeof path, "%s%s", e->prefix, from->old);
        t = bs_safetensors_find(e->file, path);
    }
    return t;
}

/* --- checking ------------------------------------------------------------------------ */

static basin_status check_shape(const bs_pretrained *e, const bs_tensor *t, int rows, int columns,
                                basin_error *err)
{
    const int want = rows ? 2 : 1;
    char      have[128] = "", wanted[64] = "";
    size_t    at = 0;
    if (t->n_dims == want && t->dim[want - 1] == columns && (!rows || t->dim[0] == rows))
        return BASIN_OK;
    for (int i = 0; i < t->n_dims && at < sizeof have; i++)
        at += (size_t)bs_print(have + at, sizeof have - at, "%s%lld", i ? ", " : "",
                               (long long)t->dim[i]);
    if (rows)
        bs_print(wanted, sizeof wanted, "%d, ", rows);
    return bs_fail(err, BASIN_EDATA, "%s: tensor '%.100s' is [%s]; config.json makes it [%s%d]",
                   e->path, t->name, have, wanted, columns);
}

/* Its shape is known from that of the parameter: with its sources side by side. */
static basin_status check_source(const bs_pretrained *e, const source *from, bs_shape shape,
                                 basin_error *err)
{
    const int rows = (int)shape.d[2], columns = (int)shape.d[3] / from->n;
    for (int i = 0; i < from->n; i++) {
        const bs_tensor *t = find(e, from, i);
        if (!t)
            return bs_fail(err, BASIN_EDATA, "%s: there is no tensor '%s%s'", e->path, e->prefix,
                           from->name[i]);
        if (t->dtype != BS_DTYPE_F32 && t->dtype != BS_DTYPE_F16 && t->dtype != BS_DTYPE_BF16)
            return bs_fail(err, BASIN_EUNSUPPORTED,
                           "%s: tensor '%.100s' has numbers of type %s; F32, F16 or BF16 is needed",
                           e->path, t->name, bs_dtype_name(t->dtype));
        basin_status s = from->layout == MATRIX  ? check_shape(e, t, columns, rows, err)
                         : from->layout == TABLE ? check_shape(e, t, rows, columns, err)
                                                 : check_shape(e, t, 0, columns, err);
        if (s)
            return s;
    }
    return BASIN_OK;
}

/* What comes before the name of the table of words, of which there must be one. */
static basin_status find_prefix(bs_pretrained *e, basin_error *err)
{
    static const char words[] = "embeddings.word_embeddings.weight";
    const char       *found = NULL;
    for (int i = 0; i < bs_safetensors_count(e->file); i++) {
        const char  *name = bs_safetensors_at(e->file, i)->name;
        const size_t len = strlen(name), end = strlen(words);
        if (len < end || strcmp(name + len - end, words) != 0 ||
            (len > end && name[len - end - 1] != '.'))
            continue;
        if (found)
            return bs_fail(err, BASIN_EUNSUPPORTED,
                           "%s: there are two encoders, with the tensors '%.80s' and '%.80s'",
                           e->path, found, name);
        found = name;
    }
    if (!found)
        return bs_fail(err, BASIN_EDATA, "%s: there is no tensor '%s', with or without a prefix",
                       e->path, words);
    const size_t len = strlen(found) - strlen(words);
    if (len >= NAME)
        return bs_fail(err, BASIN_EUNSUPPORTED, "%s: the prefix of its tensors is too long",
                       e->path);
    e->prefix = bs_alloc(len + 1);
    if (!e->prefix)
        return bs_fail_nomem(err);
    memcpy(e->prefix, found, len);
    e->prefix[len] = '\0';
    return BASIN_OK;
}

basin_status bs_encoder_tensors(bs_pretrained *e, basin_error *err)
{
    basin_status         s = find_prefix(e, err);
    bs_transformer_param p;
    bs_transformer_shape shape = e->form.shape;
    const source         pooler = source_of(&e->form, "pooler/W");
    if (s)
        return s;
    e->has_pooler = find(e, &pooler, 0) != NULL;
    shape.pooler = e->has_pooler;
    for (int i = 0; !s && bs_transformer_param_at(&shape, i, &p); i++) {
        const source from = source_of(&e->form, p.name);
        s = check_source(e, &from, p.shape, err);
    }
    return s;
}

basin_status bs_pretrained_hash(const bs_pretrained *e, char out[BS_ENCODER_HASH], basin_error *err)
{
    const int         n = bs_safetensors_count(e->file);
    const bs_tensor **list = bs_calloc((size_t)n, sizeof *list);
    if (!list)
        return bs_fail_nomem(err);
    for (int i = 0; i < n; i++)
        list[i] = bs_safetensors_at(e->file, i);
    qsort(list, (size_t)n, sizeof *list, bs_tensor_by_name);
    basin_status s = bs_checksum(list, n, NULL, 0, out, err);
    bs_free(list);
    return s;
}

/* --- filling ------------------------------------------------------------------------- */

/* Rows first .. first + n of a tensor, as floats, all finite. */
static basin_status take(const bs_pretrained *e, const bs_tensor *t, int64_t first, int64_t n,
                         int64_t columns, float *room, basin_error *err)
{
    int bad = 0;
    bs_tensor_floats(t, first * columns, n * columns, room);
    for (int64_t i = 0; i < n * columns; i++)
        bad |= !isfinite(room[i]);
    for (int64_t i = 0; bad && i < n * columns; i++)
        if (!isfinite(room[i]))
            return bs_fail(err, BASIN_EDATA, "%s: tensor '%.100s' holds %g at %lld", e->path,
                           t->name, (double)room[i], (long long)(first * columns + i));
    return BASIN_OK;
}

/* The columns from `at` on of `to` [in, width], from a tensor [out, in]; or all of a table. */
static basin_status copy_tensor(const bs_pretrained *e, const bs_tensor *t, bool matrix, real *to,
                                int64_t at, int64_t width, float *room, basin_error *err)
{
    const int64_t rows = t->n_dims == 2 ? t->dim[0] : 1, columns = t->dim[t->n_dims - 1];
    basin_status  s = BASIN_OK;
    for (int64_t first = 0; first < rows && !s; first += ROWS) {
        const int64_t n = rows - first < ROWS ? rows - first : ROWS;
        s = take(e, t, first, n, columns, room, err);
        if (s)
            break;
        for (int64_t i = 0; matrix && i < columns; i++)
            for (int64_t k = 0; k < n; k++)
                to[i * width + at + first + k] = (real)room[k * columns + i];
        for (int64_t i = 0; !matrix && i < n * columns; i++)
            to[at + first * columns + i] = (real)room[i];
    }
    return s;
}

static basin_status fill(const bs_pretrained *e, const bs_params *p, const bs_segment *segment,
                         const source *from, float *room, basin_error *err)
{
    real        *to;
    basin_status s = bs_params_map(p, segment, BS_WRITE, &to, err);
    if (s)
        return s;
    const int64_t width = segment->shape.d[3];
    for (int i = 0; i < from->n && !s; i++)
        s = copy_tensor(e, find(e, from, i), from->layout == MATRIX, to, i * (width / from->n),
                        width, room, err);
    if (!s && e->halves)
        bs_pretrained_round_numbers(to, segment->count);
    bs_params_unmap(p, segment, BS_WRITE, to);
    return s;
}

basin_status bs_pretrained_fill(const bs_pretrained *e, bs_params *p, const char *to,
                                basin_error *err)
{
    const bs_transformer_shape *shape = &e->form.shape;
    const int64_t               widest = shape->inner > shape->width ? shape->inner : shape->width;
    float                      *room = bs_calloc((size_t)widest * ROWS, sizeof *room);
    basin_status                s = room ? BASIN_OK : bs_fail_nomem(err);
    bs_transformer_param        param;
    for (int i = 0; !s && bs_transformer_param_at(shape, i, &param); i++) {
        char path[NAME];
        bs_print(path, NAME, "%s%s", to, param.name);
        const bs_segment *segment = bs_params_find(p, path);
        const source      from = source_of(&e->form, param.name);
        if (segment)
            s = fill(e, p, segment, &from, room, err);
    }
    bs_free(room);
    return s;
}
