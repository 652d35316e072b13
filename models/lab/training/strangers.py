"""Patches that are no tile of any box: collages of whatever lies on tables, and drawn scenes.

A collage is bands, bends, discs, frames, stripes, letters and dice on some ground. Bands and bends
are drawn as wide as a snake now and then, since what is a little like a tile teaches most. Scenes
are tables of other boxes, chessboards, puzzles and bare surfaces, cut where the detector believes
in tiles and anywhere else.
"""

from __future__ import annotations

import cv2
import numpy as np

from models.lab.scenes.settings import draw_settings
from models.lab.scenes.splits import Split, rng_of, surface_names
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.invented import SHAPES
from models.lab.scenes.world.noise import field, ramp, unit
from models.lab.scenes.world.surfaces import hsv, surface
from models.lab.training.samples import LARGE_PX, SAMPLE_PX, sample_of
from vision import Bgr
from vision.core.crop import Patches, cut
from vision.core.types import width_of
from vision.detect.detect import QUICK, detect_tiles

COLLAGE_PX = 512
CUT_OF_A_COLLAGE, CUT_OF_A_SCENE, CUT_OF_A_PICTURE = 10, 25, 40
FRAMED, TOKENS = 10, 8
"""Cards and tokens on a painted landscape that has any."""
PATTERNED = 0.6
"""Share with a pattern of the cards that show no landscape; the others are plain."""
MOCKS, MOCK_PX = 14, 96
"""Number of tile-like squares in a collage, and the size at which they are painted."""
SUBJECTS, SHARES = ("invented-square", "invented-hex", "nothing"), (0.45, 0.1, 0.45)
LARGE_SHARE = 0.4
SMALLEST_PX, LARGEST_PX = 16.0, 160.0
SQUARE = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
NATURAL = (35.0, 55.0, 95.0, 120.0, 200.0, 215.0, 28.0)
"""Hues of fields, woods, water, sky and earth."""
FAMILIES = (
    "wood",
    "parquet",
    "cloth",
    "gingham",
    "patterned",
    "felt",
    "laminate",
    "stone",
    "tiled",
)


def collage_patches(seed: int, split: Split = "train") -> tuple[Patches, Array]:
    """Return patches of one collage, and their widths."""
    rng = rng_of("collage", *_named(seed, split))
    bgr, outlines = _collage(rng, split)
    outlines += anywhere(bgr.shape, CUT_OF_A_COLLAGE, rng)
    return cut(bgr, outlines), np.array([width_of(o) for o in outlines])


def scene_patches(seed: int, split: Split = "train") -> tuple[Patches, Array]:
    """Return patches of one drawn scene without our tiles, and their widths."""
    rng = rng_of("stranger", *_named(seed, split))
    bgr = scene_picture(seed, rng, split)
    seen = detect_tiles(bgr, "square", settings=QUICK)
    outlines = [one.corners_px for one in (*seen.found, *seen.faint)]
    outlines += anywhere(bgr.shape, CUT_OF_A_SCENE, rng)
    return cut(bgr, outlines), np.array([width_of(o) for o in outlines])


def picture_patches(seed: int, split: Split = "train") -> tuple[Patches, Array]:
    """Return patches of painted landscapes, framed cards and tokens, and their widths."""
    rng = rng_of("picture", *_named(seed, split))
    bgr = _landscape(rng)
    outlines = []
    for _ in range(int(rng.integers(0, 2)) * FRAMED):
        outlines.append(_pasted(bgr, _framed(rng), rng))
    for _ in range(int(rng.integers(0, 2)) * TOKENS):
        outlines.append(_token(bgr, rng))
    outlines += anywhere(bgr.shape, CUT_OF_A_PICTURE, rng)
    bgr = _photographed(bgr, rng)
    return cut(bgr, outlines), np.array([width_of(o) for o in outlines])


def _named(seed: int, split: Split) -> tuple[object, ...]:
    """Return what names a draw of one split; another split never draws the same."""
    return (seed,) if split == "train" else (split, seed)


def scene_picture(seed: int, rng: Random, split: Split = "train") -> Bgr:
    """Return one drawn scene without our tiles."""
    subject = str(rng.choice(SUBJECTS, p=SHARES))
    size = LARGE_PX if rng.random() < LARGE_SHARE else SAMPLE_PX
    return np.asarray(sample_of(draw_settings(seed, split, subject, size), rng).bgr, np.uint8)


