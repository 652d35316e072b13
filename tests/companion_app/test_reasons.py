"""Why a move is worth trying: the words of a hint come from the score and from the snakes."""

from __future__ import annotations

import pytest

from companion_app.seat.reasons import MOST_REASONS, reasons, ways_on
from engine.draw.ends import open_ends
from tests.companion_app.web.conftest import playthrough


def asked_about(name: str, every: int = 40):
    """Yield positions of a game with one of so many moves that could be made, and why."""
    record = playthrough(name)
    game, box = record.game, record.tile_set
    position = game.opening(record.start, box)
    for made in record.moves:
        for move in [made, *game.legal_moves(position)[::every]]:
            if move.do == "place":
                yield game, box, position, move, reasons(game, box, position, move)
        position = game.apply(position, made)


@pytest.mark.parametrize(
    ("name", "every"),
    [("schlangennest_four_players", 7), ("snekagon_tie", 40), ("carnival_evening", 40)],
)
def test_whom_a_move_blocks_keeps_at_most_half_of_his_ways_on(name, every):
    told = 0
    for game, _, position, move, why in asked_about(name, every):
        had, has = ways_on(position), ways_on(game.apply(position, move))
        halved = {who for who, n in had.items() if who != move.player and n and 2 * has[who] <= n}
        said = {one["player"] for one in why if one["why"] == "blocks"}
        assert said <= halved
        assert said or not halved or len(why) == MOST_REASONS
        told += len(said)
    assert told


def test_ways_on_of_cards_are_the_open_ends_that_the_drawing_shows():
    for game, box, position, _, _ in asked_about("schlangennest_two_players"):
        shown = open_ends(box, game.layout(position))
        assert ways_on(position).total() == len(shown)


def test_nobody_is_blocked_where_everybody_has_a_field():
    for *_, why in asked_about("sssnake_evening"):
        assert all(one["why"] != "blocks" for one in why)
