"""Fouls of every kind that a table can show: wrong places, wrong tiles, tiles turned or swapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from companion_app.live.explain import explain
from engine.game import AnyGame
from engine.hexpath import path_cells
from engine.infer import change_between
from engine.lattice import HEX_STEPS, hex_board
from engine.placement import Layout, Piece, Placement
from engine.tiles import TileSet
from models.lab.scenes.games.positions import card_cells, illegal_move
from models.lab.scenes.world.arrays import Random

Rules = tuple[str, ...]

TRIES = 150
RAREST_FIRST = 0.6
"""How often the kind is taken that chance finds least, so that each of them occurs."""
LIKE_LEGAL = 10
"""So many of the tries are legal moves gone a little wrong."""
NOT_TO_BE_HAD = "none-left"
"""Nobody can lay a tile that the box does not have."""
OWN_SHARE = 0.85
"""How often the tile has the mover's own colour."""
NEAR = 1
"""Tiles are laid at most so many cells off the others: further off they lie beside the game."""


def find_foul(
    game: AnyGame,
    box: TileSet,
    position: Any,
    before: Layout,
    rng: Random,
    seen: Counter[Rules],
    hunted: frozenset[str] = frozenset(),
) -> tuple[Layout, Rules] | None:
    """Return a table with a foul on it and what that breaks, of the kind that was seen least.

    Args:
        game: the rule book.
        box: the set.
        position: where the game stands.
        before: what lies on the table.
        rng: draws the tables that are tried.
        seen: the kinds of fouls so far.
        hunted: rules that mostly come first, each as long as it was not broken yet.
    """
    found: dict[Rules, Layout] = {}
    often: Counter[Rules] = Counter()
    for table in _tables(game, box, position, before, rng):
        moves = game.readings(position, change_between(before, table))
        verdicts = [game.judge(position, move) for move in moves]
        if verdicts and not any(verdict.legal for verdict in verdicts):
            rules = tuple(v.rule.id for v in verdicts[0].violations)
            if NOT_TO_BE_HAD not in rules:
                found.setdefault(rules, table)
                often[rules] += 1
    chance, rarest = int(rng.integers(1 << 30)), rng.random() < RAREST_FIRST

    missing = hunted.difference(*seen)

    def rank(rules: Rules) -> tuple[int, ...]:
        own = (seen[rules], often[rules] * rarest, crc32(f"{chance}{rules}".encode()))
        return (rarest and missing.isdisjoint(rules), *own)

    for rules in sorted(found, key=rank):
        told = explain(game, position, found[rules])
        # What leaves no trace on the table somebody would have to tell.
        if told.fouls and not told.rows and not told.asks_hand and not told.fouls[0].before.moves:
            return found[rules], tuple(v.rule.id for v in told.fouls[0].verdict.violations)
    return None


def _tables(
    game: AnyGame, box: TileSet, position: Any, before: Layout, rng: Random
) -> Iterator[Layout]:
    for number in range(TRIES):
        if number < LIKE_LEGAL:
            wrong = illegal_move(game, box, position, before, rng)
            table = None if wrong is None else wrong[1]
        elif box.lattice == "hex":
            table = _other_piece(box, before, position, rng)
        else:
            table = _other_card(box, before, position, rng)
        if table is not None and table != before:
            yield table


def _other_card(box: TileSet, before: Layout, position: Any, rng: Random) -> Layout | None:
    """Lay any card anywhere near, or turn or swap one that lies there."""
    fields = sorted({card.field for card in before.cards}, key=lambda f: f or 0) or [None]
    field = fields[int(rng.integers(len(fields)))]
    lying = sorted(card for card in before.cards if card.field == field)
    own = rng.random() < OWN_SHARE
    kinds = [
        name
        for name, kind in box.kinds.items()
        if kind.role not in ("big", "house") and _may_be_laid(name, box, position, own)
    ]
    tile = kinds[int(rng.integers(len(kinds)))]
    turns = int(rng.integers(box[tile].period))
    swap = bool(lying) and rng.random() < 0.25
    near = lying[int(rng.integers(len(lying)))] if lying else Placement(tile, (0, 0), 0, field)
    if swap:
        if box[near.tile].role in ("big", "house"):
            return None
        turned = rng.random() < 0.5
        new = Placement(near.tile if turned else tile, near.at, turns, field)
        if turned and new.turns >= box[near.tile].period:
            return None
        return Layout(before.cards - {near} | {new}, before.pieces, before.clay)
    dx, dy = (int(step) for step in rng.integers(-NEAR, NEAR + 1, 2))
    card = Placement(tile, (near.at[0] + dx, near.at[1] + dy), turns, field)
    taken = {cell for other in lying for cell in card_cells(box, other)}
    if taken & set(card_cells(box, card)):
        return None
    return Layout(before.cards | {card}, before.pieces, before.clay)


def _may_be_laid(tile: str, box: TileSet, position: Any, own: bool) -> bool:
    """Say whether a tile has the mover's colour, or any that plays, or none at all."""
    colour = tile.partition("/")[0]
    if colour not in box.colours:
        return True
    return bool(colour == position.to_move if own else colour in position.players)


def _other_piece(box: TileSet, before: Layout, position: Any, rng: Random) -> Layout | None:
    """Lay any tile that lies nowhere yet, anywhere on a board."""
    laid = Counter(piece.tile for piece in before.pieces)
    own = rng.random() < OWN_SHARE
    left = [
        name
        for name, kind in box.kinds.items()
        if kind.path is not None
        and laid[name] < kind.count
        and _may_be_laid(name, box, position, own)
    ]
    if not left:
        return None
    tile = left[int(rng.integers(len(left)))]
    boards = sorted({piece.board for piece in before.pieces}, key=lambda b: b or 0) or [None]
    board = boards[int(rng.integers(len(boards)))]
    extras = box.extras.get("board", {})
    free = set(hex_board(int(extras.get("side", 6)))) - {
        tuple(eye) for eye in extras.get("eyes", ())
    }
    free -= {cell for piece in before.pieces if piece.board == board for cell in piece.cells}
    cells = _lying(box[tile].path or "", sorted(free)[int(rng.integers(len(free)))], rng)
    if not set(cells) <= free:
        return None
    piece = Piece(tile, tuple(sorted(cells)), board)
    return Layout(before.cards, before.pieces | {piece}, before.clay)


def _lying(path: str, start: tuple[int, int], rng: Random) -> list[tuple[int, int]]:
    """Return the cells of a hex tile whose first one lies there, turned and flipped by chance."""
    cells = list(path_cells(path))
    if rng.random() < 0.5:
        cells = [(q + r, -r) for q, r in cells]
    for _ in range(int(rng.integers(len(HEX_STEPS)))):
        cells = [(-r, q + r) for q, r in cells]
    return [(q + start[0], r + start[1]) for q, r in cells]
