"""``make soak``: does every fault in full count, keeps what is done, writes its report.

Both lie under ``build/soak``. Stopped, it goes on where it was; ``PARTS="kill damage"`` does some
parts, ``FRESH=1`` begins anew.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

from tests.faults.soak import PARTS, Part, added, chosen

FOLDER = Path("build/soak")
STATE = FOLDER / "done"
"""A file a part, so that parts can be done side by side, and taken up on another machine."""
REPORT = FOLDER / "REPORT.md"


def main(arguments: list[str]) -> int:
    """Do what is left of the named parts; return 1 when an accepted move was lost."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *(part.name for part in PARTS)])
    parser.add_argument("--fresh", action="store_true", help="forget what was done before")
    asked = parser.parse_args(arguments)
    STATE.mkdir(parents=True, exist_ok=True)
    for part in chosen(asked.parts):
        if asked.fresh:
            _file(part).unlink(missing_ok=True)
        _do(part)
    return 1 if write_report() else 0


def _do(part: Part) -> None:
    """Do what is left of one part; whatever is done is kept at once."""
    if why := part.why_not():
        _keep(part, {"skipped": why})
        _say(f"{part.name}: skipped, {why}")
        return
    done = _kept(part)
    units = done.get("units", {})
    for unit in range(part.units):
        if str(unit) in units:
            continue
        began = time.monotonic()
        units[str(unit)] = part.do(unit)
        _keep(part, {"units": units})
        took_s = time.monotonic() - began
        _say(f"{part.name} {unit + 1} of {part.units}: {units[str(unit)]} in {took_s:.0f} s")


def write_report() -> int:
    """Write the report and return how many accepted moves were lost in all."""
    lines = [
        "# Faults, done for real",
        "",
        "Written by `make soak`. A move is accepted from the moment it was announced,",
        "and the accepted ones are counted outside the process that is killed.",
        "",
        "| fault | done | moments tried | moves that had to be there | moves lost |",
        "|---|---|---|---|---|",
    ]
    lost, details, tables = 0, [], []
    for part in PARTS:
        done = _kept(part) or {"skipped": "not done yet"}
        if "skipped" in done:
            lines.append(f"| {part.name}: {part.about} | {done['skipped']} | – | – | – |")
            continue
        total = added(done["units"])
        if table := part.table(done["units"].values()):
            tables += ["", f"## {part.name}", "", *table]
        lost += total["lost"]
        lines.append(
            f"| {part.name}: {part.about} | {len(done['units'])} of {part.units} | "
            f"{total['tried']:,} | {total['accepted']:,} | {total['lost']} |"
        )
        details += [
            f"- {part.name}: {key}: {value}"
            for key, value in total.items()
            if key not in ("tried", "accepted", "lost", "notes")
        ]
        details += [f"- {part.name}: {note}" for note in total["notes"]]
    lines += [
        "",
        f"**Moves lost in all: {lost}.**",
        "",
        *details,
        *tables,
        "",
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}.",
    ]
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _say("\n".join(lines))
    return lost


def _file(part: Part) -> Path:
    return STATE / f"{part.name}.json"


def _kept(part: Part) -> dict[str, Any]:
    """Return what was done of a part before."""
    if not _file(part).exists():
        return {}
    done: dict[str, Any] = json.loads(_file(part).read_text(encoding="utf-8"))
    return done


def _keep(part: Part, done: dict[str, Any]) -> None:
    beside = _file(part).with_suffix(".new")
    beside.write_text(json.dumps(done), encoding="utf-8")
    beside.replace(_file(part))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
