"""Data splits: what may be trained on, tuned on, or kept sealed for the final evaluation.

Surfaces, lights and invented sets have names. A name alone fixes the split and everything random
about the thing that it names, so that nothing leaks between splits; scene seeds are hashed with
their split. Only ``python -m models.lab.evaluate sealed`` opens sealed splits, and it records every
opening; a reader that fails on one is improved on held-out data and then tested on the next.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np

Sealed = Literal["sealed", "sealed-2", "sealed-3", "sealed-4", "sealed-5"]
Split = Literal["train", "held-out", "sealed", "sealed-2", "sealed-3", "sealed-4", "sealed-5"]
SEALED: tuple[Sealed, ...] = get_args(Sealed)
SPLITS: tuple[Split, ...] = ("train", "held-out")
"""The splits that any code may draw from."""

SURFACE_FAMILIES = {
    "wood": 0.2,
    "parquet": 0.13,
    "cloth": 0.11,
    "gingham": 0.09,
    "patterned": 0.11,
    "felt": 0.09,
    "glass": 0.07,
    "laminate": 0.1,
    "stone": 0.06,
    "tiled": 0.04,
}
"""Kinds of table tops, and the share of scenes that lie on each."""
LIGHT_FAMILIES = ("window", "lamp", "ceiling", "overcast", "spot", "two-lamps")
NAMES_A_FAMILY, SEALED_NAMES = 24, 8
"""Unsealed names per family, and names per sealed split, numbered after the unsealed ones."""
INVENTED_SETS, SEALED_SETS = 4000, 500
HELD_OUT_EVERY = 4
"""Every fourth name of a family is held out."""
SHARED_VARIABLE = "SNAKE_EYE_SHARED"
"""Environment variable that names a folder with photographs of surfaces; it may be unset."""
PHOTO_MARKS = ("_diff", "_color", "basecolor", "albedo", "diffuse")
NO_SURFACES = ("cabinet", "sofa")
"""File-name parts of furniture textures, which are cut into pieces to wrap a 3D model."""


def rng_of(*names: object) -> np.random.Generator:
    """Return a random generator seeded by the names; equal names give equal numbers."""
    text = "/".join(str(name) for name in names)
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


class SealedError(Exception):
    """A sealed split was drawn from without being opened."""


_opened: set[Split] = set()


@contextmanager
def opened(split: Sealed) -> Iterator[None]:
    """Allow a sealed split to be drawn from inside the block, in this process."""
    _opened.add(split)
    try:
        yield
    finally:
        _opened.discard(split)


def split_of(name: str) -> Split:
    """Return the split of a numbered name; for picture files there is ``side_of_file``."""
    key = int(name.rpartition("-")[2])
    open_names, sealed_names = NAMES_A_FAMILY, SEALED_NAMES
    if name.startswith("invented-"):
        open_names, sealed_names = INVENTED_SETS, SEALED_SETS
    if key >= open_names:
        return SEALED[(key - open_names) // sealed_names]
    return "held-out" if key % HELD_OUT_EVERY == HELD_OUT_EVERY - 1 else "train"


def surface_names(split: Split, family: str | None = None) -> tuple[str, ...]:
    """Return the procedural surfaces of one split."""
    return _named((family,) if family else tuple(SURFACE_FAMILIES), _allowed(split))


def light_names(split: Split) -> tuple[str, ...]:
    """Return the lights of one split."""
    return _named(LIGHT_FAMILIES, _allowed(split))


def invented_names(split: Split, shape: Literal["square", "hex"]) -> tuple[str, ...]:
    """Return the invented sets of one split."""
    return _named((f"invented-{shape}",), _allowed(split), INVENTED_SETS, SEALED_SETS, 4)


def _allowed(split: Split) -> Split:
    """Return the split if it may be drawn from.

    Raises:
        SealedError: it is sealed and was not opened.
    """
    if split in SEALED and split not in _opened:
        raise SealedError(
            f"the side {split!r} is for the last exam; "
            "python -m models.lab.evaluate sealed opens it"
        )
    return split


def photographed_surfaces(split: Split) -> tuple[tuple[str, str], ...]:
    """Return name and file of each photographed surface of one split; none without the folder."""
    shared = os.environ.get(SHARED_VARIABLE)
    return _photographed(shared, split) if shared else ()


@cache
def _photographed(shared: str, split: Split) -> tuple[tuple[str, str], ...]:
    found = sorted(Path(shared, "assets", "surfaces").rglob("*.jpg"))
    return tuple(
        (f"photo:{path.stem.lower()}", str(path))
        for path in found
        if any(mark in path.stem.lower() for mark in PHOTO_MARKS)
        and not any(mark in path.stem.lower() for mark in NO_SURFACES)
        and side_of_file(path) == split
    )


@cache
def side_of_file(path: Path) -> Split:
    """Return a picture file's split, from a hash of its content, since copies have other names.

    About half of all files are held out.
    """
    return "held-out" if hashlib.blake2b(path.read_bytes()).digest()[0] % 2 else "train"


@cache
def _named(
    families: tuple[str, ...],
    split: Split,
    unsealed: int = NAMES_A_FAMILY,
    sealed: int = SEALED_NAMES,
    digits: int = 2,
) -> tuple[str, ...]:
    """Return the names of the families that belong to one split."""
    every = range(unsealed + sealed * len(SEALED))
    names = (f"{family}-{number:0{digits}d}" for family in families for number in every)
    return tuple(name for name in names if split_of(name) == split)
