// Gallagher 2012, "Jigsaw puzzles with pieces of unknown orientation": a minimum spanning tree of
// the pieces (Kruskal on ratios of costs, where a join must not lay one piece on another), trimmed
// to the board, and filled.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "table.hpp"
#include "tree_cells.hpp"
#include "tree_costs.hpp"

namespace nb = nanobind;

namespace {

using sherd::beside;
using sherd::Box;
using sherd::Cell;
using sherd::kNever;
using sherd::Table;
using namespace sherd::tree;

// Asks Python now and then (Python holds the lock meanwhile) whether to stop.
class Poll {
  public:
    explicit Poll(nb::callable ask) : ask_(std::move(ask)) {}

    bool stopped(size_t done) {
        const auto now = std::chrono::steady_clock::now();
        if (stopped_ || (asked_ && now - last_ < kInterval)) return stopped_;
        nb::gil_scoped_acquire lock;
        stopped_ = nb::cast<bool>(ask_(done));
        last_ = std::chrono::steady_clock::now(), asked_ = true;
        return stopped_;
    }

  private:
    static constexpr std::chrono::milliseconds kInterval{50};
    nb::callable ask_;
    std::chrono::steady_clock::time_point last_{};
    bool asked_ = false, stopped_ = false;
};

// Two sides that may meet, a < b.
struct Link {
    double ratio;
    float cost;
    int32_t a, b;
    bool operator<(const Link &other) const {
        return std::tie(ratio, cost, a, b) <
               std::tie(other.ratio, other.cost, other.a, other.b);
    }
};

// The clearest links of every row, clearest first. A pair that two rows name stands there twice;
// the second time it joins nothing.
std::vector<Link> clear_links(const Table &table, const Mutual &mutual, int32_t per_side) {
    std::vector<Link> links;
    std::vector<std::pair<float, int32_t>> row;
    for (int32_t a = 0; a < table.sides(); ++a) {
        row.clear();
        for (int32_t i = 0; i < table.width(); ++i)
            if (mutual.row(a)[i] < kNever)
                row.emplace_back(mutual.row(a)[i], table.candidates(a)[i]);
        const size_t kept = std::min<size_t>(per_side, row.size());
        std::partial_sort(row.begin(), row.begin() + kept, row.end());
        for (size_t i = 0; i < kept; ++i) {
            const auto [cost, b] = row[i];
            links.push_back({mutual.ratio(a, cost), cost, std::min(a, b), std::max(a, b)});
        }
    }
    std::sort(links.begin(), links.end());
    return links;
}

// Trees of joined pieces, each on a plane of its own.
class Forest {
  public:
    explicit Forest(int32_t pieces)
        : cell_(pieces), turn_(pieces), tree_(pieces), members_(pieces), first_(pieces, SIZE_MAX) {
        for (int32_t p = 0; p < pieces; ++p) {
            cell_[p] = {0, 0}, tree_[p] = p, members_[p] = {p};
            cells_.put(p, cell_[p], p);
        }
    }

    // Joins the trees of two sides; false where they are one already or pieces would overlap.
    bool join(int32_t a, int32_t b, size_t rank) {
        int32_t keep = tree_[a / 4], move = tree_[b / 4];
        if (keep == move) return false;
        if (members_[move].size() > members_[keep].size()) std::swap(a, b), std::swap(keep, move);
        const int32_t p = a / 4, q = b / 4, way = (a + turn_[p]) & 3;
        const int32_t turns = (way + 2 - b - turn_[q]) & 3;
        const Cell goal = beside(cell_[p], way), from = turned(cell_[q], turns);
        const auto moved = [&](int32_t piece) {
            const Cell c = turned(cell_[piece], turns);
            return Cell{c.row - from.row + goal.row, c.col - from.col + goal.col};
        };
        for (const int32_t piece : members_[move])
            if (cells_.at(keep, moved(piece)) >= 0) return false;
        for (const int32_t piece : members_[move]) {
            cell_[piece] = moved(piece), tree_[piece] = keep;
            turn_[piece] = (turn_[piece] + turns) & 3;
            cells_.put(keep, cell_[piece], piece);
            members_[keep].push_back(piece);
        }
        members_[move].clear();
        first_[keep] = std::min({first_[keep], first_[move], rank});
        return true;
    }

