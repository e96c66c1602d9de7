"""A finished picture of 8 or 16 bits, and its PNG."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image

from sherd.decoding import Samples
from sherd.png16 import write_png16

__all__ = ["Picture"]


@dataclass(frozen=True, eq=False)
class Picture:
    """Pixels u8 or u16 [H, W, C] (gray, gray + alpha, RGB, RGBA) and their colour profile."""

    pixels: Samples
    icc_profile: bytes | None = None

    def image(self) -> Image.Image:
        """Give the picture to Pillow.

        Pillow knows 16 bits in gray only; other pictures of 16 bits become pictures of 8.
        """
        if self.pixels.dtype != np.uint16 or self.pixels.shape[2] > 1:
            return self.eight_bit()
        return self._with_profile(Image.fromarray(self.pixels[..., 0]))

    def eight_bit(self) -> Image.Image:
        """Give the picture to Pillow with 8 bits a channel."""
        deep = self.pixels.dtype == np.uint16
        pixels = (self.pixels >> 8).astype(np.uint8) if deep else self.pixels
        return self._with_profile(
            Image.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels)
        )

    def png(self) -> bytes:
        """Encode the picture as PNG without loss: all bits, alpha, colour profile."""
        if self.pixels.dtype == np.uint16:
            return write_png16(self.pixels.astype(np.uint16), self.icc_profile)
        file = io.BytesIO()
        self.image().save(file, "PNG", icc_profile=self.icc_profile)
        return file.getvalue()

    def _with_profile(self, image: Image.Image) -> Image.Image:
        if self.icc_profile:
            image.info["icc_profile"] = self.icc_profile
        return image
