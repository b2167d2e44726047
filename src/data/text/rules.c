/* rules.c -- parses a rules file; see rules.h. */
#include "data/text/rules.h"
#include "base/find.h"

#include <string.h>

#include "data/scan.h"
#include "data/text/rules_part.h"

/* What follows the weight of a statement. To add one: a row, its kind in rules_part.h, its meaning
 * in rules_apply.c, a line in rules.h. */
static const struct {
    const char  *name;
    bs_rule_kind kind;
    bool         regex;  /* a regular expression first */
    int          places; /* required tags */
    int          most;   /* tags at most */
    bool         tests;  /* then tests */
    const char  *form;
} statements[] = {
    {"word", BS_RULE_WORD, false, 1, 1, true, "word WEIGHT TAG[,TAG...] TEST..."},
    {"stay", BS_RULE_STAY, false, 0, BS_RULES_NAMES, false, "stay WEIGHT [TAG...]"},
    {"change-after", BS_RULE_CHANGE_AFTER, true, 0, BS_RULES_NAMES, false,
     "change-after WEIGHT REGEX [TAG...]"},
    {"follow", BS_RULE_FOLLOW, false, 2, 2, false, "follow WEIGHT TAG[,TAG...] TAG[,TAG...]"},
    {"order", BS_RULE_ORDER, false, 2, BS_RULES_NAMES, false, "order WEIGHT TAG TAG..."},
    {"start", BS_RULE_START, false, 1, BS_RULES_NAMES, false, "start WEIGHT TAG..."},
    {"end", BS_RULE_END, false, 1, BS_RULES_NAMES, false, "end WEIGHT TAG..."},
    {.name = "tags"}, /* the last; declares some and has no weight */
};
enum { STATEMENTS = sizeof statements / sizeof statements[0] };

static const struct {
    const char  *name;
    bs_test_kind kind;
} test_names[] = {
    {"word", BS_TEST_WORD},     {"prev", BS_TEST_PREV},   {"next", BS_TEST_NEXT},
    {"before", BS_TEST_BEFORE}, {"after", BS_TEST_AFTER}, {"shape", BS_TEST_SHAPE},
    {"first", BS_TEST_FIRST},   {"last", BS_TEST_LAST},   {"from", BS_TEST_FROM},
    {"to", BS_TEST_TO},
};
enum { TESTS = sizeof test_names / sizeof test_names[0] };

typedef struct {
    bs_rules    *r;
    bs_input    *in;
    long         line;
    char        *at; /* the rest of the line */
    basin_error *err;
} reading;

