"""`doctor`: checks everything that a game depends on and says in plain words what is wrong.

The machine is queried through a ``Machine``, so that tests can simulate every fault.
"""

from __future__ import annotations

import fcntl
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from companion_app.doctor_camera import Seen, camera_checks
from companion_app.doctor_machine import Check, Machine
from companion_app.doctor_models import model_checks
from companion_app.games.log import folders, read_log
from companion_app.settings import SettingsError, load_settings, settings_path
from engine.errors import EngineError
from engine.setfile import load_set
from engine.wording import in_english
from vision import VisionError

LEAST_FREE_MB, LITTLE_FREE_MB = 200, 1000
"""Free MB below which the disk is a fault, or gets advice; a long game with its pictures takes
about 100 MB."""
HOT_C, WARM_C = 80.0, 70.0
"""Degrees from which on heat is a fault, or gets advice; a Pi throttles at 80 and 85 degrees."""
GAMES_KEPT = {"one": "{n} game is kept.", "other": "{n} games are kept."}
KINDS = {"one": "{n} kind of tiles", "other": "{n} kinds of tiles"}
THROTTLED = {
    0: "the power supply is too weak",
    1: "it has slowed down",
    2: "it has slowed down",
    3: "it is too hot",
}
"""Meaning of the low bits of the Pi's ``get_throttled``; 16 bits higher they mean "since boot"."""
BUILT_S = 1_750_000_000
"""Unix time (June 2025) before which a clock is wrong: this code is newer."""


def diagnose(machine: Machine, seen: Seen, *, camera_wanted: bool = False) -> list[Check]:
    """Run all checks, in the order in which an owner would go through them."""
    return [
        _settings(),
        *camera_checks(seen, wanted=camera_wanted),
        _disk(machine),
        _games(machine),
        _temperature(machine),
        _power(machine),
        _clock(machine),
        _network(machine),
        _versions(),
        *model_checks(),
        *_own_sets(machine.home),
    ]


def report(checks: Iterable[Check]) -> dict[str, Any]:
    """Return the answer of ``doctor --json``."""
    lines = [asdict(check) for check in checks]
    return {"ok": not any(line["ok"] is False for line in lines), "checks": lines}


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


# --- The checks ---


def _settings() -> Check:
    path = settings_path()
    try:
        load_settings()
    except SettingsError as error:
        text = f"The settings file has mistakes: {'; '.join(error.mistakes)}."
        return Check("settings", False, text, f"Put them right in {path}.")
    if not path.exists():
        return Check("settings", True, "All settings are at their defaults.")
    return Check("settings", True, f"The settings in {path} are fine.")


def _disk(machine: Machine) -> Check:
    folder = next(path for path in (machine.home, *machine.home.parents) if path.exists())
    fix = "Delete kept pictures on the page, or use a larger card."
    if not os.access(folder, os.W_OK):
        return Check(
            "disk",
            False,
            f"Nothing can be written in {folder}.",
            "Give the folder to the user that Snake Eye runs as.",
        )
    try:
        free_mb = machine.free_bytes(folder) >> 20
    except OSError as error:
        return Check(
            "disk",
            False,
            f"The disk does not answer: {error.strerror}.",
            "Use a new memory card; make a backup first if the old one can still be read.",
        )
    if free_mb < LEAST_FREE_MB:
        return Check("disk", False, f"Only {free_mb} MB are free.", fix)
    note = fix if free_mb < LITTLE_FREE_MB else ""
    return Check("disk", True, f"{free_mb} MB are free.", note)


def _games(machine: Machine) -> Check:
    home = machine.home
    try:
        logs = [(folder, read_log(folder)) for folder in folders(home)]
        answer = next((f"log {folder.name}" for folder, log in logs if log.damaged), "")
    except OSError as error:
        logs, answer = [], str(error.strerror)
    if answer:
        return Check(
            "games",
            False,
            f"The file of games is damaged: {answer}.",
            "Start Snake Eye: it keeps the damaged file and takes out what it "
            "can, or restore a backup.",
        )
    if not logs:
        return Check("games", True, "No games are kept yet.")
    damaged = sorted([*home.glob("games.damaged-*.sqlite3"), *home.glob("games/*/damaged-*")])
    aside = f" A damaged file was put aside: {damaged[-1].name}." if damaged else ""
    return Check("games", True, in_english(GAMES_KEPT, {"n": str(len(logs))}) + aside)


