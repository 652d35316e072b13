"""Each disturbance that shows, filmed from its seed and read by the reader that ships."""

import pytest

from companion_app.live.loop import LiveLoop
from companion_app.live.states import Watcher
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set
from models.lab.scenes.games.positions import Played, played
from models.lab.scenes.splits import rng_of
from tests.companion_app.live.test_loop import NOT_FILMED
from tests.live_games.cast import game_of, seldom_of
from tests.live_games.director import Director
from tests.live_games.plan import DISTURBANCES, Act, acts_of
from tests.live_games.tables import FilmTable
from tests.live_games.umpire import Umpire

SMALL = ((640, 360),)
LAID = 3
"""So many moves have been made when the film begins."""


def filmed(
    store: Store,
    game_name: str,
    seed: int,
    act: Act,
    play: str = "random",
    one: Played | None = None,
) -> tuple[Umpire, Director]:
    game = game_named(game_name)
    box = find_set(game, None)
    one = one or played(game_name, "train", play, seed)
    first, last = act.number, act.number + act.moves + 1
    shown = Played(
        one.players, one.moves[first:last], one.layouts[first:last], one.positions[first:last]
    )
    extra = () if act.other is None else (act.other,)
    table = FilmTable(game, box, shown, "train", seed, extra, SMALL)
    umpire = Umpire(
        Record(game, box, Start(one.players)),
        one,
        lambda match, emit: LiveLoop(match, table.reader, emit),
        store,
        "test",
    )
    umpire.skip_to(first)
    return umpire, Director(umpire, table, one, rng_of("test", game_name, seed))


def act_with(game_name: str, seed: int, kind: str) -> Act:
    game = game_named(game_name)
    one = played(game_name, "train", "random", seed)
    rng = rng_of("test film", game_name, kind)
    acts = acts_of(game, find_set(game, None), one, rng, LAID, (kind,))
    return next(act for act in acts if act.disturbance == kind)


CARD_KINDS = [kind for kind in DISTURBANCES if kind not in (*NOT_FILMED, "late-clay")]
"""Clay lies on boards only."""


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


@pytest.mark.parametrize(
    ("seed", "rule"),
    [
        pytest.param(
            1,
            "first-touches",
            marks=pytest.mark.xfail(
                reason="a card apart from all others is taken for stock, and said to lie apart",
                strict=False,
            ),
        ),
        (4, "cannot-be-closed"),
        (10, "game-over"),
    ],
)
def test_foul_that_chance_never_makes_is_told_from_the_picture(tmp_path, seed, rule):
    game, one = game_named("schlangennest"), game_of("schlangennest", seed)
    seldom = seldom_of("schlangennest", seed)
    number = next(move for move, broken in seldom.items() if broken == rule)
    box = find_set(game, None)
    act = next(acts_of(game, box, one, rng_of("test", rule), number, (), seldom=seldom))
    with Store(tmp_path) as store:
        umpire, director = filmed(store, "schlangennest", seed, act, one=one)
        director.play([act])

        assert umpire.counts.mistakes == []
        assert umpire.counts.numbers[f"foul {rule}"] == 1
        assert umpire.counts.numbers["fouls with the right rules"] == 1


def test_nothing_settles_under_a_dark_sleeve_over_a_dark_floor():
    game, one = game_named("sssnake"), game_of("sssnake", 11)
    number = 39
    player = one.players.index(one.moves[number].player)
    table = FilmTable(game, find_set(game, None), one, "held-out", 11)
    for _ in table.visit((one.layouts[number],)):
        pass
    watcher = Watcher()
    for visit in range(6):
        for frame in table.quiet(0.5):
            watcher.see(frame)
        watcher.settle()
        frames = list(table.visit((one.layouts[number + 1 - visit % 2],), player))
        still = [watcher.see(frame).still for frame in frames]
        came = still.index(False)
        under = [frame.taken_at_s < table.hand_left_s for frame in frames]
        looks = [s and u for s, u in zip(still[came:], under[came:], strict=True)]

        assert not any(map(all, zip(looks, looks[1:], looks[2:], strict=False)))


def test_tile_under_a_cup_is_not_gone_though_another_was_never_seen(tmp_path):
    act, one = Act("move", 3, "cup"), game_of("sssnake", 1)
    game = game_named("sssnake")
    box = find_set(game, None)
    table = FilmTable(game, box, one, "held-out", 1)
    with Store(tmp_path) as store:
        umpire = Umpire(
            Record(game, box, Start(one.players)),
            one,
            lambda match, emit: LiveLoop(match, table.reader, emit),
            store,
            "test",
        )
        umpire.skip_to(act.number)
        for _ in table.visit((one.layouts[act.number],)):
            pass
        Director(umpire, table, one, rng_of("test")).play([act])

        assert umpire.counts.mistakes == []
        assert umpire.counts.numbers["moves right"] == 1


def test_move_that_is_taken_back_is_answered_to_be_so_though_the_next_one_lays_the_same(tmp_path):
    # Carnival 26: Yellow's next move lays the very corner that Black's sore has replaced.
    act = Act("move", 123, "take-back-one")
    with Store(tmp_path) as store:
        umpire, director = filmed(store, "carnival", 26, act, one=game_of("carnival", 26))
        director.play([act])

        undone = [event["n"] for event in umpire.events if event["event"] == "taken-back"]
        assert (umpire.counts.mistakes, undone) == ([], [124])
