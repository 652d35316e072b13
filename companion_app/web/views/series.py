"""Series: games that the same people play one after the other on one evening, added up.

Sssnake is played so by its rule book; for the other games it is told all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from flask import Blueprint, Response, jsonify

from companion_app.web.app import companion
from companion_app.web.serving import access
from companion_app.web.views.games import summaries

Doc = dict[str, Any]
blueprint = Blueprint("series", __name__)
PAUSE_S = 4 * 3600.0
"""Who plays on within so long is still at the same evening."""


@blueprint.get("/api/series")
@access.part_of("watching")
def series() -> Response:
    """Return the series of the kept games, the newest first."""
    with companion().desk.lock:
        finished = [game for game in summaries() if game["ended"]]
    return jsonify({"series": series_of(finished)})


def series_of(games: Iterable[Doc]) -> list[Doc]:
    """Return games of one kind by the same people, added up by person; the newest first."""
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
    """Sort by the total; whoever has none, since a game could not be finished, comes last."""
    return one["total"] is None, -(one["total"] or 0), one["name"]
