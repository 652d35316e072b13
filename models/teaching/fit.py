"""Fits a reader to examples in seconds: augmentation, discriminant analysis and calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from models.teaching.examples import Examples, Hardness, folds_of, plain, varied
from vision.classify.embedding import NUMBERS, PARTS, described, described_count, shipped_embedding
from vision.classify.faces import Prints
from vision.classify.taught_looks import TaughtReader, make_reader
from vision.core.types import Look

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
AnyReader = TypeVar("AnyReader")

WAYS = 200
"""Principal directions of variation within looks that are kept."""
ASKED_FOR_WAYS = 1200
Random = np.random.Generator

MOST_ROWS = 2500
"""Augmented examples that are fitted to: more read no better, and take longer."""
FEWEST_VARIED, MOST_VARIED = 3, 40
MOST_PHOTOS = 4
"""Most photographs whose prints are kept for comparison with doubtful tiles."""
FEW_KINDS = 12
"""Most kinds that are taken for lands if each was seen once and none has an up."""
ONE_PRINT = 0.55
"""Mean cosine similarity of examples of one kind, in the network's features for prints, above which
they show one print. In invented boxes it is 0.66 to 0.92 for prints, and 0.31 to 0.45 for lands."""
SHRINKAGE, SHRINKAGE_LANDS = 0.3, 0.8
"""Shrinkage of the covariance in the discriminant analysis, for prints and for lands."""
PRINT_SCALES, LAND_SCALES = (1.0, 0.0), (0.375, 2.5)
"""Weights of the network's features for prints and for lands, in boxes of either. The second pair
was chosen on eight invented boxes; wrong of 500 prints with one and with five examples per kind: 69
and 13 with weights 1 and shrinkage 0.5; with it 41, 13 at 0.5, 33, 14 at 0.8, 31, 15 at 0.95."""
CALIBRATING_ROWS = 1000
HARDER = 1.25
"""Factor on the deviations of examples for calibration, relative to those for fitting."""
TEMPERATURES = np.geomspace(1, 80, 40)
KNOWN_QUANTILE, KNOWN_SPARE, KNOWN_ONCE = 0.998, 1.1, 2.6
"""A tile is known up to ``KNOWN_SPARE`` times this quantile of the hard examples' distances, and up
to ``KNOWN_ONCE`` times where kinds were seen only once, whose spread of prints is unknown."""
DOUBT_ONCE = 2.0
"""Factor on the temperature where lands were seen only once, since the spread of their prints is
unknown then. Of 500 prints of eight invented boxes, 363 of 368 at 0.99 were right without it and
207 of 208 with it; the mean log-likelihood is best with it."""
LEAST_ONCE = 13.0
"""Least temperature of lands that were seen once, before ``DOUBT_ONCE``: few kinds may be separable
in any light and say nothing about their other prints. In the eight boxes it was 13 to 33."""
SAME_LOOK = 0.05
"""Two turns of a kind look the same if their mean features differ by less than this share of the
features' norm."""


# --- The analysis that tells looks apart ---


@dataclass(frozen=True, eq=False)
class Rows:
    """Augmented examples, with the look and the source example of each."""

    rows: Floats
    """Their features, or the features' projections."""
    looks: Ints
    sources: Ints


