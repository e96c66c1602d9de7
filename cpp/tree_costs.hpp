// The costs that the tree compares: mutual ones, and how clear the best of a row is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "table.hpp"

namespace sherd::tree {

// Costs that are the same from both sides: the sum of the two directed ones. A side that a row
// does not list costs as much as the dearest that it lists.
class Mutual {
  public:
    explicit Mutual(const Table &table)
        : table_(table),
          cost_(static_cast<size_t>(table.sides()) * table.width(), kNever),
          dearest_(table.sides()),
          least_(table.sides(), kNever),
          second_(table.sides(), kNever) {
        for (int32_t b = 0; b < table.sides(); ++b) dearest_[b] = dearest(table.costs(b), b);
        for (int32_t b = 0; b < table.sides(); b += kBlock) add_block(b);
        for (int32_t a = 0; a < table.sides(); ++a) dearest_[a] = dearest(row(a), a);
        for (int32_t a = 0; a < table.sides(); ++a) find_smallest(a);
    }

    const float *row(int32_t side) const {
        return cost_.data() + static_cast<size_t>(side) * table_.width();
    }

    // A cost in the row of a side beside the smallest other one there: below 1 for the best only.
    double ratio(int32_t side, float cost) const {
        const float other = cost > least_[side] ? least_[side] : second_[side];
        if (other > 0) return static_cast<double>(cost) / other;
        return cost > 0 ? kNever : 1.0;
    }

    // Its own view of another side: what the row says.
    float view(int32_t side, int32_t other) const {
        const int32_t place = table_.find(side, other);
        const float cost = place < 0 ? kNever : row(side)[place];
        return cost < kNever ? cost : dearest_[side];
    }

    // The view of all sides at once.
    void views(int32_t side, std::vector<float> &out) const {
        out.assign(table_.sides(), dearest_[side]);
        const int32_t *candidate = table_.candidates(side);
        for (int32_t i = 0; i < table_.width(); ++i)
            if (row(side)[i] < kNever) out[candidate[i]] = row(side)[i];
    }

  private:
    static constexpr int32_t kBlock = 512;

    float dearest(const float *costs, int32_t side) const {
        float most = 0;
        for (int32_t i = 0; i < table_.width(); ++i)
            if (table_.candidates(side)[i] >= 0 && costs[i] < kNever)
                most = std::max(most, costs[i]);
        return most;
    }

    // Writes the rows of sides first.. as columns of a dense block, so that whoever looks at one
    // of them finds how it looks back.
    void add_block(int32_t first) {
        const int32_t sides = table_.sides(), width = table_.width();
        const int32_t size = std::min(kBlock, sides - first);
        back_.resize(static_cast<size_t>(sides) * kBlock);
        for (int32_t a = 0; a < sides; ++a)
            std::copy_n(dearest_.begin() + first, size, back_.begin() + at(a, 0));
        for (int32_t b = first; b < first + size; ++b)
            for (int32_t i = 0; i < width; ++i)
                if (table_.candidates(b)[i] >= 0 && table_.costs(b)[i] < kNever)
                    back_[at(table_.candidates(b)[i], b - first)] = table_.costs(b)[i];
        for (int32_t a = 0; a < sides; ++a) {
            const int32_t *candidate = table_.candidates(a);
            float *sum = cost_.data() + static_cast<size_t>(a) * width;
            for (int32_t i = 0; i < width; ++i)
                if (candidate[i] >= first && candidate[i] < first + size)
                    sum[i] = table_.costs(a)[i] + back_[at(a, candidate[i] - first)];
        }
    }

    size_t at(int32_t side, int32_t column) const {
        return static_cast<size_t>(side) * kBlock + column;
    }

    void find_smallest(int32_t side) {
        float &least = least_[side], &second = second_[side];
        for (int32_t i = 0; i < table_.width(); ++i) {
            const float cost = row(side)[i];
            second = std::min(second, std::max(least, cost)), least = std::min(least, cost);
        }
        if (second == kNever) second = least;
    }

    const Table &table_;
    std::vector<float> cost_, dearest_, least_, second_, back_;
};

}  // namespace sherd::tree
