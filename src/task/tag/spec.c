/* spec.c -- the nets that settings and data define, and parameters that word vectors fill. */
#include <string.h>

#include "task/tag/data.h"

basin_status bs_tag_check(const bs_train_options *o, basin_error *err)
{
    if (strcmp(o->gbi_rule, "adam") == 0 && strcmp(o->gbi_space, "projected") == 0)
        return bs_fail(err, BASIN_EARG,
                       "gbi.rule: adam moves all tags that gain equally far, so that none wins; "
                       "use gbi.space=logits, or plain, momentum or normalised");
    return BASIN_OK;
}

/* With more tags than this, the caller decides: their square is memory, and time per token. */
enum { MOST_TAGS = 4096 };

basin_status bs_tag_constrain(const bs_preprocess *k, bool caller, basin_error *err)
{
    if (caller || bs_preprocess_tag(k)->lexicon.tags.n <= MOST_TAGS)
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA,
                   "the model's constrain=yes is for %d tags, and at most %d are its to ask "
                   "for; --constrain asks for it all the same",
                   (int)bs_preprocess_tag(k)->lexicon.tags.n, (int)MOST_TAGS);
}

static bs_chars chars_named(const char *name)
{
    return strcmp(name, "cnn") == 0    ? BS_CHARS_CNN
           : strcmp(name, "lstm") == 0 ? BS_CHARS_LSTM
                                       : BS_CHARS_NONE;
}

basin_status bs_tag_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                         basin_error *err)
{
    const char         *energy = strcmp(o->energy_kind, "auto") == 0 ? "chain" : o->energy_kind;
    const bs_tag_known *own = bs_preprocess_tag(k);
    const bs_lexicon   *l = &own->lexicon;
    bs_tag_shape        shape = {.tags = l->tags.n,
                                 .words = l->words.n,
                                 .word_width = own->word_width,
                                 .tuned = o->word_tuned || !own->has_vectors,
                                 .columns = l->columns,
                                 .column_width = o->column_width,
                                 .chars = chars_named(o->char_net),
                                 .characters = l->characters.n,
                                 .char_width = o->char_width,
                                 .char_features = o->char_features,
                                 .width = o->net_width,
                                 .layers = o->net_layers,
                                 .dropout = o->net_dropout,
                                 .shared = strcmp(o->energy_encoder, "shared") == 0,
                                 .hidden = o->energy_hidden,
                                 .energy_dropout = o->energy_dropout,
                                 .scale = o->energy_scale,
                                 .augmented = o->energy_words};
    for (int i = 0; i < l->columns; i++)
        shape.values += l->value[i].n;
    basin_status s = bs_find_pointer(&bs_tag_energy_kinds, energy, &shape.energy, err);
    if (!s)
        s = bs_encoder_find(o->net_kind, BS_READS_SENTENCES, &shape.net, err);
    if (!s)
        shape.own = bs_encoder_options(o, shape.net);
    *out = bs_net_spec_make(&bs_task_space_tag, (bs_size){1, 1, 4}, &shape, sizeof shape);
    return s;
}

static bool is_table(const bs_segment *s, size_t cells)
{
    const size_t n = strlen(s->name), end = strlen("words/W");
    return n >= end && strcmp(s->name + n - end, "words/W") == 0 && (size_t)s->count == cells;
}

/* Rows of words with a vector. In a table that is not trained the others are zeros: nothing is
 * known of such a word, and random numbers would only pretend otherwise. */
basin_status bs_tag_fill(const bs_preprocess *k, bs_params *p, const char *prefix, basin_error *err)
{
    const bs_tag_known *own = bs_preprocess_tag(k);
    const size_t width = (size_t)own->word_width, cells = (size_t)own->lexicon.words.n * width;
    if (!own->has_vectors)
        return BASIN_OK;
    float       *table = bs_calloc(cells, sizeof *table);
    uint8_t     *known = bs_calloc((size_t)own->lexicon.words.n, 1);
    basin_status status = table && known ? BASIN_OK : bs_fail_nomem(err);
    if (!status && own->vectors.n > 0)
        bs_lexicon_fill(&own->lexicon, &own->vectors, 1, table, known);
    for (int i = 0; i < p->n && !status; i++) {
        const bs_segment *s = &p->segment[i];
        real             *to;
        if (!bs_params_has_prefix(s->name, prefix) || !is_table(s, cells))
            continue;
        const bool fixed = strcmp(s->name, "words/W") == 0;
        status = bs_params_map(p, s, BS_READ_WRITE, &to, err);
        for (size_t c = 0; c < cells && !status; c++)
            if (fixed || known[c / width])
                to[c] = (real)table[c];
        if (!status)
            bs_params_unmap(p, s, BS_READ_WRITE, to);
    }
    bs_free(table);
    bs_free(known);
    return status;
}
