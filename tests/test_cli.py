"""The command line as others rely on it: answers, exit statuses, and a sentence for bad input."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion_app.cli import reading
from companion_app.cli.main import build_parser, main
from engine.games import GAMES
from vision.core.request import ReadRequest
from vision.core.tables import TableState

ROOT = Path(__file__).parent.parent
PLAYTHROUGHS = ROOT / "tests" / "playthroughs"

RECORD: dict[str, Any] = {
    "format": "snake-eye/record",
    "version": 1,
    "game": "schlangennest",
    "players": ["blue", "red"],
    "options": {"size": [5, 7]},
    "setup": [],
    "next": "blue",
    "moves": [
        {"player": "blue", "do": "place", "tile": "blue/curve", "at": [0, 0], "turns": 0},
        {"player": "red", "do": "place", "tile": "red/straight", "at": [1, 1], "turns": 0},
    ],
}


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command and return its exit status, what it printed, and its complaint."""

    def run_command(*arguments, stdin=""):
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        try:
            status = main(list(arguments))
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run_command


@pytest.fixture
def write(tmp_path):
    """Write a record and return the name of its file."""

    def write_file(record, name="record.json"):
        path = tmp_path / name
        text = record if isinstance(record, str | bytes) else json.dumps(record)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write_file


def changed(**changes):
    return RECORD | changes


def with_move(**move):
    return changed(moves=[move])


# --- answers


@pytest.mark.parametrize("game", ["sssnake", "snekagon", "snekagon5g"])
def test_a_photo_of_another_game_has_no_score_and_says_which_game_it_is(run, game):
    photo = str(ROOT / "tests" / "examples" / "table.jpg")
    status, out, _ = run("score", photo, "--game", game, "--json")
    answer = json.loads(out)
    (advice,) = answer["table"]["quality"]["advice"]

    assert status == 1
    assert (answer["scores"], answer["lines"], answer["winners"]) == ({}, {}, [])
    assert advice["looks_like"] == "schlangennest"
    assert "they look like Schlangennest." in advice["text"]


def test_referee_answers_with_verdicts_scores_and_lines(run, write):
    status, out, err = run("referee", write(RECORD), "--json")
    answer = json.loads(out)

    assert (status, err) == (0, "")
    assert [move["legal"] for move in answer["moves"]] == [True, True]
    assert answer["scores"] == {"blue": 1, "red": 1}
    assert answer["lines"]["blue"] == [
        {"points": 1, "why": "a blue part of the blue snake", "cells": [[0, 0]]}
    ]
    assert (answer["over"], answer["winners"]) == (False, [])


def test_an_illegal_move_leaves_the_position_and_the_rest_unjudged(run, write):
    foul = {"player": "blue", "do": "place", "tile": "blue/curve", "at": [1, 1], "turns": 0}
    record = changed(moves=[*RECORD["moves"], foul, {"player": "red", "do": "pass"}])
    status, out, _ = run("referee", write(record), "--json")
    answer = json.loads(out)

    assert status == 1
    assert [move["legal"] for move in answer["moves"]] == [True, True, False, None]
    broken = answer["moves"][2]["violations"]
    text = "A red straight already lies here."
    assert {"rule": "cell-taken", "text": text, "cells": [[1, 1]]} in broken
    assert answer["scores"] == {"blue": 1, "red": 1}


def test_several_records_are_a_series_with_totals(run, write):
    status, out, _ = run("referee", write(RECORD), write(RECORD, "again.json"), "--json")
    answer = json.loads(out)

    assert status == 0
    assert len(answer["games"]) == 2
    assert answer["totals"] == {"blue": 2, "red": 2}


def test_totals_of_several_records_are_printed(run, write):
    _, out, _ = run("referee", write(RECORD), write(RECORD, "again.json"))

    assert out.endswith("All games together:\nblue: 2 points\nred: 2 points\n")


def test_several_who_are_ahead_are_listed_as_people_list_them(run, write):
    moves = [
        {"player": who, "do": "place", "tile": f"{who}/straight", "at": [0, n], "turns": 0}
        for n, who in enumerate(("blue", "red", "yellow"))
    ]
    everybody = ["blue", "red", "yellow", "green"]
    _, out, _ = run("referee", write(changed(players=everybody, moves=moves)))

    assert "Not over yet. Ahead: blue, red and yellow." in out


