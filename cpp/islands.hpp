// Islands of pieces in the free plane, merged by the evidence of all seams that come into contact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include "search_table.hpp"

namespace sherd {

// Where a piece lies on its island, and how it is turned.
struct Spot {
    int32_t row, col, turn;
};

// A motion of the plane: turn clockwise about the origin by `spin` quarters, then shift.
struct Motion {
    int32_t spin, down, right;

    Spot operator()(Spot spot) const {
        for (int32_t k = 0; k < spin; ++k) {
            const int32_t row = spot.row;
            spot.row = spot.col;
            spot.col = -row;
        }
        return {spot.row + down, spot.col + right, (spot.turn + spin) & 3};
    }
};

// What a contact is worth: its score plus `offset`, but at least -cap. Islands merge where the sum
// is above `threshold`. All in units of the score table.
struct Worth {
    int32_t offset, cap, threshold;
    int64_t of(int32_t score) const { return std::max(score + offset, -cap); }
};

struct Island {
    std::vector<int32_t> members;
    int32_t rows = 1, cols = 1;
    std::vector<int32_t> grid;  // [rows, cols] pieces, -1 where there is none

    int32_t at(int32_t row, int32_t col) const {
        if (row < 0 || col < 0 || row >= rows || col >= cols) return -1;
        return grid[static_cast<size_t>(row) * cols + col];
    }
};

class Archipelago {
  public:
    static constexpr int64_t kImpossible = INT64_MIN;

    // rows, cols: what every island must fit into.
    Archipelago(const ScoreTable &table, int32_t rows, int32_t cols)
        : table_(&table), rows_(rows), cols_(cols) {
        for (int32_t piece = 0; piece < table.pieces(); ++piece) {
            home_.push_back(piece);
            spot_.push_back({0, 0, 0});
            islands_.push_back({{piece}, 1, 1, {piece}});
        }
    }

    int32_t home(int32_t piece) const { return home_[piece]; }
    Spot spot(int32_t piece) const { return spot_[piece]; }
    const std::vector<Island> &islands() const { return islands_; }

    // The motion of the island of side b that makes b meet side a.
    Motion meet(int32_t a, int32_t b) const {
        static constexpr int32_t kDown[4] = {0, 1, 0, -1}, kRight[4] = {1, 0, -1, 0};
        const Spot anchor = spot_[a >> 2], moved = spot_[b >> 2];
        const int32_t direction = (a + anchor.turn) & 3;
        Motion motion{(direction + 2 - b - moved.turn) & 3, 0, 0};
        const Spot turned = motion(moved);
        motion.down = anchor.row + kDown[direction] - turned.row;
        motion.right = anchor.col + kRight[direction] - turned.col;
        return motion;
    }

    // Worth of all contacts of island b, moved, with island a; impossible if pieces would lie on
    // one another or the two would not fit into the board. `contacts` counts them.
    int64_t worth(int32_t a, int32_t b, const Motion &motion, const Worth &worth,
                  int32_t *contacts = nullptr) const {
        if (!fits(a, b, motion)) return kImpossible;
        const bool swapped = islands_[a].members.size() < islands_[b].members.size();
        const Motion way = swapped ? inverse(motion) : motion;
        const Island &still = islands_[swapped ? b : a];
        int64_t sum = 0;
        for (const int32_t piece : islands_[swapped ? a : b].members) {
            const Spot spot = way(spot_[piece]);
            if (still.at(spot.row, spot.col) >= 0) return kImpossible;
            static constexpr int32_t kDown[4] = {0, 1, 0, -1}, kRight[4] = {1, 0, -1, 0};
            for (int32_t direction = 0; direction < 4; ++direction) {
                const int32_t other =
                    still.at(spot.row + kDown[direction], spot.col + kRight[direction]);
                if (other < 0) continue;
                sum += worth.of(table_->meet(
                    side_shown(4 * piece + spot.turn, direction),
                    side_shown(4 * other + spot_[other].turn, (direction + 2) & 3)));
                if (contacts) ++*contacts;
            }
        }
        return sum;
    }

    // Join island b, moved, to island a.
    void join(int32_t a, int32_t b, const Motion &motion) {
        for (const int32_t piece : islands_[b].members) {
            spot_[piece] = motion(spot_[piece]);
            home_[piece] = a;
            islands_[a].members.push_back(piece);
        }
        islands_[b] = {{}, 0, 0, {}};
        redraw(a);
    }

    // Turn an island by quarters.
    void turn(int32_t island, int32_t spin) {
        for (const int32_t piece : islands_[island].members)
            spot_[piece] = Motion{spin, 0, 0}(spot_[piece]);
        redraw(island);
    }

