"""Names of taught boxes: any words in any script are shown, a safe one names the files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from pathlib import Path

from engine.given import an_object, read_json
from engine.latin import latin
from engine.setfile import built_in_names
from models.teaching.shelf import LONGEST_TITLE, listed
from models.teaching.signature import forget_signature
from models.teaching.store import write_text

LONGEST_NAME = 40


def name_for(folder: Path, title: str) -> str:
    """Return the name of the box that is shown under a title; a new one where there is none."""
    title = title[:LONGEST_TITLE]
    boxes = listed(folder)
    for box in boxes:
        if title in (box["title"], box["name"]):
            return str(box["name"])
    return safe_name(title, {*(box["name"] for box in boxes), *built_in_names()})


def safe_name(title: str, taken: Collection[str]) -> str:
    """Return a name for files: small letters, digits and dashes, and none that is taken."""
    words = re.sub(r"[^a-z0-9]+", "-", latin(title).lower()).strip("-")[:LONGEST_NAME].strip("-")
    # Of scripts without a spelling nothing is left; the same title has the same name all the same.
    name = words or f"box-{hashlib.sha256(title.encode()).hexdigest()[:6]}"
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def give_title(folder: Path, name: str, title: str) -> None:
    """Keep the words under which a taught box is shown."""
    path = folder / f"{name}.json"
    manifest = an_object(read_json(path), path.name)
    if manifest.get("title", name) == title:
        return
    # Who signed it signed it under its old name.
    forget_signature(folder, name)
    rules = folder / f"{name}.toml"
    if rules.is_file():
        line = f"title = {json.dumps(title, ensure_ascii=False)}"
        text = rules.read_text(encoding="utf-8")
        write_text(rules, re.sub(r'(?m)^title = ".*"$', lambda _: line, text, count=1))
    text = json.dumps({**manifest, "title": title}, indent=1, ensure_ascii=False) + "\n"
    write_text(path, text)
