/* test64_golden_methods.c -- test_golden_methods.c in double precision. */
#include "tests/test_golden_methods.c"
