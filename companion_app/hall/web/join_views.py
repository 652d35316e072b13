"""Where tables join the hall by its code."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from companion_app.hall.errors import BadMessageError
from companion_app.hall.line.joining import (
    HTTPS,
    SPEAKS,
    admitted,
    is_right,
    offered,
    parse_request,
)
from companion_app.hall.web.hall import hall
from companion_app.web.serving.errors import BadRequest, NotHost
from companion_app.web.serving.exchange import asked
from companion_app.web.serving.guard import guess

blueprint = Blueprint("join", __name__)


@blueprint.get("/api/hall/join")
def offer() -> Response:
    """Return the hall's key, which the proof of the code covers, and where tables send to."""
    return jsonify(offered(hall().keys, hall().tables_port))


@blueprint.post("/api/hall/join")
def join() -> Response:
    """Admit a table that proves that it knows the code."""
    sent = asked()
    if sent.get(SPEAKS) != HTTPS:
        raise BadRequest(code="table-too-old")
    try:
        request = parse_request(sent)
    except BadMessageError as error:
        raise BadRequest(str(error)) from error
    store, keys = hall().store, hall().keys
    wrong = NotHost(code="wrong-hall-code")
    guess("hall code", lambda: is_right(store, keys, request, sent.get("proof")), wrong)
    return jsonify(admitted(store, keys, request, hall().tables_port))
