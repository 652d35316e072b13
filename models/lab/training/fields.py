"""Fits the scores of joints, cards in play and islands: ``python -m models.lab.training.fields``.

Tables are drawn without being painted: what the camera would find is each card's outline, off by as
much as found outlines are, some cards hidden, some misread. Most tables have stocks, hands and
other fields close by. The scores are gradient boosting over a few numbers of each joint, lattice
and island, kept as plain numbers with a manifest.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.lab.scenes.arrange import lay_out
from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.games.positions import GAMES_IN_POOL, table_at
from models.lab.scenes.scene import camera_for
from models.lab.scenes.settings import SQUARE_GAMES, SceneSettings, draw_settings
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.aside import lay_aside, lay_close
from models.lab.scenes.world.faces import printed_box
from models.lab.scenes.world.things import Item, TableTop
from models.lab.training.harness import made, parser_of, tell, write_manifest
from models.lab.training.trees import fit_trees
from vision.classify.evidence import TREES_VERSION, Trees
from vision.classify.reading import CellGuess, CellReading
from vision.core.files import write_arrays
from vision.core.lattice import fit_lattices, mapped
from vision.core.types import Detection, Detections, LatticeFit, width_of
from vision.layout.around import NUMBERS as ISLAND_NUMBERS
from vision.layout.around import island_numbers, placed_in, touching_cards
from vision.layout.cards import CardGroup, group_cards
from vision.layout.fields import NUMBERS, Joining, loose_beside, numbers_between
from vision.layout.play import NUMBERS as PLAY_NUMBERS
from vision.layout.play import numbers_of

OFF, OFF_SPREAD, OFF_PX = 0.0105, 0.3, 0.15
"""Error of found outlines: the usual deviation in card widths, its variation between tables (as a
natural logarithm), and what is added in pixels. With ``SHIFT`` and ``CORNER`` errors are spread as
those of outlines that are found on drawn tables."""
SHIFT, CORNER = (0.8, 10), (1.4, 4)
"""Scale and degrees of freedom of Student's distribution of errors: of all corners together, and of
each corner."""
ALONG_BIG = (-0.015, 0.022)
"""Mean and deviation of what is added to the error of each half of a big card along the card, in
widths of a half: the line between the halves is only printed."""
MISSED, MISREAD, HIDDEN = 0.02, 0.01, 0.3
"""Shares of cards that are missed and that are misread, and of tables with something that hides
cards."""
ARM_MM, ARMS = 250.0, 0.5
"""Greatest length of what hides cards between islands, as an arm does, and its share of tables."""
NOT_HIDDEN, NOT_TABLE = 0.1, 0.03
"""Share of hidden cells that look like the table, and of the table's cells that look hidden."""
BIGS_UNSEEN = 0.15
"""Share of tables on which no big card is seen, being outside the picture or hidden."""
PLAIN = 0.2
"""Share of tables read as a box without snakes, like taught boxes."""
ONE_THING = 0.35
"""Gap from which on cards beside the layout are separate things; joints between such cards are not
learnt from."""
EARLY, OPENING = 0.35, 0.12
"""Share of tables early in the game, and the game's largest progress there."""
ROOM, ROOM_MM = 0.4, 300.0
"""Share of tables that the camera leaves room on, as for a game that is just starting, and the most
room on each side of the layout."""
ASIDE = "aside"
SURROUNDINGS = 5
"""Tables made of one layout, each with other surroundings."""
TUNING = 5
"""Every fifth layout is held back to decide when fitting stops."""
GAMES_PLAYED = 80
"""Games of each box: playing one takes as long as drawing ten tables."""
ALONE = 1 / 16
"""Share of layouts of which cards aside and cards in play are also shown alone, at any distance
from the picture's centre."""
CLOSE, CLOSE_MET = 0.7, 1 / 3
"""Share of tables with stocks, hands and other fields close by: as drawn, since these teach most,
and as met in play."""


@dataclass(frozen=True)
class Samples:
    """Features for a score, and the right answers: one field, or in play."""

    rows: Array
    right: Array
    tables: Array
    """Number of the layout that each sample is from."""
    close: Array
    """Whether things lie close beside that layout."""

    @classmethod
    def joined(cls, parts: Sequence[Samples]) -> Samples:
        """Return the samples of several games as one."""
        return cls(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in fields(cls)
            )
        )


