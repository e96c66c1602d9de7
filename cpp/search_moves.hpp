// Moves of the search: swap a piece to where a neighbour wants it, or shift a whole cluster there.
#pragma once

#include <cstdint>
#include <vector>

#include "search_board.hpp"
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
    Mover(const Proposals &proposals, int32_t cells)
        : proposals_(&proposals), in_cluster_(cells, 0), touched_(cells, 0) {}

    void run(Board &board, Random &random, int64_t temperature, int64_t moves) {
        for (int64_t i = 0; i < moves; ++i) move(board, random, temperature);
    }

  private:
    // In 10 moves, how many shift a cluster (the rest swap two tokens).
    static constexpr int32_t kClustersInTen = 6;

    struct Placed {
        int32_t cell, token, turn;
    };

    // Draw a side and one of its candidates (rank geometric with ratio 1/2), and bring the
    // candidate next to it.
    void move(Board &board, Random &random, int64_t temperature) {
        const int32_t a = random.below(4 * board.table().pieces());
        const uint32_t coins = random.bits();
        int32_t rank = 0;
        while (rank + 1 < proposals_->depth && (coins >> rank & 1)) ++rank;
        const int32_t b = proposals_->side[static_cast<size_t>(a) * proposals_->depth + rank];
        if (b < 0) return;
        const int32_t anchor = board.cell(a >> 2), from = board.cell(b >> 2);
        const int32_t direction = (a + board.turn(anchor)) & 3;
        const int32_t turn = board.table().turns() ? (direction + 2 - b) & 3 : 0;
        const int32_t target = board.grid().next[4 * anchor + direction];
        if (random.below(10) < kClustersInTen)
            shift(board, random, temperature, anchor, direction, from, turn);
        else if (target >= 0 && (target != from || turn != board.turn(from)))
            swap(board, random, temperature, from, target, turn);
    }

    // Move the token of `from` to `target` with a new turn; what lay there goes to `from`.
    void swap(Board &board, Random &random, int64_t temperature, int32_t from, int32_t target,
              int32_t turn) {
        cells_.assign({from});
        if (target != from) cells_.push_back(target);
        placed_.assign({{target, board.token(from), turn}});
        if (target != from) placed_.push_back({from, board.token(target), board.turn(target)});
        mark_touched();
        attempt(board, random, temperature);
    }

    void shift(Board &board, Random &random, int64_t temperature, int32_t anchor,
               int32_t direction, int32_t from, int32_t turn) {
        if (!grow(board, random, temperature, from, anchor)) return;
        const Grid &grid = board.grid();
        const int32_t rows = grid.rows, cols = grid.cols;
        static constexpr int32_t kDown[4] = {0, 1, 0, -1}, kRight[4] = {1, 0, -1, 0};
        const int32_t row = (anchor / cols + kDown[direction] + rows) % rows;
        const int32_t col = (anchor % cols + kRight[direction] + cols) % cols;
        const int32_t spin = (turn - board.turn(from)) & 3;
        if (spin == 0 && row * cols + col == from) return;
        if (!aim(grid, from, row, col, spin)) return;
        push_away(board, spin);
        attempt(board, random, temperature);
    }

    // Grow a cluster of cells from `from`; false if it swallows the anchor.
    bool grow(const Board &board, Random &random, int64_t temperature, int32_t from,
              int32_t anchor) {
        ++mark_;
        cluster_.assign({from});
        in_cluster_[from] = mark_;
        // The bond scale varies from move to move: T times 1/2 to 3/2.
        const int64_t scale = (temperature * (32768 + (random.bits() >> 16))) >> 16;
        for (size_t i = 0; i < cluster_.size(); ++i)
            for (int32_t direction = 0; direction < 4; ++direction) {
                const int32_t other = board.grid().next[4 * cluster_[i] + direction];
                if (other < 0 || in_cluster_[other] == mark_) continue;
                if (is_hole(board, cluster_[i]) || is_hole(board, other)) continue;
                if (-board.seam(cluster_[i], direction) > random.threshold(scale)) continue;
                if (other == anchor) return false;
                in_cluster_[other] = mark_;
                cluster_.push_back(other);
            }
        return true;
    }

    static bool is_hole(const Board &board, int32_t cell) {
        return board.token(cell) >= board.table().pieces();
    }

    // Where each cell of the cluster goes: `from` to (row, col), the others rigidly with it, turned
    // by `spin`, around the edges of the board. False if two of them would share a cell.
    bool aim(const Grid &grid, int32_t from, int32_t row, int32_t col, int32_t spin) {
        ++touch_;
        goal_.clear();
        for (const int32_t cell : cluster_) {
            int32_t down = cell / grid.cols - from / grid.cols;
            int32_t right = cell % grid.cols - from % grid.cols;
            for (int32_t k = 0; k < spin; ++k) {
                const int32_t old = down;
                down = right;
                right = -old;
            }
            const int32_t r = ((row + down) % grid.rows + grid.rows) % grid.rows;
            const int32_t c = ((col + right) % grid.cols + grid.cols) % grid.cols;
            const int32_t goal = r * grid.cols + c;
            if (touched_[goal] == touch_) return false;
            touched_[goal] = touch_;
            goal_.push_back(goal);
        }
        return true;
    }

    // List what lies where after the shift. Without a spin, a token that is pushed out of its cell
    // goes back along the same way until it finds a cell that the cluster left; with one, pushed
    // tokens and left cells are matched in order.
    void push_away(const Board &board, int32_t spin) {
        placed_.clear();
        cells_ = cluster_;
        for (size_t i = 0; i < cluster_.size(); ++i) {
            const int32_t turn = (board.turn(cluster_[i]) + spin) & 3;
            placed_.push_back({goal_[i], board.token(cluster_[i]), turn});
            if (in_cluster_[goal_[i]] != mark_) cells_.push_back(goal_[i]);
        }
        spin == 0 ? push_back_along_the_way(board) : push_into_what_is_left(board);
        mark_touched();
    }

    void push_back_along_the_way(const Board &board) {
        came_from_.resize(in_cluster_.size());
        for (size_t i = 0; i < cluster_.size(); ++i) came_from_[goal_[i]] = cluster_[i];
        for (size_t i = 0; i < cluster_.size(); ++i) {
            if (in_cluster_[goal_[i]] == mark_) continue;
            int32_t cell = cluster_[i];
            while (touched_[cell] == touch_) cell = came_from_[cell];
            placed_.push_back({cell, board.token(goal_[i]), board.turn(goal_[i])});
        }
    }

    void push_into_what_is_left(const Board &board) {
        size_t left = 0;
        for (size_t i = 0; i < goal_.size(); ++i) {
            if (in_cluster_[goal_[i]] == mark_) continue;
            while (touched_[cluster_[left]] == touch_) ++left;
            placed_.push_back({cluster_[left++], board.token(goal_[i]), board.turn(goal_[i])});
        }
    }

    void mark_touched() {
        ++touch_;
        for (const int32_t cell : cells_) touched_[cell] = touch_;
    }

    // Put everything into place, and back again if the Metropolis rule refuses.
    void attempt(Board &board, Random &random, int64_t temperature) {
        const int64_t before = touched_energy(board);
        undo_.clear();
        for (const int32_t cell : cells_)
            undo_.push_back({cell, board.token(cell), board.turn(cell)});
        for (const Placed &p : placed_) board.put(p.cell, p.token, p.turn);
        const int64_t change = touched_energy(board) - before;
        if (change >= 0 || -change <= random.threshold(temperature)) {
            for (const int32_t cell : cells_) board.settle(cell);
            board.energy += change;
        } else {
            for (const Placed &p : undo_) board.put(p.cell, p.token, p.turn);
        }
    }

    // All seams of the touched cells, each once.
    int64_t touched_energy(const Board &board) const {
        int64_t sum = 0;
        for (const int32_t cell : cells_)
            for (int32_t direction = 0; direction < 4; ++direction) {
                const int32_t other = board.grid().next[4 * cell + direction];
                const bool twice = other >= 0 && touched_[other] == touch_ && direction >= 2;
                if (!twice) sum += board.seam(cell, direction);
            }
        return sum;
    }

    const Proposals *proposals_;
    std::vector<int32_t> cluster_, goal_, cells_, came_from_;
    std::vector<Placed> placed_, undo_;
    std::vector<int64_t> in_cluster_, touched_;
    int64_t mark_ = 0, touch_ = 0;
};

}  // namespace sherd
