"""The camera's picture with the reading drawn over it, as one SVG that zooms and can be tapped.

Outlines come from the looks that the referee accepted; the page itself reloads the picture in the
SVG again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from flask import Response

from companion_app.live.match import Match
from companion_app.live.places import Point, Spot, tiles_of
from companion_app.live.referee_state import Pending
from companion_app.outlining import ink_of, stroke_px
from companion_app.web.context import companion, speech, svg_answer
from companion_app.web.drawing import match as match_drawing
from companion_app.web.drawing.table import spot, spots_of
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import Views
from companion_app.web.speech import Speech
from engine.placement import Piece, Placement

views = Views("overlay", __name__)
PICTURE = "/api/picture.jpg"


@dataclass(frozen=True)
class Seen:
    """The places of tiles in the picture."""

    size_px: tuple[int, int]
    outlines_px: Mapping[Spot, Sequence[Point]]
    covered: frozenset[Spot]
    unsure: frozenset[Spot]
    ghost: Sequence[Sequence[Point]] = ()
    """Outlines of the place where the machine's tile belongs."""


@views.reads("/api/camera.svg", "pictures")
def picture_with_outlines() -> Response:
    """Return the camera's picture with outlines of known tiles, the last move and any foul."""
    said = companion().eye.ask("seen").body
    now = companion().now()
    if said is None or now.match is None:
        raise NotFound(code="no-picture")
    width, height = said["size"]
    outlines = {_spot(place): [(x, y) for x, y in outline] for place, outline in said["outlines"]}
    standing = now.standing
    seen = Seen((width, height), outlines, frozenset(map(_spot, standing.covered)),
                frozenset(map(_spot, standing.unsure)), said.get("ghost", ()))  # fmt: skip
    return svg_answer(drawn(seen, now.match, now.pending, speech()))


def _spot(place: Sequence[int]) -> Spot:
    return place[0], place[1], place[2]


def drawn(seen: Seen, match: Match, pending: Pending | None, speech: Speech) -> str:
    """Return the SVG: a tap target for every tile, with the unsure places and the ghost above."""
    width, height = seen.size_px
    layout = pending.layout if pending is not None else match.layout
    last = {spot(p) for p in match.cells_of(pending.move)} if pending else set(
        match_drawing.last_spots(match))  # fmt: skip
    wrong = _wrong(pending, match)
    named = {spot(place[1:], place[0]): place for place in seen.outlines_px}
    hidden = {spot(place[1:], place[0]) for place in seen.covered}
    taps = []
    label = speech.labels(layout, match.box)
    for one in tiles_of(layout):
        places = spots_of(one, match.box)
        # All cells of a piece share one outline: draw it once.
        shapes = list(dict.fromkeys(tuple(seen.outlines_px[named[place]]) for place in places
                                    if place in named))  # fmt: skip
        if shapes:
            classes = [name for name, on in (
                ("last", last.intersection(places)), ("wrong", wrong.intersection(places)),
                ("covered", hidden.intersection(places))) if on]  # fmt: skip
            taps.append(_tap(one, places, shapes, classes, match, label(one)))
    asked = [_polygon(seen.outlines_px[place]) for place in sorted(seen.unsure)
             if place in seen.outlines_px]  # fmt: skip
    stroke = stroke_px(seen.size_px)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="group" '
        f'class="seen" data-lattice="picture" data-pitch="1" stroke-width="{stroke:.1f}">'
        f"<title>{escape(speech.page('camera-view'))}</title>"
        f'<image class="picture" href="{PICTURE}" width="{width}" height="{height}"/>'
        f'<g class="taps">{"".join(taps)}</g><g class="asked">{"".join(asked)}</g>'
        f'<g class="machine-ghost">{"".join(map(_polygon, seen.ghost))}</g></svg>'
    )


def _wrong(pending: Pending | None, match: Match) -> set[str]:
    if pending is None:
        return set()
    pointed = [place for one in pending.violations for place in match_drawing.pointed(one, match)]
    return {spot(place) for place in pointed or match.cells_of(pending.move)}


def _tap(
    one: Placement | Piece, places: Iterable[str], shapes: Iterable[Sequence[Point]],
    classes: Iterable[str], match: Match, label: str,
) -> str:  # fmt: skip
    ink = ink_of(one.tile, match.box.colours)
    return (
        f'<g class="{" ".join(["tap", "outline", *classes])}" tabindex="-1" role="button" '
        f"aria-label={quoteattr(label)} data-tile={quoteattr(one.tile)} "
        f'data-spots="{" ".join(places)}" stroke="{ink}">'
        f"{''.join(_polygon(shape) for shape in shapes)}</g>"
    )


def _polygon(shape: Sequence[Point]) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape)
    return f'<polygon points="{points}"/>'
