/* method.h -- a training method: which nets exist and what one batch does.
 *
 * A method is a few stages (a loss and the net it trains) and phases (which stages a batch runs,
 * and in which order, until validation stops improving). The epoch loop, early stopping,
 * checkpoints and logging come for free.
 *
 * To add one: a file with a const bs_method and a line in methods.def. */
#ifndef BS_METHOD_H
#define BS_METHOD_H

#include "device/cache.h"
#include "task/task.h"
#include "method/optim.h"

enum { BS_STAGES = 4, BS_PHASES = 3, BS_MEMORY = 5, BS_OWN_WORDS = 3 };

typedef enum {
#define DIAGNOSTIC(name, least, most, help) BS_DIAGNOSTIC_##name,
#include "method/diagnostics.def"
#undef DIAGNOSTIC
    BS_DIAGNOSTIC_COUNT
} bs_diagnostic_id;

extern const char *const bs_diagnostic_name[BS_DIAGNOSTIC_COUNT];

/* What a loss is built from, and the diagnostics it reports. */
typedef struct {
    bs_output_space         v;
    const bs_task_space    *t;
    const bs_train_options *o;
    bool                    without_energy; /* an energy that the loss does not need is omitted */
    bs_id                   diagnostic[BS_DIAGNOSTIC_COUNT]; /* [1]; 0 = not measured */
} bs_loss_context;

typedef bs_id (*bs_loss)(bs_loss_context *s); /* [1] */

/* A loss and the parameters that follow its gradient. */
typedef struct {
    const char *trains; /* "net/" or "energy/"; NULL ends the list */
    bs_loss     loss;
    enum { BS_AMID, BS_BEFORE, BS_AFTER } when; /* only in pre-training, only in fine-tuning */
} bs_stage;

/* Cross-entropy of the net, for BS_PHASE_PRETRAINING. */
#define BS_STAGE_PRETRAINING                     \
    {                                            \
        "net/", bs_loss_cross_entropy, BS_BEFORE \
    }

typedef struct bs_learner bs_learner;
typedef struct bs_shards  bs_shards; /* method/shards.h */

typedef struct {
    const char *name;        /* NULL ends the list */
    const char *infer;       /* how validation predicts meanwhile; NULL: like the finished model */
    bool        net, energy; /* which are trained */
    bool        refines;     /* its epochs only count if they beat the best of the phase before */
    /* NULL, or called before the first batch. */
    basin_status (*enter)(bs_learner *l, basin_error *err);
    basin_status (*step)(bs_learner *l, const bs_batch *b, basin_error *err);
} bs_phase;

/* The usual ones; `how` is that of infer. */
#define BS_PHASE_PRETRAINING                                                          \
    {                                                                                 \
        .name = "pre-training", .infer = "net", .net = true, .step = bs_step_pretrain \
    }
#define BS_PHASE_ENERGY(how)                                                      \
    {                                                                             \
        .name = "energy", .infer = how, .energy = true, .enter = bs_enter_energy, \
        .step = bs_step_energy                                                    \
    }
#define BS_PHASE_STATIC_NET                                                                       \
    {                                                                                             \
        .name = "net", .infer = "net", .net = true, .enter = bs_enter_static, .step = bs_step_net \
    }
#define BS_PHASE_BOTH(how)                                                               \
    {                                                                                    \
        .name = "net and energy", .net = true, .energy = true, .enter = bs_enter_energy, \
        .step = how                                                                      \
    }
#define BS_PHASE_BY_TURNS BS_PHASE_BOTH(bs_step_alternating)
/* A last step of the net: what the phase before ended with stays unless validation is better. */
#define BS_PHASE_FINE_TUNING                                                           \
    {                                                                                  \
        .name = "fine-tuning", .net = true, .refines = true, .step = bs_step_fine_tune \
    }

/* For bs_method.untuned: starts like `ce` and continues from there, unless that was better; the
 * second is for a net that is trained further, by smaller steps, so as not to relearn it. */
