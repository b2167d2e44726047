/* tree.c -- see tree.h. */
#include "base/tree.h"

json_t *bs_tree_read(const char *text, size_t len, size_t flags, json_error_t *why)
{
    const locale_t was = bs_locale_plain();
    json_t        *value = json_loadb(text, len, flags, why);
    bs_locale_back(was);
    return value;
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
