"""How fast Sssnake counts missing cards and lists moves; each position is new to the engine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter

from engine.draws import SssnakePosition
from engine.game import Start
from engine.games.sssnake import Sssnake
from engine.placement import Layout
from engine.setfile import built_in_set

GAME = Sssnake()
BOX = built_in_set("sssnake")
PLAYERS = ("a", "b")
SNAKE_CARDS = 40
TABLES = 60
MISSING_LIMIT_MS = 5.0
"""What is promised for a snake of 40 cards."""

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of Sssnake."""
    layouts = list(_long_snakes())
    missing_ms = sorted(_milliseconds(GAME.outcome, layout) for layout in layouts)
    moves_ms = sorted(_milliseconds(GAME.legal_moves, layout) for layout in layouts)
    counted = f"{len(layouts)} tables, a snake of {SNAKE_CARDS} cards"
    return [
        ("sssnake: missing cards, median", median(missing_ms), "ms", counted),
        ("sssnake: missing cards, slowest", missing_ms[-1], "ms", counted),
        ("sssnake: moves on trust, median", median(moves_ms), "ms", counted),
    ]


def _long_snakes() -> Iterator[Layout]:
    """Yield tables with a snake of so many cards, wandering at random or stretched far out."""
    for seed in range(TABLES):
        chance = random.Random(seed)
        position = _opening(Layout())
        while len(position.fields[0].cards) < SNAKE_CARDS:
            ways = [
                after
                for move in GAME.legal_moves(position)
                if (move.player, move.snake) == ("a", "a")
                and not (after := GAME.apply(position, move)).fields[0].is_closed
            ]
            if not ways:
                break
            some = chance.choices(ways, k=1 + seed % 3)
            position = max(some, key=lambda after: len(after.fields[0].route or ()))
        else:
            yield GAME.layout(position)


def _milliseconds(answer: Callable[[SssnakePosition], object], layout: Layout) -> float:
    """Return the best of three times, since the machine does other things as well."""
    times = []
    for position in [_opening(layout) for _ in range(3)]:
        begin = perf_counter()
        answer(position)
        times.append(perf_counter() - begin)
    return min(times) * 1000


def _opening(layout: Layout) -> SssnakePosition:
    return GAME.opening(Start(PLAYERS, {"rolls": "trust"}, layout, midgame=True), BOX)
