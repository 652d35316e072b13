"""What lies close beside a layout of square cards: stocks, hands, heaps, piles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin

import numpy as np

from models.scenes.arrays import Array
from models.scenes.faces import Face
from models.scenes.lattices import Spot, item_of, turned
from models.scenes.settings import SceneSettings
from models.scenes.things import Item, TableTop

Random = np.random.Generator

CLOSE_MM = (10.0, 40.0)
"""From the edge of a card in play to the edge of what lies beside it."""
APART_MM = 8.0
"""Between two such things."""
STEP_MM = 2.0
SHAPES = {"row": 0.34, "kind": 0.16, "hand": 0.2, "single": 0.14, "heap": 0.08, "pile": 0.08}
"""What players have before them: a sorted row, cards of one kind, a hand laid open, one card, a
heap, a pile; and how often."""
NEATLY = 0.5
"""Share of those that lie straight to the layout."""


@dataclass(frozen=True)
class _Lain:
    """One card of a thing beside the layout, around the thing's own middle."""

    name: str
    at_mm: tuple[float, float]
    angle_deg: float
    level: int = 0


def lay_close(
    top: TableTop, left: Counter[str], settings: SceneSettings, pitch_mm: float, rng: Random
) -> TableTop:
    """Return the table with one to four things close beside the layout, of what the box has left.

    Args:
        top: the layout.
        left: how many of each card are not played.
        settings: how cards lie.
        pitch_mm: from cell to cell.
        rng: to draw with.
    """
    small = {name for name, face in top.faces.items() if len(face.cells) == 1}
    stock = Counter({name: n for name, n in left.items() if n > 0 and name in small})
    played = [item for item in top.items if item.role == "tile"]
    items: list[Item] = []
    for _ in range(int(rng.choice([1, 2, 3, 4], p=[0.3, 0.35, 0.25, 0.1]))):
        lain = _thing(stock, pitch_mm, rng)
        if not lain or not played:
            break
        stock -= Counter(card.name for card in lain)
        items += _laid_close(lain, played, items, top, settings, rng)
    return replace(top, items=(*top.items, *items))


def _thing(stock: Counter[str], pitch_mm: float, rng: Random) -> list[_Lain]:
    """Return what one player has before him."""
    names = sorted(stock)
    if not names:
        return []
    shape = str(rng.choice(list(SHAPES), p=list(SHAPES.values())))
    first = names[int(rng.integers(len(names)))]
    if shape == "row":
        owner = first.partition("/")[0]
        some = [n for n in sorted(stock.elements()) if n.partition("/")[0] == owner]
        start = int(rng.integers(max(1, len(some) - 3)))
        return _rows(some[start : start + int(rng.integers(2, 11))], pitch_mm, rng)
    if shape == "kind":
        return _rows([first] * min(stock[first], int(rng.integers(2, 7))), pitch_mm, rng)
    every = sorted(stock.elements())
    count = {"hand": int(rng.integers(2, 6)), "heap": int(rng.integers(3, 7)),
             "pile": int(rng.integers(2, 6)), "single": 1}[shape]  # fmt: skip
    some = [every[int(i)] for i in rng.choice(len(every), min(count, len(every)), replace=False)]
    if shape == "pile":
        return [_Lain(name, _near(rng, 0.8), float(rng.normal(0, 2)), k)
                for k, name in enumerate(some)]  # fmt: skip
    askew, gap = (25.0, 0.35) if shape == "heap" else (float(rng.uniform(0, 8)), 0.12)
    step = pitch_mm * (1 + gap * float(rng.random()) + askew / 60)
    middle = (len(some) - 1) / 2
    return [
        _Lain(name, ((k - middle) * step, float(rng.normal(0, 0.1 * askew))),
              90.0 * int(rng.integers(4)) + float(rng.normal(0, askew)))
        for k, name in enumerate(some)
    ]  # fmt: skip


def _rows(names: Sequence[str], pitch_mm: float, rng: Random) -> list[_Lain]:
    """Return cards in one row or two, all turned the same way, more or less carefully."""
    step = pitch_mm + float(rng.choice([rng.uniform(0, 2), rng.uniform(1, 12)]))
    care, askew = float(rng.uniform(0.2, 1.5)), float(rng.uniform(0.2, 3))
    wide = len(names) if len(names) < 5 or rng.random() < 0.5 else (len(names) + 1) // 2
    quarter = 90.0 * int(rng.integers(4))
    out = []
    for k, name in enumerate(names):
        row, column = divmod(k, wide)
        off = _near(rng, care)
        at = ((column - (wide - 1) / 2) * step + off[0], row * step + off[1])
        out.append(_Lain(name, at, quarter + float(rng.normal(0, askew))))
    return out


def _near(rng: Random, spread_mm: float) -> tuple[float, float]:
    x, y = rng.normal(0, spread_mm, 2)
    return float(x), float(y)


def _laid_close(
    lain: Sequence[_Lain], played: Sequence[Item], beside: Sequence[Item], top: TableTop,
    settings: SceneSettings, rng: Random,
) -> list[Item]:  # fmt: skip
    """Return a thing moved away from a card in play until it lies as close to all as is drawn."""
    near = played[int(rng.integers(len(played)))]
    spin = near.angle_deg + 90.0 * int(rng.integers(4))
    spin += float(rng.normal(0, 1.5) if rng.random() < NEATLY else rng.normal(0, 15))
    wanted, angle = float(rng.uniform(*CLOSE_MM)), float(rng.uniform(0, 2 * pi))
    outlines = outlines_of(played, top.faces)
    others = outlines_of(beside, top.faces) if beside else None
    away = 0.0
    while True:
        shift = near.x_mm + away * cos(angle), near.y_mm + away * sin(angle)
        items = [_item(card, shift, spin, settings, rng) for card in lain]
        own = outlines_of(items, top.faces)
        short = wanted - least_gap_mm(own, outlines)
        if others is not None:
            short = max(short, APART_MM - least_gap_mm(own, others))
        if short <= 0:
            return items
        # Nothing comes nearer by more than it is moved.
        away += max(short, STEP_MM)


def _item(
    card: _Lain, shift: tuple[float, float], spin: float, settings: SceneSettings, rng: Random
) -> Item:
    x, y = turned(np.array(card.at_mm), spin) + np.array(shift)
    at, angle = (float(x), float(y)), spin + card.angle_deg
    height = card.level * settings.cards.thickness_mm
    spot = Spot(card.name, at, angle, np.zeros((1, 2)), {"tile": card.name}, False, height, "aside")
    return item_of(spot, at, angle, settings.cards, rng)


def outlines_of(items: Sequence[Item], faces: Mapping[str, Face]) -> Array:
    """Return the corners of square items on the table, N x 4 x 2."""
    return np.stack([item.outline_mm(faces[item.face])[:, :2] for item in items])


def least_gap_mm(some: Array, others: Array) -> float:
    """Return how near convex outlines, N x K x 2, come to others; 0 where one is in another."""
    return min(_to_edges_mm(some, others), _to_edges_mm(others, some))


def _to_edges_mm(some: Array, others: Array) -> float:
    points = np.concatenate([some.reshape(-1, 2), some.mean(axis=1)])[:, None, None]
    start, along = others, np.roll(others, -1, axis=1) - others
    away = points - start
    share = np.clip((away * along).sum(axis=3) / (along**2).sum(axis=2), 0, 1)
    apart = np.linalg.norm(away - share[..., None] * along, axis=3)
    side = along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]
    inside = (side >= 0).all(axis=2) | (side <= 0).all(axis=2)
    return 0.0 if inside.any() else float(apart.min())
