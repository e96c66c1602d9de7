#!/usr/bin/env bash
# The paper's recipe in two minutes on a processor, from painted pictures to a solved puzzle.
#   runs/paper-mini.sh [FOLDER]
set -euo pipefail
out=${1:-$(mktemp -d)}
export OMP_NUM_THREADS=1  # networks this small only lose time by being shared out
python "$(dirname "$0")/painted.py" "$out"
"$(dirname "$0")/paper-e2.sh" "$out/run" --width 8 --examples 3000 --pairs 3000 --batch 8 \
    --seconds 40 --no-compile --log-every 20 "$out/photos"
sherd cut "$out/held-out/1000.png" -o "$out/pieces" --piece 64 --erode 2 --shuffle
sherd solve "$out/pieces" -o "$out/solved" --board 3x4 --no-cache --scorer inpaint \
    --weights "$out/run/weights"
