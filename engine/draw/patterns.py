"""Scales and patterns along a body; every colour has its own pattern, for colour-blind players.

Marks are evenly spaced between the two sides of a strand and symmetric, so that the pattern
continues from card to card.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from engine.draw.display import Contour, Item, Point, ellipse, filled, stroked
from engine.draw.palette import Coat
from engine.draw.spine import Spine, line_on, on, ribbon

MARK_STEP = 11.25
"""The distance between marks in millimetres: four marks on a straight card of 45 mm."""
SCALE_STEP = 5.6


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a body that a pattern covers."""

    line: Spine
    start: float
    stop: float
    half: float
    """Half the body's width inside its outline."""
    step: float
    """The arc length from one mark to the next."""
    first: int
    last: int
    """``first`` and ``last``: the range of mark numbers, ``last`` excluded."""

    @property
    def places(self) -> list[float]:
        """The arc lengths of the marks along the spine."""
        return [(i + 0.5) * self.step for i in range(self.first, self.last)]


def pattern_marks(
    line: Spine, coat: Coat, start: float, stop: float, half: float
) -> Iterator[Item]:
    """Yield the marks of a coat's pattern; none for the pattern ``plain``."""
    count = max(1, round(line.length / MARK_STEP))
    step = line.length / count
    first, last = math.floor(start / step), math.ceil(stop / step)
    stretch = Stretch(line, start, stop, half, step, first, last)
    if coat.pattern in DRAWN_BY:
        yield from DRAWN_BY[coat.pattern](stretch, coat)


def scale_net(line: Spine, start: float, stop: float, half: float) -> Iterator[Contour]:
    """Yield the lines between scales."""
    step = line.length / max(1, round(line.length / SCALE_STEP))
    for i in range(math.floor(start / step) - 1, math.ceil(stop / step) + 1):
        for sign in (-1, 1):
            bow = [(i * step + step * k, sign * half * (k - 1)) for k in range(3)]
            yield line_on(line, bow)


def _bands(s: Stretch, coat: Coat) -> Iterator[Item]:
    d = s.step * 0.21
    bands = (ribbon(s.line, w - d, w + d, -s.half, s.half) for w in s.places)
    yield filled(coat.mark, *bands)


def _rings(s: Stretch, coat: Coat) -> Iterator[Item]:
    middles = [w + k * s.step for w in s.places for k in (-0.17, 0.17)]
    d = 0.08 * s.step
    yield filled(coat.mark, *(ribbon(s.line, w - d, w + d, -s.half, s.half) for w in middles))


def _diamonds(s: Stretch, coat: Coat) -> Iterator[Item]:
    for colour, size in ((coat.mark, 1.0), (coat.outline, 0.4)):
        shape = _rhomb(s.step * 0.43 * size, s.half * 0.78 * size)
        yield filled(colour, *(on(s.line, w, shape) for w in s.places))


def _dots(s: Stretch, coat: Coat) -> Iterator[Item]:
    r = min(1.9, s.half * 0.3)
    pairs = [ellipse(s.line.at(w, k * s.half * 0.45), r) for w in s.places for k in (-1, 1)]
    between = [ellipse(s.line.at(w + s.step / 2), r * 0.62) for w in s.places]
    yield filled(coat.mark, *pairs, *between)


def _zigzag(s: Stretch, coat: Coat) -> Iterator[Item]:
    turns = [
        (i * s.step / 2 + s.step / 4, s.half * (0.55 if i % 2 == 0 else -0.55))
        for i in range(2 * s.first - 1, 2 * s.last + 1)
    ]
    yield stroked(coat.mark, s.half * 0.42, line_on(s.line, turns))


def _stripes(s: Stretch, coat: Coat) -> Iterator[Item]:
    for near, far in ((-0.52, -0.2), (0.2, 0.52)):
        yield filled(coat.mark, ribbon(s.line, s.start, s.stop, near * s.half, far * s.half))


def _chevrons(s: Stretch, coat: Coat) -> Iterator[Item]:
    for w in s.places:
        lean = s.step * 0.3 * (1 if w > s.line.length / 2 else -1)
        yield stroked(
            coat.mark,
            s.half * 0.36,
            line_on(s.line, ((w - lean, -s.half), (w + lean, 0.0), (w - lean, s.half))),
        )


def _triangles(s: Stretch, coat: Coat) -> Iterator[Item]:
    d, outer, inner = s.step * 0.36, s.half * 1.05, s.half * 0.2
    yield filled(
        coat.mark,
        *(
            on(s.line, w, ((-d, k * outer), (0, k * inner), (d, k * outer)))
            for w in s.places
            for k in (-1, 1)
        ),
    )


def _rhomb(along: float, aside: float) -> tuple[Point, ...]:
    return ((-along, 0), (0, -aside), (along, 0), (0, aside))


DRAWN_BY: Mapping[str, Callable[[Stretch, Coat], Iterator[Item]]] = {
    "bands": _bands,
    "rings": _rings,
    "diamonds": _diamonds,
    "dots": _dots,
    "zigzag": _zigzag,
    "stripes": _stripes,
    "chevrons": _chevrons,
    "triangles": _triangles,
}