@pytest.mark.parametrize("command", ["score", "perft"])
def test_an_option_and_players_that_are_wrong_are_named_as_they_are_typed(run, write, command):
    given = [write({"tiles": []})] if command == "score" else ["--depth", "1"]
    start = [command, *given, "--game", "schlangennest"]
    option = run(*start, "--players", "blue,red", "--option", "size=soon")
    nobody = run(*start, "--players", "")

    assert option[0] == nobody[0] == 2
    assert "--option size: must be " in option[2]
    assert "--players: names nobody" in nobody[2]


def test_records_on_standard_input_are_answered_line_by_line(run):
    lines = "\n".join([json.dumps(RECORD), "not json", json.dumps(changed(game="chess"))])
    status, out, err = run("referee", "-", "--json", stdin=lines)
    answers = [json.loads(line) for line in out.splitlines()]

    assert status == 2
    assert answers[0]["scores"] == {"blue": 1, "red": 1}
    assert "not JSON" in answers[1]["error"]
    assert "chess" in answers[2]["error"]
    assert "line 2" in err


def test_moves_are_listed_in_the_records_form(run, write):
    status, out, _ = run("moves", write(changed(moves=[])), "--json")
    moves = json.loads(out)["moves"]

    assert status == 0
    assert len(moves) == 14
    assert moves[0] == {
        "player": "blue",
        "do": "place",
        "tile": "blue/straight",
        "at": [0, 0],
        "turns": 0,
    }


def test_moves_after_an_illegal_one_are_refused(run, write):
    status, out, err = run("moves", write(with_move(player="blue", do="pass")), "--json")

    assert (status, out) == (2, "")
    assert "moves[0]: is illegal" in err


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 14), (2, 1468)])
def test_perft_counts_sequences(run, depth, nodes):
    status, out, _ = run(
        "perft", "--game", "schlangennest", "--players", "blue,red", "--depth", str(depth), "--json"
    )

    assert status == 0
    assert json.loads(out) == {"depth": depth, "nodes": nodes}


def test_perft_takes_options_and_sizes(run):
    status, out, _ = run(
        "perft",
        "--game",
        "schlangennest",
        "--players",
        "blue,red",
        "--depth",
        "2",
        "--option",
        "tail_first=true",
        "--option",
        "size=5x7",
        "--json",
    )

    assert status == 0
    assert json.loads(out)["nodes"] > 4


def test_rules_are_listed_with_ids_texts_and_sources(run):
    status, out, _ = run("rules", "--game", "schlangennest", "--json")
    rules = json.loads(out)["rules"]

    assert status == 0
    assert "colours-joined" in {rule["id"] for rule in rules}
    assert all(set(rule) == {"id", "text", "source", "rulings"} for rule in rules)
    assert list(json.loads(out)["summary"]) == ["goal", "turn", "end", "scoring"]


def test_draw_writes_a_drawing(run, write, tmp_path):
    out_file = tmp_path / "position.svg"
    status, _, _ = run("draw", write(RECORD), "--out", str(out_file))

    assert status == 0
    assert out_file.read_text().startswith("<svg")


def test_draw_writes_a_picture(run, write, tmp_path):
    out_file = tmp_path / "position.PNG"
    status, out, _ = run("draw", write(RECORD), "--out", str(out_file), "--json")
    picture = cv2.imread(str(out_file))

    assert status == 0
    assert json.loads(out) == {"file": str(out_file), "bytes": out_file.stat().st_size}
    assert picture is not None
    assert max(picture.shape) <= 2000
    assert len(np.unique(picture @ (1, 256, 65536))) > 50


@pytest.mark.parametrize("name", ["x.jpg", "x.svgz", "x", "svg", "x.svg.txt", "x.pdf", ""])
def test_draw_refuses_any_other_ending(run, write, tmp_path, name):
    status, out, err = run("draw", write(RECORD), "--out", str(tmp_path / "d") + name)

    assert (status, out) == (2, "")
    assert ".svg or .png" in err
    assert not list(tmp_path.glob("d*"))


@pytest.mark.parametrize("name", ["drawn.svg", "drawn.png"])
def test_a_table_with_tiles_far_apart_is_drawn_all_the_same(run, write, tmp_path, name):
    tiles = [{"tile": "green/curve", "at": at, "turns": 0} for at in ([10_000, 0], [-10_000, 9])]
    status, _, _ = run(
        "draw", write(changed(setup={"tiles": tiles}, moves=[])), "--out", str(tmp_path / name)
    )

    assert status == 0
    assert (tmp_path / name).stat().st_size < 4_000_000


