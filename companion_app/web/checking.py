"""Whether the camera's picture will do, and what to change, with the place marked.

One reading is shared by all phones that ask: a picture is judged once, and not more often than
a person can act on it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from calibration.moved import movement_since
from calibration.profile import Profile
from engine.tiles import TileSet
from vision import Bgr, Frame, ReadRequest, TableState

EVERY_S = 1.5
"""A picture is not judged more often than that."""
FOR_AN_EVENING = frozenset({"dark", "blur"})
"""One picture may be read surely in spite of these; who sets a camera up had better mend them."""
Box = tuple[float, float, float, float]
"""Left, top, width and height as shares of the picture."""


@dataclass(frozen=True)
class Check:
    """What is to be said about a picture."""

    size_px: tuple[int, int]
    ok: bool
    tiles: int
    advice: tuple[tuple[str, Box | None], ...] = ()
    """What is wrong, each with its place; ``None`` for the whole picture."""


class Checker:
    """Judges the newest picture, at most once in a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: tuple[float, object, Check] | None = None

    def check(self, frame: Frame, box: TileSet | None, profile: Profile | None) -> Check:
        """Return what is to be said about a frame, or about one shortly before it."""
        asked = box.name if box is not None else None, frame.bgr.shape
        with self._lock:
            last = self._last
            if last is not None and last[1] == asked and self._clock() - last[0] < EVERY_S:
                return last[2]
            check = _checked(frame, box, profile)
            self._last = self._clock(), asked, check
        return check


def _checked(frame: Frame, box: TileSet | None, profile: Profile | None) -> Check:
    state = _read(frame.bgr, box)
    width, height = state.size_px
    advice: list[tuple[str, Box | None]] = []
    for one in state.quality.advice:
        place = None
        if one.box is not None:
            left, top, wide, high = one.box
            place = (left / width, top / height, wide / width, high / height)
        advice.append((one.what, place))
    if profile is not None and _hangs_differently(profile, frame.bgr):
        advice.append(("moved", None))
    ready = state.quality.ok and not any(what in FOR_AN_EVENING for what, _ in advice)
    return Check(state.size_px, ready, len(state.tiles) + len(state.unsure), tuple(advice))


def _read(bgr: Bgr, box: TileSet | None) -> TableState:
    """Read a picture as a box, or as whatever shape of tile it shows more of."""
    from vision import read_table

    if box is not None:
        return read_table(bgr, ReadRequest(box.lattice, box))
    found = [read_table(bgr, ReadRequest(shape)) for shape in ("square", "hex")]
    return max(found, key=lambda state: len(state.tiles))


def _hangs_differently(profile: Profile, bgr: Any) -> bool:
    across, down = bgr.shape[1] / profile.size_px[0], bgr.shape[0] / profile.size_px[1]
    if abs(across / down - 1) > 0.01:
        return True
    return movement_since(profile, bgr).verdict == "moved"
