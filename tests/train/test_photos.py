"""Training photographs: what is read, what is refused, and cutting windows out of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.errors import InputError
from sherd.paint import paint

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.train.photos import PhotoNeeds, PhotoStore, load_photos, wait_for  # noqa: E402

CPU = torch.device("cpu")


def test_windows_equal_plain_slicing() -> None:
    """One gather cuts the same bytes as slicing each photograph, also with the axes swapped."""
    photos = [paint(70, 90, 1).transpose(2, 0, 1), paint(80, 75, 2).transpose(2, 0, 1)]
    store = PhotoStore([np.ascontiguousarray(photo) for photo in photos], CPU)
    photo, top, left = torch.tensor([0, 1, 1]), torch.tensor([3, 0, 11]), torch.tensor([40, 5, 2])
    swapped = torch.tensor([False, False, True])
    cut = store.windows(photo, top, left, 30, 50, swapped)
    plain = [photos[0][:, 3:33, 40:90], photos[1][:, 0:30, 5:55]]
    plain.append(photos[1].transpose(0, 2, 1)[:, 11:41, 2:52])
    assert np.array_equal(cut.numpy(), np.stack(plain))


def test_sizes_follow_the_swap() -> None:
    """Height and width change places where the axes do."""
    store = PhotoStore([np.zeros((3, 70, 90), np.uint8)], CPU)
    photo = torch.tensor([0, 0])
    height, width = store.sizes(photo, torch.tensor([False, True]))
    assert (height.tolist(), width.tolist()) == ([70, 90], [90, 70])
    assert not store.is_portrait(photo).any()


def test_folders_and_zip_files_are_read_and_the_unusable_dropped(tmp_path: Path) -> None:
    """Photographs come from both; a text file named .png and a small picture are counted."""
    for seed, size in enumerate([(130, 200), (200, 130), (60, 60)]):
        Image.fromarray(paint(*size, seed)).save(tmp_path / f"{seed}.png")
    (tmp_path / "text.png").write_text("no picture")
    archive = tmp_path / "more.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(tmp_path / "0.png", "inside/0.png")
    store = load_photos([tmp_path, archive], PhotoNeeds(), CPU)
    assert len(store) == 3
    assert store.dropped == 2


def test_smaller_scales_are_kept_while_they_are_large_enough(tmp_path: Path) -> None:
    """A photograph twice as large as needed also serves at half its size."""
    Image.fromarray(paint(256, 384, 0)).save(tmp_path / "large.png")
    Image.fromarray(paint(128, 192, 0)).save(tmp_path / "small.png")
    store = load_photos([tmp_path], PhotoNeeds(scales=(1.0, 0.5)), CPU)
    sizes = store.sizes(torch.arange(3), torch.zeros(3, dtype=torch.bool))
    assert sorted(zip(*(size.tolist() for size in sizes), strict=True)) == [
        (128, 192),
        (128, 192),
        (256, 384),
    ]


def test_the_two_halves_are_disjoint_and_whole(tmp_path: Path) -> None:
    """Every photograph is in exactly one of the halves that the two stages see."""
    for seed in range(12):
        Image.fromarray(paint(130, 200, seed)).save(tmp_path / f"photo{seed}.png")
    sizes = [
        len(load_photos([tmp_path], PhotoNeeds(part=part), CPU)) for part in ("first", "second")
    ]
    assert sum(sizes) == 12
    assert min(sizes) > 0


def test_no_photographs_are_an_error(tmp_path: Path) -> None:
    """An empty folder is refused, by name."""
    with pytest.raises(InputError, match=rf"{tmp_path}: no usable photograph"):
        load_photos([tmp_path], PhotoNeeds(), CPU)


def test_photographs_smaller_than_two_pieces_are_an_error(tmp_path: Path) -> None:
    """Pictures that no pair fits into are refused, with the size that is needed."""
    Image.fromarray(paint(64, 100)).save(tmp_path / "small.png")
    with pytest.raises(InputError, match=r"1 unreadable or smaller than 192x128"):
        load_photos([tmp_path], PhotoNeeds(), CPU)


def test_a_source_that_is_no_folder_or_zip_is_an_error(tmp_path: Path) -> None:
    """A missing name and a text file are refused."""
    (tmp_path / "notes.txt").write_text("no photographs")
    for name in ("missing", "notes.txt"):
        with pytest.raises(InputError, match=f"{name}: neither a folder nor a zip"):
            load_photos([tmp_path / name], PhotoNeeds(), CPU)


def test_waiting_ends_with_the_sources_that_are_there(tmp_path: Path) -> None:
    """After the wait the missing sources are left out; without a wait all are asked for."""
    missing = tmp_path / "later.zip"
    assert wait_for([tmp_path, missing], 0.01) == [tmp_path]
    assert wait_for([tmp_path, missing], 0) == [tmp_path, missing]
