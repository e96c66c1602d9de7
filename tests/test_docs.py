"""The documentation is true: links lead somewhere, pages are current, and what they show runs."""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

import sherd
from sherd.assemblers import ASSEMBLERS
from sherd.paint import paint
from sherd.scorers import SCORERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(PYTHONPATH=\. )?sherd \w+ ")
INSTALLING = ("python3 -m venv ", ".venv/bin/pip ")


def _script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return __import__(name)


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The site builder."""
    return _script("make_site", monkeypatch)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the pages assume: `pieces/` and `photo.png`."""
    shutil.copytree(ROOT / "examples" / "village", tmp_path / "pieces")
    Image.fromarray(paint(200, 270, seed=2)).save(tmp_path / "photo.png")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path, builder: ModuleType) -> None:
    """Every relative link leads to a file, and to a heading if it names one."""
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        linked = page if not path else page.parent / path
        assert linked.exists(), f"{page.name} links to {target}"
        if heading:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in map(builder.anchor, headings), f"{page.name} links to {target}"


def test_site_is_self_contained(builder: ModuleType, tmp_path: Path) -> None:
    """The built site has every page, all its own links lead somewhere, and it loads nothing."""
    pages = builder.build(DOCS, tmp_path / "site")
    assert {page.stem for page in pages} == {page.stem for page in DOCS.glob("*.md")}
    for page in pages:
        html = page.read_text(encoding="utf-8")
        assert not re.findall(r'(?:src|<link[^>]*href)="(?:https?:)?//', html)
        for target in re.findall(r'(?:href|src)="([^"#:]+)', html):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_command_line_page_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/cli.md is what `python docs/make_cli_page.py` writes now."""
    page = _script("make_cli_page", monkeypatch).cli_page()
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == page, "run python docs/make_cli_page.py"


def test_every_public_name_is_described() -> None:
    """The page of the Python API names every public name."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    assert [name for name in sherd.__all__ if f"`{name}`" not in page] == []


def test_every_plug_in_is_described() -> None:
    """Every scorer and assembler is named in the documentation."""
    texts = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    assert [name for name in [*SCORERS, *ASSEMBLERS] if f"`{name}`" not in texts] == []


@pytest.mark.parametrize("module", ["events", "stop", "errors"])
def test_every_event_rule_and_error_is_described(module: str) -> None:
    """The page of the Python API names what can happen, when to stop, and what can go wrong."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    names = set(import_module(f"sherd.{module}").__all__) - {"Event", "Listener", "Stop", "ignore"}
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def test_every_environment_variable_is_described() -> None:
    """The page of the Python API names every variable that the source looks at."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    asked = re.compile(r"(?:os\.environ\S*[\[(]|envvar=)\"([A-Z_]+)\"")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    names = set(asked.findall(sources))
    assert "SHERD_DATA" in names
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def test_every_module_has_an_owner() -> None:
    """The architecture page lists every Python module in the table of its folder, and all C++."""
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    tables = {}
    for section in page.split("\n### ")[1:]:
        folder = re.match(r"`(\w+)/`", section)
        tables[folder[1] if folder else "sherd"] = set(re.findall(r"`([\w.]+)`", section))
    modules = [path for path in (ROOT / "src/sherd").rglob("*.py") if path.stem[:2] != "__"]
    unlisted = {path for path in modules if path.stem not in tables.get(path.parent.name, set())}
    unlisted |= {path for path in (ROOT / "cpp").iterdir() if path.name not in tables["cpp"]}
    assert sorted(str(path.relative_to(ROOT)) for path in unlisted) == []


@pytest.mark.parametrize(
    "page", ["README.md", "docs/index.md", "docs/api.md", "docs/add-your-own.md"]
)
def test_what_pages_show_runs(page: str, workplace: Path) -> None:
    """Blocks of Python and of `sherd` commands run, from the top of a page to its end."""
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    ran = 0
    for language, code in blocks:
        file = re.match(r"# (\w+\.py)\n", code)
        if language == "python" and file:
            (workplace / file[1]).write_text(code, encoding="utf-8")
        elif language == "python":
            exec(compile(code, page, "exec"), names)
            ran += 1
        elif language == "sh" and not code.startswith(INSTALLING):
            assert all(COMMAND.match(line) for line in code.splitlines()), code
            subprocess.run(["bash", "-euc", code], check=True, capture_output=True)
            ran += 1
    assert ran >= 2


def test_pages_that_the_code_names_exist() -> None:
    """A page that the source or a message refers to is there."""
    named = set()
    for source in (ROOT / "src").rglob("*.py"):
        named |= set(re.findall(r"docs/[\w-]+\.md", source.read_text(encoding="utf-8")))
    assert [page for page in sorted(named) if not (ROOT / page).is_file()] == []


def test_readme_lines() -> None:
    """The two lines of the README can be found, and lead to what they promise."""
    lines = [
        subprocess.run(
            [ROOT / "buildtools" / "readme-line", which], capture_output=True, text=True, check=True
        ).stdout
        for which in ("solve", "test")
    ]
    assert "pip install ." in lines[0]
    assert (ROOT / lines[0].split("sherd solve ")[1].split()[0]).is_dir()
    assert '".[test]"' in lines[1]


def test_readme_figures(tmp_path: Path) -> None:
    """The figures in the README are those that its command prints, but for the seconds."""
    (shown,) = re.findall(r"^```text\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    command = [Path(sys.executable).with_name("sherd"), "solve", "examples/village", "-o", "solved"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert _without_seconds(done.stdout) == _without_seconds(shown)


def _without_seconds(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("seconds")]


def test_example_is_as_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The example that ships is what examples/make.py makes."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    __import__("make").make(tmp_path / "village")
    shipped = ROOT / "examples" / "village"
    assert (shipped / "truth.json").read_text() == (tmp_path / "village/truth.json").read_text()
    names = sorted(path.name for path in shipped.glob("*.png"))
    assert names == sorted(path.name for path in (tmp_path / "village").glob("*.png"))
    for name in names:
        with Image.open(shipped / name) as ours, Image.open(tmp_path / "village" / name) as made:
            assert np.array_equal(np.asarray(ours), np.asarray(made))
