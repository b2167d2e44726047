/* report.c -- basin_report: one page about one run, or several.
 *
 * The page is made from the run folders and the data that their configs name. What is unavailable
 * is left out, and the top of the page says so. */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "base/io.h"

enum { PAGE = 1 << 28, BRIEF = 5 /* rows of a table in a terminal */ };

/* What is shown: on the page, and shorter in a terminal, if `text`. */
static void report_init(bs_report *r, bool text, bs_machine where, bs_logger log)
{
    memset(r, 0, sizeof *r);
    bs_arena_init(&r->arena, 0);
    bs_arena_init(&r->room, 0);
    bs_notes_init(&r->left_out);
    bs_notes_init(&r->advice);
    bs_buf_init(&r->verdict, 1 << 16);
    bs_buf_init(&r->page, PAGE);
    bs_buf_init(&r->table, 1 << 24);
    bs_buf_init(&r->sections, 1 << 24);
    r->doc = (bs_doc){.page = &r->page, .brief = BRIEF, .json = &r->sections};
    r->doc.text = text ? &r->table : NULL;
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
    bs_buf_free(&r->page);
    bs_buf_free(&r->table);
    bs_buf_free(&r->sections);
    bs_arena_free(&r->arena);
    bs_arena_free(&r->room);
    bs_free(r);
}

/* ---- the top ---- */

static void begin(const bs_report *r, bs_buf *page)
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
    page->failed = page->failed || title.failed || about.failed;
    if (!page->failed)
        bs_page_begin(title.data, about.data, page);
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

static const char *evaluated_on(const bs_report_group *g, char text[BS_OPTION_TEXT + 256])
{
    const bs_train_options *o = &g->run[g->shown].settings.train;
    const bool              test = g->judged && strcmp(g->part_name, "test") == 0;
    const char             *file = test ? o->file_test : o->file_valid;
    if (!g->judged)
        return "";
    bs_print(text, BS_OPTION_TEXT + 256, "%d %s of the %s part (%s)%s", (int)g->part->rows,
             g->task->unit, test ? "test" : "validation",
             *file ? file : "taken from the training data",
             test ? ""
                  : ": there is no test part, and the best epoch and the threshold were chosen on "
                    "these");
    return text;
}

static void one_run(const bs_report_group *g, bs_doc *d)
{
    const bs_report_run *run = &g->run[g->shown];
    char                 seeds[64], text[BS_OPTION_TEXT + 256];
    bs_buf               known;
    bs_buf_init(&known, 1 << 16);
    seeds_text(g, seeds);
    bs_doc_list_begin(d);
    bs_doc_item(d, "method", "%s", run->settings.train.method);
    bs_doc_item(d, g->n > 1 ? "seeds" : "seed", "%s", seeds);
    if (g->n == 1 && run->history.best > 0)
        bs_doc_item(d, "best epoch", "%d of %.0f", run->history.best,
                    run->history.epoch[run->history.n - 1]);
    if (g->judged)
        bs_doc_item(d, "evaluated on", "%s", evaluated_on(g, text));
    if (run->model)
        g->task->known_text(&run->model->known, &known);
    if (run->model && !known.failed)
        bs_doc_item(d, "data", "%s", known.data);
    if (run->model)
        bs_doc_item(d, "inference", "%s", run->model->settings.train.infer);
    bs_doc_list_end(d);
    d->page->failed = d->page->failed || known.failed;
    bs_buf_free(&known);
}

static void all_runs(const bs_report *r, bs_doc *d)
{
    static const bs_column column[] = {
        {.name = "run", .text = true},
        {.name = "method", .text = true},
        {.name = "seeds", .text = true},
        {.name = "best epoch"},
        {.name = "evaluated on", .text = true, .only = BS_COLUMN_PAGE}};
    BS_TABLE(d, NULL, column, 0);
    for (int i = 0; i < r->n; i++) {
        const bs_report_group *g = &r->group[i];
        const int              best = g->n == 1 ? g->run[0].history.best : 0;
        char                   seeds[64], text[BS_OPTION_TEXT + 256];
        seeds_text(g, seeds);
        BS_ROW(d, bs_cell_name(g->name), bs_cell_text(g->run[0].settings.train.method),
               bs_cell_text(seeds), bs_cell_number(best > 0 ? best : (double)NAN, 0),
               bs_cell_text(evaluated_on(g, text)));
    }
    bs_doc_table_end(d);
}

