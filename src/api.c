/* api.c -- the public functions that belong to no single module. */
#include "basin.h"

const char *basin_version(void)
{
    return BASIN_VERSION;
}
