"""What other packages may use of ``vision``: its front door, and a list that is to shrink."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import vision

ROOT = Path(vision.__file__).parents[1]
ALSO_OPEN = "vision.sources"
"""Each of its files is a camera of its own."""
REACHED = {
    "companion_app": frozenset(
        [
            "classify.reader",
            "core",
            "detect.network",
            "hexes.models",
        ]
    ),
    "models": frozenset(
        [
            "classify",
            "classify.embedding",
            "classify.evidence",
            "classify.faces",
            "classify.reader",
            "classify.reading",
            "classify.taught",
            "classify.taught_looks",
            "classify.taught_tiles",
            "core.crop",
            "core.files",
            "core.ground",
            "core.lattice",
            "core.outline",
            "core.stages",
            "core.types",
            "detect.detect",
            "detect.loose_hexes",
            "detect.network",
            "hexes.boards",
            "hexes.cells",
            "hexes.models",
            "hexes.pieces",
            "hexes.plane",
            "hexes.taught.boards",
            "hexes.taught.reader",
            "intake.picture",
            "layout.around",
            "layout.candidates",
            "layout.cards",
            "layout.fields",
            "layout.play",
            "layout.quality",
            "read",
        ]
    ),
}
"""Files behind the door that are reached all the same: by the doctor, who looks at every trained
file, and by training and teaching, which make them."""


def reached(package: str) -> Iterator[tuple[str, str, str]]:
    """Yield file, module and name of what a package takes from behind the door."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vision."):
                module = str(node.module)
                if not f"{module}.".startswith(f"{ALSO_OPEN}."):
                    inner = module.removeprefix("vision.")
                    yield from ((path.name, inner, alias.name) for alias in node.names)


@pytest.mark.parametrize("package", REACHED)
def test_what_stands_at_the_door_is_taken_there(package):
    past = [one for one in reached(package) if one[2] in vision.__all__]

    assert past == []


@pytest.mark.parametrize("package", REACHED)
def test_nothing_else_behind_the_door_is_reached(package):
    beyond = {module for _, module, name in reached(package) if name not in vision.__all__}

    assert beyond <= REACHED[package]


@pytest.mark.parametrize("package", REACHED)
def test_list_of_exceptions_has_none_that_is_not_needed(package):
    beyond = {module for _, module, name in reached(package) if name not in vision.__all__}

    assert REACHED[package] - beyond == frozenset()


@pytest.mark.parametrize("name", vision.__all__)
def test_name_at_the_door_is_there(name):
    assert getattr(vision, name) is not None


def test_unknown_name_is_told_with_those_that_are_there():
    with pytest.raises(AttributeError, match="vision has no 'look'; it has Advice"):
        vision.__getattr__("look")


def test_opening_the_door_loads_nothing():
    code = "import sys, vision; print('cv2' in sys.modules, 'numpy' in sys.modules)"

    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )

    assert ran.stdout.split() == ["False", "False"]
