"""What the counting command counts, on small sources."""

import pytest

from models.lab.evaluate.house import chosen_numbers, counts, table


def kinds(source):
    return [(one.kind, one.name, one.value) for one in chosen_numbers(source)]


def purposes(source):
    return [one.purpose for one in chosen_numbers(source)]


def test_constant_counts_each_of_its_numbers():
    assert kinds("NEAR, FAR = 0.3, (1.5, 2)") == [
        ("constant", "NEAR", 0.3),
        ("constant", "FAR", 1.5),
        ("constant", "FAR", 2),
    ]


def test_number_below_zero_counts_once():
    assert kinds("LOW = -3.5") == [("constant", "LOW", 3.5)]


def test_zero_truth_and_words_are_no_choice():
    assert kinds('A = 0\nB = True\nC = "3"\nD = 0.0') == []


def test_field_and_default_count():
    source = "class Limits:\n    near: float = 0.4\n\ndef look(px, far=9, *, wide=2.5):\n    pass"

    assert kinds(source) == [
        ("field", "near", 0.4),
        ("default", "far", 9),
        ("default", "wide", 2.5),
    ]


def test_comparison_counts_but_not_with_a_count_of_things():
    source = "def f(x, y):\n    return x > 0.7 and len(y) == 2 and x != 0 and y[5] < x"

    assert kinds(source) == [("comparison", "", 0.7)]


def test_number_in_a_formula_is_no_limit():
    assert kinds("def area(a):\n    return a * 3 / 4") == []


@pytest.mark.parametrize(
    ("source", "purpose"),
    [
        ("SIDES = 6", "geometry or budget"),
        ("SILENCE_S = 1.5", "geometry or budget"),
        ("TURNED = 90", "geometry or budget"),
        ("PLACES = ((1, 0), (1, 1), (0.5, 1), (2, 1))", "geometry or budget"),
        ("NEAR = 0.35", "hand-set"),
        ("FEWEST = 3", "hand-set"),
        ("SHARES = (0.1, 0.2, 0.3, 0.4)", "hand-set"),
    ],
)
def test_number_is_geometry_a_budget_or_a_decision(source, purpose):
    assert set(purposes(source)) == {purpose}


def test_tree_is_counted_with_data_that_nothing_fits(tmp_path):
    (tmp_path / "vision").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "vision" / "look.py").write_text("NEAR = 0.5\nSIDES = 4\n\n\ndef f():\n    pass\n")
    (tmp_path / "vision" / "limits.json").write_text('{"near": [0.5, 3]}')

    counted = counts(tmp_path)

    assert counted["numbers"] == "4"
    assert counted["numbers: hand-set decisions"] == "3"


def test_table_has_before_and_now_side_by_side():
    assert table({"numbers": "300"}, {"numbers": "1228"}).splitlines()[-1] == (
        "| numbers | 1228 | 300 |"
    )
