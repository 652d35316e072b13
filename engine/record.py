"""Reads and writes records and table states as JSON; errors name the place of the mistake.

What a player could do on a table is judged by the rules, even if it is a foul. What no table could
hold (an unknown tile, a cell that is not a whole number, a wrong shape) is a ``RecordError``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.errors import RecordError, SetError
from engine.game import AnyGame, Json, Move, Start
from engine.games import game_named
from engine.given import (
    MISSING,
    a_cell,
    a_list,
    a_name,
    an_object,
    inside,
    is_whole,
    meant,
    refuse_unknown,
    shown,
)
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
MOST_CELLS_OF_A_TILE = 100

RECORD_KEYS = (
    "format",
    "version",
    "game",
    "set",
    "players",
    "options",
    "setup",
    "next",
    "moves",
)
TABLE_KEYS = (
    "format",
    "version",
    "file",
    "size",
    "game",
    "set",
    "tiles",
    "unsure",
    "aside",
    "clay",
    "splits",
    "quality",
)
LYING_KEYS = (
    "tile",
    "at",
    "turns",
    "cells",
    "board",
    "field",
    "confidence",
    "outline",
    "guesses",
    "why",
)
"""Keys of a tile in a table state; the rules use only the tile, its place and its turns."""
CLAY_KEYS = ("board", "cell", "kind", "opens", "confidence", "centre")
CARD_KEYS = ("tile", "at", "turns")
PIECE_KEYS = ("tile", "cells")
MOVE_KEYS = {"turn": ("at", "turns"), "roll": ("value", "tiles"), "discard": ("tile",)}
"""Keys besides ``player`` and ``do`` of the moves that lay no tile."""


@dataclass(frozen=True, slots=True)
class Record:
    """A written game: the rule book, the box, the start and the moves."""

    game: AnyGame
    tile_set: TileSet
    start: Start
    moves: tuple[Move, ...] = ()
    hand: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Carnival: the tiles in hand after the last move, by player, for the hands that are told."""


def parse_record(data: Json, set_folders: Iterable[Path] = ()) -> Record:
    """Return the record that a JSON value describes.

    Raises:
        RecordError: the value is not a record; the error names the place and the problem.
    """
    table = an_object(data, "")
    _check_format(table, RECORD_FORMAT)
    game = game_named(table.get("game", MISSING))
    hidden = ("hand",) if game.facts.hidden else ()
    refuse_unknown(table, (*RECORD_KEYS, *game.facts.counts, *hidden), "")
    if table.get("set", "") is None:
        raise RecordError("set", "must be the name of a set, but is null")
    tile_set = find_set(game, table.get("set"), set_folders)
    players = parse_players(game, table.get("players", MISSING))
    options = parse_options(game, table.get("options", {}))
    start = _parse_start(game, tile_set, players, options, table)
    hand = _parse_hand(tile_set, players, table.get("hand", {}))
    listed = a_list(table.get("moves", []), "moves", MOST_MOVES)
    moves = tuple(
        parse_move(game, tile_set, players, entry, f"moves[{i}]") for i, entry in enumerate(listed)
    )
    return Record(game, tile_set, start, moves, hand)


def find_set(game: AnyGame, name: Json, folders: Iterable[Path] = ()) -> TileSet:
    """Return the box of a name; without a name, the game's own box."""
    if name is None:
        name = game.facts.name
    if not isinstance(name, str):
        raise RecordError("set", f"must be the name of a set, but is {shown(name)}")
    try:
        tile_set = load_set(name, folders)
    except SetError as error:
        raise RecordError("set", str(error)) from None
    if tile_set.game != game.facts.name:
        raise RecordError(
            "set", f"{name!r} is a set for {tile_set.game}, not for {game.facts.name}"
        )
    return tile_set


def parse_players(game: AnyGame, value: Json, place: str = "players") -> tuple[str, ...]:
    """Return the players in turn order."""
    facts = game.facts
    names = a_list(value, place)
    fewest, most = facts.fewest_players, facts.most_players
    if not fewest <= len(names) <= most:
        wanted = str(most) if fewest == most else f"{fewest} to {most}"
        raise RecordError(
            place,
            f"{facts.name} is for {wanted} players, but the number of names is {len(names)}",
        )
    for i, name in enumerate(names):
        a_name(name, f"{place}[{i}]")
        if facts.player_names is not None and name not in facts.player_names:
            known = ", ".join(facts.player_names)
            raise RecordError(f"{place}[{i}]", f"{shown(name)} is not one of {known}")
    if len(set(names)) != len(names):
        raise RecordError(place, "a player is named twice")
    return tuple(names)