def anywhere(shape: tuple[int, ...], count: int, rng: Random) -> list[Array]:
    """Return squares of random size, turn and place, slightly askew."""
    out = []
    for _ in range(count):
        wide = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX))))
        turn = float(rng.uniform(0, 2 * np.pi))
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        corners = SQUARE @ spin * wide * np.array([1.0, rng.uniform(0.75, 1.0)])
        middle = [rng.uniform(wide / 2, max(end - wide / 2, wide)) for end in shape[1::-1]]
        out.append(corners + middle + rng.normal(0, 0.03 * wide, (4, 2)))
    return out


def _collage(rng: Random, split: Split = "train") -> tuple[Array, list[Array]]:
    """Return a picture of things, and the outlines of those that are much like tiles."""
    bgr = np.ascontiguousarray(_ground(rng, split))
    wide = float(np.exp(rng.uniform(np.log(24), np.log(120))))
    things = (_band, _bend, _disc, _frame, _stripes, _letters, _die)
    chosen = [things[int(k)] for k in rng.integers(len(things), size=int(rng.integers(1, 4)))]
    for _ in range(int(rng.integers(4, 40))):
        thing = chosen[int(rng.integers(len(chosen)))]
        thing(bgr, rng.uniform(0, COLLAGE_PX, 2), wide * float(rng.uniform(0.7, 1.4)), rng)
    mocks = [_mock(bgr, rng.uniform(60, COLLAGE_PX - 60, 2), rng) for _ in range(MOCKS)]
    return _photographed(bgr, rng), mocks


def _mock(bgr: Array, at: Array, rng: Random) -> Array:
    """Paint a square with a snake-like band, bend or thing on it, and return its outline."""
    tile = np.empty((MOCK_PX, MOCK_PX, 3), np.uint8)
    tile[:] = _colour(rng, pale=rng.random() < 0.7)
    if rng.random() < 0.5:
        rim = int(rng.integers(1, 8))
        cv2.rectangle(tile, (0, 0), (MOCK_PX, MOCK_PX), _colour(rng).tolist(), 2 * rim)
    wide = MOCK_PX * float(rng.uniform(0.12, 0.5))
    kind, middle = rng.random(), np.array([MOCK_PX / 2, MOCK_PX / 2])
    if kind < 0.35:
        ends = np.linspace(-0.1, 1.1, 14)[:, None] * MOCK_PX
        off = MOCK_PX * float(np.clip(rng.normal(0.5, 0.1), 0.1, 0.9))
        _stroke(tile, np.concatenate([ends, np.full_like(ends, off)], axis=1), wide, rng)
    elif kind < 0.6:
        angles = np.linspace(-0.2, np.pi / 2 + 0.2, 20)
        reach = MOCK_PX * float(np.clip(rng.normal(0.5, 0.1), 0.2, 0.9))
        _stroke(tile, np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach, wide, rng)
    elif kind < 0.9:
        (_disc, _letters, _stripes, _bend)[int(rng.integers(4))](tile, middle, MOCK_PX * 0.8, rng)
    size = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(110.0))))
    turn = float(rng.uniform(0, 2 * np.pi))
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    outline = SQUARE @ spin * size * np.array([1.0, rng.uniform(0.8, 1.0)]) + at
    return _laid_on(bgr, tile, outline, rng)


def _laid_on(bgr: Array, tile: Array, outline: Array, rng: Random) -> Array:
    """Lay a card on the picture, and return its outline as a detector finds it."""
    size = width_of(outline)
    corners = (SQUARE + 0.5).astype(np.float32) * MOCK_PX
    matrix = cv2.getPerspectiveTransform(corners, outline.astype(np.float32))
    cv2.warpPerspective(
        tile,
        matrix,
        (COLLAGE_PX, COLLAGE_PX),
        dst=bgr,
        flags=cv2.INTER_AREA,
        borderMode=cv2.BORDER_TRANSPARENT,
    )
    return np.asarray(outline + rng.normal(0, 0.02 * size, (4, 2)))


