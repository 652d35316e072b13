"""The page itself: one shell for all views, its modules and pictures, the QR code, the manifest."""

from __future__ import annotations

import io
import mimetypes
from importlib.resources import files

import segno
from flask import Blueprint, Response, jsonify, render_template, request

from companion_app.web.context import companion, language
from companion_app.web.serving import access
from companion_app.web.serving.errors import NotFound
from companion_app.web.speech import LANGUAGES, catalogue

blueprint = Blueprint("pages", __name__)
VIEWS = ("", "new", "games", "photo", "settings", "join", "tv", "rules", "camera", "checkup",
         "teach")  # fmt: skip
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
         ".webmanifest": "application/manifest+json"}  # fmt: skip


@blueprint.get("/")
@blueprint.get("/<view>")
@blueprint.get("/games/<key>")
def page(view: str = "", key: str = "") -> Response:
    """Return the shell; its modules show the view that the address names."""
    del key
    if view not in VIEWS:
        raise NotFound
    access.own_token()
    chosen = language()
    shell = render_template(
        "index.html", language=chosen, words=catalogue(chosen)["page"], tv=view == "tv"
    )
    return Response(shell, mimetype="text/html")


@blueprint.get("/language/<code>")
def choose_language(code: str) -> Response:
    """Remember the guest's language on his phone."""
    if code not in LANGUAGES:
        raise NotFound
    answer = jsonify({"language": code})
    answer.set_cookie("language", code, max_age=31_536_000, samesite="Strict", httponly=True)
    return answer


@blueprint.get("/static/<name>")
def static_file(name: str) -> Response:
    """Return a file of the page. Names come from a list, so no other file can be reached."""
    known = {file.name: file for file in (files("companion_app") / "static").iterdir()}
    if name not in known or not known[name].is_file():
        raise NotFound
    suffix = "." + name.rpartition(".")[2]
    kind = KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    answer = Response(known[name].read_bytes(), mimetype=kind)
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    return answer.make_conditional(request)  # type: ignore[return-value]


@blueprint.get("/sw.js")
def service_worker() -> Response:
    """Return the offline shell; at the root, since it may only work below where it lies."""
    return static_file("sw.js")


@blueprint.get("/favicon.ico")
def icon() -> Response:
    """Return the icon."""
    return static_file("icon.svg")


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return what a phone needs to keep the page as an application."""
    words = catalogue(language())["page"]
    answer = jsonify(
        {
            "name": "Snake Eye", "short_name": "Snake Eye", "description": words["tagline"],
            "start_url": "/", "display": "standalone", "lang": language(),
            "background_color": "#f6f1e7", "theme_color": "#1e5b46",
            "icons": [{"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml",
                       "purpose": "any maskable"}],
        }
    )  # fmt: skip
    answer.mimetype = "application/manifest+json"
    return answer


@blueprint.get("/api/qr.svg")
def qr() -> Response:
    """Return the address of the page as a QR code."""
    out = io.BytesIO()
    address = companion().address or request.host_url
    if (view := request.args.get("view", "")) in VIEWS:
        address += view
    segno.make(address, error="m").save(out, kind="svg", scale=8, border=2, dark="#20302a",
                                        light="#ffffff", xmldecl=False)  # fmt: skip
    return Response(out.getvalue(), mimetype="image/svg+xml")
