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
    BS_EXPLAIN_SEARCHES = 2,
    BS_EXPLAIN_IMAGES = 4,
    BS_EXPLAIN_SIDE = BASIN_SIDE,
    BS_EXPLAIN_REACH = (BASIN_SIDE - 1) / 2, /* distance in pixels up to which they are examined */
};

/* What interaction is compared with. */
enum {
    BS_WITH_COUNT,
    BS_WITH_COUNT_GIVEN, /* frequencies */
    BS_WITH_INFORMATION,
    BS_OWN_WITH_INFORMATION, /* pairs alone */
    BS_EXPLAIN_AGREEMENTS
};

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
    bs_agreement agreement[BS_EXPLAIN_AGREEMENTS];
    /* mlc: how much the gradient by a label varies between rows, from the energy's local part and
     * from that over labels: mean over labels of the standard deviation; NaN: not measured */
    double moves_local, moves_shared;
} bs_explained_pairs;

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

/* A label or a token of one row, and its share of the energy: of a label what having it costs, from
 * the input and from the term over labels; of a token its own and that of its neighbours. */
typedef struct {
    const char *name, *truth, *predicted; /* truth NULL: unknown */
    double      probability, local, shared;
} bs_explained_term;

typedef struct {
    int32_t            number;               /* from 1; 0: no row was requested */
    const char        *text;                 /* the sentence, the name of the image, or "" */
    double             energy, energy_truth; /* of the prediction, and of the truth (or NaN) */
    bs_explained_term *term;                 /* [n_terms]; none of images */
    int32_t            n_terms;
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
    bs_explained_steps   steps;
    double               net, cost_net; /* scores, if the model has kept both; or NaN */
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
    basin_status (*look)(bs_explanation *e, basin_error *err);
    basin_status (*row)(bs_explanation *e, basin_error *err); /* except for its steps */
} bs_task_explain;

/* ---- shared: tool/explain/explain.c ---- */

/* Zeroed, from the arena; NULL when memory runs out. */
double *bs_explain_matrix(bs_explanation *e, int32_t rows, int32_t cols);
/* As the model predicts; the caller frees it. */
basin_status bs_explain_scorer(const bs_explanation *e, bs_scorer **out, basin_error *err);
/* About the energy at the outputs that a scorer finds for the rows examined. */
bs_inquiry bs_explain_inquiry(const bs_explanation *e, bs_scorer *scorer);
/* Completes pairs once counts, interaction and names are set. */
basin_status bs_explain_compare(bs_explanation *e, double rows, basin_error *err);

/* Predicts all rows of a part; as the model does: tool/explain/steps.c */
basin_status bs_explain_predict(bs_explanation *e, const bs_dataset *p, bs_outputs *out,
                                basin_error *err);
/* Searches of the energy on a part: tool/explain/steps.c */
basin_status bs_explain_steps(bs_explanation *e, const bs_dataset *p, bs_explained_steps *out,
                              basin_error *err);
/* Of models that have kept their cost-augmented net, the scores of both: tool/explain/steps.c */
basin_status bs_explain_nets(bs_explanation *e, basin_error *err);

/* ---- how it is shown: tool/explain/show.c ---- */

/* As a table and as JSON, and as a page if the document has one. */
void bs_explain_show(const bs_explanation *e, bs_doc *d);

#endif
