// A view of the rows of candidates that the assemblers read: who may meet a side, at which cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace sherd {

constexpr float kNever = std::numeric_limits<float>::infinity();

// candidates i32[4N, K] (side ids, -1 where a row has fewer than K) and directed cost f32[4N, K].
class Table {
  public:
    using Candidates = nanobind::ndarray<const int32_t, nanobind::ndim<2>, nanobind::c_contig,
                                         nanobind::device::cpu>;
    using Costs = nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig,
                                    nanobind::device::cpu>;

    // The arrays must outlive the table; names beyond the last side are refused here, once.
    Table(const Candidates &candidates, const Costs &cost)
        : sides_(static_cast<int32_t>(candidates.shape(0))),
          width_(static_cast<int32_t>(candidates.shape(1))),
          candidate_(candidates.data()),
          cost_(cost.data()) {
        if (cost.shape(0) != candidates.shape(0) || cost.shape(1) != candidates.shape(1))
            throw std::invalid_argument("cost must have the shape of candidates");
        if (sides_ % 4 != 0) throw std::invalid_argument("a table has four rows for each piece");
        const size_t entries = candidates.shape(0) * candidates.shape(1);
        if (std::any_of(candidate_, candidate_ + entries,
                        [this](int32_t side) { return side < -1 || side >= sides_; }))
            throw std::invalid_argument("a candidate names a side that does not exist");
    }

    int32_t sides() const { return sides_; }
    int32_t pieces() const { return sides_ / 4; }
    int32_t width() const { return width_; }

    const int32_t *candidates(int32_t side) const { return candidate_ + start(side); }
    const float *costs(int32_t side) const { return cost_ + start(side); }

    // Where `other` stands in the row of `side`; -1 if it is not listed. A plain scan in blocks:
    // the compiler turns a block into a few vector compares, which needs no index in memory.
    int32_t find(int32_t side, int32_t other) const {
        const int32_t *row = candidates(side);
        int32_t i = 0;
        for (; i + kBlock <= width_; i += kBlock) {
            int32_t hits = 0;
            for (int32_t j = 0; j < kBlock; ++j) hits |= row[i + j] == other;
            if (hits) break;
        }
        for (const int32_t end = std::min(i + kBlock, width_); i < end; ++i)
            if (row[i] == other) return i;
        return -1;
    }

    // The directed cost of `side` looking at `other`; infinite if it is not listed.
    float cost(int32_t side, int32_t other) const {
        const int32_t place = find(side, other);
        return place < 0 ? kNever : costs(side)[place];
    }

  private:
    static constexpr int32_t kBlock = 32;

    size_t start(int32_t side) const { return static_cast<size_t>(side) * width_; }

    int32_t sides_, width_;
    const int32_t *candidate_;
    const float *cost_;
};

}  // namespace sherd
