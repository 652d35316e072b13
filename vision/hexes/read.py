"""Reads a table of the hex games from one picture: boards, cells, tiles, clay, what is hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import atan2, tau
from time import perf_counter

import numpy as np

from engine.draw.hexes import outline as cells_outline
from engine.games import several_boards
from engine.lattice import Cell, hex_neighbours
from engine.setfile import built_in_names
from engine.tiles import TileSet
from vision.classify.taught import find_taught, taught_folder
from vision.core.crop import Pyramid
from vision.core.stages import shown
from vision.core.tables import ClayEntry, SplitEntry, TableState, TileEntry
from vision.core.types import LIKELIER, TOLD, Advice, Bgr, Points, Quality
from vision.hexes.aside import Above, tiles_aside
from vision.hexes.boards import boards_in
from vision.hexes.cells import CELLS, CellReadings, read_cells, turns_of
from vision.hexes.clay import SeenClay, clay_on_boards
from vision.hexes.models import HexModels, shipped_models
from vision.hexes.pieces import SeenPiece, SeenSplit, pieces_of
from vision.hexes.plane import HexBoard, plane_of
from vision.hexes.taught.boards import find_taught_board
from vision.hexes.taught.reader import BoardReader
from vision.layout.quality import Limits, assess

MOST_BOARDS = {"snekagon": 1, "snekagon5g": 5}
NOWHERE = 1.0
"""Pixels that a cell's middle may lie outside the picture before the cell counts as cut off."""
LIMITS = Limits(blurred=0.14, dark=40.0, measured_short=0.99, told_px=24.5)
"""Cells have no thin print: 14 held-out tables of 5G blurred by 0.07 to 0.115 of a cell were read
exactly all 56 times, most of their cells measuring 0.14 or more from 0.1 on. Stronger blur often
hides the board itself, which is reported. Cell widths are exact to a hundredth: six tables of 24.0
pixels came out 23.85 to 24.1; one of 23.8 came out above 24.07 and was not reported as small."""
NO_BOARD = "I see no board: have all of it in the picture, lying flat, with light on it."

ReadCells = Callable[[Pyramid, Sequence[HexBoard], TileSet, HexModels], Sequence[CellReadings]]
Lost = Mapping[Cell, str]
"""The cells of a board that cannot be seen, and why."""


def taught_reader(tile_set: TileSet) -> BoardReader | None:
    """Return the reader for the boards of a taught box; ``None`` for printed boards.

    Raises:
        ModelError: the box was taught, but its files are broken.
    """
    if tile_set.name in built_in_names():
        return None
    taught = find_taught(tile_set.name, (taught_folder(),))
    return taught.board if taught is not None else None


def boards_of(
    pyramid: Pyramid, tile_set: TileSet, most: int, models: HexModels
) -> tuple[HexBoard, ...]:
    """Return the boards of a box in a picture, each in one of its six turns."""
    if taught_reader(tile_set) is None:
        return boards_in(pyramid, most, models)
    board = find_taught_board(pyramid.whole)
    return () if board is None else (board,)


def cells_of(
    pyramid: Pyramid, boards: Sequence[HexBoard], tile_set: TileSet, models: HexModels
) -> tuple[CellReadings, ...]:
    """Return what lies on the cells of boards, each in the turn that it is given in."""
    reader = taught_reader(tile_set)
    if reader is None:
        return read_cells(pyramid, boards, models)
    return tuple(reader.read(pyramid.whole, board) for board in boards)


