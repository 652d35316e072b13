"""Reads a table from one picture: a pipeline of small stages, each timed.

detect -> lattice -> crop, classify -> reconstruct -> quality. Hex games on their printed boards
have stages of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter

import numpy as np

from calibration.profile import Profile
from vision.classify.evidence import in_company
from vision.classify.reader import Reader
from vision.classify.reading import CellReading
from vision.classify.taught import reader_of
from vision.classify.taught_looks import TaughtReader
from vision.classify.taught_tiles import read_taught, with_own_tiles
from vision.core.crop import cut
from vision.core.files import alone
from vision.core.ground import Ground
from vision.core.lattice import fit_lattices
from vision.core.request import ReadRequest, expected_wide_px, in_white_light
from vision.core.stages import shown
from vision.core.tables import ClayEntry, TableState, TileEntry
from vision.core.types import (
    TOLD,
    UNKNOWN_TILE,
    Advice,
    Bgr,
    Detection,
    Detections,
    LatticeFit,
    Quality,
    width_of,
)
from vision.detect.detect import DEFAULT, QUICK, detect_tiles, few_tiles
from vision.detect.loose_hexes import reconstruct_hexes
from vision.detect.network import shipped_network
from vision.intake.picture import Picture
from vision.layout.around import Sight
from vision.layout.candidates import cards_only, distinct, known_only, with_faint
from vision.layout.quality import TEXTS, Limits, assess, tile_trouble
from vision.layout.reconstruct import Reconstruction, reconstruct, reconstruct_unknown
from vision.layout.unread import (
    Visible,
    another_box,
    burnt_outlines,
    unread,
    visible_unread,
)
from vision.layout.whole_bigs import with_whole_bigs

__all__ = ["AnyReader", "Stages", "read_table", "stages_for"]

FINER_BELOW_PX = 30.0
"""Below this median tile width a picture that was decoded at reduced size is decoded in full."""

LIMITS = Limits(lost=0.15, measured_short=0.95, told_px=27.0, poorly_told_px=30.0)
"""Limits for square cards. ``lost``: with more cards cut off or covered, the rest is no usable
table. ``measured_short``: outlines at the far end of a steep view are measured up to 10 % too small
and made exact tables count as small. ``told_px``, ``poorly_told_px``: other outlines are measured
up to 2.6 pixels too wide, so tiles of 24 pixels must still be reported as small."""

LOOKS = frozenset({"blur", "dark", "glare"})
UNSURE_SHARE = 0.08
"""A blurred, dark or glaring picture with a larger share of unsure cards is not good enough: in all
three of 1,500 drawn tables above this share, other cards were wrong or missing."""


Detect = Callable[[Bgr, ReadRequest], Detections]
AnyReader = Reader | TaughtReader
ReadCells = Callable[
    [Bgr, Sequence[Detection], AnyReader | None, Profile | None], Sequence[CellReading]
]


@dataclass
class Timings:
    """Wall time of each stage, in milliseconds."""

    ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time that the ``with`` block takes to a stage."""
        began = perf_counter()
        yield
        self.ms[name] = self.ms.get(name, 0.0) + (perf_counter() - began) * 1000


@dataclass(frozen=True)
class Stages:
    """The exchangeable stages of the pipeline; tests and evaluation pass their own."""

    detect: Detect
    reader: AnyReader | None
    """``None`` when the request names no box."""
    cells: ReadCells | None = None
    """Reads the outlines, for instance from a cache; ``None`` classifies every outline."""


def read_table(
    picture: Picture | Bgr, request: ReadRequest, stages: Stages | None = None
) -> TableState:
    """Return what lies on the table; outlines are in pixels of the whole upright picture.

    Raises:
        ModelError: there is no trained model for the box.
    """
    if isinstance(picture, np.ndarray):
        picture = Picture(picture, (picture.shape[1], picture.shape[0]))
    with alone():
        shown("picture", picture.bgr)
        if request.shape == "hex" and request.game is not None:
            return _read_hexes(picture, request)
        return _read_squares(picture, request, stages or stages_for(request))


