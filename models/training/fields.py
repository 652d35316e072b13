"""Fits the score of joints: ``python -m models.training.fields``.

Tables are drawn without being painted: what the camera would find is each card's outline, off by as
much as found outlines are, some cards hidden, some misread. Most tables have stocks, hands and
other fields close by. The score is gradient boosting over a few numbers of each joint, then a
line that calibrates it on other tables; both are kept as plain numbers with a manifest.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.scenes.arrange import lay_out
from models.scenes.camera.camera import Camera
from models.scenes.games.positions import GAMES_IN_POOL, table_at
from models.scenes.scene import camera_for
from models.scenes.settings import SQUARE_GAMES, draw_settings
from models.scenes.splits import rng_of
from models.scenes.world.arrays import Array, Random
from models.scenes.world.aside import lay_aside, lay_close
from models.scenes.world.faces import printed_box
from models.scenes.world.things import Item, TableTop
from models.training.harness import made, parser_of, tell, write_manifest
from vision.classify.reader import CellGuess, CellReading
from vision.core.files import write_arrays
from vision.core.lattice import fit_lattices
from vision.core.types import Detection, Detections, LatticeFit
from vision.layout.around import LaidField, touching_cards
from vision.layout.cards import CardGroup, group_cards
from vision.layout.fields import (
    FILE,
    FORMAT,
    MANIFEST,
    NUMBERS,
    VERSION,
    Joining,
    Score,
    numbers_between,
)

OFF, OFF_SPREAD = 0.014, 0.5
"""How far found outlines lie off, in widths of a card: the usual spread, and how that varies from
table to table (as a logarithm). Measured on drawn pictures: 0.013 to 0.021, small cards 0.03."""
MISSED, MISREAD, HIDDEN = 0.02, 0.01, 0.3
"""Shares of cards that are not found and are read as another, and of tables with something that
hides cards."""
PLAIN = 0.2
"""Share of tables read as a box without snakes, as taught boxes are."""
ONE_THING = 0.35
"""Cards beside the layout that lie nearer to each other are taken for one thing; nothing is learnt
from these."""
EARLY, OPENING = 0.35, 0.12
"""Share of tables of the first moves, and how far the game has gone there at most."""
ASIDE = "aside"
SURROUNDINGS = 5
"""Tables that are made of one layout."""
TREES, DEPTH, RATE, FEWEST, CALM = 150, 3, 0.1, 20, 5.0
TUNING = 5
"""Every fifth table calibrates."""
GAMES_PLAYED = 16
"""Of each box; to play a game takes as long as to draw ten tables."""
CLOSE = 0.7
"""Share of tables with stocks, hands and other fields close by."""


@dataclass(frozen=True)
class Samples:
    """Joints of drawn tables: what the score looks at, whether both sides are one field."""

    rows: Array
    right: Array
    tables: Array
    """The number of the table that each is from."""


def samples_of(game: str, seed: int) -> tuple[Array, Array]:
    """Return joints of one layout with several surroundings, and whether each is inside a field."""
    rng = rng_of("joints", "train", game, seed)
    rows: list[list[float]] = []
    right: list[bool] = []
    for found, readings, truths in tables_found(game, seed, rng):
        plain = rng.random() < PLAIN
        tile_set = _without_snakes(built_in_set(game)) if plain else built_in_set(game)
        for row, label in joints_of_table(found, readings, truths, tile_set):
            rows.append(row)
            right.append(label)
    return np.array(rows).reshape(-1, len(NUMBERS)), np.array(right, bool)


def joints_of_table(
    found: Sequence[Detection], readings: Sequence[CellReading], truths: Sequence[str],
    tile_set: TileSet,
) -> Iterator[tuple[list[float], bool]]:  # fmt: skip
    """Yield what the score looks at wherever it is asked about a table, and what is right."""
    groups: list[tuple[CardGroup, str]] = []
    for fit in fit_lattices(Detections((1, 1), "square", tuple(found))):
        group = group_cards(found, fit, readings, tile_set)
        own = [truths[_number(card.outline_px, found, fit)] for card in group.cards]
        joining = Joining(group.cards, tile_set)
        yield from _labelled(joining, own)
        for part in joining.parts():
            cards = tuple(group.cards[k] for k in part.cards)
            groups.append((CardGroup(cards, fit), own[part.cards[0]]))
    for group, truth in groups:
        field = None if truth == ASIDE else LaidField.of(group)
        if field is None:
            continue
        for other, whose in groups:
            beside = None if other is group else touching_cards(field, other, tile_set)
            row = None if not beside else numbers_between(group.cards, beside, tile_set)
            if row is not None:
                yield row, whose == truth


def _number(outline: Array, found: Sequence[Detection], fit: LatticeFit) -> int:
    """Return the number of the outline that a card, or a half of one, was made from."""
    middle = outline.mean(axis=0)
    return min(fit.cells.values(),
               key=lambda i: float(np.linalg.norm(found[i].centre_px - middle)))  # fmt: skip


def _labelled(joining: Joining, truths: Sequence[str]) -> Iterator[tuple[list[float], bool]]:
    """Yield the joints as the score meets them while it is right, and what is right."""
    apart: set[frozenset[int]] = set()
    for merge in joining.merges(apart):
        names = {truths[k] for k in merge.cards}
        beside = names == {ASIDE}
        right = len(names) == 1 and not (beside and merge.between[0].miss >= ONE_THING)
        if not beside:
            yield merge.numbers, right
        if not right:
            apart |= {frozenset((joint.one, joint.other)) for joint in merge.between}


Found = tuple[list[Detection], list[CellReading], list[str]]


def tables_found(game: str, seed: int, rng: Random) -> Iterator[Found]:
    """Yield outlines and readings of a layout with other things beside it each time."""
    settings = draw_settings(seed, "train", game, beside="close")
    if rng.random() >= CLOSE:
        settings = draw_settings(seed, "train", game)
    if rng.random() < EARLY:
        settings = replace(settings, fullness=float(rng.uniform(0, OPENING)))
    table = table_at(game, "train", settings.play, seed, settings.fullness, settings.foul)
    box = printed_box(game, settings.cards.size_mm)
    layout = lay_out(table, settings, box, rng)
    camera = camera_for(settings, layout.extent_mm)
    for _ in range(SURROUNDINGS):
        lay = lay_close if settings.beside == "close" else lay_aside
        top = lay(layout, table.left, settings, box.tile_set.pitch_mm, rng)
        yield _found(top, camera, built_in_set(game), rng)


def _found(top: TableTop, camera: Camera, tile_set: TileSet, rng: Random) -> Found:
    """Return what a camera would find of a table, and what each outline belongs to."""
    spread = OFF * float(np.exp(rng.normal(0, OFF_SPREAD)))
    thing = _thing(top.extent_mm, rng)
    size = np.array(camera.size_px, float)
    names = sorted(tile_set.kinds)
    found, readings, truths = [], [], []
    for item in _uncovered(top.items):
        if item.role not in ("tile", ASIDE) or item.face not in tile_set:
            continue
        tile = names[int(rng.integers(len(names)))] if rng.random() < MISREAD else item.face
        if len(tile_set[tile].cells) != len(tile_set[item.face].cells):
            tile = item.face
        truth = f"field {item.truth.get('field')}" if item.role == "tile" else ASIDE
        for k, flat in enumerate(_cells_mm(item.outline_mm(top.faces[item.face]), item, tile_set)):
            hidden = bool(np.linalg.norm(flat[:, :2].mean(axis=0) - thing[:2]) < thing[2])
            outline = _found_at(camera.project(flat), spread, rng)
            middle = outline.mean(axis=0)
            if hidden or rng.random() < MISSED or (middle < 0).any() or (middle > size).any():
                continue
            turns = int(rng.integers(4))
            cut = bool(((outline < 0) | (outline > size - 1)).any())
            found.append(Detection(np.roll(outline, turns, axis=0), 0.9, cut))
            readings.append(CellReading((CellGuess(tile, k, turns, 0.99),)))
            truths.append(truth)
    return found, readings, truths


def _thing(extent_mm: Array, rng: Random) -> Array:
    """Return middle and radius of something that hides cards, in millimetres; often nothing."""
    middle = rng.uniform(extent_mm.min(axis=0) - 30, extent_mm.max(axis=0) + 30)
    radius = float(rng.uniform(20, 70)) if rng.random() < HIDDEN else 0.0
    return np.array([*middle, radius])


def _uncovered(items: Sequence[Item]) -> list[Item]:
    """Return the items that nothing lies on."""
    high = [item for item in items if item.z_mm > 0 and item.role == ASIDE]
    return [
        item for item in items
        if not any(other.z_mm > item.z_mm and abs(other.x_mm - item.x_mm) < 12
                   and abs(other.y_mm - item.y_mm) < 12 for other in high)
    ]  # fmt: skip


def _cells_mm(outline: Array, item: Item, tile_set: TileSet) -> list[Array]:
    """Return the outlines of a card's cells on the table."""
    count = len(tile_set[item.face].cells)
    shares = [np.array([[k, k + 1, k + 1, k]]).T / count for k in range(count)]
    left, right = outline[[0, 0, 3, 3]], outline[[1, 1, 2, 2]]
    return [left + share * (right - left) for share in shares]


