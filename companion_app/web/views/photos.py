"""Photo scoring: one photo of a finished table in, the score out; nothing to set up.

The photo is read and forgotten. Also prints the tiles of a box.
"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from companion_app.hands.work import PHOTO, PRINT
from companion_app.web.context import companion
from companion_app.web.scoring import printed, printed_part, scored_photo, scored_table
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, WebError
from companion_app.web.serving.exchange import asked, language
from engine.games import game_named

blueprint = Blueprint("photos", __name__)
SCORES, SCORES_WINDOW_S = 40, 60.0
"""Tables scored anew for one address, tile by tile as it is put right."""
PAPERS = ("a4", "letter")
PRINTS, PRINTS_WINDOW_S = 6, 60.0
"""So many boxes a minute are drawn for one address."""


@blueprint.post("/api/photo-score")
@access.part_of("scoring")
@access.takes_files
def photo_score() -> Response:
    """Score a table: a photo (multipart, ``photo``) or a table state (JSON, ``table``)."""
    hands, place, guest = companion().hands, companion().place, request.remote_addr or "?"
    if request.mimetype == "application/json":
        access.limit(companion().limiter, "score", SCORES, SCORES_WINDOW_S)
        sent = asked()
        told = (sent.get("game"), sent.get("set"), sent.get("table"), sent.get("options", {}))
        return jsonify(hands.do(PHOTO, scored_table, place, language(), *told, whose=guest))
    access.limit_uploads(companion().limiter)
    photo = request.files.get("photo")
    if photo is None:
        raise BadRequest("send a photo")
    game, box = request.form.get("game"), request.form.get("set") or None
    game_named(game)
    reader = companion().read_photo
    if reader is None:
        raise WebError(code="no-reader")
    data = photo.stream.read()
    return jsonify(
        hands.do(PHOTO, scored_photo, place, language(), reader, data, game, box, whose=guest)
    )


@blueprint.get("/api/print/<game_name>/<part>.pdf")
@access.part_of("watching")
def print_part(game_name: str, part: str) -> Response:
    """Return one PDF of a game to print, in the guest's words: a phone can print it."""
    told = _print_asked(game_name)
    data = companion().hands.do(
        PRINT, printed_part, companion().place, language(), *told, part,
        whose=request.remote_addr or "?",
    )  # fmt: skip
    answer = Response(data, mimetype="application/pdf")
    answer.headers["Content-Disposition"] = f'inline; filename="{game_name}-{part}.pdf"'
    return answer


def _print_asked(game_name: str) -> tuple[str, str | None, str]:
    """Return the game, the box and the paper that are asked for."""
    paper = request.args.get("paper", "a4")
    if paper not in PAPERS:
        raise BadRequest("paper is a4 or letter")
    game_named(game_name)
    access.limit(companion().limiter, "print", PRINTS, PRINTS_WINDOW_S)
    return game_name, request.args.get("set") or None, paper


@blueprint.get("/api/print/<game_name>.zip")
@access.part_of("watching")
def print_sheets(game_name: str) -> Response:
    """Return the tiles of a game as PDF sheets to cut out, in one file."""
    told = _print_asked(game_name)
    name, packed = companion().hands.do(
        PRINT, printed, companion().place, *told, whose=request.remote_addr or "?"
    )
    answer = Response(packed, mimetype="application/zip")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}-tiles.zip"'
    return answer