def read_hex_table(
    bgr: Bgr,
    tile_set: TileSet,
    game: str,
    models: HexModels | None = None,
    boards: Sequence[HexBoard] | None = None,
    read: ReadCells = cells_of,
    scale: float = 1.0,
) -> TableState:
    """Return what lies on the boards of a picture.

    Args:
        bgr: the upright picture.
        tile_set: the box.
        game: ``snekagon`` or ``snekagon5g``.
        models: the networks; by default those that the repository ships.
        boards: where the boards lie, if known; tiles beside them are then not looked for.
        read: reads the cells of boards, each in the turn that it is given in.
        scale: pixels of the full-size picture per pixel of ``bgr``; advice boxes are full-size.
    """
    nets = models or shipped_models()
    pyramid = Pyramid(bgr)
    above: Above | None = None
    times = [perf_counter()]
    if boards is None:
        boards = boards_of(pyramid, tile_set, MOST_BOARDS[game], nets)
        shown("boards", boards)
        if boards and taught_reader(tile_set) is None:
            above = Above.of(pyramid, boards, nets)
    times.append(perf_counter())
    readings = read(pyramid, boards, tile_set, nets)
    times.append(perf_counter())
    upright, readings = _upright(boards, readings, tile_set, pyramid.size_px)
    state = _table(bgr, tile_set, game, upright, readings, scale)
    shown("pieces", state)
    times.append(perf_counter())
    if above is not None:
        laid = [str(entry["tile"]) for entry in (*state.tiles, *state.unsure)]
        state = replace(state, aside=tiles_aside(pyramid, upright, above, tile_set, laid))
    times.append(perf_counter())
    took = 1000 * np.diff(times)
    stages = ("boards", "cells", "pieces", "aside")
    return replace(state, timings_ms=dict(zip(stages, took.tolist(), strict=True)))


def _upright(
    boards: Sequence[HexBoard],
    looks: Sequence[CellReadings],
    tile_set: TileSet,
    size: tuple[int, int],
) -> tuple[list[HexBoard], list[CellReadings]]:
    """Return boards in clockwise order, turned upright by their eyes, with their readings.

    A board that may lie in several turns counts as not placed.
    """
    order = _round_the_ring(boards)
    lost = [_lost(boards[i], looks[i], size) for i in order]
    upright, readings = [], []
    for i, turns in zip(order, turns_of([looks[i] for i in order], tile_set, lost), strict=True):
        board = boards[i].turned(turns[0])
        unsteady = board.unsteady if len(turns) == 1 else np.inf
        upright.append(replace(board, unsteady=unsteady))
        readings.append(looks[i].turned(turns[0]))
    return upright, readings


def _round_the_ring(boards: Sequence[HexBoard]) -> list[int]:
    """Return the indices of boards in clockwise order about their mean, from the top on."""
    if not boards:
        return []
    centres = np.stack([board.middle() for board in boards])
    away = centres - centres.mean(axis=0)
    return sorted(range(len(boards)), key=lambda i: atan2(away[i][0], -away[i][1]) % tau)


def _table(
    bgr: Bgr,
    tile_set: TileSet,
    game: str,
    boards: Sequence[HexBoard],
    readings: Sequence[CellReadings],
    scale: float,
) -> TableState:
    size = (bgr.shape[1], bgr.shape[0])
    if not boards:
        return TableState(size, quality=_no_board(bgr), game=game, set_name=tile_set.name)
    numbered = several_boards(game)
    lost = [_lost(board, reading, size) for board, reading in zip(boards, readings, strict=True)]
    hidden = {(number, *cell) for number, cells in enumerate(lost) for cell in cells}
    pieces, splits = pieces_of(readings, tile_set, numbered, hidden)
    has_clay = "clay" in tile_set.extras
    clays = clay_on_boards(readings, tile_set, pieces, hidden) if has_clay else []
    laid = [
        _tile_entry(piece, boards[piece.piece.board or 0], lost[piece.piece.board or 0])
        for piece in pieces
    ]
    return TableState(
        size,
        tiles=tuple(entry for entry in laid if entry.why is None),
        unsure=tuple(entry for entry in laid if entry.why is not None),
        clay=tuple(_clay_entry(clay, boards[clay.spot[0]]) for clay in clays),
        splits=tuple(_split_entry(split, numbered) for split in splits),
        quality=_quality(bgr, boards, lost, pieces, scale),
        game=game,
        set_name=tile_set.name,
    )


def _no_board(bgr: Bgr) -> Quality:
    """Return the quality of a picture in which no board was placed."""
    advice = assess(bgr, [], limits=LIMITS).advice
    if all(one.what == "small" for one in advice):
        advice = (*advice, Advice("cut-off", NO_BOARD))
    return Quality(ok=False, advice=advice)


