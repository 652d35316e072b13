"""A table on which a whole game is played: everything keeps its place until it is moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from engine.placement import Clay, Layout, Piece, Placement
from models.lab.scenes.arrange import card_truth, lay_out, moved_item, pieces_of
from models.lab.scenes.games.positions import Table, left_in_box
from models.lab.scenes.settings import SceneSettings
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array
from models.lab.scenes.world.aside import lay_aside
from models.lab.scenes.world.faces import Box, printed_box
from models.lab.scenes.world.lattices import Spot, item_of, turned
from models.lab.scenes.world.props import add_props
from models.lab.scenes.world.things import Item, TableTop

Thing = Placement | Piece | Clay

NUDGE_MM = 2.5
NUDGE_DEG = 4.0


class Stage:
    """Where each placement of a game lies, the same from its first frame to its last."""

    def __init__(
        self,
        settings: SceneSettings,
        players: tuple[str, ...],
        layouts: Iterable[Layout],
        box: Box | None = None,
    ) -> None:
        self.settings = settings
        box = box or printed_box(settings.set_name, settings.cards.size_mm)
        self._tile_set = box.tile_set
        every = list(layouts)
        rng = rng_of("stage", settings.split, settings.subject, settings.seed)
        self._frame = lay_out(
            Table(_all_places(every), players, left_in_box(self._tile_set, every[-1])),
            replace(settings, cards=replace(settings.cards, turn_deg=0.0, shift_mm=0.0)),
            box,
            rng,
        )
        self._cells = {_cell_of(i): i for i in self._frame.items if "at" in i.truth}
        self._angles = self._lattice_angles()
        self._boards = {i.truth["board"]: i for i in self._frame.items if i.role == "board"}
        self._around = self._surroundings(every[-1], rng)
        self._nudged: dict[Thing, tuple[float, float, float]] = {}

    @property
    def extent_mm(self) -> Array:
        """Corners of everything that will ever be laid, which the camera should have in view."""
        return self._frame.extent_mm

    def top(self, layout: Layout) -> TableTop:
        """Return the table with a layout on it."""
        items = [self.item(thing) for thing in layout.placements()]
        boards = tuple(self._boards.values())
        around = self._around
        return replace(around, items=(*boards, *items, *around.items), extent_mm=self.extent_mm)

    def item(self, thing: Thing) -> Item:
        """Return one placement as it lies: a little askew, but always in the same way."""
        rng = rng_of("lie", self.settings.split, self.settings.seed, thing)
        item = self._card(thing, rng) if isinstance(thing, Placement) else self._piece(thing, rng)
        dx, dy, spin = self._nudged.get(thing, (0.0, 0.0, 0.0))
        return replace(
            item, x_mm=item.x_mm + dx, y_mm=item.y_mm + dy, angle_deg=item.angle_deg + spin
        )

    def nudge(self, thing: Thing, rng: np.random.Generator) -> None:
        """Shift and turn one tile slightly from now on, as a sleeve does."""
        dx, dy = rng.uniform(-NUDGE_MM, NUDGE_MM, 2)
        self._nudged[thing] = float(dx), float(dy), float(rng.uniform(-NUDGE_DEG, NUDGE_DEG))

    def clear_away(self) -> None:
        """Remove all cups from now on."""
        self._around = replace(self._around, lathes=())

    def _card(self, card: Placement, rng: np.random.Generator) -> Item:
        cards = self.settings.cards
        x, y, angle = self._cell_pose(card)
        # Neighbours are not checked for overlap here, so cards are shifted and turned less.
        away = rng.normal(0, 0.25 * cards.shift_mm, 2).clip(-1.5, 1.5)
        spin = float(np.clip(rng.normal(0, 0.3 * cards.turn_deg), -2.5, 2.5))
        truth = card_truth(card, self._tile_set)
        spot = Spot(card.tile, (x, y), angle, np.zeros((1, 2)), truth)
        at = x + float(away[0]), y + float(away[1])
        return item_of(spot, at, angle + 90.0 * card.turns + spin, cards, rng)

    def _cell_pose(self, card: Placement) -> tuple[float, float, float]:
        """Return position and lattice angle of a cell, even of one outside the given layouts."""
        key = (card.field or 0, card.at)
        known, angle = self._cells.get(key), self._angles[key[0]]
        if known is not None:
            return known.x_mm, known.y_mm, angle
        near = next(item for (field, _), item in self._cells.items() if field == key[0])
        step = self._tile_set.pitch_mm + self.settings.cards.gap_mm
        away = np.array(card.at) - np.array(near.truth["at"])
        x, y = turned(away * step, angle) + np.array([near.x_mm, near.y_mm])
        return float(x), float(y), angle

    def _lattice_angles(self) -> dict[int, float]:
        """Return the angle of each field's lattice, from a card that has only one way up."""
        upright = sorted(self._cells.items(), key=lambda c: self._tile_set[c[1].face].period)
        return {field: item.angle_deg for (field, _), item in upright}

    def _piece(self, thing: Piece | Clay, rng: np.random.Generator) -> Item:
        cards = self.settings.cards
        careful = replace(cards, shift_mm=cards.shift_mm * 0.4, turn_deg=cards.turn_deg * 0.4)
        own = Layout.of(thing)
        settings = replace(self.settings, cards=careful)
        item = pieces_of(own, self._tile_set, settings, thing.board, rng)[0]
        board = self._boards[thing.board or 0]
        item = replace(item, z_mm=item.z_mm + board.thickness_mm)
        return moved_item(item, (board.x_mm, board.y_mm), board.angle_deg)

    def _surroundings(self, last: Layout, rng: np.random.Generator) -> TableTop:
        """Return stocks and clutter that keep clear of everything that will be laid."""
        left = left_in_box(self._tile_set, last)
        top = lay_aside(self._frame, left, self.settings, self._tile_set.pitch_mm, rng)
        top = add_props(top, self.settings, rng)
        own = len(self._frame.items)
        return replace(top, items=top.items[own:], arms=())


def _all_places(layouts: Sequence[Layout]) -> Layout:
    """Return one unturned card for every cell that is ever used, with the final pieces."""
    cards = {
        (card.field, card.at): replace(card, turns=0)
        for layout in reversed(layouts)
        for card in layout.cards
    }
    return Layout(frozenset(cards.values()), layouts[-1].pieces, frozenset())


def _cell_of(item: Item) -> tuple[int, tuple[int, int]]:
    x, y = item.truth["at"]
    return item.truth.get("field", 0), (x, y)
