"""The settings of a scene, drawn from a seed before any pixel is painted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from models.lab.scenes.splits import (
    SURFACE_FAMILIES,
    Split,
    invented_names,
    light_names,
    photographed_surfaces,
    rng_of,
    surface_names,
)
from models.lab.scenes.world.arrays import Random, three

SQUARE_GAMES = ("schlangennest", "sssnake", "carnival")
HEX_GAMES = ("snekagon", "snekagon5g")
GAMES = (*SQUARE_GAMES, *HEX_GAMES)
INVENTED = ("invented-square", "invented-hex")
NOTHING = "nothing"
"""The subject of scenes without any tile: chessboards, gingham, floors, printed grids."""
SUBJECTS = (*GAMES, *INVENTED, NOTHING)
Beside = Literal["far", "close"]
"""How near stocks and hands lie to the layout, and fields to each other."""
BESIDE: tuple[Beside, ...] = get_args(Beside)
CLOSE_FILL = 0.8
"""Factor on the camera's fill in close scenes, so that stocks and hands are in view too."""

HEIGHT_MM = (400.0, 1200.0)
ELEVATION_DEG = (45.0, 90.0)
SHIFT_MM = 3.0
TURN_DEG = 5.0
KELVIN = (2700.0, 6500.0)
CORNER_SHIFT = (-0.16, 0.07)
"""Range of the corner's shift by lens distortion, as a share; below 0 is barrel distortion."""
SIZES_PX = (
    (640, 480),
    (800, 600),
    (1024, 768),
    (1280, 720),
    (1280, 960),
    (1600, 1200),
    (1920, 1080),
    (2592, 1944),
    (3280, 2464),
    (4032, 3024),
)
SIZE_SHARES = (0.08, 0.08, 0.1, 0.26, 0.1, 0.08, 0.18, 0.05, 0.04, 0.03)
SQUARE_SIZES_MM = (35.0, 45.0, 65.0)
HEX_SIZES_MM = (15.0, 18.0, 28.0)
"""Smallest, usual and largest print; boards with cells of about 18 mm fit a sheet of paper."""
SEEDS_A_SET = 6
CUT_SHARE = 0.025
"""Share of scenes in which the picture's edge cuts the layout, which readers must report."""
FOUL_SHARE = 0.1
PHOTO_SHARE = 0.25
"""Share of scenes on a photographed surface, where photographs are available."""
NEGATIVES = ("chessboard", "chessmen", "gingham", "tiled", "grid-paper", "puzzle-page", "bare")
LIGHT_RANGES = {
    "window": ((18, 50), (0.3, 0.6), (0.4, 1.2), (0.2, 0.9)),
    "lamp": ((35, 75), (0.2, 0.5), (0.1, 0.5), (0.2, 1.0)),
    "ceiling": ((60, 88), (0.4, 0.7), (0.2, 0.8), (0.0, 0.3)),
    "overcast": ((50, 85), (0.7, 0.95), (1.0, 2.0), (0.0, 0.3)),
    "spot": ((25, 70), (0.12, 0.35), (0.02, 0.1), (0.3, 1.2)),
    "two-lamps": ((30, 75), (0.3, 0.5), (0.1, 0.4), (0.1, 0.6)),
}
"""By family: elevation in degrees, ambient share, softness and unevenness."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Where the camera hangs and what its lens does."""

    size_px: tuple[int, int]
    height_mm: float
    elevation_deg: float
    azimuth_deg: float
    roll_deg: float
    fill: float
    """Share of the picture that the layout takes; above 1 part of the layout is cut off."""
    aim: tuple[float, float]
    """Offset of the aim from the layout's middle, as shares of the layout's size."""
    corner_shift: float
    tangential: float


@dataclass(frozen=True, slots=True)
class CardSettings:
    """How the tiles are made and how carefully they lie."""

    size_mm: float
    """Side of a square, or width of a hex cell, as printed; invented sets bring their own."""
    thickness_mm: float
    gap_mm: float
    shift_mm: float
    """Largest distance of a tile from its place."""
    turn_deg: float
    """Largest rotation of a tile against the lattice."""
    drift_mm: float
    """Largest drift of the lattice from a regular one, over the whole layout."""
    gloss: float
    wear: float
    bend_deg: float
    side: tuple[int, int, int]
    """Colour of the cut edge, blue, green, red."""


