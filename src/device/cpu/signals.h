/* signals.h -- signals of a thread wait while it multiplies by oneDNN. Internal to cpu/.
 *
 * oneDNN's kernels for AVX and AVX-512 let the stack pointer point into a buffer on the heap. A
 * handler that begins there writes its frame over what lies before that buffer, whosever it is. */
#ifndef BS_CPU_SIGNALS_H
#define BS_CPU_SIGNALS_H

#include <stdint.h>

/* Blocks all signals of this thread but those of its own faults; returns what was blocked. */
uint64_t bs_signals_block(void);
void     bs_signals_restore(uint64_t before);

#endif
