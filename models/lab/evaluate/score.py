"""Compares a reading of a table with its truth: cards tile by tile, hex boards board by board.

On hex boards, tiles with a cell hidden by a hand, a thing or the picture's edge count separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.games import several_boards
from engine.lattice import Cell
from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.lab.scenes.settings import HEX_GAMES
from models.lab.scenes.world.arrays import Array, Json
from vision import TableState
from vision.core.lattice import turned_cell, turned_cells
from vision.core.types import width_of
from vision.hexes.cells import CELLS
from vision.hexes.cells import turned_cell as turned_hex
from vision.hexes.plane import plane_of

Entry = Mapping[str, Any]
HexTile = tuple[int, str, tuple[Cell, ...]]
"""Board, name and sorted cells."""

LEAST_VISIBLE = 0.6
"""Visible share of a tile below which it need not be found, but may be."""
SMALLEST_PX = 24.0
SAME_PLACE = 0.35
"""Largest distance between the middles of an outline and its tile, in widths."""
NEAR = 0.5
"""Largest distance between the middles of an entry and its tile, in widths of the tile."""


class Board(Protocol):
    """Where a hex board lies and what is hidden of it, drawn or rendered."""

    @property
    def hidden(self) -> Mapping[Cell, int]:
        """For each cell: 1 where little of it is visible, 0 where most is, else -1."""
        ...

    def px(self, plane: Any) -> Any:
        """Return the pixels of places on the board's plane, in units of cells."""
        ...


@dataclass(frozen=True)
class SeenBoard:
    """A hex board in a picture: its hidden cells, and the function that gives its pixels."""

    hidden: Mapping[Cell, int]
    px: Callable[[Any], Any]


@dataclass(frozen=True)
class Shown:
    """A picture of a table and what is known about it."""

    bgr: Any
    truth: Json
    """The table state as a perfect reader would give it."""
    boards: Sequence[Board] = ()
    """Boards of hex games, in their order round the ring."""
    spots: int | None = None
    """How many tiles have a spot of light, where some were put there."""


def row_of(shown: Shown, state: TableState, game: str) -> Json:
    """Return the row of one reading, with the same names for cards and for hexes."""
    if game in HEX_GAMES:
        cell_px = round(smallest_cell_px(shown), 1)
        row = {**compared(shown, state, game), "cell_px": cell_px, "small": cell_px < SMALLEST_PX}
    else:
        row = score_table(shown.truth, state, built_in_set(game))
    return {
        **row,
        "exact": row["exact"] and state.quality.ok,
        "good": state.quality.ok,
        "foul": bool(shown.truth["foul"]),
        "advice": sorted({advice.what for advice in state.quality.advice}),
        **({} if shown.spots is None else {"spots": shown.spots}),
    }


# --- Square cards ---


def score_table(truth: Mapping[str, Any], state: TableState, tile_set: TileSet) -> Json:
    """Return what is right and wrong about one reading of a table of square cards.

    ``confidences`` say of each matched tile how sure it was and whether it was right; ``beside``
    counts cards that are seen beside the layout, those of them that are claimed to be in play, and
    those that are asked about.
    """
    entries = [*state.tiles, *state.unsure]
    pairs, extra = _matched(truth["tiles"], entries)
    moves = _moves(truth["tiles"], entries, pairs, tile_set)
    mistakes, confidences = [], []
    wrong = sure_wrong = missed = 0
    for number, tile in enumerate(truth["tiles"]):
        if tile["visible"] < LEAST_VISIBLE:
            continue
        if number not in pairs:
            missed += 1
            mistakes.append(f"missed {tile['tile']} at {tile['at']}")
            continue
        said = entries[pairs[number]]
        right = _is_right(tile, said, moves, tile_set)
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
    widths = [
        width_of(np.array(t["outline"])) / np.sqrt(len(tile_set[t["tile"]].cells))
        for t in truth["tiles"]
    ]
    return {
        "tiles": sum(t["visible"] >= LEAST_VISIBLE for t in truth["tiles"]),
        "wrong": wrong,
        "missed": missed,
        "invented": len(extra),
        "bad": wrong + missed + len(extra),
        "exact": not (wrong or missed or extra),
        "unsure": len(state.unsure),
        "small": bool(min(widths, default=SMALLEST_PX) < SMALLEST_PX),
        "sure": len(state.tiles),
        "sure_wrong": sure_wrong,
        "mistakes": mistakes,
        "confidences": confidences,
        **_beside(truth["aside"], state, [entries[i] for i in extra]),
    }


