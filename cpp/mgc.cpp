// Mahalanobis gradient compatibility (Gallagher 2012), in both directions at once.
#include <stdexcept>

#include "lanes.h"

namespace nb = nanobind;

namespace {

using Borders = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Whitenings = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Masks = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr size_t LANES = 16, CHANNELS = 3, ENTRIES = 6;  // entries of a triangular 3x3 matrix

// Many sides as the kernels read them: `lanes` sides side by side in every array.
struct Sides {
    size_t rows, lanes;
    std::vector<float> seen, expected, whitening, known;

    Sides(const Borders &seen, const Borders &expected, const Whitenings &whitening,
          const Masks &known, size_t lanes)
        : rows(seen.shape(1)), lanes(lanes),
          seen(sherd::in_lanes(seen.data(), seen.shape(0), rows * CHANNELS, lanes)),
          expected(sherd::in_lanes(expected.data(), seen.shape(0), rows * CHANNELS, lanes)),
          whitening(sherd::in_lanes(whitening.data(), seen.shape(0), ENTRIES, lanes)),
          known(sherd::in_lanes(known.data(), seen.shape(0), rows, lanes)) {}
};

// One tile of sides.
struct Tile {
    const float *seen, *expected, *whitening, *known;

    Tile(const Sides &sides, size_t i)
        : seen(sides.seen.data() + i * sides.rows * CHANNELS * sides.lanes),
          expected(sides.expected.data() + i * sides.rows * CHANNELS * sides.lanes),
          whitening(sides.whitening.data() + i * ENTRIES * sides.lanes),
          known(sides.known.data() + i * sides.rows * sides.lanes) {}
};

// |W d|^2 for a lower triangular W, whose entries are `step` apart.
inline float squared(const float *w, size_t step, float d0, float d1, float d2) {
    const float y0 = w[0] * d0;
    const float y1 = w[step] * d0 + w[2 * step] * d1;
    const float y2 = w[3 * step] * d0 + w[4 * step] * d1 + w[5 * step] * d2;
    return y0 * y0 + y1 * y1 + y2 * y2;
}

// Sums of both directions of one side (b in Tile) with LANES sides, over the rows both know.
SHERD_CLONES void mgc_tile(Tile a, Tile b, size_t rows, float *sum, float *shared) {
    float total[LANES] = {}, count[LANES] = {};
    for (size_t r = 0; r < rows; ++r) {
        const float *x = a.seen + r * CHANNELS, *u = a.expected + r * CHANNELS;
        const float *y = b.seen + r * CHANNELS * LANES, *v = b.expected + r * CHANNELS * LANES;
        const float a_known = a.known[r], *b_known = b.known + r * LANES;
        for (size_t t = 0; t < LANES; ++t) {
            const float there = squared(a.whitening, 1, y[t] - u[0], y[LANES + t] - u[1],
                                        y[2 * LANES + t] - u[2]);
            const float back = squared(b.whitening + t, LANES, x[0] - v[t], x[1] - v[LANES + t],
                                       x[2] - v[2 * LANES + t]);
            const float both = a_known * b_known[t];
            total[t] += (there + back) * both;
            count[t] += both;
        }
    }
    std::copy(total, total + LANES, sum);
    std::copy(count, count + LANES, shared);
}

void check(const Borders &seen, const Borders &expected, const Whitenings &whitening,
           const Masks &known, size_t rows) {
    const size_t sides = seen.shape(0);
    if (seen.shape(1) != rows || seen.shape(2) != CHANNELS || expected.shape(0) != sides ||
        expected.shape(1) != rows || expected.shape(2) != CHANNELS ||
        whitening.shape(0) != sides || whitening.shape(1) != ENTRIES ||
        known.shape(0) != sides || known.shape(1) != rows)
        throw std::invalid_argument(
            "borders must be [sides, rows, 3], whitenings [sides, 6], masks [sides, rows]");
}

// Symmetric costs [A, B]: each side's view of the other's outermost pixels, summed.
nb::object mgc_costs(Borders seen, Borders expected, Whitenings whitening, Masks known,
                     Borders other_seen, Borders other_expected, Whitenings other_whitening,
                     Masks other_known, float least, float length) {
    const size_t a = seen.shape(0), b = other_seen.shape(0), rows = seen.shape(1);
    check(seen, expected, whitening, known, rows);
    check(other_seen, other_expected, other_whitening, other_known, rows);
    auto *cost = new float[a * b];
    {
        nb::gil_scoped_release release;
        const Sides mine(seen, expected, whitening, known, 1);
        const Sides theirs(other_seen, other_expected, other_whitening, other_known, LANES);
        const sherd::Normal normal{least, length};
        sherd::over_cores(a, [&](size_t begin, size_t end) {
            float sum[LANES], shared[LANES];
            for (size_t j = 0; j * LANES < b; ++j)
                for (size_t i = begin; i < end; ++i) {
                    mgc_tile(Tile(mine, i), Tile(theirs, j), rows, sum, shared);
                    for (size_t t = 0; t < std::min(LANES, b - j * LANES); ++t)
                        cost[i * b + j * LANES + t] = normal(sum[t], shared[t]);
                }
        });
    }
    return sherd::owned(cost, a, b);
}

}  // namespace

void bind_mgc(nb::module_ &m) {
    m.def("mgc_costs", &mgc_costs, nb::arg("seen"), nb::arg("expected"), nb::arg("whitening"),
          nb::arg("known"), nb::arg("other_seen"), nb::arg("other_expected"),
          nb::arg("other_whitening"), nb::arg("other_known"), nb::arg("least"), nb::arg("length"));
}
