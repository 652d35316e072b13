"""The figures of tables whose tiles or cells are too small to be read surely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models.evaluate.figures import Figure


def small_figures(rows: Sequence[dict[str, Any]], what: str) -> tuple[Figure, ...]:
    """Return the figures of tables with tiles, or cells, below 24 pixels; ``what`` they are."""
    if not rows:
        return ()
    told_so = sum("small" in row["advice"] for row in rows)
    sure, wrong = sum(row["sure"] for row in rows), sum(row["sure_wrong"] for row in rows)
    told = f"tables with smaller {what} told to be small"
    return (
        Figure(told, told_so, len(rows), 100, least=100),
        Figure("sure readings wrong on these", wrong, sure, 100, most=1),
    )
