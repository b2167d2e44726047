/* inspect.c -- basin_data_* for tagged sentences. */
#include <string.h>

#include "tasks/tag/inspect.h"
#include "base/io.h"
#include "tasks/tag/make.h"
#include "data/text/roles.h"
#include "task/tag/data.h"

/* Tags and roles share the functions of this file. */
static bool has_roles(const bs_data_args *g)
{
    return g->task != &bs_task_tag;
}

/* Tags may only be missing if nothing else was requested: text that looks like columns of different
 * lengths should be reported as a mistake. */
static bs_corpus_options reading(const bs_data_args *g)
{
    const bs_settings *s = g->settings;
    bs_corpus_options  o = s->text;
    o.roles = has_roles(g);
    o.label_free = strcmp(o.format, "text") == 0 || strcmp(o.tag_column, "none") == 0;
    o.max_mb = s->read.max_mb;
    o.max_line_mb = s->read.max_line_mb;
    return o;
}

/* ---- inspect ---- */

/* Problems found in the files: all are shown, the first one is the status. */
typedef struct {
    bs_buf      *table, *json;
    bool         check, several; /* files: after a broken one the others are still examined */
    basin_status status;
    basin_error  first;
    int          n;
    bs_buf       list; /* of JSON texts */
} findings;

static void add_problem(findings *f, basin_status s, const char *text)
{
    bs_buf_text(f->table, "problem  ");
    bs_buf_visible(f->table, text);
    bs_buf_text(f->table, "\n");
    bs_json_text(&f->list, NULL, text);
    if (f->n++ == 0) {
        f->status = s;
        bs_fail(&f->first, s, "%s", text);
    }
}

/* Reports what spoils training with this file, or testing what was trained on the first one. */
static basin_status find_problems(const bs_corpus *c, const bs_corpus *train, findings *f,
                                  basin_error *err)
{
    bs_corpus_summary s;
    char              text[sizeof err->msg];
    basin_status      status = bs_corpus_summarise(c, train, &s, err);
    const char       *why = status ? NULL : bs_corpus_problem(c, &s);
    if (why) {
        bs_print(text, sizeof text, "%.200s: %s", c->name, why);
        add_problem(f, BASIN_EDATA, text);
    }
    if (!status && train && s.tags_new > 0) {
        char       tag[48], place[80];
        const long line = bs_corpus_line(c, s.first_new);
        bs_print(place, sizeof place, "%ld", line);
        bs_print(text, sizeof text, "%.200s:%s: %d %s%s that %.160s does not have, such as '%s'",
                 c->name, line ? place : bs_corpus_place(c, s.first_new, place), (int)s.tags_new,
                 c->scheme == BS_SCHEME_RAW ? "tag" : "type", s.tags_new == 1 ? "" : "s",
                 train->name, bs_corpus_file_tag(c, s.first_new, tag));
        add_problem(f, BASIN_EDATA, text);
    }
    bs_corpus_summary_free(&s);
    return status;
}

static basin_status describe_roles(const bs_corpus *c, bs_buf *table, basin_error *err)
{
    bs_role_facts k;
    basin_status  s = c->labelled ? bs_role_count(c, &k, err) : BASIN_OK;
    if (!s && c->labelled)
        bs_buf_printf(table,
                      "roles    %d predicates in %d sentences, %d of which have none; %lld "
                      "arguments, %lld continued, %lld that refer to another\n"
                      "         %d predicates have a core role more than once (%.2f %%)\n",
                      (int)k.rows, (int)k.sentences, (int)k.without, (long long)k.arguments,
                      (long long)k.continued, (long long)k.referring, (int)k.repeated,
                      100.0 * k.repeated / (k.rows > 0 ? k.rows : 1));
    return s;
}

