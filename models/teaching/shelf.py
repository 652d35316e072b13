"""The shelf of taught boxes: listed, renamed, given away as one file, taken in, deleted.

A file of a box is a zip of plain data. What comes from elsewhere is unpacked beside the shelf and
must load as any taught box does before it is put there; nothing in it is ever run.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import tempfile
import zipfile
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.errors import EngineError, RecordError, SetError
from engine.given import an_object, read_json
from engine.setfile import SAFE_NAME, load_set
from models.teaching.errors import TeachingError
from models.teaching.figures import checked_figures
from models.teaching.kept import read_kept
from models.teaching.store import files_of
from models.teaching.teach import check_name
from vision import ModelError, find_taught
from vision.classify.taught import FORMAT
from vision.core.errors import OutdatedError

LARGEST_ZIP, LARGEST_INSIDE, MOST_INSIDE = 64 << 20, 128 << 20, 8
INSIDE = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}(\.examples)?\.(json|toml|npz)")
"""Names of files in a box: no folders, no hidden files, none too long for a disk."""


def listed(folder: Path) -> list[dict[str, Any]]:
    """Return what is known of each taught box, by name; ``refused`` names those left out."""
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
            out.append({"name": path.stem, **told, **figures})
    return out


def refused(folder: Path, *, outdated: bool = True) -> dict[str, str]:
    """Return the owner's boxes that cannot be used, by file name, and what is wrong with each.

    Args:
        folder: the shelf.
        outdated: name those as well that are whole, but must be taught again.
    """
    files = sorted(path for end in ("json", "toml") for path in folder.glob(f"*.{end}"))
    found = {path.name: _mistake(path, *map(_stamp, (path, path.with_suffix(".toml"))))
             for path in files}  # fmt: skip
    return {name: said for name, (said, whole) in found.items() if said and (outdated or not whole)}


def _stamp(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


@lru_cache(maxsize=64)
def _mistake(path: Path, *stamps: tuple[int, int]) -> tuple[str, bool]:
    """Say what is wrong with a file on the shelf, and whether it is whole all the same."""
    del stamps  # They say that the files have changed since.
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


def delete(folder: Path, name: str) -> None:
    """Forget a taught box and all that it was learnt from; also one that cannot be used."""
    check_name(name)
    if not any((folder / f"{name}{end}").is_file() for end in (".json", ".toml")):
        raise TeachingError(f"there is no taught box called {name}")
    # The manifest goes first: without it nothing else is a box.
    for path in (folder / f"{name}.json", folder / f"{name}.toml", *files_of(folder, name)):
        path.unlink(missing_ok=True)


def rename(folder: Path, name: str, to: str) -> None:
    """Give a taught box another name."""
    taken_in(folder, exported(folder, name), to)
    delete(folder, name)


def exported(folder: Path, name: str) -> bytes:
    """Return a taught box as one zip file."""
    manifest = _must_be_taught(folder, name)
    names = [f"{name}.json", str(manifest["file"])]
    if read_kept(folder, name) is not None:
        names.append(str(manifest["examples"]["file"]))
    if (folder / f"{name}.toml").is_file():
        names.append(f"{name}.toml")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        for file in names:
            packed.write(folder / file, file)
    return out.getvalue()


def taken_in(folder: Path, data: bytes, name: str | None = None) -> str:
    """Put a box from a zip file on the shelf and return its name.

    Args:
        folder: the shelf.
        data: the zip file.
        name: another name than it had.

    Raises:
        TeachingError: it is no such file, is damaged, or there is a box of that name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        place = Path(beside)
        old = _unpacked(data, place)
        new = name or old
        check_name(new)
        if (folder / f"{new}.json").exists() or (folder / f"{new}.toml").exists():
            raise TeachingError(f"there is a box called {new} already; give this one another name")
        _renamed(place, old, new)
        try:
            if find_taught(new, (place,)) is None:
                raise TeachingError("the file holds no taught box")
        except (ModelError, EngineError) as error:
            raise TeachingError(str(error)) from None
        read_kept(place, new)
        _check_rest(place / f"{new}.json")
        for path in sorted(place.iterdir(), key=lambda path: path.suffix == ".json"):
            shutil.move(path, folder / path.name)
    return new


def _check_rest(path: Path) -> None:
    """Refuse figures that the page could not show."""
    try:
        checked_figures(an_object(read_json(path), path.name).get("figures", {}))
    except RecordError as error:
        raise TeachingError(f"the file is no box that was exported: {error}") from None


def _must_be_taught(folder: Path, name: str) -> dict[str, Any]:
    check_name(name)
    try:
        manifest = read_json(folder / f"{name}.json")
    except (OSError, RecordError):
        manifest = None
    if not isinstance(manifest, dict):
        raise TeachingError(f"there is no taught box called {name}")
    return manifest


def _unpacked(data: bytes, place: Path) -> str:
    """Write the files of a zip into a folder, their names checked; return the box's name."""
    if len(data) > LARGEST_ZIP:
        raise TeachingError(f"the file is larger than {LARGEST_ZIP >> 20} MB")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            inside = packed.infolist()
            safe = all(INSIDE.fullmatch(one.filename) for one in inside)
            plain = all(one.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
                        for one in inside)  # fmt: skip
            if not safe or not plain or len(inside) > MOST_INSIDE:
                raise TeachingError("the file holds something else than a taught box")
            if sum(one.file_size for one in inside) > LARGEST_INSIDE:
                raise TeachingError("what is in the file is too large for a taught box")
            for one in inside:
                (place / one.filename).write_bytes(packed.read(one))
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise TeachingError(f"the file is no box that was exported: {error}") from None
    manifests = sorted(place.glob("*.json"))
    if len(manifests) != 1:
        raise TeachingError("the file holds no taught box")
    return manifests[0].stem


def _renamed(place: Path, old: str, new: str) -> None:
    """Bring an unpacked box to another name: its files, its manifest, its set file."""
    path = place / f"{old}.json"
    try:
        manifest = read_json(path)
        if not isinstance(manifest, dict):
            raise RecordError("", "its manifest is no object")
    except RecordError as error:
        raise TeachingError(f"the file is no box that was exported: {error}") from None
    manifest["set"] = new
    if old == new:
        return
    moves = {str(manifest.get("file")): manifest}
    if isinstance(manifest.get("examples"), dict):
        moves[str(manifest["examples"].get("file"))] = manifest["examples"]
    for file, names in moves.items():
        if Path(file).name == file and (place / file).is_file() and file.startswith(f"{old}-"):
            names["file"] = new + file.removeprefix(old)
            (place / file).rename(place / str(names["file"]))
    if (place / f"{old}.toml").is_file():
        lines = (place / f"{old}.toml").read_text(encoding="utf-8").splitlines(keepends=True)
        text = "".join(
            f'{line.split()[0]} = "{new}"\n' if line.startswith(("name =", "title =")) else line
            for line in lines
        )
        (place / f"{new}.toml").write_text(text, encoding="utf-8")
        (place / f"{old}.toml").unlink()
    path.unlink()
    (place / f"{new}.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
