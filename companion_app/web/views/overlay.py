"""The camera's picture with the reading drawn over it, as one SVG that zooms and can be tapped.

Outlines come from the looks that the referee accepted; the page itself reloads the picture in the
SVG again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from flask import Blueprint, Response

from companion_app.games.play import Game
from companion_app.line.commands import EyeCommands
from companion_app.live.places import Point, tiles_of
from companion_app.outlining import ink_of, stroke_px
from companion_app.web.context import companion, speech, svg_answer
from companion_app.web.drawing.match import shown_now
from companion_app.web.drawing.table import spot, spots_of, tap_target
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import Doc
from companion_app.web.snapshot import Now
from companion_app.web.speech import Speech

views = Blueprint("overlay", __name__)
PICTURE = "/api/picture.jpg"


@views.get("/api/camera.svg")
def picture_with_outlines() -> Response:
    """Return the camera's picture with outlines of known tiles, the last move and any foul."""
    seen: Doc | None = companion().eye.ask(EyeCommands.seen)
    now = companion().now()
    if seen is None or now.match is None:
        raise NotFound(code="no-picture")
    return svg_answer(_drawn(seen, now, now.match, speech()))


def _drawn(seen: Doc, now: Now, match: Game, speech: Speech) -> str:
    """Return the SVG: a tap target for every tile, with the unsure places and the ghost above."""
    (width, height), shown = seen["size"], shown_now(match, now.pending)
    last, wrong = set(map(spot, shown.last)), set(map(spot, shown.marked))
    outlines_px = {spot(place): tuple(map(tuple, outline)) for place, outline in seen["outlines"]}
    hidden = set(map(spot, now.standing.covered))
    taps = []
    label = speech.labels(shown.layout, match.box)
    for one in tiles_of(shown.layout):
        places = spots_of(one, match.box)
        # All cells of a piece share one outline: draw it once.
        shapes = dict.fromkeys(outlines_px[place] for place in places if place in outlines_px)
        if shapes:
            classes = [
                name
                for name, on in (
                    ("last", last.intersection(places)),
                    ("wrong", wrong.intersection(places)),
                    ("covered", hidden.intersection(places)),
                )
                if on
            ]
            taps.append(
                tap_target(
                    one.tile,
                    label(one),
                    places,
                    "".join(map(_polygon, shapes)),
                    " ".join(["tap", "outline", *classes]),
                    f' stroke="{ink_of(one.tile, match.box.colours)}"',
                )
            )
    unsure = map(spot, now.standing.unsure)
    asked = [_polygon(outlines_px[place]) for place in unsure if place in outlines_px]
    stroke = stroke_px((width, height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="group" '
        f'class="seen" data-lattice="picture" data-pitch="1" stroke-width="{stroke:.1f}">'
        f"<title>{escape(speech.page('camera-view'))}</title>"
        f'<image class="picture" href="{PICTURE}" width="{width}" height="{height}"/>'
        f'<g class="taps">{"".join(taps)}</g><g class="asked">{"".join(asked)}</g>'
        f'<g class="machine-ghost">{"".join(map(_polygon, seen["ghost"]))}</g></svg>'
    )


def _polygon(shape: Sequence[Point]) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape)
    return f'<polygon points="{points}"/>'
