"""What each room weighs, beside its budget: ``python -m tests.size [--lower] [--passed]``.

Lines are counted as the formatter leaves them, since `make check` lets nothing else in. A budget in
``tests/size.toml`` only falls: ``--lower`` lowers each to what is there. ``--passed`` also counts
the files of ours that run for an easy photo, and for a frame from the camera to the phones.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
BUDGETS = Path(__file__).with_name("size.toml")
LOCKS = frozenset(["Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore"])
THREADS = frozenset(["Thread", "Timer", "ThreadPoolExecutor"])
EVENTS = frozenset(["Event"])
SEAT = ("seat/**", "eye/machine", "live/machine", "web/alone", "web/machine", "web/views/machine")
DRAWS_THE_DEMO = ("models/art/", "companion_app/live/demo", "companion_app/eye/demo")
"""What stands for the table and the camera in the demo, and is no part of a frame's way."""
VERDICT_S = 180.0
NOTED_S = 0.5


@dataclass(frozen=True, slots=True)
class Room:
    """The files of a room, as patterns below the root."""

    within: tuple[str, ...]
    without: tuple[str, ...] = ()


def _at(folder: str, patterns: Sequence[str], ending: str = "py") -> tuple[str, ...]:
    return tuple(f"{folder}/{pattern}{'/*' * ('**' in pattern)}.{ending}" for pattern in patterns)


