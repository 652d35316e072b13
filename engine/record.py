"""Games and tables in writing: JSON in and out, with the place of every mistake.

What a player could do on a table is never a bad record: it is judged. What no table could hold
(an unknown tile, a cell that is no whole number, a tile of another shape) is a ``RecordError``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from engine.errors import RecordError, SetError
from engine.game import AnyGame, Json, Move, Start
from engine.games import game_named
from engine.hexpath import free_shape, path_shape
from engine.lattice import HEX_SIDE_NAMES, Cell
from engine.placement import Clay, Layout, Piece, Placement
from engine.setfile import load_set
from engine.tiles import TileSet

RECORD_FORMAT = "snake-eye/record"
TABLE_FORMAT = "snake-eye/table"
VERSION = 1
MOST_MOVES = 10_000
MOST_TILES = 5_000
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Record:
    """A written game: who plays what, what lay there first, and the moves."""

    game: AnyGame
    tile_set: TileSet
    start: Start
    moves: tuple[Move, ...] = ()


def load_json(text: str | bytes, place: str = "") -> Json:
    """Return the value of a JSON text.

    Raises:
        RecordError: it is not JSON, or nested too deeply, or not in UTF-8.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise RecordError(place, "the JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise RecordError(place, "the text is not UTF-8") from None
    except ValueError as error:
        raise RecordError(place, f"this is not JSON: {error}") from None


def parse_record(data: Json, set_folders: Iterable[Path] = ()) -> Record:
    """Return the record that a JSON value describes.

    Raises:
        RecordError: names the place and what is wrong there.
    """
    table = _object(data, "record")
    _check_format(table, RECORD_FORMAT)
    game = game_named(table.get("game"))
    tile_set = find_set(game, table.get("set"), set_folders)
    players = parse_players(game, table.get("players"))
    options = parse_options(game, table.get("options", {}))
    start = _parse_start(game, tile_set, players, options, table)
    listed = _list(table.get("moves", []), "moves")
    if len(listed) > MOST_MOVES:
        raise RecordError("moves", f"there are {len(listed)}, but at most {MOST_MOVES} are read")
    moves = tuple(
        parse_move(game, tile_set, players, entry, f"moves[{i}]") for i, entry in enumerate(listed)
    )
    return Record(game, tile_set, start, moves)


def find_set(game: AnyGame, name: Json, folders: Iterable[Path] = ()) -> TileSet:
    """Return the box to play with: the game's own where no name is given."""
    if name is None:
        name = game.facts.name
    if not isinstance(name, str):
        raise RecordError("set", f"must be the name of a set, but is {_shown(name)}")
    try:
        tile_set = load_set(name, folders)
    except SetError as error:
        raise RecordError("set", str(error)) from None
    if tile_set.game != game.facts.name:
        raise RecordError("set", f"{name!r} is a box for {tile_set.game}, not {game.facts.name}")
    return tile_set


def parse_players(game: AnyGame, value: Json, place: str = "players") -> tuple[str, ...]:
    """Return the players in turn order."""
    facts = game.facts
    names = _list(value, place)
    if not facts.fewest_players <= len(names) <= facts.most_players:
        raise RecordError(
            place,
            f"{facts.name} is for {facts.fewest_players} to {facts.most_players} players, "
            f"but {len(names)} are named",
        )
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
            raise RecordError(f"{place}[{i}]", f"must be a name, but is {_shown(name)}")
        if facts.player_names is not None and name not in facts.player_names:
            known = ", ".join(facts.player_names)
            raise RecordError(f"{place}[{i}]", f"{name!r} is none of {known}")
    if len(set(names)) != len(names):
        raise RecordError(place, "a player is named twice")
    return tuple(names)


def parse_options(game: AnyGame, value: Json, place: str = "options") -> dict[str, Json]:
    """Return the options that were given, in normal form."""
    given = _object(value, place)
    known = {option.name: option for option in game.facts.options}
    options = {}
    for name, choice in given.items():
        if name not in known:
            raise RecordError(
                f"{place}.{name}",
                f"{game.facts.name} has no such option; it has {', '.join(known) or 'none'}",
            )
        try:
            options[name] = known[name].parse(choice)
        except ValueError as error:
            raise RecordError(f"{place}.{name}", str(error)) from None
    return options


def parse_move(
    game: AnyGame, tile_set: TileSet, players: tuple[str, ...], value: Json, place: str
) -> Move:
    """Return one move of a record."""
    entry = _object(value, place)
    player = entry.get("player")
    if not isinstance(player, str) or player not in players:
        raise RecordError(f"{place}.player", f"{_shown(player)} is none of {', '.join(players)}")
    do = entry.get("do")
    if do not in game.facts.actions:
        allowed = ", ".join(game.facts.actions)
        raise RecordError(f"{place}.do", f"{_shown(do)} is none of {allowed}")
    if do in ("place", "replace"):
        parse = _parse_piece_move if tile_set.lattice == "hex" else _parse_card_move
        return parse(game, tile_set, players, entry, place)
    if do == "turn":
        return Move(
            player, do, at=_cell(entry, "at", place), turns=_turns(entry.get("turns"), place)
        )
    if do == "roll":
        return _parse_roll(tile_set, entry, place)
    if do == "discard":
        return Move(player, do, tile=_tile(tile_set, entry.get("tile"), f"{place}.tile"))
    return Move(player, do)


def parse_table(
    game: AnyGame, tile_set: TileSet, data: Json, place: str = "table"
) -> tuple[Layout, Mapping[str, Any]]:
    """Return the layout of a table state, and the table itself; ``tiles`` alone will do."""
    table = _object(data, place)
    _check_format(table, TABLE_FORMAT)
    for key, wanted in (("game", game.facts.name), ("set", tile_set.name)):
        if table.get(key) not in (None, wanted):
            raise RecordError(f"{place}.{key}", f"is {_shown(table[key])}, but {wanted} is asked")
    layout = _parse_tiles(tile_set, table.get("tiles", []), f"{place}.tiles")
    clay = _parse_clay(table.get("clay", []), f"{place}.clay")
    return Layout(layout.cards, layout.pieces, frozenset(clay)), table


def parse_counts(value: Json, place: str) -> dict[str, int]:
    """Return names with whole numbers from 0 on, such as tokens by player."""
    counts = _object(value, place)
    for name, number in counts.items():
        if not _is_whole(number) or not 0 <= number <= MOST_TILES:
            raise RecordError(f"{place}.{name}", f"must be a count, but is {_shown(number)}")
    return dict(counts)


def move_to_json(move: Move) -> dict[str, Json]:
    """Return a move in the record's form, its keys in a stable order."""
    entry: dict[str, Json] = {"player": move.player, "do": move.do}
    if move.tile is not None:
        entry["tile"] = move.tile
    if move.at is not None:
        entry["at"] = list(move.at)
    if move.turns is not None:
        entry["turns"] = move.turns
    if move.cells is not None:
        entry["cells"] = [list(cell) for cell in move.cells]
    if move.board is not None:
        entry["board"] = move.board
    if move.origin is not None:
        entry["from"] = {"board": move.origin[0], "cell": list(move.origin[1])}
    if move.to is not None:
        entry["to"] = {"board": move.to[0], "cell": list(move.to[1])}
    if move.snake is not None:
        entry["snake"] = move.snake
    if move.value is not None:
        entry["value"] = move.value
    if move.tiles is not None:
        entry["tiles"] = list(move.tiles)
    if move.declares is not None:
        entry["declares"] = move.declares
    return entry


def layout_to_json(layout: Layout) -> dict[str, Json]:
    """Return ``tiles`` and, where there is any, ``clay``, as a table state has them."""
    tiles: list[Json] = []
    clay: list[Json] = []
    for placed in layout.placements():
        if isinstance(placed, Placement):
            entry = {"tile": placed.tile, "at": list(placed.at), "turns": placed.turns}
            tiles.append(entry if placed.field is None else entry | {"field": placed.field})
        elif isinstance(placed, Piece):
            entry = {"tile": placed.tile, "cells": [list(cell) for cell in placed.cells]}
            tiles.append(entry if placed.board is None else entry | {"board": placed.board})
        else:
            clay.append(
                {"board": placed.board, "cell": list(placed.cell), "kind": placed.kind}
                | ({"opens": placed.opens} if placed.opens else {})
            )
    return {"tiles": tiles} | ({"clay": clay} if clay else {})


def record_to_json(record: Record) -> dict[str, Json]:
    """Return a record in the form that ``parse_record`` reads."""
    start = record.start
    data: dict[str, Json] = {
        "format": RECORD_FORMAT,
        "version": VERSION,
        "game": record.game.facts.name,
        "players": list(start.players),
        "options": dict(start.options),
    }
    if record.tile_set.name != record.game.facts.name:
        data["set"] = record.tile_set.name
    if start.midgame:
        data["setup"] = {"format": TABLE_FORMAT, "version": VERSION} | layout_to_json(start.layout)
    elif start.layout != Layout():
        data["setup"] = layout_to_json(start.layout)["tiles"]
    if start.next is not None:
        data["next"] = start.next
    data |= {key: dict(counts) for key, counts in (("tokens", start.tokens), ("out", start.out))
             if counts}  # fmt: skip
    data["moves"] = [move_to_json(move) for move in record.moves]
    return data


def _parse_start(
    game: AnyGame,
    tile_set: TileSet,
    players: tuple[str, ...],
    options: Mapping[str, Json],
    table: Mapping[str, Any],
) -> Start:
    setup = table.get("setup", [])
    midgame = isinstance(setup, dict)
    if midgame:
        layout, _ = parse_table(game, tile_set, setup, "setup")
    else:
        layout = _parse_tiles(tile_set, setup, "setup")
    first = table.get("next")
    if first is not None and (not isinstance(first, str) or first not in players):
        raise RecordError("next", f"{_shown(first)} is none of {', '.join(players)}")
    tokens = parse_counts(table.get("tokens", {}), "tokens")
    out = parse_counts(table.get("out", {}), "out")
    return Start(players, options, layout, first, midgame, tokens, out)


def _parse_card_move(
    game: AnyGame,
    tile_set: TileSet,
    players: tuple[str, ...],
    entry: Mapping[str, Any],
    place: str,
) -> Move:
    tile = _tile(tile_set, entry.get("tile"), f"{place}.tile")
    snake = entry.get("snake")
    if snake is not None and (not isinstance(snake, str) or snake not in _snakes(game, players)):
        raise RecordError(f"{place}.snake", f"there is no snake called {_shown(snake)}")
    declares = entry.get("declares")
    if declares not in (None, "no-own-tile"):
        raise RecordError(f"{place}.declares", 'must be "no-own-tile" where it is given')
    return Move(
        entry["player"], entry["do"], tile, at=_cell(entry, "at", place),
        turns=_card_turns(tile_set, tile, entry, place), snake=snake, declares=declares,
    )  # fmt: skip


def _snakes(game: AnyGame, players: tuple[str, ...]) -> tuple[str, ...]:
    return game.facts.player_names or players


def _parse_piece_move(
    game: AnyGame,
    tile_set: TileSet,
    players: tuple[str, ...],
    entry: Mapping[str, Any],
    place: str,
) -> Move:
    player, shape = entry["player"], entry.get("tile")
    coloured = f"{player}/{shape}" if isinstance(shape, str) else shape
    tile = _tile(tile_set, coloured, f"{place}.tile")
    cells = _piece_cells(tile_set, tile, entry.get("cells"), f"{place}.cells")
    boards = game.facts.most_players > 2
    board = _board(entry.get("board"), len(players), f"{place}.board") if boards else None
    ends = [
        _board_cell(entry[key], len(players), f"{place}.{key}")
        if boards and entry.get(key) is not None
        else None
        for key in ("from", "to")
    ]
    return Move(player, entry["do"], shape, cells=cells, board=board, origin=ends[0], to=ends[1])


def _parse_roll(tile_set: TileSet, entry: Mapping[str, Any], place: str) -> Move:
    value = entry.get("value")
    if not _is_whole(value) or value not in (1, 2, 3):
        raise RecordError(f"{place}.value", f"the die shows 1, 2 or 3, not {_shown(value)}")
    tiles = entry.get("tiles")
    drawn = None
    if tiles is not None:
        drawn = tuple(
            _tile(tile_set, tile, f"{place}.tiles[{i}]")
            for i, tile in enumerate(_list(tiles, f"{place}.tiles"))
        )
    return Move(entry["player"], "roll", value=value, tiles=drawn)


def _parse_tiles(tile_set: TileSet, value: Json, place: str) -> Layout:
    listed = _list(value, place)
    if len(listed) > MOST_TILES:
        raise RecordError(place, f"there are {len(listed)}, but at most {MOST_TILES} are read")
    parse = _parse_piece if tile_set.lattice == "hex" else _parse_card
    placements = [parse(tile_set, entry, f"{place}[{i}]") for i, entry in enumerate(listed)]
    taken: dict[tuple[int | None, Cell], int] = {}
    for i, placed in enumerate(placements):
        for where in _covered(tile_set, placed):
            if where in taken:
                raise RecordError(
                    f"{place}[{i}]",
                    f"lies on cell {list(where[1])}, as does {place}[{taken[where]}]",
                )
            taken[where] = i
    return Layout.of(*placements)


def _covered(tile_set: TileSet, placed: Placement | Piece) -> Iterable[tuple[int | None, Cell]]:
    if isinstance(placed, Piece):
        return [(placed.board, cell) for cell in placed.cells]
    # A card of several cells lies at [0, 0], turns 0, wherever it is seen.
    x, y = placed.at
    return [(placed.field, (x + dx, y + dy)) for dx, dy in tile_set[placed.tile].cells]


def _parse_card(tile_set: TileSet, value: Json, place: str) -> Placement:
    entry = _object(value, place)
    tile = _tile(tile_set, entry.get("tile"), f"{place}.tile")
    field = entry.get("field")
    if field is not None and (not _is_whole(field) or not 0 <= field <= 3):
        raise RecordError(f"{place}.field", f"must be a whole number, 0 to 3, not {_shown(field)}")
    return Placement(
        tile, _cell(entry, "at", place), _card_turns(tile_set, tile, entry, place), field
    )


def _parse_piece(tile_set: TileSet, value: Json, place: str) -> Piece:
    entry = _object(value, place)
    tile = _tile(tile_set, entry.get("tile"), f"{place}.tile")
    board = entry.get("board")
    if board is not None:
        _board(board, 5, f"{place}.board")
    return Piece(tile, _piece_cells(tile_set, tile, entry.get("cells"), f"{place}.cells"), board)


def _parse_clay(value: Json, place: str) -> Iterable[Clay]:
    for i, item in enumerate(_list(value, place)):
        here = f"{place}[{i}]"
        entry = _object(item, here)
        kind, opens = entry.get("kind"), entry.get("opens")
        if kind not in ("open", "closed"):
            raise RecordError(f"{here}.kind", f'must be "open" or "closed", not {_shown(kind)}')
        if opens is not None and opens not in HEX_SIDE_NAMES:
            raise RecordError(
                f"{here}.opens", f"{_shown(opens)} is none of {', '.join(HEX_SIDE_NAMES)}"
            )
        yield Clay(
            _board(entry.get("board", 0), 5, f"{here}.board"), _cell(entry, "cell", here), kind,
            opens,
        )  # fmt: skip


def _piece_cells(tile_set: TileSet, tile: str, value: Json, place: str) -> tuple[Cell, ...]:
    cells = tuple(
        sorted(_as_cell(cell, f"{place}[{i}]") for i, cell in enumerate(_list(value, place)))
    )
    path = tile_set[tile].path or "1"
    if len(cells) != len(path_shape(path)) or free_shape(cells) != path_shape(path):
        raise RecordError(place, f"these cells do not have the shape of {tile}")
    return cells


def _card_turns(tile_set: TileSet, tile: str, entry: Mapping[str, Any], place: str) -> int:
    period = tile_set[tile].period
    if period == 1 and "turns" not in entry:
        return 0
    return _turns(entry.get("turns"), place) % period


def _turns(value: Json, place: str) -> int:
    if not _is_whole(value) or not 0 <= value <= 3:
        raise RecordError(f"{place}.turns", f"must be 0, 1, 2 or 3, not {_shown(value)}")
    return int(value)


def _tile(tile_set: TileSet, value: Json, place: str) -> str:
    if not isinstance(value, str) or value not in tile_set:
        raise RecordError(place, f"there is no tile {_shown(value)} in the set {tile_set.name}")
    return value


def _board(value: Json, boards: int, place: str) -> int:
    if not _is_whole(value) or not 0 <= value < boards:
        raise RecordError(place, f"there is no board {_shown(value)}; they are 0 to {boards - 1}")
    return int(value)


def _board_cell(value: Json, boards: int, place: str) -> tuple[int, Cell]:
    entry = _object(value, place)
    return _board(entry.get("board"), boards, f"{place}.board"), _cell(entry, "cell", place)


def _cell(entry: Mapping[str, Any], key: str, place: str) -> Cell:
    return _as_cell(entry.get(key), f"{place}.{key}")


def _as_cell(value: Json, place: str) -> Cell:
    if not isinstance(value, list) or len(value) != 2 or not all(_is_whole(n) for n in value):
        raise RecordError(place, f"a cell is two whole numbers, not {_shown(value)}")
    return (value[0], value[1])


def _check_format(table: Mapping[str, Any], wanted: str) -> None:
    if table.get("format", wanted) != wanted:
        raise RecordError("format", f"is {_shown(table['format'])}, but {wanted!r} is read here")
    if table.get("version", VERSION) != VERSION:
        raise RecordError(
            "version", f"is {_shown(table['version'])}, but this program reads version {VERSION}"
        )


def _object(value: Json, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RecordError(place, f"must be an object, but is {_shown(value)}")
    return value


def _list(value: Json, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise RecordError(place, f"must be a list, but is {_shown(value)}")
    return value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Json) -> str:
    """Return a value as a short text for a message."""
    if value is None:
        return "missing"
    text = json.dumps(value) if not isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
