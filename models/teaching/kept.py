"""Keeps the tiles that a box was learnt from, so that more photographs add to them.

Examples are stored as small pictures and names, in plain arrays beside the taught box; the
photographs are not needed again.
"""

from __future__ import annotations

import hashlib
import json
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
from models.teaching.errors import TeachingError
from models.teaching.examples import KEPT_PX, Examples, joined
from vision import ModelError
from vision.core.files import read_arrays, write_arrays

MOST_KEPT = 1200
"""Most examples of all kinds together, the newest of each; 1,200 take some 30 MB."""
FEWEST_KEPT = 12
"""Examples of each kind that are kept however many kinds there are."""


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
        "tiles": list(kept.examples.tiles), "photos": list(kept.examples.photos),
        "digests": {photo: kept.digests.get(photo, "") for photo in photos},
    }  # fmt: skip
    text = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    arrays: dict[str, NDArray[Any]] = {
        "patches": kept.examples.patches,
        "turns": kept.examples.turns,
        "facts": text,
    }
    return write_arrays(path, arrays)


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
