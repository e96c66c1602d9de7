#!/usr/bin/env bash
# The seam network in a minute on a processor, from painted pictures to a solved puzzle: train from
# scratch, stop, go on, export. It shows that everything works, not what the network can do.
#   runs/seam-mini.sh [FOLDER]
set -euo pipefail
out=${1:-$(mktemp -d)}
export OMP_NUM_THREADS=2
python "$(dirname "$0")/painted.py" "$out"

train() {
    python -m sherd.train.seam_run --miniature --no-compile --device cpu --photos "$out/photos" \
        --out "$out/run" --average 0.9 --rate 1e-3 --log-every 8 "$@"
}
train --steps 24
train --steps 48 --resume

sherd cut "$out/held-out/1000.png" -o "$out/pieces" --piece 64 --erode 2 --shuffle
sherd solve "$out/pieces" -o "$out/solved" --board 3x4 --no-cache \
    --scorer seam --weights "$out/run/weights"