#define BS_UNTUNED          "pretrain.epochs=300 energy.proof=0.8 "
#define BS_UNTUNED_BY_TURNS BS_UNTUNED "lr.net=0.0005 "
/* Searches of logits: a search of y itself ends with most labels at 0 and loses which of them would
 * come next. With the entropy of y, the energy -y.b has its minimum at sigmoid(b): where the energy
 * starts as the net, the search starts at its end. */
#define BS_UNTUNED_SEARCH \
    "gbi.space=logits gbi.rule=momentum gbi.entropy=1 gbi.lr=0.1 gbi.steps=10 gbi.best=no"

/* What methods that train a net and an energy in turns are tuned in; more may follow it. */
#define BS_TUNES_BY_TURNS "lr.net lr.energy net.dropout decay.energy energy.weight "

/* What a method asks of the graph of a task: nets alone, an energy, also samples, or an energy that
 * may be a chain. */
typedef enum { BS_NEEDS_NET, BS_NEEDS_ENERGY, BS_NEEDS_SAMPLES, BS_NEEDS_CHAIN } bs_needs;

typedef struct {
    const char *name, *help;
    bs_needs    needs;    /* what a task must have for it */
    const char *defaults; /* "key=value ...": its own, where they differ from options.def ... */
    struct {
        const char *task, *words;
    } own[BS_OWN_WORDS]; /* ... and from these, for tasks with that name */
    const char *untuned; /* ... and, for tasks that want it, from these if no preset knows the data:
                              chosen so that the energy does no harm */
    const char *tunes;   /* options that `basin tune` searches, separated by blanks; each must
                              affect what the method learns, and have a range (options.def) */
    bool        unweighed; /* no stage except pre-training has the net's cross-entropy */
    bs_stage    stage[BS_STAGES];
    bs_phase    phase[BS_PHASES];

    /* NULL, or for methods that need more than stages: called once parameters exist; and the
     * undoing. */
    basin_status (*setup)(bs_learner *l, basin_error *err);
    void (*free)(bs_learner *l);
} bs_method;

typedef struct {
    double  sum;
    int64_t n;
} bs_diagnostic;

/* The numbers of a step (loss, diagnostics, norm of the gradient) stay on the device until those
 * of several steps are read together (bs_learner_read): each read alone would wait for its step. */
enum { BS_LATE = 32, BS_LATE_NORM = 1 + BS_DIAGNOSTIC_COUNT, BS_LATE_ROW };

typedef struct {
    const bs_optim *o;
    uint64_t        step;
    double          rate;
    bool            norm; /* it was made */
} bs_late;

/* What a method works with. Parameters, optimisers, step count, diagnostics and memory must survive
 * a restart; the rest is rebuilt. */
struct bs_learner {
    const bs_train_options *o;
    const bs_method        *method;
    const bs_task          *task; /* with known: for initial values of parameters; may be NULL */
    const bs_preprocess    *known;
    const bs_warm_start    *heritage; /* other initial values, or NULL */
    bs_net_spec             spec;
    bs_workspace           *w;
    bs_params              *params;
    bs_cache               *cache;         /* programs of the stages, by size */
    bs_optim               *net, *energy;  /* NULL where a method has none */
    bs_buffer              *log;           /* doubles, [BS_LATE, BS_LATE_ROW] */
    bs_late                 late[BS_LATE]; /* [n_late] whose numbers are there */
    int                     n_late, phase;
    uint64_t                step; /* counts program runs; seeds the random leaves */
    bs_diagnostic           diagnostic[BS_DIAGNOSTIC_COUNT]; /* in this epoch */
    double                  memory[BS_MEMORY];               /* the method's own numbers */
    void                   *state;                           /* the method's own */
    bs_shards              *shards; /* of the next batch; NULL: batches are whole */
};

extern const bs_method *const bs_methods[]; /* ends with NULL */

/* By name; the error for an unknown or unsuitable one has the nearest name or the reason. */
basin_status bs_method_find(const char *name, const char *task, const bs_method **out,
                            basin_error *err);

