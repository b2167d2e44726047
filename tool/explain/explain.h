/* explain.h -- the findings of basin_explain, task by task, before they are shown.
 *
 * Everything lives in the arena of the explanation. What a task lacks is empty. */
#ifndef BS_API_EXPLAIN_H
#define BS_API_EXPLAIN_H

#include "basin_tool.h"
#include "doc/doc.h"
#include "explain/pairs.h"
#include "model/probe.h"

enum {
    BS_EXPLAIN_GROUPS = 8,  /* groups of pairs by how often they occur */
    BS_EXPLAIN_BENDS = 6,   /* pairs of labels whose gradient is plotted */
    BS_EXPLAIN_POINTS = 11, /* values of a probability between 0 and 1 */
    BS_EXPLAIN_SEARCHES = 2,
    BS_EXPLAIN_FLIPS = 12,
    BS_EXPLAIN_DIFFERENCES = 10,
    BS_EXPLAIN_IMAGES = 4,
    BS_EXPLAIN_REACH = 8, /* distance in pixels up to which interaction is measured */
    BS_EXPLAIN_SIDE = 2 * BS_EXPLAIN_REACH + 1,
};

/* Pairs whose count is within least .. most, and how their interaction ranks among all: the mean
 * rank, from 0 to 1, and the mean itself. */
typedef struct {
    double  least, most, rank, mean;
    int64_t pairs;
} bs_explained_group;

/* How labels of a set, or neighbouring tags, depend on each other: matrices [n, n] whose entry
 * [i][j] is about labels i and j, or about tag j after tag i. */
typedef struct {
    int32_t  n; /* 0: there are none */
    bool     ordered;
    double  *interaction; /* -d2E / dy_i dy_j: positive where the energy rewards both together */
    double  *own;         /* the same minus what all pairs of a label share (bs_pairs_centre) */
    double  *count;       /* in the truth; for label sets the diagonal counts single labels */
    double  *expected;    /* expected under independence */
    double  *information; /* log of count over expected */
    int32_t *order;       /* order of drawing */
    bool     differences; /* derivatives are finite differences */
    int64_t  places;      /* rows, or pairs of neighbours, that interaction is averaged over */
    bs_agreement       with_count, given_expected, with_information;
    bs_agreement       own_with_information;
    bs_explained_group group[BS_EXPLAIN_GROUPS];
    int                groups;
    /* mlc: how much the gradient by a label varies between rows, from the energy's local part and
     * from that over labels: mean over labels of the standard deviation; NaN: not measured */
    double moves_local, moves_shared;
} bs_explained_pairs;

/* The gradient of the energy over labels by label `to`, while the probability of label `from` moves
 * from 0 to 1 and all others stay: a mean over some rows. That of cross-entropy stays. */
typedef struct {
    int32_t     from, to;
    const char *what; /* "together", "apart", "nothing": why this pair is shown */
    double      gradient[BS_EXPLAIN_POINTS], cross_entropy;
} bs_explained_bend;

/* A search by number of steps: score and energy, averaged over rows. */
typedef struct {
    const char *name, *start; /* "gbi", "zeros" */
    int         n, step[BS_SCORE_POINTS];
    double      score[BS_SCORE_POINTS], energy[BS_SCORE_POINTS];
} bs_explained_search;

typedef struct {
    bs_explained_search search[BS_EXPLAIN_SEARCHES];
    int                 n;
    const char         *direct; /* "net", "viterbi": an alternative without a search ... */
    double              score;  /* ... and its score */
} bs_explained_steps;

/* A part of one output (a label, a token, a pixel), and the effect of changing it on the energy. */
typedef struct {
    const char *name, *truth, *predicted; /* truth NULL: unknown */
    double      probability;
    double      local, shared; /* mlc: the cost of having the label; tag: the token's share */
    const char *other;         /* its new value */
    double      change;        /* change of the energy */
} bs_explained_term;

/* For models that kept their cost-augmented net: scores of both nets, and what it says where the
 * other is right: the most frequent pairs of tags (Tu et al. 2020, Table 3). */
typedef struct {
    double net, cost; /* NaN: unavailable */
    struct {
        int32_t truth, cost;
        int64_t times;
    } pair[BS_EXPLAIN_DIFFERENCES];
    int     pairs;
    int64_t right, differ; /* parts of y that the net has right; those where the other differs */
} bs_explained_nets;

typedef struct {
    int32_t            number;               /* from 1; 0: no row was requested */
    const char        *text;                 /* the sentence, the name of the image, or "" */
    double             energy, energy_truth; /* of the prediction, and of the truth (or NaN) */
    bs_explained_term *term;                 /* [n_terms] all labels or tokens */
    int32_t            n_terms;
    bs_explained_term  flip[BS_EXPLAIN_FLIPS]; /* sorted by how much they lower the energy */
    int                n_flips;
    bs_explained_steps steps;
} bs_explained_row;

