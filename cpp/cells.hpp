// Cells of a plane without edges. Ways are numbered like sides, clockwise from the right, and wrap
// round at four.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace sherd {

struct Cell {
    int32_t row, col;
};

constexpr std::array<Cell, 4> kStep = {{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};

inline Cell beside(Cell cell, int32_t way) {
    return {cell.row + kStep[way & 3].row, cell.col + kStep[way & 3].col};
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

}  // namespace sherd