def _beside(aside: Sequence[Entry], state: TableState, extra: Sequence[Entry]) -> Json:
    """Return the counts about cards beside a layout.

    Args:
        aside: the true cards beside the layout.
        state: the reading.
        extra: its entries in play where no tile is in play.
    """
    claimed = [extra[i] for i in _matched(aside, extra)[0].values()]
    sure = sum(any(one is tile for tile in state.tiles) for one in claimed)
    said = {i: aside[n] for n, i in _matched(aside, state.aside)[0].items()}
    confidences = [
        (float(entry["confidence"]), i in said and said[i]["tile"] == entry["tile"])
        for i, entry in enumerate(state.aside)
    ]
    seen = sum(card["visible"] >= LEAST_VISIBLE for card in aside)
    return {
        "beside": seen,
        "beside_sure": sure,
        "beside_unsure": len(claimed) - sure,
        "beside_confidences": confidences,
    }


def _matched(truth: Sequence[Entry], entries: Sequence[Entry]) -> tuple[dict[int, int], list[int]]:
    """Return for each true tile the entry about it, and the entries about no tile."""
    true, said = ([np.array(e["outline"]) for e in some] for some in (truth, entries))
    pairs = paired(true, said, [width_of(outline) for outline in true], NEAR)
    taken = set(pairs.values())
    return pairs, [j for j in range(len(entries)) if j not in taken]


def matched(truth: Sequence[Array], found: Sequence[Array]) -> dict[int, int]:
    """Return the found outline of each true cell, matched from the closest pair on."""
    return paired(truth, found, [width_of(outline) for outline in truth], SAME_PLACE)


def paired(
    truth: Sequence[Array], found: Sequence[Array], widths: Sequence[float], near: float
) -> dict[int, int]:
    """Return the found outline of each true one, matched greedily from the closest pair on.

    Args:
        truth: true outlines.
        found: found outlines.
        widths: widths of the true outlines.
        near: limit on the distance between the middles of a pair, in widths.
    """
    if not truth or not found:
        return {}
    middles, seen = (np.array([o.mean(axis=0) for o in some]) for some in (truth, found))
    apart = np.linalg.norm(middles[:, None] - seen[None], axis=2) / np.array(widths)[:, None]
    pairs: dict[int, int] = {}
    for flat in np.argsort(apart, axis=None):
        one, other = divmod(int(flat), len(found))
        if apart[one, other] >= near:
            break
        if one not in pairs and other not in pairs.values():
            pairs[one] = other
    return pairs


def best_fit(
    cells: Array, tiles: Sequence[str], truth: Mapping[Cell, str], folds: int
) -> tuple[int, int, list[Cell]]:
    """Return how many cells and kinds agree at the best shift and turn, and the cells there."""
    best: tuple[int, int, list[Cell]] = (0, 0, [(10**6, 0)] * len(cells))
    for turn in range(folds if len(cells) else 0):
        turned = turned_cells(cells, np.full(len(cells), turn), folds)
        gaps = (np.array(list(truth))[:, None] - turned[None]).reshape(-1, 2)
        for shift in np.unique(gaps, axis=0):
            moved = [(int(x), int(y)) for x, y in turned + shift]
            shared = sum(cell in truth for cell in moved)
            right = sum(truth.get(c) == t for c, t in zip(moved, tiles, strict=True))
            best = max(best, (shared, right, moved), key=lambda way: way[:2])
    return best


Move = tuple[int, Cell]
"""A turn and a shift from the reading's lattice to the truth's."""


def _moves(
    truth: Sequence[Entry], entries: Sequence[Entry], pairs: Mapping[int, int], tile_set: TileSet
) -> dict[Any, Move]:
    """Return the move of each field's lattice: any, unless a house or big card fixes it."""
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
        # Only a house or big card that is read right fixes the origin; else any count is right.
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
        said["tile"] == tile["tile"]
        and _turned(said, turn, tile_set) == tile["turns"]
        and [x + shift[0], y + shift[1]] == list(tile["at"])
        and said.get("field") == tile.get("field")
    )


# --- Hex boards ---


def compared(table: Shown, state: TableState, game: str) -> Json:
    """Return what is right and wrong about one reading of hex boards."""
    truth = {_hex_tile(entry) for entry in table.truth["tiles"]}
    entries = (*state.tiles, *state.unsure)
    said = [_hex_tile(entry) for entry in entries]
    place = _placed(table, state, truth, said, game)
    seen = {
        (number, *cell)
        for number, board in enumerate(table.boards)
        for cell in CELLS
        if board.hidden[cell] == 0
    }
    whole = {tile for tile in truth if all((tile[0], *c) in seen for c in tile[2])}
    unclear = {(t[0], *c) for t in truth - whole for c in t[2]}
    found = {
        _moved(tile, place): float(entry["confidence"])
        for tile, entry in zip(said, entries, strict=True)
    }
    sure = {_moved(tile, place) for tile in said[: len(state.tiles)]}
    judged = {
        t for t in found if all((t[0], *c) in seen and (t[0], *c) not in unclear for c in t[2])
    }
    missed, invented = whole - set(found), judged - whole
    clay, clay_wrong = _clay(table, state, place, seen)
    mistakes = [" ".join(map(str, tile)) for tile in sorted(missed | invented, key=str)]
    return {
        "cells": len(seen),
        "cells_wrong": _wrong_cells(truth, found, seen),
        "tiles": len(whole),
        "missed": len(missed),
        "invented": len(invented),
        "unsure": len(whole & set(found) - sure),
        "bad": len(missed) + len(_none_of(invented, missed)),
        "sure": len(judged & sure),
        "sure_wrong": len(invented & sure),
        "clay": clay,
        "clay_wrong": clay_wrong,
        "splits": len(state.splits),
        "exact": not missed and not invented and not clay_wrong,
        "hidden_tiles": len(truth - whole),
        "hidden_right": len((truth - whole) & set(found)),
        "mistakes": [*mistakes, *([f"{clay_wrong} of clay"] if clay_wrong else [])],
        "confidences": [(found[tile], tile in whole) for tile in sorted(judged)],
    }