Known = tuple[list[list[float]], list[bool]]
"""Features for each time that a score is asked, and the right answers."""


def samples_of(game: str, seed: int, split: Any = "train") -> tuple[Known, Known, Known, bool]:
    """Return joints, lattices and islands of one layout, and whether its surroundings are close.

    The answer of a joint is whether it is inside a field, of a lattice whether it is in play, of an
    island whether it belongs to the field.
    """
    rng, elsewhere = rng_of("joints", split, game, seed), rng_of("elsewhere", split, game, seed)
    beyond = rng_of("islands", split, game, seed)
    joints: Known = [], []
    lattices: Known = [], []
    islands: Known = [], []
    settings = settings_of(game, seed, split, rng)
    alone = elsewhere.random() < ALONE
    for top, camera in tables_seen(game, seed, split, settings, rng):
        for row, right in _islands(top, camera, built_in_set(game), beyond):
            islands[0].append(row)
            islands[1].append(right)
        size_px = camera.size_px
        thing = partial(_thing, length_mm=0.0, share=HIDDEN)
        found, readings, truths, _ = _found(top, camera, built_in_set(game), rng, thing)
        plain = rng.random() < PLAIN
        tile_set = _without_snakes(built_in_set(game)) if plain else built_in_set(game)
        groups = _joined(found, readings, truths, tile_set, joints)
        for row, right in _touching(groups, tile_set):
            joints[0].append(row)
            joints[1].append(right)
        lattices[0].extend(numbers_of([group for group, _ in groups], tile_set, size_px).tolist())
        lattices[1].extend(truth != ASIDE for _, truth in groups)
        if alone:
            for own in (False, True):
                some = [k for k, truth in enumerate(truths) if (truth != ASIDE) is own]
                lone = _joined(
                    [found[k] for k in some],
                    [readings[k] for k in some],
                    [truths[k] for k in some],
                    tile_set,
                    ([], []),
                )
                rows = numbers_of([group for group, _ in lone], tile_set, size_px)
                rows[:, PLAY_NUMBERS.index("away")] = elsewhere.random(len(rows))
                lattices[0].extend(rows.tolist())
                lattices[1].extend([own] * len(rows))
    return joints, lattices, islands, settings.beside == "close"


Groups = list[tuple[CardGroup, str]]
"""Groups of cards, each with its field or ``aside``."""


def _joined(
    found: Sequence[Detection],
    readings: Sequence[CellReading],
    truths: Sequence[str],
    tile_set: TileSet,
    joints: Known,
) -> Groups:
    """Return the groups of a table; the joints that form them are added to ``joints``."""
    fits = fit_lattices(Detections((1, 1), "square", tuple(found)))
    lattices = [group_cards(found, fit, readings, tile_set) for fit in fits]
    groups: Groups = []
    for group in lattices:
        own = [truths[_number(card.outline_px, found, group.fit)] for card in group.cards]
        joining = Joining(group.cards, tile_set, loose_beside(group, lattices, tile_set))
        for row, right in _labelled(joining, own):
            joints[0].append(row)
            joints[1].append(right)
        for part in joining.parts():
            cards = tuple(group.cards[k] for k in part.cards)
            groups.append((CardGroup(cards, group.fit), own[part.cards[0]]))
    return groups


def _touching(groups: Groups, tile_set: TileSet) -> Iterator[tuple[list[float], bool]]:
    """Yield the joints between a field and groups that touch it on lattices of their own."""
    for group, truth in groups:
        field = None if truth == ASIDE else group.laid()
        for other, whose in groups if field is not None else ():
            touching = None
            if other is not group and field is not None:
                touching = touching_cards(field, other, tile_set)
            if touching:
                others = [one for one, _ in groups if one is not group]
                loose = loose_beside(other, others, tile_set)
                row = numbers_between(group.cards, touching, tile_set, loose)
                if row is not None:
                    yield row, whose == truth


def _number(outline: Array, found: Sequence[Detection], fit: LatticeFit) -> int:
    """Return the number of the outline that a card, or half a card, was made from."""
    middle = outline.mean(axis=0)
    return min(fit.cells.values(), key=lambda i: float(np.linalg.norm(found[i].centre_px - middle)))


