"""Cards that a hand has laid apart from the others: they are judged like any other.

The reader takes a card that touches nothing for one that lies aside. If it was laid just now on
the lattice of the cards in play and within their reach, it belongs to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import hypot
from typing import Any

import cv2
import numpy as np

from companion_app.live.places import Point, Spot, middle, turned
from companion_app.live.unmoored import (
    CORNERS,
    CellsFromPx,
    cells_at,
    lattice_through,
    place_by,
)
from engine.lattice import Cell
from engine.tiles import TileSet
from vision import TableState

Entry = Mapping[str, Any]
SAME_PLACE, SAME_PILE = 0.25, 0.6
"""Distances of centres, in widths of a card, within which it is the same card, or the same pile."""
REACH = 2
"""Cells from the nearest card in play, diagonals included, within which a card may be laid: one
between may be missing, as when somebody lays his card before the player whose turn it is."""
NEAREST = 6
"""Cards in play next to a card apart that its lattice is fitted to."""
CORNERS_OF_A_CELL: tuple[Cell, ...] = ((-1, -1), (1, -1), (1, 1), (-1, 1))
"""From its centre, in halves of a cell, clockwise from the upper left one."""
LEAST_SURE = 0.9
"""Confidence from which on a card apart is taken for what it is read as."""
OFF_CELL, ASKEW = 0.2, 0.12
"""How far a card on the lattice is off its cell at most, in cells, and askew, in quarter turns."""


def as_laid(
    table: TableState,
    box: TileSet,
    was_laid: Callable[[Entry], bool],
    lay_aside: Callable[[Entry], bool],
    known_spot: Callable[[Entry], Spot | None] = lambda entry: None,
) -> TableState:
    """Return a look in which cards lie in play or aside by where hands have laid them.

    A card aside that was laid on the lattice is in play. One within reach that is off the lattice,
    or not read surely, is unsure, so that it is asked about. A card without neighbours that has
    lain aside all along still does. A known card that is the only one of its field looks like one
    that lies aside, such as a big card before its first neighbour: in its place it is in play.

    Args:
        table: what is seen.
        box: the set.
        was_laid: whether a card that lies aside was laid there since the last move.
        lay_aside: whether a card in play has lain aside in the same place before.
        known_spot: the spot in which a card that lies aside is known to lie; ``None`` without one.
    """
    table = _with_lone(table, known_spot)
    still = [entry for entry in table.tiles if _is_alone(entry, table) and lay_aside(entry)]
    tiles = [entry for entry in table.tiles if entry not in still]
    unsure, aside = list(table.unsure), [*table.aside, *still]
    for entry in table.aside:
        if entry.get("tile") in box and _is_card(entry) and was_laid(entry):
            placed = _placed(entry, tiles, table, box)
            if placed is not None:
                aside.remove(entry)
                (unsure if "guesses" in placed else tiles).append(placed)
    return replace(table, tiles=tuple(tiles), unsure=tuple(unsure), aside=tuple(aside))


def _with_lone(table: TableState, known_spot: Callable[[Entry], Spot | None]) -> TableState:
    """Return a look in which known cards aside that are the first seen of their field are in play.

    Where the lattice of such a field begins, and how it is turned, is arbitrary.
    """
    seen = {entry.get("field") or 0 for entry in (*table.tiles, *table.unsure) if "at" in entry}
    lone: dict[int, Entry] = {}
    for entry in table.aside:
        spot = known_spot(entry)
        if spot is not None and spot[0] not in seen:
            lone.setdefault(spot[0], entry)
    tiles = [{**entry, "at": [0, 0], "turns": 0, "field": field} for field, entry in lone.items()]
    aside = [entry for entry in table.aside if entry not in lone.values()]
    return replace(table, tiles=(*table.tiles, *tiles), aside=tuple(aside)) if lone else table


def _is_alone(entry: Entry, table: TableState) -> bool:
    """Say whether no other card lies beside a card, diagonals included."""
    if entry.get("at") is None:
        return False
    others = [
        other["at"]
        for other in (*table.tiles, *table.unsure)
        if other is not entry and other.get("field") == entry.get("field")
    ]
    x, y = entry["at"]
    # A big card has its origin in one of its cells, so its neighbours lie up to two steps away.
    return all(max(abs(x - at[0]), abs(y - at[1])) > REACH for at in others)


def is_near(outline: Sequence[Point], places: Iterable[Point | None], widths: float) -> bool:
    """Say whether a card lies so near to one of some places, in widths of its own."""
    centre = middle(outline)
    if centre is None:
        return False
    reach = widths * hypot(outline[1][0] - outline[0][0], outline[1][1] - outline[0][1])
    return any(at and hypot(at[0] - centre[0], at[1] - centre[1]) < reach for at in places)


def _is_card(entry: Entry) -> bool:
    """Say whether an entry has the four corners of a card."""
    return len(entry.get("outline") or ()) == CORNERS


def _placed(entry: Entry, tiles: list[Entry], table: TableState, box: TileSet) -> Entry | None:
    """Return a card aside as one in play; ``None`` if it lies out of their reach."""
    near = [other for other in tiles if other.get("at") is not None and _is_card(other)]
    near.sort(key=lambda other: _apart_px(entry, other))
    near = [other for other in near if other.get("field") == near[0].get("field")]
    lattice = _lattice_of(near, box)
    place = None if lattice is None else place_by(lattice, entry)
    if place is None:
        return None
    taken = {
        tuple(other["at"])
        for other in (*table.tiles, *table.unsure)
        if other.get("at") is not None and other.get("field") == near[0].get("field")
    }
    x, y = place.cell
    if not 0 < min(max(abs(x - at[0]), abs(y - at[1])) for at in taken) <= REACH:
        return None
    turns = place.quarters % box[str(entry["tile"])].period
    placed = {**entry, "at": [x, y], "turns": turns, "field": near[0].get("field")}
    if placed["field"] is None:
        del placed["field"]
    share = float(entry.get("confidence") or 0.0)
    if share >= LEAST_SURE and place.off <= OFF_CELL and place.askew <= ASKEW:
        return placed
    return {**placed, "guesses": [[entry["tile"], share, turns]], "why": "apart"}


def _lattice_of(near: list[Entry], box: TileSet) -> CellsFromPx | None:
    """Fit the lattice to the nearest cards in play; to the corners of one where they are few."""
    for count in range(min(NEAREST, len(near)), len(near) + 1):
        centres = {tuple(other["at"]): middle(other["outline"]) for other in near[:count]}
        found = lattice_through({at: px for at, px in centres.items() if px is not None})
        if found is not None:
            return _in_perspective(found, near[:count])
    lattices = [lattice for other in near for lattice in _lattices_through(other, box)]
    return min(lattices, key=lambda lattice: _off(lattice, near), default=None)


def _in_perspective(lattice: CellsFromPx, near: list[Entry]) -> CellsFromPx:
    """Fit a lattice to the corners of cards, too: their sizes tell how it narrows with distance."""
    points = np.array([point for other in near for point in other["outline"]], np.float64)
    cells = np.repeat(np.array([other["at"] for other in near], np.float64), CORNERS, axis=0)
    halves = np.sign(cells_at(lattice, points) - cells) / 2
    found: Any = cv2.findHomography(points, cells + halves)[0]
    return lattice if found is None else np.asarray(found, np.float64)


def _lattices_through(entry: Entry, box: TileSet) -> Iterator[CellsFromPx]:
    """Yield the lattices that one card spans: a card with equal halves may be read upside down."""
    if entry.get("tile") not in box:
        return
    corners = np.array([[*point, 1.0] for point in entry["outline"]], np.float64)
    x, y = entry["at"]
    for turns in range(entry.get("turns") or 0, 4, box[str(entry["tile"])].period):
        around = [turned(corner, turns) for corner in CORNERS_OF_A_CELL]
        cells = np.array([(x + dx / 2, y + dy / 2) for dx, dy in around])
        found, *_ = np.linalg.lstsq(corners, cells, rcond=None)
        yield np.asarray(found.T, np.float64)


def _off(lattice: CellsFromPx, entries: Iterable[Entry]) -> float:
    """Return how far cards lie off the cells of a lattice, in cells, summed."""
    centres = ((entry["at"], middle(entry["outline"])) for entry in entries)
    return sum(
        float(np.abs(cells_at(lattice, [centre])[0] - at).max())
        for at, centre in centres
        if centre is not None
    )


def _apart_px(one: Entry, other: Entry) -> float:
    here, there = middle(one["outline"]), middle(other["outline"])
    return hypot(here[0] - there[0], here[1] - there[1]) if here and there else float("inf")
