"""What is asked of a record, a table or names that somebody gives, beyond what a kept game needs.

Games that an earlier version kept are read without these checks, so that they still open.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from engine.carnival.setup import box_in_play
from engine.errors import RecordError
from engine.game import AnyGame, Json, Start
from engine.given import MISSING, a_list, an_object, inside, shown
from engine.lattice import Cell, bounding_box
from engine.placement import Clay, Layout
from engine.record import Record, parse_record
from engine.tiles import TileSet

BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and symbols that Unicode counts as visible, but that print nothing."""


def parse_given(data: Json, set_folders: Iterable[Path] = ()) -> Record:
    """Return the record that a JSON value describes, checked as what somebody gives.

    Raises:
        RecordError: the value is not a record, or its start cannot lie on a table.
    """
    record = parse_record(data, set_folders)
    a_list(an_object(data, "").get("moves", MISSING), "moves")
    check_start(record.game, record.tile_set, record.start)
    return record


def check_start(game: AnyGame, box: TileSet, start: Start, players: str = "players") -> None:
    """Refuse a start that no table can hold.

    Args:
        game: the rule book.
        box: the box.
        start: players, options and what lies on the table.
        players: the place of the players, for error messages.

    Raises:
        RecordError: names look alike, tiles are more than the box has, or options contradict one
            another; the error names the place.
    """
    check_names(start.players, players)
    check_counts(box, start.layout, start.out, "setup")
    more = MORE_BY_GAME.get(game.facts.name)
    if more is not None:
        more(box, start, players)


def check_table(data: Json) -> None:
    """Refuse a table state that says nothing of tiles."""
    if "tiles" not in an_object(data, ""):
        raise RecordError("tiles", "is missing; a table without any tile says []")


def check_names(names: Iterable[str], place: str = "players") -> None:
    """Refuse names that look alike, since they differ only by something that prints nothing."""
    seen: dict[str, str] = {}
    for name in names:
        look = _as_printed(name)
        if not look:
            raise RecordError(place, f"{shown(name)} prints nothing; write a name")
        if look in seen:
            raise RecordError(
                place, f"{shown(seen[look])} and {shown(name)} look alike; give one another name"
            )
        seen[look] = name


def check_counts(box: TileSet, layout: Layout, out: Mapping[str, int], place: str) -> None:
    """Refuse more tiles of a kind than the box holds, on the table and out of the game."""
    lying = Counter(one.tile for one in layout.placements() if not isinstance(one, Clay))
    for tile, count in (lying + Counter(out)).items():
        if tile not in box or count <= box[tile].count:
            continue
        has = f"the box has {box[tile].count or 'none'}"
        if out.get(tile):
            where = f", and {lying[tile]} of them lie on the table" if lying[tile] else ""
            raise RecordError(inside("out", tile), f"is {out[tile]}{where}, but {has}")
        raise RecordError(place, f"{count} of {tile} lie on the table, but {has}")


def _as_printed(name: str) -> str:
    """Return a name without blanks, joiners and other characters that print nothing."""
    return "".join(
        c
        for c in unicodedata.normalize("NFC", name)
        if unicodedata.category(c)[0] not in "ZC" and c not in BLANK_LETTERS and not _varies(c)
    )


def _varies(letter: str) -> bool:
    """Say whether a character only selects how the one before it is drawn."""
    return "VARIATION SELECTOR" in unicodedata.name(letter, "")


# --- the games -----------------------------------------------------------------------------------


def _check_carnival(box: TileSet, start: Start, players: str) -> None:
    """Two players sit opposite (ruling 10), and a token comes from a diamond."""
    diamonds = sum(
        kind.count for kind in box_in_play(box, start).kinds.values() if kind.role == "diamond"
    )
    given = sum(start.tokens.values())
    if given > diamonds:
        raise RecordError("tokens", f"are {given}, but the box has only {diamonds} diamonds")
    edges = {
        leaving.name: leaving.edge
        for kind in box.kinds.values()
        if kind.role == "house"
        for leaving in kind.exits
    }
    if len(start.players) != 2 or not set(start.players) <= set(edges):
        return
    one, other = start.players
    facing = [name for name, edge in edges.items() if (edge - edges[one]) % 4 == 2]
    if facing and other not in facing:
        raise RecordError(
            players, f"two players sit opposite each other: {one} and {facing[0]}, not {other}"
        )


def _check_schlangennest(box: TileSet, start: Start, players: str) -> None:
    """Cards mark a fixed border or a frame: no size says it, and a frame has no gaps."""
    options = start.options
    for option, is_marked in (
        ("border", options.get("border") == "fixed"),
        ("frame", bool(options.get("frame"))),
    ):
        if is_marked and "size" in options:
            raise RecordError(
                "options.size",
                f"cannot be given together with the option {option}: there the cards of setup "
                "mark the field",
            )
    if options.get("frame"):
        _check_frame(box, start)


def _check_frame(box: TileSet, start: Start) -> None:
    laid = {p.at for p in start.layout.cards if box[p.tile].colour not in start.players}
    around = bounding_box(laid)
    gaps = [] if around is None else [cell for cell in _ring(around) if cell not in laid]
    if gaps:
        raise RecordError(
            "setup", f"the frame has a gap at {list(gaps[0])}; its cards lie all round the field"
        )


def _ring(around: tuple[int, int, int, int]) -> list[Cell]:
    left, top, right, bottom = around
    return [
        (x, y)
        for y in range(top, bottom + 1)
        for x in range(left, right + 1)
        if x in (left, right) or y in (top, bottom)
    ]


MORE_BY_GAME: Mapping[str, Callable[[TileSet, Start, str], None]] = {
    "schlangennest": _check_schlangennest,
    "carnival": _check_carnival,
}
