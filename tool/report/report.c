/* report.c -- basin_report: one page about one run, or several.
 *
 * The page is made from the run folders and the data that their configs name. What is unavailable
 * is left out, and the top of the page says so. */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "base/io.h"
#include "doc/page.h"

enum { PAGE = 1 << 28 };

static void report_init(bs_report *r, bs_buf *out, bs_machine where, bs_logger log)
{
    memset(r, 0, sizeof *r);
    bs_arena_init(&r->arena, 0);
    bs_notes_init(&r->left_out);
    bs_notes_init(&r->advice);
    bs_buf_init(&r->verdict, 1 << 16);
    bs_buf_init(out, PAGE);
    r->out = out;
    r->where = where;
    r->log = log;
}

static void report_free(bs_report *r)
{
    for (int i = 0; i < r->n; i++) {
        bs_report_group *g = &r->group[i];
        for (int k = 0; k < g->n; k++)
            bs_report_run_free(&g->run[k]);
        bs_report_bases_free(g);
        bs_free(g->run);
        bs_free(g->source);
        bs_dataset_free(&g->extra);
        if (g->own)
            bs_data_free(g->own);
        bs_free(g->own);
    }
    bs_notes_free(&r->left_out);
    bs_notes_free(&r->advice);
    bs_buf_free(&r->verdict);
    bs_arena_free(&r->arena);
    bs_buf_free(r->out);
}

/* ---- the top of the page ---- */

static void begin(const bs_report *r)
{
    bs_buf title, about;
    bs_buf_init(&title, 1 << 16);
    bs_buf_init(&about, 1 << 16);
    bs_buf_text(&title, "Report: ");
    for (int i = 0; i < r->n; i++)
        bs_buf_printf(&title, "%s%s", i ? ", " : "", r->group[i].name);
    const bs_train_options *o = &r->group[0].run[0].settings.train;
    bs_buf_printf(&about, "task %s \xC2\xB7 %s%s", o->task, r->n == 1 ? o->method : "several runs",
                  *o->file_train ? " \xC2\xB7 " : "");
    bs_buf_text(&about, o->file_train);
    r->out->failed = r->out->failed || title.failed || about.failed;
    if (!r->out->failed)
        bs_page_begin(title.data, about.data, r->out);
    bs_buf_free(&title);
    bs_buf_free(&about);
}

static void seeds_text(const bs_report_group *g, char text[64])
{
    const int first = g->run[0].settings.train.seed, last = g->run[g->n - 1].settings.train.seed;
    if (g->n == 1)
        bs_print(text, 64, "%d", first);
    else
        bs_print(text, 64, "%d (%d to %d)", g->n, first, last);
}

static void evaluated_on(const bs_report_group *g, bs_buf *out)
{
    const bs_train_options *o = &g->run[g->shown].settings.train;
    const bool              test = g->judged && strcmp(g->part_name, "test") == 0;
    const char             *file = test ? o->file_test : o->file_valid;
    if (!g->judged)
        return;
    bs_buf_printf(out, "%d %s of the %s part (%s)%s", (int)g->part->rows, g->task->unit,
                  test ? "test" : "validation", *file ? file : "taken from the training data",
                  test ? ""
                       : ": there is no test part, and the best epoch and the threshold were "
                         "chosen on these");
}

static void one_run(const bs_report_group *g, bs_buf *out)
{
    const bs_report_run *run = &g->run[g->shown];
    char                 seeds[64];
    bs_buf               text;
    bs_buf_init(&text, 1 << 16);
    seeds_text(g, seeds);
    bs_page_list_begin(out);
    bs_page_item(out, "method", "%s", run->settings.train.method);
    bs_page_item(out, g->n > 1 ? "seeds" : "seed", "%s", seeds);
    if (g->n == 1 && run->history.best > 0)
        bs_page_item(out, "best epoch", "%d of %.0f", run->history.best,
                     run->history.epoch[run->history.n - 1]);
    evaluated_on(g, &text);
    if (g->judged && !text.failed)
        bs_page_item(out, "evaluated on", "%s", text.data);
    bs_buf_clear(&text);
    if (run->model)
        g->task->known_text(&run->model->known, &text);
    if (run->model && !text.failed)
        bs_page_item(out, "data", "%s", text.data);
    if (run->model)
        bs_page_item(out, "inference", "%s", run->model->settings.train.infer);
    bs_page_list_end(out);
    out->failed = out->failed || text.failed;
    bs_buf_free(&text);
}

