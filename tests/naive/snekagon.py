"""A second, naive referee, written from the rulings alone; tests compare the engine with it.

Both hex games are here: Snekagon, and Snekagon 5G. Everything is worked out afresh for each
question, from three plain facts: which tiles lie where, which drills join them, whose turn it
is. Nothing is imported from the project, nothing is clever, nothing is fast.

A cell is ``(board, q, r)``; Snekagon has the one board 0. A drill is a frozenset of two cells.
Sentences in quotation marks are RULINGS' own. Which of the names ``touches-itself``,
``sharp-turn``, ``branches`` and ``own-snakes-touch`` a bad contact gets is a choice of this
file (see `_name_bad_contacts`); that there is one is not. `CONTACT_RULES` has the four.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from itertools import combinations, product
from typing import Any, ClassVar

Cell = tuple[int, int, int]
Drill = frozenset[Cell]
Move = dict[str, Any]

STEPS = {"E": (1, 0), "NE": (1, -1), "NW": (0, -1), "W": (-1, 0), "SW": (-1, 1), "SE": (0, 1)}
"""The six steps, anticlockwise: neighbours in this order differ by 60 degrees."""

AROUND = list(STEPS.values())
SIDE = 6
SMALL_TILES = ["1", "2", "3/0", "3/+", "4/00", "4/0+", "4/++", "4/+-"]
LARGE_TILES = {
    "blue": ["5/000", "5/00+"],
    "red": ["5/0+0", "5/0+-"],
    "yellow": ["5/+0+", "5/+0-"],
    "green": ["5/+-+", "5/++-"],
    "violet": ["5/0++", "5/+++"],
}
DEFAULT_EYES = [[-1, -2], [3, -2]]
CONTACT_RULES = {"touches-itself", "sharp-turn", "branches", "own-snakes-touch"}


# --- Tiles: from turn strings to cells ---------------------------------------------------------


def walk(turns: str, facing: int = 0) -> list[tuple[int, int]]:
    """Return the hexes of a walk of ``len(turns) + 2`` hexes from ``(0, 0)``.

    Args:
        turns: ``0`` straight on, ``+`` right by 60 degrees, ``-`` left.
        facing: index into `AROUND` of the first step.
    """
    q, r = AROUND[facing]
    hexes = [(0, 0), (q, r)]
    for turn in turns:
        facing = (facing + {"0": 0, "+": -1, "-": 1}[turn]) % 6
        q, r = q + AROUND[facing][0], r + AROUND[facing][1]
        hexes.append((q, r))
    return hexes


def free_tiles(size: int) -> list[str]:
    """Return the names of all free tiles of so many hexes, sorted as 0, +, -."""
    if size <= 2:
        return [str(size)]
    classes = set()
    for letters in product("0+-", repeat=size - 2):
        if not _touches_itself(walk("".join(letters))):
            classes.add(min(_same_tile(letters), key=_turn_order))
    return [f"{size}/{''.join(letters)}" for letters in sorted(classes, key=_turn_order)]


def _touches_itself(hexes: list[tuple[int, int]]) -> bool:
    """Say whether two hexes of a walk coincide, or touch without following each other."""
    for i, j in combinations(range(len(hexes)), 2):
        step = (hexes[j][0] - hexes[i][0], hexes[j][1] - hexes[i][1])
        if step == (0, 0) or (j > i + 1 and step in AROUND):
            return True
    return False


def _same_tile(letters: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the turn strings of one tile: as it is, flipped, walked from its other end."""
    flip = {"0": "0", "+": "-", "-": "+"}
    flipped = tuple(flip[letter] for letter in letters)
    return [letters, flipped, letters[::-1], flipped[::-1]]


def _turn_order(letters: tuple[str, ...]) -> list[int]:
    return ["0+-".index(letter) for letter in letters]


