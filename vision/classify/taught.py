"""Boxes that owners taught: their contents and their tiles' looks, stored as plain data.

A taught box is a manifest ``NAME.json`` and the arrays that it names, in the owner's folder of
sets. A box for a game's rules may also have a set file ``NAME.toml`` there. Nothing in these files
is ever executed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_data_path

from engine.errors import SetError, readable
from engine.given import hides
from engine.setfile import SAFE_NAME, built_in_names, built_in_set, load_set
from engine.tiles import TileKind, TileSet
from vision.classify import embedding, features
from vision.classify.evidence import taught_evidence
from vision.classify.faces import Prints
from vision.classify.reader import Reader, shipped_reader
from vision.classify.taught_looks import TaughtReader, make_reader
from vision.core.crop import MARGIN, PATCH_PX
from vision.core.errors import ModelError, OutdatedError
from vision.core.files import Manifest, read_manifest, set_hash
from vision.core.types import BACK, Look
from vision.hexes.taught.reader import BoardReader

FORMAT, FORMAT_VERSION = "snake-eye/taught", 1
FEATURES = f"{features.VERSION}+{embedding.VERSION}"
"""Version of the features; a box that was learnt with another one must be taught again."""
PLENTY = 1000
"""Number of tiles of a kind in a box whose tiles were not counted."""
MOST_LOOKS = 4000
MOST_CELLS, MOST_TURNS = 16, 6
LONGEST_TILE = 80
"""Most characters in the name of a kind, and in a label."""


@dataclass(frozen=True, eq=False)
class TaughtSet:
    """A box that its owner taught, with either a tile reader or a board reader."""

    tile_set: TileSet
    reader: TaughtReader | None
    """Reads tiles that lie anywhere."""
    board: BoardReader | None = None
    """Reads tiles on the cells of a printed board."""


def taught_folder() -> Path:
    """Return the folder of taught boxes: ``sets`` in ``$SNAKE_EYE_HOME`` or the data folder."""
    named = os.environ.get("SNAKE_EYE_HOME")
    return (Path(named) if named else user_data_path("snake-eye")) / "sets"


def find_taught(name: str, folders: Iterable[Path]) -> TaughtSet | None:
    """Return the taught box of that name, or ``None``.

    Raises:
        ModelError: there is one, but its files are broken.
    """
    if not SAFE_NAME.fullmatch(name) or name in built_in_names():
        return None
    for folder in folders:
        path = folder / f"{name}.json"
        if path.is_file():
            return _loaded(path, _stamp(path), _stamp(path.with_suffix(".toml")))
    return None


def reader_of(tile_set: TileSet, folders: Iterable[Path] | None = None) -> Reader | TaughtReader:
    """Return the reader of a box: the one its owner taught, else the shipped one.

    An owner's box with the prints of a built-in one, in other counts, uses the built-in's reader.
    """
    taught = find_taught(tile_set.name, (taught_folder(),) if folders is None else folders)
    if taught is not None and taught.reader is not None:
        return taught.reader
    if tile_set.name not in built_in_names() and tile_set.game in built_in_names():
        if set_hash(tile_set) == set_hash(built_in_set(tile_set.game)):
            return shipped_reader(tile_set.game)
        raise ModelError(
            f"nobody has taught {tile_set.name} yet; photograph its tiles and run "
            f"'snake-eye teach {tile_set.name} --game {tile_set.game}'"
        )
    return shipped_reader(tile_set.name)


def wanted(name: str) -> dict[str, object]:
    """Return the entries that the manifest of a taught box must have."""
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "set": name,
        "patch_px": PATCH_PX,
        "margin": MARGIN,
        "colour": "bgr",
    }


def loose_set(name: str, lattice: str, periods: Mapping[str, int]) -> TileSet:
    """Return a box without rules, from its kinds and the turns after which each looks the same."""
    kinds = {
        tile: TileKind(tile, tile, None, PLENTY, period=period) for tile, period in periods.items()
    }
    shape = "hex" if lattice == "hex" else "square"
    return TileSet(name, "", shape, (), MappingProxyType(kinds))  # type: ignore[arg-type]


def game_set(name: str, game: str, folder: Path) -> TileSet:
    """Return a game's box under an owner's name, from the owner's set file or the game's own."""
    try:
        own = load_set(name, (folder,))
    except SetError:
        if (folder / f"{name}.toml").is_file():
            raise
        return replace(built_in_set(game), name=name)
    if own.game != game:
        raise SetError(f"{name}.toml is a box for {own.game}, not for {game}")
    return own


def _stamp(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


@lru_cache(maxsize=8)
def _loaded(path: Path, stamp: tuple[int, int], set_stamp: tuple[int, int]) -> TaughtSet:
    del stamp, set_stamp  # Cache keys: changed files are loaded again.
    name = path.stem
    manifest = read_manifest(path, wanted(name))
    _refuse_clay(name, manifest)
    if manifest.get("features") != FEATURES:
        raise OutdatedError(f"{name} was learnt by another version of Snake Eye; teach it again")
    again = f"{path.name} is damaged; teach {name} again or import it anew"
    file = manifest.get("file")
    if not isinstance(file, str) or Path(file).name != file or not file.endswith(".npz"):
        raise ModelError(f"{again}: it names no arrays")
    arrays = manifest.arrays(file)
    try:
        tile_set = _tile_set(manifest, name, path.parent)
        if manifest.get("board") is True:
            return TaughtSet(tile_set, None, _board_reader(manifest, arrays, tile_set))
        return TaughtSet(tile_set, _tile_reader(manifest, arrays, tile_set))
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ModelError(f"{again}: {readable(str(error))}") from error


def _tile_reader(
    manifest: Manifest, arrays: Mapping[str, NDArray[Any]], tile_set: TileSet
) -> TaughtReader:
    looks = [_look(text) for text in manifest["looks"][:MOST_LOOKS]]
    strangers = {look.tile for look in looks} - {*tile_set.kinds, BACK}
    if strangers:
        raise ValueError(f"{', '.join(sorted(strangers))} is not in the box")
    project, centres = (np.asarray(arrays[key], np.float32) for key in ("project", "centres"))
    if not (np.isfinite(project).all() and np.isfinite(centres).all()):
        raise ValueError("the arrays hold no numbers")
    numbers = _above_zero(manifest["temperature"]), _above_zero(manifest["known"])
    reader = make_reader(tile_set, looks, project, centres, *numbers)
    tiles = manifest.get("faces")
    if tiles is None:
        # Boxes of lands and older files have no prints.
        return reader
    prints = Prints.of([str(tile) for tile in tiles], arrays)
    evidence = taught_evidence(prints) if tile_set.lattice == "square" else None
    return replace(reader, prints=prints, evidence=evidence)


def _above_zero(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number) or number <= 0:
        raise ValueError("temperature and reach must be numbers above 0")
    return number


def _look(text: Any) -> Look:
    """Return the look that a text names, with its cell and turns checked."""
    if not isinstance(text, str) or len(text) > LONGEST_TILE + 10:
        raise ValueError("a look is a short text")
    look = Look.parse(text)
    if not (0 <= look.cell < MOST_CELLS and 0 <= look.turns < MOST_TURNS):
        raise ValueError(f"{text} is no look of a tile")
    return look


def _refuse_clay(name: str, manifest: Manifest) -> None:
    """Refuse boards with clay, which earlier versions were taught; their files stay."""
    game = manifest.get("game")
    if manifest.get("board") is True and game in built_in_names():
        box = built_in_set(str(game))
        if "clay" in box.extras:
            raise OutdatedError(
                f"{name} is a taught board of {box.title}, which is not read any more: play with "
                "printed boards; its files stay as they are"
            )


def _board_reader(
    manifest: Manifest, arrays: Mapping[str, NDArray[Any]], tile_set: TileSet
) -> BoardReader:
    names = tuple(str(name) for name in manifest["names"])
    if set(names[1:]) != set(tile_set.colours):
        raise ValueError(f"{', '.join(names[1:])} are not the box's colours")
    return BoardReader.of(names, arrays, _above_zero(manifest["known"]))


def _tile_set(manifest: Manifest, name: str, folder: Path) -> TileSet:
    game = manifest.get("game")
    if isinstance(game, str):
        return game_set(name, game, folder)
    lattice = manifest["lattice"]
    if lattice not in ("square", "hex"):
        raise ValueError("its lattice is neither square nor hex")
    periods = {_tile_name(kind["tile"]): kind["period"] for kind in manifest["kinds"][:MOST_LOOKS]}
    if any(period not in (1, 2, 3, 4, 6) for period in periods.values()):
        raise ValueError("a kind looks the same after 1, 2, 3, 4 or 6 turns")
    return loose_set(name, lattice, periods)


def _tile_name(text: Any) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_TILE or hides(text):
        raise ValueError(
            f"the name of a kind has at most {LONGEST_TILE} letters and no hidden characters"
        )
    return text
