"""Reads ``engine/sets/*.toml`` and owners' own set files; errors name the line of the mistake.

A set file says what is in a box. ``engine/sets/README.md`` describes the format for owners.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.errors import SetError
from engine.given import hides, is_whole, meant, shown
from engine.given_toml import TomlError, load_toml
from engine.hexpath import is_path, path_cells
from engine.lattice import EDGE_NAMES, Cell
from engine.setroles import box_mistake, lattice_mistake, tile_mistake
from engine.tiles import GREY, Exit, Strand, TileKind, TileSet

BUILT_IN_FOLDER = Path(__file__).parent / "sets"
FORMAT = 1
LARGEST_FILE_BYTES = 1 << 20
MOST_OF_ONE_TILE = 1000
LONGEST_TEXT = 80
MOST_REMEMBERED = 32
"""The number of sets that are remembered."""
LONGEST_SIDE = 20
"""The largest side of a board and coordinate of a tile's cell, in cells."""
SAFE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
TILE_NAME = re.compile(r"[a-z0-9+-]+(/[a-z0-9+-]+)*")
EXTRAS = frozenset({"board", "clay", "house", "diamond_points", "gift_points"})
"""Keys that only one game needs."""
NAMED = frozenset({"name", "colours", "note"})
TOP_KEYS = EXTRAS | NAMED | {"format", "game", "lattice", "pitch_mm", "tile", "title"}
PARTS: Mapping[str, set[str]] = {"board": {"side", "eyes"}, "clay": {"open", "closed"}}
TILE_KEYS = NAMED | {"count", "strands", "path", "cells", "exits", "role", "points"}
_refused: dict[tuple[Path, tuple[int, ...]], str] = {}
"""What was wrong with a file, by its place and stamp."""


def built_in_names() -> tuple[str, ...]:
    """Return the names of the sets that come with the program."""
    return tuple(sorted(path.stem for path in BUILT_IN_FOLDER.glob("*.toml")))


@cache
def built_in_set(name: str) -> TileSet:
    """Return the built-in box of that name; cached."""
    return load_set(name, ())


def load_set(name: str, folders: Iterable[Path]) -> TileSet:
    """Return the set of that name from the first folder that has it, else the built-in one.

    Raises:
        SetError: there is no such set, its file has a mistake, or gives it another name.
    """
    if not SAFE_NAME.fullmatch(name):
        raise SetError(
            f"{shown(name)} is not a valid name for a set; use small letters, digits, - and _"
        )
    for folder in (*folders, BUILT_IN_FOLDER):
        path = folder / f"{name}.toml"
        if path.is_file():
            found = read_set_file(path)
            if found.name != name:
                problem = (
                    f"is {shown(found.name)}, but must be as the file is called, {shown(name)}"
                )
                raise SetError(f"{path.name}: name: {problem}")
            return found
    known = ", ".join(built_in_names())
    raise SetError(f"there is no set called {name!r}; the built-in ones are {known}")


def read_set_file(path: Path) -> TileSet:
    """Return the set that a file describes; a file that was refused is read again once it changes.

    Raises:
        SetError: the file cannot be read, or has a mistake.
    """
    try:
        version = (path, file_stamp(path))
        if version in _refused:
            raise SetError(_refused[version])
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise SetError(f"{path.name} cannot be read: {error.strerror}") from error
    try:
        return _described(path, data)
    except SetError as error:
        if len(_refused) >= MOST_REMEMBERED:
            _refused.clear()
        _refused[version] = str(error)
        raise


def file_stamp(path: Path) -> tuple[int, ...]:
    """Return what changes whenever a file does: its time, its size and which file it is.

    Raises:
        OSError: there is no such file.
    """
    facts = path.stat()
    return facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino


def _described(path: Path, data: bytes) -> TileSet:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SetError(
            f"{path.name}, line {line}: this is not UTF-8 text; save it as UTF-8"
        ) from None
    if len(data) > LARGEST_FILE_BYTES:
        raise SetError(
            f"{path.name} is too large for a set file: more than {LARGEST_FILE_BYTES >> 10} KB"
        )
    return parse_set(text, path.name)


