/* replay.h -- feeds a fuzz corpus to its target without a fuzzer. */
#ifndef REPLAY_H
#define REPLAY_H

#include "tests/check.h"

#include <dirent.h>
#include <stdint.h>

/* Every file as a whole, truncated anywhere, and with every single bit flipped. */
static inline void replay_corpus(const char *name, void (*target)(const uint8_t *, size_t))
{
    char folder[64];
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
    DIR *d = opendir(folder);
    if (!d)
        skip(); /* not running in the repository */
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char    path[400];
        uint8_t bytes[4096];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE  *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        if (!f)
            continue;
        fclose(f);
        for (size_t cut = 0; cut <= size; cut++)
            target(bytes, cut);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            target(bytes, size);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        n++;
    }
    closedir(d);
    assert_true(n > 0);
}

#endif
