"""What happened between two looks at a table: from two layouts to the moves that were made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.game import AnyGame, Change, Move, Verdict
from engine.lattice import Cell
from engine.placement import Clay, Layout, Piece, Placement
from engine.wording import in_english

MOST_PASSES = 8
"""A stuck player passes by himself; more passes in a row than players do not happen."""
LAID = {"one": "a tile was laid, and no move explains it",
        "other": "{n} tiles were laid, and no order of moves explains them"}  # fmt: skip
LAID_AND = {"one": "a tile was laid", "other": "{n} tiles were laid"}
LIFTED = {"one": "a tile was lifted", "other": "{n} tiles were lifted"}


NO_CHANGE = Change()


@dataclass(frozen=True, slots=True)
class Inference:
    """What a change of the table was."""

    sequences: tuple[tuple[Move, ...], ...] = ()
    """Every legal explanation; passes of players who were stuck are among the moves."""
    illegal: tuple[tuple[Move, Verdict], ...] = ()
    """Without a legal explanation: the single moves it may have been, with what they break."""
    change: Change = NO_CHANGE
    why: str = ""
    """Why it is not one move, in words, where neither is known."""

    @property
    def move(self) -> Move | None:
        """Return the one legal move (or the last of a row with passes) where only one fits."""
        return self.sequences[0][-1] if len(self.sequences) == 1 else None


def change_between(before: Layout, after: Layout) -> Change:
    """Return what was laid and what was lifted."""
    return Change(
        Layout(after.cards - before.cards, after.pieces - before.pieces, after.clay - before.clay),
        Layout(before.cards - after.cards, before.pieces - after.pieces, before.clay - after.clay),
    )


def infer_move(game: AnyGame, position: Any, after: Layout) -> Inference:
    """Say which move, or which two in which order, lead from a position to a layout."""
    change = change_between(game.layout(position), after)
    if change.is_nothing():
        return Inference(change=change, why="nothing has changed")
    sequences = tuple(dict.fromkeys(_explanations(game, position, change, after)))
    if sequences:
        return Inference(sequences, change=change)
    illegal = tuple(
        (move, verdict)
        for move in game.readings(position, change)
        if not (verdict := game.judge(position, move)).legal
    )
    return Inference((), illegal, change, "" if illegal else _why(change))


def _explanations(
    game: AnyGame, position: Any, change: Change, after: Layout
) -> Iterator[tuple[Move, ...]]:
    for moves, _ in _one_move(game, position, change, after):
        yield moves
    for first in _halves(change):
        between = _partly(game.layout(position), first)
        for moves, reached in _one_move(game, position, first, between):
            rest = change_between(game.layout(reached), after)
            for more, _ in _one_move(game, reached, rest, after):
                yield moves + more


def _one_move(
    game: AnyGame, position: Any, change: Change, after: Layout
) -> Iterator[tuple[tuple[Move, ...], Any]]:
    """Yield the legal moves that make a change, after the passes of players who are stuck."""
    passes: tuple[Move, ...] = ()
    for _ in range(MOST_PASSES):
        for move in game.readings(position, change):
            if game.judge(position, move).legal:
                reached = game.apply(position, move)
                if _same_tiles(game.layout(reached), after):
                    yield (*passes, move), reached
        moves = game.legal_moves(position)
        if len(moves) != 1 or moves[0].do != "pass":
            return
        passes = (*passes, moves[0])
        position = game.apply(position, moves[0])


def _same_tiles(one: Layout, other: Layout) -> bool:
    """Say whether the same cards and pieces lie there; clay may be laid a moment later."""
    return one.cards == other.cards and one.pieces == other.pieces


def _halves(change: Change) -> Iterator[Change]:
    """Yield each part of a change that could have been the first of two moves."""
    groups: dict[tuple[int | None, tuple[Cell, ...]], list[tuple[bool, Placement | Piece]]] = {}
    for is_laid, layout in ((True, change.laid), (False, change.lifted)):
        for placed in layout.placements():
            if not isinstance(placed, Clay):
                groups.setdefault(_where(placed), []).append((is_laid, placed))
    if len(groups) != 2:
        return
    for group in groups.values():
        yield Change(
            Layout.of(*(placed for is_laid, placed in group if is_laid)),
            Layout.of(*(placed for is_laid, placed in group if not is_laid)),
        )


def _where(placed: Placement | Piece) -> tuple[int | None, tuple[Cell, ...]]:
    if isinstance(placed, Placement):
        return placed.field, (placed.at,)
    return placed.board, placed.cells


def _partly(before: Layout, change: Change) -> Layout:
    return Layout(
        (before.cards - change.lifted.cards) | change.laid.cards,
        (before.pieces - change.lifted.pieces) | change.laid.pieces,
        before.clay,
    )


def _why(change: Change) -> str:
    laid, lifted = len(change.laid.placements()), len(change.lifted.placements())
    if not laid:
        return in_english(LIFTED, {"n": str(lifted)})
    if not lifted:
        return in_english(LAID, {"n": str(laid)})
    both = (in_english(LAID_AND, {"n": str(laid)}), in_english(LIFTED, {"n": str(lifted)}))
    return f"{' and '.join(both)}; that is not one move"
