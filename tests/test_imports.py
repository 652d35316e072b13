"""Who may import whom: arrows point down only, and this file holds them.

``companion_app`` over ``models`` over ``vision`` over ``engine | calibration``.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Law:
    """What the modules of one package may import."""

    of_the_project: tuple[str, ...]
    """Modules and packages of the project, each with all that lies under it."""

    lazily: tuple[str, ...] = ()
    """The same, but only inside functions, so that nothing is loaded before it is asked for."""

    other_libraries: bool = True
    """Whether anything beside the standard library may be imported."""

    never: tuple[str, ...] = ()
    """Packages that only their own modules import, although what they lie under is allowed."""


LAWS: Mapping[str, Law] = {
    "engine": Law(("engine",), other_libraries=False),
    "calibration": Law(("calibration",)),
    "vision": Law(("vision", "engine", "calibration.profile")),
    "models": Law(("models", "vision", "engine", "calibration"), never=("models.lab",)),
    "companion_app": Law(
        ("companion_app", "vision", "engine", "calibration"),
        lazily=("models",),
        never=("models.lab",),
    ),
}
OURS = frozenset([*LAWS, "deploy", "tests"])

NO_CIRCLE_EVEN_LAZILY = frozenset(["companion_app"])
"""Where an import inside a function, or for types only, may not close a circle either."""

APART: Mapping[str, tuple[str, ...]] = {
    "companion_app/eye": ("companion_app.web",),
    "companion_app/web": ("companion_app.eye",),
    "companion_app/line": ("companion_app.eye", "companion_app.web"),
    "companion_app/live": ("companion_app.eye", "companion_app.line", "companion_app.web"),
    "companion_app/hands": ("companion_app.eye", "companion_app.line", "companion_app.web"),
}
"""Rooms that are processes of their own, or lie below them, and what each knows nothing of."""

VIEWS = "companion_app.web.views"
JOINS_VIEWS = Path("companion_app/web/app.py")

PI_CAMERA = frozenset(["picamera2", "libcamera"])
PI_CAMERA_FOLDER = Path("vision/sources")

IMPORTING_CALLS = frozenset(["import_module", "find_spec", "__import__"])
"""Functions that take the name of a module, and so import it without an ``import``."""


@dataclass(frozen=True, slots=True)
class Import:
    """One module named in one file."""

    file: Path
    """Counted from the root of the project."""

    line: int
    module: str
    lazy: bool
    """Whether it stands inside a function, or is there for types only."""

    def is_of(self, packages: tuple[str, ...]) -> bool:
        """Return whether the module is one of ``packages``, or lies under one."""
        return any(f"{self.module}.".startswith(f"{package}.") for package in packages)

    @property
    def top(self) -> str:
        """The first part of the module's name."""
        return self.module.partition(".")[0]


def broken_arrows(root: Path) -> list[str]:
    """Return a sentence for every import under ``root`` that the laws forbid."""
    imports = [found for package in LAWS for found in imports_under(root, package)]
    complaints = [(found, why) for found in imports for why in objections(found)]
    complaints += pi_camera_objections(imports)
    return [f"{found.file}:{found.line} imports {found.module}: {why}" for found, why in complaints]


def objections(found: Import) -> Iterator[str]:
    """Say why a file may not import what it does; nothing when it may."""
    package = found.file.parts[0]
    law = LAWS[package]
    if found.top not in OURS:
        if not law.other_libraries and found.top not in sys.stdlib_module_names:
            yield f"{package} uses the standard library only"
    elif found.is_of(law.never) and not name_of(found.file).startswith(law.never):
        yield f"{package} does without {', '.join(law.never)}"
    elif found.is_of(law.lazily):
        if not found.lazy:
            yield f"{package} imports {found.top} inside functions only"
    elif not found.is_of(law.of_the_project):
        yield f"{package} may import {', '.join(law.of_the_project)}"


def pi_camera_objections(imports: list[Import]) -> Iterator[tuple[Import, str]]:
    """Hold the Pi camera's library in one file among the sources of frames."""
    naming = [found for found in imports if found.top in PI_CAMERA]
    for found in naming:
        if found.file.parent != PI_CAMERA_FOLDER:
            yield found, f"only a file in {PI_CAMERA_FOLDER} knows the Pi camera"
        elif found.file != naming[0].file:
            yield found, f"{naming[0].file} knows the Pi camera already"


