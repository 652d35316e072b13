"""Hands that were overlooked in whole games, from their seeds: a verdict waits until they left."""

from dataclasses import replace

import pytest

from companion_app.live.keepsake import last_picture, packed
from companion_app.live.match import Match
from companion_app.live.states import Glimpse, Watcher
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set
from models.lab.scenes.games.film import FilmedTable, FilmFrame, film_settings
from models.lab.scenes.games.positions import Played
from tests.live_games.cast import game_of, split_of
from tests.live_games.tables import FRAMES_A_SECOND, _well_hung
from vision.core.types import Frame

SMALL = (640, 360)
DIMMED = 0.6


def table_of(game: str, seed: int, light: float) -> tuple[FilmedTable, Played]:
    one = game_of(game, seed)
    settings = _well_hung(film_settings(seed, split_of(seed), game, SMALL))
    lamp = replace(settings.light, level=settings.light.level * light)
    settings = replace(settings, light=lamp)
    table = FilmedTable(settings, one.players, one.layouts[0], iter(one.layouts), FRAMES_A_SECOND)
    return table, one


def visit(table: FilmedTable, one: Played, move: int) -> list[FilmFrame]:
    player = one.players.index(one.moves[move].player)
    return [*table.visit((one.layouts[move + 1],), player), *table.quiet(0.5)]


def seen(watcher: Watcher, shots: list[FilmFrame]) -> list[Glimpse]:
    return [watcher.see(Frame(shot.bgr, shot.t)) for shot in shots]


def looks_with_a_hand(shots: list[FilmFrame], glimpses: list[Glimpse]) -> int:
    return sum(shot.hand and glimpse.still for shot, glimpse in zip(shots, glimpses, strict=True))


@pytest.mark.parametrize(
    ("seed", "move", "light"),
    [
        pytest.param(2, 19, 1.0, id="black-sleeve-over-a-black-floor"),
        pytest.param(10, 49, DIMMED, id="brown-arm-over-a-brown-table"),
    ],
)
def test_arm_that_looks_much_like_what_is_under_it_is_a_hand(seed, move, light):
    table, one = table_of("carnival", seed, light)
    table.layout = one.layouts[move]
    watcher = Watcher()
    seen(watcher, list(table.quiet(0.4)))
    watcher.settle()

    shots = visit(table, one, move)
    glimpses = seen(watcher, shots)

    # The first finger tips are smaller than a hand that reaches a tile.
    assert looks_with_a_hand(shots, glimpses) <= 1
    assert all(glimpse.still for glimpse in glimpses[-5:])


def test_hand_that_is_there_when_a_game_is_taken_up_again_is_known_by_the_last_picture(tmp_path):
    table, one = table_of("carnival", 10, 1.0)
    game = game_named("carnival")
    table.layout = one.layouts[8]
    (before,) = table.quiet(0.1)
    jpeg = packed(Frame(before.bgr), ())
    shots = [shot for shot in visit(table, one, 8) if shot.t > 0.8]
    with Store(tmp_path) as store:
        match = Match.begin(store, Record(game, find_set(game, None), Start(one.players)))
        assert last_picture(match) is None
        match.accept(one.moves[:1], jpeg)
        # What is told leaves no picture.
        match.accept(one.moves[1:2])
        kept = last_picture(match)
    assert kept is not None
    watcher = Watcher()
    watcher.recall(kept)

    glimpses = seen(watcher, shots)

    assert shots[0].hand
    assert looks_with_a_hand(shots, glimpses) == 0
    assert all(glimpse.still for glimpse in glimpses[-4:])
