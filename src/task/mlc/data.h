/* data.h -- pieces of the kind of multi-label data. */
#ifndef BS_KIND_MLC_H
#define BS_KIND_MLC_H

#include "task/kind.h"

extern const bs_kind bs_kind_mlc;

basin_status bs_feed_mlc(const bs_part *p, const bs_known *k, const bs_spec *spec,
                         const bs_train_options *o, bs_feed **out, basin_error *err);

#endif
