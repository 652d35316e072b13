"""Pictures of drawn tiles, spoilt on purpose: what is said about them, and where."""

import time
from typing import Any

import cv2
import numpy as np
import pytest

from vision.core.types import width_of
from vision.layout.quality import (
    TEXTS,
    Limits,
    assess,
    grey_advice,
    picture_troubles,
    tile_trouble,
)

WORDS = {"blur", "dark", "glare", "small", "cut-off", "covered", "unknown-tile"}


def table(tile_px: int = 80, across: int = 6, down: int = 4, hexes: bool = False) -> Any:
    """Return a picture of printed tiles on a table, and their outlines."""
    rng = np.random.default_rng(tile_px)
    margin = tile_px
    size = (down * tile_px + 2 * margin, across * tile_px + 2 * margin, 3)
    bgr = np.full(size, (70, 100, 140), np.float64) + rng.normal(0, 3, size)
    outlines = []
    for i in range(across * down):
        x, y = margin + tile_px * (i % across), margin + tile_px * (i // across)
        outline = square(x, y, tile_px - 1)
        if hexes:
            outline = hexagon(x + tile_px / 2, y + tile_px / 2, tile_px * 0.56)
        outlines.append(outline)
        _print_tile(bgr, outline, tile_px, int(rng.integers(4)))
    return np.clip(bgr, 0, 255).astype(np.uint8), outlines


def _print_tile(bgr: Any, outline: Any, tile_px: int, kind: int) -> None:
    colour = ((200, 70, 40), (40, 50, 200), (60, 170, 60), (40, 200, 220))[kind]
    cv2.fillPoly(bgr, [outline.round().astype(np.int32)], (225, 230, 232))
    centre = outline.mean(axis=0).round().astype(int).tolist()
    cv2.polylines(
        bgr, [outline.round().astype(np.int32)], True, (90, 90, 90), max(1, tile_px // 40)
    )
    cv2.circle(bgr, centre, tile_px // 4, colour, max(2, tile_px // 8))
    cv2.line(bgr, centre, [centre[0] + tile_px // 3, centre[1] + tile_px // 4], (30, 30, 30), 2)


def square(x: float, y: float, side: float) -> Any:
    return np.array([(x, y), (x + side, y), (x + side, y + side), (x, y + side)], np.float64)


def hexagon(x: float, y: float, radius: float) -> Any:
    turns = np.arange(6) * np.pi / 3 - np.pi / 2
    return np.column_stack([x + radius * np.cos(turns), y + radius * np.sin(turns)])


def blurred(bgr: Any, deviation: float) -> Any:
    return cv2.GaussianBlur(bgr, (0, 0), deviation)


def shaken(bgr: Any, length: int) -> Any:
    kernel = np.zeros((length, length), np.float32)
    kernel[length // 2] = 1 / length
    return cv2.filter2D(bgr, -1, kernel)


def dimmed(bgr: Any, level: float) -> Any:
    return (bgr * level).astype(np.uint8)


def glaring(bgr: Any, x: int, y: int, radius: int) -> Any:
    spot = np.zeros(bgr.shape[:2], np.float32)
    cv2.circle(spot, (x, y), radius, 1.0, -1)
    spot = cv2.GaussianBlur(spot, (0, 0), radius / 4)
    return np.clip(bgr + 400 * spot[..., None], 0, 255).astype(np.uint8)


def said(quality: Any) -> list[str]:
    return [one.what for one in quality.advice]


@pytest.mark.parametrize("hexes", [False, True])
@pytest.mark.parametrize("tile_px", [26, 40, 80, 200])
def test_good_picture_needs_no_advice(tile_px, hexes):
    bgr, outlines = table(tile_px, hexes=hexes)

    quality = assess(bgr, outlines)

    assert quality.ok
    assert said(quality) == []
    assert tile_trouble(bgr, outlines[0]) is None


@pytest.mark.parametrize("hexes", [False, True])
@pytest.mark.parametrize("tile_px", [40, 80, 140])
def test_blur_counts_by_the_size_of_the_tiles(tile_px, hexes):
    bgr, outlines = table(tile_px, hexes=hexes)

    assert assess(blurred(bgr, 0.02 * tile_px), outlines).ok
    quality = assess(blurred(bgr, 0.16 * tile_px), outlines)
    assert not quality.ok
    assert said(quality) == ["blur"]
    assert tile_trouble(blurred(bgr, 0.16 * tile_px), outlines[5]) == "blur"


def test_shaken_picture_is_blurred_although_one_direction_is_sharp():
    bgr, outlines = table()

    assert said(assess(shaken(bgr, 35), outlines)) == ["blur"]


def test_blur_in_a_corner_is_boxed_there_but_the_picture_will_do():
    bgr, outlines = table()
    bgr[:250, :320] = blurred(bgr, 9)[:250, :320]

    quality = assess(bgr, outlines)

    (advice,) = quality.advice
    assert (advice.what, quality.ok) == ("blur", True)
    assert advice.box is not None
    left, top, width, height = advice.box
    assert left + width < 420
    assert top + height < 340


def test_dark_picture():
    bgr, outlines = table()

    assert assess(dimmed(bgr, 0.4), outlines).ok
    assert said(assess(dimmed(bgr, 0.12), outlines)) == ["dark"]
    assert tile_trouble(dimmed(bgr, 0.12), outlines[0]) == "dark"


def test_glare_on_one_tile_is_told_but_the_picture_will_do():
    bgr, outlines = table()
    spot = glaring(bgr, 200, 200, 30)

    quality = assess(spot, outlines)

    (advice,) = quality.advice
    assert (advice.what, quality.ok) == ("glare", True)
    assert advice.box is not None
    left, top, width, height = advice.box
    assert left <= 200 <= left + width
    assert top <= 200 <= top + height
    hit = [i for i, o in enumerate(outlines) if tile_trouble(spot, o) == "glare"]
    assert hit


def test_glare_on_many_tiles_spoils_the_picture():
    bgr, outlines = table()

    quality = assess(glaring(bgr, 240, 200, 110), outlines)

    assert not quality.ok
    assert "glare" in said(quality)


def test_over_exposed_picture_is_too_bright():
    bgr, outlines = table()

    quality = assess(np.clip(bgr.astype(int) * 3, 0, 255).astype(np.uint8), outlines)

    assert not quality.ok
    assert "too bright" in quality.advice[-1].text


def test_small_tiles_say_how_small():
    bgr, outlines = table(19)

    quality = assess(bgr, outlines)

    assert not quality.ok
    assert "small" in said(quality)
    assert "18 pixels across instead of 24" in quality.advice[0].text
    assert tile_trouble(bgr, outlines[0]) == "small"


def test_tiles_hardly_large_enough_are_told_but_the_picture_will_do():
    bgr, outlines = table(25)

    quality = assess(bgr, outlines, limits=Limits(told_px=24.5))

    assert quality.ok
    assert [advice.what for advice in quality.advice] == ["small"]


def test_pixels_of_the_whole_picture_count_for_size_and_boxes():
    bgr, outlines = table(19)

    assert "small" not in said(assess(bgr, outlines, scale=2.0))
    near_edge = [outlines[0] - 25]
    box = assess(bgr, near_edge, scale=2.0).advice[0].box
    assert box == (0, 0, 26, 26)


def test_tile_that_leaves_the_picture_is_told_but_the_picture_will_do():
    bgr, outlines = table()
    outside = square(-30, 100, 80)

    quality = assess(bgr, [*outlines, outside])

    assert (said(quality), quality.ok) == (["cut-off"], True)
    assert quality.advice[0].box == (0, 100, 51, 81)
    assert tile_trouble(bgr, outside) == "cut-off"


def test_what_others_know_is_told_but_the_picture_will_do():
    bgr, outlines = table()

    quality = assess(bgr, outlines, cut_off=[outlines[0]], covered=[outlines[1]])

    assert said(quality) == ["cut-off", "covered"]
    assert quality.ok


@pytest.mark.parametrize("what", ["cut_off", "covered"])
def test_picture_without_most_of_the_layout_is_not_good_enough(what):
    bgr, outlines = table()
    half, more = len(outlines) // 2, len(outlines) // 2 + 1

    assert assess(bgr, outlines[half:], **{what: outlines[:half]}).ok
    assert not assess(bgr, outlines[more:], **{what: outlines[:more]}).ok
    assert not assess(bgr, [], **{what: outlines}).ok


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda bgr: bgr, []),
        (lambda bgr: dimmed(bgr, 0.1), ["dark"]),
        (lambda bgr: blurred(bgr, 14), ["blur"]),
        (lambda bgr: np.full_like(bgr, 255), ["bright"]),
        (lambda bgr: np.full_like(bgr, 128), []),
        (np.zeros_like, ["dark"]),
    ],
)
def test_picture_without_tiles_is_judged_as_a_whole(spoil, words):
    bgr, _ = table()

    assert picture_troubles(spoil(bgr)) == words
    quality = assess(spoil(bgr), [])
    assert quality.ok is not bool(words)
    assert all(one.box is None for one in quality.advice)


def test_every_word_is_one_of_the_interface():
    other = {"bright": "glare", "hardly": "small", "grey": "unknown-tile"}
    assert {other.get(word, word) for word in TEXTS} <= WORDS
    assert grey_advice().what in WORDS


def test_width_is_the_same_for_squares_and_hexes():
    assert width_of(square(0, 0, 40)) == pytest.approx(40)
    assert width_of(hexagon(0, 0, 40 / np.sqrt(3))) == pytest.approx(40, rel=0.01)


@pytest.mark.parametrize("outline", [square(-900, -900, 50), square(5, 5, 0), square(1e6, 1e6, 9)])
def test_outline_of_nothing_does_no_harm(outline):
    bgr, outlines = table()

    assert tile_trouble(bgr, outline) in ("cut-off", "small")
    assert set(said(assess(bgr, [*outlines, outline]))) <= {"cut-off", "small"}


def test_assessing_is_quick():
    bgr, outlines = table(150, 10, 5)
    assess(bgr, outlines)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        assess(bgr, outlines)
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    cv2.GaussianBlur(bgr, (0, 0), 3)
    measure = time.perf_counter() - start

    # In blurs of the same picture, so that a slow or busy machine changes nothing.
    assert min(times) < 8 * measure


def test_tiles_that_are_cut_and_read_all_the_same_are_not_lost():
    bgr, outlines = table(80)
    limits = Limits(lost=0.15)

    some = [
        assess(bgr, outlines[6:], cut_off=outlines[:6], limits=limits, cut_read=n).ok
        for n in (0, 6)
    ]
    most = assess(bgr, outlines[16:], cut_off=outlines[:16], limits=limits, cut_read=16)

    assert some == [False, True]
    assert not most.ok, "what shows hardly more than a layout's rim shows no table"


def test_outlines_of_a_poor_picture_are_told_to_be_small_though_they_seem_wider():
    bgr, outlines = table(29)
    limits = Limits(told_px=27.0, poorly_told_px=30.0)

    assert said(assess(bgr, outlines, limits=limits)) == []
    assert said(assess(bgr, outlines[:4], limits=limits, covered=outlines[4:])) == [
        "covered",
        "small",
    ]
