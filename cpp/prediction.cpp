// L1 distances between predicted and seen borders (Pomeranz et al. 2011, Paikin & Tal 2015).
#include <stdexcept>

#include "lanes.h"

namespace nb = nanobind;

namespace {

using Borders = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Masks = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr size_t LANES = 32;

// Sums of absolute differences of one side with LANES sides.
SHERD_CLONES void l1_tile(const float *query, const float *target, size_t width, float *sum) {
    float total[LANES] = {};
    for (size_t i = 0; i < width; ++i, target += LANES)
        for (size_t t = 0; t < LANES; ++t) total[t] += std::fabs(query[i] - target[t]);
    std::copy(total, total + LANES, sum);
}

// The same over the rows that both sides know, and how many these are.
SHERD_CLONES void masked_l1_tile(const float *query, const float *target, const bool *query_known,
                                 const float *target_known, size_t rows, size_t channels,
                                 float *sum, float *shared) {
    float total[LANES] = {}, count[LANES] = {};
    for (size_t r = 0; r < rows; ++r) {
        if (!query_known[r]) continue;
        const float *known = target_known + r * LANES;
        for (size_t t = 0; t < LANES; ++t) count[t] += known[t];
        for (size_t i = r * channels; i < (r + 1) * channels; ++i)
            for (size_t t = 0; t < LANES; ++t)
                total[t] += std::fabs(query[i] - target[i * LANES + t]) * known[t];
    }
    std::copy(total, total + LANES, sum);
    std::copy(count, count + LANES, shared);
}

// Costs [A, B] of sides [A, rows, channels] that look at sides [B, rows, channels].
nb::object l1_costs(Borders queries, Borders targets, Masks query_known, Masks target_known,
                    float least, float length) {
    const size_t a = queries.shape(0), b = targets.shape(0), rows = queries.shape(1);
    if (targets.shape(1) != rows || targets.shape(2) != queries.shape(2) ||
        query_known.shape(0) != a || query_known.shape(1) != rows ||
        target_known.shape(0) != b || target_known.shape(1) != rows)
        throw std::invalid_argument("borders must be [sides, rows, channels], masks [sides, rows]");
    auto *cost = new float[a * b];
    {
        nb::gil_scoped_release release;
        const size_t channels = queries.shape(2), width = rows * channels;
        const auto target = sherd::in_lanes(targets.data(), b, width, LANES);
        const auto known = sherd::in_lanes(target_known.data(), b, rows, LANES);
        const bool complete = sherd::all_set(query_known.data(), a * rows) &&
                              sherd::all_set(target_known.data(), b * rows);
        const sherd::Normal normal{least, length};
        sherd::over_cores(a, [&](size_t begin, size_t end) {
            float sum[LANES], shared[LANES];
            std::fill(shared, shared + LANES, static_cast<float>(rows));
            for (size_t j = 0; j * LANES < b; ++j)
                for (size_t i = begin; i < end; ++i) {
                    const float *query = queries.data() + i * width;
                    const float *tile = target.data() + j * width * LANES;
                    if (complete)
                        l1_tile(query, tile, width, sum);
                    else
                        masked_l1_tile(query, tile, query_known.data() + i * rows,
                                       known.data() + j * rows * LANES, rows, channels, sum,
                                       shared);
                    for (size_t t = 0; t < std::min(LANES, b - j * LANES); ++t)
                        cost[i * b + j * LANES + t] = normal(sum[t], shared[t]);
                }
        });
    }
    return sherd::owned(cost, a, b);
}

}  // namespace

void bind_prediction(nb::module_ &m) {
    m.def("l1_costs", &l1_costs, nb::arg("queries"), nb::arg("targets"), nb::arg("query_known"),
          nb::arg("target_known"), nb::arg("least"), nb::arg("length"));
}
