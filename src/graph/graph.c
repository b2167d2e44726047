/* graph.c -- nodes, interning, labels, the sticky error.
 *
 * The interning table is open addressing over ids, keyed by the bytes of the
 * node; bs_make_node zeroes all of them, padding included. */
#include "graph/graph.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "graph/op.h"

enum { MAX_NODES = 1 << 22, MAX_LABEL_DEPTH = 16, MAX_LABEL = 128 };

/* Salts that make equal nodes of a later turn different ones. */
static const uint32_t TURN_SALT[BS_TURNS] = {0, UINT32_C(1) << 31, UINT32_C(3) << 30};

typedef struct {
    bs_id leaf, value;
} follower;

struct bs_graph {
    bs_arena     arena; /* labels, anew[] */
    bs_node     *node;  /* [cap]; node[0] is unused */
    const char **label; /* [cap_labels], parallel to node */
    bs_id       *table; /* [n_table], a power of two */
    size_t       cap, cap_labels;
    int          n, n_table, n_inputs;
    uint32_t     salt;
    bs_id        begin[BS_TURNS]; /* first id of each turn; see bs_graph_turn */
    int          turn;            /* the turn being built */
    bool         loops;
    const char  *anew;
    int          n_anew;
    follower    *follow; /* [n_follow] */
    size_t       cap_follow;
    int          n_follow;
    const char  *here; /* the current label, joined */
    const char  *stack[MAX_LABEL_DEPTH];
    int          depth;
    basin_error  err;
};

extern const bs_op bs_op_none;
#define OP(name) extern const bs_op bs_op_##name;
#include "graph/ops.def"
#undef OP

const bs_op bs_op_none = {.name = "none", .in = ""};

const bs_op *const bs_ops[BS_OP_COUNT] = {
    &bs_op_none,
#define OP(name) &bs_op_##name,
#include "graph/ops.def"
#undef OP
};

bs_graph *bs_graph_new(void)
{
    bs_graph *g = bs_calloc(1, sizeof *g);
    if (!g)
        return NULL;
    bs_arena_init(&g->arena, 0);
    g->here = "";
    g->n = 1;
    g->n_table = 256;
    g->table = bs_calloc((size_t)g->n_table, sizeof *g->table);
    if (!g->table || !BS_GROW(g->node, g->cap, 256, MAX_NODES) ||
        !BS_GROW(g->label, g->cap_labels, 256, MAX_NODES)) {
        bs_graph_free(g);
        return NULL;
    }
    memset(&g->node[0], 0, sizeof g->node[0]);
    g->label[0] = "";
    return g;
}

void bs_graph_free(bs_graph *g)
{
    if (!g)
        return;
    bs_free(g->node);
    bs_free(g->label);
    bs_free(g->table);
    bs_free(g->follow);
    bs_arena_free(&g->arena);
    bs_free(g);
}

basin_status bs_graph_check(const bs_graph *g, basin_error *err)
{
    if (g->err.status && err)
        *err = g->err;
    return g->err.status;
}

int bs_graph_size(const bs_graph *g)
{
    return g->n;
}

const bs_node *bs_graph_node(const bs_graph *g, bs_id id)
{
    return &g->node[id > 0 && id < g->n ? id : 0];
}

const char *bs_graph_label(const bs_graph *g, bs_id id)
{
    return g->label[id > 0 && id < g->n ? id : 0];
}

bs_shape bs_shape_of(const bs_graph *g, bs_id id)
{
    return bs_graph_node(g, id)->shape;
}

bs_id bs_graph_refuse(bs_graph *g, const char *fmt, ...)
{
    if (g->err.status)
        return 0;
    char    why[400];
    va_list ap;
    va_start(ap, fmt);
    bs_vprint(why, sizeof why, fmt, ap);
    va_end(ap);
    bs_fail(&g->err, BASIN_EARG, "%s%s%s", g->here, *g->here ? "/" : "", why);
    return 0;
}

bs_id bs_graph_nomem(bs_graph *g)
{
    if (!g->err.status)
        bs_fail_nomem(&g->err);
    return 0;
}

/* ---- labels ---- */

