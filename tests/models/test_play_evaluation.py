"""The evaluation of the player: rows, the test that ends them early, taking up, the table."""

from __future__ import annotations

import json
import random
from math import exp
from pathlib import Path

import pytest

from engine.game import Start
from engine.games import GAMES
from engine.play.curve import log_odds
from engine.play.dealing import Dealer
from engine.play.growth import SIGNS
from engine.record import find_set
from models.lab.evaluate import play, play_curve
from models.lab.evaluate.play import Row, is_decided, play_one, players_of, rows
from models.lab.evaluate.play_rivals import RIVALS
from models.lab.training import growth


def test_a_row_ends_when_it_is_sure_and_not_before():
    row = Row("snekagon", "greedy", 0.7)

    assert not is_decided(row, 3, 3)
    assert not is_decided(row, 35, 50)
    assert is_decided(row, 40, 40)
    assert is_decided(row, 2, 30)
    assert is_decided(row, 140, 200)


def test_levels_must_be_apart_but_not_too_far():
    row = Row("snekagon", "level 1", 0.65, 0.85, level=2)

    assert not is_decided(row, 30, 40)
    assert is_decided(row, 60, 60)
    assert is_decided(row, 5, 40)


def test_chance_rarely_decides_a_row_that_is_as_strong_as_wanted():
    row, rng, wrong = Row("snekagon", "greedy", 0.7), random.Random(0), 0
    for _ in range(200):
        won = 0
        for played in range(1, 200):
            won += rng.random() < 0.7
            if is_decided(row, won, played):
                wrong += 1
                break

    assert wrong <= 10


def test_every_game_and_number_of_players_has_its_rows():
    names = [row.name for row in rows()]

    assert len(names) == len(set(names))
    assert "carnival, 4 players: against greedy" in names
    assert "snekagon: level 5 against level 4" in names


def test_rivals_make_legal_moves():
    for game, rival, players in (
        ("schlangennest", "greedy with open ends", ("blue", "red")),
        ("snekagon", "greedy with mobility", ("red", "green")),
        ("carnival", "greedy", ("yellow", "black")),
        ("sssnake", "random", ("a", "b")),
    ):
        book, rng = GAMES[game], random.Random(2)
        dealer = Dealer(book, Start(players), find_set(book, None), rng)
        for _ in range(6):
            if dealer.turn_up() is None:
                move = RIVALS[rival](dealer, rng)
                assert book.judge(dealer.position, move).legal
                dealer.make(move)


def test_games_of_a_row_are_kept_and_taken_up_until_it_is_decided(tmp_path: Path, monkeypatch):
    row, asked = Row("sssnake", "random", 0.98, level=2), []

    def lost(task, row):
        asked.append(task)
        return {"result": 0.0}

    monkeypatch.setattr(play, "play_one", lost)
    results = play.played(tmp_path, row, 1)

    assert play.played(tmp_path, row, 1) == results
    assert len(asked) == len(results) < play.MOST_GAMES
    assert f"sssnake: level 2 against random | {len(asked)} | 0.0% |" in play.line(row, results)


def test_a_game_is_played_to_its_end():
    result = play_one("sssnake: level 2 against random 0", Row("sssnake", "random", 0.98, level=2))

    assert result["result"] in (0.0, 0.5, 1.0)
    assert result["plies"] > 10


def test_stated_results_are_held_against_how_games_ended():
    assert play_curve.error([(0.9, 1.0), (0.9, 1.0), (0.1, 0.0), (0.1, 0.0)]) == pytest.approx(0.1)


def unsure(steep: float, games: int = 1200) -> list[play_curve.Stated]:
    """Return what a search states that is only so sure of itself: its log-odds are too small."""
    rng, stated = random.Random(5), []
    for number in range(games):
        chance = rng.uniform(0.05, 0.95)
        odds = log_odds(chance) / steep
        result = float(rng.random() < chance)
        stated.append(play_curve.Stated(number, 1 / (1 + exp(-odds)), number % 30, result))
    return stated


def test_a_search_that_is_too_unsure_is_put_right_on_games_that_were_not_fitted():
    pairs = unsure(2.5)
    curve = play_curve.fit(pairs, 15.0)
    told = play_curve.checked(pairs, 15.0)

    assert min(curve.early, curve.late) > 1.8 and max(curve.early, curve.late) < 3.2
    plain = play_curve.error((one.value, one.result) for one in pairs)
    assert play_curve.error(told) < plain / 2


def test_a_search_that_is_right_is_left_alone():
    curve = play_curve.fit(unsure(1.0), 15.0)

    assert min(curve.early, curve.late) > 0.8 and max(curve.early, curve.late) < 1.25
    assert abs(curve.shift) < 0.25


def test_games_against_itself_are_kept_fitted_and_written(tmp_path: Path):
    asked = [
        "--out",
        str(tmp_path),
        "--game",
        "snekagon",
        "--each",
        "1",
        "--to",
        str(tmp_path / "curves.json"),
        "--workers",
        "1",
    ]
    play_curve.main(asked)
    kept = (tmp_path / "play_curve.jsonl").read_text("utf-8")
    play_curve.main(asked)
    written = json.loads((tmp_path / "curves.json").read_text("utf-8"))

    assert (tmp_path / "play_curve.jsonl").read_text("utf-8") == kept
    assert written["manifest"]["snekagon"]["games"] == 1
    assert set(written["curves"]["snekagon"]) == {"shift", "early", "late", "tiles"}


def test_games_against_itself_differ_even_where_nothing_is_drawn():
    made = set()
    for number in range(6):
        game, start = GAMES["snekagon"], Start(players_of(Row("snekagon", "", 0.5)))
        dealer = Dealer(game, start, find_set(game, None), random.Random(number))
        play_curve.open_by_chance(dealer, random.Random(number))
        made.add(tuple(dealer.moves_made))

    assert len(made) > 3


def test_how_far_snakes_grow_is_fitted_and_written_with_what_it_was_fitted_to(tmp_path: Path):
    file = tmp_path / "growth.json"
    growth.main(["--games", "3", "--rounds", "1", "--workers", "1", "--out", str(file)])
    written = json.loads(file.read_text("utf-8"))

    assert tuple(written["signs"]) == SIGNS
    for name in ("snekagon", "snekagon5g"):
        fitted = written["games"][name]
        assert len(fitted["weights"]) == len(SIGNS)
        assert fitted["played"] == 3 and fitted["positions"] > 30
        assert fitted["hexes_off"] > 0