def _labelled(joining: Joining, truths: Sequence[str]) -> Iterator[tuple[list[float], bool]]:
    """Yield the joints that the score meets while it decides right, and the right answers."""
    apart: set[frozenset[int]] = set()
    for merge in joining.merges(apart):
        names = {truths[k] for k in merge.cards}
        beside = names == {ASIDE}
        right = len(names) == 1 and not (beside and merge.between[0].miss >= ONE_THING)
        if not beside:
            yield merge.numbers, right
        if not right:
            apart |= {frozenset((joint.one, joint.other)) for joint in merge.between}


@dataclass(frozen=True)
class _Hidden:
    """Where something hides the table, as a picture would show it."""

    camera: Camera
    thing: Array
    rng: Random

    def hidden(self, outlines: Array) -> NDArray[np.bool_]:
        """Return for each outline whether it is hidden or outside the picture, with mistakes."""
        middles = outlines.mean(axis=1)
        on_table = mapped(np.linalg.inv(self.camera.px_from_mm()), middles)
        hidden = _far_from(on_table, self.thing) < self.thing[4]
        mistaken = self.rng.random(len(hidden)) < np.where(hidden, NOT_HIDDEN, NOT_TABLE)
        outside = ((middles < 0) | (middles > np.array(self.camera.size_px))).any(axis=1)
        return np.asarray(hidden ^ mistaken | outside)


def _islands(
    top: TableTop, camera: Camera, tile_set: TileSet, rng: Random
) -> Iterator[tuple[list[float], bool]]:
    """Yield the islands around each field of a table, and whether they belong to it."""
    thing = partial(_thing, length_mm=ARM_MM, share=ARMS)
    found, readings, truths, over = _found(top, camera, tile_set, rng, thing)
    groups = _joined(found, readings, truths, tile_set, ([], []))
    rows = numbers_of([group for group, _ in groups], tile_set, camera.size_px)
    signs = {group: row for (group, _), row in zip(groups, rows, strict=True)}
    ground = _Hidden(camera, over, rng)
    for truth in sorted({truth for _, truth in groups} - {ASIDE}):
        own = max((g for g, whose in groups if whose == truth), key=lambda g: len(g.cards))
        field = own.laid()
        if field is None:
            continue
        rest = [(g, whose) for g, whose in groups if g is not own]
        others = [g for g, _ in rest]
        for other, whose in rest:
            placed = placed_in(field, other)
            if placed is None:
                continue
            row = island_numbers(own, placed, others, tile_set, ground, signs)
            if row is not None:
                yield row, whose == truth


def settings_of(game: str, seed: int, split: Any, rng: Random) -> SceneSettings:
    """Return the settings of a layout and of what lies around it."""
    settings = draw_settings(seed, split, game, beside="close")
    if rng.random() >= CLOSE:
        settings = draw_settings(seed, split, game)
    if rng.random() < EARLY:
        settings = replace(settings, fullness=float(rng.uniform(0, OPENING)))
    return settings


def tables_seen(
    game: str, seed: int, split: Any, settings: SceneSettings, rng: Random
) -> Iterator[tuple[TableTop, Camera]]:
    """Yield a layout and the camera over it, each time with other things beside it."""
    table = table_at(game, split, settings.play, seed, settings.fullness, settings.foul)
    box = printed_box(game, settings.cards.size_mm)
    layout = _with_room(lay_out(table, settings, box, rng), rng)
    camera = camera_for(settings, layout.extent_mm)
    for number in range(SURROUNDINGS):
        in_line = partial(lay_close, in_line=number % 2 == 0)
        lay = in_line if settings.beside == "close" else lay_aside
        yield lay(layout, table.left, settings, box.tile_set.pitch_mm, rng), camera


def _with_room(layout: TableTop, rng: Random) -> TableTop:
    """Return a layout that often has room on each side, for cards to come."""
    low, high = layout.extent_mm.min(axis=0), layout.extent_mm.max(axis=0)
    room = rng.uniform(0, ROOM_MM, (2, 2)) * (rng.random() < ROOM)
    corners = [low - room[0], high + room[1]]
    return replace(layout, extent_mm=np.concatenate([layout.extent_mm, corners]))


