/* unlabelled.c -- sentences without tags: they are trained on, and rules provide their truth.
 *
 * The truth of a sentence is a point in the space of relaxed outputs, a distribution over tags for
 * every token; for a labelled sentence it is a corner. Marginals of rules are also such a point,
 * and every method uses the truth in ways that are linear in it or defined for relaxed outputs:
 *
 *     cross-entropy   - sum q log p, whose gradient pulls the net towards q, not a corner
 *     score, cost     sum q y / tokens: the expected share of correct tokens in y if the rules
 *                     are right; it takes the place of a reward
 *     energy          E(x, q), as for any relaxed output
 *
 * So no method needs to know about rules. */
#include <math.h>
#include <string.h>

#include "task/tag/data.h"

basin_status bs_tag_join(const bs_settings *s, bs_dataset *train, bs_dataset *unlabelled,
                         bs_rules **rules, basin_error *err)
{
    basin_status status = bs_rules_read(s->train.rules_file, s->read.max_mb, rules, err);
    if (!status && !bs_names_add_all(&bs_dataset_tag(train)->tags, bs_rules_tags(*rules)))
        status = bs_fail_nomem(err);
    if (!status)
        status = bs_corpus_add_unlabelled(bs_dataset_tag(train), bs_dataset_tag(unlabelled), err);
    if (status)
        return status;
    const uint64_t identity[] = {(uint64_t)unlabelled->rows, bs_rules_hash(*rules)};
    train->unlabelled = unlabelled->rows;
    train->rows = bs_dataset_tag(train)->sentences;
    train->hash = bs_hash_bytes(identity, sizeof identity, bs_dataset_tag(train)->hash);
    bs_dataset_free(unlabelled);
    return BASIN_OK;
}

static double percent(int64_t part, int64_t whole)
{
    return 100.0 * (double)part / (double)(whole > 0 ? whole : 1);
}

basin_status bs_tag_soften(const bs_settings *s, const bs_rules *rules, const bs_lexicon *l,
                           bs_dataset *part, bs_logger *log, basin_error *err)
{
    const bs_rules_how how = {&l->tags, (bs_scheme)l->scheme, s->train.rules_temperature};
    bs_rules_report    report;
    bs_buf             text;
    bs_buf_init(&text, 1 << 12);
    bs_dataset      *train = &part[BS_ROLE_TRAIN];
    const bs_corpus *c = bs_dataset_tag(train);
    basin_status status = bs_rules_judge(rules, c, &how, c->start[c->sentences - train->unlabelled],
                                         &train->soft, &report, err);
    if (!status)
        bs_log_say(log, BS_INFO,
                   "rules: %d; one or more hold for %.1f %% of the words of %d unlabelled "
                   "sentences, whose tags are as uncertain as a choice among %.1f",
                   bs_rules_count(rules), percent(report.covered, report.tokens),
                   (int)train->unlabelled, exp(report.entropy));
    for (int i = 0; i < BS_ROLES && !status; i++) {
        if (!bs_dataset_tag(&part[i]) || !bs_dataset_tag(&part[i])->labelled)
            continue;
        status = bs_rules_judge(rules, bs_dataset_tag(&part[i]), &how, 0, NULL, &report, err);
        bs_buf_printf(&text, "%s%.1f %% of %s", text.len ? ", " : "",
                      percent(report.right, report.labelled), bs_role_names[i]);
    }
    if (!status)
        bs_log_say(log, BS_INFO, "rules: alone they tag right: %s", text.data ? text.data : "");
    bs_buf_free(&text);
    return status;
}
