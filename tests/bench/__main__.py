"""Prints every benchmark's table: ``make bench``, or only some: ``make bench ONLY=rules``.

Machines are shared and noisy, so speed is a ratio to something measured in the same run.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HELPERS = ("__init__", "__main__", "first_draw")


def main(wanted: list[str]) -> int:
    """Run the named benchmarks, or all, and print a row for each figure."""
    found = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem not in HELPERS)
    unknown = sorted(set(wanted) - set(found))
    if unknown:
        sys.stderr.write(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(found)}\n")
        return 2
    for name in wanted or found:
        for what, figure, unit, counted in import_module(f"tests.bench.{name}").rows():
            print(f"{what}: {figure:.3g} {unit}\n    {counted}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
