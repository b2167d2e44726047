/* explain.c -- basin_explain: what the energy of a model learned, shown on the user's data. */
#include "explain/explain.h"

#include <math.h>
#include <string.h>

#include "base/io.h"
#include "tasks/tasks.h"

enum { FEW = 200, MANY_SHUFFLES = 1000, FEW_SHUFFLES = 100 }; /* shuffling few labels is cheap */

/* ---- shared by the tasks ---- */

double *bs_explain_matrix(bs_explanation *e, int32_t rows, int32_t cols)
{
    size_t bytes;
    if (!bs_mul_size((size_t)rows, (size_t)cols, &bytes) ||
        !bs_mul_size(bytes, sizeof(double), &bytes))
        return NULL;
    return bs_arena_alloc(&e->arena, bytes);
}

basin_status bs_explain_scorer(const bs_explanation *e, bs_scorer **out, basin_error *err)
{
    bs_inference how;
    basin_status s = bs_model_file_inference(e->m, NULL, false, &how, err);
    *out = NULL;
    return s ? s : bs_scorer_new(e->w, e->m->params, &e->m->spec, &how, out, err);
}

bs_inquiry bs_explain_inquiry(const bs_explanation *e, bs_scorer *scorer)
{
    return (bs_inquiry){&e->probe, 1, scorer, &e->m->spec, &e->m->known, &e->data, e->stop};
}

static basin_status agree(bs_explanation *e, basin_error *err)
{
    bs_explained_pairs *p = &e->pairs;
    const struct {
        const double *a, *b, *given;
    } with[BS_EXPLAIN_AGREEMENTS] = {
        [BS_WITH_COUNT] = {p->interaction, p->count, NULL},
        [BS_WITH_COUNT_GIVEN] = {p->interaction, p->count, p->expected},
        [BS_WITH_INFORMATION] = {p->interaction, p->information, NULL},
        [BS_OWN_WITH_INFORMATION] = {p->own, p->information, NULL},
    };
    const int    shuffles = p->n <= FEW ? MANY_SHUFFLES : FEW_SHUFFLES;
    basin_status s = bs_pairs_centre(p->interaction, p->n, p->ordered, p->own, err);
    for (int i = 0; i < BS_EXPLAIN_AGREEMENTS && !s; i++)
        s = bs_pairs_agree(with[i].a, with[i].b, with[i].given, p->n, p->ordered, shuffles,
                           (uint64_t)i + 1, &p->agreement[i], err);
    return s;
}

basin_status bs_explain_compare(bs_explanation *e, double rows, basin_error *err)
{
    bs_explained_pairs *p = &e->pairs;
    const int32_t       n = p->n;
    p->moves_local = p->moves_shared = NAN;
    p->own = bs_explain_matrix(e, n, n);
    p->expected = bs_explain_matrix(e, n, n);
    p->information = bs_explain_matrix(e, n, n);
    p->order = bs_arena_alloc(&e->arena, (size_t)n * sizeof *p->order);
    if (!p->own || !p->expected || !p->information || !p->order)
        return bs_fail_nomem(err);
    basin_status s = bs_pairs_expected(p->count, n, rows, p->ordered, p->expected, err);
    if (s)
        return s;
    bs_pairs_information(p->count, p->expected, n, p->information);
    for (int32_t i = 0; i < n; i++)
        p->order[i] = i;
    if (!p->ordered)
        s = bs_pairs_order(p->count, n, p->order, err);
    return s ? s : agree(e, err);
}

/* ---- reading ---- */

/* `rows` rows, evenly spaced from the first to the last. */
static basin_status thin_out(bs_explanation *e, int32_t most, basin_error *err)
{
    const int32_t n = e->all.rows < most ? e->all.rows : most;
    int32_t      *row = bs_calloc((size_t)n + 1, sizeof *row);
    if (!row)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < n; i++)
        row[i] = (int32_t)((int64_t)i * e->all.rows / n);
    basin_status s = e->m->task->select(&e->all, row, n, &e->data, err);
    bs_free(row);
    return s;
}

static basin_status read_data(bs_explanation *e, const bs_task_explain *how,
                              const char *const *files, int n, const basin_explain_options *o,
                              basin_error *err)
{
    const char  *unit = e->m->task->unit;
    const int    most = o->rows > 0 ? o->rows : how->rows;
    basin_status s = bs_read_for(e->m, files, n, o->part, false, &e->log, &e->all, err);
    if (s)
        return s;
    if (e->all.rows == 0 || !how->labelled(&e->all))
        return bs_fail(err, BASIN_EDATA, "%s: has no labels to compare with; explain needs them",
                       files[0]);
    if (o->row < 0 || o->row > e->all.rows)
        return bs_fail(err, BASIN_EARG, "--row: %d is not one of the %s 1 to %d of the data",
                       o->row, unit, (int)e->all.rows);
    e->row.number = o->row;
    const int32_t one = o->row - 1;
    if (o->row > 0)
        s = e->m->task->select(&e->all, &one, 1, &e->one, err);
    if (!s)
        s = thin_out(e, most, err);
    if (!s && e->data.rows < e->all.rows)
        bs_log_say(&e->log, BS_INFO, "%d of %d %s are examined; --rows changes the number",
                   (int)e->data.rows, (int)e->all.rows, unit);
    return s;
}

