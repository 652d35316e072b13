"""From readings of cells to cards on a lattice, with the halves of big cards combined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import GREY, TileKind, TileSet
from vision.classify.reading import CellGuess, CellReading
from vision.core.lattice import LaidCells, mapped, turned_cell
from vision.core.types import (
    BACK,
    BEYOND_DOUBT,
    DOUBTED,
    LIKELIER,
    QUARTERS,
    SURE,
    Detection,
    Guess,
    LatticeFit,
    Points,
    period_of,
)

LEAST_SHARE = 1e-4
"""Bounds the probability that one cell gives a big card to [this, 1 - this]."""
LEAST_WORTH = 0.25
"""Big cards with a lower combined probability are dropped; their cells are read as small cards."""
SURELY_A_CARD = 0.75
"""Least detection confidence for an outline that looks like nothing in the box to count as a card:
the outline of a covered card reaches it, a pattern on the table does not."""
LEAST_SEEN = 0.02
"""A guess with a lower confidence from the reader alone can never become the best one."""


@dataclass(frozen=True, eq=False)
class SeenCard:
    """One card that was seen, in the coordinates of its own lattice."""

    at: Cell
    cells: tuple[Cell, ...]
    """All cells that the card covers, ``at`` first."""
    guesses: tuple[Guess, ...]
    """Best first; turns are clockwise from the lattice's up direction."""
    outline_px: Points
    """Clockwise, starting at the print's upper left corner according to the best guess."""
    cut_off: bool = False
    why: str | None = None
    found: float = 1.0
    """Detection confidence: how sure it is that a card lies there, of whatever kind."""
    in_part: bool = False
    """Whether only a part of the card was read: it is covered, or its outline is poor."""
    laid: float = 1.0
    """Probability that the card was laid to its group, rather than lying beside it by chance."""

    @cached_property
    def centre_px(self) -> Points:
        """The centre of the outline."""
        return np.asarray(self.outline_px.mean(axis=0))

    @property
    def best(self) -> Guess | None:
        """The best guess; ``None`` if nothing in the box looks like the card."""
        return self.guesses[0] if self.guesses else None

    @property
    def confidence(self) -> float:
        """Confidence of the best guess; 0 without guesses."""
        return self.guesses[0].confidence if self.guesses else 0.0

    def is_read(self, least: float) -> bool:
        """Say whether the best guess is at least that sure and no trouble was noted."""
        return self.why is None and self.confidence >= least

    def is_front(self, least: float = 0.0) -> bool:
        """Say whether the card is read as face up, at least that surely."""
        return self.best is not None and self.is_read(least) and self.best.tile != BACK

    @property
    def is_beyond_doubt(self) -> bool:
        """Whether a card surely lies there, and surely the one that it is read as."""
        return self.found >= SURELY_A_CARD and self.confidence >= BEYOND_DOUBT

    def turned(self, turns: int, tile_set: TileSet) -> SeenCard:
        """Return the card after the whole lattice was turned clockwise about ``(0, 0)``."""
        guesses = tuple(
            replace(g, turns=(g.turns + turns) % period_of(tile_set, g.tile)) for g in self.guesses
        )
        cells = tuple(turned_cell(cell, turns) for cell in self.cells)
        return replace(self, at=cells[0], cells=cells, guesses=guesses)

    def moved(self, by: Cell) -> SeenCard:
        """Return the card shifted by whole cells."""
        cells = tuple((x + by[0], y + by[1]) for x, y in self.cells)
        return replace(self, at=cells[0], cells=cells)


@dataclass(frozen=True, eq=False)
class CardGroup:
    """Cards that lie on one lattice."""

    cards: tuple[SeenCard, ...]
    fit: LatticeFit

    @cached_property
    def centres_px(self) -> Points:
        """The centres of the cards, N x 2."""
        return np.stack([card.centre_px for card in self.cards])

    @cached_property
    def centre_px(self) -> Points:
        """The mean of the cards' centres."""
        return np.asarray(self.centres_px.mean(axis=0))

    def laid(self) -> LaidCells | None:
        """Return the cells with their measured centres; ``None`` if the lattice is degenerate."""
        cells = [card.cells for card in self.cards]
        return LaidCells.of(self.fit.px_from_cell, cells, self.centres_px)


