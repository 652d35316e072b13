"""Takes pictures of every view, to be looked at: ``python -m tests.browser.screens FOLDER``.

Phone, tablet and television, by day and by night; with ``--language de`` in another language.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from companion_app.eye.recorded import shipped_script
from tests.browser.chromium import Browser, Page
from tests.browser.conftest import DESKTOP, PHONE, TV, Served
from tests.companion_app.web.conftest import playthrough

SIZES = {"phone": PHONE, "tablet": (820, 1180), "desktop": DESKTOP, "tv": TV}
VIEWS = ("/", "/new", "/games", "/settings", "/join", "/photo", "/rules", "/teach", "/checkup")
TALLEST_PX = 2600
NAMES = {"blue": "Anna-Katharina von Hohenstein", "red": "Bo"}


def stages(served: Served) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Set the table, again and again; yield what it is called and which views to look at."""
    script = shipped_script("schlangennest")
    assert script is not None
    yield "nothing", ("/", "/games", "/tv")
    number, foul = script.fouls[0]
    served.begin(script.record, NAMES)
    served.play(script.record, number)
    yield "playing", ("/", "/tv")
    served.lay(foul)
    yield "foul", ("/", "/tv")
    served.begin(script.record, NAMES)
    served.play(script.record)
    yield "over", (*VIEWS, "/tv", f"/games/{served.desk.match.key}")  # type: ignore[union-attr]
    five = playthrough("snekagon5g_five_players")
    served.begin(five, NAMES)
    served.play(five, 12)
    yield "five-players", ("/", "/tv")
    rolls = playthrough("sssnake_evening")
    served.begin(rolls)
    served.play(rolls, 9)
    yield "question", ("/", "/tv")


def taken(page: Page, size: tuple[int, int], file: Path) -> None:
    """Take a picture of a whole page, however far it reaches down."""
    high = min(TALLEST_PX, max(size[1], page.js("document.documentElement.scrollHeight")))
    page.ask("Emulation.setDeviceMetricsOverride", width=size[0], height=high,
             deviceScaleFactor=1, mobile=size[0] < 600)  # fmt: skip
    page.wait("[...document.images].every((one) => one.complete || !one.checkVisibility())")
    page.wait("document.getAnimations().length === 0")
    page.shot(file)


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="en")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        browser = Browser(Path(home, "browser"))
        served = Served(Path(home), browser)
        for stage, views in stages(served):
            for device, size in SIZES.items():
                for dark in (False, True):
                    wanted = [v for v in views if (v == "/tv") == (device == "tv")]
                    _photograph(served, arguments, stage, wanted, device, size, dark)
        served.close()
        browser.close()


def _photograph(
    served: Served, arguments: argparse.Namespace, stage: str, views: list[str], device: str,
    size: tuple[int, int], dark: bool,
) -> None:  # fmt: skip
    for view in views:
        page = served.open(f"/language/{arguments.language}", size, dark=dark)
        page.go(served.url + view)
        page.wait("document.querySelector('main').innerText.length > 20")
        light = "dark" if dark else "light"
        name = view.strip("/").split("/")[0] or "table"
        taken(page, size, arguments.folder / f"{stage}-{name}-{device}-{light}.png")
        page.close()
        served.pages.remove(page)


if __name__ == "__main__":
    main()