@lru_cache(maxsize=MOST_REMEMBERED)
def parse_set(text: str, file_name: str) -> TileSet:
    """Return the set that the text of a set file describes; the same object for the same text.

    Cards are remembered by the identity of their kinds, so a set must not be made anew each time.
    """
    try:
        data = load_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise SetError(f"{file_name}{_said_of(error, text)}") from error
    except TomlError as error:
        raise SetError(f"{file_name}, {error}" if error.line else f"{file_name}: {error}") from None
    return _Reader(file_name, text, data).tile_set()


def _said_of(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Return the syntax error of a file; a repeated key is named."""
    line = re.search(r"overwrite a value \(at line (\d+)", str(error))
    key = line and re.match(r"\s*([^\s=]+)\s*=", text.splitlines()[int(line[1]) - 1])
    return f", line {line[1]}: {key[1]}: is given twice" if line and key else f": {error}"


class _Reader:
    """Turns parsed TOML into a tile set; finds the line of a key for error messages."""

    def __init__(self, file_name: str, text: str, data: Mapping[str, Any]) -> None:
        self._file = file_name
        self._data = data
        self._lines = text.splitlines()

    def tile_set(self) -> TileSet:
        data = self._data
        game = data.get("game")
        self._no_strangers(data, TOP_KEYS, None)
        for part, known in PARTS.items():
            block = data.get(part, {})
            self._check(isinstance(block, dict), part, f"must be a block that begins with [{part}]")
            self._no_strangers(block, known, None)
        self._whole(data.get("board", {}), "side", None, 6, 2, LONGEST_SIDE)
        eyes = data.get("board", {}).get("eyes", [[0, 0], [0, 0]])
        has_two = _is_list_of_cells(eyes) and len(eyes) == 2
        self._check(has_two, "eyes", "must be two cells like [[-1, -2], [3, -2]]")
        for kind in data.get("clay", {}):
            self._whole(data["clay"], kind, None)
        self._check(data.get("format") == FORMAT, "format", f"must be {FORMAT}")
        lattice = data.get("lattice")
        if lattice not in ("square", "hex"):
            raise self._error(None, "lattice", 'must be "square" or "hex"')
        self._refuse(None, lattice_mistake(game, lattice))
        pitch = data.get("pitch_mm", 45)
        is_right = _is_number(pitch) and 5 <= pitch <= 500
        self._check(is_right, "pitch_mm", "must be a number of millimetres from 5 to 500")
        colours = self._colours()
        kinds = {kind.name: kind for kind in self._kinds(lattice, colours)}
        self._check(bool(kinds), "tile", "a box needs at least one [[tile]]")
        self._refuse(None, box_mistake(game, colours, kinds.values(), data))
        return TileSet(
            self._text(data, "name", None),
            self._text(data, "game", None),
            lattice,
            colours,
            MappingProxyType(kinds),
            float(pitch),
            MappingProxyType({key: value for key, value in data.items() if key in EXTRAS}),
            self._text(data, "title", None, str(data["name"]).replace("-", " ").capitalize()),
        )

    def _colours(self) -> tuple[str, ...]:
        colours = self._data.get("colours", [])
        is_right = _is_list_of(colours, str) and len(set(colours)) == len(colours)
        self._check(is_right, "colours", "must be a list of different names")
        self._check(GREY not in colours, "colours", f"{GREY} cannot be a player's colour")
        return tuple(colours)

    def _kinds(self, lattice: str, colours: tuple[str, ...]) -> Iterator[TileKind]:
        tiles = self._data.get("tile", [])
        is_right = _is_list_of(tiles, dict)
        self._check(is_right, "tile", "each tile must be a block that begins with [[tile]]")
        seen: set[str] = set()
        for number, tile in enumerate(tiles):
            for kind in self._kinds_of(tile, number, lattice, colours):
                self._refuse(number, tile_mistake(self._data.get("game"), kind))
                twice = f"there are two tiles called {kind.name}"
                self._check(kind.name not in seen, "name", twice, number)
                seen.add(kind.name)
                yield kind

    def _kinds_of(
        self, tile: Mapping[str, Any], number: int, lattice: str, colours: tuple[str, ...]
    ) -> Iterator[TileKind]:
        self._no_strangers(tile, TILE_KEYS, number)
        shape = self._text(tile, "name", number)
        is_right = bool(TILE_NAME.fullmatch(shape))
        self._check(is_right, "name", f"{shape!r} is not a valid name for a tile", number)
        count = self._whole(tile, "count", number, 1)
        points = tile.get("points", 0)
        is_right = is_whole(points) and abs(points) <= MOST_OF_ONE_TILE
        self._check(is_right, "points", "must be a whole number", number)
        for colour in self._tile_colours(tile, number, colours):
            strands = self._strands(tile, number, colour)
            yield TileKind(
                f"{colour}/{shape}" if colour else shape,
                shape,
                colour,
                count,
                strands,
                self._cells(tile, number, lattice),
                self._exits(tile, number),
                self._text(tile, "role", number, ""),
                points,
                _period(strands, tile),
                tile.get("path"),
            )

    def _tile_colours(
        self, tile: Mapping[str, Any], number: int, colours: tuple[str, ...]
    ) -> Sequence[str | None]:
        own = tile.get("colours")
        if own is None:
            return (None,)
        if own == "each":
            return colours
        is_right = _is_list_of(own, str) and set(own) <= set(colours)
        some = f'must be "each" or some of {", ".join(colours) or "no colours"}'
        self._check(is_right, "colours", some, number)
        return tuple(own)

    def _strands(
        self, tile: Mapping[str, Any], number: int, colour: str | None
    ) -> tuple[Strand, ...]:
        listed = tile.get("strands", [])
        is_right = _is_list_of(listed, dict)
        self._check(is_right, "strands", 'must be a list like [{edges = "WE"}]', number)
        strands = tuple(self._strand(strand, number, colour) for strand in listed)
        edges = [edge for strand in strands for edge in strand.edges]
        is_right = len(set(edges)) == len(edges)
        self._check(is_right, "strands", "two strands end at the same side", number)
        return strands

    def _strand(self, strand: Mapping[str, Any], number: int, colour: str | None) -> Strand:
        self._no_strangers(strand, {"edges", "colour", "cap"}, number, "strands")
        edges, cap, named = strand.get("edges"), strand.get("cap"), strand.get("colour", GREY)
        if not isinstance(edges, str) or not edges or set(edges) - set(EDGE_NAMES):
            raise self._error(number, "strands", "edges are letters of N, E, S and W")
        for is_right, problem in (
            (cap in (None, "head", "tail"), 'cap must be "head" or "tail"'),
            (len(edges) == (1 if cap else 2), "a strand has two edges, a cap has one"),
            (
                named == GREY or (named == "own" and colour is not None),
                f'colour must be "own" or "{GREY}"',
            ),
        ):
            self._check(is_right, "strands", problem, number)
        own = colour if named == "own" and colour else GREY
        return Strand(tuple(EDGE_NAMES.index(edge) for edge in edges), own, cap)

    def _cells(self, tile: Mapping[str, Any], number: int, lattice: str) -> tuple[Cell, ...]:
        path, cells = tile.get("path"), tile.get("cells", [[0, 0]])
        is_right = _is_list_of_cells(cells)
        self._check(is_right, "cells", "must be a list of cells like [[0, 0], [1, 0]]", number)
        if lattice == "hex" and path is not None:
            turns = "write the turns as 0, + and -; the tile may not touch itself"
            self._check(is_path(path), "path", turns, number)
            return path_cells(path)
        is_right = len({tuple(cell) for cell in cells}) == len(cells)
        self._check(is_right, "cells", "the same cell is listed twice", number)
        return tuple((x, y) for x, y in cells)

    def _exits(self, tile: Mapping[str, Any], number: int) -> tuple[Exit, ...]:
        listed = tile.get("exits", [])
        is_right = _is_list_of(listed, dict)
        an_exit = 'must be a list like [{edge = "W", name = "tail"}]'
        self._check(is_right, "exits", an_exit, number)
        exits = []
        for entry in listed:
            self._no_strangers(entry, {"cell", "edge", "name"}, number, "exits")
            cell, edge, name = entry.get("cell", [0, 0]), entry.get("edge"), entry.get("name")
            is_right = _is_list_of_cells([cell]) and cell in tile.get("cells", [[0, 0]])
            self._check(is_right, "exits", "cell must be one of the tile's cells", number)
            is_right = edge in tuple(EDGE_NAMES) and isinstance(name, str)
            both = "an exit has an edge (N, E, S, W) and a name"
            self._check(is_right, "exits", both, number)
            exits.append(Exit((cell[0], cell[1]), EDGE_NAMES.index(edge), name))
        is_right = len({(exit.cell, exit.edge) for exit in exits}) == len(exits)
        self._check(is_right, "exits", "two exits leave by the same side", number)
        return tuple(exits)

    def _whole(
        self,
        table: Mapping[str, Any],
        key: str,
        tile: int | None,
        default: int = 0,
        least: int = 0,
        most: int = MOST_OF_ONE_TILE,
    ) -> int:
        value = table.get(key, default)
        is_right = is_whole(value) and least <= value <= most
        self._check(is_right, key, f"must be a whole number from {least} to {most}", tile)
        return int(value)

    def _text(
        self, table: Mapping[str, Any], key: str, tile: int | None, default: str | None = None
    ) -> str:
        value = table.get(key, default)
        if not isinstance(value, str) or (not value and default is None):
            raise self._error(tile, key, "must be text")
        if len(value) > LONGEST_TEXT or hides(value):
            problem = f"may have at most {LONGEST_TEXT} letters and no hidden characters"
            raise self._error(tile, key, problem)
        return value

    def _no_strangers(
        self,
        table: Mapping[str, Any],
        known: Collection[str],
        tile: int | None,
        inside: str | None = None,
    ) -> None:
        for key in table:
            if key not in known:
                named = f"{key} " if inside else ""
                problem = f"{named}is not known here{meant(key, known)}"
                raise self._error(tile, inside or key, problem)

    def _check(self, is_right: bool, key: str, problem: str, tile: int | None = None) -> None:
        if not is_right:
            raise self._error(tile, key, problem)

    def _refuse(self, tile: int | None, mistake: tuple[str, str] | None) -> None:
        if mistake:
            raise self._error(tile, *mistake)

    def _error(self, tile: int | None, key: str, problem: str) -> SetError:
        line = self._line_of(tile, key)
        return SetError(f"{self._file}, line {line}: {key}: {problem}")

    def _line_of(self, tile: int | None, key: str) -> int:
        """Return the line of a key, or of the block that lacks it, counted from 1."""
        headers = [i for i, line in enumerate(self._lines) if re.match(r"\s*\[", line)]
        blocks = [i for i in headers if re.match(r"\s*\[\[\s*tile\s*\]\]", self._lines[i])]
        if tile is None:
            start, stop = 0, len(self._lines)
        else:
            start = blocks[tile] if tile < len(blocks) else 0
            stop = next((i for i in headers if i > start), len(self._lines))
        for i in range(start, stop):
            if re.match(rf'\s*(\[+\s*)?"?{re.escape(key)}"?\s*[]=.]', self._lines[i]):
                return i + 1
        return start + 1


def _period(strands: tuple[Strand, ...], tile: Mapping[str, Any]) -> int:
    """Return the number of quarter turns after which a card looks the same: 1, 2 or 4."""
    if tile.get("exits") or len(tile.get("cells", ())) > 1:
        return 4

    def looks(turns: int) -> frozenset[tuple[frozenset[int], str, str | None]]:
        return frozenset(
            (frozenset((e + turns) % 4 for e in s.edges), s.colour, s.cap) for s in strands
        )

    return next(period for period in (1, 2, 4) if looks(period) == looks(0))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _is_list_of_cells(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(cell, list)
            and len(cell) == 2
            and all(is_whole(n) and abs(n) <= LONGEST_SIDE for n in cell)
            for cell in value
        )
    )
