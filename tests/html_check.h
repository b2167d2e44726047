/* html_check.h -- checks that a page is well formed and self-contained. */
#ifndef TEST_HTML_CHECK_H
#define TEST_HTML_CHECK_H

#include "tests/check.h"

#include <stdbool.h>
#include <string.h>

static inline bool html_is(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* Every opened element is closed, in order. Text in scripts and styles is not an element. */
static inline void html_check_nesting(const char *page)
{
    static const char *const empty[] = {"meta", "link", "img", "input", "br", "hr", NULL};
    static const char *const raw[] = {"script", "style", NULL};
    char                     open[64][32], name[32], tail[40];
    int                      depth = 0;
    const char              *at = strchr(page[1] == '!' ? page + 1 : page, '<');
    while (at) {
        if (strncmp(at, "<!--", 4) == 0) {
            at = strstr(at, "-->");
            assert_non_null(at);
            at = strchr(at, '<');
            continue;
        }
        const bool  close = at[1] == '/';
        const char *end = strchr(at, '>');
        assert_non_null(end);
        assert_int_equal(sscanf(at + 1 + close, "%31[a-z0-9]", name), 1);
        if (close) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/' && !html_is(name, empty)) {
            assert_true(depth < 64);
            memcpy(open[depth++], name, sizeof name);
        }
        if (!close && html_is(name, raw)) {
            snprintf(tail, sizeof tail, "</%s>", name);
            at = strstr(end, tail);
            assert_non_null(at);
        } else {
            at = strchr(end, '<');
        }
    }
    assert_int_equal(depth, 0);
}

/* Attributes with style or script, which the policy makes browsers ignore. */
static inline void html_check_attributes(const char *page)
{
    static const char *const banned[] = {" style=\"",   " onclick=\"", " onload=\"",
                                         " onerror=\"", "javascript:", "unsafe-"};
    for (size_t i = 0; i < sizeof banned / sizeof banned[0]; i++)
        if (strstr(page, banned[i]))
            fail_msg("%s: %.60s", banned[i], strstr(page, banned[i]));
}

/* Nothing is loaded from elsewhere. */
static inline void html_check_alone(const char *page)
{
    html_check_attributes(page);
    assert_non_null(strstr(page, "default-src 'none'"));
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    assert_null(strstr(page, "@import"));
    assert_null(strstr(page, "url("));
    for (const char *at = page; (at = strstr(at, "src=\"")); at++)
        assert_memory_equal(at, "src=\"data:", 10);
    for (const char *at = page; (at = strstr(at, "href=\"")); at++)
        assert_true(at[6] == '#' || strncmp(at + 6, "data:,", 6) == 0);
}

#endif