static basin_status load(bs_explanation *e, const char *model, const char *encoder,
                         basin_error *err)
{
    basin_status s = bs_model_open(model, encoder, &e->log, &e->model, err);
    if (s)
        return s;
    e->m = e->model->saved;
    if (!bs_preprocess_share(&e->m->known, &e->arena, &e->known))
        return bs_fail_nomem(err);
    if (!bs_tool_of(e->m->task)->explain)
        return bs_fail(err, BASIN_EUNSUPPORTED, "energies of task %s cannot be explained",
                       e->m->task->name);
    if (e->m->has_energy)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "%s: trained by '%s', a plain net: there is no energy to explain; methods with "
                   "one are in 'basin list methods'",
                   model, e->m->settings.train.method);
}

/* "a.arff, b.arff" */
static const char *join_names(bs_explanation *e, const char *const *files, int n)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 20);
    for (int i = 0; i < n; i++)
        bs_buf_printf(&text, "%s%s", i ? ", " : "", files[i]);
    const char *copy =
        text.failed ? NULL : bs_arena_copy(&e->arena, text.data ? text.data : "", text.len);
    bs_buf_free(&text);
    return copy;
}

/* ---- all of it ---- */

static basin_status find_out(bs_explanation *e, const bs_task_explain *how, basin_error *err)
{
    const bs_model_file *m = e->m;
    const bs_hvp_kind    kind = m->task->products ? m->task->products(&m->spec) : BS_HVP_EXACT;
    basin_status         s = bs_workspace_open(e->where, &e->w, err);
    if (!s)
        s = bs_energy_probe_new(e->w, m->params, &m->spec, kind, &e->probe, err);
    if (!s)
        s = how->names(e, err);
    if (!s)
        s = how->look(e, err);
    if (!s)
        s = bs_task_go_on(e->stop, err);
    if (!s)
        s = bs_explain_steps(e, &e->data, &e->steps, err);
    if (!s)
        s = bs_explain_nets(e, err);
    if (!s && e->row.number > 0)
        s = how->row(e, err);
    if (!s && e->row.number > 0)
        s = bs_explain_steps(e, &e->one, &e->row.steps, err);
    return s ? s : bs_task_go_on(e->stop, err);
}

static void explanation_free(bs_explanation *e)
{
    for (int i = 0; i <= BS_EXPLAIN_IMAGES; i++) {
        bs_buf_free(&e->image[i].masks);
        bs_buf_free(&e->image[i].map);
    }
    bs_energy_probe_free(e->probe);
    if (e->w)
        bs_workspace_close(e->w);
    bs_dataset_free(&e->one);
    bs_dataset_free(&e->data);
    bs_dataset_free(&e->all);
    basin_model_free(e->model);
    bs_arena_free(&e->arena);
}

basin_status basin_explain(const char *model, const char *const *files, int n,
                           const basin_explain_options *o, const basin_session *session,
                           basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_explain_options none = {0};
    bs_explanation       *e;
    bs_buf                table, page, json;
    const double          start = bs_seconds();
    o = o ? o : &none;
    basin_status s = bs_need_model(model, files, n, out, err);
    if (!s)
        s = bs_need_where((bs_machine){o->device, o->threads}, err);
    if (s)
        return s;
    if (!(e = bs_calloc(1, sizeof *e)))
        return bs_fail_nomem(err);
    e->log = bs_session_log(session);
    e->stop = session ? session->stop : NULL;
    e->where = (bs_machine){o->device, o->threads};
    e->model_name = model;
    e->net = e->cost_net = NAN;
    bs_arena_init(&e->arena, 0);
    e->data_name = join_names(e, files, n);
    bs_buf_init(&table, 1 << 28);
    bs_buf_init(&page, (size_t)1 << 30);
    bs_buf_init(&json, (size_t)1 << 30);
    s = e->data_name ? load(e, model, o->encoder, err) : bs_fail_nomem(err);
    if (!s)
        s = read_data(e, bs_tool_of(e->m->task)->explain, files, n, o, err);
    if (!s)
        s = find_out(e, bs_tool_of(e->m->task)->explain, err);
    e->seconds = bs_seconds() - start;
    if (!s)
        bs_explain_show(e,
                        &(bs_doc){.text = &table, .page = o->html ? &page : NULL, .json = &json});
    if (!s && o->html) {
        s = page.failed ? bs_fail_nomem(err) : bs_write_file(o->html, page.data, page.len, err);
        bs_buf_text(&table, "\npage: ");
        bs_buf_visible(&table, o->html);
        bs_buf_text(&table, "\n");
    }
    s = bs_text_give(s, &table, &json, out, err);
    bs_buf_free(&page);
    explanation_free(e);
    bs_free(e);
    return s;
}
