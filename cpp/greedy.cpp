// Paikin and Tal 2015, "Solving multiple square jigsaw puzzles with missing pieces", with the
// bonuses of the authors' program: one piece after another is laid beside those that lie already,
// surest first. The rules in words: docs/assemblers.md; a slow twin: tests/assemblers.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "greedy_compatibility.hpp"
#include "greedy_plane.hpp"
#include "table.hpp"

namespace nb = nanobind;

namespace sherd::greedy {
namespace {

constexpr double kRelationBonus = 0.3;   // for each best-neighbour relation beyond the first
constexpr double kNeighbourBonus = 0.3;  // for each placed neighbour beyond the second
constexpr double kRelaxedBonus = 0.5;    // for each placed neighbour of a relaxed proposal
constexpr double kLoopBonus = 0.25;      // for each loop of four pieces that agrees
constexpr auto kBetweenPolls = std::chrono::milliseconds(50);

// A proposal: `side` of an unplaced piece shall meet `open`, a side of a placed one.
struct Proposal {
    double key;
    int32_t open, side;

    bool operator<(const Proposal &other) const {
        return std::tie(key, other.open, other.side) < std::tie(other.key, open, side);
    }
};

// What made a proposal: a placement beside it, a strict refill (best buddies), a relaxed one.
enum class Origin { kPlacement, kStrict, kRelaxed };

class Placer {
  public:
    Placer(const Table &table, const Board &board)
        : pieces_(table.pieces()),
          board_(board),
          plane_(table.pieces(), board),
          fit_(table, plane_) {}

    const Plane &plane() const { return plane_; }

    // Lays the pieces until all lie or `stop(count)` says to stop; gives the first piece.
    template <typename Stop>
    int32_t run(Stop &&stop) {
        const int32_t start = first_piece();
        place(start, {0, 0}, 0);
        while (plane_.count() < pieces_ && !stop(plane_.count())) {
            if (pool_.empty()) refill();
            if (pool_.empty()) break;  // no room for another piece
            place_next();
        }
        return start;
    }

  private:
    // The most distinctive piece in a distinctive region: points for best buddies, for best
    // buddies further out in the same direction and for loops of four; among the pieces with the
    // most points, the one that fits its four neighbours best.
    int32_t first_piece() {
        std::vector<std::pair<int32_t, double>> merit;
        for (int32_t piece = 0; piece < pieces_; ++piece) {
            int32_t points = 0;
            double fit = 0;
            for (int32_t side = 4 * piece; side < 4 * piece + 4; ++side) {
                const int32_t other = fit_.best(side);
                if (other < 0) continue;
                fit += fit_.mutual(side, other);
                points += points_of(side, other);
            }
            merit.emplace_back(points, fit);
        }
        return static_cast<int32_t>(std::max_element(merit.begin(), merit.end()) -
                                    merit.begin());
    }

    int32_t points_of(int32_t side, int32_t other) {
        int32_t points = fit_.best(other) == side ? 25 : 0;
        const int32_t second = further(other, 2), beyond = fit_.best(second);
        if (beyond >= 0) {
            points += fit_.best(beyond) == second ? 5 : 0;
            const int32_t third = further(beyond, 2), farthest = fit_.best(third);
            points += farthest >= 0 && fit_.best(farthest) == third ? 1 : 0;
        }
        int32_t walked = other;  // clockwise round a square of four pieces
        for (int32_t step = 0; step < 3 && walked >= 0; ++step)
            walked = fit_.best(further(walked, 3));
        return points + (walked == further(side, 1) ? 45 : 0);
    }

    void place(int32_t piece, Cell cell, int32_t turn) {
        plane_.put(piece, cell, turn);
        for (int32_t way = 0; way < 4; ++way) {
            const Cell slot = beside(cell, way);
            if (plane_.at(slot) >= 0) continue;
            // The slot has a new neighbour: whatever its old ones propose has a new key.
            for (int32_t around = 0; around < 4; ++around)
                if (const int32_t owner = plane_.at(beside(slot, around)); owner >= 0)
                    propose(plane_.side_towards(owner, around + 2), Origin::kPlacement);
        }
    }

    // Puts the best neighbour of an open side into the pool.
    void propose(int32_t open, Origin origin) {
        const int32_t side = fit_.best(open);
        if (side < 0) return;
        if (origin != Origin::kRelaxed && fit_.best(side) != open) return;
        pool_.push({key(open, side, origin), open, side});
    }

    double key(int32_t open, int32_t side, Origin origin) {
        const Cell slot = plane_.slot(open);
        const int32_t turn = plane_.turn_to_meet(open, side);
        double fit = 0;
        int32_t neighbours = 0, relations = 0;
        for (int32_t way = 0; way < 4; ++way) {
            const int32_t owner = plane_.at(beside(slot, way));
            if (owner < 0) continue;
            const int32_t theirs = plane_.side_towards(owner, way + 2);
            const int32_t ours = further(side & ~3, way - turn);
            fit += fit_.mutual(theirs, ours);
            relations += (fit_.best(ours) == theirs) + (fit_.best(theirs) == ours);
            ++neighbours;
        }
        double key = fit / neighbours;
        if (origin == Origin::kPlacement && neighbours == 1) key += kLoopBonus * loops(open, side);
        if (board_.missing) return key;  // a slot with many neighbours may be a hole
        key += kRelationBonus * std::max(0, relations - 1);
        if (origin == Origin::kPlacement) key += kNeighbourBonus * std::max(0, neighbours - 2);
        if (origin == Origin::kRelaxed) key += kRelaxedBonus * neighbours;
        return key;
    }

