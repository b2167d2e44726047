/* report.c -- where a model of tagged sentences errs: types, pairs of tags, transitions, and the
 * worst sentences. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/tag/base.h"
#include "base/order.h"
#include "doc/heat.h"
#include "task/tag/data.h"

enum { EXAMPLES = 20, MAPPED = 400, LONGEST = 120 /* tokens shown per sentence */ };

typedef struct {
    const bs_report_group *g;
    const bs_report_run   *run;
    const bs_corpus       *data;
    bs_tag_truth           truth;
    const bs_tag_counted  *counted;
    const bs_tagset       *tags;  /* of the truth's names */
    const char           **name;  /* [tags->n] */
    int                   *place; /* [tags->n] row of a tag on maps: O, then by type and part */
    int                   *type_place; /* [types.n + 1] the same for types; outside comes last */
    bool                   raw;
    bs_doc                *doc;
    bs_buf                *out; /* its page */
} view;

/* ---- types ---- */

static double lost_of(const bs_type_score *s)
{
    return (double)s->gold * (1 - s->f1);
}

static int most_lost(const void *a, const void *b)
{
    const bs_type_score *x = a, *y = b;
    const double         p = lost_of(x), q = lost_of(y);
    return p != q ? (p > q ? -1 : 1) : strcmp(x->type, y->type);
}

/* Those that lose most come first. */
void bs_report_score_table(bs_type_score *row, int32_t n, const char *what, const char *unit,
                           bs_doc *d)
{
    char key[16];
    bs_print(key, sizeof key, "%ss", what);
    const bs_column column[] = {{.name = what, .text = true, .key = what},
                                {.name = "lost", .help = "true ones, times what is missing of F1"},
                                {.name = "true", .help = unit, .key = "true"},
                                {.name = "predicted", .help = unit, .key = "predicted"},
                                {.name = "both", .help = unit, .key = "both"},
                                {.name = "precision %", .key = "precision"},
                                {.name = "recall %", .key = "recall"},
                                {.name = "F1 %", .key = "f1"}};
    BS_TABLE(d, key, column, BS_TABLE_SORTED | (n > 15 ? BS_TABLE_LONG : 0));
    qsort(row, (size_t)n, sizeof *row, most_lost);
    for (int32_t i = 0; i < n; i++)
        BS_ROW(d, bs_cell_name(row[i].type), bs_cell_number(lost_of(&row[i]), 1),
               bs_cell_count((long long)row[i].gold), bs_cell_count((long long)row[i].predicted),
               bs_cell_count((long long)row[i].right), bs_cell_percent(row[i].precision),
               bs_cell_percent(row[i].recall), bs_cell_percent(row[i].f1));
    bs_doc_table_end(d);
}

void bs_report_advise_lost(bs_type_score *row, int32_t n, const char *key, const char *unit,
                           bs_notes *advice)
{
    qsort(row, (size_t)n, sizeof *row, most_lost);
    if (n > 0 && lost_of(&row[0]) > 0)
        bs_notes_add(advice, key,
                     "get more sentences with %s, where most is lost: F1 %.2f %%, %lld %s",
                     row[0].type, 100 * row[0].f1, (long long)row[0].gold, unit);
}

static basin_status types(const view *v, basin_error *err)
{
    const int32_t  most = v->tags->types.n > v->tags->n ? v->tags->types.n : v->tags->n;
    bs_type_score *row = bs_arena_alloc(v->g->room, ((size_t)most + 1) * sizeof *row);
    if (!row)
        return bs_fail_nomem(err);
    if (!v->raw) {
        bs_tag_metrics_types(v->counted->metrics, row);
        bs_doc_heading(v->doc, v->g->level, "Types of spans");
        bs_report_score_table(row, v->tags->types.n, "type", "spans", v->doc);
    }
    bs_tag_metrics_tags(v->counted->metrics, row, v->name);
    if (v->raw)
        bs_doc_heading(v->doc, v->g->level, "Tags");
    else
        bs_doc_details_begin(v->doc, "Tags, counted by tokens", false);
    bs_report_score_table(row, v->tags->n, "tag", "tokens", v->doc);
    if (!v->raw)
        bs_doc_details_end(v->doc);
    return BASIN_OK;
}

