"""What the pictures of the documents were made from: the manifest beside them, and its hashes.

A picture of the page ages by itself: by the scripts that ran for it and by the sentences that are
read on it, which were noted when it was taken.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
MANIFEST = FOLDER / "manifest.json"
COMMAND = "make pictures"
LEAST_LETTERS = 3
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


def words_in(text: str, file: str, root: Path = ROOT) -> tuple[str, ...]:
    """Return which sentences of a language are read in a text, as sources ``file#where.it-stands``.

    What is filled into a sentence may be anything; what stands around it has to be there.
    """
    text = " ".join(text.split())
    return tuple(
        f"{file}#{key}"
        for key, sentence in _sentences(root / file)
        if (parts := [" ".join(part.split()) for part in re.split(r"\{[^}]*\}", sentence)])
        and any(len(part) >= LEAST_LETTERS for part in parts)
        and all(part in text for part in parts)
    )


def _sentences(file: Path) -> Iterator[tuple[str, str]]:
    """Yield each sentence of a language with where it stands."""
    ahead: list[tuple[str, Any]] = [("", json.loads(file.read_text(encoding="utf-8")))]
    while ahead:
        key, said = ahead.pop()
        if isinstance(said, str):
            yield key, said
        elif isinstance(said, dict):
            ahead += [(f"{key}.{name}".lstrip("."), one) for name, one in said.items()]
        elif isinstance(said, list):
            ahead += [(f"{key}.{number}", one) for number, one in enumerate(said)]


def hash_of(sources: Iterable[str], root: Path = ROOT) -> str:
    """Return one hash of files, folders and sentences: their names and what is in them."""
    whole, sources = hashlib.sha256(), sorted(sources)
    said: dict[str, dict[str, str]] = {}
    for place, _, key in (name.partition("#") for name in sources if "#" in name):
        if place not in said:
            said[place] = dict(_sentences(root / place)) if (root / place).exists() else {}
        whole.update(f"{place}#{key}: {said[place].get(key)}\n".encode())
    folders = [root / name for name in sources if "#" not in name]
    for file in sorted({file for folder in folders for file in _files(folder)}):
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
