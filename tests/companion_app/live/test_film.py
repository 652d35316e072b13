"""Each disturbance once, filmed from its seed and read by the reader that ships."""

import pytest

from companion_app.live.loop import LiveLoop
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set
from models.scenes.positions import Played, played
from models.scenes.splits import rng_of
from tests.live_games.director import Director
from tests.live_games.plan import DISTURBANCES, Act, plan_game
from tests.live_games.tables import FilmTable
from tests.live_games.umpire import Umpire

SMALL = ((640, 360),)
LAID = 3
"""So many moves have been made when the film begins."""


def filmed(
    store: Store, game_name: str, seed: int, act: Act, play: str = "random"
) -> tuple[Umpire, Director]:
    game = game_named(game_name)
    box = find_set(game, None)
    one = played(game_name, "train", play, seed)
    first, last = act.number, act.number + act.moves + 1
    shown = Played(
        one.players, one.moves[first:last], one.layouts[first:last], one.positions[first:last]
    )
    extra = () if act.other is None else (act.other,)
    table = FilmTable(game, box, shown, "train", seed, extra, SMALL)
    umpire = Umpire(
        Record(game, box, Start(one.players)), one,
        lambda match, emit: LiveLoop(match, table.reader, emit), store, "test",
    )  # fmt: skip
    umpire.skip_to(first)
    return umpire, Director(umpire, table, one, rng_of("test", game_name, seed))


def act_with(game_name: str, seed: int, kind: str) -> Act:
    game = game_named(game_name)
    one = played(game_name, "train", "random", seed)
    rng = rng_of("test film", game_name, kind)
    acts = plan_game(game, find_set(game, None), one, rng, LAID, (kind,))
    return next(act for act in acts if act.disturbance == kind)


CARD_KINDS = [kind for kind in DISTURBANCES if kind != "late-clay"]


@pytest.mark.parametrize("kind", CARD_KINDS)
def test_game_goes_on_in_front_of_the_camera_through(tmp_path, kind):
    act = act_with("schlangennest", 4, kind)
    with Store(tmp_path) as store:
        umpire, director = filmed(store, "schlangennest", 4, act)
        director.play([act])

        numbers = umpire.counts.numbers
        assert umpire.counts.mistakes == []
        assert numbers["moves right"] + numbers["fouls caught"] == act.moves
        assert numbers["questions"] == 0


def test_cup_like_the_cloth_hides_tiles_whose_place_nobody_has_seen_bare(tmp_path):
    act = Act("move", 119, "cup")
    with Store(tmp_path) as store:
        umpire, director = filmed(store, "carnival", 6, act, "greedy")
        director.play([act])

        assert umpire.counts.mistakes == []
        assert umpire.counts.numbers["moves right"] == 1
        assert umpire.counts.numbers["questions"] == 0


@pytest.mark.parametrize("game_name", ["carnival", "snekagon"])
def test_knocked_table_is_found_again_and_played_on(tmp_path, game_name):
    act = act_with(game_name, 4, "bump")
    with Store(tmp_path) as store:
        umpire, director = filmed(store, game_name, 4, act)
        director.play([act])
        states = [event["state"] for event in umpire.events if event["event"] == "state"]

        assert umpire.counts.mistakes == []
        assert umpire.counts.numbers["moves right"] == 1
        assert umpire.counts.numbers["questions"] == 0
        assert "camera-moved" in states