static void top(bs_report *r, bs_doc *d)
{
    bs_buf more;
    begin(r, d->page);
    bs_doc_tell(d, "verdict", &r->verdict);
    bs_buf_init(&more, 1 << 16);
    for (size_t i = 1; i < r->advice.n; i++)
        bs_buf_printf(&more, "%s%s", i > 1 ? "; " : "Besides: ", r->advice.note[i].text);
    bs_buf_text(&more, more.len > 0 ? "." : "");
    bs_doc_tell(d, "quiet", &more);
    bs_buf_free(&more);
    for (size_t i = 0; i < r->left_out.n; i++) /* a terminal got them as warnings */
        bs_page_say(d->page, "warn", "%s.", r->left_out.note[i].text);
    if (r->n == 1)
        one_run(&r->group[0], d);
    else
        all_runs(r, d);
}

/* ---- the page ---- */

static basin_status look(bs_report *r, const bs_data *given, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < r->n && !s; i++) {
        bs_report_group *g = &r->group[i];
        g->level = r->n > 1 ? 3 : 2;
        g->where = r->where;
        g->room = &r->room;
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
    bs_doc *d = &r->doc;
    top(r, d);
    bs_report_scores(r, d);
    basin_status s = bs_report_curves(r, d->page, err);
    if (!s)
        s = bs_report_errors(r, d, err);
    if (!s) {
        bs_report_speed(r, d);
        s = bs_report_card(r, d->page, err);
    }
    if (!s)
        s = bs_report_config(r, d, err);
    if (r->left_out.n == 0)
        bs_buf_text(d->page, whole);
    bs_page_end(d->page);
    return !s && r->page.failed ? bs_fail_nomem(err) : s;
}

/* ---- JSON ---- */

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
    bs_json_members(out, "report %s bytes %lld task %s", path, (long long)r->page.len,
                    r->group[0].task->name);
    bs_json_open(out, "runs", '[');
    for (int i = 0; i < r->n; i++)
        group_json(&r->group[i], out);
    bs_json_close(out, ']');
    bs_json_text(out, "verdict", r->verdict.data);
    notes_json("advice", &r->advice, out);
    notes_json("left_out", &r->left_out, out);
    bs_buf_printf(out, ", %s", r->sections.failed ? "" : r->sections.data);
    bs_json_close(out, '}');
    out->failed = out->failed || r->sections.failed;
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
    return bs_write_file(path, r->page.data, r->page.len, err);
}

basin_status basin_report(const char *const *runs, int n, const basin_report_options *o,
                          const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_report_options none = {0};
    bs_report           *r;
    char                 path[BS_OPTION_TEXT + 64];
    bs_buf               json;
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
    report_init(r, true, (bs_machine){o->device, o->threads}, bs_session_log(session));
    r->encoder = o->encoder;
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
        bs_buf_text(&r->table, "\nwrote ");
        bs_buf_visible(&r->table, path);
        bs_buf_printf(&r->table, " (%.0f kB)\n", ceil((double)r->page.len / 1000));
    }
    s = bs_text_give(s, &r->table, &json, out, err);
    report_free(r);
    return s;
}

/* The training is saved; failing to make its page is worth a warning, not an error. */
bool bs_report_after(const char *folder, const bs_data *data, bs_machine where, bs_logger *log)
{
    bs_report  *r = bs_calloc(1, sizeof *r);
    char        path[BS_OPTION_TEXT + 64];
    basin_error err = {0};
    if (!r)
        return false;
    report_init(r, false, where, *log);
    bs_print(path, sizeof path, "%s/report.html", folder);
    basin_status s = bs_report_open(r, folder, &err);
    if (!s)
        s = look(r, data, &err);
    if (!s)
        s = draw(r, &err);
    if (!s)
        s = bs_write_file(path, r->page.data, r->page.len, &err);
    if (s)
        bs_log_say(log, BS_WARN, "%s was not written: %s", path, err.msg);
    report_free(r);
    return !s;
}
