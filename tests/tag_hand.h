/* tag_hand.h -- nets and energies of the tagging task written out in plain C, one sentence at a
 * time and without padding, from the parameters of a scene. */
#ifndef TEST_TAG_HAND_H
#define TEST_TAG_HAND_H

#include "tests/tag_scene.h"

enum { HAND_STEPS = 8, HAND_WIDTH = 24 };

typedef double hand_row[HAND_WIDTH];

static inline const real *hand_param(scene *c, const char *name, const char *part)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", name, part);
    return scene_param(c, path);
}

/* out = in W + b: W [n, m] */
static inline void hand_linear(scene *c, const char *name, const double *in, int n, int m,
                               double *out)
{
    const real *W = hand_param(c, name, "W"), *b = hand_param(c, name, "b");
    for (int j = 0; j < m; j++) {
        out[j] = (double)b[j];
        for (int i = 0; i < n; i++)
            out[j] += in[i] * (double)W[i * m + j];
    }
}

static inline double hand_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* One direction over `steps` rows of D numbers; gates i, f, g, o. */
static inline void hand_lstm(scene *c, const char *name, hand_row *in, int steps, int D, int H,
                             bool reverse, hand_row *out)
{
    const real *Wx = hand_param(c, name, "Wx"), *Wh = hand_param(c, name, "Wh");
    const real *b = hand_param(c, name, "b");
    double      h[HAND_WIDTH] = {0}, cell[HAND_WIDTH] = {0};
    for (int step = 0; step < steps; step++) {
        const int t = reverse ? steps - 1 - step : step;
        double    z[4 * HAND_WIDTH];
        for (int q = 0; q < 4 * H; q++) {
            z[q] = (double)b[q];
            for (int i = 0; i < D; i++)
                z[q] += in[t][i] * (double)Wx[i * 4 * H + q];
            for (int i = 0; i < H; i++)
                z[q] += h[i] * (double)Wh[i * 4 * H + q];
        }
        for (int j = 0; j < H; j++) {
            cell[j] = hand_sigmoid(z[H + j]) * cell[j] + hand_sigmoid(z[j]) * tanh(z[2 * H + j]);
            h[j] = hand_sigmoid(z[3 * H + j]) * tanh(cell[j]);
            out[t][j] = h[j];
        }
    }
}

static inline int hand_append(double *out, int at, const real *table, int row, int width)
{
    for (int i = 0; i < width; i++)
        out[at + i] = (double)table[row * width + i];
    return at + width;
}

/* Appends the features from a word's characters. */
static inline int hand_spelling(scene *c, const char *net, int s, int t, double *out, int at)
{
    const bs_tag_shape *shape = bs_net_spec_tag(&c->learner.spec);
    const real         *table = hand_param(c, net, "chars/W");
    const int n = tag_letters(s, t), D = shape->char_width, F = shape->char_features, H = F / 2;
    hand_row  in[HAND_STEPS] = {{0}}, there[HAND_STEPS], back[HAND_STEPS];
    char      name[64];
    for (int k = 0; k < n; k++)
        hand_append(in[k + 1], 0, table, tag_hash(s, t, 10 + k) % TAG_LETTERS, D);
    if (shape->chars == BS_CHARS_LSTM) {
        snprintf(name, sizeof name, "%s/chars/forward", net);
        hand_lstm(c, name, in + 1, n, D, H, false, there);
        snprintf(name, sizeof name, "%s/chars/backward", net);
        hand_lstm(c, name, in + 1, n, D, H, true, back);
        memcpy(out + at, there[n - 1], (size_t)H * sizeof *out);
        memcpy(out + at + H, back[0], (size_t)H * sizeof *out);
        return at + F;
    }
    snprintf(name, sizeof name, "%s/chars/conv", net);
    memset(out + at, 0, (size_t)F * sizeof *out);
    for (int k = 0; k < n; k++) {
        double window[3 * HAND_WIDTH], made[HAND_WIDTH];
        for (int i = 0; i < 3 * D; i++)
            window[i] = in[k + i / D][i % D];
        hand_linear(c, name, window, 3 * D, F, made);
        for (int i = 0; i < F; i++)
            out[at + i] = fmax(out[at + i], made[i]);
    }
    return at + F;
}

