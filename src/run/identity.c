/* identity.c -- whether an existing run is the one requested, and if not, why.
 *
 * An identity is the JSON object of the settings that matter, followed by words about time and
 * data; a run stores it with its outcome and its checkpoints. */
#include <string.h>

#include "base/tree.h"
#include "task/prepare.h"
#include "run/trainer.h"

enum { HASH = 16 }; /* maximum length of a hash in digits */

static json_t *settings_of(const char *identity)
{
    return bs_tree_read(identity, strlen(identity), JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, NULL);
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
            bs_print(out->text + strlen(out->text), sizeof out->text - strlen(out->text),
                     ", and with schedule=cosine the learning rates of all epochs depend on it");
    }
}

enum { WORD = 64 };

/* The next word, truncated to the buffer, and where it ends; "" after the last. */
static const char *take_word(const char *at, char word[WORD])
{
    at += strspn(at, " \n");
    size_t n = strcspn(at, " \n");
    n = n < WORD ? n : WORD - 1;
    memcpy(word, at, n);
    word[n] = '\0';
    return at + n;
}

/* " time_limit 5 0123 4567 ..." of an outcome, " train 0123 valid 4567 ..." of a checkpoint: finds
 * the first word that differs. No limit is 0. */
static void compare_words(const char *theirs, const char *mine, bs_difference *out)
{
    char        name[WORD] = "", was[WORD], is[WORD];
    const char *what = NULL;
    for (int role = 0; !what;) {
        mine = take_word(mine, is);
        theirs = take_word(theirs, was);
        if (strcmp(is, was) != 0 &&
            (strcmp(is, "from") == 0 || strcmp(was, "from") == 0 || strcmp(name, "from") == 0)) {
            out->kind = BS_RUN_OTHER;
            bs_print(out->text, sizeof out->text,
                     "the model that it continues from (--from) is not the same");
            return;
        }
        if (!is[0] != !was[0])
            what = "tests";
        else if (!is[0])
            return;
        else if (strcmp(name, "time_limit") == 0 && strcmp(was, is) != 0) {
            double before = 0, now = 0;
            bs_parse_double(was, &before);
            bs_parse_double(is, &now);
            const bool longer = before > 0 && (now > before || now <= 0);
            out->kind = longer ? BS_RUN_LONGER : BS_RUN_OTHER;
            bs_print(out->text, sizeof out->text, "time_limit was %s, now it is %s", was, is);
            if (!longer)
                return;
        } else if (strcmp(was, is) != 0)
            what = role < BS_ROLES ? bs_role_names[role] : "training";
        role += strlen(is) == HASH && strcmp(name, "from") != 0;
        bs_print(name, sizeof name, "%s", is);
    }
    out->kind = BS_RUN_OTHER;
    bs_print(out->text, sizeof out->text, "the data for %s is not the same", what);
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
        bs_print(out.text, sizeof out.text, "its settings cannot be read");
    } else {
        compare_settings(a, b, &out);
        if (out.kind != BS_RUN_OTHER && json_object_size(a) != json_object_size(b)) {
            out.kind = BS_RUN_OTHER;
            bs_print(out.text, sizeof out.text, "it has settings that are not known here");
        }
        if (out.kind != BS_RUN_OTHER)
            compare_words(rest_a + 1, rest_b + 1, &out);
    }
    json_decref(a);
    json_decref(b);
    return out;
}
