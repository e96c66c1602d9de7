#!/usr/bin/env bash
# Train the seam network on from the weights in the package (START= empty: from scratch).
#   runs/seam.sh PHOTOS_FOLDER VALIDATION_FOLDER OUT_FOLDER SECONDS [more options]
# OUT_FOLDER/weights then holds what the package has; the same command with --resume goes on after
# a kill. On 2 cores a step takes minutes; meant for an accelerator.
set -eu
photos=$1 validation=$2 out=$3 seconds=$4
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH=$here/src PYTHONUNBUFFERED=1
start=${START-$here/src/sherd/weights}
exec "${PYTHON:-python3}" -m sherd.train.seam_run ${start:+--start "$start"} \
    --photos "$photos"/photos-*.zip --out "$out" --seconds "$seconds" \
    --validation "$validation"/672x504 "$validation"/756x560 "$validation"/980x644 "${@:5}"
