/* conlleval.c -- prints counted spans as that program does; see conlleval.h. */
#include "data/text/conlleval.h"

#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const bs_type_score *)a)->type, ((const bs_type_score *)b)->type);
}

/* Percentages computed in the same steps as the original, for the same last digit. */
static void print_scores(const bs_type_score *l, bs_buf *out)
{
    const double right = 100 * (double)l->right;
    const double precision = l->predicted ? right / (double)l->predicted : 0;
    const double recall = l->gold ? right / (double)l->gold : 0;
    const double sum = precision + recall;
    bs_buf_printf(out, "precision: %6.2f%%; recall: %6.2f%%; FB1: %6.2f", precision, recall,
                  sum > 0 ? 2 * precision * recall / sum : 0);
}

basin_status bs_conlleval(const bs_tag_metrics *m, bs_buf *out, basin_error *err)
{
    const bs_tagset    *tags = bs_tag_metrics_tagset(m);
    const bs_tag_counts n = bs_tag_metrics_counts(m);
    const int32_t       types = tags->types.n;
    bs_type_score      *score = bs_calloc((size_t)types + 1, sizeof *score), all = {0};
    char                type[BS_VISIBLE];
    if (!score)
        return bs_fail_nomem(err);
    bs_tag_metrics_types(m, score);
    for (int32_t i = 0; i < types; i++) {
        if (tags->scheme == BS_SCHEME_RAW && strcmp(score[i].type, "O") == 0)
            score[i].gold = score[i].predicted = score[i].right = 0;
        all.gold += score[i].gold;
        all.predicted += score[i].predicted;
        all.right += score[i].right;
    }
    bs_buf_printf(out, "processed %lld tokens with %lld phrases; found: %lld phrases; ",
                  (long long)n.tokens, (long long)all.gold, (long long)all.predicted);
    bs_buf_printf(out, "correct: %lld.\n", (long long)all.right);
    if (n.tokens) {
        bs_buf_printf(out, "accuracy: %6.2f%%; ", 100 * (double)n.right / (double)n.tokens);
        print_scores(&all, out);
        bs_buf_text(out, "\n");
    }
    qsort(score, (size_t)types, sizeof *score, by_name);
    for (int32_t i = 0; i < types; i++) {
        if (score[i].gold == 0 && score[i].predicted == 0)
            continue;
        bs_buf_printf(out, "%17s: ", bs_visible(score[i].type, 0, type));
        print_scores(&score[i], out);
        bs_buf_printf(out, "  %lld\n", (long long)score[i].predicted);
    }
    bs_free(score);
    return out->failed ? bs_fail_nomem(err) : BASIN_OK;
}
