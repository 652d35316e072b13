"""Converts the referee's open questions to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion_app.games.play import Game
from companion_app.live.explain import Row
from companion_app.live.questions import Question
from engine.record import move_to_json

Doc = dict[str, Any]


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


def question_read(said: Mapping[str, Any], match: Game) -> Question:
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
