"""The difference between two layouts: what was laid and what was lifted."""

from __future__ import annotations

from engine.game import Change
from engine.placement import Layout


def change_between(before: Layout, after: Layout) -> Change:
    """Return what was laid and what was lifted between two layouts."""
    return Change(
        Layout(after.cards - before.cards, after.pieces - before.pieces, after.clay - before.clay),
        Layout(before.cards - after.cards, before.pieces - after.pieces, before.clay - after.clay),
    )
