"""Reading: folders, zips and single files, honest and hostile ones."""

from __future__ import annotations

import os
import random
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sherd import reading
from sherd.errors import InputError
from sherd.events import Event, Note, Skipped, ignore
from sherd.reading import natural_key, read_folder, read_picture, read_zip


def picture(path: Path, shade: int = 0) -> Path:
    """Save a small gray picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (4, 4), shade).save(path)
    return path


def zipped(path: Path, *names: str, how: int = zipfile.ZIP_DEFLATED) -> Path:
    """Zip one picture under several names."""
    data = picture(path.parent / "one.png").read_bytes()
    with zipfile.ZipFile(path, "w", how) as archive:
        for name in names:
            archive.writestr(name, data)
    return path


@given(st.lists(st.integers(0, 10**25), unique=True), st.text("ab-.", max_size=3))
def test_numbers_in_names_sort_by_size(numbers: list[int], stem: str) -> None:
    """However long the numbers, piece-9 comes before piece-10."""
    names = [f"{stem}{number}.png" for number in numbers]
    random.Random(0).shuffle(names)
    in_order = [f"{stem}{number}.png" for number in sorted(numbers)]
    assert sorted(names, key=natural_key) == in_order


def test_names_without_numbers_sort_too() -> None:
    """Words and numbers can stand at the same place, and capitals do not matter."""
    names = ["b.png", "B1.png", "10.png", "9.png", "a01.png", "a1.png"]
    in_order = ["9.png", "10.png", "a01.png", "a1.png", "B1.png", "b.png"]
    assert sorted(names, key=natural_key) == in_order


@settings(deadline=None)
@given(st.lists(st.text("aB1.-", min_size=1, max_size=4), unique=True))
def test_any_names_sort(names: list[str]) -> None:
    """No two names are beyond comparison, and their order does not depend on how they come."""
    in_order = sorted(names, key=natural_key)
    assert sorted(reversed(names), key=natural_key) == in_order


def test_a_folder_is_read_in_natural_order(tmp_path: Path) -> None:
    """Pictures come in natural order; what is no picture is passed over and reported."""
    for number in (10, 9, 1):
        picture(tmp_path / f"p{number}.PNG", number)
    for name in ("truth.json", "notes.txt", "Thumbs.db", ".hidden.png"):
        (tmp_path / name).write_text("no picture")
    (tmp_path / ".git").mkdir()
    told: list[Event] = []
    pictures = read_folder(tmp_path, told.append)
    assert [p.name for p in pictures] == ["p1.PNG", "p9.PNG", "p10.PNG"]
    assert [int(p.pixels[0, 0, 0]) for p in pictures] == [1, 9, 10]
    skipped = {event.name for event in told if isinstance(event, Skipped)}
    assert skipped == {"truth.json", "notes.txt", "Thumbs.db", ".hidden.png", ".git"}


def test_a_folder_in_a_folder_is_refused(tmp_path: Path) -> None:
    """Pieces are never silently missed in a sub-folder."""
    picture(tmp_path / "a.png")
    picture(tmp_path / "more" / "b.png")
    with pytest.raises(InputError, match=r"contains the folder 'more'"):
        read_folder(tmp_path, ignore)


def test_a_folder_without_pictures_says_what_is_there(tmp_path: Path) -> None:
    """An empty folder, or one of other files, is an error that tells what pieces are."""
    with pytest.raises(InputError, match=r"no pictures in it; .*\.png"):
        read_folder(tmp_path, ignore)
    (tmp_path / "a.heic").write_text("x")
    with pytest.raises(InputError, match=r"such as 'a\.heic'"):
        read_folder(tmp_path, ignore)


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    """A text file with the name of a picture stops the reading, with its path."""
    picture(tmp_path / "a.png")
    (tmp_path / "b.png").write_text("no picture")
    with pytest.raises(InputError, match=r"b\.png: not a PNG"):
        read_folder(tmp_path, ignore)


def test_special_files_are_refused(tmp_path: Path) -> None:
    """A pipe with the name of a picture does not block the reading."""
    os.mkfifo(tmp_path / "a.png")
    with pytest.raises(InputError, match=r"a\.png: not a regular file"):
        read_folder(tmp_path, ignore)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """What is not there, broken links too, is one clear line."""
    with pytest.raises(InputError, match=r"nothing: there is no such"):
        read_folder(tmp_path / "nothing", ignore)
    (tmp_path / "b.zip").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=r"b\.zip: there is no such"):
        read_zip(tmp_path / "b.zip", ignore)
    with pytest.raises(InputError, match=r"cannot be read"):
        read_folder(picture(tmp_path / "a.png"), ignore)


@pytest.fixture
def nobody() -> Iterator[Path]:
    """A folder of pictures and an unprivileged user, for root may read everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        picture(folder / "pieces" / "a.png")
        read_folder(folder / "pieces", ignore)  # imports what it needs
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        yield folder
        if root:
            os.seteuid(0)
        (folder / "pieces").chmod(0o755)


