"""Reports what was salvaged from a damaged store: logged, and kept until the page has shown it."""

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
    """Counts of what was salvaged from a damaged store, and of what was lost."""

    games: int
    lines: int
    lines_lost: int
    """Line numbers that are missing below the highest number found."""
    pictures: int
    pictures_lost: int


def tell(folder: Path, found: Salvaged, aside: Path) -> None:
    """Log what was salvaged, and save it for the page; a failing disk is only logged."""
    log.error(
        "the file of games was damaged and is put aside as %s; saved: games %d, lines %d, "
        "pictures %d; not saved: lines %d, pictures %d",
        aside.name,
        found.games,
        found.lines,
        found.pictures,
        found.lines_lost,
        found.pictures_lost,
    )
    try:
        write_whole(folder / FILE, json.dumps(asdict(found)))
    except OSError as error:
        log.error("the page cannot tell of it: %s", error.strerror)


def told(folder: Path) -> Salvaged | None:
    """Return the report that was not seen yet; ``None`` if there is none."""
    try:
        kept = an_object(read_json(folder / FILE), FILE, Salvaged.__dataclass_fields__)
        if all(is_whole(number) for number in kept.values()):
            return Salvaged(**kept)
    except (OSError, EngineError, TypeError):
        pass
    return None


def seen(folder: Path) -> None:
    """Delete the report: it has been seen."""
    (folder / FILE).unlink(missing_ok=True)
