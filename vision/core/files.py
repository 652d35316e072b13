"""Finds trained files, and says whether they belong to the box at hand.

Trained files lie in ``models/trained``; they are data, and none of the code beside them is needed
to use them.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import RecordError
from engine.given import read_json, shown
from engine.tiles import TileSet
from vision.core.errors import ModelError

TRAINED = Path(__file__).resolve().parents[2] / "models" / "trained"
LARGEST_FILE = 64 << 20
"""No reader is larger; what is, is no reader."""
LARGEST_UNPACKED = 256 << 20
MOST_ARRAYS = 64
NO_ARRAYS = (
    OSError, ValueError, KeyError, TypeError, MemoryError, RecursionError, RuntimeError, EOFError,
    SyntaxError, TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What numpy and zipfile say of files that they did not write."""


def set_hash(tile_set: TileSet) -> str:
    """Return a short text that changes whenever the cards of a box look otherwise.

    Counts are left out: a box with a card more is read by the same reader.
    """
    cards = [
        [
            kind.name, [[s.edges, s.colour, s.cap] for s in kind.strands], kind.cells,
            [[e.cell, e.edge, e.name] for e in kind.exits], kind.role, kind.points, kind.path,
        ]
        for kind in tile_set.kinds.values()
    ]  # fmt: skip
    text = json.dumps([tile_set.lattice, cards], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_manifest(path: Path, wanted: Mapping[str, object]) -> dict[str, Any]:
    """Return a manifest after checking that it says what is wanted.

    Raises:
        ModelError: it is missing or broken, or says something else.
    """
    try:
        manifest = read_json(path)
    except OSError as error:
        raise ModelError(f"no trained model at {path}; run 'make train' to make one") from error
    except RecordError as error:
        raise ModelError(f"{path} is no JSON file: {error}; take it from the repository") from error
    if not isinstance(manifest, dict):
        raise ModelError(f"{path} is no manifest; take it from the repository")
    for key, value in wanted.items():
        if manifest.get(key) != value:
            raise ModelError(
                f"{path.name} says {key} {shown(manifest.get(key))}, but {value!r} is needed; "
                "train it again or take it from the repository"
            )
    return manifest


def read_file(path: Path, sha256: object) -> bytes:
    """Return a trained file that has the named hash.

    Raises:
        ModelError: it is missing, too large, or another one.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ModelError(f"{path} is larger than any model; take it from the repository")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"no trained model at {path}; run 'make train' to make one") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelError(
            f"{path} is not the file that its manifest names; take both from one place"
        )
    return data


def read_arrays(path: Path, sha256: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file that has the named hash; never runs what is in it.

    Raises:
        ModelError: the file is missing, another one, or no plain arrays.
    """
    data = read_file(path, sha256)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
            unpacked = sum(one.file_size for one in entries)
            if len(entries) > MOST_ARRAYS or unpacked > LARGEST_UNPACKED:
                raise ModelError(f"{path} unpacks to more than any model; take it anew")
            if not all(one.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
                       for one in entries):  # fmt: skip
                raise ModelError(f"{path} is packed in a way that no model is; take it anew")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: _plain(arrays[name]) for name in arrays.files}
    except NO_ARRAYS as error:
        raise ModelError(f"{path} does not hold plain arrays: {error}") from error


def _plain(array: Any) -> NDArray[Any]:
    """Return an array of numbers; what is none comes from a file beside the arrays."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise ValueError("one of them holds no numbers")
    return array


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write plain arrays and return the hash for their manifest."""
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, **arrays)
    path.write_bytes(out.getvalue())
    return hashlib.sha256(out.getvalue()).hexdigest()