static basin_status refuse(const reading *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static basin_status refuse(const reading *r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const basin_status s = bs_fail_at(r->err, bs_input_name(r->in), r->line, 0, fmt, args);
    va_end(args);
    return s;
}

/* The next piece of the line, split at blanks; NULL at its end. */
static char *next_piece(reading *r)
{
    char *p = r->at;
    while (bs_is_blank(*p))
        p++;
    if (!*p || *p == '#')
        return NULL;
    r->at = p;
    while (*r->at && !bs_is_blank(*r->at))
        r->at++;
    if (*r->at)
        *r->at++ = '\0';
    return p;
}

/* The row of a table that is called so. */
static basin_status find(const reading *r, const char *what, const void *rows, size_t size, int n,
                         const char *given, int *out)
{
    const bs_named table = {.what = what, .rows = rows, .size = size, .n = n};
    basin_error    why;
    return bs_find_named(&table, given, out, &why) ? refuse(r, "%s", why.msg) : BASIN_OK;
}

/* --- regular expressions ------------------------------------------------- */

static basin_status add_regex(reading *r, const char *text, bool any_case, bs_rule_test *t)
{
    char why[BS_REGEX_WHY];
    if (!*text)
        return refuse(r, "an empty regular expression; it would match every word");
    if (strlen(text) > BS_RULES_REGEX)
        return refuse(r, "a regular expression of more than %d bytes", BS_RULES_REGEX);
    basin_status s = bs_regex_new(text, any_case, &t->regex, why);
    t->text = s ? NULL : bs_arena_copy(&r->r->arena, text, strlen(text));
    if (s == BASIN_EDATA)
        return refuse(r, "'%.*s' is not a regular expression: %s", bs_show(text, strlen(text)),
                      text, why);
    return t->text ? BASIN_OK : bs_fail_nomem(r->err);
}

/* --- tests --------------------------------------------------------------- */

static basin_status add_test(reading *r, bs_rule_test **out)
{
    bs_rules *a = r->r;
    if (!BS_GROW(a->test, a->test_cap, a->tests + 1, BS_RULES_NAMES))
        return a->tests >= BS_RULES_NAMES
                   ? refuse(r, "more than %d tests in the file", BS_RULES_NAMES)
                   : bs_fail_nomem(r->err);
    *out = &a->test[a->tests];
    **out = (bs_rule_test){0};
    a->tests++;
    return BASIN_OK;
}

static basin_status parse_shapes(const reading *r, char *text, bs_rule_test *t)
{
    for (char *p = text, *next; p; p = next) {
        int k = 0;
        next = strchr(p, ',');
        if (next)
            *next++ = '\0';
        basin_status s =
            find(r, "no shape", bs_case_names, sizeof *bs_case_names, BS_CASE_COUNT, p, &k);
        if (s)
            return s;
        t->shapes |= UINT32_C(1) << k;
    }
    return BASIN_OK;
}

static basin_status parse_share(const reading *r, const char *name, const char *text,
                                bs_rule_test *t)
{
    if (bs_parse_double(text, &t->share) && t->share >= 0 && t->share <= 1)
        return BASIN_OK;
    return refuse(r, "%s=%.*s: not a number from 0 to 1", name, bs_show(text, strlen(text)), text);
}

/* NAME, NAME=VALUE or NAME~VALUE, optionally preceded by !. */
static basin_status parse_test(reading *r, char *text)
{
    bs_rule_test *t;
    basin_status  s = add_test(r, &t);
    if (s)
        return s;
    t->negated = *text == '!';
    text += t->negated;
    char *value = text + strcspn(text, "=~"), sign = *value;
    int   k = 0;
    if (sign)
        *value++ = '\0';
    s = find(r, "no test", test_names, sizeof *test_names, TESTS, text, &k);
    if (s)
        return s;
    t->kind = test_names[k].kind;
    bool regex = t->kind <= BS_TEST_AFTER,
         alone = t->kind == BS_TEST_FIRST || t->kind == BS_TEST_LAST;
    if (alone && sign)
        return refuse(r, "'%s' is a complete test; it takes no value", text);
    if (!alone && !sign)
        return refuse(r, "'%s' needs a value: %s=%s", text, text,
                      regex                      ? "REGEX"
                      : t->kind == BS_TEST_SHAPE ? "CASE"
                                                 : "SHARE");
    if (sign == '~' && !regex)
        return refuse(r, "'%s~': only regular expressions ignore case; use =", text);
    if (regex)
        return add_regex(r, value, sign == '~', t);
    return t->kind == BS_TEST_SHAPE ? parse_shapes(r, value, t)
           : alone                  ? BASIN_OK
                                    : parse_share(r, text, value, t);
}

/* --- statements ---------------------------------------------------------- */

static basin_status check_tag(const reading *r, const char *text)
{
    if (*text && strlen(text) <= BS_FORM_MAX && bs_is_utf8(text, strlen(text)))
        return BASIN_OK;
    return refuse(r, "'%.*s' is not a tag: UTF-8 of 1 to %d bytes", bs_show(text, strlen(text)),
                  text, BS_FORM_MAX);
}

/* TAG,TAG,... as one place. A lone comma is a tag, and so is a leading or trailing one. */
static basin_status add_tags(reading *r, char *text, int place)
{
    bs_rules *a = r->r;
    for (char *p = text, *next; p; p = next) {
        next = *p ? strchr(p + 1, ',') : NULL;
        if (next && !next[1])
            next = NULL;
        if (next)
            *next++ = '\0';
        basin_status s = check_tag(r, p);
        if (s)
            return s;
        bool room = BS_GROW(a->tag, a->tag_cap, a->tags + 1, BS_RULES_NAMES);
        if (!room && a->tags >= BS_RULES_NAMES)
            return refuse(r, "more than %d tags in the rules of the file", BS_RULES_NAMES);
        const char *name = room ? bs_arena_copy(&a->arena, p, strlen(p)) : NULL;
        if (!name)
            return bs_fail_nomem(r->err);
        a->tag[a->tags++] = (bs_rule_tag){name, place};
    }
    return BASIN_OK;
}

static basin_status declare(reading *r)
{
    bool  fresh;
    int   n = 0;
    char *piece;
    for (; (piece = next_piece(r)); n++) {
        basin_status s = check_tag(r, piece);
        if (s)
            return s;
        if (r->r->declared.n >= BS_RULES_NAMES)
            return refuse(r, "more than %d tags", BS_RULES_NAMES);
        if (bs_names_add(&r->r->declared, piece, strlen(piece), &fresh) < 0)
            return bs_fail_nomem(r->err);
    }
    return n > 0 ? BASIN_OK : refuse(r, "no tags after 'tags'");
}

static basin_status parse_weight(reading *r, const char *form, double *out)
{
    const char *piece = next_piece(r);
    if (!piece)
        return refuse(r, "expected %s", form);
    if (!bs_parse_double(piece, out) || *out > BS_RULES_WEIGHT || *out < -BS_RULES_WEIGHT)
        return refuse(r, "'%.*s' is not a weight from -%d to %d; expected %s",
                      bs_show(piece, strlen(piece)), piece, BS_RULES_WEIGHT, BS_RULES_WEIGHT, form);
    return BASIN_OK;
}

static basin_status parse_regex(reading *r, const char *form)
{
    bs_rule_test *t;
    const char   *piece = next_piece(r);
    if (!piece)
        return refuse(r, "expected %s", form);
    basin_status s = add_test(r, &t);
    return s ? s : add_regex(r, piece, false, t);
}

/* Room for another rule, which only counts once it has been read completely. */
static basin_status parse_rule(reading *r, int k)
{
    bs_rules *a = r->r;
    bs_rule rule = {.kind = statements[k].kind, .line = r->line, .tag = a->tags, .test = a->tests};
    bool    room = BS_GROW(a->rule, a->rule_cap, a->rules + 1, BS_RULES_MOST);
    const char *form = statements[k].form;
    int         places = 0;
    if (!room)
        return a->rules >= BS_RULES_MOST ? refuse(r, "more than %d rules", BS_RULES_MOST)
                                         : bs_fail_nomem(r->err);
    basin_status s = parse_weight(r, form, &rule.weight);
    if (!s && statements[k].regex)
        s = parse_regex(r, form);
    for (char *piece; !s && places < statements[k].most && (piece = next_piece(r)); places++)
        s = add_tags(r, piece, places);
    if (!s && places < statements[k].places)
        s = refuse(r, "expected %s", form);
    for (char *piece; !s && statements[k].tests && (piece = next_piece(r));)
        s = parse_test(r, piece);
    if (!s && statements[k].tests && a->tests == rule.test)
        s = refuse(r, "a rule without a test; expected %s", form);
    char *rest = s ? NULL : next_piece(r);
    if (rest)
        s = refuse(r, "'%.*s' is too much; expected %s", bs_show(rest, strlen(rest)), rest, form);
    rule.tags = a->tags - rule.tag;
    rule.tests = a->tests - rule.test;
    if (!s)
        a->rule[a->rules++] = rule;
    return s;
}

static basin_status parse_line(reading *r, const bs_line *line)
{
    r->at = line->text;
    r->line = line->number;
    if (memchr(line->text, 0, line->len))
        return refuse(r, "a NUL byte in a text file");
    const char  *keyword = next_piece(r);
    int          k = 0;
    basin_status s = BASIN_OK;
    if (keyword)
        s = find(r, "no statement", statements, sizeof *statements, STATEMENTS, keyword, &k);
    if (s || !keyword)
        return s;
    return k == STATEMENTS - 1 ? declare(r) : parse_rule(r, k);
}

/* --- the whole ----------------------------------------------------------- */

static bs_rules *rules_new(const char *name)
{
    bs_rules *r = bs_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    bs_arena_init(&r->arena, 0);
    bs_names_init(&r->declared, &r->arena);
    r->name = bs_arena_copy(&r->arena, name, strlen(name));
    if (r->name)
        return r;
    bs_rules_free(r);
    return NULL;
}

void bs_rules_free(bs_rules *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->tests; i++)
        bs_regex_free(r->test[i].regex);
    bs_free(r->rule);
    bs_free(r->tag);
    bs_free(r->test);
    bs_names_free(&r->declared);
    bs_arena_free(&r->arena);
    bs_free(r);
}

