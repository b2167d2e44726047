/* far.h -- a device whose memory the host may not touch, for tests.
 *
 * It runs the kernels of the CPU, so results have the same bits. Its buffers, among them
 * parameters, gradients, states of optimisers and the workspace's arena, lie in pages that are
 * closed except while one of its functions works on them. What the host gets is a copy: mapped
 * ranges and fetched results lie in pages of their own, which are closed when they are no longer
 * valid; inputs are copied when they are bound, and must not have changed when the program runs.
 * Memory that nobody has written is NaN. So a test fails at the first access that another device
 * would not allow.
 *
 * Every test program is linked with it, and so is build/far/basin. With BASIN_DEVICE=far in the
 * environment, every workspace is one of this device, whatever device was asked for. */
#ifndef TEST_FAR_H
#define TEST_FAR_H

#include "device/cpu/program.h"

extern const bs_device bs_device_far;

/* Where workspaces are opened: this device, or the default one. */
const bs_device *device_here(void);

/* Memory of a buffer for a test to look at and change. On the far device it stays open from now
 * on. */
void *host_of(const bs_buffer *b);

/* What runs. */
const bs_cpu_program *kernels_of(const bs_program *p);

/* By the linker's option --wrap: calls of bs_workspace_open come to __wrap_, which finds the
 * library's own as __real_. */
basin_status __wrap_bs_workspace_open(bs_machine where, bs_workspace **out, basin_error *err);
basin_status __real_bs_workspace_open(bs_machine where, bs_workspace **out, basin_error *err);

#endif
