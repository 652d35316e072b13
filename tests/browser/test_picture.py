"""The picture of a game: what is saved, read back, looks like what the page shows."""

from __future__ import annotations

import base64

import cv2
import numpy as np
import pytest

from tests.browser.chromium import wait_until
from tests.browser.conftest import DESKTOP
from tests.browser.test_page import GAMES
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

WIDE_PX = 1600
ANOTHER_COLOUR = 48
"""Further apart in one channel: not the same colour, nor an edge that is smoothed otherwise."""
AT_EDGES = 0.004
"""Share of a picture that smoothed edges may take."""


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return the share of a picture in which two of them differ."""
    differ = cv2.absdiff(one, other).max(axis=2)
    return float((differ > ANOTHER_COLOUR).mean())


def pixels(png: bytes) -> np.ndarray:
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture)


def shown(page) -> np.ndarray:
    """Return the drawing as the page shows it, laid over everything else and as wide as saved."""
    high = page.js(
        "(() => { const svg = document.querySelector('.board svg'), box = svg.viewBox.baseVal;"
        "svg.style = 'position: fixed; inset: 0; z-index: 9; max-height: none; height: auto;"
        f"background: var(--felt); width: {WIDE_PX}px';"
        f"return Math.round({WIDE_PX} * box.height / box.width); }})()"
    )
    page.js("document.getAnimations().forEach((one) => one.finish())")
    page.ask(
        "Emulation.setDeviceMetricsOverride",
        width=WIDE_PX,
        height=high,
        deviceScaleFactor=1,
        mobile=False,
    )
    return pixels(base64.b64decode(page.ask("Page.captureScreenshot", format="png")["data"]))


def saved(page, folder) -> np.ndarray:
    """Return the picture that the page saves of the game."""
    page.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    page.click("section.card button", "Picture")
    file = wait_until(lambda: next(folder.glob("*.png"), None) if folder.exists() else None)
    return pixels(file.read_bytes())


@pytest.mark.parametrize(("game", "dark"), [*((g, False) for g in GAMES), ("sssnake", True)])
def test_saved_picture_is_the_drawing_as_the_page_shows_it(served, tmp_path, game, dark):
    record = playthrough(GAMES[game])
    served.begin(record)
    served.play(record)
    page = served.open(f"/games/{served.desk.match.key}", DESKTOP, dark=dark)
    tiles = len(served.guest().get("/api/state")["tiles"])
    page.wait(f"document.querySelectorAll('.board .tap').length === {tiles}")

    seen, got = shown(page), saved(page, tmp_path / "got")

    assert got.shape == seen.shape
    assert apart(got, seen) < AT_EDGES
