"""Compares two readers on the same outlines: ``python -m models.lab.evaluate.readers FOLDER``.

The folder holds a network that ``models.lab.training.one_reader`` wrote; beside it stands the
reader of play. Outlines are found once and kept: on held-out tables of the square games, on
photographs without a tile of ours (in the folder that ``SNAKE_EYE_SHARED`` names), and, as they
lie, on tables of invented boxes that were taught without a third of their kinds. This is the
reader's own share: no layout, no rules, no company. With ``--whole`` tables are read whole too, by
play and by play with the network in it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.lab.evaluate.cases import STRANGERS, drawn_table, request_of
from models.lab.evaluate.golden import FIRST_SEED
from models.lab.evaluate.harness import parser_of, say, shared, spread
from models.lab.evaluate.score import row_of
from models.lab.evaluate.taught.invented import box_names, one_print, part_lesson, tables_of
from models.lab.one_reader import OneReader, Prototypes, cell_reader, printed
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Json
from models.lab.scenes.world.invented import invented_set
from models.lab.training.drills import across_of, entry_cells, jittered
from models.lab.training.strangers import anywhere
from models.teaching.teach import gather, learn
from vision import Bgr, Points, load_picture, read_table, stages_for
from vision.classify.evidence import taught_evidence
from vision.classify.reader import CellReading, shipped_reader
from vision.classify.taught_tiles import read_taught
from vision.core.crop import cut
from vision.core.types import (
    QUARTERS,
    SMALLEST_PX,
    SURE,
    Detection,
    Look,
    period_of,
    width_of,
)
from vision.detect.detect import QUICK, detect_tiles
from vision.layout.candidates import distinct

FOLDER = Path("build/readers")
SAME, APART, AS_WIDE = 0.2, 0.6, 1.25
"""Distances between the middles of an outline and a tile, in widths: nearer it is the tile's, and
farther it is a stranger's; and the most by which their widths may differ."""
WHOLLY, HALF, MOST_GLARE = 0.85, 0.6, 0.02
TABLES_A_BOX, PLACES, MISSES, FOUND = 3, 12, 1.0, 0.9


