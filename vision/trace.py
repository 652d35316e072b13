"""Writes down how a table was read: every stage as a picture and a line.

Each stage writes one picture of its output, named by number and stage: ``03-faint.jpg``. Outlines
that a stage did not get as its input are drawn thick. ``trace.txt`` has one line per stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np

from vision.classify.reading import CellGuess, CellReading
from vision.core.stages import watched_by
from vision.core.tables import TableState
from vision.core.types import LIKELIER, TOLD, Bgr, Detection, Detections, Guess, Points
from vision.hexes.plane import HexBoard
from vision.layout.cards import CardGroup, Field, SeenCard
from vision.layout.reconstruct import Reconstruction

LINES = "trace.txt"
LONG_PX = 1600
"""Longest side of the written pictures, in pixels; larger ones are scaled down."""
COLOURS = ((0, 0, 230), (0, 160, 255), (60, 200, 60))
"""Line colours (BGR) for confidences below ``LIKELIER``, below ``TOLD``, and from ``TOLD`` on."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """One outline to draw, with its confidence and label."""

    outline_px: Points
    confidence: float = 1.0
    label: str = ""

    @property
    def key(self) -> tuple[tuple[int, ...], str]:
        """Identity of the outline across stages: its rounded corners and its label."""
        return tuple(np.round(self.outline_px).astype(int).ravel().tolist()), self.label


@dataclass
class Trace:
    """Watches a reading and writes a picture and a line for each of its stages."""

    folder: Path
    _bgr: Bgr | None = None
    _lines: list[str] = field(default_factory=list)
    _since: float = field(default_factory=perf_counter)

    def leaves_out(self, stage: str) -> bool:
        """Return ``False``: a trace runs every stage."""
        del stage
        return False

    def saw(self, stage: str, made: object, given: object) -> None:
        """Write the line and the picture of one stage."""
        took_ms = 1000 * (perf_counter() - self._since)
        if isinstance(made, np.ndarray):
            self._bgr = made
            made = ()
        now, before = list(drawn_of(made)), list(drawn_of(given))
        number = len(self._lines) + 1
        known = {one.key for one in before} if given is not None else {one.key for one in now}
        self._lines.append(
            f"{number:02d} {stage}: {_in_words(now, before, given)}, {took_ms:.0f} ms"
        )
        (self.folder / LINES).write_text("\n".join(self._lines) + "\n", "utf-8")
        if self._bgr is not None:
            name = f"{number:02d}-{stage.replace(': ', '-').replace(' ', '-')}.jpg"
            cv2.imwrite(str(self.folder / name), _picture(self._bgr, now, known))
        self._since = perf_counter()


@contextmanager
def traced(folder: Path) -> Iterator[None]:
    """Trace every table that is read inside the ``with`` block, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with watched_by(Trace(folder)):
        yield


def _in_words(now: Sequence[Drawn], before: Sequence[Drawn], given: object) -> str:
    """Return the number of outlines, and how many a stage added and removed."""
    counted = f"{len(now)} outlines"
    if given is None:
        return counted
    new, old = {one.key for one in now}, {one.key for one in before}
    changes = [f"+{len(new - old)}" if new - old else "", f"-{len(old - new)}" if old - new else ""]
    return f"{counted} ({' '.join(filter(None, changes)) or 'as before'})"


def _picture(bgr: Bgr, shown: Sequence[Drawn], known: set[tuple[tuple[int, ...], str]]) -> Bgr:
    scale = min(1.0, LONG_PX / max(bgr.shape[:2]))
    drawn = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    for one in shown:
        points = np.round(np.asarray(one.outline_px) * scale).astype(np.int32)
        colour = COLOURS[(one.confidence >= LIKELIER) + (one.confidence >= TOLD)]
        cv2.polylines(drawn, [points], True, colour, 1 if one.key in known else 3)
        if one.label:
            x, y = points.mean(axis=0).astype(int).tolist()
            at = (x - 4 * len(one.label), y)
            cv2.putText(drawn, one.label, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 3)
            cv2.putText(drawn, one.label, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (255, 255, 255), 1)
    return np.asarray(drawn, np.uint8)


def drawn_of(made: object) -> Iterator[Drawn]:
    """Yield the outlines in a stage's output; nothing for a type without outlines."""
    match made:
        case (Detections(found=found), [*said]) if len(found) == len(said):
            for one, read in zip(found, said, strict=True):
                assert isinstance(read, CellReading)
                yield Drawn(one.corners_px, read.best, _label(next(iter(read.guesses), None)))
        case tuple() | list():
            yield from chain.from_iterable(map(drawn_of, made))
        case (
            Detections(found=inner)
            | CardGroup(cards=inner)
            | Field(group=inner)
            | Reconstruction(laid=inner)
        ):
            yield from drawn_of(inner)
        case Detection():
            yield Drawn(made.corners_px, made.confidence)
        case SeenCard():
            yield Drawn(made.outline_px, made.confidence, _label(made.best))
        case HexBoard():
            yield Drawn(made.outline(), 1.0 - min(1.0, made.unsteady))
        case TableState():
            for entry in (*made.tiles, *made.unsure, *made.aside):
                sure = float(entry["confidence"])
                label = f"{entry['tile']} {sure:.2f}"
                yield Drawn(np.asarray(entry["outline"], float), sure, label)


def _label(best: Guess | CellGuess | None) -> str:
    return "" if best is None else f"{best.tile} {best.confidence:.2f}"
