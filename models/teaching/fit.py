"""Fits a reader to examples in seconds: varies them, analyses, and says how sure it may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from models.teaching.examples import Examples, Hardness, folds_of, plain, varied
from vision.classify.embedding import NUMBERS, PARTS, described, described_count, shipped_embedding
from vision.classify.faces import Prints
from vision.classify.reader import Reader, make_reader
from vision.core.types import Look

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

WAYS = 200
"""The strongest ways in which examples of one look vary that are kept."""
ASKED_FOR_WAYS = 1200
Random = np.random.Generator

MOST_ROWS = 2500
"""Varied examples that are fitted to: more read no better, and take longer."""
FEWEST_VARIED, MOST_VARIED = 3, 40
MOST_PHOTOS = 4
"""Photographs whose prints are kept to be laid beside doubtful tiles."""
FEW_KINDS = 12
"""Kinds that were all seen once are taken for lands where there are so few, and none has an up."""
ONE_PRINT = 0.55
"""Likeness of two examples of one kind, by the network's numbers for prints, above which they show
one print. In invented boxes of prints it is 0.66 to 0.92, in such of lands 0.31 to 0.45."""
SHRINKAGE, SHRINKAGE_LANDS = 0.3, 0.8
"""How little is made of the ways in which examples vary."""
PRINT_SCALES, LAND_SCALES = (1.0, 0.0), (0.375, 2.5)
"""How much the network's numbers for prints and for lands count in boxes of either. The second were
chosen on eight invented boxes; wrong of 500 prints with one and with five examples a kind: 69, 13
with both counting 1 and shrinkage 0.5; so 41, 13 with 0.5, 33, 14 with 0.8, 31, 15 with 0.95."""
CALIBRATING_ROWS = 1000
HARDER = 1.25
"""What is calibrated with misses by so much more than what was fitted to."""
TEMPERATURES = np.geomspace(1, 80, 40)
KNOWN_QUANTILE, KNOWN_SPARE, KNOWN_ONCE = 0.998, 1.1, 2.6
"""Tiles are known up to so much beyond the strangest of a thousand hard examples; much further
where kinds were seen once only, since nobody knows then how far their prints differ."""
DOUBT_ONCE = 2.0
"""Differences count so much less where lands were seen once: nobody knows then how far their prints
differ. Of 500 prints of eight invented boxes 363 of 368 at 0.99 were right without that, 207 of 208
with it; the mean logarithm of what was said is best so."""
LEAST_ONCE = 13.0
"""Temperature of lands that were seen once, at least, before that: few kinds may be told apart in
any light and say nothing about their other prints. In the eight boxes it came out as 13 to 33."""
SAME_LOOK = 0.05
"""Two turns of a kind look the same when their middles are so close, in usual distances between
examples of one look."""


# --- The analysis that tells looks apart ---


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of varied examples: which look each shows, and which example it was."""

    rows: Floats
    looks: Ints
    sources: Ints


def analysed(learnt: Rows, count: int, shrinkage: float, scales: Floats) -> tuple[Floats, Floats]:
    """Return the map to the space that tells looks apart, and the looks' middles there."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rows = learnt.rows * scales
    means = _means(rows, learnt.looks, count)
    residuals = rows - means[learnt.looks]
    few = residuals[:: len(residuals) // ASKED_FOR_WAYS + 1]
    ways = _strongest(few, WAYS)
    basis = _orthonormal(np.concatenate([(means - means.mean(axis=0)), ways]))
    analysis = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage)
    analysis.fit((rows @ basis).astype(np.float64), learnt.looks)
    project = scales[:, None] * (basis @ analysis.scalings_[:, : count - 1].astype(np.float32))
    # What is stored is rounded: the middles must be those of the rounded map.
    project = project.astype(np.float16).astype(np.float32)
    return project, _means(learnt.rows, learnt.looks, count) @ project


def _means(rows: Floats, looks: Ints, count: int) -> Floats:
    out = np.stack([rows[looks == look].mean(axis=0) for look in range(count)])
    return np.asarray(out, np.float32)


def _strongest(rows: Floats, count: int) -> Floats:
    """Return the directions in which rows vary most."""
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
class Fitted:
    """A reader and what came out while it was made."""

    reader: Reader
    tile_set: TileSet
    confusions: Mapping[tuple[str, str], float]
    """By kind and the kind it was taken for: how probable that is on hard examples."""
    sureness: NDArray[np.float64]
    """For each example, how sure its hard variations were read as what they are."""
    wrong_share: float
    tiles: tuple[str, ...] = ()
    """What each example is called in the box."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Examples in many variations: to be fitted to, and harder ones to be calibrated by."""

    examples: Examples
    tile_set: TileSet
    looks: tuple[Look, ...]
    fitting: Rows
    hard: Rows