def _read_squares(picture: Picture, request: ReadRequest, stages: Stages) -> TableState:
    """Read square tiles, or hexes that lie on no board."""
    timings = Timings()
    with timings.stage("detect"):
        detections = stages.detect(picture.bgr, request)
    if picture.scale > 1 and _narrow(detections, FINER_BELOW_PX):
        with timings.stage("decode"):
            finer = picture.finer()
        detections = _moved(detections, picture, finer)
        picture = finer
        shown("picture", picture.bgr)
    shown("detect", detections)
    with timings.stage("classify"):
        detections = distinct(detections)
        read = stages.cells or read_cells
        readings = read(picture.bgr, detections.found, stages.reader, request.profile)
        shown("classify", (detections, readings))
        first = detections.found, readings
        # A taught box may be the other box in another print: it is asked only if nothing is read.
        taught = isinstance(stages.reader, TaughtReader)
        other = None if taught else _other_box(picture.bgr, *first, request)
        if other is not None and other.looks_like is not None:
            readings = [CellReading((), UNKNOWN_TILE)] * len(readings)
        else:
            detections, readings = _with_overlooked(
                picture.bgr, detections, readings, stages.reader, request
            )
    with timings.stage("lattice"):
        every = detections.found
        ground = Ground(picture.bgr, [one.corners_px for one in every])
        if request.is_loose and not taught:
            detections, readings = cards_only(detections, readings, ground)
        fits = _fits(detections, request)
    with timings.stage("reconstruct"):
        sight = _sight(picture.bgr, ground, every, detections.found, stages.reader, request)
        table = _table(detections, fits, readings, request, sight)
        shown("layout", table)
    with timings.stage("quality"):
        known = any(one.is_whole(TOLD) for one in readings)
        state = _state(picture, table, request, replace(detections, found=every), known=known)
        if taught and not state.tiles:
            other = _other_box(picture.bgr, *first, request)
        state = _advised(state, other)
    return replace(state, timings_ms=timings.ms)


def _advised(state: TableState, advice: Advice | None) -> TableState:
    """Return a table state with the advice about another box, if no tile was read."""
    if advice is None or state.tiles:
        return state
    return replace(state, quality=replace(state.quality, advice=(*state.quality.advice, advice)))


def _table(
    detections: Detections,
    fits: Sequence[LatticeFit],
    readings: Sequence[CellReading],
    request: ReadRequest,
    sight: Sight | None,
) -> Reconstruction:
    """Return the reconstructed table; the method depends on the box and its tile shape."""
    if request.tile_set is None:
        return reconstruct_unknown(detections, fits)
    if request.shape == "hex":
        return reconstruct_hexes(detections, fits, readings, request.tile_set)
    return reconstruct(detections, fits, readings, request.tile_set, sight)


def _other_box(
    bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading], request: ReadRequest
) -> Advice | None:
    """Return advice if the outlines show tiles of another box, or of none that is known."""
    if request.tile_set is None or request.shape != "square":
        return None
    return another_box(bgr, found, readings, request.tile_set)


