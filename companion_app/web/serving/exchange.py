"""What a page and a hall's page do alike with a request and its answer."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Mapping
from importlib.resources import files
from itertools import chain
from typing import Any

from flask import Response, jsonify, request
from werkzeug.exceptions import HTTPException

from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.shared import Packer
from companion_app.web.speech import best_language
from engine.errors import RecordError
from engine.given import load_json

KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
         ".webmanifest": "application/manifest+json"}  # fmt: skip
COMPRESSED = ("application/json", "image/svg+xml", "text/html", "text/css", "text/javascript")
WORTH_COMPRESSING_BYTES = 1400
"""Less than that goes out in one packet anyway."""
CODES = {404: "not-found", 405: "wrong-method", 413: "too-large"}


def language() -> str:
    """Return the guest's language: asked for, chosen before, or what the browser reads."""
    wanted = request.args.get("lang") or request.cookies.get("language")
    return best_language(wanted, [name for name, _ in request.accept_languages])


def asked() -> Mapping[str, Any]:
    """Return the JSON object that was sent."""
    try:
        sent = load_json(request.get_data()) if request.content_length else {}
    except RecordError as error:
        raise BadRequest(error.problem) from None
    if not isinstance(sent, dict):
        raise BadRequest("send one JSON object")
    return sent


def page_file(name: str, folders: Iterable[str] = ("static",)) -> Response:
    """Return a file of a page. Names come from a list, so no other file can be reached.

    Raises:
        NotFound: no folder has it.
    """
    home = files("companion_app")
    listed = chain.from_iterable((home / folder).iterdir() for folder in folders)
    known = {file.name: file for file in listed}
    if name not in known or not known[name].is_file():
        raise NotFound
    suffix = "." + name.rpartition(".")[2]
    kind = KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    answer = Response(known[name].read_bytes(), mimetype=kind)
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    return answer.make_conditional(request)  # type: ignore[return-value]


def of_http(error: HTTPException) -> tuple[int, str]:
    """Return the status and the code of what Flask itself refused."""
    status = error.code or 500
    return status, CODES.get(status, "bad-request")


def refused(status: int, code: str, text: str, detail: str, wait: int | None) -> Response:
    """Return the answer to a request that failed: a code, a sentence, and when to ask again."""
    answer = jsonify({"error": {"code": code, "text": text, "detail": detail}})
    answer.status_code = status
    if wait is not None:
        answer.headers["Retry-After"] = str(wait)
    return answer


def compressed(response: Response, packer: Packer) -> Response:
    """Return an answer packed for the way, where it is worth it and the phone can unpack it."""
    if (
        response.mimetype in COMPRESSED
        and not response.is_streamed
        and "gzip" in request.headers.get("Accept-Encoding", "")
        and "Content-Encoding" not in response.headers
        and len(response.get_data()) >= WORTH_COMPRESSING_BYTES
    ):
        response.set_data(packer.packed(response.get_data()))
        response.headers["Content-Encoding"] = "gzip"
        response.headers.add("Vary", "Accept-Encoding")
    return response
