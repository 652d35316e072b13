import math

import pytest

from engine.draw.display import after, enlargement, mapped, mix, moved, scaled, traced, turned


def test_maps_work_from_the_last_to_the_first():
    assert mapped(after(moved(10, 0), turned(90), scaled(2)), (1, 0)) == (10, 2)


def test_a_quarter_turn_is_clockwise_and_exact():
    assert mapped(turned(90), (1, 0)) == (0, 1)
    assert enlargement(after(scaled(3), turned(37))) == pytest.approx(3)


def test_cubics_follow_a_circle_within_a_hundredth():
    contour = traced(lambda a: (20 * math.cos(a), 20 * math.sin(a)), 0, math.pi / 2, 3)
    x0, y0 = contour.start
    for x1, y1, x2, y2, x3, y3 in contour.segments:
        middle = ((x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8)
        assert math.hypot(*middle) == pytest.approx(20, abs=0.01)
        x0, y0 = x3, y3


def test_mixed_colours_lie_between():
    assert mix("#000000", "#ff8000", 0.5) == "#804000"
