"""Compares a patch with the photographed face that its reading names, to verify the reading.

A reader only says which face of its box is nearest. Here the patch is compared with that one face:
by the embedding network, and by its gradients at small shifts, turns and scales, since outlines are
not exact. It is then compared with all other faces where it is not clipped: glare may hide what
distinguishes two faces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.classify.embedding import PRINT_NUMBERS, shipped_embedding
from vision.classify.features import DARKEST
from vision.core.crop import PATCH_PX, Patches, patch_corners
from vision.core.types import CLIPPED, QUARTERS, Bgr, Look

Floats = NDArray[np.float32]
Slopes = NDArray[np.float32]

FACE_PX = 32
"""Width and height at which faces are compared."""
RIM_PX = 4
"""Border of a patch that is ignored: it shows neighbours or table, and leaves room for shifts."""
MOST_SHIFT_PX = 2
SCALES, TURNS_DEG = (0.94, 1.0, 1.06), (-4.0, 0.0, 4.0)
LEAST_STEEP = 2.0
"""Gradient, in grey levels per pixel, added to the norm of gradients, so that noise scores low."""
BLUR_PX = 0.7
COARSE_PX = 2
"""Side of the squares over which prints are averaged before they are compared."""
GAMMA = 2.2
LIGHT = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
"""Linear light of each pixel value (gamma removed), as a share of white."""
PAPER, DIM = 0.5, 0.3
"""The gain of the light is estimated on a face's brighter half, as this quantile of the ratios: at
least this share of it is assumed to be free of glare."""
WHITE = 0.85
"""A place that is expected to be brighter may be clipped without any glare."""
FEW = 1e-3
PRINT_BLUR_PX = 0.8
"""Blur before pictures of taught tiles are compared: outlines are off by a pixel or two."""
INNER = 0.84
"""Share of a tile's width that is compared; its border may show the table."""
MOST_PRINTS = 4000

SEEN = (
    "burnt",
    "seen",
    "apart",
    "surely_apart",
    "printed",
    "printed_margin",
    "surely_printed_margin",
    "lit",
)
"""Features of what the light leaves visible. ``burnt``: share of the print hidden by glare.
``seen``: visible share of the difference to the rival that is hidden most. ``apart``: distance
to the nearest rival, on visible places. ``printed``: correlation with the named face.
``printed_margin``: its lead over any rival. ``surely_``: without any clipped place. ``lit``: light
added to the print."""


