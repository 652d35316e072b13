"""Everything that ``make evaluate`` prints, part by part: ``make evaluate PARTS="squares hexes"``.

Each part keeps what it has done under ``build/evaluate`` and goes on from there, so a long run can
be broken off and taken up. ``SCALE`` is a share of the full counts, for a quick look.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

TABLES = 500
"""Held-out tables a game; the interval of one wrong tile in a thousand needs as many."""


def parts(scale: float) -> dict[str, list[list[str]]]:
    """Return the commands of each part, as arguments of ``python -m``."""
    count = str(max(4, round(TABLES * scale)))
    photographs = ["--photos"] if os.environ.get("SNAKE_EYE_SHARED") else []
    return {
        "detection": [
            ["models.evaluate.detection", "--scenes", str(max(4, round(100 * scale))), *photographs]
        ],
        "reading": [["models.evaluate.reading", "--tables", str(max(4, round(200 * scale)))]],
        "squares": [["models.evaluate.tables", "--tables", count]],
        "hexes": [
            ["models.evaluate.hex_tables", "--game", game, "--count", count]
            for game in ("snekagon", "snekagon5g")
        ],
        "live": [["models.evaluate.live"]],
        "teaching": [["models.evaluate.teaching"]],
    }


def main(arguments: list[str]) -> int:
    """Run the parts one after the other; the first that fails is told at the end."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate", description=__doc__)
    parser.add_argument("parts", nargs="*", help="some of " + ", ".join(parts(1)))
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full counts")
    asked = parser.parse_args(arguments)
    known = parts(asked.scale)
    unknown = [part for part in asked.parts if part not in known]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(known)}")
    failed = []
    for part in asked.parts or known:
        for command in known[part]:
            sys.stdout.write(f"\n== {part}: python -m {' '.join(command)}\n")
            sys.stdout.flush()
            if subprocess.run([sys.executable, "-m", *command], check=False).returncode != 0:
                failed.append(part)
    if failed:
        sys.stderr.write(f"these parts failed: {', '.join(dict.fromkeys(failed))}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
