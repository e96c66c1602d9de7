"""Paint pictures for a miniature training: `python runs/painted.py FOLDER`."""

import sys
from pathlib import Path

from PIL import Image

from sherd.paint import paint

for name, seeds in (("photos", range(40)), ("held-out", range(1000, 1001))):
    folder = Path(sys.argv[1]) / name
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        Image.fromarray(paint(192, 256, seed)).save(folder / f"{seed:04}.png")
