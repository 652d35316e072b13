"""How fast the games list and judge, beside python-chess in its own middle games in the same run.

Each position has just come about, so that nothing about it is known yet.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from time import perf_counter
from typing import Any, NamedTuple

import chess

from engine.decompose import decompose
from engine.game import AnyGame, Move, Start
from engine.games import game_named
from engine.lattice import HEX_STEPS
from engine.placement import Layout
from engine.play.dealing import Dealer
from engine.setfile import built_in_set

POSITIONS, CHESS_POSITIONS, REPEATS, TRIED_EACH, SNAKE_CARDS = 60, 300, 5, 3, 40
FIRST_PLY, LAST_PLY = 20, 80
"""A middle game of chess, in half moves of random play."""
CHESS_MOVES = 31
"""Moves that such a position has, on average."""
CUT_MS_WANTED, MISSING_MS_WANTED = 50, 5.0
"""Promised for a board without notches, and for the missing cards of a long snake."""

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


class Case(NamedTuple):
    """A game, who plays it, between how many moves were made, and what is wanted."""

    game: str
    players: str
    moves: tuple[int, int]
    lists: float | None = None
    """Least moves listed a second, in those of python-chess."""
    judged: int | None = None
    """Most calls of python-chess's ``is_legal`` that a judgement takes."""
    advanced: bool = False
    whole: bool = False
    """Whether whole lists are counted, where there are few moves; else the moves listed."""


CASES = {
    "schlangennest": Case("schlangennest", "blue red yellow green", (16, 45), 0.1, 300, whole=True),
    "snekagon, early": Case("snekagon", "red green", (1, 4), 1.0, 150),
    "snekagon, middle": Case("snekagon", "red green", (6, 10), 1.0, 150),
    "snekagon5g": Case("snekagon5g", "blue red yellow green violet", (10, 30), 0.25, 150),
    "snekagon5g, advanced": Case(
        "snekagon5g", "blue red yellow green violet", (10, 30), 0.25, 150, advanced=True
    ),
    "sssnake": Case("sssnake", "a b", (60, 120)),
    "carnival": Case("carnival", "yellow black", (10, 40)),
}
SSSNAKE = game_named("sssnake")
GROWING = ("straight", "curve")
Step = tuple[Any, Move]
"""A position, and the move that leads to the one that is measured."""


def rows() -> Iterator[Row]:
    """Yield what the benchmark's table shows of the rules."""
    for name, case in CASES.items():
        game, steps = game_named(case.game), list(_steps(case))
        yield _listing(name, case, game, steps)
        yield _judging(name, case, game, steps)
        positions = [game.apply(*step) for step in steps]
        if name == "snekagon, middle":
            boards: list[Callable[[], Any]] = [
                partial(
                    dict,
                    {colour: [spot[1:] for spot in own] for colour, own in position.own.items()},
                )
                for position in positions
            ]
            cut_ms = _slowest_ms(lambda cells: decompose(cells, built_in_set("snekagon")), boards)
            counted = f"{len(boards)} boards, best of {REPEATS}"
            what = "snekagon: a board cut into tiles without a notch, slowest"
            yield what, cut_ms, f"ms (at most {CUT_MS_WANTED})", counted
        if name == "sssnake":
            tables = [partial(_sssnake, layout) for layout in _long_snakes()]
            missing_ms = _slowest_ms(SSSNAKE.outcome, tables)
            counted = f"{len(tables)} snakes of {SNAKE_CARDS} cards, best of {REPEATS}"
            what = "sssnake: missing cards, slowest"
            yield what, missing_ms, f"ms (at most {MISSING_MS_WANTED})", counted


def _steps(case: Case) -> Iterator[Step]:
    """Yield steps of random play that drills and grows more than chance would."""
    game, box = game_named(case.game), built_in_set(case.game)
    for seed in range(POSITIONS):
        rng = random.Random(seed)
        dealer = Dealer(
            game,
            Start(tuple(case.players.split()), {"advanced": True} if case.advanced else {}),
            box,
            rng,
        )
        step, left = None, rng.randint(*case.moves)
        while not dealer.is_over and left:
            before = dealer.position
            if (rolled := dealer.turn_up()) is not None:
                step = before, rolled
                continue
            moves = dealer.legal_moves()
            drilled = [move for move in moves if move.origin] if rng.random() < 1 / 3 else []
            growing = [move for move in moves if (move.tile or "").endswith(GROWING)]
            move = rng.choice(drilled or growing or moves)
            step, left = (before, move), left - 1
            dealer.make(move)
        if step is not None and game.legal_moves(game.apply(*step)):
            yield step


