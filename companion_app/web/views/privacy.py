"""What is kept of people's tables: wiping pictures, and the corrections that can be taught."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from companion_app.live.salvage_report import seen
from companion_app.web.context import companion, speech
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import asked

blueprint = Blueprint("keeping", __name__)


@blueprint.post("/api/pictures/wipe")
@access.must_be_host
def wipe() -> Response:
    """Delete every kept picture, those of corrections too; the games stay."""
    return jsonify({"wiped": companion().eye.ask("wipe-pictures").body})


@blueprint.get("/api/corrections")
@access.part_of("corrections")
def corrections() -> Response:
    """Return the labelled pictures, the newest first."""
    words, listed = speech({}), companion().corrections.listed()
    return jsonify({"corrections": [one | {"label": words.tile(one["tile"])} for one in listed]})


@blueprint.get("/api/corrections/<name>")
@access.part_of("corrections")
def correction(name: str) -> Response:
    """Return one labelled picture."""
    jpeg = companion().corrections.picture(name)
    if jpeg is None:
        raise NotFound(code="no-picture")
    return Response(jpeg, mimetype="image/jpeg")


@blueprint.post("/api/corrections/forget")
@access.must_be_host
def forget() -> Response:
    """Delete one labelled picture, or all."""
    name = asked().get("file")
    if name is not None and not isinstance(name, str):
        raise BadRequest("file is the name of a picture")
    return jsonify({"forgotten": companion().eye.ask("forget-corrections", {"file": name}).body})


@blueprint.post("/api/salvaged/seen")
@access.must_be_host
def salvaged_seen() -> Response:
    """Tell of damaged games no more."""
    seen(companion().place.file.parent)
    return jsonify({"salvaged": None})
