"""Short hashes of log lines, by which table and hall compare their logs."""

from __future__ import annotations

import hashlib


def mark_of_line(text: str) -> str:
    """Return the mark of a line's text: the first 128 bits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
