/* method.h -- a training method: which nets exist and what one batch does.
 *
 * A method is a few stages (a loss and the net it trains) and phases (which
 * stages a batch runs, in which order, until validation stops getting better).
 * The epoch loop, early stopping, checkpoints and logging come for free.
 *
 * To add one: a file with a const bs_method and a line in methods.def. */
#ifndef BS_METHOD_H
#define BS_METHOD_H

#include "device/cache.h"
#include "task/task.h"
#include "method/optim.h"

enum { BS_STAGES = 4, BS_PHASES = 3, BS_MEMORY = 4 };

typedef enum {
#define SEEN(name, help) BS_SEEN_##name,
#include "method/seen.def"
#undef SEEN
    BS_SEEN_COUNT
} bs_seen_id;

extern const char *const bs_seen_name[BS_SEEN_COUNT];

/* What a loss is built from, and what it lets others see. */
typedef struct {
    bs_view                 v;
    const bs_task_graph    *t;
    const bs_train_options *o;
    bool                    brief; /* an energy that the loss does not need is left out */
    bs_id                   seen[BS_SEEN_COUNT]; /* [1]; 0 = not measured */
} bs_scene;

typedef bs_id (*bs_loss)(bs_scene *s); /* [1] */

/* A loss and the parameters that follow its gradient. */
typedef struct {
    const char *trains; /* "net/" or "energy/"; NULL ends the list */
    bs_loss     loss;
    bool        before; /* of pre-training alone */
} bs_stage;

/* Cross-entropy of the net, for BS_PHASE_PRETRAINING. */
#define BS_STAGE_PRETRAINING                \
    {                                       \
        "net/", bs_loss_cross_entropy, true \
    }

typedef struct bs_learner bs_learner;

