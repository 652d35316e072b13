"""Fits what weighs readings of covered cards: ``python -m models.lab.training.covered``.

Cards of the train side are covered in part by something from a collage; others lie as they are or
under a spot of light. Strangers are collages, and on drawn tables of play the empty cells beside
the cards: where a detector sees nothing, only the reader can say that there is no card. Of all
these, what the reader takes for a covered card is learnt from: boosted trees say how probable it is
that such a reading is right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.lab.scenes.scene import make_scene
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.training.drills import drill_crops, entry_cells, jittered
from models.lab.training.evidence import (
    FIRST_SEED,
    MISSES,
    Drawn,
    Known,
    fit_both,
    is_right,
    stranger_tiles,
    table_tiles,
)
from models.lab.training.fields import write_score
from models.lab.training.harness import made, parser_of, tell
from vision.classify.evidence import COVERED, NAMES, load_evidence, rows_of
from vision.classify.reader import load_reader
from vision.core.crop import Patches, cut
from vision.core.types import width_of

HIDDEN = (0.15, 0.65)
"""Range of the covered share of a card."""
SOFT_PX = 1.0
EVEN = 0.5
"""Weight of cards against strangers: where a covered card is looked for, either may be there."""
OFF = (0.0, 0.0, 0.35, 0.65)
"""Offsets of empty cells from their places, in cells: half of them straddle a card."""
TAKEN = 0.3
"""An empty cell keeps this distance from the middles of cards, in widths; straddled ones too."""


def covered_tiles(set_name: str, seed: int) -> Drawn:
    """Return the tiles of one drawn table, each partly covered by something."""
    rng = rng_of("covered", set_name, seed)
    crops = drill_crops(set_name, seed, "train", amount=float(rng.uniform(*MISSES)))
    things = stranger_tiles(seed, collage=True).patches
    patches = [
        _covered(patch, things[int(rng.integers(len(things)))], rng) for patch in crops.patches
    ]
    looks = tuple(str(look) for look in crops.looks)
    return Drawn(np.array(patches, np.uint8), looks, crops.across_px, crops.sources)


def _covered(patch: Patches, thing: Patches, rng: Random) -> Patches:
    """Return a patch with something over one side of it."""
    size = patch.shape[0]
    angle = float(rng.uniform(0, 2 * np.pi))
    y, x = np.mgrid[:size, :size]
    along = x * np.cos(angle) + y * np.sin(angle)
    over = (along > np.quantile(along, 1 - rng.uniform(*HIDDEN))).astype(np.float32)
    over = cv2.GaussianBlur(over, (0, 0), SOFT_PX)[:, :, None]
    return np.asarray(patch * (1 - over) + thing * over, np.uint8)


def empty_cells(set_name: str, seed: int) -> Drawn:
    """Return the empty cells beside the cards of one drawn table of play."""
    rng = rng_of("empty", set_name, seed)
    scene = make_scene(seed, "train", set_name, beside="close" if seed % 3 == 0 else "far")
    tile_set = built_in_set(set_name)
    cells = [cell for tile in scene.truth["tiles"] for cell in entry_cells(tile, tile_set)]
    cards = [*cells, *(np.array(card["outline"], float) for card in scene.truth["aside"])]
    outlines = [one for cell in cells for one in _beside(cell, rng) if _is_empty(one, cards)]
    outlines = [jittered(one, rng) for one in outlines if _is_inside(one, scene.bgr.shape)]
    return Drawn(
        cut(scene.bgr, outlines),
        ("",) * len(outlines),
        np.array([width_of(one) for one in outlines]),
        np.full(len(outlines), seed),
    )


def _beside(cell: Array, rng: Random) -> list[Array]:
    """Return the four cells beside a cell, some of them off their places."""
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, cell.astype(np.float32))
    out = []
    for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        off = float(rng.choice(OFF)) * np.array(step[::-1])
        places = np.roll(unit + step + off, int(rng.integers(4)), axis=0)
        out.append(cv2.perspectiveTransform(places[None].astype(np.float64), matrix)[0])
    return out


def _is_empty(outline: Array, cards: Sequence[Array]) -> bool:
    middles = np.array([card.mean(axis=0) for card in cards])
    away = np.linalg.norm(middles - outline.mean(axis=0), axis=1)
    return bool(away.min() > TAKEN * width_of(outline))


def _is_inside(outline: Array, shape: tuple[int, ...]) -> bool:
    return bool((outline > 0).all() and (outline < (shape[1], shape[0])).all())


def known(set_name: str, drawn: Drawn) -> Known:
    """Return the features of the patches that are read as covered cards."""
    tile_set = built_in_set(set_name)
    reader, faces = load_reader(tile_set), load_evidence(tile_set).faces
    across = drawn.across_px.tolist()
    readings = reader.read(drawn.patches, across) if len(drawn.patches) else []
    some = [n for n, one in enumerate(readings) if one.covered and one.why is None]
    if not some:
        none = np.zeros(0, bool)
        return Known(np.zeros((0, len(NAMES))), none, none, np.zeros(0, int))
    said = [readings[n] for n in some]
    return Known(
        rows_of(faces, reader, drawn.patches[some], said, [across[n] for n in some]),
        np.array(
            [is_right(one, drawn.looks[n], tile_set) for one, n in zip(said, some, strict=True)]
        ),
        np.array([bool(drawn.looks[n]) for n in some]),
        drawn.sources[some],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, fit and write as the command line asks."""
    parser = parser_of("covered", __doc__)
    parser.add_argument("--drills", type=int, default=60, help="tables of any cards, a box")
    parser.add_argument("--tables", type=int, default=150, help="tables of play, a box")
    parser.add_argument("--collages", type=int, default=800, help="collages, a box")
    asked = parser.parse_args(arguments)
    counts = {"drills": asked.drills, "tables": asked.tables, "collages": asked.collages}
    parts: list[Known] = []
    for name in SQUARE_GAMES:
        for what, draw in (
            ("drills", partial(covered_tiles, name)),
            ("drills", partial(table_tiles, name)),
            ("tables", partial(empty_cells, name)),
            ("collages", partial(stranger_tiles, collage=True)),
        ):
            seeds = range(FIRST_SEED, FIRST_SEED + counts[what])
            parts += made(f"{name} {what}", partial(_known, name, draw), seeds, asked.workers)
    every = Known(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Known))
    )
    score, _, right, checked = fit_both(every, EVEN)
    figures = {
        **counts,
        "rows": len(right),
        "right": int(right.sum()),
        **_figures(score.shares(every.rows[checked]), right[checked]),
    }
    write_score(COVERED, score, NAMES, figures, asked.out)
    tell(COVERED, figures, asked.out, [f"{COVERED}.npz"])
    return 0


def _known(set_name: str, draw: Callable[[int], Drawn], seed: int) -> Known:
    return known(set_name, draw(seed))


def _figures(shares: Array, right: Array) -> dict[str, Any]:
    return {
        "held_back": len(right),
        "of_them_right": int(right.sum()),
        "right_at_0.9": int((right & (shares >= 0.9)).sum()),
        "wrong_at_0.9": int((~right & (shares >= 0.9)).sum()),
    }


if __name__ == "__main__":
    sys.exit(main())
