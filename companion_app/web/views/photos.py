"""Photo scoring: one photo of a finished table in, the score out; nothing to set up.

The photo is read and forgotten. Also prints the tiles of a box, once, into the home folder.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion_app.cli.record_commands import players_seen
from companion_app.web.app import companion, speech
from companion_app.web.drawing.table import draw_table
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, WebError
from companion_app.web.views.control import asked
from engine.game import Start
from engine.games import game_named
from engine.record import find_set, parse_options, parse_table
from engine.referee import score_table

blueprint = Blueprint("photos", __name__)
PAPERS = ("a4", "letter")


@blueprint.post("/api/photo-score")
@access.part_of("scoring")
@access.takes_files
def photo_score() -> Response:
    """Score a table: a photo (multipart, ``photo``) or a table state (JSON, ``table``)."""
    access.limit_uploads(companion().limiter)
    if request.mimetype == "application/json":
        sent = asked()
        return jsonify(_scored(sent.get("game"), sent.get("set"), sent.get("table"),
                               sent.get("options", {})))  # fmt: skip
    reader = companion().read_photo
    photo = request.files.get("photo")
    if photo is None:
        raise BadRequest("send a photo")
    game, box = request.form.get("game"), request.form.get("set") or None
    game_named(game)
    if reader is None:
        raise WebError(code="no-reader")
    table = reader(photo.stream.read(), str(game), box or str(game))
    answer = _scored(game, box, dict(table), {})
    words = speech({})
    told = {str(one.get("what")) for one in table.get("quality", {}).get("advice", ())}
    answer["advice"] = [words.page(f"advice-{what}") for what in sorted(told)]
    answer["unsure"] = len(table.get("unsure", ()))
    return jsonify(answer)


def _scored(game_name: Any, set_name: Any, table: Any, options: Any) -> dict[str, Any]:
    game = game_named(game_name)
    box = find_set(game, set_name, companion().desk.set_folders)
    layout, _ = parse_table(game, box, table, "table")
    if not isinstance(options, dict):
        raise BadRequest("options is an object")
    start = Start(players_seen(game, box, layout), parse_options(game, options, "options"), layout,
                  midgame=True)  # fmt: skip
    answer = score_table(game, box, start)
    words = speech({})
    position = game.opening(start, box)
    outcome = game.outcome(position)
    answer["players"] = [
        {
            "id": player, "name": words.player(player), "score": outcome.scores[player],
            "lines": [{"why": words.why(line), "points": line.points}
                      for line in outcome.lines.get(player, ())],
        }
        for player in start.players
    ]  # fmt: skip
    answer["broken"] = [
        words.violation(game.facts.name, broken) for broken in game.inspect(position)
    ]
    answer["svg"] = draw_table(
        box, layout, start.players, label=words.labels(layout, box), board_word=words.page("board"),
        names=[words.player(player) for player in start.players], title=game.facts.title,
    )  # fmt: skip
    return answer


@blueprint.get("/api/print/<game_name>.zip")
@access.part_of("watching")
def print_sheets(game_name: str) -> Response:
    """Return the tiles of a game as PDF sheets to cut out, in one file."""
    from models.sheets.make import printed_pitch_mm, write_sheets
    from models.sheets.paper import sheet_of

    paper = request.args.get("paper", "a4")
    if paper not in PAPERS:
        raise BadRequest("paper is a4 or letter")
    box = find_set(game_named(game_name), request.args.get("set"), companion().desk.set_folders)
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        sheet = sheet_of(paper)
        write_sheets(box, Path(folder), sheet, printed_pitch_mm(box, sheet, None))
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(Path(folder).glob("*.pdf")):
                archive.write(file, file.name)
    answer = Response(packed.getvalue(), mimetype="application/zip")
    answer.headers["Content-Disposition"] = f'attachment; filename="{box.name}-tiles.zip"'
    return answer
