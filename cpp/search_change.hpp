// One change of a board: what comes to lie in which cells, what it does to the energy, and whether
// what is fixed allows it.
#pragma once

#include <cstdint>
#include <vector>

#include "search_board.hpp"

namespace sherd {

// What a person has fixed about the pieces.
struct Ties {
    std::vector<int32_t> block;    // [N + 1] pieces of one block keep together; 0 is no block
    std::vector<uint8_t> pinned;   // [N + 1] the piece keeps its cell and its turn
    std::vector<uint8_t> framed;   // [N + 1] the piece keeps to the border
    bool any;

    bool tied(int32_t piece, int32_t other) const {
        return any && block[piece] != 0 && block[piece] == block[other];
    }
};

class Change {
  public:
    Change(const Ties &ties, int32_t cells)
        : ties_(&ties), touched_(cells + 1, 0), source_(cells + 1) {}

    // `turned`: some of what follows is turned, so that no seam can be copied.
    void clear(bool turned) {
        put_.clear();
        ++touch_;
        torn_ = false;
        turned_ = turned;
    }
    // What moves with its cluster comes to lie in a cell; `source` is where it lay.
    void add(int32_t cell, int32_t what, int32_t source) {
        put_.push_back({cell, what});
        touched_[cell] = touch_;
        source_[cell] = source;
    }
    // What moves alone comes to lie in a cell; a block would be torn.
    void push(int32_t cell, int32_t what, int32_t source) {
        add(cell, what, source);
        torn_ = torn_ || (ties_->any && ties_->block[what >> 2] != 0);
    }

    // Make the change unless it is forbidden or costs more than `limit`.
    bool attempt(Board &board, int64_t limit) {
        if (ties_->any && forbidden(board)) return false;
        exchange(board);
        int64_t change;
        if (!affordable(board, limit, change)) {
            exchange(board);
            return false;
        }
        size_t k = 0;
        each_seam(board.grid(), [&](int32_t cell, int32_t direction) {
            board.set_seam(cell, direction, fresh_[k++]);
            return true;
        });
        for (const Put &put : put_) board.settle(put.cell);
        board.energy += change;
        return true;
    }

  private:
    struct Put {
        int32_t cell, what;
    };

    // Lay what is listed and list what lay there: done twice, nothing has happened.
    void exchange(Board &board) {
        for (Put &put : put_) {
            const int32_t lay = board.what(put.cell);
            board.put(put.cell, put.what);
            put.what = lay;
        }
    }

    // Sum the touched seams before and after; stop as soon as the loss exceeds the limit, since no
    // score is positive.
    bool affordable(const Board &board, int64_t limit, int64_t &change) {
        int64_t least = -limit;
        each_seam(board.grid(), [&](int32_t cell, int32_t direction) {
            least += board.seam(cell, direction);
            return true;
        });
        int64_t sum = 0;
        fresh_.clear();
        each_seam(board.grid(), [&](int32_t cell, int32_t direction) {
            fresh_.push_back(fresh_seam(board, cell, direction));
            sum += fresh_.back();
            return sum >= least;
        });
        change = sum - least - limit;
        return sum >= least;
    }

    // Score of a touched seam after the change. Where both sides came along together it is known.
    int32_t fresh_seam(const Board &board, int32_t cell, int32_t direction) const {
        if (!turned_) {
            const int32_t *next = board.grid().next.data(), source = source_[cell];
            const int32_t other = next[4 * cell + direction];
            const int32_t other_source = touched_[other] == touch_ ? source_[other] : other;
            if (next[4 * source + direction] == other_source) return board.seam(source, direction);
        }
        return board.look_up(cell, direction);
    }

    // Visit the seams of the touched cells, each once, until `visit` says to stop.
    template <typename Visit>
    void each_seam(const Grid &grid, Visit visit) const {
        for (const Put &put : put_)
            for (int32_t direction = 0; direction < 4; ++direction) {
                if (direction >= 2 && touched_[grid.next[4 * put.cell + direction]] == touch_)
                    continue;
                if (!visit(put.cell, direction)) return;
            }
    }

    bool forbidden(const Board &board) const {
        if (torn_) return true;
        for (const Put &put : put_) {
            const int32_t piece = put.what >> 2, old = board.what(put.cell) >> 2;
            if (ties_->pinned[old] || ties_->pinned[piece]) return true;
            if (ties_->framed[piece] && !board.grid().on_border(put.cell)) return true;
        }
        return false;
    }

    const Ties *ties_;
    bool torn_ = false, turned_ = false;
    std::vector<Put> put_;
    std::vector<int32_t> fresh_;
    std::vector<uint64_t> touched_;
    std::vector<int32_t> source_;
    uint64_t touch_ = 0;
};

}  // namespace sherd
