"""The parts of the evaluation: which pictures each reads, and what is wanted of the answers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from models.lab.evaluate import sealed
from models.lab.evaluate.cases import (
    STRANGERS,
    Cases,
    answered,
    photograph_cases,
    render_cases,
    shrunk_table,
    spotted_table,
    stranger_case,
    table_case,
    table_cases,
)
from models.lab.evaluate.figures import (
    DRAWN,
    PHOTOGRAPHED,
    RENDERED,
    SEALED,
    SPOTTED,
    STRANGE,
    Wanted,
    figures_of,
    remarks,
)
from models.lab.evaluate.harness import Figure, every_row, kept_rows, say, shared
from models.lab.evaluate.taught.cases import qwirkle_box, taught_cases
from models.lab.scenes.settings import GAMES, HEX_GAMES, SQUARE_GAMES
from models.lab.scenes.world.arrays import Json

TABLES, FEW_TABLES, SEALED_TABLES = 500, 60, 1000
"""Tables per game; the interval of one wrong tile in a thousand needs as many as the first."""
FIRST_SMALL = 50_000
"""First seed of the tables that are shrunk, which are other ones than the usual."""
BOXES, FEWEST = 50, 4
"""Invented boxes of each shape, and the least of anything that a share of the counts gives."""
TAUGHT = "taught"
MISREAD = Path(__file__).with_name("once_misread.json")
"""By game: seeds of held-out tables that a reader once misread, and what was wrong with them."""
MOST_PICTURES = 24


@dataclass(frozen=True)
class Part:
    """One part of the evaluation."""

    title: str
    lists: Callable[[argparse.Namespace], Iterator[Cases]]
    wanted: Wanted = field(default_factory=dict)
    whatever: bool = False
    """Whether small tiles count as others, and pictures that are called not good enough."""

    def figures(self, rows: Sequence[Json]) -> tuple[Figure, ...]:
        """Return all figures of rows."""
        return figures_of(rows, self.wanted, whatever=self.whatever)


@dataclass(frozen=True)
class Subject:
    """What was counted of one part about one game, box or folder."""

    part: str
    name: str
    figures: tuple[Figure, ...]
    worst: tuple[str, ...] = ()
    """Pictures that are not wholly right, relative to the folder of results."""
    marks: frozenset[str] = frozenset()
    """Hashes of the code and models that read the tables."""


# --- The lists ---


def _count(asked: argparse.Namespace, full: int) -> int:
    return int(asked.tables or max(FEWEST, round(full * asked.scale)))


def _tables(
    asked: argparse.Namespace, games: Sequence[str], full: int, first: int = 0, **how: Any
) -> Iterator[Cases]:
    first = first if asked.seed is None else asked.seed
    chosen = [game for game in games if game in (asked.games or games)]
    return table_cases(chosen, range(first, first + _count(asked, full)), **how)


def _misread(asked: argparse.Namespace) -> Iterator[Cases]:
    """Yield tables that were once misread, each for another cause."""
    for game, causes in json.loads(MISREAD.read_text("utf-8")).items():
        if game in (asked.games or GAMES):
            yield Cases(game, list(causes), partial(table_case, game=game))


def _renders(asked: argparse.Namespace) -> Iterator[Cases]:
    folder = asked.renders or shared("renders")
    return iter(()) if folder is None else render_cases(folder, asked.games or GAMES)


def _photographs(asked: argparse.Namespace) -> Iterator[Cases]:
    photos = shared("photos")
    return iter(()) if photos is None else photograph_cases(photos)


def _strangers(asked: argparse.Namespace) -> Iterator[Cases]:
    """Yield photographs without a tile of ours, read for each game and for a box just taught."""
    photos = shared("photos")
    if photos is None:
        return
    paths = [path for name in STRANGERS for path in sorted((photos / name).glob("*.jpg"))]
    for box in asked.games or (*GAMES, TAUGHT):
        taught = partial(qwirkle_box, photos / "qwirkle") if box == TAUGHT else None
        case = partial(stranger_case, folder=photos, taught=taught)
        yield Cases(box, [f"{path.relative_to(photos)} {box}" for path in paths], case)


def _taught(asked: argparse.Namespace) -> Iterator[Cases]:
    boxes = max(FEWEST, round(BOXES * asked.scale))
    return taught_cases(boxes, shared("photos"), asked.out / "pictures")


def _sealed(asked: argparse.Namespace) -> Iterator[Cases]:
    """Record that a sealed split is opened, and yield its tables."""
    count = _count(asked, SEALED_TABLES)
    sealed.put_down(asked.split, count, asked.why)
    for game in asked.games or GAMES:
        case = partial(sealed.sealed_case, game=game, split=asked.split)
        yield Cases(game, [str(seed) for seed in range(count)], case)


def _few(games: Sequence[str], **how: Any) -> Callable[[argparse.Namespace], Iterator[Cases]]:
    return partial(_tables, games=games, full=FEW_TABLES, **how)


PARTS: Mapping[str, Part] = {
    "squares": Part(
        "Held-out tables of the square games",
        partial(_tables, games=SQUARE_GAMES, full=TABLES),
        DRAWN,
    ),
    "close": Part(
        "The same with stocks, hands and other fields 10 to 40 mm off",
        _few(SQUARE_GAMES, beside="close"),
        DRAWN,
    ),
    "misread": Part("Held-out tables that were once misread, each for another cause", _misread),
    "hexes": Part(
        "Held-out tables of the hex games", partial(_tables, games=HEX_GAMES, full=TABLES), DRAWN
    ),
    "sealed": Part(
        "The sealed split: lights, surfaces and games that nothing was chosen with",
        _sealed,
        SEALED,
    ),
    "small": Part(
        "The same with tiles below 24 pixels",
        _few(GAMES, first=FIRST_SMALL, change=shrunk_table),
        DRAWN,
    ),
    "photoreal": Part(
        "Photoreal renders, of lights, surfaces and seeds never trained on", _renders, RENDERED
    ),
    "photographs": Part(
        "Photographs of boxes that training never saw", _photographs, PHOTOGRAPHED, whatever=True
    ),
    "strangers": Part("Photographs on which no tile lies", _strangers, STRANGE, whatever=True),
    "spots": Part(
        "Tables with spots of light",
        _few(SQUARE_GAMES, change=spotted_table),
        SPOTTED,
        whatever=True,
    ),
    "teaching": Part("Boxes that an owner teaches", _taught),
}
"""In the order of the report."""


# --- Counting ---


def count_part(name: str, asked: argparse.Namespace) -> None:
    """Read what is missing of a part, keep its rows and tell its figures."""
    part, folder = PARTS[name], asked.out / name
    for cases in part.lists(asked):
        work = partial(answered, case=cases.case, worst=folder / "worst" / cases.name)
        made = every_row(folder / f"{cases.name}.jsonl", cases.keys, work, asked.workers)
        rows = [row for row in made if "error" not in row]
        if rows:
            figures = [
                f"  {f.name}: {f.hits} of {f.count}: {f.told()} {f.wanted()}".rstrip()
                for f in part.figures(rows)
            ]
            say(f"{name}, {cases.name}", *figures, *remarks(rows))


def subjects(results: Path) -> Iterator[Subject]:
    """Yield what is kept in a folder of results, part by part; of each file the newest reader's."""
    for name, part in PARTS.items():
        for path in sorted((results / name).glob("*.jsonl"), key=_by_game):
            every = kept_rows(path)
            rows = [row for row in every if row["mark"] == every[-1]["mark"] and "error" not in row]
            worst = sorted((results / name / "worst" / path.stem).glob("*.jpg"))[:MOST_PICTURES]
            shown = tuple(str(picture.relative_to(results)) for picture in worst)
            marks = frozenset(row["mark"] for row in rows)
            yield Subject(name, path.stem, part.figures(rows), shown, marks)


def _by_game(path: Path) -> tuple[int, str]:
    known = path.stem in GAMES
    return GAMES.index(path.stem) if known else len(GAMES), path.stem
