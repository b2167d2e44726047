/* energy.c -- the list of energies over tag sequences. */
#include "task/tag/energy.h"

#include "base/find.h"

#define TAG_ENERGY(name) extern const bs_tag_energy bs_tag_energy_##name;
#include "task/tag/energies.def"
#undef TAG_ENERGY

const bs_tag_energy *const bs_tag_energies[] = {
#define TAG_ENERGY(name) &bs_tag_energy_##name,
#include "task/tag/energies.def"
#undef TAG_ENERGY
    NULL,
};

basin_status bs_tag_energy_find(const char *name, const bs_tag_energy **out, basin_error *err)
{
    const bs_named table = {"energy.kind: no energy over tags", "energies",
                            BS_NAMED_POINTERS(bs_tag_energies)};
    int            i;
    basin_status   s = bs_find_named(&table, name, &i, err);
    *out = bs_tag_energies[i];
    return s;
}
