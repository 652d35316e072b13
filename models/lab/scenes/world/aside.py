"""What lies beside the layout: stocks sorted before the players, piles, discards, unused tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import cos, pi, radians, sin

import numpy as np

from models.lab.scenes.settings import SceneSettings
from models.lab.scenes.world.arrays import Array, Random, pair
from models.lab.scenes.world.faces import BACK, Face, square_outline
from models.lab.scenes.world.lattices import Spot, big_enough, item_of, turned
from models.lab.scenes.world.things import Item, TableTop

CLEAR_PITCHES = 1.3
"""Free space around the layout: what lies closer looks like a part of it to any player."""
MOST_SHOWN_OF_PILE = 4
CLOSE_MM = (10.0, 40.0)
"""Range of the gap between a card in play and a thing close beside the layout."""
APART_MM = 8.0
"""Least gap between two things close beside the layout."""
STEP_MM = 2.0
SHAPES = {"row": 0.34, "kind": 0.16, "hand": 0.2, "single": 0.14, "heap": 0.08, "pile": 0.08}
"""Probabilities of what a player has beside the layout: a sorted row, cards of one kind, an open
hand, one card, a heap, a pile."""
NEATLY = 0.5
"""Share of things close beside the layout that are aligned with it."""


@dataclass
class Room:
    """Free space on a table, stored as circles that are taken."""

    places: list[tuple[float, float, float]] = field(default_factory=list)

    def is_free(self, x_mm: float, y_mm: float, radius_mm: float) -> bool:
        """Say whether a circle overlaps none that is taken."""
        if not self.places:
            return True
        taken = np.array(self.places)
        apart = np.hypot(taken[:, 0] - x_mm, taken[:, 1] - y_mm)
        return bool((apart > taken[:, 2] + radius_mm).all())

    def take(self, x_mm: float, y_mm: float, radius_mm: float) -> None:
        """Mark a circle as taken."""
        self.places.append((x_mm, y_mm, radius_mm))

    @classmethod
    def around(cls, top: TableTop, clear_mm: float) -> Room:
        """Return the free space of a table, with some distance kept from the layout."""
        room = cls()
        for item in top.items:
            face = top.faces[item.face]
            keep = clear_mm if item.role in ("tile", "board") else 3.0
            middle = item.outline_mm(face)[:, :2].mean(axis=0)
            room.take(*pair(middle), big_enough(face) * 0.75 + keep)
        return room

    def find(
        self, box: Array, radius_mm: float, reach_mm: float, rng: Random
    ) -> tuple[float, float] | None:
        """Return a free place around a box (left, top, right, bottom), or none after many tries."""
        left, top, right, bottom = box
        for _ in range(30):
            angle = rng.uniform(0, 2 * pi)
            away = rng.uniform(radius_mm, radius_mm + reach_mm)
            middle = (left + right) / 2, (top + bottom) / 2
            x = middle[0] + cos(angle) * ((right - left) / 2 + away) * 1.1
            y = middle[1] + sin(angle) * ((bottom - top) / 2 + away) * 1.1
            if self.is_free(x, y, radius_mm):
                return float(x), float(y)
        return None


def lay_aside(
    top: TableTop, left: Counter[str], settings: SceneSettings, pitch_mm: float, rng: Random
) -> TableTop:
    """Return the table with what is left of the box lying around the layout."""
    clutter = settings.clutter
    laying = _Laying(top, settings, Room.around(top, CLEAR_PITCHES * pitch_mm), box_of(top), rng)
    names = sorted(name for name, n in left.items() if n > 0 and name in top.faces)
    items: list[Item] = []
    hexes = top.faces[names[0]].outline_mm.shape[0] != len(square_outline(1)) if names else False
    if clutter.stocks and names:
        if hexes or any(len(top.faces[n].cells) > 1 for n in names[:1]):
            items += laying.scattered(names)
        else:
            items += laying.stocks(names, left, pitch_mm)
    if not hexes:
        if clutter.draw_pile and BACK in top.faces:
            items += laying.pile(BACK, int(rng.integers(3, 20)))
        if clutter.discard and names:
            name = names[int(rng.integers(len(names)))]
            items += laying.pile(name, int(rng.integers(1, 6)), messy=True)
    return replace(top, items=(*top.items, *items))


def box_of(top: TableTop) -> Array:
    """Return left, top, right and bottom of the layout."""
    return np.concatenate([top.extent_mm.min(axis=0), top.extent_mm.max(axis=0)])


@dataclass(frozen=True)
class _Laying:
    """Lays things around a layout, where there is room."""

    top: TableTop
    settings: SceneSettings
    room: Room
    box: Array
    rng: Random

    def scattered(self, names: Sequence[str]) -> list[Item]:
        """Return unused hex tiles lying about at any angle, either side up."""
        items, rng = [], self.rng
        for name in names:
            face = self.top.faces[name]
            middle = (face.outline_mm.max(axis=0) + face.outline_mm.min(axis=0)) / 2
            radius = float(np.hypot(*(face.outline_mm - middle).T).max())
            at = self.room.find(self.box, radius, 160, rng)
            if at is None:
                continue
            self.room.take(*at, radius + 2)
            angle = float(rng.uniform(0, 360))
            flipped = bool(rng.random() < 0.5)
            item = item_beside(name, at, angle, 0, self.settings, rng, flipped)
            # The circle is around the tile's middle, which is not its first cell.
            offset = item.outline_mm(face)[:, :2]
            middle = (offset.max(axis=0) + offset.min(axis=0)) / 2
            items.append(
                replace(item, x_mm=2 * at[0] - float(middle[0]), y_mm=2 * at[1] - float(middle[1]))
            )
        return items

    def stocks(self, names: Sequence[str], left: Counter[str], pitch_mm: float) -> list[Item]:
        """Return stocks sorted by kind along the sides of the layout, one side per player."""
        owners = sorted({name.partition("/")[0] for name in names}) or [""]
        sides = self.rng.permutation(4)
        items: list[Item] = []
        for k, owner in enumerate(owners[:4]):
            own = [name for name in names if name.partition("/")[0] == owner]
            items += self._stock_row(own, left, pitch_mm, int(sides[k]))
        return items

    def _stock_row(
        self, own: Sequence[str], left: Counter[str], pitch_mm: float, side: int
    ) -> list[Item]:
        rng, box = self.rng, self.box
        angle = 90.0 * side + float(rng.normal(0, 5))
        away = (CLEAR_PITCHES + 0.8) * pitch_mm + float(rng.uniform(0, 60))
        gap = pitch_mm * float(rng.uniform(1.05, 1.4))
        turn = np.radians(angle)
        along, out = np.array([cos(turn), sin(turn)]), np.array([-sin(turn), cos(turn)])
        middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
        half = abs(along[1]) * (box[2] - box[0]) / 2 + abs(along[0]) * (box[3] - box[1]) / 2
        spread_out = self.settings.clutter.stock_spread
        shown: list[tuple[str, int]] = []
        for name in own:
            shown += [(name, 1)] * min(left[name], 6) if spread_out else [(name, left[name])]
        items: list[Item] = []
        start = float(rng.normal(0, 0.5)) - (min(len(shown), 8) - 1) / 2
        quarter = 90.0 * int(rng.integers(4))
        for i, (name, count) in enumerate(shown[:16]):
            row, column = divmod(i, 8)
            at = middle + along * (start + column) * gap + out * (half + away + row * gap)
            if not self.room.is_free(*pair(at), pitch_mm * 0.5):
                continue
            spread = float(rng.uniform(0.3, 2.5))
            thick = self.settings.cards.thickness_mm
            for level in range(max(0, count - MOST_SHOWN_OF_PILE), count):
                place = at + rng.normal(0, spread, 2)
                spin = angle + quarter + float(rng.normal(0, 3))
                height = level * thick
                items.append(item_beside(name, pair(place), spin, height, self.settings, rng))
            self.room.take(*pair(at), pitch_mm * 0.6)
        return items

    def pile(self, name: str, count: int, messy: bool = False) -> list[Item]:
        """Return a pile of cards, of which only the uppermost are placed."""
        rng = self.rng
        radius = big_enough(self.top.faces[name])
        at = self.room.find(self.box, radius, 120, rng)
        if at is None:
            return []
        self.room.take(*at, radius + 3)
        angle = float(rng.uniform(0, 360))
        wide, turn = (6.0, 25.0) if messy else (0.8, 2.0)
        items = []
        for level in range(max(0, count - 6), count):
            place = at[0] + float(rng.normal(0, wide)), at[1] + float(rng.normal(0, wide))
            spin = angle + float(rng.normal(0, turn))
            height = level * self.settings.cards.thickness_mm
            items.append(item_beside(name, place, spin, height, self.settings, rng))
        return items


def item_beside(
    name: str,
    at_mm: tuple[float, float],
    angle_deg: float,
    z_mm: float,
    settings: SceneSettings,
    rng: Random,
    flipped: bool = False,
) -> Item:
    """Return a tile that lies beside the layout."""
    spot = Spot(name, at_mm, angle_deg, np.zeros((1, 2)), {"tile": name}, flipped, z_mm, "aside")
    return item_of(spot, at_mm, angle_deg, settings.cards, rng)


# --- Close beside the layout ---


@dataclass(frozen=True)
class _Lain:
    """One card of a thing beside the layout, relative to the thing's own middle."""

    name: str
    at_mm: tuple[float, float]
    angle_deg: float
    level: int = 0


