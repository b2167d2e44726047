/* identity.c -- whether a run that is there is the one that is asked for, and if not, why.
 *
 * An identity is the JSON object of the settings that matter, then words about time and data, as a
 * run leaves it with its outcome and its checkpoints. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/prepare.h"
#include "train/trainer.h"

enum { HASH = 16 }; /* digits */

static json_t *settings_of(const char *identity)
{
    return json_loads(identity, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, NULL);
}

static void show(const json_t *v, char text[BS_OPTION_TEXT])
{
    memset(text, 0, BS_OPTION_TEXT); /* what is dumped has no end of its own */
    if (!v ||
        json_dumpb(v, text, BS_OPTION_TEXT - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) == 0)
        snprintf(text, BS_OPTION_TEXT, "unknown");
}

static void tell(const char *key, const json_t *theirs, const json_t *mine, bs_difference *out)
{
    char was[BS_OPTION_TEXT], is[BS_OPTION_TEXT];
    show(theirs, was);
    show(mine, is);
    snprintf(out->text, sizeof out->text, "%s was %.80s, now it is %.80s", key, was, is);
}

/* More epochs alone: what was done is the beginning of what is to be done, unless rates depend on
 * how many there will be. */
static bool goes_on(const char *key, const json_t *theirs, const json_t *mine,
                    const json_t *settings)
{
    const char *schedule = json_string_value(json_object_get(settings, "schedule"));
    return strcmp(key, "epochs") == 0 && json_integer_value(mine) > json_integer_value(theirs) &&
           (!schedule || strcmp(schedule, "cosine") != 0);
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
            snprintf(out->text + strlen(out->text), sizeof out->text - strlen(out->text),
                     ", and with schedule=cosine the learning rates of all epochs depend on it");
    }
}

/* " time_limit 5 0123 4567 ..." of an outcome, " train 0123 valid 4567 ..." of a checkpoint: the
 * first word that differs. No limit is 0. */
static void compare_words(const char *theirs, const char *mine, bs_difference *out)
{
    enum { MOST = 64 };
    char        name[MOST] = "", was[MOST], is[MOST];
    const char *what = NULL;
    for (int role = 0, a = 0, b = 0; !what; theirs += a, mine += b) {
        const bool more = sscanf(mine, " %63s%n", is, &b) == 1;
        if ((sscanf(theirs, " %63s%n", was, &a) == 1) != more)
            what = "tests";
        else if (!more)
            return;
        else if (strcmp(name, "time_limit") == 0 && strcmp(was, is) != 0) {
            const double before = strtod(was, NULL), now = strtod(is, NULL);
            const bool   longer = before > 0 && (now > before || now <= 0);
            out->kind = longer ? BS_RUN_LONGER : BS_RUN_OTHER;
            snprintf(out->text, sizeof out->text, "time_limit was %s, now it is %s", was, is);
            if (!longer)
                return;
        } else if (strcmp(was, is) != 0)
            what = role < BS_ROLES ? bs_role_names[role] : "training";
        snprintf(name, sizeof name, "%s", is);
        role += strlen(is) == HASH;
    }
    out->kind = BS_RUN_OTHER;
    snprintf(out->text, sizeof out->text, "the data for %s is not the same", what);
}

bs_difference bs_identity_compare(const char *theirs, const char *mine)
{
    bs_difference out = {BS_RUN_SAME, ""};
    if (theirs && strcmp(theirs, mine) == 0)
        return out;
    json_t     *a = theirs ? settings_of(theirs) : NULL, *b = settings_of(mine);
    const char *rest_a = theirs ? strrchr(theirs, '}') : NULL, *rest_b = strrchr(mine, '}');
    if (!json_is_object(a) || !json_is_object(b) || !rest_a || !rest_b) {
        out.kind = BS_RUN_OTHER;
        snprintf(out.text, sizeof out.text, "its settings cannot be read");
    } else {
        compare_settings(a, b, &out);
        if (out.kind != BS_RUN_OTHER && json_object_size(a) != json_object_size(b)) {
            out.kind = BS_RUN_OTHER;
            snprintf(out.text, sizeof out.text, "it has settings that are not known here");
        }
        if (out.kind != BS_RUN_OTHER)
            compare_words(rest_a + 1, rest_b + 1, &out);
    }
    json_decref(a);
    json_decref(b);
    return out;
}