@dataclass(frozen=True, slots=True)
class PrintSettings:
    """What the printer did to the faces."""

    pale: float
    """Paleness of the print: 0 as drawn, 1 white."""
    streaks: float
    gains: tuple[float, float, float]
    contrast: float


@dataclass(frozen=True, slots=True)
class LightSettings:
    """One room's light; everything but the level follows from its name."""

    name: str
    kelvin: float
    azimuth_deg: float
    elevation_deg: float
    ambient: float
    """Share of the light that comes from all directions and throws no shadow."""
    softness: float
    """Width of a shadow's edge as a share of the height that throws it."""
    unevenness: float
    glare: float
    glare_size: float
    level: float
    """Exposure of the picture: 1 is right, below 0.5 dim."""


@dataclass(frozen=True, slots=True)
class SensorSettings:
    """What the camera does to the light."""

    noise: float
    blur_px: float
    motion_px: float
    motion_deg: float
    white_balance: float
    """Share of the light's colour cast that white balance removes."""
    balance_error: tuple[float, float, float]
    vignette: float
    contrast: float
    saturation: float
    sharpen: float
    jpeg_quality: int


@dataclass(frozen=True, slots=True)
class SurfaceSettings:
    """The table top and the floor around it."""

    name: str
    floor: str
    scale: float
    turn_deg: float
    shift_mm: tuple[float, float]
    tint: tuple[float, float, float]
    table_mm: tuple[float, float]
    """Width and depth of the table; beyond is the floor."""
    table_turn_deg: float


@dataclass(frozen=True, slots=True)
class ClutterSettings:
    """Things on the table besides the layout."""

    stocks: bool
    stock_spread: bool
    """Whether stocks lie in rows side by side instead of in piles."""
    draw_pile: bool
    discard: bool
    tokens: int
    hands: int
    cups: int
    phones: int
    dice: int
    rulebook: bool
    plain_squares: int


NO_CLUTTER = ClutterSettings(False, False, False, False, 0, 0, 0, 0, 0, False, 0)


@dataclass(frozen=True, slots=True)
class SceneSettings:
    """Everything about one scene."""

    seed: int
    split: Split
    subject: str
    set_name: str
    negative: str
    """Kind of a scene without tiles, from ``NEGATIVES``, or empty."""
    fullness: float
    """Progress of the game, 0 to 1."""
    play: str
    """Manner of play: ``random`` or ``greedy``."""
    foul: bool
    camera: CameraSettings
    cards: CardSettings
    print: PrintSettings
    light: LightSettings
    sensor: SensorSettings
    surface: SurfaceSettings
    clutter: ClutterSettings
    beside: Beside = "far"


