/* energy.c -- the list of energies. */
#include "task/mlc/energy.h"

#include <string.h>

#include "base/opt.h"

#define ENERGY(name) extern const bs_energy bs_energy_##name;
#include "task/mlc/energies.def"
#undef ENERGY

const bs_energy *const bs_energies[] = {
#define ENERGY(name) &bs_energy_##name,
#include "task/mlc/energies.def"
#undef ENERGY
    NULL,
};

enum { MOST_ENERGIES = 32 };

basin_status bs_energy_find(const char *name, const bs_energy **out, basin_error *err)
{
    const char *names[MOST_ENERGIES];
    int         n = 0;
    for (; n < MOST_ENERGIES && bs_energies[n]; n++) {
        names[n] = bs_energies[n]->name;
        if (strcmp(name, names[n]) == 0) {
            *out = bs_energies[n];
            return BASIN_OK;
        }
    }
    const char *near = bs_nearest(name, names, n);
    return bs_fail(err, BASIN_EARG,
                   "energy.kind: no energy is called '%.40s'%s%s%s; see 'basin list energies'",
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