    // The largest tree, of equals the one with the clearest link.
    Placement largest() const {
        int32_t best = 0;
        for (int32_t tree = 1; tree < static_cast<int32_t>(members_.size()); ++tree)
            if (members_[tree].size() > members_[best].size() ||
                (members_[tree].size() == members_[best].size() && first_[tree] < first_[best]))
                best = tree;
        Placement out{cell_, turn_, std::vector<uint8_t>(cell_.size(), 0)};
        for (const int32_t piece : members_[best]) out.placed[piece] = 1;
        return out;
    }

  private:
    std::vector<Cell> cell_;
    std::vector<int32_t> turn_, tree_;
    std::vector<std::vector<int32_t>> members_;
    std::vector<size_t> first_;  // place of the clearest link of each tree
    Cells cells_;
};

// All windows of rows x cols in which most pieces lie, with their number.
void fullest_windows(const Placement &at, const Box &box, int32_t rows, int32_t cols,
                     int32_t &most, std::vector<Box> &fullest) {
    const int32_t width = box.cols() + 1;
    std::vector<int32_t> count(static_cast<size_t>(box.rows() + 1) * width, 0);
    const auto sum = [&](int32_t row, int32_t col) -> int32_t & {
        return count[static_cast<size_t>(row) * width + col];
    };
    for (size_t p = 0; p < at.cell.size(); ++p)
        if (at.placed[p]) sum(at.cell[p].row - box.top + 1, at.cell[p].col - box.left + 1) = 1;
    for (int32_t row = 1; row <= box.rows(); ++row)
        for (int32_t col = 1; col < width; ++col)
            sum(row, col) += sum(row - 1, col) + sum(row, col - 1) - sum(row - 1, col - 1);
    rows = std::min(rows, box.rows()), cols = std::min(cols, box.cols());
    for (int32_t row = 0; row + rows <= box.rows(); ++row)
        for (int32_t col = 0; col + cols <= box.cols(); ++col) {
            const int32_t inside = sum(row + rows, col + cols) - sum(row, col + cols) -
                                   sum(row + rows, col) + sum(row, col);
            if (inside > most) most = inside, fullest.clear();
            if (inside == most)
                fullest.push_back({box.top + row, box.left + col, box.top + row + rows - 1,
                                   box.left + col + cols - 1});
        }
}

// Two cells whose pieces meet.
struct Seam {
    Cell first, second;
    double cost;
};

std::vector<Seam> seams(const Placement &at, const Mutual &mutual) {
    Cells cells;
    for (size_t p = 0; p < at.cell.size(); ++p)
        if (at.placed[p]) cells.put(0, at.cell[p], static_cast<int32_t>(p));
    std::vector<Seam> all;
    for (size_t p = 0; p < at.cell.size(); ++p)
        for (int32_t way = 0; at.placed[p] && way < 2; ++way) {
            const Cell next = beside(at.cell[p], way);
            const int32_t q = cells.at(0, next);
            if (q < 0) continue;
            const int32_t a = 4 * static_cast<int32_t>(p) + ((way - at.turn[p]) & 3);
            const int32_t b = 4 * q + ((way + 2 - at.turn[q]) & 3);
            const double cost = static_cast<double>(mutual.view(a, b)) + mutual.view(b, a);
            all.push_back({at.cell[p], next, cost});
        }
    return all;
}

// Keeps the pieces in the window of the board's size that holds most of them; of equal windows
// the one with most seams, then the cheapest seams, then the first.
void trim(Placement &at, const Board &board, const Mutual &mutual) {
    const Box box = bounds(at);
    std::vector<Box> windows;
    int32_t most = 0;
    fullest_windows(at, box, board.rows, board.cols, most, windows);
    if (board.turns && board.rows != board.cols)
        fullest_windows(at, box, board.cols, board.rows, most, windows);
    Box best = windows.front();
    if (windows.size() > 1) {
        const std::vector<Seam> all = seams(at, mutual);
        std::pair<int32_t, double> least{1, 0};
        for (const Box &window : windows) {
            std::pair<int32_t, double> worth{0, 0};
            for (const Seam &seam : all)
                if (window.holds(seam.first) && window.holds(seam.second))
                    --worth.first, worth.second += seam.cost;
            if (worth < least) least = worth, best = window;
        }
    }
    for (size_t p = 0; p < at.cell.size(); ++p)
        at.placed[p] = at.placed[p] && best.holds(at.cell[p]);
}

// Lays the pieces that are left: first in the holes, those with most neighbours before others,
// then beside the rest, each time the piece that costs least.
class Filling {
  public:
    Filling(Placement &at, const Board &board, const Mutual &mutual)
        : at_(at), board_(board), mutual_(mutual), box_(bounds(at)) {
        for (int32_t p = 0; p < static_cast<int32_t>(at.cell.size()); ++p)
            if (!at.placed[p])
                left_.push_back(p);
            else
                cells_.put(0, at.cell[p], p);
        for (size_t p = 0; p < at.cell.size(); ++p)
            if (at.placed[p]) open_around(at.cell[p]);
    }

