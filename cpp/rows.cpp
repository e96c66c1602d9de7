// Rows of candidates: picking the best of each row, and finding one side in another's row.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

namespace {

using Ints1 = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints2 = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
nb::object owned(T *data, size_t rows, size_t cols) {
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {rows, cols}, owner));
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
        std::vector<std::pair<float, int32_t>> row;
        for (size_t a = 0; a < rows; ++a) {
            row.clear();
            for (size_t b = 0; b < cols; ++b) {
                const float value = values[a * cols + b];
                if (side_of[b] / 4 != row_of[a] / 4 && std::isfinite(value))
                    row.emplace_back(value, side_of[b]);
            }
            const size_t kept = std::min(k, row.size());
            std::partial_sort(row.begin(), row.begin() + kept, row.end());
            for (size_t i = 0; i < k; ++i) {
                sides[a * k + i] = i < kept ? row[i].second : -1;
                costs[a * k + i] = i < kept ? row[i].first : INFINITY;
            }
        }
    }
    nb::object first = owned(sides, rows, k), second = owned(costs, rows, k);
    return nb::make_tuple(first, second);
}

// Where side a stands in the row of its candidate b, for every entry (a, b); -1 where it does not.
nb::object reverse_positions(Ints2 candidates) {
    const size_t rows = candidates.shape(0), k = candidates.shape(1);
    const int32_t *side = candidates.data();
    auto *position = new int32_t[rows * k];
    {
        nb::gil_scoped_release release;
        // Counting sort of all entries by the side they name: entry (a, b) lands in bucket b with
        // its a ascending, so that each bucket can be met by the row of b sorted by side.
        std::vector<std::vector<std::pair<int32_t, int32_t>>> wanted(rows);
        for (size_t a = 0; a < rows; ++a)
            for (size_t i = 0; i < k; ++i)
                if (const int32_t b = side[a * k + i]; b >= 0 && static_cast<size_t>(b) < rows)
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
    return owned(position, rows, k);
}

}  // namespace

void bind_rows(nb::module_ &m) {
    m.def("top_rows", &top_rows, nb::arg("cost"), nb::arg("row_sides"), nb::arg("col_sides"),
          nb::arg("k"));
    m.def("reverse_positions", &reverse_positions, nb::arg("candidates"));
}
