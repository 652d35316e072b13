import time
from typing import Any

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_names, built_in_set
from models.art import faces

SMALL_PX = 24
"""The smallest tile that must still be told from others."""


def small(painted, size=SMALL_PX):
    return cv2.resize(painted.bgr, (size, size), interpolation=cv2.INTER_AREA).astype(float)


def single_cards(tile_set):
    painted = faces(tile_set, 6.0)
    return {kind: painted[kind.name] for kind in tile_set.kinds.values() if len(kind.cells) == 1}


@pytest.mark.parametrize("name", built_in_names())
def test_every_tile_is_painted_in_its_size_and_cut_out_along_its_outline(name):
    tile_set = built_in_set(name)
    painted = faces(tile_set, 6.0)

    for kind in tile_set.kinds.values():
        for one in (painted[kind.name], painted[f"{kind.name}:back"]):
            height, width = one.alpha.shape
            assert one.bgr.shape == (height, width, 3)
            assert (width, height) == tuple(round(side * 6.0) for side in one.size_mm)
            area = cv2.contourArea(np.array(one.outline_mm, np.float32)) * 36
            assert one.alpha.sum() / 255 == pytest.approx(area, rel=0.01)


def test_faces_are_kept_and_new_sizes_are_painted_anew():
    tile_set = built_in_set("sssnake")
    first = faces(tile_set, 6.0)
    started_s = time.perf_counter()
    again = faces(tile_set, 6.0)

    assert time.perf_counter() - started_s < 0.1
    assert again["curve"] is first["curve"]
    assert faces(tile_set, 3.0)["curve"].bgr.shape == (135, 135, 3)


@pytest.mark.parametrize("name", ["schlangennest", "sssnake", "carnival"])
def test_kinds_and_turns_are_told_apart_at_the_smallest_size(name):
    looks = []
    for kind, one in single_cards(built_in_set(name)).items():
        picture = small(one)
        for turns in range(kind.period):
            looks.append(((kind.name, turns), np.rot90(picture, -turns)))
    for i, (one, a) in enumerate(looks):
        for other, b in looks[i + 1 :]:
            assert np.abs(a - b).mean() > 2.0, f"{one} looks like {other}"


@pytest.mark.parametrize("name", ["schlangennest", "sssnake", "carnival"])
def test_a_card_looks_the_same_as_often_as_its_strands_do(name):
    cards = single_cards(built_in_set(name))
    checked = [
        (kind, one)
        for kind, one in cards.items()
        if kind.period < 4 and kind.role not in ("knot", "diamond", "gift", "trouble", "hat")
    ]
    assert checked
    for kind, one in checked:
        half = 2 if kind.period == 1 else kind.period
        a, b = small(one, 90), np.rot90(small(one, 90), half)
        assert np.abs(a - b).mean() < 2.5, kind.name


@pytest.mark.parametrize("name", ["schlangennest", "sssnake", "carnival"])
def test_strands_carry_on_from_card_to_card(name):
    """Every side that a strand of one colour crosses looks the same along the cut."""
    sides: dict[str, list[Any]] = {}
    for kind, one in single_cards(built_in_set(name)).items():
        if kind.role in ("log", "crossing-log"):
            continue
        for strand in kind.strands:
            for edge in strand.edges:
                row = np.rot90(one.bgr, edge)[0].astype(float)
                middle = row[len(row) // 2 - 44 : len(row) // 2 + 44]
                sides.setdefault(strand.colour, []).append(middle)
    for colour, rows in sides.items():
        for row in rows[1:]:
            off = min(np.abs(row - rows[0]).mean(), np.abs(row[::-1] - rows[0]).mean())
            assert off < 6, colour


@pytest.mark.parametrize(
    ("name", "tile"), [("schlangennest", "straight"), ("carnival", "straight"), ("snekagon5g", "2")]
)
def test_colours_differ_by_pattern_even_without_colour(name, tile):
    tile_set = built_in_set(name)
    painted = faces(tile_set, 6.0)
    grey = {}
    for colour in tile_set.colours:
        picture = cv2.cvtColor(painted[f"{colour}/{tile}"].bgr, cv2.COLOR_BGR2GRAY)
        height = len(picture)
        stripe = picture[int(height * 0.4) : int(height * 0.6)].astype(float)
        # Without mean and contrast only the drawing is left.
        grey[colour] = (stripe - stripe.mean()) / stripe.std()
    names = list(grey)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            assert (grey[one] * grey[other]).mean() < 0.9, f"{one} is drawn like {other}"


def test_backs_of_cards_do_not_tell_what_is_on_the_front():
    painted = faces(built_in_set("carnival"), 6.0)
    backs = [
        one.bgr for key, one in painted.items() if key.endswith(":back") and "token" not in key
    ]

    assert all(np.array_equal(back, backs[0]) for back in backs)


def test_the_second_side_of_a_hex_tile_is_the_first_in_a_mirror():
    painted = faces(built_in_set("snekagon"), 6.0)
    front, back = painted["red/4/0+"], painted["red/4/0+:back"]

    assert np.array_equal(back.bgr, front.bgr[:, ::-1])
    assert back.cells != front.cells
