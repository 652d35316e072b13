"""``make quick``: which tests a change reaches, the nearest first, and the end of its minute."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.quick import Minute, in_time, reached_by

TREE = {
    "engine/__init__.py": "",
    "engine/lattice.py": "",
    "engine/rules.py": "from engine.lattice import (\n    Cell,\n    turned,\n)\n",
    "companion_app/page.py": "def show():\n    from engine import rules\n",
    "tests/engine/test_lattice.py": "import pytest\n",
    "tests/engine/test_rules.py": "from engine import rules\n",
    "tests/browser/test_page.py": "from companion_app.page import show\n# the board\n",
    "tests/test_words.py": "open('de.json')\n",
    "tests/kit.py": "from engine.rules import judge\n",
}


@pytest.fixture
def tree(tmp_path):
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for folder in ("calibration", "deploy", "models", "vision"):
        (tmp_path / folder).mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        (
            "engine/lattice.py",
            {
                "tests/engine/test_lattice.py": 0,
                "tests/engine/test_rules.py": 2,
                "tests/browser/test_page.py": 3,
            },
        ),
        ("companion_app/page.py", {"tests/browser/test_page.py": 0}),
        ("companion_app/locales/de.json", {"tests/test_words.py": 1}),
        ("companion_app/static/board.js", {"tests/browser/test_page.py": 2}),
        ("tests/engine/test_rules.py", {"tests/engine/test_rules.py": 0}),
        ("README.md", {}),
    ],
)
def test_a_change_reaches_tests_by_name_by_imports_and_by_what_they_call_it(tree, changed, reached):
    assert reached_by([changed], tree) == reached


def test_the_nearest_and_quickest_tests_come_first_and_what_takes_too_long_is_left():
    steps = {"far.py": 3, "near.py": 0, "slow.py": 1, "quick.py": 1}

    chosen = in_time(steps, {"near.py": 2.0, "slow.py": 60.0, "quick.py": 1.0}, 8.0)

    assert chosen == ["near.py", "quick.py", "far.py"]


@pytest.mark.parametrize(("seconds", "ended"), [(-1.0, True), (1000.0, False)])
def test_no_test_begins_when_the_minute_is_over(seconds, ended):
    item: Any = SimpleNamespace(nodeid="a.py::b", session=SimpleNamespace(shouldstop=False))
    minute = Minute(seconds)

    minute.pytest_runtest_teardown(item, item)

    assert bool(item.session.shouldstop) is ended
    assert minute.begun == {"a.py"}