def parse_options(game: AnyGame, value: Json, place: str = "options") -> dict[str, Json]:
    """Return the options that were given, in normal form."""
    given = an_object(value, place)
    known = {option.name: option for option in game.facts.options}
    options = {}
    for name, choice in given.items():
        if name not in known:
            raise RecordError(
                inside(place, name), f"{game.facts.name} has no such option{meant(name, known)}"
            )
        try:
            options[name] = known[name].parse(choice)
        except ValueError as error:
            raise RecordError(inside(place, name), str(error)) from None
    return options


def parse_move(
    game: AnyGame, tile_set: TileSet, players: tuple[str, ...], value: Json, place: str
) -> Move:
    """Return one move of a record."""
    entry = an_object(value, place)
    player = entry.get("player", MISSING)
    if not isinstance(player, str) or player not in players:
        raise RecordError(f"{place}.player", f"{shown(player)} is not one of {', '.join(players)}")
    do = entry.get("do", MISSING)
    if do not in game.facts.actions:
        allowed = ", ".join(game.facts.actions)
        raise RecordError(f"{place}.do", f"{shown(do)} is not one of {allowed}")
    lays = do in ("place", "replace")
    pieces = tile_set.lattice == "hex"
    keys = (*(PIECE_KEYS if pieces else CARD_KEYS), *game.facts.move_keys)
    refuse_unknown(entry, ("player", "do", *(keys if lays else MOVE_KEYS.get(do, ()))), place)
    if lays:
        parse = _parse_piece_move if pieces else _parse_card_move
        return parse(game, tile_set, players, entry, place)
    if do == "turn":
        return Move(player, do, at=_cell(entry, "at", place), turns=_turns(entry, place))
    if do == "roll":
        return _parse_roll(tile_set, entry, place)
    if do == "discard":
        return Move(player, do, tile=_tile(tile_set, entry, place))
    return Move(player, do)


def parse_table(
    game: AnyGame, tile_set: TileSet, data: Json, place: str = "", more: tuple[str, ...] = ()
) -> tuple[Layout, Mapping[str, Any]]:
    """Return the layout of a table state, and its JSON object; all keys are optional.

    Args:
        game: the rule book.
        tile_set: the box.
        data: the table state.
        place: the place of the table state in the whole document, for error messages.
        more: extra keys that the table state may have.

    Raises:
        RecordError: the value is not a table state; the error names the place and the problem.
    """
    table = an_object(data, place)
    _check_format(table, TABLE_FORMAT, place)
    refuse_unknown(table, (*TABLE_KEYS, *more), place)
    for key, wanted in (("game", game.facts.name), ("set", tile_set.name)):
        # A camera that does not know the game writes null.
        if table.get(key) not in (None, wanted):
            problem = f"is {shown(table[key])}, but should be {wanted}"
            raise RecordError(inside(place, key), problem)
    _check_what_was_seen(table, place)
    layout = _parse_tiles(tile_set, table.get("tiles", []), inside(place, "tiles"))
    clay = _parse_clay(table.get("clay", []), inside(place, "clay"))
    return Layout(layout.cards, layout.pieces, frozenset(clay)), table


def parse_counts(value: Json, place: str) -> dict[str, int]:
    """Return a mapping of names to whole numbers >= 0, such as tokens by player."""
    counts = an_object(value, place)
    for name, number in counts.items():
        if not is_whole(number) or not 0 <= number <= MOST_TILES:
            raise RecordError(
                inside(place, name), f"must be a whole number from 0, but is {shown(number)}"
            )
    return dict(counts)


def move_to_json(move: Move) -> dict[str, Json]:
    """Return a move as JSON in the form of records, its keys in a stable order."""
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
    """Return the ``tiles`` of a table state and, if there is any, its ``clay``."""
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
    data |= {
        key: dict(counts)
        for key, counts in (("tokens", start.tokens), ("out", start.out))
        if counts
    }
    if record.hand:
        data["hand"] = {player: list(tiles) for player, tiles in record.hand.items()}
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
        for key in game.facts.counts:
            if key in setup:
                raise RecordError(f"setup.{key}", f"write {key} next to setup, not inside it")
        layout, _ = parse_table(game, tile_set, setup, "setup")
    else:
        layout = _parse_tiles(tile_set, setup, "setup")
    first = table.get("next")
    if "next" in table and (not isinstance(first, str) or first not in players):
        raise RecordError("next", f"{shown(first)} is not one of {', '.join(players)}")
    tokens = parse_counts(table.get("tokens", {}), "tokens")
    out = parse_counts(table.get("out", {}), "out")
    return Start(players, options, layout, first, midgame, tokens, out)


