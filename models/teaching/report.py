"""What an owner should know after teaching: what is doubtful, what looks alike, what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from models.teaching.examples import Examples
from models.teaching.fit import Fitted

if TYPE_CHECKING:
    from models.teaching.teach import Gathered

SURE = 0.97
"""Mean sureness on a kind's hard variants below which the kind is doubtful."""
ALIKE = 0.02
"""Probability given to another kind above which two kinds look alike."""
MOST_NAMED = 6
ODD = 0.3
"""Sureness of an example below which its label may be wrong."""


def report_of(
    name: str,
    shape: str,
    game: str | None,
    gathered: Gathered,
    fitted: Fitted[Any],
    examples: Examples,
    wanted: Sequence[str],
) -> dict[str, Any]:
    """Return the report of one lesson.

    Args:
        name: name of the box.
        shape: shape of its tiles.
        game: the game whose rules it plays by.
        gathered: what the photographs gave.
        fitted: the reader.
        examples: all examples that the box is learnt from.
        wanted: the kinds that it must know.
    """
    tiles = fitted.tiles
    counts = Counter(tiles)
    sure = {
        tile: float(np.mean([s for s, t in zip(fitted.sureness, tiles, strict=True) if t == tile]))
        for tile in counts
    }
    doubtful = sorted((tile for tile in sure if sure[tile] < SURE), key=lambda tile: sure[tile])
    alike = _alike(fitted)
    missing = [kind for kind in wanted if kind not in counts]
    odd = [
        {"file": examples.photos[n], "tile": tiles[n], "confidence": round(float(s), 3)}
        for n, s in enumerate(fitted.sureness)
        if s < ODD and counts[tiles[n]] > 1
    ]
    return {
        "set": name,
        "shape": shape,
        "game": game,
        "photos": len(set(examples.photos)),
        "examples": len(tiles),
        "added": len(gathered.examples),
        "corrections": gathered.corrections,
        "kinds": [
            {"tile": tile, "examples": counts[tile], "sure": round(sure[tile], 3)}
            for tile in sorted(counts)
        ],
        "unsure": [{"tile": t, "sure": round(sure[t], 3)} for t in doubtful],
        "alike": [{"tiles": [a, b], "share": round(share, 3)} for a, b, share in alike],
        "missing": missing,
        "odd": odd,
        "left_out": [{"file": file, "why": why} for file, why in gathered.left_out],
        "not_found": [{"file": f, "tiles": n} for f, n in gathered.missed.items() if n],
        "poor": [{"file": file, "why": why} for file, why in gathered.poor],
        "best_photo": best_photo(doubtful, counts, alike, missing, [f for f, _ in gathered.poor]),
        "hard_wrong": round(fitted.wrong_share, 4),
    }


def _alike(fitted: Fitted[Any]) -> list[tuple[str, str, float]]:
    """Return the pairs of kinds that are confused most."""
    pairs: dict[tuple[str, str], float] = {}
    for (one, other), share in fitted.confusions.items():
        first, second = sorted((one, other))
        pairs[first, second] = max(pairs.get((first, second), 0.0), share)
    ranked = sorted(pairs.items(), key=lambda item: -item[1])
    return [(a, b, share) for (a, b), share in ranked if share >= ALIKE][:MOST_NAMED]


def best_photo(
    doubtful: list[str],
    counts: Counter[str],
    alike: list[tuple[str, str, float]],
    missing: list[str],
    poor: Sequence[str] = (),
) -> str | None:
    """Return which photograph would help most, in words for the owner."""
    if missing:
        return f"a photo with {_listed(missing)}, which no photo shows yet"
    if poor:
        return f"a better photo in place of {poor[0]}, with the same tiles"
    pair = [kind for one, other, _ in alike[:2] for kind in (one, other)]
    wanted = list(dict.fromkeys([*pair, *doubtful]))[:MOST_NAMED]
    if wanted:
        return (
            f"a photo with {_listed(wanted)} side by side, each lying in several directions, "
            "in the light you play in"
        )
    once = [kind for kind, count in counts.items() if count == 1]
    if once:
        return f"a second photo of {_listed(sorted(once))}, in another light"
    return None


def _listed(kinds: list[str]) -> str:
    shown = kinds[:MOST_NAMED]
    more = f" and {len(kinds) - len(shown)} more" if len(kinds) > len(shown) else ""
    return ", ".join(shown) + more
