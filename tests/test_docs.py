"""The documents keep their word: commands they show are run, examples they give are judged."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from companion_app.cli.main import main
from engine.game import Start
from engine.games import GAMES
from engine.record import find_set, parse_record, parse_table
from engine.referee import referee_record, score_table
from engine.setfile import parse_set

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
INTERFACE = (ROOT / "companion_app" / "INTERFACE.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ {4}\.venv/bin/snake-eye (.+)$", README, re.MULTILINE)
MAKE_COMMANDS = re.findall(r"^ {4}make (\w+)", README, re.MULTILINE)


def places(document: Path) -> set[str]:
    """Return the anchors that a page of Markdown gets from its headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```json {kind}\n(.*?)```", INTERFACE, re.DOTALL)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_works(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    arguments = shlex.split(command.replace("--out ", f"--out {tmp_path}/"))
    if arguments[0] == "analyse":  # what it tells is tested with the engine; a glance will do
        arguments += ["--looks", "4"]

    assert main(arguments) == 0
    assert capsys.readouterr().out.strip()


def test_the_readme_shows_the_two_make_commands_and_no_other():
    assert MAKE_COMMANDS == ["run", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in MAKE_COMMANDS)


def test_links_of_the_documents_lead_somewhere():
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        text = document.read_text(encoding="utf-8")
        links = re.findall(r"\]\(([^)#:]+)(?:#([^)]+))?\)", text)
        pictures = re.findall(r'<img src="([^"]+)"', text)
        for target, place in (*links, *((picture, "") for picture in pictures)):
            found = document.parent / target
            assert found.exists(), f"{document.name}: {target}"
            assert not place or place in places(found), f"{document.name}: {target}#{place}"


@pytest.mark.parametrize("text", blocks("record"))
def test_a_record_of_the_interface_is_legal(text):
    answer = referee_record(parse_record(json.loads(text)))

    assert [move["legal"] for move in answer["moves"]] == [True] * len(answer["moves"])


def test_the_answer_of_the_interface_is_what_the_referee_says():
    (answer,) = blocks("answer")

    assert referee_record(parse_record(json.loads(blocks("record")[0]))) == json.loads(answer)


def test_a_table_of_the_interface_is_scored():
    ((name, text),) = re.findall(r"```json table (\w+)\n(.*?)```", INTERFACE, re.DOTALL)
    game = GAMES[name]
    layout, _ = parse_table(game, find_set(game, None), json.loads(text))
    answer = score_table(game, find_set(game, None), Start(("blue", "red"), {}, layout))

    assert answer["scores"] == {"blue": 2, "red": 1}
    assert answer["violations"] == []


def test_every_option_is_in_the_readme_of_the_engine():
    text = (ROOT / "engine" / "README.md").read_text(encoding="utf-8")
    for game in GAMES.values():
        for option in game.facts.options:
            assert f"`{option.name}`" in text, (game.facts.name, option.name)


def test_the_invented_box_of_contributing_is_a_box():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (toml,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    box = parse_set(toml, "garden-hose.toml")

    position = GAMES[box.game].opening(Start(("a", "b")), box)
    assert GAMES[box.game].legal_moves(position)
