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
    entries,
    inside,
    is_whole,
    meant,
    one_of,
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

HEAD = ("format", "version", "game", "set")
RECORD_KEYS = (*HEAD, "players", "options", "setup", "next", "moves")
TABLE_KEYS = (*HEAD, "file", "size", "tiles", "unsure", "aside", "clay", "splits", "quality")
SEEN_KEYS = ("confidence", "outline", "guesses", "why")
"""What a camera adds to a tile; the rules use only the tile, its place and its turns."""
LYING = {"square": ("tile", "field", "at", "turns"), "hex": ("tile", "board", "cells")}
LYING_KEYS = (*dict.fromkeys((*LYING["square"], *LYING["hex"])), *SEEN_KEYS)
CLAY = ("kind", "opens", "board", "cell")
CLAY_KEYS = (*CLAY, "confidence", "centre")
LAID: Mapping[str, tuple[str, ...]] = {
    "square": ("tile", "snake", "declares", "at", "turns"),
    "hex": ("tile", "cells", "board", "from", "to"),
}
"""By lattice: the keys of a move that lays a tile, besides ``player`` and ``do``."""
OF_MOVE = {"turn": ("at", "turns"), "roll": ("value", "tiles"), "discard": ("tile",)}
"""Those of the moves that lay none."""
OWN_NAMES = ("snake", "declares", "board", "from", "to")
"""Keys that a move may have only where its game's facts name them."""
MAY_LACK = frozenset({"field", "opens", "snake", "declares", "from", "to", "tiles"})
WITHOUT_BOARD = MAY_LACK | {"board"}
"""What a tile on the table and clay may lack: a game on one board has no number for it."""
WRITTEN = ("tile", "at", "turns", "cells", "board", "from", "to", "snake", "value", "tiles")


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
    listed = entries(table.get("moves", []), "moves", MOST_MOVES)
    moves = tuple(parse_move(game, tile_set, players, entry, here) for entry, here in listed)
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
    for name, here in entries(names, place):
        a_name(name, here)
        if facts.player_names is not None:
            one_of(facts.player_names, name, here)
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
    entry, facts = an_object(value, place), game.facts
    player = one_of(players, entry.get("player", MISSING), f"{place}.player")
    do = one_of(facts.actions, entry.get("do", MISSING), f"{place}.do")
    keys = OF_MOVE.get(do, ())
    if do in ("place", "replace"):
        laid = LAID[tile_set.lattice]
        keys = tuple(key for key in laid if key not in OWN_NAMES or key in facts.move_keys)
    refuse_unknown(entry, ("player", "do", *keys), place)
    colour = player if tile_set.lattice == "hex" else ""
    reader = _Reader(tile_set, len(players), facts.player_names or players, colour)
    told = reader.read(entry, place, keys)
    if colour and "tile" in told:
        told["tile"] = entry["tile"]
    return Move(player, do, **told)


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
    clay = _parse_clay(tile_set, table.get("clay", []), inside(place, "clay"))
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
    for key in (*WRITTEN, "declares"):
        value = getattr(move, "origin" if key == "from" else key)
        if value is not None:
            spot = key in ("from", "to")
            entry[key] = {"board": value[0], "cell": list(value[1])} if spot else _listed(value)
    return entry


def layout_to_json(layout: Layout) -> dict[str, Json]:
    """Return the ``tiles`` of a table state and, if there is any, its ``clay``."""
    tiles: list[Json] = []
    clay: list[Json] = []
    for placed in layout.placements():
        told = {key: _listed(getattr(placed, key)) for key in placed.__slots__}
        kept = {key: value for key, value in told.items() if value is not None}
        (clay if isinstance(placed, Clay) else tiles).append(kept)
    return {"tiles": tiles} | ({"clay": clay} if clay else {})


def _listed(value: Any) -> Json:
    return [_listed(one) for one in value] if isinstance(value, tuple) else value


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
    first = one_of(players, table["next"], "next") if "next" in table else None
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
        hands[player] = _Reader(tile_set).tiles(tiles, f"hand.{player}", {})
    return MappingProxyType(hands)


def _check_what_was_seen(table: Mapping[str, Any], place: str) -> None:
    """Check the keys of what a camera reports besides the layout; the rules ignore the values."""
    here = inside(place, "quality")
    quality = an_object(table.get("quality", {}), here, ("ok", "advice"))
    for part, value, keys in (
        (inside(place, "unsure"), table.get("unsure", []), LYING_KEYS),
        (inside(place, "aside"), table.get("aside", []), LYING_KEYS),
        (inside(place, "splits"), table.get("splits", []), ("board", "cells", "ways")),
        (f"{here}.advice", quality.get("advice", []), ("what", "text", "box", "looks_like")),
    ):
        for entry, at in entries(value, part, MOST_TILES):
            an_object(entry, at, keys)


def _parse_tiles(tile_set: TileSet, value: Json, place: str) -> Layout:
    kind = Piece if tile_set.lattice == "hex" else Placement
    reader, placements = _Reader(tile_set), []
    taken: dict[tuple[int | None, Cell], str] = {}
    for entry, here in entries(value, place, MOST_TILES):
        keys = LYING[tile_set.lattice]
        told = reader.read(an_object(entry, here, LYING_KEYS), here, keys, WITHOUT_BOARD)
        placed: Placement | Piece = kind(**told)
        placements.append((placed, here))
    for placed, here in placements:
        for where in _covered(tile_set, placed):
            if where in taken:
                problem = f"lies on cell {list(where[1])}, where {taken[where]} lies too"
                raise RecordError(here, problem)
            taken[where] = here
    return Layout.of(*(placed for placed, _ in placements))


