"""Where games, own sets and settings are kept: ``$SNAKE_EYE_HOME`` or the user's data folder."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path


def home_folder() -> Path:
    """Return the folder of everything that is kept; it may not exist yet."""
    named = os.environ.get("SNAKE_EYE_HOME")
    return Path(named) if named else user_data_path("snake-eye")


def set_folders() -> tuple[Path, ...]:
    """Return where owners' set files lie."""
    return (home_folder() / "sets",)


def profile_file(home: Path, source: str) -> Path:
    """Return where in a home the profile of a camera is kept."""
    return home / "profiles" / (source.replace(":", "-").replace("/", "-") + ".json")


def corrections_folder() -> Path:
    """Return where readings that players put right are kept, to learn from."""
    return home_folder() / "corrections"
