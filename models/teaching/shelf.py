"""The shelf of taught boxes: listed with who signed them, refused where they cannot be used."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

from engine.errors import EngineError, RecordError, SetError
from engine.given import an_object, read_json
from engine.setfile import SAFE_NAME, load_set
from models.teaching.errors import TeachingError
from models.teaching.figures import checked_figures
from models.teaching.signature import SIGNATURE, SUMS, Signed, forget_signature, signed_by
from models.teaching.store import files_of
from models.teaching.teach import check_name
from vision import ModelError, OutdatedError, find_taught
from vision.classify.taught import FORMAT

LONGEST_TITLE = 60
INSIDE = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}(\.examples)?\.(json|toml|npz|sums|sums\.minisig)")
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
        signed = signature_of(folder, path.stem)
        told = {"shape": manifest.get("lattice"), "game": manifest.get("game")}
        if all(value is None or isinstance(value, str) for value in told.values()):
            by = {"state": signed.state, "by": signed.by}
            title = manifest.get("title")
            shown = title[:LONGEST_TITLE] if isinstance(title, str) and title else path.stem
            out.append({"name": path.stem, "title": shown, **told, **figures, "signed": by})
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


def signature_of(folder: Path, name: str, keys: Path | None = None) -> Signed:
    """Say who signed a box on the shelf."""
    known = folder.parent / "keys" if keys is None else keys
    try:
        files = files_in(folder, name)
        read = [folder / file for file in (*files, f"{name}{SUMS}", f"{name}{SIGNATURE}")]
        stamps = tuple(_stamp(path) for path in (*read, *sorted(known.glob("*.pub"))))
        return _signed(folder, name, files, known, stamps)
    except (TeachingError, OSError, SubprocessError):
        return Signed("unchecked")


@lru_cache(maxsize=64)
def _signed(
    folder: Path, name: str, files: tuple[str, ...], keys: Path, stamps: tuple[Any, ...]
) -> Signed:
    del stamps  # They say that the files have changed since.
    return signed_by(folder, name, files, keys)


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
        str(file) for file in named
        if isinstance(file, str) and INSIDE.fullmatch(file) and (folder / file).is_file()
    )  # fmt: skip


def delete(folder: Path, name: str) -> None:
    """Forget a taught box and all that it was learnt from; also one that cannot be used."""
    check_name(name)
    if not any((folder / f"{name}{end}").is_file() for end in (".json", ".toml")):
        raise TeachingError(f"there is no taught box called {name}")
    # The manifest goes first: without it nothing else is a box.
    for path in (folder / f"{name}.json", folder / f"{name}.toml", *files_of(folder, name)):
        path.unlink(missing_ok=True)
    forget_signature(folder, name)


def _must_be_taught(folder: Path, name: str) -> dict[str, Any]:
    check_name(name)
    try:
        manifest = read_json(folder / f"{name}.json")
    except (OSError, RecordError):
        manifest = None
    if not isinstance(manifest, dict):
        raise TeachingError(f"there is no taught box called {name}")
    return manifest
