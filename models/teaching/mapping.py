"""Maps an owner's names of kinds to the tiles of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.tiles import TileSet
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples, folds_of
from models.teaching.labels import UNKNOWN, document
from vision import Shape
from vision.core.types import BACK

LARGEST_FILE = 1 << 20


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
    data = document(path, LARGEST_FILE)
    if not isinstance(data, dict) or not all(_is_pair(value) for value in data.values()):
        raise TeachingError(
            f'{path.name} must map each kind to a tile and its turns, {{"fox": ["blue/curve", 0]}}'
        )
    return {kind: (value[0], value[1]) for kind, value in data.items()}


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)
        and type(value[1]) is int and 0 <= value[1] < 6
    )  # fmt: skip


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
    known = {**{name: (name, 0) for name in (*box.kinds, BACK)}, **(mapping or {}),
             UNKNOWN: (UNKNOWN, 0)}  # fmt: skip
    folds = folds_of(shape)
    tiles, turns = [], []
    for tile, turn in zip(examples.tiles, examples.turns, strict=True):
        name, more = known.get(tile, ("", 0))
        if name not in box and name not in (BACK, UNKNOWN):
            what = f"is mapped to {name}, which" if name else "has no place in the map and"
            raise TeachingError(
                f"{tile} {what} is no tile of {box.game}; its tiles are {', '.join(box.kinds)}",
                code="teach-not-of-game", about=tile,
            )  # fmt: skip
        if name in large:
            raise TeachingError(
                f"{tile} is {name}, which covers several cells; only tiles of one can be taught"
            )
        tiles.append(name)
        turns.append((max(int(turn), 0) + more) % folds)
    named = Examples(examples.patches, tuple(tiles), np.array(turns), examples.photos)
    return Mapped(named, box)
