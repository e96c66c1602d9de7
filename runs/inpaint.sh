#!/usr/bin/env bash
# The recipe of the weights that ship with sherd: one model for pieces worn by 1 to 8 of 64 pixels.
#   runs/inpaint.sh OUT_FOLDER PHOTOS...
# One half of the photographs serves stage 1, the other stage 2, in which first the discriminator
# learns alone and then the generator with it. The defaults are what the shipped weights had.
set -euo pipefail
out=$1; shift
# shellcheck disable=SC2206
stage_1=(${STAGE_1:---width 32 --most 4 --discriminator-width 64 --batch 128})
# shellcheck disable=SC2206
stage_2=(${STAGE_2:-})
# shellcheck disable=SC2206
options=(--recipe shipped --resume --seconds "${SECONDS_EACH:-1000000000}" ${OPTIONS:-})

sherd train inpaint "$@" -o "$out/stage-1" --part first "${stage_1[@]}" \
    --examples "${FIRST:-761856}" "${options[@]}"
sherd train classify "$@" -o "$out/stage-2" --part second "${stage_2[@]}" \
    --start "$out/stage-1/weights-half.pt" --examples "${SECOND:-18885120}" "${options[@]}"
sherd train classify "$@" -o "$out/stage-3" --part second "${stage_2[@]}" --tune-generator \
    --rate 1e-4 --start "$out/stage-2/weights-half.pt" --examples "${THIRD:-3939840}" \
    "${options[@]}"
sherd train export "$out/stage-3" -o "$out/weights"
