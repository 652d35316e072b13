"""What was read, drawn over the photo: every kind can be told from the others, at any size."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from companion_app.cli.seen_picture import LONGEST_PX, drawn_over
from companion_app.outlining import ink_of

BLUE, AMBER = (0, 0, 255), (0, 255, 255)


def square(x: float, y: float, side: float) -> list[list[float]]:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]


def table(side: float, **more: Any) -> dict[str, Any]:
    return {
        "tiles": [{"tile": "blue/curve", "outline": square(side, side, side)}],
        "unsure": [{"tile": "red/curve", "outline": square(3 * side, side, side), "why": "glare"}],
        "aside": [{"tile": "back", "outline": square(5 * side, side, side)}],
        "clay": [],
    } | more


def drawn(side: int, **more: Any) -> Any:
    bgr = np.full((4 * side, 8 * side, 3), 128, np.uint8)
    return drawn_over(bgr, table(side, **more), lambda points: points, ("blue", "red"))


def near(picture: Any, colour: str, part: tuple[slice, slice]) -> float:
    """Return the share of pixels that have about a colour."""
    wanted = [int(colour[i : i + 2], 16) for i in (5, 3, 1)]
    return float((np.abs(picture[part].astype(int) - wanted).max(axis=2) < 24).mean())


def around(picture: Any, left: float) -> tuple[slice, slice]:
    scale = picture.shape[1] / 8
    low, high = round(0.8 * scale), round(2.2 * scale)
    return slice(low, high), slice(round((left - 0.2) * scale), round((left + 1.2) * scale))


@pytest.mark.parametrize("side", [4, 24, 60, 200, 900])
def test_every_kind_has_a_style_of_its_own(side):
    picture = drawn(side)

    blue = ink_of("blue/curve", ("blue", "red"))
    assert near(picture, blue, around(picture, 1)) > 0.02
    assert near(picture, "#f2b632", around(picture, 3)) > 0.02
    assert near(picture, blue, around(picture, 3)) == 0
    assert near(picture, "#c9d3de", around(picture, 5)) > 0.01
    assert near(picture, "#f2b632", around(picture, 5)) == 0


@pytest.mark.parametrize("side", [4, 24, 60, 200])
def test_names_have_letters_that_can_be_read(side):
    picture = drawn(side)
    rows, columns = around(picture, 1)
    white = (np.abs(picture[rows, columns].astype(int) - 255).max(axis=2) < 60).any(axis=1)

    # Two lines of letters, each at least seven pixels high.
    assert np.count_nonzero(white) >= 14


def test_a_large_photo_keeps_its_size_and_a_small_one_is_enlarged_within_limits():
    assert drawn(300).shape == (1200, 2400, 3)
    assert drawn(24).shape[1] == 960
    assert max(drawn(1).shape) <= LONGEST_PX


def test_what_lies_outside_the_photo_or_has_no_outline_breaks_nothing():
    off = [
        {"tile": "blue/curve", "outline": square(-500, -500, 40)},
        {"tile": "blue/head", "outline": square(300, 100, 900)},
        {"tile": "blue/tail", "outline": [[0, 0], [0, 0], [0, 0]]},
        {"tile": "blue/tail"},
    ]
    picture = drawn(40, tiles=off, clay=[{"kind": "open", "centre": [-5, 3]}, {"kind": "closed"}])

    assert picture.dtype == np.uint8


def test_a_photo_of_nothing_says_so():
    picture = drawn(60, tiles=[], unsure=[], aside=[])

    assert cv2.absdiff(picture, np.full_like(picture, 128)).any()
    assert not cv2.absdiff(picture, np.full_like(picture, 128))[:120].any()
