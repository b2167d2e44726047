/* history.c -- reads metrics.jsonl as curves, one for every number in it. */
#include "runs/history.h"

#include <math.h>
#include <string.h>

#include "base/io.h"
#include "base/tree.h"
#include "task/options.h"

enum { MOST_CURVES = 256, MOST_EPOCHS = 1 << 20, PATH = BS_OPTION_TEXT + 128 };

static char *keep(bs_arena *arena, const char *text)
{
    return bs_arena_copy(arena, text, strlen(text));
}

/* Keys that are not learnt quantities. */
static bool is_clock(const char *key)
{
    return strcmp(key, "epoch") == 0 || strcmp(key, "step") == 0 || strcmp(key, "seconds") == 0;
}

static bs_curve *curve_of(bs_arena *arena, bs_history *h, int lines, const char *where,
                          const char *name)
{
    for (int i = 0; i < h->curves; i++)
        if (strcmp(h->curve[i].name, name) == 0 && strcmp(h->curve[i].where, where) == 0)
            return &h->curve[i];
    if (h->curves == MOST_CURVES)
        return NULL;
    bs_curve c = {.name = keep(arena, name),
                  .where = keep(arena, where),
                  .value = bs_arena_alloc(arena, (size_t)lines * sizeof *c.value)};
    if (!c.name || !c.where || !c.value)
        return NULL;
    for (int i = 0; i < lines; i++)
        c.value[i] = NAN;
    h->curve[h->curves] = c;
    return &h->curve[h->curves++];
}

static bool add_values(bs_arena *arena, bs_history *h, int lines, const char *where, json_t *o)
{
    const char *key;
    json_t     *v;
    json_object_foreach(o, key, v)
    {
        if (!json_is_number(v) || (!*where && is_clock(key)))
            continue;
        bs_curve *c = curve_of(arena, h, lines, where, key);
        if (!c)
            return false;
        c->value[h->n] = json_number_value(v);
    }
    return true;
}

static bool add_line(bs_arena *arena, bs_history *h, int lines, json_t *line)
{
    const char  *key, *phase = json_string_value(json_object_get(line, "phase"));
    json_t      *v;
    const double epoch = bs_tree_number(line, "epoch");
    h->epoch[h->n] = epoch >= 1 && epoch <= MOST_EPOCHS ? floor(epoch) : h->n + 1;
    if (!add_values(arena, h, lines, "", line))
        return false;
    json_object_foreach(line, key, v) if (json_is_object(v) &&
                                          !add_values(arena, h, lines, key, v)) return false;
    if (phase && h->phases < BS_PHASES_SEEN &&
        (h->phases == 0 || strcmp(h->phase[h->phases - 1].name, phase) != 0)) {
        h->phase[h->phases].epoch = h->epoch[h->n];
        if (!(h->phase[h->phases++].name = keep(arena, phase)))
            return false;
    }
    h->seconds = bs_tree_number(line, "seconds");
    h->n++;
    return true;
}

static int count_lines(const bs_buf *text)
{
    int n = 1;
    for (size_t i = 0; i < text->len; i++)
        n += text->data[i] == '\n';
    return n;
}

basin_status bs_history_read(bs_arena *arena, const char *folder, bs_history *h, basin_error *err)
{
    char   path[PATH];
    bs_buf text;
    *h = (bs_history){0};
    bs_print(path, sizeof path, "%s/metrics.jsonl", folder);
    bs_buf_init(&text, (size_t)1 << 30);
    basin_status s = bs_read_file(path, &text, err);
    const int    lines = s ? 0 : count_lines(&text);
    h->epoch = bs_arena_alloc(arena, (size_t)lines * sizeof *h->epoch + 1);
    h->curve = bs_arena_alloc(arena, (MOST_CURVES + 1) * sizeof *h->curve);
    if (!s && (!h->epoch || !h->curve))
        s = bs_fail_nomem(err);
    for (const char *at = text.data, *end; !s && at && *at; at = end + 1) {
        if (!(end = strchr(at, '\n')))
            break;
        json_t *line = bs_tree_read(at, (size_t)(end - at), 0, NULL);
        if (!json_is_object(line))
            s = bs_fail(err, BASIN_EDATA, "%s:%d: is not a line of a run", path, h->n + 1);
        else if (!add_line(arena, h, lines, line))
            s = bs_fail_nomem(err);
        json_decref(line);
    }
    bs_buf_free(&text);
    return s;
}

const double *bs_history_find(const bs_history *h, const char *where, const char *name)
{
    for (int i = 0; i < h->curves; i++)
        if (strcmp(h->curve[i].name, name) == 0 && strcmp(h->curve[i].where, where) == 0)
            return h->curve[i].value;
    return NULL;
}