static void calibration(const view *v)
{
    bs_reliability b = {0};
    for (int32_t i = 0; i < v->data->tokens; i++)
        bs_reliability_add(&b, (double)v->run->y.scores[i],
                           v->truth.gold[i] == bs_outputs_tag(&v->run->y)->tag[i] ? 1 : 0);
    bs_reliability_draw(&b, "predicted tags", v->g->level, v->out);
    bs_page_grid_end(v->out);
}

/* ---- confusions ---- */

/* The type of a tag on the map; O and unknown tags come after the types. */
static int type_of(const view *v, int32_t tag)
{
    const int none = v->tags->types.n;
    return v->type_place[tag < 0 || v->tags->tag[tag].type < 0 ? none : v->tags->tag[tag].type];
}

/* Order of two tags: by type, then as within a span. */
static int order_of(const view *v, int32_t a, int32_t b)
{
    static const char parts[] = "OBIES";
    const bs_tag     *x = &v->tags->tag[a], *y = &v->tags->tag[b];
    if (v->raw)
        return strcmp(v->name[a], v->name[b]);
    if (x->type != y->type)
        return x->type < 0 ? -1 : y->type < 0 ? 1 : v->type_place[x->type] - v->type_place[y->type];
    return (int)(strchr(parts, x->part) - parts) - (int)(strchr(parts, y->part) - parts);
}

/* Ranks by counting smaller ones: there are few. */
static void find_places(const view *v)
{
    const bs_names *types = &v->tags->types;
    for (int32_t a = 0; a < types->n && !v->raw; a++)
        for (int32_t b = 0; b < types->n; b++)
            v->type_place[a] += strcmp(types->item[b].text, types->item[a].text) < 0;
    v->type_place[types->n] = types->n;
    for (int32_t a = 0; a < v->tags->n; a++)
        for (int32_t b = 0; b < v->tags->n; b++) {
            const int order = order_of(v, b, a);
            v->place[a] += order < 0 || (order == 0 && b < a);
        }
}

static basin_status confusion(const view *v, basin_error *err)
{
    const int   n = v->raw ? v->tags->n : v->tags->types.n + 1;
    const char *name[MAPPED];
    if (n > MAPPED)
        return BASIN_OK;
    double *count = bs_arena_alloc(v->g->room, (size_t)n * (size_t)n * sizeof *count);
    if (!count)
        return bs_fail_nomem(err);
    for (int i = 0; i < n; i++)
        if (v->raw)
            name[v->place[i]] = v->name[i];
        else
            name[v->type_place[i]] = i < n - 1 ? v->tags->types.item[i].text : "none";
    for (int32_t i = 0; i < v->data->tokens; i++) {
        const int32_t gold = v->truth.gold[i], on = bs_outputs_tag(&v->run->y)->tag[i];
        if (!v->raw)
            count[type_of(v, gold) * n + type_of(v, on)]++;
        else if (gold >= 0 && on >= 0)
            count[v->place[gold] * n + v->place[on]]++;
    }
    return bs_report_confusions(v->g, count, n, name,
                                v->raw ? "Tokens of a true tag (row) by the tag that is predicted "
                                         "(column), in percent of the row."
                                       : "Tokens of a true type of span (row) by the type that is "
                                         "predicted (column), in percent of the row; none: outside "
                                         "of spans.",
                                v->out, err);
}

/* ---- transitions ---- */

