// Replica exchange (Swendsen & Wang 1986; Geyer 1991) between boards at different temperatures.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "barrier.hpp"
#include "search_exact.hpp"
#include "search_moves.hpp"

namespace nb = nanobind;

namespace {

using namespace sherd;
using Ints1 = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints2 = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats1 = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object array_of(const std::vector<int32_t> &values, size_t rows, size_t cols) {
    auto *data = new int32_t[values.size() + 1];
    std::copy(values.begin(), values.end(), data);
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<int32_t *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, int32_t>(data, {rows, cols}, owner));
}

// Several boards, one at each temperature. Neighbours in temperature exchange boards, so that a
// board that froze wrongly is melted and a good one cools down.
class ReplicaExchange {
  public:
    ReplicaExchange(Ints2 candidates, Floats2 score, std::optional<Floats1> alone, float floor,
                    bool turns, int32_t rows, int32_t cols, Ints2 starts, Ints1 temperatures,
                    Ints2 ties, int32_t depth, uint64_t seed, int64_t dense_limit)
        : table_(static_cast<int32_t>(candidates.shape(0) / 4),
                 static_cast<int32_t>(candidates.shape(1)), candidates.data(), score.data(),
                 alone ? alone->data() : nullptr, floor, turns, dense_limit),
          grid_(rows, cols),
          temperature_(temperatures.data(), temperatures.data() + temperatures.shape(0)),
          exchange_(seed) {
        const size_t pieces = static_cast<size_t>(table_.pieces());
        if (ties.shape(0) != 3 || ties.shape(1) != pieces)
            throw std::invalid_argument("ties must have three rows, one number a piece");
        tie(ties.data(), pieces);
        propose(candidates, depth);
        for (size_t m = 0; m < temperature_.size(); ++m) {
            random_.emplace_back(seed * 1000003u + 17 * (m + 1));
            movers_.emplace_back(proposals_, ties_, grid_.cells());
        }
        restart(starts);
        forget_rates();
    }

    // Begin again from other boards [S, cells], one after another from hot to cold; the best board
    // so far is not forgotten.
    void restart(Ints2 starts) {
        const size_t cells = static_cast<size_t>(grid_.cells());
        if (starts.shape(0) == 0 || starts.shape(1) != cells)
            throw std::invalid_argument("every start must fill the board");
        boards_.clear();
        for (size_t m = 0; m < temperature_.size(); ++m) {
            boards_.emplace_back(grid_, table_, starts.data() + m % starts.shape(0) * cells);
            remember(boards_.back());
        }
    }

    // Run rounds of `moves` moves a board with an exchange after each; every `every` rounds (0:
    // never) keep what the board at slot `watched` looks like.
    void run(int64_t rounds, int64_t moves, int clusters_in_64, int threads, int32_t watched,
             int64_t every) {
        work(rounds, threads, watched, every, [&](size_t m) {
            movers_[m].run(boards_[m], random_[m], temperature_[m], moves, clusters_in_64);
        });
    }

    // The same with moves that obey detailed balance.
    void record(int64_t rounds, int64_t moves, int threads, int32_t watched, int64_t every) {
        std::vector<ExactMover> exact;
        for (size_t m = 0; m < boards_.size(); ++m)
            exact.emplace_back(proposals_, ties_, grid_.cells());
        work(rounds, threads, watched, every, [&](size_t m) {
            exact[m].run(boards_[m], random_[m], temperature_[m], moves);
        });
    }

    void set_temperatures(Ints1 temperatures) {
        if (temperatures.shape(0) != temperature_.size())
            throw std::invalid_argument("there must be one temperature a board");
        temperature_.assign(temperatures.data(), temperatures.data() + temperatures.shape(0));
        forget_rates();
    }

    double best_energy() const { return nats(best_energy_); }
    std::vector<int32_t> best() const { return best_; }
    std::vector<int32_t> board(size_t slot) const { return boards_.at(slot).all(); }
    double board_energy(size_t slot) const { return nats(boards_.at(slot).energy); }
    double recomputed_energy(size_t slot) const { return nats(boards_.at(slot).total()); }

    // Energy of any board [cells].
    double energy_of(Ints1 cells) const {
        if (cells.shape(0) != static_cast<size_t>(grid_.cells()))
            throw std::invalid_argument("every start must fill the board");
        return nats(Board(grid_, table_, cells.data()).energy);
    }

    // Share of accepted exchanges between each slot and the next since the temperatures were set.
    std::vector<double> exchange_rates() const {
        std::vector<double> rates;
        for (size_t m = 0; m + 1 < tried_.size(); ++m)
            rates.push_back(tried_[m] ? static_cast<double>(swapped_[m]) / tried_[m] : 0.0);
        return rates;
    }

    // What was kept so far, [S, cells]; forgets it.
    nb::object take_kept() {
        const size_t cells = static_cast<size_t>(grid_.cells());
        nb::object kept = array_of(kept_, kept_.size() / cells, cells);
        kept_.clear();
        return kept;
    }

  private:
    static double nats(int64_t energy) { return static_cast<double>(energy) / kUnitsPerNat; }

