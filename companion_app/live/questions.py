"""Questions that the camera cannot decide, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from companion_app.live.match import Match
from companion_app.live.places import Spot
from engine.game import EMPTY, Json

HALF_HIDDEN = "half-hidden"
"""First element of the key of a question about a half-covered tile."""


@dataclass(frozen=True)
class Question:
    """Something that the camera cannot decide."""

    id: int
    about: str
    """``tile``, ``roll``, ``order``, ``hand`` or ``next``."""
    key: object
    """Identity of the question's subject, so that nothing is asked twice."""
    guesses: tuple[Json, ...]
    spot: Spot | None = None
    cells: tuple[tuple[int, ...], ...] = ()
    choices: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    """By answer text: what the answer means."""


class QuestionShown(msgspec.Struct, frozen=True):
    """An open question as the page shows it."""

    question: dict[str, Any]
    """The question in the form of the interface."""
    named: tuple[str, ...]
    """The answers that have a name."""
    asked_of: tuple[str, ...]
    """The players whom it is about."""
    concerns: tuple[str, ...]
    """The players who may answer."""
    places: tuple[tuple[int, ...], ...]
    """The places on the table that it is about."""


def as_shown(question: Question, match: Match) -> QuestionShown:
    """Return an open question as the page shows it."""
    return QuestionShown(
        question_to_json(question, match),
        tuple(map(str, question.choices)),
        tuple(asked_of(question, match)),
        concerns(question, match),
        question.cells if question.spot is None else (question.spot,),
    )


def is_half_hidden(question: Question) -> bool:
    """Say whether a question is about a half-covered tile."""
    return isinstance(question.key, tuple) and question.key[0] == HALF_HIDDEN


def is_about_the_table(question: Question) -> bool:
    """Say whether a question is about what lies on the table, and is moot once that changes.

    Questions about rolls and discarded cards are not: they leave no trace on the table.
    """
    return question.about != "roll" and "discard" not in question.choices


def question_to_json(question: Question, match: Match) -> dict[str, Json]:
    """Return a question in the form of the interface."""
    said: dict[str, Json] = {"id": question.id, "about": question.about}
    if question.spot is not None:
        number, *cell = question.spot
        if match.box.lattice == "hex":
            several = match.game.facts.several_boards
            spots = question.cells or (question.spot,)
            said["cells"] = [list(spot if several else spot[1:]) for spot in spots]
        else:
            said["at"] = cell
            if any(card.field is not None for card in match.layout.cards):
                said["field"] = number
    elif question.cells:
        said["cells"] = [list(cell) for cell in question.cells]
    said["guesses"] = list(question.guesses)
    if question.about == "next" and match.accepted:
        said["drops"] = len(match.accepted)
    return said


def concerns(question: Question | None, match: Match) -> tuple[str, ...]:
    """Return the players who may answer a question; without a question, the player to move."""
    to_move = match.position.to_move
    if question is None:
        return (to_move,)
    return match.start.players if question.about == "next" else tuple(asked_of(question, match))


def asked_of(question: Question, match: Match) -> list[str]:
    """Return whom a question is about: who declares, passed or puts a card away, or is to move."""
    if "discard" in question.choices:
        return [who_discards(match)]
    row = question.choices.get("pass") or question.choices.get("no-own-tile")
    moves = row.moves if row else ()
    declares = [move.player for move in moves if move.declares]
    asked = declares or [move.player for move in moves if move.do == "pass"]
    return list(dict.fromkeys(asked)) or [match.position.to_move]


def who_discards(match: Match) -> str:
    """Return who puts a card out of the game: who has rolled, even if it was given away."""
    position = match.position
    rolls = match.game.facts.several_fields
    return str(position.players[position.turn.roller] if rolls else position.to_move)
