/* search.c -- runs searches of any length: one unrolled program, or a loop of turns; many starts in
 * rounds. */
#include "model/search.h"

#include <string.h>

enum {
    MOST_UNROLLED = 32, /* energies per row computed by one program; a longer search is a loop */
    BLOCK = 16,         /* of these per round of the loop */
    FEW_STARTS = 4,     /* starts always searched together, ... */
    ROW = 16384,        /* and more as long as all y of a row have at most this many numbers, unless
                           rows differ in size: what is beside a row would decide */
};

/* Results of a program: what is found at each point, then the state after the turns of a loop. */
enum { FOUND_Y, FOUND_VALUE, FOUND_ENERGY, FOUND };

struct bs_search {
    const bs_net_spec  *spec;
    const bs_inference *how;
    bs_gbi              gbi;
    bool                narrow[BS_GBI_STATE];
    int                 n_state, first, block; /* block 0: not a loop */
    bs_buffer          *state;                 /* see make_room */
    real               *kept;
    size_t              kept_bytes;
    real                rates[2 * BLOCK];
};

static int steps(const bs_search *s)
{
    return s->how->points > 0 ? s->how->step[s->how->points - 1] : s->gbi.steps;
}

static int points(const bs_search *s)
{
    return s->how->points > 0 ? s->how->points : 1;
}

static int step_at(const bs_search *s, int point)
{
    return s->how->points > 0 ? s->how->step[point] : s->gbi.steps;
}

bs_search *bs_search_new(const bs_net_spec *spec, const bs_inference *how)
{
    bs_search *s = bs_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (bs_search){.spec = spec, .how = how, .gbi = how->gbi};
    if (how->how == BS_INFER_REFINE)
        s->gbi.start = BS_GBI_NET;
    s->n_state = bs_gbi_state(&s->gbi, s->narrow);
    const int each = 1 + s->gbi.halvings;
    if ((int64_t)steps(s) * each > MOST_UNROLLED) {
        s->block = how->points > 0 || each >= BLOCK ? 1 : BLOCK / each;
        s->first = (steps(s) - 1) % s->block + 1;
    }
    return s;
}

void bs_search_free(bs_search *s)
{
    if (!s)
        return;
    bs_buffer_free(s->state);
    bs_free(s->kept);
    bs_free(s);
}

/* ---- starts ---- */

static int divided(int a, int b)
{
    return (a + b - 1) / b;
}

/* Random starts are searched in this many rounds, ... */
static int rounds_of(const bs_search *s, bs_size size)
{
    const bs_task_space *t = s->spec->graph;
    const bool           alike =
        t->parts(s->spec, (bs_size){1, 1, 1}) == t->parts(s->spec, (bs_size){1, 2, 2});
    const int parts = (int)t->parts(s->spec, size);
    const int most = alike && ROW / parts > FEW_STARTS ? ROW / parts : FEW_STARTS;
    return s->gbi.start == BS_GBI_RANDOM ? divided(s->gbi.starts, most) : 1;
}

/* ... with this many in each, which may add up to a few more than requested. */
static int starts_of(const bs_search *s, bs_size size)
{
    return s->gbi.start == BS_GBI_RANDOM ? divided(s->gbi.starts, rounds_of(s, size)) : 1;
}

/* ---- building ---- */

static void add_result(bs_recipe *r, bs_id id)
{
    r->result[r->n_results++] = (bs_result){id, -1};
}

static void add_found(const bs_search *s, bs_output_space *v, const bs_found *found, bs_recipe *r)
{
    add_result(r, found->y);
    add_result(r, found->value ? found->value : found->y);
    add_result(r, s->how->energies ? s->spec->graph->energy(v, found->y) : found->y);
}

/* Results are ordered by point; in a loop the start comes first, if it is a point, then all others,
 * then the state after each of the two turns. */
