#!/usr/bin/env bash
# The seam network's weights as they ship, from the state dict of its prototype:
#   runs/adopt-seam.sh PROTOTYPE.pt [FOLDER]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
exec "${PYTHON:-python3}" -m sherd.train.adopt "$1" "${2:-$here/src/sherd/weights}"
