"""Photos of tables without a box: uploaded, read by workers, and polled for the result."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from companion_app.hall import photos
from companion_app.hall.web.hall import hall
from companion_app.web.serving.errors import BadRequest, NotFound, TooOften
from companion_app.web.serving.exchange import language
from companion_app.web.serving.guard import caller, limit
from companion_app.web.speech import Speech
from engine.games import game_named

blueprint = Blueprint("photos", __name__)
PHOTOS, PHOTOS_WINDOW_S = 20, 60.0
LONGEST_NAME = 60
WAIT_S = 10


@blueprint.post("/api/photos")
def send() -> Response:
    """Take a photo (multipart, ``photo``) of a table of a game; return its number."""
    limit("photo", PHOTOS, PHOTOS_WINDOW_S)
    photo = request.files.get("photo")
    game, box = request.form.get("game", ""), request.form.get("set", "")
    if photo is None or len(box) > LONGEST_NAME or not box.isprintable():
        raise BadRequest("send a photo")
    game_named(game)
    try:
        number = photos.ask(hall().store, caller(), game, box, language(), photo.stream.read())
    except photos.TooManyPhotosError as error:
        raise TooOften(code="hands-full", retry_after_s=WAIT_S) from error
    return jsonify({"photo": number})


@blueprint.get("/api/photos/<int:number>")
def read(number: int) -> Response:
    """Return what was read in a photo; ``waiting`` is true until it has been read."""
    found = photos.answer_of(hall().store, number) if number < 1 << 53 else None
    if found is None:
        raise NotFound
    if "error" in found:
        code = "no-photo" if found["error"] == "no-photo" else "hands-lost"
        text = Speech(language()).page(f"error-{code}")
        return jsonify({"waiting": False, "error": {"code": code, "text": text, "detail": ""}})
    return jsonify({"waiting": not found, **found})
