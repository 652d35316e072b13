"""Positions that players could have reached, from random and from sensible play.

A whole game is played once and cached; a scene takes the table after one of its moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from engine.errors import EngineError
from engine.game import AnyGame, Move, Start
from engine.games import game_named
from engine.hexpath import path_cells
from engine.lattice import HEX_STEPS, Cell, cells_around, hex_board, square_neighbours
from engine.placement import Layout, Piece, Placement
from engine.setfile import built_in_set
from engine.tiles import TileKind, TileSet
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Random

GAMES_IN_POOL = 160
"""Games per split and manner of play that scenes are taken from."""
LONGEST_GAME = 400
TRIED_MOVES = 8
"""Moves that a greedy player compares: more of them play better but make scenes slower."""
FOUL_TRIES, ILLEGAL_TRIES = 8, 60
LIVELY = 0.9
"""Probability that a player who can lay a tile does so."""


@dataclass(frozen=True)
class Played:
    """One game: who played, the moves, and the table before the first and after each."""

    players: tuple[str, ...]
    moves: tuple[Move, ...]
    layouts: tuple[Layout, ...]
    positions: tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """What lies in the layout and what is left in the box."""

    layout: Layout
    players: tuple[str, ...]
    left: Counter[str]
    foul: bool = False


@lru_cache(maxsize=256)
def played(game_name: str, split: Split, play: str, number: int) -> Played:
    """Return one game of the pool, played to its end."""
    game = game_named(game_name)
    rng = rng_of("game", game_name, split, play, number)
    tile_set = built_in_set(game_name)
    players = _players(game, rng)
    position = game.opening(Start(players), tile_set)
    moves: list[Move] = []
    layouts = [game.layout(position)]
    positions = [position]
    for _ in range(LONGEST_GAME):
        choice = game.legal_moves(position)
        if not choice:
            break
        move = _chosen(game, position, choice, play, rng)
        position = game.apply(position, move)
        moves.append(move)
        layouts.append(game.layout(position))
        positions.append(position)
    return Played(players, tuple(moves), tuple(layouts), tuple(positions))


def table_at(
    game_name: str, split: Split, play: str, seed: int, fullness: float, foul: bool
) -> Table:
    """Return the table of a pool game at the given progress, with a foul if asked for."""
    one = played(game_name, split, play, seed % GAMES_IN_POOL)
    tables = [layout for layout in dict.fromkeys(one.layouts) if layout.placements()]
    layout = tables[round(fullness * (len(tables) - 1))]
    tile_set = built_in_set(game_name)
    if foul:
        rng = rng_of("foul", game_name, split, seed)
        layout = _with_foul(game_named(game_name), tile_set, one.players, layout, rng)
    return Table(layout, one.players, left_in_box(tile_set, layout), foul)


def left_in_box(tile_set: TileSet, layout: Layout) -> Counter[str]:
    """Return how many of each tile do not lie on the table."""
    laid = Counter([c.tile for c in layout.cards] + [p.tile for p in layout.pieces])
    return Counter({name: n - laid[name] for name, n in tile_set.counts.items() if n > laid[name]})


def _players(game: AnyGame, rng: Random) -> tuple[str, ...]:
    names = game.facts.player_names or ("a", "b", "c", "d")
    count = int(rng.integers(game.facts.fewest_players, game.facts.most_players + 1))
    if game.facts.name == "carnival":
        # Three leave one colour out; two sit opposite each other.
        return {2: (names[0], names[2]), 3: names[:3]}.get(count, names)
    return names[:count]


def _chosen(game: AnyGame, position: object, choice: list[Move], play: str, rng: Random) -> Move:
    growing = [move for move in choice if move.do == "place"]
    if growing and rng.random() < LIVELY:
        # Announcing the end, replacing and discarding are always legal: chosen as often as they
        # are listed, they would keep every table from filling.
        choice = growing
    if play == "random" or len(choice) == 1:
        return choice[int(rng.integers(len(choice)))]
    some = rng.choice(len(choice), min(TRIED_MOVES, len(choice)), replace=False)
    return max((choice[int(i)] for i in some), key=lambda move: lead_after(game, position, move))


def lead_after(game: AnyGame, position: Any, move: Move) -> float:
    """Return the player's score after a move minus half of the best other score."""
    scores = game.outcome(game.apply(position, move)).scores
    own = scores.get(move.player)
    others = [s for name, s in scores.items() if name != move.player and s is not None]
    return (-99.0 if own is None else own) - 0.5 * max(others, default=0)


