"""Table states in writing: the JSON that other programs rely on."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from engine.record import TABLE_FORMAT, VERSION
from vision.core.types import UNKNOWN_TILE, Quality, TableState

PIXEL_DIGITS = 1
"""Outlines are good to about a pixel."""
CONFIDENCE_DIGITS = 4


def table_state_to_json(state: TableState, file: str | None = None) -> dict[str, Any]:
    """Return a table state as JSON can hold it, with exactly the promised keys.

    Args:
        state: what was read.
        file: the picture's name as it was given.
    """
    return {
        "format": TABLE_FORMAT,
        "version": VERSION,
        "file": file,
        "size": [int(side) for side in state.size_px],
        "game": state.game,
        "set": state.set_name,
        "tiles": [_entry(tile) for tile in state.tiles],
        "unsure": [_entry(tile) for tile in state.unsure],
        "aside": [_entry(tile) for tile in state.aside],
        "clay": [_entry(tile) for tile in state.clay],
        "splits": [_entry(split) for split in state.splits],
        "quality": quality_to_json(state.quality, state.size_px),
    }


def quality_to_json(quality: Quality, size_px: tuple[int, int]) -> dict[str, Any]:
    """Return a judgement of a picture; advice about all of it has a box around all of it."""
    everything = [0, 0, int(size_px[0]), int(size_px[1])]
    return {
        "ok": bool(quality.ok),
        "advice": [
            {
                "what": one.what,
                "text": one.text,
                "box": everything if one.box is None else [int(v) for v in one.box],
                **({"looks_like": one.looks_like} if one.what == UNKNOWN_TILE else {}),
            }
            for one in quality.advice
        ],
    }


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain(value, key) for key, value in entry.items()}


def _plain(value: Any, key: str = "") -> Any:
    """Return a value without NumPy in it, and with no more digits than it is worth."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(item, str(name)) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, key) for item in value]
    if isinstance(value, float):
        digits = PIXEL_DIGITS if key in ("outline", "centre") else CONFIDENCE_DIGITS
        # A number that is none would make the whole document unreadable.
        return round(value, digits) if isfinite(value) else None
    return value
