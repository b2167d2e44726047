/* metric_sort.h -- sorts scores as 64-bit keys whose upper half is the score. */
#ifndef BS_DATA_METRIC_SORT_H
#define BS_DATA_METRIC_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending keys mean descending scores, then ascending tags. -0 equals 0. */
uint64_t bs_score_key(float score, uint32_t tag);
float    bs_key_score(uint64_t key);

/* Sorts by the upper half; equal upper halves keep their order, so keys made in order of their tags
 * end up fully sorted. scratch [n]. O(n). */
void bs_score_sort(uint64_t *keys, size_t n, uint64_t *scratch);

#endif
