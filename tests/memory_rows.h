/* memory_rows.h -- sixty rows with their labels, dense and sparse, and as many sentences with
 * tags. */
#ifndef TEST_MEMORY_ROWS_H
#define TEST_MEMORY_ROWS_H

#include "api_folder.h"

enum { N = 60, D = 12, L = 5, TOKENS = 7 };

static float       dense[N * D], value[N * D];
static int64_t     start[N + 1], label_start[N + 1];
static int32_t     feature[N * D], label[N * L];
static const char *word[N * TOKENS], *tag[N * TOKENS];
static int32_t     sentence[N + 1];

static inline void make_arrays(void)
{
    static const char *const words[] = {"Ada", "lives", "in", "Rome", "and", "Bo", "sings"};
    static const char *const tags[] = {"B-PER", "O", "O", "B-LOC", "O", "B-PER", "O"};
    int64_t                  nx = 0, ny = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < D; k++) {
            const float v = (i * 7 + k * 5) % 11 < 5 ? (float)((i + 3 * k) % 9 + 1) / 4 : 0;
            dense[i * D + k] = v;
            if (v != 0) {
                feature[nx] = k;
                value[nx++] = v;
            }
        }
        for (int k = 0; k < L; k++)
            if ((i + k) % 3 == 0)
                label[ny++] = k;
        start[i + 1] = nx;
        label_start[i + 1] = ny;
        sentence[i + 1] = (i + 1) * TOKENS;
        for (int k = 0; k < TOKENS; k++) {
            word[i * TOKENS + k] = words[(i * 3 + k) % 7];
            tag[i * TOKENS + k] = tags[(i * 3 + k) % 7];
        }
    }
}

/* The rows as an array. */
static inline basin_label_sets dense_rows(void)
{
    make_arrays();
    return BASIN_OPTIONS(basin_label_sets, .rows = N, .features = D, .labels = L, .dense = dense,
                         .label_start = label_start, .label = label);
}

/* The rows without their zeros. */
static inline basin_label_sets sparse_rows(void)
{
    make_arrays();
    return BASIN_OPTIONS(basin_label_sets, .rows = N, .features = D, .labels = L, .start = start,
                         .index = feature, .value = value, .label_start = label_start,
                         .label = label);
}

#endif