def _landscape(rng: Random) -> Array:
    """Return a painted picture: sky or ground in some colours, hills, growth, roads and rivers."""
    natural = rng.random() < 0.6
    hues = rng.choice(NATURAL, 3) + rng.normal(0, 12, 3) if natural else rng.uniform(0, 360, 3)
    colours = [hsv(h, rng.uniform(0.1, 0.9), rng.uniform(0.15, 1)) for h in hues]
    bumps = int(rng.integers(1, 14)), int(rng.integers(1, 14))
    rough = field(rng, COLLAGE_PX, bumps, 5, float(rng.uniform(0.3, 0.75)))
    bgr = np.ascontiguousarray(ramp(unit(rough), np.stack(colours)))
    for _ in range(int(rng.integers(0, 4))):
        # A hill hides what lies behind it.
        edge = field(rng, COLLAGE_PX, (int(rng.integers(1, 5)), 1), 3)[0] * rng.uniform(10, 60)
        below = np.arange(COLLAGE_PX)[:, None] > rng.uniform(0, COLLAGE_PX) + edge[None]
        bgr[below] = (_near(colours, rng) * (1 + 0.1 * rough[below][:, None])).clip(0, 255)
    for _ in range(int(rng.integers(0, 4))):
        across = np.linspace(-0.1, 1.1, 24) * COLLAGE_PX
        winding = field(rng, 24, (3, 1), 2)[0] * rng.uniform(5, 60) + rng.uniform(0, COLLAGE_PX)
        points = np.stack([across, winding], axis=1)
        _stroke(bgr, points if rng.random() < 0.5 else points[:, ::-1], rng.uniform(4, 50), rng)
    kinds = rng.choice(list(SHAPES), 3)
    for _ in range(int(rng.choice([0, 10, 40, 120]))):
        at, size = rng.uniform(0, COLLAGE_PX, 2), float(np.exp(rng.uniform(1.2, 3.6)))
        tone = _near(colours, rng) if rng.random() < 0.7 else _colour(rng)
        for part in SHAPES[str(kinds[int(rng.integers(3))])]:
            corners = np.round((part * size + at) * 16).astype(np.int32)
            cv2.fillPoly(bgr, [corners], tone.tolist(), cv2.LINE_AA, 4)
    return bgr


def _near(colours: list[Array], rng: Random) -> Array:
    """Return a tone like those of a picture."""
    return np.clip(colours[int(rng.integers(len(colours)))] * rng.uniform(0.5, 1.4), 0, 255)


def _framed(rng: Random) -> Array:
    """Return a card: a landscape, a pattern or a figure in a frame, with bars of text or none."""
    view = _landscape(rng) if rng.random() < 0.5 else None
    card = np.empty((MOCK_PX, MOCK_PX, 3), np.uint8)
    card[:] = _colour(rng, pale=rng.random() < 0.5)
    low, high = (int(k) for k in (rng.integers(2, 14), MOCK_PX - rng.integers(2, 14)))
    inner = high - low
    if view is not None:
        x, y = rng.integers(0, COLLAGE_PX - 200, 2)
        card[low:high, low:high] = cv2.resize(view[y : y + 200, x : x + 200], (inner, inner))
    elif rng.random() < PATTERNED:
        ys, xs = np.mgrid[0:inner, 0:inner] / MOCK_PX
        ways = rng.normal(0, 60, (int(rng.integers(1, 4)), 2))
        waves = sum(np.sin(xs * a + ys * b) for a, b in ways) / len(ways)
        card[low:high, low:high] = ramp(waves / 2 + 0.5, np.stack([_colour(rng), _colour(rng)]))
    middle = np.array([MOCK_PX / 2, MOCK_PX / 2])
    if rng.random() < 0.6:
        figure = (_disc, _letters, _bend, _band, _frame, _sign, _pawn)[int(rng.integers(7))]
        figure(card, middle + rng.normal(0, 8, 2), MOCK_PX * float(rng.uniform(0.3, 0.7)), rng)
    if view is not None and rng.random() < 0.5:
        # A road, a wall or a brook.
        _bend(card, rng.uniform(0, MOCK_PX, 2), MOCK_PX * float(rng.uniform(0.2, 0.7)), rng)
    if rng.random() < 0.3:
        bar = int(rng.integers(MOCK_PX // 2, MOCK_PX - 12))
        pale = _colour(rng, pale=True).tolist()
        cv2.rectangle(card, (low, bar), (high, bar + int(rng.integers(8, 30))), pale, -1)
    return card


def _pasted(bgr: Array, card: Array, rng: Random) -> Array:
    """Lay a card anywhere on the picture, and return its outline."""
    size = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(130.0))))
    turn = float(rng.uniform(0, 2 * np.pi))
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    long = float(rng.choice([1.0, rng.uniform(0.6, 1.0)]))
    at = rng.uniform(60, COLLAGE_PX - 60, 2)
    return _laid_on(bgr, card, SQUARE @ spin * size * np.array([1.0, long]) + at, rng)