    // Every thread moves boards of its own; between exchanges they wait for each other.
    template <typename Move>
    void work(int64_t rounds, int threads, int32_t watched, int64_t every, Move move) {
        nb::gil_scoped_release release;
        threads = std::max(1, std::min<int>(threads, static_cast<int>(boards_.size())));
        Barrier barrier(threads);
        auto each = [&](int thread) {
            for (int64_t round = 0; round < rounds; ++round) {
                for (size_t m = thread; m < boards_.size(); m += threads) move(m);
                barrier.wait();
                if (thread == 0) {
                    for (const Board &board : boards_) remember(board);
                    if (every > 0 && (round + 1) % every == 0) keep(boards_.at(watched));
                    exchange();
                }
                barrier.wait();
            }
        };
        std::vector<std::thread> others;
        for (int thread = 1; thread < threads; ++thread) others.emplace_back(each, thread);
        each(0);
        for (std::thread &other : others) other.join();
    }

    void tie(const int32_t *ties, size_t pieces) {
        ties_.block.assign(ties, ties + pieces);
        ties_.pinned.assign(ties + pieces, ties + 2 * pieces);
        ties_.framed.assign(ties + 2 * pieces, ties + 3 * pieces);
        ties_.any = std::any_of(ties, ties + 3 * pieces, [](int32_t tie) { return tie != 0; });
        ties_.block.push_back(0);
        ties_.pinned.push_back(0);
        ties_.framed.push_back(0);
    }

    void propose(const Ints2 &candidates, int32_t depth) {
        const size_t width = candidates.shape(1);
        proposals_.depth = std::min<int32_t>(depth, static_cast<int32_t>(width));
        for (size_t a = 0; a < candidates.shape(0); ++a)
            for (int32_t i = 0; i < proposals_.depth; ++i)
                proposals_.side.push_back(candidates.data()[a * width + i]);
    }

    void forget_rates() {
        tried_.assign(temperature_.size(), 0);
        swapped_.assign(temperature_.size(), 0);
    }

    void remember(const Board &board) {
        if (!best_.empty() && board.energy <= best_energy_) return;
        best_energy_ = board.energy;
        best_ = board.all();
    }

    void keep(const Board &board) {
        const std::vector<int32_t> all = board.all();
        kept_.insert(kept_.end(), all.begin(), all.end());
    }

    // Neighbours exchange with probability min(1, exp((1/T - 1/T') (E' - E))), even pairs and odd
    // pairs in turn.
    void exchange() {
        for (size_t m = rounds_++ & 1; m + 1 < boards_.size(); m += 2) {
            const int64_t cold = temperature_[m + 1], hot = temperature_[m];
            // -loss / T with 1/T = 1/cold - 1/hot, compared in units of 2^-16.
            const int64_t loss = boards_[m + 1].energy - boards_[m].energy;
            const int64_t limit = exchange_.threshold(65536);
            ++tried_[m];
            if (static_cast<double>(loss) * static_cast<double>(hot - cold) * 65536.0 <=
                static_cast<double>(limit) * static_cast<double>(hot) * static_cast<double>(cold)) {
                std::swap(boards_[m], boards_[m + 1]);
                ++swapped_[m];
            }
        }
    }

    ScoreTable table_;
    Grid grid_;
    Proposals proposals_;
    Ties ties_;
    std::vector<Board> boards_;
    std::vector<Random> random_;
    std::vector<Mover> movers_;
    std::vector<int64_t> temperature_, tried_, swapped_;
    Random exchange_;
    int64_t rounds_ = 0, best_energy_ = 0;
    std::vector<int32_t> best_, kept_;
};

}  // namespace

void bind_search(nb::module_ &m) {
    nb::class_<ReplicaExchange>(m, "ReplicaExchange")
        .def(nb::init<Ints2, Floats2, std::optional<Floats1>, float, bool, int32_t, int32_t, Ints2,
                      Ints1, Ints2, int32_t, uint64_t, int64_t>(),
             nb::arg("candidates"), nb::arg("score"), nb::arg("alone").none(), nb::arg("floor"),
             nb::arg("turns"), nb::arg("rows"), nb::arg("cols"), nb::arg("starts"),
             nb::arg("temperatures"), nb::arg("ties"), nb::arg("depth"), nb::arg("seed"),
             nb::arg("dense_limit") = int64_t{1} << 27)
        .def("run", &ReplicaExchange::run, nb::arg("rounds"), nb::arg("moves"),
             nb::arg("clusters_in_64"), nb::arg("threads"), nb::arg("watched") = 0,
             nb::arg("every") = 0)
        .def("record", &ReplicaExchange::record, nb::arg("rounds"), nb::arg("moves"),
             nb::arg("threads"), nb::arg("watched"), nb::arg("every"))
        .def("restart", &ReplicaExchange::restart, nb::arg("starts"))
        .def("set_temperatures", &ReplicaExchange::set_temperatures, nb::arg("temperatures"))
        .def("best_energy", &ReplicaExchange::best_energy)
        .def("best", &ReplicaExchange::best)
        .def("board", &ReplicaExchange::board, nb::arg("slot"))
        .def("board_energy", &ReplicaExchange::board_energy, nb::arg("slot"))
        .def("recomputed_energy", &ReplicaExchange::recomputed_energy, nb::arg("slot"))
        .def("energy_of", &ReplicaExchange::energy_of, nb::arg("cells"))
        .def("exchange_rates", &ReplicaExchange::exchange_rates)
        .def("take_kept", &ReplicaExchange::take_kept);
}
