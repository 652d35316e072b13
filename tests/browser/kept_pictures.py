"""What the pictures of the documents were made from: the manifest beside them, and its hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
MANIFEST = FOLDER / "manifest.json"
COMMAND = "make pictures"
NO_SOURCE = ("*.pyc", "*.md", "guide.*", "sw.js")
"""What lies in a folder without being seen in a picture."""


def kept() -> Mapping[str, Mapping[str, Any]]:
    """Return what each picture was made from, and the hash of that; nothing where none is kept."""
    if not MANIFEST.exists():
        return {}
    return dict(json.loads(MANIFEST.read_text(encoding="utf-8"))["pictures"])


def keep(pictures: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the manifest."""
    text = json.dumps({"command": COMMAND, "pictures": pictures}, indent=1)
    MANIFEST.write_text(text + "\n", encoding="utf-8")


def hash_of(sources: Iterable[str], root: Path = ROOT) -> str:
    """Return one hash of files and folders: their names and what is in them."""
    whole = hashlib.sha256()
    for file in sorted({file for name in sources for file in _files(root / name)}):
        whole.update(f"{file.relative_to(root)}\n".encode())
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return [
        one
        for one in path.rglob("*")
        if one.is_file() and not any(one.match(name) for name in NO_SOURCE)
    ]
