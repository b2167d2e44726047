/* isa.c -- which of the compiled instruction sets to use. */
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "device/cpu/vec.h"

#define TABLES(isa)                                                       \
    extern const bs_vec_tile       bs_vec_tile_##isa;                     \
    extern const bs_vec_random     bs_vec_random_##isa;                   \
    extern const bs_vec_reduce     bs_vec_reduce_##isa;                   \
    extern const bs_vec_sparse     bs_vec_sparse_##isa;                   \
    extern const bs_vec_lstm       bs_vec_lstm_##isa;                     \
    extern const bs_vec_norm       bs_vec_norm_##isa;                     \
    extern const bs_vec_crf        bs_vec_crf_##isa;                      \
    extern const bs_vec_update     bs_vec_update_##isa;                   \
    extern const bs_vec_layer_norm bs_vec_layer_norm_##isa;               \
    extern const bs_vec_attention  bs_vec_attention_##isa;                \
    static const bs_vec            vec_##isa = {#isa,                     \
                                                &bs_vec_tile_##isa,       \
                                                &bs_vec_random_##isa,     \
                                                &bs_vec_reduce_##isa,     \
                                                &bs_vec_sparse_##isa,     \
                                                &bs_vec_lstm_##isa,       \
                                                &bs_vec_norm_##isa,       \
                                                &bs_vec_crf_##isa,        \
                                                &bs_vec_update_##isa,     \
                                                &bs_vec_layer_norm_##isa, \
                                                &bs_vec_attention_##isa};

TABLES(plain)
#ifndef BS_ONLY_PLAIN
TABLES(avx2)
TABLES(avx512)
#endif

const bs_vec *bs_vec_named(const char *isa)
{
    if (strcmp(isa, "plain") == 0)
        return &vec_plain;
#ifndef BS_ONLY_PLAIN
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx2") == 0 && avx2)
        return &vec_avx2;
    if (strcmp(isa, "avx512") == 0 && avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &vec_avx512;
#endif
    return NULL;
}

const bs_vec *bs_vec_choose(basin_error *err)
{
    static const char *const best_first[] = {"avx512", "avx2", "plain"};
    const char              *wish = getenv("BASIN_ISA");
    const bs_vec            *best = NULL, *asked;
    char                     all[32] = "";
    for (int i = 2; i >= 0; i--) {
        const bs_vec *v = bs_vec_named(best_first[i]);
        if (!v)
            continue;
        best = v;
        bs_print(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "", v->isa);
    }
    if (!wish || !*wish)
        return best;
    asked = bs_vec_named(wish);
    if (!asked)
        bs_fail(err, BASIN_EARG,
                "BASIN_ISA: '%.40s' is not an instruction set of this build and processor; %s "
                "%s",
                wish, all, strchr(all, ',') ? "are" : "is");
    return asked;
}
