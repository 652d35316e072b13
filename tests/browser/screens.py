"""Takes pictures of every view, to be looked at: ``make look``, into ``build/look``.

Phone upright and on its side, tablet, desktop, television; by day and by night; all languages;
letters twice as large; and of what people do there. ``--only foul`` takes one stage alone,
``--only doings`` what is done.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from companion_app.eye.camera import TableCamera
from companion_app.eye.recorded import shipped_script
from companion_app.live.demo import DemoTable
from companion_app.web.lessons.photo_reading import read_photo
from tests.browser.chromium import Browser, Page
from tests.browser.conftest import DESKTOP, LYING, PHONE, TV, Served
from tests.browser.test_evening import Phone
from tests.browser.test_teach import give_file
from tests.companion_app.web.conftest import playthrough

VIEWS = ("/", "/new", "/games", "/settings", "/join", "/photo", "/rules", "/teach", "/checkup")
TALLEST_PX = 2600
LONG_S = 120.0
AN_HOUR_S = 3600.0
"""Later, nobody has sent too many photos."""
PICTURES_ARE_THERE = (
    "[...document.images].every((one) => one.complete || !one.checkVisibility()"
    " || (one.loading === 'lazy' && one.getBoundingClientRect().top > innerHeight))"
)
NAMES = {"blue": "Anna-Katharina von Hohenstein", "red": "Bo"}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to look at the page."""

    name: str
    size: tuple[int, int]
    language: str
    dark: bool = False
    letters: int = 100
    """In per cent of the usual size."""
    host: bool = True


WAYS = (
    Way("phone", PHONE, "en"),
    Way("phone-dark", PHONE, "cs", dark=True),
    Way("phone-guest", PHONE, "fr", host=False),
    Way("phone-200", PHONE, "de", letters=200),
    Way("phone-200-dark", PHONE, "ru", True, 200),
    Way("lying", LYING, "ru"),
    Way("lying-dark", LYING, "de", dark=True),
    Way("tablet", (820, 1180), "cs"),
    Way("desktop", DESKTOP, "en"),
    Way("desktop-dark", DESKTOP, "fr", dark=True),
    Way("desktop-200", DESKTOP, "de", letters=200),
    Way("tv", TV, "en", host=False),
    Way("tv-dark", TV, "ru", dark=True, host=False),
)


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
    parade = playthrough("carnival_two_players")
    served.begin(parade)
    served.play(parade, 12)
    yield "carnival", ("/", "/tv")
    rolls = playthrough("sssnake_evening")
    served.begin(rolls)
    served.play(rolls, 9)
    yield "question", ("/", "/tv")


class Doings:
    """What people do on a page, and what they then see."""

    def __init__(self, served: Served, folder: Path) -> None:
        self._served = served
        self._photo, self._bare = folder / "table.jpg", folder / "bare.png"
        script = shipped_script("schlangennest")
        assert script is not None
        served.begin(script.record, NAMES)
        served.play(script.record, 9)
        assert served.desk.match is not None
        layout = script.record.game.layout(served.desk.match.position)
        table = DemoTable("schlangennest", layout, script.record.start.players, size_px=(960, 540))
        frame = next(iter(table.frames()))
        assert frame is not None
        cv2.imwrite(str(self._photo), frame.bgr)
        cv2.imwrite(str(self._bare), np.full((300, 400, 3), 200, np.uint8))
        served.desk.feeder = Phone()
        served.look_through(TableCamera(served.desk, "phone", folder))

    def all(self) -> Iterator[tuple[str, str, Callable[[Page], None]]]:
        """Yield what each is called, the view it begins on, and how it is done."""
        yield "scored", "/photo", self._scored
        yield "marking", "/teach", self._marking
        yield "backup", "/settings", lambda page: page.click("#backups")
        yield "print", "/", self._print
        yield (
            "camera",
            "/camera",
            lambda page: page.wait("document.querySelector('.phone-table img')?.naturalWidth > 0"),
        )
        yield "tile", "/", self._tile
        yield (
            "hints",
            "/",
            lambda page: page.js("document.querySelector('.tools [aria-pressed]')?.click()"),
        )

    def _scored(self, page: Page) -> None:
        page.wait("document.querySelector('select option')")
        give_file(page, "#photo-file", self._photo)
        page.wait("document.querySelector('.photo-scores')", LONG_S)

    def _marking(self, page: Page) -> None:
        page.wait("document.querySelector('#teach-photo')")
        give_file(page, "#teach-photo", self._bare)
        page.click(".teach-marks .primary")
        page.wait("document.querySelector('.mark-photo img')?.naturalWidth > 0", LONG_S)

    def _print(self, page: Page) -> None:
        page.js(
            "import('/static/print.js').then(({ showPrints }) => fetch('/api/games')"
            ".then((answer) => answer.json()).then(({ games }) => showPrints("
            "games.find((one) => one.game === 'snekagon'), 'snekagon')))"
        )
        page.wait("document.querySelector('[data-part=instructions] button')")

    def _tile(self, page: Page) -> None:
        page.wait("document.querySelector('.board .tap')")
        page.js(
            "document.querySelector('.board .tap')"
            ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        page.wait("document.querySelector('dialog[open]')")


def taken(page: Page, size: tuple[int, int], file: Path) -> None:
    """Take a picture of what is seen first, and of the whole page where it reaches further down."""
    page.wait("!document.querySelector('main .loading')")
    page.wait("!document.querySelector('.board') || document.querySelector('.board svg')")
    page.wait(PICTURES_ARE_THERE)
    page.wait("document.getAnimations().length === 0")
    page.shot(file)
    high = min(TALLEST_PX, page.js("document.documentElement.scrollHeight"))
    if high > size[1] + 40:
        page.sized(size[0], high)
        page.wait(PICTURES_ARE_THERE)
        page.wait("document.getAnimations().length === 0")
        page.shot(file.with_stem(file.stem + "-whole"))
        page.sized(*size)


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="a stage, such as foul")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        browser = Browser(Path(home, "browser"))
        served = Served(Path(home), browser)
        served.companion.read_photo = read_photo
        pages = {way: _opened(served, way) for way in WAYS}
        for stage, views in stages(served):
            if arguments.only in ("", stage):
                for way, page in pages.items():
                    wanted = [view for view in views if (view == "/tv") == (way.size == TV)]
                    for view in wanted:
                        page.go(served.url + view)
                        taken(page, way.size, arguments.folder / _name(stage, view, way))
        if arguments.only in ("", "doings"):
            doings = Doings(served, Path(home))
            for name, view, do in doings.all():
                for way, page in pages.items():
                    if way.host and way.size != TV:
                        served.time_s += AN_HOUR_S
                        page.go(served.url + view)
                        do(page)
                        taken(page, way.size, arguments.folder / f"doing-{name}-{way.name}.png")
                        page.errors.clear()
        served.close()
        browser.close()


def _opened(served: Served, way: Way) -> Page:
    page = served.open("/", way.size, way.dark, host=way.host, language=way.language)
    page.letters(way.letters)
    return page


def _name(stage: str, view: str, way: Way) -> str:
    name = "replay" if view.startswith("/games/") else view.strip("/") or "table"
    return f"{stage}-{name}-{way.name}.png"


if __name__ == "__main__":
    main()