def test_a_table_is_scored_as_it_lies(run, write):
    table = {
        "tiles": [
            {"tile": "blue/straight", "at": [0, 0], "turns": 0},
            {"tile": "red/straight", "at": [1, 0], "turns": 1},
        ]
    }
    status, out, _ = run("score", write(table), "--game", "schlangennest", "--json")
    answer = json.loads(out)

    assert status == 0
    assert answer["scores"] == {"blue": 2, "red": 1}
    assert answer["table"]["format"] == "snake-eye/table"
    assert answer["table"]["tiles"] == table["tiles"]
    assert (answer["violations"], answer["open"]) == ([], [])


def test_a_table_that_breaks_a_rule_is_told_so(run, write):
    table = {
        "tiles": [
            {"tile": "blue/straight", "at": [0, 0], "turns": 0},
            {"tile": "red/straight", "at": [1, 0], "turns": 0},
        ]
    }
    status, out, _ = run("score", write(table), "--game", "schlangennest", "--json")

    assert status == 1
    assert json.loads(out)["violations"][0]["rule"] == "colours-joined"


def test_a_record_may_begin_with_a_table_taken_up_in_its_middle(run, write):
    setup = {
        "format": "snake-eye/table",
        "version": 1,
        "tiles": [{"tile": "red/straight", "at": [0, 0], "turns": 0}],
    }
    record = changed(setup=setup, next="red", moves=[])
    status, out, _ = run("moves", write(record), "--json")

    assert status == 0
    assert {move["player"] for move in json.loads(out)["moves"]} == {"red"}


def test_without_json_the_answers_are_for_people(run, write):
    for command in (
        ("referee", write(RECORD)),
        ("moves", write(RECORD)),
        ("perft", "--game", "schlangennest", "--players", "blue,red", "--depth", "1"),
        ("rules", "--game", "schlangennest"),
    ):
        status, out, err = run(*command)
        assert (status, err) == (0, "")
        assert out.strip()


def test_a_score_for_people_has_reasons_and_who_is_ahead(run, write):
    table = {
        "tiles": [
            {"tile": "blue/straight", "at": [0, 0], "turns": 0},
            {"tile": "blue/straight", "at": [1, 0], "turns": 0},
            {"tile": "red/straight", "at": [2, 0], "turns": 1},
        ]
    }
    _, out, _ = run("score", write(table), "--game", "schlangennest")

    assert out.splitlines() == [
        "blue: 3 points",
        "    +2  a blue part of the blue snake (2 times)",
        "    +1  a grey part of the blue snake",
        "red: 1 point",
        "    +1  a red part of the red snake",
        "Not over yet. Ahead: blue.",
    ]


def test_a_score_for_people_names_the_winner(run, write):
    games = json.loads((PLAYTHROUGHS / "carnival_tables.json").read_text("utf-8"))["games"]
    table = next(game["table"] for game in games if game["expect"]["winners"] == ["yellow"])
    status, out, _ = run("score", write(table), "--game", "carnival")

    assert status == 0
    assert "    +3  Hat +3 on the yellow head" in out.splitlines()
    assert out.splitlines()[-1] == "Over. Won by yellow."


def test_a_score_for_people_lists_what_is_open_with_each_answer(run, write):
    games = json.loads((PLAYTHROUGHS / "carnival_tables.json").read_text("utf-8"))["games"]
    game = next(game for game in games if game["expect"]["open"])
    _, out, _ = run("score", write(game["table"]), "--game", "carnival")

    assert "open: " + game["expect"]["open"][0]["question"] in out
    assert "  violet: yellow " in out


def test_a_score_from_a_dark_photo_says_so_and_is_no_answer(run, tmp_path):
    photo = tmp_path / os.fsdecode(b"dark-\xff.png")
    photo.write_bytes(cv2.imencode(".png", np.full((480, 640, 3), 4, np.uint8))[1].tobytes())

    _, read, _ = run("read", str(photo), "--game", "schlangennest", "--json")
    status, out, _ = run("score", str(photo), "--game", "schlangennest")
    _, scored, _ = run("score", str(photo), "--game", "schlangennest", "--json")

    advice = [one["text"] for one in json.loads(read)["quality"]["advice"]]
    assert status == 1
    assert advice
    assert out.splitlines()[: len(advice)] == advice
    assert json.loads(scored)["table"]["file"] == json.loads(read)["file"]


