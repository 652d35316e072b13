"""Putting right what was read wrong: hex tiles by their cells, and pictures of what was named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion_app.eye.corrections import Corrections, keep_correction
from companion_app.eye.desk import Desk
from companion_app.live.match import Match
from companion_app.live.places import Spot
from companion_app.refusal import Refusal
from engine.hexpath import free_shape, path_shape


def named_by_cells(match: Match, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return a correction with its tile: a hex tile is known by the cells it covers.

    Raises:
        Refusal: no tile of the box has that shape.
    """
    move = sent.get("move")
    if match.box.lattice != "hex" or not isinstance(move, dict) or "tile" in move:
        return dict(sent)
    cells = move.get("cells")
    if not isinstance(cells, list) or not all(_is_cell(cell) for cell in cells):
        raise Refusal("cells is a list of [q, r]")
    shape = free_shape([(cell[0], cell[1]) for cell in cells]) if cells else ()
    for kind in match.box.kinds.values():
        if kind.path is not None and path_shape(kind.path) == shape:
            return {**sent, "move": {**move, "tile": kind.name.partition("/")[2]}}
    raise Refusal(code="no-such-shape")


def _is_cell(cell: Any) -> bool:
    return (
        isinstance(cell, list)
        and len(cell) == 2
        and all(isinstance(n, int) and not isinstance(n, bool) for n in cell)
    )


def spots_named(desk: Desk, sent: Mapping[str, Any]) -> list[Spot]:
    """Return the places whose tile somebody is about to name: a correction or an answer."""
    referee = desk.referee
    if referee is None:
        return []
    number = sent.get("answer")
    asking = referee.state.questions.get(number) if isinstance(number, int) else None
    if asking is None or asking.about != "tile" or sent.get("value") in (None, "none"):
        return []
    return [asking.spot] if asking.spot is not None else []


def keep_named(kept: Corrections, desk: Desk, sent: Mapping[str, Any], spots: list[Spot]) -> None:
    """Keep pictures of what was just named."""
    match = desk.match
    if match is None:
        return
    number = sent.get("correct")
    if isinstance(number, int) and 1 <= number <= len(match.accepted):
        move = match.accepted[number - 1].move
        spots = [(p[0], p[1], p[2]) for p in match.cells_of(move)]
    if spots:
        keep_correction(kept, desk.feeder, match, spots)