void bs_push(bs_graph *g, const char *label)
{
    if (g->depth >= MAX_LABEL_DEPTH) {
        bs_graph_refuse(g, "labels nest deeper than %d", MAX_LABEL_DEPTH);
        return;
    }
    g->stack[g->depth++] = g->here;
    char joined[MAX_LABEL];
    int  n = bs_print(joined, sizeof joined, "%s%s%s", g->here, *g->here ? "/" : "", label);
    if (n >= (int)sizeof joined)
        n = (int)sizeof joined - 1;
    const char *copy = bs_arena_copy(&g->arena, joined, (size_t)n);
    if (copy)
        g->here = copy;
    else
        bs_graph_nomem(g);
}

void bs_pop(bs_graph *g)
{
    if (g->depth > 0)
        g->here = g->stack[--g->depth];
}

uint32_t bs_graph_salt(bs_graph *g, uint32_t salt)
{
    uint32_t old = g->salt;
    g->salt = salt;
    return old;
}

static bool next_turn(bs_graph *g)
{
    if (g->turn == BS_TURNS - 1) {
        bs_graph_refuse(g, "more than %d turns", BS_TURNS);
        return false;
    }
    g->begin[++g->turn] = g->n;
    return true;
}

void bs_graph_turn(bs_graph *g, const uint8_t *anew, int n)
{
    if (!next_turn(g))
        return;
    g->anew = bs_arena_copy(&g->arena, (const char *)anew, (size_t)n);
    g->n_anew = n;
    if (!g->anew)
        bs_graph_nomem(g);
}

void bs_graph_loop(bs_graph *g)
{
    g->loops = next_turn(g);
}

bool bs_graph_loops(const bs_graph *g)
{
    return g->loops;
}

int bs_graph_turn_of(const bs_graph *g, bs_id id)
{
    int turn = g->turn;
    while (turn > 0 && id < g->begin[turn])
        turn--;
    return turn;
}

bs_id bs_graph_turn_begin(const bs_graph *g, int turn)
{
    return turn == 0 ? 1 : turn <= g->turn ? g->begin[turn] : g->n;
}

/* Does this node differ from an equal one of an earlier turn? */
static bool differs_now(const bs_graph *g, const bs_node *n)
{
    if (g->turn == 0 || g->loops)
        return false;
    if (n->op == BS_OP_param)
        return n->attr[0] < g->n_anew && g->anew[n->attr[0]];
    return bs_ops[n->op]->flags & BS_OP_RANDOM;
}

void bs_graph_follow(bs_graph *g, bs_id leaf, bs_id value)
{
    size_t need = (size_t)g->n_follow + 1;
    if (bs_graph_check(g, NULL))
        return;
    if (BS_GROW(g->follow, g->cap_follow, need, MAX_NODES))
        g->follow[g->n_follow++] = (follower){leaf, value};
    else
        bs_graph_nomem(g);
}

bs_id bs_graph_followed(const bs_graph *g, bs_id leaf)
{
    for (int i = g->n_follow - 1; i >= 0; i--)
        if (g->follow[i].leaf == leaf)
            return g->follow[i].value;
    return 0;
}

/* ---- interning ---- */

static uint32_t hash_node(const bs_node *n)
{
    /* FNV-1a over 32-bit words, with a final mix because the table uses low bits */
    uint32_t words[sizeof *n / 4], h = 2166136261u;
    memcpy(words, n, sizeof words);
    for (size_t i = 0; i < sizeof words / 4; i++)
        h = (h ^ words[i]) * 16777619u;
    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ (h >> 13);
}

static bs_id *find_slot(bs_graph *g, const bs_node *n)
{
    uint32_t mask = (uint32_t)g->n_table - 1, i = hash_node(n) & mask;
    while (g->table[i] && memcmp(&g->node[g->table[i]], n, sizeof *n) != 0)
        i = (i + 1) & mask;
    return &g->table[i];
}

static bool grow_table(bs_graph *g)
{
    bs_id *old = g->table;
    bs_id *bigger = bs_calloc((size_t)g->n_table * 2, sizeof *bigger);
    if (!bigger)
        return false;
    g->table = bigger;
    g->n_table *= 2;
    for (bs_id id = 1; id < g->n; id++)
        *find_slot(g, &g->node[id]) = id;
    bs_free(old);
    return true;
}

