"""Reads what owners say: which tile lies where in photographs, and which tile of a game it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import RecordError
from engine.given import hides, load_json
from engine.lattice import Cell
from engine.tiles import TileSet
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples, folds_of
from vision import Points, Shape
from vision.core.types import BACK

UNKNOWN = "unknown"
"""Label of a stranger: the box learns not to mistake it for one of its tiles."""
LARGEST_FILE, LARGEST_MAP = 20 << 20, 1 << 20
LONGEST_NAME = 80
HEX_CORNERS = 6
PLACES = ("at", "cell", "cells", "centre", "outline")
FARTHEST_CELL = 10_000


@dataclass(frozen=True, eq=False)
class Label:
    """One tile in one photograph, as its owner labels it."""

    tile: str
    cell: Cell | None = None
    """Where a tile of one cell lies."""
    centre_px: Points | None = None
    outline_px: Points | None = None
    turns: int | None = None
    """Clockwise turns from the kind's own up; ``None`` if the owner gives none."""
    cells: tuple[Cell, ...] = ()
    """All cells of a hex tile, where the label names them."""

    @property
    def is_large(self) -> bool:
        """Whether it covers several cells, as far as the label says."""
        corners = 0 if self.outline_px is None else len(self.outline_px)
        return len(self.cells) > 1 or corners > HEX_CORNERS

    @property
    def place_px(self) -> Points | None:
        """Position of its middle, if the label gives one."""
        return self.centre_px if self.outline_px is None else self.outline_px.mean(axis=0)


@dataclass(frozen=True)
class Labels:
    """All labelled photographs, by file name, in the order of the file."""

    photos: Mapping[str, tuple[Label, ...]]
    bare: frozenset[str] = frozenset()
    """Photographs with an empty list of labels: of a bare board."""

    def refuse_large(self) -> None:
        """Refuse tiles of several cells.

        Raises:
            TeachingError: names the first, and says where such can be taught.
        """
        for file, labels in self.photos.items():
            for label in labels:
                if label.is_large:
                    raise TeachingError(
                        f"{file}: {label.tile} covers several cells; only tiles of one cell can be "
                        "taught, but for games that are played on a board: name yours with --game"
                    )


def read_labels(path: Path, shape: Shape) -> Labels:
    """Return the labels in a file.

    Raises:
        TeachingError: the file does not match the interface; says where and what.
    """
    return parse_labels(document(path), shape, path.name)


def corrections_in(path: Path, set_name: str, shape: Shape) -> Labels | None:
    """Return the labels in a file of corrections, or nothing where it is about another box.

    Raises:
        TeachingError: the file does not match the interface; says where and what.
    """
    data = document(path)
    if not isinstance(data, dict) or data.get("set") != set_name:
        return None
    return parse_labels(data, shape, path.name)


def document(path: Path, largest: int = LARGEST_FILE) -> Any:
    """Return the content of an owner's JSON file.

    Raises:
        TeachingError: it is no JSON file, or larger than ``largest`` bytes.
    """
    name = path.name
    try:
        if path.stat().st_size > largest:
            raise TeachingError(f"{name} is larger than {largest >> 20} MB; that is too large")
        return load_json(path.read_bytes(), largest=largest)
    except OSError as error:
        raise TeachingError(f"{name} cannot be read: {error.strerror or error}") from None
    except RecordError as error:
        raise TeachingError(f"{name} is no JSON file: {error}") from None


def parse_labels(data: Any, shape: Shape, name: str = "labels") -> Labels:
    """Return the labels that a JSON document holds."""
    photos = data.get("photos") if isinstance(data, dict) else None
    if not isinstance(photos, dict) or not photos:
        raise TeachingError(
            f'{name} needs "photos": each file name with a list of its tiles, '
            '{"photos": {"one.jpg": [{"tile": "fox", "at": [0, 0]}]}}'
        )
    bare = frozenset(file for file, entries in photos.items() if entries == [])
    return Labels(
        {
            file: tuple(_labels_of(entries, shape, f"{name}, {file}"))
            for file, entries in photos.items()
        },
        bare,
    )


def _labels_of(entries: Any, shape: Shape, where: str) -> list[Label]:
    if not isinstance(entries, list):
        raise TeachingError(f"{where}: must be a list of tiles")
    out = []
    for number, entry in enumerate(entries):
        place = f"{where}, tile {number + 1}"
        if not isinstance(entry, dict):
            raise TeachingError(f'{place}: must be like {{"tile": "fox", "at": [0, 0]}}')
        tile = entry.get("tile")
        if not isinstance(tile, str) or not 0 < len(tile) <= LONGEST_NAME or hides(tile):
            raise TeachingError(f'{place}: "tile" must be the name of a kind')
        if tile != UNKNOWN or any(key in entry for key in PLACES):
            out.append(_label(tile, entry, shape, place))
    return out


