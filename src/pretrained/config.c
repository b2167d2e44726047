/* config.c -- config.json and 1_Pooling/config.json. */
#include <string.h>

#include "base/find.h"
#include "base/io.h"
#include "base/json.h"
#include "pretrained/inside.h"

enum { FILE_MOST = 1 << 20, PATH = 4096 };

const char *const bs_pooling_names[] = {"mean", "first", "pooler", "max", NULL};

basin_status bs_pretrained_json(const char *folder, const char *file, json_t **out,
                                basin_error *err)
{
    char   path[PATH];
    bs_buf text;
    *out = NULL;
    bs_print(path, PATH, "%s/%s", folder, file);
    if (!bs_is_file(path))
        return BASIN_OK;
    bs_buf_init(&text, FILE_MOST);
    basin_status s = bs_read_file(path, &text, err);
    if (!s)
        s = bs_tree_object(path, text.data ? text.data : "", text.len, FILE_MOST, out, err);
    bs_buf_free(&text);
    return s;
}

const bs_encoder_kind bs_encoder_kinds[] = {
    {"bert", "--encoder FOLDER: BERT, MiniLM, bge, gte-small, e5 and others like them"},
    {"distilbert", "--encoder FOLDER: DistilBERT"},
    {"roberta", "--encoder FOLDER: RoBERTa, DistilRoBERTa"},
    {"electra", "--encoder FOLDER: discriminators of ELECTRA as wide as their words"},
    {NULL, NULL},
};

/* --- config.json ------------------------------------------------------------------- */

/* The members of architectures that are read; NULL: it has none such. */
typedef struct {
    const char *kind, *width, *layers, *heads, *inner, *types, *act;
} names;

static const names architectures[] = {
    {"bert", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
     "type_vocab_size", "hidden_act"},
    {"roberta", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
     "type_vocab_size", "hidden_act"},
    {"electra", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
     "type_vocab_size", "hidden_act"},
    {"distilbert", "dim", "n_layers", "n_heads", "hidden_dim", NULL, "activation"},
};

static const bs_named known_kinds = {BS_NAMED_ROWS(architectures),
                                     .n = sizeof architectures / sizeof *architectures};

static basin_status whole_number(const char *path, const json_t *o, const char *key, int most,
                                 int *out, basin_error *err)
{
    const json_t    *v = json_object_get(o, key);
    const json_int_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < 1 || n > most)
        return bs_fail(err, BASIN_EDATA, "%s: '%s' must be a whole number from 1 to %d", path, key,
                       most);
    *out = (int)n;
    return BASIN_OK;
}

static basin_status read_sizes(const char *path, const json_t *o, const names *a,
                               bs_transformer_shape *s, basin_error *err)
{
    const struct {
        const char *key;
        int         most, *to;
    } sizes[] = {{a->width, 1 << 14, &s->width},
                 {a->layers, 256, &s->layers},
                 {a->heads, 1024, &s->heads},
                 {a->inner, 1 << 16, &s->inner},
                 {"vocab_size", 1 << 20, &s->vocabulary},
                 {"max_position_embeddings", 1 << 20, &s->positions}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        basin_status status = whole_number(path, o, sizes[i].key, sizes[i].most, sizes[i].to, err);
        if (status)
            return status;
    }
    s->types = 0;
    if (a->types && json_object_get(o, a->types))
        return whole_number(path, o, a->types, 1024, &s->types, err);
    s->types = a->types ? 2 : 0;
    return BASIN_OK;
}

static basin_status read_gate(const char *path, const char *act, bs_transformer_gate *out,
                              basin_error *err)
{
    static const struct {
        const char         *name;
        bs_transformer_gate gate;
    } gates[] = {{"gelu", BS_GATE_GELU},
                 {"gelu_new", BS_GATE_GELU_TANH},
                 {"gelu_pytorch_tanh", BS_GATE_GELU_TANH},
                 {"gelu_fast", BS_GATE_GELU_TANH},
                 {"relu", BS_GATE_RELU}};
    const int i =
        bs_named_index(&(bs_named){BS_NAMED_ROWS(gates), .n = sizeof gates / sizeof *gates}, act);
    if (i >= 0) {
        *out = gates[i].gate;
        return BASIN_OK;
    }
    return bs_fail(
        err, BASIN_EUNSUPPORTED,
        "%s: its activation is '%.40s'; gelu, gelu_new, gelu_pytorch_tanh, gelu_fast and "
        "relu are supported",
        path, act);
}

