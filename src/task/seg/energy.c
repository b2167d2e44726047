/* energy.c -- the list of energies over masks. */
#include "task/seg/energy.h"

#include "base/find.h"

#define SEG_ENERGY(name) extern const bs_seg_energy bs_seg_energy_##name;
#include "task/seg/energies.def"
#undef SEG_ENERGY

const bs_seg_energy *const bs_seg_energies[] = {
#define SEG_ENERGY(name) &bs_seg_energy_##name,
#include "task/seg/energies.def"
#undef SEG_ENERGY
    NULL,
};

basin_status bs_seg_energy_find(const char *name, const bs_seg_energy **out, basin_error *err)
{
    const bs_named table = {"energy.kind: no energy over masks", "energies",
                            BS_NAMED_POINTERS(bs_seg_energies)};
    int            i;
    basin_status   s = bs_find_named(&table, name, &i, err);
    *out = bs_seg_energies[i];
    return s;
}