/* Pairs of neighbours; the last row is the start of a sentence, the last column its end. */
static void count_neighbours(const view *v, const int32_t *tag, double *count)
{
    const int n = v->tags->n, columns = n + 1;
    for (int32_t s = 0; s < v->data->sentences; s++) {
        int before = n;
        for (int32_t i = v->data->start[s]; i < v->data->start[s + 1]; i++) {
            const int now = tag[i] < 0 ? -1 : v->place[tag[i]];
            if (now >= 0 && before >= 0)
                count[before * columns + now]++;
            before = now;
        }
        if (before >= 0 && before < n)
            count[before * columns + n]++;
    }
}

static void draw_transitions(const view *v, const float *truth, float *predicted,
                             const char *const *row, const char *const *column)
{
    const int n = v->tags->n + 1;
    bs_heat   h = {.title = "True transitions: how often a tag (row) is followed by another "
                              "(column), in percent of the row.",
                   .rows = n,
                   .cols = n,
                   .value = truth,
                   .row_name = row,
                   .col_name = column,
                   .hi = 100,
                   .root = true,
                   .digits = 1};
    for (int i = 0; i < n * n; i++)
        predicted[i] -= truth[i];
    bs_page_heading(v->g->level, "Transitions", v->out);
    bs_heat_draw(&h, v->out);
    h.title = "Predicted minus true transitions, in points of percent: orange is too often, blue "
              "too rarely.";
    h.value = predicted;
    h.hi = 0;
    h.diverging = true;
    bs_heat_draw(&h, v->out);
}

static basin_status transitions(const view *v, basin_error *err)
{
    const int    n = v->tags->n + 1;
    const size_t cells = (size_t)n * (size_t)n;
    if (n > MAPPED)
        return BASIN_OK;
    double      *count = bs_arena_alloc(v->g->room, 2 * cells * sizeof *count);
    float       *share = bs_arena_alloc(v->g->room, 2 * cells * sizeof *share);
    const char **name = bs_arena_alloc(v->g->room, 2 * (size_t)n * sizeof *name);
    if (!count || !share || !name)
        return bs_fail_nomem(err);
    for (int i = 0; i < n - 1; i++)
        name[v->place[i]] = name[n + v->place[i]] = v->name[i];
    name[n - 1] = "(start)";
    name[2 * n - 1] = "(end)";
    count_neighbours(v, v->truth.gold, count);
    count_neighbours(v, bs_outputs_tag(&v->run->y)->tag, count + cells);
    bs_report_percent(count, n, share);
    bs_report_percent(count + cells, n, share + cells);
    draw_transitions(v, share, share + cells, name, name + n);
    return BASIN_OK;
}

/* ---- sentences ---- */

static void put_word(const view *v, int32_t token)
{
    const bs_name *w = &v->data->words.item[v->data->word[token]];
    bs_page_escape_n(w->text, w->len, v->out);
}

static bool has_span(const bs_span *list, int32_t n, const bs_span *s)
{
    for (int32_t i = 0; i < n; i++)
        if (list[i].first == s->first && list[i].end == s->end && list[i].type == s->type)
            return true;
    return false;
}

/* A sentence with its spans in the colours of their types; spans missing from the other list are
 * framed. */
static void put_spans(const view *v, int32_t first, int32_t n, const bs_span *span, int32_t spans,
                      const bs_span *other, int32_t others, const char *odd)
{
    int32_t at = 0;
    for (int32_t i = 0; i < n;) {
        bs_buf_text(v->out, i ? " " : "");
        if (at < spans && span[at].first == i) {
            const bs_span *s = &span[at++];
            const bool     same = has_span(other, others, s);
            bs_buf_printf(v->out, "<span class=\"span k%d%s%s\">", (int)(s->type % 8),
                          same ? "" : " ", same ? "" : odd);
            for (; i < s->end && i < n; i++) {
                bs_buf_text(v->out, i > s->first ? " " : "");
                put_word(v, first + i);
            }
            bs_page_wrap("<sub>", v->tags->types.item[s->type].text, "</sub></span>", v->out);
        } else {
            put_word(v, first + i++);
        }
    }
}