def _sssnake(layout: Layout) -> Any:
    start = Start(("a", "b"), {"rolls": "trust"}, layout, midgame=True)
    return SSSNAKE.opening(start, built_in_set("sssnake"))


def _long_snakes() -> Iterator[Layout]:
    """Yield tables of Sssnake with one snake, wandering at random or stretched far out."""
    for seed in range(POSITIONS):
        rng = random.Random(seed)
        position = _sssnake(Layout())
        while len(position.fields[0].cards) < SNAKE_CARDS:
            ways = [
                after
                for move in SSSNAKE.legal_moves(position)
                if (move.player, move.snake) == ("a", "a")
                and not (after := SSSNAKE.apply(position, move)).fields[0].is_closed
            ]
            if not ways:
                break
            some = rng.choices(ways, k=1 + seed % 3)
            position = max(some, key=lambda after: len(after.fields[0].route or ()))
        else:
            yield SSSNAKE.layout(position)


def _best_s(work: Callable[[list[Any]], object], fresh: Callable[[], list[Any]]) -> float:
    """Return the shortest time of some, since the machine does other things as well."""
    took = []
    for _ in range(REPEATS):
        given = fresh()
        start = perf_counter()
        work(given)
        took.append(perf_counter() - start)
    return min(took)


def _slowest_ms(work: Callable[[Any], object], made: Iterable[Callable[[], Any]]) -> float:
    """Return how long the slowest takes, each at its best."""

    def once(make: Callable[[], Any]) -> float:
        return _best_s(lambda fresh: work(fresh[0]), lambda: [make()])

    return 1000 * max(map(once, made))


def _listing(name: str, case: Case, game: AnyGame, steps: list[Step]) -> Row:
    moves = sum(len(game.legal_moves(game.apply(*step))) for step in steps)
    listed = len(steps) if case.whole else moves
    took_s = _best_s(
        lambda fresh: [game.legal_moves(position) for position in fresh],
        lambda: [game.apply(*step) for step in steps],
    )
    chess_moves, _ = python_chess()
    beside = chess_moves / CHESS_MOVES if case.whole else chess_moves
    return (
        f"{name}: {'lists' if case.whole else 'moves listed'} a second, of python-chess's",
        listed / took_s / beside,
        "x" + (f" (at least {case.lists})" if case.lists else ""),
        f"{listed / took_s:.0f}/s against {beside:.0f}/s; "
        f"{len(steps)} positions, {moves / len(steps):.0f} moves each",
    )


def _judging(name: str, case: Case, game: AnyGame, steps: list[Step]) -> Row:
    tried = list(_tried(game, steps))
    took_s = _best_s(
        lambda fresh: [game.judge(*one) for one in fresh],
        lambda: [(game.apply(*step), move) for step, move in tried],
    )
    _, beside = python_chess()
    return (
        f"{name}: one full judgement, in python-chess is_legal calls",
        beside * took_s / len(tried),
        "calls" + (f" (at most {case.judged})" if case.judged else ""),
        f"{len(tried) / took_s:.0f}/s against {beside:.0f}/s; {len(tried)} moves",
    )


def _tried(game: AnyGame, steps: list[Step]) -> Iterator[tuple[Step, Move]]:
    """Yield legal moves, and the same one step aside, which mostly breaks something."""
    rng = random.Random(1)
    for step in steps:
        moves = [m for m in game.legal_moves(game.apply(*step)) if m.cells or m.at]
        for move in rng.sample(moves, min(TRIED_EACH, len(moves))):
            q, r = rng.choice(HEX_STEPS)
            yield step, move
            if move.cells:
                yield step, replace(move, cells=tuple((a + q, b + r) for a, b in move.cells))
            elif move.at:
                yield step, replace(move, at=(move.at[0] + q, move.at[1] + r))


@cache
def python_chess() -> tuple[float, float]:
    """Return how many moves python-chess lists, and how many it judges, in a second."""
    boards = [_chess_board(seed) for seed in range(CHESS_POSITIONS)]
    tried = [(board, move) for board in boards for move in board.legal_moves]
    list_s = _best_s(
        lambda fresh: [list(board.legal_moves) for board in fresh],
        lambda: [board.copy(stack=False) for board in boards],
    )
    legal_s = _best_s(lambda given: [b.is_legal(m) for b, m in given], lambda: tried)
    return len(tried) / list_s, len(tried) / legal_s


def _chess_board(seed: int) -> chess.Board:
    rng = random.Random(seed)
    while True:
        board = chess.Board()
        for _ in range(rng.randint(FIRST_PLY, LAST_PLY)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        else:
            return board
