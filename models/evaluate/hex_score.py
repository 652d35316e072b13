"""Compares a reading of hex boards with the truth: cells, tiles and clay, board by board.

Tiles of which a hand, a thing or the picture's edge hides a cell are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from engine.games import several_boards
from engine.lattice import Cell
from vision import TableState
from vision.hexes.cells import CELLS, turned_cell
from vision.hexes.plane import plane_of

WORST_PX = 1400
Json = dict[str, Any]
Tile = tuple[int, str, tuple[Cell, ...]]
"""Board, name and sorted cells."""


class TrueBoard(Protocol):
    """Where a board lies and what of it can be seen, drawn or rendered."""

    @property
    def hidden(self) -> Mapping[Cell, int]:
        """By cell 1 where little of it is seen, 0 where most is, else -1."""
        ...

    def px(self, plane: Any) -> Any:
        """Return the pixels of places on the board's plane, counted in cells."""
        ...


class TrueTable(Protocol):
    """A picture of a table with its truth."""

    @property
    def bgr(self) -> Any:
        """The picture."""
        ...

    @property
    def boards(self) -> Sequence[TrueBoard]:
        """Round the ring."""
        ...

    @property
    def truth(self) -> Json:
        """The table state as a perfect reader would give it."""
        ...


def compared(table: TrueTable, state: TableState, game: str) -> Json:
    """Return what is right and wrong about one reading."""
    truth = {_tile(entry) for entry in table.truth["tiles"]}
    said_sure = [_tile(entry) for entry in state.tiles]
    said = said_sure + [_tile(entry) for entry in state.unsure]
    place = _placement(table, state, truth, said, game)
    seen = {
        (number, *cell)
        for number, board in enumerate(table.boards)
        for cell in CELLS
        if board.hidden[cell] == 0
    }
    whole = {tile for tile in truth if all((tile[0], *c) in seen for c in tile[2])}
    unclear = {(t[0], *c) for t in truth - whole for c in t[2]}
    entries = zip(said, (*state.tiles, *state.unsure), strict=True)
    found = {_moved(tile, place): float(entry["confidence"]) for tile, entry in entries}
    sure = {_moved(tile, place) for tile in said_sure}
    judged = {
        t for t in found if all((t[0], *c) in seen and (t[0], *c) not in unclear for c in t[2])
    }
    wrong_cells = _wrong_cells(truth, found, seen)
    missed, invented = whole - set(found), judged - whole
    clay, clay_wrong = _clay(table, state, place, seen)
    return {
        "cells": len(seen), "cells_wrong": wrong_cells, "tiles": len(whole),
        "missed": len(missed), "invented": len(invented), "unsure": len(whole & set(found) - sure),
        "bad": len(missed) + len(_apart(invented, missed)), "sure": len(judged & sure),
        "sure_wrong": len(invented & sure), "clay": clay, "clay_wrong": clay_wrong,
        "splits": len(state.splits), "ok": state.quality.ok, "foul": bool(table.truth["foul"]),
        "advice": sorted({advice.what for advice in state.quality.advice}),
        "exact": not missed and not invented and not clay_wrong,
        "hidden_tiles": len(truth - whole), "hidden_right": len((truth - whole) & set(found)),
        "wrong": sorted([list(map(str, t)) for t in missed | invented]),
        "confidences": [(found[tile], tile in whole) for tile in sorted(judged)],
    }  # fmt: skip


def _apart(tiles: Iterable[Tile], others: Iterable[Tile]) -> list[Tile]:
    """Return the tiles that share no cell with others: a wrong one is no invented one too."""
    taken = {(tile[0], *cell) for tile in others for cell in tile[2]}
    return [tile for tile in tiles if not any((tile[0], *cell) in taken for cell in tile[2])]


def _tile(entry: Any) -> Tile:
    cells = tuple(sorted((q, r) for q, r in entry["cells"]))
    return (int(entry.get("board") or 0), str(entry["tile"]), cells)


