"""How well taught boxes are read: ``python -m models.evaluate.teaching PART…``.

Parts: ``qwirkle``, ``kingdomino``, ``catan`` (photographs, in the folder that ``SNAKE_EYE_SHARED``
names; left out where it is not set), ``game`` (a whole game with a taught box), ``wooden`` (a whole
game of Snekagon with blocks of wood on a wooden board, and other tables of it), ``stained``
(Snekagon 5G in other art, with clay and holes: the last tables of games), ``invented`` (drawn
boxes that no training saw; 200 tables, with ``--workers`` on several cores, and a run that was
broken off goes on where it stopped), ``missing`` (such boxes of which a third of the kinds was
never taught), ``lands`` (the same where a kind has many prints; what the
fit's settings are chosen by) and ``features`` (which of them tell prints apart). The last two only
when asked for.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2

from models.evaluate.harness import RESULTS, parser_of, say
from models.evaluate.taught.features import (
    evaluate_features,
    evaluate_features_on_photos,
    evaluate_lands,
)
from models.evaluate.taught.games import evaluate_game, evaluate_stained, evaluate_wooden
from models.evaluate.taught.invented import FIRST_TABLE, evaluate_invented, evaluate_missing
from models.evaluate.taught.photos import evaluate_catan, evaluate_kingdomino, evaluate_qwirkle
from models.scenes.splits import SHARED_VARIABLE

PARTS = ("qwirkle", "kingdomino", "catan", "game", "wooden", "stained", "invented", "missing",
         "lands", "features")  # fmt: skip
USUAL = PARTS[:-2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("teaching", __doc__, out=RESULTS / "teaching")
    parser.add_argument("parts", nargs="*", default=USUAL, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--boxes", type=int, default=50, help="invented boxes of each shape")
    parser.add_argument("--tables", type=int, default=2, help="tables read of each")
    parser.add_argument("--first-table", type=int, default=FIRST_TABLE,
                        help="the seed that a box's tables begin with")  # fmt: skip
    parser.set_defaults(workers=1)
    asked = parser.parse_args(arguments)
    shared = os.environ.get(SHARED_VARIABLE)
    with tempfile.TemporaryDirectory() as name:
        for part in asked.parts:
            for line in _part(part, Path(shared, "photos") if shared else None, Path(name), asked):
                say(line)
    return 0


def _part(part: str, photos: Path | None, home: Path, asked: argparse.Namespace) -> Iterator[str]:
    if part in ("invented", "features"):
        evaluate = evaluate_invented if part == "invented" else evaluate_features
        for shape in ("square", "hex"):
            yield from evaluate(
                shape, asked.boxes, asked.tables, asked.out, asked.workers, asked.first_table
            )
        if part == "features" and photos is not None:
            yield from evaluate_features_on_photos(photos, asked.out, asked.workers)
    elif part == "missing":
        yield from evaluate_missing(asked.boxes // 2, asked.tables, asked.workers)
    elif part == "lands":
        yield from evaluate_lands(asked.boxes, asked.workers)
    elif part == "game":
        yield from evaluate_game(home)
    elif part == "wooden":
        yield from evaluate_wooden(home, asked.boxes // 2)
    elif part == "stained":
        yield from evaluate_stained(home, asked.boxes // 2)
    elif photos is None or not (photos / part).is_dir():
        yield f"{part}: left out, {SHARED_VARIABLE} names no photographs"
    elif part == "qwirkle":
        yield from evaluate_qwirkle(photos / part, home)
    elif part == "kingdomino":
        yield from evaluate_kingdomino(photos / part)
    elif part == "catan":
        yield from evaluate_catan(photos / part, home)


if __name__ == "__main__":
    cv2.setNumThreads(2)
    sys.exit(main())
