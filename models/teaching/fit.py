"""Fits a reader to examples: scikit-learn's linear discriminant analysis, in seconds.

Features are many and examples few. All that tells kinds apart lies in the space of their means,
so that and the strongest ways in which examples vary are kept, and the analysis is fitted there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileKind, TileSet
from models.teaching.examples import Examples, Hardness, plain, varied
from vision.classify import Reader, make_reader
from vision.embedding import described
from vision.looks import Look

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Random = np.random.Generator

MOST_ROWS = 2500
"""Varied examples that are fitted to: more read no better, and take longer."""
FEWEST_VARIED, MOST_VARIED = 3, 40
WAYS = 200
"""The strongest ways in which examples of one look vary that are kept."""
ASKED_FOR_WAYS = 1200
FEW_KINDS = 12
"""In a box of so few kinds a kind is often many prints, as terrains are; where there are more, one
print is one kind, and kinds may differ by little."""
SHRINKAGE, SHRINKAGE_BROAD, SHRINKAGE_ONCE = 0.5, 0.8, 0.95
"""How little is made of the ways in which examples vary: in boxes of many kinds; of few; and of few
that were seen once. On photographed terrains, one example a kind: 70 % right by the first, 84 by
the last; five: 90, and 93 by the second. Of 67 tiles of invented boxes with 24 kinds the first
reads 66 right, the second 65."""
CALIBRATING_ROWS = 1000
HARDER = 1.5
"""What is calibrated with misses by so much more than what was fitted to."""
TEMPERATURES = np.geomspace(1, 80, 40)
KNOWN_QUANTILE, KNOWN_SPARE, KNOWN_ONCE = 0.998, 1.1, 2.6
"""Tiles are known up to so much beyond the strangest of a thousand hard examples; much further
where kinds were seen once only, since nobody knows then how far their prints differ."""
DOUBT_ONCE = 2.0
"""Differences count so much less where few kinds were seen, and once: of 884 terrains read at 0.99
only 837 were right without that, 449 of 451 with it."""
SAME_LOOK = 0.05
"""Two turns of a kind look the same when their middles are so close, in usual distances between
examples of one look."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of varied examples: which look each shows, and which example it was."""

    rows: Floats
    looks: Ints
    sources: Ints


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


def fit_reader(
    examples: Examples, tile_set: TileSet, rng: Random, used: NDArray[np.bool_] | None = None
) -> Fitted:
    """Return the reader of a taught box; of the features only those in ``used``, where given."""
    folds = 4 if tile_set.lattice == "square" else 6
    looks = every_look(examples, folds)
    numbers = {look: number for number, look in enumerate(looks)}
    fitting = _only(_rows(examples, numbers, folds, rng, Hardness(), MOST_ROWS), used)
    project, centres = _analysed(fitting, len(looks), _shrinkage(examples.tiles))
    reader = make_reader(tile_set, looks, project, centres, 1.0, 1e9, embedded=True)
    hard = _rows(examples, numbers, folds, rng, Hardness().times(HARDER), CALIBRATING_ROWS)
    return _calibrated(reader, tile_set, examples, fitting, hard)


def _only(rows: Rows, used: NDArray[np.bool_] | None) -> Rows:
    # A feature that never varies gets no weight in the analysis.
    return rows if used is None else replace(rows, rows=rows.rows * used)


def every_look(examples: Examples, folds: int) -> tuple[Look, ...]:
    """Return all turns of all kinds."""
    return tuple(
        Look(tile, 0, turn) for tile in sorted(set(examples.tiles)) for turn in range(folds)
    )


def with_periods(tile_set: TileSet, periods: Mapping[str, int]) -> TileSet:
    """Return the box with other numbers of turns after which kinds look the same."""
    kinds: dict[str, TileKind] = {
        name: replace(kind, period=periods.get(name, kind.period))
        for name, kind in tile_set.kinds.items()
    }
    return replace(tile_set, kinds=kinds)


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
    patches, looks, sources = [], [], []
    for number, tile in enumerate(examples.tiles):
        times = int(np.clip(np.ceil(a_look / counts[tile]), FEWEST_VARIED, MOST_VARIED))
        own = max(int(examples.turns[number]), 0)
        for turn in range(folds):
            patches.append(np.repeat(examples.patches[number : number + 1], times, axis=0))
            looks += [(numbers[Look(tile, 0, turn)], (turn - own) % folds)] * times
            sources += [number] * times
    steps = [step for _, step in looks]
    made = [
        described(varied(part, steps[at : at + len(part)], folds, rng, hardness))
        for at, part in _running(patches)
    ]
    return Rows(np.concatenate(made), np.array([k for k, _ in looks]), np.array(sources))


def _running(parts: list[NDArray[np.uint8]]) -> list[tuple[int, NDArray[np.uint8]]]:
    """Return the parts with the number of the first row of each."""
    starts = np.cumsum([0, *[len(part) for part in parts]])
    return [(int(at), part) for at, part in zip(starts, parts, strict=False)]


def _shrinkage(tiles: Sequence[str]) -> float:
    """Return how little to make of the ways in which examples vary."""
    if len(set(tiles)) > FEW_KINDS:
        return SHRINKAGE
    once = _once(tiles)
    return once * SHRINKAGE_ONCE + (1 - once) * SHRINKAGE_BROAD


def _once(tiles: Sequence[str]) -> float:
    """Return the share of kinds that were seen once only."""
    return float(np.mean([count == 1 for count in Counter(tiles).values()]))


def _analysed(learnt: Rows, count: int, shrinkage: float) -> tuple[Floats, Floats]:
    """Return the map to the space that tells looks apart, and the looks' middles there."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    means = _means(learnt.rows, learnt.looks, count)
    residuals = learnt.rows - means[learnt.looks]
    few = residuals[:: len(residuals) // ASKED_FOR_WAYS + 1]
    ways = _strongest(few, WAYS)
    basis = _orthonormal(np.concatenate([(means - means.mean(axis=0)), ways]))
    analysis = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage)
    analysis.fit((learnt.rows @ basis).astype(np.float64), learnt.looks)
    project = basis @ analysis.scalings_[:, : count - 1].astype(np.float32)
    # What is stored is rounded: the middles must be those of the rounded map.
    project = project.astype(np.float16).astype(np.float32)
    return project, means @ project


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


def _calibrated(
    reader: Reader, tile_set: TileSet, examples: Examples, fitting: Rows, hard: Rows
) -> Fitted:
    """Return the reader with a temperature that hard examples ask for.

    Where a kind has several examples, each is read as if it had not been learnt from.
    """
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
    if len(set(examples.tiles)) <= FEW_KINDS:
        chosen *= 1 + (DOUBT_ONCE - 1) * once
    reader = replace(reader, temperature=chosen, known=known)
    shares = reader.confidences(distances)
    right = shares[np.arange(len(truth)), truth]
    sureness = np.array([right[hard.sources == n].mean() for n in range(len(examples))])
    wrong = float((shares.argmax(axis=1) != truth).mean())
    return Fitted(reader, tile_set, _confusions(reader, shares, truth), sureness, wrong,
                  examples.tiles)  # fmt: skip


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
