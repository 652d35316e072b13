"""How far a snake of hexes still grows: by how many cells it can go on, and what that is worth."""

from __future__ import annotations

import json
import random

from engine.game import Move, Start
from engine.games import GAMES
from engine.play.growth import FILE, SIGNS, growths
from engine.play.hex_world import HexWorld, hex_world
from engine.record import find_set

STRAIGHT = ((-1, 0), (0, 0), (1, 0), (2, 0))
"""A tile of four in the middle of a board."""


def world_after(*moves: Move) -> HexWorld:
    game = GAMES["snekagon5g"]
    position = game.opening(Start(("blue", "red")), find_set(game, None))
    for move in moves:
        assert game.judge(position, move).legal
        position = game.apply(position, move)
    world = hex_world(position)
    assert world is not None
    return world


def laid(player: str, tile: str, *cells: tuple[int, int], board: int = 0) -> Move:
    return Move(player, "place", tile, cells=tuple(sorted(cells)), board=board)


def sign(world: HexWorld, seat: int, name: str) -> float:
    return world.signs(seat)[SIGNS.index(name)]


def test_a_free_snake_goes_on_by_three_cells_and_a_drill_at_each_end():
    world = world_after(laid("blue", "4/00", *STRAIGHT))

    assert sign(world, 0, "doors") == 6
    assert sign(world, 0, "drills") == 2
    assert sign(world, 0, "open ends") == 2
    assert sign(world, 0, "own tiles") == 9
    assert sign(world, 0, "tiles of another") == 10


def test_a_glance_at_a_move_counts_what_it_takes_as_the_move_itself_does():
    world = world_after(
        laid("blue", "4/00", *STRAIGHT),
        laid("red", "3/0", (3, 0), (3, 1), (3, 2), board=1),
        laid("blue", "1", (-3, 0), board=1),
    )
    tables = world.terms.tables
    board, number, origin = next(token for token in world.moves() if token[2] == (1, 3, 0))
    cells, hope = tables[1].placements[number].cells, world._hope(0)
    left = hope.ways[board]
    for cell in cells:
        left &= ~tables[0].covering[cell]
    glance = hope.without(board, cells, hope.ways[board].bit_count() - left.bit_count())
    world.play((board, number, origin), random.Random(0))

    assert sign(world, 0, "doors") < 6
    for name in ("log2 of the ways", "doors", "drills"):
        assert glance[SIGNS.index(name)] == sign(world, 0, name), name


def test_growth_is_fitted_by_a_command_and_more_ways_are_worth_more():
    written = json.loads(FILE.read_text("utf-8"))

    assert written["made_by"] == "python -m models.lab.training.growth"
    for name, growth in growths().items():
        assert len(growth.weights) == len(SIGNS)
        few = [1.0, 1.0, 1, 0, 1, 3, 3, 0.5]
        many = [1.0, 6.0, 6, 2, 2, 3, 3, 0.5]
        assert 0 < growth.share(few) < growth.share(many) < 1, name