static basin_status inspect_file(const char *path, const bs_corpus_options *o,
                                 const bs_corpus *train, findings *f, bs_corpus **out,
                                 basin_error *err)
{
    bs_notes    notes;
    basin_error why = {0};
    bs_notes_init(&notes);
    basin_status s = bs_corpus_read(&path, 1, o, out, &notes, &why);
    if (s && s != BASIN_ENOMEM && f->check && f->several) {
        add_problem(f, s, why.msg);
        bs_json_open(f->json, NULL, '{');
        bs_json_text(f->json, "file", path);
        bs_json_close(f->json, '}');
        s = BASIN_OK;
    } else {
        if (!s)
            s = bs_corpus_describe(*out, train, &notes, f->table, f->json, &why);
        if (!s && o->roles)
            s = describe_roles(*out, f->table, &why);
        if (!s && f->check)
            s = find_problems(*out, train, f, &why);
    }
    bs_notes_free(&notes);
    return s ? bs_fail(err, s, "%s", why.msg) : BASIN_OK;
}

/* The files after the first are read like it and compared with it. */
static basin_status inspect_all(const bs_data_args *g, findings *f, basin_error *err)
{
    bs_corpus_options o = reading(g);
    bs_corpus        *first = NULL, *other = NULL;
    basin_status      s = BASIN_OK;
    if (f->several) {
        bs_json_open(f->json, NULL, '{');
        bs_json_open(f->json, "files", '[');
    }
    for (int i = 0; i < g->n && !s; i++) {
        if (f->several)
            bs_data_file(g->file[i], i, f->table);
        s = inspect_file(g->file[i], &o, first, f, i ? &other : &first, err);
        if (!s && i == 0 && first)
            bs_corpus_fix(first, &o);
        bs_corpus_free(other);
        other = NULL;
    }
    if (f->several)
        bs_buf_printf(f->json, "], \"problems\": [%s]}", f->n ? f->list.data : "");
    const bs_corpus_options usual = bs_corpus_options_default();
    if (!s && !f->n && first->labelled && g->n <= 3)
        bs_data_next_all(g, true, bs_corpus_rows, &g->settings->text, &usual, f->table);
    bs_corpus_free(first);
    return s;
}

basin_status bs_inspect_sentences(const bs_data_args *g, bool check, bs_buf *table, bs_buf *json,
                                  basin_error *err)
{
    findings f = {.table = table, .json = json, .check = check, .several = g->n > 1};
    bs_buf_init(&f.list, 1 << 20);
    basin_status s = inspect_all(g, &f, err);
    if (s)
        bs_buf_clear(table);
    else if (f.list.failed)
        s = bs_fail_nomem(err);
    else if (f.n > 1)
        s = bs_fail(err, f.status, "%.400s (the first of %d problems)", f.first.msg, f.n);
    else if (f.n == 1)
        s = bs_fail(err, f.status, "%s", f.first.msg);
    bs_buf_free(&f.list);
    return s;
}

/* ---- convert ---- */

/* Tags stay as in the file unless another scheme is requested. */
static basin_status read_as_it_is(const bs_data_args *g, bs_notes *notes, bs_corpus **out,
                                  basin_error *err)
{
    bs_corpus_options o = reading(g);
    if (strcmp(o.to, "auto") == 0)
        bs_print(o.to, sizeof o.to, "keep");
    return bs_corpus_read(g->file, g->n, &o, out, notes, err);
}

static basin_status check_format(const char *format, const char *path, bool roles, basin_error *err)
{
    const bs_writer        *other = format ? NULL : bs_writer_for(path);
    const char             *name = format ? format : other ? other->name : NULL;
    const bs_corpus_format *to = name ? bs_corpus_format_find(name) : NULL;
    char                    names[256];
    if (!name || strcmp(name, "jsonl") == 0 || (to && to->roles == roles))
        return BASIN_OK;
    bs_corpus_format_names(roles, names);
    return bs_fail(err, BASIN_EARG, "--format: sentences cannot be written as %.40s; use %s", name,
                   names);
}

basin_status bs_describe_sentences(const bs_dataset *part, const bs_dataset *train, bs_buf *table,
                                   basin_error *err)
{
    bs_buf json;
    bs_buf_init(&json, 1 << 24);
    basin_status s = bs_corpus_describe(bs_dataset_tag(part), train ? bs_dataset_tag(train) : NULL,
                                        NULL, table, &json, err);
    bs_buf_free(&json);
    return s;
}

