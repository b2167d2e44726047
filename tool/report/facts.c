/* facts.c -- speed and memory, the data, the configuration.
 *
 * Times differ from one training to the next even if nothing else does: they are all in one
 * section, so that two reports of the same training can be compared without it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspect.h"
#include "report/report.h"

/* ---- speed ---- */

static bs_cell bytes_cell(double bytes, char text[BS_FIXED_TEXT + 4])
{
    char       number[BS_FIXED_TEXT];
    bs_cell    c = bs_cell_number(bytes, 0);
    const bool small = bytes < 1e6;
    if (isnan(bytes))
        return c;
    bs_print(text, BS_FIXED_TEXT + 4, "%s %s", bs_fixed(bytes / (small ? 1e3 : 1e6), 1, number),
             small ? "kB" : "MB");
    c.text = text;
    return c;
}

static void speed_row(const bs_report_group *g, int i, bs_doc *d)
{
    const bs_report_run *run = &g->run[i];
    char                 name[BS_OPTION_TEXT], bytes[2][BS_FIXED_TEXT + 4];
    bs_print(name, sizeof name, g->n > 1 ? "%.900s, seed %d" : "%.900s", g->name,
             run->settings.train.seed);
    BS_ROW(d, bs_cell_name(name),
           bs_cell_number(isnan(run->epochs) ? run->history.epoch[run->history.n - 1] : run->epochs,
                          0),
           bs_cell_number(run->seconds, run->seconds < 10 ? 2 : 1),
           bs_cell_number(run->rows_per_s, 0),
           bs_cell_number(g->judged && run->model ? run->predict_rows_per_s : (double)NAN, 0),
           bytes_cell(run->peak_bytes, bytes[0]), bytes_cell(run->model_bytes, bytes[1]),
           bs_cell_number(run->params_net, 0), bs_cell_number(run->params_energy, 0),
           bs_cell_text(run->machine ? run->machine : ""));
}

void bs_report_speed(const bs_report *r, bs_doc *d)
{
    static const bs_column column[] = {
        {.name = "run", .text = true, .key = "run"},
        {.name = "epochs", .key = "epochs"},
        {.name = "train s",
         .help = "of the whole training, with its evaluations",
         .key = "seconds"},
        {.name = "train/s",
         .help = "rows, sentences or images per second in training steps",
         .key = "train_rows_per_s"},
        {.name = "predict/s",
         .help = "the same in prediction, when this report was made",
         .key = "predict_rows_per_s"},
        {.name = "peak memory",
         .help = "of the process, at the end of the training",
         .key = "peak_bytes"},
        {.name = "model file", .key = "model_bytes"},
        {.name = "net", .help = "parameters", .key = "params_net"},
        {.name = "energy", .help = "parameters", .key = "params_energy"},
        {.name = "machine", .text = true, .only = BS_COLUMN_PAGE, .key = "machine"}};
    bs_doc_heading(d, 2, "Speed and memory");
    BS_TABLE(d, "speed", column, BS_TABLE_SORTED);
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < r->group[i].n; k++)
            speed_row(&r->group[i], k, d);
    bs_doc_table_end(d);
}

/* ---- data ---- */

/* Lines "key      text", continued by lines without a key, as a list. */
static void list_lines(const char *text, bs_buf *out)
{
    enum { KEY = 9 };
    bool open = false;
    bs_page_put("<dl>\n", out);
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
    bs_page_put(open ? "</dd>\n</dl>\n" : "</dl>\n", out);
}

static basin_status describe(const bs_report_group *g, int role, bs_buf *page, basin_error *err)
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
        bs_page_heading(3, title, page);
        list_lines(text.data ? text.data : "", page);
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

