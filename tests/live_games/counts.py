"""What an evaluation counts, and how the figures are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

Json = dict[str, Any]

VERDICT_WITHIN_S = 0.5
DELAY = "delay "
FOUL = "foul "
ASKED = "asked "
MOST_IN_A_MINUTE = "most questions in a minute"
"""Of one game; of many, the most of any."""
MINUTE_S = 60.0
FIGURES = (
    ("moves right and in order", "moves right", "moves"),
    ("fouls caught", "fouls caught", "fouls"),
    ("fouls with exactly the right rules", "fouls with the right rules", "fouls"),
    ("fouls excused", "fouls excused", "fouls"),
    ("false accusations", "false accusations", "moves"),
    ("scores right after a move", "scores right", "scores"),
    ("questions (rolls and hands not counted)", "questions", "moves"),
    ("verdicts within 0.5 s", "verdicts in time", "verdicts timed"),
    ("verdicts with a hand in view", "verdicts too early", "verdicts timed"),
    ("games without an error", "games without an error", "games"),
)


@dataclass
class Counts:
    """What is counted, for one game or for many."""

    numbers: Counter[str] = field(default_factory=Counter)
    by_disturbance: dict[str, Counter[str]] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)

    def add(self, what: str, disturbance: str | None = None, times: int = 1) -> None:
        """Count one thing, or several."""
        self.numbers[what] += times
        if disturbance is not None:
            self.by_disturbance.setdefault(disturbance, Counter())[what] += times

    def to_json(self) -> Json:
        """Return all of it as JSON."""
        return {
            "numbers": dict(self.numbers),
            "by_disturbance": {name: dict(c) for name, c in self.by_disturbance.items()},
            "mistakes": self.mistakes,
        }

    def take_in(self, data: Json) -> None:
        """Add what another game counted."""
        numbers = dict(data["numbers"])
        most = max(self.numbers[MOST_IN_A_MINUTE], numbers.pop(MOST_IN_A_MINUTE, 0))
        self.numbers.update(numbers)
        self.numbers[MOST_IN_A_MINUTE] = most
        for name, numbers in data["by_disturbance"].items():
            self.by_disturbance.setdefault(name, Counter()).update(numbers)
        self.mistakes += data["mistakes"]


def most_in_a_minute(asked_s: Sequence[float]) -> int:
    """Return how many questions were asked in the busiest minute, of their times in order."""
    return max(
        (sum(first <= t < first + MINUTE_S for t in asked_s) for first in asked_s), default=0
    )


def interval(right: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, after Wilson."""
    if not of:
        return 0.0, 1.0
    # More questions than moves may be asked.
    z, share = 1.96, min(1.0, right / of)
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def report(counts: Counts, shown: tuple[str, ...] = ()) -> list[str]:
    """Return the figures in lines; ``shown`` are the rules whose breach a table can show."""
    numbers = counts.numbers
    lines = []
    for name, right, of in FIGURES:
        low, high = interval(numbers[right], numbers[of])
        lines.append(f"{name}: {numbers[right]} of {numbers[of]} ({low:.2%} to {high:.2%})")
    lines.append(f"{MOST_IN_A_MINUTE}: {numbers[MOST_IN_A_MINUTE]}")
    for name, split in sorted(counts.by_disturbance.items()):
        lines.append(
            f"  {name}: moves {split['moves right']} of {split['moves']}, "
            f"fouls {split['fouls caught']} of {split['fouls']}, "
            f"accusations {split['false accusations']}, questions {split['questions']}, "
            f"in time {split['verdicts in time']} of {split['verdicts timed']}"
        )
    lines.append(f"  questions by kind: {_parts(numbers, ASKED)}")
    lines.append(f"  fouls by rule: {_parts(numbers, FOUL)}")
    if shown:
        missing = [rule for rule in shown if not numbers[FOUL + rule]]
        lines.append(
            f"  kinds of fouls: {len(shown) - len(missing)} of {len(shown)} that a table can show; "
            f"not among them: {', '.join(missing) or 'none'}"
        )
    lines.append(f"  seconds from hand to verdict: {_parts(numbers, DELAY)}")
    return lines


def _parts(numbers: Counter[str], prefix: str) -> dict[str, int]:
    return {k[len(prefix) :]: n for k, n in sorted(numbers.items()) if k.startswith(prefix)}
