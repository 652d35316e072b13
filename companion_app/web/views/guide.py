"""The guide, served beside the page: chapters by language, and their pictures."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion_app.web import guide
from companion_app.web.serving import access
from companion_app.web.serving.exchange import language
from companion_app.web.speech import catalogue

blueprint = Blueprint("guide", __name__)


@blueprint.get("/guide")
@blueprint.get("/guide/<chapter>")
@access.part_of("page")
def find(chapter: str = guide.CONTENTS) -> AnyResponse:
    """Lead to a chapter in the guest's language; browsers keep what stands behind ``#``."""
    code = guide.guide_language(language())
    return redirect(f"/guide/{code}/{guide.chapter(code, chapter).name}.md")


@blueprint.get("/guide/<code>/<chapter>.md")
@access.part_of("page")
def show(code: str, chapter: str) -> Response:
    """Return a chapter. Addresses are those of the files, so that their links lead on."""
    shown = guide.chapter(code, chapter)
    everything = guide.chapters(code)
    at = everything.index(shown)
    html = render_template(
        "guide.html", language=code, words=catalogue(code)["page"], shown=shown,
        chapters=everything, before=everything[at - 1] if at else None,
        after=everything[at + 1] if at + 1 < len(everything) else None,
        names={one: catalogue(one)["name"] for one in guide.LANGUAGES},
    )  # fmt: skip
    return _fresh(Response(html, mimetype="text/html"))


@blueprint.get("/guide/pictures/<name>.webp")
@access.part_of("page")
def picture(name: str) -> Response:
    """Return a picture of the guide."""
    return _fresh(Response(guide.picture(f"{name}.webp"), mimetype="image/webp"))


def _fresh(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    return answer.make_conditional(request)  # type: ignore[return-value]