/* In CoNLL-U made from columns, only words and tags are filled. */
static void note_lost(const bs_corpus *c, const char *out, const char *format, bs_notes *notes)
{
    char   list[128] = "";
    size_t at = 0;
    format = bs_corpus_format_of(c, out, format);
    if (!format || strcmp(format, "conllu") != 0 || strcmp(c->format, "conllu") == 0 ||
        c->columns == 0)
        return;
    for (int i = 0; i < c->columns && at < sizeof list; i++)
        at += (size_t)bs_print(list + at, sizeof list - at, "%s%d", i ? "," : "", c->column[i]);
    bs_notes_add(notes, "lost", "CoNLL-U has no place for column%s %s, which %s left out",
                 c->columns == 1 ? "" : "s", list, c->columns == 1 ? "is" : "are");
}

basin_status bs_convert_sentences(const bs_data_args *g, const char *out, const char *format,
                                  bs_notes *notes, basin_error *err)
{
    bs_corpus   *c = NULL;
    basin_status s = check_format(format, out, has_roles(g), err);
    if (!s)
        s = read_as_it_is(g, notes, &c, err);
    if (!s)
        s = bs_corpus_save(c, out, format, err);
    if (!s)
        note_lost(c, out, format, notes);
    bs_corpus_free(c);
    return s;
}

/* ---- split ---- */

/* The extension of the format, or that of the input without its compression's. */
static void choose_extension(const char *path, const char *format, char out[32])
{
    static const char *const packed[] = {".gz", ".xz", ".bz2", ".zst"};
    const bs_corpus_format  *to = format ? bs_corpus_format_find(format) : NULL;
    const char              *base = strrchr(path, '/');
    size_t                   len = strlen(base = base ? base + 1 : path);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        size_t n = strlen(packed[i]);
        if (len > n && strcmp(base + len - n, packed[i]) == 0) {
            len -= n;
            break;
        }
    }
    size_t dot = len;
    while (dot > 0 && base[dot - 1] != '.')
        dot--;
    bs_print(out, 32, ".conll");
    if (format)
        bs_print(out, 32, "%s", to ? to->ending : ".jsonl");
    else if (dot > 1 && len > dot && len - dot < 16)
        bs_print(out, 32, ".%.*s", (int)(len - dot), base + dot);
}

static basin_status write_part(const bs_corpus *c, const int32_t *part, int i, const char *path,
                               const char *format, basin_error *err)
{
    int32_t     *rows = NULL, n;
    bs_corpus   *piece = NULL;
    basin_status s = bs_split_rows(part, c->sentences, i, &rows, &n, err);
    if (!s)
        s = bs_corpus_select(c, rows, n, &piece, err);
    if (!s)
        s = bs_corpus_save(piece, path, format, err);
    bs_corpus_free(piece);
    bs_free(rows);
    return s;
}

static basin_status write_parts(const bs_corpus *c, const int32_t *part, const bs_cutting *cut,
                                const char *extension, bs_buf *table, bs_buf *json,
                                basin_error *err)
{
    char(*path)[BS_OPTION_TEXT] = bs_calloc(BS_MOST_PARTS, sizeof *path);
    const char  *file[BS_MOST_PARTS];
    basin_status s = path ? BASIN_OK : bs_fail_nomem(err);
    for (int i = 0; i < cut->parts && !s; i++) {
        bs_part_path(cut, i, extension, path[i]);
        file[i] = path[i];
        s = write_part(c, part, i, path[i], cut->o->format, err);
    }
    if (!s)
        s = bs_corpus_split_describe(c, cut->share, cut->parts, part, file, table, json, err);
    bs_free(path);
    return s;
}

