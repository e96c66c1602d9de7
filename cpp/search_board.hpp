// A full board of the search: what lies in each cell, how it is turned, and the energy.
#pragma once

#include <cstdint>
#include <vector>

#include "search_table.hpp"

namespace sherd {

// Cells and their neighbours; cell -1 is outside. Directions: 0 right, 1 down, 2 left, 3 up.
struct Grid {
    int32_t rows, cols;
    std::vector<int32_t> next;  // [cells, 4]

    Grid(int32_t rows_, int32_t cols_) : rows(rows_), cols(cols_), next(4 * cells()) {
        for (int32_t cell = 0; cell < cells(); ++cell) {
            const int32_t r = cell / cols, c = cell % cols;
            next[4 * cell] = c + 1 < cols ? cell + 1 : -1;
            next[4 * cell + 1] = r + 1 < rows ? cell + cols : -1;
            next[4 * cell + 2] = c > 0 ? cell - 1 : -1;
            next[4 * cell + 3] = r > 0 ? cell - cols : -1;
        }
    }
    int32_t cells() const { return rows * cols; }
};

// Tokens 0..N-1 are pieces, N and above are holes; there are as many tokens as cells.
class Board {
  public:
    Board(const Grid &grid, const ScoreTable &table, const int32_t *tokens, const int32_t *turns)
        : grid_(&grid),
          table_(&table),
          token_(tokens, tokens + grid.cells()),
          turn_(turns, turns + grid.cells()),
          cell_(grid.cells()) {
        for (int32_t cell = 0; cell < grid.cells(); ++cell) cell_[token_[cell]] = cell;
        energy = total();
    }

    int64_t energy;

    const Grid &grid() const { return *grid_; }
    const ScoreTable &table() const { return *table_; }
    int32_t token(int32_t cell) const { return token_[cell]; }
    int32_t turn(int32_t cell) const { return turn_[cell]; }
    int32_t cell(int32_t token) const { return cell_[token]; }
    const std::vector<int32_t> &tokens() const { return token_; }
    const std::vector<int32_t> &turns() const { return turn_; }

    // Put a token into a cell; `settle` afterwards tells each moved token where it lies.
    void put(int32_t cell, int32_t token, int32_t turn) {
        token_[cell] = token;
        turn_[cell] = turn;
    }
    void settle(int32_t cell) { cell_[token_[cell]] = cell; }

    // The side id that what lies in `cell` shows in `direction`.
    int32_t side(int32_t cell, int32_t direction) const {
        const int32_t kind = token_[cell] < table_->pieces() ? token_[cell] : table_->pieces();
        return 4 * kind + ((direction - turn_[cell]) & 3);
    }
    // Score of the seam of a cell in a direction (with the outside where there is no neighbour).
    int32_t seam(int32_t cell, int32_t direction) const {
        const int32_t other = grid_->next[4 * cell + direction];
        if (other < 0) return table_->meet(side(cell, direction), 4 * table_->pieces());
        return table_->meet(side(cell, direction), side(other, (direction + 2) & 3));
    }
    int64_t around(int32_t cell) const {
        return static_cast<int64_t>(seam(cell, 0)) + seam(cell, 1) + seam(cell, 2) + seam(cell, 3);
    }
    int64_t total() const {
        int64_t sum = 0;
        for (int32_t cell = 0; cell < grid_->cells(); ++cell)
            for (int32_t direction = 0; direction < 4; ++direction)
                if (direction < 2 || grid_->next[4 * cell + direction] < 0)
                    sum += seam(cell, direction);
        return sum;
    }

  private:
    const Grid *grid_;
    const ScoreTable *table_;
    std::vector<int32_t> token_, turn_, cell_;
};

}  // namespace sherd