basin_status bs_report_card(const bs_report *r, bs_buf *page, basin_error *err)
{
    basin_status s = BASIN_OK;
    bs_page_heading(2, "Data", page);
    for (int i = 0; i < r->n && !s; i++) {
        const bs_report_group *g = &r->group[i];
        if (!g->data) {
            bs_page_say(page, "quiet", "%s: the data cannot be read now; see the top.", g->name);
            continue;
        }
        if (had_before(r, i))
            continue;
        if (r->n > 1)
            bs_page_say(page, "", "Of %s and all that share its data:", g->name);
        for (int role = 0; role < BS_ROLE_UNLABELLED && !s; role++)
            s = describe(g, role, page, err);
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
static void setting_rows(settings_view *v, const bs_settings *s, bool usual, bs_doc *d)
{
    static const bs_column column[] = {{.name = "key", .text = true, .key = "key"},
                                       {.name = "value", .text = true, .key = "value"},
                                       {.name = "usual", .text = true, .key = "usual"},
                                       {.name = "meaning", .text = true, .only = BS_COLUMN_PAGE}};
    BS_TABLE(d, NULL, column, BS_TABLE_SORTED);
    for (const bs_option *row = v->row; row->name; row++)
        if (bs_option_differs(row, s, &v->usual, &v->value) != usual)
            BS_ROW(d, bs_cell_name(row->name),
                   bs_cell_of(BS_CELL_WRAP, value_of(row, s, &v->value)),
                   bs_cell_text(value_of(row, &v->usual, &v->other)),
                   bs_cell_of(BS_CELL_WRAP, row->help));
    bs_doc_table_end(d);
}

static bool varies(const bs_report *r, settings_view *v, const bs_option *row)
{
    for (int i = 1; i < r->n; i++)
        if (bs_option_differs(row, &r->group[0].run[0].settings, &r->group[i].run[0].settings,
                              &v->value))
            return true;
    return false;
}

/* How the runs differ. */
static void difference(const bs_report *r, settings_view *v, bs_doc *d)
{
    bs_column column[1 + BS_REPORT_RUNS] = {{.name = "key", .text = true}};
    bs_buf    value[BS_REPORT_RUNS];
    int       n = 0;
    for (int i = 0; i < r->n; i++) {
        column[i + 1] = (bs_column){.name = r->group[i].name, .text = true};
        bs_buf_init(&value[i], 1 << 16);
    }
    bs_doc_heading(d, 3, "How the runs differ");
    bs_doc_table(d, NULL, column, r->n + 1, BS_TABLE_SORTED);
    for (const bs_option *row = v->row; row->name; row++) {
        bs_cell cell[1 + BS_REPORT_RUNS] = {bs_cell_name(row->name)};
        if (!varies(r, v, row))
            continue;
        for (int i = 0; i < r->n; i++)
            cell[i + 1] =
                bs_cell_of(BS_CELL_WRAP, value_of(row, &r->group[i].run[0].settings, &value[i]));
        bs_doc_row(d, cell, r->n + 1);
        n++;
    }
    bs_doc_table_end(d);
    if (n == 0)
        bs_doc_say(d, "quiet", "Nothing: all settings are the same.");
    for (int i = 0; i < r->n; i++)
        bs_buf_free(&value[i]);
}

static basin_status show_settings(const bs_report *r, settings_view *v, bs_doc *d, basin_error *err)
{
    basin_status s = BASIN_OK;
    if (r->n > 1)
        difference(r, v, d);
    for (int i = 0; i < r->n && !s; i++) {
        const bs_settings *own = &r->group[i].run[0].settings;
        char               title[BS_OPTION_TEXT];
        s = usual_settings(own, &v->usual, err);
        if (s)
            break;
        bs_print(title, sizeof title, "%.900s: what is not as usual for %.60s", r->group[i].name,
                 own->train.method);
        bs_doc_details_begin(d, title, r->n == 1);
        setting_rows(v, own, false, d);
        bs_doc_details_end(d);
        bs_doc_details_begin(d, "Everything else", false);
        setting_rows(v, own, true, d);
        bs_doc_details_end(d);
    }
    return s;
}

basin_status bs_report_config(const bs_report *r, bs_doc *d, basin_error *err)
{
    settings_view *v = bs_calloc(1, sizeof *v);
    if (!v)
        return bs_fail_nomem(err);
    bs_settings_rows(v->row);
    bs_buf_init(&v->value, 1 << 16);
    bs_buf_init(&v->other, 1 << 16);
    bs_page_heading(2, "Configuration", d->page);
    basin_status s = show_settings(r, v, d, err);
    bs_buf_free(&v->value);
    bs_buf_free(&v->other);
    bs_free(v);
    return s;
}
