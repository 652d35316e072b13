"""Compares a reading of a table with its truth, tile by tile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.lattice import Cell
from engine.tiles import TileSet
from vision import TableState
from vision.layout.cards import turned_cell

Entry = Mapping[str, Any]
Array = npt.NDArray[Any]

LEAST_VISIBLE = 0.6
"""Tiles that are seen less need not be found, and may be."""
SMALLEST_PX = 24.0
NEAR = 0.5
"""An entry is about a tile when their middles are nearer than that, in widths of the tile."""


@dataclass(frozen=True)
class TableScore:
    """What was right and wrong about one table."""

    tiles: int
    wrong: int
    missed: int
    invented: int
    unsure: int
    good: bool
    """Whether the picture was called good enough."""
    small: bool
    """Whether tiles are below 24 pixels."""
    sure: int
    """Tiles that were read for sure."""
    sure_wrong: int
    """Of these, such as are something else or nothing at all."""
    mistakes: tuple[str, ...]
    confidences: tuple[tuple[float, bool], ...]
    """Of each matched tile, how sure it was and whether it was right."""
    beside: int = 0
    """Cards that are seen beside the layout."""
    beside_sure: int = 0
    """Of these, such as are claimed to be in play."""
    beside_unsure: int = 0
    """Of these, such as are asked about."""
    beside_confidences: tuple[tuple[float, bool], ...] = ()
    """Of each card that is said to lie beside, how sure it is and whether it does."""

    @property
    def exact(self) -> bool:
        """Whether everything is right."""
        return not (self.wrong or self.missed or self.invented)


def score_table(truth: Mapping[str, Any], state: TableState, tile_set: TileSet) -> TableScore:
    """Return how a reading compares with the truth of a table of square cards."""
    entries = [*state.tiles, *state.unsure]
    pairs, extra = _matched(truth["tiles"], entries)
    moves = _moves(truth["tiles"], entries, pairs, tile_set)
    mistakes, confidences = [], []
    wrong = sure_wrong = missed = 0
    for number, tile in enumerate(truth["tiles"]):
        if number not in pairs:
            if tile["visible"] >= LEAST_VISIBLE:
                missed += 1
                mistakes.append(f"missed {tile['tile']} at {tile['at']}")
            continue
        said = entries[pairs[number]]
        right = _is_right(tile, said, moves, tile_set)
        if tile["visible"] < LEAST_VISIBLE:
            continue
        confidences.append((float(said["confidence"]), right))
        if not right:
            wrong += 1
            sure_wrong += pairs[number] < len(state.tiles)
            mistakes.append(
                f"{tile['tile']}@{tile['turns']} at {tile['at']} read as {said['tile']}"
                f"@{said['turns']} at {said['at']} ({said['confidence']:.3f})"
            )
    sure_wrong += sum(i < len(state.tiles) for i in extra)
    mistakes += [f"invented {entries[i]['tile']} ({entries[i]['confidence']:.3f})" for i in extra]
    widths = [_width(np.array(t["outline"]), t, tile_set) for t in truth["tiles"]]
    return TableScore(
        sum(t["visible"] >= LEAST_VISIBLE for t in truth["tiles"]), wrong, missed, len(extra),
        len(state.unsure), state.quality.ok, min(widths, default=SMALLEST_PX) < SMALLEST_PX,
        len(state.tiles), sure_wrong, tuple(mistakes), tuple(confidences),
        *_beside(truth["aside"], state, [entries[i] for i in extra]),
    )  # fmt: skip


def _beside(
    aside: Sequence[Entry], state: TableState, extra: Sequence[Entry]
) -> tuple[int, int, int, tuple[tuple[float, bool], ...]]:
    """Return what is counted about cards beside a layout, in the score's order.

    Args:
        aside: such cards, in truth.
        state: the reading.
        extra: what it has in play where nothing is.
    """
    claimed = [extra[i] for i in _matched(aside, extra)[0].values()]
    sure = sum(any(one is tile for tile in state.tiles) for one in claimed)
    said = {i: aside[n] for n, i in _matched(aside, state.aside)[0].items()}
    confidences = tuple(
        (float(entry["confidence"]), i in said and said[i]["tile"] == entry["tile"])
        for i, entry in enumerate(state.aside)
    )
    seen = sum(card["visible"] >= LEAST_VISIBLE for card in aside)
    return seen, sure, len(claimed) - sure, confidences


def _width(outline: Array, tile: Entry, tile_set: TileSet) -> float:
    x, y = outline[:, 0], outline[:, 1]
    area = abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
    return float(np.sqrt(area / len(tile_set[tile["tile"]].cells)))


def _matched(truth: Sequence[Entry], entries: Sequence[Entry]) -> tuple[dict[int, int], list[int]]:
    """Return for each true tile the entry about it, and the entries about nothing."""
    if not truth or not entries:
        return {}, list(range(len(entries)))
    true = np.array([np.mean(t["outline"], axis=0) for t in truth])
    width = np.array([np.sqrt(abs(_area(np.array(t["outline"])))) for t in truth])
    said = np.array([np.mean(e["outline"], axis=0) for e in entries])
    apart = np.linalg.norm(true[:, None] - said[None], axis=2) / width[:, None]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for flat in np.argsort(apart, axis=None):
        i, j = divmod(int(flat), len(entries))
        if apart[i, j] >= NEAR:
            break
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs, [j for j in range(len(entries)) if j not in taken]


def _area(outline: Array) -> float:
    x, y = outline[:, 0], outline[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


Move = tuple[int, Cell]
"""A turn and a shift from the reading's lattice to the truth's."""


def _moves(
    truth: Sequence[Entry], entries: Sequence[Entry], pairs: Mapping[int, int], tile_set: TileSet
) -> dict[Any, Move]:
    """Return for each field how its lattice was counted: freely, unless a house or big card."""
    votes: dict[Any, Counter[Move]] = {}
    for number, entry in pairs.items():
        tile, said = truth[number], entries[entry]
        for turn in range(4):
            x, y = turned_cell((said["at"][0], said["at"][1]), turn)
            shift = (tile["at"][0] - x, tile["at"][1] - y)
            fits = _turned(said, turn, tile_set) == tile["turns"] and said["tile"] == tile["tile"]
            votes.setdefault(tile.get("field"), Counter())[(turn, shift)] += 1 + fits
    moves = {name: counter.most_common(1)[0][0] for name, counter in votes.items()}
    for number, entry in pairs.items():
        # One that is not seen gives no origin: any count is then right.
        tile = truth[number]
        seen = entries[entry]["tile"] == tile["tile"]
        if seen and tile_set[tile["tile"]].role in ("house", "big"):
            moves[tile.get("field")] = (0, (0, 0))
    return moves


def _turned(said: Entry, turn: int, tile_set: TileSet) -> int:
    period = tile_set[said["tile"]].period if said["tile"] in tile_set else 4
    return int(said["turns"] + turn) % period


def _is_right(tile: Entry, said: Entry, moves: Mapping[Any, Move], tile_set: TileSet) -> bool:
    turn, shift = moves[tile.get("field")]
    x, y = turned_cell((said["at"][0], said["at"][1]), turn)
    return (
        said["tile"] == tile["tile"] and _turned(said, turn, tile_set) == tile["turns"]
        and [x + shift[0], y + shift[1]] == list(tile["at"])
        and said.get("field") == tile.get("field")
    )  # fmt: skip
