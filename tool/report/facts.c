/* facts.c -- speed and memory, the data, the configuration.
 *
 * Times differ from one training to the next even if nothing else does: they are all in one
 * section, so that two reports of the same training can be compared without it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspect.h"
#include "report/report.h"
#include "doc/page.h"

/* ---- speed ---- */

static void bytes_cell(double bytes, bs_buf *out)
{
    bs_page_cell_begin("", bytes, out);
    char text[BS_FIXED_TEXT];
    if (isnan(bytes))
        bs_buf_text(out, "&ndash;");
    else if (bytes < 1e6)
        bs_buf_printf(out, "%s kB", bs_fixed(bytes / 1e3, 1, text));
    else
        bs_buf_printf(out, "%s MB", bs_fixed(bytes / 1e6, 1, text));
    bs_page_cell_end(out);
}

static void speed_row(const bs_report_group *g, int i, bs_buf *out)
{
    const bs_report_run *run = &g->run[i];
    char                 name[BS_OPTION_TEXT];
    bs_print(name, sizeof name, g->n > 1 ? "%.900s, seed %d" : "%.900s", g->name,
             run->settings.train.seed);
    bs_page_row_begin(out);
    bs_page_name(name, out);
    bs_page_number(isnan(run->epochs) ? run->history.epoch[run->history.n - 1] : run->epochs, 0,
                   out);
    bs_page_number(run->seconds, run->seconds < 10 ? 2 : 1, out);
    bs_page_number(run->rows_per_s, 0, out);
    bs_page_number(g->judged && run->model ? run->predict_rows_per_s : (double)NAN, 0, out);
    bytes_cell(run->peak_bytes, out);
    bytes_cell(run->model_bytes, out);
    bs_page_number(run->params_net, 0, out);
    bs_page_number(run->params_energy, 0, out);
    bs_page_cell(run->machine ? run->machine : "", out);
    bs_page_row_end(out);
}

void bs_report_speed(const bs_report *r)
{
    const bs_column column[] = {
        {.name = "run", .text = true},
        {.name = "epochs"},
        {.name = "train s", .help = "of the whole training, with its evaluations"},
        {.name = "train/s", .help = "rows, sentences or images per second in training steps"},
        {.name = "predict/s", .help = "the same in prediction, when this report was made"},
        {.name = "peak memory", .help = "of the process, at the end of the training"},
        {.name = "model file"},
        {.name = "net", .help = "parameters"},
        {.name = "energy", .help = "parameters"},
        {.name = "machine", .text = true}};
    bs_page_heading(2, "Speed and memory", r->out);
    bs_page_table_begin(column, sizeof column / sizeof column[0], BS_TABLE_SORTED, r->out);
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < r->group[i].n; k++)
            speed_row(&r->group[i], k, r->out);
    bs_page_table_end(r->out);
}

/* ---- data ---- */

/* Lines "key      text", continued by lines without a key, as a list. */
static void list_lines(const char *text, bs_buf *out)
{
    enum { KEY = 9 };
    bool open = false;
    bs_page_list_begin(out);
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "\n"), key = strcspn(at, " \n");
        size_t       from = n < KEY ? n : KEY;
        if (key > 0) {
            bs_buf_text(out, open ? "</dd>\n<dt>" : "<dt>");
            bs_page_escape_n(at, key < n ? key : n, out);
            bs_buf_text(out, "</dt><dd>");
            open = true;
            if (key >= KEY)
                from = key;
        } else if (open) {
            bs_buf_text(out, "; ");
        }
        while (from < n && at[from] == ' ')
            from++;
        if (open)
            bs_page_escape_n(at + from, n - from, out);
        at += n;
        at += *at == '\n';
    }
    bs_buf_text(out, open ? "</dd>\n" : "");
    bs_page_list_end(out);
}

static basin_status describe(const bs_report_group *g, int role, bs_buf *out, basin_error *err)
{
    const bs_dataset *part = &g->data->part[role], *train = &g->data->part[BS_ROLE_TRAIN];
    const char *file[] = {g->run[0].settings.train.file_train, g->run[0].settings.train.file_valid,
                          g->run[0].settings.train.file_test};
    char        title[BS_OPTION_TEXT + 64];
    bs_buf      text;
    if (!part->task)
        return BASIN_OK;
    bs_print(title, sizeof title, "%s: %s", bs_role_names[role],
             *file[role] ? file[role] : "taken from the training data");
    bs_buf_init(&text, 1 << 20);
    basin_status s = bs_data_describe(part, role == BS_ROLE_TRAIN ? NULL : train, &text, err);
    if (!s && text.failed)
        s = bs_fail_nomem(err);
    if (!s) {
        bs_page_heading(3, title, out);
        list_lines(text.data ? text.data : "", out);
    }
    bs_buf_free(&text);
    return s;
}

/* Groups trained on the same rows share a card. */
static bool had_before(const bs_report *r, int i)
{
    const bs_report_group *g = &r->group[i];
    for (int k = 0; k < i; k++)
        if (r->group[k].data && r->group[k].data->part[0].hash == g->data->part[0].hash &&
            r->group[k].data->part[1].hash == g->data->part[1].hash)
            return true;
    return false;
}

