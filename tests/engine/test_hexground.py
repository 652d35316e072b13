"""A ground that grew tile by tile says the same as one that is traced from what lies."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.game import Start
from engine.games.snekagon5g import Snekagon5G
from engine.hexposition import HexPosition
from engine.setfile import built_in_set

GAME = Snekagon5G()
PLAYERS = ("blue", "red", "yellow", "green", "violet")


def allowed(position: HexPosition) -> list[object]:
    ground = position.ground
    seats, boards = range(len(position.players)), range(len(ground.boards.beside))
    return [
        ground.ends,
        ground.best,
        [ground.fit(seat, board) for seat in seats for board in boards],
    ]


@pytest.mark.parametrize("seed", range(4))
def test_ground_that_grew_allows_what_a_traced_one_allows(seed):
    chance = random.Random(seed)
    position = GAME.opening(Start(PLAYERS[: 2 + seed % 4]), built_in_set(GAME.facts.name))
    for _ in range(30):
        moves = [move for move in GAME.legal_moves(position) if move.do == "place"]
        if not moves:
            break
        position = GAME.apply(position, chance.choice(moves))

        assert allowed(position) == allowed(replace(position, grown=None))


def test_lone_hex_that_is_drilled_to_another_board_has_no_room_for_both_ends_of_a_tile():
    position = GAME.opening(Start(PLAYERS[:2]), built_in_set(GAME.facts.name))
    for wanted in (
        lambda move: move.tile == "1",
        lambda move: True,
        lambda move: move.origin is not None and move.tile != "1",
    ):
        position = GAME.apply(position, next(filter(wanted, GAME.legal_moves(position))))

    assert allowed(position) == allowed(replace(position, grown=None))
