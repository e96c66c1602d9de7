// A full board of the search: what lies in each cell, the score of every seam, and the energy.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "search_table.hpp"

namespace sherd {

// Cells and their neighbours; the cell with number `cells` is the outside. Directions: 0 right,
// 1 down, 2 left, 3 up.
struct Grid {
    int32_t rows, cols;
    std::vector<int32_t> next;      // [cells, 4]
    std::vector<int32_t> row, col;  // [cells], since divisions are slow

    Grid(int32_t rows_, int32_t cols_) : rows(rows_), cols(cols_), next(4 * cells()) {
        for (int32_t cell = 0; cell < cells(); ++cell) {
            const int32_t r = cell / cols, c = cell % cols;
            row.push_back(r);
            col.push_back(c);
            next[4 * cell] = c + 1 < cols ? cell + 1 : cells();
            next[4 * cell + 1] = r + 1 < rows ? cell + cols : cells();
            next[4 * cell + 2] = c > 0 ? cell - 1 : cells();
            next[4 * cell + 3] = r > 0 ? cell - cols : cells();
        }
    }
    int32_t cells() const { return rows * cols; }
    bool on_border(int32_t cell) const {
        for (int32_t direction = 0; direction < 4; ++direction)
            if (next[4 * cell + direction] == cells()) return true;
        return false;
    }
};

class Board {
  public:
    // what: [cells], see `side_shown`; every piece once.
    Board(const Grid &grid, const ScoreTable &table, const int32_t *what)
        : grid_(&grid),
          table_(&table),
          what_(what, what + grid.cells()),
          cell_(table.pieces(), -1),
          seam_(4 * grid.cells()) {
        what_.push_back(table.nothing());  // what lies outside
        for (int32_t cell = 0; cell < grid.cells(); ++cell) {
            if (what_[cell] < 0 || what_[cell] > table.nothing() || lies(cell))
                throw std::invalid_argument("a start must hold every piece once");
            settle(cell);
            for (int32_t direction = 0; direction < 4; ++direction)
                seam_[4 * cell + direction] = look_up(cell, direction);
        }
        for (const int32_t cell : cell_)
            if (cell < 0) throw std::invalid_argument("a start must hold every piece once");
        energy = total();
    }

    int64_t energy;

    const Grid &grid() const { return *grid_; }
    const ScoreTable &table() const { return *table_; }
    int32_t what(int32_t cell) const { return what_[cell]; }
    int32_t cell(int32_t piece) const { return cell_[piece]; }
    bool empty(int32_t cell) const { return what_[cell] == table_->nothing(); }
    std::vector<int32_t> all() const { return {what_.begin(), what_.end() - 1}; }

    // Score of the seam of a cell in a direction, as it was last set.
    int32_t seam(int32_t cell, int32_t direction) const { return seam_[4 * cell + direction]; }
    const int32_t *seams() const { return seam_.data(); }  // [cells, 4]
    // The same looked up for what lies there now.
    int32_t look_up(int32_t cell, int32_t direction) const {
        const int32_t other = what_[grid_->next[4 * cell + direction]];
        return table_->meet(side_shown(what_[cell], direction),
                            side_shown(other, (direction + 2) & 3));
    }
    // Lay something into a cell. Once a change stands, `settle` and `set_seam` bring the rest up to
    // date.
    void put(int32_t cell, int32_t what) { what_[cell] = what; }
    void settle(int32_t cell) {
        if (!empty(cell)) cell_[what_[cell] >> 2] = cell;
    }
    void set_seam(int32_t cell, int32_t direction, int32_t score) {
        seam_[4 * cell + direction] = score;
        const int32_t other = grid_->next[4 * cell + direction];
        if (other < grid_->cells()) seam_[4 * other + ((direction + 2) & 3)] = score;
    }
    // The energy from scratch.
    int64_t total() const {
        int64_t sum = 0;
        for (int32_t cell = 0; cell < grid_->cells(); ++cell)
            for (int32_t direction = 0; direction < 4; ++direction)
                if (direction < 2 || grid_->next[4 * cell + direction] == grid_->cells())
                    sum += look_up(cell, direction);
        return sum;
    }

  private:
    bool lies(int32_t cell) const { return !empty(cell) && cell_[what_[cell] >> 2] >= 0; }

    const Grid *grid_;
    const ScoreTable *table_;
    std::vector<int32_t> what_, cell_, seam_;
};

}  // namespace sherd
