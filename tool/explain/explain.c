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

basin_status bs_explain_go_on(const bs_explanation *e, basin_error *err)
{
    if (bs_stop_asked(e->stop))
        return bs_fail(err, BASIN_EINTERRUPTED, "stopped on request; nothing was written");
    return BASIN_OK;
}

static basin_status agree(bs_explanation *e, basin_error *err)
{
    bs_explained_pairs *p = &e->pairs;
    const int           n = p->n, S = n <= FEW ? MANY_SHUFFLES : FEW_SHUFFLES;
    const bool          two = p->ordered;
    basin_status        s =
        bs_pairs_agree(p->interaction, p->count, NULL, n, two, S, 1, &p->with_count, err);
    if (!s)
        s = bs_pairs_agree(p->interaction, p->count, p->expected, n, two, S, 2, &p->given_expected,
                           err);
    if (!s)
        s = bs_pairs_agree(p->interaction, p->information, NULL, n, two, S, 3, &p->with_information,
                           err);
    if (!s)
        s = bs_pairs_centre(p->interaction, n, two, p->own, err);
    if (!s)
        s = bs_pairs_agree(p->own, p->information, NULL, n, two, S, 4, &p->own_with_information,
                           err);
    return s;
}

static basin_status group(bs_explanation *e, double *rank, basin_error *err)
{
    static const double least[BS_EXPLAIN_GROUPS] = {0, 1, 2, 5, 10, 20, 50, 100};
    bs_explained_pairs *p = &e->pairs;
    const size_t        n = (size_t)p->n;
    basin_status        s = bs_pairs_rank(p->interaction, p->n, p->ordered, rank, err);
    p->groups = BS_EXPLAIN_GROUPS;
    for (int g = 0; g < p->groups && !s; g++) {
        bs_explained_group *to = &p->group[g];
        to->least = least[g];
        to->most = g + 1 < p->groups ? least[g + 1] - 1 : INFINITY;
        for (size_t i = 0; i < n; i++)
            for (size_t j = p->ordered ? 0 : i + 1; j < n; j++) {
                const size_t at = i * n + j;
                if (i == j || p->count[at] < to->least || p->count[at] > to->most)
                    continue;
                to->rank += rank[at];
                to->mean += p->interaction[at];
                to->pairs++;
            }
        to->rank /= to->pairs > 0 ? (double)to->pairs : 1;
        to->mean /= to->pairs > 0 ? (double)to->pairs : 1;
    }
    return s;
}

basin_status bs_explain_compare(bs_explanation *e, double rows, basin_error *err)
{
    bs_explained_pairs *p = &e->pairs;
    const int32_t       n = p->n;
    double             *room = bs_explain_matrix(e, n, n);
    p->moves_local = p->moves_shared = NAN;
    p->own = bs_explain_matrix(e, n, n);
    p->expected = bs_explain_matrix(e, n, n);
    p->information = bs_explain_matrix(e, n, n);
    p->order = bs_arena_alloc(&e->arena, (size_t)n * sizeof *p->order);
    if (!p->own || !p->expected || !p->information || !p->order || !room)
        return bs_fail_nomem(err);
    basin_status s = bs_pairs_expected(p->count, n, rows, p->ordered, p->expected, err);
    if (s)
        return s;
    bs_pairs_information(p->count, p->expected, n, p->information);
    for (int32_t i = 0; i < n; i++)
        p->order[i] = i;
    if (!p->ordered)
        s = bs_pairs_order(p->count, n, p->order, err);
    if (!s)
        s = agree(e, err);
    return s ? s : group(e, room, err);
}

void bs_explain_flip(bs_explained_row *r, const bs_explained_term *t)
{
    int at = r->n_flips;
    if (at == BS_EXPLAIN_FLIPS && !(t->change < r->flip[at - 1].change))
        return;
    at = at == BS_EXPLAIN_FLIPS ? at - 1 : r->n_flips++;
    for (; at > 0 && t->change < r->flip[at - 1].change; at--)
        r->flip[at] = r->flip[at - 1];
    r->flip[at] = *t;
}

