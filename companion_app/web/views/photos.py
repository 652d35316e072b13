"""Views for scoring a photo of a table without any setup, and for printing.

A photo is deleted once it is read.
"""

from __future__ import annotations

from flask import Blueprint, Response, request

from companion_app.hands.work import PHOTO, PRINT
from companion_app.web.context import companion
from companion_app.web.scoring import calibration, printed, printed_part, scored_photo, scored_table
from companion_app.web.serving import guard
from companion_app.web.serving.errors import BadRequest, WebError
from companion_app.web.serving.exchange import Doc, a_file, asked, language, sent_file
from engine.games import game_named

views = Blueprint("photos", __name__)
SCORES, SCORES_WINDOW_S = 40, 60.0
"""Rate limit for scoring tables: the page asks again after each tile that a guest corrects."""
PAPERS = ("a4", "letter")
PRINTS, PRINTS_WINDOW_S = 6, 60.0
"""Rate limit for printing boxes."""


@views.post("/api/photo-score")
def photo_score() -> Doc:
    """Score a table: a photo (multipart, ``photo``) or a table state (JSON, ``table``)."""
    hands, place, guest = companion().hands, companion().place, guard.caller()
    if request.mimetype == "application/json":
        guard.limit("score", SCORES, SCORES_WINDOW_S)
        sent = asked()
        told = (sent.get("game"), sent.get("set"), sent.get("table"), sent.get("options", {}))
        return hands.do(PHOTO, scored_table, place, language(), *told, whose=guest)
    guard.limit(*guard.UPLOADS)
    data = sent_file("photo")
    game, box = request.form.get("game"), request.form.get("set") or None
    game_named(game)
    reader = companion().read_photo
    if reader is None:
        raise WebError(code="no-reader")
    return hands.do(PHOTO, scored_photo, place, language(), reader, data, game, box, whose=guest)


@views.get("/api/print/<game_name>/<part>.pdf")
def print_part(game_name: str, part: str) -> Response:
    """Return one PDF of a game in the guest's language, shown inline so a phone can print it."""
    told, guest = (language(), *_print_asked(game_name), part), guard.caller()
    data = companion().hands.do(PRINT, printed_part, companion().place, *told, whose=guest)
    return a_file(data, "application/pdf", f"{game_name}-{part}.pdf", shown=True)


def _print_asked(game_name: str) -> tuple[str, str | None, str]:
    """Return the requested game, box and paper, after checking the rate limit."""
    paper = _paper()
    game_named(game_name)
    guard.limit("print", PRINTS, PRINTS_WINDOW_S)
    return game_name, request.args.get("set") or None, paper


def _paper() -> str:
    paper = request.args.get("paper", "a4")
    if paper not in PAPERS:
        raise BadRequest("paper is a4 or letter")
    return paper


@views.get("/api/sheet.pdf")
def sheet() -> Response:
    """Return the calibration sheet to print."""
    made = companion().hands.do(PRINT, calibration, _paper())
    return a_file(made, "application/pdf", "snake-eye-sheet.pdf", shown=True)


@views.get("/api/print/<game_name>.zip")
def print_sheets(game_name: str) -> Response:
    """Return a ZIP file of a game's PDF sheets."""
    told, guest = _print_asked(game_name), guard.caller()
    name, data = companion().hands.do(PRINT, printed, companion().place, *told, whose=guest)
    return a_file(data, "application/zip", f"{name}-tiles.zip")