def analysed(learnt: Rows, count: int, shrinkage: float, scales: Floats) -> tuple[Floats, Floats]:
    """Return the projection that separates looks, and the looks' centres in its space."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    # The weights go into what is small: weighted copies of all rows would take as much again.
    rows, looks = learnt.rows, learnt.looks
    plain_means = _means(rows, looks, count)
    means = plain_means * scales
    every = slice(None, None, len(rows) // ASKED_FOR_WAYS + 1)
    ways = _strongest(rows[every] * scales - means[looks[every]], WAYS)
    basis = _orthonormal(np.concatenate([(means - means.mean(axis=0)), ways]))
    weighted = scales[:, None] * basis
    analysis = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage)
    analysis.fit((rows @ weighted).astype(np.float64), looks)
    project = weighted @ analysis.scalings_[:, : count - 1].astype(np.float32)
    # The projection is stored as float16, so the centres must be those of the rounded one.
    project = project.astype(np.float16).astype(np.float32)
    return project, plain_means @ project


def _means(rows: Floats, looks: Ints, count: int) -> Floats:
    out = np.stack([rows[looks == look].mean(axis=0) for look in range(count)])
    return np.asarray(out, np.float32)


def _strongest(rows: Floats, count: int) -> Floats:
    """Return the principal directions of rows."""
    gram = (rows @ rows.T).astype(np.float64)
    values, vectors = np.linalg.eigh(gram)
    best = np.argsort(-values)[:count]
    best = best[values[best] > values.max() * 1e-7]
    return np.asarray(vectors[:, best].T @ rows, np.float32)


def _orthonormal(rows: Floats) -> Floats:
    """Return an orthonormal basis, features x dimensions, of the space that rows span."""
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    gram = (rows @ rows.T).astype(np.float64)
    values, vectors = np.linalg.eigh(gram)
    kept = values > values.max() * 1e-6
    return np.asarray(rows.T @ (vectors[:, kept] / np.sqrt(values[kept])), np.float32)


@dataclass(frozen=True, eq=False)
class Fitted(Generic[AnyReader]):
    """A reader of tiles, or of boards, with the figures of its fit."""

    reader: AnyReader
    tile_set: TileSet
    confusions: Mapping[tuple[str, str], float]
    """Mean probability on hard examples, by true kind and kind it was mistaken for."""
    sureness: NDArray[np.float64]
    """For each example, the mean probability that its hard variants give to the truth."""
    wrong_share: float
    tiles: tuple[str, ...]
    """Name of each example's kind in the box."""


def fit_reader(
    examples: Examples, tile_set: TileSet, rng: Random, *, lands: bool = False
) -> Fitted[TaughtReader]:
    """Return the reader of a taught box; nearly all of the time goes into augmentation.

    Args:
        examples: its tiles, those of a kind turned alike.
        tile_set: the box.
        rng: the random choices of the augmentation.
        lands: whether kinds have many prints.
    """
    folds = folds_of(tile_set.lattice)
    kinds = sorted(set(examples.tiles))
    looks = tuple(Look(tile, 0, turn) for tile in kinds for turn in range(folds))
    numbers = {look: number for number, look in enumerate(looks)}
    learnt = _rows(examples, numbers, folds, rng, Hardness(), MOST_ROWS)
    shrinkage = SHRINKAGE_LANDS if lands else SHRINKAGE
    project, centres = analysed(learnt, len(looks), shrinkage, _scales(lands=lands))
    reader = make_reader(tile_set, looks, project, centres, 1.0, 1e9)
    if not lands:
        reader = replace(reader, prints=prints_of(examples, folds))
    # Harder examples are projected as they are made: all their features would double the memory.
    learnt = replace(learnt, rows=learnt.rows @ reader.project)
    harder = Hardness().times(HARDER)
    hard = _rows(examples, numbers, folds, rng, harder, CALIBRATING_ROWS, reader.project)
    return _calibrated(
        reader, tile_set, examples, learnt, hard, _once(examples.tiles) if lands else 0.0
    )


def prints_of(examples: Examples, folds: int) -> Prints:
    """Return the prints of the kinds, from the photographs that show most kinds."""
    kinds = Counter(photo for _, photo in set(zip(examples.tiles, examples.photos, strict=True)))
    photos = [photo for photo, _ in kinds.most_common(MOST_PHOTOS)]
    # Of several examples in one photograph the last represents the kind.
    pairs = zip(examples.tiles, examples.photos, strict=True)
    last = {pair: number for number, pair in enumerate(pairs) if pair[1] in photos}
    chosen = examples.some(list(last.values()))
    steps = [int(-turn) % folds for turn in np.maximum(chosen.turns, 0)]
    faces = plain(chosen.patches, steps, folds)
    return Prints(faces, chosen.tiles, tuple(photos.index(photo) for photo in chosen.photos))


