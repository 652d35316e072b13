"""What lies beside the layout: stocks sorted before the players, piles, discards, unused tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import cos, pi, sin

import numpy as np

from models.scenes.arrays import Array
from models.scenes.faces import Face, square_outline
from models.scenes.lattices import Spot, big_enough, item_of
from models.scenes.settings import SceneSettings
from models.scenes.things import Item, TableTop

Random = np.random.Generator

BACK = "back"
CLEAR_PITCHES = 1.3
"""Free space around the layout: what lies closer would be part of it to any player."""
MOST_SHOWN_OF_PILE = 4


@dataclass
class Room:
    """Keeps things from lying inside one another: circles that are taken."""

    places: list[tuple[float, float, float]] = field(default_factory=list)

    def is_free(self, x_mm: float, y_mm: float, radius_mm: float) -> bool:
        """Say whether a circle touches none that is taken."""
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
        """Return the room that a table leaves, with some distance kept from the layout."""
        room = cls()
        for item in top.items:
            face = top.faces[item.face]
            keep = clear_mm if item.role in ("tile", "board") else 3.0
            middle = item.outline_mm(face)[:, :2].mean(axis=0)
            room.take(float(middle[0]), float(middle[1]), big_enough(face) * 0.75 + keep)
        return room

    def find(self, box: Array, radius_mm: float, reach_mm: float, rng: Random,
             inwards_mm: float = 0.0) -> tuple[float, float] | None:  # fmt: skip
        """Return a free place around a box (left, top, right, bottom), or none after many tries."""
        left, top, right, bottom = box
        for _ in range(30):
            angle = rng.uniform(0, 2 * pi)
            away = rng.uniform(radius_mm - inwards_mm, radius_mm + reach_mm)
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
    room = Room.around(top, CLEAR_PITCHES * pitch_mm)
    box = box_of(top)
    names = sorted(name for name, n in left.items() if n > 0 and name in top.faces)
    items: list[Item] = []
    hexes = top.faces[names[0]].outline_mm.shape[0] != len(square_outline(1)) if names else False
    if clutter.stocks and names:
        if hexes or any(len(top.faces[n].cells) > 1 for n in names[:1]):
            items += _scattered(names, top, settings, box, room, rng)
        else:
            items += _stocks(names, left, top, settings, box, room, pitch_mm, rng)
    if not hexes:
        if clutter.draw_pile and BACK in top.faces:
            items += _pile(BACK, int(rng.integers(3, 20)), top, settings, box, room, rng)
        if clutter.discard and names:
            name = names[int(rng.integers(len(names)))]
            items += _pile(name, int(rng.integers(1, 6)), top, settings, box, room, rng, messy=True)
    return replace(top, items=(*top.items, *items))


def box_of(top: TableTop) -> Array:
    """Return left, top, right and bottom of the layout."""
    return np.concatenate([top.extent_mm.min(axis=0), top.extent_mm.max(axis=0)])


def _aside(
    name: str,
    at_mm: tuple[float, float],
    angle_deg: float,
    settings: SceneSettings,
    rng: Random,
    z_mm: float = 0.0,
    flipped: bool = False,
) -> Item:
    spot = Spot(name, at_mm, angle_deg, np.zeros((1, 2)), {"tile": name}, flipped, z_mm, "aside")
    return item_of(spot, at_mm, angle_deg, settings.cards, rng)


def _scattered(
    names: Sequence[str],
    top: TableTop,
    settings: SceneSettings,
    box: Array,
    room: Room,
    rng: Random,
) -> list[Item]:
    """Return unused hex tiles lying about at any angle, either side up."""
    items = []
    for name in names:
        face = top.faces[name]
        middle = (face.outline_mm.max(axis=0) + face.outline_mm.min(axis=0)) / 2
        radius = float(np.hypot(*(face.outline_mm - middle).T).max())
        at = room.find(box, radius, 160, rng)
        if at is None:
            continue
        room.take(*at, radius + 2)
        angle = float(rng.uniform(0, 360))
        item = _aside(name, at, angle, settings, rng, 0, bool(rng.random() < 0.5))
        # The circle is around the tile's middle, which is not its first cell.
        offset = item.outline_mm(face)[:, :2]
        middle = (offset.max(axis=0) + offset.min(axis=0)) / 2
        items.append(replace(item, x_mm=2 * at[0] - float(middle[0]),
                             y_mm=2 * at[1] - float(middle[1])))  # fmt: skip
    return items


def _stocks(
    names: Sequence[str],
    left: Counter[str],
    top: TableTop,
    settings: SceneSettings,
    box: Array,
    room: Room,
    pitch_mm: float,
    rng: Random,
) -> list[Item]:
    """Return stocks sorted by kind along the sides of the layout, one side a player."""
    items: list[Item] = []
    owners = sorted({name.partition("/")[0] for name in names}) or [""]
    sides = rng.permutation(4)
    for k, owner in enumerate(owners[:4]):
        own = [name for name in names if name.partition("/")[0] == owner]
        side = int(sides[k])
        items += _stock_row(own, left, top, settings, box, room, pitch_mm, side, rng)
    return items


def _stock_row(
    own: Sequence[str], left: Counter[str], top: TableTop, settings: SceneSettings, box: Array,
    room: Room, pitch_mm: float, side: int, rng: Random,
) -> list[Item]:  # fmt: skip
    angle = 90.0 * side + float(rng.normal(0, 5))
    away = (CLEAR_PITCHES + 0.8) * pitch_mm + float(rng.uniform(0, 60))
    gap = pitch_mm * float(rng.uniform(1.05, 1.4))
    turn = np.radians(angle)
    along, out = np.array([cos(turn), sin(turn)]), np.array([-sin(turn), cos(turn)])
    middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    half = abs(along[1]) * (box[2] - box[0]) / 2 + abs(along[0]) * (box[3] - box[1]) / 2
    shown: list[tuple[str, int]] = []
    for name in own:
        count = left[name]
        shown += [(name, 1)] * min(count, 6) if settings.clutter.stock_spread else [(name, count)]
    items: list[Item] = []
    start = float(rng.normal(0, 0.5)) - (min(len(shown), 8) - 1) / 2
    quarter = 90.0 * int(rng.integers(4))
    for i, (name, count) in enumerate(shown[:16]):
        row, column = divmod(i, 8)
        at = middle + along * (start + column) * gap + out * (half + away + row * gap)
        if not room.is_free(float(at[0]), float(at[1]), pitch_mm * 0.5):
            continue
        spread = float(rng.uniform(0.3, 2.5))
        thick = settings.cards.thickness_mm
        for level in range(max(0, count - MOST_SHOWN_OF_PILE), count):
            place = at + rng.normal(0, spread, 2)
            items.append(_aside(
                name, (float(place[0]), float(place[1])),
                angle + quarter + float(rng.normal(0, 3)), settings, rng, level * thick,
            ))  # fmt: skip
        room.take(float(at[0]), float(at[1]), pitch_mm * 0.6)
    return items


def _pile(
    name: str, count: int, top: TableTop, settings: SceneSettings, box: Array, room: Room,
    rng: Random, messy: bool = False,
) -> list[Item]:  # fmt: skip
    face: Face = top.faces[name]
    radius = big_enough(face)
    at = room.find(box, radius, 120, rng)
    if at is None:
        return []
    room.take(*at, radius + 3)
    angle = float(rng.uniform(0, 360))
    wide, turn = (6.0, 25.0) if messy else (0.8, 2.0)
    thick = settings.cards.thickness_mm
    first = max(0, count - 6)
    return [
        _aside(
            name, (at[0] + float(rng.normal(0, wide)), at[1] + float(rng.normal(0, wide))),
            angle + float(rng.normal(0, turn)), settings, rng, level * thick,
        )
        for level in range(first, count)
    ]  # fmt: skip
