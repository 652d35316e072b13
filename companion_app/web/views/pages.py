"""The page itself: one HTML shell for all views, static files, the QR code, the guide."""

from __future__ import annotations

import io
from collections.abc import Sequence

import segno
from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion_app.web import guide
from companion_app.web.context import companion, join_code_shown
from companion_app.web.serving import guard
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import Doc, fresh, language, page_file
from companion_app.web.speech import LANGUAGES, catalogue

views = Blueprint("pages", __name__)
VIEWS = (
    "",
    "new",
    "games",
    "photo",
    "settings",
    "join",
    "tv",
    "rules",
    "camera",
    "checkup",
    "teach",
    "alone",
)


@views.get("/")
@views.get("/<view>")
@views.get("/games/<key>")
def page(view: str = "", key: str = "") -> Response:
    """Return the HTML shell; its JavaScript modules show the view that the address names."""
    del key
    if view not in VIEWS:
        raise NotFound
    guard.own_token()
    chosen = language()
    shell = render_template(
        "index.html", language=chosen, words=catalogue(chosen)["page"], tv=view == "tv"
    )
    return Response(shell, mimetype="text/html")


@views.get("/language/<code>")
def choose_language(code: str) -> Response:
    """Store the guest's language in a cookie."""
    if code not in LANGUAGES:
        raise NotFound
    answer = jsonify({"language": code})
    answer.set_cookie(
        "language",
        code,
        max_age=31_536_000,
        samesite="Strict",
        httponly=True,
        secure=guard.is_https(),
    )
    return answer


@views.get("/static/<name>")
def static_file(name: str) -> Response:
    """Return a static file; only names listed in the folder match, so no path can escape it."""
    return page_file(name)


@views.get("/sw.js")
def service_worker() -> Response:
    """Return the service worker, at the root, since its scope is limited to the path below it."""
    return page_file("sw.js")


@views.get("/favicon.ico")
def icon() -> Response:
    """Return the icon."""
    return page_file("icon.svg")


@views.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the web app manifest, with which a phone can install the page."""
    said: Doc = {
        "name": "Snake Eye",
        "short_name": "Snake Eye",
        "description": catalogue(language())["page"]["tagline"],
        "start_url": "/",
        "display": "standalone",
        "lang": language(),
        "background_color": "#f6f1e7",
        "theme_color": "#1e5b46",
        "icons": [
            {
                "src": "/static/icon.svg",
                "sizes": "any",
                "type": "image/svg+xml",
                "purpose": "any maskable",
            }
        ],
    }
    answer = jsonify(said)
    answer.mimetype = "application/manifest+json"
    return answer


@views.get("/api/qr.svg")
def qr() -> Response:
    """Return the page's address as a QR code; with the join code for guests who may know it."""
    out = io.BytesIO()
    address = companion().address or request.host_url
    view = request.args.get("view", "")
    if view in VIEWS:
        address += view
    if not view and (code := join_code_shown()) is not None:
        address += f"#join={code}"
    segno.make(address, error="m").save(
        out, kind="svg", scale=8, border=2, dark="#20302a", light="#ffffff", xmldecl=False
    )
    return Response(out.getvalue(), mimetype="image/svg+xml")


# --- the guide -----------------------------------------------------------------------------------


@views.get("/guide")
@views.get("/guide/<chapter>")
def find_chapter(chapter: str = guide.CONTENTS) -> AnyResponse:
    """Redirect to a chapter in the guest's language; browsers keep the fragment after ``#``."""
    code = language() if language() in guide.LANGUAGES else guide.LANGUAGES[0]
    return redirect(f"/guide/{code}/{guide.chapter(code, chapter).name}.md")


@views.get("/guide/<code>/<chapter>.md")
def show_chapter(code: str, chapter: str) -> Response:
    """Return a chapter; addresses equal file paths, so that relative links in the text work."""
    return _chapter_page(code, guide.chapter(code, chapter), guide.LANGUAGES)


@views.get("/engine/RULINGS.md")
def show_rulings() -> Response:
    """Return how the referee reads the printed rules; the guide links to the file by this path."""
    return _chapter_page("en", guide.rulings(), ())


def _chapter_page(code: str, shown: guide.Chapter, languages: Sequence[str]) -> Response:
    """Return a chapter with its neighbours, and with links to it in the languages that have it."""
    everything = [guide.chapter(code, name) for name in guide.CHAPTERS]
    at = everything.index(shown) if shown in everything else len(everything)
    html = render_template(
        "guide.html",
        language=code,
        words=catalogue(code)["page"],
        shown=shown,
        chapters=everything,
        before=everything[at - 1] if 0 < at < len(everything) else None,
        after=everything[at + 1] if at + 1 < len(everything) else None,
        names={one: catalogue(one)["name"] for one in languages},
    )
    return fresh(Response(html, mimetype="text/html"))


@views.get("/guide/pictures/<name>.webp")
def guide_picture(name: str) -> Response:
    """Return a picture of the guide."""
    return fresh(Response(guide.picture(f"{name}.webp"), mimetype="image/webp"))