def draw_settings(
    seed: int,
    split: Split,
    subject: str,
    size_px: tuple[int, int] | None = None,
    beside: Beside = "far",
) -> SceneSettings:
    """Return one scene's settings: the same for the same seed, split, subject and ``beside``."""
    if subject not in SUBJECTS:
        raise ValueError(f"{subject!r} is no subject of a scene; these are: {', '.join(SUBJECTS)}")
    rng = rng_of("scene", split, subject, seed)
    negative = str(rng.choice(NEGATIVES)) if subject == NOTHING else ""
    set_name = subject
    if subject in INVENTED:
        shape: Any = subject.rpartition("-")[2]
        # Neighbouring seeds share a set: inventing one takes as long as painting a scene.
        names = rng_of("set", split, subject, seed // SEEDS_A_SET)
        set_name = str(names.choice(invented_names(split, shape)))
    settings = SceneSettings(
        seed,
        split,
        subject,
        set_name,
        negative,
        fullness=float(rng.choice([rng.random(), rng.beta(4, 1)])),
        play=str(rng.choice(["random", "greedy"])),
        foul=bool(rng.random() < FOUL_SHARE),
        camera=_camera(rng, size_px, subject),
        cards=_cards(rng, subject),
        print=_print(rng),
        light=draw_light(rng, str(rng.choice(light_names(split)))),
        sensor=_sensor(rng),
        surface=_surface(rng, split, negative),
        clutter=_clutter(rng, subject),
        beside=beside,
    )
    if beside == "far":
        return settings
    camera = settings.camera
    return replace(settings, camera=replace(camera, fill=camera.fill * CLOSE_FILL))


def without_disturbance(settings: SceneSettings) -> SceneSettings:
    """Return the same table without clutter, glare, dim light, noise and blur, fully in view."""
    return replace(
        settings,
        clutter=NO_CLUTTER,
        light=replace(settings.light, glare=0.0, level=1.0),
        sensor=replace(settings.sensor, noise=0.2, blur_px=0.3, motion_px=0.0, jpeg_quality=95),
        camera=replace(settings.camera, fill=0.75, aim=(0.0, 0.0)),
    )


def _between(rng: Random, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _sometimes(rng: Random, share: float, low: float, high: float) -> float:
    """Return a value of the range with probability ``share``, else 0."""
    value = float(rng.uniform(low, high))
    return value if rng.random() < share else 0.0


def _camera(rng: Random, size_px: tuple[int, int] | None, subject: str) -> CameraSettings:
    shares = np.array(SIZE_SHARES)
    if subject == "snekagon5g":
        # Up to five boards in one picture need more pixels, so high resolutions are likelier.
        shares = shares * np.array([0.2, 0.3, 0.5, 0.6, 1, 1.5, 2.5, 2, 2, 2])
    width, height = SIZES_PX[int(rng.choice(len(SIZES_PX), p=shares / shares.sum()))]
    upright = rng.random() < 0.12
    # Drawn even if a size is given, so that a seed gives the same table at any size.
    size_px = size_px or ((height, width) if upright else (width, height))
    level = rng.random()
    elevation = 90.0 if level < 0.1 else _between(rng, *ELEVATION_DEG)
    cut = rng.random() < CUT_SHARE
    return CameraSettings(
        size_px,
        _between(rng, *HEIGHT_MM),
        elevation,
        _between(rng, 0, 360),
        float(np.clip(rng.normal(0, 1.5), -5, 5)),
        _between(rng, 1.05, 1.4) if cut else _between(rng, 0.6, 0.98),
        (float(rng.normal(0, 0.06)), float(rng.normal(0, 0.06))),
        _between(rng, *CORNER_SHIFT) if rng.random() < 0.8 else 0.0,
        float(rng.normal(0, 0.0006)),
    )


def _cards(rng: Random, subject: str) -> CardSettings:
    care = float(rng.beta(1, 1.6))
    thickness = float(rng.choice([_between(rng, 0.25, 0.6), _between(rng, 1.2, 2.6), 2.0]))
    side = rng.choice(
        [np.full(3, _between(rng, 170, 240)), np.array([120.0, 160, 190]), np.array([60.0, 60, 60])]
    )
    small, usual, large = HEX_SIZES_MM if subject in HEX_GAMES else SQUARE_SIZES_MM
    return CardSettings(
        float(rng.choice([usual, _between(rng, small, large)], p=[0.6, 0.4])),
        thickness,
        float(rng.choice([0.0, _between(rng, 0, 1.0), _between(rng, 0.5, 3)])),
        SHIFT_MM * care,
        TURN_DEG * min(1.0, care * _between(rng, 0.5, 1.5)),
        _sometimes(rng, 0.25, 1, 8),
        float(rng.choice([_between(rng, 0, 0.25), _between(rng, 0.2, 1)])),
        float(rng.choice([0.0, rng.beta(1.2, 2)])),
        float(rng.choice([0.3, _between(rng, 0, 4)])),
        (int(side[0]), int(side[1]), int(side[2])),
    )


def _print(rng: Random) -> PrintSettings:
    poor = rng.random() < 0.35
    off = rng.normal(0, 0.09 if poor else 0.02, 3)
    return PrintSettings(
        _between(rng, 0, 0.38) if poor else _between(rng, 0, 0.06),
        _sometimes(rng, 0.5, 0.1, 1.0) if poor else 0.0,
        three(1 + off),
        _between(rng, 0.75, 1.1) if poor else _between(rng, 0.95, 1.05),
    )


def draw_light(rng: Random, name: str) -> LightSettings:
    """Return the light of a name; only its level is drawn from ``rng``."""
    own = rng_of("light", name)
    family = name.rpartition("-")[0]
    elevation, ambient, soft, uneven = LIGHT_RANGES[family]
    kelvin = KELVIN[0] + (KELVIN[1] - KELVIN[0]) * float(own.random())
    glare = float(own.random() < 0.4) * _between(own, 0.3, 1.2)
    level = float(rng.choice([_between(rng, 0.8, 1.25), _between(rng, 0.28, 0.8)], p=[0.75, 0.25]))
    return LightSettings(
        name,
        kelvin,
        _between(own, 0, 360),
        _between(own, *elevation),
        _between(own, *ambient),
        _between(own, *soft),
        _between(own, *uneven),
        glare,
        _between(own, 0.04, 0.3),
        level,
    )


def _sensor(rng: Random) -> SensorSettings:
    error = rng.normal(0, 0.05 if rng.random() < 0.3 else 0.015, 3)
    return SensorSettings(
        float(rng.choice([_between(rng, 0.1, 0.6), _between(rng, 0.4, 2.2)])),
        float(rng.choice([_between(rng, 0.2, 0.8), _between(rng, 0.6, 1.7)], p=[0.75, 0.25])),
        _sometimes(rng, 0.15, 1.0, 4.0),
        _between(rng, 0, 180),
        float(rng.choice([_between(rng, 0.8, 1.0), _between(rng, 0.3, 0.85)], p=[0.7, 0.3])),
        three(1 + error),
        _between(rng, 0, 0.4),
        _between(rng, 0, 0.45),
        _between(rng, 0.8, 1.3),
        _sometimes(rng, 0.6, 0.1, 0.9),
        int(rng.integers(55, 97)),
    )


def _surface(rng: Random, split: Split, negative: str) -> SurfaceSettings:
    photos = photographed_surfaces(split)
    family = str(rng.choice(list(SURFACE_FAMILIES), p=list(SURFACE_FAMILIES.values())))
    if negative in ("gingham", "tiled"):
        family = negative
    name = str(rng.choice(surface_names(split, family)))
    by_photo = rng.random() < PHOTO_SHARE
    if photos and by_photo and negative not in ("gingham", "tiled"):
        name = photos[int(rng.integers(len(photos)))][0]
    tint = 1 + rng.normal(0, 0.08, 3)
    floor = str(rng.choice(("wood", "parquet", "stone", "tiled", "laminate", "cloth")))
    return SurfaceSettings(
        name,
        str(rng.choice(surface_names(split, floor))),
        _between(rng, 0.7, 1.6),
        _between(rng, 0, 360),
        (_between(rng, 0, 800), _between(rng, 0, 800)),
        three(tint),
        (_between(rng, 1100, 2600), _between(rng, 800, 1500)),
        float(rng.normal(0, 4)) + 90.0 * int(rng.integers(4)),
    )


def _clutter(rng: Random, subject: str) -> ClutterSettings:
    tidy = rng.random() < 0.25
    share = 0.0 if tidy else 1.0
    some = rng.random(11)
    return ClutterSettings(
        stocks=bool(some[0] < 0.6 * share),
        stock_spread=bool(some[1] < 0.4),
        draw_pile=bool(some[2] < 0.35 * share),
        discard=bool(some[3] < 0.25 * share),
        tokens=int(rng.integers(1, 6)) if subject == "carnival" and some[4] < 0.5 * share else 0,
        hands=int(rng.choice([1, 2], p=[0.75, 0.25])) if some[5] < 0.25 * share else 0,
        cups=int(rng.choice([1, 2])) if some[6] < 0.3 * share else 0,
        phones=int(some[7] < 0.2 * share),
        dice=int(rng.integers(1, 4)) if some[8] < 0.2 * share else 0,
        rulebook=bool(some[9] < 0.2 * share),
        plain_squares=int(rng.integers(1, 4)) if some[10] < 0.12 * share else 0,
    )
