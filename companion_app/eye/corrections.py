"""Corrections kept as labelled pictures, from which ``teach`` can learn later.

Each box has one file of labels in the format of ``teach``, with the pictures beside it. All of it
stays on this device and can be deleted.
"""

from __future__ import annotations

import json
from cmath import phase
from collections.abc import Iterable, Mapping, Sequence
from math import pi
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion_app.eye.desk import Desk, Feeder
from companion_app.labelled import LabelledPictures
from companion_app.live.match import Match
from companion_app.live.places import Point, Spot, spots_of, tiles_of
from companion_app.refusal import Refusal
from companion_app.whole_file import write_whole
from engine.game import Json
from engine.given import is_whole
from engine.hexpath import free_shape, path_shape
from engine.placement import Placement
from engine.setfile import built_in_names
from engine.tiles import TileSet
from vision import Frame

Doc = dict[str, Any]
MOST_KEPT = 500
"""Most pictures per box; the oldest are deleted. At about 20 KB each that is 10 MB."""
MOST_BOARDS_KEPT = 24
"""Most pictures of whole boards per box; at about 400 KB each that is 10 MB."""
MARGIN = 0.5
"""Margin kept around a tile, in its widths: readers need the neighbours."""
QUALITY = 92


class Corrections(LabelledPictures):
    """The folder of labelled pictures, with write access; only the desk's thread writes it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)

    def keep(
        self, box: str, bgr: NDArray[np.uint8], *labels: Mapping[str, Json], most: int | None = None
    ) -> str:
        """Save one picture with its labels, delete the oldest beyond ``most``; return its name."""
        done, packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if not done:
            raise ValueError(f"a picture of {bgr.shape} cannot be packed")
        photos = self._photos(box)
        name = f"{box}-{_number(max(photos, default='-0')) + 1:06d}.jpg"
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            (self._folder / name).write_bytes(packed.tobytes())
            photos[name] = [dict(label) for label in labels]
            for old in sorted(photos)[: max(0, len(photos) - (most or MOST_KEPT))]:
                self._drop(photos, old)
            self._write(box, photos)
        except OSError:
            # Without a label nobody would ever delete it.
            (self._folder / name).unlink(missing_ok=True)
            raise
        return name

    def forget(self, name: str | None = None) -> int:
        """Delete one picture, or all; return how many there were."""
        gone = 0
        for box in self._boxes():
            photos = self._photos(box)
            leave = [one for one in photos if name in (None, one)]
            for old in leave:
                self._drop(photos, old)
            if leave:
                # On a full disk, deleting the pictures has freed the space that this needs.
                self._write(box, photos)
            gone += len(leave)
        return gone

    def _drop(self, photos: dict[str, list[Doc]], name: str) -> None:
        del photos[name]
        (self._folder / name).unlink(missing_ok=True)

    def _write(self, box: str, photos: Mapping[str, list[Doc]]) -> None:
        file = self._folder / f"{box}.json"
        if not photos:
            file.unlink(missing_ok=True)
            return
        said = {"set": box, "photos": photos}
        write_whole(file, json.dumps(said, ensure_ascii=False, indent=1))


def _number(name: str) -> int:
    digits = name.rpartition("-")[2].partition(".")[0]
    return int(digits) if digits.isdigit() else 0


def cut_out(
    frame: Frame, outlines_px: Iterable[Sequence[Point]]
) -> tuple[NDArray[np.uint8], list[list[float]]] | None:
    """Return the part of a picture around a tile, and the tile's outline in it."""
    points = np.array([point for outline in outlines_px for point in outline], np.float32)
    if len(points) < 3:
        return None
    hull = cv2.convexHull(points).reshape(-1, 2)
    low, high = hull.min(axis=0), hull.max(axis=0)
    around = MARGIN * float((high - low).max())
    height, width = frame.bgr.shape[:2]
    left, top = (int(max(0, value - around)) for value in low)
    right, bottom = int(min(width, high[0] + around)), int(min(height, high[1] + around))
    if right - left < 8 or bottom - top < 8:
        return None
    inside = hull - np.array([left, top], np.float32)
    return frame.bgr[top:bottom, left:right], [[round(float(v), 1) for v in p] for p in inside]