/* What some of these architectures have beside the usual. */
static basin_status check_usual(const char *path, const json_t *o, const bs_transformer_shape *s,
                                basin_error *err)
{
    const json_t *table = json_object_get(o, "embedding_size");
    const json_t *position = json_object_get(o, "position_embedding_type");
    if (json_is_integer(table) && json_integer_value(table) != s->width)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: 'embedding_size' is %lld, but 'hidden_size' %d; encoders that project "
                       "their words are not supported",
                       path, (long long)json_integer_value(table), s->width);
    if (json_is_string(position) && strcmp(json_string_value(position), "absolute") != 0)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: its positions are '%.40s'; only 'absolute' ones are supported", path,
                       json_string_value(position));
    if (json_is_true(json_object_get(o, "is_decoder")))
        return bs_fail(err, BASIN_EUNSUPPORTED, "%s: it is a decoder, not an encoder", path);
    if (s->width % s->heads)
        return bs_fail(err, BASIN_EDATA, "%s: %d columns cannot be divided among %d heads", path,
                       s->width, s->heads);
    return BASIN_OK;
}

basin_status bs_encoder_config(const char *path, const json_t *config, bs_encoder_form *out,
                               basin_error *err)
{
    const char           *kind = bs_tree_text(config, "model_type", "nothing");
    const int             i = bs_named_index(&known_kinds, kind);
    const names          *a = &architectures[i < 0 ? 0 : i];
    const json_t         *pad = json_object_get(config, "pad_token_id");
    const json_t         *eps = json_object_get(config, "layer_norm_eps");
    bs_transformer_shape *s = &out->shape;
    *out = (bs_encoder_form){.shape = {.eps = 1e-12}};
    if (i < 0)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%s: its 'model_type' is '%.40s'; bert, distilbert, roberta and electra are "
                       "supported",
                       path, kind);
    bs_print(out->kind, sizeof out->kind, "%s", kind);
    basin_status status = read_sizes(path, config, a, s, err);
    if (!status)
        status = read_gate(path,
                           json_object_get(config, a->act) ? bs_tree_text(config, a->act, "nothing")
                                                           : "gelu",
                           &s->gate, err);
    if (!status)
        status = check_usual(path, config, s, err);
    if (status)
        return status;
    if (strcmp(kind, "roberta") == 0)
        s->first_position = json_is_integer(pad) && json_integer_value(pad) >= 0 &&
                                    json_integer_value(pad) < s->positions
                                ? (int)json_integer_value(pad) + 1
                                : 2;
    if (eps)
        s->eps = json_number_value(eps);
    if (!(s->eps > 0 && s->eps < 1))
        return bs_fail(err, BASIN_EDATA, "%s: 'layer_norm_eps' must be between 0 and 1", path);
    if (bs_transformer_longest(s) < 1)
        return bs_fail(err, BASIN_EDATA,
                       "%s: %d positions leave none for a document, which begins "
                       "at the one of number %d",
                       path, s->positions, s->first_position);
    out->most = bs_transformer_longest(s);
    return BASIN_OK;
}

/* --- 1_Pooling ---------------------------------------------------------------------- */

basin_status bs_encoder_pooling(const char *folder, bs_pooling *out, bool *found, basin_error *err)
{
    static const char file[] = "1_Pooling/config.json", start[] = "pooling_mode_";
    static const struct {
        const char *key;
        bs_pooling  pooling;
    } modes[] = {{"pooling_mode_mean_tokens", BS_POOL_MEAN},
                 {"pooling_mode_cls_token", BS_POOL_FIRST},
                 {"pooling_mode_max_tokens", BS_POOL_MAX}};
    json_t     *o, *v;
    const char *key, *other = NULL;
    int         n = 0;
    *found = false;
    basin_status s = bs_pretrained_json(folder, file, &o, err);
    if (s || !o)
        return s;
    json_object_foreach(o, key, v)
    {
        bool known = false;
        if (strncmp(key, start, strlen(start)) != 0 || !json_is_true(v))
            continue;
        n++;
        for (int i = 0; i < 3; i++)
            if (strcmp(modes[i].key, key) == 0) {
                *out = modes[i].pooling;
                known = true;
            }
        other = known ? other : key;
    }
    if (other)
        s = bs_fail(
            err, BASIN_EUNSUPPORTED,
            "%s/%s: '%.60s' is not supported; pooling by mean, first piece (cls) or maximum "
            "is",
            folder, file, other);
    else if (n != 1)
        s = bs_fail(err, BASIN_EUNSUPPORTED,
                    "%s/%s: %d kinds of pooling are chosen; exactly one is supported", folder, file,
                    n);
    *found = !s;
    json_decref(o);
    return s;
}

