// Moves that obey detailed balance, for recording what a board at temperature 1 looks like.
#pragma once

#include <cstdint>

#include "search_change.hpp"
#include "search_moves.hpp"

namespace sherd {

// Every move is drawn without regard to the board and undone by the same draw, so that the plain
// Metropolis rule is exact: two rivals for one place change places, alone or with the rectangles of
// pieces around them; two cells; a piece that turns; the whole board that shifts around its edges.
class ExactMover {
  public:
    ExactMover(const Proposals &proposals, const Ties &ties, int32_t cells)
        : proposals_(&proposals), change_(ties, cells) {}

    void run(Board &board, Random &random, int64_t temperature, int64_t moves) {
        for (int64_t i = 0; i < moves; ++i) {
            const uint32_t kind = random.bits() >> 26;
            if (kind == 0)
                shift(board, random);
            else if (kind < 8)
                swap_cells(board, random);
            else if (kind < 16 && board.table().turns())
                spin(board, random);
            else if (!swap_rivals(board, random, kind < 36))
                continue;
            change_.attempt(board, random.threshold(temperature));
        }
    }

  private:
    void swap_cells(Board &board, Random &random) {
        const int32_t one = random.below(board.grid().cells());
        const int32_t two = random.below(board.grid().cells());
        change_.clear(false);
        if (one == two) return;
        change_.push(one, board.what(two), two);
        change_.push(two, board.what(one), one);
    }

    void spin(Board &board, Random &random) {
        const int32_t cell = random.below(board.grid().cells()), what = board.what(cell);
        const int32_t turn = 1 + random.below(3);
        change_.clear(true);
        if (!board.empty(cell)) change_.push(cell, (what & ~3) | ((what + turn) & 3), cell);
    }

    void shift(Board &board, Random &random) {
        const Grid &grid = board.grid();
        const int32_t down = random.below(grid.rows), right = random.below(grid.cols);
        change_.clear(false);
        if (down + right == 0) return;
        for (int32_t cell = 0; cell < grid.cells(); ++cell) {
            const int32_t row = (grid.row[cell] + down) % grid.rows;
            const int32_t col = (grid.col[cell] + right) % grid.cols;
            change_.push(row * grid.cols + col, board.what(cell), cell);
        }
    }

    // Two candidates of one side; each would then show its candidate side where the other did.
    bool swap_rivals(Board &board, Random &random, bool alone) {
        const size_t row =
            static_cast<size_t>(random.below(4 * board.table().pieces())) * proposals_->depth;
        const int32_t a = proposals_->side[row + rank(random)];
        const int32_t b = proposals_->side[row + rank(random)];
        if (a < 0 || b < 0 || a >> 2 == b >> 2) return false;
        const int32_t one = board.cell(a >> 2), two = board.cell(b >> 2);
        if (!alone) return swap_rectangles(board, random, one, two);
        const int32_t turn = board.table().turns() ? (b - a) & 3 : 0;
        change_.clear(turn != 0);
        change_.push(two, turned(board.what(one), board.what(two) + turn), one);
        change_.push(one, turned(board.what(two), board.what(one) - turn), two);
        return true;
    }
    static int32_t turned(int32_t what, int32_t turn) { return (what & ~3) | (turn & 3); }

    bool swap_rectangles(Board &board, Random &random, int32_t one, int32_t two) {
        const Grid &grid = board.grid();
        const int32_t height = 1 + rank(random), width = 1 + rank(random);
        const int32_t up = random.below(height), left = random.below(width);
        const int32_t row = grid.row[one] - up, col = grid.col[one] - left;
        const int32_t to_row = grid.row[two] - up, to_col = grid.col[two] - left;
        if (!inside(grid, row, col, height, width) || !inside(grid, to_row, to_col, height, width))
            return false;
        if (std::abs(row - to_row) < height && std::abs(col - to_col) < width) return false;
        change_.clear(false);
        for (int32_t r = 0; r < height; ++r)
            for (int32_t c = 0; c < width; ++c) {
                const int32_t here = (row + r) * grid.cols + col + c;
                const int32_t there = (to_row + r) * grid.cols + to_col + c;
                change_.push(here, board.what(there), there);
                change_.push(there, board.what(here), here);
            }
        return true;
    }
    static bool inside(const Grid &grid, int32_t row, int32_t col, int32_t height, int32_t width) {
        return row >= 0 && col >= 0 && row + height <= grid.rows && col + width <= grid.cols;
    }

    // 0, 1, 2, ... with probability 1/2, 1/4, 1/8, ..., below the depth of the proposals.
    int32_t rank(Random &random) const {
        const uint32_t coins = random.bits();
        int32_t rank = 0;
        while (rank + 1 < proposals_->depth && (coins >> rank & 1)) ++rank;
        return rank;
    }

    const Proposals *proposals_;
    Change change_;
};

}  // namespace sherd
