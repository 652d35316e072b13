"""`doctor`: checks everything that a game depends on, and says what it found as codes with values.

The machine is queried through a ``Machine``, so that tests can simulate every fault; sentences are
made of the codes by ``companion_app.web.doctor_words``.
"""

from __future__ import annotations

import fcntl
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from companion_app.doctor_camera import Seen, camera_checks
from companion_app.doctor_machine import AS_WRITTEN, Finding, Machine, as_written
from companion_app.games.log import folders, read_log
from companion_app.settings import SettingsError, load_settings, settings_path
from engine.errors import EngineError
from engine.setfile import built_in_names, load_set
from engine.tiles import TileSet
from vision import ModelError, VisionError
from vision.core import files as models

LEAST_FREE_MB, LITTLE_FREE_MB = 200, 1000
"""Free MB below which the disk is a fault, or gets advice; a long game with its pictures takes
about 100 MB."""
HOT_C, WARM_C = 80.0, 70.0
"""Degrees from which on heat is a fault, or gets advice; a Pi throttles at 80 and 85 degrees."""
THROTTLED = {0: "power-weak", 1: "power-slow", 2: "power-slow", 3: "power-hot"}
"""Meaning of the low bits of the Pi's ``get_throttled``; 16 bits higher they mean "since boot"."""
BUILT_S = 1_750_000_000
"""Unix time (June 2025) before which a clock is wrong: this code is newer."""
LIBRARIES = (
    "snake-eye",
    "numpy",
    "opencv-python-headless",
    "onnxruntime",
    "flask",
    "uvicorn",
    "picamera2",
)


def diagnose(machine: Machine, seen: Seen, *, camera_wanted: bool = False) -> list[Finding]:
    """Run all checks, in the order in which an owner would go through them."""
    return [
        _settings(),
        *camera_checks(seen, wanted=camera_wanted),
        _disk(machine),
        _games(machine.home),
        _temperature(machine),
        _power(machine),
        _clock(machine),
        _network(machine),
        _versions(),
        *model_checks(),
        *_own_sets(machine.home),
    ]


