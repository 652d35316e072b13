"""Every JSON that we write is taken back by the command that reads such a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import pytest

from models.lab.scenes.scene import make_scene
from models.lab.training.hex_samples import hex_table

PLAYTHROUGHS = sorted((Path(__file__).parent / "playthroughs").glob("*.json"))
GAMES = ("schlangennest", "sssnake", "carnival", "snekagon", "snekagon5g")


def games_in(path: Path) -> list[dict[str, Any]]:
    data = json.loads(path.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = data.get("games", [data])
    return found


@pytest.fixture
def answered(run):
    """Run a command and return the one document it prints; it must not be refused."""

    def document(*arguments: object) -> Any:
        status, out, err = run(*arguments, "--json")
        assert status in (0, 1)
        assert not err
        return json.loads(out)

    return document


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    """Return the file of a simulated photo of a game."""
    made: dict[str, Path] = {}

    def picture_of(game: str) -> Path:
        if game not in made:
            path: Path = tmp_path_factory.mktemp(game) / "table.jpg"
            if game.startswith("snekagon"):
                cv2.imwrite(str(path), hex_table(2, game, "held-out", (1600, 1200)).bgr)
            else:
                path.write_bytes(make_scene(31000, "held-out", game, (1280, 720)).jpeg)
            made[game] = path
        return made[game]

    return picture_of


@pytest.mark.parametrize("game", GAMES)
def test_a_table_that_was_read_is_scored_and_played_on(game, answered, write, picture):
    seen = answered("read", picture(game), "--game", game)
    assert seen["tiles"]

    scored = answered("score", write(seen), "--game", game)
    again = answered("score", write(scored["table"]), "--game", game)
    assert again == scored

    players = list(scored["scores"])
    moves = answered("moves", write({"game": game, "players": players, "setup": seen, "moves": []}))
    assert moves["moves"]


@pytest.mark.parametrize("game", GAMES)
def test_a_table_of_an_unknown_box_is_taken_back(game, answered, write, picture):
    shape = "hex" if game.startswith("snekagon") else "square"
    seen = answered("read", picture(game), "--shape", shape)

    scored = answered("score", write(seen | {"tiles": []}), "--game", game)

    assert scored["table"]["unsure"] == seen["unsure"]


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_legal_moves_are_moves_of_a_record(path, answered, write):
    for game in games_in(path):
        record = game.get("record")
        if record is None or any(said["legal"] is not True for said in game["expect"]["moves"]):
            continue
        for number in {0, len(record["moves"]) // 2}:
            begun = record | {"moves": record["moves"][:number]}
            moves = answered("moves", write(begun))["moves"]
            # One of them, another in every file.
            for move in moves[len(path.stem) % max(1, len(moves)) :][:1]:
                said = answered("referee", write(begun | {"moves": [*begun["moves"], move]}))
                assert said["moves"][-1]["legal"] is True


def test_a_table_with_tokens_keeps_them(answered, write):
    table = {"tiles": [{"tile": "house", "at": [0, 0], "turns": 0}], "tokens": {"yellow": 1}}

    scored = answered("score", write(table), "--game", "carnival", "--players", "yellow,black")
    again = answered(
        "score", write(scored["table"]), "--game", "carnival", "--players", "yellow,black"
    )

    assert again["scores"] == scored["scores"] == {"yellow": 4, "black": 0}
