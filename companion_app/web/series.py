"""Series: games that the same people play in one evening, with their scores added up.

Sssnake's rule book prescribes series; they are computed for the other games too.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

Doc = dict[str, Any]
PAUSE_S = 4 * 3600.0
"""The longest pause, in seconds, between two games of the same evening."""


def series_of(games: Iterable[Doc]) -> list[Doc]:
    """Return the series among games: same game, same people, same evening; the newest first."""
    rows: dict[tuple[str, tuple[str, ...]], list[Doc]] = {}
    for game in sorted(games, key=lambda game: game["began_s"]):
        people = tuple(sorted(player["name"] for player in game["players"]))
        rows.setdefault((game["game"], people), []).append(game)
    found = [
        _added_up(evening) for row in rows.values() for evening in _evenings(row)
        if len(evening) > 1
    ]  # fmt: skip
    return sorted(found, key=lambda one: -one["ended_s"])


def _evenings(row: list[Doc]) -> list[list[Doc]]:
    evenings = [row[:1]]
    for before, after in pairwise(row):
        if after["began_s"] - before["ended_s"] > PAUSE_S:
            evenings.append([])
        evenings[-1].append(after)
    return evenings


def _added_up(evening: list[Doc]) -> Doc:
    totals: dict[str, Doc] = {}
    for game in evening:
        for player in game["players"]:
            one = totals.setdefault(player["name"], {
                "name": player["name"], "colour": player["colour"], "total": 0, "won": 0,
                "scores": [],
            })  # fmt: skip
            score, known = player["score"], one["total"]
            one["total"] = None if score is None or known is None else known + score
            one["won"] += player["winner"]
            one["scores"].append(player["score"])
    return {
        "game": evening[0]["game"], "title": evening[0]["title"],
        "began_s": evening[0]["began_s"], "ended_s": evening[-1]["ended_s"],
        "games": [game["key"] for game in evening],
        "players": sorted(totals.values(), key=_best_first),
    }  # fmt: skip


def _best_first(one: Doc) -> tuple[bool, int, str]:
    """Return the sort key by total; a player without one, since a game has no score, is last."""
    return one["total"] is None, -(one["total"] or 0), one["name"]
