"""Writes one file to send for help: the doctor's report, and the settings without secrets."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from companion_app.settings import LARGEST_FILE, is_public, settings_path
from engine.given_toml import load_toml

UNREADABLE = "# The settings file is no TOML, so it is left out.\n"


def write_help_file(file: Path | IO[bytes], answer: Mapping[str, Any], jpeg: bytes | None) -> None:
    """Write one file to send for help: the doctor's report and the settings; no games, no names.

    Args:
        file: a new file.
        answer: the result of ``report``.
        jpeg: a picture of the table, only if the owner agreed.
    """
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doctor.json", json.dumps(answer, indent=1, ensure_ascii=False))
        with suppress(OSError):
            archive.writestr("snake-eye.toml", without_secrets(settings_path().read_bytes()))
        if jpeg is not None:
            archive.writestr("table.jpg", jpeg)


def without_secrets(settings: bytes) -> str:
    """Return settings as TOML; values of secrets and of unknown settings are left out.

    A name that was mistyped is unknown, so a password under it is left out, too.
    """
    try:
        told = load_toml(settings[:LARGEST_FILE].decode())
    except ValueError:
        return UNREADABLE
    return "".join(_lines(told, ""))


def _lines(told: Mapping[str, Any], table: str) -> Iterator[str]:
    tables = {name: value for name, value in told.items() if isinstance(value, dict)}
    for name, value in told.items():
        if name not in tables:
            is_shown = is_public(table, name) and not isinstance(value, list)
            shown = value if is_shown else "(left out)"
            yield f"{_quoted(name)} = {json.dumps(shown, ensure_ascii=False, default=str)}\n"
    for name, value in tables.items():
        inner = f"{table}.{_quoted(name)}" if table else _quoted(name)
        yield f"\n[{inner}]\n"
        yield from _lines(value, inner)


def _quoted(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else json.dumps(name)