def _found_at(outline: Array, spread: float, rng: Random) -> Array:
    """Return an outline as a camera finds it: moved a little, its corners off by as much again."""
    right, down = outline[1] - outline[0], outline[3] - outline[0]
    off = spread * (rng.standard_t(4, (1, 2)) + 0.8 * rng.standard_normal((4, 2)))
    return np.asarray(outline + off @ np.stack([right, down]))


def _without_snakes(tile_set: TileSet) -> TileSet:
    kinds = {name: replace(kind, strands=(), colour=None) for name, kind in tile_set.kinds.items()}
    return replace(tile_set, kinds=kinds)


def seeds_of(tables: int) -> list[int]:
    """Return the seeds of so many tables, of a few games."""
    return [GAMES_IN_POOL * (n // GAMES_PLAYED) + n % GAMES_PLAYED for n in range(tables)]


def draw(game: str, seeds: Sequence[int], workers: int) -> Samples:
    """Return the joints of many tables of one game."""
    parts = made(game, partial(samples_of, game), seeds, workers)
    tables = np.concatenate([np.full(len(p[1]), n) for n, p in enumerate(parts)])
    return Samples(np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]),
                   tables)  # fmt: skip


def fit(samples: Samples) -> tuple[Score, dict[str, Any]]:
    """Return the score that fits joints, and how well it does on tables that it was not fitted to.

    Tables that calibrate are not fitted to.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    tuning = samples.tables % TUNING == 0
    trees = HistGradientBoostingClassifier(
        max_iter=TREES, max_depth=DEPTH, learning_rate=RATE, min_samples_leaf=FEWEST,
        l2_regularization=CALM, early_stopping=False, random_state=0, monotonic_cst=_signs(),
    )  # fmt: skip
    trees.fit(samples.rows[~tuning], samples.right[~tuning])
    score = score_of(trees)
    total = _total(score, samples.rows[tuning])
    line = LogisticRegression(C=1e3).fit(total[:, None], samples.right[tuning])
    score = replace(score, line=np.array([line.intercept_[0], line.coef_[0, 0]]))
    likely = score.likely(samples.rows[tuning])
    right = samples.right[tuning]
    return score, {
        "joints": len(samples.right), "joints_apart": int((~samples.right).sum()),
        "calibrating": int(tuning.sum()), "wrong": int(((likely >= 0.5) != right).sum()),
        "apart_above_0.98": int(((likely >= 0.98) & ~right).sum()),
        "joined_below_0.98": int(((likely < 0.98) & right).sum()),
    }  # fmt: skip


def _signs() -> list[int]:
    """Return for each number whether more of it can only speak for one field, or against it."""
    against = {"gap", "slide", "turned", "gaps", "least", "slides", "turns", "broken", "over",
               "wider", "wider_than_usual", "small_broken"}  # fmt: skip
    return [-1 if name in against else int(name == "joined") for name in NUMBERS]


def _total(score: Score, rows: Array) -> Array:
    likely = replace(score, line=np.array([0.0, 1.0])).likely(rows)
    return np.asarray(np.log(likely / (1 - likely)))


def score_of(fitted: Any) -> Score:
    """Return fitted trees as whole ones of one depth."""
    trees = [one.nodes for (one,) in fitted._predictors]
    inner, leaves = 2**DEPTH - 1, 2**DEPTH
    numbers = np.zeros((len(trees), inner), np.int64)
    limits = np.full((len(trees), inner), np.inf)
    values = np.zeros((len(trees), leaves))
    for k, nodes in enumerate(trees):
        places = [(0, 0)]
        for place, at in places:
            node = nodes[at]
            if place >= inner:
                values[k, place - inner] = node["value"]
                continue
            below = (at, at)
            if not node["is_leaf"]:
                numbers[k, place] = node["feature_idx"]
                limits[k, place] = node["num_threshold"]
                below = (int(node["left"]), int(node["right"]))
            # A leaf higher up stands for all below it.
            places += [(2 * place + 1 + n, one) for n, one in enumerate(below)]
    return Score(numbers, limits, values, np.array([0.0, 1.0]))


def write_score(score: Score, figures: dict[str, Any], folder: Path) -> None:
    """Write the score and the manifest that loading checks."""
    folder.mkdir(parents=True, exist_ok=True)
    sha256 = write_arrays(folder / FILE, {
        "numbers": score.numbers, "limits": score.limits, "leaves": score.leaves,
        "line": score.line,
    })  # fmt: skip
    manifest = {"format": FORMAT, "version": VERSION, "file": FILE, "sha256": sha256,
                "numbers": list(NUMBERS), "trained": figures}  # fmt: skip
    write_manifest(folder / MANIFEST, manifest)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, fit and write as the command line asks."""
    parser = parser_of("fields", __doc__)
    parser.add_argument("--tables", type=int, default=480, help="layouts of each game")
    asked = parser.parse_args(arguments)
    drawn = [draw(game, seeds_of(asked.tables), asked.workers) for game in SQUARE_GAMES]
    every = Samples(*(np.concatenate([getattr(one, name) for one in drawn])
                      for name in ("rows", "right", "tables")))  # fmt: skip
    score, figures = fit(every)
    write_score(score, {"tables": asked.tables * len(drawn), **figures}, asked.out)
    tell("fields", figures, asked.out, [FILE])
    return 0


if __name__ == "__main__":
    sys.exit(main())