/* The vector of a word; returns its length. */
static inline int hand_word(scene *c, const char *net, int s, int t, double *out)
{
    const bs_tag_shape *shape = bs_net_spec_tag(&c->learner.spec);
    const real *table = shape->tuned ? hand_param(c, net, "words/W") : scene_param(c, "words/W");
    int         at = hand_append(out, 0, table, tag_hash(s, t, 1) % TAG_WORDS, shape->word_width);
    for (int k = 0; k < shape->columns; k++)
        at = hand_append(out, at, hand_param(c, net, "columns/W"),
                         tag_hash(s, t, 20 + k) % TAG_VALUES, shape->column_width);
    return shape->chars == BS_CHARS_NONE ? at : hand_spelling(c, net, s, t, out, at);
}

/* Scores of all tags for all words, [len][N] */
static inline void hand_scores(scene *c, const char *net, int s, hand_row *out)
{
    const bs_tag_shape *shape = bs_net_spec_tag(&c->learner.spec);
    const int           n = tag_length(s), H = shape->width;
    hand_row            x[HAND_STEPS], there[HAND_STEPS], back[HAND_STEPS];
    int                 D = 0;
    char                name[64];
    for (int t = 0; t < n; t++)
        D = hand_word(c, net, s, t, x[t]);
    for (int i = 0; i < shape->layers; i++, D = 2 * H) {
        snprintf(name, sizeof name, "%s/T/%d/forward", net, i);
        hand_lstm(c, name, x, n, D, H, false, there);
        snprintf(name, sizeof name, "%s/T/%d/backward", net, i);
        hand_lstm(c, name, x, n, D, H, true, back);
        for (int t = 0; t < n; t++) {
            memcpy(x[t], there[t], (size_t)H * sizeof *x[t]);
            memcpy(x[t] + H, back[t], (size_t)H * sizeof *x[t]);
        }
    }
    snprintf(name, sizeof name, "%s/tags", net);
    for (int t = 0; t < n; t++)
        hand_linear(c, name, x[t], 2 * H, shape->tags, out[t]);
}

/* sum_t log y_t . h(those before it, or after it), with the symbols at both ends */
static inline double hand_lm(scene *c, int s, const real *y, bool backward, bool words)
{
    const bs_tag_shape *shape = bs_net_spec_tag(&c->learner.spec);
    const int           n = tag_length(s), N = shape->tags, H = shape->hidden;
    hand_row            in[HAND_STEPS] = {{0}}, target[HAND_STEPS] = {{0}}, h[HAND_STEPS];
    double              sum = 0, p[HAND_WIDTH];
    char                name[64], out[80];
    int                 D = N + 1;
    snprintf(name, sizeof name, "energy/lm/%s%s", words ? "words/" : "",
             backward ? "backward" : "forward");
    snprintf(out, sizeof out, "%s/out", name);
    in[backward ? n : 0][N] = target[backward ? 0 : n][N] = 1;
    for (int t = 0; t < n; t++) {
        double *read = in[backward ? t : t + 1], *said = target[backward ? t + 1 : t];
        for (int j = 0; j < N; j++)
            read[j] = said[j] = (double)y[t * N + j];
        if (words)
            D = N + 1 + hand_word(c, "energy", s, t, read + N + 1);
    }
    hand_lstm(c, name, in, n + 1, D, H, backward, h);
    for (int t = 0; t <= n; t++) {
        double all = 0, hit = 0;
        hand_linear(c, out, h[t], H, N + 1, p);
        for (int j = 0; j <= N; j++) {
            all += exp(p[j]);
            hit += exp(p[j]) * target[t][j];
        }
        sum += log(hit / all);
    }
    return sum;
}

