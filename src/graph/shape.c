/* shape.c -- arithmetic on shapes. */
#include "graph/op.h"

bs_shape bs_shape4(int a, int b, int c, int d)
{
    return (bs_shape){{a, b, c, d}};
}

bs_shape bs_shape3(int a, int b, int c)
{
    return bs_shape4(1, a, b, c);
}

bs_shape bs_shape2(int rows, int cols)
{
    return bs_shape4(1, 1, rows, cols);
}

bs_shape bs_shape1(int n)
{
    return bs_shape4(1, 1, 1, n);
}

bool bs_shape_equal(bs_shape a, bs_shape b)
{
    return a.d[0] == b.d[0] && a.d[1] == b.d[1] && a.d[2] == b.d[2] && a.d[3] == b.d[3];
}

int64_t bs_shape_count(bs_shape s)
{
    return (int64_t)s.d[0] * s.d[1] * s.d[2] * s.d[3];
}

const char *bs_shape_text(bs_shape s, char buf[48])
{
    int first = 0;
    while (first < 3 && s.d[first] == 1)
        first++;
    int used = bs_print(buf, 48, "[");
    for (int i = first; i < 4; i++)
        used += bs_print(buf + used, 48 - (size_t)used, "%s%d", i > first ? ", " : "", s.d[i]);
    bs_print(buf + used, 48 - (size_t)used, "]");
    return buf;
}

bool bs_broadcast(bs_shape a, bs_shape b, bs_shape *out)
{
    for (int i = 0; i < 4; i++) {
        if (a.d[i] != b.d[i] && a.d[i] != 1 && b.d[i] != 1)
            return false;
        out->d[i] = a.d[i] == 1 ? b.d[i] : a.d[i];
    }
    return true;
}

bs_axis_view bs_around_axis(bs_shape s, int axis)
{
    bs_axis_view v = {1, s.d[axis], 1};
    for (int i = 0; i < axis; i++)
        v.outer *= s.d[i];
    for (int i = axis + 1; i < 4; i++)
        v.inner *= s.d[i];
    return v;
}

int bs_axis_index(bs_graph *g, int axis)
{
    if (axis >= -4 && axis <= -1)
        return axis + 4;
    bs_graph_refuse(g, "axis %d is not in -4..-1", axis);
    return -1;
}

size_t bs_value_bytes(bs_type type, bs_shape s)
{
    size_t count = (size_t)bs_shape_count(s);
    switch (type) {
    case BS_T_REAL: return count * sizeof(real);
    case BS_T_INT: return count * sizeof(int32_t);
    case BS_T_BITS:
        return count / (size_t)s.d[3] * (size_t)bs_bits_words(s.d[3]) * sizeof(uint64_t);
    case BS_T_CSR: break;
    }
    return 0;
}
