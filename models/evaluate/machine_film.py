"""The machine's moves before the camera: laid wrongly they are noticed, laid right they are taken.

The referee lies above this package, so it is run as a program of its own; finished films are kept
and a run that was broken off goes on where it stopped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Film what is missing and print the figures; return the program's status."""
    given = sys.argv[1:] if arguments is None else arguments
    command = [sys.executable, "-m", "tests.live_games.machine", *given]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
