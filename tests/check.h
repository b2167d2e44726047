/* check.h -- cmocka, and a check that tells what was checked. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define CHECK(condition, ...)                  \
    do {                                       \
        if (!(condition)) {                    \
            fprintf(stderr, "  " __VA_ARGS__); \
            fprintf(stderr, "\n");             \
            fail();                            \
        }                                      \
    } while (0)

#endif
