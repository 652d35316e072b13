"""What is asked of a record, a table or names that somebody gives, beyond what a kept game needs.

Games that an earlier version kept are read without these checks, so that they still open.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from engine.errors import RecordError
from engine.game import AnyGame, Json, Start
from engine.given import MISSING, a_list, an_object, inside, shown
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
    game.facts.check_given(box, start, players)


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
            problem = f"is {out[tile]}{where}, but {has}"
            raise RecordError(inside("out", tile), problem, "more-than-box")
        problem = f"{count} of {tile} lie on the table, but {has}"
        raise RecordError(place, problem, "more-than-box")


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
