"""How much `import sherd` costs over bare Python: python benchmarks/importing.py."""

from __future__ import annotations

import sys

from measuring import run_child

REPEATS = 20


def main() -> None:
    commands = {"bare Python": "pass", "import sherd": "import sherd"}
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(REPEATS):  # turn by turn, so that both see the same load
        for name, code in commands.items():
            best[name] = min(best[name], run_child([sys.executable, "-c", code]).seconds)
    for name, seconds in best.items():
        print(f"{name:<14} {1000 * seconds:6.1f} ms")
    over = best["import sherd"] - best["bare Python"]
    print(f"{'over':<14} {1000 * over:6.1f} ms (best of {REPEATS})")


if __name__ == "__main__":
    main()