basin_status bs_rules_read_input(bs_input *in, bs_rules **out, basin_error *err)
{
    reading r = {.r = rules_new(bs_input_name(in)), .in = in, .err = err};
    bs_line line;
    bool    more = true;
    *out = NULL;
    basin_status s = r.r ? BASIN_OK : bs_fail_nomem(err);
    while (!s) {
        s = bs_input_line(in, BS_RULES_LINE, &line, &more, err);
        if (s || !more)
            break;
        r.r->hash = bs_hash_bytes(line.text, line.len, r.r->hash + 17);
        s = parse_line(&r, &line);
    }
    if (!s && r.r->rules == 0)
        s = bs_fail(err, BASIN_EDATA, "%s: no rules in it", bs_input_name(in));
    if (s)
        bs_rules_free(r.r);
    else
        *out = r.r;
    return s;
}

basin_status bs_rules_read(const char *path, int max_mb, bs_rules **out, basin_error *err)
{
    bs_input *in;
    *out = NULL;
    basin_status s = bs_input_open_most(path, max_mb, &in, err);
    if (s)
        return s;
    s = bs_rules_read_input(in, out, err);
    bs_input_close(in);
    return s;
}

const bs_names *bs_rules_tags(const bs_rules *r)
{
    return &r->declared;
}

int bs_rules_count(const bs_rules *r)
{
    return (int)r->rules;
}

uint64_t bs_rules_hash(const bs_rules *r)
{
    return r->hash;
}