/* Self-attention as it is published: queries, keys and values of every word. */
static inline double hand_attention(scene *c, int s, const real *y)
{
    const bs_tag_shape *shape = bs_net_spec_tag(&c->learner.spec);
    const int           n = tag_length(s), N = shape->tags, H = shape->hidden;
    double              z[HAND_WIDTH], qkv[HAND_STEPS][3 * HAND_WIDTH], sum = 0;
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < N; i++) {
            const double angle = t / pow(10000, (double)(i / 2 * 2) / N);
            z[i] = (double)y[t * N + i] + (i % 2 ? cos(angle) : sin(angle));
        }
        hand_linear(c, "energy/attention/qkv", z, N, 3 * H, qkv[t]);
    }
    for (int t = 0; t < n; t++) {
        double weight[HAND_STEPS], all = 0, mixed[HAND_WIDTH] = {0}, out[HAND_WIDTH];
        double most = -INFINITY;
        for (int u = 0; u < n; u++) {
            weight[u] = 0;
            for (int j = 0; j < H; j++)
                weight[u] += qkv[t][j] * qkv[u][H + j];
            all += weight[u] = exp(weight[u] / sqrt(N));
        }
        for (int u = 0; u < n; u++)
            for (int j = 0; j < H; j++)
                mixed[j] += weight[u] / all * qkv[u][2 * H + j];
        hand_linear(c, "energy/attention/out", mixed, H, N, out);
        for (int i = 0; i < N; i++)
            most = fmax(most, out[i]);
        sum += most;
    }
    return sum;
}

/* Scores of all pairs of words. */
static inline double hand_pairs(scene *c, int s, const real *y)
{
    const int   n = tag_length(s), N = bs_net_spec_tag(&c->learner.spec)->tags;
    const real *P = scene_param(c, "energy/pairs/W");
    double      sum = 0;
    for (int t = 0; t < n; t++)
        for (int u = 0; u < t; u++)
            for (int k = 0; k < N * N; k++)
                sum += (double)y[t * N + k / N] * (double)y[u * N + k % N] *
                       ((double)P[k] + (double)P[k % N * N + k / N]) / 2;
    return sum;
}

static inline double hand_terms(scene *c, int s, const real *y)
{
    const char *kind = bs_net_spec_tag(&c->learner.spec)->energy->name;
    double      sum = 0;
    if (strcmp(kind, "chain") == 0)
        return 0;
    if (strcmp(kind, "attention") == 0)
        return hand_attention(c, s, y);
    if (strcmp(kind, "attention-pairs") == 0)
        return hand_attention(c, s, y) + hand_pairs(c, s, y);
    sum += hand_lm(c, s, y, false, false);
    if (strcmp(kind, "lm") == 0)
        return sum;
    sum += hand_lm(c, s, y, true, false);
    if (strcmp(kind, "lm-words") == 0)
        sum += bs_net_spec_tag(&c->learner.spec)->augmented *
               (hand_lm(c, s, y, false, true) + hand_lm(c, s, y, true, true));
    return sum;
}

/* E(x, y), y [len, N] */
static inline double hand_energy(scene *c, int s, const real *y)
{
    const int   n = tag_length(s), N = bs_net_spec_tag(&c->learner.spec)->tags, M = N + 1;
    const bool  chained = !bs_net_spec_tag(&c->learner.spec)->energy->unchained;
    const real *W = chained ? scene_param(c, "energy/W") : NULL;
    hand_row    unary[HAND_STEPS];
    double      score = bs_net_spec_tag(&c->learner.spec)->scale * hand_terms(c, s, y);
    hand_scores(c, "energy", s, unary);
    for (int j = 0; j < N && chained; j++) {
        score += (double)y[j] * (double)W[N * M + j];
        score += (double)y[(n - 1) * N + j] * (double)W[j * M + N];
    }
    for (int t = 0; t < n; t++)
        for (int j = 0; j < N; j++) {
            score += (double)y[t * N + j] * unary[t][j];
            for (int i = 0; i < N && t > 0 && chained; i++)
                score += (double)y[(t - 1) * N + i] * (double)W[i * M + j] * (double)y[t * N + j];
        }
    return -score;
}

#endif