def with_strangers(fitted: Fitted[TaughtReader], strangers: Examples) -> Fitted[TaughtReader]:
    """Return the fitted reader with pictures of strangers beside the kinds' own prints.

    The reader of a box of lands has no prints and is returned unchanged.
    """
    prints = fitted.reader.prints
    if prints is None or not len(strangers):
        return fitted
    folds = folds_of(fitted.tile_set.lattice)
    faces = plain(strangers.patches, [0] * len(strangers), folds)
    every = Prints(
        np.concatenate([prints.faces, faces]),
        (*prints.tiles, *strangers.tiles),
        (*prints.photos, *[0] * len(strangers)),
    )
    return replace(fitted, reader=replace(fitted.reader, prints=every))


def shows_lands(examples: Examples, folds: int) -> bool:
    """Say whether kinds have many prints: examples of one kind differ even when aligned."""
    tiles = np.array(examples.tiles)
    same = np.triu(tiles[:, None] == tiles[None], 1)
    if not same.any():
        return len(set(examples.tiles)) <= FEW_KINDS
    steps = [int(-turn) % folds for turn in examples.turns]
    numbers = shipped_embedding().numbers(plain(examples.patches, steps, folds))[:, PARTS[0]]
    numbers /= np.maximum(np.linalg.norm(numbers, axis=1, keepdims=True), 1e-6)
    return float((numbers @ numbers.T)[same].mean()) < ONE_PRINT


def _scales(*, lands: bool) -> Floats:
    """Return the weight of each feature."""
    scales = np.ones(described_count(), np.float32)
    first = len(scales) - NUMBERS
    for part, scale in zip(PARTS, LAND_SCALES if lands else PRINT_SCALES, strict=True):
        scales[first:][part] = scale
    return scales


def seen_periods(examples: Examples, folds: int) -> dict[str, int]:
    """Return the rotational period of each kind in turns; 1 for kinds without an up."""
    out = {}
    for tile in sorted(set(examples.tiles)):
        mine = [n for n, name in enumerate(examples.tiles) if name == tile]
        if (examples.turns[mine] < 0).any():
            out[tile] = 1
            continue
        steps = [int(-examples.turns[n]) % folds for n in mine]
        rows = [
            described(plain(examples.patches[mine], [(s + t) % folds for s in steps], folds)).mean(
                0
            )
            for t in range(folds)
        ]
        size = float(np.linalg.norm(rows[0]))
        out[tile] = next(
            (
                p
                for p in range(1, folds)
                if folds % p == 0 and np.linalg.norm(rows[p] - rows[0]) < SAME_LOOK * size
            ),
            folds,
        )
    return out


def _rows(
    examples: Examples,
    numbers: Mapping[Look, int],
    folds: int,
    rng: Random,
    hardness: Hardness,
    most: int,
    project: Floats | None = None,
) -> Rows:
    """Return augmented examples of every look, balanced between kinds; projected where asked."""
    counts = Counter(examples.tiles)
    a_look = most / (len(counts) * folds)
    times = {
        tile: int(np.clip(np.ceil(a_look / count), FEWEST_VARIED, MOST_VARIED))
        for tile, count in counts.items()
    }
    # Filled in place: parts put together at the end would take twice the memory.
    total = folds * sum(times[tile] for tile in examples.tiles)
    width = described_count() if project is None else project.shape[1]
    rows = np.empty((total, width), np.float32)
    looks: list[int] = []
    sources: list[int] = []
    for number, tile in enumerate(examples.tiles):
        some = times[tile]
        same = np.repeat(examples.patches[number : number + 1], some, axis=0)
        own = max(int(examples.turns[number]), 0)
        for turn in range(folds):
            steps = [(turn - own) % folds] * some
            made = described(varied(same, steps, folds, rng, hardness))
            rows[len(looks) : len(looks) + some] = made if project is None else made @ project
            looks += [numbers[Look(tile, 0, turn)]] * some
            sources += [number] * some
    return Rows(rows, np.array(looks), np.array(sources))


