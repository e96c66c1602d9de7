// Replica exchange (Swendsen & Wang 1986; Geyer 1991) between boards at different temperatures.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "search_moves.hpp"

namespace nb = nanobind;

namespace {

using namespace sherd;
using Ints1 = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints2 = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats1 = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Threads wait here for each other.
class Barrier {
  public:
    explicit Barrier(int count) : count_(count) {}
    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        const long generation = generation_;
        if (++waiting_ == count_) {
            waiting_ = 0;
            ++generation_;
            released_.notify_all();
        } else {
            released_.wait(lock, [&] { return generation_ != generation; });
        }
    }

  private:
    std::mutex mutex_;
    std::condition_variable released_;
    const int count_;
    int waiting_ = 0;
    long generation_ = 0;
};

// Several boards, one at each temperature. Neighbours in temperature exchange boards, so that a
// board that froze wrongly is melted and a good one cools down.
class ReplicaExchange {
  public:
    ReplicaExchange(Ints2 candidates, Floats2 score, std::optional<Floats1> alone, float floor,
                    bool turns, int32_t rows, int32_t cols, Ints2 tokens, Ints2 turned,
                    Ints1 temperatures, int32_t depth, uint64_t seed)
        : table_(static_cast<int32_t>(candidates.shape(0) / 4),
                 static_cast<int32_t>(candidates.shape(1)), candidates.data(), score.data(),
                 alone ? alone->data() : nullptr, floor, turns),
          grid_(rows, cols),
          temperature_(temperatures.data(), temperatures.data() + temperatures.shape(0)),
          exchange_(seed) {
        const size_t cells = static_cast<size_t>(grid_.cells());
        if (tokens.shape(1) != cells || turned.shape(1) != cells || tokens.shape(0) == 0)
            throw std::invalid_argument("every start must fill the board");
        if (candidates.shape(0) != 4 * static_cast<size_t>(table_.pieces()) ||
            cells < static_cast<size_t>(table_.pieces()))
            throw std::invalid_argument("the board is too small for the pieces");
        propose(candidates, depth);
        for (size_t m = 0; m < temperature_.size(); ++m) {
            const size_t start = m % tokens.shape(0) * cells;
            boards_.emplace_back(grid_, table_, tokens.data() + start, turned.data() + start);
            random_.emplace_back(seed * 1000003u + 17 * (m + 1));
            movers_.emplace_back(proposals_, grid_.cells());
            remember(boards_.back());
        }
        tried_.assign(temperature_.size(), 0);
        swapped_.assign(temperature_.size(), 0);
    }

    // Run rounds of `moves` moves a board with an exchange after each; every `every` rounds (0:
    // never) keep what the board at slot `watched` looks like.
    void run(int64_t rounds, int64_t moves, int threads, int32_t watched, int64_t every) {
        nb::gil_scoped_release release;
        threads = std::max(1, std::min<int>(threads, static_cast<int>(boards_.size())));
        Barrier barrier(threads);
        auto work = [&](int thread) {
            for (int64_t round = 0; round < rounds; ++round) {
                for (size_t m = thread; m < boards_.size(); m += threads)
                    movers_[m].run(boards_[m], random_[m], temperature_[m], moves);
                barrier.wait();
                if (thread == 0) {
                    for (const Board &board : boards_) remember(board);
                    if (every > 0 && (round + 1) % every == 0) keep(boards_[watched]);
                    exchange();
                }
                barrier.wait();
            }
        };
        std::vector<std::thread> others;
        for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
        work(0);
        for (std::thread &other : others) other.join();
    }

    double best_energy() const { return static_cast<double>(best_energy_) / kUnitsPerNat; }
    std::vector<int32_t> best_tokens() const { return best_tokens_; }
    std::vector<int32_t> best_turns() const { return best_turns_; }
    std::vector<int32_t> board_tokens(size_t slot) const { return boards_.at(slot).tokens(); }
    std::vector<int32_t> board_turns(size_t slot) const { return boards_.at(slot).turns(); }
    double board_energy(size_t slot) const {
        return static_cast<double>(boards_.at(slot).energy) / kUnitsPerNat;
    }
    double recomputed_energy(size_t slot) const {
        return static_cast<double>(boards_.at(slot).total()) / kUnitsPerNat;
    }