HALL = ("companion_app/hall/**/*.py",)
MACHINE = _at("companion_app", SEAT)
COMPANION = "companion_app, hall and machine included"
ROOMS: Mapping[str, Room] = {
    "engine": Room(("engine/**/*.py",)),
    "calibration": Room(("calibration/**/*.py",)),
    "vision": Room(("vision/**/*.py",)),
    "models": Room(("models/**/*.py",)),
    "models without lab": Room(("models/**/*.py",), ("models/lab/**/*.py",)),
    "companion_app": Room(("companion_app/**/*.py",), (*HALL, *MACHINE)),
    "companion_app machine": Room(MACHINE),
    "companion_app/hall": Room(HALL),
    COMPANION: Room(("companion_app/**/*.py",)),
    "deploy": Room(("deploy/**/*.py", "deploy/**/*.sh")),
    "tests": Room(("tests/**/*.py",)),
    "JavaScript": Room(("companion_app/**/*.js",)),
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is of something; of what is not Python, lines and files alone."""

    lines: int = 0
    statements: int = 0
    files: int = 0
    classes: int = 0
    locks: int = 0
    events: int = 0
    threads: int = 0
    skipped: int = 0
    """Places that the formatter is told to leave alone."""

    def __add__(self, other: Size) -> Size:
        """Return the size of both together."""
        return Size(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def size_of(text: str, *, python: bool = True) -> Size:
    """Return the size of one file."""
    lines = len(text.splitlines())
    if not python:
        return Size(lines=lines, files=1)
    nodes = list(ast.walk(ast.parse(text)))
    made = Counter(_made(nodes))
    return Size(
        lines=lines,
        statements=sum(isinstance(node, ast.stmt) for node in nodes),
        files=1,
        classes=sum(isinstance(node, ast.ClassDef) for node in nodes),
        locks=sum(made[name] for name in LOCKS),
        events=sum(made[name] for name in EVENTS),
        threads=sum(made[name] for name in THREADS),
        skipped=len(re.findall(r"# fmt: (?:skip|off)", text)),
    )


def _made(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the name of everything of ``threading`` and its like that is called or handed on."""
    for node in nodes:
        if isinstance(node, ast.Call):
            factories = [word.value for word in node.keywords if word.arg == "default_factory"]
            for called in [node.func, *factories]:
                if isinstance(called, ast.Attribute) and ast.unparse(called.value) == "threading":
                    yield called.attr
                elif isinstance(called, ast.Name):
                    yield called.id


def sizes(root: Path) -> dict[str, Size]:
    """Return the size of every room of a tree."""
    return {name: _size_of_room(root, room) for name, room in ROOMS.items()}


def _size_of_room(root: Path, room: Room) -> Size:
    left_out = {path for pattern in room.without for path in root.glob(pattern)}
    inside = {path for pattern in room.within for path in root.glob(pattern)} - left_out
    texts = ((path.read_text(encoding="utf-8"), path.suffix == ".py") for path in inside)
    return sum((size_of(text, python=python) for text, python in texts), Size())


# --- Budgets ---


def over_budget(
    measured: Mapping[str, Size], budgets: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Return a sentence for each room that is above its budget, or has none."""
    return [
        f"{room} has {getattr(size, what)} {what}, {getattr(size, what) - most} above its budget"
        for room, size in measured.items()
        for what, most in _most(budgets[room]).items()
        if getattr(size, what) > most
    ]


def _most(budget: Mapping[str, Any]) -> dict[str, int]:
    """Return what a room may have at most, with what its budget was raised by."""
    most = {field.name: budget[field.name] for field in fields(Size) if field.name in budget}
    return most | ({"lines": most["lines"] + _raised(budget)} if "lines" in most else {})


def _raised(budget: Mapping[str, Any]) -> int:
    return sum(lines for _, lines, _ in budget["raised"])


def lowered(text: str, measured: Mapping[str, Size]) -> str:
    """Return the file of budgets with each budget at what there is, where that is less."""
    budgets, room = tomllib.loads(text), ""

    def least(entry: re.Match[str]) -> str:
        nonlocal room
        room = entry["room"] or room
        if (what := entry["what"]) in (None, "goal"):
            return entry[0]
        raised = _raised(budgets[room]) if what == "lines" else 0
        return f"{what} = {min(int(entry['most']), getattr(measured[room], what) - raised)}"

    pattern = r'^\["?(?P<room>[^"\]]+)"?\]|^(?P<what>\w+) = (?P<most>\d+)'
    return re.sub(pattern, least, text, flags=re.MULTILINE)


def table(measured: Mapping[str, Size], budgets: Mapping[str, Mapping[str, Any]]) -> str:
    """Return all sizes as a table, with the budget and the goal of lines."""
    names = [field.name for field in fields(Size)]
    rows = [["room", *names, "budget", "goal"], ["---", *["--:"] * (len(names) + 2)]]
    for room, size in measured.items():
        most, goal = _most(budgets[room]).get("lines", ""), budgets[room].get("goal", "")
        rows.append([room, *map(str, astuple(size)), str(most), str(goal)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


# --- What is passed ---

WATCHER = """
import atexit, os, sys, threading, time
passed, root = {}, os.environ["SIZE_ROOT"] + os.sep

def loads(code):
    return code.co_name == "<module>" or code.co_name.lstrip("_")[:1].isupper()

def watch(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root) and not loads(code):
        if frame.f_back is None or not loads(frame.f_back.f_code):
            passed[code.co_filename] = time.monotonic()

def note():
    text = "".join(f"{at} {path}\\n" for path, at in passed.copy().items())
    place = os.path.join(os.environ["SIZE_NOTES"], str(os.getpid()))
    with open(place + ".new", "w") as file:
        file.write(text)
    os.replace(place + ".new", place)

def go_on():
    while not time.sleep(0.5):
        note()

atexit.register(note)
threading.Thread(target=go_on, daemon=True).start()
threading.setprofile(watch)
sys.setprofile(watch)
"""
"""Runs first in each process: notes when a function of each file of ours was called last.

Loading a file is no call, nor is what is called while one loads.
"""


class Watched:
    """Processes whose steps are noted in a folder."""

    def __init__(self, folder: Path) -> None:
        self.notes = folder / "notes"
        self.notes.mkdir()
        (folder / "sitecustomize.py").write_text(WATCHER, encoding="utf-8")
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
            "SIZE_ROOT": str(ROOT),
            "SIZE_NOTES": str(self.notes),
        }

    def passed(self, since_s: float = 0.0) -> list[str]:
        """Return the files of ours that ran since a time of the monotonic clock."""
        notes = [note.read_text(encoding="utf-8") for note in self.notes.glob("*[0-9]")]
        lines = [line.split(" ", 1) for note in notes for line in note.splitlines()]
        ran = {Path(path).relative_to(ROOT) for at_s, path in lines if float(at_s) >= since_s}
        return sorted(str(path) for path in ran if not path.parts[0].startswith("."))


def passed_by_photo() -> list[str]:
    """Return the files that run for a photo of a tidy table, from command to answer."""
    with tempfile.TemporaryDirectory() as name:
        folder, photo = Path(name), Path(name, "easy.png")
        _draw_easy(photo)
        watched = Watched(folder)
        command = ["companion_app.cli", "read", str(photo), "--game", "schlangennest"]
        subprocess.run(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=watched.environment,
            capture_output=True,
            check=True,
        )
        return watched.passed()


def _draw_easy(path: Path) -> None:
    import cv2

    from models.lab.scenes.scene import scene_from
    from models.lab.scenes.settings import draw_settings, without_disturbance

    settings = without_disturbance(draw_settings(3, "held-out", "schlangennest", (1280, 960)))
    cv2.imwrite(str(path), scene_from(settings).bgr)


def passed_by_frame() -> list[str]:
    """Return the files that run between two verdicts at the demo's table, in all processes.

    What draws the table and moves its hands stands for the camera and is left out.
    """
    from tests.faults.companion import Companion, Phone
    from tests.faults.scripted import Announced

    with tempfile.TemporaryDirectory() as name:
        watched = Watched(Path(name))
        house = Companion(Path(name, "home"), source="demo", environment=watched.environment)
        try:
            house.ready()
            phone = Phone(house.url, Announced())
            phone.wait_for(lambda: phone.events["verdict"] > 0, VERDICT_S)
            since_s, before = time.monotonic(), phone.events["verdict"]
            phone.wait_for(lambda: phone.events["verdict"] > before, VERDICT_S)
            time.sleep(2 * NOTED_S)
            passed = watched.passed(since_s)
        finally:
            house.kill()
    return [path for path in passed if not path.startswith((*DRAWS_THE_DEMO, "tests/"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the sizes, or lower the budgets."""
    parser = argparse.ArgumentParser(prog="tests.size", description=__doc__)
    parser.add_argument("--lower", action="store_true", help="lower each budget to what there is")
    parser.add_argument("--passed", action="store_true", help="also count files that are passed")
    parser.add_argument("--list", action="store_true", help="name the files that are passed")
    asked = parser.parse_args(arguments)
    measured, text = sizes(ROOT), BUDGETS.read_text(encoding="utf-8")
    if asked.lower:
        text = lowered(text, measured)
        BUDGETS.write_text(text, encoding="utf-8")
    budgets = tomllib.loads(text)
    say(table(measured, budgets))
    if asked.passed or asked.list:
        ways = {"an easy photo": passed_by_photo, "a frame": passed_by_frame}
        for what, count in ways.items():
            passed = count()
            say(f"{len(passed)} files of ours are passed by {what}")
            say("\n".join(f"  {path}" for path in passed if asked.list))
    above = over_budget(measured, budgets)
    say("\n".join(above))
    return int(bool(above))


def say(text: str) -> None:
    """Print, where there is something to print."""
    if text:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
