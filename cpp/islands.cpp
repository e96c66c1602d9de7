// Layouts from islands: merge them in the free plane, lay them onto the board, fill what is left.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "islands.hpp"

namespace nb = nanobind;

namespace {

using namespace sherd;
using Ints2 = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr int32_t kDown[4] = {0, 1, 0, -1}, kRight[4] = {1, 0, -1, 0};

// The board as islands and single pieces are laid onto it.
class Filling {
  public:
    Filling(const ScoreTable &table, Archipelago &plane, int32_t rows, int32_t cols)
        : table_(&table), plane_(&plane), rows_(rows), cols_(cols) {}

    // Join to the largest island every other one of two pieces or more where the contacts are worth
    // most, unless that is less than `least` a piece.
    void gather(const Worth &worth, int64_t least) {
        std::vector<int32_t> order(plane_->islands().size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
            return size(a) > size(b);
        });
        main_ = order[0];
        for (const int32_t island : order)
            if (island != main_ && size(island) > 1) place(island, worth, least);
    }

    // Lay the main island into the upper left corner and fill the rest piece by piece: the cell
    // with most neighbours first, the piece that fits it best.
    std::vector<int32_t> fill() {
        const Island &main = plane_->islands()[main_];
        if (main.rows > rows_ || main.cols > cols_) plane_->turn(main_, 1);
        std::vector<int32_t> what(static_cast<size_t>(rows_) * cols_, table_->nothing());
        for (const int32_t piece : main.members) {
            const Spot spot = plane_->spot(piece);
            what[spot.row * cols_ + spot.col] = 4 * piece + spot.turn;
        }
        std::vector<int32_t> left;
        for (int32_t piece = 0; piece < table_->pieces(); ++piece)
            if (plane_->home(piece) != main_) left.push_back(piece);
        while (!left.empty()) {
            const int32_t cell = fullest_gap(what);
            int64_t best = INT64_MIN;
            size_t chosen = 0;
            for (size_t i = 0; i < left.size(); ++i)
                for (int32_t turn = 0; turn < (table_->turns() ? 4 : 1); ++turn)
                    if (const int64_t fit = fits(what, cell, 4 * left[i] + turn); fit > best) {
                        best = fit;
                        chosen = i;
                        what_ = 4 * left[i] + turn;
                    }
            what[cell] = what_;
            left.erase(left.begin() + chosen);
        }
        return what;
    }

  private:
    size_t size(int32_t island) const { return plane_->islands()[island].members.size(); }

    void place(int32_t island, const Worth &worth, int64_t least) {
        const int32_t span = std::max(rows_, cols_);
        int64_t best = least * static_cast<int64_t>(size(island));
        Motion chosen{-1, 0, 0};
        for (int32_t spin = 0; spin < (table_->turns() ? 4 : 1); ++spin)
            for (int32_t down = -2 * span; down <= 2 * span; ++down)
                for (int32_t right = -2 * span; right <= 2 * span; ++right) {
                    int32_t contacts = 0;
                    const Motion motion{spin, down, right};
                    const int64_t value = plane_->worth(main_, island, motion, worth, &contacts);
                    if (contacts > 0 && value > best) {
                        best = value;
                        chosen = motion;
                    }
                }
        if (chosen.spin >= 0) plane_->join(main_, island, chosen);
    }

    int32_t neighbour(const std::vector<int32_t> &what, int32_t cell, int32_t direction) const {
        const int32_t row = cell / cols_ + kDown[direction], col = cell % cols_ + kRight[direction];
        if (row < 0 || col < 0 || row >= rows_ || col >= cols_) return table_->nothing();
        return what[row * cols_ + col];
    }

    int32_t fullest_gap(const std::vector<int32_t> &what) const {
        int32_t best = -1, most = -1;
        for (int32_t cell = 0; cell < rows_ * cols_; ++cell) {
            if (what[cell] != table_->nothing()) continue;
            int32_t full = 0;
            for (int32_t direction = 0; direction < 4; ++direction)
                full += neighbour(what, cell, direction) != table_->nothing();
            if (full > most) {
                most = full;
                best = cell;
            }
        }
        return best;
    }

    int64_t fits(const std::vector<int32_t> &what, int32_t cell, int32_t candidate) const {
        int64_t sum = 0;
        for (int32_t direction = 0; direction < 4; ++direction) {
            const int32_t other = neighbour(what, cell, direction);
            if (other != table_->nothing())
                sum += table_->meet(side_shown(candidate, direction),
                                    side_shown(other, (direction + 2) & 3));
        }
        return sum;
    }

    const ScoreTable *table_;
    Archipelago *plane_;
    int32_t rows_, cols_, main_ = 0, what_ = 0;
};

// One layout for each setting (offset, cap, threshold in units of 1/1024 nat) [S, 3]: cells
// [S, rows * cols], 4 * piece + turn or 4N for nothing.
nb::object island_layouts(Ints2 candidates, Floats2 score, float floor, bool turns, int32_t rows,
                          int32_t cols, int32_t depth, Ints2 settings) {
    const size_t cells = static_cast<size_t>(rows) * cols, layouts = settings.shape(0);
    auto *data = new int32_t[layouts * cells + 1];
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<int32_t *>(p); });
    {
        nb::gil_scoped_release release;
        const int32_t sides = static_cast<int32_t>(candidates.shape(0));
        const int32_t width = static_cast<int32_t>(candidates.shape(1));
        const ScoreTable table(sides / 4, width, candidates.data(), score.data(), nullptr, floor,
                               turns, int64_t{1} << 27);
        for (size_t i = 0; i < layouts; ++i) {
            const int32_t *setting = settings.data() + 3 * i;
            const Worth worth{setting[0], setting[1], setting[2]};
            Archipelago plane(table, rows, cols);
            Merger(plane, candidates.data(), width, depth, sides, worth).run();
            Filling filling(table, plane, rows, cols);
            filling.gather(worth, -3 * kUnitsPerNat);
            const std::vector<int32_t> what = filling.fill();
            std::copy(what.begin(), what.end(), data + i * cells);
        }
    }
    return nb::cast(nb::ndarray<nb::numpy, int32_t>(data, {layouts, cells}, owner));
}

}  // namespace

void bind_islands(nb::module_ &m) {
    m.def("island_layouts", &island_layouts, nb::arg("candidates"), nb::arg("score"),
          nb::arg("floor"), nb::arg("turns"), nb::arg("rows"), nb::arg("cols"), nb::arg("depth"),
          nb::arg("settings"));
}