static void note_empty(const bs_corpus *c, const int32_t *part, const bs_cutting *cut,
                       const char *extension, bs_notes *notes)
{
    for (int i = 0; i < cut->parts; i++) {
        char    path[BS_OPTION_TEXT];
        int32_t n = 0;
        for (int32_t k = 0; k < c->sentences; k++)
            n += part[k] == i;
        bs_part_path(cut, i, extension, path);
        if (n == 0)
            bs_notes_add(notes, BS_NOTE_WARNING,
                         "%s is empty: %d sentence%s cannot be shared by %d parts", path,
                         (int)c->sentences, c->sentences == 1 ? "" : "s", cut->parts);
    }
}

/* Sentences of one text are kept together. */
static bool by_document(const bs_corpus *c, const bs_cutting *cut)
{
    return cut->o->documents || (c->roles.word && c->documents >= cut->parts) ||
           (c->first && c->documents > 1 && c->documents >= cut->parts);
}

basin_status bs_split_sentences(const bs_data_args *g, const bs_cutting *cut, bs_notes *notes,
                                bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_corpus *c = NULL;
    int32_t   *part = NULL;
    char       extension[32];
    if (cut->o->groups)
        return bs_fail(err, BASIN_EARG,
                       "--groups: is for rows; --documents keeps the sentences of a document "
                       "together");
    basin_status s =
        cut->o->format ? check_format(cut->o->format, "", has_roles(g), err) : BASIN_OK;
    if (!s)
        s = read_as_it_is(g, NULL, &c, err);
    if (!s) /* BRAT stays BRAT, unless something else is requested */
        choose_extension(
            g->file[0], !cut->o->format && strcmp(c->format, "brat") == 0 ? "brat" : cut->o->format,
            extension);
    if (!s && cut->o->documents && c->documents < cut->parts)
        s = bs_fail(err, BASIN_EDATA,
                    "%s: --documents needs as many documents as parts, %d; found %d (-DOCSTART- "
                    "lines or '# newdoc' begin one)",
                    c->name, cut->parts, (int)c->documents);
    if (!s && !(part = bs_calloc((size_t)c->sentences + 1, sizeof *part)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_corpus_split(c, cut->share, cut->parts, by_document(c, cut), cut->o->seed, part,
                            err);
    if (!s)
        s = write_parts(c, part, cut, extension, table, json, err);
    if (!s)
        note_empty(c, part, cut, extension, notes);
    bs_free(part);
    bs_corpus_free(c);
    return s;
}

/* ---- make ---- */

/* Text that is already in the wanted format is written as it is. */
basin_status bs_save_sentences(const bs_buf *text, bool roles, const char *out, const char *format,
                               basin_error *err)
{
    bs_corpus_options o = bs_corpus_options_default();
    bs_corpus        *c = NULL;
    bs_input         *in = NULL;
    basin_status      s = check_format(format, out, roles, err);
    bs_print(o.to, sizeof o.to, "keep");
    o.roles = roles;
    if (!s)
        s = bs_input_memory(out, text->data, text->len, &in, err);
    if (!s)
        s = bs_corpus_read_input(in, &o, &c, NULL, err);
    if (!s)
        s = bs_corpus_save(c, out, format, err);
    bs_corpus_free(c);
    bs_input_close(in);
    return s;
}

static basin_status make(const char *options, int seed, const char *out, const char *format,
                         bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_make_tag_options o;
    bs_make_tag_truth   truth;
    bs_buf              text;
    (void)notes;
    bs_buf_init(&text, (size_t)1 << 32);
    basin_status s = bs_make_options(bs_make_tag_rows, &o, options, err);
    o.seed = seed;
    if (!s)
        s = bs_make_tag(&o, &text, &truth, err);
    if (!s)
        s = bs_save_sentences(&text, false, out, format, err);
    if (!s) {
        bs_make_tag_describe(&o, &truth, out, table, json);
        bs_data_next(out, table);
    }
    bs_buf_free(&text);
    return s;
}

const bs_task_inspect bs_task_inspect_tag = {
    .inspect = bs_inspect_sentences,
    .convert = bs_convert_sentences,
    .split = bs_split_sentences,
    .describe = bs_describe_sentences,
    .make = make,
};
