"""Both hex games, whatever the table: turned and mirrored boards, turned rings and colours."""

import random
from dataclasses import replace

import pytest

from engine.game import Start
from engine.games.snekagon import Snekagon
from engine.games.snekagon5g import Snekagon5G
from engine.placement import Clay
from engine.setfile import built_in_set

SNEKAGON, FIVE_G = Snekagon(), Snekagon5G()
FIVE = ("blue", "red", "yellow", "green", "violet")
OPTIONS = [{}, {"advanced": True}, {"far_drill": True}]
SIDES = ("E", "SE", "SW", "W", "NW", "NE")


def turned(cell):
    """Turn a board by 60 degrees clockwise."""
    q, r = cell
    return (-r, q + r)


def flipped(cell):
    q, r = cell
    return (r, q)


def mirrored(cell):
    """Mirror a board left to right; the eyes of 5G change places."""
    q, r = cell
    return (-q - r, r)


def symmetries():
    """Return the twelve ways to lay a board upon itself."""
    ways = []
    for turns in range(6):
        for flip in (False, True):

            def way(cell, turns=turns, flip=flip):
                for _ in range(turns):
                    cell = turned(cell)
                return flipped(cell) if flip else cell

            ways.append(way)
    return ways


def moved(move, cell_to=lambda cell: cell, board_to=lambda board: board, player_to=None):
    """Return a move on a table that was turned, mirrored or dealt to others."""

    def drill_to(end):
        return None if end is None else (board_to(end[0]), cell_to(end[1]))

    return replace(
        move,
        player=player_to[move.player] if player_to else move.player,
        cells=None if move.cells is None else tuple(sorted(map(cell_to, move.cells))),
        board=None if move.board is None else board_to(move.board),
        origin=drill_to(move.origin),
        to=drill_to(move.to),
    )


def positions(game, players, seed, options, other):
    """Yield positions of a random game, and of the same game with every move changed."""
    box, chance = built_in_set(game.facts.name), random.Random(seed)
    position = game.opening(Start(players, options), box)
    changed = other(None)
    while moves := game.legal_moves(position):
        yield position, changed, moves
        drilled = [move for move in moves if move.origin or move.to]
        move = chance.choice(drilled if drilled and chance.random() < 0.5 else moves)
        position, changed = game.apply(position, move), game.apply(changed, other(move))
    yield position, changed, moves


def test_turning_or_flipping_the_board_changes_nothing():
    for number, way in enumerate(symmetries()):
        opening = SNEKAGON.opening(Start(("red", "green")), built_in_set("snekagon"))

        def other(move, way=way, opening=opening):
            return opening if move is None else moved(move, way)

        for position, changed, moves in positions(SNEKAGON, ("red", "green"), number, {}, other):
            assert {other(move) for move in moves} == set(SNEKAGON.legal_moves(changed))
            assert SNEKAGON.outcome(position).scores == SNEKAGON.outcome(changed).scores


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("change", ["ring turned", "ring reversed", "boards mirrored"])
def test_turning_the_ring_or_mirroring_the_boards_changes_nothing(options, change):
    players = FIVE[:4]
    opening = FIVE_G.opening(Start(players, options), built_in_set("snekagon5g"))

    def other(move):
        if move is None:
            return opening
        if change == "boards mirrored":
            return moved(move, mirrored)
        turn = (lambda b: (b + 1) % 4) if change == "ring turned" else (lambda b: -b % 4)
        return moved(move, board_to=turn)

    for step, (position, changed, moves) in enumerate(
        positions(FIVE_G, players, 5, options, other)
    ):
        assert FIVE_G.outcome(position).scores == FIVE_G.outcome(changed).scores
        if step % 5 == 0:
            assert {other(move) for move in moves} == set(FIVE_G.legal_moves(changed))


def test_colours_may_change_hands_as_long_as_the_large_tiles_are_not_laid():
    players = FIVE[:3]
    passed_on = dict(zip(players, (*players[1:], players[0]), strict=True))
    box = built_in_set("snekagon5g")
    position = FIVE_G.opening(Start(players), box)
    changed = FIVE_G.opening(Start((*players[1:], players[0])), box)
    chance = random.Random(3)
    for _ in range(15):
        moves = [m for m in FIVE_G.legal_moves(position) if "5/" not in str(m.tile)]
        others = [m for m in FIVE_G.legal_moves(changed) if "5/" not in str(m.tile)]
        assert [moved(move, player_to=passed_on) for move in moves] == others
        move = chance.choice(moves)
        position = FIVE_G.apply(position, move)
        changed = FIVE_G.apply(changed, moved(move, player_to=passed_on))


def test_mirrored_tables_have_mirrored_clay():
    opening = FIVE_G.opening(Start(FIVE[:2]), built_in_set("snekagon5g"))

    def other(move):
        return opening if move is None else moved(move, mirrored)

    *_, (position, changed, _) = positions(FIVE_G, FIVE[:2], 8, {}, other)
    mirror_sides = dict(zip(SIDES, ("W", "SW", "SE", "E", "NE", "NW"), strict=True))
    expected = {
        Clay(c.board, mirrored(c.cell), c.kind, mirror_sides.get(str(c.opens)))
        for c in FIVE_G.layout(position).clay
    }

    assert expected
    assert FIVE_G.layout(changed).clay == expected
