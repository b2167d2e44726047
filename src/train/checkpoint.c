/* checkpoint.c -- the state of a run, so that it can go on as if never stopped.
 *
 * One safetensors file: the flat blocks (parameters, two states, the best
 * parameters) and a row of numbers. It is replaced atomically, so that a run
 * killed at any moment has the old one or the new one. Settings and data are
 * compared on reading: going on with others would not be going on. */
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "train/trainer.h"

static void state_path(const char *folder, char path[BS_OPTION_TEXT + 64])
{
    bs_print(path, BS_OPTION_TEXT + 64, "%s/last/state.safetensors", folder);
}

bool bs_checkpoint_there(const char *folder)
{
    char path[BS_OPTION_TEXT + 64];
    state_path(folder, path);
    return access(path, F_OK) == 0;
}

/* Visits every number that must survive, always in the same order. */
typedef struct {
    double *at;
    int     n;
    bool    store;
} numbers;

static void number(numbers *v, double *x)
{
    if (v->store)
        v->at[v->n] = *x;
    else
        *x = v->at[v->n];
    v->n++;
}

#define NUMBER(type, field)         \
    do {                            \
        double x = (double)(field); \
        number(v, &x);              \
        (field) = (type)x;          \
    } while (0)

static void visit_optim(numbers *v, bs_optim *o)
{
    NUMBER(int64_t, o->update.step);
    NUMBER(double, o->update.rate);
    NUMBER(double, o->clip);
}

enum { MOST_NUMBERS = 160 };

static void visit(numbers *v, bs_trainer *t)
{
    NUMBER(int, t->epoch);
    NUMBER(int32_t, t->next_row);
    NUMBER(int, t->best_epoch);
    NUMBER(int, t->bad);
    NUMBER(double, t->best_score);
    NUMBER(double, t->seconds);
    NUMBER(double, t->train_seconds);
    NUMBER(int64_t, t->rows_seen);
    NUMBER(uint64_t, t->learner.step);
    NUMBER(int, t->phase_start);
    NUMBER(int, t->learner.phase);
    for (int i = 0; i < BS_SEEN_COUNT; i++) {
        NUMBER(double, t->learner.seen[i].sum);
        NUMBER(int64_t, t->learner.seen[i].n);
    }
    for (int i = 0; i < BS_MEMORY; i++)
        NUMBER(double, t->learner.memory[i]);
    NUMBER(double, t->plateau.best);
    NUMBER(int, t->plateau.bad);
    NUMBER(bool, t->plateau.started);
    if (t->learner.net)
        visit_optim(v, t->learner.net);
    if (t->learner.energy)
        visit_optim(v, t->learner.energy);
}

/* What must be equal for a checkpoint to be of this run. */
static void write_identity(const bs_trainer *t, bs_buf *out)
{
    const bs_train_job *j = t->job;
    bs_settings_json(j->settings, out);
    bs_buf_printf(out, " train %016llx valid %016llx test %016llx",
                  (unsigned long long)j->train->hash, (unsigned long long)j->valid->hash,
                  (unsigned long long)(j->test ? j->test->hash : 0));
}

basin_status bs_checkpoint_write(bs_trainer *t, basin_error *err)
{
    char           path[BS_OPTION_TEXT + 64], folder[BS_OPTION_TEXT + 64];
    double         row[MOST_NUMBERS];
    const double   seconds = t->seconds;
    numbers        v = {row, 0, true};
    bs_params     *p = t->learner.params;
    const size_t   bytes = (size_t)p->size * sizeof(real);
    const bs_dtype dtype = sizeof(real) == 4 ? BS_DTYPE_F32 : BS_DTYPE_F64;
    bs_buf         identity;
    bs_buf_init(&identity, 1 << 22);
    write_identity(t, &identity);
    t->seconds += bs_seconds() - t->started;
    visit(&v, t);
    t->seconds = seconds;
    const bs_tensor tensor[] = {
        {"value", dtype, 1, {p->size}, p->value, bytes},
        {"m", dtype, 1, {p->size}, p->m, bytes},
        {"v", dtype, 1, {p->size}, p->v, bytes},
        {"best", dtype, 1, {p->size}, t->best, bytes},
        {"numbers", BS_DTYPE_F64, 1, {v.n}, row, (size_t)v.n * sizeof *row},
    };
    bs_print(folder, sizeof folder, "%s/last", t->job->folder);
    basin_status s = identity.failed ? bs_fail_nomem(err) : bs_make_dir(folder, err);
    state_path(t->job->folder, path);
    if (!s)
        s = bs_safetensors_write(path, tensor, 5, &(bs_meta){"basin.run", identity.data}, 1, err);
    bs_buf_free(&identity);
    return s;
}

static basin_status copy_block(const bs_safetensors *f, const char *path, const char *name,
                               void *out, size_t bytes, basin_error *err)
{
    const bs_tensor *x = bs_safetensors_find(f, name);
    if (!x || x->bytes != bytes)
        return bs_fail(err, BASIN_EDATA, "%s: '%s' is missing or has another size", path, name);
    memcpy(out, x->data, bytes);
    return BASIN_OK;
}

static basin_status check_identity(const bs_trainer *t, const bs_safetensors *f, const char *path,
                                   basin_error *err)
{
    bs_buf       mine;
    const char  *theirs = bs_safetensors_meta(f, "basin.run");
    basin_status s = BASIN_OK;
    bs_buf_init(&mine, 1 << 22);
    write_identity(t, &mine);
    if (mine.failed)
        s = bs_fail_nomem(err);
    bs_difference d = s ? (bs_difference){0} : bs_identity_compare(theirs, mine.data);
    if (d.kind == BS_RUN_OTHER)
        s = bs_fail(err, BASIN_EARG,
                    "%s: --resume: that run is another one: %s; use the same, or another -o", path,
                    d.text);
    if (d.kind == BS_RUN_LONGER)
        bs_log_say(t->job->log, BS_INFO, "--resume: %s", d.text);
    bs_buf_free(&mine);
    return s;
}

basin_status bs_checkpoint_read(bs_trainer *t, bool *found, basin_error *err)
{
    char path[BS_OPTION_TEXT + 64];
    state_path(t->job->folder, path);
    *found = bs_checkpoint_there(t->job->folder);
    if (!*found)
        return BASIN_OK;
    bs_safetensors *f;
    basin_status    s = bs_safetensors_open(path, &f, err);
    if (s)
        return s;
    double       row[MOST_NUMBERS] = {0};
    numbers      v = {row, 0, true};
    bs_params   *p = t->learner.params;
    const size_t bytes = (size_t)p->size * sizeof(real);
    visit(&v, t); /* counts them */
    s = check_identity(t, f, path, err);
    if (!s)
        s = copy_block(f, path, "value", p->value, bytes, err);
    if (!s)
        s = copy_block(f, path, "m", p->m, bytes, err);
    if (!s)
        s = copy_block(f, path, "v", p->v, bytes, err);
    if (!s)
        s = copy_block(f, path, "best", t->best, bytes, err);
    if (!s)
        s = copy_block(f, path, "numbers", row, (size_t)v.n * sizeof *row, err);
    bs_safetensors_close(f);
    if (!s) {
        v = (numbers){row, 0, false};
        visit(&v, t);
    }
    return s;
}
