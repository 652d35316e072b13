import json

import pytest

from companion_app.live.explain import explain
from companion_app.live.likeness import last_laid
from companion_app.live.places import contents
from engine.game import Move
from engine.games import game_named
from engine.record import find_set
from engine.setfile import built_in_set
from models.lab.scenes.games.positions import played
from models.lab.scenes.splits import rng_of
from tests.live_games import __main__ as evaluation
from tests.live_games.counts import MOST_IN_A_MINUTE, Counts, interval, most_in_a_minute, report
from tests.live_games.plan import acts_of
from tests.live_games.sameness import same_moves

NEST, HEX, FIVE = (built_in_set(n) for n in ("schlangennest", "snekagon", "snekagon5g"))


def lay(tile, at, turns=0):
    return Move("blue", "place", tile, at, turns)


def test_game_that_lies_turned_is_the_same_game():
    wanted = [lay("blue/curve", (0, 0), 2), lay("blue/tail", (0, -1), 2)]
    turned = [lay("blue/curve", (5, 5), 0), lay("blue/tail", (5, 6), 0)]
    other = [lay("blue/curve", (5, 5), 0), lay("blue/tail", (5, 4), 0)]

    assert same_moves(turned, wanted, NEST)
    assert not same_moves(other, wanted, NEST)


def test_board_and_ring_may_be_counted_from_anywhere():
    one = [Move("red", "place", "2", cells=((0, 0), (1, 0)))]
    other = [Move("red", "place", "2", cells=((0, 0), (0, 1)))]
    assert same_moves(one, other, HEX)

    first = [Move("red", "place", "1", cells=((0, 0),), board=0, origin=(1, (0, 0)))]
    second = [Move("red", "place", "1", cells=((0, 0),), board=2, origin=(0, (0, 0)))]
    assert same_moves(first, second, FIVE, 3)
    assert not same_moves(first, [Move("red", "place", "1", cells=((0, 0),), board=2)], FIVE, 3)


def test_interval_holds_the_share():
    low, high = interval(997, 1000)

    assert low < 0.997 < high
    assert interval(0, 0) == (0.0, 1.0)


def test_evaluation_goes_on_where_it_was_broken_off(tmp_path, monkeypatch, capsys):
    played = []

    def one_game(way, game, seed, shots=None):
        played.append(seed)
        counts = Counts()
        counts.add("moves", "none")
        counts.add("moves right", "none")
        return counts

    monkeypatch.setattr(evaluation, "played_game", one_game)
    arguments = ["--only", "snekagon", "--out", str(tmp_path), "--way", "scripted", "--games"]
    evaluation.main([*arguments, "2"])
    assert played == [0, 1]
    evaluation.main([*arguments, "4"])

    assert played == [0, 1, 2, 3]
    evaluation.main([*arguments, "6", "--from", "5"])
    assert played == [0, 1, 2, 3, 5]
    evaluation.main([*arguments, "4"])
    assert "moves right and in order: 4 of 4" in capsys.readouterr().out
    assert json.loads((tmp_path / "scripted/snekagon-0.json").read_text())["mistakes"] == []
    figures = json.loads((tmp_path / "scripted/figures.json").read_text())
    assert figures["held-out"]["numbers"]["moves"] == 2


def test_report_tells_the_busiest_minute_of_any_game():
    total = Counts()
    for asked_s in ([0.0, 59.9, 60.0, 61.0], [5.0], []):
        one = Counts()
        one.numbers[MOST_IN_A_MINUTE] = most_in_a_minute(asked_s)
        total.take_in(one.to_json())

    assert "most questions in a minute: 3" in report(total)


@pytest.mark.parametrize("game", ["snekagon", "carnival"])
def test_report_names_every_figure(game):
    counts = Counts()
    counts.add("moves", "none")
    lines = report(counts)

    assert any(line.startswith("fouls caught: 0 of 0") for line in lines)
    assert any("fouls by rule" in line for line in lines)


def test_two_moves_at_once_never_change_one_place():
    game = game_named("carnival")
    one = played("carnival", "train", "greedy", 2)
    rng = rng_of("live", "carnival", "train", 2)
    acts = list(acts_of(game, find_set(game, None), one, rng))
    pairs = [act.number for act in acts if act.moves == 2]

    assert pairs
    for number in pairs:
        first, second, third = (contents(one.layouts[number + n]) for n in range(3))
        changed = {s for s in first.keys() | second.keys() if first.get(s) != second.get(s)}
        assert all(second.get(s) == third.get(s) for s in changed)


def test_no_foul_looks_like_the_last_move_made_anew():
    game = game_named("schlangennest")
    one = played("schlangennest", "held-out", "random", 5)
    rng = rng_of("live", "schlangennest", "held-out", 5)
    acts = list(acts_of(game, find_set(game, None), one, rng))
    fouls = [(act.number, act.other) for act in acts if act.other is not None and act.rules]

    assert fouls
    for number, table in fouls:
        if not last_laid(one.layouts[: number + 1]) & set(table.placements()):
            assert not explain(game, one.positions[number - 1], table).rows
