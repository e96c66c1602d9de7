// How well sides fit, measured against what else they can still meet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "greedy_plane.hpp"
#include "table.hpp"

namespace sherd::greedy {

constexpr double kTied = 0.001;  // compatibility of one free match among several

// Compatibility among the sides that can still meet. Sides only ever stop being able to meet, so
// that the best and the second best of a row only move on: each row is walked once, and only when
// somebody asks for it.
class Compatibility {
  public:
    Compatibility(const Table &table, const Plane &plane)
        : table_(table),
          plane_(plane),
          ranking_(static_cast<size_t>(table.sides()) * table.width()),
          listed_(table.sides()),
          first_(table.sides(), 0),
          second_(table.sides(), 1) {
        std::vector<std::tuple<float, int32_t, int32_t>> row;
        for (int32_t side = 0; side < table.sides(); ++side) {
            row.clear();
            for (int32_t i = 0; i < table.width(); ++i)
                if (table.candidates(side)[i] >= 0 && std::isfinite(table.costs(side)[i]))
                    row.emplace_back(table.costs(side)[i], table.candidates(side)[i], i);
            std::sort(row.begin(), row.end());
            listed_[side] = static_cast<int32_t>(row.size());
            for (size_t rank = 0; rank < row.size(); ++rank)
                ranking_[start(side) + rank] = std::get<2>(row[rank]);
        }
    }

    // The best of the sides that `side` can still meet, -1 if there is none.
    int32_t best(int32_t side) {
        if (!plane_.open(side)) return -1;
        walk(side, first_[side]);
        return first_[side] < listed_[side] ? ranked(side, first_[side]) : -1;
    }
    bool buddies(int32_t side, int32_t other) {
        return best(side) == other && best(other) == side;
    }

    // How well the two sides fit: the mean of both views, each in [-1, 1].
    double mutual(int32_t side, int32_t other) {
        return (directed(side, other) + directed(other, side)) / 2;
    }

    // The best placed side that an unplaced `side` can still meet, -1 if none is listed.
    int32_t best_placed(int32_t side) const {
        for (int32_t rank = 0; rank < listed_[side]; ++rank) {
            const int32_t other = ranked(side, rank);
            if (plane_.placed(other / 4) && plane_.open(other)) return other;
        }
        return -1;
    }

  private:
    size_t start(int32_t side) const { return static_cast<size_t>(side) * table_.width(); }
    int32_t ranked(int32_t side, int32_t rank) const {
        return table_.candidates(side)[ranking_[start(side) + rank]];
    }
    double cost_at(int32_t side, int32_t rank) const {
        return table_.costs(side)[ranking_[start(side) + rank]];
    }
    void walk(int32_t side, int32_t &rank) const {
        while (rank < listed_[side] && !plane_.can_meet(side, ranked(side, rank))) ++rank;
    }

    // 1 - D / (second smallest D) where that is not negative, else (second smallest D) / D - 1:
    // the same order, but a bad match cannot outweigh all the good ones of a slot. What a row
    // does not list costs at least its worst.
    double directed(int32_t side, int32_t other) {
        if (listed_[side] == 0) return -1;
        const double worst = cost_at(side, listed_[side] - 1);
        walk(side, first_[side]);
        second_[side] = std::max(second_[side], first_[side] + 1);
        walk(side, second_[side]);
        const double yardstick =
            second_[side] < listed_[side] ? cost_at(side, second_[side]) : worst;
        const float listed = table_.cost(side, other);
        const double cost = std::isfinite(listed) ? listed : worst;
        if (yardstick <= 0) return cost > yardstick ? -1 : kTied;
        return cost <= yardstick ? 1 - cost / yardstick : yardstick / cost - 1;
    }

    const Table &table_;
    const Plane &plane_;
    std::vector<int32_t> ranking_, listed_, first_, second_;
};

}  // namespace sherd::greedy
