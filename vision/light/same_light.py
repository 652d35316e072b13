"""Adapts the reader of a taught box to the light of one picture, which all its tiles share.

Surely read tiles show how this picture differs from the taught photographs. All looks are shifted
by their common offset, and by an offset that depends linearly on the look, since a veil of light
weakens strong colours more. Of two kinds that differ only by a shade, a lamp can make one look like
the other's photograph. So a doubtful tile is compared, pixel by pixel, with the expected colours of
both kinds in this light.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.classify.embedding import LAND_NUMBERS
from vision.classify.faces import Prints, coarse, compared, turned_face
from vision.classify.reading import CellReading
from vision.classify.taught_looks import TaughtReader
from vision.core.crop import Patches
from vision.core.stages import stage
from vision.core.types import SMALLEST_PX, SURE
from vision.light.picture_light import LEAST_OFF, LightMap, light_map

Floats = NDArray[np.float32]
Looks = NDArray[np.int64]
Colours = NDArray[np.float64]

FEWEST_SURE, ROUNDS = 4, 2
"""Least number of surely read tiles to estimate the light, and number of rounds: each round reads
more tiles surely and so estimates it better."""
SPARE = 3.0
"""Pseudo-count of tiles without offset, which shrinks the common offset."""
RIDGE = 10.0
"""Ridge penalty of the look-dependent offset. Of 607 tiles of eleven hard boxes 31 were read wrong
as taught, 25 with the common offset alone, 20 or 21 with both; a penalty of 3 gave as many, but two
more of them sure."""
MOST_LIKELY, NEAR = 12, 20.0
"""Most looks that a tile is compared with, and their largest distance beyond the nearest, in
temperatures. Two blue moons were surely read as white ones that were 13 and 15 nearer."""
SHIFTS = (
    (0, 0),
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
    (2, 0),
    (-2, 0),
    (0, 2),
    (0, -2),
)
WEIGHT, TRUSTED = 32.0, 0.15
"""Penalty, in temperatures, of a look that fits worse by a factor of e; it is halved if the light
map's ``fuzz`` is ``TRUSTED``. Of 1,375 tiles of 27 boxes with similar colours 9 were wrong and 63
unsure without this comparison, 3 and 5 with it, 3 and 7 with a weight of 16."""
FITS_ANYWAY = 0.1
APART, LEAST_COUNT = 3.0, 0.02
"""Pixels in which two looks differ by ``APART`` (squared whitened distance) have half weight; all
have at least ``LEAST_COUNT``. Of 360 tiles of the hardest boxes 8 were wrong with equal weights, 5
with these."""


@stage("taught: light", without=lambda reader, *_: reader)
def in_this_light(reader: TaughtReader, rows: Floats, across_px: Sequence[float]) -> TaughtReader:
    """Return the reader with its looks adapted to a picture's light; unchanged for lands.

    Tiles of one land differ by more than light does. Of 1,449 photographed lands with one example a
    kind, 845 of 850 readings at 0.99 were right unchanged, 948 of 961 when adapted.

    Args:
        reader: the reader as taught.
        rows: the features of the picture's tiles, one row per tile.
        across_px: the width of each tile in the picture.
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


def _of_lands(reader: TaughtReader) -> bool:
    """Say whether the reader uses the embedding's land part; boxes of fixed prints do not."""
    return bool(reader.project[-LAND_NUMBERS:].any())


def _is_sure(reading: CellReading) -> bool:
    return reading.why is None and reading.best >= SURE


def _moved(centres: Floats, places: Floats, looks: NDArray[np.int64]) -> Floats:
    """Return the centres of all looks, shifted by the offsets at which some were seen."""
    off = places - centres[looks]
    common = off.sum(axis=0) / (len(off) + SPARE)
    prints = centres - centres.mean(axis=0)
    prints = prints / max(float(np.sqrt((prints**2).sum(axis=1).mean())), 1e-9)
    seen = prints[looks]
    weights = np.linalg.solve(seen @ seen.T + RIDGE * np.eye(len(seen)), off - common)
    return np.asarray(centres + common + prints @ (seen.T @ weights), np.float32)


