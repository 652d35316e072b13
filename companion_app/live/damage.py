"""Damaged games: what was lost is logged, and kept until the page has told of it."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from companion_app.whole_file import write_whole
from engine.errors import EngineError
from engine.given import an_object, is_whole, read_json

log = logging.getLogger(__name__)
FILE = "games.damage.json"


@dataclass(frozen=True, slots=True)
class Damage:
    """What damage to the disk has cost."""

    lines: int
    """Lines that no file has any more."""
    games: int
    """Games that are kept."""


def tell(home: Path, damage: Damage) -> None:
    """Log what was lost, and save it for the page; a failing disk is only logged."""
    log.error("games were damaged: lines that are lost: %d", damage.lines)
    try:
        write_whole(home / FILE, json.dumps(asdict(damage)))
    except OSError as error:
        log.error("the page cannot tell of it: %s", error.strerror)


def told(home: Path) -> Damage | None:
    """Return the damage that nobody has seen yet; ``None`` if there is none."""
    try:
        kept = an_object(read_json(home / FILE), FILE, Damage.__dataclass_fields__)
        if all(is_whole(number) for number in kept.values()):
            return Damage(**kept)
    except (OSError, EngineError, TypeError):
        pass
    return None


def seen(home: Path) -> None:
    """Delete the report: it has been seen."""
    (home / FILE).unlink(missing_ok=True)
