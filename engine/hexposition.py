"""Positions of the hex games: tiles, drills, stocks, and whose turn it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from engine.drills import boards_beside, by_colour, clay_of, drill, find_drills, unlike
from engine.errors import RecordError
from engine.game import (
    Change,
    Move,
    Outcome,
    Place,
    Reason,
    ScoreLine,
    Start,
    in_order_from,
    outcome_of,
)
from engine.hexground import Boards, Ground, around_cells, traced
from engine.hexplacements import placement_table
from engine.hexsnakes import Drill, Drilled, Spot, drilled_from, snakes, tile_ends
from engine.lattice import Cell
from engine.placement import Clay, Layout, Piece
from engine.tiles import TileSet


@dataclass(frozen=True)
class Agreed:
    """What was agreed before the first move."""

    box: TileSet
    boards: int = 1
    numbered: bool = False
    """Whether cells are written with their board, as in 5G."""
    eyes: frozenset[Cell] = frozenset()
    """The cells that are holes, the same on every board."""
    begins_with_1: bool = False
    """Whether the first tile of the game must be the single hex."""
    advanced: bool = False
    far_drill: bool = False
    without: frozenset[str] = frozenset()
    """Tiles of the box, with colour, that are not in the game."""

    @cached_property
    def side(self) -> int:
        """The side length of the board, in hexes."""
        side: int = self.box.extras.get("board", {}).get("side", 6)
        return side

    @cached_property
    def paths(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """By colour: the name and the turns of each shape."""
        return {
            colour: tuple((kind.shape, kind.path or "1") for kind in self.box.of_colour(colour))
            for colour in self.box.colours
        }

    def is_on_board(self, cell: Cell) -> bool:
        """Say whether a cell is on the board; eyes are."""
        q, r = cell
        return max(abs(q), abs(r), abs(q + r)) < self.side

    def count(self, tile: str) -> int:
        """Return how many copies of a tile, with its colour, are in the game."""
        return 0 if tile in self.without else self.box[tile].count

    def point(self, spot: Spot) -> Place:
        """Return a spot in this game's notation: with its board only if boards are numbered."""
        return spot if self.numbered else spot[1:]


@dataclass(frozen=True)
class HexPosition:
    """Tiles on the boards and in the stocks; everything is public."""

    agreed: Agreed
    players: tuple[str, ...]
    to_move: str
    pieces: tuple[Piece, ...]
    """The tiles in the order in which they were laid; those of the start are sorted by cell."""
    own: Mapping[str, frozenset[Spot]]
    """The hexes of each colour."""
    drills: Mapping[str, frozenset[Drill]]
    left: Mapping[str, tuple[str, ...]]
    """The shapes that each player still has, in the box's order."""
    clay_amiss: tuple[Spot, ...] = ()
    """Where clay is wrong or missing, in a game that starts in progress."""
    doubts: Mapping[str, tuple[frozenset[Drill], ...]] = field(default_factory=dict)
    """Sets of drills that explain the clay equally well, in a game that starts in progress."""
    grown: Ground | None = field(default=None, compare=False, repr=False)
    """The ground if it grew with the last tile; ``None`` if it must be traced."""

    @cached_property
    def ground(self) -> Ground:
        """Where tiles may still lie, for each player."""
        if self.grown is not None:
            return self.grown
        agreed, players = self.agreed, self.players
        boards = Boards(
            tuple(placement_table(agreed.paths[player], agreed.side) for player in players),
            tuple(boards_beside(board, agreed.boards) for board in range(agreed.boards)),
            around_cells(agreed.side),
            agreed.eyes,
        )
        own = [self.own[player] for player in players]
        return traced(boards, own, [self.drilled[player] for player in players])

    @cached_property
    def drilled(self) -> Mapping[str, Drilled]:
        """The other ends of the drills of each hex, by colour."""
        return {player: drilled_from(drills) for player, drills in self.drills.items()}

    @cached_property
    def taken(self) -> Mapping[Spot, str]:
        """The player whose tile covers each hex."""
        return {spot: player for player, spots in self.own.items() for spot in spots}


def spots_of(board: int | None, cells: Iterable[Cell]) -> tuple[Spot, ...]:
    """Return the spots of cells on a board; ``None`` is the only board, 0."""
    return tuple((board or 0, q, r) for q, r in cells)


# --- opening -------------------------------------------------------------------------------------


def open_game(start: Start, agreed: Agreed) -> HexPosition:
    """Return the first position: nothing on the boards, or the tiles and clay of a table.

    Raises:
        RecordError: a tile is off the board, overlaps another, or its colour is not played.
    """
    pieces = tuple(sorted(start.layout.pieces, key=lambda piece: (piece.board or 0, piece.cells)))
    _check_pieces(pieces, start.players, agreed)
    own = {
        player: frozenset(chain(*(spots_of(p.board, p.cells) for p in pieces if _of(p) == player)))
        for player in start.players
    }
    position = HexPosition(
        agreed,
        start.players,
        start.next or start.players[0],
        pieces,
        MappingProxyType(own),
        MappingProxyType(dict.fromkeys(start.players, frozenset())),
        MappingProxyType(_stocks(start.players, pieces, agreed)),
    )
    return _with_drills(position, start.layout.clay)


def _of(piece: Piece) -> str:
    """Return the colour of a piece."""
    return piece.tile.partition("/")[0]