static void build_loop(const bs_search *s, bs_output_space *v, const bs_gbi *o, bs_id start,
                       bs_recipe *r)
{
    bs_gbi_turns turns;
    bs_found     found;
    if (step_at(s, 0) == 0) {
        bs_gbi_trace(v, o, bs_energy_objective, NULL, start, (int[]){0}, 1, &found);
        add_found(s, v, &found, r);
    }
    found = bs_gbi_loop(v, o, bs_energy_objective, NULL, start, s->first, s->block, &turns);
    add_found(s, v, &found, r);
    for (int i = 0; i < s->n_state; i++)
        add_result(r, turns.begun[i]);
    for (int i = 0; i < s->n_state; i++)
        add_result(r, turns.next[i]);
    for (int i = 0; i < s->n_state; i++)
        bs_inputs_add(v->g, &r->more, turns.input[i]);
    bs_inputs_add(v->g, &r->more, turns.rates);
}

void bs_search_build(const bs_search *s, bs_output_space *v, bs_recipe *r)
{
    bs_gbi   o = s->gbi;
    bs_found found[BS_SCORE_POINTS];
    o.starts = starts_of(s, v->size);
    bs_id start = bs_gbi_begin(v, &o, BS_STREAM_START);
    if (s->block > 0) {
        build_loop(s, v, &o, start, r);
        return;
    }
    int at[BS_SCORE_POINTS];
    for (int i = 0; i < points(s); i++)
        at[i] = step_at(s, i);
    bs_gbi_trace(v, &o, bs_energy_objective, NULL, start, at, points(s), found);
    for (int i = 0; i < points(s); i++)
        add_found(s, v, &found[i], r);
}

/* ---- running ---- */

/* One call of bs_search_run. */
typedef struct {
    bs_search        *s;
    bs_entry         *e;
    bs_search_record *tape;
    size_t            rows, parts; /* parts of a row */
    int               starts, rounds, round;
    bs_scored        *out;
} running;

static bool has_room(real **block, size_t *have, size_t want)
{
    if (want <= *have)
        return true;
    bs_free(*block);
    *have = 0;
    *block = bs_alloc(want);
    *have = *block ? want : 0;
    return *block != NULL;
}

static size_t member_size(const running *r, int i)
{
    return r->rows * (size_t)r->starts * (r->s->narrow[i] ? 1 : r->parts);
}

/* The state; with several rounds also what the best of them found: y, value and energy of each
 * point, all but the value on the tape if there is one. */
static basin_status make_room(running *r, basin_error *err)
{
    bs_search *s = r->s;
    size_t     state = 0, kept = 0;
    for (int i = 0; i < s->n_state && s->block > 0; i++)
        state += member_size(r, i);
    if (r->rounds > 1)
        kept = (r->rows * (r->parts + 1) + r->rows * (size_t)points(s)) * sizeof *s->kept;
    if (!has_room(&s->kept, &s->kept_bytes, kept))
        return bs_fail_nomem(err);
    if (state > 0 && (!s->state || s->state->bytes < state * sizeof(real))) {
        bs_buffer_free(s->state);
        basin_status status =
            bs_buffer_new(r->e->program->device, (int64_t)state, false, &s->state, err);
        if (status)
            return status;
    }
    return r->tape ? bs_search_record_begin(r->tape, r->rows, r->rows * r->parts, err) : BASIN_OK;
}

/* Keeps rows for which this round found something better, or all in the first. */
static void keep(const running *r, const bs_scored *found, real *y, real *energy, real *value)
{
    for (size_t i = 0; i < r->rows; i++) {
        if (r->round > 0 && !(found->value[i] < value[i]))
            continue;
        memcpy(y + i * r->parts, found->y + i * r->parts, r->parts * sizeof *y);
        if (found->energy)
            energy[i] = found->energy[i];
        if (value)
            value[i] = found->value[i];
    }
}

/* Copies the results for a point, which start at `at`. */
static basin_status take(running *r, int point, int at, basin_error *err)
{
    bs_search   *s = r->s;
    bs_program  *p = r->e->program;
    bs_scored    found = {.y = NULL};
    basin_status status = bs_fetch(p, at + FOUND_Y, &found.y, err);
    if (!status && (s->gbi.best || r->starts > 1))
        status = bs_fetch(p, at + FOUND_VALUE, &found.value, err);
    if (!status && s->how->energies)
        status = bs_fetch(p, at + FOUND_ENERGY, &found.energy, err);
    *r->out = found;
    if (status)
        return status;
    if (!r->tape && r->rounds == 1)
        return BASIN_OK;
    real *y = s->kept, *energy = NULL, *value = NULL;
    if (r->rounds > 1) {
        energy = y + r->rows * r->parts;
        value = energy + r->rows * (size_t)(1 + point);
    }
    if (r->tape)
        bs_search_record_at(r->tape, point, &y, &energy);
    keep(r, &found, y, energy, value);
    r->out->y = y;
    r->out->energy = found.energy ? energy : NULL;
    r->out->value = value ? value : found.value;
    return BASIN_OK;
}