/* Its words for tasks of this name, or NULL. */
const char *bs_method_own(const bs_method *m, const char *task);
/* Whether it makes sense for a task; names of those for which it does. */
bool bs_method_fits(const bs_method *m, const bs_task *task);
void bs_method_tasks(const bs_method *m, char *out, size_t size);

/* Declares parameters by building every stage, allocates them, makes the optimisers. */
basin_status bs_learner_setup(bs_learner *l, basin_error *err);
void         bs_learner_free(bs_learner *l);

/* Resets the optimisers, with the rates of this phase, and enters it. */
basin_status bs_learner_enter(bs_learner *l, int phase, basin_error *err);

/* An optimiser's settings at the beginning of the learner's phase. */
typedef struct {
    double rate, clip;
} bs_pace;
bs_pace bs_learner_pace(const bs_learner *l, const bs_optim *o);

/* One run of a stage's program and one step of its optimiser. */
basin_status bs_learner_run(bs_learner *l, int stage, const bs_batch *b, basin_error *err);

/* bs_phase.step for the usual cases: one stage, or two in turns as steps.net, steps.energy and
 * inner say (stages are found by what they train). */
basin_status bs_step_alternating(bs_learner *l, const bs_batch *b, basin_error *err);
basin_status bs_step_energy(bs_learner *l, const bs_batch *b, basin_error *err);
basin_status bs_step_net(bs_learner *l, const bs_batch *b, basin_error *err);
/* The stage that is BS_BEFORE, and the one that is BS_AFTER. */
basin_status bs_step_pretrain(bs_learner *l, const bs_batch *b, basin_error *err);
basin_status bs_step_fine_tune(bs_learner *l, const bs_batch *b, basin_error *err);

/* bs_phase.enter: a new net; energy.init = net, if requested. */
basin_status bs_enter_new_net(bs_learner *l, basin_error *err);
basin_status bs_enter_energy(bs_learner *l, basin_error *err);

/* The pre-trained net, for infnet.stay and energy.proof: parameters anchor/net/... that are not
 * trained. They exist if a loss, or energy.proof, asks for them. */
bool  bs_is_anchored(const bs_segment *s); /* one of the net, except its cost-augmented one */
bs_id bs_anchor(bs_graph *g, bs_params *p, int segment);
void  bs_learner_anchor(bs_learner *l); /* copies the current net there */
/* Restores the net from there. */
void bs_learner_return(bs_learner *l);

/* Results of a program that computes a loss: the loss, then the diagnostics. */
enum {
    BS_RESULT_LOSS,
    BS_RESULT_DIAGNOSTIC,
    BS_RESULT_REST = BS_RESULT_DIAGNOSTIC + BS_DIAGNOSTIC_COUNT
};
void bs_loss_context_results(const bs_loss_context *s, bs_id loss, bs_recipe *r);
/* After its run: loss and diagnostics, results from `first` on, to the log. */
basin_status bs_learner_note(bs_learner *l, const bs_entry *e, int first, const bs_optim *o,
                             basin_error *err);
/* Then a step of that optimiser; `look`: the norm is wanted even if nothing is clipped. */
void bs_learner_follow(bs_learner *l, bs_optim *o, bool look);
/* Reads the log into the diagnostics. BASIN_ENUMERIC for the first step whose loss or gradient was
 * not finite. To be called before the diagnostics or the parameters are used. */
basin_status bs_learner_read(bs_learner *l, basin_error *err);

void bs_learner_see(bs_learner *l, bs_diagnostic_id id, double value);

/* The search described by the options; `predicting` for that of the finished model. */
bs_gbi bs_options_gbi(const bs_train_options *o, bool predicting);
/* infer: net, gbi or refine. */
bs_inference bs_options_inference(const bs_train_options *o, const char *infer);

/* Fills a scene for a stage. */
bs_loss_context bs_loss_context_make(bs_learner *l, bs_graph *g, bs_size size, const char *trains);

#endif
