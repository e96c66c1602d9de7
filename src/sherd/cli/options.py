"""How the values of options are written that several commands share."""

from __future__ import annotations

import re

import click

__all__ = ["rows_by_cols", "size_in_pixels"]

_NUMBER = r"([1-9]\d{0,5})"


def rows_by_cols(text: str) -> tuple[int, int]:
    """Read ROWSxCOLS as (rows, cols)."""
    numbers = re.fullmatch(f"{_NUMBER}[x×]{_NUMBER}", text)
    if numbers is None:
        raise click.BadParameter(f"{text!r} is not ROWSxCOLS, such as 8x10.")
    return int(numbers[1]), int(numbers[2])


def size_in_pixels(text: str) -> tuple[int, int]:
    """Read the pixels of a square, or WIDTHxHEIGHT, as (height, width)."""
    numbers = re.fullmatch(f"{_NUMBER}(?:[x×]{_NUMBER})?", text)
    if numbers is None:
        raise click.BadParameter(f"{text!r} is not a size in pixels, such as 64 or 64x48.")
    return int(numbers[2] or numbers[1]), int(numbers[1])