/* Copies the state left by the turn; its results start at `at`. */
static void carry(running *r, int at)
{
    bs_program *p = r->e->program;
    int64_t     to = 0;
    for (int i = 0; i < r->s->n_state; i++) {
        p->device->copy_result(p, at + i, r->s->state, to);
        to += (int64_t)member_size(r, i);
    }
}

static void bind_state(running *r)
{
    const bs_search *s = r->s;
    bs_program      *p = r->e->program;
    int64_t          at = 0;
    for (int i = 0; i < s->n_state; i++) {
        p->device->bind_buffer(p, r->e->more.id[i], s->state, at);
        at += (int64_t)member_size(r, i);
    }
    bs_entry_bind(r->e, &r->e->more, s->n_state, s->rates);
}

/* Whether no row moves, by the state that was carried last, whose results start at `at`: nothing
 * would change any more. */
static basin_status rests(const running *r, int at, bool *out, basin_error *err)
{
    const bs_search *s = r->s;
    const real      *moving;
    *out = s->gbi.tolerance > 0;
    if (!*out)
        return BASIN_OK;
    basin_status status = bs_fetch(r->e->program, at + s->n_state - 1, &moving, err);
    for (size_t i = 0; i < member_size(r, s->n_state - 1) && *out && !status; i++)
        *out = moving[i] == 0;
    return status;
}

static basin_status run_loop(running *r, basin_error *err)
{
    bs_search   *s = r->s;
    bs_program  *p = r->e->program;
    const bs_run run = {0, (uint64_t)r->round};
    const int    begin = step_at(s, 0) == 0 ? FOUND : 0, state = begin + FOUND;
    int          point = begin > 0;
    bool         rest = false;
    bind_state(r);
    basin_status status = bs_program_turn(p, &run, 0, err);
    if (!status && begin > 0)
        status = take(r, 0, 0, err);
    if (!status)
        carry(r, state);
    if (!status)
        status = rests(r, state, &rest, err);
    for (int t = s->first; !status;) {
        if (rest && !r->tape)
            t = steps(s);
        if (t == step_at(s, point)) {
            status = bs_program_turn(p, &run, 2, err);
            if (!status)
                status = take(r, point++, begin, err);
        }
        if (t == steps(s) || status)
            break;
        bs_gbi_rates(&s->gbi, t, s->block, s->rates);
        bs_entry_bind(r->e, &r->e->more, s->n_state, s->rates);
        status = bs_program_turn(p, &run, 1, err);
        if (!status)
            carry(r, state + s->n_state);
        if (!status)
            status = rests(r, state + s->n_state, &rest, err);
        t += s->block;
    }
    return status;
}

static basin_status run_round(running *r, basin_error *err)
{
    if (r->s->block > 0)
        return run_loop(r, err);
    basin_status status = bs_program_run(r->e->program, &(bs_run){0, (uint64_t)r->round}, err);
    for (int i = 0; i < points(r->s) && !status; i++)
        status = take(r, i, i * FOUND, err);
    return status;
}

basin_status bs_search_run(bs_search *s, bs_entry *e, bs_size size, bs_search_record *tape,
                           bs_scored *out, basin_error *err)
{
    running      r = {.s = s,
                      .e = e,
                      .tape = tape,
                      .rows = (size_t)size.rows,
                      .parts = s->spec->graph->parts(s->spec, size),
                      .starts = starts_of(s, size),
                      .rounds = rounds_of(s, size),
                      .out = out};
    basin_status status = make_room(&r, err);
    for (; r.round < r.rounds && !status; r.round++)
        status = run_round(&r, err);
    return status;
}
