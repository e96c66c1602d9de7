// Rows of candidates: picking the best of each row, and finding one side in another's row.
#include <cstring>
#include <stdexcept>
#include <utility>

#include "lanes.h"

namespace nb = nanobind;

namespace {

using Ints1 = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints2 = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A key of 64 bits that sorts like (cost, side): integers sort faster than pairs.
uint64_t sort_key(float cost, int32_t side) {
    uint32_t bits;
    std::memcpy(&bits, &cost, sizeof bits);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return uint64_t{bits} << 32 | static_cast<uint32_t>(side);
}

float cost_of(uint64_t key) {
    uint32_t bits = static_cast<uint32_t>(key >> 32);
    bits = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
    float cost;
    std::memcpy(&cost, &bits, sizeof cost);
    return cost;
}

// The k cheapest columns of each row, cheapest first, ties by side id; sides of the row's own
// piece and infinite costs are left out, missing entries are side -1 at infinite cost.
nb::tuple top_rows(Floats2 cost, Ints1 row_sides, Ints1 col_sides, size_t k) {
    const size_t rows = cost.shape(0), cols = cost.shape(1);
    if (row_sides.shape(0) != rows || col_sides.shape(0) != cols)
        throw std::invalid_argument("cost must be [rows, columns] of the given sides");
    auto *sides = new int32_t[rows * k];
    auto *costs = new float[rows * k];
    const float *values = cost.data();
    const int32_t *row_of = row_sides.data(), *side_of = col_sides.data();
    {
        nb::gil_scoped_release release;
        sherd::over_cores(rows, [&](size_t begin, size_t end) {
            std::vector<uint64_t> row;
            for (size_t a = begin; a < end; ++a) {
                row.clear();
                for (size_t b = 0; b < cols; ++b) {
                    const float value = values[a * cols + b];
                    if (side_of[b] / 4 != row_of[a] / 4 && std::isfinite(value))
                        row.push_back(sort_key(value + 0.0f, side_of[b]));  // -0 becomes 0
                }
                const size_t kept = std::min(k, row.size());
                if (kept < row.size()) std::nth_element(row.begin(), row.begin() + kept, row.end());
                std::sort(row.begin(), row.begin() + kept);
                for (size_t i = 0; i < k; ++i) {
                    const bool there = i < kept;
                    sides[a * k + i] = there ? static_cast<int32_t>(row[i] & 0xffffffffu) : -1;
                    costs[a * k + i] = there ? cost_of(row[i]) : INFINITY;
                }
            }
        });
    }
    nb::object first = sherd::owned(sides, rows, k), second = sherd::owned(costs, rows, k);
    return nb::make_tuple(first, second);
}

// Where side a stands in the row of its candidate b, for every entry (a, b); -1 where it does not.
nb::object reverse_positions(Ints2 candidates) {
    const size_t rows = candidates.shape(0), k = candidates.shape(1);
    const int32_t *side = candidates.data();
    for (size_t i = 0; i < rows * k; ++i)
        if (side[i] < -1 || side[i] >= static_cast<int64_t>(rows))
            throw std::invalid_argument("a candidate is not the number of a row");
    auto *position = new int32_t[rows * k];
    {
        nb::gil_scoped_release release;
        // Counting sort of all entries by the side they name: entry (a, b) lands in bucket b with
        // its a ascending, so that each bucket can be met by the row of b sorted by side.
        std::vector<std::vector<std::pair<int32_t, int32_t>>> wanted(rows);
        for (size_t a = 0; a < rows; ++a)
            for (size_t i = 0; i < k; ++i)
                if (const int32_t b = side[a * k + i]; b >= 0)
                    wanted[b].emplace_back(static_cast<int32_t>(a), static_cast<int32_t>(i));
        std::fill(position, position + rows * k, -1);
        std::vector<int32_t> place(rows, -1);
        for (size_t b = 0; b < rows; ++b) {
            for (size_t i = 0; i < k; ++i)
                if (side[b * k + i] >= 0) place[side[b * k + i]] = static_cast<int32_t>(i);
            for (const auto &[a, i] : wanted[b]) position[a * k + i] = place[a];
            for (size_t i = 0; i < k; ++i)
                if (side[b * k + i] >= 0) place[side[b * k + i]] = -1;
        }
    }
    return sherd::owned(position, rows, k);
}

}  // namespace

void bind_rows(nb::module_ &m) {
    m.def("top_rows", &top_rows, nb::arg("cost"), nb::arg("row_sides"), nb::arg("col_sides"),
          nb::arg("k"));
    m.def("reverse_positions", &reverse_positions, nb::arg("candidates"));
}
