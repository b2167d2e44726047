/* energy.c -- the list of energies. */
#include "task/mlc/energy.h"

#include "base/find.h"

#define ENERGY(name) extern const bs_energy bs_energy_##name;
#include "task/mlc/energies.def"
#undef ENERGY

const bs_energy *const bs_energies[] = {
#define ENERGY(name) &bs_energy_##name,
#include "task/mlc/energies.def"
#undef ENERGY
    NULL,
};

basin_status bs_energy_find(const char *name, const bs_energy **out, basin_error *err)
{
    const bs_named table = {"energy.kind: no energy", "energies", BS_NAMED_POINTERS(bs_energies)};
    int            i;
    basin_status   s = bs_find_named(&table, name, &i, err);
    *out = bs_energies[i];
    return s;
}
