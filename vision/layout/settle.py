"""Lets the game settle cards that the camera is unsure of; what it is sure of stays as it is.

A foul must be seen as what it is. So rules only choose between guesses that the picture itself
allows, next to cards that are sure, and never make a sure card another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.lattice import Cell, opposite, square_neighbour
from engine.tiles import GREY, TileKind, TileSet
from vision.core.stages import stage
from vision.core.types import Guess
from vision.layout.cards import SeenCard

SURE = 0.8
"""Readings below are unsure, unless the game settles them: 7 of 1,049 held-out tiles at their true
outlines, 2 of these wrong; no surer one was wrong."""
CONFLICT = 0.1
"""What a guess is worth that does not carry on at one side: one table in ten has a foul, on one
card of many."""
NONE_LEFT = 0.02
"""What a guess is worth that the box has no card left for."""
BEYOND_DOUBT = 0.99
"""Of cards that are surer not one is doubted because the box has fewer of them: boxes get mixed."""
MOST_SETTLED = 0.98
"""A card that the game settled is never said to be surer."""
LEAST_SEEN = 0.02
"""A guess that the camera gives less than that cannot win by rules."""


@stage("settle", without=lambda cards, *_: tuple(cards))
def settled(
    cards: Sequence[SeenCard], aside: Sequence[SeenCard], tile_set: TileSet
) -> tuple[SeenCard, ...]:
    """Return the cards of one layout, unsure ones weighed by box and neighbours.

    A card that looks like nothing in the box is left alone: there is nothing to choose between.
    """
    used = Counter(
        card.best.tile for card in (*cards, *aside)
        if card.best is not None and card.confidence >= SURE
    )  # fmt: skip
    sure = {card.at: card for card in cards if card.confidence >= SURE}
    for card in _too_many(sure.values(), used, tile_set):
        del sure[card.at]
        used[card.guesses[0].tile] -= 1
    if len(sure) == len(cards):
        return tuple(cards)
    sides = dict(sides_of(sure.values(), tile_set))
    return tuple(
        card if card.at in sure or card.why else _weighed(card, sides, used, tile_set)
        for card in cards
    )


def _too_many(
    sure: Iterable[SeenCard], used: Mapping[str, int], tile_set: TileSet
) -> list[SeenCard]:
    """Return the least sure cards of which more are seen than the box has."""
    found: list[SeenCard] = []
    for tile in sorted(used):
        over = used[tile] - tile_set[tile].count if tile in tile_set else 0
        if over > 0:
            same = [c for c in sure if c.guesses[0].tile == tile and c.confidence < BEYOND_DOUBT]
            found += sorted(same, key=lambda card: card.confidence)[:over]
    return found


def broken_share(cards: Sequence[SeenCard], tile_set: TileSet) -> float | None:
    """Return the share of sides between neighbours that do not carry on; nothing without any."""
    broken = [not carries_on(*pair) for pair in met_sides(cards, tile_set)]
    return sum(broken) / len(broken) if broken else None


def met_sides(cards: Iterable[SeenCard], tile_set: TileSet) -> list[tuple[str | None, str | None]]:
    """Return the colours that leave two cards where they meet, for each side that they share."""
    sides = dict(sides_of(cards, tile_set))
    return [
        (colour, sides[key]) for (at, edge), colour in sides.items() if edge in (0, 1)
        for key in [(square_neighbour(at, edge), opposite(edge))] if key in sides
    ]  # fmt: skip


def _weighed(
    card: SeenCard, sides: Mapping[tuple[Cell, int], str | None], used: Counter[str],
    tile_set: TileSet,
) -> SeenCard:  # fmt: skip
    worth: dict[Guess, float] = {}
    for guess in card.guesses:
        share = guess.confidence
        if guess.tile not in tile_set:
            # A face-down card among played ones is as unusual as one that does not carry on.
            share *= CONFLICT
        else:
            share *= CONFLICT ** _conflicts(card.at, guess, sides, tile_set)
            if used[guess.tile] >= tile_set[guess.tile].count:
                share *= NONE_LEFT
            share *= _rarity(guess, card, used, tile_set)
        worth[guess] = share
    # What is not in the box keeps its share: rules say nothing about it.
    rest = max(0.0, 1.0 - sum(guess.confidence for guess in card.guesses))
    total = sum(worth.values()) + rest
    if total <= 0:
        return card
    ranked = sorted(card.guesses, key=lambda g: -worth[g])
    if not ranked or ranked[0].confidence < LEAST_SEEN:
        return card
    guesses = tuple(replace(g, confidence=min(MOST_SETTLED, worth[g] / total)) for g in ranked)
    return replace(card, guesses=guesses)


def _rarity(guess: Guess, card: SeenCard, used: Mapping[str, int], tile_set: TileSet) -> float:
    """Return what a guess is worth against others, by how many of each the box has left.

    Grey goes on in any colour, so neighbours never speak against it; but there are few such cards.
    Of a card that the picture's edge cuts only a part is seen, which several kinds may share.
    """
    kind = tile_set[guess.tile]
    grey = bool(kind.strands) and all(strand.colour == GREY for strand in kind.strands)
    if not grey and not card.cut_off:
        return 1.0
    shape = [strand.edges for strand in kind.turned(guess.turns)]
    rivals = [
        tile_set[other.tile].count - used[other.tile] for other in card.guesses
        if other.tile in tile_set and other.tile != guess.tile
        and (card.cut_off or shape == [s.edges for s in tile_set[other.tile].turned(other.turns)])
    ]  # fmt: skip
    left = max(1, kind.count - used[guess.tile])
    return min(1.0, left / max([1, *rivals]))


def sides_of(
    cards: Iterable[SeenCard], tile_set: TileSet
) -> Iterator[tuple[tuple[Cell, int], str | None]]:
    """Yield for each side of each card the colour that leaves there, or ``None``."""
    for card in cards:
        best = card.best
        if best is None or best.tile not in tile_set:
            continue
        kind = tile_set[best.tile]
        if kind.strands and len(kind.cells) == 1:
            for edge in range(4):
                yield (card.at, edge), _leaving(kind, best.turns, edge)


def _leaving(kind: TileKind, turns: int, edge: int) -> str | None:
    # The edge turned back, not all strands turned on: this is asked for every side of every card.
    printed = (edge - turns) % 4
    return next((s.colour for s in kind.strands if printed in s.edges), None)


def _conflicts(
    at: Cell, guess: Guess, sides: Mapping[tuple[Cell, int], str | None], tile_set: TileSet
) -> int:
    """Return at how many sides a guess does not carry on what a sure neighbour shows."""
    kind = tile_set[guess.tile]
    if not kind.strands or len(kind.cells) > 1:
        return 0
    wrong = 0
    for edge in range(4):
        key = (square_neighbour(at, edge), opposite(edge))
        if key in sides:
            wrong += not carries_on(_leaving(kind, guess.turns, edge), sides[key])
    return wrong


def carries_on(one: str | None, other: str | None) -> bool:
    """Say whether what leaves one side goes on in the side that it meets."""
    if one is None or other is None:
        return one is other
    return one == other or GREY in (one, other)
