/* text.c -- what a model keeps to read the texts of rows: n-grams, or a transformer encoder. */
#include "task/mlc/text.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/tree.h"
#include "task/mlc/data.h"

void bs_mlc_text_free(bs_mlc_text *t)
{
    if (!t)
        return;
    if (!t->source)
        bs_tokenizer_free(t->tokens);
    bs_pretrained_free(t->source);
    bs_free(t->mean);
    bs_free(t->scale);
    for (int i = 0; i < BS_MLC_FINDINGS; i++)
        bs_mlc_finding_leave(t->finding[i]);
    bs_free(t);
}

/* ---- what a model keeps ---- */

static bs_mlc_text *new_text(const bs_encoder_form *form, int most)
{
    bs_mlc_text *t = bs_calloc(1, sizeof *t);
    if (t)
        *t = (bs_mlc_text){.form = *form,
                           .packing = {form->shape.first_position, form->pooling != BS_POOL_MEAN},
                           .most = most};
    return t;
}

/* Pieces per document: no more than the encoder can read. */
static int length_for(const bs_train_options *o, const bs_transformer_shape *s)
{
    const int longest = bs_transformer_longest(s);
    return o->encoder_length > 0 && o->encoder_length < longest ? o->encoder_length : longest;
}

static basin_status choose_pooling(const bs_train_options *o, bs_pretrained *e, basin_error *err)
{
    for (int i = 0; bs_pooling_names[i]; i++)
        if (strcmp(o->encoder_pool, bs_pooling_names[i]) == 0)
            return bs_pretrained_pool(e, (bs_pooling)i, err);
    if (e->form.pooling == BS_POOL_MAX)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "encoder.pool: this encoder was trained with the maximum over pieces, which "
                       "is not offered; use mean or first");
    return BASIN_OK;
}

basin_status bs_mlc_text_open(const bs_train_options *o, bs_mlc_text **out, basin_error *err)
{
    bs_pretrained *source;
    basin_status   s = bs_pretrained_open(o->encoder, &source, err);
    *out = NULL;
    if (s)
        return s;
    s = choose_pooling(o, source, err);
    if (!s && !(*out = new_text(&source->form, length_for(o, &source->form.shape))))
        s = bs_fail_nomem(err);
    if (s) {
        bs_pretrained_free(source);
        return s;
    }
    (*out)->source = source;
    source->halves = strcmp(o->model_dtype, "f16") == 0;
    (*out)->tokens = source->tokens;
    (*out)->threads = o->threads;
    (*out)->halves = strcmp(o->model_dtype, "f16") == 0;
    return BASIN_OK;
}

void bs_mlc_text_json(const bs_mlc_text *t, bs_buf *out)
{
    bs_buf text;
    bs_buf_init(&text, (size_t)1 << 30);
    bs_json_open(out, "encoder", '{');
    bs_json_key(out, "form");
    bs_encoder_form_write(&t->form, out);
    bs_json_int(out, "length", t->most);
    bs_tokenizer_write(t->tokens, &text);
    bs_json_text_n(out, "tokens", text.data, text.len);
    bs_json_close(out, '}');
    out->failed |= text.failed;
    bs_buf_free(&text);
}