basin_status bs_report_card(const bs_report *r, basin_error *err)
{
    basin_status s = BASIN_OK;
    bs_page_heading(2, "Data", r->out);
    for (int i = 0; i < r->n && !s; i++) {
        const bs_report_group *g = &r->group[i];
        if (!g->data) {
            bs_page_say(r->out, "quiet", "%s: the data cannot be read now; see the top.", g->name);
            continue;
        }
        if (had_before(r, i))
            continue;
        if (r->n > 1)
            bs_page_say(r->out, "", "Of %s and all that share its data:", g->name);
        for (int role = 0; role < BS_ROLE_UNLABELLED && !s; role++)
            s = describe(g, role, r->out, err);
    }
    return s;
}

/* ---- configuration ---- */

typedef struct {
    bs_option   row[BS_SETTINGS_ROWS];
    bs_settings usual; /* of the method and task of the first group */
    bs_buf      value, other;
} settings_view;

static const char *value_of(const bs_option *row, const bs_settings *s, bs_buf *text)
{
    bs_buf_clear(text);
    bs_option_format(row, s, text);
    return text->data && text->len ? text->data : "";
}

static bool equal(settings_view *v, const bs_option *row, const bs_settings *a,
                  const bs_settings *b)
{
    const char *x = value_of(row, a, &v->value), *y = value_of(row, b, &v->other);
    return strcmp(x, y) == 0;
}

/* Settings as they are if only task and method are given. */
static basin_status usual_settings(const bs_settings *s, bs_settings *out, basin_error *err)
{
    basin_config *c;
    basin_status  status = basin_config_new(&c, err);
    if (!status)
        status = basin_config_set(c, "task", s->train.task, err);
    if (!status)
        status = bs_config_resolve(c, s->train.method, out, err);
    basin_config_free(c);
    return status;
}

/* Those with their usual values, or the others. */
static void setting_rows(settings_view *v, const bs_settings *s, bool usual, bs_buf *out)
{
    const bs_column column[] = {{.name = "key", .text = true},
                                {.name = "value", .text = true},
                                {.name = "usual", .text = true},
                                {.name = "meaning", .text = true}};
    bs_page_table_begin(column, sizeof column / sizeof column[0], BS_TABLE_SORTED, out);
    for (const bs_option *row = v->row; row->name; row++) {
        if (equal(v, row, s, &v->usual) != usual)
            continue;
        bs_page_row_begin(out);
        bs_page_name(row->name, out);
        bs_buf_text(out, "<td class=\"wrap\">");
        bs_page_escape(value_of(row, s, &v->value), out);
        bs_buf_text(out, "</td>");
        bs_page_cell(value_of(row, &v->usual, &v->value), out);
        bs_buf_text(out, "<td class=\"wrap\">");
        bs_page_escape(row->help, out);
        bs_buf_text(out, "</td>");
        bs_page_row_end(out);
    }
    bs_page_table_end(out);
}

static bool varies(const bs_report *r, settings_view *v, const bs_option *row)
{
    for (int i = 1; i < r->n; i++)
        if (!equal(v, row, &r->group[0].run[0].settings, &r->group[i].run[0].settings))
            return true;
    return false;
}

/* How the runs differ. */
static void difference(const bs_report *r, settings_view *v)
{
    bs_column column[1 + BS_REPORT_RUNS] = {{.name = "key", .text = true}};
    int       n = 0;
    for (int i = 0; i < r->n; i++)
        column[i + 1] = (bs_column){.name = r->group[i].name, .text = true};
    for (const bs_option *row = v->row; row->name; row++)
        n += varies(r, v, row);
    bs_page_heading(3, "How the runs differ", r->out);
    if (n == 0) {
        bs_page_say(r->out, "quiet", "Nothing: all settings are the same.");
        return;
    }
    bs_page_table_begin(column, r->n + 1, BS_TABLE_SORTED, r->out);
    for (const bs_option *row = v->row; row->name; row++) {
        if (!varies(r, v, row))
            continue;
        bs_page_row_begin(r->out);
        bs_page_name(row->name, r->out);
        for (int i = 0; i < r->n; i++) {
            bs_buf_text(r->out, "<td class=\"wrap\">");
            bs_page_escape(value_of(row, &r->group[i].run[0].settings, &v->value), r->out);
            bs_buf_text(r->out, "</td>");
        }
        bs_page_row_end(r->out);
    }
    bs_page_table_end(r->out);
}

static basin_status show_settings(const bs_report *r, settings_view *v, basin_error *err)
{
    basin_status s = BASIN_OK;
    if (r->n > 1)
        difference(r, v);
    for (int i = 0; i < r->n && !s; i++) {
        const bs_settings *own = &r->group[i].run[0].settings;
        char               title[BS_OPTION_TEXT];
        s = usual_settings(own, &v->usual, err);
        if (s)
            break;
        bs_print(title, sizeof title, "%.900s: what is not as usual for %.60s", r->group[i].name,
                 own->train.method);
        bs_page_details_begin(title, r->n == 1, r->out);
        setting_rows(v, own, false, r->out);
        bs_page_details_end(r->out);
        bs_page_details_begin("Everything else", false, r->out);
        setting_rows(v, own, true, r->out);
        bs_page_details_end(r->out);
    }
    return s;
}

basin_status bs_report_config(const bs_report *r, basin_error *err)
{
    settings_view *v = bs_calloc(1, sizeof *v);
    if (!v)
        return bs_fail_nomem(err);
    bs_settings_rows(v->row);
    bs_buf_init(&v->value, 1 << 16);
    bs_buf_init(&v->other, 1 << 16);
    bs_page_heading(2, "Configuration", r->out);
    basin_status s = show_settings(r, v, err);
    bs_buf_free(&v->value);
    bs_buf_free(&v->other);
    bs_free(v);
    return s;
}