typedef struct {
    const char *name;  /* NULL ends the list */
    const char *infer; /* how validation predicts meanwhile; NULL: as the finished model does */
    bool        net, energy; /* which are trained */
    /* NULL, or what is done before the first batch. */
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

/* For bs_method.untuned: begins with what `ce` does and goes on from there, unless that was better;
 * the second for a net that is trained on, by smaller steps, as it is not to be learnt anew. */
#define BS_UNTUNED          "pretrain.epochs=300 energy.proof=0.8 "
#define BS_UNTUNED_BY_TURNS BS_UNTUNED "lr.net=0.0005 "
/* Searches of logits: a search of y itself ends with most labels at 0, and which of them would come
 * next is lost. With the entropy of y the energy -y.b has its minimum at sigmoid(b): where the
 * energy begins as the net, the search begins at its end. */
#define BS_UNTUNED_SEARCH \
    "gbi.space=logits gbi.rule=momentum gbi.entropy=1 gbi.lr=0.1 gbi.steps=10 gbi.best=no"

/* What methods that train a net and an energy by turns are tuned in; more goes behind it. */
#define BS_TUNES_BY_TURNS "lr.net lr.energy net.dropout decay.energy energy.weight "

typedef struct {
    const char *name, *help;
    const char *tasks;     /* "mlc tag seg": those it makes sense for */
    const char *defaults;  /* "key=value ...": its own, where they differ from options.c ... */
    const char *tag, *seg; /* ... and from these for tasks of that name */
    const char *untuned;   /* ... and, for label sets, from these where no preset knows the data:
                            * such that the energy does no harm */
    const char *tunes;     /* options that `basin tune` searches, with blanks between them; each
                            * must change what the method learns, and have a range (options.c) */
    bs_stage    stage[BS_STAGES];
    bs_phase    phase[BS_PHASES];

    /* NULL, or for methods that need more than stages: after parameters exist; and its undoing. */
    basin_status (*setup)(bs_learner *l, basin_error *err);
    void (*free)(bs_learner *l);
} bs_method;

typedef struct {
    double  sum;
    int64_t n;
} bs_seen;

/* What a method is given, and what of it must survive a restart: parameters,
 * optimisers, step count, what was seen and the memory. The rest is made anew. */
struct bs_learner {
    const bs_train_options *o;
    const bs_method        *method;
    const bs_task          *task; /* with known: for first values of parameters; may be NULL */
    const bs_known         *known;
    const bs_heritage      *heritage; /* other first values, or NULL */
    bs_spec                 spec;
    bs_workspace           *w;
    bs_params              *params;
    bs_cache               *cache;        /* programs of the stages, by size */
    bs_optim               *net, *energy; /* NULL where a method has none */
    int                     phase;
    uint64_t                step;                /* counts program runs; seeds the random leaves */
    bs_seen                 seen[BS_SEEN_COUNT]; /* in this epoch */
    double                  memory[BS_MEMORY];   /* a method's own numbers */
    void                   *state;               /* a method's own */
};

extern const bs_method *const bs_methods[]; /* ends with NULL */

/* By name; unknown, or not for this task: an error with the nearest name or the reason. */
basin_status bs_method_find(const char *name, const char *task, const bs_method **out,
                            basin_error *err);

/* Declares parameters by building every stage, allocates them, makes the optimisers. */
basin_status bs_learner_setup(bs_learner *l, basin_error *err);
void         bs_learner_free(bs_learner *l);

/* Optimisers as new, with the rates of this phase; enters it. */
basin_status bs_learner_enter(bs_learner *l, int phase, basin_error *err);

/* What an optimiser has at the beginning of the learner's phase. */
typedef struct {
    double rate, clip;
} bs_pace;
bs_pace bs_learner_pace(const bs_learner *l, const bs_optim *o);

/* One run of a stage's program and one step of its optimiser. */
basin_status bs_learner_run(bs_learner *l, int stage, const bs_batch *b, basin_error *err);

/* bs_phase.step for the usual cases: one stage, or two by turns as steps.net, steps.energy and
 * inner say (the stages are looked up by what they train). */
basin_status bs_step_alternating(bs_learner *l, const bs_batch *b, basin_error *err);
basin_status bs_step_energy(bs_learner *l, const bs_batch *b, basin_error *err);
basin_status bs_step_net(bs_learner *l, const bs_batch *b, basin_error *err);
/* BS_STAGE_PRETRAINING */
basin_status bs_step_pretrain(bs_learner *l, const bs_batch *b, basin_error *err);

/* bs_phase.enter: the net anew; energy.init = net, where asked for. */
basin_status bs_enter_new_net(bs_learner *l, basin_error *err);
basin_status bs_enter_energy(bs_learner *l, basin_error *err);

/* The net as pre-training left it, for infnet.stay and energy.proof: parameters anchor/net/... that
 * nobody trains. They are there if a loss, or energy.proof, asks for them. */
bool  bs_is_anchored(const bs_segment *s); /* one of the net, but of its cost-augmented one */
bs_id bs_anchor(bs_graph *g, bs_params *p, int segment);
void  bs_learner_anchor(bs_learner *l); /* the net as it is now */
/* The net is again what it was then. */
void bs_learner_return(bs_learner *l);

/* Results of a program that computes a loss: the loss, then everything that may be seen. */
enum { BS_RESULT_LOSS, BS_RESULT_SEEN, BS_RESULT_REST = BS_RESULT_SEEN + BS_SEEN_COUNT };
void bs_scene_results(const bs_scene *s, bs_id loss, bs_recipe *r);
/* After its run: *loss, which must be finite, and what was seen into the learner, of results
 * `first` and later. */
basin_status bs_learner_note(bs_learner *l, const bs_entry *e, int first, const bs_optim *o,
                             double *loss, basin_error *err);

void bs_learner_see(bs_learner *l, bs_seen_id id, double value);

/* The search that the options describe; `predicting` for that of the finished model. */
bs_gbi bs_options_gbi(const bs_train_options *o, bool predicting);
/* infer: net, gbi or refine. */
bs_inference bs_options_inference(const bs_train_options *o, const char *infer);

/* Fills a scene for a stage. */
bs_scene bs_scene_make(bs_learner *l, bs_graph *g, bs_size size, const char *trains);

#endif
