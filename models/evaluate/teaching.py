"""How well taught boxes are read: ``python -m models.evaluate.teaching PART…``.

Parts: ``qwirkle``, ``kingdomino``, ``catan`` (photographs, in the folder that ``SNAKE_EYE_SHARED``
names; left out where it is not set), ``game`` (a whole game with a taught box), ``wooden`` (a whole
game of Snekagon with blocks of wood on a wooden board, and other tables of it), ``stained``
(Snekagon 5G in other art, with clay and holes: the last tables of games) and ``invented`` (drawn
boxes that no training saw; 200 tables, with ``--workers`` on several cores, and a run that was
broken off goes on where it stopped).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import cv2

from models.evaluate.harness import RESULTS, known_parts, parser_of, say, shared_photos
from models.evaluate.taught.games import evaluate_game, evaluate_stained, evaluate_wooden
from models.evaluate.taught.invented import evaluate_invented
from models.evaluate.taught.photos import evaluate_catan, evaluate_kingdomino, evaluate_qwirkle

PHOTOGRAPHED: dict[str, Callable[[Path, Path], Iterable[str]]] = {
    "qwirkle": evaluate_qwirkle, "kingdomino": evaluate_kingdomino, "catan": evaluate_catan,
}  # fmt: skip
PARTS = (*PHOTOGRAPHED, "game", "wooden", "stained", "invented")


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("teaching", __doc__, out=RESULTS / "teaching")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--boxes", type=int, default=50, help="invented boxes of each shape")
    parser.add_argument("--tables", type=int, default=2, help="tables read of each")
    parser.set_defaults(workers=1)
    asked = parser.parse_args(arguments)
    known_parts(parser, asked.parts, PARTS)
    drawn: dict[str, Callable[[Path], Iterable[str]]] = {
        "game": evaluate_game,
        "wooden": lambda home: evaluate_wooden(home, asked.boxes // 2),
        "stained": lambda home: evaluate_stained(home, asked.boxes // 2),
        "invented": lambda home: evaluate_invented(asked),
    }
    with tempfile.TemporaryDirectory() as name:
        for part in asked.parts or PARTS:
            if part in drawn:
                lines = drawn[part](Path(name))
            else:
                photos = shared_photos()
                lines = () if photos is None else PHOTOGRAPHED[part](photos / part, Path(name))
            for line in lines:
                say(line)
    return 0


if __name__ == "__main__":
    cv2.setNumThreads(2)
    sys.exit(main())