    // Share of accepted exchanges between each slot and the next.
    std::vector<double> exchange_rates() const {
        std::vector<double> rates;
        for (size_t m = 0; m + 1 < tried_.size(); ++m)
            rates.push_back(tried_[m] ? static_cast<double>(swapped_[m]) / tried_[m] : 0.0);
        return rates;
    }

    // What was kept so far, [S, 2, cells] tokens and turns; forgets it.
    nb::object take_kept() {
        const size_t cells = static_cast<size_t>(grid_.cells());
        const size_t samples = kept_.size() / (2 * cells);
        auto *data = new int32_t[kept_.size() + 1];
        std::copy(kept_.begin(), kept_.end(), data);
        kept_.clear();
        nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<int32_t *>(p); });
        return nb::cast(nb::ndarray<nb::numpy, int32_t>(data, {samples, 2, cells}, owner));
    }

  private:
    void propose(const Ints2 &candidates, int32_t depth) {
        const size_t width = candidates.shape(1);
        proposals_.depth = std::min<int32_t>(depth, static_cast<int32_t>(width));
        for (size_t a = 0; a < candidates.shape(0); ++a)
            for (int32_t i = 0; i < proposals_.depth; ++i)
                proposals_.side.push_back(candidates.data()[a * width + i]);
    }

    void remember(const Board &board) {
        if (!best_tokens_.empty() && board.energy <= best_energy_) return;
        best_energy_ = board.energy;
        best_tokens_ = board.tokens();
        best_turns_ = board.turns();
    }

    void keep(const Board &board) {
        kept_.insert(kept_.end(), board.tokens().begin(), board.tokens().end());
        kept_.insert(kept_.end(), board.turns().begin(), board.turns().end());
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
    std::vector<Board> boards_;
    std::vector<Random> random_;
    std::vector<Mover> movers_;
    std::vector<int64_t> temperature_, tried_, swapped_;
    Random exchange_;
    int64_t rounds_ = 0, best_energy_ = 0;
    std::vector<int32_t> best_tokens_, best_turns_, kept_;
};

}  // namespace

void bind_search(nb::module_ &m) {
    nb::class_<ReplicaExchange>(m, "ReplicaExchange")
        .def(nb::init<Ints2, Floats2, std::optional<Floats1>, float, bool, int32_t, int32_t, Ints2,
                      Ints2, Ints1, int32_t, uint64_t>(),
             nb::arg("candidates"), nb::arg("score"), nb::arg("alone").none(), nb::arg("floor"),
             nb::arg("turns"), nb::arg("rows"), nb::arg("cols"), nb::arg("tokens"),
             nb::arg("turned"), nb::arg("temperatures"), nb::arg("depth"), nb::arg("seed"))
        .def("run", &ReplicaExchange::run, nb::arg("rounds"), nb::arg("moves"),
             nb::arg("threads"), nb::arg("watched") = 0, nb::arg("every") = 0)
        .def("best_energy", &ReplicaExchange::best_energy)
        .def("best_tokens", &ReplicaExchange::best_tokens)
        .def("best_turns", &ReplicaExchange::best_turns)
        .def("board_tokens", &ReplicaExchange::board_tokens, nb::arg("slot"))
        .def("board_turns", &ReplicaExchange::board_turns, nb::arg("slot"))
        .def("board_energy", &ReplicaExchange::board_energy, nb::arg("slot"))
        .def("recomputed_energy", &ReplicaExchange::recomputed_energy, nb::arg("slot"))
        .def("exchange_rates", &ReplicaExchange::exchange_rates)
        .def("take_kept", &ReplicaExchange::take_kept);
}
