"""The schema of a lesson file; a file that does not match is ignored as a whole."""

from __future__ import annotations

import re
from typing import Any, TypeGuard

from companion_app.fitting import MOST, Form, by_name, fits, text, whole
from engine.games import GAMES

PHOTO = re.compile(r"photo-[0-9]{2}\.jpg")
FARTHEST = 100_000


def _number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= FARTHEST


def _row(length: int, form: Form) -> Form:
    return lambda value: fits(value, [form]) and len(value) == length


SMALL = whole(-MOST, MOST)
TILE: Form = {"photo": text, "outline": [_row(2, _number)], "group": SMALL, "steps": SMALL}
PIECE: Form = {
    "sort": whole(0, MOST),
    "cells": lambda value: bool(value) and fits(value, [_row(2, whole(-FARTHEST, FARTHEST))]),
}
BOARD: Form = {
    "photo": text,
    "places": _row(3, _row(3, _number)),
    "pieces": [PIECE],
    "dropped": lambda value: value in (None, True, False),
}
LESSON: Form = {
    "shape": lambda value: value in ("square", "hex", "board"),
    "photos": [lambda value: isinstance(value, str) and bool(PHOTO.fullmatch(value))],
    "names": by_name(text),
    "up": by_name(SMALL),
    "tiles": [TILE],
}
BOARD_LESSON: Form = {
    "game": lambda value: text(value) and value in GAMES,
    "set": lambda value: value is None or text(value),
    "begun": text,
    "sorts": [
        lambda value: (
            fits(value, {"colour": text})
            and "look" in value
            and (value["look"] is None or fits(value["look"], [_number]))
        )
    ],
    "boards": [BOARD],
}


def is_lesson(value: Any) -> TypeGuard[dict[str, Any]]:
    """Say whether a value is a lesson that the page prepared."""
    if not fits(value, LESSON) or (value["shape"] == "board" and not fits(value, BOARD_LESSON)):
        return False
    boards = value["boards"] if value["shape"] == "board" else []
    sorts = [piece["sort"] for board in boards for piece in board["pieces"]]
    return all(one["photo"] in value["photos"] for one in (*value["tiles"], *boards)) and (
        not sorts or max(sorts) < len(value["sorts"])
    )
