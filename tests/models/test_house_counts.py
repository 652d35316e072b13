"""What the counting command counts, on small sources."""

import pytest

from models.lab.evaluate.house import chosen_numbers, counts


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("NEAR, FAR = 0.3, (1.5, 2)", [("NEAR", 0.3), ("FAR", 1.5), ("FAR", 2)]),
        ("LOW = -3.5", [("LOW", 3.5)]),
        ('A = 0\nB = True\nC = "3"\nD = 0.0', []),
        ("class Limits:\n    near: float = 0.4", [("near", 0.4)]),
        ("def look(px, far=9, *, wide=2.5):\n    pass", [("far", 9), ("wide", 2.5)]),
        ("def f(x, y):\n    return x > 0.7 and len(y) == 2 and x != 0 and y[5] < x", [("", 0.7)]),
        ("def area(a):\n    return a * 3 / 4", []),
    ],
)
def test_number_counts_where_it_is_written_to_be_compared(source, numbers):
    assert [(name, value) for name, value, _ in chosen_numbers(source)] == numbers


@pytest.mark.parametrize(
    ("source", "is_geometry"),
    [
        ("SIDES = 6", True),
        ("SILENCE_S = 1.5", True),
        ("TURNED = 90", True),
        ("PLACES = ((1, 0), (1, 1), (0.5, 1), (2, 1))", True),
        ("NEAR = 0.35", False),
        ("FEWEST = 3", False),
        ("SHARES = (0.1, 0.2, 0.3, 0.4)", False),
    ],
)
def test_number_is_geometry_a_budget_or_a_decision(source, is_geometry):
    assert {geometry for *_, geometry in chosen_numbers(source)} == {is_geometry}


def test_tree_is_counted_with_data_that_nothing_fits(tmp_path):
    (tmp_path / "vision").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "vision" / "look.py").write_text("NEAR = 0.5\nSIDES = 4\n\n\ndef f():\n    pass\n")
    (tmp_path / "vision" / "limits.json").write_text('{"near": [0.5, 3]}')

    counted = counts(tmp_path)

    assert counted["numbers"] == 4
    assert counted["numbers: hand-set decisions"] == 3
