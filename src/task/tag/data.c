/* data.c -- the task of tagged sentences: its table, predictions and metrics. Predictions are also
 * made here for the tasks that share its nets. */
#include "task/tag/data.h"

#include <string.h>

/* ---- files ---- */

static int sniff(const char *path, const char *head, size_t n)
{
    const int pair = bs_corpus_sniff_path(path);
    return pair || !head ? pair : bs_corpus_sniff(head, n, path);
}

static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    return bs_corpus_split(bs_dataset_tag(p), share, parts, false, seed, part, err);
}

/* ---- outputs ---- */

basin_status bs_tag_outputs_make(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err)
{
    const size_t n = (size_t)bs_dataset_tag(p)->tokens + 1;
    (void)k;
    bs_tag_outputs *own = bs_calloc(1, sizeof *own);
    const bool      raw = p->task != &bs_task_tag;
    *out = (bs_outputs){.task = p->task, .scores = bs_calloc(n, sizeof *out->scores), .own = own};
    if (own) {
        own->tag = bs_calloc(n, sizeof *own->tag);
        own->raw = raw ? bs_calloc(n, sizeof *own->raw) : NULL;
    }
    if (out->scores && own && own->tag && !raw == !own->raw)
        return BASIN_OK;
    bs_outputs_free(out);
    return bs_fail_nomem(err);
}

void bs_tag_outputs_free(bs_outputs *y)
{
    bs_tag_outputs *own = bs_outputs_tag(y);
    bs_free(own->tag);
    bs_free(own->raw);
    bs_free(own->best);
    bs_free(own->best_score);
    bs_free(own->best_found);
}

void bs_tag_place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all)
{
    const int32_t *start = bs_dataset_tag(whole)->start;
    const size_t   first = (size_t)start[row], n = (size_t)(start[row + rows] - start[row]);
    (void)k;
    memcpy(all->scores + first, some->scores, n * sizeof *all->scores);
    all->by = some->by;
    memcpy(bs_outputs_tag(all)->tag + first, bs_outputs_tag(some)->tag,
           n * sizeof *bs_outputs_tag(all)->tag);
    if (bs_outputs_tag(all)->raw)
        memcpy(bs_outputs_tag(all)->raw + first, bs_outputs_tag(some)->raw,
               n * sizeof *bs_outputs_tag(all)->raw);
}

/* The best sequences of a sentence. */
static basin_status several(bs_tag_decoder *d, const bs_scored *found, size_t at,
                            const bs_corpus *c, int32_t sentence, bs_tag_outputs *out,
                            basin_error *err)
{
    const int32_t first = c->start[sentence], n = c->start[sentence + 1] - first;
    const size_t  most = (size_t)out->nbest;
    int           many = 0;
    int32_t      *tag = bs_calloc(most * ((size_t)n + 1), sizeof *tag);
    if (!tag)
        return bs_fail_nomem(err);
    basin_status s = bs_tag_best(d, found, at, n, out->nbest, tag,
                                 out->best_score + (size_t)sentence * most, &many, err);
    for (int k = 0; k < many && !s; k++)
        memcpy(out->best + (size_t)k * (size_t)c->tokens + (size_t)first,
               tag + (size_t)k * (size_t)n, (size_t)n * sizeof *tag);
    out->best_found[sentence] = many;
    bs_free(tag);
    return s;
}

/* Of one sentence; tokens without a tag do not count. */
static double surprise(const real *y, const real *gold, size_t cells)
{
    double sum = 0;
    for (size_t i = 0; i < cells; i++)
        if (gold[i] > 0)
            sum += (double)gold[i] * bs_log_loss((double)y[i]);
    return sum;
}

static basin_status repeated(void *ctx, int32_t sentence, int rows, const bs_batch **out,
                             basin_error *err)
{
    bs_batches *f = ctx;
    int32_t     index[BS_TAG_SENTENCES];
    (void)err;
    for (int i = 0; i < rows; i++)
        index[i] = sentence;
    *out = f->rows(f, index, rows);
    return BASIN_OK;
}

