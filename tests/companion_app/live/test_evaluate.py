import json

import pytest

from companion_app.live import evaluate
from companion_app.live.evaluate import Counts, interval, report
from companion_app.live.sameness import same_moves
from engine.game import Move
from engine.setfile import built_in_set

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

    def one_game(way, game, seed):
        played.append(seed)
        counts = Counts()
        counts.add("moves", "none")
        counts.add("moves right", "none")
        return counts

    monkeypatch.setattr(evaluate, "_played", one_game)
    arguments = ["--only", "snekagon", "--games", "4", "--out", str(tmp_path)]
    evaluate.main([*arguments, "--part", "2/2"])
    assert played == [1, 3]
    evaluate.main(arguments)

    assert sorted(played) == [0, 1, 2, 3]
    assert "moves right and in order: 4 of 4" in capsys.readouterr().out
    assert json.loads((tmp_path / "scripted/snekagon-0.json").read_text())["mistakes"] == []


@pytest.mark.parametrize("game", ["snekagon", "carnival"])
def test_report_names_every_figure(game):
    counts = evaluate.Counts()
    counts.add("moves", "none")
    lines = report(counts)

    assert any(line.startswith("fouls caught: 0 of 0") for line in lines)
    assert any("fouls by rule" in line for line in lines)
