"""The roles of guests, and the parts of the page with the lowest role that may use each.

A view is assigned to a part with ``access.part_of``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ROLES = ("watcher", "seat", "host")
"""All roles in ascending order; each includes the rights of those before it."""
WATCHER, SEAT, HOST = ROLES


@dataclass(frozen=True)
class Part:
    """A group of addresses with the same access rule."""

    least: str
    """The lowest role with access, unless the host set another."""
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
    """Say whether a role includes the rights of another one."""
    return ROLES.index(role) >= ROLES.index(least)
