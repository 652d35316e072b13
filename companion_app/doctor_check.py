"""One line of what `doctor` says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, in plain words."""

    name: str
    ok: bool | None
    """``False`` for a fault, ``None`` where it cannot be told or does not apply here."""
    text: str
    """What was found."""
    fix: str = ""
    """What to do about it."""

    def to_json(self) -> dict[str, Any]:
        """Return the line as it is printed."""
        return asdict(self)
