/* tree.c -- jansson's reader and writer, called in the C locale. Text that would make a tree many
 * times its own size is measured before it is parsed. */
#include "base/tree.h"

json_t *bs_tree_read(const char *text, size_t len, size_t flags, json_error_t *why)
{
    const locale_t was = bs_locale_plain();
    json_t        *value = json_loadb(text, len, flags, why);
    bs_locale_back(was);
    return value;
}

bool bs_tree_larger(const char *text, size_t len, size_t most)
{
    size_t commas = 0, depth = 0;
    bool   quoted = false;
    if (len <= most)
        return false;
    for (size_t i = 0; i < len && commas <= most; i++) {
        const char c = text[i];
        if (c == '"')
            quoted = !quoted;
        else if (c == '\\' && quoted)
            i++;
        else if (!quoted && (c == '[' || c == '{'))
            depth++;
        else if (!quoted && (c == ']' || c == '}') && (depth == 0 || --depth == 0))
            break;
        commas += c == ',' && !quoted;
    }
    return commas > most;
}

static int add_text(const char *bytes, size_t n, void *to)
{
    bs_buf_add(to, bytes, n);
    return 0;
}

bool bs_tree_write(const json_t *value, bs_buf *out)
{
    const locale_t was = bs_locale_plain();
    const bool     ok = value && json_dump_callback(value, add_text, out, JSON_ENCODE_ANY) == 0;
    bs_locale_back(was);
    return ok && !out->failed;
}

bool bs_tree_show(const json_t *value, size_t flags, char *text, size_t size)
{
    const locale_t was = bs_locale_plain();
    const size_t   n = value ? json_dumpb(value, text, size - 1, flags | JSON_ENCODE_ANY) : 0;
    bs_locale_back(was);
    text[n < size ? n : size - 1] = '\0';
    return n > 0;
}
