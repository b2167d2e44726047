/* energy.c -- the list of energies. */
#include "task/mlc/energy.h"

#define ENERGY(name) extern const bs_energy bs_energy_##name;
#include "task/mlc/energies.def"
#undef ENERGY

static const bs_energy *const all[] = {
#define ENERGY(name) &bs_energy_##name,
#include "task/mlc/energies.def"
#undef ENERGY
    NULL,
};

const bs_named bs_energy_kinds = {"energy.kind: no energy", "energies", BS_NAMED_POINTERS(all)};
