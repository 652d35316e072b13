"""The live referee by scripts: rows in ``scripts/`` say what a table shows and what is said of it.

A claim has one row or several: ``game``, ``players`` and ``options`` of a table, and ``steps``.
Each step is one thing that happens there, ``later`` by so many seconds if it does not follow at
once:

- ``plays``: moves that are made one after the other, each laid or told
- ``shows`` after a hand, or ``keeps`` with nobody near: a layout in notation, or as the reader
  gives it where it is not sure, for so many ``looks``, with something over ``covered`` spots, by
  the ``hand`` of a player where that is known
- ``finds``: a layout that so many looks agree on, as ``sure`` as it is, or with a share each spot
- ``tells``, ``takes_back`` so many moves, ``undoes`` what was told last, ``waives`` a foul,
  ``touches`` and ``stirs`` the table, changes its ``camera``; the machine ``thinks`` or ``wants``
- ``restarts`` the game from a layout with the player who is ``next``; ``wakes`` after a kill

A step ``says`` events (a refusal in its own words) and ``leaves`` the referee sure or unsure, with
what it holds open. The row ends with the ``moves`` made and the layout that ``lies`` there, as the
log has kept them.
``python -m tests.companion_app.live.test_scripts`` writes anew what is said, to be read in a diff.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion_app.live.errors import LiveError
from companion_app.live.machine import MachineTurn
from companion_app.live.match import Match
from companion_app.live.questions import concerns
from companion_app.live.referee import Referee
from engine.game import AnyGame, Move
from engine.notation import read_layout, write_layout
from engine.record import move_to_json
from tests.companion_app.live.tabletop import Tabletop
from tests.kit.moves import read_move, write_move
from vision.core.tables import TableState

Row = dict[str, Any]
FOLDER = Path(__file__).with_name("scripts")
LOOKS = 6


def claims() -> list[Any]:
    """Return every claim with its rows."""
    return [
        pytest.param(rows, id=f"{file.stem}: {claim}")
        for file in sorted(FOLDER.glob("*.json"))
        for claim, rows in json.loads(file.read_text(encoding="utf-8")).items()
    ]


@pytest.mark.parametrize("rows", claims())
def test_referee_says_what_the_scripts_claim(tmp_path, rows):
    for number, row in enumerate(rows):
        for step, after in zip(row["steps"], followed(row, tmp_path / str(number)), strict=True):
            assert {key: after.get(key) for key in (*step, *after)} == step


def followed(row: Row, folder: Path) -> list[Row]:
    """Return the steps of a row with what the referee says now."""
    players = tuple(row["players"].split())
    table = Tabletop(folder, row["game"], players, row.get("options"))
    try:
        steps = [taken(table, step) for step in row["steps"]]
        kept = Match.resume(table.store, table.match.key)
        steps[-1] |= {"moves": moves_of(kept), "lies": write_layout(kept.layout)}
        return steps
    finally:
        table.close()


def taken(table: Tabletop, step: Row) -> Row:
    """Take a step; return it with what it leads to."""
    given = {key: step[key] for key in step if key not in ANSWERS}
    table.t += step.get("later", 0.0)
    before = len(table.events)
    (verb,) = given.keys() & VERBS.keys()
    try:
        VERBS[verb](table, given)
        told = [event for event in table.events[before:] if verb != "plays" or is_odd(event)]
        says = [line(table, event) for event in told]
    except LiveError as refusal:
        says = [f"{type(refusal).__name__}: {refusal}"]
    return given | ({"says": says} if says else {}) | {"leaves": left(table)}


def is_odd(event: Mapping[str, Any]) -> bool:
    """Say whether an event is none of those that every legal move brings."""
    return event["event"] not in ("score", "turn") and not event.get("legal")


def line(table: Tabletop, event: Mapping[str, Any]) -> Any:
    """Return an event without its time: a verdict in words, a question as it is."""
    more = {key: plain(table, event[key]) for key in event if key not in ("event", "t", "seq")}
    if event["event"] == "verdict":
        rules = " ".join(broken["rule"] for broken in event["violations"])
        stands = ", stands" if event.get("overruled") else ""
        return f"{more['n']} {more['move']}" + (f", breaks {rules}" if rules else "") + stands
    if event["event"] in ("question", "machine"):
        return {event["event"]: more, "t": event["t"]}
    return " ".join([event["event"], *(in_words(one) for one in more.values())])


def in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{player} {points}" for player, points in value.items())
    return value if isinstance(value, str) else json.dumps(value)


def plain(table: Tabletop, value: Any) -> Any:
    """Return a part of an event, moves in one line each."""
    if isinstance(value, Mapping):
        if "do" in value:
            return write_move(table.match.parsed(dict(value), "move"), "")
        return {key: plain(table, one) for key, one in value.items()}
    return [plain(table, one) for one in value] if isinstance(value, list | tuple) else value


def left(table: Tabletop) -> str:
    """Return how sure the referee is, and what it holds open: a question with whom it concerns."""
    doubts = table.referee.doubts
    foul = f"foul {plain(table, move_to_json(doubts.pending.move))}" if doubts.pending else ""
    other = "laid otherwise" if doubts.otherwise else ""
    waived = "waived" if doubts.waived else ""
    asked = [
        " ".join([question.about, *concerns(question, table.match)]) + "?"
        for question in doubts.questions.values()
    ]
    over = "over" if doubts.over else ""
    return ", ".join(filter(None, [table.standing, foul, other, waived, *asked, over]))


def moves_of(match: Match) -> list[str]:
    """Return the moves that count, those that stand against the rules marked."""
    return [
        write_move(one.move, "") + (", stands" if one.overruled else "") for one in match.accepted
    ]


# --- what happens at a table ---------------------------------------------------------------------


def shown(table: Tabletop, given: str | Row) -> Any:
    """Return a table as it is shown: a layout, or what the reader makes of one."""
    if isinstance(given, str):
        return given
    tiles = list(table.state(given.get("lying", "")).tiles) + given.get("tiles", [])
    unsure, aside, clay = (tuple(given.get(name, ())) for name in ("unsure", "aside", "clay"))
    return TableState((100, 100), tuple(tiles), unsure, aside, clay)


def spots(given: list[list[int]]) -> frozenset[tuple[int, int, int]]:
    return frozenset((where, x, y) for where, x, y in given)


def plays(table: Tabletop, step: Row) -> None:
    for text in step["plays"]:
        game: AnyGame = table.match.game
        move = read_move(game, table.match.position, text)
        after = game.layout(game.apply(table.match.position, move))
        made = len(table.match.accepted)
        if after != table.match.layout:
            table.shows(after)
            for question in list(table.referee.doubts.questions.values()):
                if "no-own-tile" in question.choices:
                    table.tell({"answer": question.id, "value": "no-own-tile"})
        if len(table.match.accepted) == made:
            written = move_to_json(move)
            roll = {"roll": move.value, "tiles": written.get("tiles")}
            table.tell(roll if move.do == "roll" else {"move": written})


def looks(table: Tabletop, step: Row, show: Callable[..., object], verb: str) -> None:
    covered, table.hand = spots(step.get("covered", [])), step.get("hand")
    show(shown(table, step[verb]), step.get("looks", LOOKS), covered)


def finds(table: Tabletop, step: Row) -> None:
    sure = step.get("sure", 0.999)
    if isinstance(sure, list):
        sure = {tuple(spot): share for *spot, share in sure}
    layout = read_layout(step["finds"], table.match.box.lattice)
    table.finds(layout, step.get("looks", 8), sure, spots(step.get("covered", [])))


def wants(table: Tabletop, step: Row) -> None:
    player, move = step["wants"]
    at = table.match.positions[step.get("at", -1)]
    wanted: Move | None = read_move(table.match.game, at, move)
    table.referee.wants(MachineTurn(player, at, wanted))


def thinks(table: Tabletop, step: Row) -> None:
    at = table.match.positions[step.get("at", -1)]
    table.referee.wants(MachineTurn(step["thinks"], at))


def camera(table: Tabletop, _: Row) -> None:
    """Let a new referee go on with the game, as when the camera is changed."""
    before = table.referee
    table.referee = Referee(table.match, table.events.append)
    table.referee.take_over(before)
    table.referee.start(table.t)


def restarts(table: Tabletop, step: Row) -> None:
    start, box = table.match.start, table.match.box
    layout = read_layout(step["restarts"], box.lattice)
    table.match.restart(replace(start, layout=layout, midgame=True, next=step.get("next")))


VERBS: dict[str, Callable[[Tabletop, Row], object]] = {
    "plays": plays,
    "shows": lambda table, step: looks(table, step, table.shows, "shows"),
    "keeps": lambda table, step: looks(table, step, table.keeps, "keeps"),
    "finds": finds,
    "tells": lambda table, step: table.tell(step["tells"]),
    "takes_back": lambda table, step: table.referee.take_back(step["takes_back"], table.t),
    "undoes": lambda table, _: table.referee.undo_told(table.t),
    "waives": lambda table, _: table.referee.waive_foul(table.t),
    "touches": lambda table, _: table.referee.touch(),
    "stirs": lambda table, _: table.settler.moved(),
    "camera": camera,
    "restarts": restarts,
    "wakes": lambda table, _: table.wake(),
    "wants": wants,
    "thinks": thinks,
}
"""What can happen at a table."""
ANSWERS = ("says", "leaves", "moves", "lies")


def written(rows_by_claim: Mapping[str, list[Row]]) -> str:
    """Return claims as they stand in their file, a step a line."""
    found = []
    for claim, rows in rows_by_claim.items():
        each = []
        for row in rows:
            head = json.dumps({key: row[key] for key in row if key != "steps"}, ensure_ascii=False)
            steps = ",\n   ".join(json.dumps(step, ensure_ascii=False) for step in row["steps"])
            each.append(f'{head[:-1]}, "steps": [\n   {steps}]}}')
        found.append(f" {json.dumps(claim)}: [\n  " + ",\n  ".join(each) + "]")
    return "{\n" + ",\n".join(found) + "\n}\n"


def main() -> None:
    """Write anew what is said in every step."""
    for file in sorted(FOLDER.glob("*.json")):
        by_claim = json.loads(file.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            for claim, rows in by_claim.items():
                for number, row in enumerate(rows):
                    row["steps"] = followed(row, Path(folder, claim[:80], str(number)))
        file.write_text(written(by_claim), encoding="utf-8")


if __name__ == "__main__":
    main()