def _parse_hand(
    tile_set: TileSet, players: tuple[str, ...], value: Json
) -> Mapping[str, tuple[str, ...]]:
    """Return the tiles in hand that a record tells; the player uses them, the referee does not."""
    hands = {}
    for player, tiles in an_object(value, "hand").items():
        if player not in players:
            raise RecordError(inside("hand", player), f"is not one of {', '.join(players)}")
        place = f"hand.{player}"
        hands[player] = tuple(
            _known_tile(tile_set, tile, f"{place}[{i}]")
            for i, tile in enumerate(a_list(tiles, place, MOST_TILES))
        )
    return MappingProxyType(hands)


def _parse_card_move(
    game: AnyGame,
    tile_set: TileSet,
    players: tuple[str, ...],
    entry: Mapping[str, Any],
    place: str,
) -> Move:
    tile = _tile(tile_set, entry, place)
    snake = entry.get("snake")
    if "snake" in entry and (not isinstance(snake, str) or snake not in _snakes(game, players)):
        raise RecordError(f"{place}.snake", f"there is no snake called {shown(snake)}")
    declares = entry.get("declares")
    if "declares" in entry and declares != "no-own-tile":
        raise RecordError(f"{place}.declares", 'must be "no-own-tile" or left out')
    return Move(
        entry["player"],
        entry["do"],
        tile,
        at=_cell(entry, "at", place),
        turns=_card_turns(tile_set, tile, entry, place),
        snake=snake,
        declares=declares,
    )


def _snakes(game: AnyGame, players: tuple[str, ...]) -> tuple[str, ...]:
    return game.facts.player_names or players


def _parse_piece_move(
    game: AnyGame,
    tile_set: TileSet,
    players: tuple[str, ...],
    entry: Mapping[str, Any],
    place: str,
) -> Move:
    player, shape = entry["player"], entry.get("tile", MISSING)
    coloured = f"{player}/{shape}" if isinstance(shape, str) else shape
    tile = _known_tile(tile_set, coloured, f"{place}.tile")
    cells = _piece_cells(tile_set, tile, entry, place)
    boards = "board" in game.facts.move_keys
    board = _board(entry.get("board", MISSING), len(players), f"{place}.board") if boards else None
    ends = [
        _board_cell(entry[key], len(players), f"{place}.{key}") if key in entry else None
        for key in ("from", "to")
    ]
    return Move(player, entry["do"], shape, cells=cells, board=board, origin=ends[0], to=ends[1])


def _parse_roll(tile_set: TileSet, entry: Mapping[str, Any], place: str) -> Move:
    value = entry.get("value", MISSING)
    if not is_whole(value) or value not in (1, 2, 3):
        raise RecordError(f"{place}.value", f"the die shows 1, 2 or 3, not {shown(value)}")
    drawn = None
    if "tiles" in entry:
        here = f"{place}.tiles"
        drawn = tuple(
            _known_tile(tile_set, tile, f"{here}[{i}]")
            for i, tile in enumerate(a_list(entry["tiles"], here, MOST_TILES))
        )
    return Move(entry["player"], "roll", value=value, tiles=drawn)


def _check_what_was_seen(table: Mapping[str, Any], place: str) -> None:
    """Check the keys of what a camera reports besides the layout; the rules ignore the values."""
    for part in ("unsure", "aside"):
        here = inside(place, part)
        for i, entry in enumerate(a_list(table.get(part, []), here, MOST_TILES)):
            an_object(entry, f"{here}[{i}]", LYING_KEYS)
    here = inside(place, "splits")
    for i, entry in enumerate(a_list(table.get("splits", []), here, MOST_TILES)):
        an_object(entry, f"{here}[{i}]", ("board", "cells", "ways"))
    here = inside(place, "quality")
    advice = an_object(table.get("quality", {}), here, ("ok", "advice")).get("advice", [])
    for i, entry in enumerate(a_list(advice, f"{here}.advice", MOST_TILES)):
        an_object(entry, f"{here}.advice[{i}]", ("what", "text", "box", "looks_like"))


def _parse_tiles(tile_set: TileSet, value: Json, place: str) -> Layout:
    listed = a_list(value, place, MOST_TILES)
    parse = _parse_piece if tile_set.lattice == "hex" else _parse_card
    placements = [parse(tile_set, entry, f"{place}[{i}]") for i, entry in enumerate(listed)]
    taken: dict[tuple[int | None, Cell], int] = {}
    for i, placed in enumerate(placements):
        for where in _covered(tile_set, placed):
            if where in taken:
                raise RecordError(
                    f"{place}[{i}]",
                    f"lies on cell {list(where[1])}, where {place}[{taken[where]}] lies too",
                )
            taken[where] = i
    return Layout.of(*placements)


