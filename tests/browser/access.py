"""What would keep people from using a page: the faults that axe finds, and targets too small."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.browser.chromium import Page

OF_COLOURS = "runOnly: ['color-contrast', 'link-in-text-block']"
"""The rules that may be kept in the light and broken in the dark."""


def axe_faults(page: Page, only: str = "") -> list[list[str]]:
    """Return what axe finds on a page, in the colours that it has now."""
    # Half faded in, any colour is too pale.
    page.wait("document.getAnimations().length === 0")
    if not page.js("'axe' in window"):
        page.js(_axe() + "; 1")
    # No rule that is asked for needs the style sheets a second time.
    found = page.js(
        f"axe.run(document, {{resultTypes: ['violations'], preload: false, {only}}})"
        ".then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes[0].html]))"
    )
    return list(found)


def faults(page: Page) -> list[object]:
    """Return what is wrong with a page: in the light, in the dark, and for fingers."""
    in_the_light = axe_faults(page)
    page.coloured(dark=True)
    in_the_dark = axe_faults(page, OF_COLOURS)
    page.coloured(dark=False)
    return [*in_the_light, *in_the_dark, *too_small(page)]


def too_small(page: Page) -> list[object]:
    """Return what is to be touched and smaller than a finger."""
    found = page.js(
        "[...document.querySelectorAll('button, select, a, input:not(.file), summary')]"
        ".filter((e) => e.getClientRects().length && !e.closest('.quiet-for-eyes, .skip, p') && "
        "!e.matches('.skip, .file, [type=checkbox]'))"
        ".map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])"
        ".map(([what, box]) => [what, Math.round(Math.min(box.width, box.height))])"
        ".filter(([, least]) => least < 44)"
    )
    return list(found)


@cache
def _axe() -> str:
    axe = pytest.importorskip("axe_core_python", reason="axe-core-python brings axe.min.js")
    return (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
