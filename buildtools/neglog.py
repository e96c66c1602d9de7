"""Print cpp/neglog.hpp: the table of logarithms that the search accepts moves by."""

import math

SIZE, UNIT, PER_LINE = 4096, 65536, 12

values = [round(-math.log((i + 0.5) / SIZE) * UNIT) for i in range(SIZE)]
lines = [
    "    " + " ".join(f"{value}," for value in values[i : i + PER_LINE])
    for i in range(0, SIZE, PER_LINE)
]
print(f"""\
// -ln((i + 1/2) / {SIZE}) in units of 2^-16, for i = 0..{SIZE - 1}. A committed table, so
// that the same seed accepts the same moves on every machine, whatever its library rounds to.
// Made by: python buildtools/neglog.py > cpp/neglog.hpp
#pragma once
#include <cstdint>

inline constexpr int32_t kNegLog[{SIZE}] = {{""")
print("\n".join(lines))
print("};")