def _covered(tile_set: TileSet, placed: Placement | Piece) -> Iterable[tuple[int | None, Cell]]:
    if isinstance(placed, Piece):
        return [(placed.board, cell) for cell in placed.cells]
    # A card of several cells is not turned: the camera reports it with turns 0.
    x, y = placed.at
    return [(placed.field, (x + dx, y + dy)) for dx, dy in tile_set[placed.tile].cells]


def _parse_card(tile_set: TileSet, value: Json, place: str) -> Placement:
    entry = an_object(value, place, LYING_KEYS)
    tile = _tile(tile_set, entry, place)
    field: Any = entry.get("field")
    if "field" in entry and (not is_whole(field) or not 0 <= field <= 3):
        raise RecordError(f"{place}.field", f"must be a whole number, 0 to 3, not {shown(field)}")
    return Placement(
        tile, _cell(entry, "at", place), _card_turns(tile_set, tile, entry, place), field
    )


def _parse_piece(tile_set: TileSet, value: Json, place: str) -> Piece:
    entry = an_object(value, place, LYING_KEYS)
    tile = _tile(tile_set, entry, place)
    board = _board(entry["board"], 5, f"{place}.board") if "board" in entry else None
    return Piece(tile, _piece_cells(tile_set, tile, entry, place), board)


def _parse_clay(value: Json, place: str) -> Iterable[Clay]:
    for i, item in enumerate(a_list(value, place, MOST_TILES)):
        here = f"{place}[{i}]"
        entry = an_object(item, here, CLAY_KEYS)
        kind, opens = entry.get("kind", MISSING), entry.get("opens")
        if kind not in ("open", "closed"):
            raise RecordError(f"{here}.kind", f'must be "open" or "closed", not {shown(kind)}')
        if "opens" in entry and opens not in HEX_SIDE_NAMES:
            raise RecordError(
                f"{here}.opens", f"{shown(opens)} is not one of {', '.join(HEX_SIDE_NAMES)}"
            )
        yield Clay(
            _board(entry.get("board", 0), 5, f"{here}.board"),
            _cell(entry, "cell", here),
            kind,
            opens,
        )


def _piece_cells(
    tile_set: TileSet, tile: str, entry: Mapping[str, Any], place: str
) -> tuple[Cell, ...]:
    here = f"{place}.cells"
    listed = a_list(entry.get("cells", MISSING), here, MOST_CELLS_OF_A_TILE)
    cells = tuple(sorted(a_cell(cell, f"{here}[{i}]") for i, cell in enumerate(listed)))
    path = tile_set[tile].path or "1"
    if len(cells) != len(path_shape(path)) or free_shape(cells) != path_shape(path):
        raise RecordError(here, f"these cells do not have the shape of {tile}")
    return cells


def _card_turns(tile_set: TileSet, tile: str, entry: Mapping[str, Any], place: str) -> int:
    period = tile_set[tile].period
    if period == 1 and "turns" not in entry:
        return 0
    return _turns(entry, place) % period


def _turns(entry: Mapping[str, Any], place: str) -> int:
    value = entry.get("turns", MISSING)
    if not is_whole(value) or not 0 <= value <= 3:
        raise RecordError(f"{place}.turns", f"must be 0, 1, 2 or 3, not {shown(value)}")
    return int(value)


def _tile(tile_set: TileSet, entry: Mapping[str, Any], place: str) -> str:
    return _known_tile(tile_set, entry.get("tile", MISSING), f"{place}.tile")


def _known_tile(tile_set: TileSet, value: Json, place: str) -> str:
    if value is MISSING:
        raise RecordError(place, "is missing")
    if not isinstance(value, str) or value not in tile_set:
        raise RecordError(place, f"there is no tile {shown(value)} in the set {tile_set.name}")
    return value


def _board(value: Json, boards: int, place: str) -> int:
    if not is_whole(value) or not 0 <= value < boards:
        raise RecordError(
            place,
            f"there is no board {shown(value)}; boards are written 0 to {boards - 1}",
        )
    return int(value)


def _board_cell(value: Json, boards: int, place: str) -> tuple[int, Cell]:
    entry = an_object(value, place, ("board", "cell"))
    board = _board(entry.get("board", MISSING), boards, f"{place}.board")
    return board, _cell(entry, "cell", place)


def _cell(entry: Mapping[str, Any], key: str, place: str) -> Cell:
    return a_cell(entry.get(key, MISSING), f"{place}.{key}")


def _check_format(table: Mapping[str, Any], wanted: str, place: str = "") -> None:
    if table.get("format", wanted) != wanted:
        problem = f"is {shown(table['format'])}, but should be {wanted!r}"
        raise RecordError(inside(place, "format"), problem)
    version = table.get("version", VERSION)
    if not is_whole(version) or version != VERSION:
        problem = f"is {shown(version)}, but this program reads version {VERSION}"
        raise RecordError(inside(place, "version"), problem)
