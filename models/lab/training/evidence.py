"""Fits what weighs readings: ``python -m models.lab.training.evidence --set carnival --out DIR``.

True tiles are cut out of drawn tables of the train side, some of them under spots of light, in
other inks, or with outlines that miss; strangers are what ``models.lab.training.strangers`` draws,
and places between two tiles. Each is read as play reads it, and a few numbers about it are kept.
Boosted trees that may only rise or fall with each number learn from these how probable it is that a
reading is right; others, whether it is a tile of the box at all. Other tables say when to stop.
Strangers count as much as they do among the outlines that are found on drawn tables of play and on
as many scenes of something else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.art import faces
from models.lab.scenes.scene import make_scene
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.spots import spotted_patch
from models.lab.training.drills import cell_outlines, drill_crops
from models.lab.training.harness import made, parser_of, tell
from models.lab.training.reader import exposed_longer
from models.lab.training.strangers import CUT_OF_A_SCENE, collage_patches, scene_patches
from vision.classify.embedding import PRINT_NUMBERS, shipped_embedding
from vision.classify.evidence import NAMES, RISING, Evidence, Trees, rows_of, write_evidence
from vision.classify.faces import Faces, shrunk, unit
from vision.classify.reader import CellReading, Reader, load_reader
from vision.core.crop import Patches, cut
from vision.core.types import BACK, Look, period_of, width_of
from vision.detect.detect import QUICK, detect_tiles

FIRST_SEED = 50_000
"""First seed: the readers were fitted to tables of earlier seeds, which they know too well."""
MISSES = (0.5, 2.2)
LONGER_SHARE, LONGER = 0.2, (1.2, 2.2)
SPOT_SHARE, INK_SHARE, BETWEEN_SHARE = 0.8, 0.15, 0.15
"""Shares of tiles that are added again: under a spot of light, in other inks, half off."""
CHECKED_SHARE = 0.25
"""Share of tables and of strangers that are held back to decide when fitting stops."""
TREES, LEAVES, RATE, FEWEST_A_LEAF = 250, 12, 0.08, 30
NEAR = 0.5
"""Largest distance between the middles of an outline and its tile, in widths of the tile."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Patches with their looks (empty for strangers), their widths and their tables."""

    patches: Patches
    looks: tuple[str, ...]
    across_px: Array
    sources: Array


def table_tiles(set_name: str, seed: int) -> Drawn:
    """Return the tiles of one drawn table, some of them spoilt, and places between them."""
    rng = rng_of("evidence", set_name, seed)
    crops = drill_crops(set_name, seed, "train", amount=float(rng.uniform(*MISSES)))
    patches = crops.patches
    if rng.random() < LONGER_SHARE:
        patches = exposed_longer(patches, float(rng.uniform(*LONGER)))
    looks = np.array([str(look) for look in crops.looks])
    some = [rng.random(len(patches)) < share for share in (SPOT_SHARE, INK_SHARE, BETWEEN_SHARE)]
    spotted = [spotted_patch(patch, rng) for patch in patches[some[0]]]
    inked = [_other_inks(patch, rng) for patch in patches[some[1]]]
    between = [
        _between(patch, patches[int(rng.integers(len(patches)))], rng) for patch in patches[some[2]]
    ]
    wide = crops.across_px
    return Drawn(
        np.array([*patches, *spotted, *inked, *between], np.uint8),
        (*looks, *looks[some[0]], *looks[some[1]], *[""] * len(between)),
        np.concatenate([wide, *(wide[one] for one in some)]),
        np.full(len(patches) + sum(map(int, map(np.sum, some))), seed),
    )


def stranger_tiles(seed: int, *, collage: bool) -> Drawn:
    """Return patches that are no tiles, of a collage or of a scene."""
    patches, across = collage_patches(seed) if collage else scene_patches(seed)
    return Drawn(patches, ("",) * len(patches), across, np.full(len(patches), seed))


def _other_inks(patch: Patches, rng: Random) -> Patches:
    """Return a patch as other inks, or years in the sun, would make it."""
    pale = float(rng.uniform(0, 0.5))
    paper = np.quantile(patch.reshape(-1, 3), 0.9, axis=0)
    out = (patch * (1 - pale) + paper * pale) * rng.normal(1, 0.12, 3)
    grey = out.mean(axis=2, keepdims=True)
    return np.asarray(np.clip(grey + (out - grey) * rng.uniform(0.5, 1.2), 0, 255), np.uint8)


def _between(one: Patches, other: Patches, rng: Random) -> Patches:
    """Return a place between two tiles, which shows a part of either."""
    at = int(rng.uniform(0.3, 0.7) * one.shape[0])
    both = np.concatenate([one[at:], other[:at]], axis=0)
    return np.ascontiguousarray(np.rot90(both, int(rng.integers(4))))


