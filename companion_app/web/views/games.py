"""The games that are kept: history, replay, statistics, exports and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import Any, TypeVar

from flask import Blueprint, Response, jsonify, request

from companion_app.hands.work import REPLAY
from companion_app.live.kept import Kept, KeptGames
from companion_app.web import bgstats, replays
from companion_app.web.context import companion, svg_answer
from companion_app.web.series import series_of
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import language
from companion_app.web.summaries import said

blueprint = Blueprint("games", __name__)
Doc = dict[str, Any]
T = TypeVar("T")


def _from(call: Callable[..., T], key: str, *more: Any) -> T:
    """Return what the hands make of a kept game."""
    access.limit_looks(companion().limiter)
    return companion().hands.do(REPLAY, call, companion().place, key, *more)


def summaries() -> list[Doc]:
    """Return the kept games in short, the newest first; those that cannot be read are left out."""
    access.limit_looks(companion().limiter)
    return companion().summaries.in_words(language())


@blueprint.get("/api/history")
@access.part_of("watching")
def history() -> Response:
    """Return the kept games, the newest first."""
    games, listed = summaries(), companion().summaries.listed()
    return jsonify(
        {
            "games": games,
            "unreadable": [{"key": key, "text": why} for key, why in listed.unreadable],
            "pending": listed.pending,
        }
    )


@blueprint.get("/api/statistics")
@access.part_of("watching")
def statistics() -> Response:
    """Return what the kept games say about each person."""
    return jsonify({"players": _by_person(_counted())})


@blueprint.get("/api/series")
@access.part_of("watching")
def series() -> Response:
    """Return the series of the kept games, the newest first."""
    return jsonify({"series": series_of(_counted())})


def _counted() -> list[Doc]:
    """Return the games that say something about people: finished, and not the demo's."""
    return [game for game in summaries() if game["ended"] and not game["demo"]]


def _by_person(games: Iterable[Doc]) -> list[Doc]:
    people: dict[str, Doc] = {}
    for game in games:
        for player in game["players"]:
            one = people.setdefault(
                player["name"], {"name": player["name"], "games": 0, "won": 0, "best": {},
                                 "average": {}, "fouls": 0}
            )  # fmt: skip
            one["games"] += 1
            one["won"] += player["winner"]
            one["fouls"] += player["fouls"]
            score, best = player["score"], one["best"].get(game["title"])
            if score is not None and (best is None or score > best):
                one["best"][game["title"]] = score
            if score is not None:
                one["average"].setdefault(game["title"], []).append(score)
    for one in people.values():
        one["average"] = {t: round(fmean(scores), 1) for t, scores in one["average"].items()}
    return sorted(people.values(), key=lambda one: (-one["won"], -one["games"], one["name"]))


@blueprint.get("/api/games/<key>")
@access.part_of("watching")
def game(key: str) -> Response:
    """Return one game as it stood after ``n`` moves, or at its end."""
    return jsonify(_from(replays.game_document, key, language(), _number()))


@blueprint.get("/api/games/<key>/table.svg")
@access.part_of("watching")
def table(key: str) -> Response:
    """Return the table of a game after ``n`` moves, or at its end."""
    return svg_answer(_from(replays.game_drawing, key, language(), _number()))


def _number() -> int | None:
    wanted = request.args.get("n")
    if wanted is None:
        return None
    if not wanted.isdigit() or len(wanted) > 6:
        raise BadRequest("n is a number of moves")
    return int(wanted)


@blueprint.get("/api/games/<key>/pictures/<int:seq>/<name>.jpg")
@access.part_of("pictures")
def picture(key: str, seq: int, name: str) -> Response:
    """Return a kept picture of a move or a foul."""
    kept = KeptGames(companion().place.file)
    jpeg = kept.picture(key, seq, name) if name in ("before", "after") else None
    if jpeg is None:
        raise NotFound(code="no-picture")
    return Response(jpeg, mimetype="image/jpeg")


# --- exports -------------------------------------------------------------------------------------


@blueprint.get("/api/games/<key>/record.json")
@access.part_of("watching")
def record(key: str) -> Response:
    """Return the game in the record format."""
    text = json.dumps(_from(replays.game_record, key), ensure_ascii=False)
    return _file(text.encode(), "application/json", f"snake-eye-{key}.json")


@blueprint.get("/api/games/<key>/play.bgsplay")
@access.part_of("watching")
def bgsplay(key: str) -> Response:
    """Return the game for Board Game Stats."""
    text = json.dumps(bgstats.play_file(_in_short(key)), ensure_ascii=False)
    return _file(text.encode(), "application/json", f"snake-eye-{key}.bgsplay")


@blueprint.get("/api/games/<key>/bgstats")
@access.part_of("watching")
def bgstats_link(key: str) -> Response:
    """Return the link that opens Board Game Stats with the play filled in."""
    return jsonify({"link": bgstats.play_link(_in_short(key))})


def _in_short(key: str) -> Doc:
    made: Kept = _from(replays.game_in_short, key)
    return said(key, made.summary, language())


@blueprint.get("/api/games/<key>/sheet.pdf")
@access.part_of("watching")
def sheet(key: str) -> Response:
    """Return the last table and the score sheet as PDF."""
    made = _from(replays.game_sheet, key, language())
    return _file(made, "application/pdf", f"snake-eye-{key}.pdf")


def _file(content: bytes, kind: str, name: str) -> Response:
    answer = Response(content, mimetype=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