def lay_close(
    top: TableTop,
    left: Counter[str],
    settings: SceneSettings,
    pitch_mm: float,
    rng: Random,
    in_line: bool = False,
) -> TableTop:
    """Return the table with one to four things close beside the layout, made of unplayed cards.

    Args:
        top: the layout.
        left: how many of each card are not played.
        settings: how cards lie.
        pitch_mm: distance between neighbouring cells.
        rng: source of randomness.
        in_line: whether everything is aligned with the layout and lies in line with its cards.
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
        items += _laid_close(lain, played, items, top, settings, rng, in_line)
    return replace(top, items=(*top.items, *items))


def _thing(stock: Counter[str], pitch_mm: float, rng: Random) -> list[_Lain]:
    """Return the cards that one player has beside the layout."""
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
    count = {
        "hand": int(rng.integers(2, 6)),
        "heap": int(rng.integers(3, 7)),
        "pile": int(rng.integers(2, 6)),
        "single": 1,
    }[shape]
    some = [every[int(i)] for i in rng.choice(len(every), min(count, len(every)), replace=False)]
    if shape == "pile":
        return [
            _Lain(name, _near(rng, 0.8), float(rng.normal(0, 2)), k) for k, name in enumerate(some)
        ]
    askew, gap = (25.0, 0.35) if shape == "heap" else (float(rng.uniform(0, 8)), 0.12)
    step = pitch_mm * (1 + gap * float(rng.random()) + askew / 60)
    middle = (len(some) - 1) / 2
    return [
        _Lain(
            name,
            ((k - middle) * step, float(rng.normal(0, 0.1 * askew))),
            90.0 * int(rng.integers(4)) + float(rng.normal(0, askew)),
        )
        for k, name in enumerate(some)
    ]


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
    return pair(rng.normal(0, spread_mm, 2))


def _laid_close(
    lain: Sequence[_Lain],
    played: Sequence[Item],
    beside: Sequence[Item],
    top: TableTop,
    settings: SceneSettings,
    rng: Random,
    in_line: bool,
) -> list[Item]:
    """Return a thing moved away from a card in play until it keeps the drawn gap to all cards."""
    near = played[int(rng.integers(len(played)))]
    spin = near.angle_deg + 90.0 * int(rng.integers(4))
    spin += float(rng.normal(0, 1.5) if in_line or rng.random() < NEATLY else rng.normal(0, 15))
    wanted, angle = float(rng.uniform(*CLOSE_MM)), float(rng.uniform(0, 2 * pi))
    if in_line:
        angle = radians(near.angle_deg + 90.0 * int(rng.integers(4)))
        lain = _around(lain, int(rng.integers(len(lain))))
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
        # A gap changes by at most the distance moved, so a step of ``short`` skips no free place.
        away += max(short, STEP_MM)


def _around(lain: Sequence[_Lain], middle: int) -> list[_Lain]:
    """Return a thing moved so that one of its cards is in its middle."""
    x, y = lain[middle].at_mm
    return [replace(card, at_mm=(card.at_mm[0] - x, card.at_mm[1] - y)) for card in lain]


def _item(
    card: _Lain, shift: tuple[float, float], spin: float, settings: SceneSettings, rng: Random
) -> Item:
    at = pair(turned(np.array(card.at_mm), spin) + np.array(shift))
    height = card.level * settings.cards.thickness_mm
    return item_beside(card.name, at, spin + card.angle_deg, height, settings, rng)


def outlines_of(items: Sequence[Item], faces: Mapping[str, Face]) -> Array:
    """Return the corners of square items on the table, N x 4 x 2."""
    return np.stack([item.outline_mm(faces[item.face])[:, :2] for item in items])


def least_gap_mm(some: Array, others: Array) -> float:
    """Return the least gap between convex outlines, N x K x 2; 0 where one lies in another."""
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
