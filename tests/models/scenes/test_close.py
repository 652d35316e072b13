"""What lies close beside a layout: how near it comes, and what it leaves as it was."""

from dataclasses import replace

import pytest

from models.scenes.arrange import CLOSE_FIELDS_MM, arrange
from models.scenes.settings import SQUARE_GAMES, draw_settings
from models.scenes.world.aside import CLOSE_MM, STEP_MM, least_gap_mm, outlines_of

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
