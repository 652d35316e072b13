"""Every sentence of the rulebooks and of the rulings by example: rows in ``examples/``.

A claim has one row or several. A row begins with ``table`` (a game taken up in its middle),
``setup`` (what is laid before it) or an empty table, with ``players``, ``options``, ``turn``,
``tokens``, ``out`` and changes of the ``box`` where they are not the usual ones. ``plays`` are
made first: each is legal, or written with the rules that it breaks. What is left out is not asked:

- ``tries``: moves with the rules that each breaks, by sentence and cells where they are the point
- ``inspect``, ``listed``, ``listed_tiles``, ``stays`` (moves that change nothing), ``readings``
- ``scores``, ``lines`` (points, reason, a cell or all), ``over``, ``winners``, ``questions``
- ``layout``, ``to_move``, ``sees`` (what the position knows), ``refused`` (no such table)
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.errors import RecordError
from engine.game import AnyGame, Change, Outcome, Start
from engine.games import GAMES
from engine.notation import read_layout, write_layout
from engine.record import parse_options
from engine.setfile import BUILT_IN_FOLDER, built_in_set, parse_set
from engine.tiles import TileSet
from tests.kit.moves import read_move, write_move

Row = dict[str, Any]
FOLDER = Path(__file__).parent / "examples"
PLAYERS = {
    "schlangennest": "blue red",
    "snekagon": "red green",
    "snekagon5g": "blue red yellow",
    "carnival": "yellow violet black red",
    "sssnake": "a b",
}
"""Who plays where a row does not say."""


def examples() -> Iterator[Any]:
    for name, game in GAMES.items():
        claims = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        for claim, rows in claims.items():
            yield pytest.param(game, rows, id=f"{name}: {claim}")


@pytest.mark.parametrize(("game", "rows"), list(examples()))
def test_rules_are_as_the_examples_claim(game, rows):
    for row in rows:
        if "refused" in row:
            with pytest.raises(RecordError) as refusal:
                opening(game, row)
            assert str(refusal.value) == row["refused"]
            continue
        position = opening(game, row)
        for play in row.get("plays", ()):
            position = after(game, position, play)
        for what in row.keys() - BEFORE:
            assert ASKED[what](game, position, row[what]) == row[what], (what, row)


def opening(game: AnyGame, row: Row) -> Any:
    """Return the first position of a row."""
    name = game.facts.name
    start = Start(
        tuple(row.get("players", PLAYERS[name]).split()),
        parse_options(game, row.get("options", {})),
        read_layout(row.get("table") or row.get("setup", ""), game.facts.lattice),
        row.get("turn"),
        midgame="table" in row,
        tokens=row.get("tokens", {}),
        out=row.get("out", {}),
    )
    return game.opening(
        start, changed_box(name, row["box"]) if "box" in row else built_in_set(name)
    )


def changed_box(name: str, changes: Mapping[str, str]) -> TileSet:
    """Return a game's box after changes of its set file, each an old text with a new one."""
    text = (BUILT_IN_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    return parse_set(text, "mine.toml")


def after(game: AnyGame, position: Any, play: str | dict[str, str]) -> Any:
    """Return the position after a play, or after some passes, judged as the row says."""
    if isinstance(play, str) and (passes := re.fullmatch(r"(\d+) pass", play)):
        for _ in range(int(passes[1])):
            position = after(game, position, "pass")
        return position
    text, rules = (play, "") if isinstance(play, str) else next(iter(play.items()))
    move = read_move(game, position, text)
    assert broken(game, position, move) == rules, text
    return game.apply(position, move)


def broken(game: AnyGame, position: Any, move: Any) -> str:
    return " ".join(violation.rule.id for violation in game.judge(position, move).violations)


def told(violations: Any, expected: Any) -> Any:
    """Return what is wrong: the rules, with sentences and cells where a row has them."""
    if isinstance(expected, str):
        return " ".join(violation.rule.id for violation in violations)
    return {v.rule.id: [v.text, plain(v.cells)] for v in violations}


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    return json.loads(json.dumps(value, default=dict))


# --- what a row asks


def tries(game: AnyGame, position: Any, row: Row) -> Row:
    moves = {text: read_move(game, position, text) for text in row}
    return {
        text: told(game.judge(position, move).violations, row[text]) for text, move in moves.items()
    }


def listed(game: AnyGame, position: Any, row: list[str] | int) -> Any:
    moves = game.legal_moves(position)
    return len(moves) if isinstance(row, int) else [write_move(m, position.to_move) for m in moves]


def listed_tiles(game: AnyGame, position: Any, _: str) -> str:
    return " ".join(sorted({str(move.tile) for move in game.legal_moves(position)}))


def stays(game: AnyGame, position: Any, row: list[str]) -> list[str]:
    return [t for t in row if game.apply(position, read_move(game, position, t)) == position]


def readings(game: AnyGame, position: Any, row: list[Any]) -> list[Any]:
    answers = []
    for laid, lifted, _ in row:
        change = Change(*(read_layout(text, game.facts.lattice) for text in (laid, lifted)))
        moves = game.readings(position, change)
        answers.append([laid, lifted, [write_move(move, position.to_move) for move in moves]])
    return answers


def lines(outcome: Outcome, row: Row) -> Row:
    """Return the lines of players who have one, as far as those of the row go."""
    found: Row = {}
    for player, own in outcome.lines.items():
        each = [[line.points, line.reason.id, *line.cells, line.why] for line in own]
        lengths = [len(line) for line in row.get(player, ())] + [0] * len(own)
        if each:
            cut = [line[:length] for line, length in zip(each, lengths, strict=False)]
            found[player] = plain(cut)
    return found


def questions(game: AnyGame, position: Any, _: Any) -> Any:
    return plain(
        [
            [asked.question, asked.cells, {a.answer: a.scores for a in asked.answers}]
            for asked in game.questions(position)
        ]
    )


def sees(_: AnyGame, position: Any, row: Row) -> Row:
    return {path: plain(at_path(position, path)) for path in row}


def at_path(value: Any, path: str) -> Any:
    """Return what ``snakes.yellow.faces``, ``fields.0.ends`` or ``is_loop.blue`` leads to."""
    for part in path.split("."):
        if callable(value):
            value = value(part)
        elif isinstance(value, Mapping):
            value = value[part]
        else:
            value = value[int(part)] if part.isdecimal() else getattr(value, part)
    return value


ASKED: dict[str, Callable[[AnyGame, Any, Any], Any]] = {
    "tries": tries,
    "inspect": lambda game, position, row: told(game.inspect(position), row),
    "listed": listed,
    "listed_tiles": listed_tiles,
    "stays": stays,
    "readings": readings,
    "scores": lambda game, position, _: dict(game.outcome(position).scores),
    "lines": lambda game, position, row: lines(game.outcome(position), row),
    "over": lambda game, position, _: game.outcome(position).over,
    "winners": lambda game, position, _: " ".join(game.outcome(position).winners),
    "questions": questions,
    "layout": lambda game, position, _: write_layout(game.layout(position)),
    "to_move": lambda _, position, __: position.to_move,
    "sees": sees,
}
"""How the answer to each part of a row is found."""
BEFORE = {"players", "options", "box", "table", "setup", "turn", "tokens", "out", "plays"}
