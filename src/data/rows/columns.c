/* columns.c -- what readers of tables share: which columns are labels, and adding features, labels
 * and categories to the rows being built. */
#include <string.h>

#include "data/rows/cell.h"
#include "data/scan.h"

/* --- which are labels ---------------------------------------------------- */

basin_status bs_mark_trained(const bs_reading *r, const char *const *names, int32_t n,
                             uint8_t *mark, int32_t *found)
{
    const bs_schema *like = r->o->like;
    bs_names         known = {0};
    bool             ok = !like || bs_names_of(&known, like->label, like->n_labels);
    *found = 0;
    for (int32_t i = 0; ok && i < n; i++) {
        mark[i] = bs_names_find(&known, names[i], strlen(names[i])) >= 0;
        *found += mark[i];
    }
    bs_names_free(&known);
    return ok ? BASIN_OK : bs_fail_nomem(r->err);
}

basin_status bs_choose_labels(const bs_reading *r, const char *const *names, int32_t n,
                              const uint8_t *dropped, uint8_t *mark, int32_t *found)
{
    bs_source   *source = &r->b->ds->source;
    const bool   option = r->o->labels[0];
    int32_t      marked;
    basin_status s =
        option ? bs_select_labels(r, names, n, mark) : bs_mark_trained(r, names, n, mark, &marked);
    *found = marked = 0;
    for (int32_t i = 0; !s && i < n; i++) {
        marked += mark[i];
        *found += mark[i] = mark[i] && !dropped[i];
    }
    if (!s && option && marked && !*found)
        return bs_error_at(r, 0, 0, "--drop leaves out every column that holds labels");
    if (option || *found)
        bs_print(source->labels_from, sizeof source->labels_from, "%s",
                 option ? "--labels" : "the training data");
    return s;
}

/* --- adding them --------------------------------------------------------- */

basin_status bs_add_label(const bs_reading *r, long line, const char *name, size_t len,
                          int32_t *label)
{
    bool fresh;
    *label = bs_names_add(&r->b->labels, name, len, &fresh);
    if (*label >= r->o->max_labels)
        return bs_error_at(r, line, 0, "more than %d labels; data.max_labels allows more",
                           r->o->max_labels);
    return *label < 0 ? bs_fail_nomem(r->err) : BASIN_OK;
}

basin_status bs_add_listed_label(const bs_reading *r, long line, const char *name, size_t len,
                                 int32_t *label)
{
    const bs_names *known = &r->label_names;
    int64_t         k;
    if (known->n == 0)
        return bs_add_label(r, line, name, len, label);
    *label = bs_names_find(known, name, len);
    if (*label >= 0)
        return BASIN_OK;
    const char *end = bs_scan_index(name, &k);
    if (end != name + len || k >= known->n)
        return bs_error_at(r, line, 0,
                           "label '%.*s' is neither a name in %.200s nor a number from 0 to %d",
                           bs_show(name, len), name, r->o->label_names, (int)known->n - 1);
    *label = (int32_t)k;
    return BASIN_OK;
}

basin_status bs_add_feature(const bs_reading *r, long line, const char *name, const char *attribute,
                            const char *value, bs_feature_kind kind, int32_t *column)
{
    bool fresh;
    *column = bs_build_feature(r->b, name, attribute, value, kind, &fresh);
    if (*column < 0)
        return bs_fail_nomem(r->err);
    if (!fresh)
        return bs_error_at(r, line, 0, "a second feature would be named '%s'", name);
    return BASIN_OK;
}

basin_status bs_add_category(const bs_reading *r, long line, const char *attribute,
                             const bs_names *values, int32_t *first)
{
    bs_buf       name;
    basin_status s = BASIN_OK;
    bs_buf_init(&name, (size_t)1 << 28);
    for (int32_t i = 0, column; !s && i < values->n; i++) {
        bool        latin1;
        const char *value =
            bs_to_utf8(&r->b->ds->arena, values->item[i].text, values->item[i].len, &latin1);
        bs_buf_clear(&name);
        bs_buf_printf(&name, "%s=%s", attribute, value ? value : "");
        s = !value || name.failed ? bs_fail_nomem(r->err)
                                  : bs_add_feature(r, line, name.data, attribute, value,
                                                   BS_FEATURE_ONEHOT, i ? &column : first);
    }
    bs_buf_free(&name);
    return s;
}

/* --- texts --------------------------------------------------------------- */

enum { FEW = 20, MANY = 100, WORDS = 4 };

void bs_texts_add(bs_texts *t, const char *value)
{
    t->example = t->values++ ? t->example : value;
    t->words++;
    for (const char *p = value; *p; p++)
        t->words += p > value && *p == ' ' && p[-1] != ' ';
    t->others = t->others || !bs_cell_date(value, strlen(value));
}

bool bs_texts_left_out(const bs_reading *r, const char *column, const bs_texts *t, int32_t filled)
{
    const int mean = t->values ? (int)((t->words + t->values / 2) / t->values) : 0;
    if (t->values && !t->others) {
        bs_notes_add(r->notes, "date",
                     "column '%s' holds dates ('%.30s') and is left out; numbers made of it (days "
                     "since then, month, weekday) can be used",
                     column, t->example);
        return true;
    }
    const bool prose = 2 * (int64_t)t->values > filled &&
                       (t->values > MANY || (t->values >= FEW && mean >= WORDS));
    /* Short texts that all differ are row names, which is the more useful note. */
    if (r->o->keep_ids || !prose || (mean <= 2 && t->values == filled))
        return false;
    if (mean >= WORDS)
        bs_notes_add(r->notes, BS_NOTE_PROSE,
                     "column '%s' holds text (%d different ones in %d rows, of %d words) and is "
                     "left out: %s",
                     column, (int)t->values, (int)filled, mean,
                     r->o->like ? "the training rows have no text"
                                : "another column is the text of rows (--text-column)");
    else
        bs_notes_add(r->notes, BS_NOTE_PROSE,
                     "column '%s' has %d different texts in %d rows and is left out: hardly one "
                     "occurs twice, so there is nothing to learn from (data.keep_ids=yes uses it)",
                     column, (int)t->values, (int)filled);
    return true;
}
