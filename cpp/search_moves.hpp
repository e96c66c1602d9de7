// Moves of the search: swap a piece to where a neighbour wants it, or shift a whole cluster there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search_board.hpp"
#include "search_change.hpp"
#include "search_random.hpp"

namespace sherd {

// The best candidates of every side, for proposals: [4N, depth] side ids, -1 where there is none.
struct Proposals {
    int32_t depth;
    std::vector<int32_t> side;
};

// Moves one board at one temperature. Clusters are grown over bonds that are strong at the present
// temperature and shifted rigidly, wrapping around the edges of the board; what they push away goes
// into the cells that they leave. Metropolis acceptance.
class Mover {
  public:
    Mover(const Proposals &proposals, const Ties &ties, int32_t cells)
        : proposals_(&proposals), ties_(&ties), change_(ties, cells), in_cluster_(cells + 1, 0),
          reached_(cells, 0), came_from_(cells, 0) {}

    // `clusters_in_64`: of 64 moves, how many shift a cluster (the rest swap two cells).
    void run(Board &board, Random &random, int64_t temperature, int64_t moves,
             int32_t clusters_in_64) {
        for (int64_t i = 0; i < moves; ++i) move(board, random, temperature, clusters_in_64);
    }

  private:
    // Draw a side and one of its candidates (rank geometric with ratio 1/2), and bring the
    // candidate next to it.
    void move(Board &board, Random &random, int64_t temperature, int32_t clusters_in_64) {
        const int32_t a = random.below(4 * board.table().pieces());
        const uint32_t coins = random.bits();
        int32_t rank = 0;
        while (rank + 1 < proposals_->depth && (coins >> rank & 1)) ++rank;
        const int32_t b = proposals_->side[static_cast<size_t>(a) * proposals_->depth + rank];
        if (b < 0) return;
        const int32_t anchor = board.cell(a >> 2), from = board.cell(b >> 2);
        const int32_t direction = (a + board.what(anchor)) & 3;
        const int32_t turn = (direction + 2 - b) & 3;
        if (static_cast<int32_t>(coins >> 26) < clusters_in_64) {
            shift(board, random, temperature, anchor, direction, from, turn);
            return;
        }
        const int32_t target = board.grid().next[4 * anchor + direction];
        const int32_t moved = (board.what(from) & ~3) | turn;
        if (target == board.grid().cells() || board.what(target) == moved) return;
        change_.clear(true);
        if (target != from) change_.push(from, board.what(target), target);
        change_.push(target, moved, from);
        change_.attempt(board, random.threshold(temperature));
    }

    void shift(Board &board, Random &random, int64_t temperature, int32_t anchor,
               int32_t direction, int32_t from, int32_t turn) {
        static constexpr int32_t kDown[4] = {0, 1, 0, -1}, kRight[4] = {1, 0, -1, 0};
        const Grid &grid = board.grid();
        const int32_t row = wrap(grid.row[anchor] + kDown[direction], grid.rows);
        const int32_t col = wrap(grid.col[anchor] + kRight[direction], grid.cols);
        const int32_t spin = (turn - board.what(from)) & 3;
        if (spin == 0 && row * grid.cols + col == from) return;
        if (!grow(board, random, temperature, from, anchor)) return;
        if (!aim(grid, from, row, col, spin)) return;
        list_changes(board, spin);
        change_.attempt(board, random.threshold(temperature));
    }

    // Grow a cluster of cells from `from`; false if it swallows the anchor.
    bool grow(const Board &board, Random &random, int64_t temperature, int32_t from,
              int32_t anchor) {
        ++mark_;
        in_cluster_[from] = mark_;
        in_cluster_[board.grid().cells()] = mark_;  // the outside never joins
        cluster_.assign({from});
        // The bond scale varies from move to move: T times 1/2 to 3/2.
        const int64_t scale = (temperature * (32768 + (random.bits() >> 16))) >> 16;
        const int32_t weakest = static_cast<int32_t>(-Random::highest(scale));
        const int32_t *next = board.grid().next.data(), *seam = board.seams();
        uint64_t word = 1;  // twelve bits for each draw; the uppermost one marks what is left
        for (size_t i = 0; i < cluster_.size(); ++i) {
            const int32_t cell = cluster_[i];
            for (int32_t k = 4 * cell; k < 4 * cell + 4; ++k) {
                const int32_t other = next[k];
                if (in_cluster_[other] == mark_) continue;
                if (!ties_->tied(board.what(cell) >> 2, board.what(other) >> 2)) {
                    if (seam[k] < weakest) continue;
                    if (word >> 12 == 0) word = random.word() | (uint64_t{1} << 63);
                    const int64_t limit = (scale * kNegLog[word & 4095]) >> 16;
                    word >>= 12;
                    if (-seam[k] > limit || board.empty(cell) || board.empty(other)) continue;
                }
                if (other == anchor) return false;
                in_cluster_[other] = mark_;
                cluster_.push_back(other);
            }
        }
        return true;
    }

    // Where each cell of the cluster goes: `from` to (row, col), the others rigidly with it, turned
    // by `spin`, around the edges of the board. False if two of them would share a cell or if the
    // edge would cut a cluster where blocks are to keep together.
    bool aim(const Grid &grid, int32_t from, int32_t row, int32_t col, int32_t spin) {
        ++reach_;
        goal_.clear();
        for (const int32_t cell : cluster_) {
            int32_t down = grid.row[cell] - grid.row[from];
            int32_t right = grid.col[cell] - grid.col[from];
            for (int32_t k = 0; k < spin; ++k) {
                const int32_t old = down;
                down = right;
                right = -old;
            }
            const int32_t goal_row = wrap(row + down, grid.rows);
            const int32_t goal_col = wrap(col + right, grid.cols);
            if (ties_->any && (goal_row != row + down || goal_col != col + right)) return false;
            const int32_t goal = goal_row * grid.cols + goal_col;
            if (reached_[goal] == reach_) return false;
            reached_[goal] = reach_;
            came_from_[goal] = cell;
            goal_.push_back(goal);
        }
        return true;
    }

    static int32_t wrap(int32_t at, int32_t size) {
        while (at < 0) at += size;
        while (at >= size) at -= size;
        return at;
    }

    // List what lies where after the shift. Without a spin, what is pushed out of its cell goes
    // back along the same way until it finds a cell that the cluster left; with one, what is pushed
    // and the cells that were left are matched in order.
    void list_changes(const Board &board, int32_t spin) {
        change_.clear(spin != 0);
        size_t left = 0;
        for (size_t i = 0; i < cluster_.size(); ++i) {
            const int32_t moved = board.what(cluster_[i]);
            change_.add(goal_[i], (moved & ~3) | ((moved + spin) & 3), cluster_[i]);
            if (in_cluster_[goal_[i]] == mark_) continue;
            int32_t cell = cluster_[i];
            if (spin == 0) {
                while (reached_[cell] == reach_) cell = came_from_[cell];
            } else {
                while (reached_[cluster_[left]] == reach_) ++left;
                cell = cluster_[left++];
            }
            change_.push(cell, board.what(goal_[i]), goal_[i]);
        }
    }

    const Proposals *proposals_;
    const Ties *ties_;
    Change change_;
    std::vector<int32_t> cluster_, goal_;
    std::vector<uint64_t> in_cluster_, reached_;
    std::vector<int32_t> came_from_;
    uint64_t mark_ = 0, reach_ = 0;
};

}  // namespace sherd