def circle(root: Path) -> list[str]:
    """Return modules that import each other in a ring, the first again at the end; or nothing."""
    modules = {
        name_of(path.relative_to(root)) for law in LAWS for path in (root / law).rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for found in (found for package in LAWS for found in imports_under(root, package)):
        importer, imported = name_of(found.file), found.module
        if found.lazy and found.file.parts[0] not in NO_CIRCLE_EVEN_LAZILY:
            continue
        while imported and imported not in modules:
            imported = imported.rpartition(".")[0]
        if imported and imported != importer:
            graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        ring: list[str] = error.args[1]
        return ring[::-1]
    return []


def name_of(file: Path) -> str:
    """Return the full name of the module in a file."""
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def views_imported(root: Path) -> list[str]:
    """Return a line for every import of a view, but for those of the file that joins them."""
    return [
        f"{found.file}:{found.line} imports {found.module}"
        for found in imports_under(root, "companion_app")
        if found.is_of((VIEWS,)) and found.file != JOINS_VIEWS
    ]


def doors_between(root: Path) -> list[str]:
    """Return a line for every import by which a room knows of one that it must not."""
    return [
        f"{found.file}:{found.line} imports {found.module}"
        for found in imports_under(root, "companion_app")
        for room, others in APART.items()
        if found.file.is_relative_to(room) and found.is_of(others)
    ]


def imports_under(root: Path, package: str) -> Iterator[Import]:
    """Yield every import in the files of a package, in the order of their names."""
    for path in sorted((root / package).rglob("*.py")):
        yield from imports_of(path.relative_to(root), path.read_text(encoding="utf-8"))


@cache
def imports_of(file: Path, source: str) -> tuple[Import, ...]:
    """Return every module that a file names, relative ones by their full name."""
    return tuple(
        Import(file, node.lineno, module, lazy)
        for node, lazy in walk(ast.parse(source, filename=str(file)), lazy=False)
        for module in modules_named(node, file)
    )


def walk(node: ast.AST, *, lazy: bool) -> Iterator[tuple[ast.expr | ast.stmt, bool]]:
    """Yield all expressions and statements under a node, and whether loading passes them by."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr | ast.stmt):
            yield child, lazy
        yield from walk(child, lazy=lazy or is_passed_by(child))


def is_passed_by(node: ast.AST) -> bool:
    """Return whether what a node holds does not run when its module is loaded."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case _:
            return False


def modules_named(node: ast.expr | ast.stmt, file: Path) -> Iterator[str]:
    """Yield the full names of what one statement or call imports."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            # `from calibration import profile` names a module, `from calibration.profile import
            # Profile` a class; both lie under what the law allows.
            above = file.parts[: len(file.parts) - level] if level else ()
            start = [*above, module] if module else above
            yield from (".".join([*start, alias.name]) for alias in names)
        case ast.Call(
            func=ast.Name(id=called) | ast.Attribute(attr=called),
            args=[ast.Constant(value=str(module)), *_],
        ) if called in IMPORTING_CALLS:
            yield module
        case _:
            pass


def lay_out(root: Path, files: Mapping[str, str]) -> Path:
    for name, source in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return root


def test_all_arrows_point_down():
    assert broken_arrows(ROOT) == []


def test_no_modules_import_each_other_in_a_circle():
    assert circle(ROOT) == []


def test_views_are_imported_by_the_factory_alone():
    assert views_imported(ROOT) == []


def test_eye_and_page_know_nothing_of_each_other():
    assert doors_between(ROOT) == []


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("companion_app/eye/desk.py", "companion_app.web.speech"),
        ("companion_app/web/views/api.py", "companion_app.eye.desk"),
        ("companion_app/line/commands.py", "companion_app.eye.desk"),
        ("companion_app/live/match.py", "companion_app.line.standing"),
    ],
)
def test_door_between_rooms_is_found(tmp_path, file, module):
    assert doors_between(lay_out(tmp_path, {file: f"def f():\n    import {module}"})) == [
        f"{file}:2 imports {module}"
    ]


@pytest.mark.parametrize("package", LAWS)
def test_every_package_is_looked_at(package):
    assert (ROOT / package / "__init__.py").exists()


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("engine/snakes.py", "import tomllib\nfrom collections.abc import Iterator"),
        ("engine/snakes.py", "from engine.tiles import TileKind"),
        ("engine/games/snekagon.py", "from ..tiles import TileKind\nfrom . import schlangennest"),
        ("engine/__init__.py", "from .tiles import TileKind\nfrom . import tiles"),
        ("calibration/lens.py", "import cv2\nfrom calibration.profile import Profile"),
        ("vision/rectify.py", "from calibration.profile import Profile"),
        ("vision/rectify.py", "from calibration import profile"),
        ("vision/rectify.py", "import calibration.profile"),
        ("vision/rectify.py", "from engine import tiles"),
        ("vision/sources/pi.py", "def frames():\n    from picamera2 import Picamera2"),
        ("models/train.py", "from vision.crop import crop\nfrom calibration import lens"),
        ("models/lab/training/reader.py", "from models.lab.scenes import scene"),
        ("companion_app/referee.py", "import engine, vision, calibration.lens"),
        ("companion_app/cli.py", "def print_sheets():\n    from models.sheets import sheets"),
        ("companion_app/cli.py", "async def teach():\n    if 1:\n        import models.teach"),
        ("companion_app/cli.py", "import modelsmith, engineering"),
    ],
)
def test_import_that_points_down_is_allowed(tmp_path, file, source):
    assert broken_arrows(lay_out(tmp_path, {file: source})) == []


@pytest.mark.parametrize(
    ("file", "source", "module"),
    [
        ("engine/snakes.py", "import numpy as np", "numpy"),
        ("engine/snakes.py", "def area():\n    import cv2", "cv2"),
        ("engine/snakes.py", "from vision.table import TableState", "vision.table.TableState"),
        ("engine/games/carnival.py", "from ...vision import table", "vision.table"),
        ("engine/snakes.py", "from tests.naive import referee", "tests.naive.referee"),
        ("calibration/lens.py", "import engine", "engine"),
        ("calibration/lens.py", "def f():\n    from vision.table import x", "vision.table.x"),
        ("vision/rectify.py", "import calibration", "calibration"),
        ("vision/rectify.py", "from calibration import lens", "calibration.lens"),
        ("vision/rectify.py", "import calibration.profiles", "calibration.profiles"),
        ("vision/classify.py", "def f():\n    import models.train", "models.train"),
        ("vision/classify.py", "import importlib\nimportlib.import_module('models')", "models"),
        ("models/train.py", "from companion_app import cli", "companion_app.cli"),
        ("models/train.py", "__import__('companion_app.cli')", "companion_app.cli"),
        ("companion_app/cli.py", "from models import sheets", "models.sheets"),
        ("companion_app/demo.py", "def f():\n    import models.lab.scenes", "models.lab.scenes"),
        ("models/teaching/teach.py", "from models.lab import scenes", "models.lab.scenes"),
        ("companion_app/cli.py", "if True:\n    import models", "models"),
        ("companion_app/cli.py", "class Cli:\n    from models import sheets", "models.sheets"),
        ("companion_app/cli.py", "from deploy import update", "deploy.update"),
        ("companion_app/doctor.py", "find_spec('picamera2')", "picamera2"),
        ("vision/pi.py", "from picamera2 import Picamera2", "picamera2.Picamera2"),
        ("vision/table.py", "def f():\n    import libcamera", "libcamera"),
    ],
)
def test_import_that_points_up_or_aside_is_found(tmp_path, file, source, module):
    broken = broken_arrows(lay_out(tmp_path, {file: source}))

    assert len(broken) == 1
    assert broken[0].startswith(f"{file}:")
    assert f" imports {module}: " in broken[0]


def test_second_file_that_names_the_pi_camera_is_found(tmp_path):
    files = {
        "vision/sources/pi.py": "import picamera2, libcamera",
        "vision/sources/webcam.py": "import picamera2",
    }

    assert broken_arrows(lay_out(tmp_path, files)) == [
        "vision/sources/webcam.py:1 imports picamera2: "
        "vision/sources/pi.py knows the Pi camera already"
    ]


def test_every_broken_arrow_is_told_with_its_line(tmp_path):
    files = {"engine/snakes.py": '"""Snakes."""\n\nimport cv2\nimport numpy, json\n'}

    assert broken_arrows(lay_out(tmp_path, files)) == [
        "engine/snakes.py:3 imports cv2: engine uses the standard library only",
        "engine/snakes.py:4 imports numpy: engine uses the standard library only",
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"vision/a.py": "from vision.b import one", "vision/b.py": "import vision.a"},
        {"vision/a.py": "from vision import b", "vision/b.py": "from .a import two"},
        {
            "companion_app/a.py": "def f():\n    import companion_app.b",
            "companion_app/b.py": "from companion_app.a import f",
        },
        {
            "companion_app/a.py": "if TYPE_CHECKING:\n    import companion_app.b",
            "companion_app/b.py": "from companion_app.a import f",
        },
    ],
)
def test_circle_is_told_module_by_module(tmp_path, files):
    a, b = (name_of(Path(file)) for file in files)

    assert circle(lay_out(tmp_path, files)) in ([a, b, a], [b, a, b])


@pytest.mark.parametrize(
    "files",
    [
        {"vision/a.py": "import vision.b\nimport vision.a", "vision/b.py": "import engine"},
        {"vision/a.py": "import vision.b", "vision/b.py": "def f():\n    import vision.a"},
        {"vision/a.py": "import vision.b", "vision/b.py": "if TYPE_CHECKING:\n    import vision.a"},
    ],
)
def test_modules_that_load_one_after_the_other_are_no_circle(tmp_path, files):
    assert circle(lay_out(tmp_path, files)) == []


def test_view_that_imports_another_is_found(tmp_path):
    files = {
        "companion_app/web/app.py": "from companion_app.web.views import games",
        "companion_app/web/views/games.py": "from companion_app.web.views.api import svg_answer",
    }

    assert views_imported(lay_out(tmp_path, files)) == [
        "companion_app/web/views/games.py:1 imports companion_app.web.views.api.svg_answer"
    ]
