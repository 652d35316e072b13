"""The machine's move in front of the camera: laid wrongly it is noticed, laid right it is taken."""

from __future__ import annotations

import pytest

from companion_app.live.machine import MachineTurn
from companion_app.live.store import Store
from engine.game import Move
from engine.games import game_named
from models.scenes.games.positions import played
from tests.companion_app.live.test_film import filmed
from tests.live_games.plan import Act

GAME, SEED, NUMBER = "schlangennest", 4, 3


def another(kind: str) -> Move:
    """Return a legal move that is not the machine's: another cell, turn or tile."""
    game, one = game_named(GAME), played(GAME, "train", "random", SEED)
    right = one.moves[NUMBER]
    wrong = {
        "cell": lambda move: move.at != right.at,
        "turn": lambda move: (
            (move.tile, move.at) == (right.tile, right.at) and move.turns != right.turns
        ),
        "tile": lambda move: move.at == right.at and move.tile != right.tile,
    }[kind]
    legal = game.legal_moves(one.positions[NUMBER])
    found = [move for move in legal if move.do == "place" and wrong(move)]
    if not found:
        pytest.skip(f"there is no other {kind} in this position")
    return found[0]


@pytest.mark.parametrize("kind", ["cell", "turn", "tile"])
def test_machines_move_laid_wrongly_is_noticed_and_then_taken_when_right(tmp_path, kind):
    game, one = game_named(GAME), played(GAME, "train", "random", SEED)
    right, position = one.moves[NUMBER], one.positions[NUMBER]
    wrong = game.layout(game.apply(position, another(kind)))
    act = Act("move", NUMBER, other=wrong)
    with Store(tmp_path) as store:
        umpire, director = filmed(store, GAME, SEED, act)
        referee, match = umpire.loop.referee, umpire.match
        director.show(director.table.quiet(1.2))
        referee.machine = MachineTurn(right.player, match.position, right)
        director.lay(act, wrong)
        director.wait_until(lambda: referee.otherwise is not None)
        noticed, accepted = referee.otherwise, len(match.accepted)
        director.lay(act, one.layouts[NUMBER])
        director.lay(act, one.layouts[NUMBER + 1])
        director.wait_until(lambda: len(match.accepted) > accepted)

        assert noticed is not None and accepted == NUMBER
        assert [one.move for one in match.accepted[NUMBER:]] == [right]
        assert referee.otherwise is None


def test_machines_move_laid_right_is_never_refused(tmp_path):
    act = Act("move", NUMBER)
    with Store(tmp_path) as store:
        umpire, director = filmed(store, GAME, SEED, act)
        one, match = umpire.one, umpire.match
        right = one.moves[NUMBER]
        director.show(director.table.quiet(1.2))
        umpire.loop.referee.machine = MachineTurn(right.player, match.position, right)
        director.lay(act, one.layouts[NUMBER + 1])
        director.wait_until(lambda: len(match.accepted) > NUMBER)

        assert [one.move for one in match.accepted[NUMBER:]] == [right]
        assert not [event for event in umpire.events if event["event"] == "machine"]
