/* test64_golden.c -- test_golden.c in double precision, where agreement is tight. */
#include "tests/test_golden.c"
