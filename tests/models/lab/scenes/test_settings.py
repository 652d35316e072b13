"""Every variation of real tables occurs, and over its whole range."""

from functools import cache

import numpy as np
import pytest

from models.lab.scenes import settings as drawn
from models.lab.scenes.settings import SUBJECTS, SceneSettings, draw_settings
from models.lab.scenes.splits import SPLITS, SURFACE_FAMILIES, Split

SEEDS = 120


@cache
def many(split: Split) -> tuple[SceneSettings, ...]:
    return tuple(
        draw_settings(seed, split, subject) for subject in SUBJECTS for seed in range(SEEDS)
    )


def covers(values, low, high, slack=0.06):
    """Say whether values stay in a range and come near to both of its ends."""
    values = np.array(values)
    room = slack * (high - low)
    inside = values.min() >= low - 1e-9 and values.max() <= high + 1e-9
    return inside and values.min() <= low + room and values.max() >= high - room


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("what", "low", "high"),
    [
        (lambda s: s.camera.height_mm, 400, 1200),
        (lambda s: s.camera.elevation_deg, 45, 90),
        (lambda s: s.camera.azimuth_deg, 0, 360),
        (lambda s: s.camera.corner_shift, *drawn.CORNER_SHIFT),
        (lambda s: s.cards.shift_mm, 0, 3),
        (lambda s: s.cards.turn_deg, 0, 5),
        (lambda s: s.cards.gap_mm, 0, 3),
        (lambda s: s.light.kelvin, 2700, 6500),
        (lambda s: s.fullness, 0, 1),
    ],
    ids=["height", "elevation", "turn", "lens", "shift", "off the grid", "gap", "kelvin", "full"],
)
def test_range_is_covered(split, what, low, high):
    assert covers([what(s) for s in many(split)], low, high)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("what", "happens"),
    [
        ("thin card", lambda s: s.cards.thickness_mm < 0.5),
        ("thick card", lambda s: s.cards.thickness_mm > 2),
        ("worn", lambda s: s.cards.wear > 0.5),
        ("bent", lambda s: s.cards.bend_deg > 2),
        ("glossy", lambda s: s.cards.gloss > 0.6),
        ("pale print", lambda s: s.print.pale > 0.3),
        ("streaked print", lambda s: s.print.streaks > 0.3),
        ("print off in colour", lambda s: np.ptp(s.print.gains) > 0.15),
        ("dim", lambda s: s.light.level < 0.4),
        ("uneven", lambda s: s.light.unevenness > 0.6),
        ("glare", lambda s: s.light.glare > 0.5),
        ("hard shadows", lambda s: s.light.softness < 0.1 and s.light.ambient < 0.4),
        ("soft shadows", lambda s: s.light.softness > 1),
        ("noise", lambda s: s.sensor.noise > 1.5),
        ("blur", lambda s: s.sensor.blur_px > 1.3),
        ("motion", lambda s: s.sensor.motion_px > 2),
        ("wrong white balance", lambda s: s.sensor.white_balance < 0.5),
        ("strong JPEG", lambda s: s.sensor.jpeg_quality < 65),
        ("weak JPEG", lambda s: s.sensor.jpeg_quality > 90),
        ("640 x 480", lambda s: s.camera.size_px == (640, 480)),
        ("12 megapixels", lambda s: s.camera.size_px[0] * s.camera.size_px[1] > 12_000_000),
        ("upright", lambda s: s.camera.size_px[0] < s.camera.size_px[1]),
        ("straight from above", lambda s: s.camera.elevation_deg == 90),
        ("layout cut off", lambda s: s.camera.fill > 1),
        ("drift", lambda s: s.cards.drift_mm > 4),
        ("stocks in piles", lambda s: s.clutter.stocks and not s.clutter.stock_spread),
        ("stocks in rows", lambda s: s.clutter.stocks and s.clutter.stock_spread),
        ("draw pile", lambda s: s.clutter.draw_pile),
        ("discard", lambda s: s.clutter.discard),
        ("tokens", lambda s: s.clutter.tokens > 0),
        ("two hands", lambda s: s.clutter.hands == 2),
        ("cups", lambda s: s.clutter.cups > 0),
        ("phone", lambda s: s.clutter.phones > 0),
        ("dice", lambda s: s.clutter.dice > 0),
        ("rulebook", lambda s: s.clutter.rulebook),
        ("plain squares", lambda s: s.clutter.plain_squares > 0),
        ("bare table", lambda s: not s.clutter.stocks and not s.clutter.hands),
        ("random play", lambda s: s.play == "random"),
        ("sensible play", lambda s: s.play == "greedy"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_variation_occurs(split, what, happens):
    share = np.mean([happens(s) for s in many(split)])

    assert 0.005 < share < 0.995, what


@pytest.mark.parametrize("split", SPLITS)
def test_every_surface_and_every_negative_occurs(split):
    names = {s.surface.name.rpartition("-")[0] for s in many(split)}

    assert set(SURFACE_FAMILIES) <= names
    assert set(drawn.NEGATIVES) == {s.negative for s in many(split) if s.negative}


@pytest.mark.parametrize("split", SPLITS)
def test_a_tenth_of_the_tables_has_a_foul(split):
    share = np.mean([s.foul for s in many(split)])

    assert share == pytest.approx(0.1, abs=0.025)


def test_one_seed_is_one_table_at_any_size():
    small, large = (
        draw_settings(5, "train", "sssnake", size) for size in ((640, 480), (1920, 1080))
    )

    assert small.light == large.light
    assert small.surface == large.surface
    assert small.camera.elevation_deg == large.camera.elevation_deg


def test_an_unknown_subject_is_named():
    with pytest.raises(ValueError, match="'chess' is no subject"):
        draw_settings(0, "train", "chess")
