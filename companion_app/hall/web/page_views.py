"""The page itself: one shell for all views, its files, words and health."""

from __future__ import annotations

import io

import segno
from flask import Blueprint, Response, jsonify, render_template, request

from companion_app.hall.web.hall import hall
from companion_app.web.serving import guard
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import language, page_file
from companion_app.web.speech import LANGUAGES, catalogue

blueprint = Blueprint("page", __name__)
VIEWS = ("", "tv", "arbiter", "tournaments")
PARTS = ("", "director", "me", "tv")
"""Pages of a tournament."""
FOLDERS = ("static", "hall/web/static")


@blueprint.get("/")
@blueprint.get("/<view>")
@blueprint.get("/table/<id_>")
@blueprint.get("/overlay/<id_>")
@blueprint.get("/tournament/<id_>")
@blueprint.get("/tournament/<id_>/<part>")
def page(view: str = "", id_: str = "", part: str = "") -> Response:
    """Return the HTML shell; its scripts show the view that the URL names."""
    if view not in VIEWS or part not in PARTS:
        raise NotFound
    guard.own_token()
    chosen = language()
    kind = "overlay" if id_ and request.path.startswith("/overlay/") else view or part
    shell = render_template(
        "hall.html", language=chosen, words=catalogue(chosen)["page"], kind=kind
    )
    return Response(shell, mimetype="text/html")


@blueprint.get("/static/<name>")
def static_file(name: str) -> Response:
    """Return a file of the page. Names come from a list, so no other file can be reached."""
    return page_file(name, FOLDERS)


@blueprint.get("/favicon.ico")
def icon() -> Response:
    """Return the icon."""
    return static_file("icon.svg")


@blueprint.get("/api/strings/<code>.json")
def strings(code: str) -> Response:
    """Return the page's texts in a language."""
    if code not in LANGUAGES:
        raise NotFound
    words = catalogue(code)
    breaks = {k: v for k, v in words["tournament"].items() if k.startswith("short-")}
    colours = {f"colour-{k}": v for k, v in words["colours"].items()}
    return jsonify({**words["page"], **colours, **breaks})


@blueprint.get("/language/<code>")
def choose_language(code: str) -> Response:
    """Remember the guest's language on his phone."""
    if code not in LANGUAGES:
        raise NotFound
    answer = jsonify({"language": code})
    answer.set_cookie("language", code, max_age=31_536_000, samesite="Strict", httponly=True)
    return answer


@blueprint.get("/api/qr.svg")
def qr() -> Response:
    """Return the address of the page as a QR code."""
    out = io.BytesIO()
    segno.make(hall().address or request.host_url, error="m").save(
        out, kind="svg", scale=8, border=2, dark="#20302a", light="#ffffff", xmldecl=False
    )
    return Response(out.getvalue(), mimetype="image/svg+xml")


@blueprint.get("/health")
def health() -> Response:
    """Say whether the database answers."""
    return jsonify({"ok": True, "tables": len(hall().store.members())})
