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
        row = compared(shown, state, game)
    else:
        row = score_table(shown.truth, state, built_in_set(game))
    return {
        **row,
        "small": smallest_px(shown, game) < SMALLEST_PX,
        "exact": row["exact"] and state.quality.ok,
        "good": state.quality.ok,
        "advice": sorted({advice.what for advice in state.quality.advice}),
        **({} if shown.spots is None else {"spots": shown.spots}),
    }


def smallest_px(shown: Shown, game: str) -> float:
    """Return the width of the narrowest tile, or of a cell of it."""
    if shown.boards:
        return smallest_cell_px(shown)
    kinds = built_in_set(game)
    widths = [
        width_of(np.array(tile["outline"])) / float(np.sqrt(len(kinds[tile["tile"]].cells)))
        for tile in shown.truth["tiles"]
    ]
    return min(widths, default=SMALLEST_PX)


# --- Square cards ---


def score_table(truth: Mapping[str, Any], state: TableState, tile_set: TileSet) -> Json:
    """Return what is right and wrong about one reading of a table of square cards.

    ``confidences`` say of each matched tile how sure it was and whether it was right; ``beside``
    counts cards that are seen beside the layout, those of them that are claimed to be in play, and
    those that are asked about.
    """
    entries, sure = [*state.tiles, *state.unsure], len(state.tiles)
    visible = {n: t for n, t in enumerate(truth["tiles"]) if t["visible"] >= LEAST_VISIBLE}
    pairs, extra = _matched(truth["tiles"], entries)
    moves = _moves(truth["tiles"], entries, pairs, tile_set)
    missed = [tile for number, tile in visible.items() if number not in pairs]
    seen = [(tile, pairs[number]) for number, tile in visible.items() if number in pairs]
    right = {place: _is_right(tile, entries[place], moves, tile_set) for tile, place in seen}
    wrong = [(tile, entries[place]) for tile, place in seen if not right[place]]
    mistakes = [f"missed {tile['tile']} at {tile['at']}" for tile in missed]
    mistakes += [
        f"{tile['tile']}@{tile['turns']} at {tile['at']} read as {entry['tile']}"
        f"@{entry['turns']} at {entry['at']} ({entry['confidence']:.3f})"
        for tile, entry in wrong
    ]
    mistakes += [f"invented {entries[i]['tile']} ({entries[i]['confidence']:.3f})" for i in extra]
    beside = [card for card in truth["aside"] if card["visible"] >= LEAST_VISIBLE]
    claimed = [extra[n] for n in _matched(truth["aside"], [entries[i] for i in extra])[0].values()]
    return {
        "exact": not mistakes,
        "tiles": len(visible),
        "bad": len(mistakes),
        "missed": len(missed),
        "invented": len(extra),
        "unsure": len(state.unsure),
        "sure": sure,
        "sure_wrong": sum(
            n < sure for n in [*extra, *(n for n, good in right.items() if not good)]
        ),
        "mistakes": mistakes,
        "confidences": [(float(entries[n]["confidence"]), good) for n, good in right.items()],
        "beside": len(beside),
        "beside_sure": sum(n < sure for n in claimed),
        "beside_unsure": sum(n >= sure for n in claimed),
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
    read = [_hex_tile(entry) for entry in entries]
    place = _placed(table, state, truth, read, game)
    seen = {
        (number, *cell)
        for number, board in enumerate(table.boards)
        for cell in CELLS
        if board.hidden[cell] == 0
    }
    whole = {tile for tile in truth if _cells_of(tile) <= seen}
    clear = seen - {cell for tile in truth - whole for cell in _cells_of(tile)}
    sureness = {
        _moved(tile, place): float(entry["confidence"])
        for tile, entry in zip(read, entries, strict=True)
    }
    sure = {_moved(tile, place) for tile in read[: len(state.tiles)]}
    judged = {tile for tile in sureness if _cells_of(tile) <= clear}
    missed, invented = whole - set(sureness), judged - whole
    lost = {cell for tile in missed for cell in _cells_of(tile)}
    clay = _clay(table.truth["clay"], None, seen) ^ _clay(state.clay, place[0], seen)
    mistakes = [" ".join(map(str, tile)) for tile in sorted(missed | invented, key=str)]
    return {
        "exact": not mistakes and not clay,
        "tiles": len(whole),
        # A wrong tile on the cells of a missed one counts once.
        "bad": len(missed) + sum(not _cells_of(tile) & lost for tile in invented),
        "missed": len(missed),
        "invented": len(invented),
        "unsure": len(whole & set(sureness) - sure),
        "sure": len(judged & sure),
        "sure_wrong": len(invented & sure),
        "mistakes": [*mistakes, *([f"{len(clay)} of clay"] if clay else [])],
        "confidences": [(sureness[tile], tile in whole) for tile in sorted(judged)],
    }


def _cells_of(tile: HexTile) -> set[tuple[int, int, int]]:
    return {(tile[0], *cell) for cell in tile[2]}


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


def _clay(entries: Iterable[Any], boards: Mapping[int, int] | None, seen: set[Any]) -> set[Any]:
    """Return the clay on cells that are seen; ``boards`` are the true ones of the read ones."""
    listed = {
        (
            e["board"] if boards is None else boards.get(e["board"], -1),
            *e["cell"],
            e["kind"],
            e.get("opens"),
        )
        for e in entries
    }
    return {clay for clay in listed if clay[:3] in seen}


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
