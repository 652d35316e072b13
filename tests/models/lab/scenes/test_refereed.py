"""Players who look one move ahead, and heed a referee."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from engine.game import Start
from engine.games import GAMES, game_named
from engine.record import Record, find_set
from models.lab.scenes.games.refereed import (
    Book,
    Manners,
    RefereedFilm,
    Standing,
    plan,
    still_table,
)

PLAYERS = {
    "schlangennest": ("blue", "red"),
    "snekagon": ("red", "green"),
    "snekagon5g": ("blue", "red"),
    "sssnake": ("Anna", "Ben"),
    "carnival": ("yellow", "black"),
}
SMALL = (320, 180)


def record(name: str, **options: Any) -> Record:
    game = game_named(name)
    return Record(game, find_set(game, None), Start(PLAYERS[name], options))


@pytest.mark.parametrize("name", sorted(GAMES))
def test_sensible_players_come_to_an_end_with_points(name):
    one = record(name)
    position = one.game.opening(one.start, one.tile_set)

    for move in plan(one.game, position, np.random.default_rng(1)):
        assert one.game.judge(position, move).legal
        position = one.game.apply(position, move)

    outcome = one.game.outcome(position)
    assert outcome.over
    assert len(one.game.layout(position).placements()) > 8


class Umpire:
    """A referee's book: accepts what lies there, calls what is not legal, says so on request."""

    def __init__(self, one: Record) -> None:
        self.one = one
        self.position = one.game.opening(one.start, one.tile_set)
        self.moves: tuple[Any, ...] = ()
        self.foul = False

    def standing(self) -> Standing:
        over = self.one.game.outcome(self.position).over
        return Standing(self.position, self.moves, self.foul, over)

    def see(self, film: RefereedFilm) -> None:
        """Judge the table that is being filmed as soon as it changes."""
        lying = film.layout
        if lying == self.one.game.layout(self.position):
            self.foul = False
            return
        for move in self.one.game.legal_moves(self.position):
            after = self.one.game.apply(self.position, move)
            if self.one.game.layout(after) == lying:
                self.position, self.moves, self.foul = after, (*self.moves, move), False
                return
        self.foul = True


def filmed(umpire: Umpire, manners: Manners) -> Iterator[tuple[RefereedFilm, bool]]:
    film = RefereedFilm(Book(umpire.one, umpire.standing), 1, 5.0, SMALL, manners)
    for shot in islice(film.frames(), 600):
        if not shot.hand:
            umpire.see(film)
        yield film, umpire.foul


def test_a_foul_lies_for_a_while_and_is_lifted_again():
    umpire = Umpire(record("schlangennest", size=[2, 2]))
    called = 0
    for film, foul in filmed(umpire, Manners(0.0, 1.0, foul_at=(2,))):
        called += foul
        if film.idle:
            break

    assert 3 <= called <= 20
    assert umpire.standing().over


def test_after_an_overruling_the_players_go_on_from_there():
    umpire = Umpire(record("schlangennest", size=[2, 2]))
    for film, foul in filmed(umpire, Manners(0.0, 60.0, foul_at=(2,))):
        if foul:
            mover = umpire.position.to_move
            laid = min(film.layout.cards - umpire.one.game.layout(umpire.position).cards)
            move = next(
                m
                for m in umpire.one.game.readings(umpire.position, change_of(umpire, film))
                if m.player == mover
            )
            umpire.position = umpire.one.game.apply(umpire.position, move)
            umpire.moves, umpire.foul = (*umpire.moves, move), False
            assert move.at == laid.at
        if film.idle:
            break

    assert umpire.standing().over


def change_of(umpire: Umpire, film: RefereedFilm) -> Any:
    from engine.infer import change_between

    return change_between(umpire.one.game.layout(umpire.position), film.layout)


def test_a_still_table_has_noise_but_no_hand():
    layout = record("carnival").game.layout(
        record("carnival").game.opening(record("carnival").start, record("carnival").tile_set)
    )

    one, two = islice(still_table("carnival", layout, PLAYERS["carnival"], 1, SMALL).quiet(1.0), 2)

    assert one.bgr.shape == two.bgr.shape == (180, 320, 3)
    assert not np.array_equal(one.bgr, two.bgr)
    assert not one.hand
