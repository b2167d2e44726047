/* energy.c -- the list of energies over tag sequences. */
#include "task/tag/energy.h"

#define TAG_ENERGY(name) extern const bs_tag_energy bs_tag_energy_##name;
#include "task/tag/energies.def"
#undef TAG_ENERGY

static const bs_tag_energy *const all[] = {
#define TAG_ENERGY(name) &bs_tag_energy_##name,
#include "task/tag/energies.def"
#undef TAG_ENERGY
    NULL,
};

const bs_named bs_tag_energy_kinds = {"energy.kind: no energy over tags", "energies",
                                      BS_NAMED_POINTERS(all)};
