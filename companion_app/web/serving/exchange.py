"""Requests and responses, shared by the page and the hall's page: views, parsing, answering."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Mapping
from importlib.resources import files
from itertools import chain
from typing import Any, TypeVar

from flask import Response, jsonify, request
from werkzeug.exceptions import HTTPException

from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.shared import Packer
from companion_app.web.speech import best_language
from engine.errors import RecordError
from engine.given import load_json

Doc = dict[str, Any]
T = TypeVar("T")
KINDS = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
COMPRESSED = ("application/json", "image/svg+xml", "text/html", "text/css", "text/javascript")
WORTH_COMPRESSING_BYTES = 1400
"""Smaller answers fit in one network packet, so compressing them saves nothing."""
CODES = {404: "not-found", 405: "wrong-method", 413: "too-large"}


def language() -> str:
    """Return the guest's language, from the query, the cookie or the browser's preferences."""
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


def told(name: str, kind: type[T], problem: str = "", *, code: str = "") -> T:
    """Return a field of the sent JSON object; a missing one or another type is refused."""
    value = told_or_none(name, kind, problem, code=code)
    if value is None:
        raise BadRequest(problem, code=code)
    return value


def told_or_none(name: str, kind: type[T], problem: str = "", *, code: str = "") -> T | None:
    """Return a field of the sent JSON object, or ``None``; another type is refused."""
    value = asked().get(name)
    # Not isinstance: in Python ``True`` is an ``int``, in JSON it is no number.
    if value is not None and type(value) is not kind:
        raise BadRequest(problem, code=code)
    return value


def sent_file(name: str) -> bytes:
    """Return the bytes of a file in the sent form."""
    if (file := request.files.get(name)) is None:
        raise BadRequest(f"send a {name}")
    return file.stream.read()


def fresh(answer: Response) -> Response:
    """Return an answer that clients revalidate by ETag each time; unchanged, it is sent as 304."""
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    return answer.make_conditional(request)  # type: ignore[return-value]


def a_file(data: bytes, kind: str, name: str, shown: bool = False) -> Response:
    """Return a named file as a download, or with ``shown`` for display in the browser."""
    how = "inline" if shown else "attachment"
    return Response(
        data, mimetype=kind, headers={"Content-Disposition": f'{how}; filename="{name}"'}
    )


def page_file(name: str, folders: Iterable[str] = ("static",)) -> Response:
    """Return a static file; only names listed in the folders match, so no path can escape them.

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
    return fresh(Response(known[name].read_bytes(), mimetype=kind))


def of_http(error: HTTPException) -> tuple[int, str]:
    """Return the status and our error code for an error that Flask itself raised."""
    status = error.code or 500
    return status, CODES.get(status, "bad-request")


def refused(status: int, code: str, text: str, detail: str, wait: int | None) -> Response:
    """Return the answer to a failed request: a code, a sentence, and the seconds until a retry."""
    answer = jsonify({"error": {"code": code, "text": text, "detail": detail}})
    answer.status_code = status
    if wait is not None:
        answer.headers["Retry-After"] = str(wait)
    return answer


def compressed(response: Response, packer: Packer) -> Response:
    """Return an answer compressed with gzip, where that saves bytes and the client accepts it."""
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
