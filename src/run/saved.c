/* saved.c -- model files. One may come from anywhere: everything is checked before it costs
 * anything. */
#include "run/saved.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/tree.h"
#include "method/method.h"
#include "pretrained/pretrained.h"
#include "run/tensors.h"

/* Energies per row that a model's own search may compute; the largest preset has 90. Callers may
 * ask for more: a file of a few hundred bytes must not make a row take hours. */
enum { MOST_ENERGIES = 100000 };
/* Samples per row that a model may decide by: each moves some hundred times. */
enum { MOST_SAMPLES = 1000 };

static const char *const lengths[] = {"gbi.test_steps", "gbi.restarts", "gbi.halvings", NULL};
enum { SAMPLES = sizeof lengths / sizeof *lengths - 1 }; /* its bit beside those of lengths */

basin_status bs_model_file_set(bs_model_file *s, const char *key, const char *value, bool *known,
                               basin_error *err)
{
    int i = 0;
    while (lengths[i] && strcmp(key, lengths[i]) != 0)
        i++;
    *known = lengths[i] != NULL || strcmp(key, "decide.samples") == 0 ||
             (strcmp(key, "roles.unique") == 0 && bs_task_accepts(s->task, key, NULL) == BASIN_OK);
    if (!*known)
        return BASIN_OK;
    basin_status status =
        bs_options_set(bs_train_rows, &s->settings.train, key, value, "--set", err);
    if (!status && (i > 0 || s->settings.train.gbi_test_steps > 0))
        s->decided |= 1u << i;
    return status;
}

static basin_status check_length(const bs_model_file *s, const bs_gbi *o, basin_error *err)
{
    const int number[] = {o->steps, o->starts, 1 + o->halvings};
    double    asked = 1;
    for (int i = 0; lengths[i]; i++)
        if (!(s->decided >> i & 1))
            asked *= number[i];
    if (asked <= MOST_ENERGIES)
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA,
                   "the model's search asks for %d steps from %d starts with %d halvings: %.0f "
                   "energies per row, more than the %d that a model may ask for; give --set "
                   "gbi.test_steps=N, gbi.restarts=N or gbi.halvings=N yourself",
                   o->steps, o->starts, o->halvings, asked, (int)MOST_ENERGIES);
}

static basin_status check_samples(const bs_model_file *s, basin_error *err)
{
    const bs_train_options *o = &s->settings.train;
    if (o->decide_samples <= MOST_SAMPLES || strcmp(o->decide, "threshold") == 0 ||
        s->decided >> SAMPLES & 1)
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA,
                   "the model decides by %d samples per row, more than the %d that a model may ask "
                   "for; give --set decide.samples=N yourself",
                   o->decide_samples, (int)MOST_SAMPLES);
}

basin_status bs_model_file_check(const bs_model_file *s, const bs_inference *how, basin_error *err)
{
    const bool   searches = how->how == BS_INFER_GBI || how->how == BS_INFER_REFINE;
    basin_status status = searches ? check_length(s, &how->gbi, err) : BASIN_OK;
    if (!status)
        status = check_samples(s, err);
    return !status && s->task->check_limits ? s->task->check_limits(&s->spec, &s->known, err)
                                            : status;
}