@cache
def orientations(tile: str) -> frozenset[tuple[tuple[int, int], ...]]:
    """Return every way a tile can lie, sorted, its smallest hex moved to ``(0, 0)``.

    Raises:
        ValueError: there is no such tile.
    """
    size = int(tile[0]) if tile[:1] in tuple("12345") else 0
    if size == 0 or tile not in free_tiles(size):
        raise ValueError(f"no tile is called {tile!r}")
    if size == 1:
        return frozenset({((0, 0),)})
    return frozenset(
        _to_origin(walk("".join(letters), facing))
        for letters in _same_tile(tuple(tile[2:]))
        for facing in range(6)
    )


def _to_origin(hexes: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    ordered = sorted(hexes)
    q0, r0 = ordered[0]
    return tuple((q - q0, r - r0) for q, r in ordered)


def on_board(q: int, r: int) -> bool:
    """Say whether a field lies on the hexagon of side 6 round ``(0, 0)``."""
    return max(abs(q), abs(r), abs(q + r)) < SIDE


def board_fields() -> list[tuple[int, int]]:
    """Return the 91 fields of a board, sorted."""
    span = range(1 - SIDE, SIDE)
    return [(q, r) for q in span for r in span if on_board(q, r)]


@cache
def placements(tile: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return every way to lay a tile on an empty board without eyes, each sorted."""
    everywhere = [
        _moved(shape, q0, r0) for q0, r0 in board_fields() for shape in orientations(tile)
    ]
    return tuple(sorted(c for c in everywhere if all(on_board(*field) for field in c)))


def _moved(shape: tuple[tuple[int, int], ...], q0: int, r0: int) -> tuple[tuple[int, int], ...]:
    return tuple((q0 + q, r0 + r) for q, r in shape)


# --- Cutting coloured cells into tiles: the oracle for decompose --------------------------------


def readings(
    cells: Iterable[tuple[int, ...]], stock: Iterable[str]
) -> list[list[tuple[str, list[tuple[int, ...]]]]]:
    """List all ways to cut the cells of one colour into distinct tiles of the stock.

    Args:
        cells: ``(q, r)``, or ``(board, q, r)``; a tile lies whole on one board.
        stock: tile names without colour; each may be used once at most.

    Returns:
        Each reading once: its ``(tile, sorted cells)`` in the order of their smallest cells.
    """
    left = sorted({tuple(cell) for cell in cells})
    if not left:
        return [[]]
    names = sorted(set(stock))
    found = []
    # Whichever tile covers the smallest cell has that cell as its own smallest.
    *board, q0, r0 = left[0]
    for tile in names:
        for shape in sorted(orientations(tile)):
            part = [(*board, q, r) for q, r in _moved(shape, q0, r0)]
            if all(cell in left for cell in part):
                rest = [cell for cell in left if cell not in part]
                others = [name for name in names if name != tile]
                found += [[(tile, part), *more] for more in readings(rest, others)]
    return found


# --- Cells, snakes, drills ----------------------------------------------------------------------


def touching_cells(cell: Cell) -> list[Cell]:
    """Return the six cells that share a side with this one, on the board or not."""
    board, q, r = cell
    return [(board, q + dq, r + dr) for dq, dr in AROUND]


def flat_neighbours(cell: Cell, cells: set[Cell]) -> list[Cell]:
    """Return those of ``cells`` that share a side with ``cell``."""
    return [other for other in touching_cells(cell) if other in cells]


def drilled_neighbours(cell: Cell, drills: set[Drill]) -> list[Cell]:
    """Return the cells that a drill joins to ``cell``."""
    return sorted(other for drill in drills if cell in drill for other in drill - {cell})


def neighbours(cell: Cell, cells: set[Cell], drills: set[Drill]) -> list[Cell]:
    """Return all neighbours: a drill "counts as a neighbour for 'at most two'"."""
    return flat_neighbours(cell, cells) + drilled_neighbours(cell, drills)


def snakes(cells: set[Cell], drills: set[Drill]) -> list[set[Cell]]:
    """Return the snakes that the cells of one colour form, over all floors."""
    found = []
    left = set(cells)
    while left:
        snake: set[Cell] = set()
        border = {min(left)}
        while border:
            cell = border.pop()
            snake.add(cell)
            border |= set(neighbours(cell, cells, drills)) - snake
        found.append(snake)
        left -= snake
    return found


def boards_touch(one: int, other: int, count: int) -> bool:
    """Say whether two of ``count`` boards in a ring touch: "board b touches b-1 and b+1"."""
    there = one in range(count) and other in range(count)
    return there and one != other and other in ((one + 1) % count, (one - 1) % count)


def crowded(cells: set[Cell], drills: set[Drill]) -> list[Cell]:
    """Return the hexes of one colour with more than two neighbours."""
    return [cell for cell in cells if len(neighbours(cell, cells, drills)) > 2]


def triangles(cells: set[Cell]) -> list[set[Cell]]:
    """Return the groups of three mutually adjacent hexes of one colour."""
    return [
        {cell, one, other}
        for cell in cells
        for one, other in combinations(flat_neighbours(cell, cells), 2)
        if other in touching_cells(one)
    ]


def against_direction(cells: set[Cell], drills: set[Drill]) -> bool:
    """Say whether a snake of one colour turns by more than 60 degrees at a drill.

    "The last step before a drill and the first step after it differ by at most 60 degrees";
    "drills in a row through a single hex count as one"; "while either side has no step yet,
    nothing is restricted".
    """
    for start in cells:
        for second in drilled_neighbours(start, drills):
            row = [start, second]
            while not flat_neighbours(row[-1], cells):
                further = [c for c in drilled_neighbours(row[-1], drills) if c not in row]
                if not further:
                    break
                row.append(further[0])
            for before in flat_neighbours(start, cells):
                for after in flat_neighbours(row[-1], cells):
                    turn = _heading(before, start) - _heading(row[-1], after)
                    if turn % 6 not in (0, 1, 5):
                        return True
    return False


def _heading(here: Cell, there: Cell) -> int:
    """Return the index into `AROUND` of the step between two touching cells."""
    return AROUND.index((there[1] - here[1], there[2] - here[2]))


def clay_of(cells: set[Cell], drills: set[Drill]) -> dict[Cell, tuple[str, str | None]]:
    """Return the clay that lies on the hexes of one colour: kind, and where it opens.

    Drilled and with a body: open, "opening towards the body". Drilled both ways: closed.
    "A single hex with one drill and no body yet carries none."
    """
    clay: dict[Cell, tuple[str, str | None]] = {}
    for cell in cells:
        drilled = drilled_neighbours(cell, drills)
        flat = flat_neighbours(cell, cells)
        if len(drilled) == 2:
            clay[cell] = ("closed", None)
        elif drilled and flat:
            clay[cell] = ("open", list(STEPS)[_heading(cell, flat[0])])
    return clay


def drill_readings(
    cells: set[Cell], clay: dict[Cell, tuple[str, str | None]], boards: int
) -> list[set[Drill]]:
    """List all sets of drills of one colour that leave exactly this clay.

    Args:
        cells: all cells of the colour.
        clay: what lies on them, as `clay_of` writes it.
        boards: how many boards stand in the ring.
    """
    possible = [
        frozenset({one, other})
        for one, other in combinations(sorted(cells), 2)
        if one[1:] == other[1:]
        and boards_touch(one[0], other[0], boards)
        # "Every escape leaves new clay somewhere": a colour has a single `1`.
        and (one in clay or other in clay)
    ]
    found = []
    for count in range(len(possible) + 1):
        for chosen in combinations(possible, count):
            drills = set(chosen)
            if not crowded(cells, drills) and clay_of(cells, drills) == clay:
                found.append(drills)
    return found


# --- The two games ------------------------------------------------------------------------------


class NaiveSnekagon:
    """A game of Snekagon, from its first move or from a table that lies already."""

    colours: ClassVar = ["red", "green"]
    player_counts = range(2, 3)
    default_options: ClassVar[dict[str, Any]] = {"second_without_1": False}

    def __init__(
        self,
        players: list[str],
        options: dict[str, Any] | None = None,
        setup: list[dict[str, Any]] | dict[str, Any] | None = None,
        next_player: str | None = None,
    ) -> None:
        """Start a game.

        Args:
            players: in turn order.
            options: DESIGN's, by name; what is missing has its default.
            setup: tiles that lie before the first move, as a list, or a table state.
            next_player: who moves first; by default the first of ``players``.

        Raises:
            ValueError: what was given is no game of this kind.
        """
        self.players = list(players)
        self.options = {**self.default_options, **(options or {})}
        self._check_players_and_options(next_player)
        self.turn = self.players.index(next_player or self.players[0])
        self.tiles: list[tuple[str, str, frozenset[Cell]]] = []
        self.drills: set[Drill] = set()
        table = {"tiles": setup} if isinstance(setup, list) else (setup or {})
        second = self._second_player(bool(table.get("tiles")))
        self.stock = {player: self._stock_of(player, player == second) for player in players}
        for item in table.get("tiles", []):
            self._lay_from_setup(item)
        self._find_drills(table.get("clay") or [])

    def _check_players_and_options(self, next_player: str | None) -> None:
        if len(set(self.players)) != len(self.players) or set(self.players) - set(self.colours):
            raise ValueError(f"players are distinct and of {self.colours}, not {self.players}")
        if len(self.players) not in self.player_counts:
            raise ValueError(f"{len(self.players)} players cannot play this game")
        if next_player is not None and next_player not in self.players:
            raise ValueError(f"{next_player!r} is to move, but does not play")
        if set(self.options) != set(self.default_options):
            raise ValueError(f"options are {sorted(self.default_options)}, not {self.options}")

    def _second_player(self, tiles_lie: bool) -> str:
        """Return the player after the starter; of a game begun already, the second named."""
        return self.players[1] if tiles_lie else self.players[(self.turn + 1) % len(self.players)]

    def _stock_of(self, player: str, is_second: bool) -> list[str]:
        without_1 = is_second and bool(self.options["second_without_1"])
        return SMALL_TILES[1:] if without_1 else SMALL_TILES[:]

    def _boards(self) -> int:
        return 1

    def _eyes(self) -> set[tuple[int, int]]:
        return set()

    def _known_tiles(self) -> list[str]:
        return SMALL_TILES

    def _first_is_1(self) -> bool:
        """Say whether "the game's first move is the starter's tile `1`"."""
        return True

    # Setting up a table

    def _lay_from_setup(self, item: dict[str, Any]) -> None:
        """Lay one tile of the setup; only what cannot lie on a table at all is refused."""
        colour, _, tile = str(item["tile"]).partition("/")
        if colour not in self.players or tile not in self.stock[colour]:
            raise ValueError(f"the setup's {item['tile']!r} is in no player's stock (any more)")
        cells = self._read_cells(item, tile)
        if any(self._cannot_lie(cells)):
            raise ValueError(f"the setup's {item['tile']!r} cannot lie on {sorted(cells)}")
        self.stock[colour].remove(tile)
        self.tiles.append((colour, tile, cells))

    def _find_drills(self, clay: list[dict[str, Any]]) -> None:
        """Find the drills that the clay of the setup tells of.

        Raises:
            ValueError: no drills, or several sets of them, leave such clay.
        """
        seen: dict[Cell, tuple[str, str | None]] = {}
        for piece in clay:
            cell = (int(piece.get("board", 0)), *piece["cell"])
            opens = piece["opens"] if piece["kind"] == "open" else None
            if cell in seen:
                raise ValueError(f"two pieces of clay lie on {cell}")
            seen[cell] = (piece["kind"], opens)
        for player in self.players:
            own = self._cells_of(player)
            theirs = {cell: seen.pop(cell) for cell in list(seen) if cell in own}
            ways = drill_readings(own, theirs, self._boards())
            if len(ways) != 1:
                raise ValueError(f"{len(ways)} ways to drill leave the clay of {player}")
            self.drills |= ways[0]
        if seen:
            raise ValueError(f"clay lies on no tile at {sorted(seen)}")

    # Looking at the table

    def copy(self) -> NaiveSnekagon:
        """Return a game of its own that stands as this one does."""
        return deepcopy(self)

    def to_move(self) -> str:
        """Return whose turn it is (after the end: would be)."""
        return self.players[self.turn]

    def table(self) -> dict[str, Any]:
        """Return tiles and clay as a table state that can be a ``setup``."""
        clay = [
            {"board": cell[0], "cell": [*cell[1:]], "kind": kind}
            | ({"opens": opens} if opens else {})
            for player in self.players
            for cell, (kind, opens) in sorted(clay_of(self._cells_of(player), self.drills).items())
        ]
        tiles = [
            {"tile": f"{colour}/{tile}", **self._write_cells(cells)}
            for colour, tile, cells in self.tiles
        ]
        return {"tiles": tiles, "clay": clay}

    def _cells_of(self, player: str) -> set[Cell]:
        return {cell for colour, _, cells in self.tiles if colour == player for cell in cells}

    def _taken(self) -> set[Cell]:
        return {cell for _, _, cells in self.tiles for cell in cells}

    # Reading and writing moves

    def _read_board(self, item: dict[str, Any]) -> int:
        return 0

    def _write_cells(self, cells: Iterable[Cell]) -> dict[str, Any]:
        return {"cells": [[q, r] for _, q, r in sorted(cells)]}

    def _read_cells(self, item: dict[str, Any], tile: str) -> frozenset[Cell]:
        """Return the cells of a written tile.

        Raises:
            ValueError: they are not that tile's shape.
        """
        fields = [(q, r) for q, r in item["cells"]]
        if not fields or _to_origin(fields) not in orientations(tile):
            raise ValueError(f"{item['cells']} is not the shape of {tile!r}")
        return frozenset((self._read_board(item), q, r) for q, r in fields)

    def _read_place(self, move: Move) -> tuple[str, str, frozenset[Cell]]:
        player, tile = move["player"], move["tile"]
        if tile not in self._known_tiles():
            raise ValueError(f"this game has no tile {tile!r}")
        return player, tile, self._read_cells(move, tile)

    def _read_drill_ends(self, move: Move) -> tuple[Cell | None, Cell | None]:
        """Return the own ends that the new tile is drilled to: by escape, and by far drill."""
        return None, None

    # Judging

    def is_legal(self, move: Move) -> bool:
        """Say whether the move may be made now.

        Raises:
            ValueError: the record is bad: unknown player, deed or tile, or cells that are not
                the tile's shape.
        """
        return next(self._broken(move), None) is None

    def violations(self, move: Move) -> set[str]:
        """Return the ids of all rules that the move breaks.

        A tile that cannot lie there at all (off the board, on an eye, on another tile) is not
        asked whom it touches.

        Raises:
            ValueError: as `is_legal`.
        """
        return set(self._broken(move))

    def _broken(self, move: Move) -> Iterator[str]:
        if move["player"] not in self.players:
            raise ValueError(f"{move['player']!r} does not play")
        if move["do"] == "pass":
            yield from self._broken_by_pass(move["player"])
        elif move["do"] == "place":
            self._read_place(move)
            if move["player"] != self.to_move():
                yield "not-your-turn"
            yield from self._broken_by_place(move)
        else:
            raise ValueError(f"in this game nobody can {move['do']!r}")

    def _broken_by_pass(self, player: str) -> Iterator[str]:
        """Yield what a pass breaks. "Passes after the end change nothing", whoever's they are."""
        if self.over():
            return
        if player != self.to_move():
            yield "not-your-turn"
        if self._can_move(player):
            yield "could-move"

    def _broken_by_place(self, move: Move) -> Iterator[str]:
        """Yield the rules that laying a tile breaks, whoever's turn it is."""
        player, tile, cells = self._read_place(move)
        if tile not in self.stock[player]:
            yield "none-left"
        if self._first_is_1() and not self.tiles and tile != "1":
            yield "first-is-1"
        obstacles = list(self._cannot_lie(cells))
        if obstacles:
            yield from obstacles
            return
        ends = [end for end in self._read_drill_ends(move) if end is not None]
        faults = {fault for end in ends for fault in self._bad_drill(player, cells, end)}
        yield from faults | self._bad_pair_of_drills(move)
        own = self._cells_of(player)
        foreign = self._taken() - own
        touches_own = any(flat_neighbours(cell, own) for cell in cells)
        touches_foreign = any(flat_neighbours(cell, foreign) for cell in cells)
        if touches_foreign and not touches_own and not ends:
            yield "touches-only-opponent"
        # A drill that cannot be made joins nothing; only its own fault is told.
        made = self._drills_made(player, cells, ends)
        yield from self._bad_snakes(own, cells, made)

    def _cannot_lie(self, cells: frozenset[Cell]) -> Iterator[str]:
        boards = range(self._boards())
        if any(board not in boards or not on_board(q, r) for board, q, r in cells):
            yield "off-board"
        if any((q, r) in self._eyes() for _, q, r in cells):
            yield "on-eye"
        if cells & self._taken():
            yield "cell-taken"

    def _bad_drill(self, player: str, cells: frozenset[Cell], end: Cell) -> Iterator[str]:
        """Yield what is wrong with joining a new tile to an own end on another board."""
        own = self._cells_of(player)
        if end not in own or len(neighbours(end, own, self.drills)) > 1:
            yield "not-an-end"
        if not boards_touch(min(cells)[0], end[0], self._boards()):
            yield "boards-apart"
        if end[1:] not in [cell[1:] for cell in _tile_ends(cells)]:
            yield "other-field"

    def _bad_pair_of_drills(self, move: Move) -> set[str]:
        return set()

    def _drills_made(self, player: str, cells: frozenset[Cell], ends: list[Cell]) -> set[Drill]:
        board = min(cells)[0]
        return {
            frozenset({(board, *end[1:]), end})
            for end in ends
            if not any(self._bad_drill(player, cells, end))
        }

    def _bad_snakes(
        self, own: set[Cell], cells: frozenset[Cell], made: set[Drill]
    ) -> Iterator[str]:
        """Yield what is wrong, after the move, with the snakes of the mover's colour.

        "Every hex has at most two neighbours of that colour, and no three are mutually
        adjacent."
        """
        after, drills = own | cells, self.drills | made
        if crowded(after, drills) or triangles(after):
            yield from _name_bad_contacts(own, self.drills, cells, made)

    # Playing

    def play(self, move: Move) -> None:
        """Make a legal move.

        Raises:
            ValueError: it is illegal, or a bad record.
        """
        broken = self.violations(move)
        if broken:
            raise ValueError(f"illegal, {sorted(broken)}: {move}")
        if move["do"] == "pass" and self.over():
            return
        if move["do"] == "place":
            player, tile, cells = self._read_place(move)
            ends = [end for end in self._read_drill_ends(move) if end is not None]
            self.drills |= self._drills_made(player, cells, ends)
            self.stock[player].remove(tile)
            self.tiles.append((player, tile, cells))
        self.turn = (self.turn + 1) % len(self.players)

    def legal_moves(self) -> list[Move]:
        """List the legal moves: ``pass`` alone when stuck, none when the game is over."""
        player = self.to_move()
        moves = list(self._legal_places(player))
        if moves:
            return moves
        return [] if self.over() else [{"player": player, "do": "pass"}]

    def _legal_places(self, player: str) -> Iterator[Move]:
        """Yield the moves that a player would have if it were his turn."""
        for move in self._thinkable_places(player):
            if next(self._broken_by_place(move), None) is None:
                yield move

    def _thinkable_places(self, player: str) -> Iterator[Move]:
        """Yield every tile of a player everywhere, with everything it might be drilled to."""
        taken = self._taken()
        for tile, board in product(self.stock[player], range(self._boards())):
            for fields in placements(tile):
                cells = [(board, q, r) for q, r in fields]
                if taken.isdisjoint(cells):
                    move = {"player": player, "do": "place", "tile": tile}
                    move |= self._write_cells(cells)
                    yield from self._with_drills(move, cells)

    def _with_drills(self, move: Move, cells: list[Cell]) -> Iterator[Move]:
        yield move

    def _can_move(self, player: str) -> bool:
        return next(self._legal_places(player), None) is not None

    # Ending

    def over(self) -> bool:
        """Say whether nobody can move."""
        return not any(self._can_move(player) for player in self.players)

    def scores(self) -> dict[str, int]:
        """Return the length of each player's longest snake, 0 without one."""
        return {
            player: max(map(len, snakes(self._cells_of(player), self.drills)), default=0)
            for player in self.players
        }

    def winners(self) -> list[str]:
        """Return who has the longest snake, all of them when equal; nobody until over."""
        scores = self.scores()
        if not self.over():
            return []
        return [player for player in self.players if scores[player] == max(scores.values())]


class NaiveSnekagon5G(NaiveSnekagon):
    """A game of Snekagon 5G: more boards, eyes, drills, and two large tiles a player."""

    colours: ClassVar = list(LARGE_TILES)
    player_counts = range(2, 6)
    default_options: ClassVar[dict[str, Any]] = {
        "advanced": False,
        "far_drill": False,
        "single_opening": False,
        "eyes": DEFAULT_EYES,
    }

    def _check_players_and_options(self, next_player: str | None) -> None:
        super()._check_players_and_options(next_player)
        if len(self._eyes()) != 2 or not all(on_board(q, r) for q, r in self._eyes()):
            raise ValueError(f"eyes are two cells of the board, not {self.options['eyes']}")

    def _stock_of(self, player: str, is_second: bool) -> list[str]:
        return SMALL_TILES + LARGE_TILES[player]

    def _boards(self) -> int:
        """Return how many boards there are: "as many boards as players"."""
        return len(self.players)

    def _eyes(self) -> set[tuple[int, int]]:
        return {(q, r) for q, r in self.options["eyes"]}

    def _known_tiles(self) -> list[str]:
        return SMALL_TILES + [tile for pair in LARGE_TILES.values() for tile in pair]

    def _first_is_1(self) -> bool:
        return bool(self.options["single_opening"])

    def _read_board(self, item: dict[str, Any]) -> int:
        if not isinstance(item.get("board"), int):
            raise ValueError(f"a tile of 5G lies on a numbered board: {item}")
        return int(item["board"])

    def _write_cells(self, cells: Iterable[Cell]) -> dict[str, Any]:
        return {"board": min(cells)[0], **super()._write_cells(cells)}

    def _read_drill_ends(self, move: Move) -> tuple[Cell | None, Cell | None]:
        ends = []
        for key in ("from", "to"):
            place = move.get(key)
            ends.append((place["board"], *place["cell"]) if place else None)
        return ends[0], ends[1]

    def _bad_pair_of_drills(self, move: Move) -> set[str]:
        """Return what is wrong with a far drill besides what is wrong with any drill."""
        faults = set()
        escaped_from, drilled_to = self._read_drill_ends(move)
        if drilled_to is not None and not self.options["far_drill"]:
            faults.add("no-far-drill")
        if drilled_to is not None and drilled_to == escaped_from:
            faults.add("drilled-twice")
        return faults

    def _bad_snakes(
        self, own: set[Cell], cells: frozenset[Cell], made: set[Drill]
    ) -> Iterator[str]:
        yield from super()._bad_snakes(own, cells, made)
        if self.options["advanced"] and against_direction(own | cells, self.drills | made):
            yield "against-direction"

    def _with_drills(self, move: Move, cells: list[Cell]) -> Iterator[Move]:
        fields = [cell[1:] for cell in cells]
        above_or_below = [
            {"board": cell[0], "cell": [*cell[1:]]}
            for cell in sorted(self._cells_of(move["player"]))
            if cell[1:] in fields
        ]
        ends = [None, *above_or_below]
        far_ends = ends if self.options["far_drill"] else [None]
        for escaped_from, drilled_to in product(ends, far_ends):
            drills = {"from": escaped_from, "to": drilled_to}
            yield move | {key: place for key, place in drills.items() if place}


# --- Naming what is wrong with a contact --------------------------------------------------------


def _tile_ends(cells: frozenset[Cell]) -> list[Cell]:
    """Return the end hexes of a tile: of a single hex, itself."""
    return [cell for cell in sorted(cells) if len(flat_neighbours(cell, set(cells))) <= 1]


def _name_bad_contacts(
    own: set[Cell], drills: set[Drill], tile: frozenset[Cell], made: set[Drill]
) -> set[str]:
    """Name, in the players' words, what makes a position with a new tile illegal.

    The contacts of the tile with one old snake that lie next to each other are a *place*. A
    place is good when it is one contact of an end with an end. A bad one is

    - ``sharp-turn`` when an end meets an end in it, and the hex behind one of them;
    - ``touches-itself`` when the tile meets the same snake in another place too;
    - ``own-snakes-touch`` when the tile meets another snake too, or side lies along side;
    - ``branches`` when it alone is there, and an end runs into a side.

    Good places only, but too many at one hex, are ``branches``.
    """
    tile_ends = _tile_ends(tile)
    snake_ends = [cell for cell in own if len(neighbours(cell, own, drills)) <= 1]
    places = []
    for snake in snakes(own, drills):
        contacts = [
            (new, old)
            for new in tile
            for old in snake
            if old in touching_cells(new) or frozenset({new, old}) in made
        ]
        places += [(min(snake), place) for place in _places(contacts)]
    names = set()
    for snake_id, place in places:
        others = [other_id for other_id, other in places if other is not place]
        end_to_end = any(new in tile_ends and old in snake_ends for new, old in place)
        if end_to_end and len(place) == 1:
            continue
        news, olds = {new for new, _ in place}, {old for _, old in place}
        end_on_side = (len(news) == 1 and news <= set(tile_ends)) or (
            len(olds) == 1 and olds <= set(snake_ends)
        )
        if end_to_end and len(place) == 2:
            names.add("sharp-turn")
        elif snake_id in others:
            names.add("touches-itself")
        elif others or not end_on_side:
            names.add("own-snakes-touch")
        else:
            names.add("branches")
    return names or {"branches"}


def _places(contacts: list[tuple[Cell, Cell]]) -> list[list[tuple[Cell, Cell]]]:
    """Group contacts that lie next to each other, on the tile and on the snake."""
    groups: list[list[tuple[Cell, Cell]]] = []
    for contact in contacts:
        near = [g for g in groups if any(_side_by_side(contact, other) for other in g)]
        merged = [contact, *(other for group in near for other in group)]
        groups = [group for group in groups if group not in near] + [merged]
    return groups


def _side_by_side(one: tuple[Cell, Cell], other: tuple[Cell, Cell]) -> bool:
    return all(a == b or b in touching_cells(a) for a, b in zip(one, other, strict=True))
