/* energy_lm.c -- language models of tags as terms of an energy (Tu et al. 2020, eq. 8 and 9).
 *
 *   sum_{t = 1 .. T + 1} log y_t . h(y_0, ..., y_{t - 1})
 *
 * y_0 and y_{T + 1} are an additional symbol besides the tags. h is an LSTM over relaxed tags and,
 * when it sees words, over their vectors; the backward one predicts a tag from those after it.
 * Their parameters are learned with the rest of the energy. */
#include <math.h>

#include "task/tag/nets.h"

/* Keeps the logarithm finite if a true tag has no probability left. */
#define SMALLEST 1e-6

/* [T + 1, n, tags + 1]: the symbol, then the sequence. */
static bs_id shifted(bs_graph *g, const bs_tagged *t)
{
    const int N = t->shape->tags, n = bs_shape_of(g, t->y).d[2];
    bs_id     symbol = bs_pad(g, bs_fill(g, 1, bs_shape3(1, n, 1)), -1, N, N + 1);
    bs_id     rest = bs_pad(g, t->y, -1, 0, N + 1);
    return bs_concat(g, symbol, rest, -3);
}

/* [T + 1, n, tags + 1]: the sequence, then the symbol right after the last token. */
static bs_id ended(bs_graph *g, const bs_tagged *t)
{
    const int N = t->shape->tags, T = bs_shape_of(g, t->y).d[1];
    bs_id     rest = bs_pad(g, bs_pad(g, t->y, -1, 0, N + 1), -3, 0, T + 1);
    return bs_add(g, rest, bs_pad(g, t->last, -1, N, N + 1));
}

/* Vectors of words next to their tags; zeros next to the symbol. */
static bs_id words_beside(bs_graph *g, const bs_tagged *t, bool backward)
{
    const int T = bs_shape_of(g, t->word).d[1];
    return bs_pad(g, t->word, -3, backward ? 0 : 1, T + 1);
}

static bs_id lm(bs_nn *nn, const bs_tagged *t, bool backward, bool words)
{
    bs_graph *g = nn->g;
    const int H = t->shape->hidden, N = t->shape->tags + 1;
    char      name[64], path[96];
    bs_id     in = backward ? ended(g, t) : shifted(g, t);
    bs_id     target = backward ? shifted(g, t) : ended(g, t);
    bs_shape  s = bs_shape_of(g, in);
    bs_print(name, sizeof name, "energy/lm/%s%s", words ? "words/" : "",
             backward ? "backward" : "forward");
    bs_push(g, name);
    if (words)
        in = bs_concat(g, in, words_beside(g, t, backward), -1);
    bs_id h = bs_lstm_layer(nn, name, in, t->ended, H, backward);
    bs_print(path, sizeof path, "%s/out", name);
    bs_id out = bs_linear(nn, path, h, N, bs_init_xavier(H, N), true);
    bs_id p = bs_softmax(g, out, -1);
    bs_id log = bs_log_safe(g, bs_sum_axis(g, bs_mul(g, target, p), -1), SMALLEST);
    bs_id sum = bs_sum_axis(g, bs_mul(g, log, t->until), -3);
    bs_pop(g);
    return bs_reshape(g, sum, bs_shape2(s.d[2], 1));
}

static bs_id forward(bs_nn *nn, const bs_tagged *t)
{
    return lm(nn, t, false, false);
}

static bs_id both(bs_nn *nn, const bs_tagged *t)
{
    return bs_add(nn->g, lm(nn, t, false, false), lm(nn, t, true, false));
}

static bs_id with_words(bs_nn *nn, const bs_tagged *t)
{
    bs_id seeing = bs_add(nn->g, lm(nn, t, false, true), lm(nn, t, true, true));
    return bs_add(nn->g, both(nn, t), bs_scale(nn->g, seeing, t->shape->augmented));
}

const bs_tag_energy bs_tag_energy_chain = {
    .name = "chain",
    .help = "scores of single tags and of neighbours, start and end included",
};

const bs_tag_energy bs_tag_energy_lm = {
    .name = "lm",
    .help = "chain, and a language model of tags (GE a)",
    .terms = forward,
};

const bs_tag_energy bs_tag_energy_lm_both = {
    .name = "lm-both",
    .help = "chain, and language models of tags in both directions (GE b)",
    .terms = both,
};

const bs_tag_energy bs_tag_energy_lm_words = {
    .name = "lm-words",
    .help = "those of lm-both, and two that see the words, too (GE c)",
    .terms = with_words,
};