def _placement(
    table: TrueTable, state: TableState, truth: set[Tile], said: Sequence[Tile], game: str
) -> tuple[dict[int, int], int]:
    """Return which true board each board is, and by how many sixths it is to be turned."""
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
    # Tiles of a board out of its turn in the ring count as wrong.
    ring = [place[board] for board in sorted(place)]
    steps = sum(after < before for before, after in zip(ring, [*ring[1:], *ring[:1]], strict=True))
    return (place if len(ring) < 2 or steps == 1 else {}), 0


def _moved(tile: Tile, place: tuple[dict[int, int], int]) -> Tile:
    cells = tuple(sorted(turned_cell(cell, place[1]) for cell in tile[2]))
    return (place[0].get(tile[0], -1), tile[1], cells)


def _wrong_cells(truth: Iterable[Tile], found: Iterable[Tile], seen: set[Any]) -> int:
    def colours(tiles: Iterable[Tile]) -> dict[Any, str]:
        return {(t[0], *c): t[1].partition("/")[0] for t in tiles for c in t[2]}

    true, said = colours(truth), colours(found)
    return sum(true.get(spot) != said.get(spot) for spot in seen)


def _clay(
    table: TrueTable, state: TableState, place: tuple[dict[int, int], int], seen: set[Any]
) -> tuple[int, int]:
    def listed(entries: Iterable[Any], boards: dict[int, int] | None) -> set[Any]:
        return {
            (e["board"] if boards is None else boards.get(e["board"], -1), *e["cell"], e["kind"],
             e.get("opens"))
            for e in entries
        }  # fmt: skip

    true = {c for c in listed(table.truth["clay"], None) if c[:3] in seen}
    said = {c for c in listed(state.clay, place[0]) if c[:3] in seen}
    return len(true), len(true ^ said)


def smallest_cell_px(table: TrueTable) -> float:
    """Return how wide the narrowest cell with a tile, or else of a board, is in the picture."""
    laid: dict[int, list[Cell]] = {}
    for number, _, cells in map(_tile, table.truth["tiles"]):
        laid.setdefault(number, []).extend(cells)
    widths = []
    for number, board in enumerate(table.boards):
        looked_at = laid.get(number, []) if laid else list(CELLS)
        if looked_at:
            widths.append(_narrowest_px(board, looked_at))
    return min(widths)


def _narrowest_px(board: TrueBoard, cells: Sequence[Cell]) -> float:
    middles = plane_of(cells)
    here, right, down = (board.px(middles + np.array(d)) for d in ((0, 0), (0.5, 0), (0, 0.5)))
    a, b = right - here, down - here
    return float(2 * np.sqrt(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])).min())


def row_of(table: TrueTable, state: TableState, game: str) -> Json:
    """Return what is kept about one table."""
    timings = {name: round(ms) for name, ms in state.timings_ms.items()}
    height, width = table.bgr.shape[:2]
    return {
        **compared(table, state, game), "cell_px": round(smallest_cell_px(table), 1),
        "size": [width, height], "ms": timings,
    }  # fmt: skip


def write_worst(table: TrueTable, state: TableState, path: Path) -> None:
    """Write a picture with what was seen drawn over it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = table.bgr.copy()
    thick = max(1, picture.shape[1] // 700)
    for entry in (*state.tiles, *state.unsure):
        colour = (255, 0, 255) if "guesses" in entry else (255, 255, 0)
        corners = np.round(np.array(entry["outline"])).astype(np.int32)
        cv2.polylines(picture, [corners], True, colour, thick)
        at = corners.mean(axis=0).astype(int).tolist()
        cv2.putText(picture, entry["tile"], at, 0, 0.5 * thick, (0, 0, 0), thick)
    scale = min(1.0, WORST_PX / max(picture.shape[:2]))
    cv2.imwrite(str(path), cv2.resize(picture, None, fx=scale, fy=scale))
