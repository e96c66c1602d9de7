// Scores in fixed point for the search: every look-up and every sum is an integer, so that the same
// table and seed give the same layout on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sherd {

constexpr int32_t kUnitsPerNat = 1024;

// Who can lie in a cell: a piece, or nothing (an empty cell or the outside). "Nothing" has number
// N, so that the score of a side that meets nothing is a look-up like any other.
class ScoreTable {
  public:
    // candidates, score: [4N, K] rows; alone: [4N] or null (then meeting nothing costs nothing).
    ScoreTable(int32_t pieces, int32_t width, const int32_t *candidates, const float *score,
               const float *alone, float floor, bool turns)
        : pieces_(pieces),
          stride_(turns ? 4 * (pieces + 1) : pieces + 1),
          turns_(turns),
          values_(static_cast<size_t>(4) * (pieces + 1) * stride_, units(floor)) {
        for (int32_t a = 0; a < 4 * pieces; ++a)
            for (int32_t i = 0; i < width; ++i)
                if (const int32_t b = candidates[static_cast<size_t>(a) * width + i]; b >= 0)
                    raise_to(a, b, units(score[static_cast<size_t>(a) * width + i]));
        for (int32_t side = 0; side < 4; ++side) {
            for (int32_t a = side; a < 4 * pieces; a += 4) meet_nothing(a, alone);
            for (int32_t other = 0; other < 4; ++other)
                at(4 * pieces + side, 4 * pieces + other) = 0;
        }
    }

    int32_t pieces() const { return pieces_; }
    bool turns() const { return turns_; }

    // Score of side a of what lies in one cell meeting side b of what lies in the next.
    int32_t meet(int32_t a, int32_t b) const {
        return values_[static_cast<size_t>(a) * stride_ + column(b)];
    }

    static int32_t units(float score) {
        return static_cast<int32_t>(std::lround(static_cast<double>(score) * kUnitsPerNat));
    }

  private:
    int32_t column(int32_t b) const { return turns_ ? b : b >> 2; }
    int32_t &at(int32_t a, int32_t b) {
        return values_[static_cast<size_t>(a) * stride_ + column(b)];
    }
    // A pair may stand in one row only; both directions take the higher entry.
    void raise_to(int32_t a, int32_t b, int32_t value) {
        if (b >= 4 * pieces_) throw std::invalid_argument("a candidate names no side");
        const int32_t best = std::max({value, at(a, b), at(b, a)});
        at(a, b) = best;
        at(b, a) = best;
    }
    void meet_nothing(int32_t a, const float *alone) {
        const int32_t value = alone ? units(alone[a]) : 0;
        for (int32_t side = 0; side < 4; ++side) {
            at(a, 4 * pieces_ + side) = value;
            at(4 * pieces_ + side, a) = value;
        }
    }

    int32_t pieces_, stride_;
    bool turns_;
    std::vector<int32_t> values_;
};

}  // namespace sherd