def prepared(examples: Examples, tile_set: TileSet, rng: Random) -> Prepared:
    """Return what a reader is fitted to; nearly all of the time goes here."""
    folds = folds_of(tile_set.lattice)
    looks = every_look(examples, folds)
    numbers = {look: number for number, look in enumerate(looks)}
    fitting = _rows(examples, numbers, folds, rng, Hardness(), MOST_ROWS)
    hard = _rows(examples, numbers, folds, rng, Hardness().times(HARDER), CALIBRATING_ROWS)
    return Prepared(examples, tile_set, looks, fitting, hard)


def fit_reader(rows: Prepared, *, lands: bool = False) -> Fitted:
    """Return the reader of a taught box.

    Args:
        rows: what it is fitted to.
        lands: whether kinds have many prints.
    """
    shrinkage = SHRINKAGE_LANDS if lands else SHRINKAGE
    project, centres = analysed(rows.fitting, len(rows.looks), shrinkage, _scales(lands=lands))
    reader = make_reader(rows.tile_set, rows.looks, project, centres, 1.0, 1e9, embedded=True)
    if not lands:
        reader = replace(reader, prints=prints_of(rows.examples, folds_of(rows.tile_set.lattice)))
    return _calibrated(reader, rows, _once(rows.examples.tiles) if lands else 0.0)


def prints_of(examples: Examples, folds: int) -> Prints:
    """Return what the kinds looked like in the photographs that show most of them."""
    kinds = Counter(photo for _, photo in set(zip(examples.tiles, examples.photos, strict=True)))
    photos = [photo for photo, _ in kinds.most_common(MOST_PHOTOS)]
    # Of several examples in one photograph the last stands for all.
    pairs = zip(examples.tiles, examples.photos, strict=True)
    last = {pair: number for number, pair in enumerate(pairs) if pair[1] in photos}
    chosen = examples.some(list(last.values()))
    steps = [int(-turn) % folds for turn in np.maximum(chosen.turns, 0)]
    faces = plain(chosen.patches, steps, folds)
    return Prints(faces, chosen.tiles, tuple(photos.index(photo) for photo in chosen.photos))


def with_strangers(fitted: Fitted, strangers: Examples) -> Fitted:
    """Return what was fitted, with pictures of things that are no tiles beside the kinds' own.

    A box of lands has no pictures to lay them beside, and stays as it is.
    """
    prints = fitted.reader.prints
    if prints is None or not len(strangers):
        return fitted
    folds = folds_of(fitted.tile_set.lattice)
    faces = plain(strangers.patches, [0] * len(strangers), folds)
    every = Prints(np.concatenate([prints.faces, faces]), (*prints.tiles, *strangers.tiles),
                   (*prints.photos, *[0] * len(strangers)))  # fmt: skip
    return replace(fitted, reader=replace(fitted.reader, prints=every))


def shows_lands(examples: Examples, folds: int) -> bool:
    """Return whether kinds have many prints: examples of one, turned alike, differ by far."""
    tiles = np.array(examples.tiles)
    same = np.triu(tiles[:, None] == tiles[None], 1)
    if not same.any():
        return len(set(examples.tiles)) <= FEW_KINDS
    steps = [int(-turn) % folds for turn in examples.turns]
    numbers = shipped_embedding().numbers(plain(examples.patches, steps, folds))[:, PARTS[0]]
    numbers /= np.maximum(np.linalg.norm(numbers, axis=1, keepdims=True), 1e-6)
    return float((numbers @ numbers.T)[same].mean()) < ONE_PRINT


def _scales(*, lands: bool) -> Floats:
    """Return how much each feature counts."""
    scales = np.ones(described_count(), np.float32)
    first = len(scales) - NUMBERS
    for part, scale in zip(PARTS, LAND_SCALES if lands else PRINT_SCALES, strict=True):
        scales[first:][part] = scale
    return scales


def every_look(examples: Examples, folds: int) -> tuple[Look, ...]:
    """Return all turns of all kinds."""
    return tuple(
        Look(tile, 0, turn) for tile in sorted(set(examples.tiles)) for turn in range(folds)
    )


