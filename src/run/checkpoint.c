/* checkpoint.c -- the state of a run, so that it can continue as if it had never stopped.
 *
 * One safetensors file: the flat blocks (parameters, two states, the best parameters) and a row of
 * numbers (numbers.c). It is replaced atomically, so a run killed at any moment has the old one or
 * the new one. Reading compares settings, data and arithmetic: with others it would not be the same
 * run. Anybody who can write to a run folder could put anything there, so the whole file is checked
 * before any of it is used. */
#include <float.h>
#include <string.h>

#include "base/io.h"
#include "run/trainer.h"

static const char state[] = "last/state.safetensors";

bool bs_checkpoint_there(const char *folder)
{
    return bs_path_there(folder, state);
}

/* What must be equal for a checkpoint to belong to this run. */
static void write_identity(const bs_trainer *t, bs_buf *out)
{
    const bs_train_job *j = t->job;
    bs_identity_json(
        &(bs_identity){.settings = j->settings,
                       .from = j->from ? j->from->hash : 0,
                       .hash = {j->train->hash, j->valid->hash, j->test ? j->test->hash : 0},
                       .roles = 3},
        out);
}

/* Increases when the list of numbers or the layout of blocks changes. */
static const char version[] = "4";

/* Blocks of a checkpoint, and what the numbers in them are at least. */
enum { BLOCKS = 4 };
static const struct {
    const char *name;
    double      least;
} block[BLOCKS] = {{"value", -DBL_MAX}, {"m", -DBL_MAX}, {"v", 0}, {"best", -DBL_MAX}};

static void blocks_of(const bs_trainer *t, bs_buffer *out[BLOCKS])
{
    const bs_blocks *b = &t->learner.params->block;
    bs_buffer *const all[BLOCKS] = {b->value, b->m, b->v, t->best};
    memcpy(out, all, sizeof all);
}

static int64_t reals_of(const bs_buffer *b)
{
    return (int64_t)(b->bytes / sizeof(real));
}

static basin_status write_tensors(bs_buffer *const b[BLOCKS], bs_tensor numbers, const char *path,
                                  const bs_meta *meta, int n_meta, basin_error *err)
{
    bs_tensor    tensor[BLOCKS + 1] = {[BLOCKS] = numbers};
    real        *at[BLOCKS];
    int          mapped = 0;
    basin_status s = BASIN_OK;
    for (; mapped < BLOCKS && !s; mapped += !s) {
        const int64_t n = reals_of(b[mapped]);
        s = bs_map(b[mapped], 0, n, BS_READ, &at[mapped], err);
        tensor[mapped] =
            (bs_tensor){block[mapped].name, BS_DTYPE_REAL, 1, {n}, at[mapped], b[mapped]->bytes};
    }
    if (!s)
        s = bs_safetensors_write(path, tensor, BLOCKS + 1, meta, n_meta, err);
    while (mapped-- > 0)
        bs_unmap(b[mapped], 0, reals_of(b[mapped]), BS_READ, at[mapped]);
    return s;
}

basin_status bs_checkpoint_write(bs_trainer *t, basin_error *err)
{
    double       row[BS_MOST_NUMBERS];
    const double seconds = t->seconds;
    bs_buffer   *b[BLOCKS];
    bs_buf       identity;
    bs_buf_init(&identity, 1 << 22);
    write_identity(t, &identity);
    t->seconds += bs_seconds() - t->started;
    const int n = bs_numbers_store(t, BS_NUMBERS_ALL, row);
    t->seconds = seconds;
    const bs_tensor numbers = {"numbers", BS_DTYPE_F64, 1, {n}, row, (size_t)n * sizeof *row};
    const bs_meta   meta[] = {{"basin.state", version},
                              {"basin.run", identity.data},
                              {"basin.arithmetic", bs_arithmetic(t->learner.w)}};
    basin_status    s = identity.failed ? bs_fail_nomem(err)
                                        : bs_make_dir(bs_path_in(t->job->folder, "last").text, err);
    blocks_of(t, b);
    if (!s)
        s = write_tensors(b, numbers, bs_path_in(t->job->folder, state).text, meta, 3, err);
    bs_buf_free(&identity);
    return s;
}

/* ---- reading ---- */