def test_a_score_for_people_tells_how_many_tiles_are_not_counted(run, write):
    unsure = {"at": [3, 0], "why": "glare", "guesses": []}
    table = {
        "tiles": [{"tile": "blue/straight", "at": [0, 0], "turns": 0}],
        "unsure": [unsure, unsure | {"at": [4, 0]}],
    }
    status, out, _ = run("score", write(table), "--game", "schlangennest")

    assert status == 0
    assert out.splitlines()[0] == "2 tiles are unsure and not counted"


def test_boards_with_other_eyes_are_read_and_drawn_with_those(run, write, tmp_path, monkeypatch):
    asked: list[ReadRequest] = []

    def read_picture(name: str, request: ReadRequest) -> TableState:
        asked.append(request)
        return TableState((640, 480))

    monkeypatch.setattr(reading, "read_picture", read_picture)
    eyes = [[0, -3], [2, 1]]
    record = {"game": "snekagon5g", "players": ["red", "green"], "moves": []}
    drawn = []
    for options in ({}, {"eyes": eyes}):
        run("draw", write(record | {"options": options}), "--out", str(tmp_path / "drawn.svg"))
        drawn.append((tmp_path / "drawn.svg").read_text())
    run("score", "table.jpg", "--game", "snekagon5g", "--option", f"eyes={json.dumps(eyes)}")

    assert drawn[0] != drawn[1]
    assert asked[0].tile_set is not None
    assert [list(eye) for eye in asked[0].tile_set.extras["board"]["eyes"]] == eyes


def test_a_size_that_cannot_be_printed_is_no_fault_of_the_folder(run, tmp_path):
    status, _, err = run("print", "--game", "snekagon", "--size", "5", "--out", str(tmp_path))

    assert status == 2
    assert err.startswith("snake-eye: a size of 5 mm cannot be printed")


def test_an_address_that_is_not_of_this_machine_is_named(run):
    status, _, err = run("run", "--host", "192.0.2.77")

    assert status == 2
    assert err.startswith("snake-eye: 192.0.2.77 cannot be used: ")


# --- what the command says of itself


def test_the_version_is_that_of_the_project(run):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert run("--version") == (0, f"snake-eye {project['version']}\n", "")