basin_status bs_model_file_inference(const bs_model_file *s, const char *infer, bool constrain,
                                     bs_inference *out, basin_error *err)
{
    static const char *const names[] = {"net", "gbi", "refine", "viterbi"};
    const bs_train_options  *o = &s->settings.train;
    bool                     known = !infer;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && infer; i++)
        known |= strcmp(infer, names[i]) == 0;
    infer = infer ? infer : o->infer;
    *out = bs_options_inference(o, infer);
    out->temperature = s->temperature;
    out->map = s->map;
    out->constrained |= constrain;
    if (constrain && !s->task->constrain)
        return bs_fail(
            err, BASIN_EARG,
            "--constrain: only spans of tags can be ill-formed; this model is of task %s", o->task);
    if (!known)
        return bs_fail(err, BASIN_EARG, "--infer: '%s' is not net, gbi, refine or viterbi", infer);
    if (out->constrained && s->task->constrain) {
        basin_status status = s->task->constrain(&s->known, constrain, err);
        if (status)
            return status;
    }
    bool exact = out->how == BS_INFER_VITERBI;
    bool net = !exact && (out->how != BS_INFER_GBI || out->gbi.start == BS_GBI_NET);
    bool energy = out->how != BS_INFER_NET;
    if (energy && !s->has_energy)
        return bs_fail(err, BASIN_EARG,
                       "--infer: '%s' needs an energy; this model is a plain net: use net", infer);
    if (net && !s->has_net)
        return bs_fail(err, BASIN_EARG,
                       "--infer: '%s' needs a net; this model is an energy alone: use gbi%s", infer,
                       s->spec.graph->chain ? " or viterbi" : "");
    if (exact && !(s->spec.graph->chain && s->spec.graph->chain(&s->spec)))
        return bs_fail(err, BASIN_EARG,
                       "--infer: viterbi needs an energy that is a chain (task tag, energy.kind "
                       "chain); use gbi");
    return bs_model_file_check(s, out, err);
}

