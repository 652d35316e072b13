"""Makes the pictures of README and guide anew: ``make pictures``, into ``docs/pictures``.

Each picture shows the real thing: the page in a browser, a photo that is read, a sheet that is
printed, the demo table at play. The manifest beside them keeps what each was made from, and
``tests/test_pictures.py`` compares. ``--only foul`` makes some of them.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import pypdfium2
from PIL import Image

from companion_app.cli.main import main as snake_eye
from companion_app.eye.camera import TableCamera
from companion_app.eye.recorded import Script, settled_on, shipped_script
from companion_app.live.demo import DemoTable, demo_record
from companion_app.live.places import Belief, contents
from companion_app.web.lessons.photo_reading import read_photo
from engine.games import GAMES
from engine.record import find_set, record_to_json
from models.sheets import make_sheets
from tests.browser.chromium import Browser, Page
from tests.browser.conftest import PHONE, TV, Served
from tests.browser.demo_film import filmed
from tests.browser.kept_pictures import FOLDER, ROOT, hash_of, keep, kept, words_in
from tests.browser.test_teach import give_file
from tests.companion_app.web.conftest import playthrough, ten_tiles_of
from vision import Bgr

LANGUAGES = ("en", "de")
NAMES = {"blue": "Anna", "red": "Ben", "green": "Cleo", "yellow": "Dan", "violet": "Eva"}
WIDEST_PX, MIDDLING_PX = 1280, 900
QUALITY = 78
PAPER_GAP_PX = 30
WORKING_S = 240.0
"""So long a photo may be worked on by a busy machine."""
TABLE = "tests/examples/table.jpg"
STATIC = ("companion_app/static", "companion_app/hall/web/static")
PAGE = ("companion_app/static/style.css", "companion_app/templates")
ART = ("engine/draw", "engine/sets")
HALL_PAGE = ("companion_app/hall/web/templates",)
HALL = (1280, 700)
LEAST_MOVES = 6


class Studio:
    """A browser and a folder to work in; every picture gets a desk of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._browser = Browser(folder / "browser", watched=True)
        self._desks: list[Served] = []
        self._hall: tuple[subprocess.Popen[str], str] | None = None

    def hall(self, path: str, size: tuple[int, int], language: str) -> Page:
        """Open a page of a hall whose demo tables are in the middle of their games."""
        if self._hall is None:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "companion_app.cli",
                    "hall",
                    "--demo",
                    "8",
                    "--json",
                    "--host",
                    "127.0.0.1",
                ],
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env={**os.environ, "SNAKE_EYE_HOME": str(self.folder / "hall")},
            )
            assert process.stdout is not None
            self._hall = process, json.loads(process.stdout.readline())["url"]
        url = self._hall[1]
        page = self._browser.page(*size)
        page.ask("Network.setCookie", name="language", value=language, url=url)
        page.go(url.rstrip("/") + path)
        page.wait(
            f"fetch('/api/hall').then((r) => r.json()).then((said) => said.tables.length === 8"
            f" && said.tables.every((one) => one.moves >= {LEAST_MOVES} || one.over))",
            WORKING_S,
        )
        return page

    def desk(self) -> Served:
        """Return a fresh desk that is served; the one before it is closed."""
        self._clear()
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        self._desks.append(Served(folder, self._browser))
        return self._desks[0]

    def seen(self, language: str) -> tuple[str, ...]:
        """Return the scripts and sentences of the page that was opened last; forget the page."""
        page, self._browser.newest = self._browser.newest, None
        if page is None:
            return ()
        names = {Path(urlsplit(url).path).name for url in page.scripts_that_ran()}
        scripts = {f"{folder}/{name}" for folder in STATIC for name in names}
        text = str(page.js("document.body.innerText"))
        words = words_in(text, f"companion_app/locales/{language}.json")
        return (*sorted(one for one in scripts if (ROOT / one).is_file()), *sorted(words))

    def close(self) -> None:
        """End the browser."""
        self._clear()
        if self._hall is not None:
            self._hall[0].terminate()
            self._hall[0].wait(WORKING_S)
        self._browser.close()

    def _clear(self) -> None:
        while self._desks:
            self._desks.pop().close()


Make = Callable[[Studio, str, Path], None]
"""Makes one picture: where, in which language, into which file."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of the documents."""

    name: str
    make: Make
    sources: tuple[str, ...]
    """Files and folders that are seen in it: when one changes, the picture is old. Scripts and
    sentences of the page are noted when it is taken."""
    spoken: bool = False
    """Whether words are seen in it: there is then one in each language."""

    def files(self) -> Mapping[str, tuple[str, tuple[str, ...]]]:
        """Return its files, each with the language and what it is made from."""
        if not self.spoken:
            return {f"{self.name}.webp": ("en", self.sources)}
        return {f"{self.name}.{code}.webp": (code, self.sources) for code in LANGUAGES}