def outlines_seen(set_name: str, seed: int) -> tuple[int, int]:
    """Return the number of outlines found on a drawn table of play, and of tiles among them."""
    scene = make_scene(seed, "train", set_name)
    cards = [np.array(card["outline"]) for card in (*scene.truth["tiles"], *scene.truth["aside"])]
    parts = [part for card in cards for part in cell_outlines(card, _cells_of(card))]
    middles = np.array([part.mean(axis=0) for part in parts])
    across = np.array([width_of(part) for part in parts])
    seen = detect_tiles(scene.bgr, "square", settings=QUICK)
    found = (*seen.found, *seen.faint)
    own = sum(
        bool((np.linalg.norm(middles - one.centre_px, axis=1) < NEAR * across).any())
        for one in found
    )
    return len(found), own


def _cells_of(outline: Array) -> int:
    """Return the number of squares that lie side by side in an outline."""
    return (
        round(
            float(np.linalg.norm(outline[1] - outline[0]))
            / float(np.linalg.norm(outline[3] - outline[0]))
        )
        or 1
    )


def printed_faces(tile_set: TileSet) -> dict[tuple[str, int], Array]:
    """Return the printed look of each cell of each card, cut as in play."""
    book = faces(tile_set)
    first = next(kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 1)
    fronts = {kind.name: (book[kind.name], len(kind.cells)) for kind in tile_set.kinds.values()}
    out = {}
    for name, (face, count) in {**fronts, BACK: (book[f"{first}:back"], 1)}.items():
        corners = np.array(face.outline_mm) * face.px_per_mm - 0.5
        for cell, outline in enumerate(cell_outlines(corners, count)):
            out[name, cell] = shrunk(cut(face.bgr, [outline])[0])
    return out


def faces_of(tile_set: TileSet, reader: Reader, drawn: Sequence[Drawn]) -> Faces:
    """Return the faces of a box, with the network's mean features of them on drawn tables."""
    printed = printed_faces(tile_set)
    sums = {str(look): np.zeros(PRINT_NUMBERS, np.float32) for look in reader.looks}
    for part in drawn:
        rows = unit(shipped_embedding().numbers(part.patches)[:, :PRINT_NUMBERS])
        for look, row in zip(part.looks, rows, strict=True):
            if look:
                sums[look] += row
    numbers = unit(np.stack([sums[str(look)] for look in reader.looks]))
    return Faces(
        tuple(printed),
        np.stack(list(printed.values())),
        reader.looks,
        numbers.astype(np.float16).astype(np.float32),
    )


@dataclass(frozen=True, eq=False)
class Known:
    """Features of patches, and what the patches are."""

    rows: Array
    right: Array
    ours: Array
    sources: Array


def known(faces: Faces, set_name: str, drawn: Sequence[Drawn], workers: int = 1) -> Known:
    """Return the features of all patches, read as in play."""
    work = partial(_rows_and_right, faces, set_name)
    read = made("reading", work, drawn, workers)
    ours = [bool(look) for part in drawn for look in part.looks]
    return Known(
        np.concatenate([rows for rows, _ in read]),
        np.array([right for _, listed in read for right in listed]),
        np.array(ours),
        np.concatenate([part.sources for part in drawn]),
    )


def _rows_and_right(faces: Faces, set_name: str, part: Drawn) -> tuple[Array, list[bool]]:
    tile_set = built_in_set(set_name)
    reader = load_reader(tile_set)
    across = part.across_px.tolist()
    readings = reader.read(part.patches, across)
    right = [is_right(*both, tile_set) for both in zip(readings, part.looks, strict=True)]
    return rows_of(faces, reader, part.patches, readings, across), right


def is_right(reading: CellReading, look: str, tile_set: TileSet) -> bool:
    """Say whether a reading names what a patch shows; ``look`` is empty for strangers."""
    if not look or not reading.guesses:
        return False
    best, true = reading.guesses[0], Look.parse(look)
    turns = true.turns % period_of(tile_set, true.tile)
    return (best.tile, best.cell, best.turns) == (true.tile, true.cell, turns)


