#!/usr/bin/env bash
# All models on one GPU within a given time, phase after phase: our recipe, then the paper's.
#   runs/gpu.sh PHOTOS_FOLDER VALIDATION_FOLDER RESULTS_FOLDER SECONDS [EARLIER_RESULTS]
# PHOTOS_FOLDER holds photos-1.zip for stage 1, photos-2.zip and photos-3.zip for stage 2. RESULTS
# gets PHASE.pt (weights in half precision) and logs.tgz, anew every 20 seconds: what was reached
# is there whenever the machine goes. From PHASE.pt of EARLIER_RESULTS a phase goes on, with fresh
# optimisers. Every phase has its share of the time that is left; one that fails stops no other.
#   PHASES="shipped-2:3 shipped-3:1" runs/gpu.sh ...     # these alone, three quarters and a quarter
# Without an installed sherd, click has to be on PYTHONPATH.
set -u
photos=$1 validation=$2 results=$3 earlier=${5:-}
ends=$(($(date +%s) + $4))
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH=$here/src${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1
python=${PYTHON:-python3}
work=${WORK:-$(mktemp -d)}
read -ra phases <<< "${PHASES:-shipped-1:20 shipped-2:30 shipped-3:15 paper-e4-1:10 paper-e4-2:9 \
paper-e2-1:10 paper-e2-2:9}"
read -ra options <<< "${OPTIONS:-}"                # of every phase, e.g. --no-compile
read -ra shipped <<< "${SHIPPED:---width 32 --most 4 --discriminator-width 64 --batch 128}"
read -ra boards <<< "${BOARDS:---boards 8}"        # stage 2 of our recipe
read -ra paper <<< "${PAPER:---width 32}"
read -ra paper_batch <<< "${PAPER_BATCH:---batch 64}"
read -ra sizes <<< "${SIZES:-672x504 756x560 980x644}"
evaluating=${EVALUATING:-25}                      # seconds to measure the result of a phase
for size in "${sizes[@]}"; do options+=(--validation "$validation/$size"); done
first=("$photos"/photos-1.zip) second=("$photos"/photos-[23].zip)
mkdir -p "$results" "$work"

collect() { # copy what there is, each file by a rename: a copy is whole or the one before
    local name
    for name in "$work"/*/; do
        name=$(basename "$name")
        [ "$work/$name/weights-half.pt" -nt "$results/$name.pt" ] || continue
        cp "$work/$name/weights-half.pt" "$results/$name.part" &&
            mv "$results/$name.part" "$results/$name.pt"
    done
    (cd "$work" && find . -name '*.log' -o -name log.jsonl -o -name figures.json |
        tar czf "$results/logs.part" -T -) && mv "$results/logs.part" "$results/logs.tgz"
}

note() { echo "$(date +%T) $*" | tee -a "$work/phases.log"; }

start_of() { # phase, the phase before it or nothing: the weights to start from, or nothing
    local weights
    for weights in "${2:+$work/$2/weights-half.pt}" "${earlier:+$earlier/$1.pt}" \
        "${2:+${earlier:+$earlier/$2.pt}}"; do
        if [ -n "$weights" ] && [ -f "$weights" ]; then echo "$weights"; return; fi
    done
}

run() { # name, seconds, start, arguments of sherd train...
    local name=$1 seconds=$2 start=$3; shift 3
    note "$name begins, $seconds s, from ${start:-scratch}"
    "$python" -m sherd.train "$@" ${start:+--start "$start"} --seconds "$seconds" "${options[@]}" \
        --json -o "$work/$name" >> "$work/$name.log" 2>&1 &
    local training=$!
    while kill -0 $training 2> /dev/null; do
        sleep 1
        [ $(($(date +%s) % 20)) -gt 0 ] || collect
    done
    if wait $training; then note "$name done"
    else note "$name FAILED: $(tail -n 1 "$work/$name.log")"; fi
    collect
}

phase() { # name, seconds
    local unlimited=(--examples 1000000000) erosion=${1#paper-e}
    case $1 in
        shipped-1) run "$@" "$(start_of "$1" "")" inpaint "${unlimited[@]}" "${shipped[@]}" \
            "${first[@]}" ;;
        shipped-2) run "$@" "$(start_of "$1" shipped-1)" classify "${unlimited[@]}" \
            "${boards[@]}" "${second[@]}" ;;
        # The generator goes on too, towards what tells neighbours; kept apart, to compare.
        shipped-3) run "$@" "$(start_of "$1" shipped-2)" classify "${unlimited[@]}" \
            "${boards[@]}" --tune-generator --rate 1e-4 "${second[@]}" ;;
        paper-e?-1) run "$@" "$(start_of "$1" "")" inpaint --recipe paper \
            --erosion "${erosion%-1}" "${paper[@]}" "${paper_batch[@]}" "${first[@]}" ;;
        paper-e?-2) run "$@" "$(start_of "$1" "${1%-2}-1")" classify --recipe paper \
            --examples 3600000 "${paper_batch[@]}" "${second[@]}" ;;
        *) note "$1: no such phase" ;;
    esac
}

while [ ${#phases[@]} -gt 0 ]; do
    shares=0
    for each in "${phases[@]}"; do shares=$((shares + ${each#*:})); done
    left=$((ends - $(date +%s) - evaluating * ${#phases[@]}))
    seconds=$((left * ${phases[0]#*:} / shares))
    if [ $seconds -gt 0 ]; then phase "${phases[0]%:*}" $seconds
    else note "${phases[0]%:*}: no time left"; fi
    phases=("${phases[@]:1}")
done
note "all done"
collect
