/* list.c -- basin_list and basin_doctor: what is available, and what this build is. */
#include <omp.h>
#include <archive.h>
#include <expat.h>
#include <jansson.h>
#include <string.h>
#include <sys/utsname.h>

#ifdef BS_DNNL
#include <dnnl.h>
#endif

#include "basin_tool.h"
#include "base/find.h"
#include "device/cpu/blas.h"
#include "device/cpu/dense.h"
#include "device/cpu/vec.h"
#include "pretrained/pretrained.h"
#include "tasks/tasks.h"

static void line(bs_buf *table, bs_buf *json, const char *name, const char *help)
{
    bs_buf_printf(table, "%-22s %s\n", name, help);
    bs_json_text(json, NULL, name);
}

/* A line for something that belongs to a task, or to several. */
static void line_of(bs_buf *table, bs_buf *json, const char *tasks, const char *name,
                    const char *help)
{
    char text[200];
    bs_print(text, sizeof text, "%s (%s)", help, tasks);
    line(table, json, name, text);
}

static void list_methods(bs_buf *table, bs_buf *json)
{
    for (int i = 0; bs_methods[i]; i++) {
        char tasks[200];
        bs_method_tasks(bs_methods[i], tasks, sizeof tasks);
        line_of(table, json, tasks, bs_methods[i]->name, bs_methods[i]->help);
    }
}

static void list_devices(bs_buf *table, bs_buf *json)
{
    for (int i = 0; bs_devices[i]; i++)
        line(table, json, bs_devices[i]->name, bs_devices[i]->help);
}

static void list_tasks(bs_buf *table, bs_buf *json)
{
    for (int i = 0; bs_tasks[i]; i++)
        line(table, json, bs_tasks[i]->name, bs_tasks[i]->help);
}

/* Lines of a task. */
typedef struct {
    bs_buf     *table, *json;
    const char *task;
} lines;

static void put(void *to, const char *name, const char *help)
{
    const lines *l = to;
    line_of(l->table, l->json, l->task, name, help);
}

/* With the tasks that have what it reads. */
static void list_encoders(bs_buf *table, bs_buf *json)
{
    for (int i = 0; bs_encoders[i]; i++) {
        char tasks[200] = "";
        for (int k = 0; bs_tasks[k]; k++)
            if (bs_tasks[k]->reads == bs_encoders[i]->reads)
                bs_print(tasks + strlen(tasks), sizeof tasks - strlen(tasks), "%s%s",
                         tasks[0] ? " " : "", bs_tasks[k]->name);
        line_of(table, json, tasks, bs_encoders[i]->name, bs_encoders[i]->help);
    }
    for (int i = 0; bs_encoder_kinds[i].name; i++)
        line(table, json, bs_encoder_kinds[i].name, bs_encoder_kinds[i].help);
}

static void list_energies(bs_buf *table, bs_buf *json)
{
    const char *name, *help;
    for (int i = 0; bs_tasks[i]; i++) {
        const bs_named *kinds = bs_tasks[i]->energy_kinds;
        for (int k = 0; kinds && (name = bs_named_at(kinds, k, &help)); k++)
            line_of(table, json, bs_tasks[i]->name, name, help);
    }
}

static void list_readers(bs_buf *table, bs_buf *json)
{
    for (int i = 0; bs_tasks[i]; i++)
        if (bs_tool_of(bs_tasks[i])->readers)
            bs_tool_of(bs_tasks[i])->readers(put, &(lines){table, json, bs_tasks[i]->name});
}

static void list_metrics(bs_buf *table, bs_buf *json)
{
    for (int k = 0; bs_tasks[k]; k++)
        for (int i = 0; i < bs_tasks[k]->n_metrics; i++) {
            const bs_metric *m = &bs_tasks[k]->metric[i];
            line_of(table, json, bs_tasks[k]->name, m->name, m->help);
        }
}

static void list_options(bs_buf *table, bs_buf *json)
{
    bs_option row[BS_SETTINGS_ROWS];
    bs_settings_help(table);
    bs_settings_rows(row);
    for (int i = 0; row[i].name; i++)
        bs_json_text(json, NULL, row[i].name);
}

static void list_generators(bs_buf *table, bs_buf *json)
{
    for (int i = 0; bs_tasks[i]; i++) {
        const bs_option *rows = bs_tool_of(bs_tasks[i])->generator;
        const char      *kind = bs_tasks[i]->name;
        if (!rows)
            continue;
        bs_buf_printf(table, "%sbasin data make %s --set KEY=VALUE\n", i ? "\n" : "", kind);
        bs_options_help(rows, table);
        bs_json_open(json, NULL, '{');
        bs_json_text(json, "kind", kind);
        bs_json_open(json, "options", '[');
        for (int k = 0; rows[k].name; k++)
            bs_json_text(json, NULL, rows[k].name);
        bs_buf_text(json, "]}");
    }
}