static basin_status predict_batch(bs_scorer *s, bs_tag_decoder *d, const bs_dataset *p,
                                  bs_batches *f, const int32_t *index, int32_t n, bs_outputs *out,
                                  basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(p);
    bs_tag_outputs  *own = bs_outputs_tag(out);
    const bs_batch  *b = f->rows(f, index, n);
    const size_t     N = (size_t)d->tags, parts = (size_t)b->size.length * N;
    bs_scored        found;
    basin_status     status = bs_scorer_batch(s, b, &found, err);
    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t first = c->start[index[i]], end = c->start[index[i] + 1];
        const size_t  cells = (size_t)(end - first) * N, at = (size_t)i * parts;
        status = bs_scored_check(&found, (size_t)i, at, cells, "sentence",
                                 out->first + index[i] + 1, err);
        if (status)
            break;
        status =
            bs_tag_decide(d, &found, at, end - first, own->tag + first, out->scores + first, err);
        if (own->raw)
            bs_tag_token_by_token(found.y + at, end - first, d->tags, own->raw + first);
        if (out->energy && found.energy)
            out->energy[index[i]] = (float)found.energy[i];
        if (out->cross_entropy)
            *out->cross_entropy +=
                surprise(found.y + at, (const real *)b->gold + at, cells) / p->rows;
        if (own->best && !status)
            status = several(d, &found, at, c, index[i], own, err);
    }
    if (!status && d->sampler)
        status = bs_tag_decide_all(d->sampler, &(bs_tag_repeat){f, repeated}, found.y, parts,
                                   c->start, index, n, out->first + 1, own->tag, out->scores, err);
    return status;
}

basin_status bs_tag_predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    bs_batches    *f = NULL;
    bs_tag_decoder d;
    int32_t       *order = bs_calloc((size_t)p->rows + 1, sizeof *order);
    basin_status   status = bs_tag_decoder_make(s, &bs_preprocess_tag(k)->lexicon, &d, err);
    out->by = (bs_decision)bs_scorer_inference(s)->decide;
    if (out->cross_entropy)
        *out->cross_entropy = 0;
    if (!status)
        status =
            order ? bs_batches_tag_all(p, k, spec, BS_TAG_SENTENCES, &f, err) : bs_fail_nomem(err);
    if (!status)
        status = bs_by_length(bs_dataset_tag(p)->start, p->rows, order, err);
    for (int32_t at = 0, n = 0; at < p->rows && !status; at += n) {
        n = f->fits(f, order + at, p->rows - at);
        status = predict_batch(s, &d, p, f, order + at, n, out, err);
    }
    if (f)
        f->free(f);
    bs_tag_decoder_free(&d);
    bs_free(order);
    return status;
}

static basin_status energies(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err)
{
    bs_batches  *f = NULL;
    const real  *found;
    int32_t     *order = bs_calloc((size_t)p->rows + 1, sizeof *order);
    basin_status s =
        order ? bs_batches_tag_all(p, k, spec, BS_TAG_SENTENCES, &f, err) : bs_fail_nomem(err);
    if (!s && !bs_dataset_tag(p)->labelled)
        s = bs_fail(err, BASIN_EARG, "sentences without tags have no energy");
    if (!s)
        s = bs_by_length(bs_dataset_tag(p)->start, p->rows, order, err);
    for (int32_t at = 0, n = 0; at < p->rows && !s; at += n) {
        n = f->fits(f, order + at, p->rows - at);
        s = bs_energy_probe_truth(probe, f->rows(f, order + at, n), &found, err);
        for (int32_t i = 0; i < n && !s; i++)
            energy[order[at + i]] = (double)found[i];
    }
    if (f)
        f->free(f);
    bs_free(order);
    return s;
}

/* ---- metrics ---- */

void bs_tag_truth_free(bs_tag_truth *t)
{
    bs_free(t->gold);
    bs_free(t->unknown);
    bs_names_free(&t->names);
    bs_arena_free(&t->arena);
}

static basin_status number_truth(const bs_corpus *c, const bs_lexicon *l, int32_t *tag,
                                 int32_t *row, bs_tag_truth *out, basin_error *err)
{
    bool         fresh;
    basin_status s = bs_names_add_all(&out->names, &l->tags) ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t i = 0; i < c->tags.n && !s; i++) {
        tag[i] = bs_names_add(&out->names, c->tags.item[i].text, c->tags.item[i].len, &fresh);
        s = tag[i] < 0 ? bs_fail_nomem(err) : BASIN_OK;
    }
    if (s)
        return s;
    bs_lexicon_words(l, &c->words, row);
    for (int32_t i = 0; i < c->tokens; i++) {
        out->gold[i] = c->tag[i] < 0 ? -1 : tag[c->tag[i]];
        out->unknown[i] = row[c->word[i]] == 0 || row[c->word[i]] >= l->n_trained;
    }
    return BASIN_OK;
}