basin_status bs_mlc_text_from_json(const json_t *value, const char *where, bs_mlc_text **out,
                                   basin_error *err)
{
    const json_t    *shape = json_object_get(value, "form"), *tokens;
    const json_int_t most = json_integer_value(json_object_get(value, "length"));
    bs_encoder_form  form;
    bs_buf           text;
    *out = NULL;
    tokens = json_object_get(value, "tokens");
    bs_buf_init(&text, (size_t)1 << 20);
    if (!shape || !json_is_string(tokens) || !bs_tree_write(shape, &text)) {
        bs_buf_free(&text);
        return bs_fail(err, BASIN_EDATA, "%s: the encoder in its metadata is incomplete", where);
    }
    basin_status s = bs_encoder_form_read(where, text.data, text.len, &form, err);
    bs_buf_free(&text);
    if (!s && (most < 2 || most > bs_transformer_longest(&form.shape)))
        s = bs_fail(err, BASIN_EDATA, "%s: texts of %lld pieces in its metadata", where,
                    (long long)most);
    if (!s && !(*out = new_text(&form, (int)most)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_tokenizer_read(where, json_string_value(tokens), json_string_length(tokens),
                              &(*out)->tokens, err);
    if (s) {
        bs_mlc_text_free(*out);
        *out = NULL;
    }
    return s;
}

/* ---- the nets ---- */

/* "none", "adapter", "all" or "top:N". */
static basin_status read_mode(const bs_train_options *o, int layers, bs_transformer_use *use,
                              basin_error *err)
{
    const char *mode = o->encoder_train;
    double      top;
    use->fixed = strcmp(mode, "none") == 0;
    if (strcmp(mode, "all") == 0)
        use->trained = layers;
    else if (strncmp(mode, "top:", 4) == 0 && bs_parse_double(mode + 4, &top) && top >= 1 &&
             top <= layers && top == floor(top))
        use->trained = (int)top;
    else if (!use->fixed && strcmp(mode, "adapter") != 0)
        return bs_fail(err, BASIN_EARG,
                       "encoder.train: '%.40s' is not none, adapter, all or top:N with N from 1 to "
                       "%d",
                       mode, layers);
    return BASIN_OK;
}

basin_status bs_mlc_text_spec(const bs_mlc_text *t, const bs_train_options *o, bs_mlc_shape *shape,
                              basin_error *err)
{
    bs_transformer_use *use = &shape->use;
    basin_status        s = read_mode(o, t->form.shape.layers, use, err);
    if (strcmp(o->encoder_train, "adapter") == 0)
        use->adapter = t->form.shape.width / o->encoder_adapter > 0
                           ? t->form.shape.width / o->encoder_adapter
                           : 1;
    use->dropout = o->encoder_dropout;
    use->decay = o->encoder_decay;
    use->rate = o->lr_net > 0 ? o->lr_encoder / o->lr_net : 0;
    shape->energy_rate = o->lr_energy > 0 ? o->lr_encoder / o->lr_energy : 0;
    shape->text = &t->form.shape;
    shape->found = use->fixed && t->source;
    shape->sparse = false;
    shape->bins = 0;
    return s;
}

/* "net/encoder/" of "net/encoder/0/up/W"; 0: the parameter is not one of an encoder. */
static size_t length_of_place(const char *name)
{
    static const char inside[] = "encoder/";
    const char       *at = strstr(name, inside);
    return at ? (size_t)(at - name) + sizeof inside - 1 : 0;
}

static basin_status fill_place(const bs_mlc_text *t, bs_params *p, const char *name, size_t n,
                               basin_error *err)
{
    char place[256];
    bs_print(place, sizeof place, "%.*s", (int)n, name);
    return bs_pretrained_fill(t->source, p, place, err);
}

basin_status bs_mlc_text_fill(const bs_mlc_text *t, bs_params *p, const char *prefix,
                              basin_error *err)
{
    basin_status s = BASIN_OK;
    const char  *before = "";
    for (int i = 0; i < p->n && t->source && !s; i++) {
        const bs_segment *k = &p->segment[i];
        const size_t      n = length_of_place(k->name);
        if (!bs_params_has_prefix(k->name, prefix))
            continue;
        if (t->mean && strcmp(k->name, "found/mean") == 0)
            s = bs_params_repeat(p, k, t->mean, k->count, err);
        else if (t->scale && strcmp(k->name, "found/scale") == 0)
            s = bs_params_repeat(p, k, t->scale, k->count, err);
        else if (n > 0 && (length_of_place(before) != n || strncmp(before, k->name, n) != 0))
            s = fill_place(t, p, before = k->name, n, err);
    }
    return s;
}

/* ---- training rows ---- */

/* The encoder that reads the texts of rows. */
static basin_status fit_encoder(const bs_train_options *o, const bs_rows *train, bs_mlc_known *k,
                                basin_error *err)
{
    if (!train->document)
        return bs_fail(err, BASIN_EDATA,
                       "encoder: these rows have no text; --text-column selects a column");
    basin_status status = bs_mlc_text_open(o, &k->text, err);
    return status ? status : bs_mlc_text_fit(k->text, train, o, err);
}

/* The n-grams of the training texts or, if training continues from a model, that model's. */
basin_status bs_mlc_fit_texts(const bs_settings *s, bs_dataset *part, int n, bs_preprocess *out,
                              basin_error *err)
{
    const bs_train_options *t = &s->train;
    const bs_ngram_options  o = {t->ngram_words, t->ngram_chars, t->ngram_limit, t->ngram_rows};
    const bs_rows          *train = bs_dataset_mlc(&part[0]);
    bs_mlc_known           *k = bs_preprocess_mlc(out);
    basin_status            status = BASIN_OK;
    k->schema = k->columns;
    if (*t->encoder)
        return fit_encoder(t, train, k, err);
    if (out->like && bs_preprocess_mlc(out->like)->text)
        return bs_fail(err, BASIN_EARG,
                       "--from: the model has an encoder; --encoder names its folder");
    if (!train->document)
        return BASIN_OK;
    if (out->like && bs_preprocess_mlc(out->like)->ngrams.n > 0)
        status =
            bs_ngrams_copy(&bs_preprocess_mlc(out->like)->ngrams, &out->arena, &k->ngrams, err);
    else
        status = bs_ngrams_fit(train, &o, &out->arena, &k->ngrams, err);
    if (!status)
        status = bs_ngrams_schema(&k->ngrams, &k->columns, &out->arena, &k->schema, err);
    for (int i = 0; i < n && !status; i++)
        if (bs_dataset_mlc(&part[i]))
            status = bs_mlc_read_texts(out, bs_dataset_mlc(&part[i]), NULL, err);
    return status;
}

basin_status bs_mlc_read_texts(const bs_preprocess *k, bs_rows *d, bs_notes *notes,
                               basin_error *err)
{
    const bs_mlc_known *known = bs_preprocess_mlc(k);
    int32_t             unknown;
    if (known->ngrams.n == 0)
        return BASIN_OK; /* nets read them */
    basin_status s =
        bs_ngrams_apply(&known->ngrams, &known->columns, &known->schema, d, &unknown, err);
    if (!s && unknown > 0)
        bs_notes_add(notes, "unknown words", "%d of %d texts have no word that training kept",
                     (int)unknown, (int)d->rows);
    return s;
}
