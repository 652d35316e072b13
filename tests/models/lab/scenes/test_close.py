"""What lies close beside a layout: how near it comes, and what it leaves as it was."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from models.lab.scenes.arrange import CLOSE_FIELDS_MM, arrange
from models.lab.scenes.settings import SQUARE_GAMES, draw_settings
from models.lab.scenes.world.aside import CLOSE_MM, STEP_MM, lay_close, least_gap_mm, outlines_of

SEEDS = range(6)


def items_of(top, role):
    return [item for item in top.items if item.role == role]


@pytest.mark.parametrize("game", SQUARE_GAMES)
def test_stocks_and_hands_lie_close_to_the_layout_but_do_not_touch_it(game):
    gaps = []
    for seed in SEEDS:
        top = arrange(draw_settings(seed, "train", game, beside="close"))
        beside = items_of(top, "aside")
        if beside:
            played = outlines_of(items_of(top, "tile"), top.faces)
            gaps.append(least_gap_mm(outlines_of(beside, top.faces), played))

    assert len(gaps) > len(SEEDS) / 2
    assert min(gaps) >= CLOSE_MM[0]
    # What a hole of the layout has no room for goes further out.
    assert sorted(gaps)[len(gaps) // 2] <= CLOSE_MM[1] + STEP_MM


def test_fields_come_as_near_to_each_other_as_said():
    for seed in SEEDS:
        top = arrange(draw_settings(seed, "train", "sssnake", beside="close"))
        tiles = items_of(top, "tile")
        for field in {item.truth["field"] for item in tiles}:
            own = [item for item in tiles if item.truth["field"] == field]
            others = [item for item in tiles if item.truth["field"] != field]
            gap = least_gap_mm(outlines_of(own, top.faces), outlines_of(others, top.faces))

            assert gap >= CLOSE_FIELDS_MM[0] - 0.01


@pytest.mark.parametrize("game", SQUARE_GAMES)
def test_a_close_table_has_the_layout_of_the_far_one(game):
    far, close = (
        items_of(arrange(draw_settings(5, "train", game, beside=beside)), "tile")
        for beside in ("far", "close")
    )

    assert [item.truth for item in far] == [item.truth for item in close]


def test_never_more_cards_lie_on_the_table_than_the_box_has():
    settings = replace(draw_settings(3, "train", "carnival", beside="close"), fullness=1.0)
    names = [item.face for item in arrange(settings).items if item.role in ("tile", "aside")]

    assert names.count("house") == 1
    assert names.count("gift") <= 4


def test_what_lies_in_line_has_a_card_on_the_line_of_a_card_in_play():
    settings = draw_settings(4, "train", "schlangennest", beside="close")
    top = arrange(settings)
    layout = replace(top, items=tuple(items_of(top, "tile")))
    pitch = 50.0

    for seed in SEEDS:
        laid = lay_close(
            layout,
            Counter({"red/straight": 3, "red/curve": 3}),
            settings,
            pitch,
            np.random.default_rng(seed),
            in_line=True,
        )
        beside = items_of(laid, "aside")
        off = [_off_line(item, other) for item in layout.items for other in beside]

        assert min(off) < 0.1 * pitch


def _off_line(item, other):
    """How far another card lies off the lines through a card's middle, along its sides."""
    turn = np.radians(item.angle_deg)
    away = np.array([other.x_mm - item.x_mm, other.y_mm - item.y_mm])
    return np.abs([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))] @ away).min()