def _found(
    top: TableTop,
    camera: Camera,
    tile_set: TileSet,
    rng: Random,
    thing_on: Callable[[Array, Random], Array],
) -> tuple[list[Detection], list[CellReading], list[str], Array]:
    """Return simulated detections and readings of a table, what each belongs to, and what hides."""
    spread = OFF * float(np.exp(rng.normal(0, OFF_SPREAD)))
    thing = thing_on(top.extent_mm, rng)
    size = np.array(camera.size_px, float)
    names = sorted(tile_set.kinds)
    found, readings, truths = [], [], []
    bigs_unseen = rng.random() < BIGS_UNSEEN
    for item in _uncovered(top.items):
        if item.role not in ("tile", ASIDE) or item.face not in tile_set:
            continue
        if bigs_unseen and len(tile_set[item.face].cells) > 1:
            continue
        tile = names[int(rng.integers(len(names)))] if rng.random() < MISREAD else item.face
        if len(tile_set[tile].cells) != len(tile_set[item.face].cells):
            tile = item.face
        truth = f"field {item.truth.get('field')}" if item.role == "tile" else ASIDE
        for k, flat in enumerate(_cells_mm(item.outline_mm(top.faces[item.face]), item, tile_set)):
            hidden = bool(_far_from(flat[:, :2].mean(axis=0), thing) < thing[4])
            along = rng.normal(*ALONG_BIG) if len(tile_set[item.face].cells) > 1 else 0.0
            outline = _found_at(camera.project(flat), spread, rng, along)
            middle = outline.mean(axis=0)
            if hidden or rng.random() < MISSED or (middle < 0).any() or (middle > size).any():
                continue
            turns = int(rng.integers(4))
            cut = bool(((outline < 0) | (outline > size - 1)).any())
            found.append(Detection(np.roll(outline, turns, axis=0), 0.9, cut))
            readings.append(CellReading((CellGuess(tile, k, turns, 0.99),)))
            truths.append(truth)
    return found, readings, truths, thing


def _thing(extent_mm: Array, rng: Random, length_mm: float, share: float) -> Array:
    """Return something that hides cards: its two ends and its radius in mm, which is often 0."""
    middle = rng.uniform(extent_mm.min(axis=0) - 30, extent_mm.max(axis=0) + 30)
    radius = float(rng.uniform(20, 70)) if rng.random() < share else 0.0
    end = middle
    if length_mm:
        angle = rng.uniform(0, 2 * np.pi)
        end = middle + rng.uniform(0, length_mm) * np.array([np.cos(angle), np.sin(angle)])
    return np.array([*middle, *end, radius])


def _far_from(points: Array, thing: Array) -> Array:
    """Return how far points lie from the line between a thing's two ends."""
    along = thing[2:4] - thing[:2]
    share = (points - thing[:2]) @ along / max(float(along @ along), 1e-9)
    nearest = thing[:2] + np.clip(share, 0, 1)[..., None] * along
    return np.asarray(np.linalg.norm(points - nearest, axis=-1))


def _uncovered(items: Sequence[Item]) -> list[Item]:
    """Return the items that nothing lies on."""
    high = [item for item in items if item.z_mm > 0 and item.role == ASIDE]
    return [
        item
        for item in items
        if not any(
            other.z_mm > item.z_mm
            and abs(other.x_mm - item.x_mm) < 12
            and abs(other.y_mm - item.y_mm) < 12
            for other in high
        )
    ]


def _cells_mm(outline: Array, item: Item, tile_set: TileSet) -> list[Array]:
    """Return the outlines of a card's cells on the table."""
    count = len(tile_set[item.face].cells)
    shares = [np.array([[k, k + 1, k + 1, k]]).T / count for k in range(count)]
    left, right = outline[[0, 0, 3, 3]], outline[[1, 1, 2, 2]]
    return [left + share * (right - left) for share in shares]


def _found_at(outline: Array, spread: float, rng: Random, along: float) -> Array:
    """Return an outline with a detector's errors: shifted, and each corner off about as much."""
    right, down = outline[1] - outline[0], outline[3] - outline[0]
    (shift, freely), (corner, more_freely) = SHIFT, CORNER
    off = shift * rng.standard_t(freely, (1, 2)) + corner * rng.standard_t(more_freely, (4, 2))
    off *= math.hypot(spread, OFF_PX / max(width_of(outline), 1.0))
    return np.asarray(outline + off @ np.stack([right, down]) + along * right)