static void list_space(bs_buf *table, bs_buf *json)
{
    enum { WIDTH = 100, NAME = 22 };
    for (int i = 0; bs_methods[i]; i++) {
        const char *at = bs_methods[i]->tunes ? bs_methods[i]->tunes : "";
        bs_buf_printf(table, "%-*s ", NAME, bs_methods[i]->name);
        bs_json_open(json, NULL, '{');
        bs_json_text(json, "method", bs_methods[i]->name);
        bs_json_open(json, "options", '[');
        for (int used = NAME; *at;) {
            const int n = (int)strcspn(at, " ");
            if (used + 1 + n > WIDTH) {
                bs_buf_printf(table, "\n%*s ", NAME, "");
                used = NAME;
            }
            bs_buf_printf(table, "%s%.*s", used > NAME ? " " : "", n, at);
            bs_json_text_n(json, NULL, at, (size_t)n);
            used += 1 + n;
            at += n;
            at += strspn(at, " ");
        }
        bs_buf_text(table, "\n");
        bs_buf_text(json, "]}");
    }
}

static const struct {
    const char *kind;
    void (*list)(bs_buf *table, bs_buf *json);
} kinds[] = {
    {"methods", list_methods},       {"energies", list_energies}, {"encoders", list_encoders},
    {"tasks", list_tasks},           {"readers", list_readers},   {"metrics", list_metrics},
    {"presets", bs_preset_list},     {"options", list_options},   {"space", list_space},
    {"generators", list_generators}, {"devices", list_devices}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

basin_status basin_list(const char *kind, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    const bs_named table_of_kinds = {"list: nothing", NULL, BS_NAMED_ROWS(kinds), .n = KINDS};
    bs_buf         table, json;
    int            i;
    basin_status   s = bs_need_text(out, BS_ARGUMENTS({"kind", kind}), err);
    if (!s)
        s = bs_find_named(&table_of_kinds, kind, &i, err);
    if (s)
        return s;
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 24);
    bs_json_open(&json, NULL, '{');
    bs_json_open(&json, kind, '[');
    kinds[i].list(&table, &json);
    bs_buf_text(&json, "]}");
    return bs_text_take(&table, &json, out, err);
}

static void print_dnnl(bs_buf *out)
{
#ifdef BS_DNNL
    const dnnl_version_t *v = dnnl_version();
    bs_buf_printf(out, "oneDNN         %d.%d.%d\n", v->major, v->minor, v->patch);
#else
    bs_buf_text(out, "oneDNN         not in this build\n");
#endif
}

/* OpenBLAS takes processors newer than itself for old ones. */
static void print_core(bs_buf *out, const char *isa)
{
    const char *core = bs_blas.core();
    bool        avx512 = strcmp(isa, "avx512") == 0;
    if (strcmp(isa, "plain") == 0 || bs_blas_unpacked(core) ||
        (!avx512 && (strcmp(core, "Haswell") == 0 || strcmp(core, "Zen") == 0)))
        return;
#ifdef BS_DNNL
    bs_buf_printf(out, "check          BLAS takes this processor for a %s: oneDNN multiplies\n",
                  core);
#else
    bs_buf_printf(
        out,
        "check          BLAS takes this processor for a %s, which is slow without oneDNN: "
        "OPENBLAS_CORETYPE=%s in the environment helps\n",
        core, avx512 ? "SkylakeX" : "Haswell");
#endif
}

basin_status basin_doctor(basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_buf         table, json;
    struct utsname machine = {0};
    basin_status   s = bs_need_text(out, BS_ARGUMENTS({"out", out}), err);
    if (s)
        return s;
    const bs_vec *vec = bs_vec_choose(err);
    s = vec ? bs_blas_load(err) : BASIN_EARG;
    if (s)
        return s;
    uname(&machine);
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 20);
    bs_buf_printf(&table,
                  "basin          %s\ncompiler       %s\nsystem         %s %s, %s\n"
                  "cores          %d\ninstructions   %s\nBLAS           %s\n"
                  "libarchive     %s\njansson        %s\nexpat          %s\n",
                  BASIN_VERSION, __VERSION__, machine.sysname, machine.release, machine.machine,
                  omp_get_num_procs(), vec->isa, bs_blas.config(), archive_version_string(),
                  JANSSON_VERSION, XML_ExpatVersion());
    print_dnnl(&table);
    for (int i = 0; bs_devices[i]; i++)
        bs_buf_printf(&table, "device         %s\n", bs_devices[i]->name);
    bool openmp = bs_blas.parallel() == 2;
    bs_buf_text(&table, openmp ? "check          BLAS uses OpenMP: good\n"
                               : "check          BLAS has threads of its own, which compete with "
                                 "ours: install the OpenMP flavour of OpenBLAS\n");
    print_core(&table, vec->isa);
    bs_json_open(&json, NULL, '{');
    bs_json_members(&json, "version %s instructions %s cores %d", BASIN_VERSION, vec->isa,
                    omp_get_num_procs());
    bs_json_bool(&json, "blas_openmp", openmp);
    bs_json_close(&json, '}');
    return bs_text_take(&table, &json, out, err);
}
