"""Views of kept data: games with replays, statistics and exports, pictures, corrections."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, TypeVar

from flask import Blueprint, Response, current_app, request

from companion_app.games.kept import Kept, KeptGames
from companion_app.hands.work import REPLAY
from companion_app.line.commands import EyeCommands
from companion_app.live import damage
from companion_app.web import bgstats, replays
from companion_app.web.context import companion, speech, svg_answer
from companion_app.web.people import by_person, counted
from companion_app.web.serving import guard
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import Doc, a_file, language, told_or_none
from companion_app.web.summaries import Listed, in_words, said
from engine.games import GAMES

views = Blueprint("games", __name__)
T = TypeVar("T")
PAUSE_S = 4 * 3600.0
"""The longest pause, in seconds, between two games of the same evening."""


def _from(call: Callable[..., T], key: str, *more: Any) -> T:
    """Have the hands call a function of ``replays`` with a kept game; return its result."""
    guard.limit(*guard.LOOKS)
    return companion().hands.do(REPLAY, call, companion().place, key, *more)


def _of_all(what: str, make: Callable[[Listed, list[Doc]], Doc]) -> Response:
    """Return an answer computed from all games; it is cached until a game changes."""
    guard.limit(*guard.LOOKS)
    listed, chosen = companion().summaries.listed(), language()
    text = companion().of_games.answer(
        listed,
        (what, chosen),
        lambda: current_app.json.dumps(make(listed, in_words(listed, chosen))),
    )
    return Response(text, mimetype="application/json")


@views.get("/api/history")
def history() -> Response:
    """Return the kept games, the newest first."""
    return _of_all(
        "history",
        lambda listed, games: {
            "games": games,
            "unreadable": [{"key": key, "text": why} for key, why in listed.unreadable],
            "pending": listed.pending,
        },
    )


@views.get("/api/statistics")
def statistics() -> Response:
    """Return statistics by person: of all kept games, or those of one game (``game``)."""
    only = request.args.get("game", "")
    if only and only not in GAMES:
        raise NotFound
    return _of_all(f"statistics {only}", lambda _, games: by_person(games, only))


@views.get("/api/series")
def series() -> Response:
    """Return the series of the kept games, the newest first."""
    return _of_all("series", lambda _, games: {"series": series_of(counted(games))})


# --- series: games of the same people in one evening, with their scores added up -----------------


def series_of(games: Iterable[Doc]) -> list[Doc]:
    """Return the series among games: same game, same people, same evening; the newest first.

    Sssnake's rule book prescribes series; they are computed for the other games too.
    """
    rows: dict[tuple[str, tuple[str, ...]], list[Doc]] = {}
    for game in sorted(games, key=lambda game: game["began_s"]):
        people = tuple(sorted(player["name"] for player in game["players"]))
        rows.setdefault((game["game"], people), []).append(game)
    found = [
        _added_up(evening)
        for row in rows.values()
        for evening in _evenings(row)
        if len(evening) > 1
    ]
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
            one = totals.setdefault(
                player["name"],
                {
                    "name": player["name"],
                    "colour": player["colour"],
                    "total": 0,
                    "won": 0,
                    "scores": [],
                },
            )
            score, known = player["score"], one["total"]
            one["total"] = None if score is None or known is None else known + score
            one["won"] += player["winner"]
            one["scores"].append(player["score"])
    return {
        "game": evening[0]["game"],
        "title": evening[0]["title"],
        "began_s": evening[0]["began_s"],
        "ended_s": evening[-1]["ended_s"],
        "games": [game["key"] for game in evening],
        "players": sorted(totals.values(), key=_best_first),
    }


def _best_first(one: Doc) -> tuple[bool, int, str]:
    """Return the sort key by total; a player without one, since a game has no score, is last."""
    return one["total"] is None, -(one["total"] or 0), one["name"]


# --- one game ------------------------------------------------------------------------------------


@views.get("/api/games/<key>")
def game(key: str) -> Doc:
    """Return one game as it stood after ``n`` moves, or at its end."""
    return _from(replays.game_document, key, language(), _number())


@views.get("/api/games/<key>/table.svg")
def table(key: str) -> Response:
    """Return the table of a game after ``n`` moves, or at its end."""
    return svg_answer(_from(replays.game_drawing, key, language(), _number()))


def _number() -> int | None:
    wanted = request.args.get("n")
    if wanted is None:
        return None
    if not wanted.isdecimal() or len(wanted) > 6:
        raise BadRequest("n is a number of moves")
    return int(wanted)


@views.get("/api/games/<key>/pictures/<int:seq>/<name>.jpg")
def picture(key: str, seq: int, name: str) -> Response:
    """Return a kept picture of a move or a foul."""
    kept = KeptGames(companion().place.file)
    jpeg = kept.picture(key, seq, name) if name in ("before", "after") else None
    if jpeg is None:
        raise NotFound(code="no-picture")
    return Response(jpeg, mimetype="image/jpeg")


# --- exports -------------------------------------------------------------------------------------


@views.get("/api/games/<key>/record.json")
def record(key: str) -> Response:
    """Return the game in the record format."""
    text = json.dumps(_from(replays.game_record, key), ensure_ascii=False)
    return a_file(text.encode(), "application/json", f"snake-eye-{key}.json")


@views.get("/api/games/<key>/play.bgsplay")
def bgsplay(key: str) -> Response:
    """Return the game for Board Game Stats."""
    text = json.dumps(bgstats.play_file(_in_short(key)), ensure_ascii=False)
    return a_file(text.encode(), "application/json", f"snake-eye-{key}.bgsplay")


def _in_short(key: str) -> Doc:
    made: Kept = _from(replays.game_in_short, key)
    return said(key, made.summary, language())


# --- pictures and corrections --------------------------------------------------------------------


@views.post("/api/pictures/wipe")
def wipe() -> Doc:
    """Delete every kept picture, those of corrections too; the games stay."""
    return {"wiped": companion().eye.ask(EyeCommands.wipe_pictures)}


@views.get("/api/corrections")
def corrections() -> Doc:
    """Return the labelled pictures, the newest first."""
    words, listed = speech({}), companion().corrections.listed()
    return {"corrections": [one | {"label": words.tile(one["tile"])} for one in listed]}


@views.get("/api/corrections/<name>")
def correction(name: str) -> Response:
    """Return one labelled picture."""
    jpeg = companion().corrections.picture(name)
    if jpeg is None:
        raise NotFound(code="no-picture")
    return Response(jpeg, mimetype="image/jpeg")


@views.post("/api/corrections/forget")
def forget() -> Doc:
    """Delete one labelled picture, or all."""
    name = told_or_none("file", str, "file is the name of a picture")
    return {"forgotten": companion().eye.ask(EyeCommands.forget_corrections, name)}


@views.post("/api/salvaged/seen")
def salvaged_seen() -> Doc:
    """Dismiss the notice about damaged games."""
    damage.seen(companion().home)
    return {"salvaged": None}
