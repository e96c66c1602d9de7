"""Build the documentation as a static site: `python docs/make_site.py [FOLDER]` (default: site).

Markdown in, HTML out, offline: no fonts, scripts or styles from elsewhere. It needs only what Sherd
itself brings along (markdown-it-py and Pygments come with rich).
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from shutil import copytree, rmtree

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

HERE = Path(__file__).parent
ORDER = (
    "index",
    "pieces",
    "conventions",
    "cli",
    "api",
    "scorers",
    "assemblers",
    "add-your-own",
    "layout-json",
    "results",
    "benchmark",
    "training",
    "architecture",
)
FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True, style="friendly")

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Sherd</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav><a class="home" href="index.html">Sherd</a>
{links}
</nav>
<main>
{body}
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """One page: the name of its file without suffix, its title, and its Markdown."""

    name: str
    title: str
    text: str


def read_pages(folder: Path) -> list[Page]:
    """Read every page of a folder: first those with a place in the order, then the others."""
    pages = []
    for path in sorted(folder.glob("*.md"), key=lambda path: (_place(path.stem), path.stem)):
        text = path.read_text(encoding="utf-8")
        heading = re.search(r"^# (.+)$", text, re.MULTILINE)
        pages.append(Page(path.stem, heading[1] if heading else path.stem, text))
    return pages


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)


def anchor(heading: str) -> str:
    """Give the name by which a heading is linked to (as on the usual code hosts)."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return kept.replace(" ", "-")


def to_html(text: str) -> str:
    """Turn Markdown into HTML: headings get anchors, links to pages lead to the built ones."""
    markdown = MarkdownIt("commonmark", {"highlight": _coloured}).enable("table")
    tokens = markdown.parse(text)
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(following.content))
        for child in token.children or []:
            target = child.attrGet("href")
            if target and "://" not in str(target):
                child.attrSet("href", re.sub(r"\.md(?=#|$)", ".html", str(target)))
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _coloured(code: str, language: str, _attributes: str) -> str:
    """Colour a block of code."""
    try:
        return str(highlight(code, get_lexer_by_name(language or "text"), FORMATTER))
    except ClassNotFound:
        return escape(code)


def build(folder: Path, target: Path) -> list[Path]:
    """Write the site; give the files of its pages."""
    rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    pages = read_pages(folder)
    links = "\n".join(f'<a href="{page.name}.html">{escape(page.title)}</a>' for page in pages)
    written = []
    for page in pages:
        path = target / f"{page.name}.html"
        body = to_html(page.text)
        path.write_text(
            PAGE.format(title=escape(page.title), links=links, body=body), encoding="utf-8"
        )
        written.append(path)
    style = (folder / "style.css").read_text(encoding="utf-8")
    (target / "style.css").write_text(style + FORMATTER.get_style_defs("pre"), encoding="utf-8")
    if (folder / "images").is_dir():
        copytree(folder / "images", target / "images")
    return written


if __name__ == "__main__":
    for built in build(HERE, Path(sys.argv[1] if len(sys.argv) > 1 else "site")):
        sys.stdout.write(f"{built}\n")
