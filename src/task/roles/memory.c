/* memory.c -- semantic roles of sentences from memory. */
#include "api/model.h"
#include "task/roles/data.h"

enum { LONGEST = 1000000 }; /* tokens, as in files */

static basin_status check(const char *const *tokens, int32_t n, const int32_t *predicate,
                          int32_t predicates, const int32_t *tags, basin_error *err)
{
    if (n < 0 || n > LONGEST || predicates < 0 || (int64_t)n * predicates >= INT32_MAX)
        return bs_fail(err, BASIN_EARG, "%d tokens with %d predicates", (int)n, (int)predicates);
    if (predicates == 0)
        return BASIN_OK;
    basin_status s = BS_NEED(err, {"tokens", tokens}, {"predicate", predicate}, {"tags", tags});
    for (int32_t i = 0; i < predicates && !s; i++)
        if (predicate[i] < 0 || predicate[i] >= n)
            s = bs_fail(err, BASIN_EARG, "predicate %d: %d is not the number of a token, 0..%d",
                        (int)i, (int)predicate[i], (int)n - 1);
    return s;
}

/* Each predicate is a sentence of its own: the same tokens, one of them marked. */
static basin_status predict(basin_predictor *p, const char *const *tokens, int32_t n,
                            const int32_t *predicate, int32_t predicates, int32_t *tags,
                            float *scores, basin_error *err)
{
    const size_t        all = (size_t)n * (size_t)predicates;
    const char        **word = bs_calloc(all + 1, sizeof *word);
    const char        **mark = bs_calloc(all + 1, sizeof *mark);
    int32_t            *start = bs_calloc((size_t)predicates + 1, sizeof *start);
    const char *const  *column[] = {mark};
    basin_token_columns columns = {1, column};
    basin_sentences     x = {predicates, start, word, &columns};
    basin_status        s = word && mark && start ? BASIN_OK : bs_fail_nomem(err);
    for (size_t i = 0; i < all && !s; i++) {
        const int32_t at = (int32_t)(i % (size_t)n), row = (int32_t)(i / (size_t)n);
        word[i] = tokens[at];
        mark[i] = at == predicate[row] ? BS_ROLE_PREDICATE : BS_ROLE_OTHER;
        start[row + 1] = (int32_t)i + 1;
    }
    if (!s)
        s = bs_tag_predict_sentences(p, &bs_task_memory_roles, &x, tags, scores, err);
    bs_free(word);
    bs_free(mark);
    bs_free(start);
    return s;
}

basin_status basin_predict_roles(basin_predictor *p, const char *const *tokens, int32_t n,
                                 const int32_t *predicate, int32_t predicates, int32_t *tags,
                                 float *scores, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = BS_NEED(err, {"predictor", p});
    if (!s)
        s = bs_task_memory_check(p->model, &bs_task_memory_roles, err);
    if (!s)
        s = check(tokens, n, predicate, predicates, tags, err);
    return s || predicates == 0 ? s
                                : predict(p, tokens, n, predicate, predicates, tags, scores, err);
}

const bs_task_memory bs_task_memory_roles = {.what = "sentences with predicates",
                                             .function = "basin_predict_roles",
                                             .open = bs_tag_open,
                                             .close = bs_tag_close,
                                             .start = bs_tag_start,
                                             .stop = bs_tag_stop};