def group_cards(
    found: Sequence[Detection], fit: LatticeFit, readings: Sequence[CellReading], tile_set: TileSet
) -> CardGroup:
    """Return the cards of one lattice; ``readings`` go with ``found``."""
    corners = np.stack([found[i].corners_px for i in fit.cells.values()])
    ahead = dict(zip(fit.cells, _quarters_ahead(corners, fit, list(fit.cells)), strict=True))
    cards: list[SeenCard] = []
    taken: set[Cell] = set()
    for card in _big_cards(found, fit, readings, tile_set, ahead):
        if not taken.intersection(card.cells):
            cards.append(card)
            taken.update(card.cells)
    for cell, i in fit.cells.items():
        if cell not in taken:
            cards.append(_small_card(cell, found[i], readings[i], tile_set, ahead[cell]))
    return CardGroup(tuple(sorted(cards, key=lambda card: card.at)), fit)


def quarters_ahead(corners_px: Points, fit: LatticeFit, cell: Cell) -> int:
    """Return the quarter turns, clockwise, from the lattice's up direction to the outline's."""
    return _quarters_ahead(corners_px[None], fit, [cell])[0]


def _quarters_ahead(corners: Points, fit: LatticeFit, cells: Sequence[Cell]) -> list[int]:
    """Return the quarter turns from lattice to outline, for many outlines, N x 4 x 2."""
    ends = [
        mapped(fit.px_from_cell, np.array(cells, float) + np.array(end))
        for end in ((0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5))
    ]
    (a, c), (b, d) = (ends[0] - ends[1]).T, (ends[2] - ends[3]).T
    x, y = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]).T
    # The outline's right in lattice axes; only its direction matters, so the determinant's size
    # is not divided out.
    sign = np.where(a * d - b * c < 0, -1.0, 1.0)
    turned = np.arctan2(sign * (a * y - c * x), sign * (d * x - b * y)) / (np.pi / 2)
    return [round(float(turn)) % QUARTERS for turn in turned]


def card_at(
    cell: Cell, found: Detection, reading: CellReading, tile_set: TileSet, fit: LatticeFit
) -> SeenCard:
    """Return the card of one cell of a lattice."""
    return _small_card(cell, found, reading, tile_set, quarters_ahead(found.corners_px, fit, cell))


def _small_card(
    cell: Cell, found: Detection, reading: CellReading, tile_set: TileSet, ahead: int
) -> SeenCard:
    """Return the card of one cell; a lone half of a big card keeps the big card's name."""
    guesses: dict[tuple[str, int], float] = {}
    for g in reading.guesses:
        key = (g.tile, (g.turns + ahead) % period_of(tile_set, g.tile))
        guesses[key] = guesses.get(key, 0.0) + g.confidence
    ranked = tuple(
        Guess(tile, turns, share)
        for (tile, turns), share in sorted(guesses.items(), key=lambda item: -item[1])
    )
    first = reading.guesses[0].turns if reading.guesses else 0
    outline = np.concatenate((found.corners_px[first:], found.corners_px[:first]))
    return SeenCard(
        cell,
        (cell,),
        ranked,
        outline,
        found.cut_off,
        reading.why,
        found.confidence,
        reading.odd and reading.best >= LIKELIER,
    )


Whole = tuple[str, Cell, int]
"""A whole big card: its name, its first cell, and its turns relative to the lattice."""