@stage("taught: paint", without=lambda reader, distances, *_: distances)
def in_these_colours(
    reader: TaughtReader, distances: Floats, patches: Patches, across_px: Sequence[float]
) -> Floats:
    """Return the distances of all looks; for doubtful tiles a comparison of colours is added.

    Args:
        reader: the reader of a taught box, adapted to the picture's light.
        distances: N x looks.
        patches: the tiles.
        across_px: the width of each tile in its picture; small ones are not compared.
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


def _likely(reader: TaughtReader, distances: Floats) -> dict[int, Looks]:
    """Return the candidate looks of each tile that may be of more than one group."""
    out = {}
    for number, row in enumerate(distances):
        order = np.argsort(row)[:MOST_LIKELY]
        near = order[row[order] - row[order[0]] < NEAR * reader.temperature]
        if len(set(reader.group_of[near].tolist())) > 1:
            out[number] = near
    return out


class _Beside:
    """Compares the tiles of one picture with the photographed prints of a box."""

    def __init__(self, reader: TaughtReader, prints: Prints, seen: Floats) -> None:
        self._reader, self._seen = reader, seen
        self._folds = 6 if max(look.turns for look in reader.looks) >= 4 else 4
        self._mask = compared(self._folds)
        self._prints, self._places = prints, prints.places()
        self._faces: dict[tuple[int, int], Colours] = {}

    def lights(self, distances: Floats) -> dict[int, LightMap]:
        """Return the light map of each photograph that shows enough of the picture's tiles."""
        sure = [n for n, one in enumerate(self._reader.readings(distances)) if _is_sure(one)]
        looks = distances.argmin(axis=1)
        out = {}
        for photo in sorted(set(self._prints.photos)):
            pairs = [(self._face(int(looks[n]), photo), n) for n in sure]
            known = [(face, self._seen[n][self._mask]) for face, n in pairs if face is not None]
            if len(known) >= FEWEST_SURE:
                there, here = zip(*known, strict=True)
                out[photo] = light_map(np.stack(there), np.stack(here).astype(np.float64))
        return out

    def weighed(
        self, distances: Floats, likely: Mapping[int, Looks], lights: Mapping[int, LightMap]
    ) -> Floats:
        """Return distances with the colour penalty of each candidate look added."""
        out = distances.copy()
        for number, looks in likely.items():
            against = np.zeros(len(looks))
            seen = _shifted(self._seen[number], self._mask)
            for photo, light in lights.items():
                faces = [self._face(look, photo) for look in looks.tolist()]
                known = [light.makes(face) for face in faces if face is not None]
                if len(known) == len(faces):
                    against += _against(seen, np.stack(known), light) / len(lights)
            against *= WEIGHT * self._reader.temperature
            # Other looks get the largest penalty, so that they do not become nearer.
            out[number] += against.max()
            out[number, looks] = distances[number, looks] + against - against.min()
        return out

    def _face(self, look: int, photo: int) -> Colours | None:
        """Return the colours of a look in a photograph, pixels x 3; ``None`` if it has no print."""
        one = self._reader.looks[look]
        place = self._places.get((one.tile, photo))
        if place is None:
            return None
        key = place, one.turns
        if key not in self._faces:
            turned = turned_face(self._prints.faces[place], one.turns, self._folds)
            self._faces[key] = coarse(turned[None])[0][self._mask].astype(np.float64)
        return self._faces[key]


def _shifted(seen: Floats, mask: NDArray[np.bool_]) -> Floats:
    """Return the compared pixels of a tile at each of ``SHIFTS``: shifts x pixels x 3."""
    return np.stack([np.roll(seen, (-y, -x), (0, 1))[mask] for x, y in SHIFTS])


def _against(seen: Floats, made: Floats, light: LightMap) -> Colours:
    """Return the log ratio of each look's misfit to the best look's.

    Pixels in which two looks are equal, such as the paper around a dot, hardly count.

    Args:
        seen: the tile's colours, shifts x pixels x 3.
        made: the expected colours, looks x pixels x 3.
        light: the light map of the expected colours.
    """
    apart = seen - made[:, None]
    # A tile's own brightness counts less the more tiles here differ in it.
    share = np.float32(1 - 1 / (1 + (light.uneven / LEAST_OFF) ** 2))
    every = light.lengths(apart - share * apart.mean(axis=(-2, -1), keepdims=True))
    shifts = every.mean(axis=2).argmin(axis=1)
    off = every[np.arange(len(made)), shifts]
    fits = off.mean(axis=1) / 3
    first = int(fits.argmin())
    unlike = light.lengths(made - made[first])
    counts = LEAST_COUNT + unlike / (unlike + APART)
    counts /= 3 * counts.sum(axis=1, keepdims=True)
    own, best = (off * counts).sum(axis=1), (off[first] * counts).sum(axis=1)
    trust = 1 / max(float(fits[first]), 1.0) / (1 + (light.fuzz / TRUSTED) ** 2)
    return np.asarray(trust * np.log((own + FITS_ANYWAY) / (best + FITS_ANYWAY)))
