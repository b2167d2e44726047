/* energy.c -- the list of energies over tag sequences. */
#include "task/tag/energy.h"

#include <string.h>

#include "base/opt.h"

#define TAG_ENERGY(name) extern const bs_tag_energy bs_tag_energy_##name;
#include "task/tag/energies.def"
#undef TAG_ENERGY

const bs_tag_energy *const bs_tag_energies[] = {
#define TAG_ENERGY(name) &bs_tag_energy_##name,
#include "task/tag/energies.def"
#undef TAG_ENERGY
    NULL,
};

enum { MOST_ENERGIES = 32 };

basin_status bs_tag_energy_find(const char *name, const bs_tag_energy **out, basin_error *err)
{
    const char *names[MOST_ENERGIES];
    int         n = 0;
    for (; n < MOST_ENERGIES && bs_tag_energies[n]; n++) {
        names[n] = bs_tag_energies[n]->name;
        if (strcmp(name, names[n]) == 0) {
            *out = bs_tag_energies[n];
            return BASIN_OK;
        }
    }
    const char *near = bs_nearest(name, names, n);
    return bs_fail(err, BASIN_EARG,
                   "energy.kind: no energy over tags is called '%.40s'%s%s%s; see 'basin list "
                   "energies'",
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