int bs_explain_strongest(const bs_explanation *e, bool positive, int most, bs_explained_pair *out)
{
    const bs_explained_pairs *p = &e->pairs;
    const size_t              n = (size_t)p->n;
    const double              sign = positive ? 1 : -1;
    int                       found = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = p->ordered ? 0 : i + 1; j < n; j++) {
            const double v = sign * p->interaction[i * n + j];
            const bool   occur = p->ordered || (p->count[i * n + i] > 0 && p->count[j * n + j] > 0);
            if (!occur || !(v > 0))
                continue;
            int at = found;
            while (at > 0 &&
                   v > sign * p->interaction[(size_t)out[at - 1].i * n + (size_t)out[at - 1].j])
                at--;
            if (at == most)
                continue;
            found += found < most;
            memmove(out + at + 1, out + at, (size_t)(found - 1 - at) * sizeof *out);
            out[at] = (bs_explained_pair){(int32_t)i, (int32_t)j};
        }
    return found;
}

void bs_explain_rings(const double *v, double out[BS_EXPLAIN_REACH])
{
    double n[BS_EXPLAIN_REACH] = {0};
    memset(out, 0, BS_EXPLAIN_REACH * sizeof *out);
    for (int y = -BS_EXPLAIN_REACH; y <= BS_EXPLAIN_REACH; y++)
        for (int x = -BS_EXPLAIN_REACH; x <= BS_EXPLAIN_REACH; x++) {
            const int    d = (int)(sqrt((double)(x * x + y * y)) + 0.5);
            const double a = v[(y + BS_EXPLAIN_REACH) * BS_EXPLAIN_SIDE + x + BS_EXPLAIN_REACH];
            if (d < 1 || d > BS_EXPLAIN_REACH || !isfinite(a))
                continue;
            out[d - 1] += a;
            n[d - 1] += 1;
        }
    for (int d = 0; d < BS_EXPLAIN_REACH; d++)
        out[d] = n[d] > 0 ? out[d] / n[d] : NAN;
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

static basin_status load(bs_explanation *e, const char *model, basin_error *err)
{
    basin_status s = bs_model_open(model, &e->log, &e->model, err);
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
    basin_status         s = bs_workspace_open(e->where, &e->w, err);
    if (!s)
        s = bs_energy_probe_new(e->w, m->params, &m->spec, how->products(&m->spec), &e->probe, err);
    if (!s)
        s = how->names(e, err);
    if (!s)
        s = how->look(e, err);
    if (!s)
        s = bs_explain_go_on(e, err);
    if (!s)
        s = bs_explain_steps(e, &e->data, &e->steps, err);
    if (!s && e->row.number > 0)
        s = how->row(e, err);
    if (!s && e->row.number > 0)
        s = bs_explain_steps(e, &e->one, &e->row.steps, err);
    return s ? s : bs_explain_go_on(e, err);
}

static basin_status write_page(const bs_explanation *e, const char *path, basin_error *err)
{
    bs_buf page;
    bs_buf_init(&page, (size_t)1 << 30);
    bs_explain_show(e, &(bs_doc){.page = &page});
    basin_status s =
        page.failed ? bs_fail_nomem(err) : bs_write_file(path, page.data, page.len, err);
    bs_buf_free(&page);
    return s;
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
    bs_buf                table, json;
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
    e->nets.net = e->nets.cost = NAN;
    bs_arena_init(&e->arena, 0);
    e->data_name = join_names(e, files, n);
    bs_buf_init(&table, 1 << 28);
    bs_buf_init(&json, (size_t)1 << 30);
    s = e->data_name ? load(e, model, err) : bs_fail_nomem(err);
    if (!s)
        s = read_data(e, bs_tool_of(e->m->task)->explain, files, n, o, err);
    if (!s)
        s = find_out(e, bs_tool_of(e->m->task)->explain, err);
    e->seconds = bs_seconds() - start;
    if (!s && o->html)
        s = write_page(e, o->html, err);
    if (!s) {
        bs_explain_show(e, &(bs_doc){.text = &table});
        if (o->html) {
            bs_buf_text(&table, "\npage: ");
            bs_buf_visible(&table, o->html);
            bs_buf_text(&table, "\n");
        }
        bs_explain_json(e, &json);
        s = bs_text_take(&table, &json, out, err);
    }
    bs_buf_free(&table);
    bs_buf_free(&json);
    explanation_free(e);
    bs_free(e);
    return s;
}