def _check_pieces(pieces: Iterable[Piece], players: tuple[str, ...], agreed: Agreed) -> None:
    taken: set[Spot] = set()
    for piece in pieces:
        spots = spots_of(piece.board, piece.cells)
        where = f"{piece.tile} on {[list(cell) for cell in piece.cells]}"
        if _of(piece) not in players:
            raise RecordError("setup", f"{where}: nobody plays this colour")
        if agreed.numbered and piece.board is None:
            raise RecordError("setup", f"{where}: say on which board it lies")
        if (piece.board or 0) >= agreed.boards:
            raise RecordError(
                "setup", f"{where}: there is no board {piece.board}; boards are numbered from 0"
            )
        if not all(agreed.is_on_board(cell) for cell in piece.cells):
            raise RecordError("setup", f"{where} is not completely on the board")
        if not taken.isdisjoint(spots):
            raise RecordError("setup", f"{where} overlaps another tile")
        taken.update(spots)


def _stocks(
    players: tuple[str, ...], pieces: Iterable[Piece], agreed: Agreed
) -> dict[str, tuple[str, ...]]:
    gone = Counter(piece.tile for piece in pieces)
    return {
        player: tuple(
            kind.shape
            for kind in agreed.box.of_colour(player)
            for _ in range(agreed.count(kind.name) - gone[kind.name])
        )
        for player in players
    }


def _with_drills(position: HexPosition, clay: frozenset[Clay]) -> HexPosition:
    """Infer the drills from the clay of a table; wrong clay is a violation, not an error."""
    if not clay:
        return position
    boards = position.agreed.boards
    own_clay = by_colour(clay, position.own)
    found = {p: find_drills(position.own[p], own_clay[p], boards) for p in position.players}
    stray = clay.difference(*own_clay.values())
    amiss = set(chain(unlike((), stray), *(drilling.amiss for drilling in found.values())))
    return replace(
        position,
        drills=MappingProxyType({p: drilling.ways[0] for p, drilling in found.items()}),
        clay_amiss=tuple(sorted(amiss)),
        doubts=MappingProxyType({p: d.ways for p, d in found.items() if len(d.ways) > 1}),
    )


# --- apply ---------------------------------------------------------------------------------------


def lay(position: HexPosition, move: Move) -> HexPosition:
    """Return the position after a move that lays a tile, with the move's drills."""
    assert move.tile is not None and move.cells is not None
    player, tile = move.player, spots_of(move.board, move.cells)
    left = list(position.left[player])
    if move.tile in left:
        left.remove(move.tile)
    piece = Piece(f"{player}/{move.tile}", move.cells, move.board)
    return replace(
        position,
        to_move=in_order_from(position.players, player)[1],
        pieces=(*position.pieces, piece),
        own=MappingProxyType({**position.own, player: position.own[player].union(tile)}),
        drills=MappingProxyType(
            {**position.drills, player: position.drills[player].union(drills_made(move))}
        ),
        left=MappingProxyType({**position.left, player: tuple(left)}),
        clay_amiss=(),
        doubts=MappingProxyType({}),
        grown=_grown(position, move),
    )


def _grown(position: HexPosition, move: Move) -> Ground | None:
    """Return the ground after a tile that fits; after any other, it must be traced."""
    ground, seat = position.ground, position.players.index(move.player)
    number = ground.boards.tables[seat].number.get((move.tile or "", move.cells or ()))
    board, drilled = move.board or 0, tuple(drilled_to(move))
    if number is None or (move.origin and move.origin == move.to):
        return None
    fits = ground.takes(seat, board, number, drilled)
    return ground.with_tile(seat, board, number, drilled) if fits else None


def drills_made(move: Move) -> list[Drill]:
    """Return the drills of a move, each from the end of the tile on the same cell."""
    ends = tile_ends(spots_of(move.board, move.cells or ()))
    made = []
    for other in drilled_to(move):
        # A drill from another cell is a foul; if overruled, it begins at the first end.
        here = next((end for end in ends if end[1:] == other[1:]), ends[0])
        made.append(drill(here, other))
    return made


def drilled_to(move: Move) -> list[Spot]:
    """Return the spots that a move drills from or onto."""
    return [(board, *cell) for board, cell in (p for p in (move.origin, move.to) if p is not None)]


# --- outcome -------------------------------------------------------------------------------------


def outcome(position: HexPosition, longest: Reason, *, over: bool) -> Outcome:
    """Return each player's longest snake as the score; once ``over``, the highest score wins."""
    lines = {player: tuple(_lines(position, player, longest)) for player in position.players}
    return outcome_of(lines, over=over)


def _lines(position: HexPosition, player: str, longest: Reason) -> Iterable[ScoreLine]:
    for snake in snakes(position.own[player], position.drilled[player])[:1]:
        cells = tuple(position.agreed.point(spot) for spot in sorted(snake))
        yield ScoreLine(len(snake), longest, cells, {"colour": player, "n": str(len(snake))})


# --- layout --------------------------------------------------------------------------------------


def layout(position: HexPosition) -> Layout:
    """Return the tiles on the boards, and the clay that marks the drills."""
    clay = chain(*(clay_of(position.own[p], position.drills[p]) for p in position.players))
    return Layout(pieces=frozenset(position.pieces), clay=frozenset(clay))


def laid_tile(position: HexPosition, change: Change) -> list[Move]:
    """Return the move that laid one tile, or nothing when something else was changed."""
    if len(change.laid.pieces) != 1 or change.lifted.pieces:
        return []
    (piece,) = change.laid.pieces
    player, _, shape = piece.tile.partition("/")
    if player not in position.players:
        return []
    return [Move(player, "place", shape, cells=piece.cells, board=piece.board)]
