/* test64_golden_tag.c -- test_golden_tag.c in double precision, where agreement is tight. */
#include "tests/test_golden_tag.c"
