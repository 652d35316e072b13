"""The PNG that ``draw`` writes is the picture that a browser makes of the SVG."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion_app.cli.main import main

pytestmark = pytest.mark.browser
PLAYTHROUGHS = Path(__file__).parent.parent / "playthroughs"
GAMES = (
    "schlangennest_four_players",
    "snekagon_tie",
    "snekagon5g_advanced",
    "sssnake_evening",
    "carnival_evening",
)
WIDTH = 800


@pytest.mark.parametrize("name", GAMES)
def test_png_shows_what_the_svg_shows(browser, tmp_path, name):
    data = json.loads((PLAYTHROUGHS / f"{name}.json").read_text("utf-8"))
    record = tmp_path / "record.json"
    record.write_text(json.dumps(data.get("games", [data])[0]["record"]), encoding="utf-8")
    for ending in ("svg", "png"):
        assert main(["draw", str(record), "--out", str(tmp_path / f"drawn.{ending}")]) == 0
    png = cv2.imread(str(tmp_path / "drawn.png"))
    assert png is not None
    height = round(WIDTH * png.shape[0] / png.shape[1])
    html = tmp_path / "drawn.html"
    html.write_text(
        '<meta name="viewport" content="width=device-width"><style>body { margin: 0 }</style>'
        f'<img src="drawn.svg" style="width: {WIDTH}px; '
        f'height: {height}px">',
        encoding="utf-8",
    )
    page = browser.page(WIDTH, height)
    page.go(html.as_uri())
    page.shot(tmp_path / "seen.png")
    page.close()
    seen = cv2.imread(str(tmp_path / "seen.png"))
    assert seen is not None
    ours = cv2.resize(png, (WIDTH, height), interpolation=cv2.INTER_AREA)

    # Edges may fall a pixel apart; a shape that is missing or of another colour may not.
    soft = [cv2.GaussianBlur(one, (0, 0), 4).astype(int) for one in (ours, seen)]
    apart = np.abs(soft[0] - soft[1]).max(axis=2)
    assert np.ptp(soft[0]) > 100
    assert apart.max() < 60
    assert apart.mean() < 4
