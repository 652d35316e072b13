"""Writes a taught box into the owner's folder of sets: all of it, or nothing.

The tiles that it was learnt from are kept beside it, as small pictures and names in plain arrays,
so that more photographs add to them; the photographs are not needed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import count, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import RecordError
from engine.given import an_object, load_json, read_json
from engine.setfile import BUILT_IN_FOLDER, built_in_names
from models.teaching.errors import TeachingError
from models.teaching.examples import KEPT_PX, Examples, joined
from vision import ModelError
from vision.classify.taught import FEATURES, wanted
from vision.classify.taught_looks import TaughtReader
from vision.core.files import read_arrays, write_arrays
from vision.hexes.taught.reader import BoardReader

TITLE = re.compile(r"(?m)^title *=.*$")
MOST_KEPT = 1200
"""Most examples of all kinds together, the newest of each; 1,200 take some 30 MB."""
FEWEST_KEPT = 12
"""Examples of each kind that are kept however many kinds there are."""


# --- What it was learnt from ---


@dataclass(frozen=True, eq=False)
class Kept:
    """All that a box was learnt from so far."""

    examples: Examples
    """Examples under the names that the box uses."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """By photograph: the hash of its file."""


def digest_of(path: Path) -> str:
    """Return a short hash that identifies a photograph."""
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


def with_new(old: Kept | None, new: Kept) -> Kept:
    """Return old and new examples; a relabelled photograph counts once."""
    if old is None:
        return _fewer(new)
    again = set(new.digests.values())
    names: dict[str, str] = {}
    taken = {*old.digests, *new.digests}
    for name, digest in old.digests.items():
        if digest not in again:
            names[name] = _free_name(name, taken) if name in new.digests else name
            taken.add(names[name])
    stay = [n for n, photo in enumerate(old.examples.photos) if photo in names]
    if not stay:
        return _fewer(new)
    kept = old.examples.some(stay)
    renamed = Examples(kept.patches, kept.tiles, kept.turns, tuple(names[p] for p in kept.photos))
    digests = {names[photo]: old.digests[photo] for photo in names}
    return _fewer(Kept(joined([renamed, new.examples]), {**digests, **new.digests}))


def _free_name(name: str, taken: Collection[str]) -> str:
    numbered = (f"{number}-{name}" for number in count(2))
    return next(free for free in numbered if free not in taken)


def _fewer(kept: Kept) -> Kept:
    """Return the newest examples of each kind, up to the limit."""
    counts = Counter(kept.examples.tiles)
    most = max(FEWEST_KEPT, MOST_KEPT // max(len(counts), 1))
    if max(counts.values(), default=0) <= most:
        return kept
    picked = [n for tile in sorted(counts) for n in _newest(kept.examples, tile)[:most]]
    examples = kept.examples.some(sorted(picked))
    return Kept(examples, {p: d for p, d in kept.digests.items() if p in set(examples.photos)})


def _newest(examples: Examples, tile: str) -> list[int]:
    """Return the examples of a kind, newest first, taking one from each photograph in turn.

    Every photograph thus keeps some examples of a kind that its others are compared with.
    """
    by_photo: dict[str, list[int]] = {}
    for number in reversed(range(len(examples))):
        if examples.tiles[number] == tile:
            by_photo.setdefault(examples.photos[number], []).append(number)
    rounds = zip_longest(*by_photo.values())
    return [number for one in rounds for number in one if number is not None]


def write_kept(path: Path, kept: Kept) -> str:
    """Write the examples and return the hash for the manifest."""
    photos = sorted(set(kept.examples.photos))
    facts = {
        "tiles": list(kept.examples.tiles),
        "photos": list(kept.examples.photos),
        "digests": {photo: kept.digests.get(photo, "") for photo in photos},
    }
    text = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    patches, turns = kept.examples.patches, kept.examples.turns
    return write_arrays(path, {"patches": patches, "turns": turns, "facts": text})


def read_kept(folder: Path, name: str) -> tuple[Kept, dict[str, Any]] | None:
    """Return what a box was learnt from and its manifest; ``None`` if nothing was kept.

    Raises:
        TeachingError: the files are broken.
    """
    try:
        manifest = read_json(folder / f"{name}.json")
        if not isinstance(manifest, dict) or not isinstance(manifest.get("examples"), dict):
            return None
        file, sha256 = str(manifest["examples"]["file"]), str(manifest["examples"]["sha256"])
        if Path(file).name != file or not file.endswith(".examples.npz"):
            raise ValueError("it names no examples")
        return _parsed(read_arrays(folder / file, sha256)), manifest
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecordError, ModelError) as error:
        raise TeachingError(
            f"what {name} was learnt from cannot be read ({error}); "
            "teach it anew from all photos with --replace",
            code="teach-other-box",
        ) from None


def _parsed(arrays: Mapping[str, Any]) -> Kept:
    facts = an_object(load_json(arrays["facts"].tobytes()), "facts")
    patches, turns = arrays["patches"], arrays["turns"]
    tiles = tuple(str(tile) for tile in facts["tiles"])
    photos = tuple(str(photo) for photo in facts["photos"])
    wanted = (len(tiles), KEPT_PX, KEPT_PX, 3)
    if patches.shape != wanted or patches.dtype != np.uint8 or turns.shape != (len(tiles),):
        raise ValueError(f"examples are {wanted} of uint8, but got {patches.shape}")
    if len(photos) != len(tiles) or not isinstance(facts["digests"], dict):
        raise ValueError("every example has a photograph")
    digests = {str(photo): str(digest) for photo, digest in facts["digests"].items()}
    return Kept(Examples(patches, tiles, turns.astype(np.int64), photos), digests)


# --- The box ---


def write_taught(
    folder: Path,
    name: str,
    reader: TaughtReader | BoardReader,
    facts: Mapping[str, Any],
    game: str | None,
    kept: Kept,
) -> None:
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
    rules = folder / f"{name}.toml"
    if copied_game(folder, name) not in (None, game):
        rules.unlink()
    if game is not None and not rules.exists():
        write_text(rules, game_file(name, game))
    manifest = {
        **wanted(name),
        "features": FEATURES,
        **facts,
        "game": game,
        "file": file,
        "sha256": sha256,
        **numbers,
        "examples": {"file": examples_file, "sha256": examples_sha256},
    }
    if title := _manifest(folder, name).get("title"):
        manifest["title"] = title
    write_text(folder / f"{name}.json", json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    for path in old - {folder / file, folder / examples_file}:
        path.unlink(missing_ok=True)


def _parts(reader: TaughtReader | BoardReader) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return a reader's arrays, and its entries in the manifest."""
    if isinstance(reader, BoardReader):
        return reader.arrays(), {"names": list(reader.names), "known": reader.known}
    arrays: dict[str, NDArray[Any]] = {
        "project": reader.project.astype(np.float16),
        "centres": reader.centres,
    }
    numbers = {
        "looks": [str(look) for look in reader.looks],
        "temperature": reader.temperature,
        "known": reader.known,
    }
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