static basin_status check_version(const bs_safetensors *f, const char *path, basin_error *err)
{
    const char *theirs = bs_safetensors_meta(f, "basin.state");
    if (theirs && strcmp(theirs, version) == 0)
        return BASIN_OK;
    return bs_fail(err, BASIN_EUNSUPPORTED,
                   "%s: is the state of a run of another version of Basin; continue with that "
                   "version, or train again",
                   path);
}

static basin_status check_identity(const bs_trainer *t, const bs_safetensors *f, const char *path,
                                   basin_error *err)
{
    bs_buf        mine;
    const char   *text = bs_safetensors_meta(f, "basin.run");
    json_t       *theirs = text ? bs_tree_read(text, strlen(text), 0, NULL) : NULL;
    bs_difference d = {BS_RUN_SAME, ""};
    basin_status  s = BASIN_OK;
    bs_buf_init(&mine, 1 << 22);
    write_identity(t, &mine);
    if (mine.failed)
        s = bs_fail_nomem(err);
    else
        d = bs_identity_compare(theirs, mine.data);
    if (d.kind == BS_RUN_OTHER)
        s = bs_fail(err, BASIN_EARG,
                    "%s: --resume: that run is another one: %s; use the same, or another -o", path,
                    d.text);
    if (d.kind == BS_RUN_LONGER)
        bs_log_say(t->job->log, BS_INFO, "--resume: %s", d.text);
    json_decref(theirs);
    bs_buf_free(&mine);
    return s;
}

basin_status bs_arithmetic_check(const char *path, const char *theirs, const char *mine,
                                 const bs_train_options *o, bs_logger *log, basin_error *err)
{
    theirs = theirs ? theirs : "unknown";
    if (strcmp(theirs, mine) == 0)
        return BASIN_OK;
    if (strcmp(o->resume_arithmetic, "any") != 0)
        return bs_fail(err, BASIN_EARG,
                       "%s: --resume: its arithmetic was %.80s, now it is %.80s, and last bits "
                       "would differ; --set resume.arithmetic=any continues all the same",
                       path, theirs, mine);
    bs_log_say(log, BS_WARN,
               "--resume: arithmetic was %.80s, now it is %.80s: the result will differ in its "
               "last bits from that of either one alone",
               theirs, mine);
    return BASIN_OK;
}

static basin_status take_block(bs_buffer *b, const real *from, basin_error *err)
{
    real        *to;
    basin_status s = bs_map(b, 0, reals_of(b), BS_WRITE, &to, err);
    if (s)
        return s;
    memcpy(to, from, b->bytes);
    bs_unmap(b, 0, reals_of(b), BS_WRITE, to);
    return BASIN_OK;
}
/* Finds everything that can be wrong with the file before copying the first number. */
static basin_status take_values(bs_trainer *t, const bs_safetensors *f, const char *path,
                                basin_error *err)
{
    bs_buffer   *b[BLOCKS];
    const real  *from[BLOCKS];
    basin_error  why = {0};
    basin_status s = BASIN_OK;
    blocks_of(t, b);
    for (int i = 0; i < BLOCKS && !s; i++)
        s = bs_block_find(f, path, block[i].name, reals_of(b[i]), block[i].least, &from[i], &why);
    if (!s)
        s = bs_numbers_read(t, BS_NUMBERS_ALL, f, path, &why);
    if (s)
        return bs_fail(err, s, "%s; no run of Basin writes that: remove the file to train again",
                       why.msg);
    for (int i = 0; i < BLOCKS && !s; i++)
        s = take_block(b[i], from[i], err);
    return s;
}

static basin_status take(bs_trainer *t, const bs_safetensors *f, const char *path, basin_error *err)
{
    basin_status s = check_version(f, path, err);
    if (!s)
        s = check_identity(t, f, path, err);
    if (!s)
        s = bs_arithmetic_check(path, bs_safetensors_meta(f, "basin.arithmetic"),
                                bs_arithmetic(t->learner.w), t->o, t->job->log, err);
    if (!s)
        s = take_values(t, f, path, err);
    return s;
}

basin_status bs_checkpoint_read(bs_trainer *t, bool *found, basin_error *err)
{
    const bs_path path = bs_path_in(t->job->folder, state);
    *found = bs_checkpoint_there(t->job->folder);
    if (!*found)
        return BASIN_OK;
    bs_safetensors *f;
    basin_status    s = bs_safetensors_open(path.text, &f, err);
    if (!s)
        s = take(t, f, path.text, err);
    bs_safetensors_close(f);
    return s;
}
