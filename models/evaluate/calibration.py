"""Says how far confidences can be trusted: ``python -m models.evaluate.calibration``.

What ``models.evaluate.tables``, ``spots`` and ``strangers`` kept is put together: how often claims
between 0.5 and 0.99 are right, beside what they say, for tiles in play, cards beside, strangers
(which are never right) and spots of light.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from models.evaluate.harness import RESULTS, kept_rows, parser_of, say
from models.scenes.world.arrays import Json

Claim = tuple[float, bool]

BINS = (0.5, 0.7, 0.9, 0.99)
FEWEST = 200
"""Fewer claims than that say little, and that is told."""


def claims(folder: Path) -> dict[str, list[Claim]]:
    """Return the claims of each kind among results that are kept in a folder."""
    tables, spots = (_rows(folder / part) for part in ("squares", "spots"))
    strangers = _rows(folder / "strangers")
    return {
        "tiles in play": _pairs(tables, "confidences"),
        "cards beside": _pairs(tables, "beside_confidences"),
        "strangers": [(float(sure), False) for row in strangers for _, sure in row["claims"]],
        "spots of light": _pairs(spots, "confidences"),
    }


def _rows(folder: Path) -> list[Json]:
    return [row for path in sorted(folder.glob("*.jsonl")) for row in kept_rows(path)]


def _pairs(rows: Sequence[Json], key: str) -> list[Claim]:
    return [(float(sure), bool(right)) for row in rows for sure, right in row[key]]


def lines(every: dict[str, list[Claim]]) -> Iterator[str]:
    """Yield what claims say and how often they are right."""
    for name, said in every.items():
        inside = [one for one in said if BINS[0] <= one[0] < BINS[-1]]
        few = "" if len(inside) >= FEWEST else f" (fewer than {FEWEST}: says little)"
        yield f"{name}: {len(inside)} claims between {BINS[0]} and {BINS[-1]}{few}"
        for low, high in (*pairwise(BINS), (BINS[0], BINS[-1])):
            some = [one for one in inside if low <= one[0] < high]
            if some:
                says = 100 * sum(sure for sure, _ in some) / len(some)
                right = 100 * sum(right for _, right in some) / len(some)
                yield (f"  {low} to {high}: says {says:.1f} %, right {right:.1f} % "
                       f"of {len(some)}, off by {right - says:+.1f}")  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Count as the command line asks."""
    parser = parser_of("calibration", __doc__, out=None)
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR")
    asked = parser.parse_args(arguments)
    say(*lines(claims(asked.results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