def is_running(home: Path) -> bool:
    """Say whether a companion has the games open."""
    try:
        with (home / "games.lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


# --- the machine ---------------------------------------------------------------------------------


def _settings() -> Finding:
    path = str(settings_path())
    try:
        load_settings()
    except SettingsError as error:
        values = {"mistakes": "; ".join(error.mistakes), "path": path}
        return Finding("settings", False, "settings-mistakes", "settings-mend", values)
    code = "settings-fine" if settings_path().exists() else "settings-default"
    return Finding("settings", True, code, values={"path": path})


def _disk(machine: Machine) -> Finding:
    folder = next(path for path in (machine.home, *machine.home.parents) if path.exists())
    if not os.access(folder, os.W_OK):
        return Finding("disk", False, "disk-closed", "disk-give", {"folder": str(folder)})
    try:
        free_mb = machine.free_bytes(folder) >> 20
    except OSError as error:
        return Finding("disk", False, "disk-silent", "disk-replace", {"why": str(error.strerror)})
    values = {"mb": str(free_mb)}
    if free_mb < LEAST_FREE_MB:
        return Finding("disk", False, "disk-little", "disk-make-room", values)
    fix = "disk-make-room" if free_mb < LITTLE_FREE_MB else ""
    return Finding("disk", True, "disk-free", fix, values)


def _games(home: Path) -> Finding:
    try:
        logs = [(folder, read_log(folder)) for folder in folders(home)]
        damaged = next((f"log {folder.name}" for folder, log in logs if log.damaged), "")
    except OSError as error:
        logs, damaged = [], str(error.strerror)
    if damaged:
        return Finding("games", False, "games-damaged", "games-rescue", {"answer": damaged})
    if not logs:
        return Finding("games", True, "games-none")
    aside = sorted([*home.glob("games.damaged-*.sqlite3"), *home.glob("games/*/damaged-*")])
    values = {"n": str(len(logs)), "name": aside[-1].name if aside else ""}
    return Finding("games", True, "games-aside" if aside else "games-kept", values=values)


def _temperature(machine: Machine) -> Finding:
    degrees = machine.temperature_c()
    if degrees is None:
        return Finding("temperature", None, "temperature-unknown")
    fix = "temperature-air" if degrees >= WARM_C else ""
    values = {"degrees": f"{degrees:.0f}"}
    return Finding("temperature", degrees < HOT_C, "temperature-is", fix, values)


def _power(machine: Machine) -> Finding:
    bits = machine.throttled()
    if bits is None:
        return Finding("power", None, "power-unknown")
    now, earlier = (
        sorted({code for bit, code in THROTTLED.items() if bits >> (bit + shift) & 1})
        for shift in (0, 16)
    )
    if now:
        return Finding("power", False, "power-now", "power-supply", {"what": now})
    if earlier:
        return Finding("power", True, "power-earlier", "power-supply", {"what": earlier})
    return Finding("power", True, "power-fine")


def _clock(machine: Machine) -> Finding:
    now_s = machine.now_s()
    values = {"time": time.strftime("%Y-%m-%d %H:%M", time.gmtime(now_s))}
    kept = (machine.home / "games.index", machine.home / "page.json")
    newest_s = max((path.stat().st_mtime for path in kept if path.exists()), default=0.0)
    if now_s < BUILT_S or now_s < newest_s - 3600:
        return Finding("clock", False, "clock-wrong", "clock-set-games-safe", values)
    if machine.clock_is_set() is False:
        return Finding("clock", None, "clock-not-set", "clock-set", values)
    return Finding("clock", True, "clock-is", values=values)


def _network(machine: Machine) -> Finding:
    addresses = machine.addresses()
    if not addresses:
        return Finding("network", False, "network-none", "network-join")
    values = {"addresses": ", ".join(addresses), "name": machine.hostname()}
    if machine.has_mdns():
        return Finding("network", True, "network-named", values=values)
    return Finding("network", True, "network-found", "network-avahi", values)


def _versions() -> Finding:
    names = [f"{name} {number}" for name in LIBRARIES if (number := _version(name))]
    names += [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}"]
    names += [_system(), platform.machine(), *_pi_model()]
    old = sys.version_info < (3, 11)
    fix = "versions-update" if old else ""
    return as_written("versions", not old, ", ".join(names), fix)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _system() -> str:
    with suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    return platform.system()


def _pi_model() -> list[str]:
    with suppress(OSError):
        return [Path("/proc/device-tree/model").read_text(encoding="utf-8").strip("\0\n ")]
    return []


# --- models and boxes ----------------------------------------------------------------------------


def model_checks(folder: Path | None = None) -> list[Finding]:
    """Return a check for the tile detector, and one for every built-in box and other model."""
    trained = folder or models.TRAINED
    files = sorted(trained.glob("*.*"))
    return list(_model_checks(trained, tuple((f.name, f.stat().st_mtime_ns) for f in files)))


@lru_cache(maxsize=2)
def _model_checks(trained: Path, stamps: tuple[tuple[str, int], ...]) -> tuple[Finding, ...]:
    del stamps  # Part of the cache key: the models are loaded again only if a file has changed.
    boxes = [load_set(name, ()) for name in built_in_names()]
    return (
        _model("detector", "model-finds", lambda: {"file": _detector(trained)}),
        *(
            _model(box.name, "model-reads", lambda box=box: _reader(box, trained))  # type: ignore[misc]
            for box in boxes
        ),
        *(
            _model(name, "model-whole", lambda name=name: {"file": _other(name, trained)})  # type: ignore[misc]
            for name in _other_names(trained)
        ),
    )


def _model(name: str, code: str, load: Callable[[], dict[str, str]]) -> Finding:
    try:
        return Finding(f"model {name}", True, code, values=load())
    except VisionError as error:
        return as_written(f"model {name}", False, str(error), "model-install")


def _other_names(folder: Path) -> list[str]:
    """Return the names of model files that belong to neither the detector nor a reader."""
    from vision.classify.reader import MANIFEST as READER
    from vision.detect.network import QUICK_FILE
    from vision.hexes.models import MANIFEST, NETWORKS

    known = {Path(MANIFEST).stem, Path(READER).stem, *NETWORKS}
    known |= {"detector", Path(QUICK_FILE).stem}
    files = [file for file in folder.iterdir() if file.suffix in (".json", ".npz", ".onnx")]
    return sorted({file.stem for file in files} - known)


def _other(name: str, folder: Path) -> str:
    manifest = models.read_manifest(folder / f"{name}.json", {})
    file = str(manifest.get("file"))
    models.read_file(folder / file, str(manifest.get("sha256")))
    return file


def _detector(folder: Path) -> str:
    from vision.detect.network import MANIFEST, TileNetwork

    TileNetwork(folder)
    return MANIFEST


def _reader(box: TileSet, folder: Path) -> dict[str, str]:
    """Load what reads the tiles of a box; return its title and files."""
    from vision.classify.reader import ARRAYS, NETWORK, load_reader
    from vision.hexes.models import COLOURS, NETWORKS, HexModels

    if box.lattice != "hex":
        load_reader(box, folder)
        return {"box": box.title, "files": f"{NETWORK}, {ARRAYS}"}
    HexModels(folder)
    if unknown := sorted(set(box.colours) - set(COLOURS)):
        raise ModelError(f"the reader of hex boards does not know {', '.join(unknown)}")
    return {"box": box.title, "files": ", ".join(f"{name}.onnx" for name in NETWORKS)}


def _own_sets(home: Path) -> Iterator[Finding]:
    """Finding the set file and the taught model of every box of the owner."""
    folder = home / "sets"
    names = {path.stem for end in ("toml", "json") for path in folder.glob(f"*.{end}")}
    return (_own_set(name, folder) for name in sorted(names))


def _own_set(name: str, folder: Path) -> Finding:
    from vision import OutdatedError, find_taught

    label = f"set {name}"
    try:
        taught = find_taught(name, (folder,))
        tile_set = taught.tile_set if taught else load_set(name, (folder,))
    except OutdatedError as error:  # The sentence itself says what to do.
        return Finding(label, False, AS_WRITTEN, values={"text": f"{error}."})
    except (EngineError, VisionError, OSError, ValueError) as error:
        return Finding(label, False, AS_WRITTEN, "set-again", {"text": f"{error}."})
    values = {"n": str(len(tile_set.kinds))}
    return Finding(label, True, "set-taught" if taught else "set-kinds", values=values)
