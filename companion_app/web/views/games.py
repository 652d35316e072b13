"""The games that are kept: history, replay, statistics, exports and pictures."""

from __future__ import annotations

import io
import json
from collections import Counter, OrderedDict
from collections.abc import Iterable
from statistics import fmean
from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion_app.live.errors import StoreError
from companion_app.live.match import Match
from companion_app.web import bgstats, snapshot
from companion_app.web.app import companion, language
from companion_app.web.desk import Desk, names_in
from companion_app.web.drawing import match as match_drawing
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.speech import Speech
from companion_app.web.views.api import svg_answer
from engine.record import record_to_json

blueprint = Blueprint("games", __name__)
MOST_LISTED = 200
MOST_KEPT = 12
"""Replayed games that stay in memory while people look through them."""
Doc = dict[str, Any]


class Shelf:
    """Replayed games, the last ones kept at hand."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], tuple[Match, Doc]] = OrderedDict()

    def take(self, desk: Desk, key: str) -> tuple[Match, Doc]:
        """Return a game and its times; it is replayed only when something was added."""
        with desk.lock:
            lines = desk.store.lines(key)
            if not any(line.kind == "started" for line in lines):
                raise NotFound(code="no-game")
            mark = (key, lines[-1].seq)
            if mark not in self._kept:
                times = {"began_s": lines[0].at_s, "ended_s": lines[-1].at_s}
                match = Match.resume(desk.store, key, desk.set_folders)
                self._kept[mark] = (match, times)
            self._kept.move_to_end(mark)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return self._kept[mark]


shelf = Shelf()


def _opened(key: str) -> tuple[Match, Doc, Speech]:
    desk = companion().desk
    match, times = shelf.take(desk, key)
    with desk.lock:
        named = names_in(desk.store, key)
    return match, times, Speech(language(), named)


def _summary(match: Match, times: Doc, words: Speech) -> Doc:
    outcome = match.game.outcome(match.position)
    ended = match.ended or outcome.over
    whole = snapshot.match_to_json(match, words)
    fouls = Counter(
        str(line.body["move"]["player"])
        for line in match.store.lines(match.key)
        if line.kind == "foul"
    )
    return {
        "key": match.key, "game": whole["game"], "title": whole["title"], "moves": len(
            match.accepted), "ended": ended, "winners": whole["winners"],
        "players": [
            {k: player[k] for k in ("id", "name", "word", "colour", "score", "winner")}
            | {"fouls": fouls[player["id"]]}
            for player in whole["players"]
        ],
        "fouls": fouls.total(),
    } | times  # fmt: skip


def summaries() -> list[Doc]:
    """Return the kept games in short, the newest first; those that cannot be read are left out."""
    return _listed()[0]


def _listed() -> tuple[list[Doc], list[Doc]]:
    """Return the kept games in short, and those that cannot be understood, with the reason."""
    desk = companion().desk
    games: list[Doc] = []
    unreadable: list[Doc] = []
    with desk.lock:
        for key in desk.store.games()[::-1][:MOST_LISTED]:
            try:
                games.append(_summary(*_opened(key)))
            except (StoreError, NotFound) as error:
                unreadable.append({"key": key, "text": str(error)})
    return games, unreadable


@blueprint.get("/api/history")
@access.part_of("watching")
def history() -> Response:
    """Return the kept games, the newest first."""
    games, unreadable = _listed()
    return jsonify({"games": games, "unreadable": unreadable})


@blueprint.get("/api/statistics")
@access.part_of("watching")
def statistics() -> Response:
    """Return what the kept games say about each person."""
    return jsonify({"players": _by_person(game for game in summaries() if game["ended"])})


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
    match, times, words = _opened(key)
    with companion().desk.lock:
        document = snapshot.match_to_json(match, words, _number())
        return jsonify(document | times | {"length": len(match.accepted),
                                           "curve": _curve(match)})  # fmt: skip


def _curve(match: Match) -> list[Doc]:
    """Return the scores after every move."""
    return [dict(match.game.outcome(position).scores) for position in match.positions]


@blueprint.get("/api/games/<key>/table.svg")
@access.part_of("watching")
def table(key: str) -> Response:
    """Return the table of a game after ``n`` moves, or at its end."""
    match, _, words = _opened(key)
    with companion().desk.lock:
        return svg_answer(
            match_drawing.drawing(match, words, match_drawing.shown(match, _number()))
        )


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
    desk = companion().desk
    with desk.lock:
        known = any(line.seq == seq for line in desk.store.lines(key))
        jpeg = desk.store.picture(seq, name) if known and name in ("before", "after") else None
    if jpeg is None:
        raise NotFound(code="no-picture")
    return Response(jpeg, mimetype="image/jpeg")


# --- exports -------------------------------------------------------------------------------------


@blueprint.get("/api/games/<key>/record.json")
@access.part_of("watching")
def record(key: str) -> Response:
    """Return the game in the record format."""
    match, _, _ = _opened(key)
    text = json.dumps(record_to_json(match.record()), ensure_ascii=False)
    return _file(text.encode(), "application/json", f"snake-eye-{key}.json")


@blueprint.get("/api/games/<key>/play.bgsplay")
@access.part_of("watching")
def bgsplay(key: str) -> Response:
    """Return the game for Board Game Stats."""
    text = json.dumps(bgstats.play_file(_summary(*_opened(key))), ensure_ascii=False)
    return _file(text.encode(), "application/json", f"snake-eye-{key}.bgsplay")


@blueprint.get("/api/games/<key>/bgstats")
@access.part_of("watching")
def bgstats_link(key: str) -> Response:
    """Return the link that opens Board Game Stats with the play filled in."""
    return jsonify({"link": bgstats.play_link(_summary(*_opened(key)))})


@blueprint.get("/api/games/<key>/sheet.pdf")
@access.part_of("watching")
def sheet(key: str) -> Response:
    """Return the last table and the score sheet as PDF."""
    from companion_app.web.drawing.sheet import score_sheet

    match, times, words = _opened(key)
    with companion().desk.lock:
        out = io.BytesIO()
        score_sheet(out, match, snapshot.match_to_json(match, words), times, words)
    return _file(out.getvalue(), "application/pdf", f"snake-eye-{key}.pdf")


def _file(content: bytes, kind: str, name: str) -> Response:
    answer = Response(content, mimetype=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
