"""What the hands do for guests: score tables, print tiles. Plain data in, plain data out."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion_app.another_game import NO_SCORE, shows_another_game
from companion_app.boxes import players_seen
from companion_app.live.places import added_up, leading
from companion_app.outlining import ink_of
from companion_app.web.drawing.table import table_in_words
from companion_app.web.place import Place
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.speech import Speech
from engine.game import Start
from engine.games import game_named
from engine.record import find_set, parse_options, parse_table
from engine.referee import score_table
from engine.tiles import TileSet

Doc = dict[str, Any]
LIES = ("tile", "at", "turns", "field", "cells", "board")
"""Fields of a table state that say which tile lies where."""
ReadPhoto = Callable[[bytes, str, str, tuple[Path, ...]], Mapping[str, Any]]
"""Reads a photo of a table: takes its bytes, the game, the set and the owner's folders of sets, and
returns a table state. Must be a module-level function, since it is pickled for a worker."""


def scored_photo(
    place: Place, language: str, read: ReadPhoto, data: bytes, game: str, box: str | None
) -> Doc:
    """Return the score of a photographed table, the number of unsure tiles, and advice."""
    table = read(data, game, box or game, place.set_folders)
    answer = scored_table(place, language, game, box, dict(table), {})
    if shows_another_game(table):
        answer |= NO_SCORE | {"players": []}
    words = Speech(language, {})
    advice = table.get("quality", {}).get("advice", ())
    told = {str(one.get("what")) for one in advice if "looks_like" not in one}
    answer["advice"] = [words.page(f"advice-{what}") for what in sorted(told)]
    for one in advice:
        if "looks_like" in one:
            answer["looks_like"] = one["looks_like"]
            answer["advice"].append(_another_game(words, game, one["looks_like"]))
    answer["unsure"] = len(table.get("unsure", ()))
    answer["seen"] = _seen(find_set(game_named(game), box, place.set_folders), table, words)
    return answer


def _another_game(words: Speech, game: str, other: str | None) -> str:
    """Return the sentence that a photo shows no table of the chosen game, and which game it is."""
    title = game_named(game).facts.title
    if other is None:
        return words.page("advice-no-game", game=title)
    return words.page("advice-other-game", game=title, other=game_named(other).facts.title)


def _seen(box: TileSet, table: Mapping[str, Any], words: Speech) -> Doc:
    """Return the outlines of tiles in a photo, and the kinds that they may be corrected to."""
    tiles = [
        {
            "sure": sure,
            "outline": one["outline"],
            "lies": {k: one[k] for k in LIES if k in one},
            "label": words.tile(one["tile"]) if one.get("tile") in box else "",
            "ink": ink_of(str(one.get("tile", "")), box.colours),
        }
        for sure, part in ((True, "tiles"), (False, "unsure"))
        for one in table.get(part, ())
        if len(one.get("outline", ())) > 2 and ("at" in one or "cells" in one)
    ]
    kinds = [
        {
            "tile": name,
            "label": words.tile(name),
            "ink": ink_of(name, box.colours),
            "cells": [list(cell) for cell in box[name].cells],
        }
        for name, number in box.counts.items()
        if number
    ]
    return {
        "size": table.get("size"),
        "lattice": box.lattice,
        "set": box.name,
        "tiles": tiles,
        "kinds": kinds,
        "clay": list(table.get("clay", ())),
    }


def scored_table(
    place: Place, language: str, game_name: Any, set_name: Any, table: Any, options: Any
) -> Doc:
    """Return the score of a table, with every score line and violation in words."""
    game = game_named(game_name)
    box = find_set(game, set_name, place.set_folders)
    layout, _ = parse_table(game, box, table, "table")
    if not isinstance(options, dict):
        raise BadRequest("options is an object")
    start = Start(
        players_seen(game, box, layout),
        parse_options(game, options, "options"),
        layout,
        midgame=True,
    )
    answer = score_table(game, box, start)
    words = Speech(language, {})
    if game.facts.player_names is None:
        words = Speech(language, {one: words.page("player-n", n=one) for one in start.players})
    position = game.opening(start, box)
    outcome = game.outcome(position)
    best = outcome.winners or leading(outcome.scores)
    answer["players"] = [
        {
            "id": player,
            "name": words.player(player),
            "score": outcome.scores[player],
            "colour": ink_of(player, box.colours) if player in box.colours else None,
            "winner": player in best,
            "lines": [
                {"why": why, "points": points, "count": times}
                for why, (times, points) in added_up(
                    (words.why(line), line.points) for line in outcome.lines.get(player, ())
                ).items()
            ],
        }
        for player in start.players
    ]
    answer["broken"] = [
        words.violation(game.facts.name, broken) for broken in game.inspect(position)
    ]
    answer["svg"] = table_in_words(box, layout, start.players, words, game.facts.title)
    return answer


def printed_part(
    place: Place, language: str, game_name: str, set_name: str | None, paper: str, part: str
) -> bytes:
    """Return one PDF file of a box, in the guest's language.

    Raises:
        NotFound: the box has no such part.
    """
    from models.sheets.make import parts_of
    from models.sheets.words import ENGLISH, Words

    box = find_set(game_named(game_name), set_name, place.set_folders)
    if part not in parts_of(box):
        raise NotFound
    speech = Speech(language, {})
    words = Words({key: speech.page(f"sheet-{key}") for key in ENGLISH}, speech.tile)
    return _sheets(box, paper, words, part)[f"{part}.pdf"]


def printed(place: Place, game_name: str, set_name: str | None, paper: str) -> tuple[str, bytes]:
    """Return the name of a box, and a ZIP file of its PDF sheets."""
    box, packed = find_set(game_named(game_name), set_name, place.set_folders), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _sheets(box, paper).items():
            archive.writestr(name, data)
    return box.name, packed.getvalue()


def calibration(paper: str) -> bytes:
    """Return the printable calibration sheet as PDF."""
    from models.sheets.paper import sheet_of
    from models.sheets.single import calibration_sheet

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sheet.pdf"
        calibration_sheet(file, "Snake Eye", sheet_of(paper))
        return file.read_bytes()


def _sheets(box: TileSet, paper: str, *more: Any) -> dict[str, bytes]:
    """Return the PDF files of a box by name; ``more`` are the words, and a single part to make."""
    from models.sheets.make import printed_pitch_mm, write_sheets
    from models.sheets.paper import sheet_of

    sheet = sheet_of(paper)
    with tempfile.TemporaryDirectory() as folder:
        write_sheets(box, Path(folder), sheet, printed_pitch_mm(box, sheet, None), *more)
        return {file.name: file.read_bytes() for file in sorted(Path(folder).glob("*.pdf"))}
