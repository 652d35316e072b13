"""Opens everything that opens on a view of the page, and looks at it as wide as people have it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.browser.boxes import faults
from tests.browser.chromium import Page

SCREENS = ((1440, 900), (360, 740))
"""The page changes its form between them, and nowhere between a narrow phone and a wide one."""
IN_ALL_WORDS = (("de", SCREENS), ("ru", SCREENS[-1:]))
"""The languages with the longest words, and the screens on which each is looked at."""
TOOLS = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
MOST_INSIDE = 12
"""What is opened inside a sheet: the first so many, on the narrowest screen."""


def prepare(page: Page) -> None:
    """Let a page, from its next address on, ask for everything and change nothing."""
    page.ask("Page.addScriptToEvaluateOnNewDocument", source=TOOLS)


def swept(page: Page, path: str, screens: Sequence[tuple[int, int]] = SCREENS) -> Iterator[str]:
    """Yield what lies wrongly on a view, with what was opened and how wide the screen was."""
    page.sized(*screens[-1])
    page.js(f"sweep.stand({json.dumps(path)})")
    if page.js("sweep.isEmpty()"):
        yield f"{path}: nothing is shown"
    yield from _looked(page, path, screens)
    for key in page.js("sweep.openable()"):
        page.js(f"sweep.standAgain({json.dumps(path)})")
        if not page.js(f"sweep.press({json.dumps(key)})"):
            continue
        yield from _looked(page, f"{path} > {key}", screens)
        if page.js("!document.querySelector('dialog[open]')"):
            continue
        for inner in page.js("sweep.openable()")[:MOST_INSIDE]:
            if not page.js("document.querySelector('dialog[open]')"):
                page.js(f"sweep.standAgain({json.dumps(path)})")
                page.js(f"sweep.press({json.dumps(key)})")
            pressed = page.js(f"sweep.press({json.dumps(inner)})")
            if pressed and page.js("!!document.querySelector('dialog[open]')"):
                yield from _looked(page, f"{path} > {key} > {inner}", screens[-1:])


def _looked(page: Page, what: str, screens: Sequence[tuple[int, int]]) -> Iterator[str]:
    for width, height in screens:
        if len(screens) > 1:
            page.sized(width, height)
            page.js("sweep.frame()")
        yield from (f"{what} at {width}: {fault}" for fault in faults(page, width))
