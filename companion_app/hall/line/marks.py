"""A short mark of a line of the log, by which table and hall compare theirs."""

from __future__ import annotations

import hashlib


def mark_of_line(text: str) -> str:
    """Return the mark of a line as it is written."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
