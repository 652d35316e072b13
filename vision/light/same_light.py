"""Reads tiles of a taught box in the light of one picture, which all of its tiles share.

Where many were read surely, how they differ from what was taught says how the others do. All looks
are moved by what these have in common, and by what goes with how a look is printed, as a veil takes
more from strong colours. Of two kinds that are alike but for a shade, a lamp can make one look as
the other did in the photograph that was taught: such kinds are laid beside a doubtful tile as they
would look here, pixel by pixel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.classify.embedding import LAND_NUMBERS
from vision.classify.faces import Prints, coarse, compared, turned_face
from vision.classify.reader import CellReading, Reader
from vision.core.crop import Patches
from vision.core.stages import stage
from vision.core.types import SMALLEST_PX, SURE
from vision.light.picture_light import (
    COSTS,
    LEAST_OFF,
    LightMap,
    lengths,
    light_under_lamps,
    lit_ways,
)

Floats = NDArray[np.float32]
Looks = NDArray[np.int64]
Colours = NDArray[np.float64]

FEWEST_SURE, ROUNDS = 4, 2
"""So many tiles that are surely read say what the light does; and how often that is asked, since
tiles that are told apart by it say more about it."""
SPARE = 3.0
"""What is in common counts as if so many more tiles had shown nothing of it."""
RIDGE = 10.0
"""How little is made of what goes with the print. Of 607 tiles of eleven hard boxes 31 were read
wrong as they were taught, 25 with the common part alone, 20 or 21 with this; by 3 in its place as
many, but two more of them surely."""
MOST_LIKELY, NEAR = 12, 20.0
"""Looks that a tile is compared with: the nearest, up to so many temperatures beyond the first. Two
blue moons were surely read as white ones that were 13 and 15 of them nearer."""
SHIFTS = (
    (0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1), (2, 0), (-2, 0),
    (0, 2), (0, -2),
)  # fmt: skip
MOST_WAYS = 2
"""Ways in which a tile may be lit that are looked at a little beside too."""
WEIGHT, TRUSTED = 32.0, 0.15
"""How much it counts, in temperatures, if a kind fits worse by a factor of e; half of that where
colours come out no closer than the second. Of 1,375 tiles of 27 boxes with colours alike 9 were
wrong and 63 unsure without all that, 3 and 5 so, 3 and 7 by 16 in place of the first."""
FITS_ANYWAY = 0.1
APART, LEAST_COUNT, LEAST_SHARE = 3.0, 0.02, 0.2
"""Pixels in which two looks differ by the root of that, in usual lengths, count half; all count a
little. Of 360 tiles of the hardest boxes 8 were wrong where all counted alike, 5 so."""


@stage("taught: light", without=lambda reader, *_: reader)
def in_this_light(reader: Reader, rows: Floats, across_px: Sequence[float]) -> Reader:
    """Return the reader with its looks where a picture shows them; as it was for lands.

    Tiles of one land differ by more than light does. Of 1,449 photographed lands with one example a
    kind 845 of 850 at 0.99 were right, 948 of 961 when that was taken for light.

    Args:
        reader: as it was taught.
        rows: what describes the tiles of the picture, a row each.
        across_px: how wide each was in the picture.
    """
    if _of_lands(reader):
        return reader
    places, now = rows @ reader.project, reader
    for _ in range(ROUNDS):
        distances = now.distances_of(rows, across_px)
        sure = [n for n, one in enumerate(now.readings(distances)) if _is_sure(one)]
        if len(sure) < FEWEST_SURE:
            return now
        looks = distances[sure].argmin(axis=1)
        now = replace(reader, centres=_moved(reader.centres, places[sure], looks))
    return now


def _of_lands(reader: Reader) -> bool:
    """Say whether a box makes use of what prints of one land share; boxes of prints do not."""
    return bool(reader.project[-LAND_NUMBERS:].any())


def _is_sure(reading: CellReading) -> bool:
    return reading.why is None and reading.best >= SURE


def _moved(centres: Floats, places: Floats, looks: NDArray[np.int64]) -> Floats:
    """Return the middles of all looks, from where some were seen."""
    off = places - centres[looks]
    common = off.sum(axis=0) / (len(off) + SPARE)
    prints = centres - centres.mean(axis=0)
    prints = prints / max(float(np.sqrt((prints**2).sum(axis=1).mean())), 1e-9)
    seen = prints[looks]
    weights = np.linalg.solve(seen @ seen.T + RIDGE * np.eye(len(seen)), off - common)
    return np.asarray(centres + common + prints @ (seen.T @ weights), np.float32)


@stage("taught: paint", without=lambda reader, distances, *_: distances)
def in_these_colours(
    reader: Reader, distances: Floats, patches: Patches, across_px: Sequence[float]
) -> Floats:
    """Return the distances of all looks, those of doubtful tiles with what their colours say.

    Args:
        reader: of a taught box, in the light of the picture.
        distances: N x looks.
        patches: the tiles.
        across_px: how wide each was in its picture; nothing is said about small ones.
    """
    prints = reader.prints
    likely = {
        n: looks for n, looks in _likely(reader, distances).items() if across_px[n] >= SMALLEST_PX
    }
    if prints is None or not likely:
        return distances
    beside = _Beside(reader, prints, coarse(patches))
    now = distances
    for _ in range(ROUNDS):
        lights = beside.lights(now)
        if not lights:
            return now
        now = beside.weighed(distances, likely, lights)
    return now


def _likely(reader: Reader, distances: Floats) -> dict[int, Looks]:
    """Return the looks in question of each tile that may be more than one."""
    out = {}
    for number, row in enumerate(distances):
        order = np.argsort(row)[:MOST_LIKELY]
        near = order[row[order] - row[order[0]] < NEAR * reader.temperature]
        if len(set(reader.group_of[near].tolist())) > 1:
            out[number] = near
    return out


class _Beside:
    """The tiles of one picture beside the prints of a box."""

    def __init__(self, reader: Reader, prints: Prints, seen: Floats) -> None:
        self._reader, self._seen = reader, seen
        self._folds = 6 if max(look.turns for look in reader.looks) >= 4 else 4
        self._mask = compared(self._folds)
        self._prints, self._places = prints, prints.places()
        self._faces: dict[tuple[int, int], Colours] = {}

    def lights(self, distances: Floats) -> dict[int, LightMap]:
        """Return what the picture makes of the photographs that show enough of its tiles."""
        sure = [n for n, one in enumerate(self._reader.readings(distances)) if _is_sure(one)]
        looks = distances.argmin(axis=1)
        out = {}
        for photo in sorted(set(self._prints.photos)):
            pairs = [(self._face(int(looks[n]), photo), n) for n in sure]
            known = [(face, self._seen[n][self._mask]) for face, n in pairs if face is not None]
            if len(known) >= FEWEST_SURE:
                there, here = zip(*known, strict=True)
                out[photo] = light_under_lamps(np.stack(there), np.stack(here).astype(np.float64))
        return out

    def weighed(
        self, distances: Floats, likely: Mapping[int, Looks], lights: Mapping[int, LightMap]
    ) -> Floats:
        """Return distances with what speaks against each look in question."""
        out = distances.copy()
        would: dict[tuple[int, int], Floats | None] = {}
        for number, looks in likely.items():
            against = np.zeros(len(looks))
            seen = _shifted(self._seen[number], self._mask)
            for photo, light in lights.items():
                for look in looks.tolist():
                    if (look, photo) not in would:
                        would[look, photo] = self._would(look, photo, light)
                made = [one for look in looks.tolist() if (one := would[look, photo]) is not None]
                if len(made) == len(looks):
                    against += _against(seen, np.stack(made), light) / len(lights)
            against *= WEIGHT * self._reader.temperature
            # What is not in question is no nearer than before.
            out[number] += against.max()
            out[number, looks] = distances[number, looks] + against - against.min()
        return out

    def _face(self, look: int, photo: int) -> Colours | None:
        """Return the colours of a look in a photograph, pixels x 3."""
        one = self._reader.looks[look]
        place = self._places.get((one.tile, photo))
        if place is None:
            return None
        key = place, one.turns
        if key not in self._faces:
            turned = turned_face(self._prints.faces[place], one.turns, self._folds)
            self._faces[key] = coarse(turned[None])[0][self._mask].astype(np.float64)
        return self._faces[key]

    def _would(self, look: int, photo: int, light: LightMap) -> Floats | None:
        """Return how a look would show here, ways x pixels x 3."""
        face = self._face(look, photo)
        return None if face is None else lit_ways(light, face[None])[:, 0]


def _shifted(seen: Floats, mask: NDArray[np.bool_]) -> Floats:
    """Return what is compared of a tile, lying a little beside too: shifts x pixels x 3."""
    return np.stack([np.roll(seen, (-y, -x), (0, 1))[mask] for x, y in SHIFTS])


def _against(seen: Floats, made: Floats, light: LightMap) -> Colours:
    """Return how much worse than the best each look fits, as a natural logarithm.

    Two looks are compared where they differ: of two prints with another dot the paper says nothing.

    Args:
        seen: shifts x pixels x 3.
        made: looks x ways x pixels x 3.
        light: that these are seen in.
    """
    shown, off, costs = _at_their_best(seen, made, light)
    fits = off.mean(axis=1) / 3 + costs
    first = int(fits.argmin())
    apart = lengths(shown - shown[first], light)
    counts = LEAST_COUNT + apart / (apart + APART)
    # Costs are those of all pixels; here only some count.
    share = np.maximum(counts.mean(axis=1), LEAST_SHARE)
    counts /= 3 * counts.sum(axis=1, keepdims=True)
    own = (off * counts).sum(axis=1) + costs / share
    best = (off[first] * counts).sum(axis=1) + costs[first] / share
    ratio = (own + FITS_ANYWAY) / (best + FITS_ANYWAY)
    trust = 1 / max(float(fits[first]), 1.0) / (1 + (light.fuzz / TRUSTED) ** 2)
    return np.asarray(trust * np.log(ratio))


def _at_their_best(seen: Floats, made: Floats, light: LightMap) -> tuple[Floats, Floats, Floats]:
    """Return looks lit and laid as they fit best, how far off each pixel is then, and the cost.

    Looks x pixels x 3, looks x pixels, and looks.
    """
    ways = np.argsort(_off(seen[0] - made, light).mean(axis=2) / 3 + COSTS, axis=1)[:, :MOST_WAYS]
    lit = np.take_along_axis(made, ways[..., None, None], axis=1)
    off = _off(seen[None, None] - lit[:, :, None], light)
    fits = (off.mean(axis=3) / 3 + COSTS[ways][..., None]).reshape(len(made), -1)
    every, best = np.arange(len(made)), fits.argmin(axis=1)
    way, shift = np.divmod(best, len(seen))
    return lit[every, way], off[every, way, shift], COSTS[ways[every, way]]


def _off(off: Floats, light: LightMap) -> Floats:
    """Return how far off each pixel is, but for the brightness of its tile."""
    share = np.float32(1 - 1 / (1 + (light.uneven / LEAST_OFF) ** 2))
    return lengths(off - share * off.mean(axis=(-2, -1), keepdims=True), light)