def test_the_version_is_known_where_nothing_is_installed(run, monkeypatch):
    def not_installed(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", not_installed)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert run("--version") == (0, f"snake-eye {project['version']}\n", "")


COMMANDS = (
    "referee",
    "moves",
    "suggest",
    "analyse",
    "play",
    "perft",
    "rules",
    "draw",
    "score",
    "read",
    "calibrate",
    "print",
    "doctor",
    "backup",
    "restore",
    "pin",
    "teach",
    "watch",
    "run",
)


def test_every_command_is_in_the_help(run):
    _, out, _ = run("--help")

    assert all(f"\n    {command} " in out or f"\n    {command}\n" in out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_a_command_can_be_called(run, command):
    status, out, _ = run(command, "--help")
    examples = re.findall(r"^  snake-eye (.+?)(?: < .+)?$", out.partition("Examples:")[2], re.M)

    assert status == 0
    assert examples
    for example in examples:
        words = shlex.split(example)
        assert words[0] == command
        assert build_parser(command).parse_args(words).command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_argument_of_a_command_is_explained(command):
    choices = build_parser(command)._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    for action in choices[command]._actions:  # type: ignore[index]
        assert action.help
        text = action.help + (action.metavar or "")
        if action.choices and action.metavar:
            assert all(choice in text for choice in action.choices)


@pytest.mark.parametrize("command", ["perft", "score", "watch", "run"])
def test_every_option_of_every_game_is_in_the_help_with_its_default(run, command):
    _, out, _ = run(command, "--help")

    for game in GAMES.values():
        assert f"  {game.facts.name}: " in out
        for option in game.facts.options:
            assert re.search(
                rf"^    {option.name} = .+ {re.escape(json.dumps([option.default]))}$", out, re.M
            )


# --- bad input: one sentence that names the place, status 2, no traceback

BAD_RECORDS = {
    "not JSON": "{",
    "empty": "",
    "not UTF-8": b"\xff\xfe\x00",
    "no object": "[]",
    "deeply nested": "[" * 100_000 + "]" * 100_000,
    "deeply nested move": changed(moves=json.loads("[" * 200 + "]" * 200)),
    "NaN": '{"game": NaN}',
    "a number of 5,000 digits": '{"game": ' + "9" * 5000 + "}",
    "a key twice": '{"game": "schlangennest", "game": "snekagon"}',
    "an unknown key": changed(mvoes=[]),
    "a tile 10^9 cells away": with_move(
        player="blue", do="place", tile="blue/curve", at=[10**9, 0], turns=0
    ),
    "a name of 5 MB": changed(players=["x" * 5_000_000, "red"]),
    "a player that is null": changed(players=[None, "red"]),
    "a name turned round": changed(players=["blue\u202e", "red"]),
    "next is null": changed(next=None),
    "nine megabytes": " " * 9_000_000,
    "an infinite number": '{"game": 1e999}',
    "half a letter": '{"game": "\\ud800"}',
    "unknown game": changed(game="chess"),
    "game is a list": changed(game=["schlangennest"]),
    "game is missing": {k: v for k, v in RECORD.items() if k != "game"},
    "other format": changed(format="pgn"),
    "other version": changed(version=2),
    "unknown player": changed(players=["blue", "pink"]),
    "one player": changed(players=["blue"]),
    "five players": changed(players=["blue", "red", "yellow", "green", "blue"]),
    "the same player twice": changed(players=["blue", "blue"]),
    "players are a text": changed(players="blue,red"),
    "unknown option": changed(options={"sice": 1}),
    "option of no value": changed(options={"size": [5]}),
    "option of another kind": changed(options={"tail_first": "yes"}),
    "options are a list": changed(options=[]),
    "unknown set": changed(set="nothing"),
    "a set's path": changed(set="../../etc/passwd"),
    "a set of another game": changed(set="snekagon"),
    "setup is a text": changed(setup="none"),
    "setup of an unknown tile": changed(setup=[{"tile": "pink/curve", "at": [0, 0], "turns": 0}]),
    "setup twice on a cell": changed(setup=[{"tile": "green/curve", "at": [0, 0], "turns": 0}] * 2),
    "a fixed border for four": changed(
        players=["blue", "red", "yellow", "green"],
        options={"border": "fixed"},
        setup=[{"tile": "green/straight", "at": [0, 0], "turns": 0}],
    ),
    "a player's colour as the border": changed(
        options={"border": "fixed"}, setup=[{"tile": "red/straight", "at": [0, 0], "turns": 0}]
    ),
    "next is nobody": changed(next="green"),
    "moves are an object": changed(moves={}),
    "a million moves": changed(moves=[{"player": "blue", "do": "pass"}] * 1_000_000),
    "a move is a text": changed(moves=["e4"]),
    "a move by nobody": with_move(do="pass"),
    "a move by a stranger": with_move(player="green", do="pass"),
    "a move that does nothing": with_move(player="blue"),
    "an unknown action": with_move(player="blue", do="castle"),
    "an action of another game": with_move(player="blue", do="roll", value=2),
    "no tile": with_move(player="blue", do="place", at=[0, 0], turns=0),
    "an unknown tile": with_move(player="blue", do="place", tile="blue/x", at=[0, 0], turns=0),
    "a tile that is a list": with_move(player="blue", do="place", tile=[], at=[0, 0], turns=0),
    "no cell": with_move(player="blue", do="place", tile="blue/curve", turns=0),
    "a cell of fractions": with_move(
        player="blue", do="place", tile="blue/curve", at=[0.5, 0], turns=0
    ),
    "a cell of one number": with_move(
        player="blue", do="place", tile="blue/curve", at=[0], turns=0
    ),
    "a cell of texts": with_move(
        player="blue", do="place", tile="blue/curve", at=["0", "0"], turns=0
    ),
    "a cell of truths": with_move(
        player="blue", do="place", tile="blue/curve", at=[True, False], turns=0
    ),
    "no turns": with_move(player="blue", do="place", tile="blue/curve", at=[0, 0]),
    "four turns": with_move(player="blue", do="place", tile="blue/curve", at=[0, 0], turns=4),
    "turns that are a text": with_move(
        player="blue", do="place", tile="blue/curve", at=[0, 0], turns="1"
    ),
}


@pytest.mark.parametrize("name", BAD_RECORDS)
@pytest.mark.parametrize("command", ["referee", "moves"])
def test_a_bad_record_gets_one_clear_sentence(run, write, command, name):
    status, out, err = run(command, write(BAD_RECORDS[name]), "--json")

    assert (status, out) == (2, "")
    assert err.startswith("snake-eye: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert "record.json" in err
    assert len(err) < 600
    assert err.strip().isprintable()


@pytest.mark.parametrize(
    ("record", "place"),
    [
        (with_move(player="blue", do="turn", at=[0, "x"], turns=0), "moves[0].at"),
        (changed(options={"size": 3}), "options.size"),
        (changed(setup=[{"tile": "green/curve", "at": [0, 0], "turns": 9}]), "setup[0].turns"),
    ],
)
def test_the_place_of_a_mistake_is_named(run, write, record, place):
    _, _, err = run("referee", write(record))

    assert f" {place}: " in err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("referee",),
        ("juggle",),
        ("referee", "no-such-file.json"),
        ("referee", "."),
        ("referee", "\0"),
        ("perft", "--game", "schlangennest", "--players", "blue,red"),
        ("perft", "--game", "chess", "--players", "blue,red", "--depth", "1"),
        ("perft", "--game", "schlangennest", "--players", "blue", "--depth", "1"),
        ("perft", "--game", "schlangennest", "--players", "blue,red", "--depth", "-1"),
        ("perft", "--game", "schlangennest", "--players", "blue,red", "--depth", "x"),
        ("perft", "--game", "schlangennest", "--players", "a,b", "--depth", "1"),
        (
            "perft",
            "--game",
            "schlangennest",
            "--players",
            "blue,red",
            "--depth",
            "1",
            "--option",
            "size",
        ),
        (
            "perft",
            "--game",
            "schlangennest",
            "--players",
            "blue,red",
            "--depth",
            "1",
            "--option",
            "size=huge",
        ),
        (
            "perft",
            "--game",
            "schlangennest",
            "--players",
            "blue,red",
            "--depth",
            "1",
            "--option",
            "border=fixed",
        ),
        ("rules",),
    ],
)
def test_bad_usage_is_status_two(run, arguments):
    status, out, err = run(*arguments)

    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert err


WATCHING = ("watch", "folder:photos", "--game", "snekagon", "--players", "red,green")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--port", "eighty"), "a port is a number from 0 to 65535"),
        (
            ("perft", "--game", "snekagon", "--players", "red,green", "--depth", "two"),
            "a depth is a whole number from 0 to 100",
        ),
        (
            ("watch", "webcam:²", "--game", "snekagon", "--players", "red,green"),
            "write a whole number after the colon",
        ),
        (
            (*WATCHING, "--fps", "0"),
            "frames a second are a number from 0.1 to 240",
        ),
    ],
)
def test_what_is_no_number_is_answered_with_the_numbers_that_are_good(run, arguments, words):
    status, _, err = run(*arguments)

    assert status == 2
    assert err.strip().endswith(words)


