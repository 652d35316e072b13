"""A decision of the referee counts whole or not at all, and is a value of what it was made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import pytest

from companion_app.eye.recorded import settled_on
from companion_app.live.doubts import RefereeSettings
from companion_app.live.errors import StoreFull, ToldError
from companion_app.live.judging import Judge
from companion_app.live.referee import decide
from tests.companion_app.live.tabletop import Tabletop
from tests.companion_app.live.test_referee import PLAIN, a_table, accepted
from tests.companion_app.live.test_store import FailingDisk
from tests.engine.playing import random_game


@pytest.fixture
def nest(tmp_path) -> Iterator[Tabletop]:
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        yield table


@pytest.fixture
def before_a_pass(tmp_path) -> Iterator[Tabletop]:
    """Return a table whose next move leaves a player nothing but to pass."""
    variant = PLAIN["snekagon"]
    with a_table(tmp_path, variant) as table:
        for position, _, move in islice(random_game(variant, 4), 13):
            table.shows(variant.game.layout(variant.game.apply(position, move)))
        yield table


def next_table(table: Tabletop):
    match = table.match
    move = next(move for move in match.game.legal_moves(match.position) if move.do == "place")
    return match.after(move)


def test_decision_changes_nothing_of_what_it_is_made_of(nest):
    game, doubts, lines = nest.match.now, nest.referee.doubts, nest.store.lines(nest.match.key)
    settled = settled_on(next_table(nest))

    def made():
        def looked(draft):
            return Judge(draft).look(settled, lambda: None)

        return decide(nest.match, doubts, looked, RefereeSettings(), lambda jpeg: None, 1.0)

    first, second = made(), made()

    assert first == second
    assert [line.kind for line, _ in first.lines] == ["moves"]
    assert first.game is not game
    assert (nest.match.now, nest.referee.doubts) == (game, doubts)
    assert nest.store.lines(nest.match.key) == lines


def test_decision_of_several_lines_that_cannot_all_be_written_has_not_happened(before_a_pass):
    table = before_a_pass
    game, events = table.match.now, len(table.events)
    after = next(
        after
        for position, _, move in islice(random_game(PLAIN["snekagon"], 4), 13, 14)
        for after in [table.match.game.layout(table.match.game.apply(position, move))]
    )
    written: list[str] = []

    def has_no_room(statement: str) -> bool:
        if "INTO log" in statement:
            written.append(statement)
            return len(written) > 1
        return False

    disk = FailingDisk(table.store, has_no_room)
    with pytest.raises(StoreFull):
        table.shows(after)
    assert table.match.now is game
    assert table.referee.doubts.scores == dict(game.game.outcome(game.position).scores)
    assert len(table.events) == events

    disk._fails = lambda statement: False
    table.shows(after)

    assert [move.do for move in accepted(table)[-2:]] == ["place", "pass"]


def test_message_that_is_refused_has_changed_nothing(nest):
    doubts = nest.referee.doubts

    with suppress(ToldError):
        nest.tell({"answer": 7, "value": "none"})

    assert nest.referee.doubts is doubts
