"""Art as data: shapes, patterns, coats and letters that ``art.json`` holds.

A shape is written ``fill stroke width: path``. A colour is ``#rrggbb``, a name that the caller
knows, or ``-`` for none. A path has the commands of SVG (``M``, ``L``, ``C``, ``Z``), ``E`` for an
ellipse (centre and radii), ``B`` for a box (left, top, width, height and radius of its corners),
``P`` for a polygon and ``O`` for an open line. A list is clipped by the path that it begins with.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from engine.draw.display import (
    Contour,
    Group,
    Item,
    Path,
    Point,
    ellipse,
    polygon,
    polyline,
    rectangle,
    rounded,
    stroked,
)

ART: Mapping[str, Any] = json.loads(
    pathlib.Path(__file__).with_name("art.json").read_text(encoding="utf-8")
)
WHITE = "#ffffff"
INK = "#2a2622"
"""The darkest colour of the art: pupils, outlines, letters."""
ADVANCE = 5.6
"""From one letter to the next; letters stand on a grid 4 wide and 6 high."""


def shape(name: str, **colours: str) -> list[Item]:
    """Return a shape around (0, 0), in the colours that it names."""
    return [_item(line, colours) for line in ART["shapes"][name]]


def painted(line: str, colours: Mapping[str, str]) -> Path:
    """Return one path of a shape."""
    paint, path = line.split(": ")
    fill, stroke, width = (*paint.split(), "-", "0")[:3]
    known: dict[str, str | None] = {"white": WHITE, "ink": INK, "-": None, **colours}
    return Path(contours(path), known.get(fill, fill), known.get(stroke, stroke), float(width))


@cache
def contours(path: str) -> tuple[Contour, ...]:
    """Return the contours of a path."""
    found: list[Contour] = []
    for letter, numbers in commands(path):
        if letter == "M":
            found.append(Contour((numbers[0], numbers[1]), (), closed=False))
        elif letter == "E":
            found.append(ellipse((numbers[0], numbers[1]), *numbers[2:]))
        elif letter == "B":
            found.append(rounded(*numbers) if len(numbers) == 5 else rectangle(*numbers))
        elif letter in "PO":
            found.append((polygon if letter == "P" else polyline)(pairs(numbers)))
        elif letter == "Z":
            found[-1] = replace(found[-1], closed=True)
        else:
            each = 2 if letter == "L" else 6
            more = (numbers[i : i + each] for i in range(0, len(numbers), each))
            found[-1] = replace(found[-1], segments=(*found[-1].segments, *more))
    return tuple(found)


def commands(path: str) -> list[tuple[str, tuple[float, ...]]]:
    """Return the commands of a path with their numbers."""
    return [
        (letter, tuple(map(float, numbers.split())))
        for letter, numbers in re.findall(r"([A-Z])([^A-Z]*)", path)
    ]


def pairs(numbers: Sequence[float]) -> list[Point]:
    """Return numbers as points."""
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def words(text: str, centre: Point, height: float, colour: str, weight: float = 0.17) -> Path:
    """Return a line of capitals around a centre; unknown letters become ``?``.

    The font is one of strokes, so that a face looks the same on screen and paper.

    Args:
        text: the words.
        centre: the middle of the line.
        height: the height of a capital.
        colour: the colour of the strokes.
        weight: the width of a stroke as a share of the height.
    """
    unit = height / 6
    left, top = centre[0] - words_width(text, height) / 2, centre[1] - height / 2
    strokes = []
    for i, letter in enumerate(text.upper()):
        if letter == " ":
            continue
        # A point is two digits, bars separate strokes.
        for stroke in ART["letters"].get(letter, ART["letters"]["?"]).split("|"):
            points = [(int(p[0]) + i * ADVANCE, int(p[1])) for p in stroke.split()]
            strokes.append(polyline([(left + x * unit, top + y * unit) for x, y in points]))
    return stroked(colour, height * weight, *strokes)


def words_width(text: str, height: float) -> float:
    """Return the width of a line of capitals that ``words`` draws with this height."""
    return ((len(text) - 1) * ADVANCE + 4) * height / 6


def _item(line: Any, colours: Mapping[str, str]) -> Item:
    if isinstance(line, str):
        return painted(line, colours)
    clip, *inside = line
    return Group(tuple(_item(one, colours) for one in inside), clip=contours(clip))
