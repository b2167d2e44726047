/* energy.c -- the list of energies over masks. */
#include "task/seg/energy.h"

#define SEG_ENERGY(name) extern const bs_seg_energy bs_seg_energy_##name;
#include "task/seg/energies.def"
#undef SEG_ENERGY

static const bs_seg_energy *const all[] = {
#define SEG_ENERGY(name) &bs_seg_energy_##name,
#include "task/seg/energies.def"
#undef SEG_ENERGY
    NULL,
};

const bs_named bs_seg_energy_kinds = {"energy.kind: no energy over masks", "energies",
                                      BS_NAMED_POINTERS(all)};