def test_number_of_players_and_missing_game_are_said_plainly(run, write):
    asked = ("perft", "--game", "snekagon", "--players", "red", "--depth", "1")

    assert "snekagon is for 2 players, but" in run(*asked)[2]
    assert "game: is missing; the games are" in run("referee", write({"moves": []}))[2]


def test_the_command_runs_as_a_program():
    answer = subprocess.run(
        [sys.executable, "-m", "companion_app.cli", "rules", "--game", "schlangennest", "--json"],
        capture_output=True,
        check=True,
        text=True,
    )

    assert json.loads(answer.stdout)["rules"]


def test_what_no_table_holds_is_refused_on_the_command_line(run, write):
    score = (
        "score",
        write({"tiles": [{"tile": "blue/head", "at": [n, 0], "turns": 0} for n in (0, 1)]}),
    )
    tables = (
        run(*score, "--game", "schlangennest"),
        run("score", write({}, "bare.json"), "--game", "carnival"),
    )
    seats = [
        run("perft", "--game", "sssnake", "--players", "Ann,Ann ", "--depth", "1"),
        run("perft", "--game", "snekagon", "--players", "", "--depth", "1"),
        run(
            "score", write({"tiles": []}, "t.json"), "--game", "carnival", "--players", "red,black"
        ),
    ]
    record = dict(RECORD)
    del record["moves"]

    assert [one[0] for one in (*tables, *seats)] == [2] * 5
    assert "blue/head lie on the table, but the box has 1" in tables[0][2]
    assert "tiles: is missing" in tables[1][2]
    assert "look alike" in seats[0][2]
    assert "names nobody" in seats[1][2]
    assert "--players: two players sit opposite" in seats[2][2]
    assert "moves: must be a list, but is missing" in run("referee", write(record, "m.json"))[2]
