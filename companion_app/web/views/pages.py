"""The page itself: one shell for all views, its modules and pictures, the QR code, the manifest."""

from __future__ import annotations

import io

import segno
from flask import Blueprint, Response, jsonify, render_template, request

from companion_app.web.context import companion, join_code_shown
from companion_app.web.serving import access
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import language, page_file
from companion_app.web.speech import LANGUAGES, catalogue

blueprint = Blueprint("pages", __name__)
VIEWS = ("", "new", "games", "photo", "settings", "join", "tv", "rules", "camera", "checkup",
         "teach", "alone")  # fmt: skip


@blueprint.get("/")
@blueprint.get("/<view>")
@blueprint.get("/games/<key>")
@access.part_of("page")
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
@access.part_of("page")
def choose_language(code: str) -> Response:
    """Remember the guest's language on his phone."""
    if code not in LANGUAGES:
        raise NotFound
    answer = jsonify({"language": code})
    answer.set_cookie("language", code, max_age=31_536_000, samesite="Strict", httponly=True,
                      secure=access.is_https())  # fmt: skip
    return answer


@blueprint.get("/static/<name>")
@access.part_of("page")
def static_file(name: str) -> Response:
    """Return a file of the page. Names come from a list, so no other file can be reached."""
    return page_file(name)


@blueprint.get("/sw.js")
@access.part_of("page")
def service_worker() -> Response:
    """Return the offline shell; at the root, since it may only work below where it lies."""
    return static_file("sw.js")


@blueprint.get("/favicon.ico")
@access.part_of("page")
def icon() -> Response:
    """Return the icon."""
    return static_file("icon.svg")


@blueprint.get("/manifest.webmanifest")
@access.part_of("page")
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
@access.part_of("page")
def qr() -> Response:
    """Return the address of the page as a QR code; with the join code for who may hand it on."""
    out = io.BytesIO()
    address = companion().address or request.host_url
    view = request.args.get("view", "")
    if view in VIEWS:
        address += view
    if not view and (code := join_code_shown()) is not None:
        address += f"#join={code}"
    segno.make(address, error="m").save(out, kind="svg", scale=8, border=2, dark="#20302a",
                                        light="#ffffff", xmldecl=False)  # fmt: skip
    return Response(out.getvalue(), mimetype="image/svg+xml")
