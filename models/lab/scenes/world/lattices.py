"""From cells to millimetres: layouts as careless hands lay them, on free lattices and on boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np

from engine.lattice import Cell
from models.lab.scenes.settings import CardSettings
from models.lab.scenes.world.arrays import Array, Json, Random, pair
from models.lab.scenes.world.faces import Face, hex_centre
from models.lab.scenes.world.things import Item

MOST_OVERLAP_MM = 0.4
"""Largest overlap of thick tiles; tiles thinner than ``THIN_MM`` slip over each other further."""
THIN_MM = 0.7


@dataclass(frozen=True)
class Spot:
    """Where a tile would lie if it were laid perfectly."""

    face: str
    place_mm: tuple[float, float]
    angle_deg: float
    cells_mm: Array
    """Middles of its cells relative to its own origin, unturned, N x 2."""
    truth: Json
    flipped: bool = False
    z_mm: float = 0.0
    role: str = "tile"


def single_spot(
    kind: str, cell: Cell, turns: int, period: int, step_mm: float, lattice: str
) -> Spot:
    """Return where a tile of one cell should lie on a free lattice.

    Args:
        kind: kind of the tile.
        cell: the cell that it lies on.
        turns: clockwise turns, in steps of the lattice.
        period: turns after which it looks the same.
        step_mm: distance between neighbouring cells.
        lattice: ``square`` or ``hex``.
    """
    middle = pair(cell_middles([cell], step_mm, lattice)[0])
    angle = 360.0 / (4 if lattice == "square" else 6) * turns
    truth = {"tile": kind, "at": list(cell), "turns": turns % period}
    return Spot(kind, middle, angle, np.zeros((1, 2)), truth)


def turned(points: Array, angle_deg: float) -> Array:
    """Return points turned clockwise, as seen from above."""
    c, s = cos(radians(angle_deg)), sin(radians(angle_deg))
    return np.asarray(np.asarray(points) @ np.array([[c, s], [-s, c]]))


def laid(spots: Sequence[Spot], cards: CardSettings, pitch_mm: float, rng: Random) -> list[Item]:
    """Return the tiles as they really lie: shifted, turned and tilted, with little overlap."""
    count = len(spots)
    if not count:
        return []
    places = np.array([spot.place_mm for spot in spots], float)
    radius = cards.shift_mm * np.sqrt(rng.random(count))
    around = rng.uniform(0, 2 * np.pi, count)
    shifts = np.stack([radius * np.cos(around), radius * np.sin(around)], axis=1)
    turns = rng.uniform(-cards.turn_deg, cards.turn_deg, count)
    shares = _room(spots, places, shifts, turns, pitch_mm, cards)
    drift = _drift(places, cards.drift_mm, rng)
    lying = places + shifts * shares[:, None] + drift
    return [
        item_of(spot, pair(at), spot.angle_deg + turn, cards, rng)
        for spot, at, turn in zip(spots, lying, turns * shares, strict=True)
    ]


def item_of(
    spot: Spot, at_mm: tuple[float, float], angle_deg: float, cards: CardSettings, rng: Random
) -> Item:
    """Return one tile of the set with its own wear and warp."""
    warp = radians(cards.bend_deg)
    tilt = rng.normal(0, 0.003 + 0.12 * warp, 2)
    bend = rng.normal(0, warp, 2)
    wear, seed = cards.wear * float(rng.uniform(0.3, 1)), int(rng.integers(1 << 30))
    lies = spot.face, *at_mm, float(angle_deg), spot.z_mm, cards.thickness_mm, spot.flipped
    looks = pair(tilt), cards.side, cards.gloss, wear, pair(bend)
    return Item(*lies, *looks, spot.role, spot.truth, seed)


def big_enough(face: Face) -> float:
    """Return the radius of a circle around the origin that contains a face at any angle."""
    return float(np.hypot(*face.outline_mm.T).max())


def hex_pose(kind_cells: Sequence[Cell], laid_cells: Sequence[Cell]) -> tuple[Cell, int, bool]:
    """Return where a hex tile's first cell lies, its turns of 60 degrees, and whether flipped.

    Raises:
        ValueError: the tile cannot cover these cells.
    """
    target = set(laid_cells)
    for flipped in (False, True):
        # Turning a tile over about its vertical axis mirrors left and right.
        cells = [(-q - r, r) if flipped else (q, r) for q, r in kind_cells]
        for turns in range(6):
            for at in laid_cells:
                if {(at[0] + q - cells[0][0], at[1] + r - cells[0][1]) for q, r in cells} == target:
                    return at, turns, flipped
            cells = [(-r, q + r) for q, r in cells]
    raise ValueError(f"a tile of cells {kind_cells} cannot lie on {laid_cells}")


def cell_middles(cells: Sequence[Cell], pitch_mm: float, lattice: str) -> Array:
    """Return the middles of cells relative to the lattice's origin."""
    if lattice == "hex":
        return np.array([hex_centre(cell, pitch_mm) for cell in cells])
    return np.array(cells, float) * pitch_mm