def seen_periods(examples: Examples, folds: int) -> dict[str, int]:
    """Return after how many turns each kind with an up looks the same; 1 for those without."""
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
            (p for p in range(1, folds) if folds % p == 0
             and np.linalg.norm(rows[p] - rows[0]) < SAME_LOOK * size),
            folds,
        )  # fmt: skip
    return out


def _rows(
    examples: Examples, numbers: Mapping[Look, int], folds: int, rng: Random,
    hardness: Hardness, most: int,
) -> Rows:  # fmt: skip
    """Return varied examples of every look, each kind about as often as any other."""
    counts = Counter(examples.tiles)
    a_look = most / (len(counts) * folds)
    rows, looks, sources = [], [], []
    for number, tile in enumerate(examples.tiles):
        times = int(np.clip(np.ceil(a_look / counts[tile]), FEWEST_VARIED, MOST_VARIED))
        same = np.repeat(examples.patches[number : number + 1], times, axis=0)
        own = max(int(examples.turns[number]), 0)
        for turn in range(folds):
            steps = [(turn - own) % folds] * times
            rows.append(described(varied(same, steps, folds, rng, hardness)))
            looks += [numbers[Look(tile, 0, turn)]] * times
            sources += [number] * times
    return Rows(np.concatenate(rows), np.array(looks), np.array(sources))


def _once(tiles: Sequence[str]) -> float:
    """Return the share of kinds that were seen once only."""
    return float(np.mean([count == 1 for count in Counter(tiles).values()]))


def _calibrated(reader: Reader, rows: Prepared, lands_once: float) -> Fitted:
    """Return the reader with a temperature that hard examples ask for.

    For lands, of which a share was seen once, with more doubt than that.
    Where a kind has several examples, each is read as if it had not been learnt from.
    """
    examples, fitting, hard = rows.examples, rows.fitting, rows.hard
    distances = _without_own(reader, fitting, hard)
    once = _once(examples.tiles)
    spare = KNOWN_SPARE + (KNOWN_ONCE - KNOWN_SPARE) * once
    known = float(np.quantile(distances.min(axis=1), KNOWN_QUANTILE)) * spare
    truth = reader.group_of[hard.looks]
    best, chosen = np.inf, 1.0
    for temperature in TEMPERATURES:
        shares = replace(reader, temperature=float(temperature), known=known).confidences(distances)
        loss = -float(np.log(np.maximum(shares[np.arange(len(truth)), truth], 1e-9)).mean())
        if loss < best:
            best, chosen = loss, float(temperature)
    chosen = max(chosen, LEAST_ONCE * lands_once) * (1 + (DOUBT_ONCE - 1) * lands_once)
    reader = replace(reader, temperature=chosen, known=known)
    shares = reader.confidences(distances)
    right = shares[np.arange(len(truth)), truth]
    sureness = np.array([right[hard.sources == n].mean() for n in range(len(examples))])
    wrong = float((shares.argmax(axis=1) != truth).mean())
    return Fitted(
        reader, rows.tile_set, _confusions(reader, shares, truth), sureness, wrong, examples.tiles
    )


def _without_own(reader: Reader, fitting: Rows, hard: Rows) -> Floats:
    """Return distances to the looks, each example's own share taken out of its look's middle."""
    places = hard.rows @ reader.project
    squares = (places**2).sum(axis=1)[:, None] + (reader.centres**2).sum(axis=1)[None]
    distances = np.maximum(squares - 2 * places @ reader.centres.T, 0)
    learnt = fitting.rows @ reader.project
    totals = np.bincount(fitting.looks, minlength=len(reader.looks))
    for look in range(len(reader.looks)):
        own = fitting.looks == look
        for source in np.unique(fitting.sources[own]):
            mine = own & (fitting.sources == source)
            rest = totals[look] - mine.sum()
            asked = np.flatnonzero((hard.looks == look) & (hard.sources == source))
            if rest == 0 or not len(asked):
                continue
            middle = (learnt[own].sum(axis=0) - learnt[mine].sum(axis=0)) / rest
            distances[asked, look] = ((places[asked] - middle) ** 2).sum(axis=1)
    return np.asarray(distances, np.float32)


def _confusions(
    reader: Reader, shares: NDArray[np.float64], truth: Ints
) -> dict[tuple[str, str], float]:
    """Return how much of one kind's probability another kind gets, on average."""
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
