"""What was saved of a damaged store, and what was not: logged, and told until it was seen."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from companion_app.whole_file import write_whole
from engine.errors import EngineError
from engine.given import an_object, is_whole, read_json

log = logging.getLogger(__name__)
FILE = "games.salvaged.json"


@dataclass(frozen=True, slots=True)
class Salvaged:
    """Counts of what a damaged store still held."""

    games: int
    lines: int
    lines_lost: int
    """Numbers of lines that are missing between the first and the last that were found."""
    pictures: int
    pictures_lost: int


def tell(folder: Path, found: Salvaged, aside: Path) -> None:
    """Log what was saved, and keep it for the page; a full disk keeps nobody from playing on."""
    log.error(
        "the file of games was damaged and is put aside as %s; saved: games %d, lines %d, "
        "pictures %d; not saved: lines %d, pictures %d", aside.name, found.games, found.lines,
        found.pictures, found.lines_lost, found.pictures_lost,
    )  # fmt: skip
    try:
        write_whole(folder / FILE, json.dumps(asdict(found)))
    except OSError as error:
        log.error("the page cannot tell of it: %s", error.strerror)


def told(folder: Path) -> Salvaged | None:
    """Return what was saved, until it has been seen."""
    try:
        kept = an_object(read_json(folder / FILE), FILE, Salvaged.__dataclass_fields__)
        if all(is_whole(number) for number in kept.values()):
            return Salvaged(**kept)
    except (OSError, EngineError, TypeError):
        pass
    return None


def seen(folder: Path) -> None:
    """Tell of it no more."""
    (folder / FILE).unlink(missing_ok=True)