def _lost(board: HexBoard, reading: CellReadings, size: tuple[int, int]) -> dict[Cell, str]:
    """Return the cells of a board that cannot be seen, and why."""
    px = board.px(plane_of(CELLS))
    low, high = px.min(axis=1), (px - np.array(size)).max(axis=1)
    lost = {}
    for number, cell in enumerate(CELLS):
        if low[number] < -NOWHERE or high[number] > NOWHERE - 1:
            lost[cell] = "cut-off"
        elif reading.hidden[cell] > LIKELIER:
            lost[cell] = "covered"
    return lost


def _tile_entry(seen: SeenPiece, board: HexBoard, lost: Lost) -> TileEntry:
    piece = seen.piece
    confidence = round(seen.share * seen.colour_share, 4)
    outline = board.px(np.array(cells_outline(piece.cells, 1.0)))
    entry = TileEntry(
        piece.tile,
        np.round(outline, 2).tolist(),
        confidence,
        cells=tuple(sorted(piece.cells)),
        board=piece.board,
    )
    why = _why_unsure(seen, board, lost)
    # Two ways to cut the same cells are asked about as a split, not as an unsure tile.
    if seen.known and why is None and seen.colour_share >= TOLD:
        return entry
    others = tuple((name, round(share * seen.colour_share, 4)) for name, share in seen.others)
    return replace(entry, guesses=((piece.tile, confidence), *others), why=why or "unknown-tile")


def _why_unsure(seen: SeenPiece, board: HexBoard, lost: Lost) -> str | None:
    """Return what hides part of a tile, or of its unplaced board; ``None`` if nothing does."""
    if not board.is_placed:
        return _lost_by(lost)
    near = [*seen.piece.cells, *(n for cell in seen.piece.cells for n in hex_neighbours(cell))]
    return next((lost[cell] for cell in near if cell in lost), "covered") if seen.torn else None


def _lost_by(lost: Lost) -> str:
    return "cut-off" if "cut-off" in lost.values() else "covered"


def _split_entry(split: SeenSplit, numbered: bool) -> SplitEntry:
    cells = tuple((q, r) for _, q, r in split.cells)
    return SplitEntry(cells, split.ways, split.cells[0][0] if numbered else None)


def _clay_entry(clay: SeenClay, board: HexBoard) -> ClayEntry:
    number, q, r = clay.spot
    centre = np.round(board.px(plane_of([(q, r)]))[0], 2).tolist()
    return ClayEntry(number, (q, r), clay.kind, clay.confidence, centre, clay.opens)


def _quality(
    bgr: Bgr,
    boards: Sequence[HexBoard],
    lost: Sequence[Lost],
    pieces: Sequence[SeenPiece],
    scale: float,
) -> Quality:
    """Return the picture's quality at the cells of tiles, or at some bare ones without tiles.

    A picture with a board that could not be placed is not good enough, whatever the others show.
    Hidden cells of placed boards are told and spoil none of the others, however many they are.
    """
    laid = [(p.piece.board or 0, cell) for p in pieces for cell in p.piece.cells]
    looked = laid or [(number, cell) for number in range(len(boards)) for cell in CELLS[::9]]
    seen = [boards[number].hexagon(cell) for number, cell in looked if cell not in lost[number]]
    unseen = list(_unseen(boards, lost))
    cut_off, covered = (
        [outline for outline, why in unseen if why == what] for what in ("cut-off", "covered")
    )
    placed = all(board.is_placed for board in boards)
    return assess(
        bgr,
        seen,
        scale=scale,
        cut_off=cut_off,
        covered=covered,
        limits=LIMITS if placed else replace(LIMITS, lost=0.0),
        of=2 * len(boards) * len(CELLS),
        beside=cut_off,
    )


def _unseen(boards: Sequence[HexBoard], lost: Sequence[Lost]) -> Iterator[tuple[Points, str]]:
    """Yield the outlines of unseen cells and why: all cells of a board that is not placed."""
    for board, cells in zip(boards, lost, strict=True):
        whys = cells if board.is_placed else dict.fromkeys(CELLS, _lost_by(cells))
        yield from ((board.hexagon(cell), why) for cell, why in whys.items())
