"""The guide for players and owners: Markdown files of ``docs``, rendered as HTML for the page.

``companion_app/guide`` is a symbolic link to ``docs``, so checkout, wheel and release share it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from companion_app.web.serving.errors import NotFound

CONTENTS = "README"
"""The chapter that lists the others."""
CHAPTERS = (
    CONTENTS,
    "first-evening",
    "printing",
    "camera",
    "light",
    "games",
    "unsure",
    "own-boxes",
    "phone",
    "club-night",
    "trouble",
    "cannot",
)
LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True)
class Chapter:
    """One page of the guide."""

    name: str
    title: str
    html: str


@cache
def chapter(language: str, name: str) -> Chapter:
    """Return a chapter.

    Raises:
        NotFound: there is no chapter of this name in this language.
    """
    if language not in LANGUAGES or name not in CHAPTERS:
        raise NotFound
    return _read(_folder() / language / f"{name}.md", name)


def _read(file: Traversable, name: str) -> Chapter:
    # Imported here to keep the page's start fast: few guests open the guide.
    from markdown_it import MarkdownIt

    text = file.read_text(encoding="utf-8")
    # Raw HTML is safe, since the text is our own; it is needed for the anchors.
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    title = text.partition("\n")[0].removeprefix("# ")
    return Chapter(name, title, _for_the_page(html))


@cache
def rulings() -> Chapter:
    """Return how the referee reads the printed rules, in English; headings and rulings have ids."""
    return _read(files("engine") / "RULINGS.md", "rulings")


def picture(name: str) -> bytes:
    """Return a picture of the guide; only names listed in the folder match, so no path escapes it.

    Raises:
        NotFound: there is no such picture.
    """
    known = {file.name: file for file in (_folder() / "pictures").iterdir()}
    if name not in known:
        raise NotFound
    return known[name].read_bytes()


def _for_the_page(html: str) -> str:
    """Return HTML with ids on the headings and without inline styles, which the CSP forbids."""
    html = re.sub(r'<(h\d)><a id="([\w-]+)"></a>', r'<\1 id="\2">', html)
    html = html.replace(' style="text-align:right"', ' class="number"')
    return html.replace("<table>", '<table tabindex="0">')


def _folder() -> Traversable:
    return files("companion_app") / "guide"
