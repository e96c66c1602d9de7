#!/usr/bin/env bash
# The paper's recipe for one erosion, with the paper's numbers where no option says otherwise.
#   runs/paper.sh EROSION OUT_FOLDER [--width 64] [--examples 2160000] [--pairs 1800000] [--batch 1]
#       [option of sherd train]... PHOTOS...
# Stage 1 sees 48 epochs of 45,000 neighbours of one half of the photographs, stage 2 40 epochs of
# as many pairs of a true and a false neighbour of the other half. It goes on where it was stopped.
set -euo pipefail
erosion=$1 out=$2; shift 2
width=64 examples=$((48 * 45000)) pairs=$((40 * 45000)) batch=1
others=()
while [ $# -gt 0 ]; do
    case $1 in
        --width) width=$2; shift 2 ;;
        --examples) examples=$2; shift 2 ;;
        --pairs) pairs=$2; shift 2 ;;
        --batch) batch=$2; shift 2 ;;
        *) others+=("$1"); shift ;;
    esac
done
recipe=(--recipe paper --resume --batch "$batch")

sherd train inpaint "${others[@]}" -o "$out/stage-1" --part first "${recipe[@]}" \
    --erosion "$erosion" --width "$width" --examples "$examples"
sherd train classify "${others[@]}" -o "$out/stage-2" --part second "${recipe[@]}" \
    --start "$out/stage-1/weights-half.pt" --examples $((2 * pairs))
sherd train export "$out/stage-2" -o "$out/weights"