def _token(bgr: Array, rng: Random) -> Array:
    """Paint a round token with a rim and a figure, and return the square around it."""
    size, at = float(np.exp(rng.uniform(2.9, 4.7))), rng.uniform(60, COLLAGE_PX - 60, 2)
    for share in (1.0, float(rng.uniform(0.7, 0.95))):
        box = ((float(at[0]), float(at[1])), (size * share, size * share), 0.0)
        cv2.ellipse(bgr, box, _colour(rng, pale=rng.random() < 0.4).tolist(), -1, cv2.LINE_AA)
    parts = SHAPES[str(rng.choice(list(SHAPES)))]
    ink = _colour(rng).tolist()
    for part in parts if rng.random() < 0.6 else ():
        corners = np.round((part * size * rng.uniform(0.15, 0.3) + at) * 16).astype(np.int32)
        cv2.fillPoly(bgr, [corners], ink, cv2.LINE_AA, 4)
    if rng.random() < 0.3:
        _letters(bgr, at, size * 0.5, rng)
    turn = float(rng.uniform(0, 2 * np.pi))
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(SQUARE @ spin * size * rng.uniform(0.7, 1.05) + at)


def _ground(rng: Random, split: Split) -> Array:
    if rng.random() < 0.35:
        family = FAMILIES[int(rng.integers(len(FAMILIES)))]
        names = surface_names(split, family)
        picture = surface(str(names[int(rng.integers(len(names)))])).bgr
        return cv2.resize(picture, (COLLAGE_PX, COLLAGE_PX), interpolation=cv2.INTER_AREA)
    ground = np.empty((COLLAGE_PX, COLLAGE_PX, 3))
    ground[:] = _colour(rng, pale=rng.random() < 0.5)
    if rng.random() < 0.5:
        ground *= 1 + rng.uniform(0.01, 0.2) * field(rng, COLLAGE_PX, (4, 4), 5)[..., None]
    return np.clip(ground, 0, 255).astype(np.uint8)


def _photographed(bgr: Array, rng: Random) -> Array:
    """Return the collage in some light, a little blurred, with noise."""
    light = 1 + rng.uniform(0, 0.3) * field(rng, COLLAGE_PX, (2, 2), 1)[..., None]
    gains = rng.normal(1, 0.06, 3) * rng.uniform(0.5, 1.25)
    out = cv2.GaussianBlur(bgr.astype(np.float32), (0, 0), float(rng.uniform(0.3, 2.0)))
    out = out * light * gains + rng.normal(0, rng.uniform(0.5, 5), bgr.shape)
    return np.clip(out, 0, 255).astype(np.uint8)


def _colour(rng: Random, *, pale: bool = False) -> Array:
    if pale:
        return hsv(rng.uniform(0, 360), rng.uniform(0, 0.25), rng.uniform(0.7, 1))
    return hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.1, 1))


