"""Tables and near-legal moves of Schlangennest to test with."""

from __future__ import annotations

import random
from typing import Any

from engine.game import Json, Move, Start
from engine.games.schlangennest import Schlangennest
from engine.nest.position import COLOURS, SHAPES, NestPosition
from engine.placement import Layout, Placement
from engine.record import parse_options
from engine.setfile import built_in_set

GAME = Schlangennest()
BOX = built_in_set("schlangennest")
CROSSING: list[dict[str, Json]] = [
    {"tile": "green/straight", "at": [0, 0], "turns": 0},
    {"tile": "green/straight", "at": [1, 0], "turns": 0},
    {"tile": "green/curve", "at": [2, 0], "turns": 3},
    {"tile": "green/straight", "at": [2, 1], "turns": 1},
    {"tile": "green/curve", "at": [2, 2], "turns": 1},
    {"tile": "green/straight", "at": [3, 2], "turns": 0},
    {"tile": "green/straight", "at": [4, 2], "turns": 0},
]
"""An unused colour laid across the field: 5 x 3 places."""


def frame(seed: int = 5, wide: int = 7, high: int = 9) -> list[dict[str, Json]]:
    """Return a ring of yellow and green cards, laid as they come."""
    rng = random.Random(seed)
    tiles = [f"{c}/{s}" for c in ("yellow", "green") for s in ["curve"] * 9 + ["straight"] * 7]
    rng.shuffle(tiles)
    ring = [
        (x, y) for x in range(wide) for y in range(high) if x in (0, wide - 1) or y in (0, high - 1)
    ]
    return [
        {"tile": tile, "at": list(cell), "turns": rng.randrange(BOX[tile].period)}
        for tile, cell in zip(tiles, ring, strict=False)
    ]


def settings(seed: int) -> tuple[list[str], dict[str, Json], list[dict[str, Json]] | None]:
    """Return players, options and set-up cards: every option comes up in turn."""
    rng = random.Random(seed)
    players = rng.sample(COLOURS, rng.choice((2, 2, 3, 4)))
    two = players[:2]
    not_green = [colour for colour in players if colour != "green"]
    return (
        (players, {}, None),
        (players, {"size": ("easy", None)[seed // 10 % 2]}, None),
        (players, {"size": [rng.randint(2, 5), rng.randint(3, 6)]}, None),
        (players, {"tail_first": True}, None),
        (two, {"two_snakes": "both"}, None),
        (two, {"two_snakes": "one"}, None),
        (not_green if len(not_green) > 1 else ["blue", "red"], {"border": "fixed"}, CROSSING),
        (["blue", "red"], {"frame": True}, frame()),
        (two, {"size": ([4, 4], "hard")[seed // 10 % 2]}, None),
        (two, {"two_snakes": "one", "size": [4, 5]}, None),
    )[seed % 10]


def opening(players: list[str], options: dict[str, Json], setup: Any = None) -> NestPosition:
    """Return the first position of a game."""
    cards = [Placement(t["tile"], (t["at"][0], t["at"][1]), t["turns"]) for t in setup or ()]
    start = Start(tuple(players), parse_options(GAME, options), Layout.of(*cards))
    return GAME.opening(start, BOX)


def near_legal_move(rng: random.Random, position: NestPosition) -> Move:
    """Return a move such as a player might try: often legal, often just not."""
    player = position.to_move if rng.random() < 0.93 else rng.choice(position.players)
    own = position.agreed.colours[player]
    colour = rng.choice(own) if rng.random() < 0.95 else rng.choice(COLOURS)
    kind = rng.random()
    if kind < 0.04:
        return Move(player, "pass")
    if kind < 0.14 and position.cards:
        at = rng.choice(sorted(position.cards))
        return Move(player, "turn", at=at, turns=rng.randrange(4))
    if kind < 0.2 and position.cards:
        at = rng.choice(sorted(position.cards))
        tile = f"{colour}/{rng.choice(['tail', 'tail', 'head', 'straight'])}"
        return Move(player, "replace", tile, at, rng.randrange(BOX[tile].period))
    tile = f"{colour}/{rng.choice([*SHAPES, 'curve'])}"
    ends = position.ends(colour)
    if ends and rng.random() < 0.8:
        at, _ = rng.choice(ends)
    else:
        x, y = rng.choice(sorted(position.cards) or [(0, 0)])
        at = (x + rng.randint(-2, 2), y + rng.randint(-2, 2))
    return Move(player, "place", tile, at, rng.randrange(BOX[tile].period))


def likely_move(rng: random.Random, position: NestPosition, moves: list[Move]) -> Move:
    """Return a move that keeps the game long and its snakes winding back on themselves."""
    growing = [m for m in moves if m.tile is None or m.tile.endswith(("straight", "curve"))]
    choice = growing or moves
    if rng.random() > 0.4:
        return rng.choice(choice)

    def open_ends(move: Move) -> int:
        after = GAME.apply(position, move)
        return sum(len(after.ends(c)) for c in position.agreed.colours[position.to_move])

    return min(choice, key=lambda move: (open_ends(move), rng.random()))
