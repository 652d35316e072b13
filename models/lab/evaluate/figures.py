"""What rows of cases say: each figure once, whichever pictures were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.lab.evaluate.harness import Figure
from models.lab.scenes.world.arrays import Json

SURE = 0.99
BAD, EXACT = "tiles wrong, missed or invented", "tables exactly right"
SHOWN = 12
"""How many pictures that were not read exactly are printed with their mistakes."""


@dataclass(frozen=True)
class Asked:
    """One figure: what is counted of what."""

    name: str
    hits: str
    of: str
    per: int = 1000
    right: bool = False
    """Whether it counts what is right, so that a limit is the least that is wanted."""


FIGURES = (
    Asked("tiles missed", "missed", "tiles"),
    Asked("tiles invented", "invented", "tiles"),
    Asked(BAD, "bad", "tiles"),
    Asked("kinds right, of tiles", "kinds_right", "tiles", 100, right=True),
    Asked("tiles unsure", "unsure", "tiles"),
    Asked("readings at 0.99 or surer right", "surely_right", "surely", 100, right=True),
    Asked("tiles sure and wrong", "sure_wrong", "sure"),
    Asked("tiles sure and wrong, of spots of light", "sure_wrong", "spots"),
    Asked(EXACT, "exact", "tables", 100, right=True),
    Asked("cards beside claimed surely", "beside_sure", "beside"),
    Asked("cards beside asked about", "beside_unsure", "beside"),
    Asked("reads with a tile at 0.9 or surer", "reads_sure", "reads", 100),
    Asked("reads with any tile at all", "reads_any", "reads", 100),
    Asked("reads with a tile that is claimed", "reads_claimed", "reads", 100),
    Asked("pictures called not good enough", "not_good", "pictures", 100),
    Asked("tables with smaller tiles told to be small", "small_told", "small", 100, right=True),
    Asked("sure readings wrong on these", "small_sure_wrong", "small_sure", 100),
)

Wanted = Mapping[str, float]
"""The limit of a figure, by its name and in its unit."""
DRAWN: Wanted = {
    BAD: 1.0,
    EXACT: 99.3,
    "tiles unsure": 5.0,
    "readings at 0.99 or surer right": 99.0,
    "pictures called not good enough": 2.0,
    "tables with smaller tiles told to be small": 100.0,
    "sure readings wrong on these": 1.0,
}
RENDERED: Wanted = {**DRAWN, BAD: 3.0, EXACT: 97.0}
SEALED: Wanted = {**DRAWN, BAD: 0.5, EXACT: 99.5}
SPOTTED: Wanted = {"tiles sure and wrong, of spots of light": 1.0}
PHOTOGRAPHED: Wanted = {"tiles missed": 5.0, "tiles invented": 0.0, EXACT: 90.0}
STRANGE: Wanted = {"reads with a tile at 0.9 or surer": 0.0, "reads with any tile at all": 1.0}


def figures_of(
    rows: Sequence[Json], wanted: Wanted = DRAWN, *, whatever: bool = False
) -> tuple[Figure, ...]:
    """Return all figures that rows have something to count for.

    Args:
        rows: what was read.
        wanted: limits of this part.
        whatever: counts small tiles as others, and pictures that were called not good enough.
    """
    sums = _sums(rows, whatever)
    return tuple(
        Figure(
            asked.name,
            sums[asked.hits],
            sums[asked.of],
            asked.per,
            most=None if asked.right else wanted.get(asked.name),
            least=wanted.get(asked.name) if asked.right else None,
        )
        for asked in FIGURES
        if asked.hits in sums and sums[asked.of]
    )


def _sums(rows: Sequence[Json], whatever: bool) -> Counter[str]:
    """Return what rows count in all: tables of small tiles apart, poor pictures not at all."""
    small = [row for row in rows if row["small"] and not whatever]
    big = [row for row in rows if not row["small"] or whatever]
    good = [row for row in big if row["good"] or whatever]
    sums: Counter[str] = Counter()
    for row in good:
        sums.update({key: int(count) for key, count in row.items() if isinstance(count, int)})
    surely = [right for row in good for sure, right in row.get("confidences", ()) if sure >= SURE]
    if any("sure" in row for row in good):
        sums["surely"], sums["surely_right"] = len(surely), sum(surely)
    tiled = [row for row in good if "reads" not in row]
    sums["tables"], sums["exact"] = len(tiled), sum(bool(row["exact"]) for row in tiled)
    sums["pictures"], sums["not_good"] = len(big), len(big) - len(good)
    sums["small"] = len(small)
    sums["small_told"] = sum("small" in row.get("advice", ()) for row in small)
    for key in ("sure", "sure_wrong"):
        sums[f"small_{key}"] = sum(row.get(key, 0) for row in small)
    left_out = ["pictures"] * whatever + ["tiles"] * (not tiled)
    return Counter({key: count for key, count in sums.items() if key not in left_out})


def remarks(rows: Sequence[Json]) -> Iterator[str]:
    """Yield why pictures were called not good enough, and which were not read exactly."""
    poor = [row for row in rows if not row["good"] and not row["small"]]
    advice = Counter(what for row in poor for what in row.get("advice", ()))
    if advice:
        yield f"  not good enough, by advice: {dict(sorted(advice.items()))}"
    wrong = [row for row in rows if row["mistakes"] and not row["small"]]
    for row in wrong[:SHOWN]:
        yield f"    {row['key']}: {'; '.join(row['mistakes'])}"