def _once(tiles: Sequence[str]) -> float:
    """Return the share of kinds that were seen once only."""
    return float(np.mean([count == 1 for count in Counter(tiles).values()]))


def _calibrated(
    reader: TaughtReader,
    tile_set: TileSet,
    examples: Examples,
    learnt: Rows,
    hard: Rows,
    lands_once: float,
) -> Fitted[TaughtReader]:
    """Return the reader with a temperature fitted to hard examples.

    The share of lands that were seen only once raises the temperature further.
    Where a kind has several examples, each is read as if it had not been learnt from.
    """
    distances = _without_own(reader, learnt, hard)
    once = _once(examples.tiles)
    spare = KNOWN_SPARE + (KNOWN_ONCE - KNOWN_SPARE) * once
    known = float(np.quantile(distances.min(axis=1), KNOWN_QUANTILE)) * spare
    truth = reader.group_of[hard.looks]

    def loss(temperature: float) -> float:
        shares = replace(reader, temperature=temperature, known=known).confidences(distances)
        return -float(np.log(np.maximum(shares[np.arange(len(truth)), truth], 1e-9)).mean())

    chosen = min(TEMPERATURES.tolist(), key=loss)
    chosen = max(chosen, LEAST_ONCE * lands_once) * (1 + (DOUBT_ONCE - 1) * lands_once)
    reader = replace(reader, temperature=chosen, known=known)
    shares = reader.confidences(distances)
    right = shares[np.arange(len(truth)), truth]
    sureness = np.array([right[hard.sources == n].mean() for n in range(len(examples))])
    wrong = float((shares.argmax(axis=1) != truth).mean())
    return Fitted(
        reader, tile_set, _confusions(reader, shares, truth), sureness, wrong, examples.tiles
    )


def _without_own(reader: TaughtReader, learnt: Rows, hard: Rows) -> Floats:
    """Return distances to the looks, with each example left out of its own look's centre.

    Both kinds of rows are projected.
    """
    places = hard.rows
    squares = (places**2).sum(axis=1)[:, None] + (reader.centres**2).sum(axis=1)[None]
    distances = np.maximum(squares - 2 * places @ reader.centres.T, 0)
    totals = np.bincount(learnt.looks, minlength=len(reader.looks))
    for look in range(len(reader.looks)):
        own = learnt.looks == look
        for source in np.unique(learnt.sources[own]):
            mine = own & (learnt.sources == source)
            rest = totals[look] - mine.sum()
            asked = np.flatnonzero((hard.looks == look) & (hard.sources == source))
            if rest == 0 or not len(asked):
                continue
            middle = (learnt.rows[own].sum(axis=0) - learnt.rows[mine].sum(axis=0)) / rest
            distances[asked, look] = ((places[asked] - middle) ** 2).sum(axis=1)
    return np.asarray(distances, np.float32)


def _confusions(
    reader: TaughtReader, shares: NDArray[np.float64], truth: Ints
) -> dict[tuple[str, str], float]:
    """Return the mean probability that examples of one kind give to another."""
    tiles = sorted({tile for tile, _, _ in reader.groups})
    member = np.array([[tile == name for name in tiles] for tile, _, _ in reader.groups], float)
    by_tile = shares @ member
    own = np.array([tiles.index(reader.groups[g][0]) for g in truth])
    out = {}
    for k, tile in enumerate(tiles):
        if (own == k).any():
            mean = by_tile[own == k].mean(axis=0)
            out.update({(tile, other): float(mean[j]) for j, other in enumerate(tiles) if j != k})
    return out
