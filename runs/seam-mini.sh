#!/usr/bin/env bash
# Two minutes on two cores: train the seam network from scratch on any folder of photographs, go on
# after a stop, export. It shows that everything works, not what the network can do.
#   runs/seam-mini.sh PHOTOS_FOLDER OUT_FOLDER [STEPS]
set -eu
photos=$1 out=$2 steps=${3:-96}
here=$(cd "$(dirname "$0")/.." && pwd)
train() {
    "${PYTHON:-python3}" -m sherd.train.seam_run --miniature --no-compile --device cpu \
        --photos "$photos" --out "$out" --average 0.9 --rate 1e-3 --log-every 2 "$@"
}
train --steps $((steps / 2))
train --steps "$steps" --resume
