// The best of all boards, proved: depth-first branch and bound for small boards.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "search_table.hpp"

namespace nb = nanobind;

namespace {

using namespace sherd;
using Ints2 = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats1 = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Fills the cells row by row. The bound: each seam that is still open gets at most the best score
// that any piece not yet laid can have there.
class BranchAndBound {
  public:
    BranchAndBound(const ScoreTable &table, int32_t rows, int32_t cols, int64_t known)
        : table_(&table), rows_(rows), cols_(cols), best_energy_(known),
          what_(rows * cols, table.nothing()), used_(table.pieces(), 0) {
        holes_ = rows * cols - table.pieces();
        int32_t best_seam = -INT32_MAX;
        for (int32_t a = 0; a < 4 * table.pieces(); ++a) {
            best_of_.push_back(table.meet(a, table.nothing()));
            for (int32_t b = 0; b < 4 * table.pieces(); ++b)
                if (a >> 2 != b >> 2 && (table.turns() || ((a ^ b) & 3) == 2))
                    best_of_[a] = std::max(best_of_[a], table.meet(a, b));
            best_seam = std::max(best_seam, best_of_[a]);
        }
        best_seam_ = std::max(best_seam, holes_ > 0 ? 0 : best_seam);
        // Seams that are settled only when later cells are filled, after each number of cells.
        open_.assign(rows * cols + 1, 0);
        for (int32_t cell = rows * cols - 1; cell >= 0; --cell)
            open_[cell] = open_[cell + 1] + (cell % cols > 0) + (cell / cols > 0);
    }

    void run() { fill(0, 0); }
    int64_t best_energy() const { return best_energy_; }
    const std::vector<int32_t> &best() const { return best_; }

  private:
    void fill(int32_t cell, int64_t energy) {
        if (cell == rows_ * cols_) {
            best_energy_ = energy;
            best_ = what_;
            return;
        }
        for (int32_t piece = 0; piece < table_->pieces(); ++piece) {
            if (used_[piece]) continue;
            used_[piece] = 1;
            for (int32_t turn = 0; turn < (table_->turns() ? 4 : 1); ++turn)
                lay(cell, 4 * piece + turn, energy);
            used_[piece] = 0;
        }
        if (holes_ > 0) {
            --holes_;
            lay(cell, table_->nothing(), energy);
            ++holes_;
        }
        what_[cell] = table_->nothing();
    }

    void lay(int32_t cell, int32_t what, int64_t energy) {
        what_[cell] = what;
        const int32_t row = cell / cols_, col = cell % cols_;
        energy += meet(col > 0 ? what_[cell - 1] : table_->nothing(), what, 0);
        energy += meet(row > 0 ? what_[cell - cols_] : table_->nothing(), what, 1);
        if (col + 1 == cols_) energy += meet(what, table_->nothing(), 0);
        if (row + 1 == rows_) energy += meet(what, table_->nothing(), 1);
        if (energy + bound(cell + 1) > best_energy_) fill(cell + 1, energy);
    }
    int32_t meet(int32_t first, int32_t second, int32_t direction) const {
        return table_->meet(side_shown(first, direction), side_shown(second, direction + 2));
    }

    // Most that the open seams can bring: those of laid pieces by their own best, others by the
    // best of all. (Sides that meet nothing bring at most 0.)
    int64_t bound(int32_t cell) const {
        int64_t most = 0;
        int32_t counted = 0;
        for (int32_t before = std::max(0, cell - cols_); before < cell; ++before) {
            const int32_t what = what_[before];
            if (before / cols_ + 1 < rows_) {
                most += what == table_->nothing() ? 0 : best_of_[side_shown(what, 1)];
                ++counted;
            }
            if (before + 1 == cell && cell % cols_ > 0) {
                most += what == table_->nothing() ? 0 : best_of_[side_shown(what, 0)];
                ++counted;
            }
        }
        return most + static_cast<int64_t>(open_[cell] - counted) * best_seam_;
    }

    const ScoreTable *table_;
    int32_t rows_, cols_, holes_ = 0, best_seam_ = 0;
    int64_t best_energy_;
    std::vector<int32_t> what_, best_, best_of_, open_;
    std::vector<uint8_t> used_;
};

// The cells [rows * cols] of the best board and its energy; no cells if no board has more energy
// than `known`.
std::pair<std::vector<int32_t>, double> best_board(Ints2 candidates, Floats2 score,
                                                   std::optional<Floats1> alone, float floor,
                                                   bool turns, int32_t rows, int32_t cols,
                                                   double known) {
    const int32_t pieces = static_cast<int32_t>(candidates.shape(0) / 4);
    if (rows * cols < pieces) throw std::invalid_argument("the board is too small");
    const ScoreTable table(pieces, static_cast<int32_t>(candidates.shape(1)), candidates.data(),
                           score.data(), alone ? alone->data() : nullptr, floor, turns,
                           int64_t{1} << 27);
    BranchAndBound search(table, rows, cols,
                          static_cast<int64_t>(std::floor(known * kUnitsPerNat)));
    {
        nb::gil_scoped_release release;
        search.run();
    }
    return {search.best(), static_cast<double>(search.best_energy()) / kUnitsPerNat};
}

}  // namespace

void bind_exact(nb::module_ &m) {
    m.def("best_board", &best_board, nb::arg("candidates"), nb::arg("score"),
          nb::arg("alone").none(), nb::arg("floor"), nb::arg("turns"), nb::arg("rows"),
          nb::arg("cols"), nb::arg("known") = -1e9);
}