@dataclass(frozen=True, eq=False)
class Outlines:
    """Patches with what they show and what play's reader says of them."""

    patches: Array
    across: Array
    truth: Array
    """``tile#cell@turns``; empty for strangers, and without a turn for taught boxes."""
    visible: Array
    said: Array
    sure: Array
    known: Array
    """Whether a taught box has a print of it."""

    def keep(self, path: Path, **more: Array) -> None:
        """Write them into a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {**vars(self), **more}
        np.savez(path, **arrays)

    @classmethod
    def kept(cls, path: Path) -> Outlines:
        """Return those of a file."""
        with np.load(path) as arrays:
            return cls(*(arrays[one.name] for one in fields(cls)))

    @classmethod
    def joined(cls, parts: Sequence[Outlines]) -> Outlines:
        """Return the outlines of several tables."""
        return cls(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)))


# --- Outlines that are kept ---


def keep_table(seed: int, game: str, folder: Path) -> None:
    """Keep the outlines that are found on a drawn table."""
    path = folder / "tables" / f"{game}-{seed}.npz"
    shown = None if path.exists() else drawn_table(folder / "pictures", game, seed)
    if shown is None:
        return
    tile_set = built_in_set(game)
    found = distinct(detect_tiles(shown.bgr, "square", settings=QUICK)).found
    cells = [
        (Look(entry["tile"], number), corners, entry)
        for entry in (*shown.truth["tiles"], *shown.truth["aside"])
        for number, corners in enumerate(entry_cells(entry, tile_set))
    ]
    rows = [
        (one, *row) for one in found if (row := outline_shows(one, cells, tile_set)) is not None
    ]
    patches = cut(shown.bgr, [one.corners_px for one, _, _ in rows])
    across = np.array([one.across_px for one, _, _ in rows])
    said = shipped_reader(game).read(patches, across.tolist())
    truth, visible = [str(look) for _, look, _ in rows], [seen for _, _, seen in rows]
    _outlines(patches, across, truth, visible, said, named_cell).keep(path)


def outline_shows(
    one: Detection, cells: Sequence[tuple[Look, Points, Json]], tile_set: TileSet
) -> tuple[str, float] | None:
    """Return what an outline shows and how much of it is seen; ``None`` if nobody can say."""
    apart = [float(np.linalg.norm(c.mean(axis=0) - one.centre_px)) for _, c, _ in cells]
    wide = [across_of(corners) for _, corners, _ in cells]
    if (
        not cells
        or min(a / max(w, one.across_px) for a, w in zip(apart, wide, strict=True)) > APART
    ):
        return "", 1.0
    nearest = int(np.argmin(apart))
    look, corners, entry = cells[nearest]
    ratio = one.across_px / wide[nearest]
    if apart[nearest] > SAME * wide[nearest] or not 1 / AS_WIDE < ratio < AS_WIDE:
        return None
    if entry["cut"] or entry.get("glare", 0) > MOST_GLARE:
        return None
    off = [
        float(np.abs(np.roll(corners, n, axis=0) - one.corners_px).sum()) for n in range(QUARTERS)
    ]
    turns = int(np.argmin(off)) % period_of(tile_set, look.tile)
    return str(Look(look.tile, look.cell, turns)), float(entry["visible"])


def keep_photo(name: str, photos: Path, folder: Path) -> None:
    """Keep the outlines that are found on a photograph without a tile of ours."""
    paths = {
        game: folder / "photographs" / f"{game}-{Path(name).stem}.npz" for game in SQUARE_GAMES
    }
    if all(path.exists() for path in paths.values()):
        return
    bgr = load_picture(photos / name).bgr
    found = distinct(detect_tiles(bgr, "square", settings=QUICK)).found
    patches = cut(bgr, [one.corners_px for one in found])
    across = np.array([one.across_px for one in found])
    for game, path in paths.items():
        said = shipped_reader(game).read(patches, across.tolist())
        none = [""] * len(found)
        _outlines(patches, across, none, [1.0] * len(found), said, named_cell).keep(path)


def keep_box(name: str, folder: Path) -> None:
    """Keep the tiles of an invented box that was taught without some of its kinds."""
    path = folder / "taught" / f"{name}.npz"
    if path.exists():
        return
    with tempfile.TemporaryDirectory() as home:
        lesson, known = part_lesson(name, Path(home), "held-out")
        fitted = learn(lesson, gather(lesson).examples, Path(home))
    own = fitted.reader.prints
    if own is None:
        return
    reader = replace(fitted.reader, evidence=taught_evidence(own))
    prints, parts = one_print(invented_set(name)), []
    for number, scene in enumerate(tables_of(name, "square", TABLES_A_BOX)):
        rng = rng_of("readers", name, number)
        tiles = scene.truth["tiles"]
        outlines = [jittered(np.array(t["outline"]), rng, MISSES) for t in tiles]
        outlines += anywhere(scene.bgr.shape, PLACES, rng)
        found = [Detection(outline, FOUND) for outline in outlines]
        bgr: Bgr = np.asarray(scene.bgr, np.uint8)
        said = read_taught(bgr, found, reader, lambda patches: patches)
        truth = [prints[t["tile"]] for t in tiles] + [""] * PLACES
        across = np.array([width_of(outline) for outline in outlines])
        one = _outlines(cut(bgr, outlines), across, truth, [1.0] * len(found), said, named_tile)
        parts.append(Outlines(**{**vars(one), "known": np.isin(truth, sorted(known))}))
    periods = [int(fitted.tile_set.kinds[tile].period) for tile in own.tiles]
    Outlines.joined(parts).keep(
        path, faces=own.faces, tiles=np.array(own.tiles), periods=np.array(periods)
    )


def named_cell(reading: CellReading) -> str:
    """Return the tile, cell and turns that a reading names first."""
    if not reading.guesses or reading.why is not None:
        return ""
    best = reading.guesses[0]
    return str(Look(best.tile, best.cell, best.turns))


def named_tile(reading: CellReading) -> str:
    """Return the tile that a reading names first."""
    return reading.guesses[0].tile if reading.guesses and reading.why is None else ""


def _outlines(
    patches: Array,
    across: Array,
    truth: Sequence[str],
    visible: Sequence[float],
    readings: Sequence[CellReading],
    named: Callable[[CellReading], str],
) -> Outlines:
    said = [named(reading) for reading in readings]
    sure = [reading.best if name else 0.0 for reading, name in zip(readings, said, strict=True)]
    none = np.zeros(len(patches), bool)
    return Outlines(
        patches,
        across.astype(np.float32),
        np.array(truth, str),
        np.array(visible, np.float32),
        np.array(said, str),
        np.array(sure, np.float32),
        none,
    )


# --- What the readers say of them ---


@dataclass(frozen=True, eq=False)
class Answers:
    """What a reader says of outlines."""

    said: Array
    sure: Array


def network_answers(reader: OneReader, box: Prototypes, shown: Outlines) -> Answers:
    """Return what the network says; without turns where the truth has none."""
    says = reader.read(box, shown.patches, shown.across)
    names = [name if "#" in name else name.rpartition("@")[0] for name in says.names]
    return Answers(np.array(names), says.right)


def counted(shown: Outlines, answers: Answers, some: Array) -> tuple[int, int, int, int]:
    """Return how many outlines there are, are named right, surely so, and surely wrong."""
    right, surely = answers.said == shown.truth, answers.sure >= SURE
    every = (some, some & right, some & right & surely, some & ~right & surely)
    return tuple(int(one.sum()) for one in every)  # type: ignore[return-value]


def kinds_of_tiles(shown: Outlines) -> dict[str, Array]:
    """Return which outlines of drawn tables are of each kind that is counted."""
    tile, large = shown.truth != "", shown.across >= SMALLEST_PX
    return {
        "full tiles": tile & large & (shown.visible >= WHOLLY),
        "covered": tile & large & (shown.visible < WHOLLY) & (shown.visible >= HALF),
        "more than 0.4 covered": tile & large & (shown.visible < HALF),
        "small": tile & ~large,
        "no tile": ~tile,
    }


def kinds_of_taught(shown: Outlines) -> dict[str, Array]:
    """Return which outlines of taught boxes are of each kind that is counted."""
    tile = shown.truth != ""
    return {"taught": shown.known, "not taught": tile & ~shown.known, "no tile": ~tile}


def compared(
    name: str,
    parts: Sequence[tuple[Outlines, Answers]],
    kinds: Callable[[Outlines], dict[str, Array]],
) -> Iterator[str]:
    """Yield for each kind of outline what play's reader and the network say of it."""
    sums: dict[str, Array] = {}
    for shown, answers in parts:
        for kind, some in kinds(shown).items():
            both = [counted(shown, one, some) for one in (Answers(shown.said, shown.sure), answers)]
            sums[kind] = sums.get(kind, 0) + np.array(both)
    for kind, ((count, *play), (_, *network)) in sums.items():
        said = ("right", "right and sure", "wrong and sure")
        rows = (f"{w} {a} | {b}" for w, a, b in zip(said, play, network, strict=True))
        yield f"{name}, {kind}, {count}: " + "; ".join(rows)


