"""What the counting command counts, on small sources."""

from pathlib import Path

import pytest

from models.lab.evaluate.house import (
    Busy,
    arrows,
    busy_functions,
    chosen_numbers,
    counts,
    dictionary_places,
    same_shaped,
    table,
)


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


def test_branches_are_counted_after_mccabe():
    source = (
        "def f(x):\n    if x and x > 1 or not x:\n        return [a for a in x if a]\n"
        "    return 1 if x else 2\n\ndef g():\n    pass\n"
    )

    assert busy_functions(source, most=1) == [Busy("f", 7)]
    assert busy_functions(source) == []


def test_dictionary_of_anything_counts_where_it_is_handed_on():
    source = (
        "Entry = Mapping[str, Any]\n"
        "class Table:\n    tiles: tuple[Entry, ...]\n    number: int\n"
        "def f(a: dict[str, Any], b: dict[str, int]) -> Entry:\n    c: Entry = a\n"
    )

    assert dictionary_places(source) == 3


def test_rooms_and_files_beside_them_are_joined_by_one_arrow_each():
    sources = {
        Path("read.py"): "from vision.core.types import A\nfrom vision.core.crop import cut",
        Path("detect/probe.py"): "import vision.core.types\nimport vision.detect.network",
        Path("__init__.py"): "from vision.read import read_table",
    }

    assert arrows(sources, "vision") == {("read", "core"), ("detect", "core")}


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


SIX = "def f(a):\n    b = a + 1\n    c = g(b)\n    if c:\n        return c.x\n    return [c, 2]\n"


def test_lines_of_one_shape_are_a_pair_whatever_their_words():
    other = SIX.replace("a", "way").replace("c", "cup").replace("2", "7")

    assert same_shaped({Path("one.py"): SIX, Path("two.py"): other}) == [("one.py:1", "two.py:1")]


def test_lines_of_another_shape_and_fields_are_no_pair():
    fields = "class A:\n" + "".join(f"    n{k}: int = {k}\n" for k in range(20))
    other = SIX.replace("a + 1", "a + 1 + 2")

    assert same_shaped({Path("one.py"): SIX, Path("two.py"): other, Path("three.py"): fields}) == []
