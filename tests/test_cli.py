"""The command line as others rely on it: answers, exit statuses, and a sentence for bad input."""

from __future__ import annotations

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
from companion_app.cli.main import build_parser
from engine.games import GAMES
from vision.core.request import ReadRequest
from vision.core.tables import TableState

ROOT = Path(__file__).parent.parent
PLAYTHROUGHS = ROOT / "tests" / "playthroughs"
ROWS = json.loads((ROOT / "tests/examples/commands.json").read_text("utf-8"))
"""What is asked, with which record and table, and what is answered; what is only part of a text or
list says so by an ellipsis."""

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
RECORDS: dict[str, dict[str, Any]] = {
    "": RECORD,
    "nest": {
        "game": "schlangennest",
        "players": ["blue", "red"],
        "moves": RECORD["moves"][:1],
    },
    "carnival": {"game": "carnival", "players": ["yellow", "black"], "moves": []},
    "sssnake": {"game": "sssnake", "players": ["Ann", "Ben"], "moves": []},
}


def record_of(row: dict[str, Any]) -> dict[str, Any]:
    """The record of a row: a usual one with its changes; an ellipsis is the usual moves."""
    usual, changes = RECORDS[row.get("game", "")], dict(row.get("record", {}))
    if changes.get("moves", [""])[:1] == ["…"]:
        changes["moves"] = [*usual["moves"], *changes["moves"][1:]]
    return usual | changes


def asked(row: dict[str, Any], run, write) -> Any:
    """What a row's command answers."""
    files = {"{record}": lambda: write(record_of(row)), "{table}": lambda: write(row["table"])}
    words = [files[word]() if word in files else word for word in shlex.split(row["run"])]
    lines = [one if isinstance(one, str) else json.dumps(record_of(one)) for one in row["stdin"]]
    return run(*words, stdin="\n".join(lines))


def agrees(wanted: Any, said: Any) -> bool:
    """Whether an answer has all that is wanted of it."""
    if isinstance(wanted, str) and "…" in (wanted[:1], wanted[-1:]):
        starts, ends = not wanted.startswith("…"), not wanted.endswith("…")
        part = wanted.strip("…")
        at = said.find(part)
        return at >= 0 and (not starts or at == 0) and (not ends or said.endswith(part))
    if isinstance(wanted, dict) and wanted:
        return all(key in said and agrees(value, said[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(said, list):
        begins = wanted[-1:] == ["…"]
        wanted = wanted[:-1] if begins else wanted
        same = len(wanted) <= len(said) if begins else len(wanted) == len(said)
        return same and all(map(agrees, wanted, said))
    return bool(wanted == said)


@pytest.mark.parametrize("row", ROWS["answered"], ids=lambda row: row["claim"])
def test_a_command_answers(run, write, row):
    status, out, err = asked({"stdin": [], **row}, run, write)

    assert status == row.get("status", 0)
    assert all(part in err for part in row["err"]) if "err" in row else not err
    assert all(part in out for part in row.get("out", ()))
    assert not any(part in out for part in row.get("not", ()))
    assert agrees(row.get("told", ["…"]), out.splitlines())
    if "json" in row:
        assert agrees(row["json"], json.loads(out))
    if "lines" in row:
        assert agrees(row["lines"], [json.loads(line) for line in out.splitlines()])


@pytest.mark.parametrize("row", ROWS["refused"], ids=lambda row: row["run"].replace("\0", "nul"))
def test_what_cannot_be_used_is_refused_with_a_reason(run, write, monkeypatch, row):
    monkeypatch.chdir(ROOT)
    status, out, err = asked({"stdin": [], **row}, run, write)

    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert all(part in err for part in row["err"])


BAD_FILES: dict[str, Any] = {
    "not JSON": "{",
    "empty": "",
    "not UTF-8": b"\xff\xfe\x00",
    "deeply nested": "[" * 100_000 + "]" * 100_000,
    "deeply nested move": RECORD | {"moves": json.loads("[" * 200 + "]" * 200)},
    "NaN": '{"game": NaN}',
    "a number of 5,000 digits": '{"game": ' + "9" * 5000 + "}",
    "a key twice": '{"game": "schlangennest", "game": "snekagon"}',
    "a name of 5 MB": RECORD | {"players": ["x" * 5_000_000, "red"]},
    "nine megabytes": " " * 9_000_000,
    "an infinite number": '{"game": 1e999}',
    "half a letter": '{"game": "\\ud800"}',
    "game is missing": {k: v for k, v in RECORD.items() if k != "game"},
    "a million moves": RECORD | {"moves": [{"player": "blue", "do": "pass"}] * 1_000_000},
}
BAD_RECORDS = ROWS["bad records"]


@pytest.mark.parametrize("name", [*BAD_FILES, *BAD_RECORDS])
@pytest.mark.parametrize("command", ["referee", "moves"])
def test_a_bad_record_gets_one_clear_sentence(run, write, command, name):
    bad = BAD_RECORDS.get(name)
    given = BAD_FILES[name] if bad is None else RECORD | bad if bad else bad
    status, out, err = run(command, write(given), "--json")

    assert (status, out) == (2, "")
    assert err.startswith("snake-eye: ")
    assert err.count("\n") == 1
    assert "record.json" in err
    assert len(err) < 600
    assert err.strip().isprintable()


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
        "draw",
        write(RECORD | {"setup": {"tiles": tiles}, "moves": []}),
        "--out",
        str(tmp_path / name),
    )

    assert status == 0
    assert (tmp_path / name).stat().st_size < 4_000_000


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


def test_the_command_runs_as_a_program():
    answer = subprocess.run(
        [sys.executable, "-m", "companion_app.cli", "rules", "--game", "schlangennest", "--json"],
        capture_output=True,
        check=True,
        text=True,
    )

    assert json.loads(answer.stdout)["rules"]