def _covered(tile_set: TileSet, placed: Placement | Piece) -> Iterable[tuple[int | None, Cell]]:
    if isinstance(placed, Piece):
        return [(placed.board, cell) for cell in placed.cells]
    # A card of several cells is not turned: the camera reports it with turns 0.
    x, y = placed.at
    return [(placed.field, (x + dx, y + dy)) for dx, dy in tile_set[placed.tile].cells]


def _parse_clay(tile_set: TileSet, value: Json, place: str) -> Iterable[Clay]:
    for entry, here in entries(value, place, MOST_TILES):
        whole = an_object(entry, here, CLAY_KEYS)
        yield Clay(**{"board": 0} | _Reader(tile_set).read(whole, here, CLAY, WITHOUT_BOARD))


def _check_format(table: Mapping[str, Any], wanted: str, place: str = "") -> None:
    if table.get("format", wanted) != wanted:
        problem = f"is {shown(table['format'])}, but should be {wanted!r}"
        raise RecordError(inside(place, "format"), problem)
    version = table.get("version", VERSION)
    if not is_whole(version) or version != VERSION:
        problem = f"is {shown(version)}, but this program reads version {VERSION}"
        raise RecordError(inside(place, "version"), problem)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the values of tiles and moves: a method for each key, by the value and its place."""

    box: TileSet
    boards: int = 5
    snakes: tuple[str, ...] = ()
    """The names of snakes."""
    colour: str = ""
    """The player's, where a move names its tile without it."""

    def read(
        self,
        entry: Mapping[str, Any],
        place: str,
        keys: Iterable[str],
        may_lack: frozenset[str] = MAY_LACK,
    ) -> dict[str, Any]:
        """Return the fields that an entry tells; each may look at those before it."""
        told: dict[str, Any] = {}
        for key in keys:
            if key in entry or key not in may_lack:
                name = "origin" if key == "from" else key
                value = entry.get(key, MISSING)
                told[name] = getattr(self, name)(value, f"{place}.{key}", told)
        return told

    def tile(self, value: Json, place: str, _: Mapping[str, Any]) -> str:
        if value is MISSING:
            raise RecordError(place, "is missing")
        name = f"{self.colour}/{value}" if self.colour and isinstance(value, str) else value
        if not isinstance(name, str) or name not in self.box:
            raise RecordError(place, f"there is no tile {shown(name)} in the set {self.box.name}")
        return name

    def tiles(self, value: Json, place: str, _: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(self.tile(one, here, {}) for one, here in entries(value, place, MOST_TILES))

    def at(self, value: Json, place: str, _: Mapping[str, Any]) -> Cell:
        return a_cell(value, place)

    cell = at

    def turns(self, value: Json, place: str, told: Mapping[str, Any]) -> int:
        period = self.box[told["tile"]].period if "tile" in told else 4
        if value is MISSING and period == 1:
            return 0
        if not is_whole(value) or not 0 <= value <= 3:
            raise RecordError(place, f"must be 0, 1, 2 or 3, not {shown(value)}")
        return int(value) % period

    def field(self, value: Json, place: str, _: Mapping[str, Any]) -> int:
        if not is_whole(value) or not 0 <= value <= 3:
            raise RecordError(place, f"must be a whole number, 0 to 3, not {shown(value)}")
        return int(value)

    def cells(self, value: Json, place: str, told: Mapping[str, Any]) -> tuple[Cell, ...]:
        listed = entries(value, place, MOST_CELLS_OF_A_TILE)
        cells = tuple(sorted(a_cell(cell, here) for cell, here in listed))
        path = self.box[told["tile"]].path or "1"
        if len(cells) != len(path_shape(path)) or free_shape(cells) != path_shape(path):
            raise RecordError(place, f"these cells do not have the shape of {told['tile']}")
        return cells

    def board(self, value: Json, place: str, _: Mapping[str, Any]) -> int:
        if not is_whole(value) or not 0 <= value < self.boards:
            there_are = f"boards are written 0 to {self.boards - 1}"
            raise RecordError(place, f"there is no board {shown(value)}; {there_are}")
        return int(value)

    def origin(self, value: Json, place: str, _: Mapping[str, Any]) -> tuple[int, Cell]:
        spot = ("board", "cell")
        told = self.read(an_object(value, place, spot), place, spot)
        return told["board"], told["cell"]

    to = origin

    def snake(self, value: Json, place: str, _: Mapping[str, Any]) -> str:
        if not isinstance(value, str) or value not in self.snakes:
            raise RecordError(place, f"there is no snake called {shown(value)}")
        return value

    def declares(self, value: Json, place: str, _: Mapping[str, Any]) -> str:
        if value != "no-own-tile":
            raise RecordError(place, 'must be "no-own-tile" or left out')
        return "no-own-tile"

    def value(self, value: Json, place: str, _: Mapping[str, Any]) -> int:
        if not is_whole(value) or value not in (1, 2, 3):
            raise RecordError(place, f"the die shows 1, 2 or 3, not {shown(value)}")
        return int(value)

    def kind(self, value: Json, place: str, _: Mapping[str, Any]) -> str:
        if value not in ("open", "closed"):
            raise RecordError(place, f'must be "open" or "closed", not {shown(value)}')
        return str(value)

    def opens(self, value: Json, place: str, _: Mapping[str, Any]) -> str:
        return one_of(HEX_SIDE_NAMES, value, place)