def _with_foul(
    game: AnyGame, tile_set: TileSet, players: tuple[str, ...], layout: Layout, rng: Random
) -> Layout:
    """Return the layout with a change that breaks a rule, as far as one is found."""
    changed = layout
    for _ in range(FOUL_TRIES):
        changed = _spoilt(tile_set, layout, rng)
        start = Start(players, layout=changed, midgame=True)
        try:
            if game.inspect(game.opening(start, tile_set)):
                return changed
        except EngineError:
            continue
    return changed


def _spoilt(tile_set: TileSet, layout: Layout, rng: Random) -> Layout:
    if layout.pieces or tile_set.lattice == "hex":
        return _spoilt_pieces(tile_set, layout, rng)
    cards = sorted(layout.cards)
    loose = [c for c in cards if tile_set[c.tile].role not in ("house", "big")]
    left = sorted(left_in_box(tile_set, layout))
    left = [name for name in left if tile_set[name].role != "big"]
    kind = str(rng.choice(["turn", "swap", "add"]))
    if loose and kind == "turn":
        card = loose[int(rng.integers(len(loose)))]
        period = tile_set[card.tile].period
        other = replace(card, turns=(card.turns + int(rng.integers(1, 4))) % period)
        return replace(layout, cards=layout.cards - {card} | {other})
    if not left:
        return layout
    tile = left[int(rng.integers(len(left)))]
    turns = int(rng.integers(tile_set[tile].period))
    if loose and kind == "swap":
        card = loose[int(rng.integers(len(loose)))]
        other = replace(card, tile=tile, turns=turns)
        return replace(layout, cards=layout.cards - {card} | {other})
    beside = cards[int(rng.integers(len(cards)))]
    taken = {cell for c in cards if c.field == beside.field for cell in card_cells(tile_set, c)}
    around = square_neighbours if rng.random() < 0.7 else cells_around
    free = [cell for cell in around(beside.at) if cell not in taken]
    if not free:
        return layout
    at = free[int(rng.integers(len(free)))]
    return replace(layout, cards=layout.cards | {Placement(tile, at, turns, beside.field)})


def card_cells(tile_set: TileSet, card: Placement) -> tuple[Cell, ...]:
    """Return the cells that a card covers where it lies."""
    cells = tile_set[card.tile].cells
    for _ in range(card.turns):
        cells = tuple((-y, x) for x, y in cells)
    return tuple((card.at[0] + x, card.at[1] + y) for x, y in cells)


def _spoilt_pieces(tile_set: TileSet, layout: Layout, rng: Random) -> Layout:
    """Add a piece from the stock where it fits on the board, whatever it touches."""
    boards = sorted({p.board for p in layout.pieces}, key=str) or [None]
    left = sorted(left_in_box(tile_set, layout))
    if not left:
        return layout
    kind = tile_set[left[int(rng.integers(len(left)))]]
    board = boards[int(rng.integers(len(boards)))]
    taken = {cell for p in layout.pieces if p.board == board for cell in p.cells}
    free = _board_cells(tile_set) - taken
    near = [c for c in sorted(free) if any(_beside(c, t) for t in taken)] or sorted(free)
    for _ in range(40):
        cells = laid_anyhow(kind, near[int(rng.integers(len(near)))], rng)
        if set(cells) <= free:
            return replace(layout, pieces=layout.pieces | {Piece(kind.name, cells, board)})
    return layout


