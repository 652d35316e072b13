"""Tournaments for everybody: lists, pairings, standings, why somebody is ahead, exports, a stream.

Everything shows only public names.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Collection
from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion_app.hall.store.tournament_store import Kept
from companion_app.hall.tournament.exports import bg_stats, results_csv, standings_csv
from companion_app.hall.tournament.log import public_log
from companion_app.hall.tournament.standings import standings, why_ahead
from companion_app.hall.tournament.view import names
from companion_app.hall.tournaments import Seen, in_short
from companion_app.hall.web.hall import hall
from companion_app.web.serving import guard
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import language
from companion_app.web.serving.streams import stream

blueprint = Blueprint("tournaments", __name__)
ID = re.compile(r"[0-9a-f]{8}")
MOST_LISTED = 100
EXPORTS = ("standings.csv", "results.csv", "tournament.json", "log.json", "bgstats.zip")


@blueprint.get("/api/hall/tournaments")
def all_tournaments() -> Response:
    """Return all tournaments in short, the newest first."""
    guard.limit(*guard.LOOKS)
    found = [hall().tournaments.seen(id_) for id_ in hall().tournaments.ids()[:MOST_LISTED]]
    shown = [in_short(one.id, one.tournament) for one in found if one and one.tournament.events]
    return jsonify({"tournaments": shown})


@blueprint.get("/api/hall/tournaments/<id_>")
def tournament(id_: str) -> Response:
    """Return a tournament: players, rounds, results, standings, tie-breaks in words."""
    guard.limit(*guard.LOOKS)
    return jsonify(hall().tournaments.document(seen(id_), language()))


@blueprint.get("/api/hall/tournaments/<id_>/events")
def tournament_events(id_: str) -> Response:
    """Stream the number of the last event whenever it changes."""
    seen(id_)
    tournaments = hall().tournaments
    return stream(lambda bell: tournaments.follow(id_, bell))


@blueprint.get("/api/hall/tournaments/<id_>/why")
def why(id_: str) -> Response:
    """Return in words why one player (``one``) stands before another (``two``)."""
    guard.limit(*guard.LOOKS)
    now = seen(id_).tournament
    places = {row.player: (place, row) for place, row in enumerate(standings(now))}
    asked = [request.args.get(key, "") for key in ("one", "two")]
    if not set(asked) <= places.keys():
        raise NotFound
    (_, ahead), (_, behind) = sorted((places[one] for one in asked), key=lambda found: found[0])
    words = why_ahead(now, ahead, behind, names(now, language()), language())
    return jsonify({"text": words})


def wanted_file(known: Collection[str]) -> str:
    """Return the file name that ``as`` asks for; refuse an unknown one."""
    guard.limit(*guard.LOOKS)
    kind = request.args.get("as", "")
    if kind not in known:
        raise BadRequest(f"as is one of {', '.join(known)}")
    return kind


@blueprint.get("/api/hall/tournaments/<id_>/export")
def export(id_: str) -> Response:
    """Return the export that ``as`` names."""
    kind = wanted_file(EXPORTS)
    one = seen(id_)
    name, end = kind.split(".")
    types = {"csv": "text/csv; charset=utf-8", "json": "application/json", "zip": "application/zip"}
    answer = Response(_written(one, name), content_type=types[end])
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}-{id_}.{end}"'
    return answer


def known(id_: str) -> Kept:
    """Return a tournament as it is; answer 404 where there is none."""
    found = hall().tournaments.now(id_) if ID.fullmatch(id_) else None
    if found is None:
        raise NotFound
    return found


def seen(id_: str) -> Seen:
    """Return a tournament as it is now; answer 404 where there is none."""
    found = hall().tournaments.seen(id_) if ID.fullmatch(id_) else None
    if found is None:
        raise NotFound
    return found


def _written(one: Seen, name: str) -> str | bytes:
    now = one.tournament
    if name == "standings":
        return standings_csv(now, language())
    if name == "results":
        return results_csv(now, language())
    if name == "bgstats":
        return _zipped(bg_stats(now, one.id))
    if name == "log":
        events = [event for event in known(one.id).events if event.number <= now.events]
        return json.dumps(public_log(events), ensure_ascii=False)
    return json.dumps(hall().tournaments.document(one, language()), ensure_ascii=False)


def _zipped(plays: list[dict[str, Any]]) -> bytes:
    """Return plays as a ZIP of files that Board Game Stats opens, one for each table."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for number, play in enumerate(plays, start=1):
            packed.writestr(f"{number:03d}.bgsplay", json.dumps(play, ensure_ascii=False))
    return out.getvalue()
