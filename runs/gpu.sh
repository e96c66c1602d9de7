#!/usr/bin/env bash
# All four models on one GPU in a given time: both recipes side by side, every phase tried first.
#   runs/gpu.sh PHOTOS_FOLDER VALIDATION_FOLDER OUT_FOLDER SECONDS
# PHOTOS_FOLDER holds photos-1.zip for stage 1; photos-2.zip and photos-3.zip, for stage 2, may
# arrive while stage 1 runs (until then stage 2 waits). A phase that fails does not stop the next.
set -u
photos=$1 validation=$2 out=$3 seconds=$4
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH=$here/src PYTHONUNBUFFERED=1
python=${PYTHON:-python3}
options=${OPTIONS:-}                       # e.g. --no-compile
width=${WIDTH:-32}                         # generator of the paper's recipe
batch=${BATCH:-64}                         # pairs per step of the paper's recipe
boards=${BOARDS:-8}                        # puzzles per step of the shipped recipe
shipped_batch=${SHIPPED_BATCH:-128}
shipped=${SHIPPED:---width 32 --most 4 --discriminator-width 64}
ends=$(($(date +%s) + seconds))
folders=()
for size in 672x504 756x560 980x644; do folders+=(--validation "$validation/$size"); done
first=("$photos"/photos-1.zip)
second=("$photos"/photos-2.zip "$photos"/photos-3.zip)
mkdir -p "$out"

# MPS=1: let the two processes' kernels run at the same time, if the GPU's daemon works here.
if [ "${MPS:-0}" = 1 ] && command -v nvidia-cuda-mps-control > /dev/null; then
    nvidia-cuda-mps-control -d
    if timeout 60 "$python" -c 'import torch; x = torch.ones(9, 9).cuda(); (x @ x).sum().item()'
    then echo "MPS on" >> "$out/phases.log"
    else echo "MPS failed" >> "$out/phases.log"; echo quit | timeout 20 nvidia-cuda-mps-control
    fi
fi

phase() { # name, arguments of sherd.train...
    local name=$1; shift
    echo "$(date +%T) $name begins" >> "$out/phases.log"
    # shellcheck disable=SC2086
    if "$python" -m sherd.train "$@" $options --json -o "$out/$name" >> "$out/$name.log" 2>&1
    then echo "$(date +%T) $name done" >> "$out/phases.log"
    else echo "$(date +%T) $name FAILED: $(tail -n 1 "$out/$name.log")" >> "$out/phases.log"
    fi
}

left() { # share in percent of the seconds still left, at least 5
    local now; now=$(date +%s)
    echo $(((ends - now) * $1 / 100 > 5 ? (ends - now) * $1 / 100 : 5))
}

shipped_inpaint() { # name, seconds
    # shellcheck disable=SC2086
    phase "$1" inpaint --recipe shipped $shipped --batch "$shipped_batch" --seconds "$2" \
        --examples 1000000000 "${first[@]}" "${@:3}"
}

shipped_classify() { # name, start, seconds
    phase "$1" classify --recipe shipped --boards "$boards" --start "$out/$2/weights-half.pt" \
        --seconds "$3" --examples 1000000000 "${@:4}"
}

paper_inpaint() { # name, erosion, seconds
    phase "$1" inpaint --recipe paper --erosion "$2" --width "$width" --batch "$batch" \
        --seconds "$3" "${first[@]}" "${@:4}"
}

paper_classify() { # name, start, seconds
    phase "$1" classify --recipe paper --batch "$batch" --start "$out/$2/weights-half.pt" \
        --seconds "$3" --examples 3600000 "${@:4}"
}

shipped_lane() {
    shipped_inpaint try-shipped-1 4 --log-every 4 --validation "$validation"/672x504
    shipped_classify try-shipped-2 try-shipped-1 6 "${first[@]}" --log-every 2 \
        --validation "$validation"/672x504 --evaluate-every 3
    shipped_classify try-shipped-3 try-shipped-1 6 "${first[@]}" --log-every 2 \
        --tune-generator &
    shipped_inpaint shipped-1 "$(left 20)" "${folders[@]}"
    shipped_classify shipped-2 shipped-1 "$(left 50)" "${second[@]}" --wait 400 \
        "${folders[@]}" --evaluate-every 100
    # The generator goes on too, towards what tells neighbours; kept apart, to compare.
    shipped_classify shipped-3 shipped-2 "$(($(left 100) - 100))" --tune-generator --rate 1e-4 \
        "${second[@]}" "${folders[@]}" --evaluate-every 100
}

paper_lane() {
    paper_inpaint try-paper-1 4 4 --log-every 4 --validation "$validation"/672x504
    paper_classify try-paper-2 try-paper-1 4 "${first[@]}" --log-every 4 \
        --validation "$validation"/672x504
    paper_inpaint paper-e4-1 4 "$(left 27)" "${folders[@]}"
    paper_classify paper-e4-2 paper-e4-1 "$(left 30)" "${second[@]}" --wait 400 \
        "${folders[@]}"
    paper_inpaint paper-e2-1 2 "$(left 54)" "${folders[@]}"
    paper_classify paper-e2-2 paper-e2-1 "$(($(left 100) - 100))" "${second[@]}" \
        "${folders[@]}"
}

shipped_lane & lanes=$!
paper_lane &
wait $lanes
wait
echo "$(date +%T) all done" >> "$out/phases.log"