static void all_runs(const bs_report *r, bs_buf *out)
{
    const bs_column column[] = {{.name = "run", .text = true},
                                {.name = "method", .text = true},
                                {.name = "seeds", .text = true},
                                {.name = "best epoch"},
                                {.name = "evaluated on", .text = true}};
    bs_page_table_begin(column, sizeof column / sizeof column[0], 0, out);
    for (int i = 0; i < r->n; i++) {
        const bs_report_group *g = &r->group[i];
        char                   seeds[64];
        bs_buf                 text;
        bs_buf_init(&text, 1 << 16);
        seeds_text(g, seeds);
        evaluated_on(g, &text);
        bs_page_row_begin(out);
        bs_page_name(g->name, out);
        bs_page_cell(g->run[0].settings.train.method, out);
        bs_page_cell(seeds, out);
        bs_page_number(
            g->n == 1 && g->run[0].history.best > 0 ? g->run[0].history.best : (double)NAN, 0, out);
        bs_page_cell(text.data && !text.failed ? text.data : "", out);
        bs_page_row_end(out);
        out->failed = out->failed || text.failed;
        bs_buf_free(&text);
    }
    bs_page_table_end(out);
}

static void say_verdict(const bs_report *r)
{
    bs_page_say(r->out, "verdict", "%s", r->verdict.data);
    if (r->advice.n < 2)
        return;
    bs_buf_text(r->out, "<p class=\"quiet\">Besides: ");
    for (size_t i = 1; i < r->advice.n; i++) {
        bs_buf_text(r->out, i > 1 ? "; " : "");
        bs_page_escape(r->advice.note[i].text, r->out);
    }
    bs_buf_text(r->out, ".</p>\n");
}

static void top(const bs_report *r)
{
    begin(r);
    say_verdict(r);
    for (size_t i = 0; i < r->left_out.n; i++)
        bs_page_say(r->out, "warn", "%s.", r->left_out.note[i].text);
    if (r->n == 1)
        one_run(&r->group[0], r->out);
    else
        all_runs(r, r->out);
}

/* ---- the page ---- */

static basin_status look(bs_report *r, const bs_data *given, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < r->n && !s; i++) {
        bs_report_group *g = &r->group[i];
        g->level = r->n > 1 ? 3 : 2;
        g->where = r->where;
        s = bs_report_data(r, g, given, err);
        if (!s)
            s = bs_report_judge(r, g, err);
    }
    if (!s)
        s = bs_report_compare(r, err);
    for (int i = 0; i < r->n && !s; i++)
        s = bs_report_bases(r, &r->group[i], err);
    if (!s)
        s = bs_report_verdict(r, err);
    if (!s && r->left_out.failed)
        s = bs_fail_nomem(err);
    return s;
}

/* What the end of a page says when nothing had to be left out of it. */
static const char whole[] = "<!-- complete: all rows and files were there -->\n";

static basin_status draw(bs_report *r, basin_error *err)
{
    top(r);
    bs_report_scores(r);
    basin_status s = bs_report_curves(r, err);
    if (!s)
        s = bs_report_errors(r, err);
    if (!s) {
        bs_report_speed(r);
        s = bs_report_card(r, err);
    }
    if (!s)
        s = bs_report_config(r, err);
    if (r->left_out.n == 0)
        bs_buf_text(r->out, whole);
    bs_page_end(r->out);
    return !s && r->out->failed ? bs_fail_nomem(err) : s;
}

/* ---- text ---- */

static int last_cut(const bs_report_group *g)
{
    return bs_report_cuts(g) - 1;
}

static void group_json(const bs_report_group *g, bs_buf *out)
{
    static const char *const key[BS_CUTS] = {"metrics", "metrics_tuned"};
    double                   value[BS_MOST_METRICS], sd;
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "run %s method %s seeds %d part %s", g->name,
                    g->run[0].settings.train.method, g->n, g->judged ? g->part_name : NULL);
    if (g->judged)
        bs_json_int(out, "n", g->part->rows);
    for (int cut = 0; g->judged && cut < bs_report_cuts(g); cut++) {
        for (int i = 0; i < g->task->n_metrics; i++)
            bs_report_spread(g, cut, i, &value[i], &sd);
        bs_task_json_known(g->task, key[cut], value, out);
    }
    bs_json_close(out, '}');
}

static void notes_json(const char *key, const bs_notes *notes, bs_buf *out)
{
    bs_json_open(out, key, '[');
    for (size_t i = 0; i < notes->n; i++)
        bs_json_text(out, NULL, notes->note[i].text);
    bs_json_close(out, ']');
}

static void write_json(const bs_report *r, const char *path, bs_buf *out)
{
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "report %s bytes %lld task %s", path, (long long)r->out->len,
                    r->group[0].task->name);
    bs_json_open(out, "runs", '[');
    for (int i = 0; i < r->n; i++)
        group_json(&r->group[i], out);
    bs_json_close(out, ']');
    bs_json_text(out, "verdict", r->verdict.data);
    notes_json("advice", &r->advice, out);
    notes_json("left_out", &r->left_out, out);
    bs_json_close(out, '}');
}

