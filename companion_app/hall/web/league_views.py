"""Leagues: several evenings in one table, as late as each evening is shown; page, JSON and CSV."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, json, jsonify

from companion_app.hall.store.league_store import League, all_leagues, keep_league, league
from companion_app.hall.tournament.exports import league_csv
from companion_app.hall.tournament.league import Season, season
from companion_app.hall.tournament.standings import number_in_words
from companion_app.hall.tournaments import Seen, in_short
from companion_app.hall.web.guard import ARBITER, OPEN, limit_looks, open_to
from companion_app.hall.web.hall import hall
from companion_app.hall.web.tournament_views import ID, wanted_file
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import asked, language

blueprint = Blueprint("leagues", __name__)
EXPORTS = ("standings.csv", "league.json")
MOST_EVENINGS = 60
LONGEST_NAME = 80
JSON = "application/json"


@blueprint.get("/api/hall/leagues")
@open_to(OPEN, public=True)
def leagues() -> Response:
    """Return all leagues in short, the newest first."""
    limit_looks()
    return jsonify(
        {
            "leagues": [
                {
                    "id": one.id,
                    "name": one.name,
                    "counting": one.counting,
                    "evenings": len(one.evenings),
                }
                for one in all_leagues(hall().store)
            ]
        }
    )


@blueprint.get("/api/hall/leagues/<id_>")
@open_to(OPEN, public=True)
def one_league(id_: str) -> Response:
    """Return the table of a league: points over its evenings, the best ones counted."""
    limit_looks()
    return jsonify(_document(_league(id_)))


@blueprint.get("/api/hall/leagues/<id_>/export")
@open_to(OPEN, public=True)
def export(id_: str) -> Response:
    """Return the export that ``as`` names."""
    kind = wanted_file(EXPORTS)
    found = _league(id_)
    if kind == "league.json":
        answer = Response(json.dumps(_document(found), ensure_ascii=False), mimetype=JSON)
    else:
        seen, rows = _season(found)
        answer = Response(league_csv(rows, len(seen)), content_type="text/csv; charset=utf-8")
    name, end = kind.split(".")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}-{id_}.{end}"'
    return answer


@blueprint.post("/api/leagues")
@open_to(ARBITER)
def create() -> Response:
    """Join evenings (``name``, ``evenings``, ``counting``) into a league; return its id."""
    return jsonify({"id": keep_league(hall().store, *_asked())})


@blueprint.post("/api/leagues/<id_>")
@open_to(ARBITER)
def change(id_: str) -> Response:
    """Change a league."""
    if keep_league(hall().store, *_asked(), _league(id_).id) is None:
        raise NotFound
    return jsonify({})


def _asked() -> tuple[str, int | None, tuple[str, ...]]:
    sent = asked()
    name, counting, evenings = sent.get("name"), sent.get("counting"), sent.get("evenings")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise BadRequest("name is a line of letters")
    if counting is not None and (
        not isinstance(counting, int)
        or isinstance(counting, bool)
        or not 1 <= counting <= MOST_EVENINGS
    ):
        raise BadRequest(f"counting is a number from 1 to {MOST_EVENINGS}, or null for all")
    known = set(hall().tournaments.ids())
    if not isinstance(evenings, list) or not evenings or len(evenings) > MOST_EVENINGS:
        raise BadRequest(f"evenings are 1 to {MOST_EVENINGS} tournaments")
    ids = tuple(dict.fromkeys(str(one) for one in evenings))
    if not known.issuperset(ids):
        raise NotFound
    return name.strip()[:LONGEST_NAME], counting, ids


def _league(id_: str) -> League:
    found = league(hall().store, id_) if ID.fullmatch(id_) else None
    if found is None:
        raise NotFound
    return found


def _season(found: League) -> tuple[list[Seen], list[Season]]:
    looked = [hall().tournaments.seen(id_, False) for id_ in found.evenings]
    seen = [one for one in looked if one is not None]
    return seen, season([one.tournament for one in seen], found.counting, language())


def _document(found: League) -> dict[str, Any]:
    seen, rows = _season(found)
    return {
        "id": found.id,
        "name": found.name,
        "counting": found.counting,
        "evenings": [in_short(one.id, one.tournament) for one in seen],
        "standings": [
            {
                "rank": row.rank,
                "name": row.name,
                "points": number_in_words(row.points),
                "best": number_in_words(row.best),
                "evenings_won": row.evenings_won,
                "evenings": [None if one is None else number_in_words(one) for one in row.evenings],
            }
            for row in rows
        ],
    }
