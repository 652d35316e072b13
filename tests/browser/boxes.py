"""What is wrong with how a page lies: texts over each other, cut off, or off the side."""

from __future__ import annotations

from pathlib import Path

from tests.browser.chromium import Page

FAULTS = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").rstrip().rstrip(";")


def faults(page: Page, width: int) -> list[str]:
    """Return in words what lies wrongly on a page as wide as this."""
    return list(page.js(f"({FAULTS})({width})"))
