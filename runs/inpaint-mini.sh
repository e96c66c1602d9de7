#!/usr/bin/env bash
# The shipped recipe in two minutes on a processor, from painted pictures to a solved puzzle.
#   runs/inpaint-mini.sh [FOLDER]
set -euo pipefail
out=${1:-$(mktemp -d)}
export OMP_NUM_THREADS=1  # networks this small only lose time by being shared out
python "$(dirname "$0")/painted.py" "$out"

FIRST=4000 SECOND=9000 THIRD=1000 STAGE_1="--width 8 --most 4 --discriminator-width 16 --batch 8" \
STAGE_2="--rows 3 --columns 4 --boards 2 --anchors 6 --hard 3 --easy 2" SECONDS_EACH=40 \
OPTIONS="--no-compile --log-every 10" \
    "$(dirname "$0")/inpaint.sh" "$out/run" "$out/photos"

sherd cut "$out/held-out/1000.png" -o "$out/pieces" --piece 64 --erode 2 --shuffle
sherd solve "$out/pieces" -o "$out/solved" --board 3x4 --no-cache --fill inpaint \
    --scorer inpaint --weights "$out/run/weights"