@dataclass(frozen=True, eq=False)
class Faces:
    """The faces of a taught box, and the embeddings of their looks."""

    cells: tuple[tuple[str, int], ...]
    """Tile and cell of each picture; there may be several of a tile."""
    pictures: NDArray[np.uint8]
    """Cells x 32 x 32 x 3, upright, cut like patches in play."""
    looks: tuple[Look, ...]
    numbers: Floats
    """Looks x ``PRINT_NUMBERS``: the embedding of each look, with norm 1."""
    _slopes: dict[Look, tuple[FaceSlopes, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.pictures.shape != (len(self.cells), FACE_PX, FACE_PX, 3):
            raise ValueError(f"{len(self.cells)} faces, but pictures of {self.pictures.shape}")
        if self.numbers.shape != (len(self.looks), PRINT_NUMBERS):
            raise ValueError(f"{len(self.looks)} looks, but numbers of {self.numbers.shape}")

    def fits(self, patches: Sequence[Slopes], looks: Sequence[Sequence[Look]]) -> list[Fit]:
        """Return for each patch the best fit among the looks that its reading names."""
        return [
            max(
                (
                    Fit(*face.fit(patch), look, number)
                    for look in own
                    for number, face in enumerate(self._faces(look))
                ),
                key=lambda fit: fit.alike,
                default=NO_FIT,
            )
            for patch, own in zip(patches, looks, strict=True)
        ]

    def seen(self, patches: Patches, fits: Sequence[Fit], own: NDArray[np.bool_]) -> Floats:
        """Return what the light leaves visible of each patch's print, N x ``SEEN``.

        Args:
            patches: the patches.
            fits: the best fit of each patch to the face that its reading names.
            own: N x rows of ``coarse``: which rows the reading names.
        """
        numbers = {key: row for row, key in enumerate(self.coarse[0])}
        rows = [numbers[fit.look, fit.number] for fit in fits]
        shown = np.stack([_coarse(shrunk(p), f.shift) for p, f in zip(patches, fits, strict=True)])
        return _seen(shown, self.coarse[1], rows, own)

    @cached_property
    def coarse(self) -> tuple[tuple[tuple[Look, int], ...], Floats]:
        """Look and picture number of each row, and the rows of linear light, rows x places x 3."""
        keys, rows = [], []
        for look in dict.fromkeys(self.looks):
            own = [n for n, cell in enumerate(self.cells) if cell == (look.tile, look.cell)]
            for number, n in enumerate(own):
                keys.append((look, number))
                rows.append(_coarse(np.rot90(self.pictures[n], -look.turns), (0, 0)))
        return tuple(keys), np.stack(rows)

    def cosines(self, patches: Patches) -> Floats:
        """Return the cosine similarity of each patch's embedding to each look's, N x looks."""
        numbers = shipped_embedding().numbers(patches)[:, :PRINT_NUMBERS]
        return np.asarray(unit(numbers) @ self.numbers.T, np.float32)

    def _faces(self, look: Look) -> tuple[FaceSlopes, ...]:
        if look not in self._slopes:
            own = [n for n, cell in enumerate(self.cells) if cell == (look.tile, look.cell)]
            self._slopes[look] = tuple(
                FaceSlopes.of(np.rot90(self.pictures[n], -look.turns)) for n in own
            )
        return self._slopes[look]


class Fit(NamedTuple):
    """The alignment of a patch with a face."""

    alike: float
    """Correlation of gradients, between -1 and 1."""
    shift: tuple[int, int]
    """To the right and down, in pixels of a face."""
    look: Look
    number: int
    """The index of the picture among the look's pictures."""


NO_FIT = Fit(0.0, (0, 0), Look(""), 0)
"""The fit of a patch whose reading names no look."""


def _coarse(picture: Bgr, shift: tuple[int, int]) -> Floats:
    """Return the linear light of a picture without its rim, in coarse squares, places x 3."""
    (x, y), low, high = shift, RIM_PX, FACE_PX - RIM_PX
    inner = LIGHT[picture[low + y : high + y, low + x : high + x]]
    count = (high - low) // COARSE_PX
    return np.asarray(
        inner.reshape(count, COARSE_PX, count, COARSE_PX, 3).mean(axis=(1, 3)).reshape(-1, 3),
        np.float32,
    )


def _seen(shown: Floats, faces: Floats, rows: Sequence[int], own: NDArray[np.bool_]) -> Floats:
    """Return what the light leaves visible of prints, N x ``SEEN``.

    Args:
        shown: N x places x 3, linear light of patches.
        faces: rows x places x 3, linear light of printed faces.
        rows: the face that each patch is aligned with.
        own: N x rows: which faces the reading names.
    """
    face = faces[rows]
    paper = face >= np.quantile(face, PAPER, axis=1, keepdims=True)
    ratios = np.where(paper, shown / np.maximum(face, FEW), np.nan)
    gains = np.nanquantile(ratios, DIM, axis=1, keepdims=True)
    expected = face * gains
    clipped = shown >= LIGHT[CLIPPED]
    hidden = clipped & (expected < WHITE)
    ink = np.maximum(face.max(axis=1, keepdims=True) - face, 0)
    burnt = (ink * hidden).sum(axis=(1, 2)) / np.maximum(ink.sum(axis=(1, 2)), FEW)
    bright = np.maximum(gains.mean(axis=(1, 2)), FEW)
    lit = np.maximum(shown - expected, 0).mean(axis=(1, 2)) / bright
    grey, printed = np.sqrt(shown), np.sqrt(faces)
    lenient = _told_apart(grey, printed, rows, own, (~hidden).astype(np.float32))
    strict = _told_apart(grey, printed, rows, own, (~clipped).astype(np.float32))
    return np.stack(
        [
            burnt,
            lenient.seen,
            lenient.apart,
            strict.apart,
            lenient.alike,
            lenient.margin,
            strict.margin,
            lit,
        ],
        axis=1,
    ).astype(np.float32)


class _Apart(NamedTuple):
    seen: Floats
    apart: Floats
    alike: Floats
    margin: Floats


def _told_apart(
    shown: Floats, faces: Floats, rows: Sequence[int], own: NDArray[np.bool_], counts: Floats
) -> _Apart:
    """Return how well each patch is distinguished from all other faces on its visible places.

    Args:
        shown: N x places x 3.
        faces: rows x places x 3.
        rows: the face that each patch is aligned with.
        own: N x rows: which faces the reading names.
        counts: N x places x 3 of 0 and 1: mask of visible places.
    """
    many = np.maximum(counts.sum(axis=1), FEW)
    middles = (counts * shown).sum(axis=1) / many
    inner = (counts * (shown - middles[:, None])).reshape(len(shown), -1)
    flat, weights = faces.reshape(len(faces), -1), counts.reshape(len(shown), -1)
    squares = weights @ (flat**2).T
    sums = np.einsum("npc,rpc->nrc", counts, faces, optimize=True)
    spread = squares - (sums**2 / many[:, None]).sum(axis=2)
    length = np.sqrt(
        np.maximum((inner * (shown - middles[:, None]).reshape(inner.shape)).sum(axis=1), 0)
    )
    alike = inner @ flat.T / (length[:, None] * np.sqrt(np.maximum(spread, 0)) + FEW * 10)
    mine = flat[rows]
    off = (weights * mine**2).sum(axis=1)[:, None] - 2 * (weights * mine) @ flat.T + squares
    whole = (mine**2).sum(axis=1)[:, None] - 2 * mine @ flat.T + (flat**2).sum(axis=1)
    off, whole = np.maximum(off, 0), np.maximum(whole, FEW)
    best = np.where(own, alike, -1).max(axis=1)
    return _Apart(
        np.where(own, 1, off / whole).min(axis=1),
        np.sqrt(np.where(own, np.inf, off).min(axis=1)),
        best,
        best - np.where(own, -1, alike).max(axis=1),
    )


@dataclass(frozen=True, eq=False)
class Prints:
    """Pictures of kinds from an owner's photographs, at most one per kind and photograph."""

    faces: Patches
    """N x 64 x 64 x 3 of uint8, cut like patches in play."""
    tiles: tuple[str, ...]
    photos: tuple[int, ...]
    """The number of the photograph that each picture was cut from."""

    def __post_init__(self) -> None:
        want = (len(self.tiles), PATCH_PX, PATCH_PX, 3)
        if self.faces.shape != want or self.faces.dtype != np.uint8:
            raise ValueError(f"prints are {want} of uint8, but got {self.faces.shape}")
        if len(self.photos) != len(self.tiles) or len(self.tiles) > MOST_PRINTS:
            raise ValueError("every print has a photograph")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to store, by name."""
        return {"faces": self.faces, "face_photos": np.array(self.photos, np.int64)}

    @classmethod
    def of(cls, tiles: Sequence[str], arrays: Mapping[str, NDArray[Any]]) -> Prints:
        """Return the prints of stored arrays."""
        photos = tuple(int(n) for n in arrays["face_photos"].reshape(-1))
        return cls(arrays["faces"], tuple(tiles), photos)

    def places(self) -> dict[tuple[str, int], int]:
        """Return the index of each print, by kind and photograph."""
        pairs = zip(self.tiles, self.photos, strict=True)
        return {pair: number for number, pair in enumerate(pairs)}


def turned_face(face: Bgr, turns: int, folds: int) -> Bgr:
    """Return a picture of a tile turned clockwise by whole steps of its lattice."""
    if folds == QUARTERS:
        return np.ascontiguousarray(np.rot90(face, -turns))
    middle = ((face.shape[1] - 1) / 2, (face.shape[0] - 1) / 2)
    spin = cv2.getRotationMatrix2D(middle, -360.0 / folds * turns, 1.0)
    size = (face.shape[1], face.shape[0])
    return np.asarray(cv2.warpAffine(face, spin, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def coarse(patches: Patches) -> Floats:
    """Return log pixel values of shrunk and blurred patches, N x 32 x 32 x 3."""
    out = np.empty((len(patches), FACE_PX, FACE_PX, 3), np.float32)
    for number, patch in enumerate(patches):
        small = cv2.resize(patch, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
        out[number] = cv2.GaussianBlur(small.astype(np.float32), (0, 0), PRINT_BLUR_PX)
    return np.asarray(np.log(out + DARKEST), np.float32)


@lru_cache(maxsize=2)
def compared(folds: int) -> NDArray[np.bool_]:
    """Return the mask of compared pixels: every second pixel inside the tile."""
    middle = (FACE_PX - 1) / 2
    corners = middle + (patch_corners(folds, FACE_PX) - middle) * INNER
    inside = np.zeros((FACE_PX, FACE_PX), np.uint8)
    cv2.fillConvexPoly(inside, np.round(corners).astype(np.int32), 1)
    even = np.add.outer(np.arange(FACE_PX), np.arange(FACE_PX)) % 2 == 0
    return np.asarray(inside.astype(bool) & even)


def faces_of_prints(prints: Prints) -> Faces:
    """Return the faces of a taught box of squares, from its owner's photographs."""
    turned = [np.rot90(prints.faces, -turns, axes=(1, 2)) for turns in range(QUARTERS)]
    rows = shipped_embedding().numbers(np.ascontiguousarray(np.concatenate(turned)))
    looks = tuple(Look(tile, 0, turns) for turns in range(QUARTERS) for tile in prints.tiles)
    pictures = np.stack([shrunk(face) for face in prints.faces])
    return Faces(
        tuple((tile, 0) for tile in prints.tiles), pictures, looks, unit(rows[:, :PRINT_NUMBERS])
    )


@dataclass(frozen=True, eq=False)
class FaceSlopes:
    """Gradients of one look, without its rim."""

    across: Slopes
    """Gradients to the right and down, of norm 1, for the unturned picture at scale 1."""
    ways: Floats
    """Gradients as a row of norm 1 for each turn and scale."""

    @classmethod
    def of(cls, picture: Bgr) -> FaceSlopes:
        """Return the gradients of a picture."""
        rows = [
            _inner(slopes_of(_moved(picture, turn, scale)), (0, 0)).reshape(-1)
            for scale in SCALES
            for turn in TURNS_DEG
        ]
        ways = unit(np.stack(rows))
        middle = ways[len(rows) // 2].reshape(2, FACE_PX - 2 * RIM_PX, -1, 3)
        return cls(np.ascontiguousarray(middle), ways)

    def fit(self, patch: Slopes) -> tuple[float, tuple[int, int]]:
        """Return a patch's similarity to the look, and its shift; turn and scale come second."""
        near = slice(RIM_PX - MOST_SHIFT_PX, FACE_PX - RIM_PX + MOST_SHIFT_PX)
        fits = sum(
            cv2.matchTemplate(np.ascontiguousarray(part[near, near]), own, cv2.TM_CCORR)
            for part, own in zip(patch, self.across, strict=True)
        )
        y, x = np.unravel_index(int(np.argmax(fits)), np.shape(fits))
        shift = (int(x) - MOST_SHIFT_PX, int(y) - MOST_SHIFT_PX)
        inner = _inner(patch, shift).reshape(-1)
        length = float(np.linalg.norm(inner)) + LEAST_STEEP * np.sqrt(inner.size)
        return float((self.ways @ inner).max() / length), shift


def unit(rows: Floats) -> Floats:
    """Return the rows scaled to norm 1."""
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    return np.asarray(rows / lengths, np.float32)


def shrunk(patch: Bgr) -> Bgr:
    """Return a patch at the size of a face."""
    return np.asarray(cv2.resize(patch, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA), np.uint8)


def slopes_of(patch: Bgr) -> Slopes:
    """Return the gradients of a patch to the right and down, 2 x 32 x 32 x 3."""
    soft = cv2.GaussianBlur(shrunk(patch), (3, 3), BLUR_PX).astype(np.float32)
    slopes = np.zeros((2, *soft.shape), np.float32)
    slopes[0, :, 1:-1] = soft[:, 2:] - soft[:, :-2]
    slopes[1, 1:-1] = soft[2:] - soft[:-2]
    return slopes


def _inner(slopes: Slopes, shift: tuple[int, int]) -> Slopes:
    """Return gradients inside the rim, from a window shifted to the right and down."""
    (x, y), low, high = shift, RIM_PX, FACE_PX - RIM_PX
    return slopes[:, low + y : high + y, low + x : high + x]


def _moved(picture: Bgr, turn_deg: float, scale: float) -> Bgr:
    middle = ((FACE_PX - 1) / 2, (FACE_PX - 1) / 2)
    spin = cv2.getRotationMatrix2D(middle, turn_deg, scale)
    turned = cv2.warpAffine(
        np.ascontiguousarray(picture), spin, (FACE_PX, FACE_PX), borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(turned, np.uint8)
