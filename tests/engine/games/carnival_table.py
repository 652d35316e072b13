"""Writes Carnival's table: every kind of tile against everything that may lie in a cell.

``python -m tests.engine.games.carnival_table`` writes ``engine/games/CARNIVAL.md`` anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.carnival.position import CarnivalPosition, LastRound
from engine.game import Move, Start
from engine.games.carnival import Carnival
from engine.lattice import Cell
from engine.notation import read_layout
from engine.setfile import built_in_set

PAGE = Path(__file__).parents[3] / "engine" / "games" / "CARNIVAL.md"
GAME, BOX = Carnival(), built_in_set("carnival")
FOUR = ("yellow", "violet", "black", "red")
YELLOW = "yellow/straight@0,-1^1 yellow/straight@0,-2^1"
VIOLET = "violet/straight@1,0 violet/straight@2,0"
BLACK_HEAD = "black/head@0,1^1"

TILES = {
    "own straight": "yellow/straight",
    "own corner": "yellow/corner",
    "own diamond": "yellow/diamond",
    "own knot": "yellow/knot",
    "own sore": "yellow/sore",
    "own head": "yellow/head",
    "another's straight": "violet/straight",
    "another's corner": "violet/corner",
    "another's diamond": "violet/diamond",
    "another's knot": "violet/knot",
    "another's sore": "violet/sore",
    "another's head": "violet/head",
    "straight log": "log/straight",
    "corner log": "log/corner",
    "crossing log": "log/crossing",
    "gift": "gift",
    "trouble": "trouble/2",
    "hat": "hat/+3",
    "house": "house",
}
"""What yellow tries to lay."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell on a table where a tile is tried."""

    name: str
    table: str
    cell: Cell
    do: str = "replace"


def _in_own(name: str, tile: str) -> Place:
    if tile in ("yellow/corner", "yellow/sore", "log/corner"):
        after = "yellow/straight@1,-2"
        return Place(name, f"yellow/straight@0,-1^1 {tile}@0,-2^2 {after} {VIOLET}", (0, -2))
    after = "yellow/straight@0,-3^1"
    return Place(name, f"yellow/straight@0,-1^1 {tile}@0,-2^1 {after} {VIOLET}", (0, -2))


def _in_anothers(name: str, tile: str) -> Place:
    if tile in ("violet/corner", "violet/sore", "log/corner"):
        after = "violet/straight@2,-1^1"
        return Place(name, f"{YELLOW} violet/straight@1,0 {tile}@2,0 {after}", (2, 0))
    return Place(name, f"{YELLOW} violet/straight@1,0 {tile}@2,0 violet/straight@3,0", (2, 0))


OPEN = f"{YELLOW} {VIOLET}"
HEAD = f"{OPEN} yellow/head@0,-3^3"
KINDS = ("straight", "corner", "diamond", "knot", "sore")
LOGS = {"straight log": "log/straight", "corner log": "log/corner"}
PARTS = {
    "On an empty cell, or where an end is blocked": (
        Place("touching nothing", OPEN, (9, 9), "place"),
        Place("beside a snake", OPEN, (1, -1), "place"),
        Place("own end", OPEN, (0, -3), "place"),
        Place("another's end", OPEN, (3, 0), "place"),
        Place("own blocked end", f"{OPEN} gift@0,-3", (0, -3), "place"),
        Place("another's blocked end", f"{OPEN} gift@3,0", (3, 0), "place"),
    ),
    "On a tile of the own snake": (
        *(_in_own(kind, f"yellow/{kind}") for kind in KINDS),
        *(_in_own(name, tile) for name, tile in LOGS.items()),
    ),
    "On a tile of another's snake": (
        *(_in_anothers(kind, f"violet/{kind}") for kind in KINDS),
        *(_in_anothers(name, tile) for name, tile in LOGS.items()),
    ),
    "On what stays": (
        Place("house", OPEN, (0, 0)),
        Place("gift", f"{OPEN} gift@1,-1", (1, -1)),
        Place("trouble", f"{OPEN} trouble/2@1,-1", (1, -1)),
        Place("crossing log", f"{OPEN} log/crossing@0,-3", (0, -3)),
        Place("hat", f"{HEAD} hat/+2@0,-4", (0, -4)),
    ),
    "At a head": (
        Place("in front of it", HEAD, (0, -4), "place"),
        Place("on it, front free", HEAD, (0, -3)),
        Place("on it, front taken", f"{HEAD} gift@0,-4", (0, -3)),
        Place("on it, with a hat", f"{HEAD} hat/+2@0,-4", (0, -3)),
    ),
}


def position_for(place: Place, tile: str) -> CarnivalPosition:
    """Return the table, in the part of the game in which such a tile may be laid at all."""
    role = BOX[tile].role
    last_round = role in ("head", "hat") or "/head@" in place.table
    layout = read_layout(f"{place.table} {BLACK_HEAD}" if last_round else place.table)
    position = GAME.opening(Start(FOUR, layout=layout, midgame=True), BOX)
    position = replace(position, to_move="yellow")
    if role == "hat":
        return replace(position, last_round=LastRound("hats"))
    return replace(position, last_round=LastRound()) if role == "head" else position


def tries(place: Place, tile: str) -> Iterator[Move]:
    """Yield the tile turned every way; hats are never swapped in, but laid on heads."""
    do = "place" if BOX[tile].role == "hat" else place.do
    for turns in range(BOX[tile].period):
        yield Move("yellow", do, tile, place.cell, turns)


def verdict(place: Place, tile: str) -> str:
    """Return "yes" and the ruling that allows it, or the rules that the best try breaks."""
    position = position_for(place, tile)
    judged = [(GAME.judge(position, move).violations, move) for move in tries(place, tile)]
    broken, move = min(judged, key=lambda one: len(one[0]))
    if not broken:
        return f"yes ({_ruling(move)})"
    return "no: " + ", ".join(violation.rule.id for violation in broken)


def _ruling(move: Move) -> str:
    assert move.tile is not None
    kind = BOX[move.tile]
    if kind.role in ("head", "hat"):
        return "9"
    if kind.role in ("gift", "trouble"):
        return "3"
    if move.do == "replace":
        return "4" if kind.colour is None else "5"
    return "2" if kind.colour == "violet" else "1"


def page() -> str:
    """Return the whole page."""
    lines = [
        "# Carnival: what may be laid where",
        "",
        "Yellow is to move, and every kind of tile is tried, turned every way, on everything that"
        " may lie in a cell.",
        "`yes` names the ruling that allows it, `no` the rules that are broken"
        " (`snake-eye rules --game carnival` has their sentences).",
        "Heads and hats are tried in the last round, everything else before it; where a head or a"
        " hat lies already, it is the last round.",
        "A plain tile of another colour (ruling 2) needs, where `hands` is `ask`, the word that one"
        " has no own plain tile to lay.",
        "A test holds this page to the rules; `python -m tests.engine.games.carnival_table` writes"
        " it anew.",
    ]
    for title, places in PARTS.items():
        lines += ["", f"## {title}", ""]
        lines.append("| tile | " + " | ".join(place.name for place in places) + " |")
        lines.append("|---" * (len(places) + 1) + "|")
        for name, tile in TILES.items():
            lines.append(f"| {name} | " + " | ".join(verdict(p, tile) for p in places) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