/* Raw tags: wrong words are shown with both tags. */
static void put_tags(const view *v, int32_t first, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t gold = v->truth.gold[first + i],
                      on = bs_outputs_tag(&v->run->y)->tag[first + i];
        bs_buf_text(v->out, i ? " " : "");
        if (gold == on) {
            put_word(v, first + i);
            continue;
        }
        bs_buf_text(v->out, "<span class=\"span k1 wrong\">");
        put_word(v, first + i);
        bs_page_wrap("<sub>", gold >= 0 ? v->name[gold] : "?", " &rarr; ", v->out);
        bs_page_wrap("", on >= 0 ? v->name[on] : "?", "</sub></span>", v->out);
    }
}

/* e: a sentence and its wrong tokens. */
static basin_status put_sentence(const view *v, const bs_ranked *e, basin_error *err)
{
    const int32_t first = v->data->start[e->which], all = v->data->start[e->which + 1] - first;
    const int32_t n = all < LONGEST ? all : LONGEST;
    int64_t       repaired = 0;
    bs_span      *span = bs_arena_alloc(v->g->room, (2 * (size_t)all + 1) * sizeof *span), *other;
    if (!span)
        return bs_fail_nomem(err);
    other = span + all;
    bs_buf_printf(v->out,
                  "<div class=\"sentence\"><p class=\"quiet\">sentence %d, %d of %d words "
                  "wrong</p>\n<p>",
                  (int)e->which + 1, (int)e->weight, (int)all);
    if (v->raw) {
        put_tags(v, first, n);
    } else {
        const int32_t a = bs_spans(v->tags, v->truth.gold + first, all, span, &repaired);
        const int32_t b =
            bs_spans(v->tags, bs_outputs_tag(&v->run->y)->tag + first, all, other, &repaired);
        bs_buf_text(v->out, "<span class=\"which\">true</span> ");
        put_spans(v, first, n, span, a, other, b, "missed");
        bs_buf_printf(v->out, "%s</p>\n<p><span class=\"which\">predicted</span> ",
                      n < all ? " &hellip;" : "");
        put_spans(v, first, n, other, b, span, a, "wrong");
    }
    bs_buf_printf(v->out, "%s</p></div>\n", n < all ? " &hellip;" : "");
    return BASIN_OK;
}

static basin_status examples(const view *v, basin_error *err)
{
    const int32_t n = v->data->sentences;
    bs_ranked    *e = bs_arena_alloc(v->g->room, ((size_t)n + 1) * sizeof *e);
    basin_status  s = BASIN_OK;
    if (!e)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < n; i++) {
        e[i].which = i;
        for (int32_t t = v->data->start[i]; t < v->data->start[i + 1]; t++)
            e[i].weight += v->truth.gold[t] != bs_outputs_tag(&v->run->y)->tag[t];
    }
    qsort(e, (size_t)n, sizeof *e, bs_heaviest_first);
    bs_page_heading(v->g->level, "Worst sentences", v->out);
    bs_page_say(v->out, "quiet",
                v->raw ? "Words with a wrong tag, with the true and the predicted one."
                       : "A dashed frame is a span that is missed, a full one a span that is not "
                         "true.");
    for (int32_t i = 0; i < n && i < EXAMPLES && e[i].weight > 0 && !s; i++)
        s = put_sentence(v, &e[i], err);
    return s;
}

static basin_status sections(view *v, basin_error *err)
{
    basin_status s = types(v, err);
    if (!s)
        s = confusion(v, err);
    if (!s)
        s = transitions(v, err);
    if (!s)
        calibration(v);
    return s ? s : examples(v, err);
}

/* What errors and advice both need; v->truth must be freed. tags: those of the truth. */
static basin_status open_view(const bs_report_group *g, const bs_tagset *tags, view *v,
                              basin_error *err)
{
    const bs_report_run *run = &g->run[g->shown];
    *v = (view){.g = g, .run = run, .data = bs_dataset_tag(g->part), .tags = tags};
    v->raw = v->tags->scheme == BS_SCHEME_RAW;
    basin_status s =
        bs_tag_truth_make(v->data, &bs_preprocess_tag(&run->model->known)->lexicon, &v->truth, err);
    v->name = bs_arena_alloc(g->room, ((size_t)v->truth.names.n + 1) * sizeof *v->name);
    if (!s && !v->name)
        s = bs_fail_nomem(err);
    for (int32_t i = 0; i < v->truth.names.n && !s; i++)
        v->name[i] = v->truth.names.item[i].text;
    return s;
}