# --- The page -----------------------------------------------------------------------------------


def foul(studio: Studio, language: str, file: Path) -> None:
    """Take the page on a phone that calls a foul."""
    served, script = studio.desk(), _script()
    before, laid = script.fouls[0]
    served.begin(script.record, NAMES)
    served.play(script.record, before)
    served.lay(laid)
    page = served.open("/", PHONE, host=True, language=language)
    page.wait("document.querySelector('.foul .crop')")
    _shot(page, file)


def television(studio: Studio, language: str, file: Path) -> None:
    """Take the view for the television."""
    served, record = studio.desk(), playthrough("snekagon5g_five_players")
    served.begin(record, NAMES)
    served.play(record, 30)
    page = served.open("/tv", TV, language=language)
    _quiet(page)
    _keep(page.picture(), file)


def hall(studio: Studio, language: str, file: Path) -> None:
    """Take a hall of tables at play."""
    page = studio.hall("/", HALL, language)
    _quiet(page)
    _keep(page.picture(), file)


def question(studio: Studio, language: str, file: Path) -> None:
    """Take a question: the camera is not sure of a tile."""
    served, script = studio.desk(), _script()
    served.begin(script.record, NAMES)
    served.play(script.record, 6)
    _doubt_next(served, script)
    page = served.open("/", PHONE, host=True, language=language)
    page.wait("document.querySelector('.question .pictured img')?.complete")
    _shot(page, file)


def camera(studio: Studio, language: str, file: Path) -> None:
    """Take the wizard's look through a camera that hangs too far to the left."""
    served = studio.desk()
    hung = served.look_through(TableCamera(served.desk, "phone", studio.folder))
    seen = cv2.imencode(".jpg", _ten_tiles()[:, :760])[1]
    hung.inbox.push(seen.tobytes(), still=True)
    page = served.open("/new", PHONE, host=True, language=language)
    page.wait("document.querySelector('.spot')", WORKING_S)
    page.wait("document.querySelector('.viewfinder .camera').naturalWidth > 100")
    _shot(page, file)
    hung.release()


def photo(studio: Studio, language: str, file: Path) -> None:
    """Take a photo that was scored."""
    served = studio.desk()
    served.companion.read_photo = read_photo
    page = served.open("/photo", PHONE, language=language)
    page.wait("document.querySelector('select option')")
    give_file(page, "#photo-kept", ROOT / TABLE)
    page.wait("document.querySelector('.photo-scores')", WORKING_S)
    page.js("scrollBy(0, document.querySelector('.photo-seen').getBoundingClientRect().top - 70)")
    _shot(page, file)


def teach(studio: Studio, language: str, file: Path) -> None:
    """Take the lesson: tiles found in a photo and grouped by likeness."""
    served = studio.desk()
    served.use_sets(studio.folder / "sets")
    own = studio.folder / "own.png"
    cv2.imwrite(str(own), _ten_tiles())
    page = served.open("/teach", PHONE, host=True, language=language)
    page.wait("document.querySelector('#teach-photo')")
    give_file(page, "#teach-photo", own)
    page.wait("document.querySelectorAll('.teach-group').length > 1", WORKING_S)
    page.js("document.querySelector('.teach-group').scrollIntoView({block: 'center'})")
    _shot(page, file)


# --- The table ----------------------------------------------------------------------------------


def drawn(play: str, moves: int) -> Make:
    """Return what draws the table of a written game after so many moves."""

    def make(studio: Studio, language: str, file: Path) -> None:
        del language
        record = playthrough(play)
        written, out = studio.folder / f"{play}.json", studio.folder / f"{play}.png"
        document = record_to_json(replace(record, moves=record.moves[:moves]))
        written.write_text(json.dumps(document), encoding="utf-8")
        _run("draw", str(written), "--out", str(out))
        _keep(Image.open(out), file, MIDDLING_PX)

    return make


def table_read(studio: Studio, language: str, file: Path) -> None:
    """Read the example photo and draw what was seen over it."""
    del language
    out = studio.folder / "read.png"
    _run("read", str(ROOT / TABLE), "--game", "schlangennest", "--out", str(out))
    _keep(Image.open(out), file)


def tiles(studio: Studio, language: str, file: Path) -> None:
    """Print a game; show two of its sheets beside each other."""
    del language
    left, right = _sheets(studio)
    both = Image.new("RGB", (left.width + right.width + PAPER_GAP_PX, left.height), "#8a8578")
    both.paste(left, (0, 0))
    both.paste(right, (left.width + PAPER_GAP_PX, 0))
    _keep(both, file)


def demo(studio: Studio, language: str, file: Path) -> None:
    """Film the demo."""
    del language
    filmed(studio.desk(), NAMES, file)