def whole_table(
    seed: int, game: str, folder: Path, doubt: float, kept: Path
) -> tuple[Json, Json] | None:
    """Return the ratings of a whole table, as play reads it and with the network in play."""
    shown = drawn_table(kept / "pictures", game, seed)
    if shown is None:
        return None
    request, network = request_of(game), cell_reader(folder, doubt, game)
    play = read_table(shown.bgr, request)
    with patch("vision.layout.unread.shipped_reader", partial(cell_reader, folder, doubt)):
        stages = replace(stages_for(request), reader=network)  # type: ignore[arg-type]
        other = read_table(shown.bgr, request, stages)
    return row_of(shown, play, game), row_of(shown, other, game)


def whole_lines(name: str, rows: Sequence[tuple[Json, Json]]) -> Iterator[str]:
    """Yield what play's reader and the network make of whole tables."""
    rows = [row for row in rows if not row[0]["small"]]
    lost = sum(play["exact"] and not other["exact"] for play, other in rows)
    won = sum(other["exact"] and not play["exact"] for play, other in rows)
    sums = [
        [sum(int(row[k][what]) for row in rows) for k in (0, 1)]
        for what in ("exact", "good", "unsure", "sure_wrong")
    ]
    said = "; ".join(
        f"{what} {a} | {b}"
        for what, (a, b) in zip(("exact", "good", "unsure", "wrong and sure"), sums, strict=True)
    )
    yield f"{name}, {len(rows)} tables: {said}; lost {lost}, won {won}"


def compare(net: OneReader, kept: Path) -> Iterator[str]:
    """Yield all figures of a network, beside those of play's reader."""
    for part in ("tables", "photographs"):
        rows = []
        for game in SQUARE_GAMES:
            box = printed(net, built_in_set(game))
            paths = sorted((kept / part).glob(f"{game}-*.npz"))
            if paths:
                shown = Outlines.joined([Outlines.kept(path) for path in paths])
                rows.append((shown, network_answers(net, box, shown)))
        yield from compared(part, rows, kinds_of_tiles)
    taught = []
    for path in sorted((kept / "taught").glob("*.npz")):
        with np.load(path) as arrays:
            box = net.prototypes(arrays["faces"], list(arrays["tiles"]), arrays["periods"])
        shown = Outlines.kept(path)
        taught.append((shown, network_answers(net, box, shown)))
    yield from compared("taught", taught, kinds_of_taught)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare as the command line asks."""
    parser = parser_of("readers", __doc__, out=FOLDER)
    parser.add_argument("folder", type=Path, help="folder of the network")
    parser.add_argument("--tables", type=int, default=100, help="of each game")
    parser.add_argument("--boxes", type=int, default=24, help="invented boxes to teach")
    parser.add_argument("--whole", type=int, default=0, help="tables of each game, read whole")
    parser.add_argument("--doubt", type=float, default=0.0, help="log-odds against every tile")
    asked = parser.parse_args(arguments)
    tables = range(FIRST_SEED, FIRST_SEED + asked.tables)
    for game in SQUARE_GAMES:
        list(spread(partial(keep_table, game=game, folder=asked.out), tables, asked.workers))
    names = box_names("square", asked.boxes)
    list(spread(partial(keep_box, folder=asked.out), names, asked.workers))
    photos = shared("photos")
    if photos is not None:
        files = [
            f"{folder}/{path.name}"
            for folder in STRANGERS
            for path in sorted((photos / folder).glob("*.jpg"))
        ]
        work = partial(keep_photo, photos=photos, folder=asked.out)
        list(spread(work, files, asked.workers))
    for game in SQUARE_GAMES if asked.whole else ():
        seeds = range(FIRST_SEED, FIRST_SEED + asked.whole)
        read = partial(
            whole_table, game=game, folder=asked.folder, doubt=asked.doubt, kept=asked.out
        )
        rows = [row for row in spread(read, seeds, asked.workers) if row is not None]
        say(*whole_lines(game, rows))
    # Last: a process that is forked with a network open could not run it.
    say(*compare(OneReader(asked.folder, asked.doubt), asked.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