static const bs_tag_counted *counted_of(const bs_report_group *g)
{
    return bs_measurement_tag(&g->run[g->shown].counts[0]);
}

basin_status bs_report_worst_sentences(const bs_report_group *g, const bs_tagset *tags, bs_doc *d,
                                       basin_error *err)
{
    view         v;
    basin_status s = open_view(g, tags, &v, err);
    v.doc = d;
    v.out = d->page;
    if (!s)
        s = examples(&v, err);
    bs_tag_truth_free(&v.truth);
    return s;
}

static basin_status errors(const bs_report_group *g, bs_doc *d, basin_error *err)
{
    view         v;
    basin_status s = open_view(g, &counted_of(g)->tags, &v, err);
    v.counted = counted_of(g);
    v.doc = d;
    v.out = d->page;
    v.place = bs_arena_alloc(g->room, ((size_t)v.tags->n + 1) * sizeof *v.place);
    v.type_place = bs_arena_alloc(g->room, ((size_t)v.tags->types.n + 1) * sizeof *v.type_place);
    if (!s && (!v.place || !v.type_place))
        s = bs_fail_nomem(err);
    if (!s) {
        find_places(&v);
        s = sections(&v, err);
    }
    bs_tag_truth_free(&v.truth);
    return s;
}

/* ---- what could be done ---- */

/* Words unseen in training: whether errors concentrate there. */
static void advise_unknown(const view *v, bs_notes *advice)
{
    double wrong = 0, unseen = 0;
    for (int32_t i = 0; i < v->data->tokens; i++) {
        const bool bad = v->truth.gold[i] != bs_outputs_tag(&v->run->y)->tag[i];
        wrong += bad;
        unseen += bad && v->truth.unknown[i];
    }
    if (wrong < 10 || unseen < 0.2 * wrong)
        return;
    const bool vectors = bs_preprocess_tag(&v->run->model->known)->has_vectors;
    if (!vectors || strcmp(v->run->settings.train.char_net, "none") == 0)
        bs_notes_add(advice, "unknown",
                     "%s: %.0f %% of the wrong words are not in the training data",
                     !vectors ? "start from word vectors (--embeddings FILE)"
                              : "read the characters of words (chars.net=cnn)",
                     100 * unseen / wrong);
}

/* And where most is lost: the type, or tag, with the most missed and wrong ones. */
static basin_status advise(const bs_report_group *g, bs_notes *advice, basin_error *err)
{
    view           v;
    basin_status   s = open_view(g, &counted_of(g)->tags, &v, err);
    const int32_t  n = v.raw ? v.tags->n : v.tags->types.n;
    bs_type_score *row = bs_arena_alloc(g->room, ((size_t)n + 1) * sizeof *row);
    if (!s && !row)
        s = bs_fail_nomem(err);
    v.counted = counted_of(g);
    if (!s) {
        if (v.raw)
            bs_tag_metrics_tags(v.counted->metrics, row, v.name);
        else
            bs_tag_metrics_types(v.counted->metrics, row);
        advise_unknown(&v, advice);
        bs_report_advise_lost(row, n, "types", v.raw ? "tokens" : "spans", advice);
    }
    bs_tag_truth_free(&v.truth);
    return s;
}

const bs_task_report bs_task_report_tag = {
    .errors = errors,
    .advise = advise,
    .base = {"always the most frequent tag", "each word's most frequent tag"},
    .base_note = "",
    .base_advice = "train longer or on more data, for %s %s as well",
    .guess = bs_base_guess_tag,
};
