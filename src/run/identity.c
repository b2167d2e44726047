/* identity.c -- whether an existing run is the one requested, and if not, why.
 *
 *     {"settings": {...}, "time_limit": 60, "from": "0123456789abcdef",
 *      "data": {"train": "0123456789abcdef", "valid": "...", "test": "..."}}
 *
 * A run stores it with its outcome and, without the time limit, with its checkpoints: they may be
 * given more time. */
#include <string.h>

#include "base/json.h"
#include "base/tree.h"
#include "run/trainer.h"

void bs_identity_json(const bs_identity *id, bs_buf *out)
{
    bs_json_open(out, NULL, '{');
    bs_json_key(out, "settings");
    bs_settings_json(id->settings, out);
    if (id->timed)
        bs_json_real(out, "time_limit", id->settings->train.time_limit);
    if (id->from)
        bs_json_hash(out, "from", id->from);
    bs_json_open(out, "data", '{');
    for (int i = 0; i < id->roles; i++)
        bs_json_hash(out, bs_role_names[i], id->hash[i]);
    bs_buf_text(out, "}}");
}

static void show(const json_t *v, char text[BS_OPTION_TEXT])
{
    if (!bs_tree_show(v, JSON_REAL_PRECISION(6), text, BS_OPTION_TEXT))
        bs_print(text, BS_OPTION_TEXT, "unknown");
}

static void tell(const char *key, const json_t *theirs, const json_t *mine, bs_difference *out)
{
    char was[BS_OPTION_TEXT], is[BS_OPTION_TEXT];
    show(theirs, was);
    show(mine, is);
    bs_print(out->text, sizeof out->text, "%s was %.80s, now it is %.80s", key, was, is);
}

/* Only more epochs: what was done is the beginning of what is requested, unless rates depend on the
 * number of epochs. */
static bool goes_on(const char *key, const json_t *theirs, const json_t *mine,
                    const json_t *settings)
{
    const char *schedule = json_string_value(json_object_get(settings, "schedule"));
    return strcmp(key, "epochs") == 0 && json_integer_value(mine) > json_integer_value(theirs) &&
           (!schedule || strcmp(schedule, "plateau") == 0);
}

static void compare_settings(json_t *theirs, json_t *mine, bs_difference *out)
{
    const char *key;
    json_t     *v;
    json_object_foreach(mine, key, v)
    {
        const json_t *other = json_object_get(theirs, key);
        if (out->kind == BS_RUN_OTHER || (other && json_equal(v, other)))
            continue;
        out->kind = goes_on(key, other, v, mine) ? BS_RUN_LONGER : BS_RUN_OTHER;
        tell(key, other, v, out);
        if (out->kind == BS_RUN_OTHER && strcmp(key, "epochs") == 0 &&
            json_integer_value(v) > json_integer_value(other))
            bs_print(out->text + strlen(out->text), sizeof out->text - strlen(out->text),
                     ", and with schedule=%.20s the learning rates of all epochs depend on it",
                     json_string_value(json_object_get(mine, "schedule")));
    }
}

/* No limit is 0. */
static void compare_limits(const json_t *theirs, const json_t *mine, bs_difference *out)
{
    const double before = json_number_value(theirs), now = json_number_value(mine);
    if (json_equal(theirs, mine))
        return;
    out->kind = before > 0 && (now > before || now <= 0) ? BS_RUN_LONGER : BS_RUN_OTHER;
    tell("time_limit", theirs, mine, out);
}

static void compare_data(const json_t *theirs, json_t *mine, bs_difference *out)
{
    const char *role;
    json_t     *v;
    json_object_foreach(mine, role, v)
    {
        if (json_equal(v, json_object_get(theirs, role)))
            continue;
        out->kind = BS_RUN_OTHER;
        bs_print(out->text, sizeof out->text, "the data for %s is not the same", role);
        return;
    }
}

static void compare(const json_t *theirs, const json_t *mine, bs_difference *out)
{
    json_t       *a = json_object_get(theirs, "settings"), *b = json_object_get(mine, "settings");
    const json_t *was = json_object_get(theirs, "from"), *is = json_object_get(mine, "from");
    out->kind = BS_RUN_OTHER;
    if (!json_is_object(a) || !json_is_object(b)) {
        bs_print(out->text, sizeof out->text, "its settings cannot be read");
    } else if (json_object_size(a) > json_object_size(b)) {
        bs_print(out->text, sizeof out->text, "it has settings that are not known here");
    } else if ((was || is) && !json_equal(was, is)) {
        bs_print(out->text, sizeof out->text,
                 "the model that it continues from (--from) is not the same");
    } else {
        out->kind = BS_RUN_SAME;
        compare_settings(a, b, out);
        if (out->kind != BS_RUN_OTHER && json_object_get(mine, "time_limit"))
            compare_limits(json_object_get(theirs, "time_limit"),
                           json_object_get(mine, "time_limit"), out);
        if (out->kind != BS_RUN_OTHER)
            compare_data(json_object_get(theirs, "data"), json_object_get(mine, "data"), out);
    }
}

bs_difference bs_identity_compare(const json_t *theirs, const char *mine)
{
    bs_difference out = {BS_RUN_SAME, ""};
    json_t       *own = bs_tree_read(mine, strlen(mine), 0, NULL);
    compare(theirs, own, &out);
    json_decref(own);
    return out;
}