def _none_of(tiles: Iterable[HexTile], others: Iterable[HexTile]) -> list[HexTile]:
    """Return the tiles that share no cell with others, so that a wrong tile counts once."""
    taken = {(tile[0], *cell) for tile in others for cell in tile[2]}
    return [tile for tile in tiles if not any((tile[0], *cell) in taken for cell in tile[2])]


def _hex_tile(entry: Any) -> HexTile:
    cells = tuple(sorted((q, r) for q, r in entry["cells"]))
    return (int(entry.get("board") or 0), str(entry["tile"]), cells)


def _placed(
    table: Shown, state: TableState, truth: set[HexTile], said: Sequence[HexTile], game: str
) -> tuple[dict[int, int], int]:
    """Return the true board of each read board, and the sixths of a turn between them."""
    if not several_boards(game):
        turns = range(6)
        same = [len({_moved(t, ({0: 0}, k)) for t in said} & truth) for k in turns]
        return {0: 0}, max(turns, key=lambda k: same[k])
    centres = np.concatenate([board.px(np.zeros((1, 2))) for board in table.boards])
    votes: dict[int, Counter[int]] = {}
    for entry in (*state.tiles, *state.unsure):
        middle = np.mean(entry["outline"], axis=0)
        nearest = int(np.argmin(np.hypot(*(centres - middle).T)))
        votes.setdefault(int(entry["board"]), Counter())[nearest] += 1
    place = {board: vote.most_common(1)[0][0] for board, vote in votes.items()}
    # Tiles of a board at the wrong place in the ring count as wrong.
    ring = [place[board] for board in sorted(place)]
    steps = sum(after < before for before, after in zip(ring, [*ring[1:], *ring[:1]], strict=True))
    return (place if len(ring) < 2 or steps == 1 else {}), 0


def _moved(tile: HexTile, place: tuple[dict[int, int], int]) -> HexTile:
    cells = tuple(sorted(turned_hex(cell, place[1]) for cell in tile[2]))
    return (place[0].get(tile[0], -1), tile[1], cells)


def _wrong_cells(truth: Iterable[HexTile], found: Iterable[HexTile], seen: set[Any]) -> int:
    def colours(tiles: Iterable[HexTile]) -> dict[Any, str]:
        return {(t[0], *c): t[1].partition("/")[0] for t in tiles for c in t[2]}

    true, said = colours(truth), colours(found)
    return sum(true.get(spot) != said.get(spot) for spot in seen)


def _clay(
    table: Shown, state: TableState, place: tuple[dict[int, int], int], seen: set[Any]
) -> tuple[int, int]:
    def listed(entries: Iterable[Any], boards: dict[int, int] | None) -> set[Any]:
        return {
            (
                e["board"] if boards is None else boards.get(e["board"], -1),
                *e["cell"],
                e["kind"],
                e.get("opens"),
            )
            for e in entries
        }

    true = {c for c in listed(table.truth["clay"], None) if c[:3] in seen}
    said = {c for c in listed(state.clay, place[0]) if c[:3] in seen}
    return len(true), len(true ^ said)


def smallest_cell_px(table: Shown) -> float:
    """Return the width of the narrowest cell with a tile, or of any cell without tiles."""
    laid: dict[int, list[Cell]] = {}
    for number, _, cells in map(_hex_tile, table.truth["tiles"]):
        laid.setdefault(number, []).extend(cells)
    widths = []
    for number, board in enumerate(table.boards):
        looked_at = laid.get(number, []) if laid else list(CELLS)
        if looked_at:
            widths.append(_narrowest_px(board, looked_at))
    return min(widths)


def _narrowest_px(board: Board, cells: Sequence[Cell]) -> float:
    middles = plane_of(cells)
    here, right, down = (board.px(middles + np.array(d)) for d in ((0, 0), (0.5, 0), (0, 0.5)))
    a, b = right - here, down - here
    return float(2 * np.sqrt(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])).min())