def _without_snakes(tile_set: TileSet) -> TileSet:
    kinds = {name: replace(kind, strands=(), colour=None) for name, kind in tile_set.kinds.items()}
    return replace(tile_set, kinds=kinds)


def seeds_of(tables: int) -> list[int]:
    """Return the seeds of this many tables, from a few games."""
    return [GAMES_IN_POOL * (n // GAMES_PLAYED) + n % GAMES_PLAYED for n in range(tables)]


def draw(
    game: str, seeds: Sequence[int], workers: int, split: Any = "train"
) -> tuple[Samples, ...]:
    """Return the joints, the lattices and the islands of many tables of one game."""
    parts = made(game, partial(samples_of, game, split=split), seeds, workers)
    *known, close = zip(*parts, strict=True)
    return tuple(samples(one, close) for one in known)


def samples(parts: Sequence[Known], close: Sequence[bool]) -> Samples:
    """Return the samples of many tables, and whether the surroundings of each are close."""
    counts = [len(right) for _, right in parts]
    return Samples(
        np.concatenate([np.array(rows, float) for rows, _ in parts if rows]),
        np.concatenate([np.array(right, bool) for _, right in parts]),
        np.repeat(np.arange(len(parts)), counts),
        np.repeat(close, counts),
    )


def fit(samples: Samples, signs: Sequence[int]) -> tuple[Trees, dict[str, Any]]:
    """Return the score fitted to samples, and its figures on tables that were held back.

    Tables held back only decide when to stop. Samples are weighted by their frequency in play.

    Args:
        samples: features and right answers.
        signs: monotonic constraint of each feature: 1 only speaks for it, -1 only against, 0 none.
    """
    tuning = samples.tables % TUNING == 0
    met = np.where(samples.close, CLOSE_MET / CLOSE, (1 - CLOSE_MET) / (1 - CLOSE))
    score = fit_trees(samples.rows, samples.right.astype(int), met, tuning, signs)
    likely, right = score.shares(samples.rows[tuning]), samples.right[tuning]
    return score, {
        "samples": len(samples.right),
        "samples_not": int((~samples.right).sum()),
        "held_back": int(tuning.sum()),
        "wrong": int(((likely >= 0.5) != right).sum()),
        "not_above_0.98": int(((likely >= 0.98) & ~right).sum()),
        "right_below_0.98": int(((likely < 0.98) & right).sum()),
    }


AGAINST = frozenset(
    [
        "gap",
        "slide",
        "turned",
        "gaps",
        "least",
        "slides",
        "turns",
        "broken",
        "over",
        "wider",
        "wider_than_usual",
        "small_broken",
    ]
)
"""Features that can only speak against one field."""


def write_score(
    name: str, score: Trees, numbers: Sequence[str], figures: dict[str, Any], folder: Path
) -> None:
    """Write a score and the manifest that loading checks."""
    folder.mkdir(parents=True, exist_ok=True)
    sha256 = write_arrays(folder / f"{name}.npz", score.arrays())
    manifest = {
        "format": f"snake-eye/{name}",
        "version": TREES_VERSION,
        "file": f"{name}.npz",
        "sha256": sha256,
        "numbers": list(numbers),
        "trained": figures,
    }
    write_manifest(folder / f"{name}.json", manifest)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, fit and write as the command line asks."""
    parser = parser_of("fields", __doc__)
    parser.add_argument("--tables", type=int, default=2000, help="layouts of each game")
    asked = parser.parse_args(arguments)
    drawn = [draw(game, seeds_of(asked.tables), asked.workers) for game in SQUARE_GAMES]
    joint = [-1 if name in AGAINST else int(name in ("joined", "own")) for name in NUMBERS]
    island = [-1 if name in ("off", "turned", "over") else 0 for name in ISLAND_NUMBERS]
    kinds = (
        ("fields", NUMBERS, joint),
        ("play", PLAY_NUMBERS, [0] * len(PLAY_NUMBERS)),
        ("islands", ISLAND_NUMBERS, island),
    )
    for (name, numbers, signs), parts in zip(kinds, zip(*drawn, strict=True), strict=True):
        score, figures = fit(Samples.joined(parts), signs)
        write_score(
            name, score, numbers, {"tables": asked.tables * len(drawn), **figures}, asked.out
        )
        tell(name, figures, asked.out, [f"{name}.npz"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
