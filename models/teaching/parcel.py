"""A taught box as one file: exported, looked into and imported.

The file is a zip of plain data. A box from elsewhere is unpacked into a temporary folder and must
load like any taught box before it is put on the shelf; nothing in it is ever executed.
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path

from engine.errors import EngineError
from engine.given import an_object, read_json
from engine.setfile import read_set_file
from models.teaching.errors import TeachingError
from models.teaching.shelf import INSIDE, OF_1_0_0, checked_figures, files_in
from models.teaching.store import read_kept, renamed_set
from models.teaching.teach import check_name
from vision import ModelError, find_taught

LARGEST_ZIP, LARGEST_INSIDE, MOST_INSIDE = 64 << 20, 128 << 20, 8
NO_BOX = "the file holds something else than a taught box"


def exported(folder: Path, name: str) -> bytes:
    """Return a taught box as one zip file."""
    files = files_in(folder, name)
    read_kept(folder, name)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        for file in files:
            packed.write(folder / file, file)
    return out.getvalue()


def name_in(data: bytes) -> str:
    """Return the name of the box in a zip file.

    Raises:
        TeachingError: it is no box.
    """
    with tempfile.TemporaryDirectory() as beside:
        return _unpacked(data, Path(beside))


def taken_in(folder: Path, data: bytes, name: str | None = None) -> str:
    """Put a box from a zip file on the shelf and return its name.

    Args:
        folder: the shelf.
        data: the zip file.
        name: a new name for the box, if any.

    Raises:
        TeachingError: it is no such file, is damaged, or the name is taken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        place = Path(beside)
        old = _unpacked(data, place)
        new = name or old
        check_name(new)
        if (folder / f"{new}.json").exists() or (folder / f"{new}.toml").exists():
            text = f"there is a box called {new} already; give this one another name"
            raise TeachingError(text, code="teach-name-taken")
        try:
            _renamed(place, old, new)
            if find_taught(new, (place,)) is None:
                raise TeachingError("the file holds no taught box")
            read_kept(place, new)
            checked_figures(an_object(read_json(place / f"{new}.json"), new).get("figures", {}))
        except (ModelError, EngineError) as error:
            raise TeachingError(f"the file is no box that was exported: {error}") from None
        files = set(files_in(place, new))
        # A set file of another name would replace another box.
        if any(path.name not in files for path in place.iterdir()):
            raise TeachingError(NO_BOX)
        # The manifest is moved last: without it the other files are no box.
        for path in sorted(place.iterdir(), key=lambda path: path.suffix == ".json"):
            shutil.move(path, folder / path.name)
    return new


def _unpacked(data: bytes, place: Path) -> str:
    """Write the files of a zip into a folder, their names checked; return the box's name."""
    if len(data) > LARGEST_ZIP:
        raise TeachingError(f"the file is larger than {LARGEST_ZIP >> 20} MB")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            inside = packed.infolist()
            safe = all(INSIDE.fullmatch(one.filename) for one in inside)
            plain = all(
                one.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for one in inside
            )
            if not safe or not plain or len(inside) > MOST_INSIDE:
                raise TeachingError(NO_BOX)
            if sum(one.file_size for one in inside) > LARGEST_INSIDE:
                raise TeachingError("what is in the file is too large for a taught box")
            for one in inside:
                if one.filename.endswith(OF_1_0_0):
                    continue
                (place / one.filename).write_bytes(packed.read(one))
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise TeachingError(f"the file is no box that was exported: {error}") from None
    manifests = sorted(place.glob("*.json"))
    if len(manifests) != 1:
        raise TeachingError("the file holds no taught box")
    return manifests[0].stem


def _renamed(place: Path, old: str, new: str) -> None:
    """Rename an unpacked box: its files, its manifest, its set file."""
    path = place / f"{old}.json"
    manifest = {**an_object(read_json(path), path.name), "set": new}
    if (place / f"{old}.toml").is_file():
        read_set_file(place / f"{old}.toml")
    if old == new:
        return
    moves = {str(manifest.get("file")): manifest}
    if isinstance(manifest.get("examples"), dict):
        manifest["examples"] = examples = dict(manifest["examples"])
        moves[str(examples.get("file"))] = examples
    for file, names in moves.items():
        if INSIDE.fullmatch(file) and (place / file).is_file() and file.startswith(f"{old}-"):
            names["file"] = new + file.removeprefix(old)
            (place / file).rename(place / str(names["file"]))
    if (place / f"{old}.toml").is_file():
        text = (place / f"{old}.toml").read_text(encoding="utf-8")
        (place / f"{new}.toml").write_text(renamed_set(text, new), encoding="utf-8")
        (place / f"{old}.toml").unlink()
    path.unlink()
    (place / f"{new}.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