/* --- in models ------------------------------------------------------------------------ */

static const char *const gate_names[] = {"gelu", "gelu_tanh", "relu", NULL};

void bs_encoder_form_write(const bs_encoder_form *f, bs_buf *out)
{
    const bs_transformer_shape *s = &f->shape;
    bs_json_open(out, NULL, '{');
    bs_json_text(out, "kind", f->kind);
    bs_json_members(out,
                    "layers %d width %d heads %d inner %d vocabulary %d positions %d "
                    "first_position %d types %d",
                    s->layers, s->width, s->heads, s->inner, s->vocabulary, s->positions,
                    s->first_position, s->types);
    bs_json_bool(out, "pooler", s->pooler);
    bs_json_text(out, "gate", gate_names[s->gate]);
    bs_json_real(out, "eps", s->eps);
    bs_json_text(out, "pooling", bs_pooling_names[f->pooling]);
    bs_json_int(out, "most", f->most);
    bs_json_close(out, '}');
}

static bool in_range(int v, int least, int most)
{
    return v >= least && v <= most;
}

static bool possible(const bs_encoder_form *f)
{
    const bs_transformer_shape *s = &f->shape;
    return in_range(s->layers, 1, 256) && in_range(s->width, 1, 1 << 14) &&
           in_range(s->heads, 1, s->width) && s->width % s->heads == 0 &&
           in_range(s->inner, 1, 1 << 16) && in_range(s->vocabulary, 1, 1 << 20) &&
           in_range(s->positions, 1, 1 << 20) && in_range(s->first_position, 0, s->positions - 1) &&
           in_range(s->types, 0, 1024) && s->eps > 0 && s->eps < 1 &&
           in_range(f->most, 1, bs_transformer_longest(s)) &&
           s->pooler == (f->pooling == BS_POOL_POOLER);
}

basin_status bs_encoder_form_read(const char *name, const char *json, size_t n,
                                  bs_encoder_form *out, basin_error *err)
{
    bs_transformer_shape *s = &out->shape;
    const char           *kind = "", *gate = "", *pooling = "";
    int                   pooler = 0;
    json_t               *o = bs_tree_read(json, n, 0, NULL);
    *out = (bs_encoder_form){0};
    bool ok =
        json_unpack(o, "{s:s s:i s:i s:i s:i s:i s:i s:i s:i s:b s:s s:F s:s s:i}", "kind", &kind,
                    "layers", &s->layers, "width", &s->width, "heads", &s->heads, "inner",
                    &s->inner, "vocabulary", &s->vocabulary, "positions", &s->positions,
                    "first_position", &s->first_position, "types", &s->types, "pooler", &pooler,
                    "gate", &gate, "eps", &s->eps, "pooling", &pooling, "most", &out->most) == 0;
    const int of_gate = bs_named_index(&(bs_named){BS_NAMED_ROWS(gate_names)}, gate);
    const int of_pooling = bs_named_index(&(bs_named){BS_NAMED_ROWS(bs_pooling_names)}, pooling);
    ok = ok && of_gate >= 0 && of_pooling >= 0 && bs_named_index(&known_kinds, kind) >= 0;
    if (ok) {
        s->gate = (bs_transformer_gate)of_gate;
        s->pooler = pooler != 0;
        out->pooling = (bs_pooling)of_pooling;
        bs_print(out->kind, sizeof out->kind, "%s", kind);
        ok = possible(out);
    }
    json_decref(o);
    return ok ? BASIN_OK
              : bs_fail(err, BASIN_EDATA, "%s: describes no encoder that Basin writes", name);
}