def _big_cards(
    found: Sequence[Detection],
    fit: LatticeFit,
    readings: Sequence[CellReading],
    tile_set: TileSet,
    ahead: Mapping[Cell, int],
) -> list[SeenCard]:
    """Return the cards of several cells, the surest first."""
    if all(len(kind.cells) == 1 for kind in tile_set.kinds.values()):
        return []
    worth = _worth(fit, readings, tile_set, ahead)
    out = []
    for whole in sorted((w for w in worth if worth[w] >= LEAST_WORTH), key=lambda w: -worth[w]):
        cells = _cells_of(whole, tile_set)
        parts = [fit.cells[c] for c in cells if c in fit.cells]
        outline = _big_outline(found, fit, cells, whole, ahead)
        cut = any(found[i].cut_off for i in parts)
        why = next((readings[i].why for i in parts if readings[i].why), None)
        seen = max(found[i].confidence for i in parts)
        guesses = _ranked(cells, worth, tile_set)
        out.append(SeenCard(cells[0], cells, guesses, outline, cut, why, seen))
    return out


def _worth(
    fit: LatticeFit, readings: Sequence[CellReading], tile_set: TileSet, ahead: Mapping[Cell, int]
) -> dict[Whole, float]:
    """Return the probability of each big card of which some cell shows a half."""
    said: dict[Cell, dict[Whole, float]] = {}
    for cell, i in fit.cells.items():
        said[cell] = {
            _whole(g, cell, ahead[cell], tile_set): g.confidence
            for g in readings[i].guesses
            if g.tile in tile_set and len(tile_set[g.tile].cells) > 1
        }
    worth: dict[Whole, float] = {}
    for whole in {whole for guesses in said.values() for whole in guesses}:
        cells = _cells_of(whole, tile_set)
        if all(_may_be_part(readings[fit.cells[c]], tile_set) for c in cells if c in said):
            worth[whole] = _together(whole, cells, said)
    return worth


def _ranked(
    cells: tuple[Cell, ...], worth: Mapping[Whole, float], tile_set: TileSet
) -> tuple[Guess, ...]:
    """Return the big cards that may lie on exactly these cells; their shares sum to at most 1."""
    rivals = [w for w in worth if set(_cells_of(w, tile_set)) == set(cells)]
    total = max(1.0, sum(worth[w] for w in rivals))
    ranked = sorted(rivals, key=lambda w: -worth[w])
    return tuple(Guess(w[0], w[2], worth[w] / total) for w in ranked)


def _whole(guess: CellGuess, cell: Cell, ahead: int, tile_set: TileSet) -> Whole:
    turns = (guess.turns + ahead) % QUARTERS
    dx, dy = turned_cell(tile_set[guess.tile].cells[guess.cell], turns)
    return guess.tile, (cell[0] - dx, cell[1] - dy), turns


def _cells_of(whole: Whole, tile_set: TileSet) -> tuple[Cell, ...]:
    tile, at, turns = whole
    steps = [turned_cell(cell, turns) for cell in tile_set[tile].cells]
    return tuple((at[0] + dx, at[1] + dy) for dx, dy in steps)


def _may_be_part(reading: CellReading, tile_set: TileSet) -> bool:
    best = reading.guesses[0] if reading.guesses else None
    if best is None or best.confidence < SURE:
        return True
    return best.tile in tile_set and len(tile_set[best.tile].cells) > 1


def _together(
    whole: Whole, cells: Sequence[Cell], said: Mapping[Cell, Mapping[Whole, float]]
) -> float:
    """Return a big card's probability from all its found cells, as independent evidence."""
    for_it = against = 1.0
    for cell in cells:
        if cell in said:
            share = min(max(said[cell].get(whole, 0.0), LEAST_SHARE), 1 - LEAST_SHARE)
            for_it, against = for_it * share, against * (1 - share)
    return for_it / (for_it + against)