/* A window of a photo, and what the energy would change in its mask. */
typedef struct {
    const char *name;
    int         width, height;
    double     *pull;       /* [height, width]; positive: more of class 1, or of another class */
    bs_buf      masks, map; /* PNG files: photo, truth and prediction; pull as colours; owned */
} bs_explained_image;

/* Pixels by their offset from each other, [dy + REACH][dx + REACH]; the centre is unused. */
typedef struct {
    int64_t n;           /* pairs examined; 0: none */
    double *interaction; /* change of -dE/dy_q when pixel p goes from 0 to 1 */
    double *truth;       /* correlation of the classes of p and q in the masks */
} bs_explained_pixels;

typedef struct {
    basin_model         *model;
    const bs_model_file *m;
    bs_preprocess        known; /* borrows from the model: searches may see less */
    const char          *model_name, *data_name;
    bs_dataset           all, data, one; /* all rows, those examined, the one of --row */
    bs_arena             arena;
    bs_workspace        *w;
    bs_energy_probe     *probe;
    bs_logger            log;
    const volatile int  *stop;
    const char *const   *name; /* [names] of labels, tags or classes */
    int32_t              names;
    bs_machine           where;
    double               seconds;
    bs_explained_pairs   pairs;
    bs_explained_bend    bend[BS_EXPLAIN_BENDS];
    int                  bends;
    bs_explained_steps   steps;
    bs_explained_nets    nets;
    bs_explained_image   image[BS_EXPLAIN_IMAGES + 1]; /* the last one is that of --row */
    int                  images;                       /* except that of --row */
    bs_explained_pixels  pixels;
    bs_explained_row     row;
} bs_explanation;

/* The task-specific functions. */
typedef struct bs_task_explain {
    int32_t rows; /* examined by default */
    /* Whether a part has a truth to compare with. */
    bool (*labelled)(const bs_dataset *p);
    basin_status (*names)(bs_explanation *e, basin_error *err);
    bs_hvp_kind (*products)(const bs_net_spec *s);
    basin_status (*look)(bs_explanation *e, basin_error *err);
    basin_status (*row)(bs_explanation *e, basin_error *err); /* except for its steps */
} bs_task_explain;

/* ---- shared: tool/explain/explain.c ---- */

/* Zeroed, from the arena; NULL when memory runs out. */
double *bs_explain_matrix(bs_explanation *e, int32_t rows, int32_t cols);
/* An error if asked to stop. */
basin_status bs_explain_go_on(const bs_explanation *e, basin_error *err);
/* Completes pairs once counts, interaction and names are set. */
basin_status bs_explain_compare(bs_explanation *e, double rows, basin_error *err);
/* Keeps the flip if it is among the best. */
void bs_explain_flip(bs_explained_row *r, const bs_explained_term *t);

/* Predicts all rows of a part; infer NULL: as the model does, "cost": with the cost-augmented net:
 * tool/explain/steps.c */
basin_status bs_explain_predict(bs_explanation *e, const bs_dataset *p, const char *infer,
                                bs_outputs *out, basin_error *err);
/* The deciding score of the model: tool/explain/steps.c */
basin_status bs_explain_measure(const bs_explanation *e, const bs_dataset *p, const bs_outputs *y,
                                double *score, basin_error *err);
/* Searches of the energy on a part: tool/explain/steps.c */
basin_status bs_explain_steps(bs_explanation *e, const bs_dataset *p, bs_explained_steps *out,
                              basin_error *err);

/* ---- how it is shown ---- */

/* The pairs i, j with the strongest interaction, positive or negative, among those that occur;
 * returns how many there are. */
typedef struct {
    int32_t i, j;
} bs_explained_pair;
int bs_explain_strongest(const bs_explanation *e, bool positive, int most, bs_explained_pair *out);

/* Means of a map of pixels over rings, distance 1 to REACH, rounded. */
void bs_explain_rings(const double *v, double out[BS_EXPLAIN_REACH]);

/* Parts that are the same on the terminal, on the page and in JSON. */
void bs_explain_nets(const bs_explanation *e, bs_doc *d);
void bs_explain_terms(const bs_explanation *e, const char *key, const bs_explained_term *term,
                      int n, bs_doc *d);

/* For a terminal and as a page; either may be NULL. */
void bs_explain_show(const bs_explanation *e, bs_doc *d);
void bs_explain_json(const bs_explanation *e, bs_buf *out);

#endif
