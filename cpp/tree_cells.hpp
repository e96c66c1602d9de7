// What lies on the cells of a plane: the ground that the tree grows on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cells.hpp"

namespace sherd::tree {

inline Cell turned(Cell cell, int32_t turns) {
    for (; turns > 0; --turns) cell = {cell.col, -cell.row};
    return cell;
}

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
