"""The guide for players and owners: Markdown of ``docs``, as chapters that the page shows.

``companion_app/guide`` is a link to ``docs``, so that checkout, wheel and release have one text.
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
CHAPTERS = (CONTENTS, "first-evening", "printing", "camera", "light", "games", "unsure",
            "own-boxes", "phone", "club-night", "trouble")  # fmt: skip
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
        NotFound: there is none of this name or in this language.
    """
    if language not in LANGUAGES or name not in CHAPTERS:
        raise NotFound
    # Few open the guide, and a page must start at once.
    from markdown_it import MarkdownIt

    text = (_folder() / language / f"{name}.md").read_text(encoding="utf-8")
    # The text is our own: the places that the page links to are anchors in it.
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    title = text.partition("\n")[0].removeprefix("# ")
    return Chapter(name, title, _for_the_page(html))


def picture(name: str) -> bytes:
    """Return a picture of the guide. Names come from a list, so no other file can be reached.

    Raises:
        NotFound: there is no such picture.
    """
    known = {file.name: file for file in (_folder() / "pictures").iterdir()}
    if name not in known:
        raise NotFound
    return known[name].read_bytes()


def _for_the_page(html: str) -> str:
    """Return a chapter with its places on the headings, and without styles, which the page bans."""
    html = re.sub(r'<(h\d)><a id="([\w-]+)"></a>', r'<\1 id="\2">', html)
    html = html.replace(' style="text-align:right"', ' class="number"')
    return html.replace("<table>", '<table tabindex="0">')


def _folder() -> Traversable:
    return files("companion_app") / "guide"
