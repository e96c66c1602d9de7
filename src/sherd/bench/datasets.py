"""The pictures of a protocol: where they lie, and where to get them."""

from __future__ import annotations

from pathlib import Path

from sherd.bench.protocol import PictureSet
from sherd.decoding import SUFFIXES
from sherd.errors import InputError, OptionError
from sherd.reading import natural_key

__all__ = ["WHERE_TO_GET", "data_root", "pictures_of"]

_POMERANZ = (
    "published with D. Pomeranz, M. Shemesh, O. Ben-Shahar, 'A fully automated greedy square "
    "jigsaw puzzle solver' (CVPR 2011), on the puzzle page of Ben-Gurion University; copies come "
    "with several public jigsaw solvers (CVX-Jigsaw, for one)"
)
_SHOLOMON = (
    "published with D. Sholomon, O. David, N. Netanyahu, 'A genetic algorithm-based solver for "
    "very large jigsaw puzzles' (CVPR 2013), on the first author's page"
)
_CLIC = (
    "photographs of the validation set of CLIC 2025 (Challenge on Learned Image Compression), "
    "scaled down and cropped to this size; any photographs of this size serve"
)

WHERE_TO_GET = {
    "test/mit432": "20 pictures of 672x504, published with T. Cho, S. Avidan, W. Freeman, 'A "
    "probabilistic image jigsaw puzzle solver' (CVPR 2010); copies come with several public "
    "jigsaw solvers (CVX-Jigsaw, for one)",
    "test/mcgill540": f"20 pictures of 756x560 (photographs of Olmos & Kingdom), {_POMERANZ}",
    "test/bgu805": f"20 pictures of 980x644, {_POMERANZ}",
    "test/bgu2360": f"3 pictures of 1652x1120, {_POMERANZ}",
    "test/bgu3300": f"3 pictures of 1848x1400, {_POMERANZ}",
    "test/sholomon5015": f"3 pictures of 2380x1652, {_SHOLOMON}",
    "test/sholomon10375": f"3 pictures of 3500x2324, {_SHOLOMON}",
    "test/sholomon22834": f"2 pictures of 5180x3444, {_SHOLOMON}",
    "val/672x504": f"9 {_CLIC}",
    "val/756x560": f"9 {_CLIC}",
    "val/980x644": f"8 {_CLIC}",
}
"""Where each folder of the built-in protocols comes from, in words."""


def data_root(given: Path | None) -> Path:
    """Check the folder that holds the picture sets."""
    if given is None:
        raise OptionError(
            "The benchmark does not ship pictures: say where they are with --data DIR or the "
            "environment variable SHERD_DATA (docs/benchmark.md says where to get them)."
        )
    if not given.is_dir():
        raise InputError(f"{given}: no such folder; --data names the folder of the picture sets.")
    return given


def pictures_of(part: PictureSet, root: Path) -> list[Path]:
    """List the pictures of a set in natural order, after checking that all are there."""
    folder = root / part.folder
    files = folder.iterdir() if folder.is_dir() else []
    pictures = (file for file in files if file.suffix.lower() in SUFFIXES)
    found = sorted(pictures, key=lambda file: natural_key(file.name))
    if len(found) == part.pictures:
        return found
    source = WHERE_TO_GET.get(part.folder, f"{part.pictures} pictures")
    state = f"has {len(found)} pictures, not {part.pictures}" if found else "is not there"
    raise InputError(
        f"The set {part.name} {state} (looked in {folder}). It is: {source}. Put its pictures "
        f"into a folder {part.folder} below the one that --data or SHERD_DATA names."
    )