    void run(Poll &poll) {
        while (!left_.empty() && !poll.stopped(at_.cell.size() - left_.size())) lay(choose());
    }

  private:
    struct Open {
        Cell cell;
        int32_t neighbours = 0;
        bool stale = true;
        int32_t piece = -1, turn = 0;  // the best piece for it
        double cost = 0, fit = 0;      // total cost, mean ratio
        int32_t rank = 0;              // higher is filled earlier
    };

    void open_around(Cell cell) {
        for (int32_t way = 0; way < 4; ++way) {
            const Cell next = beside(cell, way);
            if (cells_.at(0, next) >= 0) continue;
            int32_t place = open_at_.at(0, next);
            if (place < 0) place = open(next);
            open_[place].neighbours += 1, open_[place].stale = true;
        }
    }

    int32_t open(Cell cell) {
        const int32_t place = static_cast<int32_t>(open_.size());
        open_.push_back({cell});
        open_at_.put(0, cell, place);
        return place;
    }

    // Finds the best piece for an open cell.
    void judge(Open &open) {
        int32_t ways[4], sides[4], count = 0;
        for (int32_t way = 0; way < 4; ++way) {
            const int32_t q = cells_.at(0, beside(open.cell, way));
            if (q < 0) continue;
            sides[count] = 4 * q + ((way + 2 - at_.turn[q]) & 3);
            mutual_.views(sides[count], view_[count]);
            ways[count++] = way;
        }
        open.piece = -1, open.stale = false;
        for (const int32_t p : left_)
            for (int32_t turn = 0; turn < 4; turn += board_.turn_step()) {
                double cost = 0;
                for (int32_t i = 0; i < count; ++i)
                    cost += view_[i][4 * p + ((ways[i] - turn) & 3)];
                if (open.piece < 0 || cost < open.cost)
                    open.cost = cost, open.piece = p, open.turn = turn;
            }
        open.fit = 0;
        for (int32_t i = 0; i < count; ++i)
            open.fit += mutual_.ratio(sides[i],
                                      view_[i][4 * open.piece + ((ways[i] - open.turn) & 3)]);
        open.fit /= count;
    }

    // Ranks the open cells: -1 outside the board, then beside the box, then holes by neighbours.
    void rank() {
        for (Open &open : open_) {
            Box grown = box_;
            grown.add(open.cell);
            const bool hole = box_.holds(open.cell);
            open.rank = hole ? 1 + open.neighbours : board_.fits(grown) ? 0 : -1;
        }
    }

    // Makes the cells with the worst fit wait, as many as pieces are missing.
    void let_wait() {
        std::vector<std::tuple<double, int32_t, int32_t, Open *>> fits;
        for (Open &open : open_)
            if (open.rank >= 0) {
                if (open.stale) judge(open);
                fits.emplace_back(open.fit, open.cell.row, open.cell.col, &open);
            }
        std::sort(fits.begin(), fits.end());
        const size_t wait = std::min<size_t>(board_.missing, fits.size() - 1);
        for (size_t i = fits.size() - wait; i < fits.size(); ++i) std::get<3>(fits[i])->rank = -1;
    }

