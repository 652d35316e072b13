"""Whether two written games are the same but for how the table is turned and counted.

Nobody can say how a free layout is turned on its lattice, a board without eyes on the table, or
from which board a ring is counted: the referee's word is as good as the writer's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from companion_app.live.places import hex_turned, turned
from engine.game import Move
from engine.lattice import Cell
from engine.tiles import TileSet

Turning = Callable[[Move], Move]


def same_moves(got: Sequence[Move], wanted: Sequence[Move], box: TileSet, boards: int = 1) -> bool:
    """Say whether some way to turn the table makes two rows of moves equal."""
    if len(got) != len(wanted):
        return False
    return any(
        all(_equal(turning(one), other) for one, other in zip(got, wanted, strict=True))
        for turning in turnings(got, wanted, box, boards)
    )


def turnings(
    got: Sequence[Move], wanted: Sequence[Move], box: TileSet, boards: int = 1
) -> Iterator[Turning]:
    """Yield every way to turn one row of moves that may make it the other."""
    yield lambda move: move
    if box.lattice == "hex":
        if boards > 1:
            yield from (_ring(shift, boards) for shift in range(1, boards))
        else:
            yield from (_hexes(turns) for turns in range(1, 6))
        return
    if any(kind.role in ("house", "big") for kind in box.kinds.values()):
        return
    first = next((pair for pair in zip(got, wanted, strict=False) if pair[0].at), None)
    if first is None or first[0].at is None or first[1].at is None:
        return
    for turns in range(4):
        x, y = turned(first[0].at, turns)
        yield _cards(turns, first[1].at[0] - x, first[1].at[1] - y, box)


def _equal(one: Move, other: Move) -> bool:
    if one.do == "turn" and other.do == "turn" and one.turns is not None:
        # How often a card looks the same is not in the move: half turns count as equal.
        return (
            replace(one, turns=0) == replace(other, turns=0)
            and (one.turns - (other.turns or 0)) % 2 == 0
        )
    return one == other


def _cards(turns: int, dx: int, dy: int, box: TileSet) -> Turning:
    def moved(move: Move) -> Move:
        if move.at is None or move.turns is None:
            return move
        x, y = turned(move.at, turns)
        period = box[move.tile].period if move.tile is not None and move.tile in box else 4
        return replace(move, at=(x + dx, y + dy), turns=(move.turns + turns) % period)

    return moved


def _hexes(turns: int) -> Turning:
    def moved(move: Move) -> Move:
        if move.cells is None:
            return move
        return replace(move, cells=tuple(sorted(hex_turned(cell, turns) for cell in move.cells)))

    return moved


def _ring(shift: int, boards: int) -> Turning:
    def counted(place: tuple[int, Cell] | None) -> tuple[int, Cell] | None:
        return None if place is None else ((place[0] + shift) % boards, place[1])

    def moved(move: Move) -> Move:
        if move.board is None:
            return move
        board = (move.board + shift) % boards
        return replace(move, board=board, origin=counted(move.origin), to=counted(move.to))

    return moved
