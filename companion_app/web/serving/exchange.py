"""What a page and a hall's page do alike: views, what a request sends, and how it is answered."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from itertools import chain
from typing import Any, TypeVar

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.shared import Packer
from companion_app.web.speech import best_language
from engine.errors import RecordError
from engine.given import load_json

Doc = dict[str, Any]
T = TypeVar("T")
View = TypeVar("View", bound=Callable[..., Any])
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
         ".webmanifest": "application/manifest+json"}  # fmt: skip
COMPRESSED = ("application/json", "image/svg+xml", "text/html", "text/css", "text/javascript")
WORTH_COMPRESSING_BYTES = 1400
"""Less than that goes out in one packet anyway."""
CODES = {404: "not-found", 405: "wrong-method", 413: "too-large"}


class Views(Blueprint):
    """The views of one subject; each says at once where it is found and to whom it is open."""

    def reads(self, address: str, part: str = "watching") -> Callable[[View], View]:
        """Add a view that changes nothing, open to those that a part of the page is open to."""
        return lambda view: self._added(view, address, "GET", part)

    def changes(
        self, address: str, part: str = "hosting", files: bool = False
    ) -> Callable[[View], View]:
        """Add a view that changes something: JSON goes in, or a form with a file."""
        return lambda view: self._added(
            access.takes_files(view) if files else view, address, "POST", part
        )

    def _added(self, view: View, address: str, method: str, part: str) -> View:
        self.add_url_rule(address, view_func=access.part_of(part)(view), methods=[method])
        return view


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


def told(name: str, kind: type[T], problem: str = "", *, code: str = "") -> T:
    """Return what was sent by a name; anything of another kind is refused."""
    value = told_or_none(name, kind, problem, code=code)
    if value is None:
        raise BadRequest(problem, code=code)
    return value


def told_or_none(name: str, kind: type[T], problem: str = "", *, code: str = "") -> T | None:
    """Return what was sent by a name, if anything was; anything of another kind is refused."""
    value = asked().get(name)
    # In Python true is a number; in JSON it is not.
    if value is not None and type(value) is not kind:
        raise BadRequest(problem, code=code)
    return value


def sent_file(name: str) -> bytes:
    """Return the file that a form has under a name."""
    if (file := request.files.get(name)) is None:
        raise BadRequest(f"send a {name}")
    return file.stream.read()


def fresh(answer: Response) -> Response:
    """Return an answer that is asked for each time, and sent only where it is another one."""
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    return answer.make_conditional(request)  # type: ignore[return-value]


def a_file(data: bytes, kind: str, name: str, shown: bool = False) -> Response:
    """Return a file by its name, to be kept, or to be shown at once."""
    how = "inline" if shown else "attachment"
    return Response(data, mimetype=kind, headers={
        "Content-Disposition": f'{how}; filename="{name}"'})  # fmt: skip


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
    return fresh(Response(known[name].read_bytes(), mimetype=kind))


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
