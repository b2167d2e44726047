/* halves.c -- the numbers of an encoder as half-precision ones, as models keep them. */
#include <string.h>

#include "pretrained/inside.h"

enum { CHUNK = 4096 };

bool bs_pretrained_has(const char *param)
{
    static const char *const parts[] = {"word", "position", "type", "norm/", "pooler/", NULL};
    const char *at = strncmp(param, "encoder/", 8) == 0 ? param : strstr(param, "/encoder/");
    if (!at || strstr(at, "/adapter/"))
        return false;
    at = strstr(at, "encoder/") + strlen("encoder/");
    bool known = *at >= '0' && *at <= '9';
    for (int i = 0; parts[i] && !known; i++)
        known = strncmp(at, parts[i], strlen(parts[i])) == 0;
    return known;
}

bool bs_pretrained_halves(const real *x, int64_t n, uint16_t *out)
{
    float room[CHUNK];
    for (int64_t at = 0; at < n; at += CHUNK) {
        const int64_t some = n - at < CHUNK ? n - at : CHUNK;
        for (int64_t i = 0; i < some; i++)
            room[i] = (float)x[at + i];
        if (!bs_halves_of(room, some, out + at))
            return false;
    }
    return true;
}

bool bs_pretrained_round_numbers(real *x, int64_t n)
{
    uint16_t        half[CHUNK];
    float           room[CHUNK];
    bool            changed = false;
    const bs_tensor t = {.dtype = BS_DTYPE_F16, .data = half};
    for (int64_t at = 0; at < n; at += CHUNK) {
        const int64_t some = n - at < CHUNK ? n - at : CHUNK;
        if (!bs_pretrained_halves(x + at, some, half))
            continue;
        bs_tensor_floats(&t, 0, some, room);
        for (int64_t i = 0; i < some; i++) {
            changed = changed || x[at + i] != (real)room[i];
            x[at + i] = (real)room[i];
        }
    }
    return changed;
}

basin_status bs_pretrained_round(bs_params *p, bool *changed, basin_error *err)
{
    basin_status s = BASIN_OK;
    *changed = false;
    for (int i = 0; i < p->n && !s; i++) {
        real *x;
        if (!bs_pretrained_has(p->segment[i].name))
            continue;
        s = bs_params_map(p, &p->segment[i], BS_READ_WRITE, &x, err);
        if (s)
            break;
        *changed |= bs_pretrained_round_numbers(x, p->segment[i].count);
        bs_params_unmap(p, &p->segment[i], BS_READ_WRITE, x);
    }
    return s;
}
