"""One file to send for help: what doctor says, and the settings without their secrets."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion_app.settings import settings_path

SECRET = re.compile(rb"^([ \t]*(?:mqtt\.)?(?:password|user))[ \t]*=.*$", re.MULTILINE)
"""Lines of the settings that nobody else should read."""


def write_help_file(file: Path, answer: Mapping[str, Any], jpeg: bytes | None) -> None:
    """Write one file to send for help: what doctor says and the settings; no games, no names.

    Args:
        file: a new file.
        answer: what ``report`` gave.
        jpeg: a picture of the table, only where the owner said so.
    """
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doctor.json", json.dumps(answer, indent=1, ensure_ascii=False))
        with suppress(OSError):
            settings = settings_path().read_bytes()[: 64 << 10]
            archive.writestr("snake-eye.toml", SECRET.sub(rb'\1 = "(left out)"', settings))
        if jpeg is not None:
            archive.writestr("table.jpg", jpeg)
