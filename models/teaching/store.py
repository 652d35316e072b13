"""Writes a taught box into the owner's folder of sets: all of it, or nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import RecordError
from engine.given import read_json
from engine.setfile import BUILT_IN_FOLDER, built_in_names
from models.teaching.kept import Kept, write_kept
from models.teaching.signature import forget_signature
from vision.classify.reader import Reader
from vision.classify.taught import FEATURES, wanted
from vision.core.files import write_arrays
from vision.hexes.taught.reader import BoardReader

TITLE = re.compile(r"(?m)^title *=.*$")


def write_taught(
    folder: Path, name: str, reader: Reader | BoardReader, facts: Mapping[str, Any],
    game: str | None, kept: Kept,
) -> None:  # fmt: skip
    """Write arrays, set file and manifest; the manifest comes last and names the others.

    Args:
        folder: the owner's folder of sets; created if missing.
        name: name of the box.
        reader: the fitted reader.
        facts: further entries of the manifest.
        game: game whose set file is copied under the box's name, unless the owner has one already;
            the copy for another game is removed.
        kept: the examples that it was learnt from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    old = set(files_of(folder, name))
    part = folder / f".{name}.npz.part"
    arrays, numbers = _parts(reader)
    try:
        sha256 = write_arrays(part, arrays)
        file = f"{name}-{sha256[:8]}.npz"
        part.replace(folder / file)
        examples_sha256 = write_kept(part, kept)
        examples_file = f"{name}-{examples_sha256[:8]}.examples.npz"
        part.replace(folder / examples_file)
    except OSError:
        for path in {part, *files_of(folder, name)} - old:
            path.unlink(missing_ok=True)
        raise
    # The old signature does not cover the new content.
    forget_signature(folder, name)
    rules = folder / f"{name}.toml"
    if copied_game(folder, name) not in (None, game):
        rules.unlink()
    if game is not None and not rules.exists():
        write_text(rules, game_file(name, game))
    manifest = {
        **wanted(name), "features": FEATURES, **facts, "game": game, "file": file, "sha256": sha256,
        **numbers, "examples": {"file": examples_file, "sha256": examples_sha256},
    }  # fmt: skip
    if title := _manifest(folder, name).get("title"):
        manifest["title"] = title
    write_text(folder / f"{name}.json", json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    for path in old - {folder / file, folder / examples_file}:
        path.unlink(missing_ok=True)


def _parts(reader: Reader | BoardReader) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return a reader's arrays, and its entries in the manifest."""
    if isinstance(reader, BoardReader):
        return reader.arrays(), {"names": list(reader.names), "known": reader.known}
    arrays: dict[str, NDArray[Any]] = {
        "project": reader.project.astype(np.float16),
        "centres": reader.centres,
    }
    numbers = {
        "looks": [str(look) for look in reader.looks], "temperature": reader.temperature,
        "known": reader.known,
    }  # fmt: skip
    if reader.prints is None:
        return arrays, numbers
    return {**arrays, **reader.prints.arrays()}, {**numbers, "faces": list(reader.prints.tiles)}


def files_of(folder: Path, name: str) -> list[Path]:
    """Return the array files of a taught box, current and earlier ones."""
    endings = ("npz", "examples.npz")
    return sorted(p for ending in endings for p in folder.glob(f"{name}-????????.{ending}"))


def game_file(name: str, game: str) -> str:
    """Return the set file of a game under another name."""
    return renamed_set((BUILT_IN_FOLDER / f"{game}.toml").read_text(encoding="utf-8"), name)


def copied_game(folder: Path, name: str) -> str | None:
    """Return the game whose set file teaching copied for a box; ``None`` for an owner's own."""
    game, rules = _manifest(folder, name).get("game"), folder / f"{name}.toml"
    if game not in built_in_names() or not rules.is_file():
        return None
    # The page writes the title that the owner gave into the copy.
    there, copy = (
        TITLE.sub("", text) for text in (rules.read_text("utf-8"), game_file(name, game))
    )
    return str(game) if there == copy else None


def _manifest(folder: Path, name: str) -> Mapping[str, Any]:
    """Return the manifest of a taught box; empty where there is none yet."""
    try:
        found = read_json(folder / f"{name}.json")
    except (OSError, RecordError):
        return {}
    return found if isinstance(found, dict) else {}


def renamed_set(text: str, name: str) -> str:
    """Return a set file under another name and title; its tiles keep their names."""
    top, table, rest = text.partition("\n[")
    return re.sub(r"(?m)^(name|title) *=.*$", rf'\1 = "{name}"', top) + table + rest


def write_text(path: Path, text: str) -> None:
    """Write a file atomically."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
