"""How close filled gaps come to the original: lines, Telea and the generator on held-out pictures.

L1 (of 255), PSNR and SSIM in the gap of true neighbours, means over all seams; with --figure a
picture of some seams: input, straight lines, Telea, ours, original.

    python benchmarks/inpainting.py --data PICTURES [--weights FOLDER] [--figure FILE.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from seam_pairs import draw_pairs
from telea import telea

from sherd.runtime import Network
from sherd.train.export_inpaint import FILLER_FILE
from sherd.train.networks import PIECE, bridged
from sherd.train.pairs import known_masks
from sherd.weights import find_weights

Floats = NDArray[np.float32]
_WINDOW = 7  # of SSIM, in pixels
_BATCH = 64
_ZOOM = 2
_LUMINANCE = np.array([0.299, 0.587, 0.114], np.float32)


def fillings(original: Floats, erosion: int, filler: Network) -> dict[str, Floats]:
    """Fill the gap of original pairs [B, 3, 64, 128] in every way: names to [B, 3, 64, 128]."""
    known = known_masks(torch.device("cpu"))[[erosion] * len(original)]
    pixels = original * known.numpy()
    lines = bridged(torch.from_numpy(pixels), known).numpy()
    rows = slice(erosion, PIECE - erosion)
    marched = pixels.copy()
    strips = np.ascontiguousarray(pixels[:, :, rows].transpose(0, 2, 3, 1))
    filled = telea(strips, PIECE - erosion, PIECE + erosion - 1)
    marched[:, :, rows] = filled.transpose(0, 3, 1, 2).clip(-1, 1)
    (ours,) = filler(pixels=pixels, known=known.numpy())
    return {"input": pixels, "lines": lines, "Telea": marched, "ours": ours, "original": original}


def quality(filled: Floats, original: Floats, erosion: int) -> Floats:
    """L1, PSNR and SSIM of each gap: [B, 3]."""
    rows, gap = slice(erosion, PIECE - erosion), slice(PIECE - erosion, PIECE + erosion)
    error = 127.5 * (filled - original)[:, :, rows, gap]
    l1 = np.abs(error).mean((1, 2, 3))
    square = np.maximum((error**2).mean((1, 2, 3)), 1e-2)
    around = slice(PIECE - erosion - _WINDOW // 2, PIECE + erosion + _WINDOW // 2)
    views = [127.5 * (picture[:, :, rows, around] + 1) for picture in (filled, original)]
    similar = structural_similarity(*(np.einsum("bchw,c->bhw", v, _LUMINANCE) for v in views))
    return np.stack([l1, 10 * np.log10(255**2 / square), similar], axis=1)


def structural_similarity(first: Floats, second: Floats) -> Floats:
    """SSIM (Wang et al. 2004) of luminances [B, h, w] in even windows: [B]."""
    a, b = (
        np.lib.stride_tricks.sliding_window_view(values.astype(np.float64), (_WINDOW,) * 2, (1, 2))
        for values in (first, second)
    )
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mean_a, mean_b = a.mean((3, 4)), b.mean((3, 4))
    both = (a * b).mean((3, 4)) - mean_a * mean_b
    spread = (a * a).mean((3, 4)) - mean_a**2 + (b * b).mean((3, 4)) - mean_b**2
    alike = (2 * mean_a * mean_b + c1) / (mean_a**2 + mean_b**2 + c1)
    return np.asarray((alike * (2 * both + c2) / (spread + c2)).mean((1, 2)), np.float32)


def figure(ways: dict[str, Floats], seams: int) -> Image.Image:
    """Rows of seams, a column for each way, enlarged."""
    columns = [np.concatenate(list(way[:seams]), axis=1) for way in ways.values()]
    whole = np.concatenate(columns, axis=2).transpose(1, 2, 0)
    picture = Image.fromarray(np.rint((whole.clip(-1, 1) + 1) * 127.5).astype(np.uint8))
    size = (picture.width * _ZOOM, picture.height * _ZOOM)
    return picture.resize(size, Image.Resampling.NEAREST)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of pictures")
    parser.add_argument("--weights", type=Path, help="folder of exported weights")
    parser.add_argument("--seams", type=int, default=2000)
    parser.add_argument("--erosion", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--figure", type=Path, help="picture to write, of the first erosion")
    parser.add_argument("--rows", type=int, default=10, help="seams in the picture")
    options = parser.parse_args()
    folder = options.weights
    weights = find_weights("inpaint", folder) if folder else find_weights("inpaint")
    filler = Network(weights.files[FILLER_FILE])
    original = draw_pairs(options.data, options.seams)[0].numpy()
    if options.figure:
        spread = original[:: max(1, len(original) // options.rows)][: options.rows]
        figure(fillings(spread, options.erosion[0], filler), options.rows).save(options.figure)
    print(f"{len(original)} seams\n  e  filling     L1    PSNR    SSIM")
    fixed = int(weights.pedigree["model_erosion"])
    for erosion in [fixed] if fixed else options.erosion:
        found: dict[str, list[Floats]] = {}
        for start in range(0, len(original), _BATCH):
            part = original[start : start + _BATCH]
            for name, filled in fillings(part, erosion, filler).items():
                found.setdefault(name, []).append(quality(filled, part, erosion))
        for name in ("lines", "Telea", "ours"):
            l1, psnr, ssim = np.concatenate(found[name]).mean(axis=0)
            print(f"  {erosion}  {name:7} {l1:6.2f}  {psnr:6.2f}  {ssim:.4f}", flush=True)


if __name__ == "__main__":
    main()
