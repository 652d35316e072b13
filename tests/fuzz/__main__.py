"""``make fuzz``: every way in for half an hour each, in slices that can be taken up again.

``TARGETS="records boxes"`` does some, ``MINUTES=5`` less, ``FRESH=1`` begins anew. What was found
lies in ``.cache/fuzz/TARGET/finds``; counts and seeds stand in
``build/fuzz/REPORT.md``.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
STATE = ROOT / ".cache" / "fuzz"
REPORT = ROOT / "build/fuzz/REPORT.md"
SLICE_S = 60
STARTS_WITHIN_S = 240
"""A slice that has not ended so long after its time is stuck, which is a find."""


def main(arguments: list[str]) -> int:
    """Do what is left of the named targets; return 1 when anything was found."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--fresh", action="store_true", help="forget what was done before")
    asked = parser.parse_args(arguments)
    for name in asked.targets or TARGETS:
        file = STATE / name / "counts.json"
        if asked.fresh:
            file.unlink(missing_ok=True)
        _fuzz(name, file, asked.minutes * 60)
    return 1 if write_report() else 0


def _fuzz(name: str, file: Path, seconds: float) -> None:
    counts = _counts(file)
    while counts["seconds"] < seconds:
        left_s = max(5, min(SLICE_S, round(seconds - counts["seconds"])))
        counts["slices"] += 1
        added = _slice(name, file.parent, left_s, counts["slices"])
        for key, value in added.items():
            counts[key] = value if key == "guided" else counts[key] + value
        file.write_text(json.dumps(counts), encoding="utf-8")
        _say(
            f"{name}: {counts['executions']:,} in {counts['seconds']:.0f} s, "
            f"{counts['finds']} found"
        )


def _slice(name: str, folder: Path, seconds: int, seed: int) -> dict[str, Any]:
    """Fuzz in a process of its own; return what it did."""
    folder.mkdir(parents=True, exist_ok=True)
    before = _finds(folder)
    began = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.one",
        name,
        "--seconds",
        str(seconds),
        "--seed",
        str(seed),
        "--folder",
        str(folder),
    ]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds + STARTS_WITHIN_S,
            check=False,
        )
        said = done.stdout + done.stderr
        stuck = 0
    except subprocess.TimeoutExpired:
        said, stuck = "", 1
    (folder / "last.txt").write_text(said[-20_000:], encoding="utf-8")
    guided = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
    plain = re.search(r'"executions": (\d+)', said)
    found = len(_finds(folder) - before) + stuck
    counted = guided or plain
    if counted is None and not found:
        raise SystemExit(f"fuzzing {name} does not run:\n{said[-3000:]}")
    return {
        "executions": int(counted[1]) if counted else 0,
        "finds": found,
        "seconds": min(seconds, time.monotonic() - began),
        "guided": guided is not None,
    }


def _finds(folder: Path) -> set[str]:
    """Return what broke a way in; inputs that were only slow are kept beside it."""
    names = {path.name for path in (folder / "finds").glob("*")}
    return {name for name in names if not name.startswith("slow-unit")}


def _counts(file: Path) -> dict[str, Any]:
    if file.exists():
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found
    return {"executions": 0, "seconds": 0.0, "slices": 0, "finds": 0, "guided": False}


def write_report() -> int:
    """Write what was done so far; return how much was found."""
    lines = [
        "# Fuzzing",
        "",
        "Written by `make fuzz`; do not edit. Seeds count from 1, one a slice of a minute.",
        "",
        "| way in | minutes | executions | guided by coverage | seeds | found |",
        "|---|--:|--:|---|---|--:|",
    ]
    found = 0
    for name, target in TARGETS.items():
        counts = _counts(STATE / name / "counts.json")
        found += counts["finds"]
        lines.append(
            f"| {name}: {target.about} | {counts['seconds'] / 60:.0f} | {counts['executions']:,} | "
            f"{'yes' if counts['guided'] else 'no'} | 1 to {counts['slices']} | {counts['finds']} |"
        )
    lines += ["", f"{platform.system()} {platform.machine()}, Python {platform.python_version()}."]
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
