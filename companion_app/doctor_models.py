"""The checks of `doctor` on the trained models: each file exists, is intact, and fits its box."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from companion_app.doctor_machine import Check
from engine.setfile import built_in_names, load_set
from engine.tiles import TileSet
from vision import ModelError, VisionError
from vision.core import files as models

FIX = "Install Snake Eye again: deploy/install.sh"


def model_checks(folder: Path | None = None) -> list[Check]:
    """Return a check for the tile detector, and one for every built-in box and other model."""
    trained = folder or models.TRAINED
    files = sorted(trained.glob("*.*"))
    return list(_checks(trained, tuple((f.name, f.stat().st_mtime_ns) for f in files)))


@lru_cache(maxsize=2)
def _checks(trained: Path, stamps: tuple[tuple[str, int], ...]) -> tuple[Check, ...]:
    del stamps  # Part of the cache key: the models are loaded again only if a file has changed.
    boxes = [load_set(name, ()) for name in built_in_names()]
    return (
        _check("model detector", _detector, trained),
        *(_check(f"model {box.name}", _reader, box, trained) for box in boxes),
        *(_check(f"model {name}", _other, name, trained) for name in _other_names(trained)),
    )


def _check(label: str, load: Callable[..., str], *what: object) -> Check:
    try:
        return Check(label, True, load(*what))
    except VisionError as error:
        said = str(error)
        return Check(label, False, said[:1].upper() + said[1:] + ".", FIX)


def _other_names(folder: Path) -> list[str]:
    """Return the names of model files that belong to neither the detector nor a reader."""
    from vision.classify.reader import MANIFEST as READER
    from vision.detect.network import QUICK_FILE
    from vision.hexes.models import MANIFEST, NETWORKS

    known = {Path(MANIFEST).stem, Path(READER).stem, *NETWORKS}
    known |= {"detector", Path(QUICK_FILE).stem}
    files = [file for file in folder.iterdir() if file.suffix in (".json", ".npz", ".onnx")]
    return sorted({file.stem for file in files} - known)


def _other(name: str, folder: Path) -> str:
    manifest = models.read_manifest(folder / f"{name}.json", {})
    file = str(manifest.get("file"))
    models.read_file(folder / file, str(manifest.get("sha256")))
    return f"{file} is complete."


def _detector(folder: Path) -> str:
    from vision.detect.network import MANIFEST, TileNetwork

    TileNetwork(folder)
    return f"Tiles can be found ({MANIFEST})."


def _reader(box: TileSet, folder: Path) -> str:
    return (_hex_reader if box.lattice == "hex" else _square_reader)(box, folder)


def _square_reader(box: TileSet, folder: Path) -> str:
    from vision.classify.reader import ARRAYS, NETWORK, load_reader

    load_reader(box, folder)
    return f"The tiles of {box.title} can be read ({NETWORK}, {ARRAYS})."


def _hex_reader(box: TileSet, folder: Path) -> str:
    from vision.hexes.models import COLOURS, NETWORKS, HexModels

    HexModels(folder)
    unknown = sorted(set(box.colours) - set(COLOURS))
    if unknown:
        raise ModelError(f"the reader of hex boards does not know {', '.join(unknown)}")
    names = ", ".join(f"{name}.onnx" for name in NETWORKS)
    return f"The tiles of {box.title} can be read ({names})."
