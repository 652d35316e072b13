"""Validates JSON input value by value; errors name the place of the mistake.

Nothing here knows a game. Unknown and repeated keys are refused, so that a misspelt key is never
taken for a missing one.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from engine.errors import RecordError
from engine.game import Json
from engine.lattice import Cell

LARGEST_BYTES = 8 << 20
"""Size limit of a JSON document; the longest record and the fullest table take a quarter of it."""
MOST_NESTED = 40
LONGEST_NUMBER = 40
LONGEST_NAME = 40
FARTHEST_CELL = 10_000
"""The largest coordinate of a cell; no box has enough tiles to reach it."""
JOINERS = "\u200c\u200d"
"""Zero-width joiners that names may have: composed emoji, Persian and Indic scripts need them."""
HIDDEN = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
"""Unicode categories of characters that are invisible or change the direction of text."""
MISSING: Any = object()
"""Marks a key that is absent, as opposed to ``null``."""


def load_json(text: str | bytes, place: str = "", largest: int = LARGEST_BYTES) -> Json:
    """Return the value of a JSON text.

    Raises:
        RecordError: the text is not JSON, too long or too deep, not UTF-8, has lone surrogates or
            numbers that are too large, or repeats a key.
    """
    if len(text) > largest:
        raise RecordError(place, f"this is larger than {largest >> 20} MB")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_no_key_twice,
            parse_constant=_refuse_constant,
            parse_int=_whole_number,
            parse_float=_number,
        )
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
    """Return the value of a JSON file; reads at most one byte more than ``largest``.

    Raises:
        RecordError: as for ``load_json``, or the path is not a regular file.
        OSError: the file is missing or cannot be read.
    """
    # Reading a pipe or a device could block.
    if path.exists() and not path.is_file():
        raise RecordError("", "this is no plain file")
    with path.open("rb") as file:
        return load_json(file.read(largest + 1), largest=largest)


def an_object(value: Json, place: str, known: Collection[str] = ()) -> Mapping[str, Any]:
    """Return a JSON object, checked to have only known keys if any are named."""
    if not isinstance(value, dict):
        raise RecordError(place, f"must be an object, but is {shown(value)}")
    if known:
        refuse_unknown(value, known, place)
    return value


def refuse_unknown(keys: Iterable[str], known: Collection[str], place: str) -> None:
    """Refuse the first unknown key, with a suggestion of the key that was meant."""
    for key in keys:
        if key not in known:
            raise RecordError(inside(place, key), f"is not known here{meant(key, known)}")


def meant(word: str, known: Collection[str]) -> str:
    """Return the end of a message: the most similar known word, else all known words."""
    near = get_close_matches(word[:LONGEST_NAME], list(known), n=1)
    return f"; did you mean {near[0]}?" if near else f"; known: {', '.join(sorted(known))}"


def a_list(value: Json, place: str, most: int | None = None) -> list[Any]:
    """Return a JSON list of at most ``most`` entries."""
    if not isinstance(value, list):
        raise RecordError(place, f"must be a list, but is {shown(value)}")
    if most is not None and len(value) > most:
        raise RecordError(place, f"there may be at most {most} entries, not {len(value)}")
    return value


def entries(value: Json, place: str, most: int | None = None) -> Iterator[tuple[Any, str]]:
    """Yield the entries of a JSON list, each with its place."""
    for number, entry in enumerate(a_list(value, place, most)):
        yield entry, f"{place}[{number}]"


def one_of(known: Collection[str], value: Json, place: str) -> str:
    """Return a text that is one of those known."""
    if not isinstance(value, str) or value not in known:
        raise RecordError(place, f"{shown(value)} is not one of {', '.join(known)}")
    return value


def a_name(value: Json, place: str) -> str:
    """Return the name of a person: short, and without invisible characters."""
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
    """Say whether a text has control characters or other invisible ones."""
    return any(unicodedata.category(c) in HIDDEN and c not in JOINERS for c in text)


def without_hidden(text: str) -> str:
    """Return a text on one line, without control characters and other invisible ones."""
    return " ".join("".join(c for c in text if not hides(c)).split()).strip(JOINERS)


def a_cell(value: Json, place: str) -> Cell:
    """Return a cell: two whole numbers of at most ``FARTHEST_CELL``."""
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
    """Return the place of a key inside the object at ``place``, for error messages."""
    name = key if len(key) <= LONGEST_NAME else key[:LONGEST_NAME] + "..."
    # An option of the command line is no object: its value stands after a blank.
    between = " " if place.startswith("--") else "."
    return f"{place}{between}{name}" if place else name


def shown(value: Json) -> str:
    """Return a value as a short text for an error message."""
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
