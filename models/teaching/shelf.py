"""The shelf of taught boxes: lists them, and those that cannot be used."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.errors import EngineError, RecordError, SetError
from engine.game import Json
from engine.given import a_list, an_object, hides, is_whole, read_json
from engine.latin import latin
from engine.setfile import SAFE_NAME, built_in_names, load_set
from models.teaching.errors import TeachingError
from models.teaching.store import files_of, write_text
from models.teaching.teach import check_name
from vision import ModelError, OutdatedError, find_taught
from vision.classify.taught import FORMAT

MOST = 4000
LONGEST_TEXT = 400
LONGEST_TITLE = 60
INSIDE = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}(\.examples)?\.(json|toml|npz|sums|sums\.minisig)")
"""Names of files in a box: no folders, no hidden files, none too long for a disk."""
OF_1_0_0 = (".sums", ".sums.minisig")
"""Ends of the signatures that boxes could have; they are passed over."""
LONGEST_NAME = 40


# --- Figures of a box ---


def checked_figures(value: Json) -> dict[str, Any]:
    """Return the figures of a box, checked to be as the page expects them.

    Raises:
        RecordError: a figure is invalid; names the place.
    """
    given = an_object(value, "figures")
    counts = {key: _count(given.get(key, 0), f"figures.{key}") for key in ("photos", "examples")}
    lists: dict[str, Callable[[Any, str], Any]] = {
        "kinds": _kind,
        "unsure": _kind,
        "alike": _pair,
        "missing": _text,
        "poor": _photo,
    }
    listed = {
        key: [check(one, place) for one in a_list(given.get(key, []), place, MOST)]
        for key, check in lists.items()
        if (place := f"figures.{key}")
    }
    return {**counts, **listed}


def _count(value: Json, place: str) -> int:
    if not is_whole(value) or not 0 <= value <= 10**6:
        raise RecordError(place, "must be a whole number")
    return int(value)


def _text(value: Json, place: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or hides(value):
        raise RecordError(place, f"must be a text of at most {LONGEST_TEXT} letters")
    return value


def _kind(value: Json, place: str) -> dict[str, Any]:
    entry = an_object(value, place)
    _text(entry.get("tile"), place)
    _count(entry.get("examples", 0), place)
    sure = entry.get("sure", 0.0)
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
        raise RecordError(place, "sure must be a number from 0 to 1")
    return {key: entry[key] for key in ("tile", "examples", "sure") if key in entry}


def _pair(value: Json, place: str) -> dict[str, Any]:
    entry = an_object(value, place)
    tiles = [_text(one, place) for one in a_list(entry.get("tiles"), place, 2)]
    if len(tiles) != 2:
        raise RecordError(place, "two kinds look alike, not one")
    return {"tiles": tiles}


def _photo(value: Json, place: str) -> dict[str, str]:
    entry = an_object(value, place)
    return {"file": _text(entry.get("file"), place), "why": _text(entry.get("why"), place)}


def listed(folder: Path) -> list[dict[str, Any]]:
    """Return the facts of each taught box, by name; ``refused`` names those left out."""
    out = []
    for path in sorted(folder.glob("*.json")):
        try:
            manifest = an_object(read_json(path), path.name)
            if manifest.get("format") != FORMAT:
                continue
            figures = checked_figures(manifest.get("figures", {}))
        except (OSError, RecordError):
            continue
        told = {"shape": manifest.get("lattice"), "game": manifest.get("game")}
        if all(value is None or isinstance(value, str) for value in told.values()):
            title = manifest.get("title")
            shown = title[:LONGEST_TITLE] if isinstance(title, str) and title else path.stem
            out.append({"name": path.stem, "title": shown, **told, **figures})
    return out


def refused(folder: Path, *, outdated: bool = True) -> dict[str, str]:
    """Return the owner's boxes that cannot be used, by file name, and what is wrong with each.

    Args:
        folder: the shelf.
        outdated: include boxes that are intact but must be taught again.
    """
    files = sorted(path for end in ("json", "toml") for path in folder.glob(f"*.{end}"))
    found = {
        path.name: _mistake(path, *map(_stamp, (path, path.with_suffix(".toml")))) for path in files
    }
    return {name: said for name, (said, whole) in found.items() if said and (outdated or not whole)}


def _stamp(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


@lru_cache(maxsize=64)
def _mistake(path: Path, *stamps: tuple[int, int]) -> tuple[str, bool]:
    """Return what is wrong with a file on the shelf, and whether it is intact all the same."""
    del stamps  # Only part of the cache key: changed files are read again.
    try:
        if not SAFE_NAME.fullmatch(path.stem):
            raise SetError("its name may have only small letters, digits, - and _")
        if path.suffix == ".toml":
            load_set(path.stem, (path.parent,))
        elif find_taught(path.stem, (path.parent,)) is not None:
            checked_figures(an_object(read_json(path), path.name).get("figures", {}))
    except OutdatedError as error:
        return str(error), True
    except (EngineError, ModelError, OSError) as error:
        return str(error), False
    return "", True


def files_in(folder: Path, name: str) -> tuple[str, ...]:
    """Return the names of all files of a taught box.

    Raises:
        TeachingError: there is none of that name.
    """
    manifest = _must_be_taught(folder, name)
    examples = manifest.get("examples")
    named = [f"{name}.json", manifest.get("file"), f"{name}.toml"]
    named += [examples.get("file")] if isinstance(examples, dict) else []
    return tuple(
        str(file)
        for file in named
        if isinstance(file, str) and INSIDE.fullmatch(file) and (folder / file).is_file()
    )


def delete(folder: Path, name: str) -> None:
    """Delete a taught box with its examples, even one that cannot be used."""
    check_name(name)
    if not any((folder / f"{name}{end}").is_file() for end in (".json", ".toml")):
        raise TeachingError(f"there is no taught box called {name}")
    # The manifest is deleted first: without it the other files are no box.
    ends = (".json", ".toml", *OF_1_0_0)
    for path in (*(folder / f"{name}{end}" for end in ends), *files_of(folder, name)):
        path.unlink(missing_ok=True)


def _must_be_taught(folder: Path, name: str) -> dict[str, Any]:
    check_name(name)
    try:
        manifest = read_json(folder / f"{name}.json")
    except (OSError, RecordError):
        manifest = None
    if not isinstance(manifest, dict):
        raise TeachingError(f"there is no taught box called {name}")
    return manifest


# --- Names of boxes ---


def name_for(folder: Path, title: str) -> str:
    """Return the name of the box that is shown under a title; a new one where there is none."""
    title = title[:LONGEST_TITLE]
    boxes = listed(folder)
    for box in boxes:
        if title == box["title"]:
            return str(box["name"])
    return safe_name(title, {*(box["name"] for box in boxes), *built_in_names()})


def safe_name(title: str, taken: Collection[str]) -> str:
    """Return a file name that is not taken: small letters, digits and dashes."""
    words = re.sub(r"[^a-z0-9]+", "-", latin(title).lower()).strip("-")[:LONGEST_NAME].strip("-")
    # Scripts without a transliteration leave nothing; the hash gives a title the same name again.
    name = words or f"box-{hashlib.sha256(title.encode()).hexdigest()[:6]}"
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def rename(folder: Path, name: str, title: str) -> None:
    """Show a taught box under another title; its name stays, since kept games refer to it.

    Raises:
        TeachingError: there is no box of that name, or another one has the title.
    """
    _must_be_taught(folder, name)
    if any(box["title"] == title and box["name"] != name for box in listed(folder)):
        text = f"there is a box called {title} already; choose another name"
        raise TeachingError(text, code="teach-name-taken")
    give_title(folder, name, title)


def give_title(folder: Path, name: str, title: str) -> None:
    """Store the title under which a taught box is shown."""
    path = folder / f"{name}.json"
    manifest = an_object(read_json(path), path.name)
    if manifest.get("title", name) == title:
        return
    rules = folder / f"{name}.toml"
    if rules.is_file():
        line = f"title = {json.dumps(title, ensure_ascii=False)}"
        text = rules.read_text(encoding="utf-8")
        write_text(rules, re.sub(r'(?m)^title = ".*"$', lambda _: line, text, count=1))
    text = json.dumps({**manifest, "title": title}, indent=1, ensure_ascii=False) + "\n"
    write_text(path, text)