  private:
    static Motion inverse(const Motion &motion) {
        Motion back{(4 - motion.spin) & 3, 0, 0};
        const Spot origin = back({motion.down, motion.right, 0});
        back.down = -origin.row;
        back.right = -origin.col;
        return back;
    }

    bool fits(int32_t a, int32_t b, const Motion &motion) const {
        const Spot one = motion({0, 0, 0});
        const Spot two = motion({islands_[b].rows - 1, islands_[b].cols - 1, 0});
        const int32_t rows = std::max({islands_[a].rows - 1, one.row, two.row}) -
                             std::min({0, one.row, two.row}) + 1;
        const int32_t cols = std::max({islands_[a].cols - 1, one.col, two.col}) -
                             std::min({0, one.col, two.col}) + 1;
        return (rows <= rows_ && cols <= cols_) ||
               (table_->turns() && rows <= cols_ && cols <= rows_);
    }

    // Bring the spots of an island to begin at (0, 0) and draw its grid anew.
    void redraw(int32_t number) {
        Island &island = islands_[number];
        int32_t top = INT32_MAX, left = INT32_MAX, bottom = INT32_MIN, right = INT32_MIN;
        for (const int32_t piece : island.members) {
            top = std::min(top, spot_[piece].row);
            left = std::min(left, spot_[piece].col);
            bottom = std::max(bottom, spot_[piece].row);
            right = std::max(right, spot_[piece].col);
        }
        island.rows = bottom - top + 1;
        island.cols = right - left + 1;
        island.grid.assign(static_cast<size_t>(island.rows) * island.cols, -1);
        for (const int32_t piece : island.members) {
            spot_[piece].row -= top;
            spot_[piece].col -= left;
            island.grid[static_cast<size_t>(spot_[piece].row) * island.cols + spot_[piece].col] =
                piece;
        }
    }

    const ScoreTable *table_;
    int32_t rows_, cols_;
    std::vector<int32_t> home_;
    std::vector<Spot> spot_;
    std::vector<Island> islands_;
};

// Merge islands, always where the worth of the contacts is highest. A proposal is weighed anew when
// its turn comes, and those of the smaller island whenever it is joined to another.
class Merger {
  public:
    Merger(Archipelago &plane, const int32_t *candidates, int32_t width, int32_t depth,
           int32_t sides, const Worth &worth)
        : plane_(&plane), worth_(worth), proposed_(sides) {
        for (int32_t a = 0; a < sides; ++a)
            for (int32_t i = 0; i < std::min(depth, width); ++i)
                if (const int32_t b = candidates[static_cast<size_t>(a) * width + i]; b >= 0) {
                    proposed_[a].push_back(b);
                    proposed_[b].push_back(a);
                }
        for (int32_t a = 0; a < sides; ++a) propose(a);
    }

    void run() {
        while (!queue_.empty()) {
            const Proposal top = queue_.top();
            queue_.pop();
            int32_t a = plane_->home(top.a >> 2), b = plane_->home(top.b >> 2);
            if (a == b) continue;
            const Motion motion = plane_->meet(top.a, top.b);
            const int64_t now = plane_->worth(a, b, motion, worth_);
            if (now <= worth_.threshold) continue;
            if (now < top.worth) {
                queue_.push({now, top.a, top.b});
                continue;
            }
            merge(a, b, top, motion);
        }
    }

  private:
    struct Proposal {
        int64_t worth;
        int32_t a, b;
        bool operator<(const Proposal &other) const {
            if (worth != other.worth) return worth < other.worth;
            return a != other.a ? a > other.a : b > other.b;
        }
    };

    void propose(int32_t a) {
        const int32_t home = plane_->home(a >> 2);
        for (const int32_t b : proposed_[a]) {
            const int32_t other = plane_->home(b >> 2);
            if (home == other) continue;
            const int64_t worth = plane_->worth(home, other, plane_->meet(a, b), worth_);
            if (worth > worth_.threshold) queue_.push({worth, a, b});
        }
    }

    void merge(int32_t a, int32_t b, const Proposal &by, const Motion &motion) {
        const std::vector<Island> &islands = plane_->islands();
        const bool larger = islands[a].members.size() >= islands[b].members.size();
        const std::vector<int32_t> moved = islands[larger ? b : a].members;
        if (larger)
            plane_->join(a, b, motion);
        else
            plane_->join(b, a, plane_->meet(by.b, by.a));
        for (const int32_t piece : moved)
            for (int32_t side = 0; side < 4; ++side) propose(4 * piece + side);
    }

    Archipelago *plane_;
    Worth worth_;
    std::vector<std::vector<int32_t>> proposed_;
    std::priority_queue<Proposal> queue_;
};

}  // namespace sherd
