"""A phone's pictures come in here, and https is offered where its live camera needs it."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Response, jsonify, request

from companion_app.web.context import companion
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound, TooLarge, WebError

blueprint = Blueprint("phoning", __name__)
LARGEST_BYTES = 12 << 20
"""A phone's best JPEG has 8 MB."""
PICTURES, PICTURES_WINDOW_S = 45, 10.0
"""So many pictures in so many seconds; more than four a second tell the referee nothing."""


@blueprint.post("/api/camera/picture")
@access.must_be_host
@access.takes_files
def picture() -> Response:
    """Take in a picture: one of a live view (the body) or a single photo (multipart, ``photo``)."""
    access.limit(companion().limiter, "picture", PICTURES, PICTURES_WINDOW_S)
    if companion().eye.standing().source != "phone":
        raise WebError(code="other-camera")
    photo = request.files.get("photo")
    if (request.content_length or 0) > LARGEST_BYTES:
        raise TooLarge
    data = photo.stream.read() if photo is not None else request.get_data()
    if not data:
        raise BadRequest("send a picture")
    size = companion().eye.ask("phone-picture", {"still": photo is not None}, data).body
    return jsonify({"size": size})


@blueprint.post("/api/https")
@access.must_be_host
def https() -> Response:
    """Serve the page over https as well; return its address."""
    offer = companion().https
    if offer is None:
        raise WebError(code="no-https")
    try:
        port = offer.start()
    except OSError as error:
        raise WebError(str(error), code="no-https") from error
    host = urlsplit(request.host_url).hostname or "localhost"
    shown = f"[{host}]" if ":" in host else host
    return jsonify({"address": f"https://{shown}:{port}/", "authority": "/api/authority.pem"})


@blueprint.get("/api/authority.pem")
@access.part_of("page")
def authority() -> Response:
    """Return the certificate that makes a phone trust this machine's https."""
    offer = companion().https
    if offer is None or not offer.authority.is_file():
        raise NotFound
    answer = Response(offer.authority.read_bytes(), mimetype="application/x-x509-ca-cert")
    answer.headers["Content-Disposition"] = 'attachment; filename="snake-eye.pem"'
    return answer