basin_status bs_tag_truth_make(const bs_corpus *c, const bs_lexicon *l, bs_tag_truth *out,
                               basin_error *err)
{
    int32_t *tag = bs_calloc((size_t)c->tags.n + 1, sizeof *tag);
    int32_t *row = bs_calloc((size_t)c->words.n + 1, sizeof *row);
    bs_arena_init(&out->arena, 0);
    bs_names_init(&out->names, &out->arena);
    out->gold = bs_calloc((size_t)c->tokens + 1, sizeof *out->gold);
    out->unknown = bs_calloc((size_t)c->tokens + 1, 1);
    bool         ok = tag && row && out->gold && out->unknown;
    basin_status s = ok ? number_truth(c, l, tag, row, out, err) : bs_fail_nomem(err);
    bs_free(tag);
    bs_free(row);
    return s;
}

static void counts_free(bs_measurement *c)
{
    bs_tag_counted *own = bs_measurement_tag(c);
    if (!own)
        return;
    bs_tag_metrics_free(own->metrics);
    bs_tagset_free(&own->tags);
    bs_free(own);
    c->own = NULL;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    bs_tag_truth    c;
    bs_tag_counted *own = bs_calloc(1, sizeof *own);
    (void)threshold;
    *out = (bs_measurement){.task = &bs_task_tag, .own = own};
    if (!own)
        return bs_fail_nomem(err);
    if (!bs_dataset_tag(p)->labelled) {
        counts_free(out);
        return bs_fail(err, BASIN_EDATA, "the data has no tags to compare with");
    }
    basin_status s = bs_tag_truth_make(bs_dataset_tag(p), &bs_preprocess_tag(k)->lexicon, &c, err);
    if (!s)
        s = bs_tagset_make(&c.names, (bs_scheme)bs_preprocess_tag(k)->lexicon.scheme, &own->tags,
                           err);
    if (!s)
        s = bs_tag_metrics_new(&own->tags, how->keep_rows, &own->metrics, err);
    if (!s)
        s = bs_tag_metrics_add(own->metrics, c.gold, bs_outputs_tag(y)->tag,
                               bs_dataset_tag(p)->start, bs_dataset_tag(p)->sentences, c.unknown,
                               err);
    bs_tag_truth_free(&c);
    if (s)
        counts_free(out);
    return s;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    (void)err;
    bs_tag_metrics_finish(bs_measurement_tag(c)->metrics, out);
    return BASIN_OK;
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    return bs_tag_metrics_sampled(bs_measurement_tag(c)->metrics, out, err);
}

/* On tweets, named entities and chunks the chain was as good as any method with an energy, or
 * better, and faster; characters help if there are no word vectors. */
static const bs_candidate candidates[] = {
    {"chain", "crf", "chars.net=cnn", 1, false},
    {"net", "ce", "chars.net=cnn", 0.8, false},
    {"energy", "infnet+", "chars.net=cnn", 3, true},
    {.name = NULL},
};

const bs_task bs_task_tag = {
    .name = "tag",
    .help = "sequence labelling: a tag for each word of a sentence",
    .graph = &bs_task_space_tag,
    .unit = "sentences",
    .reads = BS_READS_SENTENCES,
    .method = "infnet+",
    .energy_kinds = &bs_tag_energy_kinds,
    .candidates = candidates,
    .options = " text. words. chars. columns. rules. ",
    .defaults = "net.layers=1 net.width=128 net.dropout=0.3 lr.net=0.001 lr.energy=0.001 "
                "energy.hidden=128 gbi.space=logits gbi.start=uniform gbi.lr=1 cost=l1 clip=5 "
                "clip.energy=5 epochs=100 early_stop.patience=10",
    .decides = 1u << BS_DECIDE_F1 | 1u << BS_DECIDE_SUBSET | 1u << BS_DECIDE_HAMMING,
    .metric = bs_tag_metric_table,
    .n_metrics = BS_TAG_METRIC_COUNT,
    .shown = {{BS_TAG_METRIC_token_accuracy, "tok-acc", 12, 2, true},
              {BS_TAG_METRIC_span_f1, "span-F1", 12, 2, true},
              {BS_TAG_METRIC_sentence_accuracy, "sent-acc", 8, 2, true},
              {BS_TAG_METRIC_span_precision, "prec", 7, 2, true},
              {BS_TAG_METRIC_span_recall, "recall", 7, 2, true},
              {BS_TAG_METRIC_unknown_accuracy, "unknown", 8, 2, true},
              {BS_TAG_METRIC_ill_formed, "ill", 6, 0, false}},
    .unlabelled = true,
    .sniff = sniff,
    .split = split,
    .split_how = "by tags and length",
    .fit = bs_tag_fit,
    .known_read = bs_tag_known_read,
    .energies = energies,
    .interactions = bs_interactions_tag,
    BS_TAG_FUNCTIONS,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &bs_task_eval_tag,
    .predict_files = &bs_task_write_tag,
    .memory = &bs_task_memory_tag,
};
