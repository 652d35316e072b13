"""Reads held-out tables of the hex games: ``python -m models.evaluate.hex_tables --game snekagon``.

Counts stand with 95 % intervals, tables with cells below 24 pixels apart.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from models.evaluate.tables import HEXES, run


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    return run(HEXES, "hex_tables", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
