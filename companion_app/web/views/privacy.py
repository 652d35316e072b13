"""What is kept of people's tables: wiping pictures, and the corrections that can be taught."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from companion_app.live.salvage_report import seen
from companion_app.web.context import asked, companion, speech
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound

blueprint = Blueprint("keeping", __name__)


@blueprint.post("/api/pictures/wipe")
@access.must_be_host
def wipe() -> Response:
    """Delete every kept picture, those of corrections too; the games stay."""
    desk, kept = companion().desk, companion().corrections
    with desk.lock:
        wiped = desk.store.forget_pictures()
    return jsonify({"wiped": wiped + (kept.forget() if kept is not None else 0)})


@blueprint.get("/api/corrections")
@access.part_of("corrections")
def corrections() -> Response:
    """Return the labelled pictures, the newest first."""
    kept, words = companion().corrections, speech({})
    listed = kept.listed() if kept is not None else []
    return jsonify({"corrections": [one | {"label": words.tile(one["tile"])} for one in listed]})


@blueprint.get("/api/corrections/<name>")
@access.part_of("corrections")
def correction(name: str) -> Response:
    """Return one labelled picture."""
    kept = companion().corrections
    jpeg = kept.picture(name) if kept is not None else None
    if jpeg is None:
        raise NotFound(code="no-picture")
    return Response(jpeg, mimetype="image/jpeg")


@blueprint.post("/api/corrections/forget")
@access.must_be_host
def forget() -> Response:
    """Delete one labelled picture, or all."""
    sent, kept = asked(), companion().corrections
    name = sent.get("file")
    if name is not None and not isinstance(name, str):
        raise BadRequest("file is the name of a picture")
    return jsonify({"forgotten": kept.forget(name) if kept is not None else 0})


@blueprint.post("/api/salvaged/seen")
@access.must_be_host
def salvaged_seen() -> Response:
    """Tell of damaged games no more."""
    seen(companion().place.file.parent)
    return jsonify({"salvaged": None})
