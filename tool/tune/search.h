/* search.h -- the search for good settings: where (space), what to try next (model), and how long a
 * trial is worth continuing (halving).
 *
 * No files, no threads, no clock, and no state but the trials: what comes next is a function of
 * them and of the seed, so a search that was killed continues as if it had not been.
 *
 *     space.c       options and ranges <-> points of the unit cube
 *     points.c      quasi-random points
 *     gp.c          Gaussian process: the model of scores
 *     halving.c     which trials continue
 *     next.c        what to try next */
#ifndef BS_TUNE_H
#define BS_TUNE_H

#include "method/method.h"

/* ---- where ---- */

enum { BS_TUNE_MOST = 24, BS_TUNE_NAME = 64, BS_TUNE_WORDS = 16 };

typedef struct {
    bs_option row; /* offset in bs_settings */
    double    lo, hi;
    bool      log;
    int       n_words; /* for options chosen from words: how many; else 0 */
    char      word[BS_TUNE_WORDS][BS_TUNE_NAME];
    double    start; /* the point that the settings stand for */
} bs_dimension;

typedef struct {
    bs_dimension at[BS_TUNE_MOST];
    int          n;
} bs_space;

typedef struct {
    const char *const *fixed; /* keys that are not searched */
    int                n_fixed;
    const char *const *wish; /* "lr.net=1e-4..1e-2", "net.width", "batch=16|32|64" */
    int                n_wishes;
} bs_space_wishes;

/* The options that a method is tuned in, around the settings; then those requested. */
basin_status bs_space_make(const bs_settings *s, const bs_method *m, const bs_space_wishes *w,
                           bs_space *out, basin_error *err);

/* The value at a point as a user would write it, with few digits; and back. A point that went
 * through text once does not change when it does so again. */
void   bs_space_text(const bs_dimension *d, double u, char text[BS_TUNE_NAME]);
double bs_space_point(const bs_dimension *d, const char *text); /* NaN: not in it */
void   bs_space_snap(const bs_space *s, double *u);             /* to possible values */
/* An option's value as a number for plotting: the value, or the position of the word. */
double bs_space_value(const bs_dimension *d, double u);

basin_status bs_space_apply(const bs_space *s, const double *u, bs_settings *out, basin_error *err);
/* "0.0002..0.02 log", "1..4", "adam|sgd" */
void bs_space_range(const bs_dimension *d, bs_buf *out);

/* Points that fill the cube evenly: number i of a sequence that depends on the seed. */
void bs_tune_point(uint64_t seed, int i, int n, double *u);

/* ---- trials ---- */

/* Levels at which a trial is judged: two rungs, where poor ones pause, and its end. */
enum { BS_TUNE_RUNGS = 2, BS_TUNE_ETA = 3 };

typedef enum {
    BS_TRIAL_RUNNING,  /* being trained, or interrupted by the end of the time */
    BS_TRIAL_PAUSED,   /* at a rung; continues if it is among the best */
    BS_TRIAL_FINISHED, /* its training ended by itself */
    BS_TRIAL_FAILED,
} bs_trial_state;

typedef struct {
    double         u[BS_TUNE_MOST];
    bs_trial_state state;
    int            passed;              /* rungs that it has reached */
    double         rung[BS_TUNE_RUNGS]; /* best score up to there ... */
    double         rise[BS_TUNE_RUNGS]; /* ... minus that at half of the way */
    double         score;               /* best score so far; higher is better; NaN: none */
} bs_trial;

/* Scores are known for trials [n]; where the running ones will end is not. */
typedef struct {
    const bs_space *space;
    uint64_t        seed;
    const bs_trial *trial;
    int             n;
} bs_search;

/* The epochs of the rungs, given a training's total epochs; returns how many. */
int bs_tune_rungs(int epochs, int rung[BS_TUNE_RUNGS]);

/* The score expected at the end of a trial that has passed a rung: curves that still rise there
 * keep rising, those of high dropout, strong decay and low rates, which are behind at a rung and
 * often ahead at the end. */
double bs_tune_expected(const bs_trial *t, int rung);

/* Whether this trial, at the last rung it has passed, should continue: the best third, by expected
 * score, of all that got there; with `closing` at least one. */
bool bs_tune_worth(const bs_search *s, int trial, int rungs, bool closing);
/* The paused trial to continue, from the highest rung down; -1: none. */
int bs_tune_promoted(const bs_search *s, int rungs, bool closing);

typedef enum { BS_FROM_DEFAULT, BS_FROM_SEQUENCE, BS_FROM_MODEL } bs_trial_source;
extern const char *const bs_trial_sources[];
extern const char *const bs_trial_states[];

/* The point for trial number s->n: that of the settings, then a few quasi-random ones, then where
 * the model expects most. */
basin_status bs_tune_next(const bs_search *s, double u[BS_TUNE_MOST], bs_trial_source *from,
                          basin_error *err);

/* ---- the model ---- */

/* A Gaussian process: Matern 5/2, a length per option, additional noise per point. */
typedef struct {
    const bs_space *space;
    int             n;
    double         *u;      /* [n, options] */
    double         *y;      /* [n], standardised */
    double         *extra;  /* [n], variance in addition to the common noise */
    double         *factor; /* [n, n], Cholesky factor of the covariance */
    double         *weight; /* [n], covariance^-1 y */
    double          length[BS_TUNE_MOST], signal, noise;
    double          mean, scale; /* of the scores */
} bs_gp;

/* Fits lengths, signal and noise by their posterior. y in any unit. */
basin_status bs_gp_fit(const bs_space *space, const double *u, const double *y, const double *extra,
                       int n, bs_gp *out, basin_error *err);
void         bs_gp_free(bs_gp *g);
/* In units of y; *sd without the noise, may be NULL. work: [n]. */
double bs_gp_mean(const bs_gp *g, const double *u, double *sd, double *work);

/* The model of a search. Paused trials count with their expected scores, with the error of such
 * expectations as noise; failed ones with the worst score, running ones with what the model of the
 * others expects. */
basin_status bs_tune_model(const bs_search *s, bs_gp *out, basin_error *err);

#endif
