"""What each stage of the reader earns: ``python -m models.lab.evaluate.ablation --tables 200``.

Golden pictures are read with everything, and once more without each stage that did something on
them. For each stage it prints on how many pictures it did something, how many answers differ
without it, and how many exact tables and sure and wrong tiles are lost and won by it. A stage that
earns nothing can go. Each picture is one line of a file; an interrupted run resumes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from models.lab.evaluate.cases import NOTHING, Case
from models.lab.evaluate.golden import FOLDER, golden_tables
from models.lab.evaluate.harness import every_row, parser_of, say
from models.lab.evaluate.taught.cases import invented_cases
from models.lab.scenes.settings import GAMES
from models.lab.scenes.world.arrays import Json
from vision import TableState, table_state_to_json
from vision.core.stages import STAGES, watched_by

TABLES = 60
BOXES = 2


@dataclass
class Without:
    """Leaves out one stage, or none, and records which stages did something."""

    out: str | None = None
    busy: set[str] = field(default_factory=set)

    def leaves_out(self, stage: str) -> bool:
        """Say whether this stage is left out."""
        return stage == self.out

    def saw(self, stage: str, made: object, given: object) -> None:
        """Record a stage that returned something else than it was given."""
        if given is not None and not _same(made, given):
            self.busy.add(stage)


def _same(one: object, other: object) -> bool:
    """Say whether two results are the identical objects; equal copies count as different."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return one is other


def ablated(read: Callable[[], TableState], rate: Callable[[TableState], Json]) -> Json:
    """Return the row of an answer, with those without each stage that did something."""

    def rated(state: TableState) -> Json:
        row = rate(state)
        return {key: row[key] for key in NOTHING if key != "mistakes"}

    whole = Without()
    with watched_by(whole):
        state = read()
    said, own = table_state_to_json(state), rated(state)
    without = {}
    for stage in sorted(whole.busy):
        with watched_by(Without(stage)):
            other = read()
        differs = table_state_to_json(other) != said
        without[stage] = {"differs": differs, **(rated(other) if differs else own)}
    return {**own, "without": without}


@dataclass
class Earned:
    """The counts of one stage."""

    busy: int = 0
    differs: int = 0
    lost: int = 0
    """Tables that are exact only with the stage."""
    won: int = 0
    """Tables that are exact only without the stage."""
    claims: int = 0
    """Sure and wrong tiles without the stage minus those with it."""
    unsure: int = 0


def earnings(rows: Iterable[Mapping[str, Any]]) -> dict[str, Earned]:
    """Return the counts of each stage, on pictures whose tiles are not small."""
    found = {stage: Earned() for stage in dict.fromkeys(STAGES)}
    for row in rows:
        if row.get("small", True):
            continue
        for stage, other in row["without"].items():
            one = found.setdefault(stage, Earned())
            one.busy += 1
            one.differs += other["differs"]
            one.lost += row["exact"] and not other["exact"]
            one.won += other["exact"] and not row["exact"]
            one.claims += _claims(other) - _claims(row)
            one.unsure += other["unsure"] - row["unsure"]
    return found


def _claims(row: Mapping[str, Any]) -> int:
    return int(row["sure_wrong"]) if row["good"] else 0


def lines(found: Mapping[str, Earned], pictures: int) -> Iterator[str]:
    """Yield a table of all stages, the most useful ones first."""
    yield f"of {pictures} pictures"
    yield "| stage | did something | answers differ | exact lost | exact won | claims | unsure |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for stage, one in sorted(
        found.items(), key=lambda named: (named[1].won - named[1].lost, -named[1].differs)
    ):
        counts = [one.busy, one.differs, one.lost, one.won, f"{one.claims:+d}", f"{one.unsure:+d}"]
        yield f"| {stage} | {' | '.join(map(str, counts))} |"


def _row(key: str, case: Callable[[str], Case | None]) -> Json:
    shown = case(key)
    return {"small": True} if shown is None else ablated(shown.read, shown.rate)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count as the command line asks."""
    parser = parser_of("ablation", __doc__, GAMES, FOLDER / "ablation")
    parser.add_argument("--tables", type=int, default=TABLES, help="golden tables a game")
    parser.add_argument("--boxes", type=int, default=BOXES, help="taught boxes of each shape")
    parser.add_argument("--pictures", type=Path, default=FOLDER / "pictures", metavar="DIR")
    asked = parser.parse_args(arguments)
    every: list[Json] = []
    taught = () if asked.games else invented_cases(asked.boxes, asked.pictures)
    for cases in (*golden_tables(asked.games or GAMES, asked.tables, asked.pictures), *taught):
        work = partial(_row, case=cases.case)
        rows = every_row(asked.out / f"{cases.name}.jsonl", cases.keys, work, asked.workers)
        every += rows
        busy = {stage: one for stage, one in earnings(rows).items() if one.busy}
        say(f"\n{cases.name}", *lines(busy, len(rows)))
    say("\nall together", *lines(earnings(every), len(every)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
