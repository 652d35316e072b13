"""Converts the referee's announced foul and open questions to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion_app.live.explain import Row
from companion_app.live.match import Match
from companion_app.live.questions import Question
from companion_app.live.referee_state import Pending
from engine.game import Violation
from engine.placement import Clay, Layout, Piece, Placement
from engine.record import layout_to_json, move_to_json

Doc = dict[str, Any]


def layout_from_json(said: Mapping[str, Any]) -> Layout:
    """Return the layout that ``layout_to_json`` wrote, legal or not."""
    return Layout.of(
        *(_placed(tile) for tile in said["tiles"]),
        *(
            Clay(one["board"], _cell(one["cell"]), one["kind"], one.get("opens"))
            for one in said.get("clay", ())
        ),
    )


def _placed(tile: Mapping[str, Any]) -> Placement | Piece:
    if "cells" in tile:
        return Piece(tile["tile"], tuple(map(_cell, tile["cells"])), tile.get("board"))
    return Placement(tile["tile"], _cell(tile["at"]), tile["turns"], tile.get("field"))


def _cell(cell: Sequence[int]) -> tuple[int, int]:
    return cell[0], cell[1]


# --- an announced foul ---------------------------------------------------------------------------


def pending_to_json(pending: Pending) -> Doc:
    """Return an announced foul as JSON."""
    return {
        "n": pending.n,
        "seq": pending.seq,
        "move": move_to_json(pending.move),
        "layout": layout_to_json(pending.layout),
        "violations": [
            {
                "rule": one.rule.id,
                "cells": [list(cell) for cell in one.cells],
                "params": dict(one.params),
                "snake": one.snake,
                "case": one.case,
            }
            for one in pending.violations
        ],
    }


def pending_from_json(said: Mapping[str, Any], match: Match) -> Pending:
    """Return an announced foul of a match from JSON."""
    move = match.parsed(said["move"], "foul")
    rules = {rule.id: rule for rule in match.game.facts.rules}
    broken = tuple(
        Violation(
            rules[one["rule"]],
            tuple(tuple(cell) for cell in one["cells"]),
            one["params"],
            one["snake"],
            one["case"],
        )
        for one in said["violations"]
    )
    return Pending(said["n"], move, broken, layout_from_json(said["layout"]), said["seq"])


# --- open questions ------------------------------------------------------------------------------


def question_written(question: Question) -> Doc:
    """Return an open question as JSON; its choices keep only what the page shows, their moves."""
    return {
        "id": question.id,
        "about": question.about,
        "guesses": list(question.guesses),
        "spot": question.spot,
        "cells": [list(cell) for cell in question.cells],
        "choices": {
            str(name): list(map(move_to_json, one.moves)) if isinstance(one, Row) else None
            for name, one in question.choices.items()
        },
    }


def question_read(said: Mapping[str, Any], match: Match) -> Question:
    """Return an open question of a match from JSON; it can be shown, but not answered here."""
    spot = said["spot"]
    choices = {
        name: None
        if moves is None
        else Row(tuple(match.parsed(move, "choices") for move in moves), None)
        for name, moves in said["choices"].items()
    }
    return Question(
        said["id"],
        said["about"],
        None,
        tuple(said["guesses"]),
        None if spot is None else (spot[0], spot[1], spot[2]),
        tuple(tuple(cell) for cell in said["cells"]),
        choices,
    )
