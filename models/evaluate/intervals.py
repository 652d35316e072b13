"""Shares with their 95 % intervals."""

from __future__ import annotations

from math import comb, sqrt

Z = 1.959964
"""Two-sided 95 % of the normal distribution."""


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share after Wilson, which holds for few and for none too."""
    if count == 0:
        return 0.0, 1.0
    share = hits / count
    spread = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    middle = share + Z * Z / (2 * count)
    below = 1 + Z * Z / count
    return max(0.0, (middle - spread) / below), min(1.0, (middle + spread) / below)


def told(hits: int, count: int, per: int = 1000) -> str:
    """Return a share in words, ``3 of 2000: 1.50 per 1000 (0.51 to 4.40)``."""
    low, high = wilson(hits, count)
    share = hits / count if count else 0.0
    return f"{hits} of {count}: {share * per:.2f} per {per} ({low * per:.2f} to {high * per:.2f})"


def mcnemar(lost: int, won: int) -> float:
    """Return how likely so uneven a change is by chance: McNemar's exact test, two-sided.

    Args:
        lost: what was right before and is wrong now.
        won: what was wrong before and is right now.
    """
    changed = lost + won
    tail = sum(comb(changed, k) for k in range(min(lost, won) + 1))
    return float(min(1.0, 2 * tail / 2**changed))