/* What another turn of a loop made may belong to another round, or not exist, when this one runs.
 * Leaves are bound for all turns. */
static bool is_out_of_reach(const bs_graph *g, bs_id id)
{
    const int turn = g->loops ? bs_graph_turn_of(g, id) : 0;
    return turn > 0 && turn < g->turn && !(bs_ops[g->node[id].op]->flags & BS_OP_LEAF);
}

/* ---- emit ---- */

static bs_id refuse_node(bs_graph *g, const bs_node *n, const char *why)
{
    char   text[300] = "", shape[48];
    size_t used = 0;
    for (int i = 0; i < 4 && n->src[i]; i++) {
        int k = bs_print(text + used, sizeof text - used, "%s%s", i ? " and " : "",
                         bs_shape_text(bs_shape_of(g, n->src[i]), shape));
        used += (size_t)k;
    }
    return bs_graph_refuse(g, "%s: %s (%s)", bs_ops[n->op]->name, why, text);
}

static const char *check_operands(const bs_graph *g, const bs_node *n)
{
    static const char letter[] = {
        [BS_T_REAL] = 'r', [BS_T_INT] = 'i', [BS_T_CSR] = 'c', [BS_T_BITS] = 'b'};
    const char *in = bs_ops[n->op]->in;
    for (int i = 0; i < 4 && in[i]; i++) {
        bs_id s = n->src[i];
        if (s <= 0 || s >= g->n)
            return "an operand is missing";
        if (letter[g->node[s].type] != in[i])
            return "an operand has the wrong type";
    }
    return NULL;
}

static const char *check_result(const bs_node *n)
{
    int64_t count = 1;
    for (int i = 0; i < 4; i++) {
        if (n->shape.d[i] < 1)
            return "the result would have a dimension below 1";
        count *= n->shape.d[i];
        if (count > INT32_MAX)
            return "the result would have more than 2^31 elements";
    }
    return NULL;
}

bs_id bs_emit(bs_graph *g, bs_node n)
{
    if (g->err.status)
        return 0;
    const char *why = check_operands(g, &n);
    if (!why && bs_ops[n.op]->shape)
        why = bs_ops[n.op]->shape(g, &n);
    if (!why)
        why = check_result(&n);
    if (why)
        return refuse_node(g, &n, why);

    n.salt = differs_now(g, &n) ? g->salt ^ TURN_SALT[g->turn] : g->salt;
    bs_id *slot = find_slot(g, &n);
    if (*slot && is_out_of_reach(g, *slot)) {
        n.salt ^= TURN_SALT[g->turn];
        slot = find_slot(g, &n);
    }
    if (*slot)
        return *slot;
    if (g->n * 2 >= g->n_table) {
        if (!grow_table(g))
            return bs_graph_nomem(g);
        slot = find_slot(g, &n);
    }
    size_t need = (size_t)g->n + 1;
    if (!BS_GROW(g->node, g->cap, need, MAX_NODES) ||
        !BS_GROW(g->label, g->cap_labels, need, MAX_NODES))
        return bs_graph_nomem(g);
    g->node[g->n] = n;
    g->label[g->n] = g->here;
    *slot = g->n;
    return g->n++;
}

bs_node bs_make_node(bs_op_id op, bs_id a, bs_id b, bs_id c, bs_id d)
{
    bs_node n;
    memset(&n, 0, sizeof n); /* padding too: nodes are compared by their bytes */
    n.op = (uint16_t)op;
    n.src[0] = a;
    n.src[1] = b;
    n.src[2] = c;
    n.src[3] = d;
    return n;
}

/* Inputs are numbered so that two of the same shape stay distinct. */
bs_id bs_leaf(bs_graph *g, const char *name, bs_type type, bs_shape s)
{
    bs_node n = bs_make_node(BS_OP_input, 0, 0, 0, 0);
    n.type = (uint16_t)type;
    n.shape = s;
    n.attr[0] = ++g->n_inputs;
    bs_push(g, name);
    bs_id id = bs_emit(g, n);
    bs_pop(g);
    return id;
}