basin_status bs_model_file_scorer(const bs_model_file *s, bs_workspace *w, const bs_inference *how,
                                  bs_scorer **out, basin_error *err)
{
    basin_status status = bs_scorer_new(w, s->params, &s->spec, how, out, err);
    for (int i = 0; i < s->n_more && !status; i++)
        status = bs_scorer_join(*out, w, s->more[i], err);
    if (status) {
        bs_scorer_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- writing ---- */

static int dimensions(bs_shape s, int64_t dim[BS_TENSOR_DIMS])
{
    int first = 0;
    while (first < 3 && s.d[first] == 1)
        first++;
    for (int i = first; i < 4; i++)
        dim[i - first] = s.d[i];
    return 4 - first;
}

static bool is_kept(const char *name, bool cost_net)
{
    return (cost_net || !bs_params_has_prefix(name, "net/cost/")) &&
           !bs_params_has_prefix(name, "anchor/");
}

/* "3/net/0/w"; in the first model it is "net/0/w". */
static const char *name_in(bs_arena *a, int model, const char *name)
{
    char number[16];
    bs_print(number, sizeof number, "%d/", model);
    const size_t n = strlen(number), m = strlen(name);
    char        *out = model > 0 ? bs_arena_alloc(a, n + m + 1) : NULL;
    if (out) {
        memcpy(out, number, n);
        memcpy(out + n, name, m + 1);
    }
    return model > 0 ? out : name;
}

/* A parameter of an encoder that was not trained. */
static bool is_beside(const char *name)
{
    return bs_params_has_prefix(name, "encoder/") && bs_pretrained_has(name);
}

static int count_beside(const bs_params *p)
{
    int n = 0;
    for (int i = 0; i < p->n; i++)
        n += is_beside(p->segment[i].name);
    return n;
}

/* As halves, if no number is too large for one. False: no memory. */
static bool shorten(bs_tensor *t, const real *value, int64_t count, bs_arena *a)
{
    uint16_t *half = bs_arena_alloc(a, (size_t)count * sizeof *half);
    if (half && bs_pretrained_halves(value, count, half)) {
        t->dtype = BS_DTYPE_F16;
        t->data = half;
        t->bytes = (size_t)count * sizeof *half;
    }
    return half != NULL;
}

/* What is written how; room for names and halves. */
typedef struct {
    bool     cost_net, halves;
    bool     beside; /* without what is in the folder of an encoder */
    bs_arena room;
} writing;

static basin_status list_tensors(const bs_params *p, const real *value, int model, writing *w,
                                 bs_tensor *t, int *n, basin_error *err)
{
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        if (!is_kept(s->name, w->cost_net) || (w->beside && is_beside(s->name)))
            continue;
        bs_tensor *one = &t[(*n)++];
        *one = (bs_tensor){.name = name_in(&w->room, model, s->name),
                           .dtype = BS_DTYPE_REAL,
                           .data = value + s->offset,
                           .bytes = (size_t)s->count * sizeof(real)};
        one->n_dims = dimensions(s->shape, one->dim);
        const bool brief = w->halves && bs_pretrained_has(s->name);
        if (!one->name || (brief && !shorten(one, value + s->offset, s->count, &w->room)))
            return bs_fail_nomem(err);
    }
    return BASIN_OK;
}

static basin_status write_all(const char *path, bs_buf *bytes, bs_params *const *params,
                              int n_params, writing w, const bs_meta *meta, int n_meta,
                              basin_error *err)
{
    size_t all = 1;
    int    n = 0, mapped = 0;
    for (int i = 0; i < n_params; i++)
        all += (size_t)params[i]->n;
    bs_tensor   *t = bs_calloc(all, sizeof *t);
    real       **value = bs_calloc((size_t)n_params, sizeof *value);
    basin_status status = t && value ? BASIN_OK : bs_fail_nomem(err);
    bs_arena_init(&w.room, 0);
    for (; mapped < n_params && !status; mapped += !status) {
        const bs_params *p = params[mapped];
        status = bs_map(p->block.value, 0, p->size, BS_READ, &value[mapped], err);
    }
    for (int i = 0; i < n_params && !status; i++)
        status = list_tensors(params[i], value[i], i, &w, t, &n, err);
    if (!status)
        status = path ? bs_safetensors_write(path, t, n, meta, n_meta, err)
                      : bs_safetensors_format(t, n, meta, n_meta, bytes, err);
    while (mapped-- > 0)
        bs_unmap(params[mapped]->block.value, 0, params[mapped]->size, BS_READ, value[mapped]);
    bs_arena_free(&w.room);
    bs_free(value);
    bs_free(t);
    return status;
}

basin_status bs_model_file_write(const char *path, bs_buf *bytes, const bs_settings *settings,
                                 const bs_task *task, const bs_preprocess *known,
                                 const bs_threshold *threshold, bs_params *const *params,
                                 int n_params, const char *card, basin_error *err)
{
    enum { OPTIONS, SCHEMA, THRESHOLD, ENCODER, TEXTS };
    const bs_train_options *o = &settings->train;
    const bool              beside =
        strcmp(o->model_encoder, "beside") == 0 && *o->encoder && count_beside(params[0]) > 0;
    basin_status status = BASIN_OK;
    bs_buf       text[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        bs_buf_init(&text[i], (size_t)1 << 30);
    if (beside)
        status = bs_pretrained_tell(o->encoder, &text[ENCODER], err);
    bs_settings_json(settings, &text[OPTIONS]);
    task->known_json(known, &text[SCHEMA]);
    bs_threshold_write(threshold, &text[THRESHOLD]);
    char models[16];
    bs_print(models, sizeof models, "%d", n_params);
    bs_meta       meta[] = {{"basin.format", BS_MODEL_FORMAT},
                            {"basin.version", BASIN_VERSION},
                            {"basin.task", settings->train.task},
                            {"basin.method", settings->train.method},
                            {"basin.options", text[OPTIONS].data},
                            {"basin.schema", text[SCHEMA].data},
                            {"basin.threshold", text[THRESHOLD].data},
                            {"basin.card", card ? card : ""},
                            {NULL, NULL},
                            {NULL, NULL}}; /* most models do without these */
    int           n = (int)(sizeof meta / sizeof meta[0]) - 2;
    const writing how = {
        .cost_net = o->infnet_keep, .halves = strcmp(o->model_dtype, "f16") == 0, .beside = beside};
    if (n_params > 1)
        meta[n++] = (bs_meta){"basin.ensemble", models};
    if (beside)
        meta[n++] = (bs_meta){"basin.encoder", text[ENCODER].data};
    for (int i = 0; i < TEXTS; i++)
        if (text[i].failed)
            status = bs_fail_nomem(err);
    if (!status)
        status = write_all(path, bytes, params, n_params, how, meta, n, err);
    for (int i = 0; i < TEXTS; i++)
        bs_buf_free(&text[i]);
    return status;
}

/* ---- reading ---- */

/* Whoever reads it may rely on its being JSON. */
static basin_status read_card(const bs_safetensors *f, const char *name, bs_model_file *s,
                              basin_error *err)
{
    const char *card = bs_safetensors_meta(f, "basin.card");
    card = card ? card : "";
    json_t    *tree = bs_tree_read(card, strlen(card), JSON_REJECT_DUPLICATES, NULL);
    const bool object = json_is_object(tree);
    json_decref(tree);
    if (*card && !object)
        return bs_fail(err, BASIN_EDATA, "%s: 'basin.card' in its metadata is not a JSON object",
                       name);
    s->card = bs_arena_copy(&s->known.arena, card, strlen(card));
    return s->card ? BASIN_OK : bs_fail_nomem(err);
}

/* "temperature 1.7" or "isotonic 0.1 0.03 0.5 0.4"; most models have none. */
static basin_status read_calibration(const bs_safetensors *f, const char *name, bs_model_file *s,
                                     basin_error *err)
{
    static const char tempered[] = "temperature ", mapped[] = "isotonic ";
    const char       *text = bs_safetensors_meta(f, "basin.calibration");
    double            number;
    if (!text)
        return BASIN_OK;
    if (s->task->tunes && bs_params_has_prefix(text, tempered) &&
        bs_parse_double(text + sizeof tempered - 1, &number) && number >= BS_COLDEST &&
        number <= BS_HOTTEST) {
        s->temperature = number;
        return BASIN_OK;
    }
    s->map = bs_arena_alloc(&s->known.arena, sizeof *s->map);
    if (s->map && s->task->tunes && bs_params_has_prefix(text, mapped) &&
        bs_monotone_read(text + sizeof mapped - 1, &s->known.arena, s->map))
        return BASIN_OK;
    return bs_fail(
        err, BASIN_EDATA,
        "%s: 'basin.calibration' in its metadata is neither 'temperature T', with T from "
        "%g to %g, nor 'isotonic' and increasing pairs of numbers below 1, of a model of "
        "label sets",
        name, BS_COLDEST, BS_HOTTEST);
}

static basin_status read_metadata(const bs_safetensors *f, const char *name, bs_model_file *s,
                                  basin_error *err)
{
    enum { FORMAT, OPTIONS, SCHEMA, THRESHOLD, TEXTS };
    static const char *const key[] = {"basin.format", "basin.options", "basin.schema",
                                      "basin.threshold"};
    const char              *text[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        if (!(text[i] = bs_safetensors_meta(f, key[i])))
            return bs_fail(err, BASIN_EDATA,
                           "%s: not a basin model: '%s' is missing in its metadata", name, key[i]);
        if (i == FORMAT && strcmp(text[i], BS_MODEL_FORMAT) != 0)
            return bs_fail(err, BASIN_EUNSUPPORTED,
                           "%s: model format %.20s; this version reads format " BS_MODEL_FORMAT,
                           name, text[i]);
    }
    basin_status status = bs_settings_default(&s->settings, err);
    if (!status)
        status =
            bs_settings_from_json(&s->settings, text[OPTIONS], strlen(text[OPTIONS]), name, err);
    if (!status)
        status = bs_task_find(s->settings.train.task, &s->task, NULL)
                     ? bs_fail(err, BASIN_EUNSUPPORTED, "%s: a model for the unknown task '%.40s'",
                               name, s->settings.train.task)
                     : BASIN_OK;
    if (!status)
        status = bs_preprocess_read(s->task, text[SCHEMA], name, &s->known, err);
    if (!status)
        status = bs_threshold_read(text[THRESHOLD], &s->threshold, err);
    if (!status && s->task->decides)
        status = bs_decision_parse(s->settings.train.decide, &s->threshold.by, err);
    if (!status && s->threshold.kind == BS_THRESHOLD_LABEL &&
        (!s->task->tunes || s->threshold.labels != s->task->labels(&s->known)))
        status = bs_fail(err, BASIN_EDATA, "%s: %d thresholds for %d labels", name,
                         (int)s->threshold.labels, s->task->labels(&s->known));
    if (!status)
        status = read_calibration(f, name, s, err);
    if (!status)
        status = read_card(f, name, s, err);
    return status;
}

/* Builds the nets once, which declares their parameters. */
basin_status bs_model_file_declare(const bs_model_file *s, const bs_net_spec *spec, bs_params **out,
                                   basin_error *err)
{
    bs_graph *g = bs_graph_new();
    *out = bs_params_new();
    if (!g || !*out) {
        bs_graph_free(g);
        return bs_fail_nomem(err);
    }
    const bs_task_space *t = spec->graph;
    bs_output_space      v = bs_output_space_make(g, *out, spec, spec->least, s->has_cost_net);
    if (s->has_net || !s->has_energy) /* a file with neither: the message names the net */
        t->logits(&v, "net");
    if (s->has_cost_net)
        bs_cost_net_logits(&v, bs_cost_net_named(s->settings.train.infnet_form),
                           t->relax(&v, t->logits(&v, "net")), s->settings.train.infnet_hidden);
    if (s->has_energy)
        t->energy(&v, t->start(&v, 0, 1));
    basin_status status = bs_graph_check(g, err);
    bs_graph_free(g);
    return status;
}

static basin_status declare(const bs_safetensors *f, bs_model_file *s, basin_error *err)
{
    for (int i = 0; i < bs_safetensors_count(f); i++) {
        const char *tensor = bs_safetensors_at(f, i)->name;
        s->has_net |= bs_params_has_prefix(tensor, "net/");
        s->has_energy |= bs_params_has_prefix(tensor, "energy/");
        s->has_cost_net |= bs_params_has_prefix(tensor, "net/cost/");
    }
    s->has_cost_net &= bs_cost_net_named(s->settings.train.infnet_form) != BS_COST_NET_NONE;
    return bs_model_file_declare(s, &s->spec, &s->params, err);
}

/* Refuses shapes that the file cannot hold before allocating memory for them. */
static basin_status check_size(const bs_safetensors *f, const char *name, const bs_model_file *s,
                               int models, basin_error *err)
{
    double wanted = 0, there = 0;
    for (int i = 0; i < s->params->n; i++)
        if (!s->base || !is_beside(s->params->segment[i].name))
            wanted += (double)s->params->segment[i].count * models;
    for (int i = 0; i < bs_safetensors_count(f); i++) {
        const bs_tensor *t = bs_safetensors_at(f, i);
        there += (double)(t->bytes / bs_dtype_size(t->dtype));
    }
    if (wanted > there)
        return bs_fail(err, BASIN_EDATA, "%s: its options ask for more parameters than it has",
                       name);
    return BASIN_OK;
}

/* Into memory of the host, where whoever asks of another device makes a copy (bs_params_on). */
static basin_status read_params(const bs_safetensors *f, const char *name,
                                const bs_pretrained *base, bs_params *p, int model,
                                basin_error *err)
{
    bs_arena     names;
    basin_status status = bs_params_reserve(p, bs_devices[0], err);
    bs_arena_init(&names, 0);
    for (int i = 0; !status && i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        const char       *tensor = name_in(&names, model, s->name);
        real             *to;
        if (base && is_beside(s->name))
            continue;
        status = tensor ? bs_params_map(p, s, BS_WRITE, &to, err) : bs_fail_nomem(err);
        if (status)
            break;
        status = bs_tensor_take(f, name, tensor, s, to, err);
        bs_params_unmap(p, s, BS_WRITE, to);
    }
    bs_arena_free(&names);
    return !status && base ? bs_pretrained_fill(base, p, "encoder/", err) : status;
}

/* The encoder that the config of the model's run names; empty if there is none, the config is that
 * of another version, or the model is no file. */
static void trained_with(const char *name, char encoder[BS_OPTION_TEXT])
{
    const char  *slash = strrchr(name, '/');
    bs_settings *was = bs_alloc(sizeof *was);
    char         path[BS_OPTION_TEXT + 64];
    bs_buf       text;
    bs_print(path, sizeof path, "%.*sconfig", slash ? (int)(slash + 1 - name) : 0, name);
    bs_buf_init(&text, 1 << 24);
    *encoder = '\0';
    if (was && bs_is_file(name) && bs_is_file(path) && !bs_settings_default(was, NULL) &&
        !bs_read_file(path, &text, NULL) &&
        !bs_settings_config(was, text.data ? text.data : "", text.len, path, NULL))
        bs_print(encoder, BS_OPTION_TEXT, "%s", was->train.encoder);
    bs_buf_free(&text);
    bs_free(was);
}

/* The folder of an encoder that the file has only the name of. */
static basin_status find_base(const bs_safetensors *f, const char *name, const char *encoder,
                              bs_model_file *s, basin_error *err)
{
    char        trained[BS_OPTION_TEXT];
    const char *told = bs_safetensors_meta(f, "basin.encoder");
    if (!told)
        return BASIN_OK;
    trained_with(name, trained);
    basin_status status =
        bs_pretrained_find(&(bs_encoder_asked){told, name, encoder ? encoder : "", trained},
                           s->settings.train.encoder, &s->base, err);
    if (!status)
        s->base->halves = strcmp(s->settings.train.model_dtype, "f16") == 0;
    return status;
}

static basin_status read_number_of_models(const bs_safetensors *f, const char *name, int *out,
                                          basin_error *err)
{
    const char *text = bs_safetensors_meta(f, "basin.ensemble");
    double      n = 1;
    if (text && (!bs_parse_double(text, &n) || !(n >= 1 && n <= BS_MOST_MODELS) || n != floor(n)))
        return bs_fail(err, BASIN_EDATA, "%s: an ensemble of '%.20s' models, not of 1 to %d", name,
                       text, (int)BS_MOST_MODELS);
    *out = (int)n;
    return BASIN_OK;
}

/* Further models of an ensemble, declared alike so that their tensors have the same layout. */
static basin_status read_more(const bs_safetensors *f, const char *name, int models,
                              bs_model_file *s, basin_error *err)
{
    basin_status status = BASIN_OK;
    bs_params   *first = s->params;
    if (models > 1 && !(s->more = bs_calloc((size_t)models, sizeof *s->more)))
        return bs_fail_nomem(err);
    for (int i = 1; i < models && !status; i++) {
        status = declare(f, s, err); /* replaces s->params */
        s->more[s->n_more++] = s->params;
        if (!status)
            status = read_params(f, name, s->base, s->params, i, err);
    }
    s->params = first;
    return status;
}

/* ---- bytes of a model that was read ---- */

/* The values of a tensor of the file: "3/net/0/w" is that of the fourth model. They are in memory
 * of the host and stay mapped as long as the model is there. */
static const real *values_of(const bs_model_file *s, const char *name)
{
    const bs_params *p = s->params;
    char            *slash;
    const long       model = *name >= '0' && *name <= '9' ? strtol(name, &slash, 10) : 0;
    if (model > 0 && model <= s->n_more && *slash == '/') {
        p = s->more[model - 1];
        name = slash + 1;
    }
    const bs_segment *segment = bs_params_find(p, name);
    real             *value = NULL;
    return segment && !bs_params_map(p, segment, BS_READ, &value, NULL) ? value : NULL;
}

/* Keeps the texts of the file and the names of its tensors, so that it can be written again. */
static basin_status keep_layout(const bs_safetensors *f, bs_model_file *s, basin_error *err)
{
    bs_arena *a = &s->known.arena;
    s->n_tensors = bs_safetensors_count(f);
    s->n_meta = bs_safetensors_meta_count(f);
    s->tensor = bs_arena_alloc(a, (size_t)(s->n_tensors + 1) * sizeof *s->tensor);
    s->meta = bs_arena_alloc(a, (size_t)(s->n_meta + 1) * sizeof *s->meta);
    bool ok = s->tensor && s->meta;
    for (int i = 0; ok && i < s->n_tensors; i++) {
        bs_tensor  *t = &s->tensor[i];
        const real *value;
        *t = *bs_safetensors_at(f, i);
        const bool half = t->dtype == BS_DTYPE_F16;
        value = half || t->dtype == BS_DTYPE_REAL ? values_of(s, t->name) : NULL;
        t->name = bs_arena_copy(a, t->name, strlen(t->name));
        t->data = value ? (const void *)value : bs_arena_copy(a, t->data ? t->data : "", t->bytes);
        if (half && value)
            t->data = NULL; /* made of them when they are wanted */
        ok = t->name && (t->data || half);
    }
    for (int i = 0; ok && i < s->n_meta; i++) {
        const bs_meta *m = bs_safetensors_meta_at(f, i);
        s->meta[i] = (bs_meta){bs_arena_copy(a, m->key, strlen(m->key)),
                               bs_arena_copy(a, m->value, strlen(m->value))};
        ok = s->meta[i].key && s->meta[i].value;
    }
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

basin_status bs_model_file_bytes(const bs_model_file *s, bs_buf *out, basin_error *err)
{
    bs_arena   room;
    bs_tensor *t = bs_calloc((size_t)s->n_tensors, sizeof *t);
    bool       ok = t != NULL;
    bs_arena_init(&room, 0);
    for (int i = 0; ok && i < s->n_tensors; i++) {
        t[i] = s->tensor[i];
        if (!t[i].data && t[i].bytes)
            ok = shorten(&t[i], values_of(s, t[i].name), (int64_t)(t[i].bytes / 2), &room);
    }
    const basin_status status =
        ok ? bs_safetensors_format(t, s->n_tensors, s->meta, s->n_meta, out, err)
           : bs_fail_nomem(err);
    bs_arena_free(&room);
    bs_free(t);
    return status;
}

basin_status bs_model_file_bundle(const bs_model_file *s, const char *path, basin_error *err)
{
    const int     models = 1 + s->n_more;
    const writing how = {.cost_net = true,
                         .halves = strcmp(s->settings.train.model_dtype, "f16") == 0};
    bs_settings  *settings = bs_alloc(sizeof *settings);
    bs_params   **params = bs_calloc((size_t)models, sizeof(bs_params *));
    bs_meta      *meta = bs_calloc((size_t)s->n_meta + 1, sizeof *meta);
    bs_buf        options;
    int           n = 0;
    bs_buf_init(&options, (size_t)1 << 30);
    if (settings) {
        *settings = s->settings;
        bs_print(settings->train.model_encoder, BS_OPTION_TEXT, "inside");
        bs_settings_json(settings, &options);
    }
    for (int i = 0; i < s->n_meta && meta; i++) {
        meta[n] = s->meta[i];
        if (strcmp(meta[n].key, "basin.options") == 0)
            meta[n].value = options.data;
        n += strcmp(meta[n].key, "basin.encoder") != 0;
    }
    for (int i = 0; i < models && params; i++)
        params[i] = i ? s->more[i - 1] : s->params;
    basin_status status = settings && params && meta && !options.failed
                              ? write_all(path, NULL, params, models, how, meta, n, err)
                              : bs_fail_nomem(err);
    bs_buf_free(&options);
    bs_free(meta);
    bs_free(params);
    bs_free(settings);
    return status;
}

basin_status bs_model_file_from(const bs_safetensors *f, const char *name, const char *encoder,
                                bs_model_file **out, basin_error *err)
{
    int            models = 1;
    bs_model_file *s = bs_calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return bs_fail_nomem(err);
    bs_arena_init(&s->known.arena, 0);
    basin_status status = read_metadata(f, name, s, err);
    if (!status)
        status = read_number_of_models(f, name, &models, err);
    if (!status)
        status = s->task->spec(&s->settings.train, &s->known, &s->spec, err);
    if (!status)
        status = declare(f, s, err);
    if (!status)
        status = find_base(f, name, encoder, s, err);
    if (!status)
        status = check_size(f, name, s, models, err);
    if (!status)
        status = read_params(f, name, s->base, s->params, 0, err);
    if (!status)
        status = read_more(f, name, models, s, err);
    if (!status)
        status = keep_layout(f, s, err);
    bs_pretrained_free(s->base);
    s->base = NULL;
    if (status) {
        bs_model_file_free(s);
        return bs_fail_about(err, status, name);
    }
    *out = s;
    return BASIN_OK;
}

basin_status bs_model_file_read(const char *path, const char *encoder, bs_model_file **out,
                                basin_error *err)
{
    bs_safetensors *f;
    basin_status    status = bs_safetensors_open(path, &f, err);
    *out = NULL;
    if (status)
        return status;
    status = bs_model_file_from(f, path, encoder, out, err);
    bs_safetensors_close(f);
    return status;
}

void bs_model_file_free(bs_model_file *s)
{
    if (!s)
        return;
    bs_threshold_free(&s->threshold);
    bs_params_free(s->params);
    for (int i = 0; i < s->n_more; i++)
        bs_params_free(s->more[i]);
    bs_free(s->more);
    bs_preprocess_free(&s->known);
    bs_free(s);
}
