// What the pairwise kernels share: packing for SIMD, spreading rows over the cores, masks.
//
// Many sides are compared with one side at a time, one in each lane, so that every pair sums its
// terms in order: the result is the same on every machine, whatever its vectors and its cores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

// The inner kernels are compiled for several instruction sets; the loader picks the best one. Only
// with GCC: clang's clones need a runtime library that the compiler from PyPI does not bring.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define SHERD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#ifndef SHERD_CLONES
#define SHERD_CLONES
#endif

namespace sherd {

// Hands a table [rows, cols] made with new[] over to NumPy.
template <typename T>
nanobind::object owned(T *data, size_t rows, size_t cols) {
    nanobind::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    using Table = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>;
    return nanobind::cast(Table(data, {rows, cols}, owner));
}

// Rows [count, width] as tiles [tile][width][lanes]; the last tile is filled up with zeros.
template <typename T>
std::vector<float> in_lanes(const T *rows, size_t count, size_t width, size_t lanes) {
    const size_t tiles = (count + lanes - 1) / lanes;
    std::vector<float> packed(tiles * width * lanes, 0.0f);
    for (size_t row = 0; row < count; ++row)
        for (size_t i = 0; i < width; ++i)
            packed[(row / lanes * width + i) * lanes + row % lanes] =
                static_cast<float>(rows[row * width + i]);
    return packed;
}

// Calls work(begin, end) on parts of 0..count, one part per core.
template <typename Work>
void over_cores(size_t count, Work work) {
    const size_t cores = std::max<size_t>(1, std::thread::hardware_concurrency());
    const size_t part = std::max<size_t>(1, (count + cores - 1) / cores);
    std::vector<std::thread> threads;
    for (size_t begin = part; begin < count; begin += part)
        threads.emplace_back(work, begin, std::min(begin + part, count));
    work(size_t{0}, std::min(part, count));
    for (auto &thread : threads) thread.join();
}

// How the sum over the rows that two sides share becomes a cost: the mean over these rows times the
// length of the side, so that ragged and whole borders compare; infinite below `least` rows.
struct Normal {
    float least, length;

    float operator()(float sum, float shared) const {
        return shared >= least ? sum / shared * length : INFINITY;
    }
};

// Whether every entry of a mask is set.
inline bool all_set(const bool *mask, size_t count) {
    return std::find(mask, mask + count, false) == mask + count;
}

}  // namespace sherd
