"""Turns readings of loose hex tiles into a table state, for taught boxes of single hexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.lattice import cell_axes, mapped
from vision.core.tables import TileEntry
from vision.core.types import TOLD, Detection, Detections, Guess, LatticeFit, Points, period_of
from vision.hexes.plane import SIXTHS, SKEW
from vision.layout.cards import SURELY_A_CARD, CardGroup, SeenCard
from vision.layout.reconstruct import (
    SURELY_ASIDE,
    Reconstruction,
    aside_entry,
    guesses_of,
    why_of,
)


def reconstruct_hexes(
    detections: Detections, fits: Sequence[LatticeFit], readings: Sequence[CellReading],
    tile_set: TileSet,
) -> Reconstruction:  # fmt: skip
    """Return what lies on the table: the largest lattice is the layout, the rest lies aside.

    Of equally large lattices, the one nearest to the picture's centre is the layout. Its tiles that
    touch no other lie aside too.
    """
    groups = [_group(detections.found, fit, readings, tile_set) for fit in fits]
    groups = [group for group in groups if any(card.confidence >= TOLD for card in group.cards)]
    if not groups:
        return Reconstruction()
    middle = (np.array(detections.size_px) - 1) / 2
    main = max(
        groups, key=lambda one: (*_laid(one), -float(np.linalg.norm(one.centre_px - middle)))
    )
    strays = _strays(main)
    laid = tuple(card for card in main.cards if all(card is not one for one in strays))
    tiles, unsure = _entries(laid, tile_set)
    others = [card for group in groups if group is not main for card in group.cards]
    aside = [
        aside_entry(card) for card in (*strays, *others) if card.confidence >= SURELY_ASIDE
    ]  # fmt: skip
    return Reconstruction(tiles, unsure, tuple(aside), laid)


def _entries(
    laid: Sequence[SeenCard], tile_set: TileSet
) -> tuple[tuple[TileEntry, ...], tuple[TileEntry, ...]]:
    """Return the entries of a layout's sure and unsure tiles."""
    tiles = tuple(_entry(card, tile_set) for card in laid if card.confidence >= TOLD)
    unsure = tuple(
        replace(_entry(card, tile_set), guesses=guesses_of(card), why=why_of(card))
        for card in laid if card.confidence < TOLD
    )  # fmt: skip
    return tiles, unsure


def _laid(group: CardGroup) -> tuple[int, int]:
    """Return how many sure tiles touch another tile, and how many sure tiles there are."""
    sure = [card for card in group.cards if card.confidence >= TOLD]
    cells = {card.at for card in group.cards}
    touching = [one for one in sure if cells & set(hex_neighbours(one.at))]
    return len(touching), len(sure)


def _strays(group: CardGroup) -> list[SeenCard]:
    """Return tiles that touch no other, such as a loose one on a cell two steps away.

    Where no tile touches another, all of them stay in the layout.
    """
    cells = {card.at for card in group.cards}
    lone = [card for card in group.cards if not cells & set(hex_neighbours(card.at))]
    return lone if len(lone) < len(cells) else []


def sixths_ahead(corners_px: Points, px_from_cell: NDArray[np.float64], cell: Cell) -> int:
    """Return how many sixths an outline's first side is turned clockwise from the lattice's."""
    x, y = cell
    ends = np.array([(x + 0.5, y), (x - 0.5, y), (x, y + 0.5), (x, y - 0.5)], float)
    px = mapped(px_from_cell, ends)
    axes = np.column_stack([px[0] - px[1], px[2] - px[3]])
    own = cell_axes(corners_px[None], "hex")[0]
    relative = SKEW @ np.linalg.lstsq(axes, own, rcond=None)[0] @ np.linalg.inv(SKEW)
    angle = np.arctan2(relative[1, 0] - relative[0, 1], relative[0, 0] + relative[1, 1])
    return round(float(angle) / (np.pi / 3)) % SIXTHS


def _group(
    found: Sequence[Detection], fit: LatticeFit, readings: Sequence[CellReading], tile_set: TileSet
) -> CardGroup:
    cards = []
    for cell, number in sorted(fit.cells.items()):
        one, reading = found[number], readings[number]
        if not reading.guesses or (reading.why and one.confidence < SURELY_A_CARD):
            continue
        ahead = sixths_ahead(one.corners_px, fit.px_from_cell, cell)
        guesses = tuple(
            Guess(g.tile, (g.turns + ahead) % period_of(tile_set, g.tile), g.confidence)
            for g in reading.guesses
        )
        outline = np.roll(one.corners_px, -reading.guesses[0].turns, axis=0)
        cards.append(
            SeenCard(cell, (cell,), guesses, outline, one.cut_off, reading.why, one.confidence)
        )
    return CardGroup(tuple(cards), fit)


def _entry(card: SeenCard, tile_set: TileSet) -> TileEntry:
    best = card.guesses[0]
    turns = best.turns if period_of(tile_set, best.tile) > 1 else None
    return TileEntry(best.tile, card.outline_px, best.confidence, cells=(card.at,), turns=turns)
