// Cells of a plane without edges, and what lies on them: the ground that the tree grows on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sherd::tree {

struct Cell {
    int32_t row, col;
};

constexpr std::array<Cell, 4> kStep = {{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};

inline Cell beside(Cell cell, int32_t way) {
    return {cell.row + kStep[way & 3].row, cell.col + kStep[way & 3].col};
}

inline Cell turned(Cell cell, int32_t turns) {
    for (; turns > 0; --turns) cell = {cell.col, -cell.row};
    return cell;
}

// The four numbers of a rectangle of cells, bounds included; empty to begin with.
struct Box {
    int32_t top = INT32_MAX, left = INT32_MAX, bottom = INT32_MIN, right = INT32_MIN;

    void add(Cell c) {
        top = std::min(top, c.row), bottom = std::max(bottom, c.row);
        left = std::min(left, c.col), right = std::max(right, c.col);
    }
    bool holds(Cell c) const {
        return c.row >= top && c.row <= bottom && c.col >= left && c.col <= right;
    }
    int32_t rows() const { return bottom - top + 1; }
    int32_t cols() const { return right - left + 1; }
};

// The size of the board, 0 x 0 where it is unknown, and which way round it may lie.
struct Board {
    int32_t rows, cols, missing;
    bool turns, square;

    bool known() const { return rows > 0; }
    bool fits(const Box &box) const {
        return !known() || (box.rows() <= rows && box.cols() <= cols) ||
               (turns && box.rows() <= cols && box.cols() <= rows);
    }
    int32_t turn_step() const { return turns ? (square ? 1 : 2) : 4; }
};

// What lies on a cell (a piece, a place in a list), for several boards in one map; -1 if nothing.
class Cells {
  public:
    int32_t at(int32_t board, Cell cell) const {
        const auto found = piece_.find(key(board, cell));
        return found == piece_.end() ? -1 : found->second;
    }
    void put(int32_t board, Cell cell, int32_t piece) { piece_[key(board, cell)] = piece; }

  private:
    static uint64_t key(int32_t board, Cell cell) {
        constexpr uint64_t kMask = (1u << 21) - 1;
        return (static_cast<uint64_t>(board) << 42) | ((cell.row & kMask) << 21) |
               (cell.col & kMask);
    }
    std::unordered_map<uint64_t, int32_t> piece_;
};

// Where each piece lies; cell and turn mean nothing where a piece is not placed.
struct Placement {
    std::vector<Cell> cell;
    std::vector<int32_t> turn;
    std::vector<uint8_t> placed;
};

inline Box bounds(const Placement &at) {
    Box box;
    for (size_t p = 0; p < at.cell.size(); ++p)
        if (at.placed[p]) box.add(at.cell[p]);
    return box;
}

}  // namespace sherd::tree
