"""What is given in JSON, checked value by value: every mistake is named with its place.

Nothing here knows a game. Keys that are not known and keys that stand twice are refused, so that
a slip of the pen is never taken for an empty game.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from engine.errors import RecordError
from engine.game import Json
from engine.lattice import Cell

LARGEST_BYTES = 8 << 20
"""Of one JSON document: the longest record and the fullest table take a quarter of it."""
MOST_NESTED = 40
LONGEST_NUMBER = 40
LONGEST_NAME = 40
FARTHEST_CELL = 10_000
"""No table is that long; a box has fewer tiles."""
JOINERS = "\u200c\u200d"
"""Without width and needed: emoji of several parts, and letters of Persian and of India."""
HIDDEN = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
"""Kinds of characters that show nothing, or turn round the text beside them."""
MISSING: Any = object()
"""Stands for a key that was not given; ``null`` was."""


def load_json(text: str | bytes, place: str = "", largest: int = LARGEST_BYTES) -> Json:
    """Return the value of a JSON text.

    Raises:
        RecordError: it is not JSON, too long or too deep, not in UTF-8, holds half letters or
            numbers that nobody counts, or names a key twice.
    """
    if len(text) > largest:
        raise RecordError(place, f"this is larger than {largest >> 20} MB")
    try:
        value = json.loads(
            text, object_pairs_hook=_no_key_twice, parse_constant=_refuse_constant,
            parse_int=_whole_number, parse_float=_number,
        )  # fmt: skip
        _check_depth_and_letters(value)
    except RecursionError:
        raise RecordError(place, "the JSON has too many brackets inside each other") from None
    except UnicodeDecodeError:
        raise RecordError(place, "the text is not UTF-8") from None
    except RecordError as error:
        raise RecordError(place, error.problem) from None
    except ValueError as error:
        raise RecordError(place, f"this is not JSON: {error}") from None
    return value


def read_json(path: Path, largest: int = LARGEST_BYTES) -> Json:
    """Return the value of a JSON file; never reads more of it than a document may be long.

    Raises:
        RecordError: as for ``load_json``, or it is no plain file.
        OSError: it is missing, or the disk fails.
    """
    # A pipe or a device would be waited for; nobody else's file is one.
    if path.exists() and not path.is_file():
        raise RecordError("", "this is no plain file")
    with path.open("rb") as file:
        return load_json(file.read(largest + 1), largest=largest)


def an_object(value: Json, place: str, known: Collection[str] = ()) -> Mapping[str, Any]:
    """Return a JSON object that has no keys but those known; with none named, any will do."""
    if not isinstance(value, dict):
        raise RecordError(place, f"must be an object, but is {shown(value)}")
    if known:
        refuse_unknown(value, known, place)
    return value


def refuse_unknown(keys: Iterable[str], known: Collection[str], place: str) -> None:
    """Refuse the first key that is not known, and say which one was meant."""
    for key in keys:
        if key not in known:
            raise RecordError(inside(place, key), f"is not known here{meant(key, known)}")


def meant(word: str, known: Collection[str]) -> str:
    """Return the end of a sentence that says which known word comes near, or which there are."""
    near = get_close_matches(word[:LONGEST_NAME], list(known), n=1)
    return f"; did you mean {near[0]}?" if near else f"; known: {', '.join(sorted(known))}"


def a_list(value: Json, place: str, most: int | None = None) -> list[Any]:
    """Return a JSON list of at most so many entries."""
    if not isinstance(value, list):
        raise RecordError(place, f"must be a list, but is {shown(value)}")
    if most is not None and len(value) > most:
        raise RecordError(place, f"there may be at most {most} entries, not {len(value)}")
    return value


def a_name(value: Json, place: str) -> str:
    """Return the name of a person: short, and only letters that can be seen."""
    if not isinstance(value, str) or not value.strip():
        raise RecordError(place, f"must be a name, but is {shown(value)}")
    if len(value) > LONGEST_NAME:
        raise RecordError(
            place, f"a name has at most {LONGEST_NAME} letters, but {shown(value)} has {len(value)}"
        )
    if hides(value):
        raise RecordError(place, f"a name may not have hidden characters: {shown(value)}")
    return value


def hides(text: str) -> bool:
    """Say whether a text holds control characters, or others that show nothing."""
    return any(unicodedata.category(c) in HIDDEN and c not in JOINERS for c in text)


def a_cell(value: Json, place: str) -> Cell:
    """Return two whole numbers that a table is large enough for."""
    if not isinstance(value, list) or len(value) != 2 or not all(is_whole(n) for n in value):
        raise RecordError(place, f"a cell is two whole numbers, not {shown(value)}")
    if max(abs(n) for n in value) > FARTHEST_CELL:
        raise RecordError(
            place, f"{shown(value)} is too far away: no number may be larger than {FARTHEST_CELL}"
        )
    return (value[0], value[1])


def is_whole(value: object) -> bool:
    """Say whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def inside(place: str, key: str) -> str:
    """Return the place of a key of the object at a place."""
    name = key if len(key) <= LONGEST_NAME else key[:LONGEST_NAME] + "..."
    return f"{place}.{name}" if place else name


def shown(value: Json) -> str:
    """Return a value as a short text for a message, however long it is."""
    if value is MISSING:
        return "missing"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        plain = len(value) <= 4 and not any(isinstance(item, dict | list) for item in value)
        return f"[{', '.join(map(shown, value))}]" if plain else f"a list of {len(value)}"
    if isinstance(value, str):
        return json.dumps(value if len(value) <= 60 else value[:57] + "...", ensure_ascii=False)
    return json.dumps(value)


def _check_depth_and_letters(value: Json) -> None:
    level, depth = [value], 0
    while level:
        if depth > MOST_NESTED:
            raise RecursionError
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below += one
                below += one.values()
            elif isinstance(one, list):
                below += one
            elif isinstance(one, str) and re.search("[\ud800-\udfff]", one):
                raise RecordError("", "a text contains a broken character; save it as UTF-8")
        level, depth = below, depth + 1


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) != len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise RecordError("", f"the key {shown(twice)} is given twice")
    return entry


def _whole_number(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        problem = f"a number may have at most {LONGEST_NUMBER} digits, not {len(digits)}"
        raise RecordError("", problem)
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise RecordError("", f"the number {digits[:LONGEST_NUMBER]} is too large")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise RecordError("", f"{name} is not a number in JSON")
