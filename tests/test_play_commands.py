"""The commands of the player: suggest, analyse, play."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from companion_app.cli import play_commands
from companion_app.cli.main import build_parser
from companion_app.cli.play_commands import game_page
from companion_app.cli.terminal_game import TerminalGame
from engine.game import Outcome, Start
from engine.games import game_named
from engine.play import Budget
from engine.record import parse_record, record_to_json
from engine.referee import referee_record
from engine.setfile import built_in_set
from tests.engine.play.test_analysis import played

NEST: dict[str, Any] = {
    "game": "schlangennest",
    "players": ["blue", "red"],
    "moves": [{"player": "blue", "do": "place", "tile": "blue/curve", "at": [0, 0], "turns": 0}],
}
BLUNDER = record_to_json(played("schlangennest", ("blue", "red"), 14, seed=3))
"""A short game in which the fifth move gave the game away."""
ILLEGAL = {**NEST, "moves": [*NEST["moves"], {**NEST["moves"][0], "player": "red"}]}
CARNIVAL = {"game": "carnival", "players": ["yellow", "black"], "moves": []}
SSSNAKE = {"game": "sssnake", "players": ["Ann", "Ben"], "moves": []}


def test_suggest_ranks_legal_moves_and_repeats_itself(run, write):
    name = write(NEST)
    status, out, _ = run("suggest", name, "--looks", "20", "--json")
    answer = json.loads(out)

    assert status == 0
    assert answer["looked_at"] == 20
    values = [entry["value"] for entry in answer["moves"]]
    assert values == sorted(values, reverse=True)
    for entry in answer["moves"]:
        record = {**NEST, "moves": [*NEST["moves"], entry["move"]]}
        assert referee_record(parse_record(record))["moves"][-1]["legal"]
    assert run("suggest", name, "--looks", "20", "--json")[1] == out


def test_a_bad_record_gets_the_sentence_that_moves_gives(run, write):
    for record in (ILLEGAL, {**NEST, "hand": {}}, {**CARNIVAL, "hand": {"yellow": ["dragon"]}}):
        name = write(record)
        status, _, complaint = run("suggest", name, "--looks", "5")

        assert status == 2
        assert complaint == run("moves", name)[2]


@pytest.mark.parametrize("wrong", [("--level", "high"), ("--looks", "1e3"), ("--seconds", "nan")])
def test_what_is_no_number_gets_the_sentence_of_numbers_out_of_range(run, write, wrong):
    name, (option, _) = write(NEST), wrong
    _, _, complaint = run("suggest", name, *wrong)

    assert complaint.splitlines()[-1] == run("suggest", name, option, "0")[2].splitlines()[-1]


def test_analyse_writes_a_document_and_a_page(run, write, tmp_path):
    record, out, page = write(NEST), tmp_path / "seen.json", tmp_path / "seen.html"

    assert run("analyse", record, "--out", str(out), "--looks", "4")[0] == 0
    assert run("analyse", record, "--out", str(page), "--looks", "4")[0] == 0
    document = json.loads(out.read_text("utf-8"))
    assert set(document["players"]) == {"blue", "red"}
    assert set(document["moves"][0]) >= {"move", "before", "after", "best", "luck", "skill"}
    assert "<polyline" in page.read_text("utf-8") and "Luck and skill" in page.read_text("utf-8")


def test_a_game_looked_over_has_intervals_places_progress_and_all_cores(run, write, tmp_path):
    out, alone = tmp_path / "seen.json", os.times().children_user
    status, told, progress = run("analyse", write(BLUNDER), "--out", str(out), "--looks", "24")
    document = json.loads(out.read_text("utf-8"))
    page = game_page(parse_record(BLUNDER), document)
    turned = document["moves"][4]

    assert status == 0 and progress.endswith("8 of 8 moves\n")
    assert os.times().children_user > alone or os.cpu_count() == 1, "all cores look it over"
    assert document["turning_points"] == [5] and turned["turning"]
    low, high = turned["skill_interval"]
    assert low < turned["skill"] < high < 0
    for entry in document["moves"]:
        assert entry["before_interval"][0] <= entry["before_interval"][1]
        assert bool(entry["best"]) == bool(entry["skill"]) == ("better" in entry)
    assert re.fullmatch(r"\w+: .+ · Row \d, place \d", turned["better"])
    assert turned["better"] in page
    assert "luck none, skill " in told and "a draw is half of one" in told


def test_a_draw_is_not_told_as_a_win_for_both():
    drawn = {"over": True, "winners": ["blue", "red"], "moves": [], "players": {}}
    shown = game_page(parse_record(NEST), drawn)

    assert "A draw between blue and red." in shown
    assert "Won by" not in shown


def test_analyse_never_writes_over_the_game(run, write):
    name = write(NEST)
    status, _, complaint = run("analyse", name, "--out", name, "--looks", "4")

    assert status == 2 and "is the game itself" in complaint
    assert json.loads(Path(name).read_text("utf-8")) == NEST
    assert "analyse game.json --out game.json" not in run("analyse", "--help")[1]


@pytest.mark.parametrize("out", ["missing/seen.json", "folder.json"])
def test_what_cannot_be_written_is_said_before_the_work(run, write, tmp_path, monkeypatch, out):
    (tmp_path / "folder.json").mkdir()
    monkeypatch.delattr(play_commands, "analyse")
    monkeypatch.delattr(play_commands, "TerminalGame")
    looked = run("analyse", write(NEST), "--out", str(tmp_path / out))
    played = run("play", "--game", "snekagon", "--out", str(tmp_path / out))

    assert (looked[0], played[0]) == (2, 2)
    assert "cannot be written" in looked[2] and "cannot be written" in played[2]


@pytest.mark.parametrize("game", ["schlangennest", "sssnake", "carnival"])
def test_a_game_in_the_terminal_is_a_legal_record(run, tmp_path, game):
    out = tmp_path / "played.json"
    answers = "?\nh\nnonsense\n" + "1\n" * 200
    words = f"play --game {game} --looks 2 --level 2 --seed 3 --out {out}".split()
    status, told, _ = run(*words, stdin=answers)

    assert status == 0
    assert "Over. Won by " in told
    answer = referee_record(parse_record(json.loads(out.read_text("utf-8"))))
    assert all(move["legal"] for move in answer["moves"]) and answer["over"]


def test_a_number_of_any_length_is_no_move(run):
    status, told, _ = run("play", "--game", "snekagon", "--looks", "2", stdin="9" * 5000 + "\nq\n")

    assert status == 0
    assert "Moves have numbers from 1 to " in told


def test_every_game_is_dealt_anew_unless_a_seed_is_told():
    asked = ["play", "--game", "carnival"]

    assert build_parser("play").parse_args(asked).seed is None
    assert build_parser("play").parse_args([*asked, "--seed", "3"]).seed == 3


def test_game_that_nobody_can_win_is_said_so(monkeypatch, capsys):
    start = Start(("Ann", "Ben"), {})
    game, box = game_named("sssnake"), built_in_set("sssnake")
    table = TerminalGame(game, start, box, "Ann", Budget(looks=1), 1, random.Random(1))
    nobody = Outcome({"Ann": None, "Ben": None}, {}, over=True)
    monkeypatch.setattr(type(game), "outcome", lambda *_: nobody)

    table._tell_the_end()

    assert capsys.readouterr().out.endswith("Over. Nobody has won.\n")
    record = parse_record(SSSNAKE)
    empty: dict[str, Any] = {"winners": [], "over": True, "moves": [], "players": {}}
    assert "<p>Nobody has won.</p>" in game_page(record, empty)