PICTURES = (
    Picture("foul", foul, (*PAGE, *ART), spoken=True),
    Picture("question", question, (*PAGE, *ART), spoken=True),
    Picture("television", television, (*PAGE, *ART), spoken=True),
    Picture("hall", hall, (*PAGE, *ART, *HALL_PAGE), spoken=True),
    Picture("camera", camera, (*PAGE, *ART, "models/art"), spoken=True),
    Picture("photo", photo, (*PAGE, *ART, TABLE), spoken=True),
    Picture("teach", teach, (*PAGE, *ART, "models/art"), spoken=True),
    Picture("schlangennest", drawn("schlangennest_four_players", 40), ART),
    Picture("snekagon", drawn("snekagon_tie", 12), ART),
    Picture("snekagon5g", drawn("snekagon5g_five_players", 30), ART),
    Picture("sssnake", drawn("sssnake_evening", 40), ART),
    Picture("carnival", drawn("carnival_evening", 60), ART),
    Picture(
        "table-read",
        table_read,
        (*ART, TABLE, "companion_app/cli/seen_picture.py", "companion_app/outlining.py"),
    ),
    Picture("tiles", tiles, (*ART, "models/art", "models/sheets")),
    Picture("demo", demo, (*PAGE, *ART, "models/art")),
)

NAMES_IN_ORDER = tuple(name for picture in PICTURES for name in picture.files())


def main() -> None:
    """Make them all, or those that are asked for, and write down what they were made from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="those whose name begins so, such as foul")
    wanted = parser.parse_args().only
    FOLDER.mkdir(parents=True, exist_ok=True)
    known = dict(kept())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        studio = Studio(Path(folder))
        for picture in (one for one in PICTURES if one.name.startswith(wanted)):
            for name, (language, sources) in picture.files().items():
                picture.make(studio, language, FOLDER / name)
                made_of = [*sources, *studio.seen(language)]
                known[name] = {"from": made_of, "hash": hash_of(made_of)}
                keep({made: known[made] for made in NAMES_IN_ORDER if made in known})
        studio.close()


def _script() -> Script:
    script = shipped_script("schlangennest")
    assert script is not None
    return script


def _doubt_next(served: Served, script: Script) -> None:
    """Let the camera see the next tile of a game without being sure which one it is."""
    referee = served.desk.referee
    assert referee is not None
    match = referee.match
    after = match.game.layout(match.game.apply(match.position, script.record.moves[6]))
    place = next(spot for spot in contents(after) if spot not in contents(match.layout))
    right = contents(after)[place]
    other = (right[0].replace("curve", "straight").replace("tail", "head"), right[1])
    doubt = Belief(((right, 0.55), (other, 0.4)), sure=False)
    settled = settled_on(after)
    sure = {spot: seen for spot, seen in settled.sure.items() if spot != place}
    look = replace(settled, sure=sure, doubts={place: doubt})
    served.desk.do(referee.state.touch)
    for second in range(4):
        served.desk.do(partial(referee.look, look, 100.0 + second))


def _ten_tiles() -> Bgr:
    record = demo_record("schlangennest")
    table = DemoTable("schlangennest", ten_tiles_of(record.tile_set), record.start.players)
    frame = next(iter(table.frames()))
    assert frame is not None
    return frame.bgr


def _sheets(studio: Studio) -> tuple[Image.Image, Image.Image]:
    """Return the last two fronts: curves, heads and tails. Each has its back behind it."""
    folder = studio.folder / "sheets"
    folder.mkdir()
    make_sheets(find_set(GAMES["schlangennest"], None), folder, "a4", None)
    with pypdfium2.PdfDocument(folder / "tiles.pdf") as pdf:
        fronts = (len(pdf) - 4, len(pdf) - 2)
        left, right = (pdf[page].render(scale=1.0).to_pil() for page in fronts)
    return left, right


def _run(*arguments: str) -> None:
    """Run a command of ``snake-eye``, whose answer nobody reads here."""
    with redirect_stdout(io.StringIO()):
        status = snake_eye(arguments)
    assert status == 0, arguments


def _quiet(page: Page) -> None:
    page.wait("!document.querySelector('main .loading')")
    page.wait("!document.querySelector('.board') || document.querySelector('.board svg')")
    page.wait("[...document.images].every((one) => one.complete || !one.checkVisibility())")
    page.wait("document.getAnimations().length === 0")


def _shot(page: Page, file: Path) -> None:
    """Take a phone's screen, as finely as phones show it."""
    _quiet(page)
    page.sized(*PHONE, scale=2)
    _quiet(page)
    _keep(page.picture(), file)


def _keep(picture: Image.Image, file: Path, longest_px: int = WIDEST_PX) -> None:
    whole = picture.convert("RGB")
    whole.thumbnail((longest_px, longest_px), Image.Resampling.LANCZOS)
    whole.save(file, quality=QUALITY, method=6)


if __name__ == "__main__":
    main()
