import re
from dataclasses import replace
from importlib.resources import files
from itertools import count

import pytest

from companion_app.games.entries import HandRaised, Names
from companion_app.games.play import play
from companion_app.live.errors import StoreError
from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.game import Move, Start
from engine.games import game_named
from engine.notation import read_layout
from engine.record import Record, find_set, move_to_json
from tests.engine.playing import Variant, random_game, variants


def begun(store: Store, variant: Variant) -> Match:
    start = Start(variant.players, variant.opening() and {})
    return Match.begin(store, Record(variant.game, variant.tile_set, start))


def some_moves(variant: Variant, count: int):
    return [move for _, (_, _, move) in zip(range(count), random_game(variant, 1), strict=False)]


def test_match_that_is_resumed_is_the_same(tmp_path):
    for number, variant in enumerate(v for v in variants() if not v.options):
        moves = some_moves(variant, 9)
        with Store(tmp_path / str(number)) as store:
            match = begun(store, variant)
            for move in moves[:8]:
                match.accept([move], b"jpeg")
            match.take_back(2)
            match.accept([moves[6]])
            match.foul(moves[7], (), 3.0)

            again = Match.resume(store, match.key)

            assert [a.move for a in again.accepted] == moves[:7]
            assert again.layout == match.layout
            assert again.position.to_move == match.position.to_move


def test_correction_is_judged_with_everything_after_it(tmp_path):
    variant = next(v for v in variants() if v.game.facts.name == "schlangennest")
    moves = some_moves(variant, 6)
    with Store(tmp_path) as store:
        match = begun(store, variant)
        match.accept(moves)
        other = next(m for m in variant.game.legal_moves(match.positions[0]) if m != moves[0])

        rejudged = match.correct(1, other)

        assert len(rejudged) == 6
        assert rejudged[0].move == other
        assert [a.move for a in rejudged[1:]] == moves[1:]
        again = Match.resume(store, match.key)
        assert [a.violations for a in again.accepted] == [a.violations for a in match.accepted]


def test_turn_that_a_correction_leaves_without_its_card_loses_no_game(tmp_path):
    variant = next(v for v in variants() if v.game.facts.name == "schlangennest")
    moves = some_moves(variant, 4)
    with Store(tmp_path) as store:
        match = begun(store, variant)
        match.accept(moves)

        rejudged = match.correct(3, Move(moves[2].player, "turn", at=moves[2].at, turns=1))

        assert [one.move for one in rejudged[1:]] == moves[3:]
        assert [v.rule.id for v in rejudged[0].violations] == ["not-own-curve"]
        assert Match.resume(store, match.key).layouts == match.layouts


def test_correction_that_no_replay_could_follow_changes_nothing(tmp_path):
    variant = next(v for v in variants() if v.game.facts.name == "schlangennest")
    moves = some_moves(variant, 4)
    with Store(tmp_path) as store:
        match = begun(store, variant)
        match.accept(moves)
        lines = store.lines(match.key)

        with pytest.raises(StoreError):
            match.correct(2, replace(moves[1], tile="no such tile"))

        assert [one.move for one in match.accepted] == moves
        assert len(match.positions) == len(match.layouts) == 5
        assert store.lines(match.key) == lines


def test_game_with_an_own_box_that_is_joined_in_its_middle_is_taken_up_again(tmp_path):
    text = files("engine").joinpath("sets/schlangennest.toml").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(text.replace('name = "schlangennest"', 'name = "mine"', 1))
    game = game_named("schlangennest")
    record = Record(game, find_set(game, "mine", [tmp_path]), Start(("blue", "red")))
    with Store(tmp_path / "games") as store:
        match = Match.begin(store, record)
        lying = read_layout("blue/curve@0,0 red/curve@1,1")
        match.restart(replace(match.start, layout=lying, next="red", midgame=True))

        again = Match.resume(store, match.key, iter([tmp_path]))

        assert (again.layout, again.position.to_move) == (lying, "red")


def test_game_that_goes_on_is_the_one_that_its_log_makes(tmp_path):
    for number, variant in enumerate(v for v in variants() if not v.options):
        moves = some_moves(variant, 9)
        with Store(tmp_path / str(number), clock=count(100.0).__next__) as store:
            match = begun(store, variant)
            match.note(Names({variant.players[0]: "Ann"}))
            match.accept(moves[:4])
            match.foul(moves[4], (), 1.0)
            mark = match.now
            match.accept(moves[4:5], overruled=True)
            match.correct(1, moves[0])
            match.take_back(1)
            match.foul(moves[5], (), 2.0)
            match.go_back(mark)
            match.note(HandRaised(True))

            assert match.now.pending == mark.pending is not None
            assert match.now == play(store.lines(match.key))


def test_line_of_a_newer_version_is_passed_on_and_changes_nothing(tmp_path):
    variant = variants()[0]
    with Store(tmp_path) as store:
        match = begun(store, variant)
        (made,) = some_moves(variant, 1)
        body = {"n": 1, "moves": [move_to_json(made)], "weight_g": 12}
        store.append(match.key, "moves", body)
        store.append(match.key, "weather", {"sun": True})

        assert [one.move for one in play(store.lines(match.key)).accepted] == [made]
        assert store.lines(match.key)[1].body == body


def test_unfinished_game_is_found_until_it_ends(tmp_path):
    variant = variants()[0]
    with Store(tmp_path) as store:
        assert store.unfinished() is None
        match = begun(store, variant)
        assert store.unfinished() == match.key
        match.end()
        assert store.unfinished() is None
        match.reopen()
        assert store.unfinished() == match.key
        match.end()
        assert store.unfinished() is None


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        (
            "started",
            {},
            "line 1 of game broken (started) cannot be understood: 'record' is missing",
        ),
        ("started", {"record": {"game": "chess"}}, "line 1 of game broken (started) cannot be"),
        ("moves", {"moves": []}, "the log has no beginning of game broken"),
    ],
    ids=["no record", "another game", "no beginning"],
)
def test_game_that_cannot_be_understood_says_so_and_is_left_alone(tmp_path, kind, body, said):
    with Store(tmp_path) as store:
        store.append("broken", kind, body)
        with pytest.raises(StoreError, match=re.escape(said)):
            Match.resume(store, "broken")

        assert [line.body for line in store.lines("broken")] == [body]


def test_line_that_cannot_be_understood_is_named(tmp_path):
    with Store(tmp_path) as store:
        match = begun(store, variants()[0])
        store.append(match.key, "moves", {"n": 1})

        with pytest.raises(StoreError, match=r"line 2 of game .* field `moves`"):
            Match.resume(store, match.key)
