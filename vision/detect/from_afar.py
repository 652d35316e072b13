"""Looks once more, from further off, where nothing of a known box was surely read.

Of cards that are much larger than the network wants them to be it finds parts: the eye of a snake,
half of a stripe. If a few such cards are all that is seen, nobody else says how large they are. On
a chequered cloth it may find them askew: then some of a few large cards are read, others are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vision.classify.reader import CellReading
from vision.core.stages import stage
from vision.core.types import Bgr, Detection, Detections
from vision.detect.detect import QUICK, detect_tiles
from vision.layout.candidates import distinct
from vision.layout.settle import SURE

WIDE = 1 / 6
"""How wide such cards are looked for, as a share of the picture's shorter side."""
FEW, LARGE = 6, 1 / 12
"""So many cards at most, of such a width at least, are looked at again where not all are read."""
BEYOND_DOUBT = 0.99
"""How surely one of them must be read: the top of a pile may look a little like a card in play."""


@stage("from-afar", without=lambda bgr, detections, readings, look: (detections, readings))
def seen_from_afar(
    bgr: Bgr, detections: Detections, readings: Sequence[CellReading],
    look: Callable[[Sequence[Detection]], Sequence[CellReading]],
) -> tuple[Detections, Sequence[CellReading]]:  # fmt: skip
    """Return other outlines and what they show where more of these are surely read.

    Args:
        bgr: the picture.
        detections: the outlines.
        readings: what each of them shows.
        look: reads outlines.
    """
    read = sum(one.is_whole(SURE) for one in readings)
    if read == len(readings) or (read and not _are_few_large(detections)):
        return detections, readings
    wide_px = WIDE * min(detections.size_px)
    larger = distinct(detect_tiles(bgr, detections.shape, settings=QUICK, wide_px=wide_px))
    said = look(larger.found)
    more = sum(one.is_whole(BEYOND_DOUBT) for one in said) > read
    return (larger, said) if more else (detections, readings)


def _are_few_large(detections: Detections) -> bool:
    wide = LARGE * min(detections.size_px)
    found = detections.found
    return len(found) <= FEW and all(one.across_px >= wide for one in found)
