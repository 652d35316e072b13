"""Judges the colour of a doubtful card by cards of the same picture that are surely read.

In a soft or a small picture, or in coloured light, a yellow snake looks like a log does elsewhere.
But all cards of one picture lie in its light: those that are beyond doubt show what each colour
looks like in it. Ink is looked at where a snake leaves its card, as cards of all shapes show it
there, against the paper of the same card. Light that is mirrored thins ink and blur spreads it:
neither makes it another one, so how strong it is does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileKind, TileSet
from vision.core.crop import cut
from vision.core.stages import stage
from vision.core.types import Bgr, Guess
from vision.layout.cards import CardGroup, SeenCard

Array = NDArray[np.float64]

BEYOND_DOUBT, KNOWN = 0.999, 0.99
"""Cards as sure as the first are not doubted; such as the second say what their colour looks like.
"""
LEAST = 0.001
"""Guesses that are less likely are none."""
MOST_BESIDE = 5
"""The nearest cards of a colour that are asked."""
PATCH_PX = 32
NEAR_EDGE, ACROSS = slice(3, 11), slice(9, 23)
"""Where a snake leaves a patch by its upper side, whose outline may be off by a tenth."""
INKED = 0.6
"""Share of these pixels that may be paper."""
INNER = slice(3, 29)
PAPER = 0.9
"""Nine tenths of a card's pixels are darker than its paper."""
DARKEST = 12.0
FAINTEST = 0.1
"""Ink that differs less from paper, as a logarithm, has no colour of its own."""
NOISE = 0.02
"""Inks are no more alike than that."""
FARTHEST, UNLIKE = 0.55, 0.12
"""The nearer colour must be nearer than that many times the other, and than this. Of 4,591 cards on
67 tables, soft ones many of them, one came so much nearer to another colour than to its own, with a
plaster where the snake leaves it, and was beyond doubt."""
CLIPPED, CLIPPED_UNLIKE = 0.01, 0.3
"""Where light leaves one colour of three that differs from paper by more, ink lies further off."""
POWER = 6
"""How much a colour counts less that is so many times further off."""
MOST_WEIGHED = 0.98
"""Nothing becomes surer by that."""


@stage("inks", without=lambda group, *_: group)
def with_inks(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, bgr: Bgr
) -> CardGroup:
    """Return a field whose doubtful cards are weighed by the colours of sure ones.

    Args:
        group: the field.
        others: cards elsewhere in the picture.
        tile_set: the box.
        bgr: the picture.
    """
    doubtful = {card.at: _rivals(card, tile_set) for card in group.cards}
    doubtful = {at: rivals for at, rivals in doubtful.items() if rivals}
    if not doubtful:
        return group
    sure = [card for one in (group, *others) for card in one.cards if _is_sure(card, tile_set)]
    inks = _inks(bgr, sure, tile_set)
    cards = []
    for card in group.cards:
        rivals = doubtful.get(card.at, {})
        asked = {colour: _nearest(card, colour, sure, inks, tile_set) for colour in rivals.values()}
        asked = {colour: known for colour, known in asked.items() if len(known)}
        if len(asked) > 1:
            rivals = {guess: colour for guess, colour in rivals.items() if colour in asked}
            own = _inks(bgr, [card], tile_set)[0]
            off = {colour: _off(known, own) for colour, known in asked.items()}
            most = UNLIKE if np.sort(np.abs(own))[-2] >= CLIPPED else CLIPPED_UNLIKE
            cards.append(_weighed(card, rivals, off) if min(off.values()) <= most else card)
        else:
            cards.append(card)
    return CardGroup(tuple(cards), group.fit)


def _colour_of(tile: str, tile_set: TileSet) -> str | None:
    """Return the one colour of a card's snakes, if it has one."""
    strands = tile_set[tile].strands if tile in tile_set else ()
    colours = {strand.colour for strand in strands}
    return colours.pop() if len(colours) == 1 else None


def _exits(kind: TileKind, turns: int) -> frozenset[int]:
    return frozenset(edge for strand in kind.turned(turns) for edge in strand.edges)