def _label(tile: str, entry: Mapping[str, Any], shape: Shape, place: str) -> Label:
    if not any(key in entry for key in PLACES):
        raise TeachingError(
            f"{place}: does not say where {tile} lies; give at, cell, centre or outline"
        )
    cell = None
    for key in ("at", "cell"):
        if key in entry:
            cell = _cell(entry[key], f'{place}: "{key}"')
    cells = _cells(tile, entry, shape, place) if "cells" in entry else ()
    if cell is None and len(cells) == 1:
        cell = cells[0]
    centre = _points([entry["centre"]], f'{place}: "centre"')[0] if "centre" in entry else None
    outline, turns = _outline(entry, shape, place), _turns(entry, shape, place)
    return Label(tile, cell, centre, outline, turns, cells or ((cell,) if cell else ()))


def _cells(tile: str, entry: Mapping[str, Any], shape: Shape, place: str) -> tuple[Cell, ...]:
    cells = entry["cells"]
    if not isinstance(cells, list) or not cells:
        raise TeachingError(f'{place}: "cells" must be a list of cells like [[0, 0]]')
    if len(cells) > 1 and shape == "square":
        raise TeachingError(
            f"{place}: {tile} covers several cells; only tiles of one cell can be taught"
        )
    return tuple(_cell(cell, f'{place}: "cells"') for cell in cells)


def _cell(value: Any, place: str) -> Cell:
    if (
        not isinstance(value, list)
        or len(value) != 2
        or any(type(n) is not int or abs(n) > FARTHEST_CELL for n in value)
    ):
        raise TeachingError(f"{place} must be two whole numbers like [0, 1]")
    return value[0], value[1]


def _outline(entry: Mapping[str, Any], shape: Shape, place: str) -> Points | None:
    if "outline" not in entry:
        return None
    points = _points(entry["outline"], f'{place}: "outline"')
    wanted = 4 if shape == "square" else HEX_CORNERS
    if len(points) < wanted or (shape == "square" and len(points) > wanted):
        raise TeachingError(
            f'{place}: "outline" must have the {wanted} corners of a {shape}, not {len(points)}'
        )
    x, y = points.T
    area = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
    if abs(area) < 1:
        raise TeachingError(f'{place}: "outline" encloses nothing')
    # Clockwise as seen, which is a positive area because y points down.
    return points if area > 0 else np.concatenate([points[:1], points[:0:-1]])


def _points(value: Any, place: str) -> Points:
    good = isinstance(value, list) and all(
        isinstance(p, list)
        and len(p) == 2
        and all(isinstance(n, int | float) and not isinstance(n, bool) for n in p)
        for p in value
    )
    points = np.array(value, float).reshape(-1, 2) if good else np.zeros((0, 2))
    if not len(points) or not np.isfinite(points).all():
        raise TeachingError(f"{place} must be pixels like [120.5, 64]")
    return points


def _turns(entry: Mapping[str, Any], shape: Shape, place: str) -> int | None:
    turns = entry.get("turns")
    if turns is None:
        return None
    folds = folds_of(shape)
    if type(turns) is not int or not 0 <= turns < folds:
        raise TeachingError(f'{place}: "turns" must be a whole number from 0 to {folds - 1}')
    return turns


# --- Names of a game's tiles ---


@dataclass(frozen=True, eq=False)
class Mapped:
    """Examples under the names of a box."""

    examples: Examples
    tile_set: TileSet


def read_mapping(path: Path) -> dict[str, tuple[str, int]]:
    """Return a map from kinds to a game's tiles and turns.

    Raises:
        TeachingError: the file is not ``{"kind": ["blue/curve", 0], …}``.
    """
    data = document(path, LARGEST_MAP)
    if not isinstance(data, dict) or not all(_is_pair(value) for value in data.values()):
        raise TeachingError(
            f'{path.name} must map each kind to a tile and its turns, {{"fox": ["blue/curve", 0]}}'
        )
    return {kind: (value[0], value[1]) for kind, value in data.items()}


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and type(value[1]) is int
        and 0 <= value[1] < 6
    )


def mapping_for(
    examples: Examples, box: TileSet, mapping: Mapping[str, tuple[str, int]] | None, shape: Shape
) -> Mapped:
    """Return the examples named and turned as the box's tiles.

    Raises:
        TeachingError: a kind has no tile in the game, or the game is played on another lattice.
    """
    if box.lattice != shape:
        raise TeachingError(f"{box.game} is played with {box.lattice} tiles, not with {shape} ones")
    large = sorted(kind.name for kind in box.kinds.values() if len(kind.cells) > 1)
    known = {
        **{name: (name, 0) for name in (*box.kinds, BACK)},
        **(mapping or {}),
        UNKNOWN: (UNKNOWN, 0),
    }
    folds = folds_of(shape)
    tiles, turns = [], []
    for tile, turn in zip(examples.tiles, examples.turns, strict=True):
        name, more = known.get(tile, ("", 0))
        if name not in box and name not in (BACK, UNKNOWN):
            what = f"is mapped to {name}, which" if name else "has no place in the map and"
            raise TeachingError(
                f"{tile} {what} is no tile of {box.game}; its tiles are {', '.join(box.kinds)}",
                code="teach-not-of-game",
                about=tile,
            )
        if name in large:
            raise TeachingError(
                f"{tile} is {name}, which covers several cells; only tiles of one can be taught"
            )
        tiles.append(name)
        turns.append((max(int(turn), 0) + more) % folds)
    named = Examples(examples.patches, tuple(tiles), np.array(turns), examples.photos)
    return Mapped(named, box)
