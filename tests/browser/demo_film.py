"""Films the demo table: what its camera sees, and a phone beside it, past a foul that is lifted."""

from __future__ import annotations

import io
import time
from pathlib import Path

from PIL import Image

from companion_app.eye.watching import Watched
from companion_app.live.demo import DemoSource, Manners, demo_record
from companion_app.live.reading import make_reader
from tests.browser.chromium import Page
from tests.browser.conftest import PHONE, Served

SIZE_PX = (860, 484)
GAP_PX = 12
PAPER = "#f6f1e7"
QUALITY = 55
SHOWN_MS, FOUL_MS, END_MS = 450, 3000, 3500
MOST_SHOTS = 50
LONGEST_S = 300.0
"""So long the moves may take on a busy machine."""
SEED = 6
FOUL_BEFORE_MOVE, MOVES = 4, 6

Shot = tuple[Image.Image, int]
"""A picture, and how many milliseconds it is shown."""


def filmed(served: Served, names: dict[str, str], file: Path) -> None:
    """Play the first moves of a demo game and write them as an animated picture."""
    record = demo_record("schlangennest")
    manners = Manners(pace_s=0.4, foul_s=6.0, foul_at=(FOUL_BEFORE_MOVE,))
    source = DemoSource("schlangennest", SEED, 1.0, (960, 540), record=record, manners=manners)
    watched = Watched("demo", source, make_reader(record.game, record.tile_set))
    served.desk.begin(record, names, watched)
    page = served.open("/", PHONE)
    page.wait("document.querySelector('.board svg')")
    pictures, times = zip(*thinned(_shots(served, watched, page)), strict=True)
    pictures[0].save(
        file,
        save_all=True,
        append_images=pictures[1:],
        duration=list(times),
        loop=0,
        quality=QUALITY,
        method=3,
    )


def thinned(shots: list[Shot]) -> list[Shot]:
    """Return as many as a small file holds: those that stay long, and every nth of the others."""
    plain = [number for number, (_, shown_ms) in enumerate(shots) if shown_ms == SHOWN_MS]
    step = max(1, -(-len(plain) // MOST_SHOTS))
    left_out = set(plain) - set(plain[::step])
    return [shot for number, shot in enumerate(shots) if number not in left_out]


def _shots(served: Served, watched: Watched, page: Page) -> list[Shot]:
    """Return a picture whenever a hand moves or the page says something new."""
    shots: list[Shot] = []
    before: object = None
    ends_s = time.monotonic() + LONGEST_S
    while time.monotonic() < ends_s:
        jpeg = watched.picture()
        moves, foul = page.js(
            "[document.querySelectorAll('.move-list li').length,"
            " !!document.querySelector('.foul .crop')]"
        )
        new = (moves, foul) != before
        if jpeg is not None and (new or served.desk.seeing == "hand"):
            ends = moves >= MOVES
            lasts_ms = END_MS if ends else FOUL_MS if foul and new else SHOWN_MS
            shots.append((_side_by_side(jpeg, page.picture()), lasts_ms))
            if ends:
                return shots
        before = (moves, foul)
    raise TimeoutError(f"{MOVES} moves were not made in {LONGEST_S:g} s")


def _side_by_side(jpeg: bytes, phone: Image.Image) -> Image.Image:
    wide, high = SIZE_PX
    phone = phone.resize((round(phone.width * high / phone.height), high), Image.Resampling.LANCZOS)
    room = wide - phone.width - GAP_PX
    table = Image.open(io.BytesIO(jpeg)).convert("RGB")
    scale = max(room / table.width, high / table.height)
    table = table.resize((round(table.width * scale), round(table.height * scale)))
    left, top = (table.width - room) // 2, (table.height - high) // 2
    both = Image.new("RGB", SIZE_PX, PAPER)
    both.paste(table.crop((left, top, left + room, top + high)), (0, 0))
    both.paste(phone, (room + GAP_PX, 0))
    return both