def _big_outline(
    found: Sequence[Detection],
    fit: LatticeFit,
    cells: Sequence[Cell],
    whole: Whole,
    ahead: Mapping[Cell, int],
) -> NDArray[np.float64]:
    """Return the outline around all cells of a card that is one cell high and several wide."""
    parts: dict[int, NDArray[np.float64]] = {}
    for k, cell in enumerate(cells):
        if cell in fit.cells:
            own = found[fit.cells[cell]].corners_px
            parts[k] = np.roll(own, -((whole[2] - ahead[cell]) % QUARTERS), axis=0)
    k, part = next(iter(parts.items()))
    step = (part[1] + part[2] - part[0] - part[3]) / 2
    first = parts.get(0, part - k * step)
    last = parts.get(len(cells) - 1, part + (len(cells) - 1 - k) * step)
    return np.array([first[0], last[1], last[2], first[3]])


MOST_TURNED_DEG = 18.0
"""Largest angle between cards of one lattice, or between the fields of one table."""
BIG = "big"
HOUSE = "house"


@dataclass(frozen=True, eq=False)
class Field:
    """A lattice that belongs to the game."""

    group: CardGroup
    number: int | None = None
    """Sssnake: the number of the field's big card, from 0; otherwise ``None``."""
    laid: float = 1.0
    """Probability that this lattice is the game's, where another one may be it as well."""


def is_anchor(card: SeenCard, tile_set: TileSet) -> bool:
    """Say whether a card looks like an anchor: a house or big card, the origin of the cells."""
    best = card.best
    if best is None or best.confidence < LIKELIER or best.tile not in tile_set:
        return False
    return tile_set[best.tile].role in (BIG, HOUSE)


def anchor_of(group: CardGroup, tile_set: TileSet) -> SeenCard | None:
    """Return the surest anchor of a group: the house or big card that cells are counted from."""
    anchors = [card for card in group.cards if is_anchor(card, tile_set)]
    return max(anchors, key=lambda card: card.confidence, default=None)


def likely_house(group: CardGroup, tile_set: TileSet) -> SeenCard | None:
    """Return the likeliest house of a layout without a sure one, since every game has a house."""
    likely = [
        (guess.confidence, guess, card)
        for card in group.cards
        for guess in card.guesses
        if guess.tile in tile_set and tile_set[guess.tile].role == HOUSE
    ]
    if not likely:
        return None
    share, guess, card = max(likely, key=lambda one: one[0])
    if share < LEAST_SEEN:
        return None
    # Exactly one of the candidates is the house, so their shares are normalised to 1.
    sure = min(DOUBTED, share / sum(one[0] for one in likely))
    left = (1 - sure) / max(1 - share, 1e-9)
    others = (replace(g, confidence=g.confidence * left) for g in card.guesses if g != guess)
    return replace(card, guesses=(replace(guess, confidence=sure), *others))


def sides_of(
    cards: Iterable[SeenCard], tile_set: TileSet
) -> Iterator[tuple[tuple[Cell, int], str | None]]:
    """Yield each side of each card with the colour of the snake that crosses it, or ``None``.

    Of a big card and of a house only the exits: strands of other cards may well face blank sides. A
    big card's are grey, since its snake has no colour.
    """
    for card in cards:
        best = card.best
        if best is None or best.tile not in tile_set:
            continue
        kind = tile_set[best.tile]
        if kind.strands and len(kind.cells) == 1:
            for edge in range(4):
                yield (card.at, edge), leaving(kind, best.turns, edge)
        if len(card.cells) == len(kind.cells):
            for way in kind.exits:
                at = card.cells[kind.cells.index(way.cell)]
                colour = way.name if way.name in tile_set.colours else GREY
                yield (at, (way.edge + best.turns) % 4), colour


def leaving(kind: TileKind, turns: int, edge: int) -> str | None:
    """Return the colour of the snake that crosses an edge of a turned card, or ``None``."""
    # Turning the edge back is cheaper than turning all strands; this runs per side of each card.
    printed = (edge - turns) % 4
    return next((s.colour for s in kind.strands if printed in s.edges), None)


def carries_on(one: str | None, other: str | None) -> bool:
    """Say whether two sides that meet continue each other; grey continues any colour."""
    if one is None or other is None:
        return one is other
    return one == other or GREY in (one, other)
