/* energy.c -- the list of energies over masks. */
#include "task/seg/energy.h"

#include <string.h>

#include "base/opt.h"

#define SEG_ENERGY(name) extern const bs_seg_energy bs_seg_energy_##name;
#include "task/seg/energies.def"
#undef SEG_ENERGY

const bs_seg_energy *const bs_seg_energies[] = {
#define SEG_ENERGY(name) &bs_seg_energy_##name,
#include "task/seg/energies.def"
#undef SEG_ENERGY
    NULL,
};

enum { MOST_ENERGIES = 32 };

basin_status bs_seg_energy_find(const char *name, const bs_seg_energy **out, basin_error *err)
{
    const char *names[MOST_ENERGIES];
    int         n = 0;
    for (; n < MOST_ENERGIES && bs_seg_energies[n]; n++) {
        names[n] = bs_seg_energies[n]->name;
        if (strcmp(name, names[n]) == 0) {
            *out = bs_seg_energies[n];
            return BASIN_OK;
        }
    }
    const char *near = bs_nearest(name, names, n);
    return bs_fail(err, BASIN_EARG,
                   "energy.kind: no energy over masks is called '%.40s'%s%s%s; see 'basin list "
                   "energies'",
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
