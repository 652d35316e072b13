"""The data folder with games, own sets and settings: ``$SNAKE_EYE_HOME``, or the user's own."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path


def home_folder() -> Path:
    """Return the data folder; it may not exist yet."""
    named = os.environ.get("SNAKE_EYE_HOME")
    return Path(named) if named else user_data_path("snake-eye")


def set_folders() -> tuple[Path, ...]:
    """Return the folders of owners' set files."""
    return (home_folder() / "sets",)


def profile_file(home: Path, source: str) -> Path:
    """Return the file of a camera's profile in a data folder."""
    return home / "profiles" / (source.replace(":", "-").replace("/", "-") + ".json")


def corrections_folder() -> Path:
    """Return the folder of corrected readings, from which ``teach`` learns."""
    return home_folder() / "corrections"
