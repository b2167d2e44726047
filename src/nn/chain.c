/* chain.c -- the score of tag sequences under a linear chain.
 *
 * Relaxed outputs of all sentences are multiplied with the transitions in one product. The row that
 * scores what may follow y_t is added to the unary scores one position later; a shift by one row
 * of the flat [B K T, N] array does that for all sentences at once, and a mask of the first
 * positions removes what it carried from the end of one sentence to the start of the next. */
#include "nn/chain.h"

/* [T, 1]: 1 where there is a position before */
static bs_id not_first(bs_graph *g, int T)
{
    return bs_pad(g, bs_fill(g, 1, bs_shape2(T - 1, 1)), -2, 1, T);
}

/* [B, K, T, N]: what the transition from y_{t-1} adds to the score of each tag at t */
static bs_id arriving(bs_graph *g, bs_id y, bs_id w)
{
    bs_shape s = bs_shape_of(g, y);
    int      rows = s.d[0] * s.d[1] * s.d[2], N = s.d[3];
    bs_id    before = bs_slice(g, bs_reshape(g, y, bs_shape2(rows, N)), -2, 0, rows - 1);
    bs_id    moved = bs_pad(g, bs_matmul(g, before, w, false, false), -2, 1, rows);
    return bs_mul(g, bs_reshape(g, moved, s), not_first(g, s.d[2]));
}

/* [B, 1, T, 1]: 1 at the last token of each sentence */
static bs_id last_token(bs_graph *g, bs_id mask)
{
    int T = bs_shape_of(g, mask).d[2];
    if (T == 1)
        return mask;
    bs_id next = bs_pad(g, bs_slice(g, mask, -2, 1, T - 1), -2, 0, T);
    return bs_mul(g, mask, bs_offset(g, bs_neg(g, next), 1));
}

bs_id bs_chain_score(bs_graph *g, bs_id unary, bs_id transition, bs_id y, bs_id mask)
{
    const bs_shape s = bs_shape_of(g, y), w = bs_shape_of(g, transition);
    const int      B = s.d[0], K = s.d[1], T = s.d[2], N = s.d[3];
    if (bs_graph_check(g, NULL))
        return 0;
    if (!bs_shape_equal(w, bs_shape2(N + 1, N + 1)))
        return bs_graph_refuse(g, "chain: %d tags need transitions [%d, %d]", N, N + 1, N + 1);
    if (!bs_shape_equal(bs_shape_of(g, mask), bs_shape4(B, 1, T, 1)))
        return bs_graph_refuse(g, "chain: the mask is not [B, 1, T, 1] for outputs [B, K, T, N]");

    bs_id rows = bs_slice(g, transition, -2, 0, N);
    bs_id start = bs_slice(g, bs_slice(g, transition, -2, N, 1), -1, 0, N);
    bs_id end = bs_reshape(g, bs_slice(g, rows, -1, N, 1), bs_shape1(N));
    bs_id real_y = bs_mul(g, y, mask);
    bs_id score =
        bs_add(g, bs_reshape(g, unary, bs_shape4(B, 1, T, N)),
               bs_add(g, bs_pad(g, start, -2, 0, T), bs_mul(g, last_token(g, mask), end)));
    if (T > 1)
        score = bs_add(g, score, arriving(g, real_y, bs_slice(g, rows, -1, 0, N)));
    return bs_sum_to(g, bs_mul(g, real_y, score), bs_shape4(B, K, 1, 1));
}

bs_id bs_chain_path_score(bs_graph *g, bs_id unary, bs_id transition, bs_id tag, bs_id pair)
{
    const bs_shape s = bs_shape_of(g, unary), w = bs_shape_of(g, transition);
    const int      B = s.d[0] * s.d[1], T = s.d[2], N = s.d[3];
    if (bs_graph_check(g, NULL))
        return 0;
    if (!bs_shape_equal(w, bs_shape2(N + 1, N + 1)))
        return bs_graph_refuse(g, "chain: %d tags need transitions [%d, %d]", N, N + 1, N + 1);
    bs_id table = bs_reshape(g, transition, bs_shape2((N + 1) * (N + 1), 1));
    bs_id u = bs_reshape(g, unary, bs_shape3(B, T, N));
    bs_id tags = bs_sum_axis(g, bs_take(g, u, tag, -1), -2);
    bs_id pairs = bs_sum_axis(g, bs_gather(g, table, pair), -2);
    return bs_reshape(g, bs_add(g, tags, pairs), bs_shape2(B, 1));
}

void bs_chain_pairs(const int32_t *tag, int len, int T, int N, int32_t *pair)
{
    for (int t = 0; t <= T; t++) {
        int32_t from = t == 0 ? N : t <= len ? tag[t - 1] : -1, to = t < len ? tag[t] : N;
        pair[t] = t > len || len == 0 ? -1 : from * (N + 1) + to;
    }
}
