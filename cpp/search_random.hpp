// Random numbers and Metropolis thresholds of the search, in integers only.
#pragma once

#include <cstdint>

#include "neglog.hpp"

namespace sherd {

// xorshift128+ (Vigna 2017), seeded by splitmix64.
class Random {
  public:
    explicit Random(uint64_t seed) {
        for (uint64_t &word : state_) {
            seed += 0x9E3779B97F4A7C15ull;
            uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
            word = z ^ (z >> 31);
        }
    }
    uint32_t bits() { return static_cast<uint32_t>(word() >> 32); }
    uint64_t word() {
        uint64_t a = state_[0];
        const uint64_t b = state_[1];
        state_[0] = b;
        a ^= a << 23;
        state_[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
        return state_[1] + b;
    }
    // Uniform in 0..n-1.
    int32_t below(int32_t n) {
        return static_cast<int32_t>((uint64_t{bits()} * static_cast<uint32_t>(n)) >> 32);
    }
    // An exponential random number times `scale`: a change by -x is accepted at temperature
    // `scale` where x is at most this.
    int64_t threshold(int64_t scale) { return (scale * kNegLog[bits() >> 20]) >> 16; }
    // The highest threshold that can be drawn.
    static int64_t highest(int64_t scale) { return (scale * kNegLog[0]) >> 16; }

  private:
    uint64_t state_[2];
};

}  // namespace sherd