@pytest.mark.parametrize("closed", ["pieces", "pieces/a.png"])
def test_what_may_not_be_read_is_named(nobody: Path, closed: str) -> None:
    """A folder or file without permission is one clear line."""
    user = os.geteuid()
    os.seteuid(os.getuid())
    (nobody / closed).chmod(0)
    os.seteuid(user)
    with pytest.raises(InputError, match=rf"{closed}: reading is not permitted"):
        read_folder(nobody / "pieces", ignore)


def test_notes_of_pictures_are_told(tmp_path: Path) -> None:
    """What is lost in decoding reaches the listener."""
    path = tmp_path / "c.jpg"
    Image.new("CMYK", (4, 4)).save(path)
    told: list[Event] = []
    assert read_picture(path, told.append).name == "c.jpg"
    assert isinstance(told[0], Note)


@pytest.mark.parametrize("folder", ["", "pieces/", "a/b/"])
def test_a_zip_is_read_like_a_folder(tmp_path: Path, folder: str) -> None:
    """The pieces may lie in one folder of the zip; the rest is passed over."""
    names = [f"{folder}p10.png", f"{folder}p9.png", f"{folder}truth.json", "__MACOSX/p9.png"]
    told: list[Event] = []
    pictures = read_zip(zipped(tmp_path / "z.zip", *names), told.append)
    assert [p.name for p in pictures] == ["p9.png", "p10.png"]
    assert {e.name for e in told if isinstance(e, Skipped)} == set(names[2:])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.png", "z.zip"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["../a.png"], "points out"),
        (["x/../../a.png"], "points out"),
        (["/etc/a.png"], "points out"),
        (["C:\\a.png"], "points out"),
        (["..\\a.png"], "points out"),
        (["a/1.png", "b/2.png"], "several folders"),
        (["1.png", "b/2.png"], "several folders"),
        (["notes.txt"], "no pictures"),
        ([], "no pictures"),
    ],
)
def test_bad_names_in_a_zip_are_refused(tmp_path: Path, names: list[str], said: str) -> None:
    """Names that point out of the zip, or pieces in several places, are one clear line."""
    with pytest.raises(InputError, match=rf"z\.zip: .*{said}"):
        read_zip(zipped(tmp_path / "z.zip", *names), ignore)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice_in_a_zip_is_refused(tmp_path: Path) -> None:
    """Two pieces of one name cannot be told apart in the result."""
    with pytest.raises(InputError, match="twice"):
        read_zip(zipped(tmp_path / "z.zip", "a.png", "a.png"), ignore)


def test_a_zip_with_too_much_in_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Declared sizes are checked before anything is unpacked."""
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", bytes(3 << 20))
    monkeypatch.setattr(reading, "MAX_BYTES", 2 << 20)
    with pytest.raises(InputError, match="more than 2 MB"):
        read_zip(path, ignore)


def test_a_zip_that_lies_about_sizes_is_refused(tmp_path: Path) -> None:
    """More bytes than declared are never unpacked; the file counts as damaged."""
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", bytes(3 << 20))
    data = path.read_bytes()
    path.write_bytes(data.replace((3 << 20).to_bytes(4, "little"), (99).to_bytes(4, "little")))
    with pytest.raises(InputError, match="damaged zip"):
        read_zip(path, ignore)


def test_damaged_and_odd_zips_are_refused(tmp_path: Path) -> None:
    """No zip at all, a cut off one, a broken stream, a password, an unusual packing."""
    good = zipped(tmp_path / "good.zip", "a.png", "b.png").read_bytes()
    broken = bytearray(good)
    broken[36:50] = b"\xff" * 14
    locked = bytearray(good)
    for start in (6, good.index(b"PK\1\2") + 8):
        locked[start] |= 1
    path = tmp_path / "z.zip"
    for data, said in (
        (b"no zip", "damaged zip"),
        (good[:-30], "damaged zip"),
        (bytes(broken), "damaged zip"),
        (bytes(locked), "password"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError, match=said):
            read_zip(path, ignore)
    with pytest.raises(InputError, match="unusual"):
        read_zip(zipped(tmp_path / "bz.zip", "a.png", how=zipfile.ZIP_BZIP2), ignore)
