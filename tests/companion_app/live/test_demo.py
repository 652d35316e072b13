"""The demo table: sensible players who heed a referee, and their pictures, each at its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion_app.live.demo import (
    DemoSource,
    DemoTable,
    Manners,
    demo_record,
    dice,
    foul,
    halfway,
    plan,
    standing_of,
)
from companion_app.live.demo_table import DemoPicture
from companion_app.live.machine import MachineTurn
from engine.game import Start
from engine.games import GAMES
from engine.infer import change_between
from engine.placement import Layout

SMALL = (320, 180)


# --- The players ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(GAMES))
def test_sensible_players_come_to_an_end_with_points(name):
    one = demo_record(name)
    position = one.game.opening(one.start, one.tile_set)

    for move in plan(one.game, position, dice(name, 1)):
        assert one.game.judge(position, move).legal
        position = one.game.apply(position, move)

    outcome = one.game.outcome(position)
    assert outcome.over
    assert len(one.game.layout(position).placements()) > 8


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_foul_lays_one_tile_as_no_rule_allows(name):
    one = demo_record(name)
    position = one.game.opening(one.start, one.tile_set)
    found = 0
    for move in plan(one.game, position, dice(name, 1))[:12]:
        before, after = one.game.layout(position), foul(one, position, dice(name, 2))
        if after is not None:
            found += 1
            change = change_between(before, after)
            readings = one.game.readings(position, change)
            assert len(change.laid.placements()) == 1
            assert not change.lifted.placements()
            assert not any(one.game.judge(position, one_of).legal for one_of in readings)
        position = one.game.apply(position, move)

    assert found >= 3


class Umpire:
    """A referee who accepts what lies there, and calls what is not legal."""

    def __init__(self, options: dict[str, Any]) -> None:
        one = demo_record("schlangennest")
        self.record = replace(one, start=Start(one.start.players, options))
        self.game = one.game
        self.position = one.game.opening(self.record.start, one.tile_set)
        self.state = SimpleNamespace(pending=None, machine=None, questions={})
        self.accepted: list[Any] = []

    @property
    def match(self) -> Any:
        moves = tuple(SimpleNamespace(move=move) for move in self.accepted)
        return SimpleNamespace(position=self.position, game=self.game, accepted=moves, ended=False)

    def take(self, move: Any) -> None:
        self.position = self.game.apply(self.position, move)
        self.accepted.append(move)
        self.state.pending = None

    def see(self, lying: Layout) -> None:
        """Judge the table as soon as it changes."""
        change = change_between(self.game.layout(self.position), lying)
        if not change.laid.placements() and not change.lifted.placements():
            self.state.pending = None
            return
        mine = [m for m in self.game.legal_moves(self.position) if self._leads_to(m, lying)]
        if mine:
            self.take(mine[0])
        else:
            self.state.pending = lying

    def _leads_to(self, move: Any, lying: Layout) -> bool:
        return self.game.layout(self.game.apply(self.position, move)) == lying


def played(umpire: Umpire, manners: Manners, most: int = 600) -> Iterator[DemoSource]:
    """Play before an umpire, who judges whenever no hand is over the table."""
    source = DemoSource(
        "schlangennest", 1, 8.0, SMALL, lambda: 0.0, lambda _: None, umpire.record, manners
    )
    source.heed(lambda: standing_of(umpire))  # type: ignore[arg-type]
    for frame in islice(source.frames(), most):
        assert frame is not None
        if not source.hand:
            umpire.see(source.lying)
        yield source
        if umpire.game.outcome(umpire.position).over:
            return


def test_a_foul_lies_for_a_while_and_is_lifted_again():
    umpire = Umpire({"size": [2, 2]})
    called = sum(
        umpire.state.pending is not None
        for _ in played(umpire, Manners(0.0, 1.0, foul_at=(2,), glint_share=0.0))
    )

    assert 3 <= called <= 30
    assert umpire.game.outcome(umpire.position).over


def test_after_an_overruling_the_players_go_on_from_there():
    umpire = Umpire({"size": [2, 2]})
    for source in played(umpire, Manners(0.0, 60.0, foul_at=(2,), glint_share=0.0)):
        if umpire.state.pending is not None:
            change = change_between(umpire.game.layout(umpire.position), source.lying)
            readings = umpire.game.readings(umpire.position, change)
            umpire.take(next(m for m in readings if m.player == umpire.position.to_move))

    assert umpire.game.outcome(umpire.position).over


def test_the_players_lay_what_the_machine_wants():
    umpire = Umpire({"size": [3, 3]})
    wanted: list[Any] = []
    for _ in played(umpire, Manners(0.0, foul_at=(), glint_share=0.0)):
        known, listed = umpire.state.machine, umpire.game.legal_moves(umpire.position)
        if listed and (known is None or known.position is not umpire.position):
            wanted.append(listed[-1])
            turn = MachineTurn(umpire.position.to_move, umpire.position, wanted[-1])
            umpire.state.machine = turn

    assert umpire.accepted == wanted[: len(umpire.accepted)]
    assert umpire.game.outcome(umpire.position).over


def test_while_the_machine_thinks_nobody_lays_a_tile():
    umpire = Umpire({"size": [2, 2]})
    umpire.state.machine = MachineTurn(umpire.position.to_move, umpire.position)

    for source in played(umpire, Manners(0.0), most=30):
        assert source.lying == Layout()
        assert not source.hand


# --- Their pictures ------------------------------------------------------------------------------


def test_demo_makes_pictures_of_a_real_game_as_fast_as_asked():
    slept: list[float] = []
    source = DemoSource("schlangennest", 2, 2.0, SMALL, clock=lambda: 0.0, sleep=slept.append)
    frames = list(islice(source.frames(), 3))
    source.close()

    assert [frame.taken_at_s for frame in frames if frame] == [0.0, 0.1, 0.2]
    assert all(frame is not None and frame.bgr.shape == (180, 320, 3) for frame in frames)
    assert slept == [0.05, 0.1]
    assert source.record.start.players == ("blue", "red")


def test_a_hastened_demo_makes_fewer_frames():
    source = DemoSource("snekagon", 2, speed=8.0, size_px=SMALL, sleep=lambda _: None)

    frames = list(islice(source.frames(), 2))

    assert [frame.taken_at_s for frame in frames if frame] == [0.0, 0.2]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_half_way_through_a_game_something_lies_there(game):
    record = demo_record(game)
    layout = halfway(record)

    one, two = islice(DemoTable(game, layout, record.start.players, 1, SMALL).frames(), 2)

    assert len(layout.placements()) >= 3
    assert one is not None
    assert two is not None
    assert one.bgr.shape == two.bgr.shape == (180, 320, 3)
    assert not np.array_equal(one.bgr, two.bgr)


@pytest.mark.parametrize(("game", "players"), [("sssnake", 4), ("snekagon5g", 4), ("carnival", 2)])
def test_all_that_is_to_be_laid_is_in_view(game, players):
    record = demo_record(game)
    names = record.game.facts.player_names or ("Anna", "Ben", "Cleo", "David", "Ella")
    start = Start(names[:players] if players > 2 else record.start.players)
    layout = halfway(replace(record, start=start))

    picture = DemoPicture(replace(record, start=start), (layout,), 1, SMALL)

    assert picture.is_in_view(layout)


def test_the_camera_is_aimed_anew_at_what_nobody_planned():
    record = demo_record("sssnake")
    picture = DemoPicture(record, (Layout(),), 1, SMALL)
    layout = halfway(record)
    before = picture.is_in_view(layout)

    picture.fit((layout,))

    assert not before
    assert picture.is_in_view(layout)