    Open choose() {
        rank();
        if (board_.known() && board_.missing > 0) let_wait();
        int32_t highest = -1;
        for (const Open &open : open_) highest = std::max(highest, open.rank);
        Open *best = nullptr;
        for (Open &open : open_) {
            if (open.rank != highest) continue;
            if (open.stale) judge(open);
            if (!best || std::tie(open.cost, open.cell.row, open.cell.col) <
                             std::tie(best->cost, best->cell.row, best->cell.col))
                best = &open;
        }
        return *best;
    }

    void lay(const Open chosen) {
        at_.cell[chosen.piece] = chosen.cell, at_.turn[chosen.piece] = chosen.turn;
        at_.placed[chosen.piece] = 1;
        cells_.put(0, chosen.cell, chosen.piece);
        left_.erase(std::lower_bound(left_.begin(), left_.end(), chosen.piece));
        const int32_t place = open_at_.at(0, chosen.cell);
        open_[place] = open_.back(), open_at_.put(0, open_[place].cell, place);
        open_at_.put(0, chosen.cell, -1);
        open_.pop_back();
        for (Open &open : open_) open.stale = open.stale || open.piece == chosen.piece;
        open_around(chosen.cell);
        box_.add(chosen.cell);
    }

    Placement &at_;
    const Board &board_;
    const Mutual &mutual_;
    Box box_;
    Cells cells_, open_at_;
    std::vector<Open> open_;
    std::vector<int32_t> left_;  // ascending
    std::array<std::vector<float>, 4> view_;
};

template <typename T>
nb::object owned(const std::vector<T> &values, size_t cols) {
    T *data = new T[values.size()];
    std::copy(values.begin(), values.end(), data);
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return nb::cast(
        nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {values.size() / cols, cols}, owner));
}

Placement grow_tree(const Table &table, const Board &board, int32_t per_side, Poll &poll) {
    constexpr size_t kLinksBetweenQuestions = 256;
    const Mutual mutual(table);
    Forest forest(table.pieces());
    const std::vector<Link> links = clear_links(table, mutual, per_side);
    int32_t joined = 1;
    for (size_t i = 0; i < links.size() && joined < table.pieces(); ++i) {
        if (i % kLinksBetweenQuestions == 0 && poll.stopped(joined)) break;
        joined += forest.join(links[i].a, links[i].b, i);
    }
    Placement at = forest.largest();
    if (board.known()) trim(at, board, mutual);
    Filling(at, board, mutual).run(poll);
    return at;
}

// Rows [N, 4] of (row, col, turn, whether placed); cells are free, the board's corner is anywhere.
nb::object tree_layout(Table::Candidates candidates, Table::Costs cost, int32_t rows, int32_t cols,
                       int32_t missing, bool turns, bool square, int32_t per_side,
                       nb::callable ask) {
    const Table table(candidates, cost);
    if (table.pieces() < 1) throw std::invalid_argument("there are no pieces to place");
    const Board board{rows, cols, missing, turns, square};
    Poll poll(std::move(ask));
    Placement at;
    {
        nb::gil_scoped_release release;
        at = grow_tree(table, board, per_side, poll);
    }
    std::vector<int32_t> out;
    for (size_t p = 0; p < at.cell.size(); ++p)
        out.insert(out.end(), {at.cell[p].row, at.cell[p].col, at.turn[p], at.placed[p]});
    return owned(out, 4);
}

}  // namespace

void bind_tree(nb::module_ &m) {
    m.def("tree_layout", &tree_layout, nb::arg("candidates"), nb::arg("cost"), nb::arg("rows"),
          nb::arg("cols"), nb::arg("missing"), nb::arg("turns"), nb::arg("square"),
          nb::arg("links_per_side"), nb::arg("ask"));
}