def keep_correction(kept: Corrections, feeder: Feeder, match: Match, spots: Iterable[Spot]) -> None:
    """Save pictures of tiles that people have just named, if a camera sees them."""
    loop = feeder.loop
    # A hand may be over the table in the newest frame.
    frame = loop.looked if loop is not None else None
    if loop is None or frame is None:
        return
    if is_taught_board(match.box):
        _keep_board(kept, frame, match)
        return
    wanted = set(spots)
    for one in tiles_of(match.layout):
        places = spots_of(one)
        if wanted.isdisjoint(places):
            continue
        seen = [loop.outlines_px[place] for place in places if place in loop.outlines_px]
        part = cut_out(frame, seen)
        if part is None:
            continue
        label: Doc = {"tile": one.tile, "outline": part[1]}
        if isinstance(one, Placement):
            turned = turns_in_picture(places[0], loop.outlines_px)
            if turned is None:
                continue
            label["turns"] = (one.turns + turned) % 4
        kept.keep(match.box.name, part[0], label)


def turns_in_picture(spot: Spot, outlines_px: Mapping[Spot, Sequence[Point]]) -> int | None:
    """Return the quarter turns, clockwise, of a square game in the picture.

    Args:
        spot: where a tile is seen.
        outlines_px: all tiles that are seen; ``None`` is returned if no other is of its field.
    """
    number, x, y = spot
    own = complex(*np.mean(outlines_px[spot], axis=0))
    steps = [
        (complex(*np.mean(outline, axis=0)) - own) / complex(other[1] - x, other[2] - y)
        for other, outline in outlines_px.items()
        if other[0] == number and other != spot
    ]
    return round(phase(sum(steps)) / (pi / 2)) % 4 if steps else None


def is_taught_board(box: TileSet) -> bool:
    """Say whether a box may have a taught board; such a board is learnt as a whole."""
    boards = "board" in box.extras and "clay" not in box.extras
    return boards and box.name not in built_in_names()


def _keep_board(kept: Corrections, frame: Frame, match: Match) -> None:
    """Save the whole picture with all that lies on the board: it is learnt as a whole."""
    labels: list[Doc] = [
        {"tile": one.tile, "cells": [list(cell) for cell in one.cells]}
        for one in sorted(match.layout.pieces)
    ]
    if labels:
        kept.keep(match.box.name, frame.bgr, *labels, most=MOST_BOARDS_KEPT)


# --- what people say ---------------------------------------------------------------------------


def named_by_cells(match: Match, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return a correction with its tile named; a hex tile is identified by its cells' shape.

    Raises:
        Refusal: no tile of the box has that shape.
    """
    move = sent.get("move")
    if match.box.lattice != "hex" or not isinstance(move, dict) or "tile" in move:
        return dict(sent)
    cells = move.get("cells")
    if not isinstance(cells, list) or not all(
        isinstance(cell, list) and len(cell) == 2 and all(map(is_whole, cell)) for cell in cells
    ):
        raise Refusal("cells is a list of [q, r]")
    shape = free_shape([(cell[0], cell[1]) for cell in cells]) if cells else ()
    for kind in match.box.kinds.values():
        if kind.path is not None and path_shape(kind.path) == shape:
            return {**sent, "move": {**move, "tile": kind.name.partition("/")[2]}}
    raise Refusal(code="no-such-shape")


def spots_named(desk: Desk, sent: Mapping[str, Any]) -> list[Spot]:
    """Return the spot whose tile an answer is about to name; empty for other messages."""
    referee = desk.referee
    if referee is None:
        return []
    number = sent.get("answer")
    asking = referee.state.questions.get(number) if isinstance(number, int) else None
    if asking is None or asking.about != "tile" or sent.get("value") in (None, "none"):
        return []
    return [asking.spot] if asking.spot is not None else []


def keep_named(kept: Corrections, desk: Desk, sent: Mapping[str, Any], spots: list[Spot]) -> None:
    """Save pictures of the tiles that a correction or an answer has just named."""
    match = desk.match
    if match is None:
        return
    number = sent.get("correct")
    if isinstance(number, int) and 1 <= number <= len(match.accepted):
        move = match.accepted[number - 1].move
        spots = [(p[0], p[1], p[2]) for p in match.cells_of(move)]
    if spots:
        keep_correction(kept, desk.feeder, match, spots)
