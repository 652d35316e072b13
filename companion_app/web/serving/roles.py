"""Who there is, and what each part of the page asks of them: the one list of both.

A view says with ``access.part_of`` which part it belongs to; the part says from which role on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ROLES = ("watcher", "seat", "host")
"""From the least to the most: each may do what those before it may."""
WATCHER, SEAT, HOST = ROLES


@dataclass(frozen=True)
class Part:
    """Addresses that are open or closed together."""

    least: str
    """The role from which on they are open, unless the host set another."""
    about: str
    settable: bool = False


PARTS: Mapping[str, Part] = {
    "page": Part(WATCHER, "the page itself, joining and showing the PIN"),
    "watching": Part(WATCHER, "state, events, health, drawings, rules, kept games", settable=True),
    "scoring": Part(WATCHER, "scoring a photo or a table in writing", settable=True),
    "alone": Part(WATCHER, "a game of one phone against the machine", settable=True),
    "pictures": Part(SEAT, "what the camera sees, and kept pictures", settable=True),
    "corrections": Part(SEAT, "labelled pictures of what people put right", settable=True),
    "boxes": Part(SEAT, "taught boxes", settable=True),
    "telling": Part(SEAT, "answers, rolls and passes, each for the own colour"),
    "hosting": Part(HOST, "everything else that changes anything"),
}


def reaches(role: str, least: str) -> bool:
    """Say whether a role may do what another one may."""
    return ROLES.index(role) >= ROLES.index(least)