def _rivals(card: SeenCard, tile_set: TileSet) -> dict[Guess, str]:
    """Return what a card may be by its shape, and in which colour; nothing where that is clear."""
    best = card.best
    if best is None or card.why or card.confidence >= BEYOND_DOUBT or len(card.cells) > 1:
        return {}
    if _colour_of(best.tile, tile_set) is None:
        return {}
    exits = _exits(tile_set[best.tile], best.turns)
    rivals = {
        guess: colour for guess in card.guesses if guess.confidence >= LEAST
        for colour in [_colour_of(guess.tile, tile_set)]
        if colour is not None and _exits(tile_set[guess.tile], guess.turns) == exits
    }  # fmt: skip
    return rivals if len(set(rivals.values())) > 1 else {}


def _is_sure(card: SeenCard, tile_set: TileSet) -> bool:
    return (
        card.best is not None and card.why is None and not card.cut_off and len(card.cells) == 1
        and card.confidence >= KNOWN and _colour_of(card.best.tile, tile_set) is not None
    )  # fmt: skip


def _inks(bgr: Bgr, cards: Sequence[SeenCard], tile_set: TileSet) -> Array:
    """Return the ink of cards against their paper, N x 3, as logarithms."""
    if not cards:
        return np.zeros((0, 3))
    patches = cut(bgr, [card.outline_px for card in cards], PATCH_PX)
    logs = np.log(patches.astype(np.float64) + DARKEST)
    paper = np.quantile(logs[:, INNER, INNER].reshape(len(cards), -1, 3), PAPER, axis=1)
    return np.stack([
        _ink(np.concatenate([_leaving(one, edge)
                             for edge in sorted(_exits(tile_set[card.guesses[0].tile], 0))]))
        for one, card in zip(logs - paper[:, None, None], cards, strict=True)
    ])  # fmt: skip


def _leaving(patch: Array, edge: int) -> Array:
    """Return the pixels of a patch where a snake leaves it by one side, N x 3."""
    return np.asarray(np.rot90(patch, edge)[NEAR_EDGE, ACROSS].reshape(-1, 3))


def _ink(pixels: Array) -> Array:
    """Return what those pixels have in common that differ most from paper."""
    far = np.linalg.norm(pixels, axis=1)
    return np.asarray(np.median(pixels[far >= np.quantile(far, INKED)], axis=0))


def _off(known: Array, own: Array) -> float:
    """Return how far an ink is from known ones, however strong each of them is."""
    every = np.concatenate([known, own[None]])
    every /= np.maximum(np.linalg.norm(every, axis=1, keepdims=True), FAINTEST)
    return max(NOISE, float(np.median(np.linalg.norm(every[:-1] - every[-1], axis=1))))


def _nearest(
    card: SeenCard, colour: str, sure: Sequence[SeenCard], inks: Array, tile_set: TileSet
) -> Array:
    """Return the inks of the nearest sure cards of a colour."""
    here = card.centre_px
    same = [n for n, one in enumerate(sure)
            if one is not card and _colour_of(one.guesses[0].tile, tile_set) == colour]  # fmt: skip
    same.sort(key=lambda n: float(np.linalg.norm(sure[n].centre_px - here)))
    return inks[same[:MOST_BESIDE]]


def _weighed(card: SeenCard, rivals: Mapping[Guess, str], off: Mapping[str, float]) -> SeenCard:
    """Return a card with guesses that count by how near their colours are.

    Args:
        card: the doubtful one.
        rivals: its guesses that differ in colour, and these.
        off: how far its ink is from each colour's.
    """
    nearest, second, *_ = sorted(off.values())
    if nearest > FARTHEST * second:
        return card
    worth = {g: g.confidence * (nearest / off[colour]) ** POWER for g, colour in rivals.items()}
    scale = sum(guess.confidence for guess in rivals) / sum(worth.values())
    most = max(card.confidence, MOST_WEIGHED)
    guesses = (
        replace(g, confidence=min(most, worth[g] * scale)) if g in worth else g
        for g in card.guesses
    )
    return replace(card, guesses=tuple(sorted(guesses, key=lambda guess: -guess.confidence)))
