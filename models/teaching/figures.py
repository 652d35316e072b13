"""How sure a taught box is of its kinds, as its manifest says it and the page shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.errors import RecordError
from engine.game import Json
from engine.given import a_list, an_object, hides, is_whole

MOST = 4000
LONGEST_TEXT = 400


def checked_figures(value: Json) -> dict[str, Any]:
    """Return the figures that are shown of a box, each as the page expects it.

    Raises:
        RecordError: they say something else; names the place.
    """
    given = an_object(value, "figures")
    counts = {key: _count(given.get(key, 0), f"figures.{key}") for key in ("photos", "examples")}
    lists: dict[str, Callable[[Any, str], Any]] = {
        "kinds": _kind, "unsure": _kind, "alike": _pair, "missing": _text, "poor": _photo,
    }  # fmt: skip
    listed = {
        key: [check(one, place) for one in a_list(given.get(key, []), place, MOST)]
        for key, check in lists.items() if (place := f"figures.{key}")
    }  # fmt: skip
    return {**counts, **listed}


def _count(value: Json, place: str) -> int:
    if not is_whole(value) or not 0 <= value <= 10**6:
        raise RecordError(place, "must be a whole number")
    return int(value)


def _text(value: Json, place: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or hides(value):
        raise RecordError(place, f"must be a text of at most {LONGEST_TEXT} letters")
    return value


def _kind(value: Json, place: str) -> dict[str, Any]:
    entry = an_object(value, place)
    _text(entry.get("tile"), place)
    _count(entry.get("examples", 0), place)
    sure = entry.get("sure", 0.0)
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
        raise RecordError(place, "sure must be a number from 0 to 1")
    return {key: entry[key] for key in ("tile", "examples", "sure") if key in entry}


def _pair(value: Json, place: str) -> dict[str, Any]:
    entry = an_object(value, place)
    tiles = [_text(one, place) for one in a_list(entry.get("tiles"), place, 2)]
    if len(tiles) != 2:
        raise RecordError(place, "two kinds look alike, not one")
    return {"tiles": tiles}


def _photo(value: Json, place: str) -> dict[str, str]:
    entry = an_object(value, place)
    return {"file": _text(entry.get("file"), place), "why": _text(entry.get("why"), place)}