def _stroke(bgr: Array, points: Array, wide: float, rng: Random) -> None:
    """Paint a band along points, with a rim and a pattern now and then."""
    line = np.round(points).astype(np.int32).reshape(-1, 1, 2)
    thick = max(2, round(wide))
    if rng.random() < 0.6:
        rim = max(2, round(wide * float(rng.uniform(0.1, 0.3))))
        cv2.polylines(bgr, [line], False, _colour(rng).tolist(), thick + rim, cv2.LINE_AA)
    cv2.polylines(bgr, [line], False, _colour(rng).tolist(), thick, cv2.LINE_AA)
    if rng.random() < 0.5:
        mark = _colour(rng).tolist()
        for x, y in points[:: max(1, len(points) // 5)]:
            cv2.circle(bgr, (int(x), int(y)), max(1, round(wide * 0.2)), mark, -1, cv2.LINE_AA)


def _band(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    turn = float(rng.uniform(0, np.pi))
    way = np.array([np.cos(turn), np.sin(turn)]) * unit * float(rng.uniform(0.6, 4))
    points = at + np.linspace(-0.5, 0.5, 20)[:, None] * way
    _stroke(bgr, points, unit * float(rng.uniform(0.15, 0.6)), rng)


def _bend(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    angles = np.linspace(0, float(rng.uniform(1, 4)), 24) + rng.uniform(0, 2 * np.pi)
    points = at + np.stack([np.cos(angles), np.sin(angles)], 1) * unit * float(rng.uniform(0.4, 1))
    _stroke(bgr, points, unit * float(rng.uniform(0.15, 0.5)), rng)


def _disc(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    for share in sorted(rng.uniform(0.1, 0.6, int(rng.integers(1, 4))), reverse=True):
        axes = (unit * share * 2, unit * share * 2 * float(rng.uniform(0.6, 1)))
        box = ((float(at[0]), float(at[1])), axes, float(rng.uniform(0, 180)))
        cv2.ellipse(bgr, box, _colour(rng).tolist(), -1, cv2.LINE_AA)


def _frame(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    """Paint a card with a rim, and perhaps something on it."""
    size = (unit, unit * float(rng.choice([1.0, rng.uniform(0.5, 1.6)])))
    turn = float(rng.uniform(0, 90))
    for share in (1.0, float(rng.uniform(0.75, 0.98))):
        box = ((float(at[0]), float(at[1])), (size[0] * share, size[1] * share), turn)
        corners = np.round(cv2.boxPoints(box)).astype(np.int32)
        cv2.fillPoly(bgr, [corners], _colour(rng, pale=rng.random() < 0.6).tolist(), cv2.LINE_AA)
    inner = (_disc, _band, _bend, _letters)
    if rng.random() < 0.8:
        inner[int(rng.integers(4))](bgr, at, unit * float(rng.uniform(0.4, 0.8)), rng)


def _stripes(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    turn = float(rng.uniform(0, np.pi))
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    ink, pitch = _colour(rng).tolist(), unit * float(rng.uniform(0.1, 0.8))
    for k in range(int(rng.integers(3, 9))):
        ends = at + across * pitch * k + np.array([[-1.0], [1.0]]) * along * unit * 1.5
        first, last = np.round(ends).astype(int).tolist()
        wide = max(1, round(pitch * float(rng.uniform(0.2, 0.7))))
        cv2.line(bgr, first, last, ink, wide, cv2.LINE_AA)


def _letters(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    text = "".join(rng.choice(list("ABCDEFGHKLMNOPRSTUXYZ0123456789+-"), int(rng.integers(1, 7))))
    size = unit / 22 * float(rng.uniform(0.3, 1))
    cv2.putText(
        bgr,
        text,
        (int(at[0] - unit / 2), int(at[1])),
        cv2.FONT_HERSHEY_SIMPLEX,
        size,
        _colour(rng).tolist(),
        max(1, round(size * 2.5)),
        cv2.LINE_AA,
    )


def _sign(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    """Paint strokes as of a brush, in one ink or two, as on tiles of other games."""
    inks = [_colour(rng).tolist() for _ in range(int(rng.integers(1, 3)))]
    for _ in range(int(rng.integers(3, 12))):
        first = at + rng.uniform(-0.5, 0.5, 2) * unit
        bent = first + rng.normal(0, 0.25, 2) * unit
        last = bent + rng.normal(0, 0.25, 2) * unit * (rng.random() < 0.4)
        line = np.round([first, bent, last]).astype(np.int32).reshape(-1, 1, 2)
        thick = max(1, round(unit * float(rng.uniform(0.03, 0.13))))
        cv2.polylines(bgr, [line], False, inks[int(rng.integers(len(inks)))], thick, cv2.LINE_AA)


def _pawn(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    """Paint a pawn of one colour, its lit side and its dark one, with its shadow."""
    ink, size = _colour(rng), unit * float(rng.uniform(0.2, 0.4))
    lean = rng.normal(0, 0.4, 2) * size
    for share, shift in ((0.25, 0.35), (0.6, 0.15), (1.0, 0.0)):
        body = np.concatenate([SQUARE, rng.normal(0, 0.5, (4, 2))]) * size + at + shift * lean
        hull = cv2.convexHull(np.round(body * 16).astype(np.int32))
        cv2.fillPoly(bgr, [hull], (ink * share).tolist(), cv2.LINE_AA, 4)


def _die(bgr: Array, at: Array, unit: float, rng: Random) -> None:
    box = ((float(at[0]), float(at[1])), (unit, unit), float(rng.uniform(0, 90)))
    corners = cv2.boxPoints(box)
    cv2.fillPoly(bgr, [np.round(corners).astype(np.int32)], _colour(rng, pale=True).tolist())
    ink = _colour(rng).tolist()
    for u, v in rng.choice([0.25, 0.5, 0.75], (int(rng.integers(1, 7)), 2)):
        x, y = corners[0] + u * (corners[1] - corners[0]) + v * (corners[3] - corners[0])
        cv2.circle(bgr, (int(x), int(y)), max(1, round(unit * 0.09)), ink, -1, cv2.LINE_AA)
