"""Why a move is worth trying: the words of a hint come from the score and from the snakes."""

from __future__ import annotations

import pytest

from companion_app.seat.reasons import MOST_REASONS, ends_left, reasons, ways_on
from engine.draw.ends import open_ends
from engine.placement import Clay, Layout, Placement
from tests.companion_app.web.conftest import playthrough


def tried(name: str, every: int = 40):
    """Yield positions of a game with one of so many moves that could be made."""
    record = playthrough(name)
    game, box = record.game, record.tile_set
    position = game.opening(record.start, box)
    for made in record.moves:
        for move in [made, *game.legal_moves(position)[::every]]:
            if move.do == "place":
                yield game, box, position, move
        position = game.apply(position, made)


def asked_about(name: str, every: int = 40):
    """Yield the same, and why the move is worth trying."""
    for game, box, position, move in tried(name, every):
        yield game, box, position, move, reasons(game, box, position, move)


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
    for game, box, position, _ in tried("schlangennest_two_players"):
        shown = open_ends(box, game.layout(position))
        assert ways_on(position).total() == len(shown)


def test_nobody_is_blocked_where_everybody_has_a_field():
    for *_, why in asked_about("sssnake_evening"):
        assert all(one["why"] != "blocks" for one in why)


@pytest.mark.parametrize(
    ("name", "every"), [("sssnake_evening", 40), ("snekagon5g_five_players", 400)]
)
def test_ends_on_another_field_or_board_are_not_left_by_a_move(name, every):
    for game, box, position, move in tried(name, every):
        before, after = game.layout(position), game.layout(game.apply(position, move))
        (number,) = {
            one.field if isinstance(one, Placement) else one.board
            for one in after.placements()
            if one not in before.placements() and not isinstance(one, Clay)
        }
        alone = Layout(
            frozenset(one for one in after.cards if one.field == number),
            frozenset(one for one in after.pieces if one.board == number),
            frozenset(one for one in after.clay if one.board == number),
        )

        assert ends_left(box, before, after) == ends_left(box, before, alone)