def _room(
    spots: Sequence[Spot],
    places: Array,
    shifts: Array,
    turns: Array,
    pitch_mm: float,
    cards: CardSettings,
) -> Array:
    """Return the share of its drawn shift and turn that each tile has room for."""
    shares = np.ones(len(spots))
    allowed = 2.0 if cards.thickness_mm < THIN_MM else MOST_OVERLAP_MM
    pairs = list(_touching(spots, places, pitch_mm))
    if not pairs:
        return shares
    first, second, offset_a, offset_b = (np.array(part) for part in zip(*pairs, strict=True))
    rest = np.linalg.norm(places[first] + offset_a - places[second] - offset_b, axis=1)
    for _ in range(5):
        moved = shifts * shares[:, None]
        spin = np.radians(turns * shares)
        a = places[first] + moved[first] + offset_a + _spun(offset_a, spin[first])
        b = places[second] + moved[second] + offset_b + _spun(offset_b, spin[second])
        swing = (np.abs(spin[first]) + np.abs(spin[second])) * pitch_mm / 4
        tight = np.linalg.norm(a - b, axis=1) - swing < np.minimum(rest, pitch_mm) - allowed
        if not tight.any():
            break
        shares[first[tight]] *= 0.6
        shares[second[tight]] *= 0.6
    return shares


def _spun(offset: Array, angle: Array) -> Array:
    """Return the displacement of points at an offset from the tile's origin by a small turn."""
    return np.stack([-offset[:, 1] * angle, offset[:, 0] * angle], axis=1)


def _touching(
    spots: Sequence[Spot], places: Array, pitch_mm: float
) -> Iterator[tuple[int, int, Array, Array]]:
    """Yield pairs of tiles with adjacent cells, and the offsets of those cells."""
    owners, offsets = [], []
    for i, spot in enumerate(spots):
        mirrored = spot.cells_mm * ((-1, 1) if spot.flipped else (1, 1))
        for offset in turned(mirrored, spot.angle_deg):
            owners.append(i)
            offsets.append(offset)
    owner, offset_of = np.array(owners), np.array(offsets)
    middles = places[owner] + offset_of
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    for a, b in zip(*np.nonzero(np.triu(apart < pitch_mm * 1.2, 1)), strict=True):
        if owner[a] != owner[b]:
            yield int(owner[a]), int(owner[b]), offset_of[a], offset_of[b]


def _drift(places: Array, drift_mm: float, rng: Random) -> Array:
    """Return a smooth drift of the whole lattice, as in rows laid by eye."""
    if not drift_mm or len(places) < 2:
        return np.zeros_like(places)
    size = max(float(np.ptp(places, axis=0).max()), 1.0)
    waves = rng.normal(0, 1, (2, 2, 3))
    u = places / size
    basis = np.stack([u[:, 0] * u[:, 1], u[:, 0] ** 2, u[:, 1] ** 2], axis=1)
    moved = basis @ waves[0].T
    return np.asarray(moved / max(float(np.abs(moved).max()), 1e-6) * drift_mm)