def _board_cells(tile_set: TileSet) -> set[Cell]:
    """Return the cells of a board that tiles may lie on."""
    board = tile_set.extras.get("board", {})
    return set(hex_board(int(board.get("side", 6)))) - {(q, r) for q, r in board.get("eyes", ())}


def _beside(one: Cell, other: Cell) -> bool:
    return (one[0] - other[0], one[1] - other[1]) in HEX_STEPS


def laid_anyhow(kind: TileKind, at: Cell, rng: Random) -> tuple[Cell, ...]:
    """Return the cells of a hex tile that starts at a cell, randomly turned and flipped."""
    cells = list(path_cells(kind.path or "1"))
    if rng.random() < 0.5:
        cells = [(q + r, -r) for q, r in cells]
    for _ in range(int(rng.integers(6))):
        cells = [(-r, q + r) for q, r in cells]
    return tuple(sorted((at[0] + q, at[1] + r) for q, r in cells))


def illegal_move(
    game: AnyGame, tile_set: TileSet, position: Any, layout: Layout, rng: Random
) -> tuple[Move, Layout] | None:
    """Return a move that can be laid on the table but breaks a rule, and the table after it."""
    legal = [move for move in game.legal_moves(position) if move.do == "place"]
    if not legal:
        return None
    for _ in range(ILLEGAL_TRIES):
        like = legal[int(rng.integers(len(legal)))]
        if like.cells:
            wrong = _piece_changed(tile_set, like, layout, rng)
        else:
            wrong = _card_changed(game, tile_set, like, layout, position.players, rng)
        if wrong is not None and not game.judge(position, wrong[0]).legal:
            return wrong
    return None


def _card_changed(
    game: AnyGame,
    tile_set: TileSet,
    like: Move,
    layout: Layout,
    players: Sequence[str],
    rng: Random,
) -> tuple[Move, Layout] | None:
    if like.at is None or like.tile is None:
        return None
    owner = game.facts.name == "sssnake"
    near = next((c.field for c in layout.cards if c.at == like.at), None)
    turns = int(rng.integers(tile_set[like.tile].period))
    x, y = like.at
    if rng.random() < 0.5:
        x, y = x + int(rng.integers(-1, 2)), y + int(rng.integers(-1, 2))
    where = players.index(like.snake or like.player) if owner else near
    taken = {cell for c in layout.cards if c.field == where for cell in card_cells(tile_set, c)}
    card = Placement(like.tile, (x, y), turns, where)
    if set(card_cells(tile_set, card)) & taken or not _touches(card, taken):
        return None
    move = replace(like, at=(x, y), turns=turns)
    return move, replace(layout, cards=layout.cards | {card})


def _touches(card: Placement, taken: set[tuple[int, int]]) -> bool:
    x, y = card.at
    return not taken or any((x + dx, y + dy) in taken for dx in (-1, 0, 1) for dy in (-1, 0, 1))


def _piece_changed(
    tile_set: TileSet, like: Move, layout: Layout, rng: Random
) -> tuple[Move, Layout] | None:
    """Shift a piece by a hex or two, or turn it, where the board has room."""
    cells = list(like.cells or ())
    q0, r0 = cells[0]
    around = [(q - q0, r - r0) for q, r in cells]
    for _ in range(int(rng.integers(6))):
        around = [(-r, q + r) for q, r in around]
    dq, dr = HEX_STEPS[int(rng.integers(6))] if rng.random() < 0.7 else (0, 0)
    moved = tuple(sorted((q0 + dq + q, r0 + dr + r) for q, r in around))
    taken = {cell for p in layout.pieces if p.board == like.board for cell in p.cells}
    free = _board_cells(tile_set) - taken
    if not set(moved) <= free:
        return None
    tile = like.tile or ""
    name = tile if tile in tile_set else f"{like.player}/{tile}"
    piece = Piece(name, moved, like.board)
    return replace(like, cells=moved), replace(layout, pieces=layout.pieces | {piece})
