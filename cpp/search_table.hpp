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

// What lies in a cell, in one number: 4 * piece + turn, or 4 * N where nothing lies. The side that
// it shows in a direction (0 right, 1 down, 2 left, 3 up) is a side id, 4 * N + direction for
// nothing, so that the score of meeting nothing is a look-up like any other.
inline int32_t side_shown(int32_t what, int32_t direction) {
    return (what & ~3) | ((direction - what) & 3);
}

// Scores of all pairs of sides: a dense table where it fits into memory, else rows of small hash
// tables, both with the floor for pairs that no row lists.
class ScoreTable {
  public:
    // candidates, score: [4N, K] rows; alone: [4N] or null (then meeting nothing costs nothing);
    // dense_limit: most entries of a dense table.
    ScoreTable(int32_t pieces, int32_t width, const int32_t *candidates, const float *score,
               const float *alone, float floor, bool turns, int64_t dense_limit)
        : pieces_(pieces), turns_(turns), floor_(units(floor)), alone_(4 * pieces, 0) {
        for (int32_t a = 0; alone && a < 4 * pieces; ++a) alone_[a] = units(alone[a]);
        shift_ = turns ? 0 : 2;  // without turns a side meets each other piece with one side only
        stride_ = static_cast<size_t>(turns ? 4 * (pieces + 1) : pieces + 1);
        if (static_cast<int64_t>(4 * (pieces + 1) * stride_) <= dense_limit)
            fill_dense(width, candidates, score);
        else
            fill_rows(width, candidates, score);
    }

    int32_t pieces() const { return pieces_; }
    bool turns() const { return turns_; }
    int32_t nothing() const { return 4 * pieces_; }

    // Score of side a of what lies in one cell meeting side b of what lies in the next.
    int32_t meet(int32_t a, int32_t b) const {
        if (!dense_.empty()) return dense_[a * stride_ + (static_cast<uint32_t>(b) >> shift_)];
        return meet_sparse(a, b);
    }

    static int32_t units(float score) {
        const double bounded = std::max(-31.0, std::min(0.0, static_cast<double>(score)));
        return static_cast<int32_t>(std::lround(bounded * kUnitsPerNat));  // fits 16 bits
    }

  private:
    struct Entry {
        int32_t side, score;
    };

    void fill_dense(int32_t width, const int32_t *candidates, const float *score) {
        dense_.assign(4 * (pieces_ + 1) * stride_, static_cast<int16_t>(floor_));
        each(width, candidates, score, [&](int32_t a, int32_t b, int32_t value) {
            int16_t &forth = at(a, b), &back = at(b, a);
            forth = back = static_cast<int16_t>(std::max<int32_t>({value, forth, back}));
        });
        for (int32_t side = 0; side < 4; ++side) {
            for (int32_t a = 0; a < 4 * pieces_; ++a) {
                at(a, nothing() + side) = static_cast<int16_t>(alone_[a]);
                // Without turns one entry stands for all sides of a; only the facing one counts.
                if (turns_ || ((a ^ side) & 3) == 2)
                    at(nothing() + side, a) = static_cast<int16_t>(alone_[a]);
            }
            for (int32_t other = 0; other < 4; ++other) at(nothing() + side, nothing() + other) = 0;
        }
    }

    void fill_rows(int32_t width, const int32_t *candidates, const float *score) {
        std::vector<int64_t> entries(4 * static_cast<size_t>(pieces_), 0);
        each(width, candidates, score, [&](int32_t a, int32_t b, int32_t) {
            ++entries[a];
            ++entries[b];
        });
        begin_.assign(1, 0);
        for (const int64_t count : entries) {
            int64_t room = 2;
            while (2 * room < 3 * count) room *= 2;
            begin_.push_back(begin_.back() + room);
        }
        rows_.assign(begin_.back(), {-1, floor_});
        each(width, candidates, score, [&](int32_t a, int32_t b, int32_t value) {
            Entry &forth = find(a, b), &back = find(b, a);
            const int32_t best = std::max({value, forth.score, back.score});
            forth = {b, best};
            back = {a, best};
        });
    }

    template <typename Visit>
    void each(int32_t width, const int32_t *candidates, const float *score, Visit visit) const {
        for (int32_t a = 0; a < 4 * pieces_; ++a)
            for (int32_t i = 0; i < width; ++i) {
                const size_t k = static_cast<size_t>(a) * width + i;
                if (candidates[k] >= 4 * pieces_)
                    throw std::invalid_argument("a candidate names no side");
                if (candidates[k] >= 0) visit(a, candidates[k], units(score[k]));
            }
    }

    int32_t meet_sparse(int32_t a, int32_t b) const {
        if (a >= nothing()) return b >= nothing() ? 0 : alone_[b];
        if (b >= nothing()) return alone_[a];
        return find(a, b).score;  // an empty place holds the floor
    }
    const Entry &find(int32_t a, int32_t b) const {
        const int64_t mask = begin_[a + 1] - begin_[a] - 1;
        int64_t place = static_cast<uint32_t>(b) * 2654435761u >> 7 & mask;
        while (rows_[begin_[a] + place].side >= 0 && rows_[begin_[a] + place].side != b)
            place = (place + 1) & mask;
        return rows_[begin_[a] + place];
    }
    Entry &find(int32_t a, int32_t b) {
        return const_cast<Entry &>(static_cast<const ScoreTable *>(this)->find(a, b));
    }
    int16_t &at(int32_t a, int32_t b) {
        return dense_[a * stride_ + (static_cast<uint32_t>(b) >> shift_)];
    }

    int32_t pieces_;
    bool turns_;
    int32_t floor_, shift_ = 0;
    size_t stride_ = 0;
    std::vector<int32_t> alone_;
    std::vector<int16_t> dense_;
    std::vector<int64_t> begin_;
    std::vector<Entry> rows_;
};

}  // namespace sherd