static void write_table(const bs_report *r, const char *path, bs_buf *out)
{
    bool header = false;
    bs_buf_visible(out, r->verdict.data);
    bs_buf_text(out, "\n");
    for (int i = 0; i < r->n; i++) {
        const bs_report_group *g = &r->group[i];
        double                 value[BS_MOST_METRICS], sd;
        const int              cut = last_cut(g);
        if (!g->judged)
            continue;
        if (!header)
            bs_metric_header(g->task, out);
        header = true;
        const bs_preprocess *known = &g->run[g->shown].model->known;
        for (int m = 0; m < g->task->n_metrics; m++)
            bs_report_spread(g, g->task->metric[m].decided ? cut : BS_AT_HALF, m, &value[m], &sd);
        const bs_interval *v = &g->interval[cut][known->deciding];
        bs_metric_row(g->task, known, g->name, value, (v->hi - v->lo) / 2, out);
    }
    bs_buf_text(out, "wrote ");
    bs_buf_visible(out, path);
    bs_buf_printf(out, " (%.0f kB)\n", ceil((double)r->out->len / 1000));
}

/* ---- functions of the library ---- */

/* A page made with all the data is worth more than one that lists what is missing. */
static bool complete(const char *path)
{
    bs_buf text;
    bs_buf_init(&text, PAGE);
    const bool is = !bs_read_file(path, &text, NULL) && text.data && strstr(text.data, whole);
    bs_buf_free(&text);
    return is;
}

static basin_status write_page(const bs_report *r, const char *path, bool asked, basin_error *err)
{
    if (r->left_out.n > 0 && !asked && complete(path))
        return bs_fail(
            err, BASIN_EDATA,
            "%s is kept: it has what is no longer available; -o FILE writes a page without that",
            path);
    return bs_write_file(path, r->out->data, r->out->len, err);
}

basin_status basin_report(const char *const *runs, int n, const basin_report_options *o,
                          const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_report_options none = {0};
    bs_report           *r;
    char                 path[BS_OPTION_TEXT + 64];
    bs_buf               page, table, json;
    o = o ? o : &none;
    basin_status s = bs_need_text(out, BS_ARGUMENTS({"runs", runs}), err);
    if (!s && n < 1)
        s = bs_fail(err, BASIN_EARG, "no run given");
    if (!s)
        s = bs_need_files(runs, n, err);
    if (!s)
        s = bs_need_where((bs_machine){o->device, o->threads}, err);
    if (s)
        return s;
    if (!(r = bs_calloc(1, sizeof *r)))
        return bs_fail_nomem(err);
    report_init(r, &page, (bs_machine){o->device, o->threads}, bs_session_log(session));
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 24);
    for (int i = 0; i < n && !s; i++)
        s = bs_report_open(r, runs[i], err);
    if (!s && o->path)
        bs_print(path, sizeof path, "%.*s", BS_OPTION_TEXT, o->path);
    else if (!s)
        bs_print(path, sizeof path, n == 1 ? "%s/report.html" : "report.html", runs[0]);
    if (!s)
        s = look(r, NULL, err);
    if (!s)
        s = draw(r, err);
    for (size_t i = 0; !s && i < r->left_out.n; i++)
        bs_log_say(&r->log, BS_WARN, "%s", r->left_out.note[i].text);
    if (!s)
        s = write_page(r, path, o->path, err);
    if (!s) {
        write_json(r, path, &json);
        write_table(r, path, &table);
        s = bs_text_take(&table, &json, out, err);
    }
    bs_buf_free(&table);
    bs_buf_free(&json);
    report_free(r);
    bs_free(r);
    return s;
}

/* The training is saved; failing to make its page is worth a warning, not an error. */
bool bs_report_after(const char *folder, const bs_data *data, bs_machine where, bs_logger *log)
{
    bs_report  *r = bs_calloc(1, sizeof *r);
    char        path[BS_OPTION_TEXT + 64];
    basin_error err = {0};
    bs_buf      page;
    if (!r)
        return false;
    report_init(r, &page, where, *log);
    bs_print(path, sizeof path, "%s/report.html", folder);
    basin_status s = bs_report_open(r, folder, &err);
    if (!s)
        s = look(r, data, &err);
    if (!s)
        s = draw(r, &err);
    if (!s)
        s = bs_write_file(path, page.data, page.len, &err);
    if (s)
        bs_log_say(log, BS_WARN, "%s was not written: %s", path, err.msg);
    report_free(r);
    bs_free(r);
    return !s;
}
