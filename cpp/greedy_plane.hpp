// Where the pieces lie that the greedy assembler has placed, and which sides can still meet.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cells.hpp"

namespace sherd::greedy {

// The side of the same piece that is `steps` further clockwise.
int32_t further(int32_t side, int32_t steps) { return (side & ~3) | ((side + steps) & 3); }

struct Board {
    int32_t rows, cols;  // 0 where the size is unknown
    bool either_way;     // it may lie on its side, as long as nothing says how it stands
    bool missing;        // some cells stay empty
};

// Where the pieces lie. Cells may be negative: the plane has no border, the board is a window
// that is wherever the pieces are.
class Plane {
  public:
    Plane(int32_t pieces, const Board &board)
        : board_(board), cell_(pieces), turn_(pieces, -1), taken_(4 * pieces, 0) {}

    bool placed(int32_t piece) const { return turn_[piece] >= 0; }
    int32_t count() const { return count_; }
    Cell cell(int32_t piece) const { return cell_[piece]; }
    int32_t turn(int32_t piece) const { return turn_[piece]; }
    const Box &box() const { return box_; }

    int32_t at(Cell cell) const {
        const auto found = pieces_.find(key(cell));
        return found == pieces_.end() ? -1 : found->second;
    }

    // Where a side of a placed piece points, and the cell there.
    int32_t way(int32_t side) const { return (side + turn_[side / 4]) & 3; }
    Cell slot(int32_t side) const { return beside(cell_[side / 4], way(side)); }
    // Which side of a placed piece points that way.
    int32_t side_towards(int32_t piece, int32_t way) const {
        return 4 * piece + ((way - turn_[piece]) & 3);
    }
    // The turn that makes `side` meet `open`, a side of a placed piece.
    int32_t turn_to_meet(int32_t open, int32_t side) const { return (way(open) + 2 - side) & 3; }

    // Whether a piece may lie there without the bounding box outgrowing the board.
    bool allowed(Cell cell) const {
        if (board_.rows == 0) return true;
        Box box = box_;
        box.add(cell);
        return (box.rows() <= board_.rows && box.cols() <= board_.cols) ||
               (board_.either_way && box.rows() <= board_.cols && box.cols() <= board_.rows);
    }
    // Whether a side may still meet another.
    bool open(int32_t side) const {
        return !taken_[side] && (!placed(side / 4) || allowed(slot(side)));
    }
    bool can_meet(int32_t side, int32_t other) const {
        return !(placed(side / 4) && placed(other / 4)) && open(side) && open(other);
    }

    void put(int32_t piece, Cell cell, int32_t turn) {
        ++count_;
        box_.add(cell);
        cell_[piece] = cell, turn_[piece] = turn, pieces_[key(cell)] = piece;
        for (int32_t way = 0; way < 4; ++way)
            if (const int32_t other = at(beside(cell, way)); other >= 0)
                taken_[side_towards(piece, way)] = taken_[side_towards(other, way + 2)] = 1;
    }

  private:
    static int64_t key(Cell cell) {
        return static_cast<int64_t>(cell.row) * (int64_t{1} << 32) + cell.col;
    }

    Board board_;
    std::vector<Cell> cell_;
    std::vector<int32_t> turn_;
    std::vector<char> taken_;
    std::unordered_map<int64_t, int32_t> pieces_;
    Box box_;
    int32_t count_ = 0;
};

}  // namespace sherd::greedy