def _with_overlooked(
    bgr: Bgr,
    detections: Detections,
    readings: Sequence[CellReading],
    reader: AnyReader | None,
    request: ReadRequest,
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines and readings with tiles added that the detector missed.

    Args:
        bgr: the picture.
        detections: the outlines.
        readings: what each of them shows.
        reader: the reader of the box.
        request: what was asked for; with a fixed grid no tile can be missed.
    """
    if request.grid is not None or reader is None or request.tile_set is None:
        return detections, readings
    if isinstance(reader, TaughtReader):
        readings = _in_company(readings, reader)
        look = partial(read_cells, bgr, reader=reader, profile=request.profile)
        ground = Ground(bgr, [one.corners_px for one in detections.found])
        bare = replace(reader, evidence=None)
        glance = partial(read_cells, bgr, reader=bare, profile=request.profile)
        found, said = with_own_tiles(detections, readings, look, glance, ground)
        if said is not readings:
            said = _in_company(said, reader)
        return known_only(bgr, found, said)
    if request.shape != "square":
        return detections, readings
    look = partial(read_cells, bgr, reader=reader, profile=request.profile)
    return with_whole_bigs(*with_faint(detections, readings, look), request.tile_set, look)


def _in_company(readings: Sequence[CellReading], reader: TaughtReader) -> Sequence[CellReading]:
    """Return the readings of one picture, less sure if most of its outlines are strangers."""
    if reader.evidence is None:
        return readings
    return in_company(readings, reader.evidence.share)


def _sight(
    bgr: Bgr,
    ground: Ground,
    every: Sequence[Detection],
    cards: Sequence[Detection],
    reader: AnyReader | None,
    request: ReadRequest,
) -> Sight | None:
    """Return what a second look for cards needs; ``None`` unless the request is loose."""
    if not request.is_loose:
        return None
    kept = set(cards)
    doubtful = tuple(one.centre_px for one in every if one not in kept)
    # The paper of a taught box is unknown, so its reader could take bare table for a tile.
    known = None if isinstance(reader, TaughtReader) else reader
    look = partial(read_cells, bgr, reader=known, profile=request.profile)
    return Sight(ground.beside([card.corners_px for card in cards]), look, doubtful)


def stages_for(request: ReadRequest) -> Stages:
    """Return the stages that the repository ships."""
    reader = None if request.tile_set is None else reader_of(request.tile_set)
    return Stages(_detect, reader)


def read_cells(
    bgr: Bgr, found: Sequence[Detection], reader: AnyReader | None, profile: Profile | None = None
) -> Sequence[CellReading]:
    """Return what each outline shows, in white light where the profile knows white."""
    if reader is None:
        return [CellReading(())] * len(found)
    lit = partial(in_white_light, profile=profile)
    if isinstance(reader, TaughtReader):
        return read_taught(bgr, found, reader, lit)
    patches = lit(cut(bgr, [detection.corners_px for detection in found]))
    return reader.read(patches, [detection.across_px for detection in found])


def _detect(bgr: Bgr, request: ReadRequest) -> Detections:
    if request.grid is not None:
        return grid_detections((bgr.shape[1], bgr.shape[0]), request.grid)
    wide = None
    if request.profile is not None:
        wide = expected_wide_px(request, request.profile.size_px[0] / bgr.shape[1])
    own = request.set_name is not None and request.set_name == request.game
    settings = QUICK if own else DEFAULT
    found = detect_tiles(bgr, request.shape, settings=settings, wide_px=wide)
    if found.found or request.shape != "square" or request.tile_set is not None:
        return found
    return few_tiles(bgr, shipped_network())


def grid_detections(size_px: tuple[int, int], grid: tuple[int, int]) -> Detections:
    """Return the squares of a picture that is one grid of columns and rows."""
    columns, rows = grid
    step = np.array([size_px[0] / columns, size_px[1] / rows])
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    found = tuple(
        Detection((unit + np.array([x, y])) * step - 0.5, 1.0)
        for y in range(rows)
        for x in range(columns)
    )
    return Detections(size_px, "square", found)


def _fits(detections: Detections, request: ReadRequest) -> list[LatticeFit]:
    if request.grid is None:
        return fit_lattices(detections)
    columns, rows = request.grid
    cells = {(x, y): y * columns + x for y in range(rows) for x in range(columns)}
    width, height = detections.size_px
    matrix = np.array(
        [
            [width / columns, 0, width / columns / 2 - 0.5],
            [0, height / rows, height / rows / 2 - 0.5],
            [0, 0, 1],
        ]
    )
    return [LatticeFit(cells, matrix, 0.0)]


def _narrow(detections: Detections, below_px: float) -> bool:
    """Say whether the median tile width is below ``below_px``."""
    widths = [detection.across_px for detection in detections.found]
    return bool(widths) and float(np.median(widths)) < below_px


def _moved(detections: Detections, coarse: Picture, finer: Picture) -> Detections:
    """Return the outlines converted to pixels of a finer copy of the picture."""
    found, faint = (
        tuple(replace(d, corners_px=finer.own_px(coarse.whole_px(d.corners_px))) for d in some)
        for some in (detections.found, detections.faint)
    )
    return Detections((finer.bgr.shape[1], finer.bgr.shape[0]), detections.shape, found, faint)


def _state(
    picture: Picture, table: Reconstruction, request: ReadRequest, every: Detections, *, known: bool
) -> TableState:
    """Return the table state, with the quality of the picture.

    Args:
        picture: the picture that was read.
        table: what was read.
        request: what was asked for.
        every: all outlines, whether cards or not.
        known: whether any outline surely shows a card of the box.
    """
    seen = Visible.of(table, (picture.bgr.shape[1], picture.bgr.shape[0]))
    if request.tile_set is not None and request.grid is None:
        if table.laid:
            seen = replace(seen, burnt=burnt_outlines(picture.bgr, unread(seen, every)))
        else:
            seen = visible_unread(picture.bgr, seen, every, picture.scale, known=known)
    cut_read = sum(card.cut_off and card.is_read(TOLD) for card in table.laid)
    quality = assess(
        picture.bgr,
        seen.whole,
        scale=picture.scale,
        cut_off=seen.cut_off,
        covered=seen.covered,
        limits=LIMITS,
        cut_read=cut_read,
        burnt=seen.burnt,
        beside=seen.beside,
    )
    quality = _judged(quality, table, burnt=bool(seen.burnt))
    unsure = tuple(_explained(entry, picture) for entry in table.unsure)
    state = TableState(
        picture.size_px,
        table.tiles,
        unsure,
        table.aside,
        quality=quality,
        game=request.game,
        set_name=request.set_name,
    )
    return _whole(state, picture)


def _judged(quality: Quality, table: Reconstruction, *, burnt: bool) -> Quality:
    """Return the quality of a blurred, dark or glaring picture, judged by its cards' confidence.

    Such a picture is good enough if no card is unsure, and not if many are.
    """
    troubles = {one.what for one in quality.advice if one.text != TEXTS["hardly"]}
    if not quality.ok and not burnt and troubles <= LOOKS:
        return replace(quality, ok=bool(table.laid) and not table.unsure)
    if quality.ok and troubles & LOOKS and len(table.unsure) > UNSURE_SHARE * len(table.laid):
        return replace(quality, ok=False)
    return quality


def _explained(entry: TileEntry, picture: Picture) -> TileEntry:
    """Return an unsure entry with the reason: what is wrong with the picture at its outline."""
    if entry.why != UNKNOWN_TILE:
        return entry
    trouble = tile_trouble(picture.bgr, np.asarray(entry.outline), scale=picture.scale)
    return replace(entry, why=trouble or UNKNOWN_TILE)


def _whole(state: TableState, picture: Picture) -> TableState:
    """Return a table state with its places in pixels of the full-size picture."""
    if picture.scale == 1:
        return state
    tiles, unsure, aside = (
        tuple(
            replace(entry, outline=picture.whole_px(np.asarray(entry.outline)))
            for entry in some
            if isinstance(entry, TileEntry)
        )
        for some in (state.tiles, state.unsure, state.aside)
    )
    clay = tuple(
        replace(one, centre=picture.whole_px(np.asarray(one.centre)).tolist())
        for one in state.clay
        if isinstance(one, ClayEntry)
    )
    return replace(
        state, size_px=picture.size_px, tiles=tiles, unsure=unsure, aside=aside, clay=clay
    )


def _read_hexes(picture: Picture, request: ReadRequest) -> TableState:
    from vision.hexes.read import read_hex_table

    assert request.tile_set is not None and request.game is not None
    state = read_hex_table(picture.bgr, request.tile_set, request.game, scale=picture.scale)
    if picture.scale > 1 and _narrowest_cell_px(state) < FINER_BELOW_PX:
        picture = picture.finer()
        shown("picture", picture.bgr)
        state = read_hex_table(picture.bgr, request.tile_set, request.game, scale=picture.scale)
    return _whole(state, picture)


def _narrowest_cell_px(state: TableState) -> float:
    """Return the width of the narrowest cells that tiles were read on; 0 if none was read."""
    entries = (*state.tiles, *state.unsure)
    widths = [width_of(np.asarray(one["outline"])) / len(one["cells"]) ** 0.5 for one in entries]
    return min(widths, default=0.0)
