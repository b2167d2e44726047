/* nets.c -- the net over sentences: word, column and character vectors, an encoder, tag scores. */
#include "task/tag/nets.h"

#include <math.h>

enum { NAME = 96 };

bs_tag_input bs_tag_leaves(bs_graph *g, const bs_tag_shape *s, int B, int T, int C)
{
    bs_tag_input x = {.word = bs_leaf(g, "word", BS_T_INT, bs_shape2(T, B)),
                      .len = bs_leaf(g, "len", BS_T_INT, bs_shape1(B)),
                      .mask = bs_leaf(g, "mask", BS_T_REAL, bs_shape2(B, T)),
                      .ended = bs_leaf(g, "ended", BS_T_INT, bs_shape1(B))};
    if (s->columns > 0)
        x.column = bs_leaf(g, "column", BS_T_INT, bs_shape2(s->columns * T, B));
    if (s->chars != BS_CHARS_NONE) {
        x.letter = bs_leaf(g, "letter", BS_T_INT, bs_shape2(T * B, C));
        x.letters = bs_leaf(g, "letters", BS_T_INT, bs_shape1(T * B));
        x.present = bs_leaf(g, "present", BS_T_REAL, bs_shape2(T * B, C));
    }
    return x;
}

/* Lookup tables start as vectors of roughly unit length. */
static bs_init table_init(int width)
{
    return bs_init_uniform(sqrt(3.0 / width));
}

static bs_id lookup(bs_nn *nn, const char *name, const char *part, bs_id index, int rows, int width)
{
    char path[NAME];
    bs_print(path, sizeof path, "%s/%s", name, part);
    return bs_embedding(nn, path, index, rows, width, table_init(width));
}

/* A table for each net or, where it is not tuned, one for all that stays as it is. */
static bs_id words(bs_nn *nn, const char *name, const bs_tag_shape *s, bs_id index)
{
    const bs_shape table = bs_shape2(s->words, s->word_width);
    const char    *all = "words/W";
    if (s->tuned)
        return lookup(nn, name, all, index, s->words, s->word_width);
    bs_id w = bs_param_frozen(nn->g, nn->params, all, table, table_init(s->word_width));
    bs_push(nn->g, all);
    bs_id y = bs_gather(nn->g, w, index);
    bs_pop(nn->g);
    return y;
}

/* [T, B, columns * width] */
static bs_id column_vectors(bs_nn *nn, const char *name, const bs_tag_shape *s, bs_id index, int T,
                            int B)
{
    bs_id rows = lookup(nn, name, "columns/W", index, s->values, s->column_width);
    bs_id four = bs_reshape(nn->g, rows, bs_shape4(s->columns, T, B, s->column_width));
    bs_id turned = bs_permute(nn->g, four, 1, 2, 0, 3);
    return bs_reshape(nn->g, turned, bs_shape3(T, B, s->columns * s->column_width));
}

/* The maximum of each feature over all windows of three characters (Ma and Hovy 2016). Padding is
 * zeros and no window starts there, so its amount does not matter. */
static bs_id char_cnn(bs_nn *nn, const char *name, const bs_tag_shape *s, const bs_tag_input *x)
{
    char      path[NAME];
    bs_graph *g = nn->g;
    bs_id     c = lookup(nn, name, "chars/W", x->letter, s->characters, s->char_width);
    const int n = bs_shape_of(g, c).d[1], C = bs_shape_of(g, c).d[2];
    bs_id     wide = bs_pad(g, c, -2, 1, C + 2);
    bs_id     window = bs_concat(g, bs_slice(g, wide, -2, 0, C),
                                 bs_concat(g, c, bs_slice(g, wide, -2, 2, C), -1), -1);
    bs_id     rows = bs_reshape(g, window, bs_shape2(n * C, 3 * s->char_width));
    bs_print(path, sizeof path, "%s/chars/conv", name);
    bs_id out =
        bs_linear(nn, path, rows, s->char_features, bs_init_kaiming(3 * s->char_width), true);
    out = bs_reshape(g, bs_relu(g, out), bs_shape3(n, C, s->char_features));
    out = bs_mul(g, out, bs_reshape(g, x->present, bs_shape3(n, C, 1)));
    return bs_max_axis(g, out, -2);
}

/* The final states of the two directions (Lample et al. 2016). */
static bs_id char_lstm(bs_nn *nn, const char *name, const bs_tag_shape *s, const bs_tag_input *x)
{
    char      path[NAME];
    bs_graph *g = nn->g;
    const int H = s->char_features / 2;
    bs_id     c = lookup(nn, name, "chars/W", x->letter, s->characters, s->char_width);
    const int n = bs_shape_of(g, c).d[1], C = bs_shape_of(g, c).d[2];
    bs_id     timed = bs_permute(g, c, 0, 2, 1, 3); /* [C, n, width] */
    bs_print(path, sizeof path, "%s/chars/forward", name);
    bs_id there = bs_lstm_layer(nn, path, timed, x->letters, H, false);
    bs_print(path, sizeof path, "%s/chars/backward", name);
    bs_id back = bs_lstm_layer(nn, path, timed, x->letters, H, true);
    /* 1 at the last character: it is present and the next is not */
    bs_id present = bs_reshape(g, x->present, bs_shape2(n, C));
    bs_id next = bs_slice(g, bs_pad(g, present, -1, 0, C + 1), -1, 1, C);
    bs_id last = bs_reshape(g, bs_transpose(g, bs_sub(g, present, next)), bs_shape3(C, n, 1));
    bs_id end = bs_sum_axis(g, bs_mul(g, there, last), -3);
    return bs_concat(g, end, bs_slice(g, back, -3, 0, 1), -1);
}

bs_id bs_tag_words(bs_nn *nn, const char *name, const bs_tag_shape *s, const bs_tag_input *x)
{
    bs_graph *g = nn->g;
    bs_id     all = words(nn, name, s, x->word);
    const int T = bs_shape_of(g, x->word).d[2], B = bs_shape_of(g, x->word).d[3];
    if (s->columns > 0)
        all = bs_concat(g, all, column_vectors(nn, name, s, x->column, T, B), -1);
    if (s->chars != BS_CHARS_NONE) {
        bs_id spelled =
            s->chars == BS_CHARS_CNN ? char_cnn(nn, name, s, x) : char_lstm(nn, name, s, x);
        int width = bs_shape_of(g, spelled).d[3];
        all = bs_concat(g, all, bs_reshape(g, spelled, bs_shape3(T, B, width)), -1);
    }
    return all;
}

bs_id bs_tag_features(bs_nn *nn, const char *name, const bs_tag_shape *s, const bs_tag_input *x)
{
    char                   path[NAME];
    bs_id                  found[BS_SCALES];
    const bs_encoder_input in = {.x = bs_tag_words(nn, name, s, x), .len = x->len};
    const bs_encoder_shape e = {s->layers, s->width, 1, s->dropout, false, s->own};
    bs_print(path, sizeof path, "%s/T", name);
    s->net->features(nn, path, &e, &in, found);
    return found[0];
}

bs_id bs_tag_head(bs_nn *nn, const char *name, const bs_tag_shape *s, bs_id features)
{
    char path[NAME];
    int  in = bs_shape_of(nn->g, features).d[3];
    bs_print(path, sizeof path, "%s/tags", name);
    return bs_linear(nn, path, features, s->tags, bs_init_xavier(in, s->tags), true);
}