def fit_trees(
    rows: Array, labels: Array, weights: Array, checked: Array, rising: Sequence[int]
) -> Trees:
    """Return gradient-boosted trees that classify rows.

    Args:
        rows: N x names.
        labels: N of 0 and 1.
        weights: weight of each row.
        checked: rows that only decide when to stop.
        rising: monotonic constraint of each name: 1 rising, -1 falling, 0 none.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        learning_rate=RATE,
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=FEWEST_A_LEAF,
        l2_regularization=1.0,
        monotonic_cst=list(rising),
        early_stopping=False,
        random_state=0,
    ).fit(rows[~checked], labels[~checked], sample_weight=weights[~checked])
    losses = []
    for shares in model.staged_predict_proba(rows[checked]):
        own = np.maximum(shares[np.arange(len(shares)), labels[checked]], 1e-9)
        losses.append(-float((weights[checked] * np.log(own)).mean()))
    return _as_numbers(model, 1 + int(np.argmin(losses)))


def _as_numbers(model: Any, count: int) -> Trees:
    """Return the first fitted trees as plain arrays; the library has no public access to them."""
    every = [tree[0].nodes for tree in model._predictors[:count]]
    starts = np.cumsum([0, *(len(nodes) for nodes in every)])[:-1]
    nodes = np.concatenate(every)
    first = np.repeat(starts, [len(one) for one in every])
    leaf = nodes["is_leaf"].astype(bool)
    return Trees(
        float(np.ravel(model._baseline_prediction)[0]),
        starts.astype(np.int32),
        np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32),
        nodes["num_threshold"].astype(np.float64),
        (nodes["left"] + first).astype(np.int32),
        (nodes["right"] + first).astype(np.int32),
        np.where(leaf, nodes["value"], 0.0),
    )


def train(set_name: str, out: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Draw, read, fit and write the evidence of one box; return its figures."""
    tile_set = built_in_set(set_name)
    reader = load_reader(tile_set)
    tables, scenes, collages = (
        _drawn(name, draw, count, asked.workers)
        for name, draw, count in (
            (f"tiles-{set_name}", partial(table_tiles, set_name), asked.tables),
            ("scenes", partial(stranger_tiles, collage=False), asked.scenes),
            ("collages", partial(stranger_tiles, collage=True), asked.collages),
        )
    )
    faces = faces_of(tile_set, reader, tables)
    every = known(faces, set_name, [*tables, *scenes, *collages], asked.workers)
    tiles_share = share_of_tiles(set_name, scenes, asked.counted, asked.workers)
    ours, tile, right, checked = fit_both(every, tiles_share)
    figures = {"tiles_share": round(tiles_share, 3), **figures_of(ours, every, right, checked)}
    write_evidence(Evidence(faces, ours, tile, tiles_share), tile_set, out, figures)
    return figures


def share_of_tiles(set_name: str, strange: Sequence[Drawn], count: int, workers: int) -> float:
    """Return the share of tiles among the outlines that are found.

    Args:
        set_name: name of the box.
        strange: scenes of something else.
        count: number of drawn tables of play; they weigh as much as the scenes.
        workers: number of processes.
    """
    seeds = range(FIRST_SEED, FIRST_SEED + count)
    seen = made("counting", partial(outlines_seen, set_name), seeds, workers)
    found, own = np.sum(seen, axis=0) / count
    return float(own / (found + np.mean([len(one.patches) - CUT_OF_A_SCENE for one in strange])))


def fit_both(every: Known, tiles_share: float) -> tuple[Trees, Trees, Array, Array]:
    """Return trees for right readings, trees for tiles against strangers, and two masks of rows.

    The masks say which rows are right, and which only decided when to stop.
    """
    checked = every.sources % round(1 / CHECKED_SHARE) == 0
    right = every.ours & every.right
    drawn = every.ours.mean()
    weights = np.where(every.ours, tiles_share / drawn, (1 - tiles_share) / (1 - drawn))
    ours = fit_trees(every.rows, right.astype(int), weights, checked, RISING)
    tile = fit_trees(every.rows, every.ours.astype(int), weights, checked, [0] * len(NAMES))
    return ours, tile, right, checked


def figures_of(ours: Trees, every: Known, right: Array, checked: Array) -> dict[str, Any]:
    """Return the figures of the fitted trees on rows that they were not fitted to."""
    shares = ours.shares(every.rows[checked])
    sure = every.rows[checked][:, 0] > np.log(9)
    true, strange = right[checked] & sure, ~every.ours[checked] & sure
    wrong = every.ours[checked] & ~every.right[checked] & sure
    return {
        "rows": len(every.rows),
        "trees": len(ours.starts),
        "sure_and_right": int(true.sum()),
        "of_them_doubted": int((shares[true] < 0.9).sum()),
        "sure_strangers": int(strange.sum()),
        "of_them_kept": int((shares[strange] >= 0.9).sum()),
        "sure_and_wrong": int(wrong.sum()),
        "of_these_kept": int((shares[wrong] >= 0.9).sum()),
    }


def _drawn(name: str, draw: Callable[[int], Drawn], count: int, workers: int) -> list[Drawn]:
    """Return what is drawn for ``count`` seeds."""
    every = made(name, draw, range(FIRST_SEED, FIRST_SEED + count), workers)
    # A few tables have no tile that is large enough to learn from.
    return [one for one in every if len(one.patches)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the command line asks."""
    parser = parser_of("evidence", __doc__, SQUARE_GAMES)
    parser.add_argument("--tables", type=int, default=160, help="drawn tables a box")
    parser.add_argument("--scenes", type=int, default=400, help="drawn scenes without tiles")
    parser.add_argument("--collages", type=int, default=1000)
    parser.add_argument("--counted", type=int, default=32, help="drawn tables of play, a box")
    asked = parser.parse_args(arguments)
    for name in asked.sets or SQUARE_GAMES:
        tell(name, train(name, asked.out, asked), asked.out, [f"evidence_{name}.npz"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