def _temperature(machine: Machine) -> Check:
    degrees = machine.temperature_c()
    if degrees is None:
        return Check("temperature", None, "This device does not report its temperature.")
    text = f"The processor is at {degrees:.0f} °C."
    fix = "Give it air: a fan or a case with holes, away from the lamp."
    if degrees >= HOT_C:
        return Check("temperature", False, text, fix)
    return Check("temperature", True, text, fix if degrees >= WARM_C else "")


def _power(machine: Machine) -> Check:
    bits = machine.throttled()
    if bits is None:
        return Check("power", None, "Only a Raspberry Pi reports on its power supply.")
    fix = "Use the Pi's own power supply: 5 V and 5 A for a Pi 5, 3 A for a Pi 4."
    now = sorted({THROTTLED[bit] for bit in THROTTLED if bits >> bit & 1})
    earlier = sorted({THROTTLED[bit] for bit in THROTTLED if bits >> (bit + 16) & 1})
    if now:
        return Check("power", False, f"Right now {' and '.join(now)}.", fix)
    if earlier:
        return Check("power", True, f"All is well now; earlier {' and '.join(earlier)}.", fix)
    return Check("power", True, "Power and speed are fine.")


def _clock(machine: Machine) -> Check:
    fix = "Connect to the internet once, or set it: sudo timedatectl set-time '2026-01-31 20:00'"
    now_s = machine.now_s()
    said = time.strftime("%Y-%m-%d %H:%M", time.gmtime(now_s))
    kept = (machine.home / "games.index", machine.home / "page.json")
    newest_s = max((path.stat().st_mtime for path in kept if path.exists()), default=0.0)
    if now_s < BUILT_S or now_s < newest_s - 3600:
        return Check(
            "clock",
            False,
            f"The clock is wrong: it says {said} UTC.",
            f"{fix}. Games keep their order anyway.",
        )
    if machine.clock_is_set() is False:
        return Check(
            "clock", None, f"The clock says {said} UTC, but it was not set automatically.", fix
        )
    return Check("clock", True, f"The clock says {said} UTC.")


def _network(machine: Machine) -> Check:
    addresses = machine.addresses()
    if not addresses:
        return Check(
            "network",
            False,
            "This device is not connected to a network, so phones cannot reach it.",
            "Join the Wi-Fi, plug in a cable, or make a hotspot as in deploy/README.md.",
        )
    text = f"Phones find it at {', '.join(addresses)}"
    if machine.has_mdns():
        return Check("network", True, f"{text} and as {machine.hostname()}.local.")
    return Check(
        "network", True, f"{text}.", "To be found by name as well: sudo apt install avahi-daemon"
    )


def _versions() -> Check:
    names = (
        "snake-eye",
        "numpy",
        "opencv-python-headless",
        "onnxruntime",
        "flask",
        "uvicorn",
        "picamera2",
    )
    said = [f"{name} {_version(name)}" for name in names if _version(name)]
    said += [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}"]
    said += [_system(), platform.machine(), *_pi_model()]
    old = sys.version_info < (3, 11)
    return Check("versions", not old, ", ".join(said) + ".", "Update the system." if old else "")


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


def _own_sets(home: Path) -> list[Check]:
    """Check the set file and the taught model of every box of the owner."""
    folder = home / "sets"
    names = {path.stem for end in ("toml", "json") for path in folder.glob(f"*.{end}")}
    return [_own_set(name, folder) for name in sorted(names)]


def _own_set(name: str, folder: Path) -> Check:
    from vision import OutdatedError, find_taught

    label = f"set {name}"
    try:
        taught = find_taught(name, (folder,))
        tile_set = taught.tile_set if taught else load_set(name, (folder,))
    except OutdatedError as error:  # The sentence itself says what to do.
        return Check(label, False, f"{error}.")
    except (EngineError, VisionError, OSError, ValueError) as error:
        return Check(label, False, f"{error}.", "Teach it again, or restore a backup.")
    said = in_english(KINDS, {"n": str(len(tile_set.kinds))})
    return Check(label, True, f"{said}, taught from photos." if taught else f"{said}.")