    // How many of four loops of best neighbours agree with `side` meeting `open`: in the square to
    // either hand, one that leads back to `open`'s piece, and one to the piece beside that one.
    int32_t loops(int32_t open, int32_t side) {
        int32_t count = 0;
        for (const int32_t hand : {1, 3}) {
            const int32_t next = fit_.best(further(side, hand));
            if (next < 0) continue;
            const int32_t last = fit_.best(further(next, 2 - hand));
            if (last < 0) continue;
            const int32_t back = further(open, hand + 2);
            const int32_t diagonal = plane_.at(plane_.slot(back));
            count += diagonal >= 0 && last == plane_.side_towards(diagonal, plane_.way(open));
            count += fit_.best(further(last, hand)) == back;
        }
        return count;
    }

    void refill() {
        strict_ = true;
        propose_all(Origin::kStrict);
        if (!pool_.empty()) return;
        strict_ = false;
        propose_all(Origin::kRelaxed);
        if (pool_.empty()) propose_unlisted();
    }
    void propose_all(Origin origin) {
        for (int32_t side = 0; side < 4 * pieces_; ++side)
            if (plane_.placed(side / 4)) propose(side, origin);
    }
    // No open side lists an unplaced piece any more: let the pieces choose, or take any cell.
    void propose_unlisted() {
        for (int32_t side = 0; side < 4 * pieces_; ++side)
            if (!plane_.placed(side / 4))
                if (const int32_t open = fit_.best_placed(side); open >= 0)
                    pool_.push({key(open, side, Origin::kRelaxed), open, side});
        if (!pool_.empty()) return;
        int32_t piece = 0;
        while (plane_.placed(piece)) ++piece;
        for (int32_t open = 0; open < 4 * pieces_; ++open)
            if (plane_.placed(open / 4) && plane_.open(open)) {
                const int32_t side = 4 * piece + ((open + 2) & 3);
                pool_.push({key(open, side, Origin::kRelaxed), open, side});
            }
    }

    // Lays the piece of the best proposal, if it still stands.
    void place_next() {
        const Proposal proposal = pool_.top();
        pool_.pop();
        const int32_t piece = proposal.side / 4;
        if (plane_.placed(piece) || !plane_.open(proposal.open)) return;
        const Cell slot = plane_.slot(proposal.open);
        const int32_t turn = plane_.turn_to_meet(proposal.open, proposal.side);
        if (strict_ && plane_.count() < pieces_ - 1 && !has_buddy(piece, slot, turn)) return;
        place(piece, slot, turn);
        strict_ = true;  // a relaxed refill is good for one piece
    }
    bool has_buddy(int32_t piece, Cell slot, int32_t turn) {
        for (int32_t way = 0; way < 4; ++way) {
            const int32_t owner = plane_.at(beside(slot, way));
            if (owner >= 0 && fit_.buddies(plane_.side_towards(owner, way + 2),
                                           further(4 * piece, way - turn)))
                return true;
        }
        return false;
    }

    int32_t pieces_;
    Board board_;
    Plane plane_;
    Compatibility fit_;
    std::priority_queue<Proposal> pool_;
    bool strict_ = true;
};

// Asks Python now and then whether to stop: once after the first piece, then by the clock.
class Poll {
  public:
    explicit Poll(const nb::callable &ask) : ask_(ask) {}
    bool operator()(int32_t count) {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + kBetweenPolls;
        nb::gil_scoped_acquire hold;
        return nb::cast<bool>(ask_(count));
    }

  private:
    const nb::callable &ask_;
    std::chrono::steady_clock::time_point next_{};
};

// Gives rows [N, 3] of (row, col, turn), the turn -1 where a piece is not placed, and the first
// piece.
nb::tuple lay(Table::Candidates candidates, Table::Costs cost, int32_t rows, int32_t cols,
                 bool either_way, bool missing, const nb::callable &stop) {
    const Table table(candidates, cost);
    const int32_t pieces = table.pieces();
    auto *out = new int32_t[3 * static_cast<size_t>(pieces)];
    nb::capsule owner(out, [](void *p) noexcept { delete[] static_cast<int32_t *>(p); });
    int32_t start = -1;
    if (pieces > 0) {
        nb::gil_scoped_release release;
        Placer placer(table, {rows, cols, either_way, missing});
        start = placer.run(Poll(stop));
        const Plane &plane = placer.plane();
        const Box box = plane.box();
        for (int32_t piece = 0; piece < pieces; ++piece) {
            const Cell cell = plane.cell(piece);
            out[3 * piece] = cell.row - box.top;
            out[3 * piece + 1] = cell.col - box.left;
            out[3 * piece + 2] = plane.turn(piece);
        }
    }
    nb::ndarray<nb::numpy, int32_t, nb::ndim<2>> placed(out, {static_cast<size_t>(pieces), 3},
                                                        owner);
    return nb::make_tuple(placed, start);
}

}  // namespace
}  // namespace sherd::greedy

void bind_greedy(nb::module_ &m) {
    m.def("greedy", &sherd::greedy::lay, nb::arg("candidates"), nb::arg("cost"), nb::arg("rows"),
          nb::arg("cols"), nb::arg("either_way"), nb::arg("missing"), nb::arg("stop"));
}
